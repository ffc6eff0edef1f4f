/* The options of 'train': from the command line, or from a file that spells them out. */
#ifndef BR_CLUSTER_EXECUTORS_COMMAND_TRAIN_OPTIONS_H
#define BR_CLUSTER_EXECUTORS_COMMAND_TRAIN_OPTIONS_H

#include "base/collections/arena.h"
#include "cli/options/settings.h"
#include "cluster/executors/train/course.h"

/* The options of a training, except its jobs. BR_USAGE with the fault. */
enum br_status cli_train_options(const struct cli_settings *settings,
                                 struct br_train_options *options, struct br_course_options *course,
                                 struct br_diag *diag);
/* Is the file one of options, by its ending? */
bool cli_train_is_file(const char *path);
/* Reads lines "option = value" into the settings, as if they were given as --option=value, and
 * "jobs = PATH" into *jobs. Values may be quoted; # begins a comment. Texts live in the arena.
 * BR_BAD_INPUT with the line. */
enum br_status cli_train_read(const char *path, struct br_arena *arena,
                              struct cli_settings *settings, const char **jobs,
                              struct br_diag *diag);
/* The command that makes the model again, from the arena; NULL when memory is out. */
const char *cli_train_command(const struct cli_settings *settings, const char *const *argument,
                              uint32_t arguments, struct br_arena *arena);

extern const struct br_option cli_train_rows[];
void cli_train_set_defaults(struct cli_settings *settings);

#endif
