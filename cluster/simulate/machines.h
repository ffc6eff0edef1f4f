/* The simulated machines: what runs on each, and how fast.
 *
 * A resource is held by running tasks up to its capacity; one that is fungible and overbooked up to
 * its limit. If the tasks of a machine demand more of it than there is, all that demand any of it
 * get their demand's share, and so progress at capacity / demand of all; with several such
 * resources, at the least of these rates. Progress is kept in whole nanoseconds, rounded so that no
 * task is early.
 *
 * If machines are measured, what tasks use stands beside what they demand: demands decide what
 * fits, uses how fast it runs, of all resources. Unseen resources hold any demand. */
#ifndef BR_CLUSTER_SIMULATE_MACHINES_H
#define BR_CLUSTER_SIMULATE_MACHINES_H

#include "base/numbers/wide.h"
#include "runtime/enforcer/jobs/capacities.h"
#include "cluster/simulate/policy.h"

#define BR_NO_SLOT UINT32_MAX

/* A running task, in a slot that is used again after its end. */
struct br_running {
    const int64_t *demand; /* NULL: the slot is not used */
    const int64_t *use;    /* if measured, by resource; read when the task starts */
    uint32_t job, task, machine;
    uint32_t version;    /* of its end in the queue */
    uint32_t next, last; /* if chained: slots on the same machine */
    bool fails, fetches; /* fetches: its inputs are not all there, and it makes no progress */
    int64_t start_ns;
    int64_t work_ns; /* when its inputs were there */
};

/* The progress of a slot's task if machines are paced: the time left at full speed at `seen_ns`,
 * and the rate since. */
struct br_pace {
    int64_t left_ns, seen_ns;
    int64_t rate, of; /* rate / of, at most 1 */
};

struct br_machines {
    struct br_arena arena;
    struct br_capacities capacities;
    uint32_t machines, resources;
    bool overbooked;
    /* Options, set by the caller while all machines are empty: chained keeps a list of the tasks of
     * each machine, paced lets tasks wait for their inputs. Overbooking needs both. */
    bool chained, paced;
    int64_t *limit; /* [class * resources]: capacity, or how far it may be overbooked */
    int64_t *held;  /* [machine * resources] */
    bool *there;
    bool measured;
    bool *unseen;  /* by resource */
    br_wide *used; /* [machine * resources], if measured */
    int64_t *use;  /* [slot * resources], if measured */
    uint32_t use_room;
    uint32_t *first; /* if chained, by machine: slot of a running task, or BR_NO_SLOT */
    struct br_running *slot;
    uint32_t slots, slot_room;
    struct br_pace *progress; /* by slot, if paced */
    uint32_t progress_room;
    uint32_t *unused, unused_count, unused_room;
};

/* All there and empty; chained and paced if something is overbooked, unseen or measured. BR_USAGE
 * (what may not be overbooked so, an unseen resource that the cluster does not have). */
enum br_status br_machines_init(struct br_machines *machines, const struct br_cluster *cluster,
                                const struct br_policy_setup *setup, bool measured,
                                struct br_diag *diag);
void br_machines_finish(struct br_machines *machines);

/* Does the demand fit on the machine now? */
bool br_machines_fit(const struct br_machines *machines, uint32_t machine, const int64_t *demand);
/* A task of that length starts; its slot, or BR_NO_SLOT when memory is out. */
uint32_t br_machines_start(struct br_machines *machines, struct br_running task, int64_t lasts_ns,
                           int64_t now_ns);
/* The inputs of a task that has started with `fetches` are there; when it ends, as things are. */
int64_t br_machines_work(struct br_machines *machines, uint32_t slot, int64_t now_ns);
/* The task of the slot is gone. */
void br_machines_end(struct br_machines *machines, uint32_t slot);
/* Looks at the rates on a machine on which something has started or ended: brings the progress of
 * its tasks up to date and calls `moved` for each whose end has moved. Does nothing if nothing is
 * overbooked. */
void br_machines_settle(struct br_machines *machines, uint32_t machine, int64_t now_ns,
                        void (*moved)(void *context, uint32_t slot, int64_t end_ns), void *context);

#endif
