/* Coflows of unknown sizes and the way that they take: thin ones need no estimate, others send
 * pilots first, and have a size when those have ended [Jajoo19, 4.1]. */
#ifndef BR_CLUSTER_COFLOW_POLICIES_SAMPLED_H
#define BR_CLUSTER_COFLOW_POLICIES_SAMPLED_H

#include "cluster/coflow/fabric/list.h"
#include "cluster/coflow/fabric/policy.h"
#include "cluster/coflow/policies/pilots.h"

struct br_sampled {
    struct br_fabric *fabric; /* borrowed */
    /* Pilots of a coflow: so many parts of its senders and of its flows, but at least so many. */
    double of_senders, of_flows, least;
    uint32_t thin;
    struct br_coflow_list thins, sampling, sized; /* by arrival; sized ones by their estimate */
    struct br_pilots pilots;
};

/* The options that set it, in this order. */
#define BR_SAMPLED_OPTIONS                                                                         \
    {{"pilots", "a part of the senders, of which there are so many pilots, at least one"},         \
     0.05,                                                                                         \
     0,                                                                                            \
     1},                                                                                           \
        {{"thin", "flows up to which a coflow needs no pilots"}, 7, 0, 1e9},                       \
        {{"flows", "a part of the flows, if that is more pilots"}, 0, 0, 1},                       \
    {                                                                                              \
        {"least", "pilots of every coflow that has any"}, 1, 1, 1e9                                \
    }
enum { BR_SAMPLED_COUNT = 4 }; /* of those */

/* `option` are the numbers of those. False when memory is out; finish also then. */
bool br_sampled_init(struct br_sampled *sampled, struct br_fabric *fabric, const double *option);
void br_sampled_finish(struct br_sampled *sampled);
/* Moves the coflow on its way. Returns the mean bytes of its flows that have ended if its pilots
 * have just done so, else 0. */
double br_sampled_event(struct br_sampled *sampled, enum br_coflow_event event, uint32_t coflow);
/* Gives thin coflows equal parts of their ports, then all that is free to pilots. */
void br_sampled_serve(const struct br_sampled *sampled);

#endif
