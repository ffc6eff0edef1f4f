/* For each stage, a look back along its streams. */
#include "planner/check/proofs/awaited.h"

#include <string.h>

#include "base/collections/csr.h"
#include "base/collections/grow.h"
#include "base/collections/memory.h"
#include "base/collections/sort.h"
#include "base/numbers/wide.h"

/* One look: by stage, the longest lag of a way back to it, of tasks with equal indices (pair) or
 * all (any); -1: there is none. */
struct looked {
    int64_t *pair, *any;
    uint32_t *touched, count; /* stages that have one */
};

struct looking {
    const struct br_dag *dag;
    struct br_check_waits *all;
    uint32_t *into_first, *into, *position;
    struct looked streams, waits; /* over streams alone; and over one edge that is none */
    bool follow;                  /* there are streams to look back along */
};

int64_t br_check_sum(int64_t a, int64_t b)
{
    const br_wide sum = (br_wide)a + b;
    return sum > INT64_MAX / 4 ? INT64_MAX / 4 : (int64_t)sum;
}

/* From the start of a parent to that of its child over the stream. */
static int64_t lag_of_stream(const struct looking *w, uint32_t e)
{
    const struct br_dag *dag = w->dag;
    const struct br_edge *edge = &dag->edge[e];
    int64_t apart = w->all->shortest[edge->parent] - w->all->longest[edge->child];
    if (br_dag_is_paired(dag, edge)) {
        const int64_t *parent = dag->duration_ns + dag->stage[edge->parent].first_task;
        const int64_t *child = dag->duration_ns + dag->stage[edge->child].first_task;
        apart = parent[0] - child[0];
        for (uint32_t i = 1; i < dag->stage[edge->parent].tasks; i++)
            if (parent[i] - child[i] < apart)
                apart = parent[i] - child[i];
    }
    const int64_t lag = br_dag_wait(dag, e).lag_ns;
    return apart > lag ? apart : lag;
}

static void touch(struct looked *l, uint32_t stage, bool paired, int64_t lag_ns)
{
    if (l->pair[stage] < 0 && l->any[stage] < 0)
        l->touched[l->count++] = stage;
    int64_t *lag = paired ? &l->pair[stage] : &l->any[stage];
    if (lag_ns > *lag)
        *lag = lag_ns;
}

/* Goes on from the stage over one edge. */
static void step_back(struct looking *w, const struct looked *from, struct looked *to,
                      uint32_t stage, uint32_t e, int64_t lag_ns)
{
    const struct br_edge *edge = &w->dag->edge[e];
    const bool paired = br_dag_is_paired(w->dag, edge);
    if (from->any[stage] >= 0)
        touch(to, edge->parent, false, br_check_sum(from->any[stage], lag_ns));
    if (from->pair[stage] >= 0)
        touch(to, edge->parent, paired, br_check_sum(from->pair[stage], lag_ns));
}

static void look_back(struct looking *w, uint32_t of)
{
    const struct br_dag *dag = w->dag;
    const uint32_t last = w->position[of], first = w->follow ? 0 : last;
    touch(&w->streams, of, true, 0);
    for (uint32_t k = last + 1; k-- > first;) {
        const uint32_t s = dag->topological[k];
        for (uint32_t i = w->into_first[s]; i < w->into_first[s + 1]; i++) {
            const struct br_wait wait = br_dag_wait(dag, w->into[i]);
            if (!wait.stream)
                step_back(w, &w->streams, &w->waits, s, w->into[i], wait.lag_ns);
            else if (w->follow)
                step_back(w, &w->streams, &w->streams, s, w->into[i], lag_of_stream(w, w->into[i]));
        }
    }
    /* What has ended when that has which is waited for. */
    for (uint32_t k = last + 1; w->follow && k-- > 0;) {
        const uint32_t s = dag->topological[k];
        for (uint32_t i = w->into_first[s]; i < w->into_first[s + 1]; i++)
            if (br_dag_wait(dag, w->into[i]).stream)
                step_back(w, &w->waits, &w->waits, s, w->into[i], 0);
    }
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static bool add_wait(struct br_check_wait **list, uint32_t *count, uint32_t *room,
                     struct br_check_wait wait)
{
    if (!br_grow(list, *count, room, sizeof **list))
        return false;
    (*list)[(*count)++] = wait;
    return true;
}

/* Lists what was touched, and forgets it. */
static bool list_looked(struct looked *l, uint32_t of, struct br_check_wait **list, uint32_t *count,
                        uint32_t *room)
{
    bool ok = true;
    if (l->count)
        br_sort_by(l->touched, l->count, sizeof *l->touched, by_number);
    for (uint32_t k = 0; k < l->count; k++) {
        const uint32_t s = l->touched[k];
        if (s != of && l->any[s] >= 0)
            ok = ok && add_wait(list, count, room, (struct br_check_wait){of, s, false, l->any[s]});
        if (s != of && l->pair[s] > l->any[s])
            ok = ok && add_wait(list, count, room, (struct br_check_wait){of, s, true, l->pair[s]});
        l->any[s] = l->pair[s] = -1;
    }
    l->count = 0;
    return ok;
}

/* Tasks are released no earlier than what they read streams of, and its lag. */
static void find_releases(struct looking *w)
{
    const struct br_dag *dag = w->dag;
    int64_t *release = w->all->release_ns;
    for (uint32_t t = 0; t < dag->tasks; t++)
        release[t] = br_dag_release(dag, t);
    for (uint32_t k = 0; k < dag->stages; k++) {
        const struct br_stage *child = &dag->stage[dag->topological[k]];
        for (uint32_t i = w->into_first[dag->topological[k]];
             i < w->into_first[dag->topological[k] + 1]; i++) {
            const struct br_edge *edge = &dag->edge[w->into[i]];
            const struct br_stage *parent = &dag->stage[edge->parent];
            if (!br_dag_wait(dag, w->into[i]).stream)
                continue;
            const int64_t lag = lag_of_stream(w, w->into[i]);
            const bool paired = br_dag_is_paired(dag, edge);
            int64_t last = 0;
            for (uint32_t p = 0; p < parent->tasks; p++)
                if (release[parent->first_task + p] > last)
                    last = release[parent->first_task + p];
            for (uint32_t c = 0; c < child->tasks; c++) {
                const int64_t at =
                    br_check_sum(paired ? release[parent->first_task + c] : last, lag);
                if (at > release[child->first_task + c])
                    release[child->first_task + c] = at;
            }
        }
    }
}

static void find_durations(struct br_check_waits *all, const struct br_dag *dag)
{
    for (uint32_t s = 0; s < dag->stages; s++) {
        const uint32_t first = dag->stage[s].first_task;
        int64_t least = dag->duration_ns[first], most = 0;
        for (uint32_t t = first; t < first + dag->stage[s].tasks; t++) {
            const int64_t duration = dag->duration_ns[t];
            least = duration < least ? duration : least;
            most = duration > most ? duration : most;
        }
        all->shortest[s] = least;
        all->longest[s] = most;
    }
}

static bool looked_init(struct looked *l, uint32_t stages)
{
    const size_t room = (size_t)stages + 1;
    l->pair = br_malloc(room * sizeof *l->pair);
    l->any = br_malloc(room * sizeof *l->any);
    l->touched = br_malloc(room * sizeof *l->touched);
    if (!l->pair || !l->any || !l->touched)
        return false;
    memset(l->pair, 0xff, room * sizeof *l->pair);
    memset(l->any, 0xff, room * sizeof *l->any);
    return true;
}

static void looked_finish(struct looked *l)
{
    br_free(l->pair);
    br_free(l->any);
    br_free(l->touched);
}

static bool looking_init(struct looking *w)
{
    const struct br_dag *dag = w->dag;
    const size_t stages = (size_t)dag->stages + 1;
    struct br_check_waits *all = w->all;
    w->into_first = br_calloc(br_csr_room(dag->stages), sizeof *w->into_first);
    w->into = br_malloc(((size_t)dag->edges + 1) * sizeof *w->into);
    w->position = br_malloc(stages * sizeof *w->position);
    all->wait_first = br_calloc(stages, sizeof *all->wait_first);
    all->ended_first = br_calloc(stages, sizeof *all->ended_first);
    all->release_ns = br_malloc(((size_t)dag->tasks + 1) * sizeof *all->release_ns);
    all->shortest = br_malloc(stages * sizeof *all->shortest);
    all->longest = br_malloc(stages * sizeof *all->longest);
    if (!all->shortest || !all->longest || !w->into_first || !w->into || !w->position ||
        !all->wait_first || !all->ended_first || !all->release_ns ||
        !looked_init(&w->streams, dag->stages) || !looked_init(&w->waits, dag->stages))
        return false;
    br_dag_list_edges(dag, BR_EDGE_CHILD, w->into_first, w->into);
    for (uint32_t k = 0; k < dag->stages; k++)
        w->position[dag->topological[k]] = k;
    for (uint32_t e = 0; e < dag->edges; e++)
        w->follow |= br_dag_wait(dag, e).stream && dag->stages <= BR_CHECK_LARGE;
    return true;
}

enum br_status br_check_waits_find(const struct br_dag *dag, struct br_check_waits *all,
                                   struct br_diag *diag)
{
    *all = (struct br_check_waits){0};
    struct looking w = {.dag = dag, .all = all};
    bool ok = looking_init(&w);
    if (ok) {
        find_durations(all, dag);
        find_releases(&w);
    }
    for (uint32_t s = 0; ok && s < dag->stages; s++) {
        look_back(&w, s);
        ok = list_looked(&w.waits, s, &all->wait, &all->waits, &all->wait_room) &&
             list_looked(&w.streams, s, &all->ended, &all->ends, &all->ended_room);
        all->wait_first[s + 1] = all->waits;
        all->ended_first[s + 1] = all->ends;
    }
    looked_finish(&w.streams);
    looked_finish(&w.waits);
    br_free(w.into_first);
    br_free(w.into);
    br_free(w.position);
    return ok ? BR_OK : br_fail_memory(diag);
}

void br_check_waits_finish(struct br_check_waits *all)
{
    br_free(all->wait_first);
    br_free(all->ended_first);
    br_free(all->wait);
    br_free(all->ended);
    br_free(all->release_ns);
    br_free(all->shortest);
    br_free(all->longest);
    *all = (struct br_check_waits){0};
}
