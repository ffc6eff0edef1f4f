/* Starts as early as they can be: no task of a plan could start earlier, on any machine, while all
 * others stay, judged by trying every end of another task. And moving to the left alone: nothing
 * starts later, what comes of it is feasible. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "generate/generate.h"
#include "planner/instance/plan.h"
#include "planner/schedule/justify.h"
#include "planner/schedule/keep.h"
#include "planner/space/space.h"
#include "tests/support/judge.h"
#include "tests/support/random_job.h"

enum { JOBS = 400, TASKS = 40 };

/* Is there room for the task on the machine at this instant, with all others where they are? */
static bool has_room(const struct br_instance *in, const int64_t *start, const uint32_t *machine,
                     uint32_t task, uint32_t on, int64_t now)
{
    uint32_t c = 0;
    while (in->class_first[c + 1] <= on)
        c++;
    for (uint32_t r = 0; r < in->resources; r++) {
        int64_t used = in->demand[(size_t)in->task_stage[task] * in->resources + r];
        for (uint32_t t = 0; t < in->tasks; t++)
            if (t != task && machine[t] == on && start[t] <= now &&
                now < start[t] + in->duration[t])
                used += in->demand[(size_t)in->task_stage[t] * in->resources + r];
        if (used > in->capacity[(size_t)c * in->resources + r])
            return false;
    }
    return true;
}

static bool fits(const struct br_instance *in, const int64_t *start, const uint32_t *machine,
                 uint32_t task, uint32_t on, int64_t from)
{
    if (!has_room(in, start, machine, task, on, from))
        return false;
    for (uint32_t t = 0; t < in->tasks; t++)
        if (t != task && start[t] > from && start[t] < from + in->duration[task] &&
            !has_room(in, start, machine, task, on, start[t]))
            return false;
    return true;
}

static int64_t end_of_parents(const struct br_instance *in, const int64_t *start, uint32_t task)
{
    const uint32_t s = in->task_stage[task];
    int64_t end = 0;
    for (uint32_t a = in->parent_first[s]; a < in->parent_first[s + 1]; a++) {
        const uint32_t p = in->parent[a].stage;
        for (uint32_t t = in->stage_first[p]; t < in->stage_first[p + 1]; t++)
            if (!in->parent[a].one_to_one || t - in->stage_first[p] == task - in->stage_first[s])
                end = start[t] + in->duration[t] > end ? start[t] + in->duration[t] : end;
    }
    return end;
}

/* Could the task start earlier on one of the machines first to last? */
static bool could_be_earlier(const struct br_instance *in, const int64_t *start,
                             const uint32_t *machine, uint32_t task, uint32_t first, uint32_t last)
{
    const int64_t least = end_of_parents(in, start, task);
    if (least >= start[task])
        return false;
    if (in->duration[task] == 0)
        return true;
    for (uint32_t m = first; m <= last; m++) {
        if (fits(in, start, machine, task, m, least))
            return true;
        for (uint32_t t = 0; t < in->tasks; t++) {
            const int64_t end = start[t] + in->duration[t];
            if (machine[t] == m && end > least && end < start[task] &&
                fits(in, start, machine, task, m, end))
                return true;
        }
    }
    return false;
}

static void assert_early(const struct br_instance *in, const int64_t *start,
                         const uint32_t *machine)
{
    for (uint32_t t = 0; t < in->tasks; t++)
        assert_false(could_be_earlier(in, start, machine, t, 0, in->machines - 1));
}

/* Whatever made the best schedule. */
static void plans_start_early(void **state)
{
    unsigned moved = 0, made = 0;
    for (uint64_t seed = 0; seed < random_jobs(JOBS); seed++) {
        struct random_job job;
        struct br_plan_options options = br_plan_options_default();
        struct br_instance *in;
        assert_true(random_job_make(seed + 7000, TASKS, 0, &job));
        assert_int_equal(br_instance_create(job.dag, job.cluster, &in, NULL), BR_OK);
        options.threads = 1;
        options.threshold_limit = 4;
        options.placements = seed % 3 ? 0 : 20000;
        options.effort = seed % 3 ? BR_EFFORT_FAST : seed % 2 ? BR_EFFORT_MAX : BR_EFFORT_DEFAULT;
        struct br_plan *plan;
        int64_t start[RANDOM_JOB_TASKS];
        uint32_t machine[RANDOM_JOB_TASKS];
        assert_int_equal(br_plan_make(job.dag, job.cluster, &options, &plan, NULL), BR_OK);
        for (uint32_t t = 0; t < in->tasks; t++) {
            start[t] = plan->start_ns[in->task_origin[t]] / in->tick_ns;
            machine[t] = plan->machine[in->task_origin[t]];
        }
        assert_early(in, start, machine);
        moved += plan->counters.shift_moved > 0;
        made++;
        br_plan_destroy(plan);
        br_instance_destroy(in);
        random_job_finish(&job);
    }
    print_message("%u plans, %u of them moved to the left\n", made, moved);
    assert_true(moved > made / 50 && moved > 0);
}

/* If it shall be quick, a copy of the schedule gets no later and stays a schedule, though some task
 * may still have room before its start. */
static void assert_moved_quickly(const struct random_job *job, const struct br_instance *in,
                                 const struct br_schedule *schedule)
{
    struct br_schedule quick;
    uint64_t moved, counted = 0;
    assert_true(br_schedule_init(&quick, in));
    br_schedule_copy(&quick, schedule);
    assert_true(br_left_shift(&quick, in, true, NULL, &moved));
    judge_schedule(job, in, &quick);
    for (uint32_t t = 0; t < in->tasks; t++) {
        assert_true(quick.start[t] <= schedule->start[t]);
        counted += quick.start[t] < schedule->start[t];
    }
    assert_int_equal(counted, moved);
    br_schedule_finish(&quick);
}

/* The stop flag does not keep small schedules from being moved; nothing gets later. */
static void moving_left_keeps_what_is_good(void **state)
{
    unsigned moved_on = 0, changed = 0;
    for (uint64_t seed = 0; seed < random_jobs(JOBS); seed++) {
        struct random_job job;
        struct br_instance *in;
        struct br_reach reach;
        struct br_schedule schedule;
        struct br_stop stop = {0};
        int64_t key[RANDOM_JOB_TASKS], start[RANDOM_JOB_TASKS];
        uint32_t machine[RANDOM_JOB_TASKS];
        uint64_t moved, counted = 0;
        assert_true(random_job_make(seed + 9000, TASKS, 0, &job));
        assert_int_equal(br_instance_create(job.dag, job.cluster, &in, NULL), BR_OK);
        assert_true(br_reach_init(&reach, in) && br_schedule_init(&schedule, in));
        struct br_serial *serial = br_serial_create(in, &reach);
        for (uint32_t t = 0; t < in->tasks; t++)
            key[t] = (int64_t)((t * UINT64_C(0x9e3779b97f4a7c15) + seed) % 1000);
        assert_true(br_serial_pass(serial, BR_BACKWARD, key, INT64_MAX, &schedule, NULL));
        assert_moved_quickly(&job, in, &schedule);
        memcpy(start, schedule.start, in->tasks * sizeof *start);
        memcpy(machine, schedule.machine, in->tasks * sizeof *machine);
        const int64_t makespan = schedule.makespan;
        if (seed % 2)
            br_stop_raise(&stop);
        assert_true(br_left_shift(&schedule, in, false, &stop, &moved));
        judge_schedule(&job, in, &schedule);
        assert_true(schedule.makespan <= makespan);
        assert_early(in, schedule.start, schedule.machine);
        for (uint32_t t = 0; t < in->tasks; t++) {
            assert_true(schedule.start[t] <= start[t]);
            counted += schedule.start[t] < start[t];
            changed += schedule.machine[t] != machine[t] && schedule.start[t] < start[t];
        }
        assert_int_equal(counted, moved);
        moved_on += moved > 0;
        assert_true(br_left_shift(&schedule, in, false, NULL, &moved));
        assert_int_equal(moved, 0);
        br_serial_destroy(serial);
        br_schedule_finish(&schedule);
        br_reach_finish(&reach);
        br_instance_destroy(in);
        random_job_finish(&job);
    }
    print_message("%u schedules moved, %u tasks to other machines\n", moved_on, changed);
    assert_true(moved_on > 0 && changed > 0);
}

/* The earliest start of the task on any machine, with all others where they are. */
static int64_t earliest_beside(const struct br_instance *in, const struct br_schedule *schedule,
                               uint32_t task)
{
    struct br_space *space = br_space_create(in);
    for (uint32_t t = 0; t < in->tasks; t++)
        assert_true(t == task ||
                    br_space_place(space, in->task_stage[t], in->duration[t],
                                   (struct br_fit){schedule->start[t], schedule->machine[t]}, 1));
    const int64_t least = end_of_parents(in, schedule->start, task);
    struct br_fit fit = br_space_earliest(space, in->task_stage[task], in->duration[task], least);
    br_space_destroy(space);
    return fit.start;
}

/* Many tasks on many machines: every task has asked every machine. */
static void large_jobs_ask_every_machine(void **state)
{
    enum { MANY = 26000, MACHINES = 4000, SAMPLES = 60 };
    struct br_generate_options like = br_generate_options_default();
    struct random_job job = {NULL, br_cluster_create(NULL)};
    struct br_instance *in;
    struct br_reach reach;
    struct br_schedule schedule;
    uint64_t moved;
    like.kind = "layered";
    like.tasks = MANY;
    like.stages = 100;
    like.spread = 0.3;
    assert_int_equal(br_generate(&like, &job.dag, NULL), BR_OK);
    assert_int_equal(br_cluster_add_class(job.cluster, "m", MACHINES, NULL, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(job.cluster, 0, "cpu", "16", NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(job.cluster, 0, "mem", "64GiB", NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(job.cluster, 0, "net", "1000", NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(job.cluster, 0, "disk", "1000", NULL), BR_OK);
    assert_int_equal(br_instance_create(job.dag, job.cluster, &in, NULL), BR_OK);
    assert_true(br_reach_init(&reach, in) && br_schedule_init(&schedule, in));
    struct br_serial *serial = br_serial_create(in, &reach);
    int64_t *key = calloc(in->tasks, sizeof *key);
    for (uint32_t t = 0; t < in->tasks; t++)
        key[t] = (int64_t)((t * UINT64_C(0x9e3779b97f4a7c15)) % 1000);
    assert_true(br_serial_pass(serial, BR_BACKWARD, key, INT64_MAX, &schedule, NULL));
    for (uint32_t t = 0; t < in->tasks; t++)
        schedule.machine[t] %= 50; /* which crowds them, so the others are empty */
    struct br_order order;
    struct br_key *by_start = calloc(in->tasks, sizeof *by_start);
    for (uint32_t t = 0; t < in->tasks; t++)
        by_start[t].first = ~schedule.start[t];
    assert_true(br_order_init(&order, in, by_start));
    assert_int_equal(br_keep_machines(&schedule, in, &order, schedule.machine), BR_KEEP_MADE);
    assert_true(br_left_shift(&schedule, in, false, NULL, &moved));
    assert_true(moved > MANY / 2);
    for (uint32_t k = 0; k < SAMPLES; k++) {
        const uint32_t t = (uint32_t)((k * UINT64_C(0x9e3779b97f4a7c15)) % MANY);
        assert_int_equal(earliest_beside(in, &schedule, t), schedule.start[t]);
    }
    free(by_start);
    free(key);
    br_order_finish(&order);
    br_serial_destroy(serial);
    br_schedule_finish(&schedule);
    br_reach_finish(&reach);
    br_instance_destroy(in);
    random_job_finish(&job);
}

/* An order that has a child before its parent is refused. */
static void an_order_against_the_edges(void **state)
{
    struct random_job job = {br_dag_create("two"), br_cluster_create(NULL)};
    struct br_instance *in;
    struct br_schedule schedule;
    const struct br_key key[] = {{0, 0, 0}, {1, 0, 0}}; /* the second comes first */
    struct br_order order;
    const uint32_t machine[2] = {0, 0};
    for (uint32_t s = 0; s < 2; s++)
        assert_int_equal(br_dag_add_stage(job.dag, s ? "b" : "a", 1, 1, NULL, NULL), BR_OK);
    assert_int_equal(br_dag_add_edge(job.dag, 0, 1, BR_BARRIER, NULL), BR_OK);
    assert_int_equal(br_dag_finish(job.dag, NULL), BR_OK);
    assert_int_equal(br_cluster_add_class(job.cluster, "m", 1, NULL, NULL), BR_OK);
    assert_int_equal(br_instance_create(job.dag, job.cluster, &in, NULL), BR_OK);
    assert_true(br_schedule_init(&schedule, in) && br_order_init(&order, in, key));
    assert_int_equal(br_keep_machines(&schedule, in, &order, machine), BR_KEEP_NOT_IN_ORDER);
    br_order_finish(&order);
    br_schedule_finish(&schedule);
    br_instance_destroy(in);
    random_job_finish(&job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_start_early),
        cmocka_unit_test(moving_left_keeps_what_is_good),
        cmocka_unit_test(large_jobs_ask_every_machine),
        cmocka_unit_test(an_order_against_the_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
