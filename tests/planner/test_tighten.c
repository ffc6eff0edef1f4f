/* Windows narrowed for a makespan end where no interval has anything more to say, by plain
 * arithmetic over all intervals, stages and measures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "planner/bounds/bounds.h"
#include "planner/bounds/tighten.h"
#include "planner/check/proofs/proof.h"
#include "tests/support/random_job.h"

enum { PASSES = 10, STAGES = 64 };

static int64_t least_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* What of a task lies in from .. to when it starts there. */
static int64_t inside(int64_t start, int64_t d, int64_t from, int64_t to)
{
    int64_t begin = start > from ? start : from, end = least_of(start + d, to);
    return end > begin ? end - begin : 0;
}

/* The least of it, wherever the task starts in its window: at one of its ends. */
static int64_t must(int64_t head, int64_t last, int64_t d, int64_t from, int64_t to)
{
    return least_of(inside(head, d, from, to), inside(last, d, from, to));
}

/* Does the interval leave a task of some stage no room at its head, when all others run there as
 * little as they can? */
static bool says_more(const struct br_proof_check *c, const int64_t *head, const int64_t *tail,
                      uint32_t measure, int64_t from, int64_t to)
{
    const struct br_instance *in = c->in;
    const struct br_checked_measure *m = &c->measure[measure];
    for (uint32_t s = 0; s < in->stages; s++) {
        int64_t d = in->stage_longest[s], held = 0;
        if (!in->stage_equal[s] || d == 0 || m->weight[s] == 0 || head[s] >= to)
            continue;
        for (uint32_t u = 0; u < in->stages; u++)
            if (in->stage_equal[u])
                held += m->weight[u] *
                        must(head[u], c->makespan - tail[u] - in->stage_longest[u],
                             in->stage_longest[u], from, to) *
                        (in->stage_first[u + 1] - in->stage_first[u] - (u == s));
        int64_t room = m->capacity * (to - from) - held, early = inside(head[s], d, from, to);
        bool moves = early > must(head[s], c->makespan - tail[s] - d, d, from, to);
        if (moves && early * m->weight[s] > room)
            return true;
    }
    return false;
}

static void nothing_is_left_to_say(void **state)
{
    int claims = 0, ended = 0, full = 0;
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        struct random_job job;
        struct br_instance *in;
        struct br_arena arena = {0};
        int64_t point[4 * STAGES];
        bool overfull;
        assert_true(random_job_make(seed, seed % 3 ? 20 : 40, 0, &job));
        assert_int_equal(br_instance_create(job.dag, job.cluster, &in, NULL), BR_OK);
        assert_true(in->stages <= STAGES);
        int64_t makespan = br_bounds_best(in, INT64_MAX).ticks - 1 + (int64_t)(seed % 5);
        struct br_proof proof = {.bound = makespan + 1};
        assert_true(br_proof_set_part(&arena, in, in, &proof));
        struct br_task_windows found = {br_arena_array(&arena, in->tasks, sizeof(int64_t)),
                                        br_arena_array(&arena, in->tasks, sizeof(int64_t))};
        assert_non_null(found.head);
        assert_non_null(found.tail);
        assert_true(br_proof_tighten(&arena, in, in, makespan, NULL, &proof, &found, &overfull));
        struct br_proof_check c = {.proof = &proof, .in = in, .makespan = makespan};
        assert_int_equal(br_proof_windows(&c), BR_OK); /* every claim holds */
        assert_memory_equal(found.head, c.head, in->tasks * sizeof *c.head);
        assert_memory_equal(found.tail, c.tail, in->tasks * sizeof *c.tail);
        const int64_t *head = c.stage_head, *tail = c.stage_tail;
        full += overfull;
        for (uint32_t k = 0; k < proof.passes; k++)
            claims += (int)(proof.pass[k].heads + proof.pass[k].tails);
        uint32_t points = 0;
        for (uint32_t s = 0; s < in->stages; s++) {
            int64_t d = in->stage_longest[s], deadline = makespan - tail[s];
            point[points++] = head[s];
            point[points++] = deadline;
            point[points++] = head[s] + d;
            point[points++] = deadline - d;
        }
        bool whole = !overfull && proof.passes < PASSES;
        ended += whole;
        for (uint32_t a = 0; whole && a < points; a++)
            for (uint32_t b = 0; b < points; b++)
                for (uint32_t m = 0; m < proof.measures && point[a] < point[b]; m++)
                    if (says_more(&c, head, tail, m, point[a], point[b]))
                        fail_msg("seed %d: %d .. %d of %d", (int)seed, (int)point[a], (int)point[b],
                                 (int)makespan);
        br_arena_finish(&c.arena);
        br_arena_finish(&arena);
        br_instance_destroy(in);
        random_job_finish(&job);
    }
    print_message("%d overfull, %d claims, %d to the end\n", full, claims, ended);
    assert_true(full > 100 && claims > 300 && ended > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_left_to_say)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
