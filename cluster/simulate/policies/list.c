/* Two questions keep the lists short. When room appears on a machine: which job goes first of those
 * that have something that fits (roster.h)? When a kind of task becomes ready of which a job had
 * nothing: which machine has room for it (rooms.h)? Between two events nothing that is ready fits
 * anywhere, so only machines on which something has ended, and such kinds, are asked about. */
#include "cluster/simulate/policies/list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/collections/heap.h"
#include "base/invariant.h"
#include "base/numbers/rng.h"
#include "cluster/simulate/policies/members.h"
#include "cluster/simulate/policies/rooms.h"

enum { LINE = 64 /* bytes that memory brings at once */ };

/* A job's place in the line of those of which something has become ready. */
struct turn {
    double group_share, key;
    uint32_t group, number, slot;
};

static bool policies_list_turn_before(const void *none, const struct turn *a, const struct turn *b)
{
    (void)none;
    if (a->group_share != b->group_share)
        return a->group_share < b->group_share;
    if (a->group != b->group)
        return a->group < b->group;
    return a->key != b->key ? a->key < b->key : a->number < b->number;
}

BR_HEAP(turn, struct turn, const void *, policies_list_turn_before, 4)

struct list {
    struct br_ranked_rule rule;
    struct br_policy_setup setup;
    struct br_arena arena;
    struct br_capacities capacities;
    struct br_rooms rooms;
    struct br_members members;
    int64_t *group_held; /* [group * resources] */
    double *group_share; /* by group: the most that its tasks hold of a resource, over its weight */
    struct br_rng rng;
    /* [machine * resources]: nothing that is ready and not fresh fits into that room; below 0: it
     * is not known. */
    int64_t *closed;
    /* Machines on which something has ended, and jobs of which something is fresh. */
    uint32_t *freed, freed_count;
    bool *is_freed;
    struct turn *woken; /* outside of decisions only the slots count */
    uint32_t woken_count, woken_room;
};

/* ---- Rooms in which nothing fits ---- */

/* Nothing that is ready and not fresh fits on the machine now. */
static void close_machine(struct list *list, uint32_t machine)
{
    uint32_t width = list->capacities.scale.resources;
    memcpy(list->closed + (size_t)machine * width, br_rooms_free(&list->rooms, machine),
           width * sizeof *list->closed);
}

/* Is there no more room than when nothing fitted, and nothing that is fresh? */
static bool policies_list_is_closed(const struct list *list, uint32_t machine, const int64_t *room)
{
    uint32_t width = list->capacities.scale.resources;
    const int64_t *closed = list->closed + (size_t)machine * width;
    int64_t more = width ? 0 : -1; /* below 0: in some resource */
    for (uint32_t r = 0; r < width; r++)
        more |= closed[r] - room[r];
    return more >= 0 && !list->woken_count;
}

/* ---- Begin and end ---- */

/* Demands of the setup's unseen resources count as none. False when memory is out. */
static bool list_forget_unseen(struct list *list)
{
    struct br_scale *scale = &list->capacities.scale;
    bool *unseen = br_arena_array(&list->arena, scale->resources, sizeof *unseen);
    for (uint32_t k = 0; unseen && k < list->setup.unseens; k++) {
        uint32_t r = br_scale_find(scale, list->setup.unseen[k]);
        assert(r != UINT32_MAX); /* the machines know it */
        unseen[r] = true;
    }
    scale->unseen = unseen;
    return unseen;
}

enum br_status br_ranked_create(const struct br_ranked_rule *rule,
                                const struct br_policy_setup *setup, void **policy,
                                struct br_diag *diag)
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
    list->group_share = br_arena_array(&list->arena, setup->groups, sizeof *list->group_share);
    list->group_held =
        br_arena_array(&list->arena, (size_t)setup->groups * list->capacities.scale.resources,
                       sizeof *list->group_held);
    list->freed = br_arena_array(&list->arena, setup->cluster->machines, sizeof *list->freed);
    list->is_freed = br_arena_array(&list->arena, setup->cluster->machines, sizeof *list->is_freed);
    if (setup->unseens && !list_forget_unseen(list))
        return br_fail_memory(diag);
    list->closed = br_arena_array(
        &list->arena, (size_t)setup->cluster->machines * list->capacities.scale.resources,
        sizeof *list->closed);
    if (!list->closed || !list->group_share || !list->group_held || !list->freed ||
        !list->is_freed || !br_rooms_init(&list->rooms, setup->cluster, &list->capacities) ||
        !br_members_init(&list->members, &list->rule, &list->setup, &list->capacities,
                         list->rooms.most))
        return br_fail_memory(diag);
    for (uint32_t m = 0; m < setup->cluster->machines; m++)
        close_machine(list, m); /* there is nothing yet */
    return BR_OK;
}

void br_ranked_destroy(void *policy)
{
    struct list *list = policy;
    br_members_finish(&list->members);
    br_rooms_finish(&list->rooms);
    free(list->woken);
    br_arena_finish(&list->arena);
    free(list);
}

/* ---- Shares ---- */

/* Adds the demand to what is held (sign 1), or takes it away. Returns the most that is held of a
 * resource then, as a share of the cluster. */
static double policies_list_change(const struct list *list, int64_t *held, const int64_t *demand,
                                   int sign)
{
    double most = 0;
    for (uint32_t r = 0; r < list->capacities.scale.resources; r++) {
        double total = list->capacities.scale.total[r];
        held[r] += sign * demand[r];
        assert(held[r] >= 0);
        if (total > 0 && (double)held[r] / total > most)
            most = (double)held[r] / total;
    }
    return most;
}

/* A task of that demand starts (+1) or ends (-1): shares follow. */
static void policies_list_count(struct list *list, struct br_member *member, const int64_t *demand,
                                int sign)
{
    uint32_t g = member->known.group, width = list->capacities.scale.resources;
    if (list->rule.by_share)
        member->known.share = policies_list_change(list, member->held, demand, sign);
    if (!list->rule.by_group)
        return;
    list->group_share[g] =
        policies_list_change(list, list->group_held + (size_t)g * width, demand, sign) /
        list->setup.group[g].weight;
}

/* ---- Events ---- */

/* Something has become of the job's tasks: keys follow, and what is fresh is noted. */
static enum br_status policies_list_settle(struct list *list, uint32_t slot, struct br_diag *diag)
{
    struct br_member *member = &list->members.member[slot];
    assert(member->known.job);
    if (!br_member_settle(&list->members, member))
        return br_fail_memory(diag);
    if (!member->freshes || member->woken)
        return BR_OK;
    if (!br_grow(&list->woken, list->woken_count, &list->woken_room, sizeof *list->woken))
        return br_fail_memory(diag);
    member->woken = true;
    list->woken[list->woken_count++] = (struct turn){.slot = slot};
    return BR_OK;
}

enum br_status br_ranked_arrive(void *policy, const struct br_arrival *arrival, int64_t now_ns,
                                struct br_diag *diag)
{
    struct list *list = policy;
    uint32_t slot;
    (void)now_ns;
    enum br_status status =
        br_members_add(&list->members, arrival, br_rng_next(&list->rng), &slot, diag);
    return status ? status : policies_list_settle(list, slot, diag);
}

static void free_machine(struct list *list, uint32_t machine)
{
    if (list->is_freed[machine])
        return;
    assert(list->freed_count < list->rooms.machines);
    list->is_freed[machine] = true;
    list->freed[list->freed_count++] = machine;
}

enum br_status br_ranked_end(void *policy, const struct br_ended *ended, int64_t now_ns,
                             struct br_diag *diag)
{
    struct list *list = policy;
    uint32_t slot = list->members.slot_of[ended->job];
    struct br_member *member = &list->members.member[slot];
    struct br_job *job = member->known.job;
    const int64_t *demand = br_job_demand(job, ended->task, list->capacities.scale.resources);
    assert(member->known.number == ended->job);
    br_rooms_change(&list->rooms, ended->machine, demand, 1);
    policies_list_count(list, member, demand, -1);
    if (ended->failed)
        br_job_fail(job, ended->task, true, now_ns);
    else
        br_job_finish(job, ended->task);
    if (list->setup.refine && !ended->failed && !br_job_lasted(job, ended->task, ended->lasted_ns))
        return br_fail_memory(diag);
    free_machine(list, ended->machine);
    return policies_list_settle(list, slot, diag);
}

void br_ranked_expect(void *policy, uint32_t job, uint32_t task, bool closely)
{
    const struct list *list = policy;
    uint32_t slot = list->members.slot_of[job];
    const struct br_member *member = &list->members.member[slot];
    if (!list->members.job[slot])
        return;
    if (closely)
        __builtin_prefetch(member->posting);
    for (size_t at = 0; at < sizeof *member && !closely; at += LINE)
        __builtin_prefetch((const char *)member + at);
    br_job_expect(list->members.job[slot], task, closely);
}

enum br_status br_ranked_retire(void *policy, uint32_t number, struct br_diag *diag)
{
    struct list *list = policy;
    uint32_t slot = list->members.slot_of[number];
    (void)diag;
    assert(!list->members.member[slot].woken); /* what is fresh is decided before it can end */
    br_members_remove(&list->members, slot);
    return BR_OK;
}

enum br_status br_ranked_machine(void *policy, uint32_t machine, bool there, struct br_diag *diag)
{
    struct list *list = policy;
    (void)diag;
    uint32_t width = list->capacities.scale.resources;
    br_rooms_move(&list->rooms, machine, there);
    /* Nobody has looked at it while it was away. */
    memset(list->closed + (size_t)machine * width, 0xff, width * sizeof *list->closed);
    if (there)
        free_machine(list, machine);
    return BR_OK;
}

enum br_status br_ranked_lost(void *policy, uint32_t job, uint32_t task, int64_t now_ns,
                              struct br_diag *diag)
{
    struct list *list = policy;
    uint32_t slot = list->members.slot_of[job];
    br_job_lose(list->members.member[slot].known.job, task, now_ns);
    return policies_list_settle(list, slot, diag);
}

bool br_ranked_limit(void *policy, uint32_t job, uint32_t limit)
{
    struct list *list = policy;
    uint32_t slot = list->members.slot_of[job];
    list->members.member[slot].known.limit = limit;
    return !policies_list_settle(list, slot, NULL);
}

bool br_ranked_cap(void *policy, uint32_t job, uint32_t percent)
{
    struct list *list = policy;
    uint32_t slot = list->members.slot_of[job];
    struct br_member *member = &list->members.member[slot];
    assert(list->rule.by_share);
    for (uint32_t r = 0; r < list->capacities.scale.resources; r++)
        member->cap[r] = (int64_t)((br_wide)list->capacities.scale.total[r] * percent / 100);
    member->capped = true;
    return !policies_list_settle(list, slot, NULL);
}

bool br_ranked_guarantee(void *policy, uint32_t job, const struct br_ranked_share *share)
{
    struct list *list = policy;
    uint32_t slot = list->members.slot_of[job];
    struct br_ranked_job *known = &list->members.member[slot].known;
    known->guarantee = share->guarantee;
    known->ask = share->ask;
    known->turn = share->turn;
    return !policies_list_settle(list, slot, NULL);
}

const struct br_job *br_ranked_job(const void *policy, uint32_t job)
{
    const struct list *list = policy;
    return list->members.member[list->members.slot_of[job]].known.job;
}

uint32_t br_ranked_resources(const void *policy)
{
    const struct list *list = policy;
    return list->capacities.scale.resources;
}

const int64_t *br_ranked_free(void *policy, uint32_t machine)
{
    const struct list *list = policy;
    return list->rooms.away[machine] ? NULL : br_rooms_free(&list->rooms, machine);
}

uint32_t br_ranked_running(const void *policy, uint32_t job)
{
    const struct list *list = policy;
    return list->members.member[list->members.slot_of[job]].known.job->state.running;
}

/* ---- Decisions ---- */

/* The task of rank k + 1 starts on the machine. */
static void policies_list_start(struct list *list, struct br_member *member, uint32_t k,
                                uint32_t machine, int64_t now_ns, struct br_decision *decision)
{
    struct br_job *job = member->known.job;
    uint32_t task = job->form->task[k];
    const int64_t *demand = br_job_demand(job, task, list->capacities.scale.resources);
    *decision = (struct br_decision){member->known.number, task, machine};
    br_job_run(job, task, machine, now_ns);
    br_rooms_change(&list->rooms, machine, demand, -1);
    policies_list_count(list, member, demand, 1);
    member->known.draw = br_rng_next(&list->rng);
    bool settled = br_member_settle(&list->members, member); /* nothing has become ready */
    assert(settled);
    (void)settled;
}

/* The slot that goes first on a machine with this room, or BR_NOBODY. Of the groups that have
 * something that fits, the one with the least share goes first. */
static uint32_t first_job(struct list *list, const int64_t *room)
{
    uint32_t first = BR_NOBODY;
    double least = INFINITY;
    for (uint32_t g = 0; g < list->members.rosters; g++) {
        if (first != BR_NOBODY && list->group_share[g] >= least)
            continue;
        uint32_t slot = br_roster_first(&list->members.roster[g], room);
        if (slot != BR_NOBODY) {
            assert(slot < list->members.slots);
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
    const int64_t *free = br_rooms_free(&list->rooms, machine);
    uint32_t made = 0;
    while (made < room) {
        uint32_t slot =
            policies_list_is_closed(list, machine, free) ? BR_NOBODY : first_job(list, free);
        if (slot == BR_NOBODY) {
            close_machine(list, machine); /* to what there is now, also if that is less */
            break;
        }
        struct br_member *member = &list->members.member[slot];
        uint32_t k = br_member_first(member, list->capacities.scale.resources, free);
        assert(k != BR_NO_RANK);
        policies_list_start(list, member, k, machine, now_ns, &decisions[made++]);
    }
    return made;
}

/* The first task of what is fresh of the job, in its order, that fits on any machine. What fits
 * nowhere is forgotten: room only shrinks until the next event. */
static bool policies_list_find_room(struct list *list, struct br_member *member, uint32_t *k,
                                    uint32_t *machine)
{
    const struct br_job *job = member->known.job;
    uint32_t width = list->capacities.scale.resources;
    while (member->freshes) {
        uint32_t first = 0;
        *k = BR_NO_RANK;
        for (uint32_t f = 0; f < member->freshes; f++) {
            uint32_t best = br_ready_best(&job->ready, member->fresh[f].kind);
            first = best < *k ? f : first;
            *k = best < *k ? best : *k;
        }
        struct br_fresh *fresh = &member->fresh[first];
        *machine =
            *k == BR_NO_RANK
                ? UINT32_MAX
                : br_rooms_first(&list->rooms, job->form->demand + (size_t)fresh->kind * width,
                                 fresh->from);
        if (*machine != UINT32_MAX) {
            fresh->from = *machine;
            return true;
        }
        *fresh = member->fresh[--member->freshes];
    }
    return false;
}

static struct turn turn_of(const struct list *list, uint32_t slot)
{
    const struct br_member *member = &list->members.member[slot];
    struct turn turn = {.key = member->standing.key, .number = member->known.number, .slot = slot};
    if (list->rule.by_group) {
        turn.group = member->known.group;
        turn.group_share = list->group_share[turn.group];
    }
    return turn;
}

/* Starts what is fresh, job by job, wherever there is room. A start changes the job's key, and the
 * share of its group, which only grows: so a job whose turn has come is put back if others go
 * before it by now. */
static uint32_t serve_woken(struct list *list, int64_t now_ns, struct br_decision *decisions,
                            uint32_t room)
{
    struct turn *woken = list->woken;
    uint32_t made = 0, all = list->woken_count, k, machine;
    list->woken_count = 0;
    for (uint32_t w = 0; w < all; w++)
        turn_push(NULL, woken, &list->woken_count, turn_of(list, woken[w].slot));
    while (made < room && list->woken_count) {
        struct br_member *member = &list->members.member[woken[0].slot];
        assert(member->woken);
        struct turn now = turn_of(list, woken[0].slot);
        if (policies_list_turn_before(NULL, &woken[0], &now)) {
            turn_replace(NULL, woken, list->woken_count, now);
        } else if (policies_list_find_room(list, member, &k, &machine)) {
            policies_list_start(list, member, k, machine, now_ns, &decisions[made++]);
            close_machine(list, machine);
        } else {
            member->woken = false;
            turn_pop(NULL, woken, &list->woken_count);
        }
    }
    return made;
}

uint32_t br_ranked_decide(void *policy, int64_t now_ns, struct br_decision *decisions,
                          uint32_t room, int64_t *wake_ns)
{
    struct list *list = policy;
    uint32_t made = 0;
    (void)wake_ns;
    while (list->freed_count && made < room) {
        uint32_t machine = list->freed[list->freed_count - 1];
        assert(list->is_freed[machine]);
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
