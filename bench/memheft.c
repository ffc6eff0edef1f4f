/* MemHEFT and MemMinMin [Herrmann14], the list schedules for limited memory, adapted to this
 * model: outputs are held on a shared resource, or on machines, from the start of their maker to
 * the end of their last reader, and machines have several resources, in which gaps are filled.
 *
 *   memheft heft|minmin JOB.xml CLUSTER.xml PLAN.json
 *   memheft peak JOB.xml CLUSTER.xml RESOURCE
 *
 * A task is placed where it ends first, no earlier than what is held leaves room for it from then
 * on, as far as that is known: what has readers that are not placed stays held. `heft` takes the
 * ready task with the longest way to the end of the job that finds such a time, `minmin` the one
 * that ends first. Neither knows of dead ends: if no ready task finds a time, there is no plan, and
 * the exit status is 2. Prints the makespan in seconds.
 *
 * `peak` prints the least amount of the shared resource (or of each machine) with which an order of
 * the tasks one after another is known, as `bigrocks bound --storage` finds it, and before it a
 * bound below which there is none. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emit/emit.h"
#include "parsers/jobs/native.h"
#include "parsers/parsers.h"
#include "planner/check/verify.h"
#include "planner/general/job.h"
#include "planner/instance/plan.h"
#include "planner/peak/least.h"

/* What is held on a machine, or of what is shared, by time: amounts from `time` to the next. */
struct profile {
    uint32_t count, room;
    int64_t *time;
    int64_t *used; /* [segment * resources + resource] */
};

struct lister {
    struct br_general *job;
    struct profile *profile; /* by machine; the last of what is shared */
    int64_t *start;
    uint32_t *machine;
    bool *placed;
    uint32_t *left;      /* by stage: tasks not placed */
    int64_t *last_end;   /* by stage, of those placed */
    uint32_t *unread;    /* by instance: reading edges whose tasks are not all placed */
    int64_t *read_until; /* by instance: the last end over the others */
    int64_t *freed;      /* [(machine or shared) * resources + resource], of the task looked at */
    int64_t freed_from;  /* the last end of other readers of that */
    bool one_to_one;     /* how the read at hand goes */
    uint32_t *by_tail;   /* tasks */
};

static void fail(const char *what)
{
    fprintf(stderr, "memheft: %s\n", what);
    exit(3);
}

static void *need(void *memory)
{
    if (!memory)
        fail("out of memory");
    return memory;
}

/* ---- Profiles ---- */

/* The segment that begins at the time, made if there is none. */
static uint32_t split(struct profile *p, uint32_t resources, int64_t time)
{
    uint32_t k = p->count;
    while (k > 0 && p->time[k - 1] > time)
        k--;
    if (k > 0 && p->time[k - 1] == time)
        return k - 1;
    if (p->count == p->room) {
        p->room = p->room ? 2 * p->room : 16;
        p->time = need(realloc(p->time, p->room * sizeof *p->time));
        p->used = need(realloc(p->used, (size_t)p->room * resources * sizeof *p->used));
    }
    memmove(p->time + k + 1, p->time + k, (p->count - k) * sizeof *p->time);
    int64_t *at = p->used + (size_t)k * resources;
    memmove(at + resources, at, (size_t)(p->count - k) * resources * sizeof *at);
    if (k > 0)
        memcpy(at, at - resources, resources * sizeof *at);
    else
        memset(at, 0, resources * sizeof *at);
    p->time[k] = time;
    p->count++;
    return k;
}

static void add_from(struct profile *p, uint32_t resources, uint32_t resource, int64_t time,
                     int64_t amount)
{
    if (!amount)
        return;
    for (uint32_t k = split(p, resources, time); k < p->count; k++)
        p->used[(size_t)k * resources + resource] += amount;
}

/* ---- One task ---- */

static int64_t runs(const struct br_general *job, uint32_t task, uint32_t r)
{
    const size_t at = (size_t)job->task_stage[task] * job->resources + r;
    return job->made[at] + (job->duration[task] ? job->demand[at] : 0);
}

static int64_t stays(const struct br_general *job, uint32_t task, uint32_t r)
{
    const size_t at = (size_t)job->task_stage[task] * job->resources + r;
    return job->made[at] + job->late[at];
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Calls for each instance that the task reads; over barriers only if so many tasks of its stage are
 * not placed. */
static void each_read(struct lister *l, uint32_t task, uint32_t left,
                      void (*act)(struct lister *l, const struct br_general_output *output,
                                  uint32_t index, uint32_t task))
{
    const struct br_general *job = l->job;
    const uint32_t stage = job->task_stage[task], index = task - job->stage_first[stage];
    for (uint32_t k = job->read_first[stage]; k < job->read_first[stage + 1]; k++) {
        const struct br_general_output *output = &job->output[job->read[k].output];
        const uint32_t count =
            job->stage_first[output->stage + 1] - job->stage_first[output->stage];
        l->one_to_one = job->read[k].one_to_one;
        if (job->read[k].one_to_one)
            act(l, output, index, task);
        for (uint32_t i = 0; !job->read[k].one_to_one && l->left[stage] == left && i < count; i++)
            act(l, output, i, task);
    }
}

static int64_t *freed_on(struct lister *l, const struct br_general_output *output, uint32_t index)
{
    const uint32_t maker = l->job->stage_first[output->stage] + index;
    return &l->freed[br_general_place(l->job, l->machine[maker], output->resource)];
}

static void count_free(struct lister *l, const struct br_general_output *output, uint32_t index,
                       uint32_t task)
{
    const uint32_t instance = output->first + index;
    if (l->unread[instance] != 1)
        return;
    *freed_on(l, output, index) += output->amount;
    l->freed_from = larger(l->freed_from, l->read_until[instance]);
    if (!l->one_to_one)
        l->freed_from = larger(l->freed_from, l->last_end[l->job->task_stage[task]]);
}

static void clear_free(struct lister *l, const struct br_general_output *output, uint32_t index,
                       uint32_t task)
{
    (void)task;
    *freed_on(l, output, index) = 0;
}

static void take_read(struct lister *l, const struct br_general_output *output, uint32_t index,
                      uint32_t task)
{
    const struct br_general *job = l->job;
    const uint32_t instance = output->first + index, resource = output->resource;
    const uint32_t maker = job->stage_first[output->stage] + index;
    const int64_t end =
        l->one_to_one ? l->start[task] + job->duration[task] : l->last_end[job->task_stage[task]];
    l->read_until[instance] = larger(l->read_until[instance], end);
    if (--l->unread[instance] == 0)
        add_from(&l->profile[job->shared[resource] ? job->machines : l->machine[maker]],
                 job->resources, resource, l->read_until[instance], -output->amount);
}

/* The earliest start by the parents; -1 if one is not placed. */
static int64_t earliest(const struct lister *l, uint32_t task)
{
    const struct br_general *job = l->job;
    const uint32_t stage = job->task_stage[task], index = task - job->stage_first[stage];
    int64_t from = job->release[task];
    for (uint32_t a = job->parent_first[stage]; a < job->parent_first[stage + 1]; a++) {
        const struct br_stage_arc *arc = &job->parent[a];
        const uint32_t first = job->stage_first[arc->stage];
        if (arc->stream)
            fail("streams are not known here");
        if (arc->one_to_one ? !l->placed[first + index] : l->left[arc->stage] > 0)
            return -1;
        from = larger(from, arc->lag + (arc->one_to_one
                                            ? l->start[first + index] + job->duration[first + index]
                                            : l->last_end[arc->stage]));
    }
    return from;
}

/* The time no earlier than `start` from which the task fits the profile, were all else as it is;
 * INT64_MAX: never. */
static int64_t fits_from(const struct lister *l, uint32_t which, uint32_t task, int64_t start)
{
    const struct br_general *job = l->job;
    const struct profile *p = &l->profile[which];
    const uint32_t resources = job->resources;
    for (uint32_t k = p->count; k-- > 0;) {
        const int64_t until = k + 1 < p->count ? p->time[k + 1] : INT64_MAX;
        if (until <= start)
            break;
        for (uint32_t r = 0; r < resources; r++) {
            const uint32_t place = which * resources + r;
            if (job->shared[r] != (which == job->machines))
                continue;
            const int64_t room =
                br_general_capacity(job, place, 0) - p->used[(size_t)k * resources + r];
            const int64_t end = start + job->duration[task], gone = larger(end, l->freed_from);
            if (until > gone && stays(job, task, r) - l->freed[place] > room)
                return until == INT64_MAX || until <= l->freed_from
                           ? INT64_MAX
                           : fits_from(l, which, task, until - job->duration[task]);
            if (until > end && p->time[k] < gone && stays(job, task, r) > room)
                return until == INT64_MAX ? INT64_MAX
                                          : fits_from(l, which, task, until - job->duration[task]);
            if (p->time[k] < end && runs(job, task, r) > room)
                return until == INT64_MAX ? INT64_MAX : fits_from(l, which, task, until);
        }
    }
    return start;
}

/* Where the task ends first; INT64_MAX: nowhere. */
static int64_t find_start(struct lister *l, uint32_t task, int64_t from, uint32_t *machine)
{
    const struct br_general *job = l->job;
    int64_t best = INT64_MAX;
    l->freed_from = 0;
    each_read(l, task, 1, count_free);
    for (uint32_t m = 0; m < job->machines; m++) {
        int64_t start = from, before = -1;
        bool holds = true;
        for (uint32_t r = 0; r < job->resources; r++)
            holds &= runs(job, task, r) <= br_general_capacity(job, br_general_place(job, m, r), 0);
        while (holds && start != before && start < best) {
            before = start;
            start = fits_from(l, m, task, start);
            if (start != INT64_MAX)
                start = fits_from(l, job->machines, task, start);
        }
        if (holds && start < best) {
            best = start;
            *machine = m;
        }
    }
    each_read(l, task, 1, clear_free);
    return best;
}

static void place(struct lister *l, uint32_t task, uint32_t machine, int64_t start)
{
    const struct br_general *job = l->job;
    const int64_t end = start + job->duration[task];
    l->start[task] = start;
    l->machine[task] = machine;
    l->placed[task] = true;
    l->left[job->task_stage[task]]--;
    l->last_end[job->task_stage[task]] = larger(l->last_end[job->task_stage[task]], end);
    for (uint32_t r = 0; r < job->resources; r++) {
        struct profile *p = &l->profile[job->shared[r] ? job->machines : machine];
        add_from(p, job->resources, r, start, runs(job, task, r));
        add_from(p, job->resources, r, end, stays(job, task, r) - runs(job, task, r));
    }
    each_read(l, task, 0, take_read);
}

/* ---- All tasks ---- */

/* Places the next task by the rule; false if none finds a time. A plain stage whose task finds none
 * is passed over, and so are its tasks that take longer. */
static bool place_next(struct lister *l, bool minmin)
{
    const struct br_general *job = l->job;
    bool *passed = need(calloc(job->stages + 1, sizeof *passed));
    uint32_t best = UINT32_MAX, on = 0, last = UINT32_MAX;
    int64_t start = 0, first_end = INT64_MAX, from = 0;
    for (uint32_t k = 0; k < job->tasks && (minmin || best == UINT32_MAX); k++) {
        const uint32_t task = l->by_tail[k], stage = job->task_stage[task];
        if (l->placed[task] || (job->plain[stage] && passed[stage]))
            continue;
        if (!job->plain[stage] || last != stage)
            from = earliest(l, task);
        last = stage;
        passed[stage] |= from < 0 || minmin;
        uint32_t machine = 0;
        const int64_t at = from < 0 ? INT64_MAX : find_start(l, task, from, &machine);
        if (at == INT64_MAX) {
            passed[stage] = true;
            continue;
        }
        if (best != UINT32_MAX && at + job->duration[task] >= first_end)
            continue;
        best = task;
        first_end = at + job->duration[task];
        start = at;
        on = machine;
    }
    free(passed);
    if (best != UINT32_MAX)
        place(l, best, on, start);
    return best != UINT32_MAX;
}

static struct lister *sorting;

static int by_tail(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const int64_t *tail = sorting->job->tail;
    return tail[x] != tail[y] ? (tail[x] > tail[y] ? -1 : 1) : x < y ? -1 : x > y;
}

static int by_duration(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const int64_t *duration = sorting->job->duration;
    return duration[x] != duration[y] ? (duration[x] < duration[y] ? -1 : 1) : x < y ? -1 : x > y;
}

static void begin(struct lister *l, bool minmin)
{
    const struct br_general *job = l->job;
    const size_t n = job->tasks + 1, places = ((size_t)job->machines + 1) * job->resources + 1;
    l->profile = need(calloc(job->machines + 1, sizeof *l->profile));
    l->start = need(calloc(n, sizeof *l->start));
    l->machine = need(calloc(n, sizeof *l->machine));
    l->placed = need(calloc(n, sizeof *l->placed));
    l->left = need(calloc(job->stages + 1, sizeof *l->left));
    l->last_end = need(calloc(job->stages + 1, sizeof *l->last_end));
    l->unread = need(calloc(job->instances + 1, sizeof *l->unread));
    l->read_until = need(calloc(job->instances + 1, sizeof *l->read_until));
    l->freed = need(calloc(places, sizeof *l->freed));
    l->by_tail = need(calloc(n, sizeof *l->by_tail));
    for (uint32_t s = 0; s < job->stages; s++)
        l->left[s] = job->stage_first[s + 1] - job->stage_first[s];
    for (uint32_t o = 0; o < job->outputs; o++)
        for (uint32_t k = job->reader_first[o]; k < job->reader_first[o + 1]; k++)
            for (uint32_t i = 0; i < l->left[job->output[o].stage]; i++)
                l->unread[job->output[o].first + i]++;
    for (uint32_t t = 0; t < job->tasks; t++)
        l->by_tail[t] = t;
    sorting = l;
    qsort(l->by_tail, job->tasks, sizeof *l->by_tail, minmin ? by_duration : by_tail);
}

static int list(struct br_general *job, bool minmin, const char *path)
{
    struct lister l = {.job = job};
    begin(&l, minmin);
    uint32_t placed = 0;
    while (placed < job->tasks && place_next(&l, minmin))
        placed++;
    if (placed < job->tasks) {
        printf("none\n");
        return 2;
    }
    struct br_plan *plan = need(br_plan_create(job->tasks));
    struct br_diag diag = {0};
    memcpy(plan->start_ns, l.start, job->tasks * sizeof *l.start);
    memcpy(plan->machine, l.machine, job->tasks * sizeof *l.machine);
    memset(plan->subset, 'S', job->tasks);
    plan->method = minmin ? "MemMinMin" : "MemHEFT";
    plan->bound_method = "none";
    if (br_plan_rank(plan, job->dag, &diag) ||
        br_plan_verify(plan, job->dag, job->cluster, 1, NULL, NULL, &diag))
        fail(diag.what);
    printf("%s\n", br_seconds(plan->makespan_ns).text);
    const struct br_emit_input input = {.dag = job->dag, .cluster = job->cluster, .plan = plan};
    FILE *out = fopen(path, "w");
    if (!out || br_emit_plan("json", &input, out, NULL) || fclose(out))
        fail(path);
    br_plan_destroy(plan);
    return 0;
}

/* ---- The least peak ---- */

/* Prints the least amount in which all tasks can run one after another, and the bound below it. */
static int peak(const struct br_general *job, const char *name)
{
    struct br_least_peak least = {0};
    struct br_diag diag = {0};
    if (br_least_peak(job->dag, job->cluster, name, 30000000, NULL, &least, &diag))
        fail(diag.what);
    char text[2][BR_DECIMAL_TEXT];
    br_decimal_format(least.bound, text[0], sizeof text[0]);
    br_decimal_format(least.peak, text[1], sizeof text[1]);
    printf("%s %s\n", text[0], text[1]);
    br_least_peak_finish(&least);
    return 0;
}

int main(int argc, char **argv)
{
    struct br_input input;
    struct br_cluster *cluster;
    struct br_general *job;
    struct br_diag diag = {0};
    if (argc != 5)
        fail("usage: memheft heft|minmin|peak JOB.xml CLUSTER.xml PLAN.json|RESOURCE");
    if (br_parse_job(argv[2], NULL, &input, &diag) || br_parse_cluster(argv[3], &cluster, &diag) ||
        br_general_create(input.dag, cluster, &job, &diag))
        fail(diag.what);
    if (strcmp(argv[1], "peak") == 0)
        return peak(job, argv[4]);
    return list(job, strcmp(argv[1], "minmin") == 0, argv[4]);
}
