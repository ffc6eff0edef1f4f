/* The bound of ports is computed here. Another program solves the linear program over the order and
 * answers with weights; the bound that they give is computed here as well. */
#include "cluster/coflow/bounds/best_bound.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/decimal.h"
#include "base/numbers/real.h"
#include "lp/client/coflows.h"
#include "parsers/text/json.h"
#include "cluster/coflow/bounds/order_bound.h"

enum { ROUNDS = 200, ROWS_MOST = 1000000 };

/* ---- The problem as text ---- */

static void write_seconds(FILE *out, double ms)
{
    char text[BR_SECONDS_TEXT];
    br_seconds_format(br_real_whole(ms * 1e6), text);
    fputs(text, out);
}

static char *write_problem(const struct br_coflow_parts *parts, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    if (!out)
        return NULL;
    fprintf(out, "{\"ports\": %u, \"coflows\": [", parts->ports);
    for (uint32_t c = 0; c < parts->coflows; c++) {
        fprintf(out, "%s\n {\"release\": ", c ? "," : "");
        write_seconds(out, parts->release_ms[c]);
        fputs(", \"parts\": [", out);
        for (uint64_t k = parts->first[c]; k < parts->first[c + 1]; k++) {
            fprintf(out, "%s[%u, ", k > parts->first[c] ? ", " : "", parts->part[k].port);
            write_seconds(out, parts->part[k].ms);
            putc(']', out);
        }
        fputs("]}", out);
    }
    fputs("]}\n", out);
    bool written = !ferror(out);
    if (fclose(out) == 0 && written)
        return text;
    free(text);
    return NULL;
}

/* ---- The answer ---- */

struct answer {
    struct br_json json;
    struct br_order_proof proof;
};

/* [A, B, C, WEIGHT], for each row or cycle. */
static bool coflow_bound_read_numbers(struct br_json *json, uint32_t number[3], double *weight)
{
    br_json_array(json, "a row");
    for (int k = 0; k < 3; k++) {
        uint64_t wide = 0;
        if (!br_json_item(json) || !br_json_count(json, "a number", UINT32_MAX, &wide))
            return br_json_fail(json, json->at, NULL, "a row is incomplete");
        number[k] = (uint32_t)wide;
    }
    if (!br_json_item(json) || !br_json_number(json, "a weight"))
        return br_json_fail(json, json->at, NULL, "a row has no weight");
    const char *text = json->text;
    if (!br_real_read(&text, "", weight))
        return br_json_fail(json, json->at, NULL, "a weight is '%s'", json->text);
    return !br_json_item(json) || br_json_fail(json, json->at, NULL, "a row is too long");
}

static bool coflow_bound_read_row(void *context, uint32_t k)
{
    struct answer *a = context;
    uint32_t number[3];
    double weight;
    if (k == ROWS_MOST || !coflow_bound_read_numbers(&a->json, number, &weight))
        return br_json_fail(&a->json, a->json.at, NULL, "there are too many rows");
    a->proof.row[a->proof.rows++] = (struct br_order_row){number[0], number[1], number[2], weight};
    return true;
}

static bool read_cycle(void *context, uint32_t k)
{
    struct answer *a = context;
    uint32_t number[3];
    double weight;
    if (k == ROWS_MOST || !coflow_bound_read_numbers(&a->json, number, &weight))
        return br_json_fail(&a->json, a->json.at, NULL, "there are too many rows");
    /* A cycle's weight is a time. */
    a->proof.cycle[a->proof.cycles++] =
        (struct br_order_cycle){{number[0], number[1], number[2]}, weight * 1000};
    return true;
}

static enum br_status read_answer(const struct br_coflow_talk *talk, struct br_order_proof *proof,
                                  char status[32], struct br_diag *diag)
{
    struct answer a = {0};
    struct br_json_field field[] = {
        {"status", true, NULL}, {"rows", true, NULL}, {"cycles", true, NULL}};
    a.proof.row = malloc(ROWS_MOST * sizeof *a.proof.row);
    a.proof.cycle = malloc(ROWS_MOST * sizeof *a.proof.cycle);
    *proof = a.proof;
    if (!a.proof.row || !a.proof.cycle)
        return br_fail_memory(diag);
    br_json_init(&a.json, talk->answer, talk->answer_size, diag);
    br_json_fields(&a.json, "the weights", field, 3);
    br_json_done(&a.json);
    if (br_json_go(&a.json, &field[0]) && br_json_string(&a.json, "the status"))
        snprintf(status, 32, "%s", a.json.text);
    br_json_each(&a.json, &field[1], "the rows", coflow_bound_read_row, &a);
    br_json_each(&a.json, &field[2], "the cycles", read_cycle, &a);
    br_json_finish(&a.json);
    *proof = a.proof;
    return a.json.status;
}

/* ---- Both bounds ---- */

static enum br_status best_bound_ask(const struct br_coflow_parts *parts, int64_t limit_ns,
                                     const struct br_stop *stop, double *average_cct_s,
                                     char why[BR_COFLOW_WHY], struct br_diag *diag)
{
    struct br_coflow_talk talk = {.limit_ns = limit_ns, .stop = stop};
    struct br_order_proof proof = {0};
    struct br_diag fault = {0};
    char ended[32] = "";
    double ordered_s = 0;
    char *problem = write_problem(parts, &talk.size);
    if (!problem)
        return br_fail_memory(diag);
    talk.problem = problem;
    br_bound_coflows(&talk);
    free(problem);
    if (!talk.answer) {
        snprintf(why, BR_COFLOW_WHY, "the bound of the order is %.150s", talk.why);
        return BR_OK;
    }
    enum br_status status = read_answer(&talk, &proof, ended, &fault);
    if (!status && strcmp(ended, "large") == 0)
        snprintf(why, BR_COFLOW_WHY,
                 "the bound of the order is not available (there are too many coflows)");
    else if (!status)
        status = br_coflow_order_bound(parts, &proof, &ordered_s, &fault);
    if (status == BR_SYSTEM && diag)
        *diag = fault;
    else if (status)
        snprintf(why, BR_COFLOW_WHY, "the bound of the order is not available (%.150s)",
                 fault.what);
    if (!status && ordered_s > *average_cct_s)
        *average_cct_s = ordered_s;
    br_order_proof_finish(&proof);
    free(talk.answer);
    return status == BR_SYSTEM ? status : BR_OK;
}

enum br_status br_coflow_best_bound(const struct br_coflows *trace,
                                    const struct br_coflow_options *options, bool ask,
                                    int64_t limit_ns, double *average_cct_s,
                                    char why[BR_COFLOW_WHY], struct br_diag *diag)
{
    struct br_coflow_parts parts;
    struct br_coflow_bound bound = {0};
    enum br_status status = br_coflow_parts_make(trace, options, &parts, diag);
    *why = '\0';
    if (!status)
        status = br_coflow_bound_make(&parts, ROUNDS, options->stop, &bound, diag);
    if (!status) {
        *average_cct_s = bound.average_cct_s;
        if (ask)
            status = best_bound_ask(&parts, limit_ns, options->stop, average_cct_s, why, diag);
    }
    br_coflow_parts_finish(&parts);
    return status;
}
