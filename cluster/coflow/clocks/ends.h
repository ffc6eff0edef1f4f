/* When flows end, for the clock without ticks: a heap, the first end on top. A flow whose rate
 * changes gets a new entry, and a version tells the old one void. Ends that come to nothing, as all
 * rates are new before them, are left out: most are. Internal. */
#ifndef BR_CLUSTER_COFLOW_CLOCKS_ENDS_H
#define BR_CLUSTER_COFLOW_CLOCKS_ENDS_H

#include "cluster/coflow/fabric/state.h"

struct br_end {
    double ms;
    uint32_t version;
    struct br_grant grant;
};

struct br_ends {
    const struct br_fabric *fabric; /* borrowed */
    struct br_end *heap;
    uint32_t size, room;
    uint32_t *version; /* by flow, of its valid end */
    double horizon_ms; /* all rates are new then, or earlier; with room for rounding */
};

/* False when memory is out; finish also then. O(flows). */
bool br_ends_init(struct br_ends *ends, const struct br_fabric *fabric);
void br_ends_finish(struct br_ends *ends);

/* All rates are new. They keep or grow until they are new again: at until_ms, or when the first of
 * these coflows leaves, of which `rated` flows have a rate. Without coflows (NULL) rates may be
 * kept for any time, and until_ms is INFINITY. False when memory is out. O(flows with a rate). */
bool br_ends_renew(struct br_ends *ends, double now_ms, double until_ms, const uint32_t *coflow,
                   uint32_t coflows);
/* The flow has a greater rate from now on. False when memory is out. */
bool br_ends_raise(struct br_ends *ends, double now_ms, const struct br_grant *grant);
/* The flow has ended, or has no rate any more. */
void br_ends_forget(struct br_ends *ends, const struct br_grant *grant);

/* When the first flow ends; INFINITY: none does before all rates are new. */
double br_ends_next_ms(struct br_ends *ends);
/* Takes the end out that br_ends_next_ms has told. */
struct br_grant br_ends_pop(struct br_ends *ends);

#endif
