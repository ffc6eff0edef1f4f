/* The indices of the list policies against plain scans: who goes first of those that fit (roster.h,
 * bitmap.h), and where there is room (rooms.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/rng.h"
#include "cluster/simulate/policies/rooms.h"
#include "cluster/simulate/policies/roster.h"

enum { JOBS = 30, DEMANDS = 200, WIDTH = 3, STEPS = 3000 };

/* ---- The roster ---- */

/* What a job has ready: some of these demands. */
struct plain {
    struct br_roster_job standing;
    uint32_t posting[DEMANDS]; /* BR_NOBODY: not this one */
};

struct scan {
    struct br_roster roster;
    uint32_t width, jobs, demands;
    struct plain job[JOBS];
    int64_t demand[DEMANDS][WIDTH];
};

static bool holds(const int64_t *room, const int64_t *demand, uint32_t width)
{
    for (uint32_t r = 0; r < width; r++)
        if (demand[r] > 0 && demand[r] > room[r])
            return false;
    return true;
}

static bool goes_before(const struct br_roster_job *a, const struct br_roster_job *b)
{
    return a->key < b->key || (a->key == b->key && a->tie < b->tie);
}

/* Goes through all. */
static uint32_t first_of(const struct scan *scan, const int64_t *room)
{
    uint32_t first = BR_NOBODY;
    for (uint32_t j = 0; j < scan->jobs; j++)
        for (uint32_t d = 0; d < scan->demands; d++)
            if (scan->job[j].posting[d] != BR_NOBODY && holds(room, scan->demand[d], scan->width) &&
                (first == BR_NOBODY ||
                 goes_before(&scan->job[j].standing, &scan->job[first].standing)))
                first = j;
    return first;
}

/* Amounts of all magnitudes from 1 to 2^40, often equal, and often 0. */
static int64_t amount(struct br_rng *rng)
{
    int64_t most = INT64_C(1) << br_rng_below(rng, 41);
    return br_rng_below(rng, 4) ? (int64_t)br_rng_below(rng, (uint64_t)most) + 1 : 0;
}

static void begin(struct scan *scan, struct br_rng *rng, uint64_t seed)
{
    const int64_t most[WIDTH] = {INT64_C(1) << 40, INT64_C(1) << 20, 9};
    *scan = (struct scan){.width = (uint32_t)(seed % (WIDTH + 1)),
                          .jobs = 2 + (uint32_t)br_rng_below(rng, JOBS - 1),
                          .demands = 1 + (uint32_t)br_rng_below(rng, DEMANDS)};
    if (!scan->width)
        scan->demands = 1; /* a job has one posting a demand, and without resources all are equal */
    assert_true(br_roster_init(&scan->roster, scan->width, most));
    for (uint32_t d = 0; d < scan->demands; d++)
        for (uint32_t r = 0; r < scan->width; r++) {
            scan->demand[d][r] = amount(rng) % (most[r] + 1);
            if (r == 0)
                scan->demand[d][r] = scan->demand[d][r] * DEMANDS + d; /* all differ */
        }
    for (uint32_t j = 0; j < scan->jobs; j++) {
        scan->job[j].standing = (struct br_roster_job){.number = j, .first = BR_NOBODY};
        br_roster_key(&scan->roster, &scan->job[j].standing, 0, j);
        memset(scan->job[j].posting, 0xff, sizeof scan->job[j].posting);
    }
}

static void toggle(struct scan *scan, uint32_t j, uint32_t d)
{
    struct plain *job = &scan->job[j];
    if (job->posting[d] != BR_NOBODY) {
        br_roster_withdraw(&scan->roster, &job->standing, job->posting[d]);
        job->posting[d] = BR_NOBODY;
    } else {
        job->posting[d] = br_roster_post(&scan->roster, &job->standing, scan->demand[d]);
        assert_int_not_equal(job->posting[d], BR_NOBODY);
    }
}

static void test_roster(void **state)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct br_rng rng = br_rng_seed(seed);
        struct scan scan;
        uint32_t found = 0;
        begin(&scan, &rng, seed);
        for (int step = 0; step < STEPS; step++) {
            uint32_t j = (uint32_t)br_rng_below(&rng, scan.jobs);
            uint32_t d = (uint32_t)br_rng_below(&rng, scan.demands);
            int64_t room[WIDTH];
            if (br_rng_below(&rng, 2))
                toggle(&scan, j, d);
            else if (br_rng_below(&rng, 2))
                br_roster_key(&scan.roster, &scan.job[j].standing,
                              (double)br_rng_below(&rng, 6) - 3,
                              (uint32_t)br_rng_below(&rng, 1000) * JOBS + j);
            /* Once nobody is left; then lines are used again. */
            for (uint32_t k = 0; step == STEPS / 2 && k < scan.jobs * scan.demands; k++)
                if (scan.job[k / scan.demands].posting[k % scan.demands] != BR_NOBODY)
                    toggle(&scan, k / scan.demands, k % scan.demands);
            assert_true(step != STEPS / 2 || scan.roster.blocks == 0);
            for (uint32_t r = 0; r < WIDTH; r++) /* exactly, or near to, what somebody demands */
                room[r] = br_rng_below(&rng, 9) ? scan.demand[br_rng_below(&rng, scan.demands)][r] +
                                                      (int64_t)br_rng_below(&rng, 3) - 1
                                                : INT64_MAX;
            uint32_t expected = first_of(&scan, room);
            assert_int_equal(br_roster_first(&scan.roster, room), expected);
            if (step % 50 == 0)
                assert_true(br_roster_is_sound(&scan.roster));
            found += expected != BR_NOBODY;
        }
        assert_true(found > STEPS / 20 && found < STEPS);
        br_roster_finish(&scan.roster);
    }
}

/* What may fit by the bitmap is little more than what fits: that is all that makes it quick. */
static void test_bitmap_is_narrow(void **state)
{
    const int64_t most[] = {INT64_C(1) << 34, 160};
    struct br_rng rng = br_rng_seed(1);
    struct br_bitmap bitmap;
    static int64_t demand[640][2];
    uint64_t all[10], word[10];
    memset(all, 0xff, sizeof all);
    all[3] = 0; /* these are not asked for */
    uint32_t fitting = 0, may_fit = 0;
    assert_true(br_bitmap_init(&bitmap, 2, most));
    for (int round = 0; round < 3; round++)
        for (uint32_t i = 0; i < 640; i++) {
            demand[i][0] = (int64_t)br_rng_below(&rng, (uint64_t)most[0]) + 1;
            demand[i][1] = (int64_t)br_rng_below(&rng, 160);
            assert_true(br_bitmap_set(&bitmap, i, demand[i])); /* over what was there before */
        }
    for (uint32_t i = 0; i < 640; i += 7) {
        br_bitmap_room(&bitmap, demand[i]);
        br_bitmap_words(&bitmap, all, word, 10);
        for (uint32_t k = 0; k < 640; k++) {
            bool may = word[k / 64] >> k % 64 & 1;
            bool fits = k / 64 != 3 && holds(demand[i], demand[k], 2);
            assert_true(k / 64 != 3 || !may);
            assert_true(may || !fits);
            fitting += fits;
            may_fit += may;
        }
    }
    assert_true(fitting > 1000 && may_fit < fitting + fitting / 4);
    br_bitmap_finish(&bitmap);
}

/* ---- The rooms ---- */

static struct br_cluster *random_cluster(struct br_rng *rng)
{
    static const char *const resource[WIDTH] = {"cpu", "mem", "net"};
    struct br_cluster *cluster = br_cluster_create(NULL);
    uint32_t classes = 1 + (uint32_t)br_rng_below(rng, 3);
    for (uint32_t c = 0; c < classes; c++) {
        const char name[] = {(char)('a' + c), 0};
        uint32_t count = 1 + (uint32_t)br_rng_below(rng, 7);
        assert_int_equal(br_cluster_add_class(cluster, name, count, NULL, NULL), BR_OK);
        for (uint32_t r = 0; r < WIDTH; r++) {
            const char amount[] = {(char)('1' + br_rng_below(rng, 9)), 0};
            if (br_rng_below(rng, 5))
                assert_int_equal(br_cluster_add_capacity(cluster, c, resource[r], amount, NULL),
                                 BR_OK);
        }
    }
    return cluster;
}

static void test_rooms(void **state)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct br_rng rng = br_rng_seed(seed);
        struct br_cluster *cluster = random_cluster(&rng);
        struct br_arena arena = {0};
        struct br_capacities capacities;
        struct br_rooms rooms;
        int64_t free[21][WIDTH];
        bool away[21] = {false};
        uint32_t changed = 0;
        assert_int_equal(br_capacities_make(&arena, cluster, &capacities, NULL), BR_OK);
        uint32_t width = capacities.scale.resources, machines = cluster->machines;
        assert_true(br_rooms_init(&rooms, cluster, &capacities));
        for (uint32_t m = 0; m < machines; m++)
            memcpy(free[m], capacities.capacity + (size_t)capacities.machine_class[m] * width,
                   width * sizeof **free);
        for (int step = 0; step < STEPS; step++) {
            int64_t demand[WIDTH] = {0};
            uint32_t m = (uint32_t)br_rng_below(&rng, machines);
            uint32_t from = step % 3 ? 0 : (uint32_t)br_rng_below(&rng, machines), first = from;
            for (uint32_t r = 0; r < width; r++)
                if (br_rng_below(&rng, 3))
                    demand[r] = free[br_rng_below(&rng, machines)][r] / (1 + (step & 1));
            for (uint32_t r = 0; r < width; r++)
                demand[r] = demand[r] > 0 ? demand[r] : 0;
            if (br_rng_below(&rng, 4) == 0) {
                away[m] = !away[m];
                br_rooms_move(&rooms, m, !away[m]);
            }
            while (first < machines && (away[first] || !holds(free[first], demand, width)))
                first++;
            assert_int_equal(br_rooms_first(&rooms, demand, from),
                             first < machines ? first : UINT32_MAX);
            assert_int_equal(br_rooms_fit(&rooms, m, demand),
                             !away[m] && holds(free[m], demand, width));
            assert_memory_equal(br_rooms_free(&rooms, m), free[m], width * sizeof **free);
            /* Takes or gives back, also where the machine is away, and somewhat below 0. */
            int sign = br_rng_below(&rng, 2) ? 1 : -1;
            bool near = true;
            for (uint32_t r = 0; r < width; r++) {
                int64_t then = free[m][r] + sign * demand[r];
                near &= then >= -INT64_MAX / 8 && then <= INT64_MAX / 8;
            }
            if (!near)
                continue;
            br_rooms_change(&rooms, m, demand, sign);
            changed++;
            for (uint32_t r = 0; r < width; r++)
                free[m][r] += sign * demand[r];
        }
        assert_true(changed > STEPS / 4);
        br_rooms_finish(&rooms);
        br_arena_finish(&arena);
        br_cluster_destroy(cluster);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_roster),
                                       cmocka_unit_test(test_bitmap_is_narrow),
                                       cmocka_unit_test(test_rooms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
