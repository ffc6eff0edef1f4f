/* Fixtures for outputs: the plan comes from a list schedule with a fixed number of lanes on every
 * machine, which is enough to look like one and needs no planner. */
#include "tests/emit/plan_fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/numbers/rng.h"

#define S INT64_C(1000000000)

static void ok(enum br_status status)
{
    assert_int_equal(status, BR_OK);
}

struct br_emit_input fixture_input(const struct fixture *fixture)
{
    return (struct br_emit_input){
        .dag = fixture->dag, .cluster = fixture->cluster, .plan = fixture->plan, .shell = true};
}

void fixture_finish(struct fixture *fixture)
{
    br_plan_destroy(fixture->plan);
    br_cluster_destroy(fixture->cluster);
    br_dag_destroy(fixture->dag);
    *fixture = (struct fixture){0};
}

char *fixture_emit(bool job, const char *format, const struct fixture *fixture)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    struct br_emit_input input = fixture_input(fixture);
    struct br_diag diag = {0};
    ok((job ? br_emit_job : br_emit_plan)(format, &input, out, &diag));
    assert_int_equal(fclose(out), 0);
    return text;
}

static uint32_t stage(struct br_dag *dag, const char *id, uint32_t tasks, int64_t duration_ns,
                      const char *cpu, const char *mem)
{
    uint32_t s;
    ok(br_dag_add_stage(dag, id, tasks, duration_ns, &s, NULL));
    if (cpu)
        ok(br_dag_add_demand(dag, s, "cpu", cpu, NULL));
    if (mem)
        ok(br_dag_add_demand(dag, s, "mem", mem, NULL));
    return s;
}

static void place(struct br_plan *plan, uint32_t task, uint32_t machine, int64_t start_ns,
                  char subset)
{
    plan->start_ns[task] = start_ns;
    plan->machine[task] = machine;
    plan->subset[task] = subset;
}

/* Earliest lane of any machine after the parents, stage by stage in topological order. */
static struct br_plan *list_schedule(const struct br_dag *dag, const struct br_cluster *cluster,
                                     uint32_t lanes)
{
    struct br_plan *plan = br_plan_create(dag->tasks);
    int64_t *stage_end = calloc(dag->stages, sizeof *stage_end);
    int64_t *free_at = calloc((size_t)cluster->machines * lanes, sizeof *free_at);
    assert_true(plan && stage_end && free_at);
    for (uint32_t k = 0; k < dag->stages; k++) {
        uint32_t s = dag->topological[k];
        for (uint32_t i = 0; i < dag->stage[s].tasks; i++) {
            uint32_t task = dag->stage[s].first_task + i;
            int64_t ready = 0;
            for (uint32_t e = 0; e < dag->edges; e++)
                if (dag->edge[e].child == s) {
                    uint32_t p = dag->edge[e].parent;
                    int64_t end = stage_end[p];
                    if (dag->edge[e].type == BR_ONE_TO_ONE) {
                        uint32_t parent = dag->stage[p].first_task + i;
                        end = plan->start_ns[parent] + dag->duration_ns[parent];
                    }
                    ready = end > ready ? end : ready;
                }
            uint32_t best = 0;
            for (uint32_t lane = 0; lane < cluster->machines * lanes; lane++)
                if (free_at[lane] < free_at[best])
                    best = lane;
            int64_t start = free_at[best] > ready ? free_at[best] : ready;
            free_at[best] = start + dag->duration_ns[task];
            stage_end[s] = free_at[best] > stage_end[s] ? free_at[best] : stage_end[s];
            place(plan, task, best / lanes, start, "TSPC"[s % 4]);
        }
    }
    free(stage_end);
    free(free_at);
    ok(br_plan_rank(plan, dag, NULL));
    return plan;
}

struct fixture fixture_small(void)
{
    struct br_dag *dag = br_dag_create("word-count");
    ok(br_dag_add_resource(dag, "cpu", "cores", NULL));
    ok(br_dag_add_resource(dag, "mem", "bytes", NULL));
    uint32_t split = stage(dag, "split", 1, 2 * S, "1", NULL);
    uint32_t map = stage(dag, "map", 3, 12 * S + S / 2, "1", "2147483648");
    uint32_t sort = stage(dag, "sort", 3, 4 * S, "0.59", "1073741824");
    uint32_t reduce = stage(dag, "reduce", 1, 8 * S + 1, "2", NULL);
    ok(br_dag_set_duration(dag, map, 1, 21 * S, NULL));
    ok(br_dag_set_command(dag, map, "./map --part {index} < \"in & out\"", NULL));
    ok(br_dag_add_edge(dag, split, map, BR_BARRIER, NULL));
    ok(br_dag_add_edge(dag, map, sort, BR_ONE_TO_ONE, NULL));
    ok(br_dag_add_edge(dag, sort, reduce, BR_BARRIER, NULL));
    ok(br_dag_add_attribute(dag, BR_OWNER_EDGE, 1, "width", "1e6", NULL));
    ok(br_dag_add_attribute(dag, BR_OWNER_JOB, 0, "owner", "tests", NULL));
    ok(br_dag_add_attribute(dag, BR_OWNER_STAGE, sort, "shape", "box", NULL));
    ok(br_dag_finish(dag, NULL));

    struct br_cluster *cluster = br_cluster_create("rack");
    uint32_t big, small;
    ok(br_cluster_add_class(cluster, "big", 1, &big, NULL));
    ok(br_cluster_add_class(cluster, "small", 2, &small, NULL));
    ok(br_cluster_add_capacity(cluster, big, "cpu", "4", NULL));
    ok(br_cluster_add_capacity(cluster, big, "mem", "8589934592", NULL));
    ok(br_cluster_add_capacity(cluster, small, "cpu", "1.5", NULL));
    ok(br_cluster_add_capacity(cluster, small, "mem", "4294967296", NULL));

    struct br_plan *plan = br_plan_create(dag->tasks);
    place(plan, 0, 0, 0, 'P');
    place(plan, 1, 1, 2 * S, 'S');
    place(plan, 2, 0, 2 * S, 'T');
    place(plan, 3, 0, 2 * S, 'S');
    place(plan, 4, 1, 14 * S + S / 2, 'S');
    place(plan, 5, 0, 23 * S, 'T');
    place(plan, 6, 0, 14 * S + S / 2, 'S');
    place(plan, 7, 0, 27 * S, 'C');
    ok(br_plan_rank(plan, dag, NULL));
    plan->method = "graphene";
    plan->seed = UINT64_MAX;
    plan->placements = 96;
    plan->lower_bound_ns = 33 * S;
    plan->bound_method = "cplen";
    plan->note = "stopped at 96 placements";
    static struct br_plan_trial trials[] = {{"graphene", 35 * S + 1}, {"cp", 37 * S}};
    plan->trials = 2;
    plan->trial = trials;
    static struct br_plan_part parts[] = {{.stages = 1,
                                           .tasks = 1,
                                           .method = "trivial",
                                           .bypass = "a chain",
                                           .s = 1,
                                           .makespan_ns = 2 * S,
                                           .lower_bound_ns = 2 * S},
                                          {.stages = 3,
                                           .tasks = 7,
                                           .method = "graphene",
                                           .frag_score = 0.25,
                                           .t = 2,
                                           .s = 4,
                                           .c = 1,
                                           .order = "T> S< C> P<",
                                           .pairs = 12,
                                           .distinct = 5,
                                           .duplicate = 6,
                                           .pruned = 1,
                                           .variants = 60,
                                           .start_ns = 2 * S,
                                           .makespan_ns = 33 * S + 1,
                                           .lower_bound_ns = 31 * S}};
    parts[0].long_score = parts[0].frag_score = parts[1].long_score = (double)NAN;
    plan->parts = 2;
    plan->part = parts;
    return (struct fixture){dag, cluster, plan};
}

struct fixture fixture_nasty(void)
{
    struct br_dag *dag = br_dag_create("a \"quoted\" <job> & more\x01");
    uint32_t a = stage(dag, "tab\there", 2, S, "0.000000001", NULL);
    uint32_t b = stage(dag, "back\\slash\"", 2, 0, NULL, NULL);
    uint32_t c = stage(dag, "bad \xff utf-8 \xc3\xa9 \xf0\x9f\xaa\xa8", 1, 3600 * S, NULL, NULL);
    uint32_t d = stage(dag, "line\nbreak ]]> [0]", 1, 1, NULL, NULL);
    uint32_t e = stage(dag, "holds \\ inside", 1, 1, NULL, "999999999999999999");
    ok(br_dag_set_command(dag, c, "printf '\\t\x7f' > out; cat <<X\n\tx\r\nX\n", NULL));
    ok(br_dag_add_edge(dag, a, b, BR_ONE_TO_ONE, NULL));
    ok(br_dag_add_edge(dag, a, c, BR_BARRIER, NULL));
    ok(br_dag_add_edge(dag, c, d, BR_BARRIER, NULL));
    ok(br_dag_add_edge(dag, b, e, BR_BARRIER, NULL));
    ok(br_dag_add_attribute(dag, BR_OWNER_STAGE, e, "label", "<b>\"\n\\N</b>", NULL));
    ok(br_dag_add_attribute(dag, BR_OWNER_STAGE, e, "na me", "", NULL));
    ok(br_dag_finish(dag, NULL));
    struct br_cluster *cluster = br_cluster_create(NULL);
    ok(br_cluster_add_class(cluster, "m \"&\t<", 1, NULL, NULL));
    ok(br_cluster_add_capacity(cluster, 0, "cpu", "1", NULL));
    ok(br_cluster_add_capacity(cluster, 0, "mem", "999999999999999999", NULL));
    struct br_plan *plan = list_schedule(dag, cluster, 2);
    plan->method = "cp";
    plan->bound_method = "none";
    return (struct fixture){dag, cluster, plan};
}

static int64_t random_duration(struct br_rng *rng)
{
    switch (br_rng_below(rng, 4)) {
    case 0:
        return 0;
    case 1:
        return (int64_t)br_rng_below(rng, 100) * S;
    case 2:
        return (int64_t)br_rng_below(rng, 100000) * S / 1000;
    default:
        return (int64_t)br_rng_below(rng, UINT64_C(1) << 52);
    }
}

static void random_amount(struct br_rng *rng, char *text, size_t size)
{
    struct br_decimal value = {(int64_t)br_rng_below(rng, 1000), 0};
    if (br_rng_below(rng, 4) == 0)
        value.mantissa = (int64_t)br_rng_below(rng, UINT64_C(999999999999999999));
    br_decimal_format(value, text, size);
    if (br_rng_below(rng, 2) == 0)
        strncat(text, "e-7", size - strlen(text) - 1);
}

struct fixture fixture_random(uint64_t seed, uint32_t tasks)
{
    struct br_rng rng = br_rng_seed(seed);
    static const char *const resources[] = {"cpu", "mem", "disk\"0\""};
    char id[64], text[64];
    struct br_dag *dag = br_dag_create(seed % 7 ? "random" : "");
    if (br_rng_below(&rng, 2))
        ok(br_dag_add_resource(dag, "mem", "MiB", NULL));
    do {
        uint32_t count = 1 + (uint32_t)br_rng_below(&rng, 3) * (uint32_t)br_rng_below(&rng, 4);
        if (count > tasks)
            count = tasks;
        tasks -= count;
        snprintf(id, sizeof id, "%s%u", br_rng_below(&rng, 3) ? "s" : "a [b]\\\xc3\xa9",
                 (unsigned)dag->stages);
        uint32_t s = stage(dag, id, count, random_duration(&rng), NULL, NULL);
        for (uint32_t r = 0; r < 3; r++)
            if (br_rng_below(&rng, 2)) {
                random_amount(&rng, text, sizeof text);
                ok(br_dag_add_demand(dag, s, resources[r], text, NULL));
            }
        if (br_rng_below(&rng, 3) == 0)
            ok(br_dag_set_duration(dag, s, (uint32_t)br_rng_below(&rng, count),
                                   random_duration(&rng), NULL));
        if (br_rng_below(&rng, 3) == 0)
            ok(br_dag_set_command(dag, s, "run {index}\n", NULL));
        for (uint64_t k = br_rng_below(&rng, 3); k-- > 0;)
            ok(br_dag_add_attribute(dag, BR_OWNER_STAGE, s, k ? "x" : "y", "1 & 2", NULL));
        for (uint64_t k = br_rng_below(&rng, 3); k-- > 0 && s > 0;) {
            uint32_t parent = (uint32_t)br_rng_below(&rng, s);
            bool equal = dag->stage[parent].tasks == count;
            ok(br_dag_add_edge(dag, parent, s,
                               equal && br_rng_below(&rng, 2) ? BR_ONE_TO_ONE : BR_BARRIER, NULL));
            if (br_rng_below(&rng, 3) == 0)
                ok(br_dag_add_attribute(dag, BR_OWNER_EDGE, br_dag_last_edge(dag), "w", "2", NULL));
        }
    } while (tasks > 0);
    if (br_rng_below(&rng, 2))
        ok(br_dag_add_attribute(dag, BR_OWNER_JOB, 0, "rankdir", "LR", NULL));
    ok(br_dag_finish(dag, NULL));

    struct br_cluster *cluster = br_cluster_create(br_rng_below(&rng, 2) ? "c" : NULL);
    for (uint64_t k = br_rng_below(&rng, 3) + 1; k-- > 0;) {
        uint32_t c;
        snprintf(id, sizeof id, "m%u", (unsigned)k);
        ok(br_cluster_add_class(cluster, id, 1 + (uint32_t)br_rng_below(&rng, 3), &c, NULL));
        for (uint32_t r = 0; r < 3; r++) {
            random_amount(&rng, text, sizeof text);
            ok(br_cluster_add_capacity(cluster, c, resources[r], text, NULL));
        }
    }
    struct br_plan *plan = list_schedule(dag, cluster, 1 + (uint32_t)br_rng_below(&rng, 2));
    plan->method = "random";
    plan->seed = br_rng_next(&rng);
    plan->bound_method = "twork";
    plan->lower_bound_ns = (int64_t)br_rng_below(&rng, (uint64_t)plan->makespan_ns + 1);
    plan->placements = br_rng_next(&rng);
    plan->parts = (uint32_t)br_rng_below(&rng, 3);
    plan->part = br_arena_array(&plan->arena, plan->parts, sizeof *plan->part);
    assert_non_null(plan->part);
    for (uint32_t k = 0; k < plan->parts; k++)
        plan->part[k] = (struct br_plan_part){
            .stages = k,
            .method = "lft",
            .long_score = br_rng_below(&rng, 3) ? br_rng_unit(&rng) : (double)NAN,
            .frag_score = br_rng_unit(&rng),
            .variants = br_rng_next(&rng),
            .makespan_ns = (int64_t)br_rng_below(&rng, UINT64_C(1000000000000000000)),
        };
    return (struct fixture){dag, cluster, plan};
}

struct fixture fixture_layers(uint32_t stages, uint32_t tasks, uint32_t machines, uint32_t lanes)
{
    struct br_rng rng = br_rng_seed(stages * 31 + tasks);
    char id[32];
    struct br_dag *dag = br_dag_create("layers");
    for (uint32_t k = 0; k < stages; k++) {
        snprintf(id, sizeof id, "stage%u", (unsigned)k);
        uint32_t s = stage(dag, id, tasks, (int64_t)(1 + br_rng_below(&rng, 20)) * S, "1", "2");
        for (uint32_t i = 0; i < tasks; i += 3)
            ok(br_dag_set_duration(dag, s, i, (int64_t)(1 + br_rng_below(&rng, 30)) * S, NULL));
        if (k >= 3)
            ok(br_dag_add_edge(dag, s - 3 + (uint32_t)br_rng_below(&rng, 2), s, BR_BARRIER, NULL));
    }
    ok(br_dag_finish(dag, NULL));
    struct br_cluster *cluster = br_cluster_create("layers");
    ok(br_cluster_add_class(cluster, "node", machines, NULL, NULL));
    snprintf(id, sizeof id, "%u", (unsigned)lanes);
    ok(br_cluster_add_capacity(cluster, 0, "cpu", id, NULL));
    ok(br_cluster_add_capacity(cluster, 0, "mem", "64", NULL));
    struct br_plan *plan = list_schedule(dag, cluster, lanes);
    plan->method = "cp";
    plan->bound_method = "twork";
    plan->lower_bound_ns = plan->makespan_ns / 100 * 93;
    return (struct fixture){dag, cluster, plan};
}
