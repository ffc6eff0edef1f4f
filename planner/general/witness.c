#include "planner/general/witness.h"

#include <assert.h>
#include <float.h>
#include <string.h>

#include "base/collections/index.h"
#include "base/collections/memory.h"
#include "planner/general/walk.h"

enum { STEPS = 6 };        /* towards an order that holds little */
enum { STAGE_REACH = 64 }; /* tasks of one stage among which these are looked for */
enum { LARGE = 4000 };     /* tasks of a large job */
enum { STAGE_TASKS = 8 };  /* ready tasks of one stage that are looked at */

/* Which of the tasks that can run is tried first. */
enum rule {
    RULE_TASK,  /* the task that lets least be held more */
    RULE_STAGE, /* stages that have begun; then the stage that lets least be held more as a whole */
    RULE_DEPTH, /* stages that have begun; then the stage that could begin last */
    RULES,
};

struct candidate {
    uint32_t task;
    double first, growth;
    int64_t tail;
    bool frees;
};

/* What has been tried after the first `k` tasks of the order. The tasks that can run there come in
 * an order, so the last tried tells which is next. */
struct choice {
    struct candidate last;
    bool tried;   /* `last` has been */
    uint64_t set; /* the hash of the tasks before */
};

struct witness_search {
    struct br_walk walk;
    enum rule rule;
    uint32_t *opened; /* by stage: the depth at which it could begin */
    uint32_t *order;
    uint32_t depth, deepest;
    struct choice *choice; /* by depth */
    uint32_t *ready;       /* stages with tasks that can run, in no order */
    uint32_t readies;
    uint32_t *ready_number; /* by stage: where it is in `ready`; UINT32_MAX: nowhere */
    uint64_t *dead;         /* hashes of sets, open addressing; 0: empty */
    uint64_t dead_room, deads;
    bool complete; /* no choice was left out */
    bool failed;
    uint32_t stuck;
};

static uint64_t task_hash(uint32_t task)
{
    return br_hash_number((uint64_t)task + 1);
}

static bool is_dead(const struct witness_search *s, uint64_t set)
{
    if (!s->dead_room)
        return false;
    for (uint64_t k = set & (s->dead_room - 1);; k = (k + 1) & (s->dead_room - 1)) {
        if (s->dead[k] == set)
            return true;
        if (!s->dead[k])
            return false;
    }
}

static void bury(struct witness_search *s, uint64_t set)
{
    if (s->deads * 2 >= s->dead_room) {
        const uint64_t room = s->dead_room ? 2 * s->dead_room : 1024;
        uint64_t *old = s->dead, *larger = br_calloc(room, sizeof *larger);
        if (!larger) {
            s->failed = true;
            return;
        }
        const uint64_t before = s->dead_room;
        s->dead = larger;
        s->dead_room = room;
        for (uint64_t k = 0; k < before; k++)
            if (old[k]) {
                uint64_t at = old[k] & (room - 1);
                while (larger[at])
                    at = (at + 1) & (room - 1);
                larger[at] = old[k];
            }
        br_free(old);
    }
    uint64_t at = set & (s->dead_room - 1);
    while (s->dead[at])
        at = (at + 1) & (s->dead_room - 1);
    s->dead[at] = set;
    s->deads++;
}

/* By how much what is held grows until all of the stage has run, as a sum of shares. */
static double stage_growth(const struct br_walk *walk, uint32_t stage)
{
    const struct br_general *job = walk->job;
    double sum = 0;
    for (uint32_t r = 0; r < job->resources; r++) {
        const size_t at = (size_t)stage * job->resources + r;
        if (!job->stored[r])
            continue;
        double limit = (double)walk->limit[br_general_place(job, 0, r)];
        limit *= job->shared[r] ? 1 : job->machines;
        sum += limit > 0 ? walk->left[stage] * (double)(job->made[at] + job->late[at]) / limit : 0;
    }
    for (uint32_t k = job->read_first[stage]; k < job->read_first[stage + 1]; k++) {
        const struct br_general_output *output = &job->output[job->read[k].output];
        const uint32_t r = output->resource;
        if (!output->amount || !job->stored[r])
            continue;
        double limit = (double)walk->limit[br_general_place(job, 0, r)];
        limit *= job->shared[r] ? 1 : job->machines;
        const uint32_t count =
            job->stage_first[output->stage + 1] - job->stage_first[output->stage];
        const uint32_t last = walk->readers[output->first + count - 1]; /* stands for the others */
        sum -= limit > 0 && last == 1 ? count * (double)output->amount / limit : 0;
    }
    return sum;
}

static bool has_begun(const struct witness_search *s, uint32_t stage)
{
    const struct br_general *job = s->walk.job;
    return s->walk.left[stage] < job->stage_first[stage + 1] - job->stage_first[stage];
}

/* What counts first in the order of candidates, by the rule. */
static double first_by_rule(const struct witness_search *s, uint32_t stage)
{
    const bool begun = has_begun(s, stage);
    switch (s->rule) {
    case RULE_STAGE:
        return begun ? -DBL_MAX : stage_growth(&s->walk, stage);
    case RULE_DEPTH:
        return begun ? -DBL_MAX : -(double)s->opened[stage];
    default:
        return 0;
    }
}

/* The candidate that grows least comes first, of equal ones that with most work behind it. */
static bool goes_before(const struct candidate *a, const struct candidate *b)
{
    if (a->first != b->first)
        return a->first < b->first;
    if (a->growth != b->growth)
        return a->growth < b->growth;
    if (a->tail != b->tail)
        return a->tail > b->tail;
    return a->task < b->task;
}

/* Could a task of the stage leave no more behind than it frees? */
static bool may_free(const struct br_walk *walk, uint32_t stage)
{
    const struct br_general *job = walk->job;
    bool makes = false;
    for (uint32_t r = 0; r < job->resources && !makes; r++) {
        const size_t at = (size_t)stage * job->resources + r;
        makes = job->stored[r] && (job->made[at] || job->late[at]);
    }
    if (!makes)
        return true;
    for (uint32_t k = job->read_first[stage]; k < job->read_first[stage + 1]; k++)
        if (job->read[k].one_to_one || walk->left[stage] == 1)
            return true;
    return false;
}

/* Looks at what can run of the stage, for the best behind the last tried. True: it frees. */
static bool look_for_next(struct witness_search *s, uint32_t stage, double first,
                          const struct choice *choice, struct candidate *best)
{
    const struct br_general *job = s->walk.job;
    const uint32_t most = job->plain[stage] ? 1 : STAGE_TASKS;
    const uint32_t begin = s->walk.begin[stage];
    uint32_t looked = 0;
    for (uint32_t t = begin; t < job->stage_first[stage + 1]; t++) {
        const bool ready = br_walk_is_ready(&s->walk, t);
        if ((ready && looked == most) || (looked && t - begin >= STAGE_REACH)) {
            s->complete &= most == 1;
            break;
        }
        if (!ready)
            continue;
        looked++;
        struct candidate c = {.task = t, .first = first, .tail = job->tail[t]};
        if (!br_walk_look(&s->walk, t, &c.growth, &c.frees)) {
            if (s->depth >= s->deepest)
                s->stuck = t;
            continue;
        }
        if (choice->tried && !goes_before(&choice->last, &c))
            continue;
        assert(!c.frees || !choice->tried);
        if (c.frees || best->task == UINT32_MAX || goes_before(&c, best))
            *best = c;
        if (c.frees)
            return true;
    }
    return false;
}

/* On large jobs a plain stage goes on if nothing has changed for others since its last task was
 * chosen: that would be chosen again, but for the order of equal ones. */
static bool goes_on(struct witness_search *s, struct choice *choice)
{
    const struct br_general *job = s->walk.job;
    const uint32_t stage = s->depth ? job->task_stage[s->order[s->depth - 1]] : 0;
    struct candidate best = {.task = UINT32_MAX};
    if (job->tasks < LARGE || choice->tried || !s->depth || !job->plain[stage] ||
        !s->walk.left[stage])
        return false;
    s->complete = false;
    look_for_next(s, stage, first_by_rule(s, stage), choice, &best);
    if (best.task == UINT32_MAX)
        return false;
    choice->last = best;
    choice->tried = true;
    return true;
}

/* The next task to try; one alone if it frees. False: there is none. */
static bool next_candidate(struct witness_search *s, struct choice *choice)
{
    struct candidate best = {.task = UINT32_MAX};
    if (choice->tried && choice->last.frees)
        return false;
    if (goes_on(s, choice))
        return true;
    for (uint32_t k = 0; k < s->readies; k++) {
        const uint32_t stage = s->ready[k];
        /* Others can neither free nor come first. */
        const bool frees = !choice->tried && may_free(&s->walk, stage);
        if (best.task != UINT32_MAX && best.first == -DBL_MAX && !frees && !has_begun(s, stage))
            continue;
        const double first = first_by_rule(s, stage);
        if (best.task != UINT32_MAX && best.first < first && !frees)
            continue;
        if (look_for_next(s, stage, first, choice, &best))
            break;
    }
    if (best.task == UINT32_MAX)
        return false;
    choice->last = best;
    choice->tried = true;
    return true;
}

/* Keeps the list of stages with tasks that can run. */
static void look_at_stage(struct witness_search *s, uint32_t stage, bool down)
{
    const bool open = s->walk.free[stage] && !s->walk.waits[stage];
    uint32_t *number = &s->ready_number[stage];
    if (open && *number == UINT32_MAX) {
        *number = s->readies;
        if (down) /* what is taken back had been open since before */
            s->opened[stage] = s->depth;
        s->ready[s->readies++] = stage;
    } else if (!open && *number != UINT32_MAX) {
        const uint32_t moved = s->ready[--s->readies];
        s->ready[*number] = moved;
        s->ready_number[moved] = *number;
        *number = UINT32_MAX;
    }
}

static void look_around(struct witness_search *s, uint32_t task, bool down)
{
    const struct br_general *job = s->walk.job;
    const uint32_t stage = job->task_stage[task];
    look_at_stage(s, stage, down);
    for (uint32_t a = job->child_first[stage]; a < job->child_first[stage + 1]; a++)
        look_at_stage(s, job->child[a].stage, down);
}

static bool search_init(struct witness_search *s, const struct br_general *job, uint32_t *order,
                        double share)
{
    s->order = order;
    s->complete = true;
    s->stuck = UINT32_MAX;
    s->opened = br_calloc((size_t)job->stages + 1, sizeof *s->opened);
    s->choice = br_calloc((size_t)job->tasks + 1, sizeof *s->choice);
    s->ready = br_malloc(((size_t)job->stages + 1) * sizeof *s->ready);
    s->ready_number = br_malloc(((size_t)job->stages + 1) * sizeof *s->ready_number);
    if (!br_walk_init(&s->walk, job) || !s->opened || !s->choice || !s->ready || !s->ready_number)
        return false;
    for (uint32_t p = 0; p < (job->machines + 1) * job->resources; p++)
        if (job->stored[p % job->resources])
            s->walk.limit[p] = (int64_t)(share * (double)s->walk.limit[p]);
    for (uint32_t k = 0; k < job->stages; k++)
        s->ready_number[k] = UINT32_MAX;
    for (uint32_t k = 0; k < job->stages; k++)
        look_at_stage(s, k, true);
    return true;
}

static void search_finish(struct witness_search *s)
{
    br_walk_finish(&s->walk);
    br_free(s->opened);
    br_free(s->choice);
    br_free(s->ready);
    br_free(s->ready_number);
    br_free(s->dead);
}

static void step(struct witness_search *s, const struct candidate *c)
{
    const uint64_t set = s->choice[s->depth].set;
    br_walk_run(&s->walk, c->task, br_walk_machine(&s->walk, c->task));
    s->order[s->depth++] = c->task;
    s->choice[s->depth] = (struct choice){.set = set ^ task_hash(c->task)};
    look_around(s, c->task, true);
}

static void step_back(struct witness_search *s)
{
    const uint32_t task = s->order[--s->depth];
    br_walk_back(&s->walk, task);
    look_around(s, task, false);
}

/* Runs the first tasks of the witness where it has them. False: one comes before its parents. */
static bool step_over(struct witness_search *s, const struct br_witness *witness, uint32_t begun)
{
    for (uint32_t k = 0; k < begun; k++) {
        const uint32_t task = witness->order[k];
        const uint64_t set = s->choice[k].set;
        if (!br_walk_is_ready(&s->walk, task))
            return false;
        br_walk_run(&s->walk, task, witness->machine[task]);
        s->depth++;
        s->choice[s->depth].set = set ^ task_hash(task);
        look_around(s, task, true);
    }
    return true;
}

/* A task holds no less while it runs than what it leaves: unless outputs appear at the end, the
 * cluster changes, or a task that takes no time needs no room. */
bool br_witness_is_needed(const struct br_general *job)
{
    for (uint32_t o = 0; o < job->outputs; o++)
        if (job->output[o].from_end && job->output[o].amount)
            return false;
    for (uint32_t t = 0; t < job->tasks; t++)
        if (!job->duration[t])
            return false;
    return !job->calendar;
}

/* What an order may take beside the work allowed; less for one that is not needed. */
static uint64_t enough_for_one(const struct br_general *job, double share)
{
    return job->tasks *
           ((share < 1 ? 4 : 16) + (job->stored_on_machines ? (uint64_t)job->machines : 0));
}

/* Finds an order within this share of the capacities, whose first tasks are given. */
static enum br_witness_answer find_by_rule(const struct br_general *job, enum rule rule,
                                           double share, uint32_t begun, uint64_t work,
                                           const struct br_stop *stop, struct br_witness *witness,
                                           uint32_t *stuck)
{
    struct witness_search s = {.rule = rule};
    enum br_witness_answer answer = BR_WITNESS_UNKNOWN;
    if (!search_init(&s, job, witness->order, share))
        s.failed = true;
    const bool in_order = !s.failed && step_over(&s, witness, begun);
    while (in_order && !s.failed) {
        if (s.depth == job->tasks) {
            answer = BR_WITNESS_FOUND;
            memcpy(witness->machine, s.walk.machine, job->tasks * sizeof *witness->machine);
            break;
        }
        struct choice *choice = &s.choice[s.depth];
        bool down = false;
        while (!down && next_candidate(&s, choice)) {
            const struct candidate c = choice->last;
            if (s.depth > s.deepest)
                s.deepest = s.depth;
            if (is_dead(&s, choice->set ^ task_hash(c.task)))
                continue;
            step(&s, &c);
            down = true;
        }
        if (down)
            continue;
        if (s.depth > s.deepest)
            s.deepest = s.depth;
        if (s.walk.work > work + enough_for_one(job, share) || br_stopped(stop))
            break;
        bury(&s, choice->set | (choice->set == 0));
        if (s.depth == begun) {
            /* Sets are told apart by 64 bits, and machines are chosen by a rule. */
            answer = s.complete && job->machines == 1 && br_witness_is_needed(job)
                         ? BR_WITNESS_NONE
                         : BR_WITNESS_UNKNOWN;
            break;
        }
        step_back(&s);
    }
    if (s.failed)
        answer = BR_WITNESS_MEMORY;
    if (stuck)
        *stuck = s.stuck;
    search_finish(&s);
    return answer;
}

static enum br_witness_answer find_any(const struct br_general *job, uint32_t begun, uint64_t work,
                                       const struct br_stop *stop, struct br_witness *witness,
                                       uint32_t *stuck)
{
    enum br_witness_answer answer = BR_WITNESS_UNKNOWN;
    /* Each rule gets a short search, then each a long one. */
    for (uint64_t part = 64; part > 0; part = part > 1 ? 1 : 0)
        for (enum rule rule = 0; rule < RULES; rule++) {
            answer = find_by_rule(job, rule, 1, begun, work / part / RULES, stop, witness, stuck);
            if (answer != BR_WITNESS_UNKNOWN || br_stopped(stop))
                return answer;
        }
    return answer;
}

enum br_witness_answer br_witness_find(const struct br_general *job, uint64_t work,
                                       const struct br_stop *stop, struct br_witness *witness,
                                       uint32_t *stuck)
{
    enum br_witness_answer answer = find_any(job, 0, work, stop, witness, stuck);
    struct br_witness lower = {br_malloc(((size_t)job->tasks + 1) * sizeof *lower.order),
                               br_malloc(((size_t)job->tasks + 1) * sizeof *lower.machine)};
    if (!lower.order || !lower.machine)
        answer = BR_WITNESS_MEMORY;
    /* The less the witness holds, the more may start beside it: halves what is not known yet. */
    double least = 0, most = 1;
    for (int k = 0; k < STEPS && answer == BR_WITNESS_FOUND && !br_stopped(stop); k++) {
        const double share = (least + most) / 2;
        enum br_witness_answer found = BR_WITNESS_UNKNOWN;
        for (enum rule rule = 0; rule < RULES && found != BR_WITNESS_FOUND; rule++)
            found = find_by_rule(job, rule, share, 0, work / 64 / RULES, stop, &lower, NULL);
        if (found == BR_WITNESS_FOUND) {
            memcpy(witness->order, lower.order, job->tasks * sizeof *lower.order);
            memcpy(witness->machine, lower.machine, job->tasks * sizeof *lower.machine);
            most = share;
        } else {
            least = share;
        }
    }
    br_free(lower.order);
    br_free(lower.machine);
    return answer;
}

enum br_witness_answer br_witness_go_on(const struct br_general *job, uint32_t begun, uint64_t work,
                                        struct br_witness *witness)
{
    return find_any(job, begun, work, NULL, witness, NULL);
}
