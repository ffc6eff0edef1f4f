/* Releases, deadlines, and times at which machines are not available. */
#include "base/collections/csr.h"
#include "base/collections/memory.h"
#include "planner/check/spans.h"
#include "planner/check/verify.h"

static void check_releases(struct br_plan_check *check)
{
    const struct br_plan *plan = check->plan;
    const int64_t *release = check->dag->times ? check->dag->times->release_ns : NULL;
    for (uint32_t t = 0; release && t < plan->tasks && !br_plan_check_enough(check); t++)
        if (plan->start_ns[t] < release[t])
            br_plan_check_report(check, "task %s starts at %s s, but is released at %s s",
                                 br_check_task_name(check, t).text,
                                 br_seconds(plan->start_ns[t]).text, br_seconds(release[t]).text);
}

static void check_deadlines(struct br_plan_check *check)
{
    const struct br_plan *plan = check->plan;
    const int64_t *deadline = check->dag->times ? check->dag->times->deadline_ns : NULL;
    for (uint32_t t = 0; deadline && t < plan->tasks && !br_plan_check_enough(check); t++)
        if (plan->end_ns[t] > deadline[t])
            br_plan_check_report(check, "task %s ends at %s s, after its deadline at %s s",
                                 br_check_task_name(check, t).text,
                                 br_seconds(plan->end_ns[t]).text, br_seconds(deadline[t]).text);
}

/* The spans of one machine, by their begin, each with the one of those up to it that ends last. */
struct away {
    const struct br_unavailable *all;
    uint32_t count;
    struct br_sort_item *begin, *scratch; /* item: the number in `all` */
    uint32_t *last;
};

static void take_spans(struct away *away, const struct br_span_walk *walk)
{
    away->count = walk->active;
    for (uint32_t k = 0; k < away->count; k++) {
        const uint32_t number = walk->number[k].item;
        away->begin[k] = (struct br_sort_item){br_sort_key(away->all[number].span.from_ns), number};
    }
    br_sort(away->begin, away->scratch, away->count);
    for (uint32_t k = 0; k < away->count; k++) {
        const uint32_t number = away->begin[k].item;
        const bool later =
            k == 0 || away->all[number].span.to_ns > away->all[away->last[k - 1]].span.to_ns;
        away->last[k] = later ? number : away->last[k - 1];
    }
}

/* A span that the time from start to end overlaps; NULL if there is none. */
static const struct br_span_of_machines *find_overlap(const struct away *away, int64_t start,
                                                      int64_t end)
{
    uint32_t low = 0, high = away->count; /* those before low begin before the end */
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (away->begin[middle].key < br_sort_key(end))
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || away->all[away->last[low - 1]].span.to_ns <= start)
        return NULL;
    return &away->all[away->last[low - 1]].span;
}

/* Tasks without duration run at no time, so nothing is in their way. */
static void check_away(struct br_plan_check *check, const struct away *away, uint32_t task)
{
    const struct br_plan *plan = check->plan;
    const int64_t start = plan->start_ns[task], end = plan->end_ns[task];
    const struct br_span_of_machines *span = end > start ? find_overlap(away, start, end) : NULL;
    if (!span)
        return;
    br_plan_check_report(
        check,
        "task %s runs from %s s to %s s on machine %s, which is unavailable from %s s %s%s%s",
        br_check_task_name(check, task).text, br_seconds(start).text, br_seconds(end).text,
        br_check_machine_name(check, plan->machine[task]).text, br_seconds(span->from_ns).text,
        span->to_ns == BR_FOREVER ? "on" : "to ",
        span->to_ns == BR_FOREVER ? "" : br_seconds(span->to_ns).text,
        span->to_ns == BR_FOREVER ? "" : " s");
}

/* Lists the tasks by machine. */
static void list_tasks(const struct br_plan_check *check, uint32_t *first, uint32_t *task)
{
    const struct br_plan *plan = check->plan;
    const uint32_t machines = check->cluster->machines;
    for (uint32_t t = 0; t < plan->tasks; t++)
        if (plan->machine[t] < machines)
            br_csr_count(first, plan->machine[t]);
    br_csr_sum(first, machines);
    for (uint32_t t = 0; t < plan->tasks; t++)
        if (plan->machine[t] < machines)
            task[br_csr_place(first, plan->machine[t])] = t;
}

static enum br_status check_unavailable(struct br_plan_check *check)
{
    const struct br_calendar *calendar = check->cluster->calendar;
    const uint32_t machines = check->cluster->machines;
    const size_t room = (size_t)calendar->unavailables + 1;
    struct br_span_walk walk = {0};
    struct away away = {.all = calendar->unavailable};
    enum br_status status = BR_OK;
    uint32_t *first = br_calloc(br_csr_room(machines), sizeof *first);
    uint32_t *task = br_malloc((size_t)check->plan->tasks * sizeof *task);
    away.begin = br_malloc(room * sizeof *away.begin);
    away.scratch = br_malloc(room * sizeof *away.scratch);
    away.last = br_malloc(room * sizeof *away.last);
    if (!first || !task || !away.begin || !away.scratch || !away.last ||
        !br_span_walk_init(calendar, false, &walk)) {
        status = br_fail_memory(check->diag);
        goto out;
    }
    list_tasks(check, first, task);
    for (uint32_t m = 0; m < machines && !br_plan_check_enough(check); m++) {
        if (first[m] == first[m + 1] || !br_span_walk_to(&walk, m))
            continue;
        take_spans(&away, &walk);
        for (uint32_t k = first[m]; k < first[m + 1] && !br_plan_check_enough(check); k++)
            check_away(check, &away, task[k]);
    }
out:
    br_span_walk_finish(&walk);
    br_free(first);
    br_free(task);
    br_free(away.begin);
    br_free(away.scratch);
    br_free(away.last);
    return status;
}

enum br_status br_plan_check_dates(struct br_plan_check *check)
{
    check_releases(check);
    check_deadlines(check);
    if (check->cluster->calendar && check->cluster->calendar->unavailables &&
        !br_plan_check_enough(check))
        return check_unavailable(check);
    return BR_OK;
}
