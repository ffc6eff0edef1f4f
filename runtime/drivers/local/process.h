/* One process of a task: started in a group of its own, watched by a descriptor, its output kept in
 * an unnamed file until it ends; or in the foreground, in our group and with the caller's streams.
 */
#ifndef BR_RUNTIME_DRIVERS_LOCAL_PROCESS_H
#define BR_RUNTIME_DRIVERS_LOCAL_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/drivers/common/run.h"

struct br_process {
    pid_t pid;
    int watch;  /* becomes readable when the process ends */
    int output; /* its output, from the beginning; in the foreground: -1 */
    int script; /* the file that its shell reads, if the script is too long for an argument; or -1
                 */
    bool foreground;
};

/* How a process ended. */
struct br_ending {
    bool signalled;
    int code; /* exit status or signal */
    struct br_usage usage;
};

/* Linux takes no argument of this size or more, its NUL counted. */
enum { BR_ARGUMENT_MOST = 131072, BR_SCRIPT_PATH = 64 };
/* An unnamed file with the text, which a shell can read by the path as long as the descriptor is
 * open here. Returns the descriptor, or -1 with errno. */
int br_script_open(const char *text, char path[BR_SCRIPT_PATH]);

/* Starts the program (found along PATH) with the environment, in the directory (NULL: this one),
 * without input; a script without #! is run by /bin/sh, and one of 128 KiB or more for "/bin/sh -c"
 * is given to it as a file. If `group` is not -1, in the control group of that descriptor from its
 * first moment on. If `stream` is not NULL, in the foreground with these standard streams
 * (borrowed; -1: nothing to read). Returns 0, or the errno of what failed; then nothing is left. */
int br_process_start(struct br_process *process, char *const *argv, char *const *environment,
                     const char *directory, int group, const int stream[3]);
/* Sends the signal to the whole group, if it is its own. */
void br_process_signal(const struct br_process *process, int number);
/* Collects the process if it has ended; false if it still runs. If it has failed, first kills the
 * rest of its group, while the pid is its own. */
bool br_process_ended(struct br_process *process, struct br_ending *ending);
/* Closes the descriptors of a process that has been collected. */
void br_process_close(struct br_process *process);

#endif
