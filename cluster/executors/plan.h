/* A planner for executors whose rule has numbers that can be learned. Internal to this room, but
 * that learned policies are told of it, and learn its numbers.
 *
 * An executor that one job holds for a second is a second that those behind it wait for, as long as
 * there are such: so it has a price, which grows with the jobs behind. A job gets the number of
 * executors for which its time and the price of what they spend are least together; jobs with less
 * work go first, and rather those on fewer executors. All of that is of what is left of a job, so
 * the numbers change while it runs. Of several classes only executors count that are sure to be
 * large enough for the stage that is next. See plan.c for where each number stands. */
#ifndef BR_CLUSTER_EXECUTORS_PLAN_H
#define BR_CLUSTER_EXECUTORS_PLAN_H

#include "cluster/executors/policy.h"

enum br_plan_number {
    BR_PLAN_PRICE,      /* of an executor, by job behind */
    BR_PLAN_ALONE,      /* jobs that are behind the last one, too */
    BR_PLAN_CROWD,      /* power of the jobs behind, less 1 */
    BR_PLAN_BEFORE,     /* a job with less work counts as that much of one behind */
    BR_PLAN_PATH,       /* weight of the longest path in a job's time */
    BR_PLAN_BOTH,       /* weight of the lesser of path and work in it */
    BR_PLAN_HELD,       /* of the path's time that executors are paid for beside their work */
    BR_PLAN_MOVE,       /* price of one more executor, in seconds */
    BR_PLAN_RUNNING,    /* of tasks that run, what is left */
    BR_PLAN_FEW,        /* power of the number of executors in the order of jobs */
    BR_PLAN_ORDER_RUN,  /* weight of the tasks that run in that order */
    BR_PLAN_ORDER_PATH, /* and of the longest path */
    BR_PLAN_OPEN_ORDER, /* how much later jobs come whose stage cannot run yet */
    BR_PLAN_OPEN_MORE,  /* and how many more executors these have */
    BR_PLAN_STAY,       /* how far ahead another job is for whose sake executors leave theirs */
    BR_PLAN_STAY_OPEN,  /* likewise if their stage cannot run yet */
    BR_PLAN_OVER,       /* times its number that a job may have while others have less */
    BR_PLAN_FULL,       /* power of the order if all jobs have their number */
    /* For executors of several classes. */
    BR_PLAN_OVERSIZE, /* how much later jobs come whose stage asks for less than the group has */
    BR_PLAN_SCARCE,   /* power of the price by the share of executors that will not do */
    /* For jobs with deadlines; slack: the time that is left over the time that it takes. */
    BR_PLAN_SLACK, /* power of the slack in the order of jobs */
    BR_PLAN_HURRY, /* and in the price of executors */
    BR_PLAN_LOST,  /* how much later jobs come that will miss theirs */
    /* For executors of several classes again: a number keeps its place in model files. */
    BR_PLAN_PART,   /* power of a job's number by the share of executors that will do */
    BR_PLAN_RIVALS, /* power of how much a job behind counts, by the share of its work that asks for
                       as large ones */
    /* For jobs that keep coming: executors are to be left for them. In batches they add nothing. */
    BR_PLAN_SPARE, /* 1: others' executors go to no job beyond its number; less: beyond its number
                      over that; 0: to any */
    BR_PLAN_FRESH, /* price of one more executor, in what its first task lasts longer */
    BR_PLAN_FREE   /* how much less executors cost, by the share that is free */
};
enum { BR_EXECUTORS_PLAN_NUMBERS = 28 };
/* Steps of BR_PLAN_SPARE at which it is 1, and stays so at changes as trainings try. Trainings
 * begin there if jobs keep coming: from 0 they were not found to get there. */
#define BR_PLAN_SPARING 4

/* When a number can be learned. */
enum br_plan_kind {
    BR_PLAN_ALWAYS,
    BR_PLAN_WITH_CLASSES,
    BR_PLAN_WITH_DEADLINES,
    BR_PLAN_WITH_ARRIVALS
};
enum br_plan_kind br_plan_kind_of(enum br_plan_number number);

struct br_executors_plan;

/* With the numbers that it begins with; NULL when memory is out. */
struct br_executors_plan *br_executors_plan_create(void);
void br_executors_plan_destroy(struct br_executors_plan *plan); /* NULL is fine */
/* Takes these numbers, each in steps from where it begins: 0 leaves it there, 1 is a change that
 * is felt. Cut to their ranges. */
void br_executors_plan_set(struct br_executors_plan *plan, const double *steps);

/* One of its numbers, as it counts. */
double br_executors_plan_number(const struct br_executors_plan *plan, enum br_plan_number which);
/* The simulator that it is asked about next is another copy of the run (br_executors_fork). What is
 * kept of jobs that have not changed is found anew. */
void br_executors_plan_renew(struct br_executors_plan *plan);

/* A run begins, after the simulator's reset. BR_SYSTEM: memory. */
enum br_status br_executors_plan_begin(struct br_executors_plan *plan,
                                       const struct br_executors *sim, struct br_diag *diag);
/* A job has come after begin, or without one. False when memory is out. */
bool br_executors_plan_arrive(struct br_executors_plan *plan, const struct br_executors *sim,
                              uint32_t job);
/* The planner's choice. O(live jobs x (live jobs + stages of a job + executors) + stages of jobs
 * that have changed x executors). */
struct br_executors_choice br_executors_plan_decide(struct br_executors_plan *plan,
                                                    const struct br_executors *sim);
/* As of the last decision, of a job that was there: how many executors it is to have, and how long
 * it would take then. */
struct br_executors_plan_job {
    uint32_t executors;
    double left_ms;
};
struct br_executors_plan_job br_executors_plan_of(const struct br_executors_plan *plan,
                                                  uint32_t job);

#endif
