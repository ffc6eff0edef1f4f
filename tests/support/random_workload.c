#include "tests/support/random_workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <string.h>

#include "base/numbers/rng.h"
#include "tests/support/random_job.h"

enum { DAGS = 8, GROUPS = 3 };

struct draws {
    struct br_rng rng;
    uint32_t dags, groups;
    uint32_t slots; /* times at which jobs arrive; 1: all at once */
    bool recorded;  /* some jobs have recorded durations */
};

static uint32_t below(struct draws *draws, uint32_t count)
{
    return (uint32_t)br_rng_below(&draws->rng, count);
}

static bool add_groups(struct draws *draws, struct br_workload *workload)
{
    static const char *const name[GROUPS] = {"default", "night", "day"};
    static const double weight[] = {1, 2, 0.5, 3};
    draws->groups = 1 + below(draws, GROUPS);
    uint32_t number;
    for (uint32_t g = 0; g < draws->groups; g++)
        if (br_workload_add_group(workload, name[g], weight[below(draws, 4)], &number, NULL))
            return false;
    return true;
}

static int64_t longest(const struct br_dag *dag, int64_t least)
{
    for (uint32_t t = 0; t < dag->tasks; t++)
        least = dag->duration_ns[t] > least ? dag->duration_ns[t] : least;
    return least;
}

static bool add_job(struct draws *draws, struct random_workload *random, uint32_t number)
{
    static const double weight[] = {1, 1, 2, 0.25};
    struct br_workload *workload = random->workload;
    struct br_workload_job job = br_workload_job_default();
    char id[16];
    snprintf(id, sizeof id, "j%u", number);
    job.id = id;
    job.dag = below(draws, draws->dags);
    job.group = below(draws, draws->groups);
    job.arrival_ns = below(draws, draws->slots) * random->step_ns;
    job.weight = weight[below(draws, 4)];
    job.seed = br_rng_next(&draws->rng);
    if (!below(draws, 3))
        job.deadline_ns = job.arrival_ns + (1 + below(draws, 9)) * random->step_ns;
    const struct br_dag *dag = workload->dag[job.dag].dag;
    int64_t *true_ns = NULL;
    if (draws->recorded && below(draws, 2)) {
        true_ns = malloc(dag->tasks * sizeof *true_ns);
        for (uint32_t t = 0; true_ns && t < dag->tasks; t++)
            true_ns[t] = below(draws, 4) * random->step_ns / 2;
        job.true_ns = true_ns;
    }
    bool ok = br_workload_add_job(workload, &job, NULL) == BR_OK;
    free(true_ns);
    return ok;
}

bool random_workload_make(uint64_t seed, uint32_t jobs, uint32_t tasks,
                          struct random_workload *random)
{
    struct draws draws = {.rng = br_rng_seed(seed)};
    struct br_dag *dag[DAGS];
    *random = (struct random_workload){.workload = br_workload_create("random", NULL)};
    uint32_t count = 1 + below(&draws, jobs);
    draws.dags = 1 + below(&draws, count < DAGS ? count : DAGS);
    bool made = random_jobs_make(br_rng_next(&draws.rng), tasks, draws.dags, dag, &random->cluster);
    bool ok = made && random->workload && add_groups(&draws, random->workload);
    random->step_ns = 1;
    for (uint32_t d = 0, number; d < draws.dags && made; d++) {
        random->step_ns = longest(dag[d], random->step_ns);
        if (!ok)
            br_dag_destroy(dag[d]);
        else
            ok = br_workload_add_dag(random->workload, dag[d], NULL, NULL, &number, NULL) == BR_OK;
    }
    draws.slots = below(&draws, 2) ? 1 + below(&draws, 2 * jobs) : 1;
    draws.recorded = !below(&draws, 3);
    for (uint32_t j = 0; j < count && ok; j++)
        ok = add_job(&draws, random, j);
    ok = ok && br_workload_finish(random->workload, NULL) == BR_OK;
    if (!ok)
        random_workload_finish(random);
    return ok;
}

void random_workload_finish(struct random_workload *random)
{
    br_workload_destroy(random->workload);
    br_cluster_destroy(random->cluster);
    *random = (struct random_workload){0};
}

struct br_world random_world(uint32_t k, uint64_t seed, int64_t step_ns)
{
    struct br_world world = br_world_default();
    bool all = k == RANDOM_WORLDS - 1;
    double step_s = (double)step_ns * 1e-9;
    world.seed = seed;
    if (k == 1 || all) {
        world.job = (struct br_error){1.2, 0.3};
        world.stage = (struct br_error){1, 0.2};
        world.task = (struct br_error){0.9, 0.5};
    }
    if (k == 2 || all)
        world.fail = 0.3;
    if (k == 3 || all) {
        world.straggle = 0.25;
        world.slowness = 3;
    }
    if (k == 4 || all) {
        world.leave_s = 6 * step_s;
        world.return_s = 2 * step_s;
    }
    return world;
}

double random_number(const struct br_policy_row *row)
{
    return strcmp(row->named.name, "joint") == 0 ? 1500 : NAN;
}
