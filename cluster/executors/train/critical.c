#include "cluster/executors/train/critical.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/index.h"
#include "base/numbers/real.h"
#include "cluster/executors/network/adam.h"
#include "cluster/executors/network/embedding.h"

enum { STAGES_MOST = 64, CHILDREN = 3 };

struct br_critical_options br_critical_options_default(void)
{
    return (struct br_critical_options){.stages = 10,
                                        .dags = 128,
                                        .iterations = 350,
                                        .tests = 500,
                                        .every = 10,
                                        .rate = 1e-2,
                                        .seed = 1};
}

/* A random DAG: up to three later stages wait for every stage, and works are exponential. */
struct sample {
    uint32_t nodes, first[STAGES_MOST + 1], child[STAGES_MOST * CHILDREN];
    double work[STAGES_MOST], path[STAGES_MOST];
    uint32_t longest; /* stage with the longest path */
};

static void critical_draw(struct sample *sample, uint32_t most, uint64_t seed)
{
    struct br_rng rng = br_rng_seed(seed);
    uint32_t used = 0, nodes = most / 2 + (uint32_t)br_rng_below(&rng, most - most / 2 + 1);
    sample->nodes = nodes;
    for (uint32_t v = 0; v < nodes; v++) {
        uint32_t wanted = (uint32_t)br_rng_below(&rng, CHILDREN + 1), from = used;
        sample->first[v] = used;
        for (uint32_t k = 0; k < wanted && v + 1 < nodes; k++) {
            uint32_t to = v + 1 + (uint32_t)br_rng_below(&rng, nodes - v - 1), at = from;
            while (at < used && sample->child[at] != to)
                at++;
            sample->child[at] = to;
            used += at == used;
        }
        sample->work[v] = -br_real_log(1 - br_rng_unit(&rng));
    }
    assert(nodes <= STAGES_MOST && used <= STAGES_MOST * CHILDREN);
    sample->first[nodes] = used;
    sample->longest = 0;
    for (uint32_t v = nodes; v-- > 0;) {
        double behind = 0;
        for (uint32_t k = sample->first[v]; k < sample->first[v + 1]; k++)
            behind =
                sample->path[sample->child[k]] > behind ? sample->path[sample->child[k]] : behind;
        sample->path[v] = sample->work[v] + behind;
    }
    for (uint32_t v = 0; v < nodes; v++)
        sample->longest = sample->path[v] > sample->path[sample->longest] ? v : sample->longest;
}

/* The network, and a sum that reads the value off an embedding. What it reads is linear, so a
 * network of one level tells of a stage a sum over its children, whatever that is. */
struct student {
    struct br_network network;
    struct br_dense reader;
    uint32_t parameters;
    br_weight *parameter, *gradient, *activation;
    double *downhill;
    struct br_adam adam;
};

static enum br_status open_student(struct student *student,
                                   const struct br_critical_options *options, struct br_diag *diag)
{
    struct br_network_shape shape = br_network_shape_paper();
    shape.hidden[0] = 64;
    shape.hidden[1] = 32;
    shape.node_features = 1;
    shape.one_level = options->one_level;
    *student = (struct student){0};
    enum br_status status = br_network_init(&student->network, &shape, diag);
    if (status)
        return status;
    uint32_t e = shape.embedded, at = student->network.parameters;
    student->reader = (struct br_dense){.layers = 1,
                                        .width = {e, 1},
                                        .weights = {at},
                                        .biases = {at + e},
                                        .activations = 1,
                                        .linear = true};
    student->parameters = at + e + 1;
    student->parameter = calloc(student->parameters, sizeof *student->parameter);
    student->gradient = calloc(student->parameters, sizeof *student->gradient);
    student->downhill = calloc(student->parameters, sizeof *student->downhill);
    student->activation =
        calloc((size_t)STAGES_MOST * student->reader.activations, sizeof *student->activation);
    if (!br_adam_init(&student->adam, student->parameters, options->rate) || !student->parameter ||
        !student->gradient || !student->downhill || !student->activation)
        return br_fail_memory(diag);
    br_network_draw(&student->network, options->seed, student->parameter);
    struct br_rng rng = br_rng_seed(options->seed + 1);
    for (uint32_t k = at; k < student->parameters; k++)
        student->parameter[k] = (br_weight)((2 * br_rng_unit(&rng) - 1) * 0.4);
    return BR_OK;
}

static void close_student(struct student *student)
{
    free(student->parameter);
    free(student->gradient);
    free(student->downhill);
    free(student->activation);
    br_adam_finish(&student->adam);
}

#define SCALE 0.3 /* paths become about 1 */

/* Reads all values of a DAG; learns from it if `learns`. *right: it found the longest path. *error
 * grows by the squares. */
static enum br_status critical_look(struct student *student, const struct sample *sample,
                                    bool learns, bool *right, double *error, struct br_diag *diag)
{
    const struct br_stage_graph graph = {sample->nodes, sample->first, sample->child};
    const struct br_dense *reader = &student->reader;
    uint32_t e = student->network.shape.embedded, best = 0;
    struct br_embedding embedding;
    double most = 0;
    enum br_status status = br_embedding_init(&embedding, &student->network, graph, diag);
    if (status)
        return status;
    for (uint32_t v = 0; v < sample->nodes; v++)
        *br_embedding_features(&embedding, v) = (br_weight)sample->work[v];
    br_embedding_update(&embedding, student->parameter, NULL);
    for (uint32_t v = 0; v < sample->nodes; v++) {
        br_weight *activation = student->activation + (size_t)v * reader->activations;
        const br_weight *stage = embedding.stage + (size_t)v * e;
        br_dense_forward(reader, student->parameter, stage, activation);
        double told = (double)*br_dense_output(reader, activation);
        double off = told - sample->path[v] * SCALE;
        *error += off * off / sample->nodes;
        if (v == 0 || told > most) {
            most = told;
            best = v;
        }
        br_weight adjoint = (br_weight)(2 * off / sample->nodes);
        if (learns)
            br_dense_backward(reader, student->parameter, stage, activation, &adjoint,
                              student->gradient, embedding.stage_adjoint + (size_t)v * e);
    }
    embedding.waiting = learns;
    br_embedding_send_back(&embedding, student->parameter, student->gradient);
    *right = best == sample->longest;
    br_embedding_finish(&embedding);
    return BR_OK;
}

static enum br_status iterate(struct student *student, const struct br_critical_options *options,
                              uint32_t iteration, double *error, struct br_diag *diag)
{
    enum br_status status = BR_OK;
    memset(student->gradient, 0, student->parameters * sizeof *student->gradient);
    for (uint32_t k = 0; !status && k < options->dags; k++) {
        struct sample sample;
        bool right;
        critical_draw(&sample, options->stages,
                      br_hash_number(options->seed ^ ((uint64_t)iteration << 32 | (k + 1))));
        status = critical_look(student, &sample, true, &right, error, diag);
    }
    for (uint32_t p = 0; p < student->parameters; p++)
        student->downhill[p] = (double)student->gradient[p] / options->dags;
    double left = 1 - (double)iteration / options->iterations;
    student->adam.rate = options->rate * (0.05 + 0.95 * left);
    br_adam_step(&student->adam, student->downhill, 1, student->parameter);
    return status;
}

static enum br_status test(struct student *student, const struct br_critical_options *options,
                           double *accuracy, struct br_diag *diag)
{
    enum br_status status = BR_OK;
    uint32_t hits = 0;
    double error = 0;
    for (uint32_t k = 0; !status && k < options->tests; k++) {
        struct sample sample;
        bool right = false;
        critical_draw(&sample, options->stages, br_hash_number(~options->seed ^ (uint64_t)k << 40));
        status = critical_look(student, &sample, false, &right, &error, diag);
        hits += right;
    }
    *accuracy = (double)hits / options->tests;
    return status;
}

enum br_status br_critical_learn(const struct br_critical_options *options,
                                 struct br_critical_row *row, struct br_diag *diag)
{
    struct student student;
    if (options->stages < 2 || options->stages > STAGES_MOST || !options->dags || !options->every ||
        !options->tests)
        return br_fail(diag, BR_USAGE, NULL, "DAGs have 2 to 64 stages, and there are some");
    enum br_status status = open_student(&student, options, diag);
    double error = 0;
    for (uint32_t k = 0; !status && k < options->iterations; k++) {
        status = iterate(&student, options, k, &error, diag);
        if (status || (k + 1) % options->every)
            continue;
        row->iteration = k + 1;
        row->error = error / options->every / options->dags;
        status = test(&student, options, &row->accuracy, diag);
        error = 0;
        row++;
    }
    close_student(&student);
    return status;
}
