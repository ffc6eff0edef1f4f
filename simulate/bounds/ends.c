/* Sort the ends of all jobs. In every schedule the k-th is at least the k-th smallest arrival plus
 * own bound, and at least the k-th end under shortest remaining work first on each resource, as if
 * the resource were one machine. So it is at least the largest of these, for every k. */
#include "simulate/bounds/ends.h"

#include <stdlib.h>
#include <string.h>

#include "simulate/bounds/fluid.h"

struct scratch {
    double *end_s, *least_s; /* by k */
    struct br_fluid *piece;
    struct br_fluid_piece *heap;
};

static int upwards(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double work_on(const struct br_load_job *job, uint32_t resource)
{
    double work_s = 0;
    const struct br_alone *alone = job->alone;
    for (uint32_t k = 0; alone && k < alone->resources; k++)
        for (uint32_t s = 0; job->column[k] == resource && s < alone->stages; s++)
            work_s += alone->share_s[(size_t)s * alone->resources + k];
    return work_s;
}

static void raise(double *least_s, const double *end_s, uint32_t jobs)
{
    for (uint32_t k = 0; k < jobs; k++)
        least_s[k] = end_s[k] > least_s[k] ? end_s[k] : least_s[k];
}

static void bound(const struct br_load *load, struct scratch *x, double *sum_s)
{
    double released_s = 0;
    for (uint32_t j = 0; j < load->jobs; j++) {
        const struct br_load_job *job = &load->job[j];
        released_s += job->release_s;
        x->least_s[j] = job->release_s + (job->alone ? (double)job->alone->bound_ns / 1e9 : 0);
    }
    qsort(x->least_s, load->jobs, sizeof *x->least_s, upwards);
    for (uint32_t r = 0; r < load->resources; r++) {
        for (uint32_t j = 0; j < load->jobs; j++)
            x->piece[j] = (struct br_fluid){load->job[j].release_s, work_on(&load->job[j], r), j};
        br_fluid_shortest(x->piece, load->jobs, x->heap, x->end_s);
        raise(x->least_s, x->end_s, load->jobs);
    }
    *sum_s = -released_s;
    for (uint32_t k = 0; k < load->jobs; k++)
        *sum_s += x->least_s[k];
}

bool br_ends_bound(const struct br_load *load, double *sum_s)
{
    uint32_t jobs = load->jobs;
    struct scratch x = {.end_s = malloc(jobs * sizeof *x.end_s),
                        .least_s = malloc(jobs * sizeof *x.least_s),
                        .piece = malloc(jobs * sizeof *x.piece),
                        .heap = malloc(jobs * sizeof *x.heap)};
    bool ok = x.end_s && x.least_s && x.piece && x.heap;
    if (ok)
        bound(load, &x, sum_s);
    free(x.end_s);
    free(x.least_s);
    free(x.piece);
    free(x.heap);
    return ok;
}
