/* Coflows sink through priority queues by what they have sent; within a queue the first goes first,
 * and a coflow's flows share its ports equally [Chowdhury15, 5]. By default queues are strict, as
 * in the published simulator: a lower one gets what the higher ones leave. By an option they share
 * bandwidth with weights that fall by a factor, so that no coflow starves. The oracle puts a coflow
 * into its last queue at once. */
#include "cluster/coflow/policies/queues.h"
#include "cluster/coflow/policies/rows.h"

#include <assert.h>

enum { AALO_PLAIN, AALO_ORACLE }; /* br_coflow_row.detail */

struct aalo {
    struct br_fabric *fabric;
    struct br_queues queues;
    double weight; /* of a queue over that of the next; 0: strict */
    bool oracle, exact;
};

static const struct br_coflow_option options[] = {BR_QUEUE_OPTIONS, BR_QUEUE_WEIGHT};
static const struct br_names aalo_options = {BR_NAMES(options)};

static void set_wake(struct aalo *p, uint32_t coflow)
{
    double end = br_queues_end(&p->queues, p->queues.at[coflow]);
    br_fabric_wake_at(p->fabric, coflow, end < 0x1p60 ? end : 0);
}

static void aalo_event(void *policy, enum br_coflow_event event, uint32_t coflow)
{
    struct aalo *p = policy;
    if (event == BR_COFLOW_ARRIVES) {
        double size = p->oracle ? br_fabric_total_left(p->fabric, coflow) : 0;
        br_queues_add(&p->queues, br_queues_of(&p->queues, size), coflow);
        if (!p->oracle)
            set_wake(p, coflow);
    } else if (event == BR_COFLOW_LEAVES) {
        br_queues_remove(&p->queues, coflow);
    }
}

/* Moves coflows that have sent too much for their queue to the end of the next one, which is looked
 * at after it. */
static void aalo_sink(struct aalo *p)
{
    for (uint32_t q = 0; q + 1 < p->queues.count; q++) {
        struct br_coflow_list *queue = &p->queues.queue[q];
        uint32_t kept = 0, count = queue->count;
        for (uint32_t k = 0; k < count; k++) {
            uint32_t coflow = queue->coflow[k];
            assert(p->queues.at[coflow] == q);
            /* Half a byte for the rounding of times, if the policy woke at the threshold. */
            double sent = br_fabric_sent(p->fabric, coflow) + (p->exact ? 0.5 : 0);
            if (br_queues_of(&p->queues, sent) > q) {
                br_queues_add(&p->queues, q + 1, coflow);
                br_fabric_learned(p->fabric, coflow);
                set_wake(p, coflow);
            } else {
                queue->coflow[kept++] = coflow;
            }
        }
        queue->count = kept;
    }
}

static void aalo_decide(void *policy)
{
    struct aalo *p = policy;
    if (!p->oracle)
        aalo_sink(p);
    for (uint32_t q = 0; q < p->queues.count; q++) {
        if (p->weight > 0 && p->queues.queue[q].count)
            br_rates_limit(p->fabric, br_queues_share(&p->queues, p->weight, q));
        for (uint32_t k = 0; k < p->queues.queue[q].count; k++)
            br_rates_split(p->fabric, &p->queues.queue[q].coflow[k], 1);
    }
    if (p->weight > 0)
        br_rates_limit(p->fabric, 1);
    for (uint32_t q = 0; q < p->queues.count; q++) {
        const struct br_coflow_list *queue = &p->queues.queue[q];
        for (uint32_t k = 0; p->exact && k < queue->count; k++)
            br_rates_fill(p->fabric, queue->coflow[k]);
        br_rates_order(p->fabric, queue->coflow, queue->count);
    }
}

static void aalo_destroy(void *policy)
{
    struct aalo *p = policy;
    if (p)
        br_queues_finish(&p->queues);
    free(p);
}

static enum br_status aalo_create(const struct br_coflow_setup *setup, void **policy,
                                  struct br_diag *diag)
{
    struct aalo *p = *policy = calloc(1, sizeof *p);
    if (!p)
        return br_fail_memory(diag);
    p->fabric = setup->fabric;
    p->oracle = setup->row->detail == AALO_ORACLE;
    p->exact = setup->exact;
    p->weight = setup->option[BR_QUEUE_NEXT];
    return br_queues_init(&p->queues, setup) ? BR_OK : br_fail_memory(diag);
}

/* ---- Policies ---- */

#define AALO(kind)                                                                                 \
    .detail = (kind), .options = &aalo_options, .create = aalo_create, .event = aalo_event,        \
    .decide = aalo_decide, .destroy = aalo_destroy

const struct br_coflow_row br_coflow_policy_aalo = {
    .named = {"aalo", "queues by bytes sent, first in, first out, without sizes"},
    .reports = true,
    AALO(AALO_PLAIN)};

const struct br_coflow_row br_coflow_policy_aalo_oracle = {
    .named = {"aalo-oracle", "aalo, each coflow in its last queue from the start"},
    .told = true,
    AALO(AALO_ORACLE)};
