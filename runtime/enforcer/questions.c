/* What callers may ask. */
#include "runtime/enforcer/model.h"

#include "runtime/enforcer/stock.h"

struct br_job_state br_runtime_job(const struct br_runtime *runtime, uint32_t number)
{
    const struct br_job *job = runtime ? br_runtime_find_job(runtime, number) : NULL;
    return job ? job->state : (struct br_job_state){0};
}

double br_runtime_used(const struct br_runtime *runtime, uint32_t machine, const char *resource)
{
    if (!runtime || !resource)
        return 0;
    uint32_t r = br_scale_find(&runtime->scale, resource), width = runtime->resources;
    double held = 0, total;
    if (r == UINT32_MAX || (machine >= runtime->machines && machine != BR_ANY))
        return 0;
    if (machine == BR_ANY) {
        total = runtime->scale.total[r];
        for (uint32_t m = 0; m < runtime->machines; m++)
            held += (double)runtime->held[(size_t)m * width + r];
    } else {
        total = (double)runtime->capacity[(size_t)runtime->machine_class[machine] * width + r];
        held = (double)runtime->held[(size_t)machine * width + r];
    }
    return total > 0 ? held / total : 0;
}

int64_t br_runtime_next_ns(const struct br_runtime *runtime)
{
    if (!runtime || !runtime->pool.stocks)
        return INT64_MAX;
    return runtime->pool.stirred ? runtime->now_ns : runtime->pool.next_ns;
}

bool br_runtime_overrun(struct br_runtime *runtime, struct br_decision *overrun)
{
    for (uint32_t k = 0; runtime && overrun && k < runtime->pool.stocks; k++) {
        const uint32_t number = runtime->pool.member[k];
        uint32_t task;
        if (!br_stock_find_overrun(runtime, runtime->job[number], &task))
            continue;
        *overrun = (struct br_decision){number, task, runtime->job[number]->machine[task]};
        return true;
    }
    return false;
}

bool br_runtime_freed(struct br_runtime *runtime, struct br_freed *freed)
{
    for (uint32_t k = 0; runtime && freed && k < runtime->pool.stocks; k++) {
        struct br_stock *stock = runtime->job[runtime->pool.member[k]]->stock;
        if (stock->told == stock->freeds)
            continue;
        *freed = stock->freed[stock->told++];
        return true;
    }
    return false;
}

double br_runtime_deficit(const struct br_runtime *runtime, uint32_t group)
{
    return runtime && group < runtime->groups ? runtime->group[group].deficit : 0;
}
