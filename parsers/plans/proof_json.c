/* Files with a lower bound, its proof and its job: plans, and the output of `bound --json`. Their
 * other fields are for people. */
#include "parsers/plans/plans.h"

#include <string.h>

#include "parsers/plans/bound_json.h"
#include "parsers/plans/certificate_json.h"
#include "parsers/plans/plan_reader.h"

static bool json_read_proof(struct br_plan_reader *r, const char *file)
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
        return br_json_fail(json, f[FORMAT].at,
                            "give a plan, or the output of bigrocks bound --json",
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
           br_read_lower_bound(json, &f[BOUND], &r->lower_bound_ns) &&
           br_read_certificate(json, &f[CERTIFICATE], r->dag, &r->certificate);
}

enum br_status br_parse_proof(const char *path, struct br_input *input, int64_t *lower_bound_ns,
                              struct br_certificate **certificate, struct br_diag *diag)
{
    struct br_plan_reader r = {.diag = diag};
    struct br_source source;
    *input = (struct br_input){0};
    enum br_status status = br_source_open(&source, path, diag);
    if (!status) {
        status = br_plan_read_source(&r, &source, "bound", json_read_proof, input);
        br_source_close(&source);
    }
    *lower_bound_ns = r.lower_bound_ns;
    *certificate = r.certificate;
    return status;
}
