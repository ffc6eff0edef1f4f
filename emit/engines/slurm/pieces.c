/* Cuts stages into pieces along the plan's order. The order is taken by windows of ranks: the tasks
 * of a stage within one window become a group, and groups that follow each other with ascending
 * indices are one piece. With windows of one rank the order is kept exactly. Wider windows make
 * fewer pieces; one window for all tasks leaves the stages whole. */
#include "emit/engines/slurm/pieces.h"
#include "base/collections/sort.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    LIST_MOST = 4000, /* characters of --array; Slurm refuses 4097 */
    ROUNDS = 16,      /* in which one-to-one stages have to agree on their sets */
};

/* Tasks of one stage and one set in a window. */
struct group {
    uint32_t stage, set, window;
    uint32_t least, most; /* indices */
    uint32_t piece;
};

/* The list of indices of a set, as far as it is known. */
struct list {
    uint32_t first, last; /* of its last run */
    uint32_t size;        /* characters */
    uint32_t set;
};

struct work {
    const struct br_dag *dag;
    const uint32_t *order; /* tasks by rank */
    uint32_t window;       /* ranks */
    uint32_t *stage;       /* by task */
    uint32_t *root;        /* by stage: a stage with which one-to-one edges connect it */
    uint32_t *set;         /* by task of a root: the set of its index */
    uint32_t *sets;        /* by root */
    uint32_t *slot;        /* by stage: where its sets begin in `last` */
    uint32_t *last;        /* by stage and set: 1 + the last group, or 0 */
    struct group *group;
    uint32_t *label; /* by task: its group, or its piece as the windows have it */
    struct br_sort_item *item;
    struct list *list; /* by set of one root */
};

static uint32_t find_root(const struct work *work, uint32_t stage)
{
    while (work->root[stage] != stage) {
        work->root[stage] = work->root[work->root[stage]];
        stage = work->root[stage];
    }
    return stage;
}

static bool make_room(struct work *work, struct br_arena *arena, uint32_t tasks)
{
    const struct br_dag *dag = work->dag;
    work->stage = br_arena_array(arena, tasks, sizeof *work->stage);
    work->root = br_arena_array(arena, dag->stages, sizeof *work->root);
    work->set = br_arena_array(arena, tasks, sizeof *work->set);
    work->sets = br_arena_array(arena, dag->stages, sizeof *work->sets);
    work->slot = br_arena_array(arena, dag->stages, sizeof *work->slot);
    work->last = br_arena_array(arena, tasks, sizeof *work->last);
    work->group = br_arena_array(arena, tasks, sizeof *work->group);
    work->label = br_arena_array(arena, tasks, sizeof *work->label);
    work->item = br_arena_array(arena, tasks, 2 * sizeof *work->item);
    work->list = br_arena_array(arena, tasks, sizeof *work->list);
    return work->stage && work->root && work->set && work->sets && work->slot && work->last &&
           work->group && work->label && work->item && work->list;
}

static void connect_stages(struct work *work)
{
    const struct br_dag *dag = work->dag;
    for (uint32_t s = 0; s < dag->stages; s++) {
        work->root[s] = s;
        for (uint32_t i = 0; i < dag->stage[s].tasks; i++)
            work->stage[dag->stage[s].first_task + i] = s;
    }
    for (uint32_t e = 0; e < dag->edges; e++)
        if (br_dag_is_paired(dag, &dag->edge[e]))
            work->root[find_root(work, dag->edge[e].child)] = find_root(work, dag->edge[e].parent);
    for (uint32_t s = 0; s < dag->stages; s++)
        work->root[s] = find_root(work, s);
}

/* The set of the task's index. */
static uint32_t set_of(const struct work *work, uint32_t task)
{
    const struct br_dag *dag = work->dag;
    uint32_t stage = work->stage[task];
    return work
        ->set[dag->stage[work->root[stage]].first_task + task - dag->stage[stage].first_task];
}

/* Lays out an empty slot for each stage and set; returns their number. */
static uint32_t lay_slots(struct work *work)
{
    uint32_t slots = 0;
    for (uint32_t s = 0; s < work->dag->stages; s++) {
        work->slot[s] = slots;
        slots += work->sets[work->root[s]];
    }
    assert(slots <= work->dag->tasks);
    memset(work->last, 0, slots * sizeof *work->last);
    return slots;
}

static uint32_t gather_groups(struct work *work)
{
    uint32_t groups = 0;
    lay_slots(work);
    for (uint32_t k = 0; k < work->dag->tasks; k++) {
        uint32_t task = work->order[k], stage = work->stage[task], set = set_of(work, task);
        uint32_t index = task - work->dag->stage[stage].first_task;
        uint32_t *last = &work->last[work->slot[stage] + set];
        if (*last == 0 || work->group[*last - 1].window != k / work->window) {
            assert(groups < work->dag->tasks);
            work->group[groups] = (struct group){stage, set, k / work->window, index, index, 0};
            *last = ++groups;
        }
        struct group *group = &work->group[*last - 1];
        if (index < group->least)
            group->least = index;
        if (index > group->most)
            group->most = index;
        work->label[task] = *last - 1;
    }
    return groups;
}

/* Are the two neighbours in order as tasks of one array? */
static bool goes_on(const struct group *group, const struct group *next)
{
    return group->stage == next->stage && group->set == next->set && group->most < next->least;
}

/* Labels the tasks by pieces; returns the number of pieces. */
static uint32_t gather_pieces(struct work *work)
{
    uint32_t groups = gather_groups(work), pieces = 0;
    for (uint32_t g = 0; g < groups; g++) {
        struct group *group = &work->group[g];
        group->piece = g > 0 && goes_on(group - 1, group) ? group[-1].piece : pieces++;
    }
    assert(pieces > 0 && pieces <= groups);
    for (uint32_t t = 0; t < work->dag->tasks; t++)
        work->label[t] = work->group[work->label[t]].piece;
    return pieces;
}

/* Separates indices of a set that are in different pieces of the stage. */
static void part_sets(struct work *work, uint32_t stage)
{
    const struct br_stage *it = &work->dag->stage[stage];
    uint32_t *set = &work->set[work->dag->stage[work->root[stage]].first_task], sets = 0;
    struct br_sort_item *item = work->item;
    for (uint32_t i = 0; i < it->tasks; i++)
        item[i] =
            (struct br_sort_item){(uint64_t)set[i] << 32 | work->label[it->first_task + i], i};
    br_sort(item, item + it->tasks, it->tasks);
    for (uint32_t i = 0; i < it->tasks; i++) {
        if (i > 0 && item[i].key != item[i - 1].key)
            sets++;
        set[item[i].item] = sets;
    }
    assert(sets < it->tasks);
    work->sets[work->root[stage]] = sets + 1;
}

static uint32_t count_digits(uint32_t number)
{
    uint32_t digits = 1;
    for (; number > 9; number /= 10)
        digits++;
    return digits;
}

/* Cuts sets whose lists of indices, such as "0-3,7", would be too long. */
static void shorten_sets(struct work *work, uint32_t root)
{
    const struct br_stage *it = &work->dag->stage[root];
    uint32_t *set = &work->set[it->first_task], digits = count_digits(it->tasks - 1);
    for (uint32_t c = 0; c < work->sets[root]; c++)
        work->list[c] = (struct list){.set = c};
    for (uint32_t i = 0; i < it->tasks; i++) {
        struct list *list = &work->list[set[i]];
        bool begins = list->size == 0 || list->last + 1 != i;
        if (begins && list->size > LIST_MOST) {
            list->set = work->sets[root]++;
            list->size = 0;
        }
        if (begins)
            list->first = i;
        if (begins || i == list->first + 1)
            list->size += digits + 1;
        list->last = i;
        set[i] = list->set;
    }
    assert(work->sets[root] <= it->tasks);
}

/* Cuts with this window; false if there are more than `most` pieces. */
static bool cut(struct work *work, uint32_t window, uint32_t most)
{
    const struct br_dag *dag = work->dag;
    assert(window > 0);
    work->window = window;
    memset(work->set, 0, dag->tasks * sizeof *work->set);
    for (uint32_t s = 0; s < dag->stages; s++)
        work->sets[s] = 1;
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t pieces = gather_pieces(work);
        if (pieces > most)
            return false;
        for (uint32_t s = 0; s < dag->stages; s++)
            part_sets(work, s);
        uint32_t slots = lay_slots(work);
        if (slots > most)
            return false;
        if (slots != pieces)
            continue; /* a stage is cut at the cuts of another one, so its pieces have changed */
        for (uint32_t s = 0; s < dag->stages; s++)
            if (work->root[s] == s)
                shorten_sets(work, s);
        return lay_slots(work) <= most;
    }
    return false;
}

/* ---- The pieces ---- */

static bool make_pieces(struct br_slurm_pieces *pieces, uint32_t most, const struct br_dag *dag)
{
    pieces->piece = br_arena_array(&pieces->arena, most, sizeof *pieces->piece);
    pieces->index = br_arena_array(&pieces->arena, dag->tasks, sizeof *pieces->index);
    pieces->of = br_arena_array(&pieces->arena, dag->tasks, sizeof *pieces->of);
    pieces->cut = br_arena_array(&pieces->arena, dag->stages, sizeof *pieces->cut);
    return pieces->piece && pieces->index && pieces->of && pieces->cut;
}

static void slurm_add_piece(struct br_slurm_pieces *pieces, uint32_t stage)
{
    pieces->piece[pieces->count++] =
        (struct br_slurm_piece){.stage = stage, .number = ++pieces->cut[stage]};
}

/* Turns sets and stages into pieces, in the order of their first tasks. */
static void number_pieces(struct br_slurm_pieces *pieces, struct work *work)
{
    lay_slots(work);
    for (uint32_t k = 0; k < work->dag->tasks; k++) {
        uint32_t task = work->order[k], stage = work->stage[task];
        uint32_t *piece = &work->last[work->slot[stage] + set_of(work, task)];
        if (*piece == 0) {
            slurm_add_piece(pieces, stage);
            *piece = pieces->count;
        }
        pieces->of[task] = *piece - 1;
    }
}

static void slurm_pieces_number_stages(struct br_slurm_pieces *pieces, const struct br_dag *dag)
{
    memset(pieces->cut, 0, dag->stages * sizeof *pieces->cut);
    pieces->count = 0;
    for (uint32_t k = 0; k < dag->stages; k++) {
        const struct br_stage *stage = &dag->stage[dag->topological[k]];
        slurm_add_piece(pieces, dag->topological[k]);
        for (uint32_t i = 0; i < stage->tasks; i++)
            pieces->of[stage->first_task + i] = k;
    }
}

static void list_indices(struct br_slurm_pieces *pieces, const struct br_dag *dag)
{
    uint32_t first = 0;
    for (uint32_t t = 0; t < dag->tasks; t++)
        pieces->piece[pieces->of[t]].tasks++;
    for (uint32_t p = 0; p < pieces->count; p++) {
        assert(pieces->piece[p].tasks > 0);
        pieces->piece[p].first = first;
        first += pieces->piece[p].tasks;
        pieces->piece[p].tasks = 0;
    }
    assert(first == dag->tasks);
    for (uint32_t s = 0; s < dag->stages; s++)
        for (uint32_t i = 0; i < dag->stage[s].tasks; i++) {
            struct br_slurm_piece *piece = &pieces->piece[pieces->of[dag->stage[s].first_task + i]];
            pieces->index[piece->first + piece->tasks++] = i;
        }
}

/* Are all tasks of the plan after their parents? `last` and `first` are pieces by stage. */
static bool slurm_pieces_is_ordered(const struct br_slurm_pieces *pieces, const struct br_dag *dag,
                                    uint32_t *last, uint32_t *first)
{
    for (uint32_t p = 0; p < pieces->count; p++) {
        uint32_t stage = pieces->piece[p].stage;
        if (pieces->piece[p].number == 1)
            first[stage] = p;
        last[stage] = p;
    }
    for (uint32_t e = 0; e < dag->edges; e++) {
        const struct br_edge *edge = &dag->edge[e];
        const struct br_stage *parent = &dag->stage[edge->parent];
        uint32_t child = dag->stage[edge->child].first_task;
        if (!br_dag_is_paired(dag, edge) && last[edge->parent] > first[edge->child])
            return false;
        for (uint32_t i = 0; br_dag_is_paired(dag, edge) && i < parent->tasks; i++)
            if (pieces->of[parent->first_task + i] > pieces->of[child + i])
                return false;
    }
    return true;
}

enum br_status br_slurm_pieces_init(struct br_slurm_pieces *pieces, const struct br_dag *dag,
                                    const struct br_plan *plan, uint32_t most, struct br_diag *diag)
{
    struct work work = {.dag = dag, .order = plan->order};
    struct br_arena arena = {0};
    *pieces = (struct br_slurm_pieces){.window = 1};
    if (most < dag->stages)
        most = dag->stages;
    if (!make_room(&work, &arena, dag->tasks) || !make_pieces(pieces, most, dag)) {
        br_arena_finish(&arena);
        br_slurm_pieces_finish(pieces);
        return br_fail_memory(diag);
    }
    connect_stages(&work);
    while (!cut(&work, pieces->window, most))
        pieces->window = pieces->window < dag->tasks / 2 ? 2 * pieces->window : dag->tasks;
    number_pieces(pieces, &work);
    assert(pieces->count <= most);
    if (!slurm_pieces_is_ordered(pieces, dag, work.sets, work.slot)) {
        slurm_pieces_number_stages(pieces, dag);
        pieces->window = 0;
    }
    list_indices(pieces, dag);
    br_arena_finish(&arena);
    return BR_OK;
}

enum br_status br_slurm_pieces_alone(struct br_slurm_pieces *pieces, const struct br_dag *dag,
                                     const struct br_plan *plan, struct br_diag *diag)
{
    *pieces = (struct br_slurm_pieces){.window = 1};
    if (!make_pieces(pieces, dag->tasks, dag)) {
        br_slurm_pieces_finish(pieces);
        return br_fail_memory(diag);
    }
    for (uint32_t k = 0; k < dag->tasks; k++) {
        slurm_add_piece(pieces, br_dag_task_stage(dag, plan->order[k]));
        pieces->of[plan->order[k]] = k;
    }
    list_indices(pieces, dag);
    return BR_OK;
}

void br_slurm_pieces_finish(struct br_slurm_pieces *pieces)
{
    br_arena_finish(&pieces->arena);
    *pieces = (struct br_slurm_pieces){0};
}

void br_slurm_piece_list(FILE *out, const struct br_slurm_pieces *pieces, uint32_t piece)
{
    const uint32_t *index = &pieces->index[pieces->piece[piece].first];
    uint32_t tasks = pieces->piece[piece].tasks;
    for (uint32_t k = 0, n; k < tasks; k += n) {
        for (n = 1; k + n < tasks && index[k + n] == index[k] + n; n++)
            continue;
        fprintf(out, "%s%" PRIu32, k > 0 ? "," : "", index[k]);
        if (n > 1)
            fprintf(out, "-%" PRIu32, index[k + n - 1]);
    }
}
