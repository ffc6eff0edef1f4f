/* The space against the plainest model of one: a free vector for every tick and machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/rng.h"
#include "planner/space/holes.h"
#include "planner/space/space.h"

enum {
    MACHINES = 5,
    RESOURCES = 2,
    HORIZON = 400,
    ZERO = 200,
    STEPS = 60,
    CASES = 300,
    LONG_STEPS = 700, /* so many that machines have breakpoints in several blocks */
    LONG_CASES = 10,
    STAGES = 6
};

struct model {
    int64_t free[MACHINES][HORIZON][RESOURCES];
};

static struct br_instance *make_instance(struct br_rng *rng)
{
    struct br_dag *dag = br_dag_create("space");
    struct br_cluster *cluster = br_cluster_create(NULL);
    struct br_instance *in = NULL;
    char text[32];
    for (uint32_t s = 0; s < STAGES; s++) {
        snprintf(text, sizeof text, "s%u", s);
        assert_int_equal(br_dag_add_stage(dag, text, 1, 1, NULL, NULL), BR_OK);
        for (int r = 0; r < RESOURCES; r++) {
            snprintf(text, sizeof text, "%u", (unsigned)br_rng_below(rng, 4) + (r == 0));
            assert_int_equal(br_dag_add_demand(dag, s, r ? "b" : "a", text, NULL), BR_OK);
        }
    }
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_cluster_add_class(cluster, "x", 3, NULL, NULL), BR_OK);
    assert_int_equal(br_cluster_add_class(cluster, "y", 2, NULL, NULL), BR_OK);
    for (uint32_t c = 0; c < 2; c++) {
        assert_int_equal(br_cluster_add_capacity(cluster, c, "a", c ? "6" : "4", NULL), BR_OK);
        assert_int_equal(br_cluster_add_capacity(cluster, c, "b", c ? "3" : "5", NULL), BR_OK);
    }
    assert_int_equal(br_instance_create(dag, cluster, &in, NULL), BR_OK);
    br_dag_destroy(dag);
    br_cluster_destroy(cluster);
    return in;
}

static uint32_t class_of(uint32_t machine)
{
    return machine < 3 ? 0 : 1;
}

static void clear(struct model *model, const struct br_instance *in)
{
    for (uint32_t m = 0; m < MACHINES; m++)
        for (int t = 0; t < HORIZON; t++)
            for (uint32_t r = 0; r < in->resources; r++)
                model->free[m][t][r] = in->capacity[class_of(m) * in->resources + r];
}

static int fits(const struct model *model, const struct br_instance *in, uint32_t stage,
                int64_t duration, int64_t start, uint32_t machine)
{
    int copies = 1000;
    for (int64_t t = start; t < start + duration; t++)
        for (uint32_t r = 0; r < in->resources; r++) {
            int64_t demand = in->demand[stage * in->resources + r];
            if (demand && model->free[machine][t + ZERO][r] / demand < copies)
                copies = (int)(model->free[machine][t + ZERO][r] / demand);
        }
    return copies;
}

static double slack(const struct model *model, const struct br_instance *in, uint32_t stage,
                    int64_t tick, uint32_t machine)
{
    double sum = 0;
    for (uint32_t r = 0; r < in->resources; r++) {
        double capacity = (double)in->capacity[class_of(machine) * in->resources + r];
        if (capacity > 0)
            sum += (double)in->demand[stage * in->resources + r] *
                   (double)model->free[machine][tick + ZERO][r] * (1.0 / (capacity * capacity));
    }
    return sum;
}

/* Every tick and machine in turn. */
static struct br_fit search(const struct model *model, const struct br_instance *in, uint32_t stage,
                            int64_t duration, int64_t bound, int forward)
{
    for (int64_t t = forward ? bound : bound - duration;; t += forward ? 1 : -1) {
        struct br_fit best = {t, UINT32_MAX};
        double least = 0;
        for (uint32_t m = 0; m < MACHINES; m++) {
            double s = slack(model, in, stage, forward ? t : t + duration - 1, m);
            if (fits(model, in, stage, duration, t, m) > 0 &&
                (best.machine == UINT32_MAX || s < least)) {
                best.machine = m;
                least = s;
            }
        }
        if (best.machine != UINT32_MAX)
            return best;
    }
}

static void change(struct model *model, const struct br_instance *in, uint32_t stage,
                   int64_t duration, struct br_fit fit, int64_t copies)
{
    for (int64_t t = fit.start; t < fit.start + duration; t++)
        for (uint32_t r = 0; r < in->resources; r++)
            model->free[fit.machine][t + ZERO][r] -= copies * in->demand[stage * in->resources + r];
}

static void test_against_model(void **state)
{
    struct model *model = malloc(sizeof *model);
    for (uint64_t seed = 0; seed < CASES + LONG_CASES; seed++) {
        int steps = seed < CASES ? STEPS : LONG_STEPS, around = seed < CASES ? 15 : 120;
        struct br_rng rng = br_rng_seed(seed);
        struct br_instance *in = make_instance(&rng);
        struct br_space *space = br_space_create(in);
        struct {
            struct br_fit fit;
            int64_t duration;
            uint32_t stage, copies;
        } done[LONG_STEPS];
        int n = 0;
        clear(model, in);
        for (int k = 0; k < steps; k++) {
            if (n && br_rng_below(&rng, 8) == 0) { /* undo a few, in reverse */
                int most = seed < CASES || k > 0.9 * steps ? n : n < 9 ? n : 9;
                int keep = n - 1 - (int)br_rng_below(&rng, (uint64_t)most);
                for (; n > keep; n--)
                    change(model, in, done[n - 1].stage, done[n - 1].duration, done[n - 1].fit,
                           -(int64_t)done[n - 1].copies);
                br_space_undo(space, (uint64_t)keep);
                assert_int_equal(br_space_mark(space), keep);
            }
            uint32_t stage = (uint32_t)br_rng_below(&rng, STAGES);
            int64_t duration = 1 + (int64_t)br_rng_below(&rng, 6);
            int64_t bound = (int64_t)br_rng_below(&rng, 2 * (uint64_t)around) - around;
            int forward = (int)br_rng_below(&rng, 2);
            struct br_fit want = search(model, in, stage, duration, bound, forward);
            struct br_fit fit = forward ? br_space_earliest(space, stage, duration, bound)
                                        : br_space_latest(space, stage, duration, bound);
            assert_int_equal(fit.start, want.start);
            assert_int_equal(fit.machine, want.machine);
            uint32_t copies = br_space_copies(space, stage, duration, fit, 3);
            int most = fits(model, in, stage, duration, fit.start, fit.machine);
            assert_int_equal(copies, most < 3 ? most : 3);
            assert_true(br_space_place(space, stage, duration, fit, copies));
            change(model, in, stage, duration, fit, copies);
            done[n].fit = fit;
            done[n].duration = duration;
            done[n].stage = stage;
            done[n++].copies = copies;
            int64_t begin = INT64_MAX, end = INT64_MIN;
            for (int i = 0; i < n; i++) {
                if (done[i].fit.start < begin)
                    begin = done[i].fit.start;
                if (done[i].fit.start + done[i].duration > end)
                    end = done[i].fit.start + done[i].duration;
            }
            assert_int_equal(br_space_begin(space), begin);
            assert_int_equal(br_space_end(space), end);
        }
        br_space_undo(space, 0);
        assert_int_equal(br_space_begin(space), 0);
        assert_int_equal(br_space_end(space), 0);
        br_space_destroy(space);
        br_instance_destroy(in);
    }
    free(model);
}

static void test_no_duration(void **state)
{
    struct br_rng rng = br_rng_seed(7);
    struct br_instance *in = make_instance(&rng);
    struct br_space *space = br_space_create(in);
    /* Fill machine 0 over 0..10; a task without duration still goes there, and takes nothing. */
    struct br_fit fit = br_space_earliest(space, 0, 10, 0);
    uint32_t copies = br_space_copies(space, 0, 10, fit, 1000);
    assert_true(br_space_place(space, 0, 10, fit, copies));
    struct br_fit before = br_space_earliest(space, 1, 3, 0);
    struct br_fit none = br_space_earliest(space, 0, 0, 5);
    assert_int_equal(none.start, 5);
    assert_int_equal(br_space_copies(space, 0, 0, none, 1000), 1000);
    assert_true(br_space_place(space, 0, 0, none, 1000));
    struct br_fit after = br_space_earliest(space, 1, 3, 0);
    assert_int_equal(after.start, before.start);
    assert_int_equal(after.machine, before.machine);
    struct br_fit late = br_space_latest(space, 0, 0, 77);
    assert_int_equal(late.start, 77);
    assert_true(br_space_place(space, 0, 0, late, 1));
    assert_int_equal(br_space_end(space), 77);
    br_space_destroy(space);
    br_instance_destroy(in);
}

enum { SERIES = 400, SEARCHES = 150 };

/* Series of searches through an index over holes, among tasks of other stages, against a search of
 * the whole space for each: durations and bounds of any order, machines untouched and full. */
static void test_holes(void **state)
{
    unsigned inside = 0;
    for (uint64_t seed = 0; seed < SERIES; seed++) {
        struct br_rng rng = br_rng_seed(seed + 5000);
        struct br_instance *in = make_instance(&rng);
        struct br_space *space = br_space_create(in);
        struct br_holes *holes[2] = {br_holes_create(space), br_holes_create(space)};
        for (int round = 0; round < 3; round++) { /* one index serves many series */
            uint64_t mark = br_space_mark(space), limit = 2 + br_rng_below(&rng, 80);
            int64_t shortest = 1 + (int64_t)br_rng_below(&rng, 4), least[2];
            bool own_bounds = br_rng_below(&rng, 2);
            uint32_t stage[2];
            bool forward[2];
            for (int k = 0; k < 2; k++) {
                stage[k] = (uint32_t)br_rng_below(&rng, STAGES);
                forward[k] = br_rng_below(&rng, 2);
                least[k] = (int64_t)br_rng_below(&rng, 40) - 20;
                assert_true(br_holes_begin(holes[k], forward[k], stage[k], least[k], shortest));
            }
            for (int n = 0; n < SEARCHES; n++) {
                uint32_t k = (uint32_t)br_rng_below(&rng, 3);
                int64_t duration = shortest + (int64_t)br_rng_below(&rng, 12);
                int64_t later = own_bounds ? (int64_t)br_rng_below(&rng, limit) : 0;
                uint32_t any = (uint32_t)br_rng_below(&rng, STAGES);
                struct br_fit fit;
                if (k == 2) {
                    fit = br_space_find(space, later & 1, any, duration, least[0] + later);
                } else {
                    int64_t bound = forward[k] ? least[k] + later : least[k] - later;
                    any = stage[k];
                    struct br_fit want = br_space_find(space, forward[k], any, duration, bound);
                    assert_true(br_holes_find(holes[k], duration, bound, &fit));
                    assert_int_equal(fit.start, want.start);
                    assert_int_equal(fit.machine, want.machine);
                    inside += fit.start + (forward[k] ? 0 : duration) == bound && later;
                }
                assert_true(br_space_place(space, any, duration, fit, 1));
            }
            br_space_undo(space, mark);
        }
        br_holes_destroy(holes[0]);
        br_holes_destroy(holes[1]);
        br_space_destroy(space);
        br_instance_destroy(in);
    }
    assert_true(inside > SERIES); /* holes that begin before the bound were met */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_model),
        cmocka_unit_test(test_no_duration),
        cmocka_unit_test(test_holes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
