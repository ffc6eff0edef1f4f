/* Synthetic equivalents of the seven jobs of [Ferguson12, table 2].
 *
 * The paper prints, of each job, its stages, barrier stages and vertices, the median and the 90th
 * percentile of a vertex's time, and the 90th percentile of the fastest and of the slowest stage.
 * Stages are ranked from the fastest to the slowest. Stage i of S is lognormal with the job's sigma
 * and the 90th percentile fastest (slowest / fastest)^(i / (S - 1)); its share of the vertices is a
 * bell over the ranks, but for a part `slow` of them, which the slowest fifth of the stages has in
 * equal shares. Sigma, bell and part were fitted to the two percentiles over all vertices, which
 * come out within 4.1 %.
 *
 * What the paper does not print is made up from the seed: which stages follow which. Stages of
 * about equally many vertices form pipelines of one-to-one edges, and as many stages as the paper
 * says wait for one or two such pipelines behind a barrier. Vertices wait for all or one of a
 * parent's here, nothing between, so stages of very different counts are only joined by barriers.
 * A lognormal tail is longer than that of a real job: no vertex lasts longer than three times the
 * 90th percentile of the slowest stage. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/real.h"
#include "base/text/diag.h"
#include "generate/generate.h"
#include "generate/graph.h"
#include "generate/sample.h"

enum {
    PIPE_MOST = 6,  /* stages of a pipeline */
    DEPTH_MOST = 4, /* barriers on a path */
    TAIL = 3,       /* longest vertex over the 90th percentile of the slowest stage */
};
#define NORMAL_90 1.2815515655446004 /* the normal quantile */
#define PIPE_RATIO 2.0               /* most over least vertices of stages that a pipeline joins */
#define STRAIGHT 0.7                 /* of pipelines: the next stage follows the last one */
#define TWO_PARENTS 0.4              /* barriers that wait for two pipelines */

/* Rows of table 2, seconds as printed, and what was fitted to them. */
struct job {
    const char *kind;
    uint32_t stages, barriers, vertices;
    double fastest_s, slowest_s;
    double sigma, middle, width, slow;
};
static const struct job jobs[] = {
    {"jockey-a", 23, 6, 681, 4.0, 126.3, 1.0, 0.75, 0.05, 0.15},
    {"jockey-b", 14, 0, 1605, 3.3, 116.7, 1.7, 0.25, 0.40, 0.45},
    {"jockey-c", 16, 3, 5751, 1.7, 21.9, 0.4, 0.35, 0.20, 0},
    {"jockey-d", 24, 3, 3897, 1.4, 72.6, 0.5, 0.50, 0.10, 0.15},
    {"jockey-e", 11, 1, 2033, 3.9, 320.6, 1.5, 0, 0.40, 0.45},
    {"jockey-f", 26, 1, 6139, 3.3, 110.4, 0.8, 0.10, 0.40, 0},
    {"jockey-g", 110, 15, 8496, 1.6, 68.3, 0.2, 0.20, 0.20, 0},
};

/* A stage by rank, from the fastest to the slowest. */
struct rank {
    uint32_t rank, tasks;
    double share, rest;
};

/* A pipeline: ranks at first .. first + stages - 1 in the order of their counts. */
struct pipe {
    uint32_t first, stages, tasks;
    uint32_t depth;      /* barriers above it */
    uint32_t head, tail; /* stages of the graph */
    bool used;           /* something waits for it */
    double key;
};

static double jockey_place(uint32_t rank, uint32_t stages)
{
    assert(rank < stages);
    return stages > 1 ? (double)rank / (stages - 1) : 0;
}

static int more_rest(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;
    if (x->rest != y->rest)
        return x->rest > y->rest ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static int more_tasks(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;
    if (x->tasks != y->tasks)
        return x->tasks > y->tasks ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* One task each, and the others by share, the largest remainders rounded up. */
static void jockey_count(const struct job *job, struct rank *by, uint32_t stages, uint32_t tasks)
{
    uint32_t slow = stages / 5 > 0 ? stages / 5 : 1, left = tasks - stages;
    double sum = 0;
    for (uint32_t i = 0; i < stages; i++) {
        double off = (jockey_place(i, stages) - job->middle) / job->width;
        by[i] = (struct rank){.rank = i, .share = br_real_exp(-off * off / 2)};
        sum += by[i].share;
        assert(sum > 0);
    }
    for (uint32_t i = 0; i < stages; i++) {
        double share = (1 - job->slow) * by[i].share / sum;
        share += i + slow >= stages ? job->slow / slow : 0;
        double more = share * tasks - 1;
        more = more > 0 ? more : 0;
        uint32_t whole = br_sample_round(more - 0.5, 0, left);
        by[i].tasks = 1 + whole;
        by[i].rest = more - whole;
        left -= whole;
    }
    qsort(by, stages, sizeof *by, more_rest);
    for (uint32_t i = 0; left > 0; i = (i + 1) % stages, left--)
        by[i].tasks++;
    qsort(by, stages, sizeof *by, more_tasks);
    assert(by[0].tasks >= by[stages - 1].tasks);
}

/* Cuts the ranks, by falling count, into pipelines. The largest stage stays alone and takes what
 * equal counts leave over. Returns their number. */
static uint32_t jockey_cut(struct rank *by, uint32_t stages, struct br_rng *rng, struct pipe *pipe)
{
    uint32_t pipes = 1;
    pipe[0] = (struct pipe){.first = 0, .stages = 1};
    for (uint32_t i = 1; i < stages; pipes++) {
        assert(pipes <= i);
        uint32_t length = 1, most = PIPE_MOST - (uint32_t)br_rng_below(rng, PIPE_MOST / 2),
                 sum = by[i].tasks;
        while (length < most && i + length < stages &&
               by[i].tasks <= PIPE_RATIO * by[i + length].tasks)
            sum += by[i + length++].tasks;
        pipe[pipes] = (struct pipe){.first = i, .stages = length, .tasks = sum / length};
        by[0].tasks += sum % length;
        i += length;
    }
    pipe[0].tasks = by[0].tasks;
    return pipes;
}

static int jockey_by_key(const void *a, const void *b)
{
    const struct pipe *x = a, *y = b;
    if (x->key != y->key)
        return x->key > y->key ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* Large ones tend to come early, as inputs do. */
static void shuffle(struct pipe *pipe, uint32_t pipes, struct br_rng *rng)
{
    for (uint32_t p = 0; p < pipes; p++)
        pipe[p].key = br_sample_lognormal(rng, pipe[p].tasks, 1);
    qsort(pipe, pipes, sizeof *pipe, jockey_by_key);
}

/* A pipeline before `before` that is not too deep; those that nothing waits for come first. */
static uint32_t draw_parent(const struct pipe *pipe, uint32_t before, struct br_rng *rng)
{
    for (int attempt = 0; attempt < 16; attempt++) {
        uint32_t p = (uint32_t)br_rng_below(rng, before);
        if (pipe[p].depth < DEPTH_MOST && (!pipe[p].used || attempt >= 8))
            return p;
    }
    assert(before > 0 && pipe[0].depth == 0);
    return 0; /* the first one has nothing above it */
}

struct growth {
    struct br_graph *graph;
    const struct job *job;
    const struct rank *by;
    struct br_rng rng;
};

static uint32_t jockey_add_stage(struct growth *growth, const struct pipe *pipe, uint32_t k,
                                 uint32_t level)
{
    const struct job *job = growth->job;
    uint32_t s = br_graph_add_stage(growth->graph, level), stages = growth->graph->stage_room;
    struct br_graph_stage *stage = &growth->graph->stage[s];
    double at = jockey_place(growth->by[pipe->first + k].rank, stages);
    double p90_s = job->fastest_s * br_real_pow(job->slowest_s / job->fastest_s, at);
    double mean_s = p90_s * br_real_exp(job->sigma * (job->sigma / 2 - NORMAL_90));
    stage->tasks = pipe->tasks;
    stage->mean_ms = br_sample_round(mean_s * 1000, 1, UINT32_MAX);
    stage->spread_milli = br_sample_round(job->sigma * 1000, 0, 10000);
    stage->longest_ms = br_sample_round(TAIL * job->slowest_s * 1000, 1, UINT32_MAX);
    return s;
}

/* Its stages from the level on, each behind the one before or behind an earlier one. The first
 * *barriers edges are barriers. */
static void grow_pipe(struct growth *growth, struct pipe *pipe, uint32_t level, uint32_t *barriers)
{
    pipe->head = jockey_add_stage(growth, pipe, 0, level);
    for (uint32_t k = 1; k < pipe->stages; k++) {
        uint32_t parent = pipe->head + k - 1;
        if (!br_sample_chance(&growth->rng, STRAIGHT))
            parent = pipe->head + (uint32_t)br_rng_below(&growth->rng, k);
        uint32_t stage = jockey_add_stage(growth, pipe, k, growth->graph->stage[parent].level + 1);
        br_graph_add_edge(growth->graph, parent, stage, *barriers ? BR_BARRIER : BR_ONE_TO_ONE);
        *barriers -= *barriers > 0;
    }
    pipe->tail = pipe->head + pipe->stages - 1;
    assert(pipe->tail == growth->graph->stages - 1);
}

static void jockey_wait_for(struct growth *growth, struct pipe *parent, const struct pipe *pipe)
{
    assert(parent->depth < pipe->depth);
    br_graph_add_edge(growth->graph, parent->tail, pipe->head, BR_BARRIER);
    parent->used = true;
}

static void jockey_grow(struct growth *growth, struct pipe *pipe, uint32_t pipes)
{
    uint32_t barriers = growth->job->barriers, heads = barriers < pipes - 1 ? barriers : pipes - 1;
    uint32_t inside = barriers - heads, sites = pipes - 1;
    for (uint32_t p = 0; p < pipes; p++) {
        /* Each site with the chance that leaves every choice of sites equally likely. */
        bool waits = p > 0 && br_rng_below(&growth->rng, sites--) < heads;
        if (!waits) {
            grow_pipe(growth, &pipe[p], 0, &inside);
            continue;
        }
        heads--;
        uint32_t one = draw_parent(pipe, p, &growth->rng), other = one;
        if (br_sample_chance(&growth->rng, TWO_PARENTS))
            other = draw_parent(pipe, p, &growth->rng);
        uint32_t deeper = pipe[other].depth > pipe[one].depth ? other : one;
        uint32_t level = growth->graph->stage[pipe[one].tail].level;
        if (growth->graph->stage[pipe[other].tail].level > level)
            level = growth->graph->stage[pipe[other].tail].level;
        pipe[p].depth = pipe[deeper].depth + 1;
        grow_pipe(growth, &pipe[p], level + 1, &inside);
        jockey_wait_for(growth, &pipe[one], &pipe[p]);
        if (other != one)
            jockey_wait_for(growth, &pipe[other], &pipe[p]);
    }
    assert(heads == 0);
}

static const struct job *jockey_find_job(const char *kind)
{
    const struct job *job = jobs;
    while (job < jobs + sizeof jobs / sizeof *jobs - 1 && strcmp(job->kind, kind) != 0)
        job++;
    assert(strcmp(job->kind, kind) == 0);
    return job;
}

enum br_status br_build_jockey(const struct br_generate_options *options, struct br_graph *graph,
                               struct br_diag *diag)
{
    const struct job *job = jockey_find_job(options->kind);
    uint32_t stages = options->stages ? options->stages : job->stages;
    uint32_t tasks = options->tasks ? options->tasks : job->vertices;
    if (stages > tasks && options->stages)
        tasks = stages;
    if (stages > tasks)
        stages = tasks;
    enum br_status status = br_graph_init(graph, stages, tasks, diag);
    if (status)
        return status;
    graph->counted = true;
    struct rank *by = calloc(stages, sizeof *by);
    struct pipe *pipe = calloc(stages, sizeof *pipe);
    if (by && pipe) {
        struct growth growth = {graph, job, by, br_sample_stream(options->seed, BR_STREAM_GRAPH)};
        jockey_count(job, by, stages, tasks);
        uint32_t pipes = jockey_cut(by, stages, &growth.rng, pipe);
        shuffle(pipe, pipes, &growth.rng);
        jockey_grow(&growth, pipe, pipes);
    } else {
        status = br_fail_memory(diag);
    }
    free(by);
    free(pipe);
    return status;
}
