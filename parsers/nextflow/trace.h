/* The tasks of a run of Nextflow's, and what its trace says about when they ran. */
#ifndef BR_PARSERS_NEXTFLOW_TRACE_H
#define BR_PARSERS_NEXTFLOW_TRACE_H

#include <stdbool.h>

#include "parsers/nextflow/processes.h"
#include "planner/model/dag.h"

/* Of the stage with the same number. Times are nanoseconds since 1970; -1: not recorded. */
struct br_trace_task {
    uint32_t process;
    const char *tag; /* "": none */
    bool numbered;   /* the tag is the number that Nextflow gives to tasks without one */
    int64_t submitted_ns, ended_ns;
};

struct br_trace {
    struct br_dag *dag;
    struct br_arena arena;
    uint32_t processes, process_room, tasks, task_room;
    const char **process; /* their full names */
    struct br_trace_task *task;
};

/* Is the text a trace? From its first line. */
bool br_is_nextflow(const char *text);
/* Adds an edge for every pair of tasks of which one, by its process, its tag and the time at which
 * it was submitted, waits for the other. */
enum br_status br_trace_link(struct br_trace *trace, const struct br_processes *graph,
                             struct br_diag *diag);

#endif
