#include "planner/peak/least.h"

#include <assert.h>
#include <string.h>

#include "base/collections/memory.h"
#include "base/collections/sort.h"
#include "planner/general/walk.h"
#include "planner/general/witness.h"
#include "planner/peak/graph.h"
#include "planner/peak/limit.h"

enum { TRIES = 40 }; /* of limits between what is known and what is proven */
/* A try that says nothing ends the search if what is left is less than this part. */
static const int64_t fine_part = 1000;

struct least_search {
    struct br_general *job; /* whose amount of the resource is changed */
    uint32_t resource;
    uint64_t work;
    const struct br_stop *stop;
    int64_t bound, peak; /* peak: INT64_MAX if there is no order yet */
    const char *method, *bound_method;
    struct br_witness best, found;
    bool failed;
};

static bool witness_init(struct br_witness *witness, uint32_t tasks)
{
    witness->order = br_calloc((size_t)tasks + 1, sizeof *witness->order);
    witness->machine = br_calloc((size_t)tasks + 1, sizeof *witness->machine);
    return witness->order && witness->machine;
}

static void witness_finish(struct br_witness *witness)
{
    br_free(witness->order);
    br_free(witness->machine);
    *witness = (struct br_witness){0};
}

static void witness_copy(struct br_witness *to, const struct br_witness *from, uint32_t tasks)
{
    memcpy(to->order, from->order, tasks * sizeof *to->order);
    memcpy(to->machine, from->machine, tasks * sizeof *to->machine);
}

/* From now on the job has so much of the resource, and it can run short. */
static void set_limit(struct br_general *job, uint32_t r, int64_t limit)
{
    job->stored[r] = job->any_stored = true;
    job->stored_on_machines |= !job->shared[r];
    if (job->shared[r])
        job->shared_capacity[r] = limit;
    for (uint32_t c = 0; c < job->classes && !job->shared[r]; c++)
        if (job->capacity[(size_t)c * job->resources + r] > 0)
            job->capacity[(size_t)c * job->resources + r] = limit;
}

/* ---- The peak of an order ---- */

/* What the task's place holds at most while it runs and when it has ended; it runs. */
static int64_t walk_step(struct br_walk *walk, uint32_t r, uint32_t task, uint32_t machine)
{
    const struct br_general *job = walk->job;
    const size_t at = (size_t)job->task_stage[task] * job->resources + r;
    const uint32_t place = br_general_place(job, machine, r);
    const int64_t run =
        walk->held[place] + job->made[at] + (job->duration[task] ? job->demand[at] : 0);
    br_walk_run(walk, task, machine);
    return run > walk->held[place] ? run : walk->held[place];
}

/* The peak of the order on its machines; with `choose` each task's machine is chosen, and -1 says
 * that one does not fit. -2: out of memory. */
static int64_t order_peak(const struct br_general *job, uint32_t r, struct br_witness *witness,
                          bool choose)
{
    struct br_walk walk;
    int64_t peak = -2;
    if (br_walk_init(&walk, job)) {
        peak = 0;
        for (uint32_t k = 0; k < job->tasks && peak >= 0; k++) {
            const uint32_t task = witness->order[k];
            double growth;
            bool frees;
            if (choose && !br_walk_look(&walk, task, &growth, &frees)) {
                peak = -1;
                break;
            }
            if (choose)
                witness->machine[task] = br_walk_machine(&walk, task);
            const int64_t most = walk_step(&walk, r, task, witness->machine[task]);
            peak = most > peak ? most : peak;
        }
    }
    br_walk_finish(&walk);
    return peak;
}

/* The tasks in the order in which the plan ends them. Each stands behind what it waits for. */
static bool order_by_ends(const struct br_general *job, const int64_t *start, uint32_t *order)
{
    const size_t n = (size_t)job->tasks + 1;
    struct br_sort_item *item = br_malloc(2 * n * sizeof *item);
    uint32_t count = 0;
    for (uint32_t k = 0; item && k < job->stages; k++) {
        const uint32_t s = job->topological[k];
        for (uint32_t t = job->stage_first[s]; t < job->stage_first[s + 1]; t++)
            item[count++] = (struct br_sort_item){.key = br_sort_key(start[t]), .item = t};
    }
    if (!item)
        return false;
    br_sort(item, item + n, count);
    for (uint32_t k = 0; k < count; k++)
        item[k].key = br_sort_key(start[item[k].item] + job->duration[item[k].item]);
    br_sort(item, item + n, count);
    for (uint32_t k = 0; k < count; k++)
        order[k] = item[k].item;
    br_free(item);
    return true;
}

bool br_least_peak_by_plan(struct br_least_peak *least, const struct br_general *job,
                           uint32_t resource, const int64_t *start, const uint32_t *machine)
{
    struct br_witness own;
    struct br_reserve *reserve = NULL;
    int64_t peak = -2;
    if (witness_init(&own, job->tasks) && order_by_ends(job, start, own.order)) {
        memcpy(own.machine, machine, job->tasks * sizeof *own.machine);
        peak = order_peak(job, resource, &own, false);
        reserve = peak == -2 ? NULL : br_reserve_create(job, &own);
    }
    const bool ok = reserve != NULL;
    /* The tasks run one after another, so other places may hold other amounts than in the plan. */
    if (ok && peak < least->peak_units && br_reserve_holds(reserve)) {
        const struct br_witness old = least->witness;
        least->peak = br_decimal_unscale(peak, least->digits);
        least->peak_units = peak;
        least->method = "order of a plan";
        least->witness = own;
        own = old;
    }
    assert(least->peak_units >= least->bound_units);
    br_reserve_destroy(reserve);
    witness_finish(&own);
    return ok;
}

/* ---- The search ---- */

static void take_bound(struct least_search *s, int64_t bound, const char *method)
{
    if (bound <= s->bound)
        return;
    s->bound = bound;
    s->bound_method = method;
}

/* Looks for an order within the limit. */
static enum br_witness_answer try_limit(struct least_search *s, int64_t limit)
{
    set_limit(s->job, s->resource, limit);
    const enum br_witness_answer answer =
        br_witness_find(s->job, s->work, s->stop, &s->found, NULL);
    if (answer == BR_WITNESS_FOUND) {
        const int64_t peak = order_peak(s->job, s->resource, &s->found, false);
        s->failed |= peak < 0;
        if (peak >= 0 && peak < s->peak) {
            s->peak = peak;
            s->method = "search";
            witness_copy(&s->best, &s->found, s->job->tasks);
        }
    }
    s->failed |= answer == BR_WITNESS_MEMORY;
    return answer;
}

/* Halves what lies between the bound and the peak; the bound itself is tried first. */
static void search_limits(struct least_search *s, int64_t most)
{
    int64_t low = s->bound;
    if (s->peak == INT64_MAX)
        try_limit(s, most);
    for (int k = 0; k < TRIES && !s->failed && s->peak != INT64_MAX && low < s->peak; k++) {
        const int64_t limit = k == 0 ? low : low + (s->peak - low) / 2;
        if (br_stopped(s->stop))
            break;
        const enum br_witness_answer answer = try_limit(s, limit);
        if (answer == BR_WITNESS_NONE)
            take_bound(s, limit + 1, "all orders");
        if (answer != BR_WITNESS_FOUND)
            low = limit + 1;
        if (answer == BR_WITNESS_UNKNOWN && s->job->tasks > 64 &&
            s->peak - low < s->peak / fine_part)
            break;
    }
}

/* All tasks at one place that has enough of all else. */
static enum br_status search_one_place(struct least_search *s, struct br_diag *diag)
{
    struct br_peak_graph graph;
    int64_t peak = INT64_MAX, bound = 0;
    bool exact = false;
    const char *bound_method = "";
    enum br_peak_answer answer = BR_PEAK_MEMORY;
    if (br_peak_graph_init(&graph, s->job, s->resource)) {
        bound = br_peak_graph_bound(&graph, &bound_method);
        answer = br_peak_graph_solve(&graph, s->best.order, &peak, &exact);
    }
    br_peak_graph_finish(&graph);
    if (answer == BR_PEAK_MEMORY || bound < 0)
        return br_fail_memory(diag);
    take_bound(s, bound, bound_method);
    if (answer == BR_PEAK_FOUND) {
        memset(s->best.machine, 0, s->job->tasks * sizeof *s->best.machine);
        s->peak = order_peak(s->job, s->resource, &s->best, false);
        s->method = "series and parallel parts";
        if (s->peak < 0)
            return br_fail_memory(diag);
        if (exact)
            take_bound(s, s->peak, "series and parallel parts");
    }
    search_limits(s, br_peak_sum(s->job, s->resource));
    return s->failed ? br_fail_memory(diag) : BR_OK;
}

/* ---- The cluster ---- */

/* No machine holds less than its part of all, nor than a task alone. */
static void bound_machines(struct least_search *s, int64_t one_place)
{
    const struct br_general *job = s->job;
    int64_t machines = 0, alone = 0;
    for (uint32_t m = 0; m < job->machines; m++)
        machines += job->capacity[(size_t)job->machine_class[m] * job->resources + s->resource] > 0;
    for (uint32_t t = 0; t < job->tasks; t++) {
        const size_t at = (size_t)job->task_stage[t] * job->resources + s->resource;
        const int64_t run = job->made[at] + (job->duration[t] ? job->demand[at] : 0);
        const int64_t stays = job->made[at] + job->late[at];
        alone = run > alone ? run : alone;
        alone = stays > alone ? stays : alone;
    }
    if (machines)
        take_bound(s, (one_place + machines - 1) / machines, "all machines as one");
    take_bound(s, alone, "one task alone");
}

/* The order of one place, if it fits what the cluster has; else another is searched. */
static enum br_status search_cluster(struct least_search *s, const struct least_search *one,
                                     struct br_diag *diag)
{
    const struct br_general *job = s->job;
    const int64_t all = br_peak_sum(job, s->resource);
    if (job->shared[s->resource] || job->machines == 1)
        take_bound(s, one->bound, one->bound_method);
    else
        bound_machines(s, one->bound);
    witness_copy(&s->best, &one->best, job->tasks);
    set_limit(s->job, s->resource, all);
    const int64_t peak = order_peak(job, s->resource, &s->best, true);
    if (peak == -2)
        return br_fail_memory(diag);
    if (peak >= 0) {
        s->peak = peak;
        s->method = one->method;
    }
    search_limits(s, all);
    if (s->failed)
        return br_fail_memory(diag);
    if (s->peak == INT64_MAX)
        return br_fail(diag, BR_NO, "give the cluster more of what else is held",
                       "no order of the tasks was found that fits the other resources");
    return BR_OK;
}

/* ---- The whole ---- */

static void grow_digits(struct br_decimal amount, int32_t *digits)
{
    if (amount.mantissa && -amount.exponent > *digits)
        *digits = -amount.exponent;
}

static bool add_amount(struct br_decimal amount, int32_t digits, uint32_t tasks, int64_t *sum)
{
    int64_t scaled;
    return br_decimal_scale(amount, digits, &scaled) &&
           !__builtin_mul_overflow(scaled, (int64_t)tasks, &scaled) &&
           !__builtin_add_overflow(*sum, scaled, sum);
}

/* All that the job demands and makes of the resource: no plan holds more. */
static enum br_status find_total(const struct br_dag *dag, const char *resource,
                                 struct br_decimal *total, struct br_diag *diag)
{
    const struct br_storage *storage = dag->storage;
    int32_t digits = INT32_MIN;
    int64_t sum = 0;
    bool ok = true;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t d = 0; d < dag->demands; d++) {
            const struct br_demand *demand = &dag->demand[d];
            if (strcmp(dag->resource[demand->resource].name, resource) != 0)
                continue;
            if (pass == 0)
                grow_digits(demand->amount, &digits);
            else if (demand->amount.mantissa)
                ok &= add_amount(demand->amount, digits, dag->stage[demand->stage].tasks, &sum);
        }
        for (uint32_t o = 0; storage && o < storage->outputs; o++) {
            const struct br_output *output = &storage->output[o];
            if (strcmp(dag->resource[output->resource].name, resource) != 0)
                continue;
            if (pass == 0)
                grow_digits(output->amount, &digits);
            else if (output->amount.mantissa)
                ok &= add_amount(output->amount, digits, dag->stage[output->stage].tasks, &sum);
        }
    }
    if (digits == INT32_MIN)
        return br_fail(diag, BR_USAGE, "name a resource that its tasks demand or make",
                       "the job holds no '%.200s'", resource);
    if (!ok)
        return br_fail(diag, BR_BAD_INPUT, "use fewer decimals or larger units",
                       "the amounts of %.200s do not add up within 60 bits", resource);
    *total = br_decimal_unscale(sum, digits);
    return BR_OK;
}

static enum br_status least_search_init(struct least_search *s, struct br_general *job,
                                        const char *resource, struct br_diag *diag)
{
    s->job = job;
    s->peak = INT64_MAX;
    s->bound_method = s->method = "";
    while (strcmp(job->dag->resource[job->resource_origin[s->resource]].name, resource) != 0)
        s->resource++;
    return witness_init(&s->best, job->tasks) && witness_init(&s->found, job->tasks)
               ? BR_OK
               : br_fail_memory(diag);
}

static enum br_status search_both(struct least_search *s, struct br_general *job,
                                  struct br_general *alone, const char *resource,
                                  struct br_diag *diag)
{
    struct least_search one = {.work = s->work, .stop = s->stop};
    enum br_status status = least_search_init(s, job, resource, diag);
    if (!status)
        status = least_search_init(&one, alone, resource, diag);
    if (!status)
        status = search_one_place(&one, diag);
    if (!status)
        status = search_cluster(s, &one, diag);
    witness_finish(&one.best);
    witness_finish(&one.found);
    return status;
}

enum br_status br_least_peak(const struct br_dag *dag, const struct br_cluster *cluster,
                             const char *resource, uint64_t work, const struct br_stop *stop,
                             struct br_least_peak *least, struct br_diag *diag)
{
    struct br_cluster *ample = NULL, *one = NULL;
    struct br_general *job = NULL, *alone = NULL;
    struct least_search s = {.work = work, .stop = stop};
    struct br_decimal total;
    *least = (struct br_least_peak){0};
    enum br_status status = find_total(dag, resource, &total, diag);
    if (!status)
        status = br_peak_cluster(cluster, resource, total, &ample, diag);
    if (!status)
        status = br_general_create(dag, ample, &job, diag);
    if (!status)
        status = br_peak_one_machine(job, &one, diag);
    if (!status)
        status = br_general_create(dag, one, &alone, diag);
    if (!status)
        status = search_both(&s, job, alone, resource, diag);
    if (!status) {
        const int32_t digits = job->digits[s.resource];
        *least = (struct br_least_peak){.peak = br_decimal_unscale(s.peak, digits),
                                        .bound = br_decimal_unscale(s.bound, digits),
                                        .peak_units = s.peak,
                                        .bound_units = s.bound,
                                        .digits = digits,
                                        .shared = job->shared[s.resource],
                                        .method = s.method,
                                        .bound_method = s.bound_method,
                                        .witness = s.best};
        s.best = (struct br_witness){0};
    }
    witness_finish(&s.best);
    witness_finish(&s.found);
    br_general_destroy(job);
    br_general_destroy(alone);
    br_cluster_destroy(ample);
    br_cluster_destroy(one);
    return status;
}

void br_least_peak_finish(struct br_least_peak *least)
{
    witness_finish(&least->witness);
}
