/* Functions that read from a job: its counts, the ids of stages and tasks, and fingerprints. */
#include "planner/model/dag.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/collections/index.h"
#include "base/text/diag.h"
#include "planner/model/source.h"

void br_dag_blame(const struct br_dag *dag, struct br_diag *diag)
{
    if (dag->source)
        br_diag_file(diag, dag->source);
}

const char *br_dag_name(const struct br_dag *dag)
{
    return dag ? dag->name : NULL;
}

uint32_t br_dag_stage_count(const struct br_dag *dag)
{
    return dag ? dag->stages : 0;
}

uint32_t br_dag_task_count(const struct br_dag *dag)
{
    return dag ? dag->tasks : 0;
}

void br_dag_stage_tasks(const struct br_dag *dag, uint32_t stage, uint32_t *first, uint32_t *count)
{
    const bool there = dag && stage < dag->stages;
    if (first)
        *first = there ? dag->stage[stage].first_task : 0;
    if (count)
        *count = there ? dag->stage[stage].tasks : 0;
}

const char *br_dag_stage_id(const struct br_dag *dag, uint32_t stage)
{
    return dag && stage < dag->stages ? dag->stage[stage].id : NULL;
}

uint32_t br_dag_task_stage(const struct br_dag *dag, uint32_t task)
{
    if (!dag || task >= dag->tasks)
        return UINT32_MAX;
    if (dag->tasks == dag->stages) /* of one task each */
        return task;
    uint32_t low = 0, high = dag->stages;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (dag->stage[middle].first_task <= task)
            low = middle;
        else
            high = middle;
    }
    return low;
}

uint32_t br_dag_alternative_count(const struct br_dag *dag, uint32_t stage)
{
    return dag && stage < dag->stages ? dag->stage[stage].alternatives : 0;
}

const char *br_dag_alternative_id(const struct br_dag *dag, uint32_t stage, uint32_t alternative)
{
    if (!dag || !dag->finished || alternative >= br_dag_alternative_count(dag, stage))
        return NULL;
    const struct br_alternatives *all = dag->alternatives;
    return all->alternative[all->stage_first[stage] + alternative].id;
}

int br_dag_task_id(const struct br_dag *dag, uint32_t task, char *text, size_t size)
{
    const uint32_t number = br_dag_task_stage(dag, task);
    size = text ? size : 0;
    if (number == UINT32_MAX)
        return snprintf(text, size, "%s", "");
    const struct br_stage *stage = &dag->stage[number];
    if (stage->tasks == 1)
        return snprintf(text, size, "%s", stage->id);
    return snprintf(text, size, "%s[%" PRIu32 "]", stage->id, task - stage->first_task);
}

static uint32_t dag_read_end(const struct br_edge *edge, enum br_edge_end end)
{
    return end == BR_EDGE_PARENT ? edge->parent : edge->child;
}

void br_dag_list_edges(const struct br_dag *dag, enum br_edge_end end, uint32_t *first,
                       uint32_t *edge)
{
    for (uint32_t e = 0; e < dag->edges; e++)
        br_csr_count(first, dag_read_end(&dag->edge[e], end));
    br_csr_sum(first, dag->stages);
    for (uint32_t e = 0; e < dag->edges; e++)
        edge[br_csr_place(first, dag_read_end(&dag->edge[e], end))] = e;
    assert(first[0] == 0 && first[dag->stages] == dag->edges);
}

static uint64_t dag_read_mix(uint64_t sum, uint64_t value)
{
    return br_hash_number(sum ^ value);
}

uint64_t br_dag_fingerprint(const struct br_dag *dag, bool commands)
{
    uint64_t sum = dag_read_mix(dag->stages, dag->edges);
    for (uint32_t s = 0; s < dag->stages; s++) {
        const struct br_stage *stage = &dag->stage[s];
        sum = dag_read_mix(sum, br_hash_text(stage->id));
        sum = dag_read_mix(sum, stage->tasks);
        sum = dag_read_mix(sum, commands && stage->command ? br_hash_text(stage->command) : 0);
    }
    for (uint32_t e = 0; e < dag->edges; e++)
        sum = dag_read_mix(
            dag_read_mix(sum, (uint64_t)dag->edge[e].parent << 32 | dag->edge[e].child),
            dag->edge[e].type);
    return sum;
}

static uint64_t mix_way_amounts(uint64_t sum, const struct br_dag *dag,
                                const struct br_way_amount *run, uint32_t count)
{
    sum = dag_read_mix(sum, count);
    for (uint32_t k = 0; k < count; k++) {
        sum = dag_read_mix(sum, br_hash_text(dag->resource[run[k].resource].name));
        sum = dag_read_mix(dag_read_mix(sum, (uint64_t)run[k].amount.mantissa),
                           (uint64_t)run[k].amount.exponent);
    }
    return sum;
}

static uint64_t mix_alternatives(uint64_t sum, const struct br_dag *dag)
{
    const struct br_alternatives *all = dag->alternatives;
    for (uint32_t a = 0; a < all->count; a++) {
        const struct br_alternative *way = &all->alternative[a];
        sum = dag_read_mix(dag_read_mix(sum, way->stage), way->id ? br_hash_text(way->id) : 0);
        sum = mix_way_amounts(sum, dag, br_way_demands(all, way), way->demands);
        sum = mix_way_amounts(sum, dag, br_way_consumes(all, way), way->consumed);
        for (uint32_t k = 0; k < way->classes; k++)
            sum = dag_read_mix(sum, br_hash_text(all->class_name[way->first_class + k]));
        for (uint32_t i = 0; way->id && i < dag->stage[way->stage].tasks; i++)
            sum = dag_read_mix(sum, (uint64_t)all->duration_ns[way->first_duration + i]);
    }
    return sum;
}

/* Outputs, reads, times and alternatives, if the job has them. */
static uint64_t mix_features(uint64_t sum, const struct br_dag *dag)
{
    const struct br_storage *storage = dag->storage;
    const struct br_times *times = dag->times;
    for (uint32_t o = 0; storage && o < storage->outputs; o++) {
        const struct br_output *output = &storage->output[o];
        sum = dag_read_mix(sum, (uint64_t)output->stage << 32 | output->flags);
        sum = dag_read_mix(sum, br_hash_text(dag->resource[output->resource].name));
        sum = dag_read_mix(dag_read_mix(sum, (uint64_t)output->amount.mantissa),
                           (uint64_t)output->amount.exponent);
        for (uint32_t k = storage->output_first[o]; k < storage->output_first[o + 1]; k++)
            sum = dag_read_mix(sum, storage->readers[k]);
    }
    for (uint32_t t = 0; times && t < dag->tasks; t++)
        sum = dag_read_mix(dag_read_mix(sum, (uint64_t)br_dag_release(dag, t)),
                           (uint64_t)br_dag_deadline(dag, t));
    for (uint32_t e = 0; times && times->wait && e < dag->edges; e++)
        sum =
            dag_read_mix(dag_read_mix(sum, (uint64_t)times->wait[e].lag_ns), times->wait[e].stream);
    return dag->alternatives ? mix_alternatives(sum, dag) : sum;
}

uint64_t br_dag_details_fingerprint(const struct br_dag *dag)
{
    uint64_t sum = dag_read_mix(dag->tasks, dag->demands);
    for (uint32_t t = 0; t < dag->tasks; t++)
        sum = dag_read_mix(sum, (uint64_t)dag->duration_ns[t]);
    for (uint32_t s = 0; s < dag->stages; s++) {
        const struct br_stage *stage = &dag->stage[s];
        sum = dag_read_mix(sum, stage->demands);
        for (uint32_t k = 0; k < stage->demands; k++) {
            const struct br_demand *demand = &dag->demand[stage->first_demand + k];
            sum = dag_read_mix(sum, br_hash_text(dag->resource[demand->resource].name));
            sum = dag_read_mix(dag_read_mix(sum, (uint64_t)demand->amount.mantissa),
                               (uint64_t)demand->amount.exponent);
        }
    }
    return mix_features(sum, dag);
}
