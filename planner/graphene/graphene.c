/* For every troublesome set T all variants are carried: T forward or backward into the empty space,
 * then the four orders of S, P and C with every direction that cannot meet a dead end. The paper
 * keeps the better of two after T and after S; carrying both never loses to that. Variants share
 * their beginnings by undo, and are given up when they must become longer than the best so far,
 * which changes no result. Candidates are spread over threads; each worker keeps its best, and the
 * total order over (makespan, ends, candidate, variant) makes the result the same for any number
 * of threads. */
#include "planner/graphene/graphene.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/collections/memory.h"
#include "base/invariant.h"
#include "base/process/parallel.h"
#include "base/process/stop.h"
#include "planner/graphene/score.h"
#include "planner/graphene/subset.h"

/* One step of a variant. */
struct step {
    char subset;
    enum br_direction direction;
};

enum { STEPS = 4 };

/* Neighbours share as many first steps as they can. P always goes backward and C forward; S can go
 * forward while C is not placed and backward while P is not placed. */
static const char *const variants[] = {
    "T> S> C> P<", "T> S> P< C>", "T> S< C> P<", "T> S< P< C>", "T> C> S< P<", "T> P< S> C>",
    "T< S> C> P<", "T< S> P< C>", "T< S< C> P<", "T< S< P< C>", "T< C> S< P<", "T< P< S> C>",
};
enum { VARIANTS = sizeof variants / sizeof variants[0] };

const char *br_graphene_order(uint32_t k)
{
    return k < VARIANTS ? variants[k] : NULL;
}

struct worker {
    struct br_placer *placer;
    char *letter, *scratch;
    struct br_schedule best, trial;
    uint32_t candidate, variant; /* of the best */
    uint64_t given_up;           /* variants */
};

struct variants {
    const struct br_instance *in;
    struct br_run *run;
    const struct br_graphene_settings *settings;
    const struct br_troubles *troubles;
    struct br_order order[2]; /* by direction */
    struct worker *worker;
    uint32_t *variants; /* by candidate: how many it has */
    uint32_t total;
    atomic_uint done;
    atomic_uint last; /* least candidate that reached the lower bound: none after it counts */
    atomic_bool memory_out, cut;
    _Atomic int64_t least;
};

static uint32_t subset_index(char subset)
{
    return subset == 'T' ? 0 : subset == 'S' ? 1 : subset == 'P' ? 2 : 3;
}

/* Empty subsets drop out of a variant; of variants that then are alike only the first is needed.
 * Returns the number of steps left. */
static uint32_t graphene_reduce(const char *variant, const uint32_t *size, struct step *steps)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < STEPS; k++, variant += sizeof "T> " - 1)
        if (size[subset_index(variant[0])])
            steps[n++] = (struct step){variant[0], variant[1] == '>' ? BR_FORWARD : BR_BACKWARD};
    return n;
}

static bool same_steps(const struct step *a, const struct step *b, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        if (a[k].subset != b[k].subset || a[k].direction != b[k].direction)
            return false;
    return true;
}

static bool repeats_earlier(uint32_t v, const uint32_t *size, const struct step *steps, uint32_t n)
{
    struct step other[STEPS];
    for (uint32_t k = 0; k < v; k++)
        if (graphene_reduce(variants[k], size, other) == n && same_steps(other, steps, n))
            return true;
    return false;
}

/* Keeps the placer's schedule if it is the worker's best. Candidates come in ascending order, so
 * that the first of equal ones stays; at the lower bound the first stays whatever the ends. */
static void consider(struct variants *search, struct worker *w, uint32_t candidate,
                     uint32_t variant)
{
    const int64_t lower_bound = search->run->lower_bound;
    br_schedule_take(&w->trial, search->in, w->placer, w->letter);
    assert(w->trial.makespan >= lower_bound);
    if (w->trial.makespan >= search->settings->beat || w->best.makespan <= lower_bound ||
        !br_schedule_better(&w->trial, &w->best))
        return;
    br_schedule_swap(&w->trial, &w->best);
    w->candidate = candidate;
    w->variant = variant;
    int64_t least = atomic_load(&search->least);
    while (w->best.makespan < least &&
           !atomic_compare_exchange_weak(&search->least, &least, w->best.makespan))
        ;
    unsigned last = atomic_load(&search->last);
    while (w->best.makespan <= lower_bound && candidate < last &&
           !atomic_compare_exchange_weak(&search->last, &last, candidate))
        ;
}

/* All variants of one candidate. Steps that the variant before took too stay in the space. */
static bool examine(void *context, uint32_t number, uint32_t candidate)
{
    struct variants *search = context;
    const struct br_stop *stop = search->run->stop;
    struct worker *w = &search->worker[number];
    uint32_t size[4] = {0}, open = 0, dead = STEPS + 1;
    struct step path[STEPS] = {0};
    bool ok = true;
    if (candidate > atomic_load(&search->last))
        return true;
    br_troubles_letters(search->troubles, candidate, search->in, w->letter, w->scratch);
    for (uint32_t t = 0; t < search->in->tasks; t++)
        size[subset_index(w->letter[t])]++;
    for (uint32_t v = 0; ok && v < VARIANTS; v++) {
        struct step steps[STEPS];
        uint32_t n = graphene_reduce(variants[v], size, steps), shared = 0;
        if (repeats_earlier(v, size, steps, n))
            continue;
        search->variants[candidate]++;
        while (shared < open && shared < n && same_steps(path + shared, steps + shared, 1))
            shared++;
        /* The beginning up to `dead` steps was found too long: whatever follows is, too. */
        if (dead <= shared) {
            w->given_up++;
            continue;
        }
        dead = STEPS + 1;
        for (; open > shared; open--)
            br_placer_pop(w->placer);
        for (; ok && open < n && dead > STEPS; open++) {
            path[open] = steps[open];
            ok = br_placer_push(w->placer);
            if (!ok) {
                atomic_store(&search->memory_out, true);
                break;
            }
            ok = br_place(w->placer, steps[open].direction, w->letter, steps[open].subset,
                          &search->order[steps[open].direction], stop);
            if (ok)
                continue;
            if (br_placer_over(w->placer)) {
                ok = true;
                dead = open + 1;
                w->given_up++;
            } else {
                atomic_store(br_stopped(stop) ? &search->cut : &search->memory_out, true);
            }
        }
        if (ok && dead > STEPS)
            consider(search, w, candidate, v);
    }
    for (; open; open--)
        br_placer_pop(w->placer);
    unsigned done = atomic_fetch_add(&search->done, 1) + 1;
    br_run_step(search->run, (double)done / (double)search->total);
    return ok;
}

/* The candidates, in order, whose placements stay within the limit: their cost is known before
 * they are tried, so the limit cuts at the same place for any number of threads. */
static uint32_t affordable(const struct br_troubles *troubles, const struct br_instance *in,
                           uint64_t placements)
{
    uint64_t cost = (uint64_t)VARIANTS * in->tasks;
    if (placements == 0 || placements / cost >= troubles->count)
        return troubles->count;
    return placements < cost ? 1 : (uint32_t)(placements / cost);
}

static void report_best(struct br_graphene_report *report, const struct variants *search,
                        const struct br_scores *scores, const struct worker *w)
{
    const struct br_trouble *set = &search->troubles->set[w->candidate];
    uint32_t size[4] = {0};
    for (uint32_t t = 0; t < search->in->tasks; t++)
        size[subset_index(w->best.subset[t])]++;
    report->t = size[0];
    report->s = size[1];
    report->p = size[2];
    report->c = size[3];
    struct step steps[STEPS];
    uint32_t n = graphene_reduce(variants[w->variant], size, steps);
    for (uint32_t k = 0, at = 0; k < n; k++)
        at += (uint32_t)snprintf(report->order + at, sizeof report->order - at, "%s%c%c",
                                 k ? " " : "", steps[k].subset,
                                 steps[k].direction == BR_FORWARD ? '>' : '<');
    if (set->l && scores->longest > 0)
        report->long_score = (double)scores->long_value[set->l - 1] / (double)scores->longest;
    if (set->f)
        report->frag_score = scores->frag_value[set->f - 1];
}

static bool graphene_init_worker(struct worker *w, const struct br_instance *in)
{
    w->placer = br_placer_create(in);
    w->letter = br_malloc(in->tasks);
    w->scratch = br_malloc(2 * ((size_t)in->tasks + in->stages));
    w->candidate = UINT32_MAX;
    bool best = br_schedule_init(&w->best, in), trial = br_schedule_init(&w->trial, in);
    return w->placer && w->letter && w->scratch && best && trial;
}

static void graphene_finish_worker(struct worker *w)
{
    br_placer_destroy(w->placer);
    br_free(w->letter);
    br_free(w->scratch);
    br_schedule_finish(&w->best);
    br_schedule_finish(&w->trial);
}

/* Chooses between two workers' bests: at the lower bound the first candidate, else the better
 * schedule. */
static bool beats(const struct worker *a, const struct worker *b, int64_t lower_bound)
{
    bool bound = a->best.makespan <= lower_bound && b->best.makespan <= lower_bound;
    if (!bound && br_schedule_better(&a->best, &b->best))
        return true;
    if (!bound && br_schedule_better(&b->best, &a->best))
        return false;
    return a->candidate < b->candidate;
}

/* Counts what was tried, in the report and in the run. */
static void graphene_count(const struct variants *search, uint32_t count, uint32_t threads,
                           struct br_graphene_report *report)
{
    const struct br_troubles *troubles = search->troubles;
    struct br_counters *counters = &search->run->counters;
    const unsigned last = atomic_load(&search->last);
    for (uint32_t k = 0; k < count && k <= last; k++)
        report->variants += search->variants[k];
    for (uint32_t k = 0; k < threads; k++)
        counters->graphene_given_up += search->worker[k].given_up;
    report->pairs = troubles->pairs;
    report->distinct = troubles->count;
    report->duplicate = troubles->duplicate;
    report->pruned = troubles->pruned;
    report->cut = troubles->cut || atomic_load(&search->cut) || count < troubles->count;
    counters->graphene_pairs += report->pairs;
    counters->graphene_sets += report->distinct;
    counters->graphene_known += report->duplicate;
    counters->graphene_pruned += report->pruned;
    counters->graphene_variants += report->variants;
    counters->graphene_placements += report->variants * search->in->tasks;
    search->run->spent += report->variants * search->in->tasks;
    search->run->stopped |= br_stopped(search->run->stop);
}

bool br_graphene(struct br_run *run, const struct br_graphene_settings *settings,
                 struct br_schedule *schedule, struct br_graphene_report *report)
{
    const struct br_instance *in = run->in;
    struct br_scores scores = {0};
    struct br_troubles troubles = {0};
    struct variants search = {.in = in, .run = run, .settings = settings, .troubles = &troubles};
    uint32_t threads = 0;
    struct br_key *key = br_malloc(in->tasks * sizeof *key);
    *report = (struct br_graphene_report){.long_score = NAN, .frag_score = NAN};
    schedule->makespan = INT64_MAX;
    bool ok = key && br_scores_init(&scores, in, settings->frag_score, settings->threshold_limit) &&
              br_troubles_init(&troubles, in, &scores, settings->troublesome_limit, run->stop);
    for (uint32_t d = 0; ok && d < 2; d++) {
        br_key_longest(in, run->reach, d ? BR_BACKWARD : BR_FORWARD, key);
        ok = br_order_init(&search.order[d ? BR_BACKWARD : BR_FORWARD], in, key);
    }
    uint32_t count = ok ? affordable(&troubles, in, run->placements) : 0;
    if (ok) {
        threads = run->threads < count ? run->threads : count;
        search.worker = br_calloc(threads, sizeof *search.worker);
        search.variants = br_calloc(count, sizeof *search.variants);
        ok = search.worker && search.variants;
        for (uint32_t k = 0; ok && k < threads; k++)
            ok = graphene_init_worker(&search.worker[k], in);
    }
    if (ok) {
        search.total = count;
        atomic_init(&search.least, settings->beat == INT64_MAX ? INT64_MAX : settings->beat - 1);
        for (uint32_t k = 0; k < threads; k++)
            br_placer_set_span(search.worker[k].placer, run->reach, &search.least);
        atomic_init(&search.last, UINT32_MAX);
        br_parallel(threads, count, examine, &search);
        ok = !atomic_load(&search.memory_out);
    }
    if (ok) {
        struct worker *best = &search.worker[0];
        for (uint32_t k = 1; k < threads; k++)
            if (beats(&search.worker[k], best, run->lower_bound))
                best = &search.worker[k];
        graphene_count(&search, count, threads, report);
        if (best->best.makespan != INT64_MAX) {
            report_best(report, &search, &scores, best);
            br_schedule_swap(schedule, &best->best);
        }
    }
    for (uint32_t k = 0; search.worker && k < threads; k++)
        graphene_finish_worker(&search.worker[k]);
    br_free(search.worker);
    br_free(search.variants);
    for (uint32_t d = 0; d < 2; d++)
        br_order_finish(&search.order[d]);
    br_troubles_finish(&troubles);
    br_scores_finish(&scores);
    br_free(key);
    return ok;
}
