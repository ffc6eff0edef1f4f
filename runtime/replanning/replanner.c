/* Pilots of a stage are drawn only once, by its number of tasks: so tasks of equal stages that wait
 * for one another one by one are pilots together. [Jajoo22] samples an equal share of the tasks.
 *
 * An unknown stage is expected to last the geometric mean of the known stages of its job. */
#include "runtime/replanning/replanner.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/real.h"
#include "base/text/diag.h"
#include "runtime/predict/annotate.h"

/* The guess if no stage is known. */
#define NO_IDEA_NS 1e9
/* A running task that should have ended by now has at least this share left. */
#define LEFT_LEAST 0.1

struct stage {
    bool unknown;
    double planned_ns;    /* the mean at the last look; 0: never */
    uint32_t lead;        /* the first stage that is like it; the rest is filled of such alone */
    uint32_t tasks;       /* of all like it */
    uint32_t lasted;      /* where their measured durations begin */
    uint32_t pilots_left; /* not ended */
    uint32_t measured;
};

struct br_replanner {
    struct br_arena arena;
    const struct br_dag *dag;
    struct br_beliefs *beliefs;
    struct br_replanner_options options;
    struct stage *stage;
    uint8_t *state; /* by task, as in struct br_rest */
    bool *pilot;
    int64_t *started_ns;
    int64_t *lasted_ns;   /* measured durations */
    int64_t *expected_ns; /* by task */
    int64_t *left_ns;
    uint32_t waiting; /* tasks */
    uint32_t pilots_measured;
    bool news;
};

struct br_replanner_options br_replanner_options_default(void)
{
    return (struct br_replanner_options){.ratio = 0.03, .changed = 1.1, .seed = 1};
}

enum br_status br_replanner_unknown(const struct br_dag *dag, bool **unknown, struct br_diag *diag)
{
    uint32_t count = 0;
    *unknown = calloc((size_t)dag->stages + 1, sizeof **unknown);
    if (!*unknown)
        return br_fail_memory(diag);
    for (uint32_t s = 0; s < dag->stages; s++) {
        const struct br_stage *stage = &dag->stage[s];
        bool none = stage->command != NULL;
        for (uint32_t t = stage->first_task; t < stage->first_task + stage->tasks && none; t++)
            none = dag->duration_ns[t] == 0;
        (*unknown)[s] = none;
        count += none;
    }
    if (!count) {
        free(*unknown);
        *unknown = NULL;
    }
    return BR_OK;
}

/* Puts stages that are like one another together. */
static void replanner_join(struct br_replanner *replanner, const uint32_t *like)
{
    const struct br_dag *dag = replanner->dag;
    uint32_t lasted = 0;
    for (uint32_t s = 0; s < dag->stages; s++) {
        assert(!like || (like[s] <= s && like[like[s]] == like[s]));
        replanner->stage[s].lead = like ? like[s] : s;
        replanner->stage[replanner->stage[s].lead].tasks += dag->stage[s].tasks;
    }
    for (uint32_t s = 0; s < dag->stages; s++) {
        replanner->stage[s].lasted = lasted;
        lasted += replanner->stage[s].tasks;
    }
}

/* Draws the pilots of a stage and those like it, without repetition; every set is equally probable.
 */
static void replanner_draw(struct br_replanner *replanner, uint32_t lead)
{
    const uint32_t tasks = replanner->stage[lead].tasks;
    struct br_rng rng = br_rng_seed(replanner->options.seed + tasks);
    uint32_t wanted = (uint32_t)(replanner->options.ratio * tasks + 0.5), seen = 0;
    wanted = wanted < 1 ? 1 : wanted > tasks ? tasks : wanted;
    replanner->stage[lead].pilots_left = wanted;
    for (uint32_t s = lead; s < replanner->dag->stages && wanted; s++) {
        const struct br_stage *stage = &replanner->dag->stage[s];
        for (uint32_t i = 0; replanner->stage[s].lead == lead && i < stage->tasks && wanted; i++) {
            bool taken = br_rng_below(&rng, tasks - seen++) < wanted;
            replanner->pilot[stage->first_task + i] = taken;
            wanted -= taken;
        }
    }
    assert(wanted == 0);
}

enum br_status br_replanner_create(const struct br_dag *dag, const bool *unknown,
                                   struct br_beliefs *beliefs,
                                   const struct br_replanner_options *options,
                                   struct br_replanner **result, struct br_diag *diag)
{
    struct br_replanner *replanner = calloc(1, sizeof *replanner);
    *result = NULL;
    if (!replanner)
        return br_fail_memory(diag);
    struct br_arena *arena = &replanner->arena;
    replanner->dag = dag;
    replanner->beliefs = beliefs;
    replanner->options = *options;
    replanner->waiting = dag->tasks;
    if (!BR_ARRAY(arena, dag->stages, replanner->stage) ||
        !BR_ARRAY(arena, dag->tasks, replanner->state) ||
        !BR_ARRAY(arena, dag->tasks, replanner->pilot) ||
        !BR_ARRAY(arena, dag->tasks, replanner->started_ns) ||
        !BR_ARRAY(arena, dag->tasks, replanner->lasted_ns) ||
        !BR_ARRAY(arena, dag->tasks, replanner->expected_ns) ||
        !BR_ARRAY(arena, dag->tasks, replanner->left_ns)) {
        br_replanner_destroy(replanner);
        return br_fail_memory(diag);
    }
    replanner_join(replanner, options->like);
    replanner->options.like = NULL;
    for (uint32_t s = 0; s < dag->stages; s++) {
        replanner->stage[s].unknown = unknown[s];
        if (unknown[s] && replanner->stage[s].lead == s)
            replanner_draw(replanner, s);
    }
    *result = replanner;
    return BR_OK;
}

void br_replanner_destroy(struct br_replanner *replanner)
{
    if (!replanner)
        return;
    br_arena_finish(&replanner->arena);
    free(replanner);
}

/* ---- Events ---- */

static void replanner_move(struct br_replanner *replanner, uint32_t task, enum br_rest_state state)
{
    assert(replanner->state[task] != BR_REST_WAITING || replanner->waiting > 0);
    replanner->waiting -= replanner->state[task] == BR_REST_WAITING;
    replanner->waiting += state == BR_REST_WAITING;
    replanner->state[task] = (uint8_t)state;
    assert(replanner->waiting <= replanner->dag->tasks);
}

void br_replanner_started(struct br_replanner *replanner, uint32_t task, int64_t now_ns)
{
    replanner_move(replanner, task, BR_REST_RUNNING);
    replanner->started_ns[task] = now_ns;
}

void br_replanner_failed(struct br_replanner *replanner, uint32_t task, bool again)
{
    replanner_move(replanner, task, again ? BR_REST_WAITING : BR_REST_ENDED);
}

bool br_replanner_stage(struct br_replanner *replanner, uint32_t s, struct br_task_belief *belief,
                        uint32_t *measured)
{
    const struct stage *lead = &replanner->stage[replanner->stage[s].lead];
    *measured = lead->measured;
    br_beliefs_of(replanner->beliefs, replanner->dag->name,
                  &replanner->dag->stage[replanner->stage[s].lead], NULL,
                  replanner->lasted_ns + lead->lasted, *measured, 0.5, belief);
    return replanner->stage[s].unknown;
}

uint32_t br_replanner_alike(const struct br_replanner *replanner, uint32_t s)
{
    return replanner->stage[s].lead == s ? replanner->stage[s].tasks : 0;
}

/* Is the planned mean wrong by now? */
static bool has_moved(struct br_replanner *replanner, uint32_t s)
{
    struct br_task_belief belief;
    uint32_t measured;
    double planned_ns = replanner->stage[s].planned_ns, ratio = replanner->options.changed;
    br_replanner_stage(replanner, s, &belief, &measured);
    return belief.mean_ns > ratio * planned_ns || planned_ns > ratio * belief.mean_ns;
}

void br_replanner_ended(struct br_replanner *replanner, uint32_t task, int64_t lasted_ns)
{
    const uint32_t s = replanner->stage[br_dag_task_stage(replanner->dag, task)].lead;
    struct stage *stage = &replanner->stage[s];
    if (replanner->state[task] == BR_REST_ENDED)
        return;
    replanner_move(replanner, task, BR_REST_ENDED);
    if (!stage->unknown)
        return;
    if (lasted_ns >= 0) {
        assert(stage->measured < stage->tasks);
        replanner->lasted_ns[stage->lasted + stage->measured] = lasted_ns;
        stage->measured++;
        replanner->pilots_measured += replanner->pilot[task];
    }
    if (replanner->pilot[task] && stage->pilots_left > 0)
        stage->pilots_left--;
    if (!replanner->news && !stage->pilots_left && stage->measured)
        replanner->news = has_moved(replanner, s);
}

/* ---- Questions ---- */

bool br_replanner_wants(const struct br_replanner *replanner)
{
    return replanner->news && replanner->waiting > 0;
}

/* The means of the stages, and which of them are only guesses. */
static void replanner_expect(struct br_replanner *replanner)
{
    const struct br_dag *dag = replanner->dag;
    double logs = 0, known = 0;
    for (uint32_t s = 0; s < dag->stages; s++) {
        struct stage *stage = &replanner->stage[s];
        struct br_task_belief belief;
        uint32_t measured;
        double mean_ns = (double)dag->stage[s].duration_ns;
        if (stage->lead != s)
            continue;
        if (stage->unknown) {
            br_replanner_stage(replanner, s, &belief, &measured);
            mean_ns = belief.known ? fmax(belief.mean_ns, 1) : 0;
        }
        stage->planned_ns = mean_ns;
        if (mean_ns > 0) {
            logs += br_real_log(mean_ns);
            known++;
        }
    }
    double guess_ns = known > 0 ? br_real_exp(logs / known) : NO_IDEA_NS;
    for (uint32_t s = 0; s < dag->stages; s++) {
        struct stage *stage = &replanner->stage[s];
        if (stage->lead != s)
            stage->planned_ns = replanner->stage[stage->lead].planned_ns;
        else if (stage->unknown && stage->planned_ns <= 0)
            stage->planned_ns = guess_ns;
    }
}

/* The time left of the task then. */
static int64_t replanner_left_of(const struct br_replanner *replanner, uint32_t task,
                                 int64_t now_ns)
{
    int64_t expected_ns = replanner->expected_ns[task];
    if (replanner->state[task] != BR_REST_RUNNING)
        return expected_ns;
    int64_t least_ns = (int64_t)(LEFT_LEAST * (double)expected_ns);
    int64_t left_ns = expected_ns - (now_ns - replanner->started_ns[task]);
    return left_ns > least_ns ? left_ns : least_ns;
}

struct br_rest br_replanner_look(struct br_replanner *replanner, int64_t now_ns,
                                 const int64_t **duration_ns)
{
    const struct br_dag *dag = replanner->dag;
    replanner_expect(replanner);
    replanner->news = false;
    for (uint32_t s = 0; s < dag->stages; s++) {
        const struct br_stage *stage = &dag->stage[s];
        int64_t mean_ns = br_whole_ns(replanner->stage[s].planned_ns);
        for (uint32_t t = stage->first_task; t < stage->first_task + stage->tasks; t++) {
            replanner->expected_ns[t] = replanner->stage[s].unknown ? mean_ns : dag->duration_ns[t];
            replanner->left_ns[t] = replanner_left_of(replanner, t, now_ns);
        }
    }
    if (duration_ns)
        *duration_ns = replanner->expected_ns;
    return (struct br_rest){replanner->state, replanner->left_ns, replanner->pilot, now_ns};
}

bool br_replanner_knows(struct br_replanner *replanner)
{
    for (uint32_t s = 0; s < replanner->dag->stages; s++) {
        struct br_task_belief belief;
        uint32_t measured;
        if (br_replanner_stage(replanner, s, &belief, &measured) && !belief.known)
            return false;
    }
    return true;
}

void br_replanner_forecast(struct br_replanner *replanner, int64_t *duration_ns, double *spread)
{
    const struct br_dag *dag = replanner->dag;
    double longest_ns = 0;
    for (uint32_t s = 0; s < dag->stages; s++) {
        struct br_task_belief belief;
        uint32_t measured, first = dag->stage[s].first_task;
        bool unknown = br_replanner_stage(replanner, s, &belief, &measured);
        double mean_ns = !unknown       ? (double)dag->stage[s].duration_ns
                         : belief.known ? fmax(belief.mean_ns, 1)
                                        : 0;
        spread[s] = unknown && belief.known ? belief.spread : -1;
        for (uint32_t t = first; t < first + dag->stage[s].tasks; t++)
            duration_ns[t] = unknown ? br_whole_ns(mean_ns) : dag->duration_ns[t];
        longest_ns = fmax(longest_ns, mean_ns);
    }
    for (uint32_t s = 0; s < dag->stages; s++) {
        uint32_t first = dag->stage[s].first_task;
        for (uint32_t t = first; t < first + dag->stage[s].tasks; t++)
            if (replanner->stage[s].unknown && !duration_ns[t])
                duration_ns[t] = br_whole_ns(longest_ns > 0 ? longest_ns : NO_IDEA_NS);
    }
}

struct br_replanner_report br_replanner_report(const struct br_replanner *replanner)
{
    struct br_replanner_report report = {.pilots = replanner->pilots_measured};
    for (uint32_t s = 0; s < replanner->dag->stages; s++) {
        report.unknown += replanner->stage[s].unknown && replanner->stage[s].lead == s;
        report.learnt += replanner->stage[s].measured > 0;
        report.measured += replanner->stage[s].measured;
    }
    return report;
}
