/* The files of a spool folder: where a job's file is says how far the job is.
 *
 *   new      jobs to be taken, or folders of them, by group
 *   running  jobs that have been taken and are not over
 *   done     jobs that are over, all of whose tasks are done
 *   failed   jobs that are over and are not, or that could not be read
 *   tmp      for writers, who fill a file here and rename it into new; never looked at
 *   journal  what has been done of those in running
 *
 * All moves are renames, so a file is in one place at any moment. Beside a job's file NAME stand
 * NAME.out (what its tasks wrote), NAME.error (how it failed) and NAME.json (its result); they are
 * moved before it. No two jobs in running, done and failed have one name.
 */
#ifndef BR_CLI_RUNNING_INTAKE_FILES_H
#define BR_CLI_RUNNING_INTAKE_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text/diag.h"

enum cli_place { CLI_PLACE_NEW, CLI_PLACE_RUNNING, CLI_PLACE_DONE, CLI_PLACE_FAILED, CLI_PLACES };

/* Lengths of the longest path here, with its NUL, and of the longest name given to a job. */
enum { CLI_INTAKE_PATH = 4096, CLI_INTAKE_NAME = 200 };

/* A file that holds a job. */
struct cli_intake_file {
    char *group; /* its folder; NULL: none */
    char *name;
    int64_t time_ns; /* time of the last write */
};
void cli_intake_file_finish(struct cli_intake_file *file);

/* Makes the missing folders. */
enum br_status cli_intake_make(const char *root, struct br_diag *diag);
/* The path of the file in that place, with the suffix after its name ("" for the file itself).
 * False if it is too long. */
bool cli_intake_path(const char *root, enum cli_place place, const struct cli_intake_file *file,
                     const char *suffix, char path[CLI_INTAKE_PATH]);
/* Has a writer finished with this name? Not if it begins with a dot, or ends in .part or .tmp. */
bool cli_intake_is_name(const char *name);
/* Moves the job's file from new to running, under its own name or, if that is taken, with "~2" and
 * so on after it; too long a name is cut. The file gets the name. Returns 0 or the errno (ENOENT:
 * it has gone). */
int cli_intake_take(const char *root, struct cli_intake_file *file);
/* Moves the job from running to done or failed, its own file last. Returns 0 or the errno. */
int cli_intake_leave(const char *root, enum cli_place to, const struct cli_intake_file *file);
/* Is a program writing to the file now? Asked by a lease, so "no" if the file system has none. */
bool cli_intake_is_open(const char *path);

/* The job files in the place, and their number: in the order of their times, with groups taking
 * turns; an array that is the caller's. Skips other kinds of files. */
enum br_status cli_intake_list(const char *root, enum cli_place place,
                               struct cli_intake_file **files, uint32_t *count,
                               struct br_diag *diag);

#endif
