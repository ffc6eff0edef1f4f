/* The list. A line tells about a block what a search has to know: where it begins, its longest hole
 * and its last end. Lines lie next to one another, so that a search passes over the blocks that
 * hold nothing for it at the cost of one comparison each. What holes are compared by is in the
 * block itself, beside the number of the hole. */
#include "planner/space/hole_list.h"

#include <string.h>

#include "base/collections/memory.h"
#include "base/invariant.h"

enum { HOLES = 32 }; /* in a block, at most */

struct br_hole_block {
    uint32_t count;
    uint32_t line; /* its place in the order; of a spare one the next spare one */
    uint32_t id[HOLES];
    int64_t begin[HOLES], end[HOLES];
    double slack[HOLES];
};

struct br_hole_line {
    int64_t begin;         /* of the first hole */
    int64_t longest, last; /* length and end */
    uint32_t block;
};

void br_hole_list_clear(struct br_hole_list *list)
{
    list->unused = list->spare = BR_NO_HOLE;
    list->count = list->lines = 0;
    for (uint32_t b = list->blocks; b--;) {
        list->block[b]->line = list->spare;
        list->spare = b;
    }
}

void br_hole_list_finish(struct br_hole_list *list)
{
    for (uint32_t b = 0; b < list->blocks; b++)
        br_free(list->block[b]);
    br_free(list->block);
    br_free(list->line);
    br_free(list->hole);
    *list = (struct br_hole_list){0};
}

/* The key by which holes are sorted. */
struct key {
    int64_t begin;
    double slack;
    uint32_t machine;
};

static struct key hole_list_key_of(const struct br_hole *hole)
{
    return (struct key){hole->begin, hole->slack, hole->machine};
}

/* Does the key come before the hole at that place of the block? */
static bool hole_list_before(const struct br_hole_list *list, const struct key *a,
                             const struct br_hole_block *block, uint32_t at)
{
    if (a->begin != block->begin[at])
        return a->begin < block->begin[at];
    if (a->slack != block->slack[at])
        return a->slack < block->slack[at];
    return a->machine < list->hole[block->id[at]].machine;
}

/* --- invariants ------------------------------------------------------------------------------- */

/* Checks that no block is empty, the holes are in order, none of them empty, each knows its block,
 * and every line is right about its block. While a hole is being cut, two holes may be equal;
 * either may be the first then. */
static bool hole_list_is_sound(const struct br_hole_list *list)
{
    struct key last = {INT64_MIN, 0, 0};
    for (uint32_t k = 0; k < list->lines; k++) {
        const struct br_hole_line *line = &list->line[k];
        const struct br_hole_block *block = list->block[line->block];
        int64_t longest = 0, end = INT64_MIN;
        if (block->count == 0 || block->count > HOLES || block->line != k ||
            line->begin != block->begin[0])
            return false;
        for (uint32_t i = 0; i < block->count; i++) {
            const struct br_hole *hole = &list->hole[block->id[i]];
            int64_t length = hole->end - hole->begin;
            if (length <= 0 || hole->block != line->block || hole->begin != block->begin[i] ||
                hole->end != block->end[i] || hole->slack != block->slack[i])
                return false;
            struct key key = hole_list_key_of(hole);
            if (key.begin < last.begin ||
                (key.begin == last.begin &&
                 (key.slack < last.slack ||
                  (key.slack == last.slack && key.machine < last.machine))))
                return false;
            last = key;
            longest = length > longest ? length : longest;
            end = hole->end > end ? hole->end : end;
        }
        if (longest != line->longest || end != line->last)
            return false;
    }
    return true;
}

/* --- blocks ----------------------------------------------------------------------------------- */

/* Brings the block's line up to date, all of it. */
static void hole_list_gather(struct br_hole_list *list, const struct br_hole_block *block)
{
    struct br_hole_line *line = &list->line[block->line];
    int64_t longest = 0, last = INT64_MIN;
    for (uint32_t i = 0; i < block->count; i++) {
        int64_t length = block->end[i] - block->begin[i];
        longest = length > longest ? length : longest;
        last = block->end[i] > last ? block->end[i] : last;
    }
    line->begin = block->begin[0];
    line->longest = longest;
    line->last = last;
}

/* Moves `count` places, which may overlap. */
static void hole_list_move(struct br_hole_block *to, uint32_t at, const struct br_hole_block *from,
                           uint32_t first, uint32_t count)
{
    memmove(to->id + at, from->id + first, count * sizeof *to->id);
    memmove(to->begin + at, from->begin + first, count * sizeof *to->begin);
    memmove(to->end + at, from->end + first, count * sizeof *to->end);
    memmove(to->slack + at, from->slack + first, count * sizeof *to->slack);
}

/* An empty block in that place of the order. NULL when memory is out. */
static struct br_hole_block *hole_list_open_block(struct br_hole_list *list, uint32_t at)
{
    if (list->lines == list->line_room) {
        uint32_t room = list->line_room ? 2 * list->line_room : 8;
        struct br_hole_line *line = br_realloc(list->line, room * sizeof *line);
        if (line)
            list->line = line;
        struct br_hole_block **block = br_realloc(list->block, room * sizeof *block);
        if (block)
            list->block = block;
        if (!line || !block)
            return NULL;
        list->line_room = room;
    }
    if (list->spare == BR_NO_HOLE) {
        struct br_hole_block *block = br_malloc(sizeof *block);
        if (!block)
            return NULL;
        block->line = BR_NO_HOLE;
        list->spare = list->blocks;
        list->block[list->blocks++] = block;
    }
    uint32_t number = list->spare;
    struct br_hole_block *block = list->block[number];
    list->spare = block->line;
    assert(at <= list->lines);
    memmove(list->line + at + 1, list->line + at, (list->lines - at) * sizeof *list->line);
    list->line[at] = (struct br_hole_line){.last = INT64_MIN, .block = number};
    list->lines++;
    for (uint32_t k = at; k < list->lines; k++)
        list->block[list->line[k].block]->line = k;
    block->count = 0;
    return block;
}

static void hole_list_close_block(struct br_hole_list *list, uint32_t at)
{
    uint32_t number = list->line[at].block;
    assert(list->block[number]->line == at);
    list->block[number]->line = list->spare;
    list->spare = number;
    list->lines--;
    memmove(list->line + at, list->line + at + 1, (list->lines - at) * sizeof *list->line);
    for (uint32_t k = at; k < list->lines; k++)
        list->block[list->line[k].block]->line = k;
}

/* Moves the places from `first` on to the end of the other block. */
static void pass_on(struct br_hole_list *list, struct br_hole_block *from, uint32_t first,
                    struct br_hole_block *to)
{
    uint32_t count = from->count - first;
    assert(first <= from->count && to->count + count <= HOLES);
    hole_list_move(to, to->count, from, first, count);
    for (uint32_t i = first; i < from->count; i++)
        list->hole[from->id[i]].block = list->line[to->line].block;
    to->count += count;
    from->count = first;
}

/* --- changing --------------------------------------------------------------------------------- */

/* The place in the block before which the key belongs; after holes that are equal to it. */
static uint32_t hole_list_place_in(const struct br_hole_list *list,
                                   const struct br_hole_block *block, const struct key *key)
{
    uint32_t low = 0;
    for (uint32_t count = block->count; count;) {
        uint32_t half = count / 2;
        if (hole_list_before(list, key, block, low + half)) {
            count = half;
        } else {
            low += half + 1;
            count -= half + 1;
        }
    }
    return low;
}

/* The last line whose block does not begin after the key; 0 if all do. */
static uint32_t line_of(const struct br_hole_list *list, const struct key *key)
{
    uint32_t low = 0;
    for (uint32_t count = list->lines, half; count > 1; count -= half) {
        half = count / 2;
        const struct br_hole_line *line = &list->line[low + half];
        bool behind = line->begin != key->begin
                          ? key->begin < line->begin
                          : hole_list_before(list, key, list->block[line->block], 0);
        low += behind ? 0 : half;
    }
    return low;
}

static void hole_list_write(struct br_hole_block *block, uint32_t at, const struct br_hole *hole)
{
    block->begin[at] = hole->begin;
    block->end[at] = hole->end;
    block->slack[at] = hole->slack;
}

/* May the line change once the hole in that place is gone? */
static bool ends_line(const struct br_hole_list *list, const struct br_hole_block *block,
                      uint32_t at)
{
    const struct br_hole_line *line = &list->line[block->line];
    return block->end[at] - block->begin[at] == line->longest || block->end[at] == line->last;
}

/* Makes the line tell of what is in that place, too. */
static void hole_list_widen(struct br_hole_line *line, const struct br_hole_block *block,
                            uint32_t at)
{
    int64_t length = block->end[at] - block->begin[at];
    line->begin = block->begin[0];
    line->longest = length > line->longest ? length : line->longest;
    line->last = block->end[at] > line->last ? block->end[at] : line->last;
}

static void hole_list_put(struct br_hole_list *list, struct br_hole_block *block, uint32_t at,
                          uint32_t id)
{
    struct br_hole *hole = &list->hole[id];
    assert(at <= block->count && block->count < HOLES);
    hole_list_move(block, at + 1, block, at, block->count - at);
    block->count++;
    block->id[at] = id;
    hole_list_write(block, at, hole);
    hole->block = list->line[block->line].block;
    hole_list_widen(&list->line[block->line], block, at);
}

/* Puts the hole where it belongs. A full block is halved; at the end of all a new one begins, so
 * that holes that come in order fill their blocks. False when memory is out. */
static bool hole_list_insert(struct br_hole_list *list, uint32_t id)
{
    struct key key = hole_list_key_of(&list->hole[id]);
    uint32_t k = line_of(list, &key);
    struct br_hole_block *block = list->lines ? list->block[list->line[k].block] : NULL;
    if (!block && !(block = hole_list_open_block(list, 0)))
        return false;
    uint32_t at = hole_list_place_in(list, block, &key);
    if (block->count == HOLES) {
        struct br_hole_block *high = hole_list_open_block(list, k + 1);
        if (!high)
            return false;
        if (at < HOLES || k + 2 < list->lines) {
            pass_on(list, block, HOLES / 2, high);
            hole_list_gather(list, block);
            hole_list_gather(list, high);
        }
        if (at >= block->count) {
            at -= block->count;
            block = high;
        }
    }
    hole_list_put(list, block, at, id);
    return true;
}

static uint32_t hole_list_place_of(const struct br_hole_block *block, uint32_t id)
{
    uint32_t at = 0;
    while (block->id[at] != id)
        at++;
    assert(at < block->count);
    return at;
}

/* Takes the place out. Blocks that together are half full become one. */
static void hole_list_take_out(struct br_hole_list *list, struct br_hole_block *block, uint32_t at)
{
    bool tells = ends_line(list, block, at);
    hole_list_move(block, at, block, at + 1, block->count - at - 1);
    block->count--;
    uint32_t low = block->line ? block->line - 1 : 0;
    if (list->lines > 1) {
        struct br_hole_block *a = list->block[list->line[low].block];
        struct br_hole_block *b = list->block[list->line[low + 1].block];
        if (a->count + b->count <= HOLES / 2) {
            pass_on(list, b, 0, a);
            hole_list_close_block(list, low + 1);
            hole_list_gather(list, a);
            return;
        }
    }
    if (block->count == 0)
        hole_list_close_block(list, block->line);
    else if (tells)
        hole_list_gather(list, block);
    else
        list->line[block->line].begin = block->begin[0];
}

static void hole_list_let_go(struct br_hole_list *list, uint32_t at)
{
    list->hole[at].block = list->unused;
    list->unused = at;
}

uint32_t br_hole_list_add(struct br_hole_list *list, uint32_t machine, int64_t begin, int64_t end,
                          double slack)
{
    uint32_t at = list->unused;
    assert(begin < end);
    if (at != BR_NO_HOLE) {
        list->unused = list->hole[at].block;
    } else {
        if (list->count == list->room) {
            uint32_t room = list->room ? 2 * list->room : 64;
            struct br_hole *larger = br_realloc(list->hole, room * sizeof *larger);
            if (!larger)
                return BR_NO_HOLE;
            list->hole = larger;
            list->room = room;
        }
        at = list->count++;
    }
    list->hole[at] =
        (struct br_hole){.begin = begin, .end = end, .slack = slack, .machine = machine};
    if (!hole_list_insert(list, at)) {
        hole_list_let_go(list, at);
        return BR_NO_HOLE;
    }
    br_costly_assert(hole_list_is_sound(list));
    return at;
}

void br_hole_list_drop(struct br_hole_list *list, uint32_t at)
{
    struct br_hole_block *block = list->block[list->hole[at].block];
    hole_list_take_out(list, block, hole_list_place_of(block, at));
    hole_list_let_go(list, at);
    br_costly_assert(hole_list_is_sound(list));
}

/* May the key take that place, as far as its block and the next line tell? */
static bool hole_list_stays(const struct br_hole_list *list, const struct br_hole_block *block,
                            uint32_t at, const struct key *key)
{
    if (hole_list_before(list, key, block, at))
        return at ? !hole_list_before(list, key, block, at - 1) : block->line == 0;
    return at + 1 < block->count
               ? hole_list_before(list, key, block, at + 1)
               : block->line + 1 == list->lines || key->begin < list->line[block->line + 1].begin;
}

bool br_hole_list_change(struct br_hole_list *list, uint32_t at, int64_t begin, int64_t end,
                         double slack)
{
    struct br_hole *hole = &list->hole[at];
    struct br_hole_block *block = list->block[hole->block];
    uint32_t place = hole_list_place_of(block, at);
    struct key key = {begin, slack, hole->machine};
    assert(begin < end);
    if (hole_list_stays(list, block, place, &key)) {
        bool tells = ends_line(list, block, place);
        hole->begin = begin;
        hole->end = end;
        hole->slack = slack;
        hole_list_write(block, place, hole);
        if (tells)
            hole_list_gather(list, block);
        else
            hole_list_widen(&list->line[block->line], block, place);
    } else {
        hole_list_take_out(list, block, place);
        hole->begin = begin;
        hole->end = end;
        hole->slack = slack;
        if (!hole_list_insert(list, at)) {
            hole_list_let_go(list, at);
            return false;
        }
    }
    br_costly_assert(hole_list_is_sound(list));
    return true;
}

/* --- searching -------------------------------------------------------------------------------- */

uint32_t br_hole_list_first(const struct br_hole_list *list, int64_t from, int64_t length)
{
    uint32_t k = 0;
    for (uint32_t count = list->lines, half; count > 1; count -= half) {
        half = count / 2; /* the last line that begins before */
        k += list->line[k + half].begin < from ? half : 0;
    }
    for (; k < list->lines; k++) {
        if (list->line[k].longest < length)
            continue;
        const struct br_hole_block *block = list->block[list->line[k].block];
        for (uint32_t i = 0; i < block->count; i++)
            if (block->begin[i] >= from && block->end[i] - block->begin[i] >= length)
                return block->id[i];
    }
    return BR_NO_HOLE;
}

uint32_t br_hole_list_over(const struct br_hole_list *list, int64_t begin, int64_t until,
                           uint32_t *found)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < list->lines && list->line[k].begin < begin; k++) {
        if (list->line[k].last < until)
            continue;
        const struct br_hole_block *block = list->block[list->line[k].block];
        for (uint32_t i = 0; i < block->count && block->begin[i] < begin; i++)
            if (block->end[i] >= until)
                found[count++] = block->id[i];
    }
    return count;
}
