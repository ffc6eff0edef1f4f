/* The certificate as data. */
#include "planner/instance/certificate.h"

#include <assert.h>
#include <string.h>

#include "base/collections/memory.h"

static const struct br_named kinds[] = {
    [BR_PROOF_PATH] = {"path", NULL},
    [BR_PROOF_WINDOW] = {"window", NULL},
    [BR_PROOF_ENERGY] = {"energy", NULL},
    [BR_PROOF_ROUNDS] = {"rounds", NULL},
    [BR_PROOF_PRICES] = {"prices", NULL},
    [BR_PROOF_CLAUSES] = {"clauses", NULL},
    [BR_PROOF_FIRST] = {"first", NULL},
    [BR_PROOF_LAST] = {"last", NULL},
    [BR_PROOF_MULTIPLIERS] = {"multipliers", NULL},
};
const struct br_names br_proof_kinds = {BR_NAMES(kinds)};

static const struct br_named relaxations[] = {
    [BR_RELAX_NONE] = {"none", NULL},
    [BR_RELAX_MACHINES] = {"machines", NULL},
    [BR_RELAX_POOL] = {"pool", NULL},
    [BR_RELAX_WAYS] = {"ways", NULL},
};
const struct br_names br_relaxations = {BR_NAMES(relaxations)};

struct br_certificate *br_certificate_create(int64_t tick_ns, uint32_t parts)
{
    struct br_certificate *c = br_calloc(1, sizeof *c);
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
    br_free(c);
}

bool br_certificate_bound(const struct br_certificate *c, int64_t *bound_ns)
{
    int64_t ticks = 0;
    if (!c || !bound_ns)
        return false;
    for (uint32_t k = 0; k < c->parts; k++) {
        const struct br_proof *proof = &c->part[k];
        int64_t part;
        if (proof->bound < 0 || proof->rest < 0 ||
            __builtin_mul_overflow(proof->bound, br_proof_rounding(proof), &part) ||
            __builtin_add_overflow(part, proof->rest, &part) ||
            __builtin_add_overflow(ticks, part, &ticks))
            return false;
    }
    return !__builtin_mul_overflow(ticks, c->tick_ns, bound_ns);
}

static bool same_stages(const struct br_proof *a, const struct br_proof *b)
{
    return a->stages == b->stages &&
           (a->stages == 0 || !memcmp(a->stage, b->stage, a->stages * sizeof *a->stage));
}

const struct br_proof *br_certificate_same_part(const struct br_certificate *a,
                                                const struct br_certificate *b, uint32_t part)
{
    if (a->relaxation != b->relaxation || a->tick_ns != b->tick_ns || a->parts != b->parts)
        return NULL;
    for (uint32_t k = 0; k < a->parts; k++)
        if (!same_stages(&a->part[k], &b->part[k]))
            return NULL;
    return &b->part[part];
}

bool br_certificate_take(struct br_certificate **certificate, struct br_certificate *from)
{
    struct br_certificate *c = *certificate;
    int64_t ns = 0, from_ns = 0;
    bool risen = false;
    if (!c)
        *certificate = from;
    if (!c || !from)
        return from != NULL && !c;
    if (br_certificate_same_part(c, from, 0)) {
        for (uint32_t k = 0; k < c->parts; k++)
            if (br_proof_ticks(&from->part[k]) > br_proof_ticks(&c->part[k])) {
                c->part[k] = from->part[k];
                risen = true;
            }
    } else if (br_certificate_bound(c, &ns) && br_certificate_bound(from, &from_ns) &&
               from_ns > ns) {
        c->relaxation = from->relaxation;
        c->tick_ns = from->tick_ns;
        c->parts = from->parts;
        c->part = from->part;
        risen = true;
    }
    br_arena_join(&c->arena, &from->arena);
    br_certificate_destroy(from);
    return risen;
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
    for (uint32_t s = 1; s < part->stages; s++)
        assert(proof->stage[s - 1] < proof->stage[s]);
    return true;
}
