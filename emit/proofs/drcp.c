/* Learnt clauses as DRCP: a literal "task t starts no earlier than x" is an atomic constraint, a
 * clause is the nogood of its literals' opposites [Flippo24]. The model: starts of tasks, linear
 * constraints for edges, a cumulative constraint for each resource, and for two tasks that cannot
 * run together a variable that says which is first, with two linear constraints. Their propagators
 * find what the checker of clauses finds, but for the energy in spans. Proofs of other kinds have a
 * form if propagation alone refutes the model. */
#include "emit/proofs/drcp.h"

#include <inttypes.h>

#include "base/collections/arena.h"
#include "planner/check/proofs/clauses.h"

/* Pumpkin's numbers have 32 bits; sums of two times have to fit, too. */
#define DRCP_MOST INT64_C(500000000)

struct drcp {
    struct br_arena arena;
    const struct br_instance *in;
    const struct br_proof *proof;
    FILE *model, *scaffold;
    int64_t makespan;  /* M */
    bool *ordered;     /* [first x tasks + second]: has it a variable? */
    uint64_t *atom;    /* by variable: the number of ">= 0", less 1; the others follow */
    uint8_t *declared; /* by number of an atom */
    uint32_t clauses;  /* of the proof; 0 if it is of another kind */
    bool spans;        /* does a clause need one? */
    struct br_drcp_size *size;
};

static uint32_t drcp_name(const struct drcp *d, uint32_t task)
{
    return d->in->task_origin[task] + 1;
}

static int64_t drcp_demand(const struct drcp *d, uint32_t task, uint32_t resource)
{
    return d->in->demand[(size_t)d->in->task_stage[task] * d->in->resources + resource];
}

static enum br_status drcp_lacks(struct br_diag *diag, const char *what)
{
    return br_fail(diag, BR_NO, "leave --proof out: 'bigrocks check --certificate' checks it",
                   "%s has no form for DRCP", what);
}

/* ---- The model ---- */

static void drcp_variables(struct drcp *d)
{
    const uint32_t n = d->in->tasks;
    for (uint32_t t = 0; t < n; t++) {
        const int64_t last = d->makespan - d->in->duration[t];
        fprintf(d->model, "var 0..%" PRId64 ": s%" PRIu32 ";\n", last > 0 ? last : 0,
                drcp_name(d, t));
    }
    d->size->variables += n;
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = a + 1; b < n; b++)
            if (d->ordered[(size_t)a * n + b]) {
                fprintf(d->model, "var 0..1: o%" PRIu32 "_%" PRIu32 ";\n", drcp_name(d, a),
                        drcp_name(d, b));
                d->size->variables++;
            }
}

static void drcp_edge(struct drcp *d, uint32_t from, uint32_t to)
{
    fprintf(d->model, "constraint int_lin_le([1,-1],[s%" PRIu32 ",s%" PRIu32 "],%" PRId64 ");\n",
            drcp_name(d, from), drcp_name(d, to), -d->in->duration[from]);
    d->size->constraints++;
}

static void drcp_edges(struct drcp *d)
{
    const struct br_instance *in = d->in;
    for (uint32_t t = 0; t < in->tasks; t++)
        if (in->duration[t] > d->makespan) {
            fprintf(d->model, "constraint int_lin_le([1],[s%" PRIu32 "],%" PRId64 ");\n",
                    drcp_name(d, t), d->makespan - in->duration[t]);
            d->size->constraints++;
        }
    for (uint32_t s = 0; s < in->stages; s++)
        for (uint32_t t = in->stage_first[s]; t < in->stage_first[s + 1]; t++)
            for (uint32_t a = in->child_first[s]; a < in->child_first[s + 1]; a++) {
                const uint32_t child = in->child[a].stage;
                if (in->child[a].one_to_one)
                    drcp_edge(d, t, in->stage_first[child] + t - in->stage_first[s]);
                else
                    for (uint32_t u = in->stage_first[child]; u < in->stage_first[child + 1]; u++)
                        drcp_edge(d, t, u);
            }
}

/* One list of a cumulative constraint: starts, durations or demands of the resource, in units. */
static void drcp_list(struct drcp *d, uint32_t r, int64_t unit, int what)
{
    const char *comma = "";
    fputc('[', d->model);
    for (uint32_t t = 0; t < d->in->tasks; t++)
        if (d->in->duration[t] > 0 && drcp_demand(d, t, r) > 0) {
            if (what == 0)
                fprintf(d->model, "%ss%" PRIu32, comma, drcp_name(d, t));
            else
                fprintf(d->model, "%s%" PRId64, comma,
                        what == 1 ? d->in->duration[t] : drcp_demand(d, t, r) / unit);
            comma = ",";
        }
    fputs("],", d->model);
}

static void drcp_capacities(struct drcp *d)
{
    for (uint32_t r = 0; r < d->in->resources; r++) {
        const int64_t unit = br_instance_scarce_unit(d->in, r);
        if (unit == 0)
            continue;
        fputs("constraint pumpkin_cumulative(", d->model);
        for (int what = 0; what < 3; what++)
            drcp_list(d, r, unit, what);
        fprintf(d->model, "%" PRId64 ");\n", d->in->total[r] / unit);
        d->size->constraints++;
    }
}

/* With o = 1 the first ends before the second starts, with o = 0 the other way round. M more is
 * enough for what is not said to hold in any case. */
static void drcp_orders(struct drcp *d)
{
    const uint32_t n = d->in->tasks;
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = a + 1; b < n; b++)
            if (d->ordered[(size_t)a * n + b]) {
                const uint32_t first = drcp_name(d, a), second = drcp_name(d, b);
                fprintf(d->model,
                        "constraint int_lin_le([1,-1,%" PRId64 "],[s%" PRIu32 ",s%" PRIu32
                        ",o%" PRIu32 "_%" PRIu32 "],%" PRId64 ");\n",
                        d->makespan, first, second, first, second,
                        d->makespan - d->in->duration[a]);
                fprintf(d->model,
                        "constraint int_lin_le([-1,1,%" PRId64 "],[s%" PRIu32 ",s%" PRIu32
                        ",o%" PRIu32 "_%" PRIu32 "],%" PRId64 ");\n",
                        -d->makespan, first, second, first, second, -d->in->duration[b]);
                d->size->constraints += 2;
            }
}

/* ---- The scaffold ---- */

/* The opposite of the literal, as an atom or, with a minus, its opposite; 0: it holds in any case.
 * Atoms say ">= value". */
static int64_t drcp_premise(struct drcp *d, const struct br_proof_literal *literal)
{
    const uint32_t n = d->in->tasks;
    const int64_t value = literal->upper ? literal->time + 1 : literal->time;
    const int64_t most = literal->task < n ? d->makespan - d->in->duration[literal->task] : 1;
    if (value <= 0 || value > most)
        return (value > most) != literal->upper ? 0 : INT64_MAX;
    const uint64_t number = d->atom[literal->task] + (uint64_t)value + 1;
    if (!d->declared[number]) {
        d->declared[number] = 1;
        fprintf(d->scaffold, "a %" PRIu64 " [", number);
        if (literal->task < n)
            fprintf(d->scaffold, "s%" PRIu32, drcp_name(d, literal->task));
        else
            fprintf(d->scaffold, "o%" PRIu32 "_%" PRIu32, drcp_name(d, (literal->task - n - 1) / n),
                    drcp_name(d, (literal->task - n - 1) % n));
        fprintf(d->scaffold, " >= %" PRId64 "]\n", value);
    }
    return literal->upper ? (int64_t)number : -(int64_t)number;
}

static void drcp_nogood(struct drcp *d, const struct br_proof_clause *clause)
{
    for (uint32_t k = 0; k < clause->literals; k++)
        if (drcp_premise(d, &clause->literal[k]) == INT64_MAX)
            return; /* the clause holds in any case */
    fprintf(d->scaffold, "n %" PRIu64, d->size->constraints + ++d->size->nogoods);
    for (uint32_t k = 0; k < clause->literals; k++) {
        const int64_t premise = drcp_premise(d, &clause->literal[k]);
        if (premise)
            fprintf(d->scaffold, " %" PRId64, premise);
    }
    fputs(" 0\n", d->scaffold);
}

static void drcp_follows(void *context, uint32_t clause, const struct br_proof_span *span,
                         uint32_t resource, const int64_t *least, const int64_t *most)
{
    struct drcp *d = context;
    (void)resource;
    (void)least;
    (void)most;
    d->spans |= span != NULL;
    if (d->proof->clause[clause].literals > 0)
        drcp_nogood(d, &d->proof->clause[clause]);
}

static enum br_status drcp_clauses(struct drcp *d, struct br_diag *diag)
{
    const struct br_clauses_watch watch = {.context = d, .follows = drcp_follows};
    uint32_t where;
    switch (
        br_clauses_follow(d->in, d->proof->bound, d->proof->clause, d->clauses, &watch, &where)) {
    case BR_CLAUSES_PROVE:
        break;
    case BR_CLAUSES_MEMORY:
        return br_fail_memory(diag);
    default:
        return drcp_lacks(diag, d->clauses
                                    ? "a proof by clauses that needs the order of equal tasks"
                                    : "a proof that is neither by clauses nor by propagation");
    }
    return d->spans ? drcp_lacks(diag, "a proof that needs the energy in spans of time") : BR_OK;
}

/* ---- The frame ---- */

/* Which orders have a variable: those of rivals, if some clause is about orders or the job is small
 * enough that the checker follows them. Numbers the atoms. */
static enum br_status drcp_prepare(struct drcp *d, struct br_diag *diag)
{
    const struct br_instance *in = d->in;
    const size_t n = in->tasks;
    bool any = n <= BR_CLAUSES_ORDERED;
    if (!BR_ARRAY(&d->arena, n * n, d->ordered) || !BR_ARRAY(&d->arena, n * n + n + 1, d->atom))
        return br_fail_memory(diag);
    for (uint32_t k = 0; k < d->clauses; k++)
        for (uint32_t i = 0; i < d->proof->clause[k].literals; i++) {
            if (d->proof->clause[k].literal[i].task == n)
                return drcp_lacks(diag, "a clause about the end of the job");
            any |= d->proof->clause[k].literal[i].task > n;
        }
    uint64_t atoms = 0;
    for (uint32_t t = 0; t < n; t++) {
        d->atom[t] = atoms;
        atoms += (uint64_t)d->makespan + 2;
    }
    for (uint32_t a = 0; a < n && any; a++)
        for (uint32_t b = a + 1; b < n; b++)
            if (br_clauses_rivals(in, a, b)) {
                d->ordered[a * n + b] = true;
                d->atom[n + 1 + a * n + b] = atoms;
                atoms += 3;
            }
    if (atoms > (uint64_t)DRCP_MOST)
        return drcp_lacks(diag, "a plan of so many ticks");
    return BR_ARRAY(&d->arena, atoms + 2, d->declared) ? BR_OK : br_fail_memory(diag);
}

static bool drcp_fits(const struct drcp *d)
{
    bool fits = d->makespan <= DRCP_MOST && d->in->tasks <= BR_CLAUSES_ORDERED_MOST;
    for (uint32_t t = 0; t < d->in->tasks; t++)
        fits &= d->in->duration[t] <= DRCP_MOST;
    for (uint32_t r = 0; r < d->in->resources; r++) {
        const int64_t unit = br_instance_scarce_unit(d->in, r);
        fits &= unit == 0 || d->in->total[r] / unit <= DRCP_MOST;
    }
    return fits;
}

enum br_status br_emit_drcp(const struct br_instance *in, const struct br_proof *proof, FILE *model,
                            FILE *scaffold, struct br_drcp_size *size, struct br_diag *diag)
{
    struct drcp d = {.in = in,
                     .proof = proof,
                     .model = model,
                     .scaffold = scaffold,
                     .makespan = proof->bound - 1,
                     .clauses = proof->kind == BR_PROOF_CLAUSES ? proof->clauses : 0,
                     .size = size};
    *size = (struct br_drcp_size){0};
    if (in->machines != 1 || !drcp_fits(&d))
        return drcp_lacks(diag, in->machines != 1 ? "a proof on several machines"
                                                  : "a job of so many tasks, ticks or units");
    enum br_status status = drcp_prepare(&d, diag);
    if (!status) {
        drcp_variables(&d);
        drcp_edges(&d);
        drcp_capacities(&d);
        drcp_orders(&d);
        fputs("solve satisfy;\n", model);
        status = drcp_clauses(&d, diag);
        fputs("c UNSAT\n", scaffold);
    }
    br_arena_finish(&d.arena);
    return status;
}
