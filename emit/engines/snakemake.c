/* A Snakefile with a rule per task, since rules have priorities. Its files are marks of finished
 * tasks, so that a run that was cut short goes on from the point where it stopped.
 *
 * Cores are threads, memory is mem_mb; every other resource is one of its own in whole numbers.
 * Snakemake keeps them all by itself, as far as --resources names them. */
#include "emit/engines/engine.h"
#include "emit/write/outputs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARKS ".bigrocks/"

/* Snakemake formats lines and takes doubled braces for single ones. */
static void snakemake_write_line(FILE *out, const char *line)
{
    for (size_t n; *line; line += n + (line[n] != 0)) {
        n = strcspn(line, "{}");
        br_write_part(out, BR_QUOTE_JSON, line, n);
        if (line[n])
            fprintf(out, "%c%c", line[n], line[n]);
    }
}

/* "s2_map.3" in the folder of marks. */
static void write_mark(FILE *out, const struct br_engine *engine, uint32_t stage, const char *index)
{
    fputs(MARKS, out);
    br_engine_stage(out, engine, stage);
    if (engine->dag->stage[stage].tasks > 1)
        fprintf(out, ".%s", index);
}

/* All marks of a stage, as an argument of `input`. */
static void snakemake_write_all(FILE *out, const struct br_engine *engine, uint32_t stage)
{
    uint32_t tasks = engine->dag->stage[stage].tasks;
    fputs(tasks > 1 ? "expand(\"" : "\"", out);
    write_mark(out, engine, stage, "{i}");
    if (tasks > 1)
        fprintf(out, "\", i=range(%" PRIu32 "))", tasks);
    else
        putc('"', out);
}

/* ---- Resources ---- */

/* Writes the task's demands. Its duration is a text, for imports, since Snakemake does not limit
 * texts. */
static void write_needs(FILE *out, const struct br_engine *engine, uint32_t task)
{
    uint32_t s = br_dag_task_stage(engine->dag, task);
    fprintf(out, "    threads: %" PRIu32 "\n    resources: duration_s=\"", engine->need[s].cpus);
    br_write_seconds(out, engine->dag->duration_ns[task]);
    putc('"', out);
    if (engine->need[s].mem_bytes > 0)
        fprintf(out, ", mem_mb=%" PRId64,
                engine->need[s].mem_bytes / 1000000 + (engine->need[s].mem_bytes % 1000000 != 0));
    for (uint32_t l = 0; l < engine->limits.count; l++) {
        const struct br_limit *limit = &engine->limits.limit[l];
        int64_t amount = br_limit_demand(limit, engine->dag, s);
        if (!br_limit_is_other(limit) || amount == 0 || br_engine_is_held(engine, limit->resource))
            continue;
        fputs(", ", out);
        br_engine_resource(out, engine, limit);
        fprintf(out, "=%" PRId64, amount);
    }
    putc('\n', out);
}

/* Writes the command that runs the file, with all limits. */
static enum br_status write_run(char **run, const struct br_engine *engine, struct br_diag *diag)
{
    size_t size;
    FILE *out = open_memstream(run, &size);
    if (!out)
        return br_fail_memory(diag);
    const char *before = " --resources ";
    fprintf(out, "Run it by: snakemake -k -s FILE --scheduler greedy --cores %" PRIu32,
            engine->cpus ? engine->cpus : engine->most_at_once);
    if (engine->mem_bytes > 0) {
        fprintf(out, "%smem_mb=%" PRId64, before, engine->mem_bytes / 1000000);
        before = " ";
    }
    for (uint32_t l = 0; l < engine->limits.count; l++) {
        if (!br_limit_is_other(&engine->limits.limit[l]) ||
            br_engine_is_held(engine, engine->limits.limit[l].resource))
            continue;
        fputs(before, out);
        br_engine_resource(out, engine, &engine->limits.limit[l]);
        fprintf(out, "=%" PRId64, engine->limits.limit[l].most);
        before = " ";
    }
    bool failed = ferror(out);
    if (fclose(out) == 0 && !failed && *run)
        return BR_OK;
    return br_fail_memory(diag);
}

/* ---- Rules ---- */

/* Writes the marks of the tasks that hold the task's room; `before` stands in front of the first.
 */
static void snakemake_write_handed(FILE *out, const struct br_engine *engine, uint32_t task,
                                   const char *before)
{
    const struct br_handovers *handover = &engine->handover;
    if (!handover->first)
        return;
    for (uint32_t k = handover->first[task]; k < handover->first[task + 1]; k++) {
        const uint32_t s = br_dag_task_stage(engine->dag, handover->before[k]);
        char index[16];
        snprintf(index, sizeof index, "%" PRIu32,
                 handover->before[k] - engine->dag->stage[s].first_task);
        fprintf(out, "%s\"", k == handover->first[task] ? before : ",\n        ");
        write_mark(out, engine, s, index);
        putc('"', out);
    }
}

static enum br_status write_rule(FILE *out, const struct br_engine *engine, uint32_t task,
                                 struct br_diag *diag)
{
    const struct br_dag *dag = engine->dag;
    uint32_t s = br_dag_task_stage(dag, task);
    char *line, index[16];
    enum br_status status = br_engine_task_line(engine, task, &line, diag);
    if (status)
        return status;
    snprintf(index, sizeof index, "%" PRIu32, task - dag->stage[s].first_task);
    fputs("\nrule ", out);
    br_engine_task(out, engine, task);
    fprintf(out, ":\n    priority: %" PRIu32 "\n",
            engine->input->plan->tasks - engine->input->plan->rank[task] + 1);
    for (uint32_t k = engine->parents.first[s]; k < engine->parents.first[s + 1]; k++) {
        const struct br_edge *edge = &dag->edge[engine->parents.edge[k]];
        fputs(k == engine->parents.first[s] ? "    input:\n        " : ",\n        ", out);
        if (edge->type == BR_ONE_TO_ONE) {
            putc('"', out);
            write_mark(out, engine, edge->parent, index);
            putc('"', out);
        } else {
            snakemake_write_all(out, engine, edge->parent);
        }
    }
    const bool waits = engine->parents.first[s] < engine->parents.first[s + 1];
    snakemake_write_handed(out, engine, task, waits ? ",\n        " : "    input:\n        ");
    if (waits ||
        (engine->handover.first && engine->handover.first[task] < engine->handover.first[task + 1]))
        putc('\n', out);
    fputs("    output: touch(\"", out);
    write_mark(out, engine, s, index);
    fputs("\")\n", out);
    write_needs(out, engine, task);
    fputs("    shell: \"", out);
    snakemake_write_line(out, line);
    fputs("\"\n", out);
    free(line);
    return BR_OK;
}

enum br_status br_emit_snakemake(const struct br_emit_input *input, FILE *out, struct br_diag *diag)
{
    const char *left_out[] = {
        "machines and start times: Snakemake's greedy scheduler picks by priority from what is "
        "ready",
        "the order, by the default scheduler (ilp): it takes the set with the largest sum of "
        "priorities, many small tasks before a large one",
        "what machines of a cluster have each: the limits are of one", NULL, NULL};
    struct br_engine engine;
    char *run = NULL;
    enum br_status status = br_engine_init_commands(&engine, input, diag);
    if (status)
        return status;
    status = br_engine_hand_over(&engine, "the format snakemake", diag);
    if (!status)
        status = write_run(&run, &engine, diag);
    if (status) {
        free(run);
        br_engine_finish(&engine);
        return status;
    }
    const char *const usage[] = {
        run, "-k: a failure stops what depends on it.",
        "Marks of finished tasks are in " MARKS "; remove them to run all again.", NULL};
    if (engine.handover.first)
        left_out[3] =
            "other orders of what is held: a task also waits for those whose end frees its "
            "room in the plan";
    br_engine_header(out, "#", &engine, usage, BR_KEEPS_ALL, left_out);
    free(run);
    fputs("\nrule all:\n    input:\n", out);
    for (uint32_t k = 0; k < input->dag->stages; k++) {
        fputs("        ", out);
        snakemake_write_all(out, &engine, input->dag->topological[k]);
        fputs(",\n", out);
    }
    for (uint32_t k = 0; k < input->plan->tasks && !status; k++)
        status = write_rule(out, &engine, input->plan->order[k], diag);
    br_engine_finish(&engine);
    return status;
}
