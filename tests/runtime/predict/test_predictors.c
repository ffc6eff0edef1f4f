/* Predictors: cases computed by hand, what holds whatever is learned, and intervals on jobs drawn
 * from a known model. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/numbers/real.h"
#include "runtime/predict/evaluate.h"
#include "runtime/predict/histogram.h"
#include "runtime/predict/mixture.h"
#include "runtime/predict/posterior.h"
#include "runtime/predict/quick.h"
#include "runtime/predict/rows.h"

#define S INT64_C(1000000000)

static struct br_diag diag;

#define OK(call)                                                                                   \
    do {                                                                                           \
        if ((call) != BR_OK)                                                                       \
            fail_msg("%s: %s", #call, diag.what);                                                  \
    } while (0)

static void near(double value, double wanted, double tolerance)
{
    if (!(fabs(value - wanted) <= tolerance))
        fail_msg("%.12g is not within %g of %.12g", value, tolerance, wanted);
}

static void *create(const struct br_predictor_row *row, uint32_t features, double number)
{
    struct br_predict_setup setup = br_predict_setup_default(features);
    void *predictor;
    setup.number = number;
    OK(row->create(row, &setup, &predictor, &diag));
    return predictor;
}

/* A job of one stage with these features and durations in seconds. */
struct job {
    uint64_t feature[4];
    int64_t ns[200];
    struct br_predict_stage stage;
    struct br_predict_job job;
};

static struct br_predict_job *make(struct job *job, const char *first, const char *second,
                                   uint32_t tasks, uint32_t measured, const double *seconds)
{
    *job = (struct job){.job = {.stages = 1}};
    job->feature[0] = first ? br_feature(first) : BR_NO_FEATURE;
    job->feature[1] = second ? br_feature(second) : BR_NO_FEATURE;
    for (uint32_t k = 0; k < measured; k++)
        job->ns[k] = br_real_whole(seconds[k] * 1e9);
    job->stage = (struct br_predict_stage){7, tasks, measured, job->ns};
    job->job = (struct br_predict_job){0, job->feature, 1, &job->stage};
    return &job->job;
}

static void learn(const struct br_predictor_row *row, void *predictor, const char *first,
                  const char *second, double seconds)
{
    struct job job;
    OK(row->learn(predictor, make(&job, first, second, 1, 1, &seconds), NAN, &diag));
}

static struct br_estimate ask(const struct br_predictor_row *row, void *predictor,
                              const char *first, const char *second, uint32_t tasks,
                              uint32_t measured, const double *seconds)
{
    struct job job;
    struct br_estimate estimate;
    struct br_stage_estimate stage;
    row->predict(predictor, make(&job, first, second, tasks, measured, seconds), &estimate, &stage);
    near(stage.mean_ns * tasks, estimate.work_ns, 1e-6 * estimate.work_ns);
    return estimate;
}

/* ---- Histograms ---- */

static void histogram_by_hand(void **state)
{
    struct br_histogram histogram = {0};
    (void)state;
    assert_true(br_histogram_add(&histogram, 2));
    near(br_histogram_quantile(&histogram, 0.9), 2, 0);
    assert_true(br_histogram_add(&histogram, 1));
    near(br_histogram_quantile(&histogram, 0.5), 1.5, 0);
    near(br_histogram_quantile(&histogram, 0.25), 1, 0);
    assert_true(br_histogram_add(&histogram, 2));
    assert_int_equal(histogram.bins, 2);
    /* Half of 1 lies below 1, then 1.5 up to 2: 1.5 of 3 is at 1 + 1 / 1.5. */
    near(br_histogram_quantile(&histogram, 0.5), 1 + 1 / 1.5, 1e-15);
    near(br_histogram_quantile(&histogram, 1), 2, 0);
    br_histogram_finish(&histogram);
    for (int k = 0; k < BR_HISTOGRAM_BINS; k++)
        assert_true(br_histogram_add(&histogram, 10 * k));
    assert_int_equal(histogram.bins, BR_HISTOGRAM_BINS);
    assert_true(br_histogram_add(&histogram, 303)); /* nearest to 300, with which it merges */
    assert_int_equal(histogram.bins, BR_HISTOGRAM_BINS);
    near(histogram.bin[30].at, 301.5, 0);
    near(histogram.bin[30].weight, 2, 0);
    near(histogram.bin[31].at, 310, 0);
    near(histogram.weight, BR_HISTOGRAM_BINS + 1, 0);
    assert_true(br_histogram_add(&histogram, 304.5));
    near(histogram.bin[30].at, 302.5, 1e-12); /* (2 * 301.5 + 304.5) / 3 */
    br_histogram_finish(&histogram);
}

/* ---- From history ---- */

static void point_is_the_median(void **state)
{
    const struct br_predictor_row *row = &br_predictor_point;
    void *p = create(row, 2, NAN);
    (void)state;
    struct br_estimate none = ask(row, p, "ann", NULL, 4, 0, NULL);
    assert_false(none.known);
    near(none.work_ns, 240e9, 0);
    learn(row, p, "ann", NULL, 90);
    learn(row, p, "ann", NULL, 10);
    learn(row, p, "ann", NULL, 20);
    struct br_estimate estimate = ask(row, p, "ann", NULL, 4, 0, NULL);
    assert_true(estimate.known);
    near(estimate.work_ns, 80e9, 1);
    /* 10 % of three is below the middle of the first bin; 90 % above that of the last. */
    near(estimate.low_ns, 40e9, 1);
    near(estimate.high_ns, 360e9, 1);
    /* A user who was never seen: all jobs. */
    near(ask(row, p, "bob", NULL, 1, 0, NULL).work_ns, 20e9, 1);
    row->destroy(p);
}

static void three_sigma_plans_by_utility(void **state)
{
    const struct br_predictor_row *row = &br_predictor_3sigma;
    void *p = create(row, 2, NAN);
    (void)state;
    learn(row, p, "ann", NULL, 10);
    learn(row, p, "ann", NULL, 20);
    /* 1 / t^2 is 1/100 and 1/400, 1/160 in the mean. */
    near(ask(row, p, "ann", NULL, 1, 0, NULL).work_ns, sqrt(160) * 1e9, 10);
    row->destroy(p);
}

/* The user erred by half, the name not at all. */
static void the_least_error_speaks(void **state)
{
    const struct br_predictor_row *row = &br_predictor_point;
    void *p = create(row, 2, NAN);
    (void)state;
    learn(row, p, "ann", "sort", 10);
    learn(row, p, "ann", "scan", 40);
    learn(row, p, "ann", "sort", 10);
    learn(row, p, "ann", "scan", 40);
    near(ask(row, p, "ann", "scan", 1, 0, NULL).work_ns, 40e9, 1);
    near(ask(row, p, "ann", "sort", 1, 0, NULL).work_ns, 10e9, 1);
    /* Of a name seen once nothing is known to be right: the user's. */
    learn(row, p, NULL, "join", 7);
    double user = ask(row, p, "ann", NULL, 1, 0, NULL).work_ns;
    near(ask(row, p, "ann", "join", 1, 0, NULL).work_ns, user, 0);
    row->destroy(p);
}

/* All jobs are asked for those alone of whom nothing is known, though they erred less. */
static void all_jobs_are_the_last_resort(void **state)
{
    const struct br_predictor_row *row = &br_predictor_point;
    void *p = create(row, 2, NAN);
    (void)state;
    for (int k = 0; k < 50; k++)
        learn(row, p, NULL, NULL, 20);
    learn(row, p, "ann", NULL, 1);
    learn(row, p, "ann", NULL, 100);
    near(ask(row, p, "ann", NULL, 1, 0, NULL).work_ns, 50.5e9, 1);
    near(ask(row, p, "bob", NULL, 1, 0, NULL).work_ns, 20e9, 1);
    row->destroy(p);
}

/* ---- Pilots ---- */

static void slearn_is_the_mean_of_pilots(void **state)
{
    const struct br_predictor_row *row = &br_predictor_slearn;
    void *p = create(row, 0, NAN), *tenth = create(row, 0, 0.1);
    struct job job;
    (void)state;
    const struct {
        uint32_t tasks, pilots, of_tenth;
    } rows[] = {{1, 1, 1}, {3, 1, 1}, {49, 1, 5}, {50, 2, 5}, {100, 3, 10}, {150, 5, 15}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        make(&job, NULL, NULL, rows[k].tasks, 0, NULL);
        assert_int_equal(row->pilots(p, &job.job, 0), rows[k].pilots);
        assert_int_equal(row->pilots(tenth, &job.job, 0), rows[k].of_tenth);
    }
    near(ask(row, p, NULL, NULL, 50, 2, (const double[]){3, 5}).work_ns, 200e9, 1);
    assert_false(ask(row, p, NULL, NULL, 50, 0, NULL).known);
    row->destroy(p);
    row->destroy(tenth);
}

static uint32_t percent_of(void *p, uint32_t number)
{
    const struct br_predictor_row *row = &br_predictor_slearn_adaptive;
    struct job job;
    make(&job, NULL, NULL, 100, 0, NULL)->number = number;
    OK(row->arrive(p, &job.job, &diag));
    return row->pilots(p, &job.job, 0);
}

static void score(void *p, uint32_t number, double jct)
{
    struct job job;
    const double one = 1;
    make(&job, NULL, NULL, 1, 1, &one)->number = number;
    OK(br_predictor_slearn_adaptive.learn(p, &job.job, jct, &diag));
}

/* As printed: 3, 2 and 4 % for the first three hundred, then what went best, and beyond it where
 * the step to it was worth a tenth. */
static void adaptive_pilots_as_printed(void **state)
{
    void *p = create(&br_predictor_slearn_adaptive, 0, NAN);
    (void)state;
    for (uint32_t k = 0; k < 300; k++)
        assert_int_equal(percent_of(p, k), k < 100 ? 3 : k < 200 ? 2 : 4);
    assert_int_equal(percent_of(p, 300), 3); /* nothing has finished */
    score(p, 0, 2);
    assert_int_equal(percent_of(p, 301), 3);
    score(p, 100, 1.9); /* better, not by a tenth */
    assert_int_equal(percent_of(p, 302), 2);
    score(p, 101, 1.5); /* mean 1.7; 1.87 < 2 */
    assert_int_equal(percent_of(p, 303), 1);
    score(p, 200, 1);
    assert_int_equal(percent_of(p, 304), 5);
    for (int k = 0; k < 101; k++)
        score(p, 1, 0.5); /* the 2 is forgotten after T + 1 */
    assert_int_equal(percent_of(p, 305), 3);
    score(p, 304, 0.1);
    assert_int_equal(percent_of(p, 306), 5);
    br_predictor_slearn_adaptive.destroy(p);
}

/* T + 1 scores count: the last of the first T + 1 is in the mean, and stays as long as only T came
 * after it. */
static void adaptive_pilots_remember_so_many(void **state)
{
    void *p = create(&br_predictor_slearn_adaptive, 0, NAN);
    (void)state;
    for (uint32_t k = 0; k < 300; k++)
        percent_of(p, k);
    for (int k = 0; k < 100; k++)
        score(p, 1, 0.5);
    score(p, 100, 0.51); /* below (2 + 100 * 0.5) / 101, and above 0.5 */
    assert_int_equal(percent_of(p, 300), 3);
    score(p, 1, 2);
    assert_int_equal(percent_of(p, 301), 2);
    for (int k = 0; k < 100; k++)
        score(p, 1, 0.5);
    assert_int_equal(percent_of(p, 302), 2);
    score(p, 1, 0.5);
    assert_int_equal(percent_of(p, 303), 3);
    br_predictor_slearn_adaptive.destroy(p);
}

static void slearn_dag_scales_history(void **state)
{
    const struct br_predictor_row *row = &br_predictor_slearn_dag;
    void *p = create(row, 1, NAN);
    const uint64_t feature = br_feature("etl");
    const int64_t first[] = {10 * S, 10 * S}, second[] = {40 * S}, pilot[] = {20 * S};
    struct br_predict_stage stage[] = {{1, 2, 2, first}, {2, 1, 1, second}};
    struct br_predict_job job = {0, &feature, 2, stage};
    struct br_estimate estimate;
    struct br_stage_estimate each[2];
    (void)state;
    OK(row->learn(p, &job, NAN, &diag));
    assert_int_equal(row->pilots(p, &job, 0), 1);
    assert_int_equal(row->pilots(p, &job, 1), 0);
    stage[0] = (struct br_predict_stage){1, 2, 1, pilot};
    stage[1] = (struct br_predict_stage){2, 3, 0, NULL};
    row->predict(p, &job, &estimate, each);
    near(each[0].mean_ns, 20e9, 1);
    near(each[1].mean_ns, 80e9, 100);
    near(estimate.work_ns, 280e9, 300);
    row->destroy(p);
}

/* ---- The posterior ---- */

static void quantiles_of_mixtures(void **state)
{
    struct br_normal normal;
    static struct br_mixture one = {1, {{3, 1, 0.5, 2}}, 3};
    static struct br_mixture two = {2, {{1, -2, 0.25, 4}, {1, 4, 0.25, 4}}, 2};
    double density;
    (void)state;
    br_normal_init(&normal);
    near(br_normal_below(&normal, 0, &density), 0.5, 1e-15);
    near(density, 0.3989422804014327, 1e-15);
    near(br_normal_below(&normal, 1.2815515655446004, NULL), 0.9, 1e-8);
    near(br_normal_below(&normal, -1.6448536269514729, NULL), 0.05, 1e-8);
    near(br_normal_below(&normal, 5, NULL), 0.9999997133484281, 1e-12);
    near(br_normal_below(&normal, 1e300, NULL), 1, 0);
    near(br_mixture_quantile(&one, &normal, 0.9), 1 + 0.5 * 1.2815515655446004, 1e-7);
    near(br_mixture_quantile(&one, &normal, 0.05), 1 - 0.5 * 1.6448536269514729, 1e-7);
    /* Half of all lies about -2, the other about 4. */
    near(br_mixture_quantile(&two, &normal, 0.25), -2, 1e-7);
    near(br_mixture_quantile(&two, &normal, 0.95), 4 + 0.25 * 1.2815515655446004, 1e-6);
    for (double x = 1e-5; x < 1e5; x *= 1.3) {
        near(br_quick_log(x), br_real_log(x), 1e-14);
        near(br_quick_exp(br_quick_log(x)) / x, 1, 1e-13);
    }
    near(br_quick_exp(-600) / br_real_exp(-600), 1, 1e-13);
}

static void learn_many(void *p, const char *name, uint32_t jobs, uint32_t tasks, double median,
                       double between, double within, uint64_t seed)
{
    struct br_rng rng = br_rng_seed(seed);
    struct job job;
    double seconds[200];
    for (uint32_t k = 0; k < jobs; k++) {
        double mean = median * br_real_exp(between * br_real_normal(&rng));
        for (uint32_t t = 0; t < tasks; t++)
            seconds[t] = mean * br_real_exp(within * br_real_normal(&rng));
        OK(br_predictor_posterior.learn(p, make(&job, name, NULL, tasks, tasks, seconds), NAN,
                                        &diag));
    }
}

/* Where runs of a program differ much and tasks of a run hardly, the pilot counts; where it is the
 * other way round, history. Nothing but the pilot differs between the two questions. */
static void evidence_is_weighed(void **state)
{
    const struct br_predictor_row *row = &br_predictor_posterior;
    void *p = create(row, 1, NAN);
    const double far = 500, alone = 37;
    (void)state;
    struct br_estimate none = ask(row, p, "new", 0, 10, 0, NULL);
    assert_false(none.known);
    near(none.work_ns, 600e9, 60e9);
    assert_true(none.high_ns > 1000 * none.low_ns);
    near(ask(row, p, NULL, 0, 10, 1, &alone).work_ns, 370e9, 60e9);
    learn_many(p, "wild", 60, 12, 100, 1.5, 0.01, 1);
    learn_many(p, "calm", 60, 12, 100, 0.01, 1, 2);
    near(ask(row, p, "wild", 0, 10, 1, &far).work_ns, 5000e9, 100e9);
    /* The mean of a log-normal with spread 1 is e^(1/2) times its median. */
    assert_uint_in_range((uint64_t)(ask(row, p, "calm", 0, 100, 1, &far).work_ns / 100e9), 150,
                         260);
    near(ask(row, p, "calm", 0, 100, 0, NULL).work_ns, 100 * 165e9, 100 * 25e9);
    row->destroy(p);
}

/* Tasks of spread 1 about a median of 100 s. The mean of many is e^(1/2) times the median; one
 * alone is as often above the median as below; and the mean of two still varies. */
static void tasks_vary_by_themselves(void **state)
{
    const struct br_predictor_row *row = &br_predictor_posterior;
    void *p = create(row, 1, NAN), *fresh = create(row, 1, NAN);
    struct br_rng rng = br_rng_seed(9);
    double pilots[60], middle = 0;
    (void)state;
    learn_many(p, "calm", 100, 60, 100, 0.01, 1, 4);
    near(ask(row, p, "calm", NULL, 1, 0, NULL).work_ns, 100e9, 15e9);
    near(ask(row, p, "calm", NULL, 10000, 0, NULL).work_ns, 165e13, 20e13);
    struct br_estimate two = ask(row, p, "calm", NULL, 2, 0, NULL);
    assert_true(two.high_ns > 4 * two.low_ns);
    struct br_estimate many = ask(row, p, "calm", NULL, 10000, 0, NULL);
    assert_true(many.high_ns < 2 * many.low_ns);
    for (int k = 0; k < 60; k++) {
        pilots[k] = 100 * br_real_exp(br_real_normal(&rng));
        middle += br_real_log(pilots[k]) / 60;
    }
    near(ask(row, fresh, "new", NULL, 10000, 60, pilots).work_ns / 1e13, br_real_exp(middle + 0.5),
         0.12 * br_real_exp(middle + 0.5));
    row->destroy(p);
    row->destroy(fresh);
}

static void what_is_measured_is_certain(void **state)
{
    const struct br_predictor_row *row = &br_predictor_posterior;
    void *p = create(row, 1, NAN);
    const double all[] = {3, 5, 9};
    (void)state;
    learn_many(p, "app", 20, 3, 1, 0.1, 0.1, 3);
    struct br_estimate estimate = ask(row, p, "app", 0, 3, 3, all);
    near(estimate.work_ns, 17e9, 1e3);
    near(estimate.high_ns, estimate.low_ns, 1e3);
    struct br_estimate two = ask(row, p, "app", 0, 3, 2, all);
    assert_true(two.low_ns > 8e9 && two.low_ns < two.work_ns && two.work_ns < two.high_ns);
    row->destroy(p);
}

/* The spread of a stage's tasks is told where two of its tasks have been seen together, in one run
 * of the history or by pilots; else they are taken to be as long as their mean. */
static void spreads_are_seen(void **state)
{
    const double same[] = {60, 60};
    const struct br_predictor_row *row = &br_predictor_posterior;
    struct br_task_belief belief;
    struct job job;
    void *p = create(row, 0, NAN);
    (void)state;
    /* Nothing, one pilot, and one task a run: the interval of 80 % ends at the 90th percentile. */
    for (uint32_t pilots = 0; pilots < 2; pilots++) {
        br_posterior_tasks(p, make(&job, NULL, NULL, 4, pilots, same), 0, 0.9, &belief);
        assert_int_equal(belief.known, pilots > 0);
        near(belief.spread, 0, 0);
        near(belief.task_ns, belief.high_ns, 0);
    }
    for (uint32_t run = 0; run < 3; run++)
        learn(row, p, NULL, NULL, 60);
    br_posterior_tasks(p, make(&job, NULL, NULL, 4, 0, same), 0, 0.9, &belief);
    assert_true(belief.known);
    near(belief.spread, 0, 0);
    near(belief.task_ns, belief.high_ns, 0);
    /* A run of which two tasks were seen. They were alike, so the least spreads are likely, and a
     * single task scatters more than the mean. */
    OK(row->learn(p, make(&job, NULL, NULL, 2, 2, same), NAN, &diag));
    br_posterior_tasks(p, make(&job, NULL, NULL, 4, 0, same), 0, 0.9, &belief);
    assert_true(belief.spread > 0.1 && belief.spread < 1);
    assert_true(belief.task_ns > belief.high_ns);
    /* Of a stage of one task nothing is told. */
    br_posterior_tasks(p, make(&job, NULL, NULL, 1, 0, same), 0, 0.9, &belief);
    near(belief.spread, 0, 0);
    row->destroy(p);
    /* Two pilots of 60 s without a history: of the twelve spreads s, equally likely before, each
     * weighs 1/s e^(-h^2 / 2v) / sqrt(v) with h = s^2 / 2 and v = 16 + h; log 60 is what is
     * expected. The mean square is 0.1140880^2. */
    p = create(row, 0, NAN);
    br_posterior_tasks(p, make(&job, NULL, NULL, 4, 2, same), 0, 0.9, &belief);
    near(belief.spread, 0.11408804732630237, 1e-6);
    assert_true(belief.task_ns > belief.high_ns);
    row->destroy(p);
}

/* Jobs drawn from the model: intervals hold their share, within 3 points; and neither pilots nor
 * history alone do better. */
static void intervals_hold(void **state)
{
    enum { JOBS = 3000, APPS = 40 };
    static struct job job;
    const struct br_predictor_row *row = &br_predictor_posterior;
    static const double shares[] = {0.5, 0.8, 0.95};
    (void)state;
    for (size_t s = 0; s < sizeof shares / sizeof *shares; s++) {
        struct br_predict_setup setup = br_predict_setup_default(1);
        struct br_rng rng = br_rng_seed(5);
        double median[APPS], within[APPS];
        uint32_t inside = 0, asked = 0, better_than_pilots = 0;
        void *p;
        setup.interval = shares[s];
        OK(row->create(row, &setup, &p, &diag));
        for (int a = 0; a < APPS; a++) {
            median[a] = 100 * br_real_exp(br_real_normal(&rng));
            within[a] = 0.02 * br_real_exp(3 * br_rng_unit(&rng));
        }
        for (uint32_t k = 0; k < JOBS; k++) {
            char name[16];
            double seconds[60], sum = 0;
            int a = (int)br_rng_below(&rng, APPS);
            double mean = median[a] * br_real_exp(0.4 * br_real_normal(&rng));
            uint32_t tasks = 3 + (uint32_t)br_rng_below(&rng, 57);
            snprintf(name, sizeof name, "app%d", a);
            for (uint32_t t = 0; t < tasks; t++)
                sum += seconds[t] = mean * br_real_exp(within[a] * br_real_normal(&rng));
            if (k > 600) {
                struct br_estimate e = ask(row, p, name, NULL, tasks, 1 + tasks / 50, seconds);
                asked++;
                inside += sum * 1e9 >= e.low_ns && sum * 1e9 <= e.high_ns;
                better_than_pilots += fabs(e.work_ns / 1e9 - sum) < fabs(seconds[0] * tasks - sum);
            }
            OK(row->learn(p, make(&job, name, NULL, tasks, tasks, seconds), NAN, &diag));
        }
        near((double)inside / asked, shares[s], 0.03);
        assert_true(better_than_pilots > 0.55 * asked);
        row->destroy(p);
    }
}

/* ---- The table and the evaluation ---- */

static void the_table(void **state)
{
    const struct br_predictor_row *row;
    double number;
    (void)state;
    OK(br_predictor_find("slearn=0.05", &row, &number, &diag));
    assert_ptr_equal(row, &br_predictor_slearn);
    near(number, 0.05, 0);
    OK(br_predictor_find("3sigma", &row, &number, &diag));
    assert_true(isnan(number));
    assert_int_equal(br_predictor_find("slern", &row, &number, &diag), BR_USAGE);
    assert_string_equal(diag.hint, "did you mean 'slearn'?");
    assert_int_equal(br_predictor_find("slearn=2", &row, &number, &diag), BR_USAGE);
    assert_int_equal(br_predictor_find("slearn=x", &row, &number, &diag), BR_USAGE);
    assert_int_equal(br_predictor_find("point=1", &row, &number, &diag), BR_USAGE);
    /* SLearn lets jobs of few tasks go first, which it cannot sample; 3Sigma-TL is 3Sigma with that
     * alone [Jajoo22, 5]. */
    assert_true(br_predictor_slearn.thin_first && br_predictor_3sigma_tl.thin_first);
    assert_false(br_predictor_point.thin_first || br_predictor_3sigma.thin_first);
    for (uint32_t k = 0; br_named_name(&br_predictors, k); k++) {
        void *p = create(br_predictor(k), 0, NAN);
        struct br_estimate estimate =
            ask(br_predictor(k), p, NULL, NULL, 2, 2, (const double[]){1, 2});
        assert_true(estimate.work_ns > 0 && isfinite(estimate.work_ns));
        br_predictor(k)->destroy(p);
        br_predictor(k)->destroy(NULL);
    }
}

static void queues_by_work(void **state)
{
    const struct br_job_queues queues = br_queues_default();
    (void)state;
    assert_int_equal(br_queue_of(&queues, 0), 0);
    assert_int_equal(br_queue_of(&queues, 999.999e9), 0);
    assert_int_equal(br_queue_of(&queues, 1000e9), 1);
    assert_int_equal(br_queue_of(&queues, 99999e9), 2);
    assert_int_equal(br_queue_of(&queues, 1e13), 2);
    assert_int_equal(br_queue_of(&queues, 1e300), 9);
}

/* Three jobs of "ann": the second arrives while the first runs, so that nothing is known of it; the
 * third arrives as the first ends. */
static struct br_evaluation evaluate(const char *predictor, double second_s, uint64_t seed)
{
    static struct job job[3];
    struct br_predict_case cases[3];
    struct br_evaluate_options options = {.seed = seed, .setup = br_predict_setup_default(1)};
    struct br_evaluation evaluation;
    const double first[] = {10, 10, 10, 10}, second[] = {second_s, second_s, second_s};
    const double third[] = {10, 20, 30};
    make(&job[0], "ann", NULL, 4, 4, first);
    make(&job[1], "ann", NULL, 3, 3, second);
    make(&job[2], "ann", NULL, 3, 3, third);
    for (uint32_t k = 0; k < 3; k++) {
        job[k].job.number = k;
        cases[k] = (struct br_predict_case){job[k].job, 5 * S * k, 5 * S * k + 10 * S, true};
    }
    cases[1].counts = true;
    cases[1].end_ns = 1000 * S;
    OK(br_predictor_find(predictor, &options.row, &options.setup.number, &diag));
    OK(br_evaluate(cases, 3, &options, &evaluation, &diag));
    assert_int_equal(evaluation.count, 3);
    return evaluation;
}

static void time_goes_one_way(void **state)
{
    struct br_evaluation e = evaluate("point", 70, 1);
    struct br_job_queues queues = {3, 50e9, 2};
    struct br_accuracy accuracy;
    (void)state;
    assert_false(e.prediction[0].estimate.known);
    assert_false(e.prediction[1].estimate.known);
    assert_true(e.prediction[2].estimate.known);
    near(e.prediction[2].estimate.work_ns, 30e9, 1);
    near(e.prediction[2].work_ns, 60e9, 0);
    /* Guesses of 240 and 180 s for 40 and 210, and 30 for 60: errors 5, 1/7 and 1/2. Queues end at
     * 50 and 100 s. */
    OK(br_accuracy_of(&e, &queues, &accuracy, &diag));
    assert_int_equal(accuracy.jobs, 3);
    assert_int_equal(accuracy.known, 1);
    near(accuracy.p50_error, 0.5, 1e-9);
    near(accuracy.p90_error, 0.5 + 0.8 * 4.5, 1e-9);
    near(accuracy.mean_error, (5 + 1.0 / 7 + 0.5) / 3, 1e-9);
    near(accuracy.right_queue, 1.0 / 3, 1e-15);
    near(accuracy.too_low, 1.0 / 3, 1e-15);
    near(accuracy.too_high, 1.0 / 3, 1e-15);
    near(accuracy.over, 1.0 / 3, 1e-15);
    near(accuracy.pilots, 0, 0);
    /* With two queues that part at 220 s only the first is wrong, and too high. */
    queues = (struct br_job_queues){2, 220e9, 2};
    OK(br_accuracy_of(&e, &queues, &accuracy, &diag));
    near(accuracy.too_low, 0, 0);
    near(accuracy.too_high, 1.0 / 3, 1e-15);
    br_evaluation_finish(&e);
}

/* What a job will last changes nothing of what is said of it, but for its pilots: two worlds that
 * differ in it alone. */
static void nobody_looks_ahead(void **state)
{
    (void)state;
    for (uint32_t k = 0; br_predictor(k); k++) {
        struct br_evaluation a = evaluate(br_named_name(&br_predictors, k), 70, 3);
        struct br_evaluation b = evaluate(br_named_name(&br_predictors, k), 90, 3);
        bool same = a.prediction[1].estimate.work_ns == b.prediction[1].estimate.work_ns;
        assert_int_equal(same, !br_predictor(k)->pilots && !br_predictor(k)->clairvoyant);
        assert_true(a.prediction[0].estimate.work_ns == b.prediction[0].estimate.work_ns);
        assert_true(a.prediction[2].estimate.work_ns == b.prediction[2].estimate.work_ns);
        if (br_predictor(k)->clairvoyant)
            assert_true(a.prediction[2].estimate.work_ns == 60e9);
        br_evaluation_finish(&a);
        br_evaluation_finish(&b);
    }
}

/* Each task is a pilot as often as any other, and equal seeds give equal pilots. */
static void pilots_are_drawn(void **state)
{
    uint32_t seen[4] = {0};
    (void)state;
    for (uint64_t seed = 1; seed <= 600; seed++) {
        struct br_evaluation e = evaluate("slearn", 70, seed), again = evaluate("slearn", 70, seed);
        double work = e.prediction[2].estimate.work_ns;
        assert_int_equal(e.prediction[2].pilots, 1);
        assert_true(work == again.prediction[2].estimate.work_ns);
        seen[br_real_whole(work / 30e9)]++;
        br_evaluation_finish(&e);
        br_evaluation_finish(&again);
    }
    for (int k = 1; k <= 3; k++)
        assert_uint_in_range(seen[k], 160, 240);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(histogram_by_hand),
        cmocka_unit_test(point_is_the_median),
        cmocka_unit_test(three_sigma_plans_by_utility),
        cmocka_unit_test(the_least_error_speaks),
        cmocka_unit_test(all_jobs_are_the_last_resort),
        cmocka_unit_test(tasks_vary_by_themselves),
        cmocka_unit_test(slearn_is_the_mean_of_pilots),
        cmocka_unit_test(adaptive_pilots_as_printed),
        cmocka_unit_test(adaptive_pilots_remember_so_many),
        cmocka_unit_test(slearn_dag_scales_history),
        cmocka_unit_test(quantiles_of_mixtures),
        cmocka_unit_test(evidence_is_weighed),
        cmocka_unit_test(what_is_measured_is_certain),
        cmocka_unit_test(spreads_are_seen),
        cmocka_unit_test(intervals_hold),
        cmocka_unit_test(the_table),
        cmocka_unit_test(queues_by_work),
        cmocka_unit_test(time_goes_one_way),
        cmocka_unit_test(nobody_looks_ahead),
        cmocka_unit_test(pilots_are_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
