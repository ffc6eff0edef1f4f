#include "parsers/dot/several.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/text/text.h"

enum { NAME_MOST = 40 };

static bool next_graph(struct br_dot_several *several)
{
    assert(several->scan->rest == BR_DOT_GRAPH);
    const struct br_pos begin = several->scan->end_pos;
    several->text += several->scan->length;
    several->number++;
    br_dot_scan_finish(several->scan);
    return br_dot_scan(several->text, begin, several->scan);
}

/* The title without quotation marks; NULL: memory is out. */
static char *copy_title(const struct br_dot_scan *scan)
{
    char *name = malloc((size_t)scan->title.length + 1);
    if (name)
        br_dot_unquote(&scan->title, name);
    return name;
}

static bool add_title(struct br_dot_several *several)
{
    if (!br_grow(&several->title, several->titles, &several->room, sizeof *several->title))
        return false;
    several->title[several->titles] = copy_title(several->scan);
    return several->title[several->titles++] != NULL;
}

/* "a", or "2" for the second if it has no name; false when memory is out. */
static bool list_name(struct br_dot_several *several, bool *is_wanted, const char *wanted)
{
    char *name = copy_title(several->scan), number[12];
    size_t used = strlen(several->names);
    if (!name)
        return false;
    snprintf(number, sizeof number, "%" PRIu32, several->number);
    *is_wanted = wanted && (strcmp(wanted, name) == 0 || strcmp(wanted, number) == 0);
    if (used + 2 * NAME_MOST < sizeof several->names)
        snprintf(several->names + used, sizeof several->names - used, "%s%.*s", used ? ", " : "",
                 NAME_MOST, *name && br_text_is_plain(name) ? name : number);
    free(name);
    return true;
}

/* Moves to the requested graph; NULL: to the last, for the names. */
static enum br_status find_graph(struct br_dot_several *several, const char *wanted,
                                 struct br_diag *diag)
{
    bool found = false, done = list_name(several, &found, wanted);
    while (done && !found && several->scan->rest == BR_DOT_GRAPH)
        done = next_graph(several) && list_name(several, &found, wanted);
    if (!done)
        return br_fail_memory(diag);
    if (found || !wanted)
        return BR_OK;
    return br_fail_at(diag, BR_NO_POS, BR_BAD_INPUT, several->names,
                      "the file has no graph '%.80s'", wanted);
}

static void several_blank(char *from, const char *to)
{
    for (; from < to; from++)
        if (*from != '\n')
            *from = ' ';
}

/* Turns "digraph a { S } digraph b { T }" into "digraph a {{ S }           { T }}". */
static enum br_status join_graphs(struct br_dot_several *several, struct br_diag *diag)
{
    char *const text = several->text;
    const size_t open = several->scan->open;
    size_t end = several->scan->length, size = strlen(text);
    while (several->scan->rest == BR_DOT_GRAPH) {
        const struct br_pos pos = several->scan->rest_pos;
        if (!next_graph(several) || !add_title(several))
            return br_fail_memory(diag);
        if (several->text[several->scan->open] != '{')
            return br_fail_at(diag, pos, BR_BAD_INPUT, "take it away, or mend the braces",
                              "the graph that begins here has no body");
        several_blank(several->text, several->text + several->scan->open);
        end = (size_t)(several->text - text) + several->scan->length;
    }
    char *made = several->made = malloc(size + 3);
    if (!made)
        return br_fail_memory(diag);
    memcpy(made, text, open);
    /* Replaces a blank, so that columns stay the same, too. */
    size_t at = open && text[open - 1] == ' ' ? open - 1 : open;
    made[at++] = '{';
    memcpy(made + at, text + open, end - open);
    at += end - open;
    made[at++] = '}';
    assert(open <= end && end <= size && at <= end + 2);
    memcpy(made + at, text + end, size - end + 1);
    several->joined = true;
    several->text = made;
    br_dot_scan_finish(several->scan);
    return br_dot_scan(made, (struct br_pos){1, 1}, several->scan) ? BR_OK : br_fail_memory(diag);
}

enum br_status br_dot_several_init(struct br_dot_several *several, char *text, const char *wanted,
                                   struct br_dot_scan *scan, struct br_diag *diag)
{
    *several = (struct br_dot_several){.text = text, .number = 1, .scan = scan};
    enum br_status status = BR_OK;
    const bool all = wanted && strcmp(wanted, "all") == 0;
    if (!br_dot_scan(text, (struct br_pos){1, 1}, scan))
        return br_fail_memory(diag);
    if (wanted && !all)
        status = find_graph(several, wanted, diag);
    if (!status && !add_title(several))
        status = br_fail_memory(diag);
    if (!status && all && scan->rest == BR_DOT_GRAPH)
        status = join_graphs(several, diag);
    return status;
}

void br_dot_several_finish(struct br_dot_several *several)
{
    for (uint32_t k = 0; k < several->titles; k++)
        free(several->title[k]);
    free(several->title);
    free(several->made);
}

enum br_status br_dot_refuse_several(struct br_dot_several *several, struct br_diag *diag)
{
    char hint[BR_DOT_LISTED + 80];
    const struct br_pos second = several->scan->rest_pos;
    enum br_status status = find_graph(several, NULL, diag);
    if (status)
        return status;
    snprintf(hint, sizeof hint,
             "choose one by --graph, join them by --graph all, or split the file: %s",
             several->names);
    return br_fail_at(diag, second, BR_BAD_INPUT, hint, "the file holds more than one graph");
}
