/* Energy with releases: what must be done after a and b before the end takes its work by capacity.
 * [Klein99] */
#include "cluster/simulate/bounds/latest.h"

#include <assert.h>
#include <stdlib.h>

enum { TAILS_TRIED = 64 };

/* Work of a stage on the resource at hand. */
struct portion {
    double head_s, tail_s, share_s; /* the head after the first arrival */
};

static int latest_by_head_downwards(const void *a, const void *b)
{
    const struct portion *x = a, *y = b;
    return x->head_s > y->head_s ? -1 : x->head_s < y->head_s;
}

static int latest_upwards(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static uint32_t list_portions(const struct br_load *load, uint32_t resource,
                              struct portion *portion)
{
    uint32_t count = 0;
    for (uint32_t j = 0; j < load->jobs; j++) {
        const struct br_load_job *job = &load->job[j];
        for (uint32_t k = 0; job->alone && k < job->alone->resources; k++) {
            if (job->column[k] != resource)
                continue;
            for (uint32_t s = 0; s < job->alone->stages; s++) {
                const struct br_alone_stage *stage = &job->alone->stage[s];
                double share_s = job->alone->share_s[(size_t)s * job->alone->resources + k];
                if (share_s > 0)
                    portion[count++] =
                        (struct portion){job->release_s + stage->head_s, stage->tail_s, share_s};
            }
        }
    }
    return count;
}

/* The largest a + b + work between for one b; portions by head downwards. */
static double latest_with_tail(const struct portion *portion, uint32_t count, double tail_s)
{
    double work_s = 0, latest_s = 0;
    for (uint32_t k = 0; k < count; k++) {
        assert(k == 0 || portion[k - 1].head_s >= portion[k].head_s);
        if (portion[k].tail_s < tail_s)
            continue;
        work_s += portion[k].share_s;
        double end_s = portion[k].head_s + work_s + tail_s;
        latest_s = end_s > latest_s ? end_s : latest_s;
    }
    return latest_s;
}

/* The latest over some tails of the portions, the least and the largest among them. */
static double latest_on_resource(struct portion *portion, uint32_t count, double *tail)
{
    double latest_s = 0;
    uint32_t tried = count < TAILS_TRIED ? count : TAILS_TRIED;
    for (uint32_t k = 0; k < count; k++)
        tail[k] = portion[k].tail_s;
    qsort(tail, count, sizeof *tail, latest_upwards);
    qsort(portion, count, sizeof *portion, latest_by_head_downwards);
    for (uint32_t k = 0; k < tried; k++) {
        uint32_t at = tried > 1 ? (uint32_t)((uint64_t)(count - 1) * k / (tried - 1)) : 0;
        assert(at < count);
        double end_s = latest_with_tail(portion, count, tail[at]);
        latest_s = end_s > latest_s ? end_s : latest_s;
    }
    return latest_s;
}

bool br_latest_bound(const struct br_load *load, struct br_latest *latest)
{
    size_t stages = 1;
    *latest = (struct br_latest){0, "none"};
    for (uint32_t j = 0; j < load->jobs; j++) {
        const struct br_load_job *job = &load->job[j];
        stages += job->alone ? job->alone->stages : 0;
        double end_s = job->release_s + (job->alone ? (double)job->alone->bound_ns / 1e9 : 0);
        if (end_s > latest->makespan_s)
            *latest = (struct br_latest){end_s, "the last job alone"};
    }
    struct portion *portion = malloc(stages * sizeof *portion);
    double *tail = malloc(stages * sizeof *tail);
    bool ok = portion && tail;
    for (uint32_t r = 0; ok && r < load->resources; r++) {
        uint32_t count = list_portions(load, r, portion);
        double end_s = latest_on_resource(portion, count, tail) * BR_LOAD_ROUNDED;
        if (end_s > latest->makespan_s)
            *latest = (struct br_latest){end_s, "work between arrivals and tails"};
    }
    free(portion);
    free(tail);
    return ok;
}
