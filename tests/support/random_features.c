/* Draws stages and edges first, then gives the cluster little more room than the largest task
 * needs. */
#include "tests/support/random_features.h"

#include <stdio.h>
#include <string.h>

#include "base/numbers/rng.h"
#include "planner/eligibility/features.h"

enum { KINDS = 4, MOST_OUTPUTS = 2 };
static const char *const kind_name[KINDS] = {"cpu", "mem", "scratch", "licence"};
enum kind { CPU, MEMORY, SCRATCH, LICENCE }; /* of machines, then shared */

struct drawn_output {
    bool made;
    enum kind kind;
    int amount;
    unsigned flags;
};

struct drawn_stage {
    uint32_t tasks;
    int duration;
    int demand[KINDS];
    struct drawn_output output[MOST_OUTPUTS];
};

struct draw {
    struct br_rng rng;
    const struct random_features *wish;
    uint32_t stages, machines;
    struct drawn_stage stage[RANDOM_JOB_TASKS];
    bool edge[RANDOM_JOB_TASKS][RANDOM_JOB_TASKS];
};

static bool may(struct draw *d, unsigned feature, uint32_t percent)
{
    const bool drawn = br_rng_below(&d->rng, 100) < percent;
    return drawn && (!feature || d->wish->features & feature);
}

static int within(struct draw *d, int low, int high)
{
    return low + (int)br_rng_below(&d->rng, (uint64_t)(high - low) + 1);
}

static int64_t within_ns(struct draw *d, int low, int high)
{
    return within(d, low, high) * RANDOM_FEATURES_UNIT;
}

/* ---- Stages and edges ---- */

static void draw_outputs(struct draw *d, struct drawn_stage *stage)
{
    for (int k = 0; k < MOST_OUTPUTS; k++) {
        struct drawn_output *output = &stage->output[k];
        if (!may(d, BR_FEATURE_OUTPUTS, k ? 20 : 60))
            continue;
        output->made = true;
        output->kind = may(d, BR_FEATURE_SHARED, 30) ? SCRATCH : MEMORY;
        output->amount = within(d, 0, 5);
        output->flags =
            (may(d, 0, 25) ? BR_OUTPUT_FROM_END : 0) | (may(d, 0, 40) ? BR_OUTPUT_UNKEPT : 0);
    }
}

static void draw_stage(struct draw *d, struct drawn_stage *stage)
{
    stage->duration = may(d, 0, 8) ? 0 : within(d, 1, d->wish->longest);
    stage->demand[CPU] = may(d, 0, 70) ? within(d, 1, 2) : 0;
    stage->demand[MEMORY] = may(d, 0, 40) ? within(d, 1, 4) : 0;
    stage->demand[SCRATCH] = may(d, BR_FEATURE_SHARED, 20) ? within(d, 1, 3) : 0;
    stage->demand[LICENCE] = may(d, BR_FEATURE_SHARED, 30) ? within(d, 1, 2) : 0;
    draw_outputs(d, stage);
}

static void draw_alone(struct draw *d, struct drawn_stage *stage)
{
    *stage = (struct drawn_stage){.tasks = 1, .duration = within(d, 1, d->wish->longest)};
    stage->demand[MEMORY] = within(d, 0, 6);
    stage->output[0] = (struct drawn_output){true, MEMORY, within(d, 1, 12), 0};
}

static void draw_feature_stages(struct draw *d)
{
    uint32_t left = d->wish->alone ? d->wish->tasks : (uint32_t)within(d, 1, (int)d->wish->tasks);
    while (left) {
        struct drawn_stage *stage = &d->stage[d->stages++];
        stage->tasks = may(d, 0, 60) ? 1 : (uint32_t)within(d, 1, left > 3 ? 3 : (int)left);
        if (d->wish->alone)
            draw_alone(d, stage);
        else
            draw_stage(d, stage);
        left -= stage->tasks;
    }
}

/* The order of the stages from first to last - 1 is composed of two parts, in series: every end of
 * the first part goes to every begin of the second; or beside each other. */
static void compose(struct draw *d, uint32_t first, uint32_t last)
{
    if (last - first < 2)
        return;
    const uint32_t cut = first + 1 + (uint32_t)br_rng_below(&d->rng, last - first - 1);
    compose(d, first, cut);
    compose(d, cut, last);
    if (may(d, 0, 40))
        return;
    for (uint32_t a = first; a < cut; a++)
        for (uint32_t b = cut; b < last; b++) {
            bool ends = true, begins = true;
            for (uint32_t c = first; c < cut; c++)
                ends &= !d->edge[a][c];
            for (uint32_t c = cut; c < last; c++)
                begins &= !d->edge[c][b];
            if (ends && begins)
                d->edge[a][b] = true;
        }
}

static void draw_edges(struct draw *d)
{
    const uint32_t density = (uint32_t)within(d, 20, 70);
    if (d->wish->shape == RANDOM_SERIES_PARALLEL)
        compose(d, 0, d->stages);
    for (uint32_t a = 0; a < d->stages; a++) {
        if (d->wish->shape == RANDOM_TREE && a + 1 < d->stages)
            d->edge[a][a + 1 + br_rng_below(&d->rng, d->stages - a - 1)] = true;
        if (d->wish->shape == RANDOM_CHAIN && a + 1 < d->stages)
            d->edge[a][a + 1] = true;
        for (uint32_t b = a + 1; d->wish->shape == RANDOM_GENERAL && b < d->stages; b++)
            d->edge[a][b] = may(d, 0, density);
    }
}

/* ---- Calls ---- */

static bool add_edge_features(struct draw *d, struct br_dag *dag, uint32_t a, uint32_t b)
{
    static const char *const some[] = {"", "o0", "o1", "o0 o1"};
    const struct drawn_stage *parent = &d->stage[a];
    const bool stream = may(d, BR_FEATURE_STREAMS, 20), lag = may(d, BR_FEATURE_LAGS, 25);
    const unsigned made = parent->output[0].made + 2u * parent->output[1].made;
    bool ok = true;
    if (made && may(d, 0, 40) && !d->wish->alone)
        ok =
            br_dag_set_edge_reads(dag, a, b, some[made & (unsigned)within(d, 0, 3)], NULL) == BR_OK;
    if (stream)
        ok &= br_dag_set_edge_stream(dag, a, b, NULL) == BR_OK;
    if (lag)
        ok &= br_dag_set_edge_lag(dag, a, b, within_ns(d, 0, 3), NULL) == BR_OK;
    return ok;
}

static bool add_dates(struct draw *d, struct br_dag *dag, uint32_t s)
{
    const struct drawn_stage *stage = &d->stage[s];
    const uint32_t one = may(d, 0, 50) ? UINT32_MAX : (uint32_t)within(d, 0, (int)stage->tasks - 1);
    const int release = may(d, BR_FEATURE_RELEASES, 25) ? within(d, 0, 6) : 0;
    bool ok = true;
    if (release)
        ok = br_dag_set_release(dag, s, one, release * RANDOM_FEATURES_UNIT, NULL) == BR_OK;
    if (may(d, BR_FEATURE_DEADLINES, 15))
        ok &= br_dag_set_deadline(dag, s, one, within_ns(d, release + d->wish->longest, 30),
                                  NULL) == BR_OK;
    return ok;
}

static bool add_stage_of(struct draw *d, struct br_dag *dag, uint32_t s)
{
    const struct drawn_stage *stage = &d->stage[s];
    char id[16], amount[16];
    snprintf(id, sizeof id, "s%u", s);
    bool ok = br_dag_add_stage(dag, id, stage->tasks, stage->duration * RANDOM_FEATURES_UNIT, NULL,
                               NULL) == BR_OK;
    for (int k = 0; k < KINDS; k++) {
        snprintf(amount, sizeof amount, "%d", stage->demand[k]);
        if (stage->demand[k])
            ok &= br_dag_add_demand(dag, s, kind_name[k], amount, NULL) == BR_OK;
    }
    for (int k = 0; k < MOST_OUTPUTS; k++) {
        const struct drawn_output *output = &stage->output[k];
        snprintf(id, sizeof id, "o%d", k);
        snprintf(amount, sizeof amount, "%d", output->amount);
        if (output->made)
            ok &= br_dag_add_output(dag, s, id, kind_name[output->kind], amount, output->flags,
                                    NULL) == BR_OK;
    }
    for (uint32_t i = 0; i < stage->tasks; i++)
        if (!d->wish->alone && may(d, 0, 15))
            ok &= br_dag_set_duration(dag, s, i, within_ns(d, 0, d->wish->longest), NULL) == BR_OK;
    return ok && add_dates(d, dag, s);
}

static bool build_job(struct draw *d, struct br_dag *dag)
{
    bool ok = dag != NULL;
    for (uint32_t s = 0; s < d->stages && ok; s++)
        ok = add_stage_of(d, dag, s);
    for (uint32_t a = 0; a < d->stages; a++)
        for (uint32_t b = a + 1; b < d->stages && ok; b++) {
            if (!d->edge[a][b])
                continue;
            const bool one = d->stage[a].tasks == d->stage[b].tasks && may(d, 0, 50);
            ok = br_dag_add_edge(dag, a, b, one ? BR_ONE_TO_ONE : BR_BARRIER, NULL) == BR_OK &&
                 add_edge_features(d, dag, a, b);
        }
    return ok && br_dag_finish(dag, NULL) == BR_OK;
}

/* What the largest task needs alone. */
static int largest(const struct draw *d, enum kind kind)
{
    int most = 0;
    for (uint32_t s = 0; s < d->stages; s++) {
        int sum = d->stage[s].demand[kind];
        for (int k = 0; k < MOST_OUTPUTS; k++)
            if (d->stage[s].output[k].made && d->stage[s].output[k].kind == kind)
                sum += d->stage[s].output[k].amount;
        most = sum > most ? sum : most;
    }
    return most;
}

static bool add_windows(struct draw *d, struct br_cluster *cluster)
{
    const bool shares = d->wish->features & BR_FEATURE_SHARED;
    bool ok = true;
    char amount[16];
    while (ok && may(d, BR_FEATURE_CALENDAR, 60)) {
        const int from = within(d, 0, 12);
        const int64_t from_ns = from * RANDOM_FEATURES_UNIT,
                      to_ns = within_ns(d, from + 1, from + 6);
        const uint32_t index =
            may(d, 0, 50) ? UINT32_MAX : (uint32_t)within(d, 0, (int)d->machines - 1);
        const enum kind kind = (enum kind)within(d, 0, shares ? KINDS - 1 : MEMORY);
        snprintf(amount, sizeof amount, "%d", within(d, 0, largest(d, kind) + 2));
        if (may(d, 0, 40))
            ok = br_cluster_add_unavailable(cluster, may(d, 0, 20) ? UINT32_MAX : 0, index, from_ns,
                                            to_ns, NULL) == BR_OK;
        else
            ok = br_cluster_add_change(cluster, kind_name[kind], kind < SCRATCH ? 0 : UINT32_MAX,
                                       index, from_ns, to_ns, amount, NULL) == BR_OK;
    }
    return ok;
}

static bool build_machines(struct draw *d, struct br_cluster *cluster)
{
    const bool shares = d->wish->features & BR_FEATURE_SHARED;
    char amount[16];
    d->machines = d->wish->alone ? 1 : (uint32_t)within(d, 1, (int)d->wish->machines);
    bool ok = cluster && br_cluster_add_class(cluster, "m", d->machines, NULL, NULL) == BR_OK;
    for (int k = 0; k < KINDS && ok; k++) {
        snprintf(amount, sizeof amount, "%d", largest(d, (enum kind)k) + within(d, 0, 4));
        if (k < SCRATCH)
            ok = br_cluster_add_capacity(cluster, 0, kind_name[k], amount, NULL) == BR_OK;
        else if (shares)
            ok = br_cluster_add_shared(cluster, kind_name[k], amount, NULL) == BR_OK;
    }
    return ok && add_windows(d, cluster);
}

bool random_features_make(uint64_t seed, const struct random_features *wish, struct random_job *job)
{
    struct draw d = {.rng = br_rng_seed(seed), .wish = wish};
    draw_feature_stages(&d);
    draw_edges(&d);
    job->dag = br_dag_create("random");
    job->cluster = br_cluster_create(NULL);
    if (build_job(&d, job->dag) && build_machines(&d, job->cluster))
        return true;
    random_job_finish(job);
    return false;
}

struct random_features random_features_of(uint64_t seed, uint32_t tasks)
{
    static const unsigned mixes[] = {
        BR_FEATURE_OUTPUTS,
        BR_FEATURE_OUTPUTS | BR_FEATURE_SHARED,
        BR_FEATURE_RELEASES | BR_FEATURE_LAGS | BR_FEATURE_STREAMS,
        BR_FEATURE_CALENDAR | BR_FEATURE_DEADLINES | BR_FEATURE_RELEASES,
        BR_FEATURE_OUTPUTS | BR_FEATURE_LAGS | BR_FEATURE_STREAMS,
        BR_FEATURES_ALL,
        BR_FEATURE_OUTPUTS | BR_FEATURE_CALENDAR,
        BR_FEATURES_ALL,
    };
    return (struct random_features){
        .tasks = tasks,
        .shape = (enum random_shape)(seed % RANDOM_SHAPES),
        .features = mixes[seed / RANDOM_SHAPES % (sizeof mixes / sizeof *mixes)],
        .machines = 1 + (uint32_t)(seed / 32 % 3),
        .longest = seed / 96 % 2 ? 4 : 2,
    };
}
