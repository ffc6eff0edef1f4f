/* HEFT, CPOP and PEFT with transfers against slow models of the published rules: task by task, by
 * plain search over all machines and starts, on random small jobs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/numbers/rng.h"
#include "planner/network/published.h"

enum { TASKS = 24, MACHINES = 4, CLASSES = 2, JOBS = 400 };
#define S INT64_C(1000000000)

struct model {
    struct br_dag *dag;
    struct br_cluster *cluster;
    struct br_instance *in;
    struct br_network_job job;
    uint32_t tasks, stage[TASKS], machines, cls[MACHINES];
    int64_t cores[TASKS], capacity[CLASSES], rate[CLASSES], lasts[TASKS];
    const struct br_edge *edge[TASKS][TASKS]; /* [parent][child]; NULL: none */
    int64_t key[TASKS], up[TASKS], down[TASKS], optimistic[TASKS][MACHINES];
    int64_t start[TASKS], end[TASKS];
    uint32_t machine[TASKS], only[TASKS];
    bool placed[TASKS];
};

static void ok(enum br_status status)
{
    assert_int_equal(status, BR_OK);
}

static void draw_job(struct model *m, struct br_rng *rng)
{
    const uint32_t stages = 2 + (uint32_t)br_rng_below(rng, 4);
    m->dag = br_dag_create("j");
    for (uint32_t s = 0; s < stages; s++) {
        char id[8], cores[8];
        const uint32_t tasks = 1 + (uint32_t)br_rng_below(rng, 4);
        const int64_t least = 1 + (int64_t)br_rng_below(rng, 3);
        snprintf(id, sizeof id, "s%u", s);
        snprintf(cores, sizeof cores, "%d", (int)least);
        ok(br_dag_add_stage(m->dag, id, tasks, (int64_t)br_rng_below(rng, 9) * S, NULL, NULL));
        ok(br_dag_add_demand(m->dag, s, "cpu", cores, NULL));
        for (uint32_t i = 0; i < tasks; i++)
            if (br_rng_below(rng, 3) == 0)
                ok(br_dag_set_duration(m->dag, s, i, (int64_t)br_rng_below(rng, 12) * S, NULL));
        for (uint32_t p = 0; p < s; p++) {
            if (br_rng_below(rng, 2))
                continue;
            const bool paired = m->dag->stage[p].tasks == tasks && br_rng_below(rng, 2);
            ok(br_dag_add_edge(m->dag, p, s, paired ? BR_ONE_TO_ONE : BR_BARRIER, NULL));
            ok(br_dag_set_edge_bytes(m->dag, p, s, (int64_t)br_rng_below(rng, 200), NULL));
        }
    }
    ok(br_dag_finish(m->dag, NULL));
}

static void draw_cluster(struct model *m, struct br_rng *rng)
{
    m->cluster = br_cluster_create("c");
    const uint32_t classes = 1 + (uint32_t)br_rng_below(rng, CLASSES);
    for (uint32_t c = 0; c < classes; c++) {
        uint32_t cls;
        char text[16];
        const uint32_t count = 1 + (uint32_t)br_rng_below(rng, 2);
        m->capacity[c] = c ? 1 + (int64_t)br_rng_below(rng, 3) : 3;
        m->rate[c] = 1 + (int64_t)br_rng_below(rng, 30);
        snprintf(text, sizeof text, "c%u", c);
        ok(br_cluster_add_class(m->cluster, text, count, &cls, NULL));
        snprintf(text, sizeof text, "%d", (int)m->capacity[c]);
        ok(br_cluster_add_capacity(m->cluster, cls, "cpu", text, NULL));
        ok(br_cluster_set_network(m->cluster, cls, m->rate[c], m->rate[c], NULL));
        for (uint32_t k = 0; k < count; k++)
            m->cls[m->machines++] = c;
    }
}

static void open_model(struct model *m, uint64_t seed)
{
    struct br_rng rng = br_rng_seed(seed);
    memset(m, 0, sizeof *m);
    draw_job(m, &rng);
    draw_cluster(m, &rng);
    ok(br_instance_create(m->dag, m->cluster, &m->in, NULL));
    ok(br_network_job_init(&m->job, m->dag, m->cluster, m->in, NULL));
    m->tasks = m->dag->tasks;
    for (uint32_t s = 0; s < m->dag->stages; s++)
        for (uint32_t i = 0; i < m->dag->stage[s].tasks; i++) {
            const uint32_t t = m->dag->stage[s].first_task + i;
            m->stage[t] = s;
            m->cores[t] = m->in->demand[(size_t)s * m->in->resources];
            m->lasts[t] = m->dag->duration_ns[t];
        }
    for (uint32_t c = 0; c < m->cluster->classes; c++)
        m->capacity[c] = m->in->capacity[(size_t)c * m->in->resources];
    for (uint32_t e = 0; e < m->dag->edges; e++) {
        const struct br_edge *edge = &m->dag->edge[e];
        const struct br_stage *p = &m->dag->stage[edge->parent], *c = &m->dag->stage[edge->child];
        for (uint32_t i = 0; i < p->tasks; i++)
            for (uint32_t j = 0; j < c->tasks; j++)
                if (edge->type == BR_BARRIER || i == j)
                    m->edge[p->first_task + i][c->first_task + j] = edge;
    }
}

static void close_model(struct model *m)
{
    br_network_job_finish(&m->job);
    br_instance_destroy(m->in);
    br_cluster_destroy(m->cluster);
    br_dag_destroy(m->dag);
}

/* ---- The rules ---- */

static int64_t moves(const struct model *m, uint32_t p, uint32_t c, int64_t rate)
{
    const struct br_edge *e = m->edge[p][c];
    const int64_t parts = m->dag->stage[e->parent].tasks *
                          (e->type == BR_BARRIER ? (int64_t)m->dag->stage[e->child].tasks : 1);
    return rate ? (e->bytes * S + parts * rate - 1) / (parts * rate) : 0;
}

static int64_t rate_of(const struct model *m, uint32_t from, uint32_t to)
{
    const int64_t a = m->rate[m->cls[from]], b = m->rate[m->cls[to]];
    return a < b ? a : b;
}

static int64_t mean_rate(const struct model *m)
{
    int64_t sum = 0, pairs = 0;
    for (uint32_t a = 0; a < m->machines; a++)
        for (uint32_t b = 0; b < m->machines; b++)
            if (a != b) {
                sum += rate_of(m, a, b);
                pairs++;
            }
    return pairs ? sum / pairs : 0;
}

static bool holds(const struct model *m, uint32_t machine, uint32_t task)
{
    return m->cores[task] <= m->capacity[m->cls[machine]];
}

/* Tasks are numbered parents first. */
static void rank_all(struct model *m, enum br_published_rule rule)
{
    const int64_t mean = mean_rate(m);
    for (uint32_t t = m->tasks; t-- > 0;) {
        int64_t sum = 0, count = 0;
        m->up[t] = 0;
        for (uint32_t c = 0; c < m->tasks; c++)
            if (m->edge[t][c] && moves(m, t, c, mean) + m->up[c] > m->up[t])
                m->up[t] = moves(m, t, c, mean) + m->up[c];
        m->up[t] += m->lasts[t];
        for (uint32_t a = 0; a < m->machines; a++) {
            m->optimistic[t][a] = 0;
            for (uint32_t c = 0; c < m->tasks; c++) {
                int64_t best = INT64_MAX;
                for (uint32_t b = 0; b < m->machines && m->edge[t][c]; b++) {
                    const int64_t path =
                        m->optimistic[c][b] + m->lasts[c] + (a == b ? 0 : moves(m, t, c, mean));
                    if (holds(m, b, c) && path < best)
                        best = path;
                }
                if (m->edge[t][c] && best > m->optimistic[t][a])
                    m->optimistic[t][a] = best;
            }
            if (holds(m, a, t)) {
                sum += m->optimistic[t][a];
                count++;
            }
        }
        m->key[t] = rule == BR_PUBLISHED_PEFT ? sum / count : m->up[t];
    }
    for (uint32_t t = 0; t < m->tasks; t++) {
        m->down[t] = 0;
        for (uint32_t p = 0; p < t; p++)
            if (m->edge[p][t] && m->down[p] + m->lasts[p] + moves(m, p, t, mean) > m->down[t])
                m->down[t] = m->down[p] + m->lasts[p] + moves(m, p, t, mean);
        m->key[t] += rule == BR_PUBLISHED_CPOP ? m->down[t] : 0;
    }
}

/* One longest path on the machine that holds most of it. */
static void pin(struct model *m)
{
    int64_t most = 0;
    uint32_t path[TASKS], length = 0, best = 0, best_held = 0;
    for (uint32_t t = 0; t < m->tasks; t++)
        most = m->key[t] > most ? m->key[t] : most;
    for (uint32_t k = 0; k < m->dag->stages; k++) {
        const struct br_stage *of = &m->dag->stage[m->dag->topological[k]];
        for (uint32_t t = of->first_task; t < of->first_task + of->tasks; t++)
            if (m->key[t] == most &&
                (length ? m->edge[path[length - 1]][t] != NULL : m->down[t] == 0)) {
                path[length++] = t;
                break;
            }
    }
    for (uint32_t a = 0; a < m->machines; a++) {
        uint32_t held = 0;
        for (uint32_t k = 0; k < length; k++)
            held += holds(m, a, path[k]);
        if (held > best_held) {
            best_held = held;
            best = a;
        }
    }
    for (uint32_t k = 0; k < length; k++)
        if (holds(m, best, path[k]))
            m->only[path[k]] = best;
}

static bool fits(const struct model *m, uint32_t task, uint32_t machine, int64_t start)
{
    for (int64_t at = start; at < start + m->lasts[task];) {
        int64_t used = m->cores[task], next = start + m->lasts[task];
        for (uint32_t o = 0; o < m->tasks; o++) {
            if (!m->placed[o] || m->machine[o] != machine)
                continue;
            used += m->start[o] <= at && m->end[o] > at ? m->cores[o] : 0;
            next = m->start[o] > at && m->start[o] < next ? m->start[o] : next;
            next = m->end[o] > at && m->end[o] < next ? m->end[o] : next;
        }
        if (used > m->capacity[m->cls[machine]])
            return false;
        at = next;
    }
    return true;
}

static int64_t earliest(const struct model *m, uint32_t task, uint32_t machine)
{
    int64_t ready = 0, best = INT64_MAX;
    for (uint32_t p = 0; p < m->tasks; p++)
        if (m->edge[p][task]) {
            const int64_t rate = rate_of(m, m->machine[p], machine);
            const int64_t at = m->end[p] + (m->machine[p] == machine ? 0 : moves(m, p, task, rate));
            ready = at > ready ? at : ready;
        }
    if (fits(m, task, machine, ready))
        return ready;
    for (uint32_t o = 0; o < m->tasks; o++)
        if (m->placed[o] && m->end[o] > ready && m->end[o] < best &&
            fits(m, task, machine, m->end[o]))
            best = m->end[o];
    return best;
}

static void place_next(struct model *m, enum br_published_rule rule)
{
    uint32_t task = UINT32_MAX, best = UINT32_MAX;
    int64_t best_score = 0;
    for (uint32_t t = 0; t < m->tasks; t++) {
        bool ready = !m->placed[t];
        for (uint32_t p = 0; p < m->tasks; p++)
            ready = ready && (!m->edge[p][t] || m->placed[p]);
        if (ready && (task == UINT32_MAX || m->key[t] > m->key[task]))
            task = t;
    }
    for (uint32_t a = 0; a < m->machines; a++) {
        if (!holds(m, a, task) || (m->only[task] != UINT32_MAX && m->only[task] != a))
            continue;
        const int64_t start = earliest(m, task, a);
        const int64_t score = start + (rule == BR_PUBLISHED_PEFT ? m->optimistic[task][a] : 0);
        if (best == UINT32_MAX || score < best_score) {
            best = a;
            best_score = score;
            m->start[task] = start;
        }
    }
    m->machine[task] = best;
    m->end[task] = m->start[task] + m->lasts[task];
    m->placed[task] = true;
}

/* ---- The tests ---- */

static void test_rules(void **state)
{
    uint32_t moved = 0;
    for (uint32_t seed = 0; seed < JOBS; seed++) {
        struct model m;
        open_model(&m, seed);
        for (enum br_published_rule rule = BR_PUBLISHED_HEFT; rule <= BR_PUBLISHED_PEFT; rule++) {
            uint32_t machine[TASKS], sequence[TASKS];
            int64_t start[TASKS];
            memset(m.placed, 0, sizeof m.placed);
            memset(m.only, 0xff, sizeof m.only);
            rank_all(&m, rule);
            if (rule == BR_PUBLISHED_CPOP)
                pin(&m);
            for (uint32_t k = 0; k < m.tasks; k++)
                place_next(&m, rule);
            assert_true(br_published_course(&m.job, rule, machine, sequence, start));
            for (uint32_t t = 0; t < m.tasks; t++) {
                if (start[t] != m.start[t] || machine[t] != m.machine[t])
                    fail_msg("job %u, rule %d, task %u: at %ld on %u, not at %ld on %u", seed,
                             (int)rule, t, (long)start[t], machine[t], (long)m.start[t],
                             m.machine[t]);
                for (uint32_t p = 0; p < m.tasks; p++)
                    moved += m.edge[p][t] && m.edge[p][t]->bytes && machine[p] != machine[t];
            }
            for (uint32_t k = 1; k < m.tasks; k++) {
                assert_true(start[sequence[k - 1]] <= start[sequence[k]]);
                for (uint32_t j = 0; j < k; j++)
                    assert_null(m.edge[sequence[k]][sequence[j]]);
            }
        }
        close_model(&m);
    }
    assert_true(moved > JOBS);
}

static void test_names(void **state)
{
    assert_int_equal(br_published_find("heft"), BR_PUBLISHED_HEFT);
    assert_int_equal(br_published_find("cpop"), BR_PUBLISHED_CPOP);
    assert_int_equal(br_published_find("peft"), BR_PUBLISHED_PEFT);
    assert_int_equal(br_published_find("best"), BR_PUBLISHED_NONE);
    assert_int_equal(br_published_find(NULL), BR_PUBLISHED_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
