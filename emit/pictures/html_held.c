#include "emit/pictures/html_held.h"

#include <inttypes.h>

#include "emit/analysis/held.h"
#include "emit/write/write.h"
#include "planner/eligibility/features.h"

enum {
    LISTED = 200,        /* of those that hold the most */
    WINDOWS_MOST = 20000 /* more than anybody sees */
};

static void write_name(FILE *out, const char *before, const char *text)
{
    fprintf(out, "%s\"", before);
    br_write_text(out, BR_QUOTE_SCRIPT, text);
    putc('"', out);
}

/* [task by rank, output or null, amount for people] */
static void write_holder_row(FILE *out, const struct br_emit_input *input,
                             const struct br_held_row *row, const struct br_held_holder *holder)
{
    fprintf(out, "[%" PRIu32, input->plan->rank[holder->task] - 1);
    if (holder->output == BR_HELD_NONE)
        fputs(",null", out);
    else
        write_name(out, ",", input->dag->storage->output[holder->output].id);
    write_name(out, ",", br_held_text(input->dag, row, holder->amount).text);
    putc(']', out);
}

/* Amounts are numbers; [stage or -1, start, end, low, high] and [from, amount, amount for people].
 */
static void write_row(FILE *out, const struct br_emit_input *input, const struct br_held *held,
                      const struct br_held_row *row)
{
    write_name(out, "{\"resource\": ", input->dag->resource[row->resource].name);
    write_name(out, ", \"name\": ", br_held_name(input, row).text);
    fprintf(out, ", \"machine\": %" PRId64 ", \"of\": %" PRIu32 ", \"full\": ",
            row->machine == BR_HELD_NONE ? INT64_C(-1) : (int64_t)row->machine, row->of);
    br_held_write_number(out, row, row->full);
    fputs(", \"peak\": ", out);
    br_held_write_number(out, row, row->peak);
    write_name(out, ", \"said\": ", br_held_text(input->dag, row, row->peak).text);
    fputs(",\n   \"at\": ", out);
    br_write_seconds(out, row->peak_ns);
    fputs(", \"until\": ", out);
    br_write_seconds(out, row->peak_end_ns);
    fputs(", \"limit\": [", out);
    for (uint32_t k = 0; k < row->steps; k++) {
        const struct br_held_step *step = &held->steps.step[row->first_step + k];
        fputs(k ? ",[" : "[", out);
        br_write_seconds(out, step->at_ns);
        putc(',', out);
        br_held_write_number(out, row, step->amount);
        write_name(out, ",", br_held_text(input->dag, row, step->amount).text);
        putc(']', out);
    }
    fputs("],\n   \"pieces\": [", out);
    for (uint32_t k = 0; k < row->pieces && !ferror(out); k++) {
        const struct br_held_piece *piece = &held->piece[row->first_piece + k];
        fprintf(out, "%s[%" PRId64 ",", k ? "," : "",
                piece->stage == BR_HELD_NONE ? INT64_C(-1) : (int64_t)piece->stage);
        br_write_seconds(out, piece->start_ns);
        putc(',', out);
        br_write_seconds(out, piece->end_ns);
        putc(',', out);
        br_held_write_number(out, row, piece->low);
        putc(',', out);
        br_held_write_number(out, row, piece->high);
        write_name(out, ",", br_held_text(input->dag, row, piece->high - piece->low).text);
        putc(']', out);
    }
    fprintf(out, "],\n   \"holders\": %" PRIu32 ", \"holder\": [", row->holders);
    for (uint32_t k = 0; k < row->holders && k < LISTED; k++) {
        fputs(k ? "," : "", out);
        write_holder_row(out, input, row, &held->holder[row->first_holder + k]);
    }
    fputs("]}", out);
}

/* [first machine, machines, from, to or null]. */
static void write_windows(FILE *out, const struct br_calendar *calendar)
{
    fputs(",\n \"away\": [", out);
    for (uint32_t k = 0; calendar && k < calendar->unavailables && k < WINDOWS_MOST; k++) {
        const struct br_span_of_machines *span = &calendar->unavailable[k].span;
        fprintf(out, "%s[%" PRIu32 ",%" PRIu32 ",", k ? "," : "", span->first, span->count);
        br_write_seconds(out, span->from_ns);
        putc(',', out);
        if (span->to_ns == BR_FOREVER)
            fputs("null", out);
        else
            br_write_seconds(out, span->to_ns);
        putc(']', out);
    }
    putc(']', out);
}

/* [task by rank, release, deadline or null], of tasks that have one of them. */
static void write_task_times(FILE *out, const struct br_emit_input *input)
{
    const struct br_dag *dag = input->dag;
    const char *before = "";
    fputs(",\n \"times\": [", out);
    for (uint32_t k = 0; dag->times && k < input->plan->tasks; k++) {
        const uint32_t task = input->plan->order[k];
        const int64_t release_ns = br_dag_release(dag, task);
        const int64_t deadline_ns = br_dag_deadline(dag, task);
        if (release_ns <= 0 && deadline_ns == INT64_MAX)
            continue;
        fprintf(out, "%s[%" PRIu32 ",", before, k);
        br_write_seconds(out, release_ns);
        putc(',', out);
        if (deadline_ns == INT64_MAX)
            fputs("null", out);
        else
            br_write_seconds(out, deadline_ns);
        putc(']', out);
        before = ",";
    }
    putc(']', out);
}

enum br_status br_html_write_held(FILE *out, const struct br_emit_input *input,
                                  struct br_diag *diag)
{
    struct br_held held;
    if (!br_features(input->dag, input->cluster))
        return BR_OK;
    enum br_status status = br_held_init(&held, input, diag);
    if (status)
        return status;
    fputs(",\n \"held\": [", out);
    for (uint32_t r = 0; r < held.rows; r++) {
        fputs(r ? ",\n  " : "\n  ", out);
        write_row(out, input, &held, &held.row[r]);
    }
    putc(']', out);
    write_windows(out, input->cluster->calendar);
    write_task_times(out, input);
    br_held_finish(&held);
    return BR_OK;
}
