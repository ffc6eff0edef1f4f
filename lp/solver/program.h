/* The linear program of one refutation under way: its rows, its columns, and the values that its
 * solver and pricing give. */
#ifndef BR_LP_SOLVER_PROGRAM_H
#define BR_LP_SOLVER_PROGRAM_H

#include "lp/solver/budget.h"
#include "lp/solver/cut.h"
#include "lp/solver/master.h"
#include "lp/solver/packers.h"
#include "lp/solver/patterns.h"

/* Dual values are at most 1: that is what a shortfall costs. Integers count in 1 / LP_SCALE. */
#define LP_SCALE (1 << 22)

struct lp_column {
    uint32_t pattern, interval;
    int number; /* in the master */
};

/* Dual values, rounded. */
struct lp_point {
    int64_t *dual;  /* by stage, in 1 / SCALE */
    int64_t *price; /* by cell */
    int64_t *cut;   /* by cut */
};

struct lp_refutation {
    const struct lp_problem *problem;
    struct lp_patterns *patterns;
    const struct lp_packers *packers;
    struct lp_budget *budget;
    int64_t makespan;
    uint32_t cells; /* intervals x classes */
    struct lp_intervals intervals;
    struct lp_cuts cuts;
    struct lp_master *master; /* rows: one a stage, one a cell, one a cut */
    uint32_t cut_rows;        /* cuts that have their row */
    uint32_t columns, column_room;
    struct lp_column *column;
    struct lp_point out;    /* the master's dual values */
    struct lp_point centre; /* the best so far, by what was found */
    struct lp_point now;    /* those that are priced */
    bool has_centre;
    double centre_worth;
    int64_t *known;      /* by cell: the weight of the heaviest pattern, and its number, */
    uint32_t *best;      /* or 0 and UINT32_MAX: the empty set */
    int64_t *most;       /* by cell: no set is heavier */
    uint32_t *asked;     /* scratch: the cells whose sets are searched, in ascending order, */
    uint32_t *set;       /* and, by place in that list and stage, the heavier set found there */
    bool *heavier;       /* by the same place: there is one */
    int64_t *weight;     /* scratch: by interval and stage, of the point priced */
    int64_t *own_weight; /* the same of the master's */
    uint32_t *tasks;     /* scratch: by stage */
    double *time;        /* by stage and interval: how long it runs */
    int *index;          /* scratch for the master, from 1 */
    double *value;
    uint32_t scratch_room;
};

static inline int lp_row_of_stage(uint32_t v)
{
    return (int)v + 1;
}

static inline int lp_row_of_cell(const struct lp_refutation *r, uint32_t cell)
{
    return (int)(r->problem->count + cell) + 1;
}

static inline int lp_row_of_cut(const struct lp_refutation *r, uint32_t cut)
{
    return (int)(r->problem->count + r->cells + cut) + 1;
}

static inline int64_t lp_length_of(const struct lp_refutation *r, uint32_t interval)
{
    return r->intervals.point[interval + 1] - r->intervals.point[interval];
}

static inline uint32_t lp_machines_of(const struct lp_refutation *r, uint32_t cls)
{
    return r->problem->in->class_first[cls + 1] - r->problem->in->class_first[cls];
}

/* Begins the program of r->problem within r->makespan, with a row for each stage and each cell.
 * False when memory is out; to be ended in any case. */
bool lp_program_begin(struct lp_refutation *r);
void lp_program_end(struct lp_refutation *r);
/* Adds a column of the pattern in the interval. False when memory is out. */
bool lp_add_column(struct lp_refutation *r, uint32_t pattern, uint32_t interval);
/* Gives all new cuts their rows, with the columns that are there. False when memory is out. */
bool lp_add_cut_rows(struct lp_refutation *r);
/* After the master is solved: how long every stage runs in every interval (r->time). */
void lp_read_times(struct lp_refutation *r);
/* After the master is solved: its dual values, rounded (r->out). */
void lp_read_duals(struct lp_refutation *r);

#endif
