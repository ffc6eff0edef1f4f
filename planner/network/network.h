/* Names of the plans that were looked at first, as they stand among a plan's trials. */
#ifndef BR_PLANNER_NETWORK_NETWORK_H
#define BR_PLANNER_NETWORK_NETWORK_H

/* The plan as it was made, its transfers moved in its order; that plan with fair shares; and the
 * machines and the order of the plan with transfers, with ports shared fairly instead. */
extern const char br_network_ignored[], br_network_ignored_fair[], br_network_fair[];

#endif
