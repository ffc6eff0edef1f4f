/* The value of a plan is the sum of its jobs' expected utilities. A job's end is spread like its
 * forecast with its last allocation: all quantiles are stretched by the ratio of the planned end to
 * the forecast's mean. For a job that keeps one allocation this is its forecast.
 */
#include "runtime/deadline/together.h"

#include <math.h>

#include "base/invariant.h"
#include "runtime/deadline/arbiter.h"

/* Most orders evaluated per job, and most decisions of single loops spent on that. */
enum { TRIALS = 6, EFFORT = 100000 };

/* Another order is taken if it is worth more by this amount per job: plans are only as good as
 * forecasts, and a plan that changes every minute is useless. */
static const double calm = 0.2;

/* A job in the simulated future. */
struct played {
    double progress, left_s;   /* mean, with its allocation */
    uint32_t need, own, given; /* indexes into its table's allocations; given: with lent ones */
    bool begun, ended, runs;
    double end_s; /* from now on */
};

struct together {
    const struct br_rival *rival;
    uint32_t jobs, total;
    bool alone; /* nothing is kept for jobs later in the order */
    struct br_bid *bid;
    uint32_t *chosen, *order, *best;
    struct br_portion *trial;
    struct played *played;
    double *utility; /* [BR_TABLE_ALLOCATIONS] for each job */
    void *arbiter;
};

static size_t rounded(size_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

size_t br_together_memory(uint32_t jobs, uint32_t total)
{
    size_t n = jobs;
    return rounded(n * sizeof(struct br_bid)) + 3 * rounded(n * sizeof(uint32_t)) +
           rounded(n * sizeof(struct br_portion)) + rounded(n * sizeof(struct played)) +
           rounded(n * BR_TABLE_ALLOCATIONS * sizeof(double)) +
           rounded(br_arbiter_memory(jobs, total));
}

static void *together_cut(char **memory, size_t bytes)
{
    void *start = *memory;
    *memory += rounded(bytes);
    return start;
}

static struct together together_lay_out(const struct br_rival *rival, uint32_t jobs, uint32_t total,
                                        void *memory)
{
    char *at = memory;
    size_t n = jobs;
    struct together all = {.rival = rival, .jobs = jobs, .total = total};
    all.bid = together_cut(&at, n * sizeof *all.bid);
    all.chosen = together_cut(&at, n * sizeof *all.chosen);
    all.order = together_cut(&at, n * sizeof *all.order);
    all.best = together_cut(&at, n * sizeof *all.best);
    all.trial = together_cut(&at, n * sizeof *all.trial);
    all.played = together_cut(&at, n * sizeof *all.played);
    all.utility = together_cut(&at, n * BR_TABLE_ALLOCATIONS * sizeof *all.utility);
    all.arbiter = together_cut(&at, br_arbiter_memory(jobs, total));
    assert(at == (char *)memory + br_together_memory(jobs, total));
    return all;
}

/* ---- The future of all jobs ---- */

static void together_begin(struct together *all)
{
    for (uint32_t j = 0; j < all->jobs; j++) {
        const struct br_rival *rival = &all->rival[j];
        all->played[j] = (struct played){
            .progress = br_control_progress(rival->control, &rival->view),
            .begun = rival->view.begun,
        };
    }
}

static struct br_control_moment moment_of(const struct together *all, uint32_t j, double now_s)
{
    const struct played *played = &all->played[j];
    double elapsed_s = (double)all->rival[j].view.elapsed_ns * 1e-9 + now_s;
    return (struct br_control_moment){elapsed_s, played->progress, played->begun};
}

/* The largest choice up to the need within the room; at least the first. */
static uint32_t together_within(const struct br_deadline_table *table, uint32_t need, double room)
{
    while (need > 0 && table->allocation[need] > room)
        need--;
    return need;
}

/* The allocation of the job's table, but at most the total. */
static uint32_t together_amount_of(const struct together *all, uint32_t j, uint32_t index)
{
    assert(index < all->rival[j].control->table->allocations);
    uint32_t amount = all->rival[j].control->table->allocation[index];
    return amount < all->total ? amount : all->total;
}

/* Decides which jobs run at all: in turn those whose least allocations fit. Returns their sum. */
static double together_line_up(struct together *all, const uint32_t *order)
{
    uint32_t sum = 0;
    for (uint32_t k = 0; k < all->jobs; k++) {
        struct played *played = &all->played[order[k]];
        uint32_t least = together_amount_of(all, order[k], 0);
        played->runs = !played->ended && least <= all->total - sum;
        sum += played->runs ? least : 0;
        assert(sum <= all->total);
    }
    return sum;
}

/* Each job's allocation from now_s on, by the order. True if all get what they need. */
static bool hand_out(struct together *all, const uint32_t *order, double now_s)
{
    double left = all->total; /* left for the jobs' own allocations */
    double idle = left;       /* left to lend */
    double later = together_line_up(all, order);
    bool enough = true;
    if (all->alone)
        later = 0;
    for (uint32_t k = 0; k < all->jobs; k++) {
        struct played *played = &all->played[order[k]];
        const struct br_control *control = all->rival[order[k]].control;
        const struct br_deadline_table *table = control->table;
        if (played->ended)
            continue;
        struct br_control_moment moment = moment_of(all, order[k], now_s);
        played->need = br_control_need(control, &moment);
        played->own = played->given = 0;
        if (all->alone)
            played->runs = together_amount_of(all, order[k], 0) <= left;
        enough &= played->runs;
        if (!played->runs)
            continue;
        if (!all->alone)
            later -= together_amount_of(all, order[k], 0);
        assert(later >= 0);
        played->own = together_within(table, played->need, left - later);
        played->given = together_within(table, played->need, idle - later);
        played->given = played->given > played->own ? played->given : played->own;
        left -= together_amount_of(all, order[k], played->own);
        idle -= br_control_used(control, &moment, played->given);
        enough &= played->own == played->need;
    }
    assert(left >= 0);
    return enough;
}

/* Reads the remaining times of the running jobs; returns the least, INFINITY if none runs. */
static double together_look_ahead(struct together *all)
{
    double least_s = INFINITY;
    for (uint32_t j = 0; j < all->jobs; j++) {
        struct played *played = &all->played[j];
        if (played->ended || !played->runs)
            continue;
        struct br_control_moment moment = moment_of(all, j, 0);
        played->left_s = br_control_mean_s(all->rival[j].control, &moment, played->given);
        least_s = played->left_s < least_s ? played->left_s : least_s;
    }
    return least_s;
}

/* Advances all running jobs by this time; those with no time left have ended. */
static void come_on(struct together *all, double now_s, double for_s)
{
    for (uint32_t j = 0; j < all->jobs; j++) {
        struct played *played = &all->played[j];
        if (played->ended || !played->runs)
            continue;
        if (played->left_s <= for_s) {
            played->ended = true;
            played->end_s = now_s + played->left_s;
            continue;
        }
        struct br_control_moment moment = moment_of(all, j, 0);
        played->progress = br_control_later(all->rival[j].control, &moment, played->given, for_s);
        assert(played->progress >= moment.progress);
        played->begun = true;
    }
}

/* Simulates from allocations just given until all jobs have ended, or (`settled`) each keeps its
 * allocation. Returns the value of the plan. */
static double play_on(struct together *all, const uint32_t *order, bool settled)
{
    double now_s = 0, sum = 0;
    for (uint32_t open = all->jobs; open > 0;) {
        double step_s = together_look_ahead(all);
        if (step_s == INFINITY)
            return -INFINITY; /* no job gets anything */
        if (settled)
            step_s = INFINITY;
        assert(step_s >= 0);
        come_on(all, now_s, step_s);
        open = 0;
        for (uint32_t j = 0; j < all->jobs; j++)
            open += !all->played[j].ended;
        if (open) {
            now_s += step_s;
            settled = hand_out(all, order, now_s);
        }
    }
    for (uint32_t j = 0; j < all->jobs; j++) {
        const struct br_rival *rival = &all->rival[j];
        sum += rival->weight * br_control_worth(rival->control, &rival->view, all->played[j].given,
                                                all->played[j].end_s);
    }
    return sum;
}

/* ---- Choosing ---- */

/* Keeps the allocations that the order gives now. */
static void together_note(const struct together *all, const uint32_t *order,
                          struct br_portion *portion)
{
    for (uint32_t k = 0; k < all->jobs; k++) {
        const struct played *played = &all->played[order[k]];
        uint32_t now = played->runs ? together_amount_of(all, order[k], played->own) : 0;
        uint32_t need = together_amount_of(all, order[k], played->need);
        portion[order[k]] = (struct br_portion){now, need > now ? need : now, k};
    }
}

/* The value of the order; fills now[] with its first allocations. */
static double value_order(struct together *all, const uint32_t *order, struct br_portion *now)
{
    together_begin(all);
    bool enough = hand_out(all, order, 0);
    together_note(all, order, now);
    return play_on(all, order, enough);
}

/* The allocations of greatest total utility if all jobs keep them; the order decides after the
 * first end. */
static double value_kept(struct together *all, const uint32_t *order, struct br_portion *now)
{
    for (uint32_t j = 0; j < all->jobs; j++) {
        const struct br_rival *rival = &all->rival[j];
        double *utility = all->utility + (size_t)j * BR_TABLE_ALLOCATIONS;
        all->bid[j] = (struct br_bid){br_control_curve(rival->control, &rival->view, utility),
                                      rival->control->table->allocation, utility, rival->weight};
    }
    if (!br_arbitrate(all->bid, all->jobs, all->total, all->arbiter, all->chosen))
        return -INFINITY;
    together_begin(all);
    hand_out(all, order, 0);
    for (uint32_t j = 0; j < all->jobs; j++) {
        all->played[j].own = all->played[j].given = all->chosen[j];
        all->played[j].runs = true;
    }
    together_note(all, order, now);
    return play_on(all, order, false);
}

static void together_exchange(uint32_t *order, uint32_t k)
{
    uint32_t job = order[k];
    order[k] = order[k + 1];
    order[k + 1] = job;
}

/* Improves all->order by exchanges of neighbours; fills portion[] with its first allocations, and
 * returns its value. */
static double together_search(struct together *all, double value, struct br_portion *portion)
{
    uint32_t trials = TRIALS * all->jobs, same = 0;
    uint64_t each = (uint64_t)all->jobs * all->jobs / 2 + 1;
    trials = trials * each < EFFORT ? trials : (uint32_t)(EFFORT / each);
    for (uint32_t k = 0; all->jobs > 1 && trials > 0 && same + 1 < all->jobs; trials--) {
        assert(k + 1 < all->jobs);
        together_exchange(all->order, k);
        double other = value_order(all, all->order, all->trial);
        if (other > value + calm * all->jobs) {
            value = other;
            same = 0;
            for (uint32_t j = 0; j < all->jobs; j++)
                portion[j] = all->trial[j];
        } else {
            together_exchange(all->order, k);
            same++;
        }
        k = k + 2 < all->jobs ? k + 1 : 0;
    }
    return value;
}

/* The order of the last decision; ties, such as at the beginning, by arrival. */
static void keep_order(const struct together *all, const struct br_portion *portion)
{
    for (uint32_t j = 0; j < all->jobs; j++) {
        uint32_t k = j;
        for (; k > 0 && portion[all->order[k - 1]].turn > portion[j].turn; k--)
            all->order[k] = all->order[k - 1];
        all->order[k] = j;
    }
}

/* The order by deadlines, ties by arrival. */
static void by_deadline(const struct together *all, uint32_t *order)
{
    for (uint32_t j = 0; j < all->jobs; j++) {
        const struct br_rival *rival = &all->rival[j];
        double left_s =
            br_utility_deadline(&rival->control->utility) - (double)rival->view.elapsed_ns * 1e-9;
        uint32_t k = j;
        for (; k > 0; k--) {
            const struct br_rival *other = &all->rival[order[k - 1]];
            if (br_utility_deadline(&other->control->utility) -
                    (double)other->view.elapsed_ns * 1e-9 <=
                left_s)
                break;
            order[k] = order[k - 1];
        }
        order[k] = j;
    }
}

static void together_take(const struct br_portion *from, uint32_t jobs, struct br_portion *portion)
{
    for (uint32_t j = 0; j < jobs; j++)
        portion[j] = from[j];
}

/* The best plan among those that keep something for all jobs: fills portion[], returns its value.
 */
static double best_plan(struct together *all, struct br_portion *portion)
{
    uint32_t jobs = all->jobs;
    double value = value_order(all, all->order, portion);
    by_deadline(all, all->best);
    double other = value_order(all, all->best, all->trial);
    if (other > value + calm * jobs) {
        value = other;
        together_take(all->trial, jobs, portion);
        for (uint32_t j = 0; j < jobs; j++)
            all->order[j] = all->best[j];
    }
    value = together_search(all, value, portion);
    other = value_kept(all, all->order, all->trial);
    if (other > value + calm * jobs) {
        value = other;
        together_take(all->trial, jobs, portion);
    }
    return value;
}

struct br_together_worth br_together_choose(const struct br_rival *rival, uint32_t jobs,
                                            uint32_t total, void *memory,
                                            struct br_portion *portion)
{
    struct together all = together_lay_out(rival, jobs, total, memory);
    assert(jobs > 0 && total > 0);
    keep_order(&all, portion);
    together_begin(&all);
    bool enough = hand_out(&all, all.order, 0), by_arrival = true;
    together_note(&all, all.order, portion);
    if (enough)
        return (struct br_together_worth){0};
    for (uint32_t j = 0; j < jobs; j++)
        by_arrival &= all.order[j] == j;
    struct br_together_worth worth = {.chosen = best_plan(&all, portion)};
    all.alone = true;
    for (uint32_t j = 0; j < jobs; j++)
        all.best[j] = j;
    worth.alone = value_order(&all, all.best, all.trial);
    /* As long as jobs are served by arrival, another plan must be worth more. */
    if (worth.chosen < worth.alone + (by_arrival ? calm * jobs : 0)) {
        worth.chosen = worth.alone;
        together_take(all.trial, jobs, portion);
    }
    return worth;
}

void br_together_decide(const struct br_rival *rival, uint32_t jobs, uint32_t total, void *memory,
                        struct br_portion *portion, struct br_control_decision *decision)
{
    uint64_t sum = 0;
    br_together_choose(rival, jobs, total, memory, portion);
    /* An allocation that falls slowly may still hold tokens that others need. Then nothing is
     * smoothed. */
    for (uint32_t j = 0; j < jobs; j++) {
        uint32_t amount = rival[j].control->amount;
        assert(portion[j].now <= total);
        sum += amount > portion[j].now ? amount : portion[j].now;
    }
    for (uint32_t j = 0; j < jobs; j++) {
        uint32_t now = portion[j].now;
        if (!now) {
            br_control_wait(rival[j].control, &rival[j].view, &decision[j]);
            continue;
        }
        if (sum > total)
            rival[j].control->smooth = now;
        br_control_follow(rival[j].control, &rival[j].view, now, now, &decision[j]);
    }
}
