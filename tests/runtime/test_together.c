/* Several jobs with deadlines on few tokens, over tables made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
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

static struct br_together_worth choose(struct jobs *jobs, uint32_t total)
{
    return br_together_choose(jobs->rival, jobs->count, total, jobs->memory, jobs->portion);
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

/* Allocations of 4, 8, ... and 12 in all. Both need 8: the one whose turn it was gets them, since 4
 * are all that has to be kept for the other. */
static void test_least_kept(void **state)
{
    struct jobs *jobs = begin();
    (void)state;
    for (int j = 0; j < 2; j++) {
        add(jobs, 0, 1000, 500);
        for (uint32_t a = 0; a < MOST; a++)
            jobs->fixture[j].allocation[a] = 4 * (a + 1);
    }
    jobs->portion[0].turn = 1;
    jobs->portion[1].turn = 0;
    choose(jobs, 12);
    assert_int_equal(jobs->portion[1].now, 8);
    assert_int_equal(jobs->portion[0].now, 4);
    assert_int_equal(jobs->portion[0].need, 8);
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

/* Allocations that begin at a least share, as those of shares do. */
static void draw_shares(struct deadline_fixture *fixture, struct br_rng *rng)
{
    uint32_t value = 1 + (uint32_t)br_rng_below(rng, 10);
    deadline_fixture_draw(fixture, rng);
    for (uint32_t a = 0; a < fixture->table.allocations; a++) {
        fixture->allocation[a] = value;
        value += 1 + (uint32_t)br_rng_below(rng, 4);
    }
}

static uint32_t least_of(const struct jobs *jobs, uint32_t j, uint32_t total)
{
    uint32_t least = jobs->fixture[j].allocation[0];
    return least < total ? least : total;
}

/* Together no more than there is, none above what the job needs, each place in the order taken
 * once, and one waits only where its least does not fit beside all that run before it in turn. */
static void check_portions(const struct jobs *jobs, uint32_t total)
{
    uint32_t sum = 0, turns = 0;
    for (uint32_t j = 0; j < jobs->count; j++) {
        const struct br_portion *portion = &jobs->portion[j];
        uint32_t least = least_of(jobs, j, total), before = 0;
        assert_true(portion->now <= portion->need);
        for (uint32_t i = 0; i < jobs->count; i++)
            if (jobs->portion[i].turn < portion->turn)
                before += jobs->portion[i].now;
        assert_true(portion->now ? portion->now >= least : before + least > total);
        sum += portion->now;
        turns |= 1u << portion->turn;
    }
    assert_true(sum <= total);
    assert_int_equal(turns, (1u << jobs->count) - 1);
}

static uint32_t orders_of(uint32_t jobs)
{
    return jobs > 1 ? jobs * orders_of(jobs - 1) : 1;
}

/* The order with this number; 0 is that of arrival. */
static void set_order(struct jobs *jobs, uint32_t code)
{
    uint32_t place[JOBS];
    for (uint32_t j = 0; j < jobs->count; j++)
        place[j] = j;
    for (uint32_t k = jobs->count; k > 1; code /= k, k--) {
        uint32_t other = k - 1 - code % k, job = place[k - 1];
        place[k - 1] = place[other];
        place[other] = job;
    }
    for (uint32_t k = 0; k < jobs->count; k++)
        jobs->portion[place[k]].turn = k;
}

/* Whatever the jobs and their least shares, also where these do not fit together. What is chosen is
 * by the forecasts never worth less than loops alone. */
static void test_bounds(void **state)
{
    struct br_rng rng = br_rng_seed(3);
    uint32_t scarce = 0, waiting = 0, better = 0;
    (void)state;
    for (uint32_t round = 0; round < 4000; round++) {
        struct jobs *jobs = begin();
        uint32_t count = 1 + (uint32_t)br_rng_below(&rng, JOBS), needs = 0, sum = 0;
        uint32_t total = 1 + (uint32_t)br_rng_below(&rng, TOTAL - 1);
        for (uint32_t j = 0; j < count; j++) {
            add(jobs, 0, 1, 1 + (double)br_rng_below(&rng, 300));
            if (round % 2)
                deadline_fixture_draw(&jobs->fixture[j], &rng);
            else
                draw_shares(&jobs->fixture[j], &rng);
            jobs->control[j].options.most = total;
        }
        /* From every order that the last decision may have left; that of arrival comes last. */
        struct br_together_worth worth = {0};
        for (uint32_t code = orders_of(count); code-- > 0;) {
            set_order(jobs, code);
            worth = choose(jobs, total);
            check_portions(jobs, total);
            assert_true(worth.chosen >= worth.alone);
        }
        /* What serves jobs by arrival stays unless another plan is worth much more. */
        assert_true(worth.chosen == worth.alone ||
                    worth.chosen >= worth.alone + 0.2 * count - 1e-9);
        better += worth.chosen > worth.alone;
        for (uint32_t j = 0; j < count; j++) {
            sum += jobs->portion[j].now;
            needs += jobs->portion[j].need;
            waiting += !jobs->portion[j].now;
        }
        if (needs <= total)
            assert_int_equal(sum, needs);
        else
            scarce++;
        /* The same choice as decisions: what waits has nothing, and begins anew. */
        struct br_control_decision decision[JOBS];
        br_together_decide(jobs->rival, count, total, jobs->memory, jobs->portion, decision);
        for (uint32_t j = 0; j < count; j++) {
            assert_int_equal(decision[j].amount, jobs->portion[j].now);
            assert_int_equal(jobs->control[j].amount, jobs->portion[j].now);
            assert_true(jobs->portion[j].now || jobs->control[j].smooth == 0);
        }
        /* Later on what falls slowly is not given out twice. */
        for (uint32_t j = 0; j < count; j++) {
            jobs->control[j].options.hysteresis = 0.2;
            jobs->rival[j].view.elapsed_ns = (int64_t)br_rng_below(&rng, 100) * 1000000000;
        }
        br_together_decide(jobs->rival, count, total, jobs->memory, jobs->portion, decision);
        sum = 0;
        for (uint32_t j = 0; j < count; j++)
            sum += decision[j].amount;
        assert_true(sum <= total);
        end(jobs);
    }
    assert_true(scarce > 1000 && waiting > 300 && better > 100);
}

/* ---- Loops alone, by hand ---- */

/* Jobs that take work / allocation, in the order of the numbers: each gets what it needs of the
 * rest, until one ends, and then anew. What the ends are worth, without spread. */
static double alone_by_hand(const struct jobs *jobs, const double *work_s, const double *deadline_s,
                            uint32_t total)
{
    double left_s[JOBS], now_s = 0, worth = 0;
    uint32_t open = jobs->count;
    for (uint32_t j = 0; j < jobs->count; j++)
        left_s[j] = work_s[j];
    while (open) {
        uint32_t rest = total, has[JOBS] = {0};
        double step_s = INFINITY;
        for (uint32_t j = 0; j < jobs->count; j++) {
            if (left_s[j] <= 0)
                continue;
            /* The least that is in time; all that there is where none is. */
            uint32_t need = 1;
            while (need < total && left_s[j] / need > deadline_s[j] - now_s)
                need++;
            has[j] = need < rest ? need : rest;
            rest -= has[j];
            if (has[j] && left_s[j] / has[j] < step_s)
                step_s = left_s[j] / has[j];
        }
        now_s += step_s;
        for (uint32_t j = 0; j < jobs->count; j++) {
            if (left_s[j] <= 0)
                continue;
            left_s[j] -= step_s * has[j];
            if (left_s[j] > 1e-6 * work_s[j])
                continue;
            left_s[j] = 0;
            open--;
            struct br_utility utility = br_utility_of_deadline(deadline_s[j]);
            worth += br_utility_at(&utility, now_s);
        }
    }
    return worth;
}

/* What loops alone are worth is what a hand plays, and what is chosen is worth no less. */
static void test_alone(void **state)
{
    struct br_rng rng = br_rng_seed(11);
    uint32_t scarce = 0, kept = 0;
    (void)state;
    for (uint32_t round = 0; round < 300; round++) {
        struct jobs *jobs = begin();
        double work_s[JOBS], deadline_s[JOBS];
        uint32_t count = 2 + (uint32_t)br_rng_below(&rng, JOBS - 1), total = 6;
        for (uint32_t j = 0; j < count; j++) {
            work_s[j] = 600 * (1 + (double)br_rng_below(&rng, 9));
            deadline_s[j] = work_s[j] / (1 + (double)br_rng_below(&rng, 5)) + 1;
            add(jobs, 0, work_s[j], deadline_s[j]);
            jobs->control[j].options.most = total;
        }
        struct br_together_worth worth = choose(jobs, total);
        if (worth.chosen != 0 || worth.alone != 0) {
            double want = alone_by_hand(jobs, work_s, deadline_s, total);
            if (fabs(worth.alone - want) > 0.05 * (1 + fabs(want)))
                fail_msg("round %u: %g, by hand %g", round, worth.alone, want);
            assert_true(worth.chosen >= worth.alone);
            kept += worth.chosen == worth.alone;
            scarce++;
        }
        end(jobs);
    }
    assert_true(scarce > 100 && kept > 10 && kept < scarce);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_enough),         cmocka_unit_test(test_one_after_the_other),
        cmocka_unit_test(test_more_later),     cmocka_unit_test(test_lent),
        cmocka_unit_test(test_lending_counts), cmocka_unit_test(test_too_few),
        cmocka_unit_test(test_least_kept),     cmocka_unit_test(test_calm),
        cmocka_unit_test(test_bounds),         cmocka_unit_test(test_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
