/* Starts that no edge forbids. If a task began before the claim says, those before it would end
 * sooner, and there would be too much to do in the claim's interval: that sum is left with the one
 * literal that was supposed. In the same way a stage of several tasks takes as long as its rounds.
 */
#include "emit/proofs/derive.h"

#include <string.h>

#include "base/text/diag.h"
#include "planner/check/proofs/lines.h"

static void claims_copy(struct br_derivation *lines)
{
    const size_t n = lines->steps->in->tasks;
    const struct br_derived_windows *from = &lines->windows;
    struct br_derived_windows *to = &lines->scratch;
    memcpy(to->head, from->head, n * sizeof *to->head);
    memcpy(to->latest, from->latest, n * sizeof *to->latest);
    memcpy(to->head_line, from->head_line, n * sizeof *to->head_line);
    memcpy(to->late_line, from->late_line, n * sizeof *to->late_line);
    memset(lines->marked, 0, n * sizeof *lines->marked);
}

/* The task is supposed to start by `latest`: the windows of all that it waits for. */
static void claims_before(struct br_derivation *lines, uint32_t task, int64_t latest)
{
    const struct br_instance *in = lines->steps->in;
    struct br_derived_windows *windows = &lines->scratch;
    windows->latest[task] = latest;
    windows->late_line[task] = 0;
    lines->marked[task] = true;
    for (uint32_t k = in->position[in->task_stage[task]]; k > 0; k--) {
        const uint32_t s = in->topological[k - 1];
        for (uint32_t u = in->stage_first[s]; u < in->stage_first[s + 1]; u++)
            if (lines->member[u])
                lines->marked[u] = br_windows_back(lines, windows, lines->marked, u);
    }
}

/* The task is supposed to start at `head` or later: the windows of all that wait for it. */
static void claims_behind(struct br_derivation *lines, uint32_t task, int64_t head)
{
    const struct br_instance *in = lines->steps->in;
    struct br_derived_windows *windows = &lines->scratch;
    windows->head[task] = head;
    windows->head_line[task] = 0;
    lines->marked[task] = true;
    for (uint32_t k = in->position[in->task_stage[task]]; k < in->stages; k++) {
        const uint32_t s = in->topological[k];
        for (uint32_t u = in->stage_first[s]; u < in->stage_first[s + 1]; u++)
            if (lines->marked[u])
                br_windows_forth(lines, windows, lines->marked, u);
    }
}

static bool claims_empty(const struct br_derivation *lines)
{
    for (uint32_t t = 0; t < lines->steps->in->tasks; t++)
        if (lines->scratch.head[t] > lines->scratch.latest[t])
            return true;
    return false;
}

/* The sum showed that something supposed is wrong: the bound of the task, or what the part
 * supposes. */
static void claims_take(struct br_derivation *lines, uint32_t task, bool late, int64_t start,
                        bool tight, uint64_t line)
{
    struct br_derived_windows *windows = &lines->windows;
    if (!tight && lines->supposed) {
        lines->closed = true;
    } else if (!tight) {
        lines->conflict = line;
    } else if (late) {
        windows->latest[task] = start;
        windows->late_line[task] = line;
    } else {
        windows->head[task] = start;
        windows->head_line[task] = line;
    }
    br_windows_meet(lines, task);
}

/* The task starts at `start` at least (or, if `late`, at most). Nothing has to be supposed of it
 * (not `tight`) if there is too much to do wherever it starts. */
static enum br_status claims_task(struct br_derivation *lines, uint32_t task, bool late,
                                  int64_t start, const struct br_derive_times *times,
                                  struct br_weighed *weighed, struct br_diag *diag)
{
    const bool tight =
        (late ? start + 1 > lines->windows.head[task] : start - 1 < lines->windows.latest[task]) &&
        !br_derive_exceeds(lines, weighed, &lines->windows, times);
    uint64_t line;
    claims_copy(lines);
    if (tight && late)
        claims_behind(lines, task, start + 1);
    else if (tight)
        claims_before(lines, task, start - 1);
    if (claims_empty(lines))
        return br_fail(diag, BR_NO, "leave --proof out",
                       "the proof has a claim that its edges alone show; it has no form for VeriPB "
                       "yet");
    enum br_status status = br_derive_sum(lines, weighed, &lines->scratch, times,
                                          tight || lines->supposed, &line, diag);
    if (!status)
        claims_take(lines, task, late, start, tight, line);
    return status;
}

enum br_status br_derive_claim(struct br_derivation *lines, uint32_t stage, bool late, int64_t at,
                               int64_t from, int64_t to, struct br_weighed *weighed,
                               struct br_diag *diag)
{
    const struct br_instance *in = lines->steps->in;
    const struct br_derive_times times = {from, to, 1};
    enum br_status status = BR_OK;
    for (uint32_t t = in->stage_first[stage];
         t < in->stage_first[stage + 1] && !status && !br_windows_done(lines); t++) {
        const int64_t start = late ? at - in->duration[t] : at;
        if (late ? lines->windows.latest[t] > start : lines->windows.head[t] < start)
            status = claims_task(lines, t, late, start, &times, weighed, diag);
    }
    return status;
}

/* ---- Rounds ---- */

/* The resource of which the fewest tasks of the stage fit. UINT32_MAX: all fit. */
static uint32_t rounds_resource(const struct br_derivation *lines, uint32_t stage)
{
    const struct br_instance *in = lines->steps->in;
    int64_t fewest = in->stage_first[stage + 1] - in->stage_first[stage];
    uint32_t best = UINT32_MAX;
    for (uint32_t r = 0; r < in->resources; r++) {
        const int64_t demand = in->demand[(size_t)stage * in->resources + r];
        if (demand == 0 || in->total[r] / demand >= fewest || !lines->steps->capacity[r])
            continue;
        fewest = in->total[r] / demand;
        best = r;
    }
    return best;
}

/* The stage's tasks by slots; NULL if all fit at once, or memory is out (*status). */
static struct br_weighed *rounds_slots(struct br_derivation *lines, uint32_t stage,
                                       enum br_status *status, struct br_diag *diag)
{
    const struct br_instance *in = lines->steps->in;
    const uint32_t r = rounds_resource(lines, stage);
    if (r == UINT32_MAX || lines->slots[stage])
        return lines->slots[stage];
    struct br_weighed *weighed = br_arena_array(&lines->arena, 1, sizeof *weighed);
    int64_t *weight = br_arena_array(&lines->arena, in->tasks, sizeof *weight);
    if (!weighed || !weight) {
        *status = br_fail_memory(diag);
        return NULL;
    }
    *weighed = (struct br_weighed){.kind = BR_MEASURE_RESOURCE, .weight = weight, .resource = r};
    weighed->unit = in->demand[(size_t)stage * in->resources + r];
    weighed->capacity = in->total[r] / weighed->unit;
    for (uint32_t t = 0; t < in->tasks; t++)
        weight[t] = in->demand[(size_t)in->task_stage[t] * in->resources + r] / weighed->unit;
    *status = br_derive_weighed(lines, weighed, diag);
    return lines->slots[stage] = weighed;
}

/* A window of a task seen from the end, if `late`: the first and last start of the task that runs
 * the other way. */
static int64_t rounds_head(const struct br_derivation *lines, uint32_t task, bool late)
{
    return late ? lines->end - lines->windows.latest[task] - lines->steps->in->duration[task]
                : lines->windows.head[task];
}

/* When the stage has ended at the earliest, of tasks that all begin by `head` or later, by the work
 * of these. */
static int64_t rounds_spread(const struct br_derivation *lines, uint32_t stage, bool late,
                             int64_t head, int64_t slots)
{
    const struct br_instance *in = lines->steps->in;
    int64_t sum = 0;
    for (uint32_t t = in->stage_first[stage]; t < in->stage_first[stage + 1]; t++)
        if (rounds_head(lines, t, late) >= head)
            sum += in->duration[t];
    return head + (sum + slots - 1) / slots;
}

struct rounds_time {
    int64_t done, least, from; /* by the longest task; the first head; where the work begins */
    int64_t best[2];           /* by rounds, and by work */
};

static enum br_status rounds_times(struct br_derivation *lines, uint32_t stage, bool late,
                                   int64_t slots, struct rounds_time *time, struct br_diag *diag)
{
    const struct br_instance *in = lines->steps->in;
    const uint32_t first = in->stage_first[stage], end = in->stage_first[stage + 1];
    struct br_line_copies *copies =
        br_arena_array(&lines->arena, (size_t)(end - first), sizeof *copies);
    if (!copies)
        return br_fail_memory(diag);
    *time = (struct rounds_time){.least = INT64_MAX};
    for (uint32_t t = first; t < end; t++) {
        const int64_t head = rounds_head(lines, t, late);
        time->least = head < time->least ? head : time->least;
        time->done = head + in->duration[t] > time->done ? head + in->duration[t] : time->done;
        const int64_t spread = rounds_spread(lines, stage, late, head, slots);
        if (spread > time->best[1]) {
            time->best[1] = spread;
            time->from = head;
        }
    }
    time->best[0] = time->least + br_alone_rounds(in, stage, copies);
    return BR_OK;
}

/* Supposes that the stage ends before `at`, and finds times of which it needs more than there are.
 * *tight: it needs what is supposed. */
static bool rounds_exceed(struct br_derivation *lines, uint32_t stage, bool late, int64_t from,
                          int64_t at, const struct br_weighed *weighed,
                          struct br_derive_times *times, bool *tight)
{
    const struct br_instance *in = lines->steps->in;
    struct br_derived_windows *windows = &lines->scratch;
    int64_t tried = 1;
    claims_copy(lines);
    *tight = false;
    for (uint32_t t = in->stage_first[stage]; t < in->stage_first[stage + 1]; t++) {
        const int64_t last = late ? lines->end - at + 1 : at - 1 - in->duration[t];
        if (late && windows->head[t] < last) {
            windows->head[t] = last;
            windows->head_line[t] = 0;
            *tight = true;
        } else if (!late && windows->latest[t] > last) {
            windows->latest[t] = last;
            windows->late_line[t] = 0;
            *tight = true;
        }
    }
    if (claims_empty(lines))
        return false;
    *times = (struct br_derive_times){.from = late ? lines->end - at + 1 : from,
                                      .to = late ? lines->end - from : at - 1,
                                      .step = 1};
    while (!br_derive_exceeds(lines, weighed, windows, times)) {
        int64_t next = INT64_MAX;
        for (uint32_t t = in->stage_first[stage]; t < in->stage_first[stage + 1]; t++)
            if (in->duration[t] > tried && in->duration[t] < next)
                next = in->duration[t];
        if (next >= times->to - times->from)
            return false;
        times->step = tried = next;
    }
    *tight = *tight && !br_derive_exceeds(lines, weighed, &lines->windows, times);
    return true;
}

/* The stages behind it (before it) over barriers start (end) accordingly. */
static void rounds_hand_on(struct br_derivation *lines, uint32_t stage, bool late, int64_t at)
{
    const struct br_instance *in = lines->steps->in;
    const uint32_t *first = late ? in->parent_first : in->child_first;
    const struct br_arc *arc = late ? in->parent : in->child;
    struct br_derived_windows *windows = &lines->windows;
    for (uint32_t a = first[stage]; a < first[stage + 1]; a++) {
        const uint32_t s = arc[a].stage;
        for (uint32_t t = in->stage_first[s]; t < in->stage_first[s + 1]; t++) {
            const int64_t start = late ? lines->end - at - in->duration[t] : at;
            if (!lines->member[t] || arc[a].one_to_one || br_windows_done(lines))
                continue;
            if (late && windows->latest[t] > start) {
                windows->late_line[t] = br_derive_rup_before(lines, t, start + 1);
                windows->latest[t] = start;
            } else if (!late && windows->head[t] < start) {
                windows->head_line[t] = br_derive_rup(lines, t, start);
                windows->head[t] = start;
            }
            br_windows_meet(lines, t);
        }
    }
}

enum br_status br_derive_rounds(struct br_derivation *lines, uint32_t stage, bool late,
                                struct br_diag *diag)
{
    const struct br_instance *in = lines->steps->in;
    enum br_status status = BR_OK;
    struct rounds_time time;
    if (in->stage_first[stage + 1] - in->stage_first[stage] < 2)
        return BR_OK;
    struct br_weighed *weighed = rounds_slots(lines, stage, &status, diag);
    if (!weighed || status)
        return status;
    status = rounds_times(lines, stage, late, weighed->capacity, &time, diag);
    for (uint32_t k = 0; k < 2 && !status; k++) {
        const uint32_t better = time.best[0] >= time.best[1] ? k : 1 - k;
        const int64_t at = time.best[better], from = better ? time.from : time.least;
        struct br_derive_times times;
        uint64_t line;
        bool tight;
        if (at <= time.done ||
            !rounds_exceed(lines, stage, late, from, at, weighed, &times, &tight))
            continue;
        status = br_derive_sum(lines, weighed, tight ? &lines->scratch : &lines->windows, &times,
                               tight || lines->supposed, &line, diag);
        if (!status && tight)
            rounds_hand_on(lines, stage, late, at);
        else if (!status && lines->supposed)
            lines->closed = true;
        else if (!status)
            lines->conflict = line;
        break;
    }
    return status;
}
