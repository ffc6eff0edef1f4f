/* A Snakefile with a rule per stage. Its files are marks of tasks that are done, so that a run that
 * was cut short goes on where it stopped. */
#include "emit/engines/engine.h"
#include "emit/write/outputs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARKS ".bigrocks/"
/* The place of the index: no command holds this character, as it may hold braces. */
#define INDEX "\x01"

/* Snakemake formats lines and takes doubled braces for single ones. */
static void write_line(FILE *out, const char *line, const char *index)
{
    for (size_t n; *line; line += n + (line[n] != 0)) {
        n = strcspn(line, "{}" INDEX);
        br_write_part(out, BR_QUOTE_JSON, line, n);
        if (line[n] == *INDEX)
            fputs(index, out);
        else if (line[n])
            fprintf(out, "%c%c", line[n], line[n]);
    }
}

static void write_mark(FILE *out, const struct br_engine *engine, uint32_t stage)
{
    fputs(MARKS, out);
    br_engine_stage(out, engine, stage);
    if (engine->dag->stage[stage].tasks > 1)
        fputs(".{i}", out);
}

/* All marks of a stage, as an argument of `input`. */
static void write_all(FILE *out, const struct br_engine *engine, uint32_t stage)
{
    uint32_t tasks = engine->dag->stage[stage].tasks;
    fputs(tasks > 1 ? "expand(\"" : "\"", out);
    write_mark(out, engine, stage);
    if (tasks > 1)
        fprintf(out, "\", i=range(%" PRIu32 "))", tasks);
    else
        putc('"', out);
}

static enum br_status write_rule(FILE *out, const struct br_engine *engine, uint32_t s,
                                 struct br_diag *diag)
{
    const struct br_dag *dag = engine->dag;
    char *line;
    enum br_status status = br_engine_line(engine, s, INDEX, &line, diag);
    if (status)
        return status;
    fputs("\nrule ", out);
    br_engine_stage(out, engine, s);
    fputs(":\n    priority: ", out);
    fprintf(out, "%" PRIu32 "\n", engine->input->plan->tasks - engine->first_rank[s] + 1);
    for (uint32_t k = engine->parents.first[s]; k < engine->parents.first[s + 1]; k++) {
        const struct br_edge *edge = &dag->edge[engine->parents.edge[k]];
        fputs(k == engine->parents.first[s] ? "    input:\n        " : ",\n        ", out);
        if (edge->type == BR_ONE_TO_ONE) {
            putc('"', out);
            write_mark(out, engine, edge->parent);
            putc('"', out);
        } else {
            write_all(out, engine, edge->parent);
        }
    }
    if (engine->parents.first[s] < engine->parents.first[s + 1])
        putc('\n', out);
    fputs("    output: touch(\"", out);
    write_mark(out, engine, s);
    fputs("\")\n", out);
    fprintf(out, "    threads: %" PRIu32 "\n", engine->need[s].cpus);
    if (engine->need[s].mem_bytes > 0)
        fprintf(out, "    resources: mem_mb=%" PRId64 "\n",
                engine->need[s].mem_bytes / 1000000 + (engine->need[s].mem_bytes % 1000000 != 0));
    fputs("    shell: \"", out);
    write_line(out, line, dag->stage[s].tasks > 1 ? "{wildcards.i}" : "0");
    fputs("\"\n", out);
    free(line);
    return BR_OK;
}

enum br_status br_emit_snakemake(const struct br_emit_input *input, FILE *out, struct br_diag *diag)
{
    char run[160];
    const char *const usage[] = {
        run, "-k: a failure stops what depends on it.",
        "Marks of finished tasks are in " MARKS "; remove them to run all again.", NULL};
    static const char *const left_out[] = {
        "the order of tasks inside a stage: priorities are by rule, the stage's first task counts",
        "machines and start times: Snakemake picks from what is ready by priority, greedily",
        "resources but cores and memory, and of memory what a cluster of several machines has each",
        NULL};
    struct br_engine engine;
    enum br_status status = br_engine_init_commands(&engine, input, diag);
    if (status)
        return status;
    int length = snprintf(run, sizeof run, "Run it by: snakemake -k -s FILE --cores %" PRIu32,
                          engine.cpus ? engine.cpus : engine.most_at_once);
    if (engine.mem_bytes > 0)
        snprintf(run + length, sizeof run - (size_t)length, " --resources mem_mb=%" PRId64,
                 engine.mem_bytes / 1000000);
    br_engine_header(out, "#", &engine, usage, left_out);
    fputs("\nwildcard_constraints:\n    i=r\"\\d+\"\n\nrule all:\n    input:\n", out);
    for (uint32_t k = 0; k < input->dag->stages; k++) {
        fputs("        ", out);
        write_all(out, &engine, input->dag->topological[k]);
        fputs(",\n", out);
    }
    for (uint32_t k = 0; k < input->dag->stages && !status; k++)
        status = write_rule(out, &engine, input->dag->topological[k], diag);
    br_engine_finish(&engine);
    return status;
}
