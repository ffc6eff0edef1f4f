/* Hands the ports of a flow that has ended to others. Only the coflows with flows at the port
 * count, so the order is indexed by port when the first flow ends after a decision.
 */
#include <assert.h>
#include <string.h>

#include "cluster/coflow/fabric/rates.h"
#include "cluster/coflow/fabric/state.h"

/* One side of the fabric: where a flow comes from, or where it goes to. */
enum side { UP, DOWN };

static bool hand_on_has_bit(const uint64_t *bits, uint32_t place)
{
    return bits[place / 64] >> (place % 64) & 1;
}

static const uint64_t *free_ports(const struct br_fabric *fabric, enum side side)
{
    return side == UP ? fabric->any_up : fabric->any_down;
}

/* Ports with live flows of the coflow. */
static const uint64_t *live_ports(const struct br_fabric *fabric, uint32_t coflow, enum side side)
{
    const struct br_coflow_state *state = &fabric->coflow[coflow];
    return side == UP ? state->up_bits : state->down_bits;
}

static uint64_t *places_at(const struct br_fabric *fabric, enum side side, uint32_t port)
{
    size_t row = side == UP ? port : (size_t)fabric->trace->ports + port;
    return fabric->at_port + row * fabric->place_words;
}

static void index_side(struct br_fabric *fabric, enum side side, uint32_t place)
{
    assert(place < fabric->ordered);
    const uint64_t *live = live_ports(fabric, fabric->order[place], side);
    for (uint32_t w = 0; w < fabric->words; w++)
        for (uint64_t bits = live[w]; bits; bits &= bits - 1) {
            uint32_t port = w * 64 + (uint32_t)__builtin_ctzll(bits);
            places_at(fabric, side, port)[place / 64] |= UINT64_C(1) << (place % 64);
        }
}

static void index_order(struct br_fabric *fabric)
{
    size_t sets = 2 * (size_t)fabric->trace->ports;
    assert(fabric->ordered <= 64 * fabric->place_words);
    memset(fabric->at_port, 0, sets * fabric->place_words * sizeof *fabric->at_port);
    for (uint32_t k = 0; k < fabric->ordered; k++) {
        index_side(fabric, UP, k);
        index_side(fabric, DOWN, k);
    }
    fabric->indexed = true;
}

/* The place of the port among the coflow's on that side, ascending; it is there. */
static uint32_t hand_on_place_of(const struct br_fabric *fabric, uint32_t coflow, enum side side,
                                 uint32_t port)
{
    const struct br_coflow *c = &fabric->trace->coflow[coflow];
    const uint32_t *end = side == UP ? c->up : c->down;
    uint32_t low = 0, count = side == UP ? c->senders : c->receivers;
    while (count > 1) {
        uint32_t half = count / 2;
        low = end[low + half] <= port ? low + half : low;
        count -= half;
    }
    assert(end[low] == port);
    return low;
}

static void give_flow(struct br_fabric *fabric, uint32_t coflow, enum side side, uint32_t here,
                      uint32_t there)
{
    if (side == UP)
        br_rates_flow(fabric, coflow, here, there);
    else
        br_rates_flow(fabric, coflow, there, here);
}

/* Gives what is free at the port to the coflow's live flows, by ports of the other side with
 * something free. */
static void hand_on_give(struct br_fabric *fabric, uint32_t coflow, enum side side, uint32_t port)
{
    const struct br_coflow *c = &fabric->trace->coflow[coflow];
    const struct br_coflow_state *state = &fabric->coflow[coflow];
    enum side opposite = side == UP ? DOWN : UP;
    const uint64_t *live = side == UP ? state->of_sender : state->of_receiver;
    const uint64_t *free = free_ports(fabric, opposite);
    uint32_t here = hand_on_place_of(fabric, coflow, side, port);
    if (!live) { /* few ends on the other side */
        const uint32_t *other = side == UP ? c->down : c->up;
        for (uint32_t k = 0; k < (side == UP ? c->receivers : c->senders); k++) {
            uint32_t sender = side == UP ? here : k, receiver = side == UP ? k : here;
            if (hand_on_has_bit(free, other[k]) &&
                !br_fabric_over(fabric, br_fabric_flow(fabric, coflow, sender, receiver)))
                br_rates_flow(fabric, coflow, sender, receiver);
        }
        return;
    }
    live += (size_t)here * fabric->words;
    for (uint32_t w = 0; w < fabric->words; w++)
        for (uint64_t bits = live[w] & free[w]; bits; bits &= bits - 1) {
            uint32_t other = w * 64 + (uint32_t)__builtin_ctzll(bits);
            give_flow(fabric, coflow, side, here,
                      hand_on_place_of(fabric, coflow, opposite, other));
            if (!hand_on_has_bit(free_ports(fabric, side), port))
                return;
        }
}

/* Gives what is free at the port to coflows in their order. */
static void give_in_order(struct br_fabric *fabric, enum side side, uint32_t port)
{
    const uint64_t *places = places_at(fabric, side, port);
    for (uint32_t w = 0; w < (fabric->ordered + 63) / 64; w++)
        for (uint64_t bits = places[w]; bits; bits &= bits - 1) {
            assert(w * 64 + (uint32_t)__builtin_ctzll(bits) < fabric->ordered);
            uint32_t coflow = fabric->order[w * 64 + (uint32_t)__builtin_ctzll(bits)];
            if (!hand_on_has_bit(free_ports(fabric, side), port))
                return;
            if (hand_on_has_bit(live_ports(fabric, coflow, side), port))
                hand_on_give(fabric, coflow, side, port);
        }
}

void br_rates_hand_on(struct br_fabric *fabric, uint32_t up, uint32_t down)
{
    if (!fabric->indexed)
        index_order(fabric);
    give_in_order(fabric, UP, up);
    give_in_order(fabric, DOWN, down);
}
