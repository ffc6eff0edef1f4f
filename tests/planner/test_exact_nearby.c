/* Neighbourhoods: the shortest schedule in one, against all schedules of small jobs whose tasks
 * have two ways; and that windows and shares are drawn as they are described. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/numbers/rng.h"
#include "planner/planning/modes_nearby.h"

enum { TASKS = 4, WAYS = 2 * TASKS, CAPACITY = 3, JOBS = 300, TICKS = 3 * TASKS };

struct small {
    struct br_exact_ways_arc arc[TASKS];
    int64_t release[TASKS], duration[WAYS], demand[WAYS], capacity, none;
    uint32_t first[TASKS + 1];
    struct br_exact_ways given;
};

static void make_small(struct small *s, struct br_rng *rng)
{
    memset(s, 0, sizeof *s);
    s->capacity = CAPACITY;
    for (uint32_t t = 0; t <= TASKS; t++)
        s->first[t] = 2 * t;
    for (uint32_t w = 0; w < WAYS; w++) {
        s->duration[w] = 1 + (int64_t)br_rng_below(rng, 3);
        s->demand[w] = 1 + (int64_t)br_rng_below(rng, CAPACITY);
    }
    uint32_t arcs = 0;
    for (uint32_t t = 1; t < TASKS; t++)
        if (br_rng_below(rng, 2))
            s->arc[arcs++] =
                (struct br_exact_ways_arc){(uint32_t)br_rng_below(rng, t), t, 0, false};
    s->given = (struct br_exact_ways){.tasks = TASKS,
                                      .resources = 1,
                                      .arcs = arcs,
                                      .arc = s->arc,
                                      .release = s->release,
                                      .first = s->first,
                                      .duration = s->duration,
                                      .demand = s->demand,
                                      .consumed = &s->none,
                                      .capacity = &s->capacity,
                                      .budget = &s->none};
}

/* The end of the schedule, or -1 if it is none. */
static int64_t makespan_of(const struct small *s, const int64_t *start, const uint32_t *way)
{
    int64_t held[TICKS] = {0}, makespan = 0;
    for (uint32_t t = 0; t < TASKS; t++) {
        const int64_t end = start[t] + s->duration[way[t]];
        for (int64_t at = start[t]; at < end; at++)
            if (at >= TICKS || (held[at] += s->demand[way[t]]) > CAPACITY)
                return -1;
        makespan = end > makespan ? end : makespan;
    }
    for (uint32_t k = 0; k < s->given.arcs; k++) {
        const uint32_t from = s->arc[k].from;
        if (start[s->arc[k].to] < start[from] + s->duration[way[from]])
            return -1;
    }
    return makespan;
}

/* One after another, each by a random way. */
static int64_t make_long(const struct small *s, struct br_rng *rng, int64_t *start, uint32_t *way)
{
    int64_t now = 0;
    for (uint32_t t = 0; t < TASKS; t++) {
        way[t] = 2 * t + (uint32_t)br_rng_below(rng, 2);
        start[t] = now;
        now += s->duration[way[t]];
    }
    return now;
}

/* The shortest of all schedules that keep what the neighbourhood does, but no longer than `most`.
 */
static int64_t shortest_near(const struct small *s, const struct br_nearby *n, const uint32_t *kept,
                             int64_t most)
{
    int64_t start[TASKS];
    uint32_t way[TASKS];
    for (uint32_t ways = 0; ways < 1 << TASKS; ways++) {
        bool keeps = true;
        for (uint32_t t = 0; t < TASKS; t++) {
            way[t] = 2 * t + (ways >> t & 1);
            keeps = keeps && (!n->way[t] || way[t] == kept[t]);
            start[t] = n->from[t];
        }
        for (bool more = keeps; more;) {
            const int64_t makespan = makespan_of(s, start, way);
            if (makespan >= 0 && makespan < most)
                most = makespan;
            more = false;
            for (uint32_t t = 0; t < TASKS && !more; t++) {
                more = start[t] < n->to[t] && start[t] + 1 < most;
                start[t] = more ? start[t] + 1 : n->from[t];
            }
        }
    }
    return most;
}

static void test_against_all(void **state)
{
    struct br_rng rng = br_rng_seed(3);
    uint32_t shorter = 0, refuted = 0;
    for (uint32_t job = 0; job < JOBS; job++) {
        struct small s;
        struct br_nearby n;
        int64_t start[TASKS], end[TASKS], found[TASKS];
        uint32_t way[TASKS], found_way[TASKS];
        make_small(&s, &rng);
        const int64_t upper = make_long(&s, &rng, start, way);
        struct br_exact *x = br_exact_create_ways(&s.given, upper);
        assert_non_null(x);
        br_exact_hint(x, start, way);
        assert_true(br_nearby_init(&n, TASKS));
        n.rng = br_rng_seed(job);
        n.free = 0.5;
        for (uint32_t t = 0; t < TASKS; t++)
            end[t] = start[t] + s.duration[way[t]];
        for (uint32_t k = 0; k <= job % 4; k++)
            br_nearby_draw(&n, upper, start, end);
        assert_true(br_exact_keep(x, n.way, n.from, n.to));
        enum br_exact_result result = BR_EXACT_FOUND;
        while (result == BR_EXACT_FOUND || result == BR_EXACT_RAISED)
            result = br_exact_solve(x, BR_EXACT_NEARBY, UINT64_MAX / 2, NULL);
        assert_true(result == BR_EXACT_NONE || result == BR_EXACT_OPTIMAL);
        assert_int_equal(br_exact_upper(x), shortest_near(&s, &n, way, upper));
        refuted += result == BR_EXACT_NONE;
        if (br_exact_schedule_ways(x, found, found_way)) {
            shorter++;
            assert_int_equal(makespan_of(&s, found, found_way), br_exact_upper(x));
            for (uint32_t t = 0; t < TASKS; t++) {
                assert_true(!n.way[t] || found_way[t] == way[t]);
                assert_true(found[t] >= n.from[t] && found[t] <= n.to[t]);
            }
        }
        br_nearby_finish(&n);
        br_exact_destroy(x);
    }
    assert_in_range(shorter, JOBS / 4, JOBS);
    assert_in_range(refuted, JOBS / 4, JOBS);
}

/* A refutation nearby says nothing of the whole: the solver goes on to the optimum. */
static void test_whole_afterwards(void **state)
{
    struct br_rng rng = br_rng_seed(5);
    for (uint32_t job = 0; job < JOBS / 10; job++) {
        struct small s;
        struct br_nearby n;
        int64_t start[TASKS];
        uint32_t way[TASKS];
        make_small(&s, &rng);
        const int64_t upper = make_long(&s, &rng, start, way);
        struct br_exact *x = br_exact_create_ways(&s.given, upper);
        br_exact_hint(x, start, way);
        assert_true(br_nearby_init(&n, TASKS));
        for (uint32_t t = 0; t < TASKS; t++) {
            n.way[t] = true;
            n.from[t] = n.to[t] = start[t];
        }
        assert_true(br_exact_keep(x, n.way, n.from, n.to));
        const enum br_exact_result kept = br_exact_solve(x, BR_EXACT_NEARBY, 1000, NULL);
        assert_true(kept == BR_EXACT_NONE || kept == BR_EXACT_OPTIMAL);
        assert_int_equal(br_exact_upper(x), upper);
        while (br_exact_solve(x, BR_EXACT_SHORTER, 1000, NULL) != BR_EXACT_OPTIMAL) {
        }
        for (uint32_t t = 0; t < TASKS; t++) {
            n.way[t] = false;
            n.from[t] = 0;
            n.to[t] = upper;
        }
        assert_int_equal(br_exact_upper(x), shortest_near(&s, &n, way, upper));
        br_nearby_finish(&n);
        br_exact_destroy(x);
    }
}

/* Tasks beyond a window stay, those behind it a tick earlier; sizes follow what came of it. */
static void test_windows(void **state)
{
    enum { LONG = 40 };
    int64_t start[LONG], end[LONG];
    struct br_nearby n;
    assert_true(br_nearby_init(&n, LONG));
    for (uint32_t t = 0; t < LONG; t++) {
        start[t] = t;
        end[t] = t + 1;
    }
    for (uint32_t k = 0; k < 200; k++) {
        uint32_t freed = 0, last = 0;
        const double window = n.window, share = n.free;
        br_nearby_draw(&n, LONG, start, end);
        for (uint32_t t = 0; t < LONG; t++)
            if (!n.way[t])
                last = (freed++, t);
        for (uint32_t t = 0; t < LONG && n.by_time && freed; t++) {
            const bool behind = t > last, kept = behind || t + freed <= last;
            assert_int_equal(n.way[t], kept);
            assert_int_equal(n.from[t], kept ? t - behind : 0);
            assert_int_equal(n.to[t], kept ? t - behind : LONG);
        }
        if (n.by_time)
            assert_in_range(freed, 0, (uint32_t)(window * LONG) + 1);
        br_nearby_adapt(&n, k % 4 < 2 ? BR_EXACT_NONE : BR_EXACT_OPEN);
        const double ratio = n.by_time ? n.window / window : n.free / share;
        assert_true(k % 4 < 2 ? ratio > 1 : ratio < 1);
        assert_true(n.by_time ? n.free == share : n.window == window);
    }
    br_nearby_finish(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_all),
        cmocka_unit_test(test_whole_afterwards),
        cmocka_unit_test(test_windows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
