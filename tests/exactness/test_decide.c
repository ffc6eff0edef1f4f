/* The enforcer against a slow model of it: every decision, in its order, on random jobs, machines,
 * groups and options. The model looks at all tasks of all jobs at every step, and remembers nothing
 * from one call to the next but what the events say: no kinds in a tree, no heap, no chains, no
 * machine that is known to be idle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/numbers/decimal.h"
#include "base/numbers/rng.h"
#include "base/numbers/wide.h"
#include "planner/model/cluster.h"
#include "planner/model/dag.h"
#include "planner/model/plan.h"
#include "tests/support/random_job.h"

enum { RUNS = 3000, JOBS = 4, TASKS = 26, GROUPS = 3, MACHINES = 8, RESOURCES = 4, MOST = 5 };
enum { WAITING, READY, RUNNING, DONE, LOST };

struct model_job {
    bool here;
    const struct br_dag *dag;
    const struct br_plan *plan; /* or NULL */
    uint32_t group, tasks;
    int64_t demand[TASKS][RESOURCES];
    double work[TASKS], share[TASKS]; /* of the cluster: summed, and the largest */
    double mean_packing;
    uint32_t rank[TASKS], state[TASKS], machine[TASKS];
    bool begun;
    int64_t began_ns, due_ns[TASKS], started_ns[TASKS];
};

struct model {
    struct br_runtime_options options;
    const struct br_cluster *cluster;
    uint32_t resources, groups;
    const char *name[RESOURCES];
    int32_t digits[RESOURCES];
    double total[RESOURCES], slots;
    int64_t capacity[MACHINES][RESOURCES], extra[MACHINES][RESOURCES], free[MACHINES][RESOURCES];
    double weight[GROUPS], deficit[GROUPS];
    struct model_job job[JOBS];
    int64_t now_ns; /* of the last decision: events carry no time */
};

/* ---- What is given ---- */

static int64_t scaled(struct br_decimal value, int32_t digits)
{
    int64_t out = 0;
    assert_true(br_decimal_scale(value, digits, &out));
    return out;
}

static double power_of_ten(int32_t exponent)
{
    double out = 1;
    for (; exponent > 0; exponent--)
        out *= 10;
    return out;
}

/* As many digits as sums below an eighth of 2^63 leave room for. */
static void take_cluster(struct model *m, const struct br_cluster *cluster)
{
    m->cluster = cluster;
    m->slots = cluster->machines;
    for (uint32_t c = 0; c < cluster->classes; c++)
        for (uint32_t k = 0; k < cluster->cls[c].capacities; k++) {
            const char *name = cluster->cls[c].capacity[k].resource;
            uint32_t r = 0;
            while (r < m->resources && strcmp(m->name[r], name) != 0)
                r++;
            if (r == m->resources)
                m->name[m->resources++] = name;
        }
    for (uint32_t r = 0; r < m->resources; r++)
        for (int32_t digits = 18; !m->total[r] && digits >= -18; digits--) {
            int64_t sum = 0, one;
            bool fits = true;
            for (uint32_t i = 0; i < cluster->machines && fits; i++) {
                struct br_decimal amount =
                    br_cluster_capacity(cluster, br_cluster_machine_class(cluster, i), m->name[r]);
                fits = br_decimal_scale(amount, digits, &one) && one <= INT64_MAX / 8 &&
                       (sum += one) <= INT64_MAX / 8;
                m->capacity[i][r] = m->free[i][r] = one;
            }
            if (!fits)
                continue;
            m->digits[r] = digits;
            m->total[r] = (double)sum;
            if (strcmp(m->name[r], "cpu") == 0 && (double)sum / power_of_ten(digits) >= 1)
                m->slots = (double)sum / power_of_ten(digits);
        }
}

static const struct br_stage *stage_of(const struct model_job *job, uint32_t task)
{
    return &job->dag->stage[br_dag_task_stage(job->dag, task)];
}

static bool parents_done(const struct model_job *job, uint32_t task)
{
    const struct br_dag *dag = job->dag;
    for (uint32_t e = 0; e < dag->edges; e++) {
        const struct br_stage *from = &dag->stage[dag->edge[e].parent];
        if (&dag->stage[dag->edge[e].child] != stage_of(job, task))
            continue;
        for (uint32_t i = 0; i < from->tasks; i++)
            if ((dag->edge[e].type == BR_BARRIER || i == task - stage_of(job, task)->first_task) &&
                job->state[from->first_task + i] != DONE)
                return false;
    }
    return true;
}

static void become_ready(struct model_job *job)
{
    for (uint32_t t = 0; t < job->tasks; t++)
        if (job->state[t] == WAITING && parents_done(job, t))
            job->state[t] = READY;
}

/* The longest path from the task's start to the end of the job, from those of what comes after. */
static int64_t path(const struct model_job *job, uint32_t task, const int64_t *longest)
{
    const struct br_dag *dag = job->dag;
    int64_t most = 0;
    for (uint32_t e = 0; e < dag->edges; e++) {
        const struct br_stage *to = &dag->stage[dag->edge[e].child];
        if (&dag->stage[dag->edge[e].parent] != stage_of(job, task))
            continue;
        for (uint32_t i = 0; i < to->tasks; i++)
            if ((dag->edge[e].type == BR_BARRIER || i == task - stage_of(job, task)->first_task) &&
                longest[to->first_task + i] > most)
                most = longest[to->first_task + i];
    }
    return most + dag->duration_ns[task];
}

/* Stages in topological order, then tasks by number. */
static uint32_t position(const struct br_dag *dag, uint32_t task)
{
    uint32_t k = 0;
    while (dag->topological[k] != br_dag_task_stage(dag, task))
        k++;
    return k * TASKS + task;
}

static void take_job(struct model *m, uint32_t number, const struct br_dag *dag,
                     const struct br_plan *plan, uint32_t group)
{
    struct model_job *job = &m->job[number];
    *job = (struct model_job){
        .here = true, .dag = dag, .plan = plan, .group = group, .tasks = dag->tasks};
    int64_t longest[TASKS] = {0};
    for (uint32_t p = dag->stages; p-- > 0;) {
        const struct br_stage *s = &dag->stage[dag->topological[p]];
        for (uint32_t i = 0; i < s->tasks; i++)
            longest[s->first_task + i] = path(job, s->first_task + i, longest);
    }
    for (uint32_t t = 0; t < job->tasks; t++) {
        const struct br_stage *s = stage_of(job, t);
        for (uint32_t d = s->first_demand; d < s->first_demand + s->demands; d++) {
            uint32_t r = 0;
            if (!dag->demand[d].amount.mantissa)
                continue;
            while (strcmp(m->name[r], dag->resource[dag->demand[d].resource].name) != 0)
                r++;
            job->demand[t][r] = scaled(dag->demand[d].amount, m->digits[r]);
        }
        for (uint32_t r = 0; r < m->resources; r++) {
            double part = job->demand[t][r] ? (double)job->demand[t][r] / m->total[r] : 0;
            job->work[t] += part;
            job->share[t] = part > job->share[t] ? part : job->share[t];
        }
    }
    for (uint32_t s = 0; s < dag->stages; s++)
        job->mean_packing +=
            dag->stage[s].tasks * job->work[dag->stage[s].first_task] * m->cluster->machines;
    job->mean_packing /= job->tasks;
    for (uint32_t t = 0; t < job->tasks; t++) {
        if (plan) {
            job->rank[plan->order[t]] = t;
            job->due_ns[t] = plan->start_ns[t];
            continue;
        }
        for (uint32_t u = 0; u < job->tasks; u++)
            job->rank[t] += longest[u] > longest[t] ||
                            (longest[u] == longest[t] && position(dag, u) < position(dag, t));
    }
    become_ready(job);
}

/* ---- Events ---- */

static uint32_t count(const struct model_job *job, uint32_t state)
{
    uint32_t n = 0;
    for (uint32_t t = 0; t < job->tasks; t++)
        n += job->state[t] == state;
    return n;
}

static uint32_t group_count(const struct model *m, uint32_t group, uint32_t state)
{
    uint32_t n = 0;
    for (uint32_t j = 0; j < JOBS; j++)
        if (m->job[j].here && m->job[j].group == group)
            n += count(&m->job[j], state);
    return n;
}

/* Who wants nothing is owed nothing. */
static void forgive(struct model *m, uint32_t group)
{
    if (!group_count(m, group, WAITING) && !group_count(m, group, READY) &&
        !group_count(m, group, RUNNING))
        m->deficit[group] = 0;
}

static void begin(struct model *m, struct model_job *job, uint32_t task)
{
    if (job->begun || !job->plan)
        return;
    job->begun = true;
    job->began_ns = m->now_ns - job->due_ns[task];
}

static void start(struct model *m, uint32_t number, uint32_t task, uint32_t machine)
{
    struct model_job *job = &m->job[number];
    begin(m, job, task);
    job->state[task] = RUNNING;
    job->machine[task] = machine;
    job->started_ns[task] = m->now_ns - job->began_ns;
    for (uint32_t r = 0; r < m->resources; r++)
        m->free[machine][r] -= job->demand[task][r];
    forgive(m, job->group);
}

static void finish(struct model *m, uint32_t number, uint32_t task, uint32_t state)
{
    struct model_job *job = &m->job[number];
    job->state[task] = state;
    for (uint32_t r = 0; r < m->resources; r++)
        m->free[job->machine[task]][r] += job->demand[task][r];
    if (state == READY) {
        /* It is due now, without the rest being late. */
        if (job->due_ns[task] < m->now_ns - job->began_ns)
            job->due_ns[task] = m->now_ns - job->began_ns;
    }
    become_ready(job);
    forgive(m, job->group);
}

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
    if (jobs != 1 || !m->options.keep_plan || !only->plan || !count(only, READY))
        return guard;
    uint32_t first = 0;
    for (uint32_t t = 0; t < only->tasks; t++)
        if (only->state[t] == READY &&
            (only->state[first] != READY || only->rank[t] < only->rank[first]))
            first = t;
    begin(m, only, first);
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
            if (job->state[t] == WAITING && (begin_ns < now_ns || count(job, LOST)))
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
        if (!job->here || count(job, WAITING) + count(job, READY) == 0)
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
        if (group_count(m, g, READY)) {
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
        if (group_count(m, g, READY))
            weights += m->weight[g];
    for (uint32_t g = 0; g < m->groups; g++)
        if (group_count(m, g, READY))
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
        start(m, bundle[best].job, bundle[best].task, machine);
    }
    return made;
}

static uint32_t decide(struct model *m, struct br_decision *out, uint32_t most)
{
    uint32_t made = 0;
    for (uint32_t i = 0; i < m->cluster->machines; i++)
        for (uint32_t more = 1; more && made < most; made += more)
            more = pass(m, i, out + made, most - made);
    return made;
}

/* ---- The two side by side ---- */

struct tally {
    uint32_t decisions, remote, guarded, several, groups;
};

static void run(uint64_t seed, struct tally *tally)
{
    struct random_job job[JOBS];
    struct br_plan *plan[JOBS] = {NULL};
    struct br_runtime *runtime;
    struct br_rng rng = br_rng_seed(seed);
    static const char *const methods[] = {"cp", "bfs", "random"};
    struct model m = {.options = br_runtime_options_default(), .groups = 1, .weight = {1}};
    uint32_t jobs = 0, wanted = 1 + (uint32_t)br_rng_below(&rng, 3);
    for (uint64_t k = 0; k < 10 && jobs < wanted; k++) {
        struct br_plan_options fast = br_plan_options_default();
        fast.method = methods[br_rng_below(&rng, 3)];
        fast.threads = 1;
        assert_true(random_job_make(seed * 100 + k, TASKS, 0, &job[jobs]));
        if (br_plan_make(job[jobs].dag, job[0].cluster, &fast, &plan[jobs], NULL))
            random_job_finish(&job[jobs]);
        else
            jobs++;
    }
    m.options.policy = br_policy_name((uint32_t)br_rng_below(&rng, 5) % 3);
    m.options.fairness = br_rng_below(&rng, 2) ? BR_FAIR_SLOTS : BR_FAIR_DOMINANT;
    m.options.bundle = 1 + (uint32_t)br_rng_below(&rng, 6);
    m.options.remote_penalty = (double)br_rng_below(&rng, 5) / 4;
    m.options.eta_factor = 0.75 * (double)br_rng_below(&rng, 5);
    m.options.kappa = 0.02 * (double)(1 + br_rng_below(&rng, 20));
    m.options.keep_plan = br_rng_below(&rng, 2);
    take_cluster(&m, job[0].cluster);
    assert_int_equal(br_runtime_create(job[0].cluster, &m.options, &runtime, NULL), BR_OK);
    for (; m.groups < 1 + jobs % GROUPS; m.groups++) {
        uint32_t number;
        m.weight[m.groups] = (double)(1 + br_rng_below(&rng, 3));
        assert_int_equal(br_runtime_add_group(runtime, "g", m.weight[m.groups], &number, NULL),
                         BR_OK);
        assert_int_equal(number, m.groups);
    }
    for (uint32_t r = 0; r < m.resources; r++)
        if (strcmp(m.name[r], "net") == 0 && br_rng_below(&rng, 2)) {
            assert_int_equal(br_runtime_overbook(runtime, "net", 150, NULL), BR_OK);
            for (uint32_t i = 0; i < m.cluster->machines; i++)
                m.extra[i][r] = m.capacity[i][r] / 100 * 50;
        }
    for (uint32_t j = 0; j < jobs; j++) {
        uint32_t number, group = (uint32_t)br_rng_below(&rng, m.groups);
        const struct br_plan *with = br_rng_below(&rng, 4) ? plan[j] : NULL;
        assert_int_equal(
            br_runtime_submit(runtime, job[j].dag, with, group, BR_READY_BY_EDGES, &number, NULL),
            BR_OK);
        assert_int_equal(number, j);
        take_job(&m, j, job[j].dag, with, group);
        tally->guarded += jobs == 1 && with && m.options.keep_plan;
    }
    tally->several += jobs > 1;
    tally->groups += m.groups > 1;
    int64_t clock_ns = 0;
    for (;;) {
        struct br_decision got[MOST], want[MOST];
        uint32_t room = 1 + (uint32_t)br_rng_below(&rng, MOST), made;
        m.now_ns = clock_ns;
        do {
            made = br_runtime_decide(runtime, BR_ANY, m.now_ns, got, room);
            assert_int_equal(made, decide(&m, want, room));
            for (uint32_t d = 0; d < made; d++) {
                assert_int_equal(got[d].machine, want[d].machine);
                assert_int_equal(got[d].job, want[d].job);
                assert_int_equal(got[d].task, want[d].task);
                const struct br_plan *kept = m.job[got[d].job].plan;
                tally->remote += kept && kept->machine[got[d].task] != got[d].machine;
            }
            tally->decisions += made;
            for (uint32_t g = 0; g < m.groups; g++)
                assert_true(br_runtime_deficit(runtime, g) == m.deficit[g]);
        } while (made == room);
        /* The one of those that run which ends first, mostly: some last longer than planned. */
        uint32_t which_job = BR_ANY, which = 0;
        int64_t first_ns = INT64_MAX;
        for (uint32_t j = 0; j < jobs; j++)
            for (uint32_t t = 0; t < m.job[j].tasks; t++) {
                if (m.job[j].state[t] != RUNNING)
                    continue;
                int64_t end_ns = m.job[j].began_ns + m.job[j].started_ns[t] +
                                 m.job[j].dag->duration_ns[t] * (int64_t)(1 + (seed + t) % 7 / 6);
                if (end_ns < first_ns) {
                    first_ns = end_ns;
                    which_job = j;
                    which = t;
                }
            }
        if (which_job == BR_ANY)
            break;
        clock_ns = first_ns > clock_ns ? first_ns : clock_ns;
        uint64_t luck = br_rng_below(&rng, 40);
        if (luck < 3) {
            assert_int_equal(br_runtime_failed(runtime, which_job, which, luck > 0, NULL), BR_OK);
            finish(&m, which_job, which, luck > 0 ? READY : LOST);
        } else {
            assert_int_equal(br_runtime_finished(runtime, which_job, which, NULL), BR_OK);
            finish(&m, which_job, which, DONE);
        }
    }
    for (uint32_t j = 0; j < jobs; j++) {
        br_plan_destroy(plan[j]);
        random_job_finish(&job[j]);
    }
    br_runtime_destroy(runtime);
}

static void test_decisions(void **state)
{
    struct tally tally = {0};
    unsigned runs = random_jobs(RUNS);
    for (uint64_t seed = 1; seed <= runs; seed++)
        run(seed, &tally);
    /* The cases that the runs are for have come up often. */
    assert_true(tally.decisions > 12 * runs);
    assert_true(tally.remote > runs / 2);
    assert_true(tally.guarded > runs / 12);
    assert_true(tally.several > runs / 3);
    assert_true(tally.groups > runs / 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decisions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
