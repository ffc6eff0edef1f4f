/* All processes that a run has started, wherever they have moved: into sessions of their own, as
 * daemons do, or under another parent, since theirs has ended.
 *
 * Linux lets a process be a "subreaper": orphans among its descendants become its children, not
 * those of process 1. So the descendants of this process are exactly the processes that the run has
 * started, unless this process had children before the run: it takes over their descendants, too.
 * Then the environment shows which processes belong to the run.
 */
#ifndef BR_RUNTIME_DRIVERS_COMMON_FAMILY_H
#define BR_RUNTIME_DRIVERS_COMMON_FAMILY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The mark that all processes of one session of a run carry in their environment,
 * "BIGROCKS_SESSION=..."; a resumed run has several sessions, each of one process. */
enum { BR_MARK = 64 };
/* A mark that no other session has, on any machine. */
void br_mark_make(char mark[BR_MARK]);

struct br_family {
    const char *mark; /* borrowed */
    bool strangers;   /* there were other children before */
    bool before;      /* this process was a subreaper before */
};

/* Processes known to the driver: those that it started, and their groups. */
struct br_own {
    bool (*has)(const void *context, pid_t leader);
    const void *context;
};

void br_family_begin(struct br_family *family, const char *mark);
/* Undoes it. */
void br_family_end(const struct br_family *family);

/* Collects the ended processes, except own ones. False if this process has no other child left. */
bool br_family_reap(const struct br_own *own);
/* Does this process have a child that is not an own one? Quick. */
bool br_family_has_other(const struct br_own *own);
/* Sends the signal (0: none) to all processes outside the groups of own ones; if `job`, or `job`
 * and `task`, are given ("NAME=value"), only to those that carry these, too. Returns their number.
 */
uint32_t br_family_signal(const struct br_family *family, const struct br_own *own, const char *job,
                          const char *task, int number);

/* Kills all processes on this machine with the mark in their environment, and waits until they are
 * gone. Returns how many there were. */
uint32_t br_kill_marked(const char *mark);

#endif
