/* Jobs of one dag that last as declared are described once. */
#include "cluster/simulate/bounds/load.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A description of a job and the numbers of its resources. */
struct described {
    const struct br_alone *alone;
    const uint32_t *column;
};

struct maker {
    const struct br_workload *workload;
    const struct br_cluster *cluster;
    bool overbooked;
    struct br_load *load;
    uint32_t room;              /* for resources */
    struct described *declared; /* by dag */
};

/* The number of the resource of that name, new or known; false when memory is out. */
static bool number_resource(struct maker *maker, const char *name, uint32_t *number)
{
    struct br_load *load = maker->load;
    for (*number = 0; *number < load->resources; ++*number)
        if (strcmp(load->resource[*number], name) == 0)
            return true;
    if (load->resources == maker->room) {
        uint32_t room = maker->room ? 2 * maker->room : 16;
        const char **grown = br_arena_array(&load->arena, room, sizeof *grown);
        if (!grown)
            return false;
        if (maker->room)
            memcpy(grown, load->resource, maker->room * sizeof *grown);
        load->resource = grown;
        maker->room = room;
    }
    assert(load->resources < maker->room);
    load->resource[load->resources++] = name;
    return true;
}

static enum br_status bounds_load_describe(struct maker *maker, const struct br_dag *dag,
                                           const int64_t *duration_ns, struct described *described,
                                           struct br_diag *diag)
{
    struct br_arena *arena = &maker->load->arena;
    struct br_alone *alone = br_arena_alloc(arena, sizeof *alone);
    if (!alone)
        return br_fail_memory(diag);
    enum br_status status =
        br_alone_make(dag, duration_ns, maker->cluster, maker->overbooked, arena, alone, diag);
    if (status)
        return status;
    uint32_t *column = br_arena_array(arena, alone->resources, sizeof *column);
    for (uint32_t r = 0; column && r < alone->resources; r++)
        if (!number_resource(maker, alone->resource[r], &column[r]))
            column = NULL;
    if (!column)
        return br_fail_memory(diag);
    *described = (struct described){alone, column};
    return BR_OK;
}

static enum br_status bounds_load_add_job(struct maker *maker, uint32_t j, const int64_t *true_ns,
                                          struct br_diag *diag)
{
    const struct br_workload_job *job = &maker->workload->job[j];
    const struct br_dag *dag = maker->workload->dag[job->dag].dag;
    const int64_t *duration_ns = true_ns ? true_ns : job->true_ns;
    struct described described = {0}, *declared = &maker->declared[job->dag];
    enum br_status status = BR_OK;
    if (!duration_ns || memcmp(duration_ns, dag->duration_ns, dag->tasks * sizeof *true_ns) == 0) {
        if (!declared->alone)
            status = bounds_load_describe(maker, dag, dag->duration_ns, declared, diag);
        described = *declared;
    } else {
        status = bounds_load_describe(maker, dag, duration_ns, &described, diag);
    }
    maker->load->job[j].alone = described.alone;
    maker->load->job[j].column = described.column;
    return status;
}

static bool sum_work(struct br_load *load)
{
    load->work_s = br_arena_array(&load->arena, load->resources, sizeof *load->work_s);
    for (uint32_t j = 0; load->work_s && j < load->jobs; j++) {
        const struct br_alone *alone = load->job[j].alone;
        for (uint32_t s = 0; alone && s < alone->stages; s++)
            for (uint32_t r = 0; r < alone->resources; r++)
                load->work_s[load->job[j].column[r]] +=
                    alone->share_s[(size_t)s * alone->resources + r];
    }
    return load->work_s != NULL;
}

enum br_status br_load_make(const struct br_workload *workload, const struct br_cluster *cluster,
                            const int64_t *const *true_ns, bool overbooked,
                            const struct br_stop *stop, struct br_load *load, struct br_diag *diag)
{
    *load = (struct br_load){.jobs = workload->jobs};
    struct maker maker = {.workload = workload,
                          .cluster = cluster,
                          .overbooked = overbooked,
                          .load = load,
                          .declared = calloc(workload->dags, sizeof *maker.declared)};
    load->job = br_arena_array(&load->arena, workload->jobs, sizeof *load->job);
    enum br_status status = load->job && maker.declared ? BR_OK : br_fail_memory(diag);
    for (uint32_t j = 0; j < workload->jobs && !status; j++) {
        const struct br_workload_job *job = &workload->job[j];
        assert(j == 0 || job[-1].arrival_ns <= job->arrival_ns);
        load->job[j].release_s = (double)(job->arrival_ns - workload->job[0].arrival_ns) / 1e9;
        assert(load->job[j].release_s >= 0);
        load->job[j].weight = job->weight;
        if (!br_stopped(stop))
            status = bounds_load_add_job(&maker, j, true_ns ? true_ns[j] : NULL, diag);
    }
    if (!status && !sum_work(load))
        status = br_fail_memory(diag);
    free(maker.declared);
    return status;
}

void br_load_finish(struct br_load *load)
{
    br_arena_finish(&load->arena);
    *load = (struct br_load){0};
}
