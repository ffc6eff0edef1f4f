#include "planner/network/gaps.h"

#include <assert.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/collections/memory.h"

static size_t width(const struct br_gaps *u)
{
    return (size_t)u->resources + 1;
}

bool br_gaps_init(struct br_gaps *u, uint32_t resources, const int64_t *capacity)
{
    *u = (struct br_gaps){.resources = resources};
    if (!br_grow(&u->row, 0, &u->room, width(u) * sizeof *u->row))
        return false;
    u->rows = 1;
    u->row[0] = 0;
    for (uint32_t r = 0; r < resources; r++)
        u->row[1 + r] = capacity[r];
    return true;
}

void br_gaps_finish(struct br_gaps *u)
{
    br_free(u->row);
}

/* The last row that begins at the time or before. */
static uint32_t row_at(const struct br_gaps *u, int64_t at)
{
    uint32_t low = 0, high = u->rows;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (u->row[middle * width(u)] <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static bool row_holds(const struct br_gaps *u, uint32_t row, const int64_t *demand)
{
    for (uint32_t r = 0; r < u->resources; r++)
        if (demand[r] > u->row[row * width(u) + 1 + r])
            return false;
    return true;
}

int64_t br_gaps_fits(const struct br_gaps *u, const int64_t *demand, int64_t lasts, int64_t ready)
{
    int64_t start = ready;
    for (uint32_t k = row_at(u, ready);
         lasts > 0 && k < u->rows && u->row[k * width(u)] < start + lasts; k++)
        if (!row_holds(u, k, demand)) {
            assert(k + 1 < u->rows); /* nothing is held behind the last row */
            start = u->row[(k + 1) * width(u)];
        }
    return start;
}

/* Makes a row begin at the time. */
static bool gaps_split(struct br_gaps *u, int64_t at)
{
    const uint32_t k = row_at(u, at);
    const size_t size = width(u) * sizeof *u->row;
    if (u->row[k * width(u)] == at)
        return true;
    if (!br_grow(&u->row, u->rows, &u->room, size))
        return false;
    int64_t *row = u->row + k * width(u);
    memmove(row + width(u), row, (u->rows - k) * size);
    row[width(u)] = at;
    u->rows++;
    return true;
}

bool br_gaps_take(struct br_gaps *u, const int64_t *demand, int64_t start, int64_t end)
{
    if (start == end)
        return true;
    if (!gaps_split(u, start) || !gaps_split(u, end))
        return false;
    for (uint32_t k = row_at(u, start); u->row[k * width(u)] < end; k++)
        for (uint32_t r = 0; r < u->resources; r++) {
            u->row[k * width(u) + 1 + r] -= demand[r];
            assert(u->row[k * width(u) + 1 + r] >= 0);
        }
    return true;
}
