/* The records that ninja would have kept of a run. */
#ifndef BR_EMIT_NINJA_RECORD_H
#define BR_EMIT_NINJA_RECORD_H

#include "planner/model/dag.h"

/* A run of such a job, for ninja to go on from. */
struct br_ninja_record {
    const char *folder, *file; /* as the job's "ninja.folder" and "ninja.file" (or NULL) */
    const struct br_dag *dag;
    int64_t began_ns; /* the run, on the wall clock */
    /* By task, since then; end_ns is -1 where it has not finished, and start_ns where it had
     * finished before this run. */
    const int64_t *start_ns, *end_ns;
    uint32_t version; /* 5 to 7: of the log, where the build has none yet */
};
/* Adds to the build's .ninja_log and .ninja_deps what ninja would have written of the commands that
 * have finished, so that for ninja their outputs are up to date. Left out is what the build no
 * longer says as it was run. BR_SYSTEM; BR_BAD_INPUT where a file of the build is not as it should
 * be; a command whose depfile is not is left out alone. */
enum br_status br_ninja_write_logs(const struct br_ninja_record *record, struct br_diag *diag);

#endif
