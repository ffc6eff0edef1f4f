/* bigrocks check: is the plan valid for this job on this cluster?
 *
 * The plan's file carries a job of its own, which cannot be trusted. So it is compared with the
 * given job, stage by stage. Then the plan is translated to the given job and cluster, by the ids
 * of tasks and the names of machines, and verified there, with the durations, demands and edges of
 * the given job. Reads planner/instance/plan.h to translate the plan.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bounds/check_certificate.h"
#include "cli/bounds/proof_files.h"
#include "cli/inputs/load.h"
#include "cli/options/options.h"
#include "cli/planning/compare.h"
#include "cli/terminal/say.h"
#include "planner/check/proofs/certificate.h"
#include "planner/check/stated.h"
#include "planner/instance/plan.h"
#include "planner/network/bound.h"

/* The given cluster's numbers of the machines that the plan uses; *all: does it have them all?
 * False when memory is out. */
static bool check_map_machines(struct cli_check *check, const struct br_plan *plan, uint32_t *map,
                               bool *all)
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
            cli_check_fault(check, "machine '%s' of the plan is not in the cluster", name);
            *all = false;
        }
    }
    bool done = seen != NULL;
    free(seen);
    return done;
}

/* The alternative of the plan's task, by its id, in the numbers of the given job. */
static uint32_t check_alternative(const struct cli_check *check, const struct br_plan *plan,
                                  uint32_t own_stage, uint32_t own_task, uint32_t stage)
{
    const char *id =
        br_dag_alternative_id(check->own, own_stage, br_plan_alternative(plan, own_task));
    return id ? br_alternative_find(check->job, stage, id) : 0;
}

/* The plan in the numbers of the given job and cluster; NULL when memory is out. */
static struct br_plan *check_carry_over(const struct cli_check *check, const struct br_plan *plan,
                                        const uint32_t *stage_map, const uint32_t *edge_map,
                                        const uint32_t *machine_map)
{
    struct br_plan *to = br_plan_create(plan->tasks);
    if (!to || !br_plan_allow_alternatives(to, check->job)) {
        br_plan_destroy(to);
        return NULL;
    }
    for (uint32_t s = 0; s < check->own->stages; s++)
        for (uint32_t i = 0; i < check->own->stage[s].tasks; i++) {
            uint32_t a = check->own->stage[s].first_task + i;
            uint32_t b = check->job->stage[stage_map[s]].first_task + i;
            to->start_ns[b] = plan->start_ns[a];
            to->end_ns[b] = plan->end_ns[a];
            to->machine[b] = machine_map[plan->machine[a]];
            if (to->alternative)
                to->alternative[b] = check_alternative(check, plan, s, a, stage_map[s]);
            to->rank[b] = plan->rank[a];
            to->subset[b] = plan->subset[a];
            to->order[plan->rank[a] - 1] = b;
        }
    to->makespan_ns = plan->makespan_ns;
    to->lower_bound_ns = plan->lower_bound_ns;
    to->objective = plan->objective;
    to->mean_ns = plan->mean_ns;
    to->mean_bound_ns = plan->mean_bound_ns;
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

static enum br_status planning_check_plan(struct cli_check *check, const struct br_plan *plan,
                                          struct br_diag *diag)
{
    uint32_t *stages = malloc(((size_t)check->own->stages + 1) * sizeof *stages);
    uint32_t *machines = calloc(br_cluster_machine_count(check->old) + (size_t)1, sizeof *machines);
    uint32_t *edges = malloc(((size_t)check->own->edges + 1) * sizeof *edges);
    struct br_plan *carried = NULL;
    enum br_status status = BR_OK;
    bool same_tasks, all_machines = true;
    if (!stages || !machines || !edges || !cli_check_jobs(check, stages, edges, &same_tasks)) {
        status = br_fail_memory(diag);
        goto out;
    }
    if (same_tasks && !check_map_machines(check, plan, machines, &all_machines)) {
        status = br_fail_memory(diag);
        goto out;
    }
    if (!same_tasks || !all_machines)
        goto out;
    carried = check_carry_over(check, plan, stages, edges, machines);
    if (!carried) {
        status = br_fail_memory(diag);
        goto out;
    }
    struct br_diag first = {0};
    status = br_plan_verify(carried, check->job, check->cluster, UINT32_MAX, cli_check_take, check,
                            &first);
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

/* The bound with bytes has no certificate: it is found anew. */
static enum br_status check_network_bound(struct cli_check *check, const struct br_plan *plan,
                                          struct br_diag *diag)
{
    struct br_network_job job = {0};
    struct br_instance *in = NULL;
    char stated[BR_SECONDS_TEXT], found[BR_SECONDS_TEXT];
    int64_t bound_ns = 0;
    if (!plan->network || !plan->network_bound_ns ||
        plan->network_bound_ns <= plan->lower_bound_ns ||
        plan->network_bound_ns > plan->makespan_ns)
        return BR_OK;
    enum br_status status = br_instance_create(check->own, check->old, &in, diag);
    if (!status)
        status = br_network_job_init(&job, check->own, check->old, in, diag);
    if (!status)
        status = br_network_bound(&job, plan->lower_bound_ns, plan->makespan_ns, &bound_ns, diag);
    br_network_job_finish(&job);
    br_instance_destroy(in);
    br_seconds_format(plan->network_bound_ns, stated);
    br_seconds_format(bound_ns, found);
    if (!status && plan->network_bound_ns > bound_ns)
        cli_check_fault(check, "the file says that the bound with bytes is %s s, but it is %s s",
                        stated, found);
    return status;
}

static enum br_status planning_check_proof(struct cli_check *check, const struct br_plan *plan,
                                           struct br_diag *diag)
{
    if (!plan->certificate)
        return BR_OK;
    enum br_status status = br_certificate_verify(plan->certificate, check->own, check->old,
                                                  plan->lower_bound_ns, diag);
    if (status == BR_NO)
        cli_check_fault(check, "the proof of the lower bound fails: %s", diag->what);
    return status == BR_NO ? BR_OK : status;
}

/* Prints the claims of the file; claims that depend on a valid plan only if it is one. The answer
 * "no" has no diagnostic: its faults have been printed. */
static enum br_status planning_check_file(struct cli_check *check, const struct br_plan *plan,
                                          struct br_diag *diag)
{
    struct br_diag why = {0};
    enum br_status status = planning_check_plan(check, plan, &why);
    const bool holds = !status && !check->faults;
    if (!status)
        status = planning_check_proof(check, plan, &why);
    if (!status && holds)
        status = br_plan_check_stated(plan, check->own, check->old, cli_check_take, check, &why);
    if (!status && holds)
        status = check_network_bound(check, plan, &why);
    if (status)
        *diag = why;
    return status;
}

/* "ok: 3 tasks, makespan 2 s", with a note on figures that nobody can rely on. */
static void print_good(const struct cli_check *check, const struct br_plan *plan)
{
    char seconds[CLI_SECONDS_TEXT];
    fputs("ok: ", stdout);
    cli_print_count(stdout, br_plan_task_count(plan), "task", "tasks");
    printf(", makespan %s s", cli_seconds(br_plan_makespan_ns(plan), seconds));
    if (!plan->certificate && plan->lower_bound_ns > 0)
        fputs("; its lower bound is not proven", stdout);
    else if (!cli_check_same_cluster(check->cluster, check->old))
        fputs("; its lower bound is for the cluster in its file, which differs", stdout);
    putchar('\n');
}

static int check_perform(const struct cli_settings *settings, const char *const *argument,
                         uint32_t arguments, struct br_diag *diag)
{
    struct br_input given, own;
    struct br_plan *plan;
    enum br_status status = BR_OK;
    if (settings->about.certificate)
        return cli_check_certificates(settings, argument, arguments, diag);
    if (settings->bound.proof || settings->output.path)
        return br_fail(diag, BR_USAGE, "add --certificate, or leave them out",
                       "--proof and -o belong to --certificate");
    if (arguments != 2)
        return br_fail(diag, BR_USAGE, "see 'bigrocks help check'",
                       "give a job and a plan of it, or --certificate and files");
    if (strcmp(argument[0], "-") == 0 && strcmp(argument[1], "-") == 0)
        return br_fail(diag, BR_USAGE, "give one of them as a file",
                       "the job and the plan cannot both come from standard input");
    status = cli_load(&settings->job, argument[0], false, &given, diag);
    if (status)
        return status;
    status = br_parse_plan(argument[1], &given, &own, &plan, diag);
    if (status) {
        br_input_finish(&given);
        return status;
    }
    struct cli_check check = {
        .job = given.dag,
        .own = own.dag ? own.dag : given.dag,
        .cluster = given.cluster ? given.cluster : own.cluster,
        .old = own.cluster ? own.cluster : given.cluster,
        .quiet = settings->output.quiet,
    };
    status = planning_check_file(&check, plan, diag);
    if (!status && check.faults) {
        if (!settings->output.quiet) {
            cli_print_count(stdout, check.faults, "fault", "faults");
            if (check.faults > CLI_FAULTS_SHOWN)
                printf(", of which the first %d are shown", CLI_FAULTS_SHOWN);
            fputs(": the plan does not hold\n", stdout);
        }
        status = BR_NO;
    } else if (!status && !settings->output.quiet) {
        print_good(&check, plan);
    }
    br_plan_destroy(plan);
    br_input_finish(&own);
    br_input_finish(&given);
    return status;
}

static const struct br_option check_rows[] = {
    OPTION(FLAG, "certificate", NULL, about.certificate,
           "check the proofs of lower bounds in all the files given: plans, and what bound --json "
           "writes"),
    OPTION(NAME, "proof", "FORM", bound.proof,
           "with --certificate: also write the proof of the file for another checker, as two files "
           "such as NAME.opb and NAME.pbp, where -o gives NAME",
           .rows = &cli_proof_formats),
    OPTIONS_END};

const struct cli_command cli_check = {
    .name = "check",
    .bit = CLI_CHECK,
    .options = check_rows,
    .least = 1,
    .most = UINT32_MAX,
    .perform = check_perform,
    .arguments = "JOB PLAN | --certificate FILE...",
    .summary = "check a plan against its job, or proofs",
    .text = "Checks that the plan (in the form json, xml or order) is one of this very job, and\n"
            "that every task runs once,\n"
            "for its duration, after its parents, on a machine that has room for it. Durations\n"
            "and demands are the job's, not the plan's. The cluster is the one of the options,\n"
            "else the job's own, else the one that the plan carries. If the plan holds, the\n"
            "other statements of its file are checked, too: bounds, gap, slack, priorities,\n"
            "subsets, transfers, parts. Exit status 0, or 1 with every fault on standard output.\n"
            "\n"
            "With --certificate: checks, in exact integers and without a solver, the proofs of\n"
            "the lower bounds that files carry for the job and the cluster inside them.\n",
    .examples =
        "bigrocks plan examples/query.xml --cluster examples/cluster-rack.xml -q -o plan.json\n"
        "bigrocks check examples/query.xml plan.json --cluster examples/cluster-rack.xml\n"
        "bigrocks check --certificate plan.json\n"
        "bigrocks plan examples/motivating.xml --machines 1 --capacity cpu=1,mem=1 -q -o "
        "small.json\n"
        "bigrocks check --certificate small.json --proof veripb -o small\n",
};
