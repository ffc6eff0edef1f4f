/* Makes cases for predictors. A job counts as ended at the time at which it would end if every task
 * began as soon as its parents were done: no cluster is simulated here. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/options.h"
#include "cluster/predict/cases.h"
#include "cluster/workload/world.h"

static const struct {
    const char *name;
    int kind;
} derived[] = {{"group", BR_CASE_FEATURE_GROUP},
               {"job", BR_CASE_FEATURE_JOB},
               {"hour", BR_CASE_FEATURE_HOUR},
               {"size", BR_CASE_FEATURE_SIZE}};
enum { DERIVED = sizeof derived / sizeof *derived };

/* ---- Features ---- */

static uint32_t find_column(const struct br_workload *workload, const char *name)
{
    for (uint32_t f = 0; f < workload->features; f++)
        if (strcmp(workload->feature[f], name) == 0)
            return f;
    return UINT32_MAX;
}

static enum br_status add_feature(struct br_cases *cases, const struct br_workload *workload,
                                  const char *name, struct br_diag *diag)
{
    struct br_suggestion suggestion = {.word = name};
    char hint[160] = "there are the columns of the workload, and group, job, hour, size";
    struct br_case_feature feature = {br_arena_text(&cases->arena, name),
                                      find_column(workload, name), BR_CASE_FEATURE_COLUMN};
    bool known = feature.column != UINT32_MAX;
    if (!feature.name)
        return br_fail_memory(diag);
    for (int k = 0; k < DERIVED; k++) {
        br_suggestion_offer(&suggestion, derived[k].name);
        if (!known && strcmp(name, derived[k].name) == 0) {
            feature.kind = derived[k].kind;
            known = true;
        }
    }
    for (uint32_t f = 0; f < workload->features; f++)
        br_suggestion_offer(&suggestion, workload->feature[f]);
    if (!known && suggestion.best)
        snprintf(hint, sizeof hint, "did you mean '%.80s'?", suggestion.best);
    if (!known)
        return br_fail(diag, BR_USAGE, hint, "the jobs have no feature '%.80s'", name);
    if (cases->features == BR_FEATURES_MOST)
        return br_fail(diag, BR_USAGE, "name fewer", "--features names more than %d",
                       BR_FEATURES_MOST);
    cases->feature[cases->features++] = feature;
    return BR_OK;
}

/* The features that the jobs carry; if they carry none, the name of the job file. */
static enum br_status choose_features(struct br_cases *cases, const struct br_workload *workload,
                                      const char *names, struct br_diag *diag)
{
    enum br_status status = BR_OK;
    struct br_list_entry entry;
    while (names && !status && br_list_next(BR_LIST_WORD, &names, &entry)) {
        char *name = br_arena_array(&cases->arena, entry.length + 1, 1);
        if (!name)
            return br_fail_memory(diag);
        memcpy(name, entry.name, entry.length);
        status = add_feature(cases, workload, name, diag);
    }
    if (status || cases->features)
        return status;
    for (uint32_t f = 0; f < workload->features && !status; f++)
        status = add_feature(cases, workload, workload->feature[f], diag);
    if (!status && workload->groups > 1)
        status = add_feature(cases, workload, "group", diag);
    if (!status && !workload->features)
        status = add_feature(cases, workload, "job", diag);
    return status;
}

static uint64_t simulate_cases_value_of(const struct br_case_feature *feature,
                                        const struct br_workload *workload,
                                        const struct br_workload_job *job)
{
    const struct br_workload_dag *dag = &workload->dag[job->dag];
    char text[32];
    /* The columns of a history may stand in another order. */
    uint32_t column =
        feature->kind == BR_CASE_FEATURE_COLUMN ? find_column(workload, feature->name) : UINT32_MAX;
    const char *value = column != UINT32_MAX && job->feature ? job->feature[column] : NULL;
    if (feature->kind == BR_CASE_FEATURE_GROUP)
        value = workload->group[job->group].name;
    if (feature->kind == BR_CASE_FEATURE_JOB)
        value = dag->dag->name;
    if (feature->kind == BR_CASE_FEATURE_HOUR || feature->kind == BR_CASE_FEATURE_SIZE) {
        int64_t number = feature->kind == BR_CASE_FEATURE_SIZE
                             ? dag->dag->tasks
                             : job->arrival_ns / INT64_C(3600000000000) % 24;
        snprintf(text, sizeof text, "%" PRId64, number);
        value = text;
    }
    return value ? br_feature(value) : BR_NO_FEATURE;
}

/* ---- Cases ---- */

/* Seconds from the first start to the last end, if stages wait for all of their parents. */
static int64_t span_of(const struct br_dag *dag, const int64_t *true_ns, int64_t *end)
{
    int64_t last = 0;
    memset(end, 0, dag->stages * sizeof *end);
    for (uint32_t k = 0; k < dag->stages; k++) {
        uint32_t s = dag->topological[k];
        const struct br_stage *stage = &dag->stage[s];
        int64_t longest = 0, start = 0;
        for (uint32_t t = 0; t < stage->tasks; t++)
            if (longest < true_ns[stage->first_task + t])
                longest = true_ns[stage->first_task + t];
        for (uint32_t e = 0; e < dag->edges; e++)
            if (dag->edge[e].child == s && start < end[dag->edge[e].parent])
                start = end[dag->edge[e].parent];
        end[s] = start + longest;
        if (last < end[s])
            last = end[s];
    }
    return last;
}

static enum br_status make_case(struct br_cases *cases, const struct br_workload *workload,
                                uint32_t j, struct br_predict_case *made, struct br_diag *diag)
{
    const struct br_world world = br_world_default();
    const struct br_workload_job *job = &workload->job[j];
    const struct br_dag *dag = workload->dag[job->dag].dag;
    int64_t *true_ns = br_arena_array(&cases->arena, dag->tasks, sizeof *true_ns);
    int64_t *end = malloc((size_t)dag->stages * sizeof *end);
    uint64_t *feature = br_arena_array(&cases->arena, cases->features + 1, sizeof *feature);
    struct br_predict_stage *stage = br_arena_array(&cases->arena, dag->stages, sizeof *stage);
    if (!true_ns || !end || !feature || !stage) {
        free(end);
        return br_fail_memory(diag);
    }
    br_world_durations(&world, workload, j, true_ns);
    for (uint32_t f = 0; f < cases->features; f++)
        feature[f] = simulate_cases_value_of(&cases->feature[f], workload, job);
    for (uint32_t k = 0; k < dag->stages; k++) {
        const struct br_stage *of = &dag->stage[dag->topological[k]];
        stage[k] = (struct br_predict_stage){br_feature(of->id), of->tasks, of->tasks,
                                             true_ns + of->first_task};
    }
    int64_t took_ns = job->recorded_ns >= 0 ? job->recorded_ns : span_of(dag, true_ns, end), end_ns;
    if (__builtin_add_overflow(job->arrival_ns, took_ns, &end_ns))
        end_ns = INT64_MAX;
    *made =
        (struct br_predict_case){.job = {.feature = feature, .stages = dag->stages, .stage = stage},
                                 .arrival_ns = job->arrival_ns,
                                 .end_ns = end_ns};
    free(end);
    return BR_OK;
}

enum br_status br_cases_make(const struct br_workload *workload, const struct br_workload *history,
                             const struct br_cases_options *options, struct br_cases *cases,
                             struct br_diag *diag)
{
    int64_t last = 0;
    *cases = (struct br_cases){.history = history ? history->jobs : 0};
    cases->count = cases->history + workload->jobs;
    cases->item = malloc((size_t)cases->count * sizeof *cases->item);
    enum br_status status = cases->item ? choose_features(cases, workload, options->features, diag)
                                        : br_fail_memory(diag);
    for (uint32_t k = 0; k < cases->count && !status; k++) {
        bool old = k < cases->history;
        struct br_predict_case *made = &cases->item[k];
        status =
            make_case(cases, old ? history : workload, old ? k : k - cases->history, made, diag);
        if (status)
            break;
        made->job.number = k;
        if (old) {
            last = last < made->end_ns ? made->end_ns : last;
            continue;
        }
        uint32_t tasks = workload->dag[workload->job[k - cases->history].dag].dag->tasks;
        made->counts = tasks >= options->least_tasks && tasks <= options->most_tasks &&
                       made->arrival_ns >= options->from_ns;
        made->arrival_ns += last;
        if (__builtin_add_overflow(made->end_ns, last, &made->end_ns))
            made->end_ns = INT64_MAX;
    }
    return status;
}

void br_cases_finish(struct br_cases *cases)
{
    free(cases->item);
    br_arena_finish(&cases->arena);
    *cases = (struct br_cases){0};
}
