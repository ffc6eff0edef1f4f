/* A control group (cgroup v2) for every task: what the task and all that it starts hold and use is
 * counted together, a limit on memory is kept by the kernel, and all of it can be killed at once.
 *
 * The groups are below a folder of this run, bigrocks.PID-..., in this process's own group or in
 * one that is given. Where something is missing, `why` says what, and the run goes without.
 */
#ifndef BR_RUNTIME_DRIVERS_LOCAL_CGROUP_H
#define BR_RUNTIME_DRIVERS_LOCAL_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/drivers/local/process.h"

struct br_cgroups {
    int parent;    /* descriptor of the group that ours is in; -1: there are no groups */
    int folder;    /* ours, with a group for each task in it */
    int drive;     /* where this process has moved to, to make room for controllers; -1: nowhere */
    pid_t guard;   /* moves along; 0: none */
    bool enabled;  /* memory has been enabled in the parent, by us */
    bool memory;   /* limits and the peak of memory; without it only processor time */
    uint32_t made; /* numbers the groups */
    char name[48];
    char why[240]; /* what is missing; empty: nothing */
};

/* Makes the run's folder in the group at `path` (a folder of a cgroup2 file system), or in this
 * process's own where path is NULL, and enables the memory controller. Where the process is alone
 * in its group it moves into a group of its own below, since a group with processes in it cannot
 * hand controllers on; the guard (0: none) goes with it. Always leaves something to close; false
 * where there are no groups. */
bool br_cgroups_open(struct br_cgroups *groups, const char *path, pid_t guard);
/* Undoes all of it. A group in which something still runs stays, for the next run to remove. */
void br_cgroups_close(struct br_cgroups *groups);

/* A group for one task, held to limit_bytes of memory, swap not counted in but forbidden (0: no
 * limit); *group receives its descriptor, *number what removes it. Returns 0 or the errno. */
int br_cgroup_make(struct br_cgroups *groups, int64_t limit_bytes, int *group, uint32_t *number);
/* Kills all that is in it. */
void br_cgroup_kill(int group);
/* Puts what has been counted into *usage: processor time of all, memory of all together, file
 * caches included. What the kernel does not tell stays. True where a process was killed for want of
 * memory. */
bool br_cgroup_read(int group, struct br_usage *usage);
/* Closes the descriptor, and removes the group if nothing runs in it any more. */
void br_cgroup_remove(struct br_cgroups *groups, int group, uint32_t number);

#endif
