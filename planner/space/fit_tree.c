/* An implicit binary tree of componentwise minima. */
#include "planner/space/fit_tree.h"

#include "base/collections/memory.h"
#include "base/invariant.h"

bool br_fit_tree_init(struct br_fit_tree *tree, uint32_t count, uint32_t resources)
{
    *tree = (struct br_fit_tree){.leaves = 1, .width = resources ? resources : 1};
    while (tree->leaves < count)
        tree->leaves *= 2;
    size_t cells = 2 * (size_t)tree->leaves * tree->width;
    tree->least = br_malloc(cells * sizeof *tree->least);
    for (size_t k = 0; tree->least && k < cells; k++)
        tree->least[k] = INT64_MAX;
    return tree->least != NULL;
}

void br_fit_tree_finish(struct br_fit_tree *tree)
{
    br_free(tree->least);
    *tree = (struct br_fit_tree){0};
}

/* Do the nodes above the leaf hold the least of the values below them, component by component? */
static bool fit_tree_path_is_sound(const struct br_fit_tree *tree, uint32_t i)
{
    for (size_t node = ((size_t)tree->leaves + i) / 2; node; node /= 2) {
        const int64_t *up = tree->least + node * tree->width;
        const int64_t *a = tree->least + 2 * node * tree->width, *b = a + tree->width;
        for (uint32_t r = 0; r < tree->width; r++)
            if (up[r] != (a[r] < b[r] ? a[r] : b[r]))
                return false;
    }
    return true;
}

void br_fit_tree_set(struct br_fit_tree *tree, uint32_t i, const int64_t *vector)
{
    uint32_t width = tree->width;
    size_t node = (size_t)tree->leaves + i;
    int64_t *cell = tree->least + node * width;
    assert(i < tree->leaves);
    for (uint32_t r = 0; r < width; r++)
        cell[r] = vector ? vector[r] : INT64_MAX;
    for (node /= 2; node; node /= 2) {
        int64_t *up = tree->least + node * width;
        const int64_t *a = tree->least + 2 * node * width, *b = a + width;
        bool changed = false;
        for (uint32_t r = 0; r < width; r++) {
            int64_t least = a[r] < b[r] ? a[r] : b[r];
            changed |= up[r] != least;
            up[r] = least;
        }
        if (!changed)
            break;
    }
    br_costly_assert(fit_tree_path_is_sound(tree, i));
}

/* Is the node, in every component, at most the bound? */
static bool is_below(const struct br_fit_tree *tree, size_t node, const int64_t *bound)
{
    const int64_t *cell = tree->least + node * tree->width;
    for (uint32_t r = 0; r < tree->width; r++)
        if (cell[r] > bound[r])
            return false;
    return true;
}

uint32_t br_fit_tree_next(const struct br_fit_tree *tree, uint32_t from, const int64_t *bound)
{
    /* The root first: a machine that has just been filled is mostly done with that. */
    if (from >= tree->leaves || !is_below(tree, 1, bound))
        return BR_FIT_NONE;
    size_t node = from ? (size_t)tree->leaves + from : 1;
    for (;;) {
        if (is_below(tree, node, bound)) {
            if (node >= tree->leaves)
                return (uint32_t)(node - tree->leaves);
            node *= 2;
            continue;
        }
        while (node & 1) /* up, as long as this was the right child */
            node /= 2;
        if (node == 0)
            return BR_FIT_NONE;
        node++;
    }
}
