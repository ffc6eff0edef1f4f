/* Embeddings of one job: [Mao19, 5.1], with the changes of an event only. */
#include "cluster/executors/network/embedding.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Arrays of numbers first, then arrays of truth values. */
enum { NUMBER_ARRAYS = 18, TRUTH_ARRAYS = 4 };

enum br_status br_embedding_init(struct br_embedding *embedding, const struct br_network *network,
                                 struct br_stage_graph graph, struct br_diag *diag)
{
    const struct br_dense *part = network->part;
    const uint32_t e = network->shape.embedded, x = network->shape.node_features;
    *embedding = (struct br_embedding){.network = network, .graph = graph};
    struct {
        br_weight **array;
        size_t count;
    } const numbers[NUMBER_ARRAYS] = {
        {&embedding->wanted, (size_t)graph.nodes * x},
        {&embedding->feature, (size_t)graph.nodes * x},
        {&embedding->encode, (size_t)graph.nodes * part[BR_ENCODE].activations},
        {&embedding->message, (size_t)graph.nodes * part[BR_MESSAGE].activations},
        {&embedding->receive, (size_t)graph.nodes * part[BR_RECEIVE].activations},
        {&embedding->inner, (size_t)graph.nodes * part[BR_JOB_INNER].activations},
        {&embedding->sum, (size_t)graph.nodes * e},
        {&embedding->stage, (size_t)graph.nodes * e},
        {&embedding->seen, (size_t)graph.nodes * part[BR_JOB_INNER].width[0]},
        {&embedding->total, e},
        {&embedding->outer, part[BR_JOB_OUTER].activations},
        {&embedding->whole, part[BR_ALL_INNER].activations},
        {&embedding->stage_adjoint, (size_t)graph.nodes * e},
        {&embedding->message_adjoint, (size_t)graph.nodes * e},
        {&embedding->job_adjoint, e},
        {&embedding->whole_adjoint, e},
    };
    bool **const truths[TRUTH_ARRAYS] = {&embedding->wanted_gone, &embedding->gone,
                                         &embedding->changed, &embedding->heard};
    size_t size = 0;
    for (int k = 0; k < NUMBER_ARRAYS; k++)
        size += numbers[k].count * sizeof(br_weight);
    char *at = embedding->memory = calloc(1, size + TRUTH_ARRAYS * (size_t)graph.nodes + 1);
    if (!at)
        return br_fail_memory(diag);
    for (int k = 0; k < NUMBER_ARRAYS && numbers[k].array; k++) {
        *numbers[k].array = (br_weight *)(void *)at;
        at += numbers[k].count * sizeof(br_weight);
    }
    for (int k = 0; k < TRUTH_ARRAYS; k++, at += graph.nodes)
        *truths[k] = (bool *)at;
    assert(at == (char *)embedding->memory + size + TRUTH_ARRAYS * (size_t)graph.nodes);
    const struct br_dense *outer = &part[BR_JOB_OUTER];
    embedding->job = outer->layers ? br_dense_output(outer, embedding->outer) : embedding->total;
    return BR_OK;
}

void br_embedding_finish(struct br_embedding *embedding)
{
    free(embedding->memory);
    *embedding = (struct br_embedding){0};
}

/* Activations of a part for one stage. */
static br_weight *of(const struct br_embedding *embedding, br_weight *activations,
                     enum br_part part, uint32_t node)
{
    assert(node < embedding->graph.nodes);
    return activations + (size_t)node * embedding->network->part[part].activations;
}

static void embedding_add(br_weight *sum, const br_weight *term, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        sum[k] += term[k];
}

/* The output of a part for one stage. */
static const br_weight *out(const struct br_embedding *embedding, br_weight *activations,
                            enum br_part part, uint32_t node)
{
    return br_dense_output(&embedding->network->part[part], of(embedding, activations, part, node));
}

/* ---- Forward ---- */

/* Sums the messages of those that wait for the stage; false: nobody does. */
static bool embedding_listen(struct br_embedding *embedding, uint32_t node, br_weight *sum)
{
    const struct br_stage_graph *graph = &embedding->graph;
    uint32_t e = embedding->network->shape.embedded;
    bool any = false;
    memset(sum, 0, e * sizeof *sum);
    for (uint32_t k = graph->first[node]; k < graph->first[node + 1]; k++) {
        assert(graph->child[k] > node);
        if (embedding->gone[graph->child[k]])
            continue;
        embedding_add(sum, out(embedding, embedding->message, BR_MESSAGE, graph->child[k]), e);
        any = true;
    }
    return any;
}

static void embed_stage(struct br_embedding *embedding, const br_weight *parameter, uint32_t node)
{
    const struct br_network *network = embedding->network;
    const struct br_dense *part = network->part;
    uint32_t e = network->shape.embedded, x = network->shape.node_features;
    const br_weight *feature = embedding->feature + (size_t)node * x;
    br_weight *stage = embedding->stage + (size_t)node * e;
    br_weight *sum = embedding->sum + (size_t)node * e;
    br_weight *seen = embedding->seen + (size_t)node * part[BR_JOB_INNER].width[0];
    embedding->computed++;
    br_dense_forward(&part[BR_ENCODE], parameter, feature,
                     of(embedding, embedding->encode, BR_ENCODE, node));
    memcpy(stage, out(embedding, embedding->encode, BR_ENCODE, node), e * sizeof *stage);
    if (embedding_listen(embedding, node, sum)) {
        if (part[BR_RECEIVE].layers)
            br_dense_forward(&part[BR_RECEIVE], parameter, sum,
                             of(embedding, embedding->receive, BR_RECEIVE, node));
        embedding_add(stage,
                      part[BR_RECEIVE].layers ? out(embedding, embedding->receive, BR_RECEIVE, node)
                                              : sum,
                      e);
    }
    if (embedding->heard[node])
        br_dense_forward(&part[BR_MESSAGE], parameter, stage,
                         of(embedding, embedding->message, BR_MESSAGE, node));
    uint32_t before = part[BR_JOB_INNER].width[0] - e; /* features, or none */
    assert(before == 0 || before == x);
    memcpy(seen, feature, before * sizeof *seen);
    memcpy(seen + before, stage, e * sizeof *seen);
    br_dense_forward(&part[BR_JOB_INNER], parameter, seen,
                     of(embedding, embedding->inner, BR_JOB_INNER, node));
}

static void embed_job(struct br_embedding *embedding, const br_weight *parameter)
{
    const struct br_dense *part = embedding->network->part;
    uint32_t e = embedding->network->shape.embedded;
    memset(embedding->total, 0, e * sizeof *embedding->total);
    for (uint32_t v = 0; v < embedding->graph.nodes; v++)
        if (!embedding->gone[v])
            embedding_add(embedding->total, out(embedding, embedding->inner, BR_JOB_INNER, v), e);
    if (part[BR_JOB_OUTER].layers)
        br_dense_forward(&part[BR_JOB_OUTER], parameter, embedding->total, embedding->outer);
    br_dense_forward(&part[BR_ALL_INNER], parameter, embedding->job, embedding->whole);
}

/* Stages whose message somebody hears. One who is heard no more stays so: what it waited for has
 * ended, and so have all before. */
static void find_heard(struct br_embedding *embedding)
{
    const struct br_stage_graph *graph = &embedding->graph;
    memset(embedding->heard, 0, graph->nodes * sizeof *embedding->heard);
    for (uint32_t v = 0; v < graph->nodes; v++)
        for (uint32_t k = graph->first[v]; !embedding->gone[v] && k < graph->first[v + 1]; k++)
            embedding->heard[graph->child[k]] = true;
}

/* Takes over what the caller has set; false: it is what it was. */
static bool embedding_take_over(struct br_embedding *embedding, bool *left)
{
    uint32_t x = embedding->network->shape.node_features, nodes = embedding->graph.nodes;
    bool any = !embedding->valid;
    *left = any;
    for (uint32_t v = 0; v < nodes; v++) {
        br_weight *old = embedding->feature + (size_t)v * x;
        const br_weight *new = embedding->wanted + (size_t)v *x;
        bool ended = embedding->gone[v] != embedding->wanted_gone[v];
        embedding->changed[v] =
            !embedding->valid || ended || memcmp(old, new, x * sizeof *new) != 0;
        any |= embedding->changed[v];
        *left |= ended;
        memcpy(old, new, x * sizeof *new);
        embedding->gone[v] = embedding->wanted_gone[v];
    }
    embedding->valid = true;
    return any;
}

static bool differs(const struct br_embedding *embedding)
{
    uint32_t x = embedding->network->shape.node_features, nodes = embedding->graph.nodes;
    return !embedding->valid ||
           memcmp(embedding->feature, embedding->wanted, (size_t)nodes * x * sizeof(br_weight)) !=
               0 ||
           memcmp(embedding->gone, embedding->wanted_gone, nodes * sizeof(bool)) != 0;
}

void br_embedding_update(struct br_embedding *embedding, const br_weight *parameter,
                         br_weight *gradient)
{
    const struct br_stage_graph *graph = &embedding->graph;
    bool left;
    if (!differs(embedding))
        return;
    assert(gradient || !embedding->waiting);
    if (gradient)
        br_embedding_send_back(embedding, parameter, gradient);
    if (embedding_take_over(embedding, &left) && left)
        find_heard(embedding);
    for (uint32_t v = graph->nodes; v-- > 0;) {
        bool *changed = &embedding->changed[v];
        for (uint32_t k = graph->first[v]; !*changed && k < graph->first[v + 1]; k++)
            *changed = embedding->changed[graph->child[k]];
        if (*changed && !embedding->gone[v])
            embed_stage(embedding, parameter, v);
    }
    embed_job(embedding, parameter);
}

/* ---- Backward ---- */

/* From the job to its stages: what each of them gets by the sum. */
static void leave_job(struct br_embedding *embedding, const br_weight *parameter,
                      br_weight *gradient, br_weight *total_adjoint)
{
    const struct br_dense *part = embedding->network->part;
    uint32_t e = embedding->network->shape.embedded;
    br_dense_backward(&part[BR_ALL_INNER], parameter, embedding->job, embedding->whole,
                      embedding->whole_adjoint, gradient, embedding->job_adjoint);
    memset(total_adjoint, 0, e * sizeof *total_adjoint);
    if (part[BR_JOB_OUTER].layers)
        br_dense_backward(&part[BR_JOB_OUTER], parameter, embedding->total, embedding->outer,
                          embedding->job_adjoint, gradient, total_adjoint);
    else
        memcpy(total_adjoint, embedding->job_adjoint, e * sizeof *total_adjoint);
}

/* To those whose messages the stage has summed. */
static void leave_sum(struct br_embedding *embedding, uint32_t node, const br_weight *adjoint)
{
    const struct br_stage_graph *graph = &embedding->graph;
    uint32_t e = embedding->network->shape.embedded;
    for (uint32_t k = graph->first[node]; k < graph->first[node + 1]; k++)
        if (!embedding->gone[graph->child[k]])
            embedding_add(embedding->message_adjoint + (size_t)graph->child[k] * e, adjoint, e);
}

static void leave_stage(struct br_embedding *embedding, const br_weight *parameter,
                        br_weight *gradient, const br_weight *total_adjoint, uint32_t node)
{
    const struct br_network *network = embedding->network;
    const struct br_dense *part = network->part;
    uint32_t e = network->shape.embedded, x = network->shape.node_features;
    uint32_t before = part[BR_JOB_INNER].width[0] - e;
    assert(before + e <= BR_NETWORK_FEATURES + BR_EMBEDDED_MOST);
    br_weight *adjoint = embedding->stage_adjoint + (size_t)node * e;
    const br_weight *sum = embedding->sum + (size_t)node * e;
    br_weight seen[BR_NETWORK_FEATURES + BR_EMBEDDED_MOST] = {0}, from_sum[BR_EMBEDDED_MOST] = {0};
    br_dense_backward(&part[BR_JOB_INNER], parameter,
                      embedding->seen + (size_t)node * part[BR_JOB_INNER].width[0],
                      of(embedding, embedding->inner, BR_JOB_INNER, node), total_adjoint, gradient,
                      seen);
    embedding_add(adjoint, seen + before, e);
    if (embedding->heard[node])
        br_dense_backward(&part[BR_MESSAGE], parameter, embedding->stage + (size_t)node * e,
                          of(embedding, embedding->message, BR_MESSAGE, node),
                          embedding->message_adjoint + (size_t)node * e, gradient, adjoint);
    br_dense_backward(&part[BR_ENCODE], parameter, embedding->feature + (size_t)node * x,
                      of(embedding, embedding->encode, BR_ENCODE, node), adjoint, gradient, NULL);
    const struct br_stage_graph *graph = &embedding->graph;
    bool listens = false;
    for (uint32_t k = graph->first[node]; k < graph->first[node + 1]; k++)
        listens |= !embedding->gone[graph->child[k]];
    if (!listens)
        return;
    if (part[BR_RECEIVE].layers)
        br_dense_backward(&part[BR_RECEIVE], parameter, sum,
                          of(embedding, embedding->receive, BR_RECEIVE, node), adjoint, gradient,
                          from_sum);
    leave_sum(embedding, node, part[BR_RECEIVE].layers ? from_sum : adjoint);
}

void br_embedding_send_back(struct br_embedding *embedding, const br_weight *parameter,
                            br_weight *gradient)
{
    uint32_t e = embedding->network->shape.embedded, nodes = embedding->graph.nodes;
    br_weight total_adjoint[BR_EMBEDDED_MOST];
    if (!embedding->waiting)
        return;
    assert(embedding->valid && gradient);
    leave_job(embedding, parameter, gradient, total_adjoint);
    for (uint32_t v = 0; v < nodes; v++)
        if (!embedding->gone[v])
            leave_stage(embedding, parameter, gradient, total_adjoint, v);
    memset(embedding->stage_adjoint, 0, (size_t)nodes * e * sizeof(br_weight));
    memset(embedding->message_adjoint, 0, (size_t)nodes * e * sizeof(br_weight));
    memset(embedding->job_adjoint, 0, e * sizeof(br_weight));
    memset(embedding->whole_adjoint, 0, e * sizeof(br_weight));
    embedding->waiting = false;
}
