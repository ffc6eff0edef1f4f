/* Pilots tell what flows may be expected to have; every flow that ends refines it: those to the
 * same receiver by their own mean, the others by the mean of all. Coflows go in the order of
 * bottleneck-select-scale-iterate over what they are expected to have left [Agarwal18], improved by
 * exchanges of neighbours. A coflow takes what MADD gives it, and equal parts of all else that is
 * free at its ports before the next one is served: what MADD saves for others it saves by sizes
 * that may be wrong, and if one port is taken it serves nobody. If sizes are told, nothing is
 * expected, and no flow is a pilot. */
#include <assert.h>

#include "cluster/coflow/policies/sampled.h"
#include "cluster/coflow/policies/sequence.h"
#include "cluster/coflow/policies/rows.h"

enum { SAMPLED, PASSES = SAMPLED + BR_SAMPLED_COUNT };

/* Flows that have ended. */
struct seen {
    double bytes;
    uint32_t flows;
};

struct expected {
    struct br_fabric *fabric;
    bool told;
    uint32_t passes;
    struct br_sampled sampled;   /* told coflows are sized at once */
    struct seen *seen, *storage; /* by coflow; and by its receivers */
    struct seen **row;
    bool *stale; /* by coflow: flows have ended since its expectation */
    struct br_sequence sequence;
};

static const struct br_coflow_option options[] = {
    BR_SAMPLED_OPTIONS, {{"passes", "of exchanges of neighbours in the order"}, 20, 0, 1000}};
static const struct br_names expected_options = {BR_NAMES(options)};

static void expected_expect(struct expected *p, uint32_t coflow)
{
    const struct br_coflow *c = br_fabric_coflow(p->fabric, coflow);
    const struct seen *all = &p->seen[coflow];
    p->stale[coflow] = false;
    for (uint32_t r = 0; all->flows && r < c->receivers; r++) {
        const struct seen *seen = p->row[coflow][r].flows ? &p->row[coflow][r] : all;
        br_fabric_believe_row(p->fabric, coflow, r, seen->bytes / seen->flows);
    }
}

static void expected_flow(void *policy, uint32_t coflow, uint32_t receiver, double bytes)
{
    struct expected *p = policy;
    assert(bytes >= 0 && receiver < br_fabric_coflow(p->fabric, coflow)->receivers);
    p->seen[coflow].bytes += bytes;
    p->seen[coflow].flows++;
    p->row[coflow][receiver].bytes += bytes;
    p->row[coflow][receiver].flows++;
    p->stale[coflow] = true;
}

static void expected_event(void *policy, enum br_coflow_event event, uint32_t coflow)
{
    struct expected *p = policy;
    if (p->told && event == BR_COFLOW_ARRIVES)
        br_coflow_list_append(&p->sampled.sized, coflow);
    else
        br_sampled_event(&p->sampled, event, coflow);
    if (event == BR_COFLOW_PILOTS)
        expected_expect(p, coflow);
}

static void expected_decide(void *policy)
{
    struct expected *p = policy;
    const struct br_sampled *s = &p->sampled;
    uint32_t *sized = s->sized.coflow, count = s->sized.count;
    for (uint32_t k = 0; k < count; k++)
        if (p->stale[sized[k]])
            expected_expect(p, sized[k]);
    br_sampled_serve(s);
    br_sequence_find(&p->sequence, p->fabric, sized, count);
    br_sequence_improve(&p->sequence, p->fabric, sized, count, p->passes);
    for (uint32_t k = 0; k < count; k++) {
        br_rates_madd(p->fabric, sized[k]);
        br_rates_split(p->fabric, &sized[k], 1);
    }
    br_rates_fill_all(p->fabric, s->thins.coflow, s->thins.count);
    br_rates_fill_all(p->fabric, sized, count);
    br_rates_fill_all(p->fabric, s->sampling.coflow, s->sampling.count);
}

static void expected_destroy(void *policy)
{
    struct expected *p = policy;
    if (!p)
        return;
    br_sampled_finish(&p->sampled);
    free(p->seen);
    free(p->storage);
    free(p->row);
    free(p->stale);
    br_sequence_finish(&p->sequence);
    free(p);
}

static bool expected_allocate(struct expected *p, const double *option, uint32_t coflows)
{
    size_t room = (size_t)coflows + 1, rows = 1;
    for (uint32_t c = 0; c < coflows; c++)
        rows += br_fabric_coflow(p->fabric, c)->receivers;
    p->seen = calloc(room, sizeof *p->seen);
    p->storage = calloc(rows, sizeof *p->storage);
    p->row = calloc(room, sizeof(struct seen *));
    p->stale = calloc(room, sizeof *p->stale);
    if (!p->seen || !p->storage || !p->row || !p->stale)
        return false;
    rows = 0;
    for (uint32_t c = 0; c < coflows; c++) {
        p->row[c] = p->storage + rows;
        rows += br_fabric_coflow(p->fabric, c)->receivers;
    }
    return br_sampled_init(&p->sampled, p->fabric, option) &&
           br_sequence_init(&p->sequence, p->fabric);
}

static enum br_status expected_create(const struct br_coflow_setup *setup, void **policy,
                                      struct br_diag *diag)
{
    struct expected *p = *policy = calloc(1, sizeof *p);
    if (!p)
        return br_fail_memory(diag);
    p->fabric = setup->fabric;
    p->told = setup->row->told;
    p->passes = (uint32_t)setup->option[PASSES];
    return expected_allocate(p, setup->option + SAMPLED, br_fabric_coflows(p->fabric))
               ? BR_OK
               : br_fail_memory(diag);
}

/* ---- Policies ---- */

#define EXPECTED                                                                                   \
    .options = &expected_options, .create = expected_create, .event = expected_event,              \
    .flow = expected_flow, .decide = expected_decide, .destroy = expected_destroy

const struct br_coflow_row br_coflow_policy_expected = {
    .named = {"expected",
              "expected sizes from pilots and ends, bottleneck order, improved, without sizes"},
    EXPECTED};

const struct br_coflow_row br_coflow_policy_expected_oracle = {
    .named = {"expected-oracle", "the order of expected, with all sizes known"},
    .told = true,
    EXPECTED};
