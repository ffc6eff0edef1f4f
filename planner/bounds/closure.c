/* Along a path of one-to-one arcs alone, task i is ahead of task i only. One barrier on the path,
 * and every task at its beginning is ahead of every task at its end, since each task on the way has
 * a child and a parent along each arc. So a stage u is wholly ahead of s when the last arc of some
 * path is a barrier, or when it is one-to-one from a stage that u is wholly ahead of. */
#include "planner/bounds/closure.h"

#include <assert.h>

#include "base/collections/memory.h"

static void closure_merge(uint64_t *into, const uint64_t *from, uint32_t words)
{
    for (uint32_t w = 0; w < words; w++)
        into[w] |= from[w];
}

bool br_closure_init(struct br_closure *closure, const struct br_instance *in)
{
    *closure = (struct br_closure){0};
    if (in->stages > BR_CLOSURE_STAGES)
        return false;
    uint32_t n = in->stages, words = (n + 63) / 64;
    size_t size = (size_t)n * words;
    uint64_t *any = br_calloc(size, sizeof *any); /* stages with a path to s, and s itself */
    uint64_t *before = br_calloc(size, sizeof *before), *after = br_calloc(size, sizeof *after);
    bool ok = any && before && after;
    for (uint32_t k = 0; ok && k < n; k++) {
        uint32_t s = in->topological[k];
        uint64_t *row = any + (size_t)s * words;
        row[s / 64] |= UINT64_C(1) << (s % 64);
        for (uint32_t a = in->parent_first[s]; a < in->parent_first[s + 1]; a++) {
            size_t parent = (size_t)in->parent[a].stage * words;
            closure_merge(row, any + parent, words);
            closure_merge(before + (size_t)s * words,
                          in->parent[a].one_to_one ? before + parent : any + parent, words);
        }
        assert(!br_closure_bit(before, words, s, s));
    }
    for (uint32_t s = 0; ok && s < n; s++)
        for (uint32_t u = 0; u < n; u++)
            if (br_closure_bit(before, words, s, u))
                after[(size_t)u * words + s / 64] |= UINT64_C(1) << (s % 64);
    br_free(any);
    *closure = (struct br_closure){words, before, after};
    if (!ok)
        br_closure_finish(closure);
    return ok;
}

void br_closure_finish(struct br_closure *closure)
{
    br_free(closure->before);
    br_free(closure->after);
    *closure = (struct br_closure){0};
}
