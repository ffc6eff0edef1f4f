/* The coflows that are there, in an order of the policy's. Inline: three lines each. */
#ifndef BR_CLUSTER_COFLOW_FABRIC_LIST_H
#define BR_CLUSTER_COFLOW_FABRIC_LIST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct br_coflow_list {
    uint32_t count;
    uint32_t *coflow; /* room for all of the trace */
};

static inline bool br_coflow_list_init(struct br_coflow_list *list, uint32_t room)
{
    list->count = 0;
    list->coflow = malloc(((size_t)room + 1) * sizeof *list->coflow);
    return list->coflow != NULL;
}

static inline void br_coflow_list_insert(struct br_coflow_list *list, uint32_t at, uint32_t coflow)
{
    memmove(list->coflow + at + 1, list->coflow + at, (list->count++ - at) * sizeof *list->coflow);
    list->coflow[at] = coflow;
}

static inline void br_coflow_list_append(struct br_coflow_list *list, uint32_t coflow)
{
    list->coflow[list->count++] = coflow;
}

/* Answers whether it was there. */
static inline bool br_coflow_list_remove(struct br_coflow_list *list, uint32_t coflow)
{
    uint32_t at = 0;
    while (at < list->count && list->coflow[at] != coflow)
        at++;
    if (at == list->count)
        return false;
    memmove(list->coflow + at, list->coflow + at + 1, (--list->count - at) * sizeof *list->coflow);
    return true;
}

#endif
