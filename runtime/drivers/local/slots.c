/* An array that grows, with a list of the free slots in it. */
#include "runtime/drivers/local/slots.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <bigrocks/runtime.h>

void br_slots_init(struct br_slots *slots, struct br_cgroups *cgroups)
{
    *slots = (struct br_slots){.free = BR_ANY, .epoll = -1, .cgroups = cgroups};
}

int br_slots_open(struct br_slots *slots)
{
    slots->epoll = epoll_create1(EPOLL_CLOEXEC);
    return slots->epoll < 0 ? errno : 0;
}

void br_slots_finish(struct br_slots *slots)
{
    if (slots->epoll >= 0)
        close(slots->epoll);
    free(slots->slot);
}

struct br_slot *br_slots_take(struct br_slots *slots, uint32_t *number)
{
    if (slots->free == BR_ANY) {
        uint32_t more = slots->count ? slots->count : 64;
        struct br_slot *slot = realloc(slots->slot, (size_t)(slots->count + more) * sizeof *slot);
        if (!slot)
            return NULL;
        slots->slot = slot;
        for (uint32_t k = 0; k < more; k++)
            slot[slots->count + k] = (struct br_slot){
                .process = {.pid = -1, .watch = -1, .output = -1, .script = -1},
                .group = -1,
                .next = k + 1 < more ? slots->count + k + 1 : BR_ANY,
            };
        slots->free = slots->count;
        slots->count += more;
    }
    assert(slots->free < slots->count);
    *number = slots->free;
    slots->free = slots->slot[*number].next;
    assert(slots->slot[*number].process.pid <= 0);
    return &slots->slot[*number];
}

void br_slots_give(struct br_slots *slots, uint32_t number)
{
    /* Done explicitly, since closing need not be enough: a child that has just been started still
     * holds a copy of every descriptor for a moment. */
    assert(number < slots->count);
    struct br_process *process = &slots->slot[number].process;
    if (process->watch >= 0)
        epoll_ctl(slots->epoll, EPOLL_CTL_DEL, process->watch, NULL);
    br_process_close(process);
    if (slots->slot[number].group >= 0)
        br_cgroup_remove(slots->cgroups, slots->slot[number].group,
                         slots->slot[number].group_number);
    slots->slot[number] = (struct br_slot){.process = *process, .group = -1, .next = slots->free};
    slots->free = number;
}

bool br_slots_has(const void *context, pid_t leader)
{
    const struct br_slots *slots = context;
    for (uint32_t k = 0; k < slots->count; k++)
        if (slots->slot[k].process.pid == leader)
            return true;
    return slots->told && leader == getpgrp();
}
