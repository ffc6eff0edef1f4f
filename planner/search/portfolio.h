/* All quick methods: all baselines by parallel and by serial generation, each justified. Nobody
 * knows beforehand which order suits a job, or which way to generate the schedule [Kolisch96]; so
 * all are tried, together with the schedules that the caller has found. */
#ifndef BR_PLANNER_SEARCH_PORTFOLIO_H
#define BR_PLANNER_SEARCH_PORTFOLIO_H

#include <pthread.h>
#include <stdatomic.h>

#include "planner/schedule/run.h"
#include "planner/schedule/scarce.h"

enum {
    BR_PORTFOLIO_LARGE = 1 << 19, /* larger jobs keep and justify only their best schedules */
    BR_PORTFOLIO_WORK = 64,       /* schedules that are justified at once, at most */
};

/* The origin of a schedule that is justified. */
enum br_portfolio_origin {
    BR_ORIGIN_KEPT,     /* of a heuristic, by row, or added by the caller */
    BR_ORIGIN_FORWARD,  /* serial generation by the order of a heuristic */
    BR_ORIGIN_BACKWARD, /* serial generation from the end, by the reverse of that order */
    BR_ORIGIN_ELITE,    /* the best schedule found so far, once more */
    BR_ORIGINS
};

/* The schedules that one call justifies; bits of a set. */
enum br_portfolio_works {
    BR_WORKS_KEPT = 1, /* the schedules of heuristics, and the added one, each once; if there shall
                          be few, the next few of them */
    BR_WORKS_SERIAL =
        2, /* those of serial generation, forward and backward, by the heuristics' orders */
    BR_WORKS_BEST = 4,  /* the best of these once more, until that brings nothing */
    BR_WORKS_QUICK = 8, /* of large jobs what was kept, by parallel generation alone */
    BR_WORKS_ALL = BR_WORKS_KEPT | BR_WORKS_SERIAL | BR_WORKS_BEST,
};

struct br_portfolio {
    /* Set by the caller: its elite receives all schedules found. Its stop flag and its placements
     * may change between calls. */
    struct br_run *run;
    /* For large jobs: all are justified by parallel generation before any by serial generation, the
     * most promising schedules first, and none after one that is as short as the run's lower bound.
     * Else all are by serial generation. */
    bool closes;
    bool few; /* only the next few of what was kept, and the best at once */
    /* The most that all calls together may cost, in tasks placed by parallel generation, and what
     * they have cost; most is 0 if there is no limit. The caller may add to it. */
    uint64_t most, used;
    bool cut;  /* the outcome: stop or the limit of placements left something out */
    bool pays; /* the last call's passes by serial generation have made the best schedule shorter */

    /* Its own. */
    struct br_schedule *kept; /* schedules to be justified: by row, then the added one */
    pthread_mutex_t lock;     /* guards the elite */
    struct br_portfolio_worker *worker;
    bool quick;                  /* by parallel generation alone, for now */
    uint32_t done, done_quickly; /* of the kept ones, a bit each: it was justified, or quickly */
    int64_t *trial;
    const struct br_scarce *scarce; /* for the orders of stages */
    const uint32_t *row;            /* rows of the table of heuristics that run */
    bool must;                      /* the first of them runs whatever the stop flag says */
    uint32_t works;
    struct br_portfolio_work {
        enum br_portfolio_origin origin;
        uint32_t row;    /* of the table of heuristics, or in `kept` */
        uint32_t rounds; /* of justification */
        uint64_t placements, cost;
        bool settled;     /* the last round brought nothing; */
        int64_t makespan; /* that is the schedule */
        br_uwide ends;
    } work[BR_PORTFOLIO_WORK];
    int64_t settled_makespan; /* of a schedule to which a round brought nothing */
    br_uwide settled_ends;
    atomic_uint closed; /* the first of these that reached the bound; UINT32_MAX: none */
    atomic_bool memory_out, stopped;
};

/* False when memory is out (finish is still fine). The run must outlive the portfolio. */
bool br_portfolio_init(struct br_portfolio *portfolio, struct br_run *run);
void br_portfolio_finish(struct br_portfolio *portfolio);

/* Runs the given rows of the table of heuristics, and writes trial[row], the makespans of those
 * that it did not leave out. If there is no schedule yet, the first row runs whatever the stop flag
 * says. False when memory is out. */
bool br_portfolio_baselines(struct br_portfolio *portfolio, const uint32_t *row, uint32_t rows,
                            int64_t *trial);
/* Adds schedules by orders of whole stages (planner/schedule/scarce.h), if the job is not too large
 * for these. False when memory is out. */
bool br_portfolio_stages(struct br_portfolio *portfolio);
/* Adds schedules by orders that suit a miniature of so many tasks (miniature_search.h), with the
 * run's placements. Once, and only on jobs of at most BR_PORTFOLIO_LARGE tasks. False when memory
 * is out. */
bool br_portfolio_miniature(struct br_portfolio *portfolio, uint32_t tasks);
/* Adds another schedule: that of the published method. */
void br_portfolio_add(struct br_portfolio *portfolio, const struct br_schedule *schedule,
                      const char *method);
/* Justifies what the set names, within the run's placements. What was kept is justified
 * once. The elite is the same for any number of threads. False when memory is out.
 */
bool br_portfolio_justify(struct br_portfolio *portfolio, unsigned works);

#endif
