/* Instances made of another one: parts, with times rounded down, with fewer machines. */
#include "planner/instance/instance.h"

#include <assert.h>
#include <string.h>

#include "base/collections/memory.h"
#include "base/collections/sort.h"
#include "base/collections/sorted.h"
#include "base/invariant.h"

/* The place of a stage of the whole in the part; UINT32_MAX if it is not there. A job may have as
 * many parts as stages, so a part must not cost a table as long as the whole. */
static uint32_t instance_place_in(const struct br_part_stages *share, uint32_t stage)
{
    if (!share->place)
        return br_sorted_find(share->stages, share->count, stage);
    const uint32_t place = share->place[stage];
    return place < share->count && share->stages[place] == stage ? place : UINT32_MAX;
}

/* Copies the arcs of one direction whose two ends are in the part, sorted like those of the whole.
 * Only counts them if `arc` is NULL. */
static uint32_t copy_arcs(const struct br_part_stages *share, const uint32_t *whole_first,
                          const struct br_arc *whole_arc, uint32_t *first, struct br_arc *arc)
{
    uint32_t arcs = 0;
    for (uint32_t k = 0; k < share->count; k++) {
        const uint32_t s = share->stages[k];
        for (uint32_t a = whole_first[s]; a < whole_first[s + 1]; a++) {
            const uint32_t place = instance_place_in(share, whole_arc[a].stage);
            if (place == UINT32_MAX)
                continue;
            if (arc)
                arc[arcs] = (struct br_arc){place, whole_arc[a].one_to_one};
            arcs++;
        }
        if (arc)
            first[k + 1] = arcs;
    }
    return arcs;
}

/* The part borrows the whole's cluster. */
static void instance_share_cluster(struct br_instance *in, const struct br_instance *whole)
{
    in->resources = whole->resources;
    in->classes = whole->classes;
    in->machines = whole->machines;
    in->tick_ns = whole->tick_ns;
    in->class_first = whole->class_first;
    in->capacity = whole->capacity;
    in->total = whole->total;
    in->resource_origin = whole->resource_origin;
    in->resource_digits = whole->resource_digits;
}

/* Fills a zeroed instance with the part. False when memory is out. */
static bool fill_part(struct br_instance *in, struct br_arena *arena,
                      const struct br_instance *whole, const struct br_part_stages *share)
{
    const uint32_t *stages = share->stages, count = share->count;
    instance_share_cluster(in, whole);
    in->stages = count;
    for (uint32_t k = 0; k < count; k++)
        in->tasks += whole->stage_first[stages[k] + 1] - whole->stage_first[stages[k]];
    const uint32_t arcs = copy_arcs(share, whole->child_first, whole->child, NULL, NULL);
    if (!br_instance_allocate(in, arena, arcs))
        return false;
    copy_arcs(share, whole->child_first, whole->child, in->child_first, in->child);
    copy_arcs(share, whole->parent_first, whole->parent, in->parent_first, in->parent);
    const size_t row = (size_t)whole->resources * sizeof *whole->demand;
    for (uint32_t k = 0, t = 0; k < count; k++) {
        uint32_t s = stages[k];
        in->stage_first[k] = t;
        in->topological[k] = instance_place_in(share, share->topological[k]);
        if (row)
            memcpy(in->demand + (size_t)k * in->resources,
                   whole->demand + (size_t)s * whole->resources, row);
        for (uint32_t u = whole->stage_first[s]; u < whole->stage_first[s + 1]; u++, t++) {
            in->duration[t] = whole->duration[u];
            in->task_origin[t] = whole->task_origin[u];
        }
    }
    in->stage_first[count] = in->tasks;
    br_instance_describe(in);
    br_costly_assert(br_instance_is_sound(in));
    return true;
}

struct br_instance *br_instance_share(struct br_arena *arena, const struct br_instance *whole,
                                      const struct br_part_stages *share)
{
    struct br_instance *in = br_arena_alloc(arena, sizeof *in);
    return in && fill_part(in, arena, whole, share) ? in : NULL;
}

static int by_position(const void *a, const void *b, void *context)
{
    const uint32_t *position = context;
    const uint32_t x = position[*(const uint32_t *)a], y = position[*(const uint32_t *)b];
    return x < y ? -1 : x > y;
}

struct br_instance *br_instance_part(const struct br_instance *whole, const uint32_t *stages,
                                     uint32_t count)
{
    struct br_instance *in = br_calloc(1, sizeof *in);
    uint32_t *topological = br_malloc(((size_t)count + 1) * sizeof *topological);
    const struct br_part_stages share = {stages, topological, count, NULL};
    bool ok = in && topological;
    if (ok) {
        memcpy(topological, stages, count * sizeof *topological);
        br_sort_within(topological, count, sizeof *topological, by_position, whole->position);
        ok = fill_part(in, &in->arena, whole, &share);
    }
    br_free(topological);
    if (ok)
        return in;
    br_instance_destroy(in);
    return NULL;
}

struct br_instance *br_instance_round(const struct br_instance *in, int64_t rounding)
{
    assert(rounding > 0);
    uint32_t *all = br_malloc(((size_t)in->stages + 1) * sizeof *all);
    for (uint32_t s = 0; all && s < in->stages; s++)
        all[s] = s;
    struct br_instance *rounded = all ? br_instance_part(in, all, in->stages) : NULL;
    br_free(all);
    for (uint32_t t = 0; rounded && t < rounded->tasks; t++)
        rounded->duration[t] /= rounding;
    if (rounded) {
        rounded->tick_ns *= rounding;
        br_instance_describe(rounded);
    }
    return rounded;
}

enum { MANY_MACHINES = 1024 }; /* a search through fewer is cheaper than leaving some out */

bool br_instance_few(struct br_instance *few, const struct br_instance *in)
{
    uint64_t machines = 0;
    *few = *in;
    for (uint32_t c = 0; c < in->classes; c++) {
        uint32_t count = in->class_first[c + 1] - in->class_first[c];
        machines += count < in->tasks ? count : in->tasks;
    }
    if (in->machines < MANY_MACHINES || machines > in->machines / 4)
        return false;
    uint32_t *first = br_malloc(((size_t)in->classes + 1) * sizeof *first);
    if (!first)
        return false;
    few->class_first = first;
    few->machines = 0;
    for (uint32_t c = 0; c < in->classes; c++) {
        uint32_t count = in->class_first[c + 1] - in->class_first[c];
        first[c] = few->machines;
        few->machines += count < in->tasks ? count : in->tasks;
    }
    first[in->classes] = few->machines;
    return true;
}

void br_instance_few_finish(struct br_instance *few, const struct br_instance *in)
{
    if (few->class_first != in->class_first)
        br_free(few->class_first);
    few->class_first = NULL;
}

uint32_t br_instance_machine(const struct br_instance *few, const struct br_instance *in,
                             uint32_t machine)
{
    if (few->class_first == in->class_first)
        return machine;
    uint32_t c = br_instance_machine_class(few, machine);
    return in->class_first[c] + (machine - few->class_first[c]);
}
