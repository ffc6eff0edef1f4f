/* Packers for the same sets, one for each thread that searches. */
#ifndef BR_LP_SOLVER_PACKERS_H
#define BR_LP_SOLVER_PACKERS_H

#include "planner/bounds/packing.h"

/* Most threads that search side by side. */
#define LP_PACKERS_MOST 64u

struct lp_packers {
    uint32_t count;
    struct br_packer *packer[LP_PACKERS_MOST];
};

/* Makes packers for so many threads (0: one), or for fewer if there is no memory for more. False if
 * there is none for one. To be finished in any case. */
bool lp_packers_init(struct lp_packers *packers, const struct br_packing *packing,
                     uint32_t threads);
void lp_packers_finish(struct lp_packers *packers);

#endif
