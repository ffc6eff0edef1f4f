#include "planner/general/held.h"

#include <string.h>

#include "base/collections/grow.h"
#include "base/collections/memory.h"

bool br_taken_clear(struct br_taken *p, uint32_t resources)
{
    uint32_t room = p->room;
    if (!room) {
        if (!br_grow(&p->time, 0, &room, sizeof *p->time) ||
            !br_enlarge(&p->used, (size_t)room * resources + 1, sizeof *p->used))
            return false;
        p->room = room;
    }
    p->count = 1;
    p->time[0] = 0;
    memset(p->used, 0, resources * sizeof *p->used);
    return true;
}

void br_taken_finish(struct br_taken *p)
{
    br_free(p->time);
    br_free(p->used);
}

uint32_t br_taken_span(const struct br_taken *p, int64_t time)
{
    uint32_t first = 0, last = p->count; /* time[first] <= time < time[last] */
    while (first + 1 < last) {
        const uint32_t half = first + (last - first) / 2;
        if (p->time[half] <= time)
            first = half;
        else
            last = half;
    }
    return first;
}

/* The span that begins at the time, made if there is none; UINT32_MAX when memory is out. */
static uint32_t split_at(struct br_taken *p, uint32_t resources, int64_t time)
{
    uint32_t k = br_taken_span(p, time);
    if (p->time[k] == time)
        return k;
    if (p->count == p->room) {
        uint32_t room = p->room;
        if (!br_grow(&p->time, p->count, &room, sizeof *p->time) ||
            !br_enlarge(&p->used, (size_t)room * resources + 1, sizeof *p->used))
            return UINT32_MAX;
        p->room = room;
    }
    k++;
    memmove(p->time + k + 1, p->time + k, (p->count - k) * sizeof *p->time);
    int64_t *at = p->used + (size_t)k * resources;
    memmove(at + resources, at, (size_t)(p->count - k) * resources * sizeof *at);
    memcpy(at, at - resources, resources * sizeof *at);
    p->time[k] = time;
    p->count++;
    return k;
}

bool br_taken_hold(struct br_taken *p, uint32_t resources, uint32_t resource, int64_t from,
                   int64_t to, int64_t amount)
{
    if (!amount || from >= to)
        return true;
    const uint32_t first = split_at(p, resources, from);
    const uint32_t last = to == INT64_MAX ? p->count : split_at(p, resources, to);
    if (first == UINT32_MAX || last == UINT32_MAX)
        return false;
    for (uint32_t k = first; k < last; k++)
        p->used[(size_t)k * resources + resource] += amount;
    return true;
}

bool br_taken_add(struct br_taken *p, uint32_t resources, uint32_t resource, int64_t time,
                  int64_t amount)
{
    return br_taken_hold(p, resources, resource, time, INT64_MAX, amount);
}

/* Does the span have room for so much, less what is freed (NULL: nothing)? */
static bool has_room(const struct br_taken *p, uint32_t resources, uint32_t span,
                     const struct br_taken_fit *fit, const int64_t *need, const int64_t *freed)
{
    const int64_t *used = p->used + (size_t)span * resources;
    for (uint32_t r = 0; r < resources; r++)
        if (fit->counts[r] == fit->shared && need[r] &&
            used[r] + need[r] - (freed ? freed[r] : 0) > fit->capacity[r])
            return false;
    return true;
}

static int64_t until(const struct br_taken *p, uint32_t span)
{
    return span + 1 < p->count ? p->time[span + 1] : INT64_MAX;
}

/* The same with respect to what stays when the task has ended. */
static int64_t fit_stay(const struct br_taken *p, uint32_t resources,
                        const struct br_taken_fit *fit, int64_t start)
{
    for (uint32_t k = p->count; k-- > 0;) {
        const int64_t to = until(p, k), end = start + fit->duration;
        const int64_t gone = end > fit->freed_from ? end : fit->freed_from;
        if (to <= end)
            break;
        if ((to > gone && !has_room(p, resources, k, fit, fit->stay, fit->frees)) ||
            (p->time[k] < gone && !has_room(p, resources, k, fit, fit->stay, NULL))) {
            if (to == INT64_MAX)
                return INT64_MAX;
            start = to - fit->duration;
        }
    }
    return start;
}

int64_t br_taken_fit(const struct br_taken *p, uint32_t resources, const struct br_taken_fit *fit,
                     int64_t start)
{
    if (fit->stores)
        start = fit_stay(p, resources, fit, start);
    if (start == INT64_MAX)
        return start;
    for (uint32_t k = br_taken_span(p, start); k < p->count; k++) {
        if (k > 0 && p->time[k] >= start + fit->duration && p->time[k] > start)
            break;
        if (has_room(p, resources, k, fit, fit->run, NULL))
            continue;
        start = until(p, k);
        if (start == INT64_MAX)
            return start;
    }
    return start;
}
