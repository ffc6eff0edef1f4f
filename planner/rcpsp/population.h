/* Population search for one machine: two populations of lists that breed each other in turn, one of
 * left-justified and one of right-justified schedules [Debels07], by serial and by parallel
 * generation [Hartmann02]. */
#ifndef BR_PLANNER_RCPSP_POPULATION_H
#define BR_PLANNER_RCPSP_POPULATION_H

#include "planner/rcpsp/rcpsp.h"
#include "planner/schedule/run.h"

/* The parameters of the search. Benchmarks vary them to measure what each part is good for. */
struct br_population_settings {
    uint32_t blocks;     /* in which the population is bred, each by one thread at a time */
    uint32_t population; /* 0: what suits the budget */
    double tournament;   /* fathers are the best of so many, on average, in a new population */
    double selective;    /* and of so many at its end */
    double left;         /* share of a population that is left at its end */
    double niche;      /* how near schedules compete with each other in a new population, as a share
                          of the mean distance in it; none at its end */
    uint32_t patience; /* epochs without any shorter schedule before it begins again */
    uint32_t turn;     /* generations alternate in direction; otherwise all go forward */
    double cross;      /* share of children of two parents */
    double shortest;   /* the father's stretch of the list, as a share of the list: */
    double longest;    /* from, to */
    double swaps;      /* in a child's list, on average */
    uint32_t fresh;    /* a mother of so many children gives way to one drawn, if that has bred
                          less; 0: never */
    double parallel;   /* share of children by parallel generation where the gene is drawn, in a new
                          population */
    double late;       /* and at its end; most of the way is gone at its half */
    double redraw;     /* share of children that do not inherit it */
    double blur;       /* of the first schedules */
    double serial;     /* share of the first schedules by serial generation */
    uint32_t starts; /* a schedule given up counts for as many starts as it gave, not as a whole */
};
struct br_population_settings br_population_settings_default(void);

/* One run; run->elite may be empty. A run with a limit spends it, unless it reaches the lower
 * bound; one without goes on until it is stopped. The same for any number of threads. settings may
 * be NULL. False when memory is out. */
bool br_population_search(struct br_run *run, const struct br_population_settings *settings);

/* The placements that it is expected to make in the time, with all of up to eight threads: for
 * run->horizon. It depends on the instance, not on the machine. 0 when memory is out. As long as
 * br_rcpsp_model_create takes. */
double br_population_expected(const struct br_instance *instance, double time_ns, uint32_t threads);

#endif
