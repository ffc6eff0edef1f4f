/* Checks that a certificate proves its bound: the parts, the cuts between them, and each part's own
 * argument. Whatever found the bound is not asked, and nothing of what finds bounds is used. */
#include "planner/check/proofs/certificate.h"

#include <inttypes.h>
#include <string.h>

#include "base/collections/memory.h"
#include "base/collections/sort.h"
#include "base/numbers/wide.h"
#include "base/text/diag.h"
#include "planner/check/proofs/clauses.h"
#include "planner/check/proofs/lines.h"
#include "planner/check/proofs/proof.h"
#include "planner/check/proofs/multipliers.h"
#include "planner/check/proofs/relaxed.h"

/* Sums of a few times stay within 63 bits. */
#define DURATIONS_MAX (BR_TICKS_MAX / 4)

/* Are the two joined by an edge that orders all that the links stand for? */
static bool check_certificate_joined(const struct br_instance *in, uint32_t s, uint32_t i,
                                     uint32_t t, uint32_t k)
{
    for (uint32_t a = in->child_first[s]; a < in->child_first[s + 1]; a++)
        if (in->child[a].stage == t)
            return !in->child[a].one_to_one || (i != UINT32_MAX && i == k);
    return false;
}

/* A chain: each link begins when the one before it has ended. */
static enum br_status check_path(struct br_proof_check *check)
{
    const struct br_proof *proof = check->proof;
    const struct br_instance *in = check->in;
    uint32_t last = UINT32_MAX, last_task = UINT32_MAX;
    int64_t sum = 0;
    struct br_line_copies *scratch = br_malloc((size_t)in->tasks * sizeof *scratch);
    if (!scratch)
        return br_fail_memory(check->diag);
    enum br_status status = BR_OK;
    for (uint32_t k = 0; k < proof->links && !status; k++) {
        uint32_t s = br_proof_stage(check, proof->link[k].stage), i = proof->link[k].task;
        if (s == UINT32_MAX ||
            (i != UINT32_MAX && i >= in->stage_first[s + 1] - in->stage_first[s]))
            status = br_proof_fails(check, "the path leaves the part");
        else if (k > 0 && !check_certificate_joined(in, last, last_task, s, i))
            status = br_proof_fails(check, "the path goes to '%s' without an edge",
                                    br_proof_stage_name(check, s));
        else
            sum += i == UINT32_MAX ? br_alone_rounds(in, s, scratch)
                                   : in->duration[in->stage_first[s] + i];
        last = s;
        last_task = i;
    }
    br_free(scratch);
    if (!status && sum < proof->bound)
        status = br_proof_fails(check, "the path takes %" PRId64 " ticks, not %" PRId64, sum,
                                proof->bound);
    return status;
}

/* Clauses, on one machine or of a small job. */
static enum br_status check_clauses(struct br_proof_check *check)
{
    const struct br_proof *proof = check->proof;
    uint32_t where = 0;
    if (!br_clauses_suit(check->in))
        return br_proof_fails(
            check, "clauses are for one machine, or for up to 64 tasks on up to 16 machines");
    switch (br_clauses_check(check->in, proof->bound, proof->clause, proof->clauses, &where)) {
    case BR_CLAUSES_PROVE:
        return BR_OK;
    case BR_CLAUSES_MEMORY:
        return br_fail_memory(check->diag);
    case BR_CLAUSES_MALFORMED:
        return br_proof_fails(check, "clause %" PRIu32 " is not in the form", where + 1);
    case BR_CLAUSES_GAP:
        return br_proof_fails(check, "clause %" PRIu32 " does not follow", where + 1);
    default:
        return br_proof_fails(check, "the clauses leave a plan of %" PRId64 " ticks possible",
                              check->makespan);
    }
}

static enum br_status certificate_check_proof(struct br_proof_check *check)
{
    const struct br_proof *proof = check->proof;
    uint32_t stage;
    if (proof->bound <= 0)
        return proof->bound == 0 ? BR_OK : br_proof_fails(check, "the bound is negative");
    if (proof->bound > DURATIONS_MAX)
        return br_proof_fails(check, "the bound is too large");
    if (proof->kind == BR_PROOF_PATH)
        return check_path(check);
    if (proof->kind == BR_PROOF_CLAUSES)
        return check_clauses(check);
    enum br_status status = br_proof_windows(check);
    if (status)
        return status;
    /* Proves every kind: there is no such plan if something does not fit its window. */
    if (br_proof_overfull(check, &stage))
        return BR_OK;
    switch (proof->kind) {
    case BR_PROOF_ENERGY:
        return br_proof_energy(check);
    case BR_PROOF_ROUNDS:
        return br_proof_rounds(check);
    case BR_PROOF_PRICES:
        return br_proof_prices(check);
    case BR_PROOF_FIRST:
    case BR_PROOF_LAST:
        return br_proof_cases(check, certificate_check_proof);
    default:
        return br_proof_fails(check, "every stage fits its window within %" PRId64 " ticks",
                              check->makespan);
    }
}

/* Every stage in one part. owner[s] is the part of stage s. */
static enum br_status check_partition(const struct br_certificate *c, const struct br_dag *dag,
                                      uint32_t *owner, struct br_diag *diag)
{
    if (c->parts == 1 && c->part[0].stages == 0)
        return BR_OK;
    memset(owner, 0xff, dag->stages * sizeof *owner);
    uint32_t listed = 0;
    for (uint32_t k = 0; k < c->parts; k++)
        for (uint32_t i = 0; i < c->part[k].stages; i++, listed++) {
            uint32_t s = c->part[k].stage[i];
            if (s >= dag->stages || owner[s] != UINT32_MAX ||
                (i > 0 && s < c->part[k].stage[i - 1]))
                return br_fail(diag, BR_NO, NULL, "a stage is in two parts, or out of order");
            owner[s] = k;
        }
    for (uint32_t k = 0; k < c->parts; k++)
        if (c->part[k].stages == 0)
            return br_fail(diag, BR_NO, NULL, "part %" PRIu32 " is empty", k + 1);
    if (listed != dag->stages)
        return br_fail(diag, BR_NO, NULL, "%" PRIu32 " of the stages are in no part",
                       dag->stages - listed);
    return BR_OK;
}

/* Between two parts there is a cut: all stages of the first without a child in it are joined by
 * barriers to all stages of the second without a parent in it. Then every task of the first is an
 * ancestor of every task of the second, and so of every later part. */
static enum br_status check_cuts(const struct br_certificate *c, const struct br_instance *in,
                                 const uint32_t *owner, struct br_diag *diag)
{
    bool *source = br_calloc(in->stages + (size_t)1, sizeof *source);
    uint32_t *sources = br_calloc(c->parts + (size_t)1, sizeof *sources);
    enum br_status status = source && sources ? BR_OK : br_fail_memory(diag);
    for (uint32_t s = 0; !status && s < in->stages; s++) {
        source[s] = true;
        for (uint32_t a = in->parent_first[s]; a < in->parent_first[s + 1]; a++)
            source[s] &= owner[in->parent[a].stage] != owner[s];
        sources[owner[s]] += source[s];
    }
    for (uint32_t s = 0; !status && s < in->stages; s++) {
        bool sink = true;
        uint32_t barriers = 0;
        for (uint32_t a = in->child_first[s]; a < in->child_first[s + 1]; a++) {
            uint32_t child = in->child[a].stage;
            sink &= owner[child] != owner[s];
            barriers += owner[child] == owner[s] + 1 && source[child] && !in->child[a].one_to_one;
        }
        if (sink && owner[s] + 1 < c->parts && barriers != sources[owner[s] + 1])
            status = br_fail(diag, BR_NO, NULL, "no cut between parts %" PRIu32 " and %" PRIu32,
                             owner[s] + 1, owner[s] + 2);
    }
    br_free(source);
    br_free(sources);
    return status;
}

/* What rounding takes off a task, and what it leaves, in multiples. */
struct rounded_task {
    int64_t off, left;
};

static int off_by_left(const void *a, const void *b)
{
    const struct rounded_task *x = a, *y = b;
    const br_wide first = (br_wide)x->off * y->left, second = (br_wide)y->off * x->left;
    return (first > second) - (first < second);
}

/* In a schedule, some chain of tasks is as long as the bound after rounding, so it loses at least
 * what tasks of that length lose that have the least to lose for their length. */
static enum br_status check_rest(const struct br_proof *proof, const struct br_instance *in,
                                 uint32_t number, struct br_diag *diag)
{
    const int64_t rounding = br_proof_rounding(proof);
    struct rounded_task *task = br_malloc((in->tasks + (size_t)1) * sizeof *task);
    uint32_t tasks = 0;
    if (!task)
        return br_fail_memory(diag);
    for (uint32_t t = 0; t < in->tasks; t++)
        if (in->duration[t] >= rounding)
            task[tasks++] =
                (struct rounded_task){in->duration[t] % rounding, in->duration[t] / rounding};
    br_sort_by(task, tasks, sizeof *task, off_by_left);
    int64_t missing = proof->bound, least = 0;
    for (uint32_t k = 0; k < tasks && missing > 0; k++) {
        const struct rounded_task part = task[k];
        if (part.left <= missing)
            least += part.off;
        else
            least += (int64_t)(((br_wide)part.off * missing + part.left - 1) / part.left);
        missing -= part.left < missing ? part.left : missing;
    }
    br_free(task);
    if (missing == 0 && proof->rest <= least)
        return BR_OK;
    return br_fail(diag, BR_NO, NULL,
                   "part %" PRIu32 ": tasks as long as the bound may lose less by rounding",
                   number);
}

/* One part's proof, on the part alone, with the rounding that it states. */
static enum br_status check_certificate_part(const struct br_proof *proof, uint32_t number,
                                             const struct br_dag *dag,
                                             const struct br_instance *whole, struct br_diag *diag)
{
    const int64_t rounding = br_proof_rounding(proof);
    struct br_instance *rounded = rounding > 1 ? br_instance_round(whole, rounding) : NULL;
    const struct br_instance *all = rounded ? rounded : whole;
    struct br_instance *part =
        proof->stages ? br_instance_part(all, proof->stage, proof->stages) : NULL;
    struct br_proof_check check = {.proof = proof,
                                   .dag = dag,
                                   .whole = all,
                                   .in = part ? part : all,
                                   .diag = diag,
                                   .number = number,
                                   .makespan = proof->bound - 1};
    const bool made = (rounding == 1 || rounded) && (!proof->stages || part);
    enum br_status status = made ? certificate_check_proof(&check) : br_fail_memory(diag);
    br_arena_finish(&check.arena);
    br_instance_destroy(part);
    br_instance_destroy(rounded);
    if (!status && proof->rest > 0) {
        part = proof->stages ? br_instance_part(whole, proof->stage, proof->stages) : NULL;
        status = proof->stages && !part ? br_fail_memory(diag)
                                        : check_rest(proof, part ? part : whole, number, diag);
        br_instance_destroy(part);
    }
    return status;
}

/* The proofs on the job that the certificate stands on. */
static enum br_status check_proofs(const struct br_certificate *c, const struct br_dag *dag,
                                   const struct br_instance *whole, struct br_diag *diag)
{
    int64_t bound_ns;
    if (c->parts == 0)
        return br_fail(diag, BR_NO, NULL, "the certificate has no parts");
    if (c->tick_ns != whole->tick_ns)
        return br_fail(diag, BR_NO, NULL, "the tick is not the durations' common divisor");
    if (!br_certificate_bound(c, &bound_ns))
        return br_fail(diag, BR_NO, NULL, "the bound is negative or too large");
    int64_t sum = 0;
    for (uint32_t t = 0; t < whole->tasks; t++)
        sum += whole->duration[t];
    if (sum > DURATIONS_MAX)
        return br_fail(diag, BR_NO, NULL, "the durations are too long for a check");
    uint32_t *owner = br_malloc(((size_t)dag->stages + 1) * sizeof *owner);
    enum br_status status = owner ? check_partition(c, dag, owner, diag) : br_fail_memory(diag);
    if (!status && c->parts > 1)
        status = check_cuts(c, whole, owner, diag);
    for (uint32_t k = 0; !status && k < c->parts; k++)
        status = check_certificate_part(&c->part[k], k + 1, dag, whole, diag);
    br_free(owner);
    return status;
}

static enum br_status check_proves(const struct br_certificate *c, const struct br_dag *dag,
                                   const struct br_instance *whole, int64_t bound_ns,
                                   struct br_diag *diag)
{
    int64_t claimed_ns;
    enum br_status status = check_proofs(c, dag, whole, diag);
    if (!status && (!br_certificate_bound(c, &claimed_ns) || claimed_ns < bound_ns))
        status = br_fail(diag, BR_NO, NULL, "the certificate proves less than the bound");
    return status;
}

enum br_status br_certificate_check(const struct br_certificate *c, const struct br_dag *dag,
                                    const struct br_instance *whole, struct br_diag *diag)
{
    return br_certificate_proves(c, dag, whole, 0, diag);
}

enum br_status br_certificate_proves(const struct br_certificate *c, const struct br_dag *dag,
                                     const struct br_instance *whole, int64_t bound_ns,
                                     struct br_diag *diag)
{
    if (c->relaxation != BR_RELAX_NONE)
        return br_fail(diag, BR_NO, NULL, "the proof is of a relaxed job, not of this one");
    return check_proves(c, dag, whole, bound_ns, diag);
}

static enum br_status verify_instance(const struct br_certificate *c, const struct br_dag *dag,
                                      const struct br_cluster *cluster, int64_t bound_ns,
                                      struct br_diag *diag)
{
    struct br_instance *in;
    enum br_status status = br_instance_create(dag, cluster, &in, diag);
    if (!status)
        status = check_proves(c, dag, in, bound_ns, diag);
    br_instance_destroy(in);
    return status;
}

/* The relaxed job is made again, so that only the given one counts. */
static enum br_status verify_relaxed(const struct br_certificate *c, const struct br_dag *dag,
                                     const struct br_cluster *cluster, int64_t bound_ns,
                                     struct br_diag *diag)
{
    struct br_dag *relaxed;
    struct br_cluster *relaxed_cluster;
    if (c->relaxation == BR_RELAX_WAYS)
        return br_check_multipliers(c, dag, cluster, bound_ns, diag);
    enum br_status status =
        br_check_relaxed(dag, cluster, c->relaxation, &relaxed, &relaxed_cluster, diag);
    if (!status)
        status = verify_instance(c, relaxed, relaxed_cluster, bound_ns, diag);
    br_dag_destroy(relaxed);
    br_cluster_destroy(relaxed_cluster);
    return status;
}

enum br_status br_certificate_verify(const struct br_certificate *c, const struct br_dag *dag,
                                     const struct br_cluster *cluster, int64_t bound_ns,
                                     struct br_diag *diag)
{
    BR_NEED(diag, c, dag, cluster);
    if (!dag->finished)
        return br_fail(diag, BR_USAGE, "call br_dag_finish first", "the job is not finished");
    enum br_status status = c->relaxation ? verify_relaxed(c, dag, cluster, bound_ns, diag)
                                          : verify_instance(c, dag, cluster, bound_ns, diag);
    if (status == BR_BAD_INPUT) {
        status = BR_NO;
        if (diag)
            diag->status = status;
    }
    return status;
}
