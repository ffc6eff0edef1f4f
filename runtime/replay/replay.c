/* Discrete events: the next end of a task is the next time that something is decided. */
#include "runtime/replay/replay.h"

#include <stdlib.h>

#include "base/text/diag.h"
#include "base/collections/heap.h"
#include "base/numbers/real.h"
#include "planner/model/dag.h"
#include "planner/eligibility/features.h"

enum { ROOM = 256 };

struct end {
    int64_t at_ns;
    uint32_t task;
};

/* Ends of running tasks; a heap, the earliest on top, ties by task. */
struct ends {
    struct end *end;
    uint32_t count;
};

static bool simulate_replay_before(const void *none, const struct end *a, const struct end *b)
{
    (void)none;
    return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->task < b->task;
}

BR_HEAP(end, struct end, const void *, simulate_replay_before, 2)

/* Starts what the enforcer decides. */
static void simulate_replay_start(struct br_runtime *runtime, const int64_t *duration_ns,
                                  int64_t now_ns, struct br_simulation *simulation,
                                  struct ends *ends)
{
    struct br_decision decision[ROOM];
    uint32_t got;
    do {
        got = br_runtime_decide(runtime, BR_ANY, now_ns, decision, ROOM);
        for (uint32_t d = 0; d < got; d++) {
            uint32_t task = decision[d].task;
            simulation->start_ns[task] = now_ns;
            simulation->machine[task] = decision[d].machine;
            end_push(NULL, ends->end, &ends->count, (struct end){now_ns + duration_ns[task], task});
        }
    } while (got == ROOM);
    if (ends->count > simulation->most_running)
        simulation->most_running = ends->count;
}

static enum br_status simulate_replay(struct br_runtime *runtime, uint32_t job,
                                      const struct br_dag *dag, const int64_t *duration_ns,
                                      struct br_simulation *simulation, struct ends *ends,
                                      struct br_diag *diag)
{
    uint32_t left = dag->tasks;
    int64_t now_ns = 0;
    enum br_status status = BR_OK;
    simulate_replay_start(runtime, duration_ns, now_ns, simulation, ends);
    while (!status) {
        const int64_t next_ns = br_runtime_next_ns(runtime);
        if (next_ns > now_ns && next_ns != INT64_MAX &&
            (!ends->count || next_ns < ends->end[0].at_ns)) {
            now_ns = next_ns; /* a release, or the end of a lag */
            simulate_replay_start(runtime, duration_ns, now_ns, simulation, ends);
            continue;
        }
        if (!ends->count)
            break;
        now_ns = ends->end[0].at_ns;
        /* All that ends at once is known before anything is decided. */
        while (ends->count && ends->end[0].at_ns == now_ns && !status) {
            uint32_t task = end_pop(NULL, ends->end, &ends->count).task;
            simulation->end_ns[task] = now_ns;
            left--;
            status = br_runtime_finished(runtime, job, task, diag);
        }
        simulate_replay_start(runtime, duration_ns, now_ns, simulation, ends);
    }
    simulation->makespan_ns = now_ns;
    if (!status && left)
        return br_fail(diag, BR_NO, NULL, "%u tasks can never start", left);
    return status;
}

enum br_status br_simulate(const struct br_dag *dag, const struct br_cluster *cluster,
                           const struct br_plan *plan, const int64_t *duration_ns,
                           const struct br_runtime_options *options,
                           struct br_simulation *simulation, struct br_diag *diag)
{
    struct br_runtime *runtime = NULL;
    uint32_t job, tasks = dag->tasks;
    *simulation = (struct br_simulation){0};
    struct br_arena *arena = &simulation->arena;
    struct ends ends = {.end = malloc(((size_t)tasks + 1) * sizeof *ends.end)};
    simulation->start_ns = br_arena_array(arena, tasks, sizeof *simulation->start_ns);
    simulation->end_ns = br_arena_array(arena, tasks, sizeof *simulation->end_ns);
    simulation->machine = br_arena_array(arena, tasks, sizeof *simulation->machine);
    enum br_status status = BR_OK;
    if (!ends.end || !simulation->start_ns || !simulation->end_ns || !simulation->machine)
        status = br_fail_memory(diag);
    if (!status) /* how long a stream lasts depends on its parents */
        status = br_features_refuse(
            dag, cluster, BR_FEATURES_ALL & ~(unsigned)(BR_FEATURE_STREAMS | BR_FEATURES_MODES),
            "a simulated run", diag);
    if (!status)
        status = br_runtime_create(cluster, options, &runtime, diag);
    if (!status)
        status = br_runtime_submit(runtime, dag, plan, 0, BR_READY_BY_EDGES, &job, diag);
    if (!status)
        status = simulate_replay(runtime, job, dag, duration_ns ? duration_ns : dag->duration_ns,
                                 simulation, &ends, diag);
    br_runtime_destroy(runtime);
    free(ends.end);
    return status;
}

void br_simulation_finish(struct br_simulation *simulation)
{
    br_arena_finish(&simulation->arena);
    *simulation = (struct br_simulation){0};
}

int64_t *br_simulate_durations(struct br_arena *arena, const struct br_dag *dag, double spread,
                               uint64_t seed)
{
    int64_t *duration_ns = br_arena_array(arena, dag->tasks, sizeof *duration_ns);
    struct br_rng rng = br_rng_seed(seed);
    for (uint32_t t = 0; duration_ns && t < dag->tasks; t++) {
        double exponent = spread * (br_real_normal(&rng) - spread / 2);
        /* Beyond these nothing is left of the duration, or all there may be. */
        exponent = exponent < -100 ? -100 : exponent > 100 ? 100 : exponent;
        double lasts = (double)dag->duration_ns[t] * br_real_exp(exponent);
        duration_ns[t] = lasts < (double)(INT64_MAX / 4) ? (int64_t)lasts : INT64_MAX / 4;
    }
    return duration_ns;
}
