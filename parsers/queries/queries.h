/* Plans of queries as PostgreSQL and DuckDB write them, as one job: a stage per pipeline, and
 * nothing between the queries but the machine that they share. */
#ifndef BR_PARSERS_QUERIES_QUERIES_H
#define BR_PARSERS_QUERIES_QUERIES_H

#include "parsers/queries/explain.h"
#include "parsers/text/source.h"
#include "planner/model/dag.h"

/* What a unit of the planner's cost takes where nothing is known of the machine: a page of 8 KiB,
 * at 800 MB/s. */
enum { BR_COST_NS = 10000, BR_QUERY_NAME = 128 };

/* Is it a plan of PostgreSQL's, in any form, from its first bytes? */
bool br_is_postgres(const char *text);

/* Adds the queries of one file. BR_BAD_INPUT with the place, BR_SYSTEM. */
enum br_status br_queries_read(struct br_source *source, struct br_queries *queries,
                               struct br_diag *diag);

/* The name of a query by its number, less than BR_QUERY_NAME bytes, for what its stages are called.
 */
typedef void br_name_query(const void *context, uint32_t query, char name[BR_QUERY_NAME]);
/* Adds the stages of all queries: "p1", "p2", ..., or where there are several queries "NAME.p1".
 * Those that were never run last what their costs say, a unit of which takes so many nanoseconds;
 * the job's attribute "durations" tells it. */
enum br_status br_queries_add_to(struct br_dag *dag, struct br_queries *queries, int64_t unit_ns,
                                 br_name_query *name, const void *context, struct br_diag *diag);

#endif
