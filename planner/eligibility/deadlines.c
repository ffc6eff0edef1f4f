#include "planner/eligibility/deadlines.h"

#include "base/text/diag.h"
#include "planner/eligibility/ways.h"

/* What the task lasts so on machines of the class. */
static int64_t deadlines_duration(const struct br_dag *dag, uint32_t task, uint32_t alternative,
                                  const struct br_class *cls)
{
    return br_class_duration(cls, alternative == UINT32_MAX
                                      ? dag->duration_ns[task]
                                      : br_alternative_duration(dag, alternative, task));
}

bool br_deadlines_kept(const struct br_dag *dag, uint32_t stage, uint32_t alternative,
                       const struct br_class *cls)
{
    const struct br_stage *s = &dag->stage[stage];
    for (uint32_t t = s->first_task; t < s->first_task + s->tasks; t++) {
        const int64_t deadline = br_dag_deadline(dag, t);
        if (deadline != INT64_MAX &&
            deadlines_duration(dag, t, alternative, cls) > deadline - br_dag_release(dag, t))
            return false;
    }
    return true;
}

struct keeping {
    const struct br_dag *dag;
    const struct br_cluster *cluster;
    uint32_t stage;
    bool fits, kept; /* somewhere, by some alternative; with all its deadlines */
};

static void deadlines_try(struct keeping *k, uint32_t way, uint32_t cls)
{
    if (!br_way_fits(k->dag, k->stage, way, k->cluster, cls))
        return;
    k->fits = true;
    k->kept = k->kept || br_deadlines_kept(k->dag, k->stage, way, &k->cluster->cls[cls]);
}

/* The least that the task lasts where it fits. */
static int64_t deadlines_least(const struct keeping *k, uint32_t task, uint32_t first, uint32_t end)
{
    int64_t least = INT64_MAX;
    for (uint32_t a = first; a < end; a++)
        for (uint32_t c = 0; c < k->cluster->classes; c++) {
            const uint32_t way = k->dag->alternatives ? a : UINT32_MAX;
            if (!br_way_fits(k->dag, k->stage, way, k->cluster, c))
                continue;
            const int64_t ns = deadlines_duration(k->dag, task, way, &k->cluster->cls[c]);
            least = ns < least ? ns : least;
        }
    return least;
}

/* Names a task that is late by each way; if there is none, each way makes another task late. */
static enum br_status deadlines_refuse(const struct keeping *k, uint32_t first, uint32_t end,
                                       struct br_diag *diag)
{
    const struct br_dag *dag = k->dag;
    const struct br_stage *s = &dag->stage[k->stage];
    char id[300];
    if (dag->source)
        br_diag_file(diag, dag->source);
    for (uint32_t t = s->first_task; t < s->first_task + s->tasks; t++) {
        const int64_t release = br_dag_release(dag, t), deadline = br_dag_deadline(dag, t);
        const int64_t least = deadlines_least(k, t, first, end);
        if (deadline == INT64_MAX || least <= deadline - release)
            continue;
        br_dag_task_id(dag, t, id, sizeof id);
        return br_fail_at(diag, s->pos, BR_BAD_INPUT, "give it a later deadline",
                          "task %s starts at %s s at the earliest and takes %s s, but has to end "
                          "by %s s",
                          id, br_seconds(release).text, br_seconds(least).text,
                          br_seconds(deadline).text);
    }
    return br_fail_at(diag, s->pos, BR_BAD_INPUT,
                      "give it later deadlines, or make several stages of its tasks",
                      "all tasks of stage '%.80s' run in one way, since it has deadlines, and each "
                      "way makes one of them late",
                      s->id);
}

enum br_status br_deadlines_check(const struct br_dag *dag, const struct br_cluster *cluster,
                                  struct br_diag *diag)
{
    const struct br_alternatives *all = dag->alternatives;
    for (uint32_t s = 0; dag->times && dag->times->deadline_ns && s < dag->stages; s++) {
        struct keeping k = {.dag = dag, .cluster = cluster, .stage = s};
        const uint32_t first = all ? all->stage_first[s] : 0;
        const uint32_t end = all ? all->stage_first[s + 1] : 1;
        for (uint32_t a = first; a < end; a++)
            for (uint32_t c = 0; c < cluster->classes && !k.kept; c++)
                deadlines_try(&k, all ? a : UINT32_MAX, c);
        if (k.fits && !k.kept)
            return deadlines_refuse(&k, first, end, diag);
    }
    return BR_OK;
}
