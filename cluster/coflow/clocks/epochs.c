/* The clock of the published simulator of Varys and Aalo. Between two changes of rates all flows
 * move alike in every tick, so whole spans of ticks are taken in one step. */
#include <assert.h>
#include <math.h>

#include "cluster/coflow/clocks/epoch.h"

/* Ticks until a flow has moved all that is left. */
static double ticks_of(const struct br_fabric *fabric, uint64_t flow)
{
    assert(fabric->rate[flow] > 0);
    double ticks = (fabric->left[flow] - BR_FLOW_OVER) / fabric->rate[flow];
    double whole = ticks < 1e15 ? (double)(int64_t)ticks : ticks;
    whole += whole < ticks;
    return whole < 1 ? 1 : whole;
}

/* The ticks until rates change, at most so many: a coflow leaves, or its last pilot ends. */
static double next_change(struct br_coflow_run *run, double most)
{
    struct br_fabric *fabric = &run->fabric;
    for (uint64_t k = 0; k < fabric->grants; k++) {
        struct br_coflow_state *state = &fabric->coflow[fabric->grant[k].coflow];
        state->rated = 0;
        state->rated_pilots = 0;
        state->last = state->last_pilot = 0;
    }
    for (uint64_t k = 0; k < fabric->grants; k++) {
        const struct br_grant *grant = &fabric->grant[k];
        struct br_coflow_state *state = &fabric->coflow[grant->coflow];
        double ticks = ticks_of(fabric, grant->flow);
        state->rated++;
        state->last = ticks > state->last ? ticks : state->last;
        if (fabric->pilot[grant->flow]) {
            state->rated_pilots++;
            state->last_pilot = ticks > state->last_pilot ? ticks : state->last_pilot;
        }
    }
    for (uint64_t k = 0; k < fabric->grants; k++) {
        const struct br_coflow_state *state = &fabric->coflow[fabric->grant[k].coflow];
        assert(state->rated <= state->live && state->rated_pilots <= state->pilots);
        if (state->rated == state->live && state->last < most)
            most = state->last;
        if (state->pilots && state->rated_pilots == state->pilots && state->last_pilot < most)
            most = state->last_pilot;
    }
    return most;
}

/* Moves all flows by so many ticks. Tells of coflows that leave and pilots that end; answers
 * whether there were any. */
static bool epochs_advance(struct br_coflow_run *run, double ticks, double now_ms)
{
    struct br_fabric *fabric = &run->fabric;
    uint64_t kept = 0;
    bool changed = false;
    assert(ticks >= 1);
    fabric->now_ms = now_ms;
    for (uint64_t k = 0; k < fabric->grants; k++) {
        const struct br_grant grant = fabric->grant[k];
        struct br_coflow_state *state = &fabric->coflow[grant.coflow];
        double left = fabric->left[grant.flow];
        uint32_t pilots = state->pilots;
        br_fabric_move(fabric, &grant, ticks * fabric->rate[grant.flow]);
        run->span_bytes += left - fabric->left[grant.flow];
        assert(left >= fabric->left[grant.flow]);
        if (!br_fabric_over(fabric, grant.flow)) {
            fabric->grant[kept++] = grant;
            continue;
        }
        fabric->rate[grant.flow] = 0;
        br_run_flow(run, &grant);
        if (state->live == 0)
            br_run_leave(run, grant.coflow, now_ms);
        else if (pilots && !state->pilots)
            br_run_pilots(run, grant.coflow);
        changed |= state->live == 0 || (pilots && !state->pilots);
    }
    fabric->grants = kept;
    return changed;
}

/* Admits what arrives until the end of the epoch that begins now. */
static enum br_status epochs_admit(struct br_coflow_run *run, int64_t begin_ms)
{
    enum br_status status = BR_OK;
    run->fabric.now_ms = (double)begin_ms;
    while (!status && run->arrived < run->trace->coflows &&
           run->trace->coflow[run->arrived].arrival_ms <= begin_ms + BR_EPOCH_MS)
        status = br_run_arrive(run, run->arrived, (double)begin_ms);
    return status;
}

int64_t br_epoch_next(const struct br_coflow_run *run, int64_t epoch)
{
    if (run->active || run->arrived == run->trace->coflows)
        return epoch;
    int64_t admits = (run->trace->coflow[run->arrived].arrival_ms - 1) / BR_EPOCH_MS;
    return admits > epoch ? admits : epoch;
}

static enum br_status clocks_run_epoch(struct br_coflow_run *run, int64_t begin_ms)
{
    uint32_t before = run->arrived;
    double past = 0;
    enum br_status status = epochs_admit(run, begin_ms);
    /* If no flow could move, a new decision lets time go on. */
    if (!status && (run->arrived > before || run->fabric.grants == 0))
        br_run_decide(run);
    while (!status && run->active && past < BR_EPOCH_TICKS && !br_stopped(run->options->stop)) {
        double ticks = next_change(run, BR_EPOCH_TICKS - past);
        past += ticks;
        assert(past <= BR_EPOCH_TICKS);
        double now_ms = (double)begin_ms + past * BR_TICK_MS;
        if (epochs_advance(run, ticks, now_ms))
            br_run_decide(run);
        status = br_run_span(run, now_ms);
    }
    return status;
}

enum br_status br_run_epochs(struct br_coflow_run *run)
{
    enum br_status status = BR_OK;
    int64_t epoch = 0;
    while (!status && (run->arrived < run->trace->coflows || run->active)) {
        if (br_stopped(run->options->stop)) {
            run->outcome->cut = true;
            break;
        }
        epoch = br_epoch_next(run, epoch);
        assert(run->active ||
               run->trace->coflow[run->arrived].arrival_ms <= (epoch + 1) * BR_EPOCH_MS);
        status = clocks_run_epoch(run, epoch * BR_EPOCH_MS);
        epoch++;
    }
    return status;
}
