/* A C header for programs on StarPU: which worker runs each task, and as which of its tasks.
 *
 * StarPU's workers are cores, and the plan's machines hold many tasks at once; so each machine gets
 * as many workers as it ever runs tasks at once, and a task takes the first that is free. */
#include "emit/engine.h"
#include "emit/outputs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char body[] =
    "enum { bigrocks_tasks = sizeof bigrocks_plan / sizeof bigrocks_plan[0] };\n"
    "\n"
    "/* The entry of a task by its name in the plan, such as \"map[3]\"; NULL where there is none. "
    "*/\n"
    "static inline const struct bigrocks_task *bigrocks_find(const char *name)\n"
    "{\n"
    "    for (unsigned k = 0; k < bigrocks_tasks; k++)\n"
    "        if (strcmp(bigrocks_plan[k].name, name) == 0)\n"
    "            return &bigrocks_plan[k];\n"
    "    return NULL;\n"
    "}\n"
    "\n"
    "/* Before starpu_task_submit. Submit all tasks: a worker waits for the next one of its order. "
    "*/\n"
    "static inline void bigrocks_apply(const struct bigrocks_task *entry, struct starpu_task "
    "*task)\n"
    "{\n"
    "    task->execute_on_a_specific_worker = 1;\n"
    "    task->workerid = entry->workerid;\n"
    "    task->workerorder = entry->workerorder;\n"
    "    task->priority = entry->priority;\n"
    "}\n"
    "\n"
    "#endif\n";

struct worker {
    uint32_t machine, order;
    int64_t free_ns;
};

/* A task of duration 0 fits anywhere; of equal times, ranks decide, as in the plan. */
static enum br_status write_table(FILE *out, const struct br_engine *engine, uint32_t *workers,
                                  struct br_diag *diag)
{
    const struct br_plan *plan = engine->input->plan;
    struct worker *worker = calloc((size_t)plan->tasks + 1, sizeof *worker);
    if (!worker)
        return br_fail_memory(diag);
    *workers = 0;
    for (uint32_t k = 0; k < plan->tasks; k++) {
        uint32_t task = plan->order[k], w = 0;
        while (w < *workers && (worker[w].machine != plan->machine[task] ||
                                worker[w].free_ns > plan->start_ns[task]))
            w++;
        if (w == *workers)
            worker[(*workers)++] = (struct worker){plan->machine[task], 0, 0};
        worker[w].free_ns = plan->end_ns[task];
        fputs("    {\"", out);
        br_write_task(out, BR_QUOTE_JSON, engine->dag, task);
        fprintf(out, "\", %" PRIu32 ", %" PRIu32 ", %" PRIu32 "},\n", w, ++worker[w].order,
                plan->tasks - k);
    }
    free(worker);
    return BR_OK;
}

enum br_status br_emit_starpu(const struct br_emit_input *input, FILE *out, struct br_diag *diag)
{
    static const char *const usage[] = {
        "Include it once, and call bigrocks_apply on every task before it is submitted.", NULL};
    static const char *const left_out[] = {
        "memory and all other resources: StarPU's workers are cores, one task each",
        "tasks of several cores: they get one worker", "start times: a worker goes on when it can",
        NULL};
    struct br_engine engine;
    uint32_t workers = 0;
    enum br_status status = br_engine_init(&engine, input, diag);
    if (status)
        return status;
    br_engine_header(out, "//", &engine, usage, left_out);
    fputs("#ifndef BIGROCKS_PLAN_H\n#define BIGROCKS_PLAN_H\n\n#include <starpu.h>\n"
          "#include <string.h>\n\nstruct bigrocks_task {\n    const char *name;\n"
          "    unsigned workerid, workerorder; /* as struct starpu_task has them */\n"
          "    int priority;                   /* the first task of the plan has the highest */\n"
          "};\n\n/* By rank. */\nstatic const struct bigrocks_task bigrocks_plan[] = {\n",
          out);
    status = write_table(out, &engine, &workers, diag);
    fprintf(out, "};\nenum { bigrocks_workers = %" PRIu32 " };\n", workers);
    fputs(body, out);
    br_engine_finish(&engine);
    return status;
}
