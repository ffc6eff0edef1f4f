/* Finds all cuts of a job in one scan of the stages.
 *
 * Why a scan of prefixes is enough. Let X be a cut. No stage lies on both sides: tasks of one
 * stage are never ancestors of each other. So X is a set of stages, all of which come before all
 * others in every topological order: X is a prefix of any one of them.
 *
 * Which prefixes are cuts. Let X be a prefix, neither empty nor everything, so closed under
 * ancestors. Call a task of X a sink when it has no child in X, and a task of the rest a source
 * when all its parents are in X. Both exist, since the graph has no cycle. X is a cut if and only
 * if every source has every sink as a parent.
 *  - If X is a cut: a sink x is an ancestor of a source y by some path. Its second task is not in
 *    X, since x has no child there; its last but one is in X, since all parents of y are. A path
 *    never comes back into X, which holds all ancestors of its members. So the path is one arc.
 *  - If all those arcs exist: from any x in X a path inside X leads down to a sink, and to any y
 *    of the rest a path inside the rest leads down from a source. Joined by the arc from sink to
 *    source they make x an ancestor of y.
 *
 * On stages. All tasks of a stage are sinks together, and sources together: an arc between stages,
 * of either kind, gives every task of the parent a child and every task of the child a parent. All
 * pairs of tasks of a sink stage and a source stage are joined if and only if the arc is a barrier
 * (an instance calls an arc between stages of one task a barrier, too). So X is a cut if and only
 * if the barriers from sink stages to source stages number |sinks| x |sources|; an instance holds
 * each arc once.
 *
 * Cost. In the scan each stage becomes a sink once and ceases to be one once, and the same for
 * sources; each of the four events looks at the arcs of that stage on one side.
 */
#include "planner/instance/part.h"

#include <string.h>

#include "base/collections/memory.h"
#include "base/collections/sort.h"
#include "base/invariant.h"

struct scan {
    const struct br_instance *in;
    bool *sink, *source;
    uint32_t *waiting; /* parents that are not in the prefix */
    uint64_t sinks, sources;
    uint64_t barriers; /* from sinks to sources */
};

static uint64_t barriers_to_sources(const struct scan *scan, uint32_t s)
{
    const struct br_instance *in = scan->in;
    uint64_t count = 0;
    for (uint32_t a = in->child_first[s]; a < in->child_first[s + 1]; a++)
        count += scan->source[in->child[a].stage] && !in->child[a].one_to_one;
    return count;
}

static uint64_t barriers_from_sinks(const struct scan *scan, uint32_t s)
{
    const struct br_instance *in = scan->in;
    uint64_t count = 0;
    for (uint32_t a = in->parent_first[s]; a < in->parent_first[s + 1]; a++)
        count += scan->sink[in->parent[a].stage] && !in->parent[a].one_to_one;
    return count;
}

static void add_source(struct scan *scan, uint32_t s)
{
    scan->source[s] = true;
    scan->sources++;
    scan->barriers += barriers_from_sinks(scan, s);
}

/* Moves the next stage of the topological order from the rest into the prefix. */
static void part_advance(struct scan *scan, uint32_t s)
{
    const struct br_instance *in = scan->in;
    scan->barriers -= barriers_from_sinks(scan, s);
    scan->source[s] = false;
    scan->sources--;
    for (uint32_t a = in->parent_first[s]; a < in->parent_first[s + 1]; a++) {
        uint32_t p = in->parent[a].stage;
        if (!scan->sink[p])
            continue;
        scan->barriers -= barriers_to_sources(scan, p);
        scan->sink[p] = false;
        scan->sinks--;
    }
    scan->sink[s] = true; /* its children are no sources yet */
    scan->sinks++;
    for (uint32_t a = in->child_first[s]; a < in->child_first[s + 1]; a++)
        if (--scan->waiting[in->child[a].stage] == 0)
            add_source(scan, in->child[a].stage);
}

/* Writes the lengths of all prefixes that are cuts, then that of the whole. Returns how many, or 0
 * when memory is out. */
static uint32_t find_cuts(const struct br_instance *in, uint32_t *length)
{
    struct scan scan = {.in = in,
                        .sink = br_calloc(in->stages, sizeof *scan.sink),
                        .source = br_calloc(in->stages, sizeof *scan.source),
                        .waiting = br_calloc(in->stages, sizeof *scan.waiting)};
    uint32_t count = 0;
    if (scan.sink && scan.source && scan.waiting) {
        for (uint32_t s = 0; s < in->stages; s++) {
            scan.waiting[s] = in->parent_first[s + 1] - in->parent_first[s];
            if (scan.waiting[s] == 0)
                add_source(&scan, s);
        }
        for (uint32_t k = 0; k + 1 < in->stages; k++) {
            part_advance(&scan, in->topological[k]);
            assert(scan.barriers <= scan.sinks * scan.sources); /* one for a pair */
            if (scan.barriers == scan.sinks * scan.sources)
                length[count++] = k + 1;
        }
        length[count++] = in->stages;
    }
    br_free(scan.sink);
    br_free(scan.source);
    br_free(scan.waiting);
    return count;
}

static int part_ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Every task is in one part. */
static uint32_t count_tasks(const struct br_parts *parts)
{
    uint32_t tasks = 0;
    for (uint32_t k = 0; k < parts->count; k++)
        tasks += parts->part[k]->tasks;
    return tasks;
}

/* Makes the instances of the parts. False when memory is out. */
static bool make_instances(struct br_parts *parts, const uint32_t *length, uint32_t count,
                           uint32_t *stages, uint32_t *place)
{
    const struct br_instance *whole = parts->whole;
    memcpy(stages, whole->topological, (size_t)whole->stages * sizeof *stages);
    for (uint32_t k = 0, first = 0; k < count; first = length[k++]) {
        const struct br_part_stages share = {stages + first, whole->topological + first,
                                             length[k] - first, place};
        br_sort_by(stages + first, share.count, sizeof *stages, part_ascending);
        for (uint32_t i = 0; i < share.count; i++)
            place[share.stages[i]] = i;
        parts->part[k] = br_instance_share(&parts->arena, whole, &share);
        if (!parts->part[k])
            return false;
        parts->count++;
    }
    return true;
}

enum br_status br_parts_create(const struct br_instance *whole, struct br_parts *parts,
                               struct br_diag *diag)
{
    *parts = (struct br_parts){.whole = whole};
    uint32_t *length = br_malloc((size_t)whole->stages * sizeof *length);
    uint32_t *stages = br_malloc((size_t)whole->stages * sizeof *stages);
    uint32_t *place = br_calloc(whole->stages, sizeof *place);
    uint32_t count = length && stages && place ? find_cuts(whole, length) : 0;
    if (count)
        parts->part = br_calloc(count, sizeof *parts->part);
    bool ok = parts->part != NULL;
    if (ok && count == 1)
        parts->part[parts->count++] = whole;
    else if (ok)
        ok = make_instances(parts, length, count, stages, place);
    br_free(length);
    br_free(stages);
    br_free(place);
    if (ok) {
        br_costly_assert(count_tasks(parts) == whole->tasks);
        return BR_OK;
    }
    br_parts_finish(parts);
    return br_fail_memory(diag);
}

void br_parts_finish(struct br_parts *parts)
{
    br_arena_finish(&parts->arena);
    br_free(parts->part);
    *parts = (struct br_parts){0};
}
