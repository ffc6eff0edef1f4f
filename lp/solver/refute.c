/* Column generation. In every round the solver's dual values are rounded to integers; with these
 * the known sets are priced first, and all sets, exactly, once the known ones bring nothing. The
 * exact pricing is at the same time the check of the proof: with weights Y of stages, and D of
 * cuts, a plan within the makespan gives
 *
 *   sum Y work + sum D value (LP_CUT_MANDATORY)
 *     <= sum over intervals of length x (sum over machines of the heaviest set) + sum D value
 * (rest)
 *
 * because what runs on a machine at any moment of an interval is one of the sets, and the cuts hold
 * in every plan. Where that fails in integers there is no plan. */
#include "lp/solver/refute.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/numbers/wide.h"
#include "lp/solver/cut.h"
#include "lp/solver/master.h"

/* Dual values are at most 1: that is what a shortfall costs. Integers count in 1 / SCALE. */
#define SCALE (1 << 22)
#define DUAL_MOST 256
/* A set is worth a column when it weighs more than its interval's price by this much. */
#define PRICE_STEP 4
/* Shortfalls below this share of the makespan count as none. */
#define SHORTFALL 1e-7
/* Nodes of the search for the heaviest set of a cell. */
#define NODES_LEAST 200
#define NODES_MIDDLE 4000
#define NODES_MOST 60000
/* How near to the best dual values so far sets are priced, of 8. */
#define CENTRE_EIGHTHS 4
/* Most sets and columns. */
#define PATTERNS_MOST 60000u
#define COLUMNS_MOST 200000u

/* A process gets at least this share of a processor, more or less, on a busy machine. */
#define SHARE_LEAST (1.0 / 16)

static clockid_t time_by = CLOCK_MONOTONIC;

void lp_count_processor_time(void)
{
    time_by = CLOCK_PROCESS_CPUTIME_ID;
}

double lp_now(void)
{
    struct timespec now;
    clock_gettime(time_by, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

struct column {
    uint32_t pattern, interval;
    int number; /* in the master */
};

/* Dual values, rounded. */
struct point {
    int64_t *dual;  /* by stage, in 1 / SCALE */
    int64_t *price; /* by cell */
    int64_t *cut;   /* by cut */
};

struct refutation {
    const struct lp_problem *problem;
    struct lp_patterns *patterns;
    struct br_packer *packer;
    struct lp_budget *budget;
    int64_t makespan;
    uint32_t cells; /* intervals x classes */
    struct lp_intervals intervals;
    struct lp_cuts cuts;
    struct lp_master *master; /* rows: one a stage, one a cell, one a cut */
    uint32_t cut_rows;        /* cuts that have their row */
    uint32_t columns, column_room;
    struct column *column;
    struct point out;    /* the master's dual values */
    struct point centre; /* the best so far, by what was found: see generate() */
    struct point now;    /* those that are priced */
    bool has_centre;
    double centre_worth;
    int64_t *known;      /* by cell: the weight of the heaviest pattern, and its number, */
    uint32_t *best;      /* or 0 and UINT32_MAX: the empty set */
    int64_t *most;       /* by cell: no set is heavier */
    int64_t *weight;     /* scratch: by interval and stage, of the point priced */
    int64_t *own_weight; /* the same of the master's */
    uint32_t *tasks;     /* scratch: by stage */
    double *time;        /* by stage and interval: how long it runs */
    int *index;          /* scratch for the master, from 1 */
    double *value;
    uint32_t scratch_room;
};

static int row_of_stage(uint32_t v)
{
    return (int)v + 1;
}

static int row_of_cell(const struct refutation *r, uint32_t cell)
{
    return (int)(r->problem->count + cell) + 1;
}

static int row_of_cut(const struct refutation *r, uint32_t cut)
{
    return (int)(r->problem->count + r->cells + cut) + 1;
}

static int64_t length_of(const struct refutation *r, uint32_t interval)
{
    return r->intervals.point[interval + 1] - r->intervals.point[interval];
}

static uint32_t machines_of(const struct refutation *r, uint32_t cls)
{
    return r->problem->in->class_first[cls + 1] - r->problem->in->class_first[cls];
}

static void expand(const struct refutation *r, const struct lp_pattern *pattern)
{
    memset(r->tasks, 0, r->problem->count * sizeof *r->tasks);
    for (uint32_t k = 0; k < pattern->members; k++)
        r->tasks[pattern->stage[k]] = pattern->tasks[k];
}

static bool make_scratch(struct refutation *r, uint32_t entries)
{
    if (entries <= r->scratch_room)
        return true;
    uint32_t room = 2 * entries;
    int *index = realloc(r->index, room * sizeof *index);
    r->index = index ? index : r->index;
    double *value = realloc(r->value, room * sizeof *value);
    r->value = value ? value : r->value;
    if (!index || !value)
        return false;
    r->scratch_room = room;
    return true;
}

static bool start(struct refutation *r)
{
    const struct lp_problem *p = r->problem;
    if (!lp_intervals_init(&r->intervals, p, r->makespan))
        return false;
    lp_patterns_place(r->patterns, &r->intervals);
    uint32_t classes = p->in->classes, intervals = r->intervals.count;
    r->cells = intervals * classes;
    struct point *point[] = {&r->out, &r->centre, &r->now};
    bool ok = true;
    for (int k = 0; k < 3; k++) {
        point[k]->dual = malloc(p->count * sizeof *point[k]->dual);
        point[k]->price = malloc(r->cells * sizeof *point[k]->price);
        ok = ok && point[k]->dual && point[k]->price;
    }
    r->known = malloc(r->cells * sizeof *r->known);
    r->best = malloc(r->cells * sizeof *r->best);
    r->most = malloc(r->cells * sizeof *r->most);
    r->weight = malloc((size_t)intervals * p->count * sizeof *r->weight);
    r->tasks = malloc(p->count * sizeof *r->tasks);
    r->time = malloc((size_t)intervals * p->count * sizeof *r->time);
    r->master = lp_master_create();
    r->own_weight = malloc((size_t)intervals * p->count * sizeof *r->own_weight);
    if (!ok || !r->own_weight || !r->known || !r->best || !r->most || !r->weight || !r->tasks ||
        !r->time || !r->master)
        return false;
    /* The solver counts time in makespans. */
    for (uint32_t v = 0; v < p->count; v++)
        lp_master_add_row(r->master, LP_AT_LEAST, (double)p->work[v] / (double)r->makespan);
    for (uint32_t k = 0; k < intervals; k++)
        for (uint32_t c = 0; c < classes; c++)
            lp_master_add_row(r->master, LP_AT_MOST,
                              (double)length_of(r, k) * machines_of(r, c) / (double)r->makespan);
    return true;
}

static void end(struct refutation *r)
{
    lp_master_destroy(r->master);
    lp_cuts_finish(&r->cuts);
    lp_intervals_finish(&r->intervals);
    free(r->column);
    struct point *point[] = {&r->out, &r->centre, &r->now};
    for (int k = 0; k < 3; k++) {
        free(point[k]->dual);
        free(point[k]->price);
        free(point[k]->cut);
    }
    free(r->own_weight);
    free(r->known);
    free(r->best);
    free(r->most);
    free(r->weight);
    free(r->tasks);
    free(r->time);
    free(r->index);
    free(r->value);
}

static bool add_column(struct refutation *r, uint32_t pattern_number, uint32_t interval)
{
    const struct lp_pattern *pattern = &r->patterns->pattern[pattern_number];
    if (r->columns == r->column_room) {
        uint32_t room = r->column_room ? 2 * r->column_room : 256;
        struct column *larger = realloc(r->column, room * sizeof *larger);
        if (!larger)
            return false;
        r->column = larger;
        r->column_room = room;
    }
    if (!make_scratch(r, pattern->members + r->cuts.count + 2))
        return false;
    int count = 0;
    for (uint32_t k = 0; k < pattern->members; k++) {
        r->index[++count] = row_of_stage(pattern->stage[k]);
        r->value[count] = pattern->tasks[k];
    }
    r->index[++count] = row_of_cell(r, interval * r->problem->in->classes + pattern->cls);
    r->value[count] = 1;
    expand(r, pattern);
    for (uint32_t k = 0; k < r->cut_rows; k++) {
        const struct lp_cut *cut = &r->cuts.cut[k];
        if (interval < cut->first || interval >= cut->last)
            continue;
        double value = lp_cut_coefficient(cut, r->problem, r->tasks);
        if (value > 0) {
            r->index[++count] = row_of_cut(r, k);
            r->value[count] = value;
        }
    }
    int number = lp_master_add_column(r->master, count, r->index, r->value);
    r->column[r->columns++] = (struct column){pattern_number, interval, number};
    return true;
}

/* Gives all new cuts their rows, with the columns that are there. */
static bool add_cut_rows(struct refutation *r)
{
    if (!make_scratch(r, r->columns + 2))
        return false;
    struct point *point[] = {&r->out, &r->centre, &r->now};
    for (int k = 0; k < 3; k++) {
        int64_t *cut = realloc(point[k]->cut, (r->cuts.count + 1) * sizeof *cut);
        if (!cut)
            return false;
        point[k]->cut = cut;
        for (uint32_t c = r->cut_rows; c < r->cuts.count; c++)
            cut[c] = 0;
    }
    for (; r->cut_rows < r->cuts.count; r->cut_rows++) {
        const struct lp_cut *cut = &r->cuts.cut[r->cut_rows];
        int row =
            lp_master_add_row(r->master, cut->kind == LP_CUT_MANDATORY ? LP_AT_LEAST : LP_AT_MOST,
                              (double)cut->value / (double)r->makespan);
        int count = 0;
        for (uint32_t k = 0; k < r->columns; k++) {
            if (r->column[k].interval < cut->first || r->column[k].interval >= cut->last)
                continue;
            expand(r, &r->patterns->pattern[r->column[k].pattern]);
            double value = lp_cut_coefficient(cut, r->problem, r->tasks);
            if (value > 0) {
                r->index[++count] = r->column[k].number;
                r->value[count] = value;
            }
        }
        lp_master_extend_row(r->master, row, count, r->index, r->value);
    }
    return true;
}

static void read_times(struct refutation *r)
{
    uint32_t intervals = r->intervals.count;
    memset(r->time, 0, (size_t)intervals * r->problem->count * sizeof *r->time);
    for (uint32_t k = 0; k < r->columns; k++) {
        double value = lp_master_value(r->master, r->column[k].number) * (double)r->makespan;
        if (value <= 0)
            continue;
        const struct lp_pattern *pattern = &r->patterns->pattern[r->column[k].pattern];
        for (uint32_t m = 0; m < pattern->members; m++)
            r->time[(size_t)pattern->stage[m] * intervals + r->column[k].interval] +=
                value * pattern->tasks[m];
    }
}

static int64_t scaled(double dual)
{
    return dual > DUAL_MOST ? (int64_t)DUAL_MOST * SCALE : (int64_t)llround(dual * SCALE);
}

static void read_duals(struct refutation *r)
{
    for (uint32_t v = 0; v < r->problem->count; v++)
        r->out.dual[v] = scaled(lp_master_dual(r->master, row_of_stage(v)));
    for (uint32_t cell = 0; cell < r->cells; cell++)
        r->out.price[cell] = scaled(lp_master_dual(r->master, row_of_cell(r, cell)));
    for (uint32_t k = 0; k < r->cut_rows; k++)
        r->out.cut[k] = scaled(lp_master_dual(r->master, row_of_cut(r, k)));
}

/* The point priced: the master's, drawn so many eighths of the way towards another. */
static void draw(struct refutation *r, const struct point *to, int eighths)
{
    for (uint32_t v = 0; v < r->problem->count; v++)
        r->now.dual[v] = (to->dual[v] * eighths + r->out.dual[v] * (8 - eighths)) / 8;
    for (uint32_t cell = 0; cell < r->cells; cell++)
        r->now.price[cell] = (to->price[cell] * eighths + r->out.price[cell] * (8 - eighths)) / 8;
    for (uint32_t k = 0; k < r->cut_rows; k++)
        r->now.cut[k] = (to->cut[k] * eighths + r->out.cut[k] * (8 - eighths)) / 8;
}

/* Weighs every stage in every interval by the point; 0 outside windows. */
static void weigh(const struct refutation *r, const struct point *point, int64_t *weight)
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
static void price_known(struct refutation *r)
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

/* Adds the set last found in every cell where, by the master's weights, it is worth more than its
 * price. */
static bool add_found(struct refutation *r, uint32_t *added)
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
        if (!add_column(r, r->best[cell], cell / classes))
            return false;
        ++*added;
    }
    return true;
}

/* Prices all sets, with searches of so many nodes, in cells where the last search for the same
 * weights (first: there was none) left a doubt. *refuted says whether the inequality fails for the
 * present weights; *worth by how much, were nothing heavier than what was found. False when memory
 * or time is out. */
static bool price_all(struct refutation *r, int64_t nodes, bool first, bool *refuted, double *worth)
{
    uint32_t n = r->problem->count, classes = r->problem->in->classes;
    br_wide asked = 0, held = 0, found_held = 0;
    for (uint32_t v = 0; v < n; v++)
        asked += (br_wide)r->now.dual[v] * r->problem->work[v];
    for (uint32_t k = 0; k < r->cut_rows; k++)
        *(r->cuts.cut[k].kind == LP_CUT_MANDATORY ? &asked : &held) +=
            (br_wide)r->now.cut[k] * r->cuts.cut[k].value;
    found_held = held;
    for (uint32_t cell = 0; cell < r->cells; cell++) {
        uint32_t k = cell / classes, cls = cell % classes;
        int64_t found;
        if (r->budget->deadline > 0 && lp_now() > r->budget->deadline)
            return false;
        if (first || r->most[cell] > r->known[cell]) {
            int64_t left = nodes;
            r->most[cell] = br_packer_heaviest(r->packer, cls, r->weight + (size_t)k * n,
                                               r->known[cell], r->tasks, &found, &left);
            r->budget->nodes -= nodes - left;
            if (found > r->known[cell]) {
                r->known[cell] = found;
                r->best[cell] = lp_patterns_add(r->patterns, cls, r->tasks, &r->intervals);
                if (r->best[cell] == UINT32_MAX)
                    return false;
            }
        }
        br_wide time = (br_wide)length_of(r, k) * machines_of(r, cls);
        held += time * r->most[cell];
        found_held += time * r->known[cell];
    }
    *worth = (double)asked - (double)found_held;
    *refuted = asked > held;
    return true;
}

static bool spent(const struct refutation *r)
{
    return r->budget->rounds <= 0 || r->budget->nodes <= 0 || r->patterns->count > PATTERNS_MOST ||
           r->columns > COLUMNS_MOST || (r->budget->deadline > 0 && lp_now() > r->budget->deadline);
}

/* Prices the point at hand with longer and longer searches, until some set is worth a column, or
 * the makespan is refuted. */
static bool price(struct refutation *r, int64_t nodes_most, uint32_t *added, bool *refuted)
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
            struct point better = r->now;
            central = true;
            r->now = r->centre;
            r->centre = better;
            draw(r, &r->centre, 8);
            r->has_centre = true;
            r->centre_worth = worth;
        }
        if (!add_found(r, added))
            return false;
    }
    return true;
}

/* The master's dual values swing from round to round. Sets priced between them and the best values
 * so far serve better, and refute sooner [Wentges97]; where they bring nothing the master's have
 * the word. */
static enum lp_answer generate(struct refutation *r, struct lp_proof *proof)
{
    while (!spent(r)) {
        uint32_t added = 0, cuts = r->cuts.count;
        bool refuted = false;
        double left = r->budget->deadline > 0 ? r->budget->deadline - lp_now() : 0;
        r->budget->rounds--;
        if (time_by != CLOCK_MONOTONIC) /* which the solver counts by */
            left /= SHARE_LEAST;
        if (!lp_master_solve(r->master, left))
            return LP_SPENT;
        if (lp_master_objective(r->master) <= SHORTFALL) {
            read_times(r);
            if (!lp_cuts_separate(&r->cuts, r->problem, &r->intervals, r->makespan, r->time) ||
                !add_cut_rows(r))
                return LP_SPENT;
            if (r->cuts.count == cuts)
                return LP_OPEN;
            continue;
        }
        read_duals(r);
        weigh(r, &r->out, r->own_weight);
        for (int eighths = r->has_centre ? CENTRE_EIGHTHS : 0; added == 0 && !refuted;) {
            draw(r, eighths ? &r->centre : &r->out, eighths);
            weigh(r, &r->now, r->weight);
            price_known(r);
            if (!add_found(r, &added) ||
                (added == 0 && !price(r, eighths ? NODES_MIDDLE : NODES_MOST, &added, &refuted)))
                return LP_SPENT;
            if (eighths == 0)
                break;
            eighths = 0;
        }
        if (refuted)
            return lp_proof_write(proof, r->problem, &r->intervals, r->makespan, r->now.dual,
                                  &r->cuts, r->cut_rows, r->now.cut)
                       ? LP_REFUTED
                       : LP_SPENT;
        for (uint32_t cell = 0; added == 0 && cell < r->cells; cell++)
            r->budget->doubt |= r->most[cell] > r->known[cell];
        if (added == 0)
            return LP_OPEN;
    }
    return LP_SPENT;
}

enum lp_answer lp_refute(const struct lp_problem *problem, int64_t makespan,
                         struct lp_patterns *patterns, struct br_packer *packer,
                         struct lp_budget *budget, struct lp_proof *proof)
{
    struct refutation r = {.problem = problem,
                           .patterns = patterns,
                           .packer = packer,
                           .budget = budget,
                           .makespan = makespan};
    enum lp_answer answer = start(&r) ? generate(&r, proof) : LP_SPENT;
    end(&r);
    return answer;
}
