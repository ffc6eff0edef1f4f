/* Outputs, licences and times of made-up jobs. */
#ifndef BR_GENERATE_EXTRAS_H
#define BR_GENERATE_EXTRAS_H

#include <bigrocks/dag.h>
#include <stdint.h>

struct br_extras {
    /* Shares of all stages, within 0 and 1: those whose tasks leave an output, demand a licence,
     * have a release, have a deadline. */
    double outputs, licences, releases, deadlines;
    double alternatives;     /* whose tasks may also run on more cores, some also on a GPU */
    double classes;          /* whose tasks run only on machines of the class `node` or `old` */
    double outputs_from_end; /* of the outputs: those that are held from the end of their task on */
    double lags, streams;    /* of all edges */
    const char *output_amount, *output_resource; /* the median, and what it is of; borrowed */
};

/* BR_USAGE if a share is not within 0 and 1. */
enum br_status br_extras_check(const struct br_extras *extras, struct br_diag *diag);
/* Adds what is asked for to the job, which is not finished; its stages come after their parents.
 * O(stages + edges). BR_USAGE: the amount is no number of 0 or more, or too large. */
enum br_status br_extras_add(const struct br_extras *extras, uint64_t seed, struct br_dag *dag,
                             struct br_diag *diag);

#endif
