/* Shared by the drawings of charts. */
#ifndef BR_EMIT_PICTURES_DRAW_H
#define BR_EMIT_PICTURES_DRAW_H

#include <stdio.h>

#include "emit/pictures/chart.h"

/* A decimal with `digits` places of which `unit` is one. */
void br_draw_fixed(FILE *out, int64_t value, int64_t unit, int digits);
/* The step of a time axis: 1, 2 or 5 times a power of ten nanoseconds, at most twelve of them. */
int64_t br_draw_step(int64_t span_ns);
/* Thousandths, with one decimal if useful, for counts of tasks at once. */
void br_draw_milli(FILE *out, uint64_t milli);
/* The machine, the stage, or "other stages, S". Cut to the room. */
void br_draw_row_name(const struct br_emit_input *input, const struct br_chart *chart,
                      const struct br_chart_row *row, char *name, size_t size);
/* Colours that distinguish members of a set; they repeat after BR_PALETTE members. */
enum { BR_PALETTE = 24 };
const char *br_draw_palette(uint32_t k);
/* The filling of a box of this stage: by subset, in two shades for neighbouring stages, or by stage
 * (input->by_stage, or if the plan has no subsets). */
const char *br_draw_colour(const struct br_emit_input *input, uint32_t stage, char subset);
bool br_draw_is_by_stage(const struct br_emit_input *input);

#endif
