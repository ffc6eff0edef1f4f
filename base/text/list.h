/* Lists of values with commas between them, as options take them. */
#ifndef BR_BASE_TEXT_LIST_H
#define BR_BASE_TEXT_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The form of an entry. A and B are numbers. */
enum br_list_form {
    BR_LIST_NAME_NUMBER,       /* NAME=A */
    BR_LIST_NAME_MAYBE_NUMBER, /* NAME or NAME=A */
    BR_LIST_NAME_PAIR,         /* NAME=A or NAME=A:B */
    BR_LIST_NUMBER,            /* A */
    BR_LIST_PAIR,              /* A:B */
    BR_LIST_PAIRS,             /* A:B; several lists, with '/' between them */
    BR_LIST_WORD,              /* any text */
};

struct br_list_entry {
    const char *name; /* not ended: `length` bytes, not 0; all of the entry if it has no name */
    size_t length;
    double value, second; /* NAN: not given */
    bool last;            /* of its list */
};

/* Reads the entry at *at, and moves to the end or the mark behind it. False if it is malformed. */
bool br_list_read(enum br_list_form form, const char **at, struct br_list_entry *entry);
/* The entry at *at, and moves on to the next one. False at the end. The text is one whose entries
 * br_list_read has let through, as the parser of options does. */
bool br_list_next(enum br_list_form form, const char **at, struct br_list_entry *entry);
/* Number of its entries, at least of those of its first list. */
uint32_t br_list_count(const char *list);

#endif
