/* The joint policy: what it foresees is what happens, by hand and on random workloads; looking
 * ahead at less cost; and the search, held against trying every order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/engine.h"
#include "simulate/joint/joint.h"
#include "simulate/joint/search.h"
#include "simulate/policies/policies.h"
#include "tests/support/random_job.h"
#include "tests/support/random_workload.h"

#define SECOND INT64_C(1000000000)

enum { MOST_JOBS = 4, MOST_RUNNING = 64 };

/* ---- By hand ---- */

/* One resource, `machines` machines of one core. */
static struct br_cluster *make_cluster(uint32_t machines)
{
    struct br_cluster *cluster = br_cluster_create("c");
    uint32_t class;
    assert_int_equal(br_cluster_add_class(cluster, "m", machines, &class, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, class, "cpu", "1", NULL), BR_OK);
    return cluster;
}

/* Stages of tasks[s] tasks of one core that last seconds[s] each, in a chain of barriers. */
static struct br_dag *make_chain(uint32_t stages, const uint32_t *tasks, const int64_t *seconds)
{
    struct br_dag *dag = br_dag_create("j");
    assert_int_equal(br_dag_add_resource(dag, "cpu", NULL, NULL), BR_OK);
    for (uint32_t s = 0; s < stages; s++) {
        const char name[] = {(char)('a' + s), 0};
        uint32_t number;
        assert_int_equal(br_dag_add_stage(dag, name, tasks[s], seconds[s] * SECOND, &number, NULL),
                         BR_OK);
        assert_int_equal(br_dag_add_demand(dag, s, "cpu", "1", NULL), BR_OK);
        if (s)
            assert_int_equal(br_dag_add_edge(dag, s - 1, s, BR_BARRIER, NULL), BR_OK);
    }
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    return dag;
}

static struct br_dag *make_task(const char *cores)
{
    struct br_dag *dag = br_dag_create("j");
    uint32_t number;
    assert_int_equal(br_dag_add_stage(dag, "a", 1, 4 * SECOND, &number, NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(dag, number, "cpu", cores, NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    return dag;
}

/* A look ahead over a cluster of its own: jobs arrive at once, and start as the order says. */
struct stage_of_play {
    struct br_arena arena;
    struct br_cluster *cluster;
    struct br_capacities capacities;
    struct br_scene scene;
    struct br_forward forward;
    struct br_joint_job *job[MOST_JOBS];
    uint32_t jobs, place[MOST_JOBS];
    uint8_t within[MOST_JOBS];
    uint32_t behind[MOST_JOBS];
    double eta;
    struct br_forward_task running[MOST_RUNNING];
    uint32_t runs;
    int64_t now_ns;
};

static void play_begin(struct stage_of_play *play, struct br_cluster *cluster)
{
    *play = (struct stage_of_play){.cluster = cluster};
    memset(play->behind, 0xff, sizeof play->behind);
    assert_int_equal(br_capacities_make(&play->arena, cluster, &play->capacities, NULL), BR_OK);
    assert_true(br_scene_init(&play->scene, cluster, &play->capacities));
    assert_true(br_forward_init(&play->forward, cluster, &play->capacities));
}

static void play_job(struct stage_of_play *play, const struct br_dag *dag, uint32_t place)
{
    uint32_t slot, k = play->jobs++;
    assert_int_equal(br_joint_job_make(dag, &play->capacities, k, 1, &play->job[k], NULL), BR_OK);
    assert_true(br_scene_arrive(&play->scene, play->job[k], &slot));
    assert_int_equal(slot, k);
    play->place[k] = place;
}

static void play_start(void *context, uint32_t slot, uint32_t task, uint32_t machine)
{
    struct stage_of_play *play = context;
    assert_true(play->runs < MOST_RUNNING);
    play->running[play->runs++] = (struct br_forward_task){play->now_ns, slot, task, machine};
}

static void play_dispatch(struct stage_of_play *play)
{
    br_scene_dispatch(&play->scene,
                      &(struct br_joint_order){play->place, play->within, play->eta, play->behind},
                      play_start, play);
}

static double play_on(struct stage_of_play *play, uint32_t step, uint64_t most)
{
    assert_true(br_forward_reserve(&play->forward, &play->scene));
    br_forward_begin(&play->forward, &play->scene, play->running, play->runs, play->now_ns, step);
    return br_forward_run(
        &play->forward,
        &(struct br_joint_order){play->place, play->within, play->eta, play->behind}, most,
        INT64_MAX);
}

static void play_finish(struct stage_of_play *play)
{
    for (uint32_t k = 0; k < play->jobs; k++)
        br_joint_job_destroy(play->job[k]);
    br_scene_finish(&play->scene);
    br_forward_finish(&play->forward);
    br_cluster_destroy(play->cluster);
    br_arena_finish(&play->arena);
}

/* Four machines. Job 0: 8 tasks of 1 s, then 4 of 2 s: two waves and one, ends at 4 s. Job 1: 4
 * tasks of 3 s, which follow at once: ends at 7 s. The other way round 3 s and 7 s. Every second
 * task on every second machine takes as long, and so does what is left once the first wave runs. */
static void test_hand_made(void **state)
{
    struct br_dag *dag[] = {make_chain(2, (uint32_t[]){8, 4}, (int64_t[]){1, 2}),
                            make_chain(1, (uint32_t[]){4}, (int64_t[]){3})};
    for (uint32_t first = 0; first < 2; first++)
        for (uint32_t step = 1; step <= 2; step++) {
            struct stage_of_play play;
            play_begin(&play, make_cluster(4));
            play_job(&play, dag[0], first != 0);
            play_job(&play, dag[1], first != 1);
            for (int running = 0; running < 2; running++) {
                double sum = play_on(&play, step, UINT64_MAX);
                assert_true(fabs(sum - (first ? 10 : 11)) < 1e-9);
                assert_int_equal(play.forward.end_ns[0], (first ? 7 : 4) * SECOND);
                assert_int_equal(play.forward.end_ns[1], (first ? 3 : 7) * SECOND);
                assert_int_equal(play.forward.starts, (running ? 12 : 16) / step);
                assert_false(play.forward.cut);
                play_dispatch(&play);
                assert_int_equal(play.runs, 4);
            }
            play_finish(&play);
        }
    br_dag_destroy(dag[0]);
    br_dag_destroy(dag[1]);
}

/* As above, job 0 first and its first wave running. Cut at 0 s, job 0 has 1 + 2 s of work that has
 * not started and as long a path, job 1 another 3 s of work. Cut at 1 s, job 0 has 2 s of work, but
 * its path from what runs is 3 s; job 1 follows after the work. */
static void test_cut(void **state)
{
    struct br_dag *dag[] = {make_chain(2, (uint32_t[]){8, 4}, (int64_t[]){1, 2}),
                            make_chain(1, (uint32_t[]){4}, (int64_t[]){3})};
    struct stage_of_play play;
    play_begin(&play, make_cluster(4));
    play_job(&play, dag[0], 0);
    play_job(&play, dag[1], 1);
    play_dispatch(&play);
    double sum = play_on(&play, 1, 0);
    assert_true(play.forward.cut);
    assert_int_equal(play.forward.starts, 0);
    assert_true(fabs(sum - (3 + 6)) < 1e-9);
    sum = play_on(&play, 1, 1);
    assert_true(play.forward.cut);
    assert_int_equal(play.forward.now_ns, 1 * SECOND);
    assert_true(fabs(sum - ((1 + 3) + (1 + 2 + 3))) < 1e-9);
    play_finish(&play);
    br_dag_destroy(dag[0]);
    br_dag_destroy(dag[1]);
}

/* A task that was to end at 1 s still runs at 4 s: it is believed to run for 2 s more. */
static void test_overdue(void **state)
{
    struct br_dag *dag = make_chain(2, (uint32_t[]){1, 1}, (int64_t[]){1, 5});
    struct stage_of_play play;
    play_begin(&play, make_cluster(1));
    play_job(&play, dag, 0);
    play_dispatch(&play);
    play.now_ns = 4 * SECOND;
    play_on(&play, 1, UINT64_MAX);
    assert_int_equal(play.forward.end_ns[0], 11 * SECOND + 1);
    play_finish(&play);
    br_dag_destroy(dag);
}

/* Two machines; a stage of 1 s and 5 s, the longer on machine 0, then one of twice 1 s. At 1 s, of
 * every second task and machine, none of the first stage is left, so the second may go on; but the
 * task that nobody counts holds machine 0 until 5 s. */
static void test_step_while_running(void **state)
{
    struct br_dag *dag = br_dag_create("j");
    struct stage_of_play play;
    for (uint32_t s = 0; s < 2; s++) {
        assert_int_equal(br_dag_add_stage(dag, s ? "b" : "a", 2, SECOND, NULL, NULL), BR_OK);
        assert_int_equal(br_dag_add_demand(dag, s, "cpu", "1", NULL), BR_OK);
    }
    assert_int_equal(br_dag_set_duration(dag, 0, 1, 5 * SECOND, NULL), BR_OK);
    assert_int_equal(br_dag_add_edge(dag, 0, 1, BR_BARRIER, NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    play_begin(&play, make_cluster(2));
    play_job(&play, dag, 0);
    play_dispatch(&play);
    assert_int_equal(play.running[0].task, 1);
    assert_int_equal(play.running[0].machine, 0);
    br_scene_end(&play.scene, 0, 0, 1, false);
    play.runs = 1;
    play.now_ns = SECOND;
    for (uint32_t step = 1; step <= 2; step++) {
        play_on(&play, step, UINT64_MAX);
        assert_false(play.forward.cut);
        assert_int_equal(play.forward.end_ns[0], 6 * SECOND);
    }
    play_finish(&play);
    br_dag_destroy(dag);
}

/* Two machines. Job 0: a task of 1 s, then two of 5 s. Job 1: one of 10 s. It starts beside the
 * first, and one of the two waits for the other: they end at 11 s and 10 s. Held behind job 0, it
 * leaves a machine empty until the two have started, and follows at 6 s; behind a job that goes
 * after it, it is not held. */
static void test_held(void **state)
{
    struct br_dag *dag[] = {make_chain(2, (uint32_t[]){1, 2}, (int64_t[]){1, 5}),
                            make_chain(1, (uint32_t[]){1}, (int64_t[]){10})};
    static const int64_t ends[][2] = {{11, 10}, {6, 16}, {11, 10}};
    for (uint32_t k = 0; k < 3; k++) {
        struct stage_of_play play;
        play_begin(&play, make_cluster(2));
        play_job(&play, dag[0], k == 2);
        play_job(&play, dag[1], k != 2);
        if (k)
            play.behind[1] = 0;
        for (int running = 0; running < 2; running++) {
            play_on(&play, 1, UINT64_MAX);
            assert_int_equal(play.forward.end_ns[0], ends[k][0] * SECOND);
            assert_int_equal(play.forward.end_ns[1], ends[k][1] * SECOND);
            play_dispatch(&play);
            assert_int_equal(play.runs, k == 1 ? 1 : 2);
        }
        play.eta = 1; /* holds nothing, so job 1 finds the machine that was kept from it */
        play_dispatch(&play);
        assert_int_equal(play.runs, 2);
        play_finish(&play);
    }
    br_dag_destroy(dag[0]);
    br_dag_destroy(dag[1]);
}

/* ---- Groups ---- */

/* Ends `count` of the tasks that run, from `first` on. */
static void play_end(struct stage_of_play *play, uint32_t first, uint32_t count)
{
    struct br_forward_task *task = play->running + first;
    for (uint32_t k = 0; k < count; k++)
        br_scene_end(&play->scene, task[k].slot, task[k].task, task[k].machine, false);
    play->runs -= count;
    memmove(task, task + count, (play->runs - first) * sizeof *task);
}

static uint32_t play_running(const struct stage_of_play *play, uint32_t slot)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < play->runs; k++)
        count += play->running[k].slot == slot;
    return count;
}

/* Eight slots, groups of weights 3 and 1, a job of equal tasks in each, that of the first ahead. A
 * task of the first is an eighth, of which the second is owed a quarter: after eight 0.25, which is
 * kappa. From then on one of its own (3/32 less) takes turns with three of the first. */
static void test_shared(void **state)
{
    const struct br_workload_group group[] = {{"a", 3}, {"b", 1}};
    const struct br_scene_sharing sharing = {2, group, 0.25, 8, BR_FAIR_SLOTS};
    struct br_dag *dag = make_chain(1, (uint32_t[]){40}, (int64_t[]){1});
    for (int packs = 0; packs < 2; packs++) {
        struct stage_of_play play;
        play_begin(&play, make_cluster(8));
        assert_true(br_scene_share(&play.scene, &sharing));
        play_job(&play, dag, 0);
        play_job(&play, dag, 1);
        play.job[1]->group = 1;
        play.eta = packs;
        for (uint32_t round = 0; round < 5; round++) {
            play_dispatch(&play);
            assert_int_equal(play_running(&play, 0), round ? 6 : 8);
            assert_int_equal(play_running(&play, 1), round ? 2 : 0);
            assert_true(play.scene.owed[1] == 0.25 && play.scene.owed[0] == -0.25);
            play_end(&play, 0, play.runs);
            if (round == 0) {
                play_on(&play, 1, UINT64_MAX); /* 32 tasks, six a second: what is owed is known */
                assert_int_equal(play.forward.end_ns[0], 6 * SECOND);
                assert_int_equal(play.forward.end_ns[1], 9 * SECOND);
            }
        }
        play_finish(&play);
    }
    br_dag_destroy(dag);
}

/* Two machines of two cores. Tasks of one core of the first group follow one another, so a task of
 * two cores of the second, which comes when they run, never fits. It is owed an eighth for each
 * that starts: after ten, 1 beyond kappa, and the machines are kept free, one core of machine 1,
 * then both of machine 0. With that task gone to machine 0, the first group goes on where it was
 * kept from. */
static void test_kept(void **state)
{
    const struct br_workload_group group[] = {{"a", 1}, {"b", 1}};
    const struct br_scene_sharing sharing = {2, group, 0.25, 4, BR_FAIR_SLOTS};
    struct br_dag *dag[] = {make_chain(1, (uint32_t[]){20}, (int64_t[]){1}), make_task("2")};
    struct br_cluster *cluster = br_cluster_create("c");
    struct stage_of_play play;
    uint32_t class;
    assert_int_equal(br_cluster_add_class(cluster, "m", 2, &class, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, class, "cpu", "2", NULL), BR_OK);
    play_begin(&play, cluster);
    assert_true(br_scene_share(&play.scene, &sharing));
    play_job(&play, dag[0], 0);
    play_dispatch(&play);
    play_job(&play, dag[1], 1);
    play.job[1]->group = 1;
    for (uint32_t started = 1; started <= 10; started++) {
        play_end(&play, 0, 1);
        play_dispatch(&play);
        assert_int_equal(play_running(&play, 0), 4);
        assert_true(play.scene.owed[1] == 0.125 * started);
    }
    play_end(&play, 0, 1);
    play_dispatch(&play);
    assert_int_equal(play.runs, 3);
    assert_int_equal(play.running[0].machine, 1);
    play_end(&play, 1, 2);
    play_dispatch(&play);
    assert_int_equal(play_running(&play, 1), 1);
    assert_int_equal(play_running(&play, 0), 2);
    assert_int_equal(play.running[2].machine, 1);
    play_end(&play, 1, 1);
    play_dispatch(&play);
    assert_int_equal(play_running(&play, 0), 4);
    assert_true(play.scene.owed[1] == 0); /* it has no jobs */
    play_finish(&play);
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

/* ---- Packing ---- */

/* A machine of two cores; job 0 needs both for 4 s and packs 1, job 1 one and packs 0.5. They have
 * 4 and 2 s of work, 3 s on average, and tasks pack 0.75 on average. Where work weighs its factor x
 * 0.75 / 3 a second, 1 - 4 x is more than 0.5 - 2 x below the factor 1. Two equal jobs start in
 * the order. */
static void test_packing(void **state)
{
    static const double eta[] = {0.5, 2, 0.5};
    for (uint32_t k = 0; k < 3; k++) {
        struct br_dag *dag[] = {make_task("2"), make_task(k < 2 ? "1" : "2")};
        struct br_cluster *cluster = br_cluster_create("c");
        struct stage_of_play play;
        uint32_t class, last = k == 0;
        assert_int_equal(br_cluster_add_class(cluster, "m", 1, &class, NULL), BR_OK);
        assert_int_equal(br_cluster_add_capacity(cluster, class, "cpu", "2", NULL), BR_OK);
        play_begin(&play, cluster);
        play_job(&play, dag[0], 1);
        play_job(&play, dag[1], 0);
        play.eta = eta[k];
        play_on(&play, 1, UINT64_MAX);
        assert_int_equal(play.forward.end_ns[last], 8 * SECOND);
        assert_int_equal(play.forward.end_ns[!last], 4 * SECOND);
        play_finish(&play);
        br_dag_destroy(dag[0]);
        br_dag_destroy(dag[1]);
    }
}

/* ---- The search ---- */

/* Every order of the three jobs, with every order within each. */
static double try_all(struct stage_of_play *play)
{
    static const uint32_t places[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                          {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    double least = INFINITY;
    for (uint32_t p = 0; p < 6; p++)
        for (uint32_t w = 0; w < BR_WITHIN_COUNT * BR_WITHIN_COUNT * BR_WITHIN_COUNT; w++) {
            for (uint32_t k = 0, rest = w; k < 3; k++, rest /= BR_WITHIN_COUNT) {
                play->place[k] = places[p][k];
                play->within[k] = (uint8_t)(rest % BR_WITHIN_COUNT);
            }
            double value = play_on(play, 1, UINT64_MAX);
            least = value < least ? value : least;
        }
    return least;
}

/* From a running state: never worse than the order given, never better than the best of all but by
 * packing or by holding a job, and that mostly; holding is sometimes better than any order. */
static void test_search(void **state)
{
    uint32_t best = 0, better = 0, held = 0, count = random_jobs(300);
    for (uint64_t seed = 1; seed <= count; seed++) {
        struct br_dag *dag[3];
        struct br_cluster *cluster;
        struct stage_of_play play;
        struct br_joint_search search;
        struct br_rng rng = br_rng_seed(seed);
        assert_true(random_jobs_make(seed, 20, 3, dag, &cluster));
        play_begin(&play, cluster);
        for (uint32_t k = 0; k < 3; k++)
            play_job(&play, dag[k], (k + (uint32_t)seed) % 3);
        for (uint32_t k = 0; k < 3; k++)
            play.within[k] = (uint8_t)br_rng_below(&rng, BR_WITHIN_COUNT);
        play_dispatch(&play);
        uint32_t place[3], behind[3];
        uint8_t within[3];
        memcpy(behind, play.behind, sizeof behind);
        memcpy(place, play.place, sizeof place);
        memcpy(within, play.within, sizeof within);
        double given = play_on(&play, 1, UINT64_MAX);
        assert_true(br_joint_search_init(&search, cluster, &play.capacities, 1000000, seed));
        struct br_joint_order order = {place, within, 0, behind};
        assert_true(br_joint_search_reserve(&search, &play.scene));
        br_joint_search_run(&search, &play.scene, play.running, play.runs, 0, &order);
        memcpy(play.place, place, sizeof place);
        memcpy(play.within, within, sizeof within);
        memcpy(play.behind, behind, sizeof behind);
        play.eta = order.eta;
        double found = play_on(&play, 1, UINT64_MAX);
        assert_true(found == search.value && found <= search.first && found <= given);
        bool holds = false;
        for (uint32_t k = 0; k < 3; k++)
            holds |= behind[k] != BR_SCENE_FREE && place[behind[k]] < place[k];
        play.eta = 0;
        memset(play.behind, 0xff, sizeof play.behind);
        double least = try_all(&play);
        /* Neither packing nor holding is one of these orders. */
        assert_true(found >= least || order.eta > 0 || holds);
        held += found < least && holds;
        best += found <= least * (1 + 1e-12);
        better += found < given;
        br_joint_search_finish(&search);
        play_finish(&play);
        for (uint32_t k = 0; k < 3; k++)
            br_dag_destroy(dag[k]);
    }
    assert_true(best * 100 >= count * 85);
    assert_true(better * 5 > count); /* else there was nothing to find */
    assert_true(held * 50 > count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_hand_made),
                                       cmocka_unit_test(test_cut),
                                       cmocka_unit_test(test_overdue),
                                       cmocka_unit_test(test_held),
                                       cmocka_unit_test(test_step_while_running),
                                       cmocka_unit_test(test_shared),
                                       cmocka_unit_test(test_kept),
                                       cmocka_unit_test(test_foreseen),
                                       cmocka_unit_test(test_packing),
                                       cmocka_unit_test(test_search)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
