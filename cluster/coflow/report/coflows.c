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

/* A coflow under a policy. */
struct coflow_row {
    const struct br_coflow_study *study;
    const char *policy;
    const struct br_coflow *coflow;
    const struct br_coflow_guess *guess;
    double start_ms, end_ms;
};
#define COFLOW_FIGURES(FIGURE, LINE)                                                               \
    FIGURE(policy, row->policy)                                                                    \
    FIGURE(coflow, row->coflow->id)                                                                \
    FIGURE(arrival, (double)row->coflow->arrival_ms / 1000)                                        \
    FIGURE(start, row->start_ms / 1000)                                                            \
    FIGURE(end, row->end_ms / 1000)                                                                \
    FIGURE(cct, (row->end_ms - row->start_ms) / 1000)                                              \
    FIGURE(alone,                                                                                  \
           br_coflow_bottleneck(row->study->trace, row->coflow) / row->study->port_rate / 1000)    \
    FIGURE(width, br_coflow_width(row->study->trace, row->coflow))                                 \
    FIGURE(senders, row->coflow->senders)                                                          \
    FIGURE(receivers, row->coflow->receivers)                                                      \
    FIGURE(mb, br_coflow_bytes(row->study->trace, row->coflow) / BR_COFLOW_MB)                     \
    FIGURE(estimated_mb, row->guess->bytes / BR_COFLOW_MB)                                         \
    FIGURE(learned, row->guess->at_ms / 1000)                                                      \
    FIGURE(learned_mb, row->guess->sent / BR_COFLOW_MB)
BR_FIGURES(coflow_figures, struct coflow_row, COFLOW_FIGURES);

enum br_status br_coflows_csv(const struct br_coflow_study *study, FILE *out, struct br_diag *diag)
{
    (void)diag;
    br_write_figures_head(out, "", &coflow_figures, "\n");
    for (uint32_t k = 0; k < study->results; k++) {
        const struct br_coflow_outcome *outcome = study->result[k].outcome;
        for (uint32_t c = 0; c < study->trace->coflows && !ferror(out); c++) {
            struct coflow_row row = {study,
                                     study->result[k].policy,
                                     &study->trace->coflow[c],
                                     &outcome->guess[c],
                                     outcome->start_ms[c],
                                     outcome->end_ms[c]};
            br_write_figures_row(out, "", &coflow_figures, &row, "\n");
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

/* A policy. */
struct coflow_result_row {
    const struct br_coflow_study *study;
    const struct br_coflow_result *of;
    const struct br_coflow_figures *f;
    const struct br_coflow_outcome *outcome;
    double error, error_deviation; /* of estimates */
};
#define COFLOW_RESULT_FIGURES(FIGURE, LINE)                                                        \
    FIGURE(policy, row->of->policy)                                                                \
    FIGURE(coflows, row->study->trace->coflows)                                                    \
    FIGURE(finished, row->f->finished)                                                             \
    FIGURE(average_cct, row->f->average_cct_s)                                                     \
    FIGURE(p50_cct, row->f->p50_cct_s)                                                             \
    FIGURE(p90_cct, row->f->p90_cct_s)                                                             \
    FIGURE(p99_cct, row->f->p99_cct_s)                                                             \
    LINE(makespan, row->f->makespan_s)                                                             \
    FIGURE(lower_bound, row->of->lower_bound_s)                                                    \
    FIGURE(gap, row->f->average_cct_s / row->of->lower_bound_s - 1)                                \
    FIGURE(slowdown, row->f->slowdown)                                                             \
    FIGURE(utilisation, row->f->utilisation)                                                       \
    LINE(size_error, row->error)                                                                   \
    FIGURE(size_error_deviation, row->error_deviation)                                             \
    FIGURE(decisions, row->outcome->decisions)                                                     \
    FIGURE(events, row->outcome->events)
BR_FIGURES(coflow_result_figures, struct coflow_result_row, COFLOW_RESULT_FIGURES);
#define COFLOW_COORDINATOR_FIGURES(FIGURE, LINE)                                                   \
    FIGURE(intervals, row->intervals)                                                              \
    FIGURE(rounds, row->rounds)                                                                    \
    FIGURE(missed, row->missed)                                                                    \
    FIGURE(heard, row->heard)
BR_FIGURES(coflow_coordinator_figures, struct br_coordinator_figures, COFLOW_COORDINATOR_FIGURES);
#define COFLOW_RESULT_END(FIGURE, LINE)                                                            \
    FIGURE(cut, row->outcome->cut)                                                                 \
    FIGURE(seconds, row->study->times ? row->outcome->seconds : NAN)
BR_FIGURES(coflow_result_end, struct coflow_result_row, COFLOW_RESULT_END);

static void emit_coflows_write_result(FILE *out, const struct br_coflow_study *study, uint32_t k)
{
    const struct br_coflow_result *of = &study->result[k];
    struct coflow_result_row row = {
        .study = study, .of = of, .f = &of->figures, .outcome = of->outcome};
    errors(study, of->outcome, &row.error, &row.error_deviation);
    br_write_figures_keys(out, k ? ",\n  {" : "\n  {", &coflow_result_figures, &row, "");
    if (of->outcome->coordinator.intervals) {
        br_write_figures_keys(out, ",\n   \"coordinator\": {", &coflow_coordinator_figures,
                              &of->outcome->coordinator, "}");
    }
    br_write_figures_keys(out, ", ", &coflow_result_end, &row, "}");
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
