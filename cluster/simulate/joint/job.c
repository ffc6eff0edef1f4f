/* Copies of what the dag says, and orders of its stages. */
#include "cluster/simulate/joint/job.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/collections/sort.h"

static void joint_job_add_arcs(struct br_joint_job *job, const struct br_dag *dag)
{
    struct br_joint_stage *stage = job->stage;
    uint32_t arcs = 0;
    for (uint32_t e = 0; e < dag->edges; e++)
        stage[dag->edge[e].parent].children++;
    for (uint32_t s = 0; s < dag->stages; s++) {
        stage[s].first_child = arcs;
        arcs += stage[s].children;
        stage[s].children = 0;
    }
    for (uint32_t e = 0; e < dag->edges; e++) {
        assert(arcs == dag->edges);
        struct br_joint_stage *parent = &stage[dag->edge[e].parent];
        struct br_joint_stage *child = &stage[dag->edge[e].child];
        bool one_to_one = dag->edge[e].type == BR_ONE_TO_ONE;
        assert(parent->first_child + parent->children < arcs);
        job->arc[parent->first_child + parent->children++] =
            (struct br_joint_arc){dag->edge[e].child, one_to_one};
        child->barriers += !one_to_one;
        child->pairs += one_to_one;
        job->pairs |= one_to_one;
    }
}

static void add_tasks(struct br_joint_job *job, uint32_t s, struct br_sort_item *item)
{
    const struct br_joint_stage *stage = &job->stage[s];
    for (uint32_t k = 0; k < stage->tasks; k++) {
        uint32_t task = stage->first + k;
        job->task_stage[task] = s;
        job->work += stage->share * (double)job->duration_ns[task];
        job->total_work += stage->sum * (double)job->duration_ns[task];
        job->packing += stage->sum;
        job->seen[s].waiting_ns += (double)job->duration_ns[task];
        item[k] = (struct br_sort_item){~br_sort_key(job->duration_ns[task]), task};
    }
    br_sort(item, item + stage->tasks, stage->tasks);
    for (uint32_t k = 0; k < stage->tasks; k++)
        job->longest[stage->first + k] = item[k].item;
}

/* Ranks the stages by key, the least first. */
static void joint_job_rank(struct br_joint_job *job, enum br_joint_within within,
                           struct br_sort_item *item)
{
    br_sort(item, item + job->stages, job->stages);
    for (uint32_t k = 0; k < job->stages; k++)
        job->stage[item[k].item].rank[within] = k;
}

static void rank_by_breadth(struct br_joint_job *job, const struct br_dag *dag, int64_t *depth,
                            struct br_sort_item *item)
{
    for (uint32_t k = 0; k < job->stages; k++) {
        uint32_t s = dag->topological[k];
        const struct br_joint_stage *stage = &job->stage[s];
        for (uint32_t a = stage->first_child; a < stage->first_child + stage->children; a++) {
            int64_t *child = &depth[job->arc[a].stage];
            *child = *child > depth[s] + 1 ? *child : depth[s] + 1;
        }
    }
    for (uint32_t s = 0; s < job->stages; s++)
        item[s] = (struct br_sort_item){br_sort_key(depth[s]), s};
    joint_job_rank(job, BR_WITHIN_BREADTH, item);
}

static void rank_by_path(struct br_joint_job *job, const struct br_dag *dag,
                         enum br_joint_within within, int64_t *path, struct br_sort_item *item)
{
    for (uint32_t k = job->stages; k-- > 0;) {
        uint32_t s = dag->topological[k];
        struct br_joint_stage *stage = &job->stage[s];
        int64_t behind = 0, own = job->duration_ns[job->longest[stage->first]];
        double work = 0;
        for (uint32_t a = stage->first_child; a < stage->first_child + stage->children; a++)
            behind = path[job->arc[a].stage] > behind ? path[job->arc[a].stage] : behind;
        for (uint32_t t = stage->first; t < stage->first + stage->tasks; t++)
            work += stage->share * (double)job->duration_ns[t];
        if (within == BR_WITHIN_WAY && work > (double)own && work < 0x1p62)
            own = (int64_t)work;
        assert(own >= 0);
        path[s] = behind > INT64_MAX - own ? INT64_MAX : behind + own;
        if (within == BR_WITHIN_TAIL)
            stage->tail_ns = path[s];
    }
    for (uint32_t s = 0; s < job->stages; s++) /* equal paths in the order of their numbers */
        item[s] = (struct br_sort_item){~br_sort_key(path[s]), s};
    joint_job_rank(job, within, item);
}

static void rank_by_level(struct br_joint_job *job, const struct br_dag *dag, int64_t *level,
                          struct br_sort_item *item)
{
    for (uint32_t k = job->stages; k-- > 0;) {
        uint32_t s = dag->topological[k];
        const struct br_joint_stage *stage = &job->stage[s];
        level[s] = 0;
        for (uint32_t a = stage->first_child; a < stage->first_child + stage->children; a++)
            if (level[job->arc[a].stage] >= level[s])
                level[s] = level[job->arc[a].stage] + 1;
    }
    for (uint32_t s = 0; s < dag->stages; s++)
        item[s] = (struct br_sort_item){~br_sort_key(level[s]), s};
    joint_job_rank(job, BR_WITHIN_LEVEL, item);
}

/* A share of the cluster is at most 1, and times are below 2^62. */
static uint64_t most_first(double value)
{
    return ~(uint64_t)fmin(value, 0x1p62);
}

static void rank_by_size(struct br_joint_job *job, struct br_sort_item *item)
{
    for (uint32_t s = 0; s < job->stages; s++) {
        const struct br_joint_stage *stage = &job->stage[s];
        double work = 0;
        for (uint32_t t = stage->first; t < stage->first + stage->tasks; t++)
            work += stage->share * (double)job->duration_ns[t];
        item[s] = (struct br_sort_item){most_first(work), s};
    }
    joint_job_rank(job, BR_WITHIN_WORK, item);
    for (uint32_t s = 0; s < job->stages; s++)
        item[s] = (struct br_sort_item){most_first(job->stage[s].share * 0x1p60), s};
    joint_job_rank(job, BR_WITHIN_SHARE, item);
}

/* Stages by the rank of their first task. */
static void rank_by_plan(struct br_joint_job *job, const struct br_plan *plan,
                         struct br_sort_item *item)
{
    for (uint32_t s = 0; s < job->stages; s++) {
        const struct br_joint_stage *stage = &job->stage[s];
        uint32_t first = stage->rank[BR_WITHIN_TAIL];
        for (uint32_t t = stage->first; plan && t < stage->first + stage->tasks; t++)
            first = t == stage->first || plan->rank[t] < first ? plan->rank[t] : first;
        item[s] = (struct br_sort_item){first, s};
    }
    joint_job_rank(job, BR_WITHIN_PLAN, item);
}

static enum br_status joint_job_fill(struct br_joint_job *job, const struct br_dag *dag,
                                     const struct br_plan *plan,
                                     const struct br_capacities *capacities,
                                     struct br_sort_item *item, struct br_diag *diag)
{
    struct br_kinds kinds;
    uint32_t *stage_kind = br_arena_array(&job->arena, dag->stages, sizeof *stage_kind);
    int64_t *value = br_arena_array(&job->arena, dag->stages, sizeof *value);
    bool ok = stage_kind && value && BR_ARRAY(&job->arena, dag->tasks, job->task_stage) &&
              BR_ARRAY(&job->arena, dag->tasks, job->longest) &&
              BR_ARRAY(&job->arena, dag->stages, job->stage) &&
              BR_ARRAY(&job->arena, dag->edges, job->arc) &&
              BR_ARRAY(&job->arena, dag->stages, job->seen);
    if (!ok)
        return br_fail_memory(diag);
    enum br_status status =
        br_kinds_find(&job->arena, dag, &capacities->scale, stage_kind, &kinds, diag);
    if (status)
        return status;
    for (uint32_t s = 0; s < dag->stages; s++)
        job->stage[s] = (struct br_joint_stage){
            .first = dag->stage[s].first_task,
            .tasks = dag->stage[s].tasks,
            .demand = kinds.demand + (size_t)stage_kind[s] * capacities->scale.resources,
            .share = kinds.share[stage_kind[s]],
            .sum = kinds.work[stage_kind[s]],
            .pace = 1};
    joint_job_add_arcs(job, dag);
    for (uint32_t s = 0; s < dag->stages; s++)
        add_tasks(job, s, item);
    rank_by_breadth(job, dag, value, item);
    rank_by_path(job, dag, BR_WITHIN_TAIL, value, item);
    rank_by_path(job, dag, BR_WITHIN_WAY, value, item);
    rank_by_level(job, dag, value, item);
    rank_by_size(job, item);
    rank_by_plan(job, plan, item);
    return BR_OK;
}

enum br_status br_joint_job_make(const struct br_dag *dag, const struct br_plan *plan,
                                 const struct br_capacities *capacities, uint32_t number,
                                 double weight, struct br_joint_job **job, struct br_diag *diag)
{
    /* A stage has a task at least, so there is room for the stages, too. */
    assert(dag->tasks >= dag->stages);
    struct br_sort_item *item = malloc(2 * (size_t)dag->tasks * sizeof *item);
    struct br_joint_job *made = calloc(1, sizeof *made);
    enum br_status status = BR_OK;
    *job = made;
    if (!item || !made)
        status = br_fail_memory(diag);
    if (!status) {
        *made = (struct br_joint_job){.number = number,
                                      .stages = dag->stages,
                                      .tasks = dag->tasks,
                                      .weight = weight,
                                      .duration_ns = dag->duration_ns};
        status = joint_job_fill(made, dag, plan, capacities, item, diag);
    }
    assert(status || made->total_work >= made->work);
    free(item);
    return status;
}

void br_joint_job_destroy(struct br_joint_job *job)
{
    if (!job)
        return;
    br_arena_finish(&job->arena);
    free(job);
}
