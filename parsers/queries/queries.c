/* Files with queries: their form, and the job that they make. */
#include "parsers/queries/queries.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/decimal.h"
#include "parsers/queries/log.h"
#include "parsers/queries/paste.h"
#include "parsers/queries/pipelines.h"
#include "parsers/reader/formats.h"
#include "parsers/text/begin.h"

enum { TEXT_MOST = 256 << 20 };

bool br_is_postgres(const char *text)
{
    const char *p = br_paste_begin(text);
    char name[16];
    if (br_table_refuse_page(text, NULL))
        return false;
    if (br_log_is_there(p) || br_log_is_server(p))
        return true;
    if (*p == '[' || *p == '{')
        return strstr(p, "\"Plan\"") && strstr(p, "\"Node Type\"");
    if (*p == '<') {
        br_xml_root_name(p, name, sizeof name);
        return strcmp(name, "explain") == 0;
    }
    if (*p == '-' && strstr(p, "- Plan:"))
        return true;
    return br_table_is_there(p) || br_paste_has_figures(p);
}

/* Is it a plan, even without figures? */
static bool looks_like_plan(const char *text)
{
    return br_table_is_there(text) || strstr(text, "->  ") || strstr(text, "Scan on ");
}

static enum br_status fail_no_plan(bool plan, struct br_diag *diag)
{
    if (plan)
        return br_fail_at(diag, BR_NO_POS, BR_BAD_INPUT, "write it by EXPLAIN (ANALYZE)",
                          "the plan has neither times nor costs");
    return br_fail_at(
        diag, BR_NO_POS, BR_BAD_INPUT,
        "write it by EXPLAIN (ANALYZE), or by DuckDB's PRAGMA enable_profiling = 'json'",
        "this is no plan of a query");
}

/* A plan as text. Each tab before a line stands for several blanks: takes the first width with
 * which every arrow fits. */
static enum br_status queries_read_lines(struct br_explain *explain, char *text)
{
    uint32_t before = explain->queries->count;
    struct br_diag *diag = explain->diag;
    enum br_status status = BR_OK;
    if (!br_paste_has_tabs(text))
        return br_read_explain_text(explain, text, strlen(text));
    for (unsigned k = 0; k == 0 || status == BR_BAD_INPUT; k++) {
        bool known;
        char *expanded = br_paste_expand(text, k, &known);
        if (!expanded)
            return known ? br_fail_memory(diag) : status;
        struct br_explain again = {
            .queries = explain->queries, .open = BR_NO_NODE, .diag = k ? NULL : diag};
        br_queries_cut(explain->queries, before);
        status = br_read_explain_text(&again, expanded, strlen(expanded));
        free(expanded);
    }
    return status;
}

/* Up to PostgreSQL 18, these forms of a MERGE into partitions have misleading names. */
static enum br_status hint_at_merge(bool merges, enum br_status status, struct br_diag *diag)
{
    if (merges && status == BR_BAD_INPUT && diag && !diag->hint[0])
        snprintf(diag->hint, sizeof diag->hint,
                 "of a MERGE into partitions PostgreSQL writes invalid JSON and YAML; take FORMAT "
                 "TEXT or XML");
    return status;
}

/* Reads the plans of a text without a frame. */
static enum br_status read_plans(char *text, struct br_queries *queries, struct br_diag *diag)
{
    struct br_explain explain = {.queries = queries, .open = BR_NO_NODE, .diag = diag};
    const char *begin = br_text_begin(text);
    if (*begin == '<')
        return br_read_explain_xml(&explain, text, strlen(text));
    const bool merges = strstr(begin, "\"Merge\"");
    if (*begin == '[' || *begin == '{')
        return hint_at_merge(merges, br_read_explain_json(&explain, text, strlen(text)), diag);
    if ((*begin == '-' && begin[1] != '>') || strstr(begin, "\nPlan: ") ||
        strstr(begin, "\n Plan: "))
        return hint_at_merge(merges, br_read_explain_yaml(&explain, text, strlen(text)), diag);
    return queries_read_lines(&explain, text);
}

/* Moves the places of these queries, and of faults, to those of the plan in its log. */
static void place_log_plan(const struct br_log_plan *plan, struct br_queries *queries,
                           uint32_t from, struct br_diag *diag)
{
    for (uint32_t q = from; q < queries->count; q++)
        for (uint32_t n = 0; n < queries->query[q].nodes; n++) {
            struct br_pos *pos = &queries->query[q].node[n].pos;
            *pos = plan->is_one_line ? (struct br_pos){plan->line, 0}
                                     : (struct br_pos){pos->line + plan->line - 1, pos->column};
        }
    if (plan->is_one_line || !diag->line) {
        diag->line = plan->line;
        diag->column = 0;
    } else {
        diag->line += plan->line - 1;
    }
}

static enum br_status read_log_plan(struct br_log_plan *plan, struct br_queries *queries,
                                    struct br_diag *diag)
{
    uint32_t before = queries->count;
    enum br_status status = read_plans(plan->text, queries, diag);
    if (!status && queries->count == before)
        status = fail_no_plan(true, diag);
    if (status == BR_BAD_INPUT)
        br_queries_cut(queries, before);
    place_log_plan(plan, queries, before, diag);
    return status;
}

/* The plans of a log. Unreadable ones are counted, and refused if all are. */
static enum br_status queries_read_log(char *text, struct br_queries *queries, struct br_diag *diag)
{
    struct br_log log = {.at = text, .line = 1};
    struct br_log_plan plan;
    uint32_t before = queries->count, refused = queries->refused;
    for (;;) {
        struct br_diag own = diag ? *diag : (struct br_diag){0};
        enum br_status status = br_log_next(&log, &plan, &own);
        if (!status && !plan.text)
            break;
        if (!status)
            status = read_log_plan(&plan, queries, &own);
        if (status == BR_BAD_INPUT && queries->refused++ == 0)
            queries->first_bad = own;
        if (status && (status != BR_BAD_INPUT)) {
            if (diag)
                *diag = own;
            return status;
        }
    }
    if (queries->count > before || queries->refused == refused)
        return BR_OK;
    if (diag)
        *diag = queries->first_bad;
    return BR_BAD_INPUT;
}

static enum br_status queries_read_text(char *text, struct br_queries *queries,
                                        struct br_diag *diag)
{
    uint32_t before = queries->count;
    enum br_status status = br_table_refuse_page(text, diag);
    if (status)
        return status;
    if (br_log_is_there(text))
        return queries_read_log(text, queries, diag);
    if (br_log_is_server(text) && !br_paste_has_figures(text))
        return br_fail_at(diag, BR_NO_POS, BR_BAD_INPUT,
                          "load auto_explain, and let its log_min_duration be 0 and log_analyze on",
                          "the server's log has no plan in it");
    br_paste_clean(text);
    bool plan = looks_like_plan(text);
    br_table_unwrap(text);
    bool lines = !strchr("<[{", *br_text_begin(text));
    status = read_plans(text, queries, diag);
    if (status || queries->count > before)
        return status;
    return lines ? fail_no_plan(plan, diag)
                 : br_fail_at(diag, BR_NO_POS, BR_BAD_INPUT, "write it by EXPLAIN (ANALYZE)",
                              "there is no query in it");
}

static enum br_status queries_read_source(struct br_source *source, bool duckdb,
                                          struct br_queries *queries, struct br_diag *diag)
{
    char *text;
    enum br_status status =
        br_source_text(source, TEXT_MOST, duckdb ? "duckdb" : "postgres", &text, diag);
    if (!status)
        status = duckdb ? br_read_duckdb_text(queries, text, strlen(text), diag)
                        : queries_read_text(text, queries, diag);
    free(text);
    return status;
}

/* A text that is neither may be a log whose first plan comes late. */
enum br_status br_queries_read(struct br_source *source, struct br_queries *queries,
                               struct br_diag *diag)
{
    bool postgres = br_is_postgres(source->buffer);
    enum br_status status = postgres ? BR_OK : br_table_refuse_page(source->buffer, diag);
    return status ? status
                  : queries_read_source(source, !postgres && br_is_duckdb(source->buffer), queries,
                                        diag);
}

/* The job's note on plans left out. */
static enum br_status queries_tell_refused(struct br_dag *dag, const struct br_queries *queries,
                                           struct br_diag *diag)
{
    const struct br_diag *bad = &queries->first_bad;
    return queries->refused == 0
               ? BR_OK
               : br_dag_add_doubt(dag, diag,
                                  "%" PRIu32 " of %" PRIu32
                                  " plans cannot be read and are left out, the first at line "
                                  "%" PRIu32 ": %.200s",
                                  queries->refused, queries->refused + queries->count, bad->line,
                                  bad->what);
}

/* The job's note on time in no operator, for all queries. */
static enum br_status queries_tell_missing(struct br_dag *dag, const struct br_queries *queries,
                                           struct br_diag *diag)
{
    double missing = 0, ran = 0;
    for (uint32_t q = 0; q < queries->count; q++)
        if (queries->query[q].missing_ns) {
            missing += (double)queries->query[q].missing_ns / 1e9;
            ran += (double)queries->query[q].ran_ns / 1e9;
        }
    return missing == 0
               ? BR_OK
               : br_dag_add_doubt(dag, diag,
                                  "%.6g s of the %.6g s that the query took are in none of "
                                  "its operators, and are planned as its last stage",
                                  missing, ran);
}

/* Total duration of all queries, one after the other; 0: some never ran. */
static int64_t recorded(const struct br_queries *queries)
{
    int64_t all_ns = 0;
    for (uint32_t q = 0; q < queries->count; q++) {
        const struct br_query *query = &queries->query[q];
        int64_t ns = query->nodes ? query->node[0].said.total_ns : 0;
        ns = query->ran_ns > ns ? query->ran_ns : ns;
        if (!query->is_timed || ns == 0 || __builtin_add_overflow(all_ns, ns, &all_ns))
            return 0;
    }
    return all_ns;
}

static enum br_status tell_recorded(struct br_dag *dag, const struct br_queries *queries,
                                    const struct br_pipeline_options *options, struct br_diag *diag)
{
    char text[BR_COUNT_TEXT];
    dag->recorded_ns = recorded(queries);
    dag->recorded_cores = (uint32_t)options->measured_cores;
    if (options->measured_cores == 0)
        return BR_OK;
    br_count_format(options->measured_cores, text);
    return br_dag_add_attribute(dag, BR_OWNER_JOB, 0, "measured_cores", text, diag);
}

static enum br_status tell_estimated(struct br_dag *dag, int64_t unit_ns, struct br_diag *diag)
{
    char text[96];
    snprintf(text, sizeof text, "estimated, %" PRId64 ".%03" PRId64 " us a unit of cost",
             unit_ns / 1000, unit_ns % 1000);
    return br_dag_add_attribute(dag, BR_OWNER_JOB, 0, "durations", text, diag);
}

/* Computes the own work of each node of a query. */
static enum br_status find_work(struct br_query *query, int64_t unit_ns,
                                const struct br_pipeline_options *options, struct br_diag *diag)
{
    if (query->shares_work)
        return br_query_fit_total(query, options->measured_cores, diag);
    return query->is_timed ? br_query_measure(query, diag)
                           : br_query_estimate(query, unit_ns, diag);
}

enum br_status br_queries_add_to(struct br_dag *dag, struct br_queries *queries, int64_t unit_ns,
                                 const struct br_pipeline_options *options, br_name_query *name,
                                 const void *context, struct br_diag *diag)
{
    char prefix[BR_QUERY_NAME + 2] = "";
    bool estimated = false;
    enum br_status status = BR_OK;
    for (uint32_t q = 0; q < queries->count && !status; q++) {
        struct br_query *query = &queries->query[q];
        if (queries->count > 1) {
            name(context, q, prefix);
            strcat(prefix, ".");
        }
        estimated |= !query->is_timed;
        status = find_work(query, unit_ns, options, diag);
        if (!status)
            status = br_pipelines_add(dag, query, prefix, options, diag);
    }
    if (!status)
        status = queries_tell_refused(dag, queries, diag);
    if (!status)
        status = queries_tell_missing(dag, queries, diag);
    if (!status)
        status = tell_recorded(dag, queries, options, diag);
    return status || !estimated ? status : tell_estimated(dag, unit_ns, diag);
}

static bool is_turns(const char *name)
{
    size_t length = strlen(name), tail = strlen(BR_TURNS);
    return length >= tail && strcmp(name + length - tail, BR_TURNS) == 0 &&
           (length == tail || name[length - tail - 1] == '.');
}

enum br_status br_queries_share(struct br_cluster *cluster, const struct br_dag *dag,
                                struct br_diag *diag)
{
    enum br_status status = BR_OK;
    for (uint32_t r = 0; r < dag->resources && !status; r++)
        if (is_turns(dag->resource[r].name) && !br_cluster_shared(cluster, dag->resource[r].name))
            status = br_cluster_add_shared(cluster, dag->resource[r].name, "1", diag);
    return status;
}

static void queries_number(const void *context, uint32_t query, char name[BR_QUERY_NAME])
{
    snprintf(name, BR_QUERY_NAME, "q%" PRIu32, query + 1);
    (void)context;
}

static enum br_status queries_read_job(struct br_source *source, bool duckdb,
                                       const struct br_parse_options *options,
                                       struct br_input *input, struct br_diag *diag)
{
    const struct br_pipeline_options how = {options->measured_cores, options->overlap,
                                            options->any_order, options->hold};
    struct br_queries queries = {.count = 0};
    char stem[256];
    input->dag = br_dag_create(br_source_stem(source, "query", stem, sizeof stem));
    enum br_status status =
        input->dag ? queries_read_source(source, duckdb, &queries, diag) : br_fail_memory(diag);
    if (!status)
        status =
            br_queries_add_to(input->dag, &queries, BR_COST_NS, &how, queries_number, NULL, diag);
    br_queries_finish(&queries);
    return status;
}

enum br_status br_read_postgres(struct br_source *source, const struct br_parse_options *options,
                                struct br_input *input, struct br_diag *diag)
{
    return queries_read_job(source, false, options, input, diag);
}

enum br_status br_read_duckdb(struct br_source *source, const struct br_parse_options *options,
                              struct br_input *input, struct br_diag *diag)
{
    return queries_read_job(source, true, options, input, diag);
}
