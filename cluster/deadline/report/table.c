/* Rows for other programs, and the choice of the form. Times are exact decimals of seconds. */
#include "cluster/deadline/report/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "emit/write/figures.h"
#include "emit/write/write.h"
#include "runtime/deadline/amdahl.h"

static const struct br_named formats[] = {
    {"text", "a table for people (the default)"},
    {"csv", "a row for each order, allocation and progress"},
    {"json", "all of it, for other programs"},
    {"svg", "a picture: time left against progress, a line for an allocation (--show)"},
};

const struct br_names br_table_formats = {BR_NAMES(formats)};

/* The progress of a cell's numbers: exactly between two cells there is no weight. */
static struct br_table_place deadline_table_place_of(uint32_t cell)
{
    return (struct br_table_place){.low = cell, .high = cell};
}

static void deadline_table_write_csv(const struct br_deadline_table *table, FILE *out)
{
    fputs("order,allocation,progress,start,mean_s", out);
    for (uint32_t k = 0; k < table->quantiles; k++) {
        fputs(",q", out);
        br_write_figure(out, table->level[k], "null");
    }
    putc('\n', out);
    for (uint32_t layer = 0; layer < table->layers; layer++)
        for (uint32_t a = 0; a < table->allocations; a++)
            for (uint32_t c = 0; c < table->cells; c++) {
                fprintf(out, "%s,%" PRIu32 ",", br_order_name(layer), table->allocation[a]);
                br_write_figure(out, table->at[c], "null");
                fprintf(out, ",%d,", c == 0);
                br_write_seconds(out,
                                 br_table_mean_ns(table, layer, deadline_table_place_of(c), a));
                for (uint32_t k = 0; k < table->quantiles; k++) {
                    putc(',', out);
                    br_write_seconds(out,
                                     br_table_quantile_ns(table, layer, deadline_table_place_of(c),
                                                          a, table->level[k]));
                }
                putc('\n', out);
            }
}

static void json_head(const struct br_deadline_table *table, FILE *out)
{
    fputs("{\n  \"format\": \"bigrocks-deadline/1\"", out);
    br_write_text_key(out, ",\n  ", "job", table->job);
    br_write_text_key(out, ",\n  ", "cluster", table->cluster);
    br_write_text_key(out, ",\n  ", "allocations", br_allocation_name(table->kind));
    br_write_text_key(out, ",\n  ", "indicator", br_named_name(&br_indicators, table->indicator));
    fprintf(out, ",\n  \"runs\": %" PRIu32 ",\n  \"seed\": %" PRIu64 ",\n", table->runs,
            table->seed);
}

struct deadline_stage_row {
    uint32_t tasks;
    const struct br_progress_weight *weight;
    const struct br_table_stage *stage;
};
#define DEADLINE_STAGE_FIGURES(FIGURE, LINE)                                                       \
    FIGURE(tasks, row->tasks)                                                                      \
    FIGURE(begin, row->weight->begin)                                                              \
    FIGURE(span, row->weight->span)                                                                \
    FIGURE(longest_s, row->stage->longest_s)                                                       \
    FIGURE(behind_s, row->stage->behind_s)                                                         \
    FIGURE(work_s, row->stage->work_s)
BR_FIGURES(deadline_stage_figures, struct deadline_stage_row, DEADLINE_STAGE_FIGURES);

static void json_stages(const struct br_deadline_table *table, FILE *out)
{
    fputs("  \"stages\": [", out);
    for (uint32_t s = 0; s < table->stages; s++) {
        struct deadline_stage_row row = {table->tasks[s], &table->weight[s], &table->stage[s]};
        br_write_figures_keys(out, s ? ",\n    {" : "\n    {", &deadline_stage_figures, &row, "}");
    }
    fputs("\n  ],\n", out);
}

static void json_cell(const struct br_deadline_table *table, uint32_t layer, uint32_t a, uint32_t c,
                      FILE *out)
{
    fputs(c ? ",\n      {\"progress\": " : "\n      {\"progress\": ", out);
    br_write_figure(out, table->at[c], "null");
    fputs(", \"mean_s\": ", out);
    br_write_seconds(out, br_table_mean_ns(table, layer, deadline_table_place_of(c), a));
    fputs(", \"quantiles_s\": [", out);
    for (uint32_t k = 0; k < table->quantiles; k++) {
        fputs(k ? ", " : "", out);
        br_write_seconds(out, br_table_quantile_ns(table, layer, deadline_table_place_of(c), a,
                                                   table->level[k]));
    }
    fputs("]}", out);
}

static void deadline_table_write_json(const struct br_deadline_table *table,
                                      const int64_t *amdahl_ns, FILE *out)
{
    json_head(table, out);
    fputs("  \"levels\": [", out);
    for (uint32_t k = 0; k < table->quantiles; k++) {
        fputs(k ? ", " : "", out);
        br_write_figure(out, table->level[k], "null");
    }
    fputs("],\n", out);
    json_stages(table, out);
    fputs("  \"left\": [", out);
    for (uint32_t point = 0; point < table->layers * table->allocations; point++) {
        uint32_t layer = point / table->allocations, a = point % table->allocations;
        fprintf(out, "%s\n    {\"order\": \"%s\", \"allocation\": %" PRIu32 ", \"amdahl_s\": ",
                point ? "," : "", br_order_name(layer), table->allocation[a]);
        br_write_seconds(out, amdahl_ns[a]);
        fputs(", \"cells\": [", out);
        for (uint32_t c = 0; c < table->cells; c++)
            json_cell(table, layer, a, c, out);
        fputs("\n    ]}", out);
    }
    fputs("\n  ]\n}\n", out);
}

/* The times of Amdahl's model for the whole job, by allocation. NULL when memory is out. */
static int64_t *ask_amdahl(const struct br_deadline_table *table)
{
    uint32_t *done = calloc(table->stages, sizeof *done);
    int64_t *ns = malloc(table->allocations * sizeof *ns);
    for (uint32_t a = 0; done && ns && a < table->allocations; a++)
        ns[a] = br_amdahl_ns(table, done, table->allocation[a]);
    if (!done) {
        free(ns);
        ns = NULL;
    }
    free(done);
    return ns;
}

enum br_status br_emit_table(const char *format, const struct br_deadline_table *table, FILE *out,
                             struct br_diag *diag)
{
    int64_t *amdahl_ns = ask_amdahl(table);
    if (!amdahl_ns)
        return br_fail_memory(diag);
    enum br_status status = BR_OK;
    if (strcmp(format, "text") == 0)
        br_table_text(table, amdahl_ns, out);
    else if (strcmp(format, "csv") == 0)
        deadline_table_write_csv(table, out);
    else if (strcmp(format, "json") == 0)
        deadline_table_write_json(table, amdahl_ns, out);
    else if (strcmp(format, "svg") == 0)
        br_table_svg(table, out);
    else
        status = br_fail_unnamed(diag, &br_table_formats, format, SIZE_MAX,
                                 "a table has no output '%.100s'", format);
    free(amdahl_ns);
    return status ? status : br_write_finish(out, diag);
}

/* ---- Comparison of forecasts ---- */

struct trial_row {
    const struct br_deadline_table *table;
    const struct br_trial *trial;
};
#define TRIAL_POINT(FIGURE, LINE)                                                                  \
    FIGURE(order, br_figure_word(br_order_name(row->trial->layer)))                                \
    FIGURE(allocation, row->table->allocation[row->trial->index])
#define TRIAL_FIGURES(FIGURE, LINE)                                                                \
    FIGURE(forecast_p10_s, row->forecast_s[0])                                                     \
    FIGURE(forecast_p50_s, row->forecast_s[1])                                                     \
    FIGURE(forecast_p90_s, row->forecast_s[2])                                                     \
    FIGURE(forecast_mean_s, row->forecast_mean_s)                                                  \
    FIGURE(forecast_most_s, row->forecast_most_s)                                                  \
    FIGURE(forecast_third_s, row->forecast_third_s)                                                \
    FIGURE(amdahl_s, row->amdahl_s)                                                                \
    FIGURE(actual_p10_s, row->actual_s[0])                                                         \
    FIGURE(actual_p50_s, row->actual_s[1])                                                         \
    FIGURE(actual_p90_s, row->actual_s[2])                                                         \
    FIGURE(actual_mean_s, row->actual_mean_s)                                                      \
    FIGURE(work_s, row->work_s)                                                                    \
    FIGURE(most_error, row->most_error)                                                            \
    FIGURE(third_error, row->third_error)                                                          \
    FIGURE(amdahl_error, row->amdahl_error)                                                        \
    FIGURE(wander, row->wander)                                                                    \
    FIGURE(stuck, row->stuck)
BR_FIGURES(trial_point, struct trial_row, TRIAL_POINT);
BR_FIGURES(trial_figures, struct br_trial, TRIAL_FIGURES);

static void trials_csv(const struct br_deadline_table *table, const struct br_trials *trials,
                       FILE *out)
{
    br_write_figures_head(out, "", &trial_point, "");
    fputs(",runs", out);
    br_write_figures_head(out, ",", &trial_figures, "");
    for (uint32_t k = 0; k < 2 * BR_TRIAL_LEVELS; k++) {
        fputs(k < BR_TRIAL_LEVELS ? ",below_q" : ",later_q", out);
        br_write_figure(out, br_trial_level(k % BR_TRIAL_LEVELS), "");
    }
    putc('\n', out);
    for (uint32_t i = 0; i < trials->count; i++) {
        const struct br_trial *trial = &trials->trial[i];
        br_write_figures_row(out, "", &trial_point, &(struct trial_row){table, trial}, "");
        fprintf(out, ",%" PRIu32, trials->runs);
        br_write_figures_row(out, ",", &trial_figures, trial, "");
        for (uint32_t k = 0; k < 2 * BR_TRIAL_LEVELS; k++) {
            const double *share = k < BR_TRIAL_LEVELS ? trial->below : trial->below_later;
            putc(',', out);
            br_write_figure(out, share[k % BR_TRIAL_LEVELS], "");
        }
        putc('\n', out);
    }
}

static void json_shares(FILE *out, const char *name, const double *share)
{
    fprintf(out, ", \"%s\": [", name);
    for (uint32_t k = 0; k < BR_TRIAL_LEVELS; k++) {
        fputs(k ? ", " : "", out);
        br_write_figure(out, share ? share[k] : br_trial_level(k), "null");
    }
    putc(']', out);
}

static void trials_json(const struct br_deadline_table *table, const struct br_trials *trials,
                        FILE *out)
{
    fputs("{\n  \"format\": \"bigrocks-deadline-check/1\"", out);
    br_write_text_key(out, ",\n  ", "job", table->job);
    br_write_text_key(out, ",\n  ", "allocations", br_allocation_name(table->kind));
    br_write_text_key(out, ",\n  ", "indicator", br_named_name(&br_indicators, table->indicator));
    fprintf(out, ",\n  \"runs\": %" PRIu32 ",\n  \"results\": [", trials->runs);
    for (uint32_t i = 0; i < trials->count; i++) {
        const struct br_trial *trial = &trials->trial[i];
        br_write_figures_keys(out, i ? ",\n    {" : "\n    {", &trial_point,
                              &(struct trial_row){table, trial}, "");
        br_write_figures_keys(out, ", ", &trial_figures, trial, "");
        json_shares(out, "levels", NULL);
        json_shares(out, "below", trial->below);
        json_shares(out, "below_later", trial->below_later);
        putc('}', out);
    }
    fputs("\n  ]\n}\n", out);
}

enum br_status br_emit_trials(const char *format, const struct br_deadline_table *table,
                              const struct br_trials *trials, FILE *out, struct br_diag *diag)
{
    if (strcmp(format, "text") == 0)
        br_trials_text(table, trials, out);
    else if (strcmp(format, "csv") == 0)
        trials_csv(table, trials, out);
    else if (strcmp(format, "json") == 0)
        trials_json(table, trials, out);
    else
        return br_fail(diag, BR_USAGE, "choose one of text, csv, json",
                       "a check of a table has no output '%.100s'", format);
    return br_write_finish(out, diag);
}
