/* Two threads meet here: the planning one tells what it has found and how far it is, the caller's
 * supervises it. Callbacks run on the caller's thread, with the lock released. */
#include "planner/search/watch.h"

#include <time.h>

#include "base/process/clock.h"

enum { PROGRESS_MS = 100 };

void br_watch_init(struct br_watch *watch, const struct br_plan_options *options)
{
    pthread_condattr_t attributes;
    *watch = (struct br_watch){.options = options,
                               .began_ns = br_now_ns(),
                               .turn_end_ns = INT64_MAX,
                               .told = true,
                               .lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&watch->changed, &attributes);
    pthread_condattr_destroy(&attributes);
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

const struct br_stop *br_watch_turn(struct br_watch *watch, double share)
{
    pthread_mutex_lock(&watch->lock);
    int64_t now_ns = br_now_ns(), end_ns = watch->began_ns + watch->options->time_limit_ns;
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

/* Hands on what has come up since the last time: calls back with the lock released. */
static void hand_on(struct br_watch *watch, int64_t *shown)
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

/* Does the best plan so far meet the source's bound, and may that end the search? Not where counts
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

static struct timespec next_look(const struct br_watch *watch)
{
    const int64_t limit_ns = watch->options->time_limit_ns, now_ns = br_now_ns();
    int64_t left_ns = limit_ns > 0 ? limit_ns - (now_ns - watch->began_ns) : INT64_MAX;
    if (watch->turn_end_ns - now_ns < left_ns)
        left_ns = watch->turn_end_ns - now_ns;
    int64_t at_ns = now_ns + br_next_look_ns(BR_WATCH_LOOK_MS * INT64_C(1000000), left_ns);
    return (struct timespec){.tv_sec = at_ns / 1000000000, .tv_nsec = at_ns % 1000000000};
}

void br_watch_run(struct br_watch *watch, struct br_beside *beside)
{
    const struct br_plan_options *o = watch->options;
    int64_t shown = watch->began_ns;
    pthread_mutex_lock(&watch->lock);
    while (!watch->finished || !watch->told) {
        const struct timespec until = next_look(watch);
        if (watch->told)
            pthread_cond_timedwait(&watch->changed, &watch->lock, &until);
        watch->timed_out |=
            o->time_limit_ns > 0 && br_now_ns() - watch->began_ns >= o->time_limit_ns;
        if (watch->timed_out || br_stopped(o->stop) || source_met(watch, beside))
            br_stop_raise(&watch->stop);
        if (br_stopped(&watch->stop) || br_now_ns() >= watch->turn_end_ns) {
            br_stop_raise(&watch->turn);
            watch->turn_end_ns = INT64_MAX;
        }
        hand_on(watch, &shown);
    }
    pthread_mutex_unlock(&watch->lock);
}
