/* The linear program beside the search, on another thread's time.
 *
 * Neither waits for the other: the child starts a moment after the search, when that has not met
 * its own bound by then, and is ended when the bound is not needed any more. Both are limited by
 * counts, so that the same job gets the same plan and the same bound; therefore the search is
 * stopped by this bound only where the clock or nothing limits it anyway (--time-limit, --effort
 * max). Of a job in several parts it is not, since the search goes on part by part. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/stop.h"
#include "cli/bounds/lp_bound.h"
#include "cli/common/interrupt.h"

/* A search that ends within this never starts a child that it does not need. */
enum { HEAD_START_MS = 30, LOOK_MS = 50 };

struct cli_beside {
    const struct cli_settings *settings;
    const struct br_input *input;
    const char *work;
    bool stops; /* the search, where it meets the bound */
    bool running;
    pthread_t thread;
    struct br_stop child_stop;
    struct cli_progress silent;

    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t changed;
    bool searched, unneeded, answered;
    int64_t incumbent_ns; /* of the whole job; 0: unknown */
    struct cli_lp_bound lp;
};

static void wait_ms(struct cli_beside *b, int64_t ms)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += ms % 1000 * 1000000;
    until.tv_sec += ms / 1000 + until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&b->changed, &b->lock, &until);
}

static void stop_where_met(struct cli_beside *b)
{
    if (b->stops && !b->searched && b->answered && b->lp.found && b->incumbent_ns > 0 &&
        b->incumbent_ns <= b->lp.answer.lower_bound_ns)
        cli_interrupt_stop();
}

static void *ask(void *context)
{
    struct cli_beside *b = context;
    struct cli_lp_bound lp;
    pthread_mutex_lock(&b->lock);
    if (!b->searched)
        wait_ms(b, HEAD_START_MS);
    bool unneeded = b->unneeded;
    pthread_mutex_unlock(&b->lock);
    if (unneeded)
        return NULL;
    int64_t limit_ns = b->settings->bound.lp_time_ns;
    if (limit_ns < 0 && b->settings->search.time_limit_ns > 0)
        limit_ns = b->settings->search.time_limit_ns; /* begun together, ended together */
    cli_bound_child(b->input->dag, b->input->cluster, limit_ns, false, b->work, &b->child_stop,
                    &b->silent, &lp);
    pthread_mutex_lock(&b->lock);
    b->lp = lp;
    b->answered = true;
    stop_where_met(b);
    pthread_cond_signal(&b->changed);
    pthread_mutex_unlock(&b->lock);
    return NULL;
}

struct cli_beside *cli_beside_begin(const struct cli_settings *settings,
                                    const struct br_input *input, const char *work)
{
    struct cli_beside *b = calloc(1, sizeof *b);
    pthread_condattr_t attributes;
    if (!b)
        return NULL;
    b->settings = settings;
    b->input = input;
    b->work = work;
    b->stops = settings->search.time_limit_ns >= 0 || strcmp(settings->search.effort, "max") == 0;
    pthread_mutex_init(&b->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&b->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    b->running = pthread_create(&b->thread, NULL, ask, b) == 0;
    return b;
}

void cli_beside_found(struct cli_beside *b, const struct br_incumbent *incumbent)
{
    if (!b || incumbent->parts != 1)
        return;
    pthread_mutex_lock(&b->lock);
    b->incumbent_ns = incumbent->makespan_ns;
    stop_where_met(b);
    pthread_mutex_unlock(&b->lock);
}

void cli_beside_end(struct cli_beside *b, bool needed, struct cli_progress *progress,
                    struct cli_lp_bound *lp)
{
    *lp = (struct cli_lp_bound){.why = "not available (out of memory)"};
    if (!b)
        return;
    int64_t began = cli_now_ns();
    pthread_mutex_lock(&b->lock);
    b->searched = true;
    b->unneeded = !needed;
    pthread_cond_signal(&b->changed);
    while (b->running && needed && !b->answered && !cli_interrupted()) {
        cli_progress_wait(progress, "tightening the bound", cli_now_ns() - began, 0);
        wait_ms(b, LOOK_MS);
    }
    pthread_mutex_unlock(&b->lock);
    br_stop_raise(&b->child_stop);
    if (b->running) {
        pthread_join(b->thread, NULL);
        *lp = b->lp;
    }
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->lock);
    free(b);
}
