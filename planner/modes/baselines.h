/* Published list heuristics for machines of several kinds, as baselines. Their ranks are of a
 * task's duration on the mean of the machines that can run it, each by its shortest way there; what
 * edges carry takes no time (planner/network/published.h counts it, for plans that move it).
 *
 * HEFT [Topcuoglu02]: tasks by upward rank, each where and by which way it ends first, also in gaps
 * that are left. CPOP [Topcuoglu02]: tasks by the longest path through them, and those of one
 * longest path on the one machine on which they take least together. PEFT [ArabnejadBarbosa14]:
 * tasks by the longest path behind them, each task of it on its best machine; without transfers the
 * optimistic costs of all machines are equal, so that the choice is by earliest end. The fourth is
 * list scheduling by upward rank: time goes on, and what is ready and fits starts.
 *
 * Budgets are not in the papers: each task has its shortest way to begin with, ways that consume
 * less take the places of some until all is afforded, and another way is only taken if it is
 * afforded with all others as they are. */
#ifndef BR_PLANNER_MODES_BASELINES_H
#define BR_PLANNER_MODES_BASELINES_H

#include "base/text/named.h"
#include "planner/modes/mode_lister.h"

/* The table of them. */
extern const struct br_names br_baselines;

/* Row `k` of the table. Arrays of the choice are the caller's and get filled, `machine` too unless
 * it is NULL. *afforded is false if no ways were found that keep the budgets; nothing else is
 * filled then. False when memory is out. Deterministic. O(tasks x (ways x machines x steps +
 * arcs)). */
bool br_baseline_run(const struct br_modes *modes, uint32_t k, uint64_t seed,
                     struct br_choice *choice, bool *afforded);

#endif
