/* From stages' demands to kinds, in an order in which the tree over them prunes well: split in
 * halves by the resource in which the kinds differ most, as in a k-d tree [Bentley75]. */
#include "runtime/enforcer/jobs/kinds.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/roles.h"
#include "base/text/diag.h"
#include "planner/model/dag.h"
#include "planner/model/source.h"

static bool is_shared(const struct br_scale *scale, const char *name)
{
    for (uint32_t k = 0; k < scale->shareds; k++)
        if (strcmp(scale->shared[k], name) == 0)
            return true;
    return false;
}

/* The stage's demand as one row of `row`. */
static enum br_status scale_demand(const struct br_dag *dag, uint32_t stage,
                                   const struct br_scale *scale, int64_t *row, struct br_diag *diag)
{
    const struct br_stage *s = &dag->stage[stage];
    for (uint32_t d = s->first_demand; d < s->first_demand + s->demands; d++) {
        const struct br_demand *demand = &dag->demand[d];
        const char *name = dag->resource[demand->resource].name;
        uint32_t r = 0;
        if (!demand->amount.mantissa)
            continue;
        while (r < scale->resources && strcmp(scale->name[r], name) != 0)
            r++;
        if (r < scale->resources && scale->in_bytes[r] &&
            br_role_is_multiple(dag->resource[demand->resource].unit))
            return br_fail_at(diag, s->pos, BR_BAD_INPUT,
                              "write the cluster's amounts without a suffix, in the job's own unit",
                              "stage '%s' demands %s in %s, which the cluster offers in bytes",
                              s->id, name, dag->resource[demand->resource].unit);
        if (r < scale->resources && br_decimal_scale(demand->amount, scale->digits[r], &row[r])) {
            row[r] = scale->unseen && scale->unseen[r] ? 0 : row[r];
            continue;
        }
        if (r == scale->resources && is_shared(scale, name))
            continue;
        char amount[BR_DECIMAL_TEXT];
        br_decimal_format(demand->amount, amount, sizeof amount);
        if (r == scale->resources)
            return br_fail_at(diag, s->pos, BR_BAD_INPUT,
                              "give the cluster that resource, or drop the demand",
                              "stage '%s' demands %s of %s, which no machine of the cluster has",
                              s->id, amount, name);
        return br_fail_at(diag, s->pos, BR_BAD_INPUT, "use fewer digits",
                          "stage '%s' demands %s of %s, which is too fine or too large for the "
                          "cluster's amounts",
                          s->id, amount, name);
    }
    return BR_OK;
}

struct kind_order {
    const int64_t *row;
    uint32_t width;
};

static int compare_stages(const void *a, const void *b, void *context)
{
    const struct kind_order *order = context;
    uint32_t s = *(const uint32_t *)a, t = *(const uint32_t *)b;
    for (uint32_t r = 0; r < order->width; r++) {
        int64_t x = order->row[(size_t)s * order->width + r];
        int64_t y = order->row[(size_t)t * order->width + r];
        if (x != y)
            return x < y ? -1 : 1;
    }
    return s < t ? -1 : s > t;
}

/* Moves the `nth` items with the least amounts of the resource to the front; ties by number. */
static void kinds_select_least(uint32_t *item, uint32_t count, uint32_t nth, const int64_t *row,
                               uint32_t width, uint32_t r)
{
    assert(nth > 0 && nth < count);
    uint32_t low = 0, high = count;
    while (high - low > 1) {
        uint32_t pivot = item[low + (high - low) / 2], i = low, j = high - 1;
        int64_t amount = row[(size_t)pivot * width + r];
        for (;;) {
            int64_t x, y;
            while ((x = row[(size_t)item[i] * width + r]) < amount ||
                   (x == amount && item[i] < pivot))
                i++;
            while ((y = row[(size_t)item[j] * width + r]) > amount ||
                   (y == amount && item[j] > pivot))
                j--;
            if (i >= j)
                break;
            uint32_t swap = item[i];
            item[i] = item[j];
            item[j] = swap;
        }
        /* The pivot is where both indexes have met. */
        if (nth <= i)
            high = i;
        else
            low = i + 1;
    }
}

/* Orders kinds so that those below one node of the tree over them (see ready.h) are alike in all
 * resources: splits in halves by the resource in which they differ most. */
static void order_kinds(uint32_t *item, uint32_t count, uint32_t leaves, const int64_t *row,
                        const struct br_scale *scale)
{
    while (count > 1 && leaves > 1) {
        uint32_t width = scale->resources, widest = 0;
        double most = -1;
        for (uint32_t r = 0; r < width; r++) {
            int64_t least = INT64_MAX, largest = 0;
            for (uint32_t k = 0; k < count; k++) {
                int64_t amount = row[(size_t)item[k] * width + r];
                least = amount < least ? amount : least;
                largest = amount > largest ? amount : largest;
            }
            double spread = largest > least ? (double)(largest - least) / scale->total[r] : 0;
            if (spread > most) {
                most = spread;
                widest = r;
            }
        }
        leaves /= 2;
        if (count <= leaves)
            continue;
        if (width)
            kinds_select_least(item, count, leaves, row, width, widest);
        order_kinds(item, leaves, leaves, row, scale);
        item += leaves;
        count -= leaves;
    }
}

enum br_status br_kinds_find(struct br_arena *arena, const struct br_dag *dag,
                             const struct br_scale *scale, uint32_t *stage_kind,
                             struct br_kinds *kinds, struct br_diag *diag)
{
    uint32_t width = scale->resources;
    *kinds = (struct br_kinds){0};
    int64_t *row = calloc((size_t)dag->stages * width + 1, sizeof *row);
    uint32_t *order = malloc(3 * (size_t)dag->stages * sizeof *order);
    enum br_status status = row && order ? BR_OK : br_fail_memory(diag);
    for (uint32_t s = 0; s < dag->stages && !status; s++) {
        order[s] = s;
        status = scale_demand(dag, s, scale, row + (size_t)s * width, diag);
    }
    if (status == BR_BAD_INPUT)
        br_dag_blame(dag, diag);
    if (status)
        goto out;
    uint32_t *first = order + dag->stages, *place = first + dag->stages;
    struct kind_order by = {row, width};
    qsort_r(order, dag->stages, sizeof *order, compare_stages, &by);
    /* One stage represents each kind. */
    kinds->count = 0;
    for (uint32_t k = 0; k < dag->stages; k++) {
        if (k == 0 || memcmp(row + (size_t)order[k - 1] * width, row + (size_t)order[k] * width,
                             width * sizeof *row) != 0)
            first[kinds->count++] = order[k];
        stage_kind[order[k]] = kinds->count - 1;
    }
    assert(kinds->count > 0 && kinds->count <= dag->stages);
    uint32_t leaves = 1;
    while (leaves < kinds->count)
        leaves *= 2;
    /* Numbers kinds by the stages, which `order` then translates into the kinds' places. */
    memcpy(order, first, kinds->count * sizeof *order);
    order_kinds(order, kinds->count, leaves, row, scale);
    for (uint32_t k = 0; k < kinds->count; k++)
        place[stage_kind[order[k]]] = k;
    for (uint32_t s = 0; s < dag->stages; s++)
        stage_kind[s] = place[stage_kind[s]];
    if (!BR_ARRAY(arena, (size_t)kinds->count * width, kinds->demand) ||
        !BR_ARRAY(arena, kinds->count, kinds->work) ||
        !BR_ARRAY(arena, kinds->count, kinds->share)) {
        status = br_fail_memory(diag);
        goto out;
    }
    for (uint32_t s = 0; s < dag->stages; s++)
        memcpy(kinds->demand + (size_t)stage_kind[s] * width, row + (size_t)s * width,
               width * sizeof *row);
    for (uint32_t k = 0; k < kinds->count; k++)
        for (uint32_t r = 0; r < width; r++) {
            int64_t amount = kinds->demand[(size_t)k * width + r];
            double share = amount ? (double)amount / scale->total[r] : 0;
            kinds->work[k] += share;
            if (share > kinds->share[k])
                kinds->share[k] = share;
        }
out:
    free(row);
    free(order);
    return status;
}
