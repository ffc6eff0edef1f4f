/* Feeds the rows of a history, in the order of its runs, to the posterior. */
#include "runtime/predict/beliefs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/collections/index.h"
#include "base/text/diag.h"
#include "runtime/predict/mixture.h"
#include "runtime/predict/quick.h"
#include "runtime/predict/rows.h"
#include "store/history/way.h"

/* The predictor's number of the stage, or of its tasks by an alternative. */
static uint64_t beliefs_key_of(const char *job, const char *stage, const char *alternative)
{
    const uint64_t key = br_hash_number(br_feature(job)) ^ br_feature(stage);
    return alternative ? br_hash_number(key) ^ br_feature(alternative) : key;
}

struct br_beliefs {
    void *posterior;
    /* The stage of the run being read, by the name that the history has for it: */
    int64_t run;
    char *name;
    struct br_decimal speed;
    uint64_t key;
    int64_t *duration_ns;
    uint32_t durations, room;
    enum br_status status;
    struct br_diag *diag;
};

static struct br_predict_job beliefs_job_of(const struct br_predict_stage *stage)
{
    static const uint64_t none[1] = {BR_NO_FEATURE};
    return (struct br_predict_job){.feature = none, .stages = 1, .stage = stage};
}

/* Learns the collected tasks. */
static void beliefs_learn(struct br_beliefs *beliefs)
{
    const struct br_predict_stage stage = {beliefs->key, beliefs->durations, beliefs->durations,
                                           beliefs->duration_ns};
    const struct br_predict_job job = beliefs_job_of(&stage);
    if (beliefs->durations && !beliefs->status)
        beliefs->status =
            br_predictor_posterior.learn(beliefs->posterior, &job, NAN, beliefs->diag);
    beliefs->durations = 0;
}

/* Goes on with the stage of the row. */
static bool beliefs_turn_to(struct br_beliefs *beliefs, const struct br_history_row *row)
{
    struct br_history_way way;
    beliefs_learn(beliefs);
    free(beliefs->name);
    beliefs->name = strdup(row->stage);
    if (!beliefs->name || !br_history_way_read(row->stage, &way))
        return false;
    beliefs->run = row->run;
    beliefs->key = beliefs_key_of(row->job, way.stage, way.alternative);
    beliefs->speed = way.speed;
    free(way.text);
    return true;
}

/* A run is of one job, so the stage's name tells the rows of the run apart. */
static void beliefs_read_row(void *context, const struct br_history_row *row)
{
    struct br_beliefs *beliefs = context;
    const bool same =
        beliefs->name && row->run == beliefs->run && strcmp(row->stage, beliefs->name) == 0;
    if ((!same && !beliefs_turn_to(beliefs, row)) ||
        !br_grow(&beliefs->duration_ns, beliefs->durations, &beliefs->room,
                 sizeof *beliefs->duration_ns)) {
        beliefs->status = br_fail_memory(beliefs->diag);
        return;
    }
    beliefs->duration_ns[beliefs->durations++] =
        br_history_way_normal(beliefs->speed, row->wall_ns);
}

enum br_status br_beliefs_create(struct br_history *history, struct br_beliefs **result,
                                 struct br_diag *diag)
{
    struct br_predict_setup setup = br_predict_setup_default(0);
    struct br_beliefs *beliefs = calloc(1, sizeof *beliefs);
    *result = NULL;
    if (!beliefs)
        return br_fail_memory(diag);
    setup.interval = BR_BELIEF_INTERVAL;
    beliefs->diag = diag;
    enum br_status status =
        br_predictor_posterior.create(&br_predictor_posterior, &setup, &beliefs->posterior, diag);
    if (!status && history)
        status = br_history_read(history, beliefs_read_row, beliefs, diag);
    beliefs_learn(beliefs);
    if (!status)
        status = beliefs->status;
    beliefs->diag = NULL;
    if (status)
        br_beliefs_destroy(beliefs);
    else
        *result = beliefs;
    return status;
}

void br_beliefs_destroy(struct br_beliefs *beliefs)
{
    if (!beliefs)
        return;
    br_predictor_posterior.destroy(beliefs->posterior);
    free(beliefs->name);
    free(beliefs->duration_ns);
    free(beliefs);
}

void br_beliefs_of(struct br_beliefs *beliefs, const char *job, const struct br_stage *stage,
                   const char *alternative, const int64_t *duration_ns, uint32_t measured,
                   double share, struct br_task_belief *belief)
{
    const struct br_predict_stage own = {beliefs_key_of(job, stage->id, alternative), stage->tasks,
                                         measured, duration_ns};
    const struct br_predict_job asked = beliefs_job_of(&own);
    br_posterior_tasks(beliefs->posterior, &asked, 0, share, belief);
}

double br_belief_declared(double mean_ns, double spread, double share)
{
    if (mean_ns <= 0 || spread <= 0)
        return mean_ns;
    struct br_normal normal;
    struct br_mixture one = {
        .parts = 1, .weight = 1, .part[0] = {1, -spread * spread / 2, spread, 1 / spread}};
    br_normal_init(&normal);
    return mean_ns * br_quick_exp(br_mixture_quantile(&one, &normal, share));
}
