/* The enforcer behind 'bigrocks serve', and a queue.
 *
 * A plan's job is submitted whole, and a task of it is ready as long as a client that has asked for
 * its key waits. A client that asks for a task that has run, or for a key that the plan does not
 * know, is a job of one task, started when the queue says so: by age, after the plan's first
 * waiting client.
 */
#include "runtime/admission/gate.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "parsers/jobs/native.h"
#include "runtime/admission/queue.h"

static const int64_t guess_ns = INT64_C(1000000000);

enum client_state { ABSENT = 0, PLANNED, OWN };
struct client {
    enum client_state state;
    bool admitted;
    uint32_t job, task; /* in the enforcer */
    double *demand;     /* by capacity of the cluster's first class */
};

/* A task of the plan's job. */
struct planned {
    uint32_t client; /* UINT32_MAX: none */
    bool over;
};

struct cli_gate {
    struct cli_gate_options options;
    struct br_runtime *runtime;
    uint32_t planned_job;
    struct planned *planned; /* by task */
    struct client *client;
    uint32_t clients, client_room;
    struct cli_queue *queue;
};

static enum br_status submit_plan(struct cli_gate *gate, struct br_diag *diag)
{
    const struct br_dag *dag = gate->options.dag;
    if (!dag)
        return BR_OK;
    gate->planned = calloc(dag->tasks, sizeof *gate->planned);
    if (!gate->planned)
        return br_fail_memory(diag);
    for (uint32_t t = 0; t < dag->tasks; t++)
        gate->planned[t].client = UINT32_MAX;
    return br_runtime_submit(gate->runtime, dag, gate->options.plan, 0, BR_READY_BY_EVENT,
                             &gate->planned_job, diag);
}

enum br_status cli_gate_create(const struct cli_gate_options *options, struct cli_gate **result,
                               struct br_diag *diag)
{
    struct cli_gate *gate = calloc(1, sizeof *gate);
    *result = NULL;
    if (!gate)
        return br_fail_memory(diag);
    gate->options = *options;
    gate->planned_job = UINT32_MAX;
    gate->queue = cli_queue_create(options->cluster);
    enum br_status status = gate->queue
                                ? br_runtime_create(options->cluster, NULL, &gate->runtime, diag)
                                : br_fail_memory(diag);
    if (!status)
        status = submit_plan(gate, diag);
    if (status)
        cli_gate_destroy(gate);
    else
        *result = gate;
    return status;
}

void cli_gate_destroy(struct cli_gate *gate)
{
    if (!gate)
        return;
    br_runtime_destroy(gate->runtime);
    cli_queue_destroy(gate->queue);
    for (uint32_t k = 0; k < gate->clients; k++)
        free(gate->client[k].demand);
    free(gate->planned);
    free(gate->client);
    free(gate);
}

static double about(struct br_decimal amount)
{
    return (double)amount.mantissa * pow(10, amount.exponent);
}

/* The demand of a task of the stage, by capacity; NULL when memory is out. */
static double *list_demands(const struct cli_gate *gate, const struct br_dag *dag, uint32_t stage)
{
    const struct br_class *cls = &gate->options.cluster->cls[0];
    const struct br_stage *of = &dag->stage[stage];
    double *list = calloc((size_t)cls->capacities + 1, sizeof *list);
    for (uint32_t d = of->first_demand; list && d < of->first_demand + of->demands; d++)
        for (uint32_t k = 0; k < cls->capacities; k++)
            if (strcmp(dag->resource[dag->demand[d].resource].name, cls->capacity[k].resource) == 0)
                list[k] = about(dag->demand[d].amount);
    return list;
}

/* ---- Clients with a place in the plan ---- */

/* A task of the stage that nobody has asked for yet, or whose client left before its turn. */
static uint32_t gate_find_task(const struct cli_gate *gate, const char *key)
{
    const struct br_dag *dag = gate->options.dag;
    uint32_t stage = dag ? br_dag_find_stage(dag, key) : UINT32_MAX;
    if (stage == UINT32_MAX)
        return UINT32_MAX;
    for (uint32_t t = dag->stage[stage].first_task;
         t < dag->stage[stage].first_task + dag->stage[stage].tasks; t++)
        if (!gate->planned[t].over && gate->planned[t].client == UINT32_MAX)
            return t;
    return UINT32_MAX;
}

static enum br_status ask_planned(struct cli_gate *gate, uint32_t client, uint32_t task,
                                  struct br_diag *diag)
{
    assert(!gate->planned[task].over && gate->planned[task].client == UINT32_MAX);
    const struct br_dag *dag = gate->options.dag;
    double *demand = list_demands(gate, dag, br_dag_task_stage(dag, task));
    enum br_status status =
        demand ? cli_queue_add(gate->queue, client, demand, dag->duration_ns[task], false, diag)
               : br_fail_memory(diag);
    if (!status)
        status = br_runtime_ready(gate->runtime, gate->planned_job, task, diag);
    if (status) {
        cli_queue_remove(gate->queue, client);
        free(demand);
        return status;
    }
    gate->planned[task].client = client;
    gate->client[client] = (struct client){PLANNED, false, gate->planned_job, task, demand};
    return BR_OK;
}

/* ---- Clients that are jobs of their own ---- */

/* a < b, exactly; false if the two cannot be compared. */
static bool gate_is_less(struct br_decimal a, struct br_decimal b)
{
    int64_t left, right;
    int32_t digits = 0;
    if (-a.exponent > digits)
        digits = -a.exponent;
    if (-b.exponent > digits)
        digits = -b.exponent;
    return br_decimal_scale(a, digits, &left) && br_decimal_scale(b, digits, &right) &&
           left < right;
}

/* Adds the demand, limited to the capacity. `known`: its source ought to know the capacity. */
static enum br_status gate_add_demand(const struct cli_gate *gate, struct br_dag *dag,
                                      const char *resource, struct br_decimal amount, bool known,
                                      struct br_diag *diag)
{
    struct br_decimal offered = br_cluster_capacity(gate->options.cluster, 0, resource);
    char text[BR_DECIMAL_TEXT];
    if (offered.mantissa <= 0 && known && amount.mantissa > 0)
        return br_fail(diag, BR_BAD_INPUT, "see the --capacity of 'bigrocks serve'",
                       "there is no '%.80s' here", resource);
    if (offered.mantissa <= 0)
        return BR_OK;
    br_decimal_format(gate_is_less(amount, offered) ? amount : offered, text, sizeof text);
    return br_dag_add_demand(dag, 0, resource, text, diag);
}

static enum br_status gate_add_demands(const struct cli_gate *gate, struct br_dag *dag,
                                       const struct br_cluster *demand, bool known,
                                       struct br_diag *diag)
{
    enum br_status status = BR_OK;
    for (uint32_t k = 0; demand && k < demand->cls[0].capacities && !status; k++)
        status = gate_add_demand(gate, dag, demand->cls[0].capacity[k].resource,
                                 demand->cls[0].capacity[k].amount, known, diag);
    return status;
}

/* Demands of the key from the history; *demand is NULL if it knows nothing. */
static enum br_status estimate(const struct cli_gate *gate, const char *key, int64_t *wall_ns,
                               struct br_cluster **demand, struct br_diag *diag)
{
    struct br_history_estimate estimate;
    char text[96];
    *demand = NULL;
    if (!gate->options.history)
        return BR_OK;
    enum br_status status = br_history_estimate(gate->options.history, key, &estimate, diag);
    if (status || !estimate.samples)
        return status;
    int64_t cores = br_history_cores(&estimate), mem = br_history_mem(&estimate);
    *wall_ns = estimate.wall_ns;
    snprintf(text, sizeof text, "cpu=%" PRId64 ",mem=%" PRId64, cores < 1 ? 1 : cores,
             mem < 0 ? 0 : mem);
    return br_parse_capacity(1, text, demand, diag);
}

/* *lasts_ns: the duration expected by the history; -1: unknown. */
static enum br_status fill_job(const struct cli_gate *gate, struct br_dag *dag, const char *key,
                               const char *given, int64_t *lasts_ns, struct br_diag *diag)
{
    struct br_cluster *demand = NULL;
    *lasts_ns = -1;
    enum br_status status = estimate(gate, key, lasts_ns, &demand, diag);
    if (!given && gate->options.demand_of)
        given = gate->options.demand_of(gate->options.context, key);
    if (!status && given) {
        br_cluster_destroy(demand);
        demand = NULL;
        status = br_parse_capacity(1, given, &demand, diag);
    }
    if (!status)
        status = br_dag_add_stage(dag, key, 1, *lasts_ns < 0 ? guess_ns : *lasts_ns, NULL, diag);
    if (!status)
        status = gate_add_demands(gate, dag, demand ? demand : gate->options.demand, given != NULL,
                                  diag);
    br_cluster_destroy(demand);
    return status ? status : br_dag_finish(dag, diag);
}

static enum br_status ask_own(struct cli_gate *gate, uint32_t client, const char *key,
                              const char *given, struct br_diag *diag)
{
    struct br_dag *dag = br_dag_create("command");
    double *demand = NULL;
    uint32_t job = UINT32_MAX;
    int64_t lasts_ns = -1;
    enum br_status status =
        dag ? fill_job(gate, dag, key, given, &lasts_ns, diag) : br_fail_memory(diag);
    if (!status) {
        demand = list_demands(gate, dag, 0);
        status = demand ? cli_queue_add(gate->queue, client, demand, lasts_ns, true, diag)
                        : br_fail_memory(diag);
    }
    if (!status)
        status = br_runtime_submit(gate->runtime, dag, NULL, 0, BR_READY_BY_EVENT, &job, diag);
    if (status) {
        cli_queue_remove(gate->queue, client);
        free(demand);
    } else {
        gate->client[client] = (struct client){OWN, false, job, 0, demand};
    }
    br_dag_destroy(dag);
    return status;
}

/* ---- All clients ---- */

enum br_status cli_gate_ask(struct cli_gate *gate, uint32_t client, const char *key,
                            const char *demand, struct br_diag *diag)
{
    while (gate->clients <= client) {
        if (!br_grow(&gate->client, gate->clients, &gate->client_room, sizeof *gate->client))
            return br_fail_memory(diag);
        gate->client[gate->clients++] = (struct client){0};
    }
    uint32_t task = demand ? UINT32_MAX : gate_find_task(gate, key);
    return task != UINT32_MAX ? ask_planned(gate, client, task, diag)
                              : ask_own(gate, client, key, demand, diag);
}

void cli_gate_leave(struct cli_gate *gate, uint32_t number)
{
    struct client client = number < gate->clients ? gate->client[number] : (struct client){0};
    if (client.state == OWN) {
        br_runtime_retire(gate->runtime, client.job, NULL);
    } else if (client.state == PLANNED) {
        assert(gate->planned[client.task].client == number);
        gate->planned[client.task].client = UINT32_MAX;
        if (client.admitted)
            br_runtime_finished(gate->runtime, client.job, client.task, NULL);
        else
            br_runtime_withdrawn(gate->runtime, client.job, client.task, NULL);
    }
    cli_queue_remove(gate->queue, number);
    free(client.demand);
    if (client.state != ABSENT)
        gate->client[number] = (struct client){0};
}

double cli_gate_demand(const struct cli_gate *gate, uint32_t client, uint32_t capacity)
{
    return client < gate->clients && gate->client[client].demand
               ? gate->client[client].demand[capacity]
               : 0;
}

uint32_t cli_gate_rank(const struct cli_gate *gate, uint32_t client)
{
    return client < gate->clients && gate->client[client].state == PLANNED && gate->options.plan
               ? gate->options.plan->rank[gate->client[client].task]
               : UINT32_MAX;
}

/* The waiting client that comes first in the plan. */
static uint32_t first_planned(const struct cli_gate *gate)
{
    uint32_t first = UINT32_MAX;
    for (uint32_t c = 0; c < gate->clients && gate->options.plan; c++)
        if (gate->client[c].state == PLANNED && !gate->client[c].admitted &&
            (first == UINT32_MAX || cli_gate_rank(gate, c) < cli_gate_rank(gate, first)))
            first = c;
    return first;
}

uint32_t cli_gate_next(struct cli_gate *gate, int64_t now_ns)
{
    struct br_decision decision;
    uint32_t client, machine;
    if (br_runtime_decide(gate->runtime, BR_ANY, now_ns, &decision, 1) == 1) {
        assert(decision.job == gate->planned_job); /* no other job has ready tasks */
        client = gate->planned[decision.task].client;
        assert(client < gate->clients && gate->client[client].state == PLANNED);
        gate->planned[decision.task].over = true;
        cli_queue_hold(gate->queue, client, decision.machine, now_ns);
    } else {
        client = cli_queue_next(gate->queue, first_planned(gate), now_ns, &machine);
        if (client == UINT32_MAX)
            return UINT32_MAX;
        br_runtime_started(gate->runtime, gate->client[client].job, 0, machine, NULL);
    }
    assert(!gate->client[client].admitted);
    gate->client[client].admitted = true;
    return client;
}
