/* Files that are no jobs, but that people have where they want a plan: builds, workflows, models,
 * databases. */
#ifndef BR_PARSERS_OTHER_H
#define BR_PARSERS_OTHER_H

#include "parsers/text/source.h"

/* Says what the file is, by its content or its name, and what reads it: BR_BAD_INPUT. BR_OK: it is
 * none that is known. O(bytes in the buffer). */
enum br_status br_refuse_other(const struct br_source *source, struct br_diag *diag);

#endif
