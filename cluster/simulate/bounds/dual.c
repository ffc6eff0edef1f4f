/* The linear program. Its variables are the completion times C, and for every stage and resource
 * the mean busy time M of the stage's work there. A job cannot end before its arrival plus its own
 * bound, nor before M plus the stage's `back` (alone.h), for each of its stages. On a resource the
 * mean busy times are such as one machine of its capacity can give, if the work of a stage comes at
 * its head.
 *
 * Its dual. Give every job prices for these inequalities that sum to its weight. Then the weighted
 * sum of all C is at least the sum of price x right-hand side, and that is least, on each resource,
 * if the work of the largest price by size goes first [Goemans02]. So any prices give a bound.
 * Prices are raised if the right-hand side is larger than the job's mean, by multiplying them, in
 * steps that get shorter. */
#include "cluster/simulate/bounds/dual.h"

#include <assert.h>
#include <stdlib.h>

#include "base/numbers/real.h"
#include "cluster/simulate/bounds/fluid.h"

enum {
    STEPS_MOST = 300,
    STEPS_LEAST = 40,
    EFFORT_MOST = 10000000, /* steps x pieces */
};

static const double first_step = 1, last_step = 0.05;
static const double least_price = 1e-7; /* of the weight: what is 0 once could never be raised */

/* One inequality of a job: a stage on a resource. */
struct choice {
    double size_s, back_s, price;
    double value_s; /* by this the job cannot end earlier after its arrival */
};

struct dual {
    const struct br_load *load;
    const double *weight;
    struct choice *choice;
    uint32_t *first;          /* by job: its choices; jobs + 1 */
    double *own_price;        /* by job: of its own bound */
    struct br_fluid *piece;   /* by resource, then by release; owners are choices */
    uint32_t *first_piece;    /* by resource; resources + 1 */
    double *density, *busy_s; /* by choice */
    struct br_fluid_piece *heap;
    struct br_arena arena;
};

static bool dual_allocate(struct dual *d, uint32_t choices)
{
    uint32_t jobs = d->load->jobs;
    return BR_ARRAY(&d->arena, choices, d->choice) &&
           BR_ARRAY(&d->arena, (size_t)jobs + 1, d->first) &&
           BR_ARRAY(&d->arena, jobs, d->own_price) && BR_ARRAY(&d->arena, choices, d->piece) &&
           BR_ARRAY(&d->arena, (size_t)d->load->resources + 1, d->first_piece) &&
           BR_ARRAY(&d->arena, choices, d->density) && BR_ARRAY(&d->arena, choices, d->busy_s) &&
           BR_ARRAY(&d->arena, choices, d->heap);
}

static double dual_share(const struct br_alone *alone, uint32_t stage, uint32_t resource)
{
    return alone->share_s[(size_t)stage * alone->resources + resource];
}

/* Counts the choices of all jobs, and by resource into piece_count if that is not NULL. */
static uint64_t count_choices(const struct br_load *load, uint32_t *piece_count)
{
    uint64_t count = 0;
    for (uint32_t j = 0; j < load->jobs; j++) {
        const struct br_alone *alone = load->job[j].alone;
        for (uint32_t s = 0; alone && s < alone->stages; s++)
            for (uint32_t r = 0; r < alone->resources; r++)
                if (dual_share(alone, s, r) > 0) {
                    count++;
                    if (piece_count)
                        piece_count[load->job[j].column[r]]++;
                }
    }
    return count;
}

/* Half of the weight on the job's own bound, half on its choices by size. */
static void begin_prices(struct dual *d, uint32_t j)
{
    double size_s = 0;
    for (uint32_t c = d->first[j]; c < d->first[j + 1]; c++)
        size_s += d->choice[c].size_s;
    for (uint32_t c = d->first[j]; c < d->first[j + 1]; c++)
        d->choice[c].price = d->weight[j] / 2 * d->choice[c].size_s / size_s;
    d->own_price[j] = size_s > 0 ? d->weight[j] / 2 : d->weight[j];
}

static int by_release(const void *a, const void *b)
{
    const struct br_fluid *x = a, *y = b;
    if (x->release_s != y->release_s)
        return x->release_s < y->release_s ? -1 : 1;
    return x->owner < y->owner ? -1 : x->owner > y->owner;
}

static void dual_fill(struct dual *d)
{
    const struct br_load *load = d->load;
    uint32_t choices = 0, *end = d->first_piece + 1; /* of what is filled, by resource */
    count_choices(load, end);
    for (uint32_t r = 0, sum = 0; r < load->resources; r++) {
        uint32_t count = end[r];
        end[r] = sum;
        sum += count;
    }
    for (uint32_t j = 0; j < load->jobs; j++) {
        const struct br_load_job *job = &load->job[j];
        d->first[j] = choices;
        for (uint32_t s = 0; job->alone && s < job->alone->stages; s++)
            for (uint32_t r = 0; r < job->alone->resources; r++) {
                const struct br_alone_stage *stage = &job->alone->stage[s];
                double size_s = dual_share(job->alone, s, r);
                if (!(size_s > 0))
                    continue;
                d->piece[end[job->column[r]]++] =
                    (struct br_fluid){job->release_s + stage->head_s, size_s, choices};
                d->choice[choices++] = (struct choice){.size_s = size_s, .back_s = stage->back_s};
            }
        d->first[j + 1] = choices;
        begin_prices(d, j);
    }
    assert(choices == d->first[load->jobs] && choices == d->first_piece[load->resources]);
    for (uint32_t r = 0; r < load->resources; r++)
        qsort(d->piece + d->first_piece[r], d->first_piece[r + 1] - d->first_piece[r],
              sizeof *d->piece, by_release);
}

static double own_s(const struct br_load_job *job)
{
    return job->alone ? (double)job->alone->bound_ns / 1e9 : 0;
}

/* The bound that the prices give, and all values. */
static double dual_evaluate(struct dual *d)
{
    const struct br_load *load = d->load;
    double sum_s = 0;
    for (uint32_t c = 0; c < d->first[load->jobs]; c++) {
        d->density[c] = d->choice[c].price / d->choice[c].size_s;
        d->busy_s[c] = 0;
    }
    for (uint32_t r = 0; r < load->resources; r++)
        br_fluid_densest(d->piece + d->first_piece[r], d->first_piece[r + 1] - d->first_piece[r],
                         d->density, d->heap, d->busy_s);
    for (uint32_t j = 0; j < load->jobs; j++) {
        sum_s += d->own_price[j] * own_s(&load->job[j]);
        for (uint32_t c = d->first[j]; c < d->first[j + 1]; c++) {
            struct choice *choice = &d->choice[c];
            double busy_s = d->busy_s[c] / choice->size_s - load->job[j].release_s;
            choice->value_s = busy_s + choice->back_s;
            sum_s += choice->price * choice->value_s;
        }
    }
    return sum_s;
}

static double dual_factor(double exponent)
{
    return br_real_exp(exponent > 5 ? 5 : exponent < -5 ? -5 : exponent);
}

/* Multiplies the prices of a job, and scales them so that they sum to its weight. */
static void dual_climb(struct dual *d, uint32_t j, double step)
{
    double alone_s = own_s(&d->load->job[j]), weight = d->weight[j];
    double mean_s = d->own_price[j] / weight * alone_s, sum = 0;
    for (uint32_t c = d->first[j]; c < d->first[j + 1]; c++)
        mean_s += d->choice[c].price / weight * d->choice[c].value_s;
    if (!(mean_s > 0))
        return;
    d->own_price[j] *= dual_factor(step * (alone_s / mean_s - 1));
    d->own_price[j] += least_price * weight;
    sum += d->own_price[j];
    for (uint32_t c = d->first[j]; c < d->first[j + 1]; c++) {
        struct choice *choice = &d->choice[c];
        choice->price *= dual_factor(step * (choice->value_s / mean_s - 1));
        choice->price += least_price * weight;
        sum += choice->price;
    }
    assert(sum > 0);
    d->own_price[j] *= weight / sum;
    for (uint32_t c = d->first[j]; c < d->first[j + 1]; c++)
        d->choice[c].price *= weight / sum;
}

bool br_dual_bound(const struct br_load *load, const double *weight, const struct br_stop *stop,
                   double *sum_s)
{
    struct dual d = {.load = load, .weight = weight};
    uint64_t choices = count_choices(load, NULL);
    uint64_t steps = choices ? EFFORT_MOST / choices : 0;
    *sum_s = 0;
    if (steps < STEPS_LEAST)
        return true;
    steps = steps < STEPS_MOST ? steps : STEPS_MOST;
    bool ok = dual_allocate(&d, (uint32_t)choices);
    double step = first_step, shorter = br_real_pow(last_step / first_step, 1 / (double)steps);
    if (ok)
        dual_fill(&d);
    for (uint64_t k = 0; ok && k < steps && !br_stopped(stop); k++) {
        double got_s = dual_evaluate(&d);
        *sum_s = got_s > *sum_s ? got_s : *sum_s;
        for (uint32_t j = 0; j < load->jobs; j++)
            dual_climb(&d, j, step);
        step *= shorter;
    }
    br_arena_finish(&d.arena);
    return ok;
}
