/* Reads records one after another. Tries a short one first, as nearly all are short. */
#include "runtime/drivers/common/replay.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/text/diag.h"
#include "planner/model/dag.h"
#include "runtime/drivers/common/record.h"

bool br_replay_add(struct br_replay *replay, const struct br_past *past)
{
    if (!br_grow(&replay->past, replay->jobs, &replay->room, sizeof *replay->past))
        return false;
    struct br_past *added = &replay->past[replay->jobs];
    *added = *past;
    added->state = calloc((size_t)past->tasks + 1, 1);
    added->lasted_ns = calloc((size_t)past->tasks + 1, sizeof *added->lasted_ns);
    added->by = calloc((size_t)past->tasks + 1, sizeof *added->by);
    replay->jobs++;
    if (added->state && added->lasted_ns && added->by)
        return true;
    br_replay_drop(replay, replay->jobs - 1);
    return false;
}

void br_replay_drop(struct br_replay *replay, uint32_t number)
{
    if (number >= replay->jobs)
        return;
    free(replay->past[number].state);
    free(replay->past[number].lasted_ns);
    free(replay->past[number].by);
    replay->past[number].state = NULL;
    replay->past[number].lasted_ns = NULL;
    replay->past[number].by = NULL;
}

uint32_t br_replay_find(const struct br_replay *replay, uint64_t name)
{
    for (uint32_t k = replay->jobs; k-- > 0;)
        if (replay->past[k].state && replay->past[k].name == name)
            return k;
    return UINT32_MAX;
}

void br_replay_finish(struct br_replay *replay)
{
    for (uint32_t k = 0; k < replay->jobs; k++)
        br_replay_drop(replay, k);
    free(replay->past);
    *replay = (struct br_replay){0};
}

static bool read_session(const char *text, struct br_session *session)
{
    char name[BR_MARK / 2 + 1];
    if (sscanf(text, "session %ld %" SCNu64 " %39s %32s %63s", &session->pid, &session->start,
               session->boot, name, session->host) != 5)
        return false;
    snprintf(session->mark, sizeof session->mark, "BIGROCKS_SESSION=%s", name);
    return true;
}

/* The duration of the task, as nanoseconds and a number of zeros, such as "123e4"; 0: not recorded.
 */
static int64_t read_lasted(const char *text)
{
    uint32_t zeros = 0;
    uint64_t ns;
    if (sscanf(text, "%" SCNu64 "e%2" SCNu32, &ns, &zeros) < 1)
        return 0;
    for (; zeros > 0 && ns <= INT64_MAX / 10; zeros--)
        ns *= 10;
    return zeros || ns > INT64_MAX ? 0 : (int64_t)ns;
}

/* "started", "finished" or "dropped", with a job, a task and its alternative or its duration. */
static bool take_short(struct br_replay *replay, const char *text)
{
    uint32_t job, task;
    int behind = 0;
    const char *numbers = text + strcspn(text, " ");
    if (sscanf(numbers, "%" SCNu32 " %" SCNu32 "%n", &job, &task, &behind) != 2 ||
        job >= replay->jobs)
        return false;
    struct br_past *past = &replay->past[job];
    if (strncmp(text, "dropped ", 8) == 0) {
        br_replay_drop(replay, job);
        return true;
    }
    if (!past->state || task >= past->tasks)
        return false;
    if (strncmp(text, "started ", 8) == 0) {
        const int64_t by = read_lasted(numbers + behind);
        past->state[task] |= BR_PAST_STARTED;
        past->by[task] = by <= UINT32_MAX ? (uint32_t)by : 0;
    } else if (strncmp(text, "finished ", 9) == 0) {
        past->state[task] |= BR_PAST_FINISHED;
        past->lasted_ns[task] = read_lasted(numbers + behind);
    } else {
        return false;
    }
    return true;
}

/* A job whose record was damaged has no tasks here, and its number is skipped. */
static bool skip_to(struct br_replay *replay, uint32_t number)
{
    assert(number >= replay->jobs);
    while (replay->jobs < number) {
        if (!br_replay_add(replay, &(struct br_past){0}))
            return false;
        br_replay_drop(replay, replay->jobs - 1);
    }
    return true;
}

/* A session or a job. Sets *memory if memory is out. */
static bool drivers_replay_take_long(struct br_replay *replay, const char *text, uint64_t most,
                                     bool *memory)
{
    struct br_past past = {0};
    uint32_t number;
    if (read_session(text, &replay->last))
        return true;
    if (sscanf(text, "job %" SCNu32 " %" SCNx64 " %" SCNx64 " %" SCNu32, &number, &past.sum,
               &past.name, &past.tasks) != 4 ||
        number < replay->jobs || number > most || past.tasks > BR_MAX_TASKS)
        return false;
    *memory = !skip_to(replay, number) || !br_replay_add(replay, &past);
    assert(*memory || replay->jobs == number + 1);
    return true;
}

enum br_status br_replay_read(struct br_replay *replay, char *text, uint64_t size, uint64_t head,
                              uint64_t seed, struct br_diag *diag)
{
    char *end = text + size, *record;
    bool memory = false;
    assert(head <= size);
    replay->used = head;
    for (char *at = text + head; end - at >= BR_RECORD_SHORT && !memory;) {
        uint32_t taken = BR_RECORD_SHORT;
        bool good = false;
        if ((record = br_record_read(at, end, BR_RECORD_SHORT, seed))) {
            good = take_short(replay, record);
        } else if ((record = br_record_read(at, end, BR_RECORD_LONG, seed))) {
            good = drivers_replay_take_long(replay, record, size / BR_RECORD_SHORT, &memory);
            taken = BR_RECORD_LONG;
        }
        if (!good && !replay->damaged++)
            replay->damaged_at = (uint64_t)(at - text);
        at += taken;
        if (good)
            replay->used = (uint64_t)(at - text);
    }
    return memory ? br_fail_memory(diag) : BR_OK;
}
