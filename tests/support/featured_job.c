#include "tests/support/featured_job.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/numbers/rng.h"

static const char *const resource_name[FEATURED_RESOURCES] = {"cpu", "mem", "scratch", "licence"};

static uint32_t below(struct br_rng *rng, uint32_t most)
{
    return (uint32_t)br_rng_below(rng, most);
}

static void make_stage(struct br_rng *rng, struct featured_job *job, uint32_t s, bool timed)
{
    job->count[s] = 1 + (below(rng, 2) ? below(rng, FEATURED_TASKS) : 0);
    job->first[s] = job->tasks;
    job->tasks += job->count[s];
    job->duration_ns[s] = (int64_t)below(rng, 10) * 1000;
    job->release_ns[s] = timed && !below(rng, 4) ? below(rng, 20) * 1000 : 0;
    job->demand[s][0] = 1 + below(rng, 2);
    job->demand[s][1] = below(rng, 2) ? below(rng, 20) : 0;
    job->demand[s][2] = below(rng, 4) ? 0 : below(rng, 20);
    job->demand[s][3] = below(rng, 5) ? 0 : 1;
    /* The planner takes it that a task without duration holds nothing, and the enforcer cannot. */
    for (int r = 0; r < FEATURED_RESOURCES && !job->duration_ns[s]; r++)
        job->demand[s][r] = 0;
    job->outputs[s] = below(rng, FEATURED_OUTPUTS + 1);
    for (uint32_t o = 0; o < job->outputs[s]; o++)
        job->output[s][o] =
            (struct featured_output){.resource = 1 + (int)below(rng, 2),
                                     .amount = 1 + below(rng, 40),
                                     .from_end = !below(rng, 3),
                                     .unkept = job->duration_ns[s] && below(rng, 4)};
}

static void add_edge(struct br_rng *rng, struct featured_job *job, uint32_t parent, uint32_t child,
                     bool timed)
{
    struct featured_edge *edge = &job->edge[job->edges++];
    *edge = (struct featured_edge){.parent = parent, .child = child};
    edge->one_to_one =
        job->count[parent] == job->count[child] && job->count[parent] > 1 && below(rng, 3);
    edge->stream = timed && !below(rng, 6);
    edge->lag_ns = timed && !below(rng, 5) ? below(rng, 10) * 1000 : 0;
    for (uint32_t o = 0; o < job->outputs[parent]; o++)
        edge->reads[o] = below(rng, 4) > 0;
}

void featured_job_make(uint64_t seed, struct featured_job *job)
{
    struct br_rng rng;
    rng = br_rng_seed(seed);
    memset(job, 0, sizeof *job);
    const bool timed = below(&rng, 3) == 0;
    job->stages = 2 + below(&rng, FEATURED_STAGES - 1);
    for (uint32_t s = 0; s < job->stages; s++) {
        make_stage(&rng, job, s, timed);
        for (uint32_t p = 0; p < s; p++)
            if (below(&rng, s + 1) < 2)
                add_edge(&rng, job, p, s, timed);
    }
}

void featured_cluster_make(const struct featured_job *job, uint32_t jobs, uint32_t machines,
                           struct featured_cluster *cluster)
{
    memset(cluster, 0, sizeof *cluster);
    cluster->machines = machines;
    cluster->capacity[0] = 4;
    cluster->capacity[3] = 1;
    for (uint32_t j = 0; j < jobs; j++)
        for (uint32_t s = 0; s < job[j].stages; s++)
            for (int r = 1; r <= 2; r++) {
                int64_t need = job[j].demand[s][r];
                for (uint32_t o = 0; o < job[j].outputs[s]; o++)
                    need += job[j].output[s][o].resource == r ? job[j].output[s][o].amount : 0;
                if (need > cluster->capacity[r])
                    cluster->capacity[r] = need;
            }
}

void featured_cluster_change(uint64_t seed, struct featured_cluster *cluster)
{
    struct br_rng rng;
    rng = br_rng_seed(seed);
    int64_t last = 0;
    cluster->windows = 1 + (uint32_t)br_rng_below(&rng, FEATURED_WINDOWS);
    for (uint32_t k = 0; k < cluster->windows; k++) {
        struct featured_window *window = &cluster->window[k];
        const int64_t from = last + (int64_t)br_rng_below(&rng, 4000);
        *window = (struct featured_window){
            .machine = (uint32_t)br_rng_below(&rng, cluster->machines),
            .resource = br_rng_below(&rng, 2) ? -1 : 0,
            .from_ns = from,
            .to_ns = from + 1 + (int64_t)br_rng_below(&rng, 4000),
            .amount = (int64_t)br_rng_below(&rng, (uint64_t)cluster->capacity[0])};
        last = window->resource < 0 ? last : window->to_ns;
    }
}

int64_t featured_cluster_has(const struct featured_cluster *cluster, uint32_t machine, int resource,
                             int64_t at_ns)
{
    for (uint32_t k = 0; k < cluster->windows; k++) {
        const struct featured_window *window = &cluster->window[k];
        if (window->resource == resource && window->machine == machine &&
            window->from_ns <= at_ns && at_ns < window->to_ns)
            return window->amount;
    }
    return cluster->capacity[resource];
}

static enum br_status put_edge(struct br_dag *dag, const struct featured_job *job,
                               const struct featured_edge *edge)
{
    char reads[40] = "";
    for (uint32_t o = 0; o < job->outputs[edge->parent]; o++)
        if (edge->reads[o])
            snprintf(reads + strlen(reads), sizeof reads - strlen(reads), " o%" PRIu32, o);
    enum br_status status = br_dag_add_edge(dag, edge->parent, edge->child,
                                            edge->one_to_one ? BR_ONE_TO_ONE : BR_BARRIER, NULL);
    if (!status)
        status = br_dag_set_edge_reads(dag, edge->parent, edge->child, reads + (*reads != 0), NULL);
    if (!status && edge->lag_ns)
        status = br_dag_set_edge_lag(dag, edge->parent, edge->child, edge->lag_ns, NULL);
    if (!status && edge->stream)
        status = br_dag_set_edge_stream(dag, edge->parent, edge->child, NULL);
    return status;
}

static enum br_status put_stage(struct br_dag *dag, const struct featured_job *job, uint32_t s)
{
    char text[40];
    snprintf(text, sizeof text, "s%" PRIu32, s);
    enum br_status status =
        br_dag_add_stage(dag, text, job->count[s], job->duration_ns[s], NULL, NULL);
    for (int r = 0; r < FEATURED_RESOURCES && !status; r++) {
        snprintf(text, sizeof text, "%" PRId64, job->demand[s][r]);
        if (job->demand[s][r])
            status = br_dag_add_demand(dag, s, resource_name[r], text, NULL);
    }
    for (uint32_t o = 0; o < job->outputs[s] && !status; o++) {
        const struct featured_output *output = &job->output[s][o];
        char id[20];
        snprintf(id, sizeof id, "o%" PRIu32, o);
        snprintf(text, sizeof text, "%" PRId64, output->amount);
        status = br_dag_add_output(dag, s, id, resource_name[output->resource], text,
                                   (output->from_end ? BR_OUTPUT_FROM_END : 0) |
                                       (output->unkept ? BR_OUTPUT_UNKEPT : 0),
                                   NULL);
    }
    if (!status && job->release_ns[s])
        status = br_dag_set_release(dag, s, UINT32_MAX, job->release_ns[s], NULL);
    return status;
}

struct br_dag *featured_job_dag(const struct featured_job *job)
{
    struct br_dag *dag = br_dag_create("featured");
    enum br_status status = dag ? BR_OK : BR_SYSTEM;
    for (uint32_t s = 0; s < job->stages && !status; s++)
        status = put_stage(dag, job, s);
    for (uint32_t e = 0; e < job->edges && !status; e++)
        status = put_edge(dag, job, &job->edge[e]);
    if (!status)
        status = br_dag_finish(dag, NULL);
    if (!status)
        return dag;
    br_dag_destroy(dag);
    return NULL;
}

struct br_cluster *featured_cluster_real(const struct featured_cluster *of)
{
    struct br_cluster *cluster = br_cluster_create("featured");
    enum br_status status = cluster ? BR_OK : BR_SYSTEM;
    if (!status)
        status = br_cluster_add_class(cluster, "m", of->machines, NULL, NULL);
    for (int r = 0; r < FEATURED_RESOURCES && !status; r++) {
        char text[40];
        snprintf(text, sizeof text, "%" PRId64, of->capacity[r]);
        status = r < FEATURED_OF_MACHINES
                     ? br_cluster_add_capacity(cluster, 0, resource_name[r], text, NULL)
                     : br_cluster_add_shared(cluster, resource_name[r], text, NULL);
    }
    for (uint32_t k = 0; k < of->windows && !status; k++) {
        const struct featured_window *window = &of->window[k];
        char text[40];
        snprintf(text, sizeof text, "%" PRId64, window->amount);
        status = window->resource < 0
                     ? br_cluster_add_unavailable(cluster, 0, window->machine, window->from_ns,
                                                  window->to_ns, NULL)
                     : br_cluster_add_change(cluster, resource_name[window->resource], 0,
                                             window->machine, window->from_ns, window->to_ns, text,
                                             NULL);
    }
    if (!status)
        return cluster;
    br_cluster_destroy(cluster);
    return NULL;
}
