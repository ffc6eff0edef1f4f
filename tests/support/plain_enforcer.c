/* No tree, no heap, no machine that is known to be full. */
#include "tests/support/plain_enforcer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/enforcer/decide.h"

enum { MOST_BUNDLE = 64, LOCAL_LOOK = 64 };

struct bundle {
    struct br_candidate item[MOST_BUNDLE];
    uint32_t count, most;
};

struct view {
    struct br_runtime *runtime;
    uint32_t machine;
    const int64_t *free, *extra;
    double eta;
};

static bool fits(const struct view *v, const int64_t *demand)
{
    for (uint32_t r = 0; r < v->runtime->resources; r++)
        if (demand[r] > 0 && demand[r] > v->free[r] + v->extra[r])
            return false;
    return true;
}

static const int64_t *demand_of(const struct view *v, uint32_t j, uint32_t k)
{
    const struct br_job *job = v->runtime->job[j];
    return br_job_demand(job, job->form->task[k], v->runtime->resources);
}

/* Do the job's limits let the task start? Goes through its running tasks. */
static bool may_start(const struct br_job *job, uint32_t task)
{
    uint32_t running = 0, width = job->ready.form->width;
    if (job->most == BR_ANY && !br_job_is_capped(job))
        return true;
    for (uint32_t t = 0; t < job->form->tasks; t++)
        running += job->task_state[t] == BR_TASK_RUNNING;
    for (uint32_t r = 0; br_job_is_capped(job) && r < width; r++) {
        int64_t used = br_job_demand(job, task, width)[r];
        for (uint32_t t = 0; t < job->form->tasks; t++)
            used += job->task_state[t] == BR_TASK_RUNNING ? br_job_demand(job, t, width)[r] : 0;
        if (used > job->cap->most[r])
            return false;
    }
    return running < job->most;
}

static bool is_ready(const struct br_job *job, uint32_t k)
{
    uint32_t task = job->form->task[k];
    return job->task_state[task] == BR_TASK_READY && may_start(job, task);
}

static struct br_candidate weigh(const struct view *v, uint32_t j, uint32_t k)
{
    const struct br_runtime *runtime = v->runtime;
    const struct br_job *job = runtime->job[j];
    const double *weight =
        runtime->weight + (size_t)runtime->machine_class[v->machine] * runtime->resources;
    struct br_score_terms terms = {.priority = (double)(job->form->tasks - k) / job->form->tasks,
                                   .remaining = job->remaining,
                                   .eta = v->eta};
    for (uint32_t r = 0; r < runtime->resources; r++)
        if (v->free[r] > 0)
            terms.packing += (double)demand_of(v, j, k)[r] * (double)v->free[r] * weight[r];
    if (job->form->planned && job->form->planned[job->form->task[k]] != v->machine)
        terms.packing *= runtime->options.remote_penalty;
    return (struct br_candidate){runtime->policy->score(&terms), terms.priority, j, k};
}

static bool better(const struct br_candidate *a, const struct br_candidate *b)
{
    if (a->score != b->score)
        return a->score > b->score;
    if (a->priority != b->priority)
        return a->priority > b->priority;
    return a->job != b->job ? a->job < b->job : a->k < b->k;
}

static bool holds(const struct bundle *bundle, uint32_t j, uint32_t k)
{
    for (uint32_t c = 0; c < bundle->count; c++)
        if (bundle->item[c].job == j && bundle->item[c].k == k)
            return true;
    return false;
}

/* The best so far, best first. */
static void offer(struct bundle *bundle, struct br_candidate candidate)
{
    uint32_t at = bundle->count;
    while (at && better(&candidate, &bundle->item[at - 1]))
        at--;
    if (at == bundle->most || holds(bundle, candidate.job, candidate.k))
        return;
    bundle->count += bundle->count < bundle->most;
    memmove(&bundle->item[at + 1], &bundle->item[at],
            (bundle->count - at - 1) * sizeof *bundle->item);
    bundle->item[at] = candidate;
}

/* The first ready task with the demand of this one. */
static uint32_t first_alike(const struct br_job *job, uint32_t k)
{
    for (uint32_t i = 0; i < job->form->tasks; i++)
        if (is_ready(job, i) && job->ready.form->rank_kind[i] == job->ready.form->rank_kind[k])
            return i;
    return BR_NO_RANK;
}

/* Is it among the next tasks of the plan on this machine? */
static bool is_next(const struct view *v, const struct br_job *job, uint32_t k)
{
    if (!job->form->planned || job->form->planned[job->form->task[k]] != v->machine)
        return false;
    uint32_t place = br_form_place(job->form, v->machine);
    if (place == BR_ANY)
        return false;
    uint32_t head = job->local_head[place];
    for (uint32_t at = head; at < job->form->local_first[place + 1] && at < head + LOCAL_LOOK; at++)
        if (job->form->local[at] == k)
            return true;
    return false;
}

static void collect(const struct view *v, uint32_t group, struct bundle *bundle)
{
    bundle->count = 0;
    for (uint32_t j = 0; j < v->runtime->jobs; j++) {
        const struct br_job *job = v->runtime->job[j];
        uint32_t seen = BR_NO_RANK;
        for (uint32_t k = 0; job && k < job->form->tasks; k++) {
            if (!is_ready(job, k) || (group != BR_ANY && job->group != group) ||
                !fits(v, demand_of(v, j, k)))
                continue;
            /* Neighbours are mostly of one kind. */
            bool first = (seen == BR_NO_RANK ||
                          job->ready.form->rank_kind[seen] != job->ready.form->rank_kind[k]) &&
                         first_alike(job, k) == k;
            seen = k;
            if (first || is_next(v, job, k))
                offer(bundle, weigh(v, j, k));
        }
    }
}

static double find_eta(const struct br_runtime *runtime)
{
    br_wide packing = 0, work = 0;
    uint64_t tasks = 0, jobs = 0;
    for (uint32_t j = 0; j < runtime->jobs; j++) {
        const struct br_job *job = runtime->job[j];
        if (!job || !(job->state.ready || job->state.waiting))
            continue;
        packing += (br_wide)(job->form->mean_packing * (double)job->form->tasks * 0x1p40);
        work += job->work;
        tasks += job->form->tasks;
        jobs++;
    }
    double remaining = (double)work / (0x1p32 * 1e9);
    if (jobs < 2 || remaining <= 0)
        return 0;
    return runtime->options.eta_factor * ((double)packing / 0x1p40 / (double)tasks) /
           (remaining / (double)jobs);
}

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

static void account(struct br_runtime *runtime, const struct br_job *job, uint32_t task)
{
    double weights = 0, taken = 1 / runtime->slots;
    if (runtime->options.fairness == BR_FAIR_DOMINANT)
        taken = job->form->kind_share[job->form->stage_kind[job->form->task_stage[task]]];
    for (uint32_t g = 0; g < runtime->groups; g++)
        weights += runtime->group[g].ready ? runtime->group[g].weight : 0;
    for (uint32_t g = 0; g < runtime->groups; g++)
        if (runtime->group[g].ready)
            runtime->group[g].deficit +=
                taken * (runtime->group[g].weight / weights - (g == job->group));
}

/* Is something ready of the group that the empty machine would hold? */
static bool wants_machine(const struct br_runtime *runtime, uint32_t group, uint32_t machine)
{
    const int64_t *capacity =
        runtime->capacity + (size_t)runtime->machine_class[machine] * runtime->resources;
    for (uint32_t j = 0; j < runtime->jobs; j++) {
        const struct br_job *job = runtime->job[j];
        for (uint32_t k = 0; job && job->group == group && k < job->form->tasks; k++) {
            const int64_t *demand = br_job_demand(job, job->form->task[k], runtime->resources);
            bool held = is_ready(job, k);
            for (uint32_t r = 0; r < runtime->resources && held; r++)
                held = demand[r] <= 0 || demand[r] <= capacity[r];
            if (held)
                return true;
        }
    }
    return false;
}

static struct view view_of(struct br_runtime *runtime, uint32_t machine)
{
    return (struct view){
        .runtime = runtime,
        .machine = machine,
        .free = runtime->free + (size_t)machine * runtime->resources,
        .extra = runtime->extra + (size_t)runtime->machine_class[machine] * runtime->resources,
        .eta = find_eta(runtime),
    };
}

/* The best of what is left in the bundle as the machine is now, or BR_ANY. */
static uint32_t best_now(const struct view *v, struct bundle *bundle)
{
    uint32_t best = BR_ANY;
    for (uint32_t c = 0; c < bundle->count; c++) {
        struct br_candidate *item = &bundle->item[c];
        const struct br_job *job = v->runtime->job[item->job];
        bool gone = !fits(v, demand_of(v, item->job, item->k));
        if (!gone && !is_ready(job, item->k)) {
            uint32_t next = first_alike(job, item->k);
            gone = next == BR_NO_RANK || holds(bundle, item->job, next);
            item->k = next;
        }
        if (gone) {
            bundle->item[c--] = bundle->item[--bundle->count];
            continue;
        }
        *item = weigh(v, item->job, item->k);
        if (best == BR_ANY || better(item, &bundle->item[best]))
            best = c;
    }
    return best;
}

static uint32_t count_ready(const struct br_runtime *runtime, uint32_t group)
{
    uint32_t ready = 0;
    for (uint32_t j = 0; j < runtime->jobs; j++) {
        const struct br_job *job = runtime->job[j];
        for (uint32_t k = 0; job && job->group == group && k < job->form->tasks; k++)
            ready += is_ready(job, k);
    }
    return ready;
}

static uint32_t pass(struct br_runtime *runtime, uint32_t machine, struct br_decision *decisions,
                     uint32_t room)
{
    struct view v = view_of(runtime, machine);
    for (uint32_t g = 0; g < runtime->groups; g++)
        if (runtime->group[g].ready != count_ready(runtime, g))
            abort();
    struct bundle bundle = {.most = runtime->options.bundle};
    uint32_t only = most_unfair(runtime), count = 0, best;
    assert(bundle.most < MOST_BUNDLE && !runtime->options.keep_plan);
    collect(&v, only, &bundle);
    if (only != BR_ANY && !bundle.count) {
        if (runtime->group[only].deficit >= runtime->options.kappa + 1 &&
            wants_machine(runtime, only, machine))
            return 0;
        collect(&v, BR_ANY, &bundle);
    }
    while (count < room && (best = best_now(&v, &bundle)) != BR_ANY) {
        uint32_t j = bundle.item[best].job, task = runtime->job[j]->form->task[bundle.item[best].k];
        decisions[count++] = (struct br_decision){j, task, machine};
        account(runtime, runtime->job[j], task);
        br_runtime_place(runtime, j, task, machine);
        if (most_unfair(runtime) != only)
            break;
    }
    return count;
}

uint32_t plain_decide(struct br_runtime *runtime, uint32_t machine, int64_t now_ns,
                      struct br_decision *decisions, uint32_t room)
{
    uint32_t count = 0;
    if (now_ns > runtime->now_ns)
        runtime->now_ns = now_ns;
    for (uint32_t m = 0; m < runtime->machines && count < room; m++) {
        uint32_t more = machine == BR_ANY || machine == m;
        while (more && count < room)
            count += more = pass(runtime, m, decisions + count, room - count);
    }
    return count;
}
