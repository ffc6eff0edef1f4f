#include "cli/running/report/overuse.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/roles.h"
#include "cli/inputs/load.h"
#include "cli/terminal/say.h"
#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"

/* The kernel's count includes some of our own memory. */
static const int64_t slack_bytes = INT64_C(64) << 20;

/* The demand for memory in bytes; -1 if there is none. */
static int64_t counted_bytes(const struct br_dag *dag, const struct br_stage *stage)
{
    for (uint32_t d = stage->first_demand; d < stage->first_demand + stage->demands; d++) {
        const struct br_resource *resource = &dag->resource[dag->demand[d].resource];
        if (br_role_is_own_name(BR_ROLE_MEMORY, resource->name))
            return br_role_bytes(dag->demand[d].amount, resource->unit);
    }
    return -1;
}

void cli_overuse_note(struct cli_overuse *overuse, const struct br_cluster *cluster,
                      const struct br_task_end *end)
{
    const struct br_dag *dag = end->job->dag;
    const struct br_stage *stage = &dag->stage[br_dag_task_stage(dag, end->task)];
    const int64_t counted = counted_bytes(dag, stage), held = end->usage.peak_bytes;
    const struct br_decimal all = br_cluster_capacity(cluster, 0, br_role_name(BR_ROLE_MEMORY));
    if (counted < 0 || held < 0 || held / 3 * 2 < counted || held - slack_bytes < counted ||
        counted >= br_role_bytes(all, cli_unit(dag, br_role_name(BR_ROLE_MEMORY))))
        return;
    if (!overuse->tasks || held - counted > overuse->held_bytes - overuse->counted_bytes) {
        overuse->held_bytes = held;
        overuse->counted_bytes = counted;
        snprintf(overuse->name, sizeof overuse->name, "%s", stage->id);
    }
    overuse->tasks++;
}

void cli_overuse_say(const struct cli_overuse *overuse)
{
    char held[BR_ROLE_AMOUNT_TEXT], counted[BR_ROLE_AMOUNT_TEXT];
    if (!overuse->tasks)
        return;
    br_role_bytes_text(overuse->held_bytes, held);
    br_role_bytes_text(overuse->counted_bytes, counted);
    if (overuse->tasks == 1)
        cli_say("warning: '%.180s' held %s of memory and counts for %s", overuse->name, held,
                counted);
    else
        cli_say("warning: %" PRIu32 " tasks held far more memory than they count for, most of all "
                "'%.180s': %s, not %s",
                overuse->tasks, overuse->name, held, counted);
}
