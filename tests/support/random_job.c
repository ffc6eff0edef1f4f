/* Draws a description first, then builds it by the public calls in the order asked for. */
#include "tests/support/random_job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/rng.h"

enum { RESOURCES = 3, CLASSES = 2 };

struct stage {
    uint32_t tasks;
    int64_t duration;
    int64_t override[RANDOM_JOB_TASKS]; /* -1: none */
    int demand[RESOURCES];              /* -1: none */
};

struct description {
    uint32_t stages, resources, classes;
    int64_t time_unit_ns;
    const char *amount_format; /* of an integer amount */
    struct stage stage[RANDOM_JOB_TASKS];
    int edge[RANDOM_JOB_TASKS][RANDOM_JOB_TASKS]; /* 0: none, else 1 + type */
    uint32_t count[CLASSES];
    int capacity[CLASSES][RESOURCES]; /* -1: the class lacks it */
};

static bool chance(struct br_rng *rng, uint32_t percent)
{
    return br_rng_below(rng, 100) < percent;
}

static int between(struct br_rng *rng, int low, int high)
{
    return low + (int)br_rng_below(rng, (uint64_t)(high - low) + 1);
}

static void draw_cluster(struct br_rng *rng, struct description *d)
{
    d->resources = (uint32_t)between(rng, 1, RESOURCES);
    d->classes = 1;
    d->count[0] = 1;
    if (chance(rng, 60)) {
        d->classes = (uint32_t)between(rng, 1, CLASSES);
        d->count[0] = (uint32_t)between(rng, 1, d->classes == 1 ? 3 : 2);
        d->count[1] = (uint32_t)between(rng, 1, 3 - (int)d->count[0]);
    }
    for (uint32_t c = 0; c < d->classes; c++)
        for (uint32_t r = 0; r < d->resources; r++)
            d->capacity[c][r] = c > 0 && chance(rng, 10) ? -1 : between(rng, 1, 8);
}

static void draw_stage(struct br_rng *rng, struct description *d, struct stage *stage, int longest)
{
    uint32_t home = (uint32_t)br_rng_below(rng, d->classes); /* one class at least holds it */
    bool small = chance(rng, 50);
    stage->duration = chance(rng, 10) ? 0 : between(rng, 1, longest);
    for (uint32_t i = 0; i < stage->tasks; i++)
        stage->override[i] = chance(rng, 20) ? between(rng, 0, longest) : -1;
    for (uint32_t r = 0; r < d->resources; r++) {
        int most = d->capacity[home][r] < 0 ? 0 : d->capacity[home][r];
        stage->demand[r] = chance(rng, 15) ? -1 : between(rng, 0, small ? (most + 1) / 2 : most);
    }
}

/* What is drawn of a job before its stages. */
struct size {
    uint32_t tasks, density;
    int longest;
};

static struct size draw_size(struct br_rng *rng, uint32_t tasks)
{
    static const uint32_t densities[] = {0, 15, 35, 70, 100};
    struct size size = {.tasks = (uint32_t)between(rng, 1, (int)tasks)};
    size.density = densities[between(rng, 0, 4)];
    size.longest = chance(rng, 30) ? 2 : between(rng, 3, 9);
    return size;
}

static void draw_units_and_cluster(struct br_rng *rng, struct description *d)
{
    static const char *const formats[] = {"%d", "0.%d", "%de3", "%d.00"};
    static const int64_t units[] = {1000000000, 250000000, 1, 123456789};
    memset(d, 0, sizeof *d);
    d->amount_format = formats[between(rng, 0, 3)];
    d->time_unit_ns = units[between(rng, 0, 3)];
    draw_cluster(rng, d);
}

static void draw_stages(struct br_rng *rng, struct size size, struct description *d)
{
    uint32_t left = size.tasks, density = size.density;
    d->stages = 0;
    memset(d->edge, 0, sizeof d->edge);
    while (left > 0) {
        struct stage *stage = &d->stage[d->stages];
        stage->tasks = chance(rng, 50) ? 1 : (uint32_t)between(rng, 1, left > 4 ? 4 : (int)left);
        if (d->stages > 0 && chance(rng, 50) && stage[-1].tasks <= left)
            stage->tasks = stage[-1].tasks;
        left -= stage->tasks;
        draw_stage(rng, d, stage, size.longest);
        for (uint32_t p = 0; p < d->stages; p++)
            if (chance(rng, density))
                d->edge[p][d->stages] =
                    1 + (d->stage[p].tasks == stage->tasks && chance(rng, 50) ? BR_ONE_TO_ONE
                                                                              : BR_BARRIER);
        d->stages++;
    }
}

static bool build_dag(const struct description *d, const uint32_t *order, struct br_dag *dag)
{
    static const char *const resource[RESOURCES] = {"cpu", "mem", "net"};
    uint32_t number[RANDOM_JOB_TASKS] = {0};
    char text[32];
    bool ok = dag != NULL;
    for (uint32_t k = 0; k < d->stages && ok; k++) {
        const struct stage *stage = &d->stage[order[k]];
        snprintf(text, sizeof text, "s%u", order[k]);
        ok = br_dag_add_stage(dag, text, stage->tasks, stage->duration * d->time_unit_ns,
                              &number[order[k]], NULL) == BR_OK;
        for (uint32_t i = 0; i < stage->tasks && ok; i++)
            if (stage->override[i] >= 0)
                ok = br_dag_set_duration(dag, number[order[k]], i,
                                         stage->override[i] * d->time_unit_ns, NULL) == BR_OK;
        for (uint32_t r = 0; r < d->resources && ok; r++)
            if (stage->demand[r] >= 0) {
                snprintf(text, sizeof text, d->amount_format, stage->demand[r]);
                ok = br_dag_add_demand(dag, number[order[k]], resource[r], text, NULL) == BR_OK;
            }
    }
    for (uint32_t p = 0; p < d->stages; p++)
        for (uint32_t c = 0; c < d->stages && ok; c++)
            if (d->edge[p][c])
                ok = br_dag_add_edge(dag, number[p], number[c],
                                     (enum br_edge_type)(d->edge[p][c] - 1), NULL) == BR_OK;
    return ok && br_dag_finish(dag, NULL) == BR_OK;
}

static bool build_cluster(const struct description *d, struct br_cluster *cluster)
{
    static const char *const resource[RESOURCES] = {"cpu", "mem", "net"};
    static const char *const class[CLASSES] = {"small", "large"};
    char text[32];
    bool ok = cluster != NULL;
    for (uint32_t c = 0; c < d->classes && ok; c++) {
        ok = br_cluster_add_class(cluster, class[c], d -> count[c], NULL, NULL) == BR_OK;
        for (uint32_t r = 0; r < d->resources && ok; r++)
            if (d->capacity[c][r] >= 0) {
                snprintf(text, sizeof text, d->amount_format, d->capacity[c][r]);
                ok = br_cluster_add_capacity(cluster, c, resource[r], text, NULL) == BR_OK;
            }
    }
    /* What may be is fungible; nothing is overbooked unless a test does it. */
    for (uint32_t r = 0; r < d->resources && ok; r++)
        ok = strcmp(resource[r], "mem") == 0 || d->capacity[0][r] < 0 ||
             br_cluster_set_fungible(cluster, resource[r], NULL) == BR_OK;
    return ok;
}

bool random_job_make(uint64_t seed, uint32_t tasks, uint64_t shuffle, struct random_job *job)
{
    struct br_rng rng = br_rng_seed(seed), shuffler = br_rng_seed(shuffle);
    struct description d;
    uint32_t order[RANDOM_JOB_TASKS];
    struct size size = draw_size(&rng, tasks);
    draw_units_and_cluster(&rng, &d);
    draw_stages(&rng, size, &d);
    for (uint32_t k = 0; k < d.stages; k++) {
        uint32_t at = shuffle ? (uint32_t)br_rng_below(&shuffler, k + 1) : k;
        order[k] = order[at];
        order[at] = k;
    }
    job->dag = br_dag_create("random");
    job->cluster = br_cluster_create(NULL);
    if (build_dag(&d, order, job->dag) && build_cluster(&d, job->cluster))
        return true;
    random_job_finish(job);
    return false;
}

bool random_jobs_make(uint64_t seed, uint32_t tasks, uint32_t count, struct br_dag **dag,
                      struct br_cluster **cluster)
{
    struct br_rng rng = br_rng_seed(seed);
    struct description d;
    uint32_t order[RANDOM_JOB_TASKS];
    for (uint32_t k = 0; k < RANDOM_JOB_TASKS; k++)
        order[k] = k;
    draw_units_and_cluster(&rng, &d);
    for (uint32_t c = 0; c < d.classes; c++)
        d.count[c] *= (uint32_t)between(&rng, 1, 3);
    *cluster = br_cluster_create(NULL);
    bool ok = build_cluster(&d, *cluster);
    for (uint32_t j = 0; j < count; j++) {
        draw_stages(&rng, draw_size(&rng, tasks), &d);
        dag[j] = br_dag_create("random");
        ok &= build_dag(&d, order, dag[j]);
    }
    for (uint32_t j = 0; j < count && !ok; j++)
        br_dag_destroy(dag[j]);
    if (!ok)
        br_cluster_destroy(*cluster);
    return ok;
}

void random_job_finish(struct random_job *job)
{
    br_dag_destroy(job->dag);
    br_cluster_destroy(job->cluster);
    *job = (struct random_job){0};
}

unsigned random_jobs(unsigned count)
{
    const char *share = getenv("BIGROCKS_TEST_SHARE");
    unsigned long percent = share ? strtoul(share, NULL, 10) : 100;
    if (percent == 0 || percent == 100)
        return count;
    if (percent > 100)
        return (unsigned)(count * (percent < 100000 ? percent : 100000) / 100);
    unsigned less = (unsigned)(count * percent / 100);
    return less >= 20 ? less : count < 20 ? count : 20;
}
