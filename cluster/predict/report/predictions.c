/* Predictions as a table for people, as JSON (docs/schema/prediction-1.schema.json), and as CSV
 * with a row for each job and predictor. */
#include "cluster/predict/report/predictions.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cluster/predict/report/predictions_outputs.h"
#include "emit/write/figures.h"
#include "emit/write/write.h"

/* Figures of a run in the order in which they are written. */
#define FIGURE(name)                                                                               \
    {                                                                                              \
#name, offsetof(struct br_accuracy, name)                                                  \
    }
static const struct {
    const char *name;
    size_t offset;
} figures[] = {
    FIGURE(mean_error),  FIGURE(p25_error), FIGURE(p50_error), FIGURE(p75_error),
    FIGURE(p90_error),   FIGURE(p99_error), FIGURE(over),      FIGURE(under),
    FIGURE(right_queue), FIGURE(too_low),   FIGURE(too_high),  FIGURE(inside),
    FIGURE(below),       FIGURE(above),     FIGURE(width),     FIGURE(pilots),
};
enum { FIGURES = sizeof figures / sizeof *figures };

static double figure_of(const struct br_accuracy *accuracy, uint32_t k)
{
    double value;
    memcpy(&value, (const char *)accuracy + figures[k].offset, sizeof value);
    return value;
}

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
        br_write_text_key(out, r ? ",\n  {" : "\n  {", "predictor", run->predictor);
        fprintf(out, ", \"seed\": %" PRIu64 ", \"jobs\": %" PRIu32 ", \"known\": %" PRIu32,
                run->seed, run->accuracy.jobs, run->accuracy.known);
        for (uint32_t k = 0; k < FIGURES; k++)
            br_write_figure_key(out, k % 6 ? ", " : ",\n   ", figures[k].name,
                                figure_of(&run->accuracy, k));
        fputs(",\n   \"calibration\": [", out);
        for (int c = 0; c < BR_CALIBRATIONS; c++) {
            br_write_figure_key(out, c ? ", {" : "{", "interval", run->calibration[c].interval);
            br_write_figure_key(out, ", ", "inside", run->calibration[c].inside);
            putc('}', out);
        }
        fputs("]}", out);
    }
    fputs("]}\n", out);
    return BR_OK;
}

static void write_field(FILE *out, double value)
{
    putc(',', out);
    br_write_figure(out, value, "");
}

static enum br_status predictions_write_csv(const struct br_predictions *p, FILE *out,
                                            struct br_diag *diag)
{
    fputs("predictor,seed,job,tasks,pilots,work,estimate,low,high,error,queue,predicted_queue\n",
          out);
    for (uint32_t r = 0; r < p->runs; r++) {
        const struct br_predictions_run *run = &p->run[r];
        for (uint32_t k = 0; k < run->evaluation->count && !ferror(out); k++) {
            const struct br_prediction *of = &run->evaluation->prediction[k];
            bool told = of->estimate.high_ns > of->estimate.low_ns;
            putc('"', out);
            br_write_text(out, BR_QUOTE_CSV, run->predictor);
            fprintf(out, "\",%" PRIu64 ",\"", run->seed);
            br_write_text(out, BR_QUOTE_CSV, p->workload->job[of->number - p->first].id);
            fprintf(out, "\",%" PRIu32 ",%" PRIu32, of->tasks, of->pilots);
            write_field(out, of->work_ns / 1e9);
            write_field(out, of->estimate.work_ns / 1e9);
            write_field(out, told ? of->estimate.low_ns / 1e9 : NAN);
            write_field(out, told ? of->estimate.high_ns / 1e9 : NAN);
            write_field(out,
                        of->work_ns > 0 ? (of->estimate.work_ns - of->work_ns) / of->work_ns : NAN);
            fprintf(out, ",%" PRIu32 ",%" PRIu32 "\n", br_queue_of(p->queues, of->work_ns),
                    br_queue_of(p->queues, of->estimate.work_ns));
        }
    }
    return BR_OK;
}

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
