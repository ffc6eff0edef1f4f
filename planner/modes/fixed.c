#include "planner/modes/fixed.h"

#include "base/collections/memory.h"
#include "planner/eligibility/features.h"
#include "planner/model/source.h"

struct fixing {
    const struct br_plan *plan;
    struct br_modes *modes;
    uint32_t *way; /* by task */
    struct br_selected selected;
    struct br_plan *made;
    struct br_diag *diag;
};

static bool way_has_class(const struct br_modes *modes, uint32_t way, uint32_t cls)
{
    const struct br_way *w = &modes->way[way];
    for (uint32_t k = 0; k < w->classes; k++)
        if (modes->class_of[w->first_class + k] == cls)
            return true;
    return false;
}

/* The way by which the plan runs the task; UINT32_MAX if it has none there. */
static uint32_t way_in_plan(const struct fixing *f, uint32_t task)
{
    const struct br_modes *modes = f->modes;
    const uint32_t stage = modes->task_stage[task];
    const uint32_t alternative = f->plan->alternative ? f->plan->alternative[task] : 0;
    if (f->plan->machine[task] >= modes->cluster->machines)
        return UINT32_MAX;
    const uint32_t cls = br_cluster_machine_class(modes->cluster, f->plan->machine[task]);
    for (uint32_t w = modes->way_first[stage]; w < modes->way_first[stage + 1]; w++)
        if (modes->way[w].alternative == alternative && way_has_class(modes, w, cls))
            return w;
    return UINT32_MAX;
}

static enum br_status find_ways(struct fixing *f)
{
    const struct br_dag *dag = f->modes->dag;
    const bool splits = br_selected_splits(dag);
    f->way = br_malloc(((size_t)dag->tasks + 1) * sizeof *f->way);
    if (!f->way)
        return br_fail_memory(f->diag);
    for (uint32_t t = 0; t < dag->tasks; t++) {
        const struct br_stage *stage = &dag->stage[f->modes->task_stage[t]];
        char id[200];
        f->way[t] = way_in_plan(f, t);
        br_dag_task_id(dag, t, id, sizeof id);
        if (f->way[t] == UINT32_MAX)
            return br_fail(f->diag, BR_BAD_INPUT, "check the plan by 'bigrocks check'",
                           "the plan has task %s on a machine on which its alternative does not "
                           "run",
                           id);
        if (!splits && f->way[t] != f->way[stage->first_task]) {
            br_dag_blame(dag, f->diag);
            return br_fail_at(f->diag, stage->pos, BR_BAD_INPUT,
                              "plan the job again, or make stages of the tasks",
                              "task %s runs in another way than the first of its stage, and the "
                              "job has outputs or times, which belong to whole stages",
                              id);
        }
    }
    return BR_OK;
}

/* A task that takes no time between two stages starts when its parents have ended. */
static void time_joints(struct br_plan *made, const struct br_dag *dag, uint32_t joint)
{
    for (uint32_t e = 0; e < dag->edges; e++) {
        const struct br_stage *parent = &dag->stage[dag->edge[e].parent];
        if (dag->stage[dag->edge[e].child].first_task != joint)
            continue;
        for (uint32_t t = parent->first_task; t < parent->first_task + parent->tasks; t++)
            if (made->start_ns[t] + dag->duration_ns[t] > made->start_ns[joint])
                made->start_ns[joint] = made->start_ns[t] + dag->duration_ns[t];
    }
}

static enum br_status fix_plan(struct fixing *f)
{
    const struct br_plan *from = f->plan;
    const struct br_dag *dag = f->selected.dag;
    struct br_plan *to = f->made = br_plan_create(dag->tasks);
    if (!to)
        return br_fail_memory(f->diag);
    for (uint32_t t = 0; t < dag->tasks; t++) {
        const uint32_t task = f->selected.origin[t];
        to->subset[t] = 'S';
        if (task == UINT32_MAX)
            continue;
        to->start_ns[t] = from->start_ns[task];
        to->machine[t] = from->machine[task];
        to->subset[t] = from->subset[task];
    }
    for (uint32_t t = 0; t < dag->tasks; t++)
        if (f->selected.origin[t] == UINT32_MAX)
            time_joints(to, dag, t);
    to->method = br_arena_text(&to->arena, from->method ? from->method : "");
    to->bound_method = br_arena_text(&to->arena, from->bound_method ? from->bound_method : "");
    to->note = from->note;
    to->seed = from->seed;
    to->lower_bound_ns = from->lower_bound_ns;
    to->placements = from->placements;
    to->counters = from->counters;
    return to->method && to->bound_method ? br_plan_rank(to, dag, f->diag)
                                          : br_fail_memory(f->diag);
}

enum br_status br_fixed_make(const struct br_dag *dag, const struct br_cluster *cluster,
                             const struct br_plan *plan, enum br_selected_use use,
                             struct br_fixed *fixed, struct br_diag *diag)
{
    struct fixing f = {.plan = plan, .diag = diag};
    enum br_status status = br_modes_create(dag, cluster, &f.modes, diag);
    if (!status)
        status = find_ways(&f);
    if (!status)
        status = br_selected_make(f.modes, f.way, use, &f.selected, diag);
    if (!status) {
        /* What was consumed before by another choice counts only for a rest that can be planned by
         * itself (cli/running/jobs/left.h). */
        if (!dag->alternatives || !dag->alternatives->any_consumed || br_selected_splits(dag))
            f.selected.dag->given = br_dag_fingerprint(dag, true);
        status = fix_plan(&f);
    }
    *fixed = (struct br_fixed){f.selected.dag, f.selected.cluster, f.made, f.selected.origin};
    f.selected.dag = NULL;
    f.selected.cluster = NULL;
    f.selected.origin = NULL;
    br_selected_finish(&f.selected);
    br_free(f.way);
    br_modes_destroy(f.modes);
    return status;
}

void br_fixed_finish(struct br_fixed *fixed)
{
    br_dag_destroy(fixed->dag);
    br_cluster_destroy(fixed->cluster);
    br_plan_destroy(fixed->plan);
    br_free(fixed->origin);
    *fixed = (struct br_fixed){NULL, NULL, NULL, NULL};
}
