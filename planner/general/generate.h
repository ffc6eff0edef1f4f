/* Schedules of a job with features: time goes forward, and whatever has its turn, fits, and leaves
 * a way on starts now.
 *
 * Parallel schedule generation [Kolisch96], with two differences. A start must leave a way on for
 * what is held (reserve.h), so no schedule ends in a dead end. And in strict turns a task waits
 * until all before it in the order have started, so that every schedule in which nothing can move
 * to an earlier time belongs to some order: without that, schedules in which a task waits on
 * purpose would be out of reach. */
#ifndef BR_PLANNER_GENERAL_GENERATE_H
#define BR_PLANNER_GENERAL_GENERATE_H

#include "planner/general/reserve.h"

struct br_general_schedule {
    int64_t *start; /* by task */
    uint32_t *machine;
    int64_t makespan;
    int64_t late; /* the sum of the times by which tasks end after their deadlines */
    bool whole;   /* all tasks have a start; else the rest never found room */
};

bool br_general_schedule_init(struct br_general_schedule *schedule, const struct br_general *job);
void br_general_schedule_finish(struct br_general_schedule *schedule);
void br_general_schedule_copy(const struct br_general *job, struct br_general_schedule *to,
                              const struct br_general_schedule *from);
/* Whole, then less late, then shorter. */
bool br_general_schedule_better(const struct br_general_schedule *a,
                                const struct br_general_schedule *b);

struct br_generator;

/* `reserve` is borrowed, and NULL if nothing that can run short is stored. NULL when memory is out.
 */
struct br_generator *br_generator_create(const struct br_general *job, struct br_reserve *reserve);
void br_generator_destroy(struct br_generator *generator);

enum br_turns {
    BR_TURNS_FREE,   /* what does not fit lets others pass */
    BR_TURNS_STRICT, /* nothing passes another */
};

/* Makes the schedule of the order: `rank` gives each task's place in it, and ends with the number
 * of the task if two are equal. For strict turns parents rank before their children. False when
 * memory is out. O(tasks log tasks), and for every event a look at the ready stages. */
bool br_generator_run(struct br_generator *generator, const uint32_t *rank, enum br_turns turns,
                      struct br_general_schedule *schedule);

#endif
