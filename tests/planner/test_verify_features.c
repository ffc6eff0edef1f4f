/* The check of plans of jobs with storage, shared resources and times: for every rule a plan right
 * at the limit holds, and one a nanosecond or a unit beyond is refused in words that name it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "planner/instance/plan.h"

#define S INT64_C(1000000000)
#define GOOD(call) assert_int_equal(call, BR_OK)

enum { MACHINES = 2, MOST_TASKS = 8 };

/* A job, its cluster, and a plan of it. */
struct scene {
    struct br_dag *dag;
    struct br_cluster *cluster;
    struct br_plan *plan;
};

/* Two machines with 4 of cpu and 64 MiB of mem; 5 of licence and 10 of scratch for both. */
static void begin(struct scene *s)
{
    *s = (struct scene){br_dag_create("j"), br_cluster_create(NULL), NULL};
    GOOD(br_cluster_add_class(s->cluster, "m", MACHINES, NULL, NULL));
    GOOD(br_cluster_add_capacity(s->cluster, 0, "cpu", "4", NULL));
    GOOD(br_cluster_add_capacity(s->cluster, 0, "mem", "64MiB", NULL));
    GOOD(br_cluster_add_shared(s->cluster, "licence", "5", NULL));
    GOOD(br_cluster_add_shared(s->cluster, "scratch", "10", NULL));
}

static uint32_t add_stage(struct scene *s, const char *id, uint32_t tasks, int64_t duration_ns)
{
    uint32_t stage;
    GOOD(br_dag_add_stage(s->dag, id, tasks, duration_ns, &stage, NULL));
    return stage;
}

/* Finishes the job and plans its tasks at these times (in nanoseconds) on these machines. */
static void plan_at(struct scene *s, const int64_t *start_ns, const uint32_t *machine)
{
    if (!s->dag->finished)
        GOOD(br_dag_finish(s->dag, NULL));
    br_plan_destroy(s->plan);
    s->plan = br_plan_create(s->dag->tasks);
    memcpy(s->plan->start_ns, start_ns, s->dag->tasks * sizeof *start_ns);
    memcpy(s->plan->machine, machine, s->dag->tasks * sizeof *machine);
    GOOD(br_plan_rank(s->plan, s->dag, NULL));
}

struct heard {
    uint32_t count;
    char text[8][768];
};

static void hear(void *context, const char *text)
{
    struct heard *heard = context;
    assert_true(heard->count < 8);
    strcpy(heard->text[heard->count++], text);
}

/* The plan has exactly this fault; NULL: it holds. */
static void expect(const struct scene *s, const char *text)
{
    struct heard heard = {0};
    const enum br_status status =
        br_plan_verify(s->plan, s->dag, s->cluster, 8, hear, &heard, NULL);
    if (text && heard.count)
        assert_string_equal(heard.text[0], text);
    if (!text && heard.count)
        assert_string_equal(heard.text[0], "");
    assert_int_equal(heard.count, text != NULL);
    assert_int_equal(status, text ? BR_NO : BR_OK);
}

static void end(struct scene *s)
{
    br_plan_destroy(s->plan);
    br_dag_destroy(s->dag);
    br_cluster_destroy(s->cluster);
}

#define PLAN(s, starts, machines)                                                                  \
    plan_at(s, (const int64_t[MOST_TASKS]){BR_LIST starts},                                        \
            (const uint32_t[MOST_TASKS]){BR_LIST machines})
#define BR_LIST(...) __VA_ARGS__

/* build (1 s) makes a table that probe (2 s) reads, over the edge of that type; other (1 s) demands
 * memory of its own. */
static void begin_hash_join(struct scene *s, const char *table, uint32_t flags, const char *reads)
{
    begin(s);
    const uint32_t build = add_stage(s, "q1.build", 1, S),
                   probe = add_stage(s, "q1.probe", 1, 2 * S);
    const uint32_t other = add_stage(s, "other", 1, S);
    GOOD(br_dag_add_demand(s->dag, build, "mem", "10MiB", NULL));
    GOOD(br_dag_add_demand(s->dag, probe, "mem", "4MiB", NULL));
    GOOD(br_dag_add_demand(s->dag, other, "mem", "20MiB", NULL));
    GOOD(br_dag_add_output(s->dag, build, "table", "mem", table, flags, NULL));
    GOOD(br_dag_add_edge(s->dag, build, probe, BR_BARRIER, NULL));
    if (reads)
        GOOD(br_dag_set_edge_reads(s->dag, build, probe, reads, NULL));
}

static void outputs_are_held_until_their_reader_ends(void **state)
{
    struct scene s;
    begin_hash_join(&s, "40MiB", 0, NULL);
    PLAN(&s, (0, 1 * S, 1 * S), (0, 0, 0)); /* 10 + 40, then 40 + 4 + 20 = 64 of 64 */
    expect(&s, NULL);
    PLAN(&s, (0, 1 * S, 3 * S), (0, 1, 0)); /* held on its maker's machine, until 3 s */
    expect(&s, NULL);
    end(&s);

    begin_hash_join(&s, "41MiB", 0, NULL);
    PLAN(&s, (0, 1 * S, 1 * S), (0, 0, 0));
    expect(&s, "machine m[0] has 64 MiB of mem, but holds 65 MiB of it when task other starts "
               "at 1 s, with the output 'table' of q1.build");
    PLAN(&s, (0, 1 * S, 1 * S), (0, 1, 0));
    expect(&s, NULL);
    PLAN(&s, (0, 5 * S, 3 * S), (0, 1, 0)); /* nobody has read it yet */
    expect(&s, NULL);
    end(&s);

    begin_hash_join(&s, "45MiB", 0, NULL); /* 45 + 20 do not fit */
    PLAN(&s, (0, 1 * S, 3 * S), (0, 1, 0));
    expect(&s, NULL);
    PLAN(&s, (0, 1 * S, 3 * S - 1), (0, 1, 0));
    expect(&s, "machine m[0] has 64 MiB of mem, but holds 65 MiB of it when task other starts "
               "at 2.999999999 s, with the output 'table' of q1.build");
    PLAN(&s, (0, 1 * S, 3 * S - 1), (0, 1, 1));
    expect(&s, NULL);
    end(&s);
}

static void demand_and_output_add_up(void **state)
{
    struct scene s;
    begin_hash_join(&s, "54MiB", 0, NULL);
    PLAN(&s, (0, 1 * S, 3 * S), (0, 0, 0));
    expect(&s, NULL);
    end(&s);
    begin_hash_join(&s, "55MiB", 0, NULL);
    PLAN(&s, (0, 1 * S, 3 * S), (0, 0, 0));
    expect(&s, "machine m[0] has 64 MiB of mem, but holds 65 MiB of it when task q1.build "
               "starts at 0 s, with the output 'table' of q1.build");
    end(&s);
    begin_hash_join(&s, "55MiB", BR_OUTPUT_FROM_END, NULL); /* not while the maker runs */
    PLAN(&s, (0, 1 * S, 3 * S), (0, 0, 0));
    expect(&s, NULL);
    PLAN(&s, (0, 2 * S, S - 1), (0, 0, 0)); /* it begins while other runs */
    expect(&s, "machine m[0] has 64 MiB of mem, but holds 75 MiB of it when task q1.build "
               "ends at 1 s, with the output 'table' of q1.build");
    end(&s);
}

static void results_are_held_to_the_end(void **state)
{
    struct scene s;
    begin_hash_join(&s, "45MiB", 0, ""); /* nobody reads it */
    PLAN(&s, (0, 1 * S, 3 * S), (0, 1, 0));
    expect(&s, "machine m[0] has 64 MiB of mem, but holds 65 MiB of it when task other starts "
               "at 3 s, with the output 'table' of q1.build");
    PLAN(&s, (1 * S, 2 * S, 0), (0, 1, 0));
    expect(&s, NULL);
    end(&s);
    begin_hash_join(&s, "45MiB", BR_OUTPUT_UNKEPT, ""); /* it goes with its task */
    PLAN(&s, (0, 1 * S, 1 * S), (0, 1, 0));
    expect(&s, NULL);
    PLAN(&s, (0, 1 * S, S - 1), (0, 1, 0));
    expect(&s, "machine m[0] has 64 MiB of mem, but holds 75 MiB of it when task other starts "
               "at 0.999999999 s, with the output 'table' of q1.build");
    end(&s);
}

/* Over a barrier all tasks of the child, over a one-to-one edge the one with the index. */
static void readers_are_those_of_the_edge(void **state)
{
    static const char *const fault =
        "the cluster has 10 of scratch, but holds 11 of it when task late starts at 2 s, with the "
        "output 'file' of make[0] and 1 more";
    for (int type = 0; type < 2; type++) {
        struct scene s;
        begin(&s);
        const uint32_t make = add_stage(&s, "make", 2, S), read = add_stage(&s, "read", 2, S);
        const uint32_t late = add_stage(&s, "late", 1, S);
        GOOD(br_dag_add_output(s.dag, make, "file", "scratch", "5", 0, NULL));
        GOOD(br_dag_add_demand(s.dag, late, "scratch", type ? "5" : "1", NULL));
        GOOD(br_dag_add_edge(s.dag, make, read, type ? BR_ONE_TO_ONE : BR_BARRIER, NULL));
        /* read[0] ends at 2 s, read[1] at 3 s */
        PLAN(&s, (0, 0, 1 * S, 2 * S, 2 * S), (0, 1, 0, 1, 0));
        expect(&s, type ? NULL : fault);
        PLAN(&s, (0, 0, 1 * S, 2 * S, 3 * S), (0, 1, 0, 1, 0));
        expect(&s, NULL);
        end(&s);
    }
}

/* A task that takes no time holds no demand, but its output is there. */
static void tasks_without_duration_leave_outputs(void **state)
{
    struct scene s;
    begin(&s);
    const uint32_t make = add_stage(&s, "make", 1, 0), read = add_stage(&s, "read", 1, S);
    GOOD(br_dag_add_demand(s.dag, make, "licence", "9", NULL));
    GOOD(br_dag_add_output(s.dag, make, "file", "scratch", "11", 0, NULL));
    GOOD(br_dag_add_edge(s.dag, make, read, BR_BARRIER, NULL));
    PLAN(&s, (0, 0), (0, 1));
    expect(&s, "the cluster has 10 of scratch, but holds 11 of it when task make starts at 0 s, "
               "with the output 'file' of make");
    end(&s);
}

static void machines_share(void **state)
{
    struct scene s;
    begin(&s);
    const uint32_t a = add_stage(&s, "a", 2, 2 * S), b = add_stage(&s, "b", 1, S);
    GOOD(br_dag_add_demand(s.dag, a, "licence", "2", NULL));
    GOOD(br_dag_add_demand(s.dag, a, "cpu", "4", NULL));
    GOOD(br_dag_add_demand(s.dag, b, "licence", "1", NULL));
    PLAN(&s, (0, 0, 1 * S), (0, 1, 1));
    expect(&s, NULL);
    end(&s);
    begin(&s);
    GOOD(br_dag_add_demand(s.dag, add_stage(&s, "a", 2, 2 * S), "licence", "2", NULL));
    GOOD(br_dag_add_demand(s.dag, add_stage(&s, "b", 1, S), "licence", "1.5", NULL));
    PLAN(&s, (0, 0, 2 * S), (0, 1, 1));
    expect(&s, NULL);
    PLAN(&s, (0, 0, 1 * S), (0, 1, 1));
    expect(&s, "the cluster has 5 of licence, but holds 5.5 of it when task b starts at 1 s");
    end(&s);
}

static void releases_and_deadlines(void **state)
{
    struct scene s;
    begin(&s);
    const uint32_t a = add_stage(&s, "a", 2, S);
    GOOD(br_dag_set_release(s.dag, a, 1, 2 * S, NULL));
    GOOD(br_dag_set_deadline(s.dag, a, UINT32_MAX, 4 * S, NULL));
    PLAN(&s, (0, 2 * S), (0, 0));
    expect(&s, NULL);
    PLAN(&s, (0, 3 * S), (0, 0));
    expect(&s, NULL);
    PLAN(&s, (0, 2 * S - 1), (0, 0));
    expect(&s, "task a[1] starts at 1.999999999 s, but is released at 2 s");
    PLAN(&s, (0, 3 * S + 1), (0, 0));
    expect(&s, "task a[1] ends at 4.000000001 s, after its deadline at 4 s");
    end(&s);
}

static void machines_are_away(void **state)
{
    struct scene s;
    begin(&s);
    add_stage(&s, "a", 1, S);
    add_stage(&s, "nothing", 1, 0);
    GOOD(br_cluster_add_unavailable(s.cluster, UINT32_MAX, UINT32_MAX, 20 * S, BR_FOREVER, NULL));
    GOOD(br_cluster_add_unavailable(s.cluster, 0, 1, 2 * S, 4 * S, NULL));
    GOOD(br_cluster_add_unavailable(s.cluster, 0, 1, 2 * S, 3 * S, NULL));
    GOOD(br_cluster_add_unavailable(s.cluster, 0, UINT32_MAX, 10 * S, 11 * S, NULL));
    PLAN(&s, (1 * S, 3 * S), (1, 1)); /* what takes no time is in nobody's way */
    expect(&s, NULL);
    PLAN(&s, (4 * S, 30 * S), (1, 1));
    expect(&s, NULL);
    PLAN(&s, (3 * S, 0), (0, 0));
    expect(&s, NULL);
    PLAN(&s, (1 * S + 1, 0), (1, 0));
    expect(&s, "task a runs from 1.000000001 s to 2.000000001 s on machine m[1], which is "
               "unavailable from 2 s to 4 s");
    PLAN(&s, (4 * S - 1, 0), (1, 0));
    expect(&s, "task a runs from 3.999999999 s to 4.999999999 s on machine m[1], which is "
               "unavailable from 2 s to 4 s");
    PLAN(&s, (10 * S, 0), (0, 0));
    expect(&s, "task a runs from 10 s to 11 s on machine m[0], which is unavailable from 10 s to "
               "11 s");
    PLAN(&s, (11 * S, 0), (0, 0));
    expect(&s, NULL);
    PLAN(&s, (25 * S, 0), (0, 0));
    expect(&s, "task a runs from 25 s to 26 s on machine m[0], which is unavailable from 20 s on");
    end(&s);
}

static void amounts_change(void **state)
{
    struct scene s;
    begin(&s);
    const uint32_t a = add_stage(&s, "a", 1, 2 * S);
    GOOD(br_dag_add_demand(s.dag, a, "cpu", "3", NULL));
    GOOD(br_dag_add_demand(s.dag, a, "licence", "1", NULL));
    GOOD(br_cluster_add_change(s.cluster, "cpu", 0, 0, 2 * S, 8 * S, "2", NULL));
    GOOD(br_cluster_add_change(s.cluster, "cpu", 0, UINT32_MAX, 4 * S, 6 * S, "3", NULL));
    GOOD(br_cluster_add_change(s.cluster, "licence", UINT32_MAX, 0, 100 * S, 101 * S, "0", NULL));
    PLAN(&s, (0), (0));
    expect(&s, NULL);
    PLAN(&s, (4 * S), (0)); /* the later change counts more */
    expect(&s, NULL);
    PLAN(&s, (8 * S), (0));
    expect(&s, NULL);
    PLAN(&s, (2 * S), (1));
    expect(&s, NULL);
    PLAN(&s, (1), (0));
    expect(&s, "machine m[0] has only 2 of cpu from 2 s on, but still holds 3 of it, with task a");
    PLAN(&s, (4 * S + 1), (0));
    expect(&s, "machine m[0] has only 2 of cpu from 6 s on, but still holds 3 of it, with task a");
    PLAN(&s, (8 * S - 1), (0));
    expect(&s, "machine m[0] has 2 of cpu, but holds 3 of it when task a starts at 7.999999999 s");
    PLAN(&s, (98 * S), (0));
    expect(&s, NULL);
    PLAN(&s, (98 * S + 1), (0));
    expect(&s,
           "the cluster has only 0 of licence from 100 s on, but still holds 1 of it, with task "
           "a");
    end(&s);
}

/* More than a machine has at other times, for a while. */
static void amounts_grow(void **state)
{
    struct scene s;
    begin(&s);
    const uint32_t a = add_stage(&s, "a", 1, 2 * S);
    GOOD(br_dag_add_demand(s.dag, a, "cpu", "6", NULL));
    GOOD(br_cluster_add_change(s.cluster, "cpu", 0, UINT32_MAX, 2 * S, 4 * S, "6", NULL));
    PLAN(&s, (2 * S), (0));
    expect(&s, NULL);
    PLAN(&s, (2 * S + 1), (0));
    expect(&s, "machine m[0] has only 4 of cpu from 4 s on, but still holds 6 of it, with task a");
    end(&s);
}

static void lags(void **state)
{
    struct scene s;
    begin(&s);
    const uint32_t a = add_stage(&s, "a", 2, S), b = add_stage(&s, "b", 2, S);
    GOOD(br_dag_add_edge(s.dag, a, b, BR_ONE_TO_ONE, NULL));
    GOOD(br_dag_set_edge_lag(s.dag, a, b, 3 * S, NULL));
    const uint32_t c = add_stage(&s, "c", 2, S);
    GOOD(br_dag_add_edge(s.dag, b, c, BR_BARRIER, NULL));
    GOOD(br_dag_set_edge_lag(s.dag, b, c, 1, NULL));
    PLAN(&s, (0, 1 * S, 4 * S, 5 * S, 6 * S + 1, 6 * S + 1), (0, 0, 0, 0, 0, 0));
    expect(&s, NULL);
    PLAN(&s, (0, 1 * S, 4 * S, 5 * S - 1, 6 * S + 1, 6 * S + 1), (0, 0, 0, 0, 0, 0));
    expect(&s,
           "task b[1] starts at 4.999999999 s, less than 3 s after its parent a[1] ends at 2 s");
    PLAN(&s, (0, 1 * S, 4 * S, 5 * S, 6 * S + 1, 6 * S), (0, 0, 0, 0, 0, 0));
    expect(&s,
           "task c[1] starts at 6 s, less than 0.000000001 s after its parent b[1] ends at 6 s");
    end(&s);
}

static void streams(void **state)
{
    for (int barrier = 0; barrier < 2; barrier++) {
        struct scene s;
        begin(&s);
        const uint32_t a = add_stage(&s, "a", 2, 4 * S), b = add_stage(&s, "b", 2, 3 * S);
        GOOD(br_dag_add_edge(s.dag, a, b, barrier ? BR_BARRIER : BR_ONE_TO_ONE, NULL));
        GOOD(br_dag_set_edge_stream(s.dag, a, b, NULL));
        GOOD(br_dag_set_edge_lag(s.dag, a, b, 2 * S, NULL));
        PLAN(&s, (0, 1 * S, 3 * S, 3 * S), (0, 0, 0, 0));
        expect(&s, NULL);
        PLAN(&s, (0, 1 * S, 2 * S, 3 * S), (0, 0, 0, 0)); /* b[0] starts 2 s after a[0] alone */
        expect(&s, barrier ? "task b[0] starts at 2 s, less than 2 s after its parent a[1] starts "
                             "at 1 s"
                           : NULL);
        PLAN(&s, (0, 1 * S, 3 * S, 3 * S - 1), (0, 0, 0, 0));
        expect(&s, "task b[1] starts at 2.999999999 s, less than 2 s after its parent a[1] starts "
                   "at 1 s");
        end(&s);
    }
}

/* Over a barrier no task of the child ends before all of the parent have. */
static void streams_end_after_their_source(void **state)
{
    for (int barrier = 0; barrier < 2; barrier++) {
        struct scene s;
        begin(&s);
        const uint32_t a = add_stage(&s, "a", 2, 2 * S), b = add_stage(&s, "b", 2, S);
        GOOD(br_dag_add_edge(s.dag, a, b, barrier ? BR_BARRIER : BR_ONE_TO_ONE, NULL));
        GOOD(br_dag_set_edge_stream(s.dag, a, b, NULL));
        PLAN(&s, (0, 1 * S, 2 * S, 2 * S), (0, 0, 0, 0));
        expect(&s, NULL);
        PLAN(&s, (0, 1 * S, 1 * S, 2 * S), (0, 0, 0, 0));
        expect(&s, barrier ? "task b[0] ends at 2 s, before its parent a[1], whose stream it "
                             "reads, at 3 s"
                           : NULL);
        PLAN(&s, (0, 1 * S, 2 * S, 2 * S - 1), (0, 0, 0, 0));
        expect(&s, "task b[1] ends at 2.999999999 s, before its parent a[1], whose stream it "
                   "reads, at 3 s");
        end(&s);
    }
}

/* The task of the parent that starts last is not the one that ends last, and that of the child
 * which ends first is not the one that starts first. */
static void streams_of_unequal_tasks(void **state)
{
    struct scene s;
    begin(&s);
    const uint32_t a = add_stage(&s, "a", 2, 5 * S), b = add_stage(&s, "b", 2, S);
    GOOD(br_dag_set_duration(s.dag, a, 1, S, NULL));
    GOOD(br_dag_set_duration(s.dag, b, 1, 4 * S, NULL));
    GOOD(br_dag_add_edge(s.dag, a, b, BR_BARRIER, NULL));
    GOOD(br_dag_set_edge_stream(s.dag, a, b, NULL));
    GOOD(br_dag_set_edge_lag(s.dag, a, b, S, NULL));
    PLAN(&s, (0, 2 * S, 4 * S, 3 * S), (0, 0, 0, 0));
    expect(&s, NULL);
    PLAN(&s, (0, 2 * S, 4 * S, 2 * S), (0, 0, 0, 0));
    expect(&s, "task b[1] starts at 2 s, less than 1 s after its parent a[1] starts at 2 s");
    PLAN(&s, (0, 2 * S, 4 * S - 1, 3 * S), (0, 0, 0, 0));
    expect(&s, "task b[0] ends at 4.999999999 s, before its parent a[0], whose stream it reads, at "
               "5 s");
    end(&s);
}

/* A stream without a lag: child and parent may start together; the parent ranks first. */
static void streams_without_lag(void **state)
{
    struct scene s;
    begin(&s);
    const uint32_t a = add_stage(&s, "a", 1, S), b = add_stage(&s, "b", 1, S);
    GOOD(br_dag_add_edge(s.dag, a, b, BR_BARRIER, NULL));
    GOOD(br_dag_set_edge_stream(s.dag, a, b, NULL));
    PLAN(&s, (1 * S, 1 * S), (0, 1));
    expect(&s, NULL);
    PLAN(&s, (1 * S, 1 * S - 1), (0, 1));
    struct heard heard = {0};
    assert_int_equal(br_plan_verify(s.plan, s.dag, s.cluster, 8, hear, &heard, NULL), BR_NO);
    assert_string_equal(heard.text[0],
                        "task b starts at 0.999999999 s, before its parent a starts at 1 s");
    PLAN(&s, (1 * S, 1 * S), (0, 1));
    s.plan->order[0] = b;
    s.plan->order[1] = a;
    s.plan->rank[a] = 2;
    s.plan->rank[b] = 1;
    expect(&s, "task b has rank 1, ahead of its parent a with rank 2");
    end(&s);
}

/* The mean is that of the plan; the bound on it is the mean of the longest paths with lags,
 * releases and streams. */
static void means_have_bounds(void **state)
{
    struct scene s;
    begin(&s);
    const uint32_t a = add_stage(&s, "a", 1, 2 * S), b = add_stage(&s, "b", 1, S);
    const uint32_t c = add_stage(&s, "c", 1, S);
    GOOD(br_dag_add_edge(s.dag, a, b, BR_BARRIER, NULL));
    GOOD(br_dag_set_edge_lag(s.dag, a, b, S, NULL));
    GOOD(br_dag_add_edge(s.dag, a, c, BR_BARRIER, NULL));
    GOOD(br_dag_set_edge_stream(s.dag, a, c, NULL));
    GOOD(br_dag_set_release(s.dag, a, 0, S, NULL));
    PLAN(&s, (1 * S, 4 * S, 6 * S),
         (0, 0, 0)); /* b ends at 5 s, c at 7 s; at best at 5 s and 3 s */
    s.plan->objective = BR_OBJECTIVE_MEAN;
    s.plan->mean_ns = 6 * S;
    s.plan->mean_bound_ns = 4 * S;
    expect(&s, NULL);
    s.plan->mean_bound_ns = 4 * S + 1;
    expect(&s, "the bound on the mean completion is 4 s, not 4.000000001 s");
    s.plan->mean_bound_ns = 0;
    s.plan->mean_ns++;
    expect(&s, "the mean completion is 6 s, not 6.000000001 s");
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_are_held_until_their_reader_ends),
        cmocka_unit_test(demand_and_output_add_up),
        cmocka_unit_test(results_are_held_to_the_end),
        cmocka_unit_test(readers_are_those_of_the_edge),
        cmocka_unit_test(tasks_without_duration_leave_outputs),
        cmocka_unit_test(machines_share),
        cmocka_unit_test(releases_and_deadlines),
        cmocka_unit_test(machines_are_away),
        cmocka_unit_test(amounts_change),
        cmocka_unit_test(amounts_grow),
        cmocka_unit_test(lags),
        cmocka_unit_test(streams),
        cmocka_unit_test(streams_end_after_their_source),
        cmocka_unit_test(streams_of_unequal_tasks),
        cmocka_unit_test(streams_without_lag),
        cmocka_unit_test(means_have_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
