/* SWF jobs that were checkpointed: lines of their parts, without a line of the whole job if the log
 * says `Preemption: Yes`. Internal to swf.c. */
#ifndef BR_CLUSTER_WORKLOAD_READ_PIECES_H
#define BR_CLUSTER_WORKLOAD_READ_PIECES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/collections/index.h"
#include "base/numbers/wide.h"

/* A job number of the log, and the sums over its parts. */
struct br_pieces_job {
    int64_t number;
    bool whole;        /* it has a line of its own */
    bool last, failed; /* one of the parts is the last; it failed */
    bool timed;        /* a part has a run time */
    uint32_t parts;
    int64_t submit_ns, end_ns; /* of the first and the last part; -1: unknown */
    br_uwide work_ns;          /* times processors */
    int64_t processors;        /* largest value of a part */
    uint32_t first;            /* the first part, by the caller's number */
};

struct br_pieces {
    struct br_index index; /* by number */
    struct br_pieces_job *job;
    uint32_t jobs, room;
};

void br_pieces_finish(struct br_pieces *pieces);
/* The job of this number, added if it is new; NULL when memory is out. Valid until the next call.
 */
struct br_pieces_job *br_pieces_find(struct br_pieces *pieces, int64_t number);
/* Adds a part to its job: times of -1 are unknown. */
void br_pieces_add(struct br_pieces_job *job, int64_t submit_ns, int64_t wait_ns, int64_t ran_ns,
                   int64_t processors);
/* The run time of the job on the processors of its largest part: the total work stays equal. */
int64_t br_pieces_ran_ns(const struct br_pieces_job *job);

#endif
