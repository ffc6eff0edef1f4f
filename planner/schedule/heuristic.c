/* The table of baseline heuristics. All but strip-part are work-conserving: an order, by parallel
 * schedule generation. */
#include "planner/schedule/heuristic.h"

#include <string.h>

#include "base/collections/memory.h"
#include "base/numbers/rng.h"
#include "planner/schedule/dispatch.h"
#include "planner/schedule/rank.h"
#include "planner/schedule/strip.h"

/* The schedule by the keys; ok: they are filled. Frees them before it needs memory. */
static bool dispatch_keys(struct br_key *key, bool ok, enum br_dispatch_rule rule,
                          struct br_schedule *schedule, const struct br_instance *in,
                          const struct br_stop *stop)
{
    struct br_order order = {0};
    ok = ok && br_order_init(&order, in, key);
    br_free(key);
    ok = ok && br_dispatch(schedule, in, &order, rule, stop);
    br_order_finish(&order);
    return ok;
}

static bool dispatch_by(br_key_function *fill, enum br_dispatch_rule rule,
                        struct br_schedule *schedule, const struct br_instance *in,
                        const struct br_reach *reach, uint64_t seed, const struct br_stop *stop)
{
    if (in->tasks == 1 && rule == BR_DISPATCH_ORDER) {
        br_dispatch_single(schedule, in);
        return true;
    }
    struct br_key *key = br_calloc(in->tasks, sizeof *key);
    return dispatch_keys(key, key && fill(key, in, reach, seed), rule, schedule, in, stop);
}

bool br_heuristic_given(struct br_schedule *schedule, const struct br_instance *in,
                        const uint32_t *place)
{
    struct br_key *key = br_calloc(in->tasks, sizeof *key);
    for (uint32_t t = 0; key && t < in->tasks; t++)
        key[t].first = -(int64_t)place[in->task_origin[t]];
    return dispatch_keys(key, key != NULL, BR_DISPATCH_ORDER, schedule, in, NULL);
}

/* Longest way to the end of the job, own duration included. */
static bool critical_path_key(struct br_key *key, const struct br_instance *in,
                              const struct br_reach *reach, uint64_t seed)
{
    for (uint32_t t = 0; t < in->tasks; t++)
        key[t] = (struct br_key){reach->tail[t] + in->duration[t], in->duration[t], 0};
    return true;
}

/* Least latest finish time: longest way to the end, own duration left out. */
static bool latest_finish_key(struct br_key *key, const struct br_instance *in,
                              const struct br_reach *reach, uint64_t seed)
{
    for (uint32_t t = 0; t < in->tasks; t++)
        key[t] = (struct br_key){reach->tail[t], in->duration[t], 0};
    return true;
}

static bool random_key(struct br_key *key, const struct br_instance *in,
                       const struct br_reach *reach, uint64_t seed)
{
    struct br_rng rng = br_rng_seed(seed);
    for (uint32_t t = 0; t < in->tasks; t++)
        key[t].first = (int64_t)(br_rng_next(&rng) >> 1);
    return true;
}

/* Keys from a rank of the stages, the first stage first. */
static bool stage_key(struct br_key *key, const struct br_instance *in,
                      bool (*rank)(const struct br_instance *in, uint32_t *out))
{
    uint32_t *out = br_malloc(in->stages * sizeof *out);
    bool ok = out && rank(in, out);
    for (uint32_t t = 0; ok && t < in->tasks; t++)
        key[t].first = -(int64_t)out[in->task_stage[t]];
    br_free(out);
    return ok;
}

static bool breadth_key(struct br_key *key, const struct br_instance *in,
                        const struct br_reach *reach, uint64_t seed)
{
    return stage_key(key, in, br_rank_breadth_first);
}

static bool depth_key(struct br_key *key, const struct br_instance *in,
                      const struct br_reach *reach, uint64_t seed)
{
    return stage_key(key, in, br_rank_depth_first);
}

static bool coffman_graham_key(struct br_key *key, const struct br_instance *in,
                               const struct br_reach *reach, uint64_t seed)
{
    return stage_key(key, in, br_rank_coffman_graham);
}

#define HEURISTIC(function, key, rule)                                                             \
    static bool function(struct br_schedule *schedule, const struct br_instance *in,               \
                         const struct br_reach *reach, uint64_t seed, const struct br_stop *stop)  \
    {                                                                                              \
        return dispatch_by(key, rule, schedule, in, reach, seed, stop);                            \
    }

HEURISTIC(run_cp, critical_path_key, BR_DISPATCH_ORDER)
HEURISTIC(run_bfs, breadth_key, BR_DISPATCH_ORDER)
HEURISTIC(run_dfs, depth_key, BR_DISPATCH_ORDER)
HEURISTIC(run_lft, latest_finish_key, BR_DISPATCH_ORDER)
HEURISTIC(run_packing, breadth_key, BR_DISPATCH_PACKING)
HEURISTIC(run_coffman_graham, coffman_graham_key, BR_DISPATCH_ORDER)
HEURISTIC(run_random, random_key, BR_DISPATCH_ORDER)

static bool run_strip(struct br_schedule *schedule, const struct br_instance *in,
                      const struct br_reach *reach, uint64_t seed, const struct br_stop *stop)
{
    return br_strip_partition(schedule, in, reach, stop);
}

static const struct br_heuristic table[] = {
    {{"cp", "critical path: the longest way to the end first"},
     critical_path_key,
     run_cp,
     .slow = false},
    {{"bfs", "breadth-first: by depth, then in topological order"},
     breadth_key,
     run_bfs,
     .slow = false},
    {{"dfs", "depth-first: a chain is followed before the next is begun"},
     depth_key,
     run_dfs,
     .weak = true},
    {{"lft", "latest finish time: the least slack first"},
     latest_finish_key,
     run_lft,
     .slow = false},
    {{"packing", "the ready task that packs best first (dot product, as Tetris)"},
     breadth_key,
     run_packing,
     .slow = true},
    {{"coffman-graham", "lexicographic labels of the successors"},
     coffman_graham_key,
     run_coffman_graham,
     .slow = false},
    {{"strip-part", "levels of independent tasks, packed one after another"},
     NULL,
     run_strip,
     .slow = true},
    {{"random", "a random order, from the seed"}, random_key, run_random, .weak = true},
};

const struct br_names br_heuristics = {BR_NAMES(table)};

const struct br_heuristic *br_heuristic_at(uint32_t k)
{
    return k < sizeof table / sizeof table[0] ? &table[k] : NULL;
}
