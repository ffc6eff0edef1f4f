#include "tests/cluster/executors/small.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/collections/index.h"

/* Jobs of two or three stages: `tasks` of `ms` each, then fewer longer ones. */
static struct br_waves *make_job(uint32_t stages, uint32_t tasks, uint32_t ms)
{
    struct br_waves *waves = br_waves_create(stages);
    assert_non_null(waves);
    for (uint32_t s = 0; s < stages; s++) {
        const uint32_t one[] = {ms * (s + 1), ms * (s + 1) + 10};
        const struct br_wave_measured measured = {
            .executors = 5,
            .count = {[BR_WAVE_FRESH] = 1, [BR_WAVE_FIRST] = 2, [BR_WAVE_REST] = 2},
            .ms = {[BR_WAVE_FRESH] = one, [BR_WAVE_FIRST] = one, [BR_WAVE_REST] = one}};
        waves->stage[s].tasks = s ? 2 : tasks;
        assert_int_equal(br_waves_add(waves, s, &measured, NULL), BR_OK);
        if (s)
            assert_int_equal(br_waves_add_edge(waves, s - 1, s, NULL), BR_OK);
    }
    assert_int_equal(br_waves_finish(waves, NULL), BR_OK);
    return waves;
}

int open_pool(void **state)
{
    struct pool *pool = calloc(1, sizeof *pool);
    assert_non_null(pool);
    pool->owned[0] = make_job(2, 6, 500);
    pool->owned[1] = make_job(3, 12, 2000);
    pool->owned[2] = make_job(2, 30, 9000);
    for (int k = 0; k < POOL; k++) {
        pool->waves[k] = pool->owned[k];
        pool->deadline_ns[k] = (k + 1) * INT64_C(15000000000);
    }
    pool->jobs = (struct br_train_jobs){.waves = pool->waves, .count = POOL};
    *state = pool;
    return 0;
}

int close_pool(void **state)
{
    struct pool *pool = *state;
    for (int k = 0; k < POOL; k++)
        br_waves_destroy(pool->owned[k]);
    free(pool);
    return 0;
}

struct br_train_options small_options(void)
{
    struct br_train_options options = br_train_options_default();
    options.cluster.executors = 6;
    options.episodes = 5;
    options.jobs = 4;
    options.iterations = 6;
    options.seed = 11;
    return options;
}

void sum_up(char *bytes, size_t size)
{
    uint32_t version;
    memcpy(&version, bytes + 8, sizeof version);
    uint64_t sum = version;
    for (size_t k = 32; k < size; k += 8) {
        uint64_t word = 0;
        memcpy(&word, bytes + k, size - k < 8 ? size - k : 8);
        sum = br_hash_number(sum ^ word);
    }
    memcpy(bytes + 24, &sum, sizeof sum);
}
