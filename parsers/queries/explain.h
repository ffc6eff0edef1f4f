/* The common part of all forms of PostgreSQL's EXPLAIN: the reader of a form opens and closes
 * queries and nodes, and passes every property as text. */
#ifndef BR_PARSERS_QUERIES_EXPLAIN_H
#define BR_PARSERS_QUERIES_EXPLAIN_H

#include <stddef.h>

#include "parsers/queries/query.h"

/* The queries of a file, or of several. */
struct br_queries {
    struct br_query *query;
    uint32_t count, room;
    uint32_t refused;         /* unreadable plans of logs, which are left out */
    struct br_diag first_bad; /* the fault of the first one */
};
void br_queries_finish(struct br_queries *queries);
/* Adds one; *query is valid until the next one. BR_SYSTEM. */
enum br_status br_queries_add(struct br_queries *queries, struct br_query **query,
                              struct br_diag *diag);
/* Removes the last ones, so that this many remain. */
void br_queries_cut(struct br_queries *queries, uint32_t count);

struct br_explain {
    struct br_queries *queries; /* to fill; borrowed */
    struct br_query *query;     /* the open one; NULL: none */
    uint32_t open;              /* innermost open node, or BR_NO_NODE */
    const char *trigger;        /* the name of the one that is read; NULL: none */
    struct br_diag *diag;
};

enum br_status br_explain_begin_query(struct br_explain *explain);
/* Refused: a query without nodes, and one in which only some nodes have times. */
enum br_status br_explain_end_query(struct br_explain *explain, struct br_pos pos);
/* Adds a node below the open one, and opens it. */
enum br_status br_explain_begin_node(struct br_explain *explain, struct br_pos pos);
/* Refused: a node with neither times nor costs. */
enum br_status br_explain_end_node(struct br_explain *explain);
/* A property of the open node such as "Node Type"; or `nested` in one, such as a worker's. Unknown
 * properties are only searched for mentions. */
enum br_status br_explain_property(struct br_explain *explain, struct br_pos pos, const char *name,
                                   const char *text, bool nested);
/* A setting of the query; EXPLAIN (SETTINGS) lists those that differ from the default. */
enum br_status br_explain_setting(struct br_explain *explain, struct br_pos pos, const char *name,
                                  const char *text);

/* A property of one of the query's triggers, by EXPLAIN's own names; its "Time" comes last. Other
 * names are ignored. */
enum br_status br_explain_trigger(struct br_explain *explain, struct br_pos pos, const char *name,
                                  const char *text);
/* A property of the query itself: "Execution Time", called "Total Runtime" before 9.4, and
 * "Serialization Time" for the "Time" of "Serialization" in EXPLAIN (SERIALIZE). */
enum br_status br_explain_summary(struct br_explain *explain, struct br_pos pos, const char *name,
                                  const char *text);

/* A reader of a form. The text of `size` bytes ends with a NUL and may be changed. */
typedef enum br_status br_read_explain(struct br_explain *explain, char *text, size_t size);
br_read_explain br_read_explain_text, br_read_explain_json, br_read_explain_yaml,
    br_read_explain_xml;

/* Removes psql's frame around a plan, in place, and leaves blanks there, so that places stay. If
 * there is such a table, everything outside is blanked, too. */
void br_table_unwrap(char *text);
/* Is there a psql table with a plan? */
bool br_table_is_there(const char *text);
/* BR_BAD_INPUT if psql wrote the plan for a page: HTML, LaTeX, AsciiDoc or troff. */
enum br_status br_table_refuse_page(const char *text, struct br_diag *diag);

#endif
