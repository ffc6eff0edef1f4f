/* A query's plan, node by node, as the reader of a form builds it and pipelines.h takes it. The
 * forms of EXPLAIN differ in their dress alone, so that their readers hand on properties by
 * EXPLAIN's own names; see explain.h. */
#ifndef BR_PARSERS_QUERIES_QUERY_H
#define BR_PARSERS_QUERIES_QUERY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/collections/arena.h"
#include "base/text/diag.h"

#define BR_NO_NODE UINT32_MAX

/* More than any query has, and few enough to compare in pairs, and to follow by recursion. */
enum { BR_QUERY_NODES = 5000, BR_QUERY_DEPTH = 250 };

enum br_node_kind {
    BR_NODE_STREAM,  /* hands on rows as they come */
    BR_NODE_BREAKER, /* takes all of its input before it gives the first row, like a sort */
    BR_NODE_HASH,    /* a breaker whose table is used by the join above */
    BR_NODE_GATHER,  /* what is below runs in several processes, which its loops tell */
    BR_NODE_MOTION,  /* of Greenplum: it runs on as many segments as there are workers */
};

/* What a file says of a node. Times are per loop and include what is below, as costs do. */
struct br_node_figures {
    bool is_timed, is_costed;
    int64_t startup_ns, total_ns;
    uint64_t loops;
    int64_t startup_cost, total_cost; /* in thousandths of a unit */
    uint64_t rows, width, workers;    /* as the planner thinks; workers beside the leader */
    int64_t waited_ns;                /* of all loops, for disks, with what is below */
    int64_t sort_bytes;               /* -1: the file says nothing of a sort's space */
    bool has_spilled;                 /* the sort of some process */
    enum { BR_SPACE_UNKNOWN, BR_SPACE_MEMORY, BR_SPACE_DISK } sort_space;
    uint64_t scanned, row_groups; /* of DuckDB: of a table */
    int64_t given_bytes;          /* of DuckDB: of all rows that it gave */
};

struct br_plan_node {
    uint32_t parent, depth; /* BR_NO_NODE and 0 for the root of the query */
    enum br_node_kind kind;
    const char *type;     /* "Seq Scan"; NULL: not worth to be named */
    const char *relation; /* NULL: none */
    const char *cte;      /* that this node scans; NULL: none */
    const char *subplan;  /* "CTE x", "InitPlan 1 (returns $0)", "SubPlan 1"; NULL: none */
    bool is_streamed;     /* of DuckDB: a CTE whose rows go to its readers as they come */
    const char *index;    /* of DuckDB: the number of the rows that it keeps or reads; NULL: none */
    bool is_init;         /* a CTE or an InitPlan, run once for all who read it */
    bool is_async;        /* it waits for another server while others of its kind do */
    bool is_shared;       /* one table for all processes */
    bool is_built;        /* the node above makes a table of its rows first */
    int64_t built_bytes;  /* of that table */
    struct br_node_figures said;
    int64_t mem_bytes;
    struct br_pos pos;
    /* What br_query_measure, br_query_estimate, or a reader makes of the figures. */
    bool runs;          /* false: it never ran */
    bool runs_once;     /* not anew for every row of something else */
    uint64_t processes; /* that run it side by side */
    int64_t own_ns;     /* in one of them, without what is below and what a CTE or InitPlan took */
    int64_t first_ns;   /* of own_ns: before its first row */
    int64_t skew_ns;    /* that one process did more than own_ns; the others did so much less */
    int64_t idle_ns;    /* of own_ns: waits for disks and servers, no work of a core */
};

/* A text of a node that mentions the result of an InitPlan. */
struct br_plan_mention {
    uint32_t node, next; /* next one of the same node, or BR_NO_NODE */
    const char *text;
};

struct br_query {
    struct br_arena arena; /* texts */
    uint32_t nodes, node_room, mentions, mention_room;
    struct br_plan_node *node; /* parents first, in the order of the file */
    struct br_plan_mention *mention;
    uint32_t *mentioned;   /* by node: its first mention, or BR_NO_NODE; made by br_query_close */
    bool is_timed;         /* has run, and its times were taken; else there are costs alone */
    bool is_segmented;     /* of Greenplum: times are those of each segment; of br_query_close */
    bool shares_work;      /* own_ns is what all processes of a pipeline do together */
    int64_t ran_ns;        /* from its begin to its end, as the file says; 0: it does not */
    int64_t serialized_ns; /* its rows made text, beside the nodes */
    int64_t behind_ns;    /* what CTEs that write did when the root was done; of br_query_measure */
    int64_t missing_ns;   /* of DuckDB's total, in no operator, in a last pipeline */
    const char *missing;  /* what to call that */
    int64_t triggers_ns;  /* all of its triggers, before and after the rows */
    const char *triggers; /* "Trigger a, Trigger b"; NULL: none */
    int64_t work_mem;     /* bytes that a sort may take */
    int64_t hash_milli;   /* what a hash table may take of work_mem, in thousandths */
};

/* PostgreSQL's own, where EXPLAIN (SETTINGS) says nothing else: 4 MB, and twice that for hash
 * tables. */
void br_query_init(struct br_query *query);
void br_query_finish(struct br_query *query);

/* Adds a node below `parent`. BR_BAD_INPUT (too many, too deep), BR_SYSTEM. */
enum br_status br_query_add(struct br_query *query, uint32_t parent, struct br_pos pos,
                            uint32_t *node, struct br_diag *diag);
/* A copy that lives as long as the query. BR_SYSTEM. */
enum br_status br_query_keep(struct br_query *query, const char *text, const char **kept,
                             struct br_diag *diag);
enum br_status br_query_mention(struct br_query *query, uint32_t node, const char *text,
                                struct br_diag *diag);
/* Once, when all nodes are there. BR_SYSTEM. */
enum br_status br_query_close(struct br_query *query, struct br_diag *diag);

/* Is `node` one that reads the CTE or the InitPlan `init`? */
bool br_query_reads(const struct br_query *query, uint32_t init, uint32_t node);
/* Is it the root of a CTE that writes? Such a one runs to its end, whoever reads it. */
bool br_query_is_writer(const struct br_query *query, uint32_t node);
/* Is `node` the root or below it? O(depth). */
bool br_query_is_within(const struct br_query *query, uint32_t node, uint32_t root);
/* Is it the topmost node that runs in several processes? */
bool br_query_is_parallel_root(const struct br_query *query, uint32_t node);

/* How long it went on behind its plan, for triggers that run when all rows are there, as those of
 * foreign keys do: their times, if the query took so much longer than its root. */
int64_t br_query_after(const struct br_query *query);

/* From times that were measured to what each node did itself. O(nodes^2) at worst, for plans full
 * of InitPlans and CTEs. BR_SYSTEM. */
enum br_status br_query_measure(struct br_query *query, struct br_diag *diag);
/* Of DuckDB: holds the operators' times, which are sums over threads, against the query's own
 * total. More than `cores` can have done in it is scaled down, unless that is 0; what the total has
 * beyond them becomes missing_ns. O(nodes). BR_SYSTEM. */
enum br_status br_query_fit_total(struct br_query *query, uint64_t cores, struct br_diag *diag);
/* The same from the planner's costs, of which a unit takes so many nanoseconds, and what sorts and
 * hash tables will hold. O(nodes). BR_SYSTEM. */
enum br_status br_query_estimate(struct br_query *query, int64_t unit_ns, struct br_diag *diag);

#endif
