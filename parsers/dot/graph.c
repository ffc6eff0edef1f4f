/* The interface to cgraph: its input and its messages.
 *
 * cgraph's reader keeps its state in static variables, so one lock serves all readers. The scan
 * (scan.h) has cut off the text after the graph and has checked that nothing is open there, or the
 * next text would be read as the rest of this one. */
#include "parsers/dot/graph.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"

static pthread_mutex_t cgraph_lock = PTHREAD_MUTEX_INITIALIZER;
static char cgraph_fault[600]; /* under the lock: cgraph's first message */

void br_dot_graph_lock(void)
{
    pthread_mutex_lock(&cgraph_lock);
}

void br_dot_graph_unlock(void)
{
    pthread_mutex_unlock(&cgraph_lock);
}

/* Longest message of cgraph without the word that it names. */
enum { FAULT_WORDS = 400 };

/* cgraph hands on "Error", ": " and the text, piece by piece. */
static int on_fault(char *piece)
{
    size_t used = strlen(cgraph_fault);
    snprintf(cgraph_fault + used, sizeof cgraph_fault - used, "%s", piece);
    return 0;
}

/* cgraph formats a message into a buffer that it keeps. If that is too small, it grows, and cgraph
 * 2.42 formats a second time with arguments that the first time has used up: the message is
 * garbage, or cgraph crashes. A message names no more than the text holds. So a message without
 * arguments first grows the buffer to the size of the text, before cgraph reads it. Returns false
 * when memory is out. */
static bool grow_fault_buffer(const char *text)
{
    static size_t grown = 1024; /* under the lock: cgraph's initial size */
    size_t size = strlen(text) + FAULT_WORDS;
    if (size < grown)
        return true;
    /* The reserve is the room that cgraph asks for. */
    char *filler = malloc(size + 1), *reserve = filler ? malloc(2 * size) : NULL;
    if (!reserve) {
        free(filler);
        return false;
    }
    free(reserve);
    memset(filler, '-', size);
    filler[size] = 0;
    cgraph_fault[0] = 0;
    agerrlevel_t level = agseterr(AGWARN); /* a warning, so that agerrors() counts no error */
    agerr(AGWARN, filler);
    agseterr(level);
    free(filler);
    /* If a message does not fit, on_fault gets only its level. */
    bool heard = strstr(cgraph_fault, "--") != NULL;
    if (heard)
        grown = size;
    return heard;
}

struct text_channel {
    const char *at;
    size_t left;
};

static int dot_graph_on_read(void *channel, char *to, int size)
{
    struct text_channel *text = channel;
    size_t room = size > 0 ? (size_t)size : 0, length = text->left < room ? text->left : room;
    memcpy(to, text->at, length);
    text->at += length;
    text->left -= length;
    return (int)length;
}

/* "Error: syntax error in line 3 near '}'" with the line taken out. */
static enum br_status refuse_syntax(const struct br_dot_scan *scan, struct br_diag *diag)
{
    struct br_pos pos = {0, 0};
    char *text = cgraph_fault, *line = strstr(text, " in line ");
    if (strncmp(text, "Error: ", 7) == 0)
        text += 7;
    if (line) {
        char *rest;
        unsigned long number = strtoul(line + 9, &rest, 10);
        pos.line = number && number <= UINT32_MAX - scan->begin.line
                       ? (uint32_t)number + scan->begin.line - 1
                       : 0;
        memmove(line, rest, strlen(rest) + 1);
    }
    char *extra = strstr(text, " (missing");
    if (extra)
        *extra = 0;
    text[strcspn(text, "\n")] = 0;
    size_t length = strlen(text);
    while (length && text[length - 1] == ' ')
        text[--length] = 0;
    return br_fail_at(diag, pos, BR_BAD_INPUT, "the text has to be a digraph in the DOT language",
                      "%s", length ? text : "there is no graph");
}

/* Reads to the end of the text or the first fault: unread text stays in cgraph's buffer. */
static Agraph_t *dot_graph_read_text(struct text_channel channel)
{
    Agiodisc_t io = {.afread = dot_graph_on_read};
    Agdisc_t disciplines = {.id = &AgIdDisc, .io = &io};
    cgraph_fault[0] = 0;
#ifdef BR_CGRAPH_COUNTS_ON /* lines, from one text to the next */
    agreadline(1);
#endif
    Agraph_t *graph = agread(&channel, &disciplines);
    for (Agraph_t *more = graph; more;) {
        more = agread(&channel, &disciplines);
        if (more)
            agclose(more);
    }
    return graph;
}

enum br_status br_dot_graph_read(const char *text, const struct br_dot_scan *scan, Agraph_t **graph,
                                 struct br_diag *diag)
{
    agusererrf outer = agseterrf(on_fault);
    agerrlevel_t level = agseterr(AGERR); /* warnings do not reach us */
    size_t mark = strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    enum br_status status = BR_OK;
    if (!grow_fault_buffer(text)) {
        status = br_fail_memory(diag);
    } else {
        *graph = dot_graph_read_text((struct text_channel){text + mark, scan->length - mark});
        if (!*graph || cgraph_fault[0])
            status = refuse_syntax(scan, diag);
    }
    agseterr(level);
    agseterrf(outer);
    return status;
}
