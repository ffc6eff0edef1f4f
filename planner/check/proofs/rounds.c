/* The inequality of rounds: of the tasks that have to run within an interval, each as as many
 * copies as it weighs, the q x capacity + 1 longest need some line for q + 1 of them. */
#include "planner/check/proofs/proof.h"

#include <assert.h>
#include <inttypes.h>

#include "base/collections/memory.h"
#include "base/numbers/wide.h"
#include "planner/check/proofs/lines.h"

/* Does stage s have to run within the interval? */
static bool inside(const struct br_proof_check *c, uint32_t s)
{
    return c->stage_head[s] >= c->proof->from && c->makespan - c->stage_tail[s] <= c->proof->to;
}

static enum br_status check_values(struct br_proof_check *c, const struct br_checked_measure *m)
{
    const struct br_proof *proof = c->proof;
    const struct br_instance *in = c->in;
    struct br_valued kind[BR_VALUED_MOST];
    bool *seen = br_arena_array(&c->arena, in->stages, sizeof *seen);
    br_wide worth = 0;
    if (!seen)
        return br_fail_memory(c->diag);
    if (proof->values > BR_VALUED_MOST)
        return br_proof_fails(c, "there are too many values");
    for (uint32_t k = 0; k < proof->values; k++) {
        uint32_t s = br_proof_stage(c, proof->value[k].stage);
        int64_t value = proof->value[k].value, shortest = INT64_MAX;
        if (s == UINT32_MAX || seen[s] || !inside(c, s) || value < 0 || value > BR_PRICE_MAX)
            return br_proof_fails(c, "a value is of no stage that has to run in the interval");
        seen[s] = true;
        for (uint32_t t = in->stage_first[s]; t < in->stage_first[s + 1]; t++)
            shortest = in->duration[t] < shortest ? in->duration[t] : shortest;
        br_wide copies = (br_wide)(in->stage_first[s + 1] - in->stage_first[s]) * m->weight[s];
        if (shortest <= 0 || copies > INT64_MAX / 4)
            return br_proof_fails(c, "'%s' has a task without duration, or too many",
                                  br_proof_stage_name(c, s));
        kind[k] =
            (struct br_valued){shortest, value, (int64_t)copies, c->stage_head[s] - proof->from,
                               proof->to - (c->makespan - c->stage_tail[s])};
        worth += copies * value;
    }
    if (worth == 0)
        return br_proof_fails(c, "the tasks are worth nothing");
    assert(m->capacity > 0);
    /* The lines hold less than all tasks are worth if none holds more than this. */
    br_wide each = (worth - 1) / m->capacity;
    switch (br_line_worth_more(kind, proof->values, proof->to - proof->from, each)) {
    case BR_LINE_NO:
        return BR_OK;
    case BR_LINE_YES:
        return br_proof_fails(c, "the lines hold what the tasks are worth");
    default:
        return br_proof_fails(c, "the best line is too hard to find");
    }
}

enum br_status br_proof_rounds(struct br_proof_check *c)
{
    const struct br_proof *proof = c->proof;
    const struct br_instance *in = c->in;
    if (proof->energy >= proof->measures || proof->from < 0 || proof->to <= proof->from ||
        proof->to > c->makespan)
        return br_proof_fails(c, "the interval is not within the makespan");
    const struct br_checked_measure *m = &c->measure[proof->energy];
    if (proof->values)
        return check_values(c, m);
    struct br_line_copies *group = br_malloc(((size_t)in->tasks + 1) * sizeof *group);
    uint32_t groups = 0;
    br_wide copies = 0;
    if (!group)
        return br_fail_memory(c->diag);
    for (uint32_t s = 0; s < in->stages; s++) {
        if (m->weight[s] == 0 || !inside(c, s))
            continue;
        uint32_t first = in->stage_first[s], end = in->stage_first[s + 1];
        copies += (br_wide)(end - first) * m->weight[s];
        if (copies > INT64_MAX / 4)
            break;
        if (in->stage_equal[s])
            group[groups++] =
                (struct br_line_copies){in->duration[first], (int64_t)(end - first) * m->weight[s]};
        for (uint32_t t = first; t < end && !in->stage_equal[s]; t++)
            group[groups++] = (struct br_line_copies){in->duration[t], m->weight[s]};
    }
    bool full = groups > 0 && m->capacity > 0 && copies <= INT64_MAX / 4 &&
                br_lines_time(group, groups, m->capacity) > proof->to - proof->from;
    br_free(group);
    if (full)
        return BR_OK;
    return br_proof_fails(c, "the rounds between %" PRId64 " and %" PRId64 " fit there",
                          proof->from, proof->to);
}
