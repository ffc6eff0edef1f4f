/* Files with queries: which form they are in, and the job that they make. */
#include "parsers/queries/queries.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/queries/pipelines.h"
#include "parsers/reader/formats.h"
#include "parsers/text/begin.h"

enum { TEXT_MOST = 64 << 20 };

/* Does the first line name a node and its figures, perhaps in quotes? */
static bool is_node_line(const char *text)
{
    const char *name = text + (*text == '"'), *end = text + strcspn(text, "\n");
    const char *cost = strstr(text, " (cost="), *actual = strstr(text, " (actual ");
    return *name >= 'A' && *name <= 'Z' && ((cost && cost < end) || (actual && actual < end));
}

bool br_is_postgres(const char *text)
{
    const char *p = br_text_begin(text);
    char name[16];
    if (*p == '[' || *p == '{')
        return strstr(p, "\"Plan\"") && strstr(p, "\"Node Type\"");
    if (*p == '<') {
        br_xml_root_name(text, name, sizeof name);
        return strcmp(name, "explain") == 0;
    }
    if (*p == '-' && strstr(p, "- Plan:"))
        return true;
    return is_node_line(p) || br_table_is_there(p) || br_log_is_there(p);
}

static enum br_status read_text(char *text, struct br_queries *queries, struct br_diag *diag)
{
    struct br_explain explain = {.queries = queries, .open = BR_NO_NODE, .diag = diag};
    if (br_log_is_there(text)) {
        enum br_status status = br_log_check(text, diag);
        if (status)
            return status;
        br_log_unwrap(text);
    } else {
        br_table_unwrap(text);
    }
    switch (*br_text_begin(text)) {
    case '<':
        return br_read_explain_xml(&explain, text, strlen(text));
    case '[':
    case '{':
        return br_read_explain_json(&explain, text, strlen(text));
    case '-':
        return br_read_explain_yaml(&explain, text, strlen(text));
    default:
        return br_read_explain_text(&explain, text, strlen(text));
    }
}

enum form { POSTGRES, DUCKDB, ANY_LOG };

/* As the caller knows; a log's first plan may be far behind its begin. */
static enum br_status read_source(struct br_source *source, enum form form,
                                  struct br_queries *queries, struct br_diag *diag)
{
    char *text;
    enum br_status status =
        br_source_text(source, TEXT_MOST, form == DUCKDB ? "duckdb" : "postgres", &text, diag);
    if (!status && form == ANY_LOG && !br_log_is_there(text))
        status = br_fail_at(
            diag, BR_NO_POS, BR_BAD_INPUT,
            "write it by EXPLAIN (ANALYZE), or by DuckDB's PRAGMA enable_profiling = 'json'",
            "this is no plan of a query");
    else if (!status)
        status = form == DUCKDB ? br_read_duckdb_text(queries, text, strlen(text), diag)
                                : read_text(text, queries, diag);
    free(text);
    return status;
}

enum br_status br_queries_read(struct br_source *source, struct br_queries *queries,
                               struct br_diag *diag)
{
    bool postgres = br_is_postgres(source->buffer);
    enum br_status status = postgres ? BR_OK : br_table_refuse_page(source->buffer, diag);
    if (status)
        return status;
    bool duckdb = !postgres && br_is_duckdb(source->buffer);
    return read_source(source, postgres ? POSTGRES : duckdb ? DUCKDB : ANY_LOG, queries, diag);
}

enum br_status br_queries_add_to(struct br_dag *dag, struct br_queries *queries, int64_t unit_ns,
                                 br_name_query *name, const void *context, struct br_diag *diag)
{
    char prefix[BR_QUERY_NAME + 2] = "", told[96];
    bool estimated = false;
    enum br_status status = BR_OK;
    for (uint32_t q = 0; q < queries->count && !status; q++) {
        struct br_query *query = &queries->query[q];
        if (queries->count > 1) {
            name(context, q, prefix);
            strcat(prefix, ".");
        }
        if (!query->shares_work) {
            status = query->is_timed ? br_query_measure(query, diag)
                                     : br_query_estimate(query, unit_ns, diag);
            estimated |= !query->is_timed;
        }
        if (!status)
            status = br_pipelines_add(dag, query, prefix, diag);
    }
    if (status || !estimated)
        return status;
    snprintf(told, sizeof told, "estimated, %" PRId64 ".%03" PRId64 " us a unit of cost",
             unit_ns / 1000, unit_ns % 1000);
    return br_dag_add_attribute(dag, BR_OWNER_JOB, 0, "durations", told, diag);
}

static void number(const void *context, uint32_t query, char name[BR_QUERY_NAME])
{
    snprintf(name, BR_QUERY_NAME, "q%" PRIu32, query + 1);
    (void)context;
}

static enum br_status read_job(struct br_source *source, enum form form, struct br_input *input,
                               struct br_diag *diag)
{
    struct br_queries queries = {.count = 0};
    char stem[256];
    input->dag = br_dag_create(br_source_stem(source, "query", stem, sizeof stem));
    enum br_status status =
        input->dag ? read_source(source, form, &queries, diag) : br_fail_memory(diag);
    if (!status)
        status = br_queries_add_to(input->dag, &queries, BR_COST_NS, number, NULL, diag);
    br_queries_finish(&queries);
    return status;
}

enum br_status br_read_postgres(struct br_source *source, const struct br_parse_options *options,
                                struct br_input *input, struct br_diag *diag)
{
    (void)options;
    return read_job(source, POSTGRES, input, diag);
}

enum br_status br_read_duckdb(struct br_source *source, const struct br_parse_options *options,
                              struct br_input *input, struct br_diag *diag)
{
    (void)options;
    return read_job(source, DUCKDB, input, diag);
}
