#include "planner/modes/baselines.h"

#include "base/collections/memory.h"
#include "base/collections/sort.h"
#include "base/numbers/wide.h"
#include "planner/modes/search.h"

/* All by task; times in nanoseconds. */
struct ranks {
    const struct br_modes *modes;
    int64_t *mean, *shortest;
    int64_t *up;   /* longest path by means that begins with the task */
    int64_t *down; /* longest path by means that ends before it */
    int64_t *key;  /* the greatest first */
    uint32_t *only;
};

static int64_t capped_sum(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* ---- Durations ---- */

/* What the task lasts at least on a machine of the class; -1: none of its ways runs there. */
static int64_t least_on(const struct br_modes *modes, uint32_t task, uint32_t cls)
{
    const uint32_t stage = modes->task_stage[task];
    int64_t least = -1;
    for (uint32_t w = modes->way_first[stage]; w < modes->way_first[stage + 1]; w++)
        for (uint32_t k = 0; k < modes->way[w].classes; k++)
            if (modes->class_of[modes->way[w].first_class + k] == cls) {
                const int64_t lasts = br_way_duration(modes, w, task);
                least = least < 0 || lasts < least ? lasts : least;
            }
    return least;
}

static void fill_durations(struct ranks *r)
{
    const struct br_cluster *cluster = r->modes->cluster;
    for (uint32_t t = 0; t < r->modes->tasks; t++) {
        br_wide sum = 0;
        uint32_t machines = 0;
        r->shortest[t] = INT64_MAX;
        for (uint32_t c = 0; c < cluster->classes; c++) {
            const int64_t least = least_on(r->modes, t, c);
            if (least < 0)
                continue;
            sum += (br_wide)least * cluster->cls[c].count;
            machines += cluster->cls[c].count;
            r->shortest[t] = least < r->shortest[t] ? least : r->shortest[t];
        }
        r->mean[t] = machines ? (int64_t)(sum / machines) : 0;
    }
}

/* ---- Paths ---- */

/* The longest path by these durations to the beginning (or, with `behind`, the end) of the job, the
 * task itself left out, into out. `most` has room for a number by stage. */
static void fill_paths(const struct br_modes *modes, const int64_t *lasts, bool behind,
                       int64_t *most, int64_t *out)
{
    const struct br_dag *dag = modes->dag;
    const uint32_t *first = behind ? modes->child_first : modes->parent_first;
    const struct br_stage_arc *arc = behind ? modes->child : modes->parent;
    for (uint32_t k = 0; k < dag->stages; k++) {
        const uint32_t s = dag->topological[behind ? dag->stages - 1 - k : k];
        most[s] = 0;
        for (uint32_t i = 0; i < dag->stage[s].tasks; i++) {
            const uint32_t t = dag->stage[s].first_task + i;
            out[t] = 0;
            for (uint32_t a = first[s]; a < first[s + 1]; a++) {
                const uint32_t twin = dag->stage[arc[a].stage].first_task + i;
                const int64_t path =
                    arc[a].one_to_one ? capped_sum(out[twin], lasts[twin]) : most[arc[a].stage];
                out[t] = path > out[t] ? path : out[t];
            }
            const int64_t whole = capped_sum(out[t], lasts[t]);
            most[s] = whole > most[s] ? whole : most[s];
        }
    }
}

static bool fill_upward(struct ranks *r, int64_t *most)
{
    fill_paths(r->modes, r->mean, true, most, r->up);
    for (uint32_t t = 0; t < r->modes->tasks; t++)
        r->key[t] = r->up[t] = capped_sum(r->up[t], r->mean[t]);
    return true;
}

static bool fill_optimistic(struct ranks *r, int64_t *most)
{
    fill_paths(r->modes, r->shortest, true, most, r->key);
    return true;
}

/* ---- The critical path on a processor ---- */

/* Does the task of stage `to` wait for `from`? */
static bool waits_for(const struct br_modes *modes, uint32_t from, uint32_t to)
{
    const struct br_dag *dag = modes->dag;
    const uint32_t parent = modes->task_stage[from], child = modes->task_stage[to];
    for (uint32_t a = modes->child_first[parent]; a < modes->child_first[parent + 1]; a++)
        if (modes->child[a].stage == child &&
            (!modes->child[a].one_to_one ||
             from - dag->stage[parent].first_task == to - dag->stage[child].first_task))
            return true;
    return false;
}

/* Marks one longest path in `on`: from its first task on the first child that is on one, too. */
static void mark_path(const struct ranks *r, bool *on)
{
    const struct br_modes *modes = r->modes;
    const struct br_dag *dag = modes->dag;
    int64_t longest = -1;
    uint32_t last = UINT32_MAX;
    for (uint32_t t = 0; t < modes->tasks; t++)
        longest = r->key[t] > longest ? r->key[t] : longest;
    for (uint32_t k = 0; k < dag->stages; k++) {
        const struct br_stage *s = &dag->stage[dag->topological[k]];
        for (uint32_t t = s->first_task; t < s->first_task + s->tasks; t++)
            if (r->key[t] == longest &&
                (last == UINT32_MAX ? r->down[t] == 0 : waits_for(modes, last, t))) {
                on[t] = true;
                last = t;
                break;
            }
    }
}

/* The machine of the class that runs most tasks of the path, and of these in the least time. */
static uint32_t path_machine(const struct ranks *r, const bool *on)
{
    const struct br_cluster *cluster = r->modes->cluster;
    uint32_t best = 0, best_tasks = 0;
    int64_t best_sum = INT64_MAX;
    for (uint32_t c = 0; c < cluster->classes; c++) {
        uint32_t tasks = 0;
        int64_t sum = 0;
        for (uint32_t t = 0; t < r->modes->tasks; t++) {
            const int64_t least = on[t] ? least_on(r->modes, t, c) : -1;
            if (least < 0)
                continue;
            tasks++;
            sum = capped_sum(sum, least);
        }
        if (tasks > best_tasks || (tasks == best_tasks && sum < best_sum)) {
            best = cluster->cls[c].first_machine;
            best_tasks = tasks;
            best_sum = sum;
        }
    }
    return best;
}

static bool fill_path(struct ranks *r, int64_t *most)
{
    const struct br_modes *modes = r->modes;
    bool *on = br_calloc((size_t)modes->tasks + 1, sizeof *on);
    if (!on)
        return false;
    fill_upward(r, most);
    fill_paths(modes, r->mean, false, most, r->down);
    for (uint32_t t = 0; t < modes->tasks; t++)
        r->key[t] = capped_sum(r->up[t], r->down[t]);
    mark_path(r, on);
    const uint32_t machine = path_machine(r, on);
    for (uint32_t t = 0; t < modes->tasks; t++)
        r->only[t] = on[t] ? machine : UINT32_MAX;
    br_free(on);
    return true;
}

/* ---- The table ---- */

static const struct {
    struct br_named named;
    bool (*fill)(struct ranks *r, int64_t *most); /* the keys; false when memory is out */
    bool restricts;                               /* it fills `only`, too */
    bool dispatches;
} rows[] = {
    {{"heft", "by upward rank, each task where it ends first (HEFT, Topcuoglu et al. 2002)"},
     fill_upward,
     false,
     false},
    {{"peft",
      "by optimistic costs, each task where it ends first (PEFT, Arabnejad and Barbosa 2014)"},
     fill_optimistic,
     false,
     false},
    {{"cpop", "the critical path on one machine (CPOP, Topcuoglu et al. 2002)"},
     fill_path,
     true,
     false},
    {{"upward-rank", "list scheduling by upward rank: what is ready and fits starts"},
     fill_upward,
     false,
     true},
};

const struct br_names br_baselines = {BR_NAMES(rows)};

static int by_key(const void *x, const void *y, void *context)
{
    const int64_t *key = context;
    const uint32_t s = *(const uint32_t *)x, t = *(const uint32_t *)y;
    if (key[s] != key[t])
        return key[s] > key[t] ? -1 : 1;
    return s < t ? -1 : s > t;
}

static bool rank_tasks(const struct ranks *r, uint32_t *rank)
{
    uint32_t *sorted = br_malloc(((size_t)r->modes->tasks + 1) * sizeof *sorted);
    if (!sorted)
        return false;
    for (uint32_t t = 0; t < r->modes->tasks; t++)
        sorted[t] = t;
    br_sort_within(sorted, r->modes->tasks, sizeof *sorted, by_key, r->key);
    for (uint32_t k = 0; k < r->modes->tasks; k++)
        rank[sorted[k]] = k;
    br_free(sorted);
    return true;
}

bool br_baseline_run(const struct br_modes *modes, uint32_t k, uint64_t seed,
                     struct br_choice *choice, bool *afforded)
{
    const size_t n = (size_t)modes->tasks + 1;
    struct ranks r = {.modes = modes,
                      .mean = br_malloc(n * sizeof *r.mean),
                      .shortest = br_malloc(n * sizeof *r.shortest),
                      .up = br_malloc(n * sizeof *r.up),
                      .down = br_malloc(n * sizeof *r.down),
                      .key = br_malloc(n * sizeof *r.key),
                      .only = br_malloc(n * sizeof *r.only)};
    int64_t *most = br_malloc(((size_t)modes->stages + 1) * sizeof *most);
    struct br_mode_lister *lister = br_mode_lister_create(modes);
    bool ok = r.mean && r.shortest && r.up && r.down && r.key && r.only && most && lister;
    *afforded = false;
    if (ok) {
        fill_durations(&r);
        ok = rows[k].fill(&r, most) && rank_tasks(&r, choice->rank) &&
             br_modes_afford(modes, seed, choice->way, afforded);
    }
    choice->only = rows[k].restricts ? r.only : NULL;
    if (ok && *afforded)
        ok = rows[k].dispatches ? br_mode_lister_dispatch(lister, choice)
                                : br_mode_lister_run(lister, choice, false, true);
    choice->only = NULL;
    br_mode_lister_destroy(lister);
    br_free(most);
    br_free(r.mean);
    br_free(r.shortest);
    br_free(r.up);
    br_free(r.down);
    br_free(r.key);
    br_free(r.only);
    return ok;
}
