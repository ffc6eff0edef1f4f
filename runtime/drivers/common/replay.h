/* The past of a journal: the tasks of each job that its sessions have started and finished. */
#ifndef BR_RUNTIME_DRIVERS_COMMON_REPLAY_H
#define BR_RUNTIME_DRIVERS_COMMON_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text/diag.h"
#include "runtime/drivers/common/family.h"

enum { BR_PAST_STARTED = 1, BR_PAST_FINISHED = 2 };

/* A job. */
struct br_past {
    uint64_t sum;  /* of its tasks, edges and commands */
    uint64_t name; /* hash of its name */
    uint32_t tasks;
    uint8_t *state;     /* by task: bits of the above; NULL: the journal has dropped the job */
    int64_t *lasted_ns; /* by finished task; 0: unknown */
    uint32_t *by; /* by started task: the alternative of its last start, from 1; 0: not told */
};

/* A session: a process of a machine since one boot, and the mark of its tasks. */
struct br_session {
    char boot[40], host[64], mark[BR_MARK]; /* mark "": there was none */
    long pid;
    uint64_t start;
};

struct br_replay {
    struct br_past *past; /* by number */
    uint32_t jobs, room;
    struct br_session last;
    uint32_t damaged;    /* unreadable records, which count as never written */
    uint64_t damaged_at; /* where the first of them is, in bytes */
    uint64_t used;       /* bytes up to the end of the last good record */
};

/* Adds a job, with the next number. False when memory is out. */
bool br_replay_add(struct br_replay *replay, const struct br_past *past);
/* Reads the records after the first, which is `head` bytes long; overwrites the text. */
enum br_status br_replay_read(struct br_replay *replay, char *text, uint64_t size, uint64_t head,
                              uint64_t seed, struct br_diag *diag);
/* The number of the job of that name that has not been dropped; UINT32_MAX: there is none. */
uint32_t br_replay_find(const struct br_replay *replay, uint64_t name);
void br_replay_drop(struct br_replay *replay, uint32_t number);
void br_replay_finish(struct br_replay *replay);

#endif
