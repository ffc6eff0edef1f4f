/* A build.ninja that runs the tasks, with a pool derived from the plan's machine so that memory
 * cannot run out whatever ninja starts at once: ninja itself counts commands and nothing else.
 *
 * With J commands at once, d of them in the pool of tasks that take at most H, and the others at
 * most L, no more than d H + (J - d) L is taken; the largest d for which this fits is the depth.
 * Where the border between both lies, the one is taken that leaves the work most room. */
#include "emit/engines/engine.h"
#include "emit/write/outputs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pool {
    int64_t light_bytes; /* tasks that take more are in the pool */
    uint32_t depth;      /* 0: no pool */
};

static int by_bytes(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* Seconds of work of the stage's tasks; only compared. */
static double work(const struct br_dag *dag, uint32_t s)
{
    double sum = 0;
    for (uint32_t i = 0; i < dag->stage[s].tasks; i++)
        sum += (double)dag->duration_ns[dag->stage[s].first_task + i];
    return sum;
}

static enum br_status choose_pool(const struct br_engine *engine, uint32_t jobs, struct pool *pool,
                                  struct br_diag *diag)
{
    const struct br_dag *dag = engine->dag;
    int64_t *bytes = malloc(((size_t)dag->stages + 1) * sizeof *bytes), heavy = 0;
    double best = 0;
    if (!bytes)
        return br_fail_memory(diag);
    for (uint32_t s = 0; s < dag->stages; s++) {
        bytes[s] = engine->need[s].mem_bytes;
        heavy = bytes[s] > heavy ? bytes[s] : heavy;
    }
    bytes[dag->stages] = 0;
    qsort(bytes, (size_t)dag->stages + 1, sizeof *bytes, by_bytes);
    *pool = (struct pool){0};
    for (uint32_t k = 0; k <= dag->stages && engine->mem_bytes > 0 && heavy > 0; k++) {
        int64_t light = bytes[k];
        if ((k > 0 && light == bytes[k - 1]) || light > engine->mem_bytes / jobs)
            continue;
        if (light == heavy) { /* all fit: no pool */
            *pool = (struct pool){0};
            break;
        }
        int64_t depth = (engine->mem_bytes - light * jobs) / (heavy - light);
        double pooled = 0;
        if (depth < 1)
            continue;
        if (depth > jobs)
            depth = jobs;
        for (uint32_t s = 0; s < dag->stages; s++)
            if (engine->need[s].mem_bytes > light)
                pooled += work(dag, s);
        if (pool->depth == 0 || pooled / (double)depth < best) {
            best = pooled / (double)depth;
            *pool = (struct pool){light, (uint32_t)depth};
        }
    }
    free(bytes);
    return BR_OK;
}

/* Only a dollar means something to ninja inside a line. */
static void write_line(FILE *out, const char *line)
{
    for (; *line; line++)
        if (*line == '$')
            fputs("$$", out);
        else
            putc(*line, out);
}

static enum br_status write_builds(FILE *out, const struct br_engine *engine,
                                   const struct pool *pool, struct br_diag *diag)
{
    const struct br_dag *dag = engine->dag;
    const struct br_plan *plan = engine->input->plan;
    for (uint32_t k = 0; k < plan->tasks; k++) {
        uint32_t task = plan->order[k], stage = br_dag_task_stage(dag, task);
        char *line;
        enum br_status status = br_engine_task_line(engine, task, &line, diag);
        if (status)
            return status;
        fputs("build ", out);
        br_engine_task(out, engine, task);
        fputs(": task ", out);
        br_engine_parents(out, engine, task, " ", "");
        fputs("\n  run = ", out);
        write_line(out, line);
        putc('\n', out);
        free(line);
        if (pool->depth > 0 && engine->need[stage].mem_bytes > pool->light_bytes)
            fputs("  pool = heavy\n", out);
    }
    for (uint32_t s = 0; s < dag->stages; s++) {
        if (!engine->has_joint[s])
            continue;
        fputs("build ", out);
        br_engine_joint(out, engine, s);
        fputs(": phony", out);
        for (uint32_t i = 0; i < dag->stage[s].tasks; i++) {
            putc(' ', out);
            br_engine_task(out, engine, dag->stage[s].first_task + i);
        }
        putc('\n', out);
    }
    return BR_OK;
}

enum br_status br_emit_ninja(const struct br_emit_input *input, FILE *out, struct br_diag *diag)
{
    char run[120], limit[160] = "no pool: no memory is known";
    const char *const usage[] = {run, limit, NULL};
    static const char *const left_out[] = {
        "the plan's order: ninja starts what is ready by its own rules",
        "all resources but memory and cores, and tasks of several cores",
        "machines: everything runs on the one that ninja runs on", NULL};
    struct br_engine engine;
    struct pool pool = {0};
    enum br_status status = br_engine_init_commands(&engine, input, diag);
    if (status)
        return status;
    uint32_t jobs = engine.cpus ? engine.cpus : engine.most_at_once;
    status = choose_pool(&engine, jobs, &pool, diag);
    snprintf(run, sizeof run,
             "Run it by: ninja -k 0 -j %" PRIu32
             " -f FILE (-k 0: a failure stops what depends on it)",
             jobs);
    if (pool.depth > 0)
        snprintf(limit, sizeof limit,
                 "With this -j or less, tasks hold no more than the %" PRId64
                 " bytes of the plan's machine.",
                 engine.mem_bytes);
    else if (engine.mem_bytes > 0)
        snprintf(limit, sizeof limit, "With this -j, no pool is needed to keep memory.");
    br_engine_header(out, "#", &engine, usage, left_out);
    fputs("\nninja_required_version = 1.5\nrule task\n  command = $run\n"
          "  description = $out\n",
          out);
    if (pool.depth > 0)
        fprintf(out,
                "# Of tasks that take more than %" PRId64 " bytes.\npool heavy\n  depth = %" PRIu32
                "\n",
                pool.light_bytes, pool.depth);
    putc('\n', out);
    if (!status)
        status = write_builds(out, &engine, &pool, diag);
    br_engine_finish(&engine);
    return status;
}
