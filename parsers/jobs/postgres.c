/* PostgreSQL's EXPLAIN (ANALYZE, FORMAT XML), read node by node; pipelines.c makes a job of it. */
#include "parsers/reader/formats.h"
#include "parsers/jobs/pipelines.h"

#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"

struct postgres {
    struct br_arena arena; /* texts of nodes */
    uint32_t nodes, node_room, mentions, mention_room;
    struct br_plan_node *node;
    struct br_plan_mention *mention;
    uint32_t open;   /* innermost open node, or BR_NO_NODE */
    uint32_t *depth; /* by node: of its <Plan> */
    uint32_t depth_room;
};

enum { NODES_MOST = 5000 }; /* more than any query has, and few enough to compare in pairs */

static const struct {
    const char *type;
    enum br_node_kind kind;
} kinds[] = {
    {"Sort", BR_NODE_BREAKER},
    {"Hash", BR_NODE_HASH},
    {"Gather", BR_NODE_GATHER},
    {"Gather Merge", BR_NODE_GATHER},
};

static enum br_status start_node(struct postgres *pg, struct br_xml *xml)
{
    struct br_plan_node node = {.parent = pg->open, .pos = xml->pos, .type = "Plan"};
    if (pg->nodes == NODES_MOST)
        return br_fail(xml->diag, BR_BAD_INPUT, "read the queries one by one",
                       "there are more than %d nodes", NODES_MOST);
    if (!br_grow(&pg->node, pg->nodes, &pg->node_room, sizeof *pg->node) ||
        !br_grow(&pg->depth, pg->nodes, &pg->depth_room, sizeof *pg->depth))
        return br_fail_memory(xml->diag);
    pg->depth[pg->nodes] = xml->depth;
    pg->open = pg->nodes;
    pg->node[pg->nodes++] = node;
    return BR_OK;
}

static enum br_status end_node(struct postgres *pg, struct br_xml *xml)
{
    const struct br_plan_node *node = &pg->node[pg->open];
    if (!node->is_timed)
        return br_fail_at(xml->diag, node->pos, BR_BAD_INPUT,
                          "run it as EXPLAIN (ANALYZE, FORMAT XML)",
                          "the node '%.60s' has no times", node->type);
    pg->open = node->parent;
    return BR_OK;
}

/* Milliseconds with their decimals, as nanoseconds. */
static enum br_status read_ms(const char *text, int64_t *ns, struct br_xml *xml)
{
    if (br_seconds_parse(text, ns) || *ns < 0)
        return br_fail(xml->diag, BR_BAD_INPUT, "write milliseconds such as 12.5",
                       "<%s> is '%.80s', which is no time", xml->name, text);
    *ns /= 1000;
    return BR_OK;
}

static enum br_status read_count(const char *text, uint64_t *count, struct br_xml *xml)
{
    struct br_decimal value;
    int64_t whole;
    if (br_decimal_parse_nearest(text, &value) || value.mantissa < 0 ||
        !br_decimal_quotient_ns(value, (struct br_decimal){1, 9}, &whole))
        return br_fail(xml->diag, BR_BAD_INPUT, "write a number of 0 or more",
                       "<%s> is '%.80s', which is no number", xml->name, text);
    *count = (uint64_t)whole;
    return BR_OK;
}

static enum br_status keep(struct postgres *pg, const char *text, const char **kept,
                           struct br_xml *xml)
{
    *kept = br_arena_text(&pg->arena, text);
    return *kept ? BR_OK : br_fail_memory(xml->diag);
}

/* Memory in KiB. Workers report their own; the largest counts for all. */
static enum br_status read_memory(struct postgres *pg, const char *text, struct br_xml *xml)
{
    struct br_plan_node *node = &pg->node[pg->open];
    uint64_t kib = 0;
    enum br_status status = read_count(text, &kib, xml);
    if (!status && kib < (UINT64_C(1) << 50) && (int64_t)kib * 1024 > node->mem_bytes)
        node->mem_bytes = (int64_t)kib * 1024;
    return status;
}

/* An element directly in <Plan>. */
static enum br_status read_property(struct postgres *pg, struct br_xml *xml, const char *text)
{
    struct br_plan_node *node = &pg->node[pg->open];
    const char *name = xml->name;
    if (strcmp(name, "Node-Type") == 0) {
        for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
            if (strcmp(text, kinds[k].type) == 0)
                node->kind = kinds[k].kind;
        return keep(pg, text, &node->type, xml);
    }
    if (strcmp(name, "Strategy") == 0) {
        /* Of aggregates and set operations: all of the input goes into a table first. */
        if (strcmp(text, "Hashed") == 0 || strcmp(text, "Mixed") == 0)
            node->kind = BR_NODE_BREAKER;
        return BR_OK;
    }
    if (strcmp(name, "Parent-Relationship") == 0) {
        node->is_init = strcmp(text, "InitPlan") == 0;
        return BR_OK;
    }
    if (strcmp(name, "Parallel-Aware") == 0) {
        node->is_shared = strcmp(text, "true") == 0;
        return BR_OK;
    }
    if (strcmp(name, "Relation-Name") == 0)
        return keep(pg, text, &node->relation, xml);
    if (strcmp(name, "CTE-Name") == 0)
        return keep(pg, text, &node->cte, xml);
    if (strcmp(name, "Subplan-Name") == 0)
        return keep(pg, text, &node->subplan, xml);
    if (strcmp(name, "Actual-Startup-Time") == 0)
        return read_ms(text, &node->startup_ns, xml);
    if (strcmp(name, "Actual-Total-Time") == 0) {
        node->is_timed = true;
        return read_ms(text, &node->total_ns, xml);
    }
    if (strcmp(name, "Actual-Loops") == 0)
        return read_count(text, &node->loops, xml);
    return BR_OK;
}

static enum br_status on_start(void *context, struct br_xml *xml)
{
    struct postgres *pg = context;
    if (xml->depth == 1 && strcmp(xml->name, "explain") != 0)
        return br_fail(xml->diag, BR_BAD_INPUT, "write it by EXPLAIN (ANALYZE, FORMAT XML)",
                       "the root element is <%.80s>, not <explain>", xml->name);
    if (strcmp(xml->name, "Plan") == 0)
        return start_node(pg, xml);
    if (pg->open != BR_NO_NODE)
        br_xml_keep_text(xml);
    return BR_OK;
}

static enum br_status on_end(void *context, struct br_xml *xml, const char *text)
{
    struct postgres *pg = context;
    if (pg->open == BR_NO_NODE)
        return BR_OK;
    if (xml->depth == pg->depth[pg->open])
        return end_node(pg, xml);
    if (!text)
        return BR_OK;
    if (strcmp(xml->name, "Sort-Space-Used") == 0 || strcmp(xml->name, "Peak-Memory-Usage") == 0)
        return read_memory(pg, text, xml);
    /* A sort on disk tells its space there; of its memory nothing is known. */
    if (strcmp(xml->name, "Sort-Space-Type") == 0 && strcmp(text, "Disk") == 0)
        pg->node[pg->open].mem_bytes = 0;
    if (xml->depth == pg->depth[pg->open] + 1) {
        enum br_status status = read_property(pg, xml, text);
        if (status)
            return status;
    }
    if (!strchr(text, '$') && !strstr(text, "(InitPlan "))
        return BR_OK;
    struct br_plan_mention mention = {.node = pg->open};
    if (!br_grow(&pg->mention, pg->mentions, &pg->mention_room, sizeof *pg->mention))
        return br_fail_memory(xml->diag);
    enum br_status status = keep(pg, text, &mention.text, xml);
    if (!status)
        pg->mention[pg->mentions++] = mention;
    return status;
}

enum br_status br_read_postgres(struct br_source *source, const struct br_parse_options *options,
                                struct br_input *input, struct br_diag *diag)
{
    static const struct br_xml_handler handler = {.start = on_start, .end = on_end};
    struct postgres pg = {.open = BR_NO_NODE};
    char stem[256];
    (void)options;
    input->dag = br_dag_create(br_source_stem(source, "query", stem, sizeof stem));
    enum br_status status =
        input->dag ? br_xml_read(source, &handler, &pg, diag) : br_fail_memory(diag);
    const struct br_plan_tree tree = {pg.nodes, pg.mentions, pg.node, pg.mention};
    if (!status)
        status = br_pipelines_add(input->dag, &tree, diag);
    br_arena_finish(&pg.arena);
    free(pg.node);
    free(pg.depth);
    free(pg.mention);
    return status;
}
