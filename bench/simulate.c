/* The cost of an event of the simulator: simulate JOBS TASKS STAGES MACHINES LOAD POLICY... makes
 * JOBS jobs of TASKS tasks each, of the generator's kind "cosmos", lets them come so that the load
 * is LOAD (0: all at once), and prints for every policy the events, the processor time an event
 * (the least of as many runs as half a second takes), and the mean completion time; at last the
 * most memory that it held. Plans are made before.
 * simulate batch TASKS MACHINES CORES POLICY... does so with the tasks of bench/simgrid.cpp, as one
 * job. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/numbers/real.h"
#include "generate/generate.h"
#include "cluster/simulate/engine.h"
#include "cluster/simulate/policies/plans.h"
#include "cluster/simulate/policies/policies.h"

static const double LONG_S = 0.5;

static double cpu_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void check(enum br_status status, const struct br_diag *diag)
{
    char text[1024];
    if (!status)
        return;
    br_diag_format(diag, text, sizeof text);
    fprintf(stderr, "simulate: %s\n", text);
    exit(status);
}

static struct br_cluster *make_cluster(uint32_t machines, const char *cores)
{
    struct br_cluster *cluster = br_cluster_create("bench");
    struct br_diag diag;
    check(br_cluster_add_class(cluster, "m", machines, NULL, &diag), &diag);
    check(br_cluster_add_capacity(cluster, 0, "cpu", cores, &diag), &diag);
    check(br_cluster_add_capacity(cluster, 0, "mem", "68719476736", &diag), &diag);
    check(br_cluster_add_capacity(cluster, 0, "net", "1000", &diag), &diag);
    check(br_cluster_add_capacity(cluster, 0, "disk", "1000", &diag), &diag);
    return cluster;
}

/* Processor seconds of all tasks over those of the cluster. */
static double cpu_work(const struct br_dag *dag, uint32_t machines)
{
    double work = 0;
    for (uint32_t d = 0; d < dag->demands; d++) {
        const struct br_stage *stage = &dag->stage[dag->demand[d].stage];
        double cpu = (double)dag->demand[d].amount.mantissa;
        for (int32_t e = dag->demand[d].amount.exponent; e != 0; e += e < 0 ? 1 : -1)
            cpu = e < 0 ? cpu / 10 : cpu * 10;
        if (strcmp(dag->resource[dag->demand[d].resource].name, "cpu") == 0)
            work += cpu * (double)stage->duration_ns * 1e-9 * stage->tasks;
    }
    return work / (16.0 * machines);
}

/* Dags are shared by several jobs, so that making them takes no time to speak of. */
static struct br_workload *make_workload(uint32_t jobs, uint32_t tasks, uint32_t stages,
                                         uint32_t machines, double load)
{
    enum { DAGS = 100 };
    struct br_workload *workload = br_workload_create("bench", NULL);
    struct br_rng rng = br_rng_seed(1);
    struct br_diag diag;
    double work = 0, now_s = 0;
    for (uint32_t d = 0; d < DAGS && d < jobs; d++) {
        struct br_generate_options options = br_generate_options_default();
        struct br_dag *dag;
        uint32_t number;
        options.seed = d + 1;
        options.tasks = tasks;
        options.stages = stages;
        check(br_generate(&options, &dag, &diag), &diag);
        work += cpu_work(dag, machines);
        check(br_workload_add_dag(workload, dag, NULL, NULL, &number, &diag), &diag);
    }
    work /= workload->dags;
    for (uint32_t j = 0; j < jobs; j++) {
        struct br_workload_job job = br_workload_job_default();
        char id[32];
        snprintf(id, sizeof id, "%u", j);
        job.id = id;
        job.seed = j + 1;
        job.dag = (uint32_t)br_rng_below(&rng, workload->dags);
        job.arrival_ns = (int64_t)(now_s * 1e9);
        if (load > 0)
            now_s += -br_real_log(1 - br_rng_unit(&rng)) * work / load;
        check(br_workload_add_job(workload, &job, &diag), &diag);
    }
    check(br_workload_finish(workload, &diag), &diag);
    return workload;
}

static void run(const struct br_workload *workload, const struct br_cluster *cluster,
                struct br_plans *plans, const char *name)
{
    struct br_diag diag = {0};
    struct br_outcome outcome;
    struct br_simulate_options options = {.world = br_world_default(), .no_spans = true};
    options.setup.enforcer = br_runtime_options_default();
    options.setup.plan = br_plans_get;
    options.setup.network_plan = br_plans_get_network;
    options.setup.plan_context = plans;
    check(br_policies_find(name, &options.row, &options.setup.number, &diag), &diag);
    if (strcmp(name, "graphene") == 0 || strstr(name, "plan") || strcmp(name, "order") == 0)
        check(br_plans_prepare(plans, 1, NULL, &diag), &diag);
    double began_s = cpu_now(), took_s, least_s, jct_s = 0;
    uint32_t runs = 1;
    check(br_simulate_workload(workload, cluster, &options, &outcome, &diag), &diag);
    took_s = least_s = cpu_now() - began_s;
    /* What takes a few milliseconds says more about what ran beside it than about itself. */
    for (; took_s < LONG_S; runs++) {
        br_outcome_finish(&outcome);
        double again_s = cpu_now();
        check(br_simulate_workload(workload, cluster, &options, &outcome, &diag), &diag);
        again_s = cpu_now() - again_s;
        least_s = again_s < least_s ? again_s : least_s;
        took_s += again_s;
    }
    for (uint32_t j = 0; j < outcome.jobs; j++)
        jct_s += (double)(outcome.end_ns[j] - workload->job[j].arrival_ns) * 1e-9 / outcome.jobs;
    printf("%-16s %9lu events %8.1f ns an event %10.0f a second, least of %u, mean completion "
           "%.1f s%s%s\n",
           name, (unsigned long)outcome.events, least_s / (double)outcome.events * 1e9,
           (double)outcome.events / least_s, runs, jct_s, outcome.note ? ", " : "",
           outcome.note ? outcome.note : "");
    fflush(stdout);
    br_outcome_finish(&outcome);
}

/* Tasks that wait for nothing and hold one core for 1 to 100 s, as bench/simgrid.cpp draws them. */
static struct br_workload *make_batch(uint32_t tasks)
{
    struct br_workload *workload = br_workload_create("batch", NULL);
    struct br_workload_job job = br_workload_job_default();
    struct br_dag *dag = br_dag_create("batch");
    struct br_diag diag;
    uint64_t draw = 1;
    check(br_dag_add_stage(dag, "s", tasks, 0, NULL, &diag), &diag);
    check(br_dag_add_demand(dag, 0, "cpu", "1", &diag), &diag);
    for (uint32_t t = 0; t < tasks; t++) {
        draw = draw * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        check(
            br_dag_set_duration(dag, 0, t, (1 + (int64_t)((draw >> 33) % 100)) * 1000000000, &diag),
            &diag);
    }
    check(br_dag_finish(dag, &diag), &diag);
    check(br_workload_add_dag(workload, dag, NULL, NULL, &job.dag, &diag), &diag);
    job.id = "batch";
    check(br_workload_add_job(workload, &job, &diag), &diag);
    check(br_workload_finish(workload, &diag), &diag);
    return workload;
}

int main(int count, char **argument)
{
    bool batch = count > 5 && strcmp(argument[1], "batch") == 0;
    if (!batch && count < 7) {
        fprintf(stderr, "simulate JOBS TASKS STAGES MACHINES LOAD POLICY...\n"
                        "simulate batch TASKS MACHINES CORES POLICY...\n");
        return 2;
    }
    uint32_t machines = (uint32_t)atol(argument[batch ? 3 : 4]);
    struct br_cluster *cluster = make_cluster(machines, batch ? argument[4] : "16");
    struct br_workload *workload =
        batch ? make_batch((uint32_t)atol(argument[2]))
              : make_workload((uint32_t)atol(argument[1]), (uint32_t)atol(argument[2]),
                              (uint32_t)atol(argument[3]), machines, atof(argument[5]));
    struct br_plan_options planning = br_plan_options_default();
    struct br_plans plans;
    struct br_diag diag;
    struct rusage usage;
    planning.method = "cp"; /* plans of this size cost more than the simulation */
    planning.threads = 1;
    check(br_plans_init(&plans, workload, cluster, &planning, &diag), &diag);
    for (int k = batch ? 5 : 6; k < count; k++)
        run(workload, cluster, &plans, argument[k]);
    if (getrusage(RUSAGE_SELF, &usage) == 0)
        printf("%ld MiB\n", usage.ru_maxrss / 1024);
    br_plans_finish(&plans);
    br_workload_destroy(workload);
    br_cluster_destroy(cluster);
    return 0;
}
