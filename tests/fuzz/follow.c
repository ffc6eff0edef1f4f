/* After the reading: all that the program would do with a job or a plan, and what is promised
 * of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bigrocks/bigrocks.h>

#include "emit/emit.h"
#include "planner/eligibility/features.h"
#include "planner/check/proofs/certificate.h"
#include "planner/instance/plan.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/oracle.h"

/* Larger jobs take too long for thousands of executions a second. */
enum { MOST_WRITTEN = 3000, MOST_PLANNED = 60, MOST_MACHINES = 64, ORACLE_MOST = 5 };

static FILE *memory(char **text, size_t *size)
{
    *text = NULL;
    FILE *out = open_memstream(text, size);
    if (!out)
        fuzz_fail(NULL, "memory is out");
    return out;
}

static uint32_t edges(const struct br_dag *dag)
{
    return dag->edges;
}

/* The job in a form, and back. */
static void round_trip(const struct br_input *input, const char *format)
{
    struct br_diag diag = {0};
    const struct br_emit_input emit = {.dag = input->dag, .cluster = input->cluster};
    char *text;
    size_t size;
    FILE *out = memory(&text, &size);
    enum br_status status = br_emit_job(format, &emit, out, &diag);
    fclose(out);
    fuzz_said(status, &diag);
    if (!status) {
        struct br_parse_options options = br_parse_options_default();
        struct br_input again = {0};
        options.from = format;
        if (br_parse_job(fuzz_file(1, text, size), &options, &again, &diag)) {
            fwrite(text, 1, size < 2000 ? size : 2000, stderr);
            fuzz_fail(&diag, "a job that was written cannot be read");
        }
        if (br_dag_task_count(again.dag) != br_dag_task_count(input->dag) ||
            again.dag->stages != input->dag->stages || edges(again.dag) != edges(input->dag))
            fuzz_fail(NULL, "a job that was written is another one");
        br_input_finish(&again);
    }
    free(text);
}

void fuzz_emit(const struct br_input *input, const struct br_plan *plan)
{
    const struct br_emit_input emit = {.dag = input->dag, .cluster = input->cluster, .plan = plan};
    for (uint32_t k = 0; br_named_name(&br_emit_plans, k); k++) {
        struct br_diag diag = {0};
        char *text;
        size_t size;
        if (strncmp(br_named_name(&br_emit_plans, k), "ninja-", 6) == 0)
            continue; /* for jobs that were imported from a build */
        FILE *out = memory(&text, &size);
        fuzz_said(br_emit_plan(br_named_name(&br_emit_plans, k), &emit, out, &diag), &diag);
        fclose(out);
        free(text);
    }
}

/* The plan's JSON is read again and says the same; its proof holds. */
static void read_again(const struct br_input *input, const struct br_plan *plan)
{
    struct br_diag diag = {0};
    const struct br_emit_input emit = {.dag = input->dag, .cluster = input->cluster, .plan = plan};
    char *text;
    size_t size;
    FILE *out = memory(&text, &size);
    enum br_status status = br_emit_plan("json", &emit, out, &diag);
    fclose(out);
    fuzz_said(status, &diag);
    if (!status) {
        struct br_input again = {0}, proven = {0};
        struct br_plan *other = NULL;
        struct br_certificate *certificate = NULL;
        int64_t bound;
        const char *path = fuzz_file(2, text, size);
        if (br_parse_plan(path, NULL, &again, &other, &diag))
            fuzz_fail(&diag, "a plan that was written cannot be read");
        if (br_plan_makespan_ns(other) != br_plan_makespan_ns(plan) ||
            br_plan_lower_bound_ns(other) != br_plan_lower_bound_ns(plan))
            fuzz_fail(NULL, "a plan that was written is another one");
        if (br_plan_verify(other, again.dag, again.cluster, 1, NULL, NULL, &diag))
            fuzz_fail(&diag, "a plan that was written does not hold");
        br_plan_destroy(other);
        br_input_finish(&again);
        if (br_parse_proof(path, &proven, &bound, &certificate, &diag))
            fuzz_fail(&diag, "a proof that was written cannot be read");
        if (certificate &&
            br_certificate_verify(certificate, proven.dag, proven.cluster, bound, &diag))
            fuzz_fail(&diag, "a proof that was written does not hold");
        br_certificate_destroy(certificate);
        br_input_finish(&proven);
    }
    free(text);
}

/* Nobody plans better than the bound or than what trying everything finds. */
static void compare(const struct br_input *input, const struct br_plan *plan, int64_t bound_ns)
{
    struct br_diag diag = {0};
    struct br_instance *in = NULL;
    if (br_dag_task_count(input->dag) > ORACLE_MOST || br_cluster_machine_count(input->cluster) > 3)
        return;
    if (br_features(input->dag, input->cluster))
        return; /* there is no instance of what the oracle does not know */
    if (br_instance_create(input->dag, input->cluster, &in, &diag))
        fuzz_fail(&diag, "a job was planned that is no instance");
    int64_t best_ns = oracle_optimum(in) * in->tick_ns;
    if (best_ns > br_plan_makespan_ns(plan))
        fuzz_fail(NULL, "a plan is shorter than the shortest");
    if (best_ns < bound_ns || best_ns < br_plan_lower_bound_ns(plan))
        fuzz_fail(NULL, "a bound is above the shortest plan");
    br_instance_destroy(in);
}

void fuzz_make(struct br_input *input, const char *method, uint64_t seed)
{
    struct br_diag diag = {0};
    struct br_plan_options options = br_plan_options_default();
    struct br_plan *plan = NULL;
    int64_t bound_ns;
    const char *name;
    options.method = method;
    options.effort = BR_EFFORT_FAST;
    options.threads = 1;
    options.seed = seed;
    options.placements = 400;
    enum br_status status = br_bound(input->dag, input->cluster, &bound_ns, &name, &diag);
    fuzz_said(status, &diag);
    if (br_plan_make(input->dag, input->cluster, &options, &plan, &diag)) {
        fuzz_said(diag.status, &diag);
        if (!status)
            fuzz_fail(&diag, "a job has a bound and no plan");
        return;
    }
    if (status)
        fuzz_fail(&diag, "a job has a plan and no bound");
    if (br_plan_verify(plan, input->dag, input->cluster, 1, NULL, NULL, &diag))
        fuzz_fail(&diag, "a plan does not hold");
    if (bound_ns > br_plan_makespan_ns(plan) ||
        br_plan_lower_bound_ns(plan) > br_plan_makespan_ns(plan))
        fuzz_fail(NULL, "a bound is above a plan");
    compare(input, plan, bound_ns);
    read_again(input, plan);
    fuzz_emit(input, plan);
    br_plan_destroy(plan);
}

void fuzz_job(struct br_input *input)
{
    struct br_diag diag = {0};
    uint32_t tasks = br_dag_task_count(input->dag);
    if (tasks > MOST_WRITTEN || input->dag->edges > MOST_WRITTEN)
        return;
    round_trip(input, "xml");
    round_trip(input, "dot");
    if (!input->cluster)
        br_parse_capacity(2, "cpu=8,mem=64GiB,net=1000000,disk=1000000,slot=4,parallel=8",
                          &input->cluster, &diag);
    if (tasks <= MOST_PLANNED && input->cluster &&
        br_cluster_machine_count(input->cluster) <= MOST_MACHINES)
        fuzz_make(input, tasks % 2 ? "lft" : "packing", tasks);
}
