/* Files of jobs, as one array sorted by job and file. */
#include "parsers/workflows/uses.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"

bool br_uses_add(struct br_uses *uses, struct br_file_use use)
{
    if (!br_grow(&uses->use, uses->uses, &uses->room, sizeof *uses->use))
        return false;
    uses->use[uses->uses++] = use;
    return true;
}

void br_uses_finish(struct br_uses *uses)
{
    free(uses->use);
    *uses = (struct br_uses){0};
}

static int uses_by_name(const void *a, const void *b)
{
    const struct br_file_use *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static int uses_by_stage(const void *a, const void *b)
{
    const struct br_file_use *x = a, *y = b;
    if (x->stage != y->stage)
        return x->stage < y->stage ? -1 : 1;
    return x->file < y->file ? -1 : x->file > y->file;
}

void br_uses_sort(struct br_uses *uses)
{
    struct br_file_use *use = uses->use;
    uint32_t file = 0, kept = 0;
    if (!uses->uses)
        return;
    qsort(use, uses->uses, sizeof *use, uses_by_name);
    for (uint32_t u = 0; u < uses->uses; u++) {
        file += u > 0 && strcmp(use[u].name, use[u - 1].name) != 0;
        use[u].file = file;
    }
    qsort(use, uses->uses, sizeof *use, uses_by_stage);
    for (uint32_t u = 1; u < uses->uses; u++)
        if (uses_by_stage(&use[kept], &use[u]) == 0) {
            use[kept].direction |= use[u].direction;
            if (use[kept].bytes < use[u].bytes)
                use[kept].bytes = use[u].bytes;
        } else {
            use[++kept] = use[u];
        }
    uses->uses = kept + 1;
}

uint32_t br_uses_first(const struct br_uses *uses, uint32_t stage, uint32_t file)
{
    const struct br_file_use key = {.stage = stage, .file = file};
    uint32_t low = 0, high = uses->uses;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (uses_by_stage(&uses->use[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool br_uses_shared(const struct br_uses *uses, uint32_t parent, uint32_t child, int64_t *bytes)
{
    uint32_t p = br_uses_first(uses, parent, 0), p_end = br_uses_first(uses, parent + 1, 0);
    uint32_t c = br_uses_first(uses, child, 0), c_end = br_uses_first(uses, child + 1, 0);
    assert(p <= p_end && c <= c_end);
    bool over_child = c_end - c < p_end - p;
    *bytes = 0;
    for (uint32_t u = over_child ? c : p; u < (over_child ? c_end : p_end); u++) {
        const struct br_file_use *one = &uses->use[u];
        uint32_t at = br_uses_first(uses, over_child ? parent : child, one->file);
        if (at == uses->uses || uses->use[at].file != one->file ||
            uses->use[at].stage != (over_child ? parent : child))
            continue;
        const struct br_file_use *other = &uses->use[at];
        const struct br_file_use *written = over_child ? other : one,
                                 *read = over_child ? one : other;
        int64_t size = written->bytes > read->bytes ? written->bytes : read->bytes;
        if ((written->direction & BR_USE_OUTPUT) && (read->direction & BR_USE_INPUT) &&
            __builtin_add_overflow(*bytes, size, bytes))
            return false;
    }
    return true;
}

uint32_t *br_uses_writers(const struct br_uses *uses)
{
    uint32_t files = 0;
    for (uint32_t u = 0; u < uses->uses; u++)
        if (files <= uses->use[u].file)
            files = uses->use[u].file + 1;
    uint32_t *writer = calloc((size_t)files + 1, sizeof *writer);
    for (uint32_t f = 0; f < files && writer; f++)
        writer[f] = BR_NO_WRITER;
    for (uint32_t u = 0; u < uses->uses && writer; u++)
        if (uses->use[u].direction & BR_USE_OUTPUT) {
            uint32_t *w = &writer[uses->use[u].file];
            *w = *w == BR_NO_WRITER ? uses->use[u].stage : BR_SEVERAL_WRITERS;
        }
    return writer;
}

/* A second job of the same stages, with the edges implied by files besides the explicit ones; a
 * cycle in it is a contradiction. Files written by several jobs imply nothing. */
enum br_status br_uses_check(const struct br_uses *uses, const struct br_dag *dag,
                             struct br_diag *diag)
{
    struct br_dag *both = br_dag_create(br_dag_name(dag));
    uint32_t *writer = br_uses_writers(uses);
    enum br_status status =
        both && writer ? br_dag_set_source(both, dag->source, diag) : br_fail_memory(diag);
    for (uint32_t s = 0; s < dag->stages && !status; s++)
        status = br_dag_add_stage(both, dag->stage[s].id, 1, 0, NULL, diag);
    for (uint32_t e = 0; e < dag->edges && !status; e++) {
        status = br_dag_add_edge(both, dag->edge[e].parent, dag->edge[e].child, BR_BARRIER, diag);
        if (!status)
            br_dag_set_edge_pos(both, dag->edge[e].pos);
    }
    for (uint32_t u = 0; u < uses->uses && !status; u++) {
        uint32_t w = writer[uses->use[u].file];
        if (w >= BR_SEVERAL_WRITERS || w == uses->use[u].stage ||
            !(uses->use[u].direction & BR_USE_INPUT))
            continue;
        status = br_dag_add_edge(both, w, uses->use[u].stage, BR_BARRIER, diag);
        if (!status)
            br_dag_set_edge_pos(both, uses->use[u].pos);
    }
    if (!status) {
        status = br_dag_finish(both, diag);
        if (status == BR_BAD_INPUT && diag)
            snprintf(diag->hint, sizeof diag->hint,
                     "on it, a job reads a file that is written later; remove an edge, or the file "
                     "from that job");
    }
    free(writer);
    br_dag_destroy(both);
    return status;
}
