#include "cluster/simulate/command/budgets.h"

#include <string.h>

#include "planner/model/alternatives.h"

bool br_budgets_count(const struct br_dag *dag)
{
    return dag->alternatives && dag->alternatives->any_consumed;
}

/* What the task consumes of the resource by the plan's alternative. */
static struct br_decimal budgets_amount(const struct br_dag *dag, uint32_t stage,
                                        uint32_t alternative, const char *resource)
{
    const struct br_alternatives *all = dag->alternatives;
    const struct br_alternative *way = &all->alternative[all->stage_first[stage] + alternative];
    for (uint32_t k = way->first_consumed; k < way->first_consumed + way->consumed; k++)
        if (strcmp(dag->resource[all->consumed[k].resource].name, resource) == 0)
            return all->consumed[k].amount;
    return (struct br_decimal){0};
}

/* What is left of the shared resource after the plan, or fails. */
static bool budgets_left(const struct br_dag *dag, const struct br_plan *plan,
                         const struct br_capacity *shared, struct br_decimal *left)
{
    int32_t digits = shared->amount.exponent < 0 ? -shared->amount.exponent : 0;
    int64_t has, amount;
    *left = shared->amount;
    for (uint32_t k = 0; k < dag->alternatives->count; k++)
        for (uint32_t c = 0; c < dag->alternatives->alternative[k].consumed; c++) {
            const uint32_t at = dag->alternatives->alternative[k].first_consumed + c;
            const int32_t exponent = dag->alternatives->consumed[at].amount.exponent;
            digits = -exponent > digits ? -exponent : digits;
        }
    if (!br_decimal_scale(shared->amount, digits, &has))
        return true; /* more than tasks can consume */
    for (uint32_t s = 0; s < dag->stages; s++)
        for (uint32_t i = 0; i < dag->stage[s].tasks; i++) {
            const uint32_t task = dag->stage[s].first_task + i;
            const struct br_decimal takes =
                budgets_amount(dag, s, br_plan_alternative(plan, task), shared->resource);
            if (!br_decimal_scale(takes, digits, &amount) || amount > has)
                return false;
            has -= amount;
        }
    *left = br_decimal_unscale(has, digits);
    return true;
}

bool br_budgets_take(const struct br_dag *dag, const struct br_plan *plan,
                     struct br_cluster *cluster)
{
    struct br_decimal left;
    for (uint32_t k = 0; k < cluster->shareds; k++)
        if (!budgets_left(dag, plan, &cluster->shared[k], &left))
            return false;
    for (uint32_t k = 0; k < cluster->shareds; k++)
        if (budgets_left(dag, plan, &cluster->shared[k], &left))
            cluster->shared[k].amount = left;
    return true;
}
