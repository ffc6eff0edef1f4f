/* Plans a query as its compiler would: the operators are in memory, no file is read or written.
 *
 *   cc use_api.c $(pkg-config --cflags --libs bigrocks) -o use_api && ./use_api
 *
 * The query joins a large table of orders with two small ones and aggregates the result. Each
 * operator is a stage: as many equal tasks as the data has partitions. Prints the tasks in the
 * order in which an executor should start them, and how good that order is known to be.
 */
#include <bigrocks/bigrocks.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define SECONDS INT64_C(1000000000)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* An operator as this compiler knows it once it has chosen the plan of the query. */
struct operator
{
    const char *name;
    uint32_t partitions;
    int64_t seconds; /* per partition, from the cost model */
    const char *cores, *memory_gib;
};

static const struct operator operators[] = {
    {"scan-orders", 8, 12, "1", "1"},  {"scan-customers", 2, 5, "1", "0.5"},
    {"scan-parts", 2, 4, "1", "0.5"},  {"build-customers", 1, 6, "1", "6"},
    {"build-parts", 1, 7, "1", "5"},   {"probe-customers", 8, 9, "1", "1.5"},
    {"probe-parts", 8, 8, "1", "1.5"}, {"partial-sums", 8, 3, "1", "0.25"},
    {"final-sums", 2, 4, "2", "2"},    {"sort", 1, 3, "1", "3"},
};

/* Which operator feeds which. A hash table must be complete before it is probed, and a shuffle
 * before it is read; within a partition the probes pass on what they find. */
static const struct {
    uint32_t from, to;
    enum br_edge_type type;
} flows[] = {
    {0, 5, BR_ONE_TO_ONE}, {1, 3, BR_BARRIER},    {2, 4, BR_BARRIER},
    {3, 5, BR_BARRIER},    {5, 6, BR_ONE_TO_ONE}, {4, 6, BR_BARRIER},
    {6, 7, BR_ONE_TO_ONE}, {7, 8, BR_BARRIER},    {8, 9, BR_BARRIER},
};

static enum br_status build_job(struct br_dag *dag, struct br_diag *diag)
{
    enum br_status status = BR_OK;

    for (uint32_t i = 0; i < COUNT(operators) && status == BR_OK; i++) {
        const struct operator* op = & operators[i];
        uint32_t stage;
        status =
            br_dag_add_stage(dag, op->name, op->partitions, op->seconds * SECONDS, &stage, diag);
        if (status == BR_OK)
            status = br_dag_add_demand(dag, stage, "cpu", op->cores, diag);
        if (status == BR_OK)
            status = br_dag_add_demand(dag, stage, "mem", op->memory_gib, diag);
    }
    /* Stages are numbered in the order in which they were added. */
    for (uint32_t i = 0; i < COUNT(flows) && status == BR_OK; i++)
        status = br_dag_add_edge(dag, flows[i].from, flows[i].to, flows[i].type, diag);
    if (status == BR_OK)
        status = br_dag_finish(dag, diag);
    return status;
}

static enum br_status build_cluster(struct br_cluster *cluster, struct br_diag *diag)
{
    uint32_t workers;
    enum br_status status = br_cluster_add_class(cluster, "worker", 3, &workers, diag);
    if (status == BR_OK)
        status = br_cluster_add_capacity(cluster, workers, "cpu", "4", diag);
    if (status == BR_OK)
        status = br_cluster_add_capacity(cluster, workers, "mem", "8", diag);
    return status;
}

/* Called now and then while the search runs; an interactive program would draw a bar. */
static void show_progress(void *context, const struct br_progress *progress)
{
    int *calls = context;
    (*calls)++;
    fprintf(stderr, "%.0f %% of the work, best so far %.1f s\n", 100 * progress->share,
            (double)progress->makespan_ns / SECONDS);
}

static void print_plan(const struct br_plan *plan, const struct br_dag *dag,
                       const struct br_cluster *cluster)
{
    for (uint32_t k = 0; k < br_plan_task_count(plan); k++) {
        struct br_plan_task entry = br_plan_at(plan, k);
        char task[64], machine[64];
        br_dag_task_id(dag, entry.task, task, sizeof task);
        br_cluster_machine_name(cluster, entry.machine, machine, sizeof machine);
        printf("%3" PRIu32 "  %-18s %6.1f s  %s\n", entry.rank, task,
               (double)entry.start_ns / SECONDS, machine);
    }
    printf("makespan %.1f s; no plan takes less than %.1f s (%s)\n",
           (double)br_plan_makespan_ns(plan) / SECONDS,
           (double)br_plan_lower_bound_ns(plan) / SECONDS, br_plan_bound_method(plan));
}

int main(void)
{
    enum br_status status = BR_SYSTEM;
    struct br_diag diag = {.what = "out of memory"};
    struct br_plan *plan = NULL;
    int calls = 0;
    struct br_dag *dag = br_dag_create("revenue-by-region");
    struct br_cluster *cluster = br_cluster_create("workers");
    if (!dag || !cluster)
        goto out;

    status = build_job(dag, &diag);
    if (status == BR_OK)
        status = build_cluster(cluster, &diag);
    if (status == BR_OK) {
        /* A compiler has no time to spare: a limit on the clock, and one on the search itself,
         * which unlike the clock gives the same plan on every machine. */
        struct br_plan_options options = br_plan_options_default();
        options.effort = BR_EFFORT_FAST;
        options.threads = 1;
        options.time_limit_ns = 2 * SECONDS;
        options.placements = 1000000;
        options.progress = show_progress;
        options.progress_context = &calls;
        status = br_plan_make(dag, cluster, &options, &plan, &diag);
    }
    if (status == BR_OK)
        print_plan(plan, dag, cluster);
out:
    if (status != BR_OK) {
        char text[1400];
        br_diag_format(&diag, text, sizeof text);
        fprintf(stderr, "use_api: %s\n", text);
    }
    br_plan_destroy(plan);
    br_cluster_destroy(cluster);
    br_dag_destroy(dag);
    return (int)status;
}
