/* Variations as a table for people, and as CSV with a row for each window and job. */
#include "cluster/predict/report/variations.h"

#include <inttypes.h>
#include <math.h>

#include "emit/write/figures.h"
#include "emit/write/write.h"

struct variation_row {
    const struct br_variations *all;
    const struct br_variation *of;
    const struct br_job_variation *job;
};
#define VARIATION_FIGURES(FIGURE, LINE)                                                            \
    FIGURE(window, row->of->window_s)                                                              \
    FIGURE(job, row->all->workload->job[row->job->number - row->all->first].id)                    \
    FIGURE(tasks, row->job->tasks)                                                                 \
    FIGURE(space, row->job->space)                                                                 \
    FIGURE(sampled, row->job->sampled)                                                             \
    FIGURE(time, row->job->time)
BR_FIGURES(variation_figures, struct variation_row, VARIATION_FIGURES);

static enum br_status variations_write_csv(const struct br_variations *all, FILE *out,
                                           struct br_diag *diag)
{
    (void)diag;
    br_write_figures_head(out, "", &variation_figures, "\n");
    for (uint32_t w = 0; w < all->windows; w++) {
        const struct br_variation *of = &all->variation[w];
        for (uint32_t k = 0; k < of->count && !ferror(out); k++) {
            const struct variation_row row = {all, of, &of->job[k]};
            br_write_figures_row(out, "", &variation_figures, &row, "\n");
        }
    }
    return BR_OK;
}

static void variations_write_number(FILE *out, double value)
{
    if (isfinite(value))
        fprintf(out, value < 1000 ? "%10.2f" : "%10.3g", value);
    else
        fprintf(out, "%10s", isnan(value) ? "-" : "any");
}

static void variations_write_line(FILE *out, const char *name, uint32_t jobs, double p50,
                                  double p90)
{
    fprintf(out, "%-34s%8" PRIu32, name, jobs);
    variations_write_number(out, p50);
    variations_write_number(out, p90);
}

static enum br_status variations_write_window(const struct br_variation *of, FILE *out,
                                              struct br_diag *diag)
{
    struct br_variation_summary sum;
    char name[64] = "over time, all of the history";
    enum br_status status = br_variation_sum(of, &sum, diag);
    if (status)
        return status;
    if (isinf(of->window_s)) {
        variations_write_line(out, "over space", sum.space_jobs, sum.space_p50, sum.space_p90);
        putc('\n', out);
        variations_write_line(out, "over space, mean of 3 % of tasks", sum.space_jobs,
                              sum.sampled_p50, sum.sampled_p90);
        putc('\n', out);
    } else {
        snprintf(name, sizeof name, "over time, last %.6g s", of->window_s);
    }
    variations_write_line(out, name, sum.time_jobs, sum.time_p50, sum.time_p90);
    if (isnan(sum.above))
        fprintf(out, "%10s", "-");
    else
        fprintf(out, "%9.1f%%", 100 * sum.above);
    variations_write_number(out, sum.ratio_p70);
    putc('\n', out);
    return BR_OK;
}

static enum br_status variations_write_text(const struct br_variations *all, FILE *out,
                                            struct br_diag *diag)
{
    enum br_status status = BR_OK;
    fprintf(out, "jobs       %" PRIu32 "\nfeatures   ", all->variation->count);
    for (uint32_t f = 0; f < all->features; f++) {
        fputs(f ? ", " : "", out);
        br_write_text(out, BR_QUOTE_TABS, all->feature[f]);
    }
    fprintf(out, "%s\n\n%-34s%8s%10s%10s%10s%10s\n", all->features ? "" : "none",
            "coefficient of variation", "jobs", "50%", "90%", "above", "times");
    for (uint32_t w = 0; w < all->windows && !status; w++)
        status = variations_write_window(&all->variation[w], out, diag);
    fputs("\nover space: of the tasks of a job; over time: of the mean durations of earlier jobs "
          "with "
          "the same value\nof the feature for which it is least; above: jobs that vary more over "
          "time "
          "than over space by 3 % of\ntheir tasks; times: so many times as much, or more, in three "
          "of ten jobs\n",
          out);
    return status;
}

static const struct {
    struct br_named named;
    enum br_status (*write)(const struct br_variations *all, FILE *out, struct br_diag *diag);
} formats[] = {
    {{"text", "a table for people (the default)"}, variations_write_text},
    {{"csv", "a row for each window and job"}, variations_write_csv},
};

const struct br_names br_variations_formats = {BR_NAMES(formats)};

enum br_status br_emit_variations(const char *format, const struct br_variations *variations,
                                  FILE *out, struct br_diag *diag)
{
    uint32_t k = br_named_find(&br_variations_formats, format);
    if (k == BR_NO_ROW)
        return br_fail_unnamed(diag, &br_variations_formats, format, SIZE_MAX,
                               "--variation has no output '%.100s'", format);
    enum br_status status = formats[k].write(variations, out, diag);
    return status ? status : br_write_finish(out, diag);
}
