/* Stores of plans: what comes out is what was put in, or a plan of this job, whatever the file
 * holds and whoever writes to it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <bigrocks/store.h>

#include "base/numbers/rng.h"
#include "base/process/parallel.h"
#include "planner/model/plan.h"
#include "store/file.h"
#include "tests/support/random_job.h"

static char path[64];

static int make_path(void **state)
{
    snprintf(path, sizeof path, "/tmp/bigrocks-store.XXXXXX");
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int remove_files(void **state)
{
    static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
        char name[96];
        snprintf(name, sizeof name, "%s%s", path, endings[k]);
        unlink(name);
    }
    return 0;
}

static struct br_store *open_store(void)
{
    struct br_store *store;
    struct br_diag diag = {0};
    if (br_store_open(path, &store, &diag))
        fail_msg("%s", diag.what);
    return store;
}

static struct br_plan *make_plan(const struct random_job *job, const char *method)
{
    struct br_plan_options options = br_plan_options_default();
    struct br_plan *plan;
    struct br_diag diag = {0};
    options.effort = BR_EFFORT_FAST;
    options.threads = 1;
    options.method = method;
    if (br_plan_make(job->dag, job->cluster, &options, &plan, &diag))
        fail_msg("%s", diag.what);
    return plan;
}

static void put(struct br_store *store, const struct random_job *job,
                const struct br_plan_options *options, const struct br_plan *plan)
{
    struct br_diag diag = {0};
    if (br_store_put(store, job->dag, job->cluster, options, plan, &diag))
        fail_msg("%s", diag.what);
}

/* The plan, judged; NULL on a miss. */
static struct br_plan *get(struct br_store *store, const struct random_job *job,
                           const struct br_plan_options *options, struct br_store_hit *hit)
{
    struct br_plan *plan;
    struct br_diag diag = {0};
    if (br_store_get(store, job->dag, job->cluster, options, &plan, hit, &diag))
        fail_msg("%s", diag.what);
    assert_int_equal(plan == NULL, hit->match == BR_STORE_MISS);
    if (!plan)
        return NULL;
    assert_int_equal(plan->makespan_ns, hit->found_ns);
    if (br_plan_verify(plan, job->dag, job->cluster, 1, NULL, NULL, &diag))
        fail_msg("%s", diag.what);
    assert_non_null(plan->certificate);
    if (br_certificate_verify(plan->certificate, job->dag, job->cluster, plan->lower_bound_ns,
                              &diag))
        fail_msg("%s", diag.what);
    return plan;
}

/* The job again with durations of its own: percent[k % 4] of what they were. */
static struct br_dag *copy_job(const struct br_dag *dag, const uint32_t percent[4])
{
    struct br_dag *copy = br_dag_create(dag->name);
    struct br_diag diag = {0};
    bool ok = copy != NULL;
    for (uint32_t s = 0; ok && s < dag->stages; s++) {
        const struct br_stage *stage = &dag->stage[s];
        ok = !br_dag_add_stage(copy, stage->id, stage->tasks, 1, NULL, &diag);
        for (uint32_t k = 0; ok && k < stage->tasks; k++) {
            const int64_t old_ns = dag->duration_ns[stage->first_task + k];
            ok = !br_dag_set_duration(copy, s, k, old_ns * percent[(s + k) % 4] / 100, &diag);
        }
        for (uint32_t k = 0; ok && k < stage->demands; k++) {
            const struct br_demand *demand = &dag->demand[stage->first_demand + k];
            char amount[BR_DECIMAL_TEXT];
            br_decimal_format(demand->amount, amount, sizeof amount);
            ok = !br_dag_add_demand(copy, s, dag->resource[demand->resource].name, amount, &diag);
        }
    }
    for (uint32_t e = 0; ok && e < dag->edges; e++)
        ok = !br_dag_add_edge(copy, dag->edge[e].parent, dag->edge[e].child, dag->edge[e].type,
                              &diag);
    if (!ok || br_dag_finish(copy, &diag))
        fail_msg("%s", diag.what);
    return copy;
}

/* The cluster with so many machines more of every class. */
static struct br_cluster *copy_cluster(const struct br_cluster *cluster, uint32_t more)
{
    struct br_cluster *copy = br_cluster_create("copy");
    struct br_diag diag = {0};
    for (uint32_t c = 0; c < cluster->classes; c++) {
        const struct br_class *cls = &cluster->cls[c];
        assert_int_equal(br_cluster_add_class(copy, cls->name, cls->count + more, NULL, &diag), 0);
        for (uint32_t k = 0; k < cls->capacities; k++) {
            char amount[BR_DECIMAL_TEXT];
            br_decimal_format(cls->capacity[k].amount, amount, sizeof amount);
            assert_int_equal(
                br_cluster_add_capacity(copy, c, cls->capacity[k].resource, amount, &diag), 0);
        }
    }
    return copy;
}

/* A plan that was put comes out as it was, with its bound, and from a file opened anew. */
static void test_exact(void **state)
{
    const unsigned jobs = random_jobs(400);
    struct br_store *store = open_store();
    for (unsigned seed = 1; seed <= jobs; seed++) {
        struct random_job job;
        struct br_store_hit hit;
        assert_true(random_job_make(seed, 24, 0, &job));
        struct br_plan *plan = make_plan(&job, NULL);
        put(store, &job, NULL, plan);
        if (seed % 50 == 0) {
            br_store_close(store);
            store = open_store();
        }
        struct br_plan *found = get(store, &job, NULL, &hit);
        assert_int_equal(hit.match, BR_STORE_EXACT);
        assert_true(hit.same_details && hit.same_cluster && hit.enough);
        assert_int_equal(hit.stored_ns, plan->makespan_ns);
        assert_memory_equal(found->start_ns, plan->start_ns, plan->tasks * sizeof(int64_t));
        assert_memory_equal(found->machine, plan->machine, plan->tasks * sizeof(uint32_t));
        assert_memory_equal(found->order, plan->order, plan->tasks * sizeof(uint32_t));
        assert_int_equal(found->lower_bound_ns, plan->lower_bound_ns);
        assert_string_equal(found->method, plan->method);
        assert_string_equal(found->bound_method, plan->bound_method);
        assert_int_equal(found->seed, plan->seed);
        assert_int_equal(found->placements, plan->placements);
        br_plan_destroy(found);
        br_plan_destroy(plan);
        random_job_finish(&job);
    }
    br_store_close(store);
}

/* Of a job whose durations or machines have changed comes a plan of it as it is now; and one that
 * is no longer than the stored one where nothing got worse, on however many machines. */
static void test_refit(void **state)
{
    static const uint32_t changes[][4] = {
        {200, 200, 200, 200}, {50, 100, 25, 75}, {300, 20, 100, 170}, {0, 100, 100, 0}};
    const unsigned jobs = random_jobs(400);
    unsigned several = 0, known = 0;
    struct br_store *store = open_store();
    for (unsigned seed = 1; seed <= jobs; seed++) {
        struct random_job job, other;
        struct br_store_hit hit;
        const unsigned kind = seed % 4, more = seed / 4 % 2;
        assert_true(random_job_make(seed, 60, 0, &job));
        other.dag = copy_job(job.dag, changes[kind]);
        other.cluster = copy_cluster(job.cluster, more);
        struct br_plan *found = get(store, &other, NULL, &hit);
        if (found) { /* small jobs are alike */
            known++;
            br_plan_destroy(found);
            random_job_finish(&job);
            random_job_finish(&other);
            continue;
        }
        struct br_plan *plan = make_plan(&job, NULL);
        put(store, &job, NULL, plan);
        found = get(store, &other, NULL, &hit);
        assert_non_null(found);
        assert_int_equal(hit.same_cluster, !more);
        assert_int_equal(hit.match,
                         hit.same_details && hit.same_cluster ? BR_STORE_EXACT : BR_STORE_REFITTED);
        assert_int_equal(hit.stored_ns, plan->makespan_ns);
        if (kind != 2)
            assert_true(found->makespan_ns <= plan->makespan_ns * (kind ? 1 : 2));
        several += job.cluster->machines > 1 && !hit.same_details;
        br_plan_destroy(found);
        br_plan_destroy(plan);
        random_job_finish(&job);
        random_job_finish(&other);
    }
    br_store_close(store);
    assert_true(several * 8 > jobs && known * 2 < jobs);
}

/* A job of stages that each need the whole machine. */
static struct random_job make_line(uint64_t seed, uint32_t stages, const uint32_t percent[4])
{
    struct br_rng rng = br_rng_seed(seed);
    struct random_job job = {br_dag_create("line"), br_cluster_create(NULL)};
    for (uint32_t s = 0; s < stages; s++) {
        char id[16];
        snprintf(id, sizeof id, "s%u", s);
        const int64_t duration_ns = 100 + (int64_t)br_rng_below(&rng, 1000) * 100;
        br_dag_add_stage(job.dag, id, 1, duration_ns * percent[s % 4] / 100, NULL, NULL);
        br_dag_add_demand(job.dag, s, "cpu", "1", NULL);
        if (s && br_rng_below(&rng, 2))
            br_dag_add_edge(job.dag, (uint32_t)br_rng_below(&rng, s), s, BR_BARRIER, NULL);
    }
    assert_int_equal(br_dag_finish(job.dag, NULL), BR_OK);
    br_cluster_add_class(job.cluster, "m", 1, NULL, NULL);
    br_cluster_add_capacity(job.cluster, 0, "cpu", "1", NULL);
    return job;
}

/* Where tasks run one after another, their order is the stored one whatever they last. */
static void test_order(void **state)
{
    static const uint32_t as_it_was[4] = {100, 100, 100, 100}, changed[4] = {30, 170, 400, 90};
    struct br_store *store = open_store();
    for (uint64_t seed = 1; seed <= random_jobs(200); seed++) {
        const uint32_t stages = 2 + (uint32_t)seed % 30;
        struct random_job job = make_line(seed, stages, as_it_was);
        struct random_job other = make_line(seed, stages, changed);
        struct br_store_hit hit;
        /* By a method that does not go by what is asked here. */
        struct br_plan *plan = make_plan(&job, seed % 2 ? "random" : "dfs");
        put(store, &job, NULL, plan);
        struct br_plan *found = get(store, &other, NULL, &hit);
        assert_int_equal(hit.match, BR_STORE_REFITTED);
        assert_memory_equal(found->order, plan->order, stages * sizeof *plan->order);
        br_plan_destroy(found);
        br_plan_destroy(plan);
        random_job_finish(&job);
        random_job_finish(&other);
    }
    br_store_close(store);
}

/* The newest plan of the form is refitted, one for the same cluster before all others. */
static void test_choice(void **state)
{
    static const uint32_t percent[4][4] = {
        {100, 100, 100, 100}, {200, 100, 100, 100}, {300, 100, 100, 100}, {400, 100, 100, 100}};
    struct br_store *store = open_store();
    struct random_job job = make_line(3, 9, percent[3]);
    struct br_cluster *wide = copy_cluster(job.cluster, 2);
    int64_t makespan_ns[3];
    struct br_store_hit hit;
    assert_null(get(store, &job, NULL, &hit));
    for (uint32_t k = 0; k < 3; k++) {
        struct random_job stored = make_line(3, 9, percent[k]);
        if (k == 2) {
            br_cluster_destroy(stored.cluster);
            stored.cluster = copy_cluster(wide, 0);
        }
        struct br_plan *plan = make_plan(&stored, NULL);
        makespan_ns[k] = plan->makespan_ns;
        put(store, &stored, NULL, plan);
        br_plan_destroy(plan);
        br_plan_destroy(get(store, &job, NULL, &hit));
        assert_int_equal(hit.stored_ns, makespan_ns[k < 2 ? k : 1]);
        assert_true(hit.same_cluster);
        random_job_finish(&stored);
    }
    struct random_job on_wide = {job.dag, wide};
    br_plan_destroy(get(store, &on_wide, NULL, &hit));
    assert_int_equal(hit.stored_ns, makespan_ns[2]);
    br_cluster_destroy(wide);
    random_job_finish(&job);
    br_store_close(store);
}

/* A longer plan of the same job never replaces a shorter one; its effort is remembered all the
 * same. */
static void test_worse(void **state)
{
    unsigned different = 0;
    struct br_store *store = open_store();
    struct br_plan_options options = br_plan_options_default();
    for (unsigned seed = 1; seed <= random_jobs(200); seed++) {
        struct random_job job;
        struct br_store_hit hit;
        assert_true(random_job_make(seed, 40, 0, &job));
        struct br_plan *good = make_plan(&job, NULL), *bad = make_plan(&job, "random");
        different += bad->makespan_ns > good->makespan_ns;
        put(store, &job, NULL, seed % 2 ? good : bad);
        struct br_plan *found = get(store, &job, &options, &hit);
        assert_int_equal(hit.enough, found->makespan_ns == found->lower_bound_ns);
        br_plan_destroy(found);
        put(store, &job, &options, seed % 2 ? bad : good);
        found = get(store, &job, &options, &hit);
        assert_int_equal(hit.stored_ns, good->makespan_ns);
        assert_int_equal(found->makespan_ns, good->makespan_ns);
        assert_int_equal(found->lower_bound_ns, good->lower_bound_ns);
        assert_true(hit.enough);
        br_plan_destroy(found);
        br_plan_destroy(good);
        br_plan_destroy(bad);
        random_job_finish(&job);
    }
    assert_true(different > 0);
    uint64_t plans;
    assert_int_equal(br_store_count(store, &plans, NULL), BR_OK);
    assert_true(plans <= random_jobs(200));
    br_store_close(store);
}

/* A job whose plan does not meet its bound, so that effort matters. */
static struct random_job open_job(void)
{
    for (uint64_t seed = 1;; seed++) {
        struct random_job job;
        assert_true(random_job_make(seed, 40, 0, &job));
        struct br_plan *plan = make_plan(&job, NULL);
        const bool open = plan->lower_bound_ns < plan->makespan_ns;
        br_plan_destroy(plan);
        if (open)
            return job;
        random_job_finish(&job);
    }
}

/* Fast, default and max with ever longer limits: each is enough for itself and for less. */
static void test_effort(void **state)
{
    enum { EFFORTS = 6 };
    struct br_plan_options options[EFFORTS];
    struct random_job job = open_job();
    struct br_plan *plan = make_plan(&job, NULL);
    for (int k = 0; k < EFFORTS; k++)
        options[k] = br_plan_options_default();
    options[0].effort = BR_EFFORT_FAST;
    for (int k = 2; k < EFFORTS; k++)
        options[k].effort = BR_EFFORT_MAX;
    options[2].placements = 1000;
    options[3].time_limit_ns = 1000000;
    options[4].time_limit_ns = 2000000;
    struct br_plan_options other = options[5];
    other.method = "graphene";
    for (int made = 0; made < EFFORTS; made++) {
        struct br_store_hit hit;
        remove_files(NULL);
        struct br_store *store = open_store();
        put(store, &job, &other, plan); /* counts as fast */
        br_plan_destroy(get(store, &job, &options[1], &hit));
        assert_false(hit.enough);
        put(store, &job, &options[made], plan);
        put(store, &job, NULL, plan); /* takes nothing away */
        for (int asked = 0; asked < EFFORTS; asked++) {
            br_plan_destroy(get(store, &job, &options[asked], &hit));
            assert_int_equal(hit.enough, asked <= made);
        }
        br_store_close(store);
    }
    /* What a stop or a limit cut short counts as fast. */
    remove_files(NULL);
    struct br_store *store = open_store();
    struct br_store_hit hit;
    struct br_stop stop = {0};
    br_stop_raise(&stop);
    options[5].stop = &stop;
    put(store, &job, &options[5], plan);
    plan->note = "the time limit ended the search";
    put(store, &job, &options[1], plan);
    br_plan_destroy(get(store, &job, &options[1], &hit));
    assert_false(hit.enough);
    br_store_close(store);
    br_plan_destroy(plan);
    random_job_finish(&job);
}

/* Planning with a store: first a plan, then the same without a search, then with changed durations
 * the shorter of the refitted and a fresh one, which is stored. */
static void test_plan(void **state)
{
    static const uint32_t changed[4] = {90, 110, 100, 140};
    struct br_plan_options options = br_plan_options_default();
    options.placements = 2000;
    options.threads = 1;
    struct br_store *store = open_store();
    unsigned kept = 0, fresher = 0;
    for (unsigned seed = 1; seed <= random_jobs(100); seed++) {
        struct random_job job, other;
        struct br_store_hit hit;
        struct br_plan *plan, *again;
        assert_true(random_job_make(seed, 30, 0, &job));
        other = (struct random_job){copy_job(job.dag, changed), copy_cluster(job.cluster, 0)};
        assert_int_equal(br_store_plan(store, job.dag, job.cluster, &options, &plan, &hit, NULL),
                         BR_OK);
        assert_int_equal(hit.fresh_ns >= plan->makespan_ns, 1);
        assert_int_equal(br_store_plan(store, job.dag, job.cluster, &options, &again, &hit, NULL),
                         BR_OK);
        assert_int_equal(hit.match, BR_STORE_EXACT);
        assert_int_equal(hit.fresh_ns == 0, hit.enough);
        assert_true(again->makespan_ns <= plan->makespan_ns);
        br_plan_destroy(again);
        br_plan_destroy(plan);
        assert_int_equal(
            br_store_plan(store, other.dag, other.cluster, &options, &plan, &hit, NULL), BR_OK);
        if (hit.match == BR_STORE_REFITTED) {
            assert_true(hit.found_ns > 0 && hit.fresh_ns > 0);
            assert_int_equal(plan->makespan_ns,
                             hit.found_ns < hit.fresh_ns ? hit.found_ns : hit.fresh_ns);
            kept += hit.found_ns <= hit.fresh_ns;
            fresher += hit.found_ns > hit.fresh_ns;
            struct br_plan *stored = get(store, &other, NULL, &hit);
            assert_int_equal(hit.match, BR_STORE_EXACT);
            assert_memory_equal(stored->start_ns, plan->start_ns, plan->tasks * sizeof(int64_t));
            br_plan_destroy(stored);
        }
        br_plan_destroy(plan);
        random_job_finish(&job);
        random_job_finish(&other);
    }
    assert_true(kept > 0 && fresher > 0);
    br_store_close(store);
}

/* A shorter plan that is made beside the stored one does not lose the bound that was proven before,
 * neither in the answer nor in the file. */
static void test_bound_stays(void **state)
{
    struct br_plan_options most = br_plan_options_default(), little = most;
    most.threads = little.threads = 1;
    little.placements = 1;
    struct br_store *store = open_store();
    unsigned weaker = 0;
    for (uint64_t seed = 1; seed <= random_jobs(100); seed++) {
        struct random_job job;
        struct br_store_hit hit;
        struct br_plan *strong, *alone, *plan;
        assert_true(random_job_make(seed, 40, 0, &job));
        assert_int_equal(br_plan_make(job.dag, job.cluster, &most, &strong, NULL), BR_OK);
        assert_int_equal(br_plan_make(job.dag, job.cluster, &little, &alone, NULL), BR_OK);
        struct br_plan *poor = make_plan(&job, "random");
        const int64_t bound_ns = strong->lower_bound_ns;
        struct br_certificate *certificate = strong->certificate;
        strong->certificate = NULL;
        assert_int_equal(br_plan_prove(poor, certificate, strong->bound_method, NULL), BR_OK);
        put(store, &job, NULL, poor);
        assert_int_equal(br_store_plan(store, job.dag, job.cluster, &little, &plan, &hit, NULL),
                         BR_OK);
        assert_true(plan->lower_bound_ns >= bound_ns);
        weaker +=
            hit.fresh_ns > 0 && hit.fresh_ns < hit.found_ns && alone->lower_bound_ns < bound_ns;
        br_plan_destroy(plan);
        plan = get(store, &job, NULL, &hit);
        assert_true(plan->lower_bound_ns >= bound_ns);
        br_plan_destroy(plan);
        br_plan_destroy(poor);
        br_plan_destroy(alone);
        br_plan_destroy(strong);
        random_job_finish(&job);
    }
    assert_true(weaker > 0);
    br_store_close(store);
}

/* ---- Several at once ---- */

enum { WRITERS = 4, EACH = 20 };

/* Its own jobs, and between them one that all of them put, each with another plan. */
static void write_many(struct br_store *store, uint32_t writer)
{
    static const char *const method[WRITERS] = {"random", "dfs", NULL, "bfs"};
    struct random_job shared;
    assert_true(random_job_make(1000000, 40, 0, &shared));
    struct br_plan *common = make_plan(&shared, method[writer]);
    for (uint32_t k = 0; k < EACH; k++) {
        struct random_job job;
        assert_true(random_job_make(1 + writer * EACH + k, 24, 0, &job));
        struct br_plan *plan = make_plan(&job, NULL);
        put(store, &job, NULL, plan);
        put(store, &shared, NULL, common);
        br_plan_destroy(plan);
        random_job_finish(&job);
    }
    br_plan_destroy(common);
    random_job_finish(&shared);
}

static void check_many(struct br_store *store)
{
    struct random_job job;
    struct br_store_hit hit;
    for (uint32_t seed = 1; seed <= WRITERS * EACH; seed++) {
        assert_true(random_job_make(seed, 24, 0, &job));
        br_plan_destroy(get(store, &job, NULL, &hit));
        assert_int_equal(hit.match, BR_STORE_EXACT);
        random_job_finish(&job);
    }
    assert_true(random_job_make(1000000, 40, 0, &job));
    struct br_plan *best = make_plan(&job, NULL), *found = get(store, &job, NULL, &hit);
    assert_int_equal(hit.match, BR_STORE_EXACT);
    assert_int_equal(found->makespan_ns, best->makespan_ns);
    br_plan_destroy(best);
    br_plan_destroy(found);
    random_job_finish(&job);
}

/* Processes that put at once, and make the file at once, lose no plan, and the shortest stays. */
static void test_processes(void **state)
{
    pid_t child[WRITERS];
    for (uint32_t w = 0; w < WRITERS; w++) {
        child[w] = fork();
        if (child[w] == 0) { /* whose failed assertions would go on with the next test */
            struct br_store *store;
            struct br_diag diag = {0};
            if (br_store_open(path, &store, &diag)) {
                fprintf(stderr, "%s\n", diag.what);
                _exit(1);
            }
            write_many(store, w);
            br_store_close(store);
            _exit(0);
        }
        assert_true(child[w] > 0);
    }
    for (uint32_t w = 0; w < WRITERS; w++) {
        int status = -1;
        assert_int_equal(waitpid(child[w], &status, 0), child[w]);
        assert_int_equal(status, 0);
    }
    struct br_store *store = open_store();
    check_many(store);
    br_store_close(store);
}

static bool write_some(void *context, uint32_t worker, uint32_t turn)
{
    write_many(context, turn);
    return true;
}

static void test_threads(void **state)
{
    struct br_store *store = open_store();
    br_parallel(WRITERS, WRITERS, write_some, store);
    check_many(store);
    br_store_close(store);
}

/* ---- Files that are not what they say ---- */

static void refuse(const char *text, size_t size, const char *words)
{
    struct br_store *store;
    struct br_diag diag = {0};
    remove_files(NULL);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(br_store_open(path, &store, &diag), BR_BAD_INPUT);
    assert_null(store);
    if (!strstr(diag.what, words) || !*diag.hint || strcmp(diag.file, path) != 0)
        fail_msg("%s: %s; %s", diag.file, diag.what, diag.hint);
}

static char *read_whole(size_t *size)
{
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    *size = (size_t)about.st_size;
    char *bytes = malloc(*size);
    FILE *file = fopen(path, "r");
    assert_true(bytes && file);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

/* Bytes changed and files cut short end in a plan of the job, a miss or an error; put as well. */
static void test_damage(void **state)
{
    struct random_job job = open_job();
    struct br_plan *plan = make_plan(&job, NULL);
    struct br_store *store = open_store();
    put(store, &job, NULL, plan);
    br_store_close(store);
    size_t size;
    char *whole = read_whole(&size);
    refuse("no database at all, and longer than nothing", 43, "not a database");
    /* The version in the header of the file. */
    char other = whole[63];
    whole[63]++;
    refuse(whole, size, "another kind");
    whole[63] = other;
    unsigned errors = 0, misses = 0, hits = 0;
    struct br_rng rng = br_rng_seed(7);
    for (unsigned k = 0; k < random_jobs(600); k++) {
        struct br_diag diag = {0};
        const size_t cut = k % 10 == 0 ? br_rng_below(&rng, size) : size;
        char *bytes = malloc(size);
        memcpy(bytes, whole, size);
        for (int n = 0; n < 3 && k % 10; n++)
            bytes[br_rng_below(&rng, size)] ^= (char)(1 << br_rng_below(&rng, 8));
        remove_files(NULL);
        FILE *file = fopen(path, "w");
        assert_true(file && fwrite(bytes, 1, cut, file) == cut && fclose(file) == 0);
        free(bytes);
        enum br_status status = br_store_open(path, &store, &diag);
        struct br_store_hit hit;
        struct br_plan *found = NULL;
        if (!status)
            status = br_store_get(store, job.dag, job.cluster, NULL, &found, &hit, &diag);
        if (status) {
            assert_true(status == BR_BAD_INPUT || status == BR_SYSTEM);
            assert_true(*diag.what != 0);
            errors++;
        } else if (found) {
            assert_int_equal(br_plan_verify(found, job.dag, job.cluster, 1, NULL, NULL, &diag), 0);
            hits++;
        } else {
            misses++;
        }
        br_plan_destroy(found);
        if (!status && !br_store_put(store, job.dag, job.cluster, NULL, plan, &diag) &&
            !br_store_get(store, job.dag, job.cluster, NULL, &found, &hit, &diag))
            br_plan_destroy(found);
        br_store_close(store);
    }
    assert_true(errors && misses && hits);
    free(whole);
    br_plan_destroy(plan);
    random_job_finish(&job);
}

/* Rows whose checksums are right and whose plans are wrong: no wrong plan comes out of them, nor a
 * bound that is not one; and a put replaces them, however short they claim to be. */
static void test_forged(void **state)
{
    struct random_job job = open_job();
    struct br_plan *plan = make_plan(&job, NULL);
    struct br_store *store = open_store();
    put(store, &job, NULL, plan);
    br_store_close(store);
    struct br_store_keys keys = {br_dag_fingerprint(job.dag, false),
                                 br_dag_details_fingerprint(job.dag),
                                 br_cluster_fingerprint(job.cluster)};
    char *more = br_certificate_text(plan->certificate, job.dag);
    plan->certificate->part[0].bound++;
    char *false_proof = br_certificate_text(plan->certificate, job.dag);
    plan->certificate->part[0].bound--;
    assert_string_not_equal(more, false_proof);
    free(more);
    for (int kind = 0; kind < 7; kind++) {
        struct br_store_file *file;
        struct br_store_row row;
        struct br_store_hit hit;
        bool written;
        assert_int_equal(br_store_file_open(path, &file, NULL), BR_OK);
        assert_int_equal(br_store_file_find(file, &keys, BR_STORE_SAME, &row, NULL), BR_OK);
        unsigned char *cells = (unsigned char *)row.cells;
        row.makespan_ns = 1;
        if (kind == 0)
            memset(cells, 0, row.cells_size); /* all at once on the first machine */
        else if (kind == 1)
            memset(cells, 0xff, row.cells_size); /* before the beginning, on no machine */
        else if (kind == 2)
            row.cells_size -= BR_STORE_CELL;
        else if (kind == 3)
            row.certificate = "{}", row.certificate_size = 2;
        else if (kind == 4)
            memset(cells + 6, 0x7f, 2); /* in some hundred years */
        else if (kind == 5)
            row.certificate = false_proof, row.certificate_size = strlen(false_proof);
        else
            for (uint32_t t = 0; t < job.dag->tasks; t++)
                memset(cells + t * BR_STORE_CELL, (int)(job.dag->tasks - t), 1);
        assert_int_equal(br_store_file_put(file, &row, &written, NULL), BR_OK);
        assert_true(written);
        br_store_row_finish(&row);
        br_store_file_close(file);
        store = open_store();
        struct br_plan *found = get(store, &job, NULL, &hit);
        if (kind == 3 || kind == 5)
            assert_int_equal(hit.match, BR_STORE_EXACT);
        else
            assert_int_not_equal(hit.match, BR_STORE_EXACT);
        assert_int_equal(hit.match == BR_STORE_MISS, kind == 2);
        br_plan_destroy(found);
        put(store, &job, NULL, plan);
        found = get(store, &job, NULL, &hit);
        assert_int_equal(hit.match, BR_STORE_EXACT);
        assert_int_equal(found->makespan_ns, plan->makespan_ns);
        br_plan_destroy(found);
        br_store_close(store);
    }
    free(false_proof);
    br_plan_destroy(plan);
    random_job_finish(&job);
}

/* A wrong plan is not stored, nor one that accounts for transfers. */
static void test_refused(void **state)
{
    struct random_job job = open_job();
    struct br_plan *plan = make_plan(&job, NULL);
    struct br_store *store = open_store();
    struct br_diag diag = {0};
    uint64_t plans;
    plan->network = true;
    assert_int_equal(br_store_put(store, job.dag, job.cluster, NULL, plan, &diag), BR_USAGE);
    plan->network = false;
    plan->start_ns[0] = -1;
    assert_int_equal(br_store_put(store, job.dag, job.cluster, NULL, plan, &diag), BR_NO);
    assert_int_equal(br_store_count(store, &plans, &diag), BR_OK);
    assert_int_equal(plans, 0);
    br_store_close(store);
    br_store_close(NULL);
    br_plan_destroy(plan);
    random_job_finish(&job);
}

/* Whoever decided by what was there before another program put a row writes nothing, and looks
 * again. */
static void test_overtaken(void **state)
{
    struct br_store_file *file;
    struct br_store_row row = {.keys = {1, 2, 3},
                               .job = "j",
                               .method = "m",
                               .bound_method = "b",
                               .cells = (const unsigned char *)"cells",
                               .cells_size = 5};
    struct br_store_row found;
    bool written;
    assert_int_equal(br_store_file_open(path, &file, NULL), BR_OK);
    assert_int_equal(br_store_file_put(file, &row, &written, NULL), BR_OK);
    assert_true(written);
    row.effort = 9;
    assert_int_equal(br_store_file_put(file, &row, &written, NULL), BR_OK);
    assert_false(written);
    assert_int_equal(br_store_file_find(file, &row.keys, BR_STORE_SAME, &found, NULL), BR_OK);
    assert_int_equal(found.effort, 0);
    row.id = found.id;
    assert_int_equal(br_store_file_put(file, &row, &written, NULL), BR_OK);
    assert_true(written);
    br_store_row_finish(&found);
    br_store_file_close(file);
}

/* Of one form only the newest plans stay. */
static void test_forgets(void **state)
{
    struct br_store_file *file;
    uint64_t plans;
    bool written;
    assert_int_equal(br_store_file_open(path, &file, NULL), BR_OK);
    for (uint64_t k = 0; k < BR_STORE_KEPT + 20; k++) {
        struct br_store_row row = {.keys = {1, k, 3},
                                   .job = "j",
                                   .method = "m",
                                   .bound_method = "b",
                                   .makespan_ns = (int64_t)k,
                                   .cells = (const unsigned char *)"cells",
                                   .cells_size = 5};
        assert_int_equal(br_store_file_put(file, &row, &written, NULL), BR_OK);
        row.keys.form = 2;
        if (k < 5)
            assert_int_equal(br_store_file_put(file, &row, &written, NULL), BR_OK);
    }
    assert_int_equal(br_store_file_count(file, &plans, NULL), BR_OK);
    assert_int_equal(plans, BR_STORE_KEPT + 5);
    struct br_store_row row;
    assert_int_equal(
        br_store_file_find(file, &(struct br_store_keys){1, 19, 3}, BR_STORE_SAME, &row, NULL),
        BR_OK);
    assert_int_equal(row.id, 0);
    br_store_row_finish(&row);
    br_store_file_close(file);
}

static void test_without(void **state)
{
    struct br_store *store;
    struct br_diag diag = {0};
    assert_int_equal(br_store_open(path, &store, &diag), BR_SYSTEM);
    assert_null(store);
    assert_non_null(strstr(diag.what, "keeps no plans"));
    br_store_close(store);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_path, remove_files)

int main(void)
{
    const struct CMUnitTest without[] = {TEST(test_without)};
    const struct CMUnitTest tests[] = {
        TEST(test_exact),   TEST(test_refit),     TEST(test_order),       TEST(test_choice),
        TEST(test_worse),   TEST(test_effort),    TEST(test_plan),        TEST(test_processes),
        TEST(test_threads), TEST(test_damage),    TEST(test_forged),      TEST(test_refused),
        TEST(test_forgets), TEST(test_overtaken), TEST(test_bound_stays),
    };
    return br_store_is_there() ? cmocka_run_group_tests(tests, NULL, NULL)
                               : cmocka_run_group_tests(without, NULL, NULL);
}
