/* Tasks and joints as tuples of a list in Python. */
#include "emit/engines/tuples.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

uint32_t br_engine_priority(const struct br_engine *engine, uint32_t task)
{
    assert(engine->input->plan->rank[task] - 1 < engine->input->plan->tasks);
    return engine->input->plan->tasks - engine->input->plan->rank[task] + 1;
}

static enum br_status tuple_write_task(FILE *out, const struct br_engine *engine,
                                       const struct br_tuple_form *form, uint32_t task,
                                       struct br_diag *diag)
{
    char *line;
    enum br_status status = br_engine_task_line(engine, task, &line, diag);
    if (status)
        return status;
    fputs("    (\"", out);
    br_engine_task(out, engine, task);
    fputs("\", [", out);
    br_engine_parents(out, engine, task, ", ", "\"");
    const uint32_t *parents = engine->parents.first + br_dag_task_stage(engine->dag, task);
    br_engine_handed(out, engine, task, parents[0] < parents[1] ? ", " : "", ", ", "\"");
    fputs("], ", out);
    status = form->write_demands(out, engine, task, diag);
    fputs(",\n     \"", out);
    br_write_text(out, BR_QUOTE_JSON, line);
    putc('"', out);
    if (form->with_room) {
        fputs(", [", out);
        br_engine_chained(out, engine, task, "", ", ", "\"");
        putc(']', out);
    }
    fputs("),\n", out);
    free(line);
    return status;
}

static void tuple_write_joint(FILE *out, const struct br_engine *engine,
                              const struct br_tuple_form *form, uint32_t stage)
{
    fputs("    (\"", out);
    br_engine_joint(out, engine, stage);
    fputs("\", [", out);
    br_engine_joined(out, engine, stage, ", ", "\"");
    fputs("], ", out);
    form->write_joint(out, engine);
    fputs(form->with_room ? ", None, []),\n" : ", None),\n", out);
}

enum br_status br_engine_tuples(FILE *out, const struct br_engine *engine,
                                const struct br_tuple_form *form, struct br_diag *diag)
{
    const struct br_plan *plan = engine->input->plan;
    uint32_t *written = calloc((size_t)engine->dag->stages + 1, sizeof *written); /* by stage */
    enum br_status status = written ? BR_OK : br_fail_memory(diag);
    fputs("TASKS = [\n", out);
    for (uint32_t k = 0; k < plan->tasks && !status; k++) {
        uint32_t task = plan->order[k], stage = br_dag_task_stage(engine->dag, task);
        status = tuple_write_task(out, engine, form, task, diag);
        assert(written[stage] < engine->dag->stage[stage].tasks);
        if (++written[stage] == engine->dag->stage[stage].tasks && engine->has_joint[stage])
            tuple_write_joint(out, engine, form, stage);
    }
    fputs("]\n", out);
    free(written);
    return status;
}
