/* Late acceptance over lists of the tasks. Every list has parents before their children: a task
 * that moves forward takes along all for which it waits, and one that moves back all that wait for
 * it. */
#include "planner/improve/completion_search.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/memory.h"
#include "base/collections/sort.h"
#include "base/numbers/rng.h"
#include "planner/schedule/justify.h"

/* Values with which late acceptance compares, and lists without a gain before it begins again. */
enum { MEMORY = 16, PATIENCE = 600 };

struct worth {
    br_wide sum;
    int64_t makespan;
    br_uwide ends;
};

struct hunt {
    struct br_completion_search *search;
    struct br_serial *serial;
    struct br_schedule first, current, trial;
    struct worth best, least, at; /* of all, since it began again, and now */
    struct worth before[MEMORY];
    uint32_t since; /* lists without a gain since it began again */
    struct br_rng rng;
    int64_t *key, *last, *end, *work;
    uint32_t *rank;  /* by task: its place in the list of the current schedule */
    uint32_t *place; /* by stage or end: scratch */
    uint32_t *order; /* of the ends */
    bool *marked;    /* by stage */
    struct br_sort_item *item;
};

static bool not_worse(const struct worth *a, const struct worth *b)
{
    if (a->sum != b->sum)
        return a->sum < b->sum;
    return a->makespan != b->makespan ? a->makespan < b->makespan : a->ends <= b->ends;
}

static struct worth completion_search_worth_of(struct hunt *hunt,
                                               const struct br_schedule *schedule)
{
    const struct br_instance *in = hunt->search->in;
    for (uint32_t t = 0; t < in->tasks; t++)
        hunt->end[t] = schedule->start[t] + in->duration[t];
    return (struct worth){
        br_completions_sum(hunt->search->ends, hunt->search->dag, hunt->end, hunt->last),
        schedule->makespan, schedule->ends};
}

/* The list of the current schedule: by start, then parents first. */
static void rank_tasks(struct hunt *hunt)
{
    const struct br_instance *in = hunt->search->in;
    struct br_sort_item *item = hunt->item;
    for (uint32_t p = 0; p < in->stages; p++)
        for (uint32_t s = in->topological[p], t = in->stage_first[s]; t < in->stage_first[s + 1];
             t++)
            *item++ = (struct br_sort_item){br_sort_key(hunt->current.start[t]), t};
    br_sort(hunt->item, item, in->tasks);
    for (uint32_t k = 0; k < in->tasks; k++)
        hunt->rank[hunt->item[k].item] = k;
}

/* ---- Lists ---- */

/* Tasks that lead to the first end of the order come first, and so on. Tasks of one end keep the
 * order of the current list. */
static void list_by_ends(struct hunt *hunt)
{
    const struct br_instance *in = hunt->search->in;
    const struct br_completions *ends = hunt->search->ends;
    uint32_t *place = hunt->place, *of_end = hunt->place + in->stages;
    for (uint32_t k = 0; k < ends->count; k++)
        of_end[hunt->order[k]] = k;
    for (uint32_t p = in->stages; p-- > 0;) {
        uint32_t s = in->topological[p];
        place[s] = ends->end[s] == BR_NO_END ? ends->count : of_end[ends->end[s]];
        for (uint32_t a = in->child_first[s]; a < in->child_first[s + 1]; a++)
            if (place[in->child[a].stage] < place[s])
                place[s] = place[in->child[a].stage];
        for (uint32_t t = in->stage_first[s]; t < in->stage_first[s + 1]; t++)
            hunt->key[t] = (int64_t)place[s] * in->tasks + hunt->rank[t];
    }
}

/* Marks all for which the marked stages wait, or all that wait for them. */
static void close_marks(struct hunt *hunt, bool upwards)
{
    const struct br_instance *in = hunt->search->in;
    const uint32_t *first = upwards ? in->child_first : in->parent_first;
    const struct br_arc *arc = upwards ? in->child : in->parent;
    for (uint32_t k = 0; k < in->stages; k++) {
        uint32_t s = in->topological[upwards ? in->stages - 1 - k : k];
        for (uint32_t a = first[s]; a < first[s + 1]; a++)
            hunt->marked[s] |= hunt->marked[arc[a].stage];
    }
}

/* Moves all tasks that lead to an end, or to a stage, towards the front of the list, or all that
 * wait for it towards the back. */
static void list_shifted(struct hunt *hunt)
{
    const struct br_instance *in = hunt->search->in;
    const struct br_completions *ends = hunt->search->ends;
    bool forward = br_rng_below(&hunt->rng, 2), whole = br_rng_below(&hunt->rng, 4);
    uint32_t end = (uint32_t)br_rng_below(&hunt->rng, ends->count);
    uint32_t stage = (uint32_t)br_rng_below(&hunt->rng, in->stages);
    uint64_t most = br_rng_below(&hunt->rng, 2) ? in->tasks : 1 + in->tasks / 8;
    int64_t shift = 1 + 2 * (int64_t)br_rng_below(&hunt->rng, most);
    for (uint32_t s = 0; s < in->stages; s++)
        hunt->marked[s] = whole ? ends->end[s] == end : s == stage;
    close_marks(hunt, forward);
    for (uint32_t s = 0; s < in->stages; s++)
        for (uint32_t t = in->stage_first[s]; t < in->stage_first[s + 1]; t++)
            hunt->key[t] =
                2 * (int64_t)hunt->rank[t] + (hunt->marked[s] ? (forward ? -shift : shift) : 0);
}

/* The last place of a task of the stages at these arcs, or the first. */
static uint32_t place_beside(const struct hunt *hunt, const struct br_arc *arc, uint32_t arcs,
                             bool last)
{
    const struct br_instance *in = hunt->search->in;
    uint32_t place = last ? 0 : in->tasks;
    for (uint32_t a = 0; a < arcs; a++)
        for (uint32_t t = in->stage_first[arc[a].stage]; t < in->stage_first[arc[a].stage + 1]; t++)
            if (last ? hunt->rank[t] + 1 > place : hunt->rank[t] < place)
                place = hunt->rank[t] + last;
    return place;
}

/* Moves one stage to another place between those for which it waits and those that wait for it,
 * half of the time next to one of them. */
static void list_slid(struct hunt *hunt)
{
    const struct br_instance *in = hunt->search->in;
    uint32_t s = (uint32_t)br_rng_below(&hunt->rng, in->stages), how;
    uint32_t parents = in->parent_first[s], children = in->child_first[s];
    uint32_t from =
        place_beside(hunt, in->parent + parents, in->parent_first[s + 1] - parents, true);
    uint32_t to =
        place_beside(hunt, in->child + children, in->child_first[s + 1] - children, false);
    uint32_t place = from;
    how = (uint32_t)br_rng_below(&hunt->rng, 4);
    if (to > from)
        place = how < 2   ? from + (uint32_t)br_rng_below(&hunt->rng, to - from + 1)
                : how < 3 ? from
                          : to;
    for (uint32_t t = 0; t < in->tasks; t++)
        hunt->key[t] = 2 * (int64_t)hunt->rank[t] + 1;
    for (uint32_t t = in->stage_first[s]; t < in->stage_first[s + 1]; t++)
        hunt->key[t] = 2 * (int64_t)place;
}

/* The ends in the order of the figures in `last`, by their weights. */
static void order_ends(struct hunt *hunt, const int64_t *figure)
{
    const struct br_completions *ends = hunt->search->ends;
    for (uint32_t k = 0; k < ends->count; k++) {
        double ratio = ends->weight[k] ? (double)figure[k] / (double)ends->weight[k] : 0x1p62;
        hunt->item[k] = (struct br_sort_item){br_sort_key((int64_t)ratio), k};
    }
    br_sort(hunt->item, hunt->item + ends->count, ends->count);
    for (uint32_t k = 0; k < ends->count; k++)
        hunt->order[k] = hunt->item[k].item;
}

/* The order of the ends in the current schedule, with one of them elsewhere. */
static void list_reordered(struct hunt *hunt)
{
    const struct br_completions *ends = hunt->search->ends;
    completion_search_worth_of(hunt, &hunt->current);
    for (uint32_t k = 0; k < ends->count; k++)
        hunt->item[k] = (struct br_sort_item){br_sort_key(hunt->last[k]), k};
    br_sort(hunt->item, hunt->item + ends->count, ends->count);
    for (uint32_t k = 0; k < ends->count; k++)
        hunt->order[k] = hunt->item[k].item;
    uint32_t from = (uint32_t)br_rng_below(&hunt->rng, ends->count), moved = hunt->order[from];
    uint32_t to = (uint32_t)br_rng_below(&hunt->rng, ends->count);
    for (; from < to; from++)
        hunt->order[from] = hunt->order[from + 1];
    for (; from > to; from--)
        hunt->order[from] = hunt->order[from - 1];
    hunt->order[to] = moved;
    list_by_ends(hunt);
}

/* ---- The search ---- */

/* Generates the schedule of the list, and goes on from it if it is no worse than `least`. False
 * when it was stopped or memory is out. */
static bool try_list(struct hunt *hunt, struct br_schedule *best, const struct worth *least)
{
    struct br_completion_search *search = hunt->search;
    if (!br_serial_pass(hunt->serial, BR_FORWARD, hunt->key, search->limit, &hunt->trial,
                        search->stop))
        return false;
    hunt->since++;
    if (hunt->trial.makespan == INT64_MAX)
        return true;
    struct worth found = completion_search_worth_of(hunt, &hunt->trial);
    if (not_worse(&found, &hunt->at) || not_worse(&found, least)) {
        if (!not_worse(&hunt->least, &found)) {
            hunt->least = found;
            hunt->since = 0;
        }
        hunt->at = found;
        br_schedule_swap(&hunt->current, &hunt->trial);
        rank_tasks(hunt);
        if (!not_worse(&hunt->best, &found)) {
            hunt->best = found;
            memcpy(best->start, hunt->current.start, search->in->tasks * sizeof *best->start);
            memcpy(best->machine, hunt->current.machine, search->in->tasks * sizeof *best->machine);
            br_schedule_measure(best, search->in);
            search->better = true;
        }
    }
    return true;
}

/* Tries two lists: ends with little work first, then ends with short paths first. */
static bool try_rules(struct hunt *hunt, const struct br_reach *reach, struct br_schedule *best)
{
    const struct br_instance *in = hunt->search->in;
    const struct br_completions *ends = hunt->search->ends;
    int64_t *path = hunt->work + ends->count;
    memset(hunt->work, 0, 2 * (size_t)ends->count * sizeof *hunt->work);
    for (uint32_t t = 0; t < in->tasks; t++) {
        uint32_t s = in->task_stage[t], end = ends->end[s];
        if (end == BR_NO_END)
            continue;
        int64_t through = reach->head[t] + in->duration[t];
        hunt->work[end] +=
            (int64_t)((double)in->duration[t] * ((double)br_dominant_share(in, s) * 0x1p-32));
        path[end] = through > path[end] ? through : path[end];
    }
    for (uint32_t rule = 0; rule < 2; rule++) {
        order_ends(hunt, rule ? path : hunt->work);
        list_by_ends(hunt);
        if (!try_list(hunt, best, &hunt->at))
            return false;
    }
    return true;
}

static bool completion_search_start(struct hunt *hunt, const struct br_reach *reach)
{
    const struct br_instance *in = hunt->search->in;
    size_t tasks = in->tasks, ends = hunt->search->ends->count, stages = in->stages;
    bool a = br_schedule_init(&hunt->current, in), b = br_schedule_init(&hunt->trial, in);
    return br_schedule_init(&hunt->first, in) && a && b &&
           (hunt->serial = br_serial_create(in, reach)) &&
           (hunt->key = br_malloc(tasks * sizeof *hunt->key)) &&
           (hunt->end = br_malloc(tasks * sizeof *hunt->end)) &&
           (hunt->last = br_malloc(ends * sizeof *hunt->last)) &&
           (hunt->work = br_malloc(2 * ends * sizeof *hunt->work)) &&
           (hunt->rank = br_malloc(tasks * sizeof *hunt->rank)) &&
           (hunt->place = br_malloc((stages + ends) * sizeof *hunt->place)) &&
           (hunt->order = br_malloc(ends * sizeof *hunt->order)) &&
           (hunt->marked = br_malloc(stages * sizeof *hunt->marked)) &&
           (hunt->item = br_malloc(2 * tasks * sizeof *hunt->item));
}

static void completion_search_finish(struct hunt *hunt)
{
    br_serial_destroy(hunt->serial);
    br_schedule_finish(&hunt->first);
    br_schedule_finish(&hunt->current);
    br_schedule_finish(&hunt->trial);
    void *const arrays[] = {hunt->key,   hunt->end,   hunt->last,   hunt->work, hunt->rank,
                            hunt->place, hunt->order, hunt->marked, hunt->item};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        br_free(arrays[k]);
}

/* Goes on from the given schedule. */
static void completion_search_begin(struct hunt *hunt)
{
    br_schedule_copy(&hunt->current, &hunt->first);
    hunt->at = hunt->least = completion_search_worth_of(hunt, &hunt->first);
    for (uint32_t k = 0; k < MEMORY; k++)
        hunt->before[k] = hunt->at;
    hunt->since = 0;
    rank_tasks(hunt);
}

/* Is there budget left, and can the mean still fall? */
static bool wants_more(const struct hunt *hunt)
{
    const struct br_completion_search *search = hunt->search;
    assert(search->ends->weights > 0);
    br_wide mean_ns = hunt->best.sum * search->in->tick_ns / search->ends->weights;
    return mean_ns > search->enough_ns &&
           (!search->placements || search->spent < search->placements);
}

bool br_completions_improve(struct br_completion_search *search, struct br_schedule *schedule)
{
    struct hunt hunt = {.search = search, .rng = br_rng_seed(search->seed)};
    struct br_reach reach;
    bool ok = br_reach_init(&reach, search->in) && completion_search_start(&hunt, &reach), on = ok;
    if (on) {
        br_schedule_copy(&hunt.first, schedule);
        hunt.best = completion_search_worth_of(&hunt, schedule);
        completion_search_begin(&hunt);
        on = !wants_more(&hunt) || try_rules(&hunt, &reach, schedule);
    }
    for (uint64_t k = 0; on && wants_more(&hunt); k++) {
        struct worth *late = &hunt.before[k % MEMORY];
        if (hunt.since > PATIENCE)
            completion_search_begin(&hunt);
        uint64_t kind = br_rng_below(&hunt.rng, 8);
        if (kind < 4)
            list_slid(&hunt);
        else if (kind < 7)
            list_shifted(&hunt);
        else
            list_reordered(&hunt);
        on = try_list(&hunt, schedule, late);
        search->spent = br_serial_placements(hunt.serial);
        *late = hunt.at;
    }
    ok = ok && (on || br_stopped(search->stop));
    completion_search_finish(&hunt);
    br_reach_finish(&reach);
    return ok;
}
