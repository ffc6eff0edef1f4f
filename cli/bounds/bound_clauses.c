/* The exact solver and the linear program for one bound.
 *
 * Where the clock is the limit, both run beside each other, and the solver goes on from what the
 * program has proven as soon as that is known. Where counts are, it takes its turn after the
 * program, so that the same job gets the same bound. */
#include <pthread.h>
#include <time.h>

#include "cli/bounds/bound_clauses.h"

#include "base/stop.h"

/* Without a time limit. */
enum { CONFLICTS = 10000 };

struct both {
    const struct br_input *input;
    struct cli_progress *progress;
    int64_t limit_ns;           /* -1: none */
    bool by_processor;          /* the limit is one of processor time */
    int64_t began_ns, risen_ns; /* risen: when the solver last raised a bound; 0: never */

    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t done;  /* answered is set */
    bool answered;
    struct br_stop child_stop;
    struct cli_lp_bound *lp;
};

static int64_t now_ns(const struct both *b)
{
    struct timespec now;
    clock_gettime(b->by_processor ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void *ask(void *context)
{
    struct both *b = context;
    struct cli_progress silent = {0};
    struct cli_lp_bound lp;
    cli_bound_child(b->input->dag, b->input->cluster, b->limit_ns, b->by_processor, "1",
                    &b->child_stop, &silent, &lp);
    pthread_mutex_lock(&b->lock);
    *b->lp = lp;
    b->answered = true;
    pthread_cond_signal(&b->done);
    pthread_mutex_unlock(&b->lock);
    return NULL;
}

static const struct br_certificate *others(void *context)
{
    struct both *b = context;
    pthread_mutex_lock(&b->lock);
    const struct br_certificate *c = b->answered && b->lp->found ? b->lp->answer.certificate : NULL;
    pthread_mutex_unlock(&b->lock);
    return c;
}

/* Checking a proof takes up to about a quarter of the time that it took to find it, which is kept
 * back from the limit. */
static bool goes_on(void *context, bool risen)
{
    struct both *b = context;
    int64_t limit_ns = b->limit_ns, past_ns = now_ns(b) - b->began_ns;
    if (risen)
        b->risen_ns = past_ns;
    cli_progress_wait(b->progress, "tightening the bound", past_ns, limit_ns);
    return limit_ns < 0 || past_ns + b->risen_ns / 4 < limit_ns;
}

/* Starts to ask the program. The waits for it are by a clock that nobody sets. */
static bool ask_beside(struct both *b, pthread_t *thread)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&b->done, &attributes);
    pthread_condattr_destroy(&attributes);
    return pthread_create(thread, NULL, ask, b) == 0;
}

/* Until the program has answered, or the user, or a bound that is met, wants it to end. */
static void wait_for_answer(struct both *b, pthread_t thread, bool met, const struct br_stop *stop)
{
    enum { TICK_NS = 20000000, SECOND_NS = 1000000000 };
    pthread_mutex_lock(&b->lock);
    while (!b->answered) {
        struct timespec next;
        if (met || br_stopped(stop))
            br_stop_raise(&b->child_stop);
        cli_progress_wait(b->progress, "tightening the bound", now_ns(b) - b->began_ns,
                          b->limit_ns);
        clock_gettime(CLOCK_MONOTONIC, &next);
        next.tv_nsec += TICK_NS;
        next.tv_sec += next.tv_nsec / SECOND_NS;
        next.tv_nsec %= SECOND_NS;
        pthread_cond_timedwait(&b->done, &b->lock, &next);
    }
    pthread_mutex_unlock(&b->lock);
    pthread_join(thread, NULL);
}

struct br_certificate *cli_bound_clauses(const struct cli_settings *settings,
                                         const struct br_input *input, const struct br_instance *in,
                                         bool with_lp, const struct br_stop *stop,
                                         struct cli_progress *progress, struct cli_lp_bound *lp,
                                         bool *lost)
{
    bool by_processor = settings->bound.cpu_limit_ns >= 0;
    int64_t limit_ns = by_processor ? settings->bound.cpu_limit_ns : settings->search.time_limit_ns;
    bool timed = limit_ns >= 0;
    struct both b = {.input = input,
                     .progress = progress,
                     .limit_ns = limit_ns,
                     .by_processor = by_processor,
                     .lock = PTHREAD_MUTEX_INITIALIZER,
                     .lp = lp};
    struct br_exact_effort effort = {.conflicts = settings->bound.conflicts,
                                     .stop = stop,
                                     .context = &b,
                                     .others = others,
                                     .goes_on = goes_on};
    b.began_ns = now_ns(&b);
    if (settings->bound.conflicts == CLI_CONFLICTS_DEFAULT && !timed)
        effort.conflicts = CONFLICTS;
    pthread_t thread;
    bool beside = with_lp && timed && ask_beside(&b, &thread);
    if (with_lp && !beside) {
        cli_bound_child(input->dag, input->cluster, limit_ns, by_processor, "1", stop, progress,
                        lp);
        b.answered = true;
    }
    struct br_certificate *c = br_exact_certify(in, &effort);
    *lost = effort.lost;
    if (beside) {
        wait_for_answer(&b, thread, effort.met, stop);
        if (effort.met && !lp->found)
            snprintf(lp->why, sizeof lp->why, "not needed");
    }
    return c;
}
