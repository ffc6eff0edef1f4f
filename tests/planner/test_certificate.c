/* Certificates of the combinatorial bounds: all are accepted, none proves more than the optimum. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/numbers/rng.h"
#include "planner/bounds/bounds.h"
#include "planner/bounds/certify.h"
#include "planner/bounds/rounds.h"
#include "planner/bounds/tighten.h"
#include "planner/check/proofs/certificate.h"
#include "planner/search/bound/exact_bound.h"
#include "tests/support/oracle.h"
#include "tests/support/random_job.h"

static void every_bound_has_its_proof(void **state)
{
    int kind[BR_PROOF_PRICES + 1] = {0}, parts = 0, claims = 0, cliques = 0, units = 0;
    for (uint64_t seed = 1; seed <= 4000; seed++) {
        struct random_job job;
        struct br_instance *in;
        struct br_diag diag = {0};
        int64_t ns;
        assert_true(random_job_make(seed, seed % 2 ? 8 : 40, 0, &job));
        assert_int_equal(br_instance_create(job.dag, job.cluster, &in, NULL), BR_OK);
        struct br_certificate *c = br_certify(in);
        assert_non_null(c);
        assert_true(br_certificate_bound(c, &ns));
        assert_int_equal(ns, br_bounds_sum(in).ticks * in->tick_ns);
        if (br_certificate_check(c, job.dag, in, &diag))
            fail_msg("seed %d: %s", (int)seed, diag.what);
        parts += c->parts > 1;
        for (uint32_t k = 0; k < c->parts; k++) {
            const struct br_proof *proof = &c->part[k];
            kind[proof->kind]++;
            claims += proof->passes > 0;
            for (uint32_t m = 0; m < proof->measures; m++) {
                cliques += proof->measure[m].kind == BR_MEASURE_CLIQUE;
                units += proof->measure[m].unit.mantissa > 0;
            }
        }
        br_certificate_destroy(c);
        br_instance_destroy(in);
        random_job_finish(&job);
    }
    print_message(
        "path %d, window %d, energy %d, rounds %d; %d with claims, %d cliques, %d units, %d in "
        "several parts\n",
        kind[BR_PROOF_PATH], kind[BR_PROOF_WINDOW], kind[BR_PROOF_ENERGY], kind[BR_PROOF_ROUNDS],
        claims, cliques, units, parts);
    assert_true(kind[BR_PROOF_PATH] && kind[BR_PROOF_WINDOW] && kind[BR_PROOF_ENERGY]);
    assert_true(kind[BR_PROOF_ROUNDS]);
    assert_true(claims && cliques && units);
}

/* Part by part the better proof, and it is still one. */
static void the_better_parts_are_taken(void **state)
{
    enum { STAGES = 5 };
    struct br_dag *dag = br_dag_create("chain");
    struct br_cluster *cluster = br_cluster_create(NULL);
    struct br_instance *in;
    struct br_diag diag = {0};
    for (uint32_t s = 0; s < STAGES; s++) {
        char id[] = {(char)('a' + s), '\0'};
        assert_int_equal(br_dag_add_stage(dag, id, 2 + s, 1, NULL, NULL), BR_OK);
        assert_int_equal(br_dag_add_demand(dag, s, "cpu", "1", NULL), BR_OK);
        if (s > 0)
            assert_int_equal(br_dag_add_edge(dag, s - 1, s, BR_BARRIER, NULL), BR_OK);
    }
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_cluster_add_class(cluster, "m", 1, NULL, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, 0, "cpu", "1", NULL), BR_OK);
    assert_int_equal(br_instance_create(dag, cluster, &in, NULL), BR_OK);
    struct br_exact_effort effort = {.conflicts = 1};
    for (uint32_t set = 0; set < 1 << STAGES; set++) { /* the parts that the first knows less of */
        struct br_certificate *first = br_exact_certify(in, &effort);
        struct br_certificate *second = br_exact_certify(in, &effort);
        int64_t best, ns;
        assert_true(first && second && first->parts == STAGES);
        assert_true(br_certificate_bound(first, &best));
        for (uint32_t k = 0; k < STAGES; k++)
            (set >> k & 1 ? first : second)->part[k].bound--;
        struct br_certificate *none = NULL;
        assert_false(br_certificate_take(&none, NULL) || none);
        assert_true(br_certificate_take(&none, first) && none == first);
        assert_false(br_certificate_take(&first, NULL));
        assert_int_equal(br_certificate_take(&first, second), set != 0);
        assert_true(br_certificate_bound(first, &ns));
        assert_int_equal(ns, best);
        if (br_certificate_check(first, dag, in, &diag))
            fail_msg("set %d: %s", (int)set, diag.what);
        /* Of other parts only the sum counts. */
        struct br_certificate *whole = br_certificate_create(in->tick_ns, 1);
        assert_non_null(whole);
        assert_true(br_certify_part(&whole->arena, in, in, br_bounds_best(in, INT64_MAX).ticks,
                                    &whole->part[0]));
        whole->part[0].bound -= set & 1;
        assert_int_equal(br_certificate_take(&whole, first), set & 1);
        assert_int_equal(whole->parts, set & 1 ? STAGES : 1);
        if (br_certificate_check(whole, dag, in, &diag))
            fail_msg("set %d: %s", (int)set, diag.what);
        br_certificate_destroy(whole);
    }
    br_instance_destroy(in);
    br_dag_destroy(dag);
    br_cluster_destroy(cluster);
}

/* Do so many of each item fit: whatever lies between a head and a tail, and all of it together? */
static bool lie_within(const struct br_line_item *item, uint32_t items, const int64_t *taken,
                       int64_t length)
{
    for (uint32_t a = 0; a < items; a++)
        for (uint32_t b = 0; b < items; b++) {
            int64_t head = item[a].head, tail = item[b].tail, time = 0;
            for (uint32_t k = 0; k < items; k++)
                if (item[k].head >= head && item[k].tail >= tail)
                    time += taken[k] * item[k].duration;
            if (time > 0 && time > length - head - tail)
                return false;
        }
    return true;
}

/* The most value on a line, by trying all numbers of item k and those behind it. */
static int64_t try_all(const struct br_line_item *item, uint32_t items, uint32_t k, int64_t *taken,
                       int64_t length)
{
    int64_t best = 0;
    if (k == items) {
        for (uint32_t i = 0; i < items; i++)
            best += taken[i] * item[i].value;
        return lie_within(item, items, taken, length) ? best : 0;
    }
    for (int64_t n = 0; n <= item[k].count; n++) {
        taken[k] = n;
        int64_t value = try_all(item, items, k + 1, taken, length);
        best = value > best ? value : best;
    }
    return best;
}

static void best_lines_are_found(void **state)
{
    struct br_rng rng = br_rng_seed(1);
    for (int round = 0; round < 3000; round++) {
        struct br_line_item item[6];
        int64_t taken[6], nodes = 100000, length = (int64_t)br_rng_below(&rng, 60), sum = 0;
        uint32_t items = (uint32_t)br_rng_below(&rng, 6);
        const uint32_t late = round % 3 ? 20 : 1; /* a third without heads and tails */
        for (uint32_t k = 0; k < items; k++)
            item[k] = (struct br_line_item){
                1 + (int64_t)br_rng_below(&rng, 20), (int64_t)br_rng_below(&rng, 15),
                (int64_t)br_rng_below(&rng, 6), (int64_t)br_rng_below(&rng, late),
                (int64_t)br_rng_below(&rng, late)};
        int64_t best = br_line_best(item, items, length, taken, &nodes);
        for (uint32_t k = 0; k < items; k++) {
            assert_true(taken[k] >= 0 && taken[k] <= item[k].count);
            sum += taken[k] * item[k].value;
        }
        assert_int_equal(sum, best);
        assert_true(lie_within(item, items, taken, length));
        assert_int_equal(best, try_all(item, items, 0, taken, length));
        nodes = 1;
        assert_true(items < 2 || br_line_best(item, items, length, taken, &nodes) <= best);
    }
}

/* Parts of equal sizes that hold other stages are other parts: a proof of one says nothing of the
 * other, and is not taken for it. */
static void other_stages_are_other_parts(void **state)
{
    uint32_t stage[2][2] = {{0, 1}, {2, 0}};
    for (uint32_t k = 0; k < 2; k++) {
        struct br_certificate *a = br_certificate_create(1, 2);
        struct br_certificate *b = br_certificate_create(1, 2);
        assert_true(a && b);
        for (uint32_t part = 0; part < 2; part++) {
            a->part[part] = (struct br_proof){.stages = 1, .stage = &stage[0][part], .bound = 5};
            b->part[part] = (struct br_proof){
                .stages = 1, .stage = &stage[k][k ? 1 - part : part], .bound = 5 + part};
        }
        assert_ptr_equal(br_certificate_same_part(a, b, 1), k ? NULL : &b->part[1]);
        br_certificate_destroy(a);
        br_certificate_destroy(b);
    }
}

/* p takes 10 before both tasks of a, which take 1 and 5; each is ahead of one task of b, which take
 * 8 and 1. The longest chain, 10 + 1 + 8, goes through a task that is not the longest of its stage.
 * q stands beside them, so that nothing is cut. */
static void chains_go_through_single_tasks(void **state)
{
    struct br_dag *dag = br_dag_create("chain");
    struct br_cluster *cluster = br_cluster_create(NULL);
    struct br_instance *in;
    assert_int_equal(br_dag_add_stage(dag, "p", 1, 10, NULL, NULL), BR_OK);
    assert_int_equal(br_dag_add_stage(dag, "a", 2, 1, NULL, NULL), BR_OK);
    assert_int_equal(br_dag_set_duration(dag, 1, 1, 5, NULL), BR_OK);
    assert_int_equal(br_dag_add_stage(dag, "b", 2, 8, NULL, NULL), BR_OK);
    assert_int_equal(br_dag_set_duration(dag, 2, 1, 1, NULL), BR_OK);
    assert_int_equal(br_dag_add_stage(dag, "q", 1, 1, NULL, NULL), BR_OK);
    assert_int_equal(br_dag_add_edge(dag, 0, 1, BR_BARRIER, NULL), BR_OK);
    assert_int_equal(br_dag_add_edge(dag, 1, 2, BR_ONE_TO_ONE, NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_cluster_add_class(cluster, "m", 1, NULL, NULL), BR_OK);
    assert_int_equal(br_instance_create(dag, cluster, &in, NULL), BR_OK);
    struct br_certificate *c = br_certify(in);
    assert_non_null(c);
    assert_int_equal(c->parts, 1);
    const struct br_proof *proof = &c->part[0];
    assert_int_equal(proof->bound * in->tick_ns, 19);
    assert_int_equal(proof->kind, BR_PROOF_PATH); /* the simplest that proves it */
    assert_int_equal(proof->links, 3);
    for (uint32_t k = 0; k < 3; k++)
        assert_int_equal(proof->link[k].stage, k);
    assert_int_equal(proof->link[1].task, 0);
    assert_int_equal(proof->link[2].task, 0);
    assert_int_equal(br_certificate_check(c, dag, in, NULL), BR_OK);
    br_certificate_destroy(c);
    br_instance_destroy(in);
    br_dag_destroy(dag);
    br_cluster_destroy(cluster);
}

/* The tasks of a take 1 and 5, and each is ahead of one task of b, which take as long as theirs.
 * The second pair ends at 10, which no window of a whole stage says: b may start at 1, and its
 * longest lasts 5. So within 9 ticks the window of a task is too short, and within 10 none. */
static void windows_of_single_tasks(void **state)
{
    struct br_dag *dag = br_dag_create("pairs");
    struct br_cluster *cluster = br_cluster_create(NULL);
    struct br_instance *in;
    for (uint32_t s = 0; s < 2; s++) {
        assert_int_equal(br_dag_add_stage(dag, s ? "b" : "a", 2, 1, NULL, NULL), BR_OK);
        assert_int_equal(br_dag_set_duration(dag, s, 1, 5, NULL), BR_OK);
    }
    assert_int_equal(br_dag_add_edge(dag, 0, 1, BR_ONE_TO_ONE, NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_cluster_add_class(cluster, "m", 1, NULL, NULL), BR_OK);
    assert_int_equal(br_instance_create(dag, cluster, &in, NULL), BR_OK);
    assert_int_equal(in->tick_ns, 1);
    for (int64_t bound = 4; bound <= 12; bound++) {
        struct br_diag diag = {0};
        struct br_certificate *c = br_certificate_create(in->tick_ns, 1);
        assert_non_null(c);
        c->part[0] = (struct br_proof){.bound = bound, .kind = BR_PROOF_WINDOW};
        enum br_status status = br_certificate_check(c, dag, in, &diag);
        if (status != (bound <= 10 ? BR_OK : BR_NO))
            fail_msg("%d: %s", (int)bound, diag.what);
        br_certificate_destroy(c);
    }
    br_instance_destroy(in);
    br_dag_destroy(dag);
    br_cluster_destroy(cluster);
}

/* Windows within 6 ticks, where a chain x, q, y of 2 ticks each takes all of them: x runs from 0 to
 * 2, q from 2 to 4. One of them is in the way of s. */
struct fixed {
    const char *name;
    uint32_t in_the_way, copies; /* the stage, and its tasks */
    const char *demand, *capacity;
    bool behind;            /* s waits for w, of 1 tick without demands */
    int64_t duration, head; /* of s: from when on it can run */
};

static const struct fixed fixed[] = {
    {"s may start at 1 by its edge, too late to end before q", 1, 1, "1", "1", true, 2, 4},
    {"any two tasks fit together, three do not", 1, 2, "1", "2", true, 2, 4},
    {"there is room for half of s beside q, but s is one piece", 1, 1, "6", "10", true, 2, 4},
    {"s is in the way at the first point in time alone", 0, 1, "1", "1", false, 1, 2},
};

/* The same with all edges turned round, from the end. */
static void windows_give_way(const struct fixed *f, bool turned)
{
    static const char *const id[] = {"x", "q", "y", "w", "s"};
    static const uint32_t edge[][2] = {{0, 1}, {1, 2}, {3, 4}};
    const int64_t duration[] = {2, 2, 2, 1, f->duration};
    struct br_dag *dag = br_dag_create("fixed");
    struct br_cluster *cluster = br_cluster_create(NULL);
    struct br_instance *in;
    struct br_arena arena = {0};
    struct br_proof proof = {.bound = 7};
    struct br_task_windows found;
    bool overfull = true;
    uint32_t in_the_way = f->in_the_way;
    for (uint32_t s = 0; s < 5; s++) {
        assert_int_equal(
            br_dag_add_stage(dag, id[s], s == in_the_way ? f->copies : 1, duration[s], NULL, NULL),
            BR_OK);
        if (s == in_the_way || s == 4)
            assert_int_equal(br_dag_add_demand(dag, s, "cpu", f->demand, NULL), BR_OK);
    }
    for (uint32_t e = 0; e < (f->behind ? 3 : 2); e++)
        assert_int_equal(br_dag_add_edge(dag, edge[e][turned], edge[e][!turned], BR_BARRIER, NULL),
                         BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_cluster_add_class(cluster, "m", 1, NULL, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, 0, "cpu", f->capacity, NULL), BR_OK);
    assert_int_equal(br_instance_create(dag, cluster, &in, NULL), BR_OK);
    assert_int_equal(in->tick_ns, 1);
    assert_true(br_proof_set_part(&arena, in, in, &proof));
    found.head = br_arena_array(&arena, in->tasks, sizeof *found.head);
    found.tail = br_arena_array(&arena, in->tasks, sizeof *found.tail);
    assert_non_null(found.head);
    assert_non_null(found.tail);
    assert_true(br_proof_tighten(&arena, in, in, 6, NULL, &proof, &found, &overfull));
    assert_false(overfull);
    const int64_t *head = turned ? found.tail : found.head,
                  *tail = turned ? found.head : found.tail;
    for (uint32_t t = in->stage_first[4]; t < in->stage_first[5]; t++)
        if (head[t] != f->head || tail[t] != 0)
            fail_msg("%s: %d and %d", f->name, (int)head[t], (int)tail[t]);
    for (uint32_t t = in->stage_first[3]; t < in->stage_first[4]; t++)
        assert_int_equal(head[t], 0);
    /* One claim says it. */
    uint32_t claims = 0;
    for (uint32_t k = 0; k < proof.passes; k++)
        claims += turned ? proof.pass[k].tails : proof.pass[k].heads;
    assert_int_equal(claims, 1);
    br_arena_finish(&arena);
    br_instance_destroy(in);
    br_dag_destroy(dag);
    br_cluster_destroy(cluster);
}

static void windows_give_way_to_what_must_run(void **state)
{
    for (size_t k = 0; k < sizeof fixed / sizeof fixed[0]; k++)
        for (int turned = 0; turned < 2; turned++)
            windows_give_way(&fixed[k], turned);
}

/* Three stages of one task of 1 tick, of which no two fit together: each demands `amount`, which is
 * all that there is. The proof of rounds that they take more than 1, with a value for each if not
 * 0. */
static enum br_status check_three(const char *amount, int64_t value)
{
    struct br_dag *dag = br_dag_create("three");
    struct br_cluster *cluster = br_cluster_create(NULL);
    struct br_instance *in;
    for (uint32_t s = 0; s < 3; s++) {
        char id[] = {(char)('a' + s), '\0'};
        assert_int_equal(br_dag_add_stage(dag, id, 1, 1, NULL, NULL), BR_OK);
        assert_int_equal(br_dag_add_demand(dag, s, "r", amount, NULL), BR_OK);
    }
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_cluster_add_class(cluster, "m", 1, NULL, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, 0, "r", amount, NULL), BR_OK);
    assert_int_equal(br_instance_create(dag, cluster, &in, NULL), BR_OK);
    struct br_proof_measure measure = {.kind = BR_MEASURE_RESOURCE};
    struct br_proof_value worth[] = {{0, value}, {1, value}, {2, value}};
    struct br_certificate *c = br_certificate_create(in->tick_ns, 1);
    assert_non_null(c);
    c->part[0] = (struct br_proof){.bound = 2,
                                   .kind = BR_PROOF_ROUNDS,
                                   .measures = 1,
                                   .measure = &measure,
                                   .from = 0,
                                   .to = 1,
                                   .values = value != 0 ? 3 : 0,
                                   .value = worth};
    enum br_status status = br_certificate_check(c, dag, in, NULL);
    br_certificate_destroy(c);
    br_instance_destroy(in);
    br_dag_destroy(dag);
    br_cluster_destroy(cluster);
    return status;
}

/* A sum that could leave 63 bits is refused, even where it is true; one that just does not is
 * accepted. */
static void sums_stay_within_63_bits(void **state)
{
    assert_int_equal(check_three("1", 1), BR_OK);
    assert_int_equal(check_three("1", BR_PRICE_MAX), BR_OK);
    assert_int_equal(check_three("1", BR_PRICE_MAX + 1), BR_NO);
    /* The copies are at most 2^61 - 1 in all: 2^61 - 2 here, then 2^61 + 1. */
    assert_int_equal(check_three("768614336404564650", 0), BR_OK);
    assert_int_equal(check_three("768614336404564651", 0), BR_NO);
}

/* However many resources there are, few measures are looked at: each costs the square of the
 * stages. */
static void few_measures_make_claims(void **state)
{
    enum { RESOURCES = 20 };
    struct br_dag *dag = br_dag_create("many");
    struct br_cluster *cluster = br_cluster_create(NULL);
    struct br_instance *in;
    struct br_arena arena = {0};
    struct br_proof proof = {.bound = 3};
    int64_t head[2], tail[2];
    struct br_task_windows found = {head, tail};
    bool overfull;
    assert_int_equal(br_cluster_add_class(cluster, "m", 1, NULL, NULL), BR_OK);
    for (uint32_t s = 0; s < 2; s++)
        assert_int_equal(br_dag_add_stage(dag, s ? "b" : "a", 1, 1, NULL, NULL), BR_OK);
    for (uint32_t r = 0; r < RESOURCES; r++) {
        char name[] = {(char)('a' + r), '\0'};
        for (uint32_t s = 0; s < 2; s++)
            assert_int_equal(br_dag_add_demand(dag, s, name, "1", NULL), BR_OK);
        assert_int_equal(br_cluster_add_capacity(cluster, 0, name, "2", NULL), BR_OK);
    }
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_instance_create(dag, cluster, &in, NULL), BR_OK);
    assert_true(br_proof_set_part(&arena, in, in, &proof));
    assert_true(br_proof_tighten(&arena, in, in, 2, NULL, &proof, &found, &overfull));
    assert_true(proof.measures > 0 && proof.measures <= 12);
    br_arena_finish(&arena);
    br_instance_destroy(in);
    br_dag_destroy(dag);
    br_cluster_destroy(cluster);
}

/* The measures that nothing uses are gone; claims and the energy have those that they had, which
 * the number of a resource tells apart. */
static void unused_measures_are_dropped(void **state)
{
    enum { MEASURES = 9, PASSES = 3, CLAIMS = 4, ROUNDS = 2000 };
    const enum br_proof_kind kinds[] = {BR_PROOF_ENERGY, BR_PROOF_ROUNDS, BR_PROOF_WINDOW,
                                        BR_PROOF_PRICES};
    struct br_rng rng = br_rng_seed(4);
    int dropped = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct br_proof_measure measure[MEASURES];
        struct br_proof_claim claim[PASSES][CLAIMS];
        struct br_proof_pass pass[PASSES];
        uint32_t had[PASSES][CLAIMS], want = 0, kept[MEASURES];
        uint32_t count = 1 + (uint32_t)br_rng_below(&rng, MEASURES);
        bool used[MEASURES] = {false};
        struct br_proof proof = {.kind = kinds[br_rng_below(&rng, 4)],
                                 .measures = count,
                                 .measure = measure,
                                 .passes = (uint32_t)br_rng_below(&rng, PASSES + 1),
                                 .pass = pass,
                                 .energy = (uint32_t)br_rng_below(&rng, count)};
        const uint32_t energy = proof.energy;
        const bool by_energy = proof.kind == BR_PROOF_ENERGY || proof.kind == BR_PROOF_ROUNDS;
        for (uint32_t m = 0; m < count; m++)
            measure[m] = (struct br_proof_measure){.kind = BR_MEASURE_RESOURCE, .resource = m};
        for (uint32_t k = 0; k < proof.passes; k++) {
            uint32_t heads = (uint32_t)br_rng_below(&rng, CLAIMS + 1);
            pass[k] = (struct br_proof_pass){heads, CLAIMS - heads, claim[k], claim[k] + heads};
            for (uint32_t i = 0; i < CLAIMS; i++) {
                had[k][i] = (uint32_t)br_rng_below(&rng, count);
                claim[k][i] = (struct br_proof_claim){.measure = had[k][i]};
                used[had[k][i]] = true;
            }
        }
        used[energy] |= by_energy;
        for (uint32_t m = 0; m < count; m++)
            if (used[m])
                kept[want++] = m;
        br_proof_drop_measures(&proof);
        assert_int_equal(proof.measures, want);
        for (uint32_t m = 0; m < want; m++)
            assert_int_equal(proof.measure[m].resource, kept[m]);
        for (uint32_t k = 0; k < proof.passes; k++)
            for (uint32_t i = 0; i < CLAIMS; i++) {
                assert_true(claim[k][i].measure < want);
                assert_int_equal(proof.measure[claim[k][i].measure].resource, had[k][i]);
            }
        if (by_energy)
            assert_true(proof.energy < want && proof.measure[proof.energy].resource == energy);
        dropped += want < count;
    }
    assert_true(dropped > ROUNDS / 4);
}

/* A job of single tasks, whose durations have a common tick of 1 s, on one machine. */
static struct br_instance *pool_of(uint32_t tasks, uint64_t seed, int64_t longest_s,
                                   struct br_dag **dag, struct br_cluster **cluster)
{
    struct br_instance *in;
    struct br_rng rng = br_rng_seed(seed);
    *dag = br_dag_create("pool");
    *cluster = br_cluster_create(NULL);
    for (uint32_t s = 0; s < tasks; s++) {
        char id[20], amount[20];
        int64_t second = 1000000000;
        snprintf(id, sizeof id, "%d", (int)s);
        snprintf(amount, sizeof amount, "%d", 2 + (int)br_rng_below(&rng, 5));
        int64_t ns =
            (longest_s / 2 + 1 + (int64_t)br_rng_below(&rng, (uint64_t)longest_s / 2)) * second;
        assert_int_equal(
            br_dag_add_stage(*dag, id, 1, s ? ns : longest_s * second + second, NULL, NULL), BR_OK);
        assert_int_equal(br_dag_add_demand(*dag, s, "cpu", amount, NULL), BR_OK);
    }
    assert_int_equal(br_dag_finish(*dag, NULL), BR_OK);
    assert_int_equal(br_cluster_add_class(*cluster, "m", 1, NULL, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(*cluster, 0, "cpu", "11", NULL), BR_OK);
    assert_int_equal(br_instance_create(*dag, *cluster, &in, NULL), BR_OK);
    return in;
}

/* Counts of work end it where conflicts do not: decisions by tasks, and the more the more ticks. */
static void work_ends_it(void **state)
{
    enum { TASKS = 40, WORK = 40000 };
    static const int64_t longest_s[] = {100, 10000};
    for (size_t k = 0; k < 2; k++) {
        struct br_dag *dag;
        struct br_cluster *cluster;
        struct br_instance *in = pool_of(TASKS, 1, longest_s[k], &dag, &cluster);
        struct br_exact_effort effort = {.conflicts = 1000000, .work = WORK};
        struct br_certificate *c = br_exact_certify(in, &effort);
        assert_non_null(c);
        int64_t ns;
        assert_true(br_certificate_bound(c, &ns));
        /* The first schedule is between the bound and all tasks one after the other. */
        uint64_t least = 1 + (uint64_t)(ns / in->tick_ns) / 10000,
                 spent = effort.counters.exact_decisions;
        print_message("%d decisions, %d conflicts, ticks count %d times\n", (int)spent,
                      (int)effort.counters.exact_conflicts, (int)least);
        assert_true(k == 0 ? least == 1 : least > 5);
        assert_true(spent * TASKS * least <= WORK);
        assert_true(spent * TASKS * least > WORK / 2);
        br_certificate_destroy(c);
        br_instance_destroy(in);
        br_cluster_destroy(cluster);
        br_dag_destroy(dag);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(best_lines_are_found),
        cmocka_unit_test(every_bound_has_its_proof),
        cmocka_unit_test(the_better_parts_are_taken),
        cmocka_unit_test(other_stages_are_other_parts),
        cmocka_unit_test(chains_go_through_single_tasks),
        cmocka_unit_test(windows_of_single_tasks),
        cmocka_unit_test(windows_give_way_to_what_must_run),
        cmocka_unit_test(sums_stay_within_63_bits),
        cmocka_unit_test(few_measures_make_claims),
        cmocka_unit_test(unused_measures_are_dropped),
        cmocka_unit_test(work_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
