/* Decisions by the public API: those of the policy `learned` in the simulator, when it is told what
 * happens there; and what it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <bigrocks/learned.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/rng.h"
#include "cluster/executors/network/model.h"
#include "cluster/executors/policy/learned.h"
#include "cluster/executors/jobs.h"
#include "cluster/executors/plan.h"
#include "tests/support/takings.h"

/* ---- Models and jobs ---- */

/* An untrained model of the form, as bytes. */
static char *bytes_of(struct br_network_shape shape, size_t *size)
{
    struct br_model model;
    char *bytes;
    assert_int_equal(br_model_init(&model, &shape, NULL), BR_OK);
    br_network_draw(&model.network, 3, model.parameter);
    model.executors = 7;
    model.seed = 5;
    model.iterations = 11;
    model.made_by = strdup("somebody");
    FILE *out = open_memstream(&bytes, size);
    assert_non_null(out);
    assert_int_equal(br_model_write(&model, out, NULL), BR_OK);
    assert_int_equal(fclose(out), 0);
    br_model_finish(&model);
    return bytes;
}

static struct br_model *model_of(struct br_network_shape shape)
{
    struct br_model *model;
    size_t size;
    char *bytes = bytes_of(shape, &size);
    assert_int_equal(br_model_load_bytes(bytes, size, &model, NULL), BR_OK);
    free(bytes);
    return model;
}

/* A job of stages of that many tasks of 1 s, in a row. */
static struct br_dag *chain_of(const uint32_t *tasks, uint32_t stages)
{
    struct br_dag *dag = br_dag_create("chain");
    assert_non_null(dag);
    for (uint32_t s = 0; s < stages; s++) {
        char id[16];
        snprintf(id, sizeof id, "s%u", s);
        assert_int_equal(br_dag_add_stage(dag, id, tasks[s], 1000000000, NULL, NULL), BR_OK);
        if (s)
            assert_int_equal(br_dag_add_edge(dag, s - 1, s, BR_BARRIER, NULL), BR_OK);
    }
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    return dag;
}

static struct br_dag *random_dag(struct br_rng *rng)
{
    struct br_dag *dag = br_dag_create("random");
    uint32_t stages = 1 + (uint32_t)br_rng_below(rng, 9);
    assert_non_null(dag);
    for (uint32_t s = 0; s < stages; s++) {
        char id[16];
        snprintf(id, sizeof id, "s%u", s);
        assert_int_equal(br_dag_add_stage(dag, id, 1 + (uint32_t)br_rng_below(rng, 12),
                                          (int64_t)br_rng_below(rng, 4000) * 1000000, NULL, NULL),
                         BR_OK);
        for (uint32_t p = 0; p < s; p++)
            if (br_rng_below(rng, 3) == 0)
                assert_int_equal(br_dag_add_edge(dag, p, s, BR_BARRIER, NULL), BR_OK);
    }
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    return dag;
}

/* ---- Beside the simulator ---- */

enum { JOBS = 14, EXECUTORS = 7 };

struct beside {
    struct br_executors *sim;
    struct br_learned *learned;
    struct br_dag *dag[JOBS];
    struct br_executors_arrival arrival[JOBS];
    uint32_t number[JOBS]; /* in the decider; BR_ANY: not there */
    const struct br_learned_decision *decision;
    uint32_t decisions, at, stays;
};

/* Tells the decider what the simulator shows, and asks it about the whole round. */
static void ask(struct beside *beside)
{
    const struct br_executors *sim = beside->sim;
    const struct br_executor_group *group = &sim->group;
    for (uint32_t j = 0; j < JOBS; j++)
        if (beside->number[j] != BR_ANY && sim->job[j].place == BR_EXECUTORS_NONE) {
            assert_int_equal(br_learned_retire(beside->learned, beside->number[j], NULL), BR_OK);
            beside->number[j] = BR_ANY;
        }
    for (uint32_t k = 0; k < sim->live_jobs; k++) {
        uint32_t j = sim->live[k];
        const struct br_executor_job *job = &sim->job[j];
        if (beside->number[j] == BR_ANY)
            assert_int_equal(
                br_learned_submit(beside->learned, beside->dag[j], &beside->number[j], NULL),
                BR_OK);
        uint32_t before = taken;
        for (uint32_t s = 0; s < job->stages; s++) {
            const struct br_executor_stage *stage = &sim->stage[job->first_stage + s];
            const struct br_learned_progress progress = {stage->started, stage->ended,
                                                         stage->coming};
            assert_int_equal(
                br_learned_set_stage(beside->learned, beside->number[j], s, progress, NULL), BR_OK);
        }
        assert_int_equal(br_learned_set_executors(beside->learned, beside->number[j],
                                                  job->executors - job->leaving + job->coming,
                                                  NULL),
                         BR_OK);
        assert_int_equal(taken, before);
    }
    const struct br_learned_group asked = {
        .count = group->count,
        .job = group->job == BR_EXECUTORS_NONE ? BR_ANY : beside->number[group->job],
        .now = group->stage == BR_EXECUTORS_NONE ? group->count : group->executor != BR_ANY};
    uint32_t before = taken;
    assert_int_equal(
        br_learned_decide(beside->learned, asked, &beside->decision, &beside->decisions, NULL),
        BR_OK);
    assert_int_equal(taken, before);
    beside->at = 0;
}

/* The choice that the policy made is the next one of the decider, and so many go. Where executors
 * are to stay there is none. */
static void compare(struct beside *beside, struct br_executors_choice choice)
{
    const struct br_executors *sim = beside->sim;
    if (choice.stage == BR_EXECUTORS_STAY) {
        assert_int_equal(beside->at, beside->decisions);
        br_executors_decide(beside->sim, choice.stage, choice.limit);
        beside->stays++;
        return;
    }
    assert_true(beside->at < beside->decisions);
    const struct br_learned_decision *decision = &beside->decision[beside->at++];
    uint32_t job = sim->stage[choice.stage].job, count = sim->group.count;
    assert_int_equal(decision->job, beside->number[job]);
    assert_int_equal(decision->stage, choice.stage - sim->job[job].first_stage);
    assert_int_equal(decision->limit, choice.limit);
    br_executors_decide(beside->sim, choice.stage, choice.limit);
    assert_int_equal(decision->executors, count - sim->group.count);
}

static void run_beside(struct beside *beside, const struct br_model *model)
{
    const struct br_executors_setup setup = {.row = &br_executors_policy_learned, .model = model};
    void *policy;
    uint32_t round = 0, ends = 0;
    assert_int_equal(br_executors_reset(beside->sim, beside->arrival, JOBS, NULL, NULL), BR_OK);
    assert_int_equal(br_executors_policy_learned.create(&setup, &policy, NULL), BR_OK);
    assert_int_equal(br_executors_policy_learned.begin(policy, beside->sim, NULL), BR_OK);
    assert_int_equal(br_learned_create(model, EXECUTORS, &beside->learned, NULL), BR_OK);
    while (br_executors_next(beside->sim)) {
        if (beside->sim->round != round) {
            assert_int_equal(beside->at, beside->decisions);
            ends += beside->sim->group.stage != BR_EXECUTORS_NONE;
            ask(beside);
        }
        round = beside->sim->round;
        compare(beside, br_executors_policy_learned.decide(policy, beside->sim));
    }
    assert_int_equal(beside->sim->ended_jobs, JOBS);
    assert_uint_in_range(ends, 1, UINT32_MAX);
    br_executors_policy_learned.destroy(policy);
    br_learned_destroy(beside->learned);
}

/* Whatever form the network has: each decision, and how many executors it sends, is that of the
 * simulator's policy; and nothing is allocated but where a job comes. Of a planned one, also where
 * all numbers of its planner count, and executors are left idle. */
static void test_beside(void **state)
{
    const struct br_network_shape shapes[] = {br_network_shape_split(), br_network_shape_code(),
                                              br_network_shape_paper(), br_network_shape_planned()};
    const struct br_executors_options options = {.executors = EXECUTORS, .moving_ns = 2000000000};
    uint32_t stays = 0;
    (void)state;
    for (uint32_t k = 0; k < 12; k++) {
        struct br_rng rng = br_rng_seed(k);
        struct beside beside = {.sim = br_executors_create(&options)};
        struct br_model *model = model_of(shapes[k % 4]);
        bool planned = model->network.plan_parameters && k >= 4;
        for (uint32_t n = 0; planned && n < model->network.plan_parameters; n++)
            model->parameter[model->network.plan + n] = n == BR_PLAN_SPARE ? 2 : 1;
        assert_non_null(beside.sim);
        for (uint32_t j = 0; j < JOBS; j++) {
            struct br_waves *waves;
            beside.dag[j] = random_dag(&rng);
            beside.number[j] = BR_ANY;
            assert_int_equal(br_executors_waves(beside.dag[j], &waves, NULL), BR_OK);
            beside.arrival[j] = (struct br_executors_arrival){
                .waves = waves,
                .arrival_ns = (k / 4 % 2) * (int64_t)j * INT64_C(3000000000),
                .seed = j};
        }
        run_beside(&beside, model);
        stays += beside.stays;
        assert_true(planned || beside.stays == 0);
        for (uint32_t j = 0; j < JOBS; j++) {
            br_dag_destroy(beside.dag[j]);
            br_waves_destroy((struct br_waves *)beside.arrival[j].waves);
        }
        br_model_destroy(model);
        br_executors_destroy(beside.sim);
    }
    assert_true(stays > 0);
}

/* ---- By hand ---- */

/* One stage can be named at a time, so the model's word decides only how many go: all that are
 * needed in the end. */
static void test_by_hand(void **state)
{
    const uint32_t tasks[] = {3, 2};
    struct br_model *model = model_of(br_network_shape_split());
    struct br_dag *dag = chain_of(tasks, 2);
    struct br_learned *learned;
    const struct br_learned_decision *decision;
    uint32_t job, other, count, sent = 0;
    (void)state;
    assert_int_equal(br_learned_create(model, 8, &learned, NULL), BR_OK);
    /* Without jobs there is nothing to decide. */
    struct br_learned_group group = {8, BR_ANY, 8};
    assert_int_equal(br_learned_decide(learned, group, &decision, &count, NULL), BR_OK);
    assert_int_equal(count, 0);
    assert_int_equal(br_learned_submit(learned, dag, &job, NULL), BR_OK);
    br_dag_destroy(dag);
    /* Until all of the first stage's tasks have an executor, the second cannot be named. */
    while (sent < 5) {
        group = (struct br_learned_group){8 - sent, BR_ANY, 8 - sent};
        assert_int_equal(br_learned_decide(learned, group, &decision, &count, NULL), BR_OK);
        assert_uint_in_range(count, 1, 2);
        for (uint32_t k = 0; k < count; k++) {
            assert_int_equal(decision[k].job, job);
            assert_int_equal(decision[k].stage, sent >= 3);
            assert_true(decision[k].limit >= sent + decision[k].executors);
            sent += decision[k].executors;
        }
    }
    assert_int_equal(sent, 5);
    group = (struct br_learned_group){3, BR_ANY, 3};
    assert_int_equal(br_learned_decide(learned, group, &decision, &count, NULL), BR_OK);
    assert_int_equal(count, 0);
    /* What decisions added is replaced: a task has failed, and its executor is lost. */
    struct br_learned_progress progress = {2, 1, 0};
    assert_int_equal(br_learned_set_stage(learned, job, 0, progress, NULL), BR_OK);
    assert_int_equal(br_learned_set_executors(learned, job, 4, NULL), BR_OK);
    group = (struct br_learned_group){4, BR_ANY, 4};
    assert_int_equal(br_learned_decide(learned, group, &decision, &count, NULL), BR_OK);
    assert_int_equal(count, 1);
    assert_int_equal(decision->stage, 0);
    assert_int_equal(decision->executors, 1);
    /* A number is given again once its job is retired. */
    assert_int_equal(br_learned_retire(learned, job, NULL), BR_OK);
    dag = chain_of(tasks, 1);
    assert_int_equal(br_learned_submit(learned, dag, &other, NULL), BR_OK);
    assert_int_equal(other, job);
    assert_int_equal(br_learned_submit(learned, dag, &job, NULL), BR_OK);
    assert_int_not_equal(other, job);
    br_dag_destroy(dag);
    br_learned_destroy(learned);
    br_model_destroy(model);
}

/* ---- Refusals ---- */

static void test_wrong_calls(void **state)
{
    const uint32_t tasks[] = {3, 2};
    struct br_model *model = model_of(br_network_shape_split());
    struct br_dag *dag = chain_of(tasks, 2), *open = br_dag_create("open");
    struct br_learned *learned;
    struct br_diag diag;
    const struct br_learned_decision *decision;
    uint32_t job, count;
    (void)state;
    assert_int_equal(br_learned_create(model, 0, &learned, &diag), BR_USAGE);
    assert_null(learned);
    assert_int_equal(br_learned_create(model, BR_LEARNED_EXECUTORS + 1, &learned, &diag), BR_USAGE);
    assert_int_equal(br_learned_create(model, 8, &learned, &diag), BR_OK);
    assert_int_equal(br_learned_submit(learned, open, &job, &diag), BR_USAGE);
    assert_int_equal(br_learned_submit(learned, dag, &job, &diag), BR_OK);
    const struct {
        uint32_t job, stage;
        struct br_learned_progress progress;
        const char *what;
    } stages[] = {{job + 1, 0, {0}, "there is no job 1"},
                  {BR_ANY, 0, {0}, "there is no job"},
                  {job, 2, {0}, "job 0 has no stage 2"},
                  {job, 0, {4, 0, 0}, "of 3 tasks 4 cannot"},
                  {job, 0, {1, 2, 0}, "1 cannot have started and 2 ended"},
                  {job, 0, {0, 0, 9}, "9 executors cannot come"}};
    for (size_t k = 0; k < sizeof stages / sizeof *stages; k++) {
        assert_int_equal(br_learned_set_stage(learned, stages[k].job, stages[k].stage,
                                              stages[k].progress, &diag),
                         BR_USAGE);
        assert_non_null(strstr(diag.what, stages[k].what));
    }
    assert_int_equal(br_learned_set_executors(learned, job + 1, 0, &diag), BR_USAGE);
    assert_int_equal(br_learned_set_executors(learned, job, 9, &diag), BR_USAGE);
    assert_int_equal(br_learned_set_executors(learned, job, 6, &diag), BR_OK);
    const struct br_learned_group groups[] = {
        {0, BR_ANY, 0}, {1, BR_ANY, 2}, {3, BR_ANY, 3}, {7, job, 7}, {1, job + 1, 1}};
    for (size_t k = 0; k < sizeof groups / sizeof *groups; k++) {
        assert_int_equal(br_learned_decide(learned, groups[k], &decision, &count, &diag), BR_USAGE);
        assert_int_equal(count, 0);
    }
    assert_int_equal(br_learned_retire(learned, job + 1, &diag), BR_USAGE);
    assert_int_equal(br_learned_retire(learned, job, &diag), BR_OK);
    assert_int_equal(br_learned_retire(learned, job, &diag), BR_USAGE);
    br_learned_destroy(learned);
    br_learned_destroy(NULL);
    br_dag_destroy(dag);
    br_dag_destroy(open);
    br_model_destroy(model);
}

/* A model that is not as it was written is refused, whatever the difference: each byte changed, and
 * every size. What the sum cannot tell, since it is put right, test_train and the fuzz target do.
 */
static void test_models(void **state)
{
    struct br_diag diag;
    struct br_model *model;
    size_t size;
    char *bytes = bytes_of(br_network_shape_split(), &size);
    (void)state;
    assert_int_equal(br_model_load_bytes(bytes, size, &model, &diag), BR_OK);
    struct br_model_facts facts = br_model_facts(model);
    assert_int_equal(facts.executors, 7);
    assert_int_equal(facts.iterations, 11);
    assert_int_equal(facts.seed, 5);
    assert_string_equal(facts.network, "split");
    assert_string_equal(facts.made_by, "somebody");
    assert_int_equal(size, facts.parameters * sizeof(float) + 88 + strlen("somebody"));
    br_model_destroy(model);
    for (size_t k = 0; k < size; k += k < 100 ? 1 : 97) {
        bytes[k] ^= 0x20;
        assert_int_equal(br_model_load_bytes(bytes, size, &model, &diag), BR_BAD_INPUT);
        assert_null(model);
        bytes[k] ^= 0x20;
        assert_int_equal(br_model_load_bytes(bytes, k, &model, &diag), BR_BAD_INPUT);
        assert_null(model);
    }
    assert_int_equal(br_model_load("no such file", &model, &diag), BR_BAD_INPUT);
    assert_string_equal(diag.file, "no such file");
    assert_null(model);
    br_model_destroy(NULL);
    free(bytes);
}

/* ---- Memory ---- */

/* Two jobs come with the k-th taking refused. True: nothing had to be. A job that could not come
 * changes nothing: others go on being decided. */
static bool attempt(const struct br_model *model, const struct br_dag *small,
                    const struct br_dag *large, uint32_t k)
{
    const struct br_learned_group group = {4, BR_ANY, 4};
    const struct br_learned_decision *decision;
    struct br_learned *learned;
    uint32_t job, count, jobs = 0;
    taken = 0;
    refuse = k;
    enum br_status status = br_learned_create(model, 4, &learned, NULL);
    if (!status) {
        jobs += br_learned_submit(learned, small, &job, NULL) == BR_OK;
        jobs += br_learned_submit(learned, large, &job, NULL) == BR_OK;
    }
    bool all = taken <= k;
    refuse = UINT32_MAX;
    assert_true(all ? jobs == 2 : status || jobs == 1);
    if (!status) {
        uint32_t before = taken;
        assert_int_equal(br_learned_decide(learned, group, &decision, &count, NULL), BR_OK);
        assert_uint_in_range(count, 1, 4);
        if (all)
            assert_int_equal(taken, before);
    }
    br_learned_destroy(learned);
    return all;
}

static void test_refusals(void **state)
{
    const uint32_t tasks[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    struct br_model *model = model_of(br_network_shape_split());
    struct br_dag *small = chain_of(tasks, 2), *large = chain_of(tasks, 9);
    uint32_t k = 0;
    (void)state;
    while (!attempt(model, small, large, k))
        k++;
    assert_uint_in_range(k, 20, 200);
    br_dag_destroy(small);
    br_dag_destroy(large);
    br_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_beside),      cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_wrong_calls), cmocka_unit_test(test_models),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
