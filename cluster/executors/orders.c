#include "cluster/executors/orders.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/process/parallel.h"
#include "base/process/stop.h"
#include "cluster/workload/workload.h"

void br_executors_order(uint64_t k, uint32_t jobs, uint32_t *order)
{
    uint64_t orders = 1;
    for (uint32_t j = 0; j < jobs; j++) {
        orders *= j + 1;
        order[j] = j;
    }
    assert(k < orders);
    for (uint32_t place = 0; place < jobs; place++) {
        orders /= jobs - place;
        uint32_t skipped = (uint32_t)(k / orders), job = order[place + skipped];
        assert(place + skipped < jobs);
        k %= orders;
        for (uint32_t at = place + skipped; at > place; at--)
            order[at] = order[at - 1];
        order[place] = job;
    }
    assert(k == 0);
}

/* ---- Trying them ---- */

struct worker {
    struct br_executors *sim;
    void *policy;
    uint32_t order[BR_ORDERS_JOBS]; /* that the policy follows */
};

struct search {
    const struct br_orders_request *request;
    struct worker *worker;
    pthread_mutex_t lock; /* of all below */
    int64_t least_ns;
    uint32_t best;
    enum br_status status;
};

static int64_t least_so_far(struct search *search)
{
    pthread_mutex_lock(&search->lock);
    int64_t least_ns = search->least_ns;
    pthread_mutex_unlock(&search->lock);
    return least_ns;
}

/* The sum of completion times under the worker's order, or something above most_ns. */
static enum br_status orders_run(const struct search *search, struct worker *worker,
                                 int64_t most_ns, int64_t *sum_ns)
{
    const struct br_orders_request *request = search->request;
    struct br_executors *sim = worker->sim;
    enum br_status status = br_executors_reset(sim, request->arrival, request->jobs, NULL, NULL);
    if (!status)
        status = request->row->begin(worker->policy, sim, NULL);
    while (!status && sim->jobs_time_ns <= most_ns && br_executors_next(sim)) {
        struct br_executors_choice choice = request->row->decide(worker->policy, sim);
        br_executors_decide(sim, choice.stage, choice.limit);
    }
    *sum_ns = sim->jobs_time_ns;
    return status;
}

static bool orders_attempt(void *context, uint32_t number, uint32_t index)
{
    struct search *search = context;
    struct worker *worker = &search->worker[number];
    int64_t sum_ns;
    if (br_stopped(search->request->stop) && index)
        return false;
    br_executors_order(index, search->request->jobs, worker->order);
    enum br_status status = orders_run(search, worker, least_so_far(search), &sum_ns);
    pthread_mutex_lock(&search->lock);
    if (status)
        search->status = status;
    else if (sum_ns < search->least_ns || (sum_ns == search->least_ns && index < search->best)) {
        search->least_ns = sum_ns;
        search->best = index;
    }
    pthread_mutex_unlock(&search->lock);
    return !status;
}

static enum br_status open_worker(const struct br_orders_request *request, struct worker *worker,
                                  struct br_diag *diag)
{
    const struct br_executors_setup setup = {
        .row = request->row, .number = NAN, .order = worker->order};
    worker->sim = br_executors_create(request->options);
    return worker->sim ? request->row->create(&setup, &worker->policy, diag) : br_fail_memory(diag);
}

enum br_status br_executors_best_order(const struct br_orders_request *request, uint32_t *order,
                                       struct br_diag *diag)
{
    struct search search = {.request = request, .least_ns = BR_NEVER};
    uint32_t orders = 1, threads = request->threads ? request->threads : 1;
    if (request->jobs > BR_ORDERS_JOBS)
        return br_fail(diag, BR_USAGE, "give fewer jobs",
                       "the orders of more than %d jobs are too many to be tried", BR_ORDERS_JOBS);
    for (uint32_t j = 1; j <= request->jobs; j++)
        orders *= j;
    threads = threads < orders ? threads : orders;
    search.worker = calloc(threads, sizeof *search.worker);
    if (!search.worker || pthread_mutex_init(&search.lock, NULL)) {
        free(search.worker);
        return br_fail_memory(diag);
    }
    enum br_status status = BR_OK;
    for (uint32_t k = 0; k < threads && !status; k++)
        status = open_worker(request, &search.worker[k], diag);
    if (!status) {
        br_parallel(threads, orders, orders_attempt, &search);
        status = search.status ? br_fail_memory(diag) : BR_OK;
    }
    for (uint32_t k = 0; k < threads; k++) {
        if (search.worker[k].policy)
            request->row->destroy(search.worker[k].policy);
        br_executors_destroy(search.worker[k].sim);
    }
    free(search.worker);
    pthread_mutex_destroy(&search.lock);
    assert(status || search.best < orders);
    br_executors_order(search.best, request->jobs, order);
    return status;
}
