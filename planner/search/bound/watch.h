/* Supervises a search while that runs on a thread of its own: the caller's stop flag and time
 * limit, turns of the time that is left, and reports of incumbents and progress to the caller. It
 * can change a plan only by ending a search, or a turn of it. */
#ifndef BR_PLANNER_SEARCH_BOUND_WATCH_H
#define BR_PLANNER_SEARCH_BOUND_WATCH_H

#include <bigrocks/planner.h>
#include <pthread.h>

#include "base/process/stop.h"
#include "planner/search/bound/beside.h"

struct br_watch {
    const struct br_plan_options *options; /* borrowed */
    int64_t began_ns;

    struct br_stop stop;  /* set by the supervisor; read through br_stopped */
    struct br_stop late;  /* raised when the time is over: the rest of the proof is left out */
    struct br_stop turn;  /* raised by the supervisor when turn_end_ns has come, or with `stop` */
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t changed;
    bool finished;
    bool timed_out;
    int64_t turn_end_ns; /* INT64_MAX: there is no turn */
    int64_t reserve_ns;  /* `stop` is raised this long before the limit */
    int64_t look_ns;     /* when the supervisor looks next, at the latest */
    int64_t late_ns;     /* when `late` is raised; INT64_MAX: not known yet */
    struct br_progress progress;
    struct br_incumbent incumbent;
    bool told;                 /* the incumbent has been handed on */
    int64_t whole_makespan_ns; /* of the best plan of a job in one part; 0: none */
};

enum { BR_WATCH_LOOK_MS = 50 }; /* the supervisor looks at least this often */

/* Starts the clock. The options must not move while it is used. */
void br_watch_init(struct br_watch *watch, const struct br_plan_options *options);
void br_watch_finish(struct br_watch *watch);

/* Can anything come up while the planning runs? If not, it needs no thread of its own. */
bool br_watch_needed(const struct br_plan_options *options);

/* For the planning thread: reports how far it is, from 0 to 1; */
void br_watch_step(struct br_watch *watch, double share);
/* reports how long the work after `stop` is expected to take; */
void br_watch_reserve(struct br_watch *watch, int64_t ns);
/* begins a turn of this share of the time left, and returns the flag that ends it; */
const struct br_stop *br_watch_turn(struct br_watch *watch, double share);
/* reports a better schedule, and fills in its elapsed_ns. Waits until the supervisor has handed on
 * the one before, so that none is left out; */
void br_watch_found(struct br_watch *watch, const struct br_incumbent *incumbent);
/* and reports its end. */
void br_watch_end(struct br_watch *watch);

/* For the supervising thread: waits for the end, calls back, ends turns, and raises `stop` if the
 * caller's flag is up, the time is over but for the reserve, or the best plan meets the bound that
 * the source `beside` (may be NULL) has found. */
void br_watch_run(struct br_watch *watch, struct br_beside *beside);

#endif
