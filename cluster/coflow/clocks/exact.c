/* The fluid clock: from one end of a flow to the next, without ticks. Between two events every flow
 * moves at its rate. Times that are less than a nanosecond apart are one. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/coflow/clocks/ends.h"
#include "cluster/coflow/clocks/run.h"

/* A rate that a flow has, or is to have. */
struct told {
    struct br_grant grant;
    double rate;
};

struct exact {
    struct br_coflow_run *run;
    struct br_fabric *fabric;
    double now_ms;
    /* Until when bytes are accounted for: of all flows, and of a flow if that is later. */
    double settled_ms, *since_ms;
    struct br_ends ends;
    uint32_t *active; /* coflows that ask to be woken, or may */
    uint32_t actives;
    uint32_t next; /* coflow with flows to arrive, or before it */
    bool *failed;  /* by port */
    /* Under a coordinator: the rates that it is about to tell, and scratch of as many. */
    bool coordinated;
    struct br_desk desk;
    struct told *plan, *kept;
    uint64_t plans;
    bool *agent; /* by port, of a plan */
};

/* ---- What flows have sent ---- */

/* Sums over the flows of a coflow. */
struct sums {
    double sent, most_sent, span_bytes;
};

static struct sums sums_of(const struct exact *e, uint32_t coflow)
{
    const struct br_coflow_state *state = &e->fabric->coflow[coflow];
    return (struct sums){state->sent, state->most_sent, e->run->span_bytes};
}

static void set_sums(struct exact *e, uint32_t coflow, const struct sums *sums)
{
    struct br_coflow_state *state = &e->fabric->coflow[coflow];
    state->sent = sums->sent;
    state->most_sent = sums->most_sent;
    e->run->span_bytes = sums->span_bytes;
}

/* Moves what the flow has sent at that rate since it was accounted for. */
static inline void send(const struct exact *e, uint64_t flow, double rate, struct sums *sums)
{
    const struct br_fabric *fabric = e->fabric;
    assert(rate >= 0 && e->settled_ms <= e->now_ms);
    double left = fabric->left[flow], since_ms = e->since_ms[flow];
    double bytes = rate * (e->now_ms - (since_ms > e->settled_ms ? since_ms : e->settled_ms));
    /* The rest belongs to a live flow, whose end is an event of its own. */
    if (left - bytes <= 2 * BR_FLOW_OVER)
        bytes = left - 2 * BR_FLOW_OVER;
    if (bytes <= 0)
        return;
    left = fabric->left[flow] = left - bytes;
    double sent = fabric->size[flow] - left;
    sums->sent += bytes;
    sums->most_sent = sent > sums->most_sent ? sent : sums->most_sent;
    sums->span_bytes += bytes;
}

static void clocks_exact_account(struct exact *e, const struct br_grant *grant, double rate)
{
    struct sums sums = sums_of(e, grant->coflow);
    send(e, grant->flow, rate, &sums);
    set_sums(e, grant->coflow, &sums);
}

/* Moves what all flows have sent until now. Sums are kept aside over the flows of a coflow, which
 * are neighbours: it is here that the clock spends its time. */
static void clocks_exact_settle(struct exact *e)
{
    const struct br_fabric *fabric = e->fabric;
    for (uint64_t k = 0; k < fabric->grants;) {
        uint32_t coflow = fabric->grant[k].coflow;
        struct sums sums = sums_of(e, coflow);
        for (; k < fabric->grants && fabric->grant[k].coflow == coflow; k++) {
            uint64_t flow = fabric->grant[k].flow;
            if (fabric->rate[flow] > 0)
                send(e, flow, fabric->rate[flow], &sums);
        }
        set_sums(e, coflow, &sums);
    }
    e->settled_ms = e->now_ms;
}

/* ---- What coflows have sent, for those that ask to be woken ---- */

static void accrue(struct exact *e, uint32_t coflow, double more)
{
    struct br_coflow_state *state = &e->fabric->coflow[coflow];
    assert(state->since_ms <= e->now_ms);
    state->accrued += state->rate * (e->now_ms - state->since_ms);
    state->since_ms = e->now_ms;
    state->rate += more;
}

/* The next event that wakes the policy. */
struct alarm {
    double ms;
    uint32_t coflow;
    double *set; /* what asked for it */
};

static void take_earlier(struct alarm *alarm, double ms, uint32_t coflow, double *set)
{
    if (*set > 0 && ms < alarm->ms)
        *alarm = (struct alarm){ms, coflow, set};
}

static struct alarm next_alarm(const struct exact *e)
{
    struct alarm next = {INFINITY, 0, NULL};
    for (uint32_t k = 0; k < e->actives; k++) {
        uint32_t coflow = e->active[k];
        struct br_coflow_state *state = &e->fabric->coflow[coflow];
        if (state->rate > 0 && state->wake > 0)
            take_earlier(&next, state->since_ms + (state->wake - state->accrued) / state->rate,
                         coflow, &state->wake);
        take_earlier(&next, state->wake_flow_ms, coflow, &state->wake_flow);
        take_earlier(&next, state->wake_ms, coflow, &state->wake_ms);
    }
    next.ms = next.ms > e->now_ms ? next.ms : e->now_ms;
    return next;
}

/* The flow has a new rate: it may be the first to send what the coflow is to be woken at. */
static void expect_wake(const struct exact *e, const struct br_grant *grant)
{
    const struct br_fabric *fabric = e->fabric;
    struct br_coflow_state *state = &fabric->coflow[grant->coflow];
    double size = fabric->size[grant->flow], left = fabric->left[grant->flow];
    if (state->wake_flow <= 0 || size < state->wake_flow)
        return;
    assert(fabric->rate[grant->flow] > 0);
    double ms = e->now_ms + (state->wake_flow - (size - left)) / fabric->rate[grant->flow];
    state->wake_flow_ms = fmin(state->wake_flow_ms, ms);
}

/* ---- Decisions ---- */

/* When the policy decides again at the latest: when the next coflow with flows arrives. */
static double next_coflow_ms(struct exact *e)
{
    const struct br_coflow_run *run = e->run;
    e->next = e->next < run->arrived ? run->arrived : e->next;
    while (e->next < run->trace->coflows && e->fabric->coflow[e->next].live == 0)
        e->next++;
    return e->next < run->trace->coflows ? (double)run->trace->coflow[e->next].arrival_ms
                                         : INFINITY;
}

/* All rates are new, and what flows have sent is settled. */
static enum br_status begin_rates(struct exact *e)
{
    struct br_fabric *fabric = e->fabric;
    for (uint32_t k = 0; k < e->actives; k++) {
        struct br_coflow_state *state = &fabric->coflow[e->active[k]];
        state->rate = 0;
        state->rated = 0;
        state->accrued = state->sent;
        state->since_ms = e->now_ms;
        state->wake_flow_ms = INFINITY;
    }
    for (uint64_t k = 0; k < fabric->grants;) {
        uint32_t coflow = fabric->grant[k].coflow;
        struct br_coflow_state *state = &fabric->coflow[coflow];
        double rate = state->rate;
        uint64_t before = k;
        for (; k < fabric->grants && fabric->grant[k].coflow == coflow; k++) {
            rate += fabric->rate[fabric->grant[k].flow];
            if (state->wake_flow > 0)
                expect_wake(e, &fabric->grant[k]);
        }
        state->rate = rate;
        state->rated += k - before;
        assert(state->rated <= state->live);
    }
    if (e->coordinated
            ? !br_ends_renew(&e->ends, e->now_ms, INFINITY, NULL, 0)
            : !br_ends_renew(&e->ends, e->now_ms, next_coflow_ms(e), e->active, e->actives))
        return br_fail_memory(e->run->diag);
    return br_run_span(e->run, e->now_ms);
}

static enum br_status clocks_exact_decide(struct exact *e)
{
    clocks_exact_settle(e);
    br_run_decide(e->run);
    return begin_rates(e);
}

/* ---- Under a coordinator ---- */

static uint64_t copy_rates(const struct br_fabric *fabric, struct told *to)
{
    uint64_t copied = 0;
    for (uint64_t k = 0; k < fabric->grants; k++)
        if (fabric->rate[fabric->grant[k].flow] > 0)
            to[copied++] = (struct told){fabric->grant[k], fabric->rate[fabric->grant[k].flow]};
    return copied;
}

static uint32_t sender_of(const struct br_fabric *fabric, const struct br_grant *grant)
{
    return fabric->trace->coflow[grant->coflow].up[grant->sender];
}

/* The coordinator looks at the fabric and finds rates, while flows go on by those that they have.
 */
static void begin_round(struct exact *e)
{
    struct br_fabric *fabric = e->fabric;
    uint32_t agents = 0;
    clocks_exact_settle(e);
    uint64_t kept = copy_rates(fabric, e->kept);
    br_run_decide(e->run);
    e->plans = copy_rates(fabric, e->plan);
    br_rates_reset(fabric);
    fabric->grants = kept;
    for (uint64_t k = 0; k < kept; k++) {
        fabric->grant[k] = e->kept[k].grant;
        fabric->rate[e->kept[k].grant.flow] = e->kept[k].rate;
    }
    memset(e->agent, 0, fabric->trace->ports * sizeof *e->agent);
    for (uint64_t k = 0; k < e->plans; k++) {
        uint32_t agent = sender_of(fabric, &e->plan[k].grant);
        agents += !e->agent[agent];
        e->agent[agent] = true;
    }
    br_desk_begin(&e->desk, e->now_ms, e->plans, agents);
}

/* Agents hear of the round's rates; one that does not is silent, and asks for another round. */
static enum br_status clocks_exact_tell(struct exact *e)
{
    struct br_fabric *fabric = e->fabric;
    clocks_exact_settle(e);
    br_rates_reset(fabric);
    e->desk.tell_ms = INFINITY;
    for (uint32_t p = 0; p < fabric->trace->ports; p++)
        if (e->agent[p] && !br_desk_reaches(&e->desk)) {
            e->agent[p] = false;
            br_desk_hear(&e->desk, p, e->now_ms + e->run->options->coordinator.interval_ms);
        }
    for (uint64_t k = 0; k < e->plans; k++) {
        const struct br_grant *grant = &e->plan[k].grant;
        const struct br_coflow *c = &fabric->trace->coflow[grant->coflow];
        uint32_t from = c->up[grant->sender], to = c->down[grant->receiver];
        if (br_fabric_over(fabric, grant->flow) || !e->agent[from] || e->failed[from] ||
            e->failed[to])
            continue;
        assert(e->plan[k].rate > 0);
        fabric->rate[grant->flow] = e->plan[k].rate;
        fabric->grant[fabric->grants++] = *grant;
    }
    return begin_rates(e);
}

/* ---- Failures ---- */

/* Takes the rates of flows at ports that have failed. */
static void clocks_exact_stop_flows(struct exact *e)
{
    struct br_fabric *fabric = e->fabric;
    for (uint64_t k = 0; k < fabric->grants; k++) {
        const struct br_grant *grant = &fabric->grant[k];
        const struct br_coflow *c = &fabric->trace->coflow[grant->coflow];
        double rate = fabric->rate[grant->flow];
        if (rate <= 0 || (!e->failed[c->up[grant->sender]] && !e->failed[c->down[grant->receiver]]))
            continue;
        clocks_exact_account(e, grant, rate);
        accrue(e, grant->coflow, -rate);
        br_ends_forget(&e->ends, grant);
        fabric->rate[grant->flow] = 0;
    }
}

/* Sets *changed if a port fails or comes back now. */
static void clocks_exact_fail_ports(struct exact *e, bool *changed)
{
    bool stops = false;
    for (uint32_t p = 0; e->run->options->failures && p < e->fabric->trace->ports; p++) {
        bool failed = br_run_port_fails(e->run, p, e->now_ms);
        if (failed == e->failed[p])
            continue;
        e->failed[p] = failed;
        stops |= failed;
        *changed = true;
        if (e->coordinated)
            br_desk_hear(&e->desk, p, e->now_ms);
    }
    if (stops)
        clocks_exact_stop_flows(e);
}

/* Hands the ports of an ended flow to others. */
static enum br_status clocks_exact_hand_on(struct exact *e, const struct br_grant *grant)
{
    struct br_fabric *fabric = e->fabric;
    const struct br_coflow *c = &fabric->trace->coflow[grant->coflow];
    fabric->raises = 0;
    fabric->notes_raises = true;
    br_rates_hand_on(fabric, c->up[grant->sender], c->down[grant->receiver]);
    fabric->notes_raises = false;
    for (uint32_t k = 0; k < fabric->raises; k++) {
        const struct br_raise *raise = &fabric->raise[k];
        double before = fabric->rate[raise->grant.flow] - raise->added;
        assert(before >= 0 && raise->added > 0);
        if (before > 0)
            clocks_exact_account(e, &raise->grant, before);
        e->since_ms[raise->grant.flow] = e->now_ms;
        accrue(e, raise->grant.coflow, raise->added);
        expect_wake(e, &raise->grant);
        if (!br_ends_raise(&e->ends, e->now_ms, &raise->grant))
            return br_fail_memory(e->run->diag);
    }
    return BR_OK;
}

/* ---- Events ---- */

/* The flow ends; *changed is set if the policy is to decide. */
static void end_flow(struct exact *e, const struct br_grant *grant, bool *changed)
{
    struct br_fabric *fabric = e->fabric;
    struct br_coflow_state *state = &fabric->coflow[grant->coflow];
    uint32_t pilots = state->pilots;
    double rate = fabric->rate[grant->flow], left = fabric->left[grant->flow];
    assert(rate > 0);
    br_fabric_move(fabric, grant, left);
    e->run->span_bytes += left;
    br_run_flow(e->run, grant);
    br_ends_forget(&e->ends, grant);
    accrue(e, grant->coflow, -rate);
    br_rates_give_back(fabric, grant);
    if (state->live == 0) {
        uint32_t at = 0;
        while (e->active[at] != grant->coflow) {
            at++;
            assert(at < e->actives);
        }
        e->active[at] = e->active[--e->actives];
        br_run_leave(e->run, grant->coflow, e->now_ms);
        *changed = true;
    } else if (pilots && !state->pilots) {
        br_run_pilots(e->run, grant->coflow);
        *changed = true;
    }
    if (e->coordinated)
        br_desk_note(&e->desk, sender_of(fabric, grant));
    if (e->coordinated && (state->live == 0 || (pilots && !state->pilots)))
        br_desk_hear(&e->desk, sender_of(fabric, grant), e->now_ms);
}

static enum br_status end_flows(struct exact *e, bool *changed)
{
    enum br_status status = BR_OK;
    while (!status && br_ends_next_ms(&e->ends) <= e->now_ms + BR_SAME_MS) {
        const struct br_grant grant = br_ends_pop(&e->ends);
        end_flow(e, &grant, changed);
        if (!*changed && !e->coordinated)
            status = clocks_exact_hand_on(e, &grant);
    }
    return status;
}

static enum br_status clocks_exact_arrive(struct exact *e, bool *changed)
{
    struct br_coflow_run *run = e->run;
    enum br_status status = BR_OK;
    while (!status && run->arrived < run->trace->coflows &&
           (double)run->trace->coflow[run->arrived].arrival_ms <= e->now_ms) {
        uint32_t coflow = run->arrived;
        status = br_run_arrive(run, coflow, (double)run->trace->coflow[coflow].arrival_ms);
        if (!status && e->fabric->coflow[coflow].live) {
            assert(e->actives < run->trace->coflows);
            e->active[e->actives++] = coflow;
            *changed = true;
            if (e->coordinated)
                br_desk_hear(&e->desk, run->trace->coflow[coflow].up[0], e->now_ms);
        }
    }
    return status;
}

/* Goes to the next event. */
static void clocks_exact_go_on(struct exact *e, const struct alarm *alarm)
{
    const struct br_coflow_run *run = e->run;
    double next = fmin(fmin(br_ends_next_ms(&e->ends), alarm->ms),
                       br_run_next_failure(run, e->now_ms)),
           before_ms = e->now_ms;
    if (run->arrived < run->trace->coflows)
        next = fmin(next, (double)run->trace->coflow[run->arrived].arrival_ms);
    if (e->coordinated)
        next = fmin(next, fmin(e->desk.round_ms, e->desk.tell_ms));
    if (e->coordinated && next == INFINITY && run->active) {
        /* All flows with a rate have ended, and none of those asks for a round: pilots that wait
         * for the port of another one. */
        br_desk_hear(&e->desk, run->trace->coflow[e->active[0]].up[0], e->now_ms);
        next = e->desk.round_ms;
    }
    e->now_ms = next > e->now_ms ? next : e->now_ms;
    assert(e->now_ms < INFINITY);
    e->fabric->now_ms = e->now_ms;
    if (e->coordinated)
        br_desk_pass(&e->desk, before_ms, e->now_ms, run->active > 0);
}

/* Under a coordinator changes ask for a round, else the policy decides. */
static enum br_status answer(struct exact *e, bool changed)
{
    enum br_status status = BR_OK;
    if (!e->coordinated)
        return changed ? clocks_exact_decide(e) : BR_OK;
    if (e->desk.tell_ms <= e->now_ms)
        status = clocks_exact_tell(e);
    if (e->desk.round_ms <= e->now_ms && e->run->active)
        begin_round(e);
    else if (e->desk.round_ms <= e->now_ms)
        e->desk.round_ms = INFINITY;
    return status;
}

static enum br_status clocks_exact_step(struct exact *e)
{
    struct br_coflow_run *run = e->run;
    bool changed = false;
    const struct alarm alarm = next_alarm(e);
    clocks_exact_go_on(e, &alarm);
    enum br_status status = end_flows(e, &changed);
    clocks_exact_fail_ports(e, &changed);
    if (!status && alarm.set && alarm.ms <= e->now_ms && e->fabric->coflow[alarm.coflow].live) {
        *alarm.set = 0;
        run->row->event(run->policy, BR_COFLOW_WAKES, alarm.coflow);
        changed = true;
        if (e->coordinated)
            br_desk_hear(&e->desk, run->trace->coflow[alarm.coflow].up[0], e->now_ms);
    }
    if (!status)
        status = clocks_exact_arrive(e, &changed);
    return status ? status : answer(e, changed);
}

static bool clocks_exact_allocate(struct exact *e)
{
    const struct br_coflows *trace = e->run->trace;
    e->since_ms = calloc(trace->flows + 1, sizeof *e->since_ms);
    e->active = malloc(((size_t)trace->coflows + 1) * sizeof *e->active);
    /* A flow is raised at most once by an end: one of its ports is full then. */
    e->fabric->raise = malloc((trace->flows + 1) * sizeof *e->fabric->raise);
    e->failed = calloc((size_t)trace->ports + 1, sizeof *e->failed);
    e->fabric->failed = e->failed;
    if (!br_ends_init(&e->ends, e->fabric) || !e->since_ms || !e->active || !e->fabric->raise ||
        !e->failed)
        return false;
    if (!e->coordinated)
        return true;
    e->plan = malloc((trace->flows + 1) * sizeof *e->plan);
    e->kept = malloc((trace->flows + 1) * sizeof *e->kept);
    e->agent = calloc((size_t)trace->ports + 1, sizeof *e->agent);
    return br_desk_init(&e->desk, &e->run->options->coordinator, trace->ports,
                        e->run->row->reports) &&
           e->plan && e->kept && e->agent;
}

enum br_status br_run_exact(struct br_coflow_run *run)
{
    struct exact e = {.run = run, .fabric = &run->fabric};
    e.coordinated = run->options->coordinator.interval_ms > 0;
    enum br_status status = clocks_exact_allocate(&e) ? BR_OK : br_fail_memory(run->diag);
    e.desk.failures = run->options->failures;
    e.desk.failure = run->options->failure;
    while (!status && (run->arrived < run->trace->coflows || run->active)) {
        if (br_stopped(run->options->stop)) {
            run->outcome->cut = true;
            break;
        }
        status = clocks_exact_step(&e);
    }
    if (!status)
        status = br_run_span(run, e.now_ms);
    run->outcome->coordinator = e.desk.figures;
    br_desk_finish(&e.desk);
    run->fabric.failed = NULL;
    free(e.failed);
    free(e.plan);
    free(e.kept);
    free(e.agent);
    free(e.since_ms);
    br_ends_finish(&e.ends);
    free(e.active);
    return status;
}
