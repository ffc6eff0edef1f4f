/* Which stages could use executors: those of which all parents are saturated and which are not
 * saturated themselves. [Mao19, 5.2] */
#include <assert.h>

#include "cluster/executors/core.h"

static void mark_stage(struct br_executors_core *core, uint32_t stage)
{
    struct br_executor_stage *at = &core->seen.stage[stage];
    at->changed = core->seen.job[at->job].changed = ++core->seen.changes;
}

static void executors_stages_add_ready(struct br_executors *seen, uint32_t stage)
{
    assert(seen->stage[stage].place == NONE && seen->ready_stages < seen->stages);
    seen->stage[stage].place = seen->ready_stages;
    seen->ready[seen->ready_stages++] = stage;
    seen->job[seen->stage[stage].job].ready++;
}

static void drop_ready(struct br_executors *seen, uint32_t stage)
{
    assert(seen->ready[seen->stage[stage].place] == stage &&
           seen->job[seen->stage[stage].job].ready);
    uint32_t place = seen->stage[stage].place, last = seen->ready[--seen->ready_stages];
    seen->ready[place] = last;
    seen->stage[last].place = place;
    seen->stage[stage].place = NONE;
    seen->job[seen->stage[stage].job].ready--;
}

static void settle_ready(struct br_executors_core *core, uint32_t stage)
{
    struct br_executors *seen = &core->seen;
    const struct br_executor_stage *at = &seen->stage[stage];
    bool live = seen->job[at->job].place != NONE;
    bool ready = live && at->unsaturated == 0 && !core->stage[stage].saturated;
    if (ready == (at->place != NONE))
        return;
    mark_stage(core, stage);
    if (!ready) {
        drop_ready(seen, stage);
        return;
    }
    executors_stages_add_ready(seen, stage);
    core->news++;
}

/* The number of the stage's k-th child in the simulator. */
static uint32_t child_of(const struct br_executors *seen, uint32_t stage, uint32_t k)
{
    const struct br_executor_stage *at = &seen->stage[stage];
    const struct br_executor_job *job = &seen->job[at->job];
    assert(k < at->waves->children);
    return job->first_stage + job->waves->child[at->waves->first_child + k];
}

void br_executors_touch(struct br_executors_core *core, uint32_t stage)
{
    struct br_executors *seen = &core->seen;
    const struct br_executor_stage *at = &seen->stage[stage];
    bool saturated = at->started + at->coming >= at->tasks;
    mark_stage(core, stage);
    if (saturated != core->stage[stage].saturated) {
        core->stage[stage].saturated = saturated;
        for (uint32_t k = 0; k < at->waves->children; k++) {
            uint32_t child = child_of(seen, stage, k);
            assert(!saturated || seen->stage[child].unsaturated);
            if (saturated)
                seen->stage[child].unsaturated--;
            else
                seen->stage[child].unsaturated++;
            settle_ready(core, child);
        }
    }
    settle_ready(core, stage);
}

void br_executors_open(struct br_executors_core *core, uint32_t job)
{
    const struct br_executor_job *at = &core->seen.job[job];
    assert(at->place != NONE);
    for (uint32_t s = at->first_stage; s < at->first_stage + at->stages; s++)
        settle_ready(core, s);
}

bool br_executors_close(struct br_executors_core *core, uint32_t stage)
{
    struct br_executors *seen = &core->seen;
    bool opened = false;
    assert(seen->stage[stage].ended == seen->stage[stage].tasks);
    for (uint32_t k = 0; k < seen->stage[stage].waves->children; k++) {
        uint32_t child = child_of(seen, stage, k);
        assert(seen->stage[child].open);
        if (--seen->stage[child].open == 0)
            opened = true;
        mark_stage(core, child);
    }
    return opened;
}
