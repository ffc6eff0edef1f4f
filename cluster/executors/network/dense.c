/* Dense layers in lanes of the compiler's vectors, which are there on every machine that it
 * compiles for. A lane holds neighbouring outputs, so no sum is ever regrouped. */
#include "cluster/executors/network/dense.h"

#include <assert.h>
#include <string.h>

/* Aligned as a number, so that lanes may begin anywhere. */
typedef br_weight lane __attribute__((vector_size(BR_LANE * sizeof(br_weight)),
                                      aligned(sizeof(br_weight)), may_alias));
typedef __typeof__((lane){0} >= (lane){0}) lane_truth;
enum { LANES = BR_DENSE_WIDEST / BR_LANE };
_Static_assert(BR_LANE == 8, "add_sums takes eight");

#define SLOPE ((br_weight)0.2)
#define INLINED static inline __attribute__((always_inline))

/* `lanes` is constant when this is inlined, so that sums stay in registers. */
INLINED void rows(const br_weight *weight, const br_weight *bias, const br_weight *x,
                  uint32_t inputs, uint32_t lanes, br_weight *y)
{
    assert(lanes > 0 && lanes <= LANES);
    lane sum[LANES];
    for (uint32_t j = 0; j < lanes; j++)
        sum[j] = bias ? ((const lane *)bias)[j] : (lane){0};
    for (uint32_t i = 0; i < inputs; i++) {
        const lane *row = (const lane *)(weight + (size_t)i * lanes * BR_LANE);
        for (uint32_t j = 0; j < lanes; j++)
            sum[j] += row[j] * x[i];
    }
    for (uint32_t j = 0; j < lanes; j++)
        ((lane *)y)[j] = sum[j];
}

/* The sum of x[i] * y[i] for a count that is a multiple of a lane. */
INLINED br_weight product(const br_weight *x, const br_weight *y, uint32_t count)
{
    assert(count % BR_LANE == 0);
    lane sum = {0};
    for (uint32_t i = 0; i < count; i += BR_LANE)
        sum += *(const lane *)(x + i) * *(const lane *)(y + i);
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

/* a[0] + a[1], a[2] + a[3], then those of b; the upper half likewise. */
INLINED void add_neighbours(const lane *a, const lane *b, lane *sum)
{
    *sum = __builtin_shufflevector(*a, *b, 0, 2, 8, 10, 4, 6, 12, 14) +
           __builtin_shufflevector(*a, *b, 1, 3, 9, 11, 5, 7, 13, 15);
}

/* Adds the sums of eight lanes, each taken in the order of `product`. */
INLINED void add_sums(const lane *row, lane *sums)
{
    lane pair[4], low, high;
    for (int k = 0; k < 4; k++)
        add_neighbours(&row[2 * k], &row[2 * k + 1], &pair[k]);
    add_neighbours(&pair[0], &pair[1], &low);
    add_neighbours(&pair[2], &pair[3], &high);
    *sums += __builtin_shufflevector(low, high, 0, 1, 2, 3, 8, 9, 10, 11) +
             __builtin_shufflevector(low, high, 4, 5, 6, 7, 12, 13, 14, 15);
}

INLINED void multiply(const br_weight *weight, const br_weight *bias, const br_weight *x,
                      uint32_t inputs, uint32_t outputs, br_weight *y)
{
    switch (outputs) {
    case 1:
        *y = product(weight, x, inputs) + (bias ? *bias : 0);
        break;
    case 8:
        rows(weight, bias, x, inputs, 8 / BR_LANE, y);
        break;
    case 16:
        rows(weight, bias, x, inputs, 16 / BR_LANE, y);
        break;
    case 32:
        rows(weight, bias, x, inputs, 32 / BR_LANE, y);
        break;
    default:
        rows(weight, bias, x, inputs, outputs / BR_LANE, y);
    }
}

/* Multiplies what belongs to outputs below 0 by the slope there. Without a choice, which compilers
 * would make a branch of. */
INLINED void bend(const br_weight *y, uint32_t count, br_weight *of)
{
    assert(count % BR_LANE == 0);
    const lane one = (lane){0} + 1, slope = (lane){0} + SLOPE;
    for (uint32_t k = 0; k < count; k += BR_LANE) {
        lane_truth above = *(const lane *)(y + k) >= 0;
        *(lane *)(of + k) *= (lane)(((lane_truth)one & above) | ((lane_truth)slope & ~above));
    }
}

INLINED void forward(const struct br_dense *net, const br_weight *parameter, const br_weight *input,
                     br_weight *activation)
{
    const br_weight *x = input;
    br_weight *y = activation;
    for (uint32_t k = 0; k < net->layers; k++) {
        uint32_t outputs = net->width[k + 1];
        const br_weight *bias = net->biases[k] == BR_NO_BIAS ? NULL : parameter + net->biases[k];
        multiply(parameter + net->weights[k], bias, x, net->width[k], outputs, y);
        if (k + 1 < net->layers || !net->linear)
            bend(y, outputs, y);
        x = y;
        y += outputs;
    }
    assert(y == activation + net->activations);
}

/* The gradient of the weights is x times the adjoint of y, by rows. */
INLINED void spread(br_weight *gradient, const br_weight *x, uint32_t inputs,
                    const br_weight *adjoint, uint32_t lanes)
{
    assert(lanes > 0 && lanes <= LANES);
    lane by[LANES];
    for (uint32_t j = 0; j < lanes; j++)
        by[j] = ((const lane *)adjoint)[j];
    for (uint32_t i = 0; i < inputs; i++) {
        lane *row = (lane *)(gradient + (size_t)i * lanes * BR_LANE);
        for (uint32_t j = 0; j < lanes; j++)
            row[j] += by[j] * x[i];
    }
}

INLINED void collect(const br_weight *x, uint32_t inputs, const br_weight *adjoint,
                     uint32_t outputs, br_weight *weights, br_weight *biases)
{
    if (outputs == 1)
        for (uint32_t i = 0; i < inputs; i++)
            weights[i] += x[i] * *adjoint;
    else if (outputs == 8)
        spread(weights, x, inputs, adjoint, 8 / BR_LANE);
    else if (outputs == 16)
        spread(weights, x, inputs, adjoint, 16 / BR_LANE);
    else if (outputs == 32)
        spread(weights, x, inputs, adjoint, 32 / BR_LANE);
    else
        spread(weights, x, inputs, adjoint, outputs / BR_LANE);
    for (uint32_t j = 0; biases && j < outputs; j++)
        biases[j] += adjoint[j];
}

/* Adds the products of the rows and the adjoint, eight rows at once. */
INLINED void send_rows_back(const br_weight *weight, uint32_t inputs, const br_weight *adjoint,
                            uint32_t lanes, br_weight *back)
{
    const lane *by = (const lane *)adjoint;
    uint32_t i = 0;
    for (; i + BR_LANE <= inputs; i += BR_LANE) {
        const lane *row = (const lane *)(weight + (size_t)i * lanes * BR_LANE);
        lane sum[BR_LANE];
        for (uint32_t k = 0; k < BR_LANE; k++) {
            sum[k] = (lane){0};
            for (uint32_t j = 0; j < lanes; j++)
                sum[k] += row[k * lanes + j] * by[j];
        }
        add_sums(sum, (lane *)(back + i));
    }
    for (; i < inputs; i++)
        back[i] += product(weight + (size_t)i * lanes * BR_LANE, adjoint, lanes * BR_LANE);
}

/* Adds the adjoint of the input to what is there. */
INLINED void send_back(const br_weight *weight, uint32_t inputs, const br_weight *adjoint,
                       uint32_t outputs, br_weight *back)
{
    if (outputs == 1)
        for (uint32_t i = 0; i < inputs; i++)
            back[i] += weight[i] * *adjoint;
    else if (outputs == 8)
        send_rows_back(weight, inputs, adjoint, 8 / BR_LANE, back);
    else if (outputs == 16)
        send_rows_back(weight, inputs, adjoint, 16 / BR_LANE, back);
    else if (outputs == 32)
        send_rows_back(weight, inputs, adjoint, 32 / BR_LANE, back);
    else
        send_rows_back(weight, inputs, adjoint, outputs / BR_LANE, back);
}

INLINED void backward(const struct br_dense *net, const br_weight *parameter,
                      const br_weight *input, const br_weight *activation,
                      const br_weight *output_adjoint, br_weight *gradient,
                      br_weight *input_adjoint)
{
    br_weight adjoint[BR_DENSE_WIDEST], before[BR_DENSE_WIDEST];
    const br_weight *y = activation + net->activations;
    assert(net->width[net->layers] <= BR_DENSE_WIDEST);
    memcpy(adjoint, output_adjoint, net->width[net->layers] * sizeof *adjoint);
    for (uint32_t k = net->layers; k-- > 0;) {
        uint32_t inputs = net->width[k], outputs = net->width[k + 1];
        y -= outputs;
        if (k + 1 < net->layers || !net->linear)
            bend(y, outputs, adjoint);
        collect(k ? y - inputs : input, inputs, adjoint, outputs, gradient + net->weights[k],
                net->biases[k] == BR_NO_BIAS ? NULL : gradient + net->biases[k]);
        if (!k) {
            assert(y == activation);
            if (input_adjoint)
                send_back(parameter + net->weights[0], inputs, adjoint, outputs, input_adjoint);
            return;
        }
        assert(inputs <= BR_DENSE_WIDEST);
        memset(before, 0, inputs * sizeof *before);
        send_back(parameter + net->weights[k], inputs, adjoint, outputs, before);
        memcpy(adjoint, before, inputs * sizeof *adjoint);
    }
}

/* ---- What the processor has ---- */

#define FORWARD                                                                                    \
    const struct br_dense *net, const br_weight *parameter, const br_weight *input,                \
        br_weight *activation
#define BACKWARD                                                                                   \
    const struct br_dense *net, const br_weight *parameter, const br_weight *input,                \
        const br_weight *activation, const br_weight *output_adjoint, br_weight *gradient,         \
        br_weight *input_adjoint

#ifdef __x86_64__
__attribute__((target("avx2"))) static void wide_forward(FORWARD)
{
    forward(net, parameter, input, activation);
}

__attribute__((target("avx2"))) static void wide_backward(BACKWARD)
{
    backward(net, parameter, input, activation, output_adjoint, gradient, input_adjoint);
}
#define IS_WIDE __builtin_cpu_supports("avx2")
#else
#define wide_forward forward
#define wide_backward backward
#define IS_WIDE 0
#endif

void br_dense_forward(FORWARD)
{
    if (IS_WIDE)
        wide_forward(net, parameter, input, activation);
    else
        forward(net, parameter, input, activation);
}

void br_dense_backward(BACKWARD)
{
    if (IS_WIDE)
        wide_backward(net, parameter, input, activation, output_adjoint, gradient, input_adjoint);
    else
        backward(net, parameter, input, activation, output_adjoint, gradient, input_adjoint);
}
