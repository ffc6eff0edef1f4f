/* Filling the tables of an event log. Numbers are BR_SPARK_NONE where there is no such thing, or,
 * for calls that add, where memory is out. Internal to readers. */
#ifndef BR_PARSERS_JOBS_SPARK_TABLES_H
#define BR_PARSERS_JOBS_SPARK_TABLES_H

#include "parsers/jobs/spark_log.h"

uint32_t br_spark_find_job(const struct br_spark_log *log, uint32_t id);
/* Adds a job whose id is new. */
uint32_t br_spark_add_job(struct br_spark_log *log, const struct br_spark_job *job);
/* The stage or the executor of this id, added where it is new. */
uint32_t br_spark_find_stage(struct br_spark_log *log, uint32_t id, struct br_pos pos);
uint32_t br_spark_find_executor(struct br_spark_log *log, const char *id);
/* Once all is read: sorts tasks and stages, and drops tasks that succeeded after another of their
 * partition. False when memory is out. */
bool br_spark_sort(struct br_spark_log *log);

#endif
