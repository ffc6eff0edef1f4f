/* A job from a build.ninja: a stage of one task for each command that the targets need. A command
 * waits for the commands that build its inputs or its order-only inputs, through "phony" statements
 * and those marked as done. Files known to have been read by earlier runs of a command (found.h)
 * count as inputs: as in ninja, which in a new build does not know them either. */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/sort.h"
#include "base/text/path.h"
#include "base/text/text.h"
#include "parsers/ninja/dyndep.h"
#include "parsers/ninja/flow.h"
#include "parsers/ninja/found.h"
#include "parsers/ninja/log.h"
#include "parsers/ninja/text.h"
#include "parsers/ninja/build.h"
#include "parsers/reader/demand.h"

/* Size of a text's pieces that are kept as attributes, below the largest value of one. */
enum { CHUNK = 1 << 20 };
static const int64_t preset_ns = INT64_C(1000000000);

struct making {
    struct br_ninja *ninja; /* to which edges of the job read are added */
    struct br_ninja_found *found;
    const struct br_ninja_options *options;
    const char *folder; /* absolute; the option's is used for reading and in messages */
    struct br_dag *dag;
    struct br_cluster *cluster; /* may be NULL */
    struct br_ninja_report *report;
    struct br_diag *diag;

    uint32_t *stage;  /* by edge; UINT32_MAX: not needed, or phony */
    bool *needed;     /* by edge */
    uint32_t *mark;   /* by edge: 1 + the edge from which it was last found */
    uint32_t *stack;  /* edges */
    int64_t *logged;  /* by node; -1: not in the log */
    int64_t *typical; /* by rule: the median from the log; -1: nothing */
    bool *pool_used;
    struct br_ninja_text text; /* for one text at a time */
};

static bool is_phony(const struct br_ninja *ninja, uint32_t edge)
{
    return ninja->edge[edge].rule == BR_NINJA_PHONY;
}

/* ---- What is needed ---- */

static enum br_status ninja_job_need(struct making *making, uint32_t node, uint32_t *depth)
{
    uint32_t edge = making->ninja->node[node].producer;
    if (edge == UINT32_MAX || making->needed[edge])
        return BR_OK;
    making->needed[edge] = true;
    assert(*depth < making->ninja->edges);
    making->stack[(*depth)++] = edge;
    return br_ninja_find_inputs(making->found, making->ninja, edge, making->diag);
}

static enum br_status need_all(struct making *making, uint32_t node)
{
    const struct br_ninja *ninja = making->ninja;
    uint32_t depth = 0;
    enum br_status status = ninja_job_need(making, node, &depth);
    while (depth && !status) {
        const struct br_ninja_edge *edge = &ninja->edge[making->stack[--depth]];
        const uint32_t begin = edge->first[BR_NINJA_IN], end = edge->first[BR_NINJA_RUNS];
        for (uint32_t k = begin; k < end && !status; k++)
            status = ninja_job_need(making, ninja->path[k], &depth);
    }
    return status;
}

static enum br_status need_target(struct making *making, const char *target)
{
    char *path = strdup(target);
    if (!path)
        return br_fail_memory(making->diag);
    br_path_shorten(path);
    uint32_t node = br_ninja_find_node(making->ninja, path);
    free(path);
    if (node == UINT32_MAX)
        return br_fail(making->diag, BR_BAD_INPUT, "'ninja -t targets all' lists them",
                       "the build knows no target '%.200s'", target);
    return need_all(making, node);
}

static enum br_status need_targets(struct making *making)
{
    const struct br_ninja *ninja = making->ninja;
    const struct br_ninja_options *options = making->options;
    enum br_status status = BR_OK;
    for (uint32_t k = 0; k < options->targets && !status; k++)
        status = need_target(making, options->target[k]);
    if (options->targets)
        return status;
    for (uint32_t k = 0; k < ninja->targets && !status; k++)
        status = need_all(making, ninja->target[k]);
    /* Without "default", all outputs that nothing else needs. */
    for (uint32_t n = 0; n < ninja->nodes && !ninja->targets && !status; n++)
        if (!ninja->node[n].used)
            status = need_all(making, n);
    return status;
}

/* ---- Durations ---- */

/* The longest of the outputs'; they come from one run unless the log covers several builds. */
static int64_t logged_ns(const struct making *making, uint32_t edge)
{
    const struct br_ninja *ninja = making->ninja;
    const struct br_ninja_edge *it = &ninja->edge[edge];
    int64_t ns = -1;
    for (uint32_t k = it->first[BR_NINJA_OUT]; k < it->first[BR_NINJA_IN]; k++)
        if (making->logged[ninja->path[k]] > ns)
            ns = making->logged[ninja->path[k]];
    return ns;
}

static enum br_status find_typical(struct making *making)
{
    const struct br_ninja *ninja = making->ninja;
    uint32_t count = 0;
    struct br_sort_item *items = calloc((size_t)ninja->edges + 1, 2 * sizeof *items);
    if (!items)
        return br_fail_memory(making->diag);
    for (uint32_t r = 0; r < ninja->rules; r++)
        making->typical[r] = -1;
    for (uint32_t e = 0; e < ninja->edges; e++)
        if (logged_ns(making, e) >= 0)
            items[count++] = (struct br_sort_item){(uint64_t)logged_ns(making, e), e};
    br_sort(items, items + ninja->edges, count);
    /* By rule, with the durations in order; the sort keeps the order of equals. */
    for (uint32_t k = 0; k < count; k++)
        items[k] = (struct br_sort_item){ninja->edge[items[k].item].rule, items[k].item};
    br_sort(items, items + ninja->edges, count);
    for (uint32_t k = 0, end; k < count; k = end) {
        assert(items[k].key < ninja->rules);
        for (end = k + 1; end < count && items[end].key == items[k].key;)
            end++;
        making->typical[items[k].key] = logged_ns(making, items[k + (end - k) / 2].item);
    }
    free(items);
    return BR_OK;
}

static int64_t duration_ns(struct making *making, uint32_t edge)
{
    int64_t ns = logged_ns(making, edge);
    if (ns >= 0) {
        making->report->logged++;
        return ns;
    }
    ns = making->typical[making->ninja->edge[edge].rule];
    if (ns >= 0) {
        making->report->of_rule++;
        return ns;
    }
    making->report->preset++;
    return preset_ns;
}

/* ---- Stages ---- */

static enum br_status ninja_job_add_pool(struct making *making, uint32_t edge, uint32_t stage)
{
    const struct br_ninja *ninja = making->ninja;
    char resource[256], depth[32];
    making->text.used = 0;
    enum br_status status =
        br_ninja_binding(ninja, edge, BR_NINJA_POOL, BR_NINJA_VALUE, &making->text, making->diag);
    if (status || !making->text.used)
        return status;
    uint32_t p = 0;
    while (p < ninja->pools && strcmp(ninja->pool[p].name, making->text.text) != 0)
        p++;
    if (p == ninja->pools)
        return br_fail_at(making->diag, ninja->edge[edge].pos, BR_BAD_INPUT, NULL,
                          "there is no pool '%.80s'", making->text.text);
    if (ninja->pool[p].depth == 0)
        return BR_OK;
    snprintf(resource, sizeof resource, "pool.%.240s", ninja->pool[p].name);
    snprintf(depth, sizeof depth, "%" PRIu32, ninja->pool[p].depth);
    if (!making->pool_used[p] && making->cluster)
        status = br_cluster_add_capacity(making->cluster, 0, resource, depth, making->diag);
    making->pool_used[p] = true;
    return status ? status : br_dag_add_demand(making->dag, stage, resource, "1", making->diag);
}

static enum br_status ninja_job_add_demands(struct making *making, uint32_t edge, uint32_t stage)
{
    enum br_status status = br_read_command_demands(
        making->dag, stage, making->options->demand, making->cluster,
        making->dag->stage[stage].command, &making->report->wide, making->diag);
    return status ? status : ninja_job_add_pool(making, edge, stage);
}

static enum br_status add_attribute(struct making *making, enum br_owner owner, uint32_t index,
                                    const char *name)
{
    const char *value = making->text.text;
    if (!br_text_is_lines(value))
        return br_fail(making->diag, BR_BAD_INPUT, NULL, "a command holds control characters");
    return br_dag_add_attribute(making->dag, owner, index, name, value, making->diag);
}

/* All outputs, one per line; a single one is the stage's id already. */
static enum br_status add_outputs(struct making *making, uint32_t edge, uint32_t stage)
{
    const struct br_ninja *ninja = making->ninja;
    const struct br_ninja_edge *it = &ninja->edge[edge];
    uint32_t begin = it->first[BR_NINJA_OUT], end = it->first[BR_NINJA_IN];
    if (end - begin < 2)
        return BR_OK;
    making->text.used = 0;
    for (uint32_t k = begin; k < end; k++) {
        const char *path = ninja->node[ninja->path[k]].path;
        if ((k > begin && !br_ninja_add(&making->text, "\n", 1)) ||
            !br_ninja_add(&making->text, path, strlen(path)))
            return br_fail_memory(making->diag);
    }
    return add_attribute(making, BR_OWNER_STAGE, stage, "ninja.outputs");
}

static enum br_status fail_controls(struct making *making, uint32_t edge)
{
    const struct br_ninja_edge *it = &making->ninja->edge[edge];
    br_diag_file(making->diag, making->ninja->file[it->file].path);
    return br_fail_at(making->diag, it->pos, BR_BAD_INPUT, "put the command into a script",
                      "the statement for '%.200s' holds control characters",
                      br_ninja_first_output(making->ninja, edge));
}

static enum br_status add_texts(struct making *making, uint32_t edge, uint32_t stage)
{
    making->text.used = 0;
    if (making->ninja->edge[edge].dyndep == BR_NINJA_DYNDEP_OPEN && !making->options->open)
        return br_ninja_dyndep_fail(making->ninja, making->options->folder, edge, making->diag);
    enum br_status status =
        br_ninja_script(making->ninja, edge, making->folder, &making->text, making->diag);
    if (!status && !br_text_is_lines(making->text.text))
        status = fail_controls(making, edge);
    if (!status)
        status = br_dag_set_command(making->dag, stage, making->text.text, making->diag);
    if (!status)
        status = add_outputs(making, edge, stage);
    making->text.used = 0;
    if (!status)
        status = br_ninja_statement(making->ninja, edge, BR_NINJA_NO_COMMANDS, &making->text,
                                    making->diag);
    return status ? status : add_attribute(making, BR_OWNER_STAGE, stage, "ninja.statement");
}

/* A fault found later, such as a cycle, has a place only in the build's own file; faults found here
 * may have theirs in any file. */
static void place_stage(struct making *making, uint32_t edge)
{
    const struct br_ninja_edge *it = &making->ninja->edge[edge];
    if (it->file == 0)
        br_dag_set_stage_pos(making->dag, making->stage[edge], it->pos);
    br_diag_file(making->diag, making->ninja->file[it->file].path);
}

static enum br_status ninja_job_add_stages(struct making *making)
{
    const struct br_ninja *ninja = making->ninja;
    for (uint32_t e = 0; e < ninja->edges; e++) {
        making->stage[e] = UINT32_MAX;
        if (making->needed[e] && is_phony(ninja, e))
            making->report->phony++;
        if (!making->needed[e] || is_phony(ninja, e))
            continue;
        making->report->commands++;
        enum br_status status =
            br_dag_add_stage(making->dag, br_ninja_first_output(ninja, e), 1,
                             duration_ns(making, e), &making->stage[e], making->diag);
        if (!status)
            place_stage(making, e);
        if (!status)
            status = add_texts(making, e, making->stage[e]);
        if (!status)
            status = ninja_job_add_demands(making, e, making->stage[e]);
        if (status)
            return status;
    }
    assert(making->report->logged + making->report->of_rule + making->report->preset ==
           making->report->commands);
    return BR_OK;
}

/* ---- Edges ---- */

/* The edges that the edge waits for, with "phony" looked through. */
static enum br_status add_edges_to(struct making *making, uint32_t child)
{
    const struct br_ninja *ninja = making->ninja;
    uint32_t depth = 0;
    making->stack[depth++] = child;
    while (depth) {
        const struct br_ninja_edge *edge = &ninja->edge[making->stack[--depth]];
        for (uint32_t k = edge->first[BR_NINJA_IN]; k < edge->first[BR_NINJA_VALIDATION]; k++) {
            uint32_t parent = ninja->node[ninja->path[k]].producer;
            if (parent == UINT32_MAX || making->mark[parent] == child + 1)
                continue;
            making->mark[parent] = child + 1;
            if (making->stage[parent] == UINT32_MAX) { /* phony, or done */
                assert(depth < ninja->edges);
                making->stack[depth++] = parent;
                continue;
            }
            enum br_status status = br_dag_add_edge(making->dag, making->stage[parent],
                                                    making->stage[child], BR_BARRIER, making->diag);
            if (status)
                return status;
            if (ninja->edge[child].file == 0)
                br_dag_set_edge_pos(making->dag, ninja->edge[child].pos);
        }
    }
    return BR_OK;
}

static enum br_status add_edges(struct making *making)
{
    for (uint32_t e = 0; e < making->ninja->edges; e++) {
        enum br_status status = making->stage[e] == UINT32_MAX ? BR_OK : add_edges_to(making, e);
        if (status)
            return status;
    }
    return BR_OK;
}

/* ---- The rest of the file, to write it back ---- */

/* Keeps the text as NAME.0001 and so on. */
static enum br_status flush_text(struct making *making, const char *name, uint32_t *chunk)
{
    char numbered[40];
    if (!making->text.used)
        return BR_OK;
    snprintf(numbered, sizeof numbered, "%s.%04" PRIu32, name, ++*chunk);
    enum br_status status = add_attribute(making, BR_OWNER_JOB, 0, numbered);
    making->text.used = 0;
    return status;
}

/* The statements that are no stages: "phony" ones, and commands that are not needed. */
static enum br_status add_others(struct making *making, bool phony, const char *name,
                                 uint32_t *chunk)
{
    enum br_status status = BR_OK;
    for (uint32_t e = 0; e < making->ninja->edges && !status; e++) {
        if (making->stage[e] != UINT32_MAX || is_phony(making->ninja, e) != phony)
            continue;
        const uint32_t before = making->text.used;
        status =
            br_ninja_statement(making->ninja, e, BR_NINJA_COMMANDS, &making->text, making->diag);
        if (!status && !br_text_is_lines(making->text.text + before))
            status = fail_controls(making, e);
        if (!status && making->text.used >= CHUNK)
            status = flush_text(making, name, chunk);
    }
    return status;
}

static enum br_status add_rest(struct making *making)
{
    uint32_t phony = 0, rest = 0;
    enum br_status status =
        br_dag_add_attribute(making->dag, BR_OWNER_JOB, 0, "shell", "true", making->diag);
    if (!status)
        status = br_dag_add_attribute(making->dag, BR_OWNER_JOB, 0, "ninja.folder", making->folder,
                                      making->diag);
    if (!status && making->options->file)
        status = br_dag_add_attribute(making->dag, BR_OWNER_JOB, 0, "ninja.file",
                                      making->options->file, making->diag);
    making->text.used = 0;
    if (status || making->options->bare)
        return status;
    if (!status)
        status = br_ninja_head(making->ninja, &making->text, making->diag);
    if (!status && making->text.used)
        status = add_attribute(making, BR_OWNER_JOB, 0, "ninja.head");
    making->text.used = 0;
    if (!status)
        status = add_others(making, true, "ninja.phony", &phony);
    if (!status)
        status = flush_text(making, "ninja.phony", &phony);
    if (!status)
        status = add_others(making, false, "ninja.rest", &rest);
    if (!status)
        status = br_ninja_defaults(making->ninja, &making->text, making->diag);
    return status ? status : flush_text(making, "ninja.rest", &rest);
}

/* ---- The whole ---- */

static enum br_status ninja_job_read_log(struct making *making)
{
    char folder[PATH_MAX], path[PATH_MAX + 16];
    br_ninja_state_folder(making->ninja, making->options->folder, folder, sizeof folder);
    snprintf(path, sizeof path, "%s/.ninja_log", folder);
    enum br_status status =
        br_ninja_read_log(making->ninja, path, making->logged, NULL, making->diag);
    if (!status)
        br_diag_file(making->diag, making->ninja->file[0].path);
    return status ? status : find_typical(making);
}

static enum br_status ninja_job_fill(struct making *making)
{
    enum br_status status =
        br_dag_set_source(making->dag, making->ninja->file[0].path, making->diag);
    if (!status)
        status = ninja_job_read_log(making);
    if (!status)
        status = br_ninja_found_open(&making->found, making->ninja, making->options->folder,
                                     making->diag);
    if (!status)
        status = need_targets(making);
    for (uint32_t e = 0; e < making->ninja->edges && making->options->only && !status; e++)
        making->needed[e] &=
            is_phony(making->ninja, e) ||
            br_ninja_set_have(making->options->only, br_ninja_first_output(making->ninja, e));
    if (!status)
        status = ninja_job_add_stages(making);
    if (!status && !making->report->commands)
        status = br_fail(making->diag, BR_BAD_INPUT, NULL, "the targets need no command");
    assert(status || making->report->commands == making->dag->stages);
    if (!status)
        status = add_edges(making);
    if (!status && making->options->flow)
        status = br_ninja_flow_fill(making->options->flow, making->ninja, making->stage,
                                    making->dag->stages, making->diag);
    return status ? status : add_rest(making);
}

static enum br_status ninja_job_make(struct making *making, struct br_arena *arena)
{
    const struct br_ninja *ninja = making->ninja;
    size_t edges = (size_t)ninja->edges + 1;
    making->stage = br_arena_array(arena, edges, sizeof *making->stage);
    making->needed = br_arena_array(arena, edges, sizeof *making->needed);
    making->mark = br_arena_array(arena, edges, sizeof *making->mark);
    making->stack = br_arena_array(arena, edges, sizeof *making->stack);
    making->logged = br_arena_array(arena, (size_t)ninja->nodes + 1, sizeof *making->logged);
    making->typical = br_arena_array(arena, ninja->rules, sizeof *making->typical);
    making->pool_used = br_arena_array(arena, ninja->pools, sizeof *making->pool_used);
    making->dag = br_dag_create(br_text_is_plain(making->folder) ? making->folder : "build");
    if (!making->stage || !making->needed || !making->mark || !making->stack || !making->logged ||
        !making->typical || !making->pool_used || !making->dag)
        return br_fail_memory(making->diag);
    return ninja_job_fill(making);
}

/* Does a rule start the helper of CMake's instrumentation? */
static bool job_is_hooked(const struct br_ninja *ninja)
{
    static const char mark[] = " --start-instrumentation ";
    for (uint32_t r = 0; r < ninja->rules; r++) {
        const struct br_ninja_slice *command = &ninja->rule[r].binding[BR_NINJA_COMMAND];
        if (command->text && memmem(command->text, command->size, mark, sizeof mark - 1))
            return true;
    }
    return false;
}

enum br_status br_parse_ninja(const struct br_ninja_options *options, struct br_input *input,
                              struct br_ninja_report *report, struct br_diag *diag)
{
    struct br_ninja ninja;
    struct br_arena arena = {0};
    char folder[PATH_MAX];
    const char *file = options->file ? options->file : "build.ninja";
    input->dag = NULL;
    *report = (struct br_ninja_report){0};
    enum br_status status = br_ninja_find(options->folder, options->file, diag);
    if (!status && !realpath(options->folder, folder))
        status = br_fail(diag, BR_SYSTEM, NULL, "the folder of the build has no path: %s",
                         strerror(errno));
    if (!status)
        status = br_ninja_read(&ninja, options->folder, file, diag);
    if (status)
        return status;
    report->hooked = job_is_hooked(&ninja);
    const struct br_ninja_ready ready = {.pending = options->pending};
    uint32_t open;
    status = br_ninja_dyndep_load(&ninja, options->folder, &ready, &open, diag);
    struct making making = {.ninja = &ninja,
                            .options = options,
                            .folder = folder,
                            .cluster = input->cluster,
                            .report = report,
                            .diag = diag};
    if (!status)
        status = ninja_job_make(&making, &arena);
    if (!status)
        status = br_dag_finish(making.dag, diag);
    if (!status) {
        input->dag = making.dag;
        br_diag_file(diag, NULL);
    } else {
        br_dag_destroy(making.dag);
    }
    free(making.text.text);
    br_ninja_found_close(making.found);
    br_arena_finish(&arena);
    br_ninja_finish(&ninja);
    return status;
}
