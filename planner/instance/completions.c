/* Finds the ends of a job, sums the times at which they are reached, and bounds that sum. */
#include "planner/instance/completions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/memory.h"
#include "base/collections/sort.h"
#include "base/numbers/decimal.h"
#include "planner/instance/instance.h"

/* ---- What ends ---- */

static const struct br_named objectives[] = {
    {"makespan", "the shortest plan; of equal ones that in which the jobs of one file end sooner"},
    {"mean", "jobs, or the last stages of one, end soon on average"},
    {"weighted", "as mean, weighted by the attribute weight of stages"},
};
const struct br_names br_objectives = {BR_NAMES(objectives)};

enum br_status br_dag_set_weight(struct br_dag *dag, uint32_t stage, uint32_t weight,
                                 struct br_diag *diag)
{
    BR_NEED(diag, dag);
    char text[16];
    if (dag->finished)
        return br_fail(diag, BR_USAGE, "change the job before br_dag_finish",
                       "the job is already finished");
    if (stage >= dag->stages)
        return br_fail(diag, BR_USAGE, NULL, "there is no stage number %" PRIu32, stage);
    if (weight > BR_WEIGHT_MAX)
        return br_fail(diag, BR_BAD_INPUT, "give a whole number from 0 to 1000000",
                       "stage '%s' has the weight %" PRIu32, dag->stage[stage].id, weight);
    snprintf(text, sizeof text, "%" PRIu32, weight);
    return br_dag_add_attribute(dag, BR_OWNER_STAGE, stage, BR_WEIGHT_ATTRIBUTE, text, diag);
}

static uint32_t root_of(uint32_t *leader, uint32_t s)
{
    while (leader[s] != s)
        s = leader[s] = leader[leader[s]];
    return s;
}

/* Numbers the jobs that no edge joins, in the order of their first stages; returns how many. */
static uint32_t find_apart(const struct br_dag *dag, uint32_t *leader, uint32_t *end)
{
    uint32_t count = 0;
    for (uint32_t s = 0; s < dag->stages; s++)
        leader[s] = s;
    for (uint32_t e = 0; e < dag->edges; e++) {
        uint32_t a = root_of(leader, dag->edge[e].parent), b = root_of(leader, dag->edge[e].child);
        leader[a > b ? a : b] = a < b ? a : b;
    }
    for (uint32_t s = 0; s < dag->stages; s++) {
        uint32_t root = root_of(leader, s);
        end[s] = root == s ? count++ : end[root];
    }
    return count;
}

/* Numbers the stages for which nothing waits; returns how many. */
static uint32_t find_sinks(const struct br_dag *dag, uint32_t *end)
{
    uint32_t count = 0;
    memset(end, 0, dag->stages * sizeof *end);
    for (uint32_t e = 0; e < dag->edges; e++)
        end[dag->edge[e].parent] = BR_NO_END;
    for (uint32_t s = 0; s < dag->stages; s++)
        if (end[s] != BR_NO_END)
            end[s] = count++;
    return count;
}

static enum br_status completions_read_weight(const struct br_dag *dag,
                                              const struct br_attribute *attribute, int64_t *weight,
                                              struct br_diag *diag)
{
    struct br_decimal value;
    if (br_decimal_parse(attribute->value, &value) == BR_DECIMAL_OK &&
        br_decimal_scale(value, 0, weight) && *weight >= 0 && *weight <= BR_WEIGHT_MAX)
        return BR_OK;
    return br_fail(diag, BR_BAD_INPUT, "give a whole number from 0 to 1000000",
                   "stage '%s' has the weight '%.40s'", dag->stage[attribute->index].id,
                   attribute->value);
}

static enum br_status find_weights(const struct br_dag *dag, struct br_completions *ends,
                                   struct br_diag *diag)
{
    enum br_status status = BR_OK;
    for (uint32_t k = 0; k < ends->count; k++)
        ends->weight[k] = -1;
    for (uint32_t a = 0; a < dag->attributes && !status; a++) {
        const struct br_attribute *attribute = &dag->attribute[a];
        int64_t weight = 0;
        if (attribute->owner != BR_OWNER_STAGE || strcmp(attribute->name, BR_WEIGHT_ATTRIBUTE) != 0)
            continue;
        status = completions_read_weight(dag, attribute, &weight, diag);
        uint32_t end = ends->end[attribute->index];
        if (!status && end != BR_NO_END && weight > ends->weight[end])
            ends->weight[end] = weight;
    }
    ends->weights = 0;
    for (uint32_t k = 0; k < ends->count; k++) {
        ends->weight[k] = ends->weight[k] < 0 ? 1 : ends->weight[k];
        ends->weights += ends->weight[k];
    }
    if (!status && !ends->weights)
        status = br_fail(diag, BR_BAD_INPUT, "give some stage a weight above 0",
                         "all weights of the job are 0");
    return status;
}

enum br_status br_completions_find(const struct br_dag *dag, bool weighted,
                                   struct br_completions *ends, struct br_diag *diag)
{
    uint32_t *leader = br_malloc(dag->stages * sizeof *leader);
    *ends = (struct br_completions){.end = br_malloc(dag->stages * sizeof *ends->end),
                                    .weight = br_malloc(dag->stages * sizeof *ends->weight)};
    if (!leader || !ends->end || !ends->weight) {
        br_free(leader);
        return br_fail_memory(diag);
    }
    ends->count = find_apart(dag, leader, ends->end);
    ends->apart = ends->count > 1;
    if (!ends->apart)
        ends->count = find_sinks(dag, ends->end);
    ends->weights = ends->count;
    for (uint32_t k = 0; k < ends->count; k++)
        ends->weight[k] = 1;
    br_free(leader);
    return weighted ? find_weights(dag, ends, diag) : BR_OK;
}

void br_completions_finish(struct br_completions *ends)
{
    br_free(ends->end);
    br_free(ends->weight);
    *ends = (struct br_completions){0};
}

/* ---- Their times ---- */

br_wide br_completions_sum(const struct br_completions *ends, const struct br_dag *dag,
                           const int64_t *end, int64_t *last)
{
    br_wide sum = 0;
    memset(last, 0, ends->count * sizeof *last);
    for (uint32_t s = 0; s < dag->stages; s++) {
        const struct br_stage *stage = &dag->stage[s];
        if (ends->end[s] == BR_NO_END)
            continue;
        int64_t *to = &last[ends->end[s]];
        for (uint32_t t = stage->first_task; t < stage->first_task + stage->tasks; t++)
            *to = end[t] > *to ? end[t] : *to;
    }
    for (uint32_t k = 0; k < ends->count; k++)
        sum += (br_wide)ends->weight[k] * last[k];
    return sum;
}

int64_t br_completions_mean(const struct br_completions *ends, const struct br_dag *dag,
                            const int64_t *end_ns)
{
    int64_t *last = br_malloc(ends->count * sizeof *last);
    int64_t mean =
        last ? (int64_t)(br_completions_sum(ends, dag, end_ns, last) / ends->weights) : -1;
    br_free(last);
    return mean;
}

/* ---- Bounds ---- */

/* The length of the longest path to the end of every task, in ticks. */
static void completions_longest_paths(const struct br_instance *in, int64_t *path)
{
    for (uint32_t p = 0; p < in->stages; p++) {
        uint32_t s = in->topological[p], first = in->stage_first[s];
        int64_t all = 0;
        for (uint32_t a = in->parent_first[s]; a < in->parent_first[s + 1]; a++) {
            uint32_t parent = in->parent[a].stage;
            for (uint32_t t = in->stage_first[parent];
                 !in->parent[a].one_to_one && t < in->stage_first[parent + 1]; t++)
                all = path[t] > all ? path[t] : all;
        }
        for (uint32_t t = first; t < in->stage_first[s + 1]; t++) {
            int64_t before = all;
            for (uint32_t a = in->parent_first[s]; a < in->parent_first[s + 1]; a++) {
                uint32_t twin = in->stage_first[in->parent[a].stage] + t - first;
                if (in->parent[a].one_to_one && path[twin] > before)
                    before = path[twin];
            }
            path[t] = before + in->duration[t];
        }
    }
}

static br_wide sum_of_paths(const struct br_completions *ends, const struct br_instance *in,
                            const int64_t *path, int64_t *last)
{
    br_wide sum = 0;
    memset(last, 0, ends->count * sizeof *last);
    for (uint32_t t = 0; t < in->tasks; t++) {
        uint32_t end = ends->end[in->task_stage[t]];
        if (end != BR_NO_END && path[t] > last[end])
            last[end] = path[t];
    }
    for (uint32_t k = 0; k < ends->count; k++)
        sum += (br_wide)ends->weight[k] * last[k];
    return sum;
}

struct load {
    br_wide work;
    int64_t weight;
};

/* Smaller work by weight first. */
static int compare_loads(const void *a, const void *b)
{
    const struct load *x = a, *y = b;
    br_wide left = x->work * y->weight, right = y->work * x->weight;
    return left < right ? -1 : left > right;
}

/* The least sum that the resource allows, if the jobs run one after another on all machines
 * together: whatever order they end in, the first k of them have taken all their work by then. 0 if
 * it is too large to be counted. */
static br_wide sum_of_loads(const struct br_completions *ends, const struct br_instance *in,
                            uint32_t resource, struct load *load)
{
    br_wide total = 0, before = 0, sum = 0;
    for (uint32_t k = 0; k < ends->count; k++)
        load[k] = (struct load){0, ends->weight[k]};
    for (uint32_t s = 0; s < in->stages; s++)
        for (uint32_t t = in->stage_first[s]; t < in->stage_first[s + 1]; t++) {
            br_wide work =
                (br_wide)in->duration[t] * in->demand[(size_t)s * in->resources + resource];
            load[ends->end[s]].work += work;
            total += work;
            if (total > (br_wide)1 << 80) /* with the weights within 2^124, also below */
                return 0;
        }
    br_sort_by(load, ends->count, sizeof *load, compare_loads);
    for (uint32_t k = 0; k < ends->count; k++) {
        before += load[k].work;
        sum += before * load[k].weight;
    }
    return (sum + in->total[resource] - 1) / in->total[resource];
}

int64_t br_completions_bound(const struct br_completions *ends, const struct br_instance *in)
{
    int64_t *path = br_malloc(in->tasks * sizeof *path);
    int64_t *last = br_malloc(ends->count * sizeof *last);
    struct load *load = br_malloc(ends->count * sizeof *load);
    int64_t mean_ns = -1;
    if (path && last && load) {
        completions_longest_paths(in, path);
        br_wide most = sum_of_paths(ends, in, path, last);
        for (uint32_t r = 0; ends->apart && r < in->resources; r++) {
            br_wide sum = in->total[r] > 0 ? sum_of_loads(ends, in, r, load) : 0;
            most = sum > most ? sum : most;
        }
        mean_ns = (int64_t)(most * in->tick_ns / ends->weights);
    }
    br_free(path);
    br_free(last);
    br_free(load);
    return mean_ns;
}
