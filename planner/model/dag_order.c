/* The topological order of the stages, or the cycle that forbids one. */
#include "base/collections/csr.h"
#include "planner/model/dag.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/collections/heap.h"
#include "base/collections/memory.h"

/* Follows parents inside the stages that could not be ordered until a stage recurs, and writes that
 * cycle, task by task: every stage on it stands for its task 0, which waits for itself. */
static enum br_status describe_cycle(const struct br_dag *dag, const uint32_t *waiting,
                                     struct br_diag *diag)
{
    enum { SHOWN = 12 };
    uint32_t *via = br_malloc((size_t)dag->stages * sizeof *via); /* edge to an unordered parent */
    uint32_t *seen = br_calloc(dag->stages, sizeof *seen);        /* step of the visit, from 1 */
    uint32_t *cycle = br_malloc((size_t)dag->stages * sizeof *cycle); /* stages, children first */
    enum br_status status = br_fail_memory(diag);
    if (!via || !seen || !cycle)
        goto out;
    memset(via, 0xff, (size_t)dag->stages * sizeof *via);
    for (uint32_t e = dag->edges; e-- > 0;)
        if (waiting[dag->edge[e].parent] && waiting[dag->edge[e].child])
            via[dag->edge[e].child] = e;
    uint32_t at = 0, steps = 0;
    while (!waiting[at])
        at++;
    do {
        seen[at] = ++steps;
        cycle[steps - 1] = at;
        assert(via[at] != UINT32_MAX); /* the waiting stage has a parent that waits, too */
        at = dag->edge[via[at]].parent;
    } while (!seen[at]);
    uint32_t from = seen[at] - 1, length = steps - from;
    struct br_pos pos = dag->edge[via[cycle[steps - 1]]].pos; /* the edge that closes it */
    char text[600] = "";
    size_t used = 0;
    for (uint32_t k = 0; k <= length && used < sizeof text - 1; k++) {
        if (length > SHOWN && k == SHOWN / 2) {
            k = length - SHOWN / 2;
            used += (size_t)snprintf(text + used, sizeof text - used, " -> ...");
            if (used >= sizeof text)
                break;
        }
        const struct br_stage *stage = &dag->stage[cycle[k == length ? steps - 1 : steps - 1 - k]];
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.60s%s", k ? " -> " : "",
                                 stage->id, stage->tasks > 1 ? "[0]" : "");
    }
    status = br_fail_at(diag, pos, BR_BAD_INPUT, "remove one of these edges",
                        "the job has a cycle of %" PRIu32 " task%s: %s", length,
                        length == 1 ? "" : "s", text);
out:
    br_free(via);
    br_free(seen);
    br_free(cycle);
    return status;
}

/* Kahn's order with the least stage number first, by a binary heap. */
enum br_status br_dag_order(struct br_dag *dag, struct br_diag *diag)
{
    uint32_t n = dag->stages, ready = 0, done = 0;
    uint32_t *first = br_calloc(br_csr_room(n), sizeof *first);
    uint32_t *child = br_malloc(((size_t)dag->edges + 1) * sizeof *child);
    uint32_t *waiting = br_calloc(n, sizeof *waiting);
    uint32_t *heap = br_malloc((size_t)n * sizeof *heap);
    dag->topological = br_malloc((size_t)n * sizeof *dag->topological);
    enum br_status status = BR_OK;
    if (!first || !child || !waiting || !heap || !dag->topological) {
        status = br_fail_memory(diag);
        goto out;
    }
    for (uint32_t e = 0; e < dag->edges; e++) {
        br_csr_count(first, dag->edge[e].parent);
        waiting[dag->edge[e].child]++;
    }
    br_csr_sum(first, n);
    for (uint32_t e = 0; e < dag->edges; e++)
        child[br_csr_place(first, dag->edge[e].parent)] = dag->edge[e].child;
    for (uint32_t s = 0; s < n; s++)
        if (!waiting[s])
            heap[ready++] = s; /* ascending, so already a heap */
    while (ready) {
        uint32_t s = br_numbers_pop(NULL, heap, &ready);
        dag->topological[done++] = s;
        for (uint32_t k = first[s]; k < first[s + 1]; k++)
            if (--waiting[child[k]] == 0)
                br_numbers_push(NULL, heap, &ready, child[k]);
    }
    if (done < n)
        status = describe_cycle(dag, waiting, diag);
out:
    br_free(first);
    br_free(child);
    br_free(waiting);
    br_free(heap);
    return status;
}
