/* Several jobs with deadlines on few tokens, over tables made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "runtime/deadline/together.h"
#include "tests/runtime/deadline_fixture.h"

enum { JOBS = 4, MOST = 20, TOTAL = JOBS + MOST };

struct jobs {
    struct deadline_fixture fixture[JOBS];
    struct br_control control[JOBS];
    struct br_rival rival[JOBS];
    struct br_portion portion[JOBS];
    uint32_t done[JOBS], count;
    void *memory;
};

static struct br_control_options plain(void)
{
    struct br_control_options options = br_control_options_default();
    options.slack = 1;
    options.dead_zone_s = 0;
    options.hysteresis = 1;
    options.most = MOST;
    return options;
}

/* Adds a job of so much work, in seconds of one token, that is to end by its deadline. */
static void add(struct jobs *jobs, double serial_s, double work_s, double deadline_s)
{
    uint32_t j = jobs->count++;
    struct br_control_options options = plain();
    struct br_utility utility = br_utility_of_deadline(deadline_s);
    deadline_fixture_make(&jobs->fixture[j], MOST, FIXTURE_CELLS, 3, serial_s, work_s, 0);
    assert_int_equal(
        br_control_init(&jobs->control[j], &jobs->fixture[j].table, &options, &utility, NULL),
        BR_OK);
    jobs->rival[j] = (struct br_rival){&jobs->control[j], {0, &jobs->done[j], false}, 1};
    jobs->portion[j].turn = UINT32_MAX;
}

static struct jobs *begin(void)
{
    struct jobs *jobs = calloc(1, sizeof *jobs);
    assert_non_null(jobs);
    jobs->memory = malloc(br_together_memory(JOBS, TOTAL));
    assert_non_null(jobs->memory);
    return jobs;
}

static void end(struct jobs *jobs)
{
    free(jobs->memory);
    free(jobs);
}

static void choose(struct jobs *jobs, uint32_t total)
{
    br_together_choose(jobs->rival, jobs->count, total, jobs->memory, jobs->portion);
}

/* Each gets what its own loop would take, and not more. */
static void test_enough(void **state)
{
    struct jobs *jobs = begin();
    (void)state;
    add(jobs, 0, 1000, 250);
    add(jobs, 0, 1000, 100);
    choose(jobs, 14);
    assert_int_equal(jobs->portion[0].now, 4);
    assert_int_equal(jobs->portion[1].now, 10);
    assert_int_equal(jobs->portion[0].need, 4);
    end(jobs);
}

/* The first needs 5 of 10 tokens (3000 / 5 = 600 s), the second 9. If both kept 5, the second would
 * be 4 minutes late. If it goes first, with all but the one that the other keeps, it ends after 333
 * s, and then the other has time enough for the rest of its work. */
static void test_one_after_the_other(void **state)
{
    struct jobs *jobs = begin();
    (void)state;
    add(jobs, 0, 3000, 720);
    add(jobs, 0, 3000, 360);
    choose(jobs, 10);
    assert_int_equal(jobs->portion[1].now, 9); /* the other keeps one */
    assert_int_equal(jobs->portion[0].now, 1);
    assert_int_equal(jobs->portion[1].turn, 0);
    assert_int_equal(jobs->portion[0].turn, 1);
    assert_int_equal(jobs->portion[0].need, 5);
    end(jobs);
}

/* They need 6 + 5 of 10 tokens. Allocations that are kept make one late: the first with 5 and 5,
 * the second with 6 and 4. But the first ends after 1000 s, and then the second may have all. */
static void test_more_later(void **state)
{
    struct jobs *jobs = begin();
    (void)state;
    add(jobs, 0, 6000, 1000);
    add(jobs, 0, 10000, 2000);
    choose(jobs, 10);
    assert_int_equal(jobs->portion[0].now, 6);
    assert_int_equal(jobs->portion[1].now, 4);
    end(jobs);
    /* The same where they came in the other order. */
    jobs = begin();
    add(jobs, 0, 10000, 2000);
    add(jobs, 0, 6000, 1000);
    choose(jobs, 10);
    assert_int_equal(jobs->portion[1].now, 6);
    assert_int_equal(jobs->portion[0].now, 4);
    end(jobs);
}

/* A job that uses few of its tokens on average lends the rest: the second needs 10 and has them but
 * for what the first uses, and the third comes after it. */
static void test_lent(void **state)
{
    struct jobs *jobs = begin();
    (void)state;
    add(jobs, 90, 100, 100); /* with 10 tokens 100 s, of which it uses 1.9 */
    add(jobs, 0, 800, 110);
    choose(jobs, 12);
    assert_int_equal(jobs->portion[0].now, 10);
    assert_int_equal(jobs->portion[1].now, 2);
    assert_int_equal(jobs->portion[0].turn, 0);
    assert_int_equal(jobs->portion[1].need, 8);
    assert_int_equal(jobs->portion[1].turn, 1);
    end(jobs);
}

/* What is lent counts in what an order is worth. The first needs 10 of 12 tokens and uses 1900 s /
 * 1000 s = 1.9 of them, so the second, which needs 8, has these, and both end in time. Without
 * that the second would have 2 until 1000 s, and would end 400 s late, worth -0.33, while behind it
 * the first is worth 0.57: the order would be turned round. */
static void test_lending_counts(void **state)
{
    struct jobs *jobs = begin();
    (void)state;
    add(jobs, 900, 1000, 1000);
    add(jobs, 0, 8000, 1100);
    choose(jobs, 12);
    assert_int_equal(jobs->portion[0].turn, 0);
    assert_int_equal(jobs->portion[0].now, 10);
    assert_int_equal(jobs->portion[1].now, 2);
    end(jobs);
}

/* Allocations of 4, 8, ... as of shares, and 8 in all: only two of three jobs of 400 s run at once.
 * By arrival the third would begin at 400 s and end 390 s late, worth -0.3. So it goes first, and
 * one of the others, which have 2000 s, comes last. */
static void test_too_few(void **state)
{
    static const double deadline_s[] = {2000, 2000, 410};
    struct jobs *jobs = begin();
    (void)state;
    for (int j = 0; j < 3; j++) {
        add(jobs, 0, 400, deadline_s[j]);
        for (uint32_t a = 0; a < MOST; a++)
            jobs->fixture[j].allocation[a] = 4 * (a + 1);
    }
    choose(jobs, 8);
    assert_int_equal(jobs->portion[2].turn, 0);
    assert_int_equal(jobs->portion[2].now, 4);
    end(jobs);
}

/* An order stays unless another one is worth much more. */
static void test_calm(void **state)
{
    struct jobs *jobs = begin();
    (void)state;
    add(jobs, 0, 1000, 190);
    add(jobs, 0, 1000, 190);
    choose(jobs, 10);
    assert_int_equal(jobs->portion[0].turn, 0);
    jobs->portion[0].turn = 1;
    jobs->portion[1].turn = 0;
    choose(jobs, 10);
    assert_int_equal(jobs->portion[1].turn, 0);
    assert_true(jobs->portion[1].now > jobs->portion[0].now);
    end(jobs);
}

/* Whatever the jobs: at least one token each, together no more than there are, none above what the
 * job needs, and each place in the order taken once. */
static void test_bounds(void **state)
{
    struct br_rng rng = br_rng_seed(3);
    uint32_t scarce = 0;
    (void)state;
    for (uint32_t round = 0; round < 2000; round++) {
        struct jobs *jobs = begin();
        uint32_t count = 1 + (uint32_t)br_rng_below(&rng, JOBS), sum = 0, needs = 0, turns = 0;
        uint32_t total = count + (uint32_t)br_rng_below(&rng, MOST);
        for (uint32_t j = 0; j < count; j++) {
            add(jobs, 0, 1, 1 + (double)br_rng_below(&rng, 300));
            deadline_fixture_draw(&jobs->fixture[j], &rng);
        }
        choose(jobs, total);
        for (uint32_t j = 0; j < count; j++) {
            const struct br_portion *portion = &jobs->portion[j];
            assert_true(portion->now >= 1 && portion->now <= portion->need);
            sum += portion->now;
            needs += portion->need;
            turns |= 1u << portion->turn;
        }
        assert_true(sum <= total);
        if (needs <= total)
            assert_int_equal(sum, needs);
        else
            scarce++;
        assert_int_equal(turns, (1u << count) - 1);
        end(jobs);
    }
    assert_true(scarce > 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_enough),         cmocka_unit_test(test_one_after_the_other),
        cmocka_unit_test(test_more_later),     cmocka_unit_test(test_lent),
        cmocka_unit_test(test_lending_counts), cmocka_unit_test(test_too_few),
        cmocka_unit_test(test_calm),           cmocka_unit_test(test_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
