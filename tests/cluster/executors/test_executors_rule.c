/* The planner's rule, number by number: what it does is held against the rule written down again,
 * for numbers that are drawn at random, and every number changes what is decided. What is left of a
 * job is found anew where it has changed, and only there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/numbers/rng.h"
#include "cluster/executors/bound.h"
#include "cluster/executors/left.h"
#include "cluster/executors/plan.h"

enum { JOBS = 8, KINDS = 4, EXECUTORS = 20, NUMBERS = BR_EXECUTORS_PLAN_NUMBERS };
#define S INT64_C(1000000000)

/* How long a task lasts on so many executors: measured on 5, 10 and 20, and between two of them
 * the farther one is drawn the more often. */
static double task_s(double s, uint32_t executors)
{
    double at[] = {s * 1.25, s * 1.5, s * 2};
    if (executors <= 5)
        return at[0];
    uint32_t high = executors <= 10 ? 1 : 2, left = high == 1 ? 5 : 10;
    double share = executors == 2 * left ? 1 : 1 - (double)(executors - left) / left;
    return at[high - 1] + (at[high] - at[high - 1]) * share;
}

/* A job's first task on an executor lasts so much longer than its others. */
enum { FRESH_MS = 700 };

static struct br_waves *waves_of(uint32_t stages, const uint32_t *tasks, uint32_t ms)
{
    struct br_waves *waves = br_waves_create(stages);
    assert_non_null(waves);
    for (uint32_t s = 0; s < stages; s++) {
        waves->stage[s].tasks = tasks[s];
        for (uint32_t executors = 5; executors <= 20; executors *= 2) {
            const uint32_t fresh = ms + ms * executors / 20 + FRESH_MS;
            const uint32_t first[] = {fresh - FRESH_MS, fresh};
            const struct br_wave_measured measured = {executors, {1, 2, 1}, {&fresh, first, first}};
            assert_int_equal(br_waves_add(waves, s, &measured, NULL), BR_OK);
        }
        if (s)
            assert_int_equal(br_waves_add_edge(waves, s - 1, s, NULL), BR_OK);
    }
    assert_int_equal(br_waves_finish(waves, NULL), BR_OK);
    return waves;
}

struct scene {
    struct br_waves *waves[KINDS];
    struct br_executors_arrival arrival[JOBS];
    struct br_executor_request request[JOBS][3];
    struct br_executors *sim;
    struct br_executors_plan *plan;
};

/* With executors of two sizes, and with deadlines, where these are asked for. */
static int open_scene(void **state, bool rich)
{
    static struct scene scenes[2];
    struct scene *scene = &scenes[rich];
    struct br_executors_options options = {.executors = EXECUTORS, .moving_ns = 2 * S};
    if (rich) {
        options.classes = 2;
        options.cls[0].executors = 12;
        options.cls[0].memory = 0.5;
        options.cls[1].executors = EXECUTORS - 12;
        options.cls[1].memory = 1;
    }
    *scene = (struct scene){0};
    scene->waves[0] = waves_of(1, (const uint32_t[]){40}, 1000);
    scene->waves[1] = waves_of(3, (const uint32_t[]){7, 30, 1}, 2000);
    scene->waves[2] = waves_of(2, (const uint32_t[]){100, 20}, 500);
    scene->waves[3] = waves_of(1, (const uint32_t[]){9}, 4000);
    for (uint32_t j = 0; j < JOBS; j++) {
        scene->arrival[j] = (struct br_executors_arrival){
            .waves = scene->waves[j % KINDS], .arrival_ns = j / 5 * 9 * S, .seed = j};
        if (!rich)
            continue;
        scene->arrival[j].deadline_ns = scene->arrival[j].arrival_ns + (5 + 9 * j) * S;
        for (uint32_t s = 0; s < 3; s++)
            scene->request[j][s] = (struct br_executor_request){0.5, (j + s) % 3 == 0};
        scene->arrival[j].request = scene->request[j];
    }
    scene->sim = br_executors_create(&options);
    scene->plan = br_executors_plan_create();
    assert_true(scene->sim && scene->plan);
    *state = scene;
    return 0;
}

static int open_plain(void **state)
{
    return open_scene(state, false);
}

static int open_rich(void **state)
{
    return open_scene(state, true);
}

static int close_scene(void **state)
{
    struct scene *scene = *state;
    br_executors_plan_destroy(scene->plan);
    br_executors_destroy(scene->sim);
    for (int k = 0; k < KINDS; k++)
        br_waves_destroy(scene->waves[k]);
    return 0;
}

static void begin(struct scene *scene, uint32_t jobs)
{
    assert_int_equal(br_executors_reset(scene->sim, scene->arrival, jobs, NULL, NULL), BR_OK);
    assert_int_equal(br_executors_plan_begin(scene->plan, scene->sim, NULL), BR_OK);
}

static void draw_steps(struct br_rng *rng, double *steps)
{
    for (int n = 0; n < NUMBERS; n++)
        steps[n] = 4 * br_rng_unit(rng) - 2;
}

/* ---- How many executors ---- */

/* Jobs of one stage that have just come and hold nothing: the work that a job pays for, and what
 * that costs, can be written down in a line. Of two sizes of executors, all jobs but the second ask
 * for large ones, and these are asked about. */
static void numbers_are_those_of_the_rule(void **state)
{
    struct scene *scene = *state;
    const uint32_t tasks[] = {40, 60, 9}, kinds[] = {0, 0, 3};
    const double second[] = {1, 1, 4};
    struct br_rng rng = br_rng_seed(5);
    const uint32_t sixty[] = {60};
    struct br_waves *more = waves_of(1, sixty, 1000);
    uint32_t differ = 0;
    bool sizes = scene->sim->options.classes;
    for (int k = 0; k < 200; k++) {
        double steps[NUMBERS], number[NUMBERS], work_s[3];
        draw_steps(&rng, steps);
        br_executors_plan_set(scene->plan, steps);
        for (int n = 0; n < NUMBERS; n++)
            number[n] = br_executors_plan_number(scene->plan, (enum br_plan_number)n);
        for (int j = 0; j < 3; j++) {
            scene->arrival[j].waves = scene->waves[kinds[j]];
            scene->arrival[j].deadline_ns = 0;
            scene->request[j][0].cls = j != 1;
        }
        scene->arrival[1].waves = more;
        begin(scene, 3);
        assert_true(br_executors_next(scene->sim));
        while (sizes && scene->sim->group.cls == 0) {
            br_executors_decide(scene->sim, BR_EXECUTORS_STAY, 0);
            assert_true(br_executors_next(scene->sim));
        }
        br_executors_plan_decide(scene->plan, scene->sim);
        for (int j = 0; j < 3; j++) {
            work_s[j] = (double)scene->sim->job[j].left_us * 1e-6;
            work_s[j] += number[BR_PLAN_ORDER_PATH] * work_s[j] / tasks[j]; /* a path of one task */
            work_s[j] = fmax(work_s[j], 1e-3);
        }
        for (int j = 0; j < 3; j++) {
            double behind = 0, least = INFINITY, large = sizes && j != 1 ? 8.0 / EXECUTORS : 1;
            uint32_t best = 0;
            for (int i = 0; i < 3; i++)
                if (i != j)
                    behind +=
                        (work_s[i] > work_s[j] ? 1
                                               : number[BR_PLAN_BEFORE] * work_s[i] / work_s[j]) *
                        (large < 1 && i == 1 ? pow(1e-3, number[BR_PLAN_RIVALS]) : 1);
            behind = behind > 0 ? pow(behind, 1 + number[BR_PLAN_CROWD]) : 0;
            double price = number[BR_PLAN_PRICE] * (behind + number[BR_PLAN_ALONE]) / EXECUTORS *
                           pow(large, -number[BR_PLAN_SCARCE]) *
                           exp(-number[BR_PLAN_FREE]); /* all are free */
            for (uint32_t e = 1; e <= EXECUTORS; e++) {
                double s = task_s(second[j], e), work = tasks[j] * s;
                double path = ((tasks[j] - 1) / e + 1) * s;
                double a = number[BR_PLAN_PATH] * path, b = work / e;
                double time = fmax(a, b) + number[BR_PLAN_BOTH] * fmin(a, b);
                double cost = work + number[BR_PLAN_HELD] * e * path + number[BR_PLAN_MOVE] * e +
                              number[BR_PLAN_FRESH] * e * FRESH_MS * 1e-3;
                if (time + price * cost < least - 1e-6) {
                    least = time + price * cost;
                    best = e;
                }
            }
            if (large < 1)
                best = (uint32_t)fmin(fmax(best * pow(large, number[BR_PLAN_PART]) + 0.5, 1),
                                      EXECUTORS);
            uint32_t got = br_executors_plan_of(scene->plan, (uint32_t)j).executors;
            differ += got != best;
            assert_uint_in_range(got, 1, EXECUTORS);
        }
    }
    br_waves_destroy(more);
    assert_true(differ <= 3); /* where two cost the same but for rounding */
}

/* With 15 of 20 executors free one costs as if they were not and the price were that much less. */
static uint32_t check_free(struct scene *scene)
{
    uint32_t changed = 0;
    for (int k = 0; k < 40; k++) {
        double steps[NUMBERS] = {[BR_PLAN_HELD] = 1};
        uint32_t got[3];
        for (int way = 0; way < 3; way++) {
            steps[BR_PLAN_PRICE] = (k + 1) * (way == 1 ? exp(-0.75) : 1) - 3;
            steps[BR_PLAN_FREE] = way == 0;
            br_executors_plan_set(scene->plan, steps);
            br_executors_plan_decide(scene->plan, scene->sim);
            got[way] = br_executors_plan_of(scene->plan, 1).executors;
        }
        assert_int_equal(got[0], got[1]);
        changed += got[0] != got[2];
    }
    return changed;
}

/* A job has 5 executors, which are on their way, and later, when it is asked about them, its own.
 */
static void free_executors_are_cheap(void **state)
{
    struct scene *scene = *state;
    struct br_executors *sim = scene->sim;
    begin(scene, 2);
    assert_true(br_executors_next(sim));
    br_executors_decide(sim, 0, 5);
    assert_true(br_executors_next(sim));
    assert_true(sim->group.job == BR_EXECUTORS_NONE && check_free(scene) > 2);
    while (sim->group.job != 0) {
        br_executors_decide(sim, BR_EXECUTORS_STAY, 0);
        assert_true(br_executors_next(sim));
    }
    assert_true(sim->job[0].executors == 5 && check_free(scene) > 2);
}

/* ---- Who goes next ---- */

struct seen {
    uint32_t job, stage, all, held, number;
    bool there, waits;
    double key;
};

/* Of executors of two sizes, those that are sure to be large enough: where the stage asks for
 * large ones, those of stages that do. */
static uint32_t sure_to_do(const struct br_executors *sim, uint32_t number, uint32_t cls)
{
    const struct br_executor_job *job = &sim->job[number];
    const struct br_executor_group *group = &sim->group;
    int32_t fit = 0, all = (int32_t)br_executors_held(sim, number);
    for (uint32_t s = 0; s < job->stages; s++) {
        const struct br_executor_stage *stage = &sim->stage[job->first_stage + s];
        bool large = cls == 0 || stage->request.cls == 1;
        fit += large ? (int32_t)(stage->running + stage->coming) : 0;
        if (large && job->first_stage + s == group->stage)
            fit -= (int32_t)group->count - (group->executor != BR_EXECUTORS_NONE);
    }
    fit -= (int32_t)job->leaving;
    return (uint32_t)(fit < 0 ? 0 : fit < all ? fit : all);
}

static struct seen see(const struct scene *scene, uint32_t job)
{
    const struct br_executors *sim = scene->sim;
    const struct br_executor_job *of = &sim->job[job];
    struct br_executors_plan_job known = br_executors_plan_of(scene->plan, job);
    double number[NUMBERS], running_s = 0, path_s = 0;
    for (int n = 0; n < NUMBERS; n++)
        number[n] = br_executors_plan_number(scene->plan, (enum br_plan_number)n);
    struct seen seen = {.job = job, .number = known.executors};
    seen.stage = of->ready ? br_executors_bound_stage(sim, job) : BR_EXECUTORS_NONE;
    seen.there = seen.stage != BR_EXECUTORS_NONE;
    seen.waits = seen.there && sim->stage[seen.stage].open > 0;
    seen.all = seen.held = br_executors_held(sim, job);
    if (seen.there && sim->options.classes)
        seen.held = sure_to_do(sim, job, sim->stage[seen.stage].request.cls);
    for (uint32_t s = of->first_stage; s < of->first_stage + of->stages; s++) {
        const struct br_executor_stage *stage = &sim->stage[s];
        running_s += 1e-6 * (double)stage->waves->mean_us * (stage->started - stage->ended);
        if (stage->started < stage->tasks)
            path_s = fmax(path_s, 1e-6 * (double)stage->waves->path_us);
    }
    double work = 1e-6 * (double)of->left_us + number[BR_PLAN_ORDER_RUN] * running_s +
                  number[BR_PLAN_ORDER_PATH] * path_s;
    double order = seen.waits ? number[BR_PLAN_OPEN_ORDER] : 0;
    if (of->deadline_ns) {
        double slack =
            1e-9 * (double)(of->deadline_ns - sim->now_ns) / fmax(known.left_ms * 1e-3, 1e-3);
        order += slack < 1 ? number[BR_PLAN_LOST] : 0;
        order += number[BR_PLAN_SLACK] * log(fmin(fmax(slack, 0.05), 20));
    }
    if (seen.there && sim->options.classes)
        order += number[BR_PLAN_OVERSIZE] * (sim->group.cls - sim->stage[seen.stage].request.cls) /
                 sim->options.classes;
    seen.key = fmax(work, 1e-3) * pow(seen.number, number[BR_PLAN_FEW]) * exp(order);
    return seen;
}

/* Is it for rounding to say which is the lesser? What is the same comes by the same way. */
static bool close_to(double a, double b)
{
    return a != b && fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b));
}

static bool before(const struct seen *a, const struct seen *b, double power)
{
    bool lacks = a->held < a->number, other = b->held < b->number;
    if (lacks != other)
        return lacks;
    return lacks ? a->key < b->key
                 : a->held * pow(a->key, power) / a->number <
                       b->held * pow(b->key, power) / b->number;
}

/* Up to so many that do, beside those that do not. */
static struct br_executors_choice limit_of(const struct seen *seen, uint32_t number)
{
    uint32_t more = number > seen->held ? number - seen->held : 1;
    return (struct br_executors_choice){seen->stage, seen->all + more};
}

/* A whole run; every decision is the rule's. Returns whether none was too close to call. */
static bool follow(struct scene *scene)
{
    struct br_executors *sim = scene->sim;
    const struct br_executors_plan *plan = scene->plan;
    double power = br_executors_plan_number(plan, BR_PLAN_FULL);
    double over = br_executors_plan_number(plan, BR_PLAN_OVER);
    bool sure = true;
    begin(scene, JOBS);
    while (br_executors_next(sim)) {
        struct br_executors_choice choice = br_executors_plan_decide(scene->plan, sim), want;
        struct seen own = {0}, next = {0};
        for (uint32_t k = 0; k < sim->live_jobs; k++) {
            struct seen seen = see(scene, sim->live[k]);
            if (seen.there && seen.job == sim->group.job)
                own = seen;
            else if (seen.there && next.there && close_to(seen.key, next.key))
                sure = false;
            if (seen.there && seen.job != sim->group.job &&
                (!next.there || before(&seen, &next, power)))
                next = seen;
        }
        bool lacks = next.there && next.held < next.number;
        double ahead = br_executors_plan_number(plan, own.waits ? BR_PLAN_STAY_OPEN : BR_PLAN_STAY);
        if (own.there && lacks && close_to(own.key * exp(-ahead), next.key))
            sure = false;
        if (own.there &&
            (!lacks || (own.key * exp(-ahead) < next.key && own.held < over * own.number))) {
            uint32_t limit = !lacks || over * own.number >= EXECUTORS
                                 ? EXECUTORS
                                 : (uint32_t)(over * own.number);
            want = limit_of(&own, limit);
        } else if (next.there &&
                   next.held * br_executors_plan_number(plan, BR_PLAN_SPARE) < next.number) {
            want = limit_of(&next, next.number);
        } else {
            want = (struct br_executors_choice){BR_EXECUTORS_STAY, 0};
        }
        if (sure) {
            assert_int_equal(choice.stage, want.stage);
            assert_int_equal(choice.limit, want.limit);
        }
        br_executors_decide(sim, choice.stage, choice.limit);
    }
    return sure;
}

static void decisions_are_those_of_the_rule(void **state)
{
    struct scene *scene = *state;
    struct br_rng rng = br_rng_seed(8);
    int sure = 0;
    for (int k = 0; k < 120; k++) {
        double steps[NUMBERS];
        draw_steps(&rng, steps);
        steps[BR_PLAN_HURRY] = 0; /* it changes what the slack is told by */
        if (k % 2)
            steps[BR_PLAN_SPARE] = 2; /* exactly a job's number */
        br_executors_plan_set(scene->plan, steps);
        sure += follow(scene);
    }
    assert_true(sure > 60);
}

/* ---- Every number ---- */

/* A sum of all decisions of a run. */
static uint64_t decisions(struct scene *scene, const double *steps)
{
    struct br_executors *sim = scene->sim;
    uint64_t sum = 0;
    br_executors_plan_set(scene->plan, steps);
    begin(scene, JOBS);
    while (br_executors_next(sim)) {
        struct br_executors_choice choice = br_executors_plan_decide(scene->plan, sim);
        sum = sum * 1000003 + choice.stage * 64 + choice.limit;
        br_executors_decide(sim, choice.stage, choice.limit);
    }
    return sum;
}

static void every_number_counts(void **state)
{
    struct scene *scene = *state;
    for (int n = 0; n < NUMBERS; n++) {
        struct br_rng rng = br_rng_seed(2);
        uint32_t others = 0;
        for (int k = 0; k < 40; k++) {
            double steps[NUMBERS];
            draw_steps(&rng, steps);
            uint64_t with = decisions(scene, steps);
            steps[n] += steps[n] > 0 ? -2 : 2;
            others += with != decisions(scene, steps);
        }
        if (others < 2)
            fail_msg("number %d changed %u of 40 runs", n, others);
    }
}

/* Without classes and deadlines their numbers change nothing. */
static void numbers_of_what_is_not_there_do_nothing(void **state)
{
    struct scene *scene = *state;
    struct br_rng rng = br_rng_seed(4);
    for (int k = 0; k < 20; k++) {
        double steps[NUMBERS];
        draw_steps(&rng, steps);
        uint64_t with = decisions(scene, steps);
        for (int n = 0; n < NUMBERS; n++)
            steps[n] += br_plan_kind_of((enum br_plan_number)n) % BR_PLAN_WITH_ARRIVALS ? 2 : 0;
        assert_true(with == decisions(scene, steps));
    }
}

/* ---- What is left ---- */

/* A job of 7 tasks, then 30, then 1, of 2 s and more, of which three tasks run. */
static void what_is_left_is_counted_by_stages(void **state)
{
    struct scene *scene = *state;
    struct br_left left = {.running = 0.5};
    struct br_executors *sim = scene->sim;
    scene->arrival[0].waves = scene->waves[1];
    assert_int_equal(br_executors_reset(sim, scene->arrival, 1, NULL, NULL), BR_OK);
    assert_true(br_left_begin(&left, sim));
    assert_true(br_executors_next(sim));
    const struct br_left_job *of = br_left_look(&left, sim, 0);
    for (uint32_t t = 0; t < left.tries; t++) {
        uint32_t e = left.try[t];
        double s = task_s(2, e) * 1e3;
        assert_int_equal(e, t + 1);
        assert_true(fabs(of->work_ms[t] - 38 * s) < 0.1);
        assert_true(fabs((double)of->fresh_ms[t] - FRESH_MS) < 0.1);
        assert_true(fabs(of->path_ms[t] - ((6 / e + 1) + (29 / e + 1) + 1) * s) < 0.1);
    }
    br_executors_decide(sim, 0, 3);
    while (br_executors_next(sim) && sim->stage[0].started < 3)
        br_executors_decide(sim, BR_EXECUTORS_STAY, 0);
    uint32_t to_start = 7 - sim->stage[0].started,
             runs = sim->stage[0].started - sim->stage[0].ended;
    of = br_left_look(&left, sim, 0);
    for (uint32_t t = 0; t < left.tries; t++) {
        uint32_t e = left.try[t];
        double s = task_s(2, e) * 1e3, first = to_start ? (to_start - 1) / e + 1 : runs ? 0.5 : 0;
        assert_true(fabs(of->work_ms[t] - (31 + to_start + 0.5 * runs) * s) < 0.1);
        assert_true(fabs(of->path_ms[t] - (first + (29 / e + 1) + 1) * s) < 0.1);
    }
    br_left_finish(&left);
}

/* What is kept is what would be found anew, at every decision of a run. */
static void what_is_kept_is_still_so(void **state)
{
    struct scene *scene = *state;
    struct br_left kept = {.running = 0.3}, anew = {.running = 0.3};
    struct br_executors *sim = scene->sim;
    const double none[NUMBERS] = {0};
    uint32_t same = 0;
    br_executors_plan_set(scene->plan, none);
    begin(scene, JOBS);
    assert_true(br_left_begin(&kept, sim) && br_left_begin(&anew, sim));
    while (br_executors_next(sim)) {
        br_left_renew(&anew);
        for (uint32_t k = 0; k < sim->live_jobs; k++) {
            uint32_t job = sim->live[k];
            same += kept.job[job].seen == sim->job[job].changed;
            const struct br_left_job *a = br_left_look(&kept, sim, job);
            const struct br_left_job *b = br_left_look(&anew, sim, job);
            assert_memory_equal(a->work_ms, b->work_ms, 2 * kept.tries * sizeof *a->work_ms);
        }
        struct br_executors_choice choice = br_executors_plan_decide(scene->plan, sim);
        br_executors_decide(sim, choice.stage, choice.limit);
    }
    assert_true(same > 20);
    br_left_finish(&kept);
    br_left_finish(&anew);
}

#define PLAIN(test) cmocka_unit_test_setup_teardown(test, open_plain, close_scene)
#define RICH(test) cmocka_unit_test_setup_teardown(test, open_rich, close_scene)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLAIN(numbers_are_those_of_the_rule),
        RICH(numbers_are_those_of_the_rule),
        PLAIN(free_executors_are_cheap),
        PLAIN(decisions_are_those_of_the_rule),
        RICH(decisions_are_those_of_the_rule),
        RICH(every_number_counts),
        PLAIN(numbers_of_what_is_not_there_do_nothing),
        PLAIN(what_is_left_is_counted_by_stages),
        RICH(what_is_kept_is_still_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
