/* The expected utility of an allocation is an integral over the quantiles of the time left. In
 * Amdahl's model, which has no spread, it is the utility of one time; two of its values give all
 * others, since it is a constant plus a share of the work. */
#include "runtime/deadline/control.h"

#include <math.h>

#include "base/invariant.h"
#include "runtime/deadline/amdahl.h"

struct br_control_options br_control_options_default(void)
{
    return (struct br_control_options){
        .slack = 1.2, .hysteresis = 0.2, .dead_zone_s = 180, .period_s = 60, .most = 100};
}

enum br_status br_control_check(const struct br_control_options *options, struct br_diag *diag)
{
    const char *wrong = NULL;
    if (!(options->slack >= 1 && options->slack <= 100))
        wrong = "the slack is not within 1 and 100";
    else if (!(options->hysteresis > 0 && options->hysteresis <= 1))
        wrong = "the hysteresis is not above 0 and at most 1";
    else if (!(options->dead_zone_s >= 0 && isfinite(options->dead_zone_s)))
        wrong = "the dead zone is below 0";
    else if (!(options->period_s > 0 && isfinite(options->period_s)))
        wrong = "the period is not above 0";
    else if (!options->most)
        wrong = "the most that may be allocated is 0";
    else if (!(options->on_time >= 0 && options->on_time <= 1))
        wrong = "the probability to be on time is not within 0 and 1";
    return wrong ? br_fail(diag, BR_USAGE, "see docs/deadlines.md", "%s", wrong) : BR_OK;
}

enum br_status br_control_init(struct br_control *control, const struct br_deadline_table *table,
                               const struct br_control_options *options,
                               const struct br_utility *utility, struct br_diag *diag)
{
    *control = (struct br_control){.table = table, .options = *options, .utility = *utility};
    if (options->layer >= table->layers)
        return br_fail(diag, BR_USAGE, "make the table with the planned order, or leave that out",
                       "the table of job '%.80s' has no layer for the planned order", table->job);
    return br_control_check(options, diag);
}

void br_control_move(struct br_control *control, const struct br_utility *utility)
{
    control->utility = *utility;
    if (control->options.adaptation == BR_ADAPT)
        control->smooth = 0;
}

/* ---- Forecasts ---- */

/* Values common to all allocations: the place in the table, and the start from which the end
 * counts. */
struct look {
    const struct br_control *control;
    struct br_table_place place;
    double elapsed_s, progress;
    double serial_s, shared_s; /* Amdahl: time left is serial_s + shared_s / allocation */
};

static struct look deadline_control_look_at(const struct br_control *control,
                                            const struct br_control_view *view)
{
    const struct br_deadline_table *table = control->table;
    struct look look = {.control = control, .elapsed_s = (double)view->elapsed_ns * 1e-9};
    if (view->begun)
        look.progress = br_table_progress(table, view->done);
    look.place = view->begun ? br_table_at(table, look.progress) : br_table_start(table);
    if (control->options.forecast == BR_FORECAST_AMDAHL) {
        double one = (double)br_amdahl_ns(table, view->done, 1) * 1e-9;
        double two = (double)br_amdahl_ns(table, view->done, 2) * 1e-9;
        look.shared_s = 2 * (one - two);
        look.serial_s = one - look.shared_s;
    }
    return look;
}

/* The quantiles of the time left with an allocation of the table: how many, and their levels. */
static uint32_t deadline_control_distribution(const struct look *look, uint32_t index,
                                              double *left_s)
{
    const struct br_control *control = look->control;
    if (control->options.forecast == BR_FORECAST_AMDAHL) {
        assert(index < control->table->allocations);
        left_s[0] = look->serial_s + look->shared_s / control->table->allocation[index];
        return 1;
    }
    br_table_distribution(control->table, control->options.layer, look->place, index, left_s);
    return control->table->quantiles;
}

/* The share of a distribution that is at most `left`. */
static double share_within(const double *level, const double *left_s, uint32_t quantiles,
                           double left)
{
    if (left < left_s[0])
        return 0;
    for (uint32_t k = 1; k < quantiles; k++)
        if (left < left_s[k])
            return level[k - 1] +
                   (level[k] - level[k - 1]) * (left - left_s[k - 1]) / (left_s[k] - left_s[k - 1]);
    return 1;
}

/* The utility of these quantiles of the time left, with the deadline earlier_s before the set one.
 */
static double deadline_control_value(const struct look *look, const double *left_s,
                                     uint32_t quantiles, double earlier_s)
{
    const struct br_control *control = look->control;
    const struct br_control_options *options = &control->options;
    double base_s = look->elapsed_s + earlier_s;
    if (options->on_time > 0) {
        double room_s = (br_utility_deadline(&control->utility) - base_s) / options->slack;
        double share = share_within(control->table->level, left_s, quantiles, room_s);
        return share < options->on_time ? share : options->on_time;
    }
    return br_utility_expected(&control->utility, base_s, options->slack, control->table->level,
                               left_s, quantiles);
}

/* The utility of an allocation. */
static double deadline_control_worth(const struct look *look, uint32_t index, double earlier_s)
{
    double left_s[BR_TABLE_QUANTILES];
    uint32_t quantiles = deadline_control_distribution(look, index, left_s);
    return deadline_control_value(look, left_s, quantiles, earlier_s);
}

/* An upper bound on the utility of every allocation: that of ending now. */
static double most_worth(const struct look *look, double earlier_s)
{
    const struct br_control *control = look->control;
    if (control->options.on_time > 0)
        return control->options.on_time;
    return br_utility_at(&control->utility, look->elapsed_s + earlier_s);
}

/* ---- Choices ---- */

/* The table's allocations that may be chosen; at least one. */
static uint32_t choices(const struct br_control *control)
{
    const struct br_deadline_table *table = control->table;
    uint32_t last = br_table_index(table, control->options.most);
    return last + (last == 0 || table->allocation[last] <= control->options.most);
}

static uint32_t deadline_control_curve(const struct look *look, double earlier_s, double *utility)
{
    uint32_t count = choices(look->control);
    for (uint32_t k = 0; k < count; k++)
        utility[k] = deadline_control_worth(look, k, earlier_s);
    return count;
}

uint32_t br_control_curve(const struct br_control *control, const struct br_control_view *view,
                          double *utility)
{
    const struct look look = deadline_control_look_at(control, view);
    return deadline_control_curve(&look, control->options.dead_zone_s, utility);
}

uint32_t br_control_best(const double *utility, uint32_t count)
{
    assert(count > 0);
    double most = utility[0];
    uint32_t best = 0;
    for (uint32_t k = 1; k < count; k++)
        most = utility[k] > most ? utility[k] : most;
    while (utility[best] < most - BR_UTILITY_EQUAL)
        best++;
    assert(best < count);
    return best;
}

/* The best of all if none is safe. Goes down from the most, which is usually the best, and skips
 * those whose shortest end would not be as good. */
static uint32_t best_late(const struct look *look, double earlier_s)
{
    const struct br_control *control = look->control;
    const struct br_control_options *options = &control->options;
    double utility[BR_TABLE_ALLOCATIONS], most = -INFINITY;
    double base_s = look->elapsed_s + earlier_s;
    uint32_t count = choices(control), k = count;
    assert(count > 0 && count <= BR_TABLE_ALLOCATIONS);
    do {
        k--;
        int64_t least_ns = br_table_quantile_ns(control->table, options->layer, look->place, k, 0);
        double best_s = base_s + options->slack * 1e-9 * (double)least_ns;
        bool plain = options->forecast == BR_FORECAST_TABLE && options->on_time <= 0;
        utility[k] = -INFINITY;
        if (plain && br_utility_at(&control->utility, best_s) < most - 2 * BR_UTILITY_EQUAL)
            continue;
        utility[k] = deadline_control_worth(look, k, earlier_s);
        most = utility[k] > most ? utility[k] : most;
    } while (k > 0);
    return br_control_best(utility, count);
}

/* Nothing is lost for certain with this allocation: even its longest end is before the utility
 * falls. */
static bool is_safe(const struct look *look, uint32_t index, double room_s)
{
    const struct br_control *control = look->control;
    if (control->options.forecast == BR_FORECAST_AMDAHL)
        return look->serial_s + look->shared_s / control->table->allocation[index] <= room_s;
    return (double)br_table_quantile_ns(control->table, control->options.layer, look->place, index,
                                        1) *
               1e-9 <=
           room_s;
}

/* The least allocation of the greatest utility. If one is safe, looks only at those right below it,
 * since few allocations are almost as good as a safe one. */
static uint32_t best_of(const struct look *look, double earlier_s)
{
    const struct br_control *control = look->control;
    double enough = most_worth(look, earlier_s) - BR_UTILITY_EQUAL;
    double room_s = (br_utility_deadline(&control->utility) - look->elapsed_s - earlier_s) /
                    control->options.slack;
    uint32_t count = choices(control), safe = 0;
    while (safe < count && room_s > 0 && !is_safe(look, safe, room_s))
        safe++;
    if (safe < count && room_s > 0) {
        while (safe > 0 && deadline_control_worth(look, safe - 1, earlier_s) >= enough)
            safe--;
        return safe;
    }
    return best_late(look, earlier_s);
}

static double deadline_control_rounded_up(double value)
{
    double whole = (double)(int64_t)value;
    return value - whole > 1e-9 ? whole + 1 : whole;
}

/* The next allocation before rounding: part of the way to the raw one, unless the dead zone
 * prevents it. */
static double deadline_control_follow(const struct br_control *control, uint32_t raw,
                                      uint32_t least)
{
    const struct br_control_options *options = &control->options;
    if (options->adaptation == BR_ADAPT_MOST)
        return options->most;
    if (control->smooth <= 0)
        return raw;
    if (options->adaptation == BR_ADAPT_NOT || (control->smooth < raw && control->amount >= least))
        return control->smooth;
    return control->smooth + options->hysteresis * (raw - control->smooth);
}

/* The last allocation of the table that is at most the amount: amounts between two allocations
 * count as the smaller. */
static uint32_t index_within(const struct br_deadline_table *table, uint32_t amount)
{
    uint32_t index = br_table_index(table, amount);
    return index && table->allocation[index] > amount ? index - 1 : index;
}

/* Fills the forecasts for the amount that the job has now. */
static void deadline_control_tell(const struct look *look, struct br_control_decision *decision)
{
    const struct br_control *control = look->control;
    const struct br_deadline_table *table = control->table;
    double left_s[BR_TABLE_QUANTILES];
    uint32_t index = index_within(table, control->amount);
    uint32_t quantiles = deadline_control_distribution(look, index, left_s);
    double room_s = br_utility_deadline(&control->utility) - look->elapsed_s;
    decision->amount = control->amount;
    decision->progress = look->progress;
    decision->utility =
        br_utility_expected(&control->utility, look->elapsed_s, control->options.slack,
                            table->level, left_s, quantiles);
    decision->on_time = share_within(table->level, left_s, quantiles, room_s);
    assert(decision->on_time >= 0 && decision->on_time <= 1);
    if (quantiles == 1) {
        decision->left_ns = decision->left_high_ns = (int64_t)(left_s[0] * 1e9);
        return;
    }
    decision->left_ns = br_table_mean_ns(table, control->options.layer, look->place, index);
    decision->left_high_ns =
        br_table_quantile_ns(table, control->options.layer, look->place, index, 0.95);
}

static void deadline_control_settle(struct br_control *control, const struct look *look,
                                    uint32_t raw, uint32_t least,
                                    struct br_control_decision *decision)
{
    double most = control->options.most;
    double smooth = deadline_control_follow(control, raw, least);
    smooth = smooth > most ? most : smooth < 1 ? 1 : smooth;
    control->smooth = smooth;
    control->amount = (uint32_t)deadline_control_rounded_up(smooth);
    assert(control->amount >= 1 && control->amount <= control->options.most);
    decision->raw = raw;
    deadline_control_tell(look, decision);
}

void br_control_follow(struct br_control *control, const struct br_control_view *view, uint32_t raw,
                       uint32_t least, struct br_control_decision *decision)
{
    const struct look look = deadline_control_look_at(control, view);
    deadline_control_settle(control, &look, raw, least, decision);
}

void br_control_wait(struct br_control *control, const struct br_control_view *view,
                     struct br_control_decision *decision)
{
    const struct look look = deadline_control_look_at(control, view);
    control->smooth = 0;
    control->amount = 0;
    decision->raw = 0;
    deadline_control_tell(&look, decision);
}

void br_control_decide(struct br_control *control, const struct br_control_view *view,
                       struct br_control_decision *decision)
{
    const struct br_deadline_table *table = control->table;
    const struct look look = deadline_control_look_at(control, view);
    uint32_t raw = table->allocation[best_of(&look, control->options.dead_zone_s)], least = raw;
    if (control->smooth > 0 && control->smooth < raw && control->options.dead_zone_s > 0)
        least = table->allocation[best_of(&look, 0)];
    deadline_control_settle(control, &look, raw, least, decision);
}

/* ---- Future moments ---- */

static struct look deadline_control_look_ahead(const struct br_control *control,
                                               const struct br_control_moment *moment)
{
    return (struct look){
        .control = control,
        .elapsed_s = moment->elapsed_s,
        .progress = moment->progress,
        .place = moment->begun ? br_table_at(control->table, moment->progress)
                               : br_table_start(control->table),
    };
}

double br_control_progress(const struct br_control *control, const struct br_control_view *view)
{
    return view->begun ? br_table_progress(control->table, view->done) : 0;
}

uint32_t br_control_need(const struct br_control *control, const struct br_control_moment *moment)
{
    const struct look look = deadline_control_look_ahead(control, moment);
    return best_of(&look, control->options.dead_zone_s);
}

double br_control_mean_s(const struct br_control *control, const struct br_control_moment *moment,
                         uint32_t index)
{
    const struct look look = deadline_control_look_ahead(control, moment);
    return (double)br_table_mean_ns(control->table, control->options.layer, look.place, index) *
           1e-9;
}

double br_control_used(const struct br_control *control, const struct br_control_moment *moment,
                       uint32_t index)
{
    const struct br_deadline_table *table = control->table;
    double work_s = br_control_mean_s(control, moment, 0) * table->allocation[0];
    double mean_s = br_control_mean_s(control, moment, index), most = table->allocation[index];
    double used = mean_s > 0 ? work_s / mean_s : most;
    return used < most ? used : most;
}

double br_control_later(const struct br_control *control, const struct br_control_moment *moment,
                        uint32_t index, double for_s)
{
    enum { HALVINGS = 20 };
    double least_s = br_control_mean_s(control, moment, index) - for_s;
    assert(for_s >= 0 && moment->progress <= 1);
    double from = moment->progress, to = 1;
    struct br_control_moment middle = {.begun = true};
    for (uint32_t k = 0; k < HALVINGS; k++) {
        middle.progress = from + (to - from) / 2;
        if (br_control_mean_s(control, &middle, index) > least_s)
            from = middle.progress;
        else
            to = middle.progress;
    }
    assert(from <= to);
    return from;
}

double br_control_worth(const struct br_control *control, const struct br_control_view *view,
                        uint32_t index, double end_s)
{
    const struct br_deadline_table *table = control->table;
    const struct look look = deadline_control_look_at(control, view);
    double left_s[BR_TABLE_QUANTILES];
    double mean_s =
        (double)br_table_mean_ns(table, control->options.layer, look.place, index) * 1e-9;
    double ratio = mean_s > 0 ? end_s / mean_s : 0;
    br_table_distribution(table, control->options.layer, look.place, index, left_s);
    for (uint32_t k = 0; k < table->quantiles; k++)
        left_s[k] *= ratio;
    if (control->options.on_time > 0)
        return share_within(table->level, left_s, table->quantiles,
                            br_utility_deadline(&control->utility) - look.elapsed_s);
    return br_utility_expected(&control->utility, look.elapsed_s, 1, table->level, left_s,
                               table->quantiles);
}
