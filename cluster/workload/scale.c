#include "cluster/workload/scale.h"

#include "planner/model/alternatives.h"
#include "planner/model/waves.h"

static int64_t scale_scaled(int64_t ns, double factor)
{
    const int64_t most = INT64_MAX / 4;
    double result = (double)ns * factor + 0.5;
    return result < (double)most ? (int64_t)result : most;
}

void br_dag_scale(struct br_dag *dag, double factor)
{
    if (factor == 1)
        return;
    for (uint32_t s = 0; s < dag->stages; s++) {
        dag->stage[s].duration_ns = scale_scaled(dag->stage[s].duration_ns, factor);
        dag->stage[s].longest_ns = scale_scaled(dag->stage[s].longest_ns, factor);
    }
    for (uint32_t t = 0; t < dag->tasks; t++)
        dag->duration_ns[t] = scale_scaled(dag->duration_ns[t], factor);
    struct br_alternatives *all = dag->alternatives;
    for (uint32_t a = 0; all && a < all->count; a++) {
        struct br_alternative *way = &all->alternative[a];
        way->duration_ns = scale_scaled(way->duration_ns, factor);
        for (uint32_t i = 0; way->id && i < dag->stage[way->stage].tasks; i++)
            all->duration_ns[way->first_duration + i] =
                scale_scaled(all->duration_ns[way->first_duration + i], factor);
    }
    if (dag->waves)
        br_waves_scale(dag->waves, factor);
}

void br_workload_scale_durations(struct br_workload *workload, double factor)
{
    if (factor == 1)
        return;
    for (uint32_t d = 0; d < workload->dags; d++)
        if (workload->dag[d].dag) {
            br_dag_scale(workload->dag[d].dag, factor);
            workload->dag[d].scale *= factor;
        }
    for (uint32_t j = 0; j < workload->jobs; j++) {
        struct br_workload_job *job = &workload->job[j];
        uint32_t tasks = job->true_ns ? workload->dag[job->dag].dag->tasks : 0;
        for (uint32_t t = 0; t < tasks; t++)
            ((int64_t *)job->true_ns)[t] = scale_scaled(job->true_ns[t], factor);
    }
}
