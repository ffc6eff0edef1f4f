/* Workloads read from texts in tests, and written out as one text to compare. */
#ifndef BR_TESTS_PARSERS_WORKLOAD_TEXT_H
#define BR_TESTS_PARSERS_WORKLOAD_TEXT_H

#include "cluster/workload/read/workloads.h"

/* Jobs by arrival, a line each: "12 user3 @60 run*1 3600 cpu=4 mem=1024 (100)", with the true
 * durations in parentheses, equal ones in a row as "3x100", or none where the record has none.
 * Stages of one job are joined by "; ", edges are "map>sort!" as parse_describe has them. Static
 * storage. */
const char *workload_describe(const struct br_workload *workload);
/* "4*cpu=8,mem=100", or "none". Static storage. */
const char *workload_cluster(const struct br_workload *workload);

/* Reads the text, which has to be read; the caller destroys the workload. */
struct br_workload *workload_read(const char *text, const struct br_workload_options *options);
/* Reads the text, which has to be refused as bad input, at this place, with these words. */
void workload_refused(const char *text, const struct br_workload_options *options, uint32_t line,
                      uint32_t column, const char *what);

#endif
