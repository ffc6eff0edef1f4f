/* The energy between a time after the start and one before the end, against all such pairs tried
 * with a makespan to refute, tick by tick. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "planner/bounds/energy.h"
#include "tests/support/random_job.h"

static int64_t least_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* What a task must run in a .. end: as far to the left as it goes, and as far to the right. Of a
 * stage whose tasks last differently all or nothing. */
static int64_t must_run(const struct br_instance *in, const struct br_windows *w, uint32_t s,
                        int64_t a, int64_t end, int64_t makespan)
{
    int64_t sum = 0;
    for (uint32_t t = in->stage_first[s]; t < in->stage_first[s + 1]; t++) {
        int64_t d = in->duration[t], right = makespan - w->stage_tail[s];
        int64_t part =
            least_of(least_of(w->stage_head[s] + d - a, end - (right - d)), least_of(d, end - a));
        if (!in->stage_equal[s] && (w->stage_head[s] < a || right > end))
            part = 0;
        sum += part > 0 ? part : 0;
    }
    return sum;
}

static int64_t slow_bound(const struct br_instance *in, const struct br_windows *w,
                          const struct br_measures *ms)
{
    int64_t best = w->ticks;
    for (uint32_t k = 0; k < in->stages; k++) {
        int64_t b = w->stage_tail[k];
        for (int64_t a = 0; a <= w->ticks; a++)
            for (uint32_t m = 0; m < ms->count; m++)
                for (int64_t makespan = best; makespan - b > a; makespan++) {
                    int64_t sum = 0, end = makespan - b;
                    for (uint32_t s = 0; s < in->stages; s++)
                        sum += ms->measure[m].weight[s] * must_run(in, w, s, a, end, makespan);
                    if (sum <= ms->measure[m].capacity * (end - a))
                        break;
                    best = makespan + 1;
                }
    }
    return best;
}

/* With weights and capacities so large that they just fit 64 bits, and their products with times do
 * not, the argument is the same. */
static void in_large_numbers(const struct br_instance *in, const struct br_windows *w,
                             struct br_measures *ms, int64_t bound, const struct br_energy *small)
{
    struct br_energy large;
    int64_t most = 1;
    for (uint32_t m = 0; m < ms->count; m++)
        most = ms->measure[m].capacity > most ? ms->measure[m].capacity : most;
    const int64_t times = INT64_MAX / 4 / most;
    for (int to_large = 1; to_large >= 0; to_large--) {
        for (uint32_t m = 0; m < ms->count; m++) {
            struct br_measure *measure = &ms->measure[m];
            for (uint32_t s = 0; s < in->stages; s++)
                measure->weight[s] =
                    to_large ? measure->weight[s] * times : measure->weight[s] / times;
            measure->capacity = to_large ? measure->capacity * times : measure->capacity / times;
        }
        if (!to_large)
            break;
        assert_int_equal(br_windows_energy(w, in, ms, w->ticks, INT64_MAX, &large), bound);
        assert_ptr_equal(large.measure, small->measure);
        assert_int_equal(large.head, small->head);
        assert_int_equal(large.tail, small->tail);
    }
}

static void equals_all_pairs(void **state)
{
    unsigned jobs = random_jobs(2000), better = 0, partly = 0, sooner = 0, missed = 0;
    for (uint64_t seed = 1; seed <= jobs; seed++) {
        struct random_job job;
        struct br_instance *in;
        struct br_measures measures;
        struct br_windows windows;
        struct br_energy found;
        assert_true(random_job_make(seed, 14, 0, &job));
        assert_int_equal(br_instance_create(job.dag, job.cluster, &in, NULL), BR_OK);
        assert_true(br_measures_init(&measures, in, false));
        assert_true(br_windows_init(&windows, in, BR_LENGTH_LONGEST, NULL));
        int64_t bound =
            br_windows_energy(&windows, in, &measures, windows.ticks, INT64_MAX, &found);
        int64_t slow = slow_bound(in, &windows, &measures);
        assert_true(bound <= slow);
        missed += bound < slow;
        /* The argument proves the bound, and is there where the bound is new. */
        assert_true((bound > windows.ticks) == (found.measure != NULL));
        if (found.measure) {
            int64_t sum = 0, end = bound - 1 - found.tail;
            bool part = false;
            for (uint32_t s = 0; s < in->stages; s++) {
                int64_t run = must_run(in, &windows, s, found.head, end, bound - 1);
                sum += found.measure->weight[s] * run;
                part |= run > 0 && run < measures.work[s] && found.measure->weight[s] > 0;
            }
            assert_true(sum > found.measure->capacity * (end - found.head));
            partly += part;
            better++;
        }
        in_large_numbers(in, &windows, &measures, bound, &found);
        /* A search for what is known finds the same argument; one for less may end sooner. */
        struct br_energy again;
        int64_t ticks = windows.ticks;
        assert_int_equal(br_windows_energy(&windows, in, &measures, ticks, bound, &again), bound);
        assert_true(again.measure == found.measure && again.head == found.head &&
                    again.tail == found.tail);
        if (bound > ticks) {
            int64_t less = br_windows_energy(&windows, in, &measures, ticks, ticks + 1, &again);
            assert_true(less > ticks && less <= bound && again.measure);
            sooner += less < bound;
        }
        /* What is asked for more than that is kept. */
        assert_int_equal(br_windows_energy(&windows, in, &measures, bound + 1, INT64_MAX, &found),
                         bound + 1);
        assert_null(found.measure);
        br_windows_finish(&windows);
        br_measures_finish(&measures);
        br_instance_destroy(in);
        random_job_finish(&job);
    }
    print_message("%u of %u bounds are better, %u by parts of tasks; %u could be better\n", better,
                  jobs, partly, missed);
    assert_true(sooner > 0);
    assert_true(better > jobs / 10 && partly >= jobs / 200);
    /* Tasks that would fill more than all of an interval move the best a; seed 1560 has such. */
    assert_true(missed <= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_all_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
