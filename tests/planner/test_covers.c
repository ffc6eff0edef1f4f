/* Lifted covers: a machine never holds more than they say, no weight could be raised, and what is
 * to be found in small jobs is found. All sets are tried. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "base/numbers/rng.h"
#include "planner/bounds/closure.h"
#include "planner/bounds/covers.h"
#include "tests/support/random_job.h"

enum { STAGES = 64, COVERS = 16 };

/* All stages of a job as a packing. */
struct packed {
    struct br_packing packing;
    uint32_t stage[STAGES];
    bool ahead[STAGES * STAGES];
};

static void pack(struct packed *p, const struct br_instance *in)
{
    struct br_closure closure;
    assert_true(in->stages <= STAGES && br_closure_init(&closure, in));
    for (uint32_t u = 0; u < in->stages; u++) {
        p->stage[u] = u;
        for (uint32_t v = 0; v < in->stages; v++)
            p->ahead[(size_t)u * in->stages + v] =
                br_closure_bit(closure.before, closure.words, v, u);
    }
    br_closure_finish(&closure);
    p->packing = (struct br_packing){in, in->stages, p->stage, p->ahead};
}

/* The heaviest set of stages from v on, beside what there is. */
static int64_t try_sets(const struct packed *p, uint32_t v, const int64_t *weight, int64_t *room,
                        uint32_t *taken)
{
    const struct br_instance *in = p->packing.in;
    uint32_t n = in->stages;
    if (v == n)
        return 0;
    int64_t best = try_sets(p, v + 1, weight, room, taken);
    bool free = taken[v] == 0;
    for (uint32_t u = 0; u < n; u++)
        free &= taken[u] == 0 || (!p->ahead[(size_t)u * n + v] && !p->ahead[(size_t)v * n + u]);
    uint32_t tasks = in->stage_first[v + 1] - in->stage_first[v], k = 0;
    for (bool fits = free; fits && k < tasks;) {
        for (uint32_t r = 0; r < in->resources; r++)
            fits &= room[r] >= in->demand[(size_t)v * in->resources + r];
        if (!fits)
            break;
        k++;
        for (uint32_t r = 0; r < in->resources; r++)
            room[r] -= in->demand[(size_t)v * in->resources + r];
        taken[v] = k;
        int64_t all = k * weight[v] + try_sets(p, v + 1, weight, room, taken);
        best = all > best ? all : best;
    }
    for (uint32_t r = 0; r < in->resources; r++)
        room[r] += k * in->demand[(size_t)v * in->resources + r];
    taken[v] = free ? 0 : taken[v];
    return best;
}

/* The heaviest set of the class beside `count` tasks of v (0: of an empty machine). */
static int64_t tried(const struct packed *p, uint32_t cls, const int64_t *weight, uint32_t v,
                     uint32_t count)
{
    const struct br_instance *in = p->packing.in;
    int64_t room[8];
    uint32_t taken[STAGES] = {0};
    assert_true(in->resources <= 8);
    for (uint32_t r = 0; r < in->resources; r++)
        room[r] = in->capacity[(size_t)cls * in->resources + r] -
                  count * in->demand[(size_t)v * in->resources + r];
    taken[v] = count;
    return try_sets(p, 0, weight, room, taken);
}

/* How many tasks of v fit the machine alone. */
static uint32_t alone(const struct br_instance *in, uint32_t cls, uint32_t v)
{
    uint32_t most = in->stage_first[v + 1] - in->stage_first[v];
    for (uint32_t r = 0; r < in->resources; r++) {
        int64_t demand = in->demand[(size_t)v * in->resources + r];
        while (demand * most > in->capacity[(size_t)cls * in->resources + r])
            most--;
    }
    return most;
}

static void machines_hold_no_more(void **state)
{
    int covers = 0, resources = 0, large = 0;
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        struct random_job job;
        struct br_instance *in;
        struct packed p;
        struct br_measures found;
        assert_true(random_job_make(seed, 9, seed % 2, &job));
        assert_int_equal(br_instance_create(job.dag, job.cluster, &in, NULL), BR_OK);
        pack(&p, in);
        struct br_packer *packer = br_packer_create(&p.packing);
        assert_true(packer && br_covers_init(&found, &p.packing, packer, COVERS));
        uint32_t cls = 0; /* that they are lifted on */
        for (uint32_t k = 1; k < in->classes; k++)
            if (in->class_first[k + 1] - in->class_first[k] >
                in->class_first[cls + 1] - in->class_first[cls])
                cls = k;
        for (uint32_t m = 0; m < found.count; m++) {
            const struct br_measure *cover = &found.measure[m];
            int64_t held = 0;
            assert_int_equal(cover->kind, BR_MEASURE_WEIGHTS);
            for (uint32_t k = 0; k < in->classes; k++)
                held += tried(&p, k, cover->weight, 0, 0) *
                        (in->class_first[k + 1] - in->class_first[k]);
            assert_int_equal(cover->capacity, held);
            int64_t most = tried(&p, cls, cover->weight, 0, 0);
            for (uint32_t v = 0; v < in->stages; v++) {
                bool raised = alone(in, cls, v) > 0 && found.work[v] > 0;
                large += cover->weight[v] > 1;
                for (uint32_t k = 1; k <= alone(in, cls, v); k++)
                    raised &=
                        k * (cover->weight[v] + 1) + tried(&p, cls, cover->weight, v, k) <= most;
                if (raised)
                    fail_msg("seed %d: the weight of stage %d could be more", (int)seed, (int)v);
            }
        }
        covers += (int)found.count;
        resources += (int)in->resources;
        br_measures_finish(&found);
        br_packer_destroy(packer);
        br_instance_destroy(in);
        random_job_finish(&job);
    }
    print_message("%d covers over %d resources, %d weights above 1\n", covers, resources, large);
    assert_true(covers > 1500 && large > 1000);
}

/* With any weights. */
static void the_heaviest_beside_others(void **state)
{
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        struct random_job job;
        struct br_instance *in;
        struct packed p;
        struct br_rng rng = br_rng_seed(seed);
        int64_t weight[STAGES];
        assert_true(random_job_make(seed, 10, seed % 2, &job));
        assert_int_equal(br_instance_create(job.dag, job.cluster, &in, NULL), BR_OK);
        pack(&p, in);
        struct br_packer *packer = br_packer_create(&p.packing);
        assert_non_null(packer);
        for (uint32_t v = 0; v < in->stages; v++)
            weight[v] = (int64_t)br_rng_below(&rng, 9) - 2;
        for (uint32_t v = 0; v < in->stages; v++)
            for (uint32_t cls = 0; cls < in->classes; cls++)
                for (uint32_t k = 1; k <= alone(in, cls, v); k++) {
                    int64_t nodes = 100000;
                    assert_int_equal(br_packer_beside(packer, cls, v, k, weight, &nodes),
                                     tried(&p, cls, weight, v, k));
                }
        br_packer_destroy(packer);
        br_instance_destroy(in);
        random_job_finish(&job);
    }
}

/* Many stages on many classes of machines, against a knapsack over the one resource: what is kept
 * from search to search is that of the class. */
static void the_heaviest_of_many(void **state)
{
    enum { MANY = 150, CLASSES = 11, LEAST = 60, STEP = 10, ROUNDS = 6 };
    struct br_dag *dag = br_dag_create("many");
    struct br_cluster *cluster = br_cluster_create(NULL);
    struct br_instance *in;
    struct br_rng rng = br_rng_seed(7);
    char id[8], amount[8];
    for (uint32_t s = 0; s < MANY; s++) {
        snprintf(id, sizeof id, "s%d", (int)s);
        snprintf(amount, sizeof amount, "%d", 5 + (int)br_rng_below(&rng, 56));
        assert_int_equal(br_dag_add_stage(dag, id, 1, 1, NULL, NULL), BR_OK);
        assert_int_equal(br_dag_add_demand(dag, s, "r", amount, NULL), BR_OK);
    }
    for (uint32_t k = 0; k < CLASSES; k++) {
        snprintf(id, sizeof id, "c%d", (int)k);
        snprintf(amount, sizeof amount, "%d", (int)(LEAST + STEP * k));
        assert_int_equal(br_cluster_add_class(cluster, id, 1, NULL, NULL), BR_OK);
        assert_int_equal(br_cluster_add_capacity(cluster, k, "r", amount, NULL), BR_OK);
    }
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_instance_create(dag, cluster, &in, NULL), BR_OK);
    uint32_t stage[MANY], tasks[MANY];
    static bool ahead[MANY * MANY];
    for (uint32_t v = 0; v < MANY; v++)
        stage[v] = v;
    struct br_packing packing = {in, MANY, stage, ahead};
    struct br_packer *packer = br_packer_create(&packing);
    assert_non_null(packer);
    for (uint32_t round = 0; round < ROUNDS * CLASSES; round++) {
        uint32_t cls = round % CLASSES;
        int64_t weight[MANY], best[LEAST + STEP * CLASSES] = {0}, found, nodes = 10000000;
        int64_t room = in->capacity[cls];
        for (uint32_t v = 0; v < MANY; v++) {
            weight[v] = in->demand[v] * in->demand[v] + (int64_t)br_rng_below(&rng, 400);
            for (int64_t left = room; left >= in->demand[v]; left--) {
                int64_t with = best[left - in->demand[v]] + weight[v];
                best[left] = with > best[left] ? with : best[left];
            }
        }
        assert_int_equal(br_packer_heaviest(packer, cls, weight, 0, tasks, &found, &nodes),
                         best[room]);
        assert_int_equal(found, best[room]);
    }
    br_packer_destroy(packer);
    br_instance_destroy(in);
    br_dag_destroy(dag);
    br_cluster_destroy(cluster);
}

/* Where tens of thousands of tasks fit a machine, not all numbers of them are tried: that took
 * minutes. */
static void many_tasks_take_no_more(void **state)
{
    enum { SMALL = 20, LARGE = 10, FIT = 40000 };
    struct br_dag *dag = br_dag_create("many");
    struct br_cluster *cluster = br_cluster_create(NULL);
    struct br_instance *in;
    struct packed p;
    struct br_measures found;
    struct br_rng rng = br_rng_seed(3);
    const char *const name[] = {"cpu", "mem"};
    char id[16], amount[16];
    assert_int_equal(br_cluster_add_class(cluster, "m", 2, NULL, NULL), BR_OK);
    for (uint32_t s = 0; s < SMALL + LARGE; s++) {
        bool small = s < SMALL;
        snprintf(id, sizeof id, "s%d", (int)s);
        assert_int_equal(br_dag_add_stage(dag, id, small ? FIT : 1,
                                          1 + (int64_t)br_rng_below(&rng, 9), NULL, NULL),
                         BR_OK);
        for (uint32_t r = 0; r < 2; r++) {
            int64_t demand = small    ? 1 + (int64_t)br_rng_below(&rng, 3)
                             : r == 0 ? FIT - (int64_t)br_rng_below(&rng, 4)
                                      : FIT / (2 + (int64_t)br_rng_below(&rng, 4));
            snprintf(amount, sizeof amount, "%d", (int)demand);
            assert_int_equal(br_dag_add_demand(dag, s, name[r], amount, NULL), BR_OK);
        }
    }
    snprintf(amount, sizeof amount, "%d", (int)FIT);
    for (uint32_t r = 0; r < 2; r++)
        assert_int_equal(br_cluster_add_capacity(cluster, 0, name[r], amount, NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_instance_create(dag, cluster, &in, NULL), BR_OK);
    pack(&p, in);
    struct br_packer *packer = br_packer_create(&p.packing);
    assert_true(packer && br_covers_init(&found, &p.packing, packer, COVERS));
    assert_true(found.count > 0);
    br_measures_finish(&found);
    br_packer_destroy(packer);
    br_instance_destroy(in);
    br_dag_destroy(dag);
    br_cluster_destroy(cluster);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(machines_hold_no_more),
        cmocka_unit_test(the_heaviest_beside_others),
        cmocka_unit_test(the_heaviest_of_many),
        cmocka_unit_test(many_tasks_take_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
