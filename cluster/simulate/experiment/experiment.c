/* Every combination of a policy and a seed is one unit of work. Its spans are dropped once its
 * metrics are made, so memory grows only with the number of threads. */
#include "cluster/simulate/experiment/experiment.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/collections/sort.h"
#include "base/process/parallel.h"
#include "cluster/simulate/policies/deadline.h"
#include "cluster/simulate/policies/policies.h"

struct runner {
    const struct br_experiment *request;
    struct br_experiment_results *study;
    struct br_plans plans;
    uint32_t *order;                   /* of the runs: those that take longest begin first */
    struct br_workload_bounds *bounds; /* by seed; NULL: none are wanted */
    double *clairvoyant_s;             /* by seed; NAN: none is wanted */
    double ahead_s;                    /* planning time before the first run */
    pthread_mutex_t lock;              /* guards what follows */
    uint32_t done;
    enum br_status status;
    struct br_diag diag;
};

static bool experiment_give_up(struct runner *runner, enum br_status status,
                               const struct br_diag *diag)
{
    pthread_mutex_lock(&runner->lock);
    if (!runner->status) {
        runner->status = status;
        runner->diag = *diag;
    }
    pthread_mutex_unlock(&runner->lock);
    return false;
}

static struct br_world world_of(const struct br_experiment *request, uint32_t seed)
{
    struct br_world world = request->world;
    world.seed += seed;
    return world;
}

/* ---- Bounds ---- */

/* The true durations of all jobs under the seed, job by job in one block; NULL when memory is out.
 */
static int64_t **true_durations(const struct br_experiment *request, uint32_t seed)
{
    const struct br_workload *workload = request->workload;
    struct br_world world = world_of(request, seed);
    int64_t **by_job = malloc(((size_t)workload->jobs + 1) * sizeof *by_job);
    int64_t *all = malloc((workload->tasks + 1) * sizeof *all);
    if (!by_job || !all) {
        free(by_job);
        free(all);
        return NULL;
    }
    by_job[0] = all;
    for (uint32_t j = 0; j < workload->jobs; j++) {
        if (!request->executors.options.executors)
            br_world_durations(&world, workload, j, by_job[j]);
        by_job[j + 1] = by_job[j] + workload->dag[workload->job[j].dag].dag->tasks;
    }
    return by_job;
}

/* ---- The policy that knows everything ahead ---- */

static struct br_simulate_options options_of(struct runner *runner, const struct br_policy_row *row,
                                             double number, uint32_t seed)
{
    const struct br_experiment *request = runner->request;
    return (struct br_simulate_options){
        .row = row,
        .setup = {.enforcer = request->enforcer,
                  .overbooked = request->overbooked,
                  .overbook = request->overbook,
                  .refine = request->refine,
                  .unseens = request->unseens,
                  .unseen = request->unseen,
                  .plan = br_plans_get,
                  .network_plan = br_plans_get_network,
                  .plan_context = &runner->plans,
                  .deadlines = request->deadlines,
                  .evicts = request->deadlines && request->deadlines->evict,
                  .histories = request->histories,
                  .wide = request->wide,
                  .history = request->history,
                  .number = number},
        .world = world_of(request, seed),
        .network = request->network,
        .stop = runner->request->stop,
    };
}

/* The mean completion time of all jobs; INFINITY if some have not ended. */
static double mean_jct(const struct br_workload *workload, const struct br_outcome *outcome)
{
    double sum = 0;
    for (uint32_t j = 0; j < workload->jobs; j++)
        sum += outcome->end_ns[j] < 0 ? INFINITY
                                      : (double)(outcome->end_ns[j] - workload->job[j].arrival_ns);
    return sum / workload->jobs;
}

/* The schedule of the best of some policies, from which the search begins. */
static enum br_status begin_ahead(struct runner *runner, uint32_t seed, struct br_outcome *best,
                                  struct br_diag *diag)
{
    static const char *const names[] = {"joint", "tetris", "srpt"};
    const struct br_experiment *request = runner->request;
    enum br_status status = BR_OK;
    for (size_t k = 0; k < sizeof names / sizeof *names && !status; k++) {
        const struct br_policy_row *row;
        struct br_outcome next = {0};
        double number;
        status = br_policies_find(names[k], &row, &number, diag);
        if (status)
            break;
        struct br_simulate_options options = options_of(runner, row, number, seed);
        options.no_spans = true;
        status = br_simulate_workload(request->workload, request->cluster, &options, &next, diag);
        bool better = k == 0 || (!status && mean_jct(request->workload, &next) <
                                                mean_jct(request->workload, best));
        br_outcome_finish(better ? best : &next);
        if (better)
            *best = next;
    }
    return status;
}

/* The mean completion time found by a search of that many evaluations. */
static enum br_status experiment_look_ahead(struct runner *runner, const int64_t *const *true_ns,
                                            uint32_t seed, struct br_diag *diag)
{
    const struct br_experiment *request = runner->request;
    struct br_clairvoyant_options options = {
        .seed = seed + 1, .evaluations = request->clairvoyant, .stop = runner->request->stop};
    struct br_clairvoyant found = {0};
    struct br_outcome begin = {0};
    runner->clairvoyant_s[seed] = NAN;
    if (!request->clairvoyant)
        return BR_OK;
    enum br_status status = begin_ahead(runner, seed, &begin, diag);
    if (!status) {
        bool whole = !begin.cut && mean_jct(request->workload, &begin) < INFINITY;
        options.begin_ns = whole ? begin.end_ns : NULL;
        status = br_clairvoyant_search(request->workload, request->cluster, true_ns, &options,
                                       &found, diag);
    }
    if (!status)
        runner->clairvoyant_s[seed] = found.mean_jct_s;
    br_clairvoyant_finish(&found);
    br_outcome_finish(&begin);
    return status;
}

static bool bound_seed(void *context, uint32_t worker, uint32_t seed)
{
    struct runner *runner = context;
    const struct br_experiment *request = runner->request;
    struct br_diag diag = {0};
    (void)worker;
    if (br_stopped(runner->request->stop))
        return false;
    int64_t **true_ns = true_durations(request, seed);
    enum br_status status = true_ns ? BR_OK : br_fail_memory(&diag);
    if (!status && request->executors.options.executors)
        status = br_executors_least_of(&request->executors, request->workload,
                                       request->world.seed + seed, true_ns, &diag);
    if (!status)
        status = br_workload_bounds_make(request->workload, request->cluster,
                                         (const int64_t *const *)true_ns,
                                         request->overbooked > 0 || request->unseens > 0,
                                         runner->request->stop, &runner->bounds[seed], &diag);
    if (!status)
        status = experiment_look_ahead(runner, (const int64_t *const *)true_ns, seed, &diag);
    if (true_ns)
        free(true_ns[0]);
    free(true_ns);
    return !status || experiment_give_up(runner, status, &diag);
}

/* ---- Runs ---- */

static enum br_status experiment_measure(struct runner *runner, struct br_outcome *outcome,
                                         const struct br_workload_bounds *bounds, uint32_t at,
                                         struct br_diag *diag)
{
    const struct br_experiment *request = runner->request;
    struct br_experiment_results *study = runner->study;
    enum br_status status =
        br_metrics_make(request->workload, request->cluster, outcome, bounds ? bounds->job_s : NULL,
                        &study->metrics[at], diag);
    if (!status && request->series)
        status =
            br_series_make(request->workload, request->cluster, outcome, &study->series[at], diag);
    struct br_study_run *run = &study->run[at];
    run->metrics = &study->metrics[at];
    run->series = request->series ? &study->series[at] : NULL;
    if (request->series && outcome->allotments.rows) {
        study->allotments[at] = outcome->allotments;
        outcome->allotments = (struct br_allotments){0};
        run->allotments = &study->allotments[at];
    }
    if (request->spans) {
        study->span[at] = outcome->span;
        run->span = outcome->span;
        run->spans = outcome->spans;
        outcome->span = NULL;
        outcome->spans = 0;
    }
    run->events = outcome->events;
    run->moved = outcome->moved;
    run->cut = outcome->cut;
    run->note = outcome->note;
    run->seconds = outcome->seconds - outcome->planning_seconds;
    run->planning_seconds = outcome->planning_seconds;
    return status;
}

/* The simulations of a run. */
static uint32_t tries_of(const struct br_policy_row *row)
{
    return row->step > 0 ? (uint32_t)((row->most - row->least) / row->step + 0.5) + 1 : 1;
}

/* Simulates; for a tuned row with each of its numbers, of which the best is kept. */
static enum br_status experiment_simulate(const struct br_experiment *request,
                                          const struct br_experiment_policy *policy,
                                          struct br_simulate_options *options,
                                          struct br_outcome *outcome, struct br_diag *diag)
{
    const struct br_policy_row *row = options->row;
    if (!row)
        return br_executors_simulate(&request->executors, request->workload, policy->executors,
                                     policy->number, options->world.seed, options->stop, outcome,
                                     diag);
    if (row->step <= 0)
        return br_simulate_workload(request->workload, request->cluster, options, outcome, diag);
    enum br_status status = BR_OK;
    const uint32_t tries = tries_of(row);
    double seconds = 0;
    for (uint32_t k = 0; k < tries && !status && (k == 0 || !outcome->cut); k++) {
        struct br_outcome next;
        options->setup.number = row->least + k * row->step;
        status = br_simulate_workload(request->workload, request->cluster, options, &next, diag);
        seconds += next.seconds;
        bool better =
            k == 0 || next.cut ||
            (!status && mean_jct(request->workload, &next) < mean_jct(request->workload, outcome));
        br_outcome_finish(better ? outcome : &next);
        if (better)
            *outcome = next;
    }
    outcome->seconds = seconds;
    return status;
}

static bool experiment_run_one(void *context, uint32_t worker, uint32_t turn)
{
    struct runner *runner = context;
    const struct br_experiment *request = runner->request;
    const uint32_t at = runner->order[turn];
    uint32_t number = request->first + at * request->step;
    uint32_t seed = number % request->seeds;
    const struct br_experiment_policy *policy = &request->policy[number / request->seeds];
    const struct br_workload_bounds *bounds = runner->bounds ? &runner->bounds[seed] : NULL;
    struct br_simulate_options options = options_of(runner, policy->row, policy->number, seed);
    struct br_outcome outcome = {0};
    struct br_diag diag = {0};
    (void)worker;
    if (br_stopped(runner->request->stop))
        return false;
    runner->study->run[at] = (struct br_study_run){
        .policy = policy->name,
        .seed = options.world.seed,
        .mean_jct_bound_s = bounds ? bounds->mean_jct_s : NAN,
        .makespan_bound_s = bounds ? bounds->makespan_s : NAN,
        .clairvoyant_mean_jct_s = bounds ? runner->clairvoyant_s[seed] : NAN,
    };
    enum br_status status = experiment_simulate(request, policy, &options, &outcome, &diag);
    if (!status)
        status = experiment_measure(runner, &outcome, bounds, at, &diag);
    if (policy->row && policy->row->plans)
        runner->study->run[at].planning_seconds += runner->ahead_s;
    br_outcome_finish(&outcome);
    if (status)
        return experiment_give_up(runner, status, &diag);
    pthread_mutex_lock(&runner->lock);
    runner->done++;
    if (request->ended)
        request->ended(request->context, runner->done, runner->study->study.runs);
    pthread_mutex_unlock(&runner->lock);
    return true;
}

/* ---- All of them ---- */

/* On several threads, the runs that take longest first, so that none of them is left for the end;
 * on one, as they come. False when memory is out. */
static bool order_runs(struct runner *runner, uint32_t runs)
{
    const struct br_experiment *request = runner->request;
    struct br_sort_item *run = calloc(2 * (size_t)runs + 1, sizeof *run);
    runner->order = calloc((size_t)runs + 1, sizeof *runner->order);
    bool ok = run && runner->order;
    for (uint32_t at = 0; ok && at < runs; at++) {
        const uint32_t number = (request->first + at * request->step) / request->seeds;
        const struct br_policy_row *row = request->policy[number].row;
        run[at] = (struct br_sort_item){UINT64_MAX, at}; /* least keys, most time first */
        if (row && request->threads > 1)                 /* in simulations by fifo */
            run[at].key -= (uint64_t)tries_of(row) * (row->slow ? row->slow : 1);
    }
    if (ok)
        br_sort(run, run + runs, runs);
    for (uint32_t k = 0; ok && k < runs; k++)
        runner->order[k] = run[k].item;
    free(run);
    return ok;
}

/* Does a run of this shard follow plans? */
static bool wants_plans(const struct br_experiment *request, uint32_t runs)
{
    for (uint32_t at = 0; at < runs; at++) {
        uint32_t number = (request->first + at * request->step) / request->seeds;
        const struct br_policy_row *row = request->policy[number].row;
        if (row && row->plans)
            return true;
    }
    return false;
}

/* Keeps the finished runs, in their order. */
static void experiment_drop_unfinished(struct br_experiment_results *study)
{
    uint32_t kept = 0;
    for (uint32_t k = 0; k < study->study.runs; k++)
        if (study->run[k].metrics && !study->run[k].cut)
            study->run[kept++] = study->run[k];
    study->cut = kept < study->study.runs;
    study->study.runs = kept;
}

static enum br_status experiment_perform(struct runner *runner, struct br_diag *diag)
{
    const struct br_experiment *request = runner->request;
    struct br_experiment_results *study = runner->study;
    if (runner->bounds)
        br_parallel(request->threads, request->seeds, bound_seed, runner);
    if (!runner->status && wants_plans(request, study->study.runs))
        runner->status = br_plans_prepare(&runner->plans, request->threads, runner->request->stop,
                                          &runner->diag);
    runner->ahead_s = runner->plans.seconds;
    if (!runner->status)
        br_parallel(request->threads, study->study.runs, experiment_run_one, runner);
    if (runner->status && diag)
        *diag = runner->diag;
    if (!runner->status && br_stopped(request->stop))
        experiment_drop_unfinished(study);
    return runner->status;
}

enum br_status br_experiment_run(const struct br_experiment *request,
                                 struct br_experiment_results *study, struct br_diag *diag)
{
    struct runner runner = {.request = request, .study = study};
    uint32_t all = request->policies * request->seeds;
    uint32_t runs = request->first < all ? (all - request->first - 1) / request->step + 1 : 0;
    *study = (struct br_experiment_results){.room = runs,
                                            .study = {.workload = request->workload,
                                                      .cluster = request->cluster,
                                                      .runs = runs,
                                                      .network = request->network}};
    study->run = calloc((size_t)runs + 1, sizeof *study->run);
    study->metrics = calloc((size_t)runs + 1, sizeof *study->metrics);
    study->series = calloc((size_t)runs + 1, sizeof *study->series);
    study->allotments = calloc((size_t)runs + 1, sizeof *study->allotments);
    study->span = calloc((size_t)runs + 1, sizeof *study->span);
    study->study.run = study->run;
    if (request->bounds) {
        runner.bounds = calloc(request->seeds, sizeof *runner.bounds);
        runner.clairvoyant_s = calloc(request->seeds, sizeof *runner.clairvoyant_s);
    }
    if (!study->run || !study->metrics || !study->series || !study->allotments || !study->span ||
        (request->bounds && (!runner.bounds || !runner.clairvoyant_s)) ||
        !order_runs(&runner, runs) || pthread_mutex_init(&runner.lock, NULL)) {
        free(runner.order);
        free(runner.bounds);
        free(runner.clairvoyant_s);
        return br_fail_memory(diag);
    }
    enum br_status status =
        br_plans_init(&runner.plans, request->workload, request->cluster, &request->plan, diag);
    if (!status)
        status = experiment_perform(&runner, diag);
    study->plans_made = runner.plans.made;
    study->plans_by_path = runner.plans.by_path;
    study->planning_seconds = runner.plans.seconds;
    br_plans_finish(&runner.plans);
    for (uint32_t s = 0; runner.bounds && s < request->seeds; s++)
        br_workload_bounds_finish(&runner.bounds[s]);
    free(runner.order);
    free(runner.bounds);
    free(runner.clairvoyant_s);
    pthread_mutex_destroy(&runner.lock);
    return status;
}

void br_experiment_finish(struct br_experiment_results *study)
{
    /* Metrics and series stay where they were made, also those of dropped runs. */
    for (uint32_t k = 0; study->run && study->metrics && study->series && study->allotments &&
                         study->span && k < study->room;
         k++) {
        br_allotments_finish(&study->allotments[k]);
        free(study->span[k]);
        br_metrics_finish(&study->metrics[k]);
        br_series_finish(&study->series[k]);
    }
    free(study->run);
    free(study->metrics);
    free(study->series);
    free(study->allotments);
    free(study->span);
    *study = (struct br_experiment_results){0};
}
