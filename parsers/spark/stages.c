#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/sort.h"
#include "base/numbers/wide.h"
#include "base/text/text.h"
#include "parsers/spark/stages.h"
#include "parsers/text/value.h"

/* Amounts are kept with 18 digits. */
#define MOST_BYTES INT64_C(999999999999999999)

static int64_t mean_ns(const struct br_spark_log *log, const struct br_spark_stage *stage)
{
    br_wide sum = 0;
    for (uint32_t t = stage->first_task; t < stage->first_task + stage->tasks; t++)
        sum += log->task[t].ns;
    return stage->tasks ? (int64_t)((sum + stage->tasks / 2) / stage->tasks) : 0;
}

static enum br_status spark_stages_add_demands(const struct br_spark_log *log,
                                               const struct br_spark_stage *stage, bool memory,
                                               struct br_dag *dag, uint32_t number,
                                               struct br_diag *diag)
{
    char amount[BR_DECIMAL_TEXT];
    uint32_t cpus = stage->profile < log->profiles ? log->task_cpus[stage->profile] : 1;
    uint32_t together = stage->barrier ? stage->tasks : 1;
    br_wide mem_bytes = (br_wide)stage->mem_bytes * together;
    snprintf(amount, sizeof amount, "%" PRIu64, (uint64_t)cpus * together);
    enum br_status status = br_dag_add_demand(dag, number, "cpu", amount, diag);
    snprintf(amount, sizeof amount, "%" PRId64,
             mem_bytes < MOST_BYTES ? (int64_t)mem_bytes : MOST_BYTES);
    if (!status && memory && stage->mem_bytes > 0)
        status = br_dag_add_demand(dag, number, "mem", amount, diag);
    return status;
}

/* A stage without tasks takes no time and demands nothing. */
static enum br_status spark_add_stage(const struct br_spark_log *log,
                                      const struct br_spark_stage *stage, bool memory,
                                      struct br_dag *dag, uint32_t *number, struct br_diag *diag)
{
    char id[24];
    snprintf(id, sizeof id, "stage%" PRIu32, stage->id);
    br_value_place(diag, stage->pos);
    enum br_status status = br_dag_add_stage(
        dag, id, br_spark_stage_size(stage),
        stage->barrier ? br_spark_longest_ns(log, stage) : mean_ns(log, stage), number, diag);
    if (status)
        return status;
    br_dag_set_stage_pos(dag, *number, stage->pos);
    if (stage->tasks)
        status = spark_stages_add_demands(log, stage, memory, dag, *number, diag);
    if (!status && stage->name && br_text_is_lines(stage->name))
        status = br_dag_add_attribute(dag, BR_OWNER_STAGE, *number, "name", stage->name, diag);
    return status;
}

/* ---- Dependencies ---- */

struct links {
    const struct br_spark_log *log;
    const uint32_t *stage; /* of the log, in the order of the dag's numbers */
    struct br_dag *dag;
    const uint32_t *number; /* by stage of the log: in the dag */
    uint32_t base;          /* the number of the first of these stages in the dag */
    uint32_t *first_edge;   /* by place in `stage`: start of the edges to it */
    struct br_sort_item *item;
    uint32_t *latest; /* stages of a job by their ends: for each prefix, the one that began last */
    uint32_t *rank;   /* by place in `stage`: position in that order */
    struct br_diag *diag;
};

static enum br_status spark_stages_add_edge(struct links *links, uint32_t parent, uint32_t k)
{
    const struct br_spark_stage *child = &links->log->stage[links->stage[k]];
    enum br_status status =
        br_dag_add_edge(links->dag, parent, links->base + k, BR_BARRIER, links->diag);
    if (!status)
        br_dag_set_edge_pos(links->dag, child->pos);
    return status;
}

/* The k-th stage waits for its parents; if it ran beside one, it waits as that one does. Spark
 * numbers parents before children, so the edges of these exist already. */
static enum br_status spark_stages_link_parents(struct links *links, uint32_t k)
{
    const struct br_spark_log *log = links->log;
    const struct br_spark_stage *child = &log->stage[links->stage[k]];
    enum br_status status = BR_OK;
    for (uint32_t p = 0; p < child->parents && !status; p++) {
        uint32_t parent = log->parent[child->first_parent + p], number = links->number[parent];
        if (number == BR_SPARK_NONE) /* skipped: its result existed already */
            continue;
        assert(number >= links->base);
        uint32_t place = number - links->base;
        if (place >= k || !br_spark_runs_beside(&log->stage[parent], child)) {
            status = spark_stages_add_edge(links, number, k);
            continue;
        }
        assert(links->first_edge[place] <= links->first_edge[place + 1]);
        for (uint32_t e = links->first_edge[place]; e < links->first_edge[place + 1] && !status;
             e++)
            status = spark_stages_add_edge(links, links->dag->edge[e].parent, k);
    }
    return status;
}

static int64_t began(const struct links *links, uint32_t item)
{
    return links->log->stage[links->stage[links->item[item].item]].first_ns;
}

/* Sorts the stages of the job in places from..to by their ends. Stages without tasks have none. */
static uint32_t sort_by_end(struct links *links, uint32_t from, uint32_t to)
{
    uint32_t items = 0;
    for (uint32_t k = from; k < to; k++) {
        const struct br_spark_stage *stage = &links->log->stage[links->stage[k]];
        if (stage->tasks)
            links->item[items++] = (struct br_sort_item){(uint64_t)stage->last_ns, k};
    }
    br_sort(links->item, links->item + items, items);
    for (uint32_t i = 0; i < items; i++) {
        links->rank[links->item[i].item] = i;
        links->latest[i] = i > 0 && began(links, links->latest[i - 1]) >= began(links, i)
                               ? links->latest[i - 1]
                               : i;
    }
    return items;
}

/* Number of items that have ended by then. */
static uint32_t count_ended(const struct links *links, uint32_t items, int64_t ns)
{
    uint32_t low = 0, high = items;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if ((int64_t)links->item[middle].key <= ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The k-th stage, whose parents are unknown, waits for the stages of its job that had ended when it
 * began. Implied edges are omitted: a stage that had ended when the last of these began comes
 * before that one. Stages that took no time wait for those of lower rank. */
static enum br_status link_by_time(struct links *links, uint32_t k, uint32_t items)
{
    const struct br_spark_stage *child = &links->log->stage[links->stage[k]];
    enum br_status status = BR_OK;
    uint32_t ended = child->tasks ? count_ended(links, items, child->first_ns) : 0;
    if (child->tasks && ended > links->rank[k])
        ended = links->rank[k];
    if (ended == 0)
        return BR_OK;
    assert(ended <= items);
    uint32_t last = links->latest[ended - 1], from = count_ended(links, last, began(links, last));
    for (uint32_t i = from; i < ended && !status; i++)
        status = spark_stages_add_edge(links, links->base + links->item[i].item, k);
    return status;
}

static enum br_status spark_link_stages(struct links *links, uint32_t stages)
{
    const struct br_spark_log *log = links->log;
    enum br_status status = BR_OK;
    for (uint32_t from = 0, to; from < stages && !status; from = to) {
        uint32_t job = log->stage[links->stage[from]].job, items = 0;
        bool linked = true;
        for (to = from; to < stages && log->stage[links->stage[to]].job == job; to++)
            linked &= log->stage[links->stage[to]].linked;
        if (!linked)
            items = sort_by_end(links, from, to);
        for (uint32_t k = from; k < to && !status; k++) {
            const struct br_spark_stage *stage = &log->stage[links->stage[k]];
            br_value_place(links->diag, stage->pos);
            links->first_edge[k] = links->dag->edges;
            status =
                stage->linked ? spark_stages_link_parents(links, k) : link_by_time(links, k, items);
            links->first_edge[k + 1] = links->dag->edges;
        }
    }
    return status;
}

enum br_status br_spark_add_stages(const struct br_spark_log *log, const uint32_t *stage,
                                   uint32_t stages, bool memory, struct br_dag *dag,
                                   uint32_t *number, struct br_diag *diag)
{
    struct links links = {log, stage, dag, number, .base = dag->stages, .diag = diag};
    enum br_status status = BR_OK;
    for (uint32_t k = 0; k < stages && !status; k++)
        status = spark_add_stage(log, &log->stage[stage[k]], memory, dag, &number[stage[k]], diag);
    links.first_edge = malloc(((size_t)stages + 1) * sizeof *links.first_edge);
    links.item = malloc((2 * (size_t)stages + 1) * sizeof *links.item);
    links.latest = malloc(((size_t)stages + 1) * sizeof *links.latest);
    links.rank = malloc(((size_t)stages + 1) * sizeof *links.rank);
    if (!status && (!links.first_edge || !links.item || !links.latest || !links.rank))
        status = br_fail_memory(diag);
    if (!status)
        status = spark_link_stages(&links, stages);
    free(links.first_edge);
    free(links.item);
    free(links.latest);
    free(links.rank);
    return status;
}

/* ---- The cluster ---- */

/* Marks the executors present after that many changes. Returns the number of changes after which
 * most were present. */
static uint32_t spark_stages_follow(const struct br_spark_log *log, uint32_t changes, bool *there)
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

static enum br_status spark_stages_add_class(struct br_cluster *cluster,
                                             const struct br_spark_executor *executor,
                                             uint32_t count, struct br_diag *diag)
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
        status = spark_stages_add_class(cluster, &executor[k], run, diag);
    }
    return status;
}

enum br_status br_spark_cluster(const struct br_spark_log *log, struct br_cluster **cluster,
                                uint32_t *cores, struct br_diag *diag)
{
    bool *there = calloc((size_t)log->executors + 1, sizeof *there), memory = false, told = true;
    struct br_spark_executor *executor = malloc(((size_t)log->executors + 1) * sizeof *executor);
    enum br_status status = there && executor ? BR_OK : br_fail_memory(diag);
    uint32_t executors = 0;
    uint64_t all = 0;
    *cluster = NULL;
    if (!status) {
        uint32_t when = spark_stages_follow(log, log->changes, there);
        memset(there, 0, log->executors * sizeof *there);
        spark_stages_follow(log, when, there);
        for (uint32_t e = 0; e < log->executors; e++)
            if (there[e] && log->executor[e].cores > 0)
                executor[executors++] = log->executor[e];
    }
    for (uint32_t s = 0; s < log->stages; s++)
        memory |= log->stage[s].mem_bytes > 0;
    for (uint32_t e = 0; e < executors; e++) {
        told &= executor[e].mem_bytes > 0;
        all += executor[e].cores;
    }
    if (cores)
        *cores = all < UINT32_MAX ? (uint32_t)all : UINT32_MAX;
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
