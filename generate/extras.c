/* Each extra has a generator of its own, so that one leaves the others as they were. */
#include "generate/extras.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/collections/csr.h"
#include "base/numbers/decimal.h"
#include "generate/sample.h"
#include "generate/ways.h"
#include "planner/model/dag.h"

/* Amounts are spread about their median by this much (of their logarithm), and are a multiple of a
 * hundredth of it; at most a thousand medians. */
#define AMOUNT_SIGMA 0.65
enum { AMOUNT_STEPS = 100, AMOUNT_MOST = 100000 };
/* Lags are lognormal, in milliseconds. */
#define LAG_MEDIAN_MS 2000.0
#define LAG_SIGMA 1.0
enum { LAG_MOST_MS = 3600000 };
/* A stage is released within so many of its earliest starts, and has to end within two to six of
 * its earliest ends; both in thousandths. */
enum { RELEASE_MOST = 2000, DEADLINE_LEAST = 2000, DEADLINE_MOST = 6000 };

static const int64_t ms_ns = 1000000;

/* A multiple of a hundredth of the median; without a fraction if the median is whole and has
 * hundredths without one. */
static bool draw_amount(struct br_rng *rng, struct br_decimal median, char text[BR_DECIMAL_TEXT])
{
    const uint32_t steps =
        br_sample_round(br_sample_lognormal(rng, AMOUNT_STEPS, AMOUNT_SIGMA), 1, AMOUNT_MOST);
    int64_t whole;
    struct br_decimal amount = median;
    if (br_decimal_scale(median, 0, &whole) && whole >= AMOUNT_STEPS)
        amount = (struct br_decimal){whole / AMOUNT_STEPS, 2};
    if (__builtin_mul_overflow(amount.mantissa, steps, &amount.mantissa))
        return false;
    amount.exponent -= 2;
    br_decimal_format(amount, text, BR_DECIMAL_TEXT);
    return true;
}

static enum br_status add_outputs(const struct br_extras *extras, uint64_t seed, struct br_dag *dag,
                                  struct br_diag *diag)
{
    struct br_rng rng = br_sample_stream(seed, BR_STREAM_OUTPUT);
    struct br_decimal median;
    if (br_decimal_parse_suffixed(extras->output_amount, &median) || median.mantissa < 0)
        return br_fail(diag, BR_USAGE, "write a number such as 2 or 0.5, or with a suffix: 4GiB",
                       "the amount of outputs '%.80s' is not a number of 0 or more",
                       extras->output_amount);
    enum br_status status = BR_OK;
    for (uint32_t s = 0; s < dag->stages && !status; s++) {
        char amount[BR_DECIMAL_TEXT];
        const bool has = br_sample_chance(&rng, extras->outputs);
        const bool from_end = br_sample_chance(&rng, extras->outputs_from_end);
        if (!draw_amount(&rng, median, amount))
            return br_fail(diag, BR_USAGE, "ask for less", "the amount of outputs is too large");
        if (has)
            status = br_dag_add_output(dag, s, "out", extras->output_resource, amount,
                                       from_end ? BR_OUTPUT_FROM_END : 0, diag);
    }
    return status;
}

static enum br_status add_licences(const struct br_extras *extras, uint64_t seed,
                                   struct br_dag *dag, struct br_diag *diag)
{
    struct br_rng rng = br_sample_stream(seed, BR_STREAM_LICENCE);
    enum br_status status = BR_OK;
    for (uint32_t s = 0; s < dag->stages && !status; s++)
        if (br_sample_chance(&rng, extras->licences))
            status = br_dag_add_demand(dag, s, "licence", "1", diag);
    return status;
}

/* The lag of each edge. */
static enum br_status add_waits(const struct br_extras *extras, uint64_t seed, struct br_dag *dag,
                                int64_t *lag_ns, struct br_diag *diag)
{
    struct br_rng lags = br_sample_stream(seed, BR_STREAM_LAG);
    struct br_rng streams = br_sample_stream(seed, BR_STREAM_STREAM);
    enum br_status status = BR_OK;
    for (uint32_t e = 0; e < dag->edges && !status; e++) {
        const uint32_t parent = dag->edge[e].parent, child = dag->edge[e].child;
        const uint32_t ms =
            br_sample_round(br_sample_lognormal(&lags, LAG_MEDIAN_MS, LAG_SIGMA), 1, LAG_MOST_MS);
        if (br_sample_chance(&lags, extras->lags)) {
            lag_ns[e] = ms * ms_ns;
            status = br_dag_set_edge_lag(dag, parent, child, lag_ns[e], diag);
        }
        if (!status && br_sample_chance(&streams, extras->streams))
            status = br_dag_set_edge_stream(dag, parent, child, diag);
    }
    return status;
}

/* ns times so many thousandths, in whole milliseconds. */
static int64_t scaled(int64_t ns, uint64_t thousandths)
{
    return ns / (1000 * ms_ns) * ms_ns * (int64_t)thousandths +
           ns % (1000 * ms_ns) / ms_ns * (int64_t)thousandths / 1000 * ms_ns;
}

/* Releases and deadlines, by a walk from parents to children that knows when stages could start
 * and end. */
struct walk {
    const struct br_extras *extras;
    uint64_t seed;
    struct br_dag *dag;
    const int64_t *lag_ns;
    int64_t *longest_ns, *end_ns; /* by stage */
    uint32_t *first, *edge;       /* the edges that lead to a stage */
};

static enum br_status walk_stages(const struct walk *walk, struct br_diag *diag)
{
    struct br_dag *dag = walk->dag;
    struct br_rng releases = br_sample_stream(walk->seed, BR_STREAM_RELEASE);
    struct br_rng deadlines = br_sample_stream(walk->seed, BR_STREAM_DEADLINE);
    enum br_status status = BR_OK;
    for (uint32_t s = 0; s < dag->stages && !status; s++) {
        int64_t start_ns = 0;
        for (uint32_t k = walk->first[s]; k < walk->first[s + 1]; k++) {
            const uint32_t e = walk->edge[k];
            assert(dag->edge[e].parent < s);
            const int64_t ready_ns = walk->end_ns[dag->edge[e].parent] + walk->lag_ns[e];
            start_ns = ready_ns > start_ns ? ready_ns : start_ns;
        }
        const int64_t release_ns =
            scaled(start_ns + walk->longest_ns[s], br_rng_below(&releases, RELEASE_MOST + 1));
        if (br_sample_chance(&releases, walk->extras->releases)) {
            status = br_dag_set_release(dag, s, UINT32_MAX, release_ns, diag);
            start_ns = release_ns > start_ns ? release_ns : start_ns;
        }
        walk->end_ns[s] = start_ns + walk->longest_ns[s];
        const uint64_t most =
            DEADLINE_LEAST + br_rng_below(&deadlines, DEADLINE_MOST - DEADLINE_LEAST + 1);
        /* Rounding down takes less than a millisecond of each thousandth. */
        const int64_t deadline_ns = scaled(walk->end_ns[s], most) + DEADLINE_MOST * ms_ns;
        if (!status && br_sample_chance(&deadlines, walk->extras->deadlines))
            status = br_dag_set_deadline(dag, s, UINT32_MAX, deadline_ns, diag);
    }
    return status;
}

static enum br_status add_times(const struct br_extras *extras, uint64_t seed, struct br_dag *dag,
                                const int64_t *lag_ns, struct br_diag *diag)
{
    const struct walk walk = {
        .extras = extras,
        .seed = seed,
        .dag = dag,
        .lag_ns = lag_ns,
        .longest_ns = calloc((size_t)dag->stages + 1, sizeof(int64_t)),
        .end_ns = calloc((size_t)dag->stages + 1, sizeof(int64_t)),
        .first = calloc(br_csr_room(dag->stages), sizeof(uint32_t)),
        .edge = calloc((size_t)dag->edges + 1, sizeof(uint32_t)),
    };
    enum br_status status = BR_OK;
    if (!walk.longest_ns || !walk.end_ns || !walk.first || !walk.edge) {
        status = br_fail_memory(diag);
    } else {
        br_dag_longest(dag, walk.longest_ns);
        br_dag_list_edges(dag, BR_EDGE_CHILD, walk.first, walk.edge);
        status = walk_stages(&walk, diag);
    }
    free(walk.longest_ns);
    free(walk.end_ns);
    free(walk.first);
    free(walk.edge);
    return status;
}

enum br_status br_extras_check(const struct br_extras *extras, struct br_diag *diag)
{
    const double shares[] = {extras->outputs,          extras->licences,     extras->releases,
                             extras->deadlines,        extras->lags,         extras->streams,
                             extras->outputs_from_end, extras->alternatives, extras->classes};
    for (size_t k = 0; k < sizeof shares / sizeof *shares; k++)
        if (!(shares[k] >= 0 && shares[k] <= 1))
            return br_fail(diag, BR_USAGE, "0.3 is three in ten",
                           "a share of stages or edges is not within 0 and 1");
    return BR_OK;
}

enum br_status br_extras_add(const struct br_extras *extras, uint64_t seed, struct br_dag *dag,
                             struct br_diag *diag)
{
    enum br_status status = BR_OK;
    if (extras->outputs > 0)
        status = add_outputs(extras, seed, dag, diag);
    if (!status && extras->licences > 0)
        status = add_licences(extras, seed, dag, diag);
    if (!status && (extras->alternatives > 0 || extras->classes > 0))
        status = br_ways_add(extras->alternatives, extras->classes, seed, dag, diag);
    if (status ||
        !(extras->lags > 0 || extras->streams > 0 || extras->releases > 0 || extras->deadlines > 0))
        return status;
    int64_t *lag_ns = calloc((size_t)dag->edges + 1, sizeof *lag_ns);
    status = lag_ns ? add_waits(extras, seed, dag, lag_ns, diag) : br_fail_memory(diag);
    if (!status)
        status = add_times(extras, seed, dag, lag_ns, diag);
    free(lag_ns);
    return status;
}
