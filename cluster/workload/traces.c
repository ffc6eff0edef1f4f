/* Runs of programs, in series: a user runs a program some times with alike results, among the
 * series of others that are going on. A series is of a new program or of one that ran before, the
 * more likely the more series it had (a Chinese restaurant process). A program has a user, a width,
 * a median duration and two coefficients of variation, each drawn from a log-normal: over time, of
 * the means of its runs; and over space, of the tasks of a run. The latter is printed for a sample
 * of 3 % of the tasks, sigma / (sqrt(0.03 n) mu); it is turned back into that of single tasks here,
 * or the tasks of small jobs would differ thrice as much. [Jajoo22, Table 4] tells both as they
 * were measured. Few runs and few tasks show less than what they are drawn from, so what is drawn
 * is larger, as much as to come out as printed (docs/predict.md).
 *
 * What the paper does not print is marked so: it is taken from Google's public trace of 2011, or
 * chosen so that shares of small and thin jobs come out as printed. That runs come in series is
 * [Jajoo22]'s words of changing users, code and clusters, made a model: it makes load come in waves
 * of alike jobs, as its Table 5 and its figures 6 and 11 have them. */
#include "cluster/workload/traces.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/numbers/real.h"
#include "generate/sample.h"

enum { SERIES_MOST = 16 };

#define OF_90 1.2815515655446004 /* standard deviations from the median to the 90th percentile */
#define RATIO 0.03
/* Share of the variance between runs that the stages of a run have in common; not printed. */
#define COMMON 0.7

/* A log-normal by its median and its 90th percentile. */
struct law {
    double median, p90;
};

struct kind {
    struct br_named named;
    struct law time, space; /* coefficients of variation */
    double width[4];        /* shares of jobs of 1 to 4 tasks; the others have 5 to 150 */
    struct law wide;        /* widths of those */
    struct law thin_s;      /* durations of programs of one or two tasks, in seconds */
    struct law wide_s;      /* and of all others */
    double fresh;           /* as many new programs as if so many series had been of unknown ones */
    double series;          /* runs of a series, on average */
    uint32_t at_once;       /* series that go on at a time, at most SERIES_MOST */
    double alike;           /* share of the variance between runs that is between series */
    double longest_s;       /* mean of a run */
    uint32_t users;
    uint32_t least_stages, most_stages;
};

static const struct kind kinds[] = {
    /* Widths: 18.84 % below 3 and below 4 tasks, 58.50 % below 5 [Jajoo22, 5.2.8]. Durations: 4.55
     * of 18.84 % and 28.73 of 81.16 % of the jobs do less than 1000 s of work [Jajoo22, Table 8].
     */
    {.named = {"2sigma",
               "like the trace of 2Sigma: most jobs wide and large, runs that differ much"},
     .time = {2.9, 60},
     .space = {0.19, 0.58},
     .width = {0.10, 0.0884, 0, 0.3966},
     .wide = {26, 110},
     .thin_s = {5000, 45000},
     .wide_s = {300, 6000},
     .fresh = 20,
     .series = 3,
     .at_once = 8,
     .alike = 0.9,
     .longest_s = 4e5,
     .users = 40,
     .least_stages = 1,
     .most_stages = 1},
    /* Widths as in the public trace; 1.90 % of the jobs are thin and large [Jajoo22, 5.2.7]. */
    {.named = {"google11",
               "like Google's trace of 2011: mostly single tasks, runs and tasks alike"},
     .time = {0.21, 0.85},
     .space = {0.042, 0.32},
     .width = {0.824, 0.020, 0.008, 0.009},
     .wide = {18, 90},
     .thin_s = {100, 420},
     .wide_s = {230, 1200},
     .fresh = 150,
     .series = 2,
     .at_once = 12,
     .alike = 0.8,
     .longest_s = 2e4,
     .users = 80,
     .least_stages = 1,
     .most_stages = 1},
    /* 1.60 % of the jobs are thin and large; widths are not printed, and taken as above but for
     * fewer single tasks. */
    {.named = {"google19", "like Google's trace of 2019: both runs and tasks differ much"},
     .time = {3.6, 3.6},
     .space = {0.76, 1.55},
     .width = {0.60, 0.05, 0.02, 0.02},
     .wide = {18, 90},
     .thin_s = {80, 380},
     .wide_s = {150, 1200},
     .fresh = 30,
     .series = 3,
     .at_once = 8,
     .alike = 0.8,
     .longest_s = 8e3,
     .users = 60,
     .least_stages = 1,
     .most_stages = 1},
    /* Two to five stages, each a job of the same program [Jajoo22, 6]. */
    {.named = {"google19-dag", "jobs of two to five stages, each like a job of google19"},
     .time = {3.6, 3.6},
     .space = {0.76, 1.55},
     .width = {0.60, 0.05, 0.02, 0.02},
     .wide = {18, 90},
     .thin_s = {80, 380},
     .wide_s = {150, 1200},
     .fresh = 30,
     .series = 3,
     .at_once = 8,
     .alike = 0.8,
     .longest_s = 8e3,
     .users = 60,
     .least_stages = 2,
     .most_stages = 5},
};

struct stage {
    uint32_t width;
    double median_s, between, space; /* between: deviation of logarithms of means of runs */
};

struct series {
    uint32_t app;
    double z[BR_TRACE_STAGES]; /* how far its runs are from the median, standard normal */
};

struct app {
    uint32_t user, stages;
    struct stage stage[BR_TRACE_STAGES];
};

struct br_trace {
    const struct kind *kind;
    struct br_rng rng;
    struct app *app;
    uint32_t apps, app_room;
    struct series going[SERIES_MOST];
    uint32_t goings;
    uint32_t *ran; /* the program of each series so far */
    uint32_t rans, ran_room;
};

const struct br_names br_traces = {BR_NAMES(kinds)};

enum br_status br_trace_create(const char *name, uint64_t seed, struct br_trace **trace,
                               struct br_diag *diag)
{
    *trace = NULL;
    uint32_t k = br_named_find(&br_traces, name);
    if (k == BR_NO_ROW)
        return br_fail_unnamed(diag, &br_traces, name, SIZE_MAX, "there is no trace like '%.80s'",
                               name);
    *trace = calloc(1, sizeof **trace);
    if (!*trace)
        return br_fail_memory(diag);
    (*trace)->kind = &kinds[k];
    (*trace)->rng = br_sample_stream(seed, BR_STREAM_DURATION);
    return BR_OK;
}

void br_trace_destroy(struct br_trace *trace)
{
    if (trace) {
        free(trace->app);
        free(trace->ran);
    }
    free(trace);
}

/* ---- Programs ---- */

static double generate_traces_draw(struct br_rng *rng, const struct law *law)
{
    return br_sample_lognormal(rng, law->median, br_real_log(law->p90 / law->median) / OF_90);
}

/* The deviation of the logarithm at which a log-normal has this coefficient of variation. */
static double deviation_of(double cov)
{
    return sqrt(br_real_log(1 + cov * cov));
}

static uint32_t draw_width(struct br_rng *rng, const struct kind *kind)
{
    double u = br_rng_unit(rng);
    for (uint32_t w = 0; w < 4; w++) {
        if (u < kind->width[w])
            return w + 1;
        u -= kind->width[w];
    }
    return br_sample_round(generate_traces_draw(rng, &kind->wide), 5, BR_TRACE_WIDEST);
}

static bool add_app(struct br_trace *trace)
{
    const struct kind *kind = trace->kind;
    struct br_rng *rng = &trace->rng;
    if (!br_grow(&trace->app, trace->apps, &trace->app_room, sizeof *trace->app))
        return false;
    struct app *app = &trace->app[trace->apps++];
    app->user = (uint32_t)br_rng_below(rng, kind->users);
    app->stages = kind->least_stages +
                  (uint32_t)br_rng_below(rng, kind->most_stages - kind->least_stages + 1);
    for (uint32_t s = 0; s < app->stages; s++) {
        assert(app->stages <= BR_TRACE_STAGES);
        struct stage *stage = &app->stage[s];
        stage->width = draw_width(rng, kind);
        stage->median_s =
            generate_traces_draw(rng, stage->width < 3 ? &kind->thin_s : &kind->wide_s);
        stage->between = deviation_of(fmin(generate_traces_draw(rng, &kind->time), 60));
        stage->space = generate_traces_draw(rng, &kind->space);
    }
    return true;
}

/* ---- Runs ---- */

/* How far stages are from what is usual of them, in standard deviations of the logarithm. */
static void draw_deviations(struct br_rng *rng, uint32_t stages, double z[BR_TRACE_STAGES])
{
    double common = br_real_normal(rng);
    for (uint32_t s = 0; s < stages; s++)
        z[s] = sqrt(COMMON) * common + sqrt(1 - COMMON) * br_real_normal(rng);
}

/* Begins a series in place of another. */
static bool begin_series(struct br_trace *trace, struct series *series)
{
    struct br_rng *rng = &trace->rng;
    double fresh = trace->kind->fresh;
    series->app = trace->apps;
    if (br_rng_unit(rng) * (fresh + trace->rans) >= fresh)
        series->app = trace->ran[br_rng_below(rng, trace->rans)];
    else if (!add_app(trace))
        return false;
    if (!br_grow(&trace->ran, trace->rans, &trace->ran_room, sizeof *trace->ran))
        return false;
    assert(series->app < trace->apps);
    trace->ran[trace->rans++] = series->app;
    draw_deviations(rng, trace->app[series->app].stages, series->z);
    return true;
}

/* The series that the next run is of; NULL: memory is out. */
static const struct series *pick_series(struct br_trace *trace)
{
    struct br_rng *rng = &trace->rng;
    const struct kind *kind = trace->kind;
    assert(trace->goings <= kind->at_once && kind->at_once <= SERIES_MOST);
    bool more = trace->goings < kind->at_once;
    if (more || br_rng_unit(rng) * kind->series < 1) {
        uint32_t k = more ? trace->goings : (uint32_t)br_rng_below(rng, kind->at_once);
        if (!begin_series(trace, &trace->going[k]))
            return NULL;
        trace->goings += more;
    }
    assert(trace->goings > 0);
    return &trace->going[br_rng_below(rng, trace->goings)];
}

/* Means of runs are about the median of the program, z deviations off; durations of tasks have the
 * mean of the run. */
static void run_stage(const struct br_trace *trace, struct br_rng *rng, const struct stage *stage,
                      double z, int64_t *duration_ns)
{
    uint32_t n = stage->width;
    double mean = fmin(stage->median_s * br_real_exp(stage->between * z), trace->kind->longest_s);
    /* The variance measured on n tasks is (n - 1) / n of that of the distribution. */
    double cov = n > 1 ? stage->space * sqrt(RATIO * n) * sqrt(n / (n - 1.0)) : 0;
    double within = deviation_of(fmin(cov, 20));
    for (uint32_t t = 0; t < n; t++) {
        double s = mean * br_real_exp(within * br_real_normal(rng) - within * within / 2);
        duration_ns[t] = br_real_whole(fmin(fmax(s, 0.001), 1e7) * 1e3) * 1000000;
    }
}

enum br_status br_trace_next(struct br_trace *trace, struct br_trace_job *job, struct br_diag *diag)
{
    struct br_rng *rng = &trace->rng;
    double alike = trace->kind->alike, own[BR_TRACE_STAGES] = {0};
    uint32_t used = 0;
    const struct series *series = pick_series(trace);
    if (!series)
        return br_fail_memory(diag);
    const struct app *app = &trace->app[series->app];
    *job = (struct br_trace_job){.app = series->app, .user = app->user, .stages = app->stages};
    draw_deviations(rng, app->stages, own);
    for (uint32_t s = 0; s < app->stages; s++) {
        double z = sqrt(alike) * series->z[s] + sqrt(1 - alike) * own[s];
        assert(app->stage[s].width > 0 && app->stage[s].width <= BR_TRACE_WIDEST);
        job->tasks[s] = app->stage[s].width;
        run_stage(trace, rng, &app->stage[s], z, job->duration_ns + used);
        used += app->stage[s].width;
    }
    return BR_OK;
}
