/* The jobs of a workload: from files, folders of files, kinds of generated jobs, or a workload. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/numbers/real.h"
#include "cli/inputs/job_list.h"
#include "cli/inputs/load.h"
#include "cli/terminal/say.h"
#include "cluster/workload/command/record_options.h"
#include "cluster/workload/command/workloads.h"
#include "cluster/workload/make.h"
#include "cluster/workload/read/made.h"

enum br_status cli_read_number(const struct cli_range *range, const char *text, double *value,
                               struct br_diag *diag)
{
    struct br_decimal decimal;
    if (!br_decimal_parse_nearest(text, &decimal)) {
        *value = br_real_of(decimal);
        if (*value >= range->least && *value <= range->most)
            return BR_OK;
    }
    return br_fail(diag, BR_USAGE, range->hint, "--%s '%.80s' is no number in its range",
                   range->option, text);
}

/* ---- Job files ---- */

static enum br_status add_file(struct br_workload *workload, const char *path,
                               const struct br_parse_options *options, struct br_diag *diag)
{
    struct br_input input;
    uint32_t number;
    enum br_status status = br_parse_job(path, options, &input, diag);
    if (status)
        return status;
    struct br_dag *dag = input.dag;
    input.dag = NULL;
    br_input_finish(&input);
    return br_workload_add_dag(workload, dag, path, NULL, &number, diag);
}

static enum br_status workloads_jobs_add_folder(struct br_workload *workload, const char *path,
                                                const struct br_parse_options *options,
                                                struct br_diag *diag)
{
    struct cli_job_list list;
    enum br_status status = cli_job_list_read(&list, path, options->from != NULL, diag);
    for (uint32_t k = 0; k < list.count && !status; k++) {
        char *file = cli_job_list_path(&list, k);
        status = file ? add_file(workload, file, options, diag) : br_fail_memory(diag);
        free(file);
    }
    cli_job_list_finish(&list);
    return status;
}

static bool is_folder(const char *path)
{
    struct stat about;
    return strcmp(path, "-") != 0 && stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static bool jobs_is_workload(const char *path)
{
    return strcmp(path, "-") == 0 || br_workload_recognise(path);
}

/* A name that a workload got from its file does not count as its own. */
static void drop_name(struct br_workload *workload, const char *path)
{
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    size_t length = workload->name ? strlen(workload->name) : 0;
    if (strcmp(path, "-") == 0 ||
        (length && strncmp(file, workload->name, length) == 0 && strchr(".", file[length])))
        workload->name = NULL;
}

static enum br_status jobs_read_workload(const struct cli_settings *settings, const char *path,
                                         struct br_workload **workload, struct br_diag *diag)
{
    struct br_workload_options options = cli_workload_options(settings);
    enum br_status status = br_parse_workload(path, &options, workload, diag);
    if (!status)
        drop_name(*workload, path);
    if (!status && (*workload)->note && !settings->output.quiet)
        cli_say("%s: %s", path, (*workload)->note);
    return status;
}

/* ---- Generated jobs ---- */

static enum br_status make_jobs(const struct cli_settings *settings, struct br_workload *workload,
                                struct br_diag *diag)
{
    const struct cli_workload_settings *make = &settings->workload;
    struct br_generate_options options = br_generate_options_default();
    char name[BR_MADE_NAME], seed[24];
    options.kind = make->like;
    options.tasks = (uint32_t)settings->generate.tasks;
    options.stages = (uint32_t)settings->generate.stages;
    if (!make->count)
        return br_fail(diag, BR_USAGE, "add --count 200", "--like does not say how many jobs");
    enum br_status status = BR_OK;
    br_option_take(settings->generate.spread, &options.spread);
    br_option_take(settings->generate.rocks, &options.rocks);
    br_made_name(&options, name, sizeof name);
    for (uint32_t k = 0; k < make->count && !status; k++) {
        struct br_dag *dag;
        uint32_t number;
        snprintf(seed, sizeof seed, "%llu",
                 (unsigned long long)br_workload_generated_seed(make->seed, k));
        status = br_made_job(name, seed, &dag, diag);
        if (!status)
            status = br_workload_add_dag(workload, dag, name, seed, &number, diag);
    }
    return status == BR_BAD_INPUT ? BR_USAGE : status;
}

static enum br_status make_trace(const struct cli_settings *settings, struct br_workload *workload,
                                 struct br_diag *diag)
{
    const struct cli_workload_settings *make = &settings->workload;
    if (!make->count)
        return br_fail(diag, BR_USAGE, "add --count 2500", "--like does not say how many jobs");
    if (settings->generate.tasks || settings->generate.stages ||
        !isnan(settings->generate.spread) || !isnan(settings->generate.rocks) ||
        make->draw != BR_NO_ROW)
        return br_fail(diag, BR_USAGE, "leave out --tasks, --stages, --spread and --draw",
                       "jobs like those of %s have sizes of their own", make->like);
    return cli_make_trace(make->like, (uint32_t)make->count, make->seed, workload, diag);
}

enum br_status cli_jobs_read(const struct cli_settings *settings, const char *const *argument,
                             uint32_t arguments, struct cli_jobs *jobs, struct br_diag *diag)
{
    struct br_parse_options options = cli_parse_options(&settings->job);
    options.unnamed = true; /* --from is a time here */
    options.many = true;
    const char *like = settings->workload.like;
    *jobs = (struct cli_jobs){.drawn = true};
    if (!like == !arguments)
        return br_fail(diag, BR_USAGE, "give job files, folders of them, or a workload; or --like",
                       like ? "--like makes the jobs, and needs no files"
                            : "nothing to make a workload of");
    if (arguments == 1 && jobs_is_workload(argument[0])) {
        jobs->drawn = false;
        return jobs_read_workload(settings, argument[0], &jobs->workload, diag);
    }
    enum br_status status = BR_OK;
    jobs->workload = br_workload_create(NULL, NULL);
    if (!jobs->workload)
        return br_fail_memory(diag);
    if (like && cli_is_trace(like)) {
        *jobs = (struct cli_jobs){.workload = jobs->workload, .made = true};
        status = make_trace(settings, jobs->workload, diag);
    } else if (like)
        status = make_jobs(settings, jobs->workload, diag);
    for (uint32_t k = 0; k < arguments && !status; k++) {
        if (jobs_is_workload(argument[k])) {
            br_diag_file(diag, argument[k]);
            status = br_fail(diag, BR_USAGE, "give it alone",
                             "a workload is not drawn from, as job files are");
        } else if (is_folder(argument[k])) {
            status = workloads_jobs_add_folder(jobs->workload, argument[k], &options, diag);
        } else {
            status = add_file(jobs->workload, argument[k], &options, diag);
        }
    }
    if (status) {
        br_workload_destroy(jobs->workload);
        jobs->workload = NULL;
    }
    return status;
}
