/* Iterations of training. */
#include "cluster/executors/train/trainer.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/index.h"
#include "base/numbers/real.h"
#include "base/process/parallel.h"
#include "cluster/executors/classes.h"

/* Kinds of random draws, so that no two kinds share numbers. */
enum purpose { OF_WEIGHTS = 1, OF_ARRIVALS, OF_DECISIONS, OF_TRIAL, OF_CHANGES };
enum { JOBS_MOST = 100000, EPISODES_MOST = 1024, USUAL_OVER = 50, HALVES_MOST = 8 };

static uint64_t trainer_seed_of(uint64_t seed, enum purpose purpose, uint64_t iteration,
                                uint64_t episode)
{
    seed = br_hash_number(seed ^ br_hash_number(purpose));
    return br_hash_number(br_hash_number(seed + iteration) ^ episode);
}

struct br_train_options br_train_options_default(void)
{
    return (struct br_train_options){.shape = br_network_shape_split(),
                                     .cluster = {.executors = 50, .moving_ns = 2000000000},
                                     .episodes = 16,
                                     .threads = 1,
                                     .jobs = 20,
                                     .iterations = 1000,
                                     .rate = 1e-3,
                                     .last_rate = 1e-3,
                                     .care = 0.05,
                                     .last_care = 0.001,
                                     .longest = 1,
                                     .reach = 0.5};
}

static bool is_share(double number)
{
    return number >= 0 && number <= 10;
}

enum br_status br_train_options_check(const struct br_train_options *options, struct br_diag *diag)
{
    const char *what = NULL;
    if (options->episodes < 2 || options->episodes > EPISODES_MOST)
        what =
            "an iteration needs 2 to 1024 episodes: the cost of each is compared with the others";
    else if (options->jobs < 1 || options->jobs > JOBS_MOST)
        what = "an episode has 1 to 100000 jobs";
    else if (options->cluster.executors < 1 || options->cluster.executors > 1000000)
        what = "there are 1 to 1000000 executors";
    else if (!(options->rate > 0) || !is_share(options->rate) || !is_share(options->last_rate))
        what = "the rate of learning is above 0, and at most 10";
    else if (!is_share(options->care) || !is_share(options->last_care))
        what = "the weight of the entropy is from 0 to 10";
    else if (options->method == BR_EVOLVE && options->episodes % 2)
        what = "episodes that evolve come in pairs";
    else if (options->method == BR_EVOLVE && (options->length_ns || options->taught))
        what = "episodes that evolve run to their end, and have no teacher";
    else if (!is_share(options->most_shift))
        what = "the limit on how far a step changes decisions is from 0 to 10";
    else if (options->most_shift > 0 && options->method == BR_EVOLVE)
        what = "the limit on how far a step changes decisions is for the method reinforce";
    else if (!(options->reach > 0) || !is_share(options->reach))
        what = "the reach of changes is above 0, and at most 10";
    else if (options->draw_requests && !options->cluster.classes)
        what = "requests are drawn where executors have classes";
    else if (options->iterations < 1)
        what = "there is at least one iteration";
    else if ((options->length_ns > 0) != (options->last_length_ns > 0))
        what = "lengths of episodes are given for the start and for the end, or for neither";
    else if (options->last_interarrival_ns &&
             (options->interarrival_ns <= 0 ||
              options->last_interarrival_ns < options->interarrival_ns))
        what = "means of times between arrivals go from one above 0 to one that is not less";
    return what ? br_fail(diag, BR_USAGE, NULL, "%s", what) : BR_OK;
}

static uint64_t trainer_add_number(uint64_t sum, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return br_hash_number(sum ^ bits);
}

uint64_t br_train_options_fingerprint(const struct br_train_options *o)
{
    const double numbers[] = {o->shape.form,
                              o->shape.hidden[0],
                              o->shape.hidden[1],
                              o->shape.embedded,
                              o->cluster.executors,
                              o->cluster.simple,
                              o->cluster.by_distance,
                              o->objective,
                              o->episodes,
                              o->jobs,
                              o->rate,
                              o->last_rate,
                              o->care,
                              o->last_care,
                              o->own_arrivals,
                              o->longest,
                              o->horizon_s,
                              o->teacher_number,
                              (double)o->length_ns,
                              (double)o->last_length_ns,
                              (double)o->interarrival_ns,
                              (double)o->cluster.moving_ns};
    uint64_t sum = br_hash_number(o->seed);
    bool falls =
        o->rate != o->last_rate || o->care != o->last_care || o->length_ns != o->last_length_ns;
    sum = br_hash_number(sum ^ (falls ? o->iterations : 0));
    sum = br_hash_number(sum ^ o->taught);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        sum = trainer_add_number(sum, isnan(numbers[k]) ? -1 : numbers[k]);
    if (o->method == BR_EVOLVE)
        sum = trainer_add_number(br_hash_number(sum ^ BR_EVOLVE), o->reach);
    if (o->most_shift > 0)
        sum = trainer_add_number(sum, o->most_shift);
    for (uint32_t k = 0; k < o->cluster.classes; k++)
        sum = trainer_add_number(trainer_add_number(sum, o->cluster.cls[k].memory),
                                 o->cluster.cls[k].executors);
    if (o->cluster.classes)
        sum = br_hash_number(sum ^ o->draw_requests);
    if (o->cluster.yields)
        sum = br_hash_number(~sum);
    if (o->last_interarrival_ns > o->interarrival_ns)
        sum = trainer_add_number(sum, (double)o->last_interarrival_ns);
    if (o->shape.without)
        sum = trainer_add_number(sum, o->shape.without);
    return o->teacher ? sum ^ br_hash_text(o->teacher->named.name) : sum;
}

/* Room for what jobs ask for, if there are classes; and that each can have it. */
static enum br_status make_requests(struct br_trainer *trainer, struct br_diag *diag)
{
    const struct br_train_options *own = &trainer->options;
    const struct br_train_jobs *jobs = &trainer->jobs;
    enum br_status status = BR_OK;
    for (uint32_t k = 0; k < jobs->count; k++)
        if (jobs->waves[k]->stages > trainer->stages)
            trainer->stages = jobs->waves[k]->stages;
    if (!own->cluster.classes)
        return BR_OK;
    trainer->request =
        calloc((size_t)own->episodes * own->jobs * trainer->stages, sizeof *trainer->request);
    if (!trainer->request)
        return br_fail_memory(diag);
    for (uint32_t k = 0; k < jobs->count && !status; k++) {
        uint32_t stages = jobs->waves[k]->stages;
        status = br_executors_job_asks(jobs->dag ? jobs->dag[k] : NULL, stages, 0, &own->cluster,
                                       own->draw_requests, trainer->request, diag);
        for (uint32_t s = 0; s < stages && !status; s++)
            trainer->asked = trainer_add_number(trainer->asked, trainer->request[s].memory);
    }
    return status;
}

enum br_status br_trainer_init(struct br_trainer *trainer, const struct br_train_options *options,
                               struct br_train_jobs jobs, struct br_diag *diag)
{
    *trainer = (struct br_trainer){.options = *options, .jobs = jobs};
    struct br_train_options *own = &trainer->options;
    enum br_status status = br_train_options_check(options, diag);
    if (!status && !jobs.count)
        status = br_fail(diag, BR_BAD_INPUT, NULL, "there are no jobs to train with");
    if (!status && own->objective == BR_MISSES && !jobs.deadline_ns)
        status = br_fail(diag, BR_USAGE, "give --deadlines", "no job has a deadline to miss");
    if (!status)
        status = make_requests(trainer, diag);
    if (!status)
        status = br_model_init(&trainer->model, &own->shape, diag);
    if (status)
        return status;
    uint32_t parameters = trainer->model.network.parameters;
    trainer->model.executors = own->cluster.executors;
    trainer->model.seed = own->seed;
    br_network_draw(&trainer->model.network, trainer_seed_of(own->seed, OF_WEIGHTS, 0, 0),
                    trainer->model.parameter);
    if (trainer->model.network.plan_parameters && own->interarrival_ns)
        trainer->model.parameter[trainer->model.network.plan + BR_PLAN_SPARE] = BR_PLAN_SPARING;
    trainer->episode = calloc(own->episodes, sizeof *trainer->episode);
    trainer->arrival = calloc((size_t)own->episodes * own->jobs, sizeof *trainer->arrival);
    trainer->gradient = calloc(parameters, sizeof *trainer->gradient);
    trainer->before = calloc(parameters, sizeof *trainer->before);
    bool evolves = own->method == BR_EVOLVE;
    if (evolves)
        trainer->tried = calloc((size_t)own->episodes * parameters, sizeof *trainer->tried);
    if ((evolves && !trainer->tried) || !br_adam_init(&trainer->adam, parameters, own->rate) ||
        !trainer->episode || !trainer->arrival || !trainer->gradient || !trainer->before)
        return br_fail_memory(diag);
    for (uint32_t k = 0; !status && k < own->episodes; k++)
        status = br_episode_init(&trainer->episode[k], &trainer->model, &own->cluster, diag);
    return status;
}

void br_trainer_finish(struct br_trainer *trainer)
{
    for (uint32_t k = 0; trainer->episode && k < trainer->options.episodes; k++)
        br_episode_finish(&trainer->episode[k]);
    free(trainer->episode);
    free(trainer->arrival);
    free(trainer->request);
    free(trainer->gradient);
    free(trainer->tried);
    free(trainer->before);
    br_adam_finish(&trainer->adam);
    br_model_finish(&trainer->model);
    *trainer = (struct br_trainer){0};
}

/* ---- What comes ---- */

static double exponential(struct br_rng *rng)
{
    return -br_real_log(1 - br_rng_unit(rng));
}

static int64_t trainer_draw_ns(struct br_rng *rng, int64_t mean_ns)
{
    double ns = exponential(rng) * (double)mean_ns;
    return ns < 9e18 ? (int64_t)ns : BR_NEVER;
}

/* Draws the arrivals of the sequence'th episode, or pair. */
static void draw_arrivals(struct br_trainer *trainer, uint64_t seed, uint32_t sequence)
{
    const struct br_train_options *options = &trainer->options;
    const struct br_train_jobs *jobs = &trainer->jobs;
    struct br_rng rng = br_rng_seed(seed);
    int64_t now_ns = 0, mean_ns = options->interarrival_ns;
    if (options->last_interarrival_ns > mean_ns)
        mean_ns += (int64_t)br_rng_below(
            &rng, (uint64_t)(options->last_interarrival_ns - options->interarrival_ns) + 1);
    for (uint32_t k = 0; k < options->jobs; k++) {
        size_t at = (size_t)sequence * options->jobs + k;
        uint32_t job = (uint32_t)br_rng_below(&rng, jobs->count);
        struct br_executors_arrival *arrival = &trainer->arrival[at];
        *arrival = (struct br_executors_arrival){
            .waves = jobs->waves[job], .arrival_ns = now_ns, .seed = br_rng_next(&rng)};
        if (jobs->deadline_ns)
            arrival->deadline_ns = jobs->deadline_ns[job] < BR_NEVER - now_ns
                                       ? now_ns + jobs->deadline_ns[job]
                                       : BR_NEVER - 1;
        if (trainer->request) {
            struct br_executor_request *request = trainer->request + at * trainer->stages;
            br_executors_job_asks(jobs->dag ? jobs->dag[job] : NULL, arrival->waves->stages,
                                  arrival->seed, &options->cluster, options->draw_requests, request,
                                  NULL);
            arrival->request = request;
        }
        const int64_t wait_ns = mean_ns ? trainer_draw_ns(&rng, mean_ns) : 0;
        now_ns = wait_ns < BR_NEVER - 1 - now_ns ? now_ns + wait_ns : BR_NEVER - 1;
    }
}

/* From 0 to 1 over all iterations. */
static double trainer_progress(const struct br_trainer *trainer)
{
    double last = (double)trainer->options.iterations - 1;
    return last > 0 ? (double)trainer->iteration / last : 0;
}

static double trainer_between(double from, double to, double share)
{
    return from + (to - from) * (share < 1 ? share : 1);
}

/* ---- An iteration ---- */

/* The state that all threads share. */
struct round {
    struct br_trainer *trainer;
    struct br_episode_run run; /* arrivals: see run_of */
    double care;
    bool trial;
    uint64_t seed; /* of a trial */
    struct br_executors_setup teacher;
    enum br_status *status; /* by episode */
    struct br_diag *diag;   /* by episode */
};

/* The run of one episode: all have the arrivals of the first, except in trials and if each, or each
 * pair, is to have its own. */
static struct br_episode_run trainer_run_of(const struct round *round, uint32_t k)
{
    const struct br_trainer *trainer = round->trainer;
    struct br_episode_run run = round->run;
    bool own = round->trial || trainer->options.own_arrivals;
    bool paired = !round->trial && trainer->options.method == BR_EVOLVE;
    size_t sequence = paired ? k / 2 : own ? k : 0;
    assert(sequence < trainer->options.episodes);
    run.arrival = trainer->arrival + sequence * trainer->options.jobs;
    return run;
}

static bool play(void *context, uint32_t worker, uint32_t k)
{
    struct round *round = context;
    struct br_trainer *trainer = round->trainer;
    struct br_episode *episode = &trainer->episode[k];
    const struct br_episode_run run = trainer_run_of(round, k);
    uint64_t seed = trainer_seed_of(trainer->options.seed, OF_DECISIONS, trainer->iteration, k);
    bool changed = !round->trial && trainer->options.method == BR_EVOLVE;
    size_t parameters = trainer->model.network.parameters;
    br_learner_try(&episode->learner, changed ? trainer->tried + k * parameters : NULL);
    round->status[k] =
        br_episode_play(episode, &run, !round->trial && !changed, seed, &round->diag[k]);
    return true;
}

static bool trainer_learn(void *context, uint32_t worker, uint32_t k)
{
    struct round *round = context;
    const struct br_episode_run run = trainer_run_of(round, k);
    round->status[k] =
        br_episode_learn(&round->trainer->episode[k], &run, round->care, &round->diag[k]);
    return true;
}

static bool trainer_follow(void *context, uint32_t worker, uint32_t k)
{
    struct round *round = context;
    const struct br_episode_run run = trainer_run_of(round, k);
    struct br_executors_setup teacher = round->teacher;
    teacher.seed =
        trainer_seed_of(round->trainer->options.seed, OF_DECISIONS, round->trainer->iteration, k);
    round->status[k] =
        br_episode_follow(&round->trainer->episode[k], &run, &teacher, &round->diag[k]);
    return true;
}

/* Does it for `count` episodes on all threads. The first failure in their order is told. */
static enum br_status for_all(struct round *round, uint32_t count,
                              bool (*work)(void *context, uint32_t worker, uint32_t index),
                              struct br_diag *diag)
{
    uint32_t threads = round->trainer->options.threads;
    round->status = calloc(count, sizeof *round->status);
    round->diag = calloc(count, sizeof *round->diag);
    enum br_status status = round->status && round->diag ? BR_OK : br_fail_memory(diag);
    if (!status)
        br_parallel(threads < count ? threads : count, count, work, round);
    for (uint32_t k = 0; !status && k < count; k++)
        if ((status = round->status[k]) && diag)
            *diag = round->diag[k];
    free(round->status);
    free(round->diag);
    return status;
}

/* The mean gradient of a decision, downhill; its length. */
static double add_gradients(struct br_trainer *trainer)
{
    uint32_t parameters = trainer->model.network.parameters;
    double steps = 0, square = 0;
    memset(trainer->gradient, 0, parameters * sizeof *trainer->gradient);
    for (uint32_t k = 0; k < trainer->options.episodes; k++) {
        steps += trainer->episode[k].steps;
        for (uint32_t p = 0; p < parameters; p++)
            trainer->gradient[p] -= (double)trainer->episode[k].gradient[p];
    }
    for (uint32_t p = 0; p < parameters; p++) {
        trainer->gradient[p] /= steps > 0 ? steps : 1;
        square += trainer->gradient[p] * trainer->gradient[p];
    }
    return sqrt(square);
}

/* The cost of an episode, by job. */
static double cost_of_job(const struct br_trainer *trainer, const struct br_episode *episode)
{
    if (trainer->options.objective == BR_MAKESPAN)
        return episode->cost;
    uint32_t arrived = 0; /* by the end, for episodes that end early */
    const struct br_executors *sim = episode->sim;
    while (arrived < sim->jobs && sim->job[arrived].arrival_ns <= episode->end_ns)
        arrived++;
    return arrived ? episode->cost / arrived : 0;
}

static void trainer_sum_up(struct br_trainer *trainer, struct br_train_report *report)
{
    double cost = 0, time_s = 0;
    for (uint32_t k = 0; k < trainer->options.episodes; k++) {
        const struct br_episode *episode = &trainer->episode[k];
        report->mean_cost_s += cost_of_job(trainer, episode) / trainer->options.episodes;
        report->entropy += episode->entropy / trainer->options.episodes;
        report->decisions += (double)episode->steps / trainer->options.episodes;
        cost += episode->cost;
        time_s += (double)episode->end_ns * 1e-9;
    }
    double rate = time_s > 0 ? cost / time_s : 0;
    trainer->usual_rate += (rate - trainer->usual_rate) / (trainer->iteration ? USUAL_OVER : 1);
}

static struct round trainer_round_of(struct br_trainer *trainer)
{
    const struct br_train_options *options = &trainer->options;
    struct round round = {.trainer = trainer};
    double share = trainer_progress(trainer);
    struct br_rng rng =
        br_rng_seed(trainer_seed_of(options->seed, OF_ARRIVALS, trainer->iteration, 0));
    double mean_ns =
        trainer_between((double)options->length_ns, (double)options->last_length_ns, share);
    round.run = (struct br_episode_run){.jobs = options->jobs, .objective = options->objective};
    round.run.until_ns = options->length_ns ? trainer_draw_ns(&rng, (int64_t)mean_ns) : BR_NEVER;
    round.run.foresees = options->horizon_s > 0;
    round.care = trainer_between(options->care, options->last_care, share);
    uint32_t sequences = options->method == BR_EVOLVE ? options->episodes / 2
                         : options->own_arrivals      ? options->episodes
                                                      : 1;
    for (uint32_t k = 0; k < sequences; k++)
        draw_arrivals(trainer,
                      trainer_seed_of(options->seed, OF_ARRIVALS, trainer->iteration, k + 1), k);
    return round;
}

/* ---- By pairs ---- */

/* The parameters that are changed: *first and as many, of which those of a planner's rule that
 * are of no use here stay as they are. */
static uint32_t changing(const struct br_trainer *trainer, uint32_t *first)
{
    const struct br_network *network = &trainer->model.network;
    *first = network->plan_parameters ? network->plan : 0;
    return network->plan_parameters ? network->plan_parameters : network->parameters;
}

static bool changes(const struct br_trainer *trainer, uint32_t parameter)
{
    const struct br_network *network = &trainer->model.network;
    if (!network->plan_parameters)
        return true;
    switch (br_plan_kind_of((enum br_plan_number)(parameter - network->plan))) {
    case BR_PLAN_WITH_CLASSES:
        return trainer->options.cluster.classes > 1;
    case BR_PLAN_WITH_DEADLINES:
        return trainer->jobs.deadline_ns;
    case BR_PLAN_WITH_ARRIVALS:
        return trainer->options.interarrival_ns > 0;
    default:
        return true;
    }
}

/* The random changes of a pair's parameters, in its order. */
static struct br_rng changes_of(const struct br_trainer *trainer, uint32_t pair)
{
    return br_rng_seed(
        trainer_seed_of(trainer->options.seed, OF_CHANGES, trainer->iteration, pair));
}

static void change_parameters(struct br_trainer *trainer)
{
    uint32_t parameters = trainer->model.network.parameters, first;
    uint32_t count = changing(trainer, &first);
    for (uint32_t k = 0; k < trainer->options.episodes; k += 2) {
        br_weight *plus = trainer->tried + (size_t)k * parameters, *minus = plus + parameters;
        struct br_rng rng = changes_of(trainer, k / 2);
        memcpy(plus, trainer->model.parameter, parameters * sizeof *plus);
        memcpy(minus, trainer->model.parameter, parameters * sizeof *minus);
        for (uint32_t p = first; p < first + count; p++) {
            if (!changes(trainer, p))
                continue;
            br_weight change = (br_weight)(trainer->options.reach * br_real_normal(&rng));
            plus[p] += change;
            minus[p] -= change;
        }
    }
}

/* By how much of its cost the first of a pair is the dearer one. */
static double trainer_difference(const struct br_trainer *trainer, uint32_t pair)
{
    double plus = trainer->episode[2 * (size_t)pair].cost;
    double minus = trainer->episode[2 * (size_t)pair + 1].cost;
    return plus + minus > 0 ? (plus - minus) / (plus + minus) : 0;
}

/* The mean over pairs of change x difference, which points uphill, in units of the differences'
 * spread; its length. */
static double compare_pairs(struct br_trainer *trainer)
{
    uint32_t first, count = changing(trainer, &first), pairs = trainer->options.episodes / 2;
    double spread = 0, square = 0, *gradient = trainer->gradient;
    for (uint32_t k = 0; k < pairs; k++)
        spread += trainer_difference(trainer, k) * trainer_difference(trainer, k) / pairs;
    memset(gradient, 0, trainer->model.network.parameters * sizeof *gradient);
    for (uint32_t k = 0; spread > 0 && k < pairs; k++) {
        struct br_rng rng = changes_of(trainer, k);
        double weight = trainer_difference(trainer, k) / sqrt(spread) / pairs;
        for (uint32_t p = first; p < first + count; p++)
            gradient[p] += changes(trainer, p) ? weight * br_real_normal(&rng) : 0;
    }
    for (uint32_t p = first; p < first + count; p++)
        square += gradient[p] * gradient[p];
    return sqrt(square);
}

/* ---- Small steps ---- */

static bool trainer_compare(void *context, uint32_t worker, uint32_t k)
{
    struct round *round = context;
    const struct br_episode_run run = trainer_run_of(round, k);
    round->status[k] = br_episode_compare(&round->trainer->episode[k], &run, &round->diag[k]);
    return true;
}

/* Halves the step that was taken until decisions are changed by no more than they may; takes it
 * back if that does not come. Adam divides each derivative by what it usually is, so if decisions
 * are nearly certain and derivatives next to nothing, a step is as long as ever. */
static enum br_status shorten_step(struct br_trainer *trainer, struct round *round, double *shift,
                                   struct br_diag *diag)
{
    uint32_t parameters = trainer->model.network.parameters;
    br_weight *parameter = trainer->model.parameter;
    for (int halves = 0; halves <= HALVES_MOST; halves++) {
        enum br_status status = for_all(round, trainer->options.episodes, trainer_compare, diag);
        double sum = 0, steps = 0;
        for (uint32_t k = 0; k < trainer->options.episodes; k++) {
            sum += trainer->episode[k].shift;
            steps += trainer->episode[k].steps;
        }
        *shift = steps > 0 ? sum / steps : 0;
        if (status || *shift <= trainer->options.most_shift)
            return status;
        for (uint32_t p = 0; p < parameters; p++)
            parameter[p] = trainer->before[p] + (parameter[p] - trainer->before[p]) / 2;
    }
    memcpy(parameter, trainer->before, parameters * sizeof *parameter);
    *shift = 0;
    return BR_OK;
}

/* ---- One of either ---- */

static enum br_status reinforce(struct br_trainer *trainer, struct round *round,
                                struct br_diag *diag)
{
    const struct br_train_options *options = &trainer->options;
    enum br_status status = for_all(round, options->episodes, play, diag);
    double rate = options->length_ns ? trainer->usual_rate : 0;
    if (!status &&
        !br_episodes_gains(trainer->episode, options->episodes, rate, options->horizon_s))
        status = br_fail_memory(diag);
    return status ? status : for_all(round, options->episodes, trainer_learn, diag);
}

enum br_status br_trainer_step(struct br_trainer *trainer, struct br_train_report *report,
                               struct br_diag *diag)
{
    const struct br_train_options *options = &trainer->options;
    struct round round = trainer_round_of(trainer);
    bool evolves = options->method == BR_EVOLVE;
    enum br_status status;
    *report = (struct br_train_report){.taught = trainer->iteration < options->taught};
    if (report->taught) {
        round.teacher =
            (struct br_executors_setup){.row = options->teacher, .number = options->teacher_number};
        status = for_all(&round, options->episodes, trainer_follow, diag);
    } else if (evolves) {
        change_parameters(trainer);
        status = for_all(&round, options->episodes, play, diag);
    } else {
        status = reinforce(trainer, &round, diag);
    }
    if (status)
        return status;
    trainer_sum_up(trainer, report);
    report->length = evolves ? compare_pairs(trainer) : add_gradients(trainer);
    trainer->adam.rate =
        trainer_between(options->rate, options->last_rate, trainer_progress(trainer));
    memcpy(trainer->before, trainer->model.parameter,
           trainer->model.network.parameters * sizeof *trainer->before);
    report->moved =
        br_adam_step(&trainer->adam, trainer->gradient, options->longest, trainer->model.parameter);
    if (options->most_shift > 0 && !report->taught)
        status = shorten_step(trainer, &round, &report->shift, diag);
    if (status)
        return status;
    report->iteration = trainer->model.iterations = ++trainer->iteration;
    return BR_OK;
}

enum br_status br_trainer_try(struct br_trainer *trainer, uint32_t sequences, uint64_t seed,
                              double *mean_cost_s, struct br_diag *diag)
{
    struct round round = {.trainer = trainer, .trial = true, .seed = seed};
    uint32_t most = trainer->options.episodes;
    enum br_status status = BR_OK;
    *mean_cost_s = 0;
    round.run = (struct br_episode_run){.jobs = trainer->options.jobs,
                                        .until_ns = BR_NEVER,
                                        .objective = trainer->options.objective};
    for (uint32_t first = 0; !status && first < sequences; first += most) {
        uint32_t count = sequences - first < most ? sequences - first : most;
        for (uint32_t k = 0; k < count; k++)
            draw_arrivals(trainer, trainer_seed_of(seed, OF_TRIAL, first + k, 0), k);
        status = for_all(&round, count, play, diag);
        for (uint32_t k = 0; !status && k < count; k++)
            *mean_cost_s += cost_of_job(trainer, &trainer->episode[k]) / sequences;
    }
    return status;
}
