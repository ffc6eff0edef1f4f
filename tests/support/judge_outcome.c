#include "tests/support/judge_outcome.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/amounts.h"

struct judge {
    const struct br_workload *workload;
    const struct br_cluster *cluster;
    const struct br_world *world;
    const struct judge_limit *limit;
    const struct br_outcome *outcome;
    uint32_t *first_task;        /* by job, in the arrays by task of all jobs */
    const struct br_span **done; /* by task: its attempt that is done, or NULL */
    const struct br_span **last; /* by task: its last attempt so far, or NULL */
    uint32_t *attempts;          /* by task: those that came to nothing */
    int64_t **true_ns;           /* by job */
    struct amounts amounts;
};

static const struct br_dag *dag_of(const struct judge *judge, uint32_t job)
{
    return judge->workload->dag[judge->workload->job[job].dag].dag;
}

/* ---- Attempts one after another ---- */

/* The times between which the machine is away, from the first that ends after `from_ns`. */
static void next_absence(const struct br_world *world, uint32_t machine, int64_t from_ns,
                         int64_t *away_ns, int64_t *back_ns)
{
    *away_ns = *back_ns = 0;
    for (uint32_t k = 0; *back_ns <= from_ns; k += 2) {
        *away_ns = *back_ns + br_world_machine_ns(world, machine, k);
        *back_ns = *away_ns + br_world_machine_ns(world, machine, k + 1);
    }
}

/* The span lies in a stay of its machine, and ends with it only where it says so. */
static void judge_stay(const struct judge *judge, const struct br_span *span)
{
    int64_t away_ns, back_ns;
    if (judge->world->leave_s <= 0) {
        assert_true(span->end != BR_SPAN_EVICTED);
        return;
    }
    next_absence(judge->world, span->machine, span->start_ns, &away_ns, &back_ns);
    assert_true(span->start_ns < away_ns);
    assert_true(span->end == BR_SPAN_EVICTED ? span->end_ns == away_ns : span->end_ns <= away_ns);
}

static void judge_length(const struct judge *judge, const struct br_span *span, uint32_t attempt)
{
    struct br_attempt says =
        br_world_attempt(judge->world, &judge->workload->job[span->job], span->task, attempt,
                         judge->true_ns[span->job][span->task]);
    int64_t lasted_ns = span->end_ns - span->start_ns;
    assert_true(lasted_ns >= 0);
    if (span->end == BR_SPAN_EVICTED || span->end == BR_SPAN_CUT) {
        /* Where what is overbooked slows it down, it may have run for longer than it would. */
        assert_true(judge->limit->resource || lasted_ns < says.lasts_ns ||
                    (span->end == BR_SPAN_CUT && lasted_ns == says.lasts_ns));
        return;
    }
    assert_int_equal(span->end == BR_SPAN_FAILED, says.fails);
    if (judge->limit->resource)
        assert_true(lasted_ns >= says.lasts_ns);
    else
        assert_int_equal(lasted_ns, says.lasts_ns);
}

static void judge_spans(struct judge *judge)
{
    const struct br_outcome *outcome = judge->outcome;
    for (uint64_t k = 0; k < outcome->spans; k++) {
        const struct br_span *span = &outcome->span[k];
        assert_true(k == 0 || outcome->span[k - 1].end_ns <= span->end_ns);
        assert_true(span->job < judge->workload->jobs);
        assert_true(span->task < dag_of(judge, span->job)->tasks);
        assert_true(span->machine < judge->cluster->machines);
        uint32_t at = judge->first_task[span->job] + span->task;
        assert_true(span->start_ns >= judge->workload->job[span->job].arrival_ns);
        assert_null(judge->done[at]);
        assert_true(!judge->last[at] || judge->last[at]->end_ns <= span->start_ns);
        judge_length(judge, span, judge->attempts[at]);
        judge_stay(judge, span);
        judge->last[at] = span;
        if (span->end == BR_SPAN_DONE)
            judge->done[at] = span;
        else
            judge->attempts[at]++;
    }
}

/* ---- Precedence ---- */

/* Every attempt at the child starts when the parent is done. */
static void judge_pair(const struct judge *judge, uint32_t job, uint32_t parent,
                       const struct br_span *child)
{
    const struct br_span *before = judge->done[judge->first_task[job] + parent];
    assert_non_null(before);
    assert_true(before->end_ns <= child->start_ns);
}

static void judge_precedence(const struct judge *judge)
{
    for (uint64_t k = 0; k < judge->outcome->spans; k++) {
        const struct br_span *span = &judge->outcome->span[k];
        const struct br_dag *dag = dag_of(judge, span->job);
        uint32_t stage = br_dag_task_stage(dag, span->task);
        for (uint32_t e = 0; e < dag->edges; e++) {
            if (dag->edge[e].child != stage)
                continue;
            const struct br_stage *parent = &dag->stage[dag->edge[e].parent];
            uint32_t place = span->task - dag->stage[stage].first_task;
            for (uint32_t i = 0; i < parent->tasks; i++)
                if (dag->edge[e].type == BR_BARRIER || i == place)
                    judge_pair(judge, span->job, parent->first_task + i, span);
        }
    }
}

/* ---- Capacity ---- */

struct moment {
    int64_t at_ns;
    int sign; /* -1: a span ends, before what starts */
    const struct br_span *span;
};

static int by_time(const void *one, const void *other)
{
    const struct moment *a = one, *b = other;
    if (a->at_ns != b->at_ns)
        return a->at_ns < b->at_ns ? -1 : 1;
    return a->sign - b->sign;
}

static int64_t demand_of(const struct judge *judge, const struct br_span *span, uint32_t r)
{
    const struct br_dag *dag = dag_of(judge, span->job);
    return amounts_demand(&judge->amounts, dag, br_dag_task_stage(dag, span->task), r);
}

static void judge_machine(const struct judge *judge, uint32_t machine, struct moment *moment)
{
    size_t count = 0;
    for (uint64_t k = 0; k < judge->outcome->spans; k++) {
        const struct br_span *span = &judge->outcome->span[k];
        if (span->machine != machine || span->start_ns == span->end_ns)
            continue;
        moment[count++] = (struct moment){span->start_ns, 1, span};
        moment[count++] = (struct moment){span->end_ns, -1, span};
    }
    qsort(moment, count, sizeof *moment, by_time);
    for (uint32_t r = 0; r < judge->amounts.resources; r++) {
        int64_t most = amounts_capacity(&judge->amounts, machine, r);
        int64_t held = 0;
        if (judge->limit->resource &&
            strcmp(judge->limit->resource, judge->amounts.resource[r]) == 0)
            most = most * judge->limit->percent / 100;
        for (size_t k = 0; k < count; k++) {
            held += moment[k].sign * demand_of(judge, moment[k].span, r);
            assert_true(held <= most);
        }
    }
}

/* ---- What is told of jobs ---- */

static void judge_jobs(const struct judge *judge)
{
    const struct br_outcome *outcome = judge->outcome;
    uint32_t finished = 0;
    int64_t last_ns = 0;
    for (uint32_t j = 0; j < judge->workload->jobs; j++) {
        uint32_t done = 0, tasks = dag_of(judge, j)->tasks;
        int64_t end_ns = 0;
        for (uint32_t t = 0; t < tasks; t++) {
            const struct br_span *span = judge->done[judge->first_task[j] + t];
            done += span != NULL;
            end_ns = span && span->end_ns > end_ns ? span->end_ns : end_ns;
        }
        assert_int_equal(outcome->end_ns[j], done == tasks ? end_ns : -1);
        if (done == tasks) {
            finished++;
            last_ns = end_ns > last_ns ? end_ns : last_ns;
        }
    }
    assert_int_equal(outcome->jobs, judge->workload->jobs);
    assert_int_equal(outcome->finished, finished);
    assert_int_equal(outcome->end_of_all_ns, last_ns);
    assert_int_equal(outcome->note == NULL, finished == judge->workload->jobs);
}

/* Arrivals, ends, failures, and machines that left or returned until the last job ended. */
static void judge_events(const struct judge *judge)
{
    uint64_t events = judge->workload->jobs;
    for (uint64_t k = 0; k < judge->outcome->spans; k++)
        events += judge->outcome->span[k].end != BR_SPAN_EVICTED;
    for (uint32_t m = 0; judge->world->leave_s > 0 && m < judge->cluster->machines; m++) {
        int64_t at_ns = 0;
        for (uint32_t k = 0; at_ns <= judge->outcome->end_of_all_ns; k++) {
            at_ns += br_world_machine_ns(judge->world, m, k);
            events += at_ns <= judge->outcome->end_of_all_ns;
        }
    }
    assert_int_equal(judge->outcome->events, events);
}

void judge_outcome(const struct br_workload *workload, const struct br_cluster *cluster,
                   const struct br_world *world, const struct judge_limit *limit,
                   const struct br_outcome *outcome)
{
    struct judge judge = {.workload = workload,
                          .cluster = cluster,
                          .world = world,
                          .limit = limit,
                          .outcome = outcome,
                          .amounts = amounts_of(cluster)};
    size_t tasks = (size_t)workload->tasks;
    judge.first_task = calloc(workload->jobs, sizeof *judge.first_task);
    judge.true_ns = calloc(workload->jobs, sizeof *judge.true_ns);
    judge.done = calloc(tasks, sizeof(void *));
    judge.last = calloc(tasks, sizeof(void *));
    judge.attempts = calloc(tasks, sizeof *judge.attempts);
    struct moment *moment = calloc(2 * outcome->spans + 1, sizeof *moment);
    uint32_t before = 0;
    for (uint32_t j = 0; j < workload->jobs; j++) {
        judge.first_task[j] = before;
        before += dag_of(&judge, j)->tasks;
        judge.true_ns[j] = calloc(dag_of(&judge, j)->tasks, sizeof **judge.true_ns);
        br_world_durations(world, workload, j, judge.true_ns[j]);
    }
    assert_int_equal(before, tasks);
    judge_spans(&judge);
    judge_precedence(&judge);
    for (uint32_t m = 0; m < cluster->machines; m++)
        judge_machine(&judge, m, moment);
    judge_jobs(&judge);
    if (!outcome->cut && !outcome->note)
        judge_events(&judge);
    for (uint32_t j = 0; j < workload->jobs; j++)
        free(judge.true_ns[j]);
    free(moment);
    free(judge.attempts);
    free(judge.last);
    free(judge.done);
    free(judge.true_ns);
    free(judge.first_task);
}
