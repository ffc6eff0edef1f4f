/* Commands that run while this program waits, and what they used. */
#ifndef BR_CLI_TERMINAL_CHILD_H
#define BR_CLI_TERMINAL_CHILD_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/process/launch.h"
#include "runtime/drivers/local/guard.h"

struct cli_usage {
    int status;        /* as waitpid returns it */
    int64_t wall_ns;   /* from start to end */
    int64_t cpu_ns;    /* of the command and the processes that it has waited for */
    int64_t mem_bytes; /* peak resident memory of the largest of these processes */
};

/* Runs the command, a list that ends with NULL and is looked for along PATH, and waits for it.
 * `beside`: its standard output goes where standard error goes. Returns 0, or the errno if it could
 * not start. */
int cli_child_run(char *const *argument, bool beside, struct cli_usage *usage);
/* Starts it in a group of its own and waits for it. Ctrl-C, SIGTERM and SIGHUP end that group; then
 * cli_interrupted() is true, and the caller cleans up and calls cli_interrupt_die. *status is as
 * waitpid returns it. Returns 0, or the errno if it could not start. */
int cli_child_ask(const struct br_launch *how, int *status);
/* Is the program along PATH, as a file that may be run? Writes its path. */
bool cli_find_program(const char *program, char path[PATH_MAX]);
/* The exit status that a shell would give: that of the command, or 128 and the signal's number. */
int cli_child_exit(int status);

/* From here on all children carry a mark, by which they are killed if this program is killed. Call
 * br_guard_end when they have ended. If this program is killed, the file and the folder (NULL:
 * none) are removed, and tokens of the jobserver (NULL: none) given back, too. */
struct br_guard cli_guard_children(const struct br_own_file *file, const char *folder,
                                   const struct br_jobserver *jobserver);

#endif
