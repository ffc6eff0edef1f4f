/* The ready tasks of all jobs, by demand: finds the job with the least key that has a task which
 * fits into a room. Jobs with ready tasks of equal demands stand in one line, a heap by their keys,
 * so only the first of each line is compared. A bitmap (bitmap.h) tells which lines may fit, 64 at
 * a time. Such a block keeps its lines sorted by their first, so the search stops at the first job
 * found in each block. */
#ifndef BR_CLUSTER_SIMULATE_POLICIES_ROSTER_H
#define BR_CLUSTER_SIMULATE_POLICIES_ROSTER_H

#include "base/collections/index.h"
#include "cluster/simulate/policies/bitmap.h"

#define BR_NOBODY UINT32_MAX

/* A job's place in a line. */
struct br_turn {
    double key;
    uint32_t tie; /* less goes first among equal keys */
    uint32_t posting;
};

/* The jobs that have something ready of one demand; the first is on top of a heap. */
struct br_line {
    struct br_turn *turn;
    uint32_t turns, room;
};

/* 64 lines: those that somebody stands in, by their first, as numbers within the block. */
struct br_roster_block {
    uint8_t count;
    uint8_t order[64];
};

/* One job in one line. */
struct br_posting {
    uint32_t job, line, place; /* place: in the line's heap */
    uint32_t next, last;       /* postings of the same job; of unused ones `next` alone */
};

/* A job: the caller's, who fills in its number and calls br_roster_key before it posts anything. */
struct br_roster_job {
    double key;
    uint32_t tie;
    uint32_t number; /* what br_roster_first tells */
    uint32_t first;  /* of its postings, or BR_NOBODY */
};

struct br_roster {
    uint32_t width; /* resources */
    struct br_bitmap bitmap;
    /* Lines; those of no number above 64 * blocks have anybody. */
    struct br_line *line;
    int64_t *demand;     /* [line * width] */
    struct br_turn *top; /* by line: its first */
    uint32_t lines, line_room;
    uint32_t *unused, unused_count; /* heap of lines, so that low numbers are used again first */
    struct br_index index;          /* lines by demand */
    struct br_roster_block *block;
    uint64_t *present; /* by block: bits of the lines that somebody stands in */
    uint64_t *may;     /* of a search: those of them that may fit */
    uint32_t blocks;
    uint32_t last; /* the line that br_roster_first found last */
    struct br_posting *posting;
    uint32_t postings, posting_room, free_posting;
};

/* Nobody. `most`, by resource: the largest amount that a room has. False when memory is out. */
bool br_roster_init(struct br_roster *roster, uint32_t width, const int64_t *most);
void br_roster_finish(struct br_roster *roster);

/* Gives the job its key, in all lines. O(its postings x log jobs) if that is a new one. */
void br_roster_key(struct br_roster *roster, struct br_roster_job *job, double key, uint32_t tie);
/* The job has something ready of that demand: its posting, or BR_NOBODY when memory is out.
 * O(log jobs), and O(width x levels of the bitmap) for a new line. */
uint32_t br_roster_post(struct br_roster *roster, struct br_roster_job *job, const int64_t *demand);
/* It has nothing more of it. */
void br_roster_withdraw(struct br_roster *roster, struct br_roster_job *job, uint32_t posting);

/* The number of the job with the least key, then tie, of which something fits into the room, or
 * BR_NOBODY. O(width x lines / 64), and a comparison for each line that may fit and whose first
 * goes before the job. */
uint32_t br_roster_first(struct br_roster *roster, const int64_t *room);

/* An invariant: heaps, places and blocks agree. O(lines + postings). */
bool br_roster_is_sound(const struct br_roster *roster);

#endif
