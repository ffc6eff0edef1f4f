/* What has finished, on disk, so that a run that died at any moment can go on.
 *
 * A text file that is only ever appended to: a line that names the job and the run, then a line for
 * every start and every end of a task, each with a sum of its own. A line that is torn, and all
 * after it, never was. What counts as finished is what has its line; a task that was running when
 * the run died has none and runs again.
 */
#ifndef BR_LOCAL_JOURNAL_H
#define BR_LOCAL_JOURNAL_H

#include <bigrocks/dag.h>
#include <stdbool.h>

#include "base/diag.h"

struct br_journal {
    int file; /* -1: there is none */
    bool unsynced;
    char run[40]; /* names the run; tasks have it in their environment */
    char *line;
    size_t room;
};

/* Opens the journal and locks it. Without `resume` the file must not hold a run yet; with it the
 * run that it holds goes on, or begins where there is no file: done[task] is set for every task
 * that has finished, *in_flight counts those that were running. Refused: a journal of another job
 * (BR_NO), of a run that is still going on (BR_NO), a file that is no journal (BR_BAD_INPUT). */
enum br_status br_journal_open(struct br_journal *journal, const char *path, bool resume,
                               const struct br_dag *dag, bool *done, uint32_t *in_flight,
                               struct br_diag *diag);
/* Adds a line; it survives the death of this program from then on. */
enum br_status br_journal_started(struct br_journal *journal, const struct br_dag *dag,
                                  uint32_t task, struct br_diag *diag);
enum br_status br_journal_finished(struct br_journal *journal, const struct br_dag *dag,
                                   uint32_t task, struct br_diag *diag);
/* Makes what has been added survive the death of the machine. */
enum br_status br_journal_sync(struct br_journal *journal, struct br_diag *diag);
void br_journal_close(struct br_journal *journal);

#endif
