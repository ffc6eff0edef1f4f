/* Rows for other programs, and the choice of the form. Times are exact decimals of seconds. */
#include "cluster/deadline/report/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/real.h"
#include "emit/write/write.h"
#include "runtime/deadline/amdahl.h"

static const struct br_named formats[] = {
    {"text", "a table for people (the default)"},
    {"csv", "a row for each order, allocation and progress"},
    {"json", "all of it, for other programs"},
    {"svg", "a picture: time left against progress, a line for an allocation (--show)"},
};
#define BILLION 1000000000

const struct br_names br_table_formats = {BR_NAMES(formats)};

/* To nine decimals. */
static void deadline_table_write_number(FILE *out, double value)
{
    br_write_ratio(out, br_real_whole(value * BILLION), BILLION);
}

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
        deadline_table_write_number(out, table->level[k]);
    }
    putc('\n', out);
    for (uint32_t layer = 0; layer < table->layers; layer++)
        for (uint32_t a = 0; a < table->allocations; a++)
            for (uint32_t c = 0; c < table->cells; c++) {
                fprintf(out, "%s,%" PRIu32 ",", br_order_name(layer), table->allocation[a]);
                deadline_table_write_number(out, table->at[c]);
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

static void deadline_table_json_text(FILE *out, const char *name, const char *text)
{
    fprintf(out, "  \"%s\": \"", name);
    br_write_text(out, BR_QUOTE_JSON, text);
    fputs("\",\n", out);
}

static void json_head(const struct br_deadline_table *table, FILE *out)
{
    fputs("{\n  \"format\": \"bigrocks-deadline/1\",\n", out);
    deadline_table_json_text(out, "job", table->job);
    deadline_table_json_text(out, "cluster", table->cluster);
    deadline_table_json_text(out, "allocations", br_allocation_name(table->kind));
    deadline_table_json_text(out, "indicator", br_named_name(&br_indicators, table->indicator));
    fprintf(out, "  \"runs\": %" PRIu32 ",\n  \"seed\": %" PRIu64 ",\n", table->runs, table->seed);
}

static void json_stages(const struct br_deadline_table *table, FILE *out)
{
    fputs("  \"stages\": [", out);
    for (uint32_t s = 0; s < table->stages; s++) {
        const struct {
            const char *name;
            double value;
        } field[] = {{"begin", table->weight[s].begin},
                     {"span", table->weight[s].span},
                     {"longest_s", table->stage[s].longest_s},
                     {"behind_s", table->stage[s].behind_s},
                     {"work_s", table->stage[s].work_s}};
        fprintf(out, "%s\n    {\"tasks\": %" PRIu32, s ? "," : "", table->tasks[s]);
        for (size_t k = 0; k < sizeof field / sizeof *field; k++) {
            fprintf(out, ", \"%s\": ", field[k].name);
            deadline_table_write_number(out, field[k].value);
        }
        putc('}', out);
    }
    fputs("\n  ],\n", out);
}

static void json_cell(const struct br_deadline_table *table, uint32_t layer, uint32_t a, uint32_t c,
                      FILE *out)
{
    fputs(c ? ",\n      {\"progress\": " : "\n      {\"progress\": ", out);
    deadline_table_write_number(out, table->at[c]);
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
        deadline_table_write_number(out, table->level[k]);
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

static const struct {
    const char *name;
    size_t offset;
} fields[] = {
#define FIELD(name, member)                                                                        \
    {                                                                                              \
        name, offsetof(struct br_trial, member)                                                    \
    }
    FIELD("forecast_p10_s", forecast_s[0]),
    FIELD("forecast_p50_s", forecast_s[1]),
    FIELD("forecast_p90_s", forecast_s[2]),
    FIELD("forecast_mean_s", forecast_mean_s),
    FIELD("forecast_most_s", forecast_most_s),
    FIELD("forecast_third_s", forecast_third_s),
    FIELD("amdahl_s", amdahl_s),
    FIELD("actual_p10_s", actual_s[0]),
    FIELD("actual_p50_s", actual_s[1]),
    FIELD("actual_p90_s", actual_s[2]),
    FIELD("actual_mean_s", actual_mean_s),
    FIELD("work_s", work_s),
    FIELD("most_error", most_error),
    FIELD("third_error", third_error),
    FIELD("amdahl_error", amdahl_error),
    FIELD("wander", wander),
    FIELD("stuck", stuck),
#undef FIELD
};
enum { FIELDS = sizeof fields / sizeof *fields };

static double field_of(const struct br_trial *trial, size_t k)
{
    double value;
    memcpy(&value, (const char *)trial + fields[k].offset, sizeof value);
    return value;
}

static void trials_csv(const struct br_deadline_table *table, const struct br_trials *trials,
                       FILE *out)
{
    fputs("order,allocation,runs", out);
    for (size_t k = 0; k < FIELDS; k++)
        fprintf(out, ",%s", fields[k].name);
    for (int later = 0; later < 2; later++)
        for (uint32_t k = 0; k < BR_TRIAL_LEVELS; k++) {
            fputs(later ? ",later_q" : ",below_q", out);
            deadline_table_write_number(out, br_trial_level(k));
        }
    putc('\n', out);
    for (uint32_t i = 0; i < trials->count; i++) {
        const struct br_trial *trial = &trials->trial[i];
        fprintf(out, "%s,%" PRIu32 ",%" PRIu32, br_order_name(trial->layer),
                table->allocation[trial->index], trials->runs);
        for (size_t k = 0; k < FIELDS; k++) {
            putc(',', out);
            deadline_table_write_number(out, field_of(trial, k));
        }
        for (uint32_t k = 0; k < 2 * BR_TRIAL_LEVELS; k++) {
            putc(',', out);
            deadline_table_write_number(out, k < BR_TRIAL_LEVELS
                                                 ? trial->below[k]
                                                 : trial->below_later[k - BR_TRIAL_LEVELS]);
        }
        putc('\n', out);
    }
}

static void json_shares(FILE *out, const char *name, const double *share)
{
    fprintf(out, ", \"%s\": [", name);
    for (uint32_t k = 0; k < BR_TRIAL_LEVELS; k++) {
        fputs(k ? ", " : "", out);
        deadline_table_write_number(out, share ? share[k] : br_trial_level(k));
    }
    putc(']', out);
}

static void trials_json(const struct br_deadline_table *table, const struct br_trials *trials,
                        FILE *out)
{
    fputs("{\n  \"format\": \"bigrocks-deadline-check/1\",\n", out);
    deadline_table_json_text(out, "job", table->job);
    deadline_table_json_text(out, "allocations", br_allocation_name(table->kind));
    deadline_table_json_text(out, "indicator", br_named_name(&br_indicators, table->indicator));
    fprintf(out, "  \"runs\": %" PRIu32 ",\n  \"results\": [", trials->runs);
    for (uint32_t i = 0; i < trials->count; i++) {
        const struct br_trial *trial = &trials->trial[i];
        fprintf(out, "%s\n    {\"order\": \"%s\", \"allocation\": %" PRIu32, i ? "," : "",
                br_order_name(trial->layer), table->allocation[trial->index]);
        for (size_t k = 0; k < FIELDS; k++) {
            fprintf(out, ", \"%s\": ", fields[k].name);
            deadline_table_write_number(out, field_of(trial, k));
        }
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
