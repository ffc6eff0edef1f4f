/* A coflow's flows are served together or not at all, at equal rates [Jajoo17]. A coflow sinks
 * through queues by the bytes that its furthest flow has sent, times its flows; within a queue the
 * one that meets the fewest others at its ports goes first. A coflow that enters a queue gets a
 * deadline by the coflows there and the least time to pass the queue. One that is past its deadline
 * goes before all others, so that nobody starves. Flows of coflows that got nothing take what is
 * left, in the same order.
 *
 * Differs: after an end of some flows the paper may put a coflow back into a higher queue by the
 * median of their lengths; here a coflow only sinks. */
#include <assert.h>

#include "cluster/coflow/policies/contention.h"
#include "cluster/coflow/policies/queues.h"
#include "cluster/coflow/policies/rows.h"

enum { DEADLINE = BR_QUEUE_NEXT };

struct saath {
    struct br_fabric *fabric;
    struct br_queues queues;
    double deadline; /* option */
    struct br_coflow_list there, order;
    uint32_t *others;    /* by place in `there` */
    uint32_t *met;       /* by coflow: others that it meets at its ports */
    double *deadline_ms; /* by coflow */
    struct br_contention contention;
};

static const struct br_coflow_option options[] = {
    BR_QUEUE_OPTIONS,
    {{"deadline", "of a queue, in times that all its coflows need to pass it; 0: none"},
     2,
     0,
     1e6}};
static const struct br_names saath_options = {BR_NAMES(options)};

/* ---- Queues ---- */

/* Bytes of one of its flows at which the coflow leaves the queue; infinite for the last one. */
static double flow_end(const struct saath *p, uint32_t coflow, uint32_t queue)
{
    assert(queue < p->queues.count);
    return br_queues_end(&p->queues, queue) / (double)br_fabric_width(p->fabric, coflow);
}

static void enter_queue(struct saath *p, uint32_t queue, uint32_t coflow)
{
    double end = flow_end(p, coflow, queue), bytes = p->queues.first;
    br_queues_add(&p->queues, queue, coflow);
    br_fabric_wake_flow(p->fabric, coflow, end < 0x1p60 ? end : 0);
    if (p->deadline <= 0)
        return;
    for (uint32_t q = 0; q < queue; q++)
        bytes *= p->queues.factor;
    p->deadline_ms[coflow] = br_fabric_now_ms(p->fabric) + p->deadline *
                                                               p->queues.queue[queue].count *
                                                               br_fabric_port_ms(p->fabric, bytes);
    br_fabric_wake_ms(p->fabric, coflow, p->deadline_ms[coflow]);
}

static void saath_sink(struct saath *p)
{
    for (uint32_t k = 0; k < p->there.count; k++) {
        uint32_t coflow = p->there.coflow[k], queue = p->queues.at[coflow];
        /* Half a byte for the rounding of times, if the policy woke at the threshold. */
        double sent = br_fabric_most_sent(p->fabric, coflow) + 0.5;
        while (flow_end(p, coflow, queue) < sent)
            queue++;
        if (queue == p->queues.at[coflow])
            continue;
        br_queues_remove(&p->queues, coflow);
        enter_queue(p, queue, coflow);
    }
}

/* ---- The order ---- */

static bool is_late(const struct saath *p, uint32_t coflow)
{
    return p->deadline > 0 && p->deadline_ms[coflow] <= br_fabric_now_ms(p->fabric);
}

static bool saath_goes_before(const struct saath *p, uint32_t a, uint32_t b)
{
    bool late_a = is_late(p, a), late_b = is_late(p, b);
    if (late_a != late_b)
        return late_a;
    if (late_a && (p->deadline_ms[a] < p->deadline_ms[b] || p->deadline_ms[b] < p->deadline_ms[a]))
        return p->deadline_ms[a] < p->deadline_ms[b];
    if (!late_a && p->queues.at[a] != p->queues.at[b])
        return p->queues.at[a] < p->queues.at[b];
    return p->met[a] != p->met[b] ? p->met[a] < p->met[b] : a < b;
}

static void saath_find_order(struct saath *p)
{
    if (!br_contention_others(&p->contention, p->fabric, p->there.coflow, p->there.count,
                              p->others))
        memset(p->others, 0, p->there.count * sizeof *p->others);
    p->order.count = 0;
    for (uint32_t k = 0; k < p->there.count; k++) {
        uint32_t coflow = p->there.coflow[k], at = k;
        p->met[coflow] = p->others[k];
        while (at && saath_goes_before(p, coflow, p->order.coflow[at - 1]))
            at--;
        br_coflow_list_insert(&p->order, at, coflow);
    }
}

static void saath_decide(void *policy)
{
    struct saath *p = policy;
    saath_sink(p);
    saath_find_order(p);
    for (uint32_t k = 0; k < p->order.count; k++)
        br_rates_madd(p->fabric, p->order.coflow[k]);
    br_rates_fill_all(p->fabric, p->order.coflow, p->order.count);
}

static void saath_event(void *policy, enum br_coflow_event event, uint32_t coflow)
{
    struct saath *p = policy;
    if (event == BR_COFLOW_ARRIVES) {
        br_coflow_list_append(&p->there, coflow);
        enter_queue(p, 0, coflow);
    } else if (event == BR_COFLOW_LEAVES) {
        br_coflow_list_remove(&p->there, coflow);
        br_queues_remove(&p->queues, coflow);
    }
}

/* ---- Its life ---- */

static void saath_destroy(void *policy)
{
    struct saath *p = policy;
    if (!p)
        return;
    br_queues_finish(&p->queues);
    br_contention_finish(&p->contention);
    free(p->there.coflow);
    free(p->order.coflow);
    free(p->others);
    free(p->met);
    free(p->deadline_ms);
    free(p);
}

static enum br_status saath_create(const struct br_coflow_setup *setup, void **policy,
                                   struct br_diag *diag)
{
    struct saath *p = *policy = calloc(1, sizeof *p);
    if (!p)
        return br_fail_memory(diag);
    uint32_t coflows = br_fabric_coflows(setup->fabric);
    size_t room = (size_t)coflows + 1;
    p->fabric = setup->fabric;
    p->deadline = setup->option[DEADLINE];
    p->others = calloc(room, sizeof *p->others);
    p->met = calloc(room, sizeof *p->met);
    p->deadline_ms = calloc(room, sizeof *p->deadline_ms);
    if (!p->others || !p->met || !p->deadline_ms || !br_queues_init(&p->queues, setup) ||
        !br_coflow_list_init(&p->there, coflows) || !br_coflow_list_init(&p->order, coflows) ||
        !br_contention_init(&p->contention, p->fabric))
        return br_fail_memory(diag);
    return BR_OK;
}

/* ---- Policies ---- */

const struct br_coflow_row br_coflow_policy_saath = {
    .named = {"saath",
              "all of a coflow or nothing, least contention first, deadlines, without sizes"},
    .reports = true,
    .options = &saath_options,
    .create = saath_create,
    .event = saath_event,
    .decide = saath_decide,
    .destroy = saath_destroy};
