/* The inside of a space, shared by the file that changes it and the file that searches it.
 *
 * A step function per machine: sorted breakpoints, and the free vector from each to the next. The
 * first breakpoint is at minus infinity. Breakpoints lie in blocks, so that one more moves few
 * others, however many there are. Machines of a class that nothing has touched yet are all
 * alike, and since ties go to the lower number they are touched in order: of each class only the
 * touched ones and the first untouched one need a look. */
#ifndef BR_PLANNER_SPACE_SPACE_PROFILE_H
#define BR_PLANNER_SPACE_SPACE_PROFILE_H

#include <stddef.h>

#include "planner/instance/instance.h"
#include "planner/space/idle.h"

#define BR_FOREVER INT64_MAX
#define BR_SINCE_EVER INT64_MIN

enum { BR_BLOCK = 64 }; /* breakpoints in a block, at most */

struct br_block {
    uint32_t count, room;
    struct br_block *next_spare;
    int64_t *time; /* within the block's own memory, as the next */
    int64_t *free; /* rows of one value per resource */
};

struct br_profile {
    uint32_t count, blocks, room; /* count 0: nothing has touched the machine */
    int64_t *time;                /* by block: its first breakpoint; of the first minus infinity */
    struct br_block **block;      /* none of them empty */
    uint64_t changed; /* steps of the space after the last placement here, if that still holds */
};

/* A segment: from breakpoint number `at` of the block to the next breakpoint. */
struct br_segment {
    uint32_t block, at;
};

struct br_step {
    int64_t begin, end; /* of the space before the step */
    int64_t start, duration;
    uint32_t stage, machine, copies;
    bool new_start, new_end; /* breakpoints that the step brought */
};

/* A machine's next fit for some query: its start, or minus its end if the search goes backward, so
 * that less is sooner. */
struct br_space_offer {
    int64_t time;
    double slack;
    uint32_t machine;
    struct br_segment at; /* of the profile, if there is one: what the slack is of */
};

struct br_space {
    const struct br_instance *in;
    uint32_t resources;
    struct br_profile *profile; /* by machine */
    struct br_idle idle[2];     /* forward, and backward with times turned round */
    struct br_block *spare;     /* full-sized blocks that nobody uses, a list */
    uint32_t spares;
    uint32_t *touched; /* by class */
    uint32_t *machine_class;
    double *weight;               /* [class * resources + resource]: 1 / capacity^2, 0 if none */
    struct br_space_offer *offer; /* scratch: a heap of one offer a machine */
    struct br_step *trail;
    uint64_t steps, room;
    int64_t begin, end;
};

/* The last of `count` ascending times that is at or before the time, which the first one is. */
static inline uint32_t br_last_before(const int64_t *times, uint32_t count, int64_t time)
{
    uint32_t low = 0;
    for (uint32_t half; count > 1; count -= half) {
        half = count / 2;
        low += times[low + half] <= time ? half : 0;
    }
    return low;
}

/* The segment that holds the time. O(log breakpoints). */
static inline struct br_segment br_profile_at(const struct br_profile *p, int64_t time)
{
    uint32_t block = br_last_before(p->time, p->blocks, time);
    return (struct br_segment){block,
                               br_last_before(p->block[block]->time, p->block[block]->count, time)};
}

/* As br_profile_at, sooner if it is in that block or close to it. */
static inline struct br_segment br_profile_near(const struct br_profile *p, int64_t time,
                                                uint32_t block)
{
    block = block < p->blocks ? block : p->blocks - 1;
    while (p->time[block] > time)
        block--;
    while (block + 1 < p->blocks && p->time[block + 1] <= time)
        block++;
    return (struct br_segment){block,
                               br_last_before(p->block[block]->time, p->block[block]->count, time)};
}

/* The next segment, which may be past the last one. */
static inline struct br_segment br_profile_next(const struct br_profile *p, struct br_segment k)
{
    return k.at + 1 < p->block[k.block]->count ? (struct br_segment){k.block, k.at + 1}
                                               : (struct br_segment){k.block + 1, 0};
}

/* The one before; not of the first. */
static inline struct br_segment br_profile_previous(const struct br_profile *p, struct br_segment k)
{
    return k.at ? (struct br_segment){k.block, k.at - 1}
                : (struct br_segment){k.block - 1, p->block[k.block - 1]->count - 1};
}

static inline bool br_profile_is_first(struct br_segment k)
{
    return k.block == 0 && k.at == 0;
}

static inline int64_t br_profile_begin(const struct br_profile *p, struct br_segment k)
{
    return p->block[k.block]->time[k.at];
}

static inline int64_t br_profile_end(const struct br_profile *p, struct br_segment k)
{
    const struct br_block *block = p->block[k.block];
    return k.at + 1 < block->count   ? block->time[k.at + 1]
           : k.block + 1 < p->blocks ? p->time[k.block + 1]
                                     : BR_FOREVER;
}

static inline int64_t *br_profile_free(const struct br_profile *p, struct br_segment k,
                                       uint32_t resources)
{
    return p->block[k.block]->free + (size_t)k.at * resources;
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

/* Whether the demand holds from the segment *k on until that time; else *k becomes the first
 * segment that does not hold it. Adds to *looks how many were looked at. */
static inline bool br_profile_holds_until(const struct br_profile *p, uint32_t resources,
                                          const int64_t *demand, int64_t until,
                                          struct br_segment *k, uint32_t *looks)
{
    uint32_t i = k->at;
    for (uint32_t b = k->block; b < p->blocks; b++, i = 0) {
        const struct br_block *block = p->block[b];
        const int64_t *row = block->free + (size_t)i * resources;
        for (uint32_t count = block->count; i < count; i++, row += resources) {
            ++*looks;
            if (!br_space_holds(row, demand, resources)) {
                *k = (struct br_segment){b, i};
                return false;
            }
            if (i + 1 < count && block->time[i + 1] >= until)
                return true;
        }
        if (b + 1 < p->blocks && p->time[b + 1] >= until)
            return true;
    }
    return true;
}

/* The first segment after this one, which does not hold the demand, that holds as much of the
 * resource it lacks, or the one `most` after it. There is one: the last is the whole machine. Adds
 * to *looks how many were looked at. */
static inline struct br_segment br_profile_relief_after(const struct br_profile *p,
                                                        uint32_t resources, const int64_t *demand,
                                                        struct br_segment k, uint32_t most,
                                                        uint32_t *looks)
{
    const int64_t *row = br_profile_free(p, k, resources);
    uint32_t r = 0;
    while (row[r] >= demand[r])
        r++;
    for (uint32_t b = k.block, i = k.at + 1;; b++, i = 0) {
        const struct br_block *block = p->block[b];
        row = block->free + (size_t)i * resources + r;
        for (; i < block->count; i++, row += resources) {
            ++*looks;
            if (*row >= demand[r] || --most == 0)
                return (struct br_segment){b, i};
        }
    }
}

/* As br_profile_relief_after backward: the last before it. */
static inline struct br_segment br_profile_relief_before(const struct br_profile *p,
                                                         uint32_t resources, const int64_t *demand,
                                                         struct br_segment k, uint32_t most,
                                                         uint32_t *looks)
{
    const int64_t *row = br_profile_free(p, k, resources);
    uint32_t r = 0;
    while (row[r] >= demand[r])
        r++;
    for (uint32_t b = k.block, i = k.at;; i = p->block[--b]->count) {
        const struct br_block *block = p->block[b];
        for (row = block->free + (size_t)i * resources + r; i; i--) {
            ++*looks;
            if (*(row -= resources) >= demand[r] || --most == 0)
                return (struct br_segment){b, i - 1};
        }
    }
}

/* The mirror image: whether it holds from that time on until the end of the segment *k; else *k
 * becomes the last segment that does not hold it. */
static inline bool br_profile_holds_since(const struct br_profile *p, uint32_t resources,
                                          const int64_t *demand, int64_t since,
                                          struct br_segment *k, uint32_t *looks)
{
    uint32_t i = k->at;
    for (uint32_t b = k->block;; i = p->block[--b]->count - 1) {
        const struct br_block *block = p->block[b];
        const int64_t *row = block->free + (size_t)i * resources;
        for (;; i--, row -= resources) {
            ++*looks;
            if (!br_space_holds(row, demand, resources)) {
                *k = (struct br_segment){b, i};
                return false;
            }
            if (block->time[i] <= since) /* of the first segment at the latest */
                return true;
            if (i == 0)
                break;
        }
    }
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

#endif
