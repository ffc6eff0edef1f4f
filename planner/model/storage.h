/* Storage: the outputs of a job's tasks, and the edges that read them. An output is held until the
 * last task that reads it has ended; bigrocks/dag.h says from when and where. */
#ifndef BR_PLANNER_MODEL_STORAGE_H
#define BR_PLANNER_MODEL_STORAGE_H

#include <bigrocks/dag.h>

#include <stdbool.h>

#include "base/numbers/decimal.h"

struct br_output {
    uint32_t stage;    /* whose tasks each make one */
    uint32_t resource; /* index into br_dag.resource */
    uint32_t flags;    /* BR_OUTPUT_* */
    struct br_decimal amount;
    const char *id;
    const char *release; /* the command for an output that is no longer held; NULL: none */
};

/* The reads of an edge as given: ids with blanks between them. */
struct br_given_reads {
    uint32_t edge;
    const char *ids;
};

struct br_storage {
    uint32_t outputs, output_room;
    struct br_output *output; /* grouped by stage in a finished job, in the order given */
    bool unsorted;            /* the stages of outputs, as given, do not ascend */
    uint32_t givens, given_room;
    struct br_given_reads *given; /* grouped by edge in a finished job */

    /* In a finished job. */
    uint32_t *given_first;  /* an edge without given reads reads all */
    uint32_t *stage_first;  /* the outputs of stage s: stage_first[s] .. stage_first[s + 1] - 1 */
    uint32_t *edge_first;   /* those that edge e reads: reads[edge_first[e]] .. */
    uint32_t *reads;        /* outputs, ascending within an edge */
    uint32_t *output_first; /* the edges that read output o: readers[output_first[o]] .. */
    uint32_t *readers;      /* edges, ascending */
};

void br_storage_destroy(struct br_storage *storage);
/* Is an output that nobody reads held to the end of the job? */
static inline bool br_output_is_result(const struct br_storage *storage, uint32_t output)
{
    return storage->output_first[output] == storage->output_first[output + 1] &&
           !(storage->output[output].flags & BR_OUTPUT_UNKEPT);
}

#endif
