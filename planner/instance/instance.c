/* What instances of whole jobs and of parts have in common. */
#include "planner/instance/instance.h"

#include <assert.h>

#include "base/collections/csr.h"
#include "base/collections/memory.h"
#include "base/numbers/wide.h"

bool br_instance_allocate(struct br_instance *in, struct br_arena *arena, uint32_t arcs)
{
    return BR_ARRAY(arena, (size_t)in->stages + 1, in->stage_first) &&
           BR_ARRAY(arena, in->tasks, in->task_stage) && BR_ARRAY(arena, in->tasks, in->duration) &&
           BR_ARRAY(arena, in->stages, in->stage_longest) &&
           BR_ARRAY(arena, in->stages, in->stage_equal) &&
           BR_ARRAY(arena, (size_t)in->stages * in->resources + 1, in->demand) &&
           BR_ARRAY(arena, in->tasks, in->task_origin) &&
           BR_ARRAY(arena, in->stages, in->topological) &&
           BR_ARRAY(arena, in->stages, in->position) &&
           BR_ARRAY(arena, br_csr_room(in->stages), in->child_first) &&
           BR_ARRAY(arena, arcs, in->child) &&
           BR_ARRAY(arena, br_csr_room(in->stages), in->parent_first) &&
           BR_ARRAY(arena, arcs, in->parent);
}

void br_instance_describe(struct br_instance *in)
{
    for (uint32_t s = 0; s < in->stages; s++) {
        int64_t first = in->duration[in->stage_first[s]], longest = first;
        bool equal = true;
        for (uint32_t t = in->stage_first[s]; t < in->stage_first[s + 1]; t++) {
            in->task_stage[t] = s;
            if (in->duration[t] > longest)
                longest = in->duration[t];
            equal &= in->duration[t] == first;
        }
        in->stage_longest[s] = longest;
        in->stage_equal[s] = equal;
    }
    for (uint32_t k = 0; k < in->stages; k++)
        in->position[in->topological[k]] = k;
}

bool br_instance_fits_some_class(const struct br_instance *in, uint32_t stage)
{
    const int64_t *demand = in->demand + (size_t)stage * in->resources;
    for (uint32_t c = 0; c < in->classes; c++) {
        const int64_t *capacity = in->capacity + (size_t)c * in->resources;
        uint32_t r = 0;
        while (r < in->resources && demand[r] <= capacity[r])
            r++;
        if (r == in->resources)
            return true;
    }
    return false;
}

/* Are parents before their children in the topological order, arcs sorted and equal from both ends,
 * and is every stage where `position` says? */
static bool arcs_are_sound(const struct br_instance *in)
{
    uint32_t arcs = in->child_first[in->stages];
    for (uint32_t s = 0; s < in->stages; s++) {
        if (in->topological[in->position[s]] != s)
            return false;
        for (uint32_t a = in->child_first[s]; a < in->child_first[s + 1]; a++)
            if (in->position[in->child[a].stage] <= in->position[s] ||
                (a > in->child_first[s] && in->child[a - 1].stage >= in->child[a].stage))
                return false;
        for (uint32_t a = in->parent_first[s]; a < in->parent_first[s + 1]; a++)
            if (in->position[in->parent[a].stage] >= in->position[s] ||
                (a > in->parent_first[s] && in->parent[a - 1].stage >= in->parent[a].stage))
                return false;
    }
    return in->parent_first[in->stages] == arcs;
}

/* Are amounts and durations 0 or more, does every demand fit some machine, and are the totals the
 * sums over all machines? */
static bool amounts_are_sound(const struct br_instance *in)
{
    for (uint32_t r = 0; r < in->resources; r++) {
        int64_t total = 0;
        for (uint32_t c = 0; c < in->classes; c++) {
            int64_t capacity = in->capacity[(size_t)c * in->resources + r];
            if (capacity < 0)
                return false;
            total += capacity * (in->class_first[c + 1] - in->class_first[c]);
        }
        if (total != in->total[r])
            return false;
        for (uint32_t s = 0; s < in->stages; s++)
            if (in->demand[(size_t)s * in->resources + r] < 0)
                return false;
    }
    for (uint32_t s = 0; s < in->stages; s++)
        if (!br_instance_fits_some_class(in, s))
            return false;
    for (uint32_t t = 0; t < in->tasks; t++)
        if (in->duration[t] < 0)
            return false;
    return true;
}

bool br_instance_is_sound(const struct br_instance *in)
{
    return arcs_are_sound(in) && amounts_are_sound(in);
}

void br_instance_destroy(struct br_instance *instance)
{
    if (!instance)
        return;
    br_arena_finish(&instance->arena);
    br_free(instance);
}

uint32_t br_instance_machine_class(const struct br_instance *instance, uint32_t machine)
{
    uint32_t low = 0, high = instance->classes;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (instance->class_first[middle] <= machine)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static int64_t gcd(int64_t a, int64_t b)
{
    while (b) {
        int64_t c = a % b;
        a = b;
        b = c;
    }
    return a;
}

int64_t br_instance_holds(const struct br_instance *in, uint32_t cls, uint32_t stage, int64_t most)
{
    const int64_t *demand = in->demand + (size_t)stage * in->resources;
    const int64_t *capacity = in->capacity + (size_t)cls * in->resources;
    for (uint32_t r = 0; r < in->resources; r++)
        if (demand[r] > 0 && capacity[r] / demand[r] < most)
            most = capacity[r] / demand[r];
    return most;
}

int64_t br_instance_scarce_unit(const struct br_instance *in, uint32_t resource)
{
    int64_t unit = 0;
    br_wide sum = 0;
    for (uint32_t t = 0; t < in->tasks; t++) {
        int64_t demand = in->demand[(size_t)in->task_stage[t] * in->resources + resource];
        if (in->duration[t] == 0 || demand == 0)
            continue;
        unit = gcd(demand, unit);
        sum += demand;
    }
    assert(sum <= in->capacity[resource] || unit > 0);
    return sum > in->capacity[resource] ? unit : 0;
}
