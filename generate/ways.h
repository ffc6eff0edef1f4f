/* Alternatives and classes of made-up jobs. */
#ifndef BR_GENERATE_WAYS_H
#define BR_GENERATE_WAYS_H

#include <bigrocks/dag.h>
#include <stdint.h>

/* Gives them to these shares of the stages of the job, which is not finished. A stage with
 * alternatives runs as it was drawn (`one`), on four times the cores (`four`), and some on a GPU of
 * a machine of the class `gpu-node` (`gpu`), where each task consumes one of the resource
 * `gpu-runs`. A stage of one class runs on machines of `node`, or of `node` and `old`. O(stages +
 * demands
 * + durations of their own). */
enum br_status br_ways_add(double alternatives, double classes, uint64_t seed, struct br_dag *dag,
                           struct br_diag *diag);

#endif
