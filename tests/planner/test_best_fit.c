/* The index over machines answers as a look at every machine does, whatever happened before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/numbers/rng.h"
#include "planner/space/best_fit.h"
#include "planner/space/fit_tree.h"

enum { ROUNDS = 60, STEPS = 2000, STAGES = 90, CLASSES = 4, MACHINES = 200, RESOURCES = 3 };

/* Machines of several classes, which differ in what they offer; stages of one to forty tasks. */
static struct br_instance *instance_of(struct br_rng *rng)
{
    static const char *const resource[RESOURCES] = {"a", "b", "c"};
    struct br_dag *dag = br_dag_create("fit");
    struct br_cluster *cluster = br_cluster_create("fit");
    struct br_instance *in = NULL;
    uint32_t classes = 1 + (uint32_t)br_rng_below(rng, CLASSES);
    uint32_t resources = (uint32_t)br_rng_below(rng, RESOURCES + 1);
    char text[32];
    for (uint32_t c = 0; c < classes; c++) {
        uint32_t most = (uint32_t)br_rng_below(rng, 3) ? MACHINES / CLASSES : 3;
        snprintf(text, sizeof text, "c%u", c);
        assert_int_equal(
            br_cluster_add_class(cluster, text, 1 + (uint32_t)br_rng_below(rng, most), NULL, NULL),
            BR_OK);
        for (uint32_t r = 0; r < resources; r++) {
            snprintf(text, sizeof text, "%u", 10 + 5 * (unsigned)br_rng_below(rng, 3));
            assert_int_equal(br_cluster_add_capacity(cluster, c, resource[r], text, NULL), BR_OK);
        }
    }
    for (uint32_t s = 0; s < STAGES; s++) {
        uint32_t tasks = br_rng_below(rng, 2) ? 1 : 1 + (uint32_t)br_rng_below(rng, 40);
        snprintf(text, sizeof text, "s%u", s);
        assert_int_equal(br_dag_add_stage(dag, text, tasks, 1, NULL, NULL), BR_OK);
        for (uint32_t r = 0; r < resources; r++) {
            /* The first stage keeps every resource in the instance. */
            snprintf(text, sizeof text, "%u", s ? (unsigned)br_rng_below(rng, 7) : 1);
            assert_int_equal(br_dag_add_demand(dag, s, resource[r], text, NULL), BR_OK);
        }
    }
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_instance_create(dag, cluster, &in, NULL), BR_OK);
    assert_int_equal(in->resources, resources);
    br_dag_destroy(dag);
    br_cluster_destroy(cluster);
    return in;
}

struct model {
    int64_t free[MACHINES][RESOURCES];
    bool there[MACHINES];
};

static bool holds(const struct br_instance *in, const struct model *model, uint32_t machine,
                  uint32_t stage)
{
    for (uint32_t r = 0; r < in->resources; r++)
        if (model->free[machine][r] < in->demand[stage * in->resources + r])
            return false;
    return model->there[machine];
}

static void check(const struct br_instance *in, const struct model *model,
                  struct br_best_fit *index, uint32_t stage)
{
    uint32_t best = BR_BEST_FIT_NONE, next = br_best_fit_next(index, stage, 0);
    double least = 0;
    for (uint32_t m = 0; m < in->machines; m++) {
        if (!holds(in, model, m, stage))
            continue;
        assert_int_equal(next, m);
        next = br_best_fit_next(index, stage, m + 1);
        double slack = 0;
        for (uint32_t r = 0; r < in->resources; r++) {
            uint32_t c = br_instance_machine_class(in, m);
            double capacity = (double)in->capacity[c * in->resources + r];
            slack += (double)in->demand[stage * in->resources + r] * (double)model->free[m][r] *
                     (1 / (capacity * capacity));
        }
        assert_true(br_best_fit_slack(index, stage, m, model->free[m]) == slack);
        if (best == BR_BEST_FIT_NONE || slack < least) {
            best = m;
            least = slack;
        }
    }
    assert_int_equal(next, BR_BEST_FIT_NONE);
    assert_int_equal(br_best_fit_find(index, stage), best);
}

/* One change: a machine leaves, or has another free vector, full, empty or between. */
static uint32_t change(const struct br_instance *in, struct model *model, struct br_best_fit *index,
                       struct br_rng *rng)
{
    uint32_t m = (uint32_t)br_rng_below(rng, in->machines), c = br_instance_machine_class(in, m);
    uint32_t how = (uint32_t)br_rng_below(rng, 8);
    model->there[m] = how > 0;
    for (uint32_t r = 0; r < in->resources; r++) {
        int64_t capacity = in->capacity[c * in->resources + r];
        model->free[m][r] =
            how == 1 ? capacity : (int64_t)br_rng_below(rng, (uint64_t)capacity + 1);
    }
    br_best_fit_set(index, m, model->there[m] ? model->free[m] : NULL);
    return m;
}

static void test_as_a_look_at_all(void **state)
{
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        struct br_rng rng = br_rng_seed(seed);
        struct br_instance *in = instance_of(&rng);
        struct br_best_fit index;
        static struct model model;
        memset(&model, 0, sizeof model);
        assert_true(br_best_fit_init(&index, in));
        for (uint32_t step = 0; step < STEPS; step++) {
            /* Bursts of one stage meet what is remembered, long gaps what is out of date. */
            uint32_t stage = (uint32_t)br_rng_below(&rng, step % 3 ? STAGES : 2);
            uint32_t changes =
                br_rng_below(&rng, 50) ? (uint32_t)br_rng_below(&rng, 3) : 2 * BR_BEST_FIT_CHANGES;
            for (uint32_t k = 0; k < changes; k++)
                change(in, &model, &index, &rng);
            check(in, &model, &index, stage);
        }
        br_best_fit_finish(&index);
        br_instance_destroy(in);
    }
}

/* Machine after machine is filled with copies of one task: the order is that of the slack, and at
 * the end none is left. */
static void test_fills_up(void **state)
{
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        struct br_rng rng = br_rng_seed(1000 + seed);
        struct br_instance *in = instance_of(&rng);
        struct br_best_fit index;
        static struct model model;
        memset(&model, 0, sizeof model);
        assert_true(br_best_fit_init(&index, in));
        for (uint32_t k = 0; k < 4 * MACHINES; k++)
            change(in, &model, &index, &rng);
        for (uint32_t stage = 0; stage < STAGES; stage++) {
            uint32_t m;
            for (uint32_t left = in->stage_first[stage + 1] - in->stage_first[stage]; left;
                 left--) {
                check(in, &model, &index, stage);
                if ((m = br_best_fit_find(&index, stage)) == BR_BEST_FIT_NONE)
                    break;
                for (uint32_t r = 0; r < in->resources; r++)
                    model.free[m][r] -= in->demand[stage * in->resources + r];
                br_best_fit_set(&index, m, model.free[m]);
            }
        }
        br_best_fit_finish(&index);
        br_instance_destroy(in);
    }
}

/* While nothing runs no index is needed: of equal machines the first. */
static void test_empty_cluster(void **state)
{
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        struct br_rng rng = br_rng_seed(2000 + seed);
        struct br_instance *in = instance_of(&rng);
        struct br_best_fit index;
        const int64_t nothing = 0; /* of a job without resources the index keeps one, too */
        assert_true(br_best_fit_init(&index, in));
        for (uint32_t m = 0; m < in->machines; m++) {
            const int64_t *all = in->capacity + br_instance_machine_class(in, m) * in->resources;
            br_best_fit_set(&index, m, in->resources ? all : &nothing);
        }
        for (uint32_t stage = 0; stage < STAGES; stage++)
            assert_int_equal(br_best_fit_empty(in, stage), br_best_fit_find(&index, stage));
        br_best_fit_finish(&index);
        br_instance_destroy(in);
    }
}

/* Places, few of which are set: the next one below a bound is that of a look at all owners, with a
 * leaf for each place and with one for many. Owners crowd where blocks begin and end. */
static void test_places(void **state)
{
    enum { OWNERS = 40, WIDTH = 2, MANY = 100000 };
    struct br_rng rng = br_rng_seed(7);
    for (uint32_t round = 0; round < 4; round++) {
        const uint32_t places = round % 2 ? MANY : 700;
        int64_t vector[OWNERS * WIDTH];
        uint32_t mine[OWNERS];
        struct br_fit_places all;
        for (uint32_t k = 0; k < OWNERS * WIDTH; k++)
            vector[k] = (int64_t)br_rng_below(&rng, 9);
        for (uint32_t k = 0; k < OWNERS; k++)
            mine[k] = BR_FIT_NONE;
        assert_true(br_fit_places_init(&all, places, OWNERS, WIDTH, vector));
        for (uint32_t step = 0; step < 20000; step++) {
            const uint32_t owner = (uint32_t)br_rng_below(&rng, OWNERS);
            uint32_t to = BR_FIT_NONE;
            if (br_rng_below(&rng, 3)) {
                to = (uint32_t)br_rng_below(&rng, br_rng_below(&rng, 2) ? places : 130);
                for (uint32_t k = 0; k < OWNERS; k++)
                    to = mine[k] == to ? BR_FIT_NONE : to;
            }
            br_fit_places_move(&all, owner, mine[owner], to);
            mine[owner] = to;
            const int64_t bound[WIDTH] = {(int64_t)br_rng_below(&rng, 9),
                                          (int64_t)br_rng_below(&rng, 9)};
            const uint32_t from = (uint32_t)br_rng_below(&rng, br_rng_below(&rng, 2) ? places : 64);
            uint32_t next = BR_FIT_NONE;
            for (uint32_t k = 0; k < OWNERS; k++)
                if (mine[k] != BR_FIT_NONE && mine[k] >= from && mine[k] < next &&
                    vector[k * WIDTH] <= bound[0] && vector[k * WIDTH + 1] <= bound[1])
                    next = mine[k];
            assert_int_equal(br_fit_places_next(&all, from, bound), next);
        }
        assert_true(all.tree.leaves <= (places > 700 ? 2048 : 1024));
        br_fit_places_finish(&all);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_a_look_at_all),
        cmocka_unit_test(test_fills_up),
        cmocka_unit_test(test_empty_cluster),
        cmocka_unit_test(test_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
