/* Discrete events: tasks and transfers end, others become ready, machines start what fits. */
#include "planner/network/haul.h"

#include <assert.h>
#include <string.h>

#include "base/collections/csr.h"
#include "base/collections/heap.h"
#include "base/collections/memory.h"

static bool haul_before(const void *none, const struct br_haul_end *a, const struct br_haul_end *b)
{
    (void)none;
    return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->task < b->task;
}

BR_HEAP(end, struct br_haul_end, const void *, haul_before, 4)

bool br_haul_init(struct br_haul *haul, const struct br_network_job *job)
{
    size_t tasks = job->dag->tasks, machines = job->cluster->machines;
    *haul = (struct br_haul){.job = job};
    haul->start_ns = br_malloc(tasks * sizeof *haul->start_ns);
    haul->position = br_malloc(tasks * sizeof *haul->position);
    haul->row_first = br_malloc(br_csr_room((uint32_t)machines) * sizeof *haul->row_first);
    haul->row = br_malloc(tasks * sizeof *haul->row);
    haul->ready = br_malloc(machines * sizeof *haul->ready);
    haul->is_ready = br_malloc(tasks * sizeof *haul->is_ready);
    haul->room = br_malloc((machines * job->in->resources + 1) * sizeof *haul->room);
    haul->dirty = br_malloc(machines * sizeof *haul->dirty);
    haul->is_dirty = br_malloc(machines * sizeof *haul->is_dirty);
    haul->end = br_malloc(tasks * sizeof *haul->end);
    bool supplied = br_supply_init(&haul->supply, job);
    bool flowing =
        br_flows_init(&haul->flows, &(struct br_ports){(uint32_t)machines, job->up, job->down});
    return supplied && flowing && haul->start_ns && haul->position && haul->row_first &&
           haul->row && haul->ready && haul->is_ready && haul->room && haul->dirty &&
           haul->is_dirty && haul->end;
}

void br_haul_finish(struct br_haul *haul)
{
    br_supply_finish(&haul->supply);
    br_flows_finish(&haul->flows);
    br_free(haul->start_ns);
    br_free(haul->position);
    br_free(haul->row_first);
    br_free(haul->row);
    br_free(haul->ready);
    br_free(haul->is_ready);
    br_free(haul->room);
    br_free(haul->dirty);
    br_free(haul->is_dirty);
    br_free(haul->end);
    *haul = (struct br_haul){0};
}

static void haul_touch(struct br_haul *haul, uint32_t machine)
{
    if (!haul->is_dirty[machine])
        haul->dirty[haul->dirties++] = machine;
    haul->is_dirty[machine] = true;
}

/* The task's inputs are there. */
static void haul_make_ready(void *context, uint32_t task)
{
    struct br_haul *haul = context;
    const struct br_haul_course *course = haul->course;
    uint32_t m = course->machine[task];
    assert(!haul->is_ready[task]);
    haul->is_ready[task] = true;
    haul_touch(haul, m);
    if (course->strict)
        return;
    uint32_t *list = haul->row + haul->row_first[m], low = 0, high = haul->ready[m]++;
    uint32_t count = high;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (haul->position[list[middle]] < haul->position[task])
            low = middle + 1;
        else
            high = middle;
    }
    memmove(&list[low + 1], &list[low], (count - low) * sizeof *list);
    list[low] = task;
}

/* The least position of a group's tasks: members are by number, not by position. */
static uint64_t group_key(const struct br_haul *haul, uint32_t group)
{
    const struct br_network_group *g = &haul->supply.wiring.group[group];
    uint32_t least = UINT32_MAX;
    for (uint32_t k = g->first; k < g->first + g->tasks; k++)
        if (haul->position[haul->supply.wiring.member[k]] < least)
            least = haul->position[haul->supply.wiring.member[k]];
    return least;
}

static void haul_begin_wire(void *context, uint32_t wire)
{
    struct br_haul *haul = context;
    const struct br_wire *w = &haul->supply.wiring.wire[wire];
    bool pair = haul->job->dag->edge[w->edge].type == BR_ONE_TO_ONE;
    uint64_t key = 0;
    if (haul->course->sharing == BR_SHARE_PLAN)
        key = pair ? haul->position[w->sink] : group_key(haul, w->sink);
    const struct br_flow flow = {
        .from = w->from, .to = w->to, .coflow = w->edge, .id = wire, .key = key};
    haul->memory = br_flows_add(&haul->flows, &flow, w->bytes, haul->now_ns) && haul->memory;
}

static void haul_end_task(struct br_haul *haul, uint32_t task, const struct br_supply_user *user)
{
    const struct br_instance *in = haul->job->in;
    uint32_t s = in->task_stage[task], m = haul->course->machine[task];
    for (uint32_t r = 0; r < in->resources; r++)
        haul->room[(size_t)m * in->resources + r] += in->demand[(size_t)s * in->resources + r];
    haul_touch(haul, m);
    br_supply_task_ended(&haul->supply, task, user);
}

static bool haul_start_task(struct br_haul *haul, uint32_t task)
{
    const int64_t now_ns = haul->now_ns;
    const struct br_instance *in = haul->job->in;
    uint32_t s = in->task_stage[task], resources = in->resources;
    int64_t *room = &haul->room[(size_t)haul->course->machine[task] * resources];
    const int64_t *demand = &in->demand[(size_t)s * resources];
    for (uint32_t r = 0; r < resources; r++)
        if (demand[r] > room[r])
            return false;
    for (uint32_t r = 0; r < resources; r++)
        room[r] -= demand[r];
    int64_t ends_ns = now_ns + haul->job->dag->duration_ns[task];
    haul->start_ns[task] = now_ns;
    if (ends_ns > haul->makespan_ns)
        haul->makespan_ns = ends_ns;
    end_push(NULL, haul->end, &haul->ends, (struct br_haul_end){ends_ns, task});
    return true;
}

/* Starts what may start on the machine now. */
static void haul_dispatch(struct br_haul *haul, uint32_t m)
{
    uint32_t *list = haul->row + haul->row_first[m];
    uint32_t *count = &haul->ready[m], all = haul->row_first[m + 1] - haul->row_first[m];
    haul->is_dirty[m] = false;
    if (haul->course->strict) {
        while (*count < all && haul->is_ready[list[*count]] && haul_start_task(haul, list[*count]))
            ++*count;
        haul->work++;
        return;
    }
    uint32_t left = 0, refused = UINT32_MAX; /* a stage that does not fit any more */
    for (uint32_t k = 0; k < *count; k++) {
        uint32_t stage = haul->job->in->task_stage[list[k]];
        if (stage != refused && haul_start_task(haul, list[k]))
            continue;
        refused = stage;
        list[left++] = list[k];
    }
    haul->work += *count + 1;
    *count = left;
}

/* Everything as it is before the first moment. */
static void haul_begin(struct br_haul *haul)
{
    const struct br_network_job *job = haul->job;
    const struct br_dag *dag = job->dag;
    const struct br_haul_course *course = haul->course;
    uint32_t machines = job->cluster->machines, resources = job->in->resources;
    haul->makespan_ns = 0;
    haul->ends = haul->dirties = 0;
    haul->memory = true;
    memset(haul->is_ready, 0, dag->tasks * sizeof *haul->is_ready);
    memset(haul->is_dirty, 0, machines * sizeof *haul->is_dirty);
    memset(haul->ready, 0, machines * sizeof *haul->ready);
    memset(haul->row_first, 0, br_csr_room(machines) * sizeof *haul->row_first);
    for (uint32_t t = 0; t < dag->tasks; t++)
        br_csr_count(haul->row_first, course->machine[t]);
    br_csr_sum(haul->row_first, machines);
    for (uint32_t m = 0; m < machines; m++)
        memcpy(&haul->room[(size_t)m * resources],
               &job->in->capacity[(size_t)job->machine_class[m] * resources],
               resources * sizeof *haul->room);
    for (uint32_t k = 0; k < dag->tasks; k++) {
        uint32_t t = course->sequence[k], at = br_csr_place(haul->row_first, course->machine[t]);
        haul->position[t] = k;
        if (course->strict)
            haul->row[at] = t;
    }
}

enum br_status br_haul_run(struct br_haul *haul, const struct br_haul_course *course)
{
    const struct br_supply_user user = {haul, haul_begin_wire, haul_make_ready};
    uint32_t left = haul->job->dag->tasks;
    haul->course = course;
    haul->now_ns = 0;
    br_flows_clear(&haul->flows, course->sharing, course->record);
    haul->flows.work = 0;
    haul_begin(haul);
    enum br_status status = br_supply_begin(&haul->supply, course->machine, &user);
    if (status)
        return status;
    haul->work += haul->job->dag->tasks / 4 + haul->supply.wiring.wires / 4;
    for (;;) {
        while (haul->dirties)
            haul_dispatch(haul, haul->dirty[--haul->dirties]);
        haul->memory = haul->memory && br_flows_share(&haul->flows, haul->now_ns);
        if (!haul->memory || haul->makespan_ns >= course->limit_ns)
            break;
        int64_t next_ns = haul->flows.next_ns;
        if (haul->ends && haul->end[0].at_ns < next_ns)
            next_ns = haul->end[0].at_ns;
        if (next_ns >= BR_TICKS_MAX)
            break;
        haul->now_ns = next_ns;
        while (haul->ends && haul->end[0].at_ns == haul->now_ns) {
            haul_end_task(haul, end_pop(NULL, haul->end, &haul->ends).task, &user);
            left--;
        }
        struct br_flow flow;
        while (br_flows_pop(&haul->flows, haul->now_ns, &flow, &haul->memory))
            br_supply_wire_ended(&haul->supply, flow.id, &user);
    }
    haul->work += haul->flows.work;
    if (!haul->memory)
        return BR_SYSTEM;
    if (haul->makespan_ns < course->limit_ns)
        return left ? BR_NO : BR_OK;
    haul->makespan_ns = BR_NETWORK_NEVER;
    return BR_OK;
}
