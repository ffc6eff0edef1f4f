/* SLearn: the mean of a few tasks of the job itself, the pilots [Jajoo22, 5.1.2]. With adaptive
 * pilots, their share follows the one with the shortest recent completion times [Jajoo22, Fig. 4].
 * SLearn-DAG measures only the first stage, and scales the history of the other stages by it
 * [Jajoo22, 6]. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/collections/grow.h"
#include "runtime/predict/experts.h"
#include "runtime/predict/rows.h"
#include "runtime/predict/sum.h"

enum { WINDOW = 100, PERCENTS = 6 }; /* T; shares from 1 to 5 % */

/* Scores of one share: normalised completion times of the last jobs that used it. As printed, the
 * oldest is dropped if there are more than T, so that T + 1 stay. */
struct score {
    double jct[WINDOW + 1], mean;
    uint32_t count, next;
};

struct predictor {
    struct br_predict_setup setup;
    double ratio; /* NAN: adaptive */
    bool first_only;
    struct br_experts experts; /* of SLearn-DAG */
    uint32_t arrived;
    struct score score[PERCENTS];
    uint8_t *percent; /* by number of the job */
    uint32_t room;
};

static enum br_status slearn_create(const struct br_predictor_row *row,
                                    const struct br_predict_setup *setup, void **result,
                                    struct br_diag *diag)
{
    struct predictor *predictor = calloc(1, sizeof *predictor);
    *result = predictor;
    if (!predictor)
        return br_fail_memory(diag);
    predictor->setup = *setup;
    predictor->ratio = row == &br_predictor_slearn_adaptive ? NAN
                       : isnan(setup->number)               ? row->usual
                                                            : setup->number;
    predictor->first_only = row == &br_predictor_slearn_dag;
    predictor->experts.features = setup->features;
    return BR_OK;
}

static void slearn_destroy(void *of)
{
    struct predictor *predictor = of;
    if (predictor) {
        br_experts_finish(&predictor->experts);
        free(predictor->percent);
    }
    free(predictor);
}

/* ---- Adaptive pilots ---- */

/* 0 if no share has a score. */
static int best_percent(const struct predictor *predictor)
{
    int best = 0;
    for (int p = 1; p < PERCENTS; p++)
        if (predictor->score[p].count &&
            (!best || predictor->score[p].mean < predictor->score[best].mean))
            best = p;
    return best;
}

/* As printed, lines 1 to 15. */
static int choose_percent(const struct predictor *predictor)
{
    static const int start[] = {3, 2, 4};
    const struct score *score = predictor->score;
    if (predictor->arrived < 3 * WINDOW)
        return start[predictor->arrived / WINDOW];
    int best = best_percent(predictor);
    bool worse_at_3 = score[3].count && 1.1 * score[best].mean < score[3].mean;
    if (best == 2 && worse_at_3)
        return 1;
    if (best == 4 && worse_at_3)
        return 5;
    return best ? best : start[0];
}

static enum br_status slearn_arrive(void *of, const struct br_predict_job *job,
                                    struct br_diag *diag)
{
    struct predictor *predictor = of;
    uint32_t old = predictor->room;
    if (job->number >= old) {
        uint32_t room = job->number + job->number / 2 + 64;
        uint8_t *larger = realloc(predictor->percent, room);
        if (!larger)
            return br_fail_memory(diag);
        memset(larger + old, 0, room - old);
        predictor->percent = larger;
        predictor->room = room;
    }
    predictor->percent[job->number] = (uint8_t)choose_percent(predictor);
    assert(predictor->percent[job->number] < PERCENTS);
    predictor->arrived++;
    return BR_OK;
}

/* As printed, lines 20 to 24. */
static void add_score(struct score *score, double jct)
{
    assert(score->next <= WINDOW && score->count <= WINDOW + 1);
    score->jct[score->next] = jct;
    score->next = (score->next + 1) % (WINDOW + 1);
    if (score->count <= WINDOW)
        score->count++;
    double sum = 0;
    for (uint32_t k = 0; k < score->count; k++)
        sum += score->jct[k];
    score->mean = sum / score->count;
}

static enum br_status learn_adaptive(void *of, const struct br_predict_job *job,
                                     double normalised_jct, struct br_diag *diag)
{
    struct predictor *predictor = of;
    uint32_t percent = job->number < predictor->room ? predictor->percent[job->number] : 0;
    if (percent && !isnan(normalised_jct))
        add_score(&predictor->score[percent], normalised_jct);
    return BR_OK;
}

/* ---- Pilots and prediction ---- */

static uint32_t slearn_pilots(void *of, const struct br_predict_job *job, uint32_t stage)
{
    struct predictor *predictor = of;
    uint32_t tasks = job->stage[stage].tasks;
    if (predictor->first_only && stage > 0)
        return 0;
    double ratio = predictor->ratio;
    if (isnan(ratio))
        ratio = (job->number < predictor->room && predictor->percent[job->number]
                     ? predictor->percent[job->number]
                     : 3) /
                100.0;
    uint32_t count = (uint32_t)(ratio * tasks + 0.5);
    return count < 1 ? 1 : count > tasks ? tasks : count;
}

static enum br_status learn_nothing(void *of, const struct br_predict_job *job,
                                    double normalised_jct, struct br_diag *diag)
{
    return BR_OK;
}

static void slearn_predict(void *of, const struct br_predict_job *job, struct br_estimate *estimate,
                           struct br_stage_estimate *stage)
{
    struct br_sum sum = br_sum_begin();
    for (uint32_t s = 0; s < job->stages; s++) {
        double mean = 1e9 * br_stage_mean_s(&job->stage[s]);
        struct br_stage_estimate own = br_sum_guess();
        if (!isnan(mean))
            own = (struct br_stage_estimate){mean, mean, mean};
        br_sum_add(&sum, &job->stage[s], &own, !isnan(mean));
        if (stage)
            stage[s] = own;
    }
    *estimate = br_sum_end(&sum);
}

/* ---- SLearn-DAG ---- */

static enum br_status slearn_learn_history(void *of, const struct br_predict_job *job,
                                           double normalised_jct, struct br_diag *diag)
{
    struct predictor *predictor = of;
    return br_experts_learn(&predictor->experts, job, diag);
}

static void predict_dag(void *of, const struct br_predict_job *job, struct br_estimate *estimate,
                        struct br_stage_estimate *stage)
{
    struct predictor *predictor = of;
    struct br_sum sum = br_sum_begin();
    double scale = 1, outside = (1 - predictor->setup.interval) / 2;
    for (uint32_t s = 0; s < job->stages; s++) {
        const struct br_histogram *histogram = br_experts_choose(&predictor->experts, job, s);
        double measured = br_stage_mean_s(&job->stage[s]);
        double history = histogram ? br_experts_utility_s(histogram) : NAN;
        struct br_stage_estimate own = br_sum_guess();
        if (!isnan(measured)) {
            own = (struct br_stage_estimate){1e9 * measured, 1e9 * measured, 1e9 * measured};
            if (s == 0 && history > 0 && measured > 0)
                scale = measured / history;
        } else if (histogram) {
            own = (struct br_stage_estimate){
                1e9 * scale * history, 1e9 * scale * br_histogram_quantile(histogram, outside),
                1e9 * scale * br_histogram_quantile(histogram, 1 - outside)};
        }
        br_sum_add(&sum, &job->stage[s], &own, histogram || !isnan(measured));
        if (stage)
            stage[s] = own;
    }
    *estimate = br_sum_end(&sum);
}

const struct br_predictor_row br_predictor_slearn = {
    .named = {"slearn", "SLearn: the mean of pilots, a share of the job's own tasks"},
    .number = "the share of tasks that are pilots",
    .usual = 0.03,
    .least = 0.0001,
    .most = 1,
    .thin_first = true,
    .create = slearn_create,
    .destroy = slearn_destroy,
    .pilots = slearn_pilots,
    .learn = learn_nothing,
    .predict = slearn_predict,
};

const struct br_predictor_row br_predictor_slearn_adaptive = {
    .named = {"slearn-adaptive", "slearn, with a share of 1 to 5 % that follows completion times"},
    .thin_first = true,
    .create = slearn_create,
    .destroy = slearn_destroy,
    .arrive = slearn_arrive,
    .pilots = slearn_pilots,
    .learn = learn_adaptive,
    .predict = slearn_predict,
};

const struct br_predictor_row br_predictor_slearn_dag = {
    .named = {"slearn-dag",
              "pilots of the first stage, which scale what 3Sigma says of the others"},
    .number = "the share of the first stage's tasks that are pilots",
    .usual = 0.03,
    .least = 0.0001,
    .most = 1,
    .thin_first = true,
    .create = slearn_create,
    .destroy = slearn_destroy,
    .pilots = slearn_pilots,
    .learn = slearn_learn_history,
    .predict = predict_dag,
};
