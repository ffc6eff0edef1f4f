/* What tasks and their outputs hold, over time, against what there is.
 *
 * A place is a machine, or what all machines share. One sweep over each place goes through the
 * begins and ends of what is held there, ends first if times are equal, since a task holds its
 * demands from its start up to but not including its end, and so it is with outputs. Where
 * capacities change, the sweep goes through the changes, too. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/collections/csr.h"
#include "base/collections/memory.h"
#include "base/collections/sort.h"
#include "planner/check/amounts.h"
#include "planner/check/steps.h"
#include "planner/check/verify.h"

/* Who holds the most at a fault takes a pass to find, so only some faults of a sweep name them. */
enum { NAMED_FAULTS = 100 };

/* What a task holds: below the number of stages, `what` means the demands of this stage; above,
 * the output of the number behind. */
struct held {
    uint32_t task, what;
};

struct holds {
    struct br_plan_check *check;
    struct br_check_amounts amounts;
    int64_t *until;        /* when outputs are no longer held, in rows of tasks by output */
    uint64_t *until_first; /* the row of each output */
    struct held *held;
    uint32_t *row; /* by place, in `held`; what is shared comes behind the machines */
    struct br_sort_item *item;
    br_wide *load;
    struct br_capacity_steps steps;
    br_wide *changing; /* the capacities of a place where they change */
};

/* One place under the sweep. */
struct place {
    uint32_t machine; /* the number of machines: what is shared */
    bool shared;
    const struct held *held;
    uint32_t count;
    const br_wide *capacity; /* by resource */
    uint32_t named;
};

static uint32_t output_of(const struct holds *holds, const struct held *held)
{
    return held->what - holds->check->dag->stages;
}

/* The demands that a task holds: from the first to before the end, of its stage or, if the job has
 * alternatives, of that by which it runs. */
struct run {
    uint32_t first, end;
};

static struct run demands_of(const struct holds *holds, const struct held *held)
{
    const struct br_dag *dag = holds->check->dag;
    const struct br_stage *stage = &dag->stage[held->what];
    if (!dag->alternatives)
        return (struct run){stage->first_demand, stage->first_demand + stage->demands};
    const struct br_alternative *way =
        &dag->alternatives
             ->alternative[br_plan_way(holds->check->plan, dag, held->what, held->task)];
    return (struct run){way->first_demand, way->first_demand + way->demands};
}

static uint32_t demand_resource(const struct br_dag *dag, uint32_t demand)
{
    return dag->alternatives ? dag->alternatives->demand[demand].resource
                             : dag->demand[demand].resource;
}

static br_wide demand_amount(const struct holds *holds, uint32_t demand)
{
    return holds->amounts.way ? holds->amounts.way[demand] : holds->amounts.demand[demand];
}

static bool is_output(const struct holds *holds, const struct held *held)
{
    return held->what >= holds->check->dag->stages;
}

static int64_t held_from(const struct holds *holds, const struct held *held)
{
    const struct br_plan *plan = holds->check->plan;
    if (!is_output(holds, held))
        return plan->start_ns[held->task];
    const struct br_output *output = &holds->check->dag->storage->output[output_of(holds, held)];
    return output->flags & BR_OUTPUT_FROM_END ? plan->end_ns[held->task]
                                              : plan->start_ns[held->task];
}

static int64_t held_until(const struct holds *holds, const struct held *held)
{
    if (!is_output(holds, held))
        return holds->check->plan->end_ns[held->task];
    const struct br_dag *dag = holds->check->dag;
    const uint32_t output = output_of(holds, held);
    const uint32_t first = dag->stage[dag->storage->output[output].stage].first_task;
    return holds->until[holds->until_first[output] + held->task - first];
}

/* ---- Until when outputs are held ---- */

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Last ends by stage, and of all in the last entry. */
static void find_last_ends(const struct br_plan_check *check, int64_t *last)
{
    const struct br_dag *dag = check->dag;
    last[dag->stages] = 0;
    for (uint32_t s = 0; s < dag->stages; s++) {
        const struct br_stage *stage = &dag->stage[s];
        last[s] = check->plan->end_ns[stage->first_task];
        for (uint32_t i = 1; i < stage->tasks; i++)
            last[s] = later(last[s], check->plan->end_ns[stage->first_task + i]);
        last[dag->stages] = later(last[dag->stages], last[s]);
    }
}

/* The row of one output: by the last reader of each task's. */
static void find_until(const struct br_plan_check *check, const int64_t *last, uint32_t output,
                       int64_t *until)
{
    const struct br_dag *dag = check->dag;
    const struct br_storage *storage = dag->storage;
    const struct br_stage *maker = &dag->stage[storage->output[output].stage];
    const int64_t *end = check->plan->end_ns;
    const bool result = br_output_is_result(storage, output);
    for (uint32_t i = 0; i < maker->tasks; i++)
        until[i] = result ? last[dag->stages] : end[maker->first_task + i];
    for (uint32_t k = storage->output_first[output]; k < storage->output_first[output + 1]; k++) {
        const struct br_edge *edge = &dag->edge[storage->readers[k]];
        const uint32_t first = dag->stage[edge->child].first_task;
        for (uint32_t i = 0; i < maker->tasks; i++)
            until[i] =
                later(until[i], edge->type == BR_BARRIER ? last[edge->child] : end[first + i]);
    }
}

static enum br_status find_untils(struct holds *holds)
{
    const struct br_dag *dag = holds->check->dag;
    const struct br_storage *storage = dag->storage;
    uint64_t rows = 0;
    if (!storage || !storage->outputs)
        return BR_OK;
    int64_t *last = br_malloc(((size_t)dag->stages + 1) * sizeof *last);
    holds->until_first = br_malloc(((size_t)storage->outputs + 1) * sizeof *holds->until_first);
    for (uint32_t o = 0; holds->until_first && o < storage->outputs; o++) {
        holds->until_first[o] = rows;
        rows += dag->stage[storage->output[o].stage].tasks;
    }
    if (rows > UINT32_MAX - 2 * (uint64_t)dag->tasks) {
        br_free(last);
        return br_fail(holds->check->diag, BR_BAD_INPUT, "merge outputs of stages",
                       "the job has %" PRIu64 " outputs, which are too many", rows);
    }
    holds->until = br_malloc((size_t)(rows + 1) * sizeof *holds->until);
    if (!last || !holds->until_first || !holds->until) {
        br_free(last);
        return br_fail_memory(holds->check->diag);
    }
    find_last_ends(holds->check, last);
    for (uint32_t o = 0; o < storage->outputs; o++)
        find_until(holds->check, last, o, holds->until + holds->until_first[o]);
    br_free(last);
    return BR_OK;
}

/* ---- Faults ---- */

/* How much of the resource this holds at the place. */
static br_wide amount_of(const struct holds *holds, const struct place *place,
                         const struct held *held, uint32_t resource)
{
    const struct br_dag *dag = holds->check->dag;
    const struct br_check_amounts *amounts = &holds->amounts;
    if (is_output(holds, held)) {
        const uint32_t output = output_of(holds, held);
        return dag->storage->output[output].resource == resource ? amounts->output[output] : 0;
    }
    const struct run run = demands_of(holds, held);
    br_wide sum = 0;
    for (uint32_t d = run.first; d < run.end; d++)
        if (demand_resource(dag, d) == resource &&
            place->shared == (amounts->shared && amounts->shared[resource]))
            sum += demand_amount(holds, d);
    return sum;
}

/* Words for who holds the resource at that time: the largest output and the number of others. Of
 * what begins then, only what comes up to `last` in the row is there already. If it is NULL, as at
 * a change, nothing that begins then is, and if there are no outputs, a task is named. Empty if
 * nobody is to be named. */
static struct br_check_name name_holders(const struct holds *holds, struct place *place,
                                         uint32_t resource, int64_t at, const struct held *last)
{
    const bool tasks = !last;
    struct br_check_name name = {""}, others = {""};
    const struct br_storage *storage = holds->check->dag->storage;
    const struct held *most[2] = {NULL, NULL};
    br_wide amount[2] = {0, 0};
    uint32_t count[2] = {0, 0};
    if ((!tasks && (!storage || !storage->outputs)) || place->named >= NAMED_FAULTS)
        return name;
    place->named++;
    for (uint32_t k = 0; k < place->count; k++) {
        const struct held *held = &place->held[k];
        const bool output = is_output(holds, held);
        const br_wide has = amount_of(holds, place, held, resource);
        const int64_t from = held_from(holds, held);
        if (has == 0 || from > at || held_until(holds, held) <= at ||
            (from == at && (!last || held > last)))
            continue;
        count[output]++;
        if (has > amount[output]) {
            amount[output] = has;
            most[output] = held;
        }
    }
    const struct held *held = most[1] ? most[1] : tasks ? most[0] : NULL;
    if (!held)
        return name;
    if (count[held == most[1]] > 1)
        snprintf(others.text, sizeof others.text, " and %" PRIu32 " more",
                 count[held == most[1]] - 1);
    if (held == most[1])
        snprintf(name.text, sizeof name.text, ", with the output '%.40s' of %.90s%s",
                 storage->output[output_of(holds, held)].id,
                 br_check_task_name(holds->check, held->task).text, others.text);
    else
        snprintf(name.text, sizeof name.text, ", with task %.120s%s",
                 br_check_task_name(holds->check, held->task).text, others.text);
    return name;
}

static struct br_check_name name_place(const struct holds *holds, const struct place *place)
{
    struct br_check_name name = {"the cluster"};
    if (!place->shared)
        snprintf(name.text, sizeof name.text, "machine %.180s",
                 br_check_machine_name(holds->check, place->machine).text);
    return name;
}

/* The load passes the capacity, when the task that holds this starts (or ends, and leaves it). */
static void report_begin(const struct holds *holds, struct place *place, uint32_t resource,
                         const struct held *held)
{
    const int64_t at = held_from(holds, held);
    const bool ends = is_output(holds, held) && at != holds->check->plan->start_ns[held->task];
    struct br_check_name amount[2];
    br_check_amount_texts(&holds->amounts, holds->check, resource, place->capacity[resource],
                          holds->load[resource], amount);
    br_plan_check_report(
        holds->check, "%s has %s of %s, but holds %s of it when task %s %s at %s s%s",
        name_place(holds, place).text, amount[0].text, holds->check->dag->resource[resource].name,
        amount[1].text, br_check_task_name(holds->check, held->task).text, ends ? "ends" : "starts",
        br_seconds(at).text, name_holders(holds, place, resource, at, held).text);
}

/* The capacity passes below the load. */
static void report_step(const struct holds *holds, struct place *place,
                        const struct br_capacity_step *step)
{
    struct br_check_name amount[2];
    br_check_amount_texts(&holds->amounts, holds->check, step->resource, step->amount,
                          holds->load[step->resource], amount);
    br_plan_check_report(
        holds->check, "%s has only %s of %s from %s s on, but still holds %s of it%s",
        name_place(holds, place).text, amount[0].text,
        holds->check->dag->resource[step->resource].name, br_seconds(step->at_ns).text,
        amount[1].text, name_holders(holds, place, step->resource, step->at_ns, NULL).text);
}

/* ---- The sweep ---- */

static void hold_more(struct holds *holds, struct place *place, const struct held *held,
                      uint32_t resource, br_wide amount)
{
    const bool fitted = holds->load[resource] <= place->capacity[resource];
    holds->load[resource] += amount;
    if (fitted && holds->load[resource] > place->capacity[resource])
        report_begin(holds, place, resource, held);
}

/* Does the place have this resource of those that tasks demand? */
static bool is_here(const struct holds *holds, const struct place *place, uint32_t resource)
{
    return holds->amounts.shared[resource] == place->shared;
}

static void begin_held(struct holds *holds, struct place *place, const struct held *held)
{
    const struct br_dag *dag = holds->check->dag;
    if (is_output(holds, held)) {
        const uint32_t output = output_of(holds, held);
        hold_more(holds, place, held, dag->storage->output[output].resource,
                  holds->amounts.output[output]);
        return;
    }
    const struct run run = demands_of(holds, held);
    const bool all = !holds->amounts.shared;
    for (uint32_t d = run.first; d < run.end; d++)
        if (all || is_here(holds, place, demand_resource(dag, d)))
            hold_more(holds, place, held, demand_resource(dag, d), demand_amount(holds, d));
}

static void end_held(struct holds *holds, const struct place *place, const struct held *held)
{
    const struct br_dag *dag = holds->check->dag;
    if (is_output(holds, held)) {
        const uint32_t output = output_of(holds, held);
        holds->load[dag->storage->output[output].resource] -= holds->amounts.output[output];
        return;
    }
    const struct run run = demands_of(holds, held);
    const bool all = !holds->amounts.shared;
    for (uint32_t d = run.first; d < run.end; d++)
        if (all || is_here(holds, place, demand_resource(dag, d)))
            holds->load[demand_resource(dag, d)] -= demand_amount(holds, d);
}

static void take_step(struct holds *holds, struct place *place, const struct br_capacity_step *step)
{
    const br_wide load = holds->load[step->resource];
    const bool fitted = load <= holds->changing[step->resource];
    holds->changing[step->resource] = step->amount;
    if (fitted && load > step->amount)
        report_step(holds, place, step);
}

/* The time of a step as a key; the last of all if there is no such step. */
static uint64_t step_key(const struct br_capacity_steps *steps, uint32_t k)
{
    return k < steps->count ? br_sort_key(steps->step[k].at_ns) : UINT64_MAX;
}

/* The sweep over one place. Every end comes after its begin, so at the last event nothing is held.
 * `item` has room for three times as many. Steps come behind ends and ahead of begins. */
static void check_place(struct holds *holds, struct place *place)
{
    struct br_sort_item *start = holds->item, *end = start + place->count,
                        *scratch = end + place->count;
    for (uint32_t k = 0; k < place->count; k++) {
        start[k] = (struct br_sort_item){br_sort_key(held_from(holds, &place->held[k])), k};
        end[k] = (struct br_sort_item){br_sort_key(held_until(holds, &place->held[k])), k};
    }
    br_sort(start, scratch, place->count);
    br_sort(end, scratch, place->count);
    uint32_t i = 0, j = 0, k = 0;
    uint64_t next = step_key(&holds->steps, 0);
    while (i < place->count && !br_plan_check_enough(holds->check)) {
        if (end[j].key <= start[i].key && end[j].key <= next) {
            end_held(holds, place, &place->held[end[j++].item]);
        } else if (k < holds->steps.count && next <= start[i].key) {
            take_step(holds, place, &holds->steps.step[k++]);
            next = step_key(&holds->steps, k);
        } else {
            begin_held(holds, place, &place->held[start[i++].item]);
        }
    }
    for (; k < holds->steps.count && !br_plan_check_enough(holds->check); k++) {
        while (j < place->count && end[j].key <= step_key(&holds->steps, k))
            end_held(holds, place, &place->held[end[j++].item]);
        take_step(holds, place, &holds->steps.step[k]);
    }
    memset(holds->load, 0, (size_t)holds->check->dag->resources * sizeof *holds->load);
}

/* ---- Rows ---- */

/* Counts this in the row of its place, or puts it there. */
static void add_held(struct holds *holds, uint32_t place, struct held held, bool count)
{
    if (count)
        br_csr_count(holds->row, place);
    else
        holds->held[br_csr_place(holds->row, place)] = held;
}

static void add_outputs(struct holds *holds, uint32_t stage, uint32_t task, bool count)
{
    const struct br_dag *dag = holds->check->dag;
    const struct br_storage *storage = dag->storage;
    const uint32_t machine = holds->check->plan->machine[task];
    for (uint32_t o = storage->stage_first[stage]; o < storage->stage_first[stage + 1]; o++) {
        const struct held held = {task, dag->stages + o};
        const bool *shared = holds->amounts.shared;
        if (held_until(holds, &held) > held_from(holds, &held))
            add_held(holds,
                     shared && shared[storage->output[o].resource] ? holds->check->cluster->machines
                                                                   : machine,
                     held, count);
    }
}

/* Does the stage demand something that is shared, or something that is not, by any alternative? */
static bool stage_demands(const struct holds *holds, uint32_t stage, bool shared)
{
    const struct br_dag *dag = holds->check->dag;
    const struct br_alternatives *all = dag->alternatives;
    const struct br_stage *s = &dag->stage[stage];
    struct run run = {s->first_demand, s->first_demand + s->demands};
    bool any = false;
    if (all) { /* those of one stage stand one behind the other */
        const struct br_alternative *last = &all->alternative[all->stage_first[stage + 1] - 1];
        run.first = all->alternative[all->stage_first[stage]].first_demand;
        run.end = last->first_demand + last->demands;
    }
    for (uint32_t d = run.first; d < run.end && !any; d++)
        any = shared == (holds->amounts.shared && holds->amounts.shared[demand_resource(dag, d)]);
    return any;
}

/* Tasks without duration hold nothing but outputs, and those on a machine that is not there were
 * reported. */
static void add_stage(struct holds *holds, uint32_t stage, bool count)
{
    const struct br_plan_check *check = holds->check;
    const struct br_plan *plan = check->plan;
    const struct br_stage *s = &check->dag->stage[stage];
    const struct br_storage *storage = check->dag->storage;
    const uint32_t machines = check->cluster->machines;
    const bool outputs = storage && storage->stage_first[stage] < storage->stage_first[stage + 1];
    const bool own = stage_demands(holds, stage, false);
    const bool shared = stage_demands(holds, stage, true);
    for (uint32_t t = s->first_task; t < s->first_task + s->tasks; t++) {
        if (plan->machine[t] >= machines)
            continue;
        if (own && plan->end_ns[t] > plan->start_ns[t])
            add_held(holds, plan->machine[t], (struct held){t, stage}, count);
        if (shared && plan->end_ns[t] > plan->start_ns[t])
            add_held(holds, machines, (struct held){t, stage}, count);
        if (outputs)
            add_outputs(holds, stage, t, count);
    }
}

/* If tasks have no outputs and nothing is shared. */
static void add_plain_tasks(struct holds *holds, bool count)
{
    const struct br_plan *plan = holds->check->plan;
    const struct br_dag *dag = holds->check->dag;
    const uint32_t machines = holds->check->cluster->machines;
    for (uint32_t s = 0, t = 0; s < dag->stages; s++)
        for (const uint32_t end = t + dag->stage[s].tasks; t < end; t++)
            if (plan->machine[t] < machines && plan->end_ns[t] > plan->start_ns[t])
                add_held(holds, plan->machine[t], (struct held){t, s}, count);
}

static void add_all(struct holds *holds, bool count)
{
    if (!holds->until && !holds->amounts.shared) {
        add_plain_tasks(holds, count);
        return;
    }
    for (uint32_t s = 0; s < holds->check->dag->stages; s++)
        add_stage(holds, s, count);
}

/* Puts what is held in rows by place. */
static enum br_status fill_rows(struct holds *holds)
{
    const struct br_plan_check *check = holds->check;
    const uint32_t places = check->cluster->machines + 1;
    uint32_t most = 0;
    uint64_t all = 0;
    if (!(holds->row = br_calloc(br_csr_room(places), sizeof *holds->row)))
        return br_fail_memory(check->diag);
    add_all(holds, true);
    for (uint32_t p = 0; p < places; p++) {
        const uint32_t count = br_csr_counted(holds->row, p);
        most = count > most ? count : most;
        all += count;
    }
    br_csr_sum(holds->row, places);
    holds->held = br_malloc(((size_t)all + 1) * sizeof *holds->held);
    holds->item = br_malloc(((size_t)most * 3 + 1) * sizeof *holds->item);
    if (!holds->held || !holds->item)
        return br_fail_memory(check->diag);
    add_all(holds, false);
    return BR_OK;
}

/* ---- All places ---- */

static enum br_status find_changes(struct holds *holds)
{
    const struct br_plan_check *check = holds->check;
    const struct br_calendar *calendar = check->cluster->calendar;
    if (!calendar || !calendar->changes)
        return BR_OK;
    holds->changing = br_malloc(((size_t)check->dag->resources + 1) * sizeof *holds->changing);
    if (!holds->changing || !br_capacity_steps_init(calendar, &holds->amounts, &holds->steps))
        return br_fail_memory(check->diag);
    return BR_OK;
}

static void check_row(struct holds *holds, uint32_t machine)
{
    const struct br_plan_check *check = holds->check;
    const bool shared = machine == check->cluster->machines;
    const uint32_t row =
        shared ? check->cluster->classes : br_cluster_machine_class(check->cluster, machine);
    const size_t resources = check->dag->resources;
    const br_wide *capacity = holds->amounts.capacity + row * resources;
    struct place place = {.machine = machine,
                          .shared = shared,
                          .held = holds->held + holds->row[machine],
                          .count = holds->row[machine + 1] - holds->row[machine],
                          .capacity = capacity};
    if (holds->changing) {
        br_capacity_steps_of(&holds->steps, shared ? UINT32_MAX : machine, capacity);
        memcpy(holds->changing, capacity, resources * sizeof *capacity);
        place.capacity = holds->changing;
    }
    check_place(holds, &place);
}

enum br_status br_plan_check_holds(struct br_plan_check *check)
{
    struct holds holds = {.check = check};
    enum br_status status = BR_OK;
    holds.load = br_calloc((size_t)check->dag->resources + 1, sizeof *holds.load);
    if (!holds.load)
        status = br_fail_memory(check->diag);
    if (!status)
        status = br_check_amounts_init(check, &holds.amounts);
    if (!status)
        status = find_changes(&holds);
    if (!status)
        status = find_untils(&holds);
    if (!status)
        status = fill_rows(&holds);
    for (uint32_t m = 0; !status && m <= check->cluster->machines && !br_plan_check_enough(check);
         m++)
        if (holds.row[m] < holds.row[m + 1])
            check_row(&holds, m);
    br_capacity_steps_finish(&holds.steps);
    br_check_amounts_finish(&holds.amounts);
    br_free(holds.until);
    br_free(holds.until_first);
    br_free(holds.held);
    br_free(holds.row);
    br_free(holds.item);
    br_free(holds.load);
    br_free(holds.changing);
    return status;
}
