/* A report for a browser: emit/pictures/report.html with the plan, or two plans, in it as JSON. One
 * file, which fetches nothing. */
#include "emit/analysis/analysis.h"
#include "emit/pictures/draw.h"
#include "emit/write/outputs.h"
#include "emit/pictures/html_held.h"
#include "emit/pictures/picture.h"
#include "planner/eligibility/features.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "report_held_html.h"
#include "report_html.h"

static const char place[] = "@DATA@";

static void html_write_string(FILE *out, const char *text)
{
    putc('"', out);
    br_write_text(out, BR_QUOTE_SCRIPT, text);
    putc('"', out);
}

static void html_write_stages(FILE *out, const struct br_dag *dag, const char *const *words)
{
    fputs(",\n \"stages\": [", out);
    for (uint32_t s = 0; s < dag->stages; s++) {
        const struct br_stage *stage = &dag->stage[s];
        fputs(s ? ",\n  {\"id\": " : "{\"id\": ", out);
        html_write_string(out, stage->id);
        fprintf(out, ", \"tasks\": %" PRIu32 ", \"demands\": {", stage->tasks);
        for (uint32_t d = 0; d < stage->demands; d++) {
            const struct br_demand *demand = &dag->demand[stage->first_demand + d];
            fputs(d ? ", " : "", out);
            html_write_string(out, dag->resource[demand->resource].name);
            fputs(": ", out);
            br_write_decimal(out, demand->amount);
        }
        putc('}', out);
        if (words[s] || stage->chosen) {
            fputs(", \"does\": \"", out);
            br_write_text(out, BR_QUOTE_SCRIPT, words[s] ? words[s] : "");
            fputs(words[s] && stage->chosen ? ", " : "", out);
            if (stage->chosen) {
                fputs("by the alternative ", out);
                br_write_text(out, BR_QUOTE_SCRIPT, stage->chosen);
            }
            putc('"', out);
        }
        putc('}', out);
    }
    putc(']', out);
}

static void write_units(FILE *out, const struct br_dag *dag)
{
    bool any = false;
    fputs(",\n \"units\": {", out);
    for (uint32_t r = 0; r < dag->resources; r++) {
        if (!dag->resource[r].unit)
            continue;
        fputs(any ? ", " : "", out);
        html_write_string(out, dag->resource[r].name);
        fputs(": ", out);
        html_write_string(out, dag->resource[r].unit);
        any = true;
    }
    putc('}', out);
}

static void html_write_machines(FILE *out, const struct br_cluster *cluster,
                                const struct br_analysis *analysis)
{
    fputs(",\n \"machines\": [", out);
    for (uint32_t m = 0; m < cluster->machines; m++) {
        fputs(m ? ", \"" : "\"", out);
        br_write_machine(out, BR_QUOTE_SCRIPT, cluster, m);
        putc('"', out);
    }
    fputs("],\n \"lanes\": [", out);
    for (uint32_t m = 0; m < cluster->machines; m++)
        fprintf(out, "%s%" PRIu32, m ? ", " : "", analysis->lanes[m]);
    putc(']', out);
}

/* By rank; see the names of the places in report.html. */
static void html_write_tasks(FILE *out, const struct br_emit_input *input,
                             const struct br_analysis *analysis)
{
    const struct br_plan *plan = input->plan;
    fputs(",\n \"tasks\": [\n", out);
    for (uint32_t k = 0; k < plan->tasks && !ferror(out); k++) {
        uint32_t task = plan->order[k], stage = br_dag_task_stage(input->dag, task);
        fprintf(out, "%s[%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",", k ? ",\n" : "", stage,
                task - input->dag->stage[stage].first_task, plan->machine[task],
                analysis->lane[task]);
        br_write_seconds(out, plan->start_ns[task]);
        putc(',', out);
        br_write_seconds(out, plan->end_ns[task]);
        fprintf(out, ",\"%c\",%" PRIu32 ",%d",
                br_subset_style[br_subset_index(plan->subset[task])].letter, k + 1,
                analysis->on_chain[task]);
        if (analysis->slack) {
            putc(',', out);
            br_write_seconds(out, analysis->slack[task].total_ns);
            putc(',', out);
            br_write_seconds(out, analysis->slack[task].free_ns);
        }
        putc(']', out);
    }
    fputs("],\n \"chain\": [", out);
    for (uint32_t k = 0; k < analysis->chain_tasks; k++)
        fprintf(out, "%s[%" PRIu32 ",%d]", k ? "," : "", plan->rank[analysis->chain[k]] - 1,
                (int)analysis->waited[k]);
    putc(']', out);
}

/* See the names of the places in report.html; `inputs` is by rank. */
static void html_write_transfers(FILE *out, const struct br_emit_input *input,
                                 const struct br_analysis *analysis)
{
    const struct br_transfers *all = &input->plan->carried;
    fputs(",\n \"ports\": [", out);
    for (uint32_t m = 0; m < input->cluster->machines; m++) {
        const struct br_class *cls =
            &input->cluster->cls[br_cluster_machine_class(input->cluster, m)];
        fprintf(out, "%s[%" PRId64 ",%" PRId64 "]", m ? "," : "", cls->up, cls->down);
    }
    fputs("],\n \"inputs\": [", out);
    for (uint32_t k = 0; k < input->plan->tasks; k++) {
        uint32_t task = input->plan->order[k], last = analysis->inputs.last[task];
        fprintf(out, "%s[%" PRIu32 ",%" PRId64 "]", k ? "," : "", analysis->inputs.count[task],
                last == BR_INPUTS_NONE ? INT64_C(-1) : (int64_t)last);
    }
    fputs("],\n \"transfers\": [", out);
    for (uint32_t k = 0; k < all->transfers && !ferror(out); k++) {
        const struct br_transfer *x = &all->transfer[k];
        fprintf(out,
                "%s\n  [%" PRIu32 ",%" PRIu32 ",%" PRId64 ",%" PRIu32 ",%" PRIu32 ",%" PRId64 ",[",
                k ? "," : "", x->parent, x->child,
                x->index == BR_TRANSFER_ALL ? INT64_C(-1) : (int64_t)x->index, x->from, x->to,
                x->bytes);
        for (uint32_t i = x->first_piece; i < x->first_piece + x->pieces; i++) {
            fputs(i > x->first_piece ? ",[" : "[", out);
            br_write_seconds(out, all->piece[i].start_ns);
            putc(',', out);
            br_write_seconds(out, all->piece[i].end_ns);
            fprintf(out, ",%" PRId64 "]", all->piece[i].rate);
        }
        fputs("]]", out);
    }
    putc(']', out);
}

static void html_write_use(FILE *out, const struct br_analysis *analysis)
{
    const struct br_use_curves *uses = &analysis->uses;
    fputs(",\n \"useFrom\": [", out);
    for (uint32_t c = 0; c <= uses->pieces; c++) {
        fputs(c ? "," : "", out);
        br_write_seconds(out, uses->from_ns[c]);
    }
    fputs("],\n \"use\": [", out);
    for (uint32_t r = 0; r < uses->count; r++) {
        const struct br_use *use = &uses->use[r];
        fputs(r ? ",\n  {\"name\": " : "{\"name\": ", out);
        html_write_string(out, use->name);
        fputs(", \"work\": ", out);
        br_write_seconds(out, use->work_ns);
        fputs(", \"milli\": [", out);
        for (uint32_t c = 0; c < uses->pieces; c++)
            fprintf(out, "%s%" PRId64, c ? "," : "", (int64_t)(use->milli[c] + 0.5));
        fputs("]}", out);
    }
    putc(']', out);
}

static enum br_status html_write_plan(FILE *out, const struct br_emit_input *input,
                                      struct br_diag *diag)
{
    const struct br_plan *plan = input->plan;
    struct br_analysis analysis;
    enum br_status status = br_analysis_init(&analysis, input, diag);
    if (status)
        return status;
    fputs("{\"job\": ", out);
    html_write_string(out, *input->dag->name ? input->dag->name : "job");
    fputs(", \"headline\": \"", out);
    br_write_headline(out, BR_QUOTE_SCRIPT, input);
    fputs("\", \"method\": ", out);
    html_write_string(out, plan->method);
    fputs(",\n \"makespan\": ", out);
    br_write_seconds(out, plan->makespan_ns);
    fputs(", \"bound\": ", out);
    br_write_seconds(out, plan->lower_bound_ns);
    fputs(", \"boundMethod\": ", out);
    html_write_string(out, *plan->bound_method ? plan->bound_method : "none");
    fputs(", \"criticalPath\": ", out);
    br_write_seconds(out, analysis.critical_path_ns);
    fputs(",\n \"trials\": [", out);
    for (uint32_t k = 0; k < plan->trials; k++) {
        fputs(k ? ", {\"method\": " : "{\"method\": ", out);
        html_write_string(out, plan->trial[k].method);
        fputs(", \"makespan\": ", out);
        br_write_seconds(out, plan->trial[k].makespan_ns);
        putc('}', out);
    }
    putc(']', out);
    write_units(out, input->dag);
    html_write_stages(out, input->dag, analysis.words);
    html_write_machines(out, input->cluster, &analysis);
    html_write_use(out, &analysis);
    html_write_tasks(out, input, &analysis);
    if (plan->network)
        html_write_transfers(out, input, &analysis);
    status = br_html_write_held(out, input, diag);
    putc('}', out);
    br_analysis_finish(&analysis);
    return status;
}

enum br_status br_emit_html(const struct br_emit_input *input, FILE *out, struct br_diag *diag)
{
    const char *data = strstr(report_html, place);
    assert(data);
    fwrite(report_html, 1, (size_t)(data - report_html), out);
    fprintf(out, "\n{\"colour\": \"%s\", \"palette\": [",
            br_draw_is_by_stage(input) ? "stage" : "subset");
    for (uint32_t k = 0; k < BR_PALETTE; k++)
        fprintf(out, "%s\"%s\"", k ? ", " : "", br_draw_palette(k));
    fputs("], \"plans\": [\n", out);
    enum br_status status = html_write_plan(out, input, diag);
    if (!status && input->other) {
        fputs(",\n", out);
        status = html_write_plan(out, input->other, diag);
    }
    fputs("\n]}\n", out);
    data += strlen(place);
    const char *rest = strstr(data, "</body>");
    assert(rest);
    fwrite(data, 1, (size_t)(rest - data), out);
    if (br_features(input->dag, input->cluster) ||
        (input->other && br_features(input->other->dag, input->other->cluster)))
        fputs(report_held_html, out);
    fputs(rest, out);
    return status;
}
