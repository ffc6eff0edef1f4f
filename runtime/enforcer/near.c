#include "runtime/enforcer/near.h"

#include <stdlib.h>

#include "base/collections/grow.h"

bool br_near_init(struct br_near *near, struct br_arena *arena, uint32_t machines)
{
    near->machines = machines;
    return BR_ARRAY(arena, machines, near->list);
}

void br_near_finish(struct br_near *near)
{
    for (uint32_t m = 0; near->list && m < near->machines; m++)
        free(near->list[m].task);
}

bool br_near_add(struct br_near *near, uint32_t machine, struct br_near_task task)
{
    struct br_near_list *list = &near->list[machine];
    if (!br_grow(&list->task, list->count, &list->room, sizeof *list->task))
        return false;
    list->task[list->count++] = task;
    return true;
}
