/* Compares the job in a plan's file with the job that the plan should be of. Everything that
 * decides what runs, when and on which resources must be equal; names and descriptions may differ.
 */
#include "cli/planning/compare.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal/say.h"

void cli_check_take(void *context, const char *text)
{
    struct cli_check *check = context;
    check->faults++;
    if (check->quiet || check->faults > CLI_FAULTS_SHOWN)
        return;
    fputs("fault: ", stdout);
    cli_print_text(stdout, text);
    fputc('\n', stdout);
}

void cli_check_fault(struct cli_check *check, const char *format, ...)
{
    char text[768];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    cli_check_take(check, text);
}

static struct br_decimal compare_demand_of(const struct br_dag *dag, uint32_t stage,
                                           const char *resource)
{
    const struct br_stage *s = &dag->stage[stage];
    for (uint32_t k = s->first_demand; k < s->first_demand + s->demands; k++)
        if (strcmp(dag->resource[dag->demand[k].resource].name, resource) == 0)
            return dag->demand[k].amount;
    return (struct br_decimal){0};
}

static void compare_demand(struct cli_check *check, uint32_t mine, uint32_t own,
                           const char *resource)
{
    struct br_decimal a = compare_demand_of(check->job, mine, resource);
    struct br_decimal b = compare_demand_of(check->own, own, resource);
    char job[BR_DECIMAL_TEXT], plan[BR_DECIMAL_TEXT];
    if (a.mantissa == b.mantissa && a.exponent == b.exponent)
        return;
    br_decimal_format(a, job, sizeof job);
    br_decimal_format(b, plan, sizeof plan);
    cli_check_fault(check, "stage '%s' demands %s of '%s' in the job, %s in the plan",
                    check->job->stage[mine].id, job, resource, plan);
}

/* Are the texts equal? NULL: no text. */
static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static void compare_units(struct cli_check *check)
{
    for (uint32_t r = 0; r < check->job->resources; r++)
        for (uint32_t o = 0; o < check->own->resources; o++) {
            const struct br_resource *a = &check->job->resource[r], *b = &check->own->resource[o];
            if (strcmp(a->name, b->name) == 0 && !same_text(a->unit, b->unit))
                cli_check_fault(
                    check, "resource '%s' is counted in %s in the job, in %s in the plan", a->name,
                    a->unit ? a->unit : "no unit", b->unit ? b->unit : "no unit");
        }
}

/* Two stages with the same id. */
static void compare_stage(struct cli_check *check, uint32_t mine, uint32_t own)
{
    const struct br_stage *a = &check->job->stage[mine], *b = &check->own->stage[own];
    if (!same_text(a->command, b->command))
        cli_check_fault(check, "stage '%s' has another command in the plan than in the job", a->id);
    if (a->tasks != b->tasks) {
        cli_check_fault(check,
                        "stage '%s' has %" PRIu32 " tasks in the job, %" PRIu32 " in the plan",
                        a->id, a->tasks, b->tasks);
        return;
    }
    for (uint32_t i = 0; i < a->tasks; i++) {
        int64_t x = check->job->duration_ns[a->first_task + i];
        int64_t y = check->own->duration_ns[b->first_task + i];
        char id[300], job[BR_SECONDS_TEXT], plan[BR_SECONDS_TEXT];
        if (x == y)
            continue;
        br_dag_task_id(check->job, a->first_task + i, id, sizeof id);
        br_seconds_format(x, job);
        br_seconds_format(y, plan);
        cli_check_fault(check, "task '%s' lasts %s s in the job, %s s in the plan's job", id, job,
                        plan);
    }
    for (uint32_t k = a->first_demand; k < a->first_demand + a->demands; k++)
        compare_demand(check, mine, own, check->job->resource[check->job->demand[k].resource].name);
    for (uint32_t k = b->first_demand; k < b->first_demand + b->demands; k++) {
        const char *name = check->own->resource[check->own->demand[k].resource].name;
        if (compare_demand_of(check->job, mine, name).mantissa == 0)
            compare_demand(check, mine, own, name);
    }
}

/* An edge, with its stages numbered as in the given job. */
struct link {
    uint32_t parent, child;
    bool one_to_one; /* set only if that differs from a barrier */
    int64_t bytes;
    uint32_t edge; /* in its own job */
};

static int compare_by_ends(const void *a, const void *b)
{
    const struct link *x = a, *y = b;
    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    return x->child < y->child ? -1 : x->child > y->child;
}

/* The edges of a dag whose stage s is number map[s] (NULL: s) of the given job, sorted. */
static struct link *links_of(const struct br_dag *dag, const uint32_t *map)
{
    struct link *link = malloc(((size_t)dag->edges + 1) * sizeof *link);
    for (uint32_t e = 0; link && e < dag->edges; e++) {
        const struct br_edge *edge = &dag->edge[e];
        link[e] = (struct link){
            .parent = map ? map[edge->parent] : edge->parent,
            .child = map ? map[edge->child] : edge->child,
            .one_to_one = br_dag_is_paired(dag, edge),
            .bytes = edge->bytes,
            .edge = e,
        };
    }
    if (link)
        qsort(link, dag->edges, sizeof *link, compare_by_ends);
    return link;
}

/* edge_map[e] becomes the given job's number of edge e of the plan's job. */
static bool compare_edges(struct cli_check *check, const uint32_t *map, uint32_t *edge_map)
{
    struct link *job = links_of(check->job, NULL), *plan = links_of(check->own, map);
    uint32_t i = 0, k = 0;
    while (job && plan && (i < check->job->edges || k < check->own->edges)) {
        int order = i == check->job->edges   ? 1
                    : k == check->own->edges ? -1
                                             : compare_by_ends(&job[i], &plan[k]);
        const struct link *link = order <= 0 ? &job[i] : &plan[k];
        assert(link->parent < check->job->stages && link->child < check->job->stages);
        const char *parent = check->job->stage[link->parent].id;
        const char *child = check->job->stage[link->child].id;
        if (order < 0)
            cli_check_fault(check, "the plan's job lacks the edge from '%s' to '%s'", parent,
                            child);
        else if (order > 0)
            cli_check_fault(check,
                            "the plan's job has an edge from '%s' to '%s' that the job has not",
                            parent, child);
        else if (job[i].one_to_one != plan[k].one_to_one)
            cli_check_fault(check, "the edge from '%s' to '%s' is %s in the job, %s in the plan",
                            parent, child, job[i].one_to_one ? "one-to-one" : "a barrier",
                            plan[k].one_to_one ? "one-to-one" : "a barrier");
        else if (job[i].bytes != plan[k].bytes)
            cli_check_fault(check,
                            "the edge from '%s' to '%s' carries %" PRId64
                            " bytes in the job, %" PRId64 " in the plan",
                            parent, child, job[i].bytes, plan[k].bytes);
        if (order >= 0)
            edge_map[plan[k].edge] = order == 0 ? job[i].edge : UINT32_MAX;
        i += order <= 0;
        k += order >= 0;
    }
    bool done = job && plan;
    free(job);
    free(plan);
    return done;
}

bool cli_check_jobs(struct cli_check *check, uint32_t *map, uint32_t *edge_map, bool *same_tasks)
{
    uint32_t known = 0;
    for (uint32_t s = 0; s < check->own->stages; s++)
        known += br_dag_find_stage(check->job, check->own->stage[s].id) != UINT32_MAX;
    if (!known) {
        cli_check_fault(check, "the plan is of another job, '%.200s': it has no stage of '%.200s'",
                        br_dag_name(check->own), br_dag_name(check->job));
        *same_tasks = false;
        return true;
    }
    *same_tasks = check->job->tasks == check->own->tasks;
    compare_units(check);
    for (uint32_t s = 0; s < check->job->stages; s++) {
        uint32_t own = br_dag_find_stage(check->own, check->job->stage[s].id);
        if (own == UINT32_MAX) {
            cli_check_fault(check, "stage '%s' of the job is not in the plan",
                            check->job->stage[s].id);
            *same_tasks = false;
            continue;
        }
        compare_stage(check, s, own);
        if (check->job->stage[s].tasks != check->own->stage[own].tasks)
            *same_tasks = false;
    }
    for (uint32_t s = 0; s < check->own->stages; s++) {
        map[s] = br_dag_find_stage(check->job, check->own->stage[s].id);
        if (map[s] == UINT32_MAX) {
            cli_check_fault(check, "stage '%s' of the plan is not in the job",
                            check->own->stage[s].id);
            *same_tasks = false;
        }
    }
    return !*same_tasks || compare_edges(check, map, edge_map);
}

static bool same_amount(struct br_decimal a, struct br_decimal b)
{
    return a.mantissa == b.mantissa && a.exponent == b.exponent;
}

bool cli_check_same_cluster(const struct br_cluster *a, const struct br_cluster *b)
{
    bool same = a->classes == b->classes && a->machines == b->machines;
    for (uint32_t c = 0; same && c < a->classes; c++) {
        const struct br_class *x = &a->cls[c], *y = &b->cls[c];
        same = strcmp(x->name, y->name) == 0 && x->count == y->count && x->up == y->up &&
               x->down == y->down && x->capacities == y->capacities;
        for (uint32_t k = 0; same && k < x->capacities; k++)
            same = same_amount(x->capacity[k].amount,
                               br_cluster_capacity(b, c, x->capacity[k].resource));
    }
    return same;
}
