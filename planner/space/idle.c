/* The tree. Leaves beyond the last machine are neither idle nor busy. */
#include "planner/space/idle.h"

#include "base/collections/memory.h"
#include "base/invariant.h"

bool br_idle_init(struct br_idle *idle, uint32_t machines)
{
    for (idle->leaves = 1; idle->leaves < machines; idle->leaves *= 2)
        ;
    idle->node = br_malloc(2 * (size_t)idle->leaves * sizeof *idle->node);
    if (!idle->node)
        return false;
    for (uint32_t m = 0; m < idle->leaves; m++)
        idle->node[idle->leaves + m] =
            (struct br_idle_node){m < machines ? INT64_MIN : INT64_MAX, INT64_MIN};
    for (uint32_t k = idle->leaves - 1; k; k--)
        idle->node[k] = idle->node[2 * k]; /* the least is that of the first machine below */
    return true;
}

void br_idle_finish(struct br_idle *idle)
{
    br_free(idle->node);
    *idle = (struct br_idle){0};
}

/* Do the nodes above the machine hold the least and the most of the values below them? */
static bool idle_path_is_sound(const struct br_idle *idle, uint32_t machine)
{
    const struct br_idle_node *node = idle->node;
    for (uint32_t k = (idle->leaves + machine) / 2; k; k /= 2) {
        const struct br_idle_node *a = &node[2 * k], *b = &node[2 * k + 1];
        if (node[k].least != (a->least < b->least ? a->least : b->least) ||
            node[k].most != (a->most > b->most ? a->most : b->most))
            return false;
    }
    return true;
}

void br_idle_set(struct br_idle *idle, uint32_t machine, int64_t time)
{
    struct br_idle_node *node = idle->node;
    uint32_t k = idle->leaves + machine;
    assert(machine < idle->leaves);
    if (node[k].least == time)
        return;
    node[k] = (struct br_idle_node){time, time};
    while (k /= 2) {
        const struct br_idle_node *a = &node[2 * k], *b = &node[2 * k + 1];
        int64_t least = a->least < b->least ? a->least : b->least;
        int64_t most = a->most > b->most ? a->most : b->most;
        if (node[k].least == least && node[k].most == most)
            break;
        node[k] = (struct br_idle_node){least, most};
    }
    br_costly_assert(idle_path_is_sound(idle, machine));
}

static bool some_below(const struct br_idle_node *node, int64_t time, bool wanted)
{
    return wanted ? node->least <= time : node->most > time;
}

uint32_t br_idle_next(const struct br_idle *idle, uint32_t from, int64_t time, bool wanted)
{
    if (from >= idle->leaves)
        return UINT32_MAX;
    uint32_t k = idle->leaves + from;
    while (!some_below(&idle->node[k], time, wanted)) {
        while (k & 1) /* the last below its parent */
            k /= 2;
        if (k == 0)
            return UINT32_MAX;
        k++;
    }
    while (k < idle->leaves) {
        k *= 2;
        k += !some_below(&idle->node[k], time, wanted);
    }
    return k - idle->leaves;
}
