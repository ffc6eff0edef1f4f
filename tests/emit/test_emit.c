/* Outputs against golden files (BIGROCKS_REFRESH=1 writes them anew), and their promises. */
#include "tests/emit/plan_fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "emit/write/attributes.h"
#include "emit/analysis/analysis.h"
#include "emit/pictures/chart.h"
#include "emit/pictures/picture.h"
#include "emit/write/figures.h"
#include "emit/write/row.h"
#include "emit/write/write.h"

static char *read_golden(const char *path)
{
    FILE *in = fopen(path, "rb");
    if (!in)
        return NULL;
    char *text = NULL;
    size_t size = 0;
    ssize_t length = getdelim(&text, &size, 0, in);
    fclose(in);
    if (length < 0) {
        free(text);
        return NULL;
    }
    return text;
}

static void check_golden(bool job, const char *format, const char *name, struct fixture fixture)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/golden/%s", getenv("BIGROCKS_TESTS"), name);
    char *text = fixture_emit(job, format, &fixture);
    fixture_finish(&fixture);
    const char *refresh = getenv("BIGROCKS_REFRESH");
    if (refresh && *refresh) {
        FILE *out = fopen(path, "wb");
        assert_non_null(out);
        fputs(text, out);
        assert_int_equal(fclose(out), 0);
    }
    char *golden = read_golden(path);
    assert_non_null(golden);
    assert_string_equal(text, golden);
    free(golden);
    free(text);
}

static void small_outputs(void **state)
{
    check_golden(false, "order", "small.order.tsv", fixture_small());
    check_golden(false, "json", "small.plan.json", fixture_small());
    check_golden(false, "xml", "small.plan.xml", fixture_small());
    check_golden(false, "dot", "small.plan.dot", fixture_small());
    check_golden(false, "gantt", "small.gantt.dot", fixture_small());
    check_golden(false, "mermaid", "small.mermaid", fixture_small());
    check_golden(false, "mermaid-flowchart", "small.flowchart.mermaid", fixture_small());
    check_golden(false, "mspdi", "small.mspdi.xml", fixture_small());
    check_golden(false, "hyperqueue-toml", "small.hyperqueue.toml", fixture_small());
    check_golden(true, "xml", "small.job.xml", fixture_small());
    check_golden(true, "dot", "small.job.dot", fixture_small());
}

static void nasty_outputs(void **state)
{
    check_golden(false, "order", "nasty.order.tsv", fixture_nasty());
    check_golden(false, "json", "nasty.plan.json", fixture_nasty());
    check_golden(false, "xml", "nasty.plan.xml", fixture_nasty());
    check_golden(false, "dot", "nasty.plan.dot", fixture_nasty());
    check_golden(false, "gantt", "nasty.gantt.dot", fixture_nasty());
    check_golden(false, "mermaid", "nasty.mermaid", fixture_nasty());
    check_golden(false, "mspdi", "nasty.mspdi.xml", fixture_nasty());
    check_golden(false, "mermaid-flowchart", "nasty.flowchart.mermaid", fixture_nasty());
    check_golden(true, "xml", "nasty.job.xml", fixture_nasty());
    check_golden(true, "dot", "nasty.job.dot", fixture_nasty());
}

static void job_without_cluster(void **state)
{
    struct fixture fixture = fixture_small();
    br_cluster_destroy(fixture.cluster);
    fixture.cluster = NULL;
    char *text = fixture_emit(true, "xml", &fixture);
    assert_null(strstr(text, "<cluster"));
    free(text);
    fixture_finish(&fixture);
}

static void unknown_output(void **state)
{
    struct fixture fixture = fixture_small();
    struct br_emit_input input = fixture_input(&fixture);
    struct br_diag diag = {0};
    assert_int_equal(br_emit_plan("yaml", &input, stdout, &diag), BR_USAGE);
    assert_non_null(strstr(diag.what, "yaml"));
    for (uint32_t k = 0; br_named_name(&br_emit_plans, k); k++) {
        assert_non_null(strstr(diag.hint, br_named_name(&br_emit_plans, k)));
        assert_non_null(br_named_at(&br_emit_plans, k)->summary);
    }
    assert_int_equal(br_emit_job("order", &input, stdout, &diag), BR_USAGE);
    for (uint32_t k = 0; br_named_name(&br_emit_jobs, k); k++) {
        assert_non_null(strstr(diag.hint, br_named_name(&br_emit_jobs, k)));
        assert_non_null(br_named_at(&br_emit_jobs, k)->summary);
    }
    fixture_finish(&fixture);
}

/* Every output, on a device that is always full. */
static void full_disk(void **state)
{
    struct fixture fixture = fixture_small();
    struct br_emit_input input = fixture_input(&fixture);
    FILE *full = fopen("/dev/full", "w");
    if (!full)
        skip();
    for (uint32_t k = 0; br_named_name(&br_emit_plans, k); k++) {
        struct br_diag diag = {0};
        /* Those write no plan but a build's; see check_ninja.py. */
        if (strncmp(br_named_name(&br_emit_plans, k), "ninja-", 6) == 0)
            continue;
        clearerr(full);
        assert_int_equal(br_emit_plan(br_named_name(&br_emit_plans, k), &input, full, &diag),
                         BR_SYSTEM);
        assert_non_null(strstr(diag.what, "writing failed"));
    }
    for (uint32_t k = 0; br_named_name(&br_emit_jobs, k); k++) {
        struct br_diag diag = {0};
        clearerr(full);
        assert_int_equal(br_emit_job(br_named_name(&br_emit_jobs, k), &input, full, &diag),
                         BR_SYSTEM);
    }
    fclose(full);
    fixture_finish(&fixture);
}

static void expect_ratio(int64_t a, int64_t b, const char *expected)
{
    char text[64] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    br_write_ratio(out, a, b);
    fclose(out);
    assert_string_equal(text, expected);
}

static void ratios(void **state)
{
    expect_ratio(1, 1, "1");
    expect_ratio(0, 5, "0");
    expect_ratio(1, 3, "0.333333333");
    expect_ratio(2, 3, "0.666666667");
    expect_ratio(-2, 3, "-0.666666667");
    expect_ratio(-7, 2, "-3.5");
    expect_ratio(1, 20000000, "0.00000005");
    expect_ratio(1999999999, 2000000000, "1"); /* rounds over */
    expect_ratio(INT64_MAX, INT64_MAX - 1, "1");
    expect_ratio(INT64_MAX, 1, "9223372036854775807");
}

static void expect_text(enum br_quote quote, const char *text, const char *expected)
{
    char got[256] = "";
    FILE *out = fmemopen(got, sizeof got, "w");
    br_write_text(out, quote, text);
    fclose(out);
    assert_string_equal(got, expected);
}

static void quoting(void **state)
{
    /* Overlong, surrogate, beyond Unicode, cut short: one mark for every byte. */
#define MARK "\xef\xbf\xbd"
    expect_text(BR_QUOTE_JSON, "\xc0\x80", MARK MARK);
    expect_text(BR_QUOTE_JSON, "\xed\xa0\x80", MARK MARK MARK);
    expect_text(BR_QUOTE_JSON, "\xf4\x90\x80\x80", MARK MARK MARK MARK);
    expect_text(BR_QUOTE_JSON, "\xe2\x82", MARK MARK);
    expect_text(BR_QUOTE_JSON, "\xe0\x9f\xbf!", MARK MARK MARK "!");
    expect_text(BR_QUOTE_JSON, "\xe2\x82\xac\xf4\x8f\xbf\xbf", "\xe2\x82\xac\xf4\x8f\xbf\xbf");
    expect_text(BR_QUOTE_JSON, "\x01\x1f\b\f\n\r\t\"\\/\x7f",
                "\\u0001\\u001f\\b\\f\\n\\r\\t\\\"\\\\/\\u007f");
    /* U+0085, U+2028, U+202E, U+FEFF; and U+00E9, which is only a letter. */
#define UNSEEN "\xc2\x85\xe2\x80\xa8\xe2\x80\xae\xef\xbb\xbf\xc3\xa9"
    expect_text(BR_QUOTE_JSON, UNSEEN, "\\u0085\\u2028\\u202e\\ufeff\xc3\xa9");
    expect_text(BR_QUOTE_TABS, UNSEEN, "\\u0085\\u2028\\u202e\\ufeff\xc3\xa9");
    expect_text(BR_QUOTE_XML, UNSEEN, "&#133;&#8232;&#8238;&#65279;\xc3\xa9");
    expect_text(BR_QUOTE_LABEL, UNSEEN, "&#133;&#8232;&#8238;&#65279;\xc3\xa9");
    expect_text(BR_QUOTE_C, UNSEEN,
                "\\302\\205\\342\\200\\250\\342\\200\\256\\357\\273\\277\xc3\xa9");
    expect_text(BR_QUOTE_C,
                "?\?/\"\\\n\x7f"
                "7",
                "\\?\\?/\\\"\\\\\\012\\1777");
    expect_text(BR_QUOTE_ATTRIBUTE, "<&>\"'\t\n\x02", "&lt;&amp;&gt;&quot;'&#9;&#10;" MARK);
    expect_text(BR_QUOTE_XML, "<\"\t\n\r", "&lt;\"\t\n&#13;");
    expect_text(BR_QUOTE_TABS, "a\tb\nc\\d", "a\\tb\\nc\\\\d");
    expect_text(BR_QUOTE_TABS, "@a", "\\u0040a");
    expect_text(BR_QUOTE_LINE, "@a\t=", "@a\\t=");
    expect_text(BR_QUOTE_DOT, "a\\b", "a\\b");
    expect_text(BR_QUOTE_DOT, "a\\", "a\\\\");
    expect_text(BR_QUOTE_DOT, "a\\\\", "a\\\\");
    expect_text(BR_QUOTE_DOT, "\\\"", "\\\\\\\"");
    expect_text(BR_QUOTE_DOT, "\x01\t", MARK "\t");
    expect_text(BR_QUOTE_LABEL, "a&lt;\t\x01", "a&amp;lt;  ");
    expect_text(BR_QUOTE_LABEL, "\\N \"x\"\n", "\\\\N \\\"x\\\"\\n");
}

static void expect_about(int64_t ns, const char *expected)
{
    char got[64] = "";
    FILE *out = fmemopen(got, sizeof got, "w");
    br_write_about(out, ns);
    fclose(out);
    assert_string_equal(got, expected);
}

static void times_for_people(void **state)
{
    expect_about(0, "0");
    expect_about(1, "0.000000001");
    expect_about(12345, "0.00001235");
    expect_about(35000000001, "35");
    expect_about(-99995000000, "-100");
    expect_about(1234567890123, "1235");
    expect_about(123456789012345678, "123456789");
}

/* A resource that DOT has no name for. */
static void unsayable(void **state)
{
    static const char *const names[] = {"a,b", "a b", "tasks", "durations"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        struct br_dag *dag = br_dag_create("job");
        assert_int_equal(br_dag_add_resource(dag, names[k], NULL, NULL), BR_OK);
        assert_int_equal(br_dag_add_stage(dag, "a", 1, 1, NULL, NULL), BR_OK);
        assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
        struct br_emit_input input = {.dag = dag};
        struct br_diag diag = {0};
        assert_int_equal(br_emit_job("dot", &input, stdout, &diag), BR_BAD_INPUT);
        assert_non_null(strstr(diag.what, names[k]));
        br_dag_destroy(dag);
    }
    static const char *const ids[] = {"%3", "ends in \\", "a\\\"b", "\\\\\\"};
    for (size_t k = 0; k < sizeof ids / sizeof ids[0]; k++) {
        struct br_dag *dag = br_dag_create("job");
        assert_int_equal(br_dag_add_stage(dag, ids[k], 1, 1, NULL, NULL), BR_OK);
        assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
        struct br_emit_input input = {.dag = dag};
        struct br_diag diag = {0};
        assert_int_equal(br_emit_job("dot", &input, stdout, &diag), BR_BAD_INPUT);
        assert_non_null(strstr(diag.what, ids[k]));
        br_dag_destroy(dag);
    }
}

/* Work drawn, as the sum over boxes of tasks x time, in ns. */
static double drawn(const struct br_chart *chart)
{
    double sum = 0;
    for (uint32_t b = 0; b < chart->boxes; b++) {
        const struct br_chart_box *box = &chart->box[b];
        double height = chart->level == BR_CHART_STAGES ? (double)box->at_once_milli / 1000 : 1;
        sum += height * (double)(box->end_ns - box->start_ns);
    }
    return sum;
}

/* Every chart draws all work, and no two boxes of a lane overlap. */
static void check_chart(struct fixture fixture, enum br_chart_level level)
{
    struct br_emit_input input = fixture_input(&fixture);
    struct br_chart chart;
    assert_int_equal(br_chart_init(&chart, &input, NULL), BR_OK);
    assert_int_equal(chart.level, level);
    double work = 0;
    for (uint32_t t = 0; t < fixture.plan->tasks; t++)
        work += (double)fixture.dag->duration_ns[t];
    assert_true(drawn(&chart) > work * 0.99 && drawn(&chart) < work * 1.01);
    uint64_t tasks = 0;
    for (uint32_t r = 0; r < chart.rows; r++)
        tasks += chart.row[r].tasks;
    assert_int_equal(tasks, fixture.plan->tasks);
    for (uint32_t a = 0; a < chart.boxes; a++)
        for (uint32_t b = 0; b < a; b++) {
            const struct br_chart_box *x = &chart.box[a], *y = &chart.box[b];
            if (x->row == y->row && x->lane == y->lane)
                assert_true(x->start_ns >= y->end_ns || y->start_ns >= x->end_ns);
        }
    br_chart_finish(&chart);
    fixture_finish(&fixture);
}

static void charts(void **state)
{
    check_chart(fixture_small(), BR_CHART_TASKS);
    check_chart(fixture_layers(10, 10, 4, 2), BR_CHART_TASKS);
    check_chart(fixture_layers(60, 2, 1, 12), BR_CHART_TASKS); /* a pool */
    check_chart(fixture_layers(40, 50, 4, 4), BR_CHART_RUNS);
    check_chart(fixture_layers(30, 100, 100, 4), BR_CHART_STAGES);
    check_chart(fixture_layers(90, 30, 300, 4), BR_CHART_STAGES);
}

/* A plan that was read may say anything; it is drawn without harm. */
static void absurd_plan(void **state)
{
    struct fixture fixture = fixture_small();
    struct br_plan *plan = fixture.plan;
    plan->makespan_ns = 5;
    plan->lower_bound_ns = INT64_MAX / 4;
    plan->start_ns[0] = -INT64_MAX / 4;
    plan->end_ns[0] = INT64_MAX / 4;
    plan->end_ns[1] = -3;
    for (uint32_t k = 0; br_named_name(&br_emit_plans, k); k++)
        if (strncmp(br_named_name(&br_emit_plans, k), "ninja-", 6) != 0)
            free(fixture_emit(false, br_named_name(&br_emit_plans, k), &fixture));
    plan->makespan_ns = plan->lower_bound_ns = 0;
    free(fixture_emit(false, "gantt", &fixture));
    free(fixture_emit(false, "svg", &fixture));
    free(fixture_emit(false, "html", &fixture));
    fixture_finish(&fixture);
}

static uint32_t count(const char *text, const char *part)
{
    uint32_t found = 0;
    for (; (text = strstr(text, part)); text++)
        found++;
    return found;
}

/* Of one plan, and of two on one time scale. */
static void pictures(void **state)
{
    static const uint32_t sizes[][4] = {{2, 2, 1, 2}, {40, 50, 4, 4}, {90, 30, 300, 4}};
    for (size_t k = 0; k < 3; k++) {
        struct fixture fixture = fixture_layers(sizes[k][0], sizes[k][1], sizes[k][2], sizes[k][3]);
        struct fixture small = fixture_small();
        struct br_emit_input input = fixture_input(&fixture), other = fixture_input(&small);
        char *svg = fixture_emit(false, "svg", &fixture), *text = NULL;
        size_t size;
        assert_int_equal(strncmp(svg, "<?xml", 5), 0);
        assert_non_null(strstr(svg, "</svg>"));
        assert_int_equal(count(svg, ">critical chain</text>"), 1);
        assert_int_equal(count(svg, ">makespan"), 1);
        free(svg);
        FILE *out = open_memstream(&text, &size);
        input.other = &other;
        input.colour = BR_COLOUR_STAGE;
        assert_int_equal(br_emit_plan("svg", &input, out, NULL), BR_OK);
        fclose(out);
        assert_int_equal(count(text, ">critical chain</text>"), 2);
        /* Few stages have keys, many are named by rows; the other plan chooses its subsets. */
        assert_int_equal(count(text, ", coloured by stage"), sizes[k][0] > 10);
        char key[80];
        snprintf(key, sizeof key, "fill=\"%s\"/><text", "#56B4E9");
        assert_int_equal(count(text, key), sizes[k][0] > 10 ? 1 : 2);
        free(text);
        fixture_finish(&fixture);
        fixture_finish(&small);
    }
}

/* The number of an attribute of the element that begins at `at`. */
static double svg_number(const char *at, const char *name)
{
    char key[16];
    snprintf(key, sizeof key, " %s=\"", name);
    const char *found = strstr(at, key);
    assert_true(found && found < strchr(at, '>'));
    return strtod(found + strlen(key), NULL);
}

/* The text that contains `part`. */
static const char *svg_text(const char *svg, const char *part)
{
    const char *at = strstr(svg, part);
    assert_non_null(at);
    while (at > svg && strncmp(at, "<text", 5) != 0)
        at--;
    return at;
}

/* In the legend squares stand before what they mean, and the same way for all. */
static void svg_legend(void **state)
{
    struct fixture fixture = fixture_small();
    for (uint32_t t = 0; t < fixture.dag->tasks; t++)
        fixture.plan->subset[t] = br_subset_style[t % BR_SUBSETS].letter;
    char *svg = fixture_emit(false, "svg", &fixture);
    uint32_t squares = 0;
    double end = 0;
    for (uint32_t k = 0; k < BR_SUBSETS; k++) {
        char meaning[100];
        snprintf(meaning, sizeof meaning, "%c: %s</text>", br_subset_style[k].letter,
                 br_subset_style[k].meaning);
        if (!strstr(svg, meaning))
            continue;
        const char *text = svg_text(svg, meaning), *box = text;
        while (strncmp(box, "<rect", 5) != 0)
            box--;
        double x = svg_number(box, "x"), y = svg_number(box, "y");
        double width = svg_number(box, "width"), height = svg_number(box, "height");
        double text_y = svg_number(text, "y");
        assert_true(width == height);
        assert_true(x >= end && x + width < svg_number(text, "x"));
        assert_true(text_y > y && text_y <= y + height);
        end = svg_number(text, "x") + (double)strlen(meaning) - strlen("</text>");
        squares++;
    }
    assert_true(squares > 1);
    free(svg);
    fixture_finish(&fixture);
}

/* The meaning of a line stands on that side of it where there is room within the plot. */
static void svg_marks(void **state)
{
    struct fixture fixture = fixture_small();
    fixture.plan->makespan_ns = 1000;
    for (uint32_t t = 0; t < fixture.dag->tasks; t++)
        fixture.plan->end_ns[t] = fixture.plan->start_ns[t] + 1;
    fixture.plan->end_ns[0] = fixture.plan->start_ns[0] + 1000;
    static const struct {
        int64_t bound_ns;
        bool right;
    } cases[] = {{20, true}, {100, true}, {300, false}, {990, false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        fixture.plan->lower_bound_ns = cases[k].bound_ns;
        char *svg = fixture_emit(false, "svg", &fixture);
        const char *text = svg_text(svg, ">lower bound "), *end = strchr(text, '>');
        const char *anchor = strstr(text, cases[k].right ? "\"start\"" : "\"end\"");
        if (!anchor || anchor > end)
            fail_msg("the bound of %d: %.150s", (int)cases[k].bound_ns, text);
        text = svg_text(svg, ">makespan");
        anchor = strstr(text, "\"end\"");
        assert_true(anchor && anchor < strchr(text, '>'));
        free(svg);
    }
    fixture_finish(&fixture);
}

static bool waits_for(const struct br_dag *dag, uint32_t parent, uint32_t child)
{
    uint32_t from = br_dag_task_stage(dag, parent), to = br_dag_task_stage(dag, child);
    for (uint32_t e = 0; e < dag->edges; e++)
        if (dag->edge[e].parent == from && dag->edge[e].child == to &&
            (dag->edge[e].type == BR_BARRIER ||
             parent - dag->stage[from].first_task == child - dag->stage[to].first_task))
            return true;
    return false;
}

/* What tasks that run at that time demand of the resource. */
static double demanded_at(const struct br_dag *dag, const struct br_plan *plan, const char *name,
                          double ns)
{
    double sum = 0;
    for (uint32_t d = 0; d < dag->demands; d++) {
        const struct br_demand *demand = &dag->demand[d];
        const struct br_stage *stage = &dag->stage[demand->stage];
        if (strcmp(dag->resource[demand->resource].name, name) != 0)
            continue;
        for (uint32_t t = stage->first_task; t < stage->first_task + stage->tasks; t++)
            if ((double)plan->start_ns[t] < ns && ns < (double)plan->end_ns[t])
                sum += (double)demand->amount.mantissa * pow(10, demand->amount.exponent);
    }
    return sum;
}

/* In a plan of few tasks a piece of the curve is as high as what runs in its middle. */
static void check_use(const struct br_dag *dag, const struct br_plan *plan,
                      const struct br_use_curves *uses, uint32_t r)
{
    double full = 0; /* what is demanded if all of the cluster is in use */
    assert_true(uses->pieces < BR_USE_PIECES);
    for (uint32_t c = 0; c < uses->pieces; c++) {
        assert_true(uses->from_ns[c] < uses->from_ns[c + 1]);
        const double middle = (double)(uses->from_ns[c] + uses->from_ns[c + 1]) / 2;
        const double at = demanded_at(dag, plan, uses->use[r].name, middle);
        const double milli = uses->use[r].milli[c];
        if (full == 0 && milli > 1e-3)
            full = at / milli * 1000;
        assert_true(fabs(milli - (full > 0 ? at / full * 1000 : 0)) <= 1e-6 * milli + 1e-3);
    }
}

/* On random plans: tasks of a lane do not overlap; the chain ends last and each of it begins when
 * what it waited for ends; the curve of use has the area of the work. */
static void analyses(void **state)
{
    uint32_t used = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct fixture fixture = fixture_random(seed, 40);
        struct br_emit_input input = fixture_input(&fixture);
        const struct br_plan *plan = fixture.plan;
        struct br_analysis analysis;
        assert_int_equal(br_analysis_init(&analysis, &input, NULL), BR_OK);
        for (uint32_t a = 0; a < plan->tasks; a++) {
            assert_true(analysis.lane[a] < analysis.lanes[plan->machine[a]]);
            for (uint32_t b = 0; b < a; b++)
                if (plan->machine[a] == plan->machine[b] && analysis.lane[a] == analysis.lane[b])
                    assert_true(plan->end_ns[a] <= plan->start_ns[b] ||
                                plan->end_ns[b] <= plan->start_ns[a]);
        }
        uint32_t last = analysis.chain[analysis.chain_tasks - 1];
        for (uint32_t t = 0; t < plan->tasks; t++)
            assert_true(plan->end_ns[t] <= plan->end_ns[last]);
        for (uint32_t k = 1; k < analysis.chain_tasks; k++) {
            uint32_t before = analysis.chain[k - 1], task = analysis.chain[k];
            assert_int_equal(plan->end_ns[before], plan->start_ns[task]);
            if (analysis.waited[k] == BR_WAITED_MACHINE)
                assert_int_equal(plan->machine[before], plan->machine[task]);
            else
                assert_true(waits_for(fixture.dag, before, task));
        }
        assert_true(analysis.critical_path_ns <= plan->makespan_ns);
        for (uint32_t r = 0; r < analysis.uses.count; r++) {
            double area = 0, most = 0;
            for (uint32_t c = 0; c < analysis.uses.pieces; c++) {
                double milli = analysis.uses.use[r].milli[c];
                most = milli > most ? milli : most;
                area += milli / 1000 *
                        (double)(analysis.uses.from_ns[c + 1] - analysis.uses.from_ns[c]);
            }
            if (most > 100000) /* these machines need not have what tasks demand */
                continue;
            used++;
            double work = (double)analysis.uses.use[r].work_ns;
            assert_true(area <= work * 1.000001 + 1 && area >= work * 0.999999 - 1);
            check_use(fixture.dag, plan, &analysis.uses, r);
        }
        br_analysis_finish(&analysis);
        fixture_finish(&fixture);
    }
    assert_true(used > 20);
}

/* Where an owner has one name several times the last value counts, whatever stands between; owners
 * do not mix. */
static void last_attributes_count(void **state)
{
    static const struct {
        uint32_t stage;
        const char *name, *value;
    } given[] = {{0, "b", "1"}, {1, "a", "2"}, {0, "c", "3"}, {0, "a", "4"},
                 {0, "b", "5"}, {1, "b", "6"}, {0, "c", "7"}, {1, "a", "8"}};
    static const char *const kept[2][4] = {{"4", "5", "7"}, {"6", "8"}};
    struct br_dag *dag = br_dag_create("j");
    struct br_attributes by;
    for (uint32_t s = 0; s < 2; s++)
        assert_int_equal(br_dag_add_stage(dag, s ? "y" : "x", 1, 1, NULL, NULL), BR_OK);
    for (size_t k = 0; k < sizeof given / sizeof given[0]; k++)
        assert_int_equal(br_dag_add_attribute(dag, BR_OWNER_STAGE, given[k].stage, given[k].name,
                                              given[k].value, NULL),
                         BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_attributes_init(&by, dag, NULL), BR_OK);
    for (uint32_t s = 0; s < 2; s++) {
        uint32_t count, want = s ? 2 : 3;
        const struct br_attribute **item = br_attributes_run(&by, BR_OWNER_STAGE, s, &count);
        assert_int_equal(count, want);
        for (uint32_t k = 0; k < count; k++)
            assert_string_equal(item[k]->value, kept[s][k]);
    }
    br_attributes_finish(&by);
    br_dag_destroy(dag);
}

static void cut_is(const char *text, uint32_t characters, const char *expected)
{
    char *written = NULL;
    size_t size;
    FILE *out = open_memstream(&written, &size);
    assert_non_null(out);
    br_write_cut(out, BR_QUOTE_XML, text, characters);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(written, expected);
    free(written);
}

/* Names are cut at the end, paths at the front, where they are all alike. */
static void cuts(void **state)
{
    (void)state;
    cut_is("CMakeFiles/l.dir/db/format.cc.o", 31, "CMakeFiles/l.dir/db/format.cc.o");
    cut_is("CMakeFiles/l.dir/db/format.cc.o", 30, "\u2026/l.dir/db/format.cc.o");
    cut_is("CMakeFiles/l.dir/db/format.cc.o", 16, "\u2026/db/format.cc.o");
    cut_is("CMakeFiles/l.dir/db/format.cc.o", 15, "\u2026/format.cc.o");
    cut_is("CMakeFiles/l.dir/db/format.cc.o", 12, "format.cc.o");
    cut_is("CMakeFiles/l.dir/db/format.cc.o", 8, "format.\u2026");
    cut_is("a/\u00e9\u00e9\u00e9\u00e9/x", 7, "\u2026/x");
    cut_is("a/\u00e9\u00e9\u00e9\u00e9/x", 8, "a/\u00e9\u00e9\u00e9\u00e9/x");
    cut_is("some/folder/", 8, "some/fo\u2026");
    cut_is("no path at all", 8, "no path\u2026");
    cut_is("reads a/b and writes c/d", 8, "reads a\u2026"); /* a path has no blanks */
    cut_is("a/b/c", 1, "\u2026");
    /* Of a part, what is behind it counts for nothing. */
    char *written = NULL;
    size_t size;
    FILE *out = open_memstream(&written, &size);
    assert_non_null(out);
    br_write_cut_part(out, BR_QUOTE_XML, "abc/de, more/x", 6, 6);
    br_write_cut_part(out, BR_QUOTE_XML, "abc/de, more/x", 6, 5);
    br_write_cut_part(out, BR_QUOTE_XML, "abc/, more/x", 4, 3);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(written, "abc/de\u2026/deab\u2026");
    free(written);
}

/* Rows are the same bytes as single pieces, whatever is in them and wherever the buffer ends. */
static void rows(void **state)
{
    static const char *const names[] = {
        "a", "", "plain name_0.x", "b\"\\\n\x01", "=1", "-2", "\xff\xc3\xa9", "z\u2028", "long"};
    enum { NAMES = sizeof names / sizeof *names, ROWS = 20000 };
    char *text[2], longest[2 * BR_ROW_SIZE];
    size_t size[2];
    FILE *row_file = open_memstream(&text[0], &size[0]), *out = open_memstream(&text[1], &size[1]);
    struct br_row row = {.out = row_file};
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    for (uint64_t k = 0; k < ROWS; k++) {
        const uint64_t number = k * UINT64_C(0x9e3779b97f4a7c15) >> k % 64;
        const int64_t ns = (int64_t)number;
        const char *name = k % 1000 == 999 ? longest : names[number % NAMES];
        br_row_say(&row, ", \"key\": ");
        br_row_text(&row, name);
        br_row_count(&row, number);
        br_row_seconds(&row, ns);
        br_row_ratio(&row, ns / 2, (ns & INT64_MAX) / 3 + 1);
        br_row_decimal(&row, (struct br_decimal){ns / 1000, (int32_t)(k % 37) - 18});
        br_row_char(&row, '}');
        fputs(", \"key\": ", out);
        br_write_text(out, BR_QUOTE_JSON, name);
        br_write_count(out, number);
        br_write_seconds(out, ns);
        br_write_ratio(out, ns / 2, (ns & INT64_MAX) / 3 + 1);
        br_write_decimal(out, (struct br_decimal){ns / 1000, (int32_t)(k % 37) - 18});
        putc('}', out);
    }
    br_row_flush(&row);
    fclose(row_file);
    fclose(out);
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(text[0], text[1], size[0]);
    free(text[0]);
    free(text[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_outputs),
        cmocka_unit_test(nasty_outputs),
        cmocka_unit_test(job_without_cluster),
        cmocka_unit_test(unknown_output),
        cmocka_unit_test(full_disk),
        cmocka_unit_test(ratios),
        cmocka_unit_test(quoting),
        cmocka_unit_test(rows),
        cmocka_unit_test(times_for_people),
        cmocka_unit_test(unsayable),
        cmocka_unit_test(charts),
        cmocka_unit_test(absurd_plan),
        cmocka_unit_test(pictures),
        cmocka_unit_test(svg_legend),
        cmocka_unit_test(svg_marks),
        cmocka_unit_test(cuts),
        cmocka_unit_test(analyses),
        cmocka_unit_test(last_attributes_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
