/* Lines: each holds tasks one after another. A measure of whole weights is a number of lines, of
 * which a task takes as many as it weighs; the machines are lines for the tasks of one stage. */
#ifndef BR_PLANNER_CHECK_PROOFS_LINES_H
#define BR_PLANNER_CHECK_PROOFS_LINES_H

#include "base/numbers/wide.h"
#include "planner/instance/instance.h"

/* Copies of one duration, each on one line. */
struct br_line_copies {
    int64_t duration, count; /* count above 0 */
};

/* The least time that so many lines need for all copies, which are sorted. With durations
 * downwards, of the q x lines + 1 longest some q + 1 share a line, and take at least as long as the
 * q + 1 shortest of these; the longest and the work by lines count as well. O(groups log groups +
 * copies / lines). */
br_wide br_lines_time(struct br_line_copies *copies, uint32_t groups, int64_t lines);

/* The slots of a stage: how many of its tasks fit all machines at once, at most all of them. Above
 * 0. O(classes x resources). */
int64_t br_alone_slots(const struct br_instance *in, uint32_t stage);

/* The rounds of a stage: the least time that it takes alone, with its slots as lines. `scratch` has
 * room for its tasks. */
int64_t br_alone_rounds(const struct br_instance *in, uint32_t stage,
                        struct br_line_copies *scratch);

/* Tasks for a line: at most `count` of that duration, which is above 0, each worth `value`, which
 * is from 0 to 2^32. So much of the line lies before their heads and behind their tails. */
struct br_valued {
    int64_t duration, value, count, before, behind;
};
enum { BR_VALUED_MOST = 64 };

enum br_line_answer {
    BR_LINE_NO,
    BR_LINE_YES,
    BR_LINE_OPEN, /* the search would take too long */
};

/* Does some line of that length hold tasks worth more than `enough` in all? Of at most
 * BR_VALUED_MOST kinds. What has at least a before it and b behind it takes at most length - a - b
 * together, for all a and b; besides that tasks may lie anywhere. */
enum br_line_answer br_line_worth_more(const struct br_valued *kind, uint32_t kinds, int64_t length,
                                       br_wide enough);

#endif
