/* A flag that asks a running call to end early. */
#ifndef BIGROCKS_STOP_H
#define BIGROCKS_STOP_H

#include <bigrocks/diag.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Owned by the caller, and kept until the calls that use it have returned. Start it zeroed: `struct
 * br_stop stop = {0};`. One flag may serve several calls at once. */
struct br_stop {
    int level; /* used by the calls below only */
};

/* Raises the flag. May be called from any thread, or from a signal handler. */
BR_API void br_stop_raise(struct br_stop *stop);
/* Is it raised? For the caller's own work, such as a source of bounds. */
BR_API bool br_stop_raised(const struct br_stop *stop);
/* Lowers the flag, for the next call. */
BR_API void br_stop_lower(struct br_stop *stop);

#ifdef __cplusplus
}
#endif
#endif
