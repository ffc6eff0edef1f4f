/* A makefile for GNU make. The goal's prerequisites are in the plan's order, in which make starts
 * what is ready. It counts jobs and nothing else, so tasks are chained. */
#include "emit/engines/engine.h"
#include "emit/write/outputs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Only a dollar means something to make in a line that begins with a word. */
static void write_recipe(FILE *out, const char *line)
{
    putc('\t', out);
    for (; *line; line++)
        if (*line == '$')
            fputs("$$", out);
        else
            putc(*line, out);
    putc('\n', out);
}

static enum br_status write_rules(FILE *out, const struct br_engine *engine, struct br_diag *diag)
{
    const struct br_plan *plan = engine->input->plan;
    const struct br_dag *dag = engine->dag;
    for (uint32_t s = 0; s < dag->stages; s++) {
        if (!engine->has_joint[s])
            continue;
        fputs("\n.PHONY: ", out);
        br_engine_joint(out, engine, s);
        putc('\n', out);
        br_engine_joint(out, engine, s);
        fputs(": ", out);
        br_engine_joined(out, engine, s, " ", "");
        putc('\n', out);
    }
    for (uint32_t k = 0; k < plan->tasks; k++) {
        uint32_t task = plan->order[k];
        char *line;
        enum br_status status = br_engine_task_line(engine, task, &line, diag);
        if (status)
            return status;
        putc('\n', out);
        br_engine_task(out, engine, task);
        fputs(": ", out);
        br_engine_parents(out, engine, task, " ", "");
        br_engine_chained(out, engine, task, " | ", " ", "");
        putc('\n', out);
        write_recipe(out, line);
        free(line);
    }
    return BR_OK;
}

enum br_status br_emit_make(const struct br_emit_input *input, FILE *out, struct br_diag *diag)
{
    char run[120];
    const char *const usage[] = {run, NULL};
    static const char *const left_out[] = {
        "machines: everything runs on the one that make runs on",
        "room that is free early: a task waits for those that leave it theirs (after the |), and",
        "  does not run after one of these has failed",
        "the order of tasks that become ready late: make goes on with what comes next", NULL};
    struct br_engine engine;
    enum br_status status = br_engine_init_commands(&engine, input, diag);
    if (!status)
        status = br_engine_chain(&engine, BR_CHAIN_HOST, BR_KEEPS_ALL, diag);
    if (status) {
        br_engine_finish(&engine);
        return status;
    }
    snprintf(run, sizeof run,
             "Run it by: make -j %" PRIu32 " -f FILE (as many tasks as the plan has at once).",
             engine.most_at_once);
    br_engine_header(out, "#", &engine, usage, BR_KEEPS_ALL, left_out);
    fputs("\nSHELL = /bin/sh\n.SHELLFLAGS = -c\n.DEFAULT_GOAL = all\n"
          "# After a failure, all goes on that does not depend on it.\nMAKEFLAGS += -k\n\n"
          "# In the plan's order, in which make starts what is ready.\nTASKS =",
          out);
    for (uint32_t k = 0; k < input->plan->tasks; k++) {
        fputs(" \\\n  ", out);
        br_engine_task(out, &engine, input->plan->order[k]);
    }
    fputs("\n\n.PHONY: all $(TASKS)\nall: $(TASKS)\n", out);
    status = write_rules(out, &engine, diag);
    br_engine_finish(&engine);
    return status;
}
