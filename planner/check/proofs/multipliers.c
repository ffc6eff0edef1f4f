/* In every plan of makespan C, the prices of all work and of all that is consumed, and the waiting
 * of flows for tasks on their way, cost no more than what there is: D x C + B. Each task costs at
 * least what its cheapest way does. So C is at least (the sum of that - B) / D. All in whole
 * numbers; the code shares nothing with that which found them. */
#include "planner/check/proofs/multipliers.h"

#include "base/collections/csr.h"
#include "base/collections/memory.h"
#include "base/numbers/wide.h"
#include "planner/eligibility/features.h"
#include "planner/eligibility/ways.h"

static const int64_t most_price = INT64_C(1) << 53;

struct costing {
    const struct br_dag *dag;
    const struct br_cluster *cluster;
    const struct br_proof *proof;
    /* By resource: the charge of what is held, and of what is consumed; NULL: nothing is charged.
     */
    const struct br_proof_charge **charge[2];
    br_wide *in, *out; /* by task: flows */
    br_wide pace, sum;
    int64_t tick_ns; /* common divisor of all times */
    bool overflow;
};

static void add_cost(struct costing *c, br_wide *sum, br_wide a, br_wide b)
{
    br_wide product;
    c->overflow |=
        __builtin_mul_overflow(a, b, &product) || __builtin_add_overflow(*sum, product, sum);
}

static void multipliers_divide(struct costing *c, int64_t time)
{
    int64_t a = c->tick_ns, b = time;
    while (b) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    c->tick_ns = a;
}

/* ---- Flows ---- */

static bool take_flow(struct costing *c, const struct br_proof_flow *f, const uint32_t *first,
                      const uint32_t *edge)
{
    const struct br_dag *dag = c->dag;
    if (f->amount < 0 || f->amount > most_price || f->from >= dag->stages || f->to >= dag->stages ||
        f->from_task >= dag->stage[f->from].tasks || f->to_task >= dag->stage[f->to].tasks)
        return false;
    for (uint32_t k = first[f->from]; k < first[f->from + 1]; k++) {
        const struct br_edge *e = &dag->edge[edge[k]];
        if (e->child != f->to || (br_dag_is_paired(dag, e) && f->from_task != f->to_task))
            continue;
        c->out[dag->stage[f->from].first_task + f->from_task] += f->amount;
        c->in[dag->stage[f->to].first_task + f->to_task] += f->amount;
        return true;
    }
    return false;
}

static enum br_status take_flows(struct costing *c, struct br_diag *diag)
{
    const struct br_dag *dag = c->dag;
    uint32_t *first = br_calloc(br_csr_room(dag->stages), sizeof *first);
    uint32_t *edge = br_malloc(((size_t)dag->edges + 1) * sizeof *edge);
    enum br_status status = first && edge ? BR_OK : br_fail_memory(diag);
    if (!status)
        br_dag_list_edges(dag, BR_EDGE_PARENT, first, edge);
    for (uint32_t k = 0; k < c->proof->flows && !status; k++)
        if (!take_flow(c, &c->proof->flow[k], first, edge))
            status = br_fail(diag, BR_NO, NULL, "a flow is along no edge, or none");
    br_free(first);
    br_free(edge);
    for (uint32_t t = 0; t < dag->tasks && !status; t++) {
        /* What flows into a task and not out of it waits for its end, as the makespan does. */
        const br_wide on = c->in[t] > c->out[t] ? c->in[t] - c->out[t] : 0;
        c->out[t] += on;
        c->pace += on;
    }
    return status;
}

/* ---- Charges ---- */

/* The amount in the units of the charge, whole. */
static bool charged(const struct br_proof_charge *charge, struct br_decimal amount, int64_t *units)
{
    return br_decimal_scale(amount, charge->digits, units);
}

/* What there is of the resource: for every tick, or once of what is consumed. */
static bool charge_whole(struct costing *c, const struct br_proof_charge *charge)
{
    const char *name = c->dag->resource[charge->resource].name;
    const struct br_capacity *shared = br_cluster_shared(c->cluster, name);
    int64_t units = 0;
    if (shared && !charged(charge, shared->amount, &units))
        return false;
    if (shared && charge->consumed)
        add_cost(c, &c->sum, -(br_wide)charge->price, units);
    else if (shared)
        add_cost(c, &c->pace, charge->price, units);
    if (shared || charge->consumed)
        return shared != NULL;
    for (uint32_t k = 0; k < c->cluster->classes; k++) {
        if (!charged(charge, br_cluster_capacity(c->cluster, k, name), &units))
            return false;
        add_cost(c, &c->pace, (br_wide)charge->price * c->cluster->cls[k].count, units);
    }
    return true;
}

static enum br_status take_charges(struct costing *c, struct br_diag *diag)
{
    for (uint32_t k = 0; k < c->proof->charges; k++) {
        const struct br_proof_charge *charge = &c->proof->charge[k];
        if (charge->resource >= c->dag->resources || charge->price < 0 ||
            charge->price > most_price || c->charge[charge->consumed][charge->resource])
            return br_fail(diag, BR_NO, NULL, "a resource is charged twice, or not by a price");
        c->charge[charge->consumed][charge->resource] = charge;
        if (!charge_whole(c, charge))
            return br_fail(diag, BR_NO, NULL, "amounts of '%s' are not whole in units of its price",
                           c->dag->resource[charge->resource].name);
    }
    return BR_OK;
}

/* ---- Ways ---- */

/* Adds the price of the amount by the charge, if there is one, for so many ticks. */
static bool charge_amount(struct costing *c, br_wide *cost, const struct br_proof_charge *charge,
                          struct br_decimal amount, int64_t ticks)
{
    int64_t units;
    br_wide price;
    if (!charge)
        return true;
    if (!charged(charge, amount, &units))
        return false;
    c->overflow |= __builtin_mul_overflow((br_wide)charge->price, (br_wide)units, &price);
    add_cost(c, cost, price, ticks);
    return true;
}

/* Is there room for such a task on machines of the class? */
static bool multipliers_runs(const struct costing *c, uint32_t stage, uint32_t alternative,
                             uint32_t cls)
{
    const struct br_dag *dag = c->dag;
    if (alternative != UINT32_MAX)
        return br_alternative_fits(dag, alternative, c->cluster, cls);
    for (uint32_t k = 0; k < dag->stage[stage].demands; k++) {
        const struct br_demand *demand = &dag->demand[dag->stage[stage].first_demand + k];
        const char *name = dag->resource[demand->resource].name;
        const struct br_capacity *shared = br_cluster_shared(c->cluster, name);
        if (br_decimal_compare(demand->amount,
                               shared ? shared->amount
                                      : br_cluster_capacity(c->cluster, cls, name)) > 0)
            return false;
    }
    return true;
}

static bool cost_of_way(struct costing *c, uint32_t stage, uint32_t alternative, uint32_t task,
                        int64_t ticks, br_wide *cost)
{
    const struct br_dag *dag = c->dag;
    bool ok = true;
    *cost = 0;
    add_cost(c, cost, c->out[task], ticks);
    if (alternative == UINT32_MAX) {
        const struct br_demand *demand = dag->demand + dag->stage[stage].first_demand;
        for (uint32_t k = 0; k < dag->stage[stage].demands; k++)
            ok = ok && charge_amount(c, cost, c->charge[false][demand[k].resource],
                                     demand[k].amount, ticks);
        return ok;
    }
    const struct br_alternatives *all = dag->alternatives;
    const struct br_alternative *a = &all->alternative[alternative];
    for (uint32_t k = 0; k < a->demands; k++) {
        const struct br_way_amount *d = &all->demand[a->first_demand + k];
        ok = ok && charge_amount(c, cost, c->charge[false][d->resource], d->amount, ticks);
    }
    for (uint32_t k = 0; k < a->consumed; k++) {
        const struct br_way_amount *d = &all->consumed[a->first_consumed + k];
        ok = ok && charge_amount(c, cost, c->charge[true][d->resource], d->amount, 1);
    }
    return ok;
}

/* Calls `each` for every way of the task: an alternative and a class with room for it. False if
 * `each` is, or if there is none. */
static bool each_way(struct costing *c, uint32_t stage, uint32_t task, br_wide *least,
                     bool each(struct costing *c, uint32_t stage, uint32_t alternative,
                               uint32_t task, int64_t ns, br_wide *least))
{
    const struct br_alternatives *all = c->dag->alternatives;
    const uint32_t first = all ? all->stage_first[stage] : UINT32_MAX;
    const uint32_t ways = all ? all->stage_first[stage + 1] - first : 1;
    bool any = false;
    for (uint32_t k = 0; k < ways; k++)
        for (uint32_t cls = 0; cls < c->cluster->classes; cls++) {
            const uint32_t a = all ? first + k : UINT32_MAX;
            if (!multipliers_runs(c, stage, a, cls))
                continue;
            const int64_t plain =
                all ? br_alternative_duration(c->dag, a, task) : c->dag->duration_ns[task];
            if (!each(c, stage, a, task, br_class_duration(&c->cluster->cls[cls], plain), least))
                return false;
            any = true;
        }
    return any;
}

static bool divide_way(struct costing *c, uint32_t stage, uint32_t alternative, uint32_t task,
                       int64_t ns, br_wide *least)
{
    (void)stage, (void)alternative, (void)task, (void)least;
    multipliers_divide(c, ns);
    return true;
}

static bool lessen_way(struct costing *c, uint32_t stage, uint32_t alternative, uint32_t task,
                       int64_t ns, br_wide *least)
{
    br_wide cost;
    if (!cost_of_way(c, stage, alternative, task, ns / c->tick_ns, &cost))
        return false;
    if (*least < 0 || cost < *least)
        *least = cost;
    return true;
}

/* ---- The bound ---- */

static enum br_status find_common_tick(struct costing *c, int64_t stated_ns, struct br_diag *diag)
{
    const struct br_dag *dag = c->dag;
    for (uint32_t s = 0; s < dag->stages; s++)
        for (uint32_t i = 0; i < dag->stage[s].tasks; i++) {
            multipliers_divide(c, br_dag_release(dag, dag->stage[s].first_task + i));
            if (!each_way(c, s, dag->stage[s].first_task + i, NULL, divide_way))
                return br_fail(diag, BR_NO, NULL, "no machine has room for a task of stage '%s'",
                               dag->stage[s].id);
        }
    for (uint32_t e = 0; e < dag->edges; e++)
        multipliers_divide(c, br_dag_wait(dag, e).lag_ns);
    if (!c->tick_ns)
        c->tick_ns = 1;
    return c->tick_ns == stated_ns
               ? BR_OK
               : br_fail(diag, BR_NO, NULL, "the tick is not the common divisor of all times");
}

static enum br_status multipliers_prove(struct costing *c, struct br_diag *diag)
{
    const struct br_dag *dag = c->dag;
    enum br_status status = take_flows(c, diag);
    if (!status)
        status = take_charges(c, diag);
    for (uint32_t s = 0; s < dag->stages && !status; s++)
        for (uint32_t i = 0; i < dag->stage[s].tasks && !status; i++) {
            br_wide least = -1;
            if (!each_way(c, s, dag->stage[s].first_task + i, &least, lessen_way))
                status = br_fail(diag, BR_NO, NULL,
                                 "amounts of stage '%s' are not whole in units of their prices",
                                 dag->stage[s].id);
            add_cost(c, &c->sum, least, 1);
        }
    if (status)
        return status;
    br_wide below = 0; /* what a makespan of one tick less would pay */
    add_cost(c, &below, c->pace, c->proof->bound - 1);
    if (c->overflow)
        return br_fail(diag, BR_NO, NULL, "the numbers are too large");
    return c->sum > below ? BR_OK
                          : br_fail(diag, BR_NO, NULL, "prices and flows do not prove the bound");
}

enum br_status br_check_multipliers(const struct br_certificate *certificate,
                                    const struct br_dag *dag, const struct br_cluster *cluster,
                                    int64_t bound_ns, struct br_diag *diag)
{
    const size_t n = (size_t)dag->tasks + 1;
    int64_t claimed_ns;
    enum br_status status = br_features_refuse(
        dag, cluster, BR_FEATURES_MODES | BR_FEATURE_SHARED | BR_FEATURE_RELEASES | BR_FEATURE_LAGS,
        "a proof by multipliers", diag);
    if (status)
        return status;
    if (certificate->parts != 1 || certificate->part[0].kind != BR_PROOF_MULTIPLIERS ||
        certificate->part[0].stages || br_proof_rounding(&certificate->part[0]) != 1 ||
        certificate->part[0].rest || certificate->part[0].bound < 0)
        return br_fail(diag, BR_NO, NULL, "the proof is not one by multipliers of the whole job");
    if (!br_certificate_bound(certificate, &claimed_ns) || claimed_ns < bound_ns)
        return br_fail(diag, BR_NO, NULL, "the certificate proves less than the bound");
    struct costing c = {.dag = dag,
                        .cluster = cluster,
                        .proof = &certificate->part[0],
                        .charge = {br_calloc((size_t)dag->resources + 1, sizeof **c.charge),
                                   br_calloc((size_t)dag->resources + 1, sizeof **c.charge)},
                        .in = br_calloc(n, sizeof *c.in),
                        .out = br_calloc(n, sizeof *c.out)};
    if (!c.charge[0] || !c.charge[1] || !c.in || !c.out)
        status = br_fail_memory(diag);
    if (!status)
        status = find_common_tick(&c, certificate->tick_ns, diag);
    if (!status && c.proof->bound > 0)
        status = multipliers_prove(&c, diag);
    br_free(c.charge[0]);
    br_free(c.charge[1]);
    br_free(c.in);
    br_free(c.out);
    return status;
}
