/* Transfers in plans: rates and starts that were worked out by hand, faults that the check of plans
 * has to find, and random jobs against the plain definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/numbers/rng.h"
#include "planner/instance/plan.h"
#include "planner/network/haul.h"
#include "planner/network/network.h"
#include "tests/support/random_job.h"
#include "tests/support/transfers.h"

#define S INT64_C(1000000000)

static struct br_cluster *machines(uint32_t count, const char *cpu, int64_t up, int64_t down)
{
    struct br_cluster *cluster = br_cluster_create(NULL);
    uint32_t cls;
    assert_int_equal(br_cluster_add_class(cluster, "m", count, &cls, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, cls, "cpu", cpu, NULL), BR_OK);
    if (up)
        assert_int_equal(br_cluster_set_network(cluster, cls, up, down, NULL), BR_OK);
    return cluster;
}

/* The starts of a job's tasks along a course, in seconds, and the makespan. */
static void follow_in(const uint32_t *sequence, const struct br_dag *dag,
                      const struct br_cluster *cluster, const uint32_t *machine, bool strict,
                      enum br_sharing sharing, const double *starts, double makespan)
{
    struct br_network_job job;
    struct br_instance *in;
    struct br_haul haul;
    assert_int_equal(br_instance_create(dag, cluster, &in, NULL), BR_OK);
    assert_int_equal(br_network_job_init(&job, dag, cluster, in, NULL), BR_OK);
    assert_true(br_haul_init(&haul, &job));
    const struct br_haul_course course = {machine, sequence, strict, sharing, false, INT64_MAX};
    for (int twice = 0; twice < 2; twice++) {
        assert_int_equal(br_haul_run(&haul, &course), BR_OK);
        for (uint32_t t = 0; t < dag->tasks; t++)
            if (haul.start_ns[t] != (int64_t)(starts[t] * 1e9 + 0.5))
                fail_msg("task %u starts at %.9f s, not %.9f", t, (double)haul.start_ns[t] / 1e9,
                         starts[t]);
        assert_int_equal(haul.makespan_ns, (int64_t)(makespan * 1e9 + 0.5));
    }
    br_haul_finish(&haul);
    br_network_job_finish(&job);
    br_instance_destroy(in);
}

/* The same, with tasks in their order. */
static void follow(const struct br_dag *dag, const struct br_cluster *cluster,
                   const uint32_t *machine, bool strict, enum br_sharing sharing,
                   const double *starts, double makespan)
{
    uint32_t sequence[16];
    for (uint32_t t = 0; t < dag->tasks; t++)
        sequence[t] = t;
    follow_in(sequence, dag, cluster, machine, strict, sharing, starts, makespan);
}

/* A task, after its second of work, hands 200 bytes to `twos` tasks of b and 100 to one of c. */
static struct br_dag *fan(uint32_t twos)
{
    struct br_dag *dag = br_dag_create("fan");
    uint32_t a = transfers_stage(dag, "a", 1, 1), b = transfers_stage(dag, "b", twos, 1),
             c = transfers_stage(dag, "c", 1, 1);
    transfers_edge(dag, a, b, BR_BARRIER, 200);
    transfers_edge(dag, a, c, BR_BARRIER, 100);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    return dag;
}

/* One machine sends 200 bytes to one other and 100 to another, 100 bytes a second. */
static void ports_are_shared(void **state)
{
    static const double starts[BR_SHARINGS][3] = {
        [BR_SHARE_PLAN] = {0, 3, 4}, /* after 1 s of work: b's 2 s alone, then c's 1 s */
        [BR_SHARE_FAIR] = {0, 4, 3}, /* 50 a second each: c after 2 s; b's other 100 in 1 s */
        [BR_SHARE_FIFO] = {0, 3, 4}, /* both begin at once, and b's edge is first */
        [BR_SHARE_SEBF] = {0, 4, 2}, /* the shorter one first */
    };
    static const double ends[BR_SHARINGS] = {5, 5, 5, 5};
    static const uint32_t where[] = {0, 1, 2};
    struct br_dag *dag = fan(1);
    struct br_cluster *cluster = machines(3, "1", 100, 1000);
    for (int sharing = 0; sharing < BR_SHARINGS; sharing++)
        follow(dag, cluster, where, true, (enum br_sharing)sharing, starts[sharing], ends[sharing]);
    /* Where c comes before b in the plan, its input does, whose edge is the second. */
    static const uint32_t turned[] = {0, 2, 1};
    follow_in(turned, dag, cluster, where, true, BR_SHARE_PLAN, (const double[]){0, 4, 2}, 5);
    follow_in(turned, dag, cluster, where, true, BR_SHARE_FIFO, starts[BR_SHARE_FIFO], 5);
    br_cluster_destroy(cluster);
    br_dag_destroy(dag);
}

/* b's two tasks on one machine have one input, 200 bytes; it goes before c's 100 if any of them
 * does in the plan, whatever their numbers are. */
static void the_first_of_a_group_decides(void **state)
{
    static const uint32_t where[] = {0, 1, 1, 2};
    struct br_dag *dag = fan(2);
    struct br_cluster *cluster = machines(3, "1", 100, 1000);
    follow_in((const uint32_t[]){0, 2, 3, 1}, dag, cluster, where, true, BR_SHARE_PLAN,
              (const double[]){0, 4, 3, 4}, 5);
    follow_in((const uint32_t[]){0, 1, 3, 2}, dag, cluster, where, true, BR_SHARE_PLAN,
              (const double[]){0, 3, 4, 4}, 5);
    follow_in((const uint32_t[]){0, 3, 2, 1}, dag, cluster, where, true, BR_SHARE_PLAN,
              (const double[]){0, 5, 4, 2}, 6);
    br_cluster_destroy(cluster);
    br_dag_destroy(dag);
}

/* Three senders share a receiver of 31 bytes a second, and one of them its 6 with another receiver.
 * p gives 3 each to a and d; of s's other 28, b and c have 14 each. b's 28 bytes end at 2 s, c has
 * 28 from then on. d's 9 bytes end at 3 s, a's last 3 move at 6, until 3.5 s; c has 25 then, and 31
 * afterwards: 28 + 28 + 12.5 + 15.5 bytes by 4 s. */
static void shares_are_max_min_fair(void **state)
{
    struct br_dag *dag = br_dag_create("in");
    struct br_cluster *cluster = br_cluster_create(NULL);
    static const int64_t up[] = {6, 100, 100, 100, 100}, down[] = {100, 100, 100, 31, 50};
    static const uint32_t where[] = {0, 1, 2, 0, 3, 4};
    static const double starts[] = {0, 0, 0, 0, 4, 3};
    for (uint32_t m = 0; m < 5; m++) {
        char name[] = {(char)('p' + m), 0};
        uint32_t cls;
        assert_int_equal(br_cluster_add_class(cluster, name, 1, &cls, NULL), BR_OK);
        assert_int_equal(br_cluster_add_capacity(cluster, cls, "cpu", "2", NULL), BR_OK);
        assert_int_equal(br_cluster_set_network(cluster, cls, up[m], down[m], NULL), BR_OK);
    }
    uint32_t a = transfers_stage(dag, "a", 1, 0), b = transfers_stage(dag, "b", 1, 0),
             c = transfers_stage(dag, "c", 1, 0);
    uint32_t d = transfers_stage(dag, "d", 1, 0), x = transfers_stage(dag, "x", 1, 1),
             y = transfers_stage(dag, "y", 1, 1);
    transfers_edge(dag, a, x, BR_BARRIER, 12);
    transfers_edge(dag, b, x, BR_BARRIER, 28);
    transfers_edge(dag, c, x, BR_BARRIER, 84);
    transfers_edge(dag, d, y, BR_BARRIER, 9);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    follow(dag, cluster, where, false, BR_SHARE_FAIR, starts, 5);
    br_cluster_destroy(cluster);
    br_dag_destroy(dag);
}

/* A port of 1 byte a second for two transfers of 1 byte: rates are whole, so one waits for the
 * other.
 */
static void the_smallest_port(void **state)
{
    static const uint32_t where[] = {0, 1, 2};
    struct br_dag *dag = br_dag_create("drop");
    struct br_cluster *cluster = machines(3, "1", 9, 1);
    uint32_t a = transfers_stage(dag, "a", 1, 0), b = transfers_stage(dag, "b", 1, 0),
             x = transfers_stage(dag, "x", 1, 1);
    transfers_edge(dag, a, x, BR_BARRIER, 1);
    transfers_edge(dag, b, x, BR_BARRIER, 1);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    follow(dag, cluster, where, true, BR_SHARE_FAIR, (const double[]){0, 0, 2}, 3);
    br_cluster_destroy(cluster);
    br_dag_destroy(dag);
}

/* Over a one-to-one edge each pair moves by itself, and what stays on its machine is there at once;
 * a task that waits for its input is overtaken, unless the course is strict. */
static void pairs_move_alone(void **state)
{
    struct br_dag *dag = br_dag_create("pairs");
    struct br_cluster *cluster = machines(2, "1", 100, 100);
    uint32_t a = transfers_stage(dag, "a", 3, 1), b = transfers_stage(dag, "b", 3, 2);
    static const uint32_t where[] = {0, 0, 1, 1, 0, 1};
    transfers_edge(dag, a, b, BR_ONE_TO_ONE, 900); /* 300 each */
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    /* Machine 0: a0 0-1, a1 1-2, b1 from 2. Machine 1: a2 0-1; b0's bytes move from 1 to 4. */
    follow(dag, cluster, where, false, BR_SHARE_PLAN, (const double[]){0, 1, 0, 4, 2, 1}, 6);
    follow(dag, cluster, where, true, BR_SHARE_PLAN, (const double[]){0, 1, 0, 4, 2, 6}, 8);
    br_cluster_destroy(cluster);
    br_dag_destroy(dag);
}

struct first_fault {
    char text[400];
};

static void keep_fault(void *context, const char *text)
{
    struct first_fault *fault = context;
    if (!fault->text[0])
        snprintf(fault->text, sizeof fault->text, "%s", text);
}

/* Two tasks on either machine hand 400 bytes on, 100 from machine to machine: 1 s at 100 a second.
 */
static void faults_are_found(void **state)
{
    struct br_dag *dag = br_dag_create("faults");
    struct br_cluster *cluster = machines(2, "1", 100, 100);
    uint32_t a = transfers_stage(dag, "a", 2, 4), b = transfers_stage(dag, "b", 2, 3);
    transfers_edge(dag, a, b, BR_BARRIER, 400);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    static const char *const wanted[] = {
        "is missing",
        "there twice, or for nothing",
        "begins at 3.9 s, before its data is there",
        "ends at 5.1 s, after a task that waits for it starts at 5 s",
        "moves fewer bytes than it has, which are 100",
        "sends 101 bytes a second at 4 s, its port 100",
        "moves twice at 4.5 s",
        "has 100 bytes, the plan says 99",
        "moves at 0 bytes a second",
        "between nothing that there is",
        "receives 101 bytes a second at 4 s, its port 100",
    };
    for (size_t k = 0; k <= sizeof wanted / sizeof *wanted; k++) {
        struct br_plan *plan;
        struct first_fault fault = {{0}};
        struct br_piece two[3] = {0};
        struct br_transfer more[3];
        struct br_plan_options options = br_plan_options_default();
        options.effort = BR_EFFORT_FAST;
        assert_int_equal(br_plan_make(dag, cluster, &options, &plan, NULL), BR_OK);
        assert_false(br_plan_has_network(plan));
        assert_int_equal(br_plan_network(plan, dag, cluster, &options, NULL), BR_OK);
        assert_int_equal(br_plan_makespan_ns(plan), 8 * S);
        assert_true(br_plan_has_network(plan));
        assert_int_equal(br_plan_transfer_count(plan), 2);
        assert_int_equal(br_plan_transfer_at(plan, 1).bytes, 100);
        assert_int_equal(br_plan_transfer_at(plan, 1).end_ns, 5 * S);
        struct br_transfers *all = &plan->carried;
        memcpy(more, all->transfer, 2 * sizeof *more);
        memcpy(two, all->piece, 2 * sizeof *two);
        all->transfer = more;
        all->piece = two;
        switch (k) {
        case 0:
            all->transfers = 1;
            break;
        case 1:
            more[2] = more[1], all->transfers = 3;
            break;
        case 2:
            two[0].start_ns -= S / 10;
            break;
        case 3:
            two[1].end_ns += S / 10;
            break;
        case 4:
            two[0].rate = 99;
            break;
        case 5:
            two[0].rate = 101, cluster->cls[0].down = 1000;
            break;
        case 6:
            two[2] = two[1];
            two[1] = (struct br_piece){two[0].start_ns + S / 2, two[0].end_ns, 50};
            more[0].pieces = 2, more[0].first_piece = 0, more[1].first_piece = 2;
            all->pieces = 3;
            break;
        case 7:
            more[0].bytes = 99;
            break;
        case 8:
            two[0].rate = 0;
            break;
        case 9:
            more[0].to = 2;
            break;
        case 10:
            two[0].rate = 101, cluster->cls[0].up = 1000;
            break;
        default:
            break; /* without a fault */
        }
        enum br_status status = br_plan_verify(plan, dag, cluster, 5, keep_fault, &fault, NULL);
        cluster->cls[0].up = cluster->cls[0].down = 100;
        if (k == sizeof wanted / sizeof *wanted)
            assert_int_equal(status, BR_OK);
        else if (status != BR_NO || !strstr(fault.text, wanted[k]))
            fail_msg("%zu: status %d: '%s', not '%s'", k, (int)status, fault.text, wanted[k]);
        br_plan_destroy(plan);
    }
    br_cluster_destroy(cluster);
    br_dag_destroy(dag);
}

/* All bytes that a task needs from other machines have moved before it starts, counted transfer by
 * transfer, and no port moves more than it can between any two ends of pieces. */
static void judge(const struct br_plan *plan, const struct br_dag *dag,
                  const struct br_cluster *cluster)
{
    const struct br_transfers *all = &plan->carried;
    for (uint32_t e = 0; e < dag->edges; e++) {
        const struct br_stage *p = &dag->stage[dag->edge[e].parent];
        const struct br_stage *c = &dag->stage[dag->edge[e].child];
        bool pairs = dag->edge[e].type == BR_ONE_TO_ONE;
        double share = (double)dag->edge[e].bytes / p->tasks / (pairs ? 1 : c->tasks);
        for (uint32_t t = c->first_task; t < c->first_task + c->tasks; t++)
            for (uint32_t m = 0; m < cluster->machines; m++) {
                double wanted = 0, moved = 0;
                for (uint32_t i = 0; i < p->tasks; i++)
                    if (plan->machine[p->first_task + i] == m && (!pairs || i == t - c->first_task))
                        wanted += share;
                if (!pairs) { /* of all tasks of the child there, which move together */
                    uint32_t there = 0;
                    for (uint32_t u = c->first_task; u < c->first_task + c->tasks; u++)
                        there += plan->machine[u] == plan->machine[t];
                    wanted *= there;
                }
                for (uint32_t k = 0; k < all->transfers; k++) {
                    const struct br_transfer *x = &all->transfer[k];
                    if (x->edge != e || x->from != m || x->to != plan->machine[t] ||
                        (pairs && x->index != t - c->first_task))
                        continue;
                    assert_true(br_transfer_end(all, k) <= plan->start_ns[t]);
                    for (uint32_t i = x->first_piece; i < x->first_piece + x->pieces; i++)
                        moved += (double)all->piece[i].rate *
                                 (double)(all->piece[i].end_ns - all->piece[i].start_ns) / 1e9;
                }
                if (m != plan->machine[t] && moved < wanted * (1 - 1e-9))
                    fail_msg("edge %u: %g of %g bytes for task %u", e, moved, wanted, t);
                if (m == plan->machine[t])
                    assert_true(moved <= 0);
            }
    }
    for (uint32_t k = 0; k < br_plan_transfer_count(plan); k++) {
        double moved = 0;
        int64_t at = br_plan_transfer_at(plan, k).start_ns;
        for (uint32_t i = 0; i < br_plan_transfer_rate_count(plan, k); i++) {
            struct br_transfer_rate rate = br_plan_transfer_rate_at(plan, k, i);
            assert_true(i ? rate.start_ns >= at : rate.start_ns == at);
            at = rate.end_ns;
            moved += (double)rate.rate * (double)(rate.end_ns - rate.start_ns) / 1e9;
        }
        assert_true(at == br_plan_transfer_at(plan, k).end_ns);
        assert_true(moved >= (double)all->transfer[k].bytes * (1 - 1e-9));
    }
    for (uint32_t j = 0; j < all->pieces; j++) {
        int64_t at = all->piece[j].start_ns;
        for (uint32_t m = 0; m < cluster->machines; m++) {
            const struct br_class *cls = &cluster->cls[br_cluster_machine_class(cluster, m)];
            int64_t up = 0, down = 0;
            for (uint32_t k = 0; k < all->transfers; k++)
                for (uint32_t i = all->transfer[k].first_piece;
                     i < all->transfer[k].first_piece + all->transfer[k].pieces; i++)
                    if (all->piece[i].start_ns <= at && at < all->piece[i].end_ns) {
                        up += all->transfer[k].from == m ? all->piece[i].rate : 0;
                        down += all->transfer[k].to == m ? all->piece[i].rate : 0;
                    }
            assert_true(up <= cls->up && down <= cls->down);
        }
    }
}

static void jobs_at_random(void **state)
{
    uint32_t moving = 0, shorter = 0, raised = 0, met = 0, jobs = random_jobs(150);
    for (uint64_t seed = 1; seed <= jobs; seed++) {
        struct random_job job;
        struct br_rng rng = br_rng_seed(seed);
        struct br_plan *plan, *again;
        struct br_plan_options options = br_plan_options_default();
        struct br_diag diag = {0};
        assert_true(random_job_make(seed, 12, 0, &job));
        int64_t most = seed % 3 ? 2000000 : 1000;
        transfers_draw_ports(job.cluster, &rng, most);
        options.effort = BR_EFFORT_FAST;
        assert_int_equal(br_plan_make(job.dag, job.cluster, &options, &plan, NULL), BR_OK);
        assert_int_equal(br_plan_make(job.dag, job.cluster, &options, &again, NULL), BR_OK);
        /* Without bytes nothing gets longer. */
        int64_t before = plan->makespan_ns;
        assert_int_equal(br_plan_network(again, job.dag, job.cluster, &options, NULL), BR_OK);
        assert_true(again->makespan_ns <= before);
        assert_int_equal(br_plan_transfer_count(again), 0);
        br_plan_destroy(again);
        transfers_draw_bytes(job.dag, &rng, 5000);
        options.effort = BR_EFFORT_DEFAULT;
        options.placements = 20000;
        if (br_plan_network(plan, job.dag, job.cluster, &options, &diag))
            fail_msg("seed %d: %s", (int)seed, diag.what);
        judge(plan, job.dag, job.cluster);
        assert_true(plan->network_bound_ns >= plan->lower_bound_ns);
        assert_true(plan->network_bound_ns <= plan->makespan_ns);
        raised += plan->network_bound_ns > plan->lower_bound_ns;
        met +=
            plan->network_bound_ns == plan->makespan_ns && plan->makespan_ns > plan->lower_bound_ns;
        moving += plan->carried.transfers > 0;
        assert_string_equal(plan->trial[plan->trials - 3].method, br_network_ignored);
        assert_true(plan->makespan_ns <= plan->trial[plan->trials - 3].makespan_ns);
        assert_true(plan->makespan_ns <= plan->trial[plan->trials - 2].makespan_ns);
        shorter += plan->makespan_ns < plan->trial[plan->trials - 3].makespan_ns;
        br_plan_destroy(plan);
        random_job_finish(&job);
    }
    if (moving < jobs / 20 || shorter < jobs / 20)
        fail_msg("%u of %u jobs move, %u are shorter", moving, jobs, shorter);
    if (!raised || !met)
        fail_msg("the bound is raised %u times, and met %u times", raised, met);
}

/* The bound with transfers of a job of two stages over a barrier, and the plan's makespan. */
static void expect_bound(uint32_t machines_of, uint32_t parents, int64_t parent_s,
                         uint32_t children, int64_t child_s, int64_t bytes, int64_t rate,
                         double bound, double makespan)
{
    struct br_dag *dag = br_dag_create("bound");
    struct br_cluster *cluster = machines(machines_of, "1", rate, rate);
    struct br_plan *plan;
    uint32_t a = transfers_stage(dag, "a", parents, parent_s),
             b = transfers_stage(dag, "b", children, child_s);
    transfers_edge(dag, a, b, BR_BARRIER, bytes);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_plan_make(dag, cluster, NULL, &plan, NULL), BR_OK);
    assert_int_equal(br_plan_network_bound_ns(plan), 0);
    assert_int_equal(br_plan_network(plan, dag, cluster, NULL, NULL), BR_OK);
    assert_float_equal((double)br_plan_network_bound_ns(plan) / S, bound, 1e-8);
    assert_float_equal((double)br_plan_makespan_ns(plan) / S, makespan, 1e-8);
    br_plan_destroy(plan);
    br_cluster_destroy(cluster);
    br_dag_destroy(dag);
}

/* What every plan has to move, worked out by hand. */
static void bounds_count_transfers(void **state)
{
    /* Spread out, half of 20 bytes moves through two ports of 1: 2 + 5 + 3 s. On one machine all
     * tasks take 4 + 6 s. No plan is shorter than 10 s. */
    expect_bound(2, 2, 2, 2, 3, 20, 1, 10, 10);
    /* With faster ports it is 2 + 2.5 + 3 s. */
    expect_bound(2, 2, 2, 2, 3, 20, 2, 7.5, 7.5);
    /* One task takes in 400 bytes at 100 a second. Its machine runs two of the four parents in 2 s,
     * while the rest comes: 1 + 2 + 1 s. */
    expect_bound(4, 4, 1, 1, 1, 400, 100, 4, 4);
    /* Without ports to speak of all is on one machine: nothing below 5 s, by work alone. */
    expect_bound(4, 4, 1, 1, 1, 400, 1, 5, 5);
    /* Nothing to move, nothing to add. */
    expect_bound(2, 2, 2, 2, 3, 0, 1, 5, 5);
}

/* What cannot be planned: a port without a rate, and a network that takes for ever. */
static void refusals(void **state)
{
    struct br_dag *dag = br_dag_create("slow");
    struct br_cluster *none = machines(2, "1", 0, 0), *slow = machines(2, "1", 1, 1);
    struct br_plan *plan;
    struct br_diag diag = {0};
    uint32_t a = transfers_stage(dag, "a", 2, 4), b = transfers_stage(dag, "b", 2, 3);
    transfers_edge(dag, a, b, BR_BARRIER, BR_MAX_BYTES);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_plan_make(dag, none, NULL, &plan, NULL), BR_OK);
    assert_int_equal(br_plan_network(plan, dag, none, NULL, &diag), BR_BAD_INPUT);
    assert_non_null(strstr(diag.what, "class 'm' has no rate"));
    assert_int_equal(br_plan_makespan_ns(plan), 7 * S); /* as it was */
    assert_false(br_plan_has_network(plan));
    /* Nothing has to move where all is on one machine. */
    assert_int_equal(br_plan_network(plan, dag, slow, NULL, &diag), BR_OK);
    assert_int_equal(br_plan_makespan_ns(plan), 14 * S);
    assert_int_equal(br_plan_transfer_count(plan), 0);
    br_plan_destroy(plan);
    br_cluster_destroy(none);
    br_cluster_destroy(slow);
    br_dag_destroy(dag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_of_a_group_decides),
        cmocka_unit_test(ports_are_shared),
        cmocka_unit_test(shares_are_max_min_fair),
        cmocka_unit_test(the_smallest_port),
        cmocka_unit_test(pairs_move_alone),
        cmocka_unit_test(faults_are_found),
        cmocka_unit_test(bounds_count_transfers),
        cmocka_unit_test(jobs_at_random),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
