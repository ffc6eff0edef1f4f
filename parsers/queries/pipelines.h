/* The pipelines of a query's plan, as stages of a job. */
#ifndef BR_PARSERS_QUERIES_PIPELINES_H
#define BR_PARSERS_QUERIES_PIPELINES_H

#include "parsers/queries/query.h"
#include "planner/model/dag.h"

/* A shared resource of amount 1 that stands for the process of a query: this name behind the
 * query's prefix. */
#define BR_TURNS "backend"
enum { BR_TURNS_NAME = 300 };

/* How pipelines become stages. */
struct br_pipeline_options {
    uint64_t measured_cores; /* number during the measurement; 0: as many as there were processes */
    bool overlap;            /* pipelines of a PostgreSQL query wait only for their inputs */
    bool any_order; /* those of one process take turns in any order, by a resource of its own */
    bool hold;      /* what pipelines fill is an output until all that read it have ended */
};

/* Adds to the job one stage per pipeline, named by the prefix, "p" and a number: a task of one cpu
 * per process, as long as its own work there, with the memory that it fills or reads; and barriers
 * between them: from its inputs and, if one process and its helpers run a PostgreSQL query, between
 * each pipeline and the next. The query is measured or estimated. O(nodes^2) at worst, for plans
 * full of InitPlans and CTEs. BR_BAD_INPUT, BR_SYSTEM. */
enum br_status br_pipelines_add(struct br_dag *dag, const struct br_query *query,
                                const char *prefix, const struct br_pipeline_options *options,
                                struct br_diag *diag);

#endif
