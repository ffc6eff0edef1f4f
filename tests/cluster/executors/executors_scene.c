#include "tests/cluster/executors/executors_scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

struct br_waves *waves_of(const struct stage *stage, uint32_t stages, const uint32_t (*edge)[2],
                          uint32_t edges)
{
    struct br_waves *waves = br_waves_create(stages);
    struct br_diag diag = {0};
    assert_non_null(waves);
    for (uint32_t s = 0; s < stages; s++) {
        uint32_t first[2] = {stage[s].fresh, stage[s].first};
        const struct br_wave_measured measured = {
            .executors = 5,
            .count = {1, 2, 1},
            .ms = {&stage[s].fresh, first, &stage[s].rest},
        };
        waves->stage[s].tasks = stage[s].tasks;
        assert_int_equal(br_waves_add(waves, s, &measured, &diag), BR_OK);
    }
    for (uint32_t e = 0; e < edges; e++)
        assert_int_equal(br_waves_add_edge(waves, edge[e][0], edge[e][1], &diag), BR_OK);
    assert_int_equal(br_waves_finish(waves, &diag), BR_OK);
    return waves;
}

struct br_executors *sim_of(uint32_t executors, bool yields)
{
    const struct br_executors_options options = {
        .executors = executors, .moving_ns = 2000 * MS, .yields = yields};
    struct br_executors *sim = br_executors_create(&options);
    assert_non_null(sim);
    return sim;
}

void begin(struct br_executors *sim, const struct br_executors_arrival *arrival, uint32_t jobs,
           struct br_outcome *record)
{
    const struct br_executors_run run = {BR_NEVER, record};
    assert_int_equal(br_executors_reset(sim, arrival, jobs, &run, NULL), BR_OK);
}

void expect(struct br_executors *sim, int64_t now_ms, uint32_t count, uint32_t job, uint32_t stage)
{
    assert_true(br_executors_next(sim));
    assert_int_equal(sim->now_ns, now_ms * MS);
    assert_int_equal(sim->group.count, count);
    assert_int_equal(sim->group.job, job);
    assert_int_equal(sim->group.stage, stage);
}
