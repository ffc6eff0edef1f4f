/* The finished tasks, on disk, so that a run that died at any moment can be resumed.
 *
 * A text file that is only appended to: a record that names the jobs and the run, then one for
 * every session, with its process, one for every job that has come since, and one for every start
 * and every end of a task. A task counts as finished once its end is recorded; a task that was
 * running when the run died has no such record and runs again.
 *
 * Every record is a line of known length, at a multiple of it, with a checksum that also covers the
 * run's name. So damaged bytes cost only the records that contain them; a record cut off by a crash
 * never counted; and leftovers of another file on the disk are not taken for the journal's.
 */
#ifndef BR_RUNTIME_DRIVERS_COMMON_JOURNAL_H
#define BR_RUNTIME_DRIVERS_COMMON_JOURNAL_H

#include <bigrocks/dag.h>
#include <stdbool.h>

#include "base/text/diag.h"
#include "runtime/drivers/common/replay.h"

/* A job of the journal: its contents there, and the fields that the caller asks for. */
struct br_journal_job {
    const struct br_dag *dag;
    bool *done;         /* by task: set if the journal has its end; of zeros before */
    uint32_t number;    /* in the journal; filled in */
    uint32_t in_flight; /* tasks that were running when the last session died; filled in */
    int64_t *lasted_ns; /* by task that is done: its duration, rounded to the room in its record; 0:
                           unknown; of zeros before. NULL: not asked for */
};

struct br_journal {
    int file; /* -1: there is none */
    bool unsynced;
    bool broken;  /* writing failed; nothing is added any more */
    bool regular; /* a regular file, of this many bytes: */
    uint64_t size;
    uint64_t seed;          /* of the checksums: from the run's name */
    char run[40];           /* names the run; tasks have it in their environment */
    const char *mark;       /* of this session; borrowed */
    struct br_replay past;  /* jobs of earlier sessions that may still be added */
    uint32_t numbers, open; /* number of jobs: added, and those not dropped */
};

/* Earlier sessions as the journal has them. */
struct br_journal_found {
    uint32_t orphans;    /* processes left behind by the last one, killed now */
    uint32_t damaged;    /* unreadable records, which count as never written */
    uint64_t damaged_at; /* where the first of them is, in bytes */
};

/* Opens the journal, locks it, and makes it this session's, whose tasks carry the mark (family.h,
 * borrowed). Its jobs are those given, in any order; if none is given (count 0), br_journal_add
 * adds them one by one. Without `resume` the file must not hold a run yet. With it, the run in the
 * file is resumed, or begins if there is no file or an empty one: the past of the jobs is filled
 * in, and processes that the last session left running are killed. Refused, and left unchanged: a
 * journal of other jobs, or one whose last session still lives, even if that uses a copy of it
 * (BR_NO); a file that is no journal (BR_BAD_INPUT). */
enum br_status br_journal_open(struct br_journal *journal, const char *path, bool resume,
                               struct br_journal_job *jobs, uint32_t count, const char *mark,
                               struct br_journal_found *found, struct br_diag *diag);

/* What is done of the job, by earlier sessions of the journal of this one job, whose choice of
 * alternatives may be any: `done` and `by` are by task, of zeros before; `by` is the alternative as
 * recorded above. Nothing if there is no such journal, which br_journal_open would say. Changes
 * nothing in the file. BR_SYSTEM (memory). */
enum br_status br_journal_look(const char *path, const struct br_dag *dag, bool *done, uint32_t *by,
                               struct br_diag *diag);

/* Adds a job to a journal that was opened without jobs. Resumes it if an earlier session had a job
 * of that name, not dropped, and br_journal_settle has not been called since; BR_NO if that was
 * another job. No two jobs that are not dropped have one name. O(earlier jobs). */
enum br_status br_journal_add(struct br_journal *journal, const char *name,
                              struct br_journal_job *job, struct br_diag *diag);
/* All resumed jobs of earlier sessions have been added: forgets the others. */
enum br_status br_journal_settle(struct br_journal *journal, struct br_diag *diag);
/* The job is over, and its name is free again. If the journal has no job left and has grown, it is
 * cut. */
enum br_status br_journal_drop(struct br_journal *journal, uint32_t number, struct br_diag *diag);

/* Adds a record; it survives the death of this program from then on. `alternative` is that by which
 * the task runs, counted within its stage from 1; 0: not told. */
enum br_status br_journal_started(struct br_journal *journal, uint32_t number, uint32_t task,
                                  uint32_t alternative, struct br_diag *diag);
/* The duration of the task; 0: unknown. */
enum br_status br_journal_finished(struct br_journal *journal, uint32_t number, uint32_t task,
                                   int64_t lasted_ns, struct br_diag *diag);
/* Makes the added records survive a crash of the machine. */
enum br_status br_journal_sync(struct br_journal *journal, struct br_diag *diag);
void br_journal_close(struct br_journal *journal);

#endif
