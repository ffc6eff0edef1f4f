/* What tasks and their outputs hold over time, for pictures: of resources that all machines share,
 * in which outputs are kept, or whose amount changes. A row is what is shared, or one machine. */
#ifndef BR_EMIT_ANALYSIS_HELD_H
#define BR_EMIT_ANALYSIS_HELD_H

#include <stdio.h>

#include "base/roles.h"
#include "emit/analysis/held_items.h"

enum {
    BR_HELD_COLUMNS = 480, /* of a row with more moments than that; each shows its fullest one */
    BR_HELD_STAGES = 12,   /* of a row that have a colour of their own */
};

/* What one stage holds for a while: from `low` to `high` in the stack. */
struct br_held_piece {
    int64_t start_ns, end_ns;
    uint32_t stage; /* BR_HELD_NONE: all stages that have no colour of their own */
    br_wide low, high;
};

/* What a task holds at the peak. */
struct br_held_holder {
    uint32_t task;
    uint32_t output; /* BR_HELD_NONE: its demands */
    br_wide amount;
};

struct br_held_row {
    uint32_t resource;
    uint32_t machine;               /* BR_HELD_NONE: what all machines share */
    uint32_t of;                    /* machines that hold some of it; only the fullest are rows */
    int32_t digits;                 /* amounts are scaled by this power of ten */
    br_wide full;                   /* at the top of the picture */
    br_wide peak;                   /* the most that is held */
    int64_t peak_ns, peak_end_ns;   /* the first time at which it is */
    uint32_t first_piece, pieces;   /* by start, from the ground up */
    uint32_t first_step, steps;     /* the first at 0 */
    uint32_t first_holder, holders; /* by amount, the largest first */
};

struct br_held {
    uint32_t rows, pieces, holders;
    struct br_held_row *row; /* by resource, what is shared first, then by machine */
    struct br_held_piece *piece;
    struct br_held_steps steps;
    struct br_held_holder *holder;
    uint32_t piece_room, holder_room;
};

/* Without features that need it there are no rows. Times outside of the plan, possible in one read
 * from a file, are clipped. BR_BAD_INPUT if amounts of a resource differ too much. O(n log n) for
 * each such resource, n its demands and outputs of tasks. */
enum br_status br_held_init(struct br_held *held, const struct br_emit_input *input,
                            struct br_diag *diag);
void br_held_finish(struct br_held *held);

/* An amount of the row for people, and as a number. */
struct br_held_text {
    char text[BR_ROLE_AMOUNT_TEXT];
};
struct br_held_text br_held_text(const struct br_dag *dag, const struct br_held_row *row,
                                 br_wide amount);
void br_held_write_number(FILE *out, const struct br_held_row *row, br_wide amount);
/* "mem, m[0]", "licence, shared". */
struct br_held_name {
    char text[160];
};
struct br_held_name br_held_name(const struct br_emit_input *input, const struct br_held_row *row);
/* The largest limit of the row. */
br_wide br_held_most(const struct br_held *held, const struct br_held_row *row);

#endif
