/* The best lower bound on a job: combinatorial, by clause learning, and from a source. Clause
 * learning and the source run side by side if there are threads for both. If the clock is the
 * limit, clause learning goes on from the source's bound as soon as that is known. If counts are
 * the limit, it works alone for most of its conflicts, and for the others from the source's bound:
 * so the same job gets the same bound, whatever the threads. A source is not asked about jobs that
 * are closed before. */
#include "planner/search/bound/best_bound.h"

#include <pthread.h>
#include <stdio.h>

#include "base/process/alarm.h"
#include "base/process/clock.h"
#include "base/process/machine.h"
#include "planner/bounds/bounds.h"
#include "planner/bounds/certify.h"
#include "planner/check/proofs/certificate.h"
#include "planner/eligibility/features.h"
#include "planner/instance/relax.h"
#include "planner/instance/rounding.h"
#include "planner/search/bound/beside.h"
#include "planner/search/bound/exact_bound.h"
#include "planner/search/bound/ways_bound.h"

/* The limits if there is no time limit. CONFLICTS ends a search with many conflicts, as on jobs of
 * few tasks; WORK ends one in which thousands of decisions may pass between two conflicts. */
enum { CONFLICTS = 10000, WORK = 100000000 };
/* Of five conflicts so many come before the source's answer if counts are the limit, of CONFLICTS
 * at most. */
enum { ALONE_OF_FIVE = 4 };
static const int64_t look_ns = 5000000;
/* The share of the time limit for the combinatorial bounds that are not linear; their proof gets as
 * much again. Small jobs need less than the least share. */
static const double core_share = 0.25;
static const int64_t core_least_ns = 2000000;
/* By the clock, a source begins only after this time: small jobs are closed by then. */
static const int64_t head_start_ns = 30000000;

/* One call. */
struct solving {
    const struct br_dag *dag;
    const struct br_cluster *cluster;
    const struct br_instance *in;
    const struct br_bound_options *options;
    struct br_bound_result *result;
    struct br_counters *counters;
    clockid_t clock;
    int64_t limit_ns;           /* 0: none */
    int64_t began_ns, risen_ns; /* risen: when clause learning last raised a bound; 0: never */
    struct br_alarm alarm;      /* if there is a limit */
    const struct br_stop *stop; /* the alarm's, or the caller's; may be NULL */
    bool cheap;                 /* linear arguments alone */
    bool met;                   /* a quick schedule is as short as the core bound */
    uint32_t threads;
    uint64_t alone; /* if counts are the limit: conflicts of a part before the source's answer */
    bool asked;     /* the source's answer may be used, or there is no source */
    struct br_beside beside;
    bool beside_open; /* begun and not ended */
    bool threadless;  /* no thread could be started for the source */
};

static int64_t past_ns(const struct solving *s)
{
    return br_clock_ns(s->clock) - s->began_ns;
}

static void best_bound_tell(const struct solving *s, int64_t past)
{
    if (s->options->progress)
        s->options->progress(s->options->progress_context, past, s->limit_ns);
}

/* For br_exact_effort. */
static const struct br_certificate *others(void *context)
{
    struct solving *s = context;
    if (!s->asked)
        return NULL; /* however early the answer is there */
    const struct br_bound_answer *answer =
        s->beside_open ? br_beside_answer(&s->beside) : &s->result->source;
    return answer && answer->found ? answer->certificate : NULL;
}

/* Waits until the source has answered, or its answer is not `needed`, or the time is over. */
static void end_source(struct solving *s, bool needed)
{
    struct br_bound_answer *answer = &s->result->source;
    if (!s->beside_open)
        return;
    int64_t began_ns = br_now_ns();
    while (needed && !br_stopped(s->stop) && !br_beside_wait(&s->beside, look_ns))
        best_bound_tell(s, past_ns(s));
    br_beside_end(&s->beside, answer);
    s->beside_open = false;
    s->counters->lp_ns += (uint64_t)(br_now_ns() - began_ns);
    if (!needed && !answer->found)
        snprintf(answer->why, sizeof answer->why, "not needed");
    else if (!answer->found && s->limit_ns > 0 && br_stopped(s->stop) &&
             !br_stopped(s->options->stop))
        snprintf(answer->why, sizeof answer->why, "not available (stopped at the time limit)");
}

/* Begins to ask the source on a thread of its own; `threadless` says that there is none. */
static void begin_source(struct solving *s)
{
    /* By the clock, clause learning takes one of the threads all the time. */
    const uint32_t others = s->limit_ns > 0 ? 1 : 0;
    const struct br_bound_question question = {.source = s->options->source,
                                               .dag = s->dag,
                                               .cluster = s->cluster,
                                               .in = s->in,
                                               .limit_ns = s->limit_ns - s->limit_ns / 10,
                                               .processor_time = s->options->cpu_limit_ns > 0,
                                               .work_percent = 100,
                                               .threads =
                                                   s->threads > others ? s->threads - others : 1,
                                               .delay_ns = s->limit_ns > 0 ? head_start_ns : 0};
    if (s->met || !s->options->source || s->beside_open)
        return;
    s->beside_open = true;
    s->threadless = !br_beside_begin(&s->beside, &question);
}

/* Drops the answer of a source that was asked without need, as if it had not been. */
static void best_bound_drop_source(struct solving *s)
{
    struct br_bound_answer *answer = &s->result->source;
    end_source(s, false);
    br_certificate_destroy(answer->certificate);
    *answer = (struct br_bound_answer){0};
    snprintf(answer->why, sizeof answer->why, "not needed");
}

/* From now on the source's answer may be used; without a time limit it is waited for. */
static void ask_source(struct solving *s)
{
    s->asked = true;
    if (!s->options->source) {
        snprintf(s->result->source.why, sizeof s->result->source.why, "not asked for");
    } else if (s->met) {
        best_bound_drop_source(s);
    } else {
        begin_source(s);
        if (s->threadless)
            br_beside_ask(&s->beside, s->stop);
        if (s->threadless || s->limit_ns == 0)
            end_source(s, true);
    }
}

/* For br_exact_effort. Keeps back from the limit the time to check a proof: up to about a quarter
 * of the time that it took to find it. If counts are the limit, the source is begun once a first
 * turn has not closed the job, if there is a thread for it, and its answer is taken once most
 * conflicts are spent. */
static bool best_bound_goes_on(void *context, uint64_t spent, bool risen)
{
    struct solving *s = context;
    int64_t past = past_ns(s);
    if (risen)
        s->risen_ns = past;
    if (risen && s->limit_ns > 0)
        br_alarm_move(&s->alarm, s->began_ns + s->limit_ns - past / 4);
    best_bound_tell(s, past);
    if (!s->asked && spent >= s->alone)
        ask_source(s);
    else if (!s->asked && s->threads > 1)
        begin_source(s);
    return s->limit_ns == 0 || past + s->risen_ns / 4 < s->limit_ns;
}

/* The combinatorial bounds with this effort, and their proof; NULL when memory is out. */
static struct br_certificate *best_bound_argue(struct solving *s,
                                               const struct br_bounds_effort *effort,
                                               const struct br_stop *proof_stop,
                                               struct br_bound *core)
{
    struct br_parts parts;
    struct br_bounds bounds;
    struct br_certificate *certificate = NULL;
    int64_t began_ns = br_now_ns();
    if (br_parts_create(s->in, &parts, NULL))
        return NULL;
    bool ok = br_bounds_find(&bounds, &parts, effort);
    int64_t found_ns = br_now_ns();
    s->counters->bound_ns += (uint64_t)(found_ns - began_ns);
    if (ok) {
        struct br_bounds_effort proof = *effort;
        proof.stop = proof_stop;
        *core = bounds.sum;
        s->met = true;
        for (uint32_t k = 0; s->met && k < parts.count; k++)
            s->met = br_exact_is_met(parts.part[k], bounds.part[k].ticks);
        certificate = br_certify_parts(&parts, &bounds, &proof);
    }
    s->counters->proof_ns += (uint64_t)(br_now_ns() - found_ns);
    br_bounds_finish(&bounds);
    br_parts_finish(&parts);
    return certificate;
}

/* Checks the certificate; one that fails is dropped. */
static enum br_status best_bound_check(struct solving *s, struct br_certificate **certificate,
                                       struct br_diag *diag)
{
    int64_t began_ns = br_now_ns();
    enum br_status status = br_certificate_check(*certificate, s->dag, s->in, diag);
    s->counters->proof_ns += (uint64_t)(br_now_ns() - began_ns);
    if (status) {
        br_certificate_destroy(*certificate);
        *certificate = NULL;
    }
    return status == BR_NO ? BR_OK : status;
}

static void set_core(struct solving *s, const struct br_bound *core,
                     struct br_certificate *certificate)
{
    struct br_bound_result *r = s->result;
    r->core_ns = r->lower_bound_ns = core->ticks * s->in->tick_ns;
    r->core_method = core->method;
    snprintf(r->method, sizeof r->method, "%s", core->method);
    br_certificate_destroy(r->certificate);
    r->certificate = certificate;
}

/* By the clock: all combinatorial bounds, if they end within their share. */
static enum br_status raise_core(struct solving *s, struct br_diag *diag)
{
    struct br_alarm turn;
    struct br_bound core;
    int64_t share_ns = (int64_t)(core_share * (double)s->limit_ns);
    share_ns = share_ns > core_least_ns ? share_ns : core_least_ns;
    br_alarm_begin(&turn, s->clock, s->began_ns + share_ns, s->options->stop);
    const struct br_bounds_effort effort = {.enough = INT64_MAX, .stop = &turn.stop};
    struct br_certificate *certificate = best_bound_argue(s, &effort, s->stop, &core);
    bool ended = !br_stopped(&turn.stop);
    br_alarm_end(&turn);
    if (!certificate)
        return br_fail_memory(diag);
    enum br_status status = best_bound_check(s, &certificate, diag);
    int64_t ns = 0;
    bool proven = certificate && br_certificate_bound(certificate, &ns);
    if (!status && core.ticks * s->in->tick_ns > s->result->core_ns &&
        (ended || (proven && ns == core.ticks * s->in->tick_ns)))
        set_core(s, &core, certificate);
    else
        br_certificate_destroy(certificate);
    return status;
}

/* The combinatorial bound, proven and checked; by the clock the linear arguments come first. */
static enum br_status find_core(struct solving *s, struct br_diag *diag)
{
    const struct br_bounds_effort effort = {
        .enough = INT64_MAX, .cheap = s->cheap || s->limit_ns > 0, .stop = s->options->stop};
    struct br_bound core;
    struct br_certificate *certificate = best_bound_argue(s, &effort, s->options->stop, &core);
    if (!certificate)
        return br_fail_memory(diag);
    enum br_status status = best_bound_check(s, &certificate, diag);
    set_core(s, &core, certificate);
    return !status && s->limit_ns > 0 && !s->met ? raise_core(s, diag) : status;
}

/* Takes over the checked proof if it proves more than the best. A proof that does not even prove
 * the best, because the core's proof is missing, is of no use. */
static void best_bound_take(struct br_bound_result *r, struct br_certificate *from,
                            const char *method)
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
static void find_more(struct solving *s)
{
    const struct br_bound_options *o = s->options;
    struct br_bound_result *r = s->result;
    struct br_exact_effort effort = {.conflicts = o->conflicts,
                                     .tolerance = o->tolerance,
                                     .stop = s->stop,
                                     .context = s,
                                     .others = others,
                                     .goes_on = best_bound_goes_on};
    if (o->conflicts == BR_CONFLICTS_DEFAULT && s->limit_ns == 0) {
        effort.conflicts = CONFLICTS;
        effort.work = WORK;
    }
    const uint64_t most = effort.conflicts < CONFLICTS ? effort.conflicts : CONFLICTS;
    s->alone = most / 5 * ALONE_OF_FIVE;
    if (s->limit_ns > 0)
        ask_source(s);
    int64_t began_ns = br_now_ns();
    uint64_t waited_ns = s->counters->lp_ns;
    struct br_certificate *clauses = br_exact_certify(s->in, &effort);
    waited_ns = s->counters->lp_ns - waited_ns;
    s->counters->exact_ns += (uint64_t)(br_now_ns() - began_ns) - waited_ns;
    s->met |= effort.met;
    if (!s->asked)
        ask_source(s);
    end_source(s, !s->met);
    br_counters_add(s->counters, &effort.counters);
    int64_t ended_ns = br_now_ns();
    r->clause_lost = effort.lost;
    if (clauses && effort.met)
        r->at_most_ns = effort.upper * s->in->tick_ns;
    if (r->source.found)
        best_bound_take(r, r->source.certificate, r->source.method);
    else
        br_certificate_destroy(r->source.certificate);
    r->source.certificate = NULL;
    if (clauses && br_certificate_bound(clauses, &r->clause_ns) &&
        br_certificate_check(clauses, s->dag, s->in, NULL) == BR_OK)
        best_bound_take(r, clauses, "lazy clause generation");
    else
        br_certificate_destroy(clauses);
    s->counters->proof_ns += (uint64_t)(br_now_ns() - ended_ns);
}

enum br_status br_best_bound(const struct br_dag *dag, const struct br_cluster *cluster,
                             const struct br_instance *in, const struct br_bound_options *options,
                             struct br_bound_result *result, struct br_counters *counters,
                             struct br_diag *diag)
{
    struct solving s = {.dag = dag,
                        .cluster = cluster,
                        .in = in,
                        .options = options,
                        .result = result,
                        .counters = counters,
                        .clock = CLOCK_MONOTONIC,
                        .limit_ns = options->cpu_limit_ns > 0 ? options->cpu_limit_ns
                                                              : options->time_limit_ns,
                        .stop = options->stop};
    *result = (struct br_bound_result){0};
    *counters = (struct br_counters){0};
    if (options->cpu_limit_ns > 0 && pthread_getcpuclockid(pthread_self(), &s.clock) != 0)
        s.clock = CLOCK_MONOTONIC;
    s.began_ns = br_clock_ns(s.clock);
    s.threads = options->threads;
    if (s.threads == 0 && options->source) {
        struct br_machine machine;
        br_machine_ask(&machine);
        s.threads = machine.processors;
    }
    if (s.limit_ns > 0) {
        br_alarm_begin(&s.alarm, s.clock, s.began_ns + s.limit_ns, options->stop);
        s.stop = &s.alarm.stop;
    }
    enum br_status status = find_core(&s, diag);
    if (!status)
        find_more(&s);
    if (s.limit_ns > 0)
        br_alarm_end(&s.alarm);
    return status;
}

enum br_status br_cheap_bound(const struct br_dag *dag, const struct br_cluster *cluster,
                              const struct br_stop *stop, struct br_bound_result *result,
                              struct br_diag *diag)
{
    struct br_bound_options options = br_bound_options_default();
    struct br_counters counters = {0};
    struct br_instance *in;
    options.stop = stop;
    *result = (struct br_bound_result){0};
    enum br_status status = br_instance_create(dag, cluster, &in, diag);
    if (status)
        return status;
    struct solving s = {.dag = dag,
                        .cluster = cluster,
                        .in = in,
                        .options = &options,
                        .result = result,
                        .counters = &counters,
                        .cheap = true};
    status = find_core(&s, diag);
    br_instance_destroy(in);
    return status;
}

struct br_bound_options br_bound_options_default(void)
{
    return (struct br_bound_options){.conflicts = BR_CONFLICTS_DEFAULT,
                                     .tolerance = BR_ROUNDING_TOLERANCE};
}

static enum br_status bound_instance(const struct br_dag *dag, const struct br_cluster *cluster,
                                     const struct br_bound_options *options,
                                     struct br_bound_result *result, struct br_counters *counters,
                                     struct br_diag *diag)
{
    struct br_instance *in;
    *result = (struct br_bound_result){0};
    *counters = (struct br_counters){0};
    enum br_status status = br_instance_create(dag, cluster, &in, diag);
    if (status)
        return status;
    status = br_best_bound(dag, cluster, in, options, result, counters, diag);
    br_instance_destroy(in);
    return status;
}

static enum br_status bound_relaxed(const struct br_dag *dag, const struct br_cluster *cluster,
                                    enum br_relaxation relaxation,
                                    const struct br_bound_options *options,
                                    struct br_bound_result *result, struct br_counters *counters,
                                    struct br_diag *diag)
{
    struct br_relaxed relaxed;
    *result = (struct br_bound_result){0};
    *counters = (struct br_counters){0};
    enum br_status status = br_relax(dag, cluster, relaxation, &relaxed, diag);
    if (!status)
        status = bound_instance(relaxed.dag, relaxed.cluster, options, result, counters, diag);
    if (result->certificate)
        result->certificate->relaxation = relaxation;
    result->at_most_ns = 0; /* a schedule of the relaxed job is none of the job */
    br_relaxed_finish(&relaxed);
    return status;
}

static enum br_status bound_features(const struct br_dag *dag, const struct br_cluster *cluster,
                                     const struct br_bound_options *options,
                                     struct br_bound_result *result, struct br_counters *counters,
                                     struct br_diag *diag)
{
    struct br_bound_options half = *options;
    struct br_counters more;
    struct br_bound_result pool;
    if (!br_relax_pool_helps(dag, cluster))
        return bound_relaxed(dag, cluster, BR_RELAX_MACHINES, options, result, counters, diag);
    half.time_limit_ns -= half.time_limit_ns / 2; /* never 0, which is no limit */
    half.cpu_limit_ns -= half.cpu_limit_ns / 2;
    enum br_status status =
        bound_relaxed(dag, cluster, BR_RELAX_MACHINES, &half, result, counters, diag);
    if (status)
        return status;
    status = bound_relaxed(dag, cluster, BR_RELAX_POOL, &half, &pool, &more, diag);
    br_counters_add(counters, &more);
    if (!status && pool.lower_bound_ns > result->lower_bound_ns) {
        struct br_bound_result old = *result;
        *result = pool;
        pool = old;
    }
    br_bound_result_finish(&pool);
    return status;
}

enum br_status br_best_bound_of(const struct br_dag *dag, const struct br_cluster *cluster,
                                const struct br_bound_options *options,
                                struct br_bound_result *result, struct br_counters *counters,
                                struct br_diag *diag)
{
    if (!dag->finished || cluster->machines == 0 || !br_features(dag, cluster))
        return bound_instance(dag, cluster, options, result, counters, diag);
    struct br_bound_options half = *options;
    if (br_features(dag, cluster) & BR_FEATURES_MODES) {
        half.time_limit_ns -= half.time_limit_ns / 2;
        half.cpu_limit_ns -= half.cpu_limit_ns / 2;
    }
    const enum br_status status = bound_features(dag, cluster, &half, result, counters, diag);
    return status ? status : br_ways_bound_raise(dag, cluster, &half, result, diag);
}

enum br_status br_bound_best(const struct br_dag *dag, const struct br_cluster *cluster,
                             const struct br_bound_options *options, struct br_bound_result *result,
                             struct br_diag *diag)
{
    BR_NEED(diag, dag, cluster, result);
    const struct br_bound_options usual = br_bound_options_default();
    struct br_counters counters;
    *result = (struct br_bound_result){0};
    if (options && (options->time_limit_ns < 0 || options->cpu_limit_ns < 0))
        return br_fail(diag, BR_USAGE, "give 0 for none", "a time limit is negative");
    if (options && !(options->tolerance >= 0 && options->tolerance <= 1))
        return br_fail(diag, BR_USAGE, "give a share from 0 to 1", "the tolerance is %g",
                       options->tolerance);
    return br_best_bound_of(dag, cluster, options ? options : &usual, result, &counters, diag);
}

void br_bound_result_finish(struct br_bound_result *result)
{
    if (!result)
        return;
    br_certificate_destroy(result->certificate);
    result->certificate = NULL;
}
