/* What is held by time against plain arrays; and schedules of jobs with outputs that are made task
 * after task, from the begin and from the end, against the check of plans and all schedules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/collections/sort.h"
#include "base/numbers/rng.h"
#include "planner/general/backward.h"
#include "planner/general/held.h"
#include "planner/general/lister.h"
#include "planner/general/witness.h"
#include "planner/eligibility/features.h"
#include "planner/instance/plan.h"
#include "tests/support/feature_oracle.h"
#include "tests/support/random_features.h"

/* ---- What is held ---- */

enum { TIMES = 40, RESOURCES = 2, FAR = 2 * TIMES };

struct plain {
    int64_t used[FAR][RESOURCES]; /* by time; the last goes on */
};

/* Does the task fit at the time, by all times one after another? Of the resources the first counts.
 */
static bool fits_plainly(const struct plain *plain, const struct br_taken_fit *fit, int64_t start)
{
    const int64_t end = start + fit->duration;
    const int64_t gone = end > fit->freed_from ? end : fit->freed_from;
    for (int64_t t = start; t < FAR; t++) {
        const int64_t used = plain->used[t][0];
        int64_t need = t < end ? fit->run[0] : fit->stores ? fit->stay[0] : 0;
        if (t >= gone && fit->stores)
            need -= fit->frees[0];
        if (t < end ? need && used + need > fit->capacity[0]
                    : fit->stores && fit->stay[0] && used + need > fit->capacity[0])
            return false;
    }
    return true;
}

static int64_t fit_plainly(const struct plain *plain, const struct br_taken_fit *fit, int64_t start)
{
    for (; start < FAR - 20; start++)
        if (fits_plainly(plain, fit, start))
            return start;
    return INT64_MAX;
}

static void is_held_as_in_arrays(void **state)
{
    static const bool counts[RESOURCES] = {false, true};
    (void)state;
    for (uint64_t seed = 0; seed < 2000; seed++) {
        struct br_rng rng = br_rng_seed(seed);
        struct br_taken taken = {0};
        struct plain plain = {0};
        assert_true(br_taken_clear(&taken, RESOURCES));
        for (int k = 0; k < 12; k++) {
            const uint32_t r = (uint32_t)br_rng_below(&rng, RESOURCES);
            const int64_t from = (int64_t)br_rng_below(&rng, TIMES);
            const int64_t to = from + (int64_t)br_rng_below(&rng, 12);
            const int64_t amount = (int64_t)br_rng_below(&rng, 4);
            const bool ever = br_rng_below(&rng, 4) == 0;
            assert_true(ever ? br_taken_add(&taken, RESOURCES, r, from, amount)
                             : br_taken_hold(&taken, RESOURCES, r, from, to, amount));
            for (int64_t t = from; t < (ever ? FAR : to); t++)
                plain.used[t][r] += amount;
            const int64_t run[] = {1 + (int64_t)br_rng_below(&rng, 6), 99}, capacity[] = {12, 1};
            const int64_t stay[] = {(int64_t)br_rng_below(&rng, (uint64_t)run[0] + 1), 99};
            const int64_t frees[] = {(int64_t)br_rng_below(&rng, 4), 0};
            const int64_t begin = (int64_t)br_rng_below(&rng, TIMES);
            const struct br_taken_fit fit = {.duration = 1 + (int64_t)br_rng_below(&rng, 5),
                                             .freed_from = (int64_t)br_rng_below(&rng, TIMES),
                                             .run = run,
                                             .stay = stay,
                                             .frees = frees,
                                             .capacity = capacity,
                                             .counts = counts,
                                             .stores = br_rng_below(&rng, 2) == 0};
            assert_int_equal(br_taken_fit(&taken, RESOURCES, &fit, begin),
                             fit_plainly(&plain, &fit, begin));
        }
        for (int64_t t = 0; t < FAR; t++) {
            const int64_t *used = taken.used + (size_t)br_taken_span(&taken, t) * RESOURCES;
            assert_memory_equal(used, plain.used[t], RESOURCES * sizeof *used);
        }
        br_taken_finish(&taken);
    }
}

/* ---- Schedules ---- */

struct lists {
    struct random_job job;
    struct br_general *general;
    struct br_general_schedule schedule;
    uint32_t rank[RANDOM_JOB_TASKS];
};

static void shuffle(struct br_rng *rng, uint32_t *rank, uint32_t tasks)
{
    for (uint32_t t = 0; t < tasks; t++)
        rank[t] = t;
    for (uint32_t t = tasks; t > 1; t--) {
        const uint32_t other = (uint32_t)br_rng_below(rng, t), kept = rank[t - 1];
        rank[t - 1] = rank[other];
        rank[other] = kept;
    }
}

/* The plan of the schedule has to pass the check of plans, which shares no code with the lists. */
static void check_schedule(const struct lists *l)
{
    struct br_plan *plan = br_plan_create(l->general->tasks);
    int64_t makespan = 0;
    for (uint32_t t = 0; t < l->general->tasks; t++) {
        const int64_t end = l->schedule.start[t] + l->general->duration[t];
        plan->start_ns[t] = l->schedule.start[t];
        plan->machine[t] = l->schedule.machine[t];
        makespan = end > makespan ? end : makespan;
    }
    assert_int_equal(makespan, l->schedule.makespan);
    assert_int_equal(br_plan_rank(plan, l->job.dag, NULL), BR_OK);
    struct br_diag diag = {0};
    if (br_plan_verify(plan, l->job.dag, l->job.cluster, 1, NULL, NULL, &diag))
        fail_msg("%s", diag.what);
    br_plan_destroy(plan);
}

static bool run_list(struct lists *l, bool backward)
{
    if (backward) {
        struct br_backward *list = br_backward_create(l->general);
        assert_true(list && br_backward_run(list, l->rank, &l->schedule));
        br_backward_destroy(list);
    } else {
        struct br_lister *list = br_lister_create(l->general);
        assert_true(list && br_lister_run(list, l->rank, &l->schedule));
        br_lister_destroy(list);
    }
    return l->schedule.whole && !l->schedule.late;
}

/* Of some shuffled orders, and of the witness, from whose end no list comes to a dead end. The
 * shortest of those in which a list has a way; -1: it knows the job not. */
static int64_t try_orders(struct lists *l, struct br_rng *rng, bool backward)
{
    uint32_t order[RANDOM_JOB_TASKS], machine[RANDOM_JOB_TASKS];
    struct br_witness witness = {order, machine};
    int64_t best = INT64_MAX;
    if (backward ? !br_backward_knows(l->general) : !br_lister_knows(l->general))
        return -1;
    for (int k = 0; k < 40; k++) {
        shuffle(rng, l->rank, l->general->tasks);
        if (!run_list(l, backward))
            continue;
        check_schedule(l);
        best = l->schedule.makespan < best ? l->schedule.makespan : best;
    }
    if (!l->general->stored_on_machines && !l->general->deadlines &&
        br_witness_find(l->general, 100000, NULL, &witness, NULL) == BR_WITNESS_FOUND) {
        for (uint32_t k = 0; k < l->general->tasks; k++)
            l->rank[order[k]] = k;
        const bool whole = run_list(l, backward);
        assert_true(whole || !backward);
        if (whole) {
            check_schedule(l);
            best = l->schedule.makespan < best ? l->schedule.makespan : best;
        }
    }
    return best;
}

static void lists_make_plans(bool backward, uint64_t shared_seeds)
{
    uint32_t known = 0, shortest = 0, whole = 0;
    for (uint64_t seed = 0; seed < shared_seeds; seed++) {
        const struct random_features wish = {.features = BR_FEATURE_OUTPUTS | BR_FEATURE_SHARED |
                                                         BR_FEATURE_LAGS,
                                             .tasks = seed % 3 ? 5 : 12,
                                             .machines = 1 + (uint32_t)(seed % 2),
                                             .shape = (enum random_shape)(seed % RANDOM_SHAPES),
                                             .longest = 5};
        struct br_rng rng = br_rng_seed(seed);
        struct lists l = {0};
        assert_true(random_features_make(seed, &wish, &l.job));
        if (!br_general_create(l.job.dag, l.job.cluster, &l.general, NULL) &&
            br_general_schedule_init(&l.schedule, l.general)) {
            const int64_t made = try_orders(&l, &rng, backward);
            known += made >= 0;
            whole += made >= 0 && made < INT64_MAX;
            if (made >= 0 && made < INT64_MAX && l.general->tasks <= 5) {
                const int64_t best = feature_oracle_makespan(l.job.dag, l.job.cluster, NULL);
                assert_true(best >= 0 && made >= best);
                shortest += made == best;
            }
        }
        br_general_schedule_finish(&l.schedule);
        br_general_destroy(l.general);
        random_job_finish(&l.job);
    }
    print_message("%u known, %u whole, %u as short as any\n", known, whole, shortest);
    assert_true(known > shared_seeds / 40 && whole > known / 4 && shortest > whole / 2);
}

static void from_the_begin(void **state)
{
    (void)state;
    lists_make_plans(false, random_jobs(2000));
}

static void from_the_end(void **state)
{
    (void)state;
    lists_make_plans(true, random_jobs(60000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_held_as_in_arrays),
        cmocka_unit_test(from_the_begin),
        cmocka_unit_test(from_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
