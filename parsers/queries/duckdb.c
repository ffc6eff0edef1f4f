/* DuckDB's profile as JSON, of 1.x and 2.x: the operators as a tree, each with its own processor
 * time in all threads, and the bytes of the rows that it returned.
 *
 * - A join builds a table from its second child; so do similar operators. Aggregates, sorts and
 * windows read all rows. A CTE is its first child, and a join for a correlated subquery keeps the
 * rows of its first child for the scans below.
 * - Threads take a row group, or as many rows, at a time: a pipeline has as many tasks as its
 * source has such parts, each with an equal share of the time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/wide.h"
#include "parsers/queries/queries.h"
#include "parsers/text/begin.h"
#include "parsers/text/json.h"

enum { ROW_GROUP = 122880, NAME_ROOM = 64, LEAST_POINTERS = 16384 };
#define MOST_BESIDE (INT64_MAX / 4)

#define AGAIN "write it by PRAGMA enable_profiling = 'json', or by EXPLAIN (ANALYZE, FORMAT JSON)"

struct reader {
    struct br_json json;
    struct br_query *query;
    struct br_diag *diag;
};

bool br_is_duckdb(const char *text)
{
    const char *p = br_text_begin(text);
    if (*p == '[')
        return strstr(p, "\"extra_info\"") && strstr(p, "\"children\"");
    return *p == '{' && (strstr(p, "\"operator_timing\"") || strstr(p, "\"intermediate_rows\""));
}

/* ---- Reading ---- */

static bool duckdb_is_one_of(const char *name, const char *one, const char *other)
{
    return strcmp(name, one) == 0 || strcmp(name, other) == 0;
}

static enum br_status duckdb_keep(struct reader *duck, const char **kept)
{
    return br_query_keep(duck->query, duck->json.text, kept, duck->diag);
}

/* The details of an operator that name the table it reads. */
static bool read_detail(struct reader *duck, uint32_t n, const char *at)
{
    struct br_json *json = &duck->json;
    struct br_plan_node *node = &duck->query->node[n];
    bool table = duckdb_is_one_of(json->key, "Table", "Text"),
         named = strcmp(json->key, "CTE Name") == 0;
    bool scan = strcmp(json->key, "CTE Index") == 0, made = strcmp(json->key, "Table Index") == 0;
    bool delim = strcmp(json->key, "Delim Index") == 0;
    bool mode = duckdb_is_one_of(json->key, "Execution Mode", "CTE Mode");
    if (!(table || scan || made || named || delim || mode) || br_json_peek(json) != '"')
        return br_json_skip(json);
    if (!br_json_string(json, "a name"))
        return false;
    if (mode) {
        node->is_streamed = duckdb_is_one_of(json->text, "STREAMING_FANOUT", "DIRECT");
        return true;
    }
    if (table || named) {
        const char *dot = table ? strrchr(json->text, '.') : NULL;
        return br_json_take(
            json, at,
            br_query_keep(duck->query, dot ? dot + 1 : json->text, &node->relation, duck->diag));
    }
    return br_json_take(json, at, duckdb_keep(duck, scan ? &node->cte : &node->index));
}

static bool duckdb_read_count(struct br_json *json, uint64_t *count)
{
    return br_json_count(json, "a count", INT64_MAX / 4, count);
}

static bool read_operator(struct reader *duck, uint32_t parent);

static bool read_children(struct reader *duck, uint32_t parent)
{
    br_json_array(&duck->json, "the operators");
    while (br_json_item(&duck->json))
        read_operator(duck, parent);
    return !duck->json.status;
}

static bool read_member(struct reader *duck, uint32_t n)
{
    struct br_json *json = &duck->json;
    struct br_plan_node *node = &duck->query->node[n];
    uint64_t count = 0;
    br_json_peek(json);
    const char *at = json->at;
    if (strcmp(json->key, "children") == 0)
        return read_children(duck, n);
    if (strcmp(json->key, "extra_info") == 0 && *at == '{') {
        br_json_object(json, "the details");
        while (br_json_member(json))
            read_detail(duck, n, at);
        return !json->status;
    }
    if (duckdb_is_one_of(json->key, "operator_type", "type"))
        return br_json_string(json, "a type") &&
               br_json_take(json, at, duckdb_keep(duck, &node->type));
    if (duckdb_is_one_of(json->key, "operator_timing", "timing")) {
        node->said.is_timed = true;
        if (br_json_seconds(json, "a time", &node->own_ns) && node->own_ns < 0)
            br_json_fail(json, at, "times are 0 or more", "the time of an operator is negative");
        return !json->status;
    }
    if (duckdb_is_one_of(json->key, "operator_cardinality", "intermediate_rows"))
        return duckdb_read_count(json, &node->said.rows);
    if (duckdb_is_one_of(json->key, "result_set_size", "intermediate_size_bytes")) {
        duckdb_read_count(json, &count);
        node->said.given_bytes = (int64_t)count;
        return !json->status;
    }
    if (duckdb_is_one_of(json->key, "operator_rows_scanned", "rows_scanned"))
        return duckdb_read_count(json, &node->said.scanned);
    if (strcmp(json->key, "row_groups_scanned") == 0)
        return duckdb_read_count(json, &node->said.row_groups);
    return br_json_skip(json);
}

static bool read_operator(struct reader *duck, uint32_t parent)
{
    struct br_json *json = &duck->json;
    uint32_t n;
    br_json_peek(json);
    const char *at = json->at;
    struct br_pos pos = br_json_pos(json, at);
    if (!br_json_object(json, "an operator") ||
        !br_json_take(json, at, br_query_add(duck->query, parent, pos, &n, duck->diag)))
        return false;
    while (br_json_member(json))
        read_member(duck, n);
    if (!json->status && !duck->query->node[n].said.is_timed)
        return br_json_fail(json, at, AGAIN, "the operator '%.60s' has no time",
                            duck->query->node[n].type);
    return !json->status;
}

/* ---- What operators do ---- */

static bool duckdb_begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool is_wrapper(const char *type)
{
    return duckdb_is_one_of(type, "EXPLAIN_ANALYZE", "RESULT_COLLECTOR") ||
           strcmp(type, "Plan") == 0;
}

static bool is_delim_join(const char *type)
{
    return strstr(type, "DELIM_JOIN") != NULL;
}

static bool duckdb_takes_all(const char *type)
{
    static const char *const types[] = {"HASH_GROUP_BY",
                                        "PERFECT_HASH_GROUP_BY",
                                        "PARTITIONED_AGGREGATE",
                                        "UNGROUPED_AGGREGATE",
                                        "SIMPLE_AGGREGATE",
                                        "ORDER_BY",
                                        "TOP_N",
                                        "WINDOW"};
    for (size_t k = 0; k < sizeof types / sizeof types[0]; k++)
        if (duckdb_begins(type, types[k]))
            return true;
    return false;
}

static bool builds(const char *type)
{
    return !is_delim_join(type) && (strstr(type, "JOIN") || duckdb_begins(type, "CROSS_PRODUCT"));
}

/* The name by which scans find the rows kept by the child. */
static enum br_status name_kept(struct br_query *query, struct br_plan_node *child,
                                const char *format, const char *index, struct br_diag *diag)
{
    char name[NAME_ROOM];
    snprintf(name, sizeof name, format, index ? index : "");
    child->is_init = true;
    return br_query_keep(query, name, &child->subplan, diag);
}

/* Rows in a join's table begin with a byte for nulls, end with a hash, and are a multiple of eight
 * bytes; for each there are two pointers or more, a power of two in all. */
static int64_t beside_rows(const struct br_node_figures *said)
{
    br_wide rows = said->rows, bytes = said->given_bytes, pointers = LEAST_POINTERS;
    if (rows == 0)
        return 0;
    while (pointers < 2 * rows)
        pointers *= 2;
    br_wide row = (bytes / rows + (bytes % rows != 0) + 1 + 8 + 7) / 8 * 8;
    br_wide beside = row * rows - bytes + 8 * pointers;
    return beside < MOST_BESIDE ? (int64_t)beside : MOST_BESIDE;
}

static enum br_status place_child(struct br_query *query, uint32_t n, uint32_t ordinal,
                                  struct br_diag *diag)
{
    struct br_plan_node *node = &query->node[n];
    const struct br_plan_node *parent = &query->node[node->parent];
    if (builds(parent->type) && ordinal == 1) {
        node->is_built = true;
        node->built_bytes = node->said.given_bytes;
        if (strcmp(parent->type, "HASH_JOIN") == 0)
            node->beside_bytes = beside_rows(&node->said);
    } else if (strcmp(parent->type, "CTE") == 0 && ordinal == 0) {
        return name_kept(query, node, "CTE %.40s", parent->index, diag);
    } else if (is_delim_join(parent->type) && ordinal == 0) {
        node->cached_bytes = node->said.given_bytes;
        return name_kept(query, node, "CTE delim %.40s", parent->index, diag);
    }
    return BR_OK;
}

static uint64_t parts(uint64_t rows)
{
    return rows / ROW_GROUP + (rows % ROW_GROUP != 0);
}

static void duckdb_place(struct br_plan_node *node)
{
    bool table = strstr(node->type, "_SCAN") != NULL;
    uint64_t groups = node->said.row_groups ? node->said.row_groups : parts(node->said.scanned);
    if (duckdb_takes_all(node->type)) {
        node->kind = BR_NODE_BREAKER;
        node->mem_bytes = node->said.given_bytes;
        groups = parts(node->said.rows);
    } else if (table && !groups) {
        groups = parts(node->said.rows);
    }
    if ((strcmp(node->type, "CTE_SCAN") == 0 && !node->is_streamed) ||
        strcmp(node->type, "DELIM_SCAN") == 0)
        node->mem_bytes = node->said.given_bytes;
    node->runs = node->runs_once = true;
    node->processes = (table || node->kind == BR_NODE_BREAKER) && groups ? groups : 1;
    node->first_ns = node->own_ns;
}

/* A scan of a CTE has only its number. */
static void name_scan(struct br_query *query, struct br_plan_node *scan)
{
    for (uint32_t n = 0; n < query->nodes && scan->cte && !scan->relation; n++)
        if (strcmp(query->node[n].type, "CTE") == 0 && query->node[n].index &&
            strcmp(query->node[n].index, scan->cte) == 0)
            scan->relation = query->node[n].relation;
}

/* The work on a CTE's rows by a scan and the operators above it, up to the first one that reads all
 * of them. */
static int64_t reading_ns(const struct br_query *query, uint32_t scan, uint32_t cte)
{
    br_wide all = 0;
    for (uint32_t n = scan; n != cte && n != BR_NO_NODE; n = query->node[n].parent) {
        all += query->node[n].own_ns;
        if (query->node[n].kind == BR_NODE_BREAKER || query->node[n].is_built)
            break;
    }
    return all < INT64_MAX ? (int64_t)all : INT64_MAX;
}

static bool scans_streamed(const struct br_plan_node *node, const struct br_plan_node *cte)
{
    return strcmp(node->type, "CTE_SCAN") == 0 && node->is_streamed && node->cte && cte->index &&
           strcmp(node->cte, cte->index) == 0;
}

/* A CTE's time is that of filling it, in the pipeline and by the threads that make its rows. If
 * these rows go to its readers at once, the time includes the readers' work. */
static void fill_cte(struct br_query *query, uint32_t cte)
{
    struct br_plan_node *node = &query->node[cte], *made = NULL;
    for (uint32_t n = cte + 1; n < query->nodes && !made; n++)
        made = query->node[n].parent == cte ? &query->node[n] : NULL;
    if (!made || !made->is_init)
        return;
    for (uint32_t n = cte + 1; n < query->nodes && node->is_streamed; n++)
        if (scans_streamed(&query->node[n], node)) {
            int64_t twice = reading_ns(query, n, cte);
            node->own_ns -= twice < node->own_ns ? twice : node->own_ns;
        }
    made->own_ns += node->own_ns;
    if (!node->is_streamed)
        made->kept_bytes = made->said.given_bytes;
    node->own_ns = node->first_ns = 0;
}

/* Translates operators into terms of pipelines; finally, types that only wrap the query lose their
 * names. */
static enum br_status place_operators(struct br_query *query, struct br_diag *diag)
{
    uint32_t *children = calloc((size_t)query->nodes + 1, sizeof *children);
    enum br_status status = children ? BR_OK : br_fail_memory(diag);
    for (uint32_t n = 0; n < query->nodes && !status; n++) {
        struct br_plan_node *node = &query->node[n];
        duckdb_place(node);
        if (strcmp(node->type, "CTE_SCAN") == 0)
            name_scan(query, node);
        if (node->parent != BR_NO_NODE)
            status = place_child(query, n, children[node->parent]++, diag);
        if (!status && strcmp(node->type, "DELIM_SCAN") == 0) {
            char name[NAME_ROOM];
            snprintf(name, sizeof name, "delim %.40s", node->index ? node->index : "");
            status = br_query_keep(query, name, &node->cte, diag);
        }
    }
    for (uint32_t n = query->nodes; n-- > 0 && !status;) /* a CTE may make the rows of another */
        if (strcmp(query->node[n].type, "CTE") == 0)
            fill_cte(query, n);
    for (uint32_t n = 0; n < query->nodes && !status; n++)
        if (is_wrapper(query->node[n].type))
            query->node[n].type = NULL;
    free(children);
    return status;
}

/* Duration of the query. */
static bool read_total(struct reader *duck)
{
    br_json_seconds(&duck->json, "a time", &duck->query->ran_ns);
    if (duck->query->ran_ns < 0)
        duck->query->ran_ns = 0;
    return !duck->json.status;
}

static bool duckdb_read_query(struct reader *duck)
{
    br_json_object(&duck->json, "the query");
    while (br_json_member(&duck->json)) {
        if (strcmp(duck->json.key, "total_time") == 0)
            read_total(duck);
        else
            br_json_skip(&duck->json);
    }
    return !duck->json.status;
}

static bool read_profile(struct reader *duck, struct br_queries *queries)
{
    struct br_json *json = &duck->json;
    uint32_t root = BR_NO_NODE;
    br_json_peek(json);
    const char *at = json->at;
    struct br_pos pos = br_json_pos(json, at);
    if (!br_json_take(json, at, br_queries_add(queries, &duck->query, duck->diag)) ||
        !br_json_object(json, "a profile") ||
        !br_json_take(json, at, br_query_add(duck->query, BR_NO_NODE, pos, &root, duck->diag)))
        return false;
    while (br_json_member(json)) {
        if (duckdb_is_one_of(json->key, "operator", "children"))
            read_children(duck, root);
        else if (strcmp(json->key, "latency") == 0)
            read_total(duck);
        else if (strcmp(json->key, "query") == 0 && br_json_peek(json) == '{')
            duckdb_read_query(duck);
        else
            br_json_skip(json);
    }
    if (!json->status && duck->query->nodes < 2)
        return br_json_fail(json, at, AGAIN, "the profile has no operators");
    duck->query->is_timed = duck->query->shares_work = true;
    if (!json->status)
        json->status = place_operators(duck->query, duck->diag);
    if (!json->status)
        json->status = br_query_close(duck->query, duck->diag);
    return !json->status;
}

enum br_status br_read_duckdb_text(struct br_queries *queries, char *text, size_t size,
                                   struct br_diag *diag)
{
    struct reader duck = {.diag = diag};
    br_json_init(&duck.json, text, size, diag);
    while (!duck.json.status && br_json_peek(&duck.json)) {
        if (*duck.json.at == '[')
            br_json_fail(&duck.json, duck.json.at, AGAIN,
                         "this is a plan of DuckDB's that never ran");
        else
            read_profile(&duck, queries);
    }
    br_json_finish(&duck.json);
    return duck.json.status;
}
