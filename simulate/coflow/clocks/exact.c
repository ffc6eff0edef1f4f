/* The fluid clock: from one end of a flow to the next, without ticks. Between two events every flow
 * moves at its rate. Ends wait in a heap; a flow whose rate changes gets a new entry, and a version
 * tells the old one void. Times that are less than a nanosecond apart are one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/heap.h"
#include "simulate/coflow/clocks/run.h"

struct end {
    double ms;
    uint32_t version;
    struct br_grant grant;
};

static bool is_before(const void *none, const struct end *a, const struct end *b)
{
    (void)none;
    return a->ms != b->ms ? a->ms < b->ms : a->grant.flow < b->grant.flow;
}

BR_HEAP(ends, struct end, const void *, is_before, 4)

/* A rate that a flow has, or is to have. */
struct told {
    struct br_grant grant;
    double rate;
};

struct exact {
    struct br_coflow_run *run;
    struct br_fabric *fabric;
    double now_ms;
    double *since_ms;  /* by flow: until when its bytes are accounted for */
    uint32_t *version; /* by flow, of its valid end */
    struct end *heap;
    uint32_t size, room;
    uint32_t *active; /* coflows that ask to be woken, or may */
    uint32_t actives;
    bool *failed; /* by port */
    /* Under a coordinator: the rates that it is about to tell, and scratch of as many. */
    bool coordinated;
    struct br_desk desk;
    struct told *plan, *kept;
    uint64_t plans;
    bool *agent; /* by port, of a plan */
};

/* ---- Ends ---- */

static bool push(struct exact *e, const struct br_grant *grant)
{
    const struct br_fabric *fabric = e->fabric;
    if (e->size == e->room) {
        uint32_t room = e->room ? 2 * e->room : 1024;
        struct end *larger = realloc(e->heap, room * sizeof *larger);
        if (!larger)
            return false;
        e->heap = larger;
        e->room = room;
    }
    struct end end = {.ms = e->now_ms + fabric->left[grant->flow] / fabric->rate[grant->flow],
                      .version = ++e->version[grant->flow],
                      .grant = *grant};
    ends_push(NULL, e->heap, &e->size, end);
    return true;
}

static bool is_void(const struct exact *e, const struct end *end)
{
    return end->version != e->version[end->grant.flow];
}

static double next_end(struct exact *e)
{
    while (e->size && is_void(e, &e->heap[0]))
        ends_pop(NULL, e->heap, &e->size);
    return e->size ? e->heap[0].ms : INFINITY;
}

/* Moves what the flow has sent at that rate since it was accounted for. */
static void account(struct exact *e, const struct br_grant *grant, double rate)
{
    double left = e->fabric->left[grant->flow];
    double bytes = rate * (e->now_ms - e->since_ms[grant->flow]);
    e->since_ms[grant->flow] = e->now_ms;
    /* What is left is that of a live flow: its end is an event of its own. */
    if (left - bytes <= 2 * BR_FLOW_OVER)
        bytes = left - 2 * BR_FLOW_OVER;
    if (bytes <= 0)
        return;
    br_fabric_move(e->fabric, grant, bytes);
    e->run->span_bytes += bytes;
}

/* ---- What coflows have sent, for those that ask to be woken ---- */

static void accrue(struct exact *e, uint32_t coflow, double more)
{
    struct br_coflow_state *state = &e->fabric->coflow[coflow];
    state->accrued += state->rate * (e->now_ms - state->since_ms);
    state->since_ms = e->now_ms;
    state->rate += more;
}

/* What wakes the policy next. */
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
        double sent_ms = state->since_ms + (state->wake - state->accrued) / state->rate;
        if (state->rate > 0)
            take_earlier(&next, sent_ms, coflow, &state->wake);
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
    double ms = e->now_ms + (state->wake_flow - (size - left)) / fabric->rate[grant->flow];
    state->wake_flow_ms = fmin(state->wake_flow_ms, ms);
}

/* ---- Decisions ---- */

/* Moves what all flows have sent until now. */
static void settle(struct exact *e)
{
    const struct br_fabric *fabric = e->fabric;
    for (uint64_t k = 0; k < fabric->grants; k++)
        if (fabric->rate[fabric->grant[k].flow] > 0)
            account(e, &fabric->grant[k], fabric->rate[fabric->grant[k].flow]);
}

static void forget_ends(struct exact *e)
{
    for (uint32_t k = 0; k < e->size; k++)
        e->version[e->heap[k].grant.flow]++;
    e->size = 0;
}

/* All rates are new. */
static enum br_status begin_rates(struct exact *e)
{
    struct br_fabric *fabric = e->fabric;
    for (uint32_t k = 0; k < e->actives; k++) {
        struct br_coflow_state *state = &fabric->coflow[e->active[k]];
        state->rate = 0;
        state->accrued = state->sent;
        state->since_ms = e->now_ms;
        state->wake_flow_ms = INFINITY;
    }
    for (uint64_t k = 0; k < fabric->grants; k++) {
        const struct br_grant *grant = &fabric->grant[k];
        e->since_ms[grant->flow] = e->now_ms;
        fabric->coflow[grant->coflow].rate += fabric->rate[grant->flow];
        expect_wake(e, grant);
        if (!push(e, grant))
            return br_fail_memory(e->run->diag);
    }
    return br_run_span(e->run, e->now_ms);
}

static enum br_status decide(struct exact *e)
{
    settle(e);
    forget_ends(e);
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
    settle(e);
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
static enum br_status tell(struct exact *e)
{
    struct br_fabric *fabric = e->fabric;
    settle(e);
    forget_ends(e);
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
        fabric->rate[grant->flow] = e->plan[k].rate;
        fabric->grant[fabric->grants++] = *grant;
    }
    return begin_rates(e);
}

/* ---- Failures ---- */

/* Takes the rates of flows at ports that have failed. */
static void stop_flows(struct exact *e)
{
    struct br_fabric *fabric = e->fabric;
    for (uint64_t k = 0; k < fabric->grants; k++) {
        const struct br_grant *grant = &fabric->grant[k];
        const struct br_coflow *c = &fabric->trace->coflow[grant->coflow];
        double rate = fabric->rate[grant->flow];
        if (rate <= 0 || (!e->failed[c->up[grant->sender]] && !e->failed[c->down[grant->receiver]]))
            continue;
        account(e, grant, rate);
        accrue(e, grant->coflow, -rate);
        e->version[grant->flow]++;
        fabric->rate[grant->flow] = 0;
    }
}

/* Sets *changed where a port fails or comes back now. */
static void fail_ports(struct exact *e, bool *changed)
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
        stop_flows(e);
}

/* What a flow that ended has left free goes to others. */
static enum br_status hand_on(struct exact *e, const struct br_grant *grant)
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
        if (before > 0)
            account(e, &raise->grant, before);
        e->since_ms[raise->grant.flow] = e->now_ms;
        accrue(e, raise->grant.coflow, raise->added);
        expect_wake(e, &raise->grant);
        if (!push(e, &raise->grant))
            return br_fail_memory(e->run->diag);
    }
    return BR_OK;
}

/* ---- Events ---- */

/* The flow ends; *changed is set where the policy is to decide. */
static enum br_status end_flow(struct exact *e, const struct end *end, bool *changed)
{
    struct br_fabric *fabric = e->fabric;
    struct br_coflow_state *state = &fabric->coflow[end->grant.coflow];
    uint32_t pilots = state->pilots;
    double rate = fabric->rate[end->grant.flow], left = fabric->left[end->grant.flow];
    br_fabric_move(fabric, &end->grant, left);
    e->run->span_bytes += left;
    br_run_flow(e->run, &end->grant);
    e->version[end->grant.flow]++;
    accrue(e, end->grant.coflow, -rate);
    br_rates_give_back(fabric, &end->grant);
    if (state->live == 0) {
        uint32_t at = 0;
        while (e->active[at] != end->grant.coflow)
            at++;
        e->active[at] = e->active[--e->actives];
        br_run_leave(e->run, end->grant.coflow, e->now_ms);
        *changed = true;
    } else if (pilots && !state->pilots) {
        br_run_pilots(e->run, end->grant.coflow);
        *changed = true;
    }
    if (e->coordinated)
        br_desk_note(&e->desk, sender_of(fabric, &end->grant));
    if (e->coordinated && (state->live == 0 || (pilots && !state->pilots)))
        br_desk_hear(&e->desk, sender_of(fabric, &end->grant), e->now_ms);
    return BR_OK;
}

static enum br_status end_flows(struct exact *e, bool *changed)
{
    enum br_status status = BR_OK;
    while (!status && next_end(e) <= e->now_ms + BR_SAME_MS) {
        struct end end = ends_pop(NULL, e->heap, &e->size);
        status = end_flow(e, &end, changed);
        if (!status && !*changed && !e->coordinated)
            status = hand_on(e, &end.grant);
    }
    return status;
}

static enum br_status arrive(struct exact *e, bool *changed)
{
    struct br_coflow_run *run = e->run;
    enum br_status status = BR_OK;
    while (!status && run->arrived < run->trace->coflows &&
           (double)run->trace->coflow[run->arrived].arrival_ms <= e->now_ms) {
        uint32_t coflow = run->arrived;
        status = br_run_arrive(run, coflow, (double)run->trace->coflow[coflow].arrival_ms);
        if (!status && e->fabric->coflow[coflow].live) {
            e->active[e->actives++] = coflow;
            *changed = true;
            if (e->coordinated)
                br_desk_hear(&e->desk, run->trace->coflow[coflow].up[0], e->now_ms);
        }
    }
    return status;
}

/* Goes to the next event. */
static void go_on(struct exact *e, const struct alarm *alarm)
{
    const struct br_coflow_run *run = e->run;
    double next = fmin(fmin(next_end(e), alarm->ms), br_run_next_failure(run, e->now_ms)),
           before_ms = e->now_ms;
    if (run->arrived < run->trace->coflows)
        next = fmin(next, (double)run->trace->coflow[run->arrived].arrival_ms);
    if (e->coordinated)
        next = fmin(next, fmin(e->desk.round_ms, e->desk.tell_ms));
    e->now_ms = next > e->now_ms ? next : e->now_ms;
    e->fabric->now_ms = e->now_ms;
    if (e->coordinated)
        br_desk_pass(&e->desk, before_ms, e->now_ms, run->active > 0);
}

/* Under a coordinator changes ask for a round, else the policy decides. */
static enum br_status answer(struct exact *e, bool changed)
{
    enum br_status status = BR_OK;
    if (!e->coordinated)
        return changed ? decide(e) : BR_OK;
    if (e->desk.tell_ms <= e->now_ms)
        status = tell(e);
    if (e->desk.round_ms <= e->now_ms && e->run->active)
        begin_round(e);
    else if (e->desk.round_ms <= e->now_ms)
        e->desk.round_ms = INFINITY;
    return status;
}

static enum br_status step(struct exact *e)
{
    struct br_coflow_run *run = e->run;
    bool changed = false;
    const struct alarm alarm = next_alarm(e);
    go_on(e, &alarm);
    enum br_status status = end_flows(e, &changed);
    fail_ports(e, &changed);
    if (!status && alarm.set && alarm.ms <= e->now_ms && e->fabric->coflow[alarm.coflow].live) {
        *alarm.set = 0;
        run->row->event(run->policy, BR_COFLOW_WAKES, alarm.coflow);
        changed = true;
        if (e->coordinated)
            br_desk_hear(&e->desk, run->trace->coflow[alarm.coflow].up[0], e->now_ms);
    }
    if (!status)
        status = arrive(e, &changed);
    return status ? status : answer(e, changed);
}

static bool allocate(struct exact *e)
{
    const struct br_coflows *trace = e->run->trace;
    e->since_ms = calloc(trace->flows + 1, sizeof *e->since_ms);
    e->version = calloc(trace->flows + 1, sizeof *e->version);
    e->active = malloc(((size_t)trace->coflows + 1) * sizeof *e->active);
    /* A flow is raised at most once by an end: one of its ports is full then. */
    e->fabric->raise = malloc((trace->flows + 1) * sizeof *e->fabric->raise);
    e->failed = calloc((size_t)trace->ports + 1, sizeof *e->failed);
    e->fabric->failed = e->failed;
    if (!e->since_ms || !e->version || !e->active || !e->fabric->raise || !e->failed)
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
    enum br_status status = allocate(&e) ? BR_OK : br_fail_memory(run->diag);
    e.desk.failures = run->options->failures;
    e.desk.failure = run->options->failure;
    while (!status && (run->arrived < run->trace->coflows || run->active)) {
        if (br_stopped(run->options->stop)) {
            run->outcome->cut = true;
            break;
        }
        status = step(&e);
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
    free(e.version);
    free(e.heap);
    free(e.active);
    return status;
}
