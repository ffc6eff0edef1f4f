/* The table of outputs, and those that are rows of figures. */
#include "cluster/coflow/report/coflows.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/numbers/real.h"
#include "cluster/coflow/report/coflow_outputs.h"
#include "emit/write/figures.h"
#include "emit/write/write.h"

static const struct {
    struct br_named named;
    br_coflow_output *write;
} formats[] = {
    {{"text", "a table for people (the default)"}, br_coflows_text},
    {{"csv", "a row for each coflow and policy"}, br_coflows_csv},
    {{"json", "all figures, for other programs"}, br_coflows_json},
    {{"svg", "pictures: completion times, and the use of the ports over time"}, br_coflows_svg},
    {{"html", "the pictures and a table, for a browser"}, br_coflows_html},
};

const struct br_names br_coflow_formats = {BR_NAMES(formats)};

enum br_status br_emit_coflows(const char *format, const struct br_coflow_study *study, FILE *out,
                               struct br_diag *diag)
{
    uint32_t k = br_named_find(&br_coflow_formats, format);
    if (k == BR_NO_ROW)
        return br_fail_unnamed(diag, &br_coflow_formats, format, SIZE_MAX,
                               "coflows have no output '%.100s'", format);
    enum br_status status = formats[k].write(study, out, diag);
    return status ? status : br_write_finish(out, diag);
}

/* ---- For people ---- */

/* A number with that many decimals, in that many columns. */
static void emit_coflows_cell(FILE *out, double value, int width, int decimals)
{
    int64_t unit = decimals == 3 ? 1000 : 10;
    if (isnan(value) || value > 1e12) {
        fprintf(out, "%*s", width, "-");
        return;
    }
    int64_t scaled = br_real_whole(value * (double)unit);
    int room = width > decimals + 1 ? width - decimals - 1 : 1;
    fprintf(out, "%*" PRId64 ".%0*" PRId64, room, scaled / unit, decimals, scaled % unit);
}

/* The coordinator's work under each policy, if there was one. */
static void coordinator_rows(const struct br_coflow_study *study, int name, FILE *out)
{
    bool titled = false;
    for (uint32_t k = 0; k < study->results; k++) {
        const struct br_coordinator_figures *c = &study->result[k].outcome->coordinator;
        double intervals = (double)c->intervals;
        if (!c->intervals)
            continue;
        if (!titled)
            fprintf(out, "\n%-*s  %10s %10s %10s\n", name, "intervals", "missed %", "rates %",
                    "agents");
        titled = true;
        fprintf(out, "%-*s ", name, study->result[k].policy);
        emit_coflows_cell(out, 100 * (double)c->missed / intervals, 11, 1);
        emit_coflows_cell(out, 100 * (double)c->rounds / intervals, 11, 1);
        emit_coflows_cell(out, (double)c->heard / intervals, 11, 1);
        putc('\n', out);
    }
}

enum br_status br_coflows_text(const struct br_coflow_study *study, FILE *out, struct br_diag *diag)
{
    (void)diag;
    int name = 6;
    for (uint32_t k = 0; k < study->results; k++) {
        int length = (int)strlen(study->result[k].policy);
        name = length > name ? length : name;
    }
    fprintf(out, "%-*s  %10s %10s %10s %10s %8s %6s\n", name, "policy", "mean CCT", "p50", "p90",
            "makespan", "over", "use %");
    for (uint32_t k = 0; k < study->results; k++) {
        const struct br_coflow_figures *f = &study->result[k].figures;
        fprintf(out, "%-*s ", name, study->result[k].policy);
        emit_coflows_cell(out, f->average_cct_s, 11, 3);
        emit_coflows_cell(out, f->p50_cct_s, 11, 3);
        emit_coflows_cell(out, f->p90_cct_s, 11, 3);
        emit_coflows_cell(out, f->makespan_s, 11, 3);
        emit_coflows_cell(out, f->average_cct_s / study->result[k].lower_bound_s, 9, 3);
        emit_coflows_cell(out, 100 * f->utilisation, 7, 1);
        putc('\n', out);
    }
    double bound = study->results ? study->result[0].lower_bound_s : NAN;
    coordinator_rows(study, name, out);
    fprintf(out, "\n%" PRIu32 " coflows, %" PRIu64 " flows, %" PRIu32 " ports; clock %s\n",
            study->trace->coflows, study->trace->flows, study->trace->ports, study->clock);
    if (!isnan(bound)) {
        fputs("no policy can have a mean CCT below ", out);
        emit_coflows_cell(out, bound, 1, 3);
        fputs(" s; \"over\" is the ratio to that\n", out);
    }
    return BR_OK;
}

/* ---- For programs ---- */

static void emit_coflows_quoted(FILE *out, const char *text)
{
    putc('"', out);
    br_write_text(out, BR_QUOTE_CSV, text);
    putc('"', out);
}

static void emit_coflows_number(FILE *out, double value)
{
    putc(',', out);
    br_write_figure(out, value, "");
}

enum br_status br_coflows_csv(const struct br_coflow_study *study, FILE *out, struct br_diag *diag)
{
    (void)diag;
    fputs("policy,coflow,arrival,start,end,cct,alone,width,senders,receivers,mb,estimated_mb,"
          "learned\n",
          out);
    for (uint32_t k = 0; k < study->results; k++) {
        const struct br_coflow_outcome *outcome = study->result[k].outcome;
        for (uint32_t c = 0; c < study->trace->coflows && !ferror(out); c++) {
            const struct br_coflow *coflow = &study->trace->coflow[c];
            emit_coflows_quoted(out, study->result[k].policy);
            fprintf(out, ",%" PRIu64, coflow->id);
            emit_coflows_number(out, (double)coflow->arrival_ms / 1000);
            emit_coflows_number(out, outcome->start_ms[c] / 1000);
            emit_coflows_number(out, outcome->end_ms[c] / 1000);
            emit_coflows_number(out, (outcome->end_ms[c] - outcome->start_ms[c]) / 1000);
            emit_coflows_number(out, br_coflow_bottleneck(study->trace, coflow) / study->port_rate /
                                         1000);
            fprintf(out, ",%" PRIu64 ",%" PRIu32 ",%" PRIu32, br_coflow_width(study->trace, coflow),
                    coflow->senders, coflow->receivers);
            emit_coflows_number(out, br_coflow_bytes(study->trace, coflow) / BR_COFLOW_MB);
            emit_coflows_number(out, outcome->guess[c].bytes / BR_COFLOW_MB);
            emit_coflows_number(out, outcome->guess[c].at_ms / 1000);
            putc('\n', out);
        }
    }
    return BR_OK;
}

/* Mean and standard deviation of the relative errors of estimates; NAN if there were none. */
static void errors(const struct br_coflow_study *study, const struct br_coflow_outcome *outcome,
                   double *mean, double *deviation)
{
    double sum = 0, squares = 0;
    uint32_t count = 0;
    for (uint32_t c = 0; c < study->trace->coflows; c++) {
        const struct br_coflow_guess *guess = &outcome->guess[c];
        if (isnan(guess->bytes) || guess->real <= 0)
            continue;
        double error = fabs(guess->bytes - guess->real) / guess->real;
        sum += error;
        squares += error * error;
        count++;
    }
    *mean = count ? sum / count : NAN;
    double variance = count ? squares / count - *mean * *mean : NAN;
    *deviation = variance > 0 ? sqrt(variance) : variance;
}

static void emit_coflows_write_result(FILE *out, const struct br_coflow_study *study, uint32_t k)
{
    const struct br_coflow_result *result = &study->result[k];
    const struct br_coflow_figures *f = &result->figures;
    double mean, deviation;
    errors(study, result->outcome, &mean, &deviation);
    br_write_text_key(out, k ? ",\n  {" : "\n  {", "policy", result->policy);
    fprintf(out, ", \"coflows\": %" PRIu32 ", \"finished\": %" PRIu32, study->trace->coflows,
            f->finished);
    br_write_figure_key(out, ", ", "average_cct", f->average_cct_s);
    br_write_figure_key(out, ", ", "p50_cct", f->p50_cct_s);
    br_write_figure_key(out, ", ", "p90_cct", f->p90_cct_s);
    br_write_figure_key(out, ", ", "p99_cct", f->p99_cct_s);
    br_write_figure_key(out, ",\n   ", "makespan", f->makespan_s);
    br_write_figure_key(out, ", ", "lower_bound", result->lower_bound_s);
    br_write_figure_key(out, ", ", "gap", f->average_cct_s / result->lower_bound_s - 1);
    br_write_figure_key(out, ", ", "slowdown", f->slowdown);
    br_write_figure_key(out, ", ", "utilisation", f->utilisation);
    br_write_figure_key(out, ",\n   ", "size_error", mean);
    br_write_figure_key(out, ", ", "size_error_deviation", deviation);
    fprintf(out, ", \"decisions\": %" PRIu64 ", \"events\": %" PRIu64, result->outcome->decisions,
            result->outcome->events);
    const struct br_coordinator_figures *c = &result->outcome->coordinator;
    if (c->intervals)
        fprintf(out,
                ",\n   \"coordinator\": {\"intervals\": %" PRIu64 ", \"rounds\": %" PRIu64
                ", \"missed\": %" PRIu64 ", \"heard\": %" PRIu64 "}",
                c->intervals, c->rounds, c->missed, c->heard);
    fprintf(out, ", \"cut\": %s", result->outcome->cut ? "true" : "false");
    br_write_figure_key(out, ", ", "seconds", study->times ? result->outcome->seconds : NAN);
    putc('}', out);
}

enum br_status br_coflows_json(const struct br_coflow_study *study, FILE *out, struct br_diag *diag)
{
    (void)diag;
    fputs("{\"format\": \"bigrocks-coflow/1\"", out);
    br_write_text_key(out, ",\n ", "clock", study->clock);
    fprintf(out,
            ",\n \"trace\": {\"ports\": %" PRIu32 ", \"coflows\": %" PRIu32 ", \"flows\": %" PRIu64,
            study->trace->ports, study->trace->coflows, study->trace->flows);
    fputs("},\n \"results\": [", out);
    for (uint32_t k = 0; k < study->results && !ferror(out); k++)
        emit_coflows_write_result(out, study, k);
    fputs("]}\n", out);
    return BR_OK;
}
