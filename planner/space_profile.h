/* The inside of a space, shared by the file that changes it and the file that searches it.
 *
 * A step function per machine: sorted breakpoints, and the free vector from each to the next. The
 * first breakpoint is at minus infinity. Machines of a class that nothing has touched yet are all
 * alike, and since ties go to the lower number they are touched in order: of each class only the
 * touched ones and the first untouched one need a look. */
#ifndef BR_PLANNER_SPACE_PROFILE_H
#define BR_PLANNER_SPACE_PROFILE_H

#include "planner/space.h"

#define BR_FOREVER INT64_MAX
#define BR_SINCE_EVER INT64_MIN

struct br_profile {
    uint32_t count, room;
    int64_t *time; /* count breakpoints; time[0] is minus infinity */
    int64_t *free; /* count rows of one value per resource */
};

struct br_step {
    int64_t begin, end; /* of the space before the step */
    int64_t start, duration;
    uint32_t stage, machine, copies;
    bool new_start, new_end; /* breakpoints that the step brought */
};

/* A machine's next fit for some query: its start, or minus its end where the search goes backward,
 * so that less is sooner. */
struct br_offer {
    int64_t time;
    double slack;
    uint32_t machine;
};

struct br_space {
    const struct br_instance *in;
    uint32_t resources;
    struct br_profile *profile; /* by machine; count 0: untouched */
    uint32_t *touched;          /* by class */
    uint32_t *machine_class;
    double *weight;         /* [class * resources + resource]: 1 / capacity^2, 0 where none */
    struct br_offer *offer; /* scratch: a heap of one offer a machine */
    struct br_step *trail;
    uint64_t steps, room;
    int64_t begin, end;
};

/* The last breakpoint at or before the time. O(log breakpoints). */
static inline uint32_t br_profile_at(const struct br_profile *p, int64_t time)
{
    uint32_t low = 0, high = p->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (p->time[middle] <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The machines of the class that need a look end before this one: the touched ones and the first
 * untouched one. */
static inline uint32_t br_space_class_end(const struct br_space *space, uint32_t cls)
{
    uint32_t used = space->in->class_first[cls] + space->touched[cls];
    return used < space->in->class_first[cls + 1] ? used + 1 : used;
}

static inline bool br_space_holds(const int64_t *free, const int64_t *demand, uint32_t resources)
{
    for (uint32_t r = 0; r < resources; r++)
        if (free[r] < demand[r])
            return false;
    return true;
}

/* Dot product of demand and free vector as shares of a machine; the smaller, the better the fit. */
static inline double br_space_slack(const struct br_space *space, uint32_t cls, const int64_t *free,
                                    const int64_t *demand)
{
    const double *weight = space->weight + (size_t)cls * space->resources;
    double sum = 0;
    for (uint32_t r = 0; r < space->resources; r++)
        sum += (double)demand[r] * (double)free[r] * weight[r];
    return sum;
}

/* Where the segment that begins with the breakpoint ends. */
static inline int64_t br_profile_end(const struct br_profile *p, uint32_t segment)
{
    return segment + 1 < p->count ? p->time[segment + 1] : BR_FOREVER;
}

#endif
