#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/numbers/wide.h"
#include "base/text/text.h"
#include "parsers/spark/stages.h"
#include "parsers/text/value.h"

static int64_t mean_ns(const struct br_spark_log *log, const struct br_spark_stage *stage)
{
    br_wide sum = 0;
    for (uint32_t t = stage->first_task; t < stage->first_task + stage->tasks; t++)
        sum += log->task[t].ns;
    return stage->tasks ? (int64_t)((sum + stage->tasks / 2) / stage->tasks) : 0;
}

static enum br_status add_demands(const struct br_spark_log *log,
                                  const struct br_spark_stage *stage, bool memory,
                                  struct br_dag *dag, uint32_t number, struct br_diag *diag)
{
    char amount[BR_DECIMAL_TEXT];
    uint32_t cpus = stage->profile < log->profiles ? log->task_cpus[stage->profile] : 1;
    snprintf(amount, sizeof amount, "%" PRIu32, cpus);
    enum br_status status = br_dag_add_demand(dag, number, "cpu", amount, diag);
    snprintf(amount, sizeof amount, "%" PRId64, stage->mem_bytes);
    if (!status && memory && stage->mem_bytes > 0)
        status = br_dag_add_demand(dag, number, "mem", amount, diag);
    return status;
}

/* A stage without tasks stands between others all the same: it takes no time, and demands nothing.
 */
static enum br_status add_stage(const struct br_spark_log *log, const struct br_spark_stage *stage,
                                bool memory, struct br_dag *dag, uint32_t *number,
                                struct br_diag *diag)
{
    char id[24];
    snprintf(id, sizeof id, "stage%" PRIu32, stage->id);
    br_value_place(diag, stage->pos);
    enum br_status status = br_dag_add_stage(dag, id, stage->tasks ? stage->tasks : 1,
                                             mean_ns(log, stage), number, diag);
    if (status)
        return status;
    br_dag_set_stage_pos(dag, *number, stage->pos);
    if (stage->tasks)
        status = add_demands(log, stage, memory, dag, *number, diag);
    if (!status && stage->name && br_text_is_lines(stage->name))
        status = br_dag_add_attribute(dag, BR_OWNER_STAGE, *number, "name", stage->name, diag);
    return status;
}

enum br_status br_spark_add_stages(const struct br_spark_log *log, const uint32_t *stage,
                                   uint32_t stages, bool memory, struct br_dag *dag,
                                   uint32_t *number, struct br_diag *diag)
{
    enum br_status status = BR_OK;
    for (uint32_t k = 0; k < stages && !status; k++)
        status = add_stage(log, &log->stage[stage[k]], memory, dag, &number[stage[k]], diag);
    for (uint32_t k = 0; k < stages && !status; k++) {
        const struct br_spark_stage *child = &log->stage[stage[k]];
        br_value_place(diag, child->pos);
        for (uint32_t p = 0; p < child->parents && !status; p++) {
            uint32_t parent = log->parent[child->first_parent + p];
            if (number[parent] == BR_SPARK_NONE) /* skipped: its result was there already */
                continue;
            status = br_dag_add_edge(dag, number[parent], number[stage[k]], BR_BARRIER, diag);
            if (!status)
                br_dag_set_edge_pos(dag, child->pos);
        }
    }
    return status;
}

/* ---- The cluster ---- */

/* Marks the executors that are there after so many changes. The answer is after how many most of
 * them were. */
static uint32_t follow(const struct br_spark_log *log, uint32_t changes, bool *there)
{
    uint32_t now = 0, most = 0, when = 0;
    for (uint32_t k = 0; k < changes; k++) {
        bool *is = &there[log->change[k].executor], comes = log->change[k].comes;
        now += comes && !*is;
        now -= !comes && *is;
        *is = comes;
        if (now > most) {
            most = now;
            when = k + 1;
        }
    }
    return when;
}

static int by_size(const void *a, const void *b)
{
    const struct br_spark_executor *x = a, *y = b;
    if (x->cores != y->cores)
        return x->cores > y->cores ? -1 : 1;
    return x->mem_bytes == y->mem_bytes ? 0 : x->mem_bytes > y->mem_bytes ? -1 : 1;
}

static enum br_status add_class(struct br_cluster *cluster,
                                const struct br_spark_executor *executor, uint32_t count,
                                struct br_diag *diag)
{
    char text[BR_DECIMAL_TEXT];
    uint32_t cls;
    snprintf(text, sizeof text, "executor-%" PRIu32, cluster->classes + 1);
    enum br_status status = br_cluster_add_class(cluster, text, count, &cls, diag);
    snprintf(text, sizeof text, "%" PRIu32, executor->cores);
    if (!status)
        status = br_cluster_add_capacity(cluster, cls, "cpu", text, diag);
    snprintf(text, sizeof text, "%" PRId64, executor->mem_bytes);
    if (!status && executor->mem_bytes > 0)
        status = br_cluster_add_capacity(cluster, cls, "mem", text, diag);
    return status;
}

static enum br_status add_classes(struct br_cluster *cluster, struct br_spark_executor *executor,
                                  uint32_t executors, struct br_diag *diag)
{
    enum br_status status = BR_OK;
    br_value_place(diag, BR_NO_POS);
    qsort(executor, executors, sizeof *executor, by_size);
    for (uint32_t k = 0, run; k < executors && !status; k += run) {
        for (run = 1; k + run < executors && by_size(&executor[k], &executor[k + run]) == 0; run++)
            ;
        status = add_class(cluster, &executor[k], run, diag);
    }
    return status;
}

enum br_status br_spark_cluster(const struct br_spark_log *log, struct br_cluster **cluster,
                                struct br_diag *diag)
{
    bool *there = calloc((size_t)log->executors + 1, sizeof *there), memory = false, told = true;
    struct br_spark_executor *executor = malloc(((size_t)log->executors + 1) * sizeof *executor);
    enum br_status status = there && executor ? BR_OK : br_fail_memory(diag);
    uint32_t executors = 0;
    *cluster = NULL;
    if (!status) {
        uint32_t when = follow(log, log->changes, there);
        for (uint32_t e = 0; e < log->executors; e++)
            there[e] = false;
        follow(log, when, there);
        for (uint32_t e = 0; e < log->executors; e++)
            if (there[e] && log->executor[e].cores > 0)
                executor[executors++] = log->executor[e];
    }
    for (uint32_t s = 0; s < log->stages; s++)
        memory |= log->stage[s].mem_bytes > 0;
    for (uint32_t e = 0; e < executors; e++)
        told &= executor[e].mem_bytes > 0;
    if (!status && executors > 0 && (told || !memory)) {
        *cluster = br_cluster_create(NULL);
        status = *cluster ? add_classes(*cluster, executor, executors, diag) : br_fail_memory(diag);
    }
    if (status) {
        br_cluster_destroy(*cluster);
        *cluster = NULL;
    }
    free(there);
    free(executor);
    return status;
}
