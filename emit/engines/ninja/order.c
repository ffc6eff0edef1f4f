/* A plan of a build, handed back to ninja: statements in the plan's order with a pool that keeps
 * the machine's memory, and times and weights that lead a scheduler by critical path to the same
 * order.
 *
 * Such a scheduler starts first the command with the longest way to the end, the sum of weights
 * along it. Weights can state a plan's order exactly: every command gets the priority n - rank + 1,
 * and as its weight the difference from the largest priority of the commands that wait for it. A
 * parent ranks before its children, so every weight is at least 1, and the sums are the priorities
 * again. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emit/engines/ninja/order.h"
#include "emit/engines/ninja/pool.h"
#include "emit/write/attributes.h"
#include "emit/write/outputs.h"
#include "emit/write/write.h"

/* A planned build, and what its job's file said about it. */
struct build {
    const struct br_dag *dag;
    const struct br_plan *plan;
    struct br_attributes by;
};

static const char *attribute(const struct build *build, enum br_owner owner, uint32_t index,
                             const char *name)
{
    uint32_t count;
    const struct br_attribute **run = br_attributes_run(&build->by, owner, index, &count);
    for (uint32_t a = 0; a < count; a++)
        if (strcmp(run[a]->name, name) == 0)
            return run[a]->value;
    return NULL;
}

static const char *statement(const struct build *build, uint32_t stage)
{
    return attribute(build, BR_OWNER_STAGE, stage, "ninja.statement");
}

/* Fails unless every stage is one command that came from a build.ninja. */
static enum br_status begin(struct build *build, const struct br_emit_input *input,
                            struct br_diag *diag)
{
    *build = (struct build){.dag = input->dag, .plan = input->plan};
    enum br_status status = br_attributes_init(&build->by, input->dag, diag);
    for (uint32_t s = 0; s < input->dag->stages && !status; s++) {
        const struct br_stage *stage = &input->dag->stage[s];
        if (stage->tasks != 1 || !stage->command || !statement(build, s))
            status = br_fail(diag, BR_BAD_INPUT, "plan a job that 'bigrocks import ninja' has made",
                             "stage '%.200s' is not a command of a build.ninja", stage->id);
    }
    if (status)
        br_attributes_finish(&build->by);
    return status;
}

bool br_ninja_is_build(const struct br_dag *dag)
{
    for (uint32_t a = 0; a < dag->attributes; a++)
        if (dag->attribute[a].owner == BR_OWNER_JOB &&
            strcmp(dag->attribute[a].name, "ninja.folder") == 0)
            return true;
    return false;
}

static uint32_t stage_at(const struct build *build, uint32_t rank)
{
    return br_dag_task_stage(build->dag, build->plan->order[rank]);
}

/* ---- build.ninja ---- */

/* The script's last line is the statement's own command. */
static void ninja_order_write_command(FILE *out, const char *script)
{
    const char *line = strrchr(script, '\n');
    line = line ? line + 1 : script;
    fputs("  command = ", out);
    if (*line == ' ')
        putc('$', out);
    for (; *line; line++)
        fputs(*line == '$' ? "$$" : (const char[]){*line, '\0'}, out);
    putc('\n', out);
}

static const char pool_line[] = "  pool = ";

/* The line of the statement that names its pool; NULL if it has none. */
static const char *find_pool(const char *statement)
{
    for (const char *line = statement; line && *line;) {
        if (strncmp(line, pool_line, sizeof pool_line - 1) == 0)
            return line;
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    return NULL;
}

struct own_pools {
    const struct build *build;
    char name[260];
};

static const char *own_pool(void *context, uint32_t stage)
{
    struct own_pools *own = context;
    const char *line = find_pool(statement(own->build, stage));
    if (!line)
        return NULL;
    line += sizeof pool_line - 1;
    snprintf(own->name, sizeof own->name, "%.*s", (int)strcspn(line, "\n"), line);
    return own->name;
}

static void write_statement(FILE *out, const char *text, const char *pool)
{
    const char *line = find_pool(text);
    if (line && pool) {
        fwrite(text, 1, (size_t)(line - text), out);
        text = strchr(line, '\n');
        text = text ? text + 1 : "";
    }
    fputs(text, out);
    if (pool)
        fprintf(out, "%s%s\n", pool_line, pool);
}

/* All attributes of the job with this prefix. */
static void ninja_order_write_all(const struct build *build, const char *prefix, FILE *out)
{
    uint32_t count;
    const struct br_attribute **run = br_attributes_run(&build->by, BR_OWNER_JOB, 0, &count);
    for (uint32_t a = 0; a < count; a++)
        if (strncmp(run[a]->name, prefix, strlen(prefix)) == 0)
            fputs(run[a]->value, out);
}

/* Our pool keeps cores and memory; ninja keeps the build's own pools itself. */
static unsigned kept(const struct br_engine *engine)
{
    unsigned keeps = BR_KEEPS_ALL;
    for (uint32_t l = 0; l < engine->limits.count; l++) {
        const struct br_limit *limit = &engine->limits.limit[l];
        const char *name = engine->dag->resource[limit->resource].name;
        if (strncmp(name, "pool.", 5) != 0 &&
            !br_limit_is_kept(limit, BR_KEEPS_CPU | BR_KEEPS_MEMORY))
            keeps &= ~(unsigned)BR_KEEPS_OTHERS;
    }
    return keeps;
}

static void write_head(FILE *out, const struct br_engine *engine,
                       const struct br_ninja_pooling *pooling, const char *head, char pool[40])
{
    char run[120];
    const char *const usage[] = {
        run, "In the folder of the build. Like its build.ninja, it builds what is out of date.",
        NULL};
    static const char *const left_out[] = {
        "the plan's order where ninja has rules of its own: from 1.12 on, the longest way to the "
        "end",
        "limits if -j is larger than this, and for commands that are not in the plan",
        "machines: everything runs on the one that ninja runs on", NULL};
    snprintf(run, sizeof run, "Run it by: ninja -j %" PRIu32 " -f FILE", pooling->jobs);
    br_engine_header(out, "#", engine, usage, kept(engine), left_out);
    putc('\n', out);
    if (head)
        fputs(head, out);
    if (pooling->depth == 0)
        return;
    char line[60];
    uint32_t number = 1;
    snprintf(pool, 40, "bigrocks");
    for (;;) { /* the build may be one that bigrocks wrote */
        snprintf(line, sizeof line, "pool %s\n", pool);
        if (!head || !strstr(head, line))
            break;
        snprintf(pool, 40, "bigrocks_%" PRIu32, ++number);
    }
    fprintf(out, "%s  depth = %" PRIu32 "\n", line, pooling->depth);
}

/* "phony" goes first: up to 1.11, ninja treats it like other statements, which have a turn when no
 * earlier one is ready; else the commands that wait for it would be late. */
static enum br_status write_build(const struct build *build, const struct br_engine *engine,
                                  FILE *out, struct br_diag *diag)
{
    struct br_ninja_pooling pooling;
    struct own_pools own = {.build = build};
    const char *head = attribute(build, BR_OWNER_JOB, 0, "ninja.head");
    char pool[40] = "";
    enum br_status status = br_ninja_pooling_init(&pooling, engine, own_pool, &own, head, diag);
    if (!status) {
        write_head(out, engine, &pooling, head, pool);
        ninja_order_write_all(build, "ninja.phony.", out);
    }
    for (uint32_t k = 0; k < build->plan->tasks && !status && !ferror(out); k++) {
        uint32_t stage = stage_at(build, k);
        write_statement(out, statement(build, stage), *pool && pooling.in[stage] ? pool : NULL);
        ninja_order_write_command(out, build->dag->stage[stage].command);
    }
    if (!status)
        ninja_order_write_all(build, "ninja.rest.", out);
    br_ninja_pooling_finish(&pooling);
    return status;
}

enum br_status br_emit_ninja_order(const struct br_emit_input *input, FILE *out,
                                   struct br_diag *diag)
{
    struct build build;
    struct br_engine engine;
    enum br_status status = begin(&build, input, diag);
    if (status)
        return status;
    status = br_engine_init(&engine, input, diag);
    if (!status) {
        status = write_build(&build, &engine, out, diag);
        br_engine_finish(&engine);
    }
    br_attributes_finish(&build.by);
    return status;
}

/* ---- Weights ---- */

/* The weight of every stage, for the caller to free; NULL when memory is out. */
static uint32_t *weigh(const struct build *build)
{
    const struct br_dag *dag = build->dag;
    uint32_t *priority = calloc(dag->stages, sizeof *priority);
    uint32_t *after = calloc(dag->stages, sizeof *after); /* the largest among the children */
    if (priority && after) {
        for (uint32_t k = 0; k < build->plan->tasks; k++)
            priority[stage_at(build, k)] = build->plan->tasks - k;
        for (uint32_t e = 0; e < dag->edges; e++)
            if (priority[dag->edge[e].child] > after[dag->edge[e].parent])
                after[dag->edge[e].parent] = priority[dag->edge[e].child];
        for (uint32_t s = 0; s < dag->stages; s++)
            priority[s] -= after[s];
    } else {
        free(priority);
        priority = NULL;
    }
    free(after);
    return priority;
}

static enum br_status begin_weights(struct build *build, const struct br_emit_input *input,
                                    uint32_t **weight, struct br_diag *diag)
{
    enum br_status status = begin(build, input, diag);
    if (status)
        return status;
    *weight = weigh(build);
    if (*weight)
        return BR_OK;
    br_attributes_finish(&build->by);
    return br_fail_memory(diag);
}

enum br_status br_emit_ninja_weights(const struct br_emit_input *input, FILE *out,
                                     struct br_diag *diag)
{
    struct build build;
    uint32_t *weight;
    enum br_status status = begin_weights(&build, input, &weight, diag);
    if (status)
        return status;
    for (uint32_t k = 0; k < input->plan->tasks; k++) {
        uint32_t stage = stage_at(&build, k);
        fprintf(out, "%s,%" PRIu32 "\n", input->dag->stage[stage].id, weight[stage]);
    }
    free(weight);
    br_attributes_finish(&build.by);
    return BR_OK;
}

/* ---- .ninja_log ---- */

/* A line for every output. The file's time and the command's hash are 0, so that ninja never takes
 * an output for up to date because of it. */
static void write_entry(FILE *out, const char *outputs, uint32_t start_ms, uint32_t end_ms)
{
    while (*outputs) {
        int n = (int)strcspn(outputs, "\n");
        fprintf(out, "%" PRIu32 "\t%" PRIu32 "\t0\t%.*s\t0\n", start_ms, end_ms, n, outputs);
        outputs += n + (outputs[n] == '\n');
    }
}

static enum br_status write_log(const struct br_emit_input *input, int version, FILE *out,
                                struct br_diag *diag)
{
    struct build build;
    uint32_t *weight;
    enum br_status status = begin_weights(&build, input, &weight, diag);
    if (status)
        return status;
    fprintf(out, "# ninja log v%d\n", version);
    for (uint32_t k = 0; k < input->plan->tasks; k++) {
        uint32_t stage = stage_at(&build, k);
        const char *outputs = attribute(&build, BR_OWNER_STAGE, stage, "ninja.outputs");
        write_entry(out, outputs ? outputs : input->dag->stage[stage].id, k, k + weight[stage]);
    }
    free(weight);
    br_attributes_finish(&build.by);
    return BR_OK;
}

enum br_status br_emit_ninja_log_5(const struct br_emit_input *input, FILE *out,
                                   struct br_diag *diag)
{
    return write_log(input, 5, out, diag);
}

enum br_status br_emit_ninja_log_6(const struct br_emit_input *input, FILE *out,
                                   struct br_diag *diag)
{
    return write_log(input, 6, out, diag);
}

enum br_status br_emit_ninja_log_7(const struct br_emit_input *input, FILE *out,
                                   struct br_diag *diag)
{
    return write_log(input, 7, out, diag);
}
