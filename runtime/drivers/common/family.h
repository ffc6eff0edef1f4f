/* All processes that a run has started, wherever they have moved to: into sessions of their own,
 * as daemons do, or below another parent, as theirs has ended.
 *
 * Linux lets a process be a "subreaper": what its descendants leave behind becomes its child, and
 * not that of process 1. So the descendants of this process are all that the run has started, and
 * nothing else; unless this process had children before the run began, whose descendants it takes
 * over, too. Then what belongs to the run is known by its environment.
 */
#ifndef BR_RUNTIME_DRIVERS_COMMON_FAMILY_H
#define BR_RUNTIME_DRIVERS_COMMON_FAMILY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The mark that all processes of one session of a run carry in their environment,
 * "BIGROCKS_SESSION=..."; a run that is gone on with has several sessions, each of them one
 * process's. */
enum { BR_MARK = 64 };
/* A mark that no other session has, on any machine. */
void br_mark_make(char mark[BR_MARK]);

struct br_family {
    const char *mark; /* borrowed */
    bool strangers;   /* there were children before */
    bool before;      /* this process was a subreaper before */
};

/* The processes that the driver knows of itself: those that it started, and their groups. */
struct br_own {
    bool (*has)(const void *context, pid_t leader);
    const void *context;
};

void br_family_begin(struct br_family *family, const char *mark);
/* Undoes it. */
void br_family_end(const struct br_family *family);

/* Collects the processes that have ended, but for own ones. False where there is no other child of
 * this process left. */
bool br_family_reap(const struct br_own *own);
/* Has this process a child that is no own one? Quick. */
bool br_family_has_other(const struct br_own *own);
/* Sends the signal (0: none) to all that are not in an own process's group; where `job`, or `job`
 * and `task`, are given ("NAME=value"), to those only that carry these, too. Returns how many there
 * were. */
uint32_t br_family_signal(const struct br_family *family, const struct br_own *own, const char *job,
                          const char *task, int number);

/* Kills all processes on this machine with the mark in their environment, and waits until they are
 * gone. Returns how many there were. */
uint32_t br_kill_marked(const char *mark);

#endif
