/* Query plans written by PostgreSQL and DuckDB, as one job: a stage per pipeline; the queries share
 * only the machine. */
#ifndef BR_PARSERS_QUERIES_QUERIES_H
#define BR_PARSERS_QUERIES_QUERIES_H

#include "parsers/queries/explain.h"
#include "parsers/queries/pipelines.h"
#include "parsers/text/source.h"
#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"

/* Default duration of a unit of the planner's cost: a page of 8 KiB, at 800 MB/s. */
enum { BR_COST_NS = 10000, BR_QUERY_NAME = 128 };

/* Recognises, from its first bytes, a PostgreSQL plan in any form, or a DuckDB profile. */
bool br_is_postgres(const char *text);
bool br_is_duckdb(const char *text);

/* Adds the queries of one file, of either kind by its first bytes. BR_BAD_INPUT with the place,
 * BR_SYSTEM. */
enum br_status br_queries_read(struct br_source *source, struct br_queries *queries,
                               struct br_diag *diag);
/* Adds those of a DuckDB text, which ends with a NUL. */
enum br_status br_read_duckdb_text(struct br_queries *queries, char *text, size_t size,
                                   struct br_diag *diag);

/* The name of a query by its number, shorter than BR_QUERY_NAME bytes, for the names of its stages.
 */
typedef void br_name_query(const void *context, uint32_t query, char name[BR_QUERY_NAME]);
/* Adds the stages of all queries: "p1", "p2", ..., or "NAME.p1" if there are several queries. A
 * query that never ran lasts as long as its costs say, with this many nanoseconds per unit; the
 * job's attribute "durations" says so. For queries that ran, the attribute "recorded" has their
 * total duration, one after the other; "warning" lists figures that may mislead. */
enum br_status br_queries_add_to(struct br_dag *dag, struct br_queries *queries, int64_t unit_ns,
                                 const struct br_pipeline_options *options, br_name_query *name,
                                 const void *context, struct br_diag *diag);

/* Adds to the cluster the shared resources that such a job has for `any_order`. */
enum br_status br_queries_share(struct br_cluster *cluster, const struct br_dag *dag,
                                struct br_diag *diag);

/* The planner's cost of a query, in thousandths of a unit, and its duration. */
struct br_query_cost {
    int64_t cost, wall_ns;
};
/* False if either is unknown, or nothing. */
bool br_query_cost_of(const struct br_query *query, struct br_query_cost *cost);
/* The duration of a unit of cost in these queries: the median, with the lower and the upper
 * quartile. Sorts them. count > 0.
 */
struct br_cost_unit {
    int64_t ns, lower_ns, upper_ns;
};
struct br_cost_unit br_cost_unit(struct br_query_cost *cost, uint32_t count);

/* Queries of several files, by their names. */
struct br_query_files {
    struct br_queries queries;
    char (*name)[BR_QUERY_NAME]; /* by query: its file's name, with "q2" and so on if that has
                                    several */
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
