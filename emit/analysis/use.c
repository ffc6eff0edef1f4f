#include "emit/analysis/use.h"

#include <assert.h>
#include <stdlib.h>

#include "base/collections/memory.h"
#include "base/numbers/wide.h"
#include "emit/analysis/held_items.h"

enum { USE_MOST = 1000000 };

/* Pictures need no exact amounts. */
static double approximate(struct br_decimal value)
{
    double result = (double)value.mantissa;
    for (int32_t e = value.exponent; e > 0; e--)
        result *= 10;
    for (int32_t e = value.exponent; e < 0; e++)
        result /= 10;
    return result;
}

static double total_capacity(const struct br_cluster *cluster, const char *resource)
{
    double total = 0;
    for (uint32_t c = 0; c < cluster->classes; c++)
        total += approximate(br_cluster_capacity(cluster, c, resource)) * cluster->cls[c].count;
    return total;
}

double br_use_share(const struct br_dag *dag, const struct br_cluster *cluster, uint32_t stage)
{
    const struct br_stage *of = &dag->stage[stage];
    double most = dag->demands == 0;
    for (uint32_t d = of->first_demand; d < of->first_demand + of->demands; d++) {
        const struct br_demand *demand = &dag->demand[d];
        double total = total_capacity(cluster, dag->resource[demand->resource].name);
        double share = total > 0 ? approximate(demand->amount) / total : 0;
        most = share > most ? share : most;
    }
    return most;
}

/* The moments at which the use changes, of which there may be too many. */
struct moments {
    uint32_t count;
    int64_t ns[BR_USE_PIECES + 1]; /* ascending */
    bool too_many;
};

/* The first place whose moment is not before `ns`. */
static uint32_t moments_find(const int64_t *moment, uint32_t count, int64_t ns)
{
    uint32_t low = 0;
    for (uint32_t high = count; low < high;) {
        const uint32_t middle = low + (high - low) / 2;
        if (moment[middle] < ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void moments_add(struct moments *all, int64_t ns)
{
    const uint32_t at = moments_find(all->ns, all->count, ns);
    if (all->too_many || (at < all->count && all->ns[at] == ns))
        return;
    all->too_many = all->count > BR_USE_PIECES;
    if (all->too_many)
        return;
    for (uint32_t k = all->count++; k > at; k--)
        all->ns[k] = all->ns[k - 1];
    all->ns[at] = ns;
}

/* Something that is held of a resource for a while. */
struct hold {
    int64_t from_ns, until_ns; /* within the span */
    double share;              /* thousandths of the cluster */
    double work;               /* that it is: thousandths x ns */
};

/* What is done with each of them. */
typedef void use_visit(void *context, const struct hold *hold);

struct use_source {
    const struct br_emit_input *input;
    const int64_t *last; /* br_held_last_ends */
    int64_t span_ns;
};

static int64_t use_clip(const struct use_source *source, int64_t ns)
{
    return ns < 0 ? 0 : ns > source->span_ns ? source->span_ns : ns;
}

static bool visit_demands(const struct use_source *source, uint32_t resource, double total,
                          use_visit *visit, void *context)
{
    const struct br_dag *dag = source->input->dag;
    const struct br_plan *plan = source->input->plan;
    bool any = false;
    for (uint32_t d = 0; d < dag->demands; d++) {
        const struct br_demand *demand = &dag->demand[d];
        if (demand->resource != resource || demand->amount.mantissa == 0)
            continue;
        const struct br_stage *stage = &dag->stage[demand->stage];
        const double share = 1000 * approximate(demand->amount) / total;
        any = true;
        for (uint32_t t = stage->first_task; t < stage->first_task + stage->tasks; t++)
            visit(context, &(struct hold){use_clip(source, plan->start_ns[t]),
                                          use_clip(source, plan->end_ns[t]), share,
                                          share * (double)dag->duration_ns[t]});
    }
    return any;
}

/* As work counts what an output holds while its task runs. */
static bool visit_outputs(const struct use_source *source, uint32_t resource, double total,
                          use_visit *visit, void *context)
{
    const struct br_dag *dag = source->input->dag;
    const struct br_plan *plan = source->input->plan;
    const struct br_storage *storage = dag->storage;
    bool any = false;
    for (uint32_t o = 0; storage && o < storage->outputs; o++) {
        const struct br_output *output = &storage->output[o];
        const struct br_stage *stage = &dag->stage[output->stage];
        const bool from_end = output->flags & BR_OUTPUT_FROM_END;
        const double share = 1000 * approximate(output->amount) / total;
        if (output->resource != resource || output->amount.mantissa == 0)
            continue;
        any = true;
        for (uint32_t i = 0; i < stage->tasks; i++) {
            const uint32_t t = stage->first_task + i;
            const int64_t from_ns = from_end ? plan->end_ns[t] : plan->start_ns[t];
            const int64_t until_ns = br_held_until(source->input, source->last, o, i);
            visit(context,
                  &(struct hold){use_clip(source, from_ns), use_clip(source, until_ns), share,
                                 from_end ? 0 : share * (double)dag->duration_ns[t]});
        }
    }
    return any;
}

/* All that is held of the resource; false if no task of the job demands it or no machine has it. */
static bool visit_holds(const struct use_source *source, uint32_t resource, use_visit *visit,
                        void *context)
{
    const double total =
        total_capacity(source->input->cluster, source->input->dag->resource[resource].name);
    if (!(total > 0))
        return false;
    const bool demands = visit_demands(source, resource, total, visit, context);
    return visit_outputs(source, resource, total, visit, context) || demands;
}

static void visit_moments(void *context, const struct hold *hold)
{
    struct moments *moments = context;
    moments_add(moments, hold->from_ns);
    moments_add(moments, hold->until_ns);
}

/* Where the plan is cut. */
static void cut_pieces(struct br_use_curves *uses, const struct use_source *source)
{
    struct moments moments = {.count = 0};
    moments_add(&moments, 0);
    moments_add(&moments, source->span_ns);
    for (uint32_t r = 0; r < source->input->dag->resources && !moments.too_many; r++)
        visit_holds(source, r, visit_moments, &moments);
    uses->pieces = BR_USE_PIECES;
    if (!moments.too_many)
        uses->pieces = moments.count - 1;
    for (uint32_t k = 0; k <= uses->pieces; k++)
        uses->from_ns[k] = moments.too_many
                               ? (int64_t)((br_wide)source->span_ns * k / BR_USE_PIECES)
                               : moments.ns[k];
}

/* A curve while it is summed up: pieces that something is held all the time are steps, those at its
 * two ends count by their part. */
struct use_sum {
    const struct br_use_curves *uses;
    double *milli;
    double step[BR_USE_PIECES + 1];
    double work;
};

static void add_part(struct use_sum *curve, uint32_t piece, int64_t held_ns, double share)
{
    const int64_t *from_ns = &curve->uses->from_ns[piece];
    if (held_ns > 0)
        curve->milli[piece] += share * (double)held_ns / (double)(from_ns[1] - from_ns[0]);
}

static void visit_curve(void *context, const struct hold *hold)
{
    struct use_sum *curve = context;
    const struct br_use_curves *uses = curve->uses;
    curve->work += hold->work;
    if (hold->from_ns >= hold->until_ns)
        return;
    /* The first piece that begins within it, and the one in which it ends, or that begins then. */
    const uint32_t first = moments_find(uses->from_ns, uses->pieces + 1, hold->from_ns);
    uint32_t last = moments_find(uses->from_ns, uses->pieces + 1, hold->until_ns);
    assert(first <= last && last <= uses->pieces);
    if (uses->from_ns[last] > hold->until_ns)
        last--;
    if (last < first) {
        add_part(curve, last, hold->until_ns - hold->from_ns, hold->share);
        return;
    }
    if (first > 0)
        add_part(curve, first - 1, uses->from_ns[first] - hold->from_ns, hold->share);
    curve->step[first] += hold->share;
    curve->step[last] -= hold->share;
    if (last < uses->pieces)
        add_part(curve, last, hold->until_ns - uses->from_ns[last], hold->share);
}

static void measure_use(struct br_use_curves *uses, const struct use_source *source,
                        uint32_t resource)
{
    struct br_use *use = &uses->use[uses->count];
    struct use_sum curve = {.uses = uses, .milli = use->milli};
    if (!visit_holds(source, resource, visit_curve, &curve))
        return;
    double level = 0;
    for (uint32_t k = 0; k < uses->pieces; k++) {
        level += curve.step[k];
        use->milli[k] += level;
        if (use->milli[k] > USE_MOST) /* in a plan read from a file */
            use->milli[k] = USE_MOST;
    }
    const double work = curve.work / 1000;
    use->name = source->input->dag->resource[resource].name;
    use->work_ns = work < 9e18 ? (int64_t)(work + 0.5) : INT64_MAX;
    uses->count++;
}

enum br_status br_use_curves_measure(struct br_use_curves *uses, const struct br_emit_input *input,
                                     int64_t span_ns, struct br_diag *diag)
{
    int64_t *last = br_held_last_ends(input);
    *uses =
        (struct br_use_curves){.use = calloc((size_t)input->dag->resources + 1, sizeof *uses->use)};
    if (!uses->use || !last) {
        br_free(last);
        return br_fail_memory(diag);
    }
    const struct use_source source = {input, last, span_ns};
    cut_pieces(uses, &source);
    for (uint32_t r = 0; r < input->dag->resources; r++)
        measure_use(uses, &source, r);
    br_free(last);
    return BR_OK;
}

void br_use_curves_finish(struct br_use_curves *uses)
{
    free(uses->use);
    *uses = (struct br_use_curves){0};
}

double br_use_mean(const struct br_use_curves *uses, uint32_t use)
{
    const int64_t span_ns = uses->from_ns[uses->pieces];
    double sum = 0;
    for (uint32_t k = 0; k < uses->pieces; k++) {
        const double milli = uses->use[use].milli[k];
        sum += (milli < 0      ? 0
                : milli > 1000 ? 1000
                               : milli) *
               (double)(uses->from_ns[k + 1] - uses->from_ns[k]);
    }
    return sum / (double)span_ns;
}
