#include "cli/jobs/show_features.h"

#include <bigrocks/bigrocks.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/roles.h"
#include "cli/inputs/load.h"
#include "cli/terminal/say.h"
#include "planner/eligibility/features.h"
#include "planner/instance/relax.h"

/* Numbers of things, by name: "2 releases, 1 lag". Those of 0 are left out. */
struct count {
    uint32_t count;
    const char *one, *many;
};

static void print_counts(const char *title, const struct count *list, size_t counts)
{
    bool first = true;
    for (size_t k = 0; k < counts; k++) {
        if (!list[k].count)
            continue;
        printf("%-*s", first ? 15 : 0, first ? title : ", ");
        cli_print_count(stdout, list[k].count, list[k].one, list[k].many);
        first = false;
    }
    if (!first)
        fputc('\n', stdout);
}

/* For people, so floating point will do. */
static enum br_status print_made(const struct br_dag *dag, struct br_diag *diag)
{
    const struct br_storage *storage = dag->storage;
    double *made = calloc((size_t)dag->resources + 1, sizeof *made);
    uint64_t *count = calloc((size_t)dag->resources + 1, sizeof *count);
    uint32_t results = 0;
    if (made && count)
        for (uint32_t o = 0; o < storage->outputs; o++) {
            const struct br_output *output = &storage->output[o];
            const uint32_t tasks = dag->stage[output->stage].tasks;
            made[output->resource] += tasks * cli_amount(output->amount);
            count[output->resource] += tasks;
            results += br_output_is_result(storage, o);
        }
    bool first = true;
    for (uint32_t r = 0; made && count && r < dag->resources; r++) {
        const struct br_resource *resource = &dag->resource[r];
        char text[BR_ROLE_AMOUNT_TEXT];
        if (!count[r])
            continue;
        printf("%-15s", first ? "outputs" : "");
        cli_print_text(stdout, resource->name);
        if (br_role_counts_bytes(resource->name, resource->unit) && made[r] < 9e18) {
            br_role_bytes_text((int64_t)made[r], text);
            printf(" %s", text);
        } else {
            printf(" %.6g", made[r]);
        }
        printf(" made by %" PRIu64 " outputs of tasks\n", count[r]);
        first = false;
    }
    if (results)
        print_counts("",
                     &(struct count){results, "output of a stage is a result",
                                     "outputs of stages are results"},
                     1);
    const bool ok = made && count;
    free(made);
    free(count);
    return ok ? BR_OK : br_fail_memory(diag);
}

void cli_show_work_of_ways(const struct br_dag *dag, uint32_t stage, double *work, double *most)
{
    const struct br_alternatives *all = dag->alternatives;
    const struct br_stage *of = &dag->stage[stage];
    for (uint32_t i = 0; i < of->tasks; i++)
        for (uint32_t r = 0; r < dag->resources; r++) {
            double least = HUGE_VAL, greatest = 0;
            for (uint32_t a = all->stage_first[stage]; a < all->stage_first[stage + 1]; a++) {
                const struct br_alternative *way = &all->alternative[a];
                double amount = 0;
                for (uint32_t k = way->first_demand; k < way->first_demand + way->demands; k++)
                    if (all->demand[k].resource == r)
                        amount = cli_amount(all->demand[k].amount);
                amount *= (double)br_alternative_duration(dag, a, of->first_task + i) / 1e9;
                least = amount < least ? amount : least;
                greatest = amount > greatest ? amount : greatest;
            }
            work[r] += least;
            most[r] += greatest;
        }
}

static void print_ways(const struct br_dag *dag)
{
    const struct br_alternatives *all = dag->alternatives;
    struct count list[] = {{0, "stage with alternatives", "stages with alternatives"},
                           {0, "alternative", "alternatives"},
                           {0, "way on some classes alone", "ways on some classes alone"},
                           {0, "that consumes", "that consume"}};
    for (uint32_t s = 0; s < dag->stages; s++)
        list[0].count += dag->stage[s].alternatives > 0;
    for (uint32_t a = 0; a < all->count; a++) {
        list[1].count += all->alternative[a].id != NULL;
        list[2].count += all->alternative[a].classes > 0;
        list[3].count += all->alternative[a].consumed > 0;
    }
    print_counts("ways", list, sizeof list / sizeof *list);
}

enum br_status cli_show_features(const struct br_dag *dag, struct br_diag *diag)
{
    enum br_status status = dag->storage ? print_made(dag, diag) : BR_OK;
    struct count list[] = {{0, "task with a release", "tasks with a release"},
                           {0, "with a deadline", "with a deadline"},
                           {0, "edge with a lag", "edges with a lag"},
                           {0, "stream", "streams"}};
    for (uint32_t t = 0; dag->times && t < dag->tasks; t++) {
        list[0].count += br_dag_release(dag, t) > 0;
        list[1].count += br_dag_deadline(dag, t) != INT64_MAX;
    }
    for (uint32_t e = 0; dag->times && e < dag->edges; e++) {
        list[2].count += br_dag_wait(dag, e).lag_ns > 0;
        list[3].count += br_dag_wait(dag, e).stream;
    }
    print_counts("times", list, sizeof list / sizeof *list);
    if (dag->alternatives)
        print_ways(dag);
    return status;
}

void cli_show_shared(const struct br_dag *dag, const struct br_cluster *cluster)
{
    const struct br_calendar *calendar = cluster->calendar;
    char amount[BR_ROLE_AMOUNT_TEXT];
    for (uint32_t k = 0; k < cluster->shareds; k++) {
        const struct br_capacity *shared = &cluster->shared[k];
        br_role_amount(shared->amount, shared->resource, cli_unit(dag, shared->resource), amount);
        printf("%-*s", k ? 0 : 15, k ? ", " : "shared");
        cli_print_text(stdout, shared->resource);
        printf(" %s", amount);
    }
    if (cluster->shareds)
        fputc('\n', stdout);
    if (!calendar)
        return;
    const struct count list[] = {
        {calendar->unavailables, "time without machines", "times without machines"},
        {calendar->changes, "change of an amount", "changes of amounts"}};
    print_counts("windows", list, 2);
}

enum br_status cli_show_bound(const struct br_dag *dag, const struct br_cluster *cluster,
                              int64_t *bound_ns, const char **method, struct br_diag *diag)
{
    static const enum br_relaxation relaxations[] = {BR_RELAX_MACHINES, BR_RELAX_POOL};
    enum br_status status = BR_OK;
    if (!br_features(dag, cluster))
        return br_bound(dag, cluster, bound_ns, method, diag);
    *bound_ns = 0;
    for (size_t k = 0; k < sizeof relaxations / sizeof *relaxations && !status; k++) {
        struct br_relaxed relaxed = {0};
        const char *how;
        int64_t ns = 0;
        status = br_relax(dag, cluster, relaxations[k], &relaxed, diag);
        if (!status)
            status = br_bound(relaxed.dag, relaxed.cluster, &ns, &how, diag);
        br_relaxed_finish(&relaxed);
        if (!status && ns > *bound_ns)
            *bound_ns = ns;
    }
    *method = "job without what is held, shared or timed";
    return status;
}
