/* Stages and executors of an event log as a dag and a cluster. Internal to readers. */
#ifndef BR_PARSERS_SPARK_STAGES_H
#define BR_PARSERS_SPARK_STAGES_H

#include "parsers/spark/tables.h"
#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"

/* Adds the stages to a dag, with barriers between them. A task demands cpu and, by choice, its
 * memory in the log; all tasks of a stage last as long as they did on average. The stages come by
 * job, and those of a job by id. number[stage] is BR_SPARK_NONE for every stage of the log before
 * the call, and receives the numbers of these. O(n log n) in their size and edges. */
enum br_status br_spark_add_stages(const struct br_spark_log *log, const uint32_t *stage,
                                   uint32_t stages, bool memory, struct br_dag *dag,
                                   uint32_t *number, struct br_diag *diag);
/* The executors at the time when most of them were present; NULL if the log has none, or lacks
 * their memory although tasks took some. *cores (may be NULL): their cores, 0: unknown. */
enum br_status br_spark_cluster(const struct br_spark_log *log, struct br_cluster **cluster,
                                uint32_t *cores, struct br_diag *diag);

#endif
