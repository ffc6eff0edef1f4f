/* Several files with queries: their names, the cost of a unit in those that ran, and one job of
 * all. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "parsers/queries/queries.h"
#include "parsers/text/value.h"

enum { STEM_ROOM = 100 }; /* room for additions to a name */

static bool queries_files_is_taken(const struct br_query_files *files, uint32_t names,
                                   const char *stem)
{
    size_t length = strlen(stem);
    for (uint32_t q = 0; q < names; q++)
        if (strncmp(files->name[q], stem, length) == 0 &&
            (!files->name[q][length] || files->name[q][length] == '.'))
            return true;
    return false;
}

/* Names the file's queries, the last ones, by a stem that no other file has. */
static enum br_status name_queries(struct br_query_files *files, uint32_t first, const char *given,
                                   struct br_diag *diag)
{
    uint32_t count = files->queries.count;
    char stem[STEM_ROOM + 12];
    snprintf(stem, sizeof stem, "%s", given);
    for (uint32_t again = 2; queries_files_is_taken(files, first, stem); again++)
        snprintf(stem, sizeof stem, "%s-%" PRIu32, given, again);
    while (files->names_room < count)
        if (!br_grow(&files->name, files->names_room, &files->names_room, sizeof *files->name))
            return br_fail_memory(diag);
    for (uint32_t q = first; q < count; q++) {
        if (count - first == 1)
            snprintf(files->name[q], BR_QUERY_NAME, "%s", stem);
        else
            snprintf(files->name[q], BR_QUERY_NAME, "%s.q%" PRIu32, stem, q - first + 1);
    }
    return BR_OK;
}

enum br_status br_query_files_read(struct br_query_files *files, const char *path,
                                   struct br_diag *diag)
{
    struct br_source source;
    char stem[STEM_ROOM];
    uint32_t first = files->queries.count;
    enum br_status status = br_source_open(&source, path, diag);
    if (status)
        return status;
    status = br_queries_read(&source, &files->queries, diag);
    if (!status && files->queries.count == first)
        status = br_fail_at(diag, BR_NO_POS, BR_BAD_INPUT, NULL, "there is no query in it");
    if (!status)
        status =
            name_queries(files, first, br_source_stem(&source, "query", stem, sizeof stem), diag);
    br_source_close(&source);
    if (!status) { /* later faults are not in this file */
        br_diag_file(diag, NULL);
        br_value_place(diag, (struct br_pos){0, 0});
    }
    return status;
}

void br_query_files_finish(struct br_query_files *files)
{
    br_queries_finish(&files->queries);
    free(files->name);
    *files = (struct br_query_files){.names_room = 0};
}

static void queries_files_name(const void *context, uint32_t query, char text[BR_QUERY_NAME])
{
    const struct br_query_files *files = context;
    memcpy(text, files->name[query], BR_QUERY_NAME);
}

enum br_status br_query_files_job(struct br_query_files *files, int64_t unit_ns,
                                  const struct br_pipeline_options *options, struct br_dag **dag,
                                  struct br_diag *diag)
{
    *dag = br_dag_create(files->queries.count == 1 ? files->name[0] : "queries");
    enum br_status status = *dag ? br_queries_add_to(*dag, &files->queries, unit_ns, options,
                                                     queries_files_name, files, diag)
                                 : br_fail_memory(diag);
    return status ? status : br_dag_finish(*dag, diag);
}

bool br_query_cost_of(const struct br_query *query, struct br_query_cost *cost)
{
    const struct br_node_figures *root = &query->node[0].said;
    if (!root->is_timed || !root->is_costed)
        return false;
    *cost = (struct br_query_cost){root->total_cost, root->total_ns};
    return root->total_cost > 0 && root->total_ns > 0;
}

static int64_t queries_files_unit_of(const struct br_query_cost *cost)
{
    assert(cost->cost > 0 && cost->wall_ns > 0);
    double ns = (double)cost->wall_ns * 1000 / (double)cost->cost;
    return ns < 1 ? 1 : ns > 1e15 ? INT64_C(1000000000000000) : (int64_t)(ns + 0.5);
}

static int by_unit(const void *a, const void *b)
{
    int64_t left = queries_files_unit_of(a), right = queries_files_unit_of(b);
    return (left > right) - (left < right);
}

struct br_cost_unit br_cost_unit(struct br_query_cost *cost, uint32_t count)
{
    assert(count > 0);
    qsort(cost, count, sizeof *cost, by_unit);
    return (struct br_cost_unit){.ns = queries_files_unit_of(&cost[(count - 1) / 2]),
                                 .lower_ns = queries_files_unit_of(&cost[(count - 1) / 4]),
                                 .upper_ns =
                                     queries_files_unit_of(&cost[count - 1 - (count - 1) / 4])};
}
