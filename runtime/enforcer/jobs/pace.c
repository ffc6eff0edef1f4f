/* [Grandl16, 6] refines estimates by the executions of earlier tasks of a stage. The estimate is
 * ours, as in cluster/simulate/joint/pace.c: the pace of a stage is what its ended tasks took over
 * what was declared of them, beside one task more at the pace of the job, for those that end first
 * are often the shorter ones. The pace of the job is the geometric mean over the stages of which a
 * task has ended, with 1 as one more. */
#include "runtime/enforcer/jobs/pace.h"

#include <assert.h>

#include "base/numbers/real.h"

static const double fastest = 1.0 / 64, slowest = 64; /* beyond that a declaration means nothing */
static const double work_most = 0x1p100;              /* of a stage, so that no sum overflows */

struct br_paces *br_paces_create(struct br_arena *arena, uint32_t stages)
{
    struct br_paces *paces;
    if (!BR_ARRAY(arena, 1, paces) || !BR_ARRAY(arena, stages, paces->stage))
        return NULL;
    paces->pace = 1;
    for (uint32_t s = 0; s < stages; s++)
        paces->stage[s].pace = 1;
    return paces;
}

static double pace_within(double pace)
{
    return pace < fastest ? fastest : pace > slowest ? slowest : pace;
}

/* Sets the work to what is left at this pace; returns the change. */
static br_wide pace_apply(br_wide *work, br_wide left, double pace)
{
    double units = (double)left * pace;
    br_wide before = *work;
    assert(left >= 0);
    /* As declared exactly, if there is nothing else to tell. */
    *work = pace == 1 ? left : (br_wide)(units < work_most ? units : work_most);
    return *work - before;
}

br_wide br_paces_add(struct br_paces *paces, uint32_t s, br_wide units)
{
    struct br_stage_pace *stage = &paces->stage[s];
    stage->left += units;
    if (stage->measured)
        return pace_apply(&stage->work, stage->left, stage->pace);
    paces->left += units;
    return pace_apply(&paces->work, paces->left, paces->pace);
}

br_wide br_paces_measure(struct br_paces *paces, uint32_t s, int64_t declared_ns, int64_t lasted_ns)
{
    struct br_stage_pace *stage = &paces->stage[s];
    if (declared_ns <= 0 || lasted_ns <= 0)
        return 0;
    if (!stage->measured++) {
        paces->measured++;
        paces->left -= stage->left;
    }
    stage->declared_ns += (double)declared_ns;
    stage->lasted_ns += (double)lasted_ns;
    paces->logs -= stage->log;
    stage->log = br_real_log(stage->lasted_ns / stage->declared_ns);
    paces->logs += stage->log;
    paces->pace = pace_within(br_real_exp(paces->logs / (paces->measured + 1)));
    double one_ns = stage->declared_ns / stage->measured;
    stage->pace =
        pace_within((stage->lasted_ns + paces->pace * one_ns) / (stage->declared_ns + one_ns));
    return pace_apply(&stage->work, stage->left, stage->pace) +
           pace_apply(&paces->work, paces->left, paces->pace);
}

br_wide br_paces_work(const struct br_paces *paces, uint32_t stages)
{
    br_wide work = paces->work;
    for (uint32_t s = 0; s < stages; s++)
        work += paces->stage[s].work;
    return work;
}
