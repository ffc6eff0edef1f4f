/* Lower bounds: the answer of the bounding program, one JSON object with "lower_bound" (decimal
 * seconds, a number or a string), "method", and perhaps "status" and "certificate"; and files that
 * carry a bound with its proof and the job that it is about. What else they say is for people. */
#include "parsers/parsers.h"

#include <stdio.h>
#include <string.h>

#include "parsers/plans/certificate_json.h"
#include "parsers/text/json.h"
#include "parsers/plans/plan_reader.h"

/* To the nearest nanosecond is safe: every makespan is a whole number of them, so that a bound may
 * even be rounded up. */
static bool lower_bound(struct br_json *json, const struct br_json_field *field, int64_t *ns)
{
    if (!br_json_go(json, field) || !br_json_scalar(json, "a lower bound"))
        return false;
    if (br_seconds_parse(json->text, ns) == BR_DECIMAL_OK && *ns >= 0)
        return true;
    return br_json_fail(json, field->at, NULL, "the lower bound is not a time in seconds");
}

enum br_status br_parse_bound(const char *text, size_t size, const struct br_dag *dag,
                              struct br_bound_answer *answer, struct br_diag *diag)
{
    struct br_json json;
    struct br_json_field field[] = {{"lower_bound", true, NULL},
                                    {"method", true, NULL},
                                    {"status", false, NULL},
                                    {"certificate", false, NULL}};
    *answer = (struct br_bound_answer){0};
    br_json_init(&json, text, size, diag);
    br_json_fields(&json, "a bound", field, 4);
    br_json_done(&json);
    lower_bound(&json, &field[0], &answer->lower_bound_ns);
    if (br_json_go(&json, &field[1]) && br_json_string(&json, "the method's name"))
        snprintf(answer->method, sizeof answer->method, "%s", json.text);
    if (br_json_go(&json, &field[2]) && br_json_string(&json, "the status"))
        snprintf(answer->status, sizeof answer->status, "%s", json.text);
    br_read_certificate(&json, &field[3], dag, &answer->certificate);
    br_json_finish(&json);
    return json.status;
}

static bool read_proof(struct br_plan_reader *r, const char *file)
{
    enum { FORMAT, BOUND, CERTIFICATE, JOB, ATTRIBUTES, RESOURCES, STAGES, EDGES, CLUSTER, FIELDS };
    struct br_json *json = &r->json;
    struct br_json_field f[FIELDS] = {
        [FORMAT] = {"format", true, NULL},
        [BOUND] = {"lower_bound", true, NULL},
        [CERTIFICATE] = {"certificate", false, NULL},
        [JOB] = {"job", false, NULL},
        [ATTRIBUTES] = {"attributes", false, NULL},
        [RESOURCES] = {"resources", false, NULL},
        [STAGES] = {"stages", true, NULL},
        [EDGES] = {"edges", false, NULL},
        [CLUSTER] = {"cluster", true, NULL},
    };
    if (!br_json_fields(json, "a bound with its proof", f, FIELDS) || !br_json_done(json) ||
        !br_json_go(json, &f[FORMAT]) || !br_json_string(json, "the format's name"))
        return false;
    if (strcmp(json->text, "bigrocks-plan/1") != 0 && strcmp(json->text, "bigrocks-bound/1") != 0)
        return br_json_fail(json, f[FORMAT].at, "give a plan, or what bigrocks bound --json writes",
                            "the format is '%s'", json->text);
    struct br_json_field top[BR_PLAN_FIELDS] = {
        [BR_PLAN_JOB] = f[JOB],
        [BR_PLAN_ATTRIBUTES] = f[ATTRIBUTES],
        [BR_PLAN_RESOURCES] = f[RESOURCES],
        [BR_PLAN_STAGES] = f[STAGES],
        [BR_PLAN_EDGES] = f[EDGES],
        [BR_PLAN_CLUSTER] = f[CLUSTER],
    };
    return br_plan_read_job(r, top, file) && br_plan_read_cluster(r, &top[BR_PLAN_CLUSTER]) &&
           lower_bound(json, &f[BOUND], &r->lower_bound_ns) &&
           br_read_certificate(json, &f[CERTIFICATE], r->dag, &r->certificate);
}

enum br_status br_parse_proof(const char *path, struct br_input *input, int64_t *lower_bound_ns,
                              struct br_certificate **certificate, struct br_diag *diag)
{
    struct br_plan_reader r = {.diag = diag};
    enum br_status status = br_plan_read_file(&r, path, "bound", read_proof, input);
    *lower_bound_ns = r.lower_bound_ns;
    *certificate = r.certificate;
    return status;
}
