/* How a query compiler uses the planner: it has a DAG of pipelines, knows how long each takes on
 * one worker and what its hash tables hold, and wants a degree of parallelism for every pipeline.
 * It tries several, plans each by the quick methods, and compiles the one with the shortest plan; a
 * degree whose lower bound is no shorter than the best plan so far need not be planned at all. The
 * job and the planner are kept from one try to the next, and so is their memory: a compiler that
 * keeps them from query to query plans without an allocation. */
#include <bigrocks/bigrocks.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { PIPELINES = 5, WORKERS = 8 };

static const struct {
    const char *id;
    double seconds;     /* of work, on one worker */
    int mib_per_worker; /* that a worker holds itself */
    int mib_shared;     /* of the hash tables that it reads */
    int parents[2];     /* -1: none */
} pipelines[PIPELINES] = {
    {"build-dates", 0.4, 16, 0, {-1, -1}},   {"build-customers", 3.0, 64, 0, {-1, -1}},
    {"probe-orders", 12.0, 32, 256, {0, 1}}, {"probe-lines", 30.0, 48, 512, {2, -1}},
    {"sort", 1.5, 128, 0, {3, -1}},
};

static void fail(const struct br_diag *diag)
{
    char text[1400];
    br_diag_format(diag, text, sizeof text);
    fprintf(stderr, "query_compiler: %s\n", text);
    exit(1);
}

/* Every pipeline cut into `degree` tasks; a task costs 20 ms to start. */
static void build(struct br_dag *dag, int degree, struct br_diag *diag)
{
    uint32_t stage[PIPELINES];
    char amount[32];
    if (br_dag_reset(dag, "query", diag))
        fail(diag);
    for (int p = 0; p < PIPELINES; p++) {
        int64_t ns = (int64_t)(pipelines[p].seconds / degree * 1e9) + 20000000;
        int mib = pipelines[p].mib_per_worker + pipelines[p].mib_shared / degree;
        snprintf(amount, sizeof amount, "%d", mib);
        if (br_dag_add_stage(dag, pipelines[p].id, (uint32_t)degree, ns, &stage[p], diag) ||
            br_dag_add_demand(dag, stage[p], "worker", "1", diag) ||
            br_dag_add_demand(dag, stage[p], "mib", amount, diag))
            fail(diag);
        for (int k = 0; k < 2; k++)
            if (pipelines[p].parents[k] >= 0 &&
                br_dag_add_edge(dag, stage[pipelines[p].parents[k]], stage[p], BR_BARRIER, diag))
                fail(diag);
    }
    if (br_dag_finish(dag, diag))
        fail(diag);
}

int main(void)
{
    struct br_diag diag = {0};
    struct br_cluster *machine = br_cluster_create("server");
    struct br_planner *planner = br_planner_create();
    struct br_dag *dag = br_dag_create("query");
    struct br_plan_options options = br_plan_options_default();
    int64_t best_ns = INT64_MAX;
    int best = 0;
    options.effort = BR_EFFORT_FAST;
    options.threads = 1;
    if (!planner || !dag || !machine || br_cluster_add_class(machine, "server", 1, NULL, &diag) ||
        br_cluster_add_capacity(machine, 0, "worker", "8", &diag) ||
        br_cluster_add_capacity(machine, 0, "mib", "900", &diag))
        fail(&diag);
    for (int degree = 1; degree <= 2 * WORKERS; degree *= 2) {
        const char *method;
        int64_t bound_ns;
        build(dag, degree, &diag);
        if (br_planner_bound_until(planner, dag, machine, best_ns, &bound_ns, &method, &diag))
            fail(&diag);
        printf("degree %2d: at least %.2f s (%s)", degree, (double)bound_ns / 1e9, method);
        if (bound_ns >= best_ns) {
            printf(", cannot be better\n");
        } else {
            const struct br_plan *plan;
            if (br_planner_plan(planner, dag, machine, &options, &plan, &diag))
                fail(&diag);
            int64_t ns = br_plan_makespan_ns(plan);
            printf(", planned %.2f s\n", (double)ns / 1e9);
            if (ns < best_ns) {
                best_ns = ns;
                best = degree;
            }
        }
    }
    printf("compiled with degree %d: %.2f s\n", best, (double)best_ns / 1e9);
    br_planner_destroy(planner);
    br_dag_destroy(dag);
    br_cluster_destroy(machine);
    return 0;
}
