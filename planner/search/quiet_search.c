/* The job without noise is a part of its own, in multiples of the long tick. */
#include "planner/search/quiet_search.h"

#include "base/collections/memory.h"
#include "base/process/stop.h"
#include "planner/instance/remainder.h"
#include "planner/search/cycle.h"
#include "planner/search/orders_search.h"
#include "planner/search/rounded_search.h"
#include "planner/search/search.h"

/* On larger jobs the quick methods, which run twice, take too much of the whole. */
enum { TASKS_MOST = 4000 };

bool br_quiet_suits(const struct br_search *s)
{
    return s->noise > 1 && s->options->effort == BR_EFFORT_DEFAULT && !s->turn &&
           s->origin->tasks <= TASKS_MOST && !br_orders_search_suits(s);
}

/* False when memory is out. */
static bool quiet_begin(struct br_quiet *q, const struct br_search *s)
{
    const uint32_t rows = br_search_rows();
    q->in = br_instance_round(s->origin, s->noise);
    q->trial = br_malloc(((size_t)rows + 1) * sizeof *q->trial);
    if (!q->in || !q->trial)
        return false;
    for (uint32_t k = 0; k < rows; k++)
        q->trial[k] = INT64_MAX;
    q->search = (struct br_search){.run = br_search_begin(s),
                                   .origin = q->in,
                                   .options = s->options,
                                   .method = s->method,
                                   .arena = s->arena,
                                   .trial = q->trial,
                                   .turn_share = s->turn_share};
    struct br_run *run = &q->search.run;
    run->in = br_instance_few(&q->few, q->in) ? &q->few : q->in;
    run->found = NULL; /* its schedules are not the part's */
    run->begins += BR_SEARCH_QUICK * run->share;
    run->share *= 1 - BR_SEARCH_QUICK;
    return true;
}

int64_t br_quiet_bound(const struct br_search *s, const struct br_search *quiet)
{
    const int64_t bound = quiet->bound.ticks;
    return bound * s->noise + br_remainder(s->origin, s->noise, bound);
}

bool br_quiet_search(struct br_quiet *q, struct br_search *s)
{
    struct br_search *inner = &q->search;
    bool ok = quiet_begin(q, s) && br_search_part(inner) && br_search_settle(inner) &&
              br_rounded_take(s, &inner->elite, &s->run);
    if (!ok)
        return false;
    if (inner->exact)
        br_exact_search_count(inner->exact, &inner->run.counters);
    br_run_take(&s->run, &inner->run);
    s->cut |= inner->cut;
    /* What needs no search to be known, is known of the true durations. */
    const int64_t proven = br_quiet_bound(s, inner);
    if (inner->bound.ticks > inner->combinatorial.ticks && proven > s->bound.ticks)
        s->bound = (struct br_bound){proven, inner->bound.method};
    const bool closed = br_search_done(inner) && !br_search_done(s);
    return !closed || br_stopped(s->run.stop) || br_cycle_close(s);
}

void br_quiet_finish(struct br_quiet *q)
{
    if (!q->in)
        return;
    br_search_finish(&q->search);
    br_instance_few_finish(&q->few, q->in);
    br_free(q->trial);
    br_instance_destroy(q->in);
    q->in = NULL;
}
