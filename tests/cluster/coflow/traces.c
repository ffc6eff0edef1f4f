#include "tests/cluster/coflow/traces.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/numbers/rng.h"
#include "cluster/coflow/read/coflow_trace.h"

const char small_two[] = "2 2\n1 0 2 0 1 1 1:4\n2 0 1 0 1 1:1\n";
const char small_three[] = "6 3\n1 0 2 0 1 2 2:10 3:10\n2 0 1 4 1 2:12\n3 0 1 5 1 3:12\n";
const char small_later[] = "2 2\n1 0 1 0 1 1:10\n2 16 1 0 1 1:1\n";

struct br_coflows *tiny_trace(const char *text)
{
    char path[] = "/tmp/bigrocks-coflow-XXXXXX";
    struct br_coflows *trace = NULL;
    struct br_diag diag = {0};
    int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w");
    fputs(text, file);
    fclose(file);
    if (br_parse_coflows(path, &trace, &diag))
        fail_msg("%s", diag.what);
    remove(path);
    return trace;
}

void run_coflows(const struct br_coflows *trace, const char *policy, enum br_coflow_clock clock,
                 struct br_coflow_outcome *outcome)
{
    struct br_diag diag = {0};
    struct br_coflow_options options = {.clock = clock};
    assert_int_equal(br_coflow_policy_find(policy, &options.policy, &diag), BR_OK);
    assert_int_equal(br_coflow_simulate(trace, &options, outcome, &diag), BR_OK);
    assert_int_equal(outcome->finished, trace->coflows);
}

void bound_of(const struct br_coflows *trace, const struct br_coflow_options *options,
              uint32_t rounds, struct br_coflow_bound *bound)
{
    struct br_coflow_parts parts;
    struct br_diag diag = {0};
    assert_int_equal(br_coflow_parts_make(trace, options, &parts, &diag), BR_OK);
    assert_int_equal(br_coflow_bound_make(&parts, rounds, NULL, bound, &diag), BR_OK);
    br_coflow_parts_finish(&parts);
}

struct br_coflows *random_coflows(uint64_t shape, uint64_t sizes, uint32_t most)
{
    struct br_rng rng = br_rng_seed(shape), bytes = br_rng_seed(sizes);
    struct br_coflows *trace = br_coflows_create(RANDOM_PORTS);
    uint32_t coflows = 1 + (uint32_t)br_rng_below(&rng, most);
    struct br_diag diag = {0};
    for (uint32_t c = 0; c < coflows; c++) {
        struct br_coflow_end sender[RANDOM_PORTS], receiver[RANDOM_PORTS];
        struct br_coflow coflow = {.id = c + 1};
        coflow.arrival_ms = (int64_t)br_rng_below(&rng, 3) * 40;
        coflow.senders = 1 + (uint32_t)br_rng_below(&rng, RANDOM_PORTS);
        coflow.receivers = 1 + (uint32_t)br_rng_below(&rng, RANDOM_PORTS);
        for (uint32_t s = 0; s < coflow.senders; s++)
            sender[s].port = (uint32_t)br_rng_below(&rng, RANDOM_PORTS);
        for (uint32_t r = 0; r < coflow.receivers; r++) {
            receiver[r].port = (uint32_t)br_rng_below(&rng, RANDOM_PORTS);
            receiver[r].bytes = (double)(1 + br_rng_below(&bytes, 40)) * BR_COFLOW_MB / 2;
        }
        assert_int_equal(br_coflows_add(trace, &coflow, sender, receiver, &diag), BR_OK);
    }
    assert_int_equal(br_coflows_finish(trace, &diag), BR_OK);
    return trace;
}
