/* Messages about the proof under check, and its stages by number and name. */
#include "planner/check/proofs/proof.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/collections/sorted.h"
#include "base/text/diag.h"

enum br_status br_proof_fails(struct br_proof_check *check, const char *format, ...)
{
    char text[600];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return br_fail(check->diag, BR_NO, NULL, "part %" PRIu32 ": %s", check->number, text);
}

const char *br_proof_stage_name(const struct br_proof_check *check, uint32_t stage)
{
    if (!check->dag)
        return "";
    return check->dag->stage[check->proof->stages ? check->proof->stage[stage] : stage].id;
}

uint32_t br_proof_stage(const struct br_proof_check *check, uint32_t stage)
{
    const struct br_proof *proof = check->proof;
    if (proof->stages == 0)
        return stage < check->in->stages ? stage : UINT32_MAX;
    return br_sorted_find(proof->stage, proof->stages, stage);
}
