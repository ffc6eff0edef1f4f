/* Holes in the order of their beginnings, searchable by length: a list in blocks, each of which
 * knows the longest hole and the last end in it. A block fits a few lines of the cache, so that a
 * change moves a few hundred bytes within it, which costs less than a walk down a balanced tree.
 * Holes are numbers that stay valid until they are let go. */
#ifndef BR_PLANNER_SPACE_HOLE_LIST_H
#define BR_PLANNER_SPACE_HOLE_LIST_H

#include <stdbool.h>
#include <stdint.h>

#define BR_NO_HOLE UINT32_MAX

/* Sorted by (begin, slack, machine), which only the functions below may change. `good`, `next`
 * and `near` are for the caller: the list does not look at them. */
struct br_hole {
    int64_t begin, end;
    double slack;
    int64_t good;
    uint32_t machine, next, near;
    uint32_t block; /* where it is; of a hole let go the next such one */
};

struct br_hole_list {
    struct br_hole *hole;
    uint32_t count, room;
    uint32_t unused;              /* the first of a list of holes let go */
    struct br_hole_line *line;    /* one a block, in order */
    uint32_t lines, line_room;    /* as many blocks are in use */
    struct br_hole_block **block; /* by number; in use or spare */
    uint32_t blocks;
    uint32_t spare; /* the first of a list of blocks */
};

/* Empties the list; a zeroed one is fine. Its memory stays. */
void br_hole_list_clear(struct br_hole_list *list);
void br_hole_list_finish(struct br_hole_list *list);

/* Adds a hole; BR_NO_HOLE when memory is out. O(blocks) at worst for this and all that follows, but
 * with a step that is short: a comparison of one number. */
uint32_t br_hole_list_add(struct br_hole_list *list, uint32_t machine, int64_t begin, int64_t end,
                          double slack);
void br_hole_list_drop(struct br_hole_list *list, uint32_t hole);
/* False when memory is out, and the hole is then let go. */
bool br_hole_list_change(struct br_hole_list *list, uint32_t hole, int64_t begin, int64_t end,
                         double slack);

/* The first hole that begins at or after `from` and is no shorter than `length`, or BR_NO_HOLE. */
uint32_t br_hole_list_first(const struct br_hole_list *list, int64_t from, int64_t length);
/* Writes all holes that begin before `begin` and end at or after `until`; returns how many. */
uint32_t br_hole_list_over(const struct br_hole_list *list, int64_t begin, int64_t until,
                           uint32_t *found);

#endif
