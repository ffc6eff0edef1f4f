/* The log of a run of DAGMan's, FILE.dag.nodes.log: the events of the nodes' jobs. */
#ifndef BR_PARSERS_WORKFLOWS_DAGMAN_LOG_H
#define BR_PARSERS_WORKFLOWS_DAGMAN_LOG_H

#include "parsers/reader/input.h"

/* Gives the stages of input->dag, which is not finished, the times of the log at `path`, if it is a
 * log of events in text form; else, for standard
 * input, and if path is NULL, nothing changes. Of a node's jobs the last
 * one that ended well counts, from the start of its last execution to its end; of several processes
 * of one job, from the first start to the last end. Sets input->timed, and adds doubts: `done` is
 * the number of nodes that do not run. Later faults are of `file`. BR_SYSTEM; BR_BAD_INPUT with the
 * place for what is no event, for logs in XML or JSON, and for one of other nodes. */
enum br_status br_dagman_take_run(const char *path, const char *file, uint32_t done,
                                  struct br_input *input, struct br_diag *diag);

#endif
