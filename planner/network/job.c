/* Edges by stage, and ports by machine. */
#include "planner/network/job.h"

#include <stdlib.h>
#include <string.h>

#include "planner/ports/ports.h"

/* Numbers of edges in rows by one of their stages. */
static bool network_job_rows(struct br_network_job *job, enum br_edge_end end, uint32_t **first,
                             uint32_t **row)
{
    const struct br_dag *dag = job->dag;
    *first = br_arena_array(&job->arena, br_csr_room(dag->stages), sizeof **first);
    *row = br_arena_array(&job->arena, dag->edges, sizeof **row);
    if (!*first || !*row)
        return false;
    br_dag_list_edges(dag, end, *first, *row);
    return true;
}

enum br_status br_network_job_init(struct br_network_job *job, const struct br_dag *dag,
                                   const struct br_cluster *cluster, const struct br_instance *in,
                                   struct br_diag *diag)
{
    *job = (struct br_network_job){.dag = dag, .cluster = cluster, .in = in};
    uint32_t machines = cluster->machines;
    job->up = br_arena_array(&job->arena, machines, sizeof *job->up);
    job->down = br_arena_array(&job->arena, machines, sizeof *job->down);
    job->machine_class = br_arena_array(&job->arena, machines, sizeof *job->machine_class);
    if (!job->up || !job->down || !job->machine_class ||
        !network_job_rows(job, BR_EDGE_PARENT, &job->out_first, &job->out) ||
        !network_job_rows(job, BR_EDGE_CHILD, &job->into_first, &job->into))
        return br_fail_memory(diag);
    for (uint32_t c = 0; c < cluster->classes; c++)
        for (uint32_t m = 0; m < cluster->cls[c].count; m++)
            job->machine_class[cluster->cls[c].first_machine + m] = c;
    return br_ports_take(cluster, in && dag->bytes > 0, job->up, job->down, diag);
}

void br_network_job_finish(struct br_network_job *job)
{
    br_arena_finish(&job->arena);
}

bool br_network_holds(const struct br_network_job *job, uint32_t machine, uint32_t stage)
{
    const struct br_instance *in = job->in;
    const int64_t *capacity = &in->capacity[(size_t)job->machine_class[machine] * in->resources];
    const int64_t *demand = &in->demand[(size_t)stage * in->resources];
    for (uint32_t r = 0; r < in->resources; r++)
        if (demand[r] > capacity[r])
            return false;
    return true;
}
