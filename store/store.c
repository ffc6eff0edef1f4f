/* Stores of plans: decides which stored plan is the answer, and which of two stays. */
#include <bigrocks/store.h>

#include <assert.h>
#include <stdlib.h>

#include "base/process/stop.h"
#include "planner/eligibility/features.h"
#include "planner/search/method.h"
#include "store/file.h"
#include "store/refit.h"

struct br_store {
    struct br_store_file *file;
};

/* Efforts as numbers: fast, default, and from MAX on, max with its time limit in nanoseconds. */
enum { FAST, DEFAULT, MAX };

bool br_store_is_there(void)
{
    return br_store_file_is_there();
}

enum br_status br_store_open(const char *path, struct br_store **result, struct br_diag *diag)
{
    BR_NEED(diag, path, result);
    struct br_store *store = calloc(1, sizeof *store);
    *result = NULL;
    if (!store)
        return br_fail_memory(diag);
    enum br_status status = br_store_file_open(path, &store->file, diag);
    if (status)
        free(store);
    else
        *result = store;
    return status;
}

void br_store_close(struct br_store *store)
{
    if (!store)
        return;
    br_store_file_close(store->file);
    free(store);
}

enum br_status br_store_count(struct br_store *store, uint64_t *plans, struct br_diag *diag)
{
    BR_NEED(diag, store, plans);
    return br_store_file_count(store->file, plans, diag);
}

/* The effort that the options ask for. */
static int64_t asked(const struct br_plan_options *options)
{
    struct br_method method;
    if (!options || !br_method_find(options->method, &method) || method.kind != BR_METHOD_BEST)
        return FAST;
    switch (br_effort_meant(options)) {
    case BR_EFFORT_FAST:
        return FAST;
    case BR_EFFORT_DEFAULT:
        return DEFAULT;
    default:
        break;
    }
    if (options->placements) /* which may end it before its time */
        return MAX;
    if (options->time_limit_ns > 0)
        return options->time_limit_ns < INT64_MAX - MAX ? MAX + options->time_limit_ns : INT64_MAX;
    return INT64_MAX;
}

/* The effort actually made by a search with the options. */
static int64_t made(const struct br_plan_options *options, const struct br_plan *plan)
{
    const int64_t effort = asked(options);
    if (effort == FAST || br_stopped(options->stop) || (effort == DEFAULT && plan->note))
        return FAST;
    return effort;
}

static struct br_store_keys keys_of(const struct br_dag *dag, const struct br_cluster *cluster)
{
    return (struct br_store_keys){br_dag_fingerprint(dag, false), br_dag_details_fingerprint(dag),
                                  br_cluster_fingerprint(cluster)};
}

static bool meets_bound(const struct br_plan *plan)
{
    return plan->certificate && plan->lower_bound_ns == plan->makespan_ns;
}

/* ---- Reading ---- */

/* Arguments common to all calls. */
static enum br_status check_asked(const struct br_dag *dag, const struct br_cluster *cluster,
                                  const struct br_plan_options *options, struct br_diag *diag)
{
    if (!dag->finished)
        return br_fail(diag, BR_USAGE, "call br_dag_finish first", "the job is not finished");
    if (options && options->order)
        return br_fail(diag, BR_USAGE, "plan without a store, or without an order",
                       "plans in a given order are not kept");
    if (options && options->objective != BR_OBJECTIVE_MAKESPAN)
        return br_fail(diag, BR_USAGE, "plan without the store, or for the makespan",
                       "plans for other objectives than the makespan are not kept");
    const enum br_status status = br_options_check(options, diag);
    return status ? status : br_features_refuse(dag, cluster, 0, "the store of plans", diag);
}

struct question {
    struct br_store *store;
    const struct br_dag *dag;
    const struct br_cluster *cluster;
    struct br_instance *in; /* NULL until first needed */
    struct br_store_keys keys;
};

/* The newest row before the one of id `before`. */
static enum br_status store_look(struct question *q, enum br_store_which which, int64_t before,
                                 struct br_store_row *row, struct br_plan **plan,
                                 struct br_diag *diag)
{
    *plan = NULL;
    enum br_status status = br_store_file_find(q->store->file, &q->keys, which, before, row, diag);
    if (status || !row->id)
        return status;
    if (!q->in)
        status = br_instance_create(q->dag, q->cluster, &q->in, diag);
    if (status)
        return status;
    status = which == BR_STORE_SAME
                 ? br_store_row_revive(row, q->dag, q->cluster, q->in, plan, diag)
                 : br_store_refit(row, q->dag, q->cluster, q->in, plan, diag);
    return status == BR_NO ? BR_OK : status; /* a useless row counts as none */
}

/* *effort is that of the row. */
static enum br_status get(struct question *q, struct br_plan **plan, struct br_store_hit *hit,
                          int64_t *effort, struct br_diag *diag)
{
    static const enum br_store_which order[] = {BR_STORE_SAME, BR_STORE_CLUSTER, BR_STORE_NEWEST};
    enum br_status status = BR_OK;
    *hit = (struct br_store_hit){.match = BR_STORE_MISS};
    *effort = FAST;
    *plan = NULL;
    int64_t before = INT64_MAX;
    for (uint32_t k = 0; k < 3 && !status && !*plan;) {
        struct br_store_row row = {0};
        status = store_look(q, order[k], before, &row, plan, diag);
        if (!status && *plan) {
            *effort = row.effort;
            *hit = (struct br_store_hit){
                .match = order[k] == BR_STORE_SAME ? BR_STORE_EXACT : BR_STORE_REFITTED,
                .same_details = row.keys.details == q->keys.details,
                .same_cluster = row.keys.cluster == q->keys.cluster,
                .stored_ns = row.makespan_ns,
                .found_ns = (*plan)->makespan_ns,
            };
        }
        assert(row.id == 0 || row.id < before);
        before = row.id ? row.id : INT64_MAX; /* a useless row does not hide those before it */
        k += !row.id;
        br_store_row_finish(&row);
    }
    return status;
}

static struct question store_ask(struct br_store *store, const struct br_dag *dag,
                                 const struct br_cluster *cluster)
{
    return (struct question){
        .store = store, .dag = dag, .cluster = cluster, .keys = keys_of(dag, cluster)};
}

enum br_status br_store_get(struct br_store *store, const struct br_dag *dag,
                            const struct br_cluster *cluster, const struct br_plan_options *options,
                            struct br_plan **plan, struct br_store_hit *hit, struct br_diag *diag)
{
    BR_NEED(diag, store, dag, cluster, plan, hit);
    *plan = NULL;
    enum br_status status = check_asked(dag, cluster, options, diag);
    if (status)
        return status;
    struct question q = store_ask(store, dag, cluster);
    int64_t effort;
    status = get(&q, plan, hit, &effort, diag);
    if (!status && *plan)
        hit->enough = effort >= asked(options) || meets_bound(*plan);
    br_instance_destroy(q.in);
    return status;
}

/* ---- Writing ---- */

/* Fills the row to write from the plan and from the stored row (NULL: none), which has the row's id
 * and effort. *same: the stored row is already equal. */
static enum br_status store_merge(struct br_store_row *row, const struct question *q,
                                  const struct br_plan *plan, const struct br_plan *there,
                                  bool *same, struct br_diag *diag)
{
    const bool shorter = !there || plan->makespan_ns < there->makespan_ns;
    const bool raised = there && plan->certificate &&
                        (!there->certificate || plan->lower_bound_ns > there->lower_bound_ns);
    const struct br_plan *bound = !there || raised ? plan : there;
    enum br_status status = br_store_row_fill(row, q->dag, shorter ? plan : there, diag);
    if (!status)
        status = br_store_row_fill_bound(row, q->dag, bound, diag);
    *same = !shorter && !raised;
    assert(status || row->makespan_ns <= plan->makespan_ns);
    return status;
}

static enum br_status store_put(struct question *q, int64_t effort, const struct br_plan *plan,
                                struct br_diag *diag)
{
    enum br_status status = BR_OK;
    for (bool written = false; !status && !written;) {
        struct br_store_row found = {0}, row = {0};
        struct br_plan *there = NULL;
        bool same = false;
        status = store_look(q, BR_STORE_SAME, INT64_MAX, &found, &there, diag);
        row.id = found.id;
        row.keys = q->keys;
        row.effort = there && found.effort > effort ? found.effort : effort;
        assert(row.effort >= effort);
        if (!status)
            status = store_merge(&row, q, plan, there, &same, diag);
        written = same && row.effort == found.effort;
        if (!status &&
            !written) /* false if another program has written one meanwhile: look again */
            status = br_store_file_put(q->store->file, &row, &written, diag);
        br_plan_destroy(there);
        br_store_row_finish(&found);
        br_store_row_finish(&row);
    }
    return status;
}

static enum br_status check_kept(const struct br_plan *plan, struct br_diag *diag)
{
    if (plan->network)
        return br_fail(diag, BR_USAGE, NULL, "plans that account for transfers are not stored");
    if (plan->objective != BR_OBJECTIVE_MAKESPAN)
        return br_fail(diag, BR_USAGE, NULL,
                       "plans for other objectives than the makespan are not kept");
    return BR_OK;
}

enum br_status br_store_put(struct br_store *store, const struct br_dag *dag,
                            const struct br_cluster *cluster, const struct br_plan_options *options,
                            const struct br_plan *plan, struct br_diag *diag)
{
    BR_NEED(diag, store, dag, cluster, plan);
    enum br_status status = check_asked(dag, cluster, options, diag);
    if (status)
        return status;
    struct question q = store_ask(store, dag, cluster);
    status = check_kept(plan, diag);
    if (!status)
        status = br_plan_verify(plan, dag, cluster, 1, NULL, NULL, diag);
    if (!status)
        status = store_put(&q, made(options, plan), plan, diag);
    br_instance_destroy(q.in);
    return status;
}

/* ---- Both ---- */

/* Leaves the shorter of two plans in *plan, which may be NULL, with the better of both bounds,
 * since both are bounds of this job. Takes the fresh plan. */
static enum br_status keep_shorter(struct br_plan **plan, struct br_plan *fresh,
                                   struct br_diag *diag)
{
    struct br_plan *other = fresh;
    enum br_status status = BR_OK;
    if (!*plan || fresh->makespan_ns < (*plan)->makespan_ns) {
        other = *plan;
        *plan = fresh;
    }
    if (other && other->certificate && other->lower_bound_ns > (*plan)->lower_bound_ns) {
        struct br_certificate *certificate = other->certificate;
        other->certificate = NULL;
        status = br_plan_prove(*plan, certificate, other->bound_method, diag);
    }
    assert(!other || (*plan)->makespan_ns <= other->makespan_ns);
    br_plan_destroy(other);
    return status;
}

/* Plans by the options, or beside a refitted plan by effort fast. *effort becomes that of the plan
 * left in *plan. */
static enum br_status plan_beside(struct question *q, const struct br_plan_options *options,
                                  bool fast, struct br_plan **plan, int64_t *effort,
                                  struct br_store_hit *hit, struct br_diag *diag)
{
    struct br_plan_options fresh_options = options ? *options : br_plan_options_default();
    struct br_plan *fresh;
    if (fast)
        fresh_options.effort = BR_EFFORT_FAST;
    enum br_status status = br_plan_make(q->dag, q->cluster, &fresh_options, &fresh, diag);
    if (status)
        return status;
    const int64_t spent = made(&fresh_options, fresh);
    const bool found_stays = *plan && (*plan)->makespan_ns <= fresh->makespan_ns;
    hit->fresh_ns = fresh->makespan_ns;
    *effort = found_stays && *effort > spent ? *effort : spent;
    return keep_shorter(plan, fresh, diag);
}

enum br_status br_store_plan(struct br_store *store, const struct br_dag *dag,
                             const struct br_cluster *cluster,
                             const struct br_plan_options *options, struct br_plan **plan,
                             struct br_store_hit *hit, struct br_diag *diag)
{
    BR_NEED(diag, store, dag, cluster, plan);
    const struct br_plan_options usual = br_plan_options_default();
    struct br_store_hit own = {0};
    *plan = NULL;
    enum br_status status = check_asked(dag, cluster, options, diag);
    if (status)
        return status;
    struct question q = store_ask(store, dag, cluster);
    int64_t effort;
    options = options ? options : &usual;
    hit = hit ? hit : &own;
    status = get(&q, plan, hit, &effort, diag);
    if (!status && *plan)
        hit->enough = effort >= asked(options) || meets_bound(*plan);
    if (!status && !(hit->match == BR_STORE_EXACT && hit->enough)) {
        status = plan_beside(&q, options, hit->match == BR_STORE_REFITTED && hit->enough, plan,
                             &effort, hit, diag);
        if (!status)
            status = store_put(&q, effort, *plan, diag);
    }
    if (status) {
        br_plan_destroy(*plan);
        *plan = NULL;
    }
    br_instance_destroy(q.in);
    return status;
}
