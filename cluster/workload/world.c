/* Draws by counting, not by a stream: each has a seed of its own, mixed from what it is about. */
#include "cluster/workload/world.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/numbers/real.h"

enum draw {
    DRAW_JOB = 1,
    DRAW_STAGE,
    DRAW_TASK,
    DRAW_FAILS,
    DRAW_WHEN,
    DRAW_STRAGGLES,
    DRAW_MACHINE,
    DRAW_SPREAD
};

static struct br_rng world_draw(uint64_t seed, enum draw about, uint64_t a, uint64_t b)
{
    struct br_rng rng = br_rng_seed(seed);
    const uint64_t part[] = {(uint64_t)about, a, b};
    for (int k = 0; k < 3; k++)
        rng = br_rng_seed(br_rng_next(&rng) ^ part[k] * UINT64_C(0xd6e8feb86659fd93));
    br_rng_next(&rng);
    return rng;
}

static uint64_t world_seed_of(const struct br_world *world, const struct br_workload_job *job)
{
    struct br_rng rng = br_rng_seed(world->seed);
    return br_rng_next(&rng) ^ job->seed * UINT64_C(0xa0761d6478bd642f);
}

struct br_world br_world_default(void)
{
    const struct br_error none = {.bias = 1};
    return (struct br_world){.seed = 1, .job = none, .stage = none, .task = none, .slowness = 1};
}

static bool error_is_well(const struct br_error *error)
{
    return error->bias > 0 && error->bias <= 1e6 && error->spread >= 0 && error->spread <= 10;
}

enum br_status br_world_check(const struct br_world *world, struct br_diag *diag)
{
    if (!error_is_well(&world->job) || !error_is_well(&world->stage) ||
        !error_is_well(&world->task))
        return br_fail(diag, BR_USAGE, "a bias is above 0, and a spread is between 0 and 10",
                       "an error of the durations is out of its range");
    if (!(world->fail >= 0 && world->fail < 1))
        return br_fail(diag, BR_USAGE, "give a share such as 0.01",
                       "the share of failures is not within 0 and 1");
    if (!(world->straggle >= 0 && world->straggle <= 1) ||
        !(world->slowness >= 1 && world->slowness <= 1e6))
        return br_fail(diag, BR_USAGE, "such as a share of 0.05, 3 times as slow",
                       "stragglers are out of their range");
    if (!(world->leave_s >= 0 && isfinite(world->leave_s)) ||
        !(world->return_s >= 0 && isfinite(world->return_s)))
        return br_fail(diag, BR_USAGE, NULL, "the times of leaving machines are below 0");
    return BR_OK;
}

/* The factor of what the draw is about; without a spread nothing is drawn. */
static double world_factor(const struct br_error *error, uint64_t seed, enum draw about,
                           uint64_t of)
{
    if (error->spread <= 0)
        return error->bias;
    struct br_rng rng = world_draw(seed, about, of, 0);
    double exponent = error->spread * (br_real_normal(&rng) - error->spread / 2);
    return error->bias * br_real_exp(exponent < -100 ? -100 : exponent > 100 ? 100 : exponent);
}

static int64_t world_scaled(int64_t duration_ns, double by)
{
    assert(duration_ns >= 0 && by >= 0);
    double lasts = (double)duration_ns * by;
    return lasts < (double)(INT64_MAX / 4) ? (int64_t)(lasts + 0.5) : INT64_MAX / 4;
}

/* Draws declared durations with their declared spread. */
static void world_draw_declared(const struct br_dag *dag, uint64_t seed, int64_t *true_ns)
{
    for (uint32_t s = 0; s < dag->stages; s++) {
        const struct br_stage *stage = &dag->stage[s];
        const struct br_error spread = {.bias = 1, .spread = br_real_of(stage->spread)};
        for (uint32_t t = stage->first_task; t < stage->first_task + stage->tasks; t++) {
            true_ns[t] = dag->duration_ns[t];
            if (spread.spread > 0)
                true_ns[t] = world_scaled(true_ns[t], world_factor(&spread, seed, DRAW_SPREAD, t));
            if (stage->longest_ns && true_ns[t] > stage->longest_ns)
                true_ns[t] = stage->longest_ns;
        }
    }
}

static bool draws(const struct br_error *error)
{
    return error->spread > 0 || error->bias != 1;
}

const int64_t *br_world_given(const struct br_world *world, const struct br_workload *workload,
                              uint32_t number)
{
    const struct br_workload_job *job = &workload->job[number];
    const struct br_dag *dag = workload->dag[job->dag].dag;
    if (job->true_ns)
        return job->true_ns;
    if (draws(&world->job) || draws(&world->stage) || draws(&world->task) ||
        workload->dag[job->dag].declared)
        return NULL;
    for (uint32_t s = 0; s < dag->stages; s++)
        if (br_real_of(dag->stage[s].spread) > 0 || dag->stage[s].longest_ns)
            return NULL;
    return dag->duration_ns;
}

void br_world_durations(const struct br_world *world, const struct br_workload *workload,
                        uint32_t number, int64_t *true_ns)
{
    const struct br_workload_job *job = &workload->job[number];
    const struct br_dag *dag = workload->dag[job->dag].dag;
    uint64_t seed = world_seed_of(world, job);
    if (job->true_ns) {
        memcpy(true_ns, job->true_ns, dag->tasks * sizeof *true_ns);
        return;
    }
    world_draw_declared(dag, seed, true_ns);
    double of_job = world_factor(&world->job, seed, DRAW_JOB, 0);
    for (uint32_t s = 0; s < dag->stages; s++) {
        double of_stage = of_job * world_factor(&world->stage, seed, DRAW_STAGE, s);
        if (workload->dag[job->dag].declared)
            of_stage /= workload->dag[job->dag].declared[s];
        uint32_t first = dag->stage[s].first_task;
        for (uint32_t t = first; t < first + dag->stage[s].tasks; t++) {
            double by = of_stage * world_factor(&world->task, seed, DRAW_TASK, t);
            true_ns[t] = by == 1 ? true_ns[t] : world_scaled(true_ns[t], by);
        }
    }
}

struct br_attempt br_world_attempt(const struct br_world *world, const struct br_workload_job *job,
                                   uint32_t task, uint32_t attempt, int64_t duration_ns)
{
    struct br_attempt result = {.lasts_ns = duration_ns};
    if (world->straggle <= 0 && world->fail <= 0)
        return result;
    uint64_t seed = world_seed_of(world, job);
    if (world->straggle > 0) {
        struct br_rng rng = world_draw(seed, DRAW_STRAGGLES, task, attempt);
        if (br_rng_unit(&rng) < world->straggle)
            result.lasts_ns = world_scaled(duration_ns, world->slowness);
    }
    if (world->fail > 0) {
        struct br_rng rng = world_draw(seed, DRAW_FAILS, task, attempt);
        result.fails = br_rng_unit(&rng) < world->fail;
    }
    if (result.fails) {
        struct br_rng rng = world_draw(seed, DRAW_WHEN, task, attempt);
        result.lasts_ns = world_scaled(result.lasts_ns, br_rng_unit(&rng));
    }
    return result;
}

int64_t br_world_machine_ns(const struct br_world *world, uint32_t machine, uint32_t k)
{
    struct br_rng rng = world_draw(world->seed, DRAW_MACHINE, machine, k);
    double mean_s = k % 2 == 0 ? world->leave_s : world->return_s;
    double lasts_s = -mean_s * br_real_log(1 - br_rng_unit(&rng));
    assert(lasts_s >= 0);
    return lasts_s < 1e9 ? (int64_t)(lasts_s * 1e9) + 1 : (int64_t)1e18;
}
