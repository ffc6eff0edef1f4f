/* The table of counters as data, and their sums. */
#include "planner/instance/counters.h"

#define WORK(name, text) {#name, text, BR_COUNTER_WORK, offsetof(struct br_counters, name)},
#define VARIES(name, text) {#name, text, BR_COUNTER_VARIES, offsetof(struct br_counters, name)},
#define TIME(name, text) {#name, text, BR_COUNTER_TIME, offsetof(struct br_counters, name)},
const struct br_counter_row br_counter_table[] = {BR_COUNTERS(WORK, VARIES, TIME){0}};

void br_counters_add(struct br_counters *sums, const struct br_counters *more)
{
    for (const struct br_counter_row *row = br_counter_table; row->name; row++)
        *(uint64_t *)((char *)sums + row->offset) += br_counter(more, row);
}
