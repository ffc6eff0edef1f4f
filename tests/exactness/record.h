/* Plans as records for a judge that shares no code with us: a line "SEED WORD BYTES BYTES", the job
 * with its cluster as XML of the first size, the plan as JSON of the second. */
#ifndef BR_TESTS_EXACTNESS_RECORD_H
#define BR_TESTS_EXACTNESS_RECORD_H

#include "emit/emit.h"

/* Writes the record to stdout; ends the program when memory is out. */
void record_write(uint64_t seed, const char *word, const struct br_emit_input *input);

#endif
