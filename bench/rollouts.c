/* What looking ahead adds to a planner for executors, whatever it costs:
 *
 *   rollouts MODEL BATCHES JOBS SAMPLES PROFILE...
 *
 * MODEL is of a planned network, for its planner's numbers. Batches of so many jobs, drawn from the
 * profiles, run on as many executors as the model is for: once as the planner decides, and once so
 * that at every decision each job's next stage is tried, with the planner's limit and with none, by
 * running copies of the simulator to their end as the planner decides. What a policy cannot know is
 * drawn anew in each copy, alike for all choices. Of those the best are tried more often, and one
 * that is better than the planner's by more than twice the error of that is taken.
 *
 * With 0 samples the copies go on as the run itself would: who looks ahead knows how long every
 * task will last, and the best choice is taken. Then every stage that can be named is tried, with
 * five limits, and also that nobody goes anywhere.
 *
 * Prints a line a batch; the same on every machine. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/collections/index.h"
#include "base/numbers/rng.h"
#include "cluster/executors/network/model.h"
#include "parsers/parsers.h"
#include "cluster/executors/bound.h"
#include "cluster/executors/plan.h"

enum { PROFILES = 400, JOBS = 100, CHOICES = 1000, SAMPLES = 1024, FIRST = 4 };

static void need(bool fine, const char *what)
{
    if (fine)
        return;
    fprintf(stderr, "rollouts: %s\n", what);
    exit(1);
}

struct choice {
    uint32_t stage, limit;
    bool out;
    double mean_s;          /* by how much the jobs take longer than by the planner's choice */
    double cost_s[SAMPLES]; /* of all jobs */
};

struct look {
    struct br_executors *sim, *copy;
    struct br_executors_plan *plan;
    struct choice choice[CHOICES];
    uint32_t choices, samples;
    uint64_t drawn, copies;
};

static void add_choice(struct look *look, uint32_t stage, uint32_t limit)
{
    const struct br_executors *sim = look->sim;
    if (look->choices == CHOICES)
        return;
    if (stage == BR_EXECUTORS_STAY) {
        look->choice[look->choices++] = (struct choice){.stage = stage};
        return;
    }
    uint32_t held = br_executors_held(sim, sim->stage[stage].job);
    uint32_t need = br_executors_need(&sim->stage[stage]), count = sim->group.count;
    uint32_t most = held + (need < count ? need : count);
    limit = limit > held ? limit < most ? limit : most : held + 1;
    for (uint32_t k = 0; k < look->choices; k++)
        if (look->choice[k].stage == stage && look->choice[k].limit == limit)
            return;
    look->choice[look->choices].stage = stage;
    look->choice[look->choices].limit = limit;
    look->choice[look->choices++].out = false;
}

/* Of all stages: the planner's number for the job, all that can go, half of them, two and one. */
static void list_all(struct look *look)
{
    const struct br_executors *sim = look->sim;
    for (uint32_t k = 0; k < sim->ready_stages; k++) {
        uint32_t stage = sim->ready[k], job = sim->stage[stage].job;
        if (!br_executors_selectable(sim, stage))
            continue;
        uint32_t held = br_executors_held(sim, job), need = br_executors_need(&sim->stage[stage]);
        uint32_t most = need < sim->group.count ? need : sim->group.count;
        add_choice(look, stage, br_executors_plan_of(look->plan, job).executors);
        add_choice(look, stage, held + most);
        add_choice(look, stage, held + (most + 1) / 2);
        add_choice(look, stage, held + 2);
        add_choice(look, stage, held + 1);
    }
    if (look->choice[0].stage != BR_EXECUTORS_STAY)
        add_choice(look, BR_EXECUTORS_STAY, 0);
}

/* The planner's first. */
static void list_choices(struct look *look)
{
    const struct br_executors *sim = look->sim;
    br_executors_plan_renew(look->plan);
    struct br_executors_choice planned = br_executors_plan_decide(look->plan, sim);
    look->choices = 0;
    add_choice(look, planned.stage, planned.limit);
    if (!look->samples) {
        list_all(look);
        return;
    }
    for (uint32_t k = 0; k < sim->live_jobs; k++) {
        uint32_t stage = br_executors_bound_stage(sim, sim->live[k]);
        if (stage == BR_EXECUTORS_NONE)
            continue;
        add_choice(look, stage, br_executors_plan_of(look->plan, sim->live[k]).executors);
        add_choice(look, stage, sim->options.executors);
    }
}

static double follow(struct br_executors *sim, struct br_executors_plan *plan)
{
    br_executors_plan_renew(plan);
    while (br_executors_next(sim)) {
        struct br_executors_choice choice = br_executors_plan_decide(plan, sim);
        br_executors_decide(sim, choice.stage, choice.limit);
    }
    return (double)sim->jobs_time_ns * 1e-9;
}

/* The samples from `first` on of all choices that are still in; their means. */
static void sample(struct look *look, uint32_t first, uint32_t end)
{
    for (uint32_t s = first; s < end; s++) {
        uint64_t seed = br_hash_number(look->drawn++);
        for (uint32_t k = 0; k < look->choices; k++) {
            struct choice *choice = &look->choice[k];
            if (choice->out)
                continue;
            need(!br_executors_fork(look->sim, &seed, look->copy, NULL), "out of memory");
            br_executors_decide(look->copy, choice->stage, choice->limit);
            choice->cost_s[s] = follow(look->copy, look->plan);
            look->copies++;
        }
    }
    for (uint32_t k = 0; k < look->choices; k++) {
        look->choice[k].mean_s = 0;
        for (uint32_t s = 0; s < end && !look->choice[k].out; s++)
            look->choice[k].mean_s += (look->choice[k].cost_s[s] - look->choice[0].cost_s[s]) / end;
    }
}

static bool is_better(const struct look *look, uint32_t a, uint32_t b)
{
    double a_s = look->choice[a].mean_s, b_s = look->choice[b].mean_s;
    return a_s != b_s ? a_s < b_s : a < b;
}

/* Keeps the planner's and so many others. */
static void keep(struct look *look, uint32_t most)
{
    for (uint32_t k = 1; k < look->choices; k++) {
        uint32_t better = 0;
        for (uint32_t i = 1; i < look->choices; i++)
            better += !look->choice[i].out && is_better(look, i, k);
        if (!look->choice[k].out && better >= most)
            look->choice[k].out = true; /* those behind it have as many that are better */
    }
}

/* The best choice of one who knows what comes; of equals the planner's. */
static uint32_t look_through(struct look *look)
{
    double least_s = INFINITY;
    uint32_t best = 0;
    for (uint32_t k = 0; k < look->choices; k++) {
        need(!br_executors_fork(look->sim, NULL, look->copy, NULL), "out of memory");
        br_executors_decide(look->copy, look->choice[k].stage, look->choice[k].limit);
        double cost_s = follow(look->copy, look->plan);
        look->copies++;
        if (look->copy->ended_jobs < look->copy->jobs || cost_s >= least_s - 1e-9)
            continue;
        least_s = cost_s;
        best = k;
    }
    return best;
}

/* The number of the choice to take. */
static uint32_t look_ahead(struct look *look)
{
    uint32_t best = 0, samples = look->samples;
    list_choices(look);
    if (look->choices < 2)
        return 0;
    if (!samples)
        return look_through(look);
    for (uint32_t done = 0, end = FIRST; done < samples; done = end, end *= 4) {
        end = end < samples ? end : samples;
        if (done)
            keep(look, done == FIRST ? 6 : 2);
        sample(look, done, end);
    }
    for (uint32_t k = 1; k < look->choices; k++)
        if (!look->choice[k].out && look->choice[k].mean_s < look->choice[best].mean_s)
            best = k;
    double square = 0, mean_s = look->choice[best].mean_s;
    for (uint32_t s = 0; s < samples; s++) {
        double off_s = look->choice[best].cost_s[s] - look->choice[0].cost_s[s] - mean_s;
        square += off_s * off_s;
    }
    return -mean_s > 2 * sqrt(square / samples / (samples - 1)) ? best : 0;
}

static void run_batch(struct look *look, const struct br_executors_arrival *arrival, uint32_t jobs,
                      double total_s[2], uint32_t batch)
{
    uint32_t decisions = 0, others = 0;
    need(!br_executors_reset(look->sim, arrival, jobs, NULL, NULL) &&
             !br_executors_plan_begin(look->plan, look->sim, NULL),
         "out of memory");
    double planned_s = follow(look->sim, look->plan) / jobs;
    look->copies = 0;
    need(!br_executors_reset(look->sim, arrival, jobs, NULL, NULL), "out of memory");
    for (; br_executors_next(look->sim); decisions++) {
        uint32_t best = look_ahead(look);
        others += best > 0;
        br_executors_decide(look->sim, look->choice[best].stage, look->choice[best].limit);
    }
    double looked_s = (double)look->sim->jobs_time_ns * 1e-9 / jobs;
    need(look->samples || looked_s <= planned_s + 1e-6, "who knows what comes has lost by it");
    total_s[0] += planned_s;
    total_s[1] += looked_s;
    printf("%u: %.2f s a job, looking ahead %.2f s (%+.1f %%); %u of %u decisions others, %llu "
           "copies\n",
           batch, planned_s, looked_s, 100 * (looked_s / planned_s - 1), others, decisions,
           (unsigned long long)look->copies);
    fflush(stdout);
}

static struct br_executors_plan *planner_of(const struct br_model *model)
{
    double steps[BR_EXECUTORS_PLAN_NUMBERS];
    struct br_executors_plan *plan = br_executors_plan_create();
    need(plan, "out of memory");
    need(model->network.plan_parameters, "the model is of no planned network");
    for (uint32_t k = 0; k < BR_EXECUTORS_PLAN_NUMBERS; k++)
        steps[k] = (double)model->parameter[model->network.plan + k];
    br_executors_plan_set(plan, steps);
    return plan;
}

int main(int count, char **argument)
{
    static struct look look;
    static struct br_input input[PROFILES];
    struct br_model model;
    struct br_diag diag = {0};
    double total_s[2] = {0};
    if (count < 6 || count - 5 > PROFILES) {
        fputs("rollouts MODEL BATCHES JOBS SAMPLES PROFILE...\n", stderr);
        return 2;
    }
    need(!br_model_open(argument[1], &model, &diag), diag.what);
    uint32_t batches = (uint32_t)atoi(argument[2]), jobs = (uint32_t)atoi(argument[3]);
    uint32_t profiles = (uint32_t)(count - 5);
    look.samples = (uint32_t)atoi(argument[4]);
    need(jobs >= 1 && jobs <= JOBS && look.samples != 1 && look.samples <= SAMPLES,
         "a number is out of its range");
    for (uint32_t k = 0; k < profiles; k++) {
        const struct br_parse_options options = br_parse_options_default();
        need(!br_parse_job(argument[5 + k], &options, &input[k], &diag), diag.what);
        need(input[k].dag->waves, "a job is no profile");
    }
    const struct br_executors_options options = {.executors = model.executors,
                                                 .moving_ns = INT64_C(2000000000)};
    look.sim = br_executors_create(&options);
    look.copy = br_executors_create(&options);
    look.plan = planner_of(&model);
    need(look.sim && look.copy, "out of memory");
    for (uint32_t b = 1; b <= batches; b++) {
        struct br_executors_arrival arrival[JOBS];
        struct br_rng rng = br_rng_seed(b);
        for (uint32_t j = 0; j < jobs; j++)
            arrival[j] = (struct br_executors_arrival){
                .waves = input[br_rng_below(&rng, profiles)].dag->waves, .seed = br_rng_next(&rng)};
        run_batch(&look, arrival, jobs, total_s, b);
    }
    printf("all: %.2f s, looking ahead %.2f s (%+.2f %%)\n", total_s[0] / batches,
           total_s[1] / batches, 100 * (total_s[1] / total_s[0] - 1));
    br_executors_plan_destroy(look.plan);
    br_executors_destroy(look.sim);
    br_executors_destroy(look.copy);
    for (uint32_t k = 0; k < profiles; k++)
        br_input_finish(&input[k]);
    br_model_finish(&model);
    return 0;
}
