/* What a log does not hold, or not as a job has it, in sentences. Internal to readers. */
#ifndef BR_PARSERS_SPARK_GAPS_H
#define BR_PARSERS_SPARK_GAPS_H

#include "parsers/spark/tables.h"

/* Hands on each sentence, without a full stop. */
typedef enum br_status br_spark_tell(void *context, const char *sentence);
/* Stops at the first status that is not BR_OK, and answers with it. O(stages + parents). */
enum br_status br_spark_gaps(const struct br_spark_log *log, br_spark_tell *tell, void *context);

#endif
