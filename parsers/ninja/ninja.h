/* A build.ninja as ninja reads it: rules, scopes of variables, pools, and the statements that build
 * files from files. The values of a rule are kept as written and expanded on request, since
 * variables have their values at the end of the file. Internal to this room. */
#ifndef BR_PARSERS_NINJA_NINJA_H
#define BR_PARSERS_NINJA_NINJA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/collections/arena.h"
#include "base/text/diag.h"
#include "base/collections/index.h"

/* Keys that a rule may set, and a statement instead of its rule. */
enum br_ninja_key {
    BR_NINJA_COMMAND,
    BR_NINJA_DEPFILE,
    BR_NINJA_DEPS,
    BR_NINJA_DESCRIPTION,
    BR_NINJA_DYNDEP,
    BR_NINJA_GENERATOR,
    BR_NINJA_MSVC_PREFIX,
    BR_NINJA_POOL,
    BR_NINJA_RESTAT,
    BR_NINJA_RSPFILE,
    BR_NINJA_RSPFILE_CONTENT,
    BR_NINJA_KEYS
};
extern const char *const br_ninja_key_name[BR_NINJA_KEYS];

/* A part of a file's text, with its escapes and variables. */
struct br_ninja_slice {
    const char *text; /* NULL: not given */
    size_t size;
};

struct br_ninja_rule {
    const char *name;
    uint32_t scope;
    struct br_ninja_slice binding[BR_NINJA_KEYS];
};

struct br_ninja_variable {
    const char *name, *value;
    uint32_t scope;
};

struct br_ninja_pool {
    const char *name;
    uint32_t depth; /* 0: no limit */
};

/* A file. */
struct br_ninja_node {
    const char *path;
    uint32_t producer; /* edge that builds it; UINT32_MAX: none */
    bool used;         /* by an edge, as an input or an order-only one; not as a validation */
};

/* The runs of an edge's files, in the order of its statement; the found runs are not part of it. */
enum br_ninja_run {
    BR_NINJA_OUT,
    BR_NINJA_IMPLICIT_OUT,
    BR_NINJA_DYNDEP_OUT, /* from a dyndep file (dyndep.h) */
    BR_NINJA_IN,
    BR_NINJA_IMPLICIT,
    BR_NINJA_ORDER_ONLY,
    BR_NINJA_FOUND, /* inputs listed by files: depfiles (found.h) and dyndep files */
    BR_NINJA_VALIDATION,
    BR_NINJA_RUNS
};

/* The state of a dyndep file's contents. */
enum br_ninja_dyndep { BR_NINJA_DYNDEP_NONE, BR_NINJA_DYNDEP_OPEN, BR_NINJA_DYNDEP_READ };

/* A build statement. */
struct br_ninja_edge {
    uint32_t rule;
    uint32_t scope;                    /* its own if it has bindings, else the file's */
    uint32_t first[BR_NINJA_RUNS + 1]; /* runs in br_ninja.path */
    uint32_t file;                     /* its file, and its place there */
    struct br_pos pos;
    enum br_ninja_dyndep dyndep; /* none until they are loaded */
    bool restat;                 /* says its dyndep file */
};

/* A file that was read; both are malloc's. */
struct br_ninja_file {
    char *path, *text;
};

/* A scope of variables for look-ups outside edges; the parent of each scope is older. */
struct br_ninja_scope {
    uint32_t parent; /* UINT32_MAX: none */
};

enum { BR_NINJA_PHONY = 0 /* the rule */, BR_NINJA_TOP = 0 /* the scope */ };

struct br_ninja {
    struct br_arena arena;
    struct br_ninja_file *file; /* the first is the build's own */
    uint32_t files, file_room;
    struct br_ninja_scope *scope;
    struct br_ninja_variable *variable;
    struct br_ninja_rule *rule;
    struct br_ninja_pool *pool;
    struct br_ninja_node *node;
    struct br_ninja_edge *edge;
    uint32_t *path;   /* nodes, by edge */
    uint32_t *target; /* nodes of "default" statements */
    uint32_t scopes, variables, rules, pools, nodes, edges, paths, targets;
    uint32_t scope_room, variable_room, rule_room, pool_room, node_room, edge_room, path_room,
        target_room;
    struct br_index by_path, by_variable, by_rule;
};

/* A text that grows. */
struct br_ninja_text {
    char *text; /* NUL-terminated once anything was added */
    uint32_t used, room;
};
bool br_ninja_add(struct br_ninja_text *to, const char *text, size_t size);
/* Replaces the text by the command of a statement's script; false when memory is out. */
bool br_ninja_command_of(const char *script, struct br_ninja_text *to);

/* Reads `file` of the folder, and what it includes, by their paths as seen from there. On failure
 * there is nothing to finish. */
enum br_status br_ninja_read(struct br_ninja *ninja, const char *folder, const char *file,
                             struct br_diag *diag);
/* Reads a dyndep file in this way, as a build in which all statements have the rule of that name.
 */
enum br_status br_ninja_read_dyndep(struct br_ninja *ninja, const char *folder, const char *file,
                                    struct br_diag *diag);
void br_ninja_finish(struct br_ninja *ninja);

/* The node of a path that is canonical already, or UINT32_MAX. O(1) expected. */
uint32_t br_ninja_find_node(const struct br_ninja *ninja, const char *path);
/* The edge that builds the path, or UINT32_MAX. */
uint32_t br_ninja_find_producer(const struct br_ninja *ninja, const char *path);
/* The statement is known by this path: no other may make it. */
const char *br_ninja_first_output(const struct br_ninja *ninja, uint32_t edge);
/* The variable in this very scope; NULL if there is none of that name. */
const char *br_ninja_find_variable(const struct br_ninja *ninja, uint32_t scope, const char *name);
/* The rule in the scope or an enclosing one, or UINT32_MAX. */
uint32_t br_ninja_find_rule(const struct br_ninja *ninja, uint32_t scope, const char *name);

/* How a text is expanded. */
enum br_ninja_form {
    BR_NINJA_VALUE,  /* paths in $in and $out quoted for a shell */
    BR_NINJA_PLAIN,  /* paths in $in and $out as they are */
    BR_NINJA_SOURCE, /* like a value, but escaped for a build.ninja, where $in_newline remains */
};

/* Adds the text to `to` with the variables of the scope expanded. */
enum br_status br_ninja_expand(const struct br_ninja *ninja, struct br_ninja_slice slice,
                               uint32_t scope, struct br_ninja_text *to, struct br_diag *diag);
/* Adds the edge's value for the key, from its statement or from its rule; nothing if neither has
 * one. */
enum br_status br_ninja_binding(const struct br_ninja *ninja, uint32_t edge, enum br_ninja_key key,
                                enum br_ninja_form form, struct br_ninja_text *to,
                                struct br_diag *diag);

/* The escape at `at` (a '$'): its length and, if it stands for a variable, the variable's name. 0
 * if it is none. For "$" at a line's end, the blanks that begin the next line count, too. */
size_t br_ninja_escape(const char *at, struct br_ninja_slice *name);

#endif
