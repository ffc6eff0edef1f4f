/* The inequality of prices.
 *
 * Let every stage v pay p_v(t) for each task that runs at time t, whatever the prices are. In a
 * plan within the makespan M
 *   - a task that starts at x in its window pays the sum of p_v over x .. x + duration, so that it
 *     pays at least the least of these sums over all x: what the tasks pay together is at least the
 *     sum of those;
 *   - what runs at time t is one set on each machine that fits it and in which no stage is ahead of
 *     another; so together they pay at most the heaviest set of every machine.
 * If the first is more than the integral of the second, there is no such plan. Chains: of stages of
 * which each is wholly ahead of the next only one runs at a time, with at most `slots` tasks; so if
 * each pays a share less for a while, all of them together pay at most the largest share x slots
 * less. That share counts on the other side.
 *
 * It is the dual of the linear program of [Brucker00] with the tasks in one piece. */
#include "planner/check/proofs/proof.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/collections/memory.h"
#include "base/collections/sort.h"
#include "base/numbers/wide.h"
#include "planner/check/proofs/heavy.h"

/* Nodes of the searches for heavy sets: of one, and of all. Sets that they leave open count as
 * heavier. */
#define NODES_EACH INT64_C(4000000)
#define NODES_ALL INT64_C(100000000)
/* A price times the tasks of all stages must stay below this. */
#define PAID_MAX (INT64_C(1) << 53)

struct prices {
    struct br_proof_check *c;
    uint32_t *stage; /* of the part */
    struct br_heavy *heavy;
    uint32_t points;
    int64_t *point;     /* where some price, window or chain begins or ends */
    uint32_t *step;     /* by price: its step at the present time */
    int64_t *weight;    /* by price, less the shares */
    int64_t *last;      /* weights of the interval before */
    uint32_t *index_of; /* by stage of the part: its price; UINT32_MAX: none */
    int64_t nodes;
};

static int prices_upwards(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static enum br_status check_prices_form(struct prices *p)
{
    struct br_proof_check *c = p->c;
    const struct br_proof *proof = c->proof;
    uint64_t tasks = 0;
    int64_t dearest = 0;
    for (uint32_t s = 0; s < c->in->stages; s++)
        p->index_of[s] = UINT32_MAX;
    for (uint32_t v = 0; v < proof->prices; v++) {
        const struct br_proof_price *price = &proof->price[v];
        uint32_t s = br_proof_stage(c, price->stage);
        if (s == UINT32_MAX || p->index_of[s] != UINT32_MAX)
            return br_proof_fails(c, "a stage has two prices, or is not in the part");
        p->stage[v] = s;
        p->index_of[s] = v;
        tasks += c->in->stage_first[s + 1] - c->in->stage_first[s];
        if (price->steps == 0 || price->step[0].from != 0)
            return br_proof_fails(c, "a price does not begin at 0");
        for (uint32_t k = 0; k < price->steps; k++) {
            int64_t value = price->step[k].price;
            if (value < -BR_PRICE_MAX || value > BR_PRICE_MAX ||
                (k > 0 && price->step[k].from <= price->step[k - 1].from))
                return br_proof_fails(c, "a price is too large, or its steps are out of order");
            dearest = value > dearest ? value : dearest;
        }
    }
    if (dearest > 0 && (int64_t)tasks > PAID_MAX / dearest)
        return br_proof_fails(c, "the prices are too large for so many tasks");
    return BR_OK;
}

static enum br_status check_chains(struct prices *p)
{
    struct br_proof_check *c = p->c;
    for (uint32_t k = 0; k < c->proof->chains; k++) {
        const struct br_proof_chain *chain = &c->proof->chain[k];
        if (chain->from < 0 || chain->to <= chain->from || chain->to > c->makespan)
            return br_proof_fails(c, "a chain is not within the makespan");
        for (uint32_t i = 0; i < chain->stages; i++) {
            uint32_t s = br_proof_stage(c, chain->stage[i]);
            if (s == UINT32_MAX || p->index_of[s] == UINT32_MAX || chain->share[i] < 0 ||
                chain->share[i] > BR_PRICE_MAX)
                return br_proof_fails(c, "a chain has a stage without a price, or a wrong share");
            if (i == 0)
                continue;
            uint32_t u = br_proof_stage(c, chain->stage[i - 1]);
            if (!br_is_ahead(&c->ahead, u, s))
                return br_proof_fails(c, "'%s' is not wholly ahead of '%s'",
                                      br_proof_stage_name(c, u), br_proof_stage_name(c, s));
        }
    }
    return BR_OK;
}

static bool prices_allocate(struct prices *p)
{
    struct br_proof_check *c = p->c;
    const struct br_proof *proof = c->proof;
    size_t n = proof->prices, points = 2 * (size_t)c->in->stages + 2 * (size_t)proof->chains + 2;
    struct br_arena *arena = &c->arena;
    for (size_t v = 0; v < n; v++)
        points += proof->price[v].steps;
    p->stage = br_arena_array(arena, n, sizeof *p->stage);
    p->point = br_arena_array(arena, points, sizeof *p->point);
    p->step = br_arena_array(arena, n, sizeof *p->step);
    p->weight = br_arena_array(arena, n, sizeof *p->weight);
    p->last = br_arena_array(arena, n, sizeof *p->last);
    p->index_of = br_arena_array(arena, c->in->stages, sizeof *p->index_of);
    return p->stage && p->point && p->step && p->weight && p->last && p->index_of;
}

static void prices_add_point(struct prices *p, int64_t time)
{
    if (time > 0 && time < p->c->makespan)
        p->point[p->points++] = time;
}

static void prices_list_points(struct prices *p)
{
    const struct br_proof_check *c = p->c;
    const struct br_proof *proof = c->proof;
    uint32_t distinct = 0;
    p->point[p->points++] = 0;
    p->point[p->points++] = c->makespan;
    for (uint32_t v = 0; v < proof->prices; v++) {
        prices_add_point(p, c->stage_head[p->stage[v]]);
        prices_add_point(p, c->makespan - c->stage_tail[p->stage[v]]);
        for (uint32_t k = 0; k < proof->price[v].steps; k++)
            prices_add_point(p, proof->price[v].step[k].from);
    }
    for (uint32_t k = 0; k < proof->chains; k++) {
        prices_add_point(p, proof->chain[k].from);
        prices_add_point(p, proof->chain[k].to);
    }
    br_sort_by(p->point, p->points, sizeof *p->point, prices_upwards);
    for (uint32_t k = 0; k < p->points; k++)
        if (distinct == 0 || p->point[k] != p->point[distinct - 1])
            p->point[distinct++] = p->point[k];
    p->points = distinct;
}

/* The sum that a task pays that runs from `from` to `to`. */
static br_wide paid(const struct br_proof_price *price, int64_t from, int64_t to)
{
    br_wide sum = 0;
    for (uint32_t k = 0; k < price->steps; k++) {
        int64_t begin = price->step[k].from;
        int64_t end = k + 1 < price->steps ? price->step[k + 1].from : INT64_MAX;
        begin = begin > from ? begin : from;
        end = end < to ? end : to;
        if (end > begin)
            sum += (br_wide)(end - begin) * price->step[k].price;
    }
    return sum;
}

/* The least that a task of that duration pays in the window. What it pays is linear in its start
 * between the starts at which it begins or ends with a step, so that one of those is cheapest. */
static br_wide least_paid(const struct br_proof_price *price, int64_t duration, int64_t head,
                          int64_t deadline)
{
    int64_t latest = deadline - duration;
    assert(head <= latest); /* else the window itself refutes the makespan */
    br_wide least = paid(price, head, head + duration);
    br_wide late = paid(price, latest, deadline);
    least = late < least ? late : least;
    for (uint32_t k = 0; k < price->steps; k++)
        for (int side = 0; side < 2; side++) {
            int64_t start = price->step[k].from - (side ? duration : 0);
            if (start <= head || start >= latest)
                continue;
            br_wide sum = paid(price, start, start + duration);
            least = sum < least ? sum : least;
        }
    return least;
}

static int64_t *sorted_durations(const struct br_instance *in, uint32_t s, int64_t *out)
{
    uint32_t n = in->stage_first[s + 1] - in->stage_first[s];
    memcpy(out, in->duration + in->stage_first[s], n * sizeof *out);
    if (!in->stage_equal[s])
        br_sort_by(out, n, sizeof *out, prices_upwards);
    return out;
}

/* The least that all tasks pay together. False when memory is out. */
static bool tasks_pay(const struct prices *p, br_wide *sum)
{
    const struct br_proof_check *c = p->c;
    int64_t *duration = br_malloc((size_t)c->in->tasks * sizeof *duration);
    *sum = 0;
    for (uint32_t v = 0; duration && v < c->proof->prices; v++) {
        uint32_t s = p->stage[v], n = c->in->stage_first[s + 1] - c->in->stage_first[s];
        sorted_durations(c->in, s, duration);
        for (uint32_t i = 0, k; i < n; i = k) {
            for (k = i; k < n && duration[k] == duration[i]; k++)
                ;
            *sum += (k - i) * least_paid(&c->proof->price[v], duration[i], c->stage_head[s],
                                         c->makespan - c->stage_tail[s]);
        }
    }
    br_free(duration);
    return duration != NULL;
}

/* Sets the weights of an interval that begins at `time`: the prices of stages less their shares of
 * chains, 0 outside their windows. Returns what the chains give back. */
static br_wide prices_weigh(struct prices *p, int64_t time)
{
    const struct br_proof_check *c = p->c;
    const struct br_proof *proof = c->proof;
    br_wide back = 0;
    for (uint32_t v = 0; v < proof->prices; v++) {
        const struct br_proof_price *price = &proof->price[v];
        while (p->step[v] + 1 < price->steps && price->step[p->step[v] + 1].from <= time)
            p->step[v]++;
        p->weight[v] = price->step[p->step[v]].price;
    }
    for (uint32_t k = 0; k < proof->chains; k++) {
        const struct br_proof_chain *chain = &proof->chain[k];
        br_wide most = 0;
        if (time < chain->from || time >= chain->to)
            continue;
        for (uint32_t i = 0; i < chain->stages; i++) {
            uint32_t s = br_proof_stage(c, chain->stage[i]);
            br_wide share = (br_wide)chain->share[i] * (br_wide)c->slots[s];
            p->weight[p->index_of[s]] -= chain->share[i];
            most = share > most ? share : most;
        }
        back += most;
    }
    for (uint32_t v = 0; v < proof->prices; v++) {
        uint32_t s = p->stage[v];
        if (time < c->stage_head[s] || time >= c->makespan - c->stage_tail[s] || p->weight[v] < 0)
            p->weight[v] = 0;
    }
    return back;
}

/* The most that all tasks that run pay, over all time. False if that is too large to represent. */
static bool cluster_pays(struct prices *p, br_wide *sum)
{
    const struct br_proof_check *c = p->c;
    const struct br_instance *in = c->in;
    uint32_t n = c->proof->prices;
    br_wide rate = 0;
    *sum = 0;
    for (uint32_t k = 0; k + 1 < p->points; k++) {
        br_wide back = prices_weigh(p, p->point[k]);
        if (k == 0 || memcmp(p->weight, p->last, n * sizeof *p->weight) != 0) {
            rate = 0;
            for (uint32_t m = 0; m < in->classes; m++) {
                int64_t left = p->nodes < NODES_EACH ? p->nodes : NODES_EACH, had = left;
                int64_t most = br_heaviest(p->heavy, m, p->weight, &left);
                assert(most >= 0 && 0 <= left && left <= had);
                p->nodes -= had - left;
                rate += (br_wide)(in->class_first[m + 1] - in->class_first[m]) * most;
            }
            memcpy(p->last, p->weight, n * sizeof *p->weight);
        }
        br_wide product;
        if (__builtin_mul_overflow(rate + back, (br_wide)(p->point[k + 1] - p->point[k]),
                                   &product) ||
            __builtin_add_overflow(*sum, product, sum))
            return false;
    }
    return true;
}

enum br_status br_proof_prices(struct br_proof_check *c)
{
    const struct br_proof *proof = c->proof;
    if (proof->prices == 0 || proof->prices > BR_HEAVY_STAGES || !c->ahead.behind)
        return br_proof_fails(c, "there are no prices, or too many");
    struct prices p = {.c = c, .nodes = NODES_ALL};
    if (!prices_allocate(&p))
        return br_fail_memory(c->diag);
    enum br_status status = check_prices_form(&p);
    if (!status)
        status = check_chains(&p);
    if (status)
        return status;
    prices_list_points(&p);
    p.heavy = br_heavy_create(c->in, &c->ahead, p.stage, proof->prices);
    br_wide asked, held = 0;
    if (!p.heavy || !tasks_pay(&p, &asked))
        status = br_fail_memory(c->diag);
    else if (!cluster_pays(&p, &held))
        status = br_proof_fails(c, "the prices are too large");
    else if (asked <= held)
        status = br_proof_fails(c, "the tasks pay %.6g, which the cluster can hold (%.6g)",
                                (double)asked, (double)held);
    br_heavy_destroy(p.heavy);
    return status;
}
