/* Lines of one id are one coflow: what they carry between two ports adds up. */
#include "cluster/coflow/coflows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/sort.h"

#define NONE UINT32_MAX

struct join {
    struct br_coflows *trace;
    struct br_coflow *coflow; /* the joined ones, in the order of their first lines */
    uint32_t *next;           /* by line: the next line of its coflow, or NONE */
    bool *follows;            /* by line: it is not the first of its coflow */
};

static int coflow_join_by_number(const void *one, const void *two)
{
    const uint32_t *a = one, *b = two;
    return (*a > *b) - (*a < *b);
}

/* The ports of all lines of the coflow that begins at line k; NULL when memory is out. */
static const uint32_t *unite(const struct join *join, uint32_t k, bool down, uint32_t *count)
{
    uint32_t all = 0, kept = 0;
    for (uint32_t j = k; j != NONE; j = join->next[j])
        all += down ? join->trace->coflow[j].receivers : join->trace->coflow[j].senders;
    uint32_t *port = br_arena_array(&join->trace->arena, all, sizeof *port);
    if (!port)
        return NULL;
    for (uint32_t j = k, at = 0; j != NONE; j = join->next[j]) {
        const struct br_coflow *part = &join->trace->coflow[j];
        uint32_t ports = down ? part->receivers : part->senders;
        memcpy(port + at, down ? part->down : part->up, ports * sizeof *port);
        at += ports;
    }
    qsort(port, all, sizeof *port, coflow_join_by_number);
    for (uint32_t p = 0; p < all; p++)
        if (kept == 0 || port[kept - 1] != port[p])
            port[kept++] = port[p];
    assert(kept > 0 && kept <= all);
    *count = kept;
    return port;
}

static uint32_t coflow_join_place_of(const uint32_t *ports, uint32_t count, uint32_t port)
{
    const uint32_t *found = bsearch(&port, ports, count, sizeof port, coflow_join_by_number);
    assert(found);
    return (uint32_t)(found - ports);
}

static void add_bytes(const struct join *join, const struct br_coflow *whole,
                      const struct br_coflow *part, double *bytes)
{
    for (uint32_t r = 0; r < part->receivers; r++) {
        uint64_t row = coflow_join_place_of(whole->down, whole->receivers, part->down[r]);
        for (uint32_t s = 0; s < part->senders; s++)
            bytes[whole->first + row * whole->senders +
                  coflow_join_place_of(whole->up, whole->senders, part->up[s])] +=
                join->trace->bytes[part->first + (uint64_t)r * part->senders + s];
    }
}

/* Links the lines of each coflow; returns how many follow another. */
static uint32_t link_lines(struct join *join, struct br_sort_item *item)
{
    uint32_t lines = join->trace->coflows, follow = 0;
    for (uint32_t k = 0; k < lines; k++)
        item[k] = (struct br_sort_item){join->trace->coflow[k].id, k};
    br_sort(item, item + lines, lines);
    for (uint32_t k = 0; k < lines; k++) {
        bool more = k + 1 < lines && item[k].key == item[k + 1].key;
        join->next[item[k].item] = more ? item[k + 1].item : NONE;
        join->follows[item[k].item] = k > 0 && item[k].key == item[k - 1].key;
        follow += join->follows[item[k].item];
    }
    assert(lines == 0 || follow < lines);
    return follow;
}

/* The joined coflows without their bytes; *flows receives the room that these take. */
static enum br_status coflow_join_shape(struct join *join, uint64_t *flows, uint32_t *coflows,
                                        struct br_diag *diag)
{
    *flows = *coflows = 0;
    for (uint32_t k = 0; k < join->trace->coflows; k++) {
        struct br_coflow whole = join->trace->coflow[k];
        if (join->follows[k])
            continue;
        if (join->next[k] != NONE) {
            whole.up = unite(join, k, false, &whole.senders);
            whole.down = unite(join, k, true, &whole.receivers);
            if (!whole.up || !whole.down)
                return br_fail_memory(diag);
        }
        for (uint32_t j = join->next[k]; j != NONE; j = join->next[j])
            if (whole.arrival_ms > join->trace->coflow[j].arrival_ms)
                whole.arrival_ms = join->trace->coflow[j].arrival_ms;
        whole.first = *flows;
        *flows += br_coflow_cells(&whole);
        if (*flows > BR_COFLOW_FLOWS_MOST)
            return br_fail(diag, BR_BAD_INPUT, "split the trace",
                           "the trace has more than %llu flows, once lines of one id are joined",
                           (unsigned long long)BR_COFLOW_FLOWS_MOST);
        join->coflow[(*coflows)++] = whole;
    }
    return BR_OK;
}

static enum br_status coflow_join_lines(struct join *join, struct br_diag *diag)
{
    struct br_coflows *trace = join->trace;
    uint64_t flows;
    uint32_t coflows, at = 0;
    enum br_status status = coflow_join_shape(join, &flows, &coflows, diag);
    double *bytes = status ? NULL : calloc(flows + 1, sizeof *bytes);
    if (!bytes)
        return status ? status : br_fail_memory(diag);
    for (uint32_t k = 0; k < trace->coflows; k++) {
        if (join->follows[k])
            continue;
        for (uint32_t j = k; j != NONE; j = join->next[j])
            add_bytes(join, &join->coflow[at], &trace->coflow[j], bytes);
        at++;
    }
    assert(at == coflows);
    assert(coflows < trace->coflows);
    free(trace->bytes);
    trace->bytes = bytes;
    trace->flows = flows;
    trace->flow_room = flows + 1;
    trace->joined = trace->coflows - coflows;
    memcpy(trace->coflow, join->coflow, coflows * sizeof *join->coflow);
    trace->coflows = coflows;
    return BR_OK;
}

enum br_status br_coflows_join(struct br_coflows *trace, struct br_diag *diag)
{
    size_t lines = (size_t)trace->coflows + 1;
    struct join join = {.trace = trace,
                        .coflow = malloc(lines * sizeof *join.coflow),
                        .next = malloc(lines * sizeof *join.next),
                        .follows = malloc(lines * sizeof *join.follows)};
    struct br_sort_item *item = malloc(2 * lines * sizeof *item);
    enum br_status status =
        join.coflow && join.next && join.follows && item ? BR_OK : br_fail_memory(diag);
    if (!status && link_lines(&join, item) > 0)
        status = coflow_join_lines(&join, diag);
    free(join.coflow);
    free(join.next);
    free(join.follows);
    free(item);
    return status;
}
