/* Prints the table of counters. */
#include "cli/terminal/stats.h"

#include <inttypes.h>

static void stats_print_line(FILE *out, const struct br_counters *counters,
                             const struct br_counter_row *row)
{
    uint64_t value = br_counter(counters, row);
    if (row->kind == BR_COUNTER_TIME)
        fprintf(out, "  %-22s %15.6f s  %s\n", row->name, 1e-9 * (double)value, row->text);
    else
        fprintf(out, "  %-22s %15" PRIu64 " %c  %s\n", row->name, value,
                row->kind == BR_COUNTER_VARIES ? '~' : ' ', row->text);
}

static void print_kind(FILE *out, const struct br_counters *counters, enum br_counter_kind kind)
{
    const char *comma = "";
    for (const struct br_counter_row *row = br_counter_table; row->name; row++)
        if (row->kind == kind) {
            fprintf(out, "%s\"%s\": %" PRIu64, comma, row->name, br_counter(counters, row));
            comma = ", ";
        }
}

void cli_stats_print(FILE *out, const struct br_counters *counters, bool json)
{
    if (json) {
        fputs("{\"format\": \"bigrocks-stats/1\", \"work\": {", out);
        print_kind(out, counters, BR_COUNTER_WORK);
        fputs("}, \"varies\": {", out);
        print_kind(out, counters, BR_COUNTER_VARIES);
        fputs("}, \"times\": {", out);
        print_kind(out, counters, BR_COUNTER_TIME);
        fputs("}}\n", out);
        return;
    }
    fputs("bigrocks: counters of the work (~ and times differ between equal calls):\n", out);
    for (const struct br_counter_row *row = br_counter_table; row->name; row++)
        if (br_counter(counters, row))
            stats_print_line(out, counters, row);
}
