#include "cli/bounds/change.h"

#include <bigrocks/planner.h>
#include <inttypes.h>
#include <string.h>

static bool change_add(struct br_decimal a, struct br_decimal b, struct br_decimal *sum)
{
    int32_t digits = a.exponent < b.exponent ? -a.exponent : -b.exponent;
    int64_t x, y;
    if (!br_decimal_scale(a, digits, &x) || !br_decimal_scale(b, digits, &y) ||
        __builtin_add_overflow(x, y, &x))
        return false;
    *sum = br_decimal_unscale(x, digits);
    return true;
}

static bool change_multiply(struct br_decimal a, struct br_decimal b, struct br_decimal *product)
{
    int64_t mantissa;
    if (__builtin_mul_overflow(a.mantissa, b.mantissa, &mantissa))
        return false;
    *product = br_decimal_unscale(mantissa, -(a.exponent + b.exponent));
    return true;
}

/* The changed amount; false if it cannot be computed, or is below 0. */
static bool change_amount(const struct cli_change *change, struct br_decimal old,
                          struct br_decimal *changed)
{
    struct br_decimal by = change->amount;
    if (change->sign == '=') {
        *changed = by;
        return true;
    }
    if (change->sign == '-')
        by.mantissa = -by.mantissa;
    if (change->percent) {
        struct br_decimal factor;
        by.exponent -= by.mantissa ? 2 : 0;
        if (!change_add(by, (struct br_decimal){1, 0}, &factor) ||
            !change_multiply(old, factor, changed))
            return false;
    } else if (!change_add(old, by, changed)) {
        return false;
    }
    return changed->mantissa >= 0;
}

/* A changed number of machines, rounded up; false if it is below 0, or too large. */
static bool change_count(const struct cli_change *change, uint32_t old, uint32_t *changed)
{
    struct br_decimal value;
    int64_t count = 0;
    if (!change_amount(change, br_decimal_unscale(old, 0), &value))
        return false;
    for (; value.exponent < 0; value.exponent++)
        value.mantissa = value.mantissa / 10 + (value.mantissa % 10 != 0);
    if (!br_decimal_scale(value, 0, &count) || count > BR_MAX_MACHINES)
        return false;
    *changed = (uint32_t)count;
    return true;
}

/* The amount of the resource, changed if the change is one of it. */
static enum br_status changed_text(const struct br_capacity *capacity,
                                   const struct cli_change *change, bool here, bool *known,
                                   char text[BR_DECIMAL_TEXT], struct br_diag *diag)
{
    struct br_decimal amount = capacity->amount;
    if (here && change->resource && strcmp(capacity->resource, change->resource) == 0) {
        *known = true;
        if (!change_amount(change, amount, &amount))
            return br_fail(diag, BR_USAGE, "leave 0 of it, or more",
                           "so much %.200s there cannot be", change->resource);
    }
    br_decimal_format(amount, text, BR_DECIMAL_TEXT);
    return BR_OK;
}

/* A class of the changed cluster, unless none of its machines is left. */
static enum br_status change_class(const struct br_class *cls, const struct cli_change *change,
                                   bool *known, struct br_cluster *to, struct br_diag *diag)
{
    uint32_t count = cls->count, number;
    char text[BR_DECIMAL_TEXT];
    const bool here = !change->cls || strcmp(change->cls, cls->name) == 0;
    if (here && !change->resource && !change_count(change, cls->count, &count))
        return br_fail(diag, BR_USAGE, "leave 0 of them, or more",
                       "the number of machines of class '%.200s', %" PRIu32
                       ", cannot be changed so",
                       cls->name, cls->count);
    *known |= here && !change->resource;
    if (count == 0)
        return BR_OK;
    enum br_status status = br_cluster_add_class(to, cls->name, count, &number, diag);
    if (!status && cls->up)
        status = br_cluster_set_network(to, number, cls->up, cls->down, diag);
    if (!status)
        status = br_cluster_copy_speed(to, number, cls, diag);
    for (uint32_t k = 0; k < cls->capacities && !status; k++) {
        status = changed_text(&cls->capacity[k], change, here, known, text, diag);
        if (!status)
            status = br_cluster_add_capacity(to, number, cls->capacity[k].resource, text, diag);
    }
    return status;
}

/* Is the resource still there? The only machines that had it may be gone. */
static bool change_left(const struct br_cluster *cluster, const char *resource)
{
    for (uint32_t c = 0; c < cluster->classes; c++)
        if (br_class_capacity(&cluster->cls[c], resource))
            return true;
    return br_cluster_shared(cluster, resource) != NULL;
}

static enum br_status change_refuse_name(const struct cli_change *change, struct br_diag *diag)
{
    if (!change->resource)
        return br_fail(diag, BR_USAGE, "leave one of them in the change before",
                       "no machine of class '%.200s' is left to be changed", change->cls);
    return br_fail(diag, BR_USAGE,
                   "name a resource of the cluster, or machines, or such of a class, "
                   "CLASS:machines",
                   change->cls ? "no machine of the class has '%.200s'" : "no machine has '%.200s'",
                   change->resource);
}

enum br_status cli_changed_cluster(const struct br_cluster *old, const struct cli_change *change,
                                   struct br_cluster **cluster, struct br_diag *diag)
{
    bool known = false;
    char text[BR_DECIMAL_TEXT];
    enum br_status status = BR_OK;
    *cluster = br_cluster_create(old->name);
    if (!*cluster)
        return br_fail_memory(diag);
    for (uint32_t c = 0; c < old->classes && !status; c++)
        status = change_class(&old->cls[c], change, &known, *cluster, diag);
    if (!status && (*cluster)->classes == 0)
        status =
            br_fail(diag, BR_USAGE, "leave one machine", "no machine of the cluster would be left");
    for (uint32_t k = 0; k < old->shareds && !status; k++) {
        status = changed_text(&old->shared[k], change, !change->cls, &known, text, diag);
        if (!status)
            status = br_cluster_add_shared(*cluster, old->shared[k].resource, text, diag);
    }
    if (!status)
        status = br_cluster_copy_calendar(*cluster, old, diag);
    for (uint32_t k = 0; k < old->fungibles && !status; k++)
        if (change_left(*cluster, old->fungible[k]))
            status = br_cluster_set_fungible(*cluster, old->fungible[k], diag);
    if (!status && !known)
        status = change_refuse_name(change, diag);
    if (status) {
        br_cluster_destroy(*cluster);
        *cluster = NULL;
    }
    return status;
}

enum br_status cli_point_bound(const struct br_dag *dag, const struct br_cluster *cluster,
                               struct cli_point *point, struct br_diag *diag)
{
    struct br_diag why = {0};
    *point = (struct cli_point){.method = ""};
    enum br_status status = br_bound(dag, cluster, &point->bound_ns, &point->method, &why);
    point->feasible = status == BR_OK;
    if (status && status != BR_BAD_INPUT) {
        *diag = why;
        return status;
    }
    return BR_OK;
}

enum br_status cli_point_try(const struct br_dag *dag, const struct br_cluster *cluster,
                             const struct cli_change *change, struct cli_point *point,
                             struct br_diag *diag)
{
    struct br_cluster *changed;
    enum br_status status = cli_changed_cluster(cluster, change, &changed, diag);
    if (!status)
        status = cli_point_bound(dag, changed, point, diag);
    br_cluster_destroy(changed);
    return status;
}

enum br_status cli_point_try_both(const struct br_dag *dag, const struct br_cluster *cluster,
                                  const struct cli_change change[2], struct cli_point *point,
                                  struct br_diag *diag)
{
    struct br_cluster *changed;
    enum br_status status = cli_changed_cluster(cluster, &change[0], &changed, diag);
    if (!status)
        status = cli_point_try(dag, changed, &change[1], point, diag);
    br_cluster_destroy(changed);
    return status;
}
