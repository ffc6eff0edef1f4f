/* Column generation. In every round the solver's dual values are rounded to integers, and sets are
 * priced by them (pricing.h). The exact pricing is at the same time the check of the proof: with
 * weights Y of stages, and D of cuts, a plan within the makespan gives
 *
 *   sum Y work + sum D value (LP_CUT_MANDATORY)
 *     <= sum over intervals of length x (sum over machines of the heaviest set) + sum D value
 * (rest)
 *
 * because what runs on a machine at any moment of an interval is one of the sets, and the cuts hold
 * in every plan. Where that fails in integers there is no plan. */
#include "lp/solver/pricing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DUAL_MOST 256
/* Shortfalls below this share of the makespan count as none. */
#define SHORTFALL 1e-7
/* Nodes of the search for the heaviest set of a cell. */
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

static void expand(const struct lp_refutation *r, const struct lp_pattern *pattern)
{
    memset(r->tasks, 0, r->problem->count * sizeof *r->tasks);
    for (uint32_t k = 0; k < pattern->members; k++)
        r->tasks[pattern->stage[k]] = pattern->tasks[k];
}

static bool make_scratch(struct lp_refutation *r, uint32_t entries)
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

static bool start(struct lp_refutation *r)
{
    const struct lp_problem *p = r->problem;
    if (!lp_intervals_init(&r->intervals, p, r->makespan))
        return false;
    lp_patterns_place(r->patterns, &r->intervals);
    uint32_t classes = p->in->classes, intervals = r->intervals.count;
    r->cells = intervals * classes;
    struct lp_point *point[] = {&r->out, &r->centre, &r->now};
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
                              (double)lp_length_of(r, k) * lp_machines_of(r, c) /
                                  (double)r->makespan);
    return true;
}

static void end(struct lp_refutation *r)
{
    lp_master_destroy(r->master);
    lp_cuts_finish(&r->cuts);
    lp_intervals_finish(&r->intervals);
    free(r->column);
    struct lp_point *point[] = {&r->out, &r->centre, &r->now};
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

bool lp_add_column(struct lp_refutation *r, uint32_t pattern_number, uint32_t interval)
{
    const struct lp_pattern *pattern = &r->patterns->pattern[pattern_number];
    if (r->columns == r->column_room) {
        uint32_t room = r->column_room ? 2 * r->column_room : 256;
        struct lp_column *larger = realloc(r->column, room * sizeof *larger);
        if (!larger)
            return false;
        r->column = larger;
        r->column_room = room;
    }
    if (!make_scratch(r, pattern->members + r->cuts.count + 2))
        return false;
    int count = 0;
    for (uint32_t k = 0; k < pattern->members; k++) {
        r->index[++count] = lp_row_of_stage(pattern->stage[k]);
        r->value[count] = pattern->tasks[k];
    }
    r->index[++count] = lp_row_of_cell(r, interval * r->problem->in->classes + pattern->cls);
    r->value[count] = 1;
    expand(r, pattern);
    for (uint32_t k = 0; k < r->cut_rows; k++) {
        const struct lp_cut *cut = &r->cuts.cut[k];
        if (interval < cut->first || interval >= cut->last)
            continue;
        double value = lp_cut_coefficient(cut, r->problem, r->tasks);
        if (value > 0) {
            r->index[++count] = lp_row_of_cut(r, k);
            r->value[count] = value;
        }
    }
    int number = lp_master_add_column(r->master, count, r->index, r->value);
    r->column[r->columns++] = (struct lp_column){pattern_number, interval, number};
    return true;
}

/* Gives all new cuts their rows, with the columns that are there. */
static bool add_cut_rows(struct lp_refutation *r)
{
    if (!make_scratch(r, r->columns + 2))
        return false;
    struct lp_point *point[] = {&r->out, &r->centre, &r->now};
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

static void read_times(struct lp_refutation *r)
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
    return dual > DUAL_MOST ? (int64_t)DUAL_MOST * LP_SCALE : (int64_t)llround(dual * LP_SCALE);
}

static void read_duals(struct lp_refutation *r)
{
    for (uint32_t v = 0; v < r->problem->count; v++)
        r->out.dual[v] = scaled(lp_master_dual(r->master, lp_row_of_stage(v)));
    for (uint32_t cell = 0; cell < r->cells; cell++)
        r->out.price[cell] = scaled(lp_master_dual(r->master, lp_row_of_cell(r, cell)));
    for (uint32_t k = 0; k < r->cut_rows; k++)
        r->out.cut[k] = scaled(lp_master_dual(r->master, lp_row_of_cut(r, k)));
}

static bool spent(const struct lp_refutation *r)
{
    return r->budget->rounds <= 0 || r->budget->nodes <= 0 || r->patterns->count > PATTERNS_MOST ||
           r->columns > COLUMNS_MOST || (r->budget->deadline > 0 && lp_now() > r->budget->deadline);
}

/* The master's dual values swing from round to round. Sets priced between them and the best values
 * so far serve better, and refute sooner [Wentges97]; where they bring nothing the master's have
 * the word. */
static enum lp_answer generate(struct lp_refutation *r, struct lp_proof *proof)
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
        lp_weigh(r, &r->out, r->own_weight);
        for (int eighths = r->has_centre ? CENTRE_EIGHTHS : 0; added == 0 && !refuted;) {
            lp_draw(r, eighths ? &r->centre : &r->out, eighths);
            if (!lp_price(r, eighths ? NODES_MIDDLE : NODES_MOST, &added, &refuted))
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
    struct lp_refutation r = {.problem = problem,
                              .patterns = patterns,
                              .packer = packer,
                              .budget = budget,
                              .makespan = makespan};
    enum lp_answer answer = start(&r) ? generate(&r, proof) : LP_SPENT;
    end(&r);
    return answer;
}
