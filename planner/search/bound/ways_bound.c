#include "planner/search/bound/ways_bound.h"

#include <stdio.h>

#include "base/process/alarm.h"
#include "base/process/clock.h"
#include "base/text/diag.h"
#include "planner/check/proofs/certificate.h"
#include "planner/eligibility/features.h"
#include "planner/modes/multipliers.h"

/* Rounds times tasks, so that large jobs take seconds, too. */
static const uint64_t ways_work = 50000000;

/* Takes the proof, if it holds and the bound is more. */
static enum br_status ways_take(const struct br_modes *modes, const struct br_multipliers *m,
                                struct br_bound_result *result, struct br_diag *diag)
{
    if (m->bound_ns <= result->lower_bound_ns)
        return BR_OK;
    struct br_certificate *proof = br_multipliers_certify(modes, m);
    if (!proof)
        return br_fail_memory(diag);
    const enum br_status status =
        br_certificate_verify(proof, modes->dag, modes->cluster, m->bound_ns, NULL);
    if (status) {
        br_certificate_destroy(proof);
        return status == BR_SYSTEM ? br_fail_memory(diag) : BR_OK;
    }
    br_certificate_destroy(result->certificate);
    result->certificate = proof;
    result->lower_bound_ns = m->bound_ns;
    snprintf(result->method, sizeof result->method, "%s", br_multipliers_name);
    return BR_OK;
}

static enum br_status ways_bound(const struct br_dag *dag, const struct br_cluster *cluster,
                                 const struct br_stop *stop, struct br_bound_result *result,
                                 struct br_diag *diag)
{
    struct br_modes *modes;
    struct br_multipliers m = {0};
    enum br_status status = br_modes_create(dag, cluster, &modes, diag);
    if (status)
        return status;
    const uint64_t most = ways_work / (dag->tasks + 1);
    const uint32_t rounds = most < BR_MULTIPLIER_ROUNDS ? (uint32_t)most : BR_MULTIPLIER_ROUNDS;
    if (!br_multipliers_find(modes, rounds, stop, &m))
        status = br_fail_memory(diag);
    if (!status)
        status = ways_take(modes, &m, result, diag);
    br_multipliers_finish(&m);
    br_modes_destroy(modes);
    return status;
}

enum br_status br_ways_bound_raise(const struct br_dag *dag, const struct br_cluster *cluster,
                                   const struct br_bound_options *options,
                                   struct br_bound_result *result, struct br_diag *diag)
{
    /* Those that the check of a proof by multipliers knows. */
    const unsigned known =
        BR_FEATURES_MODES | BR_FEATURE_SHARED | BR_FEATURE_RELEASES | BR_FEATURE_LAGS;
    const unsigned features = br_features(dag, cluster);
    const int64_t limit_ns =
        options->cpu_limit_ns > 0 ? options->cpu_limit_ns : options->time_limit_ns;
    struct br_alarm alarm;
    if (!(features & BR_FEATURES_MODES) || features & ~known)
        return BR_OK;
    if (limit_ns == 0)
        return ways_bound(dag, cluster, options->stop, result, diag);
    br_alarm_begin(&alarm, CLOCK_MONOTONIC, br_clock_ns(CLOCK_MONOTONIC) + limit_ns, options->stop);
    const enum br_status status = ways_bound(dag, cluster, &alarm.stop, result, diag);
    br_alarm_end(&alarm);
    return status;
}
