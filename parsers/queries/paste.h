/* Plans that people have copied: traces of mail, comments, line numbers and terminals. */
#ifndef BR_PARSERS_QUERIES_PASTE_H
#define BR_PARSERS_QUERIES_PASTE_H

#include <stdbool.h>
#include <stddef.h>

/* The text after blanks and lines of comments: "-- ...", "# ..." and C's. */
const char *br_paste_begin(const char *text);
/* Does a line of the text have the figures of a node? */
bool br_paste_has_figures(const char *text);
/* Number of characters in a line. */
size_t br_paste_width(const char *line);
/* Removes, in place, comments before the plan, a mail's ">" and numbers before lines, and joins
 * lines broken by a terminal. The number of lines stays the same. O(length). */
void br_paste_clean(char *text);
/* Does some line begin with a tab, or with blanks and a tab? */
bool br_paste_has_tabs(const char *text);
/* A copy in which tabs before a line's text are blanks, by the k-th known width; the caller's.
 * NULL: memory is out, or, with *known false, there are no more widths. */
char *br_paste_expand(const char *text, unsigned k, bool *known);

#endif
