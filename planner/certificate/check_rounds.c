/* The inequality of rounds: of the tasks that have to run within an interval, each as as many
 * copies as it weighs, the q x capacity + 1 longest need some line for q + 1 of them. */
#include "planner/certificate/check.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/wide.h"
#include "planner/bounds/rounds.h"

static int by_duration(const void *a, const void *b)
{
    const struct br_copies *x = a, *y = b;
    return x->duration > y->duration ? -1 : x->duration < y->duration;
}

enum br_status br_proof_rounds(struct br_proof_check *c)
{
    const struct br_proof *proof = c->proof;
    const struct br_instance *in = c->in;
    if (proof->energy >= proof->measures || proof->from < 0 || proof->to <= proof->from ||
        proof->to > c->makespan)
        return br_proof_fails(c, "the interval is not within the makespan");
    const struct br_checked_measure *m = &c->measure[proof->energy];
    struct br_copies *group = malloc(((size_t)in->tasks + 1) * sizeof *group);
    uint32_t groups = 0;
    br_wide copies = 0;
    if (!group)
        return br_fail_memory(c->diag);
    for (uint32_t s = 0; s < in->stages; s++) {
        if (m->weight[s] == 0 || c->stage_head[s] < proof->from ||
            c->makespan - c->stage_tail[s] > proof->to)
            continue;
        uint32_t first = in->stage_first[s], end = in->stage_first[s + 1];
        copies += (br_wide)(end - first) * m->weight[s];
        if (copies > INT64_MAX / 4)
            break;
        if (in->stage_equal[s])
            group[groups++] =
                (struct br_copies){in->duration[first], (int64_t)(end - first) * m->weight[s]};
        for (uint32_t t = first; t < end && !in->stage_equal[s]; t++)
            group[groups++] = (struct br_copies){in->duration[t], m->weight[s]};
    }
    qsort(group, groups, sizeof *group, by_duration);
    bool full = groups > 0 && m->capacity > 0 && copies <= INT64_MAX / 4 &&
                br_rounds(group, groups, m->capacity, UINT32_MAX) > proof->to - proof->from;
    free(group);
    if (full)
        return BR_OK;
    return br_proof_fails(c, "the rounds between %" PRId64 " and %" PRId64 " fit there",
                          proof->from, proof->to);
}
