/* Jobs with ranges are held against the same jobs written out task by task, here and by hand. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <bigrocks/bigrocks.h>

#include "base/numbers/rng.h"
#include "planner/model/cluster/cluster.h"
#include "planner/model/ranges.h"
#include "tests/support/random_job.h"

#define S INT64_C(1000000000)

/* Does task i of n wait for task j of p? They overlap if each is an equal share of one line, and
 * with an overlap if a task at most so far away does. */
static bool waits(uint32_t p, uint32_t n, uint32_t overlap, uint32_t i, uint32_t j)
{
    for (uint32_t other = 0; other < p; other++)
        if ((uint64_t)other * n < (uint64_t)(i + 1) * p &&
            (uint64_t)i * p < (uint64_t)(other + 1) * n &&
            (other < j ? j - other : other - j) <= overlap)
            return true;
    return false;
}

static void the_range(void **state)
{
    for (uint32_t p = 1; p <= 12; p++)
        for (uint32_t n = 1; n <= 12; n++)
            for (uint32_t overlap = 0; overlap <= 3; overlap++)
                for (uint32_t i = 0; i < n; i++) {
                    const struct br_range range = br_range_of(p, n, overlap, i);
                    for (uint32_t j = 0; j < p; j++)
                        assert_int_equal(j >= range.first && j < range.end,
                                         waits(p, n, overlap, i, j));
                }
    const struct br_range last = br_range_of(BR_MAX_TASKS, BR_MAX_TASKS - 1, UINT32_MAX, 7);
    assert_int_equal(last.first, 0);
    assert_int_equal(last.end, BR_MAX_TASKS);
}

/* ---- Random jobs ---- */

enum { STAGES = 6, TASKS = 60, OUTPUTS = 2 };

struct made_edge {
    uint32_t parent, child, overlap;
    enum br_edge_type type;
    int64_t lag_ns;
    bool stream, reads_none;
};

struct made {
    bool any_ways;
    uint32_t stages, edges, tasks[STAGES], first[STAGES];
    int64_t ns[STAGES][8], release_ns[STAGES];
    bool output[STAGES], ways[STAGES];
    struct made_edge edge[STAGES * STAGES];
};

static void draw(uint64_t seed, bool features, struct made *made)
{
    struct br_rng rng = br_rng_seed(seed);
    *made = (struct made){.stages = 2 + (uint32_t)br_rng_below(&rng, STAGES - 2)};
    for (uint32_t s = 0, first = 0; s < made->stages; first += made->tasks[s++]) {
        made->first[s] = first;
        made->tasks[s] = 1 + (uint32_t)br_rng_below(&rng, 4);
        for (uint32_t i = 0; i < made->tasks[s]; i++)
            made->ns[s][i] = (int64_t)br_rng_below(&rng, 5) * S;
        made->output[s] = features && br_rng_below(&rng, 3) == 0;
        made->ways[s] = features && br_rng_below(&rng, 4) == 0;
        made->any_ways |= made->ways[s];
        made->release_ns[s] = features && br_rng_below(&rng, 4) == 0 ? 2 * S : 0;
    }
    for (uint32_t b = 1; b < made->stages; b++)
        for (uint32_t a = 0; a < b; a++) {
            if (br_rng_below(&rng, 2))
                continue;
            struct made_edge edge = {a,
                                     b,
                                     (uint32_t)br_rng_below(&rng, 3) / 2,
                                     (enum br_edge_type)br_rng_below(&rng, 3),
                                     0,
                                     false,
                                     false};
            if (edge.type == BR_ONE_TO_ONE && made->tasks[a] != made->tasks[b])
                edge.type = BR_RANGE;
            edge.overlap = edge.type == BR_RANGE ? edge.overlap : 0;
            edge.lag_ns = features && br_rng_below(&rng, 4) == 0 ? S : 0;
            /* No bound knows streams beside alternatives. */
            edge.stream = features && br_rng_below(&rng, 6) == 0 && !made->any_ways;
            edge.reads_none = features && made->output[a] && br_rng_below(&rng, 3) == 0;
            made->edge[made->edges++] = edge;
        }
}

#define GOOD(call) assert_int_equal(call, BR_OK)

/* What the stage has, and only the task `index` of it, or all (UINT32_MAX). */
static void dress(struct br_dag *dag, const struct made *made, uint32_t s, uint32_t index,
                  uint32_t stage)
{
    char text[40] = "cmd {index}";
    const bool one = index != UINT32_MAX && made->tasks[s] > 1;
    GOOD(br_dag_add_demand(dag, stage, "cpu", s % 2 ? "1" : "2", NULL));
    if (made->ways[s]) {
        uint32_t way;
        GOOD(br_dag_add_alternative(dag, stage, "slow", BR_STAGE_DURATION, &way, NULL));
        for (uint32_t i = 0; i < made->tasks[s]; i++)
            if (!one || i == index)
                GOOD(br_dag_set_alternative_duration(dag, stage, way, one ? 0 : i,
                                                     made->ns[s][i] + S, NULL));
        GOOD(br_dag_add_alternative(dag, stage, "wide", 2 * S, &way, NULL));
        GOOD(br_dag_add_alternative_demand(dag, stage, way, "cpu", "3", NULL));
    }
    if (made->output[s]) {
        GOOD(br_dag_add_output(dag, stage, "out", "mem", "1", 0, NULL));
        GOOD(br_dag_add_output(dag, stage, "log", "mem", "1", BR_OUTPUT_FROM_END, NULL));
    }
    if (made->release_ns[s])
        GOOD(br_dag_set_release(dag, stage, one || index == 0 ? 0 : UINT32_MAX, made->release_ns[s],
                                NULL));
    if (one)
        snprintf(text, sizeof text, "cmd %" PRIu32, index);
    GOOD(br_dag_set_command(dag, stage, text, NULL));
}

static void join(struct br_dag *dag, const struct made_edge *edge, uint32_t a, uint32_t b,
                 enum br_edge_type type)
{
    GOOD(br_dag_add_edge(dag, a, b, type, NULL));
    if (type == BR_RANGE && edge->overlap)
        GOOD(br_dag_set_edge_overlap(dag, a, b, edge->overlap, NULL));
    if (edge->lag_ns)
        GOOD(br_dag_set_edge_lag(dag, a, b, edge->lag_ns, NULL));
    if (edge->stream)
        GOOD(br_dag_set_edge_stream(dag, a, b, NULL));
    if (edge->reads_none)
        GOOD(br_dag_set_edge_reads(dag, a, b, "log", NULL));
}

static struct br_dag *with_ranges(const struct made *made)
{
    struct br_dag *dag = br_dag_create("job");
    for (uint32_t s = 0; s < made->stages; s++) {
        char id[8];
        snprintf(id, sizeof id, "s%" PRIu32, s);
        GOOD(br_dag_add_stage(dag, id, made->tasks[s], made->ns[s][0], NULL, NULL));
        for (uint32_t i = 1; i < made->tasks[s] && !made->ways[s]; i++)
            GOOD(br_dag_set_duration(dag, s, i, made->ns[s][i], NULL));
        dress(dag, made, s, UINT32_MAX, s);
    }
    for (uint32_t e = 0; e < made->edges; e++)
        join(dag, &made->edge[e], made->edge[e].parent, made->edge[e].child, made->edge[e].type);
    GOOD(br_dag_finish(dag, NULL));
    return dag;
}

static bool pair_waits(const struct made *made, const struct made_edge *edge, uint32_t i,
                       uint32_t j)
{
    return edge->type == BR_BARRIER || (edge->type == BR_ONE_TO_ONE && i == j) ||
           (edge->type == BR_RANGE &&
            waits(made->tasks[edge->parent], made->tasks[edge->child], edge->overlap, i, j));
}

static struct br_dag *written_out(const struct made *made)
{
    struct br_dag *dag = br_dag_create("job");
    for (uint32_t s = 0; s < made->stages; s++)
        for (uint32_t i = 0; i < made->tasks[s]; i++) {
            char id[20];
            uint32_t stage;
            snprintf(id, sizeof id, made->tasks[s] > 1 ? "s%" PRIu32 "[%" PRIu32 "]" : "s%" PRIu32,
                     s, i);
            GOOD(br_dag_add_stage(dag, id, 1, made->ns[s][made->ways[s] ? 0 : i], &stage, NULL));
            dress(dag, made, s, i, stage);
        }
    for (uint32_t e = 0; e < made->edges; e++) {
        const struct made_edge *edge = &made->edge[e];
        for (uint32_t i = 0; i < made->tasks[edge->child]; i++)
            for (uint32_t j = 0; j < made->tasks[edge->parent]; j++)
                if (pair_waits(made, edge, i, j))
                    join(dag, edge, made->first[edge->parent] + j, made->first[edge->child] + i,
                         BR_BARRIER);
    }
    GOOD(br_dag_finish(dag, NULL));
    return dag;
}

/* The edges between tasks, with their waits and how many outputs they read, by number of tasks. */
static void list_pairs(const struct br_dag *dag, int64_t pair[TASKS][TASKS])
{
    memset(pair, 0, sizeof(int64_t[TASKS][TASKS]));
    for (uint32_t e = 0; e < dag->edges; e++) {
        const struct br_edge *edge = &dag->edge[e];
        const struct br_stage *a = &dag->stage[edge->parent], *b = &dag->stage[edge->child];
        const struct br_wait wait = br_dag_wait(dag, e);
        const uint32_t reads =
            dag->storage ? dag->storage->edge_first[e + 1] - dag->storage->edge_first[e] : 0;
        for (uint32_t j = 0; j < a->tasks; j++)
            for (uint32_t i = 0; i < b->tasks; i++)
                if (!br_dag_is_paired(dag, edge) || i == j)
                    pair[a->first_task + j][b->first_task + i] =
                        1 + 2 * wait.stream + 4 * reads + 100 * (wait.lag_ns / S);
    }
}

static void assert_same_tasks(const struct br_dag *one, const struct br_dag *other)
{
    assert_int_equal(one->tasks, other->tasks);
    for (uint32_t t = 0; t < one->tasks; t++) {
        char a[40], b[40];
        br_dag_task_id(one, t, a, sizeof a);
        br_dag_task_id(other, t, b, sizeof b);
        assert_string_equal(a, b);
        assert_int_equal(one->duration_ns[t], other->duration_ns[t]);
        assert_int_equal(br_dag_release(one, t), br_dag_release(other, t));
        assert_int_equal(br_dag_alternative_count(one, br_dag_task_stage(one, t)),
                         br_dag_alternative_count(other, br_dag_task_stage(other, t)));
    }
}

static void assert_same_pairs(const struct br_dag *one, const struct br_dag *other)
{
    static int64_t a[TASKS][TASKS], b[TASKS][TASKS];
    list_pairs(one, a);
    list_pairs(other, b);
    assert_memory_equal(a, b, sizeof a);
}

static void same_edges(void **state)
{
    unsigned divided = 0;
    for (uint64_t seed = 0; seed < random_jobs(3000); seed++) {
        struct made made;
        draw(seed, seed % 2, &made);
        struct br_dag *dag = with_ranges(&made), *plain = written_out(&made), *apart;
        assert_same_tasks(dag, plain);
        assert_same_pairs(dag, plain);
        for (uint32_t e = 0; e < dag->edges; e++)
            assert_true(dag->edge[e].type != BR_RANGE);
        GOOD(br_dag_by_task(dag, &apart, NULL));
        GOOD(br_dag_finish(apart, NULL));
        assert_int_equal(br_dag_fingerprint(apart, true), br_dag_fingerprint(plain, true));
        assert_int_equal(br_dag_details_fingerprint(apart), br_dag_details_fingerprint(plain));
        divided += dag->written != NULL;
        for (uint32_t t = 0; dag->written && t < dag->tasks; t++) {
            const struct br_stage *stage = &dag->stage[br_dag_task_stage(dag, t)];
            const uint32_t to = br_dag_task_stage(dag->written, t);
            assert_int_equal(t - stage->first_task + stage->first_index,
                             t - dag->written->stage[to].first_task);
        }
        br_dag_destroy(apart);
        br_dag_destroy(plain);
        br_dag_destroy(dag);
    }
    assert_true(divided > random_jobs(3000) / 3);
}

static struct br_cluster *two_machines(void)
{
    struct br_cluster *cluster = br_cluster_create("c");
    uint32_t cls;
    GOOD(br_cluster_add_class(cluster, "m", 2, &cls, NULL));
    GOOD(br_cluster_add_capacity(cluster, cls, "cpu", "3", NULL));
    GOOD(br_cluster_add_capacity(cluster, cls, "mem", "40", NULL));
    return cluster;
}

/* Plans both by the methods that end with a proof: the optimum is the same. */
static void same_optimum(void **state)
{
    unsigned proven = 0, tried = 0;
    struct br_cluster *cluster = two_machines();
    for (uint64_t seed = 0; seed < random_jobs(100); seed++) {
        struct made made;
        draw(seed, seed % 2, &made);
        struct br_dag *dag = with_ranges(&made), *plain = written_out(&made);
        struct br_plan *plan, *other;
        GOOD(br_plan_make(dag, cluster, NULL, &plan, NULL));
        GOOD(br_plan_make(plain, cluster, NULL, &other, NULL));
        const int64_t ns = br_plan_makespan_ns(plan), other_ns = br_plan_makespan_ns(other);
        const int64_t least = br_plan_lower_bound_ns(plan),
                      other_least = br_plan_lower_bound_ns(other);
        assert_true(ns >= other_least && other_ns >= least);
        GOOD(br_plan_verify(plan, plain, cluster, 0, NULL, NULL, NULL));
        GOOD(br_plan_verify(other, dag, cluster, 0, NULL, NULL, NULL));
        tried++;
        if (ns == least && other_ns == other_least) {
            proven++;
            assert_int_equal(ns, other_ns);
        }
        /* The divided job is the written one then, to the last bit. */
        for (uint32_t t = 0; dag->stages == dag->tasks && t < dag->tasks; t++) {
            assert_int_equal(br_plan_of(plan, t).start_ns, br_plan_of(other, t).start_ns);
            assert_int_equal(br_plan_of(plan, t).machine, br_plan_of(other, t).machine);
        }
        br_plan_destroy(plan);
        br_plan_destroy(other);
        br_dag_destroy(plain);
        br_dag_destroy(dag);
    }
    assert_true(proven > tried * 4 / 5);
    br_cluster_destroy(cluster);
}

/* ---- Cases ---- */

static struct br_dag *two_stages(uint32_t parents, uint32_t children)
{
    struct br_dag *dag = br_dag_create("job");
    GOOD(br_dag_add_stage(dag, "a", parents, S, NULL, NULL));
    GOOD(br_dag_add_stage(dag, "b", children, S, NULL, NULL));
    return dag;
}

/* What the edge becomes that is given so. */
static void assert_settles(uint32_t parents, uint32_t children, uint32_t overlap, bool stays,
                           enum br_edge_type type)
{
    struct br_dag *dag = two_stages(parents, children);
    GOOD(br_dag_add_edge(dag, 0, 1, BR_RANGE, NULL));
    GOOD(br_dag_set_edge_overlap(dag, 0, 1, overlap, NULL));
    GOOD(br_dag_finish(dag, NULL));
    assert_int_equal(dag->written != NULL, stays);
    assert_int_equal(br_dag_written(dag)->edge[0].type, type);
    assert_int_equal(br_dag_stage_count(dag), stays ? parents + children : 2);
    br_dag_destroy(dag);
}

static void settling(void **state)
{
    assert_settles(1, 5, 0, false, BR_BARRIER);
    assert_settles(5, 1, 0, false, BR_BARRIER);
    assert_settles(5, 5, 0, false, BR_ONE_TO_ONE);
    assert_settles(5, 5, 4, false, BR_BARRIER);
    assert_settles(5, 5, 3, true, BR_RANGE);
    assert_settles(4, 2, 0, true, BR_RANGE);
    assert_settles(4, 2, 2, false, BR_BARRIER);
    assert_settles(2, 4, 0, true, BR_RANGE);
}

/* The type by which more is waited for counts, in whatever order they are given. */
static void repeated(void **state)
{
    const enum br_edge_type order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                           {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (uint32_t k = 0; k < 6; k++)
        for (uint32_t given = 1; given <= 3; given++) {
            struct br_dag *dag = two_stages(4, 4);
            bool barrier = false, range = false;
            for (uint32_t i = 0; i < given; i++) {
                GOOD(br_dag_add_edge(dag, 0, 1, order[k][i], NULL));
                barrier |= order[k][i] == BR_BARRIER;
                range |= order[k][i] == BR_RANGE;
            }
            if (range) {
                GOOD(br_dag_set_edge_overlap(dag, 0, 1, 1, NULL));
                GOOD(br_dag_set_edge_overlap(dag, 0, 1, 0, NULL)); /* the largest counts */
            }
            assert_int_equal(dag->edges, 1);
            GOOD(br_dag_finish(dag, NULL));
            const struct br_edge *edge = &br_dag_written(dag)->edge[0];
            assert_int_equal(edge->type, barrier ? BR_BARRIER : range ? BR_RANGE : BR_ONE_TO_ONE);
            assert_int_equal(edge->overlap, !barrier && range);
            br_dag_destroy(dag);
        }
}

static void refused(void **state)
{
    struct br_diag diag = {0};
    struct br_dag *dag = two_stages(4, 4);
    assert_int_equal(br_dag_set_edge_overlap(dag, 0, 1, 1, &diag), BR_BAD_INPUT);
    GOOD(br_dag_add_edge(dag, 0, 1, BR_ONE_TO_ONE, NULL));
    assert_int_equal(br_dag_set_edge_overlap(dag, 0, 1, 1, &diag), BR_BAD_INPUT);
    assert_non_null(strstr(diag.what, "has an overlap, and is no range"));
    GOOD(br_dag_add_edge(dag, 1, 0, BR_RANGE, NULL));
    assert_int_equal(br_dag_finish(dag, &diag), BR_BAD_INPUT);
    assert_non_null(strstr(diag.what, "a cycle of 2 tasks"));
    br_dag_destroy(dag);
    /* Two divided stages with a barrier between them have an edge for each pair of tasks. */
    dag = two_stages(6000, 6000);
    GOOD(br_dag_add_stage(dag, "c", 3000, S, NULL, NULL));
    GOOD(br_dag_add_edge(dag, 0, 1, BR_BARRIER, NULL));
    GOOD(br_dag_add_edge(dag, 0, 2, BR_RANGE, NULL));
    GOOD(br_dag_add_edge(dag, 1, 2, BR_RANGE, NULL));
    assert_int_equal(br_dag_finish(dag, &diag), BR_BAD_INPUT);
    assert_non_null(strstr(diag.what, "the edge from 'a' to 'b' takes the job over"));
    br_dag_destroy(dag);
    dag = two_stages(BR_MAX_STAGES, 3);
    GOOD(br_dag_add_edge(dag, 0, 1, BR_RANGE, NULL));
    assert_int_equal(br_dag_finish(dag, &diag), BR_BAD_INPUT);
    assert_non_null(strstr(diag.what, "'b' takes the job over 5000000 stages"));
    br_dag_destroy(dag);
}

/* Bytes are shared out equally; attributes, weights and names stay with what they belong to. */
static void the_rest(void **state)
{
    struct br_dag *dag = two_stages(4, 2);
    GOOD(br_dag_add_stage(dag, "c", 5, S, NULL, NULL));
    GOOD(br_dag_add_edge(dag, 0, 1, BR_RANGE, NULL));
    GOOD(br_dag_add_attribute(dag, BR_OWNER_EDGE, br_dag_last_edge(dag), "why", "range", NULL));
    GOOD(br_dag_set_edge_bytes(dag, 0, 1, 10, NULL));
    GOOD(br_dag_add_edge(dag, 0, 2, BR_BARRIER, NULL));
    GOOD(br_dag_add_attribute(dag, BR_OWNER_STAGE, 1, "pool", "p", NULL));
    GOOD(br_dag_add_attribute(dag, BR_OWNER_JOB, 0, "shell", "true", NULL));
    GOOD(br_dag_finish(dag, NULL));
    assert_int_equal(dag->bytes, 10);
    const int64_t share[] = {3, 3, 2, 2};
    for (uint32_t k = 0; k < 4; k++)
        assert_int_equal(dag->edge[k].bytes, share[k]);
    assert_int_equal(dag->edges, 8);
    assert_int_equal(dag->attributes, 3); /* of the job and of b[0] and b[1]; the edge is several */
    assert_int_equal(dag->written->attributes, 3);
    assert_int_equal(dag->stage[6].tasks, 5); /* no range joins it */
    br_dag_replace_duration(dag, 1, UINT32_MAX, 7 * S);
    br_dag_replace_duration(dag, 6, 2, 8 * S);
    assert_int_equal(dag->written->duration_ns[1], 7 * S);
    assert_int_equal(dag->written->duration_ns[0], S);
    assert_int_equal(dag->written->duration_ns[8], 8 * S);
    GOOD(br_dag_set_name(dag, "other", NULL));
    assert_string_equal(dag->written->name, "other");
    GOOD(br_dag_reset(dag, "next", NULL));
    GOOD(br_dag_add_stage(dag, "a", 4, S, NULL, NULL));
    GOOD(br_dag_add_stage(dag, "b", 2, S, NULL, NULL));
    GOOD(br_dag_add_edge(dag, 0, 1, BR_RANGE, NULL));
    GOOD(br_dag_finish(dag, NULL));
    assert_int_equal(dag->stages, 6);
    GOOD(br_dag_reset(dag, "last", NULL));
    br_dag_destroy(dag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_range), cmocka_unit_test(same_edges), cmocka_unit_test(same_optimum),
        cmocka_unit_test(settling),  cmocka_unit_test(repeated),   cmocka_unit_test(refused),
        cmocka_unit_test(the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
