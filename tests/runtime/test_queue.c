/* The queue of commands that no plan knows: nobody waits for ever, and who may pass does not put
 * off what the first one is promised. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/numbers/rng.h"
#include "parsers/jobs/native.h"
#include "runtime/admission/queue.h"

static const uint32_t none = UINT32_MAX;

struct world {
    struct br_cluster *cluster;
    struct cli_queue *queue;
};

static struct world open_world(const char *capacity)
{
    struct world world;
    assert_int_equal(br_parse_capacity(1, capacity, &world.cluster, NULL), BR_OK);
    world.queue = cli_queue_create(world.cluster);
    assert_non_null(world.queue);
    return world;
}

static void close_world(struct world *world)
{
    cli_queue_destroy(world->queue);
    br_cluster_destroy(world->cluster);
}

static void add(struct world *world, uint32_t client, const double *demand, int64_t lasts_ns)
{
    assert_int_equal(cli_queue_add(world->queue, client, demand, lasts_ns, true, NULL), BR_OK);
}

static uint32_t next(struct world *world, int64_t now_ns)
{
    uint32_t machine = none, client = cli_queue_next(world->queue, none, now_ns, &machine);
    assert_true(client == none || machine == 0);
    return client;
}

/* Small ones come without end; the large one starts when those have ended that ran before it. */
static void large_one_starts(void **state)
{
    static const double small = 30, large = 90;
    (void)state;
    struct world world = open_world("mem=100");
    add(&world, 0, &small, -1);
    assert_int_equal(next(&world, 0), 0);
    add(&world, 1, &large, -1);
    assert_int_equal(next(&world, 1), none);
    for (uint32_t client = 2; client < 6; client++) {
        add(&world, client, &small, -1);
        assert_int_equal(next(&world, client), none);
    }
    cli_queue_remove(world.queue, 0);
    assert_int_equal(next(&world, 9), 1);
    assert_int_equal(next(&world, 9), none);
    cli_queue_remove(world.queue, 1);
    for (uint32_t client = 2; client < 5; client++)
        assert_int_equal(next(&world, 10), client); /* by age */
    assert_int_equal(next(&world, 10), none);
    close_world(&world);
}

/* One that is known to end before the first can start passes, a longer one does not. */
static void passes_in_time(void **state)
{
    static const double small = 30, large = 90;
    (void)state;
    struct world world = open_world("mem=100");
    add(&world, 0, &small, 100);
    assert_int_equal(next(&world, 0), 0);
    add(&world, 1, &large, 10); /* promised at 100 */
    add(&world, 2, &small, 91);
    add(&world, 3, &small, 90);
    add(&world, 4, &small, -1);
    assert_int_equal(next(&world, 10), 3);
    assert_int_equal(next(&world, 10), none);
    cli_queue_remove(world.queue, 3);
    /* The promise stays when what runs lasts longer. */
    add(&world, 5, &small, 1);
    assert_int_equal(next(&world, 99), 5);
    cli_queue_remove(world.queue, 5);
    add(&world, 5, &small, 1);
    assert_int_equal(next(&world, 100), none);
    cli_queue_remove(world.queue, 0);
    assert_int_equal(next(&world, 120), 1);
    close_world(&world);
}

/* What fits beside the first may pass, of unknown duration too, but not a stream of it. */
static void passes_beside(void **state)
{
    static const double half = 50, most = 60, third = 30, little = 10;
    (void)state;
    struct world world = open_world("mem=100");
    add(&world, 0, &half, -1);
    assert_int_equal(next(&world, 0), 0);
    add(&world, 1, &most, -1);
    add(&world, 2, &third, -1);
    add(&world, 3, &third, -1);
    add(&world, 4, &little, -1);
    assert_int_equal(next(&world, 1), 2);
    assert_int_equal(next(&world, 1), 4); /* 3 and 2 beside the first would be too much */
    assert_int_equal(next(&world, 1), none);
    cli_queue_remove(world.queue, 2);
    assert_int_equal(next(&world, 2), 3);
    assert_int_equal(next(&world, 2), none);
    cli_queue_remove(world.queue, 0);
    assert_int_equal(next(&world, 3), 1);
    close_world(&world);
}

/* A client that comes first for other reasons has room kept for it, and is not started here. */
static void kept_for_another(void **state)
{
    static const double small = 30, large = 90;
    uint32_t machine;
    (void)state;
    struct world world = open_world("mem=100");
    assert_int_equal(cli_queue_add(world.queue, 7, &large, -1, false, NULL), BR_OK);
    add(&world, 0, &small, -1);
    assert_int_equal(next(&world, 0), 0);
    add(&world, 1, &small, -1);
    assert_int_equal(cli_queue_next(world.queue, 7, 0, &machine), none);
    cli_queue_remove(world.queue, 7);
    assert_int_equal(next(&world, 0), 1);
    close_world(&world);
}

/* ---- Streams at random, whose durations are known exactly ---- */

enum { CLIENTS = 60 };

struct command {
    double demand[2];
    int64_t asked_ns, lasts_ns, began_ns, promised_ns; /* -1: not yet */
};

/* When the command could start if nothing else did from now on. */
static int64_t alone_ns(const struct command *command, uint32_t count, uint32_t which,
                        int64_t now_ns)
{
    int64_t best = INT64_MAX;
    for (uint32_t k = 0; k <= count; k++) { /* now, or at the end of one that runs */
        int64_t at = k == count ? now_ns : command[k].began_ns + command[k].lasts_ns;
        if (at < now_ns || at >= best || (k < count && command[k].began_ns < 0))
            continue;
        double used[2] = {0, 0};
        for (uint32_t c = 0; c < count; c++)
            for (int r = 0; r < 2; r++)
                if (command[c].began_ns >= 0 && command[c].began_ns + command[c].lasts_ns > at)
                    used[r] += command[c].demand[r];
        if (used[0] + command[which].demand[0] <= 8 && used[1] + command[which].demand[1] <= 100)
            best = at;
    }
    return best;
}

static void promises_are_kept(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct br_rng rng = br_rng_seed(seed);
        struct world world = open_world("cpu=8,mem=100");
        struct command command[CLIENTS];
        uint32_t asked = 0, left = CLIENTS;
        int64_t now_ns = 0;
        for (uint32_t c = 0; c < CLIENTS; c++)
            command[c] = (struct command){
                {(double)(1 + br_rng_below(&rng, 8)), (double)br_rng_below(&rng, 101)},
                (int64_t)(c * 5),
                1 + (int64_t)br_rng_below(&rng, 40),
                -1,
                -1};
        while (left) {
            for (uint32_t c = 0; c < asked; c++)
                if (command[c].began_ns >= 0 &&
                    command[c].began_ns + command[c].lasts_ns == now_ns) {
                    cli_queue_remove(world.queue, c);
                    left--;
                }
            while (asked < CLIENTS && command[asked].asked_ns <= now_ns) {
                add(&world, asked, command[asked].demand, command[asked].lasts_ns);
                asked++;
            }
            uint32_t client, first = 0;
            while ((client = next(&world, now_ns)) != none)
                command[client].began_ns = now_ns;
            while (first < asked && command[first].began_ns >= 0)
                first++;
            if (first < asked) { /* the oldest: by when it starts at the latest from now on */
                int64_t at = alone_ns(command, asked, first, now_ns);
                assert_true(at > now_ns && at < INT64_MAX);
                if (command[first].promised_ns < 0)
                    command[first].promised_ns = at;
                assert_true(at <= command[first].promised_ns);
            }
            double used[2] = {0, 0};
            for (uint32_t c = 0; c < asked; c++)
                for (int r = 0; r < 2; r++)
                    if (command[c].began_ns >= 0 &&
                        command[c].began_ns + command[c].lasts_ns > now_ns)
                        used[r] += command[c].demand[r];
            assert_true(used[0] <= 8 && used[1] <= 100);
            now_ns++;
        }
        close_world(&world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_one_starts),  cmocka_unit_test(passes_in_time),
        cmocka_unit_test(passes_beside),     cmocka_unit_test(kept_for_another),
        cmocka_unit_test(promises_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
