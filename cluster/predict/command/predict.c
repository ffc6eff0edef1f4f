/* bigrocks predict: measures how good predictors are on the jobs of a workload. */
#include "cluster/predict/cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/real.h"
#include "base/process/parallel.h"
#include "cli/inputs/load.h"
#include "cli/options/commands.h"
#include "cli/options/options.h"
#include "cli/output/output.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/say.h"
#include "cluster/predict/report/predictions.h"
#include "cluster/predict/report/variations.h"
#include "cluster/workload/command/record_options.h"
#include "cluster/workload/command/workloads.h"

enum { PREDICTORS_MOST = 100, WINDOWS_MOST = 20 };

static const double promises[BR_CALIBRATIONS] = {0.5, 0.8, 0.9, 0.95};

struct request {
    struct br_cases cases;
    struct br_job_queues queues;
    double interval;
    uint32_t predictors, seeds;
    uint64_t seed;
    char *name[PREDICTORS_MOST];
    const struct br_predictor_row *row[PREDICTORS_MOST];
    double number[PREDICTORS_MOST];
    const struct br_stop *stop;
    /* By predictor and seed: */
    struct br_evaluation *evaluation;
    struct br_predictions_run *run;
    enum br_status *status;
    struct br_diag *diag;
};

/* ---- Options ---- */

static enum br_status read_predictors(const char *list, struct request *request,
                                      struct br_diag *diag)
{
    enum br_status status = BR_OK;
    struct br_list_entry entry;
    while (!status && br_list_next(BR_LIST_WORD, &list, &entry)) {
        uint32_t k = request->predictors;
        assert(k < PREDICTORS_MOST);
        request->name[k] = strndup(entry.name, entry.length);
        if (!request->name[k])
            return br_fail_memory(diag);
        request->predictors++;
        status = br_predictor_find(request->name[k], &request->row[k], &request->number[k], diag);
    }
    return status;
}

static enum br_status predict_read_options(const struct cli_predict_settings *settings,
                                           struct request *request, struct br_diag *diag)
{
    if (settings->windows && !settings->variation)
        return br_fail(diag, BR_USAGE, "add --variation", "--windows is about --variation");
    if (settings->variation && settings->predictors)
        return br_fail(diag, BR_USAGE, "leave out one of them",
                       "--variation and --predictor exclude each other");
    static const char all[] = "point,3sigma,slearn,posterior";
    request->queues = br_queues_default();
    request->interval = 0.8;
    request->seed = settings->seed;
    request->seeds = (uint32_t)settings->seeds;
    enum br_status status =
        read_predictors(settings->predictors ? settings->predictors : all, request, diag);
    br_option_take(settings->interval, &request->interval);
    return status;
}

static enum br_status predict_read_workload(const struct cli_settings *settings, const char *path,
                                            struct br_workload **workload, struct br_diag *diag)
{
    struct br_workload_options options = cli_workload_options(settings);
    enum br_status status = br_parse_workload(path, &options, workload, diag);
    /* Predictors never see the jobs' declarations. */
    if (!status && (*workload)->note && !(*workload)->note_is_of_declared &&
        !settings->output.quiet)
        cli_say("%s: %s", path, (*workload)->note);
    return status;
}

static enum br_status make_cases(const struct cli_settings *settings,
                                 const struct br_workload *workload, struct br_cases *cases,
                                 struct br_diag *diag)
{
    const struct cli_predict_settings *predict = &settings->predict;
    const struct br_cases_options options = {predict->features, (uint32_t)predict->wide,
                                             predict->widest ? (uint32_t)predict->widest
                                                             : UINT32_MAX,
                                             predict->from_ns < 0 ? 0 : predict->from_ns};
    struct br_workload *history = NULL;
    enum br_status status =
        predict->before ? predict_read_workload(settings, predict->before, &history, diag) : BR_OK;
    br_diag_file(diag, NULL);
    if (!status)
        status = br_cases_make(workload, history, &options, cases, diag);
    br_workload_destroy(history);
    return status;
}

/* ---- Runs ---- */

static enum br_status calibrate(struct request *request, struct br_evaluate_options options,
                                struct br_predictions_run *run, struct br_diag *diag)
{
    enum br_status status = BR_OK;
    for (int c = 0; c < BR_CALIBRATIONS && !status; c++) {
        struct br_evaluation evaluation;
        struct br_accuracy accuracy;
        run->calibration[c] = (struct br_calibration){promises[c], NAN};
        if (!run->accuracy.intervals)
            continue;
        options.setup.interval = promises[c];
        status =
            br_evaluate(request->cases.item, request->cases.count, &options, &evaluation, diag);
        if (!status)
            status = br_accuracy_of(&evaluation, &request->queues, &accuracy, diag);
        if (!status)
            run->calibration[c].inside = accuracy.inside;
        br_evaluation_finish(&evaluation);
    }
    return status;
}

static bool predict_run_one(void *context, uint32_t worker, uint32_t k)
{
    struct request *request = context;
    uint32_t predictor = k / request->seeds;
    struct br_evaluate_options options = {.row = request->row[predictor],
                                          .setup =
                                              br_predict_setup_default(request->cases.features),
                                          .seed = request->seed + k % request->seeds,
                                          .stop = request->stop};
    struct br_predictions_run *run = &request->run[k];
    struct br_diag *diag = &request->diag[k];
    options.setup.interval = request->interval;
    options.setup.number = request->number[predictor];
    enum br_status status = br_evaluate(request->cases.item, request->cases.count, &options,
                                        &request->evaluation[k], diag);
    *run = (struct br_predictions_run){.predictor = request->name[predictor],
                                       .seed = options.seed,
                                       .evaluation = &request->evaluation[k]};
    if (!status)
        status = br_accuracy_of(run->evaluation, &request->queues, &run->accuracy, diag);
    if (!status)
        status = calibrate(request, options, run, diag);
    request->status[k] = status;
    return !status && !br_stopped(request->stop);
}

static enum br_status predict_run_all(struct request *request, uint32_t threads,
                                      struct br_diag *diag)
{
    uint32_t runs = request->predictors * request->seeds;
    request->evaluation = calloc(runs, sizeof *request->evaluation);
    request->run = calloc(runs, sizeof *request->run);
    request->status = calloc(runs, sizeof *request->status);
    request->diag = calloc(runs, sizeof *request->diag);
    if (!request->evaluation || !request->run || !request->status || !request->diag)
        return br_fail_memory(diag);
    br_parallel(threads, runs, predict_run_one, request);
    for (uint32_t k = 0; k < runs; k++)
        if (request->status[k]) {
            *diag = request->diag[k];
            return request->status[k];
        }
    return BR_OK;
}

static void predict_finish(struct request *request)
{
    for (uint32_t k = 0; request->evaluation && k < request->predictors * request->seeds; k++)
        br_evaluation_finish(&request->evaluation[k]);
    for (uint32_t k = 0; k < request->predictors; k++)
        free(request->name[k]);
    free(request->evaluation);
    free(request->run);
    free(request->status);
    free(request->diag);
    br_cases_finish(&request->cases);
}

/* ---- The command ---- */

static enum br_status predict_write(const struct cli_settings *settings,
                                    const struct request *request,
                                    const struct br_workload *workload, struct br_diag *diag)
{
    const char *name[BR_FEATURES_MOST];
    for (uint32_t f = 0; f < request->cases.features; f++)
        name[f] = request->cases.feature[f].name;
    const struct br_predictions predictions = {.workload = workload,
                                               .first = request->cases.history,
                                               .interval = request->interval,
                                               .queues = &request->queues,
                                               .features = request->cases.features,
                                               .feature = name,
                                               .runs = request->predictors * request->seeds,
                                               .run = request->run};
    const struct cli_output_settings *output = &settings->output;
    const char *format = output->format ? output->format
                         : output->path ? cli_format_of(output->path, &br_predictions_formats)
                                        : NULL;
    struct cli_output out;
    enum br_status status = cli_output_open_format(&out, output, format, diag);
    if (status)
        return status;
    status = br_emit_predictions(format ? format : "text", &predictions, out.file, diag);
    return cli_output_close(&out, status, diag);
}

/* Writes how durations vary, over all of the history and over each window of it. */
static enum br_status predict_vary(const struct cli_settings *settings,
                                   const struct br_workload *workload, const struct br_cases *cases,
                                   struct br_diag *diag)
{
    const struct cli_output_settings *output = &settings->output;
    const char *windows = settings->predict.windows, *name[BR_FEATURES_MOST];
    struct br_variation variation[WINDOWS_MOST + 1] = {0};
    struct br_list_entry entry;
    struct cli_output out;
    for (uint32_t f = 0; f < cases->features; f++)
        name[f] = cases->feature[f].name;
    struct br_variations all = {workload, cases->history, cases->features, name, 1, variation};
    enum br_status status = br_variation_make(cases, INFINITY, variation, diag);
    while (!status && windows && br_list_next(BR_LIST_NUMBER, &windows, &entry))
        status = br_variation_make(cases, entry.value, &variation[all.windows++], diag);
    if (!status && !variation->count)
        status = br_fail(diag, BR_BAD_INPUT, "--wide 1 looks at jobs of any width",
                         "no job of the workload has that many tasks");
    const char *format = output->format ? output->format
                         : output->path ? cli_format_of(output->path, &br_variations_formats)
                                        : NULL;
    if (!status && format && br_named_find(&br_variations_formats, format) == BR_NO_ROW)
        status = br_fail_unnamed(diag, &br_variations_formats, format, SIZE_MAX,
                                 "--variation has no output '%.100s'", format);
    if (!status)
        status = cli_output_open_format(&out, output, format, diag);
    if (!status)
        status = cli_output_close(
            &out, br_emit_variations(format ? format : "text", &all, out.file, diag), diag);
    for (uint32_t k = 0; k <= WINDOWS_MOST; k++)
        br_variation_finish(&variation[k]);
    return status;
}

static int predict_perform(const struct cli_settings *settings, const char *const *argument,
                           uint32_t arguments, struct br_diag *diag)
{
    struct request *request = calloc(1, sizeof *request);
    struct br_workload *workload = NULL;
    if (!request)
        return br_fail_memory(diag);
    enum br_status status = predict_read_options(&settings->predict, request, diag);
    if (!status)
        status = predict_read_workload(settings, argument[0], &workload, diag);
    if (!status)
        status = make_cases(settings, workload, &request->cases, diag);
    if (!status && settings->predict.variation) {
        status = predict_vary(settings, workload, &request->cases, diag);
        goto done;
    }
    if (!status) {
        uint32_t threads = cli_threads(&settings->search);
        request->stop = cli_interrupt_catch();
        status = predict_run_all(request, threads, diag);
        if (cli_interrupted())
            cli_interrupt_die(); /* half of the predictions say nothing */
        cli_interrupt_release();
    }
    if (!status && !request->run[0].accuracy.jobs)
        status = br_fail(diag, BR_BAD_INPUT, "--wide 1 predicts jobs of any width",
                         "no job of the workload is to be predicted");
    if (!status)
        status = predict_write(settings, request, workload, diag);
done:
    br_workload_destroy(workload);
    predict_finish(request);
    free(request);
    return status;
}

static const struct br_option predict_rows[] = {
    OPTION(LIST, "predictor", "P,...", predict.predictors,
           "the predictors to compare, such as 3sigma,slearn=0.05,posterior (default: "
           "point,3sigma,slearn,posterior; see docs/predict.md)",
           .list = BR_LIST_WORD, .most = PREDICTORS_MOST, .example = "3sigma,posterior",
           .rows = &br_predictors),
    OPTION(LIST, "features", "F,...", predict.features,
           "the features of jobs: columns of the workload, and group, job, hour, size (default: "
           "all columns, and group if there are several; without columns job)",
           .list = BR_LIST_WORD, .most = BR_FEATURES_MOST, .example = "group,hour"),
    OPTION(COUNT, "widest", "N", predict.widest,
           "predict jobs of at most N tasks (default: of any number)", .least = 1,
           .most = BR_MAX_TASKS),
    OPTION(SECONDS, "from-time", "S", predict.from_ns,
           "predict jobs that arrive S seconds after time 0 or later"),
    OPTION(REAL, "interval", "X", predict.interval,
           "the share of truths that intervals are to hold (default: 0.8)", .low = 0.01,
           .high = 0.999, .example = "0.8"),
    OPTION(FLAG, "variation", NULL, predict.variation,
           "print how much durations vary over time, between similar jobs, and over space, within "
           "jobs, in place of predictions (text or csv)"),
    OPTION(
        LIST, "windows", "S,...", predict.windows,
        "with --variation, also over histories of the last S seconds, such as three days: 259200",
        .list = BR_LIST_NUMBER, .most = WINDOWS_MOST, .low = 0, .high = 1e9, .above = true,
        .example = "259200,604800"),
    OPTION(COUNT, "seed", "N", predict.seed, "seed of the choice of pilots (default: 1)",
           .most = UINT64_MAX),
    OPTION(COUNT, "seeds", "N", predict.seeds,
           "run every predictor N times, with seeds from --seed on (default: 1)", .least = 1,
           .most = 1000),
    OPTION(NAME, "format", "FORMAT", output.format, "what to write", .letter = 'f',
           .rows = &br_predictions_formats),
    OPTIONS_END};

static void predict_set_defaults(struct cli_settings *settings)
{
    settings->predict.seed = 1;
    settings->predict.seeds = 1;
    settings->predict.wide = 3;
    settings->predict.from_ns = -1;
}

const struct cli_command cli_predict = {
    .name = "predict",
    .bit = CLI_PREDICT,
    .options = predict_rows,
    .set_defaults = predict_set_defaults,
    .least = 1,
    .most = 1,
    .perform = predict_perform,
    .arguments = "WORKLOAD",
    .summary = "measure how well predictors foresee the work of jobs",
    .text = "Lets predictors foresee the work of each job, the sum of the durations of its\n"
            "tasks, as it arrives: from the jobs that have ended before, by their features\n"
            "(user, name, or whatever columns the workload has), and from pilots, a few of its\n"
            "own tasks that are measured first. Prints errors, the share of jobs in the right\n"
            "one of ten queues, and the share of truths that intervals hold. Jobs of fewer than\n"
            "--wide tasks are learned from, not predicted.\n",
    .examples = "bigrocks predict jobs.csv --predictor 3sigma,slearn,posterior\n"
                "bigrocks predict jobs.csv --predictor slearn=0.01,slearn=0.1 --seeds 5 -f json\n"
                "bigrocks predict today.csv --before month.csv --predictor posterior -o p.svg\n"
                "bigrocks predict month.csv --variation --windows 259200,604800\n",
};
