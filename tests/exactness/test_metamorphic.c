/* Changes of a job or a cluster whose effect on the optimum is known, whatever the optimum is.
 *
 * Nobody has to know the right answer: where a change cannot shorten the best plan, no lower bound
 * of the job before may be above a makespan of the job after, and a plan for the harder of the two
 * must hold for the easier one. Scaling all times or all amounts must give the very same plan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/rng.h"
#include "planner/instance/plan.h"
#include "tests/support/random_job.h"

enum { JOBS = 1500, TASKS = 18 };

/* The differences of the copy. All zero: none. */
struct change {
    int64_t times;         /* durations times this; 0: as they are */
    int32_t amounts;       /* all amounts times ten to this */
    bool twin_resources;   /* every resource twice, under two names */
    bool reversed;         /* every edge the other way round */
    bool parallel_stages;  /* stages of several tasks with barriers only become two stages */
    bool one_machine_more; /* like those of the first class */
    bool one_edge_more;    /* a barrier between the first two stages that have none, by number */
    bool one_edge_less;    /* without the last one */
    bool longer;           /* the first stage by a quarter second a task */
};

static void amount_text(struct br_decimal amount, int32_t shift, char *text, size_t size)
{
    if (amount.mantissa)
        amount.exponent += shift;
    assert_true(br_decimal_format(amount, text, size) > 0);
}

static struct br_cluster *copy_cluster(const struct br_cluster *from, const struct change *change)
{
    struct br_cluster *to = br_cluster_create(NULL);
    assert_non_null(to);
    uint32_t classes = from->classes + change->one_machine_more;
    for (uint32_t c = 0; c < classes; c++) {
        const struct br_class *cls = &from->cls[c < from->classes ? c : 0];
        uint32_t number, count = c < from->classes ? cls->count : 1;
        const char *name = c < from->classes ? cls->name : "more";
        assert_int_equal(br_cluster_add_class(to, name, count, &number, NULL), BR_OK);
        for (uint32_t k = 0; k < cls->capacities; k++) {
            char amount[BR_DECIMAL_TEXT], twin[64];
            amount_text(cls->capacity[k].amount, change->amounts, amount, sizeof amount);
            assert_int_equal(
                br_cluster_add_capacity(to, number, cls->capacity[k].resource, amount, NULL),
                BR_OK);
            snprintf(twin, sizeof twin, "twin of %s", cls->capacity[k].resource);
            if (change->twin_resources)
                assert_int_equal(br_cluster_add_capacity(to, number, twin, amount, NULL), BR_OK);
        }
    }
    return to;
}

static bool barriers_only(const struct br_dag *dag, uint32_t stage)
{
    for (uint32_t e = 0; e < dag->edges; e++)
        if ((dag->edge[e].parent == stage || dag->edge[e].child == stage) &&
            dag->edge[e].type != BR_BARRIER)
            return false;
    return true;
}

static bool is_reached(const struct br_dag *dag, uint32_t from, uint32_t to)
{
    bool *seen = calloc(dag->stages, sizeof *seen);
    seen[from] = true;
    for (uint32_t k = 0; k < dag->stages; k++)
        for (uint32_t e = 0; e < dag->edges; e++)
            if (dag->edge[e].parent == dag->topological[k] && seen[dag->topological[k]])
                seen[dag->edge[e].child] = true;
    bool answer = seen[to];
    free(seen);
    return answer;
}

/* Adds stage `from` of the other job as one with the tasks first .. first + tasks - 1 of it. */
static uint32_t copy_stage(struct br_dag *to, const struct br_dag *dag, uint32_t from,
                           const char *suffix, uint32_t first, uint32_t tasks,
                           const struct change *change)
{
    const struct br_stage *stage = &dag->stage[from];
    int64_t times = change->times ? change->times : 1;
    int64_t more = change->longer && from == 0 ? 250000000 : 0;
    char id[64], text[BR_DECIMAL_TEXT];
    uint32_t number;
    snprintf(id, sizeof id, "%s%s", stage->id, suffix);
    assert_int_equal(br_dag_add_stage(to, id, tasks, stage->duration_ns * times, &number, NULL),
                     BR_OK);
    for (uint32_t i = 0; i < tasks; i++) {
        int64_t lasts = dag->duration_ns[stage->first_task + first + i] * times + more;
        assert_int_equal(br_dag_set_duration(to, number, i, lasts, NULL), BR_OK);
    }
    for (uint32_t d = stage->first_demand; d < stage->first_demand + stage->demands; d++) {
        const char *resource = dag->resource[dag->demand[d].resource].name;
        char twin[64];
        amount_text(dag->demand[d].amount, change->amounts, text, sizeof text);
        assert_int_equal(br_dag_add_demand(to, number, resource, text, NULL), BR_OK);
        snprintf(twin, sizeof twin, "twin of %s", resource);
        if (change->twin_resources)
            assert_int_equal(br_dag_add_demand(to, number, twin, text, NULL), BR_OK);
    }
    return number;
}

static void add_edge(struct br_dag *to, const struct change *change, uint32_t parent,
                     uint32_t child, enum br_edge_type type)
{
    if (change->reversed)
        assert_int_equal(br_dag_add_edge(to, child, parent, type, NULL), BR_OK);
    else
        assert_int_equal(br_dag_add_edge(to, parent, child, type, NULL), BR_OK);
}

static void add_an_edge(struct br_dag *to, const struct br_dag *dag)
{
    for (uint32_t a = 0; a < dag->stages; a++)
        for (uint32_t b = a + 1; b < dag->stages; b++)
            if (!is_reached(dag, a, b) && !is_reached(dag, b, a)) {
                assert_int_equal(br_dag_add_edge(to, a, b, BR_BARRIER, NULL), BR_OK);
                return;
            }
}

static struct br_dag *copy_dag(const struct br_dag *dag, const struct change *change)
{
    struct br_dag *to = br_dag_create("changed");
    uint32_t *one = calloc(dag->stages, sizeof *one), *two = calloc(dag->stages, sizeof *two);
    for (uint32_t s = 0; s < dag->stages; s++) {
        uint32_t tasks = dag->stage[s].tasks;
        bool halves = change->parallel_stages && tasks > 1 && barriers_only(dag, s);
        uint32_t half = halves ? tasks / 2 : tasks;
        one[s] = two[s] = copy_stage(to, dag, s, "", 0, half, change);
        if (halves)
            two[s] = copy_stage(to, dag, s, " again", half, tasks - half, change);
    }
    for (uint32_t e = 0; e + change->one_edge_less < dag->edges; e++) {
        uint32_t p = dag->edge[e].parent, c = dag->edge[e].child;
        add_edge(to, change, one[p], one[c], dag->edge[e].type);
        if (two[p] != one[p])
            add_edge(to, change, two[p], one[c], dag->edge[e].type);
        if (two[c] != one[c])
            add_edge(to, change, one[p], two[c], dag->edge[e].type);
        if (two[p] != one[p] && two[c] != one[c])
            add_edge(to, change, two[p], two[c], dag->edge[e].type);
    }
    if (change->one_edge_more)
        add_an_edge(to, dag);
    assert_int_equal(br_dag_finish(to, NULL), BR_OK);
    free(one);
    free(two);
    return to;
}

/* The job and its change, planned alike. */
struct pair {
    struct random_job job[2];
    struct br_plan *plan[2];
};

static const char *const methods[] = {"best", "graphene", "cp", "packing", "strip-part", "bfs"};

static bool open_pair(struct pair *pair, uint64_t seed, const struct change *change)
{
    struct br_plan_options options = br_plan_options_default();
    *pair = (struct pair){0};
    assert_true(random_job_make(seed, 1 + seed % TASKS, 0, &pair->job[0]));
    pair->job[1].dag = copy_dag(pair->job[0].dag, change);
    pair->job[1].cluster = copy_cluster(pair->job[0].cluster, change);
    options.method = methods[seed % (sizeof methods / sizeof *methods)];
    options.effort = BR_EFFORT_FAST;
    options.threads = 1;
    options.seed = seed;
    for (int k = 0; k < 2; k++)
        assert_int_equal(
            br_plan_make(pair->job[k].dag, pair->job[k].cluster, &options, &pair->plan[k], NULL),
            BR_OK);
    return true;
}

static void close_pair(struct pair *pair)
{
    for (int k = 0; k < 2; k++) {
        br_plan_destroy(pair->plan[k]);
        random_job_finish(&pair->job[k]);
    }
}

/* No lower bound of `easier` is above a makespan of `harder`. */
static void check_bounds(const struct pair *pair, int easier, int harder)
{
    assert_true(br_plan_lower_bound_ns(pair->plan[easier]) <=
                br_plan_makespan_ns(pair->plan[harder]));
}

static void check_holds(const struct pair *pair, int plan, int job)
{
    struct br_diag diag = {0};
    if (br_plan_verify(pair->plan[plan], pair->job[job].dag, pair->job[job].cluster, 1, NULL, NULL,
                       &diag))
        fail_msg("the plan of %d does not hold for %d: %s", plan, job, diag.what);
}

/* ---- Changes that keep the optimum ---- */

static void test_scaled(void **state)
{
    static const struct change changes[] = {
        {.times = 2},   {.times = 1000}, {.times = 7},
        {.amounts = 1}, {.amounts = -3}, {.amounts = 4},
    };
    for (uint64_t seed = 1; seed <= random_jobs(JOBS); seed++) {
        struct pair pair;
        const struct change *change = &changes[seed / 6 % (sizeof changes / sizeof *changes)];
        int64_t times = change->times ? change->times : 1;
        open_pair(&pair, seed, change);
        for (uint32_t t = 0; t < pair.plan[0]->tasks; t++) {
            assert_true(pair.plan[1]->start_ns[t] == pair.plan[0]->start_ns[t] * times);
            assert_int_equal(pair.plan[1]->machine[t], pair.plan[0]->machine[t]);
        }
        assert_true(br_plan_lower_bound_ns(pair.plan[1]) ==
                    br_plan_lower_bound_ns(pair.plan[0]) * times);
        close_pair(&pair);
    }
}

/* Both are proven, so equally long; how often that is, keeps the test from comparing nothing. */
static unsigned same_optimum(const struct pair *pair)
{
    check_bounds(pair, 0, 1);
    check_bounds(pair, 1, 0);
    bool proven = true;
    for (int k = 0; k < 2; k++)
        proven =
            proven && br_plan_lower_bound_ns(pair->plan[k]) == br_plan_makespan_ns(pair->plan[k]);
    if (proven)
        assert_true(br_plan_makespan_ns(pair->plan[0]) == br_plan_makespan_ns(pair->plan[1]));
    return proven;
}

static void check_same(const struct change *change, bool plans_hold)
{
    unsigned proven = 0, jobs = random_jobs(JOBS);
    for (uint64_t seed = 1; seed <= jobs; seed++) {
        struct pair pair;
        open_pair(&pair, seed, change);
        proven += same_optimum(&pair);
        if (plans_hold) {
            check_holds(&pair, 0, 1);
            check_holds(&pair, 1, 0);
        }
        close_pair(&pair);
    }
    assert_true(proven > jobs / 2);
}

static void test_twin_resources(void **state)
{
    check_same(&(struct change){.twin_resources = true}, true);
}

static void test_reversed(void **state)
{
    check_same(&(struct change){.reversed = true}, false);
}

static void test_parallel_stages(void **state)
{
    check_same(&(struct change){.parallel_stages = true}, false);
}

/* The same stages in another order: the bound does not depend on how they are numbered. */
static void test_permuted(void **state)
{
    unsigned proven = 0, jobs = random_jobs(JOBS);
    for (uint64_t seed = 1; seed <= jobs; seed++) {
        struct pair pair;
        open_pair(&pair, seed, &(struct change){0});
        br_plan_destroy(pair.plan[1]);
        random_job_finish(&pair.job[1]);
        assert_true(random_job_make(seed, 1 + seed % TASKS, seed + 77, &pair.job[1]));
        struct br_plan_options options = br_plan_options_default();
        options.effort = BR_EFFORT_FAST;
        options.threads = 1;
        assert_int_equal(
            br_plan_make(pair.job[1].dag, pair.job[1].cluster, &options, &pair.plan[1], NULL),
            BR_OK);
        proven += same_optimum(&pair);
        int64_t bound[2];
        for (int k = 0; k < 2; k++)
            assert_int_equal(br_bound(pair.job[k].dag, pair.job[k].cluster, &bound[k], NULL, NULL),
                             BR_OK);
        assert_true(bound[0] == bound[1]);
        close_pair(&pair);
    }
    assert_true(proven > jobs / 2);
}

/* ---- Changes that move it one way ---- */

/* Job `easier` of the pair cannot need longer than the other; plans of the harder hold for it where
 * `holds`. */
static void check_one_way(const struct change *change, int easier, bool holds)
{
    for (uint64_t seed = 1; seed <= random_jobs(JOBS); seed++) {
        struct pair pair;
        int harder = !easier;
        open_pair(&pair, seed, change);
        check_bounds(&pair, easier, harder);
        if (holds)
            check_holds(&pair, harder, easier);
        close_pair(&pair);
    }
}

static void test_one_machine_more(void **state)
{
    check_one_way(&(struct change){.one_machine_more = true}, 1, true);
}

static void test_one_edge_more(void **state)
{
    check_one_way(&(struct change){.one_edge_more = true}, 0, true);
}

static void test_one_edge_less(void **state)
{
    check_one_way(&(struct change){.one_edge_less = true}, 1, true);
}

static void test_longer(void **state)
{
    check_one_way(&(struct change){.longer = true}, 0, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scaled),        cmocka_unit_test(test_twin_resources),
        cmocka_unit_test(test_reversed),      cmocka_unit_test(test_parallel_stages),
        cmocka_unit_test(test_permuted),      cmocka_unit_test(test_one_machine_more),
        cmocka_unit_test(test_one_edge_more), cmocka_unit_test(test_one_edge_less),
        cmocka_unit_test(test_longer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
