/* Carries the changes of a job over into the trees.
 *
 * A job's remaining work falls with every start. Its offers carry a lower bound of it, which is
 * exact while nothing has started or few offers exist, and else lags behind by up to a sixteenth,
 * so that one start does not touch all offers of the job. If a job is alone, its remaining work
 * does not count, so the bound may lag by half until another job comes. */
#include "runtime/enforcer/board.h"

#include <stdlib.h>
#include <string.h>

#include "base/collections/sorted.h"
#include "base/invariant.h"

static const double packing_units =
    0x1p40; /* unit of the sums of packing, which are whole numbers */
static const double lag = 15.0 / 16, lag_alone = 1.0 / 2;
enum { FEW = 8 };

/* ---- Set up ---- */

bool br_board_add_group(struct br_runtime *runtime)
{
    size_t trees = (size_t)runtime->machines + 1, old = runtime->groups * trees;
    if (old + trees >= UINT32_MAX)
        return false;
    if (old + trees > runtime->tree_room) {
        size_t room = old + old / 2 + trees;
        uint32_t *tree = realloc(runtime->tree, room * sizeof *tree);
        if (!tree)
            return false;
        runtime->tree = tree;
        runtime->tree_room = room;
    }
    memset(runtime->tree + old, 0, trees * sizeof *runtime->tree);
    return true;
}

static bool make_cells(struct br_runtime *runtime, struct br_job *job, uint32_t number)
{
    struct br_posted *posted = &job->posted;
    struct br_arena *arena = &job->arena;
    const struct br_cells *cells = &job->form->cells;
    assert(cells->first[cells->count] == job->form->tasks);
    if (!BR_ARRAY(arena, job->form->tasks, posted->counted) ||
        !BR_ARRAY(arena, cells->count, posted->cell) ||
        !BR_ARRAY(arena, cells->count, posted->cell_ready) ||
        !BR_ARRAY(arena, cells->count, posted->cell_head))
        return false;
    memcpy(posted->cell_head, cells->first, cells->count * sizeof *posted->cell_head);
    for (uint32_t c = 0; c < cells->count; c++)
        posted->cell[c] = (struct br_offer){
            .job = number,
            .kind = cells->kind[c],
            .tree =
                br_board_local_tree(runtime, job->group, job->form->place_machine[cells->place[c]]),
            .demand = job->form->demand + (size_t)cells->kind[c] * runtime->resources,
            .times = {cells->duration_ns[c], cells->start_ns[c]},
            .share = 1};
    return true;
}

/* Besides newly ready tasks, jobs with a limit may come back at any end of a task. */
static bool board_reserve(struct br_runtime *runtime, uint64_t offers)
{
    return br_offers_reserve(&runtime->offers, offers + runtime->limited);
}

static uint64_t most_offers(const struct br_job *job)
{
    return (uint64_t)job->ready.form->kinds + job->form->cells.count;
}

bool br_board_reserve_limited(struct br_runtime *runtime, const struct br_job *job)
{
    if (!board_reserve(runtime, most_offers(job)))
        return false;
    runtime->limited += most_offers(job);
    return true;
}

void br_board_release_limited(struct br_runtime *runtime, const struct br_job *job)
{
    assert(runtime->limited >= most_offers(job));
    runtime->limited -= most_offers(job);
}

bool br_board_add(struct br_runtime *runtime, struct br_job *job, uint32_t number)
{
    struct br_posted *posted = &job->posted;
    if (!BR_ARRAY(&job->arena, job->ready.form->kinds, posted->kind) ||
        (job->form->planned && !make_cells(runtime, job, number)))
        return false;
    for (uint32_t kind = 0; kind < job->ready.form->kinds; kind++)
        posted->kind[kind] = (struct br_offer){
            .job = number,
            .kind = kind,
            .demand = job->form->demand + (size_t)kind * runtime->resources,
            .tree = br_board_tree(runtime, job->group),
            .times = {0, INT64_MAX},
            .share =
                job->form->planned && !runtime->data.share ? runtime->options.remote_penalty : 1};
    for (uint32_t s = 0; s < BR_POSTED_SETS; s++)
        posted->set[s].remaining = job->remaining;
    /* No more can be ready than there are tasks, or kinds and cells. */
    uint64_t most = most_offers(job);
    uint64_t offers = 2 * (uint64_t)job->ready.changes;
    return board_reserve(runtime, offers < most ? offers : most);
}

bool br_board_reserve_children(struct br_runtime *runtime, const struct br_job *job, uint32_t task)
{
    uint32_t stage = job->form->task_stage[task];
    uint64_t tasks = 0;
    bool last = job->stage_left[stage] == 1;
    for (uint32_t c = job->form->child_first[stage];
         c < job->form->child_first[stage + 1] && !job->by_event; c++) {
        uint32_t child = job->form->child[c];
        if (job->form->child_one_to_one[c])
            tasks++;
        else if (last && job->stage_waits[child] == 1)
            tasks += job->form->stage_first[child + 1] - job->form->stage_first[child];
    }
    uint64_t most = most_offers(job);
    return board_reserve(runtime, 2 * tasks < most ? 2 * tasks : most);
}

bool br_board_reserve_one(struct br_runtime *runtime)
{
    return board_reserve(runtime, 2);
}

/* ---- Offers ---- */

static struct br_posted_set *board_set_of(const struct br_runtime *runtime, struct br_job *job,
                                          const struct br_offer *offer)
{
    bool kind = offer->tree == br_board_tree(runtime, job->group);
    return &job->posted.set[kind ? BR_POSTED_KINDS : BR_POSTED_CELLS];
}

static void post(struct br_runtime *runtime, struct br_job *job, struct br_offer *offer)
{
    assert(!offer->node);
    struct br_posted_set *set = board_set_of(runtime, job, offer);
    offer->remaining = set->remaining;
    offer->before = NULL;
    offer->after = set->first;
    if (set->first)
        set->first->before = offer;
    set->first = offer;
    set->offers++;
    br_offers_insert(&runtime->offers, &runtime->tree[offer->tree], offer);
}

static void withdraw(struct br_runtime *runtime, struct br_job *job, struct br_offer *offer)
{
    assert(offer->node);
    struct br_posted_set *set = board_set_of(runtime, job, offer);
    if (offer->after)
        offer->after->before = offer->before;
    *(offer->before ? &offer->before->after : &set->first) = offer->after;
    set->offers--;
    br_offers_remove(&runtime->offers, &runtime->tree[offer->tree], offer);
}

/* The offer's best ready task has the rank k + 1 or more; BR_NO_RANK: nothing is ready. True if it
 * has a ready task and had none before. */
static bool set_best(struct br_runtime *runtime, struct br_job *job, struct br_offer *offer,
                     uint32_t k)
{
    if (k == BR_NO_RANK) {
        if (offer->node)
            withdraw(runtime, job, offer);
        return false;
    }
    double priority = br_job_priority(job, k);
    if (!offer->node) {
        offer->priority = priority;
        post(runtime, job, offer);
        return true;
    }
    if (priority != offer->priority) {
        offer->priority = priority;
        br_offers_update(&runtime->offers, offer);
    }
    return false;
}

/* Duration of the first. All other tasks of the kind wait for it, or stand in cells. */
static void update_duration(struct br_job *job, struct br_offer *offer, uint32_t k)
{
    if (k != BR_NO_RANK)
        offer->times.duration_ns = job->form->duration_ns[job->form->task[k]];
}

static void update_kind(struct br_runtime *runtime, struct br_job *job, uint32_t kind)
{
    struct br_offer *offer = &job->posted.kind[kind];
    uint32_t best = br_job_keeps_back(job, kind) ? BR_NO_RANK : br_ready_best(&job->ready, kind);
    update_duration(job, offer, best);
    if (!set_best(runtime, job, offer, best))
        return;
    br_vacancy_wake(&runtime->vacancy, offer);
    if (job->group == runtime->kept_for)
        runtime->kept_stale = true;
}

/* Nothing of the cell before its head is ready, and nothing at all if that is its end: if a job is
 * closed, tasks that were counted as ready may no longer be. */
static void post_cell(struct br_runtime *runtime, struct br_job *job, uint32_t cell)
{
    const struct br_cells *cells = &job->form->cells;
    uint32_t head = job->posted.cell_head[cell];
    bool any = job->posted.cell_ready[cell] && head < cells->first[cell + 1] &&
               !br_job_keeps_back(job, job->posted.cell[cell].kind);
    set_best(runtime, job, &job->posted.cell[cell], any ? cells->rank[head] : BR_NO_RANK);
}

/* The task with rank k + 1 has become ready, or is no longer. */
static void move_head(struct br_job *job, uint32_t cell, uint32_t k)
{
    const struct br_cells *cells = &job->form->cells;
    uint32_t *head = &job->posted.cell_head[cell], first = cells->first[cell];
    uint32_t end = cells->first[cell + 1];
    if (job->ready.is_ready[k] && (*head == end || k < cells->rank[*head]))
        *head = first + br_sorted_find(cells->rank + first, end - first, k);
    while (*head < end && job->task_state[job->form->task[cells->rank[*head]]] > BR_TASK_READY)
        ++*head;
    assert(*head >= first && *head <= end);
}

static void update_cell(struct br_runtime *runtime, struct br_job *job, uint32_t k)
{
    struct br_posted *posted = &job->posted;
    bool ready = job->ready.is_ready[k];
    if (ready == posted->counted[k])
        return;
    posted->counted[k] = ready;
    uint32_t cell = job->form->cells.rank_cell[k];
    assert(ready || posted->cell_ready[cell] > 0);
    posted->cell_ready[cell] += ready ? 1 : UINT32_MAX;
    move_head(job, cell, k);
    post_cell(runtime, job, cell);
}

static void set_remaining(struct br_runtime *runtime, struct br_posted_set *set, double remaining)
{
    set->remaining = remaining;
    for (struct br_offer *offer = set->first; offer; offer = offer->after) {
        offer->remaining = remaining;
        br_offers_update(&runtime->offers, offer);
    }
}

static void update_remaining(struct br_runtime *runtime, uint32_t number, struct br_posted_set *set)
{
    const struct br_job *job = runtime->job[number];
    bool alone = runtime->pending.jobs < 2;
    if (!set->offers)
        set->remaining = job->remaining;
    /* What ended tasks took may raise the work; a bound far below it would hide what cannot win. */
    if (job->paces && !alone && set->remaining < lag * job->remaining)
        set_remaining(runtime, set, job->remaining);
    if (set->remaining <= job->remaining)
        return;
    if (alone && set->offers > FEW)
        runtime->loose = number;
    set_remaining(runtime, set,
                  set->offers <= FEW ? job->remaining : (alone ? lag_alone : lag) * job->remaining);
}

/* Another job has come: the work in the offers of the job that was alone counts from now on. */
static void board_tighten(struct br_runtime *runtime)
{
    struct br_job *job = runtime->job[runtime->loose];
    assert(job && runtime->pending.jobs > 1);
    runtime->loose = BR_ANY;
    for (uint32_t s = 0; s < BR_POSTED_SETS; s++)
        if (job->posted.set[s].remaining < lag * job->remaining)
            set_remaining(runtime, &job->posted.set[s], job->remaining);
}

/* ---- Sums ---- */

/* Adds the job to the sums, or takes it out. */
static void count_job(struct br_runtime *runtime, const struct br_job *job, br_wide work, int sign)
{
    struct br_pending *pending = &runtime->pending;
    assert(sign > 0 || (pending->jobs > 0 && pending->tasks >= job->form->tasks));
    pending->packing +=
        sign * (br_wide)(job->form->mean_packing * (double)job->form->tasks * packing_units);
    pending->work += sign * work;
    pending->tasks += (uint64_t)sign * job->form->tasks;
    pending->jobs += (uint64_t)sign;
}

static void update_sums(struct br_runtime *runtime, struct br_job *job, bool counts)
{
    struct br_posted *posted = &job->posted;
    if (posted->pending && counts) {
        runtime->pending.work += job->work - posted->work;
    } else if (posted->pending || counts) {
        count_job(runtime, job, counts ? job->work : posted->work, counts ? 1 : -1);
    }
    posted->pending = counts;
    posted->work = job->work;
}

double br_pending_eta(const struct br_pending *pending, double factor)
{
    double remaining = br_form_seconds(pending->work);
    if (pending->jobs < 2 || remaining <= 0)
        return 0;
    assert(pending->tasks > 0);
    return factor * ((double)pending->packing / packing_units / (double)pending->tasks) /
           (remaining / (double)pending->jobs);
}

/* ---- Both ---- */

void br_board_update(struct br_runtime *runtime, uint32_t number)
{
    struct br_job *job = runtime->job[number];
    struct br_ready *ready = &job->ready;
    update_sums(runtime, job, job->state.ready || job->state.waiting);
    for (uint32_t s = 0; s < BR_POSTED_SETS; s++)
        update_remaining(runtime, number, &job->posted.set[s]);
    if (runtime->loose != BR_ANY && runtime->pending.jobs > 1)
        board_tighten(runtime);
    for (uint32_t c = 0; c < ready->changes; c++) {
        uint32_t k = ready->changed[c];
        assert(ready->is_changed[k]);
        ready->is_changed[k] = false;
        update_kind(runtime, job, ready->form->rank_kind[k]);
        if (job->form->planned)
            update_cell(runtime, job, k);
    }
    ready->changes = 0;
}

void br_board_hold(struct br_runtime *runtime, uint32_t number)
{
    struct br_job *job = runtime->job[number];
    for (uint32_t kind = 0; kind < job->ready.form->kinds; kind++)
        update_kind(runtime, job, kind);
    for (uint32_t c = 0; c < job->form->cells.count; c++)
        post_cell(runtime, job, c);
}

void br_board_drop(struct br_runtime *runtime, uint32_t number)
{
    struct br_job *job = runtime->job[number];
    struct br_posted *posted = &job->posted;
    update_sums(runtime, job, false);
    if (runtime->loose == number)
        runtime->loose = BR_ANY;
    for (uint32_t s = 0; s < BR_POSTED_SETS; s++)
        while (posted->set[s].first)
            withdraw(runtime, job, posted->set[s].first);
    assert(posted->set[BR_POSTED_KINDS].offers == 0 && posted->set[BR_POSTED_CELLS].offers == 0);
    for (uint32_t kind = 0; kind < job->ready.form->kinds; kind++)
        br_vacancy_forget(&runtime->vacancy, &posted->kind[kind]);
}

static bool job_is_sound(const struct br_runtime *runtime, const struct br_job *job)
{
    uint32_t offers = 0;
    for (uint32_t kind = 0; kind < job->ready.form->kinds; kind++) {
        uint32_t k = br_job_keeps_back(job, kind) ? BR_NO_RANK : br_ready_best(&job->ready, kind);
        const struct br_offer *offer = &job->posted.kind[kind];
        offers += k != BR_NO_RANK;
        if ((k != BR_NO_RANK) != (offer->node != 0) ||
            (offer->node &&
             (offer->priority < br_job_priority(job, k) || offer->remaining > job->remaining)))
            return false;
    }
    for (uint32_t c = 0; c < job->form->cells.count; c++)
        offers += job->posted.cell[c].node != 0;
    for (uint32_t k = 0; job->form->planned && k < job->form->tasks; k++) {
        const struct br_offer *offer = &job->posted.cell[job->form->cells.rank_cell[k]];
        if (job->ready.is_ready[k] && !br_job_keeps_back(job, offer->kind) &&
            (!offer->node || offer->priority < br_job_priority(job, k) ||
             offer->remaining > job->remaining))
            return false;
    }
    return offers ==
           job->posted.set[BR_POSTED_KINDS].offers + job->posted.set[BR_POSTED_CELLS].offers;
}

bool br_board_is_sound(const struct br_runtime *runtime)
{
    struct br_pending sum = {0};
    uint64_t offers = 0;
    for (uint32_t j = 0; j < runtime->jobs; j++) {
        const struct br_job *job = runtime->job[j];
        if (!job)
            continue;
        if (job->state.ready || job->state.waiting) {
            sum.jobs++;
            sum.tasks += job->form->tasks;
            sum.work += job->work;
        }
        for (uint32_t s = 0; s < BR_POSTED_SETS; s++)
            offers += job->posted.set[s].offers;
        if (!job_is_sound(runtime, job))
            return false;
    }
    return offers == runtime->offers.live && sum.jobs == runtime->pending.jobs &&
           sum.tasks == runtime->pending.tasks && sum.work == runtime->pending.work;
}
