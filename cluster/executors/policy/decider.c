/* Decisions outside of the simulator: bigrocks/learned.h. The caller's word takes the place of the
 * simulator's (view.h), and the same learner looks at it. */
#include <bigrocks/learned.h>
#include <assert.h>
#include <stdlib.h>

#include "base/collections/grow.h"
#include "cluster/executors/policy/view.h"
#include "cluster/executors/policy/learner.h"
#include "planner/model/dag.h"
#include "cluster/executors/jobs.h"

_Static_assert(BR_ANY == BR_EXECUTORS_NONE, "no job has one number");

struct br_learned {
    struct br_view kept;
    struct br_learner learner;
    struct br_learned_decision *decision; /* of the last call; at most one a stage */
    uint32_t decision_room;
};

/* ---- Models ---- */

/* Takes what was read on success. */
static enum br_status decider_keep(enum br_status status, struct br_model *read,
                                   struct br_model **model, struct br_diag *diag)
{
    *model = NULL;
    if (status)
        return status;
    *model = malloc(sizeof **model);
    if (!*model) {
        br_model_finish(read);
        return br_fail_memory(diag);
    }
    **model = *read;
    return BR_OK;
}

enum br_status br_model_load(const char *path, struct br_model **model, struct br_diag *diag)
{
    BR_NEED(diag, path, model);
    struct br_model read;
    return decider_keep(br_model_open(path, &read, diag), &read, model, diag);
}

enum br_status br_model_load_bytes(const void *bytes, size_t size, struct br_model **model,
                                   struct br_diag *diag)
{
    BR_NEED(diag, bytes, model);
    struct br_model read;
    return decider_keep(br_model_read(bytes, size, &read, diag), &read, model, diag);
}

void br_model_destroy(struct br_model *model)
{
    if (model)
        br_model_finish(model);
    free(model);
}

struct br_model_facts br_model_facts(const struct br_model *model)
{
    if (!model)
        return (struct br_model_facts){0};
    return (struct br_model_facts){.executors = model->executors,
                                   .parameters = model->network.parameters,
                                   .iterations = model->iterations,
                                   .seed = model->seed,
                                   .network =
                                       br_named_name(&br_network_forms, model->network.shape.form),
                                   .made_by = model->made_by};
}

/* ---- Deciders ---- */

enum br_status br_learned_create(const struct br_model *model, uint32_t executors,
                                 struct br_learned **learned, struct br_diag *diag)
{
    BR_NEED(diag, model, learned);
    *learned = NULL;
    if (!executors || executors > BR_LEARNED_EXECUTORS)
        return br_fail(diag, BR_USAGE, NULL, "a cluster has 1 to %u executors",
                       BR_LEARNED_EXECUTORS);
    struct br_learned *made = calloc(1, sizeof *made);
    if (!made)
        return br_fail_memory(diag);
    br_view_init(&made->kept, executors);
    br_learner_init(&made->learner, model, NULL);
    if (!br_learner_reserve(&made->learner, 0, 0, executors)) {
        br_learned_destroy(made);
        return br_fail_memory(diag);
    }
    *learned = made;
    return BR_OK;
}

void br_learned_destroy(struct br_learned *learned)
{
    if (!learned)
        return;
    br_learner_finish(&learned->learner);
    br_view_finish(&learned->kept);
    free(learned->decision);
    free(learned);
}

/* ---- Jobs ---- */

/* Room for the decisions and scores of so many jobs and stages. */
static bool decider_reserve(struct br_learned *learned, uint32_t jobs, uint32_t stages)
{
    if (stages > learned->decision_room) {
        if (!br_enlarge(&learned->decision, stages * 2, sizeof *learned->decision))
            return false;
        learned->decision_room = stages * 2;
    }
    return br_learner_reserve(&learned->learner, jobs, stages,
                              learned->kept.view.options.executors);
}

static enum br_status decider_admit(struct br_learned *learned, struct br_waves *waves,
                                    uint32_t *job, struct br_diag *diag)
{
    struct br_executors *view = &learned->kept.view;
    if (waves->stages > BR_MAX_STAGES - view->stages)
        return br_fail(diag, BR_USAGE, "retire jobs that have ended",
                       "the jobs have more than %u stages", BR_MAX_STAGES);
    if (!br_view_add(&learned->kept, waves, job)) {
        br_waves_destroy(waves);
        return br_fail_memory(diag);
    }
    if (decider_reserve(learned, view->jobs, view->stages) &&
        br_learner_arrive(&learned->learner, view, *job))
        return BR_OK;
    br_view_remove(&learned->kept, *job);
    return br_fail_memory(diag);
}

enum br_status br_learned_submit(struct br_learned *learned, const struct br_dag *dag,
                                 uint32_t *job, struct br_diag *diag)
{
    BR_NEED(diag, learned, dag, job);
    struct br_waves *waves;
    if (!dag->finished)
        return br_fail(diag, BR_USAGE, "call br_dag_finish", "the job is not finished");
    enum br_status status = br_executors_waves(dag, &waves, diag);
    if (status) {
        br_waves_destroy(waves);
        return status;
    }
    return decider_admit(learned, waves, job, diag);
}

static enum br_status decider_check_job(const struct br_learned *learned, uint32_t job,
                                        struct br_diag *diag)
{
    return br_view_has(&learned->kept, job)
               ? BR_OK
               : br_fail(diag, BR_USAGE, "br_learned_submit numbers jobs", "there is no job %u",
                         job);
}

enum br_status br_learned_retire(struct br_learned *learned, uint32_t job, struct br_diag *diag)
{
    BR_NEED(diag, learned);
    enum br_status status = decider_check_job(learned, job, diag);
    if (status)
        return status;
    br_learner_leave(&learned->learner, job);
    br_view_remove(&learned->kept, job);
    return BR_OK;
}

enum br_status br_learned_set_stage(struct br_learned *learned, uint32_t job, uint32_t stage,
                                    struct br_learned_progress progress, struct br_diag *diag)
{
    BR_NEED(diag, learned);
    const struct br_executors *view = &learned->kept.view;
    enum br_status status = decider_check_job(learned, job, diag);
    if (status)
        return status;
    if (stage >= view->job[job].stages)
        return br_fail(diag, BR_USAGE, NULL, "job %u has no stage %u", job, stage);
    uint32_t number = view->job[job].first_stage + stage;
    struct br_executor_stage *at = &learned->kept.view.stage[number];
    if (progress.ended > progress.started || progress.started > at->tasks)
        return br_fail(diag, BR_USAGE, "a task that failed has not started",
                       "of %u tasks %u cannot have started and %u ended", at->tasks,
                       progress.started, progress.ended);
    if (progress.coming > view->options.executors)
        return br_fail(diag, BR_USAGE, NULL, "%u executors cannot come, of %u", progress.coming,
                       view->options.executors);
    at->started = progress.started;
    at->ended = progress.ended;
    at->coming = progress.coming;
    br_view_touch_stage(&learned->kept, number);
    return BR_OK;
}

enum br_status br_learned_set_executors(struct br_learned *learned, uint32_t job,
                                        uint32_t executors, struct br_diag *diag)
{
    BR_NEED(diag, learned);
    struct br_executors *view = &learned->kept.view;
    enum br_status status = decider_check_job(learned, job, diag);
    if (status)
        return status;
    if (executors > view->options.executors)
        return br_fail(diag, BR_USAGE, NULL, "a job cannot have %u executors, of %u", executors,
                       view->options.executors);
    view->job[job].executors = executors;
    br_view_touch_job(&learned->kept, job);
    return BR_OK;
}

/* ---- Decisions ---- */

static enum br_status decider_check_group(const struct br_learned *learned,
                                          struct br_learned_group group, struct br_diag *diag)
{
    const struct br_executors *view = &learned->kept.view;
    uint64_t held = 0;
    enum br_status status =
        group.job == BR_ANY ? BR_OK : decider_check_job(learned, group.job, diag);
    if (status)
        return status;
    for (uint32_t k = 0; k < view->live_jobs; k++)
        held += view->job[view->live[k]].executors;
    if (group.job == BR_ANY)
        held += group.count;
    if (!group.count || group.now > group.count)
        return br_fail(diag, BR_USAGE, NULL, "%u of %u executors cannot go at once", group.now,
                       group.count);
    if (group.job != BR_ANY && group.count > view->job[group.job].executors)
        return br_fail(diag, BR_USAGE, "br_learned_set_executors says how many it has",
                       "job %u has not %u executors", group.job, group.count);
    if (held > view->options.executors)
        return br_fail(diag, BR_USAGE, "br_learned_set_executors says how many a job has",
                       "the jobs and the group have %llu executors, of %u",
                       (unsigned long long)held, view->options.executors);
    return BR_OK;
}

static bool decider_any_selectable(const struct br_executors *view)
{
    for (uint32_t k = 0; k < view->ready_stages; k++)
        if (br_executors_selectable(view, view->ready[k]))
            return true;
    return false;
}

/* Shows the view as the simulator would after the decision: see the header. */
static void decider_apply(struct br_learned *learned, struct br_learned_group *group,
                          const struct br_learned_decision *decision, uint32_t stage)
{
    struct br_executors *view = &learned->kept.view;
    struct br_executor_stage *at = &view->stage[stage];
    uint32_t count = decision->executors, now = count < group->now ? count : group->now;
    if (decision->job == group->job && at->open == 0) {
        at->started += now;
        at->coming += count - now;
    } else {
        at->coming += count;
    }
    assert(at->started <= at->tasks);
    assert(count <= group->count);
    group->count -= count;
    group->now -= now;
    view->group.count = group->count;
    br_view_touch_stage(&learned->kept, stage);
    if (decision->job == group->job)
        return;
    view->job[decision->job].executors += count;
    if (group->job == BR_ANY)
        return;
    assert(view->job[group->job].executors >= count);
    view->job[group->job].executors -= count;
    br_view_touch_job(&learned->kept, group->job);
}

static uint32_t decider_least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* One decision; false when memory is out, which was reserved. For no executor if the group is to
 * stay where it is. */
static bool decider_decide(struct br_learned *learned, struct br_learned_group *group,
                           struct br_learned_decision *decision)
{
    struct br_executors *view = &learned->kept.view;
    struct br_learner_choice choice;
    decision->executors = 0;
    if (!br_learner_look(&learned->learner, view))
        return false;
    if (br_learner_stays(&learned->learner))
        return true;
    if (!br_learner_choose(&learned->learner, view, NULL, &choice))
        return false;
    struct br_executor_stage *stage = &view->stage[choice.stage];
    const struct br_executor_job *of = &view->job[stage->job];
    assert(choice.limit > br_executors_held(view, stage->job));
    uint32_t room = choice.limit - br_executors_held(view, stage->job);
    *decision = (struct br_learned_decision){
        .job = stage->job,
        .stage = choice.stage - of->first_stage,
        .limit = choice.limit,
        .executors = decider_least(decider_least(room, br_executors_need(stage)), group->count)};
    assert(decision->executors > 0);
    stage->round = view->round;
    view->decisions++;
    decider_apply(learned, group, decision, choice.stage);
    return true;
}

enum br_status br_learned_decide(struct br_learned *learned, struct br_learned_group group,
                                 const struct br_learned_decision **decision, uint32_t *count,
                                 struct br_diag *diag)
{
    BR_NEED(diag, learned, decision, count);
    struct br_executors *view = &learned->kept.view;
    enum br_status status = decider_check_group(learned, group, diag);
    *decision = learned->decision;
    *count = 0;
    if (status)
        return status;
    view->round++;
    view->group = (struct br_executor_group){.count = group.count,
                                             .job = group.job,
                                             .stage = BR_EXECUTORS_NONE,
                                             .executor = BR_EXECUTORS_NONE};
    br_view_refresh(&learned->kept);
    while (group.count && decider_any_selectable(view)) {
        assert(*count < learned->decision_room);
        if (!decider_decide(learned, &group, &learned->decision[*count]))
            return br_fail_memory(diag);
        if (!learned->decision[*count].executors)
            break;
        ++*count;
        br_view_refresh(&learned->kept);
    }
    return BR_OK;
}
