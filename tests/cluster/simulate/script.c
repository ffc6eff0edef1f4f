#include "tests/cluster/simulate/script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define S INT64_C(1000000000)

/* ---- The policy ---- */

__attribute__((format(printf, 2, 3))) static void note(struct script *script, const char *format,
                                                       ...)
{
    size_t used = strlen(script->log);
    va_list arguments;
    if (used && used + 1 < sizeof script->log)
        strcpy(script->log + used++, " ");
    va_start(arguments, format);
    vsnprintf(script->log + used, sizeof script->log - used, format, arguments);
    va_end(arguments);
}

static enum br_status create(const struct br_policy_row *row, const struct br_policy_setup *setup,
                             void **policy, struct br_diag *diag)
{
    (void)setup;
    (void)diag;
    /* The row is a script's own. */
    *policy = (void *)(uintptr_t)row->detail;
    return BR_OK;
}

static void destroy(void *policy)
{
    (void)policy;
}

static enum br_status arrive(void *policy, const struct br_arrival *arrival, int64_t now_ns,
                             struct br_diag *diag)
{
    struct script *script = policy;
    (void)diag;
    script->arrival = *arrival;
    note(script, "a%u@%d", arrival->job, (int)(now_ns / S));
    return BR_OK;
}

static enum br_status end(void *policy, const struct br_ended *ended, int64_t now_ns,
                          struct br_diag *diag)
{
    struct script *script = policy;
    (void)diag;
    script->ended = *ended;
    note(policy, "%c%u.%u@%d", ended->failed ? 'f' : 'e', ended->job, ended->task,
         (int)(now_ns / S));
    return BR_OK;
}

static enum br_status retire(void *policy, uint32_t job, struct br_diag *diag)
{
    (void)diag;
    note(policy, "r%u", job);
    return BR_OK;
}

static enum br_status machine(void *policy, uint32_t number, bool there, struct br_diag *diag)
{
    (void)diag;
    note(policy, "m%u%c", number, there ? '+' : '-');
    return BR_OK;
}

static uint32_t decide(void *policy, int64_t now_ns, struct br_decision *decisions, uint32_t room,
                       int64_t *wake_ns)
{
    struct script *script = policy;
    uint32_t made = 0;
    assert_true(*wake_ns == BR_NEVER);
    if (!script->no_decisions)
        note(script, "d@%d", (int)(now_ns / S));
    for (;
         made < room && script->next < script->steps && script->step[script->next].at_ns <= now_ns;
         script->next++) {
        const struct script_step *step = &script->step[script->next];
        decisions[made++] = (struct br_decision){step->job, step->task, step->machine};
    }
    if (script->next < script->steps && !script->sleeps && made < room)
        *wake_ns = script->step[script->next].at_ns;
    if (script->asks_ns)
        *wake_ns = script->asks_ns;
    script->asks_ns = 0;
    return made;
}

void script_begin(struct script *script, const struct script_step *step, uint32_t steps)
{
    *script = (struct script){.step = step, .steps = steps};
    script->row = (struct br_policy_row){.named = {"script", "what the test says"},
                                         .detail = script,
                                         .create = create,
                                         .destroy = destroy,
                                         .arrive = arrive,
                                         .end = end,
                                         .retire = retire,
                                         .machine = machine,
                                         .decide = decide};
}

/* ---- Small workloads ---- */

/* Calls `add` with the name and the amount of every "name=amount" of the list. */
static void each_amount(const char *list, void (*add)(void *context, const char *, const char *),
                        void *context)
{
    char copy[128];
    snprintf(copy, sizeof copy, "%s", list);
    for (char *rest = copy, *word; (word = strsep(&rest, ","));) {
        char *amount = strchr(word, '=');
        assert_non_null(amount);
        *amount++ = '\0';
        add(context, word, amount);
    }
}

static void add_capacity(void *cluster, const char *name, const char *amount)
{
    assert_int_equal(br_cluster_add_capacity(cluster, 0, name, amount, NULL), BR_OK);
    if (strcmp(name, "mem") != 0)
        assert_int_equal(br_cluster_set_fungible(cluster, name, NULL), BR_OK);
}

void small_begin(struct small *small, uint32_t machines, const char *capacities)
{
    *small = (struct small){
        .workload = br_workload_create("small", NULL),
        .cluster = br_cluster_create(NULL),
        .options = {.world = br_world_default(),
                    .setup = {.enforcer = br_runtime_options_default(), .number = NAN}}};
    assert_int_equal(br_cluster_add_class(small->cluster, "m", machines, NULL, NULL), BR_OK);
    each_amount(capacities, add_capacity, small->cluster);
}

static void add_demand(void *dag, const char *name, const char *amount)
{
    struct br_dag *of = dag;
    assert_int_equal(br_dag_add_demand(of, of->stages - 1, name, amount, NULL), BR_OK);
}

uint32_t small_dag(struct small *small, const char *const *stage, uint32_t stages, bool chain)
{
    struct br_dag *dag = br_dag_create("small");
    uint32_t number;
    for (uint32_t s = 0; s < stages; s++) {
        char id[16], *demands;
        double seconds = strtod(stage[s], &demands);
        snprintf(id, sizeof id, "s%u", s);
        assert_int_equal(br_dag_add_stage(dag, id, 1, (int64_t)(seconds * 1e9 + 0.5), NULL, NULL),
                         BR_OK);
        if (*demands)
            each_amount(demands + 1, add_demand, dag);
        if (chain && s)
            assert_int_equal(br_dag_add_edge(dag, s - 1, s, BR_BARRIER, NULL), BR_OK);
    }
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_workload_add_dag(small->workload, dag, NULL, NULL, &number, NULL), BR_OK);
    return number;
}

void small_job(struct small *small, uint32_t dag, int64_t arrival_s)
{
    struct br_workload_job job = br_workload_job_default();
    char id[16];
    snprintf(id, sizeof id, "j%u", small->workload->jobs);
    job.id = id;
    job.dag = dag;
    job.arrival_ns = arrival_s * S;
    assert_int_equal(br_workload_add_job(small->workload, &job, NULL), BR_OK);
}

enum br_status small_run(struct small *small, const struct br_policy_row *row,
                         struct br_outcome *outcome, struct br_diag *diag)
{
    if (!small->workload->finished)
        assert_int_equal(br_workload_finish(small->workload, NULL), BR_OK);
    small->options.row = row;
    return br_simulate_workload(small->workload, small->cluster, &small->options, outcome, diag);
}

const struct br_span *small_span(const struct br_outcome *outcome, uint32_t job, uint32_t task,
                                 enum br_span_end end_kind, uint32_t k)
{
    for (uint64_t s = 0; s < outcome->spans; s++) {
        const struct br_span *span = &outcome->span[s];
        if (span->job == job && span->task == task && span->end == end_kind && k-- == 0)
            return span;
    }
    fail_msg("job %u has no such span of task %u", job, task);
    return NULL;
}

void small_finish(struct small *small)
{
    br_workload_destroy(small->workload);
    br_cluster_destroy(small->cluster);
}
