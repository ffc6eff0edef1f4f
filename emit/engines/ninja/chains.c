/* A build.ninja that runs the tasks. For a job that came from a build.ninja it is that build, in
 * the plan's order (ninja_order.c). For other jobs it knows no files and runs all tasks every time;
 * since ninja counts commands and nothing else, the tasks are chained. */
#include "emit/engines/engine.h"
#include "emit/engines/ninja/order.h"
#include "emit/write/outputs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Only a dollar means something to ninja inside a line. */
static void ninja_write_line(FILE *out, const char *line)
{
    for (; *line; line++)
        if (*line == '$')
            fputs("$$", out);
        else
            putc(*line, out);
}

static enum br_status write_builds(FILE *out, const struct br_engine *engine, struct br_diag *diag)
{
    const struct br_dag *dag = engine->dag;
    const struct br_plan *plan = engine->input->plan;
    for (uint32_t k = 0; k < plan->tasks; k++) {
        uint32_t task = plan->order[k];
        char *line;
        enum br_status status = br_engine_task_line(engine, task, &line, diag);
        if (status)
            return status;
        fputs("build ", out);
        br_engine_task(out, engine, task);
        fputs(": task ", out);
        br_engine_parents(out, engine, task, " ", "");
        br_engine_chained(out, engine, task, " || ", " ", "");
        fputs("\n  run = ", out);
        ninja_write_line(out, line);
        putc('\n', out);
        free(line);
    }
    for (uint32_t s = 0; s < dag->stages; s++) {
        if (!engine->has_joint[s])
            continue;
        fputs("build ", out);
        br_engine_joint(out, engine, s);
        fputs(": phony ", out);
        br_engine_joined(out, engine, s, " ", "");
        putc('\n', out);
    }
    return BR_OK;
}

enum br_status br_emit_ninja(const struct br_emit_input *input, FILE *out, struct br_diag *diag)
{
    char run[120];
    const char *const usage[] = {run, "It knows no files: all tasks run every time.", NULL};
    static const char *const left_out[] = {
        "the plan's order among what is ready: ninja goes by its own rules",
        "room that is free early: a task waits for those that leave it theirs (after the ||), and",
        "  does not run after one of these has failed",
        "machines: everything runs on the one that ninja runs on", NULL};
    struct br_engine engine;
    if (br_ninja_is_build(input->dag))
        return br_emit_ninja_order(input, out, diag);
    enum br_status status = br_engine_init_commands(&engine, input, diag);
    if (!status)
        status = br_engine_chain(&engine, BR_CHAIN_HOST, BR_KEEPS_ALL, diag);
    if (status) {
        br_engine_finish(&engine);
        return status;
    }
    snprintf(run, sizeof run,
             "Run it by: ninja -k 0 -j %" PRIu32
             " -f FILE (-k 0: a failure stops what depends on it)",
             engine.cpus ? engine.cpus : engine.most_at_once);
    br_engine_header(out, "#", &engine, usage, BR_KEEPS_ALL, left_out);
    fputs("\nninja_required_version = 1.5\nrule task\n  command = $run\n"
          "  description = $out\n\n",
          out);
    status = write_builds(out, &engine, diag);
    br_engine_finish(&engine);
    return status;
}
