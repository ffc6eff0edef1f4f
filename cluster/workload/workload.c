/* Jobs that come to one cluster: the calls that fill a workload. */
#include "cluster/workload/workload.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/collections/sort.h"
#include "planner/eligibility/features.h"

struct br_workload *br_workload_create(const char *name, const char *source)
{
    struct br_workload *workload = calloc(1, sizeof *workload);
    struct br_diag ignored;
    uint32_t group;
    if (!workload)
        return NULL;
    bool ok = (!name || (workload->name = br_arena_text(&workload->arena, name))) &&
              (!source || (workload->source = br_arena_text(&workload->arena, source))) &&
              br_workload_add_group(workload, "default", 1, &group, &ignored) == BR_OK;
    if (!ok) {
        br_workload_destroy(workload);
        workload = NULL;
    }
    return workload;
}

void br_workload_destroy(struct br_workload *workload)
{
    if (!workload)
        return;
    for (uint32_t d = 0; d < workload->dags; d++)
        br_dag_destroy(workload->dag[d].dag);
    br_cluster_destroy(workload->cluster);
    br_index_finish(&workload->group_names);
    free(workload->group);
    free(workload->dag);
    free(workload->job);
    br_arena_finish(&workload->arena);
    free(workload);
}

static uint64_t hash_group(const void *context, uint32_t number)
{
    return br_hash_text(((const struct br_workload *)context)->group[number].name);
}

static bool equal_group(const void *context, uint32_t number, const void *key)
{
    return strcmp(((const struct br_workload *)context)->group[number].name, key) == 0;
}

static const struct br_index_keys group_keys = {hash_group, equal_group};

uint32_t br_workload_find_group(const struct br_workload *workload, const char *name)
{
    return br_index_find(&workload->group_names, &group_keys, workload, name, br_hash_text(name));
}

enum br_status br_workload_add_group(struct br_workload *workload, const char *name, double weight,
                                     uint32_t *group, struct br_diag *diag)
{
    if (!(weight > 0) || !isfinite(weight))
        return br_fail(diag, BR_BAD_INPUT, "give it a weight such as 1 or 2.5",
                       "the weight of group '%.80s' is not above 0", name);
    *group = br_workload_find_group(workload, name);
    if (*group != BR_NO_GROUP) {
        workload->group[*group].weight = weight;
        return BR_OK;
    }
    char *copy = br_arena_text(&workload->arena, name);
    if (!copy || !br_grow(&workload->group, workload->groups, &workload->group_room,
                          sizeof *workload->group))
        return br_fail_memory(diag);
    workload->group[workload->groups] = (struct br_workload_group){.name = copy, .weight = weight};
    if (!br_index_add(&workload->group_names, &group_keys, workload, workload->groups))
        return br_fail_memory(diag);
    *group = workload->groups++;
    return BR_OK;
}

enum br_status br_workload_add_feature(struct br_workload *workload, const char *name,
                                       uint32_t *feature, struct br_diag *diag)
{
    for (uint32_t f = 0; f < workload->features; f++)
        if (strcmp(workload->feature[f], name) == 0) {
            *feature = f;
            return BR_OK;
        }
    if (workload->features == BR_WORKLOAD_FEATURES)
        return br_fail(diag, BR_BAD_INPUT, "leave out some of them",
                       "there are more than %d features", BR_WORKLOAD_FEATURES);
    if (!workload->feature)
        workload->feature =
            br_arena_array(&workload->arena, BR_WORKLOAD_FEATURES, sizeof *workload->feature);
    char *copy = br_arena_text(&workload->arena, name);
    if (!workload->feature || !copy)
        return br_fail_memory(diag);
    *feature = workload->features;
    workload->feature[workload->features++] = copy;
    return BR_OK;
}

enum br_status br_workload_add_dag(struct br_workload *workload, struct br_dag *dag,
                                   const char *path, const char *entry, uint32_t *number,
                                   struct br_diag *diag)
{
    struct br_workload_dag row = {.dag = dag, .scale = 1};
    const unsigned known = workload->ways ? BR_FEATURES_MODES & BR_FEATURES_OF_JOB : 0;
    enum br_status status = br_features_refuse(dag, NULL, known, "a workload", diag);
    if (status) {
        br_dag_destroy(dag);
        return status;
    }
    bool ok = (!path || (row.path = br_arena_text(&workload->arena, path))) &&
              (!entry || (row.entry = br_arena_text(&workload->arena, entry))) &&
              br_grow(&workload->dag, workload->dags, &workload->dag_room, sizeof row);
    if (!ok) {
        br_dag_destroy(dag);
        return br_fail_memory(diag);
    }
    *number = workload->dags++;
    workload->dag[*number] = row;
    return BR_OK;
}

struct br_workload_job br_workload_job_default(void)
{
    return (struct br_workload_job){
        .recorded_ns = -1, .deadline_ns = BR_NEVER, .weight = 1, .seed = 1};
}

/* The values of the features, copied, with room for features to come; of neighbours that are equal
 * there is one copy. */
static bool copy_features(struct br_workload *workload, const char *const *feature,
                          const char *const **copy)
{
    const char *const *last = workload->jobs ? workload->job[workload->jobs - 1].feature : NULL;
    const char **values = br_arena_array(&workload->arena, BR_WORKLOAD_FEATURES, sizeof *values);
    for (uint32_t f = 0; values && f < workload->features; f++) {
        if (!feature[f])
            continue;
        bool same = last && last[f] && strcmp(last[f], feature[f]) == 0;
        values[f] = same ? last[f] : br_arena_text(&workload->arena, feature[f]);
        if (!values[f])
            return false;
    }
    *copy = (const char *const *)values;
    return values != NULL;
}

enum br_status br_workload_add_job(struct br_workload *workload, const struct br_workload_job *job,
                                   struct br_diag *diag)
{
    if (job->dag >= workload->dags || job->group >= workload->groups)
        return br_fail_at(diag, job->pos, BR_USAGE, NULL, "job '%.80s' has no dag or no group",
                          job->id);
    uint32_t tasks = workload->dag[job->dag].dag->tasks;
    struct br_workload_job row = *job;
    row.id = br_arena_text(&workload->arena, job->id);
    int64_t *true_ns = NULL;
    if (job->true_ns) {
        true_ns = br_arena_array(&workload->arena, tasks, sizeof *true_ns);
        if (true_ns)
            memcpy(true_ns, job->true_ns, tasks * sizeof *true_ns);
    }
    row.true_ns = true_ns;
    if (job->entry)
        row.entry = job->entry == job->id ? row.id : br_arena_text(&workload->arena, job->entry);
    if (job->feature && !copy_features(workload, job->feature, &row.feature))
        return br_fail_memory(diag);
    if (!row.id || (job->entry && !row.entry) || (job->true_ns && !true_ns) ||
        !br_grow(&workload->job, workload->jobs, &workload->job_room, sizeof row))
        return br_fail_memory(diag);
    workload->job[workload->jobs++] = row;
    workload->tasks += tasks;
    return BR_OK;
}

/* ---- Finishing ---- */

static enum br_status workload_check_job(const struct br_workload *workload,
                                         const struct br_workload_job *job, struct br_diag *diag)
{
    if (job->arrival_ns < 0)
        return br_fail_at(diag, job->pos, BR_BAD_INPUT, "times begin at 0",
                          "job '%.80s' arrives before time 0", job->id);
    if (job->deadline_ns <= job->arrival_ns)
        return br_fail_at(diag, job->pos, BR_BAD_INPUT,
                          "a deadline is a time on the workload's clock, as the arrival is",
                          "the deadline of job '%.80s' is not after its arrival", job->id);
    if (!(job->weight > 0) || !isfinite(job->weight))
        return br_fail_at(diag, job->pos, BR_BAD_INPUT, "give it a weight such as 1 or 2.5",
                          "the weight of job '%.80s' is not above 0", job->id);
    uint32_t tasks = workload->dag[job->dag].dag->tasks;
    for (uint32_t t = 0; job->true_ns && t < tasks; t++)
        if (job->true_ns[t] < 0)
            return br_fail_at(diag, job->pos, BR_BAD_INPUT, NULL,
                              "job '%.80s' has a true duration below 0", job->id);
    return BR_OK;
}

static uint64_t workload_hash_id(const void *context, uint32_t number)
{
    return br_hash_text(((const struct br_workload *)context)->job[number].id);
}

static bool workload_equal_id(const void *context, uint32_t number, const void *key)
{
    return strcmp(((const struct br_workload *)context)->job[number].id, key) == 0;
}

static enum br_status check_ids(const struct br_workload *workload, struct br_diag *diag)
{
    static const struct br_index_keys keys = {workload_hash_id, workload_equal_id};
    struct br_index index = {0};
    enum br_status status = BR_OK;
    for (uint32_t j = 0; j < workload->jobs && !status; j++) {
        const struct br_workload_job *job = &workload->job[j];
        if (br_index_find(&index, &keys, workload, job->id, br_hash_text(job->id)) != UINT32_MAX)
            status = br_fail_at(diag, job->pos, BR_BAD_INPUT, "give every job an id of its own",
                                "there are two jobs '%.80s'", job->id);
        else if (!br_index_add(&index, &keys, workload, j))
            status = br_fail_memory(diag);
    }
    br_index_finish(&index);
    return status;
}

static enum br_status sort_jobs(struct br_workload *workload, struct br_diag *diag)
{
    uint32_t jobs = workload->jobs;
    struct br_sort_item *item = malloc(2 * (size_t)jobs * sizeof *item);
    struct br_workload_job *sorted = malloc((size_t)workload->job_room * sizeof *sorted);
    if (!item || !sorted) {
        free(item);
        free(sorted);
        return br_fail_memory(diag);
    }
    for (uint32_t j = 0; j < jobs; j++)
        item[j] = (struct br_sort_item){br_sort_key(workload->job[j].arrival_ns), j};
    br_sort(item, item + jobs, jobs);
    for (uint32_t j = 0; j < jobs; j++)
        sorted[j] = workload->job[item[j].item];
    free(workload->job);
    free(item);
    workload->job = sorted;
    return BR_OK;
}

enum br_status br_workload_finish(struct br_workload *workload, struct br_diag *diag)
{
    enum br_status status = BR_OK;
    br_diag_file(diag, workload->source);
    if (!workload->jobs)
        return br_fail(diag, BR_BAD_INPUT, NULL, "the workload has no job");
    for (uint32_t j = 0; j < workload->jobs && !status; j++)
        status = workload_check_job(workload, &workload->job[j], diag);
    if (!status)
        status = check_ids(workload, diag);
    if (!status)
        status = sort_jobs(workload, diag);
    workload->finished = !status;
    return status;
}
