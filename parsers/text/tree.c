#include "parsers/text/tree.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { MERGED_MOST = 20 };

struct br_tree {
    yaml_document_t document;
};

static struct br_pos tree_place(yaml_mark_t mark)
{
    return (struct br_pos){(uint32_t)mark.line + 1, (uint32_t)mark.column + 1};
}

struct br_tree *br_tree_read(const char *text, size_t size, struct br_diag *diag)
{
    yaml_parser_t parser;
    struct br_tree *tree = calloc(1, sizeof *tree);
    if (!tree || !yaml_parser_initialize(&parser)) {
        free(tree);
        br_fail_memory(diag);
        return NULL;
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    const bool read = yaml_parser_load(&parser, &tree->document);
    if (!read && parser.error == YAML_MEMORY_ERROR)
        br_fail_memory(diag);
    else if (!read)
        br_fail_at(diag, tree_place(parser.problem_mark), BR_BAD_INPUT, NULL,
                   "this is no YAML: %.100s", parser.problem ? parser.problem : "it ends early");
    yaml_parser_delete(&parser);
    if (!read) {
        free(tree);
        return NULL;
    }
    if (br_tree_root(tree))
        return tree;
    br_tree_destroy(tree);
    br_fail_at(diag, BR_NO_POS, BR_BAD_INPUT, NULL, "the document is empty");
    return NULL;
}

void br_tree_destroy(struct br_tree *tree)
{
    if (!tree)
        return;
    yaml_document_delete(&tree->document);
    free(tree);
}

static yaml_node_t *tree_node(struct br_tree *tree, br_tree_node node)
{
    return node > 0 ? yaml_document_get_node(&tree->document, node) : NULL;
}

br_tree_node br_tree_root(struct br_tree *tree)
{
    return yaml_document_get_root_node(&tree->document) ? 1 : 0; /* the first is the root */
}

const char *br_tree_text(struct br_tree *tree, br_tree_node node)
{
    const yaml_node_t *found = tree_node(tree, node);
    return found && found->type == YAML_SCALAR_NODE ? (const char *)found->data.scalar.value : NULL;
}

bool br_tree_is_map(struct br_tree *tree, br_tree_node node)
{
    const yaml_node_t *found = tree_node(tree, node);
    return found && found->type == YAML_MAPPING_NODE;
}

bool br_tree_is_list(struct br_tree *tree, br_tree_node node)
{
    const yaml_node_t *found = tree_node(tree, node);
    return found && found->type == YAML_SEQUENCE_NODE;
}

uint32_t br_tree_count(struct br_tree *tree, br_tree_node node)
{
    const yaml_node_t *found = tree_node(tree, node);
    if (found && found->type == YAML_MAPPING_NODE)
        return (uint32_t)(found->data.mapping.pairs.top - found->data.mapping.pairs.start);
    if (found && found->type == YAML_SEQUENCE_NODE)
        return (uint32_t)(found->data.sequence.items.top - found->data.sequence.items.start);
    return 0;
}

br_tree_node br_tree_item(struct br_tree *tree, br_tree_node node, uint32_t k)
{
    const yaml_node_t *found = tree_node(tree, node);
    if (k >= br_tree_count(tree, node))
        return 0;
    return found->type == YAML_MAPPING_NODE ? found->data.mapping.pairs.start[k].value
                                            : found->data.sequence.items.start[k];
}

const char *br_tree_key(struct br_tree *tree, br_tree_node node, uint32_t k)
{
    const yaml_node_t *found = tree_node(tree, node);
    return k < br_tree_count(tree, node) && found->type == YAML_MAPPING_NODE
               ? br_tree_text(tree, found->data.mapping.pairs.start[k].key)
               : NULL;
}

/* Aliases may lead back to where the search began. */
static br_tree_node find_merged(struct br_tree *tree, br_tree_node node, const char *key,
                                uint32_t depth)
{
    br_tree_node merged = 0, found = 0;
    if (depth > MERGED_MOST || !br_tree_is_map(tree, node))
        return 0;
    for (uint32_t k = br_tree_count(tree, node); k-- > 0;) {
        const char *name = br_tree_key(tree, node, k);
        if (name && strcmp(name, key) == 0)
            return br_tree_item(tree, node, k);
        if (name && strcmp(name, "<<") == 0 && !merged)
            merged = br_tree_item(tree, node, k);
    }
    if (!br_tree_is_list(tree, merged))
        return find_merged(tree, merged, key, depth + 1);
    for (uint32_t k = 0; k < br_tree_count(tree, merged) && !found; k++)
        found = find_merged(tree, br_tree_item(tree, merged, k), key, depth + 1);
    return found;
}

br_tree_node br_tree_get(struct br_tree *tree, br_tree_node node, const char *key)
{
    return find_merged(tree, node, key, 0);
}

const char *br_tree_get_text(struct br_tree *tree, br_tree_node node, const char *key)
{
    return br_tree_text(tree, br_tree_get(tree, node, key));
}

struct br_pos br_tree_pos(struct br_tree *tree, br_tree_node node)
{
    const yaml_node_t *found = tree_node(tree, node);
    return found ? tree_place(found->start_mark) : BR_NO_POS;
}
