/* The stop flag as the rooms read it: one atomic number. The public header is also for C++, which
 * has no _Atomic, so the accesses use the compiler's atomic operations. Writes before the flag was
 * raised are visible to reads after it was seen. */
#ifndef BR_BASE_PROCESS_STOP_H
#define BR_BASE_PROCESS_STOP_H

#include <bigrocks/stop.h>
#include <stdbool.h>
#include <stddef.h>

/* 0: go on; 1: end early; higher, for readers that know it: end sooner still. NULL is never raised.
 */
static inline int br_stop_level(const struct br_stop *stop)
{
    return stop ? __atomic_load_n(&stop->level, __ATOMIC_ACQUIRE) : 0;
}

static inline bool br_stopped(const struct br_stop *stop)
{
    return br_stop_level(stop) != 0;
}

static inline void br_stop_set(struct br_stop *stop, int level)
{
    __atomic_store_n(&stop->level, level, __ATOMIC_RELEASE);
}

#endif
