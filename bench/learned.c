/* What learned policies cost, and what their embeddings can express [Mao19, E]:
 *
 *   learned decision FORM JOBS STAGES [EXECUTORS]
 *   learned iteration FORM JOBS STAGES EPISODES ITERATIONS THREADS
 *   learned critical [ITERATIONS]
 *
 * FORM is code, paper, split or planned. Jobs of STAGES stages each come at once, drawn by a seed.
 * `decision` runs one episode and prints microseconds of processor time a decision (features,
 * embeddings, both scores), the stages embedded again for each, and where every decision embeds
 * all. `iteration` prints seconds a training iteration. callgrind counts the instructions of a
 * decision with --collect-atstart=no --toggle-collect=measured. `critical` prints a CSV: which
 * share of unseen random DAGs have their longest path told by one and by two levels of aggregation,
 * after so many iterations; it is the same on every machine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cluster/executors/train/critical.h"
#include "cluster/executors/train/trainer.h"

enum { KINDS = 20, JOBS_MOST = 1000, EVERY = 10, ROWS_MOST = 1000 };

static double now(clockid_t clock)
{
    struct timespec at;
    clock_gettime(clock, &at);
    return (double)at.tv_sec + (double)at.tv_nsec * 1e-9;
}

static void need(bool fine)
{
    if (fine)
        return;
    fputs("learned: out of memory, or a number is out of its range\n", stderr);
    exit(1);
}

/* A tree of stages, each after one of those before it, with tasks that last longer on more
 * executors. */
static struct br_waves *make_job(uint32_t stages, struct br_rng *rng)
{
    struct br_waves *waves = br_waves_create(stages);
    need(waves);
    for (uint32_t s = 0; s < stages; s++) {
        uint32_t ms = 200 + (uint32_t)br_rng_below(rng, 3000);
        waves->stage[s].tasks = 1 + (uint32_t)br_rng_below(rng, 60);
        for (uint32_t executors = 5; executors <= 40; executors *= 2) {
            const uint32_t first[] = {ms + ms * executors / 40}, rest[] = {ms};
            const struct br_wave_measured measured = {
                .executors = executors,
                .count = {[BR_WAVE_FRESH] = 1, [BR_WAVE_FIRST] = 1, [BR_WAVE_REST] = 1},
                .ms = {[BR_WAVE_FRESH] = first, [BR_WAVE_FIRST] = first, [BR_WAVE_REST] = rest}};
            need(!br_waves_add(waves, s, &measured, NULL));
        }
        if (s)
            need(!br_waves_add_edge(waves, (uint32_t)br_rng_below(rng, s), s, NULL));
    }
    need(!br_waves_finish(waves, NULL));
    return waves;
}

static struct br_network_shape shape_of(const char *name)
{
    const struct br_network_shape shape[] = {br_network_shape_code(), br_network_shape_paper(),
                                             br_network_shape_split(), br_network_shape_planned()};
    for (int k = 0; k < BR_NETWORK_FORMS; k++)
        if (strcmp(name, br_named_name(&br_network_forms, shape[k].form)) == 0)
            return shape[k];
    need(false);
    return shape[0];
}

static __attribute__((noinline)) void measured(struct br_learner *learner,
                                               const struct br_executors *sim,
                                               struct br_learner_choice *choice)
{
    need(br_learner_look(learner, sim) && br_learner_choose(learner, sim, NULL, choice));
}

static void decide(const struct br_network_shape *shape, uint32_t jobs,
                   struct br_waves *const *waves, uint32_t executors)
{
    const struct br_executors_options options = {.executors = executors, .moving_ns = 2000000000};
    struct br_executors_arrival arrival[JOBS_MOST];
    struct br_executors *sim = br_executors_create(&options);
    struct br_model model;
    struct br_learner learner;
    struct br_learner_choice choice;
    double spent = 0, first = 0, stages = 0;
    uint32_t decisions = 0;
    need(sim && !br_model_init(&model, shape, NULL));
    br_network_draw(&model.network, 1, model.parameter);
    br_learner_init(&learner, &model, NULL);
    for (uint32_t j = 0; j < jobs; j++)
        arrival[j] = (struct br_executors_arrival){.waves = waves[j % KINDS], .seed = j};
    need(!br_executors_reset(sim, arrival, jobs, NULL, NULL));
    need(!br_learner_begin(&learner, sim, NULL));
    /* While all jobs are there. */
    while (br_executors_next(sim) && sim->live_jobs == jobs) {
        double from = now(CLOCK_PROCESS_CPUTIME_ID);
        measured(&learner, sim, &choice);
        double took = now(CLOCK_PROCESS_CPUTIME_ID) - from;
        first = decisions ? first : took;
        spent += decisions ? took : 0;
        decisions++;
        stages += learner.candidates;
        br_executors_decide(sim, choice.stage, choice.limit);
    }
    need(decisions > 1);
    br_learner_end(&learner);
    printf("%s, %u stages: %u decisions of %.1f candidates, %.1f us each; %.2f stages embedded "
           "each; the first, which embeds all, %.1f us\n",
           br_named_name(&br_network_forms, shape->form), sim->stages, decisions,
           stages / decisions, spent / (decisions - 1) * 1e6,
           (double)(learner.computed - sim->stages) / (decisions - 1), first * 1e6);
    br_learner_finish(&learner);
    br_model_finish(&model);
    br_executors_destroy(sim);
}

static void iterate(const struct br_network_shape *shape, uint32_t jobs,
                    struct br_waves *const *waves, char *const *argument)
{
    struct br_train_options options = br_train_options_default();
    const struct br_waves *borrowed[KINDS];
    struct br_trainer trainer;
    struct br_train_report report;
    double decisions = 0;
    options.shape = *shape;
    options.jobs = jobs;
    options.episodes = (uint32_t)atoi(argument[0]);
    options.iterations = (uint64_t)atoi(argument[1]);
    options.threads = (uint32_t)atoi(argument[2]);
    options.rate = options.last_rate = 1e-4;
    for (int k = 0; k < KINDS; k++)
        borrowed[k] = waves[k];
    need(!br_trainer_init(&trainer, &options,
                          (struct br_train_jobs){.waves = borrowed, .count = KINDS}, NULL));
    double from = now(CLOCK_PROCESS_CPUTIME_ID), wall = now(CLOCK_MONOTONIC);
    for (uint64_t k = 0; k < options.iterations; k++) {
        need(!br_trainer_step(&trainer, &report, NULL));
        decisions += report.decisions * options.episodes;
    }
    double count = (double)options.iterations;
    printf("%s: %.0f decisions an iteration, %.3f s of processor time each, %.3f s passed\n",
           br_named_name(&br_network_forms, shape->form), decisions / count,
           (now(CLOCK_PROCESS_CPUTIME_ID) - from) / count, (now(CLOCK_MONOTONIC) - wall) / count);
    br_trainer_finish(&trainer);
}

static void express(uint32_t iterations)
{
    struct br_critical_options options = br_critical_options_default();
    static struct br_critical_row row[2][ROWS_MOST];
    options.iterations = iterations;
    options.every = EVERY;
    need(iterations >= EVERY && iterations / EVERY <= ROWS_MOST);
    for (int k = 0; k < 2; k++) {
        options.one_level = k;
        need(!br_critical_learn(&options, row[k], NULL));
    }
    puts("iteration,two_levels_error,two_levels_right,one_level_error,one_level_right");
    for (uint32_t k = 0; k < iterations / EVERY; k++)
        printf("%u,%.6f,%.3f,%.6f,%.3f\n", row[0][k].iteration, row[0][k].error, row[0][k].accuracy,
               row[1][k].error, row[1][k].accuracy);
}

int main(int count, char **argument)
{
    struct br_waves *waves[KINDS];
    bool decides = count >= 5 && strcmp(argument[1], "decision") == 0;
    if (count >= 2 && strcmp(argument[1], "critical") == 0) {
        express(count > 2 ? (uint32_t)atoi(argument[2]) : 350);
        return 0;
    }
    if (!decides && (count != 8 || strcmp(argument[1], "iteration") != 0)) {
        fputs("learned decision FORM JOBS STAGES [EXECUTORS] | iteration FORM JOBS STAGES EPISODES "
              "ITERATIONS THREADS | critical [ITERATIONS]\n",
              stderr);
        return 2;
    }
    const struct br_network_shape shape = shape_of(argument[2]);
    struct br_rng rng = br_rng_seed(3);
    uint32_t jobs = (uint32_t)atoi(argument[3]), stages = (uint32_t)atoi(argument[4]);
    need(jobs >= 1 && jobs <= JOBS_MOST && stages >= 1 && stages <= 10000);
    for (int k = 0; k < KINDS; k++)
        waves[k] = make_job(stages, &rng);
    if (decides)
        decide(&shape, jobs, waves, count > 5 ? (uint32_t)atoi(argument[5]) : 50);
    else
        iterate(&shape, jobs, waves, argument + 5);
    for (int k = 0; k < KINDS; k++)
        br_waves_destroy(waves[k]);
    return 0;
}
