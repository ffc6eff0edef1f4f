/* An input file for HTCondor's DAGMan, with the description of every stage's jobs in it. */
#include "emit/engines/engine.h"
#include "emit/write/outputs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_description(FILE *out, const struct br_engine *engine, uint32_t s)
{
    fputs("\nSUBMIT-DESCRIPTION ", out);
    br_engine_stage(out, engine, s);
    fputs(" {\n  universe = vanilla\n  executable = /bin/sh\n"
          "  arguments = \"-c '$(command)'\"\n  transfer_executable = false\n"
          "  log = bigrocks.log\n",
          out);
    fprintf(out, "  request_cpus = %" PRIu32 "\n", engine->need[s].cpus);
    if (engine->need[s].mem_bytes > 0)
        fprintf(out, "  request_memory = %" PRId64 "K\n",
                engine->need[s].mem_bytes / 1024 + (engine->need[s].mem_bytes % 1024 != 0));
    const char *before = "  concurrency_limits = ";
    for (uint32_t l = 0; l < engine->limits.count; l++) {
        int64_t amount = br_limit_demand(&engine->limits.limit[l], engine->dag, s);
        if (!br_limit_is_other(&engine->limits.limit[l]) || amount == 0)
            continue;
        fputs(before, out);
        br_engine_resource(out, engine, &engine->limits.limit[l]);
        fprintf(out, ":%" PRId64, amount);
        before = ", ";
    }
    if (*before == ',')
        putc('\n', out);
    fputs("}\n", out);
}

/* The text stands inside "..." of VARS, and from there inside '...' of a quoted list of arguments.
 * In these, quotation marks are doubled, and a dollar begins a macro. */
static void write_variable(FILE *out, const char *line)
{
    for (; *line; line++)
        switch (*line) {
        case '\'':
            fputs("''", out);
            break;
        case '"':
            fputs("\\\"\\\"", out);
            break;
        case '\\':
            fputs("\\\\", out);
            break;
        case '$':
            fputs("$(DOLLAR)", out);
            break;
        default:
            putc(*line, out);
        }
}

static enum br_status write_job(FILE *out, const struct br_engine *engine, uint32_t task,
                                struct br_diag *diag)
{
    uint32_t stage = br_dag_task_stage(engine->dag, task);
    char *line;
    enum br_status status = br_engine_task_line(engine, task, &line, diag);
    if (status)
        return status;
    fputs("\nJOB ", out);
    br_engine_task(out, engine, task);
    putc(' ', out);
    br_engine_stage(out, engine, stage);
    fputs("\nVARS ", out);
    br_engine_task(out, engine, task);
    fputs(" command=\"", out);
    write_variable(out, line);
    fputs("\"\nPRIORITY ", out);
    br_engine_task(out, engine, task);
    fprintf(out, " %" PRIu32 "\n",
            engine->input->plan->tasks - engine->input->plan->rank[task] + 1);
    free(line);
    return BR_OK;
}

static void write_tasks(FILE *out, const struct br_engine *engine, uint32_t stage)
{
    for (uint32_t i = 0; i < engine->dag->stage[stage].tasks; i++) {
        putc(' ', out);
        br_engine_task(out, engine, engine->dag->stage[stage].first_task + i);
    }
}

static void write_edge(FILE *out, const struct br_engine *engine, const struct br_edge *edge)
{
    if (edge->type == BR_BARRIER) {
        fputs("PARENT", out);
        write_tasks(out, engine, edge->parent);
        fputs(" CHILD", out);
        write_tasks(out, engine, edge->child);
        putc('\n', out);
        return;
    }
    for (uint32_t i = 0; i < engine->dag->stage[edge->parent].tasks; i++) {
        fputs("PARENT ", out);
        br_engine_task(out, engine, engine->dag->stage[edge->parent].first_task + i);
        fputs(" CHILD ", out);
        br_engine_task(out, engine, engine->dag->stage[edge->child].first_task + i);
        putc('\n', out);
    }
}

enum br_status br_emit_dagman(const struct br_emit_input *input, FILE *out, struct br_diag *diag)
{
    static const char *const usage[] = {
        "Run it by: condor_submit_dag FILE (HTCondor 9 or later, for SUBMIT-DESCRIPTION)", NULL};
    static const char *const left_out[] = {
        "machines and start times: the negotiator matches jobs, those of higher PRIORITY first",
        NULL};
    struct br_engine engine;
    enum br_status status = br_engine_init_commands(&engine, input, diag);
    if (status)
        return status;
    engine.others_where = "the pool's configuration says so, as in net_LIMIT = 12";
    br_engine_header(out, "#", &engine, usage, BR_KEEPS_ALL, left_out);
    for (uint32_t s = 0; s < input->dag->stages; s++)
        write_description(out, &engine, s);
    for (uint32_t k = 0; k < input->plan->tasks && !status; k++)
        status = write_job(out, &engine, input->plan->order[k], diag);
    putc('\n', out);
    for (uint32_t e = 0; e < input->dag->edges; e++)
        write_edge(out, &engine, &input->dag->edge[e]);
    br_engine_finish(&engine);
    return status;
}
