/* The enforcer against its definition, written out without any index: at every decision all ready
 * tasks of all jobs are scored anew from what has happened so far.
 *
 * It is checked that the task that starts is the best of those that fit (several where scores
 * differ by rounding alone), of the group that is owed most where that matters; where nothing
 * starts, nothing could. Events come in any order that makes sense, also those that no driver of
 * ours sends: tasks that somebody else starts, that finish without a start, that fail; machines
 * that report; jobs that come and go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/rng.h"
#include "planner/instance/plan.h"
#include "runtime/enforcer/decide.h"
#include "runtime/replay/replay.h"
#include "tests/support/random_job.h"

enum { JOBS = 4, GROUPS = 3, TASKS = 24, MACHINES = 8, RESOURCES = 4, STEPS = 260 };

enum state { WAITING, READY, RUNNING, FINISHED, FAILED };

struct job {
    struct random_job input;
    struct br_plan *plan;       /* may be NULL */
    bool here, by_event, lossy; /* lossy: finished tasks have been lost */
    uint32_t number, group;     /* as the enforcer has them */
    enum state state[RANDOM_JOB_TASKS];
    uint32_t machine[RANDOM_JOB_TASKS];
    uint32_t rank[RANDOM_JOB_TASKS];
    double demand[RANDOM_JOB_TASKS][RESOURCES];
    /* What was told of ended tasks, by stage; a stage of which nothing was has the job's pace. */
    double declared[RANDOM_JOB_TASKS], lasted[RANDOM_JOB_TASKS], pace[RANDOM_JOB_TASKS], whole;
    uint32_t told[RANDOM_JOB_TASKS];
};

struct model {
    struct br_runtime *runtime;
    const struct br_runtime_options *options;
    const struct br_cluster *cluster;
    uint32_t resources, machines, groups;
    const char *resource[RESOURCES];
    double capacity[MACHINES][RESOURCES], free[MACHINES][RESOURCES], held[MACHINES][RESOURCES];
    double total[RESOURCES], overbooked[RESOURCES]; /* share beyond what there is */
    double weight[GROUPS], deficit[GROUPS];
    struct job job[JOBS];
    unsigned decisions, refusals, by_fairness, kept_free, told, lost;
};

static double number_of(struct br_decimal amount)
{
    return (double)amount.mantissa * pow(10, amount.exponent);
}

/* ---- What the definition speaks of ---- */

static bool is_live(const struct job *job, uint32_t t)
{
    return job->state[t] == WAITING || job->state[t] == READY || job->state[t] == RUNNING;
}

static double share(const struct model *m, const struct job *job, uint32_t t, bool largest)
{
    double sum = 0, most = 0;
    for (uint32_t r = 0; r < m->resources; r++) {
        double one = job->demand[t][r] > 0 ? job->demand[t][r] / m->total[r] : 0;
        sum += one;
        most = fmax(most, one);
    }
    return largest ? most : sum;
}

static double remaining(const struct model *m, const struct job *job)
{
    double sum = 0;
    for (uint32_t t = 0; t < job->input.dag->tasks; t++) {
        uint32_t s = br_dag_task_stage(job->input.dag, t);
        if (job->state[t] == WAITING || job->state[t] == READY)
            sum += (double)job->input.dag->duration_ns[t] / 1e9 * share(m, job, t, false) *
                   (job->told[s] ? job->pace[s] : job->whole);
    }
    return sum;
}

/* The paces after a task has taken so long: of the job the geometric mean over its stages, and 1;
 * of the stage what all of it took, beside one task more at the job's pace. */
static void learn(struct job *job, uint32_t t, double lasted_ns)
{
    double declared_ns = (double)job->input.dag->duration_ns[t], product = 1, factors = 1;
    uint32_t s = br_dag_task_stage(job->input.dag, t);
    if (declared_ns <= 0 || lasted_ns <= 0)
        return;
    job->told[s]++;
    job->declared[s] += declared_ns;
    job->lasted[s] += lasted_ns;
    for (uint32_t k = 0; k < job->input.dag->stages; k++) {
        product *= job->told[k] ? job->lasted[k] / job->declared[k] : 1;
        factors += job->told[k] > 0;
    }
    job->whole = fmin(fmax(pow(product, 1 / factors), 1.0 / 64), 64);
    double one = job->declared[s] / job->told[s];
    job->pace[s] =
        fmin(fmax((job->lasted[s] + one * job->whole) / (job->declared[s] + one), 1.0 / 64), 64);
}

/* eta: mean packing on an empty machine over mean remaining work, of the jobs that have some left.
 */
static double eta(const struct model *m)
{
    double packing = 0, work = 0, tasks = 0, jobs = 0;
    for (uint32_t j = 0; j < JOBS; j++) {
        const struct job *job = &m->job[j];
        bool pending = false;
        for (uint32_t t = 0; job->here && t < job->input.dag->tasks; t++)
            pending = pending || job->state[t] == WAITING || job->state[t] == READY;
        if (!pending)
            continue;
        for (uint32_t t = 0; t < job->input.dag->tasks; t++)
            packing += share(m, job, t, false) * m->machines;
        tasks += job->input.dag->tasks;
        work += remaining(m, job);
        jobs++;
    }
    return jobs < 2 || work <= 0 ? 0 : m->options->eta_factor * (packing / tasks) / (work / jobs);
}

static double score(const struct model *m, const struct job *job, uint32_t t, uint32_t machine,
                    double weight_of_work)
{
    uint32_t tasks = job->input.dag->tasks;
    double priority = (double)(tasks - job->rank[t]) / tasks, packing = 0;
    for (uint32_t r = 0; r < m->resources; r++) {
        double capacity = m->capacity[machine][r];
        if (capacity > 0 && m->free[machine][r] > 0)
            packing += job->demand[t][r] * m->free[machine][r] / (capacity * capacity);
    }
    if (job->plan && job->plan->machine[t] != machine)
        packing *= m->options->remote_penalty;
    double work = weight_of_work * remaining(m, job);
    if (strcmp(m->options->policy, "order") == 0)
        return priority;
    return strcmp(m->options->policy, "packing") == 0 ? packing - work : priority * packing - work;
}

static bool fits(const struct model *m, const struct job *job, uint32_t t, uint32_t machine)
{
    for (uint32_t r = 0; r < m->resources; r++)
        if (job->demand[t][r] > 0 &&
            job->demand[t][r] >
                m->free[machine][r] + m->capacity[machine][r] * m->overbooked[r] + 1e-9)
            return false; /* A resource overbooked already keeps nobody out who does not want it. */
    return true;
}

static bool has_ready(const struct model *m, uint32_t group)
{
    for (uint32_t j = 0; j < JOBS; j++)
        for (uint32_t t = 0;
             m->job[j].here && m->job[j].group == group && t < m->job[j].input.dag->tasks; t++)
            if (m->job[j].state[t] == READY)
                return true;
    return false;
}

/* The best score on the machine among the group's ready tasks that fit (BR_ANY: all groups'), and
 * how many there are. */
static unsigned best_score(const struct model *m, uint32_t group, uint32_t machine, double *best)
{
    double weight = eta(m);
    unsigned count = 0;
    for (uint32_t j = 0; j < JOBS; j++) {
        const struct job *job = &m->job[j];
        if (!job->here || (group != BR_ANY && job->group != group))
            continue;
        for (uint32_t t = 0; t < job->input.dag->tasks; t++)
            if (job->state[t] == READY && fits(m, job, t, machine)) {
                double one = score(m, job, t, machine, weight);
                *best = count++ && *best > one ? *best : one;
            }
    }
    return count;
}

/* Would a ready task of the group fit the machine if it were empty? */
static bool would_fit(const struct model *m, uint32_t group, uint32_t machine)
{
    for (uint32_t j = 0; j < JOBS; j++) {
        const struct job *job = &m->job[j];
        for (uint32_t t = 0; job->here && job->group == group && t < job->input.dag->tasks; t++) {
            bool all = job->state[t] == READY;
            for (uint32_t r = 0; r < m->resources; r++)
                all = all && job->demand[t][r] <= m->capacity[machine][r] + 1e-9;
            if (all)
                return true;
        }
    }
    return false;
}

/* ---- What happens ---- */

static void forget_debts(struct model *m)
{
    for (uint32_t g = 0; g < m->groups; g++) {
        bool live = false;
        for (uint32_t j = 0; j < JOBS; j++)
            for (uint32_t t = 0;
                 m->job[j].here && m->job[j].group == g && t < m->job[j].input.dag->tasks; t++)
                live = live || is_live(&m->job[j], t);
        if (!live)
            m->deficit[g] = 0;
    }
}

static void hold(struct model *m, struct job *job, uint32_t t, int sign)
{
    for (uint32_t r = 0; r < m->resources; r++) {
        m->free[job->machine[t]][r] -= sign * job->demand[t][r];
        m->held[job->machine[t]][r] += sign * job->demand[t][r];
    }
}

static void run(struct model *m, struct job *job, uint32_t t, uint32_t machine)
{
    job->state[t] = RUNNING;
    job->machine[t] = machine;
    hold(m, job, t, 1);
}

static void find_ready(struct job *job)
{
    const struct br_dag *dag = job->input.dag;
    for (uint32_t t = 0; !job->by_event && t < dag->tasks; t++) {
        uint32_t stage = br_dag_task_stage(dag, t), twin = t - dag->stage[stage].first_task;
        bool ready = job->state[t] == WAITING;
        for (uint32_t e = 0; e < dag->edges; e++) {
            const struct br_stage *parent = &dag->stage[dag->edge[e].parent];
            for (uint32_t i = 0; dag->edge[e].child == stage && i < parent->tasks; i++)
                if (dag->edge[e].type == BR_BARRIER || i == twin)
                    ready = ready && job->state[parent->first_task + i] == FINISHED;
        }
        if (ready)
            job->state[t] = READY;
    }
}

static void account(struct model *m, const struct job *job, uint32_t t)
{
    double factor, weights = 0, slots = 0;
    for (uint32_t r = 0; r < m->resources; r++)
        if (strcmp(m->resource[r], "cpu") == 0)
            slots = m->total[r];
    factor = 1 / (slots < 1 ? m->machines : slots);
    if (m->options->fairness == BR_FAIR_DOMINANT)
        factor = share(m, job, t, true);
    for (uint32_t g = 0; g < m->groups; g++)
        weights += has_ready(m, g) ? m->weight[g] : 0;
    for (uint32_t g = 0; g < m->groups; g++)
        if (has_ready(m, g))
            m->deficit[g] += factor * (m->weight[g] / weights - (g == job->group));
}

/* The group that is owed most and at least the threshold; *close where rounding decides. */
static uint32_t most_unfair(const struct model *m, bool *close)
{
    uint32_t most = BR_ANY, groups = 0;
    for (uint32_t g = 0; g < m->groups; g++) {
        if (!has_ready(m, g))
            continue;
        groups++;
        if (most != BR_ANY && fabs(m->deficit[g] - m->deficit[most]) < 1e-9)
            *close = true;
        if (most == BR_ANY || m->deficit[g] > m->deficit[most])
            most = g;
    }
    if (groups < 2)
        *close = false;
    if (most != BR_ANY && groups > 1 && fabs(m->deficit[most] - m->options->kappa) < 1e-9)
        *close = true;
    if (groups < 2 || m->deficit[most] < m->options->kappa)
        return BR_ANY;
    return most;
}

/* Asks for one decision on the machine, and compares it with the definition. False where nothing
 * starts. */
static bool decide(struct model *m, uint32_t machine)
{
    struct br_decision decision;
    bool close = false, keep_free = false, limit = false;
    double best = 0;
    uint32_t only = most_unfair(m, &close);
    unsigned count = best_score(m, only, machine, &best);
    uint32_t group = only;
    if (only != BR_ANY && !count) {
        double debt = m->deficit[only] - m->options->kappa - 1;
        bool held = would_fit(m, only, machine);
        keep_free = debt >= 0 && held;
        limit = held && fabs(debt) < 1e-9;
        group = BR_ANY;
        count = best_score(m, BR_ANY, machine, &best);
    }
    uint32_t got = br_runtime_decide(m->runtime, machine, 0, &decision, 1);
    if (close || limit) {
        /* Rounding decides who is served; whatever starts has to fit. */
    } else if (keep_free) {
        m->kept_free += count > 0;
        assert_int_equal(got, 0);
    } else {
        assert_int_equal(got, count > 0);
    }
    if (!got) {
        m->refusals++;
        return false;
    }
    uint32_t j = 0, t = decision.task;
    while (!m->job[j].here || m->job[j].number != decision.job)
        assert_true(++j < JOBS);
    struct job *job = &m->job[j];
    assert_int_equal(decision.machine, machine);
    assert_int_equal(job->state[t], READY);
    assert_true(fits(m, job, t, machine));
    if (!close && !limit) {
        double one = score(m, job, t, machine, eta(m));
        /* Work is counted in units that are coarse for the shortest of these tasks. */
        double rounding = 1e-9 * (1 + fabs(best)) + 1e-5 * eta(m) * remaining(m, job);
        assert_true(one >= best - rounding);
        if (group != BR_ANY) {
            assert_int_equal(job->group, group);
            m->by_fairness++;
        }
    }
    account(m, job, t);
    run(m, job, t, machine);
    m->decisions++;
    return true;
}

/* ---- Events drawn by a seed ---- */

static void submit(struct model *m, struct br_rng *rng, struct job *job)
{
    const struct br_dag *dag = job->input.dag;
    job->by_event = br_rng_below(rng, 5) == 0;
    job->group = (uint32_t)br_rng_below(rng, m->groups);
    assert_int_equal(br_runtime_submit(m->runtime, dag, job->plan, job->group,
                                       job->by_event ? BR_READY_BY_EVENT : BR_READY_BY_EDGES,
                                       &job->number, NULL),
                     BR_OK);
    memset(job->state, 0, sizeof job->state);
    memset(job->told, 0, sizeof job->told);
    memset(job->declared, 0, sizeof job->declared);
    memset(job->lasted, 0, sizeof job->lasted);
    job->whole = 1;
    job->lossy = false;
    job->here = true;
    find_ready(job);
}

static void finish_task(struct model *m, struct br_rng *rng, struct job *job, uint32_t t)
{
    if (job->state[t] == RUNNING)
        hold(m, job, t, -1);
    assert_int_equal(br_runtime_finished(m->runtime, job->number, t, NULL), BR_OK);
    job->state[t] = FINISHED;
    find_ready(job);
    if (br_rng_below(rng, 2)) {
        int64_t ns = job->input.dag->duration_ns[t] * (int64_t)br_rng_below(rng, 9) / 3;
        assert_int_equal(br_runtime_lasted(m->runtime, job->number, t, ns, NULL), BR_OK);
        learn(job, t, (double)ns);
        m->told++;
    }
}

/* What the task has made is gone: those that wait for it, and have not started, wait again. */
static void lose_task(struct model *m, struct job *job, uint32_t t)
{
    assert_int_equal(br_runtime_lost(m->runtime, job->number, t, NULL), BR_OK);
    job->state[t] = WAITING;
    for (uint32_t k = 0; k < job->input.dag->tasks; k++)
        if (job->state[k] == READY)
            job->state[k] = WAITING;
    find_ready(job);
    job->lossy = true;
    m->lost++;
}

static void fail_task(struct model *m, struct br_rng *rng, struct job *job, uint32_t t)
{
    bool again = br_rng_below(rng, 4) > 0;
    hold(m, job, t, -1);
    assert_int_equal(br_runtime_failed(m->runtime, job->number, t, again, NULL), BR_OK);
    job->state[t] = again ? READY : FAILED;
    if (again && job->lossy) {
        job->state[t] = WAITING;
        find_ready(job);
    }
}

static void retire(struct model *m, struct job *job)
{
    for (uint32_t t = 0; t < job->input.dag->tasks; t++)
        if (job->state[t] == RUNNING)
            hold(m, job, t, -1);
    assert_int_equal(br_runtime_retire(m->runtime, job->number, NULL), BR_OK);
    job->here = false;
}

static void report(struct model *m, struct br_rng *rng)
{
    uint32_t machine = (uint32_t)br_rng_below(rng, m->machines);
    uint32_t r = (uint32_t)br_rng_below(rng, m->resources);
    char text[32];
    double capacity = m->capacity[machine][r];
    int quarters = (int)br_rng_below(rng, 5);
    snprintf(text, sizeof text, "%.6f", capacity * quarters / 4);
    double free = strtod(text, NULL), most = capacity - m->held[machine][r];
    assert_int_equal(br_runtime_report(m->runtime, machine, m->resource[r], text, NULL), BR_OK);
    m->free[machine][r] = free < most ? free : most;
}

static void something_happens(struct model *m, struct br_rng *rng)
{
    struct job *job = &m->job[br_rng_below(rng, JOBS)];
    if (!job->here) {
        if (job->input.dag && br_rng_below(rng, 3) == 0)
            submit(m, rng, job);
        return;
    }
    uint32_t t = (uint32_t)br_rng_below(rng, job->input.dag->tasks);
    uint64_t what = br_rng_below(rng, 100);
    if (what < 2) {
        retire(m, job);
    } else if (what < 6) {
        report(m, rng);
    } else if (job->state[t] == RUNNING) {
        if (what < 20)
            fail_task(m, rng, job, t);
        else
            finish_task(m, rng, job, t);
    } else if (job->state[t] == FINISHED && !job->by_event && what < 20) {
        lose_task(m, job, t);
    } else if (job->state[t] == WAITING && job->by_event) {
        assert_int_equal(br_runtime_ready(m->runtime, job->number, t, NULL), BR_OK);
        job->state[t] = READY;
    } else if (job->state[t] == READY && job->by_event && what < 30) {
        assert_int_equal(br_runtime_withdrawn(m->runtime, job->number, t, NULL), BR_OK);
        job->state[t] = WAITING;
    } else if (job->state[t] == READY && what < 14) {
        uint32_t machine = (uint32_t)br_rng_below(rng, m->machines);
        assert_int_equal(br_runtime_started(m->runtime, job->number, t, machine, NULL), BR_OK);
        run(m, job, t, machine);
    } else if (job->state[t] == READY && what < 16) {
        finish_task(m, rng, job, t);
    }
    forget_debts(m);
}

/* ---- Set-up ---- */

static void describe_cluster(struct model *m)
{
    m->machines = m->cluster->machines;
    m->resources = m->cluster->cls[0].capacities;
    for (uint32_t r = 0; r < m->resources; r++)
        m->resource[r] = m->cluster->cls[0].capacity[r].resource;
    for (uint32_t k = 0; k < m->machines; k++)
        for (uint32_t r = 0; r < m->resources; r++) {
            uint32_t cls = br_cluster_machine_class(m->cluster, k);
            m->capacity[k][r] = number_of(br_cluster_capacity(m->cluster, cls, m->resource[r]));
            m->free[k][r] = m->capacity[k][r];
            m->total[r] += m->capacity[k][r];
        }
}

/* A job that fits the cluster, with a plan or without machines of its plan. */
static void draw_job(struct model *m, uint64_t seed, struct job *job)
{
    struct br_plan_options fast = br_plan_options_default();
    fast.method = seed % 2 ? "graphene" : "random";
    fast.threads = 1;
    fast.seed = seed;
    for (uint64_t k = 0; k < 20; k++) {
        assert_true(random_job_make(seed * 50 + k, TASKS, 0, &job->input));
        if (br_plan_make(job->input.dag, m->cluster, &fast, &job->plan, NULL) == BR_OK)
            break;
        random_job_finish(&job->input);
    }
    const struct br_dag *dag = job->input.dag;
    for (uint32_t t = 0; dag && t < dag->tasks; t++) {
        const struct br_stage *stage = &dag->stage[br_dag_task_stage(dag, t)];
        job->rank[t] = job->plan->rank[t] - 1;
        for (uint32_t d = stage->first_demand; d < stage->first_demand + stage->demands; d++)
            for (uint32_t r = 0; r < m->resources; r++)
                if (strcmp(m->resource[r], dag->resource[dag->demand[d].resource].name) == 0)
                    job->demand[t][r] = number_of(dag->demand[d].amount);
    }
}

static void play(uint64_t seed, unsigned *decisions, unsigned *by_fairness, unsigned *kept_free)
{
    static const double penalties[] = {0.8, 0, 1, 0.5}, kappas[] = {0.1, 0.02, 0.5};
    struct br_rng rng = br_rng_seed(seed);
    struct br_runtime_options options = br_runtime_options_default();
    struct random_job first;
    struct model m = {.options = &options};
    options.policy = br_policy_name((uint32_t)seed % 3);
    options.remote_penalty = penalties[seed / 3 % 4];
    if (seed % 5) /* else as it is by default */
        options.eta_factor = BR_ETA_PAPER * 0.25 * (double)(seed % 5);
    options.kappa = kappas[seed / 2 % 3];
    options.fairness = seed / 4 % 2 ? BR_FAIR_SLOTS : BR_FAIR_DOMINANT;
    options.bundle = 1 + (uint32_t)seed % 9;
    options.keep_plan = false;
    assert_true(random_job_make(seed * 50, TASKS, 0, &first));
    m.cluster = first.cluster;
    describe_cluster(&m);
    assert_int_equal(br_runtime_create(m.cluster, &options, &m.runtime, NULL), BR_OK);
    m.weight[m.groups++] = 1;
    for (uint32_t g = 1; g < GROUPS; g++) {
        uint32_t number;
        m.weight[g] = 1 + (double)br_rng_below(&rng, 4);
        assert_int_equal(br_runtime_add_group(m.runtime, "g", m.weight[g], &number, NULL), BR_OK);
        assert_int_equal(number, m.groups++);
    }
    for (uint32_t r = 0; r < m.resources; r++)
        if (strcmp(m.resource[r], "net") == 0 && seed % 3 == 0) {
            m.overbooked[r] = 0.5;
            assert_int_equal(br_runtime_overbook(m.runtime, "net", 150, NULL), BR_OK);
        }
    for (uint32_t j = 0; j < JOBS; j++)
        draw_job(&m, seed * JOBS + j, &m.job[j]);
    for (uint32_t step = 0; step < STEPS; step++) {
        something_happens(&m, &rng);
        if (br_rng_below(&rng, 3))
            continue;
        uint32_t machine = (uint32_t)br_rng_below(&rng, m.machines);
        for (uint64_t k = br_rng_below(&rng, 6); k > 0 && decide(&m, machine); k--)
            ;
        for (uint32_t g = 0; g < m.groups; g++)
            assert_true(fabs(br_runtime_deficit(m.runtime, g) - m.deficit[g]) < 1e-9);
    }
    *decisions += m.decisions;
    *by_fairness += m.by_fairness;
    *kept_free += m.kept_free;
    br_runtime_destroy(m.runtime);
    for (uint32_t j = 0; j < JOBS; j++) {
        br_plan_destroy(m.job[j].plan);
        random_job_finish(&m.job[j].input);
    }
    random_job_finish(&first);
}

static void test_against_definition(void **state)
{
    unsigned decisions = 0, by_fairness = 0, kept_free = 0, games = random_jobs(600);
    for (uint64_t seed = 1; seed <= games; seed++)
        play(seed, &decisions, &by_fairness, &kept_free);
    /* The cases that make the comparison worth while have happened. */
    assert_true(decisions > games * 10);
    assert_true(by_fairness > games);
    assert_true(kept_free > games / 20);
}

/* The replay in virtual time, without a heap: looks at all tasks for who ends next. Everything that
 * ends at one time has ended before anything is decided. */
static void test_replay(void **state)
{
    for (uint64_t seed = 1; seed <= random_jobs(400); seed++) {
        struct br_plan_options fast = br_plan_options_default();
        struct br_simulation run;
        struct br_arena arena = {0};
        struct random_job job;
        struct br_plan *plan;
        struct br_runtime *runtime;
        int64_t end_ns[RANDOM_JOB_TASKS], now_ns = 0;
        bool running[RANDOM_JOB_TASKS] = {false};
        uint32_t number, left;
        fast.method = "cp";
        fast.threads = 1;
        assert_true(random_job_make(seed, 1 + seed % RANDOM_JOB_TASKS, 0, &job));
        assert_int_equal(br_plan_make(job.dag, job.cluster, &fast, &plan, NULL), BR_OK);
        int64_t *lasts = br_simulate_durations(&arena, job.dag, seed % 2 ? 0.4 : 0, seed);
        assert_int_equal(
            br_simulate(job.dag, job.cluster, seed % 3 ? plan : NULL, lasts, NULL, &run, NULL),
            BR_OK);
        assert_int_equal(br_runtime_create(job.cluster, NULL, &runtime, NULL), BR_OK);
        assert_int_equal(br_runtime_submit(runtime, job.dag, seed % 3 ? plan : NULL, 0,
                                           BR_READY_BY_EDGES, &number, NULL),
                         BR_OK);
        for (left = job.dag->tasks; left;) {
            struct br_decision one[RANDOM_JOB_TASKS];
            uint32_t got = br_runtime_decide(runtime, BR_ANY, now_ns, one, RANDOM_JOB_TASKS);
            for (uint32_t d = 0; d < got; d++) {
                uint32_t task = one[d].task;
                running[task] = true;
                end_ns[task] = now_ns + lasts[task];
                assert_true(run.start_ns[task] == now_ns);
                assert_int_equal(run.machine[task], one[d].machine);
            }
            now_ns = INT64_MAX;
            for (uint32_t t = 0; t < job.dag->tasks; t++)
                if (running[t] && end_ns[t] < now_ns)
                    now_ns = end_ns[t];
            for (uint32_t t = 0; t < job.dag->tasks; t++)
                if (running[t] && end_ns[t] == now_ns) {
                    assert_true(run.end_ns[t] == now_ns);
                    assert_int_equal(br_runtime_finished(runtime, number, t, NULL), BR_OK);
                    running[t] = false;
                    left--;
                }
        }
        assert_true(run.makespan_ns == now_ns);
        br_runtime_destroy(runtime);
        br_simulation_finish(&run);
        br_arena_finish(&arena);
        br_plan_destroy(plan);
        random_job_finish(&job);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_definition),
        cmocka_unit_test(test_replay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
