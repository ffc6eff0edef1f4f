/* Compares DuckDB's operators with their query. Their times are elapsed times of all threads,
 * including waits of a thread for its core; and some work, such as writing a file in the background
 * or merging a sort, is in none of them. */
#include "parsers/queries/query.h"

#include <stdio.h>
#include <string.h>

#include "base/numbers/wide.h"

/* Less than a twentieth, or than a millisecond, is the normal overhead around a plan. */
enum { PART_TOLD = 20, LEAST_NS = 1000000 };

/* The operator that most likely took the missing time: the one that writes, or a sort. */
static const char *suspect(const struct br_query *query)
{
    static const char *const types[] = {"BATCH_COPY", "COPY_TO",  "BATCH_INSERT", "CREATE_TABLE",
                                        "INSERT",     "ORDER_BY", "WINDOW"};
    for (size_t k = 0; k < sizeof types / sizeof types[0]; k++)
        for (uint32_t n = 0; n < query->nodes; n++)
            if (query->node[n].type &&
                strncmp(query->node[n].type, types[k], strlen(types[k])) == 0)
                return query->node[n].type;
    return NULL;
}

enum br_status br_query_fit_total(struct br_query *query, uint64_t cores, struct br_diag *diag)
{
    br_wide all = 0, most = (br_wide)query->ran_ns * cores;
    char name[80] = "time in no operator";
    for (uint32_t n = 0; n < query->nodes; n++)
        all += query->node[n].own_ns;
    for (uint32_t n = 0; n < query->nodes && most > 0 && all > most; n++) {
        struct br_plan_node *node = &query->node[n];
        node->own_ns = (int64_t)(node->own_ns * most / all);
        node->first_ns = (int64_t)(node->first_ns * most / all);
    }
    if (all >= query->ran_ns)
        return BR_OK;
    int64_t missing = (int64_t)(query->ran_ns - all);
    if (missing < LEAST_NS || missing < query->ran_ns / PART_TOLD)
        return BR_OK;
    const char *type = suspect(query);
    if (type)
        snprintf(name, sizeof name, "rest of %.60s", type);
    query->missing_ns = missing;
    return br_query_keep(query, name, &query->missing, diag);
}
