#include "runtime/deadline/amdahl.h"

#include <assert.h>

int64_t br_amdahl_ns(const struct br_deadline_table *table, const uint32_t *done,
                     uint32_t allocation)
{
    double serial_s = 0, work_s = 0;
    for (uint32_t s = 0; s < table->stages; s++) {
        const struct br_table_stage *stage = &table->stage[s];
        assert(table->tasks[s] > 0);
        if (done[s] >= table->tasks[s])
            continue;
        double left = 1 - (double)done[s] / (double)table->tasks[s];
        double path_s = left * stage->longest_s + stage->behind_s;
        serial_s = path_s > serial_s ? path_s : serial_s;
        work_s += left * stage->work_s;
    }
    double parallel_s = work_s > serial_s ? work_s - serial_s : 0;
    double left_ns = (serial_s + parallel_s / (allocation ? allocation : 1)) * 1e9;
    return left_ns < (double)(INT64_MAX / 4) ? (int64_t)(left_ns + 0.5) : INT64_MAX / 4;
}
