/* The machines that are worth a pass: those that have changed, and those that hold newly ready
 * tasks. All others have been looked at since, and nothing ready fits there.
 *
 * A tree over the machines by number holds, by node, marks and the largest room below for every
 * resource. The offers woken since the last sweep over all machines are few, and a search in the
 * tree finds the next machine that holds one of them. */
#ifndef BR_RUNTIME_ENFORCER_JOBS_VACANCY_H
#define BR_RUNTIME_ENFORCER_JOBS_VACANCY_H

#include "base/collections/arena.h"
#include "runtime/enforcer/jobs/offers.h"

enum br_vacancy_mark {
    BR_CHANGED = 1,   /* it has to be looked at */
    BR_PROTECTED = 2, /* a ready task fits, but would delay the plan */
    BR_KEPT = 4,      /* it is kept free for a group that is owed too much */
};

enum { BR_WOKEN = 48 };

struct br_vacancy {
    uint32_t machines, width, leaves; /* leaves: a power of two */
    uint8_t *marks;                   /* [2 * leaves] */
    int64_t *room;                    /* [2 * leaves][width]: the most below; -1: none */
    uint32_t woken;
    struct br_offer *offer[BR_WOKEN]; /* those that have gone no longer count */
};

/* All machines are changed. False when memory is out. O(machines x resources). */
bool br_vacancy_init(struct br_vacancy *vacancy, struct br_arena *arena, uint32_t machines,
                     uint32_t width);
/* The machine has to be looked at. O(log machines). */
void br_vacancy_change(struct br_vacancy *vacancy, uint32_t machine);
/* The machine has been looked at. With BR_KEPT, its `room` is not looked at when an offer is woken;
 * NULL: it has none, since the machine is away. O(log machines x resources). */
void br_vacancy_settle(struct br_vacancy *vacancy, uint32_t machine, uint8_t marks,
                       const int64_t *room);
/* The offer has a ready task and had none before. O(1) amortised; if more come at once than the
 * list holds, all machines have to be looked at. */
void br_vacancy_wake(struct br_vacancy *vacancy, struct br_offer *offer);
/* The offer is about to be removed. */
void br_vacancy_forget(struct br_vacancy *vacancy, struct br_offer *offer);
/* All machines have been looked at. */
void br_vacancy_swept(struct br_vacancy *vacancy);
/* The first machine from `from` on that has one of the marks or holds a woken offer; UINT32_MAX:
 * none. Usually O(log machines x resources x woken). */
uint32_t br_vacancy_next(struct br_vacancy *vacancy, uint32_t from, uint8_t marks);
/* The machine's marks; and whether any machine has one of them. O(1). */
static inline uint8_t br_vacancy_marks(const struct br_vacancy *vacancy, uint32_t machine)
{
    return vacancy->marks[vacancy->leaves + machine];
}

static inline bool br_vacancy_has(const struct br_vacancy *vacancy, uint8_t marks)
{
    return vacancy->marks[1] & marks;
}

/* Does the machine have one of the marks, or hold a woken offer? */
bool br_vacancy_wants(struct br_vacancy *vacancy, uint32_t machine, uint8_t marks);
/* All machines with one of the marks have to be looked at (0: all machines). O(machines). */
void br_vacancy_change_all(struct br_vacancy *vacancy, uint8_t marks);

#endif
