/* Holes in the order of their beginnings, searchable by length: a treap [Seidel96] whose nodes know
 * the longest hole and the last end below them. Holes are numbers that stay valid until they are
 * let go. */
#ifndef BR_PLANNER_SPACE_HOLE_TREE_H
#define BR_PLANNER_SPACE_HOLE_TREE_H

#include <stdbool.h>
#include <stdint.h>

#define BR_NO_HOLE UINT32_MAX

/* Sorted by (begin, slack, machine), which only br_hole_tree_add and _change may change. */
struct br_hole {
    int64_t begin, end;
    double slack;
    uint32_t machine;
    uint32_t left, right, priority;
    int64_t longest, last; /* length and end, of it and of all below */
};

struct br_hole_tree {
    struct br_hole *hole;
    uint32_t root, count, room;
    uint32_t unused; /* the first of a list through left */
};

/* Empties the tree; a zeroed one is fine. Its memory stays. */
void br_hole_tree_clear(struct br_hole_tree *tree);
void br_hole_tree_finish(struct br_hole_tree *tree);

/* Adds a hole; BR_NO_HOLE when memory is out. O(log holes), as all that follows. */
uint32_t br_hole_tree_add(struct br_hole_tree *tree, uint32_t machine, int64_t begin, int64_t end,
                          double slack);
void br_hole_tree_drop(struct br_hole_tree *tree, uint32_t hole);
void br_hole_tree_change(struct br_hole_tree *tree, uint32_t hole, int64_t begin, int64_t end,
                         double slack);

/* The first hole that begins at or after `from` and is no shorter than `length`, or BR_NO_HOLE. */
uint32_t br_hole_tree_first(const struct br_hole_tree *tree, int64_t from, int64_t length);
/* Writes all holes that begin before `begin` and end at or after `until`; returns how many. O(log
 * holes) for each of them. */
uint32_t br_hole_tree_over(const struct br_hole_tree *tree, int64_t begin, int64_t until,
                           uint32_t *found);

#endif
