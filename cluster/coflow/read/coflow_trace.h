/* Traces of coflows in the form of the coflow benchmark: the first line has the number of ports and
 * of coflows; then one line per coflow, `ID ARRIVAL_MS M PORT... R PORT:MB...`, of its M mappers
 * and R reducers. Each reducer receives its bytes from all mappers in equal parts. Lines of one ID
 * are one coflow. Ports count from 0. */
#ifndef BR_CLUSTER_COFLOW_READ_COFLOW_TRACE_H
#define BR_CLUSTER_COFLOW_READ_COFLOW_TRACE_H

#include "cluster/coflow/coflows.h"

/* Reads the file, or standard input for "-"; the caller destroys the trace. Faults have file, line
 * and column. Memory grows with the file, whatever its header announces. O(flows). */
enum br_status br_parse_coflows(const char *path, struct br_coflows **trace, struct br_diag *diag);

#endif
