/* Reads and times in the words of the native forms. */
#ifndef BR_EMIT_WRITE_TIMES_H
#define BR_EMIT_WRITE_TIMES_H

#include <stdio.h>

#include "emit/write/write.h"
#include "planner/model/dag.h"

/* The release and the deadline that a stage gives its tasks: those of its first task, if all tasks
 * have one, else 0 and INT64_MAX. Tasks with others say so themselves. O(tasks of the stage) if
 * the job has such times. */
struct br_stage_times {
    int64_t release_ns, deadline_ns;
};
struct br_stage_times br_stage_times(const struct br_dag *dag, uint32_t stage);

/* The ids of the outputs that the edge reads, with blanks between them. */
void br_write_reads(FILE *out, enum br_quote quote, const struct br_dag *dag, uint32_t edge);

#endif
