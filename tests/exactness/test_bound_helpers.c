/* The arithmetic of bounds and that of the check of their proofs, which share no code, against a
 * third, slow and plain: the rounds and slots of a stage, rounds of copies on lines, the most worth
 * of one line, the heaviest set that fits a machine, and which stages are wholly ahead of which. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/numbers/rng.h"
#include "planner/bounds/closure.h"
#include "planner/bounds/measure.h"
#include "planner/bounds/packing.h"
#include "planner/bounds/rounds.h"
#include "planner/check/proofs/ahead.h"
#include "planner/check/proofs/heavy.h"
#include "planner/check/proofs/lines.h"
#include "tests/support/precedence.h"
#include "tests/support/random_job.h"

enum { JOBS = 3000, MOST = 40 };

struct fixture {
    struct random_job job;
    struct br_instance *in;
};

static void open_fixture(struct fixture *f, uint64_t seed, uint32_t tasks)
{
    assert_true(random_job_make(seed, tasks, 0, &f->job));
    assert_int_equal(br_instance_create(f->job.dag, f->job.cluster, &f->in, NULL), BR_OK);
}

static void close_fixture(struct fixture *f)
{
    br_instance_destroy(f->in);
    random_job_finish(&f->job);
}

/* Takes the longest out until none is left. */
static void sort_downwards(int64_t *d, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = i + 1; k < n; k++)
            if (d[k] > d[i]) {
                int64_t swap = d[i];
                d[i] = d[k];
                d[k] = swap;
            }
}

/* The definition: of the q x slots + 1 longest the q + 1 shortest, the longest, and work by slots.
 */
static int64_t slow_rounds(int64_t *d, uint32_t n, int64_t slots)
{
    int64_t sum = 0, best = 0;
    sort_downwards(d, n);
    for (uint32_t i = 0; i < n; i++)
        sum += d[i];
    while (best * slots < sum)
        best++;
    for (int64_t q = 0; q * slots < n; q++) {
        int64_t share = 0;
        for (int64_t i = q * slots - q; i <= q * slots; i++)
            share += d[i];
        best = share > best ? share : best;
    }
    return best;
}

static uint64_t slow_slots(const struct br_instance *in, uint32_t s, uint64_t most)
{
    uint64_t slots = 0;
    for (uint32_t m = 0; m < in->machines; m++) {
        const int64_t *held = in->capacity + br_instance_machine_class(in, m) * in->resources;
        for (uint64_t n = 1; n <= most; n++) {
            bool fits = true;
            for (uint32_t r = 0; r < in->resources; r++)
                fits &= (int64_t)n * in->demand[s * in->resources + r] <= held[r];
            if (!fits)
                break;
            slots++;
        }
    }
    return slots < most ? slots : most;
}

static void slots_and_rounds_of_stages(void **state)
{
    uint32_t several = 0, shared = 0;
    for (uint64_t seed = 1; seed <= JOBS; seed++) {
        struct fixture f;
        open_fixture(&f, seed, MOST);
        const struct br_instance *in = f.in;
        for (uint32_t s = 0; s < in->stages; s++) {
            uint32_t n = in->stage_first[s + 1] - in->stage_first[s];
            int64_t d[RANDOM_JOB_TASKS], scratch[RANDOM_JOB_TASKS];
            uint64_t slots = slow_slots(in, s, n);
            for (uint64_t most = 1; most <= n; most++)
                assert_int_equal(br_stage_slots(in, s, most), slots < most ? slots : most);
            memcpy(d, in->duration + in->stage_first[s], n * sizeof *d);
            int64_t rounds = slow_rounds(d, n, (int64_t)slots);
            struct br_line_copies copies[RANDOM_JOB_TASKS];
            assert_int_equal(br_stage_waves(in, s, scratch), rounds);
            assert_int_equal(br_alone_slots(in, s), slots);
            assert_int_equal(br_alone_rounds(in, s, copies), rounds);
            several += slots > 1 && slots < n;
            shared += slots < n && d[0] != d[n - 1];
        }
        close_fixture(&f);
    }
    assert_true(several > JOBS / 10 && shared > JOBS / 10);
}

static void rounds_of_copies(void **state)
{
    struct br_rng rng = br_rng_seed(1);
    uint32_t limited = 0;
    for (int round = 0; round < 20000; round++) {
        struct br_copies group[6];
        int64_t d[80], capacity = 1 + (int64_t)br_rng_below(&rng, 7), last = 40;
        uint32_t groups = 1 + (uint32_t)br_rng_below(&rng, 5), n = 0;
        for (uint32_t k = 0; k < groups; k++) {
            last -= (int64_t)br_rng_below(&rng, 8);
            group[k] = (struct br_copies){last, 1 + (int64_t)br_rng_below(&rng, 12)};
            for (int64_t i = 0; i < group[k].count; i++)
                d[n++] = last;
        }
        int64_t slow = slow_rounds(d, n, capacity);
        assert_int_equal(br_rounds(group, groups, capacity, UINT32_MAX), slow);
        struct br_line_copies copies[6]; /* in any order */
        for (uint32_t k = 0; k < groups; k++)
            copies[k] = (struct br_line_copies){group[groups - 1 - k].duration,
                                                group[groups - 1 - k].count};
        assert_int_equal(br_lines_time(copies, groups, capacity), slow);
        int64_t few = br_rounds(group, groups, capacity, 1);
        assert_true(few <= slow && few >= d[0]);
        limited += few < slow;
    }
    assert_true(limited > 0);
}

/* Can a machine that may leave tasks and take them up again run so many of each kind, one tick
 * after the other? The one whose line ends first goes first [Carlier82]. */
static bool slow_line(const struct br_valued *kind, uint32_t kinds, const int64_t *number,
                      int64_t length)
{
    int64_t left[6] = {0};
    for (uint32_t k = 0; k < kinds; k++)
        left[k] = number[k] * kind[k].duration;
    for (int64_t now = 0; now < length; now++) {
        uint32_t next = UINT32_MAX;
        for (uint32_t k = 0; k < kinds; k++)
            if (left[k] > 0 && kind[k].before <= now &&
                (next == UINT32_MAX || kind[k].behind > kind[next].behind))
                next = k;
        if (next != UINT32_MAX && now < length - kind[next].behind)
            left[next]--;
    }
    for (uint32_t k = 0; k < kinds; k++)
        if (left[k] > 0)
            return false;
    return true;
}

/* The most worth on a line, by trying all numbers of kind k and those behind it. */
static int64_t slow_worth(const struct br_valued *kind, uint32_t kinds, uint32_t k, int64_t *number,
                          int64_t length)
{
    int64_t best = 0;
    if (k == kinds) {
        for (uint32_t i = 0; i < kinds; i++)
            best += number[i] * kind[i].value;
        return slow_line(kind, kinds, number, length) ? best : 0;
    }
    for (number[k] = 0; number[k] <= kind[k].count; number[k]++) {
        int64_t worth = slow_worth(kind, kinds, k + 1, number, length);
        best = worth > best ? worth : best;
    }
    return best;
}

static void worth_of_lines(void **state)
{
    struct br_rng rng = br_rng_seed(1);
    for (int round = 0; round < 2000; round++) {
        struct br_valued kind[6];
        int64_t length = (int64_t)br_rng_below(&rng, 60), number[6];
        uint32_t kinds = (uint32_t)br_rng_below(&rng, 6);
        const uint32_t late = round % 3 ? 20 : 1; /* a third with the whole line for all */
        for (uint32_t k = 0; k < kinds; k++)
            kind[k] = (struct br_valued){
                1 + (int64_t)br_rng_below(&rng, 20), (int64_t)br_rng_below(&rng, 15),
                (int64_t)br_rng_below(&rng, 5), (int64_t)br_rng_below(&rng, late),
                (int64_t)br_rng_below(&rng, late)};
        int64_t best = slow_worth(kind, kinds, 0, number, length);
        assert_int_equal(br_line_worth_more(kind, kinds, length, best), BR_LINE_NO);
        assert_int_equal(br_line_worth_more(kind, kinds, length, best + 1), BR_LINE_NO);
        assert_int_equal(br_line_worth_more(kind, kinds, length, best - 1), BR_LINE_YES);
        assert_int_equal(br_line_worth_more(kind, kinds, length, -1), BR_LINE_YES);
    }
}

/* A search that would not end is given up. Each kind takes an even time and the line is odd, so
 * that the last tick stays empty; what tasks are worth for their time is equal, so that no bound
 * tells. */
static void endless_lines_are_left_open(void **state)
{
    struct br_valued kind[BR_VALUED_MOST];
    int64_t length = 1;
    for (uint32_t k = 0; k < BR_VALUED_MOST; k++) {
        int64_t duration = 1000002 + 2 * (int64_t)(k * k);
        kind[k] = (struct br_valued){duration, duration, 1, 0, 0};
        length += k % 2 ? duration : 0;
    }
    assert_int_equal(br_line_worth_more(kind, BR_VALUED_MOST, length, length - 1), BR_LINE_OPEN);
    assert_int_equal(br_line_worth_more(kind, BR_VALUED_MOST, length, length), BR_LINE_NO);
}

/* Pairs of stages of which all tasks are ancestors of all tasks, by paths between tasks. */
static void slow_ahead(const struct br_instance *in, bool *ahead)
{
    uint32_t n = in->tasks;
    char *path = precedence_closure(in);
    assert_non_null(path);
    for (uint32_t u = 0; u < in->stages; u++)
        for (uint32_t s = 0; s < in->stages; s++) {
            bool all = true;
            for (uint32_t i = in->stage_first[u]; i < in->stage_first[u + 1]; i++)
                for (uint32_t j = in->stage_first[s]; j < in->stage_first[s + 1]; j++)
                    all &= path[i * n + j] != 0;
            ahead[u * in->stages + s] = all;
        }
    free(path);
}

static void stages_wholly_ahead(void **state)
{
    uint32_t ordered = 0, loose = 0;
    for (uint64_t seed = 1; seed <= JOBS / 3; seed++) {
        struct fixture f;
        struct br_closure closure;
        bool ahead[RANDOM_JOB_TASKS * RANDOM_JOB_TASKS];
        open_fixture(&f, seed, MOST);
        slow_ahead(f.in, ahead);
        assert_true(br_closure_init(&closure, f.in));
        struct br_arena arena = {0};
        struct br_ahead checked;
        assert_true(br_ahead_init(&checked, &arena, f.in));
        for (uint32_t u = 0; u < f.in->stages; u++)
            for (uint32_t s = 0; s < f.in->stages; s++) {
                bool before = ahead[u * f.in->stages + s];
                assert_int_equal(br_closure_bit(closure.before, closure.words, s, u), before);
                assert_int_equal(br_closure_bit(closure.after, closure.words, u, s), before);
                assert_int_equal(br_is_ahead(&checked, u, s), before);
                ordered += before;
                loose += !before;
            }
        br_closure_finish(&closure);
        br_arena_finish(&arena);
        close_fixture(&f);
    }
    assert_true(ordered > JOBS && loose > JOBS);
}

/* More stages than a word has bits: 200 of one or two tasks, with edges of both kinds. */
static void many_stages_wholly_ahead(void **state)
{
    enum { STAGES = 200 };
    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct br_rng rng = br_rng_seed(seed);
        struct br_dag *dag = br_dag_create("many");
        struct br_cluster *cluster = br_cluster_create("one");
        struct br_instance *in;
        struct br_arena arena = {0};
        struct br_ahead checked;
        uint32_t ordered = 0;
        bool *ahead = calloc((size_t)STAGES * STAGES, sizeof *ahead);
        assert_non_null(ahead);
        for (uint32_t s = 0; s < STAGES; s++) {
            char id[16];
            snprintf(id, sizeof id, "s%u", s);
            assert_int_equal(br_dag_add_stage(dag, id, 1 + s / (STAGES / 4) % 2, 1, NULL, NULL),
                             BR_OK);
            for (uint32_t u = s < 9 ? 0 : s - 9; u < s; u++)
                if (br_rng_below(&rng, 6) == 0)
                    assert_int_equal(br_dag_add_edge(dag, u, s,
                                                     u / (STAGES / 4) == s / (STAGES / 4) &&
                                                             br_rng_below(&rng, 3)
                                                         ? BR_ONE_TO_ONE
                                                         : BR_BARRIER,
                                                     NULL),
                                     BR_OK);
        }
        assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
        assert_int_equal(br_cluster_add_class(cluster, "m", 1, NULL, NULL), BR_OK);
        assert_int_equal(br_instance_create(dag, cluster, &in, NULL), BR_OK);
        slow_ahead(in, ahead);
        assert_true(br_ahead_init(&checked, &arena, in));
        for (uint32_t u = 0; u < STAGES; u++)
            for (uint32_t s = 0; s < STAGES; s++) {
                assert_int_equal(br_is_ahead(&checked, u, s), ahead[u * STAGES + s]);
                ordered += ahead[u * STAGES + s];
            }
        assert_true(ordered > STAGES && ordered < STAGES * STAGES / 2);
        free(ahead);
        br_arena_finish(&arena);
        br_instance_destroy(in);
        br_cluster_destroy(cluster);
        br_dag_destroy(dag);
    }
}

/* Every multiset of tasks, stage after stage. */
struct sets {
    const struct br_instance *in;
    const bool *ahead;
    const int64_t *weight;
    uint32_t cls, number[RANDOM_JOB_TASKS];
    int64_t best;
};

static bool fits(const struct sets *sets, uint32_t stages)
{
    const struct br_instance *in = sets->in;
    for (uint32_t r = 0; r < in->resources; r++) {
        int64_t held = 0;
        for (uint32_t s = 0; s < stages; s++)
            held += sets->number[s] * in->demand[s * in->resources + r];
        if (held > in->capacity[sets->cls * in->resources + r])
            return false;
    }
    return true;
}

static void try_sets(struct sets *sets, uint32_t s, int64_t weight)
{
    const struct br_instance *in = sets->in;
    if (s == in->stages) {
        sets->best = weight > sets->best ? weight : sets->best;
        return;
    }
    bool alone = true;
    for (uint32_t u = 0; u < s; u++)
        alone &= sets->number[u] == 0 ||
                 !(sets->ahead[u * in->stages + s] || sets->ahead[s * in->stages + u]);
    uint32_t most = alone && sets->weight[s] > 0 ? in->stage_first[s + 1] - in->stage_first[s] : 0;
    for (sets->number[s] = 0; sets->number[s] <= most && fits(sets, s + 1); sets->number[s]++)
        try_sets(sets, s + 1, weight + sets->number[s] * sets->weight[s]);
    sets->number[s] = 0;
}

static void heaviest_sets(void **state)
{
    uint32_t mixed = 0, cut = 0, open = 0;
    for (uint64_t seed = 1; seed <= JOBS; seed++) {
        struct fixture f;
        struct br_rng rng = br_rng_seed(seed);
        bool ahead[RANDOM_JOB_TASKS * RANDOM_JOB_TASKS];
        int64_t weight[RANDOM_JOB_TASKS];
        uint32_t stage[RANDOM_JOB_TASKS], tasks[RANDOM_JOB_TASKS];
        open_fixture(&f, seed, 12);
        const struct br_instance *in = f.in;
        slow_ahead(in, ahead);
        for (uint32_t s = 0; s < in->stages; s++)
            stage[s] = s;
        struct br_packing packing = {in, in->stages, stage, ahead};
        struct br_packer *packer = br_packer_create(&packing);
        assert_non_null(packer);
        struct br_arena arena = {0};
        struct br_ahead order;
        assert_true(br_ahead_init(&order, &arena, in));
        struct br_heavy *heavy = br_heavy_create(in, &order, stage, in->stages);
        assert_non_null(heavy);
        for (int round = 0; round < 6; round++) {
            struct sets sets = {.in = in, .ahead = ahead, .weight = weight};
            sets.cls = (uint32_t)br_rng_below(&rng, in->classes);
            for (uint32_t s = 0; s < in->stages; s++)
                weight[s] = (int64_t)br_rng_below(&rng, round % 2 ? 40 : 4) - 1;
            try_sets(&sets, 0, 0);
            int64_t known = round < 3 ? 0 : (int64_t)br_rng_below(&rng, (uint64_t)sets.best + 2);
            int64_t found = -1, nodes = 1000000, sum = 0;
            int64_t most =
                br_packer_heaviest(packer, sets.cls, weight, known, tasks, &found, &nodes);
            assert_int_equal(found, sets.best > known ? sets.best : known);
            assert_true(nodes >= 0 && most == found);
            if (found > known) {
                uint32_t kinds = 0;
                for (uint32_t s = 0; s < in->stages; s++) {
                    sum += tasks[s] * weight[s];
                    sets.number[s] = tasks[s];
                    kinds += tasks[s] > 0;
                    assert_true(tasks[s] <= in->stage_first[s + 1] - in->stage_first[s]);
                    for (uint32_t u = 0; u < s; u++)
                        assert_false(tasks[u] && tasks[s] &&
                                     (ahead[u * in->stages + s] || ahead[s * in->stages + u]));
                }
                assert_true(sum == found && fits(&sets, in->stages));
                mixed += kinds > 1;
            }
            nodes = 1; /* what is left open counts as heavier */
            most = br_packer_heaviest(packer, sets.cls, weight, 0, tasks, &found, &nodes);
            assert_true(most >= sets.best && most >= found && found <= sets.best);
            cut += most > sets.best;
            nodes = 1000000;
            assert_int_equal(br_heaviest(heavy, sets.cls, weight, &nodes), sets.best);
            assert_true(nodes >= 0);
            nodes = 1;
            most = br_heaviest(heavy, sets.cls, weight, &nodes);
            assert_true(most >= sets.best && nodes >= 0);
            open += most > sets.best;
        }
        br_heavy_destroy(heavy);
        br_arena_finish(&arena);
        br_packer_destroy(packer);
        close_fixture(&f);
    }
    assert_true(mixed > JOBS && cut > 0 && open > 0);
}

/* The search for the heaviest set gives branches up where no more can be had of them. Its proofs of
 * that do not change what is found, only how soon, so the nodes are counted: a search that has lost
 * a part of them takes more. Who finds a better one lowers the number. */
static void heaviest_sets_are_found_soon(void **state)
{
    enum { FEW = 120, NODES = 1286 };
    int64_t taken = 0;
    for (uint64_t seed = 1; seed <= FEW; seed++) {
        struct fixture f;
        struct br_rng rng = br_rng_seed(seed);
        bool ahead[RANDOM_JOB_TASKS * RANDOM_JOB_TASKS];
        int64_t weight[RANDOM_JOB_TASKS], found;
        uint32_t stage[RANDOM_JOB_TASKS], tasks[RANDOM_JOB_TASKS];
        struct br_arena arena = {0};
        struct br_ahead order;
        open_fixture(&f, seed, RANDOM_JOB_TASKS);
        const struct br_instance *in = f.in;
        for (uint32_t s = 0; s < in->stages; s++) {
            stage[s] = s;
            weight[s] = 1 + (int64_t)br_rng_below(&rng, 1000);
        }
        slow_ahead(in, ahead);
        assert_true(br_ahead_init(&order, &arena, in));
        struct br_packing packing = {in, in->stages, stage, ahead};
        struct br_packer *packer = br_packer_create(&packing);
        struct br_heavy *heavy = br_heavy_create(in, &order, stage, in->stages);
        assert_true(packer && heavy);
        for (uint32_t cls = 0; cls < in->classes; cls++) {
            int64_t nodes = 1000000, others = 1000000;
            int64_t most = br_heaviest(heavy, cls, weight, &nodes);
            taken += 1000000 - nodes;
            assert_true(nodes > 0);
            assert_int_equal(br_packer_heaviest(packer, cls, weight, 0, tasks, &found, &others),
                             most);
        }
        br_heavy_destroy(heavy);
        br_packer_destroy(packer);
        br_arena_finish(&arena);
        close_fixture(&f);
    }
    assert_int_equal(taken, NODES);
}

/* A resource of which there is none, and of which nothing is demanded, is no measure and no fault;
 * and of a job of many stages few measures are kept, each of which costs the square of the stages.
 */
/* Whether the measure counts every stage at least as much, by capacity, as the threshold does. */
static bool counts_as_much(const struct br_instance *in, const struct br_measure *m,
                           uint32_t resource, int64_t threshold, int64_t capacity)
{
    for (uint32_t s = 0; s < in->stages; s++) {
        int64_t weight = in->demand[(size_t)s * in->resources + resource] / threshold;
        if (m->weight[s] * capacity < weight * m->capacity)
            return false;
    }
    return true;
}

/* How much of the resource all machines hold together, each in whole parts of the threshold. */
static int64_t in_whole_parts(const struct br_instance *in, uint32_t resource, int64_t threshold)
{
    int64_t capacity = 0;
    for (uint32_t c = 0; c < in->classes; c++)
        for (uint32_t m = in->class_first[c]; m < in->class_first[c + 1]; m++)
            capacity += in->capacity[(size_t)c * in->resources + resource] / threshold;
    return capacity;
}

/* Of all thresholds by parts of a demand there is a measure that says as much; and none is there
 * that another one of the same resource makes needless by counting all stages as much. */
static void measures_leave_nothing_out(void **state)
{
    uint32_t thresholds = 0, kept = 0;
    for (uint64_t seed = 1; seed <= 500; seed++) {
        struct random_job job;
        struct br_instance *in;
        struct br_measures all;
        assert_true(random_job_make(seed, 12, 0, &job));
        assert_int_equal(br_instance_create(job.dag, job.cluster, &in, NULL), BR_OK);
        assert_true(br_measures_init(&all, in, false));
        for (uint32_t s = 0; s < in->stages; s++)
            for (uint32_t r = 0; r < in->resources; r++)
                for (int64_t part = 1; part <= 3; part++) {
                    int64_t t = in->demand[(size_t)s * in->resources + r] / part;
                    bool said = t < 2;
                    int64_t capacity = said ? 0 : in_whole_parts(in, r, t);
                    for (uint32_t m = 0; m < all.count && !said; m++)
                        said = counts_as_much(in, &all.measure[m], r, t, capacity);
                    assert_true(said);
                    thresholds++;
                }
        for (uint32_t m = 0; m < all.count; m++) {
            const struct br_measure *one = &all.measure[m];
            if (one->unit == 0)
                continue;
            kept++;
            assert_int_equal(one->capacity, in_whole_parts(in, one->resource, one->unit));
            for (uint32_t k = 0; k < all.count; k++)
                if (k != m && all.measure[k].kind == BR_MEASURE_RESOURCE &&
                    all.measure[k].resource == one->resource &&
                    (all.measure[k].unit == 0 || all.measure[k].capacity == one->capacity))
                    assert_false(counts_as_much(in, &all.measure[k], one->resource, one->unit,
                                                one->capacity));
        }
        br_measures_finish(&all);
        br_instance_destroy(in);
        random_job_finish(&job);
    }
    print_message("%u thresholds, %u measures\n", thresholds, kept);
    assert_true(kept > 500);
}

static void measures_are_few(void **state)
{
    enum { STAGES = 1100, RESOURCES = 3 };
    struct br_dag *dag = br_dag_create("many");
    struct br_cluster *cluster = br_cluster_create("one");
    struct br_rng rng = br_rng_seed(1);
    struct br_measures measures, plain;
    struct br_instance *in;
    assert_int_equal(br_cluster_add_class(cluster, "m", 1, NULL, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, 0, "none", "0", NULL), BR_OK);
    for (uint32_t r = 0; r < RESOURCES; r++) {
        char name[] = {(char)('a' + r), '\0'};
        assert_int_equal(br_cluster_add_capacity(cluster, 0, name, "100", NULL), BR_OK);
    }
    for (uint32_t s = 0; s < STAGES; s++) {
        char id[16];
        snprintf(id, sizeof id, "s%u", s);
        assert_int_equal(
            br_dag_add_stage(dag, id, 1, 1 + (int64_t)br_rng_below(&rng, 100), NULL, NULL), BR_OK);
        assert_int_equal(br_dag_add_demand(dag, s, "none", "0", NULL), BR_OK);
        for (uint32_t r = 0; r < RESOURCES; r++) {
            char name[] = {(char)('a' + r), '\0'}, amount[16];
            snprintf(amount, sizeof amount, "%u", 20 + (unsigned)br_rng_below(&rng, 50));
            assert_int_equal(br_dag_add_demand(dag, s, name, amount, NULL), BR_OK);
        }
    }
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_instance_create(dag, cluster, &in, NULL), BR_OK);
    assert_int_equal(in->resources, RESOURCES);
    assert_true(br_measures_init(&plain, in, true));
    assert_true(br_measures_init(&measures, in, false));
    assert_int_equal(plain.count, RESOURCES);
    assert_int_equal(measures.count, RESOURCES * 3);
    br_measures_finish(&plain);
    br_measures_finish(&measures);
    br_instance_destroy(in);
    br_cluster_destroy(cluster);
    br_dag_destroy(dag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_and_rounds_of_stages),
        cmocka_unit_test(rounds_of_copies),
        cmocka_unit_test(worth_of_lines),
        cmocka_unit_test(endless_lines_are_left_open),
        cmocka_unit_test(stages_wholly_ahead),
        cmocka_unit_test(many_stages_wholly_ahead),
        cmocka_unit_test(heaviest_sets),
        cmocka_unit_test(heaviest_sets_are_found_soon),
        cmocka_unit_test(measures_leave_nothing_out),
        cmocka_unit_test(measures_are_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
