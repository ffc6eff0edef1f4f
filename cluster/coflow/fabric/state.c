#include "cluster/coflow/fabric/state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- What policies see ---- */

uint32_t br_fabric_ports(const struct br_fabric *fabric)
{
    return fabric->trace->ports;
}

uint32_t br_fabric_coflows(const struct br_fabric *fabric)
{
    return fabric->trace->coflows;
}

double br_fabric_capacity(const struct br_fabric *fabric)
{
    return fabric->capacity;
}

double br_fabric_port_ms(const struct br_fabric *fabric, double bytes)
{
    return bytes / fabric->capacity * fabric->unit_ms;
}

double br_fabric_now_ms(const struct br_fabric *fabric)
{
    return fabric->now_ms;
}

const struct br_coflow *br_fabric_coflow(const struct br_fabric *fabric, uint32_t coflow)
{
    return &fabric->trace->coflow[coflow];
}

uint64_t br_fabric_width(const struct br_fabric *fabric, uint32_t coflow)
{
    return fabric->coflow[coflow].width;
}

uint64_t br_fabric_live(const struct br_fabric *fabric, uint32_t coflow)
{
    return fabric->coflow[coflow].live;
}

uint32_t br_fabric_live_up(const struct br_fabric *fabric, uint32_t coflow, uint32_t sender)
{
    return fabric->coflow[coflow].live_up[sender];
}

uint32_t br_fabric_live_down(const struct br_fabric *fabric, uint32_t coflow, uint32_t receiver)
{
    return fabric->coflow[coflow].live_down[receiver];
}

double br_fabric_sent(const struct br_fabric *fabric, uint32_t coflow)
{
    return fabric->coflow[coflow].sent;
}

double br_fabric_most_sent(const struct br_fabric *fabric, uint32_t coflow)
{
    return fabric->coflow[coflow].most_sent;
}

double br_fabric_flow_sent(const struct br_fabric *fabric, uint32_t coflow, uint32_t sender,
                           uint32_t receiver)
{
    uint64_t flow = br_fabric_flow(fabric, coflow, sender, receiver);
    assert(fabric->left[flow] <= fabric->size[flow]);
    return fabric->size[flow] - fabric->left[flow];
}

bool br_fabric_flow_ended(const struct br_fabric *fabric, uint32_t coflow, uint32_t sender,
                          uint32_t receiver)
{
    return br_fabric_over(fabric, br_fabric_flow(fabric, coflow, sender, receiver));
}

bool br_fabric_has_flow(const struct br_fabric *fabric, uint32_t coflow, uint32_t sender,
                        uint32_t receiver)
{
    return fabric->size[br_fabric_flow(fabric, coflow, sender, receiver)] > 0;
}

const uint32_t *br_fabric_live_senders(const struct br_fabric *fabric, uint32_t coflow,
                                       uint32_t receiver)
{
    return fabric->senders + br_fabric_flow(fabric, coflow, 0, receiver);
}

/* ---- Belief ---- */

void br_fabric_believe_row(struct br_fabric *fabric, uint32_t coflow, uint32_t receiver,
                           double flow_bytes)
{
    assert(flow_bytes >= 0);
    fabric->coflow[coflow].believed[receiver] = flow_bytes;
    fabric->coflow[coflow].estimated = true;
}

void br_fabric_believe(struct br_fabric *fabric, uint32_t coflow, double flow_bytes)
{
    for (uint32_t r = 0; r < fabric->trace->coflow[coflow].receivers; r++)
        br_fabric_believe_row(fabric, coflow, r, flow_bytes);
}

void br_fabric_learned(struct br_fabric *fabric, uint32_t coflow)
{
    struct br_coflow_state *state = &fabric->coflow[coflow];
    state->learned = true;
    state->learned_ms = fabric->now_ms;
    state->learned_sent = state->sent;
}

/* A flow that has sent more than it was believed to have counts as a tenth of that: it may be at
 * its end. */
static double state_left_of(const struct br_fabric *fabric, bool told, double believed,
                            uint64_t flow)
{
    if (told)
        return fabric->left[flow];
    if (believed <= 0)
        return 1;
    double left = believed - (fabric->size[flow] - fabric->left[flow]);
    return left > believed / 10 ? left : believed / 10;
}

double br_fabric_left(const struct br_fabric *fabric, uint32_t coflow, uint32_t sender,
                      uint32_t receiver)
{
    uint64_t flow = br_fabric_flow(fabric, coflow, sender, receiver);
    return br_fabric_over(fabric, flow)
               ? 0
               : state_left_of(fabric, fabric->told, fabric->coflow[coflow].believed[receiver],
                               flow);
}

static void add_up(const struct br_fabric *fabric, uint32_t coflow, bool told, double *up,
                   double *down)
{
    const struct br_coflow *c = &fabric->trace->coflow[coflow];
    const struct br_coflow_state *state = &fabric->coflow[coflow];
    memset(up, 0, c->senders * sizeof *up);
    for (uint32_t r = 0; r < c->receivers; r++) {
        uint64_t row = c->first + (uint64_t)r * c->senders;
        double sum = 0;
        for (uint32_t k = 0; k < state->live_down[r]; k++) {
            uint32_t s = fabric->senders[row + k];
            assert(s < c->senders && !br_fabric_over(fabric, row + s));
            double left = state_left_of(fabric, told, state->believed[r], row + s);
            up[s] += left;
            sum += left;
        }
        down[r] = sum;
    }
}

void br_fabric_ports_left(const struct br_fabric *fabric, uint32_t coflow, double *up, double *down)
{
    add_up(fabric, coflow, fabric->told, up, down);
}

/* Are rates made of the true remaining sizes of flows? */
static bool state_is_true(const struct br_fabric *fabric, uint32_t coflow)
{
    return fabric->told || (fabric->true_rates && fabric->coflow[coflow].estimated);
}

void br_fabric_rate_left(const struct br_fabric *fabric, uint32_t coflow, double *up, double *down)
{
    add_up(fabric, coflow, state_is_true(fabric, coflow), up, down);
}

double br_fabric_flow_rate_left(const struct br_fabric *fabric, uint32_t coflow, uint32_t receiver,
                                uint64_t flow)
{
    return state_left_of(fabric, state_is_true(fabric, coflow),
                         fabric->coflow[coflow].believed[receiver], flow);
}

double br_fabric_bottleneck(const struct br_fabric *fabric, uint32_t coflow)
{
    const struct br_coflow *c = &fabric->trace->coflow[coflow];
    double most = 0;
    br_fabric_ports_left(fabric, coflow, fabric->up, fabric->down);
    for (uint32_t s = 0; s < c->senders; s++)
        most = fabric->up[s] > most ? fabric->up[s] : most;
    for (uint32_t r = 0; r < c->receivers; r++)
        most = fabric->down[r] > most ? fabric->down[r] : most;
    return most;
}

double br_fabric_total_left(const struct br_fabric *fabric, uint32_t coflow)
{
    const struct br_coflow *c = &fabric->trace->coflow[coflow];
    double sum = 0;
    br_fabric_ports_left(fabric, coflow, fabric->up, fabric->down);
    for (uint32_t r = 0; r < c->receivers; r++)
        sum += fabric->down[r];
    return sum;
}

/* ---- Waking ---- */

void br_fabric_pilot(struct br_fabric *fabric, uint32_t coflow, uint32_t sender, uint32_t receiver)
{
    uint64_t flow = br_fabric_flow(fabric, coflow, sender, receiver);
    assert(!br_fabric_over(fabric, flow));
    fabric->coflow[coflow].pilots += !fabric->pilot[flow];
    fabric->pilot[flow] = true;
}

bool br_fabric_is_pilot(const struct br_fabric *fabric, uint32_t coflow, uint32_t sender,
                        uint32_t receiver)
{
    return fabric->pilot[br_fabric_flow(fabric, coflow, sender, receiver)];
}

void br_fabric_wake_at(struct br_fabric *fabric, uint32_t coflow, double sent)
{
    fabric->coflow[coflow].wake = sent;
}

void br_fabric_wake_flow(struct br_fabric *fabric, uint32_t coflow, double sent)
{
    fabric->coflow[coflow].wake_flow = sent;
}

void br_fabric_wake_ms(struct br_fabric *fabric, uint32_t coflow, double ms)
{
    fabric->coflow[coflow].wake_ms = ms;
}

/* ---- What clocks do ---- */

static double state_rounded_up(double bytes)
{
    double whole = (double)(int64_t)(bytes / BR_COFLOW_MB) * BR_COFLOW_MB;
    return whole < bytes ? whole + BR_COFLOW_MB : whole;
}

static bool state_allocate(struct br_fabric *fabric, uint64_t ends)
{
    uint64_t flows = fabric->trace->flows + 1;
    size_t ports = (size_t)fabric->trace->ports + 1;
    fabric->size = malloc(flows * sizeof *fabric->size);
    fabric->left = malloc(flows * sizeof *fabric->left);
    fabric->rate = calloc(flows, sizeof *fabric->rate);
    fabric->pilot = calloc(flows, sizeof *fabric->pilot);
    fabric->senders = malloc(flows * sizeof *fabric->senders);
    fabric->grant = malloc(flows * sizeof *fabric->grant);
    fabric->coflow = calloc((size_t)fabric->trace->coflows + 1, sizeof *fabric->coflow);
    fabric->live_ends = calloc(ends + 1, sizeof *fabric->live_ends);
    fabric->beliefs = calloc(ends + 1, sizeof *fabric->beliefs);
    fabric->free_up = malloc(ports * sizeof *fabric->free_up);
    fabric->free_down = malloc(ports * sizeof *fabric->free_down);
    fabric->up = calloc(ports, sizeof *fabric->up);
    fabric->down = calloc(ports, sizeof *fabric->down);
    fabric->up_part = calloc(ports, sizeof *fabric->up_part);
    fabric->words = fabric->trace->ports / 64 + 1;
    fabric->any_up = calloc(fabric->words, sizeof *fabric->any_up);
    fabric->any_down = calloc(fabric->words, sizeof *fabric->any_down);
    fabric->order = malloc(((size_t)fabric->trace->coflows + 1) * sizeof *fabric->order);
    fabric->up_flows = calloc(ports, sizeof *fabric->up_flows);
    fabric->down_flows = calloc(ports, sizeof *fabric->down_flows);
    return fabric->size && fabric->left && fabric->rate && fabric->pilot && fabric->senders &&
           fabric->grant && fabric->coflow && fabric->live_ends && fabric->beliefs &&
           fabric->free_up && fabric->free_down && fabric->up && fabric->down && fabric->up_part &&
           fabric->up_flows && fabric->down_flows && fabric->any_up && fabric->any_down &&
           fabric->order;
}

static void state_enter(struct br_fabric *fabric, uint32_t coflow, bool whole)
{
    const struct br_coflow *c = &fabric->trace->coflow[coflow];
    struct br_coflow_state *state = &fabric->coflow[coflow];
    for (uint32_t r = 0; r < c->receivers; r++) {
        uint64_t row = c->first + (uint64_t)r * c->senders;
        for (uint32_t s = 0; s < c->senders; s++) {
            double bytes = fabric->trace->bytes[row + s];
            bytes = whole ? state_rounded_up(bytes) : bytes;
            bytes = bytes > BR_FLOW_OVER ? bytes : 0;
            fabric->size[row + s] = fabric->left[row + s] = bytes;
            if (bytes > 0) {
                fabric->senders[row + state->live_down[r]++] = s;
                state->live_up[s]++;
                state->live++;
            }
        }
    }
    state->width = state->live;
}

enum br_status br_fabric_init(struct br_fabric *fabric, const struct br_coflows *trace,
                              double capacity, bool told, bool whole, struct br_diag *diag)
{
    uint64_t ends = 0;
    *fabric = (struct br_fabric){.trace = trace,
                                 .capacity = capacity,
                                 .told = told,
                                 .unit_ms = whole ? BR_FABRIC_TICK_MS : 1};
    for (uint32_t c = 0; c < trace->coflows; c++)
        ends += (uint64_t)trace->coflow[c].senders + trace->coflow[c].receivers;
    if (!state_allocate(fabric, ends))
        return br_fail_memory(diag);
    ends = 0;
    for (uint32_t c = 0; c < trace->coflows; c++) {
        fabric->coflow[c].live_up = fabric->live_ends + ends;
        ends += trace->coflow[c].senders;
        fabric->coflow[c].live_down = fabric->live_ends + ends;
        fabric->coflow[c].believed = fabric->beliefs + ends;
        ends += trace->coflow[c].receivers;
        state_enter(fabric, c, whole);
    }
    return BR_OK;
}

static void state_set_bit(uint64_t *bits, uint32_t port)
{
    bits[port / 64] |= UINT64_C(1) << (port % 64);
}

/* Fills the sets of a coflow's ports. */
static void set_bits(const struct br_fabric *fabric, uint32_t coflow)
{
    const struct br_coflow *c = &fabric->trace->coflow[coflow];
    const struct br_coflow_state *state = &fabric->coflow[coflow];
    for (uint32_t r = 0; r < c->receivers; r++) {
        const uint32_t *senders = br_fabric_live_senders(fabric, coflow, r);
        for (uint32_t k = 0; k < state->live_down[r]; k++) {
            uint32_t s = senders[k];
            assert(s < c->senders);
            state_set_bit(state->up_bits, c->up[s]);
            state_set_bit(state->down_bits, c->down[r]);
            if (state->of_sender)
                state_set_bit(state->of_sender + (size_t)s * fabric->words, c->down[r]);
            if (state->of_receiver)
                state_set_bit(state->of_receiver + (size_t)r * fabric->words, c->up[s]);
        }
    }
}

/* Room for sets of so many places. */
static bool make_places(struct br_fabric *fabric, uint32_t places)
{
    if (places <= 64 * fabric->place_words)
        return true;
    uint32_t words = 2 * fabric->place_words + 1;
    uint64_t *sets = calloc(2 * (size_t)fabric->trace->ports * words + 1, sizeof *sets);
    if (!sets)
        return false;
    free(fabric->at_port);
    fabric->at_port = sets;
    fabric->place_words = words;
    fabric->indexed = false;
    return true;
}

enum br_status br_fabric_enter(struct br_fabric *fabric, uint32_t coflow, struct br_diag *diag)
{
    const struct br_coflow *c = &fabric->trace->coflow[coflow];
    struct br_coflow_state *state = &fabric->coflow[coflow];
    size_t words = fabric->words;
    size_t senders = c->receivers < words ? 0 : c->senders;
    size_t receivers = c->senders < words ? 0 : c->receivers;
    state->up_bits = calloc((2 + senders + receivers) * words, sizeof *state->up_bits);
    if (!state->up_bits)
        return br_fail_memory(diag);
    state->down_bits = state->up_bits + words;
    state->of_sender = senders ? state->down_bits + words : NULL;
    state->of_receiver = receivers ? state->down_bits + (1 + senders) * words : NULL;
    set_bits(fabric, coflow);
    assert(fabric->there < fabric->trace->coflows);
    return make_places(fabric, ++fabric->there) ? BR_OK : br_fail_memory(diag);
}

void br_fabric_leave(struct br_fabric *fabric, uint32_t coflow)
{
    assert(!fabric->coflow[coflow].up_bits || fabric->there);
    fabric->there -= fabric->coflow[coflow].up_bits != NULL;
    free(fabric->coflow[coflow].up_bits);
    fabric->coflow[coflow].up_bits = fabric->coflow[coflow].down_bits = NULL;
}

void br_fabric_finish(struct br_fabric *fabric)
{
    for (uint32_t c = 0; fabric->coflow && c < fabric->trace->coflows; c++)
        br_fabric_leave(fabric, c);
    free(fabric->size);
    free(fabric->left);
    free(fabric->rate);
    free(fabric->pilot);
    free(fabric->senders);
    free(fabric->grant);
    free(fabric->coflow);
    free(fabric->live_ends);
    free(fabric->beliefs);
    free(fabric->free_up);
    free(fabric->free_down);
    free(fabric->any_up);
    free(fabric->any_down);
    free(fabric->order);
    free(fabric->at_port);
    free(fabric->raise);
    free(fabric->up);
    free(fabric->down);
    free(fabric->up_part);
    free(fabric->up_flows);
    free(fabric->down_flows);
    *fabric = (struct br_fabric){0};
}

static void clear_bit(uint64_t *bits, uint32_t port)
{
    bits[port / 64] &= ~(UINT64_C(1) << (port % 64));
}

/* Takes the sender out of the receiver's live ones, which keep their order. */
static void retire(struct br_fabric *fabric, const struct br_grant *grant)
{
    struct br_coflow_state *state = &fabric->coflow[grant->coflow];
    uint32_t *sender = fabric->senders + br_fabric_flow(fabric, grant->coflow, 0, grant->receiver);
    assert(state->live_down[grant->receiver] > 0);
    uint32_t count = state->live_down[grant->receiver]--, at = 0;
    while (sender[at] != grant->sender) {
        at++;
        assert(at < count);
    }
    memmove(sender + at, sender + at + 1, (count - at - 1) * sizeof *sender);
    const struct br_coflow *c = &fabric->trace->coflow[grant->coflow];
    uint32_t up = c->up[grant->sender], down = c->down[grant->receiver];
    assert(state->live && state->live_up[grant->sender]);
    if (--state->live_up[grant->sender] == 0)
        clear_bit(state->up_bits, up);
    if (state->live_down[grant->receiver] == 0)
        clear_bit(state->down_bits, down);
    if (state->of_sender)
        clear_bit(state->of_sender + (size_t)grant->sender * fabric->words, down);
    if (state->of_receiver)
        clear_bit(state->of_receiver + (size_t)grant->receiver * fabric->words, up);
    state->live--;
    assert(!fabric->pilot[grant->flow] || state->pilots);
    state->pilots -= fabric->pilot[grant->flow];
    assert(state->pilots <= state->live);
}

void br_fabric_move(struct br_fabric *fabric, const struct br_grant *grant, double bytes)
{
    double *left = &fabric->left[grant->flow];
    assert(*left > 0 && bytes >= 0);
    bool ends = *left - bytes <= BR_FLOW_OVER;
    bytes = ends ? *left : bytes;
    *left = ends ? 0 : *left - bytes;
    struct br_coflow_state *state = &fabric->coflow[grant->coflow];
    double sent = fabric->size[grant->flow] - *left;
    state->sent += bytes;
    state->most_sent = sent > state->most_sent ? sent : state->most_sent;
    if (ends)
        retire(fabric, grant);
}
