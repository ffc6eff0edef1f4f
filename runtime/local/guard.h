/* A small process that sees to it that nothing of a session is left where the driver itself dies
 * without having ended it: of kill -9, or of memory that is out. */
#ifndef BR_LOCAL_GUARD_H
#define BR_LOCAL_GUARD_H

/* Starts it, for all processes that carry the mark (family.h). Call it early, while this program is
 * small and has one thread, since it keeps a copy. Returns a descriptor for br_guard_end, or -1
 * where it cannot be; then a run that goes on with the journal finds what is left. */
int br_guard_start(const char *mark);
/* All has ended as it should. -1 does nothing. */
void br_guard_end(int guard);

#endif
