#include "parsers/pipelines/pipeline.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "parsers/text/value.h"

enum { TEXT_LIMIT = 64 << 20, TASKS_MOST = 100000 };

enum br_status br_pipeline_open(struct br_pipeline *pipeline, struct br_source *source,
                                const char *format)
{
    char stem[256];
    enum br_status status =
        br_source_text(source, TEXT_LIMIT, format, &pipeline->text, pipeline->diag);
    if (status)
        return status;
    pipeline->tree = br_tree_read(pipeline->text, strlen(pipeline->text), pipeline->diag);
    if (!pipeline->tree)
        return pipeline->diag->status;
    pipeline->dag = pipeline->input->dag =
        br_dag_create(br_source_stem(source, "pipeline", stem, sizeof stem));
    if (!pipeline->dag)
        return br_fail_memory(pipeline->diag);
    if (pipeline->options->durations)
        status = br_forge_run_read(pipeline->options->durations, &pipeline->run, pipeline->diag);
    if (!status)
        br_diag_file(pipeline->diag, source->name);
    br_value_place(pipeline->diag, BR_NO_POS);
    pipeline->input->timed = pipeline->run.jobs > 0;
    return status;
}

void br_pipeline_close(struct br_pipeline *pipeline)
{
    br_forge_run_finish(&pipeline->run);
    br_tree_destroy(pipeline->tree);
    br_arena_finish(&pipeline->arena);
    free(pipeline->job);
    free(pipeline->text);
}

enum br_status br_pipeline_add(struct br_pipeline *pipeline, struct br_pipeline_job job)
{
    if (!job.pattern)
        job.pattern = br_pipeline_pattern(pipeline, job.id);
    if (!job.pattern ||
        !br_grow(&pipeline->job, pipeline->jobs, &pipeline->room, sizeof *pipeline->job))
        return br_fail_memory(pipeline->diag);
    pipeline->job[pipeline->jobs++] = job;
    return BR_OK;
}

const char *br_pipeline_pattern(struct br_pipeline *pipeline, const char *name)
{
    char *pattern = br_arena_alloc(&pipeline->arena, 2 * strlen(name) + 1), *to = pattern;
    while (to && *name) {
        const char *end = NULL;
        if (strncmp(name, "${{", 3) == 0 && (end = strstr(name, "}}")) != NULL) {
            name = end + 2;
            *to++ = '*';
        } else if (*name == '$' && name[1]) {
            name += 1 + (name[1] == '{');
            name += strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
            name += *name == '}';
            *to++ = '*';
        } else {
            if (strchr("*?[]\\", *name))
                *to++ = '\\';
            *to++ = *name++;
        }
    }
    return pattern;
}

/* How a record's name goes on behind that of its job: not at all, by the values of a matrix, by its
 * number (GitLab), or by a job of the workflow that the job calls. */
enum fit { NO_FIT, WHOLE, PART, INNER };

static enum fit name_fit(const char *pattern, const char *name)
{
    static const struct {
        const char *end;
        enum fit fit;
    } ends[] = {{"", WHOLE},
                {" (*)", PART},
                {": \\[*\\]", PART},
                {" [0-9]*/[0-9]*", PART},
                {" / *", INNER}};
    char whole[600];
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
        int length = snprintf(whole, sizeof whole, "%s%s", pattern, ends[k].end);
        if (length < (int)sizeof whole && fnmatch(whole, name, 0) == 0)
            return ends[k].fit;
    }
    return NO_FIT;
}

/* The job of which this is a run: the one that says most of its name. UINT32_MAX: none. */
static uint32_t find_job(const struct br_pipeline *pipeline, const char *name, enum fit *fit)
{
    uint32_t best = UINT32_MAX;
    size_t most = 0;
    for (uint32_t j = 0; j < pipeline->jobs; j++) {
        const char *pattern = pipeline->job[j].pattern;
        size_t said = 1;
        for (const char *at = pattern; *at; at++)
            said += *at != '*' && *at != '\\';
        enum fit one = said > most ? name_fit(pattern, name) : NO_FIT;
        if (one == NO_FIT)
            continue;
        most = said;
        best = j;
        *fit = one;
    }
    return best;
}

/* The recorded runs of a job. */
struct runs {
    uint32_t count, ran, next;
    bool inner; /* they are of the workflow that it calls: the job lasts from their first start */
    int64_t first_ns, last_ns;
};

static enum br_status count_runs(struct br_pipeline *pipeline, struct runs *runs, uint32_t *job_of,
                                 uint32_t *strange)
{
    int64_t first = INT64_MAX, last = -1;
    for (uint32_t k = 0; k < pipeline->run.jobs; k++) {
        const struct br_forge_job *run = &pipeline->run.job[k];
        enum fit fit = NO_FIT;
        uint32_t job = job_of[k] = find_job(pipeline, run->name, &fit);
        *strange += job == UINT32_MAX;
        if (run->duration_ns >= 0 && run->started_ns >= 0 && run->ended_ns >= 0) {
            first = run->started_ns < first ? run->started_ns : first;
            last = run->ended_ns > last ? run->ended_ns : last;
        }
        if (job == UINT32_MAX)
            continue;
        struct runs *of = &runs[job];
        if (of->count++ == 0)
            *of = (struct runs){.count = 1, .first_ns = INT64_MAX, .last_ns = -1};
        of->inner |= fit == INNER;
        if (run->duration_ns < 0)
            continue;
        of->ran++;
        if (run->started_ns >= 0 && run->started_ns < of->first_ns)
            of->first_ns = run->started_ns;
        if (run->started_ns >= 0 && run->started_ns + run->duration_ns > of->last_ns)
            of->last_ns = run->started_ns + run->duration_ns;
    }
    if (*strange == pipeline->run.jobs)
        return br_fail_at(pipeline->diag, BR_NO_POS, BR_BAD_INPUT,
                          "give the record of a run of this pipeline",
                          "the record of a run has none of the pipeline's jobs");
    if (last > first)
        pipeline->dag->recorded_ns = last - first;
    return BR_OK;
}

static enum br_status add_stages(struct br_pipeline *pipeline, const struct runs *runs)
{
    uint32_t idle = 0, dynamic = 0;
    enum br_status status = BR_OK;
    for (uint32_t j = 0; j < pipeline->jobs && !status; j++) {
        const struct br_pipeline_job *job = &pipeline->job[j];
        const bool recorded = pipeline->run.jobs > 0;
        uint32_t tasks = runs[j].inner ? 1 : runs[j].count ? runs[j].count : job->tasks, stage;
        int64_t ns = recorded ? 0 : pipeline->options->default_duration_ns;
        dynamic += tasks == 0;
        idle += recorded && runs[j].ran == 0;
        if (runs[j].inner && runs[j].last_ns >= runs[j].first_ns)
            ns = runs[j].last_ns - runs[j].first_ns;
        br_value_place(pipeline->diag, br_tree_pos(pipeline->tree, job->node));
        if (tasks > TASKS_MOST)
            return br_fail(pipeline->diag, BR_BAD_INPUT, "give it fewer",
                           "job '%.80s' has %" PRIu32 " tasks", job->id, tasks);
        status =
            br_dag_add_stage(pipeline->dag, job->id, tasks ? tasks : 1, ns, &stage, pipeline->diag);
        if (status)
            return status;
        br_dag_set_stage_pos(pipeline->dag, stage, br_tree_pos(pipeline->tree, job->node));
        status = br_dag_add_demand(pipeline->dag, stage, "runner", "1", pipeline->diag);
    }
    if (!status && dynamic)
        status = br_dag_add_doubt(pipeline->dag, pipeline->diag,
                                  "the matrix of %" PRIu32 " jobs is an expression; they count as "
                                  "one task: give the record of a run by --durations",
                                  dynamic);
    if (!status && idle)
        status = br_dag_add_doubt(pipeline->dag, pipeline->diag,
                                  "%" PRIu32 " jobs did not run as recorded; they take 0 s", idle);
    return status;
}

enum br_status br_pipeline_stages(struct br_pipeline *pipeline)
{
    struct runs *runs = calloc((size_t)pipeline->jobs + 1, sizeof *runs);
    uint32_t *job_of = calloc((size_t)pipeline->run.jobs + 1, sizeof *job_of), strange = 0;
    enum br_status status = runs && job_of ? BR_OK : br_fail_memory(pipeline->diag);
    if (!status && pipeline->run.jobs)
        status = count_runs(pipeline, runs, job_of, &strange);
    if (!status)
        status = add_stages(pipeline, runs);
    for (uint32_t k = 0; k < pipeline->run.jobs && !status; k++) {
        const uint32_t job = job_of[k];
        const int64_t ns = pipeline->run.job[k].duration_ns;
        if (job != UINT32_MAX && !runs[job].inner)
            status = br_dag_set_duration(pipeline->dag, job, runs[job].next++, ns < 0 ? 0 : ns,
                                         pipeline->diag);
    }
    if (!status && strange)
        status =
            br_dag_add_doubt(pipeline->dag, pipeline->diag,
                             "%" PRIu32 " jobs of the record are not in the pipeline", strange);
    free(runs);
    free(job_of);
    return status;
}
