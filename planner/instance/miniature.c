/* The tasks of a stage are sorted by duration and divided evenly; the one in the middle of each
 * group stands for it. If arcs join single tasks of the stage, they stay in their order. So that
 * the work of a stage stays, durations are scaled if the groups do not have the same size as those
 * of machines, and a stage of too few tasks for one group has a task of less demand. */
#include "planner/instance/miniature.h"

#include <string.h>

#include "base/collections/memory.h"
#include "base/collections/sort.h"
#include "base/invariant.h"
#include "base/numbers/wide.h"

/* Leaves so many machines of each class as stand for it, at least one. */
static void miniature_machines(struct br_miniature *m, const struct br_instance *whole,
                               uint32_t tasks)
{
    struct br_instance *in = &m->in;
    in->machines = 0;
    for (uint32_t c = 0; c < in->classes; c++) {
        const uint64_t all = whole->class_first[c + 1] - whole->class_first[c];
        const uint64_t few = (all * tasks + whole->tasks / 2) / whole->tasks;
        in->class_first[c] = in->machines;
        in->machines += few ? (uint32_t)few : 1;
        for (uint32_t r = 0; r < in->resources; r++)
            in->total[r] += in->capacity[(size_t)c * in->resources + r] *
                            (int64_t)(in->machines - in->class_first[c]);
    }
    in->class_first[in->classes] = in->machines;
}

/* Counts the groups of each stage, at least one. Returns the most tasks of a stage of the whole. */
static uint32_t miniature_stages(struct br_miniature *m, const struct br_instance *whole)
{
    struct br_instance *in = &m->in;
    uint32_t most = 0;
    in->tasks = 0;
    for (uint32_t s = 0; s < in->stages; s++) {
        const uint32_t n = whole->stage_first[s + 1] - whole->stage_first[s];
        const uint64_t few = ((uint64_t)n * in->machines + whole->machines / 2) / whole->machines;
        in->stage_first[s] = in->tasks;
        in->tasks += few ? (uint32_t)few : 1;
        most = n > most ? n : most;
    }
    in->stage_first[in->stages] = in->tasks;
    return most;
}

static bool miniature_joins(const uint32_t *first, const struct br_arc *arc, uint32_t s)
{
    for (uint32_t a = first[s]; a < first[s + 1]; a++)
        if (arc[a].one_to_one)
            return true;
    return false;
}

/* The tasks of the stage, and for whom they stand. */
static void divide_stage(struct br_miniature *m, const struct br_instance *whole, uint32_t s,
                         struct br_sort_item *sort)
{
    struct br_instance *in = &m->in;
    const uint32_t from = whole->stage_first[s], n = whole->stage_first[s + 1] - from;
    const uint32_t first = in->stage_first[s], few = in->stage_first[s + 1] - first;
    const br_wide have = (br_wide)few * whole->machines, need = (br_wide)n * in->machines;
    const bool less = few == 1 && need < have;
    for (uint32_t k = 0; k < n; k++)
        sort[k] = (struct br_sort_item){~(uint64_t)whole->duration[from + k], from + k};
    if (!whole->stage_equal[s] && !miniature_joins(whole->child_first, whole->child, s) &&
        !miniature_joins(whole->parent_first, whole->parent, s))
        br_sort(sort, sort + n, n);
    in->stage_longest[s] = 0;
    in->stage_equal[s] = true;
    for (uint32_t k = 0; k < few; k++) {
        const uint32_t low = (uint32_t)((uint64_t)k * n / few);
        const uint32_t high = (uint32_t)((uint64_t)(k + 1) * n / few);
        const int64_t middle = whole->duration[sort[low + (high - low) / 2].item];
        const int64_t duration = less ? middle : (int64_t)(middle * need / have);
        assert(low < high);
        for (uint32_t i = low; i < high; i++)
            m->twin[sort[i].item] = first + k;
        in->duration[first + k] = duration;
        in->task_stage[first + k] = s;
        in->stage_equal[s] &= duration == in->duration[first];
        in->stage_longest[s] = duration > in->stage_longest[s] ? duration : in->stage_longest[s];
    }
    for (uint32_t r = 0; less && r < in->resources; r++) {
        int64_t *demand = &in->demand[(size_t)s * in->resources + r];
        *demand = (int64_t)((*demand * need + have - 1) / have);
    }
}

/* Arcs of stages that now have one task are barriers. */
static void copy_arcs(const struct br_instance *in, const uint32_t *first,
                      const struct br_arc *from, struct br_arc *to)
{
    for (uint32_t s = 0; s < in->stages; s++)
        for (uint32_t a = first[s]; a < first[s + 1]; a++) {
            to[a] = from[a];
            to[a].one_to_one &= in->stage_first[s + 1] - in->stage_first[s] > 1;
        }
}

bool br_miniature_init(struct br_miniature *m, const struct br_instance *whole, uint32_t tasks)
{
    assert(tasks > 0 && tasks <= whole->tasks);
    *m = (struct br_miniature){.in = *whole};
    struct br_instance *in = &m->in;
    struct br_arena *arena = &m->arena;
    const uint32_t arcs = whole->child_first[whole->stages];
    const size_t demands = (size_t)in->stages * in->resources;
    in->arena = (struct br_arena){0};
    if (!BR_ARRAY(arena, (size_t)in->classes + 1, in->class_first) ||
        !BR_ARRAY(arena, in->resources, in->total) ||
        !BR_ARRAY(arena, (size_t)in->stages + 1, in->stage_first) ||
        !BR_ARRAY(arena, in->stages, in->stage_longest) ||
        !BR_ARRAY(arena, in->stages, in->stage_equal) ||
        !BR_ARRAY(arena, demands + 1, in->demand) || !BR_ARRAY(arena, arcs, in->child) ||
        !BR_ARRAY(arena, arcs, in->parent) || !BR_ARRAY(arena, whole->tasks, m->twin))
        return false;
    memcpy(in->demand, whole->demand, demands * sizeof *in->demand);
    miniature_machines(m, whole, tasks);
    const uint32_t most = miniature_stages(m, whole);
    struct br_sort_item *sort = br_malloc(2 * (size_t)most * sizeof *sort);
    const bool ok = sort && BR_ARRAY(arena, in->tasks, in->duration) &&
                    BR_ARRAY(arena, in->tasks, in->task_stage);
    for (uint32_t s = 0; ok && s < in->stages; s++)
        divide_stage(m, whole, s, sort);
    br_free(sort);
    if (ok) {
        copy_arcs(in, in->child_first, whole->child, in->child);
        copy_arcs(in, in->parent_first, whole->parent, in->parent);
    }
    return ok;
}

void br_miniature_finish(struct br_miniature *m)
{
    br_arena_finish(&m->arena);
}
