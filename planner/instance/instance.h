/* A job and its cluster, brought onto integers: what all planning and bounding reads.
 *
 * Time is counted in ticks, the greatest common divisor of all durations. Amounts of a resource are
 * scaled by one power of ten, so that every demand and capacity is an integer and no sum over all
 * machines overflows. Resources that nobody demands are left out. Edges stay between stages: a
 * barrier of 10,000 to 10,000 tasks is one arc. A part of an instance (see part.h) is an instance
 * again, so nothing downstream has to know of parts. */
#ifndef BR_PLANNER_INSTANCE_INSTANCE_H
#define BR_PLANNER_INSTANCE_INSTANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/collections/arena.h"
#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"

/* Ticks that may be added freely without overflow: sums of all durations stay below it. */
#define BR_TICKS_MAX (INT64_MAX / 4)

struct br_arc {
    uint32_t stage;  /* at the other end */
    bool one_to_one; /* only if both stages have several tasks; else a barrier is the same */
};

struct br_instance {
    struct br_arena arena;
    uint32_t tasks, stages, resources, classes, machines;
    int64_t tick_ns;

    /* Tasks, by stage; the tasks of stage s are stage_first[s] .. stage_first[s + 1] - 1. */
    uint32_t *stage_first; /* stages + 1 */
    uint32_t *task_stage;
    int64_t *duration;      /* by task, in ticks */
    int64_t *stage_longest; /* longest duration in the stage */
    bool *stage_equal;      /* all tasks of the stage last equally long */
    int64_t *demand;        /* [stage * resources + resource]; one 0 if there are no resources */
    uint32_t *task_origin;  /* task number in the Dag */
    uint32_t *topological;  /* stages, parents first, ties by number */
    uint32_t *position;     /* of a stage, in `topological` */

    /* Arcs between stages in CSR form, each once, sorted by the stage at the other end. */
    uint32_t *child_first; /* stages + 1 */
    struct br_arc *child;
    uint32_t *parent_first;
    struct br_arc *parent;

    /* Machines, by class; those of class c are class_first[c] .. class_first[c + 1] - 1. */
    uint32_t *class_first; /* classes + 1 */
    int64_t *capacity;     /* [class * resources + resource], of one machine */
    int64_t *total;        /* by resource, over all machines */

    /* The origin of each resource: its number in the Dag, and the power of ten by which its amounts
     * were multiplied. */
    uint32_t *resource_origin;
    int32_t *resource_digits;
};

/* Is the job finished, the cluster not empty, and are their amounts in the same units? Names the
 * job's file in later faults. */
enum br_status br_instance_check(const struct br_dag *dag, const struct br_cluster *cluster,
                                 struct br_diag *diag);
/* Builds the instance of a finished Dag. Faults: a demand that no machine holds, a resource that
 * the cluster lacks, amounts or durations that do not scale, no machine. *instance is the
 * caller's; dag and cluster are not needed afterwards. O(tasks + edges + classes x resources). */
enum br_status br_instance_create(const struct br_dag *dag, const struct br_cluster *cluster,
                                  struct br_instance **instance, struct br_diag *diag);
void br_instance_destroy(struct br_instance *instance);

/* The sub-instance of the given stages (ascending numbers), same cluster and tick; task_origin
 * holds the numbers in the original Dag. Its part of the cluster is borrowed from the whole. NULL
 * if memory is out. */
struct br_instance *br_instance_part(const struct br_instance *whole, const uint32_t *stages,
                                     uint32_t count);

/* A copy that counts time in multiples of `rounding` ticks, with every duration rounded down. No
 * schedule of it is longer than the same schedule before, so its lower bounds hold for the instance
 * too. The caller's; it borrows the cluster. NULL when memory is out. */
struct br_instance *br_instance_round(const struct br_instance *instance, int64_t rounding);

/* The stages of one of many parts. */
struct br_part_stages {
    const uint32_t *stages;      /* by number, ascending */
    const uint32_t *topological; /* the stages again, parents first */
    uint32_t count;
    const uint32_t *place; /* by stage of the whole: its number in the part, if `stages` has it */
};

/* The instance of the part, with all its memory in the arena. O(tasks + arcs). */
struct br_instance *br_instance_share(struct br_arena *arena, const struct br_instance *whole,
                                      const struct br_part_stages *share);

/* Fills *few as the instance with at most as many machines of a class as there are tasks. More
 * machines that are alike never help: a schedule on *few is one of the instance by
 * br_instance_machine. Its arrays are borrowed from the instance, totals too, and
 * br_instance_few_finish releases it. If this is not worth it, since the cluster is small or hardly
 * larger than the job, or if memory is out, *few is a plain copy and the result is false.
 * O(classes). */
bool br_instance_few(struct br_instance *few, const struct br_instance *instance);
void br_instance_few_finish(struct br_instance *few, const struct br_instance *instance);
/* The machine of the instance for which the machine of *few stands. O(log classes). */
uint32_t br_instance_machine(const struct br_instance *few, const struct br_instance *instance,
                             uint32_t machine);

/* Class of a machine. O(log classes). */
uint32_t br_instance_machine_class(const struct br_instance *instance, uint32_t machine);

/* How many tasks of the stage an empty machine of class `cls` holds at once, at most `most`.
 * O(resources). */
int64_t br_instance_holds(const struct br_instance *instance, uint32_t cls, uint32_t stage,
                          int64_t most);

/* Has some machine all that a task of the stage demands? O(classes x resources). */
bool br_instance_fits_some_class(const struct br_instance *instance, uint32_t stage);

/* For a resource of a single machine: the greatest common divisor of the demands. 0 if it cannot
 * run short, since all tasks that take time fit at once. O(tasks). */
int64_t br_instance_scarce_unit(const struct br_instance *instance, uint32_t resource);

/* ---- For the files that make instances ---- */

/* Allocates what belongs to the job, for the counts that are set; what a part has of the cluster
 * belongs to its whole. False when memory is out. */
bool br_instance_allocate(struct br_instance *instance, struct br_arena *arena, uint32_t arcs);
/* Derives from durations and topological order what the instance says of each stage. O(tasks). */
void br_instance_describe(struct br_instance *instance);
/* Is everything as struct br_instance says? O(tasks + arcs + stages x classes x resources). */
bool br_instance_is_sound(const struct br_instance *instance);

#endif
