/* Nodes of a Chakra execution trace, whichever form it has, become stages. */
#ifndef BR_PARSERS_WORKFLOWS_CHAKRA_NODES_H
#define BR_PARSERS_WORKFLOWS_CHAKRA_NODES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/collections/index.h"
#include "parsers/reader/input.h"
#include "planner/model/dag.h"

/* By the numbers of et_def.proto, version 1.0.0. */
enum chakra_type {
    CHAKRA_METADATA = 1,
    CHAKRA_LOAD,
    CHAKRA_STORE,
    CHAKRA_COMPUTE,
    CHAKRA_SEND,
    CHAKRA_RECEIVE,
    CHAKRA_COLLECTIVE,
    CHAKRA_TYPES
};
enum { CHAKRA_NAME = 256 };

struct chakra_node {
    uint64_t id, micros, type, bytes; /* bytes: that a node of communication moves */
    bool on_cpu;                      /* else on the accelerator */
    bool traced;                      /* an operator that PyTorch has run, in a thread */
    char name[CHAKRA_NAME];
    struct br_pos pos;
};

struct chakra_need {
    uint32_t stage;
    bool control; /* else by data */
    uint64_t id;
};

struct chakra {
    struct br_diag *diag;
    const struct br_parse_options *options;
    struct br_dag *dag;
    struct br_index index;    /* of stages, by the ids of their nodes */
    uint64_t *id;             /* of each stage's node */
    struct chakra_need *need; /* in the order of the stages */
    uint32_t ids, id_room, needs, need_room;
    uint32_t untimed, messages, calls; /* nodes without a duration, or that send or receive;
                                        * dependencies that are calls */
};

/* The node whose stage comes next waits for the node of that id. */
enum br_status chakra_need(struct chakra *all, uint64_t id, bool control);
/* An attribute of the node that has a number. */
void chakra_attribute(struct chakra_node *node, const char *name, uint64_t number);
/* Makes a stage of the node. */
enum br_status chakra_add(struct chakra *all, const struct chakra_node *node);
/* The stage of the node with that id, or UINT32_MAX. */
uint32_t chakra_find(const struct chakra *all, uint64_t id);

#endif
