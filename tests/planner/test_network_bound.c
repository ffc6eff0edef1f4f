/* The bound with transfers against a plain model of what its file says: every count and every pair
 * of times is looked at, nothing is halved. The bound is the least time that the model allows, to
 * the nanosecond. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/numbers/rng.h"
#include "base/numbers/wide.h"
#include "planner/network/bound.h"
#include "tests/support/random_job.h"
#include "tests/support/transfers.h"

#define S INT64_C(1000000000)

enum { MOST_STAGES = 64, MOST_TASKS = 64, MOST_EDGES = 2048 };

/* A stage: what it is, and what a given T says of it. */
struct known {
    int64_t duration[MOST_TASKS]; /* ascending */
    uint32_t tasks, slots;        /* slots: of its tasks on one machine, at most */
    int64_t lasts, tail, head, end;
};

struct model {
    const struct br_network_job *job;
    struct known of[MOST_STAGES];
    struct transit {
        int64_t from, to, bytes;
    } transit[MOST_EDGES];
};

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static int descending(const void *a, const void *b)
{
    return ascending(b, a);
}

/* Of the `count` fastest ports. */
static int64_t fastest(const struct model *m, const int64_t *rate, uint32_t count)
{
    int64_t sorted[64], sum = 0;
    uint32_t machines = m->job->cluster->machines;
    assert_true(machines <= 64);
    memcpy(sorted, rate, machines * sizeof *sorted);
    qsort(sorted, machines, sizeof *sorted, descending);
    for (uint32_t k = 0; k < count && k < machines; k++)
        sum += sorted[k];
    return sum;
}

/* Do the first n tasks, the shortest, fit one machine within that time? */
static bool fits(const struct known *s, uint32_t n, int64_t ns)
{
    br_wide sum = 0;
    for (uint32_t t = 0; t < n; t++)
        sum += s->duration[t];
    if (sum > (br_wide)s->slots * ns)
        return false;
    /* Equal tasks run in waves. */
    bool equal = s->duration[0] == s->duration[s->tasks - 1] && s->duration[0] > 0;
    return !equal || (br_wide)((n + s->slots - 1) / s->slots) * s->duration[0] <= ns;
}

static uint32_t most_within(const struct known *s, int64_t ns)
{
    uint32_t n = 0;
    while (n < s->tasks && fits(s, n + 1, ns))
        n++;
    return n;
}

/* How long a machine needs for n tasks, at least. */
static int64_t needs(const struct known *s, uint32_t n)
{
    br_wide sum = 0;
    for (uint32_t t = 0; t < n; t++)
        sum += s->duration[t];
    int64_t by_work = (int64_t)((sum + s->slots - 1) / s->slots);
    int64_t by_waves = (n + s->slots - 1) / s->slots * s->duration[0];
    return by_work > by_waves ? by_work : by_waves;
}

static void know(struct model *m)
{
    const struct br_dag *dag = m->job->dag;
    const struct br_cluster *cluster = m->job->cluster;
    for (uint32_t s = 0; s < dag->stages; s++) {
        struct known *k = &m->of[s];
        int64_t work = 0, all = 0;
        k->tasks = dag->stage[s].tasks;
        k->slots = 0;
        k->tail = 0;
        assert_true(k->tasks <= MOST_TASKS);
        memcpy(k->duration, dag->duration_ns + dag->stage[s].first_task,
               k->tasks * sizeof *k->duration);
        qsort(k->duration, k->tasks, sizeof *k->duration, ascending);
        for (uint32_t t = 0; t < k->tasks; t++)
            work += k->duration[t];
        for (uint32_t c = 0; c < cluster->classes; c++) {
            uint32_t here = (uint32_t)br_instance_holds(m->job->in, c, s, k->tasks);
            k->slots = here > k->slots ? here : k->slots;
            all += (int64_t)here * cluster->cls[c].count;
        }
        k->lasts = (work + all - 1) / all;
        if (k->lasts < k->duration[k->tasks - 1])
            k->lasts = k->duration[k->tasks - 1];
    }
    for (uint32_t k = dag->stages; k-- > 0;) {
        uint32_t s = dag->topological[k];
        for (uint32_t e = 0; e < dag->edges; e++) {
            const struct known *child = &m->of[dag->edge[e].child];
            int64_t behind = child->tail;
            behind += dag->edge[e].type == BR_BARRIER ? child->lasts : child->duration[0];
            if (dag->edge[e].parent == s && behind > m->of[s].tail)
                m->of[s].tail = behind;
        }
    }
}

/* The most bytes that may stay, over all numbers of the parent's tasks on one machine. */
static int64_t stays(const struct model *m, const struct br_edge *edge, int64_t T)
{
    const struct known *a = &m->of[edge->parent], *b = &m->of[edge->child];
    int64_t between = T - b->tail - a->head, most = 0;
    uint32_t most_a = most_within(a, T - a->tail - a->head);
    uint32_t most_b = most_within(b, T - b->tail - b->head);
    for (uint32_t n = 1; n <= most_a; n++) {
        int64_t left = between - needs(a, n);
        uint32_t then = left < 0 ? 0 : most_within(b, left);
        then = then < most_b ? then : most_b;
        /* The lesser share of n of the parents and `then` of the children, rounded up. */
        br_wide of_a = ((br_wide)edge->bytes * n + a->tasks - 1) / a->tasks;
        br_wide of_b = ((br_wide)edge->bytes * then + b->tasks - 1) / b->tasks;
        br_wide least = of_a < of_b ? of_a : of_b;
        most = least > most ? (int64_t)least : most;
    }
    return most;
}

static bool advance(struct model *m, uint32_t s, int64_t T)
{
    const struct br_dag *dag = m->job->dag;
    struct known *k = &m->of[s];
    k->head = 0;
    for (uint32_t e = 0; e < dag->edges; e++) {
        const struct known *parent = &m->of[dag->edge[e].parent];
        int64_t at =
            dag->edge[e].type == BR_BARRIER ? parent->end : parent->head + parent->duration[0];
        if (dag->edge[e].child == s && at > k->head)
            k->head = at;
    }
    k->end = k->head + k->lasts;
    if (k->end > T - k->tail)
        return false;
    for (uint32_t e = 0; e < dag->edges; e++) {
        const struct br_edge *edge = &dag->edge[e];
        const struct known *parent = &m->of[edge->parent];
        if (edge->child != s)
            continue;
        int64_t up = fastest(m, m->job->up, parent->tasks),
                down = fastest(m, m->job->down, k->tasks);
        int64_t rate = up < down ? up : down, end = parent->end;
        struct transit *transit = &m->transit[e];
        *transit =
            (struct transit){parent->head + parent->duration[0], T - k->tail - k->duration[0], 0};
        if (edge->type == BR_BARRIER) {
            int64_t stay = stays(m, edge, T);
            transit->bytes = stay < edge->bytes ? edge->bytes - stay : 0;
            end = transit->from + (int64_t)((br_wide)transit->bytes * S / rate);
        }
        if (end + k->duration[0] > k->end)
            k->end = end + k->duration[0];
    }
    return k->end <= T - k->tail;
}

/* Can all bytes of the transfers that are open between these two times move? */
static bool moves(const struct model *m, int64_t from, int64_t to)
{
    const uint32_t machines = m->job->cluster->machines;
    int64_t up = fastest(m, m->job->up, machines), down = fastest(m, m->job->down, machines);
    br_wide bytes = 0;
    for (uint32_t e = 0; e < m->job->dag->edges; e++)
        if (m->transit[e].from >= from && m->transit[e].to <= to)
            bytes += m->transit[e].bytes;
    return !bytes || bytes * S <= (br_wide)(up < down ? up : down) * (to - from);
}

static bool allows(struct model *m, int64_t T)
{
    const struct br_dag *dag = m->job->dag;
    for (uint32_t k = 0; k < dag->stages; k++)
        if (!advance(m, dag->topological[k], T))
            return false;
    for (uint32_t e = 0; e < dag->edges; e++)
        for (uint32_t f = 0; f < dag->edges; f++)
            if (m->transit[e].bytes && m->transit[f].bytes &&
                !moves(m, m->transit[e].from, m->transit[f].to))
                return false;
    return true;
}

/* Is this bound, of those from `least` on, the least time that the model allows? */
static void expect_least(struct model *m, int64_t least, int64_t bound, uint64_t seed)
{
    if (!allows(m, bound))
        fail_msg("seed %d: no plan lasts %lld", (int)seed, (long long)bound);
    if (bound > least && allows(m, bound - 1))
        fail_msg("seed %d: a plan may be shorter than %lld", (int)seed, (long long)bound);
}

/* Some stages last as long, and some are joined one to one. */
static void jobs_at_random(void **state)
{
    uint32_t raised = 0, jobs = random_jobs(400);
    struct model *m = calloc(1, sizeof *m);
    (void)state;
    for (uint64_t seed = 1; seed <= jobs; seed++) {
        struct random_job job;
        struct br_rng rng = br_rng_seed(seed);
        struct br_network_job network;
        struct br_instance *in;
        int64_t bound, most = INT64_C(1) << 50;
        assert_true(random_job_make(seed, seed % 2 ? 14 : 30, 0, &job));
        transfers_draw_ports(job.cluster, &rng, seed % 3 ? 2000000 : 1000);
        transfers_draw_bytes(job.dag, &rng, 5000);
        assert_true(job.dag->stages <= MOST_STAGES && job.dag->edges <= MOST_EDGES);
        assert_int_equal(br_instance_create(job.dag, job.cluster, &in, NULL), BR_OK);
        assert_int_equal(br_network_job_init(&network, job.dag, job.cluster, in, NULL), BR_OK);
        m->job = &network;
        know(m);
        assert_int_equal(br_network_bound(&network, 0, most, &bound, NULL), BR_OK);
        if (job.dag->bytes) {
            expect_least(m, 0, bound, seed);
            raised++;
        }
        br_network_job_finish(&network);
        br_instance_destroy(in);
        random_job_finish(&job);
    }
    free(m);
    assert_true(raised > jobs / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(jobs_at_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
