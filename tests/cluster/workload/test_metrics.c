/* Metrics of outcomes: values computed by hand, and against plain sums over every window, span and
 * moment on random outcomes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/process/clock.h"
#include "tests/support/random_job.h"
#include "tests/cluster/workload/made.h"
#include "cluster/workload/metrics.h"
#include "cluster/workload/series.h"

#define S INT64_C(1000000000)

static struct br_diag diag;

#define OK(call)                                                                                   \
    do {                                                                                           \
        if ((call) != BR_OK)                                                                       \
            fail_msg("%s: %s", #call, diag.what);                                                  \
    } while (0)

static void near(double found, double wanted, const char *what, uint64_t seed)
{
    double size = fabs(wanted) > 1 ? fabs(wanted) : 1;
    bool equal = isnan(wanted) ? isnan(found) : fabs(found - wanted) <= 1e-9 * size;
    if (!equal)
        fail_msg("%s is %.15g and not %.15g, seed %llu", what, found, wanted,
                 (unsigned long long)seed);
}
#define NEAR(found, wanted) near((found), (wanted), #found, 0)

static void by_hand(void **state)
{
    (void)state;
    struct made made;
    struct br_metrics m;
    const double bound[] = {10, 10, 5};
    made_small(&made, "x");
    OK(br_metrics_make(made.workload, made.cluster, &made.outcome, bound, &m, &diag));
    assert_int_equal(m.jobs, 3);
    assert_int_equal(m.finished, 3);
    NEAR(m.job[0].jct_s, 20);
    NEAR(m.job[1].jct_s, 25);
    NEAR(m.job[2].jct_s, 25);
    NEAR(m.job[0].wait_s, 0);
    NEAR(m.job[1].wait_s, 5);
    NEAR(m.job[2].wait_s, 20);
    NEAR(m.mean_jct_s, 70. / 3);
    NEAR(m.p25_jct_s, 22.5);
    NEAR(m.p50_jct_s, 25);
    NEAR(m.p90_jct_s, 25);
    NEAR(m.max_jct_s, 25);
    NEAR(m.weighted_jct_s, 24);
    NEAR(m.makespan_s, 35);
    NEAR(m.mean_slowdown, (2 + 2.5 + 5) / 3);
    NEAR(m.p90_slowdown, 4.5);
    assert_int_equal(m.deadlines, 2);
    assert_int_equal(m.missed, 1);
    NEAR(m.job[0].tardiness_s, NAN);
    NEAR(m.job[1].tardiness_s, 10);
    NEAR(m.job[2].tardiness_s, 0);
    /* Of 8 cpu and 1.6 memory, a task of a holds 2 and 0.2, the one of b 1 and 0.8. */
    NEAR(m.job[0].work_s, 0.25 * 30);
    NEAR(m.job[1].work_s, 0.5 * 18);
    NEAR(m.job[1].wasted_s, 0.5 * 8);
    NEAR(m.job[2].work_s, 0.25 * 10);
    NEAR(m.wasted_share, 4. / 19);
    assert_int_equal(m.failures, 1);
    assert_int_equal(m.job[1].failures, 1);
    assert_int_equal(m.resources, 2);
    assert_string_equal(m.resource[0], "cpu");
    NEAR(m.use[0], (2. * 30 + 18 + 2 * 10) / (8 * 35));
    NEAR(m.use[1], (0.2 * 30 + 0.8 * 18 + 0.2 * 10) / (1.6 * 35));
    NEAR(m.peak_use[0], 0.5);
    NEAR(m.peak_use[1], 1. / 1.6);
    /* In 0..10 s the other group has 0; in 10..20 s 1.25 stands against 4; then one group is left.
     */
    NEAR(m.jain[0], (0.5 + 5.25 * 5.25 / (2 * (1.25 * 1.25 + 16))) / 2);
    NEAR(m.jain[1], 15.25 * 15.25 / (2 * (3.75 * 3.75 + 11.5 * 11.5)));
    assert_true(m.jain[1] == m.jain[2]);
    br_metrics_finish(&m);
    made_finish(&made);
}

/* Deadlines of jobs that do not finish; nothing is known of work without spans. */
static void unfinished(void **state)
{
    (void)state;
    struct made made;
    struct br_metrics m;
    made_small(&made, "x");
    made.outcome.end_ns[2] = -1; /* due at 100 s, after the last end */
    for (int cut = 0; cut < 2; cut++) {
        made.outcome.cut = cut;
        OK(br_metrics_make(made.workload, made.cluster, &made.outcome, NULL, &m, &diag));
        assert_int_equal(m.finished, 2);
        assert_int_equal(m.missed, cut ? 1 : 2);
        NEAR(m.mean_jct_s, 22.5);
        NEAR(m.job[2].jct_s, NAN);
        NEAR(m.job[2].wait_s, 20);
        NEAR(m.mean_slowdown, NAN);
        br_metrics_finish(&m);
    }
    made.outcome.spans = 0;
    made.outcome.end_ns[0] = made.outcome.end_ns[1] = -1;
    OK(br_metrics_make(made.workload, made.cluster, &made.outcome, NULL, &m, &diag));
    NEAR(m.makespan_s, 0);
    NEAR(m.mean_jct_s, NAN);
    NEAR(m.p50_jct_s, NAN);
    NEAR(m.jain[0], NAN);
    NEAR(m.use[0], NAN);
    NEAR(m.job[0].wait_s, NAN);
    NEAR(m.wasted_share, NAN);
    br_metrics_finish(&m);
    made_finish(&made);
}

static void percentiles(void **state)
{
    (void)state;
    const double v[] = {1, 2, 4, 8, 16};
    NEAR(br_percentile(v, 5, 0), 1);
    NEAR(br_percentile(v, 5, 0.25), 2);
    NEAR(br_percentile(v, 5, 0.5), 4);
    NEAR(br_percentile(v, 5, 0.9), 12.8);
    NEAR(br_percentile(v, 5, 1), 16);
    NEAR(br_percentile(v, 1, 0.3), 1);
    NEAR(br_percentile(v, 0, 0.3), NAN);
}

/* Plain sums, from the definitions. */

static double amount(const struct br_dag *dag, uint32_t task, const char *resource)
{
    uint32_t stage = br_dag_task_stage(dag, task);
    for (uint32_t d = 0; d < dag->demands; d++)
        if (dag->demand[d].stage == stage &&
            strcmp(dag->resource[dag->demand[d].resource].name, resource) == 0)
            return (double)dag->demand[d].amount.mantissa * pow(10, dag->demand[d].amount.exponent);
    return 0;
}

static double held(const struct made *made, const struct br_span *span, const char *resource)
{
    return amount(made->workload->dag[made->workload->job[span->job].dag].dag, span->task,
                  resource);
}

static double capacity(const struct made *made, const char *resource)
{
    double sum = 0;
    for (uint32_t c = 0; c < made->cluster->classes; c++) {
        struct br_decimal one = br_cluster_capacity(made->cluster, c, resource);
        sum += made->cluster->cls[c].count * (double)one.mantissa * pow(10, one.exponent);
    }
    return sum;
}

static double dominant(const struct made *made, const struct br_span *span)
{
    static const char *const resources[] = {"cpu", "mem", "net"};
    double most = 0;
    for (int r = 0; r < 3; r++)
        most = fmax(most, held(made, span, resources[r]) / capacity(made, resources[r]));
    return most;
}

static double overlap(int64_t from, int64_t to, int64_t a, int64_t b)
{
    int64_t low = from > a ? from : a, high = to < b ? to : b;
    return high > low ? (double)(high - low) / 1e9 : 0;
}

static int64_t last_end(const struct made *made)
{
    int64_t last = made->workload->job[0].arrival_ns;
    for (uint64_t s = 0; s < made->outcome.spans; s++)
        if (made->outcome.span[s].end_ns > last)
            last = made->outcome.span[s].end_ns;
    for (uint32_t j = 0; j < made->workload->jobs; j++)
        if (made->outcome.end_ns[j] > last)
            last = made->outcome.end_ns[j];
    return last;
}

static double plain_jain(const struct made *made, int64_t window_ns)
{
    const struct br_workload *w = made->workload;
    int64_t last = last_end(made);
    double sum = 0;
    int windows = 0;
    for (int64_t a = w->job[0].arrival_ns; a < last; a += window_ns) {
        double x = 0, square = 0;
        int groups = 0;
        for (uint32_t g = 0; g < w->groups; g++) {
            bool there = false;
            double of = 0;
            for (uint32_t j = 0; j < w->jobs; j++) {
                int64_t end = made->outcome.end_ns[j] < 0 ? last : made->outcome.end_ns[j];
                there |= w->job[j].group == g &&
                         overlap(w->job[j].arrival_ns, end, a, a + window_ns) > 0;
            }
            for (uint64_t s = 0; s < made->outcome.spans; s++) {
                const struct br_span *span = &made->outcome.span[s];
                if (w->job[span->job].group == g)
                    of += dominant(made, span) *
                          overlap(span->start_ns, span->end_ns, a, a + window_ns) /
                          w->group[g].weight;
            }
            groups += there;
            x += of;
            square += of * of;
        }
        if (groups >= 2) {
            windows++;
            sum += square > 0 ? x * x / (groups * square) : 1;
        }
    }
    return windows ? sum / windows : 1;
}

static void check_use(const struct made *made, const struct br_metrics *m, uint64_t seed)
{
    int64_t first = made->workload->job[0].arrival_ns, last = last_end(made);
    for (uint32_t r = 0; r < m->resources; r++) {
        double sum = 0, peak = 0, all = capacity(made, m->resource[r]);
        for (uint64_t s = 0; s < made->outcome.spans; s++) {
            const struct br_span *span = &made->outcome.span[s];
            double at_once = 0;
            sum += held(made, span, m->resource[r]) * (double)(span->end_ns - span->start_ns);
            for (uint64_t o = 0; o < made->outcome.spans; o++) {
                const struct br_span *other = &made->outcome.span[o];
                if (other->start_ns <= span->start_ns && span->start_ns < other->end_ns)
                    at_once += held(made, other, m->resource[r]);
            }
            peak = fmax(peak, at_once);
        }
        near(m->use[r], last > first ? sum / (all * (double)(last - first)) : 0, "use", seed);
        near(m->peak_use[r], peak / all, "peak of use", seed);
    }
}

static void check_work(const struct made *made, const struct br_metrics *m, uint64_t seed)
{
    double all = 0, wasted = 0;
    for (uint32_t j = 0; j < m->jobs; j++) {
        double of = 0, lost = 0;
        for (uint64_t s = 0; s < made->outcome.spans; s++) {
            const struct br_span *span = &made->outcome.span[s];
            double work = dominant(made, span) * (double)(span->end_ns - span->start_ns) / 1e9;
            if (span->job != j)
                continue;
            of += work;
            lost += span->end == BR_SPAN_FAILED || span->end == BR_SPAN_EVICTED ? work : 0;
        }
        near(m->job[j].work_s, of, "work", seed);
        near(m->job[j].wasted_s, lost, "waste", seed);
        all += of;
        wasted += lost;
    }
    near(m->wasted_share, all > 0 ? wasted / all : 0, "share of waste", seed);
}

/* Ends of spans are placed to a millionth of a column. */
static void check_series(const struct made *made, uint64_t seed)
{
    struct br_series series;
    OK(br_series_make(made->workload, made->cluster, &made->outcome, &series, &diag));
    assert_int_equal(series.first_job[series.bands], made->workload->jobs);
    assert_true(series.start_ns + series.span_ns >= last_end(made));
    double column = (double)series.span_ns / BR_SERIES_COLUMNS;
    for (uint32_t k = 0; k < series.bands + series.resources; k++) {
        const double *row = k < series.bands
                                ? series.running + (size_t)k * BR_SERIES_COLUMNS
                                : series.use + (size_t)(k - series.bands) * BR_SERIES_COLUMNS;
        for (int c = 0; c < BR_SERIES_COLUMNS; c++) {
            double a = (double)series.start_ns + column * c, sum = 0;
            for (uint64_t s = 0; s < made->outcome.spans; s++) {
                const struct br_span *span = &made->outcome.span[s];
                bool band = k < series.bands && series.first_job[k] <= span->job &&
                            span->job < series.first_job[k + 1];
                double factor = band ? 1
                                : k >= series.bands
                                    ? held(made, span, series.resource[k - series.bands]) /
                                          capacity(made, series.resource[k - series.bands])
                                    : 0;
                double part =
                    fmin((double)span->end_ns, a + column) - fmax((double)span->start_ns, a);
                sum += part > 0 ? factor * part / column : 0;
            }
            if (fabs(row[c] - sum) > 1e-4)
                fail_msg("row %u, column %d: %g and not %g, seed %llu", (unsigned)k, c, row[c], sum,
                         (unsigned long long)seed);
        }
    }
    br_series_finish(&series);
}

static void against_plain_sums(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= random_jobs(400); seed++) {
        struct made made;
        struct br_metrics m;
        made_random(&made, seed);
        OK(br_metrics_make(made.workload, made.cluster, &made.outcome, NULL, &m, &diag));
        if (made.outcome.spans) {
            check_work(&made, &m, seed);
            check_use(&made, &m, seed);
            for (int k = 0; k < BR_JAIN_WINDOWS; k++)
                near(m.jain[k], plain_jain(&made, (int64_t)br_jain_window_s[k] * S), "Jain's index",
                     seed);
            if (seed % 8 == 0)
                check_series(&made, seed);
        }
        br_metrics_finish(&m);
        made_finish(&made);
    }
}

/* Time must not follow the makespan: thirty years are 10^8 windows of 10 s. */
static void long_makespan(void **state)
{
    (void)state;
    struct made made;
    struct br_metrics m;
    made_small(&made, "x");
    struct br_outcome *outcome = &made.outcome;
    const int64_t year = 365 * 24 * 3600 * S;
    /* The last two spans, which hold the group's share, last until then, as the other job does. */
    outcome->span[4].end_ns = outcome->end_ns[2] = outcome->end_ns[0] = 30 * year;
    outcome->span[2].end_ns = 30 * year;
    outcome->span[4].start_ns = 35 * S;
    int64_t began = br_now_ns();
    OK(br_metrics_make(made.workload, made.cluster, outcome, NULL, &m, &diag));
    assert_true(br_now_ns() - began < 2 * S);
    /* One task of each group of weight 1 and 2, but for the first seconds. */
    assert_true(fabs(m.jain[0] - 2.25 / 2.5) < 1e-6);
    br_metrics_finish(&m);
    made_finish(&made);
}

/* As many as a study has, with every band of a picture in use. */
static void many_spans(void **state)
{
    (void)state;
    struct made made;
    struct br_metrics m;
    struct br_series series;
    made_large(&made, 20000, 30000);
    OK(br_metrics_make(made.workload, made.cluster, &made.outcome, NULL, &m, &diag));
    OK(br_series_make(made.workload, made.cluster, &made.outcome, &series, &diag));
    assert_int_equal(m.finished, 20000);
    assert_int_equal(series.bands, BR_SERIES_BANDS);
    br_series_finish(&series);
    br_metrics_finish(&m);
    made_finish(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),       cmocka_unit_test(unfinished),
        cmocka_unit_test(percentiles),   cmocka_unit_test(against_plain_sums),
        cmocka_unit_test(long_makespan), cmocka_unit_test(many_spans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
