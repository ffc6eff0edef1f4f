/* The running processes, and the purpose of each. */
#ifndef BR_RUNTIME_DRIVERS_LOCAL_SLOTS_H
#define BR_RUNTIME_DRIVERS_LOCAL_SLOTS_H

#include "runtime/drivers/local/cgroup.h"
#include "runtime/drivers/local/process.h"

struct br_driver_job;

/* A process and its purpose. */
struct br_slot {
    struct br_driver_job *job;
    struct br_process process; /* its pid is positive while it runs */
    int group;                 /* its control group; -1: none */
    uint32_t group_number;
    uint32_t task, machine, next; /* next: free slot */
    int64_t start_ns;
    int64_t unseen_ns;      /* it may have started this much later than start_ns */
    int64_t awake_start_ns; /* on the clock of the limits, see awake.h */
    int64_t asked_ns;       /* when it was asked to end, on the same clock; 0: not yet */
    bool timed_out, killed;
};

/* Slots are numbered; the free ones are a list. */
struct br_slots {
    struct br_slot *slot;
    uint32_t count, free, running; /* free: the first */
    int epoll;                  /* has the descriptors of all running processes, with their slots */
    struct br_cgroups *cgroups; /* borrowed; may be NULL */
    bool told; /* the terminal has signalled our group, where foreground tasks are */
};

/* Opens no descriptor yet; to be finished, even if nothing else is done. */
void br_slots_init(struct br_slots *slots, struct br_cgroups *cgroups);
/* Returns 0, or the errno. */
int br_slots_open(struct br_slots *slots);
void br_slots_finish(struct br_slots *slots);

/* A free slot and its number; NULL when memory is out. Good until the next is taken. */
struct br_slot *br_slots_take(struct br_slots *slots, uint32_t *number);
/* Closes what the slot has open, and removes its control group. */
void br_slots_give(struct br_slots *slots, uint32_t number);
/* Is that one of the processes, as the leader of its group or in the foreground? For struct br_own;
 * the context is the slots. */
bool br_slots_has(const void *context, pid_t leader);

#endif
