/* Learnt clauses as lines of a proof. The checker of clauses is asked again for each span that it
 * needed, and with which bounds of the starts; all else is unit propagation on the rows of runs. */
#include "emit/proofs/learnt.h"

#include <inttypes.h>

#include "base/text/diag.h"
#include "emit/proofs/derive.h"
#include "emit/proofs/lemmas.h"
#include "planner/check/proofs/clauses.h"

struct learnt {
    const struct br_proof *proof;
    struct br_busy busy;
    struct br_lemmas lemmas;
    FILE *out;
};

/* Whether the literal holds in any case (1), in none (0), or depends (-1); y is then whose. */
static int learnt_decided(const struct learnt *l, const struct br_proof_literal *literal,
                          int64_t *step)
{
    const uint32_t tasks = l->busy.steps.in->tasks;
    *step = literal->upper ? literal->time + 1 : literal->time;
    if (literal->task < tasks && br_steps_free(&l->busy.steps, literal->task, *step))
        return -1;
    if (literal->task > tasks && *step == 1)
        return -1;
    return (*step <= 0) != literal->upper;
}

static void learnt_write_literal(const struct learnt *l, const struct br_proof_literal *literal,
                                 int64_t step)
{
    const uint32_t tasks = l->busy.steps.in->tasks;
    const char *sign = literal->upper ? "~" : "";
    if (literal->task < tasks) {
        fprintf(l->out, " 1 %sy%" PRIu32 "_%" PRId64, sign,
                br_steps_name(&l->busy.steps, literal->task), step);
    } else {
        const uint32_t order = literal->task - tasks - 1;
        fprintf(l->out, " 1 %so%" PRIu32 "_%" PRIu32, sign,
                br_steps_name(&l->busy.steps, order / tasks),
                br_steps_name(&l->busy.steps, order % tasks));
    }
}

static void learnt_write(struct learnt *l, const struct br_proof_clause *clause)
{
    int64_t step;
    for (uint32_t k = 0; k < clause->literals; k++)
        if (learnt_decided(l, &clause->literal[k], &step) == 1)
            return; /* it says nothing */
    fputs("rup", l->out);
    for (uint32_t k = 0; k < clause->literals; k++)
        if (learnt_decided(l, &clause->literal[k], &step) < 0)
            learnt_write_literal(l, &clause->literal[k], step);
    fputs(" >= 1 ;\n", l->out);
    l->lemmas.next++;
    l->lemmas.terms += clause->literals;
}

static void learnt_follows(void *context, uint32_t clause, const struct br_proof_span *span,
                           uint32_t resource, const int64_t *least, const int64_t *most)
{
    struct learnt *l = context;
    if (l->lemmas.terms > BR_TERMS_MOST)
        return; /* refused below */
    if (span)
        br_lemmas_overfull(&l->lemmas, resource, span->from, span->to, least, most);
    learnt_write(l, &l->proof->clause[clause]);
}

/* Literals of the end of the job have no variable. */
static bool learnt_of_end(const struct br_proof *proof, uint32_t tasks)
{
    for (uint32_t k = 0; k < proof->clauses; k++)
        for (uint32_t i = 0; i < proof->clause[k].literals; i++)
            if (proof->clause[k].literal[i].task == tasks)
                return true;
    return false;
}

static enum br_status learnt_derive(struct learnt *l, struct br_diag *diag)
{
    const struct br_clauses_watch watch = {.context = l, .follows = learnt_follows};
    uint32_t where;
    if (br_clauses_follow(l->busy.steps.in, l->proof->bound, l->proof->clause, l->proof->clauses,
                          &watch, &where) != BR_CLAUSES_PROVE)
        return br_fail_memory(diag); /* it held when the rows were marked */
    if (l->lemmas.terms > BR_TERMS_MOST)
        return br_derive_too_long(diag);
    fputs("rup >= 1 ;\n", l->out);
    l->lemmas.next++;
    return BR_OK;
}

enum br_status br_emit_learnt(const struct br_instance *in, const struct br_proof *proof, FILE *opb,
                              FILE *pbp, struct br_proof_size *size, uint64_t *conflict,
                              struct br_diag *diag)
{
    struct learnt l = {.proof = proof, .out = pbp};
    if (learnt_of_end(proof, in->tasks))
        return br_fail(diag, BR_NO, "leave --proof out: 'bigrocks check --certificate' checks it",
                       "a clause about the end of the job has no form for VeriPB yet");
    enum br_status status = br_busy_init(&l.busy, in, proof, diag);
    if (!status)
        status = br_lemmas_init(&l.lemmas, &l.busy, pbp, diag);
    if (!status) {
        br_busy_write(&l.busy, opb);
        fprintf(pbp, "pseudo-Boolean proof version 3.0\nf %" PRIu64 ";\n", l.busy.steps.rows);
        status = learnt_derive(&l, diag);
        *conflict = l.lemmas.next;
        size->variables = l.busy.steps.variables;
        size->rows = l.busy.steps.rows;
        size->lines = l.lemmas.next - l.busy.steps.rows;
    }
    br_lemmas_finish(&l.lemmas);
    br_busy_finish(&l.busy);
    return status;
}
