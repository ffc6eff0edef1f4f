/* The linear program's bounds against the optimum of very small jobs; the search for heavy sets
 * against trying all sets; the solver's abort. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <glpk.h>

#include "base/numbers/rng.h"
#include "lp/solver/cut.h"
#include "lp/solver/destructive.h"
#include "lp/solver/lines.h"
#include "lp/solver/master.h"
#include "planner/bounds/bounds.h"
#include "planner/bounds/certify.h"
#include "planner/check/proofs/certificate.h"
#include "planner/instance/part.h"
#include "tests/support/oracle.h"
#include "tests/support/random_job.h"

/* The sum of the parts' bounds, with its proof checked; *cases counts parts that are proven by
 * cases.
 */
static int64_t sum_of_parts(const struct br_dag *dag, const struct br_instance *in, int *cases)
{
    struct br_parts parts;
    struct br_diag diag = {0};
    int64_t sum = 0;
    assert_int_equal(br_parts_create(in, &parts, NULL), BR_OK);
    struct br_certificate *c = br_certificate_create(in->tick_ns, parts.count);
    for (uint32_t k = 0; k < parts.count; k++) {
        struct lp_budget budget = {1000, INT64_MAX, 0, false, 1};
        enum lp_end end;
        int64_t core = br_bounds_best(parts.part[k], INT64_MAX).ticks;
        assert_true(br_certify_part(&c->arena, in, parts.part[k], core, &c->part[k]));
        int64_t lines =
            lp_lines_bound(in, parts.part[k], NULL, core, &budget, &c->arena, &c->part[k]);
        assert_int_equal(c->part[k].bound, lines);
        int64_t ticks =
            lp_destructive_bound(in, parts.part[k], lines, &budget, &c->arena, &c->part[k], &end);
        assert_int_equal(c->part[k].bound, ticks);
        assert_true(ticks >= core);
        assert_int_equal(end, LP_END_DONE);
        if (cases)
            *cases += c->part[k].kind == BR_PROOF_FIRST || c->part[k].kind == BR_PROOF_LAST;
        sum += ticks;
    }
    if (br_certificate_check(c, dag, in, &diag))
        fail_msg("%s", diag.what);
    br_certificate_destroy(c);
    br_parts_finish(&parts);
    return sum;
}

static void no_bound_is_above_the_optimum(void **state)
{
    enum { CASES = 4000 };
    int tight = 0, raised = 0, cases = 0;
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        struct random_job job;
        struct br_instance *in;
        assert_true(random_job_make(seed, 7, 0, &job));
        assert_int_equal(br_instance_create(job.dag, job.cluster, &in, NULL), BR_OK);
        int64_t core = br_bounds_sum(in).ticks, bound = sum_of_parts(job.dag, in, &cases);
        bound = bound > core ? bound : core;
        /* Where the core's bound stands there is nothing new to compare. */
        if (bound > core) {
            int64_t optimum = oracle_optimum(in);
            if (bound > optimum)
                fail_msg("seed %d: the bound is %lld, the optimum %lld", (int)seed,
                         (long long)bound, (long long)optimum);
            tight += bound == optimum;
            raised++;
        }
        br_instance_destroy(in);
        random_job_finish(&job);
    }
    print_message(
        "raised the combinatorial bound in %d of %d jobs, in %d to the optimum; %d parts by "
        "cases\n",
        raised, CASES, tight, cases);
    assert_true(raised > 20);
}

/* Two machines of a resource each, s and r. t, q and p share s; w, b and a share r and wait for one
 * of them each; u waits for t. Windows and prices leave a plan of 11 open. But a and b take 7
 * together, so that q or p has to have ended by 4, before the first of them; either leaves too
 * little room for the others. */
static void cases_tell_what_windows_do_not(void **state)
{
    enum { STAGES = 7, EDGES = 4 };
    static const char *const id[] = {"t", "u", "q", "b", "p", "a", "w"};
    static const int64_t duration[] = {1, 4, 2, 2, 4, 5, 1};
    static const char *const resource[] = {"s", NULL, "s", "r", "s", "r", "r"};
    static const uint32_t edge[EDGES][2] = {{0, 1}, {2, 3}, {4, 5}, {0, 6}};
    for (int turned = 0; turned < 2; turned++) {
        struct br_dag *dag = br_dag_create("either");
        struct br_cluster *cluster = br_cluster_create(NULL);
        struct br_instance *in;
        int cases = 0;
        for (uint32_t s = 0; s < STAGES; s++) {
            assert_int_equal(br_dag_add_stage(dag, id[s], 1, duration[s], NULL, NULL), BR_OK);
            if (resource[s])
                assert_int_equal(br_dag_add_demand(dag, s, resource[s], "1", NULL), BR_OK);
        }
        for (uint32_t e = 0; e < EDGES; e++)
            assert_int_equal(
                br_dag_add_edge(dag, edge[e][turned], edge[e][!turned], BR_BARRIER, NULL), BR_OK);
        assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
        for (uint32_t m = 0; m < 2; m++) {
            const char *name = m ? "s" : "r";
            assert_int_equal(br_cluster_add_class(cluster, name, 1, NULL, NULL), BR_OK);
            assert_int_equal(br_cluster_add_capacity(cluster, m, name, "1", NULL), BR_OK);
        }
        assert_int_equal(br_instance_create(dag, cluster, &in, NULL), BR_OK);
        assert_int_equal(in->tick_ns, 1);
        assert_int_equal(sum_of_parts(dag, in, &cases), oracle_optimum(in));
        assert_int_equal(oracle_optimum(in), 12);
        assert_int_equal(cases, 1);
        br_instance_destroy(in);
        br_dag_destroy(dag);
        br_cluster_destroy(cluster);
    }
}

/* Every multiset of tasks, as digits. */
static int64_t heaviest(const struct lp_problem *p, uint32_t cls, const int64_t *weight, uint32_t v,
                        uint32_t *tasks)
{
    const struct br_instance *in = p->in;
    if (v == p->count) {
        int64_t sum = 0;
        for (uint32_t r = 0; r < in->resources; r++) {
            int64_t held = 0;
            for (uint32_t u = 0; u < p->count; u++)
                held += tasks[u] * in->demand[p->stage[u] * in->resources + r];
            if (held > in->capacity[cls * in->resources + r])
                return 0;
        }
        for (uint32_t u = 0; u < p->count; u++)
            for (uint32_t w = 0; w < p->count; w++)
                if (tasks[u] && tasks[w] && p->ahead[u * p->count + w])
                    return 0;
        for (uint32_t u = 0; u < p->count; u++)
            sum += tasks[u] * weight[u];
        return sum;
    }
    int64_t best = 0;
    for (tasks[v] = 0; tasks[v] <= p->tasks[v]; tasks[v]++) {
        int64_t sum = heaviest(p, cls, weight, v + 1, tasks);
        best = sum > best ? sum : best;
    }
    tasks[v] = 0;
    return best;
}

static void heavy_sets_are_found(void **state)
{
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        struct random_job job;
        struct br_instance *in;
        struct lp_problem p;
        struct br_rng rng = br_rng_seed(seed);
        assert_true(random_job_make(seed, 10, 0, &job));
        assert_int_equal(br_instance_create(job.dag, job.cluster, &in, NULL), BR_OK);
        assert_int_equal(lp_problem_init(&p, in, NULL), BR_OK);
        struct br_packing packing = lp_problem_packing(&p);
        struct br_packer *packer = p.count ? br_packer_create(&packing) : NULL;
        for (uint32_t cls = 0; packer && cls < in->classes; cls++) {
            int64_t weight[16], found, nodes = INT64_MAX / 2;
            uint32_t tasks[16] = {0}, set[16];
            for (uint32_t v = 0; v < p.count; v++)
                weight[v] = (int64_t)br_rng_below(&rng, 12) - 2;
            int64_t expected = heaviest(&p, cls, weight, 0, tasks);
            assert_int_equal(br_packer_heaviest(packer, cls, weight, 0, set, &found, &nodes),
                             expected);
            assert_int_equal(found, expected);
            int64_t sum = 0;
            for (uint32_t v = 0; found > 0 && v < p.count; v++)
                sum += weight[v] * set[v];
            assert_int_equal(sum, expected);
            /* Nothing heavier than what is known: nothing is found, the bound is the known one. */
            assert_int_equal(br_packer_heaviest(packer, cls, weight, expected, set, &found, &nodes),
                             expected);
            /* Without nodes the answer is no set, but still a bound. */
            nodes = 0;
            assert_true(br_packer_heaviest(packer, cls, weight, 0, set, &found, &nodes) >=
                        expected);
        }
        br_packer_destroy(packer);
        lp_problem_finish(&p);
        br_instance_destroy(in);
        random_job_finish(&job);
    }
}

/* Five tasks in a ring: each lacks room beside its two neighbours, so that two run at a time at
 * most, and five of 10 take 25. No resource and no clique has more than two tasks, which gives 20.
 */
static void raises_a_known_bound(void **state)
{
    struct br_dag *dag = br_dag_create("ring");
    struct br_cluster *cluster = br_cluster_create(NULL);
    struct br_instance *in;
    assert_int_equal(br_cluster_add_class(cluster, "m", 1, NULL, NULL), BR_OK);
    for (uint32_t s = 0; s < 5; s++) {
        const char id[] = {(char)('a' + s), 0}, own[] = {'r', (char)('0' + s), 0};
        const char next[] = {'r', (char)('0' + (s + 1) % 5), 0};
        assert_int_equal(br_dag_add_stage(dag, id, 1, 10, NULL, NULL), BR_OK);
        assert_int_equal(br_dag_add_demand(dag, s, own, "2", NULL), BR_OK);
        assert_int_equal(br_dag_add_demand(dag, s, next, "2", NULL), BR_OK);
        assert_int_equal(br_cluster_add_capacity(cluster, 0, own, "3", NULL), BR_OK);
    }
    assert_int_equal(br_dag_add_stage(dag, "unit", 1, 1, NULL, NULL), BR_OK); /* makes the tick 1 */
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_instance_create(dag, cluster, &in, NULL), BR_OK);
    assert_int_equal(br_bounds_sum(in).ticks, 20);
    assert_int_equal(sum_of_parts(dag, in, NULL), 25);
    br_instance_destroy(in);
    br_dag_destroy(dag);
    br_cluster_destroy(cluster);
}

/* Makes a job of these stages, of one resource, and compares the sum of the parts' bounds. Edges
 * are barriers. */
struct demanding {
    const char *name, *demand; /* NULL: nothing */
    uint32_t tasks;
    int64_t duration;
};

static void assert_bounds(const struct demanding *stage, uint32_t stages, uint32_t (*edge)[2],
                          uint32_t edges, uint32_t machines, const char *capacity, int64_t core,
                          int64_t ticks)
{
    struct br_dag *dag = br_dag_create("job");
    struct br_cluster *cluster = br_cluster_create(NULL);
    struct br_instance *in;
    assert_int_equal(br_cluster_add_class(cluster, "m", machines, NULL, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, 0, "r", capacity, NULL), BR_OK);
    for (uint32_t s = 0; s < stages; s++) {
        assert_int_equal(
            br_dag_add_stage(dag, stage[s].name, stage[s].tasks, stage[s].duration, NULL, NULL),
            BR_OK);
        if (stage[s].demand)
            assert_int_equal(br_dag_add_demand(dag, s, "r", stage[s].demand, NULL), BR_OK);
    }
    for (uint32_t e = 0; e < edges; e++)
        assert_int_equal(br_dag_add_edge(dag, edge[e][0], edge[e][1], BR_BARRIER, NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_instance_create(dag, cluster, &in, NULL), BR_OK);
    assert_int_equal(in->tick_ns, 1);
    assert_int_equal(br_bounds_sum(in).ticks, core);
    assert_int_equal(sum_of_parts(dag, in, NULL), ticks);
    br_instance_destroy(in);
    br_dag_destroy(dag);
    br_cluster_destroy(cluster);
}

/* 11 tasks of 7 and 3 of 4 on four machines, one at a time: 89 / 4 is 23. In less than 25 a machine
 * that runs three of the long ones runs no other, so that one machine is left for two of the long
 * and three of the short. */
static void lines_are_not_filled_by_work(void **state)
{
    static const struct demanding stage[] = {{"a", "1", 11, 7}, {"b", "1", 3, 4}};
    assert_bounds(stage, 2, NULL, 0, 4, "1", 23, 25);
}

/* Eight tasks of 3 on four machines, none before 4: by their rounds that is 4 + 2 x 3, and one more
 * by the work in it, with that of the task of 6. A machine that runs the latter has room for one of
 * the former before 12, and the other three hold two each. With all edges turned round it is the
 * same. */
static void lines_begin_when_tasks_can(void **state)
{
    static const struct demanding stage[] = {{"p", NULL, 1, 4}, {"s", "1", 8, 3}, {"q", "1", 1, 6}};
    uint32_t behind[][2] = {{0, 1}}, before[][2] = {{1, 0}};
    assert_bounds(stage, 3, behind, 1, 4, "1", 11, 12);
    assert_bounds(stage, 3, before, 1, 4, "1", 11, 12);
}

/* No two tasks of b (15 of 40) and a (13) leave room for a third, but three of a would fit. There
 * is one of a, so the eight tasks run as on four lines, of which one holds the 41 ticks of a and
 * the 30 of one of b, or 90 of three. By their work they take 63. */
static void covers_are_lines_too(void **state)
{
    static const struct demanding stage[] = {{"a", "13", 1, 41}, {"b", "15", 7, 30}};
    assert_bounds(stage, 2, NULL, 0, 2, "40", 60, 71);
}

/* Within 12 ticks x may run until 8 and y from 4 on, 4 ticks each; z, three tasks of 2 ticks, runs
 * whenever. So there are three intervals of 4 ticks. Whatever runs longer in one of them than its
 * tasks can is cut there, wherever the interval is, and nothing else is. */
static void every_interval_has_its_limit(void **state)
{
    enum { INTERVALS = 3 };
    static const double time[] = {
        4, 5,   0,   /* x: too long in the second */
        0, 4,   4.5, /* y: in the third */
        7, 6.5, 9,   /* z: 3 tasks of 2 ticks are 6, in each */
    };
    static const struct {
        uint32_t stage, interval;
        int64_t value;
    } want[] = {{0, 1, 4}, {1, 2, 4}, {2, 0, 6}, {2, 1, 6}, {2, 2, 6}};
    struct br_dag *dag = br_dag_create("limits");
    struct br_cluster *cluster = br_cluster_create(NULL);
    struct br_instance *in;
    struct lp_problem p;
    struct lp_intervals intervals;
    struct lp_cuts cuts = {0};
    uint32_t limits = 0;
    assert_int_equal(br_dag_add_stage(dag, "x", 1, 4, NULL, NULL), BR_OK);
    assert_int_equal(br_dag_add_stage(dag, "y", 1, 4, NULL, NULL), BR_OK);
    assert_int_equal(br_dag_add_stage(dag, "z", 3, 2, NULL, NULL), BR_OK);
    assert_int_equal(br_dag_add_stage(dag, "one", 1, 1, NULL, NULL),
                     BR_OK); /* so that a tick is 1 */
    assert_int_equal(br_dag_add_edge(dag, 0, 1, BR_BARRIER, NULL), BR_OK);
    for (uint32_t s = 0; s < 4; s++)
        assert_int_equal(br_dag_add_demand(dag, s, "cpu", "1", NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_cluster_add_class(cluster, "m", 1, NULL, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, 0, "cpu", "9", NULL), BR_OK);
    assert_int_equal(br_instance_create(dag, cluster, &in, NULL), BR_OK);
    assert_int_equal(in->tick_ns, 1);
    assert_int_equal(lp_problem_init(&p, in, NULL), BR_OK);
    assert_true(lp_intervals_init(&intervals, &p, 12));
    assert_int_equal(p.count, 4);
    assert_int_equal(intervals.count, INTERVALS);
    double runs[4 * INTERVALS] = {0};
    for (uint32_t v = 0; v < p.count; v++)
        if (p.stage[v] < 3)
            memcpy(runs + (size_t)v * INTERVALS, time + (size_t)p.stage[v] * INTERVALS,
                   INTERVALS * sizeof *runs);
    assert_true(lp_cuts_separate(&cuts, &p, &intervals, 12, runs));
    for (uint32_t c = 0; c < cuts.count; c++) {
        const struct lp_cut *cut = &cuts.cut[c];
        if (cut->kind != LP_CUT_LIMIT)
            continue;
        bool wanted = false;
        for (size_t k = 0; k < sizeof want / sizeof *want; k++)
            wanted |= p.stage[cut->stage[0]] == want[k].stage && cut->first == want[k].interval &&
                      cut->last == want[k].interval + 1 && cut->value == want[k].value;
        assert_true(wanted && cut->count == 1);
        limits++;
    }
    assert_int_equal(limits, sizeof want / sizeof *want);
    lp_cuts_finish(&cuts);
    lp_intervals_finish(&intervals);
    lp_problem_finish(&p);
    br_instance_destroy(in);
    br_dag_destroy(dag);
    br_cluster_destroy(cluster);
}

static void misuse_glpk(void *context)
{
    *(bool *)context = true;
    glp_prob *lp = glp_create_prob();
    glp_set_row_name(lp, 7, "there is no such row"); /* makes GLPK abort */
    *(bool *)context = false;
}

static void use_glpk(void *context)
{
    struct lp_master *master = lp_master_create();
    assert_non_null(master);
    const int row[] = {0, lp_master_add_row(master, LP_AT_LEAST, 3)};
    const double one[] = {0, 1};
    int column = lp_master_add_column(master, 1, row, one);
    assert_true(lp_master_solve(master, 1));
    *(double *)context = lp_master_value(master, column);
    lp_master_destroy(master);
}

static void an_abort_of_the_solver_is_survived(void **state)
{
    bool inside = false;
    double value = 0;
    assert_false(lp_guarded(misuse_glpk, &inside));
    assert_true(inside);
    assert_true(lp_guarded(use_glpk, &value));
    assert_true(value == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heavy_sets_are_found),
        cmocka_unit_test(raises_a_known_bound),
        cmocka_unit_test(lines_are_not_filled_by_work),
        cmocka_unit_test(lines_begin_when_tasks_can),
        cmocka_unit_test(covers_are_lines_too),
        cmocka_unit_test(every_interval_has_its_limit),
        cmocka_unit_test(an_abort_of_the_solver_is_survived),
        cmocka_unit_test(no_bound_is_above_the_optimum),
        cmocka_unit_test(cases_tell_what_windows_do_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
