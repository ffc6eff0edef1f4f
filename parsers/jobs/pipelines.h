/* A query's plan as PostgreSQL explains it, and the pipelines that it is made of. */
#ifndef BR_PARSERS_JOBS_PIPELINES_H
#define BR_PARSERS_JOBS_PIPELINES_H

#include "planner/model/dag.h"

#define BR_NO_NODE UINT32_MAX

enum br_node_kind {
    BR_NODE_STREAM,  /* hands on rows as they come */
    BR_NODE_BREAKER, /* takes all of its input before it gives the first row, like a sort */
    BR_NODE_HASH,    /* a breaker whose table is used by the join above */
    BR_NODE_GATHER,  /* what is below runs in several processes */
};

/* One node of the plan, as it was measured. Times are per loop. */
struct br_plan_node {
    uint32_t parent; /* before this one; BR_NO_NODE for the root of a query */
    enum br_node_kind kind;
    const char *type;     /* "Seq Scan" */
    const char *relation; /* NULL: none */
    const char *cte;      /* that this node scans; NULL: none */
    const char *subplan;  /* "CTE x", "InitPlan 1 (returns $0)", "SubPlan 1"; NULL: none */
    bool is_init;         /* a CTE or an InitPlan, run once for all who read it */
    bool is_shared;       /* one table for all processes */
    bool is_timed;        /* the file gave a time */
    int64_t startup_ns, total_ns;
    uint64_t loops;
    int64_t mem_bytes;
    struct br_pos pos;
};

/* A text of a node that mentions the result of an InitPlan. */
struct br_plan_mention {
    uint32_t node;
    const char *text;
};

struct br_plan_tree {
    uint32_t nodes, mentions;
    const struct br_plan_node *node; /* parents first, in the order of the file */
    const struct br_plan_mention *mention;
};

/* Adds to the job one stage per pipeline: a task of one cpu per process, as long as what it does
 * there itself, with the memory that it fills or reads; and barriers between them. O(nodes^2) at
 * worst, for plans full of InitPlans and CTEs. */
enum br_status br_pipelines_add(struct br_dag *dag, const struct br_plan_tree *tree,
                                struct br_diag *diag);

#endif
