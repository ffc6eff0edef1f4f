/* Ours: the history as prior, the pilots as evidence, one posterior for each stage of a job.
 *
 * Durations of a stage's tasks are log-normal about the stage's mean m with a spread s. Neither is
 * known. Of both the history tells a distribution, at levels: of all jobs, of the jobs of this
 * size, and of the jobs with the same value of each feature, alone and together with the size.
 *
 * - Mean. Each level says log m ~ N(its mean, its variance between jobs); levels that have
 *   seen little borrow their variance from what is usual at that level. A level counts by how well
 * it foresaw the jobs so far: its weight is e to its mean log density. One more part, far wider,
 *   stands for a job that is like none before.
 * - Spread. A grid of values; each level holds how often jobs had which. From the level that
 * foresaw spreads worst to the one that did best, each is mixed with what came of those before, as
 * if that were one more job.
 * - Pilots with logarithms y: for each part of the prior and each spread of the grid the posterior
 * of log m is normal in closed form, and the part's weight is multiplied by the likelihood of the
 *   pilots. So the spread follows from the job's own pilots, and from what jobs like it showed.
 *
 * The work is that of the pilots, which is known, and that of the rest, whose mean follows from m
 * and has a variance of its own. It is told by quantiles: the median, and the ends of the interval.
 * Differs from [Jajoo22, 4.1], which knows both variances and takes all as normal.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/collections/grow.h"
#include "runtime/predict/quick.h"
#include "runtime/predict/experts.h"
#include "runtime/predict/mixture.h"
#include "runtime/predict/posterior.h"
#include "runtime/predict/rows.h"
#include "runtime/predict/sum.h"

enum { SPREADS = 12, LEVELS_MOST = 2 * BR_FEATURES_MOST + 2 };
static const double spread_of[SPREADS] = {0.005, 0.01, 0.02, 0.04, 0.08, 0.15,
                                          0.25,  0.4,  0.6,  0.9,  1.3,  1.8};

/* The rates at which old values are forgotten, by the next job of that value; and at which the
 * weight of a level follows its success. */
#define KEEP 0.95
#define KEEP_SPREAD 0.9
#define FOLLOW 0.01
/* The amount that a level without data borrows, in jobs. */
#define BORROW 1.0
/* The part for unprecedented jobs: its log weight below the best level's, and its variance over
 * that of all jobs. */
#define STRANGE_WEIGHT (-1.0)
#define STRANGE_VARIANCE 4.0
#define LEAST_SECONDS 1e-6
/* Smaller weights are dropped. */
#define LEAST_SHARE 1e-3
#define LEAST_LOG_WEIGHT 7.0
#define NO_HISTORY_MEAN 4.0943445622221007 /* log of 60 */
#define NO_HISTORY_VARIANCE 16.0

/* The data on one value at one stage. */
struct value {
    double weight, mean, squares;          /* of the logarithms of means; older values fade */
    double spreads, spread_count[SPREADS]; /* jobs by their spread, and how many */
    uint32_t seen;
};

/* The usual values at a level, over all its values. */
struct level {
    double squares, count; /* of surprises: a job against the mean of earlier ones */
    double success;        /* mean log density of jobs' means; older values fade */
    double spread_success; /* mean log density of their spreads */
};

struct predictor {
    struct br_predict_setup setup;
    struct br_values values;
    struct value *value;
    uint32_t room, levels;
    struct level level[LEVELS_MOST];
    double log_spread[SPREADS], growth[SPREADS]; /* e^(s^2) - 1 */
    struct br_normal normal;
    struct br_mixture mixture;
};

/* One part of the prior of log m. */
struct prior {
    uint32_t level;
    const struct value *value;
    double mean, variance, log_weight;
};

static enum br_status posterior_create(const struct br_predictor_row *row,
                                       const struct br_predict_setup *setup, void **result,
                                       struct br_diag *diag)
{
    struct predictor *predictor = calloc(1, sizeof *predictor);
    *result = predictor;
    if (!predictor)
        return br_fail_memory(diag);
    predictor->setup = *setup;
    predictor->levels = 2 * setup->features + 2;
    assert(predictor->levels <= LEVELS_MOST);
    br_normal_init(&predictor->normal);
    for (int k = 0; k < SPREADS; k++) {
        predictor->log_spread[k] = br_quick_log(spread_of[k]);
        predictor->growth[k] = br_quick_exp(spread_of[k] * spread_of[k]) - 1;
    }
    for (uint32_t k = 0; k < predictor->levels; k++)
        predictor->level[k] = (struct level){.squares = 3, .count = 3};
    return BR_OK;
}

static void posterior_destroy(void *of)
{
    struct predictor *predictor = of;
    if (predictor) {
        br_values_finish(&predictor->values);
        free(predictor->value);
    }
    free(predictor);
}

/* ---- Levels ---- */

/* Sizes are distinguished by powers of two. */
static uint64_t posterior_size_of(uint32_t tasks)
{
    uint64_t bits = 1;
    for (; tasks; tasks /= 2)
        bits++;
    return bits;
}

/* The key of the job's value at a level; false if it has none. Level 2 f is feature f, 2 f + 1 that
 * feature with the size; after the features come those of all jobs. */
static bool posterior_key_of(const struct predictor *predictor, const struct br_predict_job *job,
                             uint32_t stage, uint32_t level, uint64_t *key)
{
    uint32_t f = level / 2;
    uint64_t value = f < predictor->setup.features ? job->feature[f] : 1;
    uint64_t size = level % 2 ? posterior_size_of(job->stage[stage].tasks) : 0;
    *key = br_value_key(level, br_hash_number(value) + size, job->stage[stage].key);
    return value != BR_NO_FEATURE;
}

static double posterior_log_of(double seconds)
{
    return br_quick_log(fmax(seconds, LEAST_SECONDS));
}

/* The prior's parts, one for each level with data on the job's value. */
static uint32_t look_up(const struct predictor *predictor, const struct br_predict_job *job,
                        uint32_t stage, struct prior prior[LEVELS_MOST])
{
    uint32_t parts = 0;
    for (uint32_t l = 0; l < predictor->levels; l++) {
        uint64_t key;
        if (!posterior_key_of(predictor, job, stage, l, &key))
            continue;
        uint32_t number = br_values_find(&predictor->values, key);
        if (number == BR_NO_VALUE)
            continue;
        const struct value *value = &predictor->value[number];
        assert(value->weight > 0);
        const struct level *level = &predictor->level[l];
        double usual = level->squares / level->count;
        double within = (value->squares + BORROW * usual) / (value->weight + BORROW);
        assert(within >= 0);
        prior[parts++] = (struct prior){l, value, value->mean,
                                        within * (1 + 1 / value->weight) + 1e-6, level->success};
    }
    return parts;
}

/* ---- Learning ---- */

/* The likelihood of the durations for each spread of the grid, as shares of the sum. */
static void weigh_spreads(const struct predictor *predictor, const struct br_predict_stage *stage,
                          double likelihood[SPREADS])
{
    double best = -INFINITY, sum = 0, mean = 0, squares = 0, free = (double)stage->measured - 1;
    for (uint32_t k = 0; k < stage->measured; k++) {
        double y = posterior_log_of((double)stage->duration_ns[k] / 1e9), step = y - mean;
        mean += step / (k + 1);
        squares += step * (y - mean);
    }
    for (int k = 0; k < SPREADS; k++) {
        double s = spread_of[k];
        likelihood[k] = -free * predictor->log_spread[k] - squares / (2 * s * s);
        best = fmax(best, likelihood[k]);
    }
    for (int k = 0; k < SPREADS; k++)
        sum += likelihood[k] = likelihood[k] < best - 40 ? 0 : br_quick_exp(likelihood[k] - best);
    assert(sum >= 1);
    for (int k = 0; k < SPREADS; k++)
        likelihood[k] /= sum;
}

static void learn_spread(struct level *level, struct value *value, const double share[SPREADS])
{
    double foreseen = 0;
    for (int k = 0; k < SPREADS; k++)
        foreseen += share[k] * (value->spread_count[k] + BORROW / SPREADS);
    assert(foreseen > 0);
    if (value->spreads > 0)
        level->spread_success +=
            FOLLOW * (br_quick_log(foreseen / (value->spreads + BORROW)) - level->spread_success);
    value->spreads = KEEP_SPREAD * value->spreads + 1;
    for (int k = 0; k < SPREADS; k++)
        value->spread_count[k] = KEEP_SPREAD * value->spread_count[k] + share[k];
}

static void learn_mean(struct level *level, struct value *value, double y)
{
    if (value->seen) {
        double surprise = y - value->mean;
        level->squares += surprise * surprise * value->weight / (value->weight + 1);
        level->count++;
    }
    value->weight = KEEP * value->weight + 1;
    value->squares *= KEEP;
    double step = y - value->mean;
    value->mean += step / value->weight;
    value->squares += step * (y - value->mean);
    assert(value->squares >= 0);
    value->seen++;
}

static struct value *posterior_meet(struct predictor *predictor, uint64_t key)
{
    bool fresh;
    uint32_t number = br_values_add(&predictor->values, key, &fresh);
    if (number == BR_NO_VALUE)
        return NULL;
    if (fresh) {
        if (!br_grow(&predictor->value, number, &predictor->room, sizeof *predictor->value))
            return NULL;
        predictor->value[number] = (struct value){0};
    }
    return &predictor->value[number];
}

static enum br_status learn_stage(struct predictor *predictor, const struct br_predict_job *job,
                                  uint32_t stage, struct br_diag *diag)
{
    const struct br_predict_stage *own = &job->stage[stage];
    struct prior prior[LEVELS_MOST];
    assert(own->measured > 0);
    double y = posterior_log_of(br_stage_mean_s(own)), share[SPREADS];
    uint32_t parts = look_up(predictor, job, stage, prior);
    for (uint32_t k = 0; k < parts; k++) {
        double far = (y - prior[k].mean) * (y - prior[k].mean) / prior[k].variance;
        double density = -0.5 * br_quick_log(prior[k].variance) - 0.5 * fmin(far, 25);
        struct level *level = &predictor->level[prior[k].level];
        level->success += FOLLOW * (density - level->success);
    }
    weigh_spreads(predictor, own, share);
    for (uint32_t l = 0; l < predictor->levels; l++) {
        uint64_t key;
        if (!posterior_key_of(predictor, job, stage, l, &key))
            continue;
        struct value *value = posterior_meet(predictor, key);
        if (!value)
            return br_fail_memory(diag);
        learn_mean(&predictor->level[l], value, y);
        if (own->measured > 1)
            learn_spread(&predictor->level[l], value, share);
    }
    return BR_OK;
}

static enum br_status posterior_learn(void *of, const struct br_predict_job *job,
                                      double normalised_jct, struct br_diag *diag)
{
    enum br_status status = BR_OK;
    for (uint32_t s = 0; s < job->stages && !status; s++)
        if (job->stage[s].measured)
            status = learn_stage(of, job, s, diag);
    return status;
}

/* ---- Prediction ---- */

/* The prior of the spread: levels by how well they predicted spreads, the worst first; among equals
 * the first. */
static void prior_of_spread(const struct predictor *predictor, const struct prior *prior,
                            uint32_t parts, double share[SPREADS])
{
    const struct prior *order[LEVELS_MOST];
    for (uint32_t k = 0; k < parts; k++) {
        double success = predictor->level[prior[k].level].spread_success;
        uint32_t at = k;
        for (; at > 0 && predictor->level[order[at - 1]->level].spread_success > success; at--)
            order[at] = order[at - 1];
        order[at] = &prior[k];
    }
    for (int s = 0; s < SPREADS; s++)
        share[s] = 1.0 / SPREADS;
    for (uint32_t k = 0; k < parts; k++)
        for (int s = 0; s < SPREADS; s++)
            share[s] = (order[k]->value->spread_count[s] + BORROW * share[s]) /
                       (order[k]->value->spreads + BORROW);
}

/* The pilots: their number, their sum in seconds, and mean and squares of their logarithms. */
struct pilots {
    double count, sum, mean, squares;
};

static struct pilots posterior_measure(const struct br_predict_stage *stage)
{
    struct pilots pilots = {.count = stage->measured};
    for (uint32_t k = 0; k < stage->measured; k++) {
        double seconds = (double)stage->duration_ns[k] / 1e9, y = posterior_log_of(seconds);
        double step = y - pilots.mean;
        pilots.sum += seconds;
        pilots.mean += step / (k + 1);
        pilots.squares += step * (y - pilots.mean);
    }
    return pilots;
}

struct candidate {
    double log_weight, mean, variance;
    int spread;
};

/* A part of the prior and a spread, after the pilots. */
static struct candidate update(const struct prior *prior, int s, double log_share,
                               const struct pilots *pilots)
{
    double square = spread_of[s] * spread_of[s], n = pilots->count;
    struct candidate c = {prior->log_weight + log_share, prior->mean, prior->variance, s};
    if (n < 1)
        return c;
    double y = pilots->mean + square / 2; /* tells log m */
    double v = prior->variance + square / n, off = y - prior->mean;
    c.log_weight -= 0.5 * (br_quick_log(v) + off * off / v);
    assert(prior->variance > 0);
    double precision = 1 / prior->variance + n / square;
    c.mean = (prior->mean / prior->variance + n * y / square) / precision;
    c.variance = 1 / precision;
    return c;
}

/* One more part, for an unprecedented job. */
static void add_strange(const struct predictor *predictor, struct prior *prior, uint32_t *parts)
{
    assert(*parts <= LEVELS_MOST);
    struct prior part = {.mean = NO_HISTORY_MEAN,
                         .variance = NO_HISTORY_VARIANCE,
                         .log_weight = *parts ? -INFINITY : 0};
    for (uint32_t k = 0; k < *parts; k++) {
        part.log_weight = fmax(part.log_weight, prior[k].log_weight + STRANGE_WEIGHT);
        if (prior[k].level == predictor->levels - 2) {
            part.mean = prior[k].mean;
            part.variance = STRANGE_VARIANCE * prior[k].variance;
        }
    }
    prior[(*parts)++] = part;
}

/* Combines every part of the prior with every possible spread. *best: the largest log weight. */
static uint32_t posterior_weigh(const struct predictor *predictor, const struct prior *prior,
                                uint32_t parts, const double share[SPREADS],
                                const struct pilots *pilots, struct candidate *candidate,
                                double *best)
{
    uint32_t candidates = 0;
    *best = -INFINITY;
    for (int s = 0; s < SPREADS; s++) {
        if (share[s] < LEAST_SHARE)
            continue;
        double log_share = br_quick_log(share[s]);
        if (pilots->count > 1)
            log_share -= (pilots->count - 1) * predictor->log_spread[s] +
                         pilots->squares / (2 * spread_of[s] * spread_of[s]);
        for (uint32_t k = 0; k < parts; k++) {
            struct candidate c = update(&prior[k], s, log_share, pilots);
            *best = fmax(*best, c.log_weight);
            candidate[candidates++] = c;
        }
    }
    assert(candidates <= (LEVELS_MOST + 1) * SPREADS);
    return candidates;
}

/* The work of a stage: the measured part, and the rest as a mixture. */
struct work {
    bool known;
    double pilots_s; /* sum of the pilots */
    double rest;     /* tasks beside them */
};

/* The belief about a stage, before questions about some of its tasks. */
struct belief {
    bool known;
    bool spread_seen; /* from the history or from pilots */
    struct pilots pilots;
    uint32_t candidates;
    double best; /* the largest log weight of a candidate */
    struct candidate candidate[(LEVELS_MOST + 1) * SPREADS];
};

static void posterior_believe(const struct predictor *predictor, const struct br_predict_job *job,
                              uint32_t stage, struct belief *belief)
{
    struct prior prior[LEVELS_MOST + 1];
    double share[SPREADS];
    belief->pilots = posterior_measure(&job->stage[stage]);
    uint32_t parts = look_up(predictor, job, stage, prior);
    belief->known = parts > 0 || belief->pilots.count > 0;
    belief->spread_seen = belief->pilots.count > 1;
    for (uint32_t k = 0; k < parts; k++)
        belief->spread_seen |= prior[k].value->spreads > 0;
    prior_of_spread(predictor, prior, parts, share);
    add_strange(predictor, prior, &parts);
    belief->candidates = posterior_weigh(predictor, prior, parts, share, &belief->pilots,
                                         belief->candidate, &belief->best);
}

/* Fills the mixture with the mean duration of that many tasks that have not run, in logarithms of
 * seconds; INFINITY: with the mean around which they scatter. The mean of several log-normals is
 * approximated by a log-normal with equal first moments. */
static void posterior_mix(struct predictor *predictor, const struct belief *belief, double tasks)
{
    struct br_mixture *mixture = &predictor->mixture;
    double own[SPREADS];
    for (int s = 0; s < SPREADS; s++)
        own[s] = isinf(tasks) ? 0 : br_quick_log(1 + predictor->growth[s] / tasks);
    mixture->parts = 0;
    mixture->weight = 0;
    for (uint32_t k = 0; k < belief->candidates; k++) {
        const struct candidate *c = &belief->candidate[k];
        if (c->log_weight < belief->best - LEAST_LOG_WEIGHT)
            continue;
        struct br_mixture_part part = {br_quick_exp(c->log_weight - belief->best),
                                       c->mean - own[c->spread] / 2,
                                       sqrt(c->variance + own[c->spread]), 0};
        assert(mixture->parts < BR_MIXTURE_MOST && part.deviation > 0);
        part.narrow = 1 / part.deviation;
        mixture->weight += part.weight;
        mixture->part[mixture->parts++] = part;
    }
    assert(mixture->parts > 0 && mixture->weight > 0);
}

/* Fills the mixture with the mean duration of the tasks other than pilots. */
static struct work infer(struct predictor *predictor, const struct br_predict_job *job,
                         uint32_t stage)
{
    struct belief belief;
    double pilots = job->stage[stage].measured;
    struct work work = {.rest = job->stage[stage].tasks - pilots};
    if (work.rest <= 0) {
        work.known = pilots > 0;
        work.pilots_s = posterior_measure(&job->stage[stage]).sum;
        return work;
    }
    posterior_believe(predictor, job, stage, &belief);
    work.known = belief.known;
    work.pilots_s = belief.pilots.sum;
    posterior_mix(predictor, &belief, work.rest);
    return work;
}

static double mixed_ns(const struct predictor *predictor, double share)
{
    return 1e9 * br_quick_exp(br_mixture_quantile(&predictor->mixture, &predictor->normal, share));
}

void br_posterior_tasks(void *of, const struct br_predict_job *job, uint32_t stage, double share,
                        struct br_task_belief *tasks)
{
    struct predictor *predictor = of;
    struct belief belief;
    double outside = (1 - predictor->setup.interval) / 2, weight = 0, square = 0;
    posterior_believe(predictor, job, stage, &belief);
    posterior_mix(predictor, &belief, INFINITY);
    *tasks = (struct br_task_belief){.known = belief.known,
                                     .mean_ns = mixed_ns(predictor, 0.5),
                                     .low_ns = mixed_ns(predictor, outside),
                                     .high_ns = mixed_ns(predictor, 1 - outside)};
    assert(tasks->low_ns <= tasks->high_ns);
    /* For a stage of one task, runs have shown mean and task as one. */
    bool scattered = belief.spread_seen && job->stage[stage].tasks > 1;
    for (uint32_t k = 0; k < belief.candidates && scattered; k++) {
        const struct candidate *c = &belief.candidate[k];
        if (c->log_weight < belief.best - LEAST_LOG_WEIGHT)
            continue;
        double own = br_quick_exp(c->log_weight - belief.best);
        weight += own;
        square += own * spread_of[c->spread] * spread_of[c->spread];
    }
    if (scattered) {
        tasks->spread = sqrt(square / weight);
        posterior_mix(predictor, &belief, 1);
    }
    tasks->task_ns = mixed_ns(predictor, share);
}

static double work_ns(const struct predictor *predictor, const struct work *work, double share)
{
    double rest = 0;
    if (work->rest > 0)
        rest = work->rest *
               br_quick_exp(br_mixture_quantile(&predictor->mixture, &predictor->normal, share));
    return 1e9 * (work->pilots_s + rest);
}

static void posterior_predict(void *of, const struct br_predict_job *job,
                              struct br_estimate *estimate, struct br_stage_estimate *stage)
{
    struct predictor *predictor = of;
    double outside = (1 - predictor->setup.interval) / 2;
    struct br_sum sum = br_sum_begin();
    for (uint32_t s = 0; s < job->stages; s++) {
        const struct work work = infer(predictor, job, s);
        double tasks = job->stage[s].tasks;
        struct br_stage_estimate own = {work_ns(predictor, &work, 0.5) / tasks,
                                        work_ns(predictor, &work, outside) / tasks,
                                        work_ns(predictor, &work, 1 - outside) / tasks};
        br_sum_add(&sum, &job->stage[s], &own, work.known);
        if (stage)
            stage[s] = own;
    }
    *estimate = br_sum_end(&sum);
}

static uint32_t posterior_pilots(void *of, const struct br_predict_job *job, uint32_t stage)
{
    const struct predictor *predictor = of;
    uint32_t tasks = job->stage[stage].tasks;
    double ratio =
        isnan(predictor->setup.number) ? br_predictor_posterior.usual : predictor->setup.number;
    uint32_t count = (uint32_t)(ratio * tasks + 0.5);
    return count < 1 && ratio > 0 ? 1 : count > tasks ? tasks : count;
}

const struct br_predictor_row br_predictor_posterior = {
    .named = {"posterior", "history and pilots in one posterior, which tells an interval"},
    .number = "the share of tasks that are pilots",
    .usual = 0.03,
    .least = 0,
    .most = 1,
    .thin_first = true,
    .create = posterior_create,
    .destroy = posterior_destroy,
    .pilots = posterior_pilots,
    .learn = posterior_learn,
    .predict = posterior_predict,
};
