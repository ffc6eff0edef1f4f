/* Readers of plans, proofs and bounds. */
#include <stdlib.h>

#include <bigrocks/bigrocks.h>

#include "parsers/plans/bound_json.h"
#include "planner/check/proofs/certificate.h"
#include "tests/fuzz/fuzz.h"

void fuzz_plan(const uint8_t *data, size_t size)
{
    struct br_diag diag = {0};
    struct br_input input = {0};
    struct br_plan *plan = NULL;
    enum br_status status = br_parse_plan(fuzz_file(0, data, size), NULL, &input, &plan, &diag);
    fuzz_said(status, &diag);
    if (status) {
        if (input.dag || input.cluster || plan)
            fuzz_fail(&diag, "a failure that leaves a plan");
        return;
    }
    status = br_plan_verify(plan, input.dag, input.cluster, 5, NULL, NULL, &diag);
    fuzz_said(status, &diag);
    if (br_dag_task_count(input.dag) < 500)
        fuzz_emit(&input, plan); /* also a plan that does not hold can be looked at */
    br_plan_destroy(plan);
    br_input_finish(&input);
}

void fuzz_proof(const uint8_t *data, size_t size)
{
    struct br_diag diag = {0};
    struct br_input input = {0};
    struct br_certificate *certificate = NULL;
    int64_t bound_ns;
    enum br_status status =
        br_parse_proof(fuzz_file(0, data, size), &input, &bound_ns, &certificate, &diag);
    fuzz_said(status, &diag);
    if (status)
        return;
    if (certificate) {
        status = br_certificate_verify(certificate, input.dag, input.cluster, bound_ns, &diag);
        fuzz_said(status, &diag);
        /* A proof that the checker has believed holds against every plan. */
        if (!status && br_dag_task_count(input.dag) <= 40) {
            struct br_plan_options options = br_plan_options_default();
            struct br_plan *plan = NULL;
            options.method = "lft";
            options.threads = 1;
            options.placements = 200;
            if (br_plan_make(input.dag, input.cluster, &options, &plan, &diag) == BR_OK &&
                br_plan_makespan_ns(plan) < bound_ns)
                fuzz_fail(NULL, "a proof was believed that a plan refutes");
            br_plan_destroy(plan);
        }
    }
    br_certificate_destroy(certificate);
    br_input_finish(&input);
}

void fuzz_bound(const uint8_t *data, size_t size)
{
    static const char job[] =
        "<job xmlns='urn:bigrocks:job:1'><stage id='a' tasks='3' duration='1'>"
        "<demand resource='cpu' amount='2'/></stage><stage id='b' tasks='3' duration='2'/>"
        "<stage id='c' duration='1.5'/><edge from='a' to='b' type='one-to-one'/>"
        "<edge from='b' to='c' type='barrier'/></job>";
    static struct br_input input;
    struct br_diag diag = {0};
    struct br_bound_answer answer = {0};
    if (!input.dag && (br_parse_job(fuzz_file(1, job, sizeof job - 1), NULL, &input, &diag) ||
                       br_parse_capacity(2, "cpu=3", &input.cluster, &diag)))
        fuzz_fail(&diag, "the target's own job cannot be read");
    char *text = fuzz_text(data, size);
    enum br_status status = br_parse_bound(text, size, input.dag, &answer, &diag);
    fuzz_said(status, &diag);
    if (!status && answer.certificate) {
        status = br_certificate_verify(answer.certificate, input.dag, input.cluster,
                                       answer.lower_bound_ns, &diag);
        fuzz_said(status, &diag);
        if (!status && answer.lower_bound_ns > INT64_C(5500000000)) /* the optimum */
            fuzz_fail(NULL, "a proof was believed that a plan refutes");
    }
    br_certificate_destroy(answer.certificate);
    free(text);
}
