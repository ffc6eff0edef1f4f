/* The model's decisions: all that could start is weighed, one after another. */
#include "tests/exactness/decide_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/numbers/wide.h"

/* ---- Keeping the plan ---- */

struct guard {
    bool on;
    int64_t late_ns;
};

static bool fits(const struct model *m, const int64_t *demand, const int64_t *room)
{
    for (uint32_t r = 0; r < m->resources; r++)
        if (demand[r] > room[r])
            return false;
    return true;
}

static void room_of(const struct model *m, uint32_t machine, int64_t *room)
{
    for (uint32_t r = 0; r < m->resources; r++)
        room[r] = m->free[machine][r] + m->extra[machine][r];
}

/* The only job, which has a plan for these machines, with something ready: its rest is shifted by
 * how late its first ready task is. */
static struct guard guard_of(struct model *m)
{
    uint32_t jobs = 0;
    struct model_job *only = NULL;
    struct guard guard = {false, 0};
    for (uint32_t j = 0; j < JOBS; j++)
        if (m->job[j].here) {
            jobs = j + 1;
            only = &m->job[j];
        }
    if (jobs != 1 || !m->options.keep_plan || !only->plan || !model_count(only, READY))
        return guard;
    uint32_t first = 0;
    for (uint32_t t = 0; t < only->tasks; t++)
        if (only->state[t] == READY &&
            (only->state[first] != READY || only->rank[t] < only->rank[first]))
            first = t;
    model_begin(m, only, first);
    guard.on = true;
    guard.late_ns = m->now_ns - only->began_ns - only->due_ns[first];
    if (guard.late_ns < 0)
        guard.late_ns = 0;
    return guard;
}

/* The free capacity of the machine at a time at or after now, as far as the plan goes. */
static void free_then(const struct model *m, const struct guard *guard, const struct model_job *job,
                      uint32_t machine, int64_t at_ns, int64_t *free)
{
    int64_t now_ns = m->now_ns - job->began_ns;
    room_of(m, machine, free);
    for (uint32_t t = 0; t < job->tasks; t++) {
        int64_t lasts_ns = job->dag->duration_ns[t], sign = 0;
        if (job->state[t] == RUNNING && job->machine[t] == machine) {
            int64_t end_ns = job->started_ns[t] + lasts_ns;
            if (end_ns <= now_ns)
                end_ns = now_ns + (now_ns - end_ns);
            sign = end_ns <= at_ns;
        } else if (job->state[t] <= READY && job->plan->machine[t] == machine) {
            int64_t begin_ns = job->due_ns[t] + guard->late_ns;
            /* A task that waits is late, or may never come once a task is lost. */
            if (job->state[t] == WAITING && (begin_ns < now_ns || model_count(job, LOST)))
                continue;
            if (begin_ns < now_ns)
                begin_ns = now_ns;
            sign = begin_ns <= at_ns && at_ns < begin_ns + lasts_ns ? -1 : 0;
        }
        for (uint32_t r = 0; r < m->resources; r++)
            free[r] += sign * job->demand[t][r];
    }
}

/* Would the ready task, started now, take what the plan has for others? What is free changes only
 * where something begins or ends. */
static bool allowed(const struct model *m, const struct guard *guard, const struct model_job *job,
                    uint32_t task, uint32_t machine)
{
    int64_t now_ns = m->now_ns - job->began_ns, times[2 * TASKS + 1], free[RESOURCES];
    int64_t until_ns = now_ns + job->dag->duration_ns[task];
    uint32_t n = 0;
    if (!guard->on)
        return true;
    if (job->plan->machine[task] == machine && job->due_ns[task] + guard->late_ns < until_ns)
        until_ns = job->due_ns[task] + guard->late_ns;
    times[n++] = now_ns;
    for (uint32_t t = 0; t < job->tasks; t++) {
        int64_t lasts_ns = job->dag->duration_ns[t];
        if (job->state[t] == RUNNING) {
            int64_t end_ns = job->started_ns[t] + lasts_ns;
            times[n++] = end_ns <= now_ns ? 2 * now_ns - end_ns : end_ns;
        } else if (job->state[t] <= READY) {
            times[n++] = job->due_ns[t] + guard->late_ns;
            times[n++] = job->due_ns[t] + guard->late_ns + lasts_ns;
            times[n - 1] = times[n - 2] < now_ns ? now_ns + lasts_ns : times[n - 1];
        }
    }
    for (uint32_t k = 0; k < n; k++) {
        if (times[k] < now_ns || times[k] >= until_ns)
            continue;
        free_then(m, guard, job, machine, times[k], free);
        for (uint32_t r = 0; r < m->resources; r++)
            if (job->demand[task][r] > 0 && job->demand[task][r] > free[r])
                return false;
    }
    return true;
}

/* ---- Decisions ---- */

struct candidate {
    double score, priority;
    uint32_t job, task;
};

static bool better(const struct model *m, const struct candidate *a, const struct candidate *b)
{
    if (a->score != b->score)
        return a->score > b->score;
    if (a->priority != b->priority)
        return a->priority > b->priority;
    if (a->job != b->job)
        return a->job < b->job;
    return m->job[a->job].rank[a->task] < m->job[b->job].rank[b->task];
}

/* Work that is still to be started, in whole units of 2^-32 ns of the whole cluster. */
static br_wide units_of(const struct model_job *job)
{
    br_wide units = 0;
    for (uint32_t t = 0; t < job->tasks; t++)
        if (job->state[t] == WAITING || job->state[t] == READY)
            units += (br_wide)((double)job->dag->duration_ns[t] * job->work[t] * 0x1p32);
    return units;
}

static double seconds(br_wide units)
{
    return (double)units / (0x1p32 * 1e9);
}

static double remaining_of(const struct model_job *job)
{
    return seconds(units_of(job));
}

static struct candidate weigh(const struct model *m, uint32_t number, uint32_t task,
                              uint32_t machine, double eta)
{
    const struct model_job *job = &m->job[number];
    double packing = 0, srpt = eta * remaining_of(job);
    double priority = (double)(job->tasks - job->rank[task]) / job->tasks;
    for (uint32_t r = 0; r < m->resources; r++) {
        double whole = (double)m->capacity[machine][r];
        if (m->free[machine][r] > 0 && job->demand[task][r] > 0)
            packing +=
                (double)job->demand[task][r] * (double)m->free[machine][r] * (1 / (whole * whole));
    }
    if (job->plan && job->plan->machine[task] != machine)
        packing *= m->options.remote_penalty;
    double score = strcmp(m->options.policy, "order") == 0     ? priority
                   : strcmp(m->options.policy, "packing") == 0 ? packing - srpt
                                                               : priority * packing - srpt;
    return (struct candidate){score, priority, number, task};
}

/* Both means are of whole units, so that their sums know no order. */
static double find_eta(const struct model *m)
{
    br_wide packing = 0, work = 0;
    uint64_t tasks = 0, jobs = 0;
    for (uint32_t j = 0; j < JOBS; j++) {
        const struct model_job *job = &m->job[j];
        if (!job->here || model_count(job, WAITING) + model_count(job, READY) == 0)
            continue;
        packing += (br_wide)(job->mean_packing * job->tasks * 0x1p40);
        tasks += job->tasks;
        work += units_of(job);
        jobs++;
    }
    if (jobs < 2 || seconds(work) <= 0)
        return 0;
    return m->options.eta_factor * ((double)packing / 0x1p40 / (double)tasks) /
           (seconds(work) / (double)jobs);
}

static uint32_t unfair(const struct model *m)
{
    uint32_t most = BR_ANY, groups = 0;
    for (uint32_t g = 0; g < m->groups; g++)
        if (model_group_count(m, g, READY)) {
            groups++;
            if (most == BR_ANY || m->deficit[g] > m->deficit[most])
                most = g;
        }
    return groups > 1 && m->deficit[most] >= m->options.kappa ? most : BR_ANY;
}

static bool same_demand(const struct model *m, const struct model_job *job, uint32_t a, uint32_t b)
{
    return memcmp(job->demand[a], job->demand[b], m->resources * sizeof(int64_t)) == 0;
}

/* The first ready task of the job with the demand of this one, or BR_ANY. */
static uint32_t first_alike(const struct model *m, const struct model_job *job, uint32_t task)
{
    uint32_t best = BR_ANY;
    for (uint32_t t = 0; t < job->tasks; t++)
        if (job->state[t] == READY && same_demand(m, job, t, task) &&
            (best == BR_ANY || job->rank[t] < job->rank[best]))
            best = t;
    return best;
}

/* The best of the group on this machine: the first task of every demand, and whatever the plan has
 * here. */
static uint32_t collect(struct model *m, uint32_t machine, uint32_t group, double eta,
                        struct candidate *bundle)
{
    struct guard guard = guard_of(m);
    int64_t room[RESOURCES];
    uint32_t n = 0;
    struct candidate all[JOBS * TASKS];
    room_of(m, machine, room);
    for (uint32_t j = 0; j < JOBS; j++) {
        const struct model_job *job = &m->job[j];
        if (!job->here || (group != BR_ANY && job->group != group))
            continue;
        for (uint32_t t = 0; t < job->tasks; t++)
            if (job->state[t] == READY && fits(m, job->demand[t], room) &&
                (first_alike(m, job, t) == t || (job->plan && job->plan->machine[t] == machine)) &&
                allowed(m, &guard, job, t, machine))
                all[n++] = weigh(m, j, t, machine, eta);
    }
    uint32_t kept = n < m->options.bundle ? n : m->options.bundle;
    for (uint32_t k = 0; k < kept; k++)
        for (uint32_t i = k; i < n; i++)
            if (i == k || better(m, &all[i], &bundle[k])) {
                bundle[k] = all[i];
                all[i] = all[k];
                all[k] = bundle[k];
            }
    return kept;
}

static bool among(const struct candidate *bundle, uint32_t n, uint32_t job, uint32_t task)
{
    for (uint32_t k = 0; k < n; k++)
        if (bundle[k].job == job && bundle[k].task == task)
            return true;
    return false;
}

static bool wants_machine(const struct model *m, uint32_t group, uint32_t machine)
{
    for (uint32_t j = 0; j < JOBS; j++)
        for (uint32_t t = 0; m->job[j].here && t < m->job[j].tasks; t++)
            if (m->job[j].group == group && m->job[j].state[t] == READY &&
                fits(m, m->job[j].demand[t], m->capacity[machine]))
                return true;
    return false;
}

static void account(struct model *m, const struct model_job *job, uint32_t task)
{
    double weights = 0;
    double taken = m->options.fairness == BR_FAIR_DOMINANT ? job->share[task] : 1 / m->slots;
    for (uint32_t g = 0; g < m->groups; g++)
        if (model_group_count(m, g, READY))
            weights += m->weight[g];
    for (uint32_t g = 0; g < m->groups; g++)
        if (model_group_count(m, g, READY))
            m->deficit[g] += taken * (m->weight[g] / weights - (g == job->group));
}

/* One pass over the machine: a bundle, and what of it starts. */
static uint32_t pass(struct model *m, uint32_t machine, struct br_decision *out, uint32_t most)
{
    struct candidate bundle[JOBS * TASKS];
    uint32_t only = unfair(m), made = 0;
    struct guard guard = guard_of(m);
    double eta = find_eta(m);
    uint32_t n = collect(m, machine, only, eta, bundle);
    if (!n && only != BR_ANY) {
        /* Kept free for who is owed too much. */
        if (m->deficit[only] >= m->options.kappa + 1 && wants_machine(m, only, machine))
            return 0;
        n = collect(m, machine, BR_ANY, eta, bundle);
    }
    while (made < most && unfair(m) == only) {
        uint32_t best = BR_ANY;
        int64_t room[RESOURCES];
        room_of(m, machine, room);
        guard = guard_of(m);
        for (uint32_t k = 0; k < n; k++) {
            struct model_job *job = &m->job[bundle[k].job];
            uint32_t task = bundle[k].task;
            bool gone = !fits(m, job->demand[task], room);
            if (!gone && job->state[task] != READY) {
                task = first_alike(m, job, task);
                gone = task == BR_ANY || among(bundle, n, bundle[k].job, task);
            }
            if (gone || !allowed(m, &guard, job, task, machine)) {
                bundle[k--] = bundle[--n];
                continue;
            }
            bundle[k] = weigh(m, bundle[k].job, task, machine, eta);
            if (best == BR_ANY || better(m, &bundle[k], &bundle[best]))
                best = k;
        }
        if (best == BR_ANY)
            break;
        out[made++] = (struct br_decision){bundle[best].job, bundle[best].task, machine};
        account(m, &m->job[bundle[best].job], bundle[best].task);
        model_start(m, bundle[best].job, bundle[best].task, machine);
    }
    return made;
}

uint32_t model_decide(struct model *m, struct br_decision *out, uint32_t most)
{
    uint32_t made = 0;
    for (uint32_t i = 0; i < m->cluster->machines; i++)
        for (uint32_t more = 1; more && made < most; made += more)
            more = pass(m, i, out + made, most - made);
    return made;
}
