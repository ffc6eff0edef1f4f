/* The policies: [Grandl16, 5], and its parts for comparison. */
#include "runtime/enforcer/policy.h"

#include <string.h>

static double perf_score(const struct br_score_terms *t)
{
    return t->priority * t->packing - t->eta * t->remaining;
}

static double order_score(const struct br_score_terms *t)
{
    return t->priority;
}

static double packing_score(const struct br_score_terms *t)
{
    return t->packing - t->eta * t->remaining;
}

static const struct br_policy policies[] = {
    {"graphene", "plan's order x packing, less remaining work of the job", perf_score, true},
    {"order", "plan's order alone", order_score, false},
    {"packing", "packing, less remaining work of the job, as Tetris has it", packing_score, false},
};
enum { POLICIES = sizeof policies / sizeof *policies };

const char *br_policy_name(uint32_t k)
{
    return k < POLICIES ? policies[k].name : NULL;
}

const char *br_policy_summary(uint32_t k)
{
    return k < POLICIES ? policies[k].summary : NULL;
}

const struct br_policy *br_policy_find(const char *name)
{
    for (uint32_t k = 0; k < POLICIES; k++)
        if (name && strcmp(policies[k].name, name) == 0)
            return &policies[k];
    return NULL;
}
