/* Too much to do in a span, by cutting planes: the rows of capacity of its times are added, and for
 * each task a line that says how much of it is in the span.
 *
 * That line is: the sum of x(t, u) over the times is `part` or more, unless the task starts before
 * early = from + part - d or after late = to - part. Of a task that starts at s, F(s) times are in
 * the span. With steps d(s) = y(s) - y(s + 1) >= 0, F less `part` (within early .. late) is the sum
 * of multiples of d(s), none of them below 0; so the rows of runs, and those multiples of ladders,
 * add up to it. */
#include "emit/proofs/lemmas.h"

#include <inttypes.h>

#include "base/text/diag.h"

enum { LEMMAS_KEPT = 1 << 16 };

static int64_t lemmas_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t lemmas_most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Amounts that are no multiples of what divides all demands are of no use. */
static int64_t lemmas_unit(const struct br_busy *busy, uint32_t r)
{
    int64_t unit = 0;
    for (uint32_t t = 0; t < busy->steps.in->tasks; t++) {
        int64_t a = busy->steps.in->duration[t] > 0 ? br_busy_demand(busy, t, r) : 0;
        while (a > 0) {
            const int64_t rest = unit % a;
            unit = a;
            a = rest;
        }
    }
    return unit > 0 && busy->steps.in->total[r] % unit ? unit : 1;
}

enum br_status br_lemmas_init(struct br_lemmas *lemmas, const struct br_busy *busy, FILE *out,
                              struct br_diag *diag)
{
    const struct br_instance *in = busy->steps.in;
    *lemmas = (struct br_lemmas){.busy = busy, .out = out, .next = busy->steps.rows};
    const size_t times = (size_t)busy->steps.makespan * in->resources;
    if (!BR_ARRAY(&lemmas->arena, (size_t)in->resources + 1, lemmas->unit) ||
        !BR_ARRAY(&lemmas->arena, times + 1, lemmas->held) ||
        !BR_ARRAY(&lemmas->arena, (size_t)in->tasks + 1, lemmas->part) ||
        !BR_ARRAY(&lemmas->arena, LEMMAS_KEPT, lemmas->lemma))
        return br_fail_memory(diag);
    for (uint32_t r = 0; r < in->resources; r++)
        lemmas->unit[r] = lemmas_unit(busy, r);
    return BR_OK;
}

void br_lemmas_finish(struct br_lemmas *lemmas)
{
    br_arena_finish(&lemmas->arena);
}

static uint64_t lemmas_line(struct br_lemmas *lemmas)
{
    fputs(";\n", lemmas->out);
    return ++lemmas->next;
}

/* Adds what is written by the caller to the sum of a line; the first has nothing to be added to. */
static void lemmas_add(struct br_lemmas *lemmas, bool *first, int64_t times)
{
    if (times != 1)
        fprintf(lemmas->out, " %" PRId64 " *", times);
    if (!*first)
        fputs(" +", lemmas->out);
    *first = false;
    lemmas->terms++;
}

/* How much tasks demand at that time, in whole units. */
static uint64_t lemmas_held(struct br_lemmas *lemmas, uint32_t r, int64_t time)
{
    const struct br_busy *busy = lemmas->busy;
    const size_t at = (size_t)r * (size_t)busy->steps.makespan + (size_t)time;
    const int64_t unit = lemmas->unit[r];
    if (lemmas->held[at])
        return lemmas->held[at];
    if (busy->capacity[at] && unit == 1)
        return lemmas->held[at] = busy->capacity[at];
    if (busy->capacity[at]) {
        fprintf(lemmas->out, "pol %" PRIu64 " %" PRId64 " d", busy->capacity[at], unit);
        return lemmas->held[at] = lemmas_line(lemmas);
    }
    bool first = true; /* there is enough: each of them runs once at most */
    fputs("pol", lemmas->out);
    for (uint32_t t = 0; t < busy->steps.in->tasks; t++)
        if (br_busy_at(busy, t, time) && br_busy_demand(busy, t, r) > 0) {
            fprintf(lemmas->out, " ~x%" PRIu32 "_%" PRId64, br_steps_name(&lemmas->busy->steps, t),
                    time);
            lemmas_add(lemmas, &first, br_busy_demand(busy, t, r) / unit);
        }
    return lemmas->held[at] = first ? 0 : lemmas_line(lemmas);
}

/* How many of the times from .. to a task runs in that starts at s. */
static int64_t lemmas_covers(const struct br_busy *busy, const struct br_lemma_key *key, int64_t s)
{
    const int64_t part =
        lemmas_least(s + busy->steps.in->duration[key->task], key->to) - lemmas_most(s, key->from);
    return part > 0 ? part : 0;
}

static void lemmas_ladder(struct br_lemmas *lemmas, bool *first, uint32_t task, int64_t s,
                          int64_t times)
{
    const struct br_steps *steps = &lemmas->busy->steps;
    if (times == 0 || steps->last[task] == 0)
        return;
    if (s == 0)
        fprintf(lemmas->out, " ~y%" PRIu32 "_1", br_steps_name(&lemmas->busy->steps, task));
    else if (s == steps->last[task])
        fprintf(lemmas->out, " y%" PRIu32 "_%" PRId64, br_steps_name(&lemmas->busy->steps, task),
                s);
    else
        fprintf(lemmas->out, " %" PRIu64, steps->ladder[task] + (uint64_t)s);
    lemmas_add(lemmas, first, times);
}

/* The key's times are those at which the task has variables. */
static uint64_t lemmas_write(struct br_lemmas *lemmas, const struct br_lemma_key *key)
{
    const struct br_busy *busy = lemmas->busy;
    const uint32_t t = key->task;
    const int64_t d = busy->steps.in->duration[t];
    bool first = true;
    fputs("pol", lemmas->out);
    for (int64_t u = key->from; u < key->to; u++) {
        if (key->part > 0)
            fprintf(lemmas->out, " %" PRId64, busy->run[t] + busy->rank[u]);
        else
            fprintf(lemmas->out, " x%" PRIu32 "_%" PRId64, br_steps_name(&lemmas->busy->steps, t),
                    u);
        lemmas_add(lemmas, &first, 1);
    }
    if (key->part > 0) {
        const int64_t early = key->from + key->part - d, late = key->to - key->part;
        const int64_t begin = lemmas_most(0, key->from - d + 1);
        for (int64_t s = begin; s < key->to && s <= busy->steps.last[t]; s++)
            lemmas_ladder(lemmas, &first, t, s,
                          lemmas_covers(busy, key, s) - (s >= early && s <= late ? key->part : 0));
    }
    return lemmas_line(lemmas);
}

static size_t lemmas_place(const struct br_lemma_key *key)
{
    uint64_t hash = key->task;
    hash = hash * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)key->from;
    hash = hash * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)key->to;
    hash = hash * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)key->part;
    return (size_t)((hash * UINT64_C(0x9e3779b97f4a7c15)) >> 48) % LEMMAS_KEPT;
}

static uint64_t lemmas_part(struct br_lemmas *lemmas, const struct br_lemma_key *key)
{
    struct br_lemma *kept = &lemmas->lemma[lemmas_place(key)];
    if (!kept->line || kept->key.task != key->task || kept->key.from != key->from ||
        kept->key.to != key->to || kept->key.part != key->part)
        *kept = (struct br_lemma){*key, lemmas_write(lemmas, key)};
    return kept->line;
}

/* The task's mandatory part in the span, of the times at which it has variables. False: it has none
 * there. */
static bool lemmas_key(const struct br_lemmas *lemmas, uint32_t task, int64_t from, int64_t to,
                       const int64_t *least, const int64_t *most, struct br_lemma_key *key)
{
    const struct br_busy *busy = lemmas->busy;
    const int64_t d = busy->steps.in->duration[task];
    *key = (struct br_lemma_key){.task = task,
                                 .from = lemmas_most(from, busy->head[task]),
                                 .to = lemmas_least(to, busy->latest[task] + d)};
    if (key->from >= key->to)
        return false;
    key->part =
        lemmas_least(lemmas_covers(busy, key, least[task]), lemmas_covers(busy, key, most[task]));
    return true;
}

void br_lemmas_overfull(struct br_lemmas *lemmas, uint32_t resource, int64_t from, int64_t to,
                        const int64_t *least, const int64_t *most)
{
    const struct br_busy *busy = lemmas->busy;
    const uint32_t tasks = busy->steps.in->tasks;
    const uint64_t *held = lemmas->held + (size_t)resource * (size_t)busy->steps.makespan;
    to = lemmas_least(to, busy->steps.makespan);
    bool first = true;
    for (int64_t u = from; u < to; u++)
        lemmas_held(lemmas, resource, u);
    for (uint32_t t = 0; t < tasks; t++) {
        struct br_lemma_key key;
        const bool counts = br_busy_demand(busy, t, resource) > 0 &&
                            lemmas_key(lemmas, t, from, to, least, most, &key);
        lemmas->part[t] = counts ? lemmas_part(lemmas, &key) : 0;
    }
    fputs("pol", lemmas->out);
    for (int64_t u = from; u < to; u++)
        if (held[u]) {
            fprintf(lemmas->out, " %" PRIu64, held[u]);
            lemmas_add(lemmas, &first, 1);
        }
    for (uint32_t t = 0; t < tasks; t++)
        if (lemmas->part[t]) {
            fprintf(lemmas->out, " %" PRIu64, lemmas->part[t]);
            lemmas_add(lemmas, &first, br_busy_demand(busy, t, resource) / lemmas->unit[resource]);
        }
    lemmas_line(lemmas);
}
