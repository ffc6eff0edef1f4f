/* From a measured query plan to pipelines: runs of nodes through which rows flow without a stop.
 * [Neumann11] Three things make the figures of EXPLAIN differ from the work that was done:
 *
 * - They are averages over the loops of a node, and include its children. The loops of the
 *   processes under a Gather run side by side, all others one after the other.
 * - A CTE or an InitPlan runs when its first reader asks for it, and counts in that reader again,
 *   and in all nodes above it, but not in the node that it is listed under.
 * - A sort, a hash table and a hashed aggregate take in all rows before they give the first one:
 *   their first half ends the pipeline below, their second half begins the one above. One that is
 *   run anew for every row of something else ends nothing.
 *
 * Recursion is as deep as the plan, which the XML reader limits to 256. */
#include "parsers/jobs/pipelines.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/wide.h"
#include "parsers/text/value.h"

/* Of one node. */
struct share {
    uint64_t processes; /* that run it side by side */
    int64_t elapsed_ns; /* all its loops, with what is below, in one process */
    int64_t own_ns;     /* without what is below and what a CTE or InitPlan took */
    int64_t below_ns;   /* elapsed of its children, without CTEs and InitPlans */
    uint32_t pipeline;  /* that does its work; BR_NO_NODE: it never ran */
    uint32_t child, sibling;
    uint32_t mention; /* first one of the node; BR_NO_NODE: none */
};

struct pipeline {
    uint64_t processes;
    int64_t ns, mem_bytes;
    uint32_t above; /* pipeline that waits for this one; BR_NO_NODE: none, or readers */
    struct br_pos pos;
    char *operators; /* from the source on, on the heap */
};

struct builder {
    struct br_dag *dag;
    const struct br_plan_tree *tree;
    struct br_diag *diag;
    struct share *share; /* by node */
    uint32_t *next;      /* by mention: the next one of the same node */
    struct pipeline *pipeline;
    uint32_t pipelines; /* at most two per node */
    bool out_of_memory;
};

static bool is_parallel_root(const struct builder *b, uint32_t node)
{
    uint32_t parent = b->tree->node[node].parent;
    return parent != BR_NO_NODE && b->tree->node[parent].kind == BR_NODE_GATHER &&
           !b->tree->node[node].is_init;
}

static int64_t clamp(br_wide value)
{
    return value < 0 ? 0 : value > INT64_MAX / 4 ? INT64_MAX / 4 : (int64_t)value;
}

/* Children in the order of the file, processes, elapsed and own times. */
static void measure(struct builder *b)
{
    const struct br_plan_node *node = b->tree->node;
    for (uint32_t n = 0; n < b->tree->nodes; n++) {
        struct share *share = &b->share[n];
        uint32_t parent = node[n].parent;
        bool inherits = parent != BR_NO_NODE && !node[n].is_init;
        *share = (struct share){.processes = inherits ? b->share[parent].processes : 1,
                                .pipeline = BR_NO_NODE,
                                .child = BR_NO_NODE,
                                .sibling = BR_NO_NODE,
                                .mention = BR_NO_NODE};
        if (is_parallel_root(b, n) && node[parent].loops > 0)
            share->processes = node[n].loops / node[parent].loops;
        if (share->processes == 0)
            share->processes = 1;
        share->elapsed_ns = clamp((br_wide)node[n].total_ns * node[n].loops / share->processes);
    }
    for (uint32_t m = 0; m < b->tree->mentions; m++) {
        struct share *share = &b->share[b->tree->mention[m].node];
        b->next[m] = share->mention;
        share->mention = m;
    }
    for (uint32_t n = b->tree->nodes; n-- > 0;) { /* children before parents, last one first */
        struct share *share = &b->share[n];
        share->own_ns = clamp((br_wide)share->elapsed_ns - share->below_ns);
        if (node[n].parent == BR_NO_NODE)
            continue;
        struct share *parent = &b->share[node[n].parent];
        share->sibling = parent->child;
        parent->child = n;
        if (!node[n].is_init)
            parent->below_ns = clamp((br_wide)parent->below_ns + share->elapsed_ns);
    }
}

static bool is_within(const struct builder *b, uint32_t node, uint32_t root)
{
    while (node != BR_NO_NODE && node > root)
        node = b->tree->node[node].parent;
    return node == root;
}

/* Does the text mention the result that the InitPlan's name promises: "$0" of "InitPlan 1 (returns
 * $0)", or "(InitPlan 1)" itself, as newer versions write it? */
static bool mentions(const char *text, const char *subplan)
{
    char name[64];
    const char *dollar = strchr(subplan, '$');
    if (dollar) {
        size_t length = 1 + strspn(dollar + 1, "0123456789");
        for (const char *p = strchr(text, '$'); p; p = strchr(p + 1, '$'))
            if (strncmp(p, dollar, length) == 0 && !isdigit((unsigned char)p[length]))
                return true;
        return false;
    }
    snprintf(name, sizeof name, "(%.40s)", subplan);
    return strstr(text, name) != NULL;
}

/* Is the node one that reads the CTE or the InitPlan? */
static bool is_reader(const struct builder *b, uint32_t init, uint32_t node)
{
    const struct br_plan_node *at = &b->tree->node[init];
    if (is_within(b, node, init) || !at->subplan)
        return false;
    if (strncmp(at->subplan, "CTE ", 4) == 0)
        return b->tree->node[node].cte && strcmp(b->tree->node[node].cte, at->subplan + 4) == 0 &&
               is_within(b, node, at->parent);
    for (uint32_t m = b->share[node].mention; m != BR_NO_NODE; m = b->next[m])
        if (mentions(b->tree->mention[m].text, at->subplan))
            return true;
    return false;
}

static void take(struct share *from, int64_t *rest)
{
    int64_t part = from->own_ns < *rest ? from->own_ns : *rest;
    from->own_ns -= part;
    *rest -= part;
}

/* Takes the time of every CTE and InitPlan out of its readers, in the order of the file; what they
 * do not have, out of the nodes of the plan that it is listed under. */
static void count_once(struct builder *b)
{
    const struct br_plan_node *node = b->tree->node;
    for (uint32_t init = 0; init < b->tree->nodes; init++) {
        int64_t rest = b->share[init].elapsed_ns;
        uint32_t owner = node[init].parent;
        if (!node[init].is_init || owner == BR_NO_NODE)
            continue;
        for (uint32_t n = 0; n < b->tree->nodes && rest > 0; n++)
            if (is_reader(b, init, n))
                take(&b->share[n], &rest);
        for (uint32_t n = owner; n < b->tree->nodes && is_within(b, n, owner) && rest > 0; n++) {
            bool listed = false; /* in some CTE or InitPlan below the owner */
            for (uint32_t up = n; up != owner && !listed; up = node[up].parent)
                listed = node[up].is_init;
            if (!listed)
                take(&b->share[n], &rest);
        }
    }
}

static uint32_t begin_pipeline(struct builder *b, uint32_t node, uint32_t above)
{
    b->pipeline[b->pipelines] = (struct pipeline){
        .processes = b->share[node].processes, .above = above, .pos = b->tree->node[node].pos};
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

static void add_work(struct pipeline *pipeline, int64_t ns, int64_t mem_bytes)
{
    pipeline->ns = clamp((br_wide)pipeline->ns + ns);
    pipeline->mem_bytes = clamp((br_wide)pipeline->mem_bytes + mem_bytes);
}

/* Gives the node and what is below it to pipelines; `into` is the one that its rows go to. */
static void assign(struct builder *b, uint32_t n, uint32_t into)
{
    const struct br_plan_node *node = &b->tree->node[n];
    struct share *share = &b->share[n];
    if (node->loops == 0)
        return;
    uint32_t own = into, input = into;
    int64_t first_ns = 0, mem_bytes = node->mem_bytes;
    bool breaks = (node->kind == BR_NODE_BREAKER || node->kind == BR_NODE_HASH) &&
                  node->loops <= share->processes;
    if (node->is_shared)
        mem_bytes =
            mem_bytes / (int64_t)share->processes + (mem_bytes % (int64_t)share->processes != 0);
    if (breaks) {
        own = input = begin_pipeline(b, n, into);
        /* Until it gives its first row; a hash table gives none. */
        br_wide before = clamp((br_wide)node->startup_ns * node->loops / share->processes);
        if (before < share->below_ns)
            before = share->below_ns;
        first_ns = node->kind == BR_NODE_HASH ? share->own_ns : clamp(before - share->below_ns);
        if (first_ns > share->own_ns)
            first_ns = share->own_ns;
        add_work(&b->pipeline[own], first_ns, mem_bytes);
    }
    add_work(&b->pipeline[into], share->own_ns - first_ns, mem_bytes);
    share->pipeline = own;
    for (uint32_t c = share->child; c != BR_NO_NODE; c = b->share[c].sibling) {
        if (b->tree->node[c].is_init)
            assign(b, c, begin_pipeline(b, c, BR_NO_NODE));
        else if (is_parallel_root(b, c) && b->tree->node[c].loops > 0)
            assign(b, c, begin_pipeline(b, c, own));
        else
            assign(b, c, input);
    }
    add_operator(b, &b->pipeline[own], node);
}

static enum br_status add_stage(struct builder *b, uint32_t p, uint32_t *stage)
{
    struct pipeline *pipeline = &b->pipeline[p];
    char text[BR_DECIMAL_TEXT];
    br_value_place(b->diag, pipeline->pos);
    if (pipeline->processes > BR_MAX_TASKS)
        return br_fail(b->diag, BR_BAD_INPUT, NULL, "a pipeline has too many processes");
    snprintf(text, sizeof text, "p%" PRIu32, b->pipelines - p);
    enum br_status status =
        br_dag_add_stage(b->dag, text, (uint32_t)pipeline->processes, pipeline->ns, stage, b->diag);
    if (status)
        return status;
    br_dag_set_stage_pos(b->dag, *stage, pipeline->pos);
    status = br_dag_add_demand(b->dag, *stage, "cpu", "1", b->diag);
    snprintf(text, sizeof text, "%" PRId64, pipeline->mem_bytes);
    if (!status && pipeline->mem_bytes > 0)
        status = br_dag_add_demand(b->dag, *stage, "mem", text, b->diag);
    if (!status)
        status =
            br_dag_add_attribute(b->dag, BR_OWNER_STAGE, *stage, "operators",
                                 pipeline->operators ? pipeline->operators : "result", b->diag);
    return status;
}

static enum br_status add_edge(struct builder *b, const uint32_t *stage, uint32_t from, uint32_t to)
{
    br_value_place(b->diag, b->pipeline[from].pos);
    enum br_status status = br_dag_add_edge(b->dag, stage[from], stage[to], BR_BARRIER, b->diag);
    if (!status)
        br_dag_set_edge_pos(b->dag, b->pipeline[from].pos);
    return status;
}

/* Edges from the pipeline of a CTE or an InitPlan to those of its readers, or else to the one of
 * the node that it is listed under. */
static enum br_status link_readers(struct builder *b, const uint32_t *stage, uint32_t init)
{
    uint32_t from = b->share[init].pipeline;
    bool any = false;
    enum br_status status = BR_OK;
    if (!b->tree->node[init].is_init || from == BR_NO_NODE)
        return BR_OK;
    while (b->pipeline[from].above != BR_NO_NODE) /* its root may be a sort */
        from = b->pipeline[from].above;
    for (uint32_t n = 0; n < b->tree->nodes && !status; n++) {
        uint32_t to = b->share[n].pipeline;
        if (to == BR_NO_NODE || to == from || !is_reader(b, init, n))
            continue;
        any = true;
        status = add_edge(b, stage, from, to);
    }
    if (!any && !status && b->tree->node[init].parent != BR_NO_NODE)
        status = add_edge(b, stage, from, b->share[b->tree->node[init].parent].pipeline);
    return status;
}

/* The pipelines as stages, the lowest first, and the edges. */
static enum br_status write_stages(struct builder *b, uint32_t *stage)
{
    enum br_status status = br_dag_add_resource(b->dag, "cpu", "cores", b->diag);
    bool memory = false;
    for (uint32_t p = 0; p < b->pipelines; p++)
        memory |= b->pipeline[p].mem_bytes > 0;
    if (!status && memory)
        status = br_dag_add_resource(b->dag, "mem", "bytes", b->diag);
    for (uint32_t p = b->pipelines; p-- > 0 && !status;)
        status = add_stage(b, p, &stage[p]);
    for (uint32_t p = b->pipelines; p-- > 0 && !status;)
        if (b->pipeline[p].above != BR_NO_NODE)
            status = add_edge(b, stage, p, b->pipeline[p].above);
    for (uint32_t n = 0; n < b->tree->nodes && !status; n++)
        status = link_readers(b, stage, n);
    return status;
}

enum br_status br_pipelines_add(struct br_dag *dag, const struct br_plan_tree *tree,
                                struct br_diag *diag)
{
    struct builder b = {.dag = dag, .tree = tree, .diag = diag};
    size_t most = 2 * (size_t)tree->nodes + 1;
    uint32_t *stage = calloc(most, sizeof *stage);
    b.share = calloc((size_t)tree->nodes + 1, sizeof *b.share);
    b.pipeline = calloc(most, sizeof *b.pipeline);
    b.next = calloc((size_t)tree->mentions + 1, sizeof *b.next);
    enum br_status status = stage && b.share && b.pipeline && b.next ? BR_OK : br_fail_memory(diag);
    if (!status) {
        measure(&b);
        count_once(&b);
        for (uint32_t n = 0; n < tree->nodes; n++)
            if (tree->node[n].parent == BR_NO_NODE)
                assign(&b, n, begin_pipeline(&b, n, BR_NO_NODE));
        status = b.out_of_memory ? br_fail_memory(diag) : write_stages(&b, stage);
    }
    for (uint32_t p = 0; p < b.pipelines; p++)
        free(b.pipeline[p].operators);
    free(b.pipeline);
    free(b.share);
    free(b.next);
    free(stage);
    return status;
}
