/* An output is held until its last reader has ended; a result until the job has. Of changes that
 * hold at one time the last given counts. */
#include "emit/analysis/held_items.h"

#include <string.h>

#include "base/collections/grow.h"
#include "base/collections/heap.h"
#include "base/collections/memory.h"
#include "base/collections/sort.h"

/* Scaled amounts stay below this, so that a sum over BR_MAX_TASKS of them fits 127 bits. */
#define AMOUNT_LIMIT ((br_wide)1 << 96)

static int64_t held_later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

int64_t *br_held_last_ends(const struct br_emit_input *input)
{
    const struct br_dag *dag = input->dag;
    int64_t *last = br_calloc((size_t)dag->stages + 1, sizeof *last);
    for (uint32_t s = 0; last && s < dag->stages; s++) {
        const struct br_stage *stage = &dag->stage[s];
        for (uint32_t t = stage->first_task; t < stage->first_task + stage->tasks; t++)
            last[s] = held_later(last[s], input->plan->end_ns[t]);
        last[dag->stages] = held_later(last[dag->stages], last[s]);
    }
    return last;
}

int64_t br_held_until(const struct br_emit_input *input, const int64_t *last, uint32_t output,
                      uint32_t index)
{
    const struct br_dag *dag = input->dag;
    const struct br_storage *storage = dag->storage;
    int64_t until =
        input->plan->end_ns[dag->stage[storage->output[output].stage].first_task + index];
    if (br_output_is_result(storage, output))
        return last[dag->stages];
    for (uint32_t k = storage->output_first[output]; k < storage->output_first[output + 1]; k++) {
        const struct br_edge *edge = &dag->edge[storage->readers[k]];
        until = held_later(until,
                           edge->type == BR_BARRIER
                               ? last[edge->child]
                               : input->plan->end_ns[dag->stage[edge->child].first_task + index]);
    }
    return until;
}

/* Adds it unless it holds nothing for no time. */
static bool add_item(const struct br_emit_input *input, struct br_held_items *items,
                     struct br_held_item item)
{
    const int64_t span_ns = held_later(input->plan->makespan_ns, 1);
    item.from_ns = held_later(item.from_ns, 0);
    item.until_ns = item.until_ns < span_ns ? item.until_ns : span_ns;
    if (item.amount == 0 || item.until_ns <= item.from_ns)
        return true;
    if (!br_grow(&items->item, items->count, &items->room, sizeof item))
        return false;
    items->item[items->count++] = item;
    return true;
}

static int by_held_place(const void *a, const void *b)
{
    const struct br_held_item *x = a, *y = b;
    return x->place < y->place ? -1 : x->place > y->place;
}

bool br_held_list(const struct br_emit_input *input, const int64_t *last, uint32_t resource,
                  int32_t digits, struct br_held_items *items)
{
    const struct br_dag *dag = input->dag;
    const struct br_plan *plan = input->plan;
    const struct br_storage *storage = dag->storage;
    const bool shared = br_cluster_shared(input->cluster, dag->resource[resource].name) != NULL;
    items->count = 0;
    for (uint32_t d = 0; d < dag->demands; d++) {
        const struct br_demand *demand = &dag->demand[d];
        const struct br_stage *stage = &dag->stage[demand->stage];
        const br_wide amount = br_held_scale(demand->amount, digits);
        for (uint32_t i = 0; demand->resource == resource && i < stage->tasks; i++) {
            const uint32_t t = stage->first_task + i;
            if (!add_item(input, items,
                          (struct br_held_item){plan->start_ns[t], plan->end_ns[t], amount, t,
                                                demand->stage, BR_HELD_NONE,
                                                shared ? BR_HELD_NONE : plan->machine[t]}))
                return false;
        }
    }
    for (uint32_t o = 0; storage && o < storage->outputs; o++) {
        const struct br_output *output = &storage->output[o];
        const struct br_stage *stage = &dag->stage[output->stage];
        const int64_t *from = output->flags & BR_OUTPUT_FROM_END ? plan->end_ns : plan->start_ns;
        const br_wide amount = br_held_scale(output->amount, digits);
        for (uint32_t i = 0; output->resource == resource && i < stage->tasks; i++) {
            const uint32_t t = stage->first_task + i;
            if (!add_item(input, items,
                          (struct br_held_item){from[t], br_held_until(input, last, o, i), amount,
                                                t, output->stage, o,
                                                shared ? BR_HELD_NONE : plan->machine[t]}))
                return false;
        }
    }
    if (items->count)
        br_sort_by(items->item, items->count, sizeof *items->item, by_held_place);
    return true;
}

/* ---- Amounts ---- */

/* Keeps the least exponent, and the largest one of those that are not 0. */
static void look_at(struct br_decimal value, int32_t *digits, bool *fits, int32_t final)
{
    if (final < 0)
        *digits = -value.exponent > *digits ? -value.exponent : *digits;
    else
        *fits &= br_held_scale(value, final) < AMOUNT_LIMIT;
}

static void look_at_all(const struct br_emit_input *input, uint32_t resource, int32_t *digits,
                        bool *fits, int32_t final)
{
    const struct br_dag *dag = input->dag;
    const struct br_cluster *cluster = input->cluster;
    const char *name = dag->resource[resource].name;
    const struct br_capacity *shared = br_cluster_shared(cluster, name);
    for (uint32_t d = 0; d < dag->demands; d++)
        if (dag->demand[d].resource == resource)
            look_at(dag->demand[d].amount, digits, fits, final);
    for (uint32_t o = 0; dag->storage && o < dag->storage->outputs; o++)
        if (dag->storage->output[o].resource == resource)
            look_at(dag->storage->output[o].amount, digits, fits, final);
    for (uint32_t k = 0; cluster->calendar && k < cluster->calendar->changes; k++)
        if (strcmp(cluster->calendar->change[k].resource, name) == 0)
            look_at(cluster->calendar->change[k].amount, digits, fits, final);
    for (uint32_t c = 0; c < cluster->classes; c++)
        look_at(br_cluster_capacity(cluster, c, name), digits, fits, final);
    if (shared)
        look_at(shared->amount, digits, fits, final);
}

int32_t br_held_digits(const struct br_emit_input *input, uint32_t resource)
{
    int32_t digits = 0;
    bool fits = true;
    look_at_all(input, resource, &digits, &fits, -1);
    look_at_all(input, resource, &digits, &fits, digits);
    return fits ? digits : -1;
}

br_wide br_held_scale(struct br_decimal value, int32_t digits)
{
    br_wide m = value.mantissa;
    for (int64_t e = (int64_t)value.exponent + digits; e > 0 && m < AMOUNT_LIMIT; e--)
        m *= 10;
    return m < AMOUNT_LIMIT ? m : AMOUNT_LIMIT;
}

/* ---- What there is ---- */

static bool concerns(const struct br_change *change, const char *name, uint32_t place)
{
    const struct br_span_of_machines *span = &change->span;
    return (place == BR_HELD_NONE ? span->count == 0
                                  : place >= span->first && place - span->first < span->count) &&
           strcmp(change->resource, name) == 0;
}

bool br_held_changes(const struct br_emit_input *input, uint32_t resource, uint32_t place)
{
    const struct br_calendar *calendar = input->cluster->calendar;
    for (uint32_t k = 0; calendar && k < calendar->changes; k++)
        if (concerns(&calendar->change[k], input->dag->resource[resource].name, place))
            return true;
    return false;
}

static bool add_step(struct br_held_steps *steps, uint32_t first, int64_t at_ns, br_wide amount)
{
    if (steps->count > first && steps->step[steps->count - 1].amount == amount)
        return true;
    if (!br_grow(&steps->step, steps->count, &steps->room, sizeof *steps->step))
        return false;
    steps->step[steps->count++] = (struct br_held_step){at_ns, amount};
    return true;
}

/* The changes of the place: a sweep over their begins and ends, with those that hold in a heap. */
static bool add_changes(struct br_held_steps *steps, const struct br_emit_input *input,
                        const char *name, uint32_t place, int32_t digits, br_wide base)
{
    const struct br_calendar *calendar = input->cluster->calendar;
    const struct br_change *change = calendar->change;
    const uint32_t first = steps->count;
    const size_t room = 2 * (size_t)calendar->changes + 1;
    struct br_sort_item *mark = br_malloc(2 * room * sizeof *mark);
    uint32_t *heap = br_malloc(room * sizeof *heap), marks = 0, size = 0;
    bool done = mark && heap && add_step(steps, first, 0, base);
    for (uint32_t k = 0; done && k < calendar->changes; k++) {
        if (!concerns(&change[k], name, place))
            continue;
        mark[marks++] = (struct br_sort_item){br_sort_key(change[k].span.from_ns), k};
        mark[marks++] = (struct br_sort_item){br_sort_key(change[k].span.to_ns), k};
    }
    if (done)
        br_sort(mark, mark + room, marks);
    for (uint32_t k = 0; done && k < marks; k++) {
        const int64_t at = (int64_t)(mark[k].key ^ br_sort_key(0));
        if (at == change[mark[k].item].span.from_ns)
            br_numbers_push(NULL, heap, &size, ~mark[k].item);
        if (k + 1 < marks && mark[k + 1].key == mark[k].key)
            continue;
        while (size && change[~heap[0]].span.to_ns <= at)
            br_numbers_pop(NULL, heap, &size);
        if (at >= held_later(input->plan->makespan_ns, 1))
            break;
        const br_wide amount = size ? br_held_scale(change[~heap[0]].amount, digits) : base;
        if (at == 0)
            steps->step[first].amount = amount;
        else
            done = add_step(steps, first, at, amount);
    }
    br_free(mark);
    br_free(heap);
    return done;
}

bool br_held_add_steps(struct br_held_steps *steps, const struct br_emit_input *input,
                       uint32_t resource, uint32_t place, int32_t digits)
{
    const struct br_cluster *cluster = input->cluster;
    const char *name = input->dag->resource[resource].name;
    const struct br_capacity *shared = br_cluster_shared(cluster, name);
    const struct br_decimal amount =
        place == BR_HELD_NONE
            ? (shared ? shared->amount : (struct br_decimal){0, 0})
            : br_cluster_capacity(cluster, br_cluster_machine_class(cluster, place), name);
    const br_wide base = br_held_scale(amount, digits);
    if (!cluster->calendar || !cluster->calendar->changes)
        return add_step(steps, steps->count, 0, base);
    return add_changes(steps, input, name, place, digits, base);
}
