#include "cluster/coflow/coflows.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct br_coflows *br_coflows_create(uint32_t ports)
{
    struct br_coflows *trace = calloc(1, sizeof *trace);
    if (trace)
        trace->ports = ports;
    return trace;
}

void br_coflows_destroy(struct br_coflows *trace)
{
    if (!trace)
        return;
    br_arena_finish(&trace->arena);
    free(trace->coflow);
    free(trace->bytes);
    free(trace);
}

static int by_port(const void *one, const void *two)
{
    const struct br_coflow_end *a = one, *b = two;
    return (a->port > b->port) - (a->port < b->port);
}

/* Sorts the ends and joins those of one port; answers how many there are then. */
static uint32_t workload_coflows_join(struct br_coflow_end *end, uint32_t count)
{
    uint32_t kept = 0;
    qsort(end, count, sizeof *end, by_port);
    for (uint32_t k = 0; k < count; k++) {
        if (kept && end[kept - 1].port == end[k].port)
            end[kept - 1].bytes += end[k].bytes;
        else
            end[kept++] = end[k];
    }
    return kept;
}

static uint32_t *ports_of(struct br_coflows *trace, const struct br_coflow_end *end, uint32_t count)
{
    uint32_t *port = br_arena_array(&trace->arena, count, sizeof *port);
    for (uint32_t k = 0; port && k < count; k++)
        port[k] = end[k].port;
    return port;
}

/* Room for one more coflow and so many more flows. */
static bool workload_coflows_reserve(struct br_coflows *trace, uint64_t cells)
{
    if (trace->coflows == trace->room) {
        uint32_t room = trace->room ? 2 * trace->room : 64;
        struct br_coflow *larger = realloc(trace->coflow, room * sizeof *larger);
        if (!larger)
            return false;
        trace->coflow = larger;
        trace->room = room;
    }
    if (trace->flows + cells > trace->flow_room) {
        uint64_t room = 2 * trace->flow_room + cells + 1024;
        double *larger = realloc(trace->bytes, room * sizeof *larger);
        if (!larger)
            return false;
        trace->bytes = larger;
        trace->flow_room = room;
    }
    return true;
}

enum br_status br_coflows_add(struct br_coflows *trace, const struct br_coflow *about,
                              struct br_coflow_end *sender, struct br_coflow_end *receiver,
                              struct br_diag *diag)
{
    struct br_coflow coflow = *about;
    struct br_pos pos = {about->line, 0};
    if (!about->senders || !about->receivers)
        return br_fail_at(diag, pos, BR_BAD_INPUT, "give it at least one mapper and one reducer",
                          "the coflow has no %s", about->senders ? "reducers" : "mappers");
    coflow.senders = workload_coflows_join(sender, about->senders);
    coflow.receivers = workload_coflows_join(receiver, about->receivers);
    uint64_t cells = br_coflow_cells(&coflow);
    if (trace->flows + cells > BR_COFLOW_FLOWS_MOST)
        return br_fail_at(diag, pos, BR_BAD_INPUT, "split the trace",
                          "the trace has more than %llu flows",
                          (unsigned long long)BR_COFLOW_FLOWS_MOST);
    if (!workload_coflows_reserve(trace, cells))
        return br_fail_memory(diag);
    coflow.up = ports_of(trace, sender, coflow.senders);
    coflow.down = ports_of(trace, receiver, coflow.receivers);
    if (!coflow.up || !coflow.down)
        return br_fail_memory(diag);
    coflow.first = trace->flows;
    for (uint32_t r = 0; r < coflow.receivers; r++)
        for (uint32_t s = 0; s < coflow.senders; s++)
            trace->bytes[trace->flows++] = receiver[r].bytes / coflow.senders;
    assert(trace->flows == coflow.first + cells && trace->flows <= trace->flow_room);
    trace->coflow[trace->coflows++] = coflow;
    return BR_OK;
}

static int by_arrival(const void *one, const void *two)
{
    const struct br_coflow *a = one, *b = two;
    if (a->arrival_ms != b->arrival_ms)
        return a->arrival_ms < b->arrival_ms ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

enum br_status br_coflows_finish(struct br_coflows *trace, struct br_diag *diag)
{
    if (!trace->coflows)
        return br_fail(diag, BR_BAD_INPUT, "is this the file that you meant?",
                       "the trace has no coflows");
    qsort(trace->coflow, trace->coflows, sizeof *trace->coflow, by_arrival);
    return BR_OK;
}

uint64_t br_coflow_width(const struct br_coflows *trace, const struct br_coflow *coflow)
{
    uint64_t width = 0;
    for (uint64_t f = 0; f < br_coflow_cells(coflow); f++)
        width += trace->bytes[coflow->first + f] > 0;
    return width;
}

double br_coflow_bytes(const struct br_coflows *trace, const struct br_coflow *coflow)
{
    double sum = 0;
    for (uint64_t f = 0; f < br_coflow_cells(coflow); f++)
        sum += trace->bytes[coflow->first + f];
    return sum;
}

double br_coflow_skew(const struct br_coflows *trace, const struct br_coflow *coflow)
{
    double least = INFINITY, most = 0;
    for (uint64_t f = 0; f < br_coflow_cells(coflow); f++) {
        double bytes = trace->bytes[coflow->first + f];
        if (bytes > 0) {
            least = bytes < least ? bytes : least;
            most = bytes > most ? bytes : most;
        }
    }
    return most > 0 ? most / least : 1;
}

double br_coflow_bottleneck(const struct br_coflows *trace, const struct br_coflow *coflow)
{
    const double *bytes = trace->bytes + coflow->first;
    double most = 0;
    for (uint32_t r = 0; r < coflow->receivers; r++) {
        double sum = 0;
        for (uint32_t s = 0; s < coflow->senders; s++)
            sum += bytes[(uint64_t)r * coflow->senders + s];
        most = sum > most ? sum : most;
    }
    for (uint32_t s = 0; s < coflow->senders; s++) {
        double sum = 0;
        for (uint32_t r = 0; r < coflow->receivers; r++)
            sum += bytes[(uint64_t)r * coflow->senders + s];
        most = sum > most ? sum : most;
    }
    return most;
}
