/* Describes, in sentences, facts that a log lacks, or has in a form unlike that of a job. Internal
 * to readers. */
#ifndef BR_PARSERS_SPARK_GAPS_H
#define BR_PARSERS_SPARK_GAPS_H

#include "parsers/spark/tables.h"

/* Gets each sentence, without a full stop. */
typedef enum br_status br_spark_tell(void *context, const char *sentence);
/* Stops at the first status that is not BR_OK, and returns it. O(stages + parents). */
enum br_status br_spark_gaps(const struct br_spark_log *log, br_spark_tell *tell, void *context);

#endif
