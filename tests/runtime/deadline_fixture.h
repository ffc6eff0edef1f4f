/* Tables of the time left made by hand, for tests of what is decided from them. */
#ifndef BR_TESTS_RUNTIME_DEADLINE_FIXTURE_H
#define BR_TESTS_RUNTIME_DEADLINE_FIXTURE_H

#include "base/numbers/rng.h"
#include "runtime/deadline/table.h"

enum { FIXTURE_ALLOCATIONS = 100, FIXTURE_CELLS = 41, FIXTURE_QUANTILES = 21 };

/* A job of one stage of 1000 tasks whose progress is the share of them that has finished. */
struct deadline_fixture {
    struct br_deadline_table table;
    struct br_table_stage stage;
    struct br_progress_weight weight;
    uint32_t tasks;
    uint32_t allocation[FIXTURE_ALLOCATIONS];
    double at[FIXTURE_CELLS], level[FIXTURE_QUANTILES];
    uint32_t left[FIXTURE_CELLS * FIXTURE_ALLOCATIONS * (FIXTURE_QUANTILES + 1)];
};

/* Allocations 1 .. allocations. The time left in seconds is (1 - progress) x (serial_s + work_s /
 * allocation) x (1 + spread x (2 level - 1)), whose mean is that for a level of a half. */
void deadline_fixture_make(struct deadline_fixture *fixture, uint32_t allocations, uint32_t cells,
                           uint32_t quantiles, double serial_s, double work_s, double spread);
/* Any table in which more tokens or more progress never take longer, at any quantile. */
void deadline_fixture_draw(struct deadline_fixture *fixture, struct br_rng *rng);

#endif
