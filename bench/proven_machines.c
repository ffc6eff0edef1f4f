/* Which small jobs on several machines end proven: random jobs of exactly TASKS tasks, planned
 * under the default effort by one thread.
 *
 *   proven_machines TASKS MACHINES [FIRST [COUNT [FOLDER]]]
 *
 * A job has stages of one to four equal tasks of 1 to 9 ticks; a stage waits for each before it
 * with a chance of 0, 15, 35 or 70 %, half of the time task by task where that can be. The machines
 * are equal and hold 10 of each of two resources; half of the stages demand up to 5 of each, the
 * others up to 10. Prints a line of CSV a job: the tasks and machines, the seed, the bound and the
 * makespan in nanoseconds, whether they are the same, the conflicts, the clauses and literals of
 * the proof (0 where it is of another kind), and whether the proof is accepted. With FOLDER, each
 * plan with its proof goes there as JSON, for other checkers. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/numbers/rng.h"
#include "emit/emit.h"
#include "planner/check/proofs/certificate.h"
#include "planner/instance/counters.h"
#include "planner/instance/plan.h"

enum { RESOURCES = 2, ROOM = 10, LONGEST = 9 };

static void fail(const char *what)
{
    fprintf(stderr, "proven_machines: %s\n", what);
    exit(3);
}

static uint32_t draw(struct br_rng *rng, uint32_t least, uint32_t most)
{
    return least + (uint32_t)br_rng_below(rng, most - least + 1);
}

static struct br_dag *make_job(uint32_t tasks, uint64_t seed)
{
    static const uint32_t densities[] = {0, 15, 35, 70};
    static const char *const resource[RESOURCES] = {"cpu", "mem"};
    struct br_rng rng = br_rng_seed(seed);
    struct br_dag *dag = br_dag_create("random");
    uint32_t density = densities[draw(&rng, 0, 3)], size[64];
    bool ok = dag != NULL && tasks <= 64;
    for (uint32_t stage = 0; ok && tasks > 0; stage++) {
        char text[16];
        size[stage] = draw(&rng, 0, 1) ? 1 : draw(&rng, 1, tasks < 4 ? tasks : 4);
        tasks -= size[stage];
        snprintf(text, sizeof text, "s%" PRIu32, stage);
        ok = !br_dag_add_stage(dag, text, size[stage], draw(&rng, 1, LONGEST) * INT64_C(1000000000),
                               NULL, NULL);
        uint32_t most = draw(&rng, 0, 1) ? ROOM / 2 : ROOM;
        for (uint32_t r = 0; r < RESOURCES && ok; r++) {
            snprintf(text, sizeof text, "%" PRIu32, draw(&rng, 1, most));
            ok = !br_dag_add_demand(dag, stage, resource[r], text, NULL);
        }
        for (uint32_t p = 0; p < stage && ok; p++) {
            bool one = draw(&rng, 0, 1) && size[p] == size[stage];
            if (draw(&rng, 0, 99) < density)
                ok = !br_dag_add_edge(dag, p, stage, one ? BR_ONE_TO_ONE : BR_BARRIER, NULL);
        }
    }
    if (!ok || br_dag_finish(dag, NULL))
        fail("no job");
    return dag;
}

static struct br_cluster *make_cluster(uint32_t machines)
{
    struct br_cluster *cluster = br_cluster_create(NULL);
    if (!cluster || br_cluster_add_class(cluster, "m", machines, NULL, NULL) ||
        br_cluster_add_capacity(cluster, 0, "cpu", "10", NULL) ||
        br_cluster_add_capacity(cluster, 0, "mem", "10", NULL))
        fail("no cluster");
    return cluster;
}

static void keep(const char *folder, const struct br_emit_input *input, uint32_t tasks,
                 uint32_t machines, uint64_t seed)
{
    char path[400];
    snprintf(path, sizeof path, "%s/%" PRIu32 "-%" PRIu32 "-%" PRIu64 ".json", folder, tasks,
             machines, seed);
    FILE *out = fopen(path, "w");
    if (!out || br_emit_plan("json", input, out, NULL) || fclose(out))
        fail(path);
}

static void run(uint32_t tasks, uint32_t machines, uint64_t seed, const char *folder)
{
    struct br_dag *dag = make_job(tasks, seed);
    struct br_cluster *cluster = make_cluster(machines);
    struct br_plan_options options = br_plan_options_default();
    struct br_plan *plan = NULL;
    struct br_diag diag = {0};
    options.threads = 1;
    if (br_plan_make(dag, cluster, &options, &plan, &diag))
        fail(diag.what);
    uint64_t clauses = 0, literals = 0;
    for (uint32_t k = 0; plan->certificate && k < plan->certificate->parts; k++) {
        const struct br_proof *proof = &plan->certificate->part[k];
        clauses += proof->clauses;
        for (uint32_t c = 0; c < proof->clauses; c++)
            literals += proof->clause[c].literals;
    }
    bool holds = plan->certificate && !br_certificate_verify(plan->certificate, dag, cluster,
                                                             plan->lower_bound_ns, &diag);
    printf("%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRId64 ",%" PRId64 ",%d,%" PRIu64 ",%" PRIu64
           ",%" PRIu64 ",%d\n",
           tasks, machines, seed, plan->lower_bound_ns, plan->makespan_ns,
           plan->lower_bound_ns == plan->makespan_ns, plan->counters.exact_conflicts, clauses,
           literals, holds);
    fflush(stdout);
    struct br_emit_input input = {.dag = dag, .cluster = cluster, .plan = plan};
    if (folder)
        keep(folder, &input, tasks, machines, seed);
    br_plan_destroy(plan);
    br_cluster_destroy(cluster);
    br_dag_destroy(dag);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        fail("usage: proven_machines TASKS MACHINES [FIRST [COUNT [FOLDER]]]");
    uint32_t tasks = (uint32_t)strtoul(argv[1], NULL, 10);
    uint32_t machines = (uint32_t)strtoul(argv[2], NULL, 10);
    uint64_t first = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    uint64_t count = argc > 4 ? strtoull(argv[4], NULL, 10) : 40;
    for (uint64_t seed = first; seed < first + count; seed++)
        run(tasks, machines, seed, argc > 5 ? argv[5] : NULL);
    return 0;
}
