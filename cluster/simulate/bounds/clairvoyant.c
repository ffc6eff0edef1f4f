/* Local search over the order in which jobs and stages go first, judged by running the workload.
 *
 * It begins with the best of these orders: in which jobs end when the one with the least work left
 * goes first (on one machine that order, kept fixed, gives the same ends); in which they end in a
 * schedule that is at hand; and by work over weight. A move takes a job before or behind another
 * that is there at the same time, or a single stage of it; or it holds a job until another arrives,
 * or lets it go. Worse orders are not taken. If the cluster stands empty at an arrival, the jobs
 * before and after do not concern one another, so a move runs only the jobs between two such
 * moments. */
#include "cluster/simulate/bounds/clairvoyant.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/sort.h"
#include "base/numbers/rng.h"

enum {
    NEAR = 6,  /* a move takes a job past at most so many that are there at the same time */
    HOLDS = 3, /* one move of so many holds a job, or lets it go */
};

struct search {
    const struct br_trial_model *model;
    const double *weight; /* by job */
    struct br_trial *trial;
    struct br_rng rng;
    struct br_trial_order order;
    int64_t *end_ns, *tried_ns; /* by job */
    int64_t *given_ns;          /* by job, of the schedule at hand */
    bool *empty;    /* by job: the cluster is empty when it arrives, and a run begins with it */
    uint32_t *row;  /* jobs that are there beside one, by place */
    uint32_t *kept; /* their places before a move */
    struct br_sort_item *item;
    struct br_arena arena;
};

static bool clairvoyant_allocate(struct search *s)
{
    uint32_t jobs = s->model->jobs, stages = s->model->stages;
    return BR_ARRAY(&s->arena, jobs, s->order.place) &&
           BR_ARRAY(&s->arena, stages, s->order.with) &&
           BR_ARRAY(&s->arena, jobs, s->order.until) && BR_ARRAY(&s->arena, jobs, s->end_ns) &&
           BR_ARRAY(&s->arena, jobs, s->given_ns) && BR_ARRAY(&s->arena, jobs, s->tried_ns) &&
           BR_ARRAY(&s->arena, (size_t)jobs + 1, s->empty) && BR_ARRAY(&s->arena, jobs, s->row) &&
           BR_ARRAY(&s->arena, jobs, s->kept) && BR_ARRAY(&s->arena, 2 * (size_t)jobs, s->item);
}

/* Runs all jobs. */
static void clairvoyant_run_all(struct search *s, const struct br_trial_order *order)
{
    uint32_t next = 0;
    memset(s->empty, 0, s->model->jobs);
    while (next < s->model->jobs) {
        s->empty[next] = true;
        next = br_trial_run(s->trial, order, next, s->end_ns);
    }
    s->empty[s->model->jobs] = true;
}

/* Orders the jobs as the items are sorted. */
static void order_by_items(struct search *s)
{
    uint32_t jobs = s->model->jobs;
    br_sort(s->item, s->item + jobs, jobs);
    for (uint32_t k = 0; k < jobs; k++)
        s->order.place[s->item[k].item] = s->order.until[k] = k;
    for (uint32_t k = 0; k < s->model->stages; k++)
        s->order.with[k] = s->model->stage[k].job;
}

static void order_by_ends(struct search *s, const int64_t *end_ns)
{
    for (uint32_t j = 0; j < s->model->jobs; j++)
        s->item[j] = (struct br_sort_item){br_sort_key(end_ns[j]), j};
    order_by_items(s);
}

/* By work over weight, the least first. */
static void order_by_work(struct search *s)
{
    for (uint32_t j = 0; j < s->model->jobs; j++) {
        double key = s->model->job[j].work / s->weight[j];
        s->item[j] = (struct br_sort_item){key < 0x1p62 ? (uint64_t)key : UINT64_C(1) << 62, j};
    }
    order_by_items(s);
}

/* Runs the jobs that a change of job j can concern: from the last empty moment before it to the
 * next moment that is empty before and after the change. Returns how much less it comes to; *first
 * and *end tell which jobs ran. */
static double gain(struct search *s, uint32_t j, uint32_t *first, uint32_t *end)
{
    double sum = 0;
    assert(s->empty[0] && s->empty[s->model->jobs]);
    *first = j;
    while (!s->empty[*first])
        --*first;
    *end = *first;
    do
        *end = br_trial_run(s->trial, &s->order, *end, s->tried_ns);
    while (!s->empty[*end]);
    assert(*first <= j && j < *end);
    for (uint32_t k = *first; k < *end; k++)
        sum += s->weight[k] * (double)(s->end_ns[k] - s->tried_ns[k]);
    return sum;
}

/* Takes the tried ends of those jobs, and finds anew when the cluster is empty. */
static void clairvoyant_take(struct search *s, uint32_t first, uint32_t end)
{
    assert(first < end && end <= s->model->jobs);
    int64_t busy_ns = 0;
    memcpy(s->end_ns + first, s->tried_ns + first, (end - first) * sizeof *s->end_ns);
    for (uint32_t k = first; k < end; k++) {
        s->empty[k] = k == first || s->model->job[k].arrival_ns >= busy_ns;
        s->empty[k] &= k == first || s->model->job[k].arrival_ns > s->model->job[k - 1].arrival_ns;
        busy_ns = s->end_ns[k] > busy_ns ? s->end_ns[k] : busy_ns;
    }
}

/* Jobs that are there while j is, by place, j among them; returns how many, *at receives j's. */
static uint32_t list_beside(struct search *s, uint32_t j, uint32_t *at)
{
    const struct br_trial_job *job = s->model->job;
    uint32_t first = j, count = 0;
    while (!s->empty[first])
        first--;
    for (uint32_t k = first; k == first || !s->empty[k]; k++)
        if (k == j || (job[k].arrival_ns < s->end_ns[j] && job[j].arrival_ns < s->end_ns[k]))
            s->item[count++] = (struct br_sort_item){s->order.place[k], k};
    br_sort(s->item, s->item + s->model->jobs, count);
    for (uint32_t k = 0; k < count; k++) {
        s->row[k] = s->item[k].item;
        if (s->row[k] == j)
            *at = k;
    }
    assert(count && s->row[*at] == j);
    return count;
}

/* Another place in the row, at most NEAR away. */
static uint32_t clairvoyant_draw_place(struct search *s, uint32_t count, uint32_t at)
{
    assert(at < count && count > 1);
    uint32_t low = at > NEAR ? at - NEAR : 0, high = at + NEAR < count ? at + NEAR : count - 1;
    assert(low < high);
    uint32_t to = low + (uint32_t)br_rng_below(&s->rng, high - low);
    return to < at ? to : to + 1;
}

/* Takes the places of the jobs between, each to its neighbour's. */
static void rotate(struct search *s, uint32_t at, uint32_t to)
{
    assert(at != to);
    uint32_t *place = s->order.place;
    int step = to > at ? 1 : -1;
    for (uint32_t k = at;; k += (uint32_t)step) {
        s->kept[k] = place[s->row[k]];
        if (k == to)
            break;
    }
    for (uint32_t k = at; k != to; k += (uint32_t)step)
        place[s->row[k + (uint32_t)step]] = s->kept[k];
    place[s->row[at]] = s->kept[to];
}

static void restore(struct search *s, uint32_t at, uint32_t to)
{
    uint32_t low = at < to ? at : to, high = at < to ? to : at;
    for (uint32_t k = low; k <= high; k++)
        s->order.place[s->row[k]] = s->kept[k];
}

/* Holds the job until one of the next arrivals, or lets it go; returns whether it was an
 * improvement. */
static bool try_hold(struct search *s, uint32_t j)
{
    uint32_t *until = &s->order.until[j], old = *until, later = s->model->jobs - 1 - j, first, end;
    later = later < NEAR ? later : NEAR;
    if (old != j && br_rng_below(&s->rng, 2))
        *until = j;
    else if (later > 0)
        *until = j + 1 + (uint32_t)br_rng_below(&s->rng, later);
    if (*until == old)
        return false;
    assert(*until >= j && *until < s->model->jobs);
    double less = gain(s, j, &first, &end);
    if (less >= 0)
        clairvoyant_take(s, first, end);
    else
        *until = old;
    return less > 0;
}

/* Tries one move; returns whether it was an improvement. Moves that change nothing are kept: they
 * lead to others. */
static bool try_move(struct search *s)
{
    uint32_t j = (uint32_t)br_rng_below(&s->rng, s->model->jobs), at = 0, first, end;
    if (br_rng_below(&s->rng, HOLDS) == 0)
        return try_hold(s, j);
    uint32_t count = list_beside(s, j, &at);
    const struct br_trial_job *job = &s->model->job[j];
    bool single = br_rng_below(&s->rng, 2) && job->stages > 1;
    uint32_t stage = job->first_stage + (uint32_t)br_rng_below(&s->rng, job->stages);
    uint32_t with = s->order.with[stage];
    if (count < 2)
        return false;
    uint32_t to = clairvoyant_draw_place(s, count, at);
    if (single)
        s->order.with[stage] = with == s->row[to] ? j : s->row[to];
    else
        rotate(s, at, to);
    double less = gain(s, j, &first, &end);
    if (less >= 0)
        clairvoyant_take(s, first, end);
    else if (single)
        s->order.with[stage] = with;
    else
        restore(s, at, to);
    return less > 0;
}

static double mean_jct_s(const struct search *s)
{
    double sum = 0;
    for (uint32_t j = 0; j < s->model->jobs; j++)
        sum += (double)(s->end_ns[j] - s->model->job[j].arrival_ns) / 1e9;
    return sum / s->model->jobs;
}

static double weighted_sum(const struct search *s, const int64_t *end_ns)
{
    double sum = 0;
    for (uint32_t j = 0; j < s->model->jobs; j++)
        sum += s->weight[j] * (double)(end_ns[j] - s->model->job[j].arrival_ns);
    return sum;
}

/* Sets one of the orders to begin with, and runs it. first_ns: the ends of the first run. */
static double begin_with(struct search *s, uint32_t which, const int64_t *first_ns)
{
    if (which == 0)
        order_by_ends(s, first_ns);
    else if (which == 1)
        order_by_work(s);
    else
        order_by_ends(s, s->given_ns);
    clairvoyant_run_all(s, &s->order);
    return weighted_sum(s, s->end_ns);
}

static void search_orders(struct search *s, const struct br_clairvoyant_options *options,
                          struct br_clairvoyant *result)
{
    clairvoyant_run_all(s, NULL);
    result->first_mean_jct_s = mean_jct_s(s);
    memcpy(s->tried_ns, s->end_ns, s->model->jobs * sizeof *s->end_ns);
    uint32_t best = 0, ways = options->begin_ns ? 3 : 2;
    double least = INFINITY, value = 0;
    for (uint32_t k = 0; k < ways; k++) {
        value = begin_with(s, k, s->tried_ns);
        best = value < least ? k : best;
        least = value < least ? value : least;
    }
    if (best + 1 < ways)
        begin_with(s, best, s->tried_ns);
    while (result->evaluations < options->evaluations && !br_stopped(options->stop)) {
        result->improvements += try_move(s);
        result->evaluations++;
    }
    clairvoyant_run_all(s, &s->order);
}

/* Tells the best order found, or the schedule at hand if that is better. */
static bool clairvoyant_tell(const struct search *s, const double *weight, bool given,
                             struct br_clairvoyant *result)
{
    uint32_t jobs = s->model->jobs;
    double sum = 0;
    int64_t last_ns = 0;
    struct br_trial_span *span = br_arena_array(&result->arena, s->model->tasks, sizeof *span);
    result->jct_s = br_arena_array(&result->arena, jobs, sizeof *result->jct_s);
    if (!span || !result->jct_s)
        return false;
    memcpy(span, br_trial_spans(s->trial), s->model->tasks * sizeof *span);
    result->span = span;
    if (given && weighted_sum(s, s->given_ns) < weighted_sum(s, s->end_ns)) {
        memcpy(s->end_ns, s->given_ns, jobs * sizeof *s->end_ns);
        result->span = NULL;
    }
    for (uint32_t j = 0; j < jobs; j++) {
        result->jct_s[j] = (double)(s->end_ns[j] - s->model->job[j].arrival_ns) / 1e9;
        result->weighted_jct_s += weight[j] * result->jct_s[j];
        sum += weight[j];
        last_ns = s->end_ns[j] > last_ns ? s->end_ns[j] : last_ns;
    }
    assert(sum > 0);
    result->weighted_jct_s /= sum;
    result->mean_jct_s = mean_jct_s(s);
    result->makespan_s = (double)last_ns / 1e9;
    return true;
}

enum br_status br_clairvoyant_search(const struct br_workload *workload,
                                     const struct br_cluster *cluster,
                                     const int64_t *const *true_ns,
                                     const struct br_clairvoyant_options *options,
                                     struct br_clairvoyant *result, struct br_diag *diag)
{
    struct br_trial_model model;
    struct search s = {.model = &model, .rng = br_rng_seed(options->seed)};
    *result = (struct br_clairvoyant){0};
    enum br_status status = br_trial_model_make(workload, cluster, true_ns, &model, diag);
    double *weight = br_arena_array(&s.arena, workload->jobs, sizeof *weight);
    double *aim = br_arena_array(&s.arena, workload->jobs, sizeof *aim);
    for (uint32_t j = 0; weight && aim && j < workload->jobs; j++) {
        weight[j] = workload->job[j].weight;
        aim[j] = options->weighted ? weight[j] : 1;
    }
    s.weight = aim;
    s.trial = status ? NULL : br_trial_create(&model);
    if (!status && (!weight || !aim || !s.trial || !clairvoyant_allocate(&s)))
        status = br_fail_memory(diag);
    if (!status) {
        for (uint32_t j = 0; options->begin_ns && j < workload->jobs; j++)
            s.given_ns[j] =
                model.job[j].arrival_ns + options->begin_ns[j] - workload->job[j].arrival_ns;
        search_orders(&s, options, result);
        if (!clairvoyant_tell(&s, weight, options->begin_ns != NULL, result))
            status = br_fail_memory(diag);
    }
    br_trial_destroy(s.trial);
    br_trial_model_finish(&model);
    br_arena_finish(&s.arena);
    return status;
}

void br_clairvoyant_finish(struct br_clairvoyant *result)
{
    br_arena_finish(&result->arena);
    *result = (struct br_clairvoyant){0};
}
