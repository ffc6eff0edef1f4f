/* bigrocks bound --explain: shows what limits the job, read off the proof of its lower bound, and
 * tries the effect of more machines or more of a resource. Reads the planner's data types. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/wide.h"
#include "cli/bounds/what_if.h"
#include "cli/terminal/say.h"
#include "planner/bounds/measure.h"
#include "planner/eligibility/features.h"
#include "planner/instance/relax.h"

enum { NAMED = 6 }; /* stages named in a list */

struct explain {
    const struct br_input *given;
    const struct br_dag
        *dag; /* that the proof is about: a relaxed job if the given one has features */
    const struct br_cluster *cluster; /* of it, and so the instance */
    const struct br_instance *in;
    int64_t tick_ns;
};

static const char *explain_bound_seconds(const struct explain *e, int64_t ticks,
                                         char text[CLI_SECONDS_TEXT])
{
    return cli_seconds(ticks * e->tick_ns, text);
}

static void explain_bound_print_stage(const struct explain *e, uint32_t stage)
{
    cli_print_text(stdout, e->dag->stage[stage].id);
}

static const char *resource_name(const struct explain *e, uint32_t r)
{
    return e->dag->resource[e->in->resource_origin[r]].name;
}

/* The class that holds most tasks of the stage, their number, and the resource that runs out first;
 * UINT32_MAX if the stage demands nothing. */
static uint32_t explain_bound_tightest(const struct explain *e, uint32_t s, uint32_t *cls,
                                       int64_t *fit)
{
    const struct br_instance *in = e->in;
    uint32_t scarce = UINT32_MAX;
    *cls = 0;
    *fit = -1;
    for (uint32_t c = 0; c < in->classes; c++) {
        int64_t least = INT64_MAX;
        uint32_t which = UINT32_MAX;
        for (uint32_t r = 0; r < in->resources; r++) {
            int64_t demand = in->demand[(size_t)s * in->resources + r];
            int64_t held = in->capacity[(size_t)c * in->resources + r];
            if (demand > 0 && held / demand < least) {
                least = held / demand;
                which = r;
            }
        }
        if (which != UINT32_MAX && least > *fit) {
            *fit = least;
            *cls = c;
            scarce = which;
        }
    }
    return scarce;
}

/* "cpu and mem": all resources that fit exactly that many tasks; also returns the number of
 * resources. */
static uint32_t print_binding(const struct explain *e, uint32_t s, uint32_t cls, int64_t fit)
{
    const struct br_instance *in = e->in;
    uint32_t bind = 0, named = 0;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t r = 0; r < in->resources; r++) {
            const int64_t demand = in->demand[(size_t)s * in->resources + r];
            if (demand <= 0 || in->capacity[(size_t)cls * in->resources + r] / demand != fit)
                continue;
            bind += pass == 0;
            if (pass == 0)
                continue;
            fputs(named == 0 ? "" : named + 1 < bind ? ", " : " and ", stdout);
            cli_print_text(stdout, resource_name(e, r));
            named++;
        }
    assert(named == bind);
    return bind;
}

/* "6 of them at once: 3 on a machine of class m, limited by mem, of which 8 % is left over". */
static void print_slots(const struct explain *e, uint32_t s, uint64_t slots)
{
    const struct br_instance *in = e->in;
    uint32_t cls;
    int64_t fit;
    uint32_t r = explain_bound_tightest(e, s, &cls, &fit);
    printf("%" PRIu64 " at once", slots);
    if (r == UINT32_MAX)
        return;
    assert(fit >= 0 && cls < in->classes);
    int64_t held = in->capacity[(size_t)cls * in->resources + r];
    int64_t left = held - fit * in->demand[(size_t)s * in->resources + r];
    printf(", %" PRId64 " on a machine of class ", fit);
    cli_print_text(stdout, e->cluster->cls[cls].name);
    fputs(", limited by ", stdout);
    if (print_binding(e, s, cls, fit) == 1 && left > 0)
        printf(", of which %.0f %% stays empty", 100 * (double)left / (double)held);
}

static bool explain_path(const struct explain *e, const struct br_proof *proof)
{
    char text[CLI_SECONDS_TEXT], each[CLI_SECONDS_TEXT];
    int64_t *scratch = malloc(((size_t)e->in->tasks + 1) * sizeof *scratch);
    if (!scratch)
        return false;
    fputs(proof->links > 1 ? "a chain, in which each waits for the one before:\n"
                           : "a stage that takes so long alone:\n",
          stdout);
    for (uint32_t k = 0; k < proof->links; k++) {
        uint32_t s = proof->link[k].stage, first = e->in->stage_first[s];
        uint32_t tasks = e->in->stage_first[s + 1] - first;
        fputs("    ", stdout);
        explain_bound_print_stage(e, s);
        if (proof->link[k].task != UINT32_MAX || tasks == 1) {
            uint32_t i = proof->link[k].task == UINT32_MAX ? 0 : proof->link[k].task;
            if (tasks > 1)
                printf("[%" PRIu32 "]", i);
            printf(": %s s\n", explain_bound_seconds(e, e->in->duration[first + i], text));
            continue;
        }
        int64_t rounds = br_stage_waves(e->in, s, scratch), longest = e->in->stage_longest[s];
        uint64_t slots = br_stage_slots(e->in, s, tasks);
        printf(": %s s for %" PRIu32 " tasks", explain_bound_seconds(e, rounds, text), tasks);
        if (slots < tasks) {
            if (e->in->stage_equal[s] && longest > 0)
                printf(" in %" PRId64 " rounds of %s s", rounds / longest,
                       explain_bound_seconds(e, longest, each));
            fputs("; ", stdout);
            print_slots(e, s, slots);
        }
        fputc('\n', stdout);
    }
    free(scratch);
    return true;
}

static uint32_t scarce_index(const struct explain *e, uint32_t resource)
{
    uint32_t r = 0;
    while (r < e->in->resources && e->in->resource_origin[r] != resource)
        r++;
    return r;
}

static void explain_measure(const struct explain *e, const struct br_proof_measure *m)
{
    char unit[BR_DECIMAL_TEXT];
    if (m->kind != BR_MEASURE_RESOURCE) {
        if (m->kind == BR_MEASURE_WEIGHTS)
            fputs("the sets of these tasks that fit together: ", stdout);
        else
            printf("%s of which no two can run together%s: ",
                   m->stages == 1 ? "the tasks of a stage" : "tasks",
                   e->cluster->machines > 1 ? " on a machine" : "");
        for (uint32_t k = 0; k < m->stages && k < NAMED; k++) {
            fputs(k ? ", " : "", stdout);
            explain_bound_print_stage(e, m->stage[k]);
        }
        if (m->stages > NAMED)
            printf(" and %d more", (int)(m->stages - NAMED));
        return;
    }
    if (m->unit.mantissa)
        fputs("fragmentation of ", stdout);
    cli_print_text(stdout, e->dag->resource[m->resource].name);
    uint32_t r = scarce_index(e, m->resource);
    int64_t size = 0;
    if (m->unit.mantissa == 0 || r == e->in->resources ||
        !br_decimal_scale(m->unit, e->in->resource_digits[r], &size) || size <= 0)
        return;
    br_decimal_format(m->unit, unit, sizeof unit);
    printf(" in pieces of %s:", unit);
    for (uint32_t c = 0; c < e->in->classes && c < NAMED; c++) {
        printf("%s a machine of class ", c ? "," : "");
        cli_print_text(stdout, e->cluster->cls[c].name);
        printf(" holds %" PRId64, e->in->capacity[(size_t)c * e->in->resources + r] / size);
    }
}

static void explain_energy(const struct explain *e, const struct br_proof *proof)
{
    char from[CLI_SECONDS_TEXT], to[CLI_SECONDS_TEXT], text[CLI_SECONDS_TEXT];
    explain_measure(e, &proof->measure[proof->energy]);
    printf(
        ", from %s s to %s s: there is no room for the work\n    that has to run then, if all is "
        "to end in less than %s s\n",
        explain_bound_seconds(e, proof->from, from), explain_bound_seconds(e, proof->to, to),
        explain_bound_seconds(e, br_proof_ticks(proof), text));
}

/* The highest price of a stage times its work: its share in the bound. */
struct payer {
    uint32_t stage;
    double pays;
};

static int dearest(const void *a, const void *b)
{
    const struct payer *x = a, *y = b;
    return x->pays > y->pays ? -1 : x->pays < y->pays ? 1 : x->stage < y->stage ? -1 : 1;
}

static bool explain_prices(const struct explain *e, const struct br_proof *proof)
{
    const struct br_instance *in = e->in;
    struct payer *payer = malloc(((size_t)proof->prices + 1) * sizeof *payer);
    double *load = calloc((size_t)in->resources + 1, sizeof *load), sum = 0;
    uint32_t busiest = 0;
    for (uint32_t v = 0; payer && load && v < proof->prices; v++) {
        const struct br_proof_price *price = &proof->price[v];
        int64_t most = 0;
        double work = 0;
        for (uint32_t k = 0; k < price->steps; k++)
            most = price->step[k].price > most ? price->step[k].price : most;
        for (uint32_t t = in->stage_first[price->stage]; t < in->stage_first[price->stage + 1]; t++)
            work += (double)in->duration[t];
        payer[v] = (struct payer){price->stage, work * (double)most};
        sum += payer[v].pays;
        for (uint32_t r = 0; r < in->resources && most > 0; r++)
            load[r] += work * (double)in->demand[(size_t)price->stage * in->resources + r] /
                       (double)(in->total[r] > 0 ? in->total[r] : 1);
    }
    if (payer && load) {
        qsort(payer, proof->prices, sizeof *payer, dearest);
        for (uint32_t r = 1; r < in->resources; r++)
            busiest = load[r] > load[busiest] ? r : busiest;
        fputs("the sets of tasks that fit together, between the work before and after them; above\n"
              "    all ",
              stdout);
        for (uint32_t v = 0; v < proof->prices && v < NAMED && payer[v].pays > 0; v++) {
            assert(sum > 0);
            fputs(v ? ", " : "", stdout);
            explain_bound_print_stage(e, payer[v].stage);
            printf(" (%.0f %%)", 100 * payer[v].pays / sum);
        }
        if (in->resources > 0) {
            char text[CLI_SECONDS_TEXT];
            fputs("\n    the stages in question want most of ", stdout);
            cli_print_text(stdout, resource_name(e, busiest));
            printf(": all of it for %s s\n",
                   cli_seconds((int64_t)(load[busiest] * (double)e->tick_ns), text));
        } else {
            fputc('\n', stdout);
        }
    }
    bool ok = payer && load;
    free(payer);
    free(load);
    return ok;
}

/* The stages that may begin the group, or end it, and the bound that follows from its duration. */
static void explain_cases(const struct explain *e, const struct br_proof *proof)
{
    char text[CLI_SECONDS_TEXT];
    bool last = proof->kind == BR_PROOF_LAST;
    printf("the stage of a group that %s; it is one of\n    ", last ? "ends last" : "begins first");
    for (uint32_t k = 0; k < proof->cases; k++) {
        fputs(k ? ", " : "", stdout);
        explain_bound_print_stage(e, proof->when[k].stage);
    }
    printf(last ? ": with the work ahead of it the group takes %s s, and the\n"
                  "    work that waits for that stage begins no sooner\n"
                : ": with the work behind it the group takes %s s, and the work\n"
                  "    for which that stage waits has to end so long before the end\n",
           explain_bound_seconds(e, proof->group->bound, text));
}

static bool explain_part(const struct explain *e, const struct br_certificate *c, uint32_t k)
{
    const struct br_proof *proof = &c->part[k];
    char text[CLI_SECONDS_TEXT];
    if (c->parts > 1) {
        printf("  part %" PRIu32 " of %" PRIu32 ", ", k + 1, c->parts);
        assert(proof->stages > 0);
        explain_bound_print_stage(e, proof->stage[0]);
        if (proof->stages > 1)
            printf(" and %" PRIu32 " more", proof->stages - 1);
        printf(": %s s, by ", explain_bound_seconds(e, br_proof_ticks(proof), text));
    } else {
        fputs("  ", stdout);
    }
    switch (proof->kind) {
    case BR_PROOF_PATH:
        return explain_path(e, proof);
    case BR_PROOF_WINDOW:
        fputs("the work that has to run before and after stage ", stdout);
        explain_bound_print_stage(e, proof->at);
        fputc('\n', stdout);
        return true;
    case BR_PROOF_ENERGY:
    case BR_PROOF_ROUNDS:
        explain_energy(e, proof);
        return true;
    case BR_PROOF_PRICES:
        return explain_prices(e, proof);
    case BR_PROOF_CLAUSES:
        printf("%" PRIu32 " clauses: every order of the tasks ends in a contradiction\n",
               proof->clauses);
        return true;
    case BR_PROOF_FIRST:
    case BR_PROOF_LAST:
        explain_cases(e, proof);
        return true;
    case BR_PROOF_MULTIPLIERS:
        puts("work, what is consumed, and paths, over mixtures of all alternatives");
        return true;
    }
    return true;
}

static void print_point(const struct cli_point *point, int64_t now_ns)
{
    char text[CLI_SECONDS_TEXT];
    printf(": %s s (%.1f %%)\n", cli_seconds(point->bound_ns, text),
           100 * ((double)point->bound_ns / (double)now_ns - 1));
}

static struct cli_change quarter_more(const struct explain *e, uint32_t r)
{
    return (struct cli_change){.resource = resource_name(e, r),
                               .sign = '+',
                               .percent = true,
                               .amount = br_decimal_unscale(25, 0)};
}

enum { PAIRED = 6 }; /* resources of which pairs are tried */

/* Tries more of two resources together, for cases where both limit, so that more of one alone
 * changes nothing. *any becomes true if a pair lowers the bound. */
static enum br_status print_pairs(const struct explain *e, int64_t now_ns, const bool *helps,
                                  bool *any, struct br_diag *diag)
{
    struct cli_point point;
    const uint32_t most = e->in->resources < PAIRED ? e->in->resources : PAIRED;
    for (uint32_t a = 0; a < most; a++)
        for (uint32_t b = a + 1; b < most; b++) {
            if (helps[a] || helps[b])
                continue;
            const struct cli_change both[2] = {quarter_more(e, a), quarter_more(e, b)};
            enum br_status status =
                cli_point_try_both(e->given->dag, e->given->cluster, both, &point, diag);
            if (status && status != BR_USAGE)
                return status;
            if (status || !point.feasible || point.bound_ns >= now_ns)
                continue;
            *any = true;
            fputs("  ", stdout);
            cli_print_text(stdout, both[0].resource);
            fputs("+25% and ", stdout);
            cli_print_text(stdout, both[1].resource);
            fputs("+25%", stdout);
            print_point(&point, now_ns);
        }
    return BR_OK;
}

/* Tries a quarter more of each resource, a machine more of each class, and a quarter more of two
 * resources if one alone brings nothing. now_ns is the present combinatorial bound. */
static enum br_status print_remedies(const struct explain *e, int64_t now_ns, struct br_diag *diag)
{
    char text[CLI_SECONDS_TEXT];
    struct cli_point point;
    printf("what more would bring (combinatorial bounds, now %s s):\n", cli_seconds(now_ns, text));
    bool any = false, helps[PAIRED] = {false};
    for (uint32_t r = 0; r <= e->in->resources; r++) {
        const char *name = r < e->in->resources ? resource_name(e, r) : NULL;
        struct cli_change more = {.sign = '+', .amount = br_decimal_unscale(1, 0)};
        if (name)
            more = quarter_more(e, r);
        enum br_status status =
            cli_point_try(e->given->dag, e->given->cluster, &more, &point, diag);
        if (status && status != BR_USAGE)
            return status;
        if (status || !point.feasible || point.bound_ns >= now_ns)
            continue; /* such a cluster is impossible, or changes nothing */
        any = true;
        if (r < PAIRED)
            helps[r] = true;
        fputs("  ", stdout);
        cli_print_text(stdout, name ? name : "machines");
        fputs(name ? "+25%" : "+1", stdout);
        print_point(&point, now_ns);
    }
    enum br_status status = print_pairs(e, now_ns, helps, &any, diag);
    if (!any && !status)
        puts("  nothing: neither a quarter more of any resource, or of any two, nor another "
             "machine\n"
             "  of each class makes the bound smaller; shorter tasks or fewer edges would");
    return status;
}

static enum br_status explain_job(const struct br_input *given, const struct br_dag *dag,
                                  const struct br_cluster *cluster,
                                  const struct br_bound_result *result, struct br_diag *diag)
{
    struct br_instance *in;
    const struct br_certificate *c = result->certificate;
    enum br_status status = br_instance_create(dag, cluster, &in, diag);
    if (status)
        return status;
    const struct explain e = {given, dag, cluster, in, in->tick_ns};
    puts("what limits it:");
    for (uint32_t k = 0; c && k < c->parts && !status; k++)
        if ((c->parts == 1 || c->part[k].bound > 0) && !explain_part(&e, c, k))
            status = br_fail_memory(diag);
    if (!c)
        puts("  unknown: the bound comes without a proof");
    if (!status)
        status = print_remedies(&e, result->core_ns, diag);
    br_instance_destroy(in);
    return status;
}

enum br_status cli_explain_bound(const struct br_input *input, const struct br_bound_result *result,
                                 struct br_diag *diag)
{
    const bool features = br_features(input->dag, input->cluster);
    struct br_relaxed relaxed;
    if (!features)
        return explain_job(input, input->dag, input->cluster, result, diag);
    const struct br_certificate *c = result->certificate;
    enum br_status status = br_relax(
        input->dag, input->cluster,
        c && c->relaxation == BR_RELAX_POOL ? BR_RELAX_POOL : BR_RELAX_MACHINES, &relaxed, diag);
    if (!status)
        status = explain_job(input, relaxed.dag, relaxed.cluster, result, diag);
    br_relaxed_finish(&relaxed);
    return status;
}
