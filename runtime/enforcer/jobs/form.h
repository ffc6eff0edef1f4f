/* The form of a job: the parts of its Dag and plan that the enforcer needs, and that no event
 * changes. Jobs of one Dag and plan share one form, so that thousands of them at once stay small.
 */
#ifndef BR_RUNTIME_ENFORCER_JOBS_FORM_H
#define BR_RUNTIME_ENFORCER_JOBS_FORM_H

#include <bigrocks/runtime.h>
#include <stdbool.h>

#include "base/collections/arena.h"
#include "base/numbers/wide.h"
#include "runtime/enforcer/jobs/cells.h"
#include "runtime/enforcer/jobs/kinds.h"
#include "runtime/enforcer/jobs/ready.h"

struct br_form {
    struct br_arena arena;
    uint32_t users; /* jobs, and other holders */
    uint32_t tasks, stages;

    uint32_t *stage_first; /* stages + 1 */
    uint32_t *task_stage;
    uint32_t *stage_kind; /* stages of equal demands are of one kind */
    int64_t *demand;      /* [kind * resources] */
    double *kind_work;    /* by kind: demand as a share of the cluster, summed over resources */
    double *kind_share;   /* by kind: the largest of these shares */
    int64_t *duration_ns; /* by task */
    double mean_packing;  /* mean over the tasks of the packing score on a free machine of average
                             size */
    br_wide work;         /* duration x kind_work over all tasks, in units of br_form_seconds */

    uint32_t *rank; /* by task, from 0 */
    uint32_t *task; /* by rank */
    struct br_ready_form ready;

    /* The plan's machines and times, if the plan is for this cluster; else NULL. */
    uint32_t *planned;       /* by task */
    int64_t *plan_start_ns;  /* by task, from the start of the plan */
    uint32_t places;         /* machines that the plan uses */
    uint32_t *place_machine; /* by place, ascending */
    uint32_t *place;         /* by task */
    uint32_t *local_first;   /* places + 1 */
    uint32_t *local;         /* ranks, ascending by place */
    int64_t *local_start_ns; /* by entry of `local`: no entry from there to the place's end starts
                                earlier */
    struct br_cells cells;

    /* Children in CSR form, and the initial number of unfinished parents. */
    uint32_t *child_first; /* stages + 1 */
    uint32_t *child;
    bool *child_one_to_one;
    uint32_t *stage_waits; /* barrier parents */
    uint32_t *task_waits;  /* one-to-one parents; NULL if there are no such edges */

    int64_t *tail_ns; /* by stage, kept for the maker of the order if wanted; else NULL */
};

/* A form with one user, the caller. Its tasks rank by the plan's order, else by `order` (the task
 * of each rank), else (both NULL) by the longest path from them. All is copied. Errors: of
 * br_kinds_find, and BR_SYSTEM. O(tasks log tasks + edges). */
enum br_status br_form_create(const struct br_dag *dag, const struct br_plan *plan,
                              const uint32_t *order, const struct br_scale *scale,
                              uint32_t machines, struct br_form **form, struct br_diag *diag);
/* One user less; the last one frees it. NULL is fine. */
void br_form_release(struct br_form *form);

/* The task's work in units of br_form_seconds: duration x demand. */
br_wide br_form_work(const struct br_form *form, uint32_t task);
/* Units of work in seconds of the whole cluster. */
double br_form_seconds(br_wide work);

/* The demand of the task, by resource. */
static inline const int64_t *br_form_demand(const struct br_form *form, uint32_t task,
                                            uint32_t resources)
{
    return form->demand + (size_t)form->stage_kind[form->task_stage[task]] * resources;
}

/* The place of the machine among those that the plan uses, or BR_ANY. O(log places). */
uint32_t br_form_place(const struct br_form *form, uint32_t machine);

/* A cache of forms by the number of their Dag. Holds one per remainder of the number, and none of a
 * large job: a form that is not shared soon is not worth its memory. Start from zeros. */
enum { BR_FORMS = 256, BR_FORMS_TASKS = 4096 };
struct br_forms {
    struct br_form *form[BR_FORMS];
    const struct br_plan *plan[BR_FORMS];
    uint32_t dag[BR_FORMS];
};

/* The form kept for that Dag and plan (NULL: none), or NULL. Both must live as long as the forms.
 */
struct br_form *br_forms_find(const struct br_forms *forms, uint32_t dag,
                              const struct br_plan *plan);
void br_forms_keep(struct br_forms *forms, uint32_t dag, const struct br_plan *plan,
                   struct br_form *form);
void br_forms_finish(struct br_forms *forms);

#endif
