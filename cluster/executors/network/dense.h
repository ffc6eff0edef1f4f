/* A small network of dense layers over one vector: forward, and backward.
 *
 * Every layer is y = leaky(W x + b) with leaky(t) = t for t >= 0 and t / 5 below; the last one may
 * be linear. Sums are taken in one fixed order, over inputs in ascending order, so that results are
 * the same to the bit on every machine and with every compiler; what runs side by side are outputs.
 */
#ifndef BR_LEARN_DENSE_H
#define BR_LEARN_DENSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Parameters and activations. Tests also build the room with doubles, in which finite differences
 * tell a wrong gradient from rounding. */
#ifdef BR_NETWORK_DOUBLE
typedef double br_weight;
#else
typedef float br_weight;
#endif

/* Rows are computed in lanes of this many outputs. */
enum { BR_LANE = 8, BR_DENSE_LAYERS = 5, BR_DENSE_WIDEST = 128 };

/* The layers, and the place of their parameters in the vector of all. width[0] is the input; all
 * other widths are multiples of BR_LANE, except that the last may be 1. */
struct br_dense {
    uint32_t layers; /* at most BR_DENSE_LAYERS */
    uint32_t width[BR_DENSE_LAYERS + 1];
    uint32_t weights[BR_DENSE_LAYERS]; /* offsets; row by input, column by output */
    uint32_t biases[BR_DENSE_LAYERS];  /* offsets; BR_NO_BIAS: none */
    uint32_t activations;              /* of all layers, without the input */
    bool linear;                       /* the last layer is */
};
#define BR_NO_BIAS UINT32_MAX

/* The outputs of its last layer, within the activations. */
static inline br_weight *br_dense_output(const struct br_dense *net, br_weight *activation)
{
    return activation + net->activations - net->width[net->layers];
}

/* Fills `activation`, layer after layer. */
void br_dense_forward(const struct br_dense *net, const br_weight *parameter,
                      const br_weight *input, br_weight *activation);
/* Goes back from `output_adjoint`, the derivatives by the outputs: adds those by the parameters to
 * `gradient`, and those by the input to `input_adjoint` (NULL: not needed). */
void br_dense_backward(const struct br_dense *net, const br_weight *parameter,
                       const br_weight *input, const br_weight *activation,
                       const br_weight *output_adjoint, br_weight *gradient,
                       br_weight *input_adjoint);

#endif
