#include "cluster/simulate/policies/rooms.h"

#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"
#include "runtime/enforcer/jobs/offers.h"

enum { FULLER = 16 };

bool br_rooms_init(struct br_rooms *rooms, const struct br_cluster *cluster,
                   const struct br_capacities *capacities)
{
    size_t width = capacities->scale.resources;
    *rooms = (struct br_rooms){.width = (uint32_t)width, .machines = cluster->machines};
    rooms->most = calloc(width + 1, sizeof *rooms->most);
    rooms->amount = malloc((cluster->machines * width + 1) * sizeof *rooms->amount);
    rooms->away = calloc(cluster->machines, sizeof *rooms->away);
    rooms->changed = malloc(cluster->machines * sizeof *rooms->changed);
    rooms->is_changed = calloc(cluster->machines, sizeof *rooms->is_changed);
    if (!rooms->most || !rooms->amount || !rooms->away || !rooms->changed || !rooms->is_changed)
        return false;
    for (uint32_t c = 0; c < cluster->classes; c++)
        for (uint32_t r = 0; r < width; r++) {
            int64_t capacity = capacities->capacity[c * width + r];
            rooms->most[r] = capacity > rooms->most[r] ? capacity : rooms->most[r];
        }
    bool ok = br_bitmap_init(&rooms->bitmap, rooms->width, rooms->most);
    for (uint32_t m = cluster->machines; ok && m-- > 0;) { /* the last first, to grow but once */
        memcpy(rooms->amount + m * width,
               capacities->capacity + capacities->machine_class[m] * width,
               width * sizeof *rooms->amount);
        ok = br_bitmap_set(&rooms->bitmap, m, br_rooms_free(rooms, m));
    }
    return ok;
}

void br_rooms_finish(struct br_rooms *rooms)
{
    free(rooms->most);
    free(rooms->amount);
    free(rooms->away);
    free(rooms->changed);
    free(rooms->is_changed);
    br_bitmap_finish(&rooms->bitmap);
}

void br_rooms_change(struct br_rooms *rooms, uint32_t machine, const int64_t *demand, int sign)
{
    int64_t *amount = rooms->amount + (size_t)machine * rooms->width;
    for (uint32_t r = 0; r < rooms->width; r++)
        amount[r] += sign * demand[r];
    assert(rooms->is_changed[machine] || rooms->changes < rooms->machines);
    if (!rooms->is_changed[machine])
        rooms->changed[rooms->changes++] = machine;
    rooms->is_changed[machine] = true;
    rooms->more |= sign > 0;
}

/* Brings the bitmap up to date if it may miss a machine that has room, or more than a few are
 * fuller than it says. */
static void rooms_follow(struct br_rooms *rooms)
{
    if (!rooms->more && rooms->changes <= FULLER)
        return;
    for (uint32_t c = 0; c < rooms->changes; c++) {
        uint32_t machine = rooms->changed[c];
        bool set = br_bitmap_set(&rooms->bitmap, machine, br_rooms_free(rooms, machine));
        assert(set); /* as before, so it needs no memory */
        (void)set;
        rooms->is_changed[machine] = false;
    }
    rooms->changes = 0;
    rooms->more = false;
}

void br_rooms_move(struct br_rooms *rooms, uint32_t machine, bool there)
{
    rooms->away[machine] = !there;
}

bool br_rooms_fit(const struct br_rooms *rooms, uint32_t machine, const int64_t *demand)
{
    return !rooms->away[machine] &&
           br_demand_fits(demand, br_rooms_free(rooms, machine), rooms->width);
}

uint32_t br_rooms_first(struct br_rooms *rooms, const int64_t *demand, uint32_t from)
{
    if (from >= rooms->machines)
        return UINT32_MAX;
    if (br_rooms_fit(rooms, from, demand)) /* of a stage many start on one machine */
        return from;
    rooms_follow(rooms);
    br_bitmap_demand(&rooms->bitmap, demand);
    uint64_t may = br_bitmap_holds(&rooms->bitmap, from / 64) & UINT64_MAX << from % 64;
    for (uint32_t word = from / 64;; may = br_bitmap_holds(&rooms->bitmap, word)) {
        for (; may; may &= may - 1) {
            uint32_t machine = word * 64 + (uint32_t)__builtin_ctzll(may);
            if (machine >= rooms->machines)
                return UINT32_MAX;
            if (br_rooms_fit(rooms, machine, demand))
                return machine;
        }
        if (++word * 64 >= rooms->machines)
            return UINT32_MAX;
    }
}
