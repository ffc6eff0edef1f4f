#include "cluster/coflow/bounds/parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/coflow/clocks/epoch.h"

static double flow_bytes(const struct br_coflows *trace, uint64_t flow, bool whole)
{
    double bytes = trace->bytes[flow];
    double down = (double)(int64_t)(bytes / BR_COFLOW_MB) * BR_COFLOW_MB;
    return !whole ? bytes : down < bytes ? down + BR_COFLOW_MB : down;
}

static void bounds_parts_put(struct br_coflow_parts *parts, uint32_t coflow, uint32_t port,
                             double ms)
{
    if (ms <= 0)
        return;
    assert(port < parts->ports && parts->first[coflow] <= parts->first[coflow + 1]);
    assert(parts->first[coflow] == parts->first[coflow + 1] ||
           parts->part[parts->first[coflow + 1] - 1].port < port);
    parts->part[parts->first[coflow + 1]++] = (struct br_coflow_part){port, ms};
    if (ms > parts->busiest_ms[coflow])
        parts->busiest_ms[coflow] = ms;
}

static void put_all(struct br_coflow_parts *parts, const struct br_coflows *trace, uint32_t coflow,
                    double rate, bool whole)
{
    const struct br_coflow *c = &trace->coflow[coflow];
    for (uint32_t s = 0; s < c->senders; s++) {
        double sum = 0;
        for (uint32_t r = 0; r < c->receivers; r++)
            sum += flow_bytes(trace, c->first + (uint64_t)r * c->senders + s, whole);
        bounds_parts_put(parts, coflow, c->up[s], sum / rate);
    }
    for (uint32_t r = 0; r < c->receivers; r++) {
        double sum = 0;
        for (uint32_t s = 0; s < c->senders; s++)
            sum += flow_bytes(trace, c->first + (uint64_t)r * c->senders + s, whole);
        bounds_parts_put(parts, coflow, trace->ports + c->down[r], sum / rate);
    }
}

static double release_of(const struct br_coflow *coflow, bool epochs)
{
    int64_t ms = coflow->arrival_ms;
    if (!epochs)
        return (double)ms;
    int64_t epochs_before = (ms - 1) / BR_EPOCH_MS;
    return ms <= BR_EPOCH_MS ? 0 : (double)(epochs_before * BR_EPOCH_MS);
}

enum br_status br_coflow_parts_make(const struct br_coflows *trace,
                                    const struct br_coflow_options *options,
                                    struct br_coflow_parts *parts, struct br_diag *diag)
{
    bool epochs = options->clock == BR_CLOCK_EPOCHS;
    double rate = !epochs && options->port_rate > 0 ? options->port_rate : BR_COFLOW_PORT_RATE;
    size_t coflows = (size_t)trace->coflows + 1;
    uint64_t ends = 0;
    for (uint32_t c = 0; c < trace->coflows; c++)
        ends += (uint64_t)trace->coflow[c].senders + trace->coflow[c].receivers;
    *parts = (struct br_coflow_parts){.coflows = trace->coflows, .ports = 2 * trace->ports};
    parts->release_ms = malloc(coflows * sizeof *parts->release_ms);
    parts->busiest_ms = calloc(coflows, sizeof *parts->busiest_ms);
    parts->first = calloc(coflows, sizeof *parts->first);
    parts->part = malloc((ends + 1) * sizeof *parts->part);
    if (!parts->release_ms || !parts->busiest_ms || !parts->first || !parts->part)
        return br_fail_memory(diag);
    for (uint32_t c = 0; c < trace->coflows; c++) {
        parts->release_ms[c] = release_of(&trace->coflow[c], epochs);
        parts->first[c + 1] = parts->first[c];
        put_all(parts, trace, c, rate, epochs);
        parts->releases_ms += parts->busiest_ms[c] > 0 ? parts->release_ms[c] : 0;
        assert(parts->first[c + 1] <= ends);
    }
    return BR_OK;
}

void br_coflow_parts_finish(struct br_coflow_parts *parts)
{
    free(parts->release_ms);
    free(parts->busiest_ms);
    free(parts->first);
    free(parts->part);
    *parts = (struct br_coflow_parts){0};
}
