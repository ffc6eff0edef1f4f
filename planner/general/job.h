/* A job with features on its cluster, in integers: outputs that are held until they are read,
 * shared resources, releases, deadlines, lags, streams, and what changes with time. Times are
 * nanoseconds. Amounts of a resource are scaled by one power of ten.
 *
 * A place is what has an amount of one resource: a machine, or for a shared resource the cluster.
 * The cluster stands behind the machines, so place (m, r) is number m * resources + r, and the
 * places of shared resources are those of machine number `machines`. */
#ifndef BR_PLANNER_GENERAL_JOB_H
#define BR_PLANNER_GENERAL_JOB_H

#include "planner/instance/frontier.h"
#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"

struct br_general_output {
    uint32_t stage, resource;
    int64_t amount;
    bool from_end;
    bool result;    /* nobody reads it, and it is held to the end of the job */
    bool none;      /* nobody reads it, and it goes with its task */
    uint32_t first; /* number of the instance that its stage's first task makes */
};

/* The capacity of a place from a time on. */
struct br_general_level {
    int64_t from, amount;
};

struct br_general_span {
    int64_t from, to;
};

struct br_general {
    struct br_arena arena;
    const struct br_dag *dag; /* borrowed */
    const struct br_cluster *cluster;
    uint32_t tasks, stages, resources, machines, classes;
    uint32_t *stage_first; /* stages + 1 */
    uint32_t *task_stage;
    uint32_t *topological;                  /* stages */
    int64_t *duration, *release, *deadline; /* by task; INT64_MAX: no deadline */
    int64_t *tail;   /* by task: the time from its start to the end of the job, by arcs alone */
    int64_t *latest; /* by task: its latest end by the deadlines behind it; INT64_MAX: none */
    bool deadlines;
    int64_t *demand; /* [stage * resources + resource], while the task runs */
    int64_t *made; /* [stage * resources + resource]: outputs held from the start of the task on */
    int64_t *late; /* the same of outputs held from its end on */

    bool *plain; /* by stage: its tasks stand for one another, as no arc joins them one to one */
    uint32_t *child_first, *parent_first; /* arcs in CSR form, by stage */
    struct br_stage_arc *child, *parent;

    /* Outputs, by stage; an instance is one task's output. */
    uint32_t outputs, instances;
    struct br_general_output *output;
    uint32_t *output_first; /* by stage */
    /* The arcs that read each output, from its side and from that of the reading stage. */
    uint32_t *reader_first;      /* by output, in `reader` */
    struct br_stage_arc *reader; /* the reading stage */
    uint32_t *read_first;        /* by stage, in `read` */
    struct br_general_read {
        uint32_t output;
        bool one_to_one;
    } * read;

    uint32_t *class_first; /* classes + 1: machines */
    uint32_t *machine_class;
    bool *shared; /* by resource */
    bool *stored; /* by resource: some output is of it, and it can run short */
    bool any_stored, stored_on_machines;
    bool shared_short; /* some shared resource can run short */
    int64_t *capacity; /* [class * resources + resource], without changes */
    int64_t *shared_capacity;
    uint32_t *resource_origin; /* in the Dag */
    int32_t *digits;

    /* What changes with time; NULL and 0 if nothing does. */
    bool calendar;
    uint32_t *closed_first; /* by machine, in `closed`, which is sorted and disjoint */
    struct br_general_span *closed;
    uint32_t *level_first; /* by place, in `level`; a place without levels does not change */
    struct br_general_level *level;
    uint32_t marks;
    int64_t *mark; /* times at which something changes, ascending */
};

/* Brings the finished job onto integers; it borrows both. BR_BAD_INPUT as br_instance_create, and
 * for an output that no place holds. */
enum br_status br_general_create(const struct br_dag *dag, const struct br_cluster *cluster,
                                 struct br_general **job, struct br_diag *diag);
void br_general_destroy(struct br_general *job);

/* The arcs to what a stage waits for, and to what waits for it. */
static inline struct br_stage_arcs br_general_behind(const struct br_general *job)
{
    return (struct br_stage_arcs){job->parent_first, job->parent};
}
static inline struct br_stage_arcs br_general_ahead(const struct br_general *job)
{
    return (struct br_stage_arcs){job->child_first, job->child};
}

static inline uint32_t br_general_place(const struct br_general *job, uint32_t machine,
                                        uint32_t resource)
{
    return (job->shared[resource] ? job->machines : machine) * job->resources + resource;
}

/* The capacity of a place at a time, and the least from a time on. O(log changes), O(changes). */
int64_t br_general_capacity(const struct br_general *job, uint32_t place, int64_t time);
int64_t br_general_least(const struct br_general *job, uint32_t place, int64_t from);
/* Is the machine there from `start` to `end`? */
bool br_general_open(const struct br_general *job, uint32_t machine, int64_t start, int64_t end);

#endif
