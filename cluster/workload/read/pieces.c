#include "cluster/workload/read/pieces.h"

#include <stdlib.h>

#include "base/collections/grow.h"

static uint64_t pieces_hash_job(const void *context, uint32_t number)
{
    return br_hash_number((uint64_t)((const struct br_pieces *)context)->job[number].number);
}

static bool pieces_equal_job(const void *context, uint32_t number, const void *key)
{
    return ((const struct br_pieces *)context)->job[number].number == *(const int64_t *)key;
}

static const struct br_index_keys keys = {pieces_hash_job, pieces_equal_job};

void br_pieces_finish(struct br_pieces *pieces)
{
    br_index_finish(&pieces->index);
    free(pieces->job);
    *pieces = (struct br_pieces){0};
}

struct br_pieces_job *br_pieces_find(struct br_pieces *pieces, int64_t number)
{
    uint32_t found =
        br_index_find(&pieces->index, &keys, pieces, &number, br_hash_number((uint64_t)number));
    if (found != UINT32_MAX)
        return &pieces->job[found];
    if (!br_grow(&pieces->job, pieces->jobs, &pieces->room, sizeof *pieces->job))
        return NULL;
    pieces->job[pieces->jobs] =
        (struct br_pieces_job){.number = number, .submit_ns = -1, .end_ns = -1};
    if (!br_index_add(&pieces->index, &keys, pieces, pieces->jobs))
        return NULL;
    return &pieces->job[pieces->jobs++];
}

void br_pieces_add(struct br_pieces_job *job, int64_t submit_ns, int64_t wait_ns, int64_t ran_ns,
                   int64_t processors)
{
    job->parts++;
    if (submit_ns >= 0 && (job->submit_ns < 0 || job->submit_ns > submit_ns))
        job->submit_ns = submit_ns;
    if (submit_ns >= 0 && wait_ns >= 0 && ran_ns >= 0 && job->end_ns < submit_ns + wait_ns + ran_ns)
        job->end_ns = submit_ns + wait_ns + ran_ns;
    job->timed |= ran_ns >= 0;
    if (ran_ns > 0 && processors > 0)
        job->work_ns += (br_uwide)ran_ns * (br_uwide)processors;
    if (job->processors < processors)
        job->processors = processors;
}

int64_t br_pieces_ran_ns(const struct br_pieces_job *job)
{
    br_uwide processors = job->processors > 0 ? (br_uwide)job->processors : 1;
    br_uwide ns = (job->work_ns + processors - 1) / processors;
    return ns < INT64_MAX ? (int64_t)ns : INT64_MAX;
}
