/* Adam: steps of gradient descent with a scale of its own for every parameter. [Kingma15] */
#ifndef BR_LEARN_ADAM_H
#define BR_LEARN_ADAM_H

#include "cluster/executors/network/dense.h"

struct br_adam {
    double rate;           /* alpha */
    uint64_t steps;        /* taken */
    double *mean, *square; /* moving averages by parameter, owned */
    uint32_t parameters;
};

/* False when memory is out. */
bool br_adam_init(struct br_adam *adam, uint32_t parameters, double rate);
void br_adam_finish(struct br_adam *adam);
/* Moves the parameters against the gradient, which is shortened to a length of `longest` first (0:
 * as it is). A gradient that is not finite moves nothing: false. */
bool br_adam_step(struct br_adam *adam, const double *gradient, double longest,
                  br_weight *parameter);

#endif
