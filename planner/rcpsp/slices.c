/* Serial generation on a profile of bit planes, 32 ticks at a time.
 *
 * Bit b of resource r's free amount at 32 successive ticks is one 32-bit word, and four resources
 * make a vector. Subtracting a demand from all of them at once is the ripple of a borrow through
 * the planes: with free bit f, demand bit d and borrow c,
 *
 *     difference = f ^ d ^ c,    next borrow = f == d ? c : d.
 *
 * If the last borrow of some resource is set, the task does not fit at that tick. A run of
 * `duration` ticks that fit is found by shifting the mask of fitting ticks over itself; runs may
 * cross words. The differences that decide whether the task fits are those that take its demand
 * away: in the ticks of its run, f ^= d ^ c. So a placement has hardly a branch that depends on the
 * instance, for any number of ticks. */
#include "planner/rcpsp/kernels.h"

#include <assert.h>

/* Loops over planes and groups have constant counts in the kernels below; unrolled, differences
 * stay in registers. */
#if defined __clang__
#define UNROLL /* it decides by itself, and warns if it is asked for the impossible */
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif
#define INLINE static inline __attribute__((always_inline))

typedef uint64_t half_vector __attribute__((vector_size(16)));

/* Sum over the lanes, as bits: set if any lane has it. */
INLINE uint32_t any_lane(br_rcpsp_vector v)
{
    half_vector h = (half_vector)v;
    uint64_t both = h[0] | h[1];
    return (uint32_t)(both | both >> 32);
}

INLINE br_rcpsp_vector broadcast(uint32_t bits)
{
    return (br_rcpsp_vector){bits, bits, bits, bits};
}

/* The ticks of a word at which the demand does not fit; the changes of each plane that placing it
 * would bring go to `change`. */
INLINE uint32_t subtract(const br_rcpsp_vector *slice, const br_rcpsp_vector *demand,
                         br_rcpsp_vector *change, const uint32_t planes, const uint32_t groups)
{
    br_rcpsp_vector any = {0};
    UNROLL for (uint32_t g = 0; g < groups; g++)
    {
        br_rcpsp_vector borrow = {0};
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

INLINE void apply(br_rcpsp_vector *slice, const br_rcpsp_vector *change, uint32_t ticks,
                  const uint32_t cells)
{
    br_rcpsp_vector mask = broadcast(ticks);
    UNROLL for (uint32_t k = 0; k < cells; k++) slice[k] ^= change[k] & mask;
}

/* For usual shapes, the compiler knows these counts. */
struct shape {
    uint32_t planes, groups, steps, cells; /* cells: planes * groups */
};

/* The free amounts during one schedule. Words from `written` on are stale: they stand for words
 * with everything free. */
struct profile {
    br_rcpsp_vector *slice; /* [word * cells + plane * groups + group] */
    uint32_t written;
};

INLINE br_rcpsp_vector *word_at(const struct profile *p, uint32_t word, const struct shape shape)
{
    return p->slice + (size_t)word * shape.cells;
}

/* Writes the stale words up to the given one, which may then be read. */
INLINE void write_upto(struct profile *p, const br_rcpsp_vector *whole, uint32_t word,
                       const struct shape shape)
{
    for (; p->written <= word; p->written++)
        UNROLL for (uint32_t k = 0; k < shape.cells; k++) word_at(p, p->written, shape)[k] =
            whole[k];
}

/* max(end) over the nodes before the task. */
INLINE int64_t latest_end(const struct br_rcpsp_side *side, const struct br_rcpsp_record *task,
                          const int64_t *end)
{
    int64_t latest = end[task->before[0]];
    UNROLL for (int k = 1; k < BR_RCPSP_INLINE; k++)
    {
        int64_t other = end[task->before[k]];
        latest = other > latest ? other : latest;
    }
    for (uint32_t a = task->more; a < task->more_end; a++)
        if (end[side->before[a]] > latest)
            latest = end[side->before[a]];
    return latest;
}

/* The first tick from `bound` on at which the task fits for its whole duration. *word is the word
 * that the search read last, and `change` the task's change to it. */
INLINE uint32_t first_fit(struct profile *p, const br_rcpsp_vector *whole,
                          const struct br_rcpsp_record *task, uint32_t bound, uint32_t *word,
                          br_rcpsp_vector *change, const struct shape shape)
{
    const br_rcpsp_vector *demand = (const void *)(task + 1);
    uint32_t allowed = UINT32_MAX << bound % 32, before = 0; /* ticks before the word that fit */
    for (*word = bound / 32;; ++*word) {
        write_upto(p, whole, *word, shape);
        uint32_t fits =
            ~subtract(word_at(p, *word, shape), demand, change, shape.planes, shape.groups) &
            allowed;
        uint64_t begins = fits; /* ticks from which on a whole run fits in this word */
        UNROLL for (uint32_t k = 0; k < shape.steps; k++) begins &= begins >> task->shift[k];
        if (before) {
            uint32_t lead = ~fits ? (uint32_t)__builtin_ctz(~fits) : 32;
            if (before + lead >= task->duration)
                return *word * 32 - before;
        }
        if (begins)
            return *word * 32 + (uint32_t)__builtin_ctzll(begins);
        before = ~fits ? (uint32_t)__builtin_clz(~fits) : before + 32;
        allowed = UINT32_MAX;
    }
}

/* Takes the task's demand from the ticks of its run. The changes of `word`, where first_fit ended,
 * are known; a run that leaves this word needs those of its other words, too. */
INLINE void occupy(struct profile *p, const br_rcpsp_vector *whole,
                   const struct br_rcpsp_record *task, uint32_t start, uint32_t word,
                   br_rcpsp_vector *change, const struct shape shape)
{
    const br_rcpsp_vector *demand = (const void *)(task + 1);
    uint32_t duration = task->duration, at = start % 32, to = start + duration;
    if (start / 32 == word && at + duration <= 32) {
        apply(word_at(p, word, shape), change, UINT32_MAX >> (32 - duration) << at, shape.cells);
        return;
    }
    write_upto(p, whole, (to - 1) / 32, shape);
    for (uint32_t t = start; t < to; t = (t / 32 + 1) * 32) {
        uint32_t ticks = UINT32_MAX << t % 32;
        if (to - t / 32 * 32 < 32)
            ticks &= (UINT32_C(1) << to % 32) - 1;
        subtract(word_at(p, t / 32, shape), demand, change, shape.planes, shape.groups);
        apply(word_at(p, t / 32, shape), change, ticks, shape.cells);
    }
}

INLINE int64_t generate(struct br_rcpsp_workspace *workspace, enum br_direction direction,
                        const uint32_t *list, int step, int64_t limit, const struct shape shape)
{
    const struct br_rcpsp_model *m = workspace->model;
    const struct br_rcpsp_side *side = &m->side[direction];
    const size_t stride = sizeof(struct br_rcpsp_record) + shape.cells * sizeof(br_rcpsp_vector);
    struct profile profile = {.slice = workspace->slice};
    br_rcpsp_vector change[BR_RCPSP_CELLS];
    int64_t *end = workspace->end, makespan = 0;
    for (uint32_t v = m->tasks; v < side->nodes; v++)
        end[v] = 0;
    for (uint32_t left = m->tasks; left; left--, list += step) {
        const struct br_rcpsp_record *task = (const void *)(side->record + stride * *list);
        uint32_t start = (uint32_t)latest_end(side, task, end), word;
        if (task->holds) {
            start = first_fit(&profile, m->whole_slice, task, start, &word, change, shape);
            occupy(&profile, m->whole_slice, task, start, word, change, shape);
        }
        int64_t finish = (int64_t)start + task->duration, reach = finish + task->tail;
        end[*list] = finish;
        makespan = reach > makespan ? reach : makespan;
        if (reach > limit) {
            workspace->left = left - 1;
            return BR_RCPSP_CUT;
        }
        if (task->hub && end[task->hub] < finish)
            end[task->hub] = finish;
    }
    assert(makespan <= m->horizon && profile.written <= m->horizon / 32 + 1);
    return makespan;
}

/* The usual shapes as code of their own: up to four resources, capacities up to 255. */
#define SHAPE(planes, steps)                                                                       \
    case 8 * (planes) + (steps):                                                                   \
        return generate(workspace, direction, list, step, limit,                                   \
                        (struct shape){planes, 1, steps, planes})
#define SHAPES(planes)                                                                             \
    SHAPE(planes, 3);                                                                              \
    SHAPE(planes, 4);                                                                              \
    SHAPE(planes, 5)

int64_t br_rcpsp_run_slices(struct br_rcpsp_workspace *workspace, enum br_direction direction,
                            const uint32_t *list, int step, int64_t limit)
{
    const struct br_rcpsp_model *m = workspace->model;
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
    return generate(workspace, direction, list, step, limit,
                    (struct shape){m->planes, m->groups, BR_RCPSP_STEPS, m->planes * m->groups});
}
