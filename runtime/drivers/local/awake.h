/* A clock that stands still while this process does not run.
 *
 * This process may be stopped for any time (Ctrl-Z, a frozen container, a machine short of memory),
 * while tasks go on or stop with it. Limits on tasks use this clock, so that such a pause makes no
 * task late.
 */
#ifndef BR_RUNTIME_DRIVERS_LOCAL_AWAKE_H
#define BR_RUNTIME_DRIVERS_LOCAL_AWAKE_H

#include <stdint.h>

/* All zero at the beginning. Times are nanoseconds on the clock of the run. */
struct br_awake {
    int64_t looked_ns; /* start of the last look for ends: tasks left by it were running then */
    int64_t away_ns;   /* total time that this process did not run */
    int64_t absent_ns; /* part of that right before the last look */
};

/* A look begins. Looks are a fifth of a second apart; a whole second without one counts as time in
 * which this process did not run. */
void br_awake_look(struct br_awake *awake, int64_t now_ns);
/* The reading of this clock at a time since the last look. */
int64_t br_awake_at(const struct br_awake *awake, int64_t time_ns);
/* Its reading at the last look. */
int64_t br_awake_ns(const struct br_awake *awake);

#endif
