/* Two questions keep the lists short. When room appears on a machine: which job goes first of those
 * that have something that fits (roster.h)? When tasks become ready: which machine has room for
 * them (rooms.h)? Between two events nothing that is ready fits anywhere, so only machines on which
 * something has ended, and jobs of which something has become ready, are asked about. */
#include "simulate/policies/list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/collections/heap.h"
#include "base/invariant.h"
#include "base/numbers/rng.h"
#include "planner/model/plan.h"
#include "simulate/policies/order.h"
#include "simulate/policies/rooms.h"
#include "simulate/policies/roster.h"

struct entry {
    struct br_list_job known;
    struct br_arena arena;
    int64_t *held;    /* by resource: demands of its running tasks */
    int64_t *least;   /* by resource: of what is ready */
    int64_t *tail_ns; /* by stage; NULL where the rule orders otherwise */
    bool woken;       /* it is in list->woken */
};

/* A job's place in the line of those of which something has become ready. */
struct turn {
    double group_share, key;
    uint32_t group, number, slot;
};

static bool turn_before(const void *none, const struct turn *a, const struct turn *b)
{
    (void)none;
    if (a->group_share != b->group_share)
        return a->group_share < b->group_share;
    if (a->group != b->group)
        return a->group < b->group;
    return a->key != b->key ? a->key < b->key : a->number < b->number;
}

BR_HEAP(turn, struct turn, const void *, turn_before, 4)

struct list {
    struct br_list_rule rule;
    struct br_policy_setup setup;
    struct br_arena arena;
    struct br_capacities capacities;
    struct br_rooms rooms;
    struct br_roster *roster; /* one, or one a group */
    uint32_t rosters;
    int64_t *group_held; /* [group * resources] */
    double *group_share; /* by group: the most that its tasks hold of a resource, over its weight */
    struct br_rng rng;
    struct entry *entry; /* by slot */
    uint32_t entries, entry_room;
    uint32_t *unused, unused_count, unused_room;
    uint32_t *slot_of, slot_room; /* by job of the workload */
    /* Machines on which something has ended, and jobs of which something has become ready. */
    uint32_t *freed, freed_count;
    bool *is_freed;
    struct turn *woken; /* outside of decisions only the slots count */
    uint32_t woken_count, woken_room;
    /* Of the search under way. */
    const int64_t *room;
    uint32_t found_k;
};

/* ---- Begin and end ---- */

enum br_status br_list_create(const struct br_list_rule *rule, const struct br_policy_setup *setup,
                              void **policy, struct br_diag *diag)
{
    struct list *list = calloc(1, sizeof *list);
    *policy = list;
    if (!list)
        return br_fail_memory(diag);
    list->rule = *rule;
    if (!isnan(setup->number))
        list->rule.number = setup->number;
    list->setup = *setup;
    list->rng = br_rng_seed(setup->seed);
    enum br_status status =
        br_capacities_make(&list->arena, setup->cluster, &list->capacities, diag);
    if (status)
        return status;
    list->rosters = rule->by_group ? setup->groups : 1;
    list->roster = br_arena_array(&list->arena, list->rosters, sizeof *list->roster);
    list->group_share = br_arena_array(&list->arena, setup->groups, sizeof *list->group_share);
    list->group_held =
        br_arena_array(&list->arena, (size_t)setup->groups * list->capacities.scale.resources,
                       sizeof *list->group_held);
    list->freed = br_arena_array(&list->arena, setup->cluster->machines, sizeof *list->freed);
    list->is_freed = br_arena_array(&list->arena, setup->cluster->machines, sizeof *list->is_freed);
    if (!list->roster || !list->group_share || !list->group_held || !list->freed ||
        !list->is_freed || !br_rooms_init(&list->rooms, setup->cluster, &list->capacities))
        return br_fail_memory(diag);
    for (uint32_t g = 0; g < list->rosters; g++)
        br_roster_init(&list->roster[g], list->capacities.scale.resources);
    return BR_OK;
}

static void finish_entry(struct entry *entry)
{
    br_job_destroy(entry->known.job);
    br_arena_finish(&entry->arena);
    *entry = (struct entry){0};
}

void br_list_destroy(void *policy)
{
    struct list *list = policy;
    for (uint32_t s = 0; s < list->entries; s++)
        finish_entry(&list->entry[s]);
    for (uint32_t g = 0; g < list->rosters && list->roster; g++)
        br_roster_finish(&list->roster[g]);
    br_rooms_finish(&list->rooms);
    free(list->entry);
    free(list->unused);
    free(list->slot_of);
    free(list->woken);
    br_arena_finish(&list->arena);
    free(list);
}

/* ---- Keys ---- */

static struct br_roster *roster_of(struct list *list, const struct entry *entry)
{
    return &list->roster[list->rule.by_group ? entry->known.group : 0];
}

/* The least of every demand of what is ready, and the longest path behind it. */
static void look_at_ready(struct list *list, struct entry *entry)
{
    const struct br_job *job = entry->known.job;
    uint32_t width = list->capacities.scale.resources;
    for (uint32_t r = 0; r < width; r++)
        entry->least[r] = INT64_MAX;
    for (uint32_t kind = 0; kind < job->ready.kinds; kind++) {
        const int64_t *demand = job->demand + (size_t)kind * width;
        if (br_ready_best(&job->ready, kind) == BR_NO_RANK)
            continue;
        for (uint32_t r = 0; r < width; r++)
            entry->least[r] = demand[r] < entry->least[r] ? demand[r] : entry->least[r];
    }
    if (entry->tail_ns && job->state.ready)
        entry->known.tail_s =
            (double)entry->tail_ns[job->task_stage[job->task[job->ready.best[1]]]] * 1e-9;
}

/* Puts the job where its key and what is ready of it belong. */
static bool place(struct list *list, uint32_t slot)
{
    struct entry *entry = &list->entry[slot];
    struct br_roster *roster = roster_of(list, entry);
    if (!entry->known.job->state.ready) {
        br_roster_clear(roster, slot);
        return true;
    }
    return br_roster_set(roster, slot, list->rule.key(&entry->known, list->rule.number),
                         entry->known.number, entry->least);
}

/* Adds the demand to what is held (sign 1), or takes it away. Returns the most that is held of a
 * resource then, as a share of the cluster. */
static double change(const struct list *list, int64_t *held, const int64_t *demand, int sign)
{
    double most = 0;
    for (uint32_t r = 0; r < list->capacities.scale.resources; r++) {
        double total = list->capacities.scale.total[r];
        held[r] += sign * demand[r];
        if (total > 0 && (double)held[r] / total > most)
            most = (double)held[r] / total;
    }
    return most;
}

/* A task of that demand starts (+1) or ends (-1): shares follow. */
static void count(struct list *list, struct entry *entry, const int64_t *demand, int sign)
{
    uint32_t g = entry->known.group, width = list->capacities.scale.resources;
    entry->known.share = change(list, entry->held, demand, sign);
    list->group_share[g] = change(list, list->group_held + (size_t)g * width, demand, sign) /
                           list->setup.group[g].weight;
}

/* ---- Events ---- */

static bool wake(struct list *list, uint32_t slot)
{
    struct entry *entry = &list->entry[slot];
    bool woken = entry->known.job->woken;
    entry->known.job->woken = false;
    if (woken)
        look_at_ready(list, entry);
    if (!woken || entry->woken)
        return true;
    if (!br_grow(&list->woken, list->woken_count, &list->woken_room, sizeof *list->woken))
        return false;
    entry->woken = true;
    list->woken[list->woken_count++] = (struct turn){.slot = slot};
    return true;
}

/* The slot of a new job. */
static bool take_slot(struct list *list, uint32_t job, uint32_t *slot)
{
    while (job >= list->slot_room) {
        uint32_t used = list->slot_room;
        if (!br_grow(&list->slot_of, used, &list->slot_room, sizeof *list->slot_of))
            return false;
    }
    if (list->unused_count) {
        *slot = list->unused[--list->unused_count];
    } else {
        if (!br_grow(&list->entry, list->entries, &list->entry_room, sizeof *list->entry) ||
            !br_grow(&list->unused, list->entries, &list->unused_room, sizeof *list->unused))
            return false;
        *slot = list->entries++;
    }
    list->entry[*slot] = (struct entry){0};
    list->slot_of[job] = *slot;
    return true;
}

static enum br_status make_job(struct list *list, const struct br_arrival *arrival,
                               struct entry *entry, struct br_diag *diag)
{
    uint32_t width = list->capacities.scale.resources;
    const struct br_plan *plan = NULL;
    const uint32_t *order = NULL;
    entry->held = br_arena_array(&entry->arena, width, sizeof *entry->held);
    entry->least = br_arena_array(&entry->arena, width, sizeof *entry->least);
    if (list->rule.order == BR_LIST_TAIL)
        entry->tail_ns =
            br_arena_array(&entry->arena, arrival->dag->stages, sizeof *entry->tail_ns);
    if (!entry->held || !entry->least || (list->rule.order == BR_LIST_TAIL && !entry->tail_ns))
        return br_fail_memory(diag);
    switch (list->rule.order) {
    case BR_LIST_BREADTH:
        order = br_order_breadth(&entry->arena, arrival->dag);
        break;
    case BR_LIST_TAIL:
        order = br_order_tails(&entry->arena, arrival->dag, entry->tail_ns);
        break;
    case BR_LIST_PLAN:
        plan = list->setup.plan(list->setup.plan_context, arrival, diag);
        if (!plan)
            return diag ? diag->status : BR_SYSTEM;
        order = plan->order;
        break;
    }
    if (!order)
        return br_fail_memory(diag);
    return br_job_create(arrival->dag, NULL, order, &list->capacities.scale,
                         list->setup.cluster->machines, false, &entry->known.job, diag);
}

enum br_status br_list_arrive(void *policy, const struct br_arrival *arrival, int64_t now_ns,
                              struct br_diag *diag)
{
    struct list *list = policy;
    uint32_t slot;
    (void)now_ns;
    if (!take_slot(list, arrival->job, &slot))
        return br_fail_memory(diag);
    struct entry *entry = &list->entry[slot];
    entry->known = (struct br_list_job){.number = arrival->job,
                                        .group = arrival->group,
                                        .weight = arrival->weight,
                                        .draw = br_rng_next(&list->rng)};
    enum br_status status = make_job(list, arrival, entry, diag);
    if (status)
        return status;
    entry->known.total = entry->known.job->remaining;
    return wake(list, slot) && place(list, slot) ? BR_OK : br_fail_memory(diag);
}

enum br_status br_list_end(void *policy, const struct br_ended *ended, int64_t now_ns,
                           struct br_diag *diag)
{
    struct list *list = policy;
    uint32_t slot = list->slot_of[ended->job];
    struct entry *entry = &list->entry[slot];
    struct br_job *job = entry->known.job;
    const int64_t *demand = br_job_demand(job, ended->task, list->capacities.scale.resources);
    br_rooms_change(&list->rooms, ended->machine, demand, 1);
    count(list, entry, demand, -1);
    if (ended->failed)
        br_job_fail(job, ended->task, true, now_ns);
    else
        br_job_finish(job, ended->task);
    if (!list->is_freed[ended->machine]) {
        list->is_freed[ended->machine] = true;
        list->freed[list->freed_count++] = ended->machine;
    }
    return wake(list, slot) && place(list, slot) ? BR_OK : br_fail_memory(diag);
}

enum br_status br_list_retire(void *policy, uint32_t number, struct br_diag *diag)
{
    struct list *list = policy;
    uint32_t slot = list->slot_of[number];
    struct entry *entry = &list->entry[slot];
    (void)diag;
    br_roster_clear(roster_of(list, entry), slot);
    assert(!entry->woken); /* what has become ready is decided before it can end */
    finish_entry(entry);
    list->unused[list->unused_count++] = slot; /* has room for all slots */
    return BR_OK;
}

enum br_status br_list_machine(void *policy, uint32_t machine, bool there, struct br_diag *diag)
{
    struct list *list = policy;
    (void)diag;
    br_rooms_move(&list->rooms, machine, there);
    if (there && !list->is_freed[machine]) {
        list->is_freed[machine] = true;
        list->freed[list->freed_count++] = machine;
    }
    return BR_OK;
}

/* ---- Decisions ---- */

struct least_rank {
    const struct br_ready *ready;
    uint32_t k;
};

static double rank_bound(void *context, uint32_t k, const int64_t *most)
{
    const struct least_rank *search = context;
    (void)most;
    return k < search->k ? -(double)k : -INFINITY;
}

static void rank_visit(void *context, uint32_t kind)
{
    struct least_rank *search = context;
    search->k = br_ready_best(search->ready, kind); /* less, or the bound had left it out */
}

/* The first task of the job that fits into the room, as rank - 1, or BR_NO_RANK. */
static uint32_t first_task(const struct br_job *job, const int64_t *room)
{
    struct least_rank search = {&job->ready, BR_NO_RANK};
    const struct br_ready_walk walk = {rank_bound, rank_visit, &search};
    br_ready_search(&job->ready, room, &walk);
    return search.k;
}

static bool fits(void *context, uint32_t slot)
{
    struct list *list = context;
    uint32_t k = first_task(list->entry[slot].known.job, list->room);
    if (k == BR_NO_RANK)
        return false;
    list->found_k = k;
    return true;
}

/* The task starts on the machine. */
static void start(struct list *list, uint32_t slot, uint32_t k, uint32_t machine, int64_t now_ns,
                  struct br_decision *decision)
{
    struct entry *entry = &list->entry[slot];
    struct br_job *job = entry->known.job;
    uint32_t task = job->task[k], kind = job->ready.rank_kind[k];
    const int64_t *demand = br_job_demand(job, task, list->capacities.scale.resources);
    *decision = (struct br_decision){entry->known.number, task, machine};
    br_job_run(job, task, machine, now_ns);
    br_rooms_change(&list->rooms, machine, demand, -1);
    count(list, entry, demand, 1);
    entry->known.draw = br_rng_next(&list->rng);
    if (br_ready_best(&job->ready, kind) == BR_NO_RANK || entry->tail_ns)
        look_at_ready(list, entry);
    bool placed = place(list, slot); /* needs no memory where the slot is in the roster already */
    assert(placed);
    (void)placed;
}

/* The slot that goes first on a machine with this room, or BR_NOBODY; list->found_k is its task. Of
 * the groups that have something that fits, the one with the least share goes first. */
static uint32_t first_job(struct list *list, const int64_t *room)
{
    uint32_t first = BR_NOBODY;
    double least = INFINITY;
    list->room = room;
    for (uint32_t g = 0; g < list->rosters; g++) {
        if (first != BR_NOBODY && list->group_share[g] >= least)
            continue;
        uint32_t slot = br_roster_first(&list->roster[g], room, fits, list);
        if (slot != BR_NOBODY) {
            first = slot;
            least = list->group_share[g];
        }
    }
    return first;
}

/* Fills one machine. Returns the number of decisions; `room` of them means that there may be more.
 */
static uint32_t fill_machine(struct list *list, uint32_t machine, int64_t now_ns,
                             struct br_decision *decisions, uint32_t room)
{
    uint32_t made = 0, slot;
    while (made < room &&
           (slot = first_job(list, br_rooms_free(&list->rooms, machine))) != BR_NOBODY)
        start(list, slot, list->found_k, machine, now_ns, &decisions[made++]);
    return made;
}

/* The first task of the job, in its order, that fits on any machine. */
static bool find_room(struct list *list, const struct br_job *job, uint32_t *k, uint32_t *machine)
{
    uint32_t width = list->capacities.scale.resources;
    *k = BR_NO_RANK;
    for (uint32_t kind = 0; kind < job->ready.kinds; kind++) {
        uint32_t best = br_ready_best(&job->ready, kind);
        if (best == BR_NO_RANK || best >= *k)
            continue;
        uint32_t first = br_rooms_first(&list->rooms, job->demand + (size_t)kind * width);
        if (first != UINT32_MAX) {
            *k = best;
            *machine = first;
        }
    }
    return *k != BR_NO_RANK;
}

static struct turn turn_of(const struct list *list, uint32_t slot)
{
    const struct br_list_job *job = &list->entry[slot].known;
    struct turn turn = {
        .key = list->rule.key(job, list->rule.number), .number = job->number, .slot = slot};
    if (list->rule.by_group) {
        turn.group = job->group;
        turn.group_share = list->group_share[job->group];
    }
    return turn;
}

/* Starts what has become ready, job by job, wherever there is room. A job of which nothing fits is
 * asked no more. A start changes the job's key, and the share of its group, which only grows: so a
 * job whose turn has come is put back where others go before it by now. */
static uint32_t serve_woken(struct list *list, int64_t now_ns, struct br_decision *decisions,
                            uint32_t room)
{
    struct turn *woken = list->woken;
    uint32_t made = 0, all = list->woken_count, k, machine;
    list->woken_count = 0;
    for (uint32_t w = 0; w < all; w++)
        turn_push(NULL, woken, &list->woken_count, turn_of(list, woken[w].slot));
    while (made < room && list->woken_count) {
        uint32_t slot = woken[0].slot;
        struct turn now = turn_of(list, slot);
        if (turn_before(NULL, &woken[0], &now)) {
            turn_replace(NULL, woken, list->woken_count, now);
        } else if (find_room(list, list->entry[slot].known.job, &k, &machine)) {
            start(list, slot, k, machine, now_ns, &decisions[made++]);
        } else {
            list->entry[slot].woken = false;
            turn_pop(NULL, woken, &list->woken_count);
        }
    }
    return made;
}

uint32_t br_list_decide(void *policy, int64_t now_ns, struct br_decision *decisions, uint32_t room,
                        int64_t *wake_ns)
{
    struct list *list = policy;
    uint32_t made = 0;
    (void)wake_ns;
    while (list->freed_count && made < room) {
        uint32_t machine = list->freed[list->freed_count - 1];
        made += list->rooms.away[machine]
                    ? 0
                    : fill_machine(list, machine, now_ns, decisions + made, room - made);
        if (made < room) {
            list->is_freed[machine] = false;
            list->freed_count--;
        }
    }
    return made + serve_woken(list, now_ns, decisions + made, room - made);
}
