/* The matrix of a job of GitHub's: every combination of the values of its keys, without those that
 * `exclude` names, and with those that `include` adds. An entry of `include` that agrees with a
 * combination in all keys of the matrix only adds values to it. */
#include "parsers/pipelines/pipeline.h"

#include <string.h>

/* GitHub makes at most 256. */
enum { KEYS_MOST = 32, COMBINATIONS_MOST = 4096 };

struct matrix {
    struct br_tree *tree;
    uint32_t keys;
    const char *key[KEYS_MOST];
    br_tree_node values[KEYS_MOST];
    uint32_t at[KEYS_MOST]; /* the values of the combination */
};

/* The value of the key in the combination; NULL: it is not among the keys, or no text. */
static const char *matrix_value(const struct matrix *matrix, const char *key, bool *known)
{
    *known = false;
    for (uint32_t k = 0; k < matrix->keys; k++)
        if (key && strcmp(matrix->key[k], key) == 0) {
            *known = true;
            return br_tree_text(matrix->tree,
                                br_tree_item(matrix->tree, matrix->values[k], matrix->at[k]));
        }
    return NULL;
}

/* Does the entry say nothing else than the combination? `all`: keys that the matrix does not have
 * count. */
static bool entry_agrees(const struct matrix *matrix, br_tree_node entry, bool all)
{
    bool agrees = true, known;
    for (uint32_t k = 0; k < br_tree_count(matrix->tree, entry) && agrees; k++) {
        const char *value = matrix_value(matrix, br_tree_key(matrix->tree, entry, k), &known);
        const char *said = br_tree_text(matrix->tree, br_tree_item(matrix->tree, entry, k));
        agrees = known ? value && said && strcmp(value, said) == 0 : !all;
    }
    return agrees;
}

static bool next_combination(struct matrix *matrix)
{
    for (uint32_t k = matrix->keys; k-- > 0;) {
        if (++matrix->at[k] < br_tree_count(matrix->tree, matrix->values[k]))
            return true;
        matrix->at[k] = 0;
    }
    return false;
}

/* Combinations that are left; *agrees: the entry agrees with one of them. */
static uint32_t count_combinations(struct matrix *matrix, br_tree_node exclude, br_tree_node entry,
                                   bool *agrees)
{
    uint32_t count = 0;
    memset(matrix->at, 0, sizeof matrix->at);
    *agrees = false;
    do {
        bool out = false;
        for (uint32_t k = 0; k < br_tree_count(matrix->tree, exclude) && !out; k++)
            out = entry_agrees(matrix, br_tree_item(matrix->tree, exclude, k), true);
        count += !out;
        *agrees |= !out && entry && entry_agrees(matrix, entry, false);
    } while (next_combination(matrix) && count < COMBINATIONS_MOST);
    return count;
}

uint32_t br_pipeline_matrix(struct br_tree *tree, br_tree_node node)
{
    struct matrix matrix = {.tree = tree};
    br_tree_node include = br_tree_get(tree, node, "include");
    br_tree_node exclude = br_tree_get(tree, node, "exclude");
    bool agrees;
    if (!br_tree_is_map(tree, node) || br_tree_text(tree, include) || br_tree_text(tree, exclude))
        return 0;
    for (uint32_t k = 0; k < br_tree_count(tree, node) && matrix.keys < KEYS_MOST; k++) {
        const char *key = br_tree_key(tree, node, k);
        br_tree_node values = br_tree_item(tree, node, k);
        if (!key || strcmp(key, "include") == 0 || strcmp(key, "exclude") == 0)
            continue;
        if (!br_tree_is_list(tree, values) || br_tree_count(tree, values) == 0)
            return 0;
        matrix.key[matrix.keys] = key;
        matrix.values[matrix.keys++] = values;
    }
    uint32_t count = matrix.keys ? count_combinations(&matrix, exclude, 0, &agrees) : 0;
    for (uint32_t k = 0; k < br_tree_count(tree, include); k++) {
        agrees = false;
        if (matrix.keys)
            count_combinations(&matrix, exclude, br_tree_item(tree, include, k), &agrees);
        count += !agrees;
    }
    return count;
}
