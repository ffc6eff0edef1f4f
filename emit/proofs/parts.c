/* A part begins when all before it have ended. Of every part but the last it is supposed that it
 * ends within its bound less 1; what is derived then is a clause that one of its last tasks ends
 * later, and by propagation over the barrier between them every first task of the next part starts
 * no earlier than the bound. */
#include "emit/proofs/parts.h"

#include <string.h>

#include "base/text/diag.h"

static void parts_use(const struct br_proof *proof, bool *used, uint32_t measure)
{
    if (measure < proof->measures)
        used[measure] = true;
}

/* A path has no windows, whatever its file lists, and a part without a bound needs none. */
void br_parts_used(const struct br_proof *proof, bool *used)
{
    if (proof->kind == BR_PROOF_PATH || proof->bound == 0)
        return;
    if (proof->kind == BR_PROOF_ENERGY || proof->kind == BR_PROOF_ROUNDS)
        parts_use(proof, used, proof->energy);
    for (uint32_t k = 0; k < proof->passes; k++) {
        for (uint32_t i = 0; i < proof->pass[k].heads; i++)
            parts_use(proof, used, proof->pass[k].head[i].measure);
        for (uint32_t i = 0; i < proof->pass[k].tails; i++)
            parts_use(proof, used, proof->pass[k].tail[i].measure);
    }
}

static void parts_members(const struct br_instance *in, const struct br_proof *proof, bool *member)
{
    memset(member, proof->stages == 0, in->tasks);
    for (uint32_t k = 0; k < proof->stages; k++) {
        const uint32_t s = proof->stage[k];
        memset(member + in->stage_first[s], true, in->stage_first[s + 1] - in->stage_first[s]);
    }
}

static bool parts_first(const struct br_instance *in, const bool *member, uint32_t stage)
{
    for (uint32_t a = in->parent_first[stage]; a < in->parent_first[stage + 1]; a++)
        if (member[in->stage_first[in->parent[a].stage]])
            return false;
    return member[in->stage_first[stage]];
}

/* The first tasks of the part start when what is before it has ended. */
static void parts_enter(struct br_derivation *lines)
{
    const struct br_instance *in = lines->steps->in;
    struct br_derived_windows *windows = &lines->windows;
    memset(windows->head, 0, in->tasks * sizeof *windows->head);
    memset(windows->head_line, 0, in->tasks * sizeof *windows->head_line);
    for (uint32_t s = 0; s < in->stages && lines->begin > 0; s++)
        for (uint32_t t = in->stage_first[s];
             t < in->stage_first[s + 1] && parts_first(in, lines->member, s); t++) {
            windows->head_line[t] = br_derive_rup(lines, t, lines->begin);
            windows->head[t] = lines->begin;
            if (lines->begin > lines->steps->last[t])
                lines->conflict = windows->head_line[t];
        }
}

static enum br_status parts_derive(struct br_derivation *lines, const struct br_proof *proof,
                                   struct br_weighed *const *weighed, struct br_diag *diag)
{
    uint64_t line = 0;
    enum br_status status = br_derive_windows(lines, proof, weighed, diag);
    if (status || br_windows_done(lines))
        return status;
    if (proof->kind == BR_PROOF_ENERGY) {
        const struct br_derive_times times = {lines->begin + proof->from, lines->begin + proof->to,
                                              1};
        status = br_derive_sum(lines, weighed[proof->energy], &lines->windows, &times,
                               lines->supposed, &line, diag);
    } else if (proof->kind == BR_PROOF_ROUNDS) {
        status = br_derive_lines(lines, weighed[proof->energy], lines->begin + proof->from,
                                 lines->begin + proof->to, &line, diag);
    } else {
        return br_fail(diag, BR_NO, "leave --proof out: 'bigrocks check --certificate' checks it",
                       "a proof by rounds of a stage that are not by equal tasks or by work has no "
                       "form for VeriPB yet");
    }
    if (!lines->supposed)
        lines->conflict = line;
    return status;
}

enum br_status br_derive_parts(struct br_derivation *lines, const struct br_proof *const *part,
                               uint32_t parts, const struct br_parts_measures *measures,
                               struct br_diag *diag)
{
    const struct br_instance *in = lines->steps->in;
    bool *member = br_arena_array(&lines->arena, (size_t)in->tasks + 1, sizeof *member);
    int64_t begin = 0;
    enum br_status status = member ? BR_OK : br_fail_memory(diag);
    for (uint32_t k = 0; k < parts && !status && !lines->conflict; k++) {
        parts_members(in, part[k], member);
        lines->member = member;
        lines->supposed = false;
        lines->begin = begin;
        begin += part[k]->bound;
        lines->end = begin - 1;
        parts_enter(lines);
        if (lines->conflict || part[k]->bound == 0)
            continue;
        lines->supposed = lines->end < lines->steps->makespan;
        lines->closed = false;
        status = parts_derive(lines, part[k], measures[k].weighed, diag);
    }
    return status;
}
