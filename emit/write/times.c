#include "emit/write/times.h"

struct br_stage_times br_stage_times(const struct br_dag *dag, uint32_t stage)
{
    const uint32_t first = dag->stage[stage].first_task, tasks = dag->stage[stage].tasks;
    const struct br_times *times = dag->times;
    struct br_stage_times usual = {br_dag_release(dag, first), br_dag_deadline(dag, first)};
    for (uint32_t i = 0; i < tasks && times && (times->release_ns || times->deadline_ns); i++) {
        if (br_dag_release(dag, first + i) == 0)
            usual.release_ns = 0;
        if (br_dag_deadline(dag, first + i) == INT64_MAX)
            usual.deadline_ns = INT64_MAX;
    }
    return usual;
}

void br_write_reads(FILE *out, enum br_quote quote, const struct br_dag *dag, uint32_t edge)
{
    const struct br_storage *storage = dag->storage;
    for (uint32_t k = storage->edge_first[edge]; k < storage->edge_first[edge + 1]; k++) {
        if (k > storage->edge_first[edge])
            putc(' ', out);
        br_write_text(out, quote, storage->output[storage->reads[k]].id);
    }
}
