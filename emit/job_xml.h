/* The parts of the native XML form that the plan in XML shares. */
#ifndef BR_EMIT_JOB_XML_H
#define BR_EMIT_JOB_XML_H

#include "emit/write.h"

/* The children of <job>: attributes, resources, stages, edges. */
void br_write_job_xml(FILE *out, const struct br_dag *dag, const struct br_attributes *by);
/* A <cluster> element with its namespace. */
void br_write_cluster_xml(FILE *out, const struct br_cluster *cluster);

#endif
