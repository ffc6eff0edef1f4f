/* The certificate as data. */
#include "planner/certificate/certificate.h"

#include <stdlib.h>

struct br_certificate *br_certificate_create(int64_t tick_ns, uint32_t parts)
{
    struct br_certificate *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->tick_ns = tick_ns;
    c->parts = parts;
    c->part = br_arena_array(&c->arena, parts, sizeof *c->part);
    if (c->part)
        return c;
    br_certificate_destroy(c);
    return NULL;
}

void br_certificate_destroy(struct br_certificate *c)
{
    if (!c)
        return;
    br_arena_finish(&c->arena);
    free(c);
}

bool br_certificate_bound(const struct br_certificate *c, int64_t *bound_ns)
{
    int64_t ticks = 0;
    for (uint32_t k = 0; k < c->parts; k++)
        if (c->part[k].bound < 0 || __builtin_add_overflow(ticks, c->part[k].bound, &ticks))
            return false;
    return !__builtin_mul_overflow(ticks, c->tick_ns, bound_ns);
}

bool br_proof_set_part(struct br_arena *arena, const struct br_instance *whole,
                       const struct br_instance *part, struct br_proof *proof)
{
    if (part == whole)
        return true; /* none listed: the whole job */
    proof->stage = br_arena_array(arena, part->stages, sizeof *proof->stage);
    if (!proof->stage)
        return false;
    proof->stages = part->stages;
    for (uint32_t s = 0; s < part->stages; s++)
        proof->stage[s] = whole->task_stage[part->task_origin[part->stage_first[s]]];
    return true;
}
