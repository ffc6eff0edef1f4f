/* Can the jobs with outputs end one after another? */
#include "runtime/enforcer/stock.h"

static size_t safe_place(const struct br_runtime *runtime, const struct br_stock *stock,
                         uint32_t machine, uint32_t resource)
{
    return stock->general->shared[resource]
               ? (size_t)runtime->machines * runtime->resources + stock->column[resource]
               : (size_t)machine * runtime->resources + stock->column[resource];
}

static uint32_t places_of(const struct br_runtime *runtime, const struct br_stock *stock,
                          uint32_t resource)
{
    if (!stock->general->stored[resource])
        return 0;
    return stock->general->shared[resource] ? 1 : runtime->machines;
}

/* Gives the places what the job holds at the end of all that runs, or takes it away. */
static void safe_give(struct br_runtime *runtime, const struct br_stock *stock, int sign)
{
    const struct br_general *general = stock->general;
    for (uint32_t r = 0; r < general->resources; r++)
        for (uint32_t m = 0; m < places_of(runtime, stock, r); m++)
            runtime->pool.left[safe_place(runtime, stock, m, r)] +=
                sign * stock->factor[r] *
                br_reserve_base(stock->reserve, br_general_place(general, m, r));
}

static bool can_end(const struct br_runtime *runtime, const struct br_stock *stock)
{
    const struct br_general *general = stock->general;
    for (uint32_t r = 0; r < general->resources; r++)
        for (uint32_t m = 0; m < places_of(runtime, stock, r); m++) {
            const int64_t most = br_reserve_most(stock->reserve, br_general_place(general, m, r));
            if (most > 0 &&
                most * stock->factor[r] > runtime->pool.left[safe_place(runtime, stock, m, r)])
                return false;
        }
    return true;
}

/* Of what changes, only what there is at all times counts. */
static void lower_to_least(const struct br_runtime *runtime, const struct br_stock *stock)
{
    const struct br_general *general = stock->general;
    for (uint32_t r = 0; r < general->resources && general->calendar; r++)
        for (uint32_t m = 0; m < places_of(runtime, stock, r); m++) {
            int64_t *left = &runtime->pool.left[safe_place(runtime, stock, m, r)];
            const int64_t least =
                br_general_least(general, br_general_place(general, m, r), 0) * stock->factor[r];
            *left = least < *left ? least : *left;
        }
}

bool br_stock_is_safe(struct br_runtime *runtime)
{
    struct br_pool *pool = &runtime->pool;
    if (pool->stored <= 1)
        return true;
    for (uint32_t m = 0; m < runtime->machines; m++)
        for (uint32_t r = 0; r < runtime->resources; r++)
            pool->left[(size_t)m * runtime->resources + r] =
                runtime->capacity[(size_t)runtime->machine_class[m] * runtime->resources + r];
    for (uint32_t k = 0; k < pool->resources; k++)
        pool->left[(size_t)runtime->machines * runtime->resources + k] = pool->capacity[k];
    for (uint32_t k = 0; k < pool->stored; k++)
        lower_to_least(runtime, runtime->job[pool->order[k]]->stock);
    for (uint32_t k = 0; k < pool->stored; k++)
        safe_give(runtime, runtime->job[pool->order[k]]->stock, -1);
    for (uint32_t done = 0; done < pool->stored; done++) {
        uint32_t next = done;
        while (next < pool->stored && !can_end(runtime, runtime->job[pool->order[next]]->stock))
            next++;
        if (next == pool->stored)
            return false;
        const uint32_t number = pool->order[next];
        for (; next > done; next--)
            pool->order[next] = pool->order[next - 1];
        pool->order[done] = number;
        safe_give(runtime, runtime->job[number]->stock, 1);
    }
    return true;
}
