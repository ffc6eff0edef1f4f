/* The search of one part as br_plan_make calls it: nobody has to listen, what a time limit is
 * expected to leave ends nothing, and the limit of placements is used up unless the bound is
 * reached. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "planner/search/search.h"
#include "tests/judge.h"
#include "tests/random_job.h"

enum { JOBS = 150, TASKS = 40, LIMIT = 20000, EXPECTED = 2500 };

static void limits_are_used_up(void **state)
{
    unsigned open = 0, pools = 0;
    for (uint64_t seed = 0; seed < JOBS; seed++) {
        struct random_job job;
        struct br_arena arena = {0};
        struct br_plan_options options = br_plan_options_default();
        assert_true(random_job_make(seed + 60000, TASKS, 0, &job));
        options.threads = 1;
        options.threshold_limit = 2;
        options.effort = BR_EFFORT_MAX;
        /* About EXPECTED placements of one thread on one machine. The clock is not looked at here.
         */
        options.time_limit_ns = EXPECTED * 40;
        struct br_search search = {
            .options = &options, .limit = LIMIT, .share = 1, .arena = &arena};
        struct br_instance *in;
        assert_int_equal(br_instance_create(job.dag, job.cluster, &in, NULL), BR_OK);
        search.in = in;
        search.trial = calloc(br_search_rows(), sizeof *search.trial);
        assert_non_null(search.trial);
        assert_true(br_search_part(&search)); /* with nobody who listens */
        judge_schedule(&job, in, br_search_best(&search));
        if (!br_search_done(&search)) {
            assert_true(search.cut);
            open++;
            pools += in->machines == 1;
            assert_true(search.placements > LIMIT * 3 / 4);
        }
        br_search_finish(&search);
        free(search.trial);
        br_arena_finish(&arena);
        br_instance_destroy(in);
        random_job_finish(&job);
    }
    print_message("%u parts stay open, %u of them on one machine\n", open, pools);
    assert_true(pools > 0 && open > pools);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(limits_are_used_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
