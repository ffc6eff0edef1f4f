/* Draws what tasks last in every run once, runs them all at every allocation and in both orders,
 * and makes cells of them. The grid of allocations and orders is spread over threads; what a point
 * of it comes to has its own place, so the table is the same for any number of them. */
#include "runtime/deadline/trials/make.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/index.h"
#include "base/numbers/real.h"
#include "base/process/parallel.h"
#include "runtime/deadline/trials/cells.h"
#include "runtime/deadline/trials/meter.h"
#include "runtime/deadline/trials/numbers.h"
#include "runtime/deadline/trials/runner.h"
#include "runtime/deadline/trials/usual.h"

enum {
    ALLOCATIONS = 100, /* about so many if there could be more */
    CELLS = 48,
    EACH = 12, /* bins of a cell */
    RUNS_LEAST = 60,
    RUNS_MOST = 1000, /* unless asked for */
    USUAL_RUNS = 16,
    TASKS_RUN = 160000000, /* that many are simulated by default, for all allocations and orders */
    DURATIONS_MOST = 200000000,
};
/* Seeds of the runs that a table is from, and of those that it is held against. */
enum { WORLD_OF_TABLE = 1 };

static const double levels[] = {0,   0.01, 0.025, 0.05, 0.1,  0.2,   0.3,  0.4, 0.5,
                                0.6, 0.7,  0.8,   0.9,  0.95, 0.975, 0.99, 1};
enum { QUANTILES = sizeof levels / sizeof *levels };

struct br_deadline_request br_deadline_request_default(void)
{
    return (struct br_deadline_request){
        .most = 100, .cells = CELLS, .seed = 1, .slowness = 1, .threads = 1};
}

static enum br_status deadline_make_check(const struct br_deadline_request *request,
                                          struct br_diag *diag)
{
    uint32_t most = request->kind == BR_SHARES ? 100 : 1000000;
    if (request->most < 1 || request->most > most)
        return br_fail(diag, BR_USAGE, NULL, "allocations go from 1 to %u", most);
    if (request->cells < 1 || request->cells >= BR_TABLE_CELLS)
        return br_fail(diag, BR_USAGE, NULL, "a table has 1 to %u cells of progress",
                       BR_TABLE_CELLS - 1);
    if (request->runs > DURATIONS_MOST / request->dag->tasks)
        return br_fail(diag, BR_USAGE, "a hundred runs of a large job tell much",
                       "%u runs of %u tasks are more than fit", request->runs, request->dag->tasks);
    if (!(request->fail >= 0 && request->fail <= 0.9))
        return br_fail(diag, BR_USAGE, "give a share such as 0.01",
                       "the share of failures is not within 0 and 0.9");
    if (!(request->lost >= 0 && request->lost <= 1))
        return br_fail(diag, BR_USAGE, "give a share such as 0.1",
                       "the share of lost outputs is not within 0 and 1");
    if (!(request->latency_s >= 0 && request->latency_s <= 1e6) ||
        !(request->latency_spread >= 0 && request->latency_spread <= 10))
        return br_fail(diag, BR_USAGE, "such as 2:0.5, two seconds with a spread of 0.5",
                       "what it takes to begin a task is out of its range");
    if (!(request->straggle >= 0 && request->straggle <= 1) ||
        !(request->slowness >= 1 && request->slowness <= 1e6))
        return br_fail(diag, BR_USAGE, "such as a share of 0.05, 3 times as slow",
                       "stragglers are out of their range");
    if ((request->kind == BR_SHARES || request->within) && !request->cluster)
        return br_fail(diag, BR_USAGE, NULL, "shares need a cluster that they are of");
    return BR_OK;
}

/* ---- The axes ---- */

/* Fills values from least to most, each larger by the ratio at least. Returns their number. */
static uint32_t fill_values(uint32_t least, uint32_t most, double ratio, uint32_t *value)
{
    assert(least <= most);
    uint32_t count = 0;
    double x = least;
    while (x < most) {
        if (count == BR_TABLE_ALLOCATIONS - 1)
            return BR_TABLE_ALLOCATIONS;
        value[count++] = (uint32_t)x;
        double larger = floor(x * ratio);
        x = larger > x + 1 ? larger : x + 1;
    }
    value[count++] = most;
    return count;
}

static enum br_status deadline_make_choose_allocations(const struct br_runner_job *job,
                                                       const struct br_deadline_request *request,
                                                       struct br_made_table *made,
                                                       struct br_diag *diag)
{
    uint32_t *value = br_arena_array(&made->arena, BR_TABLE_ALLOCATIONS, sizeof *value);
    uint32_t least = request->kind == BR_SHARES ? br_runner_least_share(job) : 1;
    double ratio = 1;
    if (!value)
        return br_fail_memory(diag);
    if (least > request->most)
        return br_fail(diag, BR_BAD_INPUT,
                       "the pool of all machines has to hold every task; give more of it",
                       "no share of up to %u %% of the cluster holds every task of '%.80s'",
                       request->most, request->dag->name);
    do
        made->table.allocations = fill_values(least, request->most, ratio, value);
    while (made->table.allocations > ALLOCATIONS && (ratio *= 1.01));
    made->table.allocation = value;
    return BR_OK;
}

static uint32_t choose_runs(const struct br_deadline_request *request,
                            const struct br_deadline_table *table)
{
    if (request->runs)
        return request->runs;
    uint64_t each = (uint64_t)request->dag->tasks * table->allocations * table->layers;
    uint64_t runs = TASKS_RUN / each;
    uint64_t fit = DURATIONS_MOST / request->dag->tasks;
    runs = runs > RUNS_LEAST ? runs < RUNS_MOST ? runs : RUNS_MOST : RUNS_LEAST;
    return (uint32_t)(runs < fit ? runs : fit);
}

/* ---- The runs ---- */

struct making {
    const struct br_deadline_request *request;
    struct br_runner_job job;
    struct br_made_table *made;
    struct br_progress_weight *weight;
    int64_t *duration_ns;      /* [run * tasks + task] */
    uint64_t *seed;            /* by run */
    double *row;               /* as the table's numbers, in seconds */
    struct br_cell_node *node; /* by point of the grid and bin */
    struct worker {
        struct br_runner *runner;
        struct br_meter meter;
        struct br_cells_maker cells;
        struct br_trail trail;
    } * worker;
    uint32_t threads, bins;
};

static uint64_t run_seed(uint64_t seed, uint64_t world, uint64_t run)
{
    return br_hash_number(br_hash_number(seed ^ br_hash_number(world)) ^ run);
}

static bool deadline_make_draw(void *context, uint32_t worker, uint32_t run)
{
    struct making *making = context;
    (void)worker;
    making->seed[run] = run_seed(making->request->seed, WORLD_OF_TABLE, run);
    br_profile_draw(making->request->profile, making->seed[run],
                    making->duration_ns + (size_t)run * making->job.tasks);
    return !br_stopped(making->request->stop);
}

static void deadline_make_finished(void *context, uint32_t stage, int64_t now_ns)
{
    struct worker *worker = context;
    br_trail_step(&worker->trail, br_meter_add(&worker->meter, stage), (double)now_ns / 1e9);
}

static void deadline_make_run_once(struct making *making, struct worker *worker, uint32_t point,
                                   uint32_t run)
{
    const struct br_deadline_table *table = &making->made->table;
    const struct br_runner_watch watch = {.finished = deadline_make_finished, .context = worker};
    assert(point < table->layers * table->allocations);
    br_meter_reset(&worker->meter);
    br_trail_begin(&worker->trail);
    int64_t end_ns = br_runner_run(
        worker->runner, table->allocation[point % table->allocations], point >= table->allocations,
        making->duration_ns + (size_t)run * making->job.tasks, making->seed[run], &watch);
    br_trail_end(&worker->trail, (double)end_ns / 1e9);
    br_cells_add(&worker->cells, run, &worker->trail, (double)end_ns / 1e9);
}

static bool make_point(void *context, uint32_t number, uint32_t point)
{
    struct making *making = context;
    const struct br_deadline_table *table = &making->made->table;
    struct worker *worker = &making->worker[number];
    for (uint32_t run = 0; run < table->runs; run++) {
        if (br_stopped(making->request->stop))
            return false;
        deadline_make_run_once(making, worker, point, run);
    }
    uint32_t layer = point / table->allocations, index = point % table->allocations;
    size_t row = (size_t)table->quantiles + 1, stride = row * table->allocations;
    br_cells_make(&worker->cells, making->row + layer * table->cells * stride + index * row,
                  stride);
    memcpy(making->node + (size_t)point * making->bins, worker->cells.node,
           making->bins * sizeof *making->node);
    return true;
}

static bool deadline_make_init_worker(struct making *making, struct worker *worker)
{
    const struct br_deadline_table *table = &making->made->table;
    worker->runner = br_runner_create(&making->job);
    bool trail = br_trail_init(&worker->trail, making->bins);
    bool meter = br_meter_init(&worker->meter, table->indicator, making->weight, table->tasks,
                               table->stages);
    bool cells =
        br_cells_init(&worker->cells, table->runs, table->cells - 1, EACH, levels, QUANTILES);
    return worker->runner && trail && meter && cells;
}

static void finish_workers(struct making *making)
{
    for (uint32_t k = 0; making->worker && k < making->threads; k++) {
        struct worker *worker = &making->worker[k];
        br_runner_destroy(worker->runner);
        br_meter_finish(&worker->meter);
        br_cells_finish(&worker->cells);
        br_trail_finish(&worker->trail);
    }
    free(making->worker);
}

/* ---- The whole ---- */

static enum br_status deadline_make_describe(struct making *making, struct br_diag *diag)
{
    const struct br_deadline_request *request = making->request;
    struct br_made_table *made = making->made;
    const char *cluster = request->cluster && request->cluster->name ? request->cluster->name : "";
    made->table = (struct br_deadline_table){
        .job = br_arena_text(&made->arena, request->dag->name),
        .cluster = br_arena_text(&made->arena, cluster),
        .fingerprint = br_dag_fingerprint(request->dag, false),
        .cluster_fingerprint = request->cluster ? br_cluster_fingerprint(request->cluster) : 0,
        .seed = request->seed,
        .kind = request->kind,
        .indicator = request->indicator,
        .layers = request->rank ? 2 : 1,
        .stages = request->dag->stages,
        .cells = request->cells + 1,
        .quantiles = QUANTILES,
        .level = levels,
    };
    uint32_t *tasks = br_arena_array(&made->arena, made->table.stages, sizeof *tasks);
    struct br_table_stage *stage = br_arena_array(&made->arena, made->table.stages, sizeof *stage);
    making->weight = br_arena_array(&made->arena, made->table.stages, sizeof *making->weight);
    if (!made->table.job || !made->table.cluster || !tasks || !stage || !making->weight)
        return br_fail_memory(diag);
    memcpy(tasks, making->job.count, made->table.stages * sizeof *tasks);
    made->table.tasks = tasks;
    made->table.stage = stage;
    made->table.weight = making->weight;
    enum br_status status = deadline_make_choose_allocations(&making->job, request, made, diag);
    if (!status)
        made->table.runs = choose_runs(request, &made->table);
    return status;
}

static enum br_status deadline_make_room(struct making *making, struct br_diag *diag)
{
    struct br_deadline_table *table = &making->made->table;
    size_t points = (size_t)table->layers * table->allocations;
    making->bins = (table->cells - 1) * EACH;
    making->threads =
        making->request->threads < points ? making->request->threads : (uint32_t)points;
    making->threads = making->threads ? making->threads : 1;
    making->duration_ns =
        malloc((size_t)table->runs * making->job.tasks * sizeof *making->duration_ns);
    making->seed = malloc(table->runs * sizeof *making->seed);
    making->row = calloc(points * table->cells * (table->quantiles + 1), sizeof *making->row);
    making->node = calloc(points * making->bins, sizeof *making->node);
    making->worker = calloc(making->threads, sizeof *making->worker);
    bool good =
        making->duration_ns && making->seed && making->row && making->node && making->worker;
    return good ? BR_OK : br_fail_memory(diag);
}

static enum br_status stopped(struct br_diag *diag)
{
    return br_fail(diag, BR_NO, NULL, "interrupted; there is no table of some of the runs");
}

static enum br_status deadline_make_run_all(struct making *making, struct br_diag *diag)
{
    struct br_deadline_table *table = &making->made->table;
    br_parallel(making->threads, table->runs, deadline_make_draw, making);
    if (br_stopped(making->request->stop))
        return stopped(diag);
    uint32_t usual = table->runs < USUAL_RUNS ? table->runs : USUAL_RUNS;
    if (!br_usual_measure(&making->job, table->indicator, table->allocation[table->allocations / 2],
                          making->duration_ns, making->seed, usual,
                          (struct br_table_stage *)table->stage, making->weight))
        return br_fail_memory(diag);
    for (uint32_t k = 0; k < making->threads; k++)
        if (!deadline_make_init_worker(making, &making->worker[k]))
            return br_fail_memory(diag);
    br_parallel(making->threads, table->layers * table->allocations, make_point, making);
    return br_stopped(making->request->stop) ? stopped(diag) : BR_OK;
}

enum br_status br_deadline_make(const struct br_deadline_request *request,
                                struct br_made_table *made, struct br_diag *diag)
{
    struct making making = {.request = request, .made = made};
    *made = (struct br_made_table){0};
    enum br_status status = deadline_make_check(request, diag);
    if (!status)
        status = br_runner_job_init(&making.job, request, diag);
    if (!status)
        status = deadline_make_describe(&making, diag);
    if (!status)
        status = deadline_make_room(&making, diag);
    if (!status)
        status = deadline_make_run_all(&making, diag);
    if (!status)
        status = br_numbers_fill(&(struct br_points){making.bins, making.node, making.row},
                                 &made->arena, &made->table, diag);
    finish_workers(&making);
    free(making.duration_ns);
    free(making.seed);
    free(making.row);
    free(making.node);
    br_runner_job_finish(&making.job);
    return status;
}

void br_deadline_release(struct br_made_table *made)
{
    br_arena_finish(&made->arena);
    *made = (struct br_made_table){0};
}
