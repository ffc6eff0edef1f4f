/* The plan as trace events, for Perfetto and chrome://tracing: a process per machine, a thread per
 * lane, a slice per task, counters for the use of resources and for what is held over time, arrows
 * along the critical chain. Of a machine that is away a thread of its own says so. */
#include "base/numbers/wide.h"
#include "emit/analysis/analysis.h"
#include "emit/pictures/draw.h"
#include "emit/analysis/held.h"
#include "emit/write/outputs.h"
#include "emit/pictures/picture.h"

#include <inttypes.h>

#include "base/collections/memory.h"
#include "base/collections/sort.h"

enum { WINDOWS_MOST = 20000 /* slices that say that a machine is away */ };

/* Microseconds, exactly. */
static void write_us(FILE *out, int64_t ns)
{
    br_draw_fixed(out, ns, 1000, 3);
}

static void pictures_trace_write_task(FILE *out, const struct br_emit_input *input,
                                      const struct br_analysis *analysis, uint32_t task)
{
    const struct br_dag *dag = input->dag;
    const struct br_plan *plan = input->plan;
    const struct br_stage *stage = &dag->stage[br_dag_task_stage(dag, task)];
    fputs("{\"ph\": \"X\", \"name\": \"", out);
    br_write_task(out, BR_QUOTE_JSON, dag, task);
    fputs("\", \"cat\": \"", out);
    br_write_text(out, BR_QUOTE_JSON, stage->id);
    fprintf(out,
            "\", \"pid\": %" PRIu32 ", \"tid\": %" PRIu32 ", \"ts\": ", plan->machine[task] + 1,
            analysis->lane[task] + 1);
    write_us(out, plan->start_ns[task]);
    fputs(", \"dur\": ", out);
    write_us(out, plan->end_ns[task] - plan->start_ns[task]);
    fprintf(out, ", \"args\": {\"rank\": %" PRIu32 ", \"subset\": \"%c\", \"critical\": %s",
            plan->rank[task], plan->subset[task], analysis->on_chain[task] ? "true" : "false");
    if (stage->chosen) {
        fputs(", \"alternative\": \"", out);
        br_write_text(out, BR_QUOTE_JSON, stage->chosen);
        putc('"', out);
    }
    if (analysis->slack) {
        fputs(", \"slack\": ", out);
        br_write_seconds(out, analysis->slack[task].total_ns);
    }
    for (uint32_t d = 0; d < stage->demands; d++) {
        const struct br_demand *demand = &dag->demand[stage->first_demand + d];
        fputs(", \"demand ", out);
        br_write_text(out, BR_QUOTE_JSON, dag->resource[demand->resource].name);
        fputs("\": ", out);
        br_write_decimal(out, demand->amount);
    }
    if (br_dag_release(dag, task) > 0) {
        fputs(", \"release\": ", out);
        br_write_seconds(out, br_dag_release(dag, task));
    }
    if (br_dag_deadline(dag, task) != INT64_MAX) {
        fputs(", \"deadline\": ", out);
        br_write_seconds(out, br_dag_deadline(dag, task));
    }
    fputs("}}", out);
}

static void write_names(FILE *out, const struct br_emit_input *input,
                        const struct br_analysis *analysis)
{
    for (uint32_t m = 0; m < input->cluster->machines; m++) {
        if (analysis->lanes[m] == 0)
            continue;
        fprintf(out,
                ",\n{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": %" PRIu32
                ", \"args\": {\"name\": \"",
                m + 1);
        br_write_machine(out, BR_QUOTE_JSON, input->cluster, m);
        fprintf(out,
                "\"}},\n{\"ph\": \"M\", \"name\": \"process_sort_index\", \"pid\": %" PRIu32
                ", \"args\": {\"sort_index\": %" PRIu32 "}}",
                m + 1, m + 1);
    }
    fputs(",\n{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 0, \"args\": {\"name\": "
          "\"cluster\"}}",
          out);
}

static void write_counters(FILE *out, const struct br_analysis *analysis)
{
    const struct br_use_curves *uses = &analysis->uses;
    for (uint32_t r = 0; r < uses->count; r++)
        for (uint32_t c = 0; c <= uses->pieces; c++) {
            double milli = c < uses->pieces ? uses->use[r].milli[c] : 0;
            fputs(",\n{\"ph\": \"C\", \"name\": \"", out);
            br_write_text(out, BR_QUOTE_JSON, uses->use[r].name);
            fputs(" in use, %\", \"pid\": 0, \"ts\": ", out);
            write_us(out, uses->from_ns[c]);
            fputs(", \"args\": {\"%\": ", out);
            br_draw_fixed(out, (int64_t)(milli + 0.5), 10, 1);
            fputs("}}", out);
        }
}

/* ---- Jobs with storage, shared resources or times ---- */

static void begin_counter(FILE *out, const struct br_emit_input *input,
                          const struct br_held_row *row, const char *what, int64_t ns)
{
    fputs(",\n{\"ph\": \"C\", \"name\": \"", out);
    br_write_text(out, BR_QUOTE_JSON, br_held_name(input, row).text);
    fprintf(out, ": %s\", \"pid\": 0, \"ts\": ", what);
    write_us(out, ns);
    fprintf(out, ", \"args\": {\"%s\": ", what);
}

/* A change of what is held. */
struct held_at {
    int64_t ns;
    br_wide change;
};

static int by_held_at(const void *a, const void *b)
{
    const struct held_at *x = a, *y = b;
    return x->ns < y->ns ? -1 : x->ns > y->ns;
}

/* Counters of what is held, and of what there is. */
static bool write_held_row(FILE *out, const struct br_emit_input *input, const struct br_held *held,
                           const struct br_held_row *row)
{
    struct held_at *at = br_malloc((2 * (size_t)row->pieces + 1) * sizeof *at);
    br_wide now = 0;
    if (!at)
        return false;
    for (uint32_t k = 0; k < row->pieces; k++) {
        const struct br_held_piece *piece = &held->piece[row->first_piece + k];
        at[2 * k] = (struct held_at){piece->start_ns, piece->high - piece->low};
        at[2 * k + 1] = (struct held_at){piece->end_ns, piece->low - piece->high};
    }
    br_sort_by(at, 2 * (size_t)row->pieces, sizeof *at, by_held_at);
    for (uint32_t k = 0; k < 2 * row->pieces; k++) {
        now += at[k].change;
        if (k + 1 < 2 * row->pieces && at[k + 1].ns == at[k].ns)
            continue;
        begin_counter(out, input, row, "held", at[k].ns);
        br_held_write_number(out, row, now);
        fputs("}}", out);
    }
    br_free(at);
    for (uint32_t k = 0; k < row->steps; k++) {
        begin_counter(out, input, row, "there is", held->steps.step[row->first_step + k].at_ns);
        br_held_write_number(out, row, held->steps.step[row->first_step + k].amount);
        fputs("}}", out);
    }
    return true;
}

/* Windows are cut at the end of the plan. */
static void write_windows(FILE *out, const struct br_emit_input *input,
                          const struct br_analysis *analysis)
{
    const struct br_calendar *calendar = input->cluster->calendar;
    uint32_t written = 0;
    for (uint32_t k = 0; calendar && k < calendar->unavailables; k++) {
        const struct br_span_of_machines *span = &calendar->unavailable[k].span;
        const int64_t to_ns = span->to_ns < analysis->span_ns ? span->to_ns : analysis->span_ns;
        for (uint32_t m = span->first;
             m < span->first + span->count && span->from_ns < to_ns && written < WINDOWS_MOST;
             m++) {
            if (analysis->lanes[m] == 0)
                continue;
            written++;
            fprintf(out,
                    ",\n{\"ph\": \"X\", \"name\": \"away\", \"cat\": \"window\", \"pid\": %" PRIu32
                    ", \"tid\": %" PRIu32 ", \"ts\": ",
                    m + 1, analysis->lanes[m] + 1);
            write_us(out, span->from_ns);
            fputs(", \"dur\": ", out);
            write_us(out, to_ns - span->from_ns);
            putc('}', out);
        }
    }
}

static enum br_status write_held(FILE *out, const struct br_emit_input *input, struct br_diag *diag)
{
    struct br_held held;
    enum br_status status = br_held_init(&held, input, diag);
    for (uint32_t r = 0; r < held.rows && !status; r++)
        if (!write_held_row(out, input, &held, &held.row[r]))
            status = br_fail_memory(diag);
    br_held_finish(&held);
    return status;
}

/* From the end of each task of the chain to the start of the next one. */
static void pictures_trace_write_chain(FILE *out, const struct br_emit_input *input,
                                       const struct br_analysis *analysis)
{
    const struct br_plan *plan = input->plan;
    for (uint32_t k = 1; k < analysis->chain_tasks; k++)
        for (int end = 0; end < 2; end++) {
            uint32_t task = analysis->chain[k - 1 + (uint32_t)end];
            fprintf(out,
                    ",\n{\"ph\": \"%s\", \"name\": \"critical chain\", \"cat\": \"chain\", "
                    "\"id\": %" PRIu32 ", \"pid\": %" PRIu32 ", \"tid\": %" PRIu32 ", \"ts\": ",
                    end ? "f\", \"bp\": \"e" : "s", k, plan->machine[task] + 1,
                    analysis->lane[task] + 1);
            write_us(out, plan->start_ns[task]);
            putc('}', out);
        }
}

enum br_status br_emit_trace(const struct br_emit_input *input, FILE *out, struct br_diag *diag)
{
    const struct br_plan *plan = input->plan;
    struct br_analysis analysis;
    enum br_status status = br_analysis_init(&analysis, input, diag);
    if (status)
        return status;
    fputs("{\"displayTimeUnit\": \"ms\", \"otherData\": {\"plan\": \"", out);
    br_write_headline(out, BR_QUOTE_JSON, input);
    fputs("\"},\n\"traceEvents\": [\n", out);
    for (uint32_t k = 0; k < plan->tasks && !ferror(out); k++) {
        fputs(k ? ",\n" : "", out);
        pictures_trace_write_task(out, input, &analysis, plan->order[k]);
    }
    write_names(out, input, &analysis);
    write_counters(out, &analysis);
    status = write_held(out, input, diag);
    write_windows(out, input, &analysis);
    pictures_trace_write_chain(out, input, &analysis);
    if (plan->lower_bound_ns > 0) {
        fputs(",\n{\"ph\": \"i\", \"name\": \"lower bound\", \"s\": \"g\", \"pid\": 0, \"tid\": 0, "
              "\"ts\": ",
              out);
        write_us(out, plan->lower_bound_ns);
        putc('}', out);
    }
    fputs("\n]}\n", out);
    br_analysis_finish(&analysis);
    return status;
}
