/* Orders of all tasks from lists of some, against a slow model on random jobs: a listed task comes
 * right after those of its ancestors that are not listed, and the rest in its own order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/numbers/rng.h"
#include "planner/model/task_order.h"
#include "tests/support/random_job.h"

enum { JOBS = 1000, MOST = RANDOM_JOB_TASKS };

struct model {
    uint32_t tasks;
    bool above[MOST][MOST]; /* above[a][b]: a is an ancestor of b */
};

static void find_above(struct model *m, const struct br_dag *dag)
{
    memset(m, 0, sizeof *m);
    m->tasks = dag->tasks;
    for (uint32_t e = 0; e < dag->edges; e++) {
        const struct br_edge *edge = &dag->edge[e];
        const struct br_stage *p = &dag->stage[edge->parent], *c = &dag->stage[edge->child];
        for (uint32_t i = 0; i < p->tasks; i++)
            for (uint32_t j = 0; j < c->tasks; j++)
                m->above[p->first_task + i][c->first_task + j] |=
                    !br_dag_is_paired(dag, edge) || i == j;
    }
    for (uint32_t k = 0; k < m->tasks; k++)
        for (uint32_t a = 0; a < m->tasks; a++)
            for (uint32_t b = 0; m->above[a][k] && b < m->tasks; b++)
                m->above[a][b] |= m->above[k][b];
}

/* An order in which parents come first, by drawing among the tasks whose parents are out. */
static void draw_order(const struct model *m, struct br_rng *rng, uint32_t *order)
{
    bool out[MOST] = {false};
    for (uint32_t n = 0; n < m->tasks;) {
        const uint32_t t = (uint32_t)br_rng_below(rng, m->tasks);
        bool ready = !out[t];
        for (uint32_t a = 0; a < m->tasks; a++)
            ready &= !m->above[a][t] || out[a];
        if (ready) {
            out[t] = true;
            order[n++] = t;
        }
    }
}

static void complete_slowly(const struct model *m, const uint32_t *listed, uint32_t count,
                            const uint32_t *rest, uint32_t *order)
{
    bool out[MOST] = {false};
    uint32_t n = 0;
    for (uint32_t k = 0; k <= count; k++) {
        for (uint32_t r = 0; r < m->tasks; r++)
            if (!out[rest[r]] && (k == count || m->above[rest[r]][listed[k]])) {
                out[rest[r]] = true;
                order[n++] = rest[r];
            }
        if (k < count) {
            out[listed[k]] = true;
            order[n++] = listed[k];
        }
    }
    assert_int_equal(n, m->tasks);
}

static void as_the_model(void **state)
{
    static struct model m;
    uint32_t refused = 0;
    for (uint64_t seed = 1; seed <= random_jobs(JOBS); seed++) {
        struct br_rng rng = br_rng_seed(seed);
        struct random_job job;
        assert_true(random_job_make(seed, 30, 0, &job));
        const struct br_dag *dag = job.dag;
        uint32_t rest[MOST], listed[MOST], made[MOST], want[MOST], count = 0;
        find_above(&m, dag);
        draw_order(&m, &rng, rest);
        draw_order(&m, &rng, made);
        const uint32_t share = (uint32_t)br_rng_below(&rng, 5);
        for (uint32_t k = 0; k < m.tasks; k++)
            if (br_rng_below(&rng, 4) < share)
                listed[count++] = made[k];
        assert_int_equal(br_dag_complete_order(dag, listed, count, rest, made, NULL), BR_OK);
        complete_slowly(&m, listed, count, rest, want);
        assert_memory_equal(made, want, m.tasks * sizeof *made);
        assert_int_equal(br_dag_check_order(dag, made, NULL), BR_OK);
        /* By critical path parents come first, and with any two tasks in the wrong order it says
         * so.
         */
        assert_int_equal(br_dag_complete_order(dag, NULL, 0, NULL, made, NULL), BR_OK);
        assert_int_equal(br_dag_check_order(dag, made, NULL), BR_OK);
        for (uint32_t a = 0; a < count; a++)
            for (uint32_t b = a + 1; b < count; b++)
                if (m.above[listed[a]][listed[b]]) {
                    const uint32_t wrong[] = {listed[b], listed[a]};
                    assert_int_equal(br_dag_complete_order(dag, wrong, 2, rest, made, NULL),
                                     BR_BAD_INPUT);
                    refused++;
                }
        random_job_finish(&job);
    }
    assert_true(refused > 100);
}

static void by_paths(void **state)
{
    struct br_dag *dag = br_dag_create("paths");
    uint32_t order[4];
    assert_int_equal(br_dag_add_stage(dag, "short", 1, 5, NULL, NULL), BR_OK);
    assert_int_equal(br_dag_add_stage(dag, "first", 2, 3, NULL, NULL), BR_OK);
    assert_int_equal(br_dag_add_stage(dag, "last", 1, 3, NULL, NULL), BR_OK);
    assert_int_equal(br_dag_set_duration(dag, 1, 1, 1, NULL), BR_OK);
    assert_int_equal(br_dag_add_edge(dag, 1, 2, BR_BARRIER, NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    /* Ways to the end: 5, 6, 4, 3. */
    const uint32_t want[] = {1, 0, 2, 3}, twice[] = {1, 1}, unknown[] = {4};
    assert_int_equal(br_dag_complete_order(dag, NULL, 0, NULL, order, NULL), BR_OK);
    assert_memory_equal(order, want, sizeof want);
    assert_int_equal(br_dag_complete_order(dag, twice, 2, NULL, order, NULL), BR_BAD_INPUT);
    assert_int_equal(br_dag_complete_order(dag, unknown, 1, NULL, order, NULL), BR_USAGE);
    assert_int_equal(br_dag_complete_order(dag, NULL, 1, NULL, order, NULL), BR_USAGE);
    assert_int_equal(br_dag_complete_order(dag, NULL, 0, (uint32_t[]){0, 1, 2, 2}, order, NULL),
                     BR_USAGE);
    br_dag_destroy(dag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_model),
        cmocka_unit_test(by_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
