/* Policies as rows: a key and an order for list scheduling, or options for the enforcer. */
#include "cluster/simulate/policies/policies.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/numbers/real.h"
#include "base/text/options.h"
#include "cluster/simulate/joint/joint.h"
#include "cluster/simulate/policies/deadline.h"
#include "cluster/simulate/policies/enforced.h"
#include "cluster/simulate/policies/gs.h"
#include "cluster/simulate/policies/list.h"
#include "cluster/simulate/policies/placed.h"

/* ---- Keys: the least goes first, ties by arrival ---- */

static double nothing(const struct br_list_job *job, double number)
{
    (void)job;
    (void)number;
    return 0;
}

static double total_work(const struct br_list_job *job, double number)
{
    (void)number;
    return job->total;
}

static double work_left(const struct br_list_job *job, double number)
{
    (void)number;
    return job->job->remaining;
}

static double running_tasks(const struct br_list_job *job, double number)
{
    (void)number;
    return job->job->state.running / job->weight;
}

static double dominant_share(const struct br_list_job *job, double number)
{
    (void)number;
    return job->share / job->weight;
}

/* Shares in proportion to work^number: [Mao19, 7.1]. Works below a millisecond of the cluster count
 * as one, so that no power is of 0. */
static double power_of_work(const struct br_list_job *job, double number)
{
    return br_real_pow(job->total > 1e-3 ? job->total : 1e-3, number);
}

static double share_by_work(const struct br_list_job *job, double number)
{
    (void)number;
    return job->job->state.running / (job->weight * job->once);
}

static double longest_tail(const struct br_list_job *job, double number)
{
    (void)number;
    return -job->tail_s;
}

static double simulate_policies_any(const struct br_list_job *job, double number)
{
    (void)number;
    return (double)(job->draw >> 11);
}

static const struct br_list_rule
    fifo = {.key = nothing},
    capacity = {.key = nothing, .by_group = true},
    capacity_plan = {.key = nothing, .by_group = true, .order = BR_LIST_PLAN},
    fair = {.key = running_tasks},
    weighted_fair = {.key = share_by_work, .number = -1, .once = power_of_work},
    drf = {.key = dominant_share, .by_share = true}, sjf = {.key = total_work},
    srpt = {.key = work_left}, srpt_plan = {.key = work_left, .order = BR_LIST_PLAN},
    cp = {.key = longest_tail, .order = BR_LIST_TAIL}, random_job = {.key = simulate_policies_any};

static enum br_status create_list(const struct br_policy_row *row,
                                  const struct br_policy_setup *setup, void **policy,
                                  struct br_diag *diag)
{
    return br_list_create(row->detail, setup, policy, diag);
}

static const struct br_enforced_rule graphene = {.policy = "graphene", .plans = true},
                                     order = {.policy = "order", .plans = true},
                                     tetris = {.policy = "packing", .everywhere = true},
                                     tetris_plan = {
                                         .policy = "packing", .plans = true, .everywhere = true};

static enum br_status create_enforced(const struct br_policy_row *row,
                                      const struct br_policy_setup *setup, void **policy,
                                      struct br_diag *diag)
{
    return br_enforced_create(row->detail, setup, policy, diag);
}

static const struct br_deadline_rule deadline = {BR_FORECAST_TABLE, BR_ADAPT, false},
                                     deadline_fixed = {BR_FORECAST_TABLE, BR_ADAPT_NOT, false},
                                     deadline_amdahl = {BR_FORECAST_AMDAHL, BR_ADAPT, false},
                                     deadline_most = {BR_FORECAST_TABLE, BR_ADAPT_MOST, false},
                                     deadline_arbiter = {BR_FORECAST_TABLE, BR_ADAPT, true};

static enum br_status create_deadline(const struct br_policy_row *row,
                                      const struct br_policy_setup *setup, void **policy,
                                      struct br_diag *diag)
{
    return br_deadline_create(row->detail, setup, policy, diag);
}

#define DEADLINE(rule)                                                                             \
    .detail = &(rule), .create = create_deadline, .destroy = br_deadline_destroy,                  \
    .arrive = br_deadline_arrive, .end = br_deadline_end, .retire = br_deadline_retire,            \
    .machine = br_deadline_machine, .decide = br_deadline_decide

static const struct br_placed_rule placed = {false}, placed_network = {true};

static enum br_status create_placed(const struct br_policy_row *row,
                                    const struct br_policy_setup *setup, void **policy,
                                    struct br_diag *diag)
{
    return br_placed_create(row->detail, setup, policy, diag);
}

#define PLACED(rule)                                                                               \
    .detail = &(rule), .create = create_placed, .destroy = br_placed_destroy,                      \
    .arrive = br_placed_arrive, .end = br_placed_end, .retire = br_placed_retire,                  \
    .machine = br_placed_machine, .places = br_placed_places, .supplied = br_placed_supplied,      \
    .decide = br_placed_decide

static enum br_status create_joint(const struct br_policy_row *row,
                                   const struct br_policy_setup *setup, void **policy,
                                   struct br_diag *diag)
{
    (void)row;
    return br_joint_create(setup, policy, diag);
}

#define ENFORCED(rule)                                                                             \
    .detail = &(rule), .create = create_enforced, .destroy = br_enforced_destroy,                  \
    .arrive = br_enforced_arrive, .end = br_enforced_end, .expect = br_enforced_expect,            \
    .retire = br_enforced_retire, .machine = br_enforced_machine, .decide = br_enforced_decide
/* GS and its like: one row for each predictor. */
#define GS_RULE(name, order, predictor) static const struct br_gs_rule name = {order, predictor}
GS_RULE(gs_point, BR_GS_QUEUES, "point");
GS_RULE(gs_3sigma, BR_GS_QUEUES, "3sigma");
GS_RULE(gs_3sigma_tl, BR_GS_QUEUES, "3sigma-tl");
GS_RULE(gs_slearn, BR_GS_QUEUES, "slearn");
GS_RULE(gs_slearn_adaptive, BR_GS_QUEUES, "slearn-adaptive");
GS_RULE(gs_slearn_dag, BR_GS_QUEUES, "slearn-dag");
GS_RULE(gs_posterior, BR_GS_QUEUES, "posterior");
GS_RULE(gs_oracle, BR_GS_QUEUES, "oracle");
GS_RULE(las, BR_GS_ATTAINED, NULL);
GS_RULE(shortest, BR_GS_SHORTEST, "posterior");
GS_RULE(shortest_3sigma, BR_GS_SHORTEST, "3sigma");
GS_RULE(shortest_slearn, BR_GS_SHORTEST, "slearn");
GS_RULE(shortest_oracle, BR_GS_SHORTEST, "oracle");
GS_RULE(shortest_remaining, BR_GS_REMAINING, "posterior");

static enum br_status create_gs(const struct br_policy_row *row,
                                const struct br_policy_setup *setup, void **policy,
                                struct br_diag *diag)
{
    return br_gs_create(row->detail, setup, policy, diag);
}

#define GS(rule)                                                                                   \
    .detail = &(rule), .create = create_gs, .destroy = br_gs_destroy, .arrive = br_gs_arrive,      \
    .end = br_gs_end, .retire = br_gs_retire, .machine = br_gs_machine, .decide = br_gs_decide
#define LIST(rule)                                                                                 \
    .detail = &(rule), .create = create_list, .destroy = br_list_destroy,                          \
    .arrive = br_list_arrive, .end = br_list_end, .expect = br_list_expect,                        \
    .retire = br_list_retire, .machine = br_list_machine, .decide = br_list_decide

static const struct br_policy_row rows[] = {
    {.named = {"graphene",
               "the enforcer: plan's order, packing, short work first, bounded unfairness"},
     .plans = true,
     ENFORCED(graphene)},
    {.named = {"order", "the enforcer by the plans' order alone"}, .plans = true, ENFORCED(order)},
    {.named = {"tetris", "packing and short remaining work, no plans [Grandl14]"},
     ENFORCED(tetris)},
    {.named = {"tetris-plan", "tetris, with equal tasks of a job in the plan's order"},
     .plans = true,
     ENFORCED(tetris_plan)},
    {.named = {"capacity", "groups by their shares, first come first served within, breadth first"},
     LIST(capacity)},
    {.named = {"capacity-plan", "capacity, with the tasks of a job in the plan's order"},
     .plans = true,
     LIST(capacity_plan)},
    {.named = {"fifo", "first come first served, breadth first"}, LIST(fifo)},
    {.named = {"fair", "the job with the fewest running tasks"}, LIST(fair)},
    {.named = {"weighted-fair",
               "running tasks in proportion to work^NUMBER, -1 unless given [Mao19]"},
     .number = "the exponent of a job's work",
     LIST(weighted_fair)},
    {.named = {"weighted-fair-tuned",
               "weighted-fair with the exponent from -2 to 2 that serves this workload best"},
     .least = -2,
     .most = 2,
     .step = 0.25,
     LIST(weighted_fair)},
    {.named = {"drf", "the job with the least dominant share [Ghodsi11]"}, LIST(drf)},
    {.named = {"sjf", "the job with the least work"}, LIST(sjf)},
    {.named = {"srpt", "the job with the least remaining work"}, LIST(srpt)},
    {.named = {"srpt-plan", "srpt, with the tasks of a job in the plan's order"},
     .plans = true,
     LIST(srpt_plan)},
    {.named = {"joint", "all jobs planned together: their order is searched by looking ahead"},
     .number = "the placements that a search may take, 200000 unless given",
     .create = create_joint,
     .destroy = br_joint_destroy,
     .arrive = br_joint_arrive,
     .end = br_joint_end,
     .retire = br_joint_retire,
     .machine = br_joint_machine,
     .decide = br_joint_decide},
    {.named = {"placed", "tasks on the machines of their plans, the job with the least work first"},
     .plans = true,
     PLACED(placed)},
    {.named = {"placed-network", "placed, by plans that account for transfers"},
     PLACED(placed_network)},
    {.named = {"cp", "the job with the longest remaining path"}, LIST(cp)},
    {.named = {"deadline", "as many tasks of a job at once as its deadline asks for [Ferguson12]"},
     DEADLINE(deadline)},
    {.named = {"deadline-fixed", "deadline, never changed after a job's start"},
     DEADLINE(deadline_fixed)},
    {.named = {"deadline-amdahl", "deadline, by Amdahl's law in place of simulated runs"},
     DEADLINE(deadline_amdahl)},
    {.named = {"deadline-most", "deadline, always as many as may be had"}, DEADLINE(deadline_most)},
    {.named = {"deadline-arbiter", "deadline, for all jobs together: the greatest total utility"},
     DEADLINE(deadline_arbiter)},
    {.named = {"gs-point", "queues by predicted work [Jajoo22]: the median of history"},
     GS(gs_point)},
    {.named = {"gs-3sigma", "queues by predicted work: 3Sigma"}, GS(gs_3sigma)},
    {.named = {"gs-3sigma-tl",
               "queues by predicted work: 3Sigma, jobs of fewer than 3 tasks first"},
     GS(gs_3sigma_tl)},
    {.named = {"gs-slearn", "queues by predicted work: pilots, jobs of fewer than 3 tasks first"},
     .number = "the share of tasks that are pilots",
     GS(gs_slearn)},
    {.named = {"gs-slearn-adaptive",
               "gs-slearn, with a share of 1 to 5 % pilots that follows completion times"},
     GS(gs_slearn_adaptive)},
    {.named = {"gs-slearn-dag",
               "gs-slearn, with pilots of the first stage and history of the others"},
     .number = "the share of tasks that are pilots",
     GS(gs_slearn_dag)},
    {.named = {"gs-posterior", "queues by predicted work: history and pilots in one posterior"},
     .number = "the share of tasks that are pilots",
     GS(gs_posterior)},
    {.named = {"gs-oracle", "queues by the true work, which no scheduler knows"},
     .clairvoyant = true,
     GS(gs_oracle)},
    {.named = {"las", "queues by attained service [Jajoo22]"}, GS(las)},
    {.named = {"shortest", "the least work that the posterior predicts first, no queues"},
     .number = "the share of tasks that are pilots",
     GS(shortest)},
    {.named = {"shortest-3sigma", "shortest, by 3Sigma"}, GS(shortest_3sigma)},
    {.named = {"shortest-slearn", "shortest, by pilots"},
     .number = "the share of tasks that are pilots",
     GS(shortest_slearn)},
    {.named = {"shortest-oracle", "shortest, by the true work, which no scheduler knows"},
     .clairvoyant = true,
     GS(shortest_oracle)},
    {.named = {"shortest-remaining",
               "the least work that the posterior predicts to be left first, no queues"},
     .number = "the share of tasks that are pilots",
     GS(shortest_remaining)},
    {.named = {"random", "any job, drawn anew after each start"}, LIST(random_job)},
};
enum { ROWS = sizeof rows / sizeof *rows };

const struct br_names br_simulate_policies = {BR_NAMES(rows)};

const struct br_policy_row *br_policies_at(uint32_t k)
{
    return k < ROWS ? &rows[k] : NULL;
}

enum br_status br_policies_find(const char *text, const struct br_policy_row **row, double *number,
                                struct br_diag *diag)
{
    size_t length = strcspn(text, "=");
    uint32_t k = br_named_find_part(&br_simulate_policies, text, length);
    *row = br_policies_at(k);
    *number = NAN;
    if (!*row)
        return br_fail_unnamed(diag, &br_simulate_policies, text, length, "unknown policy '%.80s'",
                               text);
    return br_policy_number((*row)->named.name, (*row)->number, text + length, number, diag);
}
