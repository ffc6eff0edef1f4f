/* A table for people: a row for each policy, the mean over its seeds. Columns appear only if
 * useful: gains if there are two policies, fairness if there are two groups. All numbers of a
 * column have the decimals that its largest needs to show four digits. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/real.h"
#include "base/text/text.h"
#include "cluster/simulate/report/study_fields.h"
#include "cluster/simulate/report/study_outputs.h"
#include "emit/write/write.h"

enum { NAME_MOST = 32, COLUMNS_MOST = 24, CELL = 32 };

struct column {
    char head[CELL];
    int digits;     /* decimals; -1: as the column needs */
    double *values; /* by policy */
};

struct table {
    const struct br_study *study;
    uint32_t policies;
    struct br_study_policy *policy;
    uint32_t columns;
    struct column column[COLUMNS_MOST];
    double *values; /* of all columns */
};

static struct column *add_column(struct table *t, const char *head, int digits)
{
    struct column *column = &t->column[t->columns];
    snprintf(column->head, sizeof column->head, "%s", head);
    column->digits = digits;
    column->values = t->values + (size_t)t->columns++ * t->policies;
    return column;
}

/* A column of means, times a factor; omitted if `optional` and no policy has the figure, or all
 * have 0. */
static void add_field(struct table *t, const char *head, const char *name, double factor,
                      int digits, bool optional)
{
    bool says = !optional;
    for (uint32_t p = 0; p < t->policies; p++) {
        double mean = br_study_mean(&t->policy[p], name);
        says |= !isnan(mean) && mean != 0;
    }
    if (!says)
        return;
    struct column *column = add_column(t, head, digits);
    for (uint32_t p = 0; p < t->policies; p++)
        column->values[p] = factor * br_study_mean(&t->policy[p], name);
}

static void add_gain(struct table *t)
{
    if (t->policies < 2)
        return;
    struct column *column = add_column(t, "gain %", 1);
    for (uint32_t p = 0; p < t->policies; p++)
        column->values[p] = 100 * br_study_gain(&t->policy[p], t->policy);
}

static void add_deviation(struct table *t)
{
    uint32_t most = 0;
    for (uint32_t p = 0; p < t->policies; p++)
        most = t->policy[p].runs > most ? t->policy[p].runs : most;
    if (most < 2)
        return;
    struct column *column = add_column(t, "+-", -1);
    for (uint32_t p = 0; p < t->policies; p++)
        column->values[p] = br_study_deviation(&t->policy[p], "mean_jct");
}

/* Adds the use of the resource that the first policy uses most. */
static void study_text_add_use(struct table *t)
{
    const struct br_metrics *first = t->study->run[0].metrics;
    uint32_t best = 0;
    if (first->resources == 0 || isnan(first->use[0]))
        return;
    for (uint32_t r = 1; r < first->resources; r++)
        if (first->use[r] > first->use[best])
            best = r;
    char head[CELL];
    snprintf(head, sizeof head, "%.12s use %%", first->resource[best]);
    br_text_screen(head);
    struct column *column = add_column(t, head, 1);
    for (uint32_t p = 0; p < t->policies; p++) {
        const struct br_study_policy *policy = &t->policy[p];
        double sum = 0;
        for (uint32_t r = policy->first_run; r < policy->first_run + policy->runs; r++)
            sum += t->study->run[r].metrics->use[best];
        column->values[p] = 100 * sum / policy->runs;
    }
}

static void add_columns(struct table *t)
{
    bool groups = false, partial = false;
    for (uint32_t j = 1; j < t->study->workload->jobs; j++)
        groups |= t->study->workload->job[j].group != t->study->workload->job[0].group;
    for (uint32_t r = 0; r < t->study->runs; r++)
        partial |= t->study->run[r].metrics->finished < t->study->run[r].metrics->jobs;
    if (partial)
        add_field(t, "finished", "finished", 1, -1, false);
    add_field(t, "mean JCT", "mean_jct", 1, -1, false);
    add_deviation(t);
    add_gain(t);
    add_field(t, "p50", "p50_jct", 1, -1, false);
    add_field(t, "p90", "p90_jct", 1, -1, false);
    add_field(t, "slowdown", "mean_slowdown", 1, 2, true);
    add_field(t, "makespan", "makespan", 1, -1, false);
    add_field(t, "regret", "regret", 1, 3, true);
    if (groups)
        add_field(t, "Jain 60 s", "jain_60s", 1, 3, false);
    study_text_add_use(t);
    if (t->study->run[0].metrics->deadlines) {
        add_field(t, "missed", "missed", 1, -1, false);
        add_field(t, "late s", "lateness", 1, 1, false);
        add_field(t, "token min", "token_minutes", 1, 1, true);
        add_field(t, "above %", "above_oracle", 100, 1, true);
    }
    add_field(t, "wasted %", "wasted_share", 100, 1, true);
    if (t->study->network) {
        add_field(t, "GB moved", "moved_bytes", 1e-9, 3, false);
        add_field(t, "waited s", "waited_for_bytes", 1, 1, false);
    }
    add_field(t, "events/s", "events_per_second", 1, 0, true);
    add_field(t, "planning s", "planning_seconds", 1, -1, true);
}

/* The decimals that show four digits of the largest number, none if all are whole. */
static void choose_digits(struct column *column, uint32_t policies)
{
    double most = 0;
    bool whole = true;
    for (uint32_t p = 0; p < policies; p++)
        if (isfinite(column->values[p])) {
            most = fmax(most, fabs(column->values[p]));
            whole &= column->values[p] == floor(column->values[p]);
        }
    if (column->digits < 0)
        column->digits = whole || most >= 1000 ? 0 : most >= 100 ? 1 : most >= 10 ? 2 : 3;
}

static void format_cell(const struct column *column, uint32_t policy, char cell[CELL])
{
    static const int64_t unit[] = {1, 10, 100, 1000};
    double value = column->values[policy];
    if (!isfinite(value)) {
        snprintf(cell, CELL, "-");
        return;
    }
    if (fabs(value) >= 1e15) {
        snprintf(cell, CELL, "%.0f", value);
        return;
    }
    int64_t number = br_real_whole(value * (double)unit[column->digits]);
    int64_t size = number < 0 ? -number : number;
    if (column->digits == 0)
        snprintf(cell, CELL, "%" PRId64, number);
    else
        snprintf(cell, CELL, "%s%" PRId64 ".%0*" PRId64, number < 0 ? "-" : "",
                 size / unit[column->digits], column->digits, size % unit[column->digits]);
}

static int column_width(const struct column *column, uint32_t policies)
{
    size_t width = br_text_length(column->head);
    for (uint32_t p = 0; p < policies; p++) {
        char cell[CELL];
        format_cell(column, p, cell);
        width = strlen(cell) > width ? strlen(cell) : width;
    }
    return (int)width;
}

/* At most NAME_MOST characters of a name, fit for a terminal. */
static void short_name(char *name, size_t size, const char *text)
{
    snprintf(name, size, "%s", text);
    br_text_screen(name);
}

static void pad(FILE *out, const char *text, int width, bool right)
{
    int blanks = width - (int)br_text_length(text);
    fprintf(out, "%*s%s%*s", right && blanks > 0 ? blanks : 0, "", text,
            !right && blanks > 0 ? blanks : 0, "");
}

static void print_table(const struct table *t, FILE *out)
{
    int names = 6;
    for (uint32_t p = 0; p < t->policies; p++) {
        char name[NAME_MOST + 1];
        short_name(name, sizeof name, t->policy[p].name);
        int length = (int)br_text_length(name);
        names = length > names ? length : names;
    }
    for (int64_t p = -1; p < (int64_t)t->policies; p++) {
        char name[NAME_MOST + 1] = "policy";
        if (p >= 0)
            short_name(name, sizeof name, t->policy[p].name);
        pad(out, name, names, false);
        for (uint32_t c = 0; c < t->columns; c++) {
            char cell[CELL];
            if (p >= 0)
                format_cell(&t->column[c], (uint32_t)p, cell);
            fputs("  ", out);
            pad(out, p >= 0 ? cell : t->column[c].head, column_width(&t->column[c], t->policies),
                true);
        }
        putc('\n', out);
    }
}

static void study_text_print_head(const struct br_study *study, const struct table *t, FILE *out)
{
    char name[80];
    bool named = study->workload->name && *study->workload->name;
    short_name(name, sizeof name, named ? study->workload->name : "workload");
    fprintf(out, "%s: %" PRIu32 " job%s, %" PRIu64 " task%s on %" PRIu32 " machine%s", name,
            study->workload->jobs, study->workload->jobs == 1 ? "" : "s", study->workload->tasks,
            study->workload->tasks == 1 ? "" : "s", study->cluster->machines,
            study->cluster->machines == 1 ? "" : "s");
    if (t->policies && t->policy[0].runs > 1)
        fprintf(out, "; means over %" PRIu32 " seeds", t->policy[0].runs);
    putc('\n', out);
}

static void print_foot(const struct br_study *study, const struct table *t, FILE *out)
{
    char name[NAME_MOST + 1];
    fputs("JCT: seconds from a job's arrival to its end", out);
    if (t->policies > 1) {
        short_name(name, sizeof name, t->policy[0].name);
        fprintf(out, "; gain: of the mean JCT over %s", name);
    }
    for (uint32_t c = 0; c < t->columns; c++)
        if (strcmp(t->column[c].head, "regret") == 0)
            fputs("; regret: mean JCT over a bound that no policy is below", out);
    putc('\n', out);
    for (uint32_t r = 0; r < study->runs; r++) {
        const struct br_study_run *run = &study->run[r];
        if (!run->note && !run->cut)
            continue;
        short_name(name, sizeof name, run->policy);
        fprintf(out, "%s, seed %" PRIu64 ": %s\n", name, run->seed,
                run->note ? run->note : "stopped before its end");
    }
}

enum br_status br_study_text(const struct br_study *study, FILE *out, struct br_diag *diag)
{
    struct table t = {.study = study};
    t.policy = br_study_policies(study, &t.policies);
    t.values = malloc(((size_t)t.policies * COLUMNS_MOST + 1) * sizeof *t.values);
    if (!t.policy || !t.values) {
        free(t.policy);
        free(t.values);
        return br_fail_memory(diag);
    }
    study_text_print_head(study, &t, out);
    if (study->runs) {
        add_columns(&t);
        for (uint32_t c = 0; c < t.columns; c++)
            choose_digits(&t.column[c], t.policies);
        print_table(&t, out);
        print_foot(study, &t, out);
    }
    free(t.policy);
    free(t.values);
    return BR_OK;
}
