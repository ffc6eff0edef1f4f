/* The parts of a network and their sizes. */
#include "cluster/executors/network/network.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/numbers/rng.h"

static const struct {
    struct br_named named;
    uint32_t node_features, job_features;
} forms[BR_NETWORK_FORMS] = {
    [BR_NETWORK_CODE] =
        {{"code", "as in the public simulator of Decima's authors: 4,770 parameters"}, 5, 3},
    [BR_NETWORK_PAPER] = {{"paper", "as their paper prints it: 12,736 parameters"}, 5, 3},
    [BR_NETWORK_SPLIT] =
        {{"split",
          "what all stages of a job share goes to the decisions alone: a fifth of the time"},
         6,
         5},
    [BR_NETWORK_PLANNED] =
        {{"planned", "as split, and told what a planner would do, which it begins with"}, 6, 11},
};
const struct br_names br_network_forms = {BR_NAMES(forms)};

uint32_t br_network_node_features(enum br_network_form form)
{
    assert((uint32_t)form < BR_NETWORK_FORMS);
    return forms[form].node_features;
}

uint32_t br_network_job_features(enum br_network_form form)
{
    return forms[form].job_features;
}

static struct br_network_shape shape_of(enum br_network_form form, uint32_t first, uint32_t second,
                                        uint32_t embedded)
{
    return (struct br_network_shape){.form = form,
                                     .node_features = forms[form].node_features,
                                     .job_features = forms[form].job_features,
                                     .hidden = {first, second},
                                     .embedded = embedded};
}

struct br_network_shape br_network_shape_code(void)
{
    return shape_of(BR_NETWORK_CODE, 16, 8, 8);
}

struct br_network_shape br_network_shape_paper(void)
{
    return shape_of(BR_NETWORK_PAPER, 32, 16, 16);
}

struct br_network_shape br_network_shape_split(void)
{
    return shape_of(BR_NETWORK_SPLIT, 16, 8, 8);
}

struct br_network_shape br_network_shape_planned(void)
{
    return shape_of(BR_NETWORK_PLANNED, 16, 8, 8);
}

/* Inputs, outputs and biases of a part, beside its hidden layers. */
struct part_shape {
    uint32_t inputs, outputs;
    bool biases, last_bias, linear;
};

static void learn_network_add_part(struct br_network *network, enum br_part number,
                                   struct part_shape shape, const uint32_t *hidden,
                                   uint32_t hidden_layers)
{
    struct br_dense *part = &network->part[number];
    assert(part->layers == 0);
    *part = (struct br_dense){.layers = hidden_layers + 1, .linear = shape.linear};
    part->width[0] = shape.inputs;
    for (uint32_t k = 0; k < hidden_layers; k++)
        part->width[k + 1] = hidden[k];
    part->width[part->layers] = shape.outputs;
    for (uint32_t k = 0; k < part->layers; k++) {
        uint32_t inputs = part->width[k], outputs = part->width[k + 1];
        bool biased = k + 1 < part->layers ? shape.biases : shape.last_bias;
        part->weights[k] = network->parameters;
        network->parameters += inputs * outputs;
        part->biases[k] = biased ? network->parameters : BR_NO_BIAS;
        network->parameters += biased ? outputs : 0;
        part->activations += outputs;
    }
}

static bool is_width(uint32_t width, uint32_t most)
{
    return width >= BR_LANE && width <= most && width % BR_LANE == 0;
}

enum br_status br_network_init(struct br_network *network, const struct br_network_shape *shape,
                               struct br_diag *diag)
{
    uint32_t e = shape->embedded, x = shape->node_features;
    uint32_t y = shape->job_features;
    bool code = shape->form == BR_NETWORK_CODE, paper = shape->form == BR_NETWORK_PAPER;
    bool planned = shape->form == BR_NETWORK_PLANNED;
    *network = (struct br_network){.shape = *shape};
    if ((uint32_t)shape->form >= BR_NETWORK_FORMS || !is_width(shape->hidden[0], BR_DENSE_WIDEST) ||
        !is_width(shape->hidden[1], BR_DENSE_WIDEST) || !is_width(e, BR_EMBEDDED_MOST) || x < 1 ||
        x > BR_NETWORK_FEATURES || shape->job_features > BR_NETWORK_FEATURES)
        return br_fail(diag, BR_BAD_INPUT,
                       "widths are multiples of 8, up to 128; embeddings up to 32",
                       "a network cannot have these sizes");
    const uint32_t *hidden = shape->hidden;
    const uint32_t scores[3] = {code ? 32 : hidden[0], code ? 16 : hidden[1], 8};
    uint32_t score_layers = code ? 3 : 2;
    network->node_own = paper ? 0 : x;
    network->node_job = planned || shape->form == BR_NETWORK_SPLIT ? y : 0;
    network->stage_advice = planned ? BR_STAGE_ADVICE : 0;
    network->limit_advice = planned ? BR_LIMIT_ADVICE : 0;
    network->limit_job = paper ? 0 : y;
    network->node_inputs = network->node_own + network->node_job + network->stage_advice + 3 * e;
    network->limit_inputs = network->limit_job + 2 * e + 1 + network->limit_advice;
    assert(network->node_inputs <= 2 * BR_NETWORK_FEATURES + 3 * BR_EMBEDDED_MOST);
    const struct part_shape plain = {e, e, true, true, false};
    learn_network_add_part(network, BR_ENCODE, (struct part_shape){x, e, !paper, !paper, false},
                           hidden, 2);
    learn_network_add_part(network, BR_MESSAGE, plain, hidden, 2);
    if (!shape->one_level)
        learn_network_add_part(network, BR_RECEIVE, plain, hidden, 2);
    learn_network_add_part(network, BR_JOB_INNER,
                           (struct part_shape){paper ? e : x + e, e, true, true, false}, hidden, 2);
    if (paper)
        learn_network_add_part(network, BR_JOB_OUTER, plain, hidden, 2);
    learn_network_add_part(network, BR_ALL_INNER, plain, hidden, 2);
    if (paper)
        learn_network_add_part(network, BR_ALL_OUTER, plain, hidden, 2);
    learn_network_add_part(network, BR_SCORE_NODE,
                           (struct part_shape){network->node_inputs, 1, true, !paper, true}, scores,
                           score_layers);
    learn_network_add_part(network, BR_SCORE_LIMIT,
                           (struct part_shape){network->limit_inputs, 1, true, !paper, true},
                           scores, score_layers);
    network->plan = network->parameters;
    network->plan_parameters = planned ? BR_PLAN_PARAMETERS : 0;
    network->parameters += network->plan_parameters;
    return BR_OK;
}

void br_network_draw(const struct br_network *network, uint64_t seed, br_weight *parameter)
{
    struct br_rng rng = br_rng_seed(seed);
    memset(parameter, 0, network->parameters * sizeof *parameter);
    for (int p = 0; p < BR_PARTS; p++) {
        const struct br_dense *part = &network->part[p];
        for (uint32_t k = 0; k < part->layers; k++) {
            uint32_t count = part->width[k] * part->width[k + 1];
            assert(part->weights[k] + count <= network->parameters);
            double reach = sqrt(6.0 / (part->width[k] + part->width[k + 1]));
            /* A planned network begins with the planner's advice. */
            if (network->stage_advice && p >= BR_SCORE_NODE && k + 1 == part->layers)
                reach *= 0.1;
            for (uint32_t w = 0; w < count; w++)
                parameter[part->weights[k] + w] = (br_weight)((2 * br_rng_unit(&rng) - 1) * reach);
        }
    }
}
