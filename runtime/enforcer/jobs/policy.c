/* The policies: [Grandl16, 5], and its parts for comparison. */
#include "runtime/enforcer/jobs/policy.h"

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
    {{"graphene", "plan's order x packing, less remaining work of the job"}, perf_score, true},
    {{"order", "plan's order alone"}, order_score, false},
    {{"packing", "packing, less remaining work of the job, as Tetris has it"},
     packing_score,
     false},
};

const struct br_names br_policies = {BR_NAMES(policies)};

const char *br_policy_name(uint32_t k)
{
    return br_named_name(&br_policies, k);
}

const char *br_policy_summary(uint32_t k)
{
    const struct br_named *row = br_named_at(&br_policies, k);
    return row ? row->summary : NULL;
}

const struct br_policy *br_policy_find(const char *name)
{
    uint32_t k = name ? br_named_find(&br_policies, name) : BR_NO_ROW;
    return k != BR_NO_ROW ? &policies[k] : NULL;
}
