/* What planning a small job costs who plans through the library, such as a query compiler before
 * every query: jobs of 30 operators with 3 resources on 4 machines, under the fast effort.
 *
 *   small_jobs [TASKS [JOBS [ROUNDS]]]
 *
 * Prints a line of CSV: the median and the most of the calls' times in microseconds, and the sum of
 * the makespans, which no change of speed may change. `bench/instructions` counts the instructions
 * of the calls.
 */
#include <bigrocks/bigrocks.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/numbers/rng.h"
#include "base/process/clock.h"

enum { RESOURCES = 3 };

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The operators of a query: each reads from one or two before it, holds between a tenth and seven
 * tenths of a machine, and few take long. */
static struct br_dag *make_job(uint32_t tasks, uint64_t seed)
{
    static const char *const resource[RESOURCES] = {"cpu", "mem", "disk"};
    struct br_rng rng = br_rng_seed(seed);
    struct br_dag *dag = br_dag_create("query");
    struct br_diag diag = {0};
    bool ok = dag != NULL;
    for (uint32_t t = 0; ok && t < tasks; t++) {
        char id[16], amount[16];
        double unit = br_rng_unit(&rng);
        snprintf(id, sizeof id, "op%u", t);
        ok = !br_dag_add_stage(dag, id, 1, 1000000 + (int64_t)(unit * unit * unit * 1e9), NULL,
                               &diag);
        for (uint32_t r = 0; ok && r < RESOURCES; r++) {
            snprintf(amount, sizeof amount, "%u", 10 + (unsigned)br_rng_below(&rng, 61));
            ok = !br_dag_add_demand(dag, t, resource[r], amount, &diag);
        }
        for (uint64_t p = t ? 1 + br_rng_below(&rng, 2) : 0; ok && p > 0; p--) {
            uint32_t back = 1 + (uint32_t)br_rng_below(&rng, t);
            ok = !br_dag_add_edge(dag, t - back, t, BR_BARRIER, &diag);
        }
    }
    if (ok && !br_dag_finish(dag, &diag))
        return dag;
    fprintf(stderr, "%s\n", diag.what);
    br_dag_destroy(dag);
    return NULL;
}

static struct br_cluster *make_cluster(void)
{
    static const char *const resource[RESOURCES] = {"cpu", "mem", "disk"};
    struct br_cluster *cluster = br_cluster_create("four");
    struct br_diag diag = {0};
    uint32_t cls;
    bool ok = cluster && !br_cluster_add_class(cluster, "m", 4, &cls, &diag);
    for (uint32_t r = 0; ok && r < RESOURCES; r++)
        ok = !br_cluster_add_capacity(cluster, cls, resource[r], "100", &diag);
    return ok ? cluster : NULL;
}

int main(int count, char **argument)
{
    uint32_t tasks = count > 1 ? (uint32_t)atoi(argument[1]) : 30;
    uint32_t jobs = count > 2 ? (uint32_t)atoi(argument[2]) : 20;
    uint32_t rounds = count > 3 ? (uint32_t)atoi(argument[3]) : 10;
    struct br_cluster *cluster = make_cluster();
    int64_t *took_ns = calloc((size_t)jobs * rounds + 1, sizeof *took_ns), sum_ns = 0;
    size_t calls = 0;
    if (!cluster || !took_ns)
        return 1;
    for (uint32_t j = 0; j < jobs; j++) {
        struct br_dag *dag = make_job(tasks, j + 1);
        if (!dag)
            return 1;
        for (uint32_t r = 0; r < rounds; r++) {
            struct br_plan_options options = br_plan_options_default();
            struct br_plan *plan = NULL;
            struct br_diag diag = {0};
            options.effort = BR_EFFORT_FAST;
            options.threads = 1;
            int64_t began_ns = br_now_ns();
            if (br_plan_make(dag, cluster, &options, &plan, &diag)) {
                fprintf(stderr, "%s\n", diag.what);
                return 1;
            }
            took_ns[calls++] = br_now_ns() - began_ns;
            sum_ns += br_plan_makespan_ns(plan);
            br_plan_destroy(plan);
        }
        br_dag_destroy(dag);
    }
    qsort(took_ns, calls, sizeof *took_ns, by_size);
    printf("tasks,jobs,rounds,median_us,most_us,makespans_ns\n%u,%u,%u,%.0f,%.0f,%" PRId64 "\n",
           tasks, jobs, rounds, (double)took_ns[calls / 2] / 1e3, (double)took_ns[calls - 1] / 1e3,
           sum_ns);
    free(took_ns);
    br_cluster_destroy(cluster);
    return 0;
}
