/* bigrocks import snakemake: makes a job of a workflow. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text/text.h"
#include "cli/builders/snakemake_ask.h"
#include "cli/import/import.h"
#include "cli/inputs/load.h"
#include "cli/options/commands.h"
#include "cli/terminal/say.h"
#include "parsers/snakemake/snakemake.h"

static const int64_t preset_ns = INT64_C(1000000000);

static void import_snakemake_say_report(const struct br_snakemake_report *report)
{
    const struct {
        uint32_t count;
        const char *what;
    } known[] = {{report->recorded, "with the duration of the last run"},
                 {report->declared, "with that of duration_s"},
                 {report->of_rule, "with the median of their rule"},
                 {report->limit, "with their limit, runtime"},
                 {report->preset, "with 1 s because nothing is known"}};
    fprintf(stderr, "bigrocks: ");
    cli_print_count(stderr, report->jobs, "job", "jobs");
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        if (known[k].count)
            fprintf(stderr, ", %" PRIu32 " %s", known[k].count, known[k].what);
    fputc('\n', stderr);
}

static bool import_snakemake_is_limited(const struct br_cluster *cluster, const char *resource)
{
    for (uint32_t k = 0; k < cluster->cls[0].capacities; k++)
        if (strcmp(cluster->cls[0].capacity[k].resource, resource) == 0)
            return true;
    return br_cluster_shared(cluster, resource) != NULL;
}

/* Snakemake does not limit a resource that the capacity omits: it gets the sum of all jobs'
 * demands. */
static enum br_status add_unlimited(struct br_input *input, bool quiet, struct br_diag *diag)
{
    const struct br_dag *dag = input->dag;
    for (uint32_t r = 0; r < dag->resources; r++) {
        const char *name = dag->resource[r].name;
        int64_t sum = 0;
        char amount[32];
        if (import_snakemake_is_limited(input->cluster, name))
            continue;
        for (uint32_t d = 0; d < dag->demands; d++) {
            int64_t whole = br_decimal_ceil(dag->demand[d].amount);
            if (dag->demand[d].resource == r && __builtin_add_overflow(sum, whole, &sum))
                sum = INT64_MAX / 4;
        }
        for (uint32_t o = 0; dag->storage && o < dag->storage->outputs; o++) {
            int64_t whole = br_decimal_ceil(dag->storage->output[o].amount);
            if (dag->storage->output[o].resource == r && __builtin_add_overflow(sum, whole, &sum))
                sum = INT64_MAX / 4;
        }
        snprintf(amount, sizeof amount, "%" PRId64, sum);
        enum br_status status = br_cluster_add_capacity(input->cluster, 0, name, amount, diag);
        if (status)
            return status;
        if (!quiet)
            cli_say("no limit of %.80s is given, so that it keeps nothing waiting; --capacity "
                    "limits it",
                    name);
    }
    return BR_OK;
}

/* The folder's whole path, for the job. */
static const char *import_snakemake_name_of(const char *folder, char path[PATH_MAX])
{
    return realpath(folder, path) && br_text_is_plain(path) ? path : "workflow";
}

static enum br_status import_snakemake_read_workflow(const struct cli_settings *settings,
                                                     const char *const *argument,
                                                     uint32_t arguments, struct br_input *input,
                                                     struct br_snakemake_report *report,
                                                     struct br_diag *diag)
{
    const struct cli_import_settings *import = &settings->import;
    struct br_cluster *demand = NULL;
    char path[64], folder[PATH_MAX];
    int fd = -1;
    enum br_status status = cli_import_machine(settings, input, &demand, diag);
    br_cluster_destroy(demand);
    if (status)
        return status;
    int64_t cores = br_decimal_ceil(br_cluster_capacity(input->cluster, 0, "cpu"));
    const struct cli_snakemake_question question = {.folder =
                                                        import->directory ? import->directory : ".",
                                                    .file = import->file,
                                                    .argument = argument,
                                                    .arguments = arguments,
                                                    .cores = cores < 1           ? 1
                                                             : cores < INT32_MAX ? (uint32_t)cores
                                                                                 : INT32_MAX,
                                                    .dirty = import->dirty};
    const struct br_snakemake_options options = {
        .name = import_snakemake_name_of(question.folder, folder), .preset_ns = preset_ns};
    status = cli_snakemake_ask(&question, &fd, diag);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (!status)
        status = br_parse_snakemake(path, &options, input, report, diag);
    if (fd >= 0)
        close(fd);
    return status ? status : add_unlimited(input, settings->output.quiet, diag);
}

int cli_import_snakemake(const struct cli_settings *settings, const char *const *argument,
                         uint32_t arguments, struct br_diag *diag)
{
    struct br_input input = {0};
    struct br_snakemake_report report;
    if (settings->import.measure || settings->needs.demand)
        return br_fail(diag, BR_USAGE, "Snakemake knows threads, resources and its last run",
                       "--%s is for ninja and make",
                       settings->import.measure ? "measure" : "demand");
    enum br_status status =
        import_snakemake_read_workflow(settings, argument, arguments, &input, &report, diag);
    if (!status && !settings->output.quiet)
        import_snakemake_say_report(&report);
    if (!status)
        cli_warn_reading(settings->import.file ? settings->import.file : "Snakefile", input.dag);
    if (!status)
        status = cli_import_write(settings, &input, diag);
    br_input_finish(&input);
    return status;
}
