#include "cluster/simulate/policies/members.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/invariant.h"
#include "planner/instance/plan.h"
#include "cluster/simulate/policies/order.h"

/* A posting that is about to be made. */
#define PENDING (BR_NOBODY - 1)

/* ---- Begin and end ---- */

bool br_members_init(struct br_members *members, const struct br_ranked_rule *rule,
                     const struct br_policy_setup *setup, const struct br_capacities *capacities,
                     const int64_t *most)
{
    uint32_t rosters = rule->by_group ? setup->groups : 1;
    *members = (struct br_members){.rule = rule, .setup = setup, .capacities = capacities};
    members->roster = calloc(rosters, sizeof *members->roster);
    bool ok = members->roster;
    while (ok && members->rosters < rosters)
        ok =
            br_roster_init(&members->roster[members->rosters++], capacities->scale.resources, most);
    return ok;
}

static void finish_member(struct br_member *member)
{
    br_job_destroy(member->known.job);
    br_arena_finish(&member->arena);
    *member = (struct br_member){0};
}

void br_members_finish(struct br_members *members)
{
    for (uint32_t s = 0; s < members->slots; s++)
        finish_member(&members->member[s]);
    for (uint32_t g = 0; g < members->rosters; g++)
        br_roster_finish(&members->roster[g]);
    free(members->roster);
    free(members->member);
    free(members->job);
    free(members->unused);
    free(members->slot_of);
    br_forms_finish(&members->forms);
}

/* ---- Arrivals ---- */

/* The slot of a new job. */
static bool take_slot(struct br_members *members, uint32_t job, uint32_t *slot)
{
    while (job >= members->slot_of_room) {
        uint32_t used = members->slot_of_room;
        if (!br_grow(&members->slot_of, used, &members->slot_of_room, sizeof *members->slot_of))
            return false;
    }
    if (members->unused_count) {
        *slot = members->unused[--members->unused_count];
        assert(!members->member[*slot].known.job);
    } else {
        if (!br_grow(&members->member, members->slots, &members->slot_room,
                     sizeof *members->member) ||
            !br_grow(&members->job, members->slots, &members->job_room, sizeof *members->job) ||
            !br_grow(&members->unused, members->slots, &members->unused_room,
                     sizeof *members->unused))
            return false;
        *slot = members->slots++;
    }
    members->member[*slot] = (struct br_member){0};
    members->job[*slot] = NULL;
    members->slot_of[job] = *slot;
    return true;
}

/* The order of the job's tasks and, if the rule orders by them, its tails. From the arena. */
static const uint32_t *make_order(const struct br_members *members, struct br_arena *arena,
                                  const struct br_dag *dag, const struct br_plan *plan,
                                  int64_t **tail_ns)
{
    *tail_ns = NULL;
    if (plan)
        return plan->order;
    if (members->rule->order == BR_RANKED_BREADTH)
        return br_order_breadth(arena, dag);
    *tail_ns = br_arena_array(arena, dag->stages, sizeof **tail_ns);
    return *tail_ns ? br_order_tails(arena, dag, *tail_ns) : NULL;
}

/* A form for jobs of the Dag, with one user. */
static enum br_status make_form(const struct br_members *members, const struct br_dag *dag,
                                const struct br_plan *plan, struct br_form **form,
                                struct br_diag *diag)
{
    struct br_arena arena = {0};
    int64_t *tail_ns;
    const uint32_t *order = make_order(members, &arena, dag, plan, &tail_ns);
    enum br_status status = order ? br_form_create(dag, NULL, order, &members->capacities->scale,
                                                   members->setup->cluster->machines, form, diag)
                                  : br_fail_memory(diag);
    if (!status && tail_ns) {
        (*form)->tail_ns = br_arena_array(&(*form)->arena, dag->stages, sizeof *tail_ns);
        if ((*form)->tail_ns)
            memcpy((*form)->tail_ns, tail_ns, dag->stages * sizeof *tail_ns);
        else
            status = br_fail_memory(diag);
        if (status)
            br_form_release(*form);
    }
    br_arena_finish(&arena);
    return status;
}

static enum br_status members_make_job(struct br_members *members, const struct br_arrival *arrival,
                                       struct br_member *member, struct br_diag *diag)
{
    const struct br_plan *plan = NULL;
    if (members->rule->order == BR_RANKED_PLAN) {
        plan = members->setup->plan(members->setup->plan_context, arrival, diag);
        if (!plan)
            return diag ? diag->status : BR_SYSTEM;
    }
    struct br_form *form = br_forms_find(&members->forms, arrival->dag_number, plan);
    if (form) {
        member->known.job = br_job_create(form, false);
        return member->known.job ? BR_OK : br_fail_memory(diag);
    }
    enum br_status status = make_form(members, arrival->dag, plan, &form, diag);
    if (status)
        return status;
    br_forms_keep(&members->forms, arrival->dag_number, plan, form);
    member->known.job = br_job_create(form, false);
    br_form_release(form);
    return member->known.job ? BR_OK : br_fail_memory(diag);
}

static bool members_make_arrays(const struct br_members *members, struct br_member *member)
{
    uint32_t kinds = member->known.job->ready.form->kinds;
    member->held =
        br_arena_array(&member->arena, members->capacities->scale.resources, sizeof *member->held);
    member->cap =
        br_arena_array(&member->arena, members->capacities->scale.resources, sizeof *member->cap);
    member->narrow = br_arena_array(&member->arena, members->capacities->scale.resources,
                                    sizeof *member->narrow);
    member->posting = br_arena_array(&member->arena, kinds, sizeof *member->posting);
    member->fresh = br_arena_array(&member->arena, kinds, sizeof *member->fresh);
    if (!member->held || !member->cap || !member->narrow || !member->posting || !member->fresh)
        return false;
    memset(member->posting, 0xff, kinds * sizeof *member->posting);
    return true;
}

enum br_status br_members_add(struct br_members *members, const struct br_arrival *arrival,
                              uint64_t draw, uint32_t *slot, struct br_diag *diag)
{
    if (!take_slot(members, arrival->job, slot))
        return br_fail_memory(diag);
    struct br_member *member = &members->member[*slot];
    member->known = (struct br_ranked_job){.number = arrival->job,
                                           .group = arrival->group,
                                           .weight = arrival->weight,
                                           .limit = UINT32_MAX,
                                           .draw = draw};
    assert(!members->rule->by_group || arrival->group < members->rosters);
    member->roster = &members->roster[members->rule->by_group ? arrival->group : 0];
    member->standing = (struct br_roster_job){.number = *slot, .first = BR_NOBODY};
    enum br_status status = members_make_job(members, arrival, member, diag);
    if (status)
        return status;
    members->job[*slot] = member->known.job;
    member->known.total = member->known.job->remaining;
    if (members->rule->once)
        member->known.once = members->rule->once(&member->known, members->rule->number);
    if (!members_make_arrays(members, member) || !br_member_settle(members, member))
        return br_fail_memory(diag);
    return BR_OK;
}

void br_members_remove(struct br_members *members, uint32_t slot)
{
    struct br_member *member = &members->member[slot];
    assert(member->standing.first == BR_NOBODY); /* all its tasks have started */
    assert(members->unused_count < members->slots);
    finish_member(member);
    members->job[slot] = NULL;
    members->unused[members->unused_count++] = slot; /* has room for all slots */
}

/* ---- What is ready ---- */

/* Nothing of the kind is ready any more, though it was fresh: what it waits for has been lost. */
static void members_forget(struct br_member *member, uint32_t kind)
{
    uint32_t kept = 0;
    for (uint32_t f = 0; f < member->freshes; f++)
        if (member->fresh[f].kind != kind)
            member->fresh[kept++] = member->fresh[f];
    member->freshes = kept;
}

/* Withdraws kinds that have nothing ready any more, and notes those that have again. Returns where
 * the latter begin among the fresh ones. */
static uint32_t look_at_kinds(struct br_member *member)
{
    struct br_ready *ready = &member->known.job->ready;
    uint32_t before = member->freshes;
    for (uint32_t c = 0; c < ready->changes; c++) {
        uint32_t kind = ready->form->rank_kind[ready->changed[c]];
        uint32_t *posting = &member->posting[kind];
        bool there = br_ready_best(ready, kind) != BR_NO_RANK;
        ready->is_changed[ready->changed[c]] = false;
        if (there && *posting == BR_NOBODY) {
            *posting = PENDING;
            assert(member->freshes < ready->form->kinds);
            member->fresh[member->freshes++] = (struct br_fresh){.kind = kind};
        } else if (!there && *posting != BR_NOBODY) {
            assert(*posting != PENDING);
            br_roster_withdraw(member->roster, &member->standing, *posting);
            *posting = BR_NOBODY;
            if (member->freshes) {
                members_forget(member, kind);
                before = 0; /* posted ones are told apart */
            }
        }
    }
    ready->changes = 0;
    return before;
}

/* The job is at its limit: nothing of it may start. O(kinds), as the next. */
static void hold_back(struct br_member *member)
{
    for (uint32_t kind = 0; kind < member->known.job->ready.form->kinds; kind++)
        if (member->posting[kind] != BR_NOBODY) {
            assert(member->posting[kind] != PENDING);
            br_roster_withdraw(member->roster, &member->standing, member->posting[kind]);
            member->posting[kind] = BR_NOBODY;
        }
    member->freshes = 0;
    member->held_back = true;
}

/* It is below its limit again: all that is ready is fresh. */
static void members_let_go(struct br_member *member)
{
    const struct br_ready *ready = &member->known.job->ready;
    assert(!member->freshes);
    for (uint32_t kind = 0; kind < ready->form->kinds; kind++)
        if (br_ready_best(ready, kind) != BR_NO_RANK) {
            member->posting[kind] = PENDING;
            member->fresh[member->freshes++] = (struct br_fresh){.kind = kind};
        }
    member->held_back = false;
}

/* Holds the job's tasks back if it is at its limit, and lets them go if it was. */
static void look_at_limit(struct br_member *member, bool full)
{
    struct br_ready *ready = &member->known.job->ready;
    for (uint32_t c = 0; c < ready->changes; c++)
        ready->is_changed[ready->changed[c]] = false;
    ready->changes = 0;
    if (!full)
        members_let_go(member);
    else if (!member->held_back)
        hold_back(member);
}

static bool is_within(const struct br_member *member, uint32_t width, uint32_t kind)
{
    const int64_t *demand = member->known.job->form->demand + (size_t)kind * width;
    for (uint32_t r = 0; r < width; r++)
        if (member->held[r] + demand[r] > member->cap[r])
            return false;
    return true;
}

/* Keeps in the roster only the kinds of a capped job that are within its cap. Drops fresh kinds
 * that are beyond it now, and adds those within it again; returns how many stay fresh. O(kinds). */
static uint32_t look_at_cap(struct br_member *member, uint32_t width)
{
    struct br_ready *ready = &member->known.job->ready;
    uint32_t before = member->freshes, kept = 0;
    for (uint32_t c = 0; c < ready->changes; c++)
        ready->is_changed[ready->changed[c]] = false;
    ready->changes = 0;
    for (uint32_t kind = 0; kind < ready->form->kinds; kind++)
        if (member->posting[kind] != BR_NOBODY &&
            (br_ready_best(ready, kind) == BR_NO_RANK || !is_within(member, width, kind))) {
            assert(member->posting[kind] != PENDING);
            br_roster_withdraw(member->roster, &member->standing, member->posting[kind]);
            member->posting[kind] = BR_NOBODY;
        }
    for (uint32_t f = 0; f < before; f++)
        if (member->posting[member->fresh[f].kind] != BR_NOBODY)
            member->fresh[kept++] = member->fresh[f];
    member->freshes = kept;
    for (uint32_t kind = 0; kind < ready->form->kinds; kind++)
        if (member->posting[kind] == BR_NOBODY && br_ready_best(ready, kind) != BR_NO_RANK &&
            is_within(member, width, kind)) {
            member->posting[kind] = PENDING;
            member->fresh[member->freshes++] = (struct br_fresh){.kind = kind};
        }
    return kept;
}

bool br_member_settle(struct br_members *members, struct br_member *member)
{
    const struct br_job *job = member->known.job;
    uint32_t width = members->capacities->scale.resources, fresh = member->freshes;
    bool full = job->state.running >= member->known.limit;
    if (member->capped)
        fresh = look_at_cap(member, width);
    else if (full || member->held_back)
        look_at_limit(member, full);
    else
        fresh = look_at_kinds(member);
    assert(!job->state.ready || job->ready.best[1] != BR_NO_RANK);
    if (job->form->tail_ns && job->state.ready)
        member->known.tail_s =
            (double)job->form->tail_ns[job->form->task_stage[job->form->task[job->ready.best[1]]]] *
            1e-9;
    br_roster_key(member->roster, &member->standing,
                  members->rule->key(&member->known, members->rule->number), member->known.number);
    assert(member->freshes <= job->ready.form->kinds);
    for (; fresh < member->freshes; fresh++) {
        uint32_t kind = member->fresh[fresh].kind;
        if (member->posting[kind] != PENDING)
            continue;
        member->posting[kind] = br_roster_post(member->roster, &member->standing,
                                               job->form->demand + (size_t)kind * width);
        if (member->posting[kind] == BR_NOBODY)
            return false;
    }
    return true;
}

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

uint32_t br_member_first(const struct br_member *member, uint32_t width, const int64_t *room)
{
    const struct br_ready *ready = &member->known.job->ready;
    uint32_t least = ready->best[1];
    for (uint32_t r = 0; member->capped && r < width; r++) {
        int64_t left = member->cap[r] - member->held[r];
        member->narrow[r] = left < room[r] ? left : room[r];
    }
    room = member->capped ? member->narrow : room;
    if (least != BR_NO_RANK && br_ready_kind_fits(ready, ready->form->rank_kind[least], room))
        return least;
    struct least_rank search = {ready, BR_NO_RANK};
    const struct br_ready_walk walk = {rank_bound, rank_visit, &search};
    br_ready_search(ready, room, &walk);
    return search.k;
}
