/* Plans that people have copied from somewhere: what mail, comments, numbers and terminals leave.
 */
#ifndef BR_PARSERS_QUERIES_PASTE_H
#define BR_PARSERS_QUERIES_PASTE_H

#include <stdbool.h>
#include <stddef.h>

/* The text behind blanks and lines of comments: "-- ...", "# ..." and C's. */
const char *br_paste_begin(const char *text);
/* Has some line of the text the figures of a node? */
bool br_paste_has_figures(const char *text);
/* Characters of a line. */
size_t br_paste_width(const char *line);
/* Takes away, in place, comments before the plan, a mail's ">" and numbers before lines, and joins
 * lines that a terminal has broken. There are as many lines as before. O(length). */
void br_paste_clean(char *text);
/* Does some line begin with a tab, or with blanks and a tab? */
bool br_paste_has_tabs(const char *text);
/* A copy in which tabs before a line's text are blanks, by the k-th way of those that there are;
 * the caller's. NULL: memory is out, or, with *known false, there are no more ways. */
char *br_paste_expand(const char *text, unsigned k, bool *known);

#endif
