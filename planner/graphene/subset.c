/* Closing T and dividing the rest: one pass over the stages in either direction marks everything
 * after and before T. */
#include "planner/graphene/subset.h"

#include <string.h>

#include "base/collections/grow.h"
#include "base/collections/memory.h"
#include "base/invariant.h"
#include "base/process/stop.h"
#include "planner/schedule/order.h"

/* Marks every task that T reaches through arcs in one direction. reached: by task; any: by stage,
 * some task of it is in T or reached. */
static void reach_from(const struct br_instance *in, bool forward, const char *letter,
                       char *reached, char *any)
{
    const uint32_t *first = forward ? in->parent_first : in->child_first;
    const struct br_arc *arc = forward ? in->parent : in->child;
    for (uint32_t k = 0; k < in->stages; k++) {
        uint32_t s = in->topological[forward ? k : in->stages - 1 - k];
        uint32_t here = in->stage_first[s], count = in->stage_first[s + 1] - here;
        char all = 0, some = 0;
        for (uint32_t a = first[s]; a < first[s + 1]; a++)
            if (!arc[a].one_to_one && any[arc[a].stage])
                all = 1;
        memset(reached + here, all, count);
        for (uint32_t a = first[s]; !all && a < first[s + 1]; a++) {
            uint32_t there = in->stage_first[arc[a].stage];
            if (arc[a].one_to_one && any[arc[a].stage])
                for (uint32_t i = 0; i < count; i++)
                    if (reached[there + i] || letter[there + i] == 'T')
                        reached[here + i] = 1;
        }
        for (uint32_t i = 0; i < count; i++)
            if (reached[here + i] || letter[here + i] == 'T')
                some = 1;
        any[s] = some;
    }
}

/* May the child have this letter if its parent has that one? Before T come tasks of P and of T
 * alone, after T those of T and of C alone. So none of the orders of the subsets meets a dead end.
 * */
static bool may_follow(char parent, char child)
{
    switch (parent) {
    case 'P':
        return true;
    case 'T':
        return child == 'T' || child == 'C';
    case 'S':
        return child == 'S' || child == 'C';
    default:
        return child == 'C';
    }
}

static const char letters[] = {'T', 'S', 'P', 'C'};
enum { LETTERS = sizeof letters };

/* The letters of the stage's tasks, a bit for each. */
static uint32_t letters_of(const struct br_instance *in, uint32_t stage, const char *letter)
{
    uint32_t set = 0;
    for (uint32_t t = in->stage_first[stage]; t < in->stage_first[stage + 1]; t++)
        for (uint32_t k = 0; k < LETTERS; k++)
            set |= (uint32_t)(letter[t] == letters[k]) << k;
    return set;
}

/* May each letter of one set follow each letter of the other? */
static bool all_may_follow(uint32_t parents, uint32_t children)
{
    for (uint32_t p = 0; p < LETTERS; p++)
        for (uint32_t c = 0; c < LETTERS; c++)
            if (parents >> p & children >> c & 1 && !may_follow(letters[p], letters[c]))
                return false;
    return true;
}

/* May the letters follow each other across all arcs? */
static bool is_divided(const struct br_instance *in, const char *letter)
{
    for (uint32_t s = 0; s < in->stages; s++)
        for (uint32_t a = in->child_first[s]; a < in->child_first[s + 1]; a++) {
            uint32_t child = in->child[a].stage, here = in->stage_first[s];
            uint32_t count = in->stage_first[s + 1] - here, there = in->stage_first[child];
            if (!in->child[a].one_to_one &&
                !all_may_follow(letters_of(in, s, letter), letters_of(in, child, letter)))
                return false;
            for (uint32_t i = 0; in->child[a].one_to_one && i < count; i++)
                if (!may_follow(letter[here + i], letter[there + i]))
                    return false;
        }
    return true;
}

void br_subset_divide(const struct br_instance *in, char *letter, char *scratch)
{
    char *after = scratch, *before = scratch + in->tasks, *any = before + in->tasks;
    reach_from(in, true, letter, after, any);
    reach_from(in, false, letter, before, any);
    /* The ancestors of a task between two of T are ancestors of T already, so closing T changes
     * neither mark. */
    for (uint32_t t = 0; t < in->tasks; t++) {
        if (letter[t] == 'T' || (after[t] && before[t]))
            letter[t] = 'T';
        else
            letter[t] = (char)(before[t] ? 'P' : after[t] ? 'C' : 'S');
    }
    br_costly_assert(is_divided(in, letter));
}

static void subset_choose(const struct br_instance *in, const struct br_scores *scores, uint32_t l,
                          uint32_t f, char *letter)
{
    for (uint32_t s = 0; s < in->stages; s++) {
        bool frag = f && scores->frag[s] <= scores->frag_value[f - 1];
        for (uint32_t t = in->stage_first[s]; t < in->stage_first[s + 1]; t++)
            letter[t] = frag || (l && in->duration[t] >= scores->long_value[l - 1]) ? 'T' : 'S';
    }
}

static uint64_t hash_set(const void *troubles, uint32_t number)
{
    return ((const struct br_troubles *)troubles)->set[number].hash;
}

static bool subset_is_set(const void *context, uint32_t number, const void *bits)
{
    const struct br_troubles *troubles = context;
    return memcmp(troubles->set[number].bits, bits, troubles->words * sizeof(uint64_t)) == 0;
}

static const struct br_index_keys set_keys = {hash_set, subset_is_set};

/* Keeps the set that `letter` marks, unless it is there already. False when memory is out. */
static bool subset_add_set(struct br_troubles *troubles, const struct br_instance *in,
                           const char *letter, uint32_t l, uint32_t f)
{
    uint64_t *bits = br_calloc(troubles->words, sizeof *bits), hash = 0;
    if (!bits ||
        !br_grow(&troubles->set, troubles->count, &troubles->room, sizeof *troubles->set)) {
        br_free(bits);
        return false;
    }
    for (uint32_t t = 0; t < in->tasks; t++)
        bits[t / 64] |= (uint64_t)(letter[t] == 'T') << (t % 64);
    for (uint32_t k = 0; k < troubles->words; k++)
        hash = br_hash_number(hash ^ bits[k]);
    if (br_index_find(&troubles->by_bits, &set_keys, troubles, bits, hash) != UINT32_MAX) {
        br_free(bits);
        troubles->duplicate++;
        return true;
    }
    troubles->set[troubles->count] =
        (struct br_trouble){.bits = bits, .hash = hash, .l = l, .f = f};
    return br_index_add(&troubles->by_bits, &set_keys, troubles, troubles->count++);
}

bool br_troubles_init(struct br_troubles *troubles, const struct br_instance *in,
                      const struct br_scores *scores, double share_limit,
                      const struct br_stop *stop)
{
    *troubles = (struct br_troubles){.words = (in->tasks + 63) / 64};
    char *letter = br_malloc(in->tasks);
    char *scratch = br_malloc(2 * ((size_t)in->tasks + in->stages));
    double *work = br_malloc(in->stages * sizeof *work); /* of one tick of a task of the stage */
    double total = 0;
    bool ok = letter && scratch && work;
    for (uint32_t s = 0; ok && s < in->stages; s++) {
        /* If no task demands anything, the durations are the work. */
        work[s] = in->resources ? (double)br_dominant_share(in, s) : 1;
        for (uint32_t t = in->stage_first[s]; t < in->stage_first[s + 1]; t++)
            total += work[s] * (double)in->duration[t];
    }
    for (uint32_t l = 0; ok && l <= scores->long_count; l++)
        for (uint32_t f = 0; ok && f <= scores->frag_count; f++) {
            if (troubles->count && br_stopped(stop)) {
                troubles->cut = true;
                goto out;
            }
            double share = 0;
            uint32_t tasks = 0;
            troubles->pairs++;
            subset_choose(in, scores, l, f, letter);
            br_subset_divide(in, letter, scratch);
            for (uint32_t t = 0; t < in->tasks; t++)
                if (letter[t] == 'T') {
                    share += work[in->task_stage[t]] * (double)in->duration[t];
                    tasks++;
                }
            if (tasks == in->tasks) /* T = V is plain greedy placement, as the empty set is */
                troubles->duplicate++;
            else if (share > share_limit * total)
                troubles->pruned++;
            else
                ok = subset_add_set(troubles, in, letter, l, f);
        }
out:
    br_free(letter);
    br_free(scratch);
    br_free(work);
    return ok;
}

void br_troubles_finish(struct br_troubles *troubles)
{
    br_index_finish(&troubles->by_bits);
    for (uint32_t k = 0; k < troubles->count; k++)
        br_free(troubles->set[k].bits);
    br_free(troubles->set);
    *troubles = (struct br_troubles){0};
}

void br_troubles_letters(const struct br_troubles *troubles, uint32_t k,
                         const struct br_instance *in, char *letter, char *scratch)
{
    const uint64_t *bits = troubles->set[k].bits;
    for (uint32_t t = 0; t < in->tasks; t++)
        letter[t] = bits[t / 64] >> (t % 64) & 1 ? 'T' : 'S';
    br_subset_divide(in, letter, scratch);
}
