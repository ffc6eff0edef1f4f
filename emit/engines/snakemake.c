/* A Snakefile with a rule per stage. Its files are marks of tasks that are done, so that a run that
 * was cut short goes on where it stopped. */
#include "emit/engine.h"
#include "emit/outputs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define MARKS ".bigrocks/"

/* Snakemake formats commands and takes doubled braces for single ones. */
static void write_command(FILE *out, const char *command, const char *index)
{
    fputs("\"", out);
    for (; *command; command++) {
        char one[2] = {*command, 0};
        if (*command == '{' || *command == '}') {
            putc(*command, out);
            putc(*command, out);
        } else if (*command == '\x01') {
            fputs(index, out); /* see below */
        } else {
            /* Byte by byte is safe: what is escaped is ASCII. */
            if ((unsigned char)*command < 0x80)
                br_write_text(out, BR_QUOTE_JSON, one);
            else
                putc(*command, out);
        }
    }
    fputs("\"", out);
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
    /* No command holds this character, so that its braces are told from the index's. */
    char *command = br_engine_command(engine, s, "\x01");
    if (!command)
        return br_fail_memory(diag);
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
    fputs("    shell: ", out);
    write_command(out, command, dag->stage[s].tasks > 1 ? "{wildcards.i}" : "0");
    putc('\n', out);
    free(command);
    return BR_OK;
}

enum br_status br_emit_snakemake(const struct br_emit_input *input, FILE *out, struct br_diag *diag)
{
    char run[160];
    const char *const usage[] = {
        run, "Marks of finished tasks are in " MARKS "; remove them to run all again.", NULL};
    static const char *const left_out[] = {
        "the order of tasks inside a stage: priorities are by rule, the stage's first task counts",
        "machines and start times: Snakemake picks from what is ready by priority, greedily",
        "resources but cores and memory, and of memory what a cluster of several machines has each",
        NULL};
    struct br_engine engine;
    enum br_status status = br_engine_init(&engine, input, diag);
    if (status)
        return status;
    int length = snprintf(run, sizeof run, "Run it by: snakemake -s FILE --cores %" PRIu32,
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
