/* The jobs of a run: read, planned, named and put into their groups before any of them runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/running/jobs/jobs.h"
#include "base/text/diag.h"
#include "cli/terminal/say.h"
#include "runtime/predict/inputs.h"

struct cli_run_job *cli_run_job_of(const struct br_run_job *job)
{
    return job->context;
}

/* The path, with a number after it if an earlier job has the same path. */
static char *running_name_job(const struct cli_run_jobs *jobs, uint32_t jobs_before,
                              const char *path)
{
    size_t size = strlen(path) + 16;
    char *name = malloc(size);
    if (!name)
        return NULL;
    snprintf(name, size, "%s", path);
    for (uint32_t k = 0, number = 2; k < jobs_before; k++)
        if (strcmp(jobs->one[k].name, name) == 0) {
            snprintf(name, size, "%s#%u", path, number++);
            k = UINT32_MAX; /* then once more from the first */
        }
    return name;
}

static enum br_status running_add_job(const char *path, struct cli_run_jobs *jobs,
                                      struct br_diag *diag)
{
    uint32_t k = jobs->count++;
    struct cli_run_job *one = &jobs->one[k];
    one->name = running_name_job(jobs, k, path);
    if (!one->name)
        return br_fail_memory(diag);
    jobs->job[k] = (struct br_run_job){
        .name = one->name,
        .dag = one->input.input.dag,
        .plan = one->input.plan,
        .group = jobs->groups.of ? jobs->groups.of[k] : cli_run_own_group(one->input.input.dag),
        .context = one,
    };
    return BR_OK;
}

static enum br_status load_one(const struct cli_settings *settings, const char *path, bool alone,
                               struct cli_run_jobs *jobs, struct br_diag *diag)
{
    enum br_status status =
        cli_run_load(settings, path, alone, &jobs->cluster, &jobs->one[jobs->count].input, diag);
    if (status)
        return status;
    /* Planning may leave a message there even if it succeeded. */
    *diag = (struct br_diag){0};
    return running_add_job(path, jobs, diag);
}

enum br_status cli_run_jobs_take(struct cli_run_input *input, const char *name,
                                 struct cli_run_jobs *jobs, struct br_diag *diag)
{
    *jobs = (struct cli_run_jobs){.cluster = input->input.cluster,
                                  .one = calloc(1, sizeof *jobs->one),
                                  .job = calloc(1, sizeof *jobs->job)};
    if (!jobs->one || !jobs->job) {
        cli_run_finish(input);
        return br_fail_memory(diag);
    }
    jobs->one->input = *input;
    *input = (struct cli_run_input){0};
    return running_add_job(name, jobs, diag);
}

enum br_status cli_run_jobs_load(const struct cli_settings *settings, const char *const *path,
                                 uint32_t count, struct cli_run_jobs *jobs, struct br_diag *diag)
{
    *jobs = (struct cli_run_jobs){0};
    enum br_status status = cli_run_groups_read(&settings->run, &jobs->groups, diag);
    if (!status && settings->run.spool)
        return cli_run_cluster(settings, &jobs->cluster, diag);
    if (!status && jobs->groups.of && jobs->groups.ofs != count)
        return br_fail(diag, BR_USAGE, "give as many, in the order of the jobs",
                       "option '--group-of' names %u groups for %u jobs", jobs->groups.ofs, count);
    if (!status && settings->run.plan && count > 1)
        return br_fail(diag, BR_USAGE, "give the plans themselves instead of the jobs",
                       "--plan is for one job, and there are %u", count);
    jobs->one = calloc(count, sizeof *jobs->one);
    jobs->job = calloc(count, sizeof *jobs->job);
    if (!status && (!jobs->one || !jobs->job))
        status = br_fail_memory(diag);
    for (uint32_t k = 0; k < count && !status; k++)
        status = load_one(settings, path[k], count == 1, jobs, diag);
    return status;
}

void cli_run_jobs_finish(struct cli_run_jobs *jobs)
{
    for (uint32_t k = 0; k < jobs->count; k++) {
        cli_run_finish(&jobs->one[k].input);
        free(jobs->one[k].name);
    }
    free(jobs->one);
    free(jobs->job);
    br_cluster_destroy(jobs->cluster);
    cli_run_groups_finish(&jobs->groups);
    *jobs = (struct cli_run_jobs){0};
}

enum br_status cli_run_job_open(const struct cli_settings *settings, struct cli_run_job *one,
                                struct br_diag *diag)
{
    const struct br_dag *dag = one->input.input.dag;
    enum br_status status = BR_OK;
    if (settings->needs.history)
        status = br_history_open(settings->needs.history, br_dag_name(dag), &one->history, diag);
    if (!status && settings->needs.history)
        status = br_inputs_of(dag, &one->input_bytes, diag);
    if (!status)
        cli_run_ninja_open(&one->ninja, dag);
    return status;
}

void cli_run_job_close(struct cli_run_job *one)
{
    cli_run_ninja_close(&one->ninja);
    /* A history that cannot be written does not fail the run. */
    struct br_diag lost = {0};
    if (br_history_close(one->history, &lost))
        cli_say_diag(&lost);
    one->history = NULL;
    free(one->input_bytes);
    one->input_bytes = NULL;
}
