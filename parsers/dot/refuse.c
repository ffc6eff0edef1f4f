/* Refuses texts before cgraph sees them. */
#include "parsers/dot/refuse.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_SHARE = 4 << 20, MOST_NESTED = 200, MOST_CELLS = 50000000 };

enum br_status br_dot_refuse_rest(const struct br_dot_scan *scan, struct br_diag *diag)
{
    if (scan->rest == BR_DOT_OPEN)
        return br_fail_at(
            diag, scan->rest_pos, BR_BAD_INPUT, "close it",
            "a quoted string, a comment or an angle bracket that begins here has no end");
    if (scan->rest == BR_DOT_HASH)
        return br_fail_at(diag, scan->rest_pos, BR_BAD_INPUT,
                          "put it into quotation marks, or begin the comment by //",
                          "'#' begins a comment only where it begins a line");
    return br_fail_at(diag, scan->rest_pos, BR_BAD_INPUT, "take it away, or mend the braces",
                      "text follows the closing brace of the graph");
}

/* cgraph takes 1_map for the names 1 and _map, with a warning that nobody sees. */
static enum br_status dot_refuse_number(const struct br_dot_scan *scan, struct br_diag *diag)
{
    const int most = scan->number_length < 60 ? (int)scan->number_length : 60;
    return br_fail_at(diag, scan->number_pos, BR_BAD_INPUT, "put it into quotation marks",
                      "'%.*s' begins with a number, and Graphviz takes it for two names", most,
                      scan->number);
}

static int by_id(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* <load> and load are one node up to graphviz 13, and two from 14 on. */
static enum br_status refuse_twins(const struct br_dot_scan *scan, struct br_diag *diag)
{
    char **id = calloc((size_t)scan->mentions + 1, sizeof *id);
    enum br_status status = id ? BR_OK : br_fail_memory(diag);
    uint32_t ids = 0;
    for (int plain = 0; plain < 2 && !status; plain++) {
        for (uint32_t m = 0; m < scan->mentions && !status; m++) {
            const struct br_dot_mention *mention = &scan->mention[m];
            if (plain == (*mention->id == '<'))
                continue;
            char *text = malloc((size_t)mention->length + 1);
            if (!text) {
                status = br_fail_memory(diag);
                break;
            }
            br_dot_unquote(mention, text);
            if (!plain) {
                id[ids++] = text;
                continue;
            }
            if (bsearch(&text, id, ids, sizeof *id, by_id))
                status = br_fail_at(diag, mention->pos, BR_BAD_INPUT, "rename one of them",
                                    "'%.80s' stands with and without angle brackets, which is one "
                                    "node for some versions of Graphviz, and two for others",
                                    text);
            free(text);
        }
        if (!plain && ids)
            qsort(id, ids, sizeof *id, by_id);
    }
    for (uint32_t k = 0; k < ids; k++)
        free(id[k]);
    free(id);
    return status;
}

/* Protects cgraph from texts that would cost it endless memory or recursion. */
static enum br_status refuse_bombs(const struct br_dot_scan *scan, struct br_diag *diag)
{
    if (scan->depth > MOST_NESTED)
        return br_fail_at(diag, BR_NO_POS, BR_BAD_INPUT, "nest fewer subgraphs",
                          "subgraphs are nested more than %d deep", MOST_NESTED);
    if (scan->mentions > BR_DOT_OBJECTS_MOST || scan->edges > BR_DOT_OBJECTS_MOST)
        return br_fail_at(diag, BR_NO_POS, BR_BAD_INPUT, "write such a job in the native XML form",
                          "the graph may have more than %d nodes or edges, the most that are read "
                          "of the DOT language",
                          BR_DOT_OBJECTS_MOST);
    if (scan->names && scan->mentions + scan->edges > MOST_CELLS / scan->names)
        return br_fail_at(diag, BR_NO_POS, BR_BAD_INPUT,
                          "use fewer attributes, or the native XML form",
                          "%" PRIu32 " different attributes are too many for a graph with %" PRIu64
                          " nodes and edges",
                          scan->names, scan->mentions + scan->edges);
    /* cgraph crashes when memory is out, so its share must be free before: this many bytes per
     * node, edge and attribute. */
    size_t objects = scan->mentions + (size_t)scan->edges;
    void *reserve = malloc(objects * 400 + objects * scan->names * 8 + TEXT_SHARE);
    if (!reserve)
        return br_fail_memory(diag);
    free(reserve);
    return BR_OK;
}

enum br_status br_dot_refuse(const struct br_dot_scan *scan, struct br_diag *diag)
{
    enum br_status status = refuse_bombs(scan, diag);
    if (!status && (scan->rest == BR_DOT_OPEN || scan->rest == BR_DOT_HASH))
        status = br_dot_refuse_rest(scan, diag);
    if (!status && scan->number)
        status = dot_refuse_number(scan, diag);
    if (!status && scan->brackets)
        status = refuse_twins(scan, diag);
    return status;
}
