/* Shared by the files that derive windows. */
#ifndef BR_EMIT_PROOFS_WINDOWS_H
#define BR_EMIT_PROOFS_WINDOWS_H

#include "emit/proofs/derive.h"

/* The sum of two lines; b if a is 0. */
uint64_t br_windows_add(struct br_derivation *lines, uint64_t a, uint64_t b);
/* If the task's head is behind its latest start: the conflict, or the part is closed. */
void br_windows_meet(struct br_derivation *lines, uint32_t task);
/* The latest start of the task by those of the members that wait for it, of which only those are
 * looked at that are marked (all if NULL), as long as it is not before the head. False: no news. */
bool br_windows_back(struct br_derivation *lines, struct br_windows *windows, const bool *marked,
                     uint32_t task);
/* The same of the members that the task waits for: hands its head on, and marks whom it moves. */
void br_windows_forth(struct br_derivation *lines, struct br_windows *windows, bool *marked,
                      uint32_t task);

static inline bool br_windows_done(const struct br_derivation *lines)
{
    return lines->conflict || lines->closed;
}

#endif
