/* Scores and their discriminative thresholds. Since the tasks of a stage have one demand, each
 * machine has a fixed number of places for them, and packing a stage alone is scheduling on as many
 * equal processors as there are places. */
#include "planner/graphene/score.h"

#include <assert.h>
#include <string.h>

#include "base/collections/heap.h"
#include "base/collections/memory.h"
#include "base/collections/sort.h"

/* The number of tasks of the stage that run at once on the empty cluster, at most `most`. */
static uint32_t places(const struct br_instance *in, uint32_t stage, uint32_t most)
{
    uint64_t sum = 0;
    for (uint32_t c = 0; c < in->classes && sum < most; c++)
        sum += (uint64_t)br_instance_holds(in, c, stage, most) *
               (in->class_first[c + 1] - in->class_first[c]);
    return sum < most ? (uint32_t)sum : most;
}

static int score_descending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x > y ? -1 : x < y;
}

static int score_ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static bool score_sooner(const void *none, const int64_t *a, const int64_t *b)
{
    (void)none;
    return *a < *b;
}

BR_HEAP(free_first, int64_t, const void *, score_sooner, 2)

/* Greedy makespan of the stage alone: the longest task first on the place that is free first.
 * False when memory is out. */
static bool exec_time(const struct br_instance *in, uint32_t stage, int64_t *makespan)
{
    uint32_t first = in->stage_first[stage], count = in->stage_first[stage + 1] - first;
    uint32_t room = places(in, stage, count);
    assert(room > 0); /* every stage has tasks, and fits some class */
    *makespan = in->stage_longest[stage];
    if (in->stage_equal[stage]) {
        *makespan = in->stage_longest[stage] * (int64_t)((count + room - 1) / room);
        return true;
    }
    if (room == count)
        return true;
    assert(room < count);
    int64_t *duration = br_malloc(count * sizeof *duration);
    int64_t *busy = br_calloc(room, sizeof *busy); /* a heap: the place free first on top */
    bool ok = duration && busy;
    if (ok) {
        memcpy(duration, in->duration + first, count * sizeof *duration);
        br_sort_by(duration, count, sizeof *duration, score_descending);
        for (uint32_t k = 0; k < count; k++) {
            int64_t end = busy[0] + duration[k];
            if (end > *makespan)
                *makespan = end;
            free_first_replace(NULL, busy, room, end);
        }
    }
    br_free(duration);
    br_free(busy);
    return ok;
}

static bool frag_score(const struct br_instance *in, uint32_t stage, enum br_frag_score form,
                       double *score)
{
    int64_t makespan;
    double sum = 0, work = 0;
    if (!exec_time(in, stage, &makespan))
        return false;
    for (uint32_t t = in->stage_first[stage]; t < in->stage_first[stage + 1]; t++)
        sum += (double)in->duration[t];
    for (uint32_t r = 0; r < in->resources; r++) {
        double share =
            (double)in->demand[(size_t)stage * in->resources + r] * sum / (double)in->total[r];
        if (share > work)
            work = share;
    }
    if (form == BR_FRAG_BOUND && work < (double)in->stage_longest[stage])
        work = (double)in->stage_longest[stage];
    *score = makespan > 0 ? work / (double)makespan : 1;
    return true;
}

/* Keeps `limit` of `count` sorted values, at evenly spread ranks. */
static uint32_t thin(void *values, uint32_t count, size_t size, uint32_t limit)
{
    char *value = values;
    if (limit == 0 || count <= limit)
        return count;
    if (limit == 1)
        return 1;
    for (uint32_t k = 0; k < limit; k++)
        memmove(value + k * size, value + (uint64_t)k * (count - 1) / (limit - 1) * size, size);
    return limit;
}

bool br_scores_init(struct br_scores *scores, const struct br_instance *in, enum br_frag_score form,
                    uint32_t limit)
{
    *scores = (struct br_scores){.frag = br_malloc(in->stages * sizeof *scores->frag),
                                 .long_value = br_malloc(in->tasks * sizeof *scores->long_value),
                                 .frag_value = br_malloc(in->stages * sizeof *scores->frag_value)};
    if (!scores->frag || !scores->long_value || !scores->frag_value)
        return false;
    for (uint32_t s = 0; s < in->stages; s++) {
        if (!frag_score(in, s, form, &scores->frag[s]))
            return false;
        if (in->stage_longest[s] > scores->longest)
            scores->longest = in->stage_longest[s];
    }
    memcpy(scores->long_value, in->duration, in->tasks * sizeof *scores->long_value);
    br_sort_by(scores->long_value, in->tasks, sizeof *scores->long_value, score_descending);
    for (uint32_t t = 0; t < in->tasks; t++)
        if (scores->long_count == 0 ||
            scores->long_value[t] != scores->long_value[scores->long_count - 1])
            scores->long_value[scores->long_count++] = scores->long_value[t];
    memcpy(scores->frag_value, scores->frag, in->stages * sizeof *scores->frag_value);
    br_sort_by(scores->frag_value, in->stages, sizeof *scores->frag_value, score_ascending);
    for (uint32_t s = 0; s < in->stages; s++)
        if (scores->frag_count == 0 ||
            scores->frag_value[s] != scores->frag_value[scores->frag_count - 1])
            scores->frag_value[scores->frag_count++] = scores->frag_value[s];
    scores->long_count =
        thin(scores->long_value, scores->long_count, sizeof *scores->long_value, limit);
    scores->frag_count =
        thin(scores->frag_value, scores->frag_count, sizeof *scores->frag_value, limit);
    return true;
}

void br_scores_finish(struct br_scores *scores)
{
    br_free(scores->frag);
    br_free(scores->long_value);
    br_free(scores->frag_value);
    *scores = (struct br_scores){0};
}
