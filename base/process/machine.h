/* What this process may use of the machine: not more than its control groups and its processors
 * allow, as in a container. */
#ifndef BR_BASE_PROCESS_MACHINE_H
#define BR_BASE_PROCESS_MACHINE_H

#include <stdint.h>

struct br_machine {
    uint32_t processors;  /* at least 1; a quota of one and a half counts as two */
    int64_t memory_bytes; /* 0: nobody knows */
    /* What there is of the machine itself, if that is more; else 0. */
    uint32_t all_processors;
    int64_t all_memory_bytes;
};

/* Looks at the affinity, at the memory, and at the limits of the control group and of those around
 * it, versions 1 and 2. Reads a few small files. */
void br_machine_ask(struct br_machine *machine);
/* How long the processors of the affinity have had nothing to do since the machine was started, all
 * of them together, to a hundredth of a second each; -1: nobody knows. */
int64_t br_machine_idle_ns(void);
/* Lowers what there is to the limits of the groups that `groups` names, mounted as `mounts` says:
 * files such as /proc/self/cgroup and /proc/self/mountinfo. */
void br_machine_limit(struct br_machine *machine, const char *groups, const char *mounts);

#endif
