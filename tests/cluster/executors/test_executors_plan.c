/* The planner whose rule has numbers that are learned: what its numbers do, and that none of them
 * makes it name what cannot be named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/numbers/rng.h"
#include "cluster/executors/plan.h"

enum { JOBS = 6, EXECUTORS = 20, RUNS = 60 };
#define S INT64_C(1000000000)

/* Stages in a row; tasks last longer on 10 and 20 executors than on 5. */
static struct br_waves *waves_of(uint32_t stages, const uint32_t *tasks, uint32_t ms)
{
    struct br_waves *waves = br_waves_create(stages);
    assert_non_null(waves);
    for (uint32_t s = 0; s < stages; s++) {
        waves->stage[s].tasks = tasks[s];
        for (uint32_t executors = 5; executors <= 20; executors *= 2) {
            const uint32_t both[] = {ms + ms * executors / 20, ms + ms * executors / 20};
            const struct br_wave_measured measured = {executors, {1, 2, 1}, {both, both, both}};
            assert_int_equal(br_waves_add(waves, s, &measured, NULL), BR_OK);
        }
        if (s)
            assert_int_equal(br_waves_add_edge(waves, s - 1, s, NULL), BR_OK);
    }
    assert_int_equal(br_waves_finish(waves, NULL), BR_OK);
    return waves;
}

struct scene {
    struct br_waves *waves[3];
    struct br_executors_arrival arrival[JOBS];
    struct br_executors *sim;
    struct br_executors_plan *plan;
};

static void open_scene(struct scene *scene, int64_t apart_ns)
{
    const struct br_executors_options options = {.executors = EXECUTORS, .moving_ns = 2 * S};
    scene->waves[0] = waves_of(1, (const uint32_t[]){40}, 1000);
    scene->waves[1] = waves_of(3, (const uint32_t[]){7, 30, 1}, 2000);
    scene->waves[2] = waves_of(2, (const uint32_t[]){100, 20}, 500);
    for (uint32_t j = 0; j < JOBS; j++)
        scene->arrival[j] = (struct br_executors_arrival){
            .waves = scene->waves[j % 3], .arrival_ns = j * apart_ns, .seed = j};
    scene->sim = br_executors_create(&options);
    scene->plan = br_executors_plan_create();
    assert_true(scene->sim && scene->plan);
}

static void close_scene(struct scene *scene)
{
    br_executors_plan_destroy(scene->plan);
    br_executors_destroy(scene->sim);
    for (int k = 0; k < 3; k++)
        br_waves_destroy(scene->waves[k]);
}

static void begin(struct scene *scene, uint32_t jobs)
{
    assert_int_equal(br_executors_reset(scene->sim, scene->arrival, jobs, NULL, NULL), BR_OK);
    assert_int_equal(br_executors_plan_begin(scene->plan, scene->sim, NULL), BR_OK);
}

/* Runs to the end; each choice is one that the simulator takes. The time of all jobs. */
static int64_t run(struct scene *scene)
{
    struct br_executors *sim = scene->sim;
    begin(scene, JOBS);
    while (br_executors_next(sim)) {
        struct br_executors_choice choice = br_executors_plan_decide(scene->plan, sim);
        bool stays = choice.stage == BR_EXECUTORS_STAY;
        assert_true(stays ||
                    (choice.stage < sim->stages && br_executors_selectable(sim, choice.stage) &&
                     choice.limit >= 1 && choice.limit <= EXECUTORS));
        assert_true(!stays || br_executors_plan_number(scene->plan, BR_PLAN_SPARE) > 0);
        for (uint32_t k = 0; k < sim->live_jobs; k++) {
            struct br_executors_plan_job of = br_executors_plan_of(scene->plan, sim->live[k]);
            assert_true(of.executors >= 1 && of.executors <= EXECUTORS && of.left_ms >= 0);
        }
        br_executors_decide(sim, choice.stage, choice.limit);
    }
    assert_int_equal(sim->ended_jobs, JOBS);
    return sim->jobs_time_ns;
}

/* Numbers out of all range, as a model may hold them, are cut: every run comes to its end. */
static void no_number_breaks_a_run(void **state)
{
    const double sizes[] = {1, 5, 1e4, 1e38};
    struct br_rng rng = br_rng_seed(3);
    int64_t first_ns = 0;
    uint32_t others = 0;
    for (int k = 0; k < RUNS; k++) {
        double steps[BR_EXECUTORS_PLAN_NUMBERS];
        struct scene scene;
        open_scene(&scene, k % 2 ? 0 : 4 * S);
        for (int n = 0; n < BR_EXECUTORS_PLAN_NUMBERS; n++)
            steps[n] = (2 * br_rng_unit(&rng) - 1) * sizes[k / 2 % 4];
        br_executors_plan_set(scene.plan, steps);
        int64_t time_ns = run(&scene);
        assert_true(run(&scene) == time_ns);
        first_ns = k ? first_ns : time_ns;
        others += time_ns != first_ns;
        close_scene(&scene);
    }
    assert_true(others > RUNS / 2); /* they do matter */
}

/* One job alone, 40 tasks that last 1.25, 1.5 and 2 s on 5, 10 and 20 executors: it takes 40/k of
 * these, rounded up, and spends 40 of them. At no price 20 are the best: 4 s; at a high one the
 * tasks are to be short, and of the numbers from 1 to 5 that spend alike 5 takes the least. */
static void a_price_takes_executors_from_a_job(void **state)
{
    const double cheap = -1e4, dear = 1e4;
    double steps[BR_EXECUTORS_PLAN_NUMBERS] = {0};
    struct scene scene;
    open_scene(&scene, 0);
    for (int k = 0; k < 2; k++) {
        steps[BR_PLAN_PRICE] = k ? dear : cheap;
        br_executors_plan_set(scene.plan, steps);
        begin(&scene, 1);
        assert_true(br_executors_next(scene.sim));
        struct br_executors_choice choice = br_executors_plan_decide(scene.plan, scene.sim);
        assert_int_equal(choice.limit, k ? 5 : 20);
        struct br_executors_plan_job of = br_executors_plan_of(scene.plan, 0);
        assert_int_equal(of.executors, choice.limit);
        assert_true(fabs(of.left_ms - (k ? 10000 : 4000)) < 1e-6);
    }
    close_scene(&scene);
}

/* Of three jobs that have just come the one with the least work is named. It pays for the two that
 * wait, and the one with the most work for nobody: that gets as many as if it were alone. */
static void less_work_goes_first(void **state)
{
    struct scene scene;
    uint32_t alone[3], least = 0, most = 0;
    open_scene(&scene, 0);
    for (uint32_t j = 0; j < 3; j++) {
        scene.arrival[0].waves = scene.waves[j];
        begin(&scene, 1);
        assert_true(br_executors_next(scene.sim));
        br_executors_plan_decide(scene.plan, scene.sim);
        alone[j] = br_executors_plan_of(scene.plan, 0).executors;
    }
    scene.arrival[0].waves = scene.waves[0];
    begin(&scene, 3);
    assert_true(br_executors_next(scene.sim));
    struct br_executors_choice choice = br_executors_plan_decide(scene.plan, scene.sim);
    for (uint32_t j = 1; j < 3; j++) {
        least = scene.sim->job[j].left_us < scene.sim->job[least].left_us ? j : least;
        most = scene.sim->job[j].left_us > scene.sim->job[most].left_us ? j : most;
    }
    assert_int_equal(scene.sim->stage[choice.stage].job, least);
    assert_true(br_executors_plan_of(scene.plan, least).executors < alone[least]);
    assert_int_equal(br_executors_plan_of(scene.plan, most).executors, alone[most]);
    close_scene(&scene);
}

/* A job whose number is used again by another one, as a scheduler does that embeds this, is seen as
 * the other one. */
static void a_job_that_comes_replaces_another(void **state)
{
    struct scene scene;
    open_scene(&scene, 0);
    begin(&scene, 1);
    assert_true(br_executors_next(scene.sim));
    br_executors_plan_decide(scene.plan, scene.sim);
    double before_ms = br_executors_plan_of(scene.plan, 0).left_ms;
    scene.arrival[0].waves = scene.waves[1];
    assert_int_equal(br_executors_reset(scene.sim, scene.arrival, 1, NULL, NULL), BR_OK);
    assert_true(br_executors_plan_arrive(scene.plan, scene.sim, 0));
    assert_true(br_executors_next(scene.sim));
    br_executors_plan_decide(scene.plan, scene.sim);
    double after_ms = br_executors_plan_of(scene.plan, 0).left_ms;
    begin(&scene, 1);
    assert_true(br_executors_next(scene.sim));
    br_executors_plan_decide(scene.plan, scene.sim);
    assert_true(after_ms == br_executors_plan_of(scene.plan, 0).left_ms);
    assert_true(after_ms > before_ms);
    close_scene(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_number_breaks_a_run),
        cmocka_unit_test(a_price_takes_executors_from_a_job),
        cmocka_unit_test(less_work_goes_first),
        cmocka_unit_test(a_job_that_comes_replaces_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
