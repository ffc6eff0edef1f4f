/* A sweep over begins and ends of what is held at a place gives its total from moment to moment,
 * and so the peak. A second one draws the stack of stages at the moments that are shown. */
#include "emit/analysis/held.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/collections/memory.h"
#include "base/collections/sort.h"
#include "planner/eligibility/features.h"

enum { MACHINES_MOST = 4 /* rows of machines for one resource */ };

/* From this moment to the next the total is the same. */
struct moment {
    int64_t at_ns;
    br_wide total;
};

/* A begin or an end of what is held. */
struct event {
    int64_t at_ns;
    uint32_t item;
    bool begins;
};

/* One place of one resource. */
struct place {
    const struct br_held_item *item;
    uint32_t items;
    struct event *event;   /* 2 * items, by time */
    struct moment *moment; /* as many and one more; the last is at the end of the last */
    uint32_t moments;
};

static int held_by_time(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    if (x->at_ns != y->at_ns)
        return x->at_ns < y->at_ns ? -1 : 1;
    return x->begins - y->begins; /* ends come first */
}

/* Totals from 0 to the end of the plan. */
static void sweep(struct place *place, int64_t span_ns)
{
    const uint32_t events = 2 * place->items;
    br_wide total = 0;
    for (uint32_t k = 0; k < place->items; k++) {
        place->event[2 * k] = (struct event){place->item[k].from_ns, k, true};
        place->event[2 * k + 1] = (struct event){place->item[k].until_ns, k, false};
    }
    br_sort_by(place->event, events, sizeof *place->event, held_by_time);
    place->moments = 0;
    if (!events || place->event[0].at_ns > 0)
        place->moment[place->moments++] = (struct moment){0, 0};
    for (uint32_t k = 0; k < events; k++) {
        const struct event *event = &place->event[k];
        const br_wide amount = place->item[event->item].amount;
        total += event->begins ? amount : -amount;
        if (k + 1 < events && place->event[k + 1].at_ns == event->at_ns)
            continue;
        place->moment[place->moments++] = (struct moment){event->at_ns, total};
    }
    if (place->moment[place->moments - 1].at_ns < span_ns)
        place->moment[place->moments++] = (struct moment){span_ns, 0};
}

static void find_peak(const struct place *place, struct br_held_row *row)
{
    for (uint32_t k = 0; k + 1 < place->moments; k++)
        if (place->moment[k].total > row->peak) {
            row->peak = place->moment[k].total;
            row->peak_ns = place->moment[k].at_ns;
            row->peak_end_ns = place->moment[k + 1].at_ns;
        }
}

/* ---- Who holds it at the peak ---- */

static int by_held_amount(const void *a, const void *b)
{
    const struct br_held_holder *x = a, *y = b;
    if (x->amount != y->amount)
        return x->amount > y->amount ? -1 : 1;
    if (x->task != y->task)
        return x->task < y->task ? -1 : 1;
    return x->output < y->output ? -1 : x->output > y->output;
}

static bool list_holders(struct br_held *held, const struct place *place, struct br_held_row *row)
{
    row->first_holder = held->holders;
    for (uint32_t k = 0; k < place->items && row->peak > 0; k++) {
        const struct br_held_item *item = &place->item[k];
        if (item->from_ns > row->peak_ns || item->until_ns <= row->peak_ns)
            continue;
        if (!br_grow(&held->holder, held->holders, &held->holder_room, sizeof *held->holder))
            return false;
        held->holder[held->holders++] =
            (struct br_held_holder){item->task, item->output, item->amount};
    }
    row->holders = held->holders - row->first_holder;
    if (row->holders)
        br_sort_by(held->holder + row->first_holder, row->holders, sizeof *held->holder,
                   by_held_amount);
    return true;
}

/* ---- The stack ---- */

/* A stage of the row: what it holds, at most and now. */
struct layer {
    uint32_t stage;
    br_wide most, now;
    struct br_held_piece open; /* of no height: none */
};

/* Stages in the order of the job. The most that each holds at once comes from a sweep; those with
 * the most keep their layers, and the others share the last one. */
struct stack {
    uint32_t layers;
    struct layer *layer; /* by stage; the last one: all others */
    uint32_t *layer_of;  /* by stage of the job */
};

static int by_layer_most(const void *a, const void *b)
{
    const struct layer *x = a, *y = b;
    if (x->most != y->most)
        return x->most > y->most ? -1 : 1;
    return x->stage < y->stage ? -1 : x->stage > y->stage;
}

static int by_layer_stage(const void *a, const void *b)
{
    const struct layer *x = a, *y = b;
    return x->stage < y->stage ? -1 : x->stage > y->stage;
}

static bool stack_init(struct stack *stack, const struct place *place, uint32_t stages)
{
    *stack = (struct stack){0, br_malloc(((size_t)place->items + 1) * sizeof *stack->layer),
                            br_malloc(((size_t)stages + 1) * sizeof *stack->layer_of)};
    if (!stack->layer || !stack->layer_of)
        return false;
    memset(stack->layer_of, 0xff, ((size_t)stages + 1) * sizeof *stack->layer_of);
    for (uint32_t k = 0; k < 2 * place->items; k++) {
        const struct br_held_item *item = &place->item[place->event[k].item];
        uint32_t *of = &stack->layer_of[item->stage];
        if (*of == BR_HELD_NONE) {
            *of = stack->layers++;
            stack->layer[*of] = (struct layer){.stage = item->stage};
        }
        struct layer *layer = &stack->layer[*of];
        layer->now += place->event[k].begins ? item->amount : -item->amount;
        layer->most = layer->now > layer->most ? layer->now : layer->most;
    }
    br_sort_by(stack->layer, stack->layers, sizeof *stack->layer, by_layer_most);
    if (stack->layers > BR_HELD_STAGES)
        stack->layers = BR_HELD_STAGES;
    br_sort_by(stack->layer, stack->layers, sizeof *stack->layer, by_layer_stage);
    stack->layer[stack->layers] = (struct layer){.stage = BR_HELD_NONE};
    for (uint32_t s = 0; s < stages; s++)
        stack->layer_of[s] = stack->layers;
    for (uint32_t k = 0; k < stack->layers; k++) {
        stack->layer[k].now = 0;
        stack->layer_of[stack->layer[k].stage] = k;
    }
    stack->layers++;
    return true;
}

static void stack_finish(struct stack *stack)
{
    br_free(stack->layer);
    br_free(stack->layer_of);
}

static bool close_piece(struct br_held *held, struct layer *layer)
{
    if (layer->open.high > layer->open.low) {
        if (!br_grow(&held->piece, held->pieces, &held->piece_room, sizeof *held->piece))
            return false;
        held->piece[held->pieces++] = layer->open;
    }
    layer->open = (struct br_held_piece){0};
    return true;
}

/* Shows the stack as it is now from start to end. */
static bool show(struct br_held *held, struct stack *stack, int64_t start_ns, int64_t end_ns)
{
    br_wide low = 0;
    for (uint32_t k = 0; k < stack->layers; k++) {
        struct layer *layer = &stack->layer[k];
        const br_wide high = low + layer->now;
        if (layer->open.high > layer->open.low && layer->open.low == low &&
            layer->open.high == high && layer->open.end_ns == start_ns) {
            layer->open.end_ns = end_ns;
        } else {
            if (!close_piece(held, layer))
                return false;
            layer->open = (struct br_held_piece){start_ns, end_ns, layer->stage, low, high};
        }
        low = high;
    }
    return true;
}

/* The fullest of the moments that meet the time from start to end; `*from` is the first of them,
 * and then the first that meets the time behind it. */
static uint32_t fullest_moment(const struct place *place, int64_t start_ns, int64_t end_ns,
                               uint32_t *from)
{
    while (place->moment[*from + 1].at_ns <= start_ns)
        ++*from;
    uint32_t best = *from;
    for (uint32_t k = *from; k + 1 < place->moments && place->moment[k].at_ns < end_ns; k++) {
        best = place->moment[k].total > place->moment[best].total ? k : best;
        *from = k;
    }
    return best;
}

/* What is shown: moments, or columns. Column c of the row is that of the fullest of its moments. */
static bool draw_stack(struct br_held *held, const struct place *place, struct stack *stack,
                       int64_t span_ns)
{
    const bool few = place->moments - 1 <= BR_HELD_COLUMNS;
    const uint32_t columns = few ? place->moments - 1 : BR_HELD_COLUMNS;
    uint32_t event = 0, from = 0;
    for (uint32_t c = 0; c < columns; c++) {
        int64_t start_ns = place->moment[few ? c : 0].at_ns, end_ns = place->moment[c + 1].at_ns;
        uint32_t at = c;
        if (!few) {
            start_ns = (int64_t)((br_wide)span_ns * c / columns);
            end_ns = (int64_t)((br_wide)span_ns * (c + 1) / columns);
            at = fullest_moment(place, start_ns, end_ns, &from);
        }
        for (; event < 2 * place->items && place->event[event].at_ns <= place->moment[at].at_ns;
             event++) {
            const struct br_held_item *item = &place->item[place->event[event].item];
            struct layer *layer = &stack->layer[stack->layer_of[item->stage]];
            layer->now += place->event[event].begins ? item->amount : -item->amount;
        }
        if (!show(held, stack, start_ns, end_ns))
            return false;
    }
    for (uint32_t k = 0; k < stack->layers; k++)
        if (!close_piece(held, &stack->layer[k]))
            return false;
    return true;
}

/* ---- Rows ---- */

br_wide br_held_most(const struct br_held *held, const struct br_held_row *row)
{
    br_wide most = 0;
    for (uint32_t k = row->first_step; k < row->first_step + row->steps; k++)
        most = held->steps.step[k].amount > most ? held->steps.step[k].amount : most;
    return most;
}

/* A limit far above the peak would leave nothing to see of what is below. */
static br_wide full_of(const struct br_held *held, const struct br_held_row *row)
{
    const br_wide most = br_held_most(held, row);
    if (row->peak == 0)
        return most > 0 ? most : 1;
    if (most / 5 > row->peak)
        return row->peak + row->peak / 4 + 1;
    return most > row->peak ? most : row->peak;
}

static bool add_row(struct br_held *held, const struct br_emit_input *input, struct place *place,
                    struct br_held_row row)
{
    const int64_t span_ns = input->plan->makespan_ns > 1 ? input->plan->makespan_ns : 1;
    struct stack stack = {0};
    sweep(place, span_ns);
    find_peak(place, &row);
    row.first_step = held->steps.count;
    row.first_piece = held->pieces;
    bool done = br_held_add_steps(&held->steps, input, row.resource, row.machine, row.digits) &&
                list_holders(held, place, &row) && stack_init(&stack, place, input->dag->stages) &&
                draw_stack(held, place, &stack, span_ns);
    stack_finish(&stack);
    row.steps = held->steps.count - row.first_step;
    row.pieces = held->pieces - row.first_piece;
    struct br_held_row *grown = br_realloc(held->row, ((size_t)held->rows + 1) * sizeof row);
    held->row = grown ? grown : held->row;
    if (!done || !grown)
        return false;
    row.full = full_of(held, &row);
    held->row[held->rows++] = row;
    return true;
}

/* The machine of the place, and how full it gets for what it has. */
struct machine {
    uint32_t machine, first, items;
    double use;
    bool changes;
};

static double use_of(const struct br_emit_input *input, struct place *place, uint32_t machine,
                     const struct br_held_row *row)
{
    const struct br_cluster *cluster = input->cluster;
    struct br_held_row peak = {0};
    sweep(place, input->plan->makespan_ns > 1 ? input->plan->makespan_ns : 1);
    find_peak(place, &peak);
    const br_wide has =
        br_held_scale(br_cluster_capacity(cluster, br_cluster_machine_class(cluster, machine),
                                          input->dag->resource[row->resource].name),
                      row->digits);
    return has > 0 ? (double)peak.peak / (double)has : (double)peak.peak;
}

static int by_machine_use(const void *a, const void *b)
{
    const struct machine *x = a, *y = b;
    if (x->use > y->use || x->use < y->use)
        return x->use > y->use ? -1 : 1;
    return x->machine < y->machine ? -1 : x->machine > y->machine;
}

static int by_machine(const void *a, const void *b)
{
    const struct machine *x = a, *y = b;
    return x->machine < y->machine ? -1 : x->machine > y->machine;
}

/* The fullest machines come first, at most MACHINES_MOST of a small cluster and one of a large one;
 * and of a large one also the fullest of those on which the amount changes. */
static uint32_t choose_machines(struct machine *machine, uint32_t count, uint32_t all)
{
    br_sort_by(machine, count, sizeof *machine, by_machine_use);
    if (all <= MACHINES_MOST) {
        br_sort_by(machine, count, sizeof *machine, by_machine);
        return count;
    }
    for (uint32_t k = 1; k < count && !machine[0].changes; k++)
        if (machine[k].changes) {
            machine[1] = machine[k];
            return 2;
        }
    return count ? 1 : 0;
}

static bool add_machines(struct br_held *held, const struct br_emit_input *input,
                         const struct br_held_items *items, struct place *place,
                         struct br_held_row row)
{
    struct machine *machine = br_calloc((size_t)items->count + 1, sizeof *machine);
    bool done = machine != NULL;
    for (uint32_t k = 0, to; done && k < items->count; k = to) {
        for (to = k + 1; to < items->count && items->item[to].place == items->item[k].place;)
            to++;
        place->item = items->item + k;
        place->items = to - k;
        const uint32_t m = place->item->place;
        machine[row.of++] = (struct machine){m, k, to - k, use_of(input, place, m, &row),
                                             br_held_changes(input, row.resource, m)};
    }
    const uint32_t chosen = done ? choose_machines(machine, row.of, input->cluster->machines) : 0;
    for (uint32_t k = 0; done && k < chosen; k++) {
        place->item = items->item + machine[k].first;
        place->items = machine[k].items;
        row.machine = machine[k].machine;
        done = add_row(held, input, place, row);
    }
    br_free(machine);
    return done;
}

/* The rows of one resource. */
static bool add_resource(struct br_held *held, const struct br_emit_input *input,
                         const int64_t *last, struct br_held_row row)
{
    const bool shared = row.machine == BR_HELD_NONE;
    struct br_held_items items = {0};
    struct place place = {0};
    bool done = br_held_list(input, last, row.resource, row.digits, &items);
    if (done) {
        place.event = br_malloc((2 * (size_t)items.count + 1) * sizeof *place.event);
        place.moment = br_malloc((2 * (size_t)items.count + 3) * sizeof *place.moment);
        place.item = items.item;
        place.items = items.count;
        done = place.event && place.moment;
    }
    if (done && shared)
        done = add_row(held, input, &place, row);
    else if (done)
        done = add_machines(held, input, &items, &place, row);
    br_free(place.event);
    br_free(place.moment);
    br_free(items.item);
    return done;
}

/* Is the resource kept in outputs, or does it change on some machine? */
static bool is_kept(const struct br_emit_input *input, uint32_t resource)
{
    const struct br_storage *storage = input->dag->storage;
    const struct br_calendar *calendar = input->cluster->calendar;
    for (uint32_t o = 0; storage && o < storage->outputs; o++)
        if (storage->output[o].resource == resource)
            return true;
    for (uint32_t k = 0; calendar && k < calendar->changes; k++)
        if (calendar->change[k].span.count &&
            strcmp(calendar->change[k].resource, input->dag->resource[resource].name) == 0)
            return true;
    return false;
}

enum br_status br_held_init(struct br_held *held, const struct br_emit_input *input,
                            struct br_diag *diag)
{
    const struct br_dag *dag = input->dag;
    enum br_status status = BR_OK;
    *held = (struct br_held){0};
    if (!br_features(dag, input->cluster))
        return BR_OK;
    int64_t *last = br_held_last_ends(input);
    for (uint32_t pass = 0; last && pass < 2 && !status; pass++)
        for (uint32_t r = 0; r < dag->resources && !status; r++) {
            const bool shared = br_cluster_shared(input->cluster, dag->resource[r].name) != NULL;
            const struct br_held_row row = {.resource = r,
                                            .machine = shared ? BR_HELD_NONE : 0,
                                            .digits = br_held_digits(input, r)};
            if (shared != (pass == 0) || (!shared && !is_kept(input, r)))
                continue;
            if (row.digits < 0)
                status = br_fail(diag, BR_BAD_INPUT, "use fewer decimals or a larger unit",
                                 "the amounts of %.80s differ by too many powers of ten",
                                 dag->resource[r].name);
            else if (!add_resource(held, input, last, row))
                status = br_fail_memory(diag);
        }
    if (!last)
        status = br_fail_memory(diag);
    br_free(last);
    if (status)
        br_held_finish(held);
    return status;
}

void br_held_finish(struct br_held *held)
{
    br_free(held->row);
    br_free(held->piece);
    br_free(held->steps.step);
    br_free(held->holder);
    *held = (struct br_held){0};
}

/* ---- Texts ---- */

struct br_held_text br_held_text(const struct br_dag *dag, const struct br_held_row *row,
                                 br_wide amount)
{
    const struct br_resource *resource = &dag->resource[row->resource];
    struct br_held_text text = {""};
    int32_t digits = row->digits;
    for (; digits > 0 && amount % 10 == 0; digits--)
        amount /= 10;
    double value = (double)amount;
    if (amount <= INT64_MAX) {
        br_role_amount(br_decimal_unscale((int64_t)amount, digits), resource->name,
                       !resource->unit && resource->in_bytes ? "B" : resource->unit, text.text);
        return text;
    }
    for (; digits > 0; digits--)
        value /= 10;
    snprintf(text.text, sizeof text.text, "%g", value);
    return text;
}

void br_held_write_number(FILE *out, const struct br_held_row *row, br_wide amount)
{
    char digit[48];
    size_t count = 0;
    int32_t places = row->digits;
    for (; places > 0 && amount % 10 == 0; places--)
        amount /= 10;
    do {
        digit[count++] = (char)('0' + (int)(amount % 10));
        amount /= 10;
    } while ((amount > 0 || (int32_t)count <= places) && count < sizeof digit);
    while (count > 0) {
        putc(digit[--count], out);
        if (places > 0 && (int32_t)count == places)
            putc('.', out);
    }
}

struct br_held_name br_held_name(const struct br_emit_input *input, const struct br_held_row *row)
{
    struct br_held_name name;
    char machine[90] = "shared";
    if (row->machine != BR_HELD_NONE)
        br_cluster_machine_name(input->cluster, row->machine, machine, sizeof machine);
    snprintf(name.text, sizeof name.text, "%.60s, %s", input->dag->resource[row->resource].name,
             machine);
    return name;
}
