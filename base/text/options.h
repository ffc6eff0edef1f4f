/* The option table: one row per option, from which the parser, the help texts and other lists of
 * options (completions, manual pages) are made.
 *
 * A row has the option's spelling, the sub-commands that take it, and the member of the program's
 * settings (a plain struct) for its value. Accepted forms: "--name value", "--name=value", "-x
 * value", "-xvalue", flags together as "-vq"; options and positional arguments in any order; "--"
 * ends the options; "-" is a positional argument. The last of two equal options counts.
 */
#ifndef BR_BASE_TEXT_OPTIONS_H
#define BR_BASE_TEXT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text/diag.h"
#include "base/text/list.h"
#include "base/text/named.h"

/* The kind of the value, and the type of the settings' member that receives it. */
enum br_option_kind {
    BR_OPTION_FLAG,   /* bool: true if given; takes no value */
    BR_OPTION_SWITCH, /* int: 1 for --name, -1 for --no-name, unchanged if not given */
    BR_OPTION_TEXT,   /* const char *: borrowed from the arguments */
    BR_OPTION_PATH,   /* const char *: a file or folder that is kept, so not "-" */
    BR_OPTION_NAME,   /* const char *: the name of one of the rows, which it borrows */
    BR_OPTION_CHOICE, /* uint32_t or an enum: the number of one of the rows; BR_NO_ROW: not given */
    BR_OPTION_COUNT,  /* uint64_t: a whole number within least..most */
    BR_OPTION_SECONDS, /* int64_t: seconds on the command line, nanoseconds >= 0 here */
    BR_OPTION_AMOUNT,  /* struct br_decimal: above 0, with the suffixes k, M, G, KiB, ... */
    BR_OPTION_REAL,    /* double: a number within low..high; NAN: not given */
    BR_OPTION_PAIR,    /* struct br_option_pair: A or A:B, both within low..high */
    BR_OPTION_LIST,    /* const char *: entries of one form, for br_list_next */
};

/* One or two numbers. */
struct br_option_pair {
    double first, second; /* NAN: not given */
};

struct br_option {
    const char *name;     /* without the dashes; NULL ends the table */
    const char *argument; /* name of the value in help; NULL if it takes none */
    const char *help;     /* a phrase without a full stop */
    uint32_t commands;    /* bit set of the sub-commands that take it */
    enum br_option_kind kind;
    char letter;                  /* short form; 0 if there is none */
    size_t offset;                /* of the member of the settings */
    uint64_t least, most;         /* of a count */
    double low, high;             /* of a real, and of the numbers of a pair or a list */
    bool above;                   /* `low` itself is out of this range */
    bool whole;                   /* numbers of a list are digits alone */
    bool rising;                  /* first numbers of a list rise */
    enum br_list_form list;       /* of a list, which has at most `most` entries; 0: any number */
    const char *example;          /* a usual value, for hints; NULL: none */
    const struct br_names *rows;  /* of a name or a choice; of a list's words, for help alone */
    const struct br_names *names; /* of a list's entries; NULL: any */
};

/* Sets the members of choices, reals and pairs to BR_NO_ROW and NAN: not given. */
void br_options_clear(const struct br_option *table, void *settings);
/* Writes it as "A" or "A:B". */
void br_pair_format(struct br_option_pair pair, char *text, size_t size);
/* Changes *value to the number that is given, if there is one. */
void br_option_take(double given, double *value);

/* Sorts the arguments into the settings and the positional arguments, which have room for `room`.
 * Faults (unknown option, missing or wrong value, too many arguments) are BR_USAGE, with the
 * nearest known word in the hint. `command` has one bit of br_option.commands set. */
enum br_status br_options_parse(const struct br_option *table, uint32_t command, int arguments,
                                char *const *argument, void *settings, const char **positional,
                                uint32_t room, uint32_t *positionals, struct br_diag *diag);

/* The number of a policy written "name=number": `text` is the part after the name, either empty,
 * which leaves *number unchanged, or the sign and the number. `wanted` describes the number; NULL:
 * the policy takes none. BR_USAGE. */
enum br_status br_policy_number(const char *name, const char *wanted, const char *text,
                                double *number, struct br_diag *diag);

#endif
