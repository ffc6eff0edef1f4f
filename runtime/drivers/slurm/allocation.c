/* Compares an allocation of Slurm with the machines of the plan. A step that asks for more than the
 * allocation has does not fail: srun waits for ever. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/roles.h"
#include "base/text/diag.h"
#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"
#include "runtime/drivers/slurm/slurm.h"

enum { KIB_IN_MIB = 1024 };

/* The least number in a list such as "4(x2),2"; 0: there is none. */
static int64_t allocation_least_of(const char *list)
{
    int64_t least = 0;
    while (list && *list) {
        int64_t each = strtoll(list, NULL, 10);
        least = least == 0 || each < least ? each : least;
        const char *comma = strchr(list, ',');
        list = comma ? comma + 1 : NULL;
    }
    return least;
}

/* The least memory of a node in MiB, from scontrol's lines about the job: "Nodes=... CPU_IDs=...
 * Mem=2000 GRES=...", one for all nodes that have equal parts. 0: not limited. */
static int64_t least_memory(const char *text)
{
    int64_t least = 0;
    for (const char *at = text; (at = strstr(at, "CPU_IDs=")); at++) {
        const char *memory = strstr(at, " Mem=");
        int64_t each = memory ? strtoll(memory + 5, NULL, 10) : 0;
        if (each > 0 && (least == 0 || each < least))
            least = each;
    }
    return least < INT64_MAX / KIB_IN_MIB ? least : INT64_MAX / KIB_IN_MIB;
}

struct br_slurm_allocation br_slurm_allocation(void)
{
    struct br_slurm_allocation found = {allocation_least_of(getenv("SLURM_JOB_CPUS_PER_NODE")), 0};
    const char *id = getenv("SLURM_JOB_ID");
    const char *argv[] = {"scontrol", "--details", "show", "job", id ? id : "", NULL};
    struct br_diag ignored = {0};
    char *text;
    if (found.cpus == 0 || br_slurm_ask(argv, &text, &ignored))
        return found;
    found.kib = least_memory(text) * KIB_IN_MIB;
    free(text);
    return found;
}

/* The unit of a resource is that of the first job that demands it. */
static const char *allocation_unit_of(const struct br_run_jobs *jobs, const char *resource)
{
    for (uint32_t k = 0; k < jobs->count; k++) {
        const struct br_dag *dag = jobs->job[k].dag;
        for (uint32_t r = 0; r < dag->resources; r++)
            if (strcmp(dag->resource[r].name, resource) == 0)
                return dag->resource[r].unit;
    }
    return NULL;
}

enum br_status br_slurm_allocation_suffices(const struct br_slurm_allocation *allocation,
                                            const struct br_cluster *cluster,
                                            const struct br_run_jobs *jobs, struct br_diag *diag)
{
    const char *cpu = br_role_name(BR_ROLE_CPU), *memory = br_role_name(BR_ROLE_MEMORY);
    const char *unit = allocation_unit_of(jobs, memory);
    for (uint32_t c = 0; c < cluster->classes; c++) {
        int64_t cpus = br_decimal_ceil(br_cluster_capacity(cluster, c, cpu));
        int64_t bytes = br_role_bytes(br_cluster_capacity(cluster, c, memory), unit);
        int64_t mib = (bytes + 1048575) / 1048576;
        if (allocation->cpus > 0 && cpus > allocation->cpus)
            return br_fail(
                diag, BR_USAGE,
                "ask salloc for whole nodes (--exclusive) or more tasks, or plan for less",
                "a machine of class '%s' has %lld cores, and a node of the allocation "
                "%lld",
                cluster->cls[c].name, (long long)cpus, (long long)allocation->cpus);
        if (allocation->kib > 0 && mib > allocation->kib / KIB_IN_MIB)
            return br_fail(diag, BR_USAGE, "ask salloc for more (--mem), or plan for less",
                           "a machine of class '%s' has %lld MiB of memory, and a node of the "
                           "allocation %lld",
                           cluster->cls[c].name, (long long)mib,
                           (long long)allocation->kib / KIB_IN_MIB);
    }
    return BR_OK;
}
