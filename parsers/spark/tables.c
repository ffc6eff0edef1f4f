#include "parsers/spark/tables.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/csr.h"
#include "base/collections/grow.h"
#include "base/collections/sort.h"

static uint64_t spark_tables_hash_job(const void *context, uint32_t number)
{
    return br_hash_number(((const struct br_spark_log *)context)->job[number].id);
}

static bool spark_tables_equal_job(const void *context, uint32_t number, const void *key)
{
    return ((const struct br_spark_log *)context)->job[number].id == *(const uint32_t *)key;
}

static uint64_t spark_tables_hash_stage(const void *context, uint32_t number)
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

static const struct br_index_keys job_keys = {spark_tables_hash_job, spark_tables_equal_job},
                                  stage_keys = {spark_tables_hash_stage, equal_stage},
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
    log->stage[log->stages] = (struct br_spark_stage){
        .id = id, .job = BR_SPARK_NONE, .attempt = BR_SPARK_NONE, .pos = pos};
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

uint32_t br_spark_known_executor(const struct br_spark_log *log, const char *id)
{
    return br_index_find(&log->executor_ids, &executor_keys, log, id, br_hash_text(id));
}

uint32_t br_spark_stage_size(const struct br_spark_stage *stage)
{
    return stage->tasks && !stage->barrier ? stage->tasks : 1;
}

int64_t br_spark_longest_ns(const struct br_spark_log *log, const struct br_spark_stage *stage)
{
    int64_t longest_ns = 0;
    for (uint32_t t = stage->first_task; t < stage->first_task + stage->tasks; t++)
        if (longest_ns < log->task[t].ns)
            longest_ns = log->task[t].ns;
    return longest_ns;
}

bool br_spark_runs_beside(const struct br_spark_stage *parent, const struct br_spark_stage *child)
{
    return parent->tasks && child->tasks && parent->id < child->id &&
           child->first_ns < parent->last_ns;
}

void br_spark_lose(struct br_spark_loss *loss, uint32_t tasks, int64_t ns)
{
    loss->count++;
    loss->tasks += tasks;
    loss->ns += ns;
}

static void keep_first(struct br_spark_log *log, const struct br_sort_item *item,
                       struct br_spark_task *kept)
{
    uint32_t tasks = 0;
    for (uint32_t t = 0; t < log->tasks; t++) {
        const struct br_spark_task *task = &log->task[item[t].item];
        struct br_spark_stage *stage = &log->stage[task->stage];
        if (t > 0 && item[t].key == item[t - 1].key) {
            br_spark_lose(&log->lost, 1, task->ns);
            stage->lost++;
            continue;
        }
        if (stage->tasks == 0 || stage->first_ns > task->launch_ns)
            stage->first_ns = task->launch_ns;
        if (stage->last_ns < task->launch_ns + task->ns)
            stage->last_ns = task->launch_ns + task->ns;
        if (stage->tasks++ == 0)
            stage->first_task = tasks;
        kept[tasks++] = *task;
        assert(stage->first_task + stage->tasks == tasks);
    }
    free(log->task);
    log->task = kept;
    log->tasks = log->task_room = tasks;
}

static void recover(struct br_spark_log *log, const struct br_spark_stage *stage)
{
    br_wide ns = 0;
    for (uint32_t t = stage->first_task; t < stage->first_task + stage->tasks; t++)
        ns += log->task[t].ns;
    log->recovered.count++;
    log->recovered.tasks += stage->tasks;
    log->recovered.ns += ns;
}

/* Jobs without times of their own get those of their tasks. */
static void spark_tables_find_times(struct br_spark_log *log)
{
    for (uint32_t j = 0; j < log->jobs; j++) {
        struct br_spark_job *job = &log->job[j];
        int64_t first_ms = -1, last_ms = -1;
        for (uint32_t k = log->first_ran[j]; k < log->first_ran[j + 1]; k++) {
            const struct br_spark_stage *stage = &log->stage[log->ran[k]];
            if (stage->tasks && (first_ms < 0 || first_ms > stage->first_ns / 1000000))
                first_ms = stage->first_ns / 1000000;
            if (last_ms < stage->last_ns / 1000000)
                last_ms = stage->last_ns / 1000000;
        }
        if (!job->submit_told)
            job->submit_ms = first_ms < 0 ? 0 : first_ms;
        if (job->ended && job->end_ms < 0)
            job->end_ms = last_ms < 0 ? job->submit_ms : last_ms;
    }
}

/* Stages that ran, by job and then by id. */
static bool sort_stages(struct br_spark_log *log, struct br_sort_item *item)
{
    uint32_t ran = 0;
    log->ran = malloc(((size_t)log->stages + 1) * sizeof *log->ran);
    log->first_ran = calloc(br_csr_room(log->jobs), sizeof *log->first_ran);
    if (!log->ran || !log->first_ran)
        return false;
    for (uint32_t s = 0; s < log->stages; s++) {
        const struct br_spark_stage *stage = &log->stage[s];
        if (!stage->ran)
            continue;
        if (stage->job == BR_SPARK_NONE)
            log->orphans++;
        else if (stage->attempt != BR_SPARK_NONE && stage->attempt > 0)
            recover(log, stage);
        else
            item[ran++] = (struct br_sort_item){(uint64_t)stage->job << 32 | stage->id, s};
    }
    br_sort(item, item + ran, ran);
    for (uint32_t k = 0; k < ran; k++)
        br_csr_count(log->first_ran, log->stage[item[k].item].job);
    br_csr_sum(log->first_ran, log->jobs);
    for (uint32_t k = 0; k < ran; k++)
        log->ran[br_csr_place(log->first_ran, log->stage[item[k].item].job)] = item[k].item;
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
        if (sorted)
            spark_tables_find_times(log);
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
