#include "simulate/coflow/engine.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "simulate/coflow/run.h"

enum br_status br_run_arrive(struct br_coflow_run *run, uint32_t coflow, double start_ms)
{
    run->outcome->start_ms[coflow] = start_ms;
    run->outcome->events++;
    run->arrived++;
    if (run->fabric.coflow[coflow].live == 0) {
        run->outcome->end_ms[coflow] = start_ms;
        run->outcome->finished++;
        return BR_OK;
    }
    run->active++;
    enum br_status status = br_fabric_enter(&run->fabric, coflow, run->diag);
    if (!status)
        run->row->event(run->policy, BR_COFLOW_ARRIVES, coflow);
    return status;
}

void br_run_leave(struct br_coflow_run *run, uint32_t coflow, double end_ms)
{
    run->outcome->end_ms[coflow] = end_ms;
    run->outcome->finished++;
    run->outcome->events++;
    run->active--;
    run->row->event(run->policy, BR_COFLOW_LEAVES, coflow);
    br_fabric_leave(&run->fabric, coflow);
}

void br_run_flow(struct br_coflow_run *run, const struct br_grant *grant)
{
    run->outcome->events++;
    if (run->row->flow)
        run->row->flow(run->policy, grant->coflow, grant->receiver, run->fabric.size[grant->flow]);
}

void br_run_pilots(struct br_coflow_run *run, uint32_t coflow)
{
    const struct br_coflow *c = &run->trace->coflow[coflow];
    const struct br_coflow_state *state = &run->fabric.coflow[coflow];
    struct br_coflow_guess *guess = &run->outcome->guess[coflow];
    run->row->event(run->policy, BR_COFLOW_PILOTS, coflow);
    if (!state->estimated)
        return;
    *guess = (struct br_coflow_guess){0, 0, run->fabric.now_ms};
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
    run->span_bytes = 0;
    return BR_OK;
}

/* Of this thread, so that what else the computer does is not counted. */
static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static bool allocate(struct br_coflow_outcome *outcome, uint32_t coflows)
{
    size_t room = (size_t)coflows + 1;
    outcome->coflows = coflows;
    outcome->start_ms = malloc(room * sizeof *outcome->start_ms);
    outcome->end_ms = malloc(room * sizeof *outcome->end_ms);
    outcome->guess = malloc(room * sizeof *outcome->guess);
    if (!outcome->start_ms || !outcome->end_ms || !outcome->guess)
        return false;
    for (uint32_t c = 0; c < coflows; c++) {
        outcome->start_ms[c] = outcome->end_ms[c] = NAN;
        outcome->guess[c] = (struct br_coflow_guess){NAN, NAN, NAN};
    }
    return true;
}

enum br_status br_coflow_simulate(const struct br_coflows *trace,
                                  const struct br_coflow_options *options,
                                  struct br_coflow_outcome *outcome, struct br_diag *diag)
{
    struct br_coflow_run run = {.trace = trace,
                                .options = options,
                                .row = options->policy.row,
                                .outcome = outcome,
                                .diag = diag};
    bool epochs = options->clock == BR_CLOCK_EPOCHS;
    double capacity = options->port_rate > 0 ? options->port_rate : BR_COFLOW_PORT_RATE;
    double began_s = processor_seconds();
    *outcome = (struct br_coflow_outcome){0};
    if (!allocate(outcome, trace->coflows))
        return br_fail_memory(diag);
    enum br_status status = br_fabric_init(&run.fabric, trace, epochs ? BR_COFLOW_MB : capacity,
                                           run.row->told, epochs, diag);
    struct br_coflow_setup setup = options->policy;
    setup.fabric = &run.fabric;
    setup.exact = !epochs;
    if (!status)
        status = run.row->create(&setup, &run.policy, diag);
    if (!status)
        status = !epochs            ? br_run_exact(&run)
                 : run.row->by_flow ? br_run_shares(&run)
                                    : br_run_epochs(&run);
    run.row->destroy(run.policy);
    br_fabric_finish(&run.fabric);
    outcome->seconds = processor_seconds() - began_s;
    return status;
}
