/* One refutation under way, for the files that share it: its program, and the dual values that are
 * priced. */
#ifndef BR_LP_SOLVER_PRICING_H
#define BR_LP_SOLVER_PRICING_H

#include "lp/solver/cut.h"
#include "lp/solver/master.h"
#include "lp/solver/refute.h"

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
    struct br_packer *packer;
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

/* Adds a column of the pattern in the interval to the program. False when memory is out. */
bool lp_add_column(struct lp_refutation *r, uint32_t pattern, uint32_t interval);

/* The point priced: the master's, drawn so many eighths of the way towards another. */
void lp_draw(struct lp_refutation *r, const struct lp_point *to, int eighths);
/* Weighs every stage in every interval by the point; 0 outside windows. */
void lp_weigh(const struct lp_refutation *r, const struct lp_point *point, int64_t *weight);
/* The sets at hand, then all sets, are priced at the point that was drawn, with searches of up to
 * so many nodes, until some are worth a column by the master's own weights (*added of them are
 * added) or the makespan is refuted. False when memory or time is out. */
bool lp_price(struct lp_refutation *r, int64_t nodes, uint32_t *added, bool *refuted);

#endif
