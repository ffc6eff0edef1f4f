/* The rows differ in how they combine stages: by a sum, or by the stage that is furthest behind.
 * [Ferguson12, 4.2 and 5.4] */
#include "runtime/deadline/progress.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

typedef double put_together(const struct br_progress_weight *weight, const uint32_t *tasks,
                            const uint32_t *done, uint32_t stages);

static double deadline_progress_share(uint32_t done, uint32_t tasks)
{
    assert(tasks > 0);
    return (double)done / (double)tasks;
}

static double sum(const struct br_progress_weight *weight, const uint32_t *tasks,
                  const uint32_t *done, uint32_t stages)
{
    double progress = 0;
    for (uint32_t s = 0; s < stages; s++)
        progress += deadline_progress_share(done[s], tasks[s]) * weight[s].span;
    return progress;
}

static double path_gone(const struct br_progress_weight *weight, const uint32_t *tasks,
                        const uint32_t *done, uint32_t stages)
{
    double left = 0;
    for (uint32_t s = 0; s < stages; s++) {
        double path =
            (1 - deadline_progress_share(done[s], tasks[s])) * weight[s].span + weight[s].begin;
        if (done[s] < tasks[s] && path > left)
            left = path;
    }
    return 1 - left;
}

static double furthest_behind(const struct br_progress_weight *weight, const uint32_t *tasks,
                              const uint32_t *done, uint32_t stages)
{
    double least = 1;
    for (uint32_t s = 0; s < stages; s++) {
        double at = weight[s].begin + deadline_progress_share(done[s], tasks[s]) * weight[s].span;
        if (done[s] < tasks[s] && at < least)
            least = at;
    }
    return least;
}

static const struct {
    struct br_named named;
    put_together *together;
} indicators[BR_INDICATORS] = {
    [BR_TOTALWORK_Q] = {{"totalworkWithQ",
                         "time that finished tasks ran, or were ready and waited"},
                        sum},
    [BR_TOTALWORK] = {{"totalwork", "time that finished tasks ran"}, sum},
    [BR_VERTEXFRAC] = {{"vertexfrac", "number of finished tasks"}, sum},
    [BR_CP] = {{"cp", "the part of the critical path that is done"}, path_gone},
    [BR_MINSTAGE] = {{"minstage", "the stage that is furthest from when it usually ends"},
                     furthest_behind},
    [BR_MINSTAGE_INF] = {{"minstage-inf",
                          "the same, where all that is ready runs at once in usual runs"},
                         furthest_behind},
};

const struct br_names br_indicators = {BR_NAMES(indicators)};

bool br_indicator_find(const char *name, enum br_indicator *indicator)
{
    uint32_t k = br_named_find(&br_indicators, name);
    if (k == BR_NO_ROW)
        return false;
    *indicator = (enum br_indicator)k;
    return true;
}

double br_progress(enum br_indicator indicator, const struct br_progress_weight *weight,
                   const uint32_t *tasks, const uint32_t *done, uint32_t stages)
{
    uint32_t s = 0;
    while (s < stages && done[s] >= tasks[s])
        s++;
    if (s == stages)
        return 1;
    assert(indicator < BR_INDICATORS);
    double progress = indicators[indicator].together(weight, tasks, done, stages);
    return progress > 0 ? progress < 1 ? progress : 1 : 0;
}
