/* Two methods that search, behind them the table of heuristics, and that of baselines for machines
 * of several kinds. */
#include "planner/search/method.h"

#include <assert.h>
#include <bigrocks/planner.h>
#include <string.h>

#include "base/text/diag.h"
#include "planner/instance/completions.h"
#include "planner/modes/baselines.h"
#include "planner/schedule/heuristic.h"

const char br_method_graphene[] = "graphene", br_method_given[] = "order";

static const struct {
    struct br_named named;
    enum br_method_kind kind;
} searching[] = {
    {{"best", "the best of graphene and all baselines, justified, part by part (the default)"},
     BR_METHOD_BEST},
    {{br_method_graphene, "troublesome tasks first, the rest around them (Graphene, OSDI 2016)"},
     BR_METHOD_GRAPHENE},
};
enum { SEARCHING = sizeof searching / sizeof searching[0] };

static const struct br_names searching_rows = {BR_NAMES(searching)};
const struct br_names br_methods = {.tables = (const struct br_names *const[]){
                                        &searching_rows, &br_heuristics, &br_baselines, NULL}};

const char *br_method_name(uint32_t k)
{
    return br_named_name(&br_methods, k);
}

const char *br_method_summary(uint32_t k)
{
    const struct br_named *row = br_named_at(&br_methods, k);
    return row ? row->summary : NULL;
}

enum br_status br_options_check(const struct br_plan_options *options, struct br_diag *diag)
{
    if (!options)
        return BR_OK;
    if (options->effort < BR_EFFORT_FAST || options->effort > BR_EFFORT_AUTO)
        return br_fail(diag, BR_USAGE, "take a value of enum br_effort", "there is no effort %d",
                       (int)options->effort);
    if (options->frag_score < BR_FRAG_BOUND || options->frag_score > BR_FRAG_PAPER)
        return br_fail(diag, BR_USAGE, "take a value of enum br_frag_score",
                       "there is no score %d of fragmentation", (int)options->frag_score);
    if (options->bound < BR_PLAN_BOUND_AUTO || options->bound > BR_PLAN_BOUND_FULL)
        return br_fail(diag, BR_USAGE, "take a value of enum br_plan_bound", "there is no bound %d",
                       (int)options->bound);
    if (!br_named_name(&br_objectives, (uint32_t)options->objective))
        return br_fail(diag, BR_USAGE, "take a value of enum br_objective",
                       "there is no objective %d", (int)options->objective);
    if (options->time_limit_ns < 0 || options->source_limit_ns < 0)
        return br_fail(diag, BR_USAGE, "give 0 for none", "a time limit is negative");
    if (!(options->tolerance >= 0 && options->tolerance <= 1))
        return br_fail(diag, BR_USAGE, "give a share from 0 to 1", "the tolerance is %g",
                       options->tolerance);
    if (!(options->troublesome_limit >= 0 && options->troublesome_limit <= 1))
        return br_fail(diag, BR_USAGE, "give a share from 0 to 1",
                       "the limit on the share of troublesome work is %g",
                       options->troublesome_limit);
    return BR_OK;
}

enum br_effort br_effort_meant(const struct br_plan_options *options)
{
    if (options->effort != BR_EFFORT_AUTO)
        return options->effort;
    return options->time_limit_ns > 0 ? BR_EFFORT_MAX : BR_EFFORT_DEFAULT;
}

uint32_t br_threads_meant(const struct br_plan_options *options, uint32_t processors)
{
    assert(processors > 0);
    if (options->threads == 0)
        return processors;
    const bool clock = options->time_limit_ns > 0;
    return clock && options->threads > processors ? processors : options->threads;
}

double br_threads_expected(uint32_t threads, uint32_t processors)
{
    const double all = threads + 1.0;
    return all > processors ? threads * (processors / all) : threads;
}

enum br_plan_bound br_plan_bound_meant(const struct br_plan_options *options,
                                       const struct br_method *method)
{
    if (options->bound != BR_PLAN_BOUND_AUTO)
        return options->bound;
    const bool searches = method->kind == BR_METHOD_BEST || method->kind == BR_METHOD_GRAPHENE;
    return searches ? BR_PLAN_BOUND_FULL : BR_PLAN_BOUND_CHEAP;
}

bool br_method_find(const char *name, struct br_method *method)
{
    *method = (struct br_method){.kind = BR_METHOD_BEST};
    if (!name)
        return true;
    uint32_t k = br_named_find(&br_methods, name);
    if (k == BR_NO_ROW)
        return false;
    if (k < SEARCHING)
        method->kind = searching[k].kind;
    else if (br_heuristic_at(k - SEARCHING))
        *method = (struct br_method){BR_METHOD_HEURISTIC, k - SEARCHING};
    else
        *method = (struct br_method){BR_METHOD_BASELINE, br_named_find(&br_baselines, name)};
    return true;
}
