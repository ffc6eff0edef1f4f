/* The one place that knows GLPK: a linear program that grows by rows and columns.
 *
 * Minimise the sum of the shortfalls of the rows with >=, and of what variables cost; all variables
 * are 0 or more. What comes
 * out is floating point and only ever a hint: every bound is checked in integers elsewhere.
 */
#ifndef BR_LP_SOLVER_MASTER_H
#define BR_LP_SOLVER_MASTER_H

#include <stdbool.h>
#include <stdint.h>

struct lp_master;

/* Runs the function; false if GLPK gave up the program inside (it does so by an abort, which is
 * caught here) or memory was out. After that nothing made inside may be used or released: what
 * GLPK held is released, the rest is lost. Not for nesting. */
bool lp_guarded(void (*run)(void *context), void *context);

/* NULL when memory is out. */
struct lp_master *lp_master_create(void);
void lp_master_destroy(struct lp_master *master);

/* Adds a row, <= value, or >= value with a shortfall that costs 1 a unit. Returns its number, from
 * 1. */
enum lp_row { LP_AT_MOST, LP_AT_LEAST };
int lp_master_add_row(struct lp_master *master, enum lp_row kind, double value);
/* Adds a variable with these coefficients in rows row[1] .. row[count]. Returns its number. */
int lp_master_add_column(struct lp_master *master, int count, const int *row, const double *value);
/* Gives a row that was just added its coefficients of variables, of column[k] for k = 1 .. count.
 * Both arrays have room for one more. */
void lp_master_extend_row(struct lp_master *master, int row, int count, int *column, double *value);

/* Adds a variable from 0 to `most` (INFINITY: no end) that costs so much a unit, in no row yet.
 * Returns its number. */
int lp_master_add_variable(struct lp_master *master, double cost, double most);
/* Adds a row >= value without a shortfall, of column[k] for k = 1 .. count. Returns its number. */
int lp_master_add_cut(struct lp_master *master, double value, int count, const int *column,
                      const double *coefficient);

/* Solves, from the last basis, within about so many seconds (0: no limit). False if GLPK found no
 * optimum. */
bool lp_master_solve(struct lp_master *master, double seconds);
/* As lp_master_solve, by the dual simplex: for a basis that was best before rows were added. */
bool lp_master_resolve(struct lp_master *master, double seconds);
/* Results of the last solve: the sum of shortfalls, the dual value of a row (0 or more), and the
 * value of a variable. */
double lp_master_objective(const struct lp_master *master);
double lp_master_dual(const struct lp_master *master, int row);
double lp_master_value(const struct lp_master *master, int column);

#endif
