/* Certificates as proofs for VeriPB: which of them have a form, what the encoding has to hold, and
 * the frame of the proof. [Gocht22] */
#include "emit/proofs/veripb.h"

#include <inttypes.h>

#include "base/collections/memory.h"
#include "base/text/diag.h"
#include "emit/proofs/derive.h"
#include "emit/proofs/drcp.h"
#include "emit/proofs/learnt.h"
#include "planner/check/proofs/relaxed.h"

struct veripb {
    const struct br_proof *proof;
    const struct br_instance *in;
    enum br_proof_form form;
    FILE *opb, *pbp; /* or the model and the scaffold */
    struct br_diag *diag;
    struct br_proof_size *size;
    struct br_arena arena;
    bool *used, *counted, *scarce; /* by task, task, resource */
    struct br_weighed weighed;
};

static enum br_status veripb_lacks(struct br_diag *diag, const char *what)
{
    return br_fail(diag, BR_NO, "leave --proof out: 'bigrocks check --certificate' checks it",
                   "%s has no form for VeriPB yet", what);
}

/* The part whose proof is written: the only one that takes any time; NULL: there are none or
 * several. */
static const struct br_proof *veripb_part(const struct br_certificate *c)
{
    const struct br_proof *only = NULL;
    for (uint32_t k = 0; k < c->parts; k++) {
        if (c->part[k].bound > 0 && only)
            return NULL;
        if (c->part[k].bound > 0)
            only = &c->part[k];
    }
    return only;
}

/* In words, unless it has a form. */
static enum br_status veripb_suits(const struct br_proof *proof, const struct br_instance *in,
                                   struct br_diag *diag)
{
    if (proof->kind == BR_PROOF_PATH || proof->kind == BR_PROOF_WINDOW)
        return BR_OK;
    if (proof->kind == BR_PROOF_CLAUSES && in->machines == 1)
        return BR_OK;
    if (proof->kind != BR_PROOF_ENERGY) {
        char words[64];
        snprintf(words, sizeof words, "a proof of kind '%s'%s",
                 br_named_name(&br_proof_kinds, proof->kind),
                 proof->kind == BR_PROOF_CLAUSES ? " on several machines" : "");
        return veripb_lacks(diag, words);
    }
    const struct br_proof_measure *measure = &proof->measure[proof->energy];
    if (measure->kind == BR_MEASURE_WEIGHTS)
        return veripb_lacks(diag, "a measure by weights");
    if (in->machines > 1 && (measure->kind == BR_MEASURE_CLIQUE || measure->unit.mantissa))
        return veripb_lacks(diag, "a measure of each of several machines");
    return BR_OK;
}

/* The tasks of a path alone, since edges between them are enough. */
static void veripb_use_path(struct veripb *v)
{
    const struct br_proof *proof = v->proof;
    for (uint32_t k = 0; k < proof->links; k++) {
        uint32_t s = proof->link[k].stage, first = v->in->stage_first[s],
                 end = v->in->stage_first[s + 1];
        if (proof->link[k].task != UINT32_MAX) {
            first += proof->link[k].task;
            end = first + 1;
        }
        for (uint32_t t = first; t < end; t++)
            v->used[t] = true;
    }
}

static bool veripb_in_clique(const struct br_proof_measure *measure, uint32_t stage)
{
    for (uint32_t k = 0; k < measure->stages; k++)
        if (measure->stage[k] == stage)
            return true;
    return false;
}

/* Does any task that has a weight demand the resource? */
static bool veripb_weighs(const struct veripb *v, uint32_t r)
{
    const struct br_instance *in = v->in;
    for (uint32_t t = 0; t < in->tasks; t++)
        if (v->weighed.weight[t] > 0 && in->duration[t] > 0 &&
            in->demand[(size_t)in->task_stage[t] * in->resources + r] > 0)
            return true;
    return false;
}

/* The weights of the measure, and the rows of capacity that it needs. */
static void veripb_weigh(struct veripb *v)
{
    const struct br_instance *in = v->in;
    const struct br_proof_measure *measure = &v->proof->measure[v->proof->energy];
    for (uint32_t t = 0; t < in->tasks && measure->kind == BR_MEASURE_CLIQUE; t++)
        v->weighed.weight[t] = veripb_in_clique(measure, in->task_stage[t]);
    v->weighed.capacity = 1;
    for (uint32_t r = 0; r < in->resources; r++) {
        int64_t unit = 1;
        v->scarce[r] = measure->kind == BR_MEASURE_CLIQUE
                           ? veripb_weighs(v, r)
                           : in->resource_origin[r] == measure->resource;
        if (!v->scarce[r] || measure->kind == BR_MEASURE_CLIQUE)
            continue;
        if (measure->unit.mantissa &&
            (!br_decimal_scale(measure->unit, in->resource_digits[r], &unit) || unit <= 0))
            unit = 1; /* refused when the lines are made */
        for (uint32_t t = 0; t < in->tasks; t++)
            v->weighed.weight[t] = in->demand[(size_t)in->task_stage[t] * in->resources + r] / unit;
        v->weighed.capacity = in->total[r] / unit;
    }
    for (uint32_t t = 0; t < in->tasks; t++) {
        v->used[t] = true;
        v->counted[t] = v->weighed.weight[t] > 0 && in->duration[t] > 0;
    }
}

static enum br_status veripb_derive(struct veripb *v, struct br_derivation *lines)
{
    const struct br_proof *proof = v->proof;
    if (lines->conflict)
        return BR_OK;
    if (proof->kind != BR_PROOF_ENERGY)
        return veripb_lacks(v->diag, "a proof by rounds of a stage, or by claims,");
    v->weighed.at = br_arena_array(&v->arena, (size_t)lines->steps->makespan + 1, sizeof(uint64_t));
    if (!v->weighed.at)
        return br_fail_memory(v->diag);
    enum br_status status = br_derive_weighed(lines, &proof->measure[proof->energy], &v->weighed,
                                              proof->from, proof->to, v->diag);
    return status ? status : br_derive_sum(lines, &v->weighed, v->diag);
}

static void veripb_end(struct veripb *v, uint64_t conflict)
{
    fprintf(v->pbp, "output NONE;\nconclusion UNSAT : %" PRIu64 ";\nend pseudo-Boolean proof;\n",
            conflict);
}

static enum br_status veripb_write_clauses(struct veripb *v)
{
    uint64_t conflict;
    enum br_status status =
        br_emit_learnt(v->in, v->proof, v->opb, v->pbp, v->size, &conflict, v->diag);
    if (!status)
        veripb_end(v, conflict);
    return status;
}

static enum br_status veripb_write(struct veripb *v)
{
    struct br_steps steps;
    struct br_derivation lines = {0};
    enum br_status status =
        br_steps_init(&steps, v->in, v->proof->bound - 1, v->used, v->counted, v->scarce, v->diag);
    if (!status) {
        br_steps_write(&steps, v->opb);
        fprintf(v->pbp, "pseudo-Boolean proof version 3.0\nf %" PRIu64 ";\n", steps.rows);
        status = br_derive_windows(&lines, &steps, v->pbp, v->diag);
    }
    if (!status)
        status = veripb_derive(v, &lines);
    if (!status) {
        veripb_end(v, lines.conflict);
        v->size->variables = steps.variables;
        v->size->rows = steps.rows;
        v->size->lines = lines.next - steps.rows;
    }
    br_derivation_finish(&lines);
    br_steps_finish(&steps);
    return status;
}

static enum br_status veripb_emit(struct veripb *v)
{
    const struct br_instance *in = v->in;
    if (v->proof->kind == BR_PROOF_CLAUSES)
        return veripb_write_clauses(v);
    v->used = br_arena_array(&v->arena, in->tasks, sizeof *v->used);
    v->counted = br_arena_array(&v->arena, in->tasks, sizeof *v->counted);
    v->scarce = br_arena_array(&v->arena, in->resources, sizeof *v->scarce);
    v->weighed.weight = br_arena_array(&v->arena, in->tasks, sizeof(int64_t));
    if (!v->used || !v->counted || !v->scarce || !v->weighed.weight)
        return br_fail_memory(v->diag);
    if (v->proof->kind == BR_PROOF_ENERGY)
        veripb_weigh(v);
    else if (v->proof->kind == BR_PROOF_PATH)
        veripb_use_path(v);
    else
        for (uint32_t t = 0; t < in->tasks; t++)
            v->used[t] = true;
    return veripb_write(v);
}

static enum br_status veripb_emit_scaffold(struct veripb *v)
{
    struct br_drcp_size size;
    enum br_status status = br_emit_drcp(v->in, v->proof, v->opb, v->pbp, &size, v->diag);
    v->size->variables = size.variables;
    v->size->rows = size.constraints;
    v->size->lines = size.nogoods;
    return status;
}

static enum br_status veripb_emit_part(struct veripb *v, const struct br_instance *whole)
{
    const int64_t rounding = br_proof_rounding(v->proof);
    struct br_instance *rounded = rounding > 1 ? br_instance_round(whole, rounding) : NULL;
    const bool part = v->proof->kind == BR_PROOF_CLAUSES && v->proof->stages;
    struct br_instance *some =
        part ? br_instance_part(rounded ? rounded : whole, v->proof->stage, v->proof->stages)
             : NULL;
    enum br_status status = BR_OK;
    if ((rounding > 1 && !rounded) || (part && !some)) {
        status = br_fail_memory(v->diag);
    } else {
        v->in = some ? some : rounded ? rounded : whole;
        if (v->form == BR_FORM_VERIPB)
            status = veripb_suits(v->proof, v->in, v->diag);
    }
    if (!status)
        status = v->form == BR_FORM_DRCP ? veripb_emit_scaffold(v) : veripb_emit(v);
    br_arena_finish(&v->arena);
    br_instance_destroy(some);
    br_instance_destroy(rounded);
    return status;
}

static enum br_status veripb_emit_job(const struct br_certificate *c, const struct br_dag *dag,
                                      const struct br_cluster *cluster, struct veripb *v)
{
    struct br_instance *in;
    enum br_status status = br_instance_create(dag, cluster, &in, v->diag);
    if (status)
        return status;
    v->proof = veripb_part(c);
    if (v->proof) {
        v->size->proven_ns = v->proof->bound * br_proof_rounding(v->proof) * c->tick_ns;
        status = veripb_emit_part(v, in);
    } else {
        int64_t bound_ns = 0;
        status = br_certificate_bound(c, &bound_ns) && bound_ns > 0
                     ? veripb_lacks(v->diag, "a proof in several parts")
                     : br_fail(v->diag, BR_NO, NULL, "there is no bound above 0 to be proven");
    }
    br_instance_destroy(in);
    return status;
}

enum br_status br_emit_proof(enum br_proof_form form, const struct br_certificate *certificate,
                             const struct br_dag *dag, const struct br_cluster *cluster,
                             FILE *statement, FILE *proof, struct br_proof_size *size,
                             struct br_diag *diag)
{
    struct br_dag *relaxed = NULL;
    struct br_cluster *relaxed_cluster = NULL;
    struct veripb v = {.form = form, .opb = statement, .pbp = proof, .diag = diag, .size = size};
    int64_t bound_ns = 0;
    if (!br_certificate_bound(certificate, &bound_ns))
        return br_fail(diag, BR_NO, NULL, "the bound is negative or too large");
    enum br_status status = br_certificate_verify(certificate, dag, cluster, bound_ns, diag);
    if (status)
        return status;
    if (certificate->relaxation == BR_RELAX_WAYS)
        return veripb_lacks(diag, "a proof by multipliers");
    if (certificate->relaxation == BR_RELAX_NONE)
        return veripb_emit_job(certificate, dag, cluster, &v);
    status =
        br_check_relaxed(dag, cluster, certificate->relaxation, &relaxed, &relaxed_cluster, diag);
    if (!status)
        status = veripb_emit_job(certificate, relaxed, relaxed_cluster, &v);
    br_dag_destroy(relaxed);
    br_cluster_destroy(relaxed_cluster);
    return status;
}
