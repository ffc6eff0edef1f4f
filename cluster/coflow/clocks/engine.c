#include "cluster/coflow/clocks/engine.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "cluster/coflow/clocks/run.h"

/* The processor time of this thread alone, so that other work of the computer does not count. */
static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static bool clocks_engine_allocate(struct br_coflow_outcome *outcome, uint32_t coflows)
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
        outcome->guess[c] = (struct br_coflow_guess){NAN, NAN, NAN, NAN};
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
    if (!clocks_engine_allocate(outcome, trace->coflows))
        return br_fail_memory(diag);
    enum br_status status = br_fabric_init(&run.fabric, trace, epochs ? BR_COFLOW_MB : capacity,
                                           run.row->told, epochs, diag);
    run.fabric.true_rates = epochs && run.row->true_rates;
    struct br_coflow_setup setup = options->policy;
    setup.fabric = &run.fabric;
    setup.exact = !epochs;
    if (!status && run.row->create)
        status = run.row->create(&setup, &run.policy, diag);
    if (!status && run.row->by_flow)
        status = epochs ? br_run_shares(&run) : br_run_max_min(&run);
    else if (!status)
        status = epochs ? br_run_epochs(&run) : br_run_exact(&run);
    if (run.row->destroy)
        run.row->destroy(run.policy);
    br_fabric_finish(&run.fabric);
    outcome->seconds = processor_seconds() - began_s;
    return status;
}
