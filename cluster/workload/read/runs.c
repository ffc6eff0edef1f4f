#include "cluster/workload/read/runs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"

struct br_recorded_run {
    uint32_t job; /* of the workload: the first one */
    uint32_t runs;
    int64_t start; /* of the last one; -1: not told */
};

static const char *id_of(const struct br_runs *runs, uint32_t number)
{
    return runs->workload->job[runs->run[number].job].id;
}

static uint64_t runs_hash_id(const void *context, uint32_t number)
{
    return br_hash_text(id_of(context, number));
}

static bool runs_equal_id(const void *context, uint32_t number, const void *key)
{
    return strcmp(id_of(context, number), key) == 0;
}

static const struct br_index_keys id_keys = {runs_hash_id, runs_equal_id};

void br_runs_finish(struct br_runs *runs)
{
    br_index_finish(&runs->ids);
    free(runs->run);
    *runs = (struct br_runs){0};
}

enum br_status br_runs_add(struct br_runs *runs, struct br_records *records,
                           struct br_record *record, int64_t start, struct br_diag *diag)
{
    char id[80];
    runs->workload = records->workload;
    uint32_t first =
        br_index_find(&runs->ids, &id_keys, runs, record->id, br_hash_text(record->id));
    if (first != UINT32_MAX && start >= 0 && runs->run[first].start != start) {
        snprintf(id, sizeof id, "%.60s:%" PRIu32, record->id, ++runs->run[first].runs);
        runs->run[first].start = start;
        runs->further++;
        record->id = id;
    }
    enum br_status status = br_records_add(records, record, diag);
    if (status || first != UINT32_MAX)
        return status;
    if (!br_grow(&runs->run, runs->jobs, &runs->room, sizeof *runs->run))
        return br_fail_memory(diag);
    runs->run[runs->jobs] = (struct br_recorded_run){records->workload->jobs - 1, 1, start};
    return br_index_add(&runs->ids, &id_keys, runs, runs->jobs++) ? BR_OK : br_fail_memory(diag);
}
