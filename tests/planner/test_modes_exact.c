/* Populations and clause learning over ways go on from each other's schedules: on jobs cut out of a
 * full rectangle, which neither finds by itself so soon. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/numbers/rng.h"
#include "planner/modes/search.h"
#include "planner/planning/modes_exact.h"

enum { TASKS = 60, CORES = 30, TICKS = 100 };
#define S INT64_C(1000000000)

struct piece {
    uint32_t start, ticks, cores;
};

struct cut {
    struct br_dag *dag;
    struct br_cluster *cluster;
    struct br_modes *modes;
    uint32_t way[TASKS], machine[TASKS];
    int64_t start_ns[TASKS], planted_ns[TASKS];
    uint32_t asked;
    bool gives; /* the planted schedule, if asked */
};

static void ok(enum br_status status)
{
    assert_int_equal(status, BR_OK);
}

/* Cuts the largest piece in two until there are as many as tasks. */
static void cut_pieces(struct piece *piece, struct br_rng *rng)
{
    piece[0] = (struct piece){0, TICKS, CORES};
    for (uint32_t n = 1; n < TASKS; n++) {
        uint32_t k = 0;
        for (uint32_t j = 1; j < n; j++)
            if (piece[j].ticks * piece[j].cores > piece[k].ticks * piece[k].cores)
                k = j;
        piece[n] = piece[k];
        if (piece[k].cores > 1 && (piece[k].ticks < 2 || br_rng_below(rng, 2))) {
            piece[n].cores = 1 + (uint32_t)br_rng_below(rng, piece[k].cores - 1);
            piece[k].cores -= piece[n].cores;
        } else {
            piece[n].ticks = 1 + (uint32_t)br_rng_below(rng, piece[k].ticks - 1);
            piece[k].ticks -= piece[n].ticks;
            piece[k].start += piece[n].ticks;
        }
    }
}

/* A task for each piece, whose other alternative takes longer; if that is `thin`, on fewer cores.
 */
static void make_cut(struct cut *c, uint64_t seed, bool thin)
{
    struct piece piece[TASKS];
    struct br_rng rng = br_rng_seed(seed);
    memset(c, 0, sizeof *c);
    cut_pieces(piece, &rng);
    c->dag = br_dag_create("cut");
    c->cluster = br_cluster_create("one");
    for (uint32_t t = 0; t < TASKS; t++) {
        char id[16], cores[16];
        uint32_t stage, alternative;
        const int64_t ns = piece[t].ticks * S;
        snprintf(id, sizeof id, "t%u", t);
        snprintf(cores, sizeof cores, "%u", piece[t].cores);
        ok(br_dag_add_stage(c->dag, id, 1, ns, &stage, NULL));
        ok(br_dag_add_alternative(c->dag, stage, "planted", ns, &alternative, NULL));
        ok(br_dag_add_alternative_demand(c->dag, stage, alternative, "cpu", cores, NULL));
        ok(br_dag_add_alternative(c->dag, stage, "other", ns + S, &alternative, NULL));
        if (thin)
            snprintf(cores, sizeof cores, "%u", (piece[t].cores + 1) / 2);
        ok(br_dag_add_alternative_demand(c->dag, stage, alternative, "cpu", cores, NULL));
        c->planted_ns[t] = piece[t].start * S;
    }
    uint32_t cls;
    ok(br_dag_finish(c->dag, NULL));
    ok(br_cluster_add_class(c->cluster, "m", 1, &cls, NULL));
    ok(br_cluster_add_capacity(c->cluster, cls, "cpu", "30", NULL));
    ok(br_modes_create(c->dag, c->cluster, &c->modes, NULL));
}

static void finish_cut(struct cut *c)
{
    br_modes_destroy(c->modes);
    br_cluster_destroy(c->cluster);
    br_dag_destroy(c->dag);
}

static void take_planted(const struct cut *c, struct br_modes_exact *e)
{
    for (uint32_t t = 0; t < TASKS; t++)
        e->way[t] = c->modes->way_first[t];
    memcpy(e->start_ns, c->planted_ns, sizeof c->planted_ns);
    e->makespan_ns = TICKS * S;
}

static bool other_search(void *context, struct br_modes_exact *e, uint64_t conflicts)
{
    struct cut *c = context;
    c->asked++;
    assert_true(conflicts > 0);
    if (c->gives && e->makespan_ns > TICKS * S)
        take_planted(c, e);
    return true;
}

/* One task after another, in as many conflicts. */
static struct br_modes_exact run_from_long(struct cut *c, int64_t lower_ns, uint64_t conflicts)
{
    static const struct br_multipliers none = {0};
    struct br_modes_exact e = {.modes = c->modes,
                               .multipliers = &none,
                               .conflicts = conflicts,
                               .other = other_search,
                               .context = c,
                               .way = c->way,
                               .machine = c->machine,
                               .start_ns = c->start_ns,
                               .lower_ns = lower_ns};
    for (uint32_t t = 0; t < TASKS; t++) {
        c->way[t] = c->modes->way_first[t];
        c->machine[t] = 0;
        c->start_ns[t] = e.makespan_ns;
        e.makespan_ns += br_way_duration(c->modes, c->way[t], t);
    }
    assert_true(br_modes_exact_run(&e));
    return e;
}

/* A given schedule that meets the bound ends the search; else it does not come so far. */
static void test_other_search(void **state)
{
    struct cut c;
    make_cut(&c, 7, false);
    c.gives = true;
    struct br_modes_exact e = run_from_long(&c, TICKS * S, 4000);
    assert_true(e.ran);
    assert_int_equal(c.asked, 1);
    assert_int_equal(e.makespan_ns, TICKS * S);
    assert_int_equal(e.lower_ns, TICKS * S);
    assert_memory_equal(c.start_ns, c.planted_ns, sizeof c.start_ns);
    c.gives = false;
    c.asked = 0;
    e = run_from_long(&c, TICKS * S, 4000);
    assert_true(c.asked > 1);
    assert_true(e.makespan_ns > TICKS * S);
    assert_in_range(e.spent, 4000, 6000);
    finish_cut(&c);
}

/* What comes back are the ways with which the starts fit. */
static void test_ways_fit(void **state)
{
    struct cut c;
    uint32_t others = 0;
    make_cut(&c, 5, true);
    const int64_t all = (int64_t)TASKS * TICKS * S;
    const struct br_modes_exact e = run_from_long(&c, 0, 2000);
    assert_true(e.shortened && e.makespan_ns < all);
    for (uint32_t t = 0; t < TASKS; t++) {
        int64_t cores = 0; /* in use when it starts */
        for (uint32_t u = 0; u < TASKS; u++) {
            const int64_t end_ns = c.start_ns[u] + br_way_duration(c.modes, c.way[u], u);
            assert_true(end_ns <= e.makespan_ns);
            if (c.start_ns[u] <= c.start_ns[t] && c.start_ns[t] < end_ns)
                cores += c.modes->demand[(size_t)c.way[u] * c.modes->resources];
        }
        assert_true(cores <= c.modes->capacity[0]);
        others += c.way[t] != c.modes->way_first[t];
    }
    assert_true(others > 0 && others < TASKS);
    finish_cut(&c);
}

/* Ticks of a nanosecond are too many for clauses: nothing happens. */
static void test_too_many_ticks(void **state)
{
    struct cut c;
    make_cut(&c, 7, false);
    c.modes->duration[0] += 1;
    const struct br_modes_exact e = run_from_long(&c, 0, 4000);
    assert_false(e.ran);
    assert_int_equal(c.asked, 0);
    finish_cut(&c);
}

/* A population that may place each task once begins with what it is given. */
static void test_population_begins(void **state)
{
    struct cut c;
    make_cut(&c, 9, false);
    uint32_t way[TASKS], machine[TASKS];
    int64_t start[TASKS];
    for (uint32_t t = 0; t < TASKS; t++)
        way[t] = c.modes->way_first[t];
    struct br_modes_budget budget = {.placements = TASKS, .enough = TICKS * S, .seed = 1};
    struct br_modes_found found = {.way = c.way, .machine = machine, .start = start};
    assert_true(br_modes_search(c.modes, &budget, &found));
    assert_true(found.afforded && found.makespan > TICKS * S);
    budget.from_way = way;
    budget.from_start = c.planted_ns;
    assert_true(br_modes_search(c.modes, &budget, &found));
    assert_int_equal(found.makespan, TICKS * S);
    assert_memory_equal(start, c.planted_ns, sizeof start);
    assert_memory_equal(c.way, way, sizeof way);
    assert_int_equal(found.spent, TASKS);
    finish_cut(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_other_search),
        cmocka_unit_test(test_ways_fit),
        cmocka_unit_test(test_too_many_ticks),
        cmocka_unit_test(test_population_begins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
