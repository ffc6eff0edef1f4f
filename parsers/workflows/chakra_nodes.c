#include "parsers/workflows/chakra_nodes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/collections/grow.h"
#include "parsers/text/value.h"

enum { ID_MOST = CHAKRA_NAME + 24 };

static uint64_t chakra_hash(const void *context, uint32_t stage)
{
    return br_hash_number(((const struct chakra *)context)->id[stage]);
}

static bool chakra_equal(const void *context, uint32_t stage, const void *key)
{
    return ((const struct chakra *)context)->id[stage] == *(const uint64_t *)key;
}

static const struct br_index_keys chakra_keys = {chakra_hash, chakra_equal};

uint32_t chakra_find(const struct chakra *all, uint64_t id)
{
    return br_index_find(&all->index, &chakra_keys, all, &id, br_hash_number(id));
}

enum br_status chakra_need(struct chakra *all, uint64_t id, bool control)
{
    if (!br_grow(&all->need, all->needs, &all->need_room, sizeof *all->need))
        return br_fail_memory(all->diag);
    all->need[all->needs++] = (struct chakra_need){all->dag->stages, control, id};
    return BR_OK;
}

void chakra_attribute(struct chakra_node *node, const char *name, uint64_t number)
{
    if (strcmp(name, "tid") == 0)
        node->traced = true;
    else if (strcmp(name, "is_cpu_op") == 0)
        node->on_cpu = number != 0;
    else if (strcmp(name, "comm_size") == 0)
        node->bytes = number;
}

/* What the node takes one of; NULL: nothing. As in ASTRA-sim a rank computes on its processor and
 * on its accelerator, and communicates, each one node at a time, and a node that only waits for a
 * message takes nothing. */
static const char *chakra_resource(const struct chakra_node *node)
{
    if (node->type == CHAKRA_METADATA)
        return NULL;
    if (node->on_cpu)
        return "cpu";
    if (node->type == CHAKRA_RECEIVE)
        return NULL;
    return node->type == CHAKRA_SEND || node->type == CHAKRA_COLLECTIVE ? "comm" : "gpu";
}

static enum br_status chakra_time(struct chakra *all, const struct chakra_node *node, int64_t *ns)
{
    if (node->micros > INT64_MAX / 1000)
        return br_fail_at(all->diag, node->pos, BR_BAD_INPUT, "give durations in microseconds",
                          "node %" PRIu64 " lasts %" PRIu64 " microseconds, which is too long",
                          node->id, node->micros);
    *ns = (int64_t)node->micros * 1000;
    if (node->micros == 0 && node->type != CHAKRA_METADATA) {
        *ns = all->options->default_duration_ns;
        all->untimed++;
    }
    return BR_OK;
}

/* By its name; a later node of that name has its id in it, too. */
static void chakra_name(const struct chakra *all, const struct chakra_node *node,
                        char name[static ID_MOST])
{
    if (*node->name && br_dag_find_stage(all->dag, node->name) == UINT32_MAX)
        snprintf(name, ID_MOST, "%s", node->name);
    else
        snprintf(name, ID_MOST, "%s%s#%" PRIu64, node->name, *node->name ? " " : "", node->id);
}

static enum br_status chakra_enter(struct chakra *all, uint64_t id)
{
    if (!br_grow(&all->id, all->ids, &all->id_room, sizeof *all->id))
        return br_fail_memory(all->diag);
    all->id[all->ids] = id;
    if (!br_index_add(&all->index, &chakra_keys, all, all->ids))
        return br_fail_memory(all->diag);
    all->ids++;
    return BR_OK;
}

/* The control dependency of an operator that PyTorch has run is the one that called it; the order
 * of both is in the dependencies by data, where the converter has put it. */
static void chakra_leave_calls(struct chakra *all)
{
    const uint32_t stage = all->dag->stages;
    uint32_t first = all->needs, kept;
    while (first > 0 && all->need[first - 1].stage == stage)
        first--;
    kept = first;
    for (uint32_t k = first; k < all->needs; k++)
        if (!all->need[k].control)
            all->need[kept++] = all->need[k];
    all->calls += all->needs - kept;
    all->needs = kept;
}

enum br_status chakra_add(struct chakra *all, const struct chakra_node *node)
{
    char name[ID_MOST], bytes[24];
    int64_t ns;
    uint32_t stage;
    if (chakra_find(all, node->id) != UINT32_MAX)
        return br_fail_at(all->diag, node->pos, BR_BAD_INPUT, "give each node an id of its own",
                          "node %" PRIu64 " stands twice", node->id);
    enum br_status status = chakra_time(all, node, &ns);
    if (status)
        return status;
    const char *resource = chakra_resource(node);
    if (node->traced)
        chakra_leave_calls(all);
    chakra_name(all, node, name);
    br_value_place(all->diag, node->pos);
    status = br_dag_add_stage(all->dag, name, 1, ns, &stage, all->diag);
    if (!status) {
        br_dag_set_stage_pos(all->dag, stage, node->pos);
        status = chakra_enter(all, node->id);
    }
    if (!status && resource)
        status = br_dag_add_demand(all->dag, stage, resource, "1", all->diag);
    all->messages += node->type == CHAKRA_SEND || node->type == CHAKRA_RECEIVE;
    if (status || node->bytes == 0)
        return status;
    snprintf(bytes, sizeof bytes, "%" PRIu64, node->bytes);
    return br_dag_add_attribute(all->dag, BR_OWNER_STAGE, stage, "comm_size", bytes, all->diag);
}
