/* The scores of ready tasks. A policy is one row of the table in policy.c. */
#ifndef BR_RUNTIME_ENFORCER_JOBS_POLICY_H
#define BR_RUNTIME_ENFORCER_JOBS_POLICY_H

#include <bigrocks/runtime.h>
#include <stdbool.h>

#include "base/text/named.h"

/* The terms of the score of a task that could start on a machine now. */
struct br_score_terms {
    double priority;  /* of the plan: in (0, 1], 1 for the first task */
    double packing;   /* dot product of demand and free vector as shares of the machine, >= 0; on
                         machines other than the plan's times the remote penalty */
    double remaining; /* remaining work of the job: duration x demand of tasks not started, in
                         seconds of the whole cluster */
    double eta;       /* factor that scales `remaining` to `packing` */
};

/* The score; the largest wins. It must not decrease if priority or packing increases or remaining
 * work decreases, in floating point too, since the search for the best prunes by the best of each.
 */
struct br_policy {
    struct br_named named;
    double (*score)(const struct br_score_terms *terms);
    bool product; /* it uses only the product of priority and packing */
};

extern const struct br_names br_policies;
/* The row with this name; NULL if there is none. */
const struct br_policy *br_policy_find(const char *name);

#endif
