/* The edges between the tasks of a trace. Its graph of processes says which process reads what
 * another writes; which task of it reads which is not recorded, and is inferred:
 *
 * - A task waits for the tasks with its own tag, else for those whose tag goes on where its own
 *   ends, or the other way round (SAMPLE and SAMPLE_T1).
 * - Tasks without tags are numbered as they are made, which is as their inputs come. If both
 *   processes have equally many, the one submitted as the k-th waits for the k-th to end.
 * - Else a task waits for all tasks of the other process.
 *
 * A task that was submitted before another ended did not wait for it, whatever its tag. */
#include "parsers/nextflow/trace.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/csr.h"
#include "base/collections/sort.h"

/* Times of the trace are rounded to seconds if they are long. Above PAIRS_MOST pairs of two
 * processes a stage without work stands between them. */
enum { ROUNDING_NS = 1000000000, PAIRS_MOST = 100000 };

struct linker {
    struct br_trace *trace;
    const struct br_processes *graph;
    struct br_diag *diag;
    struct br_arena arena;
    uint32_t *process_of;                /* by node; UINT32_MAX: an operator */
    uint32_t *first_arrow, *arrow;       /* nodes behind each node */
    uint32_t *first, *submitted, *ended; /* the tasks of each process, in these orders */
    uint32_t *stack;                     /* nodes of the walk */
    uint32_t *seen, *linked;             /* nodes and processes: the process walked from, + 1 */
    uint32_t dropped;
};

static bool ends_with_part(const char *name, const char *part)
{
    size_t length = strlen(name), end = strlen(part);
    return length > end && name[length - end - 1] == ':' && strcmp(name + length - end, part) == 0;
}

/* The process that the node draws: of its full name, else of its label, else the only one whose
 * name ends with that. */
static uint32_t linker_process(const struct br_trace *trace, const struct br_process_node *node)
{
    uint32_t found = UINT32_MAX, count = 0;
    if (!node->label)
        return UINT32_MAX;
    for (uint32_t p = 0; p < trace->processes; p++)
        if (strcmp(trace->process[p], node->full) == 0)
            return p;
    for (uint32_t p = 0; p < trace->processes; p++) {
        if (strcmp(trace->process[p], node->label) == 0)
            return p;
        if (ends_with_part(trace->process[p], node->full) ||
            ends_with_part(trace->process[p], node->label)) {
            found = p;
            count++;
        }
    }
    return count == 1 ? found : UINT32_MAX;
}

static int compare_times(const struct br_trace_task *x, const struct br_trace_task *y, int64_t x_ns,
                         int64_t y_ns)
{
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    return x_ns < y_ns ? -1 : x_ns > y_ns;
}

static int compare_submitted(const void *a, const void *b, void *context)
{
    const struct br_trace_task *task = context, *x = &task[*(const uint32_t *)a],
                               *y = &task[*(const uint32_t *)b];
    return compare_times(x, y, x->submitted_ns, y->submitted_ns);
}

static int compare_ended(const void *a, const void *b, void *context)
{
    const struct br_trace_task *task = context, *x = &task[*(const uint32_t *)a],
                               *y = &task[*(const uint32_t *)b];
    return compare_times(x, y, x->ended_ns, y->ended_ns);
}

/* Lays out the tasks by process and the arrows by node. */
static bool linker_lay_out(struct linker *linker)
{
    struct br_trace *trace = linker->trace;
    const struct br_processes *graph = linker->graph;
    struct br_arena *arena = &linker->arena;
    if (!BR_ARRAY(arena, (size_t)graph->nodes + 1, linker->process_of) ||
        !BR_ARRAY(arena, br_csr_room(graph->nodes), linker->first_arrow) ||
        !BR_ARRAY(arena, (size_t)graph->edges + 1, linker->arrow) ||
        !BR_ARRAY(arena, (size_t)graph->nodes + 1, linker->stack) ||
        !BR_ARRAY(arena, (size_t)graph->nodes + 1, linker->seen) ||
        !BR_ARRAY(arena, (size_t)trace->processes + 1, linker->linked) ||
        !BR_ARRAY(arena, br_csr_room(trace->processes), linker->first) ||
        !BR_ARRAY(arena, (size_t)trace->tasks + 1, linker->submitted) ||
        !BR_ARRAY(arena, (size_t)trace->tasks + 1, linker->ended))
        return false;
    for (uint32_t e = 0; e < graph->edges; e++)
        br_csr_count(linker->first_arrow, graph->edge[e].from);
    br_csr_sum(linker->first_arrow, graph->nodes);
    for (uint32_t e = 0; e < graph->edges; e++)
        linker->arrow[br_csr_place(linker->first_arrow, graph->edge[e].from)] = graph->edge[e].to;
    for (uint32_t n = 0; n < graph->nodes; n++)
        linker->process_of[n] = linker_process(trace, &graph->node[n]);
    for (uint32_t t = 0; t < trace->tasks; t++)
        br_csr_count(linker->first, trace->task[t].process);
    br_csr_sum(linker->first, trace->processes);
    for (uint32_t t = 0; t < trace->tasks; t++)
        linker->submitted[br_csr_place(linker->first, trace->task[t].process)] = t;
    memcpy(linker->ended, linker->submitted, trace->tasks * sizeof *linker->ended);
    br_sort_within(linker->submitted, trace->tasks, sizeof *linker->submitted, compare_submitted,
                   trace->task);
    br_sort_within(linker->ended, trace->tasks, sizeof *linker->ended, compare_ended, trace->task);
    return true;
}

/* Does the record exclude that the child waited for the parent? */
static bool is_excluded(const struct br_trace_task *parent, const struct br_trace_task *child)
{
    return parent->ended_ns >= 0 && child->submitted_ns >= 0 &&
           child->submitted_ns < parent->ended_ns - ROUNDING_NS;
}

static enum br_status link_tasks(struct linker *linker, uint32_t parent, uint32_t child)
{
    const struct br_trace *trace = linker->trace;
    if (is_excluded(&trace->task[parent], &trace->task[child])) {
        linker->dropped++;
        return BR_OK;
    }
    return br_dag_add_edge(trace->dag, parent, child, BR_BARRIER, linker->diag);
}

/* One tag goes on where the other ends, behind a character that is no letter or digit. */
static bool tags_nest(const char *a, const char *b)
{
    size_t length = strlen(a), other = strlen(b);
    if (length > other)
        return tags_nest(b, a);
    return length > 0 && length < other && strncmp(a, b, length) == 0 &&
           !isalnum((unsigned char)b[length]);
}

static bool tags_fit(const struct br_trace_task *parent, const struct br_trace_task *child,
                     bool exactly)
{
    if (parent->numbered || child->numbered)
        return false;
    return exactly ? *child->tag && strcmp(parent->tag, child->tag) == 0
                   : tags_nest(parent->tag, child->tag);
}

/* Links the child to those parents whose tags fit; *any: there are some. */
static enum br_status link_by_tag(struct linker *linker, const uint32_t *parent, uint32_t parents,
                                  uint32_t child, bool exactly, bool *any)
{
    const struct br_trace_task *task = linker->trace->task;
    enum br_status status = BR_OK;
    for (uint32_t k = 0; k < parents && !status; k++)
        if (tags_fit(&task[parent[k]], &task[child], exactly)) {
            *any = true;
            status = link_tasks(linker, parent[k], child);
        }
    return status;
}

/* All tasks of the child wait for all of the parent, through a stage without work. */
static enum br_status link_by_stage(struct linker *linker, uint32_t from, uint32_t to)
{
    struct br_trace *trace = linker->trace;
    char id[120];
    uint32_t stage;
    snprintf(id, sizeof id, "%.50s -> %.50s %" PRIu32, trace->process[from], trace->process[to],
             to);
    enum br_status status = br_dag_add_stage(trace->dag, id, 1, 0, &stage, linker->diag);
    for (uint32_t k = linker->first[from]; k < linker->first[from + 1] && !status; k++)
        status = br_dag_add_edge(trace->dag, linker->ended[k], stage, BR_BARRIER, linker->diag);
    for (uint32_t k = linker->first[to]; k < linker->first[to + 1] && !status; k++)
        status = br_dag_add_edge(trace->dag, stage, linker->submitted[k], BR_BARRIER, linker->diag);
    return status;
}

static bool all_numbered(const struct linker *linker, uint32_t process)
{
    for (uint32_t k = linker->first[process]; k < linker->first[process + 1]; k++)
        if (!linker->trace->task[linker->ended[k]].numbered)
            return false;
    return true;
}

static enum br_status link_processes(struct linker *linker, uint32_t from, uint32_t to)
{
    const uint32_t *parent = linker->ended + linker->first[from];
    const uint32_t *child = linker->submitted + linker->first[to];
    const uint32_t parents = linker->first[from + 1] - linker->first[from];
    const uint32_t children = linker->first[to + 1] - linker->first[to];
    const bool in_turn =
        parents == children && all_numbered(linker, from) && all_numbered(linker, to);
    const bool many = (uint64_t)parents * children > PAIRS_MOST;
    enum br_status status = BR_OK;
    uint32_t fitting = 0;
    for (uint32_t c = 0; c < children && !status; c++) {
        bool any = in_turn;
        if (in_turn)
            status = link_tasks(linker, parent[c], child[c]);
        if (!status && !any)
            status = link_by_tag(linker, parent, parents, child[c], true, &any);
        if (!status && !any)
            status = link_by_tag(linker, parent, parents, child[c], false, &any);
        fitting += any;
        for (uint32_t p = 0; p < parents && !any && !many && !status; p++)
            status = link_tasks(linker, parent[p], child[c]);
    }
    return status || !many || fitting > 0 ? status : link_by_stage(linker, from, to);
}

/* Links the process to those that the walk meets first. */
static enum br_status link_walk(struct linker *linker, uint32_t process)
{
    uint32_t depth = 0;
    enum br_status status = BR_OK;
    for (uint32_t n = 0; n < linker->graph->nodes; n++)
        if (linker->process_of[n] == process)
            linker->stack[depth++] = n;
    while (depth > 0 && !status) {
        uint32_t node = linker->stack[--depth];
        for (uint32_t k = linker->first_arrow[node]; k < linker->first_arrow[node + 1] && !status;
             k++) {
            uint32_t next = linker->arrow[k], other = linker->process_of[next];
            if (linker->seen[next] == process + 1 || other == process)
                continue;
            linker->seen[next] = process + 1;
            if (other == UINT32_MAX) {
                linker->stack[depth++] = next;
            } else if (linker->linked[other] != process + 1) {
                linker->linked[other] = process + 1;
                status = link_processes(linker, process, other);
            }
        }
    }
    return status;
}

enum br_status br_trace_link(struct br_trace *trace, const struct br_processes *graph,
                             struct br_diag *diag)
{
    struct linker linker = {.trace = trace, .graph = graph, .diag = diag};
    uint32_t known = 0;
    enum br_status status = linker_lay_out(&linker) ? BR_OK : br_fail_memory(diag);
    for (uint32_t n = 0; n < graph->nodes && !status; n++)
        known += linker.process_of[n] != UINT32_MAX;
    if (!status && known == 0)
        status = br_fail(diag, BR_BAD_INPUT, "give the trace and the graph of one run",
                         "the graph draws none of the processes of the trace");
    for (uint32_t p = 0; p < trace->processes && !status; p++)
        status = link_walk(&linker, p);
    if (!status && linker.dropped)
        status =
            br_dag_add_doubt(trace->dag, diag,
                             "%" PRIu32 " edges are left out, since the trace has their second "
                             "task submitted before their first ended",
                             linker.dropped);
    br_arena_finish(&linker.arena);
    return status;
}
