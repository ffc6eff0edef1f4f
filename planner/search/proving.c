/* The bounds of the parts, summed up and proven by clauses that the searches have learnt or by
 * arguments without a search. */
#include "planner/search/proving.h"

#include <string.h>

#include "base/collections/memory.h"
#include "base/process/stop.h"
#include "planner/bounds/certify.h"
#include "planner/check/proofs/certificate.h"
#include "planner/search/exact_search.h"
#include "planner/search/quiet_search.h"
#include "planner/instance/remainder.h"

const char br_proving_no_time[] = "no time was left to prove the bound";

bool br_proving_init(struct br_proving *proving, uint32_t parts)
{
    proving->bounds.part = br_calloc(parts, sizeof *proving->bounds.part);
    return proving->bounds.part;
}

void br_proving_finish(struct br_proving *proving)
{
    br_certificate_destroy(proving->proofs);
    br_bounds_finish(&proving->bounds);
}

void br_proving_take(struct br_proving *proving, const struct br_parts *parts, uint32_t k,
                     const struct br_search *search)
{
    if (!proving->proofs)
        proving->proofs = br_certificate_create(parts->whole->tick_ns, parts->count);
    if (!proving->proofs)
        return; /* then nothing is called proven by it */
    if (search->exact && br_exact_search_prove(search->exact, parts->whole, search->bound.ticks,
                                               &proving->proofs->arena, &proving->proofs->part[k]))
        proving->proven_parts = true;
}

void br_proving_take_rounded(struct br_proving *proving, const struct br_parts *parts, uint32_t k,
                             const struct br_search *search, const struct br_search *rounded)
{
    struct br_proof *proof = proving->proofs ? &proving->proofs->part[k] : NULL;
    if (!proof || proof->clause || !rounded->exact ||
        br_quiet_bound(search, rounded) < search->bound.ticks ||
        !br_exact_search_prove(rounded->exact, parts->whole, rounded->bound.ticks,
                               &proving->proofs->arena, proof))
        return;
    proof->rounding = search->noise;
    proof->rest = br_remainder(search->origin, search->noise, proof->bound);
    proving->proven_parts = true;
}

/* The effort for the proof: as much as for the bounds, as long as there is time. */
static struct br_bounds_effort proof_effort(const struct br_watch *watch, int64_t enough)
{
    return (struct br_bounds_effort){.enough = enough,
                                     .cheap = watch->options->bound == BR_PLAN_BOUND_CHEAP ||
                                              watch->options->time_limit_ns > 0,
                                     .stop = &watch->late};
}

/* Proofs of the parts: from the searches if they have them, else combinatorial. NULL if no search
 * has one. */
static struct br_certificate *certify_parts(struct br_proving *proving,
                                            const struct br_parts *parts)
{
    const struct br_bounds_effort effort = proof_effort(proving->watch, INT64_MAX);
    struct br_certificate *c = proving->proofs;
    bool ok = c && proving->proven_parts;
    for (uint32_t k = 0; ok && k < parts->count; k++)
        if (!c->part[k].clause)
            ok = br_certify_part_by(&c->arena, parts->whole, parts->part[k],
                                    proving->bounds.part[k].ticks, &effort, &c->part[k]);
    proving->proofs = NULL;
    if (ok)
        return c;
    br_certificate_destroy(c);
    return NULL;
}

/* Without a proof the bound stays, but is not called proven. The plan is worth more than its proof,
 * so it is kept if memory is out, and says why it is not proven. */
static void proving_prove(const struct br_proving *proving, const struct br_instance *in,
                          struct br_plan *plan, struct br_certificate *certificate)
{
    enum br_status status =
        certificate ? br_certificate_check(certificate, proving->dag, in, NULL) : BR_SYSTEM;
    if (status == BR_OK)
        status = br_plan_prove(plan, certificate, plan->bound_method, NULL);
    else
        br_certificate_destroy(certificate);
    if (status == BR_SYSTEM && !plan->certificate)
        plan->note = "memory was out: the bound has no proof";
}

void br_proving_prove(struct br_proving *proving, const struct br_instance *in,
                      const struct br_parts *parts, struct br_plan *plan)
{
    const struct br_bounds_effort effort = proof_effort(proving->watch, INT64_MAX);
    struct br_certificate *own =
        br_stopped(&proving->watch->late) ? NULL : certify_parts(proving, parts);
    if (own)
        proving_prove(proving, in, plan, own);
    if (!plan->certificate)
        proving_prove(proving, in, plan, br_certify_parts(parts, &proving->bounds, &effort));
    if (!plan->certificate && br_stopped(&proving->watch->late))
        plan->note = br_proving_no_time;
}

bool br_proving_sum_up(struct br_proving *proving, const struct br_parts *parts,
                       struct br_plan *plan)
{
    int64_t makespan_ns = 0, tick_ns = parts->whole->tick_ns;
    plan->lower_bound_ns = 0;
    plan->bound_method = plan->part->bound_method;
    for (uint32_t k = 0; k < plan->parts; k++) {
        plan->lower_bound_ns += plan->part[k].lower_bound_ns;
        makespan_ns += plan->part[k].makespan_ns;
        if (strcmp(plan->part[k].bound_method, plan->bound_method) != 0)
            plan->bound_method = br_bounds_of_parts;
    }
    struct br_bounds_effort effort = proof_effort(proving->watch, makespan_ns / tick_ns);
    effort.cheap |= proving->watch->options->bound == BR_PLAN_BOUND_NONE;
    effort.stop = &proving->watch->stop;
    if (!br_bounds_sum_up(&proving->bounds, parts, &effort))
        return false;
    const struct br_bound *sum = &proving->bounds.sum;
    if (plan->parts > 1 && sum->ticks * tick_ns >= plan->lower_bound_ns) {
        plan->lower_bound_ns = sum->ticks * tick_ns;
        plan->bound_method = sum->method;
    }
    return true;
}
