/* How late each task may be if the plan's order is kept. This is the order of the job and, on every
 * machine, the order in which tasks hand on their room. A task takes room that has been free from
 * the start, then that of the tasks that ended longest ago, if nobody has taken it since. So room
 * is a flow from task to task [ArtiguesMichelonReusser03], and schedules that keep its arcs are
 * feasible whatever the times are [PolicellaCestaOddiSmith07]. Both fix an order of their own; here
 * it is "longest ago first", which leaves long pauses between the tasks of an arc. The latest
 * starts follow backwards along the arcs.
 *
 * On each machine the tasks stand by their ends. For every resource a machine remembers the task
 * whose room is handed on at present, and how much of that is left. */
#include <bigrocks/plan.h>

#include <inttypes.h>

#include "base/collections/csr.h"
#include "base/collections/grow.h"
#include "base/collections/memory.h"
#include "base/collections/sort.h"
#include "base/text/diag.h"
#include "planner/instance/instance.h"
#include "planner/instance/plan.h"

/* The task whose room of one resource of one machine is handed on. */
struct giver {
    uint32_t
        place; /* 0: room that was free from the start; else the task at place - 1 of the machine */
    int64_t left;
};

/* The least over the tasks of a stage, or over the stages that wait for all of it. */
struct least {
    int64_t late, start; /* the latest start, and the start in the plan */
};

struct slack_pass {
    const struct br_plan *plan;
    const struct br_instance *in;
    uint32_t *first;     /* by machine, machines + 1: its places in by_end */
    uint32_t *by_end;    /* tasks, by machine, then by end */
    struct giver *giver; /* [machine * resources + resource] */
    uint32_t *arc_first; /* by rank, tasks + 1 */
    uint32_t *arc;       /* the task that hands room on to the one of that rank */
    uint32_t arcs, room;
    struct least *stage;  /* by stage: over its tasks */
    struct least *behind; /* by stage: over the stages behind barriers */
    bool *looked;         /* by stage: behind is known */
    struct br_task_slack *slack;
};

static bool model_slack_init(struct slack_pass *p, const struct br_plan *plan,
                             const struct br_instance *in, struct br_task_slack *slack)
{
    const size_t tasks = plan->tasks, machines = in->machines;
    *p = (struct slack_pass){
        .plan = plan,
        .in = in,
        .slack = slack,
        .first = br_calloc(br_csr_room(in->machines), sizeof *p->first),
        .by_end = br_malloc((tasks + 1) * sizeof *p->by_end),
        .giver = br_calloc(machines * in->resources + 1, sizeof *p->giver),
        .arc_first = br_malloc((tasks + 1) * sizeof *p->arc_first),
        .stage = br_malloc(in->stages * sizeof *p->stage),
        .behind = br_malloc(in->stages * sizeof *p->behind),
        .looked = br_calloc(in->stages, sizeof *p->looked),
    };
    return p->first && p->by_end && p->giver && p->arc_first && p->stage && p->behind && p->looked;
}

static void model_slack_finish(struct slack_pass *p)
{
    br_free(p->first);
    br_free(p->by_end);
    br_free(p->giver);
    br_free(p->arc_first);
    br_free(p->arc);
    br_free(p->stage);
    br_free(p->behind);
    br_free(p->looked);
}

/* The tasks of each machine by their ends, those that end together by rank. */
static bool model_slack_sort_ends(struct slack_pass *p)
{
    const struct br_plan *plan = p->plan;
    struct br_sort_item *item = br_malloc(2 * (size_t)plan->tasks * sizeof *item);
    if (!item)
        return false;
    for (uint32_t k = 0; k < plan->tasks; k++)
        item[k] = (struct br_sort_item){br_sort_key(plan->end_ns[plan->order[k]]), plan->order[k]};
    br_sort(item, item + plan->tasks, plan->tasks);
    for (uint32_t t = 0; t < plan->tasks; t++)
        br_csr_count(p->first, plan->machine[t]);
    br_csr_sum(p->first, p->in->machines);
    for (uint32_t k = 0; k < plan->tasks; k++)
        p->by_end[br_csr_place(p->first, plan->machine[item[k].item])] = item[k].item;
    br_free(item);
    return true;
}

static int64_t demand(const struct slack_pass *p, uint32_t task, uint32_t resource)
{
    if (p->plan->start_ns[task] >= p->plan->end_ns[task])
        return 0; /* without duration it holds nothing */
    return p->in->demand[(size_t)p->in->task_stage[task] * p->in->resources + resource];
}

static bool add_arc(struct slack_pass *p, uint32_t rank, uint32_t from)
{
    if (p->arcs > p->arc_first[rank] && p->arc[p->arcs - 1] == from)
        return true; /* one task hands on another resource, too */
    if (!br_grow(&p->arc, p->arcs, &p->room, sizeof *p->arc))
        return false;
    p->arc[p->arcs++] = from;
    return true;
}

/* Takes room for the task. A plan of a file that does not hold may have less than it takes. */
static bool model_slack_take_room(struct slack_pass *p, uint32_t rank, uint32_t task)
{
    const struct br_plan *plan = p->plan;
    const uint32_t m = plan->machine[task], *run = p->by_end + p->first[m];
    const uint32_t places = p->first[m + 1] - p->first[m];
    for (uint32_t r = 0; r < p->in->resources; r++) {
        struct giver *giver = &p->giver[(size_t)m * p->in->resources + r];
        int64_t wanted = demand(p, task, r);
        while (wanted > 0) {
            const int64_t taken = giver->left < wanted ? giver->left : wanted;
            if (taken > 0 && giver->place > 0 && !add_arc(p, rank, run[giver->place - 1]))
                return false;
            giver->left -= taken;
            wanted -= taken;
            if (wanted == 0)
                break;
            if (giver->place == places || plan->end_ns[run[giver->place]] > plan->start_ns[task])
                break;
            giver->left = demand(p, run[giver->place++], r);
        }
    }
    return true;
}

/* All arcs over machines, by the rank of the task that waits. */
static bool model_slack_hand_on(struct slack_pass *p)
{
    const struct br_instance *in = p->in;
    for (uint32_t m = 0; m < in->machines; m++)
        for (uint32_t r = 0; r < in->resources; r++)
            p->giver[(size_t)m * in->resources + r] = (struct giver){
                0, in->capacity[(size_t)br_instance_machine_class(in, m) * in->resources + r]};
    for (uint32_t k = 0; k < in->tasks; k++) {
        p->arc_first[k] = p->arcs;
        if (!model_slack_take_room(p, k, p->plan->order[k]))
            return false;
    }
    p->arc_first[in->tasks] = p->arcs;
    return true;
}

/* In a plan of a file a task may end before it starts. */
static int64_t model_slack_end_of(const struct br_plan *plan, uint32_t task)
{
    const int64_t start = plan->start_ns[task], end = plan->end_ns[task];
    return end > start ? end : start;
}

static void lower(int64_t *value, int64_t to)
{
    *value = to < *value ? to : *value;
}

/* The task has to end before another one, which starts at `start` and may start as late as
 * `late`. */
static void precede(const struct slack_pass *p, uint32_t task, int64_t late, int64_t start)
{
    const int64_t end = model_slack_end_of(p->plan, task);
    lower(&p->slack[task].total_ns, late - end);
    lower(&p->slack[task].free_ns, start - end);
}

static void precede_children(struct slack_pass *p, uint32_t task)
{
    const struct br_instance *in = p->in;
    const uint32_t s = in->task_stage[task], index = task - in->stage_first[s];
    struct least *behind = &p->behind[s];
    for (uint32_t a = in->child_first[s]; a < in->child_first[s + 1]; a++) {
        const struct br_arc *arc = &in->child[a];
        if (arc->one_to_one) {
            const uint32_t child = in->stage_first[arc->stage] + index;
            const int64_t start = p->plan->start_ns[child];
            precede(p, task, start + p->slack[child].total_ns, start);
        } else if (!p->looked[s]) {
            lower(&behind->late, p->stage[arc->stage].late);
            lower(&behind->start, p->stage[arc->stage].start);
        }
    }
    p->looked[s] = true;
    precede(p, task, behind->late, behind->start);
}

/* Transfers do not move. They count by their starts: their bytes have to be there when they
 * start. */
static bool precede_transfers(struct slack_pass *p)
{
    const struct br_transfers *all = &p->plan->carried;
    const struct br_instance *in = p->in;
    struct br_sort_item *item = br_malloc((2 * (size_t)all->transfers + 1) * sizeof *item);
    uint32_t count = 0;
    if (!item)
        return false;
    for (uint32_t k = 0; k < all->transfers; k++) {
        const struct br_transfer *x = &all->transfer[k];
        const uint32_t first = in->stage_first[x->parent];
        const int64_t start = br_transfer_start(all, k);
        if (x->index == BR_TRANSFER_ALL)
            item[count++] = (struct br_sort_item){(uint64_t)x->parent << 32 | x->from, k};
        else if (x->index < in->stage_first[x->parent + 1] - first)
            precede(p, first + x->index, start, start);
    }
    br_sort(item, item + all->transfers, count);
    for (uint32_t t = 0; t < in->tasks && count; t++) {
        const uint64_t key = (uint64_t)in->task_stage[t] << 32 | p->plan->machine[t];
        uint32_t low = 0, high = count;
        while (low < high) {
            const uint32_t middle = low + (high - low) / 2;
            if (item[middle].key < key)
                low = middle + 1;
            else
                high = middle;
        }
        if (low < count && item[low].key == key)
            precede(p, t, br_transfer_start(all, item[low].item),
                    br_transfer_start(all, item[low].item));
    }
    br_free(item);
    return true;
}

/* From the last task to the first, so every task comes after all that wait for it. */
static void look_back(struct slack_pass *p)
{
    const struct br_plan *plan = p->plan;
    for (uint32_t s = 0; s < p->in->stages; s++)
        p->stage[s] = p->behind[s] = (struct least){plan->makespan_ns, plan->makespan_ns};
    for (uint32_t k = p->in->tasks; k-- > 0;) {
        const uint32_t t = plan->order[k], s = p->in->task_stage[t];
        struct br_task_slack *slack = &p->slack[t];
        precede_children(p, t);
        if (slack->total_ns < 0) /* in a plan that does not hold */
            slack->total_ns = 0;
        if (slack->free_ns < 0)
            slack->free_ns = 0;
        const int64_t start = plan->start_ns[t], late = start + slack->total_ns;
        lower(&p->stage[s].late, late);
        lower(&p->stage[s].start, start);
        for (uint32_t a = p->arc_first[k]; a < p->arc_first[k + 1]; a++)
            precede(p, p->arc[a], late, start);
    }
}

enum br_status br_plan_slack(const struct br_plan *plan, const struct br_dag *dag,
                             const struct br_cluster *cluster, struct br_task_slack *slack,
                             struct br_diag *diag)
{
    BR_NEED(diag, plan, dag, cluster, slack);
    struct br_instance *in;
    struct slack_pass p;
    if (plan->tasks != dag->tasks)
        return br_fail(diag, BR_USAGE, "give the job that was planned",
                       "the plan has %" PRIu32 " tasks, the job has %" PRIu32, plan->tasks,
                       dag->tasks);
    enum br_status status = br_instance_create(dag, cluster, &in, diag);
    if (status)
        return status;
    for (uint32_t t = 0; t < plan->tasks; t++) {
        const int64_t most = plan->makespan_ns - model_slack_end_of(plan, t);
        slack[t] = (struct br_task_slack){most, most};
    }
    bool ok = model_slack_init(&p, plan, in, slack) && model_slack_sort_ends(&p) &&
              model_slack_hand_on(&p) && precede_transfers(&p);
    if (ok)
        look_back(&p);
    else
        status = br_fail_memory(diag);
    model_slack_finish(&p);
    br_instance_destroy(in);
    return status;
}
