/* Complete schedules and their measure. */
#include "planner/schedule/schedule.h"

#include <string.h>

#include "base/collections/memory.h"
#include "base/invariant.h"

bool br_schedule_init(struct br_schedule *schedule, const struct br_instance *in)
{
    *schedule = (struct br_schedule){.tasks = in->tasks, .makespan = INT64_MAX};
    schedule->start = br_malloc(in->tasks * sizeof *schedule->start);
    schedule->machine = br_calloc(in->tasks, sizeof *schedule->machine);
    schedule->subset = br_malloc(in->tasks);
    if (!schedule->start || !schedule->machine || !schedule->subset)
        return false;
    memset(schedule->subset, 'S', in->tasks);
    return true;
}

void br_schedule_finish(struct br_schedule *schedule)
{
    br_free(schedule->start);
    br_free(schedule->machine);
    br_free(schedule->subset);
    *schedule = (struct br_schedule){0};
}

/* Whether every task starts at 0 or later, and none before a parent has ended. */
static bool schedule_is_ordered(const struct br_schedule *schedule, const struct br_instance *in)
{
    const int64_t *start = schedule->start, *duration = in->duration;
    for (uint32_t t = 0; t < in->tasks; t++)
        if (start[t] < 0)
            return false;
    for (uint32_t s = 0; s < in->stages; s++)
        for (uint32_t a = in->child_first[s]; a < in->child_first[s + 1]; a++) {
            uint32_t here = in->stage_first[s], there = in->stage_first[in->child[a].stage];
            int64_t last = 0, first = INT64_MAX;
            for (uint32_t i = 0; here + i < in->stage_first[s + 1]; i++) {
                int64_t end = start[here + i] + duration[here + i];
                if (in->child[a].one_to_one && start[there + i] < end)
                    return false;
                last = end > last ? end : last;
            }
            for (uint32_t t = there; t < in->stage_first[in->child[a].stage + 1]; t++)
                first = start[t] < first ? start[t] : first;
            if (!in->child[a].one_to_one && first < last)
                return false;
        }
    return true;
}

void br_schedule_measure(struct br_schedule *schedule, const struct br_instance *in)
{
    schedule->makespan = 0;
    schedule->ends = 0;
    for (uint32_t t = 0; t < in->tasks; t++) {
        int64_t end = schedule->start[t] + in->duration[t];
        assert(schedule->start[t] >= 0);
        if (end > schedule->makespan)
            schedule->makespan = end;
        schedule->ends += (uint64_t)end;
    }
    br_costly_assert(schedule_is_ordered(schedule, in));
}

void br_schedule_take(struct br_schedule *schedule, const struct br_instance *in,
                      const struct br_placer *placer, const char *subset)
{
    const int64_t *start = br_placer_start(placer);
    int64_t begin = br_space_begin(br_placer_space(placer));
    for (uint32_t t = 0; t < in->tasks; t++)
        schedule->start[t] = start[t] - begin;
    memcpy(schedule->machine, br_placer_machine(placer), in->tasks * sizeof *schedule->machine);
    if (subset != schedule->subset)
        memcpy(schedule->subset, subset, in->tasks);
    br_schedule_measure(schedule, in);
}

bool br_schedule_better(const struct br_schedule *a, const struct br_schedule *b)
{
    if (a->makespan != b->makespan)
        return a->makespan < b->makespan;
    return a->makespan != INT64_MAX && a->ends < b->ends;
}

void br_schedule_copy(struct br_schedule *to, const struct br_schedule *from)
{
    memcpy(to->start, from->start, from->tasks * sizeof *to->start);
    memcpy(to->machine, from->machine, from->tasks * sizeof *to->machine);
    memcpy(to->subset, from->subset, from->tasks);
    to->makespan = from->makespan;
    to->ends = from->ends;
}

void br_schedule_swap(struct br_schedule *a, struct br_schedule *b)
{
    struct br_schedule keep = *a;
    *a = *b;
    *b = keep;
}
