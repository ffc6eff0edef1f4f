/* The cost of a decision of the enforcer while a cluster is full and jobs come and go:
 *
 *   decide JOBS MACHINES [TASKS STAGES EVENTS GROUPS PLANS KINDS POLICY]
 *
 * JOBS jobs of TASKS tasks in STAGES stages are there at any time, in GROUPS groups, drawn from
 * KINDS different ones; with PLANS 1 each has a plan that names a machine for every task. Tasks end
 * one by one, in random order; each end, with the starts that follow, is an event. Prints processor
 * time an event. The calls measured are br_runtime_finished and br_runtime_decide: callgrind counts
 * their instructions with --collect-atstart=no --toggle-collect=measured. */
#include <bigrocks/bigrocks.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/numbers/rng.h"
#include "planner/instance/plan.h"

enum { ROOM = 256 };

struct bench {
    uint32_t jobs, machines, tasks, stages, events, groups, plans, kinds;
    struct br_rng rng;
    struct br_dag **dag; /* by kind */
    struct br_runtime *runtime;
    struct br_decision *running;
    uint32_t runs, starts;
    double spent, longest;
};

static double cpu_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* A tree of stages: each waits for one of those before it. */
static struct br_dag *make_job(struct bench *b)
{
    static const char *const resources[] = {"cpu", "mem", "net", "disk"};
    struct br_dag *dag = br_dag_create("bench");
    for (uint32_t s = 0; s < b->stages; s++) {
        char id[32], amount[32];
        uint32_t stage, count = b->tasks / b->stages + (s < b->tasks % b->stages);
        snprintf(id, sizeof id, "s%u", s);
        if (br_dag_add_stage(dag, id, count, 1 + (int64_t)br_rng_below(&b->rng, 1000), &stage,
                             NULL))
            exit(1);
        if (s > 0 && br_dag_add_edge(dag, (uint32_t)br_rng_below(&b->rng, s), s, BR_BARRIER, NULL))
            exit(1);
        for (size_t r = 0; r < sizeof resources / sizeof *resources; r++) {
            snprintf(amount, sizeof amount, "%u", 1 + (unsigned)br_rng_below(&b->rng, 300));
            if (br_dag_add_demand(dag, stage, resources[r], amount, NULL))
                exit(1);
        }
    }
    if (br_dag_finish(dag, NULL))
        exit(1);
    return dag;
}

/* The tasks in the order of their numbers, each on a machine that is drawn. */
static void submit(struct bench *b)
{
    const struct br_dag *dag = b->dag[br_rng_below(&b->rng, b->kinds)];
    uint32_t *order = malloc(2 * (size_t)dag->tasks * sizeof *order), *machine = order + dag->tasks;
    int64_t *start_ns = malloc(2 * (size_t)dag->tasks * sizeof *start_ns);
    int64_t *end_ns = start_ns + dag->tasks;
    uint32_t job, group = (uint32_t)br_rng_below(&b->rng, b->groups);
    if (!order || !start_ns)
        exit(1);
    for (uint32_t t = 0; t < dag->tasks; t++) {
        order[t] = t;
        machine[t] = (uint32_t)br_rng_below(&b->rng, b->machines);
        start_ns[t] = t;
        end_ns[t] = t + dag->duration_ns[t];
    }
    const struct br_plan plan = {.tasks = dag->tasks,
                                 .order = order,
                                 .rank = order,
                                 .machine = machine,
                                 .start_ns = start_ns,
                                 .end_ns = end_ns};
    if (br_runtime_submit(b->runtime, dag, b->plans ? &plan : NULL, group, BR_READY_BY_EDGES, &job,
                          NULL))
        exit(1);
    free(order);
    free(start_ns);
}

static void create(struct bench *b, const char *policy)
{
    struct br_cluster *cluster = br_cluster_create(NULL);
    struct br_runtime_options options = br_runtime_options_default();
    uint32_t cls, group;
    options.policy = policy;
    if (br_cluster_add_class(cluster, "m", b->machines, &cls, NULL) ||
        br_cluster_add_capacity(cluster, cls, "cpu", "1000", NULL) ||
        br_cluster_add_capacity(cluster, cls, "mem", "1000", NULL) ||
        br_cluster_add_capacity(cluster, cls, "net", "1000", NULL) ||
        br_cluster_add_capacity(cluster, cls, "disk", "1000", NULL) ||
        br_runtime_create(cluster, &options, &b->runtime, NULL))
        exit(1);
    for (uint32_t g = 1; g < b->groups; g++)
        if (br_runtime_add_group(b->runtime, "g", 1, &group, NULL))
            exit(1);
    br_cluster_destroy(cluster);
    b->dag = malloc(b->kinds * sizeof(struct br_dag *));
    for (uint32_t k = 0; b->dag && k < b->kinds; k++)
        b->dag[k] = make_job(b);
    /* No machine holds more of them than this. */
    b->running = malloc((size_t)b->machines * 1000 * sizeof *b->running);
    if (!b->dag || !b->running)
        exit(1);
}

static uint32_t start(struct bench *b)
{
    uint32_t got, made = 0;
    do {
        got = br_runtime_decide(b->runtime, BR_ANY, 0, b->running + b->runs, ROOM);
        b->runs += got;
        made += got;
    } while (got == ROOM);
    return made;
}

__attribute__((noinline)) static uint32_t measured(struct bench *b, const struct br_decision *ended)
{
    if (br_runtime_finished(b->runtime, ended->job, ended->task, NULL))
        exit(1);
    return start(b);
}

static uint32_t event(struct bench *b, const struct br_decision *ended)
{
    double began = cpu_now();
    uint32_t made = measured(b, ended);
    double took = cpu_now() - began;
    b->spent += took;
    b->longest = took > b->longest ? took : b->longest;
    return made;
}

/* The job makes room for another where all its tasks have ended. */
static void replace(struct bench *b, uint32_t job)
{
    struct br_job_state left = br_runtime_job(b->runtime, job);
    if (left.waiting || left.ready || left.running)
        return;
    if (br_runtime_retire(b->runtime, job, NULL))
        exit(1);
    submit(b);
}

int main(int count, char **argument)
{
    struct bench b = {.tasks = 100, .stages = 5, .events = 20000, .groups = 2, .kinds = 66};
    uint32_t *const settings[] = {&b.jobs,   &b.machines, &b.tasks, &b.stages,
                                  &b.events, &b.groups,   &b.plans, &b.kinds};
    b.rng = br_rng_seed(1);
    for (int k = 0; k < (int)(sizeof settings / sizeof *settings) && k + 1 < count; k++)
        *settings[k] = (uint32_t)strtoul(argument[k + 1], NULL, 10);
    if (!b.jobs || !b.machines || b.tasks < b.stages || !b.stages || !b.groups || !b.kinds)
        return 2;
    create(&b, count > 9 ? argument[9] : "graphene");
    for (uint32_t j = 0; j < b.jobs; j++)
        submit(&b);
    double first = cpu_now();
    uint32_t filled = start(&b);
    first = cpu_now() - first;
    for (uint32_t e = 0; e < b.events && b.runs; e++) {
        uint32_t which = (uint32_t)br_rng_below(&b.rng, b.runs);
        struct br_decision ended = b.running[which];
        b.running[which] = b.running[--b.runs];
        b.starts += event(&b, &ended);
        replace(&b, ended.job);
    }
    printf("%u jobs, %u machines: filled with %u tasks, %.2f us each\n"
           "%u ends, %u starts: %.2f us an end, at most %.0f us\n",
           b.jobs, b.machines, filled, first / 1e3 / (filled ? filled : 1), b.events, b.starts,
           b.spent / 1e3 / (b.events ? b.events : 1), b.longest / 1e3);
    for (uint32_t k = 0; k < b.kinds; k++)
        br_dag_destroy(b.dag[k]);
    free(b.dag);
    free(b.running);
    br_runtime_destroy(b.runtime);
    return 0;
}
