/* Philae [Jajoo19, 4]. Thin coflows and pilots have the ports first, in the order of arrival. When
 * its pilots have ended, a coflow goes into a queue by its estimated size (A), what is left of that
 * (B), the number of coflows it meets (C), or its flow length times the coflows at each of its
 * ports (D). By default queues are strict and ordered within, so that the least goes first; by
 * options they share bandwidth with weights that fall by a factor, and within a queue the first
 * goes first, as the paper has it. What is left goes to flows that wait for their pilots. */
#include <assert.h>

#include "cluster/coflow/policies/contention.h"
#include "cluster/coflow/policies/queues.h"
#include "cluster/coflow/policies/sampled.h"
#include "cluster/coflow/policies/rows.h"

/* The number by which coflows are assigned to queues; br_coflow_row.detail. */
enum { PHILAE_SIZE, PHILAE_LEFT, PHILAE_CONTENTION, PHILAE_WEIGHTED };

enum { SAMPLED = BR_QUEUE_NEXT, WEIGHT = SAMPLED + BR_SAMPLED_COUNT, FIRST_IN };

struct philae {
    struct br_fabric *fabric;
    int rule;
    double weight;
    bool fifo;
    struct br_queues queues;
    struct br_sampled sampled;
    uint32_t *others;
    double *length; /* of a flow, as estimated */
    double *metric; /* by coflow */
    struct br_contention contention;
};

static const struct br_coflow_option options[] = {
    BR_QUEUE_OPTIONS,
    BR_SAMPLED_OPTIONS,
    BR_QUEUE_WEIGHT,
    {{"fifo",
      "order within a queue: 1: first come, first served; 0: the least by the measure that assigns "
      "queues"},
     0,
     0,
     1}};
static const struct br_names philae_options = {BR_NAMES(options)};

static void philae_event(void *policy, enum br_coflow_event event, uint32_t coflow)
{
    struct philae *p = policy;
    double bytes = br_sampled_event(&p->sampled, event, coflow);
    if (event == BR_COFLOW_PILOTS) {
        p->length[coflow] = bytes;
        br_fabric_believe(p->fabric, coflow, bytes);
    }
}

/* The sum over live ports of the flow length times the coflows there. */
static double weighted(const struct philae *p, uint32_t coflow)
{
    const struct br_coflow *c = br_fabric_coflow(p->fabric, coflow);
    double sum = 0;
    for (uint32_t s = 0; s < c->senders; s++)
        if (br_fabric_live_up(p->fabric, coflow, s))
            sum += p->contention.up[c->up[s]];
    for (uint32_t r = 0; r < c->receivers; r++)
        if (br_fabric_live_down(p->fabric, coflow, r))
            sum += p->contention.down[c->down[r]];
    return sum * p->length[coflow];
}

static double metric(const struct philae *p, uint32_t place)
{
    assert(place < p->sampled.sized.count);
    uint32_t coflow = p->sampled.sized.coflow[place];
    double size = p->length[coflow] * (double)br_fabric_width(p->fabric, coflow);
    double left = size - br_fabric_sent(p->fabric, coflow);
    switch (p->rule) {
    case PHILAE_SIZE:
        return size;
    case PHILAE_LEFT:
        return left > 0 ? left : 0;
    case PHILAE_CONTENTION: /* one coflow met counts as a MiB */
        return p->others[place] * BR_COFLOW_MB;
    default:
        return weighted(p, coflow);
    }
}

static void sort_into_queues(struct philae *p)
{
    const struct br_coflow_list *sized = &p->sampled.sized;
    for (uint32_t q = 0; q < p->queues.count; q++)
        p->queues.queue[q].count = 0;
    br_contention_ports(&p->contention, p->fabric, sized->coflow, sized->count);
    if (p->rule == PHILAE_CONTENTION &&
        !br_contention_others(&p->contention, p->fabric, sized->coflow, sized->count, p->others))
        memset(p->others, 0, sized->count * sizeof *p->others);
    for (uint32_t k = 0; k < sized->count; k++) {
        uint32_t coflow = sized->coflow[k];
        p->metric[coflow] = metric(p, k);
        uint32_t q = br_queues_of(&p->queues, p->metric[coflow]);
        struct br_coflow_list *queue = &p->queues.queue[q];
        uint32_t at = queue->count;
        while (!p->fifo && at && p->metric[queue->coflow[at - 1]] > p->metric[coflow])
            at--;
        p->queues.at[coflow] = q;
        br_coflow_list_insert(queue, at, coflow);
    }
}

static void philae_serve(struct philae *p, const struct br_coflow_list *list)
{
    for (uint32_t k = 0; k < list->count; k++)
        br_rates_madd(p->fabric, list->coflow[k]);
}

static void philae_decide(void *policy)
{
    struct philae *p = policy;
    const struct br_sampled *s = &p->sampled;
    br_sampled_serve(s);
    sort_into_queues(p);
    for (uint32_t q = 0; q < p->queues.count; q++) {
        if (p->queues.queue[q].count == 0)
            continue;
        if (p->weight > 0)
            br_rates_limit(p->fabric, br_queues_share(&p->queues, p->weight, q));
        philae_serve(p, &p->queues.queue[q]);
    }
    br_rates_limit(p->fabric, 1);
    br_rates_split(p->fabric, s->sized.coflow, s->sized.count);
    br_rates_fill_all(p->fabric, s->thins.coflow, s->thins.count);
    for (uint32_t q = 0; q < p->queues.count; q++)
        br_rates_fill_all(p->fabric, p->queues.queue[q].coflow, p->queues.queue[q].count);
    br_rates_fill_all(p->fabric, s->sampling.coflow, s->sampling.count);
}

static void philae_destroy(void *policy)
{
    struct philae *p = policy;
    if (!p)
        return;
    br_queues_finish(&p->queues);
    br_contention_finish(&p->contention);
    br_sampled_finish(&p->sampled);
    free(p->others);
    free(p->length);
    free(p->metric);
    free(p);
}

static enum br_status philae_create(const struct br_coflow_setup *setup, void **policy,
                                    struct br_diag *diag)
{
    struct philae *p = *policy = calloc(1, sizeof *p);
    if (!p)
        return br_fail_memory(diag);
    uint32_t coflows = br_fabric_coflows(setup->fabric);
    p->fabric = setup->fabric;
    p->rule = setup->row->detail;
    p->weight = setup->option[WEIGHT];
    p->fifo = setup->option[FIRST_IN] > 0;
    p->metric = calloc((size_t)coflows + 1, sizeof *p->metric);
    p->others = calloc((size_t)coflows + 1, sizeof *p->others);
    p->length = calloc((size_t)coflows + 1, sizeof *p->length);
    if (!p->others || !p->length || !p->metric || !br_queues_init(&p->queues, setup) ||
        !br_sampled_init(&p->sampled, p->fabric, setup->option + SAMPLED) ||
        !br_contention_init(&p->contention, p->fabric))
        return br_fail_memory(diag);
    return BR_OK;
}

/* ---- Policies ---- */

#define PHILAE(rule)                                                                               \
    .true_rates = true, .detail = (rule), .options = &philae_options, .create = philae_create,     \
    .event = philae_event, .decide = philae_decide, .destroy = philae_destroy

const struct br_coflow_row br_coflow_policy_philae = {
    .named = {"philae",
              "sizes from pilots, least flow length times contention first (D), without sizes"},
    PHILAE(PHILAE_WEIGHTED)};

const struct br_coflow_row br_coflow_policy_philae_a = {
    .named = {"philae-a", "philae, queues by estimated size"}, PHILAE(PHILAE_SIZE)};

const struct br_coflow_row br_coflow_policy_philae_b = {
    .named = {"philae-b", "philae, queues by the rest of the estimated size"},
    .reports = true,
    PHILAE(PHILAE_LEFT)};

const struct br_coflow_row br_coflow_policy_philae_c = {
    .named = {"philae-c", "philae, queues by the number of coflows that are met"},
    PHILAE(PHILAE_CONTENTION)};
