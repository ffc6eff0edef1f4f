/* A schedule becomes a plan, which is verified from the job alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "planner/instance/plan.h"
#include "tests/support/judge.h"

void judge_schedule(const struct random_job *job, const struct br_instance *in,
                    const struct br_schedule *schedule)
{
    struct br_plan *plan = br_plan_create(in->tasks);
    struct br_schedule measured = *schedule;
    struct br_diag diag = {0};
    assert_non_null(plan);
    plan->method = plan->bound_method = "test";
    for (uint32_t t = 0; t < in->tasks; t++) {
        plan->start_ns[t] = schedule->start[t] * in->tick_ns;
        plan->machine[t] = schedule->machine[t];
        plan->subset[t] = schedule->subset[t];
    }
    assert_int_equal(br_plan_rank(plan, job->dag, &diag), BR_OK);
    if (br_plan_verify(plan, job->dag, job->cluster, 1, NULL, NULL, &diag) != BR_OK)
        fail_msg("%s", diag.what);
    br_schedule_measure(&measured, in);
    assert_int_equal(measured.makespan, schedule->makespan);
    assert_true(measured.ends == schedule->ends);
    assert_int_equal(br_plan_makespan_ns(plan), schedule->makespan * in->tick_ns);
    br_plan_destroy(plan);
}
