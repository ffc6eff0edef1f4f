/* Rows of tables that users choose from by name: policies, formats, engines, kinds of jobs. A table
 * is shown once, as a struct br_names; the parser of options, helps, manual pages, completions and
 * messages about unknown names are made from that.
 */
#ifndef BR_BASE_TEXT_NAMED_H
#define BR_BASE_TEXT_NAMED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text/diag.h"

/* The first member of every such row. */
struct br_named {
    const char *name;
    const char *summary; /* a phrase without a full stop; NULL: there is none */
};

/* A table of rows, each of which begins with a struct br_named. They are numbered from 0. */
struct br_names {
    const void *first;
    uint32_t count;
    uint32_t size; /* of a row, in bytes */
    bool pointers; /* the array holds pointers to rows */
    /* Instead of these: several such tables one behind the other, and NULL. They do not nest. */
    const struct br_names *const *tables;
};
#define BR_NAMES(TABLE)                                                                            \
    .first = (TABLE), .count = sizeof(TABLE) / sizeof *(TABLE), .size = sizeof *(TABLE)
#define BR_NO_ROW UINT32_MAX

/* Row k; NULL past the end. The second gives its name alone. */
const struct br_named *br_named_at(const struct br_names *rows, uint32_t k);
const char *br_named_name(const struct br_names *rows, uint32_t k);
/* The number of the row with this name; BR_NO_ROW if there is none. The second looks for the first
 * `length` bytes of a text. */
uint32_t br_named_find(const struct br_names *rows, const char *name);
uint32_t br_named_find_part(const struct br_names *rows, const char *text, size_t length);
/* The name that is nearest to that part, if a typing error explains the difference; else NULL. */
const char *br_named_near(const struct br_names *rows, const char *text, size_t length);
/* All names with ", " between them; if they do not fit, those that do and "...". */
void br_named_list(const struct br_names *rows, char *text, size_t size);

/* The fault that no row has the name given by the first `length` bytes of `text` (SIZE_MAX: all):
 * BR_USAGE, described as by printf. The hint is the nearest name, or else all of them. */
#define br_fail_unnamed(diag, rows, text, length, ...)                                             \
    (br_note_unnamed((diag), (rows), (text), (length), __VA_ARGS__), br_given_status(BR_USAGE))
void br_note_unnamed(struct br_diag *diag, const struct br_names *rows, const char *text,
                     size_t length, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* The nearest of several words to the one typed: start with the word alone, offer the candidates,
 * read `best` (NULL if none is near enough). Ties: the first offered. */
struct br_suggestion {
    const char *word;
    const char *best;
    uint32_t distance;
};
void br_suggestion_offer(struct br_suggestion *suggestion, const char *candidate);

/* Number of insertions, deletions, replacements and swaps of neighbours from a to b (the optimal
 * string alignment distance); words are cut after 63 bytes. */
uint32_t br_edit_distance(const char *a, const char *b);

#endif
