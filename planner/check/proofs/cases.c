/* Cases: which stage of a group begins first, or ends last.
 *
 * By itself the group takes L. Let f be when the first of its tasks starts; the group ends by M, so
 * that f is M - L at most. Some task that starts at f belongs to a stage without a parent in the
 * group, and there is a case for each such stage e. In it all that is wholly ahead of e has ended
 * by f, and no task of the group starts before f, which is no less than e's head. For `last` all of
 * it is seen from the end. */
#include "planner/check/proofs/proof.h"

#include <inttypes.h>
#include <string.h>

#include "base/collections/memory.h"

static int64_t check_cases_larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

typedef enum br_status check_any(struct br_proof_check *check);

/* The group in the part's numbers: listed[s] says whether stage s is one of it. */
static enum br_status check_cases_list_group(struct br_proof_check *c, bool *listed)
{
    const struct br_proof *group = c->proof->group;
    if (!group || group->stages == 0)
        return br_proof_fails(c, "there is no group");
    for (uint32_t k = 0; k < group->stages; k++) {
        uint32_t s = br_proof_stage(c, group->stage[k]);
        if (s == UINT32_MAX || listed[s])
            return br_proof_fails(c, "the group has a stage twice, or one that is not in the part");
        listed[s] = true;
    }
    return BR_OK;
}

/* The check of a proof within this one, of an instance of the same job. */
static struct br_proof_check check_cases_within(const struct br_proof_check *c,
                                                const struct br_proof *proof,
                                                const struct br_instance *in)
{
    return (struct br_proof_check){.proof = proof,
                                   .dag = c->dag,
                                   .whole = c->whole,
                                   .in = in,
                                   .diag = c->diag,
                                   .number = c->number,
                                   .depth = c->depth + 1,
                                   .makespan = proof->bound - 1};
}

static enum br_status cases_check_group(const struct br_proof_check *c, check_any *any)
{
    const struct br_proof *group = c->proof->group;
    struct br_instance *in = br_instance_part(c->whole, group->stage, group->stages);
    if (!in)
        return br_fail_memory(c->diag);
    struct br_proof_check check = check_cases_within(c, group, in);
    enum br_status status = any(&check);
    br_arena_finish(&check.arena);
    br_instance_destroy(in);
    return status;
}

/* Raises head[t] of all tasks of the stage to `at`. */
static void check_cases_raise_stage(const struct br_instance *in, uint32_t s, int64_t at,
                                    int64_t *head)
{
    for (uint32_t t = in->stage_first[s]; t < in->stage_first[s + 1]; t++)
        head[t] = check_cases_larger(head[t], at);
}

static enum br_status check_case(const struct br_proof_check *c, const bool *listed, uint32_t e,
                                 const struct br_proof_case *when, check_any *any)
{
    const struct br_instance *in = c->in;
    bool last = c->proof->kind == BR_PROOF_LAST;
    struct br_proof proof = *when->proof;
    struct br_proof_check check = check_cases_within(c, &proof, in);
    int64_t *head = br_arena_array(&check.arena, in->tasks, sizeof *head);
    int64_t *tail = br_arena_array(&check.arena, in->tasks, sizeof *tail);
    enum br_status status = head && tail ? BR_OK : br_fail_memory(c->diag);
    if (!status) {
        memcpy(head, c->head, in->tasks * sizeof *head);
        memcpy(tail, c->tail, in->tasks * sizeof *tail);
        const uint32_t *first = last ? in->child_first : in->parent_first;
        const struct br_arc *arc = last ? in->child : in->parent;
        for (uint32_t a = first[e]; a < first[e + 1]; a++)
            if (!arc[a].one_to_one)
                check_cases_raise_stage(in, arc[a].stage, c->proof->group->bound,
                                        last ? head : tail);
        for (uint32_t s = 0; s < in->stages; s++)
            if (listed[s])
                check_cases_raise_stage(in, s, last ? c->stage_tail[e] : c->stage_head[e],
                                        last ? tail : head);
        check.head_from = head;
        check.tail_from = tail;
        proof.stages = c->proof->stages;
        proof.stage = c->proof->stage;
        status = any(&check);
    }
    br_arena_finish(&check.arena);
    return status;
}

/* The stage begins the group: no parent of it is there; or it ends it: no child. */
static bool bounds_group(const struct br_proof_check *c, const bool *listed, uint32_t s)
{
    const struct br_instance *in = c->in;
    bool last = c->proof->kind == BR_PROOF_LAST, alone = listed[s];
    const uint32_t *first = last ? in->child_first : in->parent_first;
    const struct br_arc *arc = last ? in->child : in->parent;
    for (uint32_t a = first[s]; a < first[s + 1]; a++)
        alone &= !listed[arc[a].stage];
    return alone;
}

/* Only a part says how durations are rounded. */
static bool cases_round(const struct br_proof *proof)
{
    bool any = br_proof_rounding(proof->group) > 1 || proof->group->rest != 0;
    for (uint32_t k = 0; k < proof->cases; k++)
        any |= br_proof_rounding(proof->when[k].proof) > 1 || proof->when[k].proof->rest != 0;
    return any;
}

enum br_status br_proof_cases(struct br_proof_check *c, check_any *any)
{
    const struct br_proof *proof = c->proof;
    if (c->depth >= BR_PROOF_DEPTH)
        return br_proof_fails(c, "cases are too deep");
    bool *listed = br_calloc(c->in->stages, sizeof *listed);
    enum br_status status = listed ? check_cases_list_group(c, listed) : br_fail_memory(c->diag);
    if (!status && cases_round(proof))
        status = br_proof_fails(c, "a case has a rounding of its own");
    if (!status)
        status = cases_check_group(c, any);
    for (uint32_t s = 0; !status && s < c->in->stages; s++) {
        const struct br_proof_case *when = NULL;
        if (!bounds_group(c, listed, s))
            continue;
        for (uint32_t k = 0; k < proof->cases; k++)
            if (br_proof_stage(c, proof->when[k].stage) == s)
                when = &proof->when[k];
        if (!when)
            status = br_proof_fails(c, "there is no case for '%s'", br_proof_stage_name(c, s));
        else if (when->proof->stages || when->proof->bound < proof->bound)
            status = br_proof_fails(c, "the case of '%s' is of other stages, or of a lower bound",
                                    br_proof_stage_name(c, s));
        else
            status = check_case(c, listed, s, when, any);
    }
    br_free(listed);
    return status;
}
