/* Alternatives held against a cluster. */
#include "planner/eligibility/ways.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "planner/model/source.h"

bool br_alternative_names(const struct br_dag *dag, uint32_t alternative,
                          const struct br_class *cls)
{
    const struct br_alternatives *all = dag->alternatives;
    const struct br_alternative *a = &all->alternative[alternative];
    for (uint32_t k = 0; k < a->classes; k++)
        if (strcmp(all->class_name[a->first_class + k], cls->name) == 0)
            return true;
    return !a->classes;
}

bool br_alternative_fits(const struct br_dag *dag, uint32_t alternative,
                         const struct br_cluster *cluster, uint32_t cls)
{
    const struct br_alternatives *all = dag->alternatives;
    const struct br_alternative *a = &all->alternative[alternative];
    if (!br_alternative_names(dag, alternative, &cluster->cls[cls]))
        return false;
    for (uint32_t k = a->first_demand; k < a->first_demand + a->demands; k++) {
        const struct br_way_amount *demand = &all->demand[k];
        const char *name = dag->resource[demand->resource].name;
        const struct br_capacity *shared = br_cluster_shared(cluster, name);
        const struct br_decimal has =
            shared ? shared->amount : br_cluster_capacity(cluster, cls, name);
        if (br_decimal_compare(demand->amount, has) > 0)
            return false;
    }
    return true;
}

bool br_way_fits(const struct br_dag *dag, uint32_t stage, uint32_t alternative,
                 const struct br_cluster *cluster, uint32_t cls)
{
    const struct br_stage *s = &dag->stage[stage];
    if (alternative != UINT32_MAX)
        return br_alternative_fits(dag, alternative, cluster, cls);
    for (uint32_t d = s->first_demand; d < s->first_demand + s->demands; d++) {
        const char *name = dag->resource[dag->demand[d].resource].name;
        const struct br_capacity *shared = br_cluster_shared(cluster, name);
        const struct br_decimal has =
            shared ? shared->amount : br_cluster_capacity(cluster, cls, name);
        if (br_decimal_compare(dag->demand[d].amount, has) > 0)
            return false;
    }
    return true;
}

/* "stage 'a'" or "alternative 'x' of stage 'a'". */
struct way_text {
    char text[200];
};

static struct way_text way_text(const struct br_dag *dag, const struct br_alternative *a)
{
    struct way_text way;
    if (a->id)
        snprintf(way.text, sizeof way.text, "alternative '%.80s' of stage '%.80s'", a->id,
                 dag->stage[a->stage].id);
    else
        snprintf(way.text, sizeof way.text, "stage '%.80s'", dag->stage[a->stage].id);
    return way;
}

static enum br_status check_names(const struct br_dag *dag, const struct br_cluster *cluster,
                                  const struct br_alternative *a, struct br_diag *diag)
{
    const struct br_alternatives *all = dag->alternatives;
    for (uint32_t k = a->first_class; k < a->first_class + a->classes; k++)
        if (!all->classes_lost && !br_cluster_has_class(cluster, all->class_name[k]))
            return br_fail_at(diag, a->pos, BR_BAD_INPUT,
                              "name a class of the cluster, or add its machines there",
                              "%s runs on machines of class '%.80s', which the cluster does not "
                              "have",
                              way_text(dag, a).text, all->class_name[k]);
    for (uint32_t k = a->first_consumed; k < a->first_consumed + a->consumed; k++)
        if (!br_cluster_shared(cluster, dag->resource[all->consumed[k].resource].name))
            return br_fail_at(diag, a->pos, BR_BAD_INPUT,
                              "share it in the cluster: only what is shared can be consumed",
                              "%s consumes %.80s, which the cluster does not share",
                              way_text(dag, a).text, dag->resource[all->consumed[k].resource].name);
    return BR_OK;
}

static enum br_status check_fits(const struct br_dag *dag, const struct br_cluster *cluster,
                                 uint32_t stage, struct br_diag *diag)
{
    const struct br_alternatives *all = dag->alternatives;
    const uint32_t first = all->stage_first[stage], end = all->stage_first[stage + 1];
    for (uint32_t a = first; a < end; a++)
        for (uint32_t c = 0; c < cluster->classes; c++)
            if (br_alternative_fits(dag, a, cluster, c))
                return BR_OK;
    if (!all->alternative[first].id)
        return br_fail_at(diag, dag->stage[stage].pos, BR_BAD_INPUT,
                          "demand less, name other classes, or give machines of these more",
                          "stage '%.80s' fits no machine of its classes", dag->stage[stage].id);
    return br_fail_at(diag, dag->stage[stage].pos, BR_BAD_INPUT,
                      "demand less, name other classes, or give machines of these more",
                      "none of the %" PRIu32
                      " alternatives of stage '%.80s' fits a machine of its classes",
                      end - first, dag->stage[stage].id);
}

/* The least that a task of the stage consumes of the resource. */
static struct br_decimal least_consumed(const struct br_dag *dag, uint32_t stage, uint32_t resource)
{
    const struct br_alternatives *all = dag->alternatives;
    struct br_decimal least = {0};
    for (uint32_t a = all->stage_first[stage]; a < all->stage_first[stage + 1]; a++) {
        const struct br_alternative *way = &all->alternative[a];
        struct br_decimal amount = {0};
        for (uint32_t k = way->first_consumed; k < way->first_consumed + way->consumed; k++)
            if (all->consumed[k].resource == resource)
                amount = all->consumed[k].amount;
        if (a == all->stage_first[stage] || br_decimal_compare(amount, least) < 0)
            least = amount;
    }
    return least;
}

/* Do the tasks consume no more of the resource than is shared, if each takes the least? Sums that
 * do not fit 63 bits pass: plans are checked with more. */
static enum br_status check_budget(const struct br_dag *dag, const struct br_cluster *cluster,
                                   uint32_t resource, struct br_diag *diag)
{
    const char *name = dag->resource[resource].name;
    const struct br_capacity *shared = br_cluster_shared(cluster, name);
    int64_t total = 0, has = 0, amount = 0;
    if (!shared)
        return BR_OK;
    int32_t digits = shared->amount.exponent < 0 ? -shared->amount.exponent : 0;
    for (uint32_t s = 0; s < dag->stages; s++) {
        const struct br_decimal least = least_consumed(dag, s, resource);
        if (-least.exponent > digits)
            digits = -least.exponent;
    }
    bool exact = br_decimal_scale(shared->amount, digits, &has);
    for (uint32_t s = 0; s < dag->stages && exact; s++)
        exact = br_decimal_scale(least_consumed(dag, s, resource), digits, &amount) &&
                !__builtin_mul_overflow(amount, (int64_t)dag->stage[s].tasks, &amount) &&
                !__builtin_add_overflow(total, amount, &total);
    if (!exact || total <= has)
        return BR_OK;
    char least[BR_DECIMAL_TEXT], there[BR_DECIMAL_TEXT];
    br_decimal_format(br_decimal_unscale(total, digits), least, sizeof least);
    br_decimal_format(shared->amount, there, sizeof there);
    return br_fail(diag, BR_BAD_INPUT, "share more of it, or add alternatives that consume less",
                   "the job consumes at least %s of %.80s, and the cluster has %s", least, name,
                   there);
}

/* The longest that any task may last on a machine of speed 1. */
static int64_t longest_of(const struct br_dag *dag)
{
    const struct br_alternatives *all = dag->alternatives;
    int64_t longest = 0;
    for (uint32_t t = 0; t < dag->tasks; t++)
        longest = dag->duration_ns[t] > longest ? dag->duration_ns[t] : longest;
    for (uint32_t a = 0; all && a < all->count; a++) {
        const struct br_alternative *way = &all->alternative[a];
        const uint32_t tasks = way->id ? dag->stage[way->stage].tasks : 0;
        for (uint32_t i = 0; i < tasks; i++) {
            const int64_t ns = all->duration_ns[way->first_duration + i];
            longest = ns > longest ? ns : longest;
        }
    }
    return longest;
}

static enum br_status check_speeds(const struct br_dag *dag, const struct br_cluster *cluster,
                                   struct br_diag *diag)
{
    const int64_t longest = longest_of(dag);
    for (uint32_t c = 0; c < cluster->classes; c++)
        if (br_class_duration(&cluster->cls[c], longest) > INT64_MAX / 2)
            return br_fail(diag, BR_BAD_INPUT, "give the class a higher speed",
                           "a task of %s s takes more than a hundred years on machines of class "
                           "'%.80s'",
                           br_seconds(longest).text, cluster->cls[c].name);
    return BR_OK;
}

enum br_status br_alternatives_check(const struct br_dag *dag, const struct br_cluster *cluster,
                                     struct br_diag *diag)
{
    const struct br_alternatives *all = dag->alternatives;
    enum br_status status = cluster->speeds ? check_speeds(dag, cluster, diag) : BR_OK;
    if (!all || status)
        return status;
    for (uint32_t a = 0; a < all->count && !status; a++)
        status = check_names(dag, cluster, &all->alternative[a], diag);
    for (uint32_t s = 0; s < dag->stages && !status; s++)
        status = check_fits(dag, cluster, s, diag);
    for (uint32_t r = 0; r < dag->resources && all->any_consumed && !status; r++)
        status = check_budget(dag, cluster, r, diag);
    if (status)
        br_dag_blame(dag, diag);
    return status;
}
