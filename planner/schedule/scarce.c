/* Work counts in ticks for which it keeps the whole cluster busy, by resource. Other work of a
 * stage is that of the resource, of the rest, of which it needs most. */
#include "planner/schedule/scarce.h"

#include "base/collections/memory.h"
#include "base/invariant.h"
#include "base/numbers/wide.h"
#include "planner/schedule/dispatch.h"
#include "planner/schedule/order.h"

enum { WORD = 64 };
/* Ratios are keys in units of 2^-20, and at most that. */
static const double ratio_unit = 1 << 20, ratio_most = 9e18;

struct br_scarce {
    const struct br_instance *in;
    uint32_t words;
    uint64_t *ahead, *behind; /* by stage, a row of bits: all that it waits for, wait for it */
    int64_t *busy;            /* by stage: the sum of its durations */
    int64_t *scarce, *other;  /* by stage */
    int64_t *length;          /* by stage: its longest task, or its work if that is more */
    int64_t *work_ahead, *work_behind; /* by stage: the most work of a resource, with itself */
    int64_t *head, *tail;              /* by stage, without itself */
};

static int64_t scarce_larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static bool has(const struct br_scarce *c, const uint64_t *rows, uint32_t row, uint32_t stage)
{
    return rows[(size_t)row * c->words + stage / WORD] >> (stage % WORD) & 1;
}

/* Fills the rows, and the longest way to each stage, in one direction. */
static void reach_out(struct br_scarce *c, bool backward)
{
    const struct br_instance *in = c->in;
    const uint32_t *first = backward ? in->child_first : in->parent_first;
    const struct br_arc *arc = backward ? in->child : in->parent;
    uint64_t *rows = backward ? c->behind : c->ahead;
    int64_t *way = backward ? c->tail : c->head;
    for (uint32_t k = 0; k < in->stages; k++) {
        const uint32_t s = in->topological[backward ? in->stages - 1 - k : k];
        for (uint32_t a = first[s]; a < first[s + 1]; a++) {
            const uint32_t u = arc[a].stage;
            for (uint32_t w = 0; w < c->words; w++)
                rows[(size_t)s * c->words + w] |= rows[(size_t)u * c->words + w];
            rows[(size_t)s * c->words + u / WORD] |= UINT64_C(1) << (u % WORD);
            const int64_t longest = arc[a].one_to_one ? 0 : c->length[u];
            way[s] = scarce_larger(way[s], way[u] + longest);
        }
    }
}

/* The sum over the stages of the row, and s itself. */
static int64_t sum_of(const struct br_scarce *c, const uint64_t *rows, uint32_t s,
                      const int64_t *value)
{
    int64_t sum = value[s];
    for (uint32_t u = 0; u < c->in->stages; u++)
        if (has(c, rows, s, u))
            sum += value[u];
    return sum;
}

/* The work of each stage by this resource, and the sum. */
static int64_t work_by(const struct br_scarce *c, uint32_t resource, int64_t *work)
{
    const struct br_instance *in = c->in;
    int64_t all = 0;
    for (uint32_t s = 0; s < in->stages; s++) {
        const br_wide sum = (br_wide)c->busy[s] * in->demand[(size_t)s * in->resources + resource];
        work[s] = in->total[resource] > 0 ? (int64_t)(sum / in->total[resource]) : 0;
        all += work[s];
    }
    return all;
}

/* Which resource is scarce, and what each stage needs of it, of others, and how long it takes. */
static void find_work(struct br_scarce *c, int64_t *work)
{
    const struct br_instance *in = c->in;
    int64_t most = -1;
    uint32_t scarce = 0;
    for (uint32_t r = 0; r < in->resources; r++) {
        const int64_t all = work_by(c, r, work);
        if (all > most) {
            most = all;
            scarce = r;
        }
    }
    for (uint32_t s = 0; s < in->stages; s++)
        c->length[s] = in->stage_longest[s];
    for (uint32_t r = 0; r < in->resources; r++) {
        work_by(c, r, work);
        for (uint32_t s = 0; s < in->stages; s++) {
            c->length[s] = scarce_larger(c->length[s], work[s]);
            if (r == scarce)
                c->scarce[s] = work[s];
            else
                c->other[s] = scarce_larger(c->other[s], work[s]);
        }
    }
}

static void find_sums(struct br_scarce *c, int64_t *work)
{
    for (uint32_t r = 0; r < c->in->resources; r++) {
        work_by(c, r, work);
        for (uint32_t s = 0; s < c->in->stages; s++) {
            c->work_ahead[s] = scarce_larger(c->work_ahead[s], sum_of(c, c->ahead, s, work));
            c->work_behind[s] = scarce_larger(c->work_behind[s], sum_of(c, c->behind, s, work));
        }
    }
}

struct br_scarce *br_scarce_create(const struct br_instance *in)
{
    assert(in->stages <= BR_SCARCE_STAGES);
    struct br_scarce *c = br_calloc(1, sizeof *c);
    if (!c)
        return NULL;
    const size_t n = in->stages;
    c->in = in;
    c->words = (in->stages + WORD - 1) / WORD;
    c->ahead = br_calloc(2 * n * c->words, sizeof *c->ahead);
    c->scarce = br_calloc(9 * n, sizeof *c->scarce);
    if (!c->ahead || !c->scarce) {
        br_scarce_destroy(c);
        return NULL;
    }
    c->behind = c->ahead + n * c->words;
    c->other = c->scarce + n;
    c->length = c->scarce + 2 * n;
    c->work_ahead = c->scarce + 3 * n;
    c->work_behind = c->scarce + 4 * n;
    c->head = c->scarce + 5 * n;
    c->tail = c->scarce + 6 * n;
    c->busy = c->scarce + 7 * n;
    for (uint32_t t = 0; t < in->tasks; t++)
        c->busy[in->task_stage[t]] += in->duration[t];
    int64_t *work = c->scarce + 8 * n;
    find_work(c, work);
    reach_out(c, false);
    reach_out(c, true);
    find_sums(c, work);
    return c;
}

void br_scarce_destroy(struct br_scarce *c)
{
    if (!c)
        return;
    br_free(c->ahead);
    br_free(c->scarce);
    br_free(c);
}

/* Sets of stages, each a stage with all that is ahead of it and not taken yet (or behind it): what
 * they need. */
struct sets {
    const struct br_scarce *c;
    const uint64_t *with, *within; /* rows: what a set holds, and in which sets a stage is */
    int64_t *scarce, *other;       /* by the stage that gives the set */
    bool *taken;
};

/* The smaller, the earlier the set is taken. */
static double worth_of(const struct sets *sets, enum br_scarce_order order, uint32_t s)
{
    const double scarce = (double)sets->scarce[s], other = (double)sets->other[s];
    if (order == BR_SCARCE_END)
        return other - scarce;
    /* All of the first kind come before all of the second. */
    return other < scarce ? -1 / (1 + other) : 1 / (1 + scarce);
}

static void take_stage(struct sets *sets, uint32_t s)
{
    const struct br_scarce *c = sets->c;
    sets->taken[s] = true;
    for (uint32_t u = 0; u < c->in->stages; u++)
        if (has(c, sets->within, s, u)) {
            sets->scarce[u] -= c->scarce[s];
            sets->other[u] -= c->other[s];
        }
}

/* Takes sets, the best first, and their stages in topological order. */
static bool order_sets(const struct br_scarce *c, enum br_scarce_order order, int64_t *key)
{
    const uint32_t n = c->in->stages;
    const bool backward = order == BR_SCARCE_END;
    struct sets sets = {.c = c,
                        .with = backward ? c->behind : c->ahead,
                        .within = backward ? c->ahead : c->behind,
                        .scarce = br_malloc(2 * (size_t)n * sizeof *sets.scarce),
                        .taken = br_calloc(n, sizeof *sets.taken)};
    const bool ok = sets.scarce && sets.taken;
    sets.other = ok ? sets.scarce + n : NULL;
    for (uint32_t s = 0; ok && s < n; s++) {
        sets.scarce[s] = sum_of(c, sets.with, s, c->scarce);
        sets.other[s] = sum_of(c, sets.with, s, c->other);
    }
    for (uint32_t place = 0; ok && place < n;) {
        uint32_t best = n;
        for (uint32_t s = 0; s < n; s++)
            if (!sets.taken[s] &&
                (best == n || worth_of(&sets, order, s) < worth_of(&sets, order, best)))
                best = s;
        for (uint32_t k = 0; k < n; k++) {
            const uint32_t s = c->in->topological[backward ? n - 1 - k : k];
            if (sets.taken[s] || (s != best && !has(c, sets.with, best, s)))
                continue;
            key[s] = backward ? (int64_t)place : -(int64_t)place;
            take_stage(&sets, s);
            place++;
        }
    }
    br_free(sets.scarce);
    br_free(sets.taken);
    return ok;
}

static int64_t ratio_of(int64_t scarce, int64_t other)
{
    const double ratio = ratio_unit * (double)scarce / ((double)other + 1);
    return (int64_t)(ratio < ratio_most ? ratio : ratio_most);
}

bool br_scarce_keys(const struct br_scarce *c, enum br_scarce_order order, int64_t *key)
{
    if (order == BR_SCARCE_JOHNSON || order == BR_SCARCE_END)
        return order_sets(c, order, key);
    for (uint32_t s = 0; s < c->in->stages; s++)
        switch (order) {
        case BR_SCARCE_RATIO:
            key[s] = ratio_of(sum_of(c, c->behind, s, c->scarce), sum_of(c, c->ahead, s, c->other));
            break;
        case BR_SCARCE_TAIL:
            key[s] = scarce_larger(c->tail[s] + c->length[s], c->work_behind[s]);
            break;
        default:
            key[s] = -scarce_larger(c->head[s], c->work_ahead[s] - c->length[s]);
        }
    return true;
}

bool br_scarce_dispatch(const struct br_scarce *c, enum br_scarce_order order_of,
                        struct br_schedule *schedule, const struct br_stop *stop)
{
    const struct br_instance *in = c->in;
    int64_t *stage_key = br_malloc(in->stages * sizeof *stage_key);
    struct br_key *key = br_malloc(in->tasks * sizeof *key);
    struct br_order order = {0};
    bool ok = stage_key && key && br_scarce_keys(c, order_of, stage_key);
    for (uint32_t t = 0; ok && t < in->tasks; t++)
        key[t] = (struct br_key){stage_key[in->task_stage[t]], in->duration[t], 0};
    ok = ok && br_order_init(&order, in, key);
    br_free(stage_key);
    br_free(key);
    ok = ok && br_dispatch(schedule, in, &order, BR_DISPATCH_ORDER, stop);
    br_order_finish(&order);
    return ok;
}
