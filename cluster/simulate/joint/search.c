/* Begins with the best of: the last order, with what has come since put in by its remaining work;
 * the least remaining work first, with each order within the jobs; what packs best, less remaining
 * work; and the order in which jobs end under the best of these. Then moves a job past some others,
 * changes the order within one, or holds one until another has started all its tasks, and keeps
 * what is no worse (what is better, of holding). Last come the orders of the jobs' plans. Holding
 * leaves room for stages that are about to become ready, which long tasks of a job that goes later
 * would take.
 *
 * The budget is in placements, and grows with the tasks that are left. A run takes about a fiftieth
 * of it: if more tasks are left, every few tasks and machines stand for all; then runs are fewer,
 * and at last they are cut. If they would see next to nothing, what packs best goes first. All runs
 * of a search are cut at the same moment, so that their values can be compared. */
#include "cluster/simulate/joint/search.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/sort.h"

enum {
    RUNS = 50,           /* of a search at least, if they see the end of all jobs */
    FEW_RUNS = 12,       /* if they do not */
    A_BUDGET = 50000,    /* tasks that are left: one budget more for so many */
    WORTH = 8,           /* less than this part of the tasks is too little to be seen */
    HOLD = 4,            /* of so many moves one holds a job, or lets it go */
    NEAR = 4,            /* a move takes a job past at most so many others */
    LEAST_MACHINES = 16, /* that stand for a cluster */
    RUNS_A_JOB = 12,     /* moves that are tried at most, for each job that is there */
};

/* Weights of remaining work against packing (see starts.c). */
static const double etas[] = {1, 0.5, 2};
static const double clearly = 0.95; /* of the value of the others */
enum { ETAS = sizeof etas / sizeof *etas };

struct br_joint_row {
    uint32_t *slot;   /* the job that goes first, first */
    uint8_t *within;  /* by slot */
    uint32_t *behind; /* by slot, as in the order */
    double eta;       /* above 0: by packing, and the row decides between equals */
    uint32_t count;
    struct br_sort_item *item; /* to sort by */
};

bool br_joint_search_init(struct br_joint_search *search, const struct br_cluster *cluster,
                          const struct br_capacities *capacities, uint64_t budget, uint64_t seed)
{
    *search = (struct br_joint_search){.budget = budget, .rng = br_rng_seed(seed)};
    search->best = calloc(1, sizeof *search->best);
    search->tried = calloc(1, sizeof *search->tried);
    search->listed = calloc(1, sizeof *search->listed);
    return br_forward_init(&search->forward, cluster, capacities) && search->best &&
           search->tried && search->listed;
}

static void free_row(struct br_joint_row *row)
{
    free(row->slot);
    free(row->within);
    free(row->behind);
    free(row->item);
    *row = (struct br_joint_row){0};
}

void br_joint_search_finish(struct br_joint_search *search)
{
    if (search->best)
        free_row(search->best);
    if (search->tried)
        free_row(search->tried);
    if (search->listed)
        free_row(search->listed);
    free(search->best);
    free(search->tried);
    free(search->listed);
    free(search->order.place);
    free(search->order.within);
    free(search->order.behind);
    br_forward_finish(&search->forward);
}

static bool make_row(struct br_joint_row *row, uint32_t slots)
{
    free_row(row);
    row->slot = calloc(slots, sizeof *row->slot);
    row->within = calloc(slots, sizeof *row->within);
    row->item = calloc(2 * (size_t)slots, sizeof *row->item);
    row->behind = calloc(slots, sizeof *row->behind);
    return row->slot && row->behind && row->within && row->item;
}

bool br_joint_search_reserve(struct br_joint_search *search, const struct br_joint_scene *scene)
{
    uint32_t slots = scene->slots;
    if (!br_forward_reserve(&search->forward, scene))
        return false;
    if (slots <= search->room)
        return true;
    search->room = 0;
    free(search->order.place);
    free(search->order.within);
    free(search->order.behind);
    search->order.behind = calloc(2 * (size_t)slots, sizeof *search->order.behind);
    search->order.place = calloc(2 * (size_t)slots, sizeof *search->order.place);
    search->order.within = calloc(2 * (size_t)slots, sizeof *search->order.within);
    if (!search->order.place || !search->order.within || !search->order.behind ||
        !make_row(search->best, 2 * slots) || !make_row(search->tried, 2 * slots) ||
        !make_row(search->listed, 2 * slots))
        return false;
    search->room = 2 * slots;
    return true;
}

/* ---- Rows ---- */

static void copy_row(const struct br_joint_search *search, struct br_joint_row *to,
                     const struct br_joint_row *from)
{
    assert(from->count <= search->room);
    to->count = from->count;
    to->eta = from->eta;
    memcpy(to->slot, from->slot, from->count * sizeof *to->slot);
    memcpy(to->within, from->within, search->room * sizeof *to->within);
    memcpy(to->behind, from->behind, search->room * sizeof *to->behind);
}

/* A work or a time >= 0 as a key. */
static uint64_t joint_search_key_of(double value)
{
    return value > 0 ? value < 0x1p62 ? (uint64_t)value : UINT64_C(1) << 62 : 0;
}

static void sort_row(struct br_joint_row *row)
{
    br_sort(row->item, row->item + row->count, row->count);
    for (uint32_t k = 0; k < row->count; k++)
        row->slot[k] = row->item[k].item;
}

/* The least remaining work over weight first; ties in the order of arrival. */
static void row_by_work(const struct br_joint_search *search, const struct br_joint_scene *scene,
                        struct br_joint_row *row, uint8_t within)
{
    assert(scene->slots <= search->room);
    row->count = 0;
    row->eta = 0;
    memset(row->within, within, search->room);
    memset(row->behind, 0xff, search->room * sizeof *row->behind);
    for (uint32_t k = 0; k < scene->slots; k++)
        if (scene->live[k].job)
            row->item[row->count++] = (struct br_sort_item){scene->live[k].job->number, k};
    sort_row(row);
    for (uint32_t k = 0; k < row->count; k++) {
        const struct br_scene_live *live = &scene->live[row->slot[k]];
        row->item[k] = (struct br_sort_item){
            joint_search_key_of(live->total_work_left / live->job->weight), row->slot[k]};
    }
    sort_row(row);
}

/* Behind whom the job was held. One that has gone holds nobody, and neither does a job that has
 * come into its slot since. */
static uint32_t held_behind(const struct br_joint_scene *scene, const struct br_joint_order *last,
                            uint32_t slot)
{
    uint32_t behind = last->behind ? last->behind[slot] : BR_SCENE_FREE;
    bool there =
        behind != BR_SCENE_FREE && scene->live[behind].job && last->place[behind] != BR_JOINT_NEW;
    return there ? behind : BR_SCENE_FREE;
}

/* The last order; what had no place comes in before the first with more work left. The row is by
 * work. False if no job had a place. */
static bool row_of_last(const struct br_joint_scene *scene, const struct br_joint_order *last,
                        struct br_joint_row *row)
{
    uint32_t old = 0, count = row->count;
    row->eta = last->eta;
    struct br_sort_item *item = row->item, *added = item + count;
    uint32_t news = 0;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t slot = row->slot[k];
        if (last->place[slot] == BR_JOINT_NEW) {
            added[news++] = (struct br_sort_item){0, slot};
        } else {
            item[old++] = (struct br_sort_item){last->place[slot], slot};
            row->within[slot] = last->within[slot];
            row->behind[slot] = held_behind(scene, last, slot);
        }
    }
    if (!old)
        return false;
    /* Sorted by hand, for the other half of the array is in use. */
    for (uint32_t k = 1; k < old; k++)
        for (uint32_t at = k; at && item[at].key < item[at - 1].key; at--) {
            struct br_sort_item one = item[at];
            item[at] = item[at - 1];
            item[at - 1] = one;
        }
    uint32_t used = 0, next = 0;
    for (uint32_t k = 0; k < old; k++) {
        double work = scene->live[item[k].item].total_work_left;
        while (next < news && scene->live[added[next].item].total_work_left < work)
            row->slot[used++] = added[next++].item;
        row->slot[used++] = item[k].item;
    }
    while (next < news)
        row->slot[used++] = added[next++].item;
    assert(used == count && old + news == count);
    return true;
}

static void row_by_ends(const struct br_joint_search *search, struct br_joint_row *row)
{
    row->eta = 0;
    for (uint32_t k = 0; k < row->count; k++)
        row->item[k] =
            (struct br_sort_item){br_sort_key(search->forward.end_ns[row->slot[k]]), row->slot[k]};
    sort_row(row);
}

/* ---- Trials ---- */

static void joint_search_order_by(const struct br_joint_row *row, struct br_joint_order *order)
{
    order->eta = row->eta;
    for (uint32_t k = 0; k < row->count; k++) {
        order->place[row->slot[k]] = k;
        order->within[row->slot[k]] = row->within[row->slot[k]];
        if (order->behind)
            order->behind[row->slot[k]] = row->behind[row->slot[k]];
    }
}

/* Runs the row that is being tried. */
static double run_row(struct br_joint_search *search)
{
    assert(search->tried->count > 0);
    joint_search_order_by(search->tried, &search->order);
    const double value =
        br_forward_run(&search->forward, &search->order, search->most, search->until_ns);
    search->spent += search->forward.spent + search->forward.cost;
    search->trials++;
    if (search->forward.cut && search->until_ns == INT64_MAX) {
        search->until_ns = search->forward.now_ns;
        search->most *= 4; /* the clock cuts the others */
    }
    return value;
}

/* Runs it, and keeps it if it is no worse (`equal`), or better. */
static void try_row(struct br_joint_search *search, bool equal)
{
    const double value = run_row(search);
    if (search->tried->eta == 0 && value <= search->listed_value) {
        search->listed_value = value;
        copy_row(search, search->listed, search->tried);
    }
    if (value < search->value || (equal && value <= search->value)) {
        search->improvements += value < search->value;
        search->value = value;
        copy_row(search, search->best, search->tried);
    }
}

static void joint_search_begin(struct br_joint_search *search, const struct br_joint_scene *scene,
                               const struct br_joint_order *last)
{
    search->value = search->listed_value = INFINITY;
    row_by_work(search, scene, search->tried, BR_WITHIN_BREADTH);
    if (row_of_last(scene, last, search->tried))
        try_row(search, false);
    for (uint8_t within = 0; within < BR_WITHIN_SEARCHED && search->spent <= search->allowed;
         within++) {
        row_by_work(search, scene, search->tried, within);
        try_row(search, false);
    }
    for (uint32_t k = 0; k < ETAS && search->spent <= search->allowed; k++) {
        row_by_work(search, scene, search->tried, BR_WITHIN_TAIL);
        search->tried->eta = etas[k];
        try_row(search, false);
    }
    copy_row(search, search->tried, search->best);
    try_row(search, true); /* for its ends */
    row_by_ends(search, search->tried);
    try_row(search, false);
    assert(search->value < INFINITY);
    search->first = search->value;
    search->improvements = 0;
}

/* Another place in the row, near `at`. */
static uint32_t joint_search_draw_place(struct br_joint_search *search, uint32_t count, uint32_t at)
{
    assert(at < count && count > 1);
    uint32_t low = at > NEAR ? at - NEAR : 0, high = at + NEAR < count ? at + NEAR : count - 1;
    assert(low < high);
    uint32_t to = low + (uint32_t)br_rng_below(&search->rng, high - low);
    return to < at ? to : to + 1;
}

static void joint_search_move(struct br_joint_row *row, uint32_t at, uint32_t to)
{
    assert(at < row->count && to < row->count);
    uint32_t slot = row->slot[at];
    if (to > at)
        memmove(row->slot + at, row->slot + at + 1, (to - at) * sizeof *row->slot);
    else
        memmove(row->slot + to + 1, row->slot + to, (at - to) * sizeof *row->slot);
    row->slot[to] = slot;
}

/* Holds the job behind one that goes before it, or lets it go. */
static void joint_search_hold(struct br_joint_search *search, struct br_joint_row *row, uint32_t at)
{
    assert(at > 0 && at < row->count);
    uint32_t *behind = &row->behind[row->slot[at]], low = at > NEAR ? at - NEAR : 0;
    if (*behind == BR_SCENE_FREE)
        *behind = row->slot[low + br_rng_below(&search->rng, at - low)];
    else
        *behind = BR_SCENE_FREE;
}

static void joint_search_improve(struct br_joint_search *search)
{
    struct br_joint_row *row = search->tried;
    if (search->best->eta > 0 && br_rng_below(&search->rng, 4) == 0) {
        copy_row(search, row, search->best);
        row->eta *= 0.5 + 1.5 * br_rng_unit(&search->rng);
        try_row(search, true);
        return;
    }
    copy_row(search, row, search->listed);
    uint32_t at = (uint32_t)br_rng_below(&search->rng, row->count);
    if (at > 0 && br_rng_below(&search->rng, HOLD) == 0) {
        joint_search_hold(search, row, at);
        try_row(search, false);
        return;
    }
    if (row->count == 1 || br_rng_below(&search->rng, 3) == 0) {
        uint8_t *within = &row->within[row->slot[at]];
        uint32_t more = 1 + (uint32_t)br_rng_below(&search->rng, BR_WITHIN_SEARCHED - 1);
        *within = (uint8_t)((*within + more) % BR_WITHIN_SEARCHED);
    } else {
        joint_search_move(row, at, joint_search_draw_place(search, row->count, at));
    }
    try_row(search, true);
}

/* At last the jobs' own plans, under the best order of the jobs and under that by work. A plan
 * leaves room for what comes later, which no order above does; on most jobs it gains as little as
 * chance does, so it counts only if it is clearly better. */
static void try_plans(struct br_joint_search *search, const struct br_joint_scene *scene)
{
    for (int k = 0; k < 2; k++) {
        if (k == 0)
            copy_row(search, search->tried, search->best);
        else
            row_by_work(search, scene, search->tried, BR_WITHIN_PLAN);
        memset(search->tried->within, BR_WITHIN_PLAN, search->room);
        const double value = run_row(search);
        if (value < clearly * search->value) {
            search->value = value;
            search->improvements++;
            copy_row(search, search->best, search->tried);
        }
    }
}

/* Shares the budget out: how many starts a run may take, and how many tasks and machines one stands
 * for. Runs shall see the end of all jobs rather than be many. Returns false if they would see so
 * little of the rest that their result is worth nothing. */
static bool joint_search_share_out(struct br_joint_search *search,
                                   const struct br_joint_scene *scene, uint32_t *step)
{
    uint64_t tasks = 0, most_step = scene->machines / LEAST_MACHINES;
    for (uint32_t k = 0; k < scene->slots; k++)
        tasks += scene->live[k].job ? scene->live[k].tasks_left : 0;
    if (!most_step)
        most_step = 1;
    double allowed = (double)search->budget * (1 + (double)tasks / A_BUDGET);
    /* An event looks at the stages that are open. */
    tasks += tasks * scene->opens / BR_FORWARD_LOOKS;
    search->allowed = allowed < 0x1p62 ? (uint64_t)allowed : UINT64_C(1) << 62;
    uint64_t least = search->allowed / RUNS + 1, most = search->allowed / FEW_RUNS + 1;
    uint64_t thinned = tasks / most_step + 1, wanted = thinned > least ? thinned : least;
    search->most = wanted < most ? wanted : most;
    uint64_t fits = tasks / search->most + 1;
    *step = (uint32_t)(fits < most_step ? fits : most_step);
    assert(*step > 0 && *step <= most_step);
    return search->most * *step >= tasks / WORTH;
}

void br_joint_search_run(struct br_joint_search *search, const struct br_joint_scene *scene,
                         const struct br_forward_task *running, uint32_t count, int64_t now_ns,
                         struct br_joint_order *order)
{
    uint32_t trials = 0;
    search->spent = 0;
    search->until_ns = INT64_MAX;
    uint32_t step;
    row_by_work(search, scene, search->best, BR_WITHIN_BREADTH);
    if (search->budget && !joint_search_share_out(search, scene, &step)) {
        row_by_work(search, scene, search->best, BR_WITHIN_TAIL);
        search->best->eta = etas[0];
    } else if (search->budget && search->best->count) {
        br_forward_begin(&search->forward, scene, running, count, now_ns, step);
        joint_search_begin(search, scene, order);
        while (search->spent < search->allowed && trials++ < RUNS_A_JOB * search->best->count)
            joint_search_improve(search);
        try_plans(search, scene);
    }
    joint_search_order_by(search->best, order);
}
