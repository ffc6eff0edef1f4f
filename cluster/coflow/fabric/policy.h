/* A policy for coflows: a row of the table, which policies/rows.h names. */
#ifndef BR_CLUSTER_COFLOW_FABRIC_POLICY_H
#define BR_CLUSTER_COFLOW_FABRIC_POLICY_H

#include "base/text/named.h"
#include "cluster/coflow/fabric/fabric.h"
#include "cluster/coflow/fabric/rates.h"

enum br_coflow_event {
    BR_COFLOW_ARRIVES,
    BR_COFLOW_PILOTS, /* the last of its pilots has ended */
    BR_COFLOW_WAKES,  /* it has sent what br_fabric_wake_at asked for */
    BR_COFLOW_LEAVES, /* its last flow has ended */
};

/* A number of a policy that users may set, such as philae:pilots=0.1. */
struct br_coflow_option {
    struct br_named named;
    double usual, least, most;
};
enum { BR_COFLOW_OPTIONS = 12 };

struct br_coflow_row;

struct br_coflow_setup {
    const struct br_coflow_row *row;
    struct br_fabric *fabric; /* borrowed while the policy lives */
    bool exact; /* the clock: policies then leave no bandwidth that a flow could use */
    double option[BR_COFLOW_OPTIONS];
};

struct br_coflow_row {
    struct br_named named;
    bool told;    /* sizes, when a coflow arrives */
    bool by_flow; /* all flows share alike: the clocks know how, and the row has no functions */
    /* In epochs, MADD takes what the flows of an estimated coflow really have left, as in the
     * published simulator. */
    bool true_rates;
    bool reports; /* by bytes sent: under a coordinator all who send report in every interval */
    int detail;   /* of the policy's own */
    const struct br_names *options; /* of struct br_coflow_option; NULL: none */
    enum br_status (*create)(const struct br_coflow_setup *setup, void **policy,
                             struct br_diag *diag);
    /* Tells what happened; coflows that leave are told after their last event. */
    void (*event)(void *policy, enum br_coflow_event event, uint32_t coflow);
    /* Tells that a flow has ended, of which all bytes are then known; NULL: nobody asks. */
    void (*flow)(void *policy, uint32_t coflow, uint32_t receiver, double bytes);
    /* Sets the rates, by rates.h; all have been taken back. */
    void (*decide)(void *policy);
    void (*destroy)(void *policy);
};

/* The rows, for k = 0, 1, ...; NULL past the end. */
const struct br_coflow_row *br_coflow_policy(uint32_t k);
extern const struct br_names br_coflow_policies; /* the same rows */
/* "NAME" or "NAME:OPTION=NUMBER:..." into a setup without its fabric. BR_USAGE if malformed. */
enum br_status br_coflow_policy_find(const char *text, struct br_coflow_setup *setup,
                                     struct br_diag *diag);

#endif
