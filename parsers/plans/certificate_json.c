/* Certificates in the form of docs/certificates.md: a table of members for each object, arrays
 * counted first and then filled. Names become numbers; nothing else is checked here. */
#include "parsers/plans/certificate_json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "planner/instance/relax.h"

enum { DIGITS_MOST = 18 }; /* of a price's unit, on either side of the point */

struct reader {
    struct br_json *json;
    const struct br_dag *dag;
    struct br_arena *arena;
    uint32_t depth; /* depth of nested cases */
};

static bool memory(struct reader *r, const void *pointer)
{
    return pointer || br_json_take(r->json, r->json->at, br_fail_memory(r->json->diag));
}

/* Makes room for the elements of the array at the field, and goes to the array. */
static bool open_array(struct reader *r, const struct br_json_field *field, size_t size,
                       void *array, uint32_t *count)
{
    struct br_json *json = r->json;
    *count = 0;
    if (!br_json_go(json, field))
        return !json->status;
    br_json_array(json, field->name);
    while (br_json_item(json))
        if (br_json_skip(json))
            ++*count;
    if (json->status)
        return false;
    void *items = br_arena_array(r->arena, *count, size);
    memcpy(array, &items, sizeof items);
    return memory(r, items);
}

static bool integer(struct br_json *json, const char *what, int64_t *value)
{
    const char *at = json->at;
    if (!br_json_number(json, what))
        return false;
    char *end;
    errno = 0;
    *value = strtoll(json->text, &end, 10);
    return (*end == '\0' && errno == 0) ||
           br_json_fail(json, at, NULL, "%s is '%s', no whole number", what, json->text);
}

static bool fill_integers(struct br_json *json, int64_t *value)
{
    while (br_json_item(json))
        if (!integer(json, "a number", value++))
            return false;
    return !json->status;
}

static bool integer_at(struct reader *r, const struct br_json_field *field, int64_t *value)
{
    if (!br_json_go(r->json, field))
        return !r->json->status;
    return integer(r->json, field->name, value);
}

static bool stage_name(struct reader *r, uint32_t *stage)
{
    struct br_json *json = r->json;
    const char *at = json->at;
    if (!br_json_string(json, "a stage's id"))
        return false;
    *stage = br_dag_find_stage(r->dag, json->text);
    return *stage != UINT32_MAX ||
           br_json_fail(json, at, NULL, "the job has no stage '%s'", json->text);
}

static bool plans_certificate_json_stage_at(struct reader *r, const struct br_json_field *field,
                                            uint32_t *stage)
{
    if (!br_json_go(r->json, field))
        return !r->json->status;
    return stage_name(r, stage);
}

static int plans_certificate_json_by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static bool stages_at(struct reader *r, const struct br_json_field *field, uint32_t **stage,
                      uint32_t *count)
{
    if (!open_array(r, field, sizeof **stage, stage, count) || !br_json_go(r->json, field))
        return !r->json->status;
    br_json_array(r->json, field->name);
    for (uint32_t k = 0; br_json_item(r->json); k++)
        if (!stage_name(r, &(*stage)[k]))
            return false;
    if (!r->json->status)
        qsort(*stage, *count, sizeof **stage, plans_certificate_json_by_number);
    return !r->json->status;
}

/* Calls item for every element, with room for it. */
#define EACH(r, field, type, array, count, item)                                                   \
    do {                                                                                           \
        if (!open_array(r, field, sizeof(type), &(array), &(count)))                               \
            return false;                                                                          \
        if (!br_json_go((r)->json, field))                                                         \
            break;                                                                                 \
        br_json_array((r)->json, (field)->name);                                                   \
        for (uint32_t k_ = 0; br_json_item((r)->json); k_++)                                       \
            if (!item(r, &(array)[k_]))                                                            \
                return false;                                                                      \
        if ((r)->json->status)                                                                     \
            return false;                                                                          \
    } while (0)

static bool read_link(struct reader *r, struct br_proof_link *link)
{
    struct br_json_field f[] = {{"stage", true, NULL}, {"task", false, NULL}};
    if (!br_json_fields(r->json, "a link of the path", f, 2))
        return false;
    const char *after = r->json->at;
    link->task = UINT32_MAX;
    plans_certificate_json_stage_at(r, &f[0], &link->stage);
    br_json_optional_count32(r->json, &f[1], &link->task);
    r->json->at = after;
    return !r->json->status;
}

/* A stage and a whole number for it, under its own key. */
struct numbered {
    uint32_t stage;
    int64_t number;
};

static bool read_numbered(struct reader *r, const char *what, const char *key,
                          struct numbered *numbered)
{
    struct br_json_field f[] = {{"stage", true, NULL}, {key, true, NULL}};
    if (!br_json_fields(r->json, what, f, 2))
        return false;
    const char *after = r->json->at;
    plans_certificate_json_stage_at(r, &f[0], &numbered->stage);
    integer_at(r, &f[1], &numbered->number);
    r->json->at = after;
    return !r->json->status;
}

/* The two halves of all entries, in arrays of their own. */
static bool plans_certificate_json_split(struct reader *r, const struct numbered *all,
                                         uint32_t count, uint32_t **stage, int64_t **number)
{
    *stage = br_arena_array(r->arena, count, sizeof **stage);
    *number = br_arena_array(r->arena, count, sizeof **number);
    if (!memory(r, *stage) || !memory(r, *number))
        return false;
    for (uint32_t k = 0; k < count; k++) {
        (*stage)[k] = all[k].stage;
        (*number)[k] = all[k].number;
    }
    return true;
}

static bool plans_certificate_json_read_weight(struct reader *r, struct numbered *weight)
{
    return read_numbered(r, "a weight", "weight", weight);
}

static bool plans_certificate_json_read_weights(struct reader *r, const struct br_json_field *field,
                                                struct br_proof_measure *m)
{
    struct numbered *weight = NULL;
    m->kind = BR_MEASURE_WEIGHTS;
    EACH(r, field, struct numbered, weight, m->stages, plans_certificate_json_read_weight);
    return plans_certificate_json_split(r, weight, m->stages, &m->stage, &m->weight);
}

static bool read_measure(struct reader *r, struct br_proof_measure *m)
{
    struct br_json *json = r->json;
    struct br_json_field f[] = {{"resource", false, NULL},
                                {"unit", false, NULL},
                                {"clique", false, NULL},
                                {"weights", false, NULL}};
    if (!br_json_fields(json, "a measure", f, 4))
        return false;
    const char *after = json->at;
    if (!!f[0].at + !!f[2].at + !!f[3].at != 1)
        return br_json_fail(json, after, NULL, "a measure is of a resource, a clique, or weights");
    if (f[2].at) {
        m->kind = BR_MEASURE_CLIQUE;
        stages_at(r, &f[2], &m->stage, &m->stages);
    } else if (f[3].at) {
        plans_certificate_json_read_weights(r, &f[3], m);
    } else if (br_json_go(json, &f[0]) && br_json_string(json, "a resource")) {
        while (m->resource < r->dag->resources &&
               strcmp(r->dag->resource[m->resource].name, json->text) != 0)
            m->resource++;
        if (m->resource == r->dag->resources)
            return br_json_fail(json, f[0].at, NULL, "the job has no resource '%s'", json->text);
        if (br_json_go(json, &f[1]) && br_json_number(json, "a unit") &&
            (br_decimal_parse(json->text, &m->unit) != BR_DECIMAL_OK || m->unit.mantissa <= 0))
            return br_json_fail(json, f[1].at, NULL, "a unit is an amount above 0");
    }
    json->at = after;
    return !json->status;
}

static bool read_claim(struct reader *r, struct br_proof_claim *claim)
{
    struct br_json_field f[] = {{"stage", true, NULL},
                                {"at", true, NULL},
                                {"from", true, NULL},
                                {"to", true, NULL},
                                {"measure", true, NULL}};
    if (!br_json_fields(r->json, "a claim", f, 5))
        return false;
    const char *after = r->json->at;
    plans_certificate_json_stage_at(r, &f[0], &claim->stage);
    integer_at(r, &f[1], &claim->at);
    integer_at(r, &f[2], &claim->from);
    integer_at(r, &f[3], &claim->to);
    br_json_optional_count32(r->json, &f[4], &claim->measure);
    r->json->at = after;
    return !r->json->status;
}

static bool read_pass(struct reader *r, struct br_proof_pass *pass)
{
    struct br_json_field f[] = {{"heads", false, NULL}, {"tails", false, NULL}};
    if (!br_json_fields(r->json, "a pass over the windows", f, 2))
        return false;
    const char *after = r->json->at;
    EACH(r, &f[0], struct br_proof_claim, pass->head, pass->heads, read_claim);
    EACH(r, &f[1], struct br_proof_claim, pass->tail, pass->tails, read_claim);
    r->json->at = after;
    return !r->json->status;
}

static bool read_step(struct reader *r, struct br_proof_step *step)
{
    struct br_json *json = r->json;
    br_json_array(json, "a step");
    if (!br_json_item(json) || !integer(json, "a step's time", &step->from) ||
        !br_json_item(json) || !integer(json, "a price", &step->price) || br_json_item(json))
        return br_json_fail(json, json->at, NULL, "a step is a time and a price");
    return !json->status;
}

static bool read_price(struct reader *r, struct br_proof_price *price)
{
    struct br_json_field f[] = {{"stage", true, NULL}, {"steps", true, NULL}};
    if (!br_json_fields(r->json, "a price", f, 2))
        return false;
    const char *after = r->json->at;
    plans_certificate_json_stage_at(r, &f[0], &price->stage);
    EACH(r, &f[1], struct br_proof_step, price->step, price->steps, read_step);
    r->json->at = after;
    return !r->json->status;
}

static bool plans_certificate_json_read_value(struct reader *r, struct br_proof_value *value)
{
    struct numbered numbered = {0};
    bool read = read_numbered(r, "a value", "value", &numbered);
    *value = (struct br_proof_value){numbered.stage, numbered.number};
    return read;
}

static bool plans_certificate_json_read_share(struct reader *r, struct numbered *share)
{
    return read_numbered(r, "a share", "share", share);
}

static bool read_chain(struct reader *r, struct br_proof_chain *chain)
{
    struct br_json_field f[] = {{"from", true, NULL}, {"to", true, NULL}, {"shares", true, NULL}};
    struct numbered *share = NULL;
    if (!br_json_fields(r->json, "a chain", f, 3))
        return false;
    const char *after = r->json->at;
    integer_at(r, &f[0], &chain->from);
    integer_at(r, &f[1], &chain->to);
    EACH(r, &f[2], struct numbered, share, chain->stages, plans_certificate_json_read_share);
    if (!plans_certificate_json_split(r, share, chain->stages, &chain->stage, &chain->share))
        return false;
    r->json->at = after;
    return !r->json->status;
}

/* Whole numbers up to the end of the current array. */
static bool integers(struct reader *r, int64_t **value, uint32_t *count)
{
    const struct br_json_field here = {"a part of a clause", true, r->json->at};
    return open_array(r, &here, sizeof **value, value, count) && br_json_go(r->json, &here) &&
           br_json_array(r->json, here.name) && fill_integers(r->json, *value);
}

/* Literals and hints: numbers from 1, of tasks each with a time, and of clauses. Then spans, if
 * there are any: begins and ends. */
static bool read_clause(struct reader *r, struct br_proof_clause *clause)
{
    struct br_json *json = r->json;
    const char *at = json->at;
    int64_t *literal, *hint, *time = NULL;
    uint32_t numbers = 0, times = 0;
    br_json_array(json, "a clause");
    bool ok = br_json_item(json) && integers(r, &literal, &numbers) && br_json_item(json) &&
              integers(r, &hint, &clause->hints);
    if (ok && br_json_item(json))
        ok = integers(r, &time, &times) && !br_json_item(json);
    if (!ok || numbers % 2 != 0 || times % 2 != 0)
        return br_json_fail(json, at, NULL,
                            "a clause is pairs of numbers, its hints, and perhaps pairs of times");
    clause->literals = numbers / 2;
    clause->spans = times / 2;
    clause->span = br_arena_array(r->arena, clause->spans, sizeof *clause->span);
    clause->literal = br_arena_array(r->arena, clause->literals, sizeof *clause->literal);
    clause->hint = br_arena_array(r->arena, clause->hints, sizeof *clause->hint);
    if (!memory(r, clause->literal) || !memory(r, clause->hint) || !memory(r, clause->span))
        return false;
    for (uint32_t k = 0; k < clause->spans; k++)
        clause->span[k] = (struct br_proof_span){time[2 * k], time[2 * k + 1]};
    for (uint32_t k = 0; k < clause->literals; k++) {
        int64_t task = literal[2 * k], number = task < 0 ? -(task + 1) : task - 1;
        clause->literal[k] = (struct br_proof_literal){
            number < 0 || number > UINT32_MAX ? UINT32_MAX : (uint32_t)number, task < 0,
            literal[2 * k + 1]};
    }
    for (uint32_t k = 0; k < clause->hints; k++)
        clause->hint[k] =
            hint[k] < 1 || hint[k] > UINT32_MAX ? UINT32_MAX : (uint32_t)(hint[k] - 1);
    return !json->status;
}

static bool read_kind(struct reader *r, const struct br_json_field *field, struct br_proof *proof)
{
    struct br_json *json = r->json;
    if (!br_json_go(json, field) || !br_json_string(json, "the kind of a proof"))
        return false;
    uint32_t kind = br_named_find(&br_proof_kinds, json->text);
    if (kind == BR_NO_ROW)
        return br_json_fail(json, field->at, NULL, "'%s' is no kind of proof", json->text);
    proof->kind = (enum br_proof_kind)kind;
    return true;
}

static bool plans_certificate_json_read_proof(struct reader *r, struct br_proof *proof);

/* A proof within the current one. */
static bool proof_at(struct reader *r, const struct br_json_field *field, struct br_proof **proof)
{
    if (!br_json_go(r->json, field))
        return !r->json->status;
    if (r->depth == BR_PROOF_DEPTH)
        return br_json_fail(r->json, field->at, NULL, "cases are too deep");
    *proof = br_arena_alloc(r->arena, sizeof **proof);
    r->depth++;
    bool read = memory(r, *proof) && plans_certificate_json_read_proof(r, *proof);
    r->depth--;
    return read;
}

static bool read_case(struct reader *r, struct br_proof_case *when)
{
    struct br_json_field f[] = {{"stage", true, NULL}, {"proof", true, NULL}};
    if (!br_json_fields(r->json, "a case", f, 2))
        return false;
    const char *after = r->json->at;
    if (!plans_certificate_json_stage_at(r, &f[0], &when->stage) ||
        !proof_at(r, &f[1], &when->proof))
        return false;
    r->json->at = after;
    return !r->json->status;
}

static bool resource_at(struct reader *r, const struct br_json_field *field, uint32_t *resource)
{
    struct br_json *json = r->json;
    if (!br_json_go(json, field) || !br_json_string(json, "a resource"))
        return !json->status;
    *resource = 0;
    while (*resource < r->dag->resources &&
           strcmp(r->dag->resource[*resource].name, json->text) != 0)
        ++*resource;
    return *resource < r->dag->resources ||
           br_json_fail(json, field->at, NULL, "the job has no resource '%s'", json->text);
}

static bool read_charge(struct reader *r, struct br_proof_charge *charge)
{
    struct br_json_field f[] = {{"resource", true, NULL},
                                {"digits", true, NULL},
                                {"price", true, NULL},
                                {"consumed", false, NULL}};
    int64_t digits = 0;
    if (!br_json_fields(r->json, "a charge", f, 4))
        return false;
    const char *after = r->json->at;
    if (!resource_at(r, &f[0], &charge->resource) || !integer_at(r, &f[1], &digits) ||
        !integer_at(r, &f[2], &charge->price))
        return false;
    if (digits < -DIGITS_MOST || digits > DIGITS_MOST)
        return br_json_fail(r->json, f[1].at, NULL, "digits are from -%d to %d", DIGITS_MOST,
                            DIGITS_MOST);
    charge->digits = (int32_t)digits;
    if (f[3].at && (!br_json_go(r->json, &f[3]) || !br_json_string(r->json, "consumed") ||
                    strcmp(r->json->text, "yes") != 0))
        return br_json_fail(r->json, f[3].at, "yes", "consumed is not 'yes'");
    charge->consumed = f[3].at != NULL;
    r->json->at = after;
    return !r->json->status;
}

static bool read_flow(struct reader *r, struct br_proof_flow *flow)
{
    struct br_json_field f[] = {{"from", true, NULL},
                                {"to", true, NULL},
                                {"amount", true, NULL},
                                {"from_task", false, NULL},
                                {"to_task", false, NULL}};
    if (!br_json_fields(r->json, "a flow", f, 5))
        return false;
    const char *after = r->json->at;
    if (!plans_certificate_json_stage_at(r, &f[0], &flow->from) ||
        !plans_certificate_json_stage_at(r, &f[1], &flow->to) ||
        !integer_at(r, &f[2], &flow->amount) ||
        !br_json_optional_count32(r->json, &f[3], &flow->from_task) ||
        !br_json_optional_count32(r->json, &f[4], &flow->to_task))
        return false;
    r->json->at = after;
    return !r->json->status;
}

static bool plans_certificate_json_read_proof(struct reader *r, struct br_proof *proof)
{
    enum {
        BOUND,
        KIND,
        ROUNDING,
        STAGES,
        PATH,
        STAGE,
        MEASURES,
        WINDOWS,
        FROM,
        TO,
        MEASURE,
        VALUES,
        PRICES,
        CHAINS,
        CLAUSES,
        GROUP,
        CASES,
        CHARGES,
        FLOWS,
        REST,
        FIELDS
    };
    struct br_json *json = r->json;
    struct br_json_field f[FIELDS] = {
        [BOUND] = {"bound", true, NULL},        [KIND] = {"kind", true, NULL},
        [ROUNDING] = {"rounding", false, NULL}, [STAGES] = {"stages", false, NULL},
        [PATH] = {"path", false, NULL},         [STAGE] = {"stage", false, NULL},
        [MEASURES] = {"measures", false, NULL}, [WINDOWS] = {"windows", false, NULL},
        [FROM] = {"from", false, NULL},         [TO] = {"to", false, NULL},
        [MEASURE] = {"measure", false, NULL},   [VALUES] = {"values", false, NULL},
        [PRICES] = {"prices", false, NULL},     [CHAINS] = {"chains", false, NULL},
        [CLAUSES] = {"clauses", false, NULL},   [GROUP] = {"group", false, NULL},
        [CASES] = {"cases", false, NULL},       [CHARGES] = {"charges", false, NULL},
        [FLOWS] = {"flows", false, NULL},       [REST] = {"rest", false, NULL},
    };
    if (!br_json_fields(json, "the proof of a part", f, FIELDS))
        return false;
    const char *after = json->at;
    if (!integer_at(r, &f[BOUND], &proof->bound) || !read_kind(r, &f[KIND], proof) ||
        !integer_at(r, &f[ROUNDING], &proof->rounding) || !integer_at(r, &f[REST], &proof->rest) ||
        !stages_at(r, &f[STAGES], &proof->stage, &proof->stages) ||
        !plans_certificate_json_stage_at(r, &f[STAGE], &proof->at) ||
        !integer_at(r, &f[FROM], &proof->from) || !integer_at(r, &f[TO], &proof->to) ||
        !br_json_optional_count32(json, &f[MEASURE], &proof->energy))
        return false;
    if (f[ROUNDING].at && proof->rounding < 1)
        return br_json_fail(json, f[ROUNDING].at, NULL, "the rounding is not above 0");
    if (proof->rest < 0)
        return br_json_fail(json, f[REST].at, NULL, "the rest is below 0");
    if (f[STAGES].at && proof->stages == 0)
        return br_json_fail(json, f[STAGES].at, NULL, "a part is empty");
    EACH(r, &f[PATH], struct br_proof_link, proof->link, proof->links, read_link);
    EACH(r, &f[MEASURES], struct br_proof_measure, proof->measure, proof->measures, read_measure);
    EACH(r, &f[WINDOWS], struct br_proof_pass, proof->pass, proof->passes, read_pass);
    EACH(r, &f[VALUES], struct br_proof_value, proof->value, proof->values,
         plans_certificate_json_read_value);
    EACH(r, &f[PRICES], struct br_proof_price, proof->price, proof->prices, read_price);
    EACH(r, &f[CHAINS], struct br_proof_chain, proof->chain, proof->chains, read_chain);
    EACH(r, &f[CLAUSES], struct br_proof_clause, proof->clause, proof->clauses, read_clause);
    EACH(r, &f[CASES], struct br_proof_case, proof->when, proof->cases, read_case);
    EACH(r, &f[CHARGES], struct br_proof_charge, proof->charge, proof->charges, read_charge);
    EACH(r, &f[FLOWS], struct br_proof_flow, proof->flow, proof->flows, read_flow);
    if (!proof_at(r, &f[GROUP], &proof->group))
        return false;
    json->at = after;
    return !json->status;
}

static bool read_parts(struct reader *r, const struct br_json_field *field,
                       struct br_certificate *c)
{
    EACH(r, field, struct br_proof, c->part, c->parts, plans_certificate_json_read_proof);
    return true;
}

static bool read_relaxation(struct br_json *json, const struct br_json_field *field,
                            enum br_relaxation *relaxation)
{
    if (!br_json_go(json, field))
        return !json->status;
    if (!br_json_string(json, "the relaxation"))
        return false;
    const uint32_t k = br_named_find(&br_relaxations, json->text);
    if (k == BR_NO_ROW)
        return br_json_fail(json, field->at, "none, machines, pool or ways",
                            "there is no relaxation '%s'", json->text);
    *relaxation = (enum br_relaxation)k;
    return true;
}

/* The parts, of the relaxed job if the proofs are of one. */
static bool read_parts_of(struct br_json *json, const struct br_json_field *field,
                          const struct br_dag *dag, struct br_certificate *c)
{
    struct br_dag *relaxed = NULL;
    bool ok = !c->relaxation || c->relaxation == BR_RELAX_WAYS ||
              br_json_take(json, field->at, br_relax_job(dag, &relaxed, json->diag));
    struct reader r = {json, relaxed ? relaxed : dag, &c->arena, 0};
    ok = ok && read_parts(&r, field, c);
    br_dag_destroy(relaxed);
    return ok;
}

bool br_read_certificate(struct br_json *json, const struct br_json_field *field,
                         const struct br_dag *dag, struct br_certificate **certificate)
{
    struct br_json_field f[] = {{"format", true, NULL},
                                {"tick", true, NULL},
                                {"parts", true, NULL},
                                {"relaxation", false, NULL}};
    *certificate = NULL;
    if (!br_json_go(json, field))
        return !json->status;
    const char *at = json->at;
    if (!br_json_fields(json, "a certificate", f, 4))
        return false;
    const char *after = json->at;
    struct br_certificate *c = br_certificate_create(0, 0);
    if (!c)
        return br_json_take(json, at, br_fail_memory(json->diag));
    if (br_json_go(json, &f[0]) && br_json_string(json, "the certificate's format") &&
        strcmp(json->text, "bigrocks-certificate/1") != 0)
        br_json_fail(json, f[0].at, NULL, "the certificate's format is '%s'", json->text);
    br_json_optional_seconds(json, &f[1], &c->tick_ns);
    read_relaxation(json, &f[3], &c->relaxation);
    if (json->status || !read_parts_of(json, &f[2], dag, c)) {
        br_certificate_destroy(c);
        return false;
    }
    json->at = after;
    *certificate = c;
    return true;
}

enum br_status br_certificate_read(const char *text, size_t size, const struct br_dag *dag,
                                   struct br_certificate **certificate, struct br_diag *diag)
{
    BR_NEED(diag, text, dag, certificate);
    struct br_json json;
    br_json_init(&json, text, size, diag);
    const struct br_json_field whole = {"certificate", true, json.at};
    if (br_read_certificate(&json, &whole, dag, certificate) && !br_json_done(&json)) {
        br_certificate_destroy(*certificate);
        *certificate = NULL;
    }
    br_json_finish(&json);
    return json.status;
}
