/* List scheduling with guesses of arrivals. Times are doubles, in seconds: they only choose. */
#include "planner/network/list.h"

#include <string.h>

#include "base/collections/grow.h"
#include "base/collections/memory.h"
#include "base/collections/sort.h"

/* A task that the machine has, until it ends. */
struct held {
    double end;
    uint32_t stage;
};

struct list {
    const struct br_network_job *job;
    const struct br_network_rule *rule;
    uint32_t *machine;
    double *end;        /* by task */
    double *stage_end;  /* by stage, of its last task */
    double *rank;       /* by stage */
    double *last;       /* by machine: no later task starts before this */
    double *port;       /* by machine: what it receives until then is known */
    struct held **held; /* by machine, by end */
    uint32_t *helds, *room;
    int64_t *free;  /* resources, of the machine at hand */
    uint32_t *here; /* [edge into the stage at hand][machine]: tasks of its parent there */
    size_t here_room;
};

static bool list_init(struct list *list)
{
    size_t tasks = list->job->dag->tasks, stages = list->job->dag->stages;
    size_t machines = list->job->cluster->machines;
    list->end = br_calloc(tasks, sizeof *list->end);
    list->stage_end = br_calloc(stages, sizeof *list->stage_end);
    list->rank = br_calloc(stages, sizeof *list->rank);
    list->last = br_calloc(machines, sizeof *list->last);
    list->port = br_calloc(machines, sizeof *list->port);
    list->held = br_calloc(machines, sizeof *list->held);
    list->helds = br_calloc(machines, sizeof *list->helds);
    list->room = br_calloc(machines, sizeof *list->room);
    list->free = br_calloc((size_t)list->job->in->resources + 1, sizeof *list->free);
    return list->end && list->stage_end && list->rank && list->last && list->port && list->held &&
           list->helds && list->room && list->free;
}

static void list_finish(struct list *list)
{
    for (uint32_t m = 0; list->held && m < list->job->cluster->machines; m++)
        br_free(list->held[m]);
    br_free(list->end);
    br_free(list->stage_end);
    br_free(list->rank);
    br_free(list->last);
    br_free(list->port);
    br_free(list->held);
    br_free(list->helds);
    br_free(list->room);
    br_free(list->free);
    br_free(list->here);
}

/* The longest path that hangs on a stage, with what its edges carry spread over the ports. */
static void network_list_rank_stages(struct list *list)
{
    const struct br_network_job *job = list->job;
    const struct br_dag *dag = job->dag;
    double spread = list->rule->machines;
    for (uint32_t k = dag->stages; k-- > 0;) {
        uint32_t s = dag->topological[k];
        double longest = 0;
        for (uint32_t e = job->out_first[s]; e < job->out_first[s + 1]; e++) {
            const struct br_edge *edge = &dag->edge[job->out[e]];
            double takes = (double)edge->bytes / (double)(job->down[0] ? job->down[0] : 1);
            double path = list->rank[edge->child] + list->rule->weight * takes / spread;
            longest = path > longest ? path : longest;
        }
        int64_t most = 0;
        for (uint32_t t = 0; t < dag->stage[s].tasks; t++)
            if (dag->duration_ns[dag->stage[s].first_task + t] > most)
                most = dag->duration_ns[dag->stage[s].first_task + t];
        list->rank[s] = longest + (double)most / 1e9;
    }
}

struct ranked {
    double rank;
    uint32_t position, task; /* of the stage in topological order */
};

static int network_list_by_rank(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank > y->rank ? -1 : 1;
    if (x->position != y->position)
        return x->position < y->position ? -1 : 1;
    return x->task < y->task ? -1 : x->task > y->task;
}

/* Parents have at least the rank of their children, and come first if the ranks are equal. */
static bool make_sequence(const struct list *list, uint32_t *sequence)
{
    const struct br_dag *dag = list->job->dag;
    struct ranked *item = br_malloc(dag->tasks * sizeof *item);
    if (!item)
        return false;
    for (uint32_t p = 0, k = 0; p < dag->stages; p++) {
        uint32_t s = dag->topological[p];
        for (uint32_t t = 0; t < dag->stage[s].tasks; t++)
            item[k++] = (struct ranked){list->rank[s], p, dag->stage[s].first_task + t};
    }
    br_sort_by(item, dag->tasks, sizeof *item, network_list_by_rank);
    for (uint32_t k = 0; k < dag->tasks; k++)
        sequence[k] = item[k].task;
    br_free(item);
    return true;
}

/* Counts, before the first task of a stage is placed, where the tasks of its parents are. */
static bool network_list_count_parents(struct list *list, uint32_t stage)
{
    const struct br_network_job *job = list->job;
    size_t machines = job->cluster->machines;
    uint32_t edges = job->into_first[stage + 1] - job->into_first[stage];
    if (list->here_room < edges * machines) {
        br_free(list->here);
        list->here_room = edges * machines;
        list->here = br_malloc(list->here_room * sizeof *list->here);
        if (!list->here) {
            list->here_room = 0;
            return false;
        }
    }
    if (edges)
        memset(list->here, 0, edges * machines * sizeof *list->here);
    for (uint32_t k = 0; k < edges; k++) {
        const struct br_edge *edge = &job->dag->edge[job->into[job->into_first[stage] + k]];
        const struct br_stage *parent = &job->dag->stage[edge->parent];
        for (uint32_t t = parent->first_task; t < parent->first_task + parent->tasks; t++)
            list->here[k * machines + list->machine[t]]++;
    }
    return true;
}

/* When the inputs of the task would be on the machine; *bytes gets what its port has to take in. */
static double inputs_at(const struct list *list, uint32_t stage, uint32_t task, uint32_t m,
                        double *bytes)
{
    const struct br_network_job *job = list->job;
    const struct br_dag *dag = job->dag;
    double ready = 0, rate = (double)(job->down[m] ? job->down[m] : 1);
    *bytes = 0;
    for (uint32_t k = job->into_first[stage]; k < job->into_first[stage + 1]; k++) {
        const struct br_edge *edge = &dag->edge[job->into[k]];
        const struct br_stage *parent = &dag->stage[edge->parent];
        double share = (double)edge->bytes / dag->stage[stage].tasks, at, remote = 0;
        if (edge->type == BR_ONE_TO_ONE) {
            uint32_t twin = parent->first_task + task - dag->stage[stage].first_task;
            at = list->end[twin];
            if (list->machine[twin] != m)
                remote = share;
        } else {
            size_t row = (size_t)(k - job->into_first[stage]) * job->cluster->machines;
            at = list->stage_end[edge->parent];
            remote = share * (1 - (double)list->here[row + m] / parent->tasks);
        }
        if (remote > 0) {
            double from = at > list->port[m] ? at : list->port[m];
            at = at + list->rule->weight * (from - at + remote / rate);
            *bytes += remote;
        }
        ready = at > ready ? at : ready;
    }
    return ready;
}

/* The first time from `ready` on at which the machine has room for a task of the stage. */
static double network_list_fits_at(struct list *list, uint32_t stage, uint32_t m, double ready)
{
    const struct br_instance *in = list->job->in;
    const int64_t *demand = &in->demand[(size_t)stage * in->resources];
    double at = ready > list->last[m] ? ready : list->last[m];
    memcpy(list->free, &in->capacity[(size_t)list->job->machine_class[m] * in->resources],
           in->resources * sizeof *list->free);
    uint32_t k = list->helds[m];
    for (; k > 0 && list->held[m][k - 1].end > at; k--) /* those that are there at that time */
        for (uint32_t r = 0; r < in->resources; r++)
            list->free[r] -= in->demand[(size_t)list->held[m][k - 1].stage * in->resources + r];
    for (;; k++) {
        bool fits = true;
        for (uint32_t r = 0; r < in->resources; r++)
            fits &= demand[r] <= list->free[r];
        if (fits || k == list->helds[m])
            return at;
        at = list->held[m][k].end;
        for (uint32_t r = 0; r < in->resources; r++)
            list->free[r] += in->demand[(size_t)list->held[m][k].stage * in->resources + r];
    }
}

/* The machine has the task from `start` on; what has ended by then is forgotten. */
static bool network_list_hold(struct list *list, uint32_t stage, uint32_t m, double start,
                              double end)
{
    uint32_t gone = 0, count = list->helds[m];
    struct held *held = list->held[m];
    while (gone < count && held[gone].end <= start)
        gone++;
    if (gone)
        memmove(held, held + gone, (count - gone) * sizeof *held);
    count -= gone;
    if (!br_grow(&list->held[m], count, &list->room[m], sizeof *held))
        return false;
    held = list->held[m];
    uint32_t k = count;
    for (; k > 0 && held[k - 1].end > end; k--)
        held[k] = held[k - 1];
    held[k] = (struct held){end, stage};
    list->helds[m] = count + 1;
    list->last[m] = start;
    return true;
}

static bool network_list_place(struct list *list, uint32_t stage, uint32_t task)
{
    const struct br_network_job *job = list->job;
    uint32_t machines = job->cluster->machines, best = UINT32_MAX;
    double best_start = 0, best_bytes = 0;
    for (uint32_t m = 0; m < machines; m++) {
        double bytes;
        if (m >= list->rule->machines && best != UINT32_MAX)
            break;
        if (!br_network_holds(job, m, stage))
            continue;
        double start =
            network_list_fits_at(list, stage, m, inputs_at(list, stage, task, m, &bytes));
        if (best == UINT32_MAX || start < best_start ||
            (start <= best_start && bytes < best_bytes)) {
            best = m;
            best_start = start;
            best_bytes = bytes;
        }
    }
    double end = best_start + (double)job->dag->duration_ns[task] / 1e9;
    list->machine[task] = best;
    list->end[task] = end;
    if (end > list->stage_end[stage])
        list->stage_end[stage] = end;
    if (best_bytes > 0) {
        double *port = &list->port[best], rate = (double)job->down[best];
        double waits = best_start - best_bytes / rate;
        *port = (*port > waits ? *port : waits) + best_bytes / rate;
    }
    return network_list_hold(list, stage, best, best_start, end);
}

bool br_network_list(const struct br_network_job *job, const struct br_network_rule *rule,
                     uint32_t *machine, uint32_t *sequence)
{
    struct list list = {.job = job, .rule = rule, .machine = machine};
    uint32_t stage = UINT32_MAX;
    bool good = list_init(&list);
    if (good) {
        network_list_rank_stages(&list);
        good = make_sequence(&list, sequence);
    }
    for (uint32_t k = 0; k < job->dag->tasks && good; k++) {
        uint32_t s = job->in->task_stage[sequence[k]];
        if (s != stage)
            good = network_list_count_parents(&list, stage = s);
        if (good)
            good = network_list_place(&list, s, sequence[k]);
    }
    list_finish(&list);
    return good;
}
