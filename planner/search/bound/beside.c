/* Asking a source of bounds, and checking its answer. */
#include "planner/search/bound/beside.h"

#include <stdio.h>

#include "base/process/clock.h"
#include "base/process/condition.h"
#include "planner/check/proofs/certificate.h"

/* Only a proven bound counts, whatever the source says. */
static void search_beside_check(const struct br_bound_question *q, struct br_bound_answer *answer)
{
    struct br_diag diag = {0};
    enum br_status status = BR_NO;
    if (!answer->found)
        ;
    else if (!answer->certificate)
        snprintf(answer->why, sizeof answer->why, "not used (it comes without a proof)");
    else if (q->in)
        status = br_certificate_proves(answer->certificate, q->dag, q->in, answer->lower_bound_ns,
                                       &diag);
    else
        status = br_certificate_verify(answer->certificate, q->dag, q->cluster,
                                       answer->lower_bound_ns, &diag);
    if (answer->found && answer->certificate && status)
        snprintf(answer->why, sizeof answer->why, "not used (its proof fails: %.200s)", diag.what);
    if (status == BR_OK)
        return;
    answer->found = false;
    br_certificate_destroy(answer->certificate);
    answer->certificate = NULL;
}

static void search_beside_ask(const struct br_bound_question *q, const struct br_stop *stop,
                              struct br_bound_answer *answer)
{
    const struct br_bound_limits limits = {.limit_ns = q->limit_ns,
                                           .processor_time = q->processor_time,
                                           .work_percent = q->work_percent,
                                           .stop = stop,
                                           .threads = q->threads};
    *answer = (struct br_bound_answer){0};
    q->source->find(q->source->context, q->dag, q->cluster, &limits, answer);
    search_beside_check(q, answer);
}

/* Until something changes, or for this long; with the lock held. */
static void wait_change(struct br_beside *b, int64_t ns)
{
    br_condition_wait(&b->changed, &b->lock, br_now_ns() + ns);
}

static void *search_beside_work(void *context)
{
    struct br_beside *b = context;
    struct br_bound_answer answer;
    pthread_mutex_lock(&b->lock);
    if (b->question.delay_ns > 0 && !b->wanted && !br_stopped(&b->stop))
        wait_change(b, b->question.delay_ns);
    pthread_mutex_unlock(&b->lock);
    if (br_stopped(&b->stop))
        return NULL;
    search_beside_ask(&b->question, &b->stop, &answer);
    pthread_mutex_lock(&b->lock);
    b->answer = answer;
    b->answered = true;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
    return NULL;
}

bool br_beside_begin(struct br_beside *b, const struct br_bound_question *question)
{
    *b = (struct br_beside){.question = *question};
    pthread_mutex_init(&b->lock, NULL);
    br_condition_init(&b->changed);
    b->running = pthread_create(&b->thread, NULL, search_beside_work, b) == 0;
    return b->running;
}

void br_beside_ask(struct br_beside *b, const struct br_stop *stop)
{
    search_beside_ask(&b->question, stop ? stop : &b->stop, &b->answer);
    b->answered = true;
}

const struct br_bound_answer *br_beside_answer(struct br_beside *b)
{
    pthread_mutex_lock(&b->lock);
    bool answered = b->answered;
    pthread_mutex_unlock(&b->lock);
    return answered ? &b->answer : NULL;
}

const struct br_bound_answer *br_beside_wait(struct br_beside *b, int64_t ns)
{
    pthread_mutex_lock(&b->lock);
    if (!b->wanted) {
        b->wanted = true;
        pthread_cond_broadcast(&b->changed);
    }
    if (!b->answered)
        wait_change(b, ns);
    bool answered = b->answered;
    pthread_mutex_unlock(&b->lock);
    return answered ? &b->answer : NULL;
}

void br_beside_end(struct br_beside *b, struct br_bound_answer *answer)
{
    br_stop_raise(&b->stop);
    pthread_mutex_lock(&b->lock);
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
    if (b->running)
        pthread_join(b->thread, NULL);
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->lock);
    *answer = b->answer;
}
