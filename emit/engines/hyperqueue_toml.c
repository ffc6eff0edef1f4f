/* A job definition file of HyperQueue's, in TOML: a task is a table with its id, the ids that it
 * waits for, its priority and what it takes. Tasks have ids and no names, so their names stand in
 * comments. The id is the rank in the plan; joints have the numbers behind those. */
#include "emit/engines/hyperqueue.h"
#include "emit/engines/tuples.h"
#include "emit/write/outputs.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/collections/memory.h"

struct definition {
    FILE *out;
    const struct br_engine *engine;
    uint32_t *joint; /* by stage: the id of its joint, if it has one */
    uint32_t *left;  /* by stage: tasks that are not written yet */
};

static enum br_status definition_init(struct definition *definition, struct br_diag *diag)
{
    const struct br_dag *dag = definition->engine->dag;
    uint32_t next = dag->tasks + 1;
    definition->joint = br_calloc((size_t)dag->stages + 1, sizeof *definition->joint);
    definition->left = br_calloc((size_t)dag->stages + 1, sizeof *definition->left);
    if (!definition->joint || !definition->left)
        return br_fail_memory(diag);
    for (uint32_t s = 0; s < dag->stages; s++) {
        definition->joint[s] = definition->engine->has_joint[s] ? next++ : 0;
        definition->left[s] = dag->stage[s].tasks;
    }
    return BR_OK;
}

/* The ids of `count` tasks from `first` on. */
static void definition_write_ids(const struct definition *definition, uint32_t first,
                                 uint32_t count)
{
    for (uint32_t t = first; t < first + count; t++)
        fprintf(definition->out, "%s%" PRIu32, t > first ? ", " : "",
                definition->engine->input->plan->rank[t]);
}

/* The ids of all that the task waits for. */
static void definition_write_parents(const struct definition *definition, uint32_t task)
{
    const struct br_engine *engine = definition->engine;
    const struct br_dag *dag = engine->dag;
    const uint32_t s = br_dag_task_stage(dag, task);
    const char *before = "\ndeps = [";
    for (uint32_t k = engine->parents.first[s]; k < engine->parents.first[s + 1]; k++) {
        const struct br_edge *edge = &dag->edge[engine->parents.edge[k]];
        const struct br_stage *parent = &dag->stage[edge->parent];
        fputs(before, definition->out);
        if (br_engine_is_joined(dag, edge))
            fprintf(definition->out, "%" PRIu32, definition->joint[edge->parent]);
        else if (edge->type == BR_ONE_TO_ONE)
            definition_write_ids(definition, parent->first_task + task - dag->stage[s].first_task,
                                 1);
        else
            definition_write_ids(definition, parent->first_task, parent->tasks);
        before = ", ";
    }
    fputs(*before == ',' ? "]\n" : "\n", definition->out);
}

static enum br_status definition_write_task(const struct definition *definition, uint32_t task,
                                            struct br_diag *diag)
{
    FILE *out = definition->out;
    const struct br_engine *engine = definition->engine;
    const uint32_t stage = br_dag_task_stage(engine->dag, task);
    char *line;
    enum br_status status = br_engine_task_line(engine, task, &line, diag);
    if (status)
        return status;
    fputs("\n[[task]] # ", out);
    br_engine_task(out, engine, task);
    fprintf(out, "\nid = %" PRIu32, engine->input->plan->rank[task]);
    definition_write_parents(definition, task);
    fprintf(out, "priority = %" PRIu32 "\ncommand = [\"/bin/sh\", \"-c\", \"",
            br_engine_priority(engine, task));
    br_write_text(out, BR_QUOTE_JSON, line);
    fprintf(out, "\"]\n[[task.request]]\nresources = {\"cpus\" = %" PRIu32,
            engine->need[stage].cpus);
    status = br_hyperqueue_others(out, engine, stage, ", ", " = ", diag);
    fputs("}\n", out);
    free(line);
    return status;
}

/* A joint takes the least part of a core: HyperQueue has no task without cores. */
static void definition_write_joint(const struct definition *definition, uint32_t stage)
{
    FILE *out = definition->out;
    const struct br_stage *of = &definition->engine->dag->stage[stage];
    fputs("\n[[task]] # ", out);
    br_engine_joint(out, definition->engine, stage);
    fprintf(out, "\nid = %" PRIu32 "\ndeps = [", definition->joint[stage]);
    definition_write_ids(definition, of->first_task, of->tasks);
    fprintf(out,
            "]\npriority = %" PRIu32 "\ncommand = [\"/bin/true\"]\n"
            "[[task.request]]\nresources = {\"cpus\" = \"0.0001\"}\n",
            definition->engine->dag->tasks + 1);
}

static enum br_status definition_write(struct definition *definition, struct br_diag *diag)
{
    const struct br_engine *engine = definition->engine;
    enum br_status status = definition_init(definition, diag);
    for (uint32_t k = 0; k < engine->dag->tasks && !status; k++) {
        const uint32_t task = engine->input->plan->order[k];
        const uint32_t stage = br_dag_task_stage(engine->dag, task);
        status = definition_write_task(definition, task, diag);
        assert(definition->left[stage] > 0);
        if (--definition->left[stage] == 0 && engine->has_joint[stage])
            definition_write_joint(definition, stage);
    }
    br_free(definition->joint);
    br_free(definition->left);
    return status;
}

enum br_status br_emit_hyperqueue_toml(const struct br_emit_input *input, FILE *out,
                                       struct br_diag *diag)
{
    static const char *const usage[] = {
        "Run it by: hq job submit-file FILE, where a server (hq server start) has workers;",
        "what tasks print is in job-N/ID.stdout and job-N/ID.stderr.", NULL};
    static const char *const left_out[] = {
        "machines and start times: any worker that has the resources takes the next task", NULL};
    struct br_engine engine;
    enum br_status status = br_hyperqueue_begin(&engine, input, diag);
    if (status)
        return status;
    br_engine_header(out, "#", &engine, usage, BR_KEEPS_ALL, left_out);
    fputs("\nname = \"", out);
    br_write_text(out, BR_QUOTE_JSON, engine.dag->name);
    fputs("\"\n", out);
    struct definition definition = {.out = out, .engine = &engine};
    status = definition_write(&definition, diag);
    br_engine_finish(&engine);
    return status;
}
