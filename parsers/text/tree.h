/* A YAML text as a tree, by libyaml: for files that people write, with anchors, aliases and merge
 * keys, of which any part may be asked for at any time. */
#ifndef BR_PARSERS_TEXT_TREE_H
#define BR_PARSERS_TEXT_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text/diag.h"

struct br_tree;

/* A node; 0 is none, and every call takes it as an empty one. */
typedef int br_tree_node;

/* Reads the first document of the text, which is UTF-8. NULL after a fault, which is in the
 * diagnostic with its place: texts that are no YAML, and an empty one. */
struct br_tree *br_tree_read(const char *text, size_t size, struct br_diag *diag);
void br_tree_destroy(struct br_tree *tree);

br_tree_node br_tree_root(struct br_tree *tree);
/* The text of a scalar; NULL for all else. Borrowed. */
const char *br_tree_text(struct br_tree *tree, br_tree_node node);
bool br_tree_is_map(struct br_tree *tree, br_tree_node node);
bool br_tree_is_list(struct br_tree *tree, br_tree_node node);
/* The number of a list's items or of a mapping's pairs. */
uint32_t br_tree_count(struct br_tree *tree, br_tree_node node);
/* The item, or the value of the pair. */
br_tree_node br_tree_item(struct br_tree *tree, br_tree_node node, uint32_t k);
/* The key of the pair; NULL if it is no scalar. */
const char *br_tree_key(struct br_tree *tree, br_tree_node node, uint32_t k);
/* The value of that key in a mapping, or in those that it merges by "<<"; of two the last. */
br_tree_node br_tree_get(struct br_tree *tree, br_tree_node node, const char *key);
/* The text of that value, NULL if it has none. */
const char *br_tree_get_text(struct br_tree *tree, br_tree_node node, const char *key);
struct br_pos br_tree_pos(struct br_tree *tree, br_tree_node node);

#endif
