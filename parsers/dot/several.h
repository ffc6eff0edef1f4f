/* The graphs of a file, one after the other: one is chosen, or all are joined into one text.
 *
 * When joined, each graph becomes a group of one graph around them, so that its declarations for
 * nodes do not apply to the next, and nodes of equal names are one. Every line keeps its number. */
#ifndef BR_PARSERS_DOT_SEVERAL_H
#define BR_PARSERS_DOT_SEVERAL_H

#include "parsers/dot/scan.h"

enum { BR_DOT_LISTED = 200 };

struct br_dot_several {
    char *text;               /* of the graph to read, with the text after it */
    struct br_dot_scan *scan; /* of that text */
    uint32_t number;          /* of the graph, from 1 on */
    char names[BR_DOT_LISTED];
    uint32_t titles, room;
    char **title; /* of the graphs read */
    bool joined;
    char *made; /* the joined text; NULL: none */
};

/* Scans the text, which is borrowed and may be changed, and moves to the graph of that name or
 * number; "all": joins them; NULL: stays at the first. Released by br_dot_several_finish, also on
 * failure; the scan is the caller's to finish. */
enum br_status br_dot_several_init(struct br_dot_several *several, char *text, const char *wanted,
                                   struct br_dot_scan *scan, struct br_diag *diag);
void br_dot_several_finish(struct br_dot_several *several);
/* Another graph follows, and none was chosen. */
enum br_status br_dot_refuse_several(struct br_dot_several *several, struct br_diag *diag);

#endif
