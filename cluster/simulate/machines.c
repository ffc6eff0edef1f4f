#include "cluster/simulate/machines.h"

#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/invariant.h"
#include "base/numbers/wide.h"

static enum br_status overbook(struct br_machines *machines, const struct br_cluster *cluster,
                               const struct br_overbook *row, struct br_diag *diag)
{
    uint32_t r;
    enum br_status status =
        br_overbook_find(&machines->capacities.scale, row->resource, row->percent, &r, diag);
    if (status)
        return status;
    for (uint32_t c = 0; c < cluster->classes; c++) {
        size_t at = (size_t)c * machines->resources + r;
        int64_t capacity = machines->capacities.capacity[at];
        machines->limit[at] = capacity + br_overbook_extra(capacity, row->percent);
        assert(machines->limit[at] >= capacity);
    }
    machines->overbooked = machines->chained = machines->paced = true;
    return BR_OK;
}

enum br_status br_machines_init(struct br_machines *machines, const struct br_cluster *cluster,
                                const struct br_policy_setup *setup, struct br_diag *diag)
{
    *machines = (struct br_machines){.machines = cluster->machines};
    struct br_arena *arena = &machines->arena;
    enum br_status status = br_capacities_make(arena, cluster, &machines->capacities, diag);
    if (status)
        return status;
    size_t width = machines->resources = machines->capacities.scale.resources;
    if (!BR_ARRAY(arena, cluster->classes * width, machines->limit) ||
        !BR_ARRAY(arena, cluster->machines * width, machines->held) ||
        !BR_ARRAY(arena, cluster->machines, machines->there) ||
        !BR_ARRAY(arena, cluster->machines, machines->first))
        return br_fail_memory(diag);
    memcpy(machines->limit, machines->capacities.capacity,
           cluster->classes * width * sizeof *machines->limit);
    memset(machines->there, true, cluster->machines * sizeof *machines->there);
    memset(machines->first, 0xff, cluster->machines * sizeof *machines->first);
    for (uint32_t k = 0; k < setup->overbooked && !status; k++)
        status = overbook(machines, cluster, &setup->overbook[k], diag);
    return status;
}

void br_machines_finish(struct br_machines *machines)
{
    free(machines->slot);
    free(machines->progress);
    free(machines->unused);
    br_arena_finish(&machines->arena);
}

bool br_machines_fit(const struct br_machines *machines, uint32_t machine, const int64_t *demand)
{
    assert(machine < machines->machines);
    const int64_t *held = machines->held + (size_t)machine * machines->resources;
    const int64_t *limit =
        machines->limit + (size_t)machines->capacities.machine_class[machine] * machines->resources;
    for (uint32_t r = 0; r < machines->resources; r++)
        if (held[r] + demand[r] > limit[r] && demand[r] > 0)
            return false;
    return machines->there[machine];
}

static void simulate_machines_chain(struct br_machines *machines, uint32_t at)
{
    struct br_running *slot = &machines->slot[at];
    slot->last = BR_NO_SLOT;
    slot->next = machines->first[slot->machine];
    assert(slot->next == BR_NO_SLOT || machines->slot[slot->next].last == BR_NO_SLOT);
    if (slot->next != BR_NO_SLOT)
        machines->slot[slot->next].last = at;
    machines->first[slot->machine] = at;
}

static void simulate_machines_unchain(struct br_machines *machines, const struct br_running *slot)
{
    assert(slot->last != BR_NO_SLOT || &machines->slot[machines->first[slot->machine]] == slot);
    *(slot->last == BR_NO_SLOT ? &machines->first[slot->machine]
                               : &machines->slot[slot->last].next) = slot->next;
    if (slot->next != BR_NO_SLOT)
        machines->slot[slot->next].last = slot->last;
}

static void simulate_machines_hold(struct br_machines *machines, const struct br_running *task,
                                   int sign)
{
    int64_t *held = machines->held + (size_t)task->machine * machines->resources;
    for (uint32_t r = 0; r < machines->resources; r++) {
        held[r] += sign * task->demand[r];
        assert(held[r] >= 0);
    }
}

uint32_t br_machines_start(struct br_machines *machines, struct br_running task, int64_t lasts_ns,
                           int64_t now_ns)
{
    assert(lasts_ns >= 0 && task.machine < machines->machines);
    uint32_t at, version = 0;
    if (machines->unused_count) {
        at = machines->unused[--machines->unused_count];
        version = machines->slot[at].version + 1;
    } else {
        if (!br_grow(&machines->slot, machines->slots, &machines->slot_room,
                     sizeof *machines->slot) ||
            !br_grow(&machines->unused, machines->slots, &machines->unused_room,
                     sizeof *machines->unused) ||
            (machines->paced && !br_grow(&machines->progress, machines->slots,
                                         &machines->progress_room, sizeof *machines->progress)))
            return BR_NO_SLOT;
        at = machines->slots++;
    }
    struct br_running *slot = &machines->slot[at];
    assert(!slot->demand || at + 1 == machines->slots);
    *slot = task;
    slot->version = version;
    slot->start_ns = slot->work_ns = now_ns;
    if (machines->paced)
        machines->progress[at] = (struct br_pace){lasts_ns, now_ns, 1, 1};
    if (machines->chained)
        simulate_machines_chain(machines, at);
    simulate_machines_hold(machines, slot, 1);
    return at;
}

/* The end of a task from what is left of it. */
static int64_t simulate_machines_end_of(const struct br_pace *progress, int64_t now_ns)
{
    assert(progress->rate > 0 && progress->rate <= progress->of);
    br_wide lasts =
        ((br_wide)progress->left_ns * progress->of + progress->rate - 1) / progress->rate;
    return lasts < INT64_MAX - now_ns ? now_ns + (int64_t)lasts : INT64_MAX;
}

int64_t br_machines_work(struct br_machines *machines, uint32_t at, int64_t now_ns)
{
    struct br_running *slot = &machines->slot[at];
    assert(slot->fetches && machines->paced);
    slot->fetches = false;
    assert(machines->progress[at].seen_ns <= now_ns);
    slot->work_ns = machines->progress[at].seen_ns = now_ns;
    return simulate_machines_end_of(&machines->progress[at], now_ns);
}

void br_machines_end(struct br_machines *machines, uint32_t at)
{
    struct br_running *slot = &machines->slot[at];
    assert(slot->demand && machines->unused_count < machines->slots);
    simulate_machines_hold(machines, slot, -1);
    if (machines->chained)
        simulate_machines_unchain(machines, slot);
    slot->demand = NULL;
    slot->version++;
    machines->unused[machines->unused_count++] = at; /* has room for all slots */
}

/* ---- Overbooked resources ---- */

/* The task's rate: the least capacity / demand of all, over the resources that it demands. */
static void find_rate(const struct br_machines *machines, const struct br_running *slot,
                      int64_t *rate, int64_t *of)
{
    const int64_t *held = machines->held + (size_t)slot->machine * machines->resources;
    const int64_t *capacity =
        machines->capacities.capacity +
        (size_t)machines->capacities.machine_class[slot->machine] * machines->resources;
    *rate = *of = 1;
    for (uint32_t r = 0; r < machines->resources; r++)
        if (slot->demand[r] > 0 && held[r] > capacity[r] &&
            (br_wide)capacity[r] * *of < (br_wide)*rate * held[r]) {
            *rate = capacity[r];
            *of = held[r];
        }
    assert(*rate > 0 && *rate <= *of);
}

void br_machines_settle(struct br_machines *machines, uint32_t machine, int64_t now_ns,
                        void (*moved)(void *context, uint32_t slot, int64_t end_ns), void *context)
{
    for (uint32_t at = machines->overbooked ? machines->first[machine] : BR_NO_SLOT;
         at != BR_NO_SLOT; at = machines->slot[at].next) {
        struct br_pace *progress = &machines->progress[at];
        int64_t rate, of;
        find_rate(machines, &machines->slot[at], &rate, &of);
        if (rate == progress->rate && of == progress->of)
            continue;
        assert(progress->seen_ns <= now_ns && machines->slot[at].machine == machine);
        bool fetches = machines->slot[at].fetches;
        br_wide past = fetches ? 0 : now_ns - progress->seen_ns;
        int64_t done = (int64_t)(past * progress->rate / progress->of);
        progress->left_ns = progress->left_ns > done ? progress->left_ns - done : 0;
        progress->seen_ns = now_ns;
        progress->rate = rate;
        progress->of = of;
        machines->slot[at].version++;
        if (!fetches)
            moved(context, at, simulate_machines_end_of(progress, now_ns));
    }
}
