/* Shared by all drawings: colours of the subsets, times for people, the headline of a plan. */
#ifndef BR_EMIT_PICTURES_PICTURE_H
#define BR_EMIT_PICTURES_PICTURE_H

#include "emit/write/input.h"
#include "emit/write/write.h"

enum { BR_SUBSETS = 4 };
struct br_subset_style {
    char letter;
    const char *colour; /* distinguishable with any common colour vision, and legible under black */
    const char *tint;   /* lighter, to distinguish neighbouring stages */
    const char *meaning;
};
extern const struct br_subset_style br_subset_style[BR_SUBSETS];
/* Index into br_subset_style; an unknown letter counts as S. */
uint32_t br_subset_index(char letter);
/* The subsets used in the plan. False if that is only S, as for methods without subsets: then there
 * is nothing to explain. */
bool br_subsets_used(const struct br_plan *plan, bool used[BR_SUBSETS]);

#define BR_COLOUR_MAKESPAN "#222222"
#define BR_COLOUR_BOUND "#0072B2"

/* "3.2 %", or "none known" if there is no bound. */
void br_write_gap(FILE *out, const struct br_plan *plan);
/* "job: makespan 35 s, lower bound 33 s (method), gap 6.1 %; planned by method", or "optimal". */
void br_write_headline(FILE *out, enum br_quote quote, const struct br_emit_input *input);

#endif
