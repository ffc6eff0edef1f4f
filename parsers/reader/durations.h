/* Durations given by hand, for jobs of any format. */
#ifndef BR_PARSERS_READER_DURATIONS_H
#define BR_PARSERS_READER_DURATIONS_H

#include "planner/model/dag.h"

/* Reads a table of two columns (CSV): a stage, by its id or by a pattern (* ? [a-z]) of ids, or a
 * task, such as map[3]; and the seconds that each of its tasks lasts. A first row "id,seconds" (or
 * any whose second field begins with a letter) is a header. The last row that fits decides. `many`:
 * the table is for several jobs, so that rows may fit nothing here; else that is a doubt of the
 * job. The dag is finished. BR_BAD_INPUT with the place for rows of another form, and for a table
 * without rows. */
enum br_status br_read_durations(const char *path, bool many, struct br_dag *dag,
                                 struct br_diag *diag);

#endif
