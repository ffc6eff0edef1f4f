/* Complete schedules and their measure. */
#include "planner/schedule/schedule.h"

#include <stdlib.h>
#include <string.h>

bool br_schedule_init(struct br_schedule *schedule, const struct br_instance *in)
{
    *schedule = (struct br_schedule){.tasks = in->tasks, .makespan = INT64_MAX};
    schedule->start = malloc(in->tasks * sizeof *schedule->start);
    schedule->machine = calloc(in->tasks, sizeof *schedule->machine);
    schedule->subset = malloc(in->tasks);
    if (!schedule->start || !schedule->machine || !schedule->subset)
        return false;
    memset(schedule->subset, 'S', in->tasks);
    return true;
}

void br_schedule_finish(struct br_schedule *schedule)
{
    free(schedule->start);
    free(schedule->machine);
    free(schedule->subset);
    *schedule = (struct br_schedule){0};
}

void br_schedule_measure(struct br_schedule *schedule, const struct br_instance *in)
{
    schedule->makespan = 0;
    schedule->ends = 0;
    for (uint32_t t = 0; t < in->tasks; t++) {
        int64_t end = schedule->start[t] + in->duration[t];
        if (end > schedule->makespan)
            schedule->makespan = end;
        schedule->ends += (uint64_t)end;
    }
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
