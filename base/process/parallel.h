/* Running independent pieces of work on several threads. */
#ifndef BR_BASE_PROCESS_PARALLEL_H
#define BR_BASE_PROCESS_PARALLEL_H

#include <stdbool.h>
#include <stdint.h>

/* Processors that this process may use, at least 1. */
uint32_t br_processors(void);

/* Calls work(context, worker, index) once for every index in 0..count-1, on up to `threads` threads
 * of which the caller is one. Indices are handed out in ascending order from a shared counter;
 * worker is 0..threads-1 and never runs twice at a time. Uses fewer threads if more cannot be
 * started. Ends early, with indices left out, if work returns false. */
void br_parallel(uint32_t threads, uint32_t count,
                 bool (*work)(void *context, uint32_t worker, uint32_t index), void *context);

/* Threads that persist between calls, for a caller with thousands of short ones. */
struct br_crew;

/* From now on the calls of br_parallel on this thread use the crew's threads, started as needed,
 * until it leaves; so do calls from within the work, and whoever has nothing left to do joins them.
 * NULL, which changes nothing, when memory is out, or if the thread has a crew already. */
struct br_crew *br_crew_enter(void);
/* Ends the threads; NULL is fine. Called on the thread that has entered. */
void br_crew_leave(struct br_crew *crew);

#endif
