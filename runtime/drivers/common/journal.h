/* The tasks that have finished, on disk, so that a run that died at any moment can go on.
 *
 * A text file that is only ever appended to: a record that names the jobs and the run, then one for
 * every session of it, which says whose it is, one for every job that has come since, and one for
 * every start and every end of a task.
 * A task counts as finished once it has its record; a task that was running when the run died has
 * none and runs again.
 *
 * Every record is a line of known length, at a multiple of it, with a sum of its own that also
 * holds the run's name. So whatever bytes are damaged, the records that they are not of are still
 * known; what was cut at the end by a crash never was; and what another file has left on the disk
 * is not taken for the journal's.
 */
#ifndef BR_RUNTIME_DRIVERS_COMMON_JOURNAL_H
#define BR_RUNTIME_DRIVERS_COMMON_JOURNAL_H

#include <bigrocks/dag.h>
#include <stdbool.h>

#include "base/text/diag.h"
#include "runtime/drivers/common/replay.h"

/* A job of the journal: what it has of it, and what the caller wants to know. */
struct br_journal_job {
    const struct br_dag *dag;
    bool *done;         /* by task: set where the journal has its end; of zeros before */
    uint32_t number;    /* in the journal; filled in */
    uint32_t in_flight; /* tasks that were running when the last session died; filled in */
    int64_t *lasted_ns; /* by task that is done: how long it took, rounded to what its record has
                           room for; 0: not told; of zeros before. NULL: not asked for */
};

struct br_journal {
    int file; /* -1: there is none */
    bool unsynced;
    bool broken;  /* it could not be written to; nothing is added any more */
    bool regular; /* a file, of so many bytes: */
    uint64_t size;
    uint64_t seed;          /* of the sums: from the run's name */
    char run[40];           /* names the run; tasks have it in their environment */
    const char *mark;       /* of this session; borrowed */
    struct br_replay past;  /* jobs of earlier sessions that may still be added */
    uint32_t numbers, open; /* of jobs: taken, and those of them that have not been dropped */
};

/* Earlier sessions as the journal has them. */
struct br_journal_found {
    uint32_t orphans;    /* processes that the last one had left behind, killed now */
    uint32_t damaged;    /* records that cannot be read, and so never were */
    uint64_t damaged_at; /* where the first of them is, in bytes */
};

/* Opens the journal, locks it, and makes it this session's, whose tasks carry the mark (family.h,
 * borrowed). Its jobs are those given, in any order; where none is given (count 0), br_journal_add
 * adds them one by one. Without `resume` the file must not hold a run yet; with it the run that it
 * holds goes on, or begins where there is no file or an empty one: what is known of the jobs is
 * filled in, and what the last session has left running is killed. Refused, and left as it is: a
 * journal of other jobs, or one whose last session still lives, though it may use a copy of it
 * (BR_NO); a file that is no journal (BR_BAD_INPUT). */
enum br_status br_journal_open(struct br_journal *journal, const char *path, bool resume,
                               struct br_journal_job *jobs, uint32_t count, const char *mark,
                               struct br_journal_found *found, struct br_diag *diag);

/* Adds a job to a journal that was opened without: takes it up where an earlier session had a job
 * of that name that was not dropped, and br_journal_settle has not been called since; BR_NO where
 * that was another job. No two jobs that are not dropped have one name. O(earlier jobs). */
enum br_status br_journal_add(struct br_journal *journal, const char *name,
                              struct br_journal_job *job, struct br_diag *diag);
/* All jobs of earlier sessions that go on have been added: forgets the others. */
enum br_status br_journal_settle(struct br_journal *journal, struct br_diag *diag);
/* The job is over, and its name is free again. A journal that holds no job any more is cut when it
 * has grown. */
enum br_status br_journal_drop(struct br_journal *journal, uint32_t number, struct br_diag *diag);

/* Adds a record; it survives the death of this program from then on. */
enum br_status br_journal_started(struct br_journal *journal, uint32_t number, uint32_t task,
                                  struct br_diag *diag);
/* The task has taken so long; 0: nobody knows. */
enum br_status br_journal_finished(struct br_journal *journal, uint32_t number, uint32_t task,
                                   int64_t lasted_ns, struct br_diag *diag);
/* Makes what has been added survive the death of the machine. */
enum br_status br_journal_sync(struct br_journal *journal, struct br_diag *diag);
void br_journal_close(struct br_journal *journal);

#endif
