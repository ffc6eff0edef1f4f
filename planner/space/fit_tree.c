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

/* --- places ----------------------------------------------------------------------------------- */

enum {
    PLACES_FEW = 1 << 16, /* each has a leaf of its own up to so many */
    GRAIN = 6,
};

bool br_fit_places_init(struct br_fit_places *all, uint32_t places, uint32_t owners,
                        uint32_t resources, const int64_t *vector)
{
    *all = (struct br_fit_places){
        .vector = vector, .resources = resources, .grain = places <= PLACES_FEW ? 0 : GRAIN};
    if (all->grain == 0)
        return br_fit_tree_init(&all->tree, places, resources);
    const uint32_t blocks = ((places - 1) >> all->grain) + 1;
    all->first = br_malloc(blocks * sizeof *all->first);
    all->next = br_malloc(owners * sizeof *all->next);
    all->mine = br_malloc(owners * sizeof *all->mine);
    all->least = br_malloc((resources ? resources : 1) * sizeof *all->least);
    for (uint32_t k = 0; all->first && k < blocks; k++)
        all->first[k] = BR_FIT_NONE;
    return br_fit_tree_init(&all->tree, blocks, resources) && all->first && all->next &&
           all->mine && all->least;
}

void br_fit_places_finish(struct br_fit_places *all)
{
    br_fit_tree_finish(&all->tree);
    br_free(all->first);
    br_free(all->next);
    br_free(all->mine);
    br_free(all->least);
    *all = (struct br_fit_places){0};
}

static const int64_t *vector_of(const struct br_fit_places *all, uint32_t owner)
{
    return all->vector + (size_t)owner * all->resources;
}

/* Sets the leaf of a block to the least of what its owners hold. */
static void gather_block(struct br_fit_places *all, uint32_t block)
{
    const uint32_t width = all->tree.width;
    uint32_t owner = all->first[block];
    if (owner == BR_FIT_NONE) {
        br_fit_tree_set(&all->tree, block, NULL);
        return;
    }
    for (uint32_t r = 0; r < width; r++)
        all->least[r] = INT64_MAX;
    for (; owner != BR_FIT_NONE; owner = all->next[owner])
        for (uint32_t r = 0; r < width; r++)
            if (vector_of(all, owner)[r] < all->least[r])
                all->least[r] = vector_of(all, owner)[r];
    br_fit_tree_set(&all->tree, block, all->least);
}

/* Takes the owner out of the block's list. */
static void leave_block(struct br_fit_places *all, uint32_t owner, uint32_t block)
{
    uint32_t *link = &all->first[block];
    while (*link != owner) {
        assert(*link != BR_FIT_NONE);
        link = &all->next[*link];
    }
    *link = all->next[owner];
}

void br_fit_places_move(struct br_fit_places *all, uint32_t owner, uint32_t from, uint32_t to)
{
    if (!all->first) { /* first the new place: what lies above both stays then */
        if (to != BR_FIT_NONE)
            br_fit_tree_set(&all->tree, to, vector_of(all, owner));
        if (from != BR_FIT_NONE)
            br_fit_tree_set(&all->tree, from, NULL);
        return;
    }
    const uint32_t left = from == BR_FIT_NONE ? BR_FIT_NONE : from >> all->grain;
    const uint32_t entered = to == BR_FIT_NONE ? BR_FIT_NONE : to >> all->grain;
    assert(left == BR_FIT_NONE || all->mine[owner] == from);
    all->mine[owner] = to;
    if (left == entered)
        return;
    if (left != BR_FIT_NONE)
        leave_block(all, owner, left);
    if (entered != BR_FIT_NONE) {
        all->next[owner] = all->first[entered];
        all->first[entered] = owner;
        gather_block(all, entered);
    }
    if (left != BR_FIT_NONE)
        gather_block(all, left);
}

/* The first place of the block at or after `from` whose owner lies below the bound. */
static uint32_t next_in_block(const struct br_fit_places *all, uint32_t block, uint32_t from,
                              const int64_t *bound)
{
    uint32_t best = BR_FIT_NONE;
    for (uint32_t owner = all->first[block]; owner != BR_FIT_NONE; owner = all->next[owner]) {
        const int64_t *vector = vector_of(all, owner);
        uint32_t r = 0;
        if (all->mine[owner] < from || all->mine[owner] >= best)
            continue;
        while (r < all->tree.width && vector[r] <= bound[r])
            r++;
        if (r == all->tree.width)
            best = all->mine[owner];
    }
    return best;
}

uint32_t br_fit_places_next(const struct br_fit_places *all, uint32_t from, const int64_t *bound)
{
    if (!all->first)
        return br_fit_tree_next(&all->tree, from, bound);
    uint32_t block = from >> all->grain, place = BR_FIT_NONE;
    while (place == BR_FIT_NONE &&
           (block = br_fit_tree_next(&all->tree, block, bound)) != BR_FIT_NONE)
        place = next_in_block(all, block++, from, bound);
    return place;
}
