/* A tournament over vectors: the next one, in index order, that lies below a bound in every
 * component, without looking at each.
 *
 * Leaves hold demands, and the bound is a machine's free vector: which of the ready tasks, in their
 * order, fits the machine next? Inner nodes hold the least of every component, which is necessary
 * for a fit below but not sufficient; a search that was led astray backs up. */
#ifndef BR_PLANNER_SPACE_FIT_TREE_H
#define BR_PLANNER_SPACE_FIT_TREE_H

#include <stdbool.h>
#include <stdint.h>

#define BR_FIT_NONE UINT32_MAX

struct br_fit_tree {
    uint32_t leaves; /* a power of two */
    uint32_t width;  /* components, at least 1 */
    int64_t *least;  /* [node * width + component]; node 1 is the root, leaf i is leaves + i */
};

/* `count` leaves, none of them set. False when memory is out (finish is still fine). O(count). */
bool br_fit_tree_init(struct br_fit_tree *tree, uint32_t count, uint32_t resources);
void br_fit_tree_finish(struct br_fit_tree *tree);

/* Sets leaf i to the vector, or clears it if vector is NULL. O(log n). */
void br_fit_tree_set(struct br_fit_tree *tree, uint32_t i, const int64_t *vector);
/* The first set leaf at or after `from` that is, in every component, at most the bound; BR_FIT_NONE
 * if there is none. O(log n) if the nodes do not mislead. */
uint32_t br_fit_tree_next(const struct br_fit_tree *tree, uint32_t from, const int64_t *bound);

/* A fit tree over a great many places of which few are set: each of some owners has one at most,
 * and sets its own vector there. A leaf stands for a block of places, and holds the least of the
 * vectors set in it; the owners in a block are a list. So the memory is that of the blocks. */
struct br_fit_places {
    struct br_fit_tree tree;
    uint32_t grain;        /* a block has 1 << grain places */
    uint32_t *first;       /* by block: the first owner in it; NULL: blocks of one place */
    uint32_t *next, *mine; /* by owner: the next one in its block, and its place */
    const int64_t *vector; /* [owner * resources], borrowed */
    uint32_t resources;
    int64_t *least; /* scratch */
};

/* No place is set. The vectors have one value at least. False when memory is out (finish is still
 * fine). O(places). */
bool br_fit_places_init(struct br_fit_places *all, uint32_t places, uint32_t owners,
                        uint32_t resources, const int64_t *vector);
void br_fit_places_finish(struct br_fit_places *all);
/* Moves the owner from a place to another one; BR_FIT_NONE: from or to nowhere. O(log places), and
 * a look at the owners in the blocks. */
void br_fit_places_move(struct br_fit_places *all, uint32_t owner, uint32_t from, uint32_t to);
/* As br_fit_tree_next. */
uint32_t br_fit_places_next(const struct br_fit_places *all, uint32_t from, const int64_t *bound);

#endif
