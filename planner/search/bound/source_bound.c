/* Asking a source of bounds beside the planning, and raising the plan's bound by its answer. */
#include "planner/search/bound/source_bound.h"

#include <stdio.h>
#include <string.h>

#include "base/process/clock.h"
#include "base/process/stop.h"
#include "planner/check/proofs/certificate.h"

/* A search that ends within this never starts a source of bounds that it does not need. */
static const int64_t head_start_ns = 30000000;

/* The time that the source has. Unless the caller sets it, the answer must be there, and checked,
 * within the time limit. */
static int64_t source_limit(const struct br_plan_options *o)
{
    int64_t most_ns = o->time_limit_ns - o->time_limit_ns / 10 - head_start_ns;
    if (o->source_limit_ns > 0 || o->time_limit_ns <= 0)
        return o->source_limit_ns;
    return most_ns > 0 ? most_ns : 1;
}

/* By the clock, each thread of the source would take time from the search for plans. */
static uint32_t source_threads(const struct br_plan_options *o)
{
    return o->time_limit_ns > 0 ? 1 : o->threads;
}

struct br_beside *br_source_bound_begin(struct br_beside *beside, const struct br_dag *dag,
                                        const struct br_cluster *cluster,
                                        const struct br_plan_options *o)
{
    const struct br_bound_question question = {.source = o->source,
                                               .dag = dag,
                                               .cluster = cluster,
                                               .limit_ns = source_limit(o),
                                               .work_percent =
                                                   o->effort == BR_EFFORT_MAX ? 400 : 50,
                                               .threads = source_threads(o),
                                               .delay_ns = head_start_ns};
    if (!o->source)
        return NULL;
    if (!br_beside_begin(beside, &question))
        snprintf(beside->answer.why, sizeof beside->answer.why, "not available (out of memory)");
    return beside;
}

/* Is the time over, and so the source's? */
static bool source_bound_is_over(const struct br_watch *watch)
{
    const struct br_plan_options *o = watch->options;
    return o->time_limit_ns > 0 && o->source_limit_ns <= 0 &&
           br_now_ns() - watch->began_ns >= o->time_limit_ns;
}

/* Waits for the source if its bound is needed; its answer is the caller's. */
static void await(struct br_watch *watch, struct br_beside *beside, bool needed,
                  struct br_bound_answer *answer)
{
    const struct br_plan_options *o = watch->options;
    const int64_t look_ns = 5000000;
    watch->progress.tightening = true;
    while (needed && beside->running && !br_stopped(o->stop) && !source_bound_is_over(watch) &&
           !br_beside_wait(beside, look_ns))
        if (o->progress)
            o->progress(o->progress_context, &watch->progress);
    br_beside_end(beside, answer);
}

/* Records the source's bound in the plan if it helps. Takes ownership of the certificate. */
static enum br_status take_bound(struct br_plan *plan, struct br_bound_answer *answer,
                                 struct br_diag *diag)
{
    /* A bound that a limit cut off may differ next time, so the plan says so. */
    char method[sizeof answer->method + sizeof answer->status + 4];
    const char *limit = strcmp(answer->status, "optimal") == 0 ? "" : answer->status;
    struct br_certificate *certificate = answer->certificate;
    answer->certificate = NULL;
    snprintf(method, sizeof method, "%s%s%s", answer->method, *limit ? "; " : "", limit);
    return br_plan_prove(plan, certificate, method, diag);
}

enum br_status br_source_bound_end(struct br_beside *beside, struct br_watch *watch,
                                   struct br_plan *plan, struct br_diag *diag)
{
    struct br_bound_answer answer = {0};
    /* An exhaustive search may meet the bound without a certificate; perhaps there is one. */
    bool met = plan && plan->lower_bound_ns == plan->makespan_ns && plan->certificate;
    bool needed = plan && !met && !br_stopped(watch->options->stop);
    if (beside)
        await(watch, beside, needed, &answer);
    else
        snprintf(answer.why, sizeof answer.why, "not asked for");
    if (met)
        snprintf(answer.why, sizeof answer.why, "not needed (the bound is met)");
    else if (beside && !needed)
        snprintf(answer.why, sizeof answer.why, "not available (interrupted)");
    answer.found &= !met;
    enum br_status status = plan && answer.found ? take_bound(plan, &answer, diag) : BR_OK;
    br_certificate_destroy(answer.certificate);
    answer.certificate = NULL;
    if (plan)
        plan->source = answer;
    return status;
}
