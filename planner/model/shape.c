/* One sweep over the stages, parents first, gives levels and the critical path.
 *
 * Cuts are counted by positions. A cut is a prefix of every topological order, so let the stages be
 * numbered by one, and look at the prefix that ends at k. Its last stages ("sinks": all children
 * beyond k) and the first stages of the rest ("sources": no parent beyond k) decide: it is a cut
 * exactly when every sink is a parent, by a barrier, of every source. Stage u is a sink for k from
 * its own position to just ahead of its first child, v a source from its last parent to just ahead
 * of itself, and an edge joins a sink to a source from v's last parent to just ahead of u's first
 * child: three families of intervals, counted by differences. A cut is at k if the number of such
 * edges is the product of the others.
 */
#include "planner/model/shape.h"

#include <string.h>

#include "base/collections/memory.h"
#include "planner/model/waits.h"

/* Edges in CSR form by parent, and positions. */
struct sweep {
    const struct br_dag *dag;
    uint32_t *first;      /* stages + 1, into out */
    uint32_t *out;        /* edge numbers by parent */
    uint32_t *position;   /* of a stage in dag->topological */
    uint32_t *level;      /* of a stage, from 1 */
    int64_t *start;       /* of a task, as early as its parents allow */
    uint32_t *before;     /* the parent that decides that; UINT32_MAX: none */
    int64_t *stage_start; /* by barriers, for all tasks of a stage */
    uint32_t *stage_before;
    int64_t *stage_end; /* by barriers that are streams: its tasks end no earlier */
    uint32_t *end_before;
};

/* The tasks of a stage that start and end last. */
struct latest {
    uint32_t start, end;
};

static void sweep_finish(struct sweep *sweep)
{
    br_free(sweep->first);
    br_free(sweep->out);
    br_free(sweep->position);
    br_free(sweep->level);
    br_free(sweep->start);
    br_free(sweep->before);
    br_free(sweep->stage_start);
    br_free(sweep->stage_before);
    br_free(sweep->stage_end);
    br_free(sweep->end_before);
}

static bool shape_sweep_init(struct sweep *sweep, const struct br_dag *dag)
{
    size_t stages = dag->stages, tasks = dag->tasks;
    *sweep = (struct sweep){
        .dag = dag,
        .first = br_calloc(br_csr_room(dag->stages), sizeof *sweep->first),
        .out = br_calloc((size_t)dag->edges + 1, sizeof *sweep->out),
        .position = br_calloc(stages + 1, sizeof *sweep->position),
        .level = br_calloc(stages + 1, sizeof *sweep->level),
        .start = br_calloc(tasks + 1, sizeof *sweep->start),
        .before = br_malloc((tasks + 1) * sizeof *sweep->before),
        .stage_start = br_calloc(stages + 1, sizeof *sweep->stage_start),
        .stage_before = br_malloc((stages + 1) * sizeof *sweep->stage_before),
        .stage_end = br_calloc(stages + 1, sizeof *sweep->stage_end),
        .end_before = br_malloc((stages + 1) * sizeof *sweep->end_before),
    };
    if (!sweep->first || !sweep->out || !sweep->position || !sweep->level || !sweep->start ||
        !sweep->before || !sweep->stage_start || !sweep->stage_before || !sweep->stage_end ||
        !sweep->end_before)
        return false;
    memset(sweep->before, 0xff, (tasks + 1) * sizeof *sweep->before);
    memset(sweep->stage_before, 0xff, (stages + 1) * sizeof *sweep->stage_before);
    memset(sweep->end_before, 0xff, (stages + 1) * sizeof *sweep->end_before);
    br_dag_list_edges(dag, BR_EDGE_PARENT, sweep->first, sweep->out);
    for (uint32_t k = 0; k < dag->stages; k++)
        sweep->position[dag->topological[k]] = k;
    return true;
}

static bool is_barrier(const struct br_dag *dag, const struct br_edge *edge)
{
    return edge->type == BR_BARRIER || dag->stage[edge->parent].tasks == 1;
}

/* Raises *at to ns, for which `task` is the reason; a first reason counts, too. */
static void shape_raise(int64_t *at, uint32_t *reason, int64_t ns, uint32_t task)
{
    if (*reason != UINT32_MAX && ns <= *at)
        return;
    *at = ns;
    *reason = task;
}

/* Over a barrier the child waits for the tasks of its parent that start and end last. */
static void relax_barrier(struct sweep *sweep, uint32_t c, struct br_wait wait,
                          struct latest latest)
{
    const int64_t end = sweep->start[latest.end] + sweep->dag->duration_ns[latest.end];
    if (!wait.stream) {
        shape_raise(&sweep->stage_start[c], &sweep->stage_before[c], br_waits_add(end, wait.lag_ns),
                    latest.end);
        return;
    }
    shape_raise(&sweep->stage_start[c], &sweep->stage_before[c],
                br_waits_add(sweep->start[latest.start], wait.lag_ns), latest.start);
    shape_raise(&sweep->stage_end[c], &sweep->end_before[c], end, latest.end);
}

static void relax_pair(struct sweep *sweep, uint32_t parent, uint32_t child, struct br_wait wait)
{
    const int64_t start = sweep->start[parent], end = start + sweep->dag->duration_ns[parent];
    int64_t after = br_waits_add(wait.stream ? start : end, wait.lag_ns);
    if (wait.stream && end - sweep->dag->duration_ns[child] > after)
        after = end - sweep->dag->duration_ns[child];
    shape_raise(&sweep->start[child], &sweep->before[child], after, parent);
}

/* Hands the starts and ends of its tasks on to the children of a stage whose own starts are final.
 */
static void shape_relax(struct sweep *sweep, uint32_t s, struct latest latest)
{
    const struct br_dag *dag = sweep->dag;
    const struct br_stage *stage = &dag->stage[s];
    for (uint32_t k = sweep->first[s]; k < sweep->first[s + 1]; k++) {
        const struct br_edge *edge = &dag->edge[sweep->out[k]];
        const struct br_wait wait = br_dag_wait(dag, sweep->out[k]);
        uint32_t c = edge->child;
        if (sweep->level[c] < sweep->level[s] + 1)
            sweep->level[c] = sweep->level[s] + 1;
        if (is_barrier(dag, edge)) {
            relax_barrier(sweep, c, wait, latest);
            continue;
        }
        for (uint32_t i = 0; i < stage->tasks; i++)
            relax_pair(sweep, stage->first_task + i, dag->stage[c].first_task + i, wait);
    }
}

/* The start of a task, after all its parents have handed on theirs. */
static void settle(struct sweep *sweep, uint32_t s, uint32_t t)
{
    if (sweep->stage_before[s] != UINT32_MAX)
        shape_raise(&sweep->start[t], &sweep->before[t], sweep->stage_start[s],
                    sweep->stage_before[s]);
    if (sweep->end_before[s] != UINT32_MAX)
        shape_raise(&sweep->start[t], &sweep->before[t],
                    sweep->stage_end[s] - sweep->dag->duration_ns[t], sweep->end_before[s]);
}

/* Starts, levels; returns the task that ends last. */
static uint32_t shape_run(struct sweep *sweep, struct br_shape *shape)
{
    const struct br_dag *dag = sweep->dag;
    uint32_t last = 0;
    int64_t last_end = -1;
    for (uint32_t k = 0; k < dag->stages; k++) {
        uint32_t s = dag->topological[k];
        struct latest latest = {dag->stage[s].first_task, dag->stage[s].first_task};
        int64_t latest_end = -1;
        if (!sweep->level[s])
            sweep->level[s] = 1;
        if (sweep->level[s] > shape->depth)
            shape->depth = sweep->level[s];
        for (uint32_t i = 0; i < dag->stage[s].tasks; i++) {
            uint32_t t = dag->stage[s].first_task + i;
            settle(sweep, s, t);
            if (sweep->start[t] > sweep->start[latest.start])
                latest.start = t;
            int64_t end = sweep->start[t] + dag->duration_ns[t];
            if (end > latest_end) {
                latest_end = end;
                latest.end = t;
            }
            if (dag->duration_ns[t] > dag->duration_ns[shape->longest_task])
                shape->longest_task = t;
            shape->total_ns += dag->duration_ns[t];
        }
        if (latest_end > last_end) {
            last_end = latest_end;
            last = latest.end;
        }
        shape_relax(sweep, s, latest);
    }
    shape->critical_ns = last_end;
    return last;
}

static bool keep_critical_path(const struct sweep *sweep, uint32_t last, struct br_shape *shape)
{
    for (uint32_t t = last; t != UINT32_MAX; t = sweep->before[t])
        shape->critical_size++;
    shape->critical = br_malloc(shape->critical_size * sizeof *shape->critical);
    if (!shape->critical)
        return false;
    uint32_t k = shape->critical_size;
    for (uint32_t t = last; t != UINT32_MAX; t = sweep->before[t])
        shape->critical[--k] = t;
    return true;
}

static bool shape_measure_width(const struct sweep *sweep, struct br_shape *shape)
{
    uint32_t *tasks = br_calloc((size_t)shape->depth + 1, sizeof *tasks);
    if (!tasks)
        return false;
    for (uint32_t s = 0; s < sweep->dag->stages; s++) {
        tasks[sweep->level[s]] += sweep->dag->stage[s].tasks;
        if (tasks[sweep->level[s]] > shape->width)
            shape->width = tasks[sweep->level[s]];
    }
    br_free(tasks);
    return true;
}

/* Counts at every prefix, as differences from the one before. */
struct tally {
    int64_t sinks, sources, joins;
};

static bool shape_count_parts(const struct sweep *sweep, struct br_shape *shape)
{
    const struct br_dag *dag = sweep->dag;
    uint32_t n = dag->stages;
    struct tally *change = br_calloc((size_t)n + 1, sizeof *change);
    uint32_t *first_child = br_malloc(((size_t)n + 1) * sizeof *first_child);
    int64_t *last_parent = br_malloc(((size_t)n + 1) * sizeof *last_parent);
    bool done = change && first_child && last_parent;
    for (uint32_t s = 0; done && s < n; s++) {
        first_child[s] = n;
        last_parent[s] = -1;
    }
    for (uint32_t e = 0; done && e < dag->edges; e++) {
        uint32_t u = dag->edge[e].parent, v = dag->edge[e].child;
        if (sweep->position[v] < first_child[u])
            first_child[u] = sweep->position[v];
        if ((int64_t)sweep->position[u] > last_parent[v])
            last_parent[v] = sweep->position[u];
    }
    for (uint32_t s = 0; done && s < n; s++) {
        change[sweep->position[s]].sinks++;
        change[first_child[s]].sinks--;
        change[last_parent[s] < 0 ? 0 : last_parent[s]].sources++;
        change[sweep->position[s]].sources--;
    }
    for (uint32_t e = 0; done && e < dag->edges; e++) {
        uint32_t u = dag->edge[e].parent, v = dag->edge[e].child;
        if (!is_barrier(dag, &dag->edge[e]) || last_parent[v] >= first_child[u])
            continue;
        change[last_parent[v]].joins++;
        change[first_child[u]].joins--;
    }
    struct tally sum = {0};
    for (uint32_t k = 0; done && k < n; k++) {
        sum.sinks += change[k].sinks;
        sum.sources += change[k].sources;
        sum.joins += change[k].joins;
        /* The end of the last part: nothing is behind the last stage. */
        shape->parts += k + 1 == n || (sum.joins > 0 && sum.joins == sum.sinks * sum.sources);
    }
    br_free(change);
    br_free(first_child);
    br_free(last_parent);
    return done;
}

enum br_status br_shape_measure(const struct br_dag *dag, struct br_shape *shape,
                                struct br_diag *diag)
{
    struct sweep sweep;
    *shape = (struct br_shape){0};
    bool done = shape_sweep_init(&sweep, dag);
    if (done) {
        for (uint32_t e = 0; e < dag->edges; e++)
            if (dag->edge[e].type == BR_BARRIER)
                shape->barriers++;
            else
                shape->one_to_ones++;
        uint32_t last = shape_run(&sweep, shape);
        done = keep_critical_path(&sweep, last, shape) && shape_measure_width(&sweep, shape) &&
               shape_count_parts(&sweep, shape);
    }
    sweep_finish(&sweep);
    if (!done) {
        br_shape_finish(shape);
        return br_fail_memory(diag);
    }
    return BR_OK;
}

void br_shape_finish(struct br_shape *shape)
{
    br_free(shape->critical);
    *shape = (struct br_shape){0};
}
