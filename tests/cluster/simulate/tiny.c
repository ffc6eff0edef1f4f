/* The optimum: every order of the tasks that puts parents first, with every choice of machines,
 * each task at the earliest time at which its machine holds it beside those before it in the order.
 * A schedule that is optimal for anything that grows with the ends is among these: take its tasks
 * by start; by induction none starts later here (tests/support/oracle.c says why in full). */
#include "tests/cluster/simulate/tiny.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/rng.h"

/* ---- Making ---- */

static int draw(struct br_rng *rng, int least, int most)
{
    return least + (int)br_rng_below(rng, (uint64_t)(most - least + 1));
}

struct shape {
    int tasks, stages;
    int stage[4];
    unsigned parents[4];
};

static struct shape draw_shape(struct br_rng *rng, int most)
{
    static const struct shape shapes[] = {
        {1, 1, {0}, {0}},
        {2, 1, {0, 0}, {0, 0}},
        {3, 1, {0, 0, 0}, {0, 0, 0}},
        {2, 2, {0, 1}, {0, 1}},
        {3, 3, {0, 1, 2}, {0, 1, 2}},
        {3, 2, {0, 1, 1}, {0, 1, 1}},
        {3, 2, {0, 0, 1}, {0, 0, 3}},
        {3, 3, {0, 1, 2}, {0, 0, 0}},
        {4, 2, {0, 0, 1, 1}, {0, 0, 1, 2}}, /* one-to-one */
    };
    const struct shape *shape;
    do
        shape = &shapes[draw(rng, 0, sizeof shapes / sizeof *shapes - 1)];
    while (shape->tasks > most);
    return *shape;
}

static void add_job(struct tiny *tiny, struct br_rng *rng, int most, bool noise)
{
    struct shape shape = draw_shape(rng, most);
    int j = tiny->jobs++, first = tiny->tasks;
    tiny->arrival[j] = draw(rng, 0, 1) ? draw(rng, 0, 8) : 0;
    tiny->weight[j] = 1;
    for (int t = 0; t < shape.tasks; t++) {
        int task = tiny->tasks++, before = t && shape.stage[t] == shape.stage[t - 1];
        tiny->job[task] = j;
        tiny->stage[task] = shape.stage[t];
        tiny->parents[task] = shape.parents[t] << first;
        tiny->declared[task] = before && draw(rng, 0, 2) ? tiny->declared[task - 1]
                               : draw(rng, 0, 12)        ? draw(rng, 1, 5)
                                                         : 0;
        tiny->lasts[task] = noise ? draw(rng, 0, 6) : tiny->declared[task];
        for (int r = 0; r < tiny->resources; r++)
            tiny->demand[task][r] =
                before ? tiny->demand[task - 1][r] : draw(rng, 0, tiny->capacity[0][r]);
    }
}

struct tiny tiny_make(uint64_t seed)
{
    struct br_rng rng = br_rng_seed(seed);
    struct tiny tiny = {.machines = draw(&rng, 1, TINY_MACHINES),
                        .resources = draw(&rng, 1, TINY_RESOURCES)};
    int jobs = draw(&rng, 2, TINY_JOBS);
    bool noise = draw(&rng, 0, 2) == 0, weights = draw(&rng, 0, 2) == 0;
    for (int m = 0; m < tiny.machines; m++)
        for (int r = 0; r < tiny.resources; r++)
            tiny.capacity[m][r] = m && draw(&rng, 0, 2) ? tiny.capacity[0][r] : draw(&rng, 2, 6);
    for (int j = 0; j < jobs; j++)
        add_job(&tiny, &rng, TINY_TASKS - tiny.tasks - (jobs - 1 - j), noise);
    for (int j = 0; j < jobs && weights; j++)
        tiny.weight[j] = draw(&rng, 1, 5);
    return tiny;
}

/* ---- For the library ---- */

static bool add_demands(struct br_dag *dag, uint32_t stage, const struct tiny *tiny, int task)
{
    static const char *const name[] = {"cpu", "mem"};
    char amount[16];
    for (int r = 0; r < tiny->resources; r++) {
        snprintf(amount, sizeof amount, "%d", tiny->demand[task][r]);
        if (tiny->demand[task][r] && br_dag_add_demand(dag, stage, name[r], amount, NULL))
            return false;
    }
    return true;
}

static struct br_dag *make_dag(const struct tiny *tiny, int j)
{
    struct br_dag *dag = br_dag_create("tiny");
    int first = 0;
    bool ok = dag != NULL;
    while (tiny->job[first] != j)
        first++;
    for (int t = first, index = 0; ok && t < tiny->tasks && tiny->job[t] == j; t++) {
        char id[8];
        int s = tiny->stage[t], tasks = 1;
        index = t > first && tiny->stage[t - 1] == s ? index + 1 : 0;
        while (t + tasks < tiny->tasks && tiny->job[t + tasks] == j && tiny->stage[t + tasks] == s)
            tasks++;
        snprintf(id, sizeof id, "%d", s);
        if (index == 0)
            ok = !br_dag_add_stage(dag, id, (uint32_t)tasks, 0, NULL, NULL) &&
                 add_demands(dag, (uint32_t)s, tiny, t);
        ok = ok && !br_dag_set_duration(dag, (uint32_t)s, (uint32_t)index,
                                        tiny->declared[t] * INT64_C(1000000000), NULL);
        bool pairs = tiny->stage[t] == 1 && tasks == 2 && index == 0 &&
                     tiny->parents[t] != tiny->parents[t + 1];
        for (int u = first; ok && u < t && index == 0; u++)
            if (tiny->parents[t] >> u & 1)
                ok = !br_dag_add_edge(dag, (uint32_t)tiny->stage[u], (uint32_t)s,
                                      pairs ? BR_ONE_TO_ONE : BR_BARRIER, NULL);
    }
    if (!ok || br_dag_finish(dag, NULL)) {
        br_dag_destroy(dag);
        dag = NULL;
    }
    return dag;
}

static struct br_cluster *make_cluster(const struct tiny *tiny)
{
    static const char *const resource[] = {"cpu", "mem"}, *const name[] = {"a", "b"};
    struct br_cluster *cluster = br_cluster_create("tiny");
    bool ok = cluster != NULL;
    for (int m = 0; m < tiny->machines && ok; m++) {
        uint32_t cls;
        char amount[16];
        ok = !br_cluster_add_class(cluster, name[m], 1, &cls, NULL);
        for (int r = 0; r < tiny->resources && ok; r++) {
            snprintf(amount, sizeof amount, "%d", tiny->capacity[m][r]);
            ok = !br_cluster_add_capacity(cluster, cls, resource[r], amount, NULL);
        }
    }
    if (!ok) {
        br_cluster_destroy(cluster);
        cluster = NULL;
    }
    return cluster;
}

/* The workload numbers jobs by arrival. */
static void sort_jobs(const struct tiny *tiny, int order[TINY_JOBS])
{
    for (int j = 0; j < tiny->jobs; j++) {
        int at = j;
        for (; at && tiny->arrival[j] < tiny->arrival[order[at - 1]]; at--)
            order[at] = order[at - 1];
        order[at] = j;
    }
}

bool tiny_build(const struct tiny *tiny, struct tiny_workload *built)
{
    static const char *const id[] = {"a", "b", "c", "d"};
    int order[TINY_JOBS];
    *built = (struct tiny_workload){.workload = br_workload_create("tiny", NULL),
                                    .cluster = make_cluster(tiny)};
    bool ok = built->workload && built->cluster;
    for (int j = 0; j < tiny->jobs && ok; j++) {
        struct br_workload_job job = br_workload_job_default();
        struct br_dag *dag = make_dag(tiny, j);
        ok = dag && !br_workload_add_dag(built->workload, dag, NULL, NULL, &job.dag, NULL);
        job.id = id[j];
        job.arrival_ns = tiny->arrival[j] * INT64_C(1000000000);
        job.weight = tiny->weight[j];
        ok = ok && !br_workload_add_job(built->workload, &job, NULL);
    }
    ok = ok && !br_workload_finish(built->workload, NULL);
    sort_jobs(tiny, order);
    for (int k = 0; k < tiny->jobs && ok; k++) {
        int count = 0;
        for (int t = 0; t < tiny->tasks; t++)
            if (tiny->job[t] == order[k])
                built->room[k][count++] = tiny->lasts[t] * INT64_C(1000000000);
        built->true_ns[k] = built->room[k];
    }
    return ok;
}

void tiny_finish(struct tiny_workload *built)
{
    br_workload_destroy(built->workload);
    br_cluster_destroy(built->cluster);
}

/* ---- The optimum ---- */

enum aim { SUM, WEIGHTED, MAKESPAN };

struct search {
    const struct tiny *tiny;
    enum aim aim;
    int start[TINY_TASKS], machine[TINY_TASKS];
    int best;
};

static bool holds_at(const struct search *s, unsigned placed, int task, int at)
{
    const struct tiny *tiny = s->tiny;
    for (int r = 0; r < tiny->resources; r++) {
        int held = tiny->demand[task][r];
        for (int u = 0; u < tiny->tasks; u++)
            if ((placed >> u & 1) && s->machine[u] == s->machine[task] && s->start[u] <= at &&
                at < s->start[u] + tiny->lasts[u])
                held += tiny->demand[u][r];
        if (held > tiny->capacity[s->machine[task]][r])
            return false;
    }
    return true;
}

static bool holds(const struct search *s, unsigned placed, int task, int at)
{
    bool ok = true;
    for (int t = at; t < at + s->tiny->lasts[task] && ok; t++)
        ok = holds_at(s, placed, task, t);
    return ok;
}

/* What the tasks placed so far already come to, with the longest ways behind and ahead of others.
 */
static int value(const struct search *s, unsigned placed)
{
    const struct tiny *tiny = s->tiny;
    int sum = 0, first = tiny->arrival[0], last = 0, ready[TINY_TASKS];
    int ends[TINY_JOBS];
    for (int j = 0; j < tiny->jobs; j++)
        ends[j] = tiny->arrival[j];
    for (int t = 0; t < tiny->tasks; t++) { /* parents come first */
        int j = tiny->job[t];
        ready[t] = tiny->arrival[j];
        for (int u = 0; u < t; u++)
            if ((tiny->parents[t] >> u & 1) && ready[u] > ready[t])
                ready[t] = ready[u];
        ready[t] = ((placed >> t & 1) ? s->start[t] : ready[t]) + tiny->lasts[t];
        ends[j] = ready[t] > ends[j] ? ready[t] : ends[j];
    }
    for (int j = 0; j < tiny->jobs; j++) {
        sum += (s->aim == WEIGHTED ? tiny->weight[j] : 1) * (ends[j] - tiny->arrival[j]);
        first = tiny->arrival[j] < first ? tiny->arrival[j] : first;
        last = ends[j] > last ? ends[j] : last;
    }
    return s->aim == MAKESPAN ? last - first : sum;
}

/* Of tasks that differ in nothing, the first goes first. */
static bool has_twin_before(const struct tiny *tiny, unsigned placed, int task)
{
    int twin = task - 1;
    unsigned children = 0, others = 0;
    if (!task || (placed >> twin & 1) || tiny->job[twin] != tiny->job[task] ||
        tiny->stage[twin] != tiny->stage[task] || tiny->parents[twin] != tiny->parents[task] ||
        tiny->lasts[twin] != tiny->lasts[task])
        return false;
    for (int t = 0; t < tiny->tasks; t++) {
        children |= (tiny->parents[t] >> task & 1u) << t;
        others |= (tiny->parents[t] >> twin & 1u) << t;
    }
    return children == others;
}

static bool fits(const struct tiny *tiny, int task, int machine)
{
    bool ok = true;
    for (int r = 0; r < tiny->resources; r++)
        ok &= tiny->demand[task][r] <= tiny->capacity[machine][r];
    return ok;
}

static void place(struct search *s, unsigned placed)
{
    const struct tiny *tiny = s->tiny;
    int now = value(s, placed);
    if (now >= s->best)
        return;
    if (placed + 1 == 1u << tiny->tasks) {
        s->best = now;
        return;
    }
    for (int t = 0; t < tiny->tasks; t++) {
        if ((placed >> t & 1) || (tiny->parents[t] & ~placed) || has_twin_before(tiny, placed, t))
            continue;
        int ready = tiny->arrival[tiny->job[t]];
        for (int u = 0; u < tiny->tasks; u++)
            if ((tiny->parents[t] >> u & 1) && s->start[u] + tiny->lasts[u] > ready)
                ready = s->start[u] + tiny->lasts[u];
        for (int m = 0; m < tiny->machines; m++) {
            if (!fits(tiny, t, m))
                continue;
            s->machine[t] = m;
            s->start[t] = ready;
            while (!holds(s, placed, t, s->start[t]))
                s->start[t]++;
            place(s, placed | 1u << t);
        }
    }
}

static int solve(const struct tiny *tiny, enum aim aim)
{
    struct search search = {.tiny = tiny, .aim = aim, .best = 1000000};
    place(&search, 0);
    return search.best;
}

struct tiny_optimum tiny_solve(const struct tiny *tiny)
{
    bool equal = true;
    for (int j = 1; j < tiny->jobs; j++)
        equal &= tiny->weight[j] == tiny->weight[0];
    int sum = solve(tiny, SUM);
    return (struct tiny_optimum){sum, equal ? sum * tiny->weight[0] : solve(tiny, WEIGHTED),
                                 solve(tiny, MAKESPAN)};
}

/* ---- Overbooked ---- */

struct fluid {
    const struct tiny *tiny;
    int rank[TINY_TASKS], on[TINY_TASKS]; /* machine, -1: not started */
    double left[TINY_TASKS], end[TINY_TASKS];
    unsigned done;
    double now;
};

static bool runs(const struct fluid *f, int task)
{
    return f->on[task] >= 0 && !(f->done >> task & 1);
}

static int held(const struct fluid *f, int machine, int resource)
{
    int sum = 0;
    for (int u = 0; u < f->tiny->tasks; u++)
        if (runs(f, u) && f->on[u] == machine)
            sum += f->tiny->demand[u][resource];
    return sum;
}

/* Starts what is ready, by rank, where resource 1 has room and resource 0 is held at most twice. */
static void start(struct fluid *f)
{
    const struct tiny *tiny = f->tiny;
    for (int k = 0; k < tiny->tasks; k++) {
        int t = f->rank[k];
        if (f->on[t] >= 0 || (tiny->parents[t] & ~f->done) || tiny->arrival[tiny->job[t]] > f->now)
            continue;
        for (int m = 0; m < tiny->machines && f->on[t] < 0; m++) {
            bool ok = fits(tiny, t, m);
            for (int r = 0; r < tiny->resources; r++)
                ok &= held(f, m, r) + tiny->demand[t][r] <= tiny->capacity[m][r] * (r ? 1 : 2);
            if (ok)
                f->on[t] = m;
        }
    }
}

static double speed(const struct fluid *f, int task)
{
    double most = f->tiny->capacity[f->on[task]][0], all = held(f, f->on[task], 0);
    return f->tiny->demand[task][0] && all > most ? most / all : 1;
}

/* Until the next end or arrival. */
static void step(struct fluid *f)
{
    const struct tiny *tiny = f->tiny;
    double wait = 1e9, pace[TINY_TASKS];
    for (int t = 0; t < tiny->tasks; t++) {
        double from = tiny->arrival[tiny->job[t]];
        pace[t] = runs(f, t) ? speed(f, t) : 0;
        if (runs(f, t) && f->left[t] / pace[t] < wait)
            wait = f->left[t] / pace[t];
        if (from > f->now && from - f->now < wait)
            wait = from - f->now;
    }
    f->now += wait;
    for (int t = 0; t < tiny->tasks; t++) {
        f->left[t] -= wait * pace[t];
        if (runs(f, t) && f->left[t] < 1e-9) {
            f->end[t] = f->now;
            f->done |= 1u << t;
        }
    }
}

static struct tiny_optimum run(const struct tiny *tiny, struct br_rng *rng)
{
    struct fluid f = {.tiny = tiny};
    for (int t = 0; t < tiny->tasks; t++) {
        int at = draw(rng, 0, t);
        f.rank[t] = f.rank[at];
        f.rank[at] = t;
        f.on[t] = -1;
        f.left[t] = tiny->lasts[t];
    }
    while (f.done + 1 != 1u << tiny->tasks) {
        start(&f);
        step(&f);
    }
    struct tiny_optimum got = {0, 0, 0};
    double first = tiny->arrival[0], last = 0;
    for (int j = 0; j < tiny->jobs; j++) {
        double end = 0;
        for (int t = 0; t < tiny->tasks; t++)
            if (tiny->job[t] == j && f.end[t] > end)
                end = f.end[t];
        got.sum += end - tiny->arrival[j];
        got.weighted += tiny->weight[j] * (end - tiny->arrival[j]);
        first = tiny->arrival[j] < first ? tiny->arrival[j] : first;
        last = end > last ? end : last;
    }
    got.makespan = last - first;
    return got;
}

struct tiny_optimum tiny_overbook(const struct tiny *tiny, uint64_t seed, int schedules)
{
    struct br_rng rng = br_rng_seed(seed);
    struct tiny_optimum best = {1e9, 1e9, 1e9};
    for (int k = 0; k < schedules; k++) {
        struct tiny_optimum got = run(tiny, &rng);
        best.sum = got.sum < best.sum ? got.sum : best.sum;
        best.weighted = got.weighted < best.weighted ? got.weighted : best.weighted;
        best.makespan = got.makespan < best.makespan ? got.makespan : best.makespan;
    }
    return best;
}
