/* From a job and a cluster to a verified plan: the parts between cuts, each planned by the method
 * asked for, one after another on one time line. The planning runs in a thread of its own, and the
 * caller supervises it (watch.h). If there is nothing to look after, the caller plans itself: for a
 * small job a thread costs as much as a part of the search. */
#include <bigrocks/planner.h>

#include <pthread.h>
#include <string.h>

#include "base/collections/memory.h"
#include "base/process/machine.h"
#include "base/process/parallel.h"
#include "base/process/clock.h"
#include "planner/instance/plan.h"
#include "planner/model/task_order.h"
#include "planner/search/make_plan.h"
#include "planner/search/mean.h"
#include "planner/search/plan_parts.h"
#include "planner/search/bound/source_bound.h"

struct br_plan_options br_plan_options_default(void)
{
    return (struct br_plan_options){
        .method = "best",
        .effort = BR_EFFORT_AUTO,
        .seed = 1,
        .frag_score = BR_FRAG_BOUND,
        .threshold_limit = 16,
        .tolerance = BR_ROUNDING_TOLERANCE,
        .troublesome_limit = 1,
    };
}

static enum br_status plan_make(struct br_plan_making *making)
{
    struct br_instance *in = NULL;
    struct br_parts parts = {0};
    struct br_diag *diag = &making->diag;
    enum br_status status = br_instance_create(making->dag, making->cluster, &in, diag);
    if (status)
        return status;
    status = br_parts_create(in, &parts, diag);
    if (status)
        goto out;
    if (making->options.order) {
        making->place = br_dag_places(making->dag, making->options.order);
        if (!making->place) {
            status = br_fail_memory(diag);
            goto out;
        }
    }
    making->tasks = making->left = in->tasks;
    br_plan_parts_keep_back(making);
    making->plan = br_plan_create(in->tasks);
    if (!making->plan || !br_plan_parts_make(making, &parts)) {
        status = br_fail_memory(diag);
        goto out;
    }
    if (making->method.kind == BR_METHOD_BEST)
        status = br_mean_improve(&(struct br_mean){.plan = making->plan,
                                                   .dag = making->dag,
                                                   .in = in,
                                                   .options = &making->options,
                                                   .effort = making->effort,
                                                   .stop = &making->watch.stop},
                                 diag);
    if (status)
        goto out;
    making->plan->seed = making->options.seed;
    making->plan->method = br_arena_text(&making->plan->arena, making->plan->method);
    if (!making->plan->method)
        status = br_fail_memory(diag);
    else
        status = br_plan_rank(making->plan, making->dag, diag);
    int64_t began_ns = br_now_ns();
    if (!status && making->options.bound != BR_PLAN_BOUND_NONE)
        br_proving_prove(&making->proving, in, &parts, making->plan);
    int64_t proven_ns = br_now_ns();
    if (!status) {
        br_parts_finish(&parts); /* before the verification needs memory */
        br_instance_destroy(in);
        in = NULL;
        status = br_plan_verify(making->plan, making->dag, making->cluster, 1, NULL, NULL, diag);
        if (status == BR_NO) /* never returned as an answer: a plan that fails is our fault */
            status = diag->status = BR_SYSTEM;
        struct br_counters *counters = &making->plan->counters;
        counters->jobs = 1;
        counters->placements = making->plan->placements;
        counters->proof_ns = (uint64_t)(proven_ns - began_ns);
        counters->verify_ns = (uint64_t)(br_now_ns() - proven_ns);
    }
out:
    br_free(making->place);
    br_proving_finish(&making->proving);
    br_parts_finish(&parts);
    br_instance_destroy(in);
    return status;
}

/* One set of threads serves all searches on all parts. */
static enum br_status make_with_crew(struct br_plan_making *making)
{
    struct br_crew *crew = making->options.threads > 1 ? br_crew_enter() : NULL;
    enum br_status status = plan_make(making);
    br_crew_leave(crew);
    return status;
}

static void *make_thread(void *argument)
{
    struct br_plan_making *making = argument;
    making->status = make_with_crew(making);
    br_watch_end(&making->watch);
    return NULL;
}

enum br_status br_make_plan(const struct br_dag *dag, const struct br_cluster *cluster,
                            const struct br_plan_options *options, struct br_plan **plan,
                            struct br_diag *diag)
{
    struct br_plan_making making = {
        .dag = dag, .cluster = cluster, .options = options ? *options : br_plan_options_default()};
    struct br_plan_options *o = &making.options;
    struct br_beside room, *beside = NULL;
    pthread_t thread;
    *plan = NULL;
    if (!br_method_find(o->method, &making.method))
        return br_fail_unnamed(diag, &br_methods, o->method, SIZE_MAX, "there is no method '%s'",
                               o->method);
    if (!o->method)
        o->method = br_method_name(0);
    if (o->order) {
        making.method = (struct br_method){.kind = BR_METHOD_GIVEN};
        o->method = br_method_given;
    }
    if (o->objective != BR_OBJECTIVE_MAKESPAN && making.method.kind != BR_METHOD_BEST)
        return br_fail(diag, BR_USAGE, "take method best, or the objective makespan",
                       "method %s knows the objective makespan alone", o->method);
    making.effort = o->effort = br_effort_meant(o);
    if (o->objective != BR_OBJECTIVE_MAKESPAN)
        o->effort = BR_EFFORT_FAST;
    o->bound = br_plan_bound_meant(o, &making.method);
    if (o->threads != 1) {
        struct br_machine machine;
        br_machine_ask(&machine);
        o->threads = br_threads_meant(o, machine.processors);
    }
    br_watch_init(&making.watch, o);
    bool supervised = br_watch_needed(o);
    int error = supervised ? pthread_create(&thread, NULL, make_thread, &making) : 0;
    if (error == 0) {
        if (supervised) {
            beside = br_source_bound_begin(&room, dag, cluster, o);
            br_watch_run(&making.watch, beside);
            pthread_join(thread, NULL);
        } else {
            making.status = make_with_crew(&making);
        }
        if (!making.status && making.watch.timed_out && making.plan->note)
            making.plan->note =
                making.plan->note == br_proving_no_time
                    ? "the time limit ended the search, and left no time to prove the bound"
                    : "the time limit ended the search";
        int64_t found_ns = br_now_ns();
        enum br_status tightened = br_source_bound_end(
            beside, &making.watch, making.status ? NULL : making.plan, &making.diag);
        if (!making.status)
            making.status = tightened;
        if (!making.status)
            making.plan->counters.lp_ns = (uint64_t)(br_now_ns() - found_ns);
        if (making.status && diag)
            *diag = making.diag;
    } else {
        making.status = br_fail(diag, BR_SYSTEM, "allow the process more threads or memory",
                                "cannot start the planning thread: %s", strerror(error));
    }
    br_watch_finish(&making.watch);
    if (making.status)
        br_plan_destroy(making.plan);
    else
        *plan = making.plan;
    return making.status;
}
