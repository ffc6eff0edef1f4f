/* The records that ninja would have kept of a run, written as its commands end. */
#ifndef BR_EMIT_NINJA_RECORD_H
#define BR_EMIT_NINJA_RECORD_H

#include "planner/model/dag.h"

/* A run of such a job, for ninja to go on from. */
struct br_ninja_record {
    const char *folder, *file; /* from the job's "ninja.folder" and "ninja.file" (or NULL) */
    const struct br_dag *dag;
    uint32_t version; /* 5 to 7: version of a new log */
};
/* A command that has finished. */
struct br_ninja_ended {
    uint32_t task;
    int64_t began_ns;         /* the run, on the wall clock */
    int64_t start_ns, end_ns; /* since then; start_ns is -1 if it had finished before this run */
};
struct br_ninja_recorder;

/* Reads the build; nothing is written yet. The record's texts and job are borrowed until the
 * recorder is destroyed. BR_SYSTEM, BR_BAD_INPUT: then *recorder is NULL. */
enum br_status br_ninja_recorder_create(const struct br_ninja_record *record,
                                        struct br_ninja_recorder **recorder, struct br_diag *diag);
/* Adds to the build's .ninja_log and .ninja_deps what ninja would have written of the command, so
 * that its outputs are up to date for ninja; it is in the files when this returns. Skips a command
 * whose script differs in the build, and one that had finished before if its record exists.
 * BR_SYSTEM; BR_BAD_INPUT if a file of the build is malformed: a depfile's fault concerns only this
 * command. */
enum br_status br_ninja_recorder_add(struct br_ninja_recorder *recorder,
                                     const struct br_ninja_ended *ended, struct br_diag *diag);
/* BR_SYSTEM if something was not written. NULL is fine. */
enum br_status br_ninja_recorder_destroy(struct br_ninja_recorder *recorder, struct br_diag *diag);

#endif
