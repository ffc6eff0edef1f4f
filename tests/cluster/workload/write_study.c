/* Writes a study of outcomes that were made by hand or at random, for tests of its outputs:
 *
 *   write_study FORMAT small NAME      two policies, two seeds, with NAME in all names
 *   write_study FORMAT random SEED     three policies, of which some leave jobs unfinished
 *   write_study FORMAT large JOBS      one policy, ten tasks a job
 *   write_study FORMAT times NAME      as small, with what is of the computer
 *   write_study FORMAT many POLICIES   as random, with many policies that have long names
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/simulate/report/study.h"
#include "tests/cluster/workload/made.h"

#define S INT64_C(1000000000)

enum { RUNS_MOST = 32 };

struct fixture {
    struct made made;
    double *bound_s;
    struct br_metrics metrics[RUNS_MOST];
    struct br_series series[RUNS_MOST];
    struct br_study_run run[RUNS_MOST];
    struct br_study study;
};

static void must(enum br_status status, const struct br_diag *diag)
{
    if (status == BR_OK)
        return;
    fprintf(stderr, "%s\n", diag->what);
    exit(1);
}

/* The outcome as it is now becomes the next run. */
static struct br_study_run *add_run(struct fixture *f, const char *policy, uint64_t seed)
{
    struct br_diag diag;
    uint32_t k = f->study.runs++;
    must(br_metrics_make(f->made.workload, f->made.cluster, &f->made.outcome, f->bound_s,
                         &f->metrics[k], &diag),
         &diag);
    must(br_series_make(f->made.workload, f->made.cluster, &f->made.outcome, &f->series[k], &diag),
         &diag);
    f->run[k] = (struct br_study_run){.policy = policy,
                                      .seed = seed,
                                      .metrics = &f->metrics[k],
                                      .series = &f->series[k],
                                      .mean_jct_bound_s = NAN,
                                      .makespan_bound_s = NAN,
                                      .clairvoyant_mean_jct_s = NAN,
                                      .events = f->made.outcome.events,
                                      .cut = f->made.outcome.cut,
                                      .seconds = 0.5,
                                      .planning_seconds = 0.25};
    return &f->run[k];
}

static void add_small(struct fixture *f, const char *name)
{
    made_small(&f->made, name);
    f->bound_s = calloc(3, sizeof *f->bound_s);
    if (!f->bound_s)
        exit(1);
    f->bound_s[0] = f->bound_s[1] = 10;
    f->bound_s[2] = 5;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        struct br_study_run *run = add_run(f, "fifo", seed);
        run->mean_jct_bound_s = 12.5;
        run->makespan_bound_s = 30;
        run->clairvoyant_mean_jct_s = 15;
        f->made.outcome.span[4].end_ns += 3 * S; /* the last job's last task ends later */
        f->made.outcome.end_ns[2] += 3 * S;
    }
    for (int k = 4; k < 6; k++) { /* the last job runs beside the first */
        f->made.outcome.span[k].start_ns = 11 * S;
        f->made.outcome.span[k].end_ns = 16 * S + S / 2;
    }
    f->made.outcome.end_ns[2] = 16 * S + S / 2;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        struct br_study_run *run = add_run(f, name, seed);
        run->mean_jct_bound_s = 12.5;
        run->note = seed == 2 ? "a note, \"quoted\"" : NULL;
    }
}

static void add_random(struct fixture *f, uint64_t seed, uint32_t policies)
{
    static char names[RUNS_MOST][60] = {"fifo", "graphene", "weighted-fair=-1"};
    made_random(&f->made, seed);
    for (uint32_t k = 0; k < policies && k < RUNS_MOST; k++) {
        if (policies > 3)
            snprintf(names[k], sizeof names[k], "a policy of the long name number=%u.%0*d",
                     (unsigned)k, (int)(k * 2 % 30), 7);
        add_run(f, names[k], 1)->mean_jct_bound_s = 5;
        for (uint64_t s = 0; s < f->made.outcome.spans; s++)
            f->made.outcome.span[s].end_ns += (int64_t)(s % 3) * S;
        for (uint32_t j = 0; j < f->made.outcome.jobs; j++)
            if (f->made.outcome.end_ns[j] >= 0)
                f->made.outcome.end_ns[j] += 2 * S;
    }
}

int main(int count, char **word)
{
    struct fixture f = {0};
    struct br_diag diag = {0};
    if (count != 4)
        return 2;
    if (strcmp(word[2], "random") == 0) {
        add_random(&f, strtoull(word[3], NULL, 10), 3);
    } else if (strcmp(word[2], "many") == 0) {
        add_random(&f, 9, (uint32_t)strtoul(word[3], NULL, 10));
    } else if (strcmp(word[2], "large") == 0) {
        uint32_t jobs = (uint32_t)strtoul(word[3], NULL, 10);
        made_large(&f.made, jobs, jobs);
        add_run(&f, "fifo", 1);
    } else {
        add_small(&f, word[3]);
    }
    f.study.workload = f.made.workload;
    f.study.cluster = f.made.cluster;
    f.study.run = f.run;
    f.study.times = strcmp(word[2], "times") == 0;
    enum br_status status = br_emit_study(word[1], &f.study, stdout, &diag);
    if (status)
        fprintf(stderr, "%s; %s\n", diag.what, diag.hint);
    for (uint32_t k = 0; k < f.study.runs; k++) {
        br_metrics_finish(&f.metrics[k]);
        br_series_finish(&f.series[k]);
    }
    free(f.bound_s);
    made_finish(&f.made);
    return (int)status;
}
