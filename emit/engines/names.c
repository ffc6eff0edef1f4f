/* Names of tasks, stages, joints and resources that every engine takes. */
#include "emit/engines/engine.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum { NAME_MOST = 40 };

bool br_engine_is_joined(const struct br_dag *dag, const struct br_edge *edge)
{
    return edge->type == BR_BARRIER && dag->stage[edge->parent].tasks > 1 &&
           dag->stage[edge->child].tasks > 1;
}

static void put_name(FILE *out, const char *id)
{
    for (int k = 0; *id && k < NAME_MOST; id++, k++) {
        bool plain =
            (*id >= 'a' && *id <= 'z') || (*id >= 'A' && *id <= 'Z') || (*id >= '0' && *id <= '9');
        putc(plain ? *id : '_', out);
    }
}

void br_engine_task(FILE *out, const struct br_engine *engine, uint32_t task)
{
    const struct br_stage *stage = &engine->dag->stage[br_dag_task_stage(engine->dag, task)];
    fprintf(out, "t%" PRIu32 "_", engine->input->plan->rank[task]);
    put_name(out, stage->id);
    if (stage->tasks > 1)
        fprintf(out, "_%" PRIu32, task - stage->first_task);
}

void br_engine_stage(FILE *out, const struct br_engine *engine, uint32_t stage)
{
    fprintf(out, "s%" PRIu32 "_", stage + 1);
    put_name(out, engine->dag->stage[stage].id);
}

void br_engine_joint(FILE *out, const struct br_engine *engine, uint32_t stage)
{
    br_engine_stage(out, engine, stage);
    fputs("_done", out);
}

void br_engine_joined(FILE *out, const struct br_engine *engine, uint32_t stage,
                      const char *separator, const char *quote)
{
    const struct br_stage *of = &engine->dag->stage[stage];
    for (uint32_t i = 0; i < of->tasks; i++) {
        fprintf(out, "%s%s", i ? separator : "", quote);
        br_engine_task(out, engine, of->first_task + i);
        fputs(quote, out);
    }
}

void br_engine_parents(FILE *out, const struct br_engine *engine, uint32_t task,
                       const char *separator, const char *quote)
{
    const struct br_dag *dag = engine->dag;
    uint32_t stage = br_dag_task_stage(dag, task), index = task - dag->stage[stage].first_task;
    const char *before = "";
    for (uint32_t k = engine->parents.first[stage]; k < engine->parents.first[stage + 1]; k++) {
        const struct br_edge *edge = &dag->edge[engine->parents.edge[k]];
        uint32_t first = dag->stage[edge->parent].first_task;
        uint32_t last = first + dag->stage[edge->parent].tasks;
        bool joint = br_engine_is_joined(dag, edge);
        if (joint) {
            last = first + 1; /* once */
        } else if (edge->type == BR_ONE_TO_ONE) {
            first += index;
            last = first + 1;
        }
        assert(last <= dag->stage[edge->parent].first_task + dag->stage[edge->parent].tasks);
        for (uint32_t t = first; t < last; t++) {
            fprintf(out, "%s%s", before, quote);
            if (joint)
                br_engine_joint(out, engine, edge->parent);
            else
                br_engine_task(out, engine, t);
            fputs(quote, out);
            before = separator;
        }
    }
}

void br_engine_chained(FILE *out, const struct br_engine *engine, uint32_t task, const char *before,
                       const char *separator, const char *quote)
{
    const struct br_chain *chain = &engine->chain;
    for (uint32_t k = chain->first[task]; k < chain->first[task + 1]; k++) {
        assert(engine->input->plan->rank[chain->before[k]] < engine->input->plan->rank[task]);
        fprintf(out, "%s%s", k > chain->first[task] ? separator : before, quote);
        br_engine_task(out, engine, chain->before[k]);
        fputs(quote, out);
    }
}

void br_engine_handed(FILE *out, const struct br_engine *engine, uint32_t task, const char *before,
                      const char *separator, const char *quote)
{
    const struct br_handovers *handover = &engine->handover;
    if (!handover->first)
        return;
    for (uint32_t k = handover->first[task]; k < handover->first[task + 1]; k++) {
        assert(engine->input->plan->rank[handover->before[k]] < engine->input->plan->rank[task]);
        fprintf(out, "%s%s", k > handover->first[task] ? separator : before, quote);
        br_engine_task(out, engine, handover->before[k]);
        fputs(quote, out);
    }
}

/* A name of a resource that engines take: its own if that is valid and engines give it no meaning,
 * else one that begins with the resource's number. No own name begins like that. */
static bool is_own_name(const char *name)
{
    static const char *const taken[] = {
        "mem_mb",  "mem_mib",     "mem",      "disk_mb",    "disk_mib", "disk", "tmpdir", "runtime",
        "threads", "input",       "output",   "attempt",    "and",      "as",   "assert", "async",
        "await",   "break",       "class",    "continue",   "def",      "del",  "elif",   "else",
        "except",  "finally",     "for",      "from",       "global",   "if",   "import", "in",
        "is",      "lambda",      "nonlocal", "not",        "or",       "pass", "raise",  "return",
        "try",     "while",       "with",     "yield",      "None",     "True", "False",  "nodes",
        "tasks",   "slurm_extra", "mpi",      "constraint", "account",  "cores"};
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    for (size_t k = 0; k < sizeof taken / sizeof taken[0]; k++)
        if (strcmp(taken[k], name) == 0)
            return false;
    size_t letters = strcspn(name, "0123456789_");
    return letters > 0 && name[strspn(name, plain)] == '\0' && strlen(name) <= 40 &&
           !(name[0] == 'r' && letters == 1);
}

void br_engine_resource(FILE *out, const struct br_engine *engine, const struct br_limit *limit)
{
    const char *name = engine->dag->resource[limit->resource].name;
    if (is_own_name(name)) {
        fputs(name, out);
        return;
    }
    fprintf(out, "r%" PRIu32 "_", limit->resource + 1);
    for (int k = 0; *name && k < 40; name++, k++) {
        bool plain = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') ||
                     (*name >= '0' && *name <= '9');
        putc(plain ? *name : '_', out);
    }
}
