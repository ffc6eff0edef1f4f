/* A proof of a lower bound as data; no solver is needed to check it. docs/certificates.md says why
 * each kind is a proof, and gives the form in files. bounds/certify.h makes certificates,
 * check/certificate.h checks them.
 *
 * The job falls into parts, one after another, each behind a cut (see part.h); the bound is the sum
 * of theirs. A part's bound L is proven in one of these ways, with M = L - 1 the makespan that is
 * shown to be too short. All times are in ticks (see instance.h), or in multiples of
 * several.
 *
 *   path     A chain of stages, each with the rounds that it needs alone.
 *   window   Some stage does not fit between the least time before it and the least time after it.
 *   energy   In some time interval tasks have to run with more weight than the cluster holds.
 *   rounds   In some time interval more tasks have to run one after another than fit there.
 *   prices   Every stage pays a price for running, which varies with time. Wherever its tasks
 *            start, together they pay more than all that the cluster can ever hold at once pays.
 *   clauses  One machine, or few tasks on several: a solver's learned clauses, up to a
 *            contradiction.
 *   first    Some stages take a time L by themselves. Whichever of them begins first, what it waits
 *            for has ended L before the end; a proof for each.
 *   last     The same with time running backwards. */
#ifndef BR_PLANNER_INSTANCE_CERTIFICATE_H
#define BR_PLANNER_INSTANCE_CERTIFICATE_H

#include <bigrocks/certificate.h>

#include "base/collections/arena.h"
#include "planner/model/dag.h"
#include "planner/instance/instance.h"

/* The weight of each task, and how much weight the cluster holds at any time. */
enum br_measure_kind {
    BR_MEASURE_RESOURCE, /* demands; with a unit, how many whole units of it */
    BR_MEASURE_CLIQUE,   /* 1 for tasks of which no two can share a machine */
    BR_MEASURE_WEIGHTS,  /* whole numbers; a machine holds the heaviest set that fits it */
};
struct br_proof_measure {
    enum br_measure_kind kind;
    uint32_t resource;      /* of the job */
    struct br_decimal unit; /* 0: the demands as they are */
    uint32_t stages;        /* of the clique, or with weights, by number in the job, ascending */
    uint32_t *stage;
    int64_t *weight; /* of a task of each, from 1 to BR_PRICE_MAX */
};

/* No task of the stage starts before `at`: if one did, the measure would overflow in from .. to, if
 * the stages wholly ahead have ended by then. For tails the same, with time running backwards from
 * the end. */
struct br_proof_claim {
    uint32_t stage;
    int64_t at, from, to;
    uint32_t measure; /* of the part's */
};

/* Heads are derived parents first, then tails children first, from the edges and the claims. */
struct br_proof_pass {
    uint32_t heads, tails;
    struct br_proof_claim *head, *tail;
};

/* A stage: all its tasks, or only `task` (unless it is UINT32_MAX). */
struct br_proof_link {
    uint32_t stage, task;
};

/* The value of each task of the stage on a line, which holds tasks one after another. */
struct br_proof_value {
    uint32_t stage;
    int64_t value;
};

/* The price that each task of a stage pays for a tick, from `from` to the next step. */
struct br_proof_step {
    int64_t from, price;
};
struct br_proof_price {
    uint32_t stage, steps;
    struct br_proof_step *step; /* from 0, ascending */
};

/* From `from` to `to`: stages of which each is wholly ahead of the next, so only one of them runs
 * at a time. Their tasks get that share of their price back. Together that is at most what the
 * cluster holds of the dearest of them alone. */
struct br_proof_chain {
    int64_t from, to;
    uint32_t stages;
    uint32_t *stage;
    int64_t *share;
};

/* A bound on the start of a task, or whether a task is on a machine. */
struct br_proof_literal {
    /* Numbered in the part. The number of its tasks stands for the end of the job. On M machines
     * tasks + 1 + t x M + m stands for: task t is on machine m (no less than 1), or is not (no more
     * than 0). */
    uint32_t task;
    bool upper;   /* starts no later than the time; else, no earlier */
    int64_t time; /* in ticks */
};

/* On one machine: a variable that is 1 if the first of two tasks has ended before the second
 * starts, and 0 if the second has ended before the first starts. Only for tasks that cannot run
 * together; the one with the smaller number is first. */
static inline uint32_t br_proof_order(uint32_t tasks, uint32_t first, uint32_t second)
{
    return tasks + 1 + first * tasks + second;
}

/* A span of time, in ticks. */
struct br_proof_span {
    int64_t from, to;
};

/* At least one of its literals holds in every plan that ends by M. It follows by propagation from
 * the clauses before it, and from what has to be done in some spans. The last clause is empty, or
 * the clauses of one literal contradict each other: then there is no such plan. */
struct br_proof_clause {
    uint32_t literals, hints, spans;
    struct br_proof_literal *literal;
    uint32_t *hint;             /* earlier clauses of several literals from which it follows */
    struct br_proof_span *span; /* in which tasks have too much to do; on one machine */
};

/* The price of a unit of the resource, which is 10^-digits of it: for a tick of what tasks hold, or
 * for what they consume. */
struct br_proof_charge {
    uint32_t resource;
    bool consumed;
    int32_t digits;
    int64_t price;
};

/* So much flows along an edge, from a task of the one stage to one of the other (each counted
 * within its stage), and costs as much for every tick that the first one lasts. */
struct br_proof_flow {
    uint32_t from, to, from_task, to_task;
    int64_t amount;
};

enum br_proof_kind {
    BR_PROOF_PATH,
    BR_PROOF_WINDOW,
    BR_PROOF_ENERGY,
    BR_PROOF_ROUNDS,
    BR_PROOF_PRICES,
    BR_PROOF_CLAUSES,
    BR_PROOF_FIRST,
    BR_PROOF_LAST,
    BR_PROOF_MULTIPLIERS, /* of jobs with ways (BR_RELAX_WAYS) only */
};
/* Its values, by the names that a certificate's file gives them. */
extern const struct br_names br_proof_kinds;

/* Cases within cases are at most this deep, groups included. */
enum { BR_PROOF_DEPTH = 64 };

struct br_proof;

/* The stage begins before all others of the group, or ends after them. The proof is of the same
 * stages, so it lists none, and proves the same bound or a higher one. */
struct br_proof_case {
    uint32_t stage;
    struct br_proof *proof;
};

struct br_proof {
    int64_t bound; /* L */
    /* For a part: above 1, every duration is rounded down to a multiple of so many ticks, and all
     * times of the proof, L too, count these multiples. A job of shorter tasks has no longer
     * optimum, so a bound of the rounded job holds for the part. */
    int64_t rounding;
    int64_t rest;    /* ticks that a chain of L loses by the rounding, at least (remainder.h) */
    uint32_t stages; /* of the part, by number in the job, ascending; 0: the whole job */
    uint32_t *stage;
    enum br_proof_kind kind;

    uint32_t links; /* path */
    struct br_proof_link *link;

    uint32_t measures, passes; /* all but path */
    struct br_proof_measure *measure;
    struct br_proof_pass *pass;

    uint32_t at;      /* window: the stage */
    int64_t from, to; /* energy, rounds */
    uint32_t energy;  /* energy, rounds: the measure */
    uint32_t values;  /* rounds, if given: the worth of tasks on a line */
    struct br_proof_value *value;
    uint32_t prices; /* prices */
    struct br_proof_price *price;
    uint32_t chains;
    struct br_proof_chain *chain;

    uint32_t clauses; /* clauses */
    struct br_proof_clause *clause;

    uint32_t charges, flows; /* multipliers */
    struct br_proof_charge *charge;
    struct br_proof_flow *flow;

    struct br_proof *group; /* first, last: proves the bound for the group's stages alone */
    uint32_t cases; /* one for each stage of the group without a parent in it (first), or without a
                       child (last) */
    struct br_proof_case *when;
};

static inline int64_t br_proof_rounding(const struct br_proof *proof)
{
    return proof->rounding > 1 ? proof->rounding : 1;
}
/* The bound in ticks. */
static inline int64_t br_proof_ticks(const struct br_proof *proof)
{
    return proof->bound * br_proof_rounding(proof) + proof->rest;
}

/* Prices and shares are at most this. */
#define BR_PRICE_MAX (INT64_C(1) << 32)

/* The job that the proofs are about. Every plan of the given job has its place in a relaxed one,
 * which has no features (planner/instance/relax.h); numbers of stages are those of the relaxed job.
 */
enum br_relaxation {
    BR_RELAX_NONE,     /* the given job itself */
    BR_RELAX_MACHINES, /* the machines, without shared resources unless there is one machine */
    BR_RELAX_POOL,     /* one machine that has all that the machines have, and what they share */
    BR_RELAX_WAYS,     /* the given job itself, with its ways; by multipliers */
};
/* Its values, by the names that a certificate's file gives them. */
extern const struct br_names br_relaxations;

struct br_certificate {
    struct br_arena arena; /* owns all */
    enum br_relaxation relaxation;
    int64_t tick_ns;
    uint32_t parts; /* in the order in which they run */
    struct br_proof *part;
};

/* An empty certificate with room for this many parts; NULL if memory is out. */
struct br_certificate *br_certificate_create(int64_t tick_ns, uint32_t parts);

/* The proof of the part if both fall into the same parts; else NULL. */
const struct br_proof *br_certificate_same_part(const struct br_certificate *a,
                                                const struct br_certificate *b, uint32_t part);
/* Takes over those of the parts' proofs that are better. Takes over all of them if only their sum
 * is better, or if there is no certificate yet (*certificate NULL). `from`, which may be NULL, is
 * taken or destroyed. Returns whether the bound has risen, from nothing at least. */
bool br_certificate_take(struct br_certificate **certificate, struct br_certificate *from);

/* Writes the stages of the part into the proof. False when memory is out. */
bool br_proof_set_part(struct br_arena *arena, const struct br_instance *whole,
                       const struct br_instance *part, struct br_proof *proof);

#endif
