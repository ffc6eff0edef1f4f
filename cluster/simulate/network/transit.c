/* Outputs are counted by stage and machine, so that a fetch looks at machines, not at tasks. Shares
 * are rounded up once a source. */
#include "cluster/simulate/network/transit.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/csr.h"
#include "base/collections/grow.h"
#include "planner/model/transfers.h"
#include "planner/ports/ports.h"

static const struct br_transit_policy policies[] = {
    {{"fair", "every transfer alike, max-min fairly: about as connections share"}, BR_SHARE_FAIR},
    {{"fifo", "first the stage that began to fetch first; knows no sizes"}, BR_SHARE_PLAN},
    {{"remaining-bottleneck-first", "first the stage whose busiest port is through first"},
     BR_SHARE_SEBF},
    {{"smallest-remaining-first", "first the stage with the fewest bytes left"},
     BR_SHARE_LEAST_LEFT},
    {{"aalo", "queues by the bytes that a stage has fetched, first in, first out; knows no sizes"},
     BR_SHARE_SINKING},
};
enum { POLICIES = sizeof policies / sizeof *policies };

const struct br_transit_policy *br_transit_policy(uint32_t k)
{
    return k < POLICIES ? &policies[k] : NULL;
}

const struct br_names br_transit_policies = {BR_NAMES(policies)};

static const struct br_dag *transit_dag_of(const struct br_transit *transit, uint32_t job)
{
    return transit->workload->dag[transit->workload->job[job].dag].dag;
}

/* Edges that carry bytes, by the stage that they go into. */
static bool transit_take_edges(struct br_transit *transit, uint32_t number)
{
    const struct br_dag *dag = transit->workload->dag[number].dag;
    struct br_transit_dag *into = &transit->dag[number];
    if (!dag->bytes)
        return true;
    uint32_t *first = br_arena_array(&transit->arena, br_csr_room(dag->stages), sizeof *first);
    into->first = first;
    into->edge = br_arena_array(&transit->arena, dag->edges, sizeof *into->edge);
    if (!into->first || !into->edge)
        return false;
    for (uint32_t e = 0; e < dag->edges; e++)
        if (dag->edge[e].bytes)
            br_csr_count(first, dag->edge[e].child);
    br_csr_sum(first, dag->stages);
    for (uint32_t e = 0; e < dag->edges; e++)
        if (dag->edge[e].bytes)
            into->edge[br_csr_place(first, dag->edge[e].child)] = e;
    assert(first[0] == 0 && first[dag->stages] == first[dag->stages + 1]);
    return true;
}

enum br_status br_transit_init(struct br_transit *transit, const struct br_workload *workload,
                               const struct br_cluster *cluster,
                               const struct br_transit_policy *policy, struct br_diag *diag)
{
    uint32_t machines = cluster->machines;
    *transit = (struct br_transit){.workload = workload,
                                   .machines = machines,
                                   .carries = policy != NULL,
                                   .memory = true,
                                   .cluster = cluster};
    struct br_arena *arena = &transit->arena;
    transit->up = br_arena_array(arena, machines, sizeof *transit->up);
    transit->down = br_arena_array(arena, machines, sizeof *transit->down);
    transit->bytes = br_arena_array(arena, machines, sizeof *transit->bytes);
    transit->from = br_arena_array(arena, machines, sizeof *transit->from);
    transit->job = br_arena_array(arena, workload->jobs, sizeof *transit->job);
    transit->dag = br_arena_array(arena, workload->dags, sizeof *transit->dag);
    transit->placed = br_arena_array(arena, workload->dags, sizeof *transit->placed);
    bool carries = false, good = true;
    for (uint32_t d = 0; transit->dag && d < workload->dags; d++) {
        carries |= policy && workload->dag[d].dag->bytes > 0;
        good = good && transit_take_edges(transit, d);
    }
    const struct br_ports ports = {machines, transit->up, transit->down};
    if (!transit->up || !transit->down || !transit->bytes || !transit->from || !transit->job ||
        !transit->dag || !transit->placed || !good || !br_flows_init(&transit->flows, &ports))
        return br_fail_memory(diag);
    br_flows_clear(&transit->flows, policy ? policy->sharing : BR_SHARE_FAIR, false);
    return br_ports_take(cluster, carries, transit->up, transit->down, diag);
}

void br_transit_finish(struct br_transit *transit)
{
    for (uint32_t j = 0; transit->job && j < transit->workload->jobs; j++)
        br_transit_retire(transit, j);
    for (uint32_t d = 0; transit->placed && d < transit->workload->dags; d++) {
        if (transit->placed[d])
            br_network_job_finish(transit->placed[d]);
        free(transit->placed[d]);
    }
    free(transit->ready);
    br_flows_finish(&transit->flows);
    free(transit->fetch);
    br_arena_finish(&transit->arena);
    *transit = (struct br_transit){0};
}

bool br_transit_arrive(struct br_transit *transit, uint32_t number)
{
    const struct br_dag *dag = transit_dag_of(transit, number);
    struct br_transit_job *job = &transit->job[number];
    assert(!job->machine);
    size_t tasks = dag->tasks, stages = dag->stages;
    if (!dag->bytes || !transit->carries)
        return true; /* nothing is asked about it */
    job->machine = malloc((tasks + stages * transit->machines + stages) * sizeof *job->machine);
    if (!job->machine)
        return false;
    job->here = job->machine + tasks;
    job->coflow = job->here + stages * transit->machines;
    memset(job->here, 0, stages * transit->machines * sizeof *job->here);
    memset(job->coflow, 0xff, stages * sizeof *job->coflow);
    return true;
}

void br_transit_retire(struct br_transit *transit, uint32_t job)
{
    if (transit->job[job].supply)
        br_supply_finish(transit->job[job].supply);
    free(transit->job[job].supply);
    free(transit->job[job].machine);
    transit->job[job] = (struct br_transit_job){0};
}

/* ---- Placed jobs ---- */

static void tell_ready(void *context, uint32_t task)
{
    struct br_transit *transit = context;
    transit->memory = transit->memory && br_grow(&transit->ready, transit->readies,
                                                 &transit->ready_room, sizeof *transit->ready);
    if (transit->memory)
        transit->ready[transit->readies++] = (struct br_transit_ready){transit->at_job, task};
}

static void transit_begin_wire(void *context, uint32_t wire);

static struct br_supply_user transit_user_of(struct br_transit *transit)
{
    return (struct br_supply_user){transit, transit_begin_wire, tell_ready};
}

/* The number of the coflow into the stage, which begins now if it has not. */
static uint32_t coflow_of(struct br_transit *transit, struct br_transit_job *job, uint32_t stage)
{
    if (job->coflow[stage] == UINT32_MAX)
        job->coflow[stage] = transit->coflows++;
    return job->coflow[stage];
}

static bool begin_flow(struct br_transit *transit, struct br_flow flow, int64_t bytes,
                       int64_t now_ns)
{
    assert(bytes > 0 && flow.from != flow.to);
    flow.id = transit->begun++;
    flow.key = flow.coflow;
    transit->sums.transfers++;
    transit->sums.bytes += (double)bytes;
    return br_flows_add(&transit->flows, &flow, bytes, now_ns);
}

static void transit_begin_wire(void *context, uint32_t wire)
{
    struct br_transit *transit = context;
    struct br_transit_job *job = &transit->job[transit->at_job];
    const struct br_wire *w = &job->supply->wiring.wire[wire];
    const struct br_supply_user user = transit_user_of(transit);
    if (!transit->carries) {
        br_supply_wire_ended(job->supply, wire, &user);
        return;
    }
    uint32_t stage = job->supply->job->dag->edge[w->edge].child;
    const struct br_flow flow = {.from = w->from,
                                 .to = w->to,
                                 .coflow = coflow_of(transit, job, stage),
                                 .owner = (uint64_t)(transit->at_job + 1) << 32 | wire};
    transit->memory = transit->memory && begin_flow(transit, flow, w->bytes, transit->at_ns);
}

/* The dag's edges by stage; NULL when memory is out. */
static struct br_network_job *placed_dag(struct br_transit *transit, uint32_t number,
                                         const struct br_cluster *cluster)
{
    struct br_network_job **job = &transit->placed[number];
    bool made = *job != NULL;
    if (!made)
        *job = calloc(1, sizeof **job);
    if (!made && *job &&
        br_network_job_init(*job, transit->workload->dag[number].dag, cluster, NULL, NULL)) {
        br_network_job_finish(*job);
        free(*job);
        *job = NULL;
    }
    return *job;
}

enum br_status br_transit_place(struct br_transit *transit, uint32_t number,
                                const uint32_t *machine, int64_t now_ns, struct br_diag *diag)
{
    struct br_transit_job *job = &transit->job[number];
    const struct br_supply_user user = transit_user_of(transit);
    const struct br_network_job *dag =
        placed_dag(transit, transit->workload->job[number].dag, transit->cluster);
    assert(!job->supply);
    job->supply = calloc(1, sizeof *job->supply);
    if (!job->supply || !dag || !br_supply_init(job->supply, dag))
        return br_fail_memory(diag);
    transit->at_job = number;
    transit->at_ns = now_ns;
    enum br_status status = br_supply_begin(job->supply, machine, &user);
    if (status == BR_NO)
        return br_fail(diag, BR_BAD_INPUT, "choose a policy that does not place jobs",
                       "the transfers of job '%.80s' are too many to be followed",
                       transit->workload->job[number].id);
    return status || !transit->memory ? br_fail_memory(diag) : BR_OK;
}

bool br_transit_may_start(const struct br_transit *transit, uint32_t job, uint32_t task,
                          uint32_t machine)
{
    const struct br_supply *supply = transit->job[job].supply;
    if (!supply)
        return true;
    uint32_t group = supply->wiring.group_of[task];
    return supply->wiring.group[group].machine == machine && !supply->group_waits[group] &&
           !supply->task_waits[task];
}

bool br_transit_ready(struct br_transit *transit, uint32_t *job, uint32_t *task)
{
    if (!transit->readies)
        return false;
    transit->readies--;
    *job = transit->ready[transit->readies].job;
    *task = transit->ready[transit->readies].task;
    return true;
}

void br_transit_ended(struct br_transit *transit, uint32_t number, uint32_t task, uint32_t machine,
                      int64_t now_ns)
{
    struct br_transit_job *job = &transit->job[number];
    if (job->supply) {
        const struct br_supply_user user = transit_user_of(transit);
        transit->at_job = number;
        transit->at_ns = now_ns;
        br_supply_task_ended(job->supply, task, &user);
        return;
    }
    if (!job->machine)
        return;
    uint32_t stage = br_dag_task_stage(transit_dag_of(transit, number), task);
    job->machine[task] = machine;
    job->here[(size_t)stage * transit->machines + machine]++;
    assert(job->here[(size_t)stage * transit->machines + machine] <=
           transit_dag_of(transit, number)->stage[stage].tasks);
}

void br_transit_lost(struct br_transit *transit, uint32_t number, uint32_t task)
{
    struct br_transit_job *job = &transit->job[number];
    assert(!job->supply);
    if (!job->machine)
        return;
    uint32_t stage = br_dag_task_stage(transit_dag_of(transit, number), task);
    uint32_t *here = &job->here[(size_t)stage * transit->machines + job->machine[task]];
    assert(*here > 0);
    --*here;
    job->machine[task] = UINT32_MAX;
}

/* ---- What a task fetches ---- */

/* Adds to what is fetched from the machine. */
static void want(struct br_transit *transit, uint32_t from, int64_t bytes, uint32_t *sources)
{
    assert(bytes >= 0 && *sources <= transit->machines);
    if (bytes && transit->bytes[from] == 0)
        transit->from[(*sources)++] = from;
    transit->bytes[from] += bytes;
}

/* Asks for the bytes that a task of the edge's child needs from other machines. */
static void want_edge(struct br_transit *transit, uint32_t number, uint32_t edge, uint32_t place,
                      uint32_t machine, uint32_t *sources)
{
    const struct br_dag *dag = transit_dag_of(transit, number);
    const struct br_transit_job *job = &transit->job[number];
    const struct br_edge *e = &dag->edge[edge];
    if (e->type == BR_ONE_TO_ONE) {
        uint32_t from = job->machine[dag->stage[e->parent].first_task + place];
        assert(from < transit->machines);
        if (from != machine)
            want(transit, from, br_transfer_bytes(dag, edge, 1, 1), sources);
        return;
    }
    const uint32_t *here = job->here + (size_t)e->parent * transit->machines;
    for (uint32_t m = 0; m < transit->machines; m++)
        if (here[m] && m != machine)
            want(transit, m, br_transfer_bytes(dag, edge, here[m], 1), sources);
}

double br_transit_lies(const struct br_transit *transit, uint32_t number, uint32_t task,
                       uint32_t machine)
{
    const struct br_dag *dag = transit_dag_of(transit, number);
    const struct br_transit_job *job = &transit->job[number];
    double all = 0, here = 0;
    if (!job->machine || job->supply)
        return -1;
    uint32_t stage = br_dag_task_stage(dag, task), place = task - dag->stage[stage].first_task;
    const struct br_transit_dag *into = &transit->dag[transit->workload->job[number].dag];
    for (uint32_t k = into->first[stage]; k < into->first[stage + 1]; k++) {
        const struct br_edge *e = &dag->edge[into->edge[k]];
        const struct br_stage *parent = &dag->stage[e->parent];
        double part = e->type == BR_ONE_TO_ONE
                          ? job->machine[parent->first_task + place] == machine
                          : (double)job->here[(size_t)e->parent * transit->machines + machine] /
                                parent->tasks;
        all += (double)e->bytes;
        here += (double)e->bytes * part;
    }
    return all > 0 ? here / all : -1;
}

/* Room for what is kept of the slot. */
static bool transit_reach_slot(struct br_transit *transit, uint32_t slot)
{
    bool good = true;
    while (good && slot >= transit->fetch_room)
        good = br_grow(&transit->fetch, transit->fetch_room, &transit->fetch_room,
                       sizeof *transit->fetch);
    return good;
}

bool br_transit_fetch(struct br_transit *transit, uint32_t number, uint32_t task, uint32_t machine,
                      uint32_t slot, int64_t now_ns, bool *waits)
{
    const struct br_dag *dag = transit_dag_of(transit, number);
    struct br_transit_job *job = &transit->job[number];
    uint32_t sources = 0;
    *waits = false;
    if (!job->machine || job->supply)
        return true;
    uint32_t stage = br_dag_task_stage(dag, task), place = task - dag->stage[stage].first_task;
    const struct br_transit_dag *into = &transit->dag[transit->workload->job[number].dag];
    for (uint32_t k = into->first[stage]; k < into->first[stage + 1]; k++)
        want_edge(transit, number, into->edge[k], place, machine, &sources);
    assert(sources < transit->machines);
    if (!sources)
        return true;
    *waits = true;
    bool good = transit_reach_slot(transit, slot);
    if (good)
        transit->fetch[slot] = (struct br_transit_fetch){.since_ns = now_ns};
    for (uint32_t k = 0; k < sources; k++) {
        uint32_t from = transit->from[k];
        const struct br_flow flow = {
            .from = from, .to = machine, .coflow = coflow_of(transit, job, stage), .owner = slot};
        good = good && begin_flow(transit, flow, transit->bytes[from], now_ns);
        if (good)
            transit->fetch[slot].flows++;
        transit->bytes[from] = 0;
    }
    assert(!good || transit->fetch[slot].flows == sources);
    return good;
}

/* ---- Time ---- */

static void transit_account(struct br_transit *transit, uint32_t slot, int64_t now_ns)
{
    assert(transit->fetch[slot].since_ns <= now_ns);
    transit->sums.waited_s += (double)(now_ns - transit->fetch[slot].since_ns) * 1e-9;
}

void br_transit_drop(struct br_transit *transit, uint32_t slot, int64_t now_ns)
{
    for (uint32_t k = transit->flows.flows; k-- > 0;) {
        if (transit->flows.flow[k].owner != slot)
            continue;
        assert(transit->fetch[slot].flows > 0);
        br_flows_remove(&transit->flows, k);
        transit->fetch[slot].flows--;
    }
    assert(!transit->fetch[slot].flows);
    transit_account(transit, slot, now_ns);
}

bool br_transit_share(struct br_transit *transit, int64_t now_ns)
{
    return transit->memory && br_flows_share(&transit->flows, now_ns);
}

bool br_transit_pop(struct br_transit *transit, int64_t now_ns, uint32_t *slot)
{
    struct br_flow flow;
    bool memory = true; /* which nothing takes if nothing is recorded */
    while (br_flows_pop(&transit->flows, now_ns, &flow, &memory)) {
        if (flow.owner >> 32) {
            const struct br_supply_user user = transit_user_of(transit);
            transit->at_job = (uint32_t)(flow.owner >> 32) - 1;
            assert(transit->job[transit->at_job].supply);
            transit->at_ns = now_ns;
            br_supply_wire_ended(transit->job[transit->at_job].supply, (uint32_t)flow.owner, &user);
            continue;
        }
        *slot = (uint32_t)flow.owner;
        assert(transit->fetch[*slot].flows);
        if (--transit->fetch[*slot].flows)
            continue;
        transit_account(transit, *slot, now_ns);
        return true;
    }
    return false;
}
