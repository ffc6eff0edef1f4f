/* The arbiter against all choices there are, on small cases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "base/numbers/rng.h"
#include "runtime/deadline/arbiter.h"

enum { BIDS = 4, CHOICES = 6, TOTAL = 40 };

static double sum_of(const struct br_bid *bid, uint32_t bids, const uint32_t *chosen,
                     uint32_t *used)
{
    double sum = 0;
    *used = 0;
    for (uint32_t j = 0; j < bids; j++) {
        sum += bid[j].weight * bid[j].utility[chosen[j]];
        *used += bid[j].allocation[chosen[j]];
    }
    return sum;
}

/* The greatest sum of all choices within the total, -INFINITY where none is. */
static double enumerate(const struct br_bid *bid, uint32_t bids, uint32_t total)
{
    uint32_t chosen[BIDS] = {0}, used, j;
    double most = -INFINITY;
    do {
        double sum = sum_of(bid, bids, chosen, &used);
        if (used <= total && sum > most)
            most = sum;
        for (j = 0; j < bids && ++chosen[j] == bid[j].choices; j++)
            chosen[j] = 0;
    } while (j < bids);
    return most;
}

static void test_optimal(void **state)
{
    struct br_rng rng = br_rng_seed(5);
    uint32_t allocation[BIDS][CHOICES], chosen[BIDS], short_of = 0, scarce = 0;
    double utility[BIDS][CHOICES];
    struct br_bid bid[BIDS];
    void *memory = malloc(br_arbiter_memory(BIDS, TOTAL));
    (void)state;
    for (uint32_t round = 0; round < 5000; round++) {
        uint32_t bids = 1 + (uint32_t)br_rng_below(&rng, BIDS), wanted = 0, used;
        uint32_t total = (uint32_t)br_rng_below(&rng, TOTAL + 1);
        for (uint32_t j = 0; j < bids; j++) {
            uint32_t choices = 1 + (uint32_t)br_rng_below(&rng, CHOICES);
            for (uint32_t k = 0; k < choices; k++) {
                allocation[j][k] =
                    (k ? allocation[j][k - 1] : 0) + 1 + (uint32_t)br_rng_below(&rng, 5);
                /* Concave, or rising by leaps, or falling here and there. */
                utility[j][k] = (k ? utility[j][k - 1] : -10) +
                                (round % 3 == 0   ? 10.0 / (k + 1)
                                 : round % 3 == 1 ? (double)(br_rng_below(&rng, 4) == 0) * 7
                                                  : 4 * br_rng_unit(&rng) - 1);
            }
            bid[j] = (struct br_bid){choices, allocation[j], utility[j],
                                     0.5 + (double)br_rng_below(&rng, 3)};
            double most = utility[j][0];
            uint32_t best = 0;
            for (uint32_t k = 1; k < choices; k++)
                if (utility[j][k] > most + 1e-6) {
                    most = utility[j][k];
                    best = k;
                }
            wanted += allocation[j][best];
        }
        double most = enumerate(bid, bids, total);
        bool fits = br_arbitrate(bid, bids, total, memory, chosen);
        assert_int_equal(fits, isfinite(most));
        if (!fits) {
            short_of++;
            continue;
        }
        double sum = sum_of(bid, bids, chosen, &used);
        assert_true(used <= total);
        assert_float_equal(sum, most, 1e-5);
        /* Where all can have what serves them best, nobody gets more than that. */
        if (wanted <= total)
            assert_int_equal(used, wanted);
        else
            scarce++;
    }
    assert_true(short_of > 200 && scarce > 1000);
    free(memory);
}

/* Steps alone would give the first bid 3 units, and then nobody the 4 that are worth most. */
static void test_leap(void **state)
{
    const uint32_t few[] = {1, 3}, many[] = {1, 5};
    const double small[] = {0, 1.2}, large[] = {0, 2};
    const struct br_bid bid[] = {{2, few, small, 1}, {2, many, large, 1}};
    uint32_t chosen[2];
    void *memory = malloc(br_arbiter_memory(2, 6));
    (void)state;
    assert_true(br_arbitrate(bid, 2, 6, memory, chosen));
    assert_int_equal(chosen[0], 0);
    assert_int_equal(chosen[1], 1);
    free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_optimal), cmocka_unit_test(test_leap)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
