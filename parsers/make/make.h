/* The output of `make -n -p -w --trace --debug=basic` in tables. Internal to this room. */
#ifndef BR_PARSERS_MAKE_MAKE_H
#define BR_PARSERS_MAKE_MAKE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/collections/arena.h"
#include "base/collections/index.h"
#include "base/text/diag.h"

#define BR_MAKE_NONE UINT32_MAX

/* One process of make: the first, or one that a recipe calls. */
struct br_make_level {
    const char *folder; /* absolute */
    bool marked;        /* its output stands between BR_MAKE_BEGINS and BR_MAKE_ENDS */
    const char *shell, *flags;
    uint32_t depth, version;                 /* of make: 404 is 4.4; 0: not said */
    uint32_t first_recipe, last_recipe;      /* in the order of output, by `next`; NONE: none */
    uint32_t first_variable, variables;      /* of its recipes' environment */
    bool serial, one_shell, delete_on_error; /* .NOTPARALLEL, .ONESHELL, .DELETE_ON_ERROR */
    bool told;                               /* its database has been read */
};

/* A target of a level's database, or one statement of a target with "::". */
struct br_make_entry {
    uint32_t level;
    const char *name;
    uint32_t first_name, names; /* its prerequisites, order-only ones after a "|", and ".WAIT" */
    uint32_t first_also, also;  /* other targets that its recipe makes */
    const char *text;           /* its recipe, before variables; NULL: none */
    uint32_t next;              /* statement of the same target; NONE: none */
    uint32_t recipe;            /* its recipe; NONE: nothing is to be done for it */
    uint32_t seen;              /* 1 + the stage for which it was last looked through */
    bool phony, intermediate;
    bool considered; /* make has considered it for the requested targets */
};

enum br_make_kind { BR_MAKE_LINE, BR_MAKE_LEVEL };
/* An item printed by a recipe: a line, which may be several with backslashes, or the call of a
 * make. */
struct br_make_item {
    enum br_make_kind kind;
    const char *text;
    uint32_t level;
    uint32_t next;
    bool ignored; /* filled later: its failure does not count */
    bool calls;   /* it called make */
    bool noise;   /* it is no command, but the output of one */
};

/* The recipe waits for the names of an entry's list before a .WAIT, or for the entry. */
struct br_make_wait {
    uint32_t entry, name; /* NONE: the entry itself */
    uint32_t next;        /* of the recipe */
};

/* A recipe that make would run. */
struct br_make_recipe {
    uint32_t level;
    const char *target;
    uint32_t first, last; /* items; NONE: none */
    uint32_t entry;       /* NONE: none */
    uint32_t next;        /* of the level */
    uint32_t line;        /* of the output */
    uint32_t stage;       /* the stage at whose end it is done; NONE: none yet */
    uint32_t wait;        /* the first; NONE: none */
};

struct br_make {
    struct br_arena arena;
    char *text; /* of the output, cut into pieces */
    struct br_make_level *level;
    struct br_make_entry *entry;
    struct br_make_recipe *recipe;
    struct br_make_item *item;
    struct br_make_wait *wait;
    const char **name;     /* of entries */
    const char **variable; /* "NAME=value" */
    uint32_t levels, entries, recipes, items, names, variables, waits;
    uint32_t level_room, entry_room, recipe_room, item_room, name_room, variable_room, wait_room;
    struct br_index by_name; /* entries, by level and name; the first of several */
};

/* A database that is being read. */
struct br_make_database {
    struct br_make *make;
    uint32_t level;
    uint32_t entry;       /* the one that continues; NONE: none */
    const char *named;    /* "T: ", the start of a target's variable; NULL: none */
    size_t named_length;  /* "T:" */
    bool targets;         /* else variables */
    bool definition;      /* within a "define" */
    bool origin;          /* the next line is a variable */
    bool not_a_target;    /* the next entry is only a file */
    bool in_recipe, open; /* open: its last line ends with a backslash */
};

void br_make_begin_database(struct br_make_database *database, struct br_make *make, uint32_t level,
                            uint32_t version);
enum br_status br_make_read_database(struct br_make_database *database, char *line,
                                     struct br_diag *diag);
/* Adds the entry after the last one to the others. False when memory is out. */
bool br_make_add_entry(struct br_make *make);
/* Is it a file's name, not a mark in a list of them? */
bool br_make_is_file(const char *name);
bool br_make_begins(const char *line, const char *with);
/* Is it a name of a make-like program: "make", "gmake", "make-4.3", "our-make"? */
bool br_make_is_name(const char *word, size_t size);
/* Does it end with an odd number of backslashes? */
bool br_make_ends_open(const char *line);

/* Reads the text, which is the result's to free, also on failure; after a failure nothing else
 * needs finishing. */
enum br_status br_make_read(struct br_make *make, char *text, struct br_diag *diag);
void br_make_finish(struct br_make *make);
/* The level's target, or NONE. O(1) expected. */
uint32_t br_make_find(const struct br_make *make, uint32_t level, const char *name);

/* Marks which of the recipe's lines are commands, and whose failure does not count. False if that
 * is unknown: among them stands the output of a command that calls make. */
bool br_make_sort_lines(struct br_make *make, uint32_t recipe);
/* Does the recipe call make, as its Makefile has it, or as make has printed it? */
bool br_make_calls(const struct br_make *make, uint32_t recipe);
/* Is the line only a call of make, perhaps in another folder? */
bool br_make_is_call(const char *line);
/* Does the line call make by its bare name, so that a function of that name can stand for it? */
bool br_make_is_bare(const char *line);

#endif
