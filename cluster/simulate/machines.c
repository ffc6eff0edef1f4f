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

/* What the policy does not look at, and room for what is used. */
static enum br_status simulate_machines_measure(struct br_machines *machines,
                                                const struct br_policy_setup *setup,
                                                struct br_diag *diag)
{
    struct br_arena *arena = &machines->arena;
    machines->measured |= setup->unseens > 0;
    for (uint32_t k = 0; k < setup->unseens; k++) {
        uint32_t r = br_scale_find(&machines->capacities.scale, setup->unseen[k]);
        if (r == UINT32_MAX)
            return br_fail(diag, BR_USAGE, "name a resource of the cluster",
                           "no machine has a resource '%.80s'", setup->unseen[k]);
        machines->unseen[r] = true;
    }
    if (!machines->measured)
        return BR_OK;
    machines->overbooked = machines->chained = machines->paced = true;
    return BR_ARRAY(arena, (size_t)machines->machines * machines->resources, machines->used)
               ? BR_OK
               : br_fail_memory(diag);
}

enum br_status br_machines_init(struct br_machines *machines, const struct br_cluster *cluster,
                                const struct br_policy_setup *setup, bool measured,
                                struct br_diag *diag)
{
    *machines = (struct br_machines){.machines = cluster->machines, .measured = measured};
    struct br_arena *arena = &machines->arena;
    enum br_status status = br_capacities_make(arena, cluster, &machines->capacities, diag);
    if (status)
        return status;
    size_t width = machines->resources = machines->capacities.scale.resources;
    if (!BR_ARRAY(arena, cluster->classes * width, machines->limit) ||
        !BR_ARRAY(arena, cluster->machines * width, machines->held) ||
        !BR_ARRAY(arena, cluster->machines, machines->there) ||
        !BR_ARRAY(arena, width, machines->unseen) ||
        !BR_ARRAY(arena, cluster->machines, machines->first))
        return br_fail_memory(diag);
    memcpy(machines->limit, machines->capacities.capacity,
           cluster->classes * width * sizeof *machines->limit);
    memset(machines->there, true, cluster->machines * sizeof *machines->there);
    memset(machines->first, 0xff, cluster->machines * sizeof *machines->first);
    for (uint32_t k = 0; k < setup->overbooked && !status; k++)
        status = overbook(machines, cluster, &setup->overbook[k], diag);
    return status ? status : simulate_machines_measure(machines, setup, diag);
}

void br_machines_finish(struct br_machines *machines)
{
    free(machines->slot);
    free(machines->progress);
    free(machines->use);
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
        if (held[r] + demand[r] > limit[r] && demand[r] > 0 && !machines->unseen[r])
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
        held[r] += machines->unseen[r] ? 0 : sign * task->demand[r];
        assert(held[r] >= 0);
    }
}

/* The same of what the slot's task uses. */
static void simulate_machines_use(struct br_machines *machines, uint32_t at, int sign)
{
    size_t width = machines->resources;
    br_wide *used = machines->used + machines->slot[at].machine * width;
    const int64_t *use = machines->use + at * width;
    for (uint32_t r = 0; r < width; r++) {
        used[r] += (br_wide)use[r] * sign;
        assert(used[r] >= 0);
    }
}

/* Room for what the slot's task uses. False when memory is out. */
static bool simulate_machines_reach_use(struct br_machines *machines, uint32_t slots)
{
    bool good = true;
    while (good && machines->measured && slots >= machines->use_room)
        good = br_grow(&machines->use, machines->use_room, &machines->use_room,
                       machines->resources * sizeof *machines->use);
    return good;
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
                                         &machines->progress_room, sizeof *machines->progress)) ||
            !simulate_machines_reach_use(machines, machines->slots))
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
    if (machines->measured) {
        assert(slot->use);
        memcpy(machines->use + (size_t)at * machines->resources, slot->use,
               machines->resources * sizeof *machines->use);
        simulate_machines_use(machines, at, 1);
    }
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
    if (machines->measured)
        simulate_machines_use(machines, at, -1);
    if (machines->chained)
        simulate_machines_unchain(machines, slot);
    slot->demand = NULL;
    slot->version++;
    machines->unused[machines->unused_count++] = at; /* has room for all slots */
}

/* ---- Overbooked resources ---- */

/* What all tasks of the machine use of the resource; demand unless it is measured. */
static br_wide used_of(const struct br_machines *machines, uint32_t machine, uint32_t r)
{
    size_t at = (size_t)machine * machines->resources + r;
    return machines->measured ? machines->used[at] : machines->held[at];
}

/* The task's rate: the least capacity / use of all, over the resources that it uses. */
static void find_rate(const struct br_machines *machines, uint32_t at, int64_t *rate, int64_t *of)
{
    const struct br_running *slot = &machines->slot[at];
    size_t width = machines->resources;
    const int64_t *use = machines->measured ? machines->use + at * width : slot->demand;
    const int64_t *capacity =
        machines->capacities.capacity + machines->capacities.machine_class[slot->machine] * width;
    *rate = *of = 1;
    for (uint32_t r = 0; r < width; r++) {
        br_wide used = used_of(machines, slot->machine, r);
        used = used < INT64_MAX ? used : INT64_MAX;
        /* Only of what the policy does not look at the machine may have none; nothing slows then.
         */
        if (use[r] == 0 || used <= capacity[r] || capacity[r] == 0 ||
            (br_wide)capacity[r] * *of >= (br_wide)*rate * used)
            continue;
        *rate = capacity[r];
        *of = (int64_t)used;
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
        find_rate(machines, at, &rate, &of);
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
