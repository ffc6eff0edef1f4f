/* Workflows as our package in Snakemake writes them, against a slow model, and what is refused. */
#include "tests/parsers/parse_text.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/numbers/rng.h"
#include "parsers/snakemake/snakemake.h"

static const struct br_snakemake_options options = {.name = "flow", .preset_ns = 1000000000};

static enum br_status parse(const char *text, struct br_input *input,
                            struct br_snakemake_report *report, struct br_diag *diag)
{
    struct parse_text file = parse_text_open(text, strlen(text));
    *input = (struct br_input){0};
    memset(diag, 0, sizeof *diag);
    enum br_status status = br_parse_snakemake(file.path, &options, input, report, diag);
    parse_text_close(&file);
    return status;
}

/* One job of each kind: where its duration comes from, what it demands, what it waits for. */
static void fixture(void **state)
{
    static const char stages[] = "join*1 180 cpu=4 @4:3\n"
                                 "map:part=a,run=1*1 12.5 cpu=2 io=1 mem=300000000 @6:3\n"
                                 "map:part=b,run=1*1 20 cpu=1 mem=1500000 @8:3\n"
                                 "map:part=c,run=1*1 20 cpu=1 @9:3\n"
                                 "fetch*1 0.000000001 @10:3\n"
                                 "note \xc3\xa9*1 %s cpu=1 @11:3\n"
                                 "map:part=a,run=1 -> join @4:58\n"
                                 "map:part=b,run=1 -> join @4:61\n"
                                 "map:part=c,run=1 -> join @4:64\n"
                                 "fetch -> map:part=a,run=1 @6:86\n"
                                 "fetch -> map:part=b,run=1 @8:95\n";
    char expected[1000], model[900];
    struct br_input input = {0};
    struct br_snakemake_report report;
    struct br_diag diag = {0};
    snprintf(model, sizeof model, stages, "1");
    snprintf(expected, sizeof expected, "flow\nresource cpu\nresource io\nresource mem\n%s", model);
    assert_int_equal(
        br_parse_snakemake(parse_fixture("flow.snakemake.json"), &options, &input, &report, &diag),
        BR_OK);
    assert_string_equal(diag.file, "");
    assert_string_equal(parse_describe(&input), expected);
    br_input_finish(&input);
    const struct br_snakemake_report known = {6, 2, 1, 1, 1, 1};
    assert_memory_equal(&report, &known, sizeof known);
    /* As a job file, it has the file's name and the preset of all formats. */
    assert_string_equal(br_parse_recognise(parse_fixture("flow.snakemake.json")), "snakemake");
    snprintf(model, sizeof model, stages, "0");
    snprintf(expected, sizeof expected,
             "flow.snakemake\nresource cpu\nresource io\nresource mem\n%s", model);
    assert_int_equal(br_parse_job(parse_fixture("flow.snakemake.json"), NULL, &input, &diag),
                     BR_OK);
    assert_string_equal(parse_describe(&input), expected);
    br_input_finish(&input);
}

/* Temporary outputs, and what of them is read: all, some or nothing. */
static void temporary_outputs(void **state)
{
    static const char text[] =
        "{\"format\": \"bigrocks-snakemake/1\", \"jobs\": [\n"
        "{\"id\": \"b\", \"rule\": \"b\", \"after\": [1, 2], \"reads\": [[\"y\"], []]},\n"
        "{\"id\": \"a\", \"rule\": \"a\", \"outputs\": [{\"id\": \"x\", \"disk_mb\": 3},\n"
        "{\"disk_mb\": 2.5, \"id\": \"y\"}], \"after\": [2]},\n"
        "{\"id\": \"c\", \"rule\": \"c\", \"outputs\": [{\"id\": \"z\", \"disk_mb\": 7}],\n"
        "\"unsized\": 1}]}";
    struct br_input input;
    struct br_diag diag;
    assert_int_equal(parse(text, &input, NULL, &diag), BR_OK);
    const struct br_storage *storage = input.dag->storage;
    assert_non_null(storage);
    assert_int_equal(storage->outputs, 3);
    assert_string_equal(storage->output[1].id, "y");
    assert_int_equal(storage->output[1].amount.mantissa, 25);
    assert_int_equal(storage->output[1].amount.exponent, -1);
    for (uint32_t o = 0; o < 3; o++)
        assert_int_equal(storage->output[o].flags, BR_OUTPUT_UNKEPT);
    static const uint32_t readers[] = {0, 1, 1}; /* b reads y, a reads z since nothing is said */
    for (uint32_t o = 0; o < 3; o++)
        assert_int_equal(storage->output_first[o + 1] - storage->output_first[o], readers[o]);
    assert_int_equal(input.dag->doubts, 1);
    br_input_finish(&input);
}

/* ---- Any workflow ---- */

enum { MOST = 12, RULES = 3, ROUNDS = 2000, TEXT = 1 << 16 };
static const int64_t second = 1000000000;

struct model_job {
    uint32_t rule, threads, mem_mb, io;
    int64_t recorded, declared, limit; /* in units that are written; -1: not written */
    bool waits[MOST];
};

/* What the job is to last: told once more, by looking through all jobs for every one. */
static int64_t duration_of(const struct model_job *job, uint32_t jobs, uint32_t j)
{
    uint32_t same = 0;
    if (job[j].recorded >= 0)
        return job[j].recorded * 1000;
    if (job[j].declared >= 0)
        return job[j].declared;
    for (uint32_t k = 0; k < jobs; k++)
        same += job[k].rule == job[j].rule && job[k].recorded >= 0;
    for (uint32_t k = 0; k < jobs; k++) {
        uint32_t below = 0, equal = 0;
        if (job[k].rule != job[j].rule || job[k].recorded < 0)
            continue;
        for (uint32_t l = 0; l < jobs; l++)
            if (job[l].rule == job[j].rule && job[l].recorded >= 0) {
                below += job[l].recorded < job[k].recorded;
                equal += job[l].recorded == job[k].recorded;
            }
        if (below <= same / 2 && same / 2 < below + equal)
            return job[k].recorded * 1000;
    }
    return job[j].limit >= 0 ? job[j].limit * 60 * second : second;
}

static uint32_t draw(struct br_rng *rng, uint32_t below)
{
    return (uint32_t)br_rng_below(rng, below);
}

static void draw_jobs(struct br_rng *rng, struct model_job *job, uint32_t jobs)
{
    uint32_t place[MOST];
    for (uint32_t j = 0; j < jobs; j++) { /* in this order they could run */
        place[j] = j;
        uint32_t other = draw(rng, j + 1);
        place[j] = place[other];
        place[other] = j;
    }
    for (uint32_t j = 0; j < jobs; j++) {
        job[j] = (struct model_job){draw(rng, RULES),
                                    draw(rng, 4),
                                    draw(rng, 3),
                                    draw(rng, 3),
                                    draw(rng, 2) ? -1 : (int64_t)draw(rng, 9) * 1000,
                                    draw(rng, 3) ? -1 : (int64_t)draw(rng, 2000000000),
                                    draw(rng, 3) ? -1 : (int64_t)draw(rng, 100),
                                    {false}};
        for (uint32_t k = 0; k < jobs; k++)
            job[j].waits[k] = place[k] < place[j] && draw(rng, 3) == 0;
    }
}

static void write_jobs(struct br_rng *rng, char *at, const struct model_job *job, uint32_t jobs)
{
    at += sprintf(at, "{\"jobs\":[");
    for (uint32_t j = 0; j < jobs; j++) {
        bool any = false;
        at += sprintf(at, "%s{\"after\":[", j ? "," : "");
        for (uint32_t k = 0; k < jobs; k++)
            if (job[j].waits[k]) {
                at += sprintf(at, "%s%" PRIu32, any ? ", " : "", k);
                any = true;
            }
        at += sprintf(at, "],\"resources\":{\"mem_mb\":%" PRIu32 ",\"io\":%" PRIu32, job[j].mem_mb,
                      job[j].io);
        if (job[j].declared >= 0)
            at += sprintf(at, ",\"duration_s\":\"%" PRId64 ".%09" PRId64 "\"",
                          job[j].declared / second, job[j].declared % second);
        if (job[j].limit >= 0)
            at += sprintf(at, ",\"runtime\":%" PRId64, job[j].limit);
        at += sprintf(at, "},\n\"rule\":\"r%" PRIu32 "\",\"id\":\"j%" PRIu32 "\"", job[j].rule, j);
        if (job[j].recorded >= 0)
            at += sprintf(at, ",\"seconds\":%" PRId64 "e-6", job[j].recorded);
        if (job[j].threads != 1 || draw(rng, 2))
            at += sprintf(at, ",\"threads\":%" PRIu32, job[j].threads);
        at += sprintf(at, "}");
    }
    sprintf(at, "],\"format\":\"bigrocks-snakemake/1\"}");
}

static int64_t demand_of(const struct br_dag *dag, uint32_t stage, const char *resource)
{
    for (uint32_t d = 0; d < dag->stage[stage].demands; d++) {
        const struct br_demand *demand = &dag->demand[dag->stage[stage].first_demand + d];
        if (strcmp(dag->resource[demand->resource].name, resource) == 0)
            return br_decimal_ceil(demand->amount);
    }
    return 0;
}

static void any_workflow(void **state)
{
    struct br_rng rng = br_rng_seed(7);
    struct model_job job[MOST];
    static char text[TEXT];
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t jobs = 1 + draw(&rng, MOST), edges = 0;
        struct br_input input;
        struct br_diag diag;
        draw_jobs(&rng, job, jobs);
        write_jobs(&rng, text, job, jobs);
        if (parse(text, &input, NULL, &diag))
            fail_msg("%s in %s", diag.what, text);
        assert_int_equal(input.dag->stages, jobs);
        for (uint32_t j = 0; j < jobs; j++) {
            if (input.dag->stage[j].duration_ns != duration_of(job, jobs, j))
                fail_msg("job %" PRIu32 " lasts %" PRId64 " in %s", j,
                         input.dag->stage[j].duration_ns, text);
            assert_int_equal(demand_of(input.dag, j, "cpu"), job[j].threads);
            assert_int_equal(demand_of(input.dag, j, "mem"), job[j].mem_mb * INT64_C(1000000));
            assert_int_equal(demand_of(input.dag, j, "io"), job[j].io);
            for (uint32_t k = 0; k < jobs; k++)
                edges += job[j].waits[k];
        }
        assert_int_equal(input.dag->edges, edges);
        for (uint32_t e = 0; e < edges; e++)
            assert_true(job[input.dag->edge[e].child].waits[input.dag->edge[e].parent]);
        br_input_finish(&input);
    }
}

/* ---- Faults ---- */

#define JOBS(rows) "{\"format\":\"bigrocks-snakemake/1\",\"jobs\":[\n" rows "]}"
#define JOB(rest) "{\"id\":\"a\",\"rule\":\"r\"" rest "}"

static void refused(void **state)
{
    static const struct {
        const char *text;
        enum br_status status;
        uint32_t line;
        const char *what;
    } bad[] = {
        {"{\"format\":\"bigrocks-snakemake/2\",\"jobs\":[]}", BR_BAD_INPUT, 1,
         "bigrocks-snakemake/2"},
        {"{\"format\":\"bigrocks-snakemake/1\"}", BR_BAD_INPUT, 1, "jobs"},
        {"{\"jobs\":[]}", BR_BAD_INPUT, 1, "format"},
        {JOBS(""), BR_NO, 0, "nothing is to be done"},
        {JOBS("") "x", BR_BAD_INPUT, 2, "more follows"},
        {JOBS("[]"), BR_BAD_INPUT, 2, "a job"},
        {JOBS("{\"rule\":\"r\"}"), BR_BAD_INPUT, 2, "id"},
        {JOBS("{\"id\":\"a\"}"), BR_BAD_INPUT, 2, "rule"},
        {JOBS("{\"id\":\"\",\"rule\":\"r\"}"), BR_BAD_INPUT, 2, "no id"},
        {JOBS("{\"id\":\"a\\n\",\"rule\":\"r\"}"), BR_BAD_INPUT, 2, "control characters"},
        {JOBS("{\"id\":\"a\",\"rule\":1}"), BR_BAD_INPUT, 2, "rule"},
        {JOBS(JOB("") ",\n" JOB("")), BR_BAD_INPUT, 3, "'a'"},
        {JOBS(JOB(",\"threads\":-1")), BR_BAD_INPUT, 2, "whole number"},
        {JOBS(JOB(",\"threads\":1.5")), BR_BAD_INPUT, 2, "whole number"},
        {JOBS(JOB(",\"seconds\":\n-0.5")), BR_BAD_INPUT, 3, "less than no time"},
        {JOBS(JOB(",\"seconds\":\"x\"")), BR_BAD_INPUT, 2, "seconds"},
        {JOBS(JOB(",\"after\":[0]")), BR_BAD_INPUT, 2, "a"},
        {JOBS(JOB(",\"after\":[\n1]")), BR_BAD_INPUT, 3, "no job 1"},
        {JOBS(JOB(",\"after\":[4294967295]")), BR_BAD_INPUT, 2, "4294967295"},
        {JOBS(JOB(",\"after\":[\"b\"]")), BR_BAD_INPUT, 2, "place"},
        {JOBS(JOB(",\"resources\":{\"io\":-1}")), BR_BAD_INPUT, 2, "no amount"},
        {JOBS(JOB(",\"resources\":{\"io\":1e99}")), BR_BAD_INPUT, 2, "io"},
        {JOBS(JOB(",\"resources\":{\"io\":[1]}")), BR_BAD_INPUT, 2, "an amount"},
        {JOBS(JOB(",\"resources\":{\"io\":1,\n\"io\":2}")), BR_BAD_INPUT, 3, "io"},
        {JOBS(JOB(",\"resources\":{\"cpu\":1}")), BR_BAD_INPUT, 2, "cannot be called so"},
        {JOBS(JOB(",\"resources\":{\"mem\":1}")), BR_BAD_INPUT, 2, "cannot be called so"},
        {JOBS(JOB(",\"resources\":{\"a\\tb\":1}")), BR_BAD_INPUT, 2, "cannot be called so"},
        {JOBS(JOB(",\"resources\":{\"runtime\":1.5}")), BR_BAD_INPUT, 2, "out of range"},
        {JOBS(JOB(",\"resources\":{\"runtime\":200000000}")), BR_BAD_INPUT, 2, "out of range"},
        {JOBS(JOB(",\"resources\":{\"duration_s\":\n\"soon\"}")), BR_BAD_INPUT, 3,
         "duration_s 'soon' of a job"},
        {JOBS(JOB(",\"resources\":{\"duration_s\":\"-1\"}")), BR_BAD_INPUT, 2, "duration_s"},
        {JOBS(JOB(",\"after\":[1]") ",{\"id\":\"b\",\"rule\":\"r\",\"after\":[0]}"), BR_BAD_INPUT,
         2, "cycle"},
    };
    size_t wrong = 0;
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        struct br_input input;
        struct br_diag diag;
        enum br_status status = parse(bad[k].text, &input, NULL, &diag);
        if (!status)
            br_input_finish(&input);
        else
            assert_null(input.dag);
        if (status == bad[k].status && diag.line == bad[k].line && strstr(diag.what, bad[k].what))
            continue;
        print_error("%s\n  gives %d, line %u: %s\n", bad[k].text, (int)status, diag.line,
                    diag.what);
        wrong++;
    }
    assert_int_equal(wrong, 0);
    struct br_input input;
    struct br_diag diag = {0};
    assert_int_equal(br_parse_snakemake("/nowhere", &options, &input, NULL, &diag), BR_SYSTEM);
    assert_string_equal(diag.file, "/nowhere");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixture),
        cmocka_unit_test(temporary_outputs),
        cmocka_unit_test(any_workflow),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
