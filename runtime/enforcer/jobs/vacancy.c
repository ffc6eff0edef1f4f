/* A tree of maxima over the machines, and the short list of woken offers. */
#include "runtime/enforcer/jobs/vacancy.h"

#include <assert.h>
#include <string.h>

bool br_vacancy_init(struct br_vacancy *vacancy, struct br_arena *arena, uint32_t machines,
                     uint32_t width)
{
    *vacancy = (struct br_vacancy){.machines = machines, .width = width, .leaves = 1};
    while (vacancy->leaves < machines)
        vacancy->leaves *= 2;
    size_t nodes = 2 * (size_t)vacancy->leaves;
    if (!BR_ARRAY(arena, nodes, vacancy->marks) || !BR_ARRAY(arena, nodes * width, vacancy->room))
        return false;
    memset(vacancy->room, 0xff, nodes * width * sizeof *vacancy->room);
    for (uint32_t m = 0; m < machines; m++)
        br_vacancy_change(vacancy, m);
    return true;
}

static int64_t *vacancy_room_of(const struct br_vacancy *vacancy, uint32_t node)
{
    return vacancy->room + (size_t)node * vacancy->width;
}

static void mark_up(struct br_vacancy *vacancy, uint32_t node)
{
    for (node /= 2; node; node /= 2) {
        uint8_t marks = vacancy->marks[2 * node] | vacancy->marks[2 * node + 1];
        if (vacancy->marks[node] == marks)
            break;
        vacancy->marks[node] = marks;
    }
}

void br_vacancy_change(struct br_vacancy *vacancy, uint32_t machine)
{
    assert(machine < vacancy->machines);
    uint32_t node = vacancy->leaves + machine;
    vacancy->marks[node] |= BR_CHANGED;
    mark_up(vacancy, node);
}

void br_vacancy_settle(struct br_vacancy *vacancy, uint32_t machine, uint8_t marks,
                       const int64_t *room)
{
    assert(machine < vacancy->machines);
    uint32_t node = vacancy->leaves + machine, width = vacancy->width;
    vacancy->marks[node] = marks;
    mark_up(vacancy, node);
    for (uint32_t r = 0; r < width; r++)
        vacancy_room_of(vacancy, node)[r] = marks & BR_KEPT || !room ? -1
                                            : room[r] > 0            ? room[r]
                                                                     : 0;
    bool changed = true;
    for (node /= 2; node && changed; node /= 2) {
        int64_t *most = vacancy_room_of(vacancy, node);
        const int64_t *a = vacancy_room_of(vacancy, 2 * node), *b = a + width;
        changed = false;
        for (uint32_t r = 0; r < width; r++) {
            int64_t more = a[r] > b[r] ? a[r] : b[r];
            changed |= most[r] != more;
            most[r] = more;
        }
    }
}

static void drop(struct br_vacancy *vacancy, uint32_t k)
{
    assert(k < vacancy->woken && vacancy->offer[k]->woken);
    vacancy->offer[k]->woken = false;
    vacancy->offer[k] = vacancy->offer[--vacancy->woken];
}

void br_vacancy_swept(struct br_vacancy *vacancy)
{
    while (vacancy->woken)
        drop(vacancy, vacancy->woken - 1);
}

void br_vacancy_change_all(struct br_vacancy *vacancy, uint8_t marks)
{
    for (uint32_t m = 0; m < vacancy->machines; m++)
        if (!marks || vacancy->marks[vacancy->leaves + m] & marks)
            br_vacancy_change(vacancy, m);
}

void br_vacancy_wake(struct br_vacancy *vacancy, struct br_offer *offer)
{
    if (offer->woken)
        return;
    if (vacancy->woken == BR_WOKEN) {
        br_vacancy_change_all(vacancy, 0);
        br_vacancy_swept(vacancy);
    }
    assert(vacancy->woken < BR_WOKEN);
    offer->woken = true;
    vacancy->offer[vacancy->woken++] = offer;
}

void br_vacancy_forget(struct br_vacancy *vacancy, struct br_offer *offer)
{
    for (uint32_t k = 0; k < vacancy->woken && offer->woken; k++)
        if (vacancy->offer[k] == offer)
            drop(vacancy, k);
}

static bool is_wanted(const struct br_vacancy *vacancy, uint32_t node, uint8_t marks)
{
    if (vacancy->marks[node] & marks)
        return true;
    const int64_t *room = vacancy_room_of(vacancy, node);
    for (uint32_t k = 0; k < vacancy->woken; k++) {
        const int64_t *demand = vacancy->offer[k]->demand;
        uint32_t r = 0;
        while (r < vacancy->width && demand[r] <= room[r])
            r++;
        if (r == vacancy->width)
            return true;
    }
    return false;
}

/* Searches the machines below the node: `first` is their first, and this is their number. */
static uint32_t vacancy_find(const struct br_vacancy *vacancy, uint32_t node, uint32_t first,
                             uint32_t count, uint32_t from, uint8_t marks)
{
    if (first + count <= from || first >= vacancy->machines || !is_wanted(vacancy, node, marks))
        return UINT32_MAX;
    if (count == 1)
        return first;
    uint32_t found = vacancy_find(vacancy, 2 * node, first, count / 2, from, marks);
    return found != UINT32_MAX
               ? found
               : vacancy_find(vacancy, 2 * node + 1, first + count / 2, count / 2, from, marks);
}

/* An offer that has gone wakes nothing. */
static void tidy(struct br_vacancy *vacancy)
{
    for (uint32_t k = vacancy->woken; k-- > 0;)
        if (!vacancy->offer[k]->node)
            drop(vacancy, k);
}

bool br_vacancy_wants(struct br_vacancy *vacancy, uint32_t machine, uint8_t marks)
{
    tidy(vacancy);
    return is_wanted(vacancy, vacancy->leaves + machine, marks);
}

uint32_t br_vacancy_next(struct br_vacancy *vacancy, uint32_t from, uint8_t marks)
{
    tidy(vacancy);
    return vacancy_find(vacancy, 1, 0, vacancy->leaves, from, marks);
}
