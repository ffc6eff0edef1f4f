/* Plans of queries as PostgreSQL and DuckDB write them, as one job: a stage per pipeline, and
 * nothing between the queries but the machine that they share. */
#ifndef BR_PARSERS_QUERIES_QUERIES_H
#define BR_PARSERS_QUERIES_QUERIES_H

#include "parsers/queries/explain.h"
#include "parsers/queries/pipelines.h"
#include "parsers/text/source.h"
#include "planner/model/dag.h"

/* What a unit of the planner's cost takes where nothing is known of the machine: a page of 8 KiB,
 * at 800 MB/s. */
enum { BR_COST_NS = 10000, BR_QUERY_NAME = 128 };

/* From its first bytes: is it a plan of PostgreSQL's in any form, or a profile of DuckDB's? */
bool br_is_postgres(const char *text);
bool br_is_duckdb(const char *text);

/* Adds the queries of one file, of which of both its first bytes tell. BR_BAD_INPUT with the place,
 * BR_SYSTEM. */
enum br_status br_queries_read(struct br_source *source, struct br_queries *queries,
                               struct br_diag *diag);
/* The same of a text of DuckDB's, which ends with a NUL. */
enum br_status br_read_duckdb_text(struct br_queries *queries, char *text, size_t size,
                                   struct br_diag *diag);

/* The name of a query by its number, less than BR_QUERY_NAME bytes, for what its stages are called.
 */
typedef void br_name_query(const void *context, uint32_t query, char name[BR_QUERY_NAME]);
/* Adds the stages of all queries: "p1", "p2", ..., or where there are several queries "NAME.p1".
 * Those that were never run last what their costs say, a unit of which takes so many nanoseconds;
 * the job's attribute "durations" tells it. Those that ran have told how long all of them took, one
 * after the other: the attribute "recorded"; and "warning" tells what is not as it may seem. */
enum br_status br_queries_add_to(struct br_dag *dag, struct br_queries *queries, int64_t unit_ns,
                                 const struct br_pipeline_options *options, br_name_query *name,
                                 const void *context, struct br_diag *diag);

/* What the planner thought of a query, in thousandths of a unit of cost, and how long it took. */
struct br_query_cost {
    int64_t cost, wall_ns;
};
/* False where one of both is not known, or nothing. */
bool br_query_cost_of(const struct br_query *query, struct br_query_cost *cost);
/* What a unit of cost took in these queries: the median, with the lower and the upper quartile.
 * Sorts them. count > 0.
 */
struct br_cost_unit {
    int64_t ns, lower_ns, upper_ns;
};
struct br_cost_unit br_cost_unit(struct br_query_cost *cost, uint32_t count);

/* Queries of several files, by their names. */
struct br_query_files {
    struct br_queries queries;
    char (*name)[BR_QUERY_NAME]; /* by query: its file's, and "q2" where that has several */
    uint32_t names_room;
};
/* Adds a file, or standard input for "-". BR_BAD_INPUT, BR_SYSTEM. */
enum br_status br_query_files_read(struct br_query_files *files, const char *path,
                                   struct br_diag *diag);
void br_query_files_finish(struct br_query_files *files);
/* The job of all queries; the caller's. */
enum br_status br_query_files_job(struct br_query_files *files, int64_t unit_ns,
                                  const struct br_pipeline_options *options, struct br_dag **dag,
                                  struct br_diag *diag);

#endif
