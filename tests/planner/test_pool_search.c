/* The population search: schedules that verify, never worse than what it starts from, the same for
 * any number of threads, no better than the optimum and mostly equal to it, exactly within the
 * limit of placements; and its operators give lists. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/process/stop.h"
#include "planner/instance/rounding.h"
#include "planner/bounds/bounds.h"
#include "planner/exact/exact.h"
#include "planner/schedule/heuristic.h"
#include "planner/instance/plan.h"
#include "planner/rcpsp/breed.h"
#include "planner/search/exact_search.h"
#include "planner/rcpsp/population.h"
#include "tests/support/oracle.h"
#include "tests/support/judge.h"
#include "tests/support/random_job.h"

enum {
    JOBS = 400,
    TASKS = 40,
    ORACLE_JOBS = 4000,
    SMALL = 6,
    SCHEDULES = 400,
    ROUNDS = 20,
    LARGE = 2000
};

struct fixture {
    struct random_job job;
    struct br_instance *in;
    struct br_reach reach;
    struct br_elite elite;
};

/* False where the job has several machines. */
static bool set_up(struct fixture *f, uint64_t seed, uint32_t tasks)
{
    *f = (struct fixture){0};
    assert_true(random_job_make(seed, tasks, 0, &f->job));
    assert_int_equal(br_instance_create(f->job.dag, f->job.cluster, &f->in, NULL), BR_OK);
    assert_true(br_reach_init(&f->reach, f->in));
    assert_true(br_elite_init(&f->elite, f->in, BR_ELITES));
    return f->in->machines == 1;
}

/* Half of the tasks as long as given, the others a nanosecond longer; three of them run at a time.
 */
static void set_up_two_lengths(struct fixture *f, uint32_t tasks, int64_t duration_ns)
{
    *f = (struct fixture){.job = {.dag = br_dag_create("two lengths"),
                                  .cluster = br_cluster_create("three at a time")}};
    for (uint32_t s = 0; s < 2; s++) {
        assert_int_equal(br_dag_add_stage(f->job.dag, s ? "longer" : "shorter", tasks / 2,
                                          duration_ns + s, NULL, NULL),
                         BR_OK);
        assert_int_equal(br_dag_add_demand(f->job.dag, s, "cpu", "1", NULL), BR_OK);
    }
    uint32_t cls;
    assert_int_equal(br_dag_finish(f->job.dag, NULL), BR_OK);
    assert_int_equal(br_cluster_add_class(f->job.cluster, "m", 1, &cls, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(f->job.cluster, cls, "cpu", "3", NULL), BR_OK);
    assert_int_equal(br_instance_create(f->job.dag, f->job.cluster, &f->in, NULL), BR_OK);
    assert_true(br_reach_init(&f->reach, f->in));
    assert_true(br_elite_init(&f->elite, f->in, BR_ELITES));
}

static void tear_down(struct fixture *f)
{
    br_elite_finish(&f->elite);
    br_reach_finish(&f->reach);
    br_instance_destroy(f->in);
    random_job_finish(&f->job);
}

/* Judges a schedule by the verifier, which shares no code with the search. */
static void assert_feasible(const struct fixture *f, const struct br_schedule *schedule)
{
    judge_schedule(&f->job, f->in, schedule);
}

static struct br_run run_of(struct fixture *f, uint64_t schedules)
{
    return (struct br_run){.in = f->in,
                           .reach = &f->reach,
                           .seed = 1,
                           .threads = 1,
                           .placements = schedules * f->in->tasks,
                           .lower_bound = br_bounds_best(f->in, INT64_MAX).ticks,
                           .elite = &f->elite};
}

/* Every other run starts from a poor schedule. */
static void seed_elite(struct fixture *f, uint64_t seed)
{
    struct br_schedule schedule;
    const struct br_heuristic *row;
    uint32_t k = 0;
    while ((row = br_heuristic_at(k)) && strcmp(row->named.name, "random") != 0)
        k++;
    assert_non_null(row);
    assert_true(br_schedule_init(&schedule, f->in));
    assert_true(row->run(&schedule, f->in, &f->reach, seed, NULL));
    br_elite_add(&f->elite, &schedule, row->named.name, 0);
    br_schedule_finish(&schedule);
}

static void test_search(void **state)
{
    unsigned pools = 0, shorter = 0, seeded = 0;
    for (uint64_t seed = 0; seed < JOBS; seed++) {
        struct fixture f;
        if (set_up(&f, seed, TASKS)) {
            struct br_run run = run_of(&f, SCHEDULES);
            int64_t before = INT64_MAX;
            if (seed % 2) {
                seed_elite(&f, seed);
                before = f.elite.entry[0].schedule.makespan;
                seeded++;
            }
            assert_true(br_population_search(&run, NULL));
            assert_true(run.spent <= run.placements);
            assert_true(f.elite.count > 0);
            int64_t makespan = f.elite.entry[0].schedule.makespan;
            assert_true(makespan <= before);
            assert_true(makespan >= run.lower_bound);
            /* All is spent, unless there is no need. */
            if (makespan > run.lower_bound)
                assert_true(run.spent == run.placements);
            for (uint32_t k = 0; k < f.elite.count; k++)
                assert_feasible(&f, &f.elite.entry[k].schedule);
            shorter += before < INT64_MAX && makespan < before;
            pools++;
        }
        tear_down(&f);
    }
    assert_true(pools > JOBS / 8 && shorter > seeded / 4);
}

/* The same from one, two and seven threads, with and without niches, which drop schedules. A small
 * population is bred by one thread whatever is asked for, so some are large. */
static void test_threads(void **state)
{
    uint64_t crowded[2] = {0};
    for (uint64_t seed = 0; seed < JOBS; seed++) {
        struct br_population_settings set = br_population_settings_default();
        struct fixture f[3];
        bool one_machine = true, niches = seed % 2;
        for (int k = 0; k < 3; k++)
            one_machine = set_up(&f[k], seed + 1000, TASKS);
        if (!niches)
            set.niche = 0;
        bool large = seed % 16 < 2;
        set.population = large ? LARGE : 0;
        for (int k = 0; one_machine && k < 3; k++) {
            struct br_run run = run_of(&f[k], large ? 6 * LARGE : 3 * SCHEDULES);
            run.threads = k == 0 ? 1 : k == 1 ? 2 : 7;
            run.seed = seed;
            assert_true(br_population_search(&run, &set));
            crowded[niches] += run.counters.population_crowded;
            assert_int_equal(f[0].elite.count, f[k].elite.count);
            for (uint32_t e = 0; e < f[k].elite.count; e++) {
                const struct br_schedule *a = &f[0].elite.entry[e].schedule;
                const struct br_schedule *b = &f[k].elite.entry[e].schedule;
                assert_memory_equal(a->start, b->start, a->tasks * sizeof *a->start);
            }
        }
        for (int k = 0; k < 3; k++)
            tear_down(&f[k]);
    }
    assert_true(crowded[0] == 0 && crowded[1] > 0);
}

/* A population that begins again after every quiet generation, in the middle of its budget and
 * beyond the time that was expected, and gives up all the places that it can. */
static void test_restarts(void **state)
{
    struct br_population_settings set = br_population_settings_default();
    set.patience = 1;
    set.left = 0;
    set.selective = 40;
    unsigned pools = 0;
    for (uint64_t seed = 0; seed < JOBS / 4; seed++) {
        struct fixture f[2];
        bool one_machine = true;
        for (int k = 0; k < 2; k++)
            one_machine = set_up(&f[k], seed + 4000, TASKS);
        for (int k = 0; one_machine && k < 2; k++) {
            struct br_run run = run_of(&f[k], 5 * SCHEDULES);
            run.horizon = run.placements / 2;
            run.threads = 1 + 2 * (uint32_t)k;
            assert_true(br_population_search(&run, &set));
            int64_t makespan = f[k].elite.entry[0].schedule.makespan;
            if (makespan > run.lower_bound)
                assert_true(run.spent == run.placements);
            assert_feasible(&f[k], &f[k].elite.entry[0].schedule);
            assert_int_equal(makespan, f[0].elite.entry[0].schedule.makespan);
            pools += k;
        }
        tear_down(&f[0]);
        tear_down(&f[1]);
    }
    assert_true(pools > 0);
}

/* What a time limit is expected to leave: more with more threads, as long as there are blocks for
 * them, and fewer placements a second of a job of many tasks, since each looks at more: of 300
 * tasks with short durations about half of what they are of 60 (13.6 and 26.6 million were
 * measured), of 1,400 with long ones about a tenth (2.5). */
static void test_expected(void **state)
{
    static const struct {
        unsigned tasks;
        int64_t duration_ns;
        double least, most;
    } job[] = {{60, 7, 20e6, 30e6},
               {300, 7, 11e6, 15e6},
               {120, 7123456789, 14e6, 20e6},
               {1400, 7123456789, 2e6, 3e6}};
    for (size_t k = 0; k < sizeof job / sizeof *job; k++) {
        struct fixture f;
        set_up_two_lengths(&f, job[k].tasks, job[k].duration_ns);
        const struct br_instance *in = f.in;
        double one = br_population_expected(in, 1e9, 1);
        assert_true(job[k].least <= one && one <= job[k].most);
        assert_true(br_population_expected(in, 1e9, 2) == 2 * one);
        assert_true(br_population_expected(in, 1e9, 64) == 8 * one);
        assert_true(br_population_expected(in, 5e8, 1) == one / 2);
        tear_down(&f);
    }
}

/* What found shorter schedules. */
struct finders {
    unsigned serial, parallel;
};

static void note_finder(void *context, int64_t makespan, const char *finder, uint64_t placements)
{
    struct finders *f = context;
    f->serial += strcmp(finder, "serial") == 0;
    f->parallel += strcmp(finder, "parallel") == 0;
}

/* Genes drawn for all children are those of the settings, at the beginning and at the end of a
 * population; and which mothers breed makes a difference. */
static void test_genes(void **state)
{
    static const struct {
        double parallel, late;
    } share[] = {{0, 0}, {1, 1}, {1, 0}};
    struct finders seen[3] = {{0}};
    unsigned other = 0;
    for (uint64_t seed = 0; seed < JOBS; seed++) {
        for (int k = 0; k < 3; k++) {
            struct br_population_settings set = br_population_settings_default();
            struct fixture f;
            set.parallel = share[k].parallel;
            set.late = share[k].late;
            set.redraw = 1;
            if (set_up(&f, seed + 6000, TASKS)) {
                struct br_run run = run_of(&f, SCHEDULES);
                run.found = note_finder;
                run.context = &seen[k];
                assert_true(br_population_search(&run, &set));
            }
            tear_down(&f);
        }
        struct fixture f[2];
        uint64_t crowded[2] = {0};
        for (uint32_t k = 0; k < 2; k++) {
            struct br_population_settings set = br_population_settings_default();
            set.fresh = k ? set.fresh : 0;
            if (set_up(&f[k], seed + 6000, TASKS)) {
                struct br_run run = run_of(&f[k], SCHEDULES);
                assert_true(br_population_search(&run, &set));
                crowded[k] = run.counters.population_crowded;
            }
        }
        other += crowded[0] != crowded[1];
        tear_down(&f[0]);
        tear_down(&f[1]);
    }
    print_message("serial %u %u %u, parallel %u %u %u, other mothers %u\n", seen[0].serial,
                  seen[1].serial, seen[2].serial, seen[0].parallel, seen[1].parallel,
                  seen[2].parallel, other);
    assert_true(seen[0].serial > 0 && seen[0].parallel == 0);
    assert_true(seen[1].serial == 0 && seen[1].parallel > 0);
    assert_true(seen[2].serial > 0 && seen[2].parallel > 0);
    assert_true(other > 0);
}

/* What a population of a pool job of more than `least` tasks has counted; false where the job is
 * none, or its end came before that of the budget. */
static bool count_bred(uint64_t seed, uint32_t least, uint64_t schedules,
                       const struct br_population_settings *set, struct br_counters *seen)
{
    struct fixture f;
    bool pool = set_up(&f, seed, TASKS) && f.in->tasks > least;
    if (pool) {
        struct br_run run = run_of(&f, schedules);
        assert_true(br_population_search(&run, set));
        pool = run.spent == run.placements;
        *seen = run.counters;
    }
    tear_down(&f);
    return pool;
}

/* Counts are of the schedule and not of its place: a mother that gives way after many children is
 * one that has lived as long, and where each round brings shorter ones none does. */
static void test_replaced_begin_anew(void **state)
{
    enum { ROUND = 2 * 16, KEPT = 12, MORE = 4 };
    unsigned pools = 0, alike = 0;
    for (uint64_t seed = 0; seed < JOBS; seed++) {
        struct br_counters seen[2] = {{0}};
        bool pool = true;
        for (uint32_t k = 0; k < 2; k++) {
            struct br_population_settings set = br_population_settings_default();
            set.population = ROUND / 2;
            set.left = 1;
            set.fresh = k ? KEPT : 0;
            pool &= count_bred(seed + 8000, TASKS / 2, ROUND * (1 + KEPT + MORE), &set, &seen[k]);
        }
        pools += pool;
        alike += pool && seen[0].population_crowded == seen[1].population_crowded &&
                 seen[0].population_known == seen[1].population_known &&
                 seen[0].population_given_up == seen[1].population_given_up;
    }
    print_message("%u of %u populations have no mother of many\n", alike, pools);
    assert_true(pools > 10 && alike > pools / 3);
}

/* Where starts count, those that schedules given up did not give are spent on others. */
static void test_starts(void **state)
{
    unsigned pools = 0, more = 0;
    for (uint64_t seed = 0; seed < JOBS; seed++) {
        struct br_counters seen[2] = {{0}};
        bool pool = true;
        for (uint32_t k = 0; k < 2; k++) {
            struct br_population_settings set = br_population_settings_default();
            set.starts = k;
            pool &= count_bred(seed + 9000, 0, 4 * SCHEDULES, &set, &seen[k]);
        }
        pools += pool;
        more += pool && seen[1].population_given_up > seen[0].population_given_up;
    }
    print_message("%u of %u populations gave up more\n", more, pools);
    assert_true(pools > 10 && more > pools / 4);
}

static void test_oracle(void **state)
{
    unsigned optimal = 0, pools = 0;
    for (uint64_t seed = 0; seed < ORACLE_JOBS; seed++) {
        struct fixture f;
        if (set_up(&f, seed + 70000, SMALL)) {
            int64_t optimum = oracle_optimum(f.in);
            struct br_run run = run_of(&f, SCHEDULES);
            assert_true(br_population_search(&run, NULL));
            assert_feasible(&f, &f.elite.entry[0].schedule);
            assert_true(f.elite.entry[0].schedule.makespan >= optimum);
            optimal += f.elite.entry[0].schedule.makespan == optimum;
            pools++;
        }
        tear_down(&f);
    }
    print_message("of %u jobs the search is optimal on %u\n", pools, optimal);
    assert_true(pools > ORACLE_JOBS / 8 && optimal > pools * 995 / 1000);
}

/* The exact solvers end with a proof that the oracle agrees with. */
static void test_close(void **state)
{
    unsigned pools = 0, closed = 0;
    for (uint64_t seed = 0; seed < ORACLE_JOBS / 4; seed++) {
        struct fixture f[2];
        for (int k = 0; k < 2; k++) {
            if (!set_up(&f[k], seed + 90000, SMALL))
                continue;
            seed_elite(&f[k], seed);
            struct br_run run = run_of(&f[k], 5000);
            run.threads = 1 + 2 * (uint32_t)k;
            struct br_exact_search *search =
                br_exact_search_create(f[k].in, f[k].elite.entry[0].schedule.makespan,
                                       run.lower_bound, BR_ROUNDING_TOLERANCE);
            assert_non_null(search);
            assert_true(br_exact_search_run(search, &run));
            br_exact_search_destroy(search);
            assert_feasible(&f[k], &f[k].elite.entry[0].schedule);
            int64_t optimum = oracle_optimum(f[k].in);
            assert_true(run.lower_bound <= optimum);
            assert_true(f[k].elite.entry[0].schedule.makespan >= optimum);
            closed += f[k].elite.entry[0].schedule.makespan == run.lower_bound;
            pools++;
        }
        if (f[0].elite.count) {
            const struct br_schedule *a = &f[0].elite.entry[0].schedule;
            assert_memory_equal(a->start, f[1].elite.entry[0].schedule.start,
                                a->tasks * sizeof *a->start);
        }
        tear_down(&f[0]);
        tear_down(&f[1]);
    }
    print_message("of %u jobs the solvers close %u\n", pools, closed);
    assert_true(pools > ORACLE_JOBS / 16 && closed > pools * 98 / 100);
}

enum { SOLVER_CONFLICTS = 150 }; /* less than a slice */

/* Whether with so many ticks left the search does what the solver downwards does alone; what that
 * takes is added to *conflicts. */
static bool works_alone(struct fixture *f, int64_t optimum, int64_t left, uint64_t *conflicts)
{
    struct br_exact *alone = br_exact_create(f->in, optimum, 1, true);
    br_exact_set_lower(alone, optimum - left);
    br_exact_solve(alone, BR_EXACT_SHORTER, SOLVER_CONFLICTS, NULL);
    struct br_exact_counts one = br_exact_counts(alone);
    br_exact_destroy(alone);
    struct br_run run = run_of(f, SOLVER_CONFLICTS * BR_EXACT_SEARCH_CONFLICT);
    run.lower_bound = optimum - left;
    struct br_exact_search *search =
        br_exact_search_create(f->in, optimum, optimum - left, BR_ROUNDING_TOLERANCE);
    struct br_counters all = {0};
    assert_true(br_exact_search_run(search, &run));
    br_exact_search_count(search, &all);
    br_exact_search_destroy(search);
    *conflicts += one.conflicts;
    return all.exact_conflicts == one.conflicts && all.exact_propagations == one.propagations &&
           run.spent == one.conflicts * BR_EXACT_SEARCH_CONFLICT * f->in->tasks;
}

/* Where up to three ticks are left, one of the two solvers works, and has the whole budget. */
static void test_last_ticks(void **state)
{
    unsigned pools = 0, both = 0;
    for (uint64_t seed = 0; seed < JOBS; seed++) {
        struct fixture f;
        bool pool = set_up(&f, seed + 70000, TASKS);
        if (pool)
            seed_elite(&f, seed);
        struct br_run run = run_of(&f, 40000);
        struct br_exact_search *search =
            pool ? br_exact_search_create(f.in, f.elite.entry[0].schedule.makespan, 0,
                                          BR_ROUNDING_TOLERANCE)
                 : NULL;
        assert_true(!search || br_exact_search_run(search, &run));
        br_exact_search_destroy(search);
        int64_t optimum = search ? f.elite.entry[0].schedule.makespan : 0;
        if (search && run.lower_bound == optimum && optimum > 4) {
            uint64_t conflicts = 0, more = 0;
            for (int64_t left = 1; left <= 3; left++)
                assert_true(works_alone(&f, optimum, left, &conflicts));
            both += !works_alone(&f, optimum, 4, &more);
            pools += conflicts > 3;
        }
        tear_down(&f);
    }
    print_message("%u jobs end by one of the solvers, %u by both\n", pools, both);
    assert_true(pools > 5 && both > 5);
}

static void test_stop(void **state)
{
    struct fixture f;
    struct br_stop stop = {1};
    uint64_t seed = 3;
    while (!set_up(&f, seed++, TASKS) || f.in->tasks < 10)
        tear_down(&f);
    seed_elite(&f, seed);
    struct br_run run = run_of(&f, 0);
    run.lower_bound = 0; /* out of reach, and no limit: only the flag can end it */
    run.stop = &stop;
    assert_true(br_population_search(&run, NULL));
    assert_true(run.stopped);
    assert_feasible(&f, &f.elite.entry[0].schedule);
    tear_down(&f);
}

/* Every task once, parents first: of sampling, both crossovers and mutation. */
static void assert_list(const struct fixture *f, struct br_rcpsp_workspace *workspace,
                        const uint32_t *list)
{
    uint32_t n = f->in->tasks, *at = malloc(n * sizeof *at);
    int64_t *start = malloc(n * sizeof *start);
    assert_true(at && start);
    for (uint32_t k = 0; k < n; k++)
        at[k] = UINT32_MAX;
    for (uint32_t k = 0; k < n; k++) {
        assert_true(list[k] < n && at[list[k]] == UINT32_MAX);
        at[list[k]] = k;
    }
    for (uint32_t s = 0; s < f->in->stages; s++)
        for (uint32_t a = f->in->child_first[s]; a < f->in->child_first[s + 1]; a++) {
            struct br_arc arc = f->in->child[a];
            uint32_t first = f->in->stage_first[s], other = f->in->stage_first[arc.stage];
            for (uint32_t t = first; t < f->in->stage_first[s + 1]; t++)
                for (uint32_t o = other; o < f->in->stage_first[arc.stage + 1]; o++)
                    assert_true((arc.one_to_one && t - first != o - other) || at[t] < at[o]);
        }
    br_rcpsp_serial(workspace, BR_FORWARD, list, BR_RCPSP_NO_LIMIT, start);
    free(start);
    free(at);
}

static bool is_among(const uint32_t *list, uint32_t count, uint32_t task)
{
    for (uint32_t k = 0; k < count; k++)
        if (list[k] == task)
            return true;
    return false;
}

/* The mother's list up to `from`, the father's order of what is missing up to `to`, the rest as the
 * mother has it [Hartmann98]. */
static void cross(uint32_t tasks, uint32_t from, uint32_t to, const uint32_t *mother,
                  const uint32_t *father, uint32_t *child)
{
    uint32_t k = from;
    memcpy(child, mother, from * sizeof *child);
    for (uint32_t at = 0; k < to; at++)
        if (!is_among(child, k, father[at]))
            child[k++] = father[at];
    for (uint32_t at = 0; k < tasks; at++)
        if (!is_among(child, k, mother[at]))
            child[k++] = mother[at];
}

/* The child is what some two points between a third and two thirds of the list apart give. */
static void assert_crossed(uint32_t tasks, const uint32_t *mother, const uint32_t *father,
                           const uint32_t *child)
{
    uint32_t least = (uint32_t)(0.35 * tasks), most = (uint32_t)(0.65 * tasks);
    uint32_t *want = malloc(tasks * sizeof *want);
    bool found = false;
    assert_non_null(want);
    for (uint32_t length = least; !found && length <= most; length++)
        for (uint32_t from = 0; !found && from + length <= tasks; from++) {
            cross(tasks, from, from + length, mother, father, want);
            found = memcmp(want, child, tasks * sizeof *want) == 0;
        }
    assert_true(found);
    free(want);
}

static void test_breed(void **state)
{
    unsigned pools = 0, different = 0, crossed = 0;
    for (uint64_t seed = 0; seed < JOBS; seed++) {
        struct fixture f;
        if (set_up(&f, seed + 2000, TASKS)) {
            struct br_rcpsp_model *model = br_rcpsp_model_create(f.in, BR_RCPSP_CHOOSE);
            struct br_rcpsp_workspace *workspace = br_rcpsp_workspace_create(model);
            struct br_breed *breed = br_breed_create(model, workspace, &f.reach);
            size_t size = f.in->tasks * sizeof(uint32_t);
            uint32_t *mother = malloc(size), *father = malloc(size), *child = malloc(size);
            int64_t *start = malloc(f.in->tasks * sizeof *start);
            struct br_rng rng = br_rng_seed(seed);
            assert_true(breed && mother && father && child && start);
            for (int round = 0; round < ROUNDS; round++) {
                br_breed_serial(breed, &rng, mother);
                assert_list(&f, workspace, mother);
                br_breed_parallel(breed, &rng, 0.3, father, start);
                assert_list(&f, workspace, father);
                br_breed_two_point(breed, &rng, 0.35, 0.65, mother, father, child);
                assert_list(&f, workspace, child);
                assert_crossed(f.in->tasks, mother, father, child);
                crossed += memcmp(child, mother, size) && memcmp(child, father, size);
                br_breed_swap(breed, &rng, 3.5, child);
                assert_list(&f, workspace, child);
                different += memcmp(child, mother, size) && memcmp(child, father, size);
            }
            free(mother);
            free(father);
            free(child);
            free(start);
            br_breed_destroy(breed);
            br_rcpsp_workspace_destroy(workspace);
            br_rcpsp_model_destroy(model);
            pools++;
        }
        tear_down(&f);
    }
    assert_true(different > pools * ROUNDS / 2);
    assert_true(crossed > pools * ROUNDS / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_search),   cmocka_unit_test(test_threads),
        cmocka_unit_test(test_restarts), cmocka_unit_test(test_expected),
        cmocka_unit_test(test_genes),    cmocka_unit_test(test_replaced_begin_anew),
        cmocka_unit_test(test_starts),   cmocka_unit_test(test_oracle),
        cmocka_unit_test(test_close),    cmocka_unit_test(test_last_ticks),
        cmocka_unit_test(test_stop),     cmocka_unit_test(test_breed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
