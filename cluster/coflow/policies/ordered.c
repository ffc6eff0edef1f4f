/* Policies that serve coflows in an order, each by MADD [Chowdhury14]: by a key that is fixed when
 * a coflow arrives, or by one that is computed anew at every decision. What is left of ports goes
 * to those that MADD could not serve, in equal parts, and then to all in the order of deadlines. */
#include <assert.h>

#include "cluster/coflow/fabric/list.h"
#include "cluster/coflow/policies/sequence.h"
#include "cluster/coflow/policies/rows.h"

/* br_coflow_row.detail. From ORDER_ANEW on the order is found at every decision. */
enum {
    ORDER_FIFO,
    ORDER_BOTTLENECK, /* smallest effective bottleneck first */
    ORDER_LENGTH,
    ORDER_WIDTH,
    ORDER_SIZE,
    ORDER_ANEW,
    ORDER_BOTTLENECK_LEFT = ORDER_ANEW,
    ORDER_BSSI,
};

struct ordered {
    const struct br_coflow_row *row;
    struct br_fabric *fabric;
    struct br_coflow_list list;     /* by key */
    struct br_coflow_list backfill; /* by deadline */
    struct br_coflow_list skipped;
    double *key, *deadline_ms; /* by coflow */
    struct br_sequence sequence;
    uint64_t draw; /* of deadlines */
};

/* ---- Keys ---- */

static double least_ends(struct br_fabric *fabric, uint32_t coflow)
{
    const struct br_coflow *c = br_fabric_coflow(fabric, coflow);
    return c->senders < c->receivers ? c->senders : c->receivers;
}

/* The longest flow, were each receiver's bytes spread evenly over the senders. */
static double length(struct br_fabric *fabric, uint32_t coflow)
{
    const struct br_coflow *c = br_fabric_coflow(fabric, coflow);
    double most = 0;
    for (uint32_t r = 0; r < c->receivers; r++) {
        double sum = 0;
        for (uint32_t s = 0; s < c->senders; s++)
            sum += br_fabric_left(fabric, coflow, s, r);
        most = sum > most ? sum : most;
    }
    return most / c->senders;
}

static double ordered_key_of(struct ordered *p, uint32_t coflow)
{
    switch (p->row->detail) {
    case ORDER_FIFO:
        return 0;
    case ORDER_LENGTH:
        return length(p->fabric, coflow);
    case ORDER_WIDTH:
        return least_ends(p->fabric, coflow);
    case ORDER_SIZE:
        return br_fabric_total_left(p->fabric, coflow);
    default:
        return br_fabric_bottleneck(p->fabric, coflow);
    }
}

/* ---- Deadlines, of which the published simulator draws one for each coflow ---- */

/* The generator of Java's library: [Knuth97, 3.2.1] with 48 bits. */
static double ordered_draw(struct ordered *p)
{
    uint64_t part[2];
    for (int k = 0; k < 2; k++) {
        p->draw = (p->draw * UINT64_C(0x5DEECE66D) + 0xB) & ((UINT64_C(1) << 48) - 1);
        part[k] = p->draw >> (48 - (k ? 27 : 26));
    }
    return (double)((part[0] << 27) + part[1]) * 0x1p-53;
}

static void add_deadline(struct ordered *p, uint32_t coflow)
{
    double alone_s = br_fabric_bottleneck(p->fabric, coflow) / (128 * BR_COFLOW_MB);
    p->deadline_ms[coflow] = br_fabric_now_ms(p->fabric) + alone_s * (1 + ordered_draw(p)) * 1000;
    uint32_t at = p->backfill.count;
    while (at && p->deadline_ms[p->backfill.coflow[at - 1]] > p->deadline_ms[coflow])
        at--;
    br_coflow_list_insert(&p->backfill, at, coflow);
}

/* ---- The order ---- */

static void ordered_insert(struct ordered *p, uint32_t coflow)
{
    uint32_t at = 0;
    p->key[coflow] = ordered_key_of(p, coflow);
    if (p->row->detail == ORDER_SIZE) /* against what the others have left */
        for (uint32_t k = 0; k < p->list.count; k++)
            p->key[p->list.coflow[k]] = ordered_key_of(p, p->list.coflow[k]);
    while (at < p->list.count && p->key[p->list.coflow[at]] <= p->key[coflow])
        at++;
    br_coflow_list_insert(&p->list, at, coflow);
}

static void ordered_sort(struct ordered *p)
{
    if (p->row->detail == ORDER_BSSI) {
        br_sequence_find(&p->sequence, p->fabric, p->list.coflow, p->list.count);
        return;
    }
    for (uint32_t k = 0; k < p->list.count; k++)
        p->key[p->list.coflow[k]] = ordered_key_of(p, p->list.coflow[k]);
    for (uint32_t k = 1; k < p->list.count; k++) {
        uint32_t coflow = p->list.coflow[k], at = k;
        for (; at && p->key[p->list.coflow[at - 1]] > p->key[coflow]; at--)
            p->list.coflow[at] = p->list.coflow[at - 1];
        p->list.coflow[at] = coflow;
    }
}

static void ordered_event(void *policy, enum br_coflow_event event, uint32_t coflow)
{
    struct ordered *p = policy;
    if (event == BR_COFLOW_ARRIVES) {
        ordered_insert(p, coflow);
        add_deadline(p, coflow);
    } else if (event == BR_COFLOW_LEAVES) {
        br_coflow_list_remove(&p->list, coflow);
        br_coflow_list_remove(&p->backfill, coflow);
    }
}

static void ordered_decide(void *policy)
{
    struct ordered *p = policy;
    if (p->row->detail >= ORDER_ANEW)
        ordered_sort(p);
    assert(p->list.count == p->backfill.count);
    p->skipped.count = 0;
    for (uint32_t k = 0; k < p->list.count; k++)
        if (!br_rates_madd(p->fabric, p->list.coflow[k]))
            br_coflow_list_append(&p->skipped, p->list.coflow[k]);
    br_rates_split(p->fabric, p->skipped.coflow, p->skipped.count);
    const struct br_coflow_list *rest = p->row->detail >= ORDER_ANEW ? &p->list : &p->backfill;
    for (uint32_t k = 0; k < rest->count && br_rates_any_free(p->fabric); k++)
        br_rates_fill(p->fabric, rest->coflow[k]);
    br_rates_order(p->fabric, p->list.coflow, p->list.count);
}

/* ---- Its life ---- */

static void ordered_destroy(void *policy)
{
    struct ordered *p = policy;
    if (!p)
        return;
    free(p->list.coflow);
    free(p->backfill.coflow);
    free(p->skipped.coflow);
    free(p->key);
    free(p->deadline_ms);
    br_sequence_finish(&p->sequence);
    free(p);
}

static enum br_status ordered_create(const struct br_coflow_setup *setup, void **policy,
                                     struct br_diag *diag)
{
    struct ordered *p = *policy = calloc(1, sizeof *p);
    if (!p)
        return br_fail_memory(diag);
    uint32_t coflows = br_fabric_coflows(setup->fabric);
    p->row = setup->row;
    p->fabric = setup->fabric;
    p->draw = 17 ^ UINT64_C(0x5DEECE66D);
    p->key = malloc(((size_t)coflows + 1) * sizeof *p->key);
    p->deadline_ms = malloc(((size_t)coflows + 1) * sizeof *p->deadline_ms);
    if (!p->key || !p->deadline_ms || !br_coflow_list_init(&p->list, coflows) ||
        !br_coflow_list_init(&p->backfill, coflows) || !br_coflow_list_init(&p->skipped, coflows) ||
        !br_sequence_init(&p->sequence, setup->fabric))
        return br_fail_memory(diag);
    return BR_OK;
}

/* ---- Policies ---- */

#define ORDERED(order)                                                                             \
    .told = true, .detail = (order), .create = ordered_create, .event = ordered_event,             \
    .decide = ordered_decide, .destroy = ordered_destroy

const struct br_coflow_row br_coflow_policy_varys = {
    .named = {"varys", "smallest effective bottleneck first, MADD"}, ORDERED(ORDER_BOTTLENECK)};

const struct br_coflow_row br_coflow_policy_scf = {
    .named = {"scf", "shortest coflow first: the least longest flow"}, ORDERED(ORDER_LENGTH)};

const struct br_coflow_row br_coflow_policy_ncf = {
    .named = {"ncf", "narrowest coflow first: the fewest senders or receivers"},
    ORDERED(ORDER_WIDTH)};

const struct br_coflow_row br_coflow_policy_lcf = {
    .named = {"lcf", "lightest coflow first: the fewest bytes"}, ORDERED(ORDER_SIZE)};

const struct br_coflow_row br_coflow_policy_fifo = {.named = {"fifo", "first in, first out, MADD"},
                                                    ORDERED(ORDER_FIFO)};

const struct br_coflow_row br_coflow_policy_remaining_bottleneck_first = {
    .named = {"remaining-bottleneck-first",
              "the least bytes left at the busiest port, found anew, MADD"},
    ORDERED(ORDER_BOTTLENECK_LEFT)};

const struct br_coflow_row br_coflow_policy_sincronia = {
    .named = {"sincronia", "bottleneck, select, scale, iterate over what is left, MADD"},
    ORDERED(ORDER_BSSI)};
