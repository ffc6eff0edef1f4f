/* The alternatives of a job in the native form: <alternative id= class= duration=>, the attribute
 * class of <stage>, and what is consumed. */
#ifndef BR_PARSERS_JOBS_JOB_WAYS_H
#define BR_PARSERS_JOBS_JOB_WAYS_H

#include "base/collections/arena.h"
#include "parsers/text/xml.h"
#include "planner/model/dag.h"

/* The duration of one task by one alternative, which may come behind it. */
struct br_waiting_duration {
    uint32_t stage, index;
    const char *alternative; /* the arena's */
    int64_t duration_ns;
    uint32_t before; /* durations for all alternatives that were set before */
    struct br_pos pos;
};

struct br_job_ways {
    uint32_t durations, room;
    struct br_waiting_duration *duration;
    uint32_t alternative; /* of the stage that is open */
};

/* <alternative>: it becomes the open one. */
enum br_status br_job_ways_start(struct br_job_ways *ways, struct br_dag *dag, uint32_t stage,
                                 struct br_xml *xml);
/* The attribute `class` of a stage (BR_WHOLE_STAGE) or an alternative. */
enum br_status br_job_ways_classes(struct br_dag *dag, uint32_t stage, uint32_t alternative,
                                   struct br_xml *xml);
/* <demand> of a stage (BR_WHOLE_STAGE) or an alternative, held or consumed. */
enum br_status br_job_ways_demand(struct br_dag *dag, uint32_t stage, uint32_t alternative,
                                  struct br_xml *xml);
/* <task index= alternative= duration=>. */
enum br_status br_job_ways_duration(struct br_job_ways *ways, struct br_arena *arena,
                                    const struct br_dag *dag, uint32_t stage, uint32_t index,
                                    int64_t duration_ns, struct br_xml *xml);
/* Sets the durations, at the end of the job. */
enum br_status br_job_ways_finish(struct br_job_ways *ways, struct br_dag *dag,
                                  struct br_diag *diag);

#endif
