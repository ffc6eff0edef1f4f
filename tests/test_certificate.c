/* Certificates of the combinatorial bounds: all are accepted, none proves more than the optimum. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/rng.h"
#include "planner/bounds/bounds.h"
#include "planner/certificate/certificate.h"
#include "tests/oracle.h"
#include "tests/random_job.h"

static void every_bound_has_its_proof(void **state)
{
    int kind[4] = {0}, parts = 0, claims = 0, cliques = 0, units = 0;
    for (uint64_t seed = 1; seed <= 4000; seed++) {
        struct random_job job;
        struct br_instance *in;
        struct br_diag diag = {0};
        int64_t ns;
        assert_true(random_job_make(seed, seed % 2 ? 8 : 40, 0, &job));
        assert_int_equal(br_instance_create(job.dag, job.cluster, &in, NULL), BR_OK);
        struct br_certificate *c = br_certify(in);
        assert_non_null(c);
        assert_true(br_certificate_bound(c, &ns));
        assert_int_equal(ns, br_bounds_sum(in).ticks * in->tick_ns);
        if (br_certificate_check(c, job.dag, in, &diag))
            fail_msg("seed %d: %s", (int)seed, diag.what);
        parts += c->parts > 1;
        for (uint32_t k = 0; k < c->parts; k++) {
            const struct br_proof *proof = &c->part[k];
            kind[proof->kind]++;
            claims += proof->passes > 0;
            for (uint32_t m = 0; m < proof->measures; m++) {
                cliques += proof->measure[m].kind == BR_MEASURE_CLIQUE;
                units += proof->measure[m].unit.mantissa > 0;
            }
        }
        br_certificate_destroy(c);
        br_instance_destroy(in);
        random_job_finish(&job);
    }
    print_message("path %d, window %d, energy %d; %d with claims, %d cliques, %d units, %d in "
                  "several parts\n",
                  kind[BR_PROOF_PATH], kind[BR_PROOF_WINDOW], kind[BR_PROOF_ENERGY], claims,
                  cliques, units, parts);
    assert_true(kind[BR_PROOF_PATH] && kind[BR_PROOF_WINDOW] && kind[BR_PROOF_ENERGY]);
    assert_true(claims && cliques && units);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bound_has_its_proof),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
