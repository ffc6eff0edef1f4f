/* Shared by the files that read plans, and bounds with their jobs. */
#ifndef BR_PARSERS_PLANS_PLAN_READER_H
#define BR_PARSERS_PLANS_PLAN_READER_H

#include "parsers/text/json.h"
#include "parsers/text/source.h"
#include "parsers/plans/names.h"
#include "parsers/plans/plans.h"
#include "parsers/plans/put.h"
#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"
#include "planner/instance/plan.h"

struct br_plan_reader {
    struct br_json json;
    struct br_diag *diag;
    struct br_dag *dag;
    struct br_cluster *cluster;
    struct br_class_names classes;
    uint32_t *by_ends; /* edges, by parent and child; if the plan has transfers */
    uint32_t piece_room;
    struct br_plan *plan;
    int64_t lower_bound_ns; /* these two if there is no plan to hold them */
    struct br_certificate *certificate;
};

/* The members of a plan. */
enum {
    BR_PLAN_FORMAT,
    BR_PLAN_JOB,
    BR_PLAN_METHOD,
    BR_PLAN_SEED,
    BR_PLAN_MAKESPAN,
    BR_PLAN_LOWER_BOUND,
    BR_PLAN_NETWORK_BOUND,
    BR_PLAN_GAP,
    BR_PLAN_OBJECTIVE,
    BR_PLAN_MEAN,
    BR_PLAN_MEAN_BOUND,
    BR_PLAN_BOUND_METHOD,
    BR_PLAN_BOUND_STATUS,
    BR_PLAN_CERTIFICATE,
    BR_PLAN_PLACEMENTS,
    BR_PLAN_NOTE,
    BR_PLAN_NOISE,
    BR_PLAN_ATTRIBUTES,
    BR_PLAN_RESOURCES,
    BR_PLAN_STAGES,
    BR_PLAN_EDGES,
    BR_PLAN_CLUSTER,
    BR_PLAN_TRIALS,
    BR_PLAN_PARTS,
    BR_PLAN_TRANSFERS,
    BR_PLAN_TASKS,
    BR_PLAN_FIELDS
};

/* Fill r->dag, finished, and r->cluster, from the members in top. False after a fault; finished
 * parts stay with the reader. `file` names the plan in later faults of the job. */
bool br_plan_read_job(struct br_plan_reader *r, const struct br_json_field *top, const char *file);
bool br_plan_read_cluster(struct br_plan_reader *r, const struct br_json_field *cluster);

/* The alternatives of a stage, its classes and what it consumes, if the fields are there. */
enum { BR_PLAN_ALTERNATIVES, BR_PLAN_CONSUMED, BR_PLAN_CLASSES, BR_PLAN_WAYS };
bool br_plan_read_ways(struct br_plan_reader *r, uint32_t stage,
                       const struct br_json_field field[BR_PLAN_WAYS]);

/* The stage, the task or the machine named by the next string, or by that at the field. For
 * machines the classes must be indexed once before. */
bool br_plan_stage_named(struct br_plan_reader *r, const char *what, uint32_t *stage);
bool br_plan_task_named(struct br_plan_reader *r, const struct br_json_field *field,
                        uint32_t *task);
bool br_plan_index_classes(struct br_plan_reader *r);
bool br_plan_machine_named(struct br_plan_reader *r, const struct br_json_field *field,
                           uint32_t *machine);
bool br_plan_read_gap(struct br_plan_reader *r, const struct br_json_field *field);
bool br_plan_read_status(struct br_plan_reader *r, const struct br_json_field *field);
/* Reads the plan's transfers if it has any. */
bool br_plan_read_transfers(struct br_plan_reader *r, const struct br_json_field *field);

/* Lets `read` walk the source; `what` names its kind in messages. Then the input owns the job and
 * the cluster; after a fault nothing is left in it or in the reader. */
enum br_status br_plan_read_source(struct br_plan_reader *r, struct br_source *source,
                                   const char *what,
                                   bool (*read)(struct br_plan_reader *r, const char *file),
                                   struct br_input *input);

#endif
