/* For people: the duration of a run at some of the allocations. Minutes with two decimals if the
 * job takes minutes, else seconds. */
#include "cluster/deadline/report/table.h"

#include <inttypes.h>
#include <math.h>

#include "emit/write/write.h"

enum { ROWS = 10 };

/* The time in the unit of the column: minutes, from two of them on. */
struct unit {
    const char *name;
    double seconds;
};

static struct unit choose_unit(double most_s)
{
    if (most_s >= 120)
        return (struct unit){"min", 60};
    return most_s >= 0.1 ? (struct unit){"s", 1} : (struct unit){"ms", 1e-3};
}

static void table_text_cell(FILE *out, double seconds, const struct unit *unit)
{
    double value = seconds / unit->seconds;
    fprintf(out, "%9.*f", value >= 1000 ? 0 : 2, value);
}

static double quantile_s(const struct br_deadline_table *table, uint32_t layer, uint32_t a,
                         double q)
{
    return (double)br_table_quantile_ns(table, layer, br_table_start(table), a, q) / 1e9;
}

static void head(const struct br_deadline_table *table, FILE *out)
{
    fputs("job         ", out);
    br_write_text(out, BR_QUOTE_TABS, table->job);
    if (*table->cluster) {
        fputs(" on ", out);
        br_write_text(out, BR_QUOTE_TABS, table->cluster);
    }
    fprintf(out, "\nallocations %" PRIu32 ", %s from %" PRIu32 " to %" PRIu32 "\n",
            table->allocations, br_allocation_name(table->kind), table->allocation[0],
            table->allocation[table->allocations - 1]);
    fprintf(out, "runs        %" PRIu32 " for each, seed %" PRIu64 "\n", table->runs, table->seed);
    fprintf(out, "progress    %s, %" PRIu32 " cells\n",
            br_named_name(&br_indicators, table->indicator), table->cells - 1);
}

void br_table_text(const struct br_deadline_table *table, const int64_t *amdahl_ns, FILE *out)
{
    struct unit unit = choose_unit(quantile_s(table, 0, table->allocations - 1, 1));
    uint32_t rows = table->allocations < ROWS ? table->allocations : ROWS;
    head(table, out);
    fprintf(out, "\nhow long a run takes, in %s\n\n%10s", unit.name, "");
    for (uint32_t layer = 0; layer < table->layers; layer++)
        fprintf(out, "  %-*s", layer + 1 < table->layers ? 36 : 0,
                layer ? "in the planned order" : "in the plain order");
    fprintf(out, "\n%10s", br_allocation_name(table->kind));
    for (uint32_t layer = 0; layer < table->layers; layer++)
        fprintf(out, "  %9s%9s%9s%9s", "mean", "10 %", "50 %", "90 %");
    fprintf(out, "  %9s\n", "Amdahl");
    for (uint32_t row = 0; row < rows; row++) {
        uint32_t a = (uint32_t)((row + 1) * (uint64_t)table->allocations / rows) - 1;
        fprintf(out, "%10" PRIu32, table->allocation[a]);
        for (uint32_t layer = 0; layer < table->layers; layer++) {
            fputs("  ", out);
            table_text_cell(
                out, (double)br_table_mean_ns(table, layer, br_table_start(table), a) / 1e9, &unit);
            table_text_cell(out, quantile_s(table, layer, a, 0.1), &unit);
            table_text_cell(out, quantile_s(table, layer, a, 0.5), &unit);
            table_text_cell(out, quantile_s(table, layer, a, 0.9), &unit);
        }
        fputs("  ", out);
        table_text_cell(out, (double)amdahl_ns[a] / 1e9, &unit);
        putc('\n', out);
    }
}

/* The largest error of a share, in points. */
static double off(const double *share)
{
    double most = 0;
    for (uint32_t k = 0; k < BR_TRIAL_LEVELS; k++)
        most = fmax(most, fabs(share[k] - br_trial_level(k)));
    return 100 * most;
}

void br_trials_text(const struct br_deadline_table *table, const struct br_trials *trials,
                    FILE *out)
{
    double most_s = 0, sum[3] = {0};
    for (uint32_t i = 0; i < trials->count; i++)
        most_s = fmax(most_s, trials->trial[i].actual_s[2]);
    struct unit unit = choose_unit(most_s);
    head(table, out);
    fprintf(out,
            "held against %" PRIu32 " runs; times in %s, errors in %% of the slowest of three\n",
            trials->runs, unit.name);
    fprintf(out, "%10s %-8s%9s%9s%9s%9s %8s%8s%8s %7s%7s %7s%7s\n", br_allocation_name(table->kind),
            "order", "50 %", "was", "90 %", "was", "third", "most", "Amdahl", "start", "later",
            "wander", "stuck");
    for (uint32_t i = 0; i < trials->count; i++) {
        const struct br_trial *t = &trials->trial[i];
        fprintf(out, "%10" PRIu32 " %-8s", table->allocation[t->index], br_order_name(t->layer));
        table_text_cell(out, t->forecast_s[1], &unit);
        table_text_cell(out, t->actual_s[1], &unit);
        table_text_cell(out, t->forecast_s[2], &unit);
        table_text_cell(out, t->actual_s[2], &unit);
        fprintf(out, " %8.1f%8.1f%8.1f %7.1f%7.1f %7.1f%7.1f\n", 100 * t->third_error,
                100 * t->most_error, 100 * t->amdahl_error, off(t->below), off(t->below_later),
                100 * t->wander, 100 * t->stuck);
        sum[0] += 100 * t->third_error / trials->count;
        sum[1] += 100 * t->most_error / trials->count;
        sum[2] += 100 * t->amdahl_error / trials->count;
    }
    fprintf(out, "%10s %-44s %8.1f%8.1f%8.1f\n", "mean", "", sum[0], sum[1], sum[2]);
    fputs("third, most, Amdahl: errors of the median of the slowest of three runs, of the largest "
          "simulated\nrun and of Amdahl's model. start, later: most points by which a quantile was "
          "off at the start,\nand on the way. wander, stuck: how far the forecast end moves in a "
          "period, and how long the\nindicator stands still, in % of the run.\n",
          out);
}
