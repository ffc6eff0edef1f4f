#include "cluster/simulate/policies/roster.h"

#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/collections/heap.h"
#include "base/invariant.h"
#include "runtime/enforcer/jobs/offers.h"

enum { FEW = 12 /* lines to be gone through as they come */ };

bool br_roster_init(struct br_roster *roster, uint32_t width, const int64_t *most)
{
    *roster = (struct br_roster){.width = width, .free_posting = BR_NOBODY};
    return br_bitmap_init(&roster->bitmap, width, most);
}

void br_roster_finish(struct br_roster *roster)
{
    for (uint32_t l = 0; l < roster->lines; l++)
        free(roster->line[l].turn);
    br_bitmap_finish(&roster->bitmap);
    br_index_finish(&roster->index);
    free(roster->line);
    free(roster->demand);
    free(roster->top);
    free(roster->unused);
    free(roster->block);
    free(roster->present);
    free(roster->may);
    free(roster->posting);
}

/* Does turn a come before turn b? */
static bool roster_before(const struct br_turn *a, const struct br_turn *b)
{
    return a->key != b->key ? a->key < b->key : a->tie < b->tie;
}

static const int64_t *roster_demand_of(const struct br_roster *roster, uint32_t line)
{
    return roster->demand + (size_t)line * roster->width;
}

/* ---- Lines by demand ---- */

static uint64_t hash_demand(const struct br_roster *roster, const int64_t *demand)
{
    uint64_t hash = roster->width;
    for (uint32_t r = 0; r < roster->width; r++)
        hash = br_hash_number(hash ^ (uint64_t)demand[r]);
    return hash;
}

static uint64_t hash_line(const void *context, uint32_t line)
{
    const struct br_roster *roster = context;
    return hash_demand(roster, roster_demand_of(roster, line));
}

static bool has_demand(const void *context, uint32_t line, const void *key)
{
    const struct br_roster *roster = context;
    return roster->width == 0 ||
           memcmp(roster_demand_of(roster, line), key, roster->width * sizeof *roster->demand) == 0;
}

static const struct br_index_keys by_demand = {hash_line, has_demand};

static bool reach_line(struct br_roster *roster, uint32_t line)
{
    uint32_t room = roster->line_room;
    if (line < room)
        return true;
    uint32_t next = room ? 2 * room : 64, blocks = next / 64;
    assert(line < next);
    struct br_line *lines = realloc(roster->line, next * sizeof *lines);
    roster->line = lines ? lines : roster->line;
    int64_t *demand = realloc(roster->demand, ((size_t)next * roster->width + 1) * sizeof *demand);
    roster->demand = demand ? demand : roster->demand;
    struct br_turn *top = realloc(roster->top, next * sizeof *top);
    roster->top = top ? top : roster->top;
    uint32_t *unused = realloc(roster->unused, next * sizeof *unused);
    roster->unused = unused ? unused : roster->unused;
    struct br_roster_block *block = realloc(roster->block, blocks * sizeof *block);
    roster->block = block ? block : roster->block;
    uint64_t *present = realloc(roster->present, blocks * sizeof *present);
    roster->present = present ? present : roster->present;
    uint64_t *may = realloc(roster->may, blocks * sizeof *may);
    roster->may = may ? may : roster->may;
    if (!lines || !demand || !top || !unused || !block || !present || !may)
        return false;
    memset(lines + room, 0, (next - room) * sizeof *lines);
    memset(block + room / 64, 0, (blocks - room / 64) * sizeof *block);
    memset(present + room / 64, 0, (blocks - room / 64) * sizeof *present);
    roster->line_room = next;
    return true;
}

/* The line of that demand, made if there is none. */
static uint32_t find_line(struct br_roster *roster, const int64_t *demand)
{
    uint32_t line =
        br_index_find(&roster->index, &by_demand, roster, demand, hash_demand(roster, demand));
    if (line != UINT32_MAX)
        return line;
    line = roster->unused_count ? roster->unused[0] : roster->lines;
    if (!reach_line(roster, line) || !br_bitmap_set(&roster->bitmap, line, demand))
        return BR_NOBODY;
    assert(line == roster->lines || !roster->line[line].turns);
    if (roster->width)
        memcpy(roster->demand + (size_t)line * roster->width, demand,
               roster->width * sizeof *demand);
    if (!br_index_add(&roster->index, &by_demand, roster, line))
        return BR_NOBODY;
    if (line == roster->lines)
        roster->lines++;
    else
        br_numbers_pop(NULL, roster->unused, &roster->unused_count);
    return line;
}

/* ---- Blocks ---- */

static bool is_present(const struct br_roster *roster, uint32_t l)
{
    return l / 64 < roster->blocks && roster->present[l / 64] >> l % 64 & 1;
}

/* The place of the line in the order of its block. */
static uint32_t roster_place_of(const struct br_roster_block *block, uint32_t within)
{
    const uint8_t *found = memchr(block->order, (int)within, block->count);
    assert(found);
    return (uint32_t)(found - block->order);
}

/* How many of the `count` lines, which are in order, go before the turn. */
static uint32_t count_before(const struct br_turn *top, const uint8_t *order, uint32_t count,
                             const struct br_turn *turn)
{
    uint32_t low = 0;
    while (low < count) {
        uint32_t middle = low + (count - low) / 2;
        if (roster_before(&top[order[middle]], turn))
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

/* Moves the line, whose first has changed, from there to where it belongs. The others are in order.
 */
static void move_line(const struct br_roster *roster, uint32_t l, uint32_t at)
{
    struct br_roster_block *block = &roster->block[l / 64];
    const struct br_turn *top = roster->top + l / 64 * 64, *turn = &roster->top[l];
    uint8_t *order = block->order;
    uint32_t to = at, after = at + 1;
    if (at && roster_before(turn, &top[order[at - 1]])) {
        to = count_before(top, order, at - 1, turn);
        memmove(order + to + 1, order + to, at - to);
    } else if (after < block->count && roster_before(&top[order[after]], turn)) {
        to = at + count_before(top, order + after, block->count - after, turn);
        memmove(order + at, order + after, to - at);
    }
    order[to] = (uint8_t)(l % 64);
}

/* The line's first has come, gone or changed its key: the block follows. */
static void look_at_top(struct br_roster *roster, uint32_t l)
{
    const struct br_line *line = &roster->line[l];
    struct br_roster_block *block = &roster->block[l / 64];
    uint64_t *present = &roster->present[l / 64], bit = UINT64_C(1) << l % 64;
    uint32_t at = *present & bit ? roster_place_of(block, l % 64) : block->count;
    if (!line->turns) {
        assert(*present & bit);
        assert(block->count && block->order[at] == l % 64);
        *present &= ~bit;
        block->count--;
        memmove(block->order + at, block->order + at + 1, block->count - at);
        while (roster->blocks && !roster->present[roster->blocks - 1])
            roster->blocks--;
        return;
    }
    block->count += !(*present & bit);
    *present |= bit;
    assert(at < block->count && block->count <= 64);
    roster->top[l] = line->turn[0];
    move_line(roster, l, at);
    if (l / 64 >= roster->blocks)
        roster->blocks = l / 64 + 1;
}

/* ---- Heaps with places, four children a node ---- */

static void roster_put(struct br_roster *roster, struct br_line *line, uint32_t at,
                       struct br_turn turn)
{
    assert(at < line->turns);
    line->turn[at] = turn;
    roster->posting[turn.posting].place = at;
}

/* Moves the turn from `at`, which is free, to where it belongs. */
static void sift(struct br_roster *roster, struct br_line *line, uint32_t at, struct br_turn turn)
{
    while (at && roster_before(&turn, &line->turn[(at - 1) / 4])) {
        roster_put(roster, line, at, line->turn[(at - 1) / 4]);
        at = (at - 1) / 4;
    }
    for (uint32_t child; (child = 4 * at + 1) < line->turns; at = child) {
        uint32_t end = line->turns - child < 4 ? line->turns : child + 4;
        for (uint32_t other = child + 1; other < end; other++)
            if (roster_before(&line->turn[other], &line->turn[child]))
                child = other;
        if (!roster_before(&line->turn[child], &turn))
            break;
        roster_put(roster, line, at, line->turn[child]);
    }
    roster_put(roster, line, at, turn);
}

/* ---- Postings ---- */

void br_roster_key(struct br_roster *roster, struct br_roster_job *job, double key, uint32_t tie)
{
    if (job->key == key && job->tie == tie)
        return;
    job->key = key;
    job->tie = tie;
    for (uint32_t p = job->first; p != BR_NOBODY; p = roster->posting[p].next) {
        const struct br_posting *posting = &roster->posting[p];
        assert(roster->line[posting->line].turn[posting->place].posting == p);
        bool was_first = posting->place == 0;
        sift(roster, &roster->line[posting->line], posting->place, (struct br_turn){key, tie, p});
        if (was_first || posting->place == 0)
            look_at_top(roster, posting->line);
    }
    br_costly_assert(br_roster_is_sound(roster));
}

static uint32_t take_posting(struct br_roster *roster)
{
    uint32_t p = roster->free_posting;
    if (p != BR_NOBODY) {
        assert(p < roster->postings);
        roster->free_posting = roster->posting[p].next;
        return p;
    }
    if (!br_grow(&roster->posting, roster->postings, &roster->posting_room,
                 sizeof *roster->posting))
        return BR_NOBODY;
    return roster->postings++;
}

uint32_t br_roster_post(struct br_roster *roster, struct br_roster_job *job, const int64_t *demand)
{
    uint32_t l = find_line(roster, demand);
    if (l == BR_NOBODY)
        return BR_NOBODY;
    struct br_line *line = &roster->line[l];
    if (!br_grow(&line->turn, line->turns, &line->room, sizeof *line->turn))
        return BR_NOBODY;
    uint32_t p = take_posting(roster);
    if (p == BR_NOBODY)
        return BR_NOBODY;
    roster->posting[p] =
        (struct br_posting){.job = job->number, .line = l, .next = job->first, .last = BR_NOBODY};
    if (job->first != BR_NOBODY)
        roster->posting[job->first].last = p;
    job->first = p;
    line->turns++;
    sift(roster, line, line->turns - 1, (struct br_turn){job->key, job->tie, p});
    if (roster->posting[p].place == 0)
        look_at_top(roster, l);
    br_costly_assert(br_roster_is_sound(roster));
    return p;
}

void br_roster_withdraw(struct br_roster *roster, struct br_roster_job *job, uint32_t p)
{
    struct br_posting *posting = &roster->posting[p];
    assert(posting->job == job->number);
    struct br_line *line = &roster->line[posting->line];
    uint32_t place = posting->place;
    assert(place < line->turns && line->turn[place].posting == p);
    *(posting->last == BR_NOBODY ? &job->first : &roster->posting[posting->last].next) =
        posting->next;
    if (posting->next != BR_NOBODY)
        roster->posting[posting->next].last = posting->last;
    line->turns--;
    if (place < line->turns)
        sift(roster, line, place, line->turn[line->turns]);
    if (!line->turns) {
        br_index_remove(&roster->index, &by_demand, roster, posting->line);
        br_numbers_push(NULL, roster->unused, &roster->unused_count, posting->line);
    }
    if (place == 0)
        look_at_top(roster, posting->line);
    posting->next = roster->free_posting;
    roster->free_posting = p;
    br_costly_assert(br_roster_is_sound(roster));
}

/* ---- The search ---- */

/* The first line of the block that fits and goes before the turn (NULL: anyone does), or the turn
 * itself. `may`: its lines that may fit, not none. */
static const struct br_turn *first_in(const struct br_roster *roster, uint32_t number, uint64_t may,
                                      const int64_t *room, const struct br_turn *found)
{
    const struct br_roster_block *block = &roster->block[number];
    const struct br_turn *top = roster->top + (size_t)number * 64;
    assert(may && block->count);
    if (found && !roster_before(&top[block->order[0]], found))
        return found;
    if (__builtin_popcountll(may) <= FEW) {
        for (; may; may &= may - 1) {
            uint32_t within = (uint32_t)__builtin_ctzll(may);
            if ((!found || roster_before(&top[within], found)) &&
                br_demand_fits(roster_demand_of(roster, number * 64 + within), room, roster->width))
                found = &top[within];
        }
        return found;
    }
    for (uint32_t at = 0; at < block->count; at++) {
        uint32_t within = block->order[at];
        if (!(may >> within & 1))
            continue;
        if (found && !roster_before(&top[within], found))
            return found;
        if (br_demand_fits(roster_demand_of(roster, number * 64 + within), room, roster->width))
            return &top[within];
    }
    return found;
}

uint32_t br_roster_first(struct br_roster *roster, const int64_t *room)
{
    const struct br_turn *found = NULL;
    if (!roster->blocks)
        return BR_NOBODY;
    /* Often one like the last goes first again, or nearly so: that leaves out most others. */
    if (is_present(roster, roster->last) &&
        br_demand_fits(roster_demand_of(roster, roster->last), room, roster->width))
        found = &roster->top[roster->last];
    br_bitmap_room(&roster->bitmap, room);
    br_bitmap_words(&roster->bitmap, roster->present, roster->may, roster->blocks);
    for (uint32_t number = 0; number < roster->blocks; number++)
        if (roster->may[number])
            found = first_in(roster, number, roster->may[number], room, found);
    if (found)
        roster->last = (uint32_t)(found - roster->top);
    return found ? roster->posting[found->posting].job : BR_NOBODY;
}

/* ---- The invariant ---- */

static bool line_is_sound(const struct br_roster *roster, uint32_t l)
{
    const struct br_line *line = &roster->line[l];
    bool present = roster->present[l / 64] >> l % 64 & 1;
    for (uint32_t at = 0; at < line->turns; at++) {
        const struct br_posting *posting = &roster->posting[line->turn[at].posting];
        if (posting->line != l || posting->place != at ||
            (at && roster_before(&line->turn[at], &line->turn[(at - 1) / 4])))
            return false;
    }
    if (!line->turns)
        return !present;
    return present && l / 64 < roster->blocks && roster->top[l].posting == line->turn[0].posting &&
           !roster_before(&roster->top[l], &line->turn[0]) &&
           !roster_before(&line->turn[0], &roster->top[l]);
}

static bool block_is_sound(const struct br_roster *roster, uint32_t number)
{
    const struct br_roster_block *block = &roster->block[number];
    const struct br_turn *top = roster->top + (size_t)number * 64;
    uint64_t seen = 0;
    for (uint32_t at = 0; at < block->count; at++) {
        if (at && roster_before(&top[block->order[at]], &top[block->order[at - 1]]))
            return false;
        seen |= UINT64_C(1) << block->order[at];
    }
    return seen == roster->present[number] && block->count == __builtin_popcountll(seen);
}

bool br_roster_is_sound(const struct br_roster *roster)
{
    for (uint32_t l = 0; l < roster->lines; l++)
        if (!line_is_sound(roster, l))
            return false;
    for (uint32_t number = 0; number < roster->blocks; number++)
        if (!block_is_sound(roster, number))
            return false;
    return true;
}
