/* Under a measure, stages whose tasks all lie between a head a and a tail b run on as many lines as
 * the capacity (see bounds/rounds.h). How few lines hold them within a time is cutting stock
 * [Gilmore61]: columns are what one line can hold, found by a knapsack over the dual values of the
 * stages; a stage with a later head or a larger tail has less of the line. If the relaxation needs
 * more lines than there are, the dual values, as integers, are the proof. Candidates (measure, a,
 * b) are tried from the strongest energy on. */
#include "lp/solver/lines.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/wide.h"
#include "lp/solver/master.h"
#include "planner/bounds/certify.h"
#include "planner/bounds/rounds.h"

enum { CANDIDATES = 400, TRIED = 48, ROUNDS_EACH = 60, VALUE_SCALE = 1 << 20 };
/* So many rounds of these small programs count as one. */
enum { ROUNDS_SHARE = 32 };
#define NODES_EACH INT64_C(200000)
/* So much of the budget is for lines, twice: with the measures of a part, and with its covers. */
enum { SHARE_OF_BUDGET = 16 };
/* Candidates whose work alone gives less than this share of the bound are left. */
#define WORTH 0.5

struct candidate {
    uint32_t measure;
    int64_t head, tail;
    double worth;
};

struct lines {
    const struct br_instance *in;
    const struct br_measures *measures;
    const struct br_windows *windows;
    struct lp_budget *budget;
    int64_t *shortest; /* by stage */
    uint32_t rounds, candidates;
    struct candidate candidate[CANDIDATES];

    /* The candidate at hand. */
    uint32_t items;
    uint32_t stage[BR_LINE_ITEMS];
    struct br_line_item item[BR_LINE_ITEMS], proven_item[BR_LINE_ITEMS];
    volatile int64_t proven;
    volatile uint32_t best; /* candidate of the proof, */
    uint32_t proven_items;  /* and its values */
    uint32_t proven_stage[BR_LINE_ITEMS];
};

static int solver_lines_worthier(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->worth != y->worth)
        return x->worth > y->worth ? -1 : 1;
    if (x->measure != y->measure)
        return x->measure < y->measure ? -1 : 1;
    if (x->head != y->head)
        return x->head < y->head ? -1 : 1;
    return x->tail < y->tail ? -1 : x->tail > y->tail;
}

static bool solver_lines_runs_within(const struct lines *l, const struct candidate *c, uint32_t s)
{
    return l->windows->stage_head[s] >= c->head && l->windows->stage_tail[s] >= c->tail &&
           l->measures->measure[c->measure].weight[s] > 0 && l->shortest[s] > 0;
}

static void list_candidate(struct lines *l, uint32_t measure, int64_t head, int64_t tail)
{
    const struct br_measure *m = &l->measures->measure[measure];
    struct candidate c = {measure, head, tail, 0};
    uint32_t count = 0;
    for (uint32_t s = 0; s < l->in->stages; s++)
        if (solver_lines_runs_within(l, &c, s)) {
            c.worth += (double)l->measures->work[s] * (double)m->weight[s];
            count++;
        }
    c.worth = c.worth / (double)m->capacity + (double)(head + tail);
    if (count < 2 || count > BR_LINE_ITEMS || c.worth < WORTH * (double)l->proven)
        return;
    if (l->candidates == CANDIDATES) { /* the last one gives way, if it is worth less */
        qsort(l->candidate, l->candidates, sizeof c, solver_lines_worthier);
        l->candidates = CANDIDATES / 2;
    }
    assert(l->candidates < CANDIDATES);
    l->candidate[l->candidates++] = c;
}

static void list_candidates(struct lines *l)
{
    uint32_t n = l->in->stages;
    for (uint32_t m = 0; m < l->measures->count; m++)
        for (uint32_t u = 0; u < n; u++)
            for (uint32_t v = 0; v < n; v++) {
                bool seen = false; /* another stage with the same head, or the same tail */
                for (uint32_t w = 0; w < u && !seen; w++)
                    seen = l->windows->stage_head[w] == l->windows->stage_head[u];
                for (uint32_t w = 0; w < v && !seen; w++)
                    seen = l->windows->stage_tail[w] == l->windows->stage_tail[v];
                if (!seen)
                    list_candidate(l, m, l->windows->stage_head[u], l->windows->stage_tail[v]);
            }
    qsort(l->candidate, l->candidates, sizeof *l->candidate, solver_lines_worthier);
    l->candidates = l->candidates < TRIED ? l->candidates : TRIED;
}

static void solver_lines_load(struct lines *l, const struct candidate *c)
{
    const struct br_measure *m = &l->measures->measure[c->measure];
    l->items = 0;
    for (uint32_t s = 0; s < l->in->stages; s++)
        if (solver_lines_runs_within(l, c, s)) {
            assert(l->items < BR_LINE_ITEMS);
            int64_t tasks = l->in->stage_first[s + 1] - l->in->stage_first[s];
            l->stage[l->items] = s;
            l->item[l->items++] = (struct br_line_item){l->shortest[s], 0, tasks * m->weight[s],
                                                        l->windows->stage_head[s] - c->head,
                                                        l->windows->stage_tail[s] - c->tail};
        }
}

static bool solver_add_line(struct lp_master *master, const struct lines *l, const int64_t *taken)
{
    int row[BR_LINE_ITEMS + 2], count = 0;
    double value[BR_LINE_ITEMS + 2];
    for (uint32_t k = 0; k < l->items; k++)
        if (taken[k] > 0) {
            row[++count] = (int)k + 2;
            value[count] = (double)taken[k];
        }
    row[++count] = 1;
    value[count] = 1;
    return lp_master_add_column(master, count, row, value) > 0;
}

/* Do the tasks need more lines than there are within that time? Their values then prove it. */
static bool refuted(struct lines *l, int64_t capacity, int64_t length)
{
    struct lp_master *master = lp_master_create();
    assert(capacity > 0 && length > 0);
    bool yes = false;
    if (!master)
        return false;
    /* Counted in shares of all lines. */
    lp_master_add_row(master, LP_AT_MOST, 1);
    for (uint32_t k = 0; k < l->items; k++)
        lp_master_add_row(master, LP_AT_LEAST, (double)l->item[k].count / (double)capacity);
    for (int round = 0; round < ROUNDS_EACH && l->budget->rounds > 0; round++) {
        int64_t taken[BR_LINE_ITEMS], nodes = NODES_EACH;
        if (++l->rounds % ROUNDS_SHARE == 0)
            l->budget->rounds--;
        if (!lp_master_solve(master, 0) || lp_master_objective(master) <= 1e-9)
            break;
        br_wide worth = 0;
        for (uint32_t k = 0; k < l->items; k++) {
            l->item[k].value = llround(lp_master_dual(master, (int)k + 2) * VALUE_SCALE);
            worth += (br_wide)l->item[k].value * l->item[k].count;
        }
        int64_t best = br_line_best(l->item, l->items, length, taken, &nodes);
        l->budget->nodes -= NODES_EACH - nodes;
        if (best < 0)
            break;
        yes = worth > (br_wide)best * capacity;
        double price = lp_master_dual(master, 1);
        if (yes || (double)best <= price * VALUE_SCALE + 1 || !solver_add_line(master, l, taken))
            break;
    }
    lp_master_destroy(master);
    return yes;
}

static bool solver_lines_spent(const struct lines *l)
{
    return l->budget->rounds <= 0 || l->budget->nodes <= 0 || lp_late(l->budget);
}

/* Pushes the bound by each candidate as far as it goes. */
static void solver_lines_push(void *context)
{
    struct lines *l = context;
    for (uint32_t k = 0; k < l->candidates && !solver_lines_spent(l); k++) {
        const struct candidate *c = &l->candidate[k];
        int64_t capacity = l->measures->measure[c->measure].capacity, around = c->head + c->tail;
        int64_t allowed = INT64_MAX, step = 1;
        solver_lines_load(l, c);
        while (l->proven < allowed && !solver_lines_spent(l)) {
            int64_t tried = l->proven + step - 1;
            if (tried >= allowed)
                tried = l->proven + (allowed - l->proven) / 2;
            if (tried - around <= 0)
                break;
            if (tried <= BR_TICKS_MAX && refuted(l, capacity, tried - around)) {
                l->proven = tried + 1;
                l->best = k;
                l->proven_items = l->items;
                memcpy(l->proven_item, l->item, sizeof l->item);
                memcpy(l->proven_stage, l->stage, sizeof l->stage);
                step *= 8;
            } else {
                allowed = tried;
            }
        }
    }
}

static int64_t solver_lines_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static bool solver_lines_write_proof(const struct lines *l, const struct br_instance *whole,
                                     struct br_arena *arena, struct br_proof *out)
{
    const struct candidate *c = &l->candidate[l->best];
    struct br_proof proof = {.bound = l->proven, .from = c->head, .to = l->proven - 1 - c->tail};
    proof.value = br_arena_array(arena, l->proven_items, sizeof *proof.value);
    if (!proof.value || !br_proof_set_part(arena, whole, l->in, &proof) ||
        !br_certify_windows(arena, whole, l->in, &proof) ||
        !br_proof_add_measure(arena, whole, l->in, &l->measures->measure[c->measure], &proof))
        return false;
    proof.kind = BR_PROOF_ROUNDS;
    int64_t common = 0;
    for (uint32_t k = 0; k < l->proven_items; k++)
        common = solver_lines_divisor(common, l->proven_item[k].value);
    for (uint32_t k = 0; k < l->proven_items; k++) {
        uint32_t first = l->in->stage_first[l->proven_stage[k]];
        if (l->proven_item[k].value > 0)
            proof.value[proof.values++] = (struct br_proof_value){
                whole->task_stage[l->in->task_origin[first]], l->proven_item[k].value / common};
    }
    *out = proof;
    return true;
}

int64_t lp_lines_bound(const struct br_instance *whole, const struct br_instance *part,
                       const struct br_measures *measures, int64_t proven, struct lp_budget *budget,
                       struct br_arena *arena, struct br_proof *proof)
{
    struct lp_budget share = *budget;
    struct br_measures own = {0};
    struct br_windows windows = {0};
    int64_t bound = proven;
    if (part->stages < 2 || part->stages > BR_LINE_ITEMS)
        return proven;
    share.rounds = share.rounds / SHARE_OF_BUDGET + 1;
    share.nodes = share.nodes / SHARE_OF_BUDGET + 1;
    if (share.deadline > 0)
        share.deadline -= (share.deadline - lp_now()) * (1 - 1.0 / SHARE_OF_BUDGET);
    const struct lp_budget before = share;
    struct lines *l = calloc(1, sizeof *l);
    int64_t *shortest = malloc(part->stages * sizeof *shortest);
    if (l && shortest && br_measures_init(&own, part, false) &&
        br_windows_init(&windows, part, BR_LENGTH_WAVES, &own)) {
        l->in = part;
        l->measures = measures ? measures : &own;
        l->windows = &windows;
        l->budget = &share;
        l->shortest = shortest;
        l->proven = proven;
        for (uint32_t s = 0; s < part->stages; s++) {
            shortest[s] = part->stage_longest[s];
            for (uint32_t t = part->stage_first[s]; t < part->stage_first[s + 1]; t++)
                shortest[s] = part->duration[t] < shortest[s] ? part->duration[t] : shortest[s];
        }
        list_candidates(l);
        lp_guarded(solver_lines_push, l);
        if (l->proven > proven && solver_lines_write_proof(l, whole, arena, proof))
            bound = l->proven;
    }
    budget->rounds -= before.rounds - share.rounds;
    budget->nodes -= before.nodes - share.nodes;
    br_windows_finish(&windows);
    br_measures_finish(&own);
    free(shortest);
    free(l);
    return bound;
}
