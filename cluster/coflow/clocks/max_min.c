/* Max-min fair rates by flow, without ticks [Bertsekas92, 6.5.2]: all flows grow alike until a port
 * is full, whose flows then keep their rate; and so on until all ports are full.
 *
 * Ports fill in steps of rising rates. A flow that ends had the rate of one of these steps; all
 * lower steps stay as they are without it, since both its ports were not full then and have fewer
 * flows now. So what was free at the beginning of each step is kept, and filling goes on from the
 * lowest rate among the flows that ended. Only pairs whose rate changes get a new end. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"
#include "cluster/coflow/clocks/pairs.h"

/* The rates that flows of full ports take of a port. */
struct taken {
    double rate;
    uint32_t flows;
};

struct step {
    uint32_t port; /* uplinks, then downlinks */
    double rate;   /* of the flows that it stops */
    double moves;  /* all flows of full ports, a millisecond, before it */
};

struct max_min {
    struct br_coflow_run *run;
    struct br_pairs pairs;
    uint32_t ports; /* uplinks and downlinks */
    struct step *step;
    uint32_t steps;
    double lowest;       /* rate from which on steps are void; INFINITY: none is */
    struct taken *taken; /* before each step, and after the last: by port */
    uint32_t *full;      /* by port: its step; `steps` or more: none */
    uint32_t *open;      /* ports that are not full, ascending */
    uint32_t opens, open_ups;
    bool *lost;   /* by uplink: the first end among its pairs is to be found anew */
    bool *failed; /* by port of the fabric */
    double moves; /* all flows, a millisecond */
};

/* ---- Filling ---- */

static uint32_t flows_at(const struct max_min *m, uint32_t port)
{
    return port < m->pairs.ups ? m->pairs.up[port] : m->pairs.down[port - m->pairs.ups];
}

static double max_min_capacity_of(const struct max_min *m, uint32_t port)
{
    const struct br_pairs *pairs = &m->pairs;
    uint32_t of_fabric =
        port < pairs->ups ? pairs->up_port[port] : pairs->down_port[port - pairs->ups];
    return m->failed[of_fabric] ? 0 : m->run->fabric.capacity;
}

static struct taken *taken_before(const struct max_min *m, uint32_t step)
{
    return m->taken + (size_t)step * m->ports;
}

/* The open port whose flows stop first, its place among the open ones in *at, their rate in *rate;
 * ports without flows that could grow are closed. False if none is left. */
static bool find_tightest(struct max_min *m, const struct taken *taken, double *rate, uint32_t *at)
{
    uint32_t kept = 0, kept_ups = 0;
    double free = 0, flows = 0;
    for (uint32_t k = 0; k < m->opens; k++) {
        uint32_t port = m->open[k], count = flows_at(m, port) - taken[port].flows;
        assert(taken[port].flows <= flows_at(m, port));
        if (!count)
            continue;
        double its = max_min_capacity_of(m, port) - taken[port].rate;
        its = its > 0 ? its : 0;
        if (kept == 0 || its * flows < free * count) {
            free = its;
            flows = count;
            *at = kept;
        }
        kept_ups += k < m->open_ups;
        m->open[kept++] = port;
    }
    m->opens = kept;
    m->open_ups = kept_ups;
    *rate = kept ? free / flows : 0;
    return kept > 0;
}

static void max_min_set_rate(struct max_min *m, uint32_t up, struct br_pair *pair, double rate)
{
    double before = pair->next;
    if (pair->rate == rate && before < INFINITY) /* the very same: it goes on */
        return;
    br_pair_settle(&m->pairs, pair);
    pair->rate = rate;
    assert(pair->size > 0);
    pair->next = rate > 0 ? m->pairs.now + (pair->heap[0].moved - pair->moved) / rate : INFINITY;
    m->lost[up] |= before <= m->pairs.first[up] && pair->next > before;
    m->pairs.first[up] = fmin(m->pairs.first[up], pair->next);
}

/* The flows between a port and the open ports of the other side have that rate. */
static void max_min_stop_flows(struct max_min *m, uint32_t port, double rate, struct taken *taken)
{
    bool is_up = port < m->pairs.ups;
    uint32_t from = is_up ? m->open_ups : 0, to = is_up ? m->opens : m->open_ups;
    for (uint32_t k = from; k < to; k++) {
        uint32_t other = m->open[k], up = is_up ? port : other;
        uint32_t down = (is_up ? other : port) - m->pairs.ups;
        assert(down < m->pairs.downs);
        struct br_pair *pair = br_pair_of(&m->pairs, up, down);
        if (!pair->size)
            continue;
        taken[other].rate += rate * pair->size;
        taken[other].flows += pair->size;
        assert(taken[other].flows <= flows_at(m, other));
        m->moves += rate * pair->size;
        max_min_set_rate(m, up, pair, rate);
    }
}

static void close_port(struct max_min *m, uint32_t at)
{
    assert(at < m->opens && m->open_ups <= m->opens);
    memmove(m->open + at, m->open + at + 1, (--m->opens - at) * sizeof *m->open);
    m->open_ups -= at < m->open_ups;
}

/* Takes back the steps that are void. */
static void go_back(struct max_min *m)
{
    uint32_t kept = 0;
    while (kept < m->steps && m->step[kept].rate < m->lowest)
        kept++;
    m->moves = kept < m->steps ? m->step[kept].moves : m->moves;
    for (uint32_t k = kept; k < m->steps; k++)
        m->full[m->step[k].port] = UINT32_MAX;
    m->steps = kept;
    m->opens = m->open_ups = 0;
    for (uint32_t p = 0; p < m->ports; p++) {
        if (m->full[p] == UINT32_MAX) {
            m->open[m->opens++] = p;
            m->open_ups += p < m->pairs.ups;
        }
    }
    assert(m->opens + m->steps == m->ports);
}

/* Is the rate of each pair the greatest of a full port, and no port gives more than it has? */
static bool is_fair(const struct max_min *m)
{
    const struct br_pairs *pairs = &m->pairs;
    const struct taken *taken = taken_before(m, m->steps);
    for (uint32_t p = 0; p < m->ports; p++)
        if (taken[p].rate > max_min_capacity_of(m, p) * (1 + 1e-9))
            return false;
    for (uint32_t u = 0; u < pairs->ups; u++)
        for (uint32_t d = 0; d < pairs->downs; d++) {
            const struct br_pair *pair = br_pair_of(pairs, u, d);
            uint32_t up = m->full[u], down = m->full[pairs->ups + d];
            if (pair->size && (up < down ? up >= m->steps || pair->rate != m->step[up].rate
                                         : down >= m->steps || pair->rate != m->step[down].rate))
                return false;
        }
    return true;
}

/* Sets the rates of all flows from the first void step on. */
static void max_min_fill(struct max_min *m)
{
    double rate = 0;
    uint32_t at = 0;
    go_back(m);
    while (find_tightest(m, taken_before(m, m->steps), &rate, &at)) {
        uint32_t port = m->open[at];
        assert(m->steps < m->ports);
        struct taken *taken = taken_before(m, m->steps + 1);
        assert(rate >= 0 && m->full[port] == UINT32_MAX);
        /* By rounding a port may seem to be full a little before the last one. */
        rate = m->steps ? fmax(rate, m->step[m->steps - 1].rate) : rate;
        memcpy(taken, taken_before(m, m->steps), m->ports * sizeof *taken);
        m->step[m->steps] = (struct step){port, rate, m->moves};
        m->full[port] = m->steps++;
        close_port(m, at);
        max_min_stop_flows(m, port, rate, taken);
    }
    for (uint32_t u = 0; u < m->pairs.ups; u++)
        if (m->lost[u])
            br_pairs_renew_first(&m->pairs, u);
    br_costly_assert(is_fair(m));
    memset(m->lost, 0, m->pairs.ups * sizeof *m->lost);
    m->lowest = INFINITY;
    m->run->outcome->decisions++;
}

/* ---- Events ---- */

static void flow_ends(void *context, uint32_t up, uint32_t down)
{
    struct max_min *m = context;
    m->lowest = fmin(m->lowest, br_pair_of(&m->pairs, up, down)->rate);
    m->lost[up] = true;
}

static void flow_comes(void *context, uint32_t up, uint32_t down)
{
    struct max_min *m = context;
    struct br_pair *pair = br_pair_of(&m->pairs, up, down);
    pair->next = INFINITY; /* that of another flow may not be the first any more */
    m->lost[up] = true;
    m->lowest = 0;
}

static enum br_status max_min_arrive(struct max_min *m)
{
    struct br_coflow_run *run = m->run;
    enum br_status status = BR_OK;
    while (!status && run->arrived < run->trace->coflows &&
           (double)run->trace->coflow[run->arrived].arrival_ms <= m->pairs.now) {
        uint32_t coflow = run->arrived;
        status = br_run_arrive(run, coflow, (double)run->trace->coflow[coflow].arrival_ms);
        if (!status)
            status = br_pairs_enter(&m->pairs, coflow, flow_comes, m);
    }
    return status;
}

static void max_min_fail_ports(struct max_min *m)
{
    for (uint32_t p = 0; m->run->options->failures && p < m->run->trace->ports; p++) {
        bool failed = br_run_port_fails(m->run, p, m->pairs.now);
        if (failed != m->failed[p])
            m->lowest = 0;
        m->failed[p] = failed;
    }
}

static void max_min_go_on(struct max_min *m)
{
    const struct br_coflow_run *run = m->run;
    double next = br_run_next_failure(run, m->pairs.now);
    for (uint32_t u = 0; u < m->pairs.ups; u++)
        next = fmin(next, m->pairs.first[u]);
    if (run->arrived < run->trace->coflows)
        next = fmin(next, (double)run->trace->coflow[run->arrived].arrival_ms);
    next = fmax(next, m->pairs.now);
    assert(next < INFINITY && m->moves >= 0);
    m->run->span_bytes += m->moves * (next - m->pairs.now);
    m->pairs.now = m->run->fabric.now_ms = next;
}

static enum br_status max_min_step(struct max_min *m)
{
    uint32_t arrived = m->run->arrived, active = m->run->active;
    max_min_go_on(m);
    br_pairs_end(&m->pairs, m->pairs.now, flow_ends, m);
    max_min_fail_ports(m);
    enum br_status status = max_min_arrive(m);
    if (!status && m->lowest < INFINITY)
        max_min_fill(m);
    if (!status && (arrived != m->run->arrived || active != m->run->active))
        status = br_run_span(m->run, m->pairs.now);
    return status;
}

static bool max_min_allocate(struct max_min *m)
{
    size_t ports = m->ports = m->pairs.ups + m->pairs.downs;
    m->step = malloc((ports + 1) * sizeof *m->step);
    m->taken = calloc((ports + 1) * ports + 1, sizeof *m->taken);
    m->full = malloc((ports + 1) * sizeof *m->full);
    m->open = malloc((ports + 1) * sizeof *m->open);
    m->lost = calloc((size_t)m->pairs.ups + 1, sizeof *m->lost);
    m->failed = calloc((size_t)m->run->trace->ports + 1, sizeof *m->failed);
    for (size_t p = 0; m->full && p < ports; p++)
        m->full[p] = UINT32_MAX;
    m->lowest = INFINITY;
    return m->step && m->taken && m->full && m->open && m->lost && m->failed;
}

enum br_status br_run_max_min(struct br_coflow_run *run)
{
    struct max_min m = {.run = run};
    enum br_status status = br_pairs_init(&m.pairs, run, BR_SAME_MS);
    if (!status && !max_min_allocate(&m))
        status = br_fail_memory(run->diag);
    while (!status && (run->arrived < run->trace->coflows || run->active)) {
        if (br_stopped(run->options->stop)) {
            run->outcome->cut = true;
            break;
        }
        status = max_min_step(&m);
    }
    if (!status)
        status = br_run_span(run, m.pairs.now);
    br_pairs_finish(&m.pairs);
    free(m.step);
    free(m.taken);
    free(m.full);
    free(m.open);
    free(m.lost);
    free(m.failed);
    return status;
}
