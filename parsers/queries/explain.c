/* The properties of EXPLAIN's nodes, by their names. */
#include "parsers/queries/explain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/numbers/decimal.h"

#define AGAIN "write it by EXPLAIN (ANALYZE, FORMAT JSON)"

void br_queries_finish(struct br_queries *queries)
{
    br_queries_cut(queries, 0);
    free(queries->query);
    *queries = (struct br_queries){.count = 0};
}

void br_queries_cut(struct br_queries *queries, uint32_t count)
{
    while (queries->count > count)
        br_query_finish(&queries->query[--queries->count]);
}

enum br_status br_queries_add(struct br_queries *queries, struct br_query **query,
                              struct br_diag *diag)
{
    if (!br_grow(&queries->query, queries->count, &queries->room, sizeof *queries->query))
        return br_fail_memory(diag);
    *query = &queries->query[queries->count++];
    br_query_init(*query);
    return BR_OK;
}

static struct br_plan_node *explain_open_node(struct br_explain *explain)
{
    return &explain->query->node[explain->open];
}

enum br_status br_explain_begin_query(struct br_explain *explain)
{
    explain->open = BR_NO_NODE;
    explain->trigger = NULL;
    return br_queries_add(explain->queries, &explain->query, explain->diag);
}

enum br_status br_explain_end_query(struct br_explain *explain, struct br_pos pos)
{
    struct br_query *query = explain->query;
    explain->query = NULL;
    if (query->nodes == 0)
        return br_fail_at(explain->diag, pos, BR_BAD_INPUT, AGAIN, "the query has no plan");
    query->is_timed = query->node[0].said.is_timed;
    for (uint32_t n = 0; n < query->nodes; n++)
        if (query->node[n].said.has_spilled && query->node[n].mem_bytes < query->work_mem)
            query->node[n].mem_bytes = query->work_mem;
    for (uint32_t n = 0; n < query->nodes; n++) {
        const struct br_plan_node *node = &query->node[n];
        if (query->is_timed ? !node->said.is_timed : !node->said.is_costed)
            return br_fail_at(explain->diag, node->pos, BR_BAD_INPUT, AGAIN,
                              "the node '%.60s' has no %s", node->type,
                              query->is_timed ? "times" : "costs");
    }
    return br_query_close(query, explain->diag);
}

enum br_status br_explain_begin_node(struct br_explain *explain, struct br_pos pos)
{
    if (!explain->query)
        return br_fail_at(explain->diag, pos, BR_BAD_INPUT, AGAIN,
                          "a plan is outside of all queries");
    if (explain->open == BR_NO_NODE && explain->query->nodes)
        return br_fail_at(explain->diag, pos, BR_BAD_INPUT, AGAIN, "the query has two plans");
    return br_query_add(explain->query, explain->open, pos, &explain->open, explain->diag);
}

enum br_status br_explain_end_node(struct br_explain *explain)
{
    struct br_plan_node *node = explain_open_node(explain);
    const struct br_node_figures *said = &node->said;
    if (!said->is_timed && !said->is_costed)
        return br_fail_at(explain->diag, node->pos, BR_BAD_INPUT, AGAIN,
                          "the node '%.60s' has neither times nor costs", node->type);
    if (said->sort_bytes > node->mem_bytes && said->sort_space == BR_SPACE_UNKNOWN)
        node->mem_bytes = said->sort_bytes;
    if (node->kind == BR_NODE_MOTION && said->workers == 0)
        node->said.workers = 1;
    explain->open = node->parent;
    return BR_OK;
}

static enum br_status explain_keep(struct br_explain *explain, const char *text, const char **kept)
{
    return br_query_keep(explain->query, text, kept, explain->diag);
}

/* value / 10^-digits, rounded to the nearest below. */
static bool explain_scale(const char *text, int32_t digits, int64_t *scaled)
{
    struct br_decimal value;
    int64_t whole;
    if (br_decimal_parse_nearest(text, &value) || value.mantissa < 0 ||
        !br_decimal_quotient_ns(value, (struct br_decimal){1, 9 - digits}, &whole))
        return false;
    *scaled = whole;
    return true;
}

/* Milliseconds with their decimals, as nanoseconds. */
static enum br_status explain_read_ms(struct br_explain *explain, struct br_pos pos,
                                      const char *name, const char *text, int64_t *ns)
{
    if (br_seconds_parse(text, ns) || *ns < 0)
        return br_fail_at(explain->diag, pos, BR_BAD_INPUT, "write milliseconds such as 12.5",
                          "%s is '%.80s', which is no time", name, text);
    *ns /= 1000;
    return BR_OK;
}

static enum br_status explain_read_number(struct br_explain *explain, struct br_pos pos,
                                          const char *name, const char *text, int32_t digits,
                                          int64_t *number)
{
    if (explain_scale(text, digits, number))
        return BR_OK;
    return br_fail_at(explain->diag, pos, BR_BAD_INPUT, "write a number of 0 or more",
                      "%s is '%.80s', which is no number", name, text);
}

static enum br_status explain_read_count(struct br_explain *explain, struct br_pos pos,
                                         const char *name, const char *text, uint64_t *count)
{
    int64_t whole = 0;
    enum br_status status = explain_read_number(explain, pos, name, text, 0, &whole);
    *count = (uint64_t)whole;
    return status;
}

/* A planner told to avoid a node adds 10^10 to its cost, which says nothing about its time. */
static enum br_status read_cost(struct br_explain *explain, struct br_pos pos, const char *name,
                                const char *text, int64_t *cost)
{
    enum br_status status = explain_read_number(explain, pos, name, text, 3, cost);
    *cost %= INT64_C(10000000000000);
    return status;
}

static int64_t kib(uint64_t count)
{
    return count < (UINT64_C(1) << 50) ? (int64_t)count * 1024 : 0;
}

/* The space of a sort, or since 17 of kept rows, and its place, in any order. A sort on disk has
 * first filled all the memory it may take. Workers report their own; the largest counts for all. */
static void apply_sort(struct br_plan_node *node)
{
    if (node->said.sort_bytes < 0 || node->said.sort_space == BR_SPACE_UNKNOWN)
        return;
    if (node->said.sort_space == BR_SPACE_MEMORY && node->said.sort_bytes > node->mem_bytes)
        node->mem_bytes = node->said.sort_bytes;
    node->said.has_spilled |= node->said.sort_space == BR_SPACE_DISK;
    node->said.sort_bytes = -1;
    node->said.sort_space = BR_SPACE_UNKNOWN;
}

/* Memory in KiB, also of workers. */
static enum br_status explain_read_memory(struct br_explain *explain, struct br_pos pos,
                                          const char *name, const char *text)
{
    struct br_plan_node *node = explain_open_node(explain);
    uint64_t count = 0;
    enum br_status status = BR_OK;
    if (strcmp(name, "Peak Memory Usage") == 0) {
        status = explain_read_count(explain, pos, name, text, &count);
        if (kib(count) > node->mem_bytes)
            node->mem_bytes = kib(count);
    } else if (strcmp(name, "Sort Space Used") == 0 || strcmp(name, "Maximum Storage") == 0) {
        status = explain_read_count(explain, pos, name, text, &count);
        node->said.sort_bytes = kib(count);
        apply_sort(node);
    } else if (strcmp(name, "Sort Space Type") == 0 || strcmp(name, "Storage") == 0) {
        node->said.sort_space = strcmp(text, "Memory") == 0 ? BR_SPACE_MEMORY : BR_SPACE_DISK;
        apply_sort(node);
    }
    return status;
}

static enum br_status read_type(struct br_explain *explain, const char *text)
{
    static const struct {
        const char *type;
        enum br_node_kind kind;
    } kinds[] = {
        {"Sort", BR_NODE_BREAKER},
        {"Hash", BR_NODE_HASH},
        {"Gather", BR_NODE_GATHER},
        {"Gather Merge", BR_NODE_GATHER},
        {"Gather Motion", BR_NODE_MOTION},
        {"Redistribute Motion", BR_NODE_MOTION},
        {"Broadcast Motion", BR_NODE_MOTION},
        {"Explicit Motion", BR_NODE_MOTION},
    };
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        if (strcmp(text, kinds[k].type) == 0)
            explain_open_node(explain)->kind = kinds[k].kind;
    return explain_keep(explain, text, &explain_open_node(explain)->type);
}

/* The times and costs. *known: the name is one of them. */
static enum br_status read_figure(struct br_explain *explain, struct br_pos pos, const char *name,
                                  const char *text, bool *known)
{
    struct br_node_figures *said = &explain_open_node(explain)->said;
    *known = true;
    if (strcmp(name, "Actual Startup Time") == 0)
        return explain_read_ms(explain, pos, name, text, &said->startup_ns);
    if (strcmp(name, "Actual Total Time") == 0) {
        said->is_timed = true;
        return explain_read_ms(explain, pos, name, text, &said->total_ns);
    }
    if (strcmp(name, "Actual Loops") == 0)
        return explain_read_count(explain, pos, name, text, &said->loops);
    if (strcmp(name, "Startup Cost") == 0)
        return read_cost(explain, pos, name, text, &said->startup_cost);
    if (strcmp(name, "Total Cost") == 0) {
        said->is_costed = true;
        return read_cost(explain, pos, name, text, &said->total_cost);
    }
    if (strcmp(name, "Plan Rows") == 0)
        return explain_read_count(explain, pos, name, text, &said->rows);
    if (strcmp(name, "Plan Width") == 0)
        return explain_read_count(explain, pos, name, text, &said->width);
    if (strcmp(name, "Workers Planned") == 0 || strcmp(name, "Senders") == 0)
        return explain_read_count(explain, pos, name, text, &said->workers);
    *known = false;
    return BR_OK;
}

/* Since 17 the names distinguish blocks of shared, local and temporary tables. */
static bool is_wait(const char *name)
{
    const char *io = strstr(name, "I/O ");
    return io && (strcmp(io, "I/O Read Time") == 0 || strcmp(io, "I/O Write Time") == 0);
}

static enum br_status explain_read_wait(struct br_explain *explain, struct br_pos pos,
                                        const char *name, const char *text)
{
    int64_t ns = 0, *waited = &explain_open_node(explain)->said.waited_ns;
    enum br_status status = explain_read_ms(explain, pos, name, text, &ns);
    if (!status && __builtin_add_overflow(*waited, ns, waited))
        *waited = INT64_MAX;
    return status;
}

enum br_status br_explain_property(struct br_explain *explain, struct br_pos pos, const char *name,
                                   const char *text, bool nested)
{
    struct br_plan_node *node = explain_open_node(explain);
    bool known = false;
    enum br_status status = explain_read_memory(explain, pos, name, text);
    if (!status && !nested && is_wait(name))
        return explain_read_wait(explain, pos, name, text);
    if (!status && !nested)
        status = read_figure(explain, pos, name, text, &known);
    if (status || known)
        return status;
    if (nested)
        return br_query_mention(explain->query, explain->open, text, explain->diag);
    if (strcmp(name, "Node Type") == 0)
        return read_type(explain, text);
    /* For aggregates and set operations: all of the input goes into a table first. */
    if (strcmp(name, "Strategy") == 0 &&
        (strcmp(text, "Hashed") == 0 || strcmp(text, "Mixed") == 0))
        node->kind = BR_NODE_BREAKER;
    if (strcmp(name, "Parent Relationship") == 0)
        node->is_init = strcmp(text, "InitPlan") == 0;
    if (strcmp(name, "Async Capable") == 0)
        node->is_async = strcmp(text, "true") == 0;
    if (strcmp(name, "Parallel Aware") == 0)
        node->is_shared = strcmp(text, "true") == 0;
    if (strcmp(name, "Relation Name") == 0)
        return explain_keep(explain, text, &node->relation);
    if (strcmp(name, "CTE Name") == 0)
        return explain_keep(explain, text, &node->cte);
    if (strcmp(name, "Subplan Name") == 0)
        return explain_keep(explain, text, &node->subplan);
    return br_query_mention(explain->query, explain->open, text, explain->diag);
}

/* "Trigger a, Trigger b"; limited to the length for a stage's operators. */
static enum br_status name_trigger(struct br_query *query, const char *name, struct br_diag *diag)
{
    enum { NAMES_MOST = 400 };
    const char *before = query->triggers ? query->triggers : "";
    char text[NAMES_MOST + 100];
    if (strlen(before) >= NAMES_MOST)
        return BR_OK;
    snprintf(text, sizeof text, "%s%sTrigger %.64s", before, *before ? ", " : "", name);
    return br_query_keep(query, text, &query->triggers, diag);
}

enum br_status br_explain_trigger(struct br_explain *explain, struct br_pos pos, const char *name,
                                  const char *text)
{
    struct br_query *query = explain->query;
    int64_t ns;
    if (!query)
        return BR_OK;
    /* A constraint has a name of its own, its triggers have numbers. */
    if (strcmp(name, "Trigger Name") == 0 || strcmp(name, "Constraint Name") == 0)
        return br_query_keep(query, text, &explain->trigger, explain->diag);
    if (strcmp(name, "Time") != 0)
        return BR_OK;
    enum br_status status = explain_read_ms(explain, pos, "Time", text, &ns);
    if (!status)
        status = name_trigger(query, explain->trigger ? explain->trigger : "?", explain->diag);
    if (!status && __builtin_add_overflow(query->triggers_ns, ns, &query->triggers_ns))
        query->triggers_ns = INT64_MAX;
    explain->trigger = NULL;
    return status;
}

enum br_status br_explain_summary(struct br_explain *explain, struct br_pos pos, const char *name,
                                  const char *text)
{
    struct br_query *query = explain->query;
    if (!query)
        return BR_OK;
    if (strcmp(name, "Serialization Time") == 0)
        return explain_read_ms(explain, pos, name, text, &query->serialized_ns);
    if (strcmp(name, "Execution Time") == 0 || strcmp(name, "Total Runtime") == 0)
        return explain_read_ms(explain, pos, name, text, &query->ran_ns);
    return BR_OK;
}

enum br_status br_explain_setting(struct br_explain *explain, struct br_pos pos, const char *name,
                                  const char *text)
{
    struct br_decimal amount;
    int64_t value = 0;
    bool memory = strcmp(name, "work_mem") == 0;
    if (!explain->query || (!memory && strcmp(name, "hash_mem_multiplier") != 0))
        return BR_OK;
    if (!memory) {
        if (!explain_scale(text, 3, &value) || value < 1000 || value > 1000000)
            return br_fail_at(explain->diag, pos, BR_BAD_INPUT, "write a number from 1 to 1000",
                              "%s is '%.80s'", name, text);
        explain->query->hash_milli = value;
        return BR_OK;
    }
    /* Its units are powers of 1024, whatever their names. */
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    size_t digits = strspn(text, "0123456789");
    char number[24];
    int shift = -1;
    for (int u = 0; u < 5; u++)
        if (strcmp(text + digits, units[u]) == 0)
            shift = 10 * u;
    if (digits == 0 || digits >= sizeof number || shift < 0)
        shift = -1;
    else {
        memcpy(number, text, digits);
        number[digits] = 0;
    }
    if (shift < 0 || br_decimal_parse(number, &amount) || !br_decimal_scale(amount, 0, &value) ||
        value > (INT64_C(1) << 60) >> shift)
        return br_fail_at(explain->diag, pos, BR_BAD_INPUT, "write an amount such as 64MB",
                          "%s is '%.80s'", name, text);
    explain->query->work_mem = value * (INT64_C(1) << shift);
    return BR_OK;
}
