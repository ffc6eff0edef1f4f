/* br_plan_make: jobs whose tasks run in several ways, those with other features, and those without.
 */
#include "planner/eligibility/features.h"
#include "planner/model/task_order.h"
#include "planner/planning/general_plan.h"
#include "planner/search/make_plan.h"
#include "planner/search/method.h"
#include "planner/planning/baseline_plan.h"
#include "planner/planning/modes_plan.h"

enum br_status br_plan_make(const struct br_dag *dag, const struct br_cluster *cluster,
                            const struct br_plan_options *options, struct br_plan **plan,
                            struct br_diag *diag)
{
    BR_NEED(diag, dag, cluster, plan);
    *plan = NULL;
    if (br_options_check(options, diag))
        return BR_USAGE;
    if (options && options->order && dag->finished) {
        enum br_status status = br_dag_check_order(dag, options->order, diag);
        if (status)
            return status;
    }
    const unsigned features = dag->finished ? br_features(dag, cluster) : 0;
    struct br_method method = {.kind = BR_METHOD_BEST};
    const bool named = options && !options->order && br_method_find(options->method, &method);
    if (dag->finished && named && method.kind == BR_METHOD_BASELINE)
        return br_baseline_plan(dag, cluster, options, method.row, plan, diag);
    if (features & BR_FEATURES_MODES && options && options->order)
        return br_baseline_plan_order(dag, cluster, options, plan, diag);
    if (features & BR_FEATURES_MODES)
        return br_modes_plan(dag, cluster, options, plan, diag);
    return features ? br_general_plan(dag, cluster, options, plan, diag)
                    : br_make_plan(dag, cluster, options, plan, diag);
}
