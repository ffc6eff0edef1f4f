/* The live jobs of a list policy: how far each is, what its key is made of, and what of it is
 * ready, which is kept in the roster of its group, or in one roster of all. */
#ifndef BR_CLUSTER_SIMULATE_POLICIES_MEMBERS_H
#define BR_CLUSTER_SIMULATE_POLICIES_MEMBERS_H

#include "runtime/enforcer/jobs/capacities.h"
#include "cluster/simulate/policies/roster.h"
#include "cluster/simulate/policies/rule.h"
#include "cluster/simulate/policy.h"

/* A kind of which the first task has become ready. */
struct br_fresh {
    uint32_t kind;
    uint32_t from; /* no machine before this one has room for it */
};

struct br_member {
    struct br_ranked_job known;
    struct br_arena arena;
    struct br_roster *roster;
    struct br_roster_job standing; /* its key in the roster */
    uint32_t *posting;             /* by kind: in the roster, or BR_NOBODY */
    struct br_fresh *fresh;        /* since the caller set `freshes` to 0 */
    uint32_t freshes;
    int64_t *held;   /* if by_share, by resource: demands of its running tasks */
    int64_t *cap;    /* the most that `held` may be; only if `capped` */
    int64_t *narrow; /* what is left of that in a machine's room */
    bool capped;
    bool held_back; /* it is at its limit, and nothing of it stands in the roster */
    bool woken;     /* the caller's */
};

struct br_members {
    const struct br_ranked_rule *rule;
    const struct br_policy_setup *setup;
    const struct br_capacities *capacities;
    struct br_roster *roster; /* one, or one a group */
    uint32_t rosters;
    struct br_member *member; /* by slot; moves when jobs arrive */
    struct br_job **job;      /* by slot: the member's, to be found without it */
    uint32_t job_room;
    uint32_t slots, slot_room;
    uint32_t *unused, unused_count, unused_room;
    uint32_t *slot_of, slot_of_room; /* by job of the workload */
    struct br_forms forms;           /* with the longest paths if the rule orders by them */
};

/* Nobody; all borrowed, for as long as the members. `most`, by resource: of the largest machine.
 * False when memory is out. */
bool br_members_init(struct br_members *members, const struct br_ranked_rule *rule,
                     const struct br_policy_setup *setup, const struct br_capacities *capacities,
                     const int64_t *most);
void br_members_finish(struct br_members *members);

/* A job arrives; `draw` is its first. *slot is set also after a failure. */
enum br_status br_members_add(struct br_members *members, const struct br_arrival *arrival,
                              uint64_t draw, uint32_t *slot, struct br_diag *diag);
void br_members_remove(struct br_members *members, uint32_t slot);

/* Brings key and roster up to date with what has become of the job's tasks and its limit, and notes
 * what is fresh. False when memory is out, which cannot be if nothing has become ready. */
bool br_member_settle(struct br_members *members, struct br_member *member);
/* The first task of the job, in its order, that fits into the room, of `width` resources, and into
 * its cap, if any; as rank - 1, or BR_NO_RANK. */
uint32_t br_member_first(const struct br_member *member, uint32_t width, const int64_t *room);

#endif
