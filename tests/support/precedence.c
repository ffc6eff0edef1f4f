/* For small jobs: squares and cubes of the number of tasks. */
#include "tests/support/precedence.h"

#include <assert.h>
#include <stdlib.h>

char *precedence_edges(const struct br_instance *in)
{
    char *before = calloc(in->tasks, in->tasks);
    assert(before);
    for (uint32_t p = 0; p < in->stages; p++)
        for (uint32_t a = in->child_first[p]; a < in->child_first[p + 1]; a++) {
            uint32_t c = in->child[a].stage;
            for (uint32_t x = in->stage_first[p]; x < in->stage_first[p + 1]; x++)
                for (uint32_t y = in->stage_first[c]; y < in->stage_first[c + 1]; y++)
                    if (!in->child[a].one_to_one ||
                        x - in->stage_first[p] == y - in->stage_first[c])
                        before[x * in->tasks + y] = 1;
        }
    return before;
}

char *precedence_closure(const struct br_instance *in)
{
    uint32_t n = in->tasks;
    char *before = precedence_edges(in);
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t x = 0; x < n; x++)
            for (uint32_t y = 0; before[x * n + k] && y < n; y++)
                before[x * n + y] |= before[k * n + y];
    return before;
}
