/* Column generation. In every round the solver's dual values are rounded to integers, and sets are
 * priced by them (pricing.h). The exact pricing is at the same time the check of the proof: with
 * weights Y of stages, and D of cuts, a plan within the makespan gives
 *
 *   sum Y work + sum D value (LP_CUT_MANDATORY)
 *     <= sum over intervals of length x (sum over machines of the heaviest set)
 *        + sum D value (the other cuts)
 *
 * because what runs on a machine at any moment of an interval is one of the sets, and the cuts hold
 * in every plan. If that fails in integers, there is no plan. */
#include "lp/solver/refute.h"

#include "lp/solver/pricing.h"

/* Shortfalls below this share of the makespan count as none. */
#define SHORTFALL 1e-7
/* Nodes of the search for the heaviest set of a cell. */
#define NODES_MIDDLE 4000
#define NODES_MOST 60000
/* How near to the best dual values so far sets are priced, of 8. */
#define CENTRE_EIGHTHS 4
/* Most sets and columns. */
#define PATTERNS_MOST 60000u
#define COLUMNS_MOST 200000u

static bool refute_spent(const struct lp_refutation *r)
{
    return r->budget->rounds <= 0 || r->budget->nodes <= 0 || r->patterns->count > PATTERNS_MOST ||
           r->columns > COLUMNS_MOST || lp_late(r->budget);
}

/* The master's dual values swing from round to round. Sets priced between them and the best values
 * so far serve better, and refute sooner [Wentges97]; if these bring nothing, the master's own
 * values are used. */
static enum lp_answer refute_generate(struct lp_refutation *r, struct lp_proof *proof)
{
    while (!refute_spent(r)) {
        uint32_t added = 0, cuts = r->cuts.count;
        bool refuted = false;
        r->budget->rounds--;
        if (!lp_master_solve(r->master, lp_left(r->budget)))
            return LP_SPENT;
        if (lp_master_objective(r->master) <= SHORTFALL) {
            lp_read_times(r);
            if (!lp_cuts_separate(&r->cuts, r->problem, &r->intervals, r->makespan, r->time) ||
                !lp_add_cut_rows(r))
                return LP_SPENT;
            if (r->cuts.count == cuts)
                return LP_OPEN;
            continue;
        }
        lp_read_duals(r);
        lp_weigh(r, &r->out, r->own_weight);
        for (int eighths = r->has_centre ? CENTRE_EIGHTHS : 0; added == 0 && !refuted;) {
            lp_draw(r, eighths ? &r->centre : &r->out, eighths);
            if (!lp_price(r, eighths ? NODES_MIDDLE : NODES_MOST, &added, &refuted))
                return LP_SPENT;
            if (eighths == 0)
                break;
            eighths = 0;
        }
        if (refuted)
            return lp_proof_write(proof, r->problem, &r->intervals, r->makespan, r->now.dual,
                                  &r->cuts, r->cut_rows, r->now.cut)
                       ? LP_REFUTED
                       : LP_SPENT;
        for (uint32_t cell = 0; added == 0 && cell < r->cells; cell++)
            r->budget->doubt |= r->most[cell] > r->known[cell];
        if (added == 0)
            return LP_OPEN;
    }
    return LP_SPENT;
}

enum lp_answer lp_refute(const struct lp_problem *problem, int64_t makespan,
                         struct lp_patterns *patterns, const struct lp_packers *packers,
                         struct lp_budget *budget, struct lp_proof *proof)
{
    struct lp_refutation r = {.problem = problem,
                              .patterns = patterns,
                              .packers = packers,
                              .budget = budget,
                              .makespan = makespan};
    enum lp_answer answer = lp_program_begin(&r) ? refute_generate(&r, proof) : LP_SPENT;
    lp_program_end(&r);
    return answer;
}
