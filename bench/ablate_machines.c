/* The use of each part of the search on machines: ablate_machines PASSES SEEDS CLUSTER JOB...
 *
 * Every job is planned on the cluster, part by part between cuts, first by all baselines and their
 * justification, then by the search with PASSES placements a task: whole, without the population
 * over stages, by that alone, and without each move. A line of CSV each job, seed and variant: the
 * makespan and the lower bound, in seconds. Parts without a gap are searched by none. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "parsers/parsers.h"
#include "planner/bounds/bounds.h"
#include "planner/schedule/heuristic.h"
#include "planner/improve/improve.h"
#include "planner/improve/machine_search.h"
#include "planner/instance/part.h"
#include "planner/search/portfolio.h"

/* none, whole, no stages, stages alone, and one without each move */
enum { VARIANTS = 4 + BR_MOVE_MACHINES + 1, ROWS = 32 };

_Noreturn static void fail(const char *what)
{
    fprintf(stderr, "ablate_machines: %s\n", what);
    exit(3);
}

static const char *name_of(uint32_t variant)
{
    static const char *const names[] = {"no search", "whole", "without the population",
                                        "the population alone"};
    return variant < 4 ? names[variant] : br_move_name(variant - 4);
}

static struct br_machines_settings settings_of(uint32_t variant)
{
    struct br_machines_settings settings = br_machines_settings_default();
    if (variant == 2)
        settings.stages = 0;
    else if (variant == 3)
        settings.stages = 1;
    else if (variant >= 4)
        settings.moves &= ~(1u << (variant - 4));
    return settings;
}

/* Adds the part's makespan by every variant to the sums, in ticks. */
static void plan_part(const struct br_instance *in, uint64_t passes, uint64_t seed, int64_t *sum)
{
    struct br_reach reach;
    struct br_elite elite;
    int64_t trial[ROWS], bound = br_bounds_best(in, INT64_MAX).ticks;
    if (!br_reach_init(&reach, in))
        fail("memory is out");
    for (uint32_t v = 0; v < VARIANTS; v++) {
        uint32_t rows = 0, row[BR_PORTFOLIO_WORK];
        struct br_portfolio portfolio;
        struct br_machines_settings settings = settings_of(v);
        struct br_run run = {.in = in,
                             .reach = &reach,
                             .seed = seed,
                             .threads = 1,
                             .lower_bound = bound,
                             .elite = &elite};
        for (; br_heuristic_at(rows); rows++)
            row[rows] = rows;
        bool ok = br_elite_init(&elite, in, BR_ELITES) && br_portfolio_init(&portfolio, &run) &&
                  br_portfolio_baselines(&portfolio, row, rows, trial) &&
                  (elite.entry[0].schedule.makespan <= bound ||
                   br_portfolio_justify(&portfolio, BR_WORKS_ALL));
        struct br_run search = br_run_begin(&run);
        search.placements = passes * in->tasks;
        ok = ok && (v == 0 || elite.entry[0].schedule.makespan <= bound ||
                    br_machines_search(&search, &settings));
        if (!ok)
            fail("memory is out");
        sum[v] += elite.entry[0].schedule.makespan;
        br_portfolio_finish(&portfolio);
        br_elite_finish(&elite);
    }
    br_reach_finish(&reach);
}

static void plan_job(const char *path, const struct br_cluster *cluster, uint64_t passes,
                     uint64_t seed)
{
    struct br_input input = {0};
    struct br_diag diag = {0};
    struct br_instance *in = NULL;
    struct br_parts parts = {0};
    int64_t sum[VARIANTS] = {0};
    if (br_parse_job(path, NULL, &input, &diag) ||
        br_instance_create(input.dag, cluster, &in, &diag) || br_parts_create(in, &parts, &diag))
        fail(diag.what);
    for (uint32_t k = 0; k < parts.count; k++)
        plan_part(parts.part[k], passes, seed, sum);
    double unit = (double)in->tick_ns * 1e-9;
    for (uint32_t v = 0; v < VARIANTS; v++)
        printf("%s,%" PRIu64 ",%s%s,%.9g,%.9g\n", path, seed, v < 4 ? "" : "without ", name_of(v),
               (double)sum[v] * unit, (double)br_bounds_sum(in).ticks * unit);
    fflush(stdout);
    br_parts_finish(&parts);
    br_instance_destroy(in);
    br_input_finish(&input);
}

int main(int arguments, char **argument)
{
    struct br_cluster *cluster = NULL;
    struct br_diag diag = {0};
    if (arguments < 5)
        fail("give PASSES SEEDS CLUSTER JOB...");
    if (br_parse_cluster(argument[3], &cluster, &diag))
        fail(diag.what);
    puts("job,seed,variant,makespan,bound");
    for (int k = 4; k < arguments; k++)
        for (uint64_t seed = 1; seed <= strtoull(argument[2], NULL, 10); seed++)
            plan_job(argument[k], cluster, strtoull(argument[1], NULL, 10), seed);
    br_cluster_destroy(cluster);
    return 0;
}
