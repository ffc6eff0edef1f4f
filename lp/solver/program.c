#include "lp/solver/program.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DUAL_MOST 256

static void solver_program_expand(const struct lp_refutation *r, const struct lp_pattern *pattern)
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

bool lp_program_begin(struct lp_refutation *r)
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
    r->asked = malloc(r->cells * sizeof *r->asked);
    r->set = malloc((size_t)r->cells * p->count * sizeof *r->set);
    r->heavier = malloc(r->cells * sizeof *r->heavier);
    r->weight = malloc((size_t)intervals * p->count * sizeof *r->weight);
    r->tasks = malloc(p->count * sizeof *r->tasks);
    r->time = malloc((size_t)intervals * p->count * sizeof *r->time);
    r->master = lp_master_create();
    r->own_weight = malloc((size_t)intervals * p->count * sizeof *r->own_weight);
    if (!ok || !r->own_weight || !r->known || !r->best || !r->most || !r->asked || !r->set ||
        !r->heavier || !r->weight || !r->tasks || !r->time || !r->master)
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

void lp_program_end(struct lp_refutation *r)
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
    free(r->asked);
    free(r->set);
    free(r->heavier);
    free(r->weight);
    free(r->tasks);
    free(r->time);
    free(r->index);
    free(r->value);
}

bool lp_add_column(struct lp_refutation *r, uint32_t pattern_number, uint32_t interval)
{
    const struct lp_pattern *pattern = &r->patterns->pattern[pattern_number];
    assert(pattern->first <= interval && interval < pattern->last);
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
    solver_program_expand(r, pattern);
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
    assert((uint32_t)count < r->scratch_room);
    int number = lp_master_add_column(r->master, count, r->index, r->value);
    r->column[r->columns++] = (struct lp_column){pattern_number, interval, number};
    return true;
}

bool lp_add_cut_rows(struct lp_refutation *r)
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
            solver_program_expand(r, &r->patterns->pattern[r->column[k].pattern]);
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

void lp_read_times(struct lp_refutation *r)
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

static int64_t solver_program_scaled(double dual)
{
    return dual > DUAL_MOST ? (int64_t)DUAL_MOST * LP_SCALE : (int64_t)llround(dual * LP_SCALE);
}

void lp_read_duals(struct lp_refutation *r)
{
    for (uint32_t v = 0; v < r->problem->count; v++)
        r->out.dual[v] = solver_program_scaled(lp_master_dual(r->master, lp_row_of_stage(v)));
    for (uint32_t cell = 0; cell < r->cells; cell++)
        r->out.price[cell] =
            solver_program_scaled(lp_master_dual(r->master, lp_row_of_cell(r, cell)));
    for (uint32_t k = 0; k < r->cut_rows; k++)
        r->out.cut[k] = solver_program_scaled(lp_master_dual(r->master, lp_row_of_cut(r, k)));
}
