/* Workloads on executors. */
#include "cluster/executors/policy/workload_run.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/real.h"
#include "base/process/clock.h"
#include "base/text/options.h"
#include "base/text/text.h"
#include "cluster/executors/policy/learned.h"
#include "cluster/executors/classes.h"
#include "cluster/executors/orders.h"

/* Equal executors; `number`: that of their class; 0: there is only one class. */
static enum br_status executors_add_class(struct br_cluster *cluster, uint32_t number,
                                          uint32_t executors, double memory, struct br_diag *diag)
{
    uint32_t cls;
    char name[32] = "executor", amount[32];
    if (number)
        snprintf(name, sizeof name, "executor-%u", number);
    enum br_status status = br_cluster_add_class(cluster, name, executors, &cls, diag);
    if (!status)
        status = br_cluster_add_capacity(cluster, cls, "cpu", "1", diag);
    if (status || !number)
        return status;
    snprintf(amount, sizeof amount, "%.15g", memory);
    return br_cluster_add_capacity(cluster, cls, "mem", amount, diag);
}

enum br_status br_executors_cluster(const struct br_executors_options *options,
                                    struct br_cluster **cluster, struct br_diag *diag)
{
    *cluster = br_cluster_create("executors");
    enum br_status status = *cluster ? BR_OK : br_fail_memory(diag);
    if (!status && !options->classes)
        status = executors_add_class(*cluster, 0, options->executors, 0, diag);
    for (uint32_t k = 0; k < options->classes && !status; k++)
        status = executors_add_class(*cluster, k + 1, options->cls[k].executors,
                                     options->cls[k].memory, diag);
    if (status) {
        br_cluster_destroy(*cluster);
        *cluster = NULL;
    }
    return status;
}

/* Those that are not learned, then the learned one. */
static const struct br_names executors_learned = {
    .first = &br_executors_policy_learned, .count = 1, .size = sizeof br_executors_policy_learned};
static const struct br_names executors_rows = {
    .tables = (const struct br_names *const[]){&br_executors_policies, &executors_learned, NULL}};

enum br_status br_executors_find(const char *text, const struct br_executors_row **row,
                                 double *number, struct br_diag *diag)
{
    size_t length = strcspn(text, "=");
    uint32_t k = br_named_find_part(&executors_rows, text, length);
    *row = (const struct br_executors_row *)br_named_at(&executors_rows, k);
    *number = NAN;
    if (!*row)
        return br_fail_unnamed(diag, &executors_rows, text, length,
                               "no policy for executors is called '%.80s'", text);
    enum br_status status =
        br_policy_number((*row)->named.name, (*row)->number, text + length, number, diag);
    if (!status && text[length] && !(*number >= -10 && *number <= 10))
        return br_fail(diag, BR_USAGE, (*row)->number, "'%.40s' is not within -10 and 10",
                       text + length + 1);
    return status;
}

/* ---- Runs ---- */

/* Runs the row to its end, unless it is stopped: then the outcome is cut. */
static enum br_status executors_follow(struct br_executors *sim,
                                       const struct br_executors_setup *setup,
                                       const struct br_stop *stop, struct br_outcome *outcome,
                                       struct br_diag *diag)
{
    const struct br_executors_row *row = setup->row;
    void *policy = NULL;
    enum br_status status = row->create(setup, &policy, diag);
    if (!status && row->begin)
        status = row->begin(policy, sim, diag);
    while (!status && br_executors_next(sim)) {
        struct br_executors_choice choice = row->decide(policy, sim);
        br_executors_decide(sim, choice.stage, choice.limit);
        if (sim->decisions % 256 == 0 && br_stopped(stop)) {
            outcome->cut = true;
            break;
        }
    }
    if (!status && br_executors_status(sim))
        status = br_fail_memory(diag);
    if (policy)
        row->destroy(policy);
    return status;
}

static enum br_status executors_run(struct br_executors *sim, const struct br_executors_jobs *jobs,
                                    const struct br_executors_setup *setup,
                                    const struct br_stop *stop, struct br_outcome *outcome,
                                    struct br_diag *diag)
{
    const struct br_executors_run how = {.until_ns = BR_NEVER, .record = outcome};
    *outcome = (struct br_outcome){0};
    enum br_status status = br_executors_reset(sim, jobs->arrival, jobs->jobs, &how, diag);
    if (!status)
        status = executors_follow(sim, setup, stop, outcome, diag);
    outcome->policy = setup->row->named.name;
    return status;
}

/* The best order, for a row that has orders. */
static enum br_status executors_find_order(const struct br_executors_request *request,
                                           const struct br_executors_jobs *jobs,
                                           const struct br_executors_row *row,
                                           const struct br_stop *stop, uint32_t *order,
                                           struct br_diag *diag)
{
    const struct br_orders_request orders = {.options = &request->options,
                                             .arrival = jobs->arrival,
                                             .row = row,
                                             .jobs = jobs->jobs,
                                             .threads = request->threads,
                                             .stop = stop};
    return row->orders ? br_executors_best_order(&orders, order, diag) : BR_OK;
}

enum br_status br_executors_simulate(const struct br_executors_request *request,
                                     const struct br_workload *workload,
                                     const struct br_executors_row *row, double number,
                                     uint64_t seed, const struct br_stop *stop,
                                     struct br_outcome *outcome, struct br_diag *diag)
{
    int64_t start_ns = br_now_ns(), least_ns = INT64_MAX;
    uint32_t numbers =
        row->step > 0 ? (uint32_t)((row->most - row->least) / row->step + 0.5) + 1 : 1;
    uint32_t tries = numbers * (row->troubles ? row->troubles : 1);
    uint32_t order[BR_ORDERS_JOBS] = {0};
    struct br_executors_jobs jobs;
    struct br_executors_setup setup = {
        .row = row, .seed = seed, .number = number, .order = order, .model = request->model};
    *outcome = (struct br_outcome){0};
    struct br_executors *sim = br_executors_create(&request->options);
    enum br_status status = br_executors_jobs_make(workload, seed, &jobs, diag);
    if (!status && !sim)
        status = br_fail_memory(diag);
    if (!status && request->options.classes)
        status =
            br_executors_jobs_ask(&jobs, workload, &request->options, request->draw_requests, diag);
    if (!status)
        status = executors_find_order(request, &jobs, row, stop, order, diag);
    for (uint32_t k = 0; k < tries && !status && (k == 0 || !outcome->cut); k++) {
        struct br_outcome next;
        if (row->step > 0)
            setup.number = row->least + k % numbers * row->step;
        const uint32_t threshold = k / numbers + 1;
        if (row->troubles)
            setup.trouble = threshold / (row->troubles + 1.0);
        status = executors_run(sim, &jobs, &setup, stop, &next, diag);
        bool better = k == 0 || next.cut || sim->jobs_time_ns < least_ns;
        if (better)
            least_ns = sim->jobs_time_ns;
        br_outcome_finish(better ? outcome : &next);
        if (better)
            *outcome = next;
    }
    outcome->seed = seed;
    outcome->seconds = (double)(br_now_ns() - start_ns) / 1e9;
    br_executors_destroy(sim);
    br_executors_jobs_finish(&jobs);
    return status;
}

enum br_status br_executors_least_of(const struct br_executors_request *request,
                                     const struct br_workload *workload, uint64_t seed,
                                     int64_t *const *least_ns, struct br_diag *diag)
{
    struct br_executors_jobs jobs;
    enum br_status status = br_executors_jobs_make(workload, seed, &jobs, diag);
    for (uint32_t j = 0; j < jobs.jobs && !status; j++)
        br_executors_least(&jobs.arrival[j], request->options.simple, least_ns[j]);
    br_executors_jobs_finish(&jobs);
    return status;
}
