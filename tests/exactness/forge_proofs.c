/* Forged proofs of tiny jobs, against their optimum found by trying everything: none that claims
 * more may be accepted.
 *
 * forge_proofs COUNT [FIRST-SEED]
 *
 * For each seed a job, its optimum, and certificates of it: that of the core, that of clause
 * learning, and such as are made up, of every kind. Each is forged several times in a row:
 * something in it is changed, and it claims more than the optimum. Prints how many of each kind
 * were tried and refused, and ends with 1 as soon as one is accepted. As a control, what the
 * certificates prove before they are forged is accepted. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/rng.h"
#include "planner/bounds/bounds.h"
#include "planner/bounds/certify.h"
#include "planner/check/proofs/certificate.h"
#include "planner/search/bound/exact_bound.h"
#include "tests/support/oracle.h"
#include "tests/support/random_job.h"

enum { TASKS = 6, FORGED = 16, KINDS = BR_PROOF_LAST + 1 };

struct forger {
    struct br_rng rng;
    const struct random_job *job;
    const struct br_instance *in;
    int64_t optimum;
    struct br_certificate *c;
    struct br_proof *proof;
};

static uint64_t below(struct forger *f, uint64_t n)
{
    return n ? br_rng_below(&f->rng, n) : 0;
}

static bool chance(struct forger *f, uint64_t percent)
{
    return below(f, 100) < percent;
}

static uint32_t any_stage(struct forger *f)
{
    return (uint32_t)below(f, f->in->stages);
}

static int64_t any_time(struct forger *f)
{
    return (int64_t)below(f, (uint64_t)f->optimum + 3);
}

static int64_t nudged(struct forger *f, int64_t value)
{
    switch (below(f, 6)) {
    case 0:
        return value + 1;
    case 1:
        return value - 1;
    case 2:
        return 0;
    case 3:
        return 2 * value;
    case 4:
        return value + (int64_t)below(f, 9) - 4;
    default:
        return any_time(f);
    }
}

/* Room for `count` more elements behind the old ones. */
static void *more(struct forger *f, const void *old, uint32_t had, uint32_t count, size_t size)
{
    char *array = br_arena_array(&f->c->arena, (size_t)had + count, size);
    if (!array)
        exit(5);
    if (had)
        memcpy(array, old, had * size);
    return array;
}

#define ADD(f, array, count)                                                                       \
    ((array) = more(f, array, (count)++, 1, sizeof *(array)), &(array)[(count)-1])

/* --- what proofs are made of ----------------------------------------------------------------- */

static void add_link(struct forger *f)
{
    struct br_proof_link *link = ADD(f, f->proof->link, f->proof->links);
    link->stage = any_stage(f);
    link->task = UINT32_MAX;
    if (chance(f, 50))
        link->task = (uint32_t)below(f, f->in->stage_first[link->stage + 1] -
                                            f->in->stage_first[link->stage]);
}

static void add_member(struct forger *f, struct br_proof_measure *m, uint32_t stage)
{
    uint32_t weights = m->stages;
    *ADD(f, m->weight, weights) = 1 + (int64_t)below(f, 4);
    *ADD(f, m->stage, m->stages) = stage;
}

static void add_measure(struct forger *f)
{
    struct br_proof_measure *m = ADD(f, f->proof->measure, f->proof->measures);
    *m = (struct br_proof_measure){.kind = BR_MEASURE_RESOURCE};
    if (chance(f, 50) && f->job->dag->resources) {
        m->resource = (uint32_t)below(f, f->job->dag->resources);
        if (chance(f, 50))
            m->unit = br_decimal_unscale(1 + (int64_t)below(f, 7), (int32_t)below(f, 2));
        return;
    }
    m->kind = chance(f, 50) ? BR_MEASURE_CLIQUE : BR_MEASURE_WEIGHTS;
    for (uint32_t s = 0; s < f->in->stages; s++)
        if (chance(f, 40))
            add_member(f, m, s);
}

static void add_claim(struct forger *f)
{
    struct br_proof *proof = f->proof;
    if (proof->passes == 0 || chance(f, 20))
        *ADD(f, proof->pass, proof->passes) = (struct br_proof_pass){0};
    struct br_proof_pass *pass = &proof->pass[below(f, proof->passes)];
    struct br_proof_claim claim = {.stage = any_stage(f),
                                   .at = any_time(f),
                                   .from = any_time(f),
                                   .measure = (uint32_t)below(f, proof->measures)};
    claim.to = claim.from + (int64_t)below(f, 6);
    if (chance(f, 50))
        *ADD(f, pass->head, pass->heads) = claim;
    else
        *ADD(f, pass->tail, pass->tails) = claim;
}

static void add_price(struct forger *f)
{
    struct br_proof_price *price = ADD(f, f->proof->price, f->proof->prices);
    int64_t from = 0;
    *price = (struct br_proof_price){.stage = (f->proof->prices - 1) % f->in->stages};
    if (chance(f, 20))
        price->stage = any_stage(f);
    do {
        *ADD(f, price->step, price->steps) =
            (struct br_proof_step){from, (int64_t)below(f, 12) - (int64_t)below(f, 4)};
        from += 1 + any_time(f);
    } while (chance(f, 50));
}

static void add_chain(struct forger *f)
{
    struct br_proof_chain *chain = ADD(f, f->proof->chain, f->proof->chains);
    uint32_t shares = 0;
    *chain = (struct br_proof_chain){.from = any_time(f)};
    chain->to = chain->from + any_time(f);
    for (uint32_t k = 0; k < f->in->stages; k++)
        if (chance(f, 60)) {
            *ADD(f, chain->stage, chain->stages) = f->in->topological[k];
            *ADD(f, chain->share, shares) = (int64_t)below(f, 10);
        }
}

static void add_value(struct forger *f)
{
    *ADD(f, f->proof->value, f->proof->values) =
        (struct br_proof_value){any_stage(f), (int64_t)below(f, 9)};
}

/* What a literal may be about: a start, the end, a task on one of several machines, or on one
 * machine the order of two tasks; once in a while the number after all of these. */
static uint32_t any_variable(struct forger *f)
{
    const struct br_instance *in = f->in;
    uint32_t starts = in->tasks + 1, others = in->tasks * in->machines;
    if (in->machines > 1)
        return (uint32_t)below(f, starts + others + UINT64_C(1));
    uint32_t first = (uint32_t)below(f, in->tasks), second = (uint32_t)below(f, in->tasks);
    return chance(f, 50) ? (uint32_t)below(f, starts) : br_proof_order(in->tasks, first, second);
}

static void add_clause(struct forger *f)
{
    struct br_proof *proof = f->proof;
    uint32_t number = proof->clauses;
    struct br_proof_clause *clause = ADD(f, proof->clause, proof->clauses);
    *clause = (struct br_proof_clause){0};
    while (chance(f, 60))
        *ADD(f, clause->literal, clause->literals) =
            (struct br_proof_literal){any_variable(f), chance(f, 50), any_time(f)};
    for (uint32_t k = 0; k < number; k++)
        if (chance(f, 50))
            *ADD(f, clause->hint, clause->hints) = k;
    while (chance(f, 30))
        *ADD(f, clause->span, clause->spans) = (struct br_proof_span){any_time(f), any_time(f)};
}

/* --- forging --------------------------------------------------------------------------------- */

static void swap_links(struct forger *f)
{
    struct br_proof *proof = f->proof;
    if (proof->links == 0)
        return;
    struct br_proof_link *a = &proof->link[below(f, proof->links)],
                         *b = &proof->link[below(f, proof->links)], c = *a;
    *a = *b;
    *b = c;
    if (chance(f, 30))
        proof->links--;
    if (chance(f, 30))
        a->task = a->task == UINT32_MAX ? 0 : UINT32_MAX;
}

static void change_claim(struct forger *f)
{
    struct br_proof *proof = f->proof;
    if (proof->passes == 0)
        return;
    struct br_proof_pass *pass = &proof->pass[below(f, proof->passes)];
    bool head = chance(f, 50);
    uint32_t claims = head ? pass->heads : pass->tails;
    if (claims == 0)
        return;
    struct br_proof_claim *claim = &(head ? pass->head : pass->tail)[below(f, claims)];
    switch (below(f, 5)) {
    case 0:
        claim->stage = any_stage(f);
        break;
    case 1:
        claim->at = nudged(f, claim->at);
        break;
    case 2:
        claim->from = nudged(f, claim->from);
        break;
    case 3:
        claim->to = nudged(f, claim->to);
        break;
    default:
        claim->measure = (uint32_t)below(f, proof->measures + UINT64_C(1));
    }
}

static void change_measure(struct forger *f)
{
    struct br_proof *proof = f->proof;
    if (proof->measures == 0)
        return;
    struct br_proof_measure *m = &proof->measure[below(f, proof->measures)];
    if (m->kind != BR_MEASURE_RESOURCE && chance(f, 50))
        add_member(f, m, any_stage(f));
    else if (m->kind == BR_MEASURE_WEIGHTS && m->stages && chance(f, 50))
        m->weight[below(f, m->stages)] = 1 + (int64_t)below(f, 9);
    else if (m->kind != BR_MEASURE_RESOURCE && m->stages)
        m->stage[below(f, m->stages)] = any_stage(f);
    else if (chance(f, 50))
        m->resource = (uint32_t)below(f, f->job->dag->resources + UINT64_C(1));
    else
        m->unit.mantissa = nudged(f, m->unit.mantissa);
}

static void change_price(struct forger *f)
{
    struct br_proof *proof = f->proof;
    if (proof->prices == 0)
        return;
    struct br_proof_price *price = &proof->price[below(f, proof->prices)];
    if (chance(f, 10))
        price->stage = any_stage(f);
    if (price->steps == 0)
        return;
    struct br_proof_step *step = &price->step[below(f, price->steps)];
    if (chance(f, 60))
        step->price = nudged(f, step->price);
    else
        step->from = nudged(f, step->from);
}

static void change_chain(struct forger *f)
{
    struct br_proof *proof = f->proof;
    if (proof->chains == 0)
        return;
    struct br_proof_chain *chain = &proof->chain[below(f, proof->chains)];
    uint32_t k = (uint32_t)below(f, chain->stages);
    if (chain->stages && chance(f, 40))
        chain->stage[k] = any_stage(f);
    else if (chain->stages && chance(f, 60))
        chain->share[k] = nudged(f, chain->share[k]);
    else if (chance(f, 50))
        chain->from = nudged(f, chain->from);
    else
        chain->to = nudged(f, chain->to);
}

static void change_clause(struct forger *f)
{
    struct br_proof *proof = f->proof;
    if (proof->clauses == 0)
        return;
    struct br_proof_clause *clause = &proof->clause[below(f, proof->clauses)];
    struct br_proof_literal *literal =
        clause->literals ? &clause->literal[below(f, clause->literals)] : NULL;
    switch (below(f, 8)) {
    case 6:
        if (clause->spans)
            clause->span[0].from = nudged(f, clause->span[0].from);
        break;
    case 7:
        if (clause->spans)
            clause->span[0].to = nudged(f, clause->span[0].to);
        break;
    case 0:
        if (literal)
            literal->time = nudged(f, literal->time);
        break;
    case 1:
        if (literal)
            literal->task = any_variable(f);
        break;
    case 2:
        if (literal)
            literal->upper = !literal->upper;
        break;
    case 3:
        if (clause->hints)
            clause->hint[below(f, clause->hints)] =
                (uint32_t)below(f, proof->clauses + UINT64_C(1));
        break;
    case 4:
        clause->literals -= clause->literals > 0;
        break;
    default:
        proof->clauses -= (uint32_t)below(f, proof->clauses);
    }
}

/* A group of any stages of the part, with a true proof of how long it takes, and a case for each of
 * them, also for those that need none: its windows, or the energy or rounds within them. */
static void add_cases(struct forger *f)
{
    struct br_proof *proof = f->proof, *group = NULL;
    uint32_t stage[TASKS], count = 0;
    for (uint32_t k = 0; k < (proof->stages ? proof->stages : f->in->stages); k++)
        if (chance(f, 60))
            stage[count++] = proof->stages ? proof->stage[k] : k;
    if (count == 0)
        return;
    struct br_instance *in = br_instance_part(f->in, stage, count);
    uint32_t groups = 0;
    group = ADD(f, group, groups);
    if (!in ||
        !br_certify_part(&f->c->arena, f->in, in, br_bounds_best(in, INT64_MAX).ticks, group))
        exit(5);
    br_instance_destroy(in);
    proof->group = group;
    proof->cases = 0;
    for (uint32_t k = 0; k < count; k++) {
        static const enum br_proof_kind kind[] = {BR_PROOF_WINDOW, BR_PROOF_ENERGY,
                                                  BR_PROOF_ROUNDS};
        struct br_proof *inner = NULL;
        uint32_t inners = 0;
        inner = ADD(f, inner, inners);
        *inner = (struct br_proof){.kind = kind[below(f, 3)],
                                   .bound = proof->bound,
                                   .measures = proof->measures,
                                   .measure = proof->measure,
                                   .from = any_time(f),
                                   .to = any_time(f)};
        *ADD(f, proof->when, proof->cases) = (struct br_proof_case){stage[k], inner};
    }
}

static void change_case(struct forger *f)
{
    struct br_proof *proof = f->proof;
    if (proof->cases == 0) {
        add_cases(f);
        return;
    }
    struct br_proof_case *when = &proof->when[below(f, proof->cases)];
    switch (below(f, 8)) {
    case 0:
        proof->group->bound = nudged(f, proof->group->bound);
        break;
    case 1:
        proof->kind = proof->kind == BR_PROOF_FIRST ? BR_PROOF_LAST : BR_PROOF_FIRST;
        break;
    case 2:
        when->stage = any_stage(f);
        break;
    case 3:
        proof->cases--;
        break;
    case 4:
        when->proof->bound = nudged(f, when->proof->bound);
        break;
    case 5:
        when->proof->from = nudged(f, when->proof->from);
        break;
    case 6:
        when->proof->to = nudged(f, when->proof->to);
        break;
    default:
        add_cases(f);
    }
}

/* Stages of one part into another, and the order of the parts. */
static void change_parts(struct forger *f)
{
    struct br_certificate *c = f->c;
    if (c->parts < 2)
        return;
    struct br_proof *a = &c->part[below(f, c->parts)], *b = &c->part[below(f, c->parts)];
    if (chance(f, 30)) {
        struct br_proof swap = *a;
        *a = *b;
        *b = swap;
    } else if (a->stages && a != b) {
        uint32_t at = (uint32_t)below(f, a->stages), stage = a->stage[at], k;
        memmove(a->stage + at, a->stage + at + 1, (a->stages - at - 1) * sizeof *a->stage);
        a->stages--;
        (void)ADD(f, b->stage, b->stages);
        for (k = b->stages - 1; k > 0 && b->stage[k - 1] > stage; k--)
            b->stage[k] = b->stage[k - 1];
        b->stage[k] = stage;
    }
}

static void forge(struct forger *f)
{
    static void (*const change[])(struct forger *) = {
        add_link,     add_measure,  add_claim,      add_price,     add_chain,
        add_value,    add_clause,   swap_links,     change_claim,  change_claim,
        change_price, change_price, change_measure, change_clause, change_clause,
        change_chain, change_parts, change_case,    change_case,
    };
    struct br_proof *proof = f->proof;
    switch (below(f, 9)) {
    case 3:
        proof->rounding = nudged(f, chance(f, 50) ? proof->rounding : 1);
        break;
    case 0:
        proof->from = nudged(f, proof->from);
        break;
    case 1:
        proof->to = nudged(f, proof->to);
        break;
    case 2:
        proof->energy = (uint32_t)below(f, proof->measures + UINT64_C(1));
        break;
    default:
        change[below(f, sizeof change / sizeof *change)](f);
    }
}

/* A certificate in one part of that kind, of whatever comes. */
static struct br_certificate *make_up(struct forger *f, enum br_proof_kind kind)
{
    f->c = br_certificate_create(f->in->tick_ns, 1);
    if (!f->c)
        exit(5);
    f->proof = &f->c->part[0];
    f->proof->kind = kind;
    f->proof->bound = 0;
    f->proof->to = f->optimum;
    add_measure(f);
    for (uint32_t k = 0; k < f->in->stages; k++) {
        if (kind == BR_PROOF_PATH)
            add_link(f);
        if (kind == BR_PROOF_PRICES)
            add_price(f);
        if (kind == BR_PROOF_CLAUSES)
            add_clause(f);
        if (kind == BR_PROOF_ROUNDS && chance(f, 40))
            add_value(f);
    }
    if (kind == BR_PROOF_PRICES && chance(f, 60))
        add_chain(f);
    if (kind >= BR_PROOF_FIRST)
        add_cases(f);
    while (chance(f, 40))
        add_claim(f);
    return f->c;
}

/* The certificate claims that much more than the optimum. */
static bool claim_more(struct forger *f, int64_t by)
{
    int64_t ns;
    if (!br_certificate_bound(f->c, &ns))
        return false;
    int64_t raise = f->optimum + by - ns / f->c->tick_ns, rounding = br_proof_rounding(f->proof);
    f->proof->bound += raise > 0 ? (raise + rounding - 1) / rounding : 0;
    for (uint32_t k = 0; k < f->proof->cases; k++)
        if (f->proof->when[k].proof->bound < f->proof->bound && chance(f, 90))
            f->proof->when[k].proof->bound = f->proof->bound;
    return true;
}

int main(int argc, char **argv)
{
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000, tried = 0;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1, of[KINDS] = {0}, proven = 0,
             jobs = 0;
    for (; tried < count; seed++) {
        struct random_job job;
        struct br_instance *in;
        struct br_diag diag = {0};
        if (!random_job_make(seed, TASKS, 0, &job) ||
            br_instance_create(job.dag, job.cluster, &in, &diag))
            return 5;
        struct forger f = {.rng = br_rng_seed(seed), .job = &job, .in = in};
        f.optimum = oracle_optimum(in);
        jobs++;
        for (uint32_t k = 0; k < 2 + KINDS && tried < count; k++) {
            struct br_exact_effort effort = {.conflicts = 200};
            int64_t ns;
            f.c = k == 0   ? br_certify(in)
                  : k == 1 ? br_exact_certify(in, &effort)
                           : make_up(&f, (enum br_proof_kind)(k - 2));
            if (!f.c)
                continue;
            bool ok = br_certificate_check(f.c, job.dag, in, &diag) == BR_OK;
            if (k < 2 && (!ok || !br_certificate_bound(f.c, &ns) || ns > f.optimum * in->tick_ns)) {
                printf("seed %" PRIu64 ": a true proof is refused, or above the optimum: %s\n",
                       seed, diag.what);
                return 1;
            }
            proven += k < 2;
            for (int n = 0; n < FORGED && tried < count; n++) {
                f.proof = &f.c->part[below(&f, f.c->parts)];
                if (chance(&f, 5))
                    f.proof->kind = (enum br_proof_kind)below(&f, KINDS);
                for (uint64_t changes = below(&f, 4); changes > 0; changes--)
                    forge(&f);
                if (!claim_more(&f, 1 + (int64_t)below(&f, 3)))
                    continue;
                tried++;
                of[f.proof->kind]++;
                if (br_certificate_check(f.c, job.dag, in, NULL) == BR_OK) {
                    printf("seed %" PRIu64 ", certificate %" PRIu32
                           ", change %d: accepted, kind %d\n",
                           seed, k, n, (int)f.proof->kind);
                    return 1;
                }
            }
            br_certificate_destroy(f.c);
        }
        br_instance_destroy(in);
        random_job_finish(&job);
    }
    printf("%" PRIu64 " forged proofs of %" PRIu64 " jobs refused, %" PRIu64
           " true ones accepted; path %" PRIu64 ", window %" PRIu64 ", energy %" PRIu64
           ", rounds %" PRIu64 ", prices %" PRIu64 ", clauses %" PRIu64 ", first %" PRIu64
           ", last %" PRIu64 "\n",
           tried, jobs, proven, of[0], of[1], of[2], of[3], of[4], of[5], of[6], of[7]);
    for (int k = 0; k < KINDS; k++)
        if (of[k] < count / 50)
            return 1;
    return 0;
}
