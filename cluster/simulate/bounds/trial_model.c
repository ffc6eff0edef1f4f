/* Copies of what the dags say, job after job. */
#include "cluster/simulate/bounds/trial_model.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/sort.h"
#include "planner/model/dag.h"

/* The demands of a dag's stages. */
struct dag_kinds {
    struct br_kinds kinds;
    uint32_t *stage_kind;
};

struct maker {
    const struct br_workload *workload;
    struct br_trial_model *model;
    struct dag_kinds *kinds; /* by dag; unset if no job has it */
    struct br_sort_item *item;
    int64_t *way;
    uint32_t stages, tasks, arcs; /* so far */
};

static bool trial_model_fits_some_class(const struct br_trial_model *model,
                                        const struct br_cluster *cluster, const int64_t *demand)
{
    for (uint32_t c = 0; c < cluster->classes; c++) {
        const int64_t *capacity = model->capacities.capacity + (size_t)c * model->resources;
        uint32_t r = 0;
        while (r < model->resources && demand[r] <= capacity[r])
            r++;
        if (r == model->resources && cluster->cls[c].count)
            return true;
    }
    return false;
}

static enum br_status find_kinds(struct maker *maker, const struct br_cluster *cluster,
                                 const struct br_workload_job *job, struct br_diag *diag)
{
    struct br_trial_model *model = maker->model;
    struct dag_kinds *row = &maker->kinds[job->dag];
    const struct br_dag *dag = maker->workload->dag[job->dag].dag;
    if (row->stage_kind)
        return BR_OK;
    if (!BR_ARRAY(&model->arena, dag->stages, row->stage_kind))
        return br_fail_memory(diag);
    enum br_status status = br_kinds_find(&model->arena, dag, &model->capacities.scale,
                                          row->stage_kind, &row->kinds, diag);
    for (uint32_t k = 0; k < row->kinds.count && !status; k++)
        if (!trial_model_fits_some_class(model, cluster,
                                         row->kinds.demand + (size_t)k * model->resources))
            status = br_fail_at(diag, job->pos, BR_BAD_INPUT,
                                "give the cluster a machine that holds all of it",
                                "job '%.80s' has a task that no machine holds", job->id);
    return status;
}

static void trial_model_sort_tasks(struct maker *maker, const struct br_trial_stage *stage)
{
    struct br_trial_model *model = maker->model;
    for (uint32_t k = 0; k < stage->tasks; k++)
        maker->item[k] = (struct br_sort_item){~br_sort_key(model->duration_ns[stage->first + k]),
                                               stage->first + k};
    br_sort(maker->item, maker->item + stage->tasks, stage->tasks);
    for (uint32_t k = 0; k < stage->tasks; k++)
        model->longest[stage->first + k] = maker->item[k].item;
}

static void trial_model_add_stages(struct maker *maker, uint32_t j, const struct br_dag *dag,
                                   const struct dag_kinds *kinds, const int64_t *duration_ns)
{
    struct br_trial_model *model = maker->model;
    struct br_trial_job *job = &model->job[j];
    for (uint32_t s = 0; s < dag->stages; s++) {
        uint32_t number = job->first_stage + s, kind = kinds->stage_kind[s];
        struct br_trial_stage *stage = &model->stage[number];
        *stage = (struct br_trial_stage){
            .job = j,
            .first = maker->tasks,
            .tasks = dag->stage[s].tasks,
            .demand = kinds->kinds.demand + (size_t)kind * model->resources,
            .share = kinds->kinds.share[kind],
        };
        for (uint32_t k = 0; k < stage->tasks; k++) {
            int64_t lasts_ns = duration_ns[dag->stage[s].first_task + k];
            model->duration_ns[stage->first + k] = lasts_ns;
            model->task_stage[stage->first + k] = number;
            job->work += stage->share * (double)lasts_ns;
        }
        maker->tasks += stage->tasks;
        trial_model_sort_tasks(maker, stage);
    }
}

static void trial_model_add_arcs(struct maker *maker, const struct br_trial_job *job,
                                 const struct br_dag *dag)
{
    struct br_trial_model *model = maker->model;
    struct br_trial_stage *stage = model->stage + job->first_stage;
    for (uint32_t e = 0; e < dag->edges; e++)
        stage[dag->edge[e].parent].children++;
    for (uint32_t s = 0; s < dag->stages; s++) {
        stage[s].first_child = maker->arcs;
        maker->arcs += stage[s].children;
        stage[s].children = 0;
    }
    for (uint32_t e = 0; e < dag->edges; e++) {
        struct br_trial_stage *parent = &stage[dag->edge[e].parent];
        struct br_trial_stage *child = &stage[dag->edge[e].child];
        bool one_to_one = dag->edge[e].type == BR_ONE_TO_ONE;
        assert(parent->first_child + parent->children < maker->arcs);
        model->arc[parent->first_child + parent->children++] =
            (struct br_trial_arc){job->first_stage + dag->edge[e].child, one_to_one};
        child->barriers += !one_to_one;
        child->pairs += one_to_one;
    }
}

/* The way of a stage: its longest task, or its work by the cluster if that is more, and then the
 * longest way of its children. */
static void trial_model_rank_stages(struct maker *maker, const struct br_trial_job *job,
                                    const struct br_dag *dag)
{
    struct br_trial_model *model = maker->model;
    for (uint32_t k = dag->stages; k-- > 0;) {
        uint32_t s = dag->topological[k];
        const struct br_trial_stage *stage = &model->stage[job->first_stage + s];
        double work = 0;
        int64_t longest = 0, behind = 0;
        for (uint32_t t = stage->first; t < stage->first + stage->tasks; t++) {
            work += (double)model->duration_ns[t] * stage->share;
            longest = model->duration_ns[t] > longest ? model->duration_ns[t] : longest;
        }
        for (uint32_t a = stage->first_child; a < stage->first_child + stage->children; a++) {
            int64_t way = maker->way[model->arc[a].stage - job->first_stage];
            behind = way > behind ? way : behind;
        }
        maker->way[s] = behind + (work > (double)longest ? (int64_t)work : longest);
    }
    for (uint32_t s = 0; s < dag->stages; s++)
        maker->item[s] = (struct br_sort_item){~br_sort_key(maker->way[s]), s};
    br_sort(maker->item, maker->item + dag->stages, dag->stages);
    for (uint32_t k = 0; k < dag->stages; k++)
        model->stage[job->first_stage + maker->item[k].item].rank = k;
}

/* Counts what there is, and allocates it. */
static enum br_status trial_model_allocate(struct maker *maker, struct br_diag *diag)
{
    struct br_trial_model *model = maker->model;
    const struct br_workload *workload = maker->workload;
    uint64_t stages = 0, arcs = 0, largest = 0;
    for (uint32_t j = 0; j < workload->jobs; j++) {
        const struct br_dag *dag = workload->dag[workload->job[j].dag].dag;
        stages += dag->stages;
        arcs += dag->edges;
        largest = dag->tasks > largest ? dag->tasks : largest;
    }
    if (workload->tasks > UINT32_MAX || arcs > UINT32_MAX)
        return br_fail(diag, BR_BAD_INPUT, "take a slice of it",
                       "the workload has more tasks or edges than a search can hold");
    model->stages = (uint32_t)stages;
    model->tasks = (uint32_t)workload->tasks;
    maker->kinds = calloc(workload->dags, sizeof *maker->kinds);
    maker->item = malloc(2 * largest * sizeof *maker->item);
    maker->way = malloc(largest * sizeof *maker->way);
    bool ok = maker->kinds && maker->item && maker->way &&
              BR_ARRAY(&model->arena, workload->jobs, model->job) &&
              BR_ARRAY(&model->arena, stages, model->stage) &&
              BR_ARRAY(&model->arena, arcs, model->arc) &&
              BR_ARRAY(&model->arena, model->tasks, model->duration_ns) &&
              BR_ARRAY(&model->arena, model->tasks, model->task_stage) &&
              BR_ARRAY(&model->arena, model->tasks, model->longest);
    return ok ? BR_OK : br_fail_memory(diag);
}

enum br_status br_trial_model_make(const struct br_workload *workload,
                                   const struct br_cluster *cluster, const int64_t *const *true_ns,
                                   struct br_trial_model *model, struct br_diag *diag)
{
    *model = (struct br_trial_model){.jobs = workload->jobs, .machines = cluster->machines};
    struct maker maker = {.workload = workload, .model = model};
    enum br_status status = br_capacities_make(&model->arena, cluster, &model->capacities, diag);
    model->resources = model->capacities.scale.resources;
    if (!status)
        status = trial_model_allocate(&maker, diag);
    for (uint32_t j = 0; j < workload->jobs && !status; j++) {
        const struct br_workload_job *job = &workload->job[j];
        const struct br_dag *dag = workload->dag[job->dag].dag;
        const int64_t *duration_ns = true_ns ? true_ns[j] : job->true_ns;
        assert(job->arrival_ns >= workload->job[0].arrival_ns);
        status = find_kinds(&maker, cluster, job, diag);
        if (status)
            break;
        model->job[j] = (struct br_trial_job){job->arrival_ns - workload->job[0].arrival_ns,
                                              maker.stages, dag->stages, dag->tasks, 0};
        trial_model_add_stages(&maker, j, dag, &maker.kinds[job->dag],
                               duration_ns ? duration_ns : dag->duration_ns);
        trial_model_add_arcs(&maker, &model->job[j], dag);
        trial_model_rank_stages(&maker, &model->job[j], dag);
        maker.stages += dag->stages;
    }
    assert(status || (maker.stages == model->stages && maker.tasks == model->tasks));
    free(maker.kinds);
    free(maker.item);
    free(maker.way);
    return status;
}

void br_trial_model_finish(struct br_trial_model *model)
{
    br_arena_finish(&model->arena);
    *model = (struct br_trial_model){0};
}
