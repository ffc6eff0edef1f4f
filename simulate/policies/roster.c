#include "simulate/policies/roster.h"

#include <stdlib.h>
#include <string.h>

void br_roster_init(struct br_roster *roster, uint32_t width)
{
    *roster = (struct br_roster){.width = width};
}

void br_roster_finish(struct br_roster *roster)
{
    free(roster->key);
    free(roster->tie);
    free(roster->best);
    free(roster->least);
}

/* Does slot a go before slot b? BR_NOBODY goes last. */
static bool before(const struct br_roster *roster, uint32_t a, uint32_t b)
{
    if (a == BR_NOBODY || b == BR_NOBODY)
        return a != BR_NOBODY;
    if (roster->key[a] != roster->key[b])
        return roster->key[a] < roster->key[b];
    return roster->tie[a] < roster->tie[b];
}

static int64_t *least_of(const struct br_roster *roster, uint32_t node)
{
    return roster->least + (size_t)node * roster->width;
}

/* Makes the node say what its two children say. */
static void join(struct br_roster *roster, uint32_t node)
{
    uint32_t a = roster->best[2 * node], b = roster->best[2 * node + 1];
    const int64_t *left = least_of(roster, 2 * node), *right = least_of(roster, 2 * node + 1);
    int64_t *least = least_of(roster, node);
    roster->best[node] = before(roster, a, b) ? a : b;
    if (a == BR_NOBODY || b == BR_NOBODY) {
        memcpy(least, a == BR_NOBODY ? right : left, roster->width * sizeof *least);
        return;
    }
    for (uint32_t r = 0; r < roster->width; r++)
        least[r] = left[r] < right[r] ? left[r] : right[r];
}

static void climb(struct br_roster *roster, uint32_t slot)
{
    for (uint32_t node = (slot + roster->leaves) / 2; node; node /= 2)
        join(roster, node);
}

static bool grow(struct br_roster *roster, uint32_t slot)
{
    uint32_t leaves = roster->leaves ? roster->leaves : 16;
    while (leaves <= slot)
        leaves *= 2;
    struct br_roster larger = {.width = roster->width, .leaves = leaves};
    size_t nodes = 2 * (size_t)leaves;
    larger.key = calloc(leaves, sizeof *larger.key);
    larger.tie = calloc(leaves, sizeof *larger.tie);
    larger.best = malloc(nodes * sizeof *larger.best);
    larger.least = calloc(nodes * roster->width + 1, sizeof *larger.least);
    if (!larger.key || !larger.tie || !larger.best || !larger.least) {
        br_roster_finish(&larger);
        return false;
    }
    memset(larger.best, 0xff, nodes * sizeof *larger.best);
    for (uint32_t s = 0; s < roster->leaves; s++) {
        larger.key[s] = roster->key[s];
        larger.tie[s] = roster->tie[s];
        larger.best[leaves + s] = roster->best[roster->leaves + s];
        memcpy(least_of(&larger, leaves + s), least_of(roster, roster->leaves + s),
               roster->width * sizeof *larger.least);
    }
    for (uint32_t node = leaves - 1; node; node--)
        join(&larger, node);
    br_roster_finish(roster);
    *roster = larger;
    return true;
}

bool br_roster_set(struct br_roster *roster, uint32_t slot, double key, uint32_t tie,
                   const int64_t *least)
{
    if (slot >= roster->leaves && !grow(roster, slot))
        return false;
    roster->key[slot] = key;
    roster->tie[slot] = tie;
    roster->best[roster->leaves + slot] = slot;
    memcpy(least_of(roster, roster->leaves + slot), least, roster->width * sizeof *least);
    climb(roster, slot);
    return true;
}

void br_roster_clear(struct br_roster *roster, uint32_t slot)
{
    if (slot >= roster->leaves || roster->best[roster->leaves + slot] == BR_NOBODY)
        return;
    roster->best[roster->leaves + slot] = BR_NOBODY;
    climb(roster, slot);
}

struct search {
    const struct br_roster *roster;
    const int64_t *room;
    bool (*fits)(void *context, uint32_t slot);
    void *context;
    uint32_t found;
};

/* Can anything below the node fit, and go before what has been found? */
static bool worth(const struct search *search, uint32_t node)
{
    const struct br_roster *roster = search->roster;
    if (!before(roster, roster->best[node], search->found))
        return false;
    const int64_t *least = least_of(roster, node);
    for (uint32_t r = 0; r < roster->width; r++)
        if (least[r] > 0 && least[r] > search->room[r])
            return false;
    return true;
}

static void descend(struct search *search, uint32_t node)
{
    const struct br_roster *roster = search->roster;
    if (!worth(search, node))
        return;
    if (node >= roster->leaves) {
        if (search->fits(search->context, node - roster->leaves))
            search->found = node - roster->leaves;
        return;
    }
    uint32_t first = 2 * node, second = first + 1;
    if (before(roster, roster->best[second], roster->best[first])) {
        second = first;
        first = 2 * node + 1;
    }
    descend(search, first);
    descend(search, second);
}

uint32_t br_roster_first(const struct br_roster *roster, const int64_t *room,
                         bool (*fits)(void *context, uint32_t slot), void *context)
{
    struct search search = {roster, room, fits, context, BR_NOBODY};
    if (roster->leaves)
        descend(&search, 1);
    return search.found;
}
