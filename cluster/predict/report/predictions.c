/* Predictions as a table for people, as JSON (docs/schema/prediction-1.schema.json), and as CSV
 * with a row for each job and predictor. */
#include "cluster/predict/report/predictions.h"

#include <inttypes.h>
#include <math.h>

#include "cluster/predict/report/predictions_outputs.h"
#include "emit/write/figures.h"
#include "emit/write/write.h"

/* ---- For programs ---- */

#define PREDICTOR_FIGURES(FIGURE, LINE)                                                            \
    FIGURE(predictor, row->predictor)                                                              \
    FIGURE(seed, row->seed)                                                                        \
    FIGURE(jobs, row->accuracy.jobs)                                                               \
    FIGURE(known, row->accuracy.known)                                                             \
    LINE(mean_error, row->accuracy.mean_error)                                                     \
    FIGURE(p25_error, row->accuracy.p25_error)                                                     \
    FIGURE(p50_error, row->accuracy.p50_error)                                                     \
    FIGURE(p75_error, row->accuracy.p75_error)                                                     \
    FIGURE(p90_error, row->accuracy.p90_error)                                                     \
    FIGURE(p99_error, row->accuracy.p99_error)                                                     \
    LINE(over, row->accuracy.over)                                                                 \
    FIGURE(under, row->accuracy.under)                                                             \
    FIGURE(right_queue, row->accuracy.right_queue)                                                 \
    FIGURE(too_low, row->accuracy.too_low)                                                         \
    FIGURE(too_high, row->accuracy.too_high)                                                       \
    FIGURE(inside, row->accuracy.inside)                                                           \
    LINE(below, row->accuracy.below)                                                               \
    FIGURE(above, row->accuracy.above)                                                             \
    FIGURE(width, row->accuracy.width)                                                             \
    FIGURE(pilots, row->accuracy.pilots)
BR_FIGURES(predictor_figures, struct br_predictions_run, PREDICTOR_FIGURES);
#define CALIBRATION_FIGURES(FIGURE, LINE)                                                          \
    FIGURE(interval, row->interval)                                                                \
    FIGURE(inside, row->inside)
BR_FIGURES(calibration_figures, struct br_calibration, CALIBRATION_FIGURES);

static enum br_status predictions_write_json(const struct br_predictions *p, FILE *out,
                                             struct br_diag *diag)
{
    fputs("{\"format\": \"bigrocks-prediction/1\"", out);
    if (p->workload->name)
        br_write_text_key(out, ",\n ", "workload", p->workload->name);
    br_write_figure_key(out, ",\n ", "interval", p->interval);
    fputs(",\n \"features\": [", out);
    for (uint32_t f = 0; f < p->features; f++) {
        fputs(f ? ", \"" : "\"", out);
        br_write_text(out, BR_QUOTE_JSON, p->feature[f]);
        putc('"', out);
    }
    fputs("],\n \"results\": [", out);
    for (uint32_t r = 0; r < p->runs; r++) {
        const struct br_predictions_run *run = &p->run[r];
        br_write_figures_keys(out, r ? ",\n  {" : "\n  {", &predictor_figures, run, "");
        fputs(",\n   \"calibration\": [", out);
        for (int c = 0; c < BR_CALIBRATIONS; c++) {
            br_write_figures_keys(out, c ? ", {" : "{", &calibration_figures, &run->calibration[c],
                                  "}");
        }
        fputs("]}", out);
    }
    fputs("]}\n", out);
    return BR_OK;
}

/* A job and what a predictor said of it. */
struct prediction_row {
    const struct br_predictions *all;
    const struct br_predictions_run *run;
    const struct br_prediction *of;
    double work_ns, said_ns;
    bool told; /* it gave an interval */
};
#define PREDICTION_FIGURES(FIGURE, LINE)                                                           \
    FIGURE(predictor, row->run->predictor)                                                         \
    FIGURE(seed, row->run->seed)                                                                   \
    FIGURE(job, row->all->workload->job[row->of->number - row->all->first].id)                     \
    FIGURE(tasks, row->of->tasks)                                                                  \
    FIGURE(pilots, row->of->pilots)                                                                \
    FIGURE(work, row->work_ns / 1e9)                                                               \
    FIGURE(estimate, row->said_ns / 1e9)                                                           \
    FIGURE(low, row->told ? row->of->estimate.low_ns / 1e9 : NAN)                                  \
    FIGURE(high, row->told ? row->of->estimate.high_ns / 1e9 : NAN)                                \
    FIGURE(error, row->work_ns > 0 ? (row->said_ns - row->work_ns) / row->work_ns : NAN)           \
    FIGURE(queue, br_queue_of(row->all->queues, row->work_ns))                                     \
    FIGURE(predicted_queue, br_queue_of(row->all->queues, row->said_ns))
BR_FIGURES(prediction_figures, struct prediction_row, PREDICTION_FIGURES);

static enum br_status predictions_write_csv(const struct br_predictions *p, FILE *out,
                                            struct br_diag *diag)
{
    br_write_figures_head(out, "", &prediction_figures, "\n");
    for (uint32_t r = 0; r < p->runs; r++) {
        const struct br_predictions_run *run = &p->run[r];
        for (uint32_t k = 0; k < run->evaluation->count && !ferror(out); k++) {
            const struct br_prediction *of = &run->evaluation->prediction[k];
            const struct br_estimate *estimate = &of->estimate;
            struct prediction_row row = {
                p, run, of, of->work_ns, estimate->work_ns, estimate->high_ns > estimate->low_ns};
            br_write_figures_row(out, "", &prediction_figures, &row, "\n");
        }
    }
    return BR_OK;
}

/* ---- For people ---- */

static void write_percent(FILE *out, double value)
{
    if (isnan(value))
        fprintf(out, "%10s", "-");
    else
        fprintf(out, fabs(value) < 99.995 ? "%9.2f%%" : "%9.3g%%", 100 * value);
}

static enum br_status predictions_write_text(const struct br_predictions *p, FILE *out,
                                             struct br_diag *diag)
{
    uint32_t seeds = 0;
    for (uint32_t r = 0; r < p->runs; r++)
        seeds |= p->run[r].seed != p->run[0].seed;
    fprintf(out, "jobs       %" PRIu32 " predicted, in order of arrival\n",
            p->runs ? p->run[0].accuracy.jobs : 0);
    fputs("features   ", out);
    for (uint32_t f = 0; f < p->features; f++) {
        fputs(f ? ", " : "", out);
        br_write_text(out, BR_QUOTE_TABS, p->feature[f]);
    }
    fprintf(out, "%s\n\n%-22s%s%10s%10s%10s%10s%10s%10s%10s\n", p->features ? "" : "none",
            "predictor", seeds ? "  seed" : "", "error 50%", "90%", "mean", "queue", "inside",
            "width", "pilots");
    for (uint32_t r = 0; r < p->runs; r++) {
        const struct br_predictions_run *run = &p->run[r];
        fprintf(out, "%-22s", run->predictor);
        if (seeds)
            fprintf(out, "%6" PRIu64, run->seed);
        write_percent(out, run->accuracy.p50_error);
        write_percent(out, run->accuracy.p90_error);
        write_percent(out, run->accuracy.mean_error);
        write_percent(out, run->accuracy.right_queue);
        write_percent(out, run->accuracy.inside);
        if (isnan(run->accuracy.width))
            fprintf(out, "%10s", "-");
        else
            fprintf(out, "%10.3g", run->accuracy.width);
        write_percent(out, run->accuracy.pilots);
        putc('\n', out);
    }
    fprintf(out,
            "\nerror: of the job's work; queue: jobs in the right one of %" PRIu32
            "; inside: truths in intervals of %g%%;\nwidth: upper over lower end, in the median; "
            "pilots: share of the tasks that were measured first\n",
            p->queues->count, 100 * p->interval);
    return BR_OK;
}

static const struct {
    struct br_named named;
    enum br_status (*write)(const struct br_predictions *p, FILE *out, struct br_diag *diag);
} formats[] = {
    {{"text", "a table for people, predictor against predictor (the default)"},
     predictions_write_text},
    {{"csv", "a row for each job and predictor"}, predictions_write_csv},
    {{"json", "all figures, for other programs"}, predictions_write_json},
    {{"svg", "pictures: how errors are distributed, and what intervals hold"}, br_predictions_svg},
};

const struct br_names br_predictions_formats = {BR_NAMES(formats)};

enum br_status br_emit_predictions(const char *format, const struct br_predictions *predictions,
                                   FILE *out, struct br_diag *diag)
{
    uint32_t k = br_named_find(&br_predictions_formats, format);
    if (k == BR_NO_ROW)
        return br_fail_unnamed(diag, &br_predictions_formats, format, SIZE_MAX,
                               "predictions have no output '%.100s'", format);
    enum br_status status = formats[k].write(predictions, out, diag);
    return status ? status : br_write_finish(out, diag);
}
