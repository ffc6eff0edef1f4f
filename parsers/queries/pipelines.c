/* From a query plan to pipelines: runs of nodes through which rows flow without a stop. [Neumann11]
 * A sort, a hash table and a hashed aggregate read all rows before they return the first one: their
 * first half ends the pipeline below, their second half begins the one above. A node that runs
 * again for every row of another one ends nothing.
 *
 * Recursion is as deep as the plan, which has at most BR_QUERY_DEPTH nodes above each other. */
#include "parsers/queries/pipelines.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/numbers/wide.h"
#include "parsers/queries/turns.h"
#include "parsers/text/value.h"

#define TABLE "table" /* the output of a pipeline */

/* The pipeline that does a node's work (BR_NO_NODE: it never ran), and those of its children. */
struct place {
    uint32_t pipeline, child, sibling;
    int64_t scanned; /* bytes of a CTE that it scans; 0: counted with the CTE, or none */
};

struct pipeline {
    uint64_t processes;
    int64_t ns, mem_bytes;
    int64_t left_bytes; /* what it fills for those that read it, if that is an output */
    int64_t skew_ns;    /* that one process did more than ns */
    int64_t idle_ns;    /* part of ns that is no work of a core */
    uint32_t above;     /* pipeline that waits for this one; BR_NO_NODE: none, or readers */
    struct br_pos pos;
    char *operators; /* from the source on, on the heap */
};

struct builder {
    struct br_dag *dag;
    const struct br_query *query;
    const char *prefix;
    const struct br_pipeline_options *options;
    struct br_diag *diag;
    struct place *place; /* by node */
    struct pipeline *pipeline;
    uint32_t pipelines; /* at most two per node, and one for the last work */
    uint32_t root;      /* the pipeline that gives the rows of the query */
    uint32_t last;      /* the pipeline that follows it; BR_NO_NODE: none */
    struct br_pipeline_edge *edge;
    uint32_t edges, edge_room;
    char turns_name[BR_TURNS_NAME]; /* of the resource of which a pipeline has all */
    const char *turns;              /* that name; NULL: edges are the turns, or there are none */
    bool out_of_memory;
};

static int64_t pipelines_clamp(br_wide value)
{
    return value < 0 ? 0 : value > INT64_MAX / 4 ? INT64_MAX / 4 : (int64_t)value;
}

/* The equal part of each process, rounded up. */
static int64_t pipelines_part_of(int64_t whole, uint64_t processes)
{
    int64_t count = (int64_t)processes;
    assert(processes > 0);
    return whole / count + (whole % count != 0);
}

/* Children in the order of the file. */
static void pipelines_find_children(struct builder *b)
{
    for (uint32_t n = 0; n < b->query->nodes; n++)
        b->place[n] = (struct place){BR_NO_NODE, BR_NO_NODE, BR_NO_NODE, 0};
    for (uint32_t n = b->query->nodes; n-- > 0;) {
        uint32_t parent = b->query->node[n].parent;
        if (parent == BR_NO_NODE)
            continue;
        b->place[n].sibling = b->place[parent].child;
        b->place[parent].child = n;
    }
}

static uint32_t begin_pipeline(struct builder *b, uint32_t node, uint32_t above)
{
    assert(b->pipelines < 2 * b->query->nodes + 2);
    b->pipeline[b->pipelines] =
        (struct pipeline){.processes = b->query->shares_work ? 1 : b->query->node[node].processes,
                          .above = above,
                          .pos = b->query->node[node].pos};
    return b->pipelines++;
}

static void add_operator(struct builder *b, struct pipeline *pipeline,
                         const struct br_plan_node *node)
{
    const char *before = pipeline->operators, *relation = node->relation;
    if (!relation)
        relation = node->cte;
    size_t size =
        (before ? strlen(before) : 0) + strlen(node->type) + (relation ? strlen(relation) : 0) + 16;
    char *text = malloc(size);
    if (!text) {
        b->out_of_memory = true;
        return;
    }
    snprintf(text, size, "%s%s%s%s%s", before ? before : "", before ? ", " : "", node->type,
             relation ? " on " : "", relation ? relation : "");
    free(pipeline->operators);
    pipeline->operators = text;
}

static void pipelines_add_work(struct pipeline *pipeline, int64_t ns, int64_t mem_bytes)
{
    pipeline->ns = pipelines_clamp((br_wide)pipeline->ns + ns);
    pipeline->mem_bytes = pipelines_clamp((br_wide)pipeline->mem_bytes + mem_bytes);
}

static void leave(struct pipeline *pipeline, int64_t bytes)
{
    pipeline->left_bytes = pipelines_clamp((br_wide)pipeline->left_bytes + bytes);
}

/* The pipeline `from` fills a table that `to` reads. */
static void fill(struct builder *b, uint32_t from, uint32_t to, int64_t bytes)
{
    if (b->options->hold) {
        leave(&b->pipeline[from], bytes);
        return;
    }
    pipelines_add_work(&b->pipeline[from], 0, bytes);
    pipelines_add_work(&b->pipeline[to], 0, bytes);
}

/* The memory of a node in its own pipeline. Rows of a CTE are counted where they are made, if they
 * are an output. */
static void hold_memory(struct builder *b, uint32_t n, uint32_t pipeline, int64_t mem_bytes)
{
    const struct br_plan_node *node = &b->query->node[n];
    if (b->options->hold && node->cte)
        b->place[n].scanned = mem_bytes;
    else
        pipelines_add_work(&b->pipeline[pipeline], 0, mem_bytes);
    if (!b->options->hold && node->kind != BR_NODE_BREAKER)
        pipelines_add_work(&b->pipeline[pipeline], 0, node->kept_bytes);
}

/* Assigns the node and those below it to pipelines; `into` is the one that gets its rows. */
static void pipelines_assign(struct builder *b, uint32_t n, uint32_t into)
{
    const struct br_plan_node *node = &b->query->node[n];
    if (!node->runs)
        return;
    assert(into < b->pipelines);
    uint32_t own = into, input = into;
    int64_t mem_bytes = node->mem_bytes;
    bool breaks = (node->kind == BR_NODE_BREAKER || node->kind == BR_NODE_HASH) && node->runs_once;
    if (node->is_shared)
        mem_bytes = pipelines_part_of(mem_bytes, node->processes);
    if (breaks) {
        own = input = begin_pipeline(b, n, into);
        pipelines_add_work(&b->pipeline[own], node->first_ns, 0);
        fill(b, own, into, mem_bytes);
    } else {
        hold_memory(b, n, into, mem_bytes);
    }
    pipelines_add_work(&b->pipeline[into], node->own_ns - (breaks ? node->first_ns : 0), 0);
    b->pipeline[own].skew_ns = pipelines_clamp((br_wide)b->pipeline[own].skew_ns + node->skew_ns);
    b->pipeline[own].idle_ns = pipelines_clamp((br_wide)b->pipeline[own].idle_ns + node->idle_ns);
    assert(b->place[n].pipeline == BR_NO_NODE);
    b->place[n].pipeline = own;
    /* The source of a pipeline, or the rows it has read before, limits the processes that can work
     * on it. */
    struct pipeline *source = &b->pipeline[breaks ? into : own];
    if (b->query->shares_work && source->processes < node->processes)
        source->processes = node->processes;
    for (uint32_t c = b->place[n].child; c != BR_NO_NODE; c = b->place[c].sibling) {
        const struct br_plan_node *child = &b->query->node[c];
        uint32_t below = input;
        if (child->is_init)
            below = begin_pipeline(b, c, BR_NO_NODE);
        else if ((br_query_is_parallel_root(b->query, c) || child->is_built) && child->runs)
            below = begin_pipeline(b, c, own);
        if (child->is_built)
            fill(b, below, own, child->built_bytes + (b->options->hold ? child->beside_bytes : 0));
        pipelines_assign(b, c, below);
    }
    if (node->type)
        add_operator(b, &b->pipeline[own], node);
}

/* The part of a core that a task uses: the rest after waits, in hundredths rounded up. */
static enum br_status demand_cpu(struct builder *b, const struct pipeline *pipeline, uint32_t stage)
{
    char text[16] = "1";
    int64_t idle = pipeline->idle_ns < pipeline->ns ? pipeline->idle_ns : pipeline->ns;
    int64_t parts = idle > 0 ? (int64_t)((br_wide)100 * idle / pipeline->ns) : 0;
    if (parts > 0)
        snprintf(text, sizeof text, "0.%02d", parts < 99 ? 100 - (int)parts : 1);
    return br_dag_add_demand(b->dag, stage, "cpu", text, b->diag);
}

/* One process did more than the others. */
static enum br_status skew_tasks(struct builder *b, const struct pipeline *pipeline, uint32_t stage)
{
    uint32_t tasks = (uint32_t)pipeline->processes;
    if (pipeline->skew_ns == 0 || tasks < 2)
        return BR_OK;
    int64_t less = pipeline->ns - pipeline->skew_ns / (tasks - 1);
    br_dag_set_stage_duration(b->dag, stage, less > 0 ? less : 0);
    return br_dag_set_duration(b->dag, stage, 0,
                               pipelines_clamp((br_wide)pipeline->ns + pipeline->skew_ns), b->diag);
}

/* If processes shared fewer cores, one task per core did their work. */
static void fit_cores(struct pipeline *pipeline, uint64_t cores)
{
    if (cores == 0 || pipeline->processes <= cores)
        return;
    br_wide held = (br_wide)pipeline->mem_bytes * pipeline->processes;
    br_wide left = (br_wide)pipeline->left_bytes * pipeline->processes;
    pipeline->mem_bytes = pipelines_part_of(pipelines_clamp(held), cores);
    pipeline->left_bytes = pipelines_part_of(pipelines_clamp(left), cores);
    pipeline->processes = cores;
}

static enum br_status demand_memory(struct builder *b, const struct pipeline *pipeline,
                                    uint32_t stage)
{
    char text[BR_DECIMAL_TEXT];
    enum br_status status = BR_OK;
    snprintf(text, sizeof text, "%" PRId64, pipeline->mem_bytes);
    if (pipeline->mem_bytes > 0)
        status = br_dag_add_demand(b->dag, stage, "mem", text, b->diag);
    snprintf(text, sizeof text, "%" PRId64, pipeline->left_bytes);
    if (!status && pipeline->left_bytes > 0)
        status = br_dag_add_output(b->dag, stage, TABLE, "mem", text, 0, b->diag);
    if (!status && b->turns)
        status = br_dag_add_demand(b->dag, stage, b->turns, "1", b->diag);
    return status;
}

static enum br_status pipelines_add_stage(struct builder *b, uint32_t p, uint32_t *stage)
{
    struct pipeline *pipeline = &b->pipeline[p];
    char name[300];
    br_value_place(b->diag, pipeline->pos);
    if (pipeline->processes > BR_MAX_TASKS)
        return br_fail(b->diag, BR_BAD_INPUT, NULL, "a pipeline has too many processes");
    snprintf(name, sizeof name, "%sp%" PRIu32, b->prefix, b->pipelines - p);
    if (b->query->shares_work) { /* sums over its processes */
        pipeline->ns = pipelines_part_of(pipeline->ns, pipeline->processes);
        pipeline->mem_bytes = pipelines_part_of(pipeline->mem_bytes, pipeline->processes);
        pipeline->left_bytes = pipelines_part_of(pipeline->left_bytes, pipeline->processes);
    } else {
        fit_cores(pipeline, b->options->measured_cores);
    }
    enum br_status status =
        br_dag_add_stage(b->dag, name, (uint32_t)pipeline->processes, pipeline->ns, stage, b->diag);
    if (status)
        return status;
    br_dag_set_stage_pos(b->dag, *stage, pipeline->pos);
    status = skew_tasks(b, pipeline, *stage);
    if (!status)
        status = demand_cpu(b, pipeline, *stage);
    if (!status)
        status = demand_memory(b, pipeline, *stage);
    if (!status)
        status =
            br_dag_add_attribute(b->dag, BR_OWNER_STAGE, *stage, "operators",
                                 pipeline->operators ? pipeline->operators : "result", b->diag);
    return status;
}

/* ---- Dependencies ---- */

static void add_edge_of(struct builder *b, uint32_t from, uint32_t to, bool is_turn)
{
    if (from == to || from == BR_NO_NODE || to == BR_NO_NODE)
        return;
    if (!br_grow(&b->edge, b->edges, &b->edge_room, sizeof *b->edge))
        b->out_of_memory = true;
    else
        b->edge[b->edges++] = (struct br_pipeline_edge){from, to, is_turn};
}

static void pipelines_add_edge(struct builder *b, uint32_t from, uint32_t to)
{
    add_edge_of(b, from, to, false);
}

/* A writing CTE that nobody reads runs when the query has returned its rows. */
static void link_writer(struct builder *b, uint32_t writer, uint32_t from)
{
    for (uint32_t n = writer; n < b->query->nodes && br_query_is_within(b->query, n, writer); n++)
        pipelines_add_edge(b, b->root, b->place[n].pipeline);
    pipelines_add_edge(b, b->root, from);
    pipelines_add_edge(b, from, b->last);
}

/* All scans of a CTE read the same rows. The join above a DuckDB InitPlan reads its rows, too. */
static void leave_rows(struct builder *b, uint32_t init, uint32_t from, int64_t scanned)
{
    const struct br_plan_node *node = &b->query->node[init];
    int64_t kept = node->kept_bytes > scanned ? node->kept_bytes : scanned;
    leave(&b->pipeline[from], kept);
    if (node->cached_bytes == 0 || node->parent == BR_NO_NODE)
        return;
    leave(&b->pipeline[from], node->cached_bytes);
    pipelines_add_edge(b, from, b->place[node->parent].pipeline);
}

/* Edges from the pipeline of a CTE or an InitPlan to those of its readers or, if it has none, to
 * that of the node under which it is listed. */
static void link_readers(struct builder *b, uint32_t init)
{
    uint32_t from = b->place[init].pipeline;
    int64_t scanned = 0;
    bool any = false;
    if (!b->query->node[init].is_init || from == BR_NO_NODE)
        return;
    while (b->pipeline[from].above != BR_NO_NODE) /* its root may be a sort */
        from = b->pipeline[from].above;
    for (uint32_t n = 0; n < b->query->nodes; n++) {
        uint32_t to = b->place[n].pipeline;
        if (to == BR_NO_NODE || to == from || !br_query_reads(b->query, init, n))
            continue;
        any = true;
        pipelines_add_edge(b, from, to);
        scanned = b->place[n].scanned > scanned ? b->place[n].scanned : scanned;
        b->place[n].scanned = 0;
    }
    if (b->options->hold)
        leave_rows(b, init, from, scanned);
    if (!any && br_query_is_writer(b->query, init))
        link_writer(b, init, from);
    else if (!any && b->query->node[init].parent != BR_NO_NODE)
        pipelines_add_edge(b, from, b->place[b->query->node[init].parent].pipeline);
}

static void link_pipelines(struct builder *b)
{
    for (uint32_t p = b->pipelines; p-- > 0;)
        pipelines_add_edge(b, p, b->pipeline[p].above);
    for (uint32_t n = 0; n < b->query->nodes; n++)
        link_readers(b, n);
    for (uint32_t n = 0; n < b->query->nodes; n++) /* scans of what is in no CTE of the query */
        if (b->place[n].scanned && b->place[n].pipeline != BR_NO_NODE)
            pipelines_add_work(&b->pipeline[b->place[n].pipeline], 0, b->place[n].scanned);
}

/* One process after the other: everything outside a Gather runs in one, and its helpers run one
 * Gather's pipelines at a time. */
static void pipelines_take_turns(struct builder *b)
{
    uint32_t *order = calloc((size_t)b->pipelines + 1, sizeof *order);
    if (!order || !br_turns_order(b->pipelines, b->edge, b->edges, order))
        b->out_of_memory = true;
    for (uint32_t k = 1; k < b->pipelines && !b->out_of_memory; k++)
        add_edge_of(b, order[k - 1], order[k], true);
    free(order);
}

static enum br_status pipelines_write_edge(struct builder *b, const uint32_t *stage,
                                           const struct br_pipeline_edge *edge)
{
    assert(edge->from < b->pipelines && edge->to < b->pipelines);
    br_value_place(b->diag, b->pipeline[edge->from].pos);
    enum br_status status =
        br_dag_add_edge(b->dag, stage[edge->from], stage[edge->to], BR_BARRIER, b->diag);
    if (!status)
        br_dag_set_edge_pos(b->dag, b->pipeline[edge->from].pos);
    if (!status && b->pipeline[edge->from].left_bytes > 0)
        status = br_dag_set_edge_reads(b->dag, stage[edge->from], stage[edge->to],
                                       edge->is_turn ? "" : TABLE, b->diag);
    return status;
}

/* Called once for all queries of a job. */
static enum br_status pipelines_declare(struct builder *b, const char *name, const char *unit)
{
    for (uint32_t r = 0; r < b->dag->resources; r++)
        if (strcmp(b->dag->resource[r].name, name) == 0)
            return BR_OK;
    return br_dag_add_resource(b->dag, name, unit, b->diag);
}

/* The pipelines as stages, the lowest first, and the edges. */
static enum br_status pipelines_write_stages(struct builder *b, uint32_t *stage)
{
    enum br_status status = pipelines_declare(b, "cpu", "cores");
    bool memory = false;
    for (uint32_t p = 0; p < b->pipelines; p++)
        memory |= b->pipeline[p].mem_bytes > 0 || b->pipeline[p].left_bytes > 0;
    if (!status && memory)
        status = pipelines_declare(b, "mem", "bytes");
    if (!status && b->turns)
        status = pipelines_declare(b, b->turns, NULL);
    for (uint32_t p = b->pipelines; p-- > 0 && !status;)
        status = pipelines_add_stage(b, p, &stage[p]);
    for (uint32_t e = 0; e < b->edges && !status; e++)
        status = pipelines_write_edge(b, stage, &b->edge[e]);
    return status;
}

/* Work that belongs to no node, in a pipeline. */
static void add_beside(struct builder *b, uint32_t pipeline, const char *name, int64_t ns)
{
    const struct br_plan_node beside = {.type = name};
    pipelines_add_work(&b->pipeline[pipeline], ns, 0);
    add_operator(b, &b->pipeline[pipeline], &beside);
}

/* The work after the query had all of its rows; BR_NO_NODE: none. */
static uint32_t begin_last(struct builder *b)
{
    int64_t after = br_query_after(b->query);
    if (after == 0 && b->query->missing_ns == 0)
        return BR_NO_NODE;
    uint32_t p = begin_pipeline(b, 0, BR_NO_NODE);
    if (after)
        add_beside(b, p, b->query->triggers, after);
    if (b->query->missing_ns)
        add_beside(b, p, b->query->missing, b->query->missing_ns);
    return p;
}

static bool is_one_process(const struct builder *b)
{
    for (uint32_t p = 0; p < b->pipelines; p++)
        if (b->pipeline[p].processes > 1)
            return false;
    return true;
}

static void find_pipelines(struct builder *b)
{
    pipelines_find_children(b);
    if (b->query->nodes == 0)
        return;
    b->last = begin_last(b);
    b->root = begin_pipeline(b, 0, b->last);
    pipelines_assign(b, 0, b->root);
    if (b->query->serialized_ns)
        add_beside(b, b->root, "Serialization", b->query->serialized_ns);
    link_pipelines(b);
    if (b->options->overlap || b->query->shares_work || b->query->is_segmented)
        return;
    if (b->options->any_order && is_one_process(b))
        b->turns = b->turns_name;
    else
        pipelines_take_turns(b);
}

enum br_status br_pipelines_add(struct br_dag *dag, const struct br_query *query,
                                const char *prefix, const struct br_pipeline_options *options,
                                struct br_diag *diag)
{
    struct builder b = {
        .dag = dag, .query = query, .prefix = prefix, .options = options, .diag = diag};
    snprintf(b.turns_name, sizeof b.turns_name, "%s" BR_TURNS, prefix);
    size_t most = 2 * (size_t)query->nodes + 2;
    uint32_t *stage = calloc(most, sizeof *stage);
    b.place = calloc((size_t)query->nodes + 1, sizeof *b.place);
    b.pipeline = calloc(most, sizeof *b.pipeline);
    enum br_status status = stage && b.place && b.pipeline ? BR_OK : br_fail_memory(diag);
    if (!status) {
        find_pipelines(&b);
        status = b.out_of_memory ? br_fail_memory(diag) : pipelines_write_stages(&b, stage);
    }
    for (uint32_t p = 0; p < b.pipelines; p++)
        free(b.pipeline[p].operators);
    free(b.edge);
    free(b.pipeline);
    free(b.place);
    free(stage);
    return status;
}
