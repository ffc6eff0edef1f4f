/* The simulator of executors: cases that can be computed by hand, and random runs that a judge of
 * its own looks over. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/rng.h"
#include "cluster/executors/jobs.h"
#include "cluster/executors/policy.h"
#include "tests/cluster/executors/executors_scene.h"

#define STAY BR_EXECUTORS_STAY

/* Two executors move to the job in 2 s, run a fresh task each (1.5 s), then one the third task (0.5
 * s): the other is asked about, and nothing is left to name. */
static void test_waves(void **state)
{
    const struct stage one = {3, 1500, 1000, 500};
    struct br_waves *waves = waves_of(&one, 1, NULL, 0);
    struct br_executors *sim = sim_of(2, false);
    struct br_outcome record;
    const struct br_executors_arrival job = {waves, 1000 * MS, 7, NULL, 0};
    (void)state;
    begin(sim, &job, 1, &record);
    expect(sim, 1000, 2, BR_EXECUTORS_NONE, BR_EXECUTORS_NONE);
    assert_int_equal(sim->live_jobs, 1);
    assert_int_equal(br_executors_need(&sim->stage[0]), 3);
    br_executors_decide(sim, 0, 2);
    assert_int_equal(br_executors_need(&sim->stage[0]), 1);
    assert_false(br_executors_next(sim));
    assert_int_equal(record.spans, 3);
    assert_int_equal(record.span[0].start_ns, 3000 * MS);
    assert_int_equal(record.span[0].end_ns, 4500 * MS);
    assert_int_equal(record.span[2].start_ns, 4500 * MS);
    assert_int_equal(record.end_ns[0], 5000 * MS);
    assert_int_equal(sim->jobs_time_ns, 4000 * MS);
    assert_int_equal(sim->busy_ns, 3500 * MS);
    assert_int_equal(sim->moves, 2);
    br_outcome_finish(&record);
    br_executors_destroy(sim);
    br_waves_destroy(waves);
}

/* A stage can be named once its parents are saturated, and starts when they have ended: an executor
 * that waits for it is asked about again then, and runs a first task, not a fresh one. */
static void test_waiting(void **state)
{
    const struct stage two[] = {{2, 1000, 900, 500}, {2, 5000, 700, 300}};
    const uint32_t edge[][2] = {{0, 1}};
    struct br_waves *waves = waves_of(two, 2, edge, 1);
    struct br_executors *sim = sim_of(3, false);
    struct br_outcome record;
    const struct br_executors_arrival job = {waves, 0, 7, NULL, 0};
    (void)state;
    begin(sim, &job, 1, &record);
    expect(sim, 0, 3, BR_EXECUTORS_NONE, BR_EXECUTORS_NONE);
    assert_int_equal(sim->ready_stages, 1);
    br_executors_decide(sim, 0, 3); /* it needs two */
    assert_int_equal(sim->group.count, 1);
    assert_true(br_executors_selectable(sim, 1));
    assert_false(br_executors_selectable(sim, 0));
    br_executors_decide(sim, 1, 3);
    /* The third arrives at 2 s and waits. The first two end at 3 s, one after the other. */
    expect(sim, 3000, 2, 0, 0);
    assert_int_equal(sim->job[0].waiting, 1);
    assert_int_equal(br_executors_need(&sim->stage[1]), 1);
    br_executors_decide(sim, 1, 3); /* the one at hand; the other has nothing to do */
    expect(sim, 3000, 3, 0, BR_EXECUTORS_NONE);
    assert_int_equal(sim->stage[1].open, 0);
    br_executors_decide(sim, 1, 3);
    assert_false(br_executors_next(sim));
    /* The order of idle executors: those that waited come first, of them the third with its fresh
     * task of 5 s. */
    assert_int_equal(record.spans, 4);
    assert_int_equal(record.span[2].end_ns, 3700 * MS);
    assert_int_equal(record.end_ns[0], 8000 * MS);
    br_outcome_finish(&record);
    br_executors_destroy(sim);
    br_waves_destroy(waves);
}

/* Executors that run the last tasks of a stage are promised ahead, and move as they end. A limit
 * counts what the job has and is promised. What stays is free when its job has nothing to start. */
static void test_promises(void **state)
{
    const struct stage a = {4, 1000, 1000, 1000}, b = {8, 10, 10, 10};
    struct br_waves *waves[] = {waves_of(&a, 1, NULL, 0), waves_of(&b, 1, NULL, 0)};
    struct br_executors *sim = sim_of(4, false);
    const struct br_executors_arrival jobs[] = {{waves[0], 0, 7, NULL, 0},
                                                {waves[1], 2500 * MS, 8, NULL, 0}};
    (void)state;
    begin(sim, jobs, 2, NULL);
    expect(sim, 0, 4, BR_EXECUTORS_NONE, BR_EXECUTORS_NONE);
    br_executors_decide(sim, 0, 9);
    expect(sim, 3000, 4, 0, 0);
    assert_int_equal(sim->stage[0].running, 3);
    assert_int_equal(br_executors_held(sim, 0), 0);
    assert_int_equal(br_executors_held(sim, 1), 0);
    br_executors_decide(sim, 1, 3);
    assert_int_equal(sim->group.count, 1);
    assert_int_equal(sim->job[1].coming, 3);
    assert_int_equal(sim->job[0].leaving, 2);
    assert_int_equal(br_executors_held(sim, 0), 0);
    assert_int_equal(br_executors_held(sim, 1), 3);
    /* The stage has been named, so the last one stays; free, it is asked about when job 0 ends. */
    expect(sim, 3000, 1, BR_EXECUTORS_NONE, BR_EXECUTORS_NONE);
    assert_int_equal(sim->ended_jobs, 1);
    assert_int_equal(sim->job[0].leaving, 0);
    assert_int_equal(sim->free, 1);
    br_executors_decide(sim, STAY, 0);
    assert_false(br_executors_next(sim));
    assert_int_equal(sim->now_ns, 5030 * MS); /* 3, 3, 2 tasks of 10 ms */
    assert_int_equal(sim->moves, 7);
    assert_int_equal(sim->jobs_time_ns, (3000 + 2530) * MS);
    br_executors_destroy(sim);
    br_waves_destroy(waves[0]);
    br_waves_destroy(waves[1]);
}

/* An executor that finds its stage full is asked about, though the job has others that were asked
 * and stay. */
static void test_full_on_arrival(void **state)
{
    const struct stage a[] = {{3, 10000, 10000, 10000}, {1, 10, 10, 10}}, b = {8, 10, 10, 10};
    const uint32_t edge[][2] = {{0, 1}};
    struct br_waves *waves[] = {waves_of(a, 2, edge, 1), waves_of(&b, 1, NULL, 0)};
    struct br_executors *sim = sim_of(3, false);
    const struct br_executors_arrival jobs[] = {{waves[0], 0, 7, NULL, 0},
                                                {waves[1], 11000 * MS, 8, NULL, 0}};
    (void)state;
    begin(sim, jobs, 2, NULL);
    expect(sim, 0, 3, BR_EXECUTORS_NONE, BR_EXECUTORS_NONE);
    br_executors_decide(sim, 0, 2);
    expect(sim, 11000, 1, BR_EXECUTORS_NONE, BR_EXECUTORS_NONE);
    br_executors_decide(sim, 0, 3);
    expect(sim, 12000, 2, 0, 0); /* the first has begun the third task */
    br_executors_decide(sim, STAY, 0);
    expect(sim, 13000, 2, 0, BR_EXECUTORS_NONE);
    br_executors_destroy(sim);
    br_waves_destroy(waves[0]);
    br_waves_destroy(waves[1]);
}

/* Of one moment ends come first, then jobs that arrive: those that run the last tasks of a stage
 * are not asked about a job that comes as they end, but then, as free ones. */
static void test_moment(void **state)
{
    const struct stage one = {2, 1000, 1000, 1000};
    struct br_waves *waves = waves_of(&one, 1, NULL, 0);
    struct br_executors *sim = sim_of(2, false);
    const struct br_executors_arrival jobs[] = {{waves, 0, 7, NULL, 0},
                                                {waves, 3000 * MS, 8, NULL, 0}};
    (void)state;
    begin(sim, jobs, 2, NULL);
    expect(sim, 0, 2, BR_EXECUTORS_NONE, BR_EXECUTORS_NONE);
    br_executors_decide(sim, 0, 2);
    expect(sim, 3000, 2, BR_EXECUTORS_NONE, BR_EXECUTORS_NONE);
    assert_int_equal(sim->ended_jobs, 1);
    br_executors_decide(sim, 1, 2);
    assert_false(br_executors_next(sim));
    assert_int_equal(sim->now_ns, 6000 * MS);
    br_executors_destroy(sim);
    br_waves_destroy(waves);
}

/* What is promised first is kept first: of three executors that end one after the other, the first
 * goes where the first decision says, and so on. Those that stay are asked about again when their
 * stage, which ends, lets another one run. */
static void test_promised_order(void **state)
{
    const struct stage a[] = {{3, 1000, 1000, 1000}, {3, 70, 70, 70}}, b = {1, 10, 10, 10};
    const uint32_t edge[][2] = {{0, 1}};
    struct br_waves *waves[] = {waves_of(a, 2, edge, 1), waves_of(&b, 1, NULL, 0)};
    struct br_executors *sim = sim_of(3, false);
    struct br_outcome record;
    const struct br_executors_arrival jobs[] = {{waves[0], 0, 7, NULL, 0},
                                                {waves[1], 2500 * MS, 8, NULL, 0},
                                                {waves[1], 2500 * MS, 9, NULL, 0}};
    (void)state;
    begin(sim, jobs, 3, &record);
    expect(sim, 0, 3, BR_EXECUTORS_NONE, BR_EXECUTORS_NONE);
    br_executors_decide(sim, 0, 3);
    expect(sim, 3000, 3, 0, 0);
    br_executors_decide(sim, STAY, 0);
    expect(sim, 3000, 3, 0, BR_EXECUTORS_NONE);
    assert_int_equal(sim->stage[1].open, 0);
    br_executors_decide(sim, 1, 3);
    expect(sim, 3070, 3, 0, 1);
    br_executors_decide(sim, 3, 1);
    br_executors_decide(sim, 2, 1);
    assert_false(br_executors_next(sim)); /* the last of them is free, with nothing to do */
    assert_int_equal(record.spans, 8);
    assert_int_equal(record.span[6].job, 2);
    assert_int_equal(record.span[7].job, 1);
    assert_int_equal(record.span[6].machine, record.span[3].machine);
    assert_int_equal(record.span[7].machine, record.span[4].machine);
    br_outcome_finish(&record);
    br_executors_destroy(sim);
    br_waves_destroy(waves[0]);
    br_waves_destroy(waves[1]);
}

/* A run ends where it is told to, and the jobs of which something is left count until then. */
static void test_until(void **state)
{
    const struct stage one = {3, 1500, 1000, 500};
    struct br_waves *waves = waves_of(&one, 1, NULL, 0);
    struct br_executors *sim = sim_of(1, false);
    const struct br_executors_arrival jobs[] = {{waves, 0, 7, NULL, 0},
                                                {waves, 3000 * MS, 7, NULL, 0}};
    const struct br_executors_run run = {.until_ns = 3600 * MS};
    (void)state;
    assert_int_equal(br_executors_reset(sim, jobs, 2, &run, NULL), BR_OK);
    while (br_executors_next(sim))
        br_executors_decide(sim, 0, 1);
    assert_int_equal(sim->now_ns, 3600 * MS);
    assert_int_equal(sim->jobs_time_ns, 4200 * MS);
    assert_int_equal(sim->ended_jobs, 0);
    br_executors_destroy(sim);
    br_waves_destroy(waves);
}

/* Two tasks one after the other on one executor: 2 s to come, then 1 s each. */
static void test_missed(void **state)
{
    const struct stage one = {2, 1000, 1000, 1000};
    struct br_waves *waves = waves_of(&one, 1, NULL, 0);
    (void)state;
    for (int late = 0; late < 2; late++) {
        struct br_executors *sim = sim_of(1, false);
        struct br_outcome record;
        const int64_t deadline_ns = 4000 * MS - late;
        const struct br_executors_arrival jobs[] = {{waves, 0, 7, NULL, deadline_ns},
                                                    {waves, 10000 * MS, 7, NULL, 1},
                                                    {waves, 10000 * MS, 7, NULL, 0}};
        begin(sim, jobs, 3, &record);
        expect(sim, 0, 1, BR_EXECUTORS_NONE, BR_EXECUTORS_NONE);
        assert_int_equal(br_executors_missed(sim), 0);
        br_executors_decide(sim, 0, 1);
        /* The second has come late already; nobody has waited for it before. */
        expect(sim, 10000, 1, BR_EXECUTORS_NONE, BR_EXECUTORS_NONE);
        assert_int_equal(br_executors_missed(sim), 1 + late);
        br_outcome_finish(&record);
        br_executors_destroy(sim);
    }
    br_waves_destroy(waves);
}

/* ---- Random runs ---- */

enum { JOBS = 12, EXECUTORS = 7, STAGES = 9 };

static struct br_waves *random_waves(struct br_rng *rng)
{
    struct stage stage[STAGES];
    uint32_t edge[STAGES * STAGES][2], edges = 0;
    uint32_t stages = 1 + (uint32_t)br_rng_below(rng, STAGES);
    for (uint32_t s = 0; s < stages; s++) {
        stage[s] = (struct stage){.tasks = 1 + (uint32_t)br_rng_below(rng, 12),
                                  .fresh = (uint32_t)br_rng_below(rng, 4000),
                                  .first = (uint32_t)br_rng_below(rng, 3000),
                                  .rest = (uint32_t)br_rng_below(rng, 1500)};
        for (uint32_t p = 0; p < s; p++)
            if (br_rng_below(rng, 3) == 0)
                edge[edges][0] = p, edge[edges++][1] = s;
    }
    return waves_of(stage, stages, (const uint32_t(*)[2])edge, edges);
}

static uint32_t stage_of(const struct br_waves *waves, uint32_t task)
{
    uint32_t stage = 0;
    for (; task >= waves->stage[stage].tasks; stage++)
        task -= waves->stage[stage].tasks;
    return stage;
}

/* When the last task of the stage ended. */
static int64_t stage_end(const struct br_outcome *record, const struct br_waves *waves,
                         uint32_t job, uint32_t stage)
{
    int64_t end_ns = 0;
    for (uint64_t k = 0; k < record->spans; k++)
        if (record->span[k].job == job && stage_of(waves, record->span[k].task) == stage &&
            record->span[k].end_ns > end_ns)
            end_ns = record->span[k].end_ns;
    return end_ns;
}

/* What has to hold of every run, whoever decides: each task once, after its stage's parents; one
 * task at a time on an executor, and two seconds between those of two jobs; durations by what the
 * executor ran before. */
static void judge(const struct br_executors_arrival *jobs, const struct br_outcome *record)
{
    uint64_t tasks = 0;
    for (uint32_t j = 0; j < JOBS; j++)
        tasks += jobs[j].waves->tasks;
    assert_int_equal(record->spans, tasks);
    for (uint64_t k = 0; k < record->spans; k++) {
        const struct br_span *span = &record->span[k], *last = NULL;
        const struct br_waves *waves = jobs[span->job].waves;
        uint32_t stage = stage_of(waves, span->task);
        for (uint64_t i = 0; i < k; i++) {
            assert_false(record->span[i].job == span->job && record->span[i].task == span->task);
            if (record->span[i].machine == span->machine)
                last = &record->span[i];
        }
        assert_true(span->start_ns >= jobs[span->job].arrival_ns + (last ? 0 : 2000 * MS));
        if (last)
            assert_true(span->start_ns >= last->end_ns + (last->job == span->job ? 0 : 2000 * MS));
        for (uint32_t p = 0; p < waves->stages; p++)
            for (uint32_t c = 0; c < waves->stage[p].children; c++)
                if (waves->child[waves->stage[p].first_child + c] == stage)
                    assert_true(span->start_ns >= stage_end(record, waves, span->job, p));
        /* An executor that left a job and came back is fresh again, which the spans do not tell
         * where it ran nothing between; so only what they tell is held to. */
        int64_t lasted_ms = (span->end_ns - span->start_ns) / MS;
        const struct br_wave_sample *sample = waves->stage[stage].point[0].sample;
        bool same_job = last && last->job == span->job;
        bool same_stage = same_job && stage_of(waves, last->task) == stage;
        if (!same_job)
            assert_int_equal(lasted_ms, sample[BR_WAVE_FRESH].ms[0]);
        else if (last->end_ns == span->start_ns)
            assert_int_equal(lasted_ms, sample[same_stage ? BR_WAVE_REST : BR_WAVE_FIRST].ms[0]);
    }
}

/* What is seen has to agree with itself at every decision. */
static void check_view(const struct br_executors *sim)
{
    uint32_t bound = 0, moving = 0, live = 0;
    assert_true(sim->group.count >= 1);
    for (uint32_t j = 0; j < sim->jobs; j++) {
        const struct br_executor_job *job = &sim->job[j];
        uint32_t running = 0, ready = 0;
        uint64_t to_start = 0;
        int64_t left_us = 0;
        live += job->place != BR_EXECUTORS_NONE;
        if (job->place != BR_EXECUTORS_NONE)
            assert_int_equal(sim->live[job->place], j);
        bound += job->executors;
        moving += job->coming;
        for (uint32_t s = job->first_stage; s < job->first_stage + job->stages; s++) {
            const struct br_executor_stage *stage = &sim->stage[s];
            running += stage->running;
            to_start += stage->tasks - stage->started;
            left_us += (stage->tasks - stage->started) * stage->waves->mean_us;
            bool saturated = stage->started + stage->coming >= stage->tasks, parents = true;
            assert_int_equal(stage->running, stage->started - stage->ended);
            for (uint32_t p = job->first_stage; p < s; p++)
                for (uint32_t c = 0; c < sim->stage[p].waves->children; c++)
                    if (job->first_stage +
                            job->waves->child[sim->stage[p].waves->first_child + c] ==
                        s)
                        parents &= br_executors_need(&sim->stage[p]) == 0;
            bool named = job->place != BR_EXECUTORS_NONE && !saturated && parents;
            assert_int_equal(named, stage->place != BR_EXECUTORS_NONE);
            ready += named;
        }
        assert_int_equal(ready, job->ready);
        assert_int_equal(to_start, job->to_start);
        assert_int_equal(left_us, job->left_us);
        if (job->end_ns >= 0)
            assert_int_equal(job->executors, 0);
        uint32_t at_hand = sim->group.executor != BR_EXECUTORS_NONE && sim->group.job == j;
        assert_int_equal(running + job->idle + job->waiting + at_hand, job->executors);
        assert_true(job->leaving <= job->executors);
    }
    assert_int_equal(live, sim->live_jobs);
    assert_true(bound + sim->free <= EXECUTORS);
    assert_true(moving <= EXECUTORS);
}

/* A decision of any kind, also one that stays. */
static struct br_executors_choice choose(struct br_rng *rng, const struct br_executors *sim)
{
    uint32_t stage;
    if (br_rng_below(rng, 8) == 0 && (sim->free < EXECUTORS || sim->live_jobs > 1))
        return (struct br_executors_choice){STAY, 0};
    do
        stage = sim->ready[br_rng_below(rng, sim->ready_stages)];
    while (!br_executors_selectable(sim, stage));
    return (struct br_executors_choice){stage, (uint32_t)br_rng_below(rng, EXECUTORS + 2)};
}

/* True where every job ended; a run may also hang in executors that were told to stay. */
static bool random_run(struct br_executors *sim, const struct br_executors_arrival *jobs,
                       uint64_t seed, struct br_outcome *record)
{
    struct br_rng rng = br_rng_seed(seed);
    int64_t before_ns = 0;
    begin(sim, jobs, JOBS, record);
    while (br_executors_next(sim)) {
        check_view(sim);
        assert_true(sim->jobs_time_ns >= before_ns);
        before_ns = sim->jobs_time_ns;
        struct br_executors_choice choice = choose(&rng, sim);
        uint32_t count = sim->group.count;
        if (choice.stage != STAY) {
            uint32_t job = sim->stage[choice.stage].job, held = br_executors_held(sim, job);
            uint32_t need = br_executors_need(&sim->stage[choice.stage]);
            uint32_t may = choice.limit > held ? choice.limit - held : 1;
            uint32_t least = may < need ? may : need;
            br_executors_decide(sim, choice.stage, choice.limit);
            assert_int_equal(count - sim->group.count, least < count ? least : count);
        } else {
            br_executors_decide(sim, STAY, 0);
            assert_int_equal(sim->group.count, 0);
        }
    }
    return sim->ended_jobs == JOBS;
}

static void test_random(void **state)
{
    struct br_executors *both[] = {sim_of(EXECUTORS, false), sim_of(EXECUTORS, true)};
    struct br_rng rng = br_rng_seed(18);
    uint32_t ended = 0;
    (void)state;
    for (uint32_t round = 0; round < 80; round++) {
        struct br_executors *sim = both[round / 40];
        struct br_executors_arrival jobs[JOBS];
        struct br_outcome record, again;
        int64_t at_ns = 0, jct_ns = 0;
        for (uint32_t j = 0; j < JOBS; j++) {
            at_ns += round % 2 ? 0 : (int64_t)br_rng_below(&rng, 9000) * MS;
            jobs[j] = (struct br_executors_arrival){random_waves(&rng), at_ns, br_rng_next(&rng),
                                                    NULL, 0};
        }
        if (random_run(sim, jobs, round, &record)) {
            ended++;
            judge(jobs, &record);
            for (uint32_t j = 0; j < JOBS; j++)
                jct_ns += record.end_ns[j] - jobs[j].arrival_ns;
            assert_int_equal(sim->jobs_time_ns, jct_ns);
        }
        random_run(sim, jobs, round, &again);
        assert_int_equal(record.spans, again.spans);
        assert_memory_equal(record.end_ns, again.end_ns, JOBS * sizeof *record.end_ns);
        br_outcome_finish(&record);
        br_outcome_finish(&again);
        for (uint32_t j = 0; j < JOBS; j++)
            br_waves_destroy((struct br_waves *)jobs[j].waves);
    }
    assert_true(ended > 60);
    br_executors_destroy(both[0]);
    br_executors_destroy(both[1]);
}

/* Every row of the table ends every job, and draws nothing that it could not. */
static void test_policies(void **state)
{
    struct br_executors *both[] = {sim_of(EXECUTORS, false), sim_of(EXECUTORS, true)};
    struct br_rng rng = br_rng_seed(19);
    uint32_t order[JOBS];
    (void)state;
    for (uint32_t j = 0; j < JOBS; j++)
        order[j] = (j + 5) % JOBS;
    for (uint32_t k = 0; br_executors_policy(k / 2); k++) {
        const struct br_executors_row *row = br_executors_policy(k / 2);
        struct br_executors *sim = both[k % 2];
        const struct br_executors_setup setup = {
            .row = row, .seed = 3, .number = row->usual, .order = order};
        struct br_executors_arrival jobs[JOBS];
        struct br_outcome record;
        struct br_diag diag = {0};
        void *policy;
        for (uint32_t j = 0; j < JOBS; j++)
            jobs[j] = (struct br_executors_arrival){random_waves(&rng), j * 1000 * MS, j, NULL, 0};
        assert_int_equal(row->create(&setup, &policy, &diag), BR_OK);
        begin(sim, jobs, JOBS, &record);
        assert_int_equal(br_executors_follow(sim, row, policy, &diag), BR_OK);
        assert_int_equal(record.finished, JOBS);
        judge(jobs, &record);
        row->destroy(policy);
        br_outcome_finish(&record);
        for (uint32_t j = 0; j < JOBS; j++)
            br_waves_destroy((struct br_waves *)jobs[j].waves);
    }
    br_executors_destroy(both[0]);
    br_executors_destroy(both[1]);
}

/* How long a task lasts does not depend on who decides: here all waves are equal, so it is the same
 * under every policy, and tasks differ. The least that tasks can last is just that. */
static void test_same_world(void **state)
{
    enum { TASKS = 40 };
    const uint32_t ms[] = {100, 200, 300, 400, 500, 600, 700, 800};
    const struct br_wave_measured measured = {5, {8, 8, 8}, {ms, ms, ms}};
    struct br_waves *waves = br_waves_create(1);
    struct br_executors *sim = sim_of(EXECUTORS, false);
    int64_t lasted_ns[2][TASKS], least_ns[TASKS];
    (void)state;
    waves->stage[0].tasks = TASKS;
    assert_int_equal(br_waves_add(waves, 0, &measured, NULL), BR_OK);
    assert_int_equal(br_waves_finish(waves, NULL), BR_OK);
    const struct br_executors_arrival jobs[] = {{waves, 0, 1, NULL, 0}, {waves, 0, 2, NULL, 0}};
    for (int run = 0; run < 2; run++) {
        struct br_rng rng = br_rng_seed((uint64_t)run);
        struct br_outcome record;
        begin(sim, jobs, 2, &record);
        while (br_executors_next(sim)) {
            struct br_executors_choice choice = choose(&rng, sim);
            br_executors_decide(sim, choice.stage, choice.limit);
        }
        for (uint64_t k = 0; k < record.spans; k++)
            if (record.span[k].job == 1)
                lasted_ns[run][record.span[k].task] =
                    record.span[k].end_ns - record.span[k].start_ns;
        br_outcome_finish(&record);
    }
    assert_memory_equal(lasted_ns[0], lasted_ns[1], sizeof lasted_ns[0]);
    br_executors_least(&jobs[1], false, least_ns);
    assert_memory_equal(lasted_ns[0], least_ns, sizeof least_ns);
    uint32_t of[9] = {0};
    for (uint32_t t = 0; t < TASKS; t++)
        of[least_ns[t] / (100 * MS)]++;
    for (uint32_t k = 1; k < 9; k++)
        assert_uint_in_range(of[k], 1, TASKS / 3);
    br_executors_destroy(sim);
    br_waves_destroy(waves);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_missed),          cmocka_unit_test(test_waves),
        cmocka_unit_test(test_waiting),         cmocka_unit_test(test_promises),
        cmocka_unit_test(test_until),           cmocka_unit_test(test_moment),
        cmocka_unit_test(test_full_on_arrival), cmocka_unit_test(test_promised_order),
        cmocka_unit_test(test_random),          cmocka_unit_test(test_policies),
        cmocka_unit_test(test_same_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
