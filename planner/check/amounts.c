/* Scales amounts into 128 bits, and writes them. */
#include "planner/check/amounts.h"

#include <stdio.h>
#include <string.h>

#include "base/collections/memory.h"
#include "base/roles.h"

/* Scaled amounts stay below this, so that a sum over BR_MAX_TASKS of them fits 127 bits. */
#define AMOUNT_LIMIT ((br_wide)1 << 96)

static bool verify_scale(struct br_decimal value, int32_t digits, br_wide *scaled)
{
    br_wide m = value.mantissa;
    for (int64_t e = (int64_t)value.exponent + digits; e > 0 && m < AMOUNT_LIMIT; e--)
        m *= 10; /* stays far below 127 bits: 10 * 2^96 */
    *scaled = m;
    return m < AMOUNT_LIMIT;
}

static void more_digits(int32_t *digits, struct br_decimal value)
{
    if (-value.exponent > *digits)
        *digits = -value.exponent;
}

static struct br_decimal shared_amount(const struct br_plan_check *check, uint32_t resource)
{
    const struct br_capacity *shared =
        br_cluster_shared(check->cluster, check->dag->resource[resource].name);
    return shared ? shared->amount : (struct br_decimal){0};
}

static uint32_t find_resource(const struct br_dag *dag, const char *name)
{
    for (uint32_t r = 0; r < dag->resources; r++)
        if (strcmp(dag->resource[r].name, name) == 0)
            return r;
    return UINT32_MAX;
}

/* The number of amounts of all alternatives that are held, or consumed. */
static uint32_t ways_end(const struct br_dag *dag, bool consumed)
{
    const struct br_alternative *last =
        &dag->alternatives->alternative[dag->alternatives->count - 1];
    return consumed ? last->first_consumed + last->consumed : last->first_demand + last->demands;
}

static bool amounts_allocate(const struct br_plan_check *check, struct br_check_amounts *amounts)
{
    const struct br_dag *dag = check->dag;
    const struct br_cluster *cluster = check->cluster;
    const size_t rows = cluster->classes + (size_t)(cluster->shareds > 0);
    amounts->digits = br_calloc((size_t)dag->resources + 1, sizeof *amounts->digits);
    amounts->demand = br_calloc((size_t)dag->demands + 1, sizeof *amounts->demand);
    amounts->capacity = br_calloc(rows * dag->resources + 1, sizeof(br_wide));
    bool all = amounts->digits && amounts->demand && amounts->capacity;
    if (cluster->shareds)
        all &= (amounts->shared = br_calloc((size_t)dag->resources + 1, sizeof(bool))) != NULL;
    if (dag->storage)
        all &= (amounts->output = br_calloc((size_t)dag->storage->outputs + 1, sizeof(br_wide))) !=
               NULL;
    if (dag->alternatives) {
        amounts->way = br_calloc(ways_end(dag, false) + (size_t)1, sizeof(br_wide));
        amounts->consumed = br_calloc(ways_end(dag, true) + (size_t)1, sizeof(br_wide));
        all &= amounts->way && amounts->consumed;
    }
    if (cluster->calendar) {
        const size_t changes = (size_t)cluster->calendar->changes + 1;
        amounts->change = br_calloc(changes, sizeof *amounts->change);
        amounts->change_of = br_calloc(changes, sizeof *amounts->change_of);
        all &= amounts->change && amounts->change_of;
    }
    return all;
}

static void find_digits(const struct br_plan_check *check, struct br_check_amounts *amounts)
{
    const struct br_dag *dag = check->dag;
    const struct br_cluster *cluster = check->cluster;
    for (uint32_t d = 0; d < dag->demands; d++)
        more_digits(&amounts->digits[dag->demand[d].resource], dag->demand[d].amount);
    for (uint32_t o = 0; dag->storage && o < dag->storage->outputs; o++)
        more_digits(&amounts->digits[dag->storage->output[o].resource],
                    dag->storage->output[o].amount);
    for (uint32_t k = 0; dag->alternatives && k < ways_end(dag, false); k++)
        more_digits(&amounts->digits[dag->alternatives->demand[k].resource],
                    dag->alternatives->demand[k].amount);
    for (uint32_t k = 0; dag->alternatives && k < ways_end(dag, true); k++)
        more_digits(&amounts->digits[dag->alternatives->consumed[k].resource],
                    dag->alternatives->consumed[k].amount);
    for (uint32_t k = 0; cluster->calendar && k < cluster->calendar->changes; k++) {
        const struct br_change *change = &cluster->calendar->change[k];
        amounts->change_of[k] = find_resource(dag, change->resource);
        if (amounts->change_of[k] != UINT32_MAX)
            more_digits(&amounts->digits[amounts->change_of[k]], change->amount);
    }
    for (uint32_t r = 0; amounts->shared && r < dag->resources; r++) {
        amounts->shared[r] = br_cluster_shared(cluster, dag->resource[r].name) != NULL;
        more_digits(&amounts->digits[r], shared_amount(check, r));
    }
}

/* The capacities of one resource, which may have more digits than all else. */
static bool scale_capacities(const struct br_plan_check *check, uint32_t resource,
                             struct br_check_amounts *amounts)
{
    const struct br_dag *dag = check->dag;
    const struct br_cluster *cluster = check->cluster;
    const char *name = dag->resource[resource].name;
    bool fits = true;
    for (uint32_t c = 0; c < cluster->classes; c++)
        more_digits(&amounts->digits[resource], br_cluster_capacity(cluster, c, name));
    for (uint32_t c = 0; c < cluster->classes; c++)
        fits &= verify_scale(br_cluster_capacity(cluster, c, name), amounts->digits[resource],
                             &amounts->capacity[(size_t)c * dag->resources + resource]);
    if (amounts->shared)
        fits &=
            verify_scale(shared_amount(check, resource), amounts->digits[resource],
                         &amounts->capacity[(size_t)cluster->classes * dag->resources + resource]);
    return fits;
}

static bool scale_ways(const struct br_dag *dag, struct br_check_amounts *amounts)
{
    const struct br_alternatives *all = dag->alternatives;
    bool fits = true;
    for (uint32_t k = 0; all && k < ways_end(dag, false); k++)
        fits &= verify_scale(all->demand[k].amount, amounts->digits[all->demand[k].resource],
                             &amounts->way[k]);
    for (uint32_t k = 0; all && k < ways_end(dag, true); k++)
        fits &= verify_scale(all->consumed[k].amount, amounts->digits[all->consumed[k].resource],
                             &amounts->consumed[k]);
    return fits;
}

enum br_status br_check_amounts_init(const struct br_plan_check *check,
                                     struct br_check_amounts *amounts)
{
    const struct br_dag *dag = check->dag;
    const struct br_cluster *cluster = check->cluster;
    bool fits = true;
    *amounts = (struct br_check_amounts){0};
    if (!amounts_allocate(check, amounts))
        return br_fail_memory(check->diag);
    find_digits(check, amounts);
    for (uint32_t r = 0; r < dag->resources; r++)
        fits &= scale_capacities(check, r, amounts);
    for (uint32_t d = 0; d < dag->demands; d++)
        fits &= verify_scale(dag->demand[d].amount, amounts->digits[dag->demand[d].resource],
                             &amounts->demand[d]);
    for (uint32_t o = 0; dag->storage && o < dag->storage->outputs; o++) {
        const struct br_output *output = &dag->storage->output[o];
        fits &=
            verify_scale(output->amount, amounts->digits[output->resource], &amounts->output[o]);
    }
    fits &= scale_ways(dag, amounts);
    for (uint32_t k = 0; cluster->calendar && k < cluster->calendar->changes; k++)
        if (amounts->change_of[k] != UINT32_MAX)
            fits &= verify_scale(cluster->calendar->change[k].amount,
                                 amounts->digits[amounts->change_of[k]], &amounts->change[k]);
    if (!fits)
        return br_fail(check->diag, BR_BAD_INPUT, "use fewer decimals or a larger unit",
                       "the amounts of some resource differ by too many powers of ten");
    return BR_OK;
}

void br_check_amounts_finish(struct br_check_amounts *amounts)
{
    br_free(amounts->digits);
    br_free(amounts->demand);
    br_free(amounts->capacity);
    br_free(amounts->way);
    br_free(amounts->consumed);
    br_free(amounts->output);
    br_free(amounts->change);
    br_free(amounts->change_of);
    br_free(amounts->shared);
}

/* A scaled amount as text, for people if the resource is given; beyond 63 bits rounded, which
 * serves reading. */
static struct br_check_name verify_amount_text(br_wide scaled, int32_t digits,
                                               const struct br_resource *people)
{
    struct br_check_name name;
    while (digits > 0 && scaled % 10 == 0) {
        scaled /= 10;
        digits--;
    }
    if (scaled <= INT64_MAX && people) {
        br_role_amount(br_decimal_unscale((int64_t)scaled, digits), people->name, people->unit,
                       name.text);
    } else if (scaled <= INT64_MAX) {
        br_decimal_format((struct br_decimal){(int64_t)scaled, -digits}, name.text,
                          sizeof name.text);
    } else {
        double value = (double)scaled;
        for (int32_t k = 0; k < digits; k++)
            value /= 10;
        snprintf(name.text, sizeof name.text, "%g", value);
    }
    return name;
}

void br_check_amount_texts(const struct br_check_amounts *amounts,
                           const struct br_plan_check *check, uint32_t resource, br_wide has,
                           br_wide holds, struct br_check_name text[2])
{
    const struct br_resource *people = &check->dag->resource[resource];
    const int32_t digits = amounts->digits[resource];
    text[0] = verify_amount_text(has, digits, people);
    text[1] = verify_amount_text(holds, digits, people);
    if (strcmp(text[0].text, text[1].text) == 0) { /* they differ behind the rounding */
        text[0] = verify_amount_text(has, digits, NULL);
        text[1] = verify_amount_text(holds, digits, NULL);
    }
}
