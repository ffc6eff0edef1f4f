/* The parts of the native XML form that the plan in XML shares. */
#ifndef BR_EMIT_DATA_JOB_XML_H
#define BR_EMIT_DATA_JOB_XML_H

#include "emit/write/write.h"

#define BR_XML_DECLARATION "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"

/* ` name="value"`, escaped. */
void br_write_attribute(FILE *out, const char *name, const char *value);
/* A <job> element with its namespace, indented by 2 * depth; with a <cluster> child unless NULL. */
enum br_status br_write_job_xml(FILE *out, int depth, const struct br_dag *dag,
                                const struct br_cluster *cluster, struct br_diag *diag);
/* A <cluster> element with its namespace. */
void br_write_cluster_xml(FILE *out, int depth, const struct br_cluster *cluster);

#endif
