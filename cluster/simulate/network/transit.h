/* Bytes on their way between machines while a workload is simulated.
 *
 * What a task put out lies on the machine where it ended. A task that starts on a machine fetches
 * its share of what its parents put out on other machines, one flow for each of them, and works
 * when the last one has come; what lies on its own machine is there. The flows to all tasks of a
 * stage of a job are its coflow [Chowdhury14].
 *
 * If the policy has placed a job when it arrives, its bytes need not wait for that: they move as in
 * a plan with transfers (planner/network/supply.h), as soon as the tasks of a stage on one machine
 * have ended, to the machines of the child's tasks, which hold no place before they start. Ports
 * are shared as planner/ports/flows.h has it: that is also how plans with transfers move their
 * bytes. */
#ifndef BR_CLUSTER_SIMULATE_NETWORK_TRANSIT_H
#define BR_CLUSTER_SIMULATE_NETWORK_TRANSIT_H

#include "base/text/named.h"
#include "base/collections/arena.h"
#include "planner/model/cluster/cluster.h"
#include "planner/network/supply.h"
#include "planner/ports/flows.h"
#include "cluster/workload/outcome.h"

/* A way to share ports: a row of the table. */
struct br_transit_policy {
    struct br_named named;
    enum br_sharing sharing;
};
/* The rows, for k = 0, 1, ...; NULL past the end. The first is the default. */
const struct br_transit_policy *br_transit_policy(uint32_t k);
extern const struct br_names br_transit_policies;

struct br_transit {
    const struct br_workload *workload; /* both borrowed */
    const struct br_cluster *cluster;
    struct br_arena arena;
    struct br_flows flows;
    uint32_t machines;
    int64_t *up, *down; /* by machine, bytes a second */
    struct br_transit_dag {
        uint32_t *first, *edge; /* stages + 1, and edges with bytes into a stage */
    } * dag;
    struct br_transit_job {
        uint32_t *machine; /* by task: where it ended */
        uint32_t *here;    /* [stage * machines + machine]: tasks of the stage that ended there */
        uint32_t *coflow;  /* by stage: its number; UINT32_MAX: it has none so far */
        struct br_supply *supply; /* of a job that is placed; NULL: of others */
    } * job;
    bool carries; /* bytes move; else they are there at once */
    struct br_transit_ready {
        uint32_t job, task;
    } * ready; /* of placed jobs: what is to be told */
    uint32_t readies, ready_room;
    struct br_network_job **placed; /* by dag, once it is asked for */
    bool memory;                    /* there was enough so far */
    uint32_t at_job;                /* while a job's supply is told something */
    int64_t at_ns;
    uint32_t coflows;         /* numbers given out */
    struct br_transit_fetch { /* by slot of a running task */
        uint32_t flows;       /* on their way */
        int64_t since_ns;
    } * fetch;
    uint32_t fetch_room;
    uint32_t begun;            /* flows, which number them */
    int64_t *bytes;            /* by machine, of the fetch at hand; 0 outside */
    uint32_t *from;            /* machines with such bytes */
    struct br_moved_sums sums; /* so far */
};

/* Nothing moves. Without a policy bytes are there at once. BR_BAD_INPUT if a port has no rate
 * though jobs carry bytes. finish is fine also after a failure. */
enum br_status br_transit_init(struct br_transit *transit, const struct br_workload *workload,
                               const struct br_cluster *cluster,
                               const struct br_transit_policy *policy, struct br_diag *diag);
void br_transit_finish(struct br_transit *transit);

/* The job comes, or is forgotten. False when memory is out. */
bool br_transit_arrive(struct br_transit *transit, uint32_t job);
void br_transit_retire(struct br_transit *transit, uint32_t job);
/* The job, which has arrived, will run its tasks on these machines (borrowed for the call).
 * BR_BAD_INPUT (too many transfers), BR_SYSTEM (memory). */
enum br_status br_transit_place(struct br_transit *transit, uint32_t job, const uint32_t *machine,
                                int64_t now_ns, struct br_diag *diag);
/* May the task start there, as far as that is placed and its inputs are there? */
bool br_transit_may_start(const struct br_transit *transit, uint32_t job, uint32_t task,
                          uint32_t machine);
/* The share of what the task reads, whose parents have ended, that lies on the machine: 0..1; below
 * 0: nothing moves to it. O(edges into its stage). */
double br_transit_lies(const struct br_transit *transit, uint32_t job, uint32_t task,
                       uint32_t machine);
/* The next task of a placed job whose inputs have come and that is not told so far. */
bool br_transit_ready(struct br_transit *transit, uint32_t *job, uint32_t *task);
/* The task has ended there. O(1), of a placed job also what it hands on. */
void br_transit_ended(struct br_transit *transit, uint32_t job, uint32_t task, uint32_t machine,
                      int64_t now_ns);

/* What the task, which has ended, put out is lost. What is on its way comes. Of a job that is not
 * placed. O(log stages). */
void br_transit_lost(struct br_transit *transit, uint32_t job, uint32_t task);

/* The task has started in this slot and fetches; all its parents have ended. *waits: something has
 * to come before it works. False when memory is out. O(edges into its stage x machines x log
 * flows). */
bool br_transit_fetch(struct br_transit *transit, uint32_t job, uint32_t task, uint32_t machine,
                      uint32_t slot, int64_t now_ns, bool *waits);
/* The task of the slot is lost while it fetches. O(flows). */
void br_transit_drop(struct br_transit *transit, uint32_t slot, int64_t now_ns);

/* Sets the rates of what moves, after all that happens at a moment. False when memory is out. */
bool br_transit_share(struct br_transit *transit, int64_t now_ns);
/* When the next flow ends; BR_NETWORK_NEVER: none does. */
static inline int64_t br_transit_next(const struct br_transit *transit)
{
    return transit->flows.flows ? transit->flows.next_ns : BR_NETWORK_NEVER;
}
/* Lets flows end that end now, up to one that is the last of its task: *slot has all its inputs.
 * False if there is none. */
bool br_transit_pop(struct br_transit *transit, int64_t now_ns, uint32_t *slot);

#endif
