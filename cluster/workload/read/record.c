/* Recorded jobs as rigid jobs: all of their processors for all of their time. Such a job has no
 * structure, so two of equal size and equal declared time are instances of one dag. */
#include "cluster/workload/read/record.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "parsers/text/value.h"

/* More does not fit into the memory of most computers. */
#define MOST_TASKS 100000000u

/* One task of the job, and the number of tasks. */
struct br_dag_key {
    int64_t declared_ns, mem_bytes, nano_gpus;
    uint32_t tasks, cpus;
};

static uint64_t workloads_record_hash_key(const struct br_dag_key *key)
{
    uint64_t hash = br_hash_number((uint64_t)key->declared_ns);
    hash = br_hash_number(hash ^ (uint64_t)key->mem_bytes);
    hash = br_hash_number(hash ^ (uint64_t)key->nano_gpus);
    return br_hash_number(hash ^ ((uint64_t)key->tasks << 32 | key->cpus));
}

static uint64_t hash_number(const void *context, uint32_t number)
{
    return workloads_record_hash_key(&((const struct br_records *)context)->key[number]);
}

static bool equal_number(const void *context, uint32_t number, const void *key)
{
    const struct br_dag_key *a = &((const struct br_records *)context)->key[number], *b = key;
    return a->declared_ns == b->declared_ns && a->mem_bytes == b->mem_bytes &&
           a->nano_gpus == b->nano_gpus && a->tasks == b->tasks && a->cpus == b->cpus;
}

static const struct br_index_keys keys = {hash_number, equal_number};

void br_records_init(struct br_records *records, struct br_workload *workload,
                     const struct br_workload_options *options)
{
    *records = (struct br_records){.workload = workload, .options = options};
}

void br_records_finish(struct br_records *records)
{
    br_index_finish(&records->dags);
    free(records->key);
    free(records->true_ns);
    *records = (struct br_records){0};
}

static enum br_status workloads_record_add_demand(struct br_dag *dag, const char *resource,
                                                  struct br_decimal amount, struct br_diag *diag)
{
    char text[BR_DECIMAL_TEXT];
    if (amount.mantissa == 0)
        return BR_OK;
    br_decimal_format(amount, text, sizeof text);
    return br_dag_add_demand(dag, 0, resource, text, diag);
}

static enum br_status workloads_record_make_dag(const struct br_dag_key *key, struct br_dag **dag,
                                                struct br_diag *diag)
{
    char name[96], seconds[BR_SECONDS_TEXT];
    br_seconds_format(key->declared_ns, seconds);
    snprintf(name, sizeof name, "%" PRIu32 " x %" PRIu32 " cpu, %s s", key->tasks, key->cpus,
             seconds);
    *dag = br_dag_create(name);
    if (!*dag)
        return br_fail_memory(diag);
    enum br_status status = br_dag_add_stage(*dag, "run", key->tasks, key->declared_ns, NULL, diag);
    if (!status)
        status = workloads_record_add_demand(*dag, "cpu", br_decimal_unscale(key->cpus, 0), diag);
    if (!status)
        status =
            workloads_record_add_demand(*dag, "mem", br_decimal_unscale(key->mem_bytes, 0), diag);
    if (!status)
        status =
            workloads_record_add_demand(*dag, "gpu", br_decimal_unscale(key->nano_gpus, 9), diag);
    return status ? status : br_dag_finish(*dag, diag);
}

/* The number of the dag with this key, made if there is none yet. */
static enum br_status workloads_record_find_dag(struct br_records *records,
                                                const struct br_dag_key *key, uint32_t *number,
                                                struct br_diag *diag)
{
    struct br_dag *dag;
    *number = br_index_find(&records->dags, &keys, records, key, workloads_record_hash_key(key));
    if (*number != UINT32_MAX)
        return BR_OK;
    uint32_t dags = records->workload->dags;
    if (!br_grow(&records->key, dags, &records->key_room, sizeof *records->key))
        return br_fail_memory(diag);
    enum br_status status = workloads_record_make_dag(key, &dag, diag);
    if (status) {
        br_dag_destroy(dag);
        return status;
    }
    records->key[dags] = *key;
    status = br_workload_add_dag(records->workload, dag, NULL, NULL, number, diag);
    if (!status && !br_index_add(&records->dags, &keys, records, *number))
        status = br_fail_memory(diag);
    return status;
}

/* Shares are rounded down, so that together they do not exceed the job; processors of nodes are
 * rounded up, for there is no part of one. */
static enum br_status workloads_record_shape(const struct br_records *records,
                                             const struct br_record *record, struct br_dag_key *key,
                                             struct br_diag *diag)
{
    bool all = !records->options->cpu_only;
    *key = (struct br_dag_key){
        .declared_ns = record->declared_ns < 0 ? record->ran_ns : record->declared_ns, .tasks = 1};
    if (records->options->parallel == BR_PARALLEL_TASKS)
        key->tasks = record->processors;
    if (records->options->parallel == BR_PARALLEL_NODES)
        key->tasks = record->nodes;
    if (key->tasks == 0)
        return br_fail_at(diag, record->pos, BR_USAGE, "choose --parallel pool or tasks",
                          "the record does not tell on how many nodes job '%.80s' ran", record->id);
    key->cpus = record->processors / key->tasks + (record->processors % key->tasks != 0);
    key->mem_bytes = all ? record->mem_bytes / key->tasks : 0;
    key->nano_gpus = all ? (int64_t)record->gpus * 1000000000 / key->tasks : 0;
    if (key->mem_bytes > BR_RECORD_MOST_MEM)
        return br_fail_at(diag, record->pos, BR_BAD_INPUT, "is the unit right?",
                          "the memory of job '%.80s' is too large", record->id);
    if (records->workload->tasks + key->tasks > MOST_TASKS)
        return br_fail_at(diag, record->pos, BR_BAD_INPUT,
                          "choose --parallel pool, or take a part of the record",
                          "the jobs up to '%.80s' have more than %u tasks", record->id, MOST_TASKS);
    return BR_OK;
}

static bool workloads_record_set_true(struct br_records *records, uint32_t tasks, int64_t ns)
{
    if (tasks > records->true_room) {
        int64_t *larger = realloc(records->true_ns, (size_t)tasks * sizeof *larger);
        if (!larger)
            return false;
        records->true_ns = larger;
        records->true_room = tasks;
    }
    for (uint32_t t = 0; t < tasks; t++)
        records->true_ns[t] = ns;
    return true;
}

enum br_status br_records_add(struct br_records *records, const struct br_record *record,
                              struct br_diag *diag)
{
    struct br_workload_job job = br_workload_job_default();
    struct br_dag_key key;
    enum br_status status = workloads_record_shape(records, record, &key, diag);
    br_value_place(diag, record->pos);
    if (!status)
        status = workloads_record_find_dag(records, &key, &job.dag, diag);
    if (!status && record->group) {
        job.group = br_workload_find_group(records->workload, record->group);
        if (job.group == BR_NO_GROUP)
            status = br_workload_add_group(records->workload, record->group, 1, &job.group, diag);
    }
    if (status)
        return status;
    if (!workloads_record_set_true(records, key.tasks, record->ran_ns))
        return br_fail_memory(diag);
    job.id = record->id;
    job.arrival_ns = record->submit_ns;
    job.seed = (uint64_t)records->workload->jobs + 1;
    job.true_ns = records->true_ns;
    if (record->waited_ns < 0 ||
        __builtin_add_overflow(record->waited_ns, record->ran_ns, &job.recorded_ns))
        job.recorded_ns = -1;
    job.pos = record->pos;
    int64_t each =
        record->mem_bytes / record->processors + (record->mem_bytes % record->processors != 0);
    if (record->declared_ns < 0)
        records->undeclared++;
    if (records->most_processors < record->processors)
        records->most_processors = record->processors;
    if (records->most_mem_bytes < each && !records->options->cpu_only)
        records->most_mem_bytes = each;
    return br_workload_add_job(records->workload, &job, diag);
}

void br_note_part(char *text, size_t size, size_t *used, const char *format, ...)
{
    va_list args;
    const char *join = *used ? "; " : "";
    va_start(args, format);
    int length = snprintf(text + *used, size - *used, "%s", join);
    *used += (size_t)length < size - *used ? (size_t)length : size - *used - 1;
    length = vsnprintf(text + *used, size - *used, format, args);
    *used += (size_t)length < size - *used ? (size_t)length : size - *used - 1;
    va_end(args);
}

enum br_status br_records_note(struct br_records *records, const char *more, struct br_diag *diag)
{
    static const char *const reason[BR_LEFT_REASONS] = {
        "that never ran", "that still ran", "that did not complete",
        "of pieces between checkpoints", "whose time or processors are not known"};
    char text[3072] = "";
    size_t used = 0;
    for (int k = 0; k < BR_LEFT_REASONS; k++)
        if (records->left_out[k])
            br_note_part(text, sizeof text, &used, "left out %" PRIu32 " %s", records->left_out[k],
                         reason[k]);
    if (records->undeclared)
        br_note_part(text, sizeof text, &used,
                     "%" PRIu32 " of %" PRIu32
                     " jobs declare no time, so their true times count as declared",
                     records->undeclared, records->workload->jobs);
    if (*more)
        br_note_part(text, sizeof text, &used, "%s", more);
    if (!used)
        return BR_OK;
    records->workload->note = br_arena_text(&records->workload->arena, text);
    return records->workload->note ? BR_OK : br_fail_memory(diag);
}
