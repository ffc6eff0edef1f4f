/* The cost of a decision of the enforcer: decide TASKS STAGES MACHINES [JOBS] prints processor time
 * a decision with all tasks ready at the start, and the longest call, while tasks end one by one.
 */
#include <bigrocks/bigrocks.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/numbers/rng.h"

static double cpu_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static struct br_dag *make_job(uint32_t tasks, uint32_t stages, struct br_rng *rng)
{
    struct br_dag *dag = br_dag_create("bench");
    for (uint32_t s = 0; s < stages; s++) {
        static const char *const resources[] = {"cpu", "mem", "net", "disk"};
        char id[32], amount[32];
        uint32_t stage, count = tasks / stages + (s < tasks % stages);
        snprintf(id, sizeof id, "s%u", s);
        if (br_dag_add_stage(dag, id, count, 1 + (int64_t)br_rng_below(rng, 1000), &stage, NULL))
            exit(1);
        for (size_t r = 0; r < sizeof resources / sizeof *resources; r++) {
            snprintf(amount, sizeof amount, "%u", 1 + (unsigned)br_rng_below(rng, 400));
            if (br_dag_add_demand(dag, stage, resources[r], amount, NULL))
                exit(1);
        }
    }
    return br_dag_finish(dag, NULL) ? NULL : dag;
}

int main(int count, char **argument)
{
    uint32_t tasks = count > 1 ? (uint32_t)atol(argument[1]) : 100000;
    uint32_t stages = count > 2 ? (uint32_t)atol(argument[2]) : 1000;
    uint32_t machines = count > 3 ? (uint32_t)atol(argument[3]) : 100;
    uint32_t jobs = count > 4 ? (uint32_t)atol(argument[4]) : 1, cls, job, group, running = 0;
    struct br_rng rng = br_rng_seed(1);
    struct br_cluster *cluster = br_cluster_create(NULL);
    struct br_runtime *runtime;
    if (br_cluster_add_class(cluster, "m", machines, &cls, NULL) ||
        br_cluster_add_capacity(cluster, cls, "cpu", "1000", NULL) ||
        br_cluster_add_capacity(cluster, cls, "mem", "1000", NULL) ||
        br_cluster_add_capacity(cluster, cls, "net", "1000", NULL) ||
        br_cluster_add_capacity(cluster, cls, "disk", "1000", NULL) ||
        br_runtime_create(cluster, NULL, &runtime, NULL))
        return 1;
    for (uint32_t j = 0; j < jobs; j++) {
        struct br_dag *dag = make_job(tasks / jobs, stages, &rng);
        if (!dag || br_runtime_add_group(runtime, "g", 1, &group, NULL) ||
            br_runtime_submit(runtime, dag, NULL, group, BR_READY_BY_EDGES, &job, NULL))
            return 1;
        br_dag_destroy(dag);
    }
    struct br_decision *held = malloc((size_t)tasks * sizeof *held);
    double first = cpu_now(), longest = 0, spent = 0;
    running = held ? br_runtime_decide(runtime, BR_ANY, 0, held, tasks) : 0;
    first = cpu_now() - first;
    uint32_t filled = running, calls = 0, decisions = 0;
    while (running && calls < 20000) {
        uint32_t which = (uint32_t)br_rng_below(&rng, running);
        struct br_decision ended = held[which];
        held[which] = held[--running];
        double began = cpu_now();
        if (br_runtime_finished(runtime, ended.job, ended.task, NULL))
            return 1;
        uint32_t got =
            br_runtime_decide(runtime, ended.machine, 0, held + running, tasks - running);
        double took = cpu_now() - began;
        spent += took;
        longest = took > longest ? took : longest;
        running += got;
        decisions += got;
        calls++;
    }
    printf("filled %u machines with %u tasks: %.2f us each\n"
           "%u ends, %u starts: %.2f us an end, at most %.0f us\n",
           machines, filled, first / 1e3 / (filled ? filled : 1), calls, decisions,
           spent / 1e3 / (calls ? calls : 1), longest / 1e3);
    free(held);
    br_runtime_destroy(runtime);
    br_cluster_destroy(cluster);
    return 0;
}
