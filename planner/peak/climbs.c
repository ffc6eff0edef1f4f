#include "planner/peak/climbs.h"

#include <string.h>

#include "base/collections/grow.h"
#include "base/collections/memory.h"

bool br_climbs_one(struct br_climbs *list, struct br_climb climb)
{
    *list = (struct br_climbs){0};
    if (!br_grow(&list->at, 0, &list->room, sizeof climb))
        return false;
    list->at[list->count++] = climb;
    return true;
}

void br_climbs_finish(struct br_climbs *list)
{
    br_free(list->at);
    *list = (struct br_climbs){0};
}

/* Below 0: `a` comes first. */
static int climbs_compare(const struct br_climb *a, const struct br_climb *b)
{
    const bool frees = a->net <= 0, other = b->net <= 0;
    if (frees != other)
        return frees ? -1 : 1;
    const int64_t x = frees ? a->hill : b->hill - b->net;
    const int64_t y = frees ? b->hill : a->hill - a->net;
    return x < y ? -1 : x > y;
}

static void climbs_join(struct br_climb *climb, const struct br_climb *after, uint32_t *next)
{
    const int64_t hill = climb->net + after->hill;
    climb->hill = hill > climb->hill ? hill : climb->hill;
    climb->net += after->net;
    next[climb->last] = after->first;
    climb->last = after->last;
}

bool br_climbs_append(struct br_climbs *list, struct br_climbs *after, uint32_t *next)
{
    for (uint32_t k = 0; k < after->count; k++) {
        struct br_climb climb = after->at[k];
        while (list->count && climbs_compare(&climb, &list->at[list->count - 1]) <= 0) {
            struct br_climb joined = list->at[--list->count];
            climbs_join(&joined, &climb, next);
            climb = joined;
        }
        if (!br_grow(&list->at, list->count, &list->room, sizeof climb))
            return false;
        list->at[list->count++] = climb;
    }
    br_climbs_finish(after);
    return true;
}

bool br_climbs_merge(struct br_climbs *list, struct br_climbs *beside)
{
    const uint32_t all = list->count + beside->count;
    if (list->room < all) {
        if (!br_enlarge(&list->at, all, sizeof *list->at))
            return false;
        list->room = all;
    }
    uint32_t a = list->count, b = beside->count;
    for (uint32_t to = all; b > 0;) {
        if (a > 0 && climbs_compare(&beside->at[b - 1], &list->at[a - 1]) < 0)
            list->at[--to] = list->at[--a];
        else
            list->at[--to] = beside->at[--b];
    }
    list->count = all;
    br_climbs_finish(beside);
    return true;
}

int64_t br_climbs_peak(const struct br_climbs *list)
{
    int64_t now = 0, peak = 0;
    for (uint32_t k = 0; k < list->count; k++) {
        if (now + list->at[k].hill > peak)
            peak = now + list->at[k].hill;
        now += list->at[k].net;
    }
    return peak;
}
