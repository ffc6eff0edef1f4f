/* If the windows and the program leave a makespan open, cases may refute it: which stage of a group
 * begins first, or ends last.
 *
 * A group that takes L by itself begins by M - L, and before that all has ended that is wholly
 * ahead of whichever of its stages begins first. The program cannot see this: its intervals let a
 * stage run before those ahead of it are done, on other machines, and let two branches of a job
 * both wait for each other's time. Each case gets windows of its own, and the program again. If all
 * cases but one are refuted, that one holds, and other groups may follow from it; if all are, the
 * makespan is refuted. That is shaving [Martin96] over branches of the job: of two cases left open
 * nothing is concluded. */
#ifndef BR_LP_SOLVER_CASES_H
#define BR_LP_SOLVER_CASES_H

#include "lp/solver/attempt.h"

enum { LP_GROUPS_MOST = 32, LP_CASES_MOST = 3 };

struct lp_group {
    uint64_t members; /* a bit for each stage of the part */
    bool last;        /* seen from the end */
    uint32_t cases;
    uint32_t stage[LP_CASES_MOST];
    int64_t head;           /* the least of these stages */
    int64_t worth;          /* with it, about how long the job takes */
    struct br_proof *proof; /* how long the group takes; NULL: not known */
};

struct lp_groups {
    uint32_t count;
    struct lp_group group[LP_GROUPS_MOST]; /* most worth first */
};

/* Lists the groups that may tell something of a part that takes `proven` or more: stages of which
 * none is ahead of another, and all behind them. None if the part has more stages than there are
 * bits, or is of single tasks on one machine, for which clauses tell more. False when memory is
 * out. O(stages^4 x measures). */
bool lp_groups_list(struct lp_groups *groups, const struct br_instance *part, int64_t proven);
/* Sorts those with a proof to the front, by what they are worth by it, and drops the others. */
void lp_groups_sort(struct lp_groups *groups);

/* Tries the makespan by windows and the program, then by cases; if it is refuted, *proof is why.
 * Groups that have told something come to the front. Inside lp_guarded() only. */
enum lp_answer lp_cases_refute(struct lp_attempt *a, struct lp_groups *groups,
                               struct br_arena *arena, int64_t makespan, struct br_proof *proof);

#endif
