/* storage_runs CASES RUNS [SEED]: random jobs with outputs, shared resources and times, planned and
 * run by the enforcer against an adversary, RUNS times for each case: no run stops before all tasks
 * have ended, no place ever holds more than it can, and no task starts that would last into a time
 * in which its machine is away or has fewer cores. Says how much longer runs with the
 * durations of the plan take than the plan, and than runs with room for everything. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/rng.h"
#include "tests/support/adversary.h"
#include "tests/support/random_job.h"

struct sums {
    uint64_t cases, runs, several, faults, dead_ends, forced, starts, failures, left_out, windows,
        near;
    uint64_t compared;
    double to_plan, to_free; /* sums of ratios */
};

struct scene {
    struct featured_job job[ADVERSARY_JOBS];
    uint32_t jobs;
    struct featured_cluster cluster;
    struct br_plan *plan[ADVERSARY_JOBS];
    struct br_dag *dag[ADVERSARY_JOBS];
};

static void scene_finish(struct scene *scene)
{
    for (uint32_t j = 0; j < scene->jobs; j++) {
        br_plan_destroy(scene->plan[j]);
        br_dag_destroy(scene->dag[j]);
        scene->plan[j] = NULL;
        scene->dag[j] = NULL;
    }
}

/* Plans all jobs on the cluster, each alone. */
static bool plan_all(struct scene *scene)
{
    struct br_plan_options options = br_plan_options_default();
    struct br_cluster *cluster = featured_cluster_real(&scene->cluster);
    bool ok = cluster != NULL;
    options.effort = BR_EFFORT_FAST;
    for (uint32_t j = 0; j < scene->jobs && ok; j++) {
        scene->dag[j] = featured_job_dag(&scene->job[j]);
        ok =
            scene->dag[j] && !br_plan_make(scene->dag[j], cluster, &options, &scene->plan[j], NULL);
    }
    br_cluster_destroy(cluster);
    if (!ok)
        scene_finish(scene);
    return ok;
}

/* Does the enforcer, which does not know durations, take the jobs with their plans and without? A
 * plan of tasks that take no time, or that make outputs at their end, may have no order. */
static bool are_taken(const struct scene *scene)
{
    for (int planned = 0; planned < 2; planned++) {
        const struct adversary with = {.job = scene->job,
                                       .jobs = scene->jobs,
                                       .cluster = &scene->cluster,
                                       .plan = planned ? (const struct br_plan *const *)scene->plan
                                                       : NULL,
                                       .kind = planned ? ADVERSARY_PLANNED : 0};
        struct adversary_result result;
        adversary_run(&with, &result);
        if (result.fault && strncmp(result.fault, "no order", strlen("no order")) == 0)
            return false;
    }
    return true;
}

/* The jobs on a cluster with about as little storage as plans are found for. */
static bool scene_make(struct scene *scene, uint64_t seed)
{
    struct br_rng rng;
    rng = br_rng_seed(seed);
    *scene = (struct scene){
        .jobs = br_rng_below(&rng, 2) ? 1 : 1 + (uint32_t)br_rng_below(&rng, ADVERSARY_JOBS)};
    for (uint32_t j = 0; j < scene->jobs; j++)
        featured_job_make(br_rng_next(&rng), &scene->job[j]);
    featured_cluster_make(scene->job, scene->jobs,
                          1 + (uint32_t)br_rng_below(&rng, FEATURED_MACHINES), &scene->cluster);
    if (br_rng_below(&rng, 3) == 0)
        featured_cluster_change(br_rng_next(&rng), &scene->cluster);
    for (int tries = 0; tries < 12; tries++) {
        if (plan_all(scene)) {
            if (are_taken(scene))
                return true;
            scene_finish(scene);
        }
        for (int r = 1; r <= 2; r++)
            scene->cluster.capacity[r] += scene->cluster.capacity[r] / 5 + 1;
    }
    return false;
}

static void count_run(struct sums *sums, const struct adversary_result *result, uint64_t seed)
{
    sums->runs++;
    sums->starts += result->starts;
    sums->failures += result->failures;
    sums->forced += result->forced > 0;
    sums->near += result->near;
    if (!result->fault)
        return;
    sums->faults++;
    fprintf(stderr, "case %" PRIu64 ", run %" PRIu64 ": %s\n", seed, sums->runs, result->fault);
    sums->dead_ends += result->fault[0] == 'd';
}

/* One job, with the durations of its plan. */
static void compare(struct sums *sums, const struct scene *scene, uint64_t seed)
{
    struct adversary with = {.job = scene->job,
                             .jobs = 1,
                             .cluster = &scene->cluster,
                             .plan = (const struct br_plan *const *)scene->plan,
                             .kind = ADVERSARY_PLANNED};
    struct adversary_result limited, free_of_limits;
    struct featured_cluster large = scene->cluster;
    const int64_t plan_ns = br_plan_makespan_ns(scene->plan[0]);
    adversary_run(&with, &limited);
    large.capacity[1] = large.capacity[2] = 1000000;
    with.cluster = &large;
    adversary_run(&with, &free_of_limits);
    count_run(sums, &limited, seed);
    count_run(sums, &free_of_limits, seed);
    if (limited.fault || free_of_limits.fault || !plan_ns || !free_of_limits.makespan_ns)
        return;
    sums->compared++;
    sums->to_plan += (double)limited.makespan_ns / (double)plan_ns;
    sums->to_free += (double)limited.makespan_ns / (double)free_of_limits.makespan_ns;
}

int main(int argc, char **argv)
{
    const uint64_t cases = random_jobs(argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 300);
    const uint64_t runs = argc > 2 ? strtoull(argv[2], NULL, 10) : 4;
    const uint64_t first = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    struct sums sums = {0};
    for (uint64_t c = first; c < first + cases; c++) {
        struct scene scene;
        if (!scene_make(&scene, c)) {
            sums.left_out++;
            continue;
        }
        sums.cases++;
        sums.several += scene.jobs > 1;
        sums.windows += scene.cluster.windows > 0;
        for (uint64_t k = 0; k < runs; k++) {
            const struct adversary with = {
                .job = scene.job,
                .jobs = scene.jobs,
                .cluster = &scene.cluster,
                .plan = k % 5 == 4 ? NULL : (const struct br_plan *const *)scene.plan,
                .kind = (enum adversary_kind)(k % 2),
                .seed = c * 1000 + k,
                .fails = k % 4 == 0 ? 0 : 15,
                .dies = k % 4 == 3 ? 10 : 0};
            struct adversary_result result;
            adversary_run(&with, &result);
            count_run(&sums, &result, c);
        }
        compare(&sums, &scene, c);
        scene_finish(&scene);
    }
    printf("cases\t%" PRIu64 "\nleft out\t%" PRIu64 "\nwith several jobs\t%" PRIu64
           "\nruns\t%" PRIu64 "\nstarts\t%" PRIu64 "\nfailures\t%" PRIu64 "\n",
           sums.cases, sums.left_out, sums.several, sums.runs, sums.starts, sums.failures);
    printf("with windows\t%" PRIu64 "\nstarts near them\t%" PRIu64 "\n", sums.windows, sums.near);
    printf("faults\t%" PRIu64 "\ndead ends\t%" PRIu64 "\nforced\t%" PRIu64 "\n", sums.faults,
           sums.dead_ends, sums.forced);
    if (sums.compared)
        printf("run over plan\t%.4f\nrun over run without limit\t%.4f\n",
               sums.to_plan / (double)sums.compared, sums.to_free / (double)sums.compared);
    return sums.faults || sums.forced || !sums.cases;
}
