/* The joint policy as the simulator sees it: it learns how long tasks last; what it foresees is
 * what happens, on random workloads; its order changes while stages wait; and nobody waits for what
 * fits nowhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "cluster/simulate/engine.h"
#include "cluster/simulate/joint/joint.h"
#include "cluster/simulate/joint/pace.h"
#include "cluster/simulate/policies/policies.h"
#include "tests/cluster/simulate/play.h"
#include "tests/support/random_job.h"
#include "tests/support/random_workload.h"

static void arrive(void *policy, uint32_t number, const struct br_dag *dag, int64_t now_ns)
{
    const struct br_arrival arrival = {
        .job = number, .id = "j", .dag = dag, .weight = 1, .deadline_ns = BR_NEVER};
    assert_int_equal(br_joint_arrive(policy, &arrival, now_ns, NULL), BR_OK);
}

/* The policy itself, by remaining work: job 0 has a task of 5 s that waits beside the one that
 * runs, job 1 one of 6 s. When the first fails, job 0 has 10 s left, and job 1 goes first. */
static void test_policy_reorders(void **state)
{
    static const uint32_t tasks[] = {2, 1, 1}, started[] = {1, 0, 1};
    static const int64_t seconds[] = {5, 6, 20};
    struct br_cluster *cluster = play_cluster(1);
    struct br_policy_setup setup = {
        .cluster = cluster, .number = 0, .enforcer = br_runtime_options_default()};
    struct br_decision decision[4];
    struct br_dag *dag[3];
    int64_t wake_ns = BR_NEVER;
    void *policy;
    assert_int_equal(br_joint_create(&setup, &policy, NULL), BR_OK);
    for (uint32_t k = 0; k < 3; k++) {
        const struct br_ended failed = {.job = 0, .task = 0, .failed = true};
        dag[k] = play_chain(1, &tasks[k], &seconds[k]);
        if (k == 2)
            assert_int_equal(br_joint_end(policy, &failed, SECOND, NULL), BR_OK);
        arrive(policy, k, dag[k], 0);
        assert_int_equal(br_joint_decide(policy, 0, decision, 4, &wake_ns), started[k]);
        assert_true(!started[k] || decision[0].job == k / 2);
    }
    br_joint_destroy(policy);
    br_cluster_destroy(cluster);
    for (uint32_t k = 0; k < 3; k++)
        br_dag_destroy(dag[k]);
}

/* A machine of two cores and one of one. Job 0: a task of two cores and 1 s, then three of one core
 * and 5 s. Job 1: three of one core and 20 s. Held until the three have started they end at 6 and
 * 26 s, else at 11 and 31, or 26 and 20 s; so only job 0 starts. When its task fails because the
 * machine leaves, nothing runs, and it fits nowhere: job 1 starts on the machine that is left. */
static void test_nobody_waits(void **state)
{
    struct br_dag *dag[2] = {br_dag_create("a"), play_chain(1, (uint32_t[]){3}, (int64_t[]){20})};
    struct br_cluster *cluster = br_cluster_create("c");
    struct br_policy_setup setup = {
        .cluster = cluster, .seed = 1, .number = 20000, .enforcer = br_runtime_options_default()};
    struct br_decision decision[4];
    int64_t wake_ns = BR_NEVER;
    void *policy;
    for (uint32_t s = 0; s < 2; s++) {
        uint32_t class, stage;
        assert_int_equal(br_cluster_add_class(cluster, s ? "s" : "b", 1, &class, NULL), BR_OK);
        assert_int_equal(br_cluster_add_capacity(cluster, class, "cpu", s ? "1" : "2", NULL),
                         BR_OK);
        assert_int_equal(
            br_dag_add_stage(dag[0], s ? "b" : "a", s ? 3 : 1, (s ? 5 : 1) * SECOND, &stage, NULL),
            BR_OK);
        assert_int_equal(br_dag_add_demand(dag[0], stage, "cpu", s ? "1" : "2", NULL), BR_OK);
    }
    assert_int_equal(br_dag_add_edge(dag[0], 0, 1, BR_BARRIER, NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag[0], NULL), BR_OK);
    assert_int_equal(br_joint_create(&setup, &policy, NULL), BR_OK);
    arrive(policy, 0, dag[0], 0);
    arrive(policy, 1, dag[1], 0);
    assert_int_equal(br_joint_decide(policy, 0, decision, 4, &wake_ns), 1);
    assert_int_equal(decision[0].job, 0);
    assert_int_equal(decision[0].machine, 0);
    const struct br_ended failed = {.job = 0, .task = decision[0].task, .failed = true};
    assert_int_equal(br_joint_end(policy, &failed, SECOND / 2, NULL), BR_OK);
    assert_int_equal(br_joint_machine(policy, 0, false, NULL), BR_OK);
    assert_int_equal(br_joint_decide(policy, SECOND / 2, decision, 4, &wake_ns), 1);
    assert_int_equal(decision[0].job, 1);
    assert_int_equal(decision[0].machine, 1);
    br_joint_destroy(policy);
    br_cluster_destroy(cluster);
    br_dag_destroy(dag[0]);
    br_dag_destroy(dag[1]);
}

/* A stage of so many tasks of two cores. */
static struct br_dag *play_wide(uint32_t tasks, int64_t lasts_ns)
{
    struct br_dag *dag = br_dag_create("j");
    uint32_t number;
    assert_int_equal(br_dag_add_stage(dag, "a", tasks, lasts_ns, &number, NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(dag, number, "cpu", "2", NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    return dag;
}

/* A machine of two cores. Job A: a task of one core, 2 s. Job B: one of both, 3 s. A before B ends
 * them at 2 and 5 s, and 3 s of the cluster's work wait for 2 s; B before A at 3 and 5 s, and 1 s
 * waits for 3 s. So B goes first where waiting costs more than 1/3, which is where more than 5/3
 * jobs come in a second that wait. They come after 40 jobs of next to no work, spread over 8 s or
 * over 4,000 s; or alone, a microsecond after the first job: then no more come than the cluster
 * serves, 3 in 4 s. Those that have ended last 1,000 ns alone. Where they took 1,100 or more, all
 * that come will wait, 5 in a second. Else so many of them as the mean of these 40 and of ten more,
 * that wait 100 ns, is of 100 ns: 0.2 where they took 1,000, 0.28 where 1,010, 0.4 where 1,025; it
 * takes 0.325. Tasks that lasted twice as long as declared would have done so alone, too. */
static void test_jobs_to_come(void **state)
{
    static const struct {
        uint32_t jobs;
        int64_t apart_ns, took_ns;
        uint32_t tasks; /* of those jobs, which last as long alone, one after another */
        int64_t lasted; /* against what was declared */
        uint32_t first;
    } cases[] = {
        {40, SECOND / 5, 2000, 1, 1, 1},
        {40, 100 * SECOND, 2000, 1, 1, 0},
        {1, 1000, 20000, 1, 1, 0},
        {40, SECOND / 5, 1000, 1, 1, 0},
        {40, SECOND / 5, 1010, 1, 1, 0},
        {40, SECOND / 5, 1025, 1, 1, 1},
        {40, SECOND / 5, 1010, 10, 1, 0},
        {40, SECOND / 5, 1030, 10, 1, 1},
        {40, SECOND / 5, 2020, 10, 2, 0},
        {40, SECOND / 5, 2060, 10, 2, 1},
        /* 41 jobs after the first in 24 s are more than 5/3 in a second, in 24.8 s fewer. */
        {40, 6 * SECOND / 10, 2000, 1, 1, 1},
        {40, 62 * SECOND / 100, 2000, 1, 1, 0},
        /* In a burst the cluster serves 6 of 4 s, or 7: more than 5/3 in a second. */
        {4, 3000, 2000, 1, 1, 0},
        {5, 3000, 2000, 1, 1, 1},
        /* Jobs that last no time say nothing of waits: those to come are taken to wait. */
        {40, SECOND / 5, 0, 0, 1, 1}};
    struct br_dag *dag[] = {play_sized("1", 2 * SECOND), play_sized("2", 3 * SECOND),
                            play_wide(1, 1000), play_wide(10, 100), play_wide(1, 0)};
    struct br_cluster *cluster = br_cluster_create("c");
    uint32_t class;
    assert_int_equal(br_cluster_add_class(cluster, "m", 1, &class, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, class, "cpu", "2", NULL), BR_OK);
    struct br_policy_setup setup = {
        .cluster = cluster, .number = 20000, .enforcer = br_runtime_options_default()};
    for (uint32_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct br_decision decision[4];
        int64_t wake_ns = BR_NEVER, now_ns = 0;
        uint32_t jobs = cases[k].jobs;
        void *policy;
        assert_int_equal(br_joint_create(&setup, &policy, NULL), BR_OK);
        for (uint32_t j = 0; j < jobs; j++, now_ns += cases[k].apart_ns) {
            uint32_t tasks = cases[k].tasks;
            arrive(policy, j, dag[tasks > 1 ? 3 : tasks ? 2 : 4], now_ns);
            for (uint32_t t = 0; t < (tasks ? tasks : 1); t++) {
                assert_int_equal(br_joint_decide(policy, now_ns, decision, 4, &wake_ns), 1);
                const struct br_ended ended = {.job = j,
                                               .task = decision[0].task,
                                               .lasted_ns =
                                                   tasks ? cases[k].lasted * 1000 / tasks : 0};
                int64_t ended_ns = now_ns + (tasks ? cases[k].took_ns * (t + 1) / tasks : 0);
                assert_int_equal(br_joint_end(policy, &ended, ended_ns, NULL), BR_OK);
            }
            assert_int_equal(br_joint_retire(policy, j, NULL), BR_OK);
        }
        arrive(policy, jobs, dag[0], now_ns);
        arrive(policy, jobs + 1, dag[1], now_ns);
        assert_int_equal(br_joint_decide(policy, now_ns, decision, 4, &wake_ns), 1);
        assert_int_equal(decision[0].job, jobs + cases[k].first);
        br_joint_destroy(policy);
    }
    br_cluster_destroy(cluster);
    for (uint32_t k = 0; k < sizeof dag / sizeof *dag; k++)
        br_dag_destroy(dag[k]);
}

/* ---- Paces ---- */

/* A job of two stages, four tasks of 2 s and two of 4 s, on two machines: 16 s, 8 s of the cluster.
 * Two tasks of the first have lasted twice as long. The job's pace is the mean of ln 2 and of ln 1,
 * so the root of 2; the stage's (8 + 2 sqrt 2) / 6. What has not started is 4 and 8 s. A third that
 * lasts half as long, and all as declared, by the same rule. */
static void test_pace(void **state)
{
    struct br_dag *dag = play_chain(2, (uint32_t[]){4, 2}, (int64_t[]){2, 4});
    struct br_cluster *cluster = play_cluster(2);
    struct br_arena arena = {0};
    struct br_capacities capacities;
    struct br_joint_job *job;
    assert_int_equal(br_capacities_make(&arena, cluster, &capacities, NULL), BR_OK);
    for (uint32_t declared = 0; declared < 2; declared++) {
        const double root = declared ? 1 : sqrt(2);
        assert_int_equal(br_joint_job_make(dag, NULL, &capacities, 0, 1, &job, NULL), BR_OK);
        double work = job->work, total = job->total_work;
        assert_true(work == 8e9 && total == 8e9);
        br_pace_settle(job, &work, &total);
        assert_true(work == 8e9 && total == 8e9);
        for (uint32_t t = 0; t < 2; t++) {
            br_pace_start(job, t);
            work -= SECOND;
            total -= SECOND;
            br_pace_end(job, t, (declared ? 2 : 4) * SECOND);
        }
        assert_int_equal(br_joint_lasts(job, 2), 2 * SECOND); /* not settled yet */
        br_pace_settle(job, &work, &total);
        const double first = declared ? 1 : (8 + 2 * root) / 6;
        const double left = (2 * first + 4 * root) * 1e9;
        assert_true(fabs(work - left) < 1 && fabs(total - left) < 1);
        assert_true(fabs((double)br_joint_lasts(job, 2) - 2e9 * first) < 2);
        assert_true(fabs((double)br_joint_lasts(job, 4) - 4e9 * root) < 2);
        br_pace_settle(job, &work, &total);
        assert_true(fabs(work - left) < 1); /* once */
        br_pace_start(job, 2);
        br_pace_again(job, 2);
        br_pace_start(job, 3);
        work -= 1e9 * first;
        br_pace_end(job, 3, declared ? 2 * SECOND : SECOND); /* together 9 s of 6 declared */
        br_pace_settle(job, &work, &total);
        const double whole = declared ? 1 : sqrt(1.5);
        const double third = declared ? 1 : (9 + 2 * whole) / 8;
        assert_true(fabs(work - (third + 4 * whole) * 1e9) < 1);
        br_joint_job_destroy(job);
    }
    br_arena_finish(&arena);
    br_cluster_destroy(cluster);
    br_dag_destroy(dag);
}

/* Two machines. A job of two tasks of 2 and 4 s, one after the other, has 3 s of work, but lasts 6
 * s; one of four tasks of 2 s lasts 4 s, which is its work. Where tasks lasted half as long again,
 * so does the job. */
static void test_alone(void **state)
{
    struct br_dag *dag[] = {play_chain(2, (uint32_t[]){1, 1}, (int64_t[]){2, 4}),
                            play_chain(1, (uint32_t[]){4}, (int64_t[]){2})};
    const double alone[] = {6e9, 4e9};
    struct br_cluster *cluster = play_cluster(2);
    struct br_arena arena = {0};
    struct br_capacities capacities;
    assert_int_equal(br_capacities_make(&arena, cluster, &capacities, NULL), BR_OK);
    for (uint32_t k = 0; k < 2; k++) {
        struct br_joint_job *job;
        assert_int_equal(br_joint_job_make(dag[k], NULL, &capacities, 0, 1, &job, NULL), BR_OK);
        assert_true(br_pace_alone(job) == alone[k]);
        for (uint32_t t = 0; t < job->tasks; t++)
            br_pace_end(job, t, job->duration_ns[t] / 2 * 3);
        assert_true(br_pace_alone(job) == alone[k] * 1.5);
        br_joint_job_destroy(job);
        br_dag_destroy(dag[k]);
    }
    br_arena_finish(&arena);
    br_cluster_destroy(cluster);
}

/* Two tasks of 1 s, then one of 2 s, on two machines, at the paces 2 and 1.5: they end at 2 and 5
 * s, also when the first two run already. Their start takes 2 s of the cluster off what waits, and
 * the failure of one gives back the half. */
static void test_paces_ahead(void **state)
{
    struct br_dag *dag = play_chain(2, (uint32_t[]){2, 1}, (int64_t[]){1, 2});
    struct play play;
    play_begin(&play, play_cluster(2));
    play_job(&play, dag, 0);
    play.job[0]->stage[0].pace = 2;
    play.job[0]->stage[1].pace = 1.5;
    const struct br_scene_live *live = &play.scene.live[0];
    play_on(&play, 1, UINT64_MAX);
    assert_int_equal(play.forward.end_ns[0], 5 * SECOND);
    double work = live->work_left, total = live->total_work_left;
    play_dispatch(&play);
    assert_true(work - live->work_left == 2e9 && total - live->total_work_left == 2e9);
    play_on(&play, 1, UINT64_MAX);
    assert_int_equal(play.forward.end_ns[0], 5 * SECOND);
    br_scene_end(&play.scene, 0, play.running[0].task, play.running[0].machine, true);
    assert_true(work - live->work_left == 1e9 && total - live->total_work_left == 1e9);
    play_finish(&play);
    br_dag_destroy(dag);
}

/* The policy itself, by remaining work: one machine, job 0 of two tasks of 3 s each. Its first
 * takes as declared, then it goes first against a job of 5 s; or it takes 9 s, then 7.1 s are
 * believed to be left, and the other goes first. When its first fails after 9 s, nothing is learnt
 * of that. */
static void test_policy_learns(void **state)
{
    static const struct {
        int64_t seconds;
        bool failed;
        uint32_t first;
    } cases[] = {{3, false, 0}, {9, false, 1}, {9, true, 1}, {1, true, 1}};
    struct br_dag *dag[] = {play_chain(1, (uint32_t[]){2}, (int64_t[]){3}),
                            play_chain(1, (uint32_t[]){1}, (int64_t[]){5})};
    struct br_cluster *cluster = play_cluster(1);
    struct br_policy_setup setup = {
        .cluster = cluster, .number = 0, .enforcer = br_runtime_options_default()};
    for (uint32_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const struct br_ended ended = {.lasted_ns = cases[k].seconds * SECOND,
                                       .failed = cases[k].failed};
        struct br_decision decision[4];
        int64_t wake_ns = BR_NEVER, now_ns = cases[k].seconds * SECOND;
        void *policy;
        assert_int_equal(br_joint_create(&setup, &policy, NULL), BR_OK);
        arrive(policy, 0, dag[0], 0);
        assert_int_equal(br_joint_decide(policy, 0, decision, 4, &wake_ns), 1);
        assert_int_equal(br_joint_end(policy, &ended, now_ns, NULL), BR_OK);
        arrive(policy, 1, dag[1], now_ns);
        assert_int_equal(br_joint_decide(policy, now_ns, decision, 4, &wake_ns), 1);
        assert_int_equal(decision[0].job, cases[k].first);
        br_joint_destroy(policy);
    }
    br_cluster_destroy(cluster);
    br_dag_destroy(dag[0]);
    br_dag_destroy(dag[1]);
}

/* ---- On random workloads ---- */

/* Stands before the policy and asks it, after every decision, when each job would end. */
struct seer {
    struct br_policy_row row;
    void *inner;
    int64_t foreseen_ns[64];
    bool there[64];
    uint64_t kept, asked;
    bool stale; /* a job has come since it was asked */
};
static struct seer seer;

static const struct br_policy_row *joint_row(void)
{
    const struct br_policy_row *row;
    double number;
    assert_int_equal(br_policies_find("joint", &row, &number, NULL), BR_OK);
    return row;
}

static enum br_status seer_create(const struct br_policy_row *row,
                                  const struct br_policy_setup *setup, void **policy,
                                  struct br_diag *diag)
{
    (void)row;
    *policy = &seer;
    return br_joint_create(setup, &seer.inner, diag);
}

static void seer_destroy(void *policy)
{
    (void)policy;
    br_joint_destroy(seer.inner);
}

static enum br_status seer_arrive(void *policy, const struct br_arrival *arrival, int64_t now_ns,
                                  struct br_diag *diag)
{
    (void)policy;
    assert_true(arrival->job < 64);
    seer.there[arrival->job] = seer.stale = true;
    return br_joint_arrive(seer.inner, arrival, now_ns, diag);
}

static int64_t seer_now_ns;

static enum br_status seer_end(void *policy, const struct br_ended *ended, int64_t now_ns,
                               struct br_diag *diag)
{
    (void)policy;
    seer_now_ns = now_ns;
    return br_joint_end(seer.inner, ended, now_ns, diag);
}

/* The order was kept until now, so the first job to end does so when it was foreseen to. */
static enum br_status seer_retire(void *policy, uint32_t job, struct br_diag *diag)
{
    (void)policy;
    seer.there[job] = false;
    if (!seer.stale) {
        assert_int_equal(seer_now_ns, seer.foreseen_ns[job]);
        seer.kept++;
    }
    return br_joint_retire(seer.inner, job, diag);
}

static enum br_status seer_machine(void *policy, uint32_t machine, bool there, struct br_diag *diag)
{
    (void)policy;
    return br_joint_machine(seer.inner, machine, there, diag);
}

static uint32_t seer_decide(void *policy, int64_t now_ns, struct br_decision *decisions,
                            uint32_t room, int64_t *wake_ns)
{
    uint32_t made = br_joint_decide(seer.inner, now_ns, decisions, room, wake_ns);
    (void)policy;
    for (uint32_t j = 0; j < 64 && made < room; j++)
        if (seer.there[j]) {
            seer.foreseen_ns[j] = br_joint_foresee(seer.inner, j, now_ns);
            assert_true(seer.foreseen_ns[j] >= now_ns);
            seer.asked++;
        }
    if (made < room)
        seer.stale = false;
    return made;
}

/* The engine's own run ends jobs when they were foreseen to end, whatever was running when the
 * order was found. */
static void test_foreseen(void **state)
{
    uint64_t kept = 0, asked = 0, games = random_jobs(300);
    for (uint64_t seed = 1; seed <= games; seed++) {
        struct random_workload random;
        struct br_outcome outcome;
        struct br_diag diag = {0};
        assert_true(random_workload_make(seed, 8, 30, &random));
        seer = (struct seer){.row = *joint_row()};
        seer.row.create = seer_create;
        seer.row.destroy = seer_destroy;
        seer.row.arrive = seer_arrive;
        seer.row.end = seer_end;
        seer.row.retire = seer_retire;
        seer.row.machine = seer_machine;
        seer.row.decide = seer_decide;
        struct br_simulate_options options = {
            .row = &seer.row,
            .world = br_world_default(),
            .setup = {.enforcer = br_runtime_options_default(), .number = seed % 2 ? 0 : 2000}};
        for (uint32_t j = 0; j < random.workload->jobs; j++)
            random.workload->job[j].true_ns = NULL; /* as declared */
        if (br_simulate_workload(random.workload, random.cluster, &options, &outcome, &diag))
            fail_msg("seed %u: %s", (unsigned)seed, diag.what);
        kept += seer.kept;
        asked += seer.asked;
        br_outcome_finish(&outcome);
        random_workload_finish(&random);
    }
    assert_true(3 * kept > 2 * games && asked > 10 * kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_policy_reorders), cmocka_unit_test(test_nobody_waits),
        cmocka_unit_test(test_jobs_to_come),    cmocka_unit_test(test_pace),
        cmocka_unit_test(test_alone),           cmocka_unit_test(test_paces_ahead),
        cmocka_unit_test(test_policy_learns),   cmocka_unit_test(test_foreseen)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
