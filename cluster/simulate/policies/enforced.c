/* Policies that the enforcer of runtime/ carries out, driven as the local driver drives it.
 *
 * The enforcer numbers jobs by itself and uses numbers again; the workload's numbers are kept
 * beside. */
#include <assert.h>
#include <stdlib.h>

#include "base/collections/grow.h"
#include "runtime/enforcer/decide.h"
#include "cluster/simulate/rows.h"

struct enforced_rule {
    const char *policy; /* of the enforcer's table */
    bool plans;         /* jobs come with plans; else they rank by their longest paths */
    bool everywhere;    /* no machine is remote: the penalty is 1 */
};

struct enforced {
    const struct enforced_rule *rule;
    struct br_policy_setup setup;
    struct br_runtime *runtime;
    uint32_t *inside, inside_room;   /* by job of the workload: the enforcer's number */
    uint32_t *outside, outside_room; /* the other way */
    struct br_forms forms;
    bool follows;              /* data: tasks are remote by where it lies */
    const struct br_dag **dag; /* by job of the workload, borrowed; if it follows data */
    uint32_t dag_room;
};

static double enforced_share(void *context, uint32_t number, uint32_t task, uint32_t machine)
{
    const struct enforced *enforced = context;
    const struct br_policy_setup *setup = &enforced->setup;
    return setup->lies(setup->lies_context, enforced->outside[number], task, machine);
}

static enum br_status enforced_create(const struct br_policy_row *row,
                                      const struct br_policy_setup *setup, void **policy,
                                      struct br_diag *diag)
{
    const struct enforced_rule *rule = row->detail;
    struct enforced *enforced = calloc(1, sizeof *enforced);
    *policy = enforced;
    if (!enforced)
        return br_fail_memory(diag);
    enforced->rule = rule;
    enforced->setup = *setup;
    struct br_runtime_options options = setup->enforcer;
    options.policy = rule->policy;
    if (rule->everywhere)
        options.remote_penalty = 1;
    enum br_status status = br_runtime_create(setup->cluster, &options, &enforced->runtime, diag);
    if (!status && setup->lies && !rule->everywhere)
        status =
            br_runtime_data(enforced->runtime, &(struct br_data){enforced_share, enforced}, diag);
    enforced->follows = !status && setup->lies && !rule->everywhere;
    /* Group 0 is there, of weight 1; numbers stay the same only with a group in its place. */
    for (uint32_t g = 0, number; g < setup->groups && !status; g++)
        status = br_runtime_add_group(enforced->runtime, setup->group[g].name,
                                      setup->group[g].weight, &number, diag);
    for (uint32_t k = 0; k < setup->overbooked && !status; k++)
        status = br_runtime_overbook(enforced->runtime, setup->overbook[k].resource,
                                     setup->overbook[k].percent, diag);
    return status;
}

static void enforced_destroy(void *policy)
{
    struct enforced *enforced = policy;
    br_runtime_destroy(enforced->runtime);
    br_forms_finish(&enforced->forms);
    free(enforced->dag);
    free(enforced->inside);
    free(enforced->outside);
    free(enforced);
}

/* Makes room for the number in the array. */
static bool enforced_reach(uint32_t **array, uint32_t *room, uint32_t number)
{
    bool ok = true;
    while (ok && number >= *room)
        ok = br_grow(array, *room, room, sizeof **array);
    return ok;
}

/* The form of the job, with one more user. */
static enum br_status find_form(struct enforced *enforced, const struct br_arrival *arrival,
                                const struct br_plan *plan, struct br_form **form,
                                struct br_diag *diag)
{
    *form = br_forms_find(&enforced->forms, arrival->dag_number, plan);
    if (*form) {
        (*form)->users++;
        return BR_OK;
    }
    enum br_status status = br_runtime_form(enforced->runtime, arrival->dag, plan, form, diag);
    if (!status)
        br_forms_keep(&enforced->forms, arrival->dag_number, plan, *form);
    return status;
}

static enum br_status enforced_arrive(void *policy, const struct br_arrival *arrival,
                                      int64_t now_ns, struct br_diag *diag)
{
    struct enforced *enforced = policy;
    const struct br_plan *plan = NULL;
    uint32_t number;
    (void)now_ns;
    if (enforced->rule->plans) {
        plan = enforced->setup.plan(enforced->setup.plan_context, arrival, diag);
        if (!plan)
            return diag ? diag->status : BR_SYSTEM;
    }
    struct br_form *form;
    enum br_status status = find_form(enforced, arrival, plan, &form, diag);
    /* The enforcer's own group 0 stays empty. */
    if (!status)
        status = br_runtime_submit_form(enforced->runtime, form, arrival->group + 1,
                                        BR_READY_BY_EDGES, &number, diag);
    br_form_release(form);
    if (status)
        return status;
    if (!enforced_reach(&enforced->inside, &enforced->inside_room, arrival->job) ||
        !enforced_reach(&enforced->outside, &enforced->outside_room, number))
        return br_fail_memory(diag);
    enforced->inside[arrival->job] = number;
    enforced->outside[number] = arrival->job;
    while (enforced->follows && arrival->job >= enforced->dag_room)
        if (!br_grow(&enforced->dag, enforced->dag_room, &enforced->dag_room,
                     sizeof *enforced->dag))
            return br_fail_memory(diag);
    if (enforced->follows)
        enforced->dag[arrival->job] = arrival->dag;
    return BR_OK;
}

/* What the task hands on to single tasks lies on its machine. */
static enum br_status enforced_hand_on(struct enforced *enforced, const struct br_ended *ended,
                                       uint32_t number, struct br_diag *diag)
{
    const struct br_dag *dag = enforced->dag[ended->job];
    const uint32_t stage = br_dag_task_stage(dag, ended->task);
    enum br_status status = BR_OK;
    for (uint32_t e = 0; dag->bytes && e < dag->edges && !status; e++) {
        const struct br_edge *edge = &dag->edge[e];
        if (edge->parent == stage && edge->type == BR_ONE_TO_ONE && edge->bytes)
            status = br_runtime_near(enforced->runtime, number,
                                     dag->stage[edge->child].first_task + ended->task -
                                         dag->stage[stage].first_task,
                                     ended->machine, diag);
    }
    return status;
}

static enum br_status enforced_end(void *policy, const struct br_ended *ended, int64_t now_ns,
                                   struct br_diag *diag)
{
    struct enforced *enforced = policy;
    uint32_t number = enforced->inside[ended->job];
    assert(enforced->outside[number] == ended->job);
    (void)now_ns;
    if (ended->failed)
        return br_runtime_failed(enforced->runtime, number, ended->task, true, diag);
    enum br_status status = br_runtime_finished(enforced->runtime, number, ended->task, diag);
    if (!status && enforced->follows)
        status = enforced_hand_on(enforced, ended, number, diag);
    if (!status && enforced->setup.refine)
        status = br_runtime_lasted(enforced->runtime, number, ended->task, ended->lasted_ns, diag);
    return status;
}

static enum br_status enforced_lost(void *policy, uint32_t job, uint32_t task, int64_t now_ns,
                                    struct br_diag *diag)
{
    struct enforced *enforced = policy;
    (void)now_ns;
    return br_runtime_lost(enforced->runtime, enforced->inside[job], task, diag);
}

static void enforced_expect(void *policy, uint32_t job, uint32_t task, bool closely)
{
    const struct enforced *enforced = policy;
    br_runtime_expect(enforced->runtime, enforced->inside[job], task, closely);
}

static enum br_status enforced_retire(void *policy, uint32_t job, struct br_diag *diag)
{
    struct enforced *enforced = policy;
    assert(enforced->outside[enforced->inside[job]] == job);
    return br_runtime_retire(enforced->runtime, enforced->inside[job], diag);
}

static enum br_status enforced_machine(void *policy, uint32_t machine, bool there,
                                       struct br_diag *diag)
{
    struct enforced *enforced = policy;
    (void)diag;
    br_runtime_move(enforced->runtime, machine, there);
    return BR_OK;
}

static uint32_t enforced_decide(void *policy, int64_t now_ns, struct br_decision *decisions,
                                uint32_t room, int64_t *wake_ns)
{
    struct enforced *enforced = policy;
    (void)wake_ns;
    uint32_t made = br_runtime_decide(enforced->runtime, BR_ANY, now_ns, decisions, room);
    assert(made <= room);
    for (uint32_t d = 0; d < made; d++)
        decisions[d].job = enforced->outside[decisions[d].job];
    return made;
}

/* ---- Policies ---- */

#define ENFORCED(...)                                                                              \
    .detail = &(const struct enforced_rule){__VA_ARGS__}, .create = enforced_create,               \
    .destroy = enforced_destroy, .arrive = enforced_arrive, .end = enforced_end,                   \
    .expect = enforced_expect, .retire = enforced_retire, .machine = enforced_machine,             \
    .lost = enforced_lost, .decide = enforced_decide

const struct br_policy_row br_simulate_policy_graphene = {
    .named = {"graphene",
              "the enforcer: plan's order, packing, short work first, bounded unfairness"},
    .plans = true,
    .slow = 4,
    ENFORCED(.policy = "graphene", .plans = true)};

const struct br_policy_row br_simulate_policy_order = {
    .named = {"order", "the enforcer by the plans' order alone"},
    .plans = true,
    ENFORCED(.policy = "order", .plans = true, .everywhere = true)};

const struct br_policy_row br_simulate_policy_tetris = {
    .named = {"tetris", "packing and short remaining work, no plans [Grandl14]"},
    ENFORCED(.policy = "packing", .everywhere = true)};

const struct br_policy_row br_simulate_policy_tetris_plan = {
    .named = {"tetris-plan", "tetris, with equal tasks of a job in the plan's order"},
    .plans = true,
    ENFORCED(.policy = "packing", .plans = true, .everywhere = true)};
