/* The course of a training, and its checkpoints. */
#include "cluster/executors/train/course.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/collections/index.h"

enum br_status br_course_init(struct br_course *course, const struct br_train_options *training,
                              const struct br_course_options *options, struct br_train_jobs jobs,
                              struct br_diag *diag)
{
    *course = (struct br_course){.options = *options};
    enum br_status status = br_trainer_init(&course->trainer, training, jobs, diag);
    if (status)
        return status;
    if (!options->every || !options->trials)
        return br_fail(diag, BR_USAGE, NULL,
                       "a trial takes some sequences, every so many iterations");
    course->best = calloc(course->trainer.model.network.parameters, sizeof *course->best);
    return course->best ? BR_OK : br_fail_memory(diag);
}

void br_course_finish(struct br_course *course)
{
    br_trainer_finish(&course->trainer);
    free(course->row);
    free(course->best);
    *course = (struct br_course){0};
}

bool br_course_done(const struct br_course *course)
{
    return course->trainer.iteration >= course->trainer.options.iterations;
}

/* A trial, and a row with the means since the last one. */
static enum br_status course_add_row(struct br_course *course, struct br_diag *diag)
{
    struct br_trainer *trainer = &course->trainer;
    struct br_course_row *sum = &course->sum;
    double count = (double)sum->iteration;
    assert(sum->iteration > 0);
    struct br_course_row row = {.iteration = trainer->iteration,
                                .trained_s = sum->trained_s / count,
                                .entropy = sum->entropy / count,
                                .decisions = sum->decisions / count,
                                .taught = sum->taught / count};
    enum br_status status = br_trainer_try(trainer, course->options.trials,
                                           course->options.trial_seed, &row.tried_s, diag);
    if (status)
        return status;
    if (!br_grow(&course->row, course->rows, &course->room, sizeof row))
        return br_fail_memory(diag);
    course->row[course->rows++] = row;
    *sum = (struct br_course_row){0};
    if (!course->best_iteration || row.tried_s < course->best_s) {
        course->best_iteration = row.iteration;
        course->best_s = row.tried_s;
        memcpy(course->best, trainer->model.parameter,
               trainer->model.network.parameters * sizeof *course->best);
    }
    return BR_OK;
}

enum br_status br_course_step(struct br_course *course, bool *tried, struct br_diag *diag)
{
    struct br_train_report report;
    enum br_status status = br_trainer_step(&course->trainer, &report, diag);
    *tried = false;
    if (status)
        return status;
    course->sum.iteration++;
    course->sum.trained_s += report.mean_cost_s;
    course->sum.entropy += report.entropy;
    course->sum.decisions += report.decisions;
    course->sum.taught += report.taught;
    if (report.iteration % course->options.every && !br_course_done(course))
        return BR_OK;
    *tried = true;
    return course_add_row(course, diag);
}

void br_course_take_best(struct br_course *course)
{
    struct br_model *model = &course->trainer.model;
    if (!course->best_iteration)
        return;
    assert(course->best_iteration <= course->trainer.iteration);
    memcpy(model->parameter, course->best, model->network.parameters * sizeof *course->best);
    model->iterations = course->best_iteration;
}

/* ---- Checkpoints ---- */

#define MAGIC "br-train"
enum { VERSION = 1 };
#define ORDER_MARK UINT32_C(0x01020304)

struct head {
    char magic[8];
    uint32_t version, order_mark;
    uint64_t size, sum; /* the sum is of all that follows it */
    uint64_t fingerprint, iteration, adam_steps, best_iteration;
    double usual_rate, best_s;
    struct br_course_row since;
    uint32_t parameters, rows;
};
enum { SUMMED_FROM = offsetof(struct head, fingerprint) };

static uint64_t fingerprint(const struct br_course *course)
{
    uint64_t sum = br_train_options_fingerprint(&course->trainer.options);
    sum = br_hash_number(sum ^ course->options.every);
    sum = br_hash_number(sum ^ course->options.trials);
    sum = br_hash_number(sum ^ course->options.trial_seed) ^ course->trainer.asked;
    for (uint32_t k = 0; k < course->trainer.jobs.count; k++) {
        const struct br_waves *waves = course->trainer.jobs.waves[k];
        sum = br_hash_number(sum ^ (uint64_t)waves->work_us);
        sum = br_hash_number(sum ^ waves->tasks);
        if (course->trainer.jobs.deadline_ns)
            sum = br_hash_number(sum ^ (uint64_t)course->trainer.jobs.deadline_ns[k]);
    }
    return sum;
}

/* The arrays behind the head, one after the other. */
struct array {
    void *data;
    size_t size;
};
enum { ARRAYS = 5 };

static void list_arrays(const struct br_course *course, struct array array[ARRAYS])
{
    size_t parameters = course->trainer.model.network.parameters;
    array[0] = (struct array){course->trainer.adam.mean, parameters * sizeof(double)};
    array[1] = (struct array){course->trainer.adam.square, parameters * sizeof(double)};
    array[2] = (struct array){course->row, course->rows * sizeof *course->row};
    array[3] = (struct array){course->trainer.model.parameter, parameters * sizeof(br_weight)};
    array[4] = (struct array){course->best, parameters * sizeof(br_weight)};
}

enum br_status br_course_save(const struct br_course *course, FILE *file, struct br_diag *diag)
{
    const struct br_trainer *trainer = &course->trainer;
    struct array array[ARRAYS];
    struct head head = {.version = VERSION,
                        .order_mark = ORDER_MARK,
                        .size = sizeof head,
                        .fingerprint = fingerprint(course),
                        .iteration = trainer->iteration,
                        .adam_steps = trainer->adam.steps,
                        .best_iteration = course->best_iteration,
                        .usual_rate = trainer->usual_rate,
                        .best_s = course->best_s,
                        .since = course->sum,
                        .parameters = trainer->model.network.parameters,
                        .rows = course->rows};
    memcpy(head.magic, MAGIC, sizeof head.magic);
    list_arrays(course, array);
    for (int k = 0; k < ARRAYS; k++)
        head.size += array[k].size;
    char *bytes = malloc((size_t)head.size), *at = bytes;
    if (!bytes)
        return br_fail_memory(diag);
    memcpy(at, &head, sizeof head);
    at += sizeof head;
    for (int k = 0; k < ARRAYS; at += array[k++].size)
        if (array[k].size)
            memcpy(at, array[k].data, array[k].size);
    assert(at == bytes + head.size);
    head.sum = br_hash_words(VERSION, bytes + SUMMED_FROM, (size_t)head.size - SUMMED_FROM);
    memcpy(bytes, &head, sizeof head);
    bool written = fwrite(bytes, (size_t)head.size, 1, file) == 1;
    free(bytes);
    return written ? BR_OK
                   : br_fail(diag, BR_SYSTEM, NULL, "the checkpoint cannot be written: %s",
                             strerror(errno));
}

static enum br_status course_damaged(struct br_diag *diag, const char *what)
{
    return br_fail(diag, BR_BAD_INPUT, "remove it to train from the start",
                   "the checkpoint cannot be used: %s", what);
}

static enum br_status course_check_head(const struct br_course *course, const struct head *head,
                                        const char *bytes, size_t size, struct br_diag *diag)
{
    uint32_t parameters = course->trainer.model.network.parameters;
    if (size < sizeof *head || memcmp(bytes, MAGIC, sizeof head->magic) != 0 ||
        head->order_mark != ORDER_MARK)
        return course_damaged(diag, "it is none of this machine's");
    if (head->version != VERSION)
        return course_damaged(diag, "it is of another version");
    if (head->size != size ||
        head->sum != br_hash_words(VERSION, bytes + SUMMED_FROM, size - SUMMED_FROM))
        return course_damaged(diag, "it is cut or changed");
    if (head->fingerprint != fingerprint(course))
        return course_damaged(diag, "it is of a training with other options or jobs");
    if (head->parameters != parameters ||
        size != sizeof *head + (uint64_t)head->rows * sizeof *course->row +
                    (uint64_t)parameters * 2 * (sizeof(double) + sizeof(br_weight)))
        return course_damaged(diag, "its size is not what it says");
    return BR_OK;
}

static bool are_finite(const void *numbers, size_t count, double least)
{
    for (size_t k = 0; k < count; k++) {
        double number;
        memcpy(&number, (const char *)numbers + k * sizeof number, sizeof number);
        if (!isfinite(number) || number < least)
            return false;
    }
    return true;
}

static bool are_weights(const char *numbers, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        br_weight number;
        memcpy(&number, numbers + k * sizeof number, sizeof number);
        if (!(fabs((double)number) <= (double)BR_MODEL_LARGEST))
            return false;
    }
    return true;
}

/* Means are of what is never below 0; iterations ascend up to `last`. */
static bool is_row(const struct br_course_row *row, uint64_t after, uint64_t last)
{
    const double numbers[] = {row->trained_s, row->entropy, row->decisions, row->tried_s,
                              row->taught};
    return row->iteration > after && row->iteration <= last &&
           are_finite(numbers, sizeof numbers / sizeof *numbers, -1e-6);
}

/* Numbers that the sum vouches for and no training gives. `body` is what follows the head. */
static enum br_status check_body(const struct br_course *course, const struct head *head,
                                 const char *body, struct br_diag *diag)
{
    const size_t parameters = head->parameters, numbers = parameters * sizeof(double);
    const char *rows = body + 2 * numbers, *weights = rows + head->rows * sizeof *course->row;
    uint64_t before = 0, since = head->since.iteration;
    struct br_course_row sum = head->since;
    sum.iteration = 1;
    bool fits = head->iteration <= course->trainer.options.iterations &&
                head->adam_steps <= head->iteration && head->best_iteration <= head->iteration &&
                since <= head->iteration && is_row(&sum, 0, 1) && isfinite(head->usual_rate) &&
                head->usual_rate >= 0 && isfinite(head->best_s) && head->best_s >= 0;
    for (uint32_t k = 0; fits && k < head->rows; k++) {
        struct br_course_row row;
        memcpy(&row, rows + k * sizeof row, sizeof row);
        fits = is_row(&row, before, head->iteration - since);
        before = row.iteration;
    }
    if (!fits || (head->rows > 0) != (head->best_iteration > 0) ||
        before != head->iteration - since)
        return course_damaged(diag, "a number of its head or of its curve is out of its range");
    if (!are_finite(body, parameters, -INFINITY) || !are_finite(body + numbers, parameters, 0))
        return course_damaged(diag, "a number of the steps is out of its range");
    if (!are_weights(weights, 2 * parameters))
        return course_damaged(diag, "a weight is no number, or out of its range");
    return BR_OK;
}

enum br_status br_course_load(struct br_course *course, const void *bytes, size_t size,
                              struct br_diag *diag)
{
    struct br_trainer *trainer = &course->trainer;
    struct array array[ARRAYS];
    struct head head = {0};
    memcpy(&head, bytes, size < sizeof head ? size : sizeof head);
    enum br_status status = course_check_head(course, &head, bytes, size, diag);
    if (!status)
        status = check_body(course, &head, (const char *)bytes + sizeof head, diag);
    if (status)
        return status;
    while (course->room < head.rows)
        if (!br_grow(&course->row, course->room, &course->room, sizeof *course->row))
            return br_fail_memory(diag);
    course->rows = head.rows;
    list_arrays(course, array);
    const char *at = (const char *)bytes + sizeof head;
    for (int k = 0; k < ARRAYS; at += array[k++].size)
        if (array[k].size)
            memcpy(array[k].data, at, array[k].size);
    assert(at == (const char *)bytes + size);
    trainer->iteration = trainer->model.iterations = head.iteration;
    trainer->adam.steps = head.adam_steps;
    trainer->usual_rate = head.usual_rate;
    course->best_iteration = head.best_iteration;
    course->best_s = head.best_s;
    course->sum = head.since;
    return BR_OK;
}
