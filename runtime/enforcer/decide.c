/* Choosing the ready tasks that start on a machine that has room.
 *
 * [Grandl16, 5] A pass collects the best candidates of all jobs (the bundle) and starts them, best
 * first, while they fit; their scores follow what is left free. Deficit counters measure how much
 * less than its fair share a group has had; beyond the threshold only that group is served.
 * Differs: among tasks with equal demands only the first in the plan's order is looked at. Whole
 * kinds of tasks are skipped if a bound on their scores shows that they cannot be among the best.
 * Ties end with job and rank. If a group is owed a whole cluster beyond the threshold and does not
 * fit, the machine is kept free until it does, since otherwise small tasks of others could keep it
 * out for good. The means of packing and remaining work behind eta are over the jobs that have
 * tasks left, with packing on an empty machine. A single job's plan is kept if possible
 * (outlook.c).
 *
 * All ready tasks of all jobs compete, and any machine may have room. The code does not scan
 * either: candidates come from searches in trees (offers.h), and passes visit only machines that
 * have changed or that hold newly ready tasks (vacancy.h). The skipped ones could not have won.
 */
#include "runtime/enforcer/model.h"

#include <math.h>

#include "base/collections/heap.h"
#include "base/invariant.h"
#include "runtime/enforcer/board.h"
#include "runtime/enforcer/decide.h"
#include "runtime/enforcer/stock.h"

/* Entries of a machine's planned order that a pass looks at. */
enum { LOCAL_LOOK = 64 };

struct pass {
    struct br_runtime *runtime;
    uint32_t machine, number; /* of the job that is being searched */
    struct br_job *job;
    const int64_t *free;
    const double *weight;
    double eta;
    double whole, twice; /* of free x weight, see offers.h */
    uint32_t twice_of;
    uint32_t most;  /* most candidates for the bundle now */
    double least;   /* the worst score of a full bundle, else -INFINITY */
    bool guarded;   /* from the outlook */
    bool kept_free; /* for a group that is owed too much to be passed over */
    bool full;      /* no ready task of any group fits any more */
};

/* ---- Scores ---- */

static double packing(const struct pass *pass, const int64_t *demand)
{
    double sum = 0;
    for (uint32_t r = 0; r < pass->runtime->resources; r++)
        if (pass->free[r] > 0)
            sum += (double)demand[r] * (double)pass->free[r] * pass->weight[r];
    return sum;
}

/* The factor on packing of a task that is remote on this machine: of what it reads by the share
 * that lies elsewhere; if it reads nothing, by the plan. */
static double decide_remote(const struct pass *pass, uint32_t task)
{
    const struct br_runtime *runtime = pass->runtime;
    const struct br_form *form = pass->job->form;
    double penalty = runtime->options.remote_penalty, here = -1;
    if (runtime->data.share)
        here = runtime->data.share(runtime->data.context, pass->number, task, pass->machine);
    if (here >= 0)
        return penalty + (1 - penalty) * here;
    return form->planned && form->planned[task] != pass->machine ? penalty : 1;
}

/* The task's score on this machine. */
static double score_task(const struct pass *pass, uint32_t k)
{
    const struct br_runtime *runtime = pass->runtime;
    const struct br_job *job = pass->job;
    uint32_t task = job->form->task[k];
    struct br_score_terms terms = {
        .priority = br_job_priority(job, k),
        .packing = packing(pass, br_job_demand(job, task, runtime->resources)),
        .remaining = job->remaining,
        .eta = pass->eta,
    };
    terms.packing *= decide_remote(pass, task);
    return runtime->policy->score(&terms);
}

/* ---- The bundle: a heap with the worst candidate on top ---- */

static bool decide_better(const struct br_candidate *a, const struct br_candidate *b)
{
    if (a->score != b->score)
        return a->score > b->score;
    if (a->priority != b->priority)
        return a->priority > b->priority;
    return a->job != b->job ? a->job < b->job : a->k < b->k;
}

static bool worse(const void *none, const struct br_candidate *a, const struct br_candidate *b)
{
    (void)none;
    return decide_better(b, a);
}

BR_HEAP(worst, struct br_candidate, const void *, worse, 2)

static void offer(struct pass *pass, struct br_candidate candidate)
{
    struct br_runtime *runtime = pass->runtime;
    struct br_candidate *heap = runtime->bundle;
    assert(pass->most > 0 && runtime->candidates <= pass->most);
    if (runtime->candidates == pass->most) {
        if (decide_better(&candidate, &heap[0]))
            worst_replace(NULL, heap, runtime->candidates, candidate);
        return;
    }
    worst_push(NULL, heap, &runtime->candidates, candidate);
}

static bool in_bundle(const struct pass *pass, uint32_t k)
{
    const struct br_runtime *runtime = pass->runtime;
    for (uint32_t c = 0; c < runtime->candidates; c++)
        if (runtime->bundle[c].job == pass->number && runtime->bundle[c].k == k)
            return true;
    return false;
}

static void offer_task(struct pass *pass, uint32_t k)
{
    struct br_runtime *runtime = pass->runtime;
    offer(pass, (struct br_candidate){.score = score_task(pass, k),
                                      .priority = br_job_priority(pass->job, k),
                                      .job = pass->number,
                                      .k = k});
    if (runtime->candidates == pass->most)
        pass->least = runtime->bundle[0].score;
}

/* ---- Collecting ---- */

/* Equal scores: the first in the order of candidates. */
static bool wins_tie(void *context, double priority, uint32_t job)
{
    const struct pass *pass = context;
    const struct br_runtime *runtime = pass->runtime;
    struct br_candidate candidate = {pass->least, priority, job, 0};
    return runtime->candidates < pass->most || decide_better(&candidate, &runtime->bundle[0]);
}

static bool allowed(const struct pass *pass, uint32_t k)
{
    return !pass->guarded || br_outlook_allows(&pass->runtime->outlook, pass->job->form->task[k]);
}

/* Could one of the tasks of some offers be allowed? */
static bool could_allow(void *context, const double *demand, int64_t duration_ns, int64_t start_ns)
{
    struct pass *pass = context;
    return br_outlook_could_allow(&pass->runtime->outlook, demand, duration_ns, start_ns);
}

/* The first ready task of the kind. */
static void decide_visit(void *context, const struct br_offer *offer)
{
    struct pass *pass = context;
    pass->number = offer->job;
    pass->job = pass->runtime->job[offer->job];
    uint32_t k = br_ready_best(&pass->job->ready, offer->kind);
    assert(k != BR_NO_RANK);
    if (br_demand_fits(offer->demand, pass->runtime->room, pass->runtime->resources) &&
        !in_bundle(pass, k) && allowed(pass, k))
        offer_task(pass, k);
}

/* The next planned tasks of the job on this machine, once per pass. */
static void visit_next(struct pass *pass, struct br_job *job)
{
    if (job->posted.looked == pass->runtime->pass)
        return;
    job->posted.looked = pass->runtime->pass;
    uint32_t place = br_form_place(job->form, pass->machine); /* an offer here is one of the plan */
    assert(place < job->form->places);
    uint32_t head = job->local_head[place], end = job->form->local_first[place + 1];
    for (uint32_t look = 0; look < LOCAL_LOOK && head < end; look++, head++) {
        uint32_t k = job->form->local[head];
        if (job->ready.is_ready[k] && !br_job_keeps_back(job, job->ready.form->rank_kind[k]) &&
            br_ready_kind_fits(&job->ready, job->ready.form->rank_kind[k], pass->runtime->room) &&
            !in_bundle(pass, k) && allowed(pass, k))
            offer_task(pass, k);
    }
}

/* A planned task of the job on this machine is ready. */
static void visit_local(void *context, const struct br_offer *offer)
{
    struct pass *pass = context;
    pass->number = offer->job;
    pass->job = pass->runtime->job[offer->job];
    visit_next(pass, pass->job);
    /* The first of the kind may come later. */
    decide_visit(pass, offer);
}

/* Tasks whose inputs lie on this machine; those that have started are dropped. */
static void visit_near(struct pass *pass, uint32_t group)
{
    struct br_runtime *runtime = pass->runtime;
    struct br_near_list *list = &runtime->near.list[pass->machine];
    uint32_t kept = 0, looked = 0;
    for (uint32_t n = 0; n < list->count; n++) {
        const struct br_near_task near = list->task[n];
        struct br_job *job = br_runtime_find_job(runtime, near.job);
        if (!job || job->submission != near.submission ||
            job->task_state[near.task] > BR_TASK_READY)
            continue;
        list->task[kept++] = near;
        uint32_t k = job->form->rank[near.task], kind = job->ready.form->rank_kind[k];
        pass->number = near.job;
        pass->job = job;
        if (looked == LOCAL_LOOK || job->group != group || !job->ready.is_ready[k] ||
            br_job_keeps_back(job, kind))
            continue;
        looked++;
        if (br_ready_kind_fits(&job->ready, kind, runtime->room) && !in_bundle(pass, k) &&
            allowed(pass, k))
            offer_task(pass, k);
    }
    list->count = kept;
}

/* Offers the best of the group: first the planned tasks of this machine, whose packing counts in
 * full. */
static void collect_group(struct pass *pass, uint32_t group)
{
    struct br_runtime *runtime = pass->runtime;
    uint32_t step = runtime->resources + runtime->resources % 2;
    struct br_offer_search search = {.room = runtime->bounds,
                                     .free = runtime->bounds + step,
                                     .weight = runtime->bounds + 2 * (size_t)step,
                                     .whole = pass->whole,
                                     .twice = pass->twice,
                                     .twice_of = pass->twice_of,
                                     .eta = pass->eta,
                                     .score = runtime->policy->score,
                                     .least = &pass->least,
                                     .wins_tie = wins_tie,
                                     .visit = visit_local,
                                     .may_allow = pass->guarded ? could_allow : NULL,
                                     .context = pass};
    if (runtime->data.share)
        visit_near(pass, group);
    if (runtime->policy->product && !pass->guarded)
        search.rest = runtime->bounds + 3 * (size_t)step;
    br_offers_search(&runtime->offers,
                     runtime->tree[br_board_local_tree(runtime, group, pass->machine)], &search);
    search.visit = decide_visit;
    br_offers_search(&runtime->offers, runtime->tree[br_board_tree(runtime, group)], &search);
}

/* Fills the bundle with the best `most` of all jobs of the group, or of all groups. */
static void collect_most(struct pass *pass, uint32_t group, uint32_t most)
{
    struct br_runtime *runtime = pass->runtime;
    runtime->candidates = 0;
    runtime->pass++;
    pass->most = most;
    pass->least = -INFINITY;
    for (uint32_t g = 0; g < runtime->groups; g++)
        if (runtime->group[g].ready && (group == BR_ANY || group == g))
            collect_group(pass, g);
}

/* Does any ready task of the group, or of all groups, fit? */
static bool any_fits(struct br_runtime *runtime, uint32_t group, const int64_t *room)
{
    for (uint32_t g = 0; g < runtime->groups; g++)
        if ((group == BR_ANY || group == g) &&
            br_offers_any_fits(&runtime->offers, runtime->tree[br_board_tree(runtime, g)], room))
            return true;
    return false;
}

/* Fills the bundle with the best of the group. Usually the task that just ended makes room for one
 * task: if nothing fits beside the best, no other is sought. True if nothing of the group fits any
 * more once the bundle has started. */
static bool decide_collect(struct pass *pass, uint32_t group)
{
    struct br_runtime *runtime = pass->runtime;
    uint32_t most = runtime->options.bundle, width = runtime->resources;
    if (most > 1 && !pass->guarded) {
        collect_most(pass, group, 1);
        if (!runtime->candidates)
            return true;
        const struct br_job *job = runtime->job[runtime->bundle[0].job];
        const int64_t *demand = br_job_demand(job, job->form->task[runtime->bundle[0].k], width);
        for (uint32_t r = 0; r < width; r++)
            runtime->rest[r] = runtime->room[r] - demand[r];
        if (!any_fits(runtime, group, runtime->rest))
            return true;
    }
    collect_most(pass, group, most);
    /* If the bundle is not full, it has the first of every kind that fits. */
    return !pass->guarded && runtime->candidates < most;
}

/* ---- Fairness ---- */

/* The group that is owed most among those with ready tasks; BR_ANY if all have their share up to
 * the threshold, or there are no two to compare. */
static uint32_t most_unfair(const struct br_runtime *runtime)
{
    uint32_t most = BR_ANY, groups = 0;
    for (uint32_t g = 0; g < runtime->groups; g++) {
        if (!runtime->group[g].ready)
            continue;
        groups++;
        if (most == BR_ANY || runtime->group[g].deficit > runtime->group[most].deficit)
            most = g;
    }
    return groups > 1 && runtime->group[most].deficit >= runtime->options.kappa ? most : BR_ANY;
}

/* A task of the group starts: updates the debts to all groups with ready tasks. */
static void decide_account(struct br_runtime *runtime, const struct br_job *job, uint32_t task)
{
    double weights = 0, factor = 1 / runtime->slots;
    /* So the debts of the groups for this task add up to zero. */
    assert(runtime->group[job->group].ready > 0);
    if (runtime->options.fairness == BR_FAIR_DOMINANT)
        factor = job->form->kind_share[job->form->stage_kind[job->form->task_stage[task]]];
    for (uint32_t g = 0; g < runtime->groups; g++)
        if (runtime->group[g].ready)
            weights += runtime->group[g].weight;
    assert(weights > 0);
    for (uint32_t g = 0; g < runtime->groups; g++) {
        struct br_group *group = &runtime->group[g];
        if (group->ready)
            group->deficit += factor * (group->weight / weights - (g == job->group));
    }
}

/* Could an empty machine of the class hold a ready task of the group? */
static bool would_fit(struct br_runtime *runtime, uint32_t group, uint32_t cls)
{
    return br_offers_any_fits(&runtime->offers, runtime->tree[br_board_tree(runtime, group)],
                              runtime->capacity + (size_t)cls * runtime->resources);
}

/* Would a pass over any machine that is kept free keep it so? No ready task of the group fits there
 * yet; newly ready tasks make this stale. */
static bool stays_kept(struct br_runtime *runtime)
{
    uint32_t group = runtime->kept_for;
    assert(group < runtime->groups);
    if (runtime->kept_stale || most_unfair(runtime) != group ||
        runtime->group[group].deficit < runtime->options.kappa + BR_KEEPS_FREE)
        return false;
    for (uint32_t c = 0; c < runtime->classes; c++)
        if (runtime->kept[c] && !would_fit(runtime, group, c))
            return false;
    return true;
}

/* Keeps the machine free for the group that is owed most. */
static void decide_keep(struct br_runtime *runtime, uint32_t group)
{
    if (runtime->kept_for == group)
        return;
    br_vacancy_change_all(&runtime->vacancy, BR_KEPT);
    runtime->kept_for = group;
}

/* ---- Deciding ---- */

/* The only job, if its plan is to be kept; else NULL. */
static struct br_job *guarded_job(const struct br_runtime *runtime)
{
    struct br_job *job = runtime->jobs == 1 ? runtime->job[0] : NULL;
    return runtime->options.keep_plan && job && job->form->planned && job->state.ready &&
                   !job->stock
               ? job
               : NULL;
}

/* Splits free x weight: into a part in proportion to an average machine, as much of that with the
 * largest resource counted twice, and the rest. */
static void decide_divide(struct pass *pass, const double *free, const double *weight, double *rest)
{
    const struct br_runtime *runtime = pass->runtime;
    const double *scale = runtime->offers.scale;
    double least = INFINITY, most = 0;
    pass->twice_of = 0;
    for (uint32_t r = 0; r < runtime->resources; r++) {
        double part = scale[r] > 0 ? free[r] * weight[r] / scale[r] : INFINITY;
        least = fmin(least, part);
        if (part < INFINITY && part > most) {
            most = part;
            pass->twice_of = r;
        }
    }
    pass->twice = least < INFINITY ? fmin(least, most - least) : 0;
    assert(pass->twice >= 0);
    pass->whole = least < INFINITY ? least - pass->twice : 0;
    for (uint32_t r = 0; r < runtime->resources; r++) {
        double part = pass->whole + (r == pass->twice_of ? 2 : 1) * pass->twice;
        rest[r] = fmax(free[r] * weight[r] - part * scale[r], 0);
    }
}

/* Examines the room of the machine, and its outlook if the plan is to be kept. */
static void decide_look(struct pass *pass)
{
    struct br_runtime *runtime = pass->runtime;
    uint32_t step = runtime->resources + runtime->resources % 2;
    double *room = runtime->bounds, *free = room + step, *weight = free + step;
    const int64_t *extra =
        runtime->extra + (size_t)runtime->machine_class[pass->machine] * runtime->resources;
    for (uint32_t r = 0; r < runtime->resources; r++) {
        runtime->room[r] = pass->free[r] + extra[r];
        room[r] = runtime->room[r] > 0 ? (double)runtime->room[r] : 0;
        free[r] = pass->free[r] > 0 ? (double)pass->free[r] : 0;
        weight[r] = pass->weight[r];
    }
    decide_divide(pass, free, weight, weight + step);
    struct br_job *job = guarded_job(runtime);
    pass->guarded = job != NULL;
    if (!job)
        return;
    br_job_begin(job, job->form->task[job->ready.best[1]], runtime->now_ns);
    pass->guarded = br_job_chain(job, runtime->machines) &&
                    br_outlook_make(&runtime->outlook, job, pass->machine, runtime->room,
                                    runtime->resources, runtime->now_ns);
}

/* The candidate of the bundle that is best now, or BR_ANY. Drops those with no task left or that do
 * not fit; the next of their kind replace those that have started. */
static uint32_t best_of_bundle(struct pass *pass)
{
    struct br_runtime *runtime = pass->runtime;
    uint32_t best = BR_ANY;
    for (uint32_t c = 0; c < runtime->candidates; c++) {
        struct br_candidate *candidate = &runtime->bundle[c];
        pass->number = candidate->job;
        pass->job = runtime->job[candidate->job];
        struct br_ready *ready = &pass->job->ready;
        uint32_t kind = ready->form->rank_kind[candidate->k];
        bool gone =
            br_job_keeps_back(pass->job, kind) || !br_ready_kind_fits(ready, kind, runtime->room);
        if (!gone && !ready->is_ready[candidate->k]) {
            uint32_t next = br_ready_best(ready, kind);
            gone = next == BR_NO_RANK || in_bundle(pass, next);
            candidate->k = next;
        }
        gone = gone || !allowed(pass, candidate->k);
        if (gone) {
            *candidate = runtime->bundle[--runtime->candidates];
            c--;
            continue;
        }
        candidate->score = score_task(pass, candidate->k);
        candidate->priority = br_job_priority(pass->job, candidate->k);
        if (best == BR_ANY || decide_better(candidate, &runtime->bundle[best]))
            best = c;
    }
    return best;
}

/* One pass over the machine; returns the number of decisions. */
static uint32_t decide_pass(struct pass *pass, struct br_decision *decisions, uint32_t room)
{
    struct br_runtime *runtime = pass->runtime;
    uint32_t only = most_unfair(runtime), count = 0, best;
    decide_look(pass);
    pass->eta = br_pending_eta(&runtime->pending, runtime->options.eta_factor);
    runtime->offers.eta = pass->eta;
    bool all = decide_collect(pass, only) && only == BR_ANY;
    if (only != BR_ANY && !runtime->candidates) {
        if (runtime->group[only].deficit >= runtime->options.kappa + BR_KEEPS_FREE &&
            would_fit(runtime, only, runtime->machine_class[pass->machine])) {
            decide_keep(runtime, only);
            pass->kept_free = true;
            return 0;
        }
        all = decide_collect(pass, BR_ANY);
    }
    while (count < room && (best = best_of_bundle(pass)) != BR_ANY) {
        assert(best < runtime->candidates);
        struct br_candidate chosen = runtime->bundle[best];
        struct br_job *job = runtime->job[chosen.job];
        uint32_t task = job->form->task[chosen.k];
        assert(job->task_state[task] == BR_TASK_READY);
        assert(
            br_ready_kind_fits(&job->ready, job->ready.form->rank_kind[chosen.k], runtime->room));
        decisions[count++] = (struct br_decision){chosen.job, task, pass->machine};
        decide_account(runtime, job, task);
        br_runtime_place(runtime, chosen.job, task, pass->machine);
        decide_look(pass);
        if (most_unfair(runtime) != only)
            return count;
    }
    pass->full = all && count < room;
    return count;
}

/* The reason to look at the machine, on which nothing more has started, again before it changes or
 * something that it holds becomes ready: 0, or a mark. */
static uint8_t decide_reason(struct pass *pass)
{
    struct br_runtime *runtime = pass->runtime;
    if (pass->kept_free)
        return BR_KEPT;
    if (pass->guarded && any_fits(runtime, BR_ANY, runtime->room))
        return BR_PROTECTED;
    return 0;
}

static void decide_settle(struct br_runtime *runtime, uint32_t machine, uint8_t mark,
                          const int64_t *room)
{
    uint8_t old = br_vacancy_marks(&runtime->vacancy, machine);
    uint32_t *kept = &runtime->kept[runtime->machine_class[machine]];
    assert(*kept > 0 || !(old & BR_KEPT));
    *kept -= (old & BR_KEPT) != 0;
    *kept += mark == BR_KEPT;
    br_vacancy_settle(&runtime->vacancy, machine, mark, room);
    runtime->idle_at[machine] = runtime->epoch;
}

static uint32_t decide_machine(struct br_runtime *runtime, uint32_t machine,
                               struct br_decision *decisions, uint32_t room)
{
    struct pass pass = {
        .runtime = runtime,
        .machine = machine,
        .free = runtime->free + (size_t)machine * runtime->resources,
        .weight = runtime->weight + (size_t)runtime->machine_class[machine] * runtime->resources,
    };
    uint32_t count = 0;
    if (br_vacancy_marks(&runtime->vacancy, machine) == BR_PROTECTED &&
        runtime->idle_at[machine] == runtime->epoch)
        return 0;
    if (runtime->away[machine]) {
        decide_settle(runtime, machine, 0, NULL);
        return 0;
    }
    while (count < room) {
        uint32_t more = decide_pass(&pass, decisions + count, room - count);
        assert(more <= room - count);
        count += more;
        if (!more || pass.full) {
            decide_settle(runtime, machine, decide_reason(&pass), runtime->room);
            return count;
        }
    }
    br_vacancy_change(&runtime->vacancy, machine);
    return count;
}

/* The marks of machines to look at now. */
static uint8_t marks_now(struct br_runtime *runtime)
{
    uint8_t marks = BR_CHANGED;
    if (runtime->swept != runtime->epoch)
        marks |= BR_PROTECTED;
    if (br_vacancy_has(&runtime->vacancy, BR_KEPT) && !stays_kept(runtime))
        marks |= BR_KEPT;
    return marks;
}

/* Starts tasks of jobs without features. */
static uint32_t decide_others(struct br_runtime *runtime, uint32_t machine,
                              struct br_decision *decisions, uint32_t room)
{
    uint32_t count = 0;
    struct br_job *job = room ? guarded_job(runtime) : NULL;
    if (job)
        br_job_begin(job, job->form->task[job->ready.best[1]], runtime->now_ns);
    if (machine != BR_ANY) {
        if (machine >= runtime->machines ||
            !br_vacancy_wants(&runtime->vacancy, machine, marks_now(runtime)))
            return 0;
        return decide_machine(runtime, machine, decisions, room);
    }
    for (uint32_t m = 0; count < room; m++) {
        m = br_vacancy_next(&runtime->vacancy, m, marks_now(runtime));
        if (m == UINT32_MAX) {
            br_vacancy_swept(&runtime->vacancy);
            runtime->swept = runtime->epoch;
            runtime->kept_stale = false;
            break;
        }
        count += decide_machine(runtime, m, decisions + count, room - count);
    }
    return count;
}

uint32_t br_runtime_decide(struct br_runtime *runtime, uint32_t machine, int64_t now_ns,
                           struct br_decision *decisions, uint32_t room)
{
    if (!runtime || !decisions)
        return 0;
    if (now_ns > runtime->now_ns)
        runtime->now_ns = now_ns;
    if (!runtime->pool.stocks)
        return decide_others(runtime, machine, decisions, room);
    uint32_t count = br_stock_decide(runtime, machine, decisions, room);
    if (!runtime->pool.drained)
        count += decide_others(runtime, machine, decisions + count, room - count);
    return count;
}
