/* usage: judged_plans FIRST COUNT PLANS
 *
 * Random jobs with outputs, shared resources and times, of the seeds from FIRST on, each with
 * random plans and our verdict on them, for a judge that shares no code with us. Written are a line
 * "SEED BYTES", the job with its cluster as XML of that size, and a line for each plan: 1 if it
 * holds for what our reader makes of this XML, else 0; its makespan; and for each task its start,
 * end, machine and rank. Times are in nanoseconds.
 *
 * The first plan is one that holds, if there is any; the others move one task each, to a time at or
 * near which something begins or ends, and go on from there as long as few rules are broken. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/rng.h"
#include "emit/emit.h"
#include "parsers/jobs/native.h"
#include "parsers/parsers.h"
#include "planner/instance/plan.h"
#include "tests/support/feature_oracle.h"
#include "tests/support/random_features.h"

enum { TASKS = 7, FEW_FAULTS = 2 };

static void need(bool what, const char *word, uint64_t seed)
{
    if (what)
        return;
    fprintf(stderr, "judged_plans: seed %" PRIu64 ": %s\n", seed, word);
    exit(1);
}

/* Writes the job to the file and to standard output, and reads it again. */
static void pass_on(uint64_t seed, const struct random_job *job, const char *path,
                    struct br_input *input)
{
    const struct br_emit_input as = {.dag = job->dag, .cluster = job->cluster};
    struct br_diag diag = {0};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size), *file = fopen(path, "w");
    need(out && file, "no memory or no file", seed);
    need(br_emit_job("xml", &as, out, &diag) == BR_OK && !fclose(out), diag.what, seed);
    need(fwrite(text, 1, size, file) == size && !fclose(file), "the file is not written", seed);
    need(br_parse_job_xml(path, input, &diag) == BR_OK, diag.what, seed);
    need(input->cluster != NULL, "the cluster is lost", seed);
    printf("%" PRIu64 " %zu\n", seed, size);
    fwrite(text, 1, size, stdout);
    free(text);
}

static void count_fault(void *context, const char *text)
{
    (void)text;
    ++*(uint32_t *)context;
}

/* The number of faults, at most a hundred. */
static uint32_t judge(struct br_plan *plan, const struct br_input *input, uint64_t seed)
{
    uint32_t faults = 0;
    struct br_diag diag = {0};
    need(br_plan_rank(plan, input->dag, &diag) == BR_OK, diag.what, seed);
    const enum br_status status =
        br_plan_verify(plan, input->dag, input->cluster, 100, count_fault, &faults, &diag);
    need(status == BR_OK || status == BR_NO, diag.what, seed);
    need((faults == 0) == (status == BR_OK), "the verdict is not that of the faults", seed);
    return faults;
}

static void print_plan(const struct br_plan *plan, bool good)
{
    printf("%d %" PRId64, good, plan->makespan_ns);
    for (uint32_t t = 0; t < plan->tasks; t++)
        printf(" %" PRId64 " %" PRId64 " %" PRIu32 " %" PRIu32, plan->start_ns[t], plan->end_ns[t],
               plan->machine[t], plan->rank[t]);
    putchar('\n');
}

/* Moves a task to where something else begins or ends, or near, and perhaps to another machine. */
static void move_task(struct br_rng *rng, struct br_plan *plan, const struct br_input *input)
{
    const int64_t unit = RANDOM_FEATURES_UNIT;
    const uint32_t t = (uint32_t)br_rng_below(rng, plan->tasks);
    const uint32_t other = (uint32_t)br_rng_below(rng, plan->tasks);
    const int64_t duration = input->dag->duration_ns[t];
    switch (br_rng_below(rng, 6)) {
    case 0:
        plan->start_ns[t] = plan->end_ns[other];
        break;
    case 1:
        plan->start_ns[t] = plan->start_ns[other];
        break;
    case 2:
        plan->start_ns[t] = plan->end_ns[other] - duration;
        break;
    case 3:
        plan->start_ns[t] = (int64_t)br_rng_below(rng, 16) * unit;
        break;
    case 4:
        plan->start_ns[t] += br_rng_below(rng, 2) ? unit / 4 : -unit / 4;
        break;
    default:
        plan->machine[t] = (uint32_t)br_rng_below(rng, input->cluster->machines);
    }
    if (plan->start_ns[t] < 0)
        plan->start_ns[t] = 0;
}

/* A plan to begin with: the best, if there is any; else one task after another. */
static void begin_plan(struct br_plan *plan, const struct br_input *input)
{
    struct feature_oracle_plan best;
    int64_t now = 0;
    const bool any = feature_oracle_makespan(input->dag, input->cluster, &best) >= 0;
    for (uint32_t t = 0; t < plan->tasks; t++) {
        plan->start_ns[t] = any ? best.start_ns[t] : now;
        plan->machine[t] = any ? best.machine[t] : 0;
        now += input->dag->duration_ns[t];
    }
}

static void judge_job(uint64_t seed, uint32_t plans, const char *path)
{
    struct br_rng rng = br_rng_seed(~seed);
    const struct random_features wish = random_features_of(seed, TASKS);
    struct random_job job;
    struct br_input input = {0};
    need(random_features_make(seed, &wish, &job), "no memory", seed);
    pass_on(seed, &job, path, &input);
    struct br_plan *plan = br_plan_create(input.dag->tasks);
    struct br_plan *from = br_plan_create(input.dag->tasks);
    need(plan && from, "no memory", seed);
    begin_plan(from, &input);
    uint32_t before = judge(from, &input, seed);
    print_plan(from, before == 0);
    for (uint32_t k = 1; k < plans; k++) {
        memcpy(plan->start_ns, from->start_ns, plan->tasks * sizeof *plan->start_ns);
        memcpy(plan->end_ns, from->end_ns, plan->tasks * sizeof *plan->end_ns);
        memcpy(plan->machine, from->machine, plan->tasks * sizeof *plan->machine);
        move_task(&rng, plan, &input);
        const uint32_t faults = judge(plan, &input, seed);
        print_plan(plan, faults == 0);
        if (faults > FEW_FAULTS && faults > before)
            continue;
        struct br_plan *swap = from;
        from = plan;
        plan = swap;
        before = faults;
    }
    br_plan_destroy(plan);
    br_plan_destroy(from);
    br_input_finish(&input);
    random_job_finish(&job);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return BR_USAGE;
    const uint64_t first = strtoull(argv[1], NULL, 10), count = strtoull(argv[2], NULL, 10);
    const char *folder = getenv("TMPDIR");
    char path[4096];
    snprintf(path, sizeof path, "%.4000s/judged_plans.XXXXXX.xml", folder ? folder : "/tmp");
    const int file = mkstemps(path, 4);
    need(file >= 0, "no file", 0);
    for (uint64_t seed = first; seed < first + count; seed++)
        judge_job(seed, (uint32_t)strtoul(argv[3], NULL, 10), path);
    remove(path);
    return 0;
}
