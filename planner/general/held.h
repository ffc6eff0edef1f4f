/* What is held at a place by time: amounts of all resources, from each time to the next. */
#ifndef BR_PLANNER_GENERAL_HELD_H
#define BR_PLANNER_GENERAL_HELD_H

#include <stdbool.h>
#include <stdint.h>

struct br_taken {
    uint32_t count, room;
    int64_t *time; /* ascending; the first is 0 */
    int64_t *used; /* [span * resources + resource], from the time to the next */
};

/* What a task needs of a place. Amounts are by resource; those with counts[r] != shared are of
 * another place. */
struct br_taken_fit {
    int64_t duration;
    int64_t freed_from;        /* what it frees is held until then at least */
    const int64_t *run, *stay; /* while it runs, and from its end on */
    const int64_t *frees;      /* what is free when it has ended */
    const int64_t *capacity;
    const bool *counts;
    bool shared;
    bool stores; /* something stays */
};

/* Nothing is held. The functions that change it return false when memory is out. */
bool br_taken_clear(struct br_taken *profile, uint32_t resources);
void br_taken_finish(struct br_taken *profile);
/* Adds an amount of the resource from the time on. O(spans). */
bool br_taken_add(struct br_taken *profile, uint32_t resources, uint32_t resource, int64_t time,
                  int64_t amount);
/* Adds it from a time to another. O(log spans + spans between), if both times are there. */
bool br_taken_hold(struct br_taken *profile, uint32_t resources, uint32_t resource, int64_t from,
                   int64_t to, int64_t amount);
/* The number of the span that holds at the time. O(log spans). */
uint32_t br_taken_span(const struct br_taken *profile, int64_t time);
/* The first time no earlier than `start` at which the task fits, with all else as it is; INT64_MAX:
 * none. O(spans). */
int64_t br_taken_fit(const struct br_taken *profile, uint32_t resources,
                     const struct br_taken_fit *fit, int64_t start);

#endif
