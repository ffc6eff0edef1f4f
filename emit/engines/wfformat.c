/* The plan as a WfFormat 1.5 instance: the job as the specification, the plan as its execution,
 * with machines and priorities, for the tools of WfCommons and Pegasus.
 *
 * Its ids may hold letters, digits and - _ . #, so "map[3]" becomes "map#3". Any other character
 * becomes an underscore, and the stage's number follows. */
#include "base/text/diag.h"
#include "base/roles.h"
#include "emit/engines/engine.h"
#include "emit/write/outputs.h"
#include "emit/pictures/picture.h"
#include "planner/model/commands.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BARRIER_MOST = 1000000 }; /* edges between two stages that are spelled out */

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
}

static void engines_wfformat_write_id(FILE *out, const struct br_engine *engine, uint32_t stage,
                                      uint32_t index)
{
    const struct br_stage *s = &engine->dag->stage[stage];
    bool changed = false;
    putc('"', out);
    for (const char *p = s->id; *p; p++) {
        putc(is_plain(*p) ? *p : '_', out);
        changed |= !is_plain(*p);
    }
    if (changed)
        fprintf(out, "#s%" PRIu32, stage + 1);
    if (s->tasks > 1)
        fprintf(out, "#%" PRIu32, index);
    putc('"', out);
}

static void engines_wfformat_write_joint(FILE *out, uint32_t stage)
{
    fprintf(out, "\"joint#s%" PRIu32 "\"", stage + 1);
}

/* A barrier of so many edges goes through a task that lasts 0 s. */
static bool is_spelled(const struct br_dag *dag, const struct br_edge *edge)
{
    return edge->type == BR_ONE_TO_ONE ||
           (uint64_t)dag->stage[edge->parent].tasks * dag->stage[edge->child].tasks <= BARRIER_MOST;
}

struct links {
    uint32_t *first, *edge; /* edges grouped by parent, as the engine has them by child */
    bool *has_joint;        /* by parent stage */
};

/* The other ends of the edges of one task. */
static void write_ends(FILE *out, const struct br_engine *engine, const struct links *links,
                       uint32_t stage, uint32_t index, bool parents)
{
    const struct br_dag *dag = engine->dag;
    const uint32_t *first = parents ? engine->parents.first : links->first;
    const uint32_t *list = parents ? engine->parents.edge : links->edge;
    const char *before = "";
    bool joined = false;
    for (uint32_t k = first[stage]; k < first[stage + 1]; k++) {
        const struct br_edge *edge = &dag->edge[list[k]];
        uint32_t other = parents ? edge->parent : edge->child;
        if (!is_spelled(dag, edge)) {
            if (!parents && joined)
                continue; /* its joint, once */
            joined = true;
            fputs(before, out);
            engines_wfformat_write_joint(out, edge->parent);
            before = ", ";
            continue;
        }
        bool pair = edge->type == BR_ONE_TO_ONE;
        uint32_t from = pair ? index : 0, to = pair ? index + 1 : dag->stage[other].tasks;
        assert(from < to && to <= dag->stage[other].tasks);
        for (uint32_t i = from; i < to; i++) {
            fputs(before, out);
            engines_wfformat_write_id(out, engine, other, i);
            before = ", ";
        }
    }
}

static void write_specification(FILE *out, const struct br_engine *engine,
                                const struct links *links)
{
    const struct br_dag *dag = engine->dag;
    const char *before = "";
    fputs("  \"specification\": {\"tasks\": [", out);
    for (uint32_t s = 0; s < dag->stages; s++)
        for (uint32_t i = 0; i < dag->stage[s].tasks; i++) {
            fprintf(out, "%s\n    {\"name\": \"", before);
            br_write_text(out, BR_QUOTE_JSON, dag->stage[s].id);
            fputs("\", \"id\": ", out);
            engines_wfformat_write_id(out, engine, s, i);
            fputs(",\n     \"parents\": [", out);
            write_ends(out, engine, links, s, i, true);
            fputs("],\n     \"children\": [", out);
            write_ends(out, engine, links, s, i, false);
            fputs("]}", out);
            before = ",";
        }
    for (uint32_t s = 0; s < dag->stages; s++) {
        if (!links->has_joint[s])
            continue;
        fputs(",\n    {\"name\": \"joint\", \"id\": ", out);
        engines_wfformat_write_joint(out, s);
        fputs(",\n     \"parents\": [", out);
        for (uint32_t i = 0; i < dag->stage[s].tasks; i++) {
            fputs(i ? ", " : "", out);
            engines_wfformat_write_id(out, engine, s, i);
        }
        fputs("],\n     \"children\": [", out);
        before = "";
        for (uint32_t k = links->first[s]; k < links->first[s + 1]; k++) {
            const struct br_edge *edge = &dag->edge[links->edge[k]];
            for (uint32_t i = 0; i < dag->stage[edge->child].tasks && !is_spelled(dag, edge); i++) {
                fputs(before, out);
                engines_wfformat_write_id(out, engine, edge->child, i);
                before = ", ";
            }
        }
        fputs("]}", out);
    }
    fputs("\n  ]},\n", out);
}

/* The command's words. A command that `run` refuses, too, is written as one text, which the reader
 * of this format takes for a line as well. */
static enum br_status engines_wfformat_write_command(FILE *out, const struct br_engine *engine,
                                                     uint32_t stage, bool script, uint32_t index,
                                                     struct br_diag *diag)
{
    struct br_arena arena = {0};
    struct br_command command;
    struct br_words words = {0};
    struct br_diag why = {0};
    const char *text = engine->dag->stage[stage].command;
    enum br_status status = br_command_parse(&arena, text, script, &command, &why);
    if (status == BR_BAD_INPUT) {
        command = (struct br_command){1, &text};
        status = BR_OK;
    }
    if (status || !br_command_words(&command, index, &words))
        status = br_fail_memory(diag);
    for (uint32_t w = 0; w < command.words && !status; w++) {
        fputs(w == 0   ? ",\n     \"command\": {\"program\": \""
              : w == 1 ? "\", \"arguments\": [\""
                       : "\", \"",
              out);
        br_write_text(out, BR_QUOTE_JSON, words.word[w]);
    }
    if (command.words && !status)
        fputs(command.words > 1 ? "\"]}" : "\", \"arguments\": []}", out);
    br_words_finish(&words);
    br_arena_finish(&arena);
    return status;
}

static enum br_status write_record(FILE *out, const struct br_engine *engine, const bool *script,
                                   uint32_t task, struct br_diag *diag)
{
    const struct br_plan *plan = engine->input->plan;
    uint32_t stage = br_dag_task_stage(engine->dag, task);
    uint32_t index = task - engine->dag->stage[stage].first_task;
    enum br_status status = BR_OK;
    fputs("    {\"id\": ", out);
    engines_wfformat_write_id(out, engine, stage, index);
    fputs(", \"runtimeInSeconds\": ", out);
    br_write_seconds(out, plan->end_ns[task] - plan->start_ns[task]);
    fprintf(out, ", \"coreCount\": %" PRIu32, engine->need[stage].cpus);
    if (engine->need[stage].mem_bytes > 0)
        fprintf(out, ", \"memoryInBytes\": %" PRId64, engine->need[stage].mem_bytes);
    fprintf(out, ", \"priority\": %" PRIu32 ", \"machines\": [\"",
            plan->tasks - plan->rank[task] + 1);
    br_write_machine(out, BR_QUOTE_JSON, engine->input->cluster, plan->machine[task]);
    fputs("\"]", out);
    if (engine->dag->stage[stage].command)
        status = engines_wfformat_write_command(out, engine, stage, script[stage], index, diag);
    putc('}', out);
    return status;
}

static void write_machines(FILE *out, const struct br_emit_input *input)
{
    const char *unit = br_engine_mem_unit(input->dag);
    const struct br_cluster *cluster = input->cluster;
    fputs("  \"machines\": [", out);
    for (uint32_t m = 0; m < cluster->machines; m++) {
        const struct br_class *cls = &cluster->cls[br_cluster_machine_class(cluster, m)];
        fprintf(out, "%s\n    {\"nodeName\": \"", m ? "," : "");
        br_write_machine(out, BR_QUOTE_JSON, cluster, m);
        putc('"', out);
        for (uint32_t k = 0; k < cls->capacities; k++) {
            enum br_role role = br_role_of(cls->capacity[k].resource);
            int64_t amount =
                br_role_bytes(cls->capacity[k].amount, role == BR_ROLE_MEMORY ? unit : NULL);
            if (amount < 1 || amount == INT64_MAX)
                continue;
            if (role == BR_ROLE_CPU)
                fprintf(out, ", \"cpu\": {\"coreCount\": %" PRId64 "}", amount);
            if (role == BR_ROLE_MEMORY)
                fprintf(out, ", \"memoryInBytes\": %" PRId64, amount);
        }
        putc('}', out);
    }
    fputs("\n  ]", out);
}

static enum br_status group(struct links *links, const struct br_dag *dag, struct br_diag *diag)
{
    links->first = calloc(br_csr_room(dag->stages), sizeof *links->first);
    links->edge = calloc((size_t)dag->edges + 1, sizeof *links->edge);
    links->has_joint = calloc((size_t)dag->stages + 1, sizeof *links->has_joint);
    if (!links->first || !links->edge || !links->has_joint)
        return br_fail_memory(diag);
    for (uint32_t e = 0; e < dag->edges; e++)
        links->has_joint[dag->edge[e].parent] |= !is_spelled(dag, &dag->edge[e]);
    br_dag_list_edges(dag, BR_EDGE_PARENT, links->first, links->edge);
    return BR_OK;
}

enum br_status br_emit_wfformat(const struct br_emit_input *input, FILE *out, struct br_diag *diag)
{
    const struct br_dag *dag = input->dag;
    struct br_engine engine;
    struct links links = {0};
    enum br_status status = br_engine_init(&engine, input, diag);
    if (!status)
        status = group(&links, dag, diag);
    const bool *script = status ? NULL : br_dag_scripts(&engine.arena, dag, input->shell);
    if (!status && !script)
        status = br_fail_memory(diag);
    if (!status) {
        fputs("{\n\"name\": \"", out);
        br_write_text(out, BR_QUOTE_JSON, *dag->name ? dag->name : "job");
        fputs("\",\n\"description\": \"A plan, not a recording: ", out);
        br_write_headline(out, BR_QUOTE_JSON, input);
        fputs(". Not honoured: resources but cores and memory, which are rounded up; start times\""
              ",\n\"schemaVersion\": \"1.5\",\n\"workflow\": {\n",
              out);
        write_specification(out, &engine, &links);
        fputs("  \"execution\": {\n  \"makespanInSeconds\": ", out);
        br_write_seconds(out, input->plan->makespan_ns);
        fputs(",\n  \"executedAt\": \"1970-01-01T00:00:00+00:00\",\n  \"tasks\": [\n", out);
    }
    for (uint32_t k = 0; k < input->plan->tasks && !status; k++) {
        fputs(k ? ",\n" : "", out);
        status = write_record(out, &engine, script, input->plan->order[k], diag);
    }
    for (uint32_t s = 0; s < dag->stages && !status; s++)
        if (links.has_joint[s]) {
            fputs(",\n    {\"id\": ", out);
            engines_wfformat_write_joint(out, s);
            fputs(", \"runtimeInSeconds\": 0}", out);
        }
    if (!status) {
        fputs("\n  ],\n", out);
        write_machines(out, input);
        fputs("}\n}\n}\n", out);
    }
    free(links.first);
    free(links.edge);
    free(links.has_joint);
    br_engine_finish(&engine);
    return status;
}
