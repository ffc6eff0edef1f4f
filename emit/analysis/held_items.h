/* What is held of one resource, task by task: the input of rows (held.h). */
#ifndef BR_EMIT_ANALYSIS_HELD_ITEMS_H
#define BR_EMIT_ANALYSIS_HELD_ITEMS_H

#include "base/numbers/wide.h"
#include "emit/write/input.h"

#define BR_HELD_NONE UINT32_MAX

/* From at_ns on there is this much. */
struct br_held_step {
    int64_t at_ns;
    br_wide amount;
};

struct br_held_steps {
    uint32_t count, room;
    struct br_held_step *step;
};

/* What one task holds, by itself or by an output. */
struct br_held_item {
    int64_t from_ns, until_ns;
    br_wide amount;
    uint32_t task, stage, output; /* BR_HELD_NONE: its demands */
    uint32_t place;               /* a machine; BR_HELD_NONE: what is shared */
};

struct br_held_items {
    uint32_t count, room;
    struct br_held_item *item; /* by place, then as demands and outputs stand in the job */
};

/* When stages have ended, and the last of them in the last entry. The caller frees; NULL when
 * memory is out. */
int64_t *br_held_last_ends(const struct br_emit_input *input);
/* Until when the output of that task of its stage is held. O(readers). */
int64_t br_held_until(const struct br_emit_input *input, const int64_t *last, uint32_t output,
                      uint32_t index);
/* Lists what is held of the resource for some time within 0 and the makespan. `digits`: amounts are
 * scaled by this power of ten. False when memory is out. */
bool br_held_list(const struct br_emit_input *input, const int64_t *last, uint32_t resource,
                  int32_t digits, struct br_held_items *items);

/* The power of ten that makes whole numbers of all amounts of the resource, in the job and in the
 * cluster; -1 if some are too far apart. */
int32_t br_held_digits(const struct br_emit_input *input, uint32_t resource);
br_wide br_held_scale(struct br_decimal value, int32_t digits);

/* Appends the steps of what there is of the resource at the place, up to the makespan. False when
 * memory is out. O(changes log changes). */
bool br_held_add_steps(struct br_held_steps *steps, const struct br_emit_input *input,
                       uint32_t resource, uint32_t place, int32_t digits);
/* Does some change concern the resource on this machine, or what is shared of it? */
bool br_held_changes(const struct br_emit_input *input, uint32_t resource, uint32_t place);

#endif
