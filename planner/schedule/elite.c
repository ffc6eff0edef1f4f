/* A short sorted array of schedules. */
#include "planner/schedule/elite.h"

#include "base/invariant.h"

bool br_elite_init(struct br_elite *elite, const struct br_instance *in, uint32_t room)
{
    bool ok = true;
    *elite = (struct br_elite){.room = room};
    for (uint32_t k = 0; k < room; k++)
        ok &= br_schedule_init(&elite->entry[k].schedule, in);
    return ok;
}

void br_elite_finish(struct br_elite *elite)
{
    for (uint32_t k = 0; k < elite->room; k++)
        br_schedule_finish(&elite->entry[k].schedule);
    *elite = (struct br_elite){0};
}

/* Is the best schedule first, and are no two equally good? */
static bool elite_is_sorted(const struct br_elite *elite)
{
    for (uint32_t k = 1; k < elite->count; k++)
        if (!br_schedule_better(&elite->entry[k - 1].schedule, &elite->entry[k].schedule))
            return false;
    return true;
}

static bool elite_alike(const struct br_schedule *a, const struct br_schedule *b)
{
    return a->makespan == b->makespan && a->ends == b->ends;
}

void br_elite_add(struct br_elite *elite, const struct br_schedule *schedule, const char *method,
                  uint64_t number)
{
    uint32_t at = 0, last;
    if (schedule->makespan == INT64_MAX)
        return;
    while (at < elite->count && br_schedule_better(&elite->entry[at].schedule, schedule))
        at++;
    if (at == elite->room)
        return;
    if (at < elite->count && elite_alike(&elite->entry[at].schedule, schedule)) {
        if (elite->entry[at].number <= number)
            return;
        last = at; /* takes its place */
    } else {
        last = elite->count < elite->room ? elite->count++ : elite->room - 1;
    }
    assert(at <= last && last < elite->count);
    struct br_elite_entry spare = elite->entry[last];
    for (uint32_t k = last; k > at; k--)
        elite->entry[k] = elite->entry[k - 1];
    elite->entry[at] = spare;
    elite->entry[at].method = method;
    elite->entry[at].number = number;
    br_schedule_copy(&elite->entry[at].schedule, schedule);
    br_costly_assert(elite_is_sorted(elite));
}

void br_elite_lead(struct br_elite *elite, const struct br_schedule *schedule, const char *method)
{
    struct br_elite_entry *first = &elite->entry[0];
    if (elite->count == 0 || first->number != UINT64_MAX) {
        br_elite_add(elite, schedule, method, UINT64_MAX);
        return;
    }
    assert(!br_schedule_better(&first->schedule, schedule));
    br_schedule_copy(&first->schedule, schedule);
    first->method = method;
    br_costly_assert(elite_is_sorted(elite));
}
