#include "cluster/simulate/policies/spare.h"

#include <assert.h>
#include <stdlib.h>

#include "base/collections/grow.h"
#include "runtime/enforcer/jobs/job.h"

void br_spare_finish(struct br_spare *spare)
{
    free(spare->task);
}

/* The latest first; ties by task. */
static int spare_later(const void *a, const void *b)
{
    const struct br_spare_task *x = a, *y = b;
    if (x->since_ns != y->since_ns)
        return x->since_ns > y->since_ns ? -1 : 1;
    return (x->task > y->task) - (x->task < y->task);
}

static int spare_by_machine(const void *a, const void *b)
{
    const struct br_spare_task *x = a, *y = b;
    if (x->machine != y->machine)
        return x->machine < y->machine ? -1 : 1;
    if (x->since_ns != y->since_ns)
        return x->since_ns > y->since_ns ? -1 : 1;
    if (x->job != y->job)
        return x->job > y->job ? -1 : 1; /* who came later makes way first */
    return (x->task > y->task) - (x->task < y->task);
}

/* Adds the job's last tasks to those of others. */
static bool spare_add(struct br_spare *spare, const struct br_spare_job *of, uint32_t resources)
{
    const uint32_t before = spare->tasks;
    for (uint32_t t = 0; t < of->job->form->tasks; t++) {
        if (of->job->task_state[t] != BR_TASK_RUNNING)
            continue;
        if (!br_grow(&spare->task, spare->tasks, &spare->room, sizeof *spare->task))
            return false;
        spare->task[spare->tasks++] =
            (struct br_spare_task){of->number, t, of->job->machine[t], of->since_ns[t],
                                   br_job_demand(of->job, t, resources)};
    }
    assert(of->surplus <= spare->tasks - before);
    if (of->surplus)
        qsort(spare->task + before, spare->tasks - before, sizeof *spare->task, spare_later);
    spare->tasks = before + of->surplus;
    return true;
}

bool br_spare_collect(struct br_spare *spare, const struct br_spare_job *jobs, uint32_t count,
                      uint32_t resources)
{
    bool room = true;
    spare->tasks = 0;
    for (uint32_t k = 0; k < count && room; k++)
        room = spare_add(spare, &jobs[k], resources);
    if (room && spare->tasks)
        qsort(spare->task, spare->tasks, sizeof *spare->task, spare_by_machine);
    return room;
}

/* Would the demand fit once the tasks [first, end) have ended? */
static bool spare_fits(const struct br_spare *spare, uint32_t first, uint32_t end,
                       const int64_t *demand, const int64_t *free, uint32_t resources)
{
    for (uint32_t r = 0; r < resources; r++) {
        int64_t room = free[r];
        for (uint32_t k = first; k < end; k++)
            room += spare->task[k].demand[r];
        if (demand[r] > 0 && demand[r] > room)
            return false;
    }
    return true;
}

bool br_spare_choose(const struct br_spare *spare, const int64_t *demand, uint32_t resources,
                     const int64_t *(*free)(void *context, uint32_t machine), void *context,
                     int64_t now_ns, uint32_t *first, uint32_t *count)
{
    int64_t least_ns = INT64_MAX;
    *count = 0;
    for (uint32_t k = 0, end; k < spare->tasks; k = end) {
        const uint32_t machine = spare->task[k].machine;
        const int64_t *room = free(context, machine);
        int64_t lost_ns = 0;
        bool fits = false;
        uint32_t last = k;
        for (end = k; end < spare->tasks && spare->task[end].machine == machine; end++) {
            if (!room || fits)
                continue;
            lost_ns += now_ns - spare->task[end].since_ns;
            last = end + 1;
            fits = spare_fits(spare, k, last, demand, room, resources);
        }
        if (fits && lost_ns < least_ns) {
            least_ns = lost_ns;
            *first = k;
            *count = last - k;
        }
    }
    return *count > 0;
}
