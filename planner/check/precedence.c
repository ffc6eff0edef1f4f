/* Precedence in time and in rank, with lags and streams. The extremes of every stage are found
 * once, so that a barrier costs one comparison however many tasks it joins. */
#include <inttypes.h>

#include "base/collections/memory.h"
#include "base/numbers/wide.h"
#include "planner/check/verify.h"

/* The tasks of a stage that a barrier asks about. */
struct extremes {
    uint32_t first_start, last_end, first_rank, last_rank;
};
struct stream_extremes {
    uint32_t last_start, first_end;
};

struct precedence {
    struct br_plan_check *check;
    struct extremes *of;              /* by stage */
    struct stream_extremes *streamed; /* by stage; NULL: there are no streams */
};

static void check_pair(struct br_plan_check *check, uint32_t parent, uint32_t child)
{
    const struct br_plan *plan = check->plan;
    if (plan->start_ns[child] < plan->end_ns[parent])
        br_plan_check_report(
            check, "task %s starts at %s s, before its parent %s ends at %s s",
            br_check_task_name(check, child).text, br_seconds(plan->start_ns[child]).text,
            br_check_task_name(check, parent).text, br_seconds(plan->end_ns[parent]).text);
}

static void check_rank_pair(struct br_plan_check *check, uint32_t parent, uint32_t child)
{
    const struct br_plan *plan = check->plan;
    if (plan->rank[child] <= plan->rank[parent])
        br_plan_check_report(
            check, "task %s has rank %" PRIu32 ", ahead of its parent %s with rank %" PRIu32,
            br_check_task_name(check, child).text, plan->rank[child],
            br_check_task_name(check, parent).text, plan->rank[parent]);
}

/* The lag after the end of the parent, or after its start, if the edge is a stream. */
static void check_lag(struct br_plan_check *check, struct br_wait wait, uint32_t parent,
                      uint32_t child)
{
    const struct br_plan *plan = check->plan;
    const int64_t start = plan->start_ns[child];
    const int64_t from = wait.stream ? plan->start_ns[parent] : plan->end_ns[parent];
    if ((br_wide)start >= (br_wide)from + wait.lag_ns)
        return;
    if (!wait.lag_ns && !wait.stream)
        check_pair(check, parent, child);
    else if (!wait.lag_ns)
        br_plan_check_report(check, "task %s starts at %s s, before its parent %s starts at %s s",
                             br_check_task_name(check, child).text, br_seconds(start).text,
                             br_check_task_name(check, parent).text, br_seconds(from).text);
    else
        br_plan_check_report(
            check, "task %s starts at %s s, less than %s s after its parent %s %s at %s s",
            br_check_task_name(check, child).text, br_seconds(start).text,
            br_seconds(wait.lag_ns).text, br_check_task_name(check, parent).text,
            wait.stream ? "starts" : "ends", br_seconds(from).text);
}

static void check_stream_end(struct br_plan_check *check, uint32_t parent, uint32_t child)
{
    const struct br_plan *plan = check->plan;
    if (plan->end_ns[child] < plan->end_ns[parent])
        br_plan_check_report(
            check, "task %s ends at %s s, before its parent %s, whose stream it reads, at %s s",
            br_check_task_name(check, child).text, br_seconds(plan->end_ns[child]).text,
            br_check_task_name(check, parent).text, br_seconds(plan->end_ns[parent]).text);
}

static void find_extremes(struct precedence *p)
{
    const struct br_dag *dag = p->check->dag;
    const struct br_plan *plan = p->check->plan;
    for (uint32_t s = 0; s < dag->stages; s++) {
        uint32_t t = dag->stage[s].first_task;
        struct extremes x = {t, t, t, t};
        for (; t < dag->stage[s].first_task + dag->stage[s].tasks; t++) {
            if (plan->start_ns[t] < plan->start_ns[x.first_start])
                x.first_start = t;
            if (plan->end_ns[t] > plan->end_ns[x.last_end])
                x.last_end = t;
            if (plan->rank[t] < plan->rank[x.first_rank])
                x.first_rank = t;
            if (plan->rank[t] > plan->rank[x.last_rank])
                x.last_rank = t;
        }
        p->of[s] = x;
    }
}

static void find_stream_extremes(struct precedence *p)
{
    const struct br_dag *dag = p->check->dag;
    const struct br_plan *plan = p->check->plan;
    for (uint32_t s = 0; s < dag->stages; s++) {
        uint32_t t = dag->stage[s].first_task;
        struct stream_extremes x = {t, t};
        for (; t < dag->stage[s].first_task + dag->stage[s].tasks; t++) {
            if (plan->start_ns[t] > plan->start_ns[x.last_start])
                x.last_start = t;
            if (plan->end_ns[t] < plan->end_ns[x.first_end])
                x.first_end = t;
        }
        p->streamed[s] = x;
    }
}

/* The edge with its lag, if it has one. */
static void check_wait(const struct precedence *p, const struct br_edge *edge, struct br_wait wait)
{
    struct br_plan_check *check = p->check;
    const struct br_stage *parent = &check->dag->stage[edge->parent];
    const struct br_stage *child = &check->dag->stage[edge->child];
    const struct extremes *a = &p->of[edge->parent], *b = &p->of[edge->child];
    if (edge->type == BR_BARRIER && wait.stream) {
        const struct stream_extremes *x = &p->streamed[edge->parent];
        check_lag(check, wait, x->last_start, b->first_start);
        check_stream_end(check, a->last_end, p->streamed[edge->child].first_end);
    } else if (edge->type == BR_BARRIER) {
        check_lag(check, wait, a->last_end, b->first_start);
    }
    if (edge->type == BR_BARRIER)
        check_rank_pair(check, a->last_rank, b->first_rank);
    for (uint32_t i = 0;
         edge->type != BR_BARRIER && i < parent->tasks && !br_plan_check_enough(check); i++) {
        check_lag(check, wait, parent->first_task + i, child->first_task + i);
        if (wait.stream)
            check_stream_end(check, parent->first_task + i, child->first_task + i);
        check_rank_pair(check, parent->first_task + i, child->first_task + i);
    }
}

static void check_edge(const struct precedence *p, const struct br_edge *edge)
{
    struct br_plan_check *check = p->check;
    const struct br_stage *parent = &check->dag->stage[edge->parent];
    const struct br_stage *child = &check->dag->stage[edge->child];
    if (edge->type == BR_BARRIER) {
        check_pair(check, p->of[edge->parent].last_end, p->of[edge->child].first_start);
        check_rank_pair(check, p->of[edge->parent].last_rank, p->of[edge->child].first_rank);
        return;
    }
    for (uint32_t i = 0; i < parent->tasks && !br_plan_check_enough(check); i++) {
        check_pair(check, parent->first_task + i, child->first_task + i);
        check_rank_pair(check, parent->first_task + i, child->first_task + i);
    }
}

enum br_status br_plan_check_precedence(struct br_plan_check *check)
{
    const struct br_dag *dag = check->dag;
    const struct br_wait *wait = dag->times ? dag->times->wait : NULL;
    struct precedence p = {.check = check};
    enum br_status status = BR_OK;
    p.of = br_malloc((size_t)dag->stages * sizeof *p.of);
    p.streamed = wait ? br_malloc((size_t)dag->stages * sizeof *p.streamed) : NULL;
    if (!p.of || (wait && !p.streamed)) {
        status = br_fail_memory(check->diag);
        goto out;
    }
    find_extremes(&p);
    if (wait)
        find_stream_extremes(&p);
    for (uint32_t e = 0; e < dag->edges && !br_plan_check_enough(check); e++)
        if (wait)
            check_wait(&p, &dag->edge[e], wait[e]);
        else
            check_edge(&p, &dag->edge[e]);
out:
    br_free(p.of);
    br_free(p.streamed);
    return status;
}
