#include "runtime/deadline/trials/trial.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/index.h"
#include "base/process/parallel.h"
#include "runtime/deadline/amdahl.h"
#include "runtime/deadline/trials/meter.h"
#include "runtime/deadline/trials/runner.h"

enum { ALLOCATIONS = 8, MOMENTS_MOST = 2000 };
#define WORLD_OF_TRIALS UINT64_C(0x7472696c73)
#define THIRD 0.7937005259840998 /* 0.5^(1/3) */

double br_trial_level(uint32_t k)
{
    return (k + 1) / (BR_TRIAL_LEVELS + 1.0);
}

/* A moment of a run at which the control loop would look. */
struct moment {
    int64_t at_ns;
    struct br_table_place place;
};

struct trying {
    const struct br_deadline_request *request;
    const struct br_deadline_table *table;
    struct br_runner_job job;
    struct br_trials *trials;
    struct tryer {
        struct br_runner *runner;
        struct br_meter meter;
        int64_t *duration_ns, *end_ns;
        struct moment *moment;
    } * tryer;
    uint32_t threads;
};

/* A run while it goes on. */
struct watch {
    struct tryer *tryer;
    const struct br_deadline_table *table;
    int64_t period_ns, next_ns, changed_ns, stuck_ns;
    double progress;
    uint32_t moments;
};

static void look_until(struct watch *watch, int64_t now_ns)
{
    for (; watch->next_ns < now_ns && watch->moments < MOMENTS_MOST;
         watch->next_ns += watch->period_ns)
        watch->tryer->moment[watch->moments++] =
            (struct moment){watch->next_ns, br_table_at(watch->table, watch->progress)};
}

static void deadline_trial_finished(void *context, uint32_t stage, int64_t now_ns)
{
    struct watch *watch = context;
    look_until(watch, now_ns);
    double progress = br_meter_add(&watch->tryer->meter, stage);
    if (progress != watch->progress) {
        assert(now_ns >= watch->changed_ns);
        if (now_ns - watch->changed_ns > watch->stuck_ns)
            watch->stuck_ns = now_ns - watch->changed_ns;
        watch->changed_ns = now_ns;
    }
    watch->progress = progress;
}

static void count_moments(const struct watch *watch, const struct tryer *tryer, int64_t end_ns,
                          struct br_trial *trial)
{
    double before_ns = 0, wander_ns = 0;
    for (uint32_t m = 0; m < watch->moments; m++) {
        const struct moment *moment = &tryer->moment[m];
        int64_t left_ns = end_ns - moment->at_ns;
        assert(left_ns >= 0);
        double mean_ns =
            (double)br_table_mean_ns(watch->table, trial->layer, moment->place, trial->index) +
            (double)moment->at_ns;
        for (uint32_t k = 0; k < BR_TRIAL_LEVELS; k++)
            trial->below_later[k] +=
                left_ns <= br_table_quantile_ns(watch->table, trial->layer, moment->place,
                                                trial->index, br_trial_level(k));
        if (m > 0)
            wander_ns += fabs(mean_ns - before_ns);
        before_ns = mean_ns;
    }
    trial->moments += watch->moments;
    if (watch->moments > 1 && end_ns > 0)
        trial->wander += wander_ns / (watch->moments - 1) / (double)end_ns;
}

static void try_once(struct trying *trying, struct tryer *tryer, struct br_trial *trial,
                     uint32_t run)
{
    const struct br_deadline_table *table = trying->table;
    uint64_t seed = br_hash_number(
        br_hash_number(trying->request->seed ^ br_hash_number(WORLD_OF_TRIALS)) ^ run);
    struct watch watch = {.tryer = tryer, .table = table, .period_ns = trying->trials->period_ns};
    watch.next_ns = watch.period_ns;
    const struct br_runner_watch runner_watch = {.finished = deadline_trial_finished,
                                                 .context = &watch};
    br_meter_reset(&tryer->meter);
    br_profile_draw(trying->request->profile, seed, tryer->duration_ns);
    int64_t end_ns =
        br_runner_run(tryer->runner, table->allocation[trial->index],
                      trial->layer == BR_PLANNED_ORDER, tryer->duration_ns, seed, &runner_watch);
    tryer->end_ns[run] = end_ns;
    for (uint32_t t = 0; t < trying->job.tasks; t++)
        trial->work_s += (double)tryer->duration_ns[t] / 1e9;
    for (uint32_t k = 0; k < BR_TRIAL_LEVELS; k++)
        trial->below[k] +=
            end_ns <= br_table_quantile_ns(table, trial->layer, br_table_start(table), trial->index,
                                           br_trial_level(k));
    count_moments(&watch, tryer, end_ns, trial);
    if (end_ns > 0)
        trial->stuck += (double)watch.stuck_ns / (double)end_ns;
}

static int deadline_trial_by_time(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static double deadline_trial_error_of(double forecast_s, double actual_s)
{
    return actual_s > 0 ? fabs(forecast_s - actual_s) / actual_s : 0;
}

/* The runs in threes, as they came; then their percentiles. */
static void deadline_trial_sum_up(const struct tryer *tryer, uint32_t runs, struct br_trial *trial)
{
    uint32_t threes = runs / 3;
    for (uint32_t k = 0; k < threes; k++) {
        const int64_t *end_ns = tryer->end_ns + 3 * (size_t)k;
        int64_t most_ns = end_ns[0] > end_ns[1] ? end_ns[0] : end_ns[1];
        double slowest_s = (double)(most_ns > end_ns[2] ? most_ns : end_ns[2]) / 1e9;
        trial->most_error += deadline_trial_error_of(trial->forecast_most_s, slowest_s) / threes;
        trial->third_error += deadline_trial_error_of(trial->forecast_third_s, slowest_s) / threes;
        trial->amdahl_error += deadline_trial_error_of(trial->amdahl_s, slowest_s) / threes;
    }
    for (uint32_t k = 0; k < runs; k++)
        trial->actual_mean_s += (double)tryer->end_ns[k] / 1e9 / runs;
    qsort(tryer->end_ns, runs, sizeof *tryer->end_ns, deadline_trial_by_time);
    for (uint32_t k = 0; k < 3; k++) {
        static const double at[] = {0.1, 0.5, 0.9};
        trial->actual_s[k] = (double)tryer->end_ns[(uint32_t)(at[k] * (runs - 1) + 0.5)] / 1e9;
    }
    for (uint32_t k = 0; k < BR_TRIAL_LEVELS; k++) {
        trial->below[k] /= runs;
        trial->below_later[k] = trial->moments ? trial->below_later[k] / (double)trial->moments : 0;
    }
    trial->work_s /= runs;
    trial->wander /= runs;
    trial->stuck /= runs;
}

static void deadline_trial_forecast(const struct trying *trying, const struct tryer *tryer,
                                    struct br_trial *trial)
{
    const struct br_deadline_table *table = trying->table;
    struct br_table_place start = br_table_start(table);
    uint32_t layer = trial->layer, index = trial->index;
    static const double at[] = {0.1, 0.5, 0.9};
    for (uint32_t k = 0; k < 3; k++)
        trial->forecast_s[k] =
            (double)br_table_quantile_ns(table, layer, start, index, at[k]) / 1e9;
    trial->forecast_mean_s = (double)br_table_mean_ns(table, layer, start, index) / 1e9;
    trial->forecast_most_s = (double)br_table_quantile_ns(table, layer, start, index, 1) / 1e9;
    trial->forecast_third_s = (double)br_table_quantile_ns(table, layer, start, index, THIRD) / 1e9;
    trial->amdahl_s =
        (double)br_amdahl_ns(table, tryer->meter.done, table->allocation[index]) / 1e9;
}

static bool try_point(void *context, uint32_t worker, uint32_t point)
{
    struct trying *trying = context;
    struct tryer *tryer = &trying->tryer[worker];
    assert(point < trying->trials->count);
    struct br_trial *trial = &trying->trials->trial[point];
    br_meter_reset(&tryer->meter);
    deadline_trial_forecast(trying, tryer, trial);
    for (uint32_t run = 0; run < trying->trials->runs; run++) {
        if (br_stopped(trying->request->stop))
            return false;
        try_once(trying, tryer, trial, run);
    }
    deadline_trial_sum_up(tryer, trying->trials->runs, trial);
    return true;
}

static bool init_tryer(const struct trying *trying, struct tryer *tryer)
{
    const struct br_deadline_table *table = trying->table;
    tryer->runner = br_runner_create(&trying->job);
    tryer->duration_ns = calloc(trying->job.tasks, sizeof *tryer->duration_ns);
    tryer->end_ns = calloc(trying->trials->runs, sizeof *tryer->end_ns);
    tryer->moment = calloc(MOMENTS_MOST, sizeof *tryer->moment);
    bool meter =
        br_meter_init(&tryer->meter, table->indicator, table->weight, table->tasks, table->stages);
    return tryer->runner && tryer->duration_ns && tryer->end_ns && tryer->moment && meter;
}

static void deadline_trial_finish(struct trying *trying)
{
    for (uint32_t k = 0; trying->tryer && k < trying->threads; k++) {
        br_runner_destroy(trying->tryer[k].runner);
        br_meter_finish(&trying->tryer[k].meter);
        free(trying->tryer[k].duration_ns);
        free(trying->tryer[k].end_ns);
        free(trying->tryer[k].moment);
    }
    free(trying->tryer);
    br_runner_job_finish(&trying->job);
}

/* Every order at allocations that are as far apart as they can be, the last among them. */
static enum br_status choose_points(struct trying *trying, struct br_diag *diag)
{
    const struct br_deadline_table *table = trying->table;
    struct br_trials *trials = trying->trials;
    uint32_t layers = trying->job.rank ? table->layers : 1;
    uint32_t each = table->allocations < ALLOCATIONS ? table->allocations : ALLOCATIONS;
    trials->count = layers * each;
    trials->trial = br_arena_array(&trials->arena, trials->count, sizeof *trials->trial);
    if (!trials->trial)
        return br_fail_memory(diag);
    for (uint32_t k = 0; k < trials->count; k++) {
        trials->trial[k].layer = k / each;
        trials->trial[k].index =
            (uint32_t)((k % each + 1) * (uint64_t)table->allocations / each) - 1;
        assert(trials->trial[k].index < table->allocations);
    }
    return BR_OK;
}

enum br_status br_trials_make(const struct br_deadline_request *request,
                              const struct br_deadline_table *table, uint32_t runs,
                              int64_t period_ns, struct br_trials *trials, struct br_diag *diag)
{
    struct br_deadline_request same = *request;
    struct trying trying = {.request = &same, .table = table, .trials = trials};
    *trials = (struct br_trials){.runs = runs, .period_ns = period_ns > 0 ? period_ns : 1};
    same.kind = table->kind;
    enum br_status status = br_table_check_job(table, request->dag, request->cluster, diag);
    if (!status && table->kind == BR_SHARES && !request->cluster)
        status = br_fail(diag, BR_USAGE, "give the cluster that the table is for",
                         "the table's allocations are shares of a cluster");
    if (!status)
        status = br_runner_job_init(&trying.job, &same, diag);
    if (!status)
        status = choose_points(&trying, diag);
    trying.threads = request->threads < trials->count ? request->threads : trials->count;
    trying.threads = trying.threads ? trying.threads : 1;
    if (!status && !(trying.tryer = calloc(trying.threads, sizeof *trying.tryer)))
        status = br_fail_memory(diag);
    for (uint32_t k = 0; !status && k < trying.threads; k++)
        if (!init_tryer(&trying, &trying.tryer[k]))
            status = br_fail_memory(diag);
    if (!status)
        br_parallel(trying.threads, trials->count, try_point, &trying);
    if (!status && br_stopped(request->stop))
        status = br_fail(diag, BR_NO, NULL, "interrupted");
    deadline_trial_finish(&trying);
    return status;
}

void br_trials_finish(struct br_trials *trials)
{
    br_arena_finish(&trials->arena);
    *trials = (struct br_trials){0};
}
