/* Pricing: which sets of tasks are worth a column, and whether the dual values refute the makespan.
 */
#ifndef BR_LP_SOLVER_PRICING_H
#define BR_LP_SOLVER_PRICING_H

#include "lp/solver/program.h"

/* The point priced: the master's, drawn so many eighths of the way towards another. */
void lp_draw(struct lp_refutation *r, const struct lp_point *to, int eighths);
/* Weighs every stage in every interval by the point; 0 outside windows. */
void lp_weigh(const struct lp_refutation *r, const struct lp_point *point, int64_t *weight);
/* The sets at hand, then all sets, are priced at the point that was drawn, with searches of up to
 * so many nodes, until some are worth a column by the master's own weights (*added of them are
 * added) or the makespan is refuted. False when memory or time is out. */
bool lp_price(struct lp_refutation *r, int64_t nodes, uint32_t *added, bool *refuted);

#endif
