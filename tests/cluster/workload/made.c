#include "tests/cluster/workload/made.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/rng.h"

#include <setjmp.h>

#include <cmocka.h>

#define S INT64_C(1000000000)

static struct br_diag diag;

#define OK(call)                                                                                   \
    do {                                                                                           \
        if ((call) != BR_OK)                                                                       \
            fail_msg("%s: %s", #call, diag.what);                                                  \
    } while (0)

static uint32_t add_dag(struct br_workload *workload, const char *stage, uint32_t tasks,
                        const char *const *demands)
{
    uint32_t number;
    struct br_dag *dag = br_dag_create(stage);
    assert_non_null(dag);
    OK(br_dag_add_stage(dag, "first", 1, S, NULL, &diag));
    OK(br_dag_add_stage(dag, stage, tasks, 10 * S, &number, &diag));
    for (; *demands; demands += 2)
        OK(br_dag_add_demand(dag, number, demands[0], demands[1], &diag));
    OK(br_dag_finish(dag, &diag));
    OK(br_workload_add_dag(workload, dag, NULL, NULL, &number, &diag));
    return number;
}

static void add_job(struct br_workload *workload, const char *id, uint32_t dag, uint32_t group,
                    int64_t arrival_ns, int64_t deadline_ns, double weight)
{
    struct br_workload_job job = br_workload_job_default();
    job.id = id;
    job.dag = dag;
    job.group = group;
    job.arrival_ns = arrival_ns;
    job.deadline_ns = deadline_ns;
    job.weight = weight;
    OK(br_workload_add_job(workload, &job, &diag));
}

static void begin_outcome(struct made *made, uint64_t spans)
{
    struct br_outcome *outcome = &made->outcome;
    *outcome = (struct br_outcome){.policy = "made", .seed = 1, .jobs = made->workload->jobs};
    outcome->end_ns = malloc(outcome->jobs * sizeof *outcome->end_ns);
    outcome->span = calloc(spans + 1, sizeof *outcome->span);
    assert_non_null(outcome->end_ns);
    assert_non_null(outcome->span);
    for (uint32_t j = 0; j < outcome->jobs; j++)
        outcome->end_ns[j] = -1;
}

static void add_span(struct made *made, uint32_t job, uint32_t task, int64_t start_ns,
                     int64_t end_ns, enum br_span_end end)
{
    struct br_outcome *outcome = &made->outcome;
    outcome->span[outcome->spans++] = (struct br_span){start_ns, end_ns, job, task, 0, end};
    if (end_ns > outcome->end_of_all_ns)
        outcome->end_of_all_ns = end_ns;
}

void made_small(struct made *made, const char *name)
{
    char text[4][400];
    static const char *const suffix[] = {" w", " c", " g", " mem"};
    for (int k = 0; k < 4; k++)
        snprintf(text[k], sizeof text[k], "%s%s", name, suffix[k]);
    const char *const demands_a[] = {"cpu", "2", text[3], "0.2", NULL};
    const char *const demands_b[] = {"cpu", "1", text[3], "0.8", NULL};
    uint32_t group, cls;
    made->workload = br_workload_create(text[0], NULL);
    made->cluster = br_cluster_create(text[1]);
    assert_non_null(made->workload);
    assert_non_null(made->cluster);
    OK(br_cluster_add_class(made->cluster, "m", 2, &cls, &diag));
    OK(br_cluster_add_capacity(made->cluster, cls, "cpu", "4", &diag));
    OK(br_cluster_add_capacity(made->cluster, cls, text[3], "0.8", &diag));
    OK(br_workload_add_group(made->workload, text[2], 2, &group, &diag));
    uint32_t a = add_dag(made->workload, "a", 2, demands_a);
    uint32_t b = add_dag(made->workload, "b", 1, demands_b);
    add_job(made->workload, name, a, group, 0, BR_NEVER, 1);
    add_job(made->workload, "b1", b, 0, 5 * S, 20 * S, 3);
    add_job(made->workload, "a2", a, 0, 10 * S, 100 * S, 1);
    OK(br_workload_finish(made->workload, &diag));
    begin_outcome(made, 6);
    add_span(made, 0, 1, 0, 10 * S, BR_SPAN_DONE);
    add_span(made, 1, 1, 10 * S, 18 * S, BR_SPAN_FAILED);
    add_span(made, 0, 2, 0, 20 * S, BR_SPAN_DONE);
    add_span(made, 1, 1, 20 * S, 30 * S, BR_SPAN_DONE);
    add_span(made, 2, 1, 30 * S, 35 * S, BR_SPAN_DONE);
    add_span(made, 2, 2, 30 * S, 35 * S, BR_SPAN_DONE);
    made->outcome.end_ns[0] = 20 * S;
    made->outcome.end_ns[1] = 30 * S;
    made->outcome.end_ns[2] = 35 * S;
    made->outcome.finished = 3;
    made->outcome.events = 14;
}

static int by_end(const void *a, const void *b)
{
    const struct br_span *x = a, *y = b;
    if (x->end_ns != y->end_ns)
        return x->end_ns < y->end_ns ? -1 : 1;
    return x->job != y->job ? (x->job < y->job ? -1 : 1) : x->task < y->task ? -1 : 1;
}

static int64_t draw(struct br_rng *rng, int64_t below)
{
    return (int64_t)br_rng_below(rng, (uint64_t)below);
}

static void draw_workload(struct made *made, struct br_rng *rng)
{
    static const char *const demands[][5] = {
        {"cpu", "0.5", "mem", "3", NULL},
        {"cpu", "0.3333333333", NULL},
        {"mem", "7", "net", "0.001", NULL},
        {NULL},
    };
    static const double weights[] = {1, 2, 0.3, 1e-3, 700};
    uint32_t cls, group, groups = 1 + (uint32_t)draw(rng, 6), jobs = 1 + (uint32_t)draw(rng, 30);
    bool whole = draw(rng, 2), pause = draw(rng, 3) == 0;
    int64_t at = whole ? 0 : draw(rng, 1000000007);
    OK(br_cluster_add_class(made->cluster, "m", 3, &cls, &diag));
    OK(br_cluster_add_capacity(made->cluster, cls, "cpu", "4", &diag));
    OK(br_cluster_add_capacity(made->cluster, cls, "mem", "16", &diag));
    OK(br_cluster_add_class(made->cluster, "n", 1, &cls, &diag));
    OK(br_cluster_add_capacity(made->cluster, cls, "net", "0.125", &diag));
    for (uint32_t d = 0; d < 4; d++)
        add_dag(made->workload, "s", 1 + (uint32_t)draw(rng, 5), demands[d]);
    for (uint32_t g = 1; g < groups; g++) {
        char name[8];
        snprintf(name, sizeof name, "g%u", (unsigned)g);
        OK(br_workload_add_group(made->workload, name, weights[draw(rng, 5)], &group, &diag));
    }
    for (uint32_t j = 0; j < jobs; j++) {
        char id[8];
        snprintf(id, sizeof id, "j%u", (unsigned)j);
        at += draw(rng, 40) * S + (whole ? 0 : draw(rng, S));
        at += pause && draw(rng, 8) == 0 ? draw(rng, 9000) * S : 0;
        add_job(made->workload, id, (uint32_t)draw(rng, 4), (uint32_t)draw(rng, groups), at,
                draw(rng, 2) ? at + S + draw(rng, 90 * S) : BR_NEVER, 1);
    }
    OK(br_workload_finish(made->workload, &diag));
}

void made_random(struct made *made, uint64_t seed)
{
    struct br_rng rng = br_rng_seed(seed);
    made->workload = br_workload_create("random", NULL);
    made->cluster = br_cluster_create(NULL);
    assert_non_null(made->workload);
    assert_non_null(made->cluster);
    draw_workload(made, &rng);
    int64_t unit = draw(&rng, 2) ? 10 * S : 1 + draw(&rng, 3 * S);
    begin_outcome(made, UINT64_C(12) * made->workload->jobs);
    made->outcome.cut = draw(&rng, 2);
    for (uint32_t j = 0; j < made->workload->jobs; j++) {
        int64_t arrival = made->workload->job[j].arrival_ns, last = arrival;
        uint32_t tasks = made->workload->dag[made->workload->job[j].dag].dag->tasks;
        for (uint32_t k = (uint32_t)draw(&rng, 12); k; k--) {
            int64_t start = arrival + draw(&rng, 12) * unit, end = start + draw(&rng, 8) * unit;
            add_span(made, j, (uint32_t)draw(&rng, tasks), start, end,
                     (enum br_span_end)draw(&rng, 4));
            last = end > last ? end : last;
        }
        if (draw(&rng, 10)) {
            made->outcome.end_ns[j] = last;
            made->outcome.finished++;
        }
    }
    qsort(made->outcome.span, made->outcome.spans, sizeof *made->outcome.span, by_end);
}

void made_large(struct made *made, uint32_t jobs, int64_t seconds)
{
    static const char *const demands[] = {"cpu", "1", "mem", "2", NULL};
    struct br_rng rng = br_rng_seed(jobs);
    uint32_t cls, group;
    made->workload = br_workload_create("large", NULL);
    made->cluster = br_cluster_create("large");
    assert_non_null(made->workload);
    assert_non_null(made->cluster);
    OK(br_cluster_add_class(made->cluster, "m", 100, &cls, &diag));
    OK(br_cluster_add_capacity(made->cluster, cls, "cpu", "8", &diag));
    OK(br_cluster_add_capacity(made->cluster, cls, "mem", "32", &diag));
    OK(br_workload_add_group(made->workload, "other", 2, &group, &diag));
    uint32_t dag = add_dag(made->workload, "s", 9, demands);
    for (uint32_t j = 0; j < jobs; j++) {
        char id[16];
        snprintf(id, sizeof id, "j%u", (unsigned)j);
        add_job(made->workload, id, dag, j % 2, (int64_t)(((br_wide)seconds * S) * j / jobs),
                BR_NEVER, 1);
    }
    OK(br_workload_finish(made->workload, &diag));
    begin_outcome(made, UINT64_C(10) * jobs);
    for (uint32_t j = 0; j < jobs; j++) {
        int64_t arrival = made->workload->job[j].arrival_ns, last = arrival;
        for (uint32_t t = 0; t < 10; t++) {
            int64_t start = arrival + draw(&rng, 200 * S), end = start + draw(&rng, 20 * S);
            add_span(made, j, t, start, end, BR_SPAN_DONE);
            last = end > last ? end : last;
        }
        made->outcome.end_ns[j] = last;
        made->outcome.finished++;
    }
    qsort(made->outcome.span, made->outcome.spans, sizeof *made->outcome.span, by_end);
}

void made_finish(struct made *made)
{
    br_outcome_finish(&made->outcome);
    br_workload_destroy(made->workload);
    br_cluster_destroy(made->cluster);
    *made = (struct made){0};
}
