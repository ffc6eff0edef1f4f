/* Rates of transfers, in exact numbers. */
#include "planner/ports/flows.h"

#include <assert.h>
#include <string.h>

#include "base/collections/csr.h"
#include "base/collections/grow.h"
#include "base/collections/memory.h"
#include "base/collections/sort.h"

/* 1e-9 bytes in a byte, and nanoseconds in a second. */
static const int64_t nano = 1000000000;

bool br_flows_init(struct br_flows *flows, const struct br_ports *ports)
{
    size_t machines = ports->machines;
    *flows = (struct br_flows){.ports = *ports};
    flows->up = br_malloc(machines * sizeof *flows->up);
    flows->down = br_malloc(machines * sizeof *flows->down);
    flows->ups = br_calloc(machines, sizeof *flows->ups);
    flows->downs = br_calloc(machines, sizeof *flows->downs);
    flows->load = br_calloc(2 * machines, sizeof *flows->load);
    flows->port = br_malloc(2 * machines * sizeof *flows->port);
    flows->port_first = br_malloc((2 * machines + 2) * sizeof *flows->port_first);
    return flows->up && flows->down && flows->ups && flows->downs && flows->load && flows->port &&
           flows->port_first;
}

void br_flows_finish(struct br_flows *flows)
{
    br_free(flows->flow);
    br_free(flows->up);
    br_free(flows->down);
    br_free(flows->ups);
    br_free(flows->downs);
    br_free(flows->load);
    br_free(flows->port);
    br_free(flows->port_first);
    br_free(flows->at_port);
    br_free(flows->moved);
    br_free(flows->moved_by);
    *flows = (struct br_flows){0};
}

void br_flows_clear(struct br_flows *flows, enum br_sharing sharing, bool record)
{
    flows->sharing = sharing;
    flows->record = record;
    flows->flows = flows->moves = 0;
    flows->next_ns = flows->sinks_ns = BR_NETWORK_NEVER;
    flows->changed = false;
    if (flows->moved_by)
        memset(flows->moved_by, 0, flows->coflow_room * sizeof *flows->moved_by);
}

/* Room for what the coflow has moved, for policies that count it. */
static bool reach_coflow(struct br_flows *flows, uint32_t coflow)
{
    while (flows->sharing == BR_SHARE_SINKING && coflow >= flows->coflow_room) {
        uint32_t before = flows->coflow_room;
        if (!br_grow(&flows->moved_by, before, &flows->coflow_room, sizeof *flows->moved_by))
            return false;
        memset(flows->moved_by + before, 0,
               (flows->coflow_room - before) * sizeof *flows->moved_by);
    }
    return true;
}

/* Is x before y, of two flows of one key? */
static bool flows_is_less(const struct br_flow *x, const struct br_flow *y)
{
    return x->coflow != y->coflow ? x->coflow < y->coflow : x->id < y->id;
}

bool br_flows_add(struct br_flows *flows, const struct br_flow *flow, int64_t bytes, int64_t now_ns)
{
    assert(bytes > 0 && flow->from != flow->to);
    if (!br_grow(&flows->flow, flows->flows, &flows->room, sizeof *flows->flow) ||
        !reach_coflow(flows, flow->coflow))
        return false;
    struct br_flow new = {.from = flow->from,
                          .to = flow->to,
                          .coflow = flow->coflow,
                          .id = flow->id,
                          .owner = flow->owner,
                          .key = flows->sharing == BR_SHARE_FIFO ? (uint64_t)now_ns : flow->key,
                          .left = (br_wide)bytes * nano,
                          .since_ns = now_ns,
                          .end_ns = BR_NETWORK_NEVER};
    uint32_t low = 0, high = flows->flows;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct br_flow *f = &flows->flow[middle];
        if (f->key < new.key || (f->key == new.key &&flows_is_less(f, &new)))
            low = middle + 1;
        else
            high = middle;
    }
    memmove(&flows->flow[low + 1], &flows->flow[low], (flows->flows - low) * sizeof *flows->flow);
    flows->flow[low] = new;
    flows->flows++;
    flows->changed = true;
    return true;
}

/* Accounts for the amount that the flow has moved at its rate. */
static bool flows_settle(struct br_flows *flows, struct br_flow *f, int64_t now_ns)
{
    if (f->rate && now_ns > f->since_ns) {
        if (flows->record) {
            if (!br_grow(&flows->moved, flows->moves, &flows->move_room, sizeof *flows->moved))
                return false;
            flows->moved[flows->moves++] = (struct br_moved){f->id, f->since_ns, now_ns, f->rate};
        }
        f->left -= (br_wide)f->rate * (now_ns - f->since_ns);
        if (flows->sharing == BR_SHARE_SINKING)
            flows->moved_by[f->coflow] += (br_wide)f->rate * (now_ns - f->since_ns);
    }
    f->since_ns = now_ns;
    return true;
}

/* From now on the flow moves at this rate. */
static bool flows_set_rate(struct br_flows *flows, struct br_flow *f, int64_t rate, int64_t now_ns)
{
    if (rate != f->rate) {
        if (!flows_settle(flows, f, now_ns))
            return false;
        f->rate = rate;
        f->end_ns = BR_NETWORK_NEVER;
        if (rate) {
            br_wide lasts = (f->left + rate - 1) / rate;
            if (lasts < BR_FLOWS_LATEST - now_ns)
                f->end_ns = now_ns + (int64_t)lasts;
        }
    }
    if (f->end_ns < flows->next_ns)
        flows->next_ns = f->end_ns;
    return true;
}

/* In order, each as much as is left. */
static bool share_in_order(struct br_flows *flows, int64_t now_ns)
{
    for (uint32_t k = 0; k < flows->flows; k++) {
        struct br_flow *f = &flows->flow[k];
        int64_t *up = &flows->up[f->from], *down = &flows->down[f->to];
        int64_t rate = *up < *down ? *up : *down;
        *up -= rate;
        *down -= rate;
        if (!flows_set_rate(flows, f, rate, now_ns))
            return false;
    }
    return true;
}

/* The share of a port that each of its flows without a rate would get; at least 1 byte a second. */
static int64_t flows_share_of(int64_t left, uint32_t flows)
{
    return left / flows ? left / flows : 1;
}

/* Lists the flows of every port, in their order. */
static bool list_by_port(struct br_flows *flows)
{
    uint32_t ports = 2 * flows->ports.machines, *first = flows->port_first;
    while (flows->at_room < 2 * flows->flows)
        if (!br_grow(&flows->at_port, flows->at_room, &flows->at_room, sizeof *flows->at_port))
            return false;
    for (uint32_t k = 0; k < flows->flows; k++) {
        flows->ups[flows->flow[k].from]++;
        flows->downs[flows->flow[k].to]++;
    }
    /* Counted already, so laid out at once, for br_csr_place. */
    first[0] = first[1] = 0;
    for (uint32_t p = 0; p < ports; p++)
        first[p + 2] = first[p + 1] + (p % 2 ? flows->downs[p / 2] : flows->ups[p / 2]);
    for (uint32_t k = 0; k < flows->flows; k++) {
        flows->at_port[br_csr_place(first, 2 * flows->flow[k].from)] = k;
        flows->at_port[br_csr_place(first, 2 * flows->flow[k].to + 1)] = k;
    }
    return true;
}

static int64_t share_of_port(const struct br_flows *flows, uint32_t port)
{
    uint32_t m = port / 2;
    return port % 2 ? flows_share_of(flows->down[m], flows->downs[m])
                    : flows_share_of(flows->up[m], flows->ups[m]);
}

static bool gives_less(struct br_port a, struct br_port b)
{
    return a.share != b.share ? a.share < b.share : a.port < b.port;
}

/* Puts the port at the place, or further down. */
static void flows_sink(struct br_port *heap, uint32_t count, uint32_t at, struct br_port port)
{
    for (uint32_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && gives_less(heap[child + 1], heap[child]))
            child++;
        if (!gives_less(heap[child], port))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = port;
}

static uint32_t make_heap(struct br_flows *flows)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < 2 * flows->ports.machines; p++)
        if (p % 2 ? flows->downs[p / 2] : flows->ups[p / 2])
            flows->port[count++] = (struct br_port){share_of_port(flows, p), p};
    for (uint32_t k = count / 2; k-- > 0;)
        flows_sink(flows->port, count, k, flows->port[k]);
    return count;
}

/* The flows of the port that have no rate get the share. */
static bool share_port(struct br_flows *flows, struct br_port port, int64_t now_ns)
{
    uint32_t begin = flows->port_first[port.port], end = flows->port_first[port.port + 1];
    for (uint32_t i = begin; i < end; i++) {
        struct br_flow *f = &flows->flow[flows->at_port[i]];
        int64_t rate = port.share;
        if (f->key == UINT64_MAX)
            continue;
        rate = rate < flows->up[f->from] ? rate : flows->up[f->from];
        rate = rate < flows->down[f->to] ? rate : flows->down[f->to];
        flows->up[f->from] -= rate;
        flows->down[f->to] -= rate;
        flows->ups[f->from]--;
        flows->downs[f->to]--;
        f->key = UINT64_MAX; /* has its rate; the order means nothing here */
        if (!flows_set_rate(flows, f, rate, now_ns))
            return false;
    }
    return true;
}

/* Max-min fairness: again and again the port with the least to give decides for its flows. What a
 * port gives never falls while others decide, so a heap of what each gave once is enough: its first
 * one is set anew and has decided, or sinks. */
static bool share_fairly(struct br_flows *flows, int64_t now_ns)
{
    if (!list_by_port(flows))
        return false;
    for (uint32_t count = make_heap(flows); count;) {
        struct br_port port = flows->port[0];
        uint32_t left = port.port % 2 ? flows->downs[port.port / 2] : flows->ups[port.port / 2];
        int64_t share = left ? share_of_port(flows, port.port) : 0;
        assert(!left || share >= port.share);
        if (left && share > port.share) {
            flows_sink(flows->port, count, 0, (struct br_port){share, port.port});
            continue;
        }
        if (left) {
            flows->work += flows->flows + flows->ports.machines;
            if (!share_port(flows, port, now_ns))
                return false;
        }
        if (--count)
            flows_sink(flows->port, count, 0, flows->port[count]);
    }
    for (uint32_t k = 0; k < flows->flows; k++)
        flows->flow[k].key = 0;
    return true;
}

static int by_due(const void *a, const void *b)
{
    const struct br_flow *x = a, *y = b;
    if (x->due != y->due)
        return x->due < y->due ? -1 : 1;
    return flows_is_less(x, y) ? -1 : flows_is_less(y, x);
}

static int by_coflow(const void *a, const void *b)
{
    const struct br_flow *x = a, *y = b;
    return flows_is_less(x, y) ? -1 : flows_is_less(y, x);
}

/* The time that the busiest port needs for what is left of these flows. */
static double bottleneck_of(struct br_flows *flows, uint32_t first, uint32_t end)
{
    double most = 0;
    for (uint32_t k = first; k < end; k++) {
        const struct br_flow *f = &flows->flow[k];
        double *up = &flows->load[2 * f->from], *down = &flows->load[2 * f->to + 1];
        *up += (double)f->left / (double)flows->ports.up[f->from];
        *down += (double)f->left / (double)flows->ports.down[f->to];
        most = most < *up ? *up : most;
        most = most < *down ? *down : most;
    }
    for (uint32_t k = first; k < end; k++)
        flows->load[2 * flows->flow[k].from] = flows->load[2 * flows->flow[k].to + 1] = 0;
    return most;
}

/* What ends the queue, in 1e-9 bytes; the last one has no end. */
static br_wide queue_end(int queue)
{
    br_wide end = (br_wide)BR_FLOWS_FIRST_QUEUE * nano;
    while (queue--)
        end *= BR_FLOWS_FACTOR;
    return end;
}

static int queue_of(const struct br_flows *flows, uint32_t coflow)
{
    int queue = 0;
    while (queue + 1 < BR_FLOWS_QUEUES && flows->moved_by[coflow] >= queue_end(queue))
        queue++;
    return queue;
}

/* What the coflow of these flows comes after. */
static double due_of(struct br_flows *flows, uint32_t first, uint32_t end)
{
    double left = 0;
    if (flows->sharing == BR_SHARE_SEBF)
        return bottleneck_of(flows, first, end);
    if (flows->sharing == BR_SHARE_SINKING)
        return queue_of(flows, flows->flow[first].coflow);
    for (uint32_t k = first; k < end; k++)
        left += (double)flows->flow[k].left;
    return left;
}

/* The end of the flows of one coflow, which are neighbours. */
static uint32_t coflow_end(const struct br_flows *flows, uint32_t first)
{
    uint32_t end = first;
    while (end < flows->flows && flows->flow[end].coflow == flows->flow[first].coflow)
        end++;
    return end;
}

/* Orders the flows by what the sharing asks of their coflows. */
static bool order_by_coflow(struct br_flows *flows, int64_t now_ns)
{
    br_sort_by(flows->flow, flows->flows, sizeof *flows->flow, by_coflow);
    for (uint32_t k = 0; k < flows->flows; k++)
        if (!flows_settle(flows, &flows->flow[k], now_ns))
            return false;
    for (uint32_t first = 0, end; first < flows->flows; first = end) {
        end = coflow_end(flows, first);
        double due = due_of(flows, first, end);
        for (uint32_t k = first; k < end; k++)
            flows->flow[k].due = due;
    }
    br_sort_by(flows->flow, flows->flows, sizeof *flows->flow, by_due);
    return true;
}

/* Finds when the next coflow has moved all that its queue takes; rates are set. */
static void expect_sinking(struct br_flows *flows, int64_t now_ns)
{
    for (uint32_t first = 0, end; first < flows->flows; first = end) {
        uint32_t coflow = flows->flow[first].coflow;
        int queue = queue_of(flows, coflow);
        int64_t rate = 0;
        end = coflow_end(flows, first);
        for (uint32_t k = first; k < end; k++)
            rate += flows->flow[k].rate;
        if (!rate || queue + 1 == BR_FLOWS_QUEUES)
            continue;
        br_wide lasts = (queue_end(queue) - flows->moved_by[coflow] + rate - 1) / rate;
        if (lasts < BR_FLOWS_LATEST - now_ns && now_ns + (int64_t)lasts < flows->sinks_ns)
            flows->sinks_ns = now_ns + (int64_t)lasts;
    }
    flows->next_ns = flows->sinks_ns < flows->next_ns ? flows->sinks_ns : flows->next_ns;
}

bool br_flows_share(struct br_flows *flows, int64_t now_ns)
{
    uint32_t machines = flows->ports.machines;
    if (!flows->changed && flows->sinks_ns > now_ns)
        return true;
    flows->changed = false;
    flows->next_ns = flows->sinks_ns = BR_NETWORK_NEVER;
    flows->work += flows->flows + machines / 8;
    memcpy(flows->up, flows->ports.up, machines * sizeof *flows->up);
    memcpy(flows->down, flows->ports.down, machines * sizeof *flows->down);
    if (flows->sharing == BR_SHARE_FAIR)
        return share_fairly(flows, now_ns);
    bool by_coflows = flows->sharing >= BR_SHARE_SEBF;
    if ((by_coflows && !order_by_coflow(flows, now_ns)) || !share_in_order(flows, now_ns))
        return false;
    if (flows->sharing == BR_SHARE_SINKING)
        expect_sinking(flows, now_ns);
    return true;
}

void br_flows_remove(struct br_flows *flows, uint32_t k)
{
    struct br_flow *f = &flows->flow[k];
    memmove(f, f + 1, (flows->flows - k - 1) * sizeof *f);
    flows->flows--;
    flows->changed = true;
}

bool br_flows_pop(struct br_flows *flows, int64_t now_ns, struct br_flow *flow, bool *memory)
{
    if (flows->next_ns > now_ns)
        return false;
    for (uint32_t k = 0; k < flows->flows; k++) {
        struct br_flow *f = &flows->flow[k];
        if (f->end_ns > now_ns)
            continue;
        *memory = flows_settle(flows, f, now_ns) && *memory;
        assert(f->left <= 0);
        *flow = *f;
        br_flows_remove(flows, k);
        return true;
    }
    return false;
}
