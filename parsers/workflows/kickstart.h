/* Records of Pegasus's kickstart, which wraps the jobs of a run and keeps what they used. */
#ifndef BR_PARSERS_WORKFLOWS_KICKSTART_H
#define BR_PARSERS_WORKFLOWS_KICKSTART_H

#include "parsers/reader/input.h"

/* Gives the stages of input->dag, which is not finished, the times of the records below `path`, if
 * that is a folder, the submit folder of a run; else, and if path is NULL, nothing changes. Of the
 * records of a job the last one that ended well counts. Sets input->timed, and adds doubts. Later
 * faults are of `file`. BR_SYSTEM; BR_BAD_INPUT with the place for a duration that is none, and for
 * a folder without records of these jobs. O(text). */
enum br_status br_kickstart_take(const char *path, const char *file, struct br_input *input,
                                 struct br_diag *diag);

#endif
