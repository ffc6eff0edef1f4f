/* Divides the tasks at the middle of their unlimited schedule, recursively; the recursion is as
 * deep as the critical path has binary digits. */
#include "planner/schedule/strip.h"

#include <assert.h>
#include <string.h>

#include "base/collections/memory.h"
#include "base/collections/sort.h"
#include "base/process/stop.h"
#include "planner/space/space.h"

struct strips {
    const struct br_instance *in;
    const struct br_reach *reach;
    struct br_schedule *schedule;
    struct br_space *space;
    const struct br_stop *stop;
    uint32_t *scratch;
    int64_t floor; /* end of the strips so far */
};

static int by_duration(const void *a, const void *b, void *context)
{
    const struct br_instance *in = context;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (in->duration[x] != in->duration[y])
        return in->duration[x] > in->duration[y] ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Packs independent tasks from the floor on; the next floor is their last end. */
static bool strip_pack(struct strips *s, uint32_t *task, uint32_t count)
{
    const struct br_instance *in = s->in;
    int64_t end = s->floor;
    br_sort_within(task, count, sizeof *task, by_duration, (void *)in);
    for (uint32_t k = 0; k < count; k++) {
        if (br_stopped(s->stop)) /* one strip may hold nearly all tasks */
            return false;
        uint32_t t = task[k], stage = in->task_stage[t];
        struct br_fit fit = br_space_earliest(s->space, stage, in->duration[t], s->floor);
        if (!br_space_place(s->space, stage, in->duration[t], fit, 1))
            return false;
        assert(fit.start >= s->floor);
        s->schedule->start[t] = fit.start;
        s->schedule->machine[t] = fit.machine;
        if (fit.start + in->duration[t] > end)
            end = fit.start + in->duration[t];
    }
    s->floor = end;
    return true;
}

/* The tasks run within low..high in the unlimited schedule. */
static bool strip_divide(struct strips *s, uint32_t *task, uint32_t count, int64_t low,
                         int64_t high)
{
    if (count == 0)
        return true;
    if (low >= high) /* only tasks of duration 0 are left */
        return strip_pack(s, task, count);
    int64_t middle = low + (high - low) / 2;
    uint32_t before = 0, across = 0, after = 0;
    for (uint32_t k = 0; k < count; k++) {
        int64_t head = s->reach->head[task[k]], end = head + s->in->duration[task[k]];
        before += end <= middle;
        across += head <= middle && end > middle;
    }
    uint32_t a = 0, b = before, c = before + across;
    after = count - c;
    for (uint32_t k = 0; k < count; k++) {
        int64_t head = s->reach->head[task[k]], end = head + s->in->duration[task[k]];
        if (end <= middle)
            s->scratch[a++] = task[k];
        else if (head <= middle)
            s->scratch[b++] = task[k];
        else
            s->scratch[c++] = task[k];
    }
    assert(a == before && b == before + across && c == count);
    memcpy(task, s->scratch, count * sizeof *task);
    return strip_divide(s, task, before, low, middle) &&
           (!across || strip_pack(s, task + before, across)) &&
           strip_divide(s, task + before + across, after, middle + 1, high);
}

bool br_strip_partition(struct br_schedule *schedule, const struct br_instance *in,
                        const struct br_reach *reach, const struct br_stop *stop)
{
    struct strips s = {.in = in, .reach = reach, .schedule = schedule, .stop = stop};
    uint32_t *task = br_malloc(in->tasks * sizeof *task);
    s.space = br_space_create(in);
    s.scratch = br_malloc(in->tasks * sizeof *s.scratch);
    bool ok = task && s.space && s.scratch;
    if (ok) {
        for (uint32_t t = 0; t < in->tasks; t++)
            task[t] = t;
        ok = strip_divide(&s, task, in->tasks, 0, reach->critical_path);
    }
    if (ok)
        br_schedule_measure(schedule, in);
    br_space_destroy(s.space);
    br_free(s.scratch);
    br_free(task);
    return ok;
}
