/* bigrocks check: does the plan hold for this job on this cluster?
 *
 * The plan's file carries a job of its own, which could say anything. So it is compared with the
 * job that is given, stage by stage; then the plan is carried over to that job and cluster, by the
 * ids of tasks and the names of machines, and verified there: durations, demands and edges are
 * those of the job. Reads planner/model/plan.h to carry the plan over.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bounds/check_certificate.h"
#include "cli/common/load.h"
#include "cli/common/say.h"
#include "planner/check/certificate.h"
#include "planner/model/plan.h"

struct check {
    const struct br_dag *job, *own;         /* the given job, and the plan's */
    const struct br_cluster *cluster, *old; /* the given cluster, and the plan's */
    uint64_t faults;
    bool quiet;
};

static void take_fault(void *context, const char *text)
{
    struct check *check = context;
    check->faults++;
    if (check->quiet)
        return;
    fputs("fault: ", stdout);
    cli_print_text(stdout, text);
    fputc('\n', stdout);
}

__attribute__((format(printf, 2, 3))) static void fault(struct check *check, const char *format,
                                                        ...)
{
    char text[768];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    take_fault(check, text);
}

static struct br_decimal demand_of(const struct br_dag *dag, uint32_t stage, const char *resource)
{
    const struct br_stage *s = &dag->stage[stage];
    for (uint32_t k = s->first_demand; k < s->first_demand + s->demands; k++)
        if (strcmp(dag->resource[dag->demand[k].resource].name, resource) == 0)
            return dag->demand[k].amount;
    return (struct br_decimal){0};
}

static void compare_demand(struct check *check, uint32_t mine, uint32_t own, const char *resource)
{
    struct br_decimal a = demand_of(check->job, mine, resource);
    struct br_decimal b = demand_of(check->own, own, resource);
    char job[BR_DECIMAL_TEXT], plan[BR_DECIMAL_TEXT];
    if (a.mantissa == b.mantissa && a.exponent == b.exponent)
        return;
    br_decimal_format(a, job, sizeof job);
    br_decimal_format(b, plan, sizeof plan);
    fault(check, "stage '%s' demands %s of '%s' in the job, %s in the plan",
          check->job->stage[mine].id, job, resource, plan);
}

/* Two stages with the same id. */
static void compare_stage(struct check *check, uint32_t mine, uint32_t own)
{
    const struct br_stage *a = &check->job->stage[mine], *b = &check->own->stage[own];
    if (a->tasks != b->tasks) {
        fault(check, "stage '%s' has %" PRIu32 " tasks in the job, %" PRIu32 " in the plan", a->id,
              a->tasks, b->tasks);
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
        fault(check, "task '%s' lasts %s s in the job, %s s in the plan's job", id, job, plan);
    }
    for (uint32_t k = a->first_demand; k < a->first_demand + a->demands; k++)
        compare_demand(check, mine, own, check->job->resource[check->job->demand[k].resource].name);
    for (uint32_t k = b->first_demand; k < b->first_demand + b->demands; k++) {
        const char *name = check->own->resource[check->own->demand[k].resource].name;
        if (demand_of(check->job, mine, name).mantissa == 0)
            compare_demand(check, mine, own, name);
    }
}

/* An edge by the numbers that its stages have in the given job. */
struct link {
    uint32_t parent, child;
    bool one_to_one; /* where that differs from a barrier */
    int64_t bytes;
    uint32_t edge; /* in its own job */
};

static int by_ends(const void *a, const void *b)
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
            .one_to_one = edge->type == BR_ONE_TO_ONE && dag->stage[edge->parent].tasks > 1,
            .bytes = edge->bytes,
            .edge = e,
        };
    }
    if (link)
        qsort(link, dag->edges, sizeof *link, by_ends);
    return link;
}

/* edge_map[e] becomes the given job's number of edge e of the plan's job. */
static bool compare_edges(struct check *check, const uint32_t *map, uint32_t *edge_map)
{
    struct link *job = links_of(check->job, NULL), *plan = links_of(check->own, map);
    uint32_t i = 0, k = 0;
    while (job && plan && (i < check->job->edges || k < check->own->edges)) {
        int order = i == check->job->edges   ? 1
                    : k == check->own->edges ? -1
                                             : by_ends(&job[i], &plan[k]);
        const struct link *link = order <= 0 ? &job[i] : &plan[k];
        const char *parent = check->job->stage[link->parent].id;
        const char *child = check->job->stage[link->child].id;
        if (order < 0)
            fault(check, "the plan's job lacks the edge from '%s' to '%s'", parent, child);
        else if (order > 0)
            fault(check, "the plan's job has an edge from '%s' to '%s' that the job has not",
                  parent, child);
        else if (job[i].one_to_one != plan[k].one_to_one)
            fault(check, "the edge from '%s' to '%s' is %s in the job, %s in the plan", parent,
                  child, job[i].one_to_one ? "one-to-one" : "a barrier",
                  plan[k].one_to_one ? "one-to-one" : "a barrier");
        else if (job[i].bytes != plan[k].bytes)
            fault(check,
                  "the edge from '%s' to '%s' carries %" PRId64 " bytes in the job, %" PRId64
                  " in the plan",
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

/* Compares the jobs. *same_tasks says whether they have the same tasks, so that the plan can be
 * carried over; map[s] is the given job's number of stage s of the plan's job. */
static bool compare_jobs(struct check *check, uint32_t *map, uint32_t *edge_map, bool *same_tasks)
{
    *same_tasks = check->job->tasks == check->own->tasks;
    for (uint32_t s = 0; s < check->job->stages; s++) {
        uint32_t own = br_dag_find_stage(check->own, check->job->stage[s].id);
        if (own == UINT32_MAX) {
            fault(check, "stage '%s' of the job is not in the plan", check->job->stage[s].id);
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
            fault(check, "stage '%s' of the plan is not in the job", check->own->stage[s].id);
            *same_tasks = false;
        }
    }
    return !*same_tasks || compare_edges(check, map, edge_map);
}

/* Numbers in the given cluster of the machines that the plan uses; *all says whether it has them.
 * False when memory is out. */
static bool map_machines(struct check *check, const struct br_plan *plan, uint32_t *map, bool *all)
{
    bool *seen = calloc(br_cluster_machine_count(check->old) + (size_t)1, 1);
    for (uint32_t k = 0; seen && k < plan->tasks; k++) {
        uint32_t machine = plan->machine[k];
        char name[300];
        if (seen[machine])
            continue;
        seen[machine] = true;
        br_cluster_machine_name(check->old, machine, name, sizeof name);
        map[machine] = br_cluster_find_machine(check->cluster, name);
        if (map[machine] == UINT32_MAX) {
            fault(check, "machine '%s' of the plan is not in the cluster", name);
            *all = false;
        }
    }
    bool done = seen != NULL;
    free(seen);
    return done;
}

/* The plan in the numbers of the given job and cluster; NULL when memory is out. */
static struct br_plan *carry_over(const struct check *check, const struct br_plan *plan,
                                  const uint32_t *stage_map, const uint32_t *edge_map,
                                  const uint32_t *machine_map)
{
    struct br_plan *to = br_plan_create(plan->tasks);
    if (!to)
        return NULL;
    for (uint32_t s = 0; s < check->own->stages; s++)
        for (uint32_t i = 0; i < check->own->stage[s].tasks; i++) {
            uint32_t a = check->own->stage[s].first_task + i;
            uint32_t b = check->job->stage[stage_map[s]].first_task + i;
            to->start_ns[b] = plan->start_ns[a];
            to->end_ns[b] = plan->end_ns[a];
            to->machine[b] = machine_map[plan->machine[a]];
            to->rank[b] = plan->rank[a];
            to->subset[b] = plan->subset[a];
            to->order[plan->rank[a] - 1] = b;
        }
    to->makespan_ns = plan->makespan_ns;
    to->lower_bound_ns = plan->lower_bound_ns;
    to->network = plan->network;
    to->carried = plan->carried; /* the pieces are borrowed */
    to->carried.transfer =
        br_arena_array(&to->arena, plan->carried.transfers, sizeof *to->carried.transfer);
    for (uint32_t k = 0; k < plan->carried.transfers && to->carried.transfer; k++) {
        struct br_transfer *t = &to->carried.transfer[k];
        *t = plan->carried.transfer[k];
        t->edge = edge_map[t->edge];
        t->parent = stage_map[t->parent];
        t->child = stage_map[t->child];
        t->from = machine_map[t->from];
        t->to = machine_map[t->to];
    }
    if (to->carried.transfer)
        return to;
    br_plan_destroy(to);
    return NULL;
}

static enum br_status check_plan(struct check *check, const struct br_plan *plan,
                                 struct br_diag *diag)
{
    uint32_t *stages = malloc(((size_t)check->own->stages + 1) * sizeof *stages);
    uint32_t *machines = calloc(br_cluster_machine_count(check->old) + (size_t)1, sizeof *machines);
    uint32_t *edges = malloc(((size_t)check->own->edges + 1) * sizeof *edges);
    struct br_plan *carried = NULL;
    enum br_status status = BR_OK;
    bool same_tasks, all_machines = true;
    if (!stages || !machines || !edges || !compare_jobs(check, stages, edges, &same_tasks)) {
        status = br_fail_memory(diag);
        goto out;
    }
    if (same_tasks && !map_machines(check, plan, machines, &all_machines)) {
        status = br_fail_memory(diag);
        goto out;
    }
    if (!same_tasks || !all_machines)
        goto out;
    carried = carry_over(check, plan, stages, edges, machines);
    if (!carried) {
        status = br_fail_memory(diag);
        goto out;
    }
    struct br_diag first = {0};
    status =
        br_plan_verify(carried, check->job, check->cluster, UINT32_MAX, take_fault, check, &first);
    if (status && status != BR_NO)
        *diag = first;
    else
        status = BR_OK; /* the faults have been counted */
out:
    br_plan_destroy(carried);
    free(edges);
    free(stages);
    free(machines);
    return status;
}

static int perform(const struct cli_settings *settings, const char *const *argument,
                   uint32_t arguments, struct br_diag *diag)
{
    struct br_input given, own;
    struct br_plan *plan;
    enum br_status status = BR_OK;
    if (settings->about.certificate)
        return cli_check_certificates(settings->output.quiet, argument, arguments, diag);
    if (arguments != 2)
        return br_fail(diag, BR_USAGE, "see 'bigrocks help check'",
                       "give a job and a plan of it, or --certificate and files");
    if (strcmp(argument[0], "-") == 0 && strcmp(argument[1], "-") == 0)
        return br_fail(diag, BR_USAGE, "give one of them as a file",
                       "the job and the plan cannot both come from standard input");
    status = cli_load(&settings->job, argument[0], false, &given, diag);
    if (status)
        return status;
    status = br_parse_plan(argument[1], &own, &plan, diag);
    if (status) {
        br_input_finish(&given);
        return status;
    }
    struct check check = {
        .job = given.dag,
        .own = own.dag,
        .cluster = given.cluster ? given.cluster : own.cluster,
        .old = own.cluster,
        .quiet = settings->output.quiet,
    };
    char seconds[CLI_SECONDS_TEXT];
    status = check_plan(&check, plan, diag);
    if (!status && plan->certificate) {
        struct br_diag why = {0};
        status = br_certificate_verify(plan->certificate, own.dag, own.cluster,
                                       plan->lower_bound_ns, &why);
        if (status == BR_NO)
            fault(&check, "the proof of the lower bound fails: %s", why.what);
        else if (status)
            *diag = why;
        status = status == BR_NO ? BR_OK : status;
    }
    if (!status && check.faults) {
        if (!settings->output.quiet) {
            cli_print_count(stdout, check.faults, "fault", "faults");
            fputs(": the plan does not hold\n", stdout);
        }
        status = BR_NO;
    } else if (!status && !settings->output.quiet) {
        fputs("ok: ", stdout);
        cli_print_count(stdout, br_plan_task_count(plan), "task", "tasks");
        printf(", makespan %s s\n", cli_seconds(br_plan_makespan_ns(plan), seconds));
    }
    br_plan_destroy(plan);
    br_input_finish(&own);
    br_input_finish(&given);
    return status;
}

const struct cli_command cli_check = {
    .name = "check",
    .bit = CLI_CHECK,
    .least = 1,
    .most = UINT32_MAX,
    .perform = perform,
    .arguments = "JOB PLAN | --certificate FILE...",
    .summary = "check a plan against its job, or proofs",
    .text =
        "Checks that the plan (JSON) is one of this very job, and that every task runs once, for "
        "its\n"
        "duration, after its parents, on a machine that has room for it. Durations and demands "
        "are\n"
        "the job's, not the plan's. The cluster is the one of the options, else the job's own, "
        "else\n"
        "the one that the plan carries. Exit status 0, or 1 with every fault on standard output.\n"
        "\n"
        "With --certificate: checks, in exact integers and without a solver, the proofs of the "
        "lower\n"
        "bounds that files carry for the job and the cluster inside them.\n",
    .examples =
        "bigrocks plan examples/query.xml --cluster examples/cluster-rack.xml -q -o plan.json\n"
        "bigrocks check examples/query.xml plan.json --cluster examples/cluster-rack.xml\n"
        "bigrocks check --certificate plan.json\n",
};
