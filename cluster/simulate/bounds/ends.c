/* When can the k-th job have ended? Suppose that k jobs have ended by time t. Each of them has its
 * arrival plus its own bound at t or before. And on every resource, whatever of their work has a
 * tail of b or more was done by t - b: of those that arrived at a or later, between a and t - b. So
 * that work is at most t - b - a, for all a. How many jobs can be chosen such that this holds is
 * the problem of most jobs on time on one machine, read backwards: arrivals are due dates. It is
 * solved by taking the jobs in the order of due dates, and dropping the largest one whenever there
 * is too much [Moore68]. If fewer than k can be chosen, the k-th job ends after t, in every
 * schedule.
 *
 * The sum over all k of the latest such t bounds the sum of all ends. No assignment of ends to jobs
 * is claimed, so jobs may be short on one resource and late by another argument. */
#include "cluster/simulate/bounds/ends.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/heap.h"
#include "cluster/simulate/bounds/fluid.h"

enum {
    TAILS = 5,              /* values of b above 0 that are tried on each resource */
    HALVINGS = 12,          /* of the step to the latest t */
    EFFORT_MOST = 20000000, /* jobs looked at, in all */
};

/* Relative to a time: more than rounding adds when work just fits. */
#define SLACK 1e-12

/* One resource and one b. */
struct limit {
    double tail_s;
    double *size_s; /* by job: of its work with such tails */
    double *busy_s; /* by i: when the machine has served the first i jobs, at the earliest */
};

struct search {
    const struct br_load *load;
    uint32_t limits;
    struct limit *limit;
    double *ready_s;  /* by job: arrival plus own bound */
    double *latest_s; /* by i: the largest of the first i jobs */
    double *heap;     /* sizes of the jobs that are chosen, the largest on top */
    uint32_t last;    /* limit that was the last to refuse */
    uint64_t effort;
    struct br_arena arena;
};

static bool bounds_ends_larger(const void *none, const double *a, const double *b)
{
    (void)none;
    return *a > *b;
}

BR_HEAP(size, double, const void *, bounds_ends_larger, 4)

static int bounds_ends_upwards(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Jobs that have arrived by t. */
static uint32_t arrived(const struct br_load *load, double t_s)
{
    uint32_t low = 0, high = load->jobs;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (load->job[middle].release_s <= t_s)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Does the limit let k jobs end by t? Once all older jobs fit before the chosen ones, they are not
 * looked at one by one. */
static bool allows(struct search *search, const struct limit *limit, double t_s, uint32_t k)
{
    assert(k >= 1 && k <= search->load->jobs);
    uint32_t size = 0, chosen = 0, i = arrived(search->load, t_s);
    double used_s = 0, end_s = t_s - limit->tail_s + SLACK * t_s;
    for (; i && chosen < k; i--) {
        if (used_s + limit->busy_s[i] <= end_s && search->latest_s[i] <= t_s)
            break;
        uint32_t j = i - 1;
        search->effort++;
        if (search->ready_s[j] > t_s)
            continue;
        chosen++;
        if (limit->size_s[j] <= 0)
            continue;
        used_s += limit->size_s[j];
        size_push(NULL, search->heap, &size, limit->size_s[j]);
        if (used_s > end_s - search->load->job[j].release_s) {
            used_s -= size_pop(NULL, search->heap, &size);
            chosen--;
        }
    }
    assert(chosen <= k);
    return chosen + i >= k;
}

static bool all_allow(struct search *search, double t_s, uint32_t k)
{
    for (uint32_t i = 0; i < search->limits; i++) {
        uint32_t l = (search->last + i) % search->limits;
        if (!allows(search, &search->limit[l], t_s, k)) {
            search->last = l;
            return false;
        }
    }
    return true;
}

/* The latest t, up to a small step, by which k jobs cannot have ended; low_s is one. */
static double bounds_ends_latest(struct search *search, double low_s, double step_s, uint32_t k)
{
    if (search->effort > EFFORT_MOST || all_allow(search, low_s, k))
        return low_s;
    assert(step_s > 0);
    double high_s = low_s + step_s;
    while (!all_allow(search, high_s, k)) {
        low_s = high_s;
        step_s *= 2;
        high_s = low_s + step_s;
    }
    for (int n = 0; n < HALVINGS; n++) {
        double middle_s = low_s + (high_s - low_s) / 2;
        if (all_allow(search, middle_s, k))
            high_s = middle_s;
        else
            low_s = middle_s;
    }
    return low_s;
}

/* ---- Preparation ---- */

static double work_on(const struct br_load_job *job, uint32_t resource, double tail_s)
{
    double work_s = 0;
    const struct br_alone *alone = job->alone;
    for (uint32_t k = 0; alone && k < alone->resources; k++)
        for (uint32_t s = 0; job->column[k] == resource && s < alone->stages; s++)
            if (alone->stage[s].tail_s >= tail_s)
                work_s += alone->share_s[(size_t)s * alone->resources + k];
    return work_s;
}

static bool add_limit(struct search *search, uint32_t resource, double tail_s)
{
    const struct br_load *load = search->load;
    assert(search->limits < search->load->resources * (TAILS + 1));
    struct limit *limit = &search->limit[search->limits++];
    limit->tail_s = tail_s;
    limit->size_s = br_arena_array(&search->arena, load->jobs, sizeof *limit->size_s);
    limit->busy_s = br_arena_array(&search->arena, (size_t)load->jobs + 1, sizeof *limit->busy_s);
    if (!limit->size_s || !limit->busy_s)
        return false;
    for (uint32_t j = 0; j < load->jobs; j++) {
        double from_s = load->job[j].release_s;
        limit->size_s[j] = work_on(&load->job[j], resource, tail_s);
        from_s = limit->busy_s[j] > from_s ? limit->busy_s[j] : from_s;
        limit->busy_s[j + 1] = from_s + limit->size_s[j];
        assert(limit->busy_s[j + 1] >= limit->busy_s[j]);
    }
    return true;
}

/* All resources with b = 0; those with at least half of the work of the busiest with others. */
static bool add_limits(struct search *search, double own_s)
{
    const struct br_load *load = search->load;
    double most_s = 0;
    search->limit = br_arena_array(&search->arena, (size_t)load->resources * (TAILS + 1),
                                   sizeof *search->limit);
    for (uint32_t r = 0; r < load->resources; r++)
        most_s = load->work_s[r] > most_s ? load->work_s[r] : most_s;
    bool ok = search->limit != NULL;
    for (uint32_t r = 0; ok && r < load->resources; r++) {
        ok = add_limit(search, r, 0);
        double tail_s = own_s;
        for (int k = 0; ok && k < TAILS && own_s > 0 && load->work_s[r] >= most_s / 2; k++) {
            tail_s /= 2;
            ok = add_limit(search, r, tail_s);
        }
    }
    return ok;
}

/* Raises least_s, by k, to the k-th end under shortest remaining work first on each resource. */
static bool raise_by_work(const struct br_load *load, double *least_s)
{
    uint32_t jobs = load->jobs;
    double *end_s = malloc(jobs * sizeof *end_s);
    struct br_fluid *piece = malloc(jobs * sizeof *piece);
    struct br_fluid_piece *heap = malloc(jobs * sizeof *heap);
    bool ok = end_s && piece && heap;
    for (uint32_t r = 0; ok && r < load->resources; r++) {
        for (uint32_t j = 0; j < jobs; j++)
            piece[j] = (struct br_fluid){load->job[j].release_s, work_on(&load->job[j], r, 0), j};
        br_fluid_shortest(piece, jobs, heap, end_s);
        for (uint32_t k = 0; k < jobs; k++)
            least_s[k] = end_s[k] > least_s[k] ? end_s[k] : least_s[k];
    }
    free(end_s);
    free(piece);
    free(heap);
    return ok;
}

static bool bounds_ends_prepare(struct search *search, double *own_s)
{
    uint32_t jobs = search->load->jobs;
    search->ready_s = br_arena_array(&search->arena, jobs, sizeof *search->ready_s);
    search->latest_s = br_arena_array(&search->arena, (size_t)jobs + 1, sizeof *search->latest_s);
    search->heap = br_arena_array(&search->arena, jobs, sizeof *search->heap);
    if (!search->ready_s || !search->latest_s || !search->heap)
        return false;
    *own_s = 0;
    for (uint32_t j = 0; j < jobs; j++) {
        const struct br_load_job *job = &search->load->job[j];
        double alone_s = job->alone ? (double)job->alone->bound_ns / 1e9 : 0;
        search->ready_s[j] = job->release_s + alone_s;
        search->latest_s[j + 1] =
            search->ready_s[j] > search->latest_s[j] ? search->ready_s[j] : search->latest_s[j];
        *own_s += alone_s / jobs;
    }
    return add_limits(search, *own_s);
}

bool br_ends_bound(const struct br_load *load, const struct br_stop *stop, double *sum_s)
{
    struct search search = {.load = load};
    double own_s, *least_s = malloc(load->jobs * sizeof *least_s);
    bool ok = least_s && bounds_ends_prepare(&search, &own_s);
    if (ok) {
        memcpy(least_s, search.ready_s, load->jobs * sizeof *least_s);
        qsort(least_s, load->jobs, sizeof *least_s, bounds_ends_upwards);
        ok = raise_by_work(load, least_s);
    }
    double last_s = 0;
    *sum_s = 0;
    for (uint32_t k = 0; ok && k < load->jobs; k++) {
        last_s = least_s[k] > last_s ? least_s[k] : last_s;
        if (search.limits && !br_stopped(stop))
            last_s = bounds_ends_latest(&search, last_s, own_s / 16, k + 1);
        assert(last_s >= least_s[k]);
        *sum_s += last_s - load->job[k].release_s;
    }
    br_arena_finish(&search.arena);
    free(least_s);
    return ok;
}
