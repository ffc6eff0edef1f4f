/* A flag that asks a running call to end early. */
#ifndef BIGROCKS_STOP_H
#define BIGROCKS_STOP_H

#include <bigrocks/diag.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The caller's, and to be kept until the calls that were given it have returned. Starts zeroed:
 * `struct br_stop stop = {0};`. One flag may serve several calls at once. */
struct br_stop {
    int level; /* of the calls below; not to be read or written otherwise */
};

/* Raises the flag. From any thread, or from a signal handler. */
BR_API void br_stop_raise(struct br_stop *stop);
/* Is it raised? For work of the caller's own, such as a source of bounds. */
BR_API bool br_stop_raised(const struct br_stop *stop);
/* Takes it down again, for the next call. */
BR_API void br_stop_lower(struct br_stop *stop);

#ifdef __cplusplus
}
#endif
#endif
