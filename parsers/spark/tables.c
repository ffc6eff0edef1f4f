#include "parsers/spark/tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/collections/sort.h"

static uint64_t hash_job(const void *context, uint32_t number)
{
    return br_hash_number(((const struct br_spark_log *)context)->job[number].id);
}

static bool equal_job(const void *context, uint32_t number, const void *key)
{
    return ((const struct br_spark_log *)context)->job[number].id == *(const uint32_t *)key;
}

static uint64_t hash_stage(const void *context, uint32_t number)
{
    return br_hash_number(((const struct br_spark_log *)context)->stage[number].id);
}

static bool equal_stage(const void *context, uint32_t number, const void *key)
{
    return ((const struct br_spark_log *)context)->stage[number].id == *(const uint32_t *)key;
}

static uint64_t hash_executor(const void *context, uint32_t number)
{
    return br_hash_text(((const struct br_spark_log *)context)->executor[number].id);
}

static bool equal_executor(const void *context, uint32_t number, const void *key)
{
    return strcmp(((const struct br_spark_log *)context)->executor[number].id, key) == 0;
}

static const struct br_index_keys job_keys = {hash_job, equal_job},
                                  stage_keys = {hash_stage, equal_stage},
                                  executor_keys = {hash_executor, equal_executor};

uint32_t br_spark_find_job(const struct br_spark_log *log, uint32_t id)
{
    return br_index_find(&log->job_ids, &job_keys, log, &id, br_hash_number(id));
}

uint32_t br_spark_add_job(struct br_spark_log *log, const struct br_spark_job *job)
{
    if (!br_grow(&log->job, log->jobs, &log->job_room, sizeof *log->job))
        return BR_SPARK_NONE;
    log->job[log->jobs] = *job;
    return br_index_add(&log->job_ids, &job_keys, log, log->jobs) ? log->jobs++ : BR_SPARK_NONE;
}

uint32_t br_spark_find_stage(struct br_spark_log *log, uint32_t id, struct br_pos pos)
{
    uint32_t number = br_index_find(&log->stage_ids, &stage_keys, log, &id, br_hash_number(id));
    if (number != UINT32_MAX)
        return number;
    if (!br_grow(&log->stage, log->stages, &log->stage_room, sizeof *log->stage))
        return BR_SPARK_NONE;
    log->stage[log->stages] = (struct br_spark_stage){.id = id, .job = BR_SPARK_NONE, .pos = pos};
    if (!br_index_add(&log->stage_ids, &stage_keys, log, log->stages))
        return BR_SPARK_NONE;
    return log->stages++;
}

uint32_t br_spark_find_executor(struct br_spark_log *log, const char *id)
{
    uint32_t number = br_index_find(&log->executor_ids, &executor_keys, log, id, br_hash_text(id));
    if (number != UINT32_MAX)
        return number;
    char *copy = br_arena_text(&log->arena, id);
    if (!copy ||
        !br_grow(&log->executor, log->executors, &log->executor_room, sizeof *log->executor))
        return BR_SPARK_NONE;
    log->executor[log->executors] = (struct br_spark_executor){.id = copy};
    if (!br_index_add(&log->executor_ids, &executor_keys, log, log->executors))
        return BR_SPARK_NONE;
    return log->executors++;
}

static void keep_first(struct br_spark_log *log, const struct br_sort_item *item,
                       struct br_spark_task *kept)
{
    uint32_t tasks = 0;
    for (uint32_t t = 0; t < log->tasks; t++) {
        struct br_spark_stage *stage = &log->stage[log->task[item[t].item].stage];
        if (t > 0 && item[t].key == item[t - 1].key) {
            log->lost++;
            continue;
        }
        if (stage->tasks++ == 0)
            stage->first_task = tasks;
        kept[tasks++] = log->task[item[t].item];
    }
    free(log->task);
    log->task = kept;
    log->tasks = log->task_room = tasks;
}

/* Stages that ran, by job and then by id. */
static bool sort_stages(struct br_spark_log *log, struct br_sort_item *item)
{
    uint32_t ran = 0;
    log->ran = malloc(((size_t)log->stages + 1) * sizeof *log->ran);
    log->first_ran = calloc((size_t)log->jobs + 1, sizeof *log->first_ran);
    if (!log->ran || !log->first_ran)
        return false;
    for (uint32_t s = 0; s < log->stages; s++)
        if (log->stage[s].ran && log->stage[s].job != BR_SPARK_NONE) {
            uint64_t key = (uint64_t)log->stage[s].job << 32 | log->stage[s].id;
            item[ran++] = (struct br_sort_item){key, s};
        } else if (log->stage[s].ran) {
            log->orphans++;
        }
    br_sort(item, item + ran, ran);
    for (uint32_t k = 0; k < ran; k++) {
        log->ran[k] = item[k].item;
        log->first_ran[log->stage[item[k].item].job + 1]++;
    }
    for (uint32_t j = 0; j < log->jobs; j++)
        log->first_ran[j + 1] += log->first_ran[j];
    return true;
}

bool br_spark_sort(struct br_spark_log *log)
{
    size_t most = log->tasks > log->stages ? log->tasks : log->stages;
    struct br_sort_item *item = malloc((2 * most + 1) * sizeof *item);
    struct br_spark_task *kept = malloc(((size_t)log->tasks + 1) * sizeof *kept);
    bool sorted = item && kept;
    if (sorted) {
        for (uint32_t t = 0; t < log->tasks; t++)
            item[t] = (struct br_sort_item){
                (uint64_t)log->task[t].stage << 32 | log->task[t].partition, t};
        br_sort(item, item + log->tasks, log->tasks);
        keep_first(log, item, kept);
        sorted = sort_stages(log, item);
    } else {
        free(kept);
    }
    free(item);
    return sorted;
}

void br_spark_log_finish(struct br_spark_log *log)
{
    br_index_finish(&log->job_ids);
    br_index_finish(&log->stage_ids);
    br_index_finish(&log->executor_ids);
    free(log->job);
    free(log->stage);
    free(log->parent);
    free(log->task);
    free(log->executor);
    free(log->change);
    free(log->task_cpus);
    free(log->ran);
    free(log->first_ran);
    br_arena_finish(&log->arena);
    *log = (struct br_spark_log){0};
}
