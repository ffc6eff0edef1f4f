/* The best bound as other programs get it: the public headers and the shared library, nothing else.
 *
 * test_bound_api [BIGROCKS_BOUND]: without the program only what the library does itself is tried.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <bigrocks/bigrocks.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#define MS INT64_C(1000000)
#define SECOND INT64_C(1000000000)

static const char *program;

struct job {
    struct br_dag *dag;
    struct br_cluster *cluster;
};

static void add_demand(struct br_dag *dag, uint32_t stage, int resource)
{
    char name[8];
    snprintf(name, sizeof name, "r%d", resource);
    assert_int_equal(br_dag_add_demand(dag, stage, name, "2", NULL), BR_OK);
}

/* Behind a cut, a ring of five tasks of 10 s of which two can run at a time: no plan takes less
 * than 30 s, linear programs prove 25 s of it, and combinatorial bounds less. */
static struct job ring(void)
{
    struct job job = {br_dag_create("ring"), br_cluster_create(NULL)};
    uint32_t first, cls, stage;
    assert_int_equal(br_dag_add_stage(job.dag, "first", 1, SECOND, &first, NULL), BR_OK);
    assert_int_equal(br_cluster_add_class(job.cluster, "ring", 1, &cls, NULL), BR_OK);
    for (int k = 0; k < 5; k++) {
        char name[8];
        snprintf(name, sizeof name, "t%d", k);
        assert_int_equal(br_dag_add_stage(job.dag, name, 1, 10 * SECOND, &stage, NULL), BR_OK);
        add_demand(job.dag, stage, k);
        add_demand(job.dag, stage, (k + 1) % 5);
        assert_int_equal(br_dag_add_edge(job.dag, first, stage, BR_BARRIER, NULL), BR_OK);
        snprintf(name, sizeof name, "r%d", k);
        assert_int_equal(br_cluster_add_capacity(job.cluster, cls, name, "3", NULL), BR_OK);
    }
    assert_int_equal(br_dag_add_stage(job.dag, "beside", 1, SECOND, &stage, NULL), BR_OK);
    assert_int_equal(br_dag_add_edge(job.dag, first, stage, BR_BARRIER, NULL), BR_OK);
    assert_int_equal(br_dag_finish(job.dag, NULL), BR_OK);
    return job;
}

static void finish(struct job *job)
{
    br_dag_destroy(job->dag);
    br_cluster_destroy(job->cluster);
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * SECOND + now.tv_nsec;
}

static enum br_status verify(const struct job *job, const struct br_certificate *c, int64_t ns)
{
    return br_certificate_verify(c, job->dag, job->cluster, ns, NULL);
}

/* The best bound, whose proof has to hold. */
static struct br_bound_result best(const struct job *job, const struct br_bound_options *options)
{
    struct br_bound_result r;
    struct br_diag diag = {0};
    if (br_bound_best(job->dag, job->cluster, options, &r, &diag))
        fail_msg("%s", diag.what);
    assert_non_null(r.certificate);
    assert_int_equal(verify(job, r.certificate, r.lower_bound_ns), BR_OK);
    assert_int_equal(verify(job, r.certificate, r.lower_bound_ns + 1), BR_NO);
    assert_true(r.lower_bound_ns >= r.core_ns && r.core_ns > 0 && r.core_method);
    assert_null(r.source.certificate);
    return r;
}

static void the_library_alone(void **state)
{
    struct job job = ring();
    struct br_bound_options options = br_bound_options_default();
    struct br_bound_result r = best(&job, NULL);
    int64_t core_ns;
    const char *method;
    assert_int_equal(br_bound(job.dag, job.cluster, &core_ns, &method, NULL), BR_OK);
    assert_int_equal(r.core_ns, core_ns);
    assert_string_equal(r.core_method, method);
    assert_int_equal(r.lower_bound_ns, 31 * SECOND); /* by clauses */
    assert_int_equal(r.clause_ns, r.lower_bound_ns);
    assert_int_equal(r.at_most_ns, r.lower_bound_ns);
    assert_string_equal(r.method, "lazy clause generation");
    assert_string_equal(r.source.why, "not asked for");
    br_bound_result_finish(&r);
    options.conflicts = 0;
    r = best(&job, &options);
    assert_int_equal(r.lower_bound_ns, core_ns);
    assert_string_equal(r.method, method);
    assert_int_equal(r.clause_ns, 0);
    assert_int_equal(r.at_most_ns, 0);
    br_bound_result_finish(&r);
    for (int k = 0; k < 3; k++) {
        options.tolerance = (const double[]){-0.1, 1.1, NAN}[k];
        assert_int_equal(br_bound_best(job.dag, job.cluster, &options, &r, NULL), BR_USAGE);
    }
    finish(&job);
}

static void certificates_are_written_and_read(void **state)
{
    struct job job = ring();
    struct br_bound_result r = best(&job, NULL);
    struct br_certificate *again;
    struct br_diag diag;
    int64_t ns;
    char *text = br_certificate_text(r.certificate, job.dag), *same;
    assert_non_null(strstr(text, "\"bigrocks-certificate/1\""));
    assert_int_equal(br_certificate_read(text, strlen(text), job.dag, &again, &diag), BR_OK);
    assert_true(br_certificate_bound(again, &ns));
    assert_int_equal(ns, r.lower_bound_ns);
    assert_int_equal(verify(&job, again, ns), BR_OK);
    same = br_certificate_text(again, job.dag);
    assert_string_equal(same, text);
    br_certificate_destroy(again);
    /* Not what follows, nor a part. */
    same = realloc(same, strlen(text) + 2);
    strcat(same, "x");
    assert_int_equal(br_certificate_read(same, strlen(same), job.dag, &again, &diag), BR_BAD_INPUT);
    assert_null(again);
    same[strlen(text) / 2] = '\0';
    assert_int_equal(br_certificate_read(same, strlen(same), job.dag, &again, &diag), BR_BAD_INPUT);
    assert_null(again);
    assert_int_equal(br_certificate_read("", 0, job.dag, &again, &diag), BR_BAD_INPUT);
    free(same);
    free(text);
    br_bound_result_finish(&r);
    finish(&job);
}

static void the_program_proves_more(void **state)
{
    struct job job = ring();
    const struct br_bound_source source = br_bound_program(program);
    struct br_bound_options options = br_bound_options_default();
    if (!program)
        skip();
    options.source = &source;
    options.conflicts = 0;
    for (int timed = 0; timed < 3; timed++) { /* by counts, by the clock, by the processor */
        options.time_limit_ns = timed == 1 ? 20 * SECOND : 0;
        options.cpu_limit_ns = timed == 2 ? 20 * SECOND : 0;
        struct br_bound_result r = best(&job, &options);
        assert_true(r.source.found);
        assert_int_equal(r.lower_bound_ns, 26 * SECOND);
        assert_int_equal(r.source.lower_bound_ns, r.lower_bound_ns);
        assert_true(r.core_ns < r.lower_bound_ns);
        assert_memory_equal(r.method, "interval LP", strlen("interval LP"));
        assert_string_equal(r.source.status, "optimal");
        br_bound_result_finish(&r);
    }
    /* Clauses close the job in their first turn, and nobody else is asked. */
    options = br_bound_options_default();
    options.source = &source;
    struct br_bound_result r = best(&job, &options);
    assert_int_equal(r.lower_bound_ns, 31 * SECOND);
    assert_false(r.source.found);
    assert_string_equal(r.source.why, "not needed");
    br_bound_result_finish(&r);
    finish(&job);
}

static void a_plan_takes_it_over(void **state)
{
    struct job job = ring();
    const struct br_bound_source source = br_bound_program(program);
    struct br_plan_options options = br_plan_options_default();
    struct br_plan *plan;
    if (!program)
        skip();
    options.method = "cp";
    assert_int_equal(br_plan_make(job.dag, job.cluster, &options, &plan, NULL), BR_OK);
    int64_t core_ns = br_plan_lower_bound_ns(plan), makespan_ns = br_plan_makespan_ns(plan);
    assert_false(br_plan_source_answer(plan)->found);
    assert_string_equal(br_plan_source_answer(plan)->why, "not asked for");
    br_plan_destroy(plan);
    options.source = &source;
    assert_int_equal(br_plan_make(job.dag, job.cluster, &options, &plan, NULL), BR_OK);
    assert_int_equal(br_plan_makespan_ns(plan), makespan_ns);
    assert_int_equal(br_plan_lower_bound_ns(plan), 26 * SECOND);
    assert_true(core_ns < 26 * SECOND);
    assert_true(br_plan_source_answer(plan)->found);
    assert_non_null(strstr(br_plan_bound_method(plan), "interval LP"));
    assert_int_equal(verify(&job, br_plan_certificate(plan), 26 * SECOND), BR_OK);
    /* And what clauses prove, afterwards. */
    struct br_bound_result r = best(&job, NULL);
    assert_int_equal(br_plan_prove(plan, r.certificate, r.method, NULL), BR_OK);
    assert_int_equal(br_plan_lower_bound_ns(plan), 31 * SECOND);
    assert_int_equal(verify(&job, br_plan_certificate(plan), 31 * SECOND), BR_OK);
    br_plan_destroy(plan);
    finish(&job);
}

/* Expects the words for a source that brings nothing. */
static void expect_nothing(const struct job *job, const struct br_bound_source *source,
                           const char *why)
{
    struct br_bound_options options = br_bound_options_default();
    options.source = source;
    options.conflicts = 0;
    struct br_bound_result r = best(job, &options);
    assert_false(r.source.found);
    assert_int_equal(r.lower_bound_ns, r.core_ns);
    if (!strstr(r.source.why, why))
        fail_msg("'%s' does not say '%s'", r.source.why, why);
    br_bound_result_finish(&r);
}

static void programs_that_are_none(void **state)
{
    struct job job = ring();
    static const struct {
        const char *path, *why;
    } none[] = {
        {"/nonexistent/bigrocks-bound", "not available (bigrocks-bound not found)"},
        {"/bin/false", "not available (bigrocks-bound ended with status 1)"},
        {"/bin/true", "not available (bigrocks-bound's answer: "},
        {"/bin/cat", "not available (bigrocks-bound: unrecognized option '--time-limit'"},
    };
    setenv("LC_ALL", "C", 1);
    for (size_t k = 0; k < sizeof none / sizeof *none - (access("/bin/cat", X_OK) != 0); k++) {
        const struct br_bound_source source = br_bound_program(none[k].path);
        expect_nothing(&job, &source, none[k].why);
    }
    finish(&job);
}

/* ---- Sources of the caller's ---- */

/* Claims `claim_ns` by the certificate's text, or by none. */
struct claim {
    const char *text;
    int64_t claim_ns;
};

static void claim(void *context, const struct br_dag *dag, const struct br_cluster *cluster,
                  const struct br_bound_limits *limits, struct br_bound_answer *answer)
{
    const struct claim *c = context;
    answer->found = true;
    answer->lower_bound_ns = c->claim_ns;
    strcpy(answer->method, "a guess");
    if (c->text)
        assert_int_equal(
            br_certificate_read(c->text, strlen(c->text), dag, &answer->certificate, NULL), BR_OK);
}

static void nothing_is_believed(void **state)
{
    struct job job = ring();
    struct br_bound_result r = best(&job, NULL);
    char *text = br_certificate_text(r.certificate, job.dag);
    struct claim c = {text, r.lower_bound_ns};
    const struct br_bound_source source = {claim, &c};
    struct br_bound_options options = br_bound_options_default();
    options.source = &source;
    options.conflicts = 0;
    struct br_bound_result taken = best(&job, &options);
    assert_int_equal(taken.lower_bound_ns, r.lower_bound_ns);
    assert_string_equal(taken.method, "a guess");
    br_bound_result_finish(&taken);
    c.claim_ns++;
    expect_nothing(&job, &source, "not used (its proof fails: the certificate proves less");
    c.text = NULL;
    expect_nothing(&job, &source, "not used (it comes without a proof)");
    free(text);
    br_bound_result_finish(&r);
    finish(&job);
}

struct hang {
    struct br_stop *begun, ended; /* raised while it hangs, and afterwards */
};

static void hang(void *context, const struct br_dag *dag, const struct br_cluster *cluster,
                 const struct br_bound_limits *limits, struct br_bound_answer *answer)
{
    struct hang *h = context;
    br_stop_raise(h->begun);
    while (!br_stop_raised(limits->stop))
        nanosleep(&(struct timespec){0, MS}, NULL);
    strcpy(answer->why, "not available (interrupted)");
    br_stop_raise(&h->ended);
}

struct stopper {
    struct br_stop begun, stop;
};

static void *stop_once_begun(void *context)
{
    struct stopper *s = context;
    while (!br_stop_raised(&s->begun))
        nanosleep(&(struct timespec){0, MS}, NULL);
    nanosleep(&(struct timespec){0, 50 * MS}, NULL);
    br_stop_raise(&s->stop);
    return NULL;
}

/* A source that would never end, ended by a flag from another thread: bounds and plans are there.
 */
static void a_flag_ends_it(void **state)
{
    struct job job = ring();
    for (int k = 0; k < 3; k++) { /* counted; by the clock; a plan */
        struct stopper s = {{0}, {0}};
        struct hang h = {&s.begun, {0}};
        const struct br_bound_source source = {hang, &h};
        struct br_bound_options options = br_bound_options_default();
        struct br_plan_options planning = br_plan_options_default();
        struct br_plan *plan;
        pthread_t thread;
        int64_t began = now_ns();
        options.source = planning.source = &source;
        options.stop = planning.stop = &s.stop;
        options.conflicts = 0;
        options.time_limit_ns = k == 1 ? 1000 * SECOND : 0;
        planning.method = "cp";
        assert_int_equal(pthread_create(&thread, NULL, stop_once_begun, &s), 0);
        if (k < 2) {
            struct br_bound_result r = best(&job, &options);
            assert_int_equal(r.lower_bound_ns, r.core_ns);
            assert_string_equal(r.source.why, "not available (interrupted)");
            br_bound_result_finish(&r);
        } else {
            assert_int_equal(br_plan_make(job.dag, job.cluster, &planning, &plan, NULL), BR_OK);
            assert_string_equal(br_plan_source_answer(plan)->why, "not available (interrupted)");
            br_plan_destroy(plan);
        }
        assert_true(br_stop_raised(&h.ended));
        assert_true(now_ns() - began < 60 * SECOND);
        pthread_join(thread, NULL);
    }
    finish(&job);
}

static void count(void *context, int64_t past_ns, int64_t limit_ns)
{
    int *calls = context;
    assert_true(past_ns >= 0 && limit_ns == SECOND / 4);
    ++*calls;
}

/* ---- Threads ---- */

/* A job on one machine that stays open for long. */
static struct job wide(uint32_t tasks)
{
    struct job job = {br_dag_create("wide"), br_cluster_create(NULL)};
    uint32_t stage, cls;
    assert_int_equal(br_cluster_add_class(job.cluster, "pool", 1, &cls, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(job.cluster, cls, "a", "20", NULL), BR_OK);
    for (uint32_t k = 0; k < tasks; k++) {
        char name[16], amount[16];
        snprintf(name, sizeof name, "s%u", k);
        snprintf(amount, sizeof amount, "%u", 3 + k * 7 % 9);
        assert_int_equal(
            br_dag_add_stage(job.dag, name, 1, (17 + k * k * 31 % 97) * MS, &stage, NULL), BR_OK);
        assert_int_equal(br_dag_add_demand(job.dag, stage, "a", amount, NULL), BR_OK);
        for (uint32_t p = k > 20 ? k - 20 : 0; p < k; p += 7)
            assert_int_equal(br_dag_add_edge(job.dag, p, stage, BR_BARRIER, NULL), BR_OK);
    }
    assert_int_equal(br_dag_finish(job.dag, NULL), BR_OK);
    return job;
}

/* A source that answers at once, or later. */
struct haste {
    struct claim claim;
    long delay_ms;
    int calls;
};

static void answer_later(void *context, const struct br_dag *dag, const struct br_cluster *cluster,
                         const struct br_bound_limits *limits, struct br_bound_answer *answer)
{
    struct haste *h = context;
    h->calls++;
    assert_true(limits->threads > 0);
    for (long k = 0; k < h->delay_ms && !br_stop_raised(limits->stop); k++)
        nanosleep(&(struct timespec){0, MS}, NULL);
    claim(&h->claim, dag, cluster, limits, answer);
}

/* By so many conflicts, with the source; compares with *text, or fills it. */
static void expect_the_same(const struct job *job, struct haste *h, uint32_t threads,
                            uint64_t conflicts, char **text)
{
    const struct br_bound_source source = {answer_later, h};
    struct br_bound_options options = br_bound_options_default();
    options.source = &source;
    options.threads = threads;
    options.conflicts = conflicts;
    struct br_bound_result r = best(job, &options);
    char *certificate = br_certificate_text(r.certificate, job->dag), all[512];
    snprintf(all, sizeof all, "%lld %lld %s %d %s\n", (long long)r.lower_bound_ns,
             (long long)r.clause_ns, r.method, r.source.found, r.source.why);
    char *whole = malloc(strlen(all) + strlen(certificate) + 1);
    strcpy(stpcpy(whole, all), certificate);
    if (!*text)
        *text = strdup(whole);
    assert_string_equal(whole, *text);
    free(whole);
    free(certificate);
    br_bound_result_finish(&r);
}

/* By counts, neither the threads nor the moment of a source's answer makes a difference: also if
 * clause learning closes the job while the source works. */
static void threads_change_nothing(void **state)
{
    static const struct {
        uint32_t tasks;
        uint64_t claimed, conflicts; /* by so many conflicts the source has made its bound */
        bool closed;
    } cases[] = {{12, 9000, 5000, false}, {10, 500, 5000, true}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct job job = wide(cases[k].tasks);
        struct br_bound_options options = br_bound_options_default();
        options.conflicts = cases[k].claimed;
        struct br_bound_result r = best(&job, &options);
        struct haste h = {{br_certificate_text(r.certificate, job.dag), r.lower_bound_ns}, 0, 0};
        char *text = NULL;
        expect_the_same(&job, &h, 1, cases[k].conflicts, &text);
        assert_int_equal(h.calls, cases[k].closed ? 0 : 1);
        expect_the_same(&job, &h, 2, cases[k].conflicts, &text);
        assert_true(h.calls > 0);
        h.delay_ms = 300;
        expect_the_same(&job, &h, 2, cases[k].conflicts, &text);
        expect_the_same(&job, &h, 5, cases[k].conflicts, &text);
        assert_true(!cases[k].closed || strstr(text, " 0 not needed\n"));
        free(text);
        free((char *)h.claim.text);
        br_bound_result_finish(&r);
        finish(&job);
    }
}

/* Clauses that nothing ends but the limit. */
static void a_limit_ends_it(void **state)
{
    struct job job = wide(120);
    struct br_bound_options options = br_bound_options_default();
    int calls = 0;
    options.time_limit_ns = SECOND / 4;
    options.progress = count;
    options.progress_context = &calls;
    int64_t began = now_ns();
    struct br_bound_result r = best(&job, &options);
    assert_true(now_ns() - began < 60 * SECOND); /* a busy machine is slow */
    assert_true(calls > 0);
    br_bound_result_finish(&r);
    finish(&job);
}

int main(int argc, char **argv)
{
    program = argc > 1 ? argv[1] : NULL;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_library_alone),
        cmocka_unit_test(certificates_are_written_and_read),
        cmocka_unit_test(the_program_proves_more),
        cmocka_unit_test(a_plan_takes_it_over),
        cmocka_unit_test(programs_that_are_none),
        cmocka_unit_test(nothing_is_believed),
        cmocka_unit_test(a_flag_ends_it),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(a_limit_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
