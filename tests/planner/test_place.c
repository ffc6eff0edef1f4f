/* Subsets and placement: closing T, the four orders without dead ends and the two with, and bulk
 * placement against one search a task. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/numbers/rng.h"
#include "generate/generate.h"
#include "planner/graphene/graphene.h"
#include "planner/schedule/order.h"
#include "planner/schedule/place.h"
#include "planner/graphene/score.h"
#include "planner/graphene/subset.h"
#include "tests/support/precedence.h"
#include "tests/support/random_job.h"

enum { JOBS = 2500, TASKS = 24 };

struct fixture {
    struct random_job job;
    struct br_instance *in;
    struct br_order order[2];
    char *letter, *scratch;
};

/* The rest of a fixture that holds a job. */
static void prepare_fixture(struct fixture *f)
{
    struct br_reach reach;
    assert_int_equal(br_instance_create(f->job.dag, f->job.cluster, &f->in, NULL), BR_OK);
    struct br_key *key = calloc(f->in->tasks, sizeof *key);
    assert_true(br_reach_init(&reach, f->in));
    for (int d = 0; d < 2; d++) {
        br_key_longest(f->in, &reach, d ? BR_BACKWARD : BR_FORWARD, key);
        assert_true(br_order_init(&f->order[d], f->in, key));
    }
    br_reach_finish(&reach);
    free(key);
    f->letter = malloc(f->in->tasks);
    f->scratch = malloc(2 * ((size_t)f->in->tasks + f->in->stages));
}

static void open_fixture(struct fixture *f, uint64_t seed)
{
    assert_true(random_job_make(seed, TASKS, 0, &f->job));
    prepare_fixture(f);
}

static void generate_fixture(struct fixture *f, const char *kind, uint32_t tasks, uint32_t machines,
                             double spread, uint64_t seed)
{
    static const char *const resource[][2] = {
        {"cpu", "16"}, {"mem", "68719476736"}, {"net", "1000"}, {"disk", "1000"}};
    struct br_generate_options options = br_generate_options_default();
    options.kind = kind;
    options.tasks = tasks;
    options.spread = spread;
    options.seed = seed;
    assert_int_equal(br_generate(&options, &f->job.dag, NULL), BR_OK);
    f->job.cluster = br_cluster_create(NULL);
    assert_int_equal(br_cluster_add_class(f->job.cluster, "m", machines, NULL, NULL), BR_OK);
    for (int r = 0; r < 4; r++)
        assert_int_equal(
            br_cluster_add_capacity(f->job.cluster, 0, resource[r][0], resource[r][1], NULL),
            BR_OK);
    prepare_fixture(f);
}

static void close_fixture(struct fixture *f)
{
    for (int d = 0; d < 2; d++)
        br_order_finish(&f->order[d]);
    free(f->letter);
    free(f->scratch);
    br_instance_destroy(f->in);
    random_job_finish(&f->job);
}

static void choose_trouble(struct fixture *f, struct br_rng *rng)
{
    uint64_t share = 1 + br_rng_below(rng, 4);
    for (uint32_t t = 0; t < f->in->tasks; t++)
        f->letter[t] = br_rng_below(rng, 6) < share ? 'T' : 'S';
}

static void test_division(void **state)
{
    for (uint64_t seed = 0; seed < JOBS / 2; seed++) {
        struct fixture f;
        struct br_rng rng = br_rng_seed(seed);
        open_fixture(&f, seed);
        uint32_t n = f.in->tasks;
        char *before = precedence_closure(f.in), *chosen = malloc(n);
        choose_trouble(&f, &rng);
        memcpy(chosen, f.letter, n);
        br_subset_divide(f.in, f.letter, f.scratch);
        for (uint32_t v = 0; v < n; v++) {
            int ancestor = 0, descendant = 0;
            for (uint32_t t = 0; t < n; t++)
                if (chosen[t] == 'T') {
                    ancestor |= before[v * n + t];
                    descendant |= before[t * n + v];
                }
            char want = chosen[v] == 'T' || (ancestor && descendant) ? 'T'
                        : ancestor                                   ? 'P'
                        : descendant                                 ? 'C'
                                                                     : 'S';
            assert_int_equal(f.letter[v], want);
        }
        free(before);
        free(chosen);
        close_fixture(&f);
    }
}

/* A violated arc is a dead end that was run into: the placement has no way to avoid it. */
static int respects_arcs(const struct fixture *f, const struct br_placer *placer)
{
    const struct br_instance *in = f->in;
    const int64_t *start = br_placer_start(placer);
    char *before = precedence_edges(in);
    int kept = 1;
    for (uint32_t x = 0; x < in->tasks; x++)
        for (uint32_t y = 0; y < in->tasks; y++)
            kept &= !before[x * in->tasks + y] || start[y] >= start[x] + in->duration[x];
    free(before);
    return kept;
}

/* "T> S< C> P<": places the subsets as it says; whether no dead end was met. */
static int run_order(const struct fixture *f, const char *steps, int plain, int64_t *starts,
                     uint32_t *machines)
{
    struct br_placer *placer = br_placer_create(f->in);
    br_placer_set_plain(placer, plain);
    for (; *steps; steps += steps[2] ? 3 : 2) {
        enum br_direction d = steps[1] == '>' ? BR_FORWARD : BR_BACKWARD;
        assert_true(br_place(placer, d, f->letter, steps[0], &f->order[d], NULL));
    }
    int good = respects_arcs(f, placer);
    assert_int_equal(br_placer_placements(placer), f->in->tasks);
    if (starts) {
        memcpy(starts, br_placer_start(placer), f->in->tasks * sizeof *starts);
        memcpy(machines, br_placer_machine(placer), f->in->tasks * sizeof *machines);
    }
    br_placer_destroy(placer);
    return good;
}

static const char *const forbidden[] = {
    "T> P< C> S>",
    "T> P< C> S<",
    "T> C> P< S>",
    "T> C> P< S<",
};

static void test_dead_ends(void **state)
{
    unsigned placements = 0, met[4] = {0};
    for (uint64_t seed = 0; seed < JOBS; seed++) {
        struct fixture f;
        struct br_rng rng = br_rng_seed(seed + 1000000);
        open_fixture(&f, seed);
        choose_trouble(&f, &rng);
        br_subset_divide(f.in, f.letter, f.scratch);
        for (uint32_t k = 0; br_graphene_order(k); k++, placements++)
            assert_true(run_order(&f, br_graphene_order(k), 0, NULL, NULL));
        for (size_t k = 0; k < 4; k++)
            met[k] += !run_order(&f, forbidden[k], 0, NULL, NULL);
        close_fixture(&f);
    }
    assert_true(placements >= 20000);
    for (size_t k = 0; k < 4; k++) /* each of the forbidden orders runs into some */
        assert_true(met[k] > 0);
    print_message("%u placements without a dead end; forbidden orders met %u, %u, %u, %u in %u\n",
                  placements, met[0], met[1], met[2], met[3], (unsigned)JOBS);
}

/* The order in which tasks are taken: always the first that waits for nothing. */
static void take_ready(const struct fixture *f, const struct br_order *order, bool forward,
                       struct br_key *key)
{
    const uint32_t n = f->in->tasks;
    char *before = precedence_edges(f->in), *taken = calloc(n, 1);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t next = UINT32_MAX;
        for (uint32_t t = 0; t < n; t++) {
            bool ready = !taken[t];
            for (uint32_t u = 0; u < n && ready; u++)
                ready = taken[u] || !(forward ? before[u * n + t] : before[t * n + u]);
            if (ready && (next == UINT32_MAX || order->place[t] < order->place[next]))
                next = t;
        }
        taken[next] = 1;
        key[next] = (struct br_key){.first = -(int64_t)k};
    }
    free(before);
    free(taken);
}

/* A whole job in any order is placed as in the order in which its tasks become ready, which needs
 * no heap. */
static void test_order_of_ready_tasks(void **state)
{
    uint32_t differ = 0;
    for (uint64_t seed = 0; seed < JOBS / 4; seed++) {
        struct fixture f;
        struct br_rng rng = br_rng_seed(seed);
        open_fixture(&f, seed);
        const uint32_t n = f.in->tasks;
        struct br_key *key = calloc(n, sizeof *key);
        int64_t *start = calloc(2 * (size_t)n, sizeof *start);
        uint32_t *machine = calloc(2 * (size_t)n, sizeof *machine);
        memset(f.letter, 'S', n);
        for (int d = 0; d < 2; d++) {
            for (uint32_t t = 0; t < n; t++)
                key[t] = (struct br_key){.first = (int64_t)br_rng_below(&rng, 1000)};
            br_order_finish(&f.order[d]);
            assert_true(br_order_init(&f.order[d], f.in, key));
            run_order(&f, d ? "S<" : "S>", 0, start, machine);
            take_ready(&f, &f.order[d], d == 0, key);
            struct br_order any = f.order[d];
            assert_true(br_order_init(&f.order[d], f.in, key));
            differ += memcmp(any.place, f.order[d].place, n * sizeof *any.place) != 0;
            br_order_finish(&any);
            run_order(&f, d ? "S<" : "S>", 0, start + n, machine + n);
            assert_memory_equal(start, start + n, n * sizeof *start);
            assert_memory_equal(machine, machine + n, n * sizeof *machine);
        }
        free(key);
        free(start);
        free(machine);
        close_fixture(&f);
    }
    assert_true(differ > JOBS / 4);
}

static void test_bulk_is_plain(void **state)
{
    for (uint64_t seed = 0; seed < JOBS; seed++) {
        struct fixture f;
        struct br_rng rng = br_rng_seed(seed + 2000000);
        int64_t starts[2][RANDOM_JOB_TASKS];
        uint32_t machines[2][RANDOM_JOB_TASKS];
        open_fixture(&f, seed);
        choose_trouble(&f, &rng);
        br_subset_divide(f.in, f.letter, f.scratch);
        for (uint32_t k = 0; br_graphene_order(k); k++) {
            for (int plain = 0; plain < 2; plain++)
                run_order(&f, br_graphene_order(k), plain, starts[plain], machines[plain]);
            assert_memory_equal(starts[0], starts[1], f.in->tasks * sizeof starts[0][0]);
            assert_memory_equal(machines[0], machines[1], f.in->tasks * sizeof machines[0][0]);
        }
        close_fixture(&f);
    }
}

/* The same on jobs with stages of many tasks, of equal and unequal lengths, joined by barriers and
 * one to one. */
static void test_many_are_plain(void **state)
{
    static const struct {
        const char *kind;
        uint32_t tasks, machines;
        double spread;
    } jobs[] = {{"cosmos", 1500, 7, 0},     {"cosmos", 1500, 7, 0.3}, {"cosmos", 800, 40, 0.3},
                {"layered", 1500, 12, 0.3}, {"layered", 1500, 60, 0}, /* more machines than are
                                                                         looked at together */
                {"layered", 1500, 3, 0}};
    enum { KINDS = sizeof jobs / sizeof jobs[0] };
    for (uint64_t seed = 0; seed < 2 * KINDS; seed++) {
        struct fixture f = {0};
        struct br_rng rng = br_rng_seed(seed + 4000000);
        generate_fixture(&f, jobs[seed % KINDS].kind, jobs[seed % KINDS].tasks,
                         jobs[seed % KINDS].machines, jobs[seed % KINDS].spread, seed);
        uint32_t n = f.in->tasks;
        int64_t *starts[2] = {malloc(n * sizeof **starts), malloc(n * sizeof **starts)};
        uint32_t *machines[2] = {malloc(n * sizeof **machines), malloc(n * sizeof **machines)};
        for (uint32_t k = 0; br_graphene_order(k); k++) {
            for (uint32_t t = 0; t < n; t++)
                f.letter[t] = br_rng_below(&rng, 12) == 0 ? 'T' : 'S';
            br_subset_divide(f.in, f.letter, f.scratch);
            for (int plain = 0; plain < 2; plain++)
                run_order(&f, br_graphene_order(k), plain, starts[plain], machines[plain]);
            assert_memory_equal(starts[0], starts[1], n * sizeof **starts);
            assert_memory_equal(machines[0], machines[1], n * sizeof **machines);
        }
        for (int k = 0; k < 2; k++) {
            free(starts[k]);
            free(machines[k]);
        }
        close_fixture(&f);
    }
}

/* A level that is closed leaves nothing behind: placing again gives the same. */
static void test_levels(void **state)
{
    for (uint64_t seed = 0; seed < JOBS / 5; seed++) {
        struct fixture f;
        struct br_rng rng = br_rng_seed(seed + 3000000);
        int64_t starts[RANDOM_JOB_TASKS];
        open_fixture(&f, seed);
        choose_trouble(&f, &rng);
        br_subset_divide(f.in, f.letter, f.scratch);
        struct br_placer *placer = br_placer_create(f.in);
        for (int round = 0; round < 3; round++) {
            assert_true(br_placer_push(placer));
            assert_true(br_place(placer, BR_FORWARD, f.letter, 'T', &f.order[0], NULL));
            assert_true(br_placer_push(placer));
            assert_true(br_place(placer, BR_BACKWARD, f.letter, 'S', &f.order[1], NULL));
            br_placer_pop(placer);
            assert_true(br_place(placer, BR_FORWARD, f.letter, 'S', &f.order[0], NULL));
            if (round == 0)
                memcpy(starts, br_placer_start(placer), f.in->tasks * sizeof *starts);
            assert_memory_equal(starts, br_placer_start(placer), f.in->tasks * sizeof *starts);
            br_placer_pop(placer);
            for (uint32_t t = 0; t < f.in->tasks; t++)
                assert_int_equal(br_placer_start(placer)[t], BR_UNPLACED);
        }
        br_placer_destroy(placer);
        close_fixture(&f);
    }
}

/* A stop that is asked for is seen within a pass, however long, and not waited for. */
static void test_stop(void **state)
{
    struct fixture f = {0};
    struct br_stop stop = {0};
    generate_fixture(&f, "layered", 6000, 12, 0.3, 1);
    memset(f.letter, 'S', f.in->tasks);
    struct br_placer *placer = br_placer_create(f.in);
    assert_true(br_placer_push(placer));
    assert_true(br_place(placer, BR_FORWARD, f.letter, 'S', &f.order[0], &stop));
    br_placer_pop(placer);
    br_stop_raise(&stop);
    for (int round = 0; round < 2; round++) { /* in the first pass of a placer, and in another */
        uint32_t placed = 0;
        if (round == 0) {
            br_placer_destroy(placer);
            placer = br_placer_create(f.in);
        }
        assert_true(br_placer_push(placer));
        assert_false(br_place(placer, BR_FORWARD, f.letter, 'S', &f.order[0], &stop));
        for (uint32_t t = 0; t < f.in->tasks; t++)
            placed += br_placer_start(placer)[t] != BR_UNPLACED;
        assert_uint_in_range(placed, 100, 3000);
        br_placer_pop(placer);
    }
    br_placer_destroy(placer);
    close_fixture(&f);
}

/* p leaves 4 of 10 a and all b of the first machine, q leaves 5 of 10 a and 8 of 10 b of the
 * second. The free shares along x's demand of 1 and 1 are 0.04 + 0.1 and 0.05 + 0.08: the second is
 * the tighter. With b counting a tenth they are 0.04 + 0.01 and 0.05 + 0.008: the first is. */
static void test_weights(void **state)
{
    static const char *const demand[][2] = {{"6", "0"}, {"5", "2"}, {"1", "1"}};
    static const double a_tenth[] = {1, 0.1};
    struct fixture f = {0};
    f.job.dag = br_dag_create("weights");
    f.job.cluster = br_cluster_create(NULL);
    assert_int_equal(br_cluster_add_class(f.job.cluster, "m", 2, NULL, NULL), BR_OK);
    for (int r = 0; r < 2; r++)
        assert_int_equal(br_cluster_add_capacity(f.job.cluster, 0, r ? "b" : "a", "10", NULL),
                         BR_OK);
    for (uint32_t s = 0; s < 3; s++) {
        assert_int_equal(br_dag_add_stage(f.job.dag,
                                          s == 2 ? "x"
                                          : s    ? "q"
                                                 : "p",
                                          1, 1, NULL, NULL),
                         BR_OK);
        for (int r = 0; r < 2; r++)
            assert_int_equal(br_dag_add_demand(f.job.dag, s, r ? "b" : "a", demand[s][r], NULL),
                             BR_OK);
    }
    assert_int_equal(br_dag_finish(f.job.dag, NULL), BR_OK);
    prepare_fixture(&f);
    memcpy(f.letter, "SST", 3);
    struct br_placer *placer = br_placer_create(f.in);
    for (int round = 0; round < 3; round++) {
        br_placer_set_weights(placer, round == 1 ? a_tenth : NULL);
        assert_true(br_placer_push(placer));
        assert_true(br_placer_put(placer, 0, 0, 0));
        assert_true(br_placer_put(placer, 1, 0, 1));
        assert_true(br_place(placer, BR_FORWARD, f.letter, 'T', &f.order[0], NULL));
        assert_int_equal(br_placer_start(placer)[2], 0);
        assert_int_equal(br_placer_machine(placer)[2], round == 1 ? 0 : 1);
        br_placer_pop(placer);
    }
    br_placer_destroy(placer);
    close_fixture(&f);
}

static struct br_dag *three_stages(void)
{
    static const int64_t durations[] = {4, 3, 2};
    struct br_dag *dag = br_dag_create("scores");
    uint32_t wide, tiny, idle;
    assert_int_equal(br_dag_add_stage(dag, "wide", 3, 1, &wide, NULL), BR_OK);
    assert_int_equal(br_dag_add_stage(dag, "tiny", 4, 2, &tiny, NULL), BR_OK);
    assert_int_equal(br_dag_add_stage(dag, "idle", 2, 0, &idle, NULL), BR_OK);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(br_dag_set_duration(dag, wide, i, durations[i], NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(dag, wide, "cpu", "3", NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(dag, wide, "mem", "1", NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(dag, tiny, "mem", "1", NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(dag, idle, "cpu", "4", NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    return dag;
}

/* Scores by hand, on two machines of 4 cpu and 8 mem each.
 * wide: a machine has room for one of its tasks (3 of 4 cpu), so 4 runs beside 3 + 2: ExecTime 5;
 * TWork = 3 x 9 / 8 = 3.375 by cpu (by mem 9 / 16), at least the longest task, 4, by the bound.
 * tiny: all four at once, ExecTime 2; TWork = 8 / 16 = 0.5, by the bound 2.
 * idle: takes no time, 1. */
static void test_scores(void **state)
{
    struct br_dag *dag = three_stages();
    struct br_cluster *cluster = br_cluster_create(NULL);
    struct br_instance *in;
    struct br_scores bound, paper, few;
    assert_int_equal(br_cluster_add_class(cluster, "m", 2, NULL, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, 0, "cpu", "4", NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, 0, "mem", "8", NULL), BR_OK);
    assert_int_equal(br_instance_create(dag, cluster, &in, NULL), BR_OK);
    assert_true(br_scores_init(&bound, in, BR_FRAG_BOUND, 0));
    assert_true(br_scores_init(&paper, in, BR_FRAG_PAPER, 0));
    assert_true(bound.frag[0] == 4.0 / 5 && bound.frag[1] == 1 && bound.frag[2] == 1);
    assert_true(paper.frag[0] == 3.375 / 5 && paper.frag[1] == 0.25 && paper.frag[2] == 1);
    assert_int_equal(bound.frag_count, 2);
    assert_true(bound.frag_value[0] == 4.0 / 5 && bound.frag_value[1] == 1);
    assert_int_equal(paper.frag_count, 3);
    assert_true(paper.frag_value[0] == 0.25 && paper.frag_value[2] == 1);
    assert_int_equal(paper.longest, 4);
    assert_int_equal(paper.long_count, 4);
    for (int64_t k = 0; k < 3; k++)
        assert_int_equal(paper.long_value[k], 4 - k);
    assert_int_equal(paper.long_value[3], 0);
    /* Thinned: the first, the last, and what lies evenly between, rounded down. */
    assert_true(br_scores_init(&few, in, BR_FRAG_PAPER, 3));
    assert_int_equal(few.long_count, 3);
    assert_true(few.long_value[0] == 4 && few.long_value[1] == 3 && few.long_value[2] == 0);
    br_scores_finish(&few);
    assert_true(br_scores_init(&few, in, BR_FRAG_PAPER, 1));
    assert_int_equal(few.long_count, 1);
    assert_int_equal(few.long_value[0], 4);
    br_scores_finish(&few);

    /* The work, duration x largest share: wide 9 x 3/8, tiny 8 x 1/16, idle none; 3.875 in all.
     * By the bound l = 4, f = 0.8 are thresholds: wide alone is T, 3.375 of it, 87 %. */
    struct br_troubles all, some;
    assert_true(br_troubles_init(&all, in, &bound, 1, NULL));
    assert_true(br_troubles_init(&some, in, &bound, 0.86, NULL));
    assert_int_equal(all.pairs, 5 * 3);
    assert_int_equal(all.pairs, all.count + all.duplicate);
    assert_true(some.pruned > 0 && some.count + some.pruned + some.duplicate == some.pairs);
    for (uint32_t k = 0; k < some.count; k++)
        assert_true((some.set[k].bits[0] & 7) != 7);
    bool whole = false;
    for (uint32_t k = 0; k < all.count; k++)
        whole |= all.set[k].bits[0] == 7;
    assert_true(whole);
    br_troubles_finish(&all);
    br_troubles_finish(&some);
    br_scores_finish(&bound);
    br_scores_finish(&paper);
    br_instance_destroy(in);
    br_cluster_destroy(cluster);
    br_dag_destroy(dag);
}

static bool holds_set(const struct br_troubles *troubles, const uint64_t *bits)
{
    bool found = false;
    for (uint32_t k = 0; k < troubles->count; k++)
        found |= memcmp(troubles->set[k].bits, bits, troubles->words * sizeof *bits) == 0;
    return found;
}

/* Without a limit on the thresholds every set is there that a limit leaves, and more where there
 * are more values than the limit; else the limit changes nothing. */
static void test_thresholds(void **state)
{
    unsigned more = 0, same = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct fixture f = {0};
        struct br_scores scores[2];
        struct br_troubles all, few;
        if (seed < 6)
            generate_fixture(&f, seed % 2 ? "layered" : "cosmos", 60, 4, 0.5, seed);
        else
            open_fixture(&f, seed);
        assert_true(br_scores_init(&scores[0], f.in, BR_FRAG_BOUND, 0));
        assert_true(br_scores_init(&scores[1], f.in, BR_FRAG_BOUND, 16));
        assert_true(br_troubles_init(&all, f.in, &scores[0], 1, NULL));
        assert_true(br_troubles_init(&few, f.in, &scores[1], 1, NULL));
        assert_true(all.count >= few.count);
        for (uint32_t k = 0; k < few.count; k++)
            assert_true(holds_set(&all, few.set[k].bits));
        if (scores[0].long_count <= 16 && scores[0].frag_count <= 16) {
            assert_int_equal(all.pairs, few.pairs);
            assert_int_equal(all.count, few.count);
            same++;
        } else {
            assert_true(all.pairs > few.pairs && few.pairs <= 17 * 17);
            more += all.count > few.count;
        }
        br_troubles_finish(&all);
        br_troubles_finish(&few);
        br_scores_finish(&scores[0]);
        br_scores_finish(&scores[1]);
        close_fixture(&f);
    }
    assert_true(more > 0 && same > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_division),
        cmocka_unit_test(test_dead_ends),
        cmocka_unit_test(test_order_of_ready_tasks),
        cmocka_unit_test(test_bulk_is_plain),
        cmocka_unit_test(test_many_are_plain),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_scores),
        cmocka_unit_test(test_thresholds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
