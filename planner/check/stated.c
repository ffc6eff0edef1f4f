/* Derives again what follows from a plan, and compares: gap, priorities, slack, the times of
 * transfers, the sizes of parts. The subsets of a part [Grandl16, 4.2] must be what they are
 * called: no task outside of T lies between tasks of T, P are those with descendants in T, C those
 * with ancestors in T, and S the rest. */
#include "planner/check/stated.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/collections/memory.h"
#include "planner/eligibility/features.h"
#include "planner/instance/part.h"

struct stated {
    const struct br_plan *plan;
    const struct br_dag *dag;
    void (*fault)(void *context, const char *text);
    void *context;
};

__attribute__((format(printf, 2, 3))) static void report(const struct stated *s, const char *format,
                                                         ...)
{
    char text[500];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    s->fault(s->context, text);
}

/* Nine decimals are written; more are rounded. */
static bool is_near(double stated, double real)
{
    return fabs(stated - real) <= 1e-9 * (1 + fabs(real));
}

/* makespan / lower bound - 1; null, here infinite, if nothing is known against a plan of some
 * length. */
static void check_gap(const struct stated *s)
{
    const struct br_plan *plan = s->plan;
    const double stated = plan->stated->gap, bound = (double)plan->lower_bound_ns;
    const bool known = plan->lower_bound_ns > 0 || plan->makespan_ns == 0;
    const double gap = plan->lower_bound_ns > 0 ? ((double)plan->makespan_ns - bound) / bound : 0;
    if (plan->stated->gap_given &&
        (known ? isinf(stated) || !is_near(stated, gap) : !isinf(stated)))
        report(s, "the gap does not follow from makespan and lower bound");
}

static void check_bounds(const struct stated *s)
{
    const struct br_plan *plan = s->plan;
    const struct br_plan_stated *stated = plan->stated;
    const int64_t bound = plan->lower_bound_ns, network = plan->network_bound_ns;
    if (stated->status == BR_STATED_PROVEN && !plan->certificate)
        report(s, "the lower bound is said to be proven, but there is no proof");
    if (stated->status == BR_STATED_UNPROVEN && plan->certificate)
        report(s, "the lower bound is said to be unproven, but there is a proof");
    if (stated->status == BR_STATED_NOTHING && !plan->certificate && bound > 0)
        report(s, "the lower bound of %s s has no proof, and is not said to be unproven",
               br_seconds(bound).text);
    if (network && !plan->network)
        report(s, "there is a bound with bytes of %s s, but no transfers",
               br_seconds(network).text);
    if (network && (network > plan->makespan_ns || network < bound))
        report(s, "the bound with bytes of %s s does not lie from the lower bound to the makespan",
               br_seconds(network).text);
    check_gap(s);
    for (uint32_t k = 0; plan->certificate && k < plan->trials; k++)
        if (plan->trial[k].makespan_ns < bound)
            report(s, "the method '%s' is listed with %s s, which is below the lower bound",
                   plan->trial[k].method, br_seconds(plan->trial[k].makespan_ns).text);
}

static void check_transfers(const struct stated *s)
{
    const struct br_transfers *all = &s->plan->carried;
    for (uint32_t k = 0; s->plan->stated->transfer && k < all->transfers; k++) {
        const struct br_stated_span *span = &s->plan->stated->transfer[k];
        const int64_t start = br_transfer_start(all, k), end = br_transfer_end(all, k);
        if (span->start_ns != BR_STATED_NO_TIME && span->start_ns != start)
            report(s, "transfer %" PRIu32 " is said to start at %s s, its rates at %s s", k,
                   br_seconds(span->start_ns).text, br_seconds(start).text);
        if (span->end_ns != BR_STATED_NO_TIME && span->end_ns != end)
            report(s, "transfer %" PRIu32 " is said to end at %s s, its rates at %s s", k,
                   br_seconds(span->end_ns).text, br_seconds(end).text);
    }
}

static void check_priority(const struct stated *s, uint32_t task, const char *id)
{
    const struct br_plan *plan = s->plan;
    const double stated = plan->stated->task[task].priority;
    const double priority = (double)(plan->tasks - plan->rank[task] + 1) / (double)plan->tasks;
    if (!isnan(stated) && !is_near(stated, priority))
        report(s, "task %s has the priority %.9g, but its rank makes it %.9g", id, stated,
               priority);
}

/* Slack is defined for jobs without features, whose order on machines hands on all that they
 * hold. */
static void check_tasks_with_features(const struct stated *s)
{
    const struct br_stated_task *task = s->plan->stated->task;
    char id[200];
    for (uint32_t t = 0; t < s->plan->tasks; t++) {
        br_dag_task_id(s->dag, t, id, sizeof id);
        check_priority(s, t, id);
        if (task[t].slack_ns != BR_STATED_NO_TIME || task[t].free_ns != BR_STATED_NO_TIME)
            report(s, "task %s is said to have slack, which is not known in jobs like this", id);
    }
}

static enum br_status stated_check_tasks(const struct stated *s, const struct br_cluster *cluster,
                                         struct br_diag *diag)
{
    const struct br_plan *plan = s->plan;
    const struct br_stated_task *task = plan->stated->task;
    struct br_task_slack *slack = br_calloc(plan->tasks, sizeof *slack);
    char id[200];
    enum br_status status =
        slack ? br_plan_slack(plan, s->dag, cluster, slack, diag) : br_fail_memory(diag);
    for (uint32_t t = 0; !status && t < plan->tasks; t++) {
        br_dag_task_id(s->dag, t, id, sizeof id);
        check_priority(s, t, id);
        if (task[t].slack_ns != BR_STATED_NO_TIME && task[t].slack_ns != slack[t].total_ns)
            report(s, "task %s is said to have %s s of slack, but has %s s", id,
                   br_seconds(task[t].slack_ns).text, br_seconds(slack[t].total_ns).text);
        if (task[t].free_ns != BR_STATED_NO_TIME && task[t].free_ns != slack[t].free_ns)
            report(s, "task %s is said to have %s s of free slack, but has %s s", id,
                   br_seconds(task[t].free_ns).text, br_seconds(slack[t].free_ns).text);
    }
    br_free(slack);
    return status;
}

/* ---- Subsets and parts ---- */

enum { IN_T = 1, AFTER_T = 2, BEFORE_T = 4 };

/* Hands the mark on over an arc of a part: of those tasks that are in T or have it, from each to
 * all, or to the one with its index. */
static void stated_hand_on(const struct br_instance *in, uint32_t from, const struct br_arc *arc,
                           uint8_t passed, uint8_t *mark)
{
    const uint32_t first = in->stage_first[from], to = in->stage_first[arc->stage];
    bool any = false;
    for (uint32_t i = 0; i < in->stage_first[from + 1] - first; i++) {
        const bool gives = mark[first + i] & (IN_T | passed);
        any |= gives;
        if (gives && arc->one_to_one)
            mark[to + i] |= passed;
    }
    for (uint32_t t = to; any && !arc->one_to_one && t < in->stage_first[arc->stage + 1]; t++)
        mark[t] |= passed;
}

/* mark: room for the tasks of the part. */
static void check_subsets(const struct stated *s, const struct br_instance *in, uint8_t *mark)
{
    char id[200];
    for (uint32_t t = 0; t < in->tasks; t++)
        mark[t] = s->plan->subset[in->task_origin[t]] == 'T' ? IN_T : 0;
    for (uint32_t k = 0; k < in->stages; k++) {
        const uint32_t one = in->topological[k];
        for (uint32_t a = in->child_first[one]; a < in->child_first[one + 1]; a++)
            stated_hand_on(in, one, &in->child[a], AFTER_T, mark);
    }
    for (uint32_t k = in->stages; k-- > 0;) {
        const uint32_t one = in->topological[k];
        for (uint32_t a = in->parent_first[one]; a < in->parent_first[one + 1]; a++)
            stated_hand_on(in, one, &in->parent[a], BEFORE_T, mark);
    }
    for (uint32_t t = 0; t < in->tasks; t++) {
        const bool before = mark[t] & BEFORE_T, after = mark[t] & AFTER_T;
        const char subset = s->plan->subset[in->task_origin[t]];
        char right = 'S';
        if (before || after)
            right = "CP"[before];
        br_dag_task_id(s->dag, in->task_origin[t], id, sizeof id);
        if (subset != 'T' && before && after)
            report(s, "task %s lies between tasks of subset T, but is of subset %c", id, subset);
        else if (subset != 'T' && subset != right)
            report(s, "task %s is of subset %c, but its place among those of T makes it %c", id,
                   subset, right);
    }
}

/* A part of the file beside the real one. */
static void check_part(const struct stated *s, const struct br_instance *in, uint32_t k)
{
    const struct br_plan *plan = s->plan;
    const struct br_plan_part *part = &plan->part[k];
    uint32_t size[128] = {0};
    int64_t first = INT64_MAX, last = 0;
    for (uint32_t i = 0; i < in->tasks; i++) {
        const uint32_t t = in->task_origin[i];
        size[(unsigned char)plan->subset[t] & 127]++;
        first = plan->start_ns[t] < first ? plan->start_ns[t] : first;
        last = plan->end_ns[t] > last ? plan->end_ns[t] : last;
    }
    if (part->stages != in->stages || part->tasks != in->tasks)
        report(s, "part %" PRIu32 " has other numbers of stages and tasks than the job there",
               k + 1);
    if (!plan->network && (part->start_ns > first || part->start_ns + part->makespan_ns != last))
        report(s, "part %" PRIu32 " runs from %s s to %s s, but says otherwise", k + 1,
               br_seconds(first).text, br_seconds(last).text);
    if (part->lower_bound_ns > part->makespan_ns && !plan->network)
        report(s, "part %" PRIu32 " is said to be shorter than its lower bound", k + 1);
    const bool sized = part->order; /* else there was no choice of them */
    if (part->t != sized * size['T'] || part->s != sized * size['S'] ||
        part->p != sized * size['P'] || part->c != sized * size['C'])
        report(s, "part %" PRIu32 " has subsets of other sizes than it says", k + 1);
}

/* Parts run one after another, so their bounds add up. */
static void check_part_bounds(const struct stated *s)
{
    int64_t left = s->plan->lower_bound_ns;
    for (uint32_t k = 0; k < s->plan->parts && left >= 0; k++)
        left -= s->plan->part[k].lower_bound_ns;
    if (left < 0)
        report(s, "the lower bounds of the parts come to more than that of the plan");
}

static enum br_status check_search(const struct stated *s, const struct br_cluster *cluster,
                                   struct br_diag *diag)
{
    const struct br_plan *plan = s->plan;
    struct br_instance *in = NULL;
    struct br_parts parts = {0};
    uint8_t *mark = br_calloc(plan->tasks + (size_t)1, 1);
    enum br_status status =
        mark ? br_instance_create(s->dag, cluster, &in, diag) : br_fail_memory(diag);
    if (!status)
        status = br_parts_create(in, &parts, diag);
    for (uint32_t k = 0; !status && k < parts.count; k++)
        check_subsets(s, parts.part[k], mark);
    if (!status && plan->parts && plan->parts != parts.count)
        report(s, "there are %" PRIu32 " parts, but the job has %" PRIu32, plan->parts,
               parts.count);
    for (uint32_t k = 0; !status && plan->parts == parts.count && k < plan->parts; k++)
        check_part(s, parts.part[k], k);
    if (!status)
        check_part_bounds(s);
    br_parts_finish(&parts);
    br_instance_destroy(in);
    br_free(mark);
    return status;
}

/* A job with features is planned as a whole, and its subsets are those of a simpler job. */
static void check_whole(const struct stated *s)
{
    const struct br_plan *plan = s->plan;
    if (plan->parts > 1)
        report(s, "there are %" PRIu32 " parts, but a job like this is planned as one",
               plan->parts);
    if (plan->parts == 1 &&
        (plan->part->stages != s->dag->stages || plan->part->tasks != s->dag->tasks))
        report(s, "part 1 has other numbers of stages and tasks than the job there");
    check_part_bounds(s);
}

enum br_status br_plan_check_stated(const struct br_plan *plan, const struct br_dag *dag,
                                    const struct br_cluster *cluster,
                                    void (*fault)(void *context, const char *text), void *context,
                                    struct br_diag *diag)
{
    const struct stated s = {plan, dag, fault, context};
    check_bounds(&s);
    check_transfers(&s);
    if (br_features(dag, cluster)) {
        check_tasks_with_features(&s);
        check_whole(&s);
        return BR_OK;
    }
    enum br_status status = stated_check_tasks(&s, cluster, diag);
    return status ? status : check_search(&s, cluster, diag);
}
