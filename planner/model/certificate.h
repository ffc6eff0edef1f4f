/* A proof of a lower bound that needs no solver to check; docs/certificates.md says why each kind
 * is one, and gives the form in files.
 *
 * The job falls into parts, one after another, each behind a cut (see part.h); the bound is the sum
 * of theirs. A part's bound L is proven in one of these ways, with M = L - 1 the makespan that is
 * shown to be too short. All times are in ticks (see instance.h).
 *
 *   path     A chain of stages, each with the rounds that it needs alone.
 *   window   Some stage does not fit between the least time before it and the least time after it.
 *   energy   In some time interval tasks have to run with more weight than the cluster holds.
 *   rounds   In some time interval more tasks have to run one after another than fit there.
 *   prices   Every stage pays a price for running, which varies with time. Wherever its tasks
 *            start, together they pay more than all that the cluster can ever hold at once pays.
 *   clauses  One machine only: a solver's learned clauses, up to a contradiction; see clauses.h.
 */
#ifndef BR_PLANNER_MODEL_CERTIFICATE_H
#define BR_PLANNER_MODEL_CERTIFICATE_H

#include "base/arena.h"
#include "planner/check/clauses.h"
#include "planner/model/dag.h"
#include "planner/model/instance.h"

struct br_measure;

/* Weights of tasks, and how much of them the cluster holds at any time; see bounds/measure.h. */
enum br_measure_kind {
    BR_MEASURE_RESOURCE, /* demands; with a unit, how many whole units of it */
    BR_MEASURE_CLIQUE,   /* 1 for tasks of which no two can share a machine */
};
struct br_proof_measure {
    enum br_measure_kind kind;
    uint32_t resource;      /* of the job */
    struct br_decimal unit; /* 0: the demands as they are */
    uint32_t stages;        /* of the clique, by number in the job, ascending */
    uint32_t *stage;
};

/* No task of the stage starts before `at`: if one did, the measure would overflow in from .. to,
 * given that the stages wholly ahead would have ended by then. For tails the same, with time
 * running backwards from the end. */
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

/* A stage with all its tasks, or (task not UINT32_MAX) one task of it. */
struct br_proof_link {
    uint32_t stage, task;
};

/* What each task of the stage is worth; see bounds/rounds.h. */
struct br_proof_value {
    uint32_t stage;
    int64_t value;
};

/* What a stage's tasks pay for each tick from `from` on, until the next step. */
struct br_proof_step {
    int64_t from, price;
};
struct br_proof_price {
    uint32_t stage, steps;
    struct br_proof_step *step; /* from 0, ascending */
};

/* From `from` to `to`: stages of which each is wholly ahead of the next, so that only one of them
 * runs at a time. Their tasks get that share of their price back, which together is at most as much
 * as the cluster holds of the dearest of them alone. */
struct br_proof_chain {
    int64_t from, to;
    uint32_t stages;
    uint32_t *stage;
    int64_t *share;
};

enum br_proof_kind {
    BR_PROOF_PATH,
    BR_PROOF_WINDOW,
    BR_PROOF_ENERGY,
    BR_PROOF_ROUNDS,
    BR_PROOF_PRICES,
    BR_PROOF_CLAUSES,
};

struct br_proof {
    int64_t bound;   /* L */
    uint32_t stages; /* of the part, by number in the job, ascending; 0: the whole job */
    uint32_t *stage;
    enum br_proof_kind kind;

    uint32_t links; /* path */
    struct br_proof_link *link;

    uint32_t measures, passes; /* all but path */
    struct br_proof_measure *measure;
    struct br_proof_pass *pass;

    uint32_t at;      /* window: the stage */
    int64_t from, to; /* energy */
    uint32_t energy;  /* energy, rounds: the measure */
    uint32_t values;  /* rounds, where given: what tasks are worth on a line */
    struct br_proof_value *value;
    uint32_t prices; /* prices */
    struct br_proof_price *price;
    uint32_t chains;
    struct br_proof_chain *chain;

    uint32_t clauses; /* clauses */
    struct br_proof_clause *clause;
};

/* Prices and shares are at most this. */
#define BR_PRICE_MAX (INT64_C(1) << 32)

struct br_certificate {
    struct br_arena arena; /* owns all */
    int64_t tick_ns;
    uint32_t parts; /* in the order in which they run */
    struct br_proof *part;
};

/* An empty certificate with room for so many parts; NULL when memory is out. */
struct br_certificate *br_certificate_create(int64_t tick_ns, uint32_t parts);
void br_certificate_destroy(struct br_certificate *certificate);

/* The sum of the parts' bounds in nanoseconds, as claimed. False where it overflows. */
bool br_certificate_bound(const struct br_certificate *certificate, int64_t *bound_ns);

/* The part's proof where both fall into the same parts; NULL otherwise. */
const struct br_proof *br_certificate_same_part(const struct br_certificate *a,
                                                const struct br_certificate *b, uint32_t part);
/* Takes over the parts' proofs that are better, or all of them where only the sum is, or where
 * there is no certificate yet (*certificate NULL). `from`, which may be NULL, is taken or
 * destroyed. Returns whether the bound has risen, from nothing at least. */
bool br_certificate_take(struct br_certificate **certificate, struct br_certificate *from);

/* Checks the proof in exact integers. BR_OK; BR_NO with the words for what fails; BR_SYSTEM when
 * memory is out. `whole` is the instance of the whole job. */
enum br_status br_certificate_check(const struct br_certificate *certificate,
                                    const struct br_dag *dag, const struct br_instance *whole,
                                    struct br_diag *diag);

/* The same for a job and a cluster; also BR_NO where the certificate proves less than bound_ns, or
 * the two make no instance. */
enum br_status br_certificate_verify(const struct br_certificate *certificate,
                                     const struct br_dag *dag, const struct br_cluster *cluster,
                                     int64_t bound_ns, struct br_diag *diag);

/* The best combinatorial bound of the job (br_bounds_sum) with its certificate, not yet checked;
 * NULL when memory is out. */
struct br_certificate *br_certify(const struct br_instance *whole);
/* Fills the proof that no plan of the part is shorter than br_bounds_best of it; all the memory is
 * the arena's. False when memory is out. */
bool br_certify_part(struct br_arena *arena, const struct br_instance *whole,
                     const struct br_instance *part, struct br_proof *proof);
/* Writes the claims into the proof that give the windows of br_windows_init with the rounds of
 * stages and all measures. False when memory is out. */
bool br_certify_windows(struct br_arena *arena, const struct br_instance *whole,
                        const struct br_instance *part, struct br_proof *proof);
/* Adds a measure of the part to the proof, as the one that its energy or rounds are about. False
 * when memory is out. */
bool br_proof_add_measure(struct br_arena *arena, const struct br_instance *whole,
                          const struct br_instance *part, const struct br_measure *measure,
                          struct br_proof *proof);
/* Adds passes to the proof that make its windows narrower for this makespan, by energetic
 * reasoning; head[s] and tail[s], by stage of the part, receive what comes of all passes. The proof
 * has the part's stages and perhaps passes (br_certify_windows). *overfull says that something does
 * not fit its window, so that the makespan is refuted. False when memory is out. */
bool br_proof_tighten(struct br_arena *arena, const struct br_instance *whole,
                      const struct br_instance *part, int64_t makespan, struct br_proof *proof,
                      int64_t *head, int64_t *tail, bool *overfull);
/* Writes the stages of the part into the proof. False when memory is out. */
bool br_proof_set_part(struct br_arena *arena, const struct br_instance *whole,
                       const struct br_instance *part, struct br_proof *proof);

#endif
