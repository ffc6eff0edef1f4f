/* From a Dag and its plan to flat arrays. A barrier is counted once per stage, so that it costs
 * nothing per pair of tasks. */
#include "runtime/enforcer/jobs/form.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/csr.h"
#include "base/collections/sort.h"
#include "base/collections/sorted.h"
#include "base/text/diag.h"
#include "planner/model/dag.h"
#include "planner/instance/plan.h"
#include "planner/model/task_order.h"

/* Work is counted in small whole units, so that additions and subtractions cancel exactly: a
 * rounding rest would weigh like real work when a job has almost none left. */
static const double units_in_ns = 0x1p32, second_ns = 1e9;
static const double units_most = 0x1p100; /* of a task, so that no sum overflows */

static bool enforcer_form_allocate(struct br_form *form, uint32_t edges)
{
    struct br_arena *arena = &form->arena;
    size_t tasks = form->tasks, stages = form->stages;
    return BR_ARRAY(arena, stages + 1, form->stage_first) &&
           BR_ARRAY(arena, tasks, form->task_stage) && BR_ARRAY(arena, stages, form->stage_kind) &&
           BR_ARRAY(arena, tasks, form->duration_ns) && BR_ARRAY(arena, tasks, form->rank) &&
           BR_ARRAY(arena, tasks, form->task) &&
           BR_ARRAY(arena, br_csr_room(form->stages), form->child_first) &&
           BR_ARRAY(arena, edges, form->child) && BR_ARRAY(arena, edges, form->child_one_to_one) &&
           BR_ARRAY(arena, stages, form->stage_waits);
}

/* ---- Work ---- */

br_wide br_form_work(const struct br_form *form, uint32_t task)
{
    double work = form->kind_work[form->stage_kind[form->task_stage[task]]];
    double units = (double)form->duration_ns[task] * work * units_in_ns;
    assert(units >= 0);
    return (br_wide)(units < units_most ? units : units_most);
}

double br_form_seconds(br_wide work)
{
    return (double)work / (units_in_ns * second_ns);
}

/* ---- The order ---- */

/* The machines that the plan uses. A job may be far smaller than the cluster, so no array here has
 * the size of the cluster. */
static bool find_places(struct br_form *form)
{
    struct br_sort_item *item = malloc(2 * (size_t)form->tasks * sizeof *item);
    uint32_t *machine = malloc(form->tasks * sizeof *machine);
    bool ok = item && machine && BR_ARRAY(&form->arena, form->tasks, form->place);
    for (uint32_t t = 0; ok && t < form->tasks; t++)
        item[t] = (struct br_sort_item){form->planned[t], t};
    if (ok)
        br_sort(item, item + form->tasks, form->tasks);
    for (uint32_t k = 0; ok && k < form->tasks; k++) {
        if (k == 0 || item[k].key != item[k - 1].key)
            machine[form->places++] = (uint32_t)item[k].key;
        form->place[item[k].item] = form->places - 1;
    }
    assert(!ok || form->places > 0);
    ok = ok && BR_ARRAY(&form->arena, form->places, form->place_machine);
    if (ok)
        memcpy(form->place_machine, machine, form->places * sizeof *machine);
    free(item);
    free(machine);
    return ok;
}

/* Each place's tasks in their order. */
static bool enforcer_form_fill_places(struct br_form *form)
{
    struct br_arena *arena = &form->arena;
    if (!BR_ARRAY(arena, br_csr_room(form->places), form->local_first) ||
        !BR_ARRAY(arena, form->tasks, form->local) ||
        !BR_ARRAY(arena, form->tasks, form->local_start_ns))
        return false;
    for (uint32_t t = 0; t < form->tasks; t++)
        br_csr_count(form->local_first, form->place[t]);
    br_csr_sum(form->local_first, form->places);
    for (uint32_t k = 0; k < form->tasks; k++)
        form->local[br_csr_place(form->local_first, form->place[form->task[k]])] = k;
    assert(form->local_first[form->places] == form->tasks);
    for (uint32_t p = 0; p < form->places; p++) {
        int64_t least_ns = INT64_MAX;
        for (uint32_t at = form->local_first[p + 1]; at-- > form->local_first[p];) {
            int64_t start_ns = form->plan_start_ns[form->task[form->local[at]]];
            least_ns = start_ns < least_ns ? start_ns : least_ns;
            form->local_start_ns[at] = least_ns;
        }
    }
    return true;
}

uint32_t br_form_place(const struct br_form *form, uint32_t machine)
{
    return br_sorted_find(form->place_machine, form->places, machine);
}

/* Ranks, and the plan's machine of each task. */
static bool take_plan(struct br_form *form, const struct br_dag *dag, const struct br_plan *plan,
                      const uint32_t *order, uint32_t machines)
{
    if (plan)
        order = plan->order;
    if (!order && !br_dag_order_by_paths(dag, form->task))
        return false;
    for (uint32_t k = 0; k < form->tasks; k++) {
        if (order)
            form->task[k] = order[k];
        form->rank[form->task[k]] = k;
    }
    if (!plan)
        return true;
    for (uint32_t t = 0; t < form->tasks; t++)
        if (plan->machine[t] >= machines)
            return true;
    struct br_arena *arena = &form->arena;
    if (!BR_ARRAY(arena, form->tasks, form->planned) ||
        !BR_ARRAY(arena, form->tasks, form->plan_start_ns))
        return false;
    memcpy(form->planned, plan->machine, form->tasks * sizeof *form->planned);
    memcpy(form->plan_start_ns, plan->start_ns, form->tasks * sizeof *form->plan_start_ns);
    return find_places(form) && enforcer_form_fill_places(form);
}

/* ---- Edges ---- */

static bool enforcer_form_take_edges(struct br_form *form, const struct br_dag *dag)
{
    bool one_to_one = false;
    for (uint32_t e = 0; e < dag->edges; e++)
        br_csr_count(form->child_first, dag->edge[e].parent);
    br_csr_sum(form->child_first, form->stages);
    for (uint32_t e = 0; e < dag->edges; e++) {
        const struct br_edge *edge = &dag->edge[e];
        uint32_t at = br_csr_place(form->child_first, edge->parent);
        form->child[at] = edge->child;
        form->child_one_to_one[at] = br_dag_is_paired(dag, edge);
        one_to_one |= form->child_one_to_one[at];
        if (!form->child_one_to_one[at])
            form->stage_waits[edge->child]++;
    }
    assert(form->child_first[form->stages] == dag->edges);
    if (!one_to_one)
        return true;
    if (!BR_ARRAY(&form->arena, form->tasks, form->task_waits))
        return false;
    for (uint32_t s = 0; s < form->stages; s++)
        for (uint32_t c = form->child_first[s]; c < form->child_first[s + 1]; c++)
            for (uint32_t i = form->stage_first[form->child[c]];
                 form->child_one_to_one[c] && i < form->stage_first[form->child[c] + 1]; i++)
                form->task_waits[i]++;
    return true;
}

/* ---- Creation ---- */

/* Kinds of tasks in the order of their ranks, and all work. */
static bool count_kinds(struct br_form *form, const struct br_kinds *kinds, uint32_t width,
                        uint32_t machines)
{
    uint32_t *rank_kind = br_arena_array(&form->arena, form->tasks, sizeof *rank_kind);
    uint32_t *size = br_arena_array(&form->arena, kinds->count, sizeof *size);
    double packing = 0;
    if (!rank_kind || !size)
        return false;
    for (uint32_t s = 0; s < form->stages; s++) {
        uint32_t kind = form->stage_kind[s], first = form->stage_first[s];
        uint32_t tasks = form->stage_first[s + 1] - first;
        size[kind] += tasks;
        packing += tasks * form->kind_work[kind] * machines;
        for (uint32_t t = first; t < first + tasks; t++) {
            rank_kind[form->rank[t]] = kind;
            form->work += br_form_work(form, t);
        }
    }
    form->mean_packing = packing / form->tasks;
    return br_ready_form_init(&form->ready, &form->arena, kinds->count, width, form->demand,
                              rank_kind, size, form->tasks);
}

static bool take_cells(struct br_form *form)
{
    const struct br_planned plan = {.tasks = form->tasks,
                                    .kinds = form->ready.kinds,
                                    .places = form->places,
                                    .local_first = form->local_first,
                                    .local = form->local,
                                    .task = form->task,
                                    .kind = form->ready.rank_kind,
                                    .duration_ns = form->duration_ns,
                                    .start_ns = form->plan_start_ns};
    return !form->planned || br_cells_find(&form->cells, &form->arena, &plan);
}

enum br_status br_form_create(const struct br_dag *dag, const struct br_plan *plan,
                              const uint32_t *order, const struct br_scale *scale,
                              uint32_t machines, struct br_form **created, struct br_diag *diag)
{
    struct br_form *form = calloc(1, sizeof *form);
    struct br_kinds found;
    *created = NULL;
    if (!form)
        return br_fail_memory(diag);
    form->users = 1;
    form->tasks = dag->tasks;
    form->stages = dag->stages;
    enum br_status status = enforcer_form_allocate(form, dag->edges) ? BR_OK : br_fail_memory(diag);
    if (status)
        goto out;
    for (uint32_t s = 0; s < dag->stages; s++) {
        form->stage_first[s] = dag->stage[s].first_task;
        for (uint32_t i = 0; i < dag->stage[s].tasks; i++)
            form->task_stage[dag->stage[s].first_task + i] = s;
    }
    form->stage_first[dag->stages] = dag->tasks;
    memcpy(form->duration_ns, dag->duration_ns, dag->tasks * sizeof *form->duration_ns);
    status = br_kinds_find(&form->arena, dag, scale, form->stage_kind, &found, diag);
    if (status)
        goto out;
    form->demand = found.demand;
    form->kind_work = found.work;
    form->kind_share = found.share;
    if (!enforcer_form_take_edges(form, dag) || !take_plan(form, dag, plan, order, machines) ||
        !count_kinds(form, &found, scale->resources, machines) || !take_cells(form))
        status = br_fail_memory(diag);
out:
    if (status)
        br_form_release(form);
    else
        *created = form;
    return status;
}

void br_form_release(struct br_form *form)
{
    if (!form)
        return;
    assert(form->users > 0);
    if (--form->users)
        return;
    br_arena_finish(&form->arena);
    free(form);
}

/* ---- Forms kept for reuse ---- */

struct br_form *br_forms_find(const struct br_forms *forms, uint32_t dag,
                              const struct br_plan *plan)
{
    uint32_t at = dag % BR_FORMS;
    return forms->dag[at] == dag && forms->plan[at] == plan ? forms->form[at] : NULL;
}

void br_forms_keep(struct br_forms *forms, uint32_t dag, const struct br_plan *plan,
                   struct br_form *form)
{
    uint32_t at = dag % BR_FORMS;
    if (form->tasks > BR_FORMS_TASKS)
        return;
    form->users++;
    br_form_release(forms->form[at]);
    forms->form[at] = form;
    forms->dag[at] = dag;
    forms->plan[at] = plan;
}

void br_forms_finish(struct br_forms *forms)
{
    for (uint32_t at = 0; at < BR_FORMS; at++)
        br_form_release(forms->form[at]);
}
