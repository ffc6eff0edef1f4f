/* Transfers between jobs as delays or as demands. */
#include "parsers/jobs/transfer.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/wide.h"
#include "parsers/text/value.h"

static enum br_status too_many_bytes(const struct br_dag *dag, const struct br_link *link,
                                     struct br_diag *diag)
{
    return br_fail_at(diag, link->pos, BR_BAD_INPUT, "check the sizes and the transfer rate",
                      "the transfer from '%.80s' to '%.80s' takes too long to be planned",
                      dag->stage[link->parent].id, dag->stage[link->child].id);
}

struct end_key {
    uint32_t parent, child, link;
};

static int transfer_by_ends(const void *a, const void *b)
{
    const struct end_key *x = a, *y = b;
    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    if (x->child != y->child)
        return x->child < y->child ? -1 : 1;
    return x->link < y->link ? -1 : x->link > y->link;
}

/* first[k] becomes the first link with the ends of link k; it gets the largest of their sizes. */
static enum br_status transfer_merge(struct br_link *link, uint32_t links, uint32_t *first,
                                     struct br_diag *diag)
{
    struct end_key *key = malloc(((size_t)links + 1) * sizeof *key);
    enum br_status status = key ? BR_OK : br_fail_memory(diag);
    for (uint32_t k = 0; k < links && key; k++)
        key[k] = (struct end_key){link[k].parent, link[k].child, k};
    if (key)
        qsort(key, links, sizeof *key, transfer_by_ends);
    for (uint32_t k = 0; k < links && key; k++) {
        uint32_t at = key[k].link;
        first[at] = at;
        if (k == 0 || key[k].parent != key[k - 1].parent || key[k].child != key[k - 1].child)
            continue;
        struct br_link *to = &link[first[at] = first[key[k - 1].link]];
        assert(first[at] < at);
        if (link[at].type == BR_BARRIER || to->type == BR_ONE_TO_ONE)
            to->type = link[at].type;
        if (to->overlap < link[at].overlap)
            to->overlap = link[at].overlap;
        if (to->bytes < link[at].bytes)
            to->bytes = link[at].bytes;
        if (to->carried < link[at].carried)
            to->carried = link[at].carried;
    }
    free(key);
    return status;
}

static enum br_status transfer_add_edge(struct br_dag *dag, const struct br_link *link,
                                        uint32_t parent, uint32_t child, uint32_t *edge,
                                        struct br_diag *diag)
{
    br_value_place(diag, link->pos);
    enum br_status status = br_dag_add_edge(dag, parent, child, link->type, diag);
    if (status)
        return status;
    br_dag_set_edge_pos(dag, link->pos);
    if (edge)
        *edge = br_dag_last_edge(dag);
    if (link->overlap)
        status = br_dag_set_edge_overlap(dag, parent, child, link->overlap, diag);
    return !status && link->carried ? br_dag_set_edge_bytes(dag, parent, child, link->carried, diag)
                                    : status;
}

static enum br_status add_delay(struct br_dag *dag, struct br_decimal rate,
                                const struct br_link *link, uint32_t *edge, struct br_diag *diag)
{
    const char *from = dag->stage[link->parent].id, *to = dag->stage[link->child].id;
    uint32_t tasks = link->type == BR_ONE_TO_ONE ? dag->stage[link->parent].tasks : 1, stage;
    int64_t ns;
    if (!br_decimal_quotient_ns((struct br_decimal){link->bytes, 0}, rate, &ns))
        return too_many_bytes(dag, link, diag);
    size_t size = strlen(from) + strlen(to) + 3;
    char *id = malloc(size);
    if (!id)
        return br_fail_memory(diag);
    snprintf(id, size, "%s->%s", from, to);
    br_value_place(diag, link->pos);
    enum br_status status = br_dag_add_stage(dag, id, tasks, ns, &stage, diag);
    free(id);
    if (status)
        return status;
    br_dag_set_stage_pos(dag, stage, link->pos);
    status = transfer_add_edge(dag, link, link->parent, stage, edge, diag);
    return status ? status : transfer_add_edge(dag, link, stage, link->child, NULL, diag);
}

/* Bytes that one task of the stage sends or receives over the link, rounded up. */
static int64_t transfer_share(const struct br_link *link, uint32_t tasks)
{
    if (link->type == BR_ONE_TO_ONE)
        return link->bytes;
    return link->bytes / tasks + (link->bytes % tasks != 0);
}

/* Makes the tasks long enough for their bytes, and makes them demand that much of the net. */
static enum br_status add_net(struct br_dag *dag, struct br_decimal rate, uint32_t stage,
                              int64_t bytes, struct br_diag *diag)
{
    const struct br_stage *s = &dag->stage[stage];
    char amount[BR_DECIMAL_TEXT];
    int64_t ns;
    if (bytes == 0)
        return BR_OK;
    if (!br_decimal_quotient_ns((struct br_decimal){bytes, 0}, rate, &ns))
        return br_fail_at(diag, s->pos, BR_BAD_INPUT, "check the sizes and the transfer rate",
                          "the transfers of '%.80s' take too long to be planned", s->id);
    if (ns < s->duration_ns)
        ns = s->duration_ns;
    br_dag_set_stage_duration(dag, stage, ns);
    br_uwide least = ((br_uwide)bytes * 1000000000 + (uint64_t)ns - 1) / (uint64_t)ns;
    br_uwide left = least, right = (uint64_t)rate.mantissa; /* of least > rate */
    for (int32_t e = rate.exponent; e != 0; e += e < 0 ? 1 : -1)
        *(e < 0 ? &left : &right) *= 10;
    if (left > right)
        br_decimal_format(rate, amount, sizeof amount);
    else
        snprintf(amount, sizeof amount, "%" PRId64, (int64_t)least);
    br_value_place(diag, s->pos);
    return br_dag_add_demand(dag, stage, "net", amount, diag);
}

/* The edge gets the link's bytes, of all pairs of tasks; false if that is too much. */
static bool keep_bytes(const struct br_dag *dag, struct br_link *link)
{
    int64_t pairs = link->type == BR_ONE_TO_ONE ? dag->stage[link->parent].tasks : 1, bytes;
    if (__builtin_mul_overflow(link->bytes, pairs, &bytes))
        return false;
    if (link->carried < bytes)
        link->carried = bytes;
    return true;
}

enum br_status br_transfer_add(struct br_dag *dag, const struct br_parse_options *options,
                               struct br_link *link, uint32_t links, uint32_t *edge,
                               struct br_diag *diag)
{
    enum br_status status = BR_OK;
    bool keep = options->transfer_mode == BR_TRANSFER_KEEP;
    bool rated = options->transfer_rate.mantissa > 0 && !keep;
    bool demand = rated && options->transfer_mode == BR_TRANSFER_DEMAND;
    uint32_t stages = dag->stages;
    uint32_t *first = rated ? malloc(((size_t)links + 1) * sizeof *first) : NULL;
    int64_t *bytes = demand ? calloc((size_t)stages + 1, sizeof *bytes) : NULL;
    if ((rated && !first) || (demand && !bytes))
        status = br_fail_memory(diag);
    if (!status && rated)
        status = transfer_merge(link, links, first, diag);
    for (uint32_t k = 0; k < links && keep && !status; k++)
        if (!keep_bytes(dag, &link[k]))
            status = too_many_bytes(dag, &link[k], diag);
    for (uint32_t k = 0; k < links && !status; k++) {
        uint32_t number = UINT32_MAX;
        if (rated && first[k] != k) {
            assert(first[k] < k);
            if (edge)
                edge[k] = edge[first[k]];
            continue;
        }
        if (rated && !demand && link[k].bytes > 0)
            status = add_delay(dag, options->transfer_rate, &link[k], &number, diag);
        else
            status = transfer_add_edge(dag, &link[k], link[k].parent, link[k].child, &number, diag);
        if (edge)
            edge[k] = number;
        if (demand && !status) {
            int64_t *from = &bytes[link[k].parent], *to = &bytes[link[k].child];
            if (__builtin_add_overflow(
                    *from, transfer_share(&link[k], dag->stage[link[k].parent].tasks), from) ||
                __builtin_add_overflow(
                    *to, transfer_share(&link[k], dag->stage[link[k].child].tasks), to))
                status = too_many_bytes(dag, &link[k], diag);
        }
    }
    for (uint32_t s = 0; demand && s < stages && !status; s++)
        status = add_net(dag, options->transfer_rate, s, bytes[s], diag);
    free(first);
    free(bytes);
    return status;
}
