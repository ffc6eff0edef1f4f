/* Commands that name their alternative: "{alternative}" stands for its id, and
 * "{alternative:one=1,four=4}" for the text that the list gives to it. */
#ifndef BR_PLANNER_MODEL_ALTERNATIVE_TEXT_H
#define BR_PLANNER_MODEL_ALTERNATIVE_TEXT_H

#include <stdint.h>

#include "base/text/diag.h"

/* The command for tasks by the alternative `id`; NULL: the stage has none, and nothing stands for
 * it. If `index` is not UINT32_MAX, "{index}" is replaced, too. *made is to be freed by br_free.
 * BR_BAD_INPUT if a list has no text for the alternative, BR_SYSTEM. */
enum br_status br_alternative_text(const char *command, const char *id, uint32_t index, char **made,
                                   struct br_diag *diag);

#endif
