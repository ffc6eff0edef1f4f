/* The guard before cgraph, which also finds the places of nodes and edges.
 *
 * cgraph takes any text: every node and every edge gets room for every attribute that any of them
 * has, an arrow between two groups of nodes becomes as many edges as their product, subgraphs nest
 * until the stack overflows, and cgraph crashes when memory is out. So the text is scanned once
 * before cgraph reads it, and everything that grows is counted. The scan sees every node and arrow,
 * and records their places, which cgraph does not report. On a job of 20,000 stages the guard takes
 * 9 % of the instructions of reading and writing the job, cgraph 44 %, and the places less than 2
 * %. */
#ifndef BR_PARSERS_DOT_SCAN_H
#define BR_PARSERS_DOT_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text/diag.h"

/* A node in a statement, outside of attribute lists. */
struct br_dot_mention {
    const char *id; /* as written in the text */
    uint32_t length;
    bool after_arrow; /* an edge leads here from the previous mention */
    struct br_pos pos;
};

/* "a:b" outside of quotation marks: a place on the node of a mention. */
struct br_dot_port {
    uint32_t mention;
    const char *name; /* as written */
    uint32_t length;
};

/* The text after the first graph: blanks and comments, another graph, or other text. Or a fault in
 * the graph or after it: open quotes, an open comment or open angle brackets, or a # within a line.
 */
enum br_dot_rest { BR_DOT_NOTHING, BR_DOT_GRAPH, BR_DOT_STRAY, BR_DOT_OPEN, BR_DOT_HASH };

struct br_dot_scan {
    uint32_t mentions;
    struct br_dot_mention *mention; /* in the order of the text */
    uint32_t ports;
    struct br_dot_port *port;
    uint32_t empties;
    uint32_t *empty; /* mentions of nodes whose statement gives them an empty label */
    uint32_t directives;
    size_t *directive;           /* bytes to each line such as # 40 "file" */
    bool brackets;               /* some id stands in angle brackets */
    uint32_t names;              /* distinct names of attributes */
    uint64_t edges;              /* upper limit */
    uint32_t depth;              /* deepest nesting of braces */
    struct br_pos begin;         /* of the text */
    struct br_dot_mention title; /* the graph's name; no length: none */
    size_t open;                 /* bytes to the brace that opens the graph, or to the end */
    size_t length;               /* bytes to the end of the first graph, or of the text */
    struct br_pos end_pos;       /* of that end */
    enum br_dot_rest rest;       /* behind that */
    struct br_pos rest_pos;
    /* The first number that continues as a word, such as 1_map, which cgraph takes for two names;
     * NULL: none. */
    const char *number;
    uint32_t number_length;
    struct br_pos number_pos;
};

/* Scans a NUL-terminated text, which is borrowed and begins at that place of its file; it may be
 * invalid DOT. False when memory is out. Release by br_dot_scan_finish in both cases. O(n log n).
 */
bool br_dot_scan(const char *text, struct br_pos begin, struct br_dot_scan *scan);
void br_dot_scan_finish(struct br_dot_scan *scan);
/* Turns the directives of the text, which is that of the scan, into plain comments: cgraph would
 * count lines from them on, but people look for a fault in this file. */
void br_dot_scan_silence(const struct br_dot_scan *scan, char *text);
/* The id that a mention stands for, without quotes, into a buffer of length + 1 bytes. */
void br_dot_unquote(const struct br_dot_mention *mention, char *id);

#endif
