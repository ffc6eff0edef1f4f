/* How far a time limit is overshot by who plans through the library: one line a limit, with the
 * time of the call at the median and at most, of jobs that no limit lets end.
 *
 *   time_limits [TASKS [STAGES [ROUNDS]]]
 *
 * Wall clock, so the machine has to be quiet, or the program first: chrt -f 10 time_limits
 */
#include <bigrocks/bigrocks.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/process/clock.h"
#include "generate/generate.h"

enum { MOST_ROUNDS = 200 };

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static struct br_dag *make_job(uint64_t tasks, uint64_t stages, uint64_t seed)
{
    struct br_generate_options options = br_generate_options_default();
    struct br_dag *dag = NULL;
    struct br_diag diag = {0};
    options.kind = "layered";
    options.tasks = (uint32_t)tasks;
    options.stages = (uint32_t)stages;
    options.seed = seed;
    if (br_generate(&options, &dag, &diag))
        fprintf(stderr, "%s\n", diag.what);
    return dag;
}

static struct br_cluster *make_cluster(void)
{
    static const struct {
        const char *resource;
        const char *amount;
    } capacity[] = {{"cpu", "16"}, {"mem", "68719476736"}, {"net", "1000"}, {"disk", "1000"}};
    struct br_cluster *cluster = br_cluster_create("twenty");
    struct br_diag diag = {0};
    uint32_t cls;
    if (!cluster || br_cluster_add_class(cluster, "m", 20, &cls, &diag))
        return NULL;
    for (size_t k = 0; k < sizeof capacity / sizeof *capacity; k++)
        if (br_cluster_add_capacity(cluster, cls, capacity[k].resource, capacity[k].amount, &diag))
            return NULL;
    return cluster;
}

static int64_t call_ns(const struct br_dag *dag, const struct br_cluster *cluster,
                       const char *method, int64_t limit_ns)
{
    struct br_plan_options options = br_plan_options_default();
    struct br_plan *plan = NULL;
    struct br_diag diag = {0};
    options.method = method;
    options.effort = BR_EFFORT_MAX;
    options.time_limit_ns = limit_ns;
    int64_t began_ns = br_now_ns();
    if (br_plan_make(dag, cluster, &options, &plan, &diag))
        fprintf(stderr, "%s\n", diag.what);
    int64_t took_ns = br_now_ns() - began_ns;
    br_plan_destroy(plan);
    return took_ns;
}

int main(int count, char **argument)
{
    static const int limits[] = {1, 5, 10, 20, 45, 100, 300};
    uint64_t tasks = count > 1 ? strtoull(argument[1], NULL, 10) : 1600;
    uint64_t stages = count > 2 ? strtoull(argument[2], NULL, 10) : 40;
    uint32_t rounds = count > 3 ? (uint32_t)atoi(argument[3]) : 15;
    int64_t took_ns[MOST_ROUNDS];
    rounds = rounds < 1 ? 1 : rounds > MOST_ROUNDS ? MOST_ROUNDS : rounds;
    printf("limit_ms,median_ms,most_ms\n");
    for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) {
        for (uint32_t r = 0; r < rounds; r++) {
            struct br_dag *dag = make_job(tasks, stages, r + 1);
            struct br_cluster *cluster = make_cluster();
            if (!dag || !cluster)
                return 1;
            took_ns[r] = call_ns(dag, cluster, "best", limits[k] * INT64_C(1000000));
            br_cluster_destroy(cluster);
            br_dag_destroy(dag);
        }
        qsort(took_ns, rounds, sizeof *took_ns, by_size);
        printf("%d,%.1f,%.1f\n", limits[k], (double)took_ns[rounds / 2] / 1e6,
               (double)took_ns[rounds - 1] / 1e6);
        fflush(stdout);
    }
    return 0;
}
