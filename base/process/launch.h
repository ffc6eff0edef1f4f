/* Starting a child process: its settings besides its words. */
#ifndef BR_BASE_PROCESS_LAUNCH_H
#define BR_BASE_PROCESS_LAUNCH_H

#include <stdbool.h>
#include <sys/types.h>

struct br_launch {
    const char *program;      /* a path, or a name without a slash, which is searched along PATH */
    char *const *argv;        /* NULL-terminated */
    char *const *environment; /* NULL-terminated; NULL: this program's */
    const char *directory;    /* its working directory; NULL: ours */
    int stream[3];            /* its standard streams; borrowed; -1: /dev/null to read from */
    bool foreground; /* in this program's process group: it may read from the terminal, and gets
                        Ctrl-C there, too */
};

/* Starts it, in a process group of its own if not in the foreground, with default signal handling.
 * Returns 0 and the pid, or the errno of the failed call. */
int br_launch(const struct br_launch *how, pid_t *pid);

/* A nameless file in $TMPDIR (/tmp), opened for appending, which is gone with its last descriptor;
 * in memory if the file system has no such files. Returns a descriptor that programs do not
 * inherit, or -1 with errno. */
int br_unnamed_file(void);

/* Raises this program's limit on open descriptors above the usual initial one. Not to infinity: the
 * limit is inherited, and some programs close all descriptors that might be open. */
void br_raise_descriptors(void);

#endif
