/* Tries every order of the tasks that puts parents first, with every choice of machines, and starts
 * each task, one after another, at the earliest time at which its machine holds it and its parents
 * have ended.
 *
 * Why this meets the optimum. Take an optimal plan, its tasks by start, ties with parents first,
 * and its machines. Then each task starts no later here than in that plan. By induction: let all
 * tasks before v in the order do so. Then v's parents end no later than there. At a time t at or
 * after v's start in the plan, those of the tasks before v that run here at t have started there
 * by then, too, and end there no earlier than here, so that they run there at t as well. So the
 * machine holds v here at the start that it has in the plan, or earlier.
 *
 * Left out is only what cannot be better: an order that already comes to the best makespan known
 * by adding the longest path behind a task to its end, and all but the first of several machines
 * of one class that are still empty. */
#include "tests/support/oracle.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

#include "tests/support/precedence.h"

enum { MACHINES = 8 };

struct search {
    const struct br_instance *in;
    uint32_t parents[ORACLE_TASKS]; /* as bits */
    int64_t tail[ORACLE_TASKS];     /* the longest path behind the task */
    int64_t start[ORACLE_TASKS];
    uint32_t machine[ORACLE_TASKS], cls[MACHINES];
    int64_t best;
};

static bool machine_holds(const struct search *s, uint32_t placed, uint32_t task, int64_t at)
{
    const struct br_instance *in = s->in;
    uint32_t machine = s->machine[task];
    for (uint32_t r = 0; r < in->resources; r++) {
        int64_t held = in->demand[in->task_stage[task] * in->resources + r];
        for (uint32_t u = 0; u < in->tasks; u++)
            if ((placed >> u & 1) && s->machine[u] == machine && s->start[u] <= at &&
                at < s->start[u] + in->duration[u])
                held += in->demand[in->task_stage[u] * in->resources + r];
        if (held > in->capacity[s->cls[machine] * in->resources + r])
            return false;
    }
    return true;
}

/* Held during the whole duration: loads only grow where a task starts. */
static bool holds(const struct search *s, uint32_t placed, uint32_t task, int64_t at)
{
    int64_t end = at + s->in->duration[task];
    if (at == end)
        return true;
    bool ok = machine_holds(s, placed, task, at);
    for (uint32_t u = 0; u < s->in->tasks && ok; u++)
        if ((placed >> u & 1) && s->start[u] > at && s->start[u] < end)
            ok = machine_holds(s, placed, task, s->start[u]);
    return ok;
}

/* Capacity frees only where a task ends. Also a demand that an empty machine does not hold ends
 * here: -1. A task without duration starts anywhere. */
static int64_t earliest(const struct search *s, uint32_t placed, uint32_t task)
{
    int64_t ready = 0, best = -1;
    for (uint32_t u = 0; u < s->in->tasks; u++)
        if ((s->parents[task] >> u & 1) && s->start[u] + s->in->duration[u] > ready)
            ready = s->start[u] + s->in->duration[u];
    if (holds(s, placed, task, ready))
        return ready;
    for (uint32_t u = 0; u < s->in->tasks; u++) {
        int64_t end = s->start[u] + s->in->duration[u];
        if ((placed >> u & 1) && end > ready && (best < 0 || end < best) &&
            holds(s, placed, task, end))
            best = end;
    }
    return best;
}

static void extend(struct search *s, uint32_t placed, int64_t makespan)
{
    const struct br_instance *in = s->in;
    if (placed == (UINT32_C(1) << in->tasks) - 1) {
        s->best = makespan; /* only shorter ones come here */
        return;
    }
    for (uint32_t t = 0; t < in->tasks; t++) {
        if ((placed >> t & 1) || (s->parents[t] & ~placed))
            continue;
        bool empty_seen[MACHINES] = {false};
        for (uint32_t m = 0; m < in->machines; m++) {
            bool empty = true;
            for (uint32_t u = 0; u < in->tasks; u++)
                empty &= !((placed >> u & 1) && s->machine[u] == m);
            if (empty && empty_seen[s->cls[m]])
                continue;
            empty_seen[s->cls[m]] |= empty;
            s->machine[t] = m;
            s->start[t] = earliest(s, placed, t);
            if (s->start[t] < 0)
                continue;
            int64_t end = s->start[t] + in->duration[t];
            if (end + s->tail[t] < s->best)
                extend(s, placed | UINT32_C(1) << t, end > makespan ? end : makespan);
        }
    }
}

static void link_tasks(struct search *s)
{
    const struct br_instance *in = s->in;
    char *before = precedence_edges(in);
    for (uint32_t i = 0; i < in->tasks; i++)
        for (uint32_t j = 0; j < in->tasks; j++)
            if (before[i * in->tasks + j])
                s->parents[j] |= UINT32_C(1) << i;
    free(before);
    for (uint32_t round = 0; round < in->tasks; round++)
        for (uint32_t t = 0; t < in->tasks; t++)
            for (uint32_t p = 0; p < in->tasks; p++)
                if ((s->parents[t] >> p & 1) && s->tail[p] < in->duration[t] + s->tail[t])
                    s->tail[p] = in->duration[t] + s->tail[t];
}

int64_t oracle_optimum(const struct br_instance *in)
{
    struct search s = {.in = in, .best = 1};
    assert(in->tasks <= ORACLE_TASKS && in->machines <= MACHINES);
    for (uint32_t m = 0; m < in->machines; m++)
        s.cls[m] = br_instance_machine_class(in, m);
    for (uint32_t t = 0; t < in->tasks; t++)
        s.best += in->duration[t]; /* one above the plan without any two tasks together */
    link_tasks(&s);
    extend(&s, 0, 0);
    return s.best;
}
