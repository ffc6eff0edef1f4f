#include "runtime/predict/evaluate.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/sort.h"
#include "base/numbers/rng.h"

struct br_job_queues br_queues_default(void)
{
    return (struct br_job_queues){10, 1e12, 10};
}

uint32_t br_queue_of(const struct br_job_queues *queues, double work_ns)
{
    double most = queues->first_ns;
    uint32_t queue = 0;
    for (; queue + 1 < queues->count && work_ns >= most; queue++)
        most *= queues->factor;
    assert(queue < queues->count);
    return queue;
}

/* ---- Predictions ---- */

struct evaluator {
    const struct br_evaluate_options *options;
    void *predictor;
    struct br_predict_stage *stage; /* of the current job, with its pilots */
    int64_t *duration_ns;
    uint32_t stage_room, task_room;
};

static bool evaluate_make_room(struct evaluator *e, uint32_t stages, uint32_t tasks)
{
    if (stages > e->stage_room) {
        free(e->stage);
        e->stage = malloc(stages * sizeof *e->stage);
        e->stage_room = e->stage ? stages : 0;
    }
    if (tasks > e->task_room) {
        free(e->duration_ns);
        e->duration_ns = malloc(tasks * sizeof *e->duration_ns);
        e->task_room = e->duration_ns ? tasks : 0;
    }
    return e->stage_room >= stages && e->task_room >= tasks;
}

/* Moves `pilots` tasks, each with equal probability, to the front. */
static void evaluate_draw(int64_t *duration_ns, uint32_t tasks, uint32_t pilots, struct br_rng *rng)
{
    assert(pilots <= tasks);
    for (uint32_t k = 0; k < pilots && k + 1 < tasks; k++) {
        uint32_t other = k + (uint32_t)br_rng_below(rng, tasks - k);
        int64_t moved = duration_ns[k];
        duration_ns[k] = duration_ns[other];
        duration_ns[other] = moved;
    }
}

/* The draw depends only on the seed, the job and the stage, so that equal ratios have equal pilots
 * whatever else a predictor does. */
static struct br_rng rng_of(const struct evaluator *e, uint32_t number, uint32_t stage)
{
    struct br_rng rng = br_rng_seed(e->options->seed);
    rng.state ^= br_rng_next(&rng) * (number + 1);
    rng.state += br_rng_next(&rng) * stage;
    return br_rng_seed(br_rng_next(&rng));
}

static enum br_status evaluate_predict(struct evaluator *e, const struct br_predict_case *of,
                                       struct br_prediction *prediction, struct br_diag *diag)
{
    const struct br_predictor_row *row = e->options->row;
    uint32_t tasks = 0, used = 0;
    for (uint32_t s = 0; s < of->job.stages; s++)
        tasks += of->job.stage[s].tasks;
    if (!evaluate_make_room(e, of->job.stages, tasks))
        return br_fail_memory(diag);
    struct br_predict_job job = of->job;
    job.stage = e->stage;
    *prediction = (struct br_prediction){.number = of->job.number, .tasks = tasks};
    for (uint32_t s = 0; s < job.stages; s++) {
        const struct br_predict_stage *whole = &of->job.stage[s];
        e->stage[s] = *whole;
        e->stage[s].duration_ns = e->duration_ns + used;
        e->stage[s].measured = 0;
        memcpy(e->duration_ns + used, whole->duration_ns, whole->tasks * sizeof *e->duration_ns);
        for (uint32_t t = 0; t < whole->tasks; t++)
            prediction->work_ns += (double)whole->duration_ns[t];
        used += whole->tasks;
    }
    assert(used == tasks);
    enum br_status status = row->arrive ? row->arrive(e->predictor, &job, diag) : BR_OK;
    for (uint32_t s = 0, first = 0; s < job.stages; first += e->stage[s++].tasks) {
        uint32_t pilots = row->clairvoyant ? e->stage[s].tasks
                          : row->pilots    ? row->pilots(e->predictor, &job, s)
                                           : 0;
        struct br_rng rng = rng_of(e, job.number, s);
        evaluate_draw(e->duration_ns + first, e->stage[s].tasks, pilots, &rng);
        e->stage[s].measured = pilots;
        prediction->pilots += row->clairvoyant ? 0 : pilots;
    }
    assert(prediction->pilots <= prediction->tasks);
    if (!status)
        row->predict(e->predictor, &job, &prediction->estimate, NULL);
    return status;
}

/* ---- Time ---- */

/* The cases by their ends, in the first half. */
static struct br_sort_item *evaluate_sort_ends(const struct br_predict_case *cases, uint32_t count)
{
    struct br_sort_item *item = malloc(2 * ((size_t)count + 1) * sizeof *item);
    for (uint32_t k = 0; item && k < count; k++)
        item[k] = (struct br_sort_item){br_sort_key(cases[k].end_ns), k};
    if (item)
        br_sort(item, item + count, count);
    return item;
}

static enum br_status evaluate_pass(struct evaluator *e, const struct br_predict_case *cases,
                                    uint32_t count, const struct br_sort_item *ends,
                                    struct br_evaluation *evaluation, struct br_diag *diag)
{
    enum br_status status = BR_OK;
    uint32_t ended = 0;
    for (uint32_t k = 0; k < count && !status; k++) {
        for (; !status && ended < count && cases[ends[ended].item].end_ns <= cases[k].arrival_ns;
             ended++)
            status = e->options->row->learn(e->predictor, &cases[ends[ended].item].job, NAN, diag);
        if (status || !cases[k].counts)
            continue;
        if (br_stopped(e->options->stop))
            break;
        assert(evaluation->count < count);
        status = evaluate_predict(e, &cases[k], &evaluation->prediction[evaluation->count], diag);
        evaluation->count += !status;
    }
    return status;
}

enum br_status br_evaluate(const struct br_predict_case *cases, uint32_t count,
                           const struct br_evaluate_options *options,
                           struct br_evaluation *evaluation, struct br_diag *diag)
{
    struct evaluator e = {.options = options};
    struct br_sort_item *ends = evaluate_sort_ends(cases, count);
    *evaluation = (struct br_evaluation){
        .prediction = malloc(((size_t)count + 1) * sizeof *evaluation->prediction)};
    enum br_status status =
        ends && evaluation->prediction
            ? options->row->create(options->row, &options->setup, &e.predictor, diag)
            : br_fail_memory(diag);
    if (!status)
        status = evaluate_pass(&e, cases, count, ends, evaluation, diag);
    options->row->destroy(e.predictor);
    free(e.stage);
    free(e.duration_ns);
    free(ends);
    return status;
}

void br_evaluation_finish(struct br_evaluation *evaluation)
{
    free(evaluation->prediction);
    *evaluation = (struct br_evaluation){0};
}

/* ---- Accuracy ---- */

static int evaluate_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* By linear interpolation between the nearest ranks. */
static double evaluate_percentile(const double *sorted, uint32_t count, double share)
{
    if (!count)
        return NAN;
    assert(share >= 0 && share <= 1);
    double rank = share * (count - 1);
    uint32_t low = (uint32_t)rank, high = low + 1 < count ? low + 1 : low;
    assert(high < count);
    return sorted[low] + (sorted[high] - sorted[low]) * (rank - low);
}

static void evaluate_judge(const struct br_prediction *p, const struct br_job_queues *queues,
                           struct br_accuracy *a)
{
    uint32_t wanted = br_queue_of(queues, p->work_ns);
    uint32_t got = br_queue_of(queues, p->estimate.work_ns);
    a->jobs++;
    a->known += p->estimate.known;
    a->over += p->estimate.work_ns > p->work_ns;
    a->under += p->estimate.work_ns < p->work_ns;
    a->right_queue += got == wanted;
    a->too_low += got < wanted;
    a->too_high += got > wanted;
    if (p->estimate.high_ns > p->estimate.low_ns) {
        a->intervals++;
        a->below += p->work_ns < p->estimate.low_ns;
        a->above += p->work_ns > p->estimate.high_ns;
    }
}

/* Counts become shares. */
static void evaluate_divide(struct br_accuracy *a)
{
    double *of_jobs[] = {&a->over,    &a->under,    &a->right_queue,
                         &a->too_low, &a->too_high, &a->mean_error};
    assert(a->right_queue + a->too_low + a->too_high == a->jobs);
    for (size_t k = 0; k < sizeof of_jobs / sizeof *of_jobs; k++)
        *of_jobs[k] = a->jobs ? *of_jobs[k] / a->jobs : NAN;
    a->below = a->intervals ? a->below / a->intervals : NAN;
    a->above = a->intervals ? a->above / a->intervals : NAN;
    a->inside = a->intervals ? 1 - a->below - a->above : NAN;
}

enum br_status br_accuracy_of(const struct br_evaluation *evaluation,
                              const struct br_job_queues *queues, struct br_accuracy *accuracy,
                              struct br_diag *diag)
{
    double *error = malloc(2 * ((size_t)evaluation->count + 1) * sizeof *error);
    *accuracy = (struct br_accuracy){0};
    if (!error)
        return br_fail_memory(diag);
    double *width = error + evaluation->count + 1, tasks = 0;
    for (uint32_t k = 0; k < evaluation->count; k++) {
        const struct br_prediction *p = &evaluation->prediction[k];
        if (!(p->work_ns > 0))
            continue;
        error[accuracy->jobs] = fabs(p->estimate.work_ns - p->work_ns) / p->work_ns;
        accuracy->mean_error += error[accuracy->jobs];
        if (p->estimate.high_ns > p->estimate.low_ns)
            width[accuracy->intervals] =
                p->estimate.low_ns > 0 ? p->estimate.high_ns / p->estimate.low_ns : INFINITY;
        accuracy->pilots += p->pilots;
        tasks += p->tasks;
        evaluate_judge(p, queues, accuracy);
    }
    assert(accuracy->intervals <= accuracy->jobs && accuracy->jobs <= evaluation->count);
    qsort(error, accuracy->jobs, sizeof *error, evaluate_compare);
    qsort(width, accuracy->intervals, sizeof *width, evaluate_compare);
    accuracy->p25_error = evaluate_percentile(error, accuracy->jobs, 0.25);
    accuracy->p50_error = evaluate_percentile(error, accuracy->jobs, 0.5);
    accuracy->p75_error = evaluate_percentile(error, accuracy->jobs, 0.75);
    accuracy->p90_error = evaluate_percentile(error, accuracy->jobs, 0.9);
    accuracy->p99_error = evaluate_percentile(error, accuracy->jobs, 0.99);
    accuracy->width = evaluate_percentile(width, accuracy->intervals, 0.5);
    accuracy->pilots = tasks > 0 ? accuracy->pilots / tasks : NAN;
    evaluate_divide(accuracy);
    free(error);
    return BR_OK;
}
