/* Other processes, as /proc shows them. A pid alone may by now belong to another process, so
 * signals go through a descriptor that is opened before the process is examined: the process
 * examined gets the signal, or none does. */
#ifndef BR_RUNTIME_DRIVERS_COMMON_PROC_H
#define BR_RUNTIME_DRIVERS_COMMON_PROC_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct br_proc {
    pid_t pid, parent, group;
    bool over;      /* it has ended, and its parent has not collected it yet */
    uint64_t start; /* ticks since the machine booted; with pid it names the process */
};

/* False if there is no such process, or /proc does not show it. */
bool br_proc_read(pid_t pid, struct br_proc *proc);
/* All processes, by number; the caller's to free. NULL without /proc or memory. */
struct br_proc *br_proc_list(uint32_t *count);
/* Does the environment with which the process began hold all of the texts ("NAME=value",
 * NULL-terminated; one at least)? A process in the middle of execve has none for a moment; this
 * waits for it, at most a second. */
bool br_proc_carries(pid_t pid, const char *const *text);
/* Does the process have that pid, here or in its container? */
bool br_proc_is_known_as(pid_t pid, pid_t number);
/* Sends the signal (0: none) if that very process still runs and carries the texts (NULL: any).
 * False if it does not, or may not be signalled. */
bool br_proc_signal(const struct br_proc *proc, const char *const *text, int number);

#endif
