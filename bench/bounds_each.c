/* Every combinatorial bound of a job by itself, in seconds: bounds_each JOB [CLUSTER.xml]
 *
 * One line of CSV with a header; each is the sum over the parts between cuts, so that they differ
 * by their arguments alone, and "sum" is what the program uses. For bench/bounds. */
#include <stdio.h>

#include "base/numbers/decimal.h"
#include "parsers/parsers.h"
#include "planner/bounds/bounds.h"
#include "planner/instance/part.h"

static const struct {
    const char *name;
    struct br_bound (*bound)(const struct br_instance *in);
} bounds[] = {
    {"critical_path", br_bounds_critical_path},
    {"work", br_bounds_work},
    {"fragmentation", br_bounds_fragmentation},
    {"heads_tails", br_bounds_energy},
    {"modcp", br_bounds_modcp},
    {"waves", br_bounds_waves},
    {"window", br_bounds_window},
};
enum { BOUNDS = sizeof bounds / sizeof *bounds };

static int fail(const struct br_diag *diag)
{
    char text[1400];
    br_diag_format(diag, text, sizeof text);
    fprintf(stderr, "bounds_each: %s\n", text);
    return (int)diag->status;
}

static void print(int64_t ns)
{
    char text[BR_SECONDS_TEXT];
    br_seconds_format(ns, text);
    printf("%s,", text);
}

int main(int argc, char **argv)
{
    struct br_diag diag = {0};
    struct br_input input;
    struct br_instance *whole;
    struct br_parts parts;
    if (argc < 2 || argc > 3) {
        fputs("usage: bounds_each JOB [CLUSTER.xml]\n", stderr);
        return BR_USAGE;
    }
    if (br_parse_job(argv[1], NULL, &input, &diag))
        return fail(&diag);
    if (argc == 3) {
        br_cluster_destroy(input.cluster);
        if (br_parse_cluster(argv[2], &input.cluster, &diag))
            return fail(&diag);
    }
    if (!input.cluster) {
        fputs("bounds_each: the job carries no cluster\n", stderr);
        return BR_USAGE;
    }
    if (br_instance_create(input.dag, input.cluster, &whole, &diag) ||
        br_parts_create(whole, &parts, &diag))
        return fail(&diag);
    for (int k = 0; k < BOUNDS; k++)
        printf("%s,", bounds[k].name);
    puts("sum");
    for (int k = 0; k < BOUNDS; k++) {
        int64_t ticks = 0;
        for (uint32_t p = 0; p < parts.count; p++)
            ticks += bounds[k].bound(parts.part[p]).ticks;
        print(ticks * whole->tick_ns);
    }
    char text[BR_SECONDS_TEXT];
    br_seconds_format(br_bounds_sum(whole).ticks * whole->tick_ns, text);
    puts(text);
    br_parts_finish(&parts);
    br_instance_destroy(whole);
    br_input_finish(&input);
    return 0;
}
