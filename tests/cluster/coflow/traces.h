/* Traces of coflows for tests: of text, by hand, and at random; and their bounds. */
#ifndef TESTS_SIMULATE_COFLOW_TRACES_H
#define TESTS_SIMULATE_COFLOW_TRACES_H

#include "cluster/coflow/bounds/bound.h"
#include "cluster/coflow/clocks/engine.h"
#include "cluster/coflow/coflows.h"

/* The trace of a file with that text; the test fails where it is none. */
struct br_coflows *tiny_trace(const char *text);
/* Runs the policy to the trace's end. */
void run_coflows(const struct br_coflows *trace, const char *policy, enum br_coflow_clock clock,
                 struct br_coflow_outcome *outcome);
void bound_of(const struct br_coflows *trace, const struct br_coflow_options *options,
              uint32_t rounds, struct br_coflow_bound *bound);

/* One downlink with parts of 4 and 1, of which the first comes from two senders. */
extern const char small_two[];
/* Two downlinks that carry 22 each: one coflow at both, one at each of them. */
extern const char small_three[];
/* One that is overtaken after 2 of its 10. */
extern const char small_later[];

enum { RANDOM_PORTS = 6 };
/* Up to `most` coflows; `sizes` draws their bytes, all else comes from `shape`. */
struct br_coflows *random_coflows(uint64_t shape, uint64_t sizes, uint32_t most);

#endif
