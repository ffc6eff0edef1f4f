/* The jobs that have something ready, by key: finds the job of the least key of which something
 * fits into a room. A tree over slots holds, by node, the slot of the least key below and the least
 * of every demand below; branch and bound leaves out what cannot fit or cannot be first. */
#ifndef BR_SIMULATE_POLICIES_ROSTER_H
#define BR_SIMULATE_POLICIES_ROSTER_H

#include <stdbool.h>
#include <stdint.h>

#define BR_NOBODY UINT32_MAX

struct br_roster {
    uint32_t width;  /* resources */
    uint32_t leaves; /* a power of two, or 0 */
    double *key;     /* by slot */
    uint32_t *tie;   /* by slot: less goes first among equal keys */
    uint32_t *best;  /* [2 * leaves]: a slot, or BR_NOBODY */
    int64_t *least;  /* [2 * leaves * width] */
};

void br_roster_init(struct br_roster *roster, uint32_t width);
void br_roster_finish(struct br_roster *roster);

/* Puts the slot in, or changes it: its key, and the least of every demand of what is ready there.
 * False when memory is out. O(width x log slots). */
bool br_roster_set(struct br_roster *roster, uint32_t slot, double key, uint32_t tie,
                   const int64_t *least);
/* Takes it out, unless it is out. */
void br_roster_clear(struct br_roster *roster, uint32_t slot);

/* The slot of the least key, then tie, of which something fits into the room: `fits` has the last
 * word, since the least demands may be those of different tasks. BR_NOBODY: none. O(width x log
 * slots) where the first few fit, O(slots) at worst. */
uint32_t br_roster_first(const struct br_roster *roster, const int64_t *room,
                         bool (*fits)(void *context, uint32_t slot), void *context);

#endif
