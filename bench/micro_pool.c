/* The cost of a schedule on one machine: micro_pool [OPTION=VALUE]... FILE...
 *
 * Every file is a job with one machine (PSPLIB .sm, Patterson .rcp, ...). For each, random activity
 * lists biased towards late tasks' parents are drawn with a fixed seed, and every operation runs
 * over all of them; the best of several rounds counts, in processor time of this thread. The sum of
 * the makespans is printed because it must not depend on the profile.
 *
 *   profile=choose|slices|events|wide   how free capacity is kept
 *   lists=N                             lists a job (1000)
 *   rounds=N                            rounds (5); 1 under callgrind
 *   only=NAME                           forward, backward, justify, parallel, dispatch or space
 *   scale=N                             multiplies durations, and adds 0..N-1 to each */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/numbers/rng.h"
#include "parsers/parsers.h"
#include "planner/schedule/dispatch.h"
#include "planner/schedule/order.h"
#include "planner/rcpsp/rcpsp.h"
#include "planner/space/space.h"

static struct {
    enum br_rcpsp_profile profile;
    uint32_t lists, rounds;
    int64_t scale;
    const char *only;
} options = {BR_RCPSP_CHOOSE, 1000, 5, 1, NULL};

struct bench {
    struct br_instance *in;
    struct br_rcpsp_model *model;
    struct br_rcpsp_workspace *workspace;
    uint32_t *lists, *scratch; /* [list * tasks] */
    int64_t *start, *key;
    uint32_t *arc_first, *arc; /* between tasks, children of parents */
    struct br_schedule schedule;
};

_Noreturn static void fail(const char *what)
{
    fprintf(stderr, "micro_pool: %s\n", what);
    exit(3);
}

static void *get(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    if (!memory)
        fail("memory is out");
    return memory;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void open_job(struct bench *b, const char *path)
{
    struct br_input input;
    struct br_diag diag = {0};
    if (br_parse_job(path, NULL, &input, &diag) != BR_OK || !input.cluster)
        fail(path);
    if (br_instance_create(input.dag, input.cluster, &b->in, &diag) != BR_OK)
        fail(path);
    if (b->in->machines != 1)
        fail("one machine, please");
    br_input_finish(&input);
    struct br_rng rng = br_rng_seed(7);
    for (uint32_t t = 0; t < b->in->tasks && options.scale > 1; t++)
        if (b->in->duration[t])
            b->in->duration[t] = b->in->duration[t] * options.scale +
                                 (int64_t)br_rng_below(&rng, (uint64_t)options.scale);
    b->model = br_rcpsp_model_create(b->in, options.profile);
    b->workspace = b->model ? br_rcpsp_workspace_create(b->model) : NULL;
    if (!b->workspace || !br_schedule_init(&b->schedule, b->in))
        fail("memory is out");
}

/* Children by task; barriers of many to many are spelled out, which is fine for a benchmark. */
static void spell_arcs(struct bench *b)
{
    const struct br_instance *in = b->in;
    size_t total = 0;
    for (int pass = 0; pass < 2; pass++) {
        if (pass)
            b->arc = get(total, sizeof *b->arc);
        else
            b->arc_first = get(in->tasks + 1, sizeof *b->arc_first);
        total = 0;
        for (uint32_t t = 0; t < in->tasks; t++) {
            uint32_t s = in->task_stage[t];
            b->arc_first[t] = (uint32_t)total;
            for (uint32_t a = in->child_first[s]; a < in->child_first[s + 1]; a++) {
                uint32_t c = in->child[a].stage;
                for (uint32_t u = in->stage_first[c]; u < in->stage_first[c + 1]; u++)
                    if (!in->child[a].one_to_one ||
                        u - in->stage_first[c] == t - in->stage_first[s]) {
                        if (pass)
                            b->arc[total] = u;
                        total++;
                    }
            }
        }
        b->arc_first[in->tasks] = (uint32_t)total;
    }
}

/* The best of four ready tasks drawn, by the longest path from it, comes next. */
static void draw_lists(struct bench *b)
{
    uint32_t n = b->in->tasks, *ready = get(n, sizeof *ready), *waits = get(n, sizeof *waits);
    struct br_rng rng = br_rng_seed(1);
    struct br_reach reach;
    if (!br_reach_init(&reach, b->in))
        fail("memory is out");
    spell_arcs(b);
    b->lists = get((size_t)n * options.lists, sizeof *b->lists);
    b->scratch = get((size_t)n * options.lists, sizeof *b->lists);
    b->start = get((size_t)n * options.lists, sizeof *b->start);
    b->key = get((size_t)n * options.lists, sizeof *b->key);
    for (uint32_t l = 0; l < options.lists; l++) {
        uint32_t size = 0;
        memset(waits, 0, n * sizeof *waits);
        for (uint32_t a = 0; a < b->arc_first[n]; a++)
            waits[b->arc[a]]++;
        for (uint32_t t = 0; t < n; t++)
            if (!waits[t])
                ready[size++] = t;
        for (uint32_t k = 0; k < n; k++) {
            uint32_t pick = (uint32_t)br_rng_below(&rng, size);
            for (int more = 0; more < 3; more++) {
                uint32_t other = (uint32_t)br_rng_below(&rng, size);
                if (reach.tail[ready[other]] + b->in->duration[ready[other]] >
                    reach.tail[ready[pick]] + b->in->duration[ready[pick]])
                    pick = other;
            }
            uint32_t task = ready[pick];
            ready[pick] = ready[--size];
            b->lists[(size_t)l * n + k] = task;
            for (uint32_t a = b->arc_first[task]; a < b->arc_first[task + 1]; a++)
                if (--waits[b->arc[a]] == 0)
                    ready[size++] = b->arc[a];
        }
    }
    br_reach_finish(&reach);
    free(ready);
    free(waits);
}

static int64_t run_forward(struct bench *b, uint32_t l)
{
    size_t at = (size_t)l * b->in->tasks;
    return br_rcpsp_serial(b->workspace, BR_FORWARD, b->lists + at, BR_RCPSP_NO_LIMIT,
                           b->start + at);
}

static int64_t run_backward(struct bench *b, uint32_t l)
{
    return br_rcpsp_serial(b->workspace, BR_BACKWARD, b->lists + (size_t)l * b->in->tasks,
                           BR_RCPSP_NO_LIMIT, b->key);
}

static int64_t run_justify(struct bench *b, uint32_t l)
{
    size_t n = b->in->tasks, at = (size_t)l * n;
    memcpy(b->scratch + at, b->lists + at, n * sizeof *b->lists);
    memcpy(b->key + at, b->start + at, n * sizeof *b->key);
    return br_rcpsp_justify(b->workspace, b->scratch + at, b->key + at);
}

static int64_t run_parallel(struct bench *b, uint32_t l)
{
    return br_rcpsp_parallel(b->workspace, BR_FORWARD, b->lists + (size_t)l * b->in->tasks,
                             BR_RCPSP_NO_LIMIT, b->key);
}

/* The general forms, for any number of machines, for comparison. */
static int64_t run_dispatch(struct bench *b, uint32_t l)
{
    uint32_t n = b->in->tasks;
    const uint32_t *list = b->lists + (size_t)l * n;
    struct br_order order = {.place = b->scratch, .by_stage = b->scratch + n};
    uint32_t *next = b->scratch + 2 * (size_t)n;
    memcpy(next, b->in->stage_first, b->in->stages * sizeof *next);
    for (uint32_t k = 0; k < n; k++) {
        order.place[list[k]] = k;
        order.by_stage[next[b->in->task_stage[list[k]]]++] = list[k];
    }
    if (!br_dispatch(&b->schedule, b->in, &order, BR_DISPATCH_ORDER, NULL))
        fail("memory is out");
    return b->schedule.makespan;
}

static int64_t run_space(struct bench *b, uint32_t l)
{
    const struct br_instance *in = b->in;
    const uint32_t *list = b->lists + (size_t)l * in->tasks;
    struct br_space *space = br_space_create(in);
    int64_t *bound = b->key, makespan = 0;
    if (!space)
        fail("memory is out");
    memset(bound, 0, in->tasks * sizeof *bound);
    for (uint32_t k = 0; k < in->tasks; k++) {
        uint32_t t = list[k], stage = in->task_stage[t];
        struct br_fit fit = br_space_earliest(space, stage, in->duration[t], bound[t]);
        if (!br_space_place(space, stage, in->duration[t], fit, 1))
            fail("memory is out");
        int64_t end = fit.start + in->duration[t];
        makespan = end > makespan ? end : makespan;
        for (uint32_t a = b->arc_first[t]; a < b->arc_first[t + 1]; a++)
            if (bound[b->arc[a]] < end)
                bound[b->arc[a]] = end;
    }
    br_space_destroy(space);
    return makespan;
}

/* A schedule is one generation: a justification makes two. */
static const struct operation {
    const char *name;
    int64_t (*run)(struct bench *b, uint32_t list);
    uint32_t schedules;
} operations[] = {{"forward", run_forward, 1},   {"backward", run_backward, 1},
                  {"justify", run_justify, 2},   {"parallel", run_parallel, 1},
                  {"dispatch", run_dispatch, 1}, {"space", run_space, 1}};
enum { OPERATIONS = sizeof operations / sizeof operations[0] };

struct total {
    double seconds;
    uint64_t schedules, placements;
    int64_t makespans;
};

static void measure(struct bench *b, struct total *total)
{
    for (uint32_t l = 0; l < options.lists; l++)
        run_forward(b, l); /* what justification starts from */
    for (int o = 0; o < OPERATIONS; o++) {
        double best = 0;
        int64_t makespans = 0;
        if (options.only && strcmp(options.only, operations[o].name) != 0)
            continue;
        for (uint32_t round = 0; round < options.rounds; round++) {
            double begin = now();
            makespans = 0;
            for (uint32_t l = 0; l < options.lists; l++)
                makespans += operations[o].run(b, l);
            double seconds = now() - begin;
            best = round == 0 || seconds < best ? seconds : best;
        }
        total[o].seconds += best;
        total[o].schedules += (uint64_t)options.lists * operations[o].schedules;
        total[o].placements += (uint64_t)options.lists * operations[o].schedules * b->in->tasks;
        total[o].makespans += makespans;
    }
}

static bool read_option(const char *text)
{
    static const char *const profiles[] = {"choose", "slices", "events", "wide"};
    const char *value = strchr(text, '=');
    if (!value++)
        return false;
    if (strncmp(text, "profile=", 8) == 0) {
        for (int k = 0; k < 4; k++)
            if (strcmp(value, profiles[k]) == 0) {
                options.profile = (enum br_rcpsp_profile)k;
                return true;
            }
        fail("profile=choose, slices, events or wide");
    } else if (strncmp(text, "only=", 5) == 0) {
        options.only = value;
    } else {
        uint32_t number = (uint32_t)strtoul(value, NULL, 10);
        if (number == 0)
            fail("a positive number, please");
        if (strncmp(text, "lists=", 6) == 0)
            options.lists = number;
        else if (strncmp(text, "rounds=", 7) == 0)
            options.rounds = number;
        else if (strncmp(text, "scale=", 6) == 0)
            options.scale = number;
        else
            fail("options are profile=, lists=, rounds=, only= and scale=");
    }
    return true;
}

int main(int argc, char **argv)
{
    struct total total[OPERATIONS] = {0};
    uint32_t jobs = 0, sliced = 0;
    for (int a = 1; a < argc; a++) {
        struct bench b = {0};
        if (read_option(argv[a]))
            continue;
        open_job(&b, argv[a]);
        draw_lists(&b);
        measure(&b, total);
        jobs++;
        sliced += br_rcpsp_model_profile(b.model) == BR_RCPSP_SLICES;
        br_rcpsp_workspace_destroy(b.workspace);
        br_rcpsp_model_destroy(b.model);
        br_schedule_finish(&b.schedule);
        br_instance_destroy(b.in);
        free(b.lists);
        free(b.scratch);
        free(b.start);
        free(b.key);
        free(b.arc_first);
        free(b.arc);
    }
    printf("%" PRIu32 " jobs, %" PRIu32 " of them sliced\n", jobs, sliced);
    printf("%-10s %14s %14s %16s %14s\n", "", "schedules/s", "placements/s", "ns a placement",
           "makespans");
    for (int o = 0; o < OPERATIONS; o++)
        if (total[o].schedules)
            printf("%-10s %14.0f %14.0f %16.1f %14" PRId64 "\n", operations[o].name,
                   (double)total[o].schedules / total[o].seconds,
                   (double)total[o].placements / total[o].seconds,
                   1e9 * total[o].seconds / (double)total[o].placements, total[o].makespans);
    return 0;
}
