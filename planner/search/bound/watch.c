/* Two threads meet here: the planning thread reports its findings and its progress, the caller's
 * thread supervises it. Callbacks run on the caller's thread, with the lock released. */
#include "planner/search/bound/watch.h"

#include "base/process/clock.h"
#include "base/process/condition.h"

enum { PROGRESS_MS = 100 };
/* After the caller's flag is up, proving may last a tenth of the time so far, or this
 * long if that is more. */
static const int64_t proof_least_ns = 500000000;

void br_watch_init(struct br_watch *watch, const struct br_plan_options *options)
{
    *watch = (struct br_watch){.options = options,
                               .began_ns = br_now_ns(),
                               .turn_end_ns = INT64_MAX,
                               .late_ns = INT64_MAX,
                               .told = true,
                               .lock = PTHREAD_MUTEX_INITIALIZER};
    br_condition_init(&watch->changed);
}

void br_watch_finish(struct br_watch *watch)
{
    pthread_cond_destroy(&watch->changed);
    pthread_mutex_destroy(&watch->lock);
}

bool br_watch_needed(const struct br_plan_options *options)
{
    return options->time_limit_ns > 0 || options->stop || options->progress || options->found ||
           options->source;
}

void br_watch_step(struct br_watch *watch, double share)
{
    pthread_mutex_lock(&watch->lock);
    watch->progress.share = share;
    pthread_mutex_unlock(&watch->lock);
}

/* The time at which the search has to end; INT64_MAX: no limit. With the lock held. */
static int64_t search_end_ns(const struct br_watch *watch)
{
    if (watch->options->time_limit_ns <= 0)
        return INT64_MAX;
    return watch->began_ns + watch->options->time_limit_ns - watch->reserve_ns;
}

void br_watch_reserve(struct br_watch *watch, int64_t ns)
{
    if (watch->options->time_limit_ns <= 0)
        return;
    pthread_mutex_lock(&watch->lock);
    watch->reserve_ns = ns;
    if (!br_stopped(&watch->stop)) {
        int64_t end_ns = search_end_ns(watch);
        watch->timed_out |= end_ns <= br_now_ns(); /* no need to wait for the supervisor */
        if (watch->timed_out)
            br_stop_raise(&watch->stop);
        if (end_ns < watch->look_ns) /* else it is not woken: parts come by the thousand */
            pthread_cond_broadcast(&watch->changed);
    }
    pthread_mutex_unlock(&watch->lock);
}

const struct br_stop *br_watch_turn(struct br_watch *watch, double share)
{
    pthread_mutex_lock(&watch->lock);
    int64_t now_ns = br_now_ns(), end_ns = search_end_ns(watch);
    if (!br_stopped(&watch->stop) && now_ns < end_ns) {
        br_stop_lower(&watch->turn);
        watch->turn_end_ns = now_ns + (int64_t)(share * (double)(end_ns - now_ns));
        pthread_cond_broadcast(&watch->changed);
    } else {
        br_stop_raise(&watch->turn);
    }
    pthread_mutex_unlock(&watch->lock);
    return &watch->turn;
}

void br_watch_found(struct br_watch *watch, const struct br_incumbent *incumbent)
{
    pthread_mutex_lock(&watch->lock);
    while (!watch->told)
        pthread_cond_wait(&watch->changed, &watch->lock);
    watch->incumbent = *incumbent;
    watch->incumbent.elapsed_ns = br_now_ns() - watch->began_ns;
    if (incumbent->parts == 1)
        watch->whole_makespan_ns = incumbent->makespan_ns;
    watch->progress.makespan_ns = incumbent->makespan_ns;
    watch->progress.lower_bound_ns = incumbent->lower_bound_ns;
    watch->told = !watch->options->found;
    if (!watch->told)
        pthread_cond_broadcast(&watch->changed);
    pthread_mutex_unlock(&watch->lock);
}

void br_watch_end(struct br_watch *watch)
{
    pthread_mutex_lock(&watch->lock);
    watch->finished = true;
    pthread_cond_broadcast(&watch->changed);
    pthread_mutex_unlock(&watch->lock);
}

/* Hands on the news since the last time: calls back with the lock released. */
static void search_watch_hand_on(struct br_watch *watch, int64_t *shown)
{
    const struct br_plan_options *o = watch->options;
    if (!watch->told) {
        struct br_incumbent incumbent = watch->incumbent;
        watch->told = true;
        pthread_cond_broadcast(&watch->changed);
        pthread_mutex_unlock(&watch->lock);
        o->found(o->found_context, &incumbent);
        pthread_mutex_lock(&watch->lock);
    }
    int64_t now = br_now_ns();
    if (o->progress && now - *shown >= PROGRESS_MS * 1000000L && !watch->finished) {
        struct br_progress progress = watch->progress;
        double share =
            o->time_limit_ns > 0 ? (double)(now - watch->began_ns) / (double)o->time_limit_ns : 0;
        *shown = now;
        if (share > progress.share)
            progress.share = share < 1 ? share : 1;
        pthread_mutex_unlock(&watch->lock);
        o->progress(o->progress_context, &progress);
        pthread_mutex_lock(&watch->lock);
    }
}

/* Does the best plan so far meet the source's bound, and may that end the search? Not if counts
 * limit it, since the same job gets the same plan; nor with several parts, one after another. */
static bool source_met(struct br_watch *watch, struct br_beside *beside)
{
    const struct br_plan_options *o = watch->options;
    if (!beside || watch->whole_makespan_ns == 0 ||
        (o->time_limit_ns <= 0 && o->effort != BR_EFFORT_MAX))
        return false;
    const struct br_bound_answer *answer = br_beside_answer(beside);
    return answer && answer->found && watch->whole_makespan_ns <= answer->lower_bound_ns;
}

static int64_t search_watch_sooner(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The time at which the supervisor looks next. */
static int64_t next_look(struct br_watch *watch)
{
    const int64_t now_ns = br_now_ns();
    int64_t end_ns = br_stopped(&watch->stop) ? watch->late_ns : search_end_ns(watch);
    int64_t left_ns = search_watch_sooner(end_ns, watch->turn_end_ns) - now_ns;
    watch->look_ns = now_ns + br_next_look_ns(BR_WATCH_LOOK_MS * INT64_C(1000000), left_ns);
    return watch->look_ns;
}

/* Once the search has been ended by the clock or the caller: says when the proof has to end, too,
 * and ends it. */
static void raise_late(struct br_watch *watch)
{
    const struct br_plan_options *o = watch->options;
    const int64_t now_ns = br_now_ns(), past_ns = now_ns - watch->began_ns;
    if (watch->late_ns == INT64_MAX && br_stopped(o->stop))
        watch->late_ns = now_ns + (past_ns / 10 > proof_least_ns ? past_ns / 10 : proof_least_ns);
    if (o->time_limit_ns > 0)
        watch->late_ns = search_watch_sooner(watch->late_ns, watch->began_ns + o->time_limit_ns);
    if (now_ns >= watch->late_ns)
        br_stop_raise(&watch->late);
}

void br_watch_run(struct br_watch *watch, struct br_beside *beside)
{
    const struct br_plan_options *o = watch->options;
    int64_t shown = watch->began_ns;
    pthread_mutex_lock(&watch->lock);
    while (!watch->finished || !watch->told) {
        const int64_t until_ns = next_look(watch);
        if (watch->told)
            br_condition_wait(&watch->changed, &watch->lock, until_ns);
        watch->timed_out |= br_now_ns() >= search_end_ns(watch);
        if (watch->timed_out || br_stopped(o->stop) || source_met(watch, beside))
            br_stop_raise(&watch->stop);
        raise_late(watch);
        if (br_stopped(&watch->stop) || br_now_ns() >= watch->turn_end_ns) {
            br_stop_raise(&watch->turn);
            watch->turn_end_ns = INT64_MAX;
        }
        search_watch_hand_on(watch, &shown);
    }
    pthread_mutex_unlock(&watch->lock);
}
