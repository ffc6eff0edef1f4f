/* Depth first, the largest tasks first; of equal empty machines only the first is tried. */
#include "planner/exact/propagate/packing.h"

#include <assert.h>
#include <string.h>

enum { ANSWERS = 1 << 14, NODES_MAX = 20000 };

/* The largest share of any machine's room that the task needs, in thousandths. */
static int64_t propagate_packing_share_of(const struct br_lcg_problem *p, uint32_t task)
{
    int64_t most = 0;
    for (uint32_t r = 0; r < p->amounts; r++) {
        int64_t amount = p->amount[(size_t)task * p->amounts + r], room = 0;
        for (uint32_t m = 0; m < p->machines; m++)
            if (p->room[(size_t)m * p->amounts + r] > room)
                room = p->room[(size_t)m * p->amounts + r];
        int64_t unit = room / 1000 + 1;
        most = amount / unit > most ? amount / unit : most;
    }
    return most;
}

bool br_lcg_packing_init(struct br_lcg_packing *k, const struct br_lcg_problem *p,
                         struct br_arena *arena)
{
    *k = (struct br_lcg_packing){.p = p};
    if (!BR_ARRAY(arena, p->tasks, k->order) || !BR_ARRAY(arena, ANSWERS, k->set) ||
        !BR_ARRAY(arena, ANSWERS, k->packs) || !BR_ARRAY(arena, p->tasks, k->task) ||
        !BR_ARRAY(arena, p->amounts, k->all) ||
        !BR_ARRAY(arena, (size_t)p->machines * p->amounts, k->left) ||
        !BR_ARRAY(arena, p->machines, k->used))
        return false;
    for (uint32_t m = 0; m < p->machines; m++)
        for (uint32_t r = 0; r < p->amounts; r++)
            k->all[r] += p->room[(size_t)m * p->amounts + r];
    for (uint32_t t = 0; t < p->tasks; t++) {
        uint32_t j = t;
        for (; j > 0 &&
               propagate_packing_share_of(p, k->order[j - 1]) < propagate_packing_share_of(p, t);
             j--)
            k->order[j] = k->order[j - 1];
        k->order[j] = t;
    }
    return true;
}

static bool propagate_packing_place(struct br_lcg_packing *k, uint32_t at, uint32_t count)
{
    const struct br_lcg_problem *p = k->p;
    if (at == count || k->nodes++ >= NODES_MAX)
        return true;
    const int64_t *amount = p->amount + (size_t)k->task[at] * p->amounts;
    for (uint32_t m = 0; m < p->machines; m++) {
        int64_t *left = k->left + (size_t)m * p->amounts;
        bool fits = k->used[m] || p->twin[m] == m || k->used[p->twin[m]], was = k->used[m];
        for (uint32_t r = 0; r < p->amounts && fits; r++)
            fits = amount[r] <= left[r];
        if (!fits)
            continue;
        for (uint32_t r = 0; r < p->amounts; r++)
            left[r] -= amount[r];
        k->used[m] = true;
        bool packs = propagate_packing_place(k, at + 1, count);
        k->used[m] = was;
        for (uint32_t r = 0; r < p->amounts; r++)
            left[r] += amount[r];
        if (packs)
            return true;
    }
    return false;
}

/* Does the set exceed what all machines have together? */
static bool propagate_packing_overfull(const struct br_lcg_packing *k, uint64_t set)
{
    const struct br_lcg_problem *p = k->p;
    for (uint32_t r = 0; r < p->amounts; r++) {
        int64_t left = k->all[r];
        for (uint64_t tasks = set; tasks && left >= 0; tasks &= tasks - 1)
            left -= p->amount[(size_t)__builtin_ctzll(tasks) * p->amounts + r];
        if (left < 0)
            return true;
    }
    return false;
}

bool br_lcg_packs(struct br_lcg_packing *k, uint64_t set)
{
    const struct br_lcg_problem *p = k->p;
    uint32_t slot = (uint32_t)((set * UINT64_C(0x9e3779b97f4a7c15)) >> 50), count = 0;
    assert(set != 0); /* the value that fills the table */
    if (k->set[slot] == set)
        return k->packs[slot];
    for (uint32_t i = 0; i < p->tasks; i++)
        if (set >> k->order[i] & 1)
            k->task[count++] = k->order[i];
    if (p->amounts > 0)
        memcpy(k->left, p->room, (size_t)p->machines * p->amounts * sizeof *k->left);
    memset(k->used, 0, p->machines * sizeof *k->used);
    k->nodes = 0;
    k->set[slot] = set;
    k->packs[slot] = !propagate_packing_overfull(k, set) && propagate_packing_place(k, 0, count);
    return k->packs[slot];
}
