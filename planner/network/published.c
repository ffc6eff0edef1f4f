#include "planner/network/published.h"

#include <string.h>

#include "base/collections/memory.h"
#include "base/collections/sort.h"
#include "base/numbers/wide.h"
#include "planner/instance/frontier.h"
#include "planner/network/gaps.h"

/* Times are nanoseconds, and none is longer: sums end there. */
static const int64_t longest = INT64_MAX / 4;

/* By class of machines: the last end of a parent's tasks there, on which machine, and the last one
 * on another machine of the class; -1: none. */
struct latest {
    int64_t end, other;
    uint32_t machine;
};

struct published {
    const struct br_network_job *job;
    enum br_published_rule rule;
    uint32_t classes;
    int64_t mean_rate;     /* between two machines; 0: there is only one */
    int64_t *up, *down;    /* by task: longest paths that begin with it, and that end before it */
    int64_t *optimistic;   /* [task * classes + class] */
    int64_t *key;          /* by task; the greatest first */
    int64_t *start, *end;  /* by task */
    uint32_t *only;        /* by task: its machine, or UINT32_MAX */
    uint32_t *rank, *turn; /* by task; and tasks in the order of their turns */
    uint32_t *machine;
    struct br_gaps *gaps;  /* by machine */
    struct latest *latest; /* [edge into the stage at hand * classes + class] */
    struct br_stage_arc *child, *parent;
    struct br_frontier frontier;
};

static int64_t published_sum(int64_t a, int64_t b)
{
    const int64_t sum = (a < longest ? a : longest) + (b < longest ? b : longest);
    return sum < longest ? sum : longest;
}

static int64_t published_lasts(const struct published *p, uint32_t task)
{
    return published_sum(p->job->dag->duration_ns[task], 0);
}

static bool is_paired(const struct br_edge *edge)
{
    return edge->type == BR_ONE_TO_ONE;
}

/* ---- Transfers between two tasks ---- */

/* At a rate in bytes a second; rounded up. */
static int64_t published_takes(const struct published *p, const struct br_edge *edge, int64_t rate)
{
    const struct br_dag *dag = p->job->dag;
    const br_wide parts = (br_wide)dag->stage[edge->parent].tasks *
                          (is_paired(edge) ? 1 : dag->stage[edge->child].tasks);
    if (edge->bytes <= 0 || rate <= 0)
        return 0;
    const br_wide whole = (br_wide)edge->bytes * 1000000000, by = parts * rate;
    const br_wide ns = whole / by + (whole % by > 0);
    return ns < longest ? (int64_t)ns : longest;
}

static int64_t rate_between(const struct br_network_job *job, uint32_t from, uint32_t to)
{
    return job->up[from] < job->down[to] ? job->up[from] : job->down[to];
}

/* The mean over all pairs of machines. */
static int64_t find_mean_rate(const struct br_network_job *job)
{
    const struct br_cluster *cluster = job->cluster;
    br_wide sum = 0, pairs = 0;
    for (uint32_t a = 0; a < cluster->classes; a++)
        for (uint32_t b = 0; b < cluster->classes; b++) {
            const struct br_class *from = &cluster->cls[a], *to = &cluster->cls[b];
            const br_wide count = (br_wide)from->count * (to->count - (a == b));
            if (count > 0)
                sum += count * rate_between(job, from->first_machine, to->first_machine);
            pairs += count;
        }
    return pairs > 0 ? (int64_t)(sum / pairs) : 0;
}

static bool published_holds(const struct published *p, uint32_t cls, uint32_t stage)
{
    const struct br_class *c = &p->job->cluster->cls[cls];
    return c->count > 0 && br_network_holds(p->job, c->first_machine, stage);
}

/* ---- Ranks ---- */

/* The greatest of them over the tasks of a stage, each with its duration if it is `whole`. */
static int64_t published_most_of(const struct published *p, uint32_t stage, const int64_t *value,
                                 bool whole)
{
    const struct br_stage *of = &p->job->dag->stage[stage];
    int64_t most = 0;
    for (uint32_t t = of->first_task; t < of->first_task + of->tasks; t++) {
        const int64_t one = whole ? published_sum(value[t], published_lasts(p, t)) : value[t];
        most = one > most ? one : most;
    }
    return most;
}

static void fill_up(struct published *p)
{
    const struct br_network_job *job = p->job;
    for (uint32_t k = job->dag->stages; k-- > 0;) {
        const uint32_t s = job->dag->topological[k];
        const struct br_stage *of = &job->dag->stage[s];
        for (uint32_t t = of->first_task; t < of->first_task + of->tasks; t++)
            p->up[t] = 0;
        for (uint32_t e = job->out_first[s]; e < job->out_first[s + 1]; e++) {
            const struct br_edge *edge = &job->dag->edge[job->out[e]];
            const int64_t moves = published_takes(p, edge, p->mean_rate);
            const uint32_t child = job->dag->stage[edge->child].first_task;
            const int64_t most =
                is_paired(edge) ? 0 : published_most_of(p, edge->child, p->up, false);
            for (uint32_t i = 0; i < of->tasks; i++) {
                const int64_t path =
                    published_sum(moves, is_paired(edge) ? p->up[child + i] : most);
                if (path > p->up[of->first_task + i])
                    p->up[of->first_task + i] = path;
            }
        }
        for (uint32_t t = of->first_task; t < of->first_task + of->tasks; t++)
            p->key[t] = p->up[t] = published_sum(p->up[t], published_lasts(p, t));
    }
}

static void fill_down(struct published *p)
{
    const struct br_network_job *job = p->job;
    for (uint32_t k = 0; k < job->dag->stages; k++) {
        const uint32_t s = job->dag->topological[k];
        const struct br_stage *of = &job->dag->stage[s];
        for (uint32_t e = job->into_first[s]; e < job->into_first[s + 1]; e++) {
            const struct br_edge *edge = &job->dag->edge[job->into[e]];
            const int64_t moves = published_takes(p, edge, p->mean_rate);
            const uint32_t parent = job->dag->stage[edge->parent].first_task;
            const int64_t most =
                is_paired(edge) ? 0 : published_most_of(p, edge->parent, p->down, true);
            for (uint32_t i = 0; i < of->tasks; i++) {
                const int64_t before =
                    is_paired(edge)
                        ? published_sum(p->down[parent + i], published_lasts(p, parent + i))
                        : most;
                const int64_t path = published_sum(moves, before);
                if (path > p->down[of->first_task + i])
                    p->down[of->first_task + i] = path;
            }
        }
    }
}

/* Does the task wait for `from`? */
static bool published_waits(const struct published *p, uint32_t from, uint32_t task)
{
    const struct br_network_job *job = p->job;
    const uint32_t parent = job->in->task_stage[from], s = job->in->task_stage[task];
    for (uint32_t e = job->out_first[parent]; e < job->out_first[parent + 1]; e++) {
        const struct br_edge *edge = &job->dag->edge[job->out[e]];
        if (edge->child == s && (!is_paired(edge) || from - job->dag->stage[parent].first_task ==
                                                         task - job->dag->stage[s].first_task))
            return true;
    }
    return false;
}

/* One longest path, from its first task on the first child that is on one, too, goes to the machine
 * that holds most of its tasks, the first of these. */
static void pin_path(struct published *p)
{
    const struct br_network_job *job = p->job;
    const struct br_dag *dag = job->dag;
    int64_t most = -1;
    uint32_t last = UINT32_MAX, best = 0, best_held = 0, *held = p->rank; /* scratch, by class */
    memset(held, 0, p->classes * sizeof *held);
    for (uint32_t t = 0; t < dag->tasks; t++) {
        p->key[t] = published_sum(p->up[t], p->down[t]);
        most = p->key[t] > most ? p->key[t] : most;
    }
    for (uint32_t k = 0; k < dag->stages; k++) {
        const uint32_t s = dag->topological[k];
        const struct br_stage *of = &dag->stage[s];
        for (uint32_t t = of->first_task; t < of->first_task + of->tasks; t++) {
            if (p->key[t] != most ||
                !(last == UINT32_MAX ? p->down[t] == 0 : published_waits(p, last, t)))
                continue;
            p->only[last = t] = 0;
            for (uint32_t c = 0; c < p->classes; c++)
                held[c] += published_holds(p, c, s);
            break;
        }
    }
    for (uint32_t c = 0; c < p->classes; c++)
        if (held[c] > best_held) {
            best_held = held[c];
            best = job->cluster->cls[c].first_machine;
        }
    for (uint32_t t = 0; t < dag->tasks; t++)
        if (p->only[t] == 0)
            p->only[t] = br_network_holds(job, best, job->in->task_stage[t]) ? best : UINT32_MAX;
}

/* What is behind the start of the task at the best, if its parent is on a machine of the class. */
static int64_t published_behind(const struct published *p, const struct br_edge *edge,
                                uint32_t task, uint32_t cls)
{
    int64_t best = longest;
    for (uint32_t c = 0; c < p->classes; c++) {
        if (!published_holds(p, c, edge->child))
            continue;
        const int64_t moves = c == cls ? 0 : published_takes(p, edge, p->mean_rate);
        const int64_t path = published_sum(p->optimistic[(size_t)task * p->classes + c], moves);
        best = path < best ? path : best;
    }
    return published_sum(best, published_lasts(p, task));
}

/* The mean over the machines that hold the task. */
static int64_t mean_optimistic(const struct published *p, uint32_t task)
{
    br_wide sum = 0;
    uint32_t machines = 0;
    for (uint32_t c = 0; c < p->classes; c++) {
        if (!published_holds(p, c, p->job->in->task_stage[task]))
            continue;
        sum +=
            (br_wide)p->optimistic[(size_t)task * p->classes + c] * p->job->cluster->cls[c].count;
        machines += p->job->cluster->cls[c].count;
    }
    return machines ? (int64_t)(sum / machines) : 0;
}

static void fill_optimistic(struct published *p)
{
    const struct br_network_job *job = p->job;
    const uint32_t classes = p->classes;
    for (uint32_t k = job->dag->stages; k-- > 0;) {
        const uint32_t s = job->dag->topological[k];
        const struct br_stage *of = &job->dag->stage[s];
        memset(p->optimistic + (size_t)of->first_task * classes, 0,
               (size_t)of->tasks * classes * sizeof *p->optimistic);
        for (uint32_t e = job->out_first[s]; e < job->out_first[s + 1]; e++) {
            const struct br_edge *edge = &job->dag->edge[job->out[e]];
            const struct br_stage *child = &job->dag->stage[edge->child];
            for (uint32_t c = 0; c < classes; c++) {
                int64_t most = 0;
                for (uint32_t i = 0; i < child->tasks; i++) {
                    const int64_t path = published_behind(p, edge, child->first_task + i, c);
                    most = path > most ? path : most;
                    int64_t *own = &p->optimistic[(size_t)(of->first_task + i) * classes + c];
                    if (is_paired(edge) && path > *own)
                        *own = path;
                }
                for (uint32_t i = 0; i < of->tasks && !is_paired(edge); i++) {
                    int64_t *own = &p->optimistic[(size_t)(of->first_task + i) * classes + c];
                    *own = most > *own ? most : *own;
                }
            }
        }
        for (uint32_t t = of->first_task; t < of->first_task + of->tasks; t++)
            p->key[t] = mean_optimistic(p, t);
    }
}

static int published_by_key(const void *x, const void *y, void *context)
{
    const int64_t *key = context;
    const uint32_t s = *(const uint32_t *)x, t = *(const uint32_t *)y;
    if (key[s] != key[t])
        return key[s] > key[t] ? -1 : 1;
    return s < t ? -1 : s > t;
}

static void fill_ranks(struct published *p)
{
    const uint32_t tasks = p->job->dag->tasks;
    for (uint32_t t = 0; t < tasks; t++)
        p->only[t] = UINT32_MAX;
    if (p->rule == BR_PUBLISHED_PEFT) {
        fill_optimistic(p);
    } else {
        fill_up(p);
        if (p->rule == BR_PUBLISHED_CPOP) {
            fill_down(p);
            pin_path(p);
        }
    }
    for (uint32_t t = 0; t < tasks; t++)
        p->turn[t] = t;
    br_sort_within(p->turn, tasks, sizeof *p->turn, published_by_key, p->key);
    for (uint32_t k = 0; k < tasks; k++)
        p->rank[p->turn[k]] = k;
}

/* ---- Places ---- */

/* Where the tasks of the stage's parents have ended; all are placed. */
static void look_at_parents(struct published *p, uint32_t stage)
{
    const struct br_network_job *job = p->job;
    for (uint32_t k = job->into_first[stage]; k < job->into_first[stage + 1]; k++) {
        const struct br_edge *edge = &job->dag->edge[job->into[k]];
        const struct br_stage *parent = &job->dag->stage[edge->parent];
        struct latest *row = p->latest + (size_t)(k - job->into_first[stage]) * p->classes;
        for (uint32_t c = 0; c < p->classes; c++)
            row[c] = (struct latest){-1, -1, UINT32_MAX};
        for (uint32_t t = parent->first_task;
             t < parent->first_task + parent->tasks && !is_paired(edge); t++) {
            const uint32_t m = p->machine[t];
            struct latest *l = &row[job->machine_class[m]];
            if (m == l->machine) {
                l->end = p->end[t] > l->end ? p->end[t] : l->end;
            } else if (p->end[t] > l->end) {
                l->other = l->end;
                l->end = p->end[t];
                l->machine = m;
            } else if (p->end[t] > l->other) {
                l->other = p->end[t];
            }
        }
    }
}

/* When the inputs of the task would be on the machine. */
static int64_t published_arrival(const struct published *p, uint32_t stage, uint32_t task,
                                 uint32_t m)
{
    const struct br_network_job *job = p->job;
    int64_t ready = 0;
    for (uint32_t k = job->into_first[stage]; k < job->into_first[stage + 1]; k++) {
        const struct br_edge *edge = &job->dag->edge[job->into[k]];
        const uint32_t twin =
            job->dag->stage[edge->parent].first_task + task - job->dag->stage[stage].first_task;
        const struct latest *row = p->latest + (size_t)(k - job->into_first[stage]) * p->classes;
        if (is_paired(edge)) {
            const uint32_t from = p->machine[twin];
            const int64_t moves =
                from == m ? 0 : published_takes(p, edge, rate_between(job, from, m));
            const int64_t at = published_sum(p->end[twin], moves);
            ready = at > ready ? at : ready;
        }
        for (uint32_t c = 0; c < p->classes && !is_paired(edge); c++) {
            const bool here = row[c].machine == m;
            const int64_t end = here ? row[c].other : row[c].end;
            const uint32_t from = job->cluster->cls[c].first_machine;
            if (here && row[c].end > ready)
                ready = row[c].end;
            if (end >= 0) {
                const int64_t at =
                    published_sum(end, published_takes(p, edge, rate_between(job, from, m)));
                ready = at > ready ? at : ready;
            }
        }
    }
    return ready;
}

static bool published_place(struct published *p, uint32_t stage, uint32_t task)
{
    const struct br_network_job *job = p->job;
    const int64_t *demand = &job->in->demand[(size_t)stage * job->in->resources];
    uint32_t best = UINT32_MAX;
    int64_t best_score = 0, best_start = 0;
    for (uint32_t m = 0; m < job->cluster->machines; m++) {
        if ((p->only[task] != UINT32_MAX && p->only[task] != m) || !br_network_holds(job, m, stage))
            continue;
        const int64_t start = br_gaps_fits(&p->gaps[m], demand, published_lasts(p, task),
                                           published_arrival(p, stage, task, m));
        const size_t behind = (size_t)task * p->classes + job->machine_class[m];
        const int64_t score =
            published_sum(start, p->rule == BR_PUBLISHED_PEFT ? p->optimistic[behind] : 0);
        if (best == UINT32_MAX || score < best_score) {
            best = m;
            best_score = score;
            best_start = start;
        }
    }
    p->machine[task] = best;
    p->start[task] = published_sum(best_start, 0);
    p->end[task] = published_sum(best_start, published_lasts(p, task));
    br_frontier_place(&p->frontier, task, p->start[task], p->end[task]);
    return br_gaps_take(&p->gaps[best], demand, p->start[task], p->end[task]);
}

static bool place_all(struct published *p)
{
    const struct br_network_job *job = p->job;
    uint32_t task, stage = UINT32_MAX, turns = 0;
    bool good = true;
    br_frontier_begin(&p->frontier, (struct br_stage_arcs){job->into_first, p->parent},
                      (struct br_stage_arcs){job->out_first, p->child}, p->rank, false, NULL);
    while (good && br_frontier_next(&p->frontier, &task)) {
        if (job->in->task_stage[task] != stage)
            look_at_parents(p, stage = job->in->task_stage[task]);
        good = published_place(p, stage, task);
        p->turn[turns++] = task;
    }
    return good;
}

/* ---- The course ---- */

/* Tasks that start at once stand in the order of their turns, so parents come first. */
static int published_by_start(const void *x, const void *y, void *context)
{
    const struct published *p = context;
    const uint32_t s = *(const uint32_t *)x, t = *(const uint32_t *)y;
    if (p->start[s] != p->start[t])
        return p->start[s] < p->start[t] ? -1 : 1;
    return p->rank[s] < p->rank[t] ? -1 : p->rank[s] > p->rank[t];
}

static bool published_init(struct published *p)
{
    const struct br_network_job *job = p->job;
    const struct br_dag *dag = job->dag;
    const size_t n = (size_t)dag->tasks + 1, edges = (size_t)dag->edges + 1;
    p->classes = job->cluster->classes;
    p->mean_rate = find_mean_rate(job);
    p->up = br_calloc(n, sizeof *p->up);
    p->down = br_calloc(n, sizeof *p->down);
    p->optimistic = br_calloc(n * p->classes, sizeof *p->optimistic);
    p->key = br_calloc(n, sizeof *p->key);
    p->end = br_calloc(n, sizeof *p->end);
    p->only = br_calloc(n, sizeof *p->only);
    p->rank = br_calloc(n > p->classes ? n : p->classes, sizeof *p->rank);
    p->turn = br_calloc(n, sizeof *p->turn);
    p->gaps = br_calloc((size_t)job->cluster->machines + 1, sizeof *p->gaps);
    p->latest = br_calloc(edges * p->classes, sizeof *p->latest);
    p->child = br_calloc(edges, sizeof *p->child);
    p->parent = br_calloc(edges, sizeof *p->parent);
    bool good = br_frontier_init(&p->frontier, dag->stages, dag->tasks, job->in->task_stage) &&
                p->up && p->down && p->optimistic && p->key && p->end && p->only && p->rank &&
                p->turn && p->gaps && p->latest && p->child && p->parent;
    for (uint32_t e = 0; good && e < dag->edges; e++) {
        const struct br_edge *out = &dag->edge[job->out[e]], *into = &dag->edge[job->into[e]];
        p->child[e] = (struct br_stage_arc){out->child, is_paired(out), false, 0};
        p->parent[e] = (struct br_stage_arc){into->parent, is_paired(into), false, 0};
    }
    for (uint32_t m = 0; good && m < job->cluster->machines; m++)
        good = br_gaps_init(&p->gaps[m], job->in->resources,
                            &job->in->capacity[(size_t)job->machine_class[m] * job->in->resources]);
    return good;
}

static void published_finish(struct published *p)
{
    for (uint32_t m = 0; p->gaps && m < p->job->cluster->machines; m++)
        br_gaps_finish(&p->gaps[m]);
    br_frontier_finish(&p->frontier);
    br_free(p->up);
    br_free(p->down);
    br_free(p->optimistic);
    br_free(p->key);
    br_free(p->end);
    br_free(p->only);
    br_free(p->rank);
    br_free(p->turn);
    br_free(p->gaps);
    br_free(p->latest);
    br_free(p->child);
    br_free(p->parent);
}

enum br_published_rule br_published_find(const char *method)
{
    static const struct {
        const char *method;
        enum br_published_rule rule;
    } rows[] = {
        {"heft", BR_PUBLISHED_HEFT}, {"cpop", BR_PUBLISHED_CPOP}, {"peft", BR_PUBLISHED_PEFT}};
    for (size_t k = 0; method && k < sizeof rows / sizeof *rows; k++)
        if (strcmp(rows[k].method, method) == 0)
            return rows[k].rule;
    return BR_PUBLISHED_NONE;
}

bool br_published_course(const struct br_network_job *job, enum br_published_rule rule,
                         uint32_t *machine, uint32_t *sequence, int64_t *start_ns)
{
    struct published p = {.job = job, .rule = rule, .machine = machine, .start = start_ns};
    bool good = published_init(&p);
    if (good) {
        fill_ranks(&p);
        good = place_all(&p);
    }
    for (uint32_t k = 0; good && k < job->dag->tasks; k++) {
        sequence[k] = p.turn[k];
        p.rank[p.turn[k]] = k;
    }
    if (good)
        br_sort_within(sequence, job->dag->tasks, sizeof *sequence, published_by_start, &p);
    published_finish(&p);
    return good;
}
