#include "planner/modes/multipliers.h"

#include "base/collections/memory.h"
#include "base/numbers/wide.h"
#include "planner/modes/mixtures.h"

const char br_multipliers_name[] = "linear program of work, budgets and paths over all ways";

enum { ARCS_MAX = 200000 };

/* ---- The tick ---- */

static int64_t divisor(int64_t a, int64_t b)
{
    while (b) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

int64_t br_modes_tick(const struct br_modes *modes)
{
    int64_t tick = 0;
    for (uint32_t t = 0; t < modes->tasks; t++) {
        const uint32_t s = modes->task_stage[t];
        tick = divisor(tick, modes->release[t]);
        for (uint32_t w = modes->way_first[s]; w < modes->way_first[s + 1]; w++)
            tick = divisor(tick, br_way_duration(modes, w, t));
    }
    for (uint32_t k = 0; k < modes->child_first[modes->stages]; k++)
        tick = divisor(tick, modes->child[k].lag);
    return tick ? tick : 1;
}

/* ---- Whole numbers ---- */

/* Adds a x b x c to the sum. False if it does not fit. */
static bool add_product(br_wide *sum, br_wide a, br_wide b, br_wide c)
{
    br_wide product;
    return !__builtin_mul_overflow(a, b, &product) &&
           !__builtin_mul_overflow(product, c, &product) &&
           !__builtin_add_overflow(*sum, product, sum);
}

/* What the task costs at least, of all its ways. */
static bool least_cost(const struct br_modes *modes, const struct br_multipliers *m, uint32_t task,
                       br_wide *least)
{
    const uint32_t s = modes->task_stage[task];
    bool ok = true;
    for (uint32_t w = modes->way_first[s]; w < modes->way_first[s + 1]; w++) {
        const int64_t ticks = br_way_duration(modes, w, task) / m->tick_ns;
        br_wide cost = 0;
        ok = ok && add_product(&cost, m->waits[task], ticks, 1);
        for (uint32_t r = 0; r < modes->resources; r++)
            ok = ok && add_product(&cost, m->work[r],
                                   modes->demand[(size_t)w * modes->resources + r], ticks);
        for (uint32_t b = 0; b < modes->budgets; b++)
            ok = ok && add_product(&cost, m->budget[b],
                                   modes->consumed[(size_t)w * modes->budgets + b], 1);
        *least = w == modes->way_first[s] || cost < *least ? cost : *least;
    }
    return ok;
}

bool br_multipliers_limits(const struct br_modes *modes, const struct br_multipliers *m,
                           int64_t *limit, int64_t *pace)
{
    br_wide budgets = 0, work = m->last;
    bool ok = true;
    for (uint32_t r = 0; r < modes->resources; r++)
        ok = ok && add_product(&work, m->work[r], br_modes_whole_capacity(modes, r), 1);
    for (uint32_t b = 0; b < modes->budgets; b++)
        ok = ok && add_product(&budgets, m->budget[b], modes->budget[b], 1);
    if (!ok || work > INT64_MAX / (1 << 20) || budgets > INT64_MAX / 4)
        return false;
    *limit = (int64_t)budgets;
    *pace = (int64_t)work;
    return true;
}

/* The exact bound of the multipliers in ticks, rounded up; 0 if numbers are too large. */
static int64_t exact_bound(const struct br_modes *modes, const struct br_multipliers *m)
{
    br_wide sum = 0, pace = m->last, least = 0;
    bool ok = true;
    for (uint32_t t = 0; t < modes->tasks && ok; t++)
        ok = least_cost(modes, m, t, &least) && add_product(&sum, least, 1, 1);
    for (uint32_t r = 0; r < modes->resources; r++)
        ok = ok && add_product(&pace, m->work[r], br_modes_whole_capacity(modes, r), 1);
    for (uint32_t b = 0; b < modes->budgets; b++)
        ok = ok && add_product(&sum, -m->budget[b], modes->budget[b], 1);
    if (!ok || pace <= 0 || sum <= 0)
        return 0;
    const br_wide ticks = sum / pace + (sum % pace > 0);
    return ticks < INT64_MAX / m->tick_ns ? (int64_t)ticks : 0;
}

/* By what multipliers are multiplied before they are rounded: those of resources get 16 bits, and
 * all together 30, but none more than 52. */
static double whole_scale(const struct br_mixtures *d)
{
    const double *row = d->best;
    double most = 0, pace = 0, least = 1e300;
    for (uint32_t k = 0; k < d->rows; k++) {
        const double value = k < d->sums ? row[k] * d->unit / d->scale[k] : row[k];
        most = value > most ? value : most;
        pace += k < d->sums ? row[k] * d->pace[k] : row[k];
    }
    for (uint32_t k = 0; k < d->sums; k++)
        if (row[k] * d->pace[k] > pace / 1000 && row[k] * d->unit / d->scale[k] < least)
            least = row[k] * d->unit / d->scale[k];
    double scale = pace > 0 ? 1073741824 / pace : 1;
    if (scale * least < 65536)
        scale = 65536 / least;
    return scale * most > 4503599627370496 ? 4503599627370496 / most : scale;
}

static bool take_whole(struct br_mixtures *d, struct br_multipliers *m)
{
    const struct br_modes *modes = d->modes;
    const double *row = d->best;
    const double scale = whole_scale(d);
    int64_t *on = br_calloc((size_t)d->tasks + 1, sizeof *on);
    const uint32_t listed = d->arcs - d->tasks;
    if (!on || !BR_ARRAY(&m->arena, (size_t)modes->resources + 1, m->work) ||
        !BR_ARRAY(&m->arena, (size_t)modes->budgets + 1, m->budget) ||
        !BR_ARRAY(&m->arena, (size_t)listed + 1, m->flow) ||
        !BR_ARRAY(&m->arena, (size_t)d->tasks + 1, m->waits)) {
        br_free(on);
        return false;
    }
    for (uint32_t k = 0; k < d->sums; k++) {
        const double value = row[k] * scale * d->unit / d->scale[k] + 0.5;
        *(k < modes->resources ? &m->work[k] : &m->budget[k - modes->resources]) = (int64_t)value;
    }
    for (uint32_t a = 0; a < listed; a++) {
        const int64_t amount = (int64_t)(row[d->sums + a] * scale + 0.5);
        if (amount > 0)
            m->flow[m->flows++] = (struct br_multiplier_flow){d->from[a], d->to[a], amount};
    }
    for (uint32_t k = 0; k < m->flows; k++) {
        m->waits[m->flow[k].from] += m->flow[k].amount;
        on[m->flow[k].to] += m->flow[k].amount;
    }
    for (uint32_t t = 0; t < d->tasks; t++) {
        on[t] = on[t] > m->waits[t] ? on[t] - m->waits[t] : 0;
        m->waits[t] += on[t];
        m->last += on[t];
    }
    m->bound_ns = exact_bound(modes, m) * m->tick_ns;
    br_free(on);
    return true;
}

bool br_multipliers_find(const struct br_modes *modes, uint32_t rounds, const struct br_stop *stop,
                         struct br_multipliers *m)
{
    *m = (struct br_multipliers){.tick_ns = br_modes_tick(modes)};
    struct br_mixtures d;
    if (br_mixtures_count_arcs(modes) > ARCS_MAX || !rounds)
        return true;
    for (uint32_t s = 0; s < modes->stages; s++)
        if (modes->way_first[s + 1] - modes->way_first[s] > BR_MIXTURE_WAYS_MAX)
            return true;
    bool ok = br_mixtures_init(&d, modes, m->tick_ns);
    if (ok) {
        br_mixtures_descend(&d, rounds, stop);
        ok = take_whole(&d, m);
    }
    br_mixtures_finish(&d);
    return ok;
}

void br_multipliers_finish(struct br_multipliers *m)
{
    br_arena_finish(&m->arena);
    *m = (struct br_multipliers){0};
}

struct br_certificate *br_multipliers_certify(const struct br_modes *modes,
                                              const struct br_multipliers *m)
{
    struct br_certificate *c = br_certificate_create(m->tick_ns, 1);
    struct br_proof *proof = c ? c->part : NULL;
    const size_t charges = (size_t)modes->resources + modes->budgets;
    if (!proof || !BR_ARRAY(&c->arena, charges + 1, proof->charge) ||
        !BR_ARRAY(&c->arena, (size_t)m->flows + 1, proof->flow)) {
        br_certificate_destroy(c);
        return NULL;
    }
    c->relaxation = BR_RELAX_WAYS;
    proof->kind = BR_PROOF_MULTIPLIERS;
    proof->bound = m->bound_ns / m->tick_ns;
    for (uint32_t r = 0; r < modes->resources; r++)
        if (m->work[r])
            proof->charge[proof->charges++] = (struct br_proof_charge){
                modes->resource_of[r], false, modes->digits[r], m->work[r]};
    for (uint32_t b = 0; b < modes->budgets; b++)
        if (m->budget[b])
            proof->charge[proof->charges++] = (struct br_proof_charge){
                modes->budget_of[b], true, modes->budget_digits[b], m->budget[b]};
    for (uint32_t k = 0; k < m->flows; k++) {
        const struct br_multiplier_flow *f = &m->flow[k];
        const uint32_t from = modes->task_stage[f->from], to = modes->task_stage[f->to];
        proof->flow[proof->flows++] =
            (struct br_proof_flow){from, to, f->from - modes->dag->stage[from].first_task,
                                   f->to - modes->dag->stage[to].first_task, f->amount};
    }
    return c;
}
