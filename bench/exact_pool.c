/* The gaps that the exact solver closes, and the bounds that it proves: exact_pool
 * [OPTION=VALUE]... FILE...
 *
 * Every file is a job with one machine (PSPLIB .sm, Patterson .rcp, ...). The schedule to begin
 * with is the best of some hundred by parallel generation with noise, justified; the bound that of
 * planner/bounds. A line of CSV each; bench/exact puts them together. Seconds are processor time
 * of this thread.
 *
 *   goal=up|down|both   raise the bound, shorten the schedule, or take turns (both)
 *   seconds=S           give up after so long (60)
 *   conflicts=N         give up after so many (no limit)
 *   slice=N             conflicts a turn (2000)
 *   passes=N            schedules to begin with (300)
 *   seed=N
 *   lower=N             where to begin upwards, where that is above what planner/bounds says
 *   upper=N             a makespan that is known, where that is below the schedule to begin with
 *   proof=1             record the proof of the bound, and check it */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/numbers/rng.h"
#include "parsers/parsers.h"
#include "planner/bounds/bounds.h"
#include "planner/check/proofs/clauses.h"
#include "planner/exact/exact.h"
#include "planner/rcpsp/rcpsp.h"
#include "planner/schedule/order.h"

static struct {
    const char *goal;
    double seconds;
    uint64_t conflicts, slice, passes, seed, proof, lower, upper;
} options = {"both", 60, UINT64_MAX, 2000, 300, 1, 0, 0, INT64_MAX};

_Noreturn static void fail(const char *what)
{
    fprintf(stderr, "exact_pool: %s\n", what);
    exit(3);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A good schedule, quickly. */
static int64_t begin_with(const struct br_instance *in)
{
    struct br_rcpsp_model *model = br_rcpsp_model_create(in, BR_RCPSP_CHOOSE);
    struct br_rcpsp_workspace *workspace = model ? br_rcpsp_workspace_create(model) : NULL;
    struct br_reach reach;
    struct br_rng rng = br_rng_seed(options.seed);
    uint32_t n = in->tasks, *list = malloc(n * sizeof *list);
    int64_t *start = malloc(n * sizeof *start), *key = malloc(n * sizeof *key), best = INT64_MAX;
    if (!workspace || !br_reach_init(&reach, in) || !list || !start || !key)
        fail("memory is out");
    for (uint64_t k = 0; k < options.passes; k++) {
        for (uint32_t t = 0; t < n; t++) {
            list[t] = t;
            key[t] = (int64_t)((double)(reach.critical_path - reach.tail[t]) * 64 *
                               (1 + (k ? 0.4 * br_rng_unit(&rng) : 0)));
        }
        br_rcpsp_sort(workspace, list, key);
        br_rcpsp_parallel(workspace, BR_FORWARD, list, BR_RCPSP_NO_LIMIT, start);
        br_rcpsp_sort(workspace, list, start);
        int64_t makespan = INT64_MAX, next;
        /* Tasks without duration may stand behind tasks that they precede: leave these be. */
        for (int round = 0; round < 4; round++) {
            next = br_rcpsp_justify(workspace, list, start);
            if (next >= makespan)
                break;
            makespan = next;
        }
        best = makespan < best ? makespan : best;
    }
    free(list);
    free(start);
    free(key);
    br_reach_finish(&reach);
    br_rcpsp_workspace_destroy(workspace);
    br_rcpsp_model_destroy(model);
    return best;
}

static const char *solve(struct br_exact *x, double begin)
{
    bool up = strcmp(options.goal, "down") != 0;
    uint64_t before = 0;
    for (;;) {
        enum br_exact_result result =
            br_exact_solve(x, up ? BR_EXACT_BOUND : BR_EXACT_SHORTER, options.slice, NULL);
        if (result == BR_EXACT_OPTIMAL)
            return "optimal";
        if (result == BR_EXACT_MEMORY)
            return "memory";
        if (now() - begin >= options.seconds || br_exact_counts(x).conflicts >= options.conflicts)
            return "open";
        if (!strcmp(options.goal, "both") &&
            br_exact_counts(x).conflicts >= before + options.slice) {
            up = !up;
            before = br_exact_counts(x).conflicts;
        }
    }
}

/* Clauses of the proof, which must hold. */
static uint32_t check(struct br_exact *x, const struct br_instance *in)
{
    struct br_arena arena = {0};
    struct br_proof proof;
    uint32_t where;
    if (!br_exact_proof(x, &arena, &proof))
        fail("no proof was recorded");
    if (br_clauses_check(in, br_exact_proven(x), proof.clause, proof.clauses, &where) !=
        BR_CLAUSES_PROVE)
        fail("the proof does not hold");
    br_arena_finish(&arena);
    return proof.clauses;
}

static void run(const char *path)
{
    struct br_input input;
    struct br_diag diag = {0};
    struct br_instance *in;
    if (br_parse_job(path, NULL, &input, &diag) != BR_OK || !input.cluster ||
        br_instance_create(input.dag, input.cluster, &in, &diag) != BR_OK)
        fail(path);
    br_input_finish(&input);
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    double begin = now();
    int64_t upper = begin_with(in), lower = br_bounds_best(in, INT64_MAX).ticks;
    if (upper > (int64_t)options.upper && (int64_t)options.upper >= lower)
        upper = (int64_t)options.upper;
    if (lower < (int64_t)options.lower && (int64_t)options.lower <= upper)
        lower = (int64_t)options.lower;
    double seeded = now();
    struct br_exact *x = br_exact_create(in, upper, 1, options.proof);
    if (!x)
        fail("not for this solver");
    br_exact_set_lower(x, lower);
    const char *end = solve(x, seeded);
    double solved = now();
    uint32_t clauses = options.proof ? check(x, in) : 0;
    struct br_exact_counts c = br_exact_counts(x);
    printf("%.*s,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%s,%" PRIu64 ",%" PRIu64
           ",%" PRIu64 ",%" PRIu64 ",%.3f,%.3f,%u,%.3f\n",
           (int)strcspn(name, "."), name, lower, upper, br_exact_lower(x), br_exact_upper(x), end,
           c.conflicts, c.decisions, c.propagations, c.learned_literals, seeded - begin,
           solved - seeded, clauses, now() - solved);
    fflush(stdout);
    br_exact_destroy(x);
    br_instance_destroy(in);
}

int main(int argc, char **argv)
{
    int k = 1;
    for (; k < argc && strchr(argv[k], '='); k++) {
        const char *value = strchr(argv[k], '=') + 1;
        if (!strncmp(argv[k], "goal=", 5))
            options.goal = value;
        else if (!strncmp(argv[k], "seconds=", 8))
            options.seconds = atof(value);
        else if (!strncmp(argv[k], "conflicts=", 10))
            options.conflicts = strtoull(value, NULL, 10);
        else if (!strncmp(argv[k], "slice=", 6))
            options.slice = strtoull(value, NULL, 10);
        else if (!strncmp(argv[k], "passes=", 7))
            options.passes = strtoull(value, NULL, 10);
        else if (!strncmp(argv[k], "proof=", 6))
            options.proof = strtoull(value, NULL, 10);
        else if (!strncmp(argv[k], "lower=", 6))
            options.lower = strtoull(value, NULL, 10);
        else if (!strncmp(argv[k], "upper=", 6))
            options.upper = strtoull(value, NULL, 10);
        else if (!strncmp(argv[k], "seed=", 5))
            options.seed = strtoull(value, NULL, 10);
        else
            fail(argv[k]);
    }
    puts("instance,lower_first,upper_first,lower,upper,end,conflicts,decisions,propagations,"
         "literals,seconds_first,seconds,clauses,seconds_check");
    for (; k < argc; k++)
        run(argv[k]);
    return 0;
}
