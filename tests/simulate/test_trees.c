/* The trees of the list policies against plain scans: who goes first of those that fit (roster.h),
 * and where there is room (rooms.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/rng.h"
#include "simulate/policies/rooms.h"
#include "simulate/policies/roster.h"

enum { SLOTS = 70, WIDTH = 3, STEPS = 3000 };

/* ---- The roster ---- */

/* What a slot holds: up to two tasks, so that the least demands may be those of different ones. */
struct plain {
    bool in;
    double key;
    uint32_t tie;
    int64_t demand[2][WIDTH];
};

struct scan {
    struct plain slot[SLOTS];
    const int64_t *room;
    uint32_t width, asked;
};

static bool holds(const int64_t *room, const int64_t *demand, uint32_t width)
{
    for (uint32_t r = 0; r < width; r++)
        if (demand[r] > 0 && demand[r] > room[r])
            return false;
    return true;
}

static bool fits(void *context, uint32_t slot)
{
    struct scan *scan = context;
    const struct plain *plain = &scan->slot[slot];
    assert_true(slot < SLOTS && plain->in);
    scan->asked++;
    return holds(scan->room, plain->demand[0], scan->width) ||
           holds(scan->room, plain->demand[1], scan->width);
}

static uint32_t first_of(struct scan *scan)
{
    uint32_t first = BR_NOBODY;
    for (uint32_t s = 0; s < SLOTS; s++) {
        const struct plain *a = &scan->slot[s], *b = first == BR_NOBODY ? a : &scan->slot[first];
        if (a->in && fits(scan, s) &&
            (first == BR_NOBODY || a->key < b->key || (a->key == b->key && a->tie < b->tie)))
            first = s;
    }
    return first;
}

static void put(struct br_rng *rng, struct br_roster *roster, struct scan *scan)
{
    uint32_t s = (uint32_t)br_rng_below(rng, SLOTS);
    struct plain *plain = &scan->slot[s];
    int64_t least[WIDTH] = {0};
    plain->in = true;
    plain->key = (double)br_rng_below(rng, 6) - 3;
    plain->tie = (uint32_t)br_rng_below(rng, 1000) * SLOTS + s; /* unique */
    for (uint32_t r = 0; r < roster->width; r++) {
        plain->demand[0][r] = (int64_t)br_rng_below(rng, 9);
        plain->demand[1][r] = (int64_t)br_rng_below(rng, 9);
        least[r] =
            plain->demand[0][r] < plain->demand[1][r] ? plain->demand[0][r] : plain->demand[1][r];
    }
    assert_true(br_roster_set(roster, s, plain->key, plain->tie, least));
}

static void test_roster(void **state)
{
    for (uint64_t seed = 1; seed <= 30; seed++) {
        struct br_rng rng = br_rng_seed(seed);
        struct br_roster roster;
        struct scan scan = {.width = (uint32_t)(seed % (WIDTH + 1))}; /* also no resource at all */
        uint32_t found = 0;
        br_roster_init(&roster, scan.width);
        for (int step = 0; step < STEPS; step++) {
            int64_t room[WIDTH];
            uint32_t which = (uint32_t)br_rng_below(&rng, 4);
            if (which == 0) {
                put(&rng, &roster, &scan);
            } else if (which == 1 && step % 3 > 0) {
                uint32_t s = (uint32_t)br_rng_below(&rng, 2 * SLOTS);
                br_roster_clear(&roster, s); /* also what is not in, or never was */
                if (s < SLOTS)
                    scan.slot[s].in = false;
            }
            for (uint32_t r = 0; r < WIDTH; r++)
                room[r] = (int64_t)br_rng_below(&rng, 9) - 1; /* below 0 where overbooked */
            scan.room = room;
            uint32_t expected = first_of(&scan);
            assert_int_equal(br_roster_first(&roster, room, fits, &scan), expected);
            found += expected != BR_NOBODY;
        }
        assert_true(found > STEPS / 10);
        br_roster_finish(&roster);
    }
}

/* The search asks of few: of many that fit, only the first. */
static void test_roster_is_quick(void **state)
{
    struct br_roster roster;
    struct scan scan = {.width = 1};
    const int64_t room[] = {5}, least[] = {5};
    br_roster_init(&roster, 1);
    for (uint32_t s = 0; s < SLOTS; s++) {
        scan.slot[s] = (struct plain){.in = true, .demand = {{5}, {5}}};
        assert_true(br_roster_set(&roster, s, (double)((s * 37 + 1) % SLOTS), s, least));
    }
    scan.room = room;
    assert_int_equal(br_roster_first(&roster, room, fits, &scan), 17); /* 17 x 37 + 1 is 9 x 70 */
    assert_int_equal(scan.asked, 1);
    const int64_t less[] = {4};
    scan.room = less;
    scan.asked = 0;
    assert_int_equal(br_roster_first(&roster, less, fits, &scan), BR_NOBODY);
    assert_int_equal(scan.asked, 0);
    br_roster_finish(&roster);
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
            uint32_t m = (uint32_t)br_rng_below(&rng, machines), first = 0;
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
            assert_int_equal(br_rooms_first(&rooms, demand), first < machines ? first : UINT32_MAX);
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
                                       cmocka_unit_test(test_roster_is_quick),
                                       cmocka_unit_test(test_rooms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
