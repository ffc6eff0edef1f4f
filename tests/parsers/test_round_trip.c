/* A written job is read back as the same: random jobs, with names, amounts and durations that
 * provoke, are written, read and written again, and both texts are the same bytes. In DOT, where
 * the attributes of a node have no order, they are so from the second text on, and the first one
 * has the same bytes in another order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/numbers/rng.h"
#include "planner/eligibility/features.h"
#include "tests/parsers/parse_text.h"
#include "tests/emit/plan_fixture.h"

enum { JOBS = 400 };

static char *write_job(const char *format, const struct br_emit_input *input, size_t *size,
                       enum br_status *status)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    assert_non_null(out);
    *status = br_emit_job(format, input, out, NULL);
    assert_int_equal(fclose(out), 0);
    return text;
}

static int by_value(const void *a, const void *b)
{
    return *(const unsigned char *)a - *(const unsigned char *)b;
}

/* Reads the text and writes it again. */
static char *again(const char *text, size_t size, const char *format)
{
    struct br_parse_options options = br_parse_options_default();
    struct parse_text file = parse_text_open(text, size);
    struct br_input read;
    struct br_diag diag = {0};
    enum br_status status;
    options.from = format;
    if (br_parse_job(file.path, &options, &read, &diag))
        fail_msg("line %u: %s\n%s", diag.line, diag.what, text);
    const struct br_emit_input input = {.dag = read.dag, .cluster = read.cluster};
    char *result = write_job(format, &input, &size, &status);
    assert_int_equal(status, BR_OK);
    br_input_finish(&read);
    parse_text_close(&file);
    return result;
}

/* Whether the form could hold the job. */
static bool round_trip(const struct fixture *fixture, const char *format)
{
    const struct br_emit_input input = {.dag = fixture->dag, .cluster = fixture->cluster};
    size_t size;
    enum br_status status;
    char *first = write_job(format, &input, &size, &status);
    if (status) {
        assert_int_equal(status, BR_BAD_INPUT);
        free(first);
        return false;
    }
    char *second = again(first, size, format);
    if (strcmp(format, "dot") == 0) {
        char *third = again(second, strlen(second), format);
        assert_string_equal(third, second);
        free(third);
        qsort(first, size, 1, by_value);
        qsort(second, strlen(second), 1, by_value);
    }
    assert_string_equal(second, first);
    free(first);
    free(second);
    return true;
}

static void jobs(void **state)
{
    uint32_t dots = 0;
    for (uint64_t seed = 1; seed <= JOBS; seed++) {
        struct fixture fixture = fixture_random(seed, 20);
        assert_true(round_trip(&fixture, "xml"));
        if (*fixture.dag->name) /* DOT without a name takes the file's */
            dots += round_trip(&fixture, "dot");
        fixture_finish(&fixture);
    }
    assert_true(dots > JOBS / 2);
}

/* Names that mean something to DOT, each as a job's, a stage's and an attribute's value. */
static void words_of_dot(void **state)
{
    static const char *const words[] = {
        "node",  "edge", "graph", "digraph", "subgraph", "strict", "NODE",     "Strict",
        "nodes", "1a",   "12",    "-.5",     "_",        "a.b",    "<b>x</b>", "\"",
        "->",    "{",    "#x",    "//",      "/* */",    "a;b",    "a:b",      "true"};
    enum { WORDS = sizeof words / sizeof *words };
    for (uint32_t k = 0; k < WORDS; k++) {
        struct br_parse_options options = br_parse_options_default();
        struct br_dag *dag = br_dag_create(words[k]);
        struct br_input read;
        struct br_diag diag = {0};
        enum br_status status;
        size_t size;
        for (uint32_t s = 0; s < WORDS; s++) {
            assert_int_equal(br_dag_add_stage(dag, words[s], 1, 1000000000, NULL, NULL), BR_OK);
            br_dag_add_attribute(dag, BR_OWNER_STAGE, s, "note", words[(s + k) % WORDS], NULL);
            if (s > 0)
                assert_int_equal(br_dag_add_edge(dag, s - 1, s, BR_BARRIER, NULL), BR_OK);
        }
        assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
        char *text = write_job("dot", &(struct br_emit_input){.dag = dag}, &size, &status);
        struct parse_text file = parse_text_open(text, size);
        assert_int_equal(status, BR_OK);
        options.from = "dot";
        if (br_parse_job(file.path, &options, &read, &diag))
            fail_msg("line %u: %s\n%s", diag.line, diag.what, text);
        assert_string_equal(br_dag_name(read.dag), words[k]);
        assert_int_equal(read.dag->stages, WORDS);
        assert_int_equal(read.dag->edges, WORDS - 1);
        assert_int_equal(read.dag->attributes, WORDS);
        for (uint32_t s = 0; s < WORDS; s++) {
            uint32_t at = br_dag_find_stage(read.dag, words[s]);
            const char *note = NULL;
            assert_int_not_equal(at, UINT32_MAX);
            for (uint32_t a = 0; a < read.dag->attributes; a++)
                if (read.dag->attribute[a].index == at)
                    note = read.dag->attribute[a].value;
            assert_string_equal(note, words[(s + k) % WORDS]);
        }
        br_input_finish(&read);
        parse_text_close(&file);
        free(text);
        br_dag_destroy(dag);
    }
}

/* Bytes of edges and rates of ports come back from every form that holds them. */
static void bytes(void **state)
{
    static const char job[] =
        "<job xmlns='urn:bigrocks:job:1' name='j'>"
        "<edge from='a' to='b' bytes='1.5KiB'/><edge from='b' to='c' type='one-to-one' bytes='7'/>"
        "<edge from='a' to='c' bytes='0'/>"
        "<stage id='a'/><stage id='b' tasks='2'/><stage id='c' tasks='2'/>"
        "<edge from='a' to='b' bytes='1e3'/>"
        "<cluster xmlns='urn:bigrocks:cluster:1'><machine class='m' count='1' network='1kbit'/>"
        "<machine class='n' count='2' up='3' down='2k'/></cluster></job>";
    static const char *const formats[] = {"xml", "dot"};
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        struct parse_text file = parse_text_open(job, sizeof job - 1);
        struct br_parse_options options = br_parse_options_default();
        struct br_input first, second;
        struct br_diag diag = {0};
        enum br_status status;
        size_t size;
        if (br_parse_job(file.path, &options, &first, &diag))
            fail_msg("line %u: %s", diag.line, diag.what);
        parse_text_close(&file);
        assert_int_equal(first.dag->bytes, 1536 + 7);
        assert_int_equal(first.cluster->cls[0].up, 125);
        char *text = write_job(formats[f],
                               &(struct br_emit_input){.dag = first.dag, .cluster = first.cluster},
                               &size, &status);
        assert_int_equal(status, BR_OK);
        file = parse_text_open(text, size);
        options.from = formats[f];
        if (br_parse_job(file.path, &options, &second, &diag))
            fail_msg("line %u: %s\n%s", diag.line, diag.what, text);
        assert_int_equal(second.dag->edges, first.dag->edges);
        for (uint32_t e = 0; e < first.dag->edges; e++)
            assert_int_equal(second.dag->edge[e].bytes, first.dag->edge[e].bytes);
        for (uint32_t c = 0; second.cluster && c < 2; c++) {
            assert_int_equal(second.cluster->cls[c].up, c ? 3 : 125);
            assert_int_equal(second.cluster->cls[c].down, c ? 2000 : 125);
        }
        br_input_finish(&first);
        br_input_finish(&second);
        parse_text_close(&file);
        free(text);
    }
}

/* Ids that need care in an attribute or in a list. */
static const char *const output_ids[] = {"x",        "x:y=1", "a,b", "\"q\"&<>",
                                         "\xc3\xa9", "{}",    ";",   "\\n"};
enum { OUTPUT_IDS = sizeof output_ids / sizeof *output_ids };

static void random_outputs(struct br_rng *rng, struct br_dag *dag, uint32_t stage)
{
    static const char *const amounts[] = {"0", "2GiB", "0.59", "1e-9", "123456789012345678"};
    static const char *const resources[] = {"cpu", "disk", "licence"};
    const uint32_t count = (uint32_t)br_rng_below(rng, 4);
    for (uint32_t o = 0; o < count; o++) {
        const char *id = output_ids[(stage + o) % OUTPUT_IDS];
        assert_int_equal(br_dag_add_output(dag, stage, id, resources[br_rng_below(rng, 3)],
                                           amounts[br_rng_below(rng, 5)],
                                           (uint32_t)br_rng_below(rng, 4), NULL),
                         BR_OK);
        if (br_rng_below(rng, 3) == 0)
            assert_int_equal(
                br_dag_set_output_free(dag, stage, id, "rm -r \"{index}\" & <x>\n", NULL), BR_OK);
    }
}

static void random_times(struct br_rng *rng, struct br_dag *dag, uint32_t stage)
{
    const uint32_t tasks = dag->stage[stage].tasks;
    for (uint32_t k = 0; k < 4; k++) {
        const uint32_t index =
            br_rng_below(rng, 2) ? (uint32_t)br_rng_below(rng, tasks) : UINT32_MAX;
        const int64_t ns = (int64_t)br_rng_below(rng, 3000000000);
        if (br_rng_below(rng, 4) == 0)
            assert_int_equal(br_dag_set_release(dag, stage, index, ns, NULL), BR_OK);
        if (br_rng_below(rng, 4) == 0)
            assert_int_equal(br_dag_set_deadline(dag, stage, index, 9000000000 + ns, NULL), BR_OK);
    }
}

/* Reads some of the outputs of the parent, and waits. */
static void random_edge(struct br_rng *rng, struct br_dag *dag, uint32_t parent, uint32_t child)
{
    char ids[200] = "";
    const bool paired = dag->stage[parent].tasks == dag->stage[child].tasks && br_rng_below(rng, 2);
    assert_int_equal(br_dag_add_edge(dag, parent, child, paired ? BR_ONE_TO_ONE : BR_BARRIER, NULL),
                     BR_OK);
    for (uint32_t o = 0; dag->storage && o < dag->storage->outputs; o++)
        if (dag->storage->output[o].stage == parent && br_rng_below(rng, 2)) {
            strcat(ids, " ");
            strcat(ids, dag->storage->output[o].id);
        }
    if (br_rng_below(rng, 2))
        assert_int_equal(br_dag_set_edge_reads(dag, parent, child, ids, NULL), BR_OK);
    if (br_rng_below(rng, 3) == 0)
        assert_int_equal(
            br_dag_set_edge_lag(dag, parent, child, (int64_t)br_rng_below(rng, 5000000000), NULL),
            BR_OK);
    if (br_rng_below(rng, 3) == 0)
        assert_int_equal(br_dag_set_edge_stream(dag, parent, child, NULL), BR_OK);
}

static struct br_dag *random_features(struct br_rng *rng)
{
    struct br_dag *dag = br_dag_create("job");
    const uint32_t stages = 1 + (uint32_t)br_rng_below(rng, 6);
    for (uint32_t s = 0; s < stages; s++) {
        char id[8];
        snprintf(id, sizeof id, "s%u", s);
        assert_int_equal(br_dag_add_stage(dag, id, 1 + (uint32_t)br_rng_below(rng, 3),
                                          1000000000 * (int64_t)br_rng_below(rng, 4), NULL, NULL),
                         BR_OK);
        random_outputs(rng, dag, s);
        random_times(rng, dag, s);
        for (uint32_t p = 0; p < s; p++)
            if (br_rng_below(rng, 2))
                random_edge(rng, dag, p, s);
    }
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    return dag;
}

static int64_t random_end(struct br_rng *rng, int64_t from_ns)
{
    return br_rng_below(rng, 3) ? from_ns + 1 + (int64_t)br_rng_below(rng, 5000000000) : BR_FOREVER;
}

static struct br_cluster *random_windows(struct br_rng *rng)
{
    static const char *const amounts[] = {"0", "2GiB", "0.59", "7"};
    struct br_cluster *cluster = br_cluster_create("c");
    const uint32_t classes = 1 + (uint32_t)br_rng_below(rng, 3);
    assert_int_equal(br_cluster_add_shared(cluster, "licence", "5", NULL), BR_OK);
    for (uint32_t c = 0; c < classes; c++) {
        char name[8];
        snprintf(name, sizeof name, "m%u", c);
        assert_int_equal(
            br_cluster_add_class(cluster, name, 1 + (uint32_t)br_rng_below(rng, 3), NULL, NULL),
            BR_OK);
        assert_int_equal(br_cluster_add_capacity(cluster, c, "cpu", "4", NULL), BR_OK);
    }
    for (uint32_t k = (uint32_t)br_rng_below(rng, 6); k > 0; k--) {
        uint32_t cls = (uint32_t)br_rng_below(rng, classes + 1), index = UINT32_MAX;
        if (cls == classes)
            cls = UINT32_MAX;
        else if (br_rng_below(rng, 2))
            index = (uint32_t)br_rng_below(rng, cluster->cls[cls].count);
        const int64_t from_ns = br_rng_below(rng, 2) ? (int64_t)br_rng_below(rng, 5000000000) : 0;
        const int64_t to_ns = random_end(rng, from_ns);
        assert_int_equal(br_rng_below(rng, 2)
                             ? br_cluster_add_unavailable(cluster, cls, index, from_ns, to_ns, NULL)
                             : br_cluster_add_change(cluster, cls == UINT32_MAX ? "licence" : "cpu",
                                                     cls, index, from_ns, to_ns,
                                                     amounts[br_rng_below(rng, 4)], NULL),
                         BR_OK);
    }
    return cluster;
}

/* Outputs, times, shared resources and windows come back: the same bytes, and the same model. */
static void features(void **state)
{
    static const char *const formats[] = {"xml", "dot"};
    for (uint64_t seed = 1; seed <= JOBS; seed++)
        for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
            struct br_rng rng = br_rng_seed(seed);
            struct fixture fixture = {.dag = random_features(&rng),
                                      .cluster = random_windows(&rng)};
            const struct br_emit_input input = {.dag = fixture.dag, .cluster = fixture.cluster};
            struct br_parse_options options = br_parse_options_default();
            struct br_diag diag = {0};
            struct br_input read;
            enum br_status status;
            size_t size;
            assert_true(round_trip(&fixture, formats[f]));
            char *text = write_job(formats[f], &input, &size, &status);
            struct parse_text file = parse_text_open(text, size);
            options.from = formats[f];
            if (br_parse_job(file.path, &options, &read, &diag))
                fail_msg("line %u: %s\n%s", diag.line, diag.what, text);
            assert_int_equal(br_dag_details_fingerprint(read.dag),
                             br_dag_details_fingerprint(fixture.dag));
            for (uint32_t o = 0; fixture.dag->storage && o < fixture.dag->storage->outputs; o++) {
                const struct br_output *a = &fixture.dag->storage->output[o];
                const struct br_output *b = &read.dag->storage->output[o];
                assert_string_equal(a->id, b->id);
                assert_string_equal(a->release ? a->release : "", b->release ? b->release : "");
            }
            if (strcmp(formats[f], "xml") == 0)
                assert_int_equal(br_cluster_fingerprint(read.cluster),
                                 br_cluster_fingerprint(fixture.cluster));
            br_input_finish(&read);
            parse_text_close(&file);
            free(text);
            fixture_finish(&fixture);
        }
}

/* Writes the plan in the form, reads it, and writes it again: the same bytes, and the same job. */
static void plan_comes_back(const struct fixture *f, const char *form)
{
    char *first = fixture_emit(false, form, f);
    struct parse_text file = parse_text_open(first, strlen(first));
    struct br_diag diag = {0};
    struct br_input input;
    struct fixture read = {0};
    if (br_parse_plan(file.path, NULL, &input, &read.plan, &diag))
        fail_msg("line %u: %s\n%s", diag.line, diag.what, first);
    read.dag = input.dag;
    read.cluster = input.cluster;
    char *second = fixture_emit(false, form, &read);
    assert_string_equal(second, first);
    assert_int_equal(br_dag_details_fingerprint(read.dag), br_dag_details_fingerprint(f->dag));
    assert_int_equal(br_cluster_fingerprint(read.cluster), br_cluster_fingerprint(f->cluster));
    free(first);
    free(second);
    parse_text_close(&file);
    fixture_finish(&read);
}

/* The same in a plan as JSON and as XML, of any plan. */
static void features_of_plans(void **state)
{
    uint32_t plans = 0;
    for (uint64_t seed = 1; seed <= JOBS; seed++) {
        struct br_rng rng = br_rng_seed(seed);
        struct fixture f = {.dag = random_features(&rng), .cluster = random_windows(&rng)};
        f.plan = br_plan_create(f.dag->tasks);
        for (uint32_t t = 0; t < f.dag->tasks; t++) {
            f.plan->start_ns[t] = f.plan->machine[t] = 0;
            f.plan->subset[t] = 'S';
        }
        assert_int_equal(br_plan_rank(f.plan, f.dag, NULL), BR_OK);
        f.plan->method = f.plan->bound_method = "none";
        if (br_features(f.dag, f.cluster)) {
            plan_comes_back(&f, "json");
            plan_comes_back(&f, "xml");
            plans++;
        }
        fixture_finish(&f);
    }
    assert_true(plans > JOBS / 2);
}

static void random_ways(struct br_rng *rng, struct br_dag *dag, uint32_t s)
{
    static const char *const ids[] = {"one", "4", "g-p.u"};
    static const char *const classes[] = {"m0", "m1 m2", "m-2"};
    const uint32_t count = (uint32_t)br_rng_below(rng, 4);
    uint32_t way;
    for (uint32_t a = 0; a < count; a++) {
        const int64_t ns =
            br_rng_below(rng, 3) ? 1 + (int64_t)br_rng_below(rng, 5000000000) : BR_STAGE_DURATION;
        assert_int_equal(br_dag_add_alternative(dag, s, ids[a], ns, &way, NULL), BR_OK);
        if (br_rng_below(rng, 2))
            assert_int_equal(br_dag_add_alternative_demand(dag, s, way, "cpu", "0.5", NULL), BR_OK);
        if (br_rng_below(rng, 2))
            assert_int_equal(br_dag_add_alternative_demand(dag, s, way, "mem", "2GiB", NULL),
                             BR_OK);
        if (br_rng_below(rng, 2))
            assert_int_equal(br_dag_add_consumed(dag, s, way, "money", "3.25", NULL), BR_OK);
        if (br_rng_below(rng, 2))
            assert_int_equal(br_dag_set_classes(dag, s, way, classes[br_rng_below(rng, 3)], NULL),
                             BR_OK);
        if (br_rng_below(rng, 2))
            assert_int_equal(br_dag_set_alternative_duration(dag, s, way, 0, 777, NULL), BR_OK);
    }
    if (br_rng_below(rng, 3) == 0)
        assert_int_equal(br_dag_set_classes(dag, s, BR_WHOLE_STAGE, "m1 m0", NULL), BR_OK);
    if (br_rng_below(rng, 3) == 0)
        assert_int_equal(br_dag_add_consumed(dag, s, BR_WHOLE_STAGE, "runs", "1", NULL), BR_OK);
    if (br_rng_below(rng, 3) == 0)
        assert_int_equal(br_dag_set_duration(dag, s, 0, 888, NULL), BR_OK);
}

/* Alternatives come back from DOT as they are in XML, and from XML. */
static void ways(void **state)
{
    uint32_t with = 0;
    for (uint64_t seed = 1; seed <= JOBS; seed++)
        for (int dot = 0; dot < 2; dot++) {
            struct br_rng rng = br_rng_seed(seed);
            struct fixture fixture = {.dag = br_dag_create("ways")};
            struct br_parse_options options = br_parse_options_default();
            struct br_diag diag = {0};
            struct br_input read;
            enum br_status status;
            size_t size;
            for (uint32_t s = 0; s < 3; s++) {
                char id[8];
                snprintf(id, sizeof id, "s%u", s);
                assert_int_equal(br_dag_add_stage(fixture.dag, id,
                                                  1 + (uint32_t)br_rng_below(&rng, 3), 7000000000,
                                                  NULL, NULL),
                                 BR_OK);
                if (br_rng_below(&rng, 2))
                    assert_int_equal(br_dag_add_demand(fixture.dag, s, "cpu", "2", NULL), BR_OK);
                random_ways(&rng, fixture.dag, s);
            }
            assert_int_equal(br_dag_finish(fixture.dag, NULL), BR_OK);
            with += fixture.dag->alternatives != NULL;
            const struct br_emit_input input = {.dag = fixture.dag};
            char *text = write_job(dot ? "dot" : "xml", &input, &size, &status);
            char *before = write_job("xml", &input, &size, &status);
            struct parse_text file = parse_text_open(text, strlen(text));
            options.from = dot ? "dot" : "xml";
            if (br_parse_job(file.path, &options, &read, &diag))
                fail_msg("line %u: %s\n%s", diag.line, diag.what, text);
            const struct br_emit_input again = {.dag = read.dag};
            char *after = write_job("xml", &again, &size, &status);
            if (strcmp(before, after) != 0)
                fail_msg("%s\n%s\n%s", text, before, after);
            br_input_finish(&read);
            parse_text_close(&file);
            free(text);
            free(before);
            free(after);
            fixture_finish(&fixture);
        }
    assert_true(with > JOBS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ways),     cmocka_unit_test(jobs),
        cmocka_unit_test(bytes),    cmocka_unit_test(words_of_dot),
        cmocka_unit_test(features), cmocka_unit_test(features_of_plans)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
