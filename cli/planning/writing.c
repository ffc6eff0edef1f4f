/* Writes samples of the job without output. The cost of a stage, a task and an edge is the
 * difference between two samples, since each format has a part that does not grow with the job. */
#include "cli/planning/writing.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "emit/emit.h"
#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"
#include <bigrocks/planner.h>

/* The usual time; the size below which no sample is made; the system's time per byte; and the
 * margin for errors of the estimate: numbers in a sample are short, and some formats sort. */
static const int64_t usual_task_ns = 1500, usual_stage_ns = 1000, usual_edge_ns = 200;
static const double least_ns = 20e6, copy_ns = 1, doubt = 1.5;
/* Stages of the largest sample; how often each is written; machines that alone take too long. */
enum { SAMPLE = 200, TRIES = 3, MANY_MACHINES = 20000 };

struct shape {
    uint32_t stages, copies, pairs; /* tasks of each; edges, each between two stages of its own */
};

struct written {
    uint64_t bytes;
    int64_t ns;
};

static ssize_t count_bytes(void *context, const char *text, size_t size)
{
    (void)text;
    ((struct written *)context)->bytes += size;
    return (ssize_t)size;
}

/* Takes stages spread over the job, without the extras that the format may write beside them. */
static struct br_dag *make_sample(const struct br_dag *dag, const struct shape *shape)
{
    struct br_dag *sample = br_dag_create(dag->name);
    bool ok = sample != NULL;
    for (uint32_t k = 0; ok && k < shape->stages; k++) {
        const uint32_t s = (uint32_t)((uint64_t)k * dag->stages / shape->stages);
        const struct br_stage *stage = &dag->stage[s];
        ok = !br_dag_add_stage(sample, stage->id, shape->copies, stage->duration_ns, NULL, NULL) &&
             (!stage->command || !br_dag_set_command(sample, k, stage->command, NULL));
        for (uint32_t d = stage->first_demand; ok && d < stage->first_demand + stage->demands;
             d++) {
            char amount[BR_DECIMAL_TEXT];
            br_decimal_format(dag->demand[d].amount, amount, sizeof amount);
            ok = !br_dag_add_demand(sample, k, dag->resource[dag->demand[d].resource].name, amount,
                                    NULL);
        }
    }
    for (uint32_t k = 0; ok && k < shape->pairs; k++)
        ok = !br_dag_add_edge(sample, 2 * k, 2 * k + 1, BR_BARRIER, NULL);
    if (ok && !br_dag_finish(sample, NULL))
        return sample;
    br_dag_destroy(sample);
    return NULL;
}

/* Writes the plan of the sample. */
static bool writing_write_sample(const struct br_emit_input *emit, const char *format,
                                 int64_t (*now_ns)(void), struct written *written)
{
    *written = (struct written){0, INT64_MAX};
    bool ok = true;
    for (uint32_t try = 0; ok && try < TRIES; try++) {
        const cookie_io_functions_t sink = {.write = count_bytes};
        struct written once = {0, 0};
        FILE *out = fopencookie(&once, "w", sink);
        const int64_t began_ns = now_ns();
        ok = out && !br_emit_plan(format, emit, out, NULL);
        once.ns = now_ns() - began_ns;
        if (out)
            fclose(out);
        written->bytes = once.bytes;
        written->ns = once.ns < written->ns ? once.ns : written->ns;
    }
    return ok;
}

static bool try_shape(const struct br_input *input, const char *format, const struct shape *shape,
                      int64_t (*now_ns)(void), struct written *written)
{
    struct br_plan_options options = br_plan_options_default();
    struct br_dag *sample = make_sample(input->dag, shape);
    struct br_plan *plan = NULL;
    options.method = "cp";
    options.bound = BR_PLAN_BOUND_NONE;
    options.threads = 1;
    bool ok = sample && !br_plan_make(sample, input->cluster, &options, &plan, NULL);
    if (ok) {
        struct br_emit_note note = {""};
        const struct br_emit_input emit = {
            .dag = sample, .cluster = input->cluster, .plan = plan, .note = &note};
        ok = writing_write_sample(&emit, format, now_ns, written);
    }
    br_plan_destroy(plan);
    br_dag_destroy(sample);
    return ok;
}

/* Bytes per item, from two samples that differ by `count` items. */
static double each(const struct written *more, const struct written *less, uint32_t count)
{
    return more->bytes > less->bytes ? (double)(more->bytes - less->bytes) / count : 0;
}

int64_t cli_writing_ns(const struct br_input *input, const char *format, int64_t (*now_ns)(void))
{
    const struct br_dag *dag = input->dag;
    const double usual_ns = (double)usual_task_ns * dag->tasks +
                            (double)usual_stage_ns * dag->stages +
                            (double)usual_edge_ns * dag->edges;
    const uint32_t n = dag->stages < SAMPLE ? dag->stages / 4 * 2 : SAMPLE / 2;
    const struct shape shapes[] = {{n, 1, 0}, {2 * n, 1, 0}, {n, 2, 0}, {n, 1, n / 2}};
    struct written base, stages, tasks, edges;
    if (usual_ns < least_ns || n == 0 || br_emit_shows_two(format) ||
        input->cluster->machines > MANY_MACHINES ||
        !try_shape(input, format, &shapes[0], now_ns, &base) ||
        !try_shape(input, format, &shapes[1], now_ns, &stages) ||
        !try_shape(input, format, &shapes[2], now_ns, &tasks) ||
        !try_shape(input, format, &shapes[3], now_ns, &edges) || stages.bytes <= base.bytes)
        return (int64_t)usual_ns;
    const double of_task = each(&tasks, &base, n), of_stage = each(&stages, &base, n) - of_task;
    const double bytes =
        of_task * dag->tasks + of_stage * dag->stages + each(&edges, &base, n / 2) * dag->edges;
    const double byte_ns = (double)(stages.ns > base.ns ? stages.ns - base.ns : 0) /
                           (double)(stages.bytes - base.bytes);
    return base.ns + (int64_t)(doubt * bytes * (byte_ns + copy_ns));
}
