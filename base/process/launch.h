/* Starting a process that is nobody's but ours: what it needs besides its words. */
#ifndef BR_BASE_PROCESS_LAUNCH_H
#define BR_BASE_PROCESS_LAUNCH_H

#include <stdbool.h>
#include <sys/types.h>

struct br_launch {
    const char *program; /* a path, or a name without a slash, which is looked for along PATH */
    char *const *argv;   /* NULL-terminated */
    char *const *environment; /* NULL-terminated; NULL: this program's */
    const char *directory;    /* where it runs; NULL: here */
    int stream[3];   /* what becomes its standard streams; borrowed; -1: /dev/null to read from */
    bool foreground; /* in this program's process group: it may read from the terminal, and Ctrl-C
                        there is meant for it, too */
};

/* Starts it, in a process group of its own if not in the foreground, with all signals as programs
 * expect them. Returns 0 and the number, or the errno of what failed. */
int br_launch(const struct br_launch *how, pid_t *pid);

/* A file without a name in $TMPDIR (/tmp), which is appended to and is gone with its last
 * descriptor; in memory where the file system has no such files. Returns a descriptor that programs
 * do not inherit, or -1 with errno. */
int br_unnamed_file(void);

/* Lets this program have more descriptors open than most systems give at first. Not without end: it
 * is inherited, and some programs close all that they might have open. */
void br_raise_descriptors(void);

#endif
