/* A query's plan, node by node, as the reader of a form builds it and pipelines.h takes it. The
 * forms of EXPLAIN differ only in syntax, so their readers pass properties by EXPLAIN's own names;
 * see explain.h. */
#ifndef BR_PARSERS_QUERIES_QUERY_H
#define BR_PARSERS_QUERIES_QUERY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/collections/arena.h"
#include "base/text/diag.h"

#define BR_NO_NODE UINT32_MAX

/* More than any query has, and few enough for comparing pairs and for recursion. */
enum { BR_QUERY_NODES = 5000, BR_QUERY_DEPTH = 250 };

enum br_node_kind {
    BR_NODE_STREAM,  /* passes on rows as they come */
    BR_NODE_BREAKER, /* reads all of its input before it returns the first row, like a sort */
    BR_NODE_HASH,    /* a breaker whose table is used by the join above */
    BR_NODE_GATHER,  /* the nodes below run in several processes, given by its loops */
    BR_NODE_MOTION,  /* for Greenplum: it runs on as many segments as there are workers */
};

/* A node's figures from the file. Times are per loop and include the nodes below, as costs do. */
struct br_node_figures {
    bool is_timed, is_costed;
    int64_t startup_ns, total_ns;
    uint64_t loops;
    int64_t startup_cost, total_cost; /* in thousandths of a unit */
    uint64_t rows, width, workers;    /* by the planner; workers beside the leader */
    int64_t waited_ns;                /* of all loops, for disks, including the nodes below */
    int64_t sort_bytes;               /* -1: the file does not give a sort's space */
    bool has_spilled;                 /* the sort of some process */
    enum { BR_SPACE_UNKNOWN, BR_SPACE_MEMORY, BR_SPACE_DISK } sort_space;
    uint64_t scanned, row_groups; /* of DuckDB: of a table */
    int64_t given_bytes;          /* of DuckDB: of all rows that it gave */
};

struct br_plan_node {
    uint32_t parent, depth; /* BR_NO_NODE and 0 for the root of the query */
    enum br_node_kind kind;
    const char *type;     /* "Seq Scan"; NULL: not worth naming */
    const char *relation; /* NULL: none */
    const char *cte;      /* that this node scans; NULL: none */
    const char *subplan;  /* "CTE x", "InitPlan 1 (returns $0)", "SubPlan 1"; NULL: none */
    bool is_streamed;     /* for DuckDB: a CTE whose rows go to its readers as they come */
    const char *index;   /* for DuckDB: the number of the rows that it keeps or reads; NULL: none */
    bool is_init;        /* a CTE or an InitPlan, run once for all its readers */
    bool is_async;       /* it waits for another server while others of its kind do */
    bool is_shared;      /* one table for all processes */
    bool is_built;       /* the node above makes a table of its rows first */
    int64_t built_bytes; /* of that table's rows */
    int64_t beside_bytes; /* for DuckDB: what a hash table takes beside its rows, estimated */
    struct br_node_figures said;
    int64_t mem_bytes;
    int64_t kept_bytes;   /* for DuckDB: of the rows of a CTE, for all of its scans */
    int64_t cached_bytes; /* for DuckDB: of an InitPlan's rows, for the node above */
    struct br_pos pos;
    /* The results of br_query_measure, br_query_estimate, or a reader. */
    bool runs;          /* false: it never ran */
    bool runs_once;     /* false: again for every row of another node */
    uint64_t processes; /* that run it side by side */
    int64_t own_ns;     /* in one process, without the nodes below and without CTEs and InitPlans */
    int64_t first_ns;   /* of own_ns: before its first row */
    int64_t skew_ns;    /* excess of one process over own_ns; the others did as much less */
    int64_t idle_ns;    /* of own_ns: waits for disks and servers, no work of a core */
};

/* A text of a node that mentions the result of an InitPlan. */
struct br_plan_mention {
    uint32_t node, next; /* next one of that node, or BR_NO_NODE */
    const char *text;
};

struct br_query {
    struct br_arena arena; /* texts */
    uint32_t nodes, node_room, mentions, mention_room;
    struct br_plan_node *node; /* parents first, in the order of the file */
    struct br_plan_mention *mention;
    uint32_t *mentioned; /* by node: its first mention, or BR_NO_NODE; made by br_query_close */
    bool is_timed;       /* it has run with times; else it has only costs */
    bool is_segmented;   /* for Greenplum: times are those of each segment; set by br_query_close */
    bool shares_work;    /* own_ns is the sum over all processes of a pipeline */
    int64_t ran_ns;      /* from its beginning to its end, from the file; 0: not given */
    int64_t serialized_ns; /* converting its rows to text, outside the nodes */
    int64_t behind_ns;   /* work of writing CTEs after the root was done; set by br_query_measure */
    int64_t missing_ns;  /* part of DuckDB's total in no operator, for a last pipeline */
    const char *missing; /* name of that pipeline */
    int64_t triggers_ns; /* all of its triggers, before and after the rows */
    const char *triggers; /* "Trigger a, Trigger b"; NULL: none */
    int64_t work_mem;     /* bytes that a sort may take */
    int64_t hash_milli;   /* share of work_mem for a hash table, in thousandths */
};

/* PostgreSQL's defaults, if EXPLAIN (SETTINGS) gives nothing else: 4 MB, and twice that for hash
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
/* To be called once, when all nodes are there. BR_SYSTEM. */
enum br_status br_query_close(struct br_query *query, struct br_diag *diag);

/* Is `node` one that reads the CTE or the InitPlan `init`? */
bool br_query_reads(const struct br_query *query, uint32_t init, uint32_t node);
/* Is it the root of a writing CTE? Such a CTE runs to its end, whether or not it is read. */
bool br_query_is_writer(const struct br_query *query, uint32_t node);
/* Is `node` the root or below it? O(depth). */
bool br_query_is_within(const struct br_query *query, uint32_t node, uint32_t root);
/* Is it the topmost node that runs in several processes? */
bool br_query_is_parallel_root(const struct br_query *query, uint32_t node);

/* Time after the end of the plan, for triggers that run when all rows are there, such as those of
 * foreign keys: their times, if the query took that much longer than its root. */
int64_t br_query_after(const struct br_query *query);

/* From measured times to each node's own work. O(nodes^2) at worst, for plans full of InitPlans and
 * CTEs. BR_SYSTEM. */
enum br_status br_query_measure(struct br_query *query, struct br_diag *diag);
/* For DuckDB: compares the operators' times, which are sums over threads, with the query's own
 * total. More than `cores` can have done in it is scaled down, unless that is 0; the part of the
 * total beyond them becomes missing_ns. O(nodes). BR_SYSTEM. */
enum br_status br_query_fit_total(struct br_query *query, uint64_t cores, struct br_diag *diag);
/* From the planner's costs, with this many nanoseconds per unit, to each node's own work and the
 * memory of sorts and hash tables. O(nodes). BR_SYSTEM. */
enum br_status br_query_estimate(struct br_query *query, int64_t unit_ns, struct br_diag *diag);

#endif
