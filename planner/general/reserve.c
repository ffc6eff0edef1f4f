#include "planner/general/reserve.h"

#include <assert.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/collections/memory.h"

/* Loads along the witness, in a tree that grows where something is. */
struct node {
    uint32_t left, right; /* 0: nothing there */
    int64_t sum;          /* of all changes below */
    int64_t most;         /* the greatest load at any moment below, over that before it */
};

/* What one position changes at a place, beside the nodes; found by the leaf. */
struct leaf {
    int64_t hold; /* while its task runs */
    int64_t net;  /* left when it has ended, less what is freed */
};

struct change {
    uint32_t place, position; /* UINT32_MAX: of the base alone */
    int64_t hold, net, base;
};

struct br_reserve {
    const struct br_general *job;
    uint32_t height; /* of the trees: positions are below 1 << height */
    uint32_t places;

    /* All of this is copied at the beginning, for the next run. */
    uint32_t nodes;
    struct node *node;
    struct leaf *leaf;  /* by node; of leaves alone */
    uint32_t *root;     /* by place; 0: nothing there */
    int64_t *base;      /* by place: what is held when all that runs has ended */
    uint32_t *position; /* by task */
    uint32_t *machine;  /* by task: of the witness, or where it has started */
    bool *started;
    const bool *gone;    /* by task, borrowed: it never runs and holds nothing; NULL: none */
    bool again;          /* some task has been put back */
    uint32_t *at;        /* tasks of each stage by position, in the stage's range */
    uint32_t *at_number; /* by task: where it is in `at` */
    uint32_t *begin;     /* by stage: the first in `at` that may be unstarted */
    uint32_t *end;       /* by stage: behind the last in `at` that may be unstarted */

    uint32_t node_room;
    int64_t *limit; /* by place: the least capacity at any time */
    bool *plain;    /* by stage: its tasks stand for one another */
    uint32_t changes, change_room;
    struct change *change; /* of the start that is tried */
    struct {
        uint32_t task, machine; /* on which the witness had it */
        uint32_t exchanged;     /* the task of its stage whose place it took */
    } last;                     /* the start that is tried */
    struct br_reserve *beginning;
    bool failed; /* memory is out */
};

static uint32_t new_node(struct br_reserve *r)
{
    if (r->nodes == r->node_room) {
        uint32_t room = r->node_room;
        if (!br_grow(&r->node, r->nodes, &room, sizeof *r->node) ||
            !br_enlarge(&r->leaf, room, sizeof *r->leaf)) {
            r->failed = true;
            return 0;
        }
        r->node_room = room;
    }
    r->node[r->nodes] = (struct node){0};
    r->leaf[r->nodes] = (struct leaf){0};
    return r->nodes++;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Adds to one position of a place, and sums up above it. */
static void tree_add(struct br_reserve *r, uint32_t place, uint32_t position, int64_t hold,
                     int64_t net)
{
    uint32_t path[33];
    if (!r->root[place] && !(r->root[place] = new_node(r)))
        return;
    uint32_t node = r->root[place];
    for (uint32_t level = 0; level < r->height; level++) {
        const bool right = position >> (r->height - 1 - level) & 1;
        path[level] = node;
        uint32_t next = right ? r->node[node].right : r->node[node].left;
        if (!next) {
            if (!(next = new_node(r)))
                return;
            if (right)
                r->node[node].right = next;
            else
                r->node[node].left = next;
        }
        node = next;
    }
    struct leaf *leaf = &r->leaf[node];
    leaf->hold += hold;
    leaf->net += net;
    r->node[node].sum = leaf->net;
    r->node[node].most = larger(leaf->hold, leaf->net);
    for (uint32_t level = r->height; level-- > 0;) {
        struct node *up = &r->node[path[level]];
        const struct node *a = &r->node[up->left], *b = &r->node[up->right];
        up->sum = a->sum + b->sum;
        up->most = larger(a->most, a->sum + b->most);
    }
}

static void reserve_apply(struct br_reserve *r, const struct change *c, int sign)
{
    r->base[c->place] += sign * c->base;
    if (c->position != UINT32_MAX)
        tree_add(r, c->place, c->position, sign * c->hold, sign * c->net);
}

static void reserve_change(struct br_reserve *r, struct change c)
{
    if (!c.hold && !c.net && !c.base)
        return;
    if (!br_grow(&r->change, r->changes, &r->change_room, sizeof c)) {
        r->failed = true;
        return;
    }
    r->change[r->changes++] = c;
    reserve_apply(r, &c, 1);
}

/* What a task of the stage holds while it runs, and what it leaves behind. */
static int64_t holds(const struct br_general *job, uint32_t task, uint32_t resource)
{
    const size_t at = (size_t)job->task_stage[task] * job->resources + resource;
    return job->made[at] + (job->duration[task] ? job->demand[at] : 0);
}

static int64_t leaves(const struct br_general *job, uint32_t stage, uint32_t resource)
{
    const size_t at = (size_t)stage * job->resources + resource;
    return job->made[at] + job->late[at];
}

/* The position of the stage's last task that has not started; UINT32_MAX if all have. */
static uint32_t last_of_stage(struct br_reserve *r, uint32_t stage)
{
    const uint32_t first = r->job->stage_first[stage];
    while (r->end[stage] > first && r->started[r->at[r->end[stage] - 1]])
        r->end[stage]--;
    return r->end[stage] > first ? r->position[r->at[r->end[stage] - 1]] : UINT32_MAX;
}

/* The position at which the output of the stage's task `index` is freed; UINT32_MAX if all its
 * readers have started. */
static uint32_t freed_at(struct br_reserve *r, uint32_t number, uint32_t index)
{
    const struct br_general *job = r->job;
    uint32_t last = UINT32_MAX;
    for (uint32_t k = job->reader_first[number]; k < job->reader_first[number + 1]; k++) {
        const struct br_stage_arc *reader = &job->reader[k];
        uint32_t position;
        if (reader->one_to_one) {
            const uint32_t task = job->stage_first[reader->stage] + index;
            position = r->started[task] ? UINT32_MAX : r->position[task];
        } else {
            position = last_of_stage(r, reader->stage);
        }
        if (position != UINT32_MAX && (last == UINT32_MAX || position > last))
            last = position;
    }
    return last;
}

static bool matters(const struct br_general *job, const struct br_general_output *output)
{
    return output->amount && !output->none && job->stored[output->resource];
}

/* ---- The beginning ---- */

/* May its tasks stand for one another here, too? */
static bool reserve_is_plain(const struct br_general *job, uint32_t stage)
{
    const uint32_t first = job->stage_first[stage], last = job->stage_first[stage + 1];
    for (uint32_t t = first; t < last && job->plain[stage]; t++)
        if (!job->duration[t] != !job->duration[first])
            return false;
    return job->plain[stage];
}

/* What the task holds and leaves: in the witness, or at the end of all that runs. */
static void fill_task(struct br_reserve *r, uint32_t task)
{
    const struct br_general *job = r->job;
    for (uint32_t k = 0; k < job->resources; k++) {
        const int64_t hold = holds(job, task, k), net = leaves(job, job->task_stage[task], k);
        if (!job->stored[k] || (!hold && !net))
            continue;
        const uint32_t place = br_general_place(job, r->machine[task], k);
        if (r->started[task])
            r->base[place] += net;
        else
            tree_add(r, place, r->position[task], hold, net);
    }
}

/* The output of the task is freed by its last reader, or has been. */
static void fill_free(struct br_reserve *r, uint32_t number, uint32_t task)
{
    const struct br_general *job = r->job;
    const struct br_general_output *output = &job->output[number];
    const uint32_t place = br_general_place(job, r->machine[task], output->resource);
    uint32_t at = freed_at(r, number, task - job->stage_first[output->stage]);
    if (at == UINT32_MAX && !r->started[task])
        at = r->position[task]; /* only a stream is read before its maker has ended */
    if (at == UINT32_MAX)
        r->base[place] -= output->amount;
    else
        tree_add(r, place, at, 0, -output->amount);
}

static void fill_trees(struct br_reserve *r)
{
    const struct br_general *job = r->job;
    for (uint32_t t = 0; t < job->tasks; t++)
        if (!r->gone || !r->gone[t])
            fill_task(r, t);
    for (uint32_t o = 0; o < job->outputs; o++) {
        const uint32_t stage = job->output[o].stage;
        if (!matters(job, &job->output[o]) || job->output[o].result)
            continue;
        for (uint32_t t = job->stage_first[stage]; t < job->stage_first[stage + 1]; t++)
            if (!r->gone || !r->gone[t])
                fill_free(r, o, t);
    }
}

/* Lists the tasks of each stage by position. */
static void list_stages(struct br_reserve *r, const uint32_t *order)
{
    const struct br_general *job = r->job;
    for (uint32_t s = 0; s < job->stages; s++)
        r->begin[s] = r->end[s] = job->stage_first[s];
    for (uint32_t k = 0; k < job->tasks; k++) {
        const uint32_t task = order[k], s = job->task_stage[task];
        r->position[task] = k;
        r->at_number[task] = r->end[s];
        r->at[r->end[s]++] = task;
    }
}

static bool reserve_allocate(struct br_reserve *r)
{
    const struct br_general *job = r->job;
    const size_t n = (size_t)job->tasks + 1, s = (size_t)job->stages + 1;
    r->root = br_calloc((size_t)r->places + 1, sizeof *r->root);
    r->base = br_calloc((size_t)r->places + 1, sizeof *r->base);
    r->position = br_malloc(n * sizeof *r->position);
    r->machine = br_malloc(n * sizeof *r->machine);
    r->started = br_calloc(n, sizeof *r->started);
    r->at = br_malloc(n * sizeof *r->at);
    r->at_number = br_malloc(n * sizeof *r->at_number);
    r->begin = br_malloc(s * sizeof *r->begin);
    r->end = br_malloc(s * sizeof *r->end);
    return r->root && r->base && r->position && r->machine && r->started && r->at && r->at_number &&
           r->begin && r->end;
}

static void reserve_copy(struct br_reserve *to, const struct br_reserve *from)
{
    const struct br_general *job = from->job;
    to->nodes = from->nodes;
    memcpy(to->node, from->node, from->nodes * sizeof *to->node);
    memcpy(to->leaf, from->leaf, from->nodes * sizeof *to->leaf);
    memcpy(to->root, from->root, from->places * sizeof *to->root);
    memcpy(to->base, from->base, from->places * sizeof *to->base);
    memcpy(to->position, from->position, job->tasks * sizeof *to->position);
    memcpy(to->machine, from->machine, job->tasks * sizeof *to->machine);
    memcpy(to->started, from->started, job->tasks * sizeof *to->started);
    memcpy(to->at, from->at, job->tasks * sizeof *to->at);
    memcpy(to->at_number, from->at_number, job->tasks * sizeof *to->at_number);
    memcpy(to->begin, from->begin, job->stages * sizeof *to->begin);
    memcpy(to->end, from->end, job->stages * sizeof *to->end);
}

static bool keep_beginning(struct br_reserve *r)
{
    struct br_reserve *kept = r->beginning = br_calloc(1, sizeof *kept);
    if (!kept)
        return false;
    kept->job = r->job;
    kept->places = r->places;
    kept->node = br_malloc(((size_t)r->nodes + 1) * sizeof *kept->node);
    kept->leaf = br_malloc(((size_t)r->nodes + 1) * sizeof *kept->leaf);
    if (!kept->node || !kept->leaf || !reserve_allocate(kept))
        return false;
    reserve_copy(kept, r);
    return true;
}

struct br_reserve *br_reserve_create(const struct br_general *job, const struct br_witness *witness)
{
    struct br_reserve *r = br_calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->job = job;
    r->places = (job->machines + 1) * job->resources;
    while (r->height < 32 && job->tasks > UINT32_C(1) << r->height)
        r->height++;
    r->limit = br_malloc(((size_t)r->places + 1) * sizeof *r->limit);
    r->plain = br_malloc((size_t)job->stages + 1);
    if (!r->limit || !r->plain || !reserve_allocate(r))
        goto fail;
    for (uint32_t p = 0; p < r->places; p++)
        r->limit[p] = job->stored[p % job->resources] ? br_general_least(job, p, 0) : INT64_MAX;
    memcpy(r->machine, witness->machine, job->tasks * sizeof *r->machine);
    for (uint32_t s = 0; s < job->stages; s++)
        r->plain[s] = reserve_is_plain(job, s);
    list_stages(r, witness->order);
    if (new_node(r) != 0 || r->failed) /* node 0 is nothing */
        goto fail;
    fill_trees(r);
    if (r->failed || !keep_beginning(r))
        goto fail;
    return r;
fail:
    br_reserve_destroy(r);
    return NULL;
}

void br_reserve_destroy(struct br_reserve *r)
{
    if (!r)
        return;
    br_reserve_destroy(r->beginning);
    br_free(r->node);
    br_free(r->leaf);
    br_free(r->root);
    br_free(r->base);
    br_free(r->position);
    br_free(r->machine);
    br_free(r->started);
    br_free(r->at);
    br_free(r->at_number);
    br_free(r->begin);
    br_free(r->end);
    br_free(r->limit);
    br_free(r->plain);
    br_free(r->change);
    br_free(r);
}

static bool place_holds(const struct br_reserve *r, uint32_t place)
{
    return r->base[place] + larger(r->node[r->root[place]].most, 0) <= r->limit[place];
}

bool br_reserve_holds(const struct br_reserve *r)
{
    for (uint32_t p = 0; p < r->places; p++)
        if (r->limit[p] != INT64_MAX && !place_holds(r, p))
            return false;
    return true;
}

void br_reserve_reset(struct br_reserve *r)
{
    reserve_copy(r, r->beginning);
}

/* ---- Starts ---- */

/* Lets the two tasks of one plain stage take each other's place in the witness. */
static void exchange(struct br_reserve *r, uint32_t a, uint32_t b)
{
    const uint32_t position = r->position[a], machine = r->machine[a], number = r->at_number[a];
    r->position[a] = r->position[b];
    r->machine[a] = r->machine[b];
    r->at_number[a] = r->at_number[b];
    r->position[b] = position;
    r->machine[b] = machine;
    r->at_number[b] = number;
    r->at[r->at_number[a]] = a;
    r->at[r->at_number[b]] = b;
}

/* The next task of the plain stage in the witness. */
static uint32_t next_of_stage(struct br_reserve *r, uint32_t stage)
{
    while (r->started[r->at[r->begin[stage]]])
        r->begin[stage]++;
    return r->at[r->begin[stage]];
}

uint32_t br_reserve_machine(struct br_reserve *r, uint32_t task)
{
    const uint32_t stage = r->job->task_stage[task];
    return r->machine[r->plain[stage] ? next_of_stage(r, stage) : task];
}

/* What the task holds and leaves moves out of the witness. */
static void move_holds(struct br_reserve *r, uint32_t task, uint32_t machine)
{
    const struct br_general *job = r->job;
    const uint32_t stage = job->task_stage[task];
    for (uint32_t k = 0; k < job->resources; k++) {
        if (!job->stored[k])
            continue;
        const int64_t hold = holds(job, task, k), net = leaves(job, stage, k);
        reserve_change(r, (struct change){br_general_place(job, r->machine[task], k),
                                          r->position[task], -hold, -net, 0});
        reserve_change(r,
                       (struct change){br_general_place(job, machine, k), UINT32_MAX, 0, 0, net});
    }
    for (uint32_t o = job->outputs ? job->output_first[stage] : 0;
         job->outputs && o < job->output_first[stage + 1]; o++) {
        const struct br_general_output *output = &job->output[o];
        const uint32_t old = br_general_place(job, r->machine[task], output->resource);
        const uint32_t new = br_general_place(job, machine, output->resource);
        if (!matters(job, output) || output->result || (old == new && !r->again))
            continue;
        const uint32_t at = freed_at(r, o, task - job->stage_first[stage]);
        if (at == UINT32_MAX) { /* all readers of this stream run, and it starts once more */
            assert(r->again);
            reserve_change(r, (struct change){old, r->position[task], 0, output->amount, 0});
            reserve_change(r, (struct change){new, UINT32_MAX, 0, 0, -output->amount});
            continue;
        }
        reserve_change(r, (struct change){old, at, 0, output->amount, 0});
        reserve_change(r, (struct change){new, at, 0, -output->amount, 0});
    }
}

/* The output of the maker was freed at `old`, and now is at `now`. */
static void move_free(struct br_reserve *r, const struct br_general_output *output, uint32_t maker,
                      uint32_t old, uint32_t now)
{
    const uint32_t place = br_general_place(r->job, r->machine[maker], output->resource);
    reserve_change(r, (struct change){place, old, 0, output->amount, 0});
    if (now != UINT32_MAX)
        reserve_change(r, (struct change){place, now, 0, -output->amount, 0});
    else
        reserve_change(r, (struct change){place, UINT32_MAX, 0, 0, -output->amount});
}

/* The task has started, so what it was the last to read is freed by another, or when it ends. */
static void move_frees(struct br_reserve *r, uint32_t task, bool was_last)
{
    const struct br_general *job = r->job;
    const uint32_t stage = job->task_stage[task], index = task - job->stage_first[stage];
    const uint32_t old = r->position[task];
    for (uint32_t k = job->read_first[stage]; k < job->read_first[stage + 1]; k++) {
        const uint32_t o = job->read[k].output;
        const struct br_general_output *output = &job->output[o];
        const uint32_t first = job->stage_first[output->stage];
        const uint32_t count = job->stage_first[output->stage + 1] - first;
        if (!matters(job, output) || (!job->read[k].one_to_one && !was_last))
            continue;
        const uint32_t from = job->read[k].one_to_one ? index : 0;
        const uint32_t to = job->read[k].one_to_one ? index + 1 : count;
        for (uint32_t i = from; i < to; i++) {
            const uint32_t now = freed_at(r, o, i);
            if (now == UINT32_MAX || now < old) /* a later one frees it as before */
                move_free(r, output, first + i, old, now);
        }
    }
}

bool br_reserve_start(struct br_reserve *r, uint32_t task, uint32_t machine)
{
    const struct br_general *job = r->job;
    const uint32_t stage = job->task_stage[task];
    const uint32_t next = r->plain[stage] ? next_of_stage(r, stage) : task;
    assert(!r->started[task]);
    if (next != task)
        exchange(r, next, task);
    r->last.task = task;
    r->last.machine = r->machine[task];
    r->last.exchanged = next;
    const bool was_last = last_of_stage(r, stage) == r->position[task];
    r->changes = 0;
    move_holds(r, task, machine);
    r->machine[task] = machine;
    r->started[task] = true;
    move_frees(r, task, was_last);
    bool ok = !r->failed;
    for (uint32_t k = 0; k < r->changes && ok; k++)
        ok = place_holds(r, r->change[k].place);
    if (!ok)
        br_reserve_back(r);
    return ok;
}

void br_reserve_back(struct br_reserve *r)
{
    const uint32_t task = r->last.task, stage = r->job->task_stage[task];
    while (r->changes)
        reserve_apply(r, &r->change[--r->changes], -1);
    r->started[task] = false;
    r->machine[task] = r->last.machine;
    /* The ends of ranges may have moved past the task. */
    if (r->end[stage] <= r->at_number[task])
        r->end[stage] = r->at_number[task] + 1;
    if (r->begin[stage] > r->at_number[task])
        r->begin[stage] = r->at_number[task];
    if (r->last.exchanged != task)
        exchange(r, r->last.exchanged, task);
}

/* ---- For those that run what was planned ---- */

bool br_reserve_again(struct br_reserve *r, uint32_t task, const bool *gone)
{
    const struct br_general *job = r->job;
    uint32_t *order = br_malloc(2 * ((size_t)job->tasks + 1) * sizeof *order);
    uint32_t used = 0;
    if (!order)
        return false;
    uint32_t *before = order + job->tasks;
    r->again = true;
    r->gone = gone;
    for (uint32_t t = 0; t < job->tasks; t++) {
        before[r->position[t]] = t;
        r->started[t] |= gone && gone[t];
    }
    if (task != UINT32_MAX)
        r->started[task] = false;
    for (uint32_t k = 0; k < job->tasks; k++)
        if (r->started[before[k]])
            order[used++] = before[k];
    if (task != UINT32_MAX)
        order[used++] = task;
    for (uint32_t k = 0; k < job->tasks; k++)
        if (!r->started[before[k]] && before[k] != task)
            order[used++] = before[k];
    assert(used == job->tasks);
    list_stages(r, order);
    r->nodes = 1;
    memset(r->root, 0, r->places * sizeof *r->root);
    memset(r->base, 0, r->places * sizeof *r->base);
    fill_trees(r);
    br_free(order);
    return !r->failed;
}

void br_reserve_put(struct br_reserve *r, uint32_t task, uint32_t machine)
{
    r->machine[task] = machine;
    r->started[task] = true;
}

int64_t br_reserve_base(const struct br_reserve *r, uint32_t place)
{
    return r->base[place];
}

int64_t br_reserve_most(const struct br_reserve *r, uint32_t place)
{
    return larger(r->node[r->root[place]].most, 0);
}
