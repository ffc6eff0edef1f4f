/* Copies of a run: they go on as it does, or with everything unknown drawn anew, and leave it as it
 * is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/numbers/rng.h"
#include "cluster/executors/core.h"
#include "cluster/executors/policy.h"

enum { JOBS = 5, STAGES = 3 };
#define S INT64_C(1000000000)

/* Chains of stages whose tasks last anything from 1 to 8 s. */
static struct br_waves *make_job(struct br_rng *rng)
{
    struct br_waves *waves = br_waves_create(STAGES);
    assert_non_null(waves);
    for (uint32_t s = 0; s < STAGES; s++) {
        uint32_t ms[6];
        for (int k = 0; k < 6; k++)
            ms[k] = 1000 + (uint32_t)br_rng_below(rng, 7000);
        const struct br_wave_measured measured = {5, {1, 3, 3}, {ms, ms, ms + 3}};
        waves->stage[s].tasks = 1 + (uint32_t)br_rng_below(rng, 20);
        assert_int_equal(br_waves_add(waves, s, &measured, NULL), BR_OK);
        if (s)
            assert_int_equal(br_waves_add_edge(waves, s - 1, s, NULL), BR_OK);
    }
    assert_int_equal(br_waves_finish(waves, NULL), BR_OK);
    return waves;
}

struct scene {
    struct br_waves *waves[JOBS];
    struct br_executors_arrival arrival[JOBS];
    struct br_executors *sim, *copy;
    const struct br_executors_row *row;
    void *policy;
};

static void open_scene(struct scene *scene, const char *name, int64_t apart_ns)
{
    const struct br_executors_options options = {.executors = 7, .moving_ns = 2 * S};
    struct br_executors_setup setup = {.number = NAN};
    struct br_rng rng = br_rng_seed(4);
    for (uint32_t j = 0; j < JOBS; j++) {
        scene->waves[j] = make_job(&rng);
        scene->arrival[j] = (struct br_executors_arrival){
            .waves = scene->waves[j], .arrival_ns = j * apart_ns, .seed = j};
    }
    for (uint32_t k = 0; br_executors_policy(k); k++)
        if (strcmp(br_executors_policy(k)->named.name, name) == 0)
            scene->row = setup.row = br_executors_policy(k);
    scene->sim = br_executors_create(&options);
    scene->copy = br_executors_create(&options);
    assert_true(scene->sim && scene->copy);
    assert_int_equal(scene->row->create(&setup, &scene->policy, NULL), BR_OK);
    assert_int_equal(br_executors_reset(scene->sim, scene->arrival, JOBS, NULL, NULL), BR_OK);
    assert_int_equal(scene->row->begin(scene->policy, scene->sim, NULL), BR_OK);
}

static void close_scene(struct scene *scene)
{
    scene->row->destroy(scene->policy);
    br_executors_destroy(scene->sim);
    br_executors_destroy(scene->copy);
    for (int j = 0; j < JOBS; j++)
        br_waves_destroy(scene->waves[j]);
}

static void decide(const struct scene *scene, struct br_executors *sim)
{
    struct br_executors_choice choice = scene->row->decide(scene->policy, sim);
    br_executors_decide(sim, choice.stage, choice.limit);
}

struct end {
    int64_t now_ns, jobs_time_ns, busy_ns;
    uint32_t ended, decisions, moves;
};

static struct end finish(const struct scene *scene, struct br_executors *sim)
{
    while (br_executors_next(sim))
        decide(scene, sim);
    return (struct end){sim->now_ns,     sim->jobs_time_ns, sim->busy_ns,
                        sim->ended_jobs, sim->decisions,    sim->moves};
}

static void assert_same(struct end a, struct end b)
{
    assert_true(a.now_ns == b.now_ns && a.jobs_time_ns == b.jobs_time_ns && a.busy_ns == b.busy_ns);
    assert_true(a.ended == b.ended && a.decisions == b.decisions && a.moves == b.moves);
}

/* From every decision of a run on, with executors that run, move, wait and are idle. The copies
 * are made between the steps of the original, which ends as without them. */
static void a_copy_goes_on_as_the_original(void **state)
{
    static const char *const names[] = {"fair", "fifo", "bound"};
    for (int n = 0; n < 3; n++) {
        struct scene scene;
        open_scene(&scene, names[n], 6 * S);
        const struct end alone = finish(&scene, scene.sim);
        assert_int_equal(alone.ended, JOBS);
        assert_int_equal(br_executors_reset(scene.sim, scene.arrival, JOBS, NULL, NULL), BR_OK);
        while (br_executors_next(scene.sim)) {
            assert_int_equal(br_executors_fork(scene.sim, NULL, scene.copy, NULL), BR_OK);
            assert_same(finish(&scene, scene.copy), alone);
            decide(&scene, scene.sim);
        }
        assert_same(finish(&scene, scene.sim), alone);
        close_scene(&scene);
    }
}

/* With a seed: what has happened stays, jobs that have not come do not come, and the end is of the
 * seed's own world, in which the original's draws tell nothing. */
static void a_copy_by_a_seed_draws_anew(void **state)
{
    struct scene scene;
    uint32_t others = 0, copies = 0;
    open_scene(&scene, "fair", 6 * S);
    for (; br_executors_next(scene.sim); copies++) {
        const struct br_executors *sim = scene.sim;
        const uint64_t seed[2] = {copies, copies + 1000};
        struct end end[3];
        uint32_t arrived = sim->live_jobs + sim->ended_jobs;
        for (int k = 0; k < 3; k++) {
            assert_int_equal(br_executors_fork(sim, &seed[k / 2], scene.copy, NULL), BR_OK);
            assert_true(scene.copy->now_ns == sim->now_ns && scene.copy->jobs == arrived);
            assert_memory_equal(scene.copy->stage, sim->stage, sim->stages * sizeof *sim->stage);
            assert_memory_equal(scene.copy->live, sim->live, sim->live_jobs * sizeof *sim->live);
            assert_memory_equal(&scene.copy->group, &sim->group, sizeof sim->group);
            end[k] = finish(&scene, scene.copy);
            assert_int_equal(end[k].ended, arrived);
            assert_true(end[k].now_ns >= sim->now_ns);
        }
        assert_same(end[0], end[1]);
        others += end[2].now_ns != end[0].now_ns;
        decide(&scene, scene.sim);
    }
    assert_true(copies > 20 && others > copies * 3 / 4);
    /* The draws of the original's jobs do not matter where nothing of them has run. */
    uint64_t seed = 5;
    struct end end[2];
    for (uint32_t k = 0; k < 2; k++) {
        for (uint32_t j = 0; j < JOBS; j++)
            scene.arrival[j].seed = j + 77 * k;
        assert_int_equal(br_executors_reset(scene.sim, scene.arrival, JOBS, NULL, NULL), BR_OK);
        assert_true(br_executors_next(scene.sim));
        assert_int_equal(br_executors_fork(scene.sim, &seed, scene.copy, NULL), BR_OK);
        end[k] = finish(&scene, scene.copy);
    }
    assert_same(end[0], end[1]);
    close_scene(&scene);
}

/* While the only task runs, its end in copies by many seeds is one of those it was measured with
 * that are longer than it has run: of 2, 4 and 8 s after 3 s 4 or 8. */
static void a_task_that_runs_lasts_longer_than_it_has(void **state)
{
    const struct br_executors_options options = {.executors = 2, .moving_ns = 0};
    const uint32_t ms[] = {2000, 4000, 8000};
    const struct br_wave_measured measured = {5, {3, 0, 0}, {ms, NULL, NULL}};
    struct br_waves *waves = br_waves_create(1);
    struct br_executors *sim = br_executors_create(&options), *copy = br_executors_create(&options);
    uint32_t seen[9] = {0};
    assert_true(sim && copy && waves);
    waves->stage[0].tasks = 1;
    assert_int_equal(br_waves_add(waves, 0, &measured, NULL), BR_OK);
    assert_int_equal(br_waves_finish(waves, NULL), BR_OK);
    /* Another job comes after 3 s, and somebody is asked then. */
    struct br_executors_arrival arrival[2] = {{.waves = waves},
                                              {.waves = waves, .arrival_ns = 3 * S}};
    do {
        arrival[0].seed++;
        assert_int_equal(br_executors_reset(sim, arrival, 2, NULL, NULL), BR_OK);
        while (br_executors_next(sim) && sim->now_ns == 0)
            br_executors_decide(sim, 0, 1);
    } while (sim->live_jobs < 2 && arrival[0].seed < 100);
    assert_true(sim->now_ns == 3 * S && sim->stage[0].started == 1 && sim->stage[0].ended == 0);
    for (uint64_t seed = 0; seed < 200; seed++) {
        assert_int_equal(br_executors_fork(sim, &seed, copy, NULL), BR_OK);
        while (br_executors_next(copy))
            br_executors_decide(copy, copy->ready[0], 2);
        int64_t end_s = copy->job[0].end_ns / S;
        assert_true(end_s == 4 || end_s == 8);
        seen[end_s]++;
    }
    assert_true(seen[4] > 60 && seen[8] > 60);
    br_executors_destroy(sim);
    br_executors_destroy(copy);
    br_waves_destroy(waves);
}

/* Tasks that start when their job has 1 to 5 executors last 1 s, and when it has 8 10 s. So does
 * the eighth, in the run and in copies that are made when there are fewer. */
static void a_task_is_of_the_executors_at_its_start(void **state)
{
    const struct br_executors_options options = {.executors = 8, .moving_ns = 0};
    const uint32_t ms[] = {1000, 10000};
    const struct br_wave_measured measured[2] = {{5, {1, 0, 0}, {ms, NULL, NULL}},
                                                 {8, {1, 0, 0}, {ms + 1, NULL, NULL}}};
    struct br_waves *waves = br_waves_create(1);
    struct br_executors *sim = br_executors_create(&options), *copy = br_executors_create(&options);
    assert_true(sim && copy && waves);
    waves->stage[0].tasks = 8;
    for (int k = 0; k < 2; k++)
        assert_int_equal(br_waves_add(waves, 0, &measured[k], NULL), BR_OK);
    assert_int_equal(br_waves_finish(waves, NULL), BR_OK);
    const struct br_executors_arrival arrival[2] = {{.waves = waves},
                                                    {.waves = waves, .arrival_ns = 3 * S}};
    assert_int_equal(br_executors_reset(sim, arrival, 2, NULL, NULL), BR_OK);
    while (br_executors_next(sim) && sim->now_ns == 0)
        br_executors_decide(sim, 0, 8);
    assert_true(sim->now_ns == 3 * S && sim->stage[0].ended >= 5 && sim->job[0].executors < 5);
    for (uint64_t seed = 0; seed < 20; seed++) {
        assert_int_equal(br_executors_fork(sim, &seed, copy, NULL), BR_OK);
        while (br_executors_next(copy))
            br_executors_decide(copy, copy->ready[0], 1);
        assert_true(copy->job[0].end_ns == 10 * S);
    }
    while (br_executors_next(sim))
        br_executors_decide(sim, sim->ready[0], 1);
    assert_true(sim->job[0].end_ns == 10 * S);
    br_executors_destroy(sim);
    br_executors_destroy(copy);
    br_waves_destroy(waves);
}

/* How long an executor is on its way is known, so it is not drawn anew. */
static void what_moves_comes_as_it_would(void **state)
{
    struct scene scene;
    uint32_t moving = 0;
    open_scene(&scene, "fair", 0);
    for (uint64_t seed = 1; br_executors_next(scene.sim); seed++) {
        const struct br_executors_core *from = (const struct br_executors_core *)scene.sim;
        const struct br_executors_core *to = (const struct br_executors_core *)scene.copy;
        assert_int_equal(br_executors_fork(scene.sim, &seed, scene.copy, NULL), BR_OK);
        assert_int_equal(to->events, from->events);
        for (uint32_t k = 0; k < from->events; k++) {
            uint32_t at = 0;
            if (!from->executor[from->event[k].executor].moving)
                continue;
            while (to->event[at].executor != from->event[k].executor)
                at++;
            assert_int_equal(to->event[at].time_ns, from->event[k].time_ns);
            moving++;
        }
        decide(&scene, scene.sim);
    }
    assert_int_not_equal(moving, 0);
    close_scene(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_goes_on_as_the_original),
        cmocka_unit_test(a_copy_by_a_seed_draws_anew),
        cmocka_unit_test(what_moves_comes_as_it_would),
        cmocka_unit_test(a_task_that_runs_lasts_longer_than_it_has),
        cmocka_unit_test(a_task_is_of_the_executors_at_its_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
