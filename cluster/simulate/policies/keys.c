/* Policies of list scheduling: the key by which jobs are served, and a row for each. The least goes
 * first, ties by arrival. */
#include "base/numbers/real.h"
#include "cluster/simulate/policies/list.h"
#include "cluster/simulate/rows.h"

static double nothing(const struct br_ranked_job *job, double number)
{
    (void)job;
    (void)number;
    return 0;
}

static double total_work(const struct br_ranked_job *job, double number)
{
    (void)number;
    return job->total;
}

static double work_left(const struct br_ranked_job *job, double number)
{
    (void)number;
    return job->job->remaining;
}

static double running_tasks(const struct br_ranked_job *job, double number)
{
    (void)number;
    return job->job->state.running / job->weight;
}

static double dominant_share(const struct br_ranked_job *job, double number)
{
    (void)number;
    return job->share / job->weight;
}

/* Shares in proportion to work^number: [Mao19, 7.1]. Works below a millisecond of the cluster count
 * as one, so that no power is of 0. */
static double power_of_work(const struct br_ranked_job *job, double number)
{
    return br_real_pow(job->total > 1e-3 ? job->total : 1e-3, number);
}

static double share_by_work(const struct br_ranked_job *job, double number)
{
    (void)number;
    return job->job->state.running / (job->weight * job->once);
}

static double longest_tail(const struct br_ranked_job *job, double number)
{
    (void)number;
    return -job->tail_s;
}

static double any_job(const struct br_ranked_job *job, double number)
{
    (void)number;
    return (double)(job->draw >> 11);
}

static enum br_status keys_create(const struct br_policy_row *row,
                                  const struct br_policy_setup *setup, void **policy,
                                  struct br_diag *diag)
{
    return br_ranked_create(row->detail, setup, policy, diag);
}

#define LIST(...)                                                                                  \
    .detail = &(const struct br_ranked_rule){__VA_ARGS__}, .create = keys_create,                  \
    .destroy = br_ranked_destroy, .arrive = br_ranked_arrive, .end = br_ranked_end,                \
    .expect = br_ranked_expect, .retire = br_ranked_retire, .machine = br_ranked_machine,          \
    .lost = br_ranked_lost, .decide = br_ranked_decide

const struct br_policy_row br_simulate_policy_capacity = {
    .named = {"capacity", "groups by their shares, first come first served within, breadth first"},
    .narrow = true,
    LIST(.key = nothing, .by_group = true)};

const struct br_policy_row br_simulate_policy_capacity_plan = {
    .named = {"capacity-plan", "capacity, with the tasks of a job in the plan's order"},
    .plans = true,
    .narrow = true,
    LIST(.key = nothing, .by_group = true, .order = BR_RANKED_PLAN)};

const struct br_policy_row br_simulate_policy_fifo = {
    .named = {"fifo", "first come first served, breadth first"},
    .narrow = true,
    LIST(.key = nothing)};

const struct br_policy_row br_simulate_policy_fair = {
    .named = {"fair", "the job with the fewest running tasks"}, LIST(.key = running_tasks)};

const struct br_policy_row br_simulate_policy_weighted_fair = {
    .named = {"weighted-fair",
              "running tasks in proportion to work^NUMBER, -1 unless given [Mao19]"},
    .number = "the exponent of a job's work",
    LIST(.key = share_by_work, .number = -1, .once = power_of_work)};

const struct br_policy_row br_simulate_policy_weighted_fair_tuned = {
    .named = {"weighted-fair-tuned",
              "weighted-fair with the exponent from -2 to 2 that serves this workload best"},
    .least = -2,
    .most = 2,
    .step = 0.25,
    LIST(.key = share_by_work, .number = -1, .once = power_of_work)};

const struct br_policy_row br_simulate_policy_drf = {
    .named = {"drf", "the job with the least dominant share [Ghodsi11]"},
    LIST(.key = dominant_share, .by_share = true)};

const struct br_policy_row br_simulate_policy_sjf = {
    .named = {"sjf", "the job with the least work"}, LIST(.key = total_work)};

const struct br_policy_row br_simulate_policy_srpt = {
    .named = {"srpt", "the job with the least remaining work"}, LIST(.key = work_left)};

const struct br_policy_row br_simulate_policy_srpt_plan = {
    .named = {"srpt-plan", "srpt, with the tasks of a job in the plan's order"},
    .plans = true,
    LIST(.key = work_left, .order = BR_RANKED_PLAN)};

const struct br_policy_row br_simulate_policy_cp = {
    .named = {"cp", "the job with the longest remaining path"},
    .narrow = true,
    LIST(.key = longest_tail, .order = BR_RANKED_TAIL)};

const struct br_policy_row br_simulate_policy_random = {
    .named = {"random", "any job, drawn anew after each start"}, LIST(.key = any_job)};
