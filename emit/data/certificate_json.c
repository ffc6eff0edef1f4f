/* A certificate as a JSON object, "bigrocks-certificate/1": see docs/certificates.md. */
#include "emit/data/certificate_json.h"

#include <inttypes.h>
#include <stdlib.h>

#include "emit/write/write.h"
#include "planner/instance/relax.h"

static void data_certificate_json_name(FILE *out, const struct br_dag *dag, const char *before,
                                       uint32_t stage)
{
    fputs(before, out);
    putc('"', out);
    br_write_text(out, BR_QUOTE_JSON, dag->stage[stage].id);
    putc('"', out);
}

static void names(FILE *out, const struct br_dag *dag, const uint32_t *stage, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        data_certificate_json_name(out, dag, k ? ", " : "[", stage[k]);
    fputs(count ? "]" : "[]", out);
}

static void write_path(FILE *out, const struct br_dag *dag, const struct br_proof *proof)
{
    fputs(", \"path\": [", out);
    for (uint32_t k = 0; k < proof->links; k++) {
        data_certificate_json_name(out, dag,
                                   k ? ", {\"stage\": " : "{\"stage\": ", proof->link[k].stage);
        if (proof->link[k].task != UINT32_MAX)
            fprintf(out, ", \"task\": %" PRIu32, proof->link[k].task);
        putc('}', out);
    }
    putc(']', out);
}

static void write_measures(FILE *out, const struct br_dag *dag, const struct br_proof *proof)
{
    if (proof->measures == 0)
        return;
    fputs(",\n    \"measures\": [", out);
    for (uint32_t m = 0; m < proof->measures; m++) {
        const struct br_proof_measure *measure = &proof->measure[m];
        fputs(m ? ", {" : "{", out);
        if (measure->kind == BR_MEASURE_CLIQUE) {
            fputs("\"clique\": ", out);
            names(out, dag, measure->stage, measure->stages);
        } else if (measure->kind == BR_MEASURE_WEIGHTS) {
            fputs("\"weights\": [", out);
            for (uint32_t k = 0; k < measure->stages; k++) {
                data_certificate_json_name(
                    out, dag, k ? ", {\"stage\": " : "{\"stage\": ", measure->stage[k]);
                fprintf(out, ", \"weight\": %" PRId64 "}", measure->weight[k]);
            }
            putc(']', out);
        } else {
            fputs("\"resource\": \"", out);
            br_write_text(out, BR_QUOTE_JSON, dag->resource[measure->resource].name);
            putc('"', out);
            if (measure->unit.mantissa) {
                fputs(", \"unit\": ", out);
                br_write_decimal(out, measure->unit);
            }
        }
        putc('}', out);
    }
    putc(']', out);
}

static void write_claims(FILE *out, const struct br_dag *dag, const char *key,
                         const struct br_proof_claim *claim, uint32_t claims)
{
    fprintf(out, "\"%s\": [", key);
    for (uint32_t k = 0; k < claims; k++) {
        data_certificate_json_name(
            out, dag, k ? ",\n      {\"stage\": " : "\n      {\"stage\": ", claim[k].stage);
        fprintf(out,
                ", \"at\": %" PRId64 ", \"from\": %" PRId64 ", \"to\": %" PRId64
                ", \"measure\": %" PRIu32 "}",
                claim[k].at, claim[k].from, claim[k].to, claim[k].measure);
    }
    putc(']', out);
}

static void write_windows(FILE *out, const struct br_dag *dag, const struct br_proof *proof)
{
    if (proof->passes == 0)
        return;
    fputs(",\n    \"windows\": [", out);
    for (uint32_t k = 0; k < proof->passes; k++) {
        const struct br_proof_pass *pass = &proof->pass[k];
        fputs(k ? ",\n     {" : "{", out);
        write_claims(out, dag, "heads", pass->head, pass->heads);
        fputs(", ", out);
        write_claims(out, dag, "tails", pass->tail, pass->tails);
        putc('}', out);
    }
    putc(']', out);
}

static void write_prices(FILE *out, const struct br_dag *dag, const struct br_proof *proof)
{
    fputs(",\n    \"prices\": [", out);
    for (uint32_t v = 0; v < proof->prices; v++) {
        const struct br_proof_price *price = &proof->price[v];
        data_certificate_json_name(
            out, dag, v ? ",\n      {\"stage\": " : "\n      {\"stage\": ", price->stage);
        fputs(", \"steps\": [", out);
        for (uint32_t k = 0; k < price->steps; k++)
            fprintf(out, "%s[%" PRId64 ", %" PRId64 "]", k ? ", " : "", price->step[k].from,
                    price->step[k].price);
        fputs("]}", out);
    }
    putc(']', out);
    if (proof->chains == 0)
        return;
    fputs(",\n    \"chains\": [", out);
    for (uint32_t k = 0; k < proof->chains; k++) {
        const struct br_proof_chain *chain = &proof->chain[k];
        fprintf(out, "%s{\"from\": %" PRId64 ", \"to\": %" PRId64 ", \"shares\": [",
                k ? ",\n      " : "\n      ", chain->from, chain->to);
        for (uint32_t i = 0; i < chain->stages; i++) {
            data_certificate_json_name(out, dag,
                                       i ? ", {\"stage\": " : "{\"stage\": ", chain->stage[i]);
            fprintf(out, ", \"share\": %" PRId64 "}", chain->share[i]);
        }
        fputs("]}", out);
    }
    putc(']', out);
}

/* A task's number from 1, negative if it starts no later than the time that follows. Spans only if
 * there are any. */
static void write_clauses(FILE *out, const struct br_proof *proof)
{
    fputs(",\n    \"clauses\": [", out);
    for (uint32_t k = 0; k < proof->clauses; k++) {
        const struct br_proof_clause *clause = &proof->clause[k];
        fputs(k ? ",\n      [[" : "\n      [[", out);
        for (uint32_t i = 0; i < clause->literals; i++) {
            const struct br_proof_literal *l = &clause->literal[i];
            fprintf(out, "%s%s%" PRIu32 ", %" PRId64, i ? ", " : "", l->upper ? "-" : "",
                    l->task + 1, l->time);
        }
        fputs("], [", out);
        for (uint32_t i = 0; i < clause->hints; i++)
            fprintf(out, "%s%" PRIu32, i ? ", " : "", clause->hint[i] + 1);
        for (uint32_t i = 0; i < clause->spans; i++)
            fprintf(out, "%s%" PRId64 ", %" PRId64, i ? ", " : "], [", clause->span[i].from,
                    clause->span[i].to);
        fputs("]]", out);
    }
    putc(']', out);
}

static void write_multipliers(FILE *out, const struct br_dag *dag, const struct br_proof *proof)
{
    fputs(",\n    \"charges\": [", out);
    for (uint32_t k = 0; k < proof->charges; k++) {
        const struct br_proof_charge *c = &proof->charge[k];
        fputs(k ? ", {\"resource\": \"" : "{\"resource\": \"", out);
        br_write_text(out, BR_QUOTE_JSON, dag->resource[c->resource].name);
        fputs(c->consumed ? "\", \"consumed\": \"yes" : "", out);
        fprintf(out, "\", \"digits\": %" PRId32 ", \"price\": %" PRId64 "}", c->digits, c->price);
    }
    fputs("],\n    \"flows\": [", out);
    for (uint32_t k = 0; k < proof->flows; k++) {
        const struct br_proof_flow *f = &proof->flow[k];
        data_certificate_json_name(out, dag, k ? ", {\"from\": " : "{\"from\": ", f->from);
        data_certificate_json_name(out, dag, ", \"to\": ", f->to);
        if (f->from_task || f->to_task)
            fprintf(out, ", \"from_task\": %" PRIu32 ", \"to_task\": %" PRIu32, f->from_task,
                    f->to_task);
        fprintf(out, ", \"amount\": %" PRId64 "}", f->amount);
    }
    putc(']', out);
}

static void data_certificate_json_write_proof(FILE *out, const struct br_dag *dag,
                                              const struct br_proof *proof);

static void data_certificate_json_write_cases(FILE *out, const struct br_dag *dag,
                                              const struct br_proof *proof)
{
    fputs(",\n    \"group\": ", out);
    data_certificate_json_write_proof(out, dag, proof->group);
    fputs(",\n    \"cases\": [", out);
    for (uint32_t k = 0; k < proof->cases; k++) {
        data_certificate_json_name(
            out, dag, k ? ",\n     {\"stage\": " : "\n     {\"stage\": ", proof->when[k].stage);
        fputs(", \"proof\": ", out);
        data_certificate_json_write_proof(out, dag, proof->when[k].proof);
        putc('}', out);
    }
    putc(']', out);
}

static void data_certificate_json_write_proof(FILE *out, const struct br_dag *dag,
                                              const struct br_proof *proof)
{
    fprintf(out, "{\"bound\": %" PRId64 ", \"kind\": \"%s\"", proof->bound,
            br_named_name(&br_proof_kinds, proof->kind));
    if (br_proof_rounding(proof) > 1)
        fprintf(out, ", \"rounding\": %" PRId64, proof->rounding);
    if (proof->rest > 0)
        fprintf(out, ", \"rest\": %" PRId64, proof->rest);
    if (proof->stages) {
        fputs(",\n    \"stages\": ", out);
        names(out, dag, proof->stage, proof->stages);
    }
    write_measures(out, dag, proof);
    write_windows(out, dag, proof);
    switch (proof->kind) {
    case BR_PROOF_PATH:
        write_path(out, dag, proof);
        break;
    case BR_PROOF_WINDOW:
        data_certificate_json_name(out, dag, ", \"stage\": ", proof->at);
        break;
    case BR_PROOF_ENERGY:
    case BR_PROOF_ROUNDS:
        fprintf(out, ", \"from\": %" PRId64 ", \"to\": %" PRId64 ", \"measure\": %" PRIu32,
                proof->from, proof->to, proof->energy);
        for (uint32_t k = 0; k < proof->values; k++) {
            data_certificate_json_name(
                out, dag,
                k ? ", {\"stage\": " : ", \"values\": [{\"stage\": ", proof->value[k].stage);
            fprintf(out, ", \"value\": %" PRId64 "}", proof->value[k].value);
        }
        fputs(proof->values ? "]" : "", out);
        break;
    case BR_PROOF_PRICES:
        write_prices(out, dag, proof);
        break;
    case BR_PROOF_CLAUSES:
        write_clauses(out, proof);
        break;
    case BR_PROOF_FIRST:
    case BR_PROOF_LAST:
        data_certificate_json_write_cases(out, dag, proof);
        break;
    case BR_PROOF_MULTIPLIERS:
        write_multipliers(out, dag, proof);
        break;
    }
    putc('}', out);
}

enum br_status br_write_certificate(FILE *out, const struct br_dag *dag,
                                    const struct br_certificate *certificate, struct br_diag *diag)
{
    struct br_dag *relaxed = NULL;
    int64_t bound_ns = 0;
    const bool other = certificate->relaxation && certificate->relaxation != BR_RELAX_WAYS;
    enum br_status status = other ? br_relax_job(dag, &relaxed, diag) : BR_OK;
    if (status) {
        br_dag_destroy(relaxed);
        return status;
    }
    dag = relaxed ? relaxed : dag;
    br_certificate_bound(certificate, &bound_ns);
    fputs("{\"format\": \"bigrocks-certificate/1\", \"lower_bound\": ", out);
    br_write_seconds(out, bound_ns);
    fputs(", \"tick\": ", out);
    br_write_seconds(out, certificate->tick_ns);
    if (certificate->relaxation)
        fprintf(out, ", \"relaxation\": \"%s\"",
                br_named_name(&br_relaxations, certificate->relaxation));
    fputs(",\n  \"parts\": [", out);
    for (uint32_t k = 0; k < certificate->parts && !ferror(out); k++) {
        fputs(k ? ",\n   " : "\n   ", out);
        data_certificate_json_write_proof(out, dag, &certificate->part[k]);
    }
    fputs("]}", out);
    br_dag_destroy(relaxed);
    return BR_OK;
}

char *br_certificate_text(const struct br_certificate *certificate, const struct br_dag *dag)
{
    char *text = NULL;
    size_t size;
    FILE *out = certificate && dag ? open_memstream(&text, &size) : NULL;
    if (!out)
        return NULL;
    bool written = br_write_certificate(out, dag, certificate, NULL) == BR_OK && !ferror(out);
    if (fclose(out) == 0 && written)
        return text;
    free(text);
    return NULL;
}
