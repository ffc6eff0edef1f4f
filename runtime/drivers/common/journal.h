/* The tasks that have finished, on disk, so that a run that died at any moment can go on.
 *
 * A text file that is only ever appended to: a record that names the job and the run, then one for
 * every session of it, which says whose it is, and one for every start and every end of a task.
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

struct br_journal {
    int file; /* -1: there is none */
    bool unsynced;
    bool broken;  /* it could not be written to; nothing is added any more */
    bool regular; /* a file, of so many bytes: */
    uint64_t size;
    uint64_t seed; /* of the sums: from the run's name */
    char run[40];  /* names the run; tasks have it in their environment */
};

/* Earlier sessions as the journal has them. */
struct br_journal_found {
    uint32_t in_flight;  /* tasks that were running when the last one died */
    uint32_t orphans;    /* processes that it had left behind, killed now */
    uint32_t damaged;    /* records that cannot be read, and so never were */
    uint64_t damaged_at; /* where the first of them is, in bytes */
};

/* Opens the journal, locks it, and makes it this session's, whose tasks carry the mark (family.h).
 * Without `resume` the file must not hold a run yet; with it the run that it holds goes on, or
 * begins where there is no file or an empty one: done[task] is set for every task that has
 * finished, and what the last session has left running is killed. Refused, and left as it is: a
 * journal of another job, or one whose last session still lives, though it may use a copy of it
 * (BR_NO); a file that is no journal (BR_BAD_INPUT). */
enum br_status br_journal_open(struct br_journal *journal, const char *path, bool resume,
                               const struct br_dag *dag, const char *mark, bool *done,
                               struct br_journal_found *found, struct br_diag *diag);
/* Adds a record; it survives the death of this program from then on. */
enum br_status br_journal_started(struct br_journal *journal, const struct br_dag *dag,
                                  uint32_t task, struct br_diag *diag);
enum br_status br_journal_finished(struct br_journal *journal, const struct br_dag *dag,
                                   uint32_t task, struct br_diag *diag);
/* Makes what has been added survive the death of the machine. */
enum br_status br_journal_sync(struct br_journal *journal, struct br_diag *diag);
void br_journal_close(struct br_journal *journal);

#endif
