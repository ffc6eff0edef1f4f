/* The known sets are priced first; then all sets, exactly, if these bring nothing. A proof takes
 * much of the time, and most rounds need none. */
#include "lp/solver/pricing.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

#include "base/numbers/wide.h"
#include "base/process/parallel.h"

/* A set is worth a column when it weighs more than its interval's price by this much. */
#define PRICE_STEP 4
/* Nodes of the first exact search for the heaviest set of a cell. */
#define NODES_LEAST 200
/* The first searches take about as long as a cell has pairs of stages. Below so many pairs in all,
 * threads would only wait for one another. */
#define TOGETHER_LEAST 150000u

void lp_draw(struct lp_refutation *r, const struct lp_point *to, int eighths)
{
    assert(eighths >= 0 && eighths <= 8);
    for (uint32_t v = 0; v < r->problem->count; v++)
        r->now.dual[v] = (to->dual[v] * eighths + r->out.dual[v] * (8 - eighths)) / 8;
    for (uint32_t cell = 0; cell < r->cells; cell++)
        r->now.price[cell] = (to->price[cell] * eighths + r->out.price[cell] * (8 - eighths)) / 8;
    for (uint32_t k = 0; k < r->cut_rows; k++)
        r->now.cut[k] = (to->cut[k] * eighths + r->out.cut[k] * (8 - eighths)) / 8;
}

void lp_weigh(const struct lp_refutation *r, const struct lp_point *point, int64_t *weight)
{
    uint32_t n = r->problem->count;
    for (uint32_t k = 0; k < r->intervals.count; k++)
        memcpy(weight + (size_t)k * n, point->dual, n * sizeof *weight);
    for (uint32_t k = 0; k < r->cut_rows; k++) {
        const struct lp_cut *cut = &r->cuts.cut[k];
        for (uint32_t i = cut->first; i < cut->last && point->cut[k] > 0; i++)
            lp_cut_apply(cut, r->problem, point->cut[k], weight + (size_t)i * n);
    }
    for (uint32_t k = 0; k < r->intervals.count; k++)
        for (uint32_t v = 0; v < n; v++)
            if (k < r->intervals.first[v] || k >= r->intervals.last[v])
                weight[(size_t)k * n + v] = 0;
}

/* The heaviest pattern in every cell. */
static void price_known(struct lp_refutation *r)
{
    uint32_t n = r->problem->count, classes = r->problem->in->classes;
    for (uint32_t cell = 0; cell < r->cells; cell++) {
        r->known[cell] = 0;
        r->best[cell] = UINT32_MAX;
    }
    for (uint32_t j = 0; j < r->patterns->count; j++) {
        const struct lp_pattern *pattern = &r->patterns->pattern[j];
        for (uint32_t k = pattern->first; k < pattern->last; k++) {
            const int64_t *weight = r->weight + (size_t)k * n;
            uint32_t cell = k * classes + pattern->cls;
            int64_t sum = 0;
            for (uint32_t m = 0; m < pattern->members; m++)
                sum += weight[pattern->stage[m]] * pattern->tasks[m];
            if (sum > r->known[cell]) {
                r->known[cell] = sum;
                r->best[cell] = j;
            }
        }
    }
}

/* Adds the set last found in every cell in which, by the master's weights, it is worth more than
 * its price. */
static bool add_found(struct lp_refutation *r, uint32_t *added)
{
    uint32_t n = r->problem->count, classes = r->problem->in->classes;
    *added = 0;
    for (uint32_t cell = 0; cell < r->cells; cell++) {
        if (r->best[cell] == UINT32_MAX)
            continue;
        const struct lp_pattern *pattern = &r->patterns->pattern[r->best[cell]];
        const int64_t *weight = r->own_weight + (size_t)(cell / classes) * n;
        int64_t sum = 0;
        for (uint32_t m = 0; m < pattern->members; m++)
            sum += weight[pattern->stage[m]] * pattern->tasks[m];
        if (sum <= r->out.price[cell] + PRICE_STEP)
            continue;
        if (!lp_add_column(r, r->best[cell], cell / classes))
            return false;
        ++*added;
    }
    return true;
}

/* One search after the other for the heaviest sets of the cells asked for. */
struct searches {
    struct lp_refutation *r;
    int64_t nodes; /* of one search, at most */
    atomic_int_least64_t spent;
    atomic_bool late;
};

static bool pricing_search(void *context, uint32_t worker, uint32_t index)
{
    struct searches *s = context;
    struct lp_refutation *r = s->r;
    uint32_t cell = r->asked[index], n = r->problem->count, classes = r->problem->in->classes;
    int64_t found, left = s->nodes;
    assert(worker < r->packers->count);
    if (lp_late(r->budget)) {
        atomic_store(&s->late, true);
        return false;
    }
    r->most[cell] = br_packer_heaviest(r->packers->packer[worker], cell % classes,
                                       r->weight + (size_t)(cell / classes) * n, r->known[cell],
                                       r->set + (size_t)index * n, &found, &left);
    atomic_fetch_add(&s->spent, s->nodes - left);
    r->heavier[index] = found > r->known[cell];
    r->known[cell] = found;
    return true;
}

/* Searches for the heaviest sets, side by side: each search stands for itself, and what they found
 * is taken in the order of the cells, so that nothing depends on the threads. False when memory or
 * time is out. */
static bool price_sets(struct lp_refutation *r, int64_t nodes, bool first)
{
    uint32_t n = r->problem->count, classes = r->problem->in->classes, count = 0;
    struct searches s = {.r = r, .nodes = nodes};
    for (uint32_t cell = 0; cell < r->cells; cell++)
        if (first || r->most[cell] > r->known[cell])
            r->asked[count++] = cell;
    const bool small = nodes == NODES_LEAST && (uint64_t)count * n * n < TOGETHER_LEAST;
    br_parallel(small ? 1 : r->packers->count, count, pricing_search, &s);
    r->budget->nodes -= atomic_load(&s.spent);
    for (uint32_t k = 0; k < count && !atomic_load(&s.late); k++)
        if (r->heavier[k]) {
            uint32_t cell = r->asked[k];
            r->best[cell] =
                lp_patterns_add(r->patterns, cell % classes, r->set + (size_t)k * n, &r->intervals);
            if (r->best[cell] == UINT32_MAX)
                return false;
        }
    return !atomic_load(&s.late);
}

/* Prices all sets, with searches of so many nodes, in cells where the last search for the same
 * weights (first: there was none) left a doubt. *refuted says whether the inequality fails for the
 * present weights; *worth by how much, were nothing heavier than what was found. False when memory
 * or time is out. */
static bool price_all(struct lp_refutation *r, int64_t nodes, bool first, bool *refuted,
                      double *worth)
{
    uint32_t n = r->problem->count, classes = r->problem->in->classes;
    br_wide asked = 0, held = 0, found_held = 0;
    if (!price_sets(r, nodes, first))
        return false;
    for (uint32_t v = 0; v < n; v++)
        asked += (br_wide)r->now.dual[v] * r->problem->work[v];
    for (uint32_t k = 0; k < r->cut_rows; k++)
        *(r->cuts.cut[k].kind == LP_CUT_MANDATORY ? &asked : &held) +=
            (br_wide)r->now.cut[k] * r->cuts.cut[k].value;
    found_held = held;
    for (uint32_t cell = 0; cell < r->cells; cell++) {
        uint32_t k = cell / classes, cls = cell % classes;
        assert(r->known[cell] <= r->most[cell]);
        br_wide time = (br_wide)lp_length_of(r, k) * lp_machines_of(r, cls);
        held += time * r->most[cell];
        found_held += time * r->known[cell];
    }
    *worth = (double)asked - (double)found_held;
    *refuted = asked > held;
    return true;
}

/* Prices the point at hand with longer and longer searches, until some set is worth a column, or
 * the makespan is refuted. */
static bool price_exactly(struct lp_refutation *r, int64_t nodes_most, uint32_t *added,
                          bool *refuted)
{
    bool central = false; /* the point is the centre now */
    double worth = 0;
    *added = 0;
    *refuted = false;
    for (int64_t nodes = NODES_LEAST; *added == 0 && nodes <= nodes_most; nodes *= 16) {
        if (!price_all(r, nodes, nodes == NODES_LEAST, refuted, &worth))
            return false;
        if (*refuted)
            return true;
        if (central)
            r->centre_worth = worth;
        if (!r->has_centre || worth > r->centre_worth) {
            struct lp_point better = r->now;
            central = true;
            r->now = r->centre;
            r->centre = better;
            lp_draw(r, &r->centre, 8);
            r->has_centre = true;
            r->centre_worth = worth;
        }
        if (!add_found(r, added))
            return false;
    }
    return true;
}

bool lp_price(struct lp_refutation *r, int64_t nodes, uint32_t *added, bool *refuted)
{
    *refuted = false;
    lp_weigh(r, &r->now, r->weight);
    price_known(r);
    return add_found(r, added) && (*added > 0 || price_exactly(r, nodes, added, refuted));
}
