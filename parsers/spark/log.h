/* Spark's event log: a JSON object per line, in order of time. Internal to readers. */
#ifndef BR_PARSERS_SPARK_LOG_H
#define BR_PARSERS_SPARK_LOG_H

#include "parsers/spark/tables.h"
#include "parsers/text/source.h"

/* Recognises the first lines of such a log. */
bool br_is_spark(const char *text);
/* Reads the whole log. To be finished, also after a failure. O(n log n) in the events. */
enum br_status br_spark_log_read(struct br_source *source, struct br_spark_log *log,
                                 struct br_diag *diag);

#endif
