/* Courses by published list heuristics whose ranks and choices count what moves between machines:
 * HEFT and CPOP [Topcuoglu02], PEFT [ArabnejadBarbosa14]. Ranks take the mean time of a transfer:
 * the bytes between two tasks over the mean rate between two machines. A machine is chosen by when
 * inputs would be there if each came at the full rate between its two machines, and tasks take gaps
 * that are left. Different from the papers: a machine runs several tasks at once, as far as it has
 * room. Contention for ports is not in the papers either; it shows when the course is carried out.
 */
#ifndef BR_PLANNER_NETWORK_PUBLISHED_H
#define BR_PLANNER_NETWORK_PUBLISHED_H

#include "planner/network/job.h"

enum br_published_rule {
    BR_PUBLISHED_NONE,
    BR_PUBLISHED_HEFT, /* by upward rank, each task where it ends first */
    BR_PUBLISHED_CPOP, /* by the longest path through tasks, one such path on one machine */
    BR_PUBLISHED_PEFT  /* by optimistic costs, which also count in the choice */
};

/* The rule of a method of `plan`; NONE if it is none of them. */
enum br_published_rule br_published_find(const char *method);
/* Fills machine, sequence (by start) and start_ns, all by task; starts are those without
 * contention. False when memory is out. O(tasks x machines x (tasks on a machine + edges of its
 * stage x classes)
 * + edges x tasks x classes). */
bool br_published_course(const struct br_network_job *job, enum br_published_rule rule,
                         uint32_t *machine, uint32_t *sequence, int64_t *start_ns);

#endif
