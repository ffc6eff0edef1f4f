/* The steps of an import. Internal to `import`, but for cli_read_ninja and cli_import_name, which
 * `build` uses, too. */
#ifndef BR_CLI_IMPORT_IMPORT_H
#define BR_CLI_IMPORT_IMPORT_H

#include <bigrocks/cluster.h>
#include <bigrocks/dag.h>

#include "cli/options/settings.h"
#include "parsers/ninja/build.h"
#include "store/history/history.h"

/* Reads a build of ninja with the machine and the demands of the settings; `options` has the rest.
 * The input is the caller's to finish, also on failure. */
enum br_status cli_read_ninja(const struct cli_settings *settings,
                              const struct br_ninja_options *options, struct br_input *input,
                              struct br_ninja_report *report, struct br_diag *diag);

/* The machine that goes with a build, and the demand of a command, from the settings. Both are the
 * caller's, also on failure. */
enum br_status cli_import_machine(const struct cli_settings *settings, struct br_input *input,
                                  struct br_cluster **demand, struct br_diag *diag);
/* Gives the job the name in the settings, if there is one. */
enum br_status cli_import_name(const struct cli_import_settings *import, struct br_dag *dag,
                               struct br_diag *diag);
/* Measures the commands if asked for, applies the history, and writes the job. */
enum br_status cli_import_write(const struct cli_settings *settings, struct br_input *input,
                                struct br_diag *diag);
/* 'bigrocks import make' and 'import snakemake' with the arguments after these words. */
int cli_import_make(const struct cli_settings *settings, const char *const *argument,
                    uint32_t arguments, struct br_diag *diag);
int cli_import_snakemake(const struct cli_settings *settings, const char *const *argument,
                         uint32_t arguments, struct br_diag *diag);

/* 'bigrocks import queries' with the files that follow. */
int cli_import_queries(const struct cli_settings *settings, const char *const *argument,
                       uint32_t arguments, struct br_diag *diag);

/* 'bigrocks import spark-profile' with the event logs that follow. */
int cli_import_spark_profile(const struct cli_settings *settings, const char *const *argument,
                             uint32_t arguments, struct br_diag *diag);

/* Runs the commands of a job, whose stages have one task and a shell script each, one after
 * another, parents first. Writes the usage of each to the history as it ends; afterwards ninja's
 * records contain them all. Their output goes to standard error, and the progress to a terminal.
 * BR_NO if one fails; the results before it are kept. An interrupt keeps them, too, and ends the
 * program as by the signal. */
enum br_status cli_measure_job(struct br_history *history, const struct br_dag *dag, bool quiet,
                               struct br_diag *diag);

#endif
