/* Scores of stages and limits. [Mao19, 5.2] */
#include "cluster/executors/network/scene.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/real.h"

void br_scene_update(struct br_scene *scene)
{
    const struct br_network *network = scene->network;
    const struct br_dense *inner = &network->part[BR_ALL_INNER],
                          *outer = &network->part[BR_ALL_OUTER];
    uint32_t e = network->shape.embedded;
    memset(scene->sum, 0, sizeof scene->sum);
    memset(scene->all_adjoint, 0, sizeof scene->all_adjoint);
    for (uint32_t k = 0; k < scene->jobs; k++) {
        struct br_embedding *embedding = scene->job[k].embedding;
        br_embedding_update(embedding, scene->parameter, scene->gradient);
        const br_weight *said = br_dense_output(inner, embedding->whole);
        for (uint32_t j = 0; j < e; j++)
            scene->sum[j] += said[j];
    }
    scene->all = scene->sum;
    if (outer->layers) {
        br_dense_forward(outer, scene->parameter, scene->sum, scene->outer);
        scene->all = br_dense_output(outer, scene->outer);
    }
}

bool br_choices_reserve(struct br_choices *scores, const struct br_dense *part, uint32_t count)
{
    scores->count = count;
    if (count > scores->room) {
        uint32_t room = count + count / 2 + 16;
        br_choices_finish(scores);
        scores->score = malloc(room * sizeof *scores->score);
        scores->share = malloc(room * sizeof *scores->share);
        scores->adjoint = malloc(room * sizeof *scores->adjoint);
        scores->advice = malloc(room * sizeof *scores->advice);
        scores->input = malloc((size_t)room * part->width[0] * sizeof *scores->input);
        scores->activation = malloc((size_t)room * part->activations * sizeof *scores->activation);
        if (!scores->score || !scores->share || !scores->adjoint || !scores->advice ||
            !scores->input || !scores->activation) {
            br_choices_finish(scores);
            return false;
        }
        scores->room = room;
        scores->count = count;
    }
    return true;
}

void br_choices_finish(struct br_choices *scores)
{
    free(scores->score);
    free(scores->share);
    free(scores->adjoint);
    free(scores->advice);
    free(scores->input);
    free(scores->activation);
    *scores = (struct br_choices){0};
}

static void soften(struct br_choices *scores)
{
    double most = -INFINITY, sum = 0;
    for (uint32_t k = 0; k < scores->count; k++)
        most = scores->score[k] > most ? scores->score[k] : most;
    for (uint32_t k = 0; k < scores->count; k++) {
        double behind = scores->score[k] - most; /* at most 0 */
        scores->share[k] = behind > -600 ? br_real_exp(behind) : 0;
        sum += scores->share[k];
    }
    assert(sum >= 1 || scores->count == 0);
    for (uint32_t k = 0; k < scores->count; k++)
        scores->share[k] /= sum;
}

static br_weight *network_scene_append(br_weight *at, const br_weight *numbers, uint32_t count)
{
    memcpy(at, numbers, count * sizeof *at);
    return at + count;
}

/* Scores beyond this are cut to it, and what is no number to the least: weights that no training
 * gives may exceed what numbers hold. */
#define HIGHEST 1e6

/* `advised`: place of the advice among the inputs, whose first number tells what a planner would
 * do; `trust` is added there. 0: no advice. */
static void score_all(struct br_scene *scene, const struct br_dense *part, uint32_t advised,
                      double trust, struct br_choices *scores)
{
    assert(scores->count <= scores->room);
    for (uint32_t k = 0; k < scores->count; k++) {
        br_weight *activation = scores->activation + (size_t)k * part->activations;
        br_dense_forward(part, scene->parameter, scores->input + (size_t)k * part->width[0],
                         activation);
        double score = (double)*br_dense_output(part, activation);
        scores->advice[k] =
            advised ? trust * (double)scores->input[(size_t)k * part->width[0] + advised] : 0;
        score += scores->advice[k];
        scores->score[k] = score > -HIGHEST ? score < HIGHEST ? score : HIGHEST : -HIGHEST;
    }
    soften(scores);
}

bool br_scene_score_nodes(struct br_scene *scene, const struct br_scene_candidate *candidate,
                          uint32_t count, struct br_choices *scores)
{
    const struct br_network *network = scene->network;
    const struct br_dense *part = &network->part[BR_SCORE_NODE];
    uint32_t e = network->shape.embedded, x = network->shape.node_features;
    if (!br_choices_reserve(scores, part, count))
        return false;
    for (uint32_t k = 0; k < count; k++) {
        assert(candidate[k].job < scene->jobs);
        const struct br_embedding *embedding = scene->job[candidate[k].job].embedding;
        br_weight *at = scores->input + (size_t)k * part->width[0];
        if (network->node_own)
            at = network_scene_append(at, embedding->feature + (size_t)candidate[k].node * x, x);
        at = network_scene_append(at, scene->job[candidate[k].job].feature, network->node_job);
        at = network_scene_append(at, candidate[k].advice, network->stage_advice);
        at = network_scene_append(at, embedding->stage + (size_t)candidate[k].node * e, e);
        at = network_scene_append(at, embedding->job, e);
        at = network_scene_append(at, scene->all, e);
        assert(at == scores->input + ((size_t)k + 1) * part->width[0]);
    }
    score_all(scene, part, network->stage_advice ? x + network->node_job : 0, BR_STAGE_TRUST,
              scores);
    return true;
}

/* The planner's advice on a limit. */
static void network_scene_advise(const struct br_scene_limits *limits, uint32_t limit,
                                 br_weight *advice)
{
    double over = (double)limit - limits->number;
    advice[0] = (br_weight)(limit == limits->advised);
    advice[1] = (br_weight)(over / 10);
    advice[2] = (br_weight)(over > 0 ? over / 10 : 0);
}

bool br_scene_score_limits(struct br_scene *scene, const struct br_scene_limits *limits,
                           struct br_choices *scores)
{
    const struct br_network *network = scene->network;
    const struct br_dense *part = &network->part[BR_SCORE_LIMIT];
    assert(limits->job < scene->jobs && limits->first <= limits->last);
    const struct br_scene_job *of = &scene->job[limits->job];
    uint32_t e = network->shape.embedded;
    if (!br_choices_reserve(scores, part, limits->last - limits->first + 1))
        return false;
    for (uint32_t limit = limits->first; limit <= limits->last; limit++) {
        br_weight *at = scores->input + (size_t)(limit - limits->first) * part->width[0];
        at = network_scene_append(at, of->feature, network->limit_job);
        at = network_scene_append(at, of->embedding->job, e);
        at = network_scene_append(at, scene->all, e);
        *at = (br_weight)limit / (br_weight)limits->most;
        assert(at + 1 + network->limit_advice ==
               scores->input + ((size_t)(limit - limits->first) + 1) * part->width[0]);
        if (network->limit_advice)
            network_scene_advise(limits, limit, at + 1);
    }
    score_all(scene, part, network->limit_advice ? network->limit_job + 2 * e + 1 : 0,
              BR_LIMIT_TRUST, scores);
    return true;
}

/* ---- Back ---- */

static void network_scene_add(br_weight *sum, const br_weight *term, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        sum[k] += term[k];
}

/* The adjoint of the input of score k; false: nothing comes back from it. */
static bool score_back(struct br_scene *scene, const struct br_dense *part,
                       const struct br_choices *scores, uint32_t k, br_weight *input)
{
    br_weight adjoint = (br_weight)scores->adjoint[k];
    if (!(fabs(scores->adjoint[k]) > scene->rough))
        return false;
    memset(input, 0, part->width[0] * sizeof *input);
    br_dense_backward(part, scene->parameter, scores->input + (size_t)k * part->width[0],
                      scores->activation + (size_t)k * part->activations, &adjoint, scene->gradient,
                      input);
    return true;
}

void br_scene_nodes_back(struct br_scene *scene, const struct br_scene_candidate *candidate,
                         const struct br_choices *scores)
{
    const struct br_network *network = scene->network;
    uint32_t e = network->shape.embedded, before = network->node_inputs - 3 * e;
    br_weight input[2 * BR_NETWORK_FEATURES + 3 * BR_EMBEDDED_MOST];
    assert(network->node_inputs <= sizeof input / sizeof *input);
    for (uint32_t k = 0; k < scores->count; k++) {
        struct br_embedding *embedding = scene->job[candidate[k].job].embedding;
        if (!score_back(scene, &network->part[BR_SCORE_NODE], scores, k, input))
            continue;
        network_scene_add(embedding->stage_adjoint + (size_t)candidate[k].node * e, input + before,
                          e);
        network_scene_add(embedding->job_adjoint, input + before + e, e);
        network_scene_add(scene->all_adjoint, input + before + 2 * (size_t)e, e);
        embedding->waiting = true;
    }
}

void br_scene_limits_back(struct br_scene *scene, uint32_t job, const struct br_choices *scores)
{
    const struct br_network *network = scene->network;
    struct br_embedding *embedding = scene->job[job].embedding;
    uint32_t e = network->shape.embedded, before = network->limit_job;
    br_weight input[2 * BR_NETWORK_FEATURES + 3 * BR_EMBEDDED_MOST];
    assert(network->limit_inputs <= sizeof input / sizeof *input);
    for (uint32_t k = 0; k < scores->count; k++) {
        if (!score_back(scene, &network->part[BR_SCORE_LIMIT], scores, k, input))
            continue;
        network_scene_add(embedding->job_adjoint, input + before, e);
        network_scene_add(scene->all_adjoint, input + before + e, e);
        embedding->waiting = true;
    }
}

void br_scene_all_back(struct br_scene *scene)
{
    const struct br_network *network = scene->network;
    const struct br_dense *outer = &network->part[BR_ALL_OUTER];
    uint32_t e = network->shape.embedded;
    br_weight sum_adjoint[BR_EMBEDDED_MOST] = {0};
    if (outer->layers)
        br_dense_backward(outer, scene->parameter, scene->sum, scene->outer, scene->all_adjoint,
                          scene->gradient, sum_adjoint);
    else
        memcpy(sum_adjoint, scene->all_adjoint, e * sizeof *sum_adjoint);
    for (uint32_t k = 0; k < scene->jobs; k++) {
        network_scene_add(scene->job[k].embedding->whole_adjoint, sum_adjoint, e);
        scene->job[k].embedding->waiting = true;
    }
    memset(scene->all_adjoint, 0, sizeof scene->all_adjoint);
}

/* ---- Choosing ---- */

uint32_t br_choices_choose(const struct br_choices *scores, double draw)
{
    assert(scores->count);
    uint32_t best = 0;
    double sum = 0;
    for (uint32_t k = 0; k < scores->count; k++) {
        sum += scores->share[k];
        if (draw >= 0 && draw < sum)
            return k;
        best = scores->share[k] > scores->share[best] ? k : best;
    }
    assert(sum > 1 - 1e-6 && sum < 1 + 1e-6);
    return best; /* also if rounding left the sum below the draw */
}

/* x ln x, which is 0 at 0. */
static double times_log(double share)
{
    return share > 1e-300 ? share * br_real_log(share) : 0;
}

double br_choices_entropy(const struct br_choices *scores)
{
    double sum = 0;
    for (uint32_t k = 0; k < scores->count; k++)
        sum -= times_log(scores->share[k]);
    return sum;
}

double br_choices_freedom(const struct br_choices *scores)
{
    double sum = 0;
    for (uint32_t k = 0; k < scores->count; k++)
        sum += scores->share[k] * scores->advice[k];
    return br_choices_entropy(scores) + sum;
}

/* d ln p_c / d s_k = [k = c] - p_k, and of F = H + sum of p a: d F / d s_k = -p_k (ln p_k - a_k +
 * F). */
void br_choices_learn(struct br_choices *scores, uint32_t chosen, double gain, double care)
{
    assert(chosen < scores->count);
    double freedom = br_choices_freedom(scores);
    for (uint32_t k = 0; k < scores->count; k++) {
        double share = scores->share[k];
        scores->adjoint[k] =
            gain * ((k == chosen) - share) -
            care * (times_log(share) - share * scores->advice[k] + share * freedom);
    }
}
