#include "cluster/coflow/clocks/run.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static void clocks_run_tell(struct br_coflow_run *run, enum br_coflow_event event, uint32_t coflow)
{
    if (run->row->event)
        run->row->event(run->policy, event, coflow);
}

enum br_status br_run_arrive(struct br_coflow_run *run, uint32_t coflow, double start_ms)
{
    assert(coflow == run->arrived);
    run->outcome->start_ms[coflow] = start_ms;
    run->outcome->events++;
    run->arrived++;
    if (run->fabric.coflow[coflow].live == 0) {
        run->outcome->end_ms[coflow] = start_ms;
        run->outcome->finished++;
        assert(run->active + run->outcome->finished == run->arrived);
        return BR_OK;
    }
    run->active++;
    assert(run->active + run->outcome->finished == run->arrived);
    enum br_status status = br_fabric_enter(&run->fabric, coflow, run->diag);
    if (!status)
        clocks_run_tell(run, BR_COFLOW_ARRIVES, coflow);
    return status;
}

void br_run_leave(struct br_coflow_run *run, uint32_t coflow, double end_ms)
{
    run->outcome->end_ms[coflow] = end_ms;
    run->outcome->finished++;
    run->outcome->events++;
    assert(run->active && run->fabric.coflow[coflow].live == 0);
    run->active--;
    assert(run->active + run->outcome->finished == run->arrived);
    const struct br_coflow_state *state = &run->fabric.coflow[coflow];
    if (state->learned) {
        run->outcome->guess[coflow].at_ms = state->learned_ms;
        run->outcome->guess[coflow].sent = state->learned_sent;
    }
    clocks_run_tell(run, BR_COFLOW_LEAVES, coflow);
    br_fabric_leave(&run->fabric, coflow);
}

void br_run_flow(struct br_coflow_run *run, const struct br_grant *grant)
{
    assert(br_fabric_over(&run->fabric, grant->flow));
    run->outcome->events++;
    if (run->row->flow)
        run->row->flow(run->policy, grant->coflow, grant->receiver, run->fabric.size[grant->flow]);
}

void br_run_pilots(struct br_coflow_run *run, uint32_t coflow)
{
    const struct br_coflow *c = &run->trace->coflow[coflow];
    const struct br_coflow_state *state = &run->fabric.coflow[coflow];
    struct br_coflow_guess *guess = &run->outcome->guess[coflow];
    clocks_run_tell(run, BR_COFLOW_PILOTS, coflow);
    if (!state->estimated)
        return;
    *guess = (struct br_coflow_guess){0, 0, run->fabric.now_ms, state->sent};
    for (uint32_t r = 0; r < c->receivers; r++)
        for (uint32_t s = 0; s < c->senders; s++)
            if (br_fabric_has_flow(&run->fabric, coflow, s, r)) {
                guess->bytes += state->believed[r];
                guess->real += run->fabric.size[br_fabric_flow(&run->fabric, coflow, s, r)];
            }
}

void br_run_decide(struct br_coflow_run *run)
{
    br_rates_reset(&run->fabric);
    run->row->decide(run->policy);
    run->outcome->decisions++;
}

double br_run_next_failure(const struct br_coflow_run *run, double now_ms)
{
    const struct br_coflow_options *options = run->options;
    double next = INFINITY;
    for (uint32_t k = 0; k < options->failures; k++) {
        const struct br_coflow_failure *f = &options->failure[k];
        if (f->port != BR_FAILS_COORDINATOR)
            next = fmin(next, f->at_ms > now_ms      ? f->at_ms
                              : f->until_ms > now_ms ? f->until_ms
                                                     : INFINITY);
    }
    return next;
}

bool br_run_port_fails(const struct br_coflow_run *run, uint32_t port, double now_ms)
{
    const struct br_coflow_options *options = run->options;
    for (uint32_t k = 0; k < options->failures; k++) {
        const struct br_coflow_failure *f = &options->failure[k];
        if (f->port == port && f->at_ms <= now_ms && now_ms < f->until_ms)
            return true;
    }
    return false;
}

enum br_status br_run_span(struct br_coflow_run *run, double end_ms)
{
    struct br_coflow_outcome *outcome = run->outcome;
    if (outcome->spans == outcome->room) {
        uint32_t room = outcome->room ? 2 * outcome->room : 256;
        struct br_coflow_span *larger = realloc(outcome->span, room * sizeof *larger);
        if (!larger)
            return br_fail_memory(run->diag);
        outcome->span = larger;
        outcome->room = room;
    }
    outcome->span[outcome->spans++] = (struct br_coflow_span){end_ms, run->span_bytes};
    assert(outcome->spans < 2 || outcome->span[outcome->spans - 2].end_ms <= end_ms);
    run->span_bytes = 0;
    return BR_OK;
}
