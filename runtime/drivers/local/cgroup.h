/* A control group (cgroup v2) for every task: the usage of the task and all its processes is
 * counted together, the kernel keeps a limit on memory, and all of them can be killed at once.
 *
 * The groups are below a folder of this run, bigrocks.PID-..., in this process's own group or in a
 * given one. If something is missing, `why` says what, and the run does without.
 */
#ifndef BR_RUNTIME_DRIVERS_LOCAL_CGROUP_H
#define BR_RUNTIME_DRIVERS_LOCAL_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/drivers/local/process.h"

struct br_cgroups {
    int parent;    /* descriptor of the group that holds ours; -1: there are no groups */
    int folder;    /* ours, with a group for each task in it */
    int drive;     /* where this process has moved, to make room for controllers; -1: nowhere */
    pid_t guard;   /* moves along; 0: none */
    bool enabled;  /* we have enabled memory in the parent */
    bool memory;   /* memory limits and peaks are available; else only processor time */
    uint32_t made; /* numbers the groups */
    char name[48];
    char why[240]; /* the missing part; empty: nothing */
};

/* Makes the run's folder in the group at `path` (a folder of a cgroup2 file system), or in this
 * process's own if path is NULL, and enables the memory controller. If the process is alone in its
 * group, it moves into a group of its own below, since a group with processes in it cannot pass on
 * controllers; the guard (0: none) goes with it. Always to be closed; false if there are no groups.
 */
bool br_cgroups_open(struct br_cgroups *groups, const char *path, pid_t guard);
/* Undoes all of it. A group with running processes stays, for the next run to remove. */
void br_cgroups_close(struct br_cgroups *groups);

/* A group for one task with a limit of limit_bytes of memory (0: no limit); swap is forbidden and
 * not counted. *group receives its descriptor, *number the number that removes it. Returns 0 or the
 * errno. */
int br_cgroup_make(struct br_cgroups *groups, int64_t limit_bytes, int *group, uint32_t *number);
/* Kills all processes in it. */
void br_cgroup_kill(int group);
/* Writes the counts into *usage: processor time of all, memory of all together, file caches
 * included. Fields that the kernel does not report stay. True if a process was killed because
 * memory ran out. */
bool br_cgroup_read(int group, struct br_usage *usage);
/* Closes the descriptor, and removes the group if nothing runs in it any more. */
void br_cgroup_remove(struct br_cgroups *groups, int group, uint32_t number);

#endif
