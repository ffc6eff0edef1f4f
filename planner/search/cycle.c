/* Searches on from the elite. The kind of instance decides which searches run, in which order, and
 * with how many placements. */
#include "planner/search/cycle.h"

#include "base/process/clock.h"
#include "base/process/machine.h"
#include "base/process/stop.h"
#include "planner/improve/machine_search.h"
#include "planner/rcpsp/population.h"
#include "planner/schedule/run.h"
#include "planner/search/exact_search.h"
#include "planner/search/method.h"
#include "planner/search/orders_search.h"
#include "planner/search/rounded_search.h"
#include "planner/shop/shop.h"

/* The default effort of the search on one machine, on which placements are cheap: POPULATION_PASSES
 * passes for each task of the job, on a large job POPULATION_PLACEMENTS placements. */
enum { POPULATION_TASKS = 20000, POPULATION_PASSES = 4000, POPULATION_PLACEMENTS = 100000000 };
/* Up to EXACT_SMALL tasks the exact solvers get a large share of the budget, up to EXACT_MEDIUM a
 * small one. A small job's default budget is at least the cost of EXACT_CONFLICTS conflicts. */
enum { EXACT_SMALL = 80, EXACT_MEDIUM = 200, EXACT_CONFLICTS = 40000 };
/* Between EXACT_SMALL and EXACT_MEDIUM they get the large share, too, if after the small one the
 * bounds are within 1/NEARLY of the makespan. */
enum { NEARLY = 20 };
/* Jobs of up to EXACT_TASKS tasks get a larger budget, so that they end proven. On 2 to
 * EXACT_MACHINES machines the exact solvers join their whole search; larger jobs have them before
 * it at most (CLOSE_TASKS). */
enum { EXACT_TASKS = 24, EXACT_TASKS_CONFLICTS = 120000, EXACT_MACHINES = 8 };
/* On several machines, jobs of up to CLOSE_TASKS tasks get the exact solvers before the other
 * searches, with a grant above theirs, since few conflicts close some jobs that those leave open.
 * Each solver gets CLOSE_CONFLICTS conflicts divided by the third power of the tasks, since on
 * larger jobs a conflict takes longer and closes less often. If a limit of placements leaves fewer
 * than CLOSE_LEAST, the solvers do not go first. */
enum { CLOSE_TASKS = 64, CLOSE_CONFLICTS = 225000000, CLOSE_LEAST = 100 };

/* A shop of up to EXACT_SHOP tasks gets the solvers before tabu search and after it, with room for
 * SHOP_CONFLICTS conflicts of each above its placements, or SHOP_PLACEMENTS if that is less. */
enum { EXACT_SHOP = 512, SHOP_CONFLICTS = 20000, SHOP_PLACEMENTS = 300000000 };

/* All orders of few tasks are tried once if there are no exact solvers, or durations are rounded
 * for them. Then they get a share of the run for a certificate. */
static const double orders_certify = 0.3;
/* A part that is closed but for noise gets so much of what is left for shorter schedules, then the
 * exact solvers. */
static const double close_search = 0.2;
/* If that leaves it open, a second population gets so much of the default effort's placements. */
static const double close_again = 0.6;

/* Does the population search suit the instance? On a larger one there would be too few schedules to
 * breed from. */
static bool suits_population(const struct br_instance *in)
{
    return in->machines == 1 && in->tasks <= POPULATION_TASKS;
}

/* Do the exact solvers join the search on several machines? The instance must be small. */
static bool suits_exact_machines(const struct br_instance *in)
{
    return in->machines > 1 && in->machines <= EXACT_MACHINES && in->tasks <= EXACT_TASKS;
}

/* Does clause learning suit the job shop, or what has its form? */
static bool suits_exact_shop(const struct br_instance *in)
{
    return in->tasks > EXACT_SMALL && in->tasks <= EXACT_SHOP && br_shop_suits(in);
}

/* The most tasks of a job on one machine that the exact solvers are for. */
static bool suits_exact_alone(const struct br_instance *in)
{
    return in->tasks <= EXACT_MEDIUM || suits_exact_shop(in);
}

/* May the exact solvers close the instance before the search? */
static bool suits_closing(const struct br_instance *in)
{
    return in->machines > 1 && in->machines <= EXACT_MACHINES && in->tasks > EXACT_TASKS &&
           in->tasks <= CLOSE_TASKS;
}

uint64_t br_cycle_placements(const struct br_instance *in)
{
    if (suits_population(in)) {
        uint64_t all = (uint64_t)POPULATION_PASSES * in->tasks * in->tasks;
        uint64_t conflicts = in->tasks <= EXACT_TASKS ? EXACT_TASKS_CONFLICTS : EXACT_CONFLICTS;
        uint64_t exact = conflicts * BR_EXACT_SEARCH_CONFLICT * in->tasks;
        if (in->tasks <= EXACT_SMALL && all < exact)
            all = exact;
        return all < POPULATION_PLACEMENTS ? all : POPULATION_PLACEMENTS;
    }
    return br_machines_placements(in);
}

/* The placements for the exact solvers on several machines, or of a shop, above those for the other
 * searches. */
static uint64_t exact_placements(const struct br_instance *in)
{
    if (in->machines == 1) {
        uint64_t all = 2 * (uint64_t)SHOP_CONFLICTS * BR_EXACT_SEARCH_SHOP * in->tasks;
        return !suits_exact_shop(in) ? 0 : all < SHOP_PLACEMENTS ? all : SHOP_PLACEMENTS;
    }
    uint64_t cube = (uint64_t)in->tasks * in->tasks * in->tasks;
    uint64_t conflicts = suits_exact_machines(in) ? EXACT_TASKS_CONFLICTS
                         : suits_closing(in)      ? 2 * (CLOSE_CONFLICTS / cube)
                                                  : 0;
    return conflicts * BR_EXACT_SEARCH_CONFLICT * in->tasks;
}

/* How many processors the search is expected to get by the clock. */
static double cycle_threads(const struct br_search *s)
{
    struct br_machine machine;
    if (!s->options->source)
        return s->run.threads;
    br_machine_ask(&machine);
    return br_threads_expected(s->run.threads, machine.processors);
}

/* Effort max spends in one run the placements that the limits are expected to allow: one population
 * made for that budget gets further than several that grow. */
static void cycle_expect(const struct br_search *s, struct br_run *run)
{
    const struct br_plan_options *o = s->options;
    double most = 1e18, time_ns = (double)o->time_limit_ns * s->run.share;
    if (o->time_limit_ns > 0) {
        double expected = br_population_expected(s->run.in, time_ns, cycle_threads(s));
        most = expected > 0 && expected < most ? expected : most;
    }
    if (o->placements && (double)o->placements * s->run.share < most)
        most = (double)o->placements * s->run.share;
    if (most == 1e18)
        return;
    run->horizon = (uint64_t)most;
    if (run->placements < 2 * run->horizon)
        run->placements = 2 * run->horizon;
}

/* Runs one stretch with a share of the run's budget: the solvers, or else tabu search, the
 * population or the searches on several machines. */
static bool run_stretch(struct br_search *s, struct br_run *whole, bool exact, double share)
{
    struct br_run run = br_run_begin(whole);
    if (share < 1) {
        uint64_t all = whole->horizon ? whole->horizon : whole->placements;
        run.horizon = 0;
        run.placements = 1 + (uint64_t)(share * (double)all);
    } else {
        run.placements = whole->placements > whole->spent ? whole->placements - whole->spent : 1;
        if (run.horizon)
            run.horizon = run.horizon > whole->spent ? run.horizon - whole->spent : 1;
    }
    run.slack = br_search_slack(s, br_search_best(s)->makespan);
    run.begins += whole->share * (double)whole->spent / (double)whole->placements;
    run.share *= (double)run.placements / (double)whole->placements;
    int64_t began_ns = br_now_ns();
    const bool several = !exact && !suits_population(s->run.in),
               shop = !exact && !several && br_shop_suits(s->run.in);
    bool ok = exact          ? br_exact_search_run(s->exact, &run)
              : several      ? br_machines_search(&run, NULL)
              : shop         ? br_shop_search(&run)
              : s->noise > 1 ? br_rounded_search(s, &run)
                             : br_population_search(&run, NULL);
    if (exact)
        run.counters.exact_placements += run.spent;
    if (!several)
        br_search_time(exact  ? &run.counters.exact_ns
                       : shop ? &run.counters.shop_ns
                              : &run.counters.population_ns,
                       &began_ns);
    br_run_take(whole, &run);
    if (run.lower_bound > s->bound.ticks)
        s->bound = (struct br_bound){run.lower_bound, br_exact_search_method};
    whole->lower_bound = s->bound.ticks;
    return ok;
}

/* Is so little left between the bounds that the solvers may close it? */
static bool nearly_closed(const struct br_search *s)
{
    int64_t makespan = br_search_best(s)->makespan;
    return makespan - s->bound.ticks <= makespan / NEARLY;
}

/* May all orders of the tasks be tried? Yes if there is no exact solver, or only one for rounded
 * durations. */
static bool suits_orders(const struct br_search *s)
{
    return (!s->exact || br_exact_search_rounds(s->exact)) && br_orders_search_suits(s);
}

/* Tries all orders, then runs the exact solvers, if there are any, for a certificate: a bound that
 * leaves no more than the slack. This closes the part unless a limit stops it. */
static bool try_orders(struct br_search *s, struct br_run *run)
{
    int64_t optimum;
    bool ok = br_orders_search(s, run, &optimum);
    run->stopped &= optimum == 0;
    if (ok && s->exact && optimum && !br_search_done(s)) {
        br_exact_search_aim(s->exact, optimum);
        ok = run_stretch(s, run, true, orders_certify);
    }
    if (optimum > s->bound.ticks && !br_search_done(s))
        s->bound = (struct br_bound){optimum, br_orders_search_method};
    run->lower_bound = s->bound.ticks;
    return ok;
}

/* The search for one machine: the population, and the exact solvers unless the job is too large for
 * them. The solvers begin with a short turn, since small jobs need no more, and go on between two
 * populations; on larger jobs they go on after the population if the bounds are close, on shops
 * always. If one tick is left, the solvers take the last stretch. */
static bool improve_on_one_machine(struct br_search *s, struct br_run *run, bool first)
{
    static const struct stretch {
        bool exact;
        double share; /* 1: all that is left */
    } least[] = {{true, 0.1}, {false, 0.2}, {true, 1}},
      small[] = {{true, 0.1}, {false, 0.2}, {true, 0.4}, {false, 1}},
      medium[] = {{true, 0.1}, {false, 1}}, near[] = {{true, 0.1}, {false, 0.2}, {true, 1}},
      shops[] = {{true, 0.1}, {false, 0.3}, {true, 1}}, large[] = {{false, 1}};
    const bool shop = suits_exact_shop(s->run.in);
    const struct stretch *stretch = s->run.in->tasks <= EXACT_TASKS    ? least
                                    : s->run.in->tasks <= EXACT_SMALL  ? small
                                    : shop                             ? shops
                                    : s->run.in->tasks <= EXACT_MEDIUM ? medium
                                                                       : large;
    if (!s->exact && (shop || s->run.in->tasks <= EXACT_MEDIUM))
        s->exact = br_exact_search_create(s->run.in, br_search_best(s)->makespan, s->bound.ticks,
                                          s->options->tolerance);
    if (!s->exact)
        stretch = large;
    if (first && suits_orders(s) && !try_orders(s, run))
        return false;
    if (br_search_done(s) || run->stopped)
        return true;
    bool ok = run_stretch(s, run, stretch->exact, stretch->share);
    if (stretch == medium && nearly_closed(s))
        stretch = near;
    while (ok && stretch->share < 1 && !br_search_done(s) && !run->stopped) {
        stretch++;
        bool last_tick = s->exact && br_search_best(s)->makespan - s->bound.ticks == 1;
        ok = run_stretch(s, run, stretch->exact || (stretch->share == 1 && last_tick),
                         stretch->share);
    }
    return ok;
}

/* Runs the exact solvers first, with the budget above the others' grant, or a tenth of the budget
 * if nothing is above it; then the others with their grant. */
static bool close_on_machines(struct br_search *s, struct br_run *run, uint64_t grant)
{
    uint64_t all = run->placements, most = all > grant ? all - grant : all / 10;
    uint64_t least = (uint64_t)2 * CLOSE_LEAST * BR_EXACT_SEARCH_CONFLICT * s->origin->tasks;
    bool ok = true;
    if (most >= least)
        ok = run_stretch(s, run, true, (double)most / (double)all);
    run->placements = grant < all - run->spent ? run->spent + grant : all;
    if (ok && !br_search_done(s) && !run->stopped)
        ok = run_stretch(s, run, false, 1);
    return ok;
}

/* The search for several machines. On a small job the exact solvers go first and last; between them
 * the others get their grant, or about half of the budget if that is less. */
static bool improve_on_machines(struct br_search *s, struct br_run *run, uint64_t grant, bool first)
{
    bool closing = suits_closing(s->origin);
    if ((closing || suits_exact_machines(s->origin)) && !s->exact)
        s->exact = br_exact_search_create(s->origin, br_search_best(s)->makespan, s->bound.ticks,
                                          s->options->tolerance);
    if (first && suits_orders(s) && !try_orders(s, run))
        return false;
    if (br_search_done(s) || run->stopped)
        return true;
    if (!s->exact)
        return run_stretch(s, run, false, 1);
    if (closing)
        return close_on_machines(s, run, grant);
    double others = (double)grant / (double)run->placements;
    bool ok = run_stretch(s, run, true, 0.1);
    if (ok && !br_search_done(s) && !run->stopped)
        ok = run_stretch(s, run, false, others < 0.45 ? others : 0.45);
    if (ok && !br_search_done(s) && !run->stopped)
        ok = run_stretch(s, run, true, 1);
    return ok;
}

/* Before a part stays open for its noise, another population begins without the best schedule, near
 * which the first one has stayed. False when memory is out. */
static bool close_anew(struct br_search *s)
{
    const uint64_t most = 1 + (uint64_t)(close_again * (double)br_cycle_placements(s->run.in));
    const int64_t best = br_search_best(s)->makespan;
    struct br_elite elite;
    struct br_run run = br_search_begin(s);
    int64_t began_ns = br_now_ns();
    bool ok = br_elite_init(&elite, s->run.in, s->elite.room);
    for (uint32_t k = 1; ok && k < s->elite.count; k++) {
        const struct br_elite_entry *entry = &s->elite.entry[k];
        br_elite_add(&elite, &entry->schedule, entry->method, entry->number);
    }
    if (!run.placements || run.placements > most)
        run.placements = most;
    run.elite = &elite;
    run.found = NULL; /* its first schedules are longer than the best */
    run.slack = br_search_slack(s, best);
    if (ok && elite.count)
        ok = br_population_search(&run, NULL);
    br_search_time(&run.counters.population_ns, &began_ns);
    br_run_take(&s->run, &run);
    s->cut |= run.stopped;
    if (ok && elite.count && elite.entry[0].schedule.makespan < best) {
        br_elite_lead(&s->elite, &elite.entry[0].schedule, elite.entry[0].method);
        br_run_found(&s->run, br_search_best(s)->makespan, elite.entry[0].method);
    }
    br_elite_finish(&elite);
    return ok;
}

bool br_cycle_close(struct br_search *s)
{
    const bool suits = s->run.in->machines == 1
                           ? suits_exact_alone(s->run.in)
                           : suits_exact_machines(s->origin) || suits_closing(s->origin);
    const uint64_t all = br_cycle_placements(s->run.in) + exact_placements(s->origin);
    struct br_run run = br_search_begin(s);
    if (suits && !s->exact)
        s->exact = br_exact_search_create(s->origin, br_search_best(s)->makespan, s->bound.ticks,
                                          s->options->tolerance);
    if (!s->exact || s->run.spent >= all)
        return true;
    if (!run.placements || run.placements > all - s->run.spent)
        run.placements = all - s->run.spent;
    bool ok = run_stretch(s, &run, false, close_search);
    if (ok && !br_search_done(s) && !run.stopped)
        ok = run_stretch(s, &run, true, 1);
    br_run_take(&s->run, &run);
    s->cut |= run.stopped;
    const bool left = !s->run.placements || s->run.spent < s->run.placements;
    if (ok && !br_search_done(s) && !run.stopped && left && suits_population(s->run.in) &&
        !br_shop_suits(s->run.in))
        ok = close_anew(s);
    return ok;
}

bool br_search_cycle(struct br_search *s, uint32_t cycle)
{
    const struct br_plan_options *o = s->options;
    uint32_t doubled = cycle < 30 ? cycle : 30;
    struct br_run run = br_search_begin(s);
    const uint64_t left = run.placements;
    run.seed += cycle;
    run.placements = (br_cycle_placements(s->run.in) + exact_placements(s->origin)) << doubled;
    run.stop = s->turn_share < 1 ? br_search_turn(s, s->turn_share) : s->run.stop;
    run.begins += BR_SEARCH_QUICK * run.share;
    run.share *= 1 - BR_SEARCH_QUICK;
    if (suits_population(s->run.in) && o->effort == BR_EFFORT_MAX)
        cycle_expect(s, &run);
    bool limited = left && left < run.placements;
    if (limited)
        run.placements = left;
    if (run.horizon > run.placements)
        run.horizon = run.placements;
    bool ok =
        suits_population(s->run.in)
            ? improve_on_one_machine(s, &run, cycle == 0)
            : improve_on_machines(s, &run, br_cycle_placements(s->run.in) << doubled, cycle == 0);
    br_run_take(&s->run, &run);
    s->cut |=
        (run.stopped && (!s->turn || br_stopped(s->run.stop))) || (limited && !br_search_done(s));
    return ok;
}
