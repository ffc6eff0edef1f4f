/* What planning a small job costs who plans through the library, such as a query compiler before
 * every query: jobs of 30 operators with 3 resources on 4 machines, under the fast effort.
 *
 *   small_jobs [ways MACHINES] [TASKS [JOBS [ROUNDS [STORE]]]]
 *
 * With `ways` an operator has four alternatives: it runs by 1, 2, 4, or 8 workers, which hold that
 * many times the cpu for 1, 0.55, 0.32, or 0.2 of the time; on so many machines.
 *
 * Prints a line of CSV, of calls of br_plan_make and of the same by a planner and a job that are
 * kept ("again"): the median and the most of their times in microseconds, and allocations for a job
 * from its building to its plan, without those of the first that is kept; and the sum of the
 * makespans, which no change of speed may change. `bench/instructions` counts the instructions of
 * plan_anew and plan_again.
 *
 * With STORE, a file that is made anew, keeps all plans there and looks up a thousand of the jobs
 * or all: as they are, with other durations (refitted), and jobs that are not there. Prints how
 * long that took, and how many look-ups were not what they should be.
 */
#include <bigrocks/bigrocks.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/rng.h"
#include "base/process/clock.h"
#ifdef COUNTED
#include "tests/support/takings.h"
#else
static const uint32_t taken;
#endif

enum { RESOURCES = 3 };

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Operators have alternatives. */
static bool has_ways;

/* Degrees of parallelism of the operator; the duration of one worker, and its cpu. */
static bool add_ways(struct br_dag *dag, uint32_t op, int64_t duration_ns, unsigned cpu,
                     struct br_diag *diag)
{
    static const struct {
        const char *id;
        unsigned workers;
        int64_t percent;
    } way[] = {{"1", 1, 100}, {"2", 2, 55}, {"4", 4, 32}, {"8", 8, 20}};
    bool ok = true;
    for (size_t k = 0; ok && k < sizeof way / sizeof *way; k++) {
        char amount[16];
        uint32_t alternative;
        snprintf(amount, sizeof amount, "%u", cpu * way[k].workers);
        ok = !br_dag_add_alternative(dag, op, way[k].id, duration_ns * way[k].percent / 100,
                                     &alternative, diag) &&
             !br_dag_add_alternative_demand(dag, op, alternative, "cpu", amount, diag);
    }
    return ok;
}

/* The operators of a query: each reads from one or two before it, holds between a tenth and seven
 * tenths of a machine, and few take long. */
static bool fill_job(struct br_dag *dag, uint32_t tasks, uint64_t seed, unsigned factor)
{
    static const char *const resource[RESOURCES] = {"cpu", "mem", "disk"};
    struct br_rng rng = br_rng_seed(seed);
    struct br_diag diag = {0};
    bool ok = true;
    for (uint32_t t = 0; ok && t < tasks; t++) {
        char id[16], amount[16];
        double unit = br_rng_unit(&rng);
        snprintf(id, sizeof id, "op%u", t);
        int64_t duration_ns = (1000000 + (int64_t)(unit * unit * unit * 1e9)) * (t % factor + 1);
        ok = !br_dag_add_stage(dag, id, 1, duration_ns, NULL, &diag);
        for (uint32_t r = 0; ok && r < RESOURCES; r++) {
            const unsigned held = 10 + (unsigned)br_rng_below(&rng, 61);
            snprintf(amount, sizeof amount, "%u", held);
            ok = r == 0 && has_ways ? add_ways(dag, t, duration_ns, 4 + held / 10, &diag)
                                    : !br_dag_add_demand(dag, t, resource[r], amount, &diag);
        }
        for (uint64_t p = t ? 1 + br_rng_below(&rng, 2) : 0; ok && p > 0; p--) {
            uint32_t back = 1 + (uint32_t)br_rng_below(&rng, t);
            ok = !br_dag_add_edge(dag, t - back, t, BR_BARRIER, &diag);
        }
    }
    if (ok && !br_dag_finish(dag, &diag))
        return true;
    fprintf(stderr, "%s\n", diag.what);
    return false;
}

static struct br_dag *make_job(uint32_t tasks, uint64_t seed, unsigned factor)
{
    struct br_dag *dag = br_dag_create("query");
    if (dag && fill_job(dag, tasks, seed, factor))
        return dag;
    br_dag_destroy(dag);
    return NULL;
}

/* The next of a series, in the place of the last. */
__attribute__((noinline)) static bool make_job_again(struct br_dag *dag, uint32_t tasks,
                                                     uint64_t seed)
{
    return !br_dag_reset(dag, "query", NULL) && fill_job(dag, tasks, seed, 1);
}

static struct br_cluster *make_cluster(uint32_t machines)
{
    static const char *const resource[RESOURCES] = {"cpu", "mem", "disk"};
    struct br_cluster *cluster = br_cluster_create("few");
    struct br_diag diag = {0};
    uint32_t cls;
    bool ok = cluster && !br_cluster_add_class(cluster, "m", machines, &cls, &diag);
    for (uint32_t r = 0; ok && r < RESOURCES; r++)
        ok = !br_cluster_add_capacity(cluster, cls, resource[r], "100", &diag);
    return ok ? cluster : NULL;
}

enum { SAMPLE = 1000 };

/* Of times in ns: median and most, as cells of CSV. */
static void print_times(int64_t *took_ns, size_t calls)
{
    qsort(took_ns, calls, sizeof *took_ns, by_size);
    printf(",%.0f,%.0f", (double)took_ns[calls / 2] / 1e3, (double)took_ns[calls - 1] / 1e3);
}

/* Fills the store with the plans of jobs 1 to `jobs`. False after a fault. */
static bool fill_store(struct br_store *store, const struct br_cluster *cluster, uint32_t tasks,
                       uint32_t jobs, int64_t *took_ns)
{
    struct br_plan_options options = br_plan_options_default();
    struct br_diag diag = {0};
    bool ok = true;
    options.effort = BR_EFFORT_FAST;
    options.threads = 1;
    for (uint32_t j = 0; ok && j < jobs; j++) {
        struct br_dag *dag = make_job(tasks, j + 1, 1);
        struct br_plan *plan = NULL;
        ok = dag && !br_plan_make(dag, cluster, &options, &plan, &diag);
        int64_t began_ns = br_now_ns();
        ok = ok && !br_store_put(store, dag, cluster, &options, plan, &diag);
        took_ns[j] = br_now_ns() - began_ns;
        br_plan_destroy(plan);
        br_dag_destroy(dag);
    }
    if (!ok)
        fprintf(stderr, "%s\n", diag.what);
    return ok;
}

/* Looks up jobs, which are to match so. Returns how many did not. */
static uint32_t look_up(struct br_store *store, const struct br_cluster *cluster, uint32_t tasks,
                        uint32_t jobs, enum br_store_match match, int64_t *took_ns)
{
    const uint32_t sample = jobs < SAMPLE ? jobs : SAMPLE;
    uint32_t wrong = 0;
    for (uint32_t k = 0; k < sample; k++) {
        const uint64_t job = 1 + (uint64_t)k * jobs / sample;
        struct br_dag *dag = make_job(tasks, match == BR_STORE_MISS ? job + jobs : job,
                                      match == BR_STORE_REFITTED ? 3 : 1);
        struct br_plan *plan = NULL;
        struct br_store_hit hit = {0};
        struct br_diag diag = {0};
        int64_t began_ns = br_now_ns();
        wrong += br_store_get(store, dag, cluster, NULL, &plan, &hit, &diag) || hit.match != match;
        took_ns[k] = br_now_ns() - began_ns;
        br_plan_destroy(plan);
        br_dag_destroy(dag);
    }
    print_times(took_ns, sample);
    return wrong;
}

static bool measure_store(const char *path, const struct br_cluster *cluster, uint32_t tasks,
                          uint32_t jobs)
{
    int64_t *took_ns = calloc((size_t)jobs + 1, sizeof *took_ns);
    struct br_store *store = NULL;
    struct br_diag diag = {0};
    uint64_t plans = 0;
    remove(path);
    bool ok = took_ns && !br_store_open(path, &store, &diag);
    if (!ok)
        fprintf(stderr, "%s\n", diag.what);
    ok = ok && fill_store(store, cluster, tasks, jobs, took_ns) &&
         !br_store_count(store, &plans, &diag);
    uint32_t wrong = 0;
    if (ok) {
        printf("plans,put_us,put_most_us,exact_us,exact_most_us,refit_us,refit_most_us,miss_us,"
               "miss_most_us,wrong\n%" PRIu64,
               plans);
        print_times(took_ns, jobs);
        wrong += look_up(store, cluster, tasks, jobs, BR_STORE_EXACT, took_ns);
        wrong += look_up(store, cluster, tasks, jobs, BR_STORE_REFITTED, took_ns);
        wrong += look_up(store, cluster, tasks, jobs, BR_STORE_MISS, took_ns);
        printf(",%u\n", wrong);
    }
    br_store_close(store);
    free(took_ns);
    return ok && wrong == 0;
}

/* What one way of planning has cost. */
struct cost {
    int64_t *took_ns;
    uint64_t allocations;
    int64_t makespans_ns;
};

static struct br_plan_options fast(void)
{
    struct br_plan_options options = br_plan_options_default();
    options.effort = BR_EFFORT_FAST;
    options.threads = 1;
    return options;
}

/* A plan from the call to its release; its makespan, or -1 after a fault. */
__attribute__((noinline)) static int64_t plan_anew(const struct br_dag *dag,
                                                   const struct br_cluster *cluster)
{
    const struct br_plan_options options = fast();
    struct br_plan *plan = NULL;
    struct br_diag diag = {0};
    if (br_plan_make(dag, cluster, &options, &plan, &diag)) {
        fprintf(stderr, "%s\n", diag.what);
        return -1;
    }
    int64_t makespan_ns = br_plan_makespan_ns(plan);
    br_plan_destroy(plan);
    return makespan_ns;
}

/* The same by the planner; the plan before it is released. */
__attribute__((noinline)) static int64_t
plan_again(struct br_planner *planner, const struct br_dag *dag, const struct br_cluster *cluster)
{
    const struct br_plan_options options = fast();
    const struct br_plan *plan = NULL;
    struct br_diag diag = {0};
    if (br_planner_plan(planner, dag, cluster, &options, &plan, &diag)) {
        fprintf(stderr, "%s\n", diag.what);
        return -1;
    }
    return br_plan_makespan_ns(plan);
}

/* One job built and planned by calls of its own; only the planning is timed. */
static bool measure_anew(uint32_t tasks, uint64_t seed, const struct br_cluster *cluster,
                         size_t call, struct cost *cost)
{
    const uint32_t before = taken;
    struct br_dag *dag = make_job(tasks, seed, 1);
    if (!dag)
        return false;
    const int64_t began_ns = br_now_ns();
    const int64_t makespan_ns = plan_anew(dag, cluster);
    cost->took_ns[call] = br_now_ns() - began_ns;
    cost->makespans_ns += makespan_ns;
    cost->allocations += taken - before;
    br_dag_destroy(dag);
    return makespan_ns >= 0;
}

/* The same job in the place of the last, by the planner. What the first takes is not counted. */
static bool measure_again(struct br_planner *planner, struct br_dag *dag, uint32_t tasks,
                          uint64_t seed, const struct br_cluster *cluster, size_t call,
                          struct cost *cost)
{
    const uint32_t before = taken;
    if (!make_job_again(dag, tasks, seed))
        return false;
    const int64_t began_ns = br_now_ns();
    const int64_t makespan_ns = plan_again(planner, dag, cluster);
    cost->took_ns[call] = br_now_ns() - began_ns;
    cost->makespans_ns += makespan_ns;
    cost->allocations += call > 0 ? taken - before : 0;
    return makespan_ns >= 0;
}

static void print_cost(const struct cost *cost, size_t calls)
{
    print_times(cost->took_ns, calls);
#ifdef COUNTED
    printf(",%.1f", (double)cost->allocations / (double)calls);
#else
    printf(",");
#endif
}

int main(int count, char **argument)
{
    has_ways = count > 2 && strcmp(argument[1], "ways") == 0;
    const uint32_t machines = has_ways ? (uint32_t)atoi(argument[2]) : 4;
    count -= has_ways ? 2 : 0;
    argument += has_ways ? 2 : 0;
    uint32_t tasks = count > 1 ? (uint32_t)atoi(argument[1]) : 30;
    uint32_t jobs = count > 2 ? (uint32_t)atoi(argument[2]) : 20;
    uint32_t rounds = count > 3 ? (uint32_t)atoi(argument[3]) : 10;
    const size_t calls = (size_t)jobs * rounds;
    struct br_cluster *cluster = make_cluster(machines);
    struct br_planner *planner = br_planner_create();
    struct br_dag *kept = br_dag_create("query");
    struct cost anew = {.took_ns = calloc(calls + 1, sizeof *anew.took_ns)};
    struct cost again = {.took_ns = calloc(calls + 1, sizeof *again.took_ns)};
    bool ok = cluster && planner && kept && anew.took_ns && again.took_ns && calls > 0;
    for (size_t call = 0; ok && call < calls; call++)
        ok = measure_anew(tasks, call / rounds + 1, cluster, call, &anew) &&
             measure_again(planner, kept, tasks, call / rounds + 1, cluster, call, &again);
    if (ok && anew.makespans_ns != again.makespans_ns) {
        fprintf(stderr, "the planner that is kept makes other plans\n");
        ok = false;
    }
    if (ok) {
        printf("tasks,jobs,rounds,median_us,most_us,allocations,again_us,again_most_us,"
               "again_allocations,makespans_ns\n%u,%u,%u",
               tasks, jobs, rounds);
        print_cost(&anew, calls);
        print_cost(&again, calls);
        printf(",%" PRId64 "\n", anew.makespans_ns);
    }
    br_planner_destroy(planner);
    br_dag_destroy(kept);
    free(anew.took_ns);
    free(again.took_ns);
    if (ok && count > 4 && br_store_is_there())
        ok = measure_store(argument[4], cluster, tasks, jobs);
    br_cluster_destroy(cluster);
    return ok ? 0 : 1;
}
