/* The best lower bound on a job: combinatorial, by clause learning, and from a source.
 *
 * Where the clock is the limit, clause learning and the source run beside each other, and clause
 * learning goes on from the source's bound as soon as that is known. Where counts are, it takes its
 * turn after the source, so that the same job gets the same bound. */
#include "planner/search/best_bound.h"

#include <stdio.h>
#include <time.h>

#include "base/process/clock.h"
#include "planner/bounds/bounds.h"
#include "planner/bounds/certify.h"
#include "planner/check/certificate.h"
#include "planner/search/beside.h"
#include "planner/search/exact_bound.h"

/* Without a time limit: conflicts, which end first where they are many, as of jobs of few tasks;
 * and work, where thousands of decisions may pass between two. */
enum { CONFLICTS = 10000, WORK = 100000000 };
static const int64_t look_ns = 20000000;

/* One call, while the solvers work. */
struct solving {
    const struct br_bound_options *options;
    int64_t limit_ns;           /* 0: none */
    int64_t began_ns, risen_ns; /* risen: when clause learning last raised a bound; 0: never */
    struct br_beside beside;
    bool beside_open; /* begun and not ended */
    struct br_bound_answer *answer;
};

static int64_t past_ns(const struct solving *s)
{
    struct timespec now;
    bool by_processor = s->options->cpu_limit_ns > 0;
    clock_gettime(by_processor ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec - s->began_ns;
}

static void tell(const struct solving *s, int64_t past)
{
    if (s->options->progress)
        s->options->progress(s->options->progress_context, past, s->limit_ns);
}

/* For br_exact_effort. */
static const struct br_certificate *others(void *context)
{
    struct solving *s = context;
    const struct br_bound_answer *answer =
        s->beside_open ? br_beside_answer(&s->beside) : s->answer;
    return answer && answer->found ? answer->certificate : NULL;
}

/* For br_exact_effort. Checking a proof takes up to about a quarter of the time that it took to
 * find it, which is kept back from the limit. */
static bool goes_on(void *context, bool risen)
{
    struct solving *s = context;
    int64_t past = past_ns(s);
    if (risen)
        s->risen_ns = past;
    tell(s, past);
    return s->limit_ns == 0 || past + s->risen_ns / 4 < s->limit_ns;
}

/* Waits until the source has answered, or its answer is not `needed`, or the user wants it to end.
 */
static void end_source(struct solving *s, bool needed)
{
    if (!s->beside_open)
        return;
    while (needed && !br_stopped(s->options->stop) && !br_beside_wait(&s->beside, look_ns))
        tell(s, past_ns(s));
    br_beside_end(&s->beside, s->answer);
    s->beside_open = false;
    if (!needed && !s->answer->found)
        snprintf(s->answer->why, sizeof s->answer->why, "not needed");
}

static void begin_source(struct solving *s, const struct br_dag *dag,
                         const struct br_cluster *cluster, const struct br_instance *in)
{
    const struct br_bound_question question = {.source = s->options->source,
                                               .dag = dag,
                                               .cluster = cluster,
                                               .in = in,
                                               .limit_ns = s->limit_ns,
                                               .processor_time = s->options->cpu_limit_ns > 0,
                                               .work_percent = 100};
    if (!s->options->source) {
        snprintf(s->answer->why, sizeof s->answer->why, "not asked for");
        return;
    }
    s->beside_open = true;
    bool threaded = br_beside_begin(&s->beside, &question);
    if (!threaded)
        br_beside_ask(&s->beside, s->options->stop);
    if (!threaded || s->limit_ns == 0)
        end_source(s, true);
}

/* The combinatorial bound, proven and checked. */
static enum br_status find_core(const struct br_dag *dag, const struct br_instance *in,
                                struct br_bound_result *r, struct br_counters *counters,
                                struct br_diag *diag)
{
    int64_t began_ns = br_now_ns();
    struct br_bound core = br_bounds_sum(in);
    if (core.ticks < 0)
        return br_fail_memory(diag);
    r->core_ns = r->lower_bound_ns = core.ticks * in->tick_ns;
    r->core_method = core.method;
    int64_t bound_ns = br_now_ns();
    counters->bound_ns += (uint64_t)(bound_ns - began_ns);
    snprintf(r->method, sizeof r->method, "%s", core.method);
    r->certificate = br_certify(in);
    if (!r->certificate)
        return br_fail_memory(diag);
    enum br_status status = br_certificate_check(r->certificate, dag, in, diag);
    counters->proof_ns += (uint64_t)(br_now_ns() - bound_ns);
    if (status) {
        br_certificate_destroy(r->certificate);
        r->certificate = NULL;
    }
    return status == BR_NO ? BR_OK : status;
}

/* Takes over the proof, which has been checked, where it proves more than the best. One that does
 * not even prove the best, where the core's proof is missing, is of no use. */
static void take(struct br_bound_result *r, struct br_certificate *from, const char *method)
{
    int64_t ns = 0;
    br_certificate_take(&r->certificate, from);
    if (!r->certificate || !br_certificate_bound(r->certificate, &ns))
        ns = 0;
    if (ns > r->lower_bound_ns) {
        r->lower_bound_ns = ns;
        snprintf(r->method, sizeof r->method, "%s", method);
    } else if (ns < r->lower_bound_ns) {
        br_certificate_destroy(r->certificate);
        r->certificate = NULL;
    }
}

/* The bounds of the solvers on top. */
static void find_more(const struct br_dag *dag, const struct br_cluster *cluster,
                      const struct br_instance *in, const struct br_bound_options *o,
                      struct br_bound_result *r, struct br_counters *counters)
{
    struct solving s = {.options = o,
                        .limit_ns = o->cpu_limit_ns > 0 ? o->cpu_limit_ns : o->time_limit_ns,
                        .answer = &r->source};
    struct br_exact_effort effort = {.conflicts = o->conflicts,
                                     .stop = o->stop,
                                     .context = &s,
                                     .others = others,
                                     .goes_on = goes_on};
    s.began_ns = past_ns(&s);
    if (o->conflicts == BR_CONFLICTS_DEFAULT && s.limit_ns == 0) {
        effort.conflicts = CONFLICTS;
        effort.work = WORK;
    }
    int64_t began_ns = br_now_ns();
    begin_source(&s, dag, cluster, in);
    int64_t asked_ns = br_now_ns();
    struct br_certificate *clauses = br_exact_certify(in, &effort);
    int64_t certified_ns = br_now_ns();
    end_source(&s, !effort.met);
    int64_t ended_ns = br_now_ns();
    br_counters_add(counters, &effort.counters);
    counters->exact_ns += (uint64_t)(certified_ns - asked_ns);
    counters->lp_ns += (uint64_t)(asked_ns - began_ns + ended_ns - certified_ns);
    r->clause_lost = effort.lost;
    if (r->source.found)
        take(r, r->source.certificate, r->source.method);
    else
        br_certificate_destroy(r->source.certificate);
    r->source.certificate = NULL;
    if (clauses && br_certificate_bound(clauses, &r->clause_ns) &&
        br_certificate_check(clauses, dag, in, NULL) == BR_OK)
        take(r, clauses, "lazy clause generation");
    else
        br_certificate_destroy(clauses);
    counters->proof_ns += (uint64_t)(br_now_ns() - ended_ns);
}

enum br_status br_best_bound(const struct br_dag *dag, const struct br_cluster *cluster,
                             const struct br_instance *in, const struct br_bound_options *options,
                             struct br_bound_result *result, struct br_counters *counters,
                             struct br_diag *diag)
{
    *result = (struct br_bound_result){0};
    *counters = (struct br_counters){0};
    enum br_status status = find_core(dag, in, result, counters, diag);
    if (!status)
        find_more(dag, cluster, in, options, result, counters);
    return status;
}

struct br_bound_options br_bound_options_default(void)
{
    return (struct br_bound_options){.conflicts = BR_CONFLICTS_DEFAULT};
}

enum br_status br_bound_best(const struct br_dag *dag, const struct br_cluster *cluster,
                             const struct br_bound_options *options, struct br_bound_result *result,
                             struct br_diag *diag)
{
    BR_NEED(diag, dag, cluster, result);
    const struct br_bound_options usual = br_bound_options_default();
    struct br_counters counters;
    struct br_instance *in;
    *result = (struct br_bound_result){0};
    if (options && (options->time_limit_ns < 0 || options->cpu_limit_ns < 0))
        return br_fail(diag, BR_USAGE, "give 0 for none", "a time limit is negative");
    enum br_status status = br_instance_create(dag, cluster, &in, diag);
    if (status)
        return status;
    status = br_best_bound(dag, cluster, in, options ? options : &usual, result, &counters, diag);
    br_instance_destroy(in);
    return status;
}

void br_bound_result_finish(struct br_bound_result *result)
{
    if (!result)
        return;
    br_certificate_destroy(result->certificate);
    result->certificate = NULL;
}
