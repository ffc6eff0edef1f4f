/* br_plan_make as its users call it: every method's plans verify, the default is never worse than
 * any method, threads change nothing, limits and interrupts leave a plan, faults are named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/rng.h"
#include "base/process/stop.h"
#include "planner/search/method.h"
#include "planner/instance/instance.h"
#include "planner/instance/plan.h"
#include "tests/support/oracle.h"
#include "tests/support/random_job.h"
#include <bigrocks/bigrocks.h>

enum { JOBS = 600, TASKS = 30, FEW = 4, ORACLE_JOBS = 10000, SMALL = 6 };

/* The parts between cuts follow one another without a gap. */
static void assert_parts_follow(const struct br_plan *plan)
{
    int64_t end = 0;
    for (uint32_t k = 0; k < plan->parts; k++) {
        assert_int_equal(plan->part[k].start_ns, end);
        end += plan->part[k].makespan_ns;
    }
    assert_int_equal(end, br_plan_makespan_ns(plan));
}

/* A bound that a search has raised is proven as well, unless the note says that there was no time.
 */
static void assert_bound_proven(const struct br_plan *plan)
{
    const char *note = br_plan_note(plan);
    int64_t proven = -1;
    if (!plan->certificate && note && strstr(note, "to prove the bound"))
        return;
    assert_non_null(plan->certificate);
    assert_true(br_certificate_bound(plan->certificate, &proven));
    assert_int_equal(proven, br_plan_lower_bound_ns(plan));
}

static struct br_plan *make(const struct random_job *job, const struct br_plan_options *options)
{
    struct br_plan *plan = NULL;
    struct br_diag diag = {0};
    if (br_plan_make(job->dag, job->cluster, options, &plan, &diag) != BR_OK)
        fail_msg("%s", diag.what);
    assert_int_equal(br_plan_verify(plan, job->dag, job->cluster, 1, NULL, NULL, NULL), BR_OK);
    assert_true(br_plan_lower_bound_ns(plan) <= br_plan_makespan_ns(plan));
    assert_parts_follow(plan);
    assert_bound_proven(plan);
    return plan;
}

static void test_methods(void **state)
{
    for (uint64_t seed = 0; seed < random_jobs(JOBS); seed++) {
        struct random_job job;
        struct br_plan_options options = br_plan_options_default();
        assert_true(random_job_make(seed, TASKS, 0, &job));
        options.seed = seed;
        options.effort = seed % 12 ? BR_EFFORT_FAST : BR_EFFORT_DEFAULT;
        struct br_plan *best = make(&job, &options);
        int64_t bound;
        assert_int_equal(br_bound(job.dag, job.cluster, &bound, NULL, NULL), BR_OK);
        assert_true(bound <= br_plan_lower_bound_ns(best)); /* the search may raise it */
        for (uint32_t k = 0; br_method_name(k); k++) {
            assert_non_null(br_method_summary(k));
            options.method = br_method_name(k);
            struct br_plan *plan = make(&job, &options);
            assert_true(br_plan_makespan_ns(best) <= br_plan_makespan_ns(plan));
            if (k > 0)
                assert_string_equal(br_plan_method(plan), options.method);
            /* The default does with the method what the method does alone. */
            for (uint32_t t = 0; t < best->trials; t++)
                if (strcmp(best->trial[t].method, options.method) == 0)
                    assert_int_equal(best->trial[t].makespan_ns, br_plan_makespan_ns(plan));
            br_plan_destroy(plan);
        }
        br_plan_destroy(best);
        random_job_finish(&job);
    }
}

/* bound <= optimum <= every plan, by trying everything; the methods take turns. */
static void test_oracle(void **state)
{
    unsigned optimal = 0, proven = 0, methods = 0;
    while (br_method_name(methods))
        methods++;
    for (uint64_t seed = 0; seed < random_jobs(ORACLE_JOBS); seed++) {
        struct random_job job;
        struct br_instance *in;
        struct br_plan_options options = br_plan_options_default();
        assert_true(random_job_make(seed + 500000, SMALL, 0, &job));
        assert_int_equal(br_instance_create(job.dag, job.cluster, &in, NULL), BR_OK);
        int64_t optimum = oracle_optimum(in) * in->tick_ns;
        options.threads = 1;
        options.seed = seed;
        struct br_plan *best = make(&job, &options);
        options.method = br_method_name(1 + (uint32_t)(seed % (methods - 1)));
        struct br_plan *other = make(&job, &options);
        assert_true(br_plan_lower_bound_ns(best) <= optimum);
        assert_true(optimum <= br_plan_makespan_ns(best));
        assert_true(optimum <= br_plan_makespan_ns(other));
        optimal += optimum == br_plan_makespan_ns(best);
        proven += br_plan_lower_bound_ns(best) == br_plan_makespan_ns(best);
        br_plan_destroy(best);
        br_plan_destroy(other);
        br_instance_destroy(in);
        random_job_finish(&job);
    }
    print_message("of %u jobs the default plan is optimal on %u, and proven so on %u\n",
                  random_jobs(ORACLE_JOBS), optimal, proven);
    /* All 10,000 were optimal, and 9,960 proven so. */
    assert_true(optimal >= random_jobs(ORACLE_JOBS) - random_jobs(ORACLE_JOBS) / 1000);
    assert_true(proven >= random_jobs(ORACLE_JOBS) - random_jobs(ORACLE_JOBS) / 100);
}

static void assert_same_plan(const struct br_plan *a, const struct br_plan *b)
{
    assert_int_equal(a->tasks, b->tasks);
    assert_memory_equal(a->start_ns, b->start_ns, a->tasks * sizeof *a->start_ns);
    assert_memory_equal(a->machine, b->machine, a->tasks * sizeof *a->machine);
    assert_memory_equal(a->subset, b->subset, a->tasks);
    assert_memory_equal(a->order, b->order, a->tasks * sizeof *a->order);
    assert_string_equal(a->method, b->method);
    assert_int_equal(a->placements, b->placements);
    assert_int_equal(a->parts, b->parts);
    for (uint32_t k = 0; k < a->parts; k++) {
        assert_int_equal(a->part[k].variants, b->part[k].variants);
        assert_int_equal(a->part[k].t, b->part[k].t);
        assert_string_equal(a->part[k].order ? a->part[k].order : "",
                            b->part[k].order ? b->part[k].order : "");
    }
}

static void test_threads(void **state)
{
    static const char *const methods[] = {"best", "graphene"};
    for (uint64_t seed = 0; seed < random_jobs(JOBS / 6); seed++) {
        struct random_job job;
        assert_true(random_job_make(seed + 10000, RANDOM_JOB_TASKS, 0, &job));
        struct br_plan_options options = br_plan_options_default();
        options.method = methods[seed / 2 % 2];
        options.frag_score = seed % 2 ? BR_FRAG_PAPER : BR_FRAG_BOUND;
        options.placements = seed % 3 ? 0 : 2000;
        options.threads = 1;
        struct br_plan *one = make(&job, &options);
        options.threads = 2;
        struct br_plan *two = make(&job, &options);
        options.threads = 7;
        struct br_plan *seven = make(&job, &options);
        assert_same_plan(one, two);
        assert_same_plan(one, seven);
        br_plan_destroy(one);
        br_plan_destroy(two);
        br_plan_destroy(seven);
        random_job_finish(&job);
    }
}

/* More search never gives a worse plan. Effort max ends at the bound or at a limit, also where the
 * parts between cuts take turns. */
/* By the clock, threads beyond the processors would only make larger populations. */
static void no_more_threads_than_processors(void **state)
{
    struct br_plan_options options = br_plan_options_default();
    static const struct {
        uint32_t asked;
        int64_t limit_ns;
        uint32_t meant;
    } all[] = {{0, 0, 2}, {0, 1000, 2}, {1, 1000, 1}, {2, 1000, 2}, {16, 1000, 2}, {16, 0, 16}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        options.threads = all[k].asked;
        options.time_limit_ns = all[k].limit_ns;
        assert_int_equal(br_threads_meant(&options, 2), all[k].meant);
    }
}

/* A source of bounds takes its share where there is no processor left for it. */
static void a_source_takes_its_share(void **state)
{
    static const struct {
        uint32_t threads, processors;
        double expected;
    } all[] = {{1, 1, 0.5}, {1, 2, 1}, {2, 2, 4.0 / 3}, {2, 3, 2}, {16, 16, 256.0 / 17}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        assert_float_equal(br_threads_expected(all[k].threads, all[k].processors), all[k].expected,
                           1e-9);
}

static void test_effort(void **state)
{
    unsigned limited = 0;
    for (uint64_t seed = 0; seed < random_jobs(JOBS / 10); seed++) {
        struct random_job job;
        int64_t last = INT64_MAX;
        assert_true(random_job_make(seed + 30000, TASKS, 0, &job));
        for (int effort = BR_EFFORT_FAST; effort <= BR_EFFORT_MAX; effort++) {
            struct br_plan_options options = br_plan_options_default();
            options.effort = (enum br_effort)effort;
            options.threshold_limit = FEW;
            if (effort == BR_EFFORT_MAX)
                options.placements = 600000;
            struct br_plan *plan = make(&job, &options);
            bool optimal = br_plan_lower_bound_ns(plan) == br_plan_makespan_ns(plan);
            assert_true(br_plan_makespan_ns(plan) <= last);
            last = br_plan_makespan_ns(plan);
            if (effort < BR_EFFORT_MAX)
                assert_null(br_plan_note(plan));
            else if (!optimal && plan->parts == 1) {
                assert_non_null(strstr(br_plan_note(plan), "placements"));
                limited++;
            }
            br_plan_destroy(plan);
        }
        random_job_finish(&job);
    }
    assert_true(limited > 0);

    for (uint64_t seed = 0; seed < random_jobs(JOBS / 2); seed++) {
        struct random_job job;
        struct br_plan_options options = br_plan_options_default();
        assert_true(random_job_make(seed + 20000, RANDOM_JOB_TASKS, 0, &job));
        options.method = "graphene";
        options.threshold_limit = 0;
        options.troublesome_limit = 1;
        struct br_plan *all = make(&job, &options);
        options.placements = 1;
        struct br_plan *greedy = make(&job, &options);
        assert_true(br_plan_makespan_ns(all) <= br_plan_makespan_ns(greedy));
        if (br_plan_note(greedy))
            assert_non_null(strstr(br_plan_note(greedy), "placements"));
        assert_null(br_plan_note(all));
        br_plan_destroy(all);
        br_plan_destroy(greedy);
        random_job_finish(&job);
    }
}

static struct random_job wide_job(uint32_t stages, uint32_t tasks)
{
    struct random_job job = {br_dag_create("wide"), br_cluster_create(NULL)};
    struct br_rng rng = br_rng_seed(5);
    char text[32];
    for (uint32_t s = 0; s < stages; s++) {
        snprintf(text, sizeof text, "s%u", s);
        assert_int_equal(br_dag_add_stage(job.dag, text, tasks,
                                          1 + (int64_t)br_rng_below(&rng, 1000), NULL, NULL),
                         BR_OK);
        snprintf(text, sizeof text, "%u", 1 + (unsigned)br_rng_below(&rng, 7));
        assert_int_equal(br_dag_add_demand(job.dag, s, "cpu", text, NULL), BR_OK);
        for (uint32_t i = 0; i < tasks; i++)
            assert_int_equal(
                br_dag_set_duration(job.dag, s, i, 1 + (int64_t)br_rng_below(&rng, 100000), NULL),
                BR_OK);
        if (s > 1)
            assert_int_equal(
                br_dag_add_edge(job.dag, (uint32_t)br_rng_below(&rng, s), s, BR_BARRIER, NULL),
                BR_OK);
    }
    assert_int_equal(br_dag_finish(job.dag, NULL), BR_OK);
    assert_int_equal(br_cluster_add_class(job.cluster, "m", 20, NULL, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(job.cluster, 0, "cpu", "8", NULL), BR_OK);
    return job;
}

static int calls;

static void count_calls(void *context, const struct br_progress *progress)
{
    assert_true(progress->share >= 0 && progress->share <= 1);
    br_stop_raise(context);
    calls++;
}

static void test_limits(void **state)
{
    struct random_job job = wide_job(60, 500);
    for (int m = 0; m < 2; m++) {
        struct br_plan_options options = br_plan_options_default();
        struct br_stop stop = {1}; /* asked to end before it begins: there is a plan all the same */
        options.method = m ? "graphene" : "best";
        options.threshold_limit = 0;
        options.stop = &stop;
        struct br_plan *plan = make(&job, &options);
        assert_non_null(br_plan_note(plan));
        br_plan_destroy(plan);
        options.stop = NULL;
        options.time_limit_ns = 1;
        plan = make(&job, &options);
        assert_non_null(strstr(br_plan_note(plan), "time limit"));
        br_plan_destroy(plan);
        /* Progress is told, and its callback can end the search through the stop flag. */
        br_stop_lower(&stop);
        calls = 0;
        options.time_limit_ns = 0;
        options.stop = &stop;
        options.progress = count_calls;
        options.progress_context = &stop;
        plan = make(&job, &options);
        assert_true(calls > 0);
        assert_non_null(br_plan_note(plan));
        br_plan_destroy(plan);
    }
    random_job_finish(&job);
}

/* Two parts: single tasks in any order on three machines, then one task that waits for all. */
static struct random_job hard_then_easy(uint64_t seed, uint32_t tasks)
{
    static const char *const resource[] = {"cpu", "mem"};
    struct random_job job = {br_dag_create("two"), br_cluster_create(NULL)};
    struct br_rng rng = br_rng_seed(seed);
    char text[32];
    assert_int_equal(br_cluster_add_class(job.cluster, "m", 3, NULL, NULL), BR_OK);
    for (uint32_t s = 0; s <= tasks; s++) {
        snprintf(text, sizeof text, "s%u", s);
        assert_int_equal(
            br_dag_add_stage(job.dag, text, 1, 1 + (int64_t)br_rng_below(&rng, 1000), NULL, NULL),
            BR_OK);
        for (uint32_t r = 0; r < 2; r++) {
            snprintf(text, sizeof text, "%u", 1 + (unsigned)br_rng_below(&rng, 60));
            assert_int_equal(br_dag_add_demand(job.dag, s, resource[r], text, NULL), BR_OK);
        }
        if (s > 1 && s < tasks && br_rng_below(&rng, 2))
            assert_int_equal(
                br_dag_add_edge(job.dag, (uint32_t)br_rng_below(&rng, s), s, BR_BARRIER, NULL),
                BR_OK);
    }
    for (uint32_t s = 0; s < tasks; s++)
        assert_int_equal(br_dag_add_edge(job.dag, s, tasks, BR_BARRIER, NULL), BR_OK);
    assert_int_equal(br_dag_finish(job.dag, NULL), BR_OK);
    for (uint32_t r = 0; r < 2; r++)
        assert_int_equal(br_cluster_add_capacity(job.cluster, 0, resource[r], "100", NULL), BR_OK);
    return job;
}

/* Effort max goes round the parts again: where it shortens a part, those behind it that are done
 * come earlier. That no gap is left, make() checks. */
static void test_rounds(void **state)
{
    unsigned shorter = 0;
    for (uint64_t seed = 0; seed < 14; seed++) {
        struct random_job job = hard_then_easy(seed, 40);
        struct br_plan_options options = br_plan_options_default();
        options.threshold_limit = FEW;
        options.effort = BR_EFFORT_FAST;
        struct br_plan *once = make(&job, &options);
        options.effort = BR_EFFORT_MAX;
        options.placements = 1200000;
        struct br_plan *on = make(&job, &options);
        assert_int_equal(once->parts, 2);
        assert_int_equal(on->parts, 2);
        assert_true(on->part[0].makespan_ns <= once->part[0].makespan_ns);
        assert_int_equal(on->part[1].makespan_ns, on->part[1].lower_bound_ns);
        shorter += on->part[0].makespan_ns < once->part[0].makespan_ns;
        br_plan_destroy(once);
        br_plan_destroy(on);
        random_job_finish(&job);
    }
    assert_true(shorter > 0);
}

enum { CALLS = 3 };

struct watch {
    int begun; /* calls with something done */
    struct br_stop stop;
};

static void watch_progress(void *context, const struct br_progress *progress)
{
    struct watch *watch = context;
    assert_true(progress->share >= 0 && progress->share <= 1);
    watch->begun += progress->share > 0;
    if (watch->begun >= CALLS)
        br_stop_raise(&watch->stop);
}

/* The progress told is a share of all, whatever the number of tasks and of parts. */
static void test_progress(void **state)
{
    struct random_job job = hard_then_easy(1, 800);
    struct br_plan_options options = br_plan_options_default();
    struct watch watch = {0};
    options.threads = 1;
    options.effort = BR_EFFORT_MAX;
    options.stop = &watch.stop;
    options.progress = watch_progress;
    options.progress_context = &watch;
    struct br_plan *plan = make(&job, &options);
    assert_true(watch.begun >= CALLS);
    br_plan_destroy(plan);
    random_job_finish(&job);
}

enum { FOUND = 200 };
struct course {
    unsigned count;
    struct br_incumbent found[FOUND];
};

static void record(void *context, const struct br_incumbent *found)
{
    struct course *course = context;
    assert_true(course->count < FOUND);
    course->found[course->count++] = *found;
}

/* Every better plan of a part is told, the last is the plan's, and threads change nothing. */
static void test_course(void **state)
{
    unsigned events = 0;
    for (uint64_t seed = 0; seed < random_jobs(JOBS / 10); seed++) {
        struct random_job job;
        struct course course[2] = {{0}, {0}};
        assert_true(random_job_make(seed + 40000, TASKS, 0, &job));
        for (unsigned k = 0; k < 2; k++) {
            struct br_plan_options options = br_plan_options_default();
            options.method = seed % 4 ? "best" : "graphene";
            options.effort = seed % 3 ? BR_EFFORT_DEFAULT : BR_EFFORT_MAX;
            options.placements = 20000;
            options.threads = k ? 3 : 1;
            options.found = record;
            options.found_context = &course[k];
            struct br_plan *plan = make(&job, &options);
            int64_t *last = calloc(plan->parts, sizeof *last);
            for (unsigned e = 0; e < course[k].count; e++) {
                const struct br_incumbent *found = &course[k].found[e];
                assert_true(found->part < plan->parts && found->parts == plan->parts);
                assert_true(found->makespan_ns >= plan->part[found->part].makespan_ns);
                assert_true(!last[found->part] || found->makespan_ns < last[found->part]);
                assert_true(found->placements <= plan->placements);
                last[found->part] = found->makespan_ns;
            }
            for (uint32_t p = 0; p < plan->parts; p++)
                assert_int_equal(last[p], plan->part[p].makespan_ns);
            free(last);
            br_plan_destroy(plan);
        }
        assert_int_equal(course[0].count, course[1].count);
        for (unsigned e = 0; e < course[0].count; e++) {
            const struct br_incumbent *a = &course[0].found[e], *b = &course[1].found[e];
            assert_int_equal(a->part, b->part);
            assert_int_equal(a->makespan_ns, b->makespan_ns);
            assert_string_equal(a->finder, b->finder);
            assert_int_equal(a->placements, b->placements);
        }
        events += course[0].count;
        random_job_finish(&job);
    }
    assert_true(events > random_jobs(JOBS) / 10);
}

static void test_faults(void **state)
{
    struct random_job job = wide_job(3, 2);
    struct br_plan_options options = br_plan_options_default();
    struct br_plan *plan;
    struct br_diag diag;
    options.method = "magic";
    memset(&diag, 0, sizeof diag);
    assert_int_equal(br_plan_make(job.dag, job.cluster, &options, &plan, &diag), BR_USAGE);
    assert_non_null(strstr(diag.what, "magic"));
    assert_null(plan);
    options.method = "best";
    options.troublesome_limit = 2;
    assert_int_equal(br_plan_make(job.dag, job.cluster, &options, &plan, NULL), BR_USAGE);
    struct br_cluster *small = br_cluster_create(NULL);
    memset(&diag, 0, sizeof diag);
    assert_int_equal(br_plan_make(job.dag, small, NULL, &plan, &diag), BR_BAD_INPUT);
    assert_int_equal(br_cluster_add_class(small, "tiny", 2, NULL, NULL), BR_OK);
    assert_int_equal(br_plan_make(job.dag, small, NULL, &plan, &diag), BR_BAD_INPUT);
    assert_non_null(strstr(diag.what, "no machine of the cluster has"));
    assert_int_equal(br_cluster_add_capacity(small, 0, "cpu", "0.5", NULL), BR_OK);
    assert_int_equal(br_plan_make(job.dag, small, NULL, &plan, &diag), BR_BAD_INPUT);
    assert_non_null(strstr(diag.what, "tiny[0]"));
    assert_non_null(strstr(diag.what, "0.5"));
    br_cluster_destroy(small);
    random_job_finish(&job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_methods),
        cmocka_unit_test(test_oracle),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(no_more_threads_than_processors),
        cmocka_unit_test(a_source_takes_its_share),
        cmocka_unit_test(test_effort),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_course),
        cmocka_unit_test(test_rounds),
        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
