/* Looks for the least time T in which the bytes could be moved, by conditions that every plan of
 * that length meets. They hold for all longer times too, so that T is found by halving.
 *
 * In a plan of length T a stage runs between its head (what has to go before) and T less its tail.
 * A machine that has room for k of its tasks at once then runs n of them at most, by their
 * durations. If x and y are the shares of an edge's parent and child that machines run, the sum of
 * x times y over machines, which is the share of the bytes that need not move, is at most the
 * largest x and at most the largest y, since both add up to 1. Over a barrier the machines of these
 * two, be they one or not, run their tasks one after the other. All other bytes leave through the
 * ports of at most as many machines as the parent has tasks, and come in through those of as many
 * as the child has. They do so after the first task of the parent has ended and before the last one
 * of the child starts, and all edges share the ports. */
#include "planner/network/bound.h"

#include <string.h>

#include "base/collections/sort.h"
#include "base/numbers/wide.h"

static const int64_t nano = 1000000000;

/* More edges are not looked at pair by pair. */
enum { PAIRED_EDGES = 300 };

/* Facts about a stage that hold in every plan. */
struct span {
    int64_t least_ns, most_ns; /* of its tasks' durations */
    int64_t lasts_ns;          /* from its first start to its last end, at least */
    int64_t tail_ns;           /* from its last end to that of the job, at least */
    int64_t at_once;           /* of its tasks on a machine, at most */
    int64_t head_ns, end_ns;   /* of a given T: its first start and its last end, at least */
    uint32_t here;             /* of a given T: its tasks on one machine, at most */
};

/* An edge while it has to move something, of a given T. */
struct moving {
    int64_t from_ns, to_ns, bytes;
};

struct bounding {
    const struct br_network_job *job;
    struct br_arena arena;
    struct span *span;   /* by stage */
    int64_t *shortest;   /* by task: the sum of its stage's shortest durations so far, sorted */
    int64_t *up, *down;  /* [n]: what the n machines with the fastest ports move, n = 0.. */
    struct moving *move; /* by edge */
};

static int network_bound_descending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x > y ? -1 : x < y;
}

static int network_bound_ascending(const void *a, const void *b)
{
    return network_bound_descending(b, a);
}

/* Sums of the largest rates; no more than times may be in all. */
static int64_t *add_rates(struct bounding *b, const int64_t *rate)
{
    uint32_t machines = b->job->cluster->machines;
    int64_t *sum = br_arena_array(&b->arena, (size_t)machines + 1, sizeof *sum);
    if (!sum)
        return NULL;
    memcpy(sum + 1, rate, machines * sizeof *sum);
    br_sort_by(sum + 1, machines, sizeof *sum, network_bound_descending);
    for (uint32_t m = 1; m <= machines; m++)
        sum[m] = sum[m] < INT64_MAX - sum[m - 1] ? sum[m] + sum[m - 1] : INT64_MAX;
    return sum;
}

static void network_bound_measure_stage(struct bounding *b, uint32_t s)
{
    const struct br_network_job *job = b->job;
    const struct br_stage *stage = &job->dag->stage[s];
    struct span *span = &b->span[s];
    int64_t *sum = b->shortest + stage->first_task;
    br_wide at_once = 0, work = 0;
    memcpy(sum, job->dag->duration_ns + stage->first_task, stage->tasks * sizeof *sum);
    br_sort_by(sum, stage->tasks, sizeof *sum, network_bound_ascending);
    span->least_ns = sum[0];
    span->most_ns = sum[stage->tasks - 1];
    for (uint32_t t = 0; t < stage->tasks; t++) {
        work += sum[t];
        sum[t] = (int64_t)work; /* an instance's durations add up to less than BR_TICKS_MAX */
    }
    span->at_once = 0;
    for (uint32_t c = 0; c < job->cluster->classes; c++) {
        int64_t here = br_instance_holds(job->in, c, s, stage->tasks);
        span->at_once = here > span->at_once ? here : span->at_once;
        at_once += (br_wide)here * job->cluster->cls[c].count;
    }
    span->lasts_ns = (int64_t)((work + at_once - 1) / at_once);
    if (span->lasts_ns < span->most_ns)
        span->lasts_ns = span->most_ns;
}

static void measure_tails(struct bounding *b)
{
    const struct br_network_job *job = b->job;
    const struct br_dag *dag = job->dag;
    for (uint32_t k = dag->stages; k-- > 0;) {
        struct span *span = &b->span[dag->topological[k]];
        uint32_t s = dag->topological[k];
        for (uint32_t i = job->out_first[s]; i < job->out_first[s + 1]; i++) {
            const struct br_edge *edge = &dag->edge[job->out[i]];
            const struct span *child = &b->span[edge->child];
            int64_t behind =
                child->tail_ns + (edge->type == BR_BARRIER ? child->lasts_ns : child->least_ns);
            span->tail_ns = behind > span->tail_ns ? behind : span->tail_ns;
        }
    }
}

/* How many tasks of the stage one machine can have within that time. */
static uint32_t tasks_within(const struct bounding *b, uint32_t s, int64_t ns)
{
    const struct span *span = &b->span[s];
    const struct br_stage *stage = &b->job->dag->stage[s];
    const int64_t *sum = b->shortest + stage->first_task;
    br_wide room = (br_wide)span->at_once * ns;
    uint32_t low = 0, high = stage->tasks; /* the shortest `low` fit */
    while (low < high) {
        uint32_t middle = low + (high - low + 1) / 2;
        if (sum[middle - 1] <= room)
            low = middle;
        else
            high = middle - 1;
    }
    if (span->least_ns == span->most_ns && span->least_ns > 0) { /* in whole waves */
        br_wide waves = (br_wide)(ns / span->least_ns) * span->at_once;
        low = waves < low ? (uint32_t)waves : low;
    }
    return low;
}

/* The time that so many bytes take at that rate, rounded down. */
static int64_t takes(int64_t bytes, int64_t rate)
{
    br_wide ns = rate > 0 ? (br_wide)bytes * nano / rate : 0;
    return ns < BR_TICKS_MAX ? (int64_t)ns : BR_TICKS_MAX;
}

/* The time that a machine needs for so many tasks of the stage, 1 or more, at least. */
static int64_t network_bound_time_of(const struct bounding *b, uint32_t s, uint32_t tasks)
{
    const struct span *span = &b->span[s];
    const int64_t *sum = b->shortest + b->job->dag->stage[s].first_task;
    int64_t ns = (int64_t)(((br_wide)sum[tasks - 1] + span->at_once - 1) / span->at_once);
    int64_t waves = (tasks + span->at_once - 1) / span->at_once * span->least_ns;
    return waves > ns ? waves : ns;
}

/* Bytes of the edge that may stay if one machine has so many tasks of the parent. */
static br_wide may_stay(const struct bounding *b, const struct br_edge *edge, uint32_t tasks,
                        int64_t ns)
{
    const struct br_dag *dag = b->job->dag;
    uint32_t parents = dag->stage[edge->parent].tasks, children = dag->stage[edge->child].tasks;
    int64_t left_ns = ns - network_bound_time_of(b, edge->parent, tasks);
    uint32_t then = left_ns < 0 ? 0 : tasks_within(b, edge->child, left_ns);
    then = then < b->span[edge->child].here ? then : b->span[edge->child].here;
    bool fewer = (br_wide)tasks * children < (br_wide)then * parents;
    br_wide of = fewer ? parents : children;
    return ((br_wide)edge->bytes * (fewer ? tasks : then) + of - 1) / of;
}

/* Bytes of the edge that have to move in a plan of length T. The child's tasks start when all of
 * the parent's have ended, so the more of these one machine has, the less time is left for the
 * child's. Both shares are weighed for every number of the parent's tasks: one rises with it, the
 * other falls. */
static int64_t must_move(const struct bounding *b, uint32_t e, int64_t T)
{
    const struct br_edge *edge = &b->job->dag->edge[e];
    const struct br_stage *parent = &b->job->dag->stage[edge->parent];
    uint32_t children = b->job->dag->stage[edge->child].tasks;
    int64_t ns = T - b->span[edge->child].tail_ns - b->span[edge->parent].head_ns;
    uint32_t low = 1, high = b->span[edge->parent].here; /* up to low the parent's share is less */
    if (edge->type == BR_ONE_TO_ONE)
        return 0;
    while (low < high) {
        uint32_t middle = low + (high - low + 1) / 2;
        int64_t left_ns = ns - network_bound_time_of(b, edge->parent, middle);
        uint32_t then = left_ns < 0 ? 0 : tasks_within(b, edge->child, left_ns);
        then = then < b->span[edge->child].here ? then : b->span[edge->child].here;
        if ((br_wide)middle * children <= (br_wide)then * parent->tasks)
            low = middle;
        else
            high = middle - 1;
    }
    br_wide stays = may_stay(b, edge, low, ns);
    if (low < b->span[edge->parent].here) {
        br_wide next = may_stay(b, edge, low + 1, ns);
        stays = next > stays ? next : stays;
    }
    return stays < edge->bytes ? (int64_t)(edge->bytes - stays) : 0;
}

/* The least times of the stage in a plan of length T, from those of its parents. False if there is
 * no such plan. */
static bool network_bound_advance(struct bounding *b, uint32_t s, int64_t T)
{
    const struct br_network_job *job = b->job;
    const struct br_dag *dag = job->dag;
    uint32_t machines = job->cluster->machines, tasks = dag->stage[s].tasks;
    struct span *span = &b->span[s];
    span->head_ns = 0;
    for (uint32_t k = job->into_first[s]; k < job->into_first[s + 1]; k++) {
        const struct br_edge *edge = &dag->edge[job->into[k]];
        const struct span *parent = &b->span[edge->parent];
        int64_t at_ns =
            edge->type == BR_BARRIER ? parent->end_ns : parent->head_ns + parent->least_ns;
        span->head_ns = at_ns > span->head_ns ? at_ns : span->head_ns;
    }
    span->end_ns = span->head_ns + span->lasts_ns;
    if (span->end_ns > T - span->tail_ns)
        return false;
    span->here = tasks_within(b, s, T - span->tail_ns - span->head_ns);
    for (uint32_t k = job->into_first[s]; k < job->into_first[s + 1]; k++) {
        uint32_t e = job->into[k];
        const struct br_edge *edge = &dag->edge[e];
        const struct span *parent = &b->span[edge->parent];
        uint32_t parents = dag->stage[edge->parent].tasks;
        int64_t up = b->up[parents < machines ? parents : machines];
        int64_t down = b->down[tasks < machines ? tasks : machines];
        struct moving *move = &b->move[e];
        *move = (struct moving){.from_ns = parent->head_ns + parent->least_ns,
                                .to_ns = T - span->tail_ns - span->least_ns,
                                .bytes = must_move(b, e, T)};
        int64_t end_ns = edge->type == BR_BARRIER
                             ? move->from_ns + takes(move->bytes, up < down ? up : down)
                             : parent->end_ns;
        end_ns += span->least_ns;
        span->end_ns = end_ns > span->end_ns ? end_ns : span->end_ns;
    }
    return span->end_ns <= T - span->tail_ns;
}

static int by_end(const void *x, const void *y)
{
    const struct moving *a = x, *b = y;
    if (a->to_ns != b->to_ns)
        return a->to_ns < b->to_ns ? -1 : 1;
    return a->from_ns < b->from_ns ? -1 : a->from_ns > b->from_ns;
}

/* Can the ports move the bytes that must move from `from` on, each by its latest time? */
static bool fits_ports(struct bounding *b, const struct moving *move, uint32_t moves, int64_t from)
{
    uint32_t machines = b->job->cluster->machines;
    int64_t up = b->up[machines], down = b->down[machines], rate = up < down ? up : down;
    br_wide bytes = 0;
    for (uint32_t k = 0; k < moves; k++) {
        if (move[k].from_ns < from)
            continue;
        bytes += move[k].bytes;
        if (bytes * nano > (br_wide)rate * (move[k].to_ns - from))
            return false;
    }
    return true;
}

/* May there be a plan of length T? */
static bool is_possible(struct bounding *b, int64_t T)
{
    const struct br_dag *dag = b->job->dag;
    uint32_t moves = 0;
    int64_t first = T;
    for (uint32_t k = 0; k < dag->stages; k++)
        if (!network_bound_advance(b, dag->topological[k], T))
            return false;
    for (uint32_t e = 0; e < dag->edges; e++) {
        if (!b->move[e].bytes)
            continue;
        b->move[moves++] = b->move[e];
        first = b->move[e].from_ns < first ? b->move[e].from_ns : first;
    }
    br_sort_by(b->move, moves, sizeof *b->move, by_end);
    bool possible = fits_ports(b, b->move, moves, first);
    for (uint32_t k = 0; k < moves && possible && moves <= PAIRED_EDGES; k++)
        possible = fits_ports(b, b->move, moves, b->move[k].from_ns);
    return possible;
}

enum br_status br_network_bound(const struct br_network_job *job, int64_t least_ns, int64_t most_ns,
                                int64_t *bound_ns, struct br_diag *diag)
{
    const struct br_dag *dag = job->dag;
    struct bounding b = {.job = job};
    *bound_ns = least_ns;
    b.span = br_arena_array(&b.arena, dag->stages, sizeof *b.span);
    b.shortest = br_arena_array(&b.arena, dag->tasks, sizeof *b.shortest);
    b.move = br_arena_array(&b.arena, dag->edges, sizeof *b.move);
    b.up = add_rates(&b, job->up);
    b.down = add_rates(&b, job->down);
    if (!b.span || !b.shortest || !b.move || !b.up || !b.down) {
        br_arena_finish(&b.arena);
        return br_fail_memory(diag);
    }
    for (uint32_t s = 0; s < dag->stages; s++)
        network_bound_measure_stage(&b, s);
    measure_tails(&b);
    int64_t low = least_ns, high = most_ns; /* no plan is shorter than low */
    enum br_status status = BR_OK;
    if (dag->bytes && low < high && !is_possible(&b, high))
        status = br_fail(diag, BR_SYSTEM, "report this", "a plan is shorter than can be");
    while (dag->bytes && low < high && !status) {
        int64_t middle = low + (high - low) / 2;
        if (is_possible(&b, middle))
            high = middle;
        else
            low = middle + 1;
    }
    *bound_ns = dag->bytes ? low : least_ns;
    br_arena_finish(&b.arena);
    return status;
}
