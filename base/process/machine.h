/* The part of the machine that this process may use: limited by its control groups and processors,
 * as in a container. */
#ifndef BR_BASE_PROCESS_MACHINE_H
#define BR_BASE_PROCESS_MACHINE_H

#include <stdint.h>

struct br_machine {
    uint32_t processors;  /* at least 1; a quota of one and a half counts as two */
    int64_t memory_bytes; /* 0: unknown */
    /* Capacity of the machine itself, if that is more; else 0. */
    uint32_t all_processors;
    int64_t all_memory_bytes;
};

/* Reads the affinity, the memory, and the limits of the control group and of enclosing ones,
 * versions 1 and 2. Reads a few small files. */
void br_machine_ask(struct br_machine *machine);
/* Total idle time of the affinity's processors since the boot, to a hundredth of a second each; -1:
 * unknown. */
int64_t br_machine_idle_ns(void);
/* Lowers the machine to the limits of the groups named in `groups`, mounted as in `mounts`: files
 * such as /proc/self/cgroup and /proc/self/mountinfo. */
void br_machine_limit(struct br_machine *machine, const char *groups, const char *mounts);

#endif
