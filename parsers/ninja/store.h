/* Calls by which the reader of build.ninja fills its tables. Texts passed in are already in the
 * arena. All return false when memory is out. */
#ifndef BR_PARSERS_NINJA_STORE_H
#define BR_PARSERS_NINJA_STORE_H

#include "parsers/ninja/ninja.h"

/* Adds the contents of every build: the outermost scope, the rule "phony", the pool "console". */
bool br_ninja_init(struct br_ninja *ninja);
bool br_ninja_add_scope(struct br_ninja *ninja, uint32_t parent, uint32_t *scope);
bool br_ninja_set_variable(struct br_ninja *ninja, uint32_t scope, const char *name,
                           const char *value);
/* *rule is UINT32_MAX if the scope has one of that name. */
bool br_ninja_add_rule(struct br_ninja *ninja, uint32_t scope, const char *name, uint32_t *rule);
bool br_ninja_add_pool(struct br_ninja *ninja, const char *name, uint32_t depth);
/* Also finds an existing one. */
bool br_ninja_add_node(struct br_ninja *ninja, const char *path, uint32_t *node);
/* Appends nodes to an edge's run. */
bool br_ninja_extend(struct br_ninja *ninja, uint32_t edge, enum br_ninja_run run,
                     const uint32_t *node, uint32_t count);

#endif
