#include "simulate/policies/rooms.h"

#include <stdlib.h>
#include <string.h>

static int64_t *free_of(const struct br_rooms *rooms, uint32_t node)
{
    return rooms->free + (size_t)node * rooms->width;
}

/* Makes the node say what its children say; false where it has said so before. */
static bool join(struct br_rooms *rooms, uint32_t node)
{
    const int64_t *left = free_of(rooms, 2 * node), *right = free_of(rooms, 2 * node + 1);
    int64_t *most = free_of(rooms, node);
    bool changed = false;
    for (uint32_t r = 0; r < rooms->width; r++) {
        int64_t larger = left[r] > right[r] ? left[r] : right[r];
        changed |= larger != most[r];
        most[r] = larger;
    }
    return changed;
}

/* Brings the machine's leaf and the nodes above up to date. */
static void refresh(struct br_rooms *rooms, uint32_t machine)
{
    uint32_t node = rooms->leaves + machine;
    const int64_t *amount = br_rooms_free(rooms, machine);
    int64_t *free = free_of(rooms, node);
    for (uint32_t r = 0; r < rooms->width; r++)
        free[r] = rooms->away[machine] ? INT64_MIN : amount[r];
    for (node /= 2; node && join(rooms, node); node /= 2)
        ;
}

bool br_rooms_init(struct br_rooms *rooms, const struct br_cluster *cluster,
                   const struct br_capacities *capacities)
{
    size_t width = capacities->scale.resources;
    *rooms =
        (struct br_rooms){.width = (uint32_t)width, .leaves = 1, .machines = cluster->machines};
    while (rooms->leaves < cluster->machines)
        rooms->leaves *= 2;
    size_t numbers = 2 * rooms->leaves * width;
    rooms->free = malloc((numbers + 1) * sizeof *rooms->free);
    rooms->amount = malloc((cluster->machines * width + 1) * sizeof *rooms->amount);
    rooms->away = calloc(cluster->machines, sizeof *rooms->away);
    if (!rooms->free || !rooms->amount || !rooms->away)
        return false;
    for (size_t k = 0; k < numbers; k++)
        rooms->free[k] = INT64_MIN; /* nothing fits where there is no machine */
    for (uint32_t m = 0; m < cluster->machines; m++) {
        const int64_t *capacity = capacities->capacity + capacities->machine_class[m] * width;
        memcpy(rooms->amount + m * width, capacity, width * sizeof *capacity);
        memcpy(free_of(rooms, rooms->leaves + m), capacity, width * sizeof *capacity);
    }
    for (uint32_t node = rooms->leaves - 1; node; node--)
        join(rooms, node);
    return true;
}

void br_rooms_finish(struct br_rooms *rooms)
{
    free(rooms->free);
    free(rooms->amount);
    free(rooms->away);
}

void br_rooms_change(struct br_rooms *rooms, uint32_t machine, const int64_t *demand, int sign)
{
    int64_t *amount = rooms->amount + (size_t)machine * rooms->width;
    for (uint32_t r = 0; r < rooms->width; r++)
        amount[r] += sign * demand[r];
    refresh(rooms, machine);
}

void br_rooms_move(struct br_rooms *rooms, uint32_t machine, bool there)
{
    rooms->away[machine] = !there;
    refresh(rooms, machine);
}

static bool fits(const struct br_rooms *rooms, uint32_t node, const int64_t *demand)
{
    const int64_t *free = free_of(rooms, node);
    for (uint32_t r = 0; r < rooms->width; r++)
        if (demand[r] > 0 && demand[r] > free[r])
            return false;
    return true;
}

bool br_rooms_fit(const struct br_rooms *rooms, uint32_t machine, const int64_t *demand)
{
    return !rooms->away[machine] && fits(rooms, rooms->leaves + machine, demand);
}

/* Below the node, which has `size` leaves from the machine `first` on. */
static uint32_t first_below(const struct br_rooms *rooms, uint32_t node, uint32_t first,
                            uint32_t size, const int64_t *demand, uint32_t from)
{
    if (first + size <= from || !fits(rooms, node, demand))
        return UINT32_MAX;
    if (size == 1)
        return first < rooms->machines && !rooms->away[first] ? first : UINT32_MAX;
    uint32_t found = first_below(rooms, 2 * node, first, size / 2, demand, from);
    return found != UINT32_MAX
               ? found
               : first_below(rooms, 2 * node + 1, first + size / 2, size / 2, demand, from);
}

uint32_t br_rooms_first(const struct br_rooms *rooms, const int64_t *demand, uint32_t from)
{
    return first_below(rooms, 1, 0, rooms->leaves, demand, from);
}
