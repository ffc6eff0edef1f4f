/* The treap, by splitting and merging. Its shape depends on nothing but the history of calls. */
#include "planner/space/hole_tree.h"

#include <stdlib.h>

#include "base/invariant.h"

void br_hole_tree_clear(struct br_hole_tree *tree)
{
    tree->root = tree->unused = BR_NO_HOLE;
    tree->count = 0;
}

void br_hole_tree_finish(struct br_hole_tree *tree)
{
    free(tree->hole);
    *tree = (struct br_hole_tree){0};
}

static bool before(const struct br_hole *a, const struct br_hole *b)
{
    if (a->begin != b->begin)
        return a->begin < b->begin;
    if (a->slack != b->slack)
        return a->slack < b->slack;
    return a->machine < b->machine;
}

/* Brings the node's longest and last up to date, from its own hole and its children. */
static void gather(struct br_hole *hole, uint32_t at)
{
    struct br_hole *h = &hole[at];
    h->longest = h->end - h->begin;
    h->last = h->end;
    for (uint32_t k = 0; k < 2; k++) {
        uint32_t child = k ? h->right : h->left;
        if (child == BR_NO_HOLE)
            continue;
        if (hole[child].longest > h->longest)
            h->longest = hole[child].longest;
        if (hole[child].last > h->last)
            h->last = hole[child].last;
    }
}

/* Whether the holes below the node are in order between `low` and `high` (NULL: no limit), none of
 * them empty, no child above its parent by priority, and every node tells the longest and the last
 * of what is below it. Of two equal holes, which there may be while a hole is being cut, the second
 * is to the right. */
static bool is_sound(const struct br_hole *hole, uint32_t at, const struct br_hole *low,
                     const struct br_hole *high)
{
    if (at == BR_NO_HOLE)
        return true;
    const struct br_hole *h = &hole[at];
    int64_t longest = h->end - h->begin, last = h->end;
    for (uint32_t k = 0; k < 2; k++) {
        uint32_t child = k ? h->right : h->left;
        if (child == BR_NO_HOLE)
            continue;
        if (hole[child].priority > h->priority)
            return false;
        longest = hole[child].longest > longest ? hole[child].longest : longest;
        last = hole[child].last > last ? hole[child].last : last;
    }
    return h->begin < h->end && (!low || !before(h, low)) && (!high || before(h, high)) &&
           h->longest == longest && h->last == last && is_sound(hole, h->left, low, h) &&
           is_sound(hole, h->right, h, high);
}

/* Those before the hole, and those after it. */
static void split(struct br_hole *hole, uint32_t at, const struct br_hole *by, uint32_t *low,
                  uint32_t *high)
{
    if (at == BR_NO_HOLE) {
        *low = *high = BR_NO_HOLE;
        return;
    }
    if (before(&hole[at], by)) {
        *low = at;
        split(hole, hole[at].right, by, &hole[at].right, high);
    } else {
        *high = at;
        split(hole, hole[at].left, by, low, &hole[at].left);
    }
    gather(hole, at);
}

static uint32_t merge(struct br_hole *hole, uint32_t low, uint32_t high)
{
    if (low == BR_NO_HOLE)
        return high;
    if (high == BR_NO_HOLE)
        return low;
    uint32_t top = hole[low].priority > hole[high].priority ? low : high;
    if (top == low)
        hole[low].right = merge(hole, hole[low].right, high);
    else
        hole[high].left = merge(hole, low, hole[high].left);
    gather(hole, top);
    return top;
}

static uint32_t insert(struct br_hole *hole, uint32_t at, uint32_t new)
{
    if (at == BR_NO_HOLE || hole[new].priority > hole[at].priority) {
        split(hole, at, &hole[new], &hole[new].left, &hole[new].right);
        at = new;
    } else if (before(&hole[new], &hole[at])) {
        hole[at].left = insert(hole, hole[at].left, new);
    } else {
        hole[at].right = insert(hole, hole[at].right, new);
    }
    gather(hole, at);
    return at;
}

static uint32_t take_out(struct br_hole *hole, uint32_t at, uint32_t old)
{
    if (at == old)
        return merge(hole, hole[at].left, hole[at].right);
    if (before(&hole[old], &hole[at]))
        hole[at].left = take_out(hole, hole[at].left, old);
    else
        hole[at].right = take_out(hole, hole[at].right, old);
    gather(hole, at);
    return at;
}

uint32_t br_hole_tree_add(struct br_hole_tree *tree, uint32_t machine, int64_t begin, int64_t end,
                          double slack)
{
    uint32_t at = tree->unused;
    assert(begin < end);
    if (at != BR_NO_HOLE) {
        tree->unused = tree->hole[at].left;
    } else {
        if (tree->count == tree->room) {
            uint32_t room = tree->room ? 2 * tree->room : 64;
            struct br_hole *larger = realloc(tree->hole, room * sizeof *larger);
            if (!larger)
                return BR_NO_HOLE;
            tree->hole = larger;
            tree->room = room;
        }
        at = tree->count++;
        /* Any order without a pattern; the finishing steps of a multiplicative hash. */
        uint32_t mixed = (at + 1) * 0x9E3779B1u;
        mixed = (mixed ^ mixed >> 15) * 0x85EBCA77u;
        tree->hole[at].priority = mixed ^ mixed >> 13;
    }
    struct br_hole *hole = &tree->hole[at];
    *hole = (struct br_hole){
        .begin = begin, .end = end, .slack = slack, .machine = machine, .priority = hole->priority};
    tree->root = insert(tree->hole, tree->root, at);
    br_costly_assert(is_sound(tree->hole, tree->root, NULL, NULL));
    return at;
}

void br_hole_tree_drop(struct br_hole_tree *tree, uint32_t at)
{
    tree->root = take_out(tree->hole, tree->root, at);
    tree->hole[at].left = tree->unused;
    tree->unused = at;
    br_costly_assert(is_sound(tree->hole, tree->root, NULL, NULL));
}

/* Gives the hole the new values in its place, if they belong between `low` and `high` and what
 * lies below the hole. */
static bool change_in_place(struct br_hole *hole, uint32_t at, uint32_t old,
                            const struct br_hole *new, const struct br_hole *low,
                            const struct br_hole *high)
{
    bool done, same = hole[old].begin == new->begin &&hole[old].end == new->end;
    if (at == old) {
        for (uint32_t k = hole[at].left; k != BR_NO_HOLE; k = hole[k].right)
            low = &hole[k];
        for (uint32_t k = hole[at].right; k != BR_NO_HOLE; k = hole[k].left)
            high = &hole[k];
        done = (!low || before(low, new)) && (!high || before(new, high));
        if (done) {
            hole[at].begin = new->begin;
            hole[at].end = new->end;
            hole[at].slack = new->slack;
        }
    } else if (before(&hole[old], &hole[at])) {
        done = change_in_place(hole, hole[at].left, old, new, low, &hole[at]);
    } else {
        done = change_in_place(hole, hole[at].right, old, new, &hole[at], high);
    }
    if (done && !same)
        gather(hole, at);
    return done;
}

void br_hole_tree_change(struct br_hole_tree *tree, uint32_t at, int64_t begin, int64_t end,
                         double slack)
{
    struct br_hole new = {
        .begin = begin, .end = end, .slack = slack, .machine = tree->hole[at].machine};
    assert(begin < end);
    if (!change_in_place(tree->hole, tree->root, at, &new, NULL, NULL)) {
        tree->root = take_out(tree->hole, tree->root, at);
        tree->hole[at].begin = begin;
        tree->hole[at].end = end;
        tree->hole[at].slack = slack;
        tree->root = insert(tree->hole, tree->root, at);
    }
    br_costly_assert(is_sound(tree->hole, tree->root, NULL, NULL));
}

static uint32_t first_of(const struct br_hole *hole, uint32_t at, int64_t from, int64_t length)
{
    while (at != BR_NO_HOLE && hole[at].longest >= length) {
        if (hole[at].begin >= from) {
            uint32_t found = first_of(hole, hole[at].left, from, length);
            if (found != BR_NO_HOLE)
                return found;
            if (hole[at].end - hole[at].begin >= length)
                return at;
        }
        at = hole[at].right;
    }
    return BR_NO_HOLE;
}

uint32_t br_hole_tree_first(const struct br_hole_tree *tree, int64_t from, int64_t length)
{
    return first_of(tree->hole, tree->root, from, length);
}

static uint32_t over(const struct br_hole *hole, uint32_t at, int64_t begin, int64_t until,
                     uint32_t *found)
{
    uint32_t count = 0;
    while (at != BR_NO_HOLE && hole[at].last >= until) {
        if (hole[at].begin < begin) {
            count += over(hole, hole[at].right, begin, until, found + count);
            if (hole[at].end >= until)
                found[count++] = at;
        }
        at = hole[at].left;
    }
    return count;
}

uint32_t br_hole_tree_over(const struct br_hole_tree *tree, int64_t begin, int64_t until,
                           uint32_t *found)
{
    return over(tree->hole, tree->root, begin, until, found);
}
