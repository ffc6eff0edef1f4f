/* Stages are gone through parents first, so what a parent over a stream waits for is known. */
#include "planner/model/waits.h"

#include <string.h>

#include "base/collections/csr.h"
#include "base/collections/grow.h"
#include "base/collections/memory.h"
#include "base/collections/sort.h"

struct finding {
    const struct br_dag *dag;
    struct br_waits *waits;
    uint32_t *into_first, *into; /* edges by child */
    uint32_t *slot;              /* by 2 x stage + paired: its place in the list of now */
    struct br_waits_list *list;
    uint32_t stage; /* that the list is of */
};

/* Adds to the list of the stage; of equal ones the longest lag counts. False if memory is out. */
static bool add_awaited(struct finding *f, struct br_awaited awaited)
{
    struct br_waits_list *list = f->list;
    uint32_t *slot = &f->slot[2 * (size_t)awaited.stage + awaited.paired];
    if (*slot != UINT32_MAX) {
        struct br_awaited *old = &list->awaited[*slot];
        old->lag_ns = awaited.lag_ns > old->lag_ns ? awaited.lag_ns : old->lag_ns;
        return true;
    }
    if (!br_grow(&list->awaited, list->all, &list->room, sizeof *list->awaited))
        return false;
    *slot = list->all;
    list->awaited[list->all++] = awaited;
    return true;
}

static void begin_list(struct finding *f, struct br_waits_list *list, uint32_t stage)
{
    f->list = list;
    f->stage = stage;
    list->first[stage] = list->all;
}

static int by_stage(const void *a, const void *b)
{
    const struct br_awaited *x = a, *y = b;
    if (x->stage != y->stage)
        return x->stage < y->stage ? -1 : 1;
    return (int)x->paired - (int)y->paired;
}

/* Sorts the list, and leaves out pairs that wait no longer than for all tasks. */
static void end_list(struct finding *f)
{
    struct br_waits_list *list = f->list;
    const uint32_t count = list->all - list->first[f->stage];
    uint32_t kept = 0;
    if (count == 0)
        return; /* the list is empty, as it began */
    struct br_awaited *run = &list->awaited[list->first[f->stage]];
    for (uint32_t k = 0; k < count; k++)
        f->slot[2 * (size_t)run[k].stage + run[k].paired] = UINT32_MAX;
    br_sort_by(run, count, sizeof *run, by_stage);
    for (uint32_t k = 0; k < count; k++) {
        const bool all_too = run[k].paired && kept && run[kept - 1].stage == run[k].stage;
        if (!all_too || run[k].lag_ns > run[kept - 1].lag_ns)
            run[kept++] = run[k];
    }
    list->count[f->stage] = kept;
    list->all = list->first[f->stage] + kept;
}

/* How long at least after the start of its parent a task starts: it ends no earlier, either. */
static int64_t stream_lag(const struct finding *f, uint32_t e)
{
    const struct br_dag *dag = f->dag;
    const struct br_edge *edge = &dag->edge[e];
    const struct br_stage *parent = &dag->stage[edge->parent], *child = &dag->stage[edge->child];
    int64_t least = f->waits->shortest[edge->parent] - f->waits->longest[edge->child];
    if (br_dag_is_paired(dag, edge)) {
        least = INT64_MAX;
        for (uint32_t i = 0; i < parent->tasks; i++) {
            const int64_t more =
                dag->duration_ns[parent->first_task + i] - dag->duration_ns[child->first_task + i];
            least = more < least ? more : least;
        }
    }
    const int64_t lag = br_dag_wait(dag, e).lag_ns;
    return lag > least ? lag : least;
}

static void hand_release(const struct finding *f, uint32_t e, int64_t lag_ns)
{
    const struct br_dag *dag = f->dag;
    const struct br_edge *edge = &dag->edge[e];
    const struct br_stage *parent = &dag->stage[edge->parent], *child = &dag->stage[edge->child];
    const bool paired = br_dag_is_paired(dag, edge);
    int64_t *release = f->waits->release_ns;
    int64_t latest = 0;
    for (uint32_t i = 0; i < parent->tasks; i++)
        latest =
            release[parent->first_task + i] > latest ? release[parent->first_task + i] : latest;
    for (uint32_t i = 0; i < child->tasks; i++) {
        const int64_t from = paired ? release[parent->first_task + i] : latest;
        const int64_t at = br_waits_add(from, lag_ns);
        if (at > release[child->first_task + i])
            release[child->first_task + i] = at;
    }
}

/* Over a stream: what the parent waits for. */
static bool wait_stream(struct finding *f, uint32_t e)
{
    const struct br_edge *edge = &f->dag->edge[e];
    const struct br_waits_list *start = &f->waits->start;
    const bool paired = br_dag_is_paired(f->dag, edge);
    const int64_t lag = stream_lag(f, e);
    hand_release(f, e, lag);
    for (uint32_t k = 0; k < start->count[edge->parent] && !f->waits->large; k++) {
        struct br_awaited awaited = start->awaited[start->first[edge->parent] + k];
        awaited.paired &= paired;
        awaited.lag_ns = br_waits_add(awaited.lag_ns, lag);
        if (!add_awaited(f, awaited))
            return false;
    }
    return true;
}

/* The parent, and what has ended when that has. */
static bool wait_end(struct finding *f, uint32_t e, int64_t lag_ns)
{
    const struct br_edge *edge = &f->dag->edge[e];
    const struct br_waits_list *before = &f->waits->before;
    const bool paired = br_dag_is_paired(f->dag, edge);
    bool ok = add_awaited(f, (struct br_awaited){edge->parent, paired, lag_ns});
    for (uint32_t k = 0; ok && k < before->count[edge->parent]; k++) {
        struct br_awaited awaited = before->awaited[before->first[edge->parent] + k];
        awaited.paired &= paired;
        awaited.lag_ns = lag_ns;
        ok = add_awaited(f, awaited);
    }
    return ok;
}

static bool waits_of_stage(struct finding *f, uint32_t s)
{
    bool ok = true;
    begin_list(f, &f->waits->start, s);
    for (uint32_t k = f->into_first[s]; ok && k < f->into_first[s + 1]; k++) {
        const struct br_wait wait = br_dag_wait(f->dag, f->into[k]);
        ok = wait.stream ? wait_stream(f, f->into[k]) : wait_end(f, f->into[k], wait.lag_ns);
    }
    end_list(f);
    begin_list(f, &f->waits->before, s);
    for (uint32_t k = f->into_first[s]; ok && k < f->into_first[s + 1] && !f->waits->large; k++)
        if (br_dag_wait(f->dag, f->into[k]).stream)
            ok = wait_end(f, f->into[k], 0);
    end_list(f);
    return ok;
}

static bool list_init(struct br_waits_list *list, uint32_t stages)
{
    list->first = br_calloc((size_t)stages + 1, sizeof *list->first);
    list->count = br_calloc((size_t)stages + 1, sizeof *list->count);
    return list->first && list->count;
}

static bool waits_init(struct finding *f)
{
    const struct br_dag *dag = f->dag;
    struct br_waits *w = f->waits;
    const size_t stages = (size_t)dag->stages + 1;
    f->into_first = br_calloc(br_csr_room(dag->stages), sizeof *f->into_first);
    f->into = br_malloc(((size_t)dag->edges + 1) * sizeof *f->into);
    f->slot = br_malloc(2 * stages * sizeof *f->slot);
    w->release_ns = br_malloc(((size_t)dag->tasks + 1) * sizeof *w->release_ns);
    w->shortest = br_malloc(stages * sizeof *w->shortest);
    w->longest = br_malloc(stages * sizeof *w->longest);
    if (!list_init(&w->start, dag->stages) || !list_init(&w->before, dag->stages) ||
        !f->into_first || !f->into || !f->slot || !w->release_ns || !w->shortest || !w->longest)
        return false;
    memset(f->slot, 0xff, 2 * stages * sizeof *f->slot);
    br_dag_list_edges(dag, BR_EDGE_CHILD, f->into_first, f->into);
    for (uint32_t t = 0; t < dag->tasks; t++)
        w->release_ns[t] = br_dag_release(dag, t);
    for (uint32_t s = 0; s < dag->stages; s++) {
        const int64_t *duration = dag->duration_ns + dag->stage[s].first_task;
        w->shortest[s] = w->longest[s] = duration[0];
        for (uint32_t i = 1; i < dag->stage[s].tasks; i++) {
            w->shortest[s] = duration[i] < w->shortest[s] ? duration[i] : w->shortest[s];
            w->longest[s] = duration[i] > w->longest[s] ? duration[i] : w->longest[s];
        }
    }
    return true;
}

enum br_status br_waits_find(const struct br_dag *dag, struct br_waits *waits, struct br_diag *diag)
{
    *waits = (struct br_waits){.large = dag->stages > BR_WAITS_LARGE};
    struct finding f = {.dag = dag, .waits = waits};
    bool ok = waits_init(&f);
    for (uint32_t k = 0; ok && k < dag->stages; k++)
        ok = waits_of_stage(&f, dag->topological[k]);
    br_free(f.into_first);
    br_free(f.into);
    br_free(f.slot);
    return ok ? BR_OK : br_fail_memory(diag);
}

static void list_finish(struct br_waits_list *list)
{
    br_free(list->first);
    br_free(list->count);
    br_free(list->awaited);
}

void br_waits_finish(struct br_waits *waits)
{
    list_finish(&waits->start);
    list_finish(&waits->before);
    br_free(waits->release_ns);
    br_free(waits->shortest);
    br_free(waits->longest);
    *waits = (struct br_waits){0};
}
