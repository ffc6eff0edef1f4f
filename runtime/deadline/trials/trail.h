/* The time that one run spends in each bin of progress, kept while it goes on. */
#ifndef BR_RUNTIME_DEADLINE_TRIALS_TRAIL_H
#define BR_RUNTIME_DEADLINE_TRIALS_TRAIL_H

#include <stdbool.h>
#include <stdint.h>

/* A bin is a range of progress, and `place` is where in it: 0 at its begin, 1 at its end. Times in
 * seconds since the run's start; integrals over the time that the run spends in the bin. */
struct br_passage {
    double enter_s;         /* when progress first was in the bin or beyond */
    double first, last;     /* place when the run enters and when it leaves */
    double time_s, place_s; /* integrals of 1 and of the place */
};

struct br_trail {
    uint32_t bins, bin;
    double place, since_s; /* in the bin, and since when */
    struct br_passage *passage;
};

/* False when memory is out. Release by br_trail_finish, also then. */
bool br_trail_init(struct br_trail *trail, uint32_t bins);
void br_trail_finish(struct br_trail *trail);
/* A run begins, with progress 0. O(bins). */
void br_trail_begin(struct br_trail *trail);
/* Its progress is this from now on; never less than before. */
void br_trail_step(struct br_trail *trail, double progress, double now_s);
/* It has ended. */
void br_trail_end(struct br_trail *trail, double end_s);

#endif
