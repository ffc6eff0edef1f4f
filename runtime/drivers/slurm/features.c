/* Slurm itself keeps licences and releases, by --licenses and --begin. What is held is kept by
 * dependencies, in the plan's order; deadlines are only the planner's. */
#include "base/roles.h"
#include "planner/eligibility/features.h"
#include "runtime/drivers/slurm/slurm.h"

static const char who[] = "a run by Slurm's jobs";

static enum br_status refuse_what_is_freed(const struct br_dag *dag, struct br_diag *diag)
{
    for (uint32_t o = 0; o < dag->storage->outputs; o++)
        if (dag->storage->output[o].release)
            return br_fail(diag, BR_BAD_INPUT, "let the last reader's command do it",
                           "%s runs no command that frees the output '%.80s'", who,
                           dag->storage->output[o].id);
    return BR_OK;
}

/* Slurm counts these on each node. */
static enum br_status refuse_shared(const struct br_cluster *cluster, struct br_diag *diag)
{
    for (uint32_t k = 0; cluster && k < cluster->shareds; k++) {
        const char *name = cluster->shared[k].resource;
        if (br_role_is_own_name(BR_ROLE_CPU, name) || br_role_is_own_name(BR_ROLE_MEMORY, name))
            return br_fail(diag, BR_BAD_INPUT, "give it another name",
                           "%s cannot share '%.80s' between machines: Slurm counts it on each node",
                           who, name);
    }
    return BR_OK;
}

enum br_status br_slurm_take_features(const struct br_dag *dag, const struct br_cluster *cluster,
                                      const struct br_plan *plan, struct br_handovers *handover,
                                      struct br_diag *diag)
{
    const unsigned known = BR_FEATURE_DEADLINES | BR_FEATURE_SHARED | BR_FEATURE_RELEASES |
                           (plan ? BR_FEATURE_OUTPUTS : 0);
    enum br_status status = br_features_refuse(dag, cluster, known, who, diag);
    if (!status)
        status = refuse_shared(cluster, diag);
    if (status || !plan || !dag->storage || !dag->storage->outputs)
        return status;
    status = refuse_what_is_freed(dag, diag);
    return status ? status : br_handover_init(handover, dag, cluster, plan, who, diag);
}
