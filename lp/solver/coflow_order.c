/* Completion times and, for each pair i < j, whether i completes before j, are variables. A round
 * solves the program at hand and adds the rows that its solution breaks most: of each coflow those
 * of its worst ports; if none is broken, cycles of three. Every optimum of a program with some of
 * the rows is a bound. [Agarwal18, 4; Goemans02] */
#include "lp/solver/coflow_order.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "lp/solver/master.h"

enum { ROWS_OF_COFLOW = 4, CYCLES_OF_ROUND = 300, ROWS_MOST = 30000 };
static const double least_broken = 1e-6; /* of the mean part */

struct solver {
    const struct lp_order *order;
    struct lp_budget *budget;
    struct lp_order_answer *answer;
    struct lp_master *master;
    double unit; /* the mean part; lengths are told to the program in this */
    double *value;
    int *column;              /* scratch of a row, from 1 */
    double *coefficient;      /* scratch */
    struct lp_order_row *row; /* of the master, row[k] is k + 1 there */
    uint32_t rows;
    bool fault, spent;
};

/* ---- Variables ---- */

/* The column of d(i,j) with i < j. Completion times come first. */
static int pair(const struct solver *s, uint32_t i, uint32_t j)
{
    uint32_t n = s->order->coflows;
    assert(i < j && j < n);
    return (int)(n + i * n - i * (i + 1) / 2 + (j - i - 1)) + 1;
}

static double coflow_order_before(const struct solver *s, uint32_t i, uint32_t j)
{
    return i < j ? s->value[pair(s, i, j)] : 1 - s->value[pair(s, j, i)];
}

/* Adds `sign` x d(i,j) to the scratch; answers what moves to the right side. */
static double coflow_order_put(struct solver *s, int *count, uint32_t i, uint32_t j, double sign)
{
    s->column[++*count] = i < j ? pair(s, i, j) : pair(s, j, i);
    s->coefficient[*count] = i < j ? sign : -sign;
    return i < j ? 0 : sign;
}

static void add_variables(struct solver *s)
{
    uint32_t n = s->order->coflows;
    for (uint32_t c = 0; c < n; c++)
        lp_master_add_variable(s->master, 1, INFINITY);
    for (uint32_t k = 0; k < n * (n - 1) / 2; k++)
        lp_master_add_variable(s->master, 0, 1);
}

/* ---- Rows ---- */

/* A row that a solution breaks. */
struct broken {
    double by;
    uint32_t port, since;
};

static void coflow_order_add_row(struct solver *s, uint32_t coflow, const struct broken *broken)
{
    const struct lp_order *o = s->order;
    double since = o->release[broken->since], right = since / s->unit;
    int count = 1;
    s->column[1] = (int)coflow + 1;
    s->coefficient[1] = 1;
    for (uint64_t k = o->first[broken->port]; k < o->first[broken->port + 1]; k++) {
        const struct lp_order_part *part = &o->part[k];
        double length = part->length / s->unit;
        if (o->release[part->coflow] < since)
            break;
        if (part->coflow == coflow)
            right += length;
        else
            right -= coflow_order_put(s, &count, part->coflow, coflow, -length);
    }
    assert(s->rows < ROWS_MOST && count <= (int)s->order->coflows);
    s->row[s->rows++] = (struct lp_order_row){{coflow, broken->since, 0}, broken->port, 0};
    lp_master_add_cut(s->master, right, count, s->column, s->coefficient);
}

static void add_cycle(struct solver *s, uint32_t i, uint32_t j, uint32_t k)
{
    int count = 0;
    double right = -2;
    right -= coflow_order_put(s, &count, i, j, -1);
    right -= coflow_order_put(s, &count, j, k, -1);
    right -= coflow_order_put(s, &count, k, i, -1);
    assert(s->rows < ROWS_MOST);
    s->row[s->rows++] = (struct lp_order_row){{i, j, k}, UINT32_MAX, 0};
    lp_master_add_cut(s->master, right, count, s->column, s->coefficient);
}

/* The release at which the row of the coflow and the port is broken most. */
static struct broken find_at(const struct solver *s, uint32_t coflow, uint32_t port)
{
    const struct lp_order *o = s->order;
    struct broken found = {0, port, coflow};
    double sum = 0, done = s->value[coflow + 1];
    for (uint64_t k = o->first[port]; k < o->first[port + 1]; k++) {
        const struct lp_order_part *part = &o->part[k];
        double weight = part->coflow == coflow ? 1 : coflow_order_before(s, part->coflow, coflow);
        bool ends = k + 1 == o->first[port + 1] ||
                    o->release[o->part[k + 1].coflow] < o->release[part->coflow];
        sum += weight * part->length / s->unit;
        if (!ends || o->release[part->coflow] > o->release[coflow])
            continue;
        double by = o->release[part->coflow] / s->unit + sum - done;
        if (by > found.by)
            found = (struct broken){by, port, part->coflow};
    }
    return found;
}

/* Adds those of the coflow's worst ports. */
static void separate_coflow(struct solver *s, uint32_t coflow)
{
    struct broken worst[ROWS_OF_COFLOW] = {{0}};
    for (uint32_t port = 0; port < s->order->ports; port++) {
        struct broken found = find_at(s, coflow, port);
        for (int k = 0; k < ROWS_OF_COFLOW; k++)
            if (found.by > worst[k].by) {
                struct broken other = worst[k];
                worst[k] = found;
                found = other;
            }
    }
    for (int k = 0; k < ROWS_OF_COFLOW; k++)
        if (worst[k].by > least_broken && worst[k].by > worst[0].by / 4)
            coflow_order_add_row(s, coflow, &worst[k]);
}

/* Adds cycles that are broken by more than `least`. */
static void separate_cycles(struct solver *s, double least)
{
    uint32_t n = s->order->coflows, added = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++)
            for (uint32_t k = j + 1; k < n && added < CYCLES_OF_ROUND; k++) {
                double sum = coflow_order_before(s, i, j) + coflow_order_before(s, j, k) +
                             coflow_order_before(s, k, i);
                if (sum > 2 + least)
                    add_cycle(s, i, j, k);
                else if (sum < 1 - least)
                    add_cycle(s, i, k, j);
                added += sum > 2 + least || sum < 1 - least;
            }
}

static void separate(struct solver *s)
{
    uint32_t rows = s->rows;
    for (uint32_t c = 0; c < s->order->coflows; c++)
        separate_coflow(s, c);
    double least = 0.25;
    while (s->rows == rows && least > least_broken) {
        separate_cycles(s, least);
        least /= 16;
    }
}

/* ---- Rounds ---- */

static void coflow_order_keep(struct solver *s)
{
    struct lp_order_answer *answer = s->answer;
    answer->sum = lp_master_objective(s->master) * s->unit;
    answer->rows = 0;
    for (uint32_t k = 0; k < s->rows; k++) {
        double weight = lp_master_dual(s->master, (int)k + 1);
        if (weight <= 1e-12)
            continue;
        answer->row[answer->rows] = s->row[k];
        /* A cycle's weight is a time. */
        answer->row[answer->rows++].weight =
            s->row[k].port == UINT32_MAX ? weight * s->unit : weight;
    }
}

static bool is_spent(struct solver *s)
{
    double left = s->budget->deadline - lp_now();
    s->spent = s->budget->rounds-- <= 0 || (s->budget->deadline > 0 && left <= 0) ||
               s->rows + s->order->coflows * ROWS_OF_COFLOW + CYCLES_OF_ROUND > ROWS_MOST;
    return s->spent;
}

static void coflow_order_run(void *context)
{
    struct solver *s = context;
    uint32_t n = s->order->coflows, columns = n + n * (n - 1) / 2, rows;
    s->master = lp_master_create();
    if (!s->master) {
        s->fault = true;
        return;
    }
    add_variables(s);
    do {
        rows = s->rows;
        separate(s);
        if (s->rows == rows || is_spent(s))
            break;
        double seconds = s->budget->deadline > 0 ? s->budget->deadline - lp_now() : 0;
        if (!lp_master_resolve(s->master, seconds)) {
            s->spent = lp_late(s->budget);
            s->fault = !s->spent;
            break;
        }
        coflow_order_keep(s);
        for (uint32_t c = 1; c <= columns; c++)
            s->value[c] = lp_master_value(s->master, (int)c);
    } while (true);
    lp_master_destroy(s->master);
}

static double mean_part(const struct lp_order *order)
{
    uint64_t parts = order->first[order->ports];
    double sum = 0;
    for (uint64_t k = 0; k < parts; k++)
        sum += order->part[k].length;
    return parts && sum > 0 ? sum / (double)parts : 1;
}

bool lp_order_solve(const struct lp_order *order, struct lp_budget *budget,
                    struct lp_order_answer *answer)
{
    size_t n = order->coflows, columns = n + n * (n - (n > 0)) / 2 + 1;
    struct solver s = {.order = order, .budget = budget, .answer = answer};
    *answer = (struct lp_order_answer){.end = LP_END_LARGE};
    if (n > LP_ORDER_COFLOWS)
        return true;
    s.unit = mean_part(order);
    s.value = calloc(columns + 1, sizeof *s.value);
    s.column = malloc((columns + 1) * sizeof *s.column);
    s.coefficient = malloc((columns + 1) * sizeof *s.coefficient);
    s.row = malloc(ROWS_MOST * sizeof *s.row);
    answer->row = malloc(ROWS_MOST * sizeof *answer->row);
    bool made = s.value && s.column && s.coefficient && s.row && answer->row;
    if (made)
        s.fault |= !lp_guarded(coflow_order_run, &s);
    answer->end = s.fault ? LP_END_FAULT : s.spent ? LP_END_SPENT : LP_END_DONE;
    free(s.value);
    free(s.column);
    free(s.coefficient);
    free(s.row);
    return made;
}
