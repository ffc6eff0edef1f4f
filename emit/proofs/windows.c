/* Windows from edges: two rows are added to a line for each task, forward, then backward. Claims
 * and the rounds of stages are derived when a pass reaches their stage. */
#include "emit/proofs/derive.h"

#include <inttypes.h>

#include "base/text/diag.h"

/* When the task can start by the edge over which it waits longest; 0 if there is none. */
static int64_t windows_by(const struct br_derivation *lines, const struct br_steps_edge *by)
{
    return by ? lines->windows.head[by->from] + lines->steps->in->duration[by->from] : 0;
}

static void windows_take(struct br_derivation *lines, const struct br_steps_edge *by, uint32_t task)
{
    struct br_derived_windows *windows = &lines->windows;
    if (windows_by(lines, by) > windows->head[task]) {
        windows->head_line[task] = br_windows_add(lines, windows->head_line[by->from],
                                                  by->row + (uint64_t)windows->head[by->from]);
        windows->head[task] = windows_by(lines, by);
    }
    br_windows_meet(lines, task);
}

/* Hands the head of the task on to those that wait for it. */
static void windows_push(const struct br_derivation *lines, const struct br_steps_edge **by,
                         uint32_t task)
{
    const struct br_steps *steps = lines->steps;
    for (uint32_t e = steps->edge_first[task]; e < steps->edge_first[task + 1]; e++) {
        const struct br_steps_edge *edge = &steps->edge[e];
        if (lines->member[edge->to] && windows_by(lines, edge) > windows_by(lines, by[edge->to]))
            by[edge->to] = edge;
    }
}

static bool windows_member(const struct br_derivation *lines, uint32_t stage)
{
    const struct br_instance *in = lines->steps->in;
    return in->stage_first[stage] < in->stage_first[stage + 1] &&
           lines->member[in->stage_first[stage]];
}

/* The claims of the pass on the stage, and rounds of the stages before it (or behind it). */
static enum br_status windows_claims(struct br_derivation *lines, uint32_t stage, bool late,
                                     const struct br_proof_claim *claim, uint32_t claims,
                                     struct br_weighed *const *weighed, struct br_diag *diag)
{
    enum br_status status = BR_OK;
    for (uint32_t k = 0; k < claims && !status && !br_windows_done(lines); k++) {
        if (claim[k].stage != stage)
            continue;
        const int64_t at = late ? lines->end - claim[k].at : lines->begin + claim[k].at;
        const int64_t from = late ? lines->end - claim[k].to : lines->begin + claim[k].from;
        const int64_t to = late ? lines->end - claim[k].from : lines->begin + claim[k].to;
        status = br_derive_claim(lines, stage, late, at, from, to, weighed[claim[k].measure], diag);
    }
    return status;
}

static enum br_status windows_ahead(struct br_derivation *lines, const struct br_steps_edge **by,
                                    const struct br_proof_pass *pass,
                                    struct br_weighed *const *weighed, struct br_diag *diag)
{
    const struct br_instance *in = lines->steps->in;
    enum br_status status = BR_OK;
    for (uint32_t k = 0; k < in->stages && !status && !br_windows_done(lines); k++) {
        const uint32_t s = in->topological[k], end = in->stage_first[s + 1];
        for (uint32_t t = in->stage_first[s]; t < end && !br_windows_done(lines); t++)
            if (lines->member[t])
                windows_take(lines, by[t], t);
        if (windows_member(lines, s) && pass)
            status = windows_claims(lines, s, false, pass->head, pass->heads, weighed, diag);
        if (windows_member(lines, s) && lines->rounds && !status && !br_windows_done(lines))
            status = br_derive_rounds(lines, s, false, diag);
        for (uint32_t t = in->stage_first[s]; t < end && !br_windows_done(lines); t++)
            if (lines->member[t])
                windows_push(lines, by, t);
    }
    return status;
}

static enum br_status windows_behind(struct br_derivation *lines, const struct br_proof_pass *pass,
                                     struct br_weighed *const *weighed, struct br_diag *diag)
{
    const struct br_instance *in = lines->steps->in;
    enum br_status status = BR_OK;
    for (uint32_t k = in->stages; k > 0 && !status && !br_windows_done(lines); k--) {
        const uint32_t s = in->topological[k - 1], end = in->stage_first[s + 1];
        for (uint32_t t = in->stage_first[s]; t < end && !br_windows_done(lines); t++)
            if (lines->member[t]) {
                br_windows_back(lines, &lines->windows, NULL, t);
                br_windows_meet(lines, t);
            }
        if (windows_member(lines, s) && pass && !br_windows_done(lines))
            status = windows_claims(lines, s, true, pass->tail, pass->tails, weighed, diag);
        if (windows_member(lines, s) && lines->rounds && !status && !br_windows_done(lines))
            status = br_derive_rounds(lines, s, true, diag);
    }
    return status;
}

static bool windows_awaited(const struct br_derivation *lines, uint32_t task)
{
    const struct br_steps *steps = lines->steps;
    uint32_t e = steps->edge_first[task];
    while (e < steps->edge_first[task + 1] && !lines->member[steps->edge[e].to])
        e++;
    return e < steps->edge_first[task + 1];
}

/* The ends that are supposed are those of the tasks for which no other waits; the others follow. */
static void windows_suppose(struct br_derivation *lines)
{
    const struct br_instance *in = lines->steps->in;
    struct br_derived_windows *windows = &lines->windows;
    for (uint32_t k = in->stages; k > 0 && !lines->closed; k--) {
        const uint32_t s = in->topological[k - 1], end = in->stage_first[s + 1];
        for (uint32_t t = in->stage_first[s]; t < end && !lines->closed; t++) {
            if (!lines->member[t])
                continue;
            lines->sink[t] = !windows_awaited(lines, t);
            windows->latest[t] = lines->sink[t] ? lines->end - in->duration[t] : INT64_MAX;
            br_windows_back(lines, windows, NULL, t);
            br_windows_meet(lines, t);
        }
    }
}

/* Nothing is known yet but heads. */
static void windows_begin(struct br_derivation *lines)
{
    const struct br_steps *steps = lines->steps;
    for (uint32_t t = 0; t < steps->in->tasks; t++) {
        lines->windows.latest[t] = steps->last[t];
        lines->windows.late_line[t] = 0;
        lines->sink[t] = false;
        if (!steps->used[t] || steps->last[t] >= 0 || lines->conflict)
            continue;
        lines->conflict = steps->fits[t];
    }
    if (lines->supposed && !lines->conflict)
        windows_suppose(lines);
}

enum br_status br_derive_windows(struct br_derivation *lines, const struct br_proof *proof,
                                 struct br_weighed *const *weighed, struct br_diag *diag)
{
    const struct br_steps_edge **by =
        br_arena_array(&lines->arena, (size_t)lines->steps->in->tasks + 1, sizeof *by);
    if (!by)
        return br_fail_memory(diag);
    windows_begin(lines);
    enum br_status status = BR_OK;
    const uint32_t passes = proof->kind == BR_PROOF_PATH ? 0 : proof->passes; /* it has none */
    for (uint32_t k = 0; k == 0 || k < passes; k++) {
        const struct br_proof_pass *pass = k < passes ? &proof->pass[k] : NULL;
        if (!status && !br_windows_done(lines))
            status = windows_ahead(lines, by, pass, weighed, diag);
        if (!status && !br_windows_done(lines))
            status = windows_behind(lines, pass, weighed, diag);
    }
    return status;
}
