/* Jobs that follow plans to their machines. When a job arrives, the machines of its plan are given
 * to real ones of their class: the one with most to do in the plan to the one with least to do now,
 * and so on. From then on a machine starts what is ready there and fits, the job of the least work
 * first, within a job in the order of its plan.
 *
 * Each machine has a list of what is ready there, in the order in which it is to start. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "planner/instance/plan.h"
#include "cluster/simulate/policies/rooms.h"
#include "cluster/simulate/rows.h"

struct placed_rule {
    bool network; /* by plans that account for transfers */
};

/* A task that may start on its machine. */
struct waiting {
    double work; /* of its job */
    uint32_t job, rank, task;
};

struct queue {
    struct waiting *waiting;
    uint32_t count, room;
};

/* A job that is there. */
struct placed_job {
    const struct br_dag *dag;
    double work;       /* of all tasks: demand shares x seconds */
    uint32_t *machine; /* by task; one block with what follows */
    uint32_t *rank;    /* by task, in its plan */
    uint32_t *stage_kind;
    int64_t *demand; /* [kind * resources], of an arena */
    struct br_arena arena;
};

struct placed {
    struct placed_rule rule;
    struct br_policy_setup setup;
    struct br_arena arena;
    struct br_capacities capacities;
    struct br_rooms rooms;
    struct queue *queue; /* by machine */
    double *load;        /* by machine: work that is placed there and has not ended */
    double *asked;       /* by machine of a plan: work there; of the job at hand */
    uint32_t *order, *plan_order, *real; /* machines of a class by load, of the plan's by work */
    uint32_t *dirty, dirties;            /* machines on which something may start */
    bool *is_dirty;
    struct placed_job *job; /* by number */
    uint32_t jobs;          /* room for so many */
};

static enum br_status placed_create(const struct br_policy_row *row,
                                    const struct br_policy_setup *setup, void **policy,
                                    struct br_diag *diag)
{
    const struct placed_rule *rule = row->detail;
    struct placed *p = calloc(1, sizeof *p);
    *policy = p;
    if (!p)
        return br_fail_memory(diag);
    p->rule = *rule;
    p->setup = *setup;
    size_t machines = setup->cluster->machines;
    enum br_status status = br_capacities_make(&p->arena, setup->cluster, &p->capacities, diag);
    if (status)
        return status;
    if (!br_rooms_init(&p->rooms, setup->cluster, &p->capacities) ||
        !BR_ARRAY(&p->arena, machines, p->queue) || !BR_ARRAY(&p->arena, machines, p->load) ||
        !BR_ARRAY(&p->arena, machines, p->asked) || !BR_ARRAY(&p->arena, machines, p->order) ||
        !BR_ARRAY(&p->arena, machines, p->plan_order) || !BR_ARRAY(&p->arena, machines, p->real) ||
        !BR_ARRAY(&p->arena, machines, p->dirty) || !BR_ARRAY(&p->arena, machines, p->is_dirty))
        return br_fail_memory(diag);
    return BR_OK;
}

static void placed_forget(struct placed_job *job)
{
    br_arena_finish(&job->arena);
    *job = (struct placed_job){0};
}

static void placed_destroy(void *policy)
{
    struct placed *p = policy;
    for (uint32_t j = 0; j < p->jobs; j++)
        placed_forget(&p->job[j]);
    for (uint32_t m = 0; p->queue && m < p->setup.cluster->machines; m++)
        free(p->queue[m].waiting);
    free(p->job);
    br_rooms_finish(&p->rooms);
    br_arena_finish(&p->arena);
    free(p);
}

static const int64_t *placed_demand_of(const struct placed *p, const struct placed_job *job,
                                       uint32_t task)
{
    uint32_t kind = job->stage_kind[br_dag_task_stage(job->dag, task)];
    return job->demand + (size_t)kind * p->capacities.scale.resources;
}

/* Seconds of the task times the most that it demands of the cluster. */
static double placed_work_of(const struct placed *p, const struct placed_job *job, uint32_t task)
{
    const int64_t *demand = placed_demand_of(p, job, task);
    double share = 0;
    for (uint32_t r = 0; r < p->capacities.scale.resources; r++) {
        double total = p->capacities.scale.total[r];
        if (total > 0 && (double)demand[r] / total > share)
            share = (double)demand[r] / total;
    }
    return share * (double)job->dag->duration_ns[task] * 1e-9;
}

/* ---- Machines of a plan and real ones ---- */

struct by_load {
    const double *load;
    double sign;
};

static int placed_compare(const void *a, const void *b, void *context)
{
    const struct by_load *by = context;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    double one = by->sign * by->load[x], other = by->sign * by->load[y];
    if (one != other)
        return one < other ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Sets p->real: by machine of the plan, the machine of its class that stands for it. */
static void placed_map_machines(struct placed *p)
{
    const struct br_cluster *cluster = p->setup.cluster;
    for (uint32_t c = 0; c < cluster->classes; c++) {
        const struct br_class *cls = &cluster->cls[c];
        for (uint32_t k = 0; k < cls->count; k++)
            p->order[k] = p->plan_order[k] = cls->first_machine + k;
        qsort_r(p->order, cls->count, sizeof *p->order, placed_compare,
                &(struct by_load){p->load, 1});
        qsort_r(p->plan_order, cls->count, sizeof *p->plan_order, placed_compare,
                &(struct by_load){p->asked, -1});
        for (uint32_t k = 0; k < cls->count; k++)
            p->real[p->plan_order[k]] = p->order[k];
    }
}

static enum br_status placed_prepare(struct placed *p, struct placed_job *job, struct br_diag *diag)
{
    const struct br_dag *dag = job->dag;
    struct br_kinds kinds;
    job->machine = br_arena_array(&job->arena, dag->tasks, sizeof *job->machine);
    job->rank = br_arena_array(&job->arena, dag->tasks, sizeof *job->rank);
    job->stage_kind = br_arena_array(&job->arena, dag->stages, sizeof *job->stage_kind);
    if (!job->machine || !job->rank || !job->stage_kind)
        return br_fail_memory(diag);
    enum br_status status =
        br_kinds_find(&job->arena, dag, &p->capacities.scale, job->stage_kind, &kinds, diag);
    job->demand = kinds.demand;
    return status;
}

static enum br_status placed_arrive(void *policy, const struct br_arrival *arrival, int64_t now_ns,
                                    struct br_diag *diag)
{
    struct placed *p = policy;
    (void)now_ns;
    while (arrival->job >= p->jobs) {
        uint32_t old = p->jobs;
        if (!br_grow(&p->job, old, &p->jobs, sizeof *p->job))
            return br_fail_memory(diag);
        memset(p->job + old, 0, (p->jobs - old) * sizeof *p->job);
    }
    const struct br_plan *plan = (p->rule.network ? p->setup.network_plan : p->setup.plan)(
        p->setup.plan_context, arrival, diag);
    if (!plan)
        return diag ? diag->status : BR_SYSTEM;
    struct placed_job *job = &p->job[arrival->job];
    job->dag = arrival->dag;
    enum br_status status = placed_prepare(p, job, diag);
    if (status)
        return status;
    memset(p->asked, 0, p->setup.cluster->machines * sizeof *p->asked);
    for (uint32_t t = 0; t < job->dag->tasks; t++) {
        double work = placed_work_of(p, job, t);
        p->asked[plan->machine[t]] += work;
        job->work += work;
        assert(plan->rank[t] - 1 < job->dag->tasks);
        job->rank[t] = plan->rank[t];
    }
    placed_map_machines(p);
    for (uint32_t t = 0; t < job->dag->tasks; t++)
        job->machine[t] = p->real[plan->machine[t]];
    assert(p->job[arrival->job].work >= 0);
    for (uint32_t m = 0; m < p->setup.cluster->machines; m++)
        p->load[p->real[m]] += p->asked[m];
    return BR_OK;
}

static const uint32_t *placed_places(void *policy, uint32_t job)
{
    const struct placed *p = policy;
    return p->job[job].machine;
}

/* ---- Lists of what is ready ---- */

static void placed_touch(struct placed *p, uint32_t machine)
{
    assert(p->is_dirty[machine] || p->dirties < p->setup.cluster->machines);
    if (!p->is_dirty[machine])
        p->dirty[p->dirties++] = machine;
    p->is_dirty[machine] = true;
}

static bool placed_goes_before(const struct waiting *x, const struct waiting *y)
{
    if (x->work != y->work)
        return x->work < y->work;
    return x->job != y->job ? x->job < y->job : x->rank < y->rank;
}

static enum br_status placed_supplied(void *policy, uint32_t number, uint32_t task,
                                      struct br_diag *diag)
{
    struct placed *p = policy;
    const struct placed_job *job = &p->job[number];
    struct queue *queue = &p->queue[job->machine[task]];
    const struct waiting new = {job->work, number, job->rank[task], task};
    uint32_t low = 0, high = queue->count;
    if (!br_grow(&queue->waiting, queue->count, &queue->room, sizeof *queue->waiting))
        return br_fail_memory(diag);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (placed_goes_before(&queue->waiting[middle], &new))
            low = middle + 1;
        else
            high = middle;
    }
    memmove(&queue->waiting[low + 1], &queue->waiting[low],
            (queue->count++ - low) * sizeof *queue->waiting);
    queue->waiting[low] = new;
    assert(low == 0 || placed_goes_before(&queue->waiting[low - 1], &new));
    assert(low + 1 == queue->count || placed_goes_before(&new, &queue->waiting[low + 1]));
    placed_touch(p, job->machine[task]);
    return BR_OK;
}

static enum br_status placed_end(void *policy, const struct br_ended *ended, int64_t now_ns,
                                 struct br_diag *diag)
{
    struct placed *p = policy;
    const struct placed_job *job = &p->job[ended->job];
    (void)now_ns;
    assert(job->machine[ended->task] == ended->machine);
    br_rooms_change(&p->rooms, ended->machine, placed_demand_of(p, job, ended->task), 1);
    placed_touch(p, ended->machine);
    if (ended->failed) /* its inputs are still there */
        return placed_supplied(p, ended->job, ended->task, diag);
    p->load[ended->machine] -= placed_work_of(p, job, ended->task);
    return BR_OK;
}

static enum br_status placed_retire(void *policy, uint32_t job, struct br_diag *diag)
{
    struct placed *p = policy;
    (void)diag;
    placed_forget(&p->job[job]);
    return BR_OK;
}

static enum br_status placed_machine(void *policy, uint32_t machine, bool there,
                                     struct br_diag *diag)
{
    struct placed *p = policy;
    (void)diag;
    br_rooms_move(&p->rooms, machine, there);
    placed_touch(p, machine);
    return BR_OK;
}

/* Starts what is ready on the machine and fits; `room` decisions mean that there may be more. */
static uint32_t placed_fill(struct placed *p, uint32_t machine, struct br_decision *decisions,
                            uint32_t room)
{
    struct queue *queue = &p->queue[machine];
    uint32_t made = 0, kept = 0;
    for (uint32_t k = 0; k < queue->count; k++) {
        const struct waiting w = queue->waiting[k];
        const int64_t *demand = placed_demand_of(p, &p->job[w.job], w.task);
        if (made < room && !p->rooms.away[machine] && br_rooms_fit(&p->rooms, machine, demand)) {
            br_rooms_change(&p->rooms, machine, demand, -1);
            decisions[made++] = (struct br_decision){w.job, w.task, machine};
        } else {
            queue->waiting[kept++] = w;
        }
    }
    assert(made + kept == queue->count);
    queue->count = kept;
    return made;
}

static uint32_t placed_decide(void *policy, int64_t now_ns, struct br_decision *decisions,
                              uint32_t room, int64_t *wake_ns)
{
    struct placed *p = policy;
    uint32_t made = 0;
    (void)now_ns;
    (void)wake_ns;
    while (p->dirties && made < room) {
        uint32_t machine = p->dirty[p->dirties - 1];
        assert(p->is_dirty[machine]);
        made += placed_fill(p, machine, decisions + made, room - made);
        if (made < room) {
            p->is_dirty[machine] = false;
            p->dirties--;
        }
    }
    return made;
}

/* ---- Policies ---- */

#define PLACED(network)                                                                            \
    .detail = &(const struct placed_rule){network}, .create = placed_create,                       \
    .destroy = placed_destroy, .arrive = placed_arrive, .end = placed_end,                         \
    .retire = placed_retire, .machine = placed_machine, .places = placed_places,                   \
    .supplied = placed_supplied, .decide = placed_decide

const struct br_policy_row br_simulate_policy_placed = {
    .named = {"placed", "tasks on the machines of their plans, the job with the least work first"},
    .plans = true,
    PLACED(false)};

const struct br_policy_row br_simulate_policy_placed_network = {
    .named = {"placed-network", "placed, by plans that account for transfers"}, PLACED(true)};
