/* A source of bounds at work beside a search, on a thread of its own. Neither waits for the other,
 * unless it is asked to. */
#ifndef BR_PLANNER_SEARCH_BOUND_BESIDE_H
#define BR_PLANNER_SEARCH_BOUND_BESIDE_H

#include <bigrocks/bound.h>
#include <pthread.h>

#include "base/process/stop.h"
#include "planner/instance/instance.h"

/* The question to a source; all borrowed. */
struct br_bound_question {
    const struct br_bound_source *source;
    const struct br_dag *dag;
    const struct br_cluster *cluster;
    const struct br_instance *in; /* of the whole job, to check the answer on; NULL: one is made */
    int64_t limit_ns;             /* these are as in struct br_bound_limits */
    bool processor_time;
    uint32_t work_percent, threads;
    int64_t delay_ns; /* the source begins so much later, or when somebody waits for it */
};

struct br_beside {
    struct br_bound_question question;
    bool running;
    pthread_t thread;
    struct br_stop stop;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t changed;
    bool wanted; /* somebody waits */
    bool answered;
    struct br_bound_answer answer; /* stays as it is once answered */
};

/* Begins to ask. False if no thread can be started. Must be ended in both cases. */
bool br_beside_begin(struct br_beside *beside, const struct br_bound_question *question);
/* Asks on this thread, if there is no other; `stop` may be NULL. */
void br_beside_ask(struct br_beside *beside, const struct br_stop *stop);
/* The answer, which has been checked; borrowed until the end. NULL if there is none yet. */
const struct br_bound_answer *br_beside_answer(struct br_beside *beside);
/* The answer, after waiting for it for this long. */
const struct br_bound_answer *br_beside_wait(struct br_beside *beside, int64_t ns);
/* Ends the source, if it still works, and hands over its answer, which is zero if it has not even
 * begun. The certificate is the caller's. */
void br_beside_end(struct br_beside *beside, struct br_bound_answer *answer);

#endif
