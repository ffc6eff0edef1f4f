/* The options of the enforcer: what is given counts, what is not is the enforcer's own. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/options/enforcer.h"

static struct cli_enforcer_settings none(void)
{
    struct br_runtime_options options = br_runtime_options_default();
    return (struct cli_enforcer_settings){.policy = options.policy,
                                          .eta = NAN,
                                          .remote_penalty = NAN,
                                          .kappa = NAN,
                                          .fairness = options.fairness,
                                          .bundle = options.bundle};
}

static void test_defaults(void **state)
{
    (void)state;
    struct cli_enforcer_settings settings = none();
    struct br_runtime_options options = cli_enforcer_options(&settings);
    const struct br_runtime_options own = br_runtime_options_default();
    assert_string_equal(options.policy, own.policy);
    assert_true(options.eta_factor == own.eta_factor);
    assert_true(options.remote_penalty == own.remote_penalty);
    assert_true(options.kappa == own.kappa);
    assert_int_equal(options.fairness, own.fairness);
    assert_int_equal(options.bundle, own.bundle);
    assert_int_equal(options.keep_plan, own.keep_plan);
}

static void test_given(void **state)
{
    (void)state;
    struct cli_enforcer_settings settings = {.policy = "packing",
                                             .eta = 0.7,
                                             .remote_penalty = 0.3,
                                             .kappa = 15,
                                             .fairness = BR_FAIR_SLOTS,
                                             .bundle = 17};
    struct br_runtime_options options = cli_enforcer_options(&settings);
    assert_string_equal(options.policy, "packing");
    assert_true(options.eta_factor == 0.7);
    assert_true(options.remote_penalty == 0.3);
    assert_true(options.kappa == 15.0);
    assert_int_equal(options.fairness, BR_FAIR_SLOTS);
    assert_int_equal(options.bundle, 17);
    settings.fairness = BR_FAIR_DOMINANT;
    options = cli_enforcer_options(&settings);
    assert_int_equal(options.fairness, BR_FAIR_DOMINANT);
}

/* The enforcer itself takes all that the options let through: the ends of the ranges. */
static void test_ends(void **state)
{
    (void)state;
    static const double ends[][3] = {{0, 0, 1e-18}, {1000, 1, 1000}};
    struct br_cluster *cluster = br_cluster_create("c");
    struct br_diag diag = {0};
    uint32_t number;
    assert_int_equal(br_cluster_add_class(cluster, "m", 1, &number, &diag), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, number, "cpu", "4", &diag), BR_OK);
    for (size_t k = 0; k < 2; k++) {
        struct cli_enforcer_settings settings = none();
        struct br_runtime_options options;
        struct br_runtime *runtime;
        settings.eta = ends[k][0];
        settings.remote_penalty = ends[k][1];
        settings.kappa = ends[k][2];
        options = cli_enforcer_options(&settings);
        assert_int_equal(br_runtime_create(cluster, &options, &runtime, &diag), BR_OK);
        br_runtime_destroy(runtime);
    }
    br_cluster_destroy(cluster);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_given),
        cmocka_unit_test(test_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
