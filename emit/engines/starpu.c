/* A C header for programs on StarPU: which worker runs each task, and as which of its tasks.
 *
 * StarPU's workers are cores, and the plan's machines hold many tasks at once; so each machine gets
 * as many workers as it ever runs tasks at once, and a task takes the first that is free. Tags keep
 * the other resources of a machine: a task waits for those whose room it takes. */
#include "emit/engines/engine.h"
#include "emit/analysis/lanes.h"
#include "emit/write/outputs.h"

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
    "/* Right behind starpu_task_create, before anything else is done with the task: once its\n"
    " * dependencies are declared, StarPU has no place for its tag, and ends in its submission.\n"
    " * Submit all tasks: a worker waits for the next one of its order. */\n"
    "static inline void bigrocks_apply(const struct bigrocks_task *entry, struct starpu_task "
    "*task)\n"
    "{\n"
    "    task->execute_on_a_specific_worker = 1;\n"
    "    task->workerid = entry->workerid;\n"
    "    task->workerorder = entry->workerorder;\n"
    "    task->priority = entry->priority;\n"
    "    task->use_tag = 1;\n"
    "    task->tag_id = BIGROCKS_TAG + (starpu_tag_t)(entry - bigrocks_plan);\n"
    "    for (unsigned k = entry->first; k < entry->last; k++)\n"
    "        starpu_tag_declare_deps(task->tag_id, 1, BIGROCKS_TAG + "
    "(starpu_tag_t)bigrocks_room[k]);\n"
    "}\n"
    "\n"
    "#endif\n";

static enum br_status write_table(FILE *out, const struct br_engine *engine, uint32_t *workers,
                                  struct br_diag *diag)
{
    const struct br_plan *plan = engine->input->plan;
    uint32_t machines = engine->input->cluster->machines;
    uint32_t *lane = calloc((size_t)plan->tasks + 1, sizeof *lane);
    uint32_t *first = calloc((size_t)machines + 2, sizeof *first); /* worker, by machine */
    uint32_t *ran = calloc((size_t)plan->tasks + 1, sizeof *ran);  /* tasks, by worker */
    enum br_status status = lane && first && ran ? BR_OK : br_fail_memory(diag);
    if (!status)
        status = br_lanes(plan, machines, lane, first + 1, diag);
    for (uint32_t m = 0; m < machines && !status; m++)
        first[m + 1] += first[m];
    for (uint32_t k = 0; k < plan->tasks && !status; k++) {
        uint32_t task = plan->order[k], worker = first[plan->machine[task]] + lane[task];
        fputs("    {\"", out);
        br_write_task(out, BR_QUOTE_C, engine->dag, task);
        fprintf(out, "\", %" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %" PRIu32 "},\n",
                worker, ++ran[worker], plan->tasks - k, engine->chain.first[task],
                engine->chain.first[task + 1]);
    }
    *workers = status ? 0 : first[machines];
    free(lane);
    free(first);
    free(ran);
    return status;
}

/* For every task, by its number in the job, the entries whose room it takes. */
static void write_room(FILE *out, const struct br_engine *engine)
{
    const struct br_chain *chain = &engine->chain;
    uint32_t pairs = chain->first[engine->dag->tasks];
    fputs("\n/* Entries that others wait for, since they take their room. */\n"
          "static const unsigned bigrocks_room[] = {",
          out);
    for (uint32_t k = 0; k < pairs; k++)
        fprintf(out, "%s%" PRIu32 ",", k % 16 ? " " : "\n    ",
                engine->input->plan->rank[chain->before[k]] - 1);
    fputs(pairs ? "\n};\n" : "0};\n", out);
}

enum br_status br_emit_starpu(const struct br_emit_input *input, FILE *out, struct br_diag *diag)
{
    static const char *const usage[] = {
        "Include it once, and call bigrocks_apply on every task right behind starpu_task_create,",
        "before its dependencies are declared.", NULL};
    static const char *const left_out[] = {
        "tasks of several cores: they get one worker, and the others of theirs stay idle",
        "start times: a worker goes on when it can, and a task when those before it have left its "
        "room",
        NULL};
    struct br_engine engine;
    uint32_t workers = 0;
    enum br_status status = br_engine_init(&engine, input, diag);
    if (!status)
        status = br_engine_chain(&engine, BR_CHAIN_MACHINE, BR_KEEPS_ALL, diag);
    if (status) {
        br_engine_finish(&engine);
        return status;
    }
    br_engine_header(out, "//", &engine, usage, BR_KEEPS_ALL, left_out);
    fputs("#ifndef BIGROCKS_PLAN_H\n#define BIGROCKS_PLAN_H\n\n#include <starpu.h>\n"
          "#include <string.h>\n\nstruct bigrocks_task {\n    const char *name;\n"
          "    unsigned workerid, workerorder; /* as struct starpu_task has them */\n"
          "    int priority;                   /* the first task of the plan has the highest */\n"
          "    unsigned first, last;           /* run in bigrocks_room */\n"
          "};\n\n/* Tags of tasks: this one and those that follow. */\n"
          "#ifndef BIGROCKS_TAG\n#define BIGROCKS_TAG 0x627200000000ULL\n#endif\n\n/* By rank. "
          "*/\nstatic const struct bigrocks_task bigrocks_plan[] = {\n",
          out);
    status = write_table(out, &engine, &workers, diag);
    fprintf(out, "};\nenum { bigrocks_workers = %" PRIu32 " };\n", workers);
    if (!status)
        write_room(out, &engine);
    fputs(body, out);
    br_engine_finish(&engine);
    return status;
}
