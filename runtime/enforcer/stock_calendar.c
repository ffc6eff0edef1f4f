/* Clusters that change with time, as jobs with features meet them: a task starts only where its
 * machine is there for as long as it is to last, and only if what there is suffices as long. What
 * its outputs are kept in has to suffice for ever, since nobody knows when the last reader ends.
 *
 * No dead end: the witness of a job counts the least amounts of all times, and after the last
 * change nothing keeps its next task back, if the machines of the witness return. So a job is taken
 * only if they do. */
#include <inttypes.h>

#include "base/text/diag.h"
#include "runtime/enforcer/stock.h"

/* The time since the first decision of all: that of the calendar. */
static int64_t calendar_now(const struct br_runtime *runtime)
{
    return runtime->now_ns - runtime->pool.origin_ns;
}

static int64_t usual_amount(const struct br_general *general, uint32_t machine, uint32_t resource)
{
    return general->shared[resource]
               ? general->shared_capacity[resource]
               : general->capacity[(size_t)general->machine_class[machine] * general->resources +
                                   resource];
}

bool br_stock_is_there(const struct br_runtime *runtime, const struct br_stock *stock,
                       uint32_t task, uint32_t machine)
{
    const int64_t now_ns = calendar_now(runtime);
    int64_t end_ns;
    if (!stock->general->calendar)
        return true;
    if (__builtin_add_overflow(now_ns, stock->general->duration[task], &end_ns))
        end_ns = INT64_MAX;
    return br_general_open(stock->general, machine, now_ns, end_ns);
}

/* What tasks hold there, in the enforcer's units, that are to end by then and leave nothing. */
static int64_t given_back(const struct br_runtime *runtime, uint32_t machine, bool shared,
                          uint32_t column, int64_t by_ns)
{
    const struct br_pool *pool = &runtime->pool;
    int64_t sum = 0;
    for (uint32_t j = 0; j < pool->stocks; j++) {
        const struct br_job *job = runtime->job[pool->member[j]];
        const struct br_general *general = job->stock->general;
        for (uint32_t r = 0; r < general->resources; r++) {
            if (general->shared[r] != shared || job->stock->column[r] != column)
                continue;
            for (uint32_t t = 0; t < general->tasks; t++) {
                const size_t at = (size_t)general->task_stage[t] * general->resources + r;
                if (job->task_state[t] == BR_TASK_RUNNING &&
                    (shared || job->machine[t] == machine) && !general->made[at] &&
                    !general->late[at] && job->stock->since_ns[t] + general->duration[t] <= by_ns)
                    sum += job->stock->holds[(size_t)t * general->resources + r];
            }
        }
    }
    return sum;
}

int64_t br_stock_room_for(const struct br_runtime *runtime, const struct br_stock *stock,
                          uint32_t task, uint32_t machine, uint32_t resource)
{
    const struct br_general *general = stock->general;
    const int64_t room = br_stock_room(runtime, stock, machine, resource);
    const uint32_t place = br_general_place(general, machine, resource);
    if (!general->calendar || general->level_first[place] == general->level_first[place + 1])
        return room;
    const int64_t now_ns = calendar_now(runtime), factor = stock->factor[resource];
    const int64_t usual = usual_amount(general, machine, resource);
    const size_t at = (size_t)general->task_stage[task] * general->resources + resource;
    const bool kept = general->made[at] || general->late[at];
    int64_t end_ns, least = room + (br_general_capacity(general, place, now_ns) - usual) * factor;
    if (kept || __builtin_add_overflow(now_ns, general->duration[task], &end_ns))
        end_ns = INT64_MAX;
    for (uint32_t k = general->level_first[place]; k < general->level_first[place + 1]; k++) {
        const struct br_general_level *level = &general->level[k];
        if (level->from <= now_ns || level->from >= end_ns)
            continue;
        const int64_t then =
            room + (level->amount - usual) * factor +
            given_back(runtime, machine, general->shared[resource], stock->column[resource],
                       level->from + runtime->pool.origin_ns);
        least = then < least ? then : least;
    }
    return least;
}

int64_t br_stock_next_change(const struct br_runtime *runtime, const struct br_stock *stock)
{
    const struct br_general *general = stock->general;
    const int64_t now_ns = calendar_now(runtime);
    uint32_t low = 0, high = general->calendar ? general->marks : 0;
    const uint32_t marks = high;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (general->mark[middle] <= now_ns)
            low = middle + 1;
        else
            high = middle;
    }
    int64_t at_ns;
    return low == marks ||
                   __builtin_add_overflow(general->mark[low], runtime->pool.origin_ns, &at_ns)
               ? INT64_MAX
               : at_ns;
}

/* ---- Jobs that might never end ---- */

static bool goes_for_good(const struct br_general *general, uint32_t machine)
{
    const uint32_t end = general->closed_first[machine + 1];
    return end > general->closed_first[machine] && general->closed[end - 1].to == BR_FOREVER;
}

/* Does the machine hold a task of the stage after the last change? */
static bool holds_at_last(const struct br_general *general, uint32_t stage, uint32_t machine)
{
    for (uint32_t r = 0; r < general->resources; r++) {
        const size_t at = (size_t)stage * general->resources + r;
        const int64_t need = general->demand[at] + general->made[at];
        if (need >
            br_general_capacity(general, br_general_place(general, machine, r), INT64_MAX - 1))
            return false;
    }
    return !goes_for_good(general, machine);
}

enum br_status br_stock_check_calendar(struct br_stock *stock, const struct br_dag *dag,
                                       struct br_diag *diag)
{
    static const char hint[] = "let the time without machines, or with less, end";
    const struct br_general *general = stock->general;
    for (uint32_t s = 0; s < general->stages && general->calendar; s++) {
        bool held = false;
        for (uint32_t m = 0; m < general->machines && !held; m++)
            held = holds_at_last(general, s, m);
        if (!held)
            return br_fail(diag, BR_BAD_INPUT, hint,
                           "a run may be late, and after the last change of the cluster no machine "
                           "holds a task of stage '%.80s'",
                           dag->stage[s].id);
    }
    for (uint32_t t = 0; t < general->tasks && general->calendar && stock->reserve; t++)
        if (goes_for_good(general, br_reserve_machine(stock->reserve, t)))
            return br_fail(diag, BR_BAD_INPUT, hint,
                           "a run may be late, and the machine that keeps room for what stage "
                           "'%.80s' holds is away for good",
                           dag->stage[general->task_stage[t]].id);
    return BR_OK;
}

/* ---- Tasks that last into a window ---- */

bool br_stock_find_overrun(struct br_runtime *runtime, struct br_job *job, uint32_t *task)
{
    struct br_stock *stock = job->stock;
    const int64_t now_ns = calendar_now(runtime);
    if (!stock->general->calendar || !job->state.running)
        return false;
    for (uint32_t t = 0; t < stock->general->tasks; t++)
        if (job->task_state[t] == BR_TASK_RUNNING && !stock->told_late[t] &&
            !br_general_open(stock->general, job->machine[t], now_ns, now_ns + 1)) {
            stock->told_late[t] = true;
            *task = t;
            return true;
        }
    return false;
}
