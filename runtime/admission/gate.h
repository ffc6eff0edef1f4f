/* Decides which of the waiting commands may start: the enforcer, asked from outside.
 *
 * Clients ask for admission and leave again; in between they are admitted, one by one, so that
 * their total demand never exceeds the machine. A client whose key the plan knows has the plan's
 * place and demand; others are jobs of their own. Has no input or output of its own.
 */
#ifndef BR_RUNTIME_ADMISSION_GATE_H
#define BR_RUNTIME_ADMISSION_GATE_H

#include <bigrocks/runtime.h>

#include "runtime/predict/annotate.h"
#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"
#include "planner/instance/plan.h"

struct cli_gate;

struct cli_gate_options {
    const struct br_cluster *cluster; /* what there is; one machine */
    const struct br_dag *dag;         /* with `plan`, or both NULL */
    const struct br_plan *plan;
    const struct br_cluster *demand; /* the default demand, as capacities of its first class */
    struct br_history *history;      /* may be NULL */
    /* The demand (such as "mem=4GiB") of a command that the plan does not know, whatever the
     * history says; NULL: none. May be NULL. */
    const char *(*demand_of)(void *context, const char *key);
    void *context;
};

/* All of options is borrowed until the gate is destroyed. */
enum br_status cli_gate_create(const struct cli_gate_options *options, struct cli_gate **gate,
                               struct br_diag *diag);
void cli_gate_destroy(struct cli_gate *gate);

/* The client, an unused number, wants to start a command that the key names. Its demand is `demand`
 * (such as "cpu=2,mem=1GiB") if given; else the plan's, the history's or the default. A demand
 * beyond the machine is cut to it: such a command runs alone. BR_BAD_INPUT (a demand that makes no
 * sense or names a resource that the machine lacks), BR_SYSTEM. */
enum br_status cli_gate_ask(struct cli_gate *gate, uint32_t client, const char *key,
                            const char *demand, struct br_diag *diag);
/* The client gives up, or has run and ended: its resources are free again. Nothing happens if it
 * has not asked. */
void cli_gate_leave(struct cli_gate *gate, uint32_t client);
/* The next client that may start now, or UINT32_MAX. Time in nanoseconds, never less than before.
 */
uint32_t cli_gate_next(struct cli_gate *gate, int64_t now_ns);
/* The approximate demand of the client for the k-th capacity of the cluster's first class, for
 * people; 0 if it has not asked. O(1). */
double cli_gate_demand(const struct cli_gate *gate, uint32_t client, uint32_t capacity);
/* Its task's rank in the plan, from 1; UINT32_MAX if it has none. O(1). */
uint32_t cli_gate_rank(const struct cli_gate *gate, uint32_t client);

#endif
