/* The mean of the ends that a plan states, and the bound on it.
 *
 * Jobs without features have the bound of br_completions_bound. For others the longest paths are
 * found here, in nanoseconds: each task from its release on, behind its parents with their lags,
 * and behind the starts of those whose streams it reads. */
#include "base/collections/memory.h"
#include "planner/check/verify.h"
#include "planner/instance/completions.h"
#include "planner/eligibility/features.h"
#include "planner/instance/instance.h"

/* The latest of some times, of starts and of ends. */
struct latest {
    int64_t start, end;
};

/* a + b, or the greatest time if that is too large. */
static int64_t plus(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* Delays the task until it may start behind that parent. */
static void follow(const struct br_dag *dag, struct br_wait wait, struct latest parent,
                   uint32_t task, int64_t *start)
{
    const int64_t from = plus(wait.stream ? parent.start : parent.end, wait.lag_ns);
    const int64_t least = wait.stream ? parent.end - dag->duration_ns[task] : 0;
    start[task] = from > start[task] ? from : start[task];
    start[task] = least > start[task] ? least : start[task];
}

static void follow_edge(const struct br_dag *dag, uint32_t edge, const struct latest *stage,
                        int64_t *start)
{
    const struct br_edge *e = &dag->edge[edge];
    const struct br_stage *child = &dag->stage[e->child];
    const uint32_t parent = dag->stage[e->parent].first_task;
    for (uint32_t i = 0; i < child->tasks; i++) {
        struct latest before = stage[e->parent];
        if (e->type != BR_BARRIER)
            before = (struct latest){start[parent + i],
                                     plus(start[parent + i], dag->duration_ns[parent + i])};
        follow(dag, br_dag_wait(dag, edge), before, child->first_task + i, start);
    }
}

/* The earliest starts, if nothing is short. `into`: edges by child; `stage`: scratch. */
static void find_starts(const struct br_dag *dag, const uint32_t *into_first, const uint32_t *into,
                        struct latest *stage, int64_t *start)
{
    for (uint32_t t = 0; t < dag->tasks; t++)
        start[t] = br_dag_release(dag, t);
    for (uint32_t p = 0; p < dag->stages; p++) {
        const uint32_t s = dag->topological[p];
        const struct br_stage *one = &dag->stage[s];
        for (uint32_t k = into_first[s]; k < into_first[s + 1]; k++)
            follow_edge(dag, into[k], stage, start);
        stage[s] = (struct latest){0, 0};
        for (uint32_t t = one->first_task; t < one->first_task + one->tasks; t++) {
            const int64_t end = plus(start[t], dag->duration_ns[t]);
            stage[s].start = start[t] > stage[s].start ? start[t] : stage[s].start;
            stage[s].end = end > stage[s].end ? end : stage[s].end;
        }
    }
}

/* -1 if memory is out. */
static int64_t mean_of_paths(const struct br_dag *dag, const struct br_completions *ends)
{
    uint32_t *into_first = br_calloc(br_csr_room(dag->stages), sizeof *into_first);
    uint32_t *into = br_malloc(((size_t)dag->edges + 1) * sizeof *into);
    struct latest *stage = br_malloc((size_t)dag->stages * sizeof *stage);
    int64_t *time = br_malloc((size_t)dag->tasks * sizeof *time);
    int64_t mean_ns = -1;
    if (into_first && into && stage && time) {
        br_dag_list_edges(dag, BR_EDGE_CHILD, into_first, into);
        find_starts(dag, into_first, into, stage, time);
        for (uint32_t t = 0; t < dag->tasks; t++)
            time[t] = plus(time[t], dag->duration_ns[t]);
        mean_ns = br_completions_mean(ends, dag, time);
    }
    br_free(into_first);
    br_free(into);
    br_free(stage);
    br_free(time);
    return mean_ns;
}

static enum br_status bound_mean(const struct br_plan_check *check,
                                 const struct br_completions *ends, int64_t *bound_ns)
{
    struct br_instance *in = NULL;
    if (br_features(check->dag, check->cluster)) {
        *bound_ns = mean_of_paths(check->dag, ends);
        return BR_OK;
    }
    enum br_status status = br_instance_create(check->dag, check->cluster, &in, check->diag);
    *bound_ns = status ? 0 : br_completions_bound(ends, in);
    br_instance_destroy(in);
    return status;
}

enum br_status br_plan_check_mean(struct br_plan_check *check)
{
    const struct br_plan *plan = check->plan;
    struct br_completions ends;
    int64_t mean_ns = 0, bound_ns = 0;
    if (plan->objective == BR_OBJECTIVE_MAKESPAN)
        return BR_OK;
    enum br_status status = br_completions_find(
        check->dag, plan->objective == BR_OBJECTIVE_WEIGHTED, &ends, check->diag);
    if (!status)
        status = bound_mean(check, &ends, &bound_ns);
    if (!status)
        mean_ns = br_completions_mean(&ends, check->dag, plan->end_ns);
    if (mean_ns < 0 || bound_ns < 0)
        status = br_fail_memory(check->diag);
    if (!status && plan->mean_ns != mean_ns)
        br_plan_check_report(check, "the mean completion is %s s, not %s s",
                             br_seconds(mean_ns).text, br_seconds(plan->mean_ns).text);
    if (!status && plan->mean_bound_ns > bound_ns)
        br_plan_check_report(check, "the bound on the mean completion is %s s, not %s s",
                             br_seconds(bound_ns).text, br_seconds(plan->mean_bound_ns).text);
    br_completions_finish(&ends);
    return status;
}
