/* Executors of several sizes, and what tasks ask for. [Mao19, 7.3] */
#ifndef BR_CLUSTER_EXECUTORS_CLASSES_H
#define BR_CLUSTER_EXECUTORS_CLASSES_H

#include "cluster/executors/jobs.h"

/* The memory of each class, a list of numbers that rise (base/text/list.h), of up to
 * BR_EXECUTOR_CLASSES; executors are shared out evenly, one more to the first ones if that does not
 * come out even. BR_USAGE: there are fewer executors than classes. */
enum br_status br_executors_classes_read(const char *list, struct br_executors_options *options,
                                         struct br_diag *diag);

/* The requests of one job's stages, by the demands of the dag (NULL: none), as in
 * br_executors_jobs_ask. O(stages). BR_BAD_INPUT: more than any class has. */
enum br_status br_executors_job_asks(const struct br_dag *dag, uint32_t stages, uint64_t seed,
                                     const struct br_executors_options *options, bool draw,
                                     struct br_executor_request *request, struct br_diag *diag);

/* Sets the requests of every job's stages to the dag's demands of "mem". A stage without such a
 * demand asks for nothing, or with `draw` for a number above 0 and up to the largest class, drawn
 * evenly by the job's seed. O(stages). BR_BAD_INPUT: more than any class has; BR_SYSTEM. */
enum br_status br_executors_jobs_ask(struct br_executors_jobs *jobs,
                                     const struct br_workload *workload,
                                     const struct br_executors_options *options, bool draw,
                                     struct br_diag *diag);

#endif
