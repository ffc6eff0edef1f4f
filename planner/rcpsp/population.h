/* Population search for one machine: two populations of lists that breed each other in turn, one of
 * left-justified and one of right-justified schedules [Debels07], by serial and by parallel
 * generation [Hartmann02]. */
#ifndef BR_PLANNER_RCPSP_POPULATION_H
#define BR_PLANNER_RCPSP_POPULATION_H

#include "planner/rcpsp/rcpsp.h"
#include "planner/schedule/run.h"

/* The parameters of the search. Benchmarks vary them to measure the gain of each part. */
struct br_population_settings {
    uint32_t blocks;     /* blocks of the population; one thread at a time breeds each */
    uint32_t population; /* 0: as the budget suggests */
    double tournament;   /* fathers are the best of this many, on average, in a new population */
    double selective;    /* and of this many at its end */
    double left;         /* share of a population that is left at its end */
    double niche; /* radius in which schedules compete in a new population, as a share of the mean
                     distance in it; none at its end */
    uint32_t patience; /* epochs without a shorter schedule before it begins again */
    uint32_t turn;     /* generations alternate in direction; otherwise all go forward */
    double cross;      /* share of children of two parents */
    double shortest;   /* the father's stretch of the list, as a share of the list: */
    double longest;    /* from, to */
    double swaps;      /* in a child's list, on average */
    uint32_t fresh;    /* a mother of this many children gives way to a drawn one, if that has bred
                          less; 0: never */
    double parallel;   /* share of children by parallel generation if the gene is drawn, in a new
                          population */
    double late;       /* and at its end; at half of its time most of the change is done */
    double redraw;     /* share of children that do not inherit the gene */
    double blur;       /* of the first schedules */
    double serial;     /* share of the first schedules by serial generation */
    uint32_t starts;   /* a schedule given up counts by its finished starts, not as a whole */
};
struct br_population_settings br_population_settings_default(void);

/* One run; run->elite may be empty. A run with a limit spends it, unless it reaches the lower
 * bound; one without a limit goes on until it is stopped. The result is the same for any number of
 * threads. settings may be NULL. False when memory is out. */
bool br_population_search(struct br_run *run, const struct br_population_settings *settings);

/* The placements that the search is expected to make in the time, with up to eight threads, for
 * run->horizon. It depends on the instance, not on the machine. 0 when memory is out. Takes as long
 * as br_rcpsp_model_create. */
double br_population_expected(const struct br_instance *instance, double time_ns, double threads);

#endif
