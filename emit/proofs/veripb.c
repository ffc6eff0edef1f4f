/* Certificates as proofs for VeriPB: which of them have a form, what the encoding has to hold, and
 * the frame of the proof. [Gocht22] */
#include "emit/proofs/veripb.h"

#include <inttypes.h>
#include <string.h>

#include "base/collections/memory.h"
#include "base/text/diag.h"
#include "emit/proofs/derive.h"
#include "emit/proofs/drcp.h"
#include "emit/proofs/learnt.h"
#include "emit/proofs/parts.h"
#include "planner/check/proofs/relaxed.h"

struct veripb {
    const struct br_certificate *certificate;
    const struct br_proof *proof; /* the only part that takes any time; NULL: there are several */
    const struct br_proof **part; /* all of them, or only that one */
    uint32_t parts;
    int64_t makespan; /* M */
    const struct br_instance *in;
    enum br_proof_form form;
    FILE *opb, *pbp; /* or the model and the scaffold */
    struct br_diag *diag;
    struct br_proof_size *size;
    struct br_arena arena;
    bool *used, *counted, *scarce; /* by task, task, resource */
    bool rounds;                   /* are the rounds of stages derived? */
    struct br_parts_measures *measures;
};

static enum br_status veripb_lacks(struct br_diag *diag, const char *what)
{
    return br_fail(diag, BR_NO, "leave --proof out: 'bigrocks check --certificate' checks it",
                   "%s has no form for VeriPB yet", what);
}

/* In words, unless the measures that it uses have a form. */
static enum br_status veripb_suits_measures(const struct veripb *v, const struct br_proof *proof)
{
    bool *used = br_calloc((size_t)proof->measures + 1, sizeof *used);
    enum br_status status = used ? BR_OK : br_fail_memory(v->diag);
    if (used)
        br_parts_used(proof, used);
    for (uint32_t k = 0; k < proof->measures && !status; k++) {
        const struct br_proof_measure *measure = &proof->measure[k];
        if (!used[k])
            continue;
        if (measure->kind == BR_MEASURE_WEIGHTS)
            status = veripb_lacks(v->diag, "a measure by weights");
        else if (v->in->machines > 1 && measure->kind == BR_MEASURE_CLIQUE)
            status = veripb_lacks(v->diag, "a clique on several machines");
    }
    br_free(used);
    return status;
}

/* In words, unless the part has a form. */
static enum br_status veripb_suits(const struct veripb *v, const struct br_proof *proof)
{
    char words[80];
    if (proof->bound == 0 || proof->kind == BR_PROOF_PATH)
        return BR_OK;
    if (proof->kind == BR_PROOF_CLAUSES && v->in->machines == 1 && v->proof)
        return BR_OK;
    if (proof->kind == BR_PROOF_WINDOW || proof->kind == BR_PROOF_ENERGY ||
        (proof->kind == BR_PROOF_ROUNDS && !proof->values))
        return veripb_suits_measures(v, proof);
    snprintf(words, sizeof words, "a proof of kind '%s'%s",
             br_named_name(&br_proof_kinds, proof->kind),
             proof->kind != BR_PROOF_CLAUSES ? ""
             : v->proof                      ? " on several machines"
                                             : " in one of several parts");
    return veripb_lacks(v->diag, words);
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

/* Does any task that has a weight demand the resource? */
static bool veripb_weighs(const struct veripb *v, const struct br_weighed *weighed, uint32_t r)
{
    const struct br_instance *in = v->in;
    for (uint32_t t = 0; t < in->tasks; t++)
        if (weighed->weight[t] > 0 && in->duration[t] > 0 &&
            in->demand[(size_t)in->task_stage[t] * in->resources + r] > 0)
            return true;
    return false;
}

/* Marks the rows of capacity that the measure needs, and the tasks in them. */
static void veripb_mark(struct veripb *v, const struct br_weighed *weighed)
{
    const struct br_instance *in = v->in;
    for (uint32_t r = 0; r < in->resources; r++)
        if (weighed->kind == BR_MEASURE_CLIQUE ? veripb_weighs(v, weighed, r)
                                               : r == weighed->resource)
            v->scarce[r] = true;
    for (uint32_t t = 0; t < in->tasks; t++)
        if (weighed->weight[t] > 0 && in->duration[t] > 0)
            v->counted[t] = true;
}

/* The measures of the part that it uses. */
static enum br_status veripb_weigh(struct veripb *v, uint32_t k)
{
    const struct br_proof *proof = v->part[k];
    bool *used = br_arena_array(&v->arena, (size_t)proof->measures + 1, sizeof *used);
    struct br_weighed *weighed =
        br_arena_array(&v->arena, (size_t)proof->measures + 1, sizeof *weighed);
    struct br_weighed **by =
        br_arena_array(&v->arena, (size_t)proof->measures + 1, sizeof(struct br_weighed *));
    enum br_status status = used && weighed && by ? BR_OK : br_fail_memory(v->diag);
    if (!status)
        br_parts_used(proof, used);
    v->measures[k].weighed = by;
    for (uint32_t i = 0; i < proof->measures && !status && proof->bound > 0; i++) {
        if (!used[i])
            continue;
        weighed[i].weight = br_arena_array(&v->arena, v->in->tasks, sizeof *weighed[i].weight);
        by[i] = &weighed[i];
        status = weighed[i].weight
                     ? br_derive_weigh(v->in, &proof->measure[i], &weighed[i], v->diag)
                     : br_fail_memory(v->diag);
        if (!status)
            veripb_mark(v, &weighed[i]);
    }
    return status;
}

/* Rounds need the rows of all resources that tasks of one stage share. */
static void veripb_mark_rounds(struct veripb *v)
{
    const struct br_instance *in = v->in;
    for (uint32_t s = 0; s < in->stages; s++) {
        const uint32_t first = in->stage_first[s], tasks = in->stage_first[s + 1] - first;
        for (uint32_t r = 0; r < in->resources; r++) {
            const int64_t demand = in->demand[(size_t)s * in->resources + r];
            if (demand == 0 || in->total[r] / demand >= tasks)
                continue;
            v->scarce[r] = true;
            memset(v->counted + first, true, tasks);
        }
    }
}

static bool veripb_has_rounds(const struct br_instance *in)
{
    for (uint32_t s = 0; s < in->stages; s++)
        for (uint32_t r = 0; r < in->resources; r++) {
            const int64_t demand = in->demand[(size_t)s * in->resources + r];
            if (demand > 0 && in->total[r] / demand < in->stage_first[s + 1] - in->stage_first[s])
                return true;
        }
    return false;
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

static enum br_status veripb_prepare(struct veripb *v, struct br_derivation *lines)
{
    enum br_status status = BR_OK;
    for (uint32_t k = 0; k < v->parts && !status; k++)
        for (uint32_t i = 0; i < v->part[k]->measures && !status; i++)
            if (v->measures[k].weighed[i])
                status = br_derive_weighed(lines, v->measures[k].weighed[i], v->diag);
    return status;
}

/* Writes both files, or nothing at all: then the result says whether there is a proof. */
static enum br_status veripb_write(struct veripb *v, bool dry)
{
    struct br_steps steps;
    struct br_derivation lines = {0};
    enum br_status status =
        br_steps_init(&steps, v->in, v->makespan, v->used, v->counted, v->scarce, v->diag);
    if (!status && !dry) {
        br_steps_write(&steps, v->opb);
        fprintf(v->pbp, "pseudo-Boolean proof version 3.0\nf %" PRIu64 ";\n", steps.rows);
    }
    if (!status)
        status = br_derivation_init(&lines, &steps, dry ? NULL : v->pbp, v->diag);
    lines.rounds = v->rounds;
    if (!status)
        status = veripb_prepare(v, &lines);
    if (!status)
        status = br_derive_parts(&lines, v->part, v->parts, v->measures, v->diag);
    if (!status && !dry) {
        veripb_end(v, lines.conflict);
        v->size->variables = steps.variables;
        v->size->rows = steps.rows;
        v->size->lines = lines.next - steps.rows;
    }
    br_derivation_finish(&lines);
    br_steps_finish(&steps);
    return status;
}

/* Marks what the formula holds: with rounds of stages, or without. */
static enum br_status veripb_choose(struct veripb *v, bool rounds)
{
    const struct br_instance *in = v->in;
    enum br_status status = BR_OK;
    v->rounds = rounds;
    v->used = br_arena_array(&v->arena, in->tasks, sizeof *v->used);
    v->counted = br_arena_array(&v->arena, in->tasks, sizeof *v->counted);
    v->scarce = br_arena_array(&v->arena, in->resources, sizeof *v->scarce);
    v->measures = br_arena_array(&v->arena, (size_t)v->parts + 1, sizeof *v->measures);
    if (!v->used || !v->counted || !v->scarce || !v->measures)
        return br_fail_memory(v->diag);
    if (v->proof && v->proof->kind == BR_PROOF_PATH && !rounds)
        veripb_use_path(v);
    else
        memset(v->used, true, in->tasks);
    if (rounds)
        veripb_mark_rounds(v);
    for (uint32_t k = 0; k < v->parts && !status; k++)
        status = veripb_weigh(v, k);
    return status;
}

static enum br_status veripb_emit(struct veripb *v)
{
    if (v->proof && v->proof->kind == BR_PROOF_CLAUSES)
        return veripb_write_clauses(v);
    enum br_status status = veripb_choose(v, false);
    if (status || !veripb_has_rounds(v->in))
        return status ? status : veripb_write(v, false);
    status = veripb_write(v, true);
    if (!status)
        return veripb_write(v, false);
    if (status == BR_NO)
        status = veripb_choose(v, true);
    return status ? status : veripb_write(v, false);
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

/* The instance that the proof is of, if it is not the whole: rounded, or (clauses) of a part. */
static enum br_status veripb_emit_of(struct veripb *v, const struct br_instance *whole)
{
    const int64_t rounding = br_proof_rounding(v->proof ? v->proof : v->part[0]);
    struct br_instance *rounded = rounding > 1 ? br_instance_round(whole, rounding) : NULL;
    const bool part = v->proof && v->proof->kind == BR_PROOF_CLAUSES && v->proof->stages;
    struct br_instance *some =
        part ? br_instance_part(rounded ? rounded : whole, v->proof->stage, v->proof->stages)
             : NULL;
    enum br_status status = BR_OK;
    if ((rounding > 1 && !rounded) || (part && !some))
        status = br_fail_memory(v->diag);
    else
        v->in = some ? some : rounded ? rounded : whole;
    for (uint32_t k = 0; k < v->parts && !status && v->form == BR_FORM_VERIPB; k++)
        status = veripb_suits(v, v->part[k]);
    if (!status)
        status = v->form == BR_FORM_DRCP ? veripb_emit_scaffold(v) : veripb_emit(v);
    br_instance_destroy(some);
    br_instance_destroy(rounded);
    return status;
}

/* The parts whose proof is written: the only one that takes any time, or all. BR_NO in words if
 * some round and others do not. */
static enum br_status veripb_take_parts(struct veripb *v)
{
    const struct br_certificate *c = v->certificate;
    int64_t rounding = 0;
    uint32_t lasting = 0;
    v->part = br_arena_array(&v->arena, (size_t)c->parts + 1, sizeof *v->part);
    if (!v->part)
        return br_fail_memory(v->diag);
    for (uint32_t k = 0; k < c->parts; k++) {
        v->part[k] = &c->part[k];
        if (c->part[k].bound == 0)
            continue;
        if (lasting++ > 0 && br_proof_rounding(&c->part[k]) != rounding)
            return veripb_lacks(v->diag, "a proof whose parts are rounded to different ticks");
        rounding = br_proof_rounding(&c->part[k]);
        v->proof = lasting == 1 ? &c->part[k] : NULL;
        v->makespan += c->part[k].bound;
    }
    v->size->proven_ns = v->makespan * rounding * c->tick_ns;
    v->makespan--;
    v->parts = v->proof ? 1 : c->parts;
    if (v->proof)
        v->part[0] = v->proof;
    return lasting > 0 ? BR_OK
                       : br_fail(v->diag, BR_NO, NULL, "there is no bound above 0 to be proven");
}

static enum br_status veripb_emit_job(const struct br_dag *dag, const struct br_cluster *cluster,
                                      struct veripb *v)
{
    struct br_instance *in;
    enum br_status status = br_instance_create(dag, cluster, &in, v->diag);
    if (status)
        return status;
    status = veripb_take_parts(v);
    if (!status && v->form == BR_FORM_DRCP && !v->proof)
        status =
            br_fail(v->diag, BR_NO, "leave --proof out: 'bigrocks check --certificate' checks it",
                    "a proof in several parts has no form for Pumpkin yet");
    if (!status)
        status = veripb_emit_of(v, in);
    br_arena_finish(&v->arena);
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
    struct veripb v = {.certificate = certificate,
                       .form = form,
                       .opb = statement,
                       .pbp = proof,
                       .diag = diag,
                       .size = size};
    int64_t bound_ns = 0;
    if (!br_certificate_bound(certificate, &bound_ns))
        return br_fail(diag, BR_NO, NULL, "the bound is negative or too large");
    enum br_status status = br_certificate_verify(certificate, dag, cluster, bound_ns, diag);
    if (status)
        return status;
    if (certificate->relaxation == BR_RELAX_WAYS)
        return veripb_lacks(diag, "a proof by multipliers");
    if (certificate->relaxation == BR_RELAX_NONE)
        return veripb_emit_job(dag, cluster, &v);
    status =
        br_check_relaxed(dag, cluster, certificate->relaxation, &relaxed, &relaxed_cluster, diag);
    if (!status)
        status = veripb_emit_job(relaxed, relaxed_cluster, &v);
    br_dag_destroy(relaxed);
    br_cluster_destroy(relaxed_cluster);
    return status;
}
