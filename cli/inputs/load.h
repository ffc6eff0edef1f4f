/* Inputs: jobs, clusters and histories as the options name them, and the options of the library's
 * calls. */
#ifndef BR_CLI_INPUTS_LOAD_H
#define BR_CLI_INPUTS_LOAD_H

#include <bigrocks/bigrocks.h>

#include "cli/options/settings.h"
#include "parsers/parsers.h"
#include "runtime/predict/annotate.h"

/* The cluster of --cluster, or of --machines and --capacity, with what --shared adds; NULL if none
 * of them is given. The caller's to destroy. */
enum br_status cli_load_cluster(const struct cli_job_settings *job, struct br_cluster **cluster,
                                struct br_diag *diag);
/* Adds the resources of --shared to the cluster. BR_USAGE. */
enum br_status cli_add_shared(const struct cli_job_settings *job, struct br_cluster *cluster,
                              struct br_diag *diag);
/* This machine's processors and memory that this process may use, as "cpu=8,mem=16777216". */
enum { CLI_MACHINE_TEXT = 96 };
void cli_this_machine(char text[CLI_MACHINE_TEXT]);
/* The threads of --threads; by default the number of processors that this process may use. */
uint32_t cli_threads(const struct cli_search_settings *search);
/* The import options of the settings. */
struct br_parse_options cli_parse_options(const struct cli_job_settings *job);
/* The planning options of the settings, without a stop flag and progress. */
struct br_plan_options cli_plan_options(const struct cli_search_settings *search);
/* The order of --order, completed to one of all tasks of the job; `rest` (may be NULL) is the order
 * of those that it does not name. The caller's, to be freed; NULL if there is no --order. */
enum br_status cli_load_order(const struct cli_search_settings *search, const struct br_dag *dag,
                              const uint32_t *rest, uint32_t **order, struct br_diag *diag);
/* BR_USAGE if --store or --order is combined with something that it does not distinguish:
 * transfers, or a method. */
enum br_status cli_check_store(const struct cli_search_settings *search, struct br_diag *diag);
/* Gives all ports of the cluster the rate of --port-rate. BR_USAGE. */
enum br_status cli_set_ports(struct br_cluster *cluster, const char *rate, struct br_diag *diag);
/* The error if a job needs a cluster, and neither its file nor the options give one. */
enum br_status cli_fail_no_cluster(struct br_diag *diag);

/* BR_USAGE if more than one of these is standard input: the file at path, which is a `what` such as
 * "job", the cluster and the table of durations. */
enum br_status cli_check_standard(const struct cli_job_settings *job, const char *what,
                                  const char *path, struct br_diag *diag);
/* Reads the job at path, and its cluster: from --cluster or --machines and --capacity, else from
 * the job's own file. If there is neither, it is an error if `need_cluster`, else input->cluster is
 * NULL. Release with br_input_finish. */
enum br_status cli_load(const struct cli_job_settings *job, const char *path, bool need_cluster,
                        struct br_input *input, struct br_diag *diag);
/* The unit of the job's resource; NULL if it has none, or the job does not know the resource. */
const char *cli_unit(const struct br_dag *dag, const char *resource);
/* Refuses an amount in bytes, such as "64GiB", of a resource that the job counts in multiples, such
 * as MiB: its suffix would multiply these. BR_USAGE. */
enum br_status cli_check_amount(const struct br_dag *dag, const char *resource, const char *amount,
                                struct br_diag *diag);
/* Why a plan of the job would be worthless, and a hint; else the first thing that its reader left
 * out or assumed; NULL if there is neither. */
const char *cli_doubt(const struct br_dag *dag);
/* Reports on standard error what the reader of the job at the path left out or assumed, and whether
 * its durations are estimates. */
void cli_warn_reading(const char *path, const struct br_dag *dag);
/* Reports that, and why a plan of the job would be worthless. */
void cli_warn(const char *path, const struct br_dag *dag);
/* Warns if a lower bound exceeds the duration of the recorded run, on no fewer cores than that had:
 * then the job is not what ran. */
void cli_warn_bound(const char *path, const struct br_dag *dag, const struct br_cluster *cluster,
                    int64_t bound_ns);

/* Is there a job of that name in the history? Else the text lists the jobs: "'a' (2 runs)". */
struct cli_history_jobs {
    const char *name; /* set by the caller, the others 0 */
    bool known;
    char text[1400];
    size_t used;
    uint32_t told, more;
};
enum br_status cli_look_for_job(struct br_history *history, struct cli_history_jobs *jobs,
                                struct br_diag *diag);
/* Reports that the history knows the job under another name, with the same stages. */
void cli_say_alike(const char *path, const struct br_dag *dag, const char *alike);
/* Creates the history if there is none, to be written later. */
enum br_status cli_make_history(const char *path, struct br_diag *diag);
/* Opens the history in the file to read the job's figures: under the job's name, else under that of
 * a job with the same stages, which is reported unless quiet. If it knows neither, reports the jobs
 * in the file. */
enum br_status cli_open_history(const char *path, const struct br_dag *dag, bool quiet,
                                struct br_history **history, struct br_diag *diag);
/* Reports how much of the job the history knows, and how certain that is. */
void cli_say_known(const struct br_annotate_report *report);
/* Replaces the job by one with the figures of the history, and reports their number unless quiet.
 * *known (may be NULL): the number of stages that it knows. */
enum br_status cli_annotate_input(struct br_history *history, struct br_input *input, bool quiet,
                                  uint32_t *known, struct br_diag *diag);
/* cli_annotate_input with the history in the file. */
enum br_status cli_learn(const char *path, struct br_input *input, bool quiet,
                         struct br_diag *diag);

#endif
