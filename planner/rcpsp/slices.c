/* Serial generation on a profile of bit planes, 32 ticks at a time.
 *
 * Bit b of resource r's free amount at 32 successive ticks is one 32-bit word, and four resources
 * make a vector. Subtracting a demand from all of them at once is the ripple of a borrow through
 * the planes: with free bit f, demand bit d and borrow c,
 *
 *     difference = f ^ d ^ c,    next borrow = f == d ? c : d.
 *
 * Where the last borrow of some resource is set, the task does not fit at that tick. A run of
 * `duration` ticks that fit is found by shifting the mask of fitting ticks over itself; runs may
 * cross words. The differences that decide whether the task fits are those that take its demand
 * away: in the ticks of its run, f ^= d ^ c. So a placement has hardly a branch that depends on the
 * instance, whatever the number of ticks it looks at. */
#include "planner/rcpsp/model.h"

/* Loops over planes and groups have constant counts in the kernels below; unrolled, differences
 * stay in registers. */
#if defined __clang__
#define UNROLL /* it decides by itself, and warns where it is asked for what it cannot */
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif
#define INLINE static inline __attribute__((always_inline))

typedef uint64_t half_vector __attribute__((vector_size(16)));

/* Sum over the lanes, as bits: set where any lane has it. */
INLINE uint32_t any_lane(br_pool_vector v)
{
    half_vector h = (half_vector)v;
    uint64_t both = h[0] | h[1];
    return (uint32_t)(both | both >> 32);
}

INLINE br_pool_vector broadcast(uint32_t bits)
{
    return (br_pool_vector){bits, bits, bits, bits};
}

/* The ticks of a word at which the demand does not fit; the changes of each plane that placing it
 * would bring go to `change`. */
INLINE uint32_t subtract(const br_pool_vector *slice, const br_pool_vector *demand,
                         br_pool_vector *change, const uint32_t planes, const uint32_t groups)
{
    br_pool_vector any = {0};
    UNROLL for (uint32_t g = 0; g < groups; g++)
    {
        br_pool_vector borrow = {0};
        UNROLL for (uint32_t b = 0; b < planes; b++)
        {
            uint32_t k = b * groups + g;
            change[k] = demand[k] ^ borrow;
            borrow ^= (slice[k] ^ demand[k]) & change[k];
        }
        any |= borrow;
    }
    return any_lane(any);
}

INLINE void apply(br_pool_vector *slice, const br_pool_vector *change, uint32_t ticks,
                  const uint32_t cells)
{
    br_pool_vector mask = broadcast(ticks);
    UNROLL for (uint32_t k = 0; k < cells; k++) slice[k] ^= change[k] & mask;
}

/* One placement's words, at least up to the given one, are made whole before they are read. */
INLINE uint32_t extend(br_pool_vector *slice, const br_pool_vector *whole, uint32_t words,
                       uint32_t upto, const uint32_t cells)
{
    for (; words <= upto; words++)
        UNROLL for (uint32_t k = 0; k < cells; k++) slice[(size_t)words * cells + k] = whole[k];
    return words;
}

INLINE int64_t run(struct br_pool *pool, enum br_direction direction, const uint32_t *list,
                   int step, int64_t limit, const uint32_t planes, const uint32_t groups,
                   const uint32_t steps)
{
    const struct br_pool_model *m = pool->model;
    const struct br_pool_side *side = &m->side[direction];
    const uint32_t cells = planes * groups;
    const size_t stride = sizeof(struct br_pool_record) + cells * sizeof(br_pool_vector);
    br_pool_vector *slice = pool->slice, change[BR_POOL_CELLS];
    int64_t *end = pool->end, makespan = 0;
    uint32_t words = 0;
    for (uint32_t v = m->tasks; v < side->nodes; v++)
        end[v] = 0;
    for (uint32_t left = m->tasks; left; left--, list += step) {
        const struct br_pool_record *task = (const void *)(side->record + stride * *list);
        const br_pool_vector *demand = (const void *)(task + 1);
        int64_t bound = end[task->before[0]];
        UNROLL for (int k = 1; k < BR_POOL_INLINE; k++)
        {
            int64_t other = end[task->before[k]];
            bound = other > bound ? other : bound;
        }
        for (uint32_t a = task->more; a < task->more_end; a++)
            if (end[side->before[a]] > bound)
                bound = end[side->before[a]];
        uint32_t start = (uint32_t)bound, duration = task->duration;
        if (task->holds) {
            uint32_t word = start / 32, from = UINT32_MAX << start % 32, run = 0;
            for (;;) {
                words = extend(slice, m->whole_slice, words, word, cells);
                uint32_t fits =
                    ~subtract(slice + (size_t)word * cells, demand, change, planes, groups) & from;
                uint64_t begins = fits;
                UNROLL for (uint32_t k = 0; k < steps; k++) begins &= begins >> task->shift[k];
                /* `run` ticks before this word fit. */
                if (run) {
                    uint32_t lead = ~fits ? (uint32_t)__builtin_ctz(~fits) : 32;
                    if (run + lead >= duration) {
                        start = word * 32 - run;
                        break;
                    }
                }
                if (begins) {
                    start = word * 32 + (uint32_t)__builtin_ctzll(begins);
                    break;
                }
                run = ~fits ? (uint32_t)__builtin_clz(~fits) : run + 32;
                from = UINT32_MAX;
                word++;
            }
            uint32_t at = start % 32;
            if (start / 32 == word && at + duration <= 32) {
                apply(slice + (size_t)word * cells, change, UINT32_MAX >> (32 - duration) << at,
                      cells);
            } else {
                uint32_t to = start + duration;
                words = extend(slice, m->whole_slice, words, (to - 1) / 32, cells);
                for (uint32_t t = start; t < to; t = (t / 32 + 1) * 32) {
                    uint32_t ticks = UINT32_MAX << t % 32;
                    if (to - t / 32 * 32 < 32)
                        ticks &= (UINT32_C(1) << to % 32) - 1;
                    subtract(slice + (size_t)(t / 32) * cells, demand, change, planes, groups);
                    apply(slice + (size_t)(t / 32) * cells, change, ticks, cells);
                }
            }
        }
        int64_t finish = (int64_t)start + duration, reach = finish + task->tail;
        end[*list] = finish;
        makespan = reach > makespan ? reach : makespan;
        if (reach > limit)
            return BR_POOL_CUT;
        if (task->hub && end[task->hub] < finish)
            end[task->hub] = finish;
    }
    return makespan;
}

/* The usual shapes as code of their own: up to four resources, capacities up to 255. */
#define SHAPE(planes, steps)                                                                       \
    case 8 * (planes) + (steps):                                                                   \
        return run(pool, direction, list, step, limit, planes, 1, steps)
#define SHAPES(planes)                                                                             \
    SHAPE(planes, 3);                                                                              \
    SHAPE(planes, 4);                                                                              \
    SHAPE(planes, 5)

int64_t br_pool_run_slices(struct br_pool *pool, enum br_direction direction, const uint32_t *list,
                           int step, int64_t limit)
{
    const struct br_pool_model *m = pool->model;
    uint32_t steps = m->steps < 3 ? 3 : m->steps; /* spare steps shift by nothing */
    if (m->groups == 1)
        switch (8 * m->planes + steps) {
            SHAPES(1);
            SHAPES(2);
            SHAPES(3);
            SHAPES(4);
            SHAPES(5);
            SHAPES(6);
            SHAPES(7);
            SHAPES(8);
        }
    return run(pool, direction, list, step, limit, m->planes, m->groups, BR_POOL_STEPS);
}
