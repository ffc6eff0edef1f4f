/* A plan in Mermaid's language, which GitHub, GitLab and others draw within Markdown: as a Gantt
 * chart, and as a flowchart of its stages.
 *
 * GitHub draws no text of more than 50,000 characters and no flowchart of more than 500 arrows
 * (maxTextSize and maxEdges of Mermaid's configuration, which a page cannot change). So a chart
 * that would be longer shows stages instead of tasks, and in the end the longest of them; a
 * flowchart is folded by depth. */
#include "emit/analysis/analysis.h"
#include "emit/diagrams/folded.h"
#include "emit/write/figures.h"
#include "emit/write/outputs.h"
#include "emit/write/write.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

enum {
    TEXT_MOST = 50000,
    ARROWS_MOST = 500,
    ROWS_MOST = 150,  /* of a chart that can be read */
    FOLDED_MOST = 30, /* boxes, so at most 435 arrows */
    NAME_MOST = 60,
};
#define SECOND_NS INT64_C(1000000000)
#define DAY_NS (86400 * SECOND_NS)

/* Has a line of a chart that begins so another meaning than a task? */
static bool begins_statement(const char *text)
{
    static const char *const words[] = {
        "gantt",    "dateformat", "inclusiveenddates", "topaxis", "axisformat", "tickinterval",
        "includes", "excludes",   "todaymarker",       "weekday", "weekend",    "title",
        "acctitle", "accdescr",   "section",           "click",   "href",       "call"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strncasecmp(text, words[k], strlen(words[k])) == 0)
            return true;
    return *text >= '0' && *text <= '9'; /* perhaps a date */
}

/* "map[3]", as the beginning of a line. */
static void write_bar_name(FILE *out, const struct br_emit_input *input, uint32_t task)
{
    const struct br_stage *stage = &input->dag->stage[br_dag_task_stage(input->dag, task)];
    const char *id = stage->id;
    if (begins_statement(id))
        fprintf(out, "#%u;", (unsigned)*id++);
    br_write_cut(out, BR_QUOTE_MERMAID, id, NAME_MOST);
    char suffix[BR_SUFFIX];
    br_write_suffix(stage, task, 1, suffix);
    br_write_text(out, BR_QUOTE_MERMAID, suffix);
}

/* "map x 100". */
static void write_stage_name(FILE *out, const struct br_emit_input *input, uint32_t stage)
{
    const char *id = input->dag->stage[stage].id;
    if (begins_statement(id))
        fprintf(out, "#%u;", (unsigned)*id++);
    br_write_cut(out, BR_QUOTE_MERMAID, id, NAME_MOST);
    char suffix[BR_SUFFIX];
    const struct br_stage *of = &input->dag->stage[stage];
    br_write_suffix(of, of->first_task, of->tasks, suffix);
    br_write_text(out, BR_QUOTE_MERMAID, suffix);
}

static void mermaid_write_title(FILE *out, const struct br_emit_input *input)
{
    const struct br_plan *plan = input->plan;
    br_write_cut(out, BR_QUOTE_MERMAID, input->dag->name, NAME_MOST);
    fputs(", ", out);
    br_write_about(out, plan->makespan_ns);
    fputs(" s", out);
    if (plan->lower_bound_ns > 0) {
        fputs(", at least ", out);
        br_write_about(out, plan->lower_bound_ns);
        fputs(" s", out);
    }
}

/* ": crit, 2000-01-01 00:00:12.500, 3000ms". Viewers count in milliseconds. */
static void write_span(FILE *out, bool on_chain, int64_t start_ns, int64_t end_ns)
{
    const int64_t from = start_ns > 0 ? start_ns / 1000000 : 0;
    const int64_t to = end_ns > 0 ? end_ns / 1000000 : 0;
    const time_t second = (time_t)(946684800 + from / 1000); /* from the year 2000 on */
    struct tm date;
    char text[32] = "";
    if (!gmtime_r(&second, &date) || !strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &date))
        text[0] = 0;
    fprintf(out, " :%s%s%s.%03d, %" PRId64 "ms\n", on_chain ? "crit, " : "",
            to > from ? "" : "milestone, ", text, (int)(from % 1000), to > from ? to - from : 0);
}

static void write_gantt_head(FILE *out, const struct br_emit_input *input)
{
    const int64_t span = input->plan->makespan_ns;
    fputs("gantt\n    title ", out);
    mermaid_write_title(out, input);
    fprintf(out,
            "\n    dateFormat YYYY-MM-DD HH:mm:ss.SSS\n    axisFormat %s\n    todayMarker off\n",
            span <= 10 * SECOND_NS     ? "%S.%L"
            : span <= 3600 * SECOND_NS ? "%M:%S"
            : span <= DAY_NS           ? "%H:%M:%S"
                                       : "%j %H:%M");
}

/* A bar for every task, in a section for every machine. */
static void write_gantt_tasks(FILE *out, const struct br_emit_input *input, const bool *on_chain)
{
    const struct br_plan *plan = input->plan;
    for (uint32_t m = 0; m < input->cluster->machines; m++) {
        bool used = false;
        for (uint32_t k = 0; k < plan->tasks; k++) {
            const uint32_t t = plan->order[k];
            if (plan->machine[t] != m)
                continue;
            if (!used) {
                fputs("    section ", out);
                br_write_machine(out, BR_QUOTE_MERMAID, input->cluster, m);
                putc('\n', out);
            }
            used = true;
            fputs("    ", out);
            write_bar_name(out, input, t);
            write_span(out, on_chain[t], plan->start_ns[t], plan->end_ns[t]);
        }
    }
}

/* A stage in the plan. */
struct stage_span {
    uint32_t stage;
    bool on_chain;
    int64_t start_ns, end_ns;
};

static struct stage_span span_of(const struct br_emit_input *input, const bool *on_chain,
                                 uint32_t s)
{
    const struct br_stage *stage = &input->dag->stage[s];
    struct stage_span span = {s, false, INT64_MAX, 0};
    for (uint32_t t = stage->first_task; t < stage->first_task + stage->tasks; t++) {
        const int64_t start = input->plan->start_ns[t], end = input->plan->end_ns[t];
        span.start_ns = start < span.start_ns ? start : span.start_ns;
        span.end_ns = end > span.end_ns ? end : span.end_ns;
        span.on_chain |= on_chain[t];
    }
    return span;
}

static int64_t span_length(const struct stage_span *span)
{
    int64_t length;
    return __builtin_sub_overflow(span->end_ns, span->start_ns, &length) ? INT64_MAX : length;
}

static int longest_first(const void *a, const void *b)
{
    const struct stage_span *x = a, *y = b;
    const int64_t left = span_length(x), right = span_length(y);
    if (left != right)
        return left > right ? -1 : 1;
    return x->stage < y->stage ? -1 : x->stage > y->stage;
}

static int earliest_first(const void *a, const void *b)
{
    const struct stage_span *x = a, *y = b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return x->stage < y->stage ? -1 : x->stage > y->stage;
}

/* A bar for every stage, or for the longest of them. */
static enum br_status write_gantt_stages(FILE *out, const struct br_emit_input *input,
                                         const bool *on_chain, struct br_diag *diag)
{
    const uint32_t stages = input->dag->stages;
    const uint32_t rows = stages < ROWS_MOST ? stages : ROWS_MOST;
    struct stage_span *span = malloc(((size_t)stages + 1) * sizeof *span);
    if (!span)
        return br_fail_memory(diag);
    for (uint32_t s = 0; s < stages; s++)
        span[s] = span_of(input, on_chain, s);
    if (rows < stages)
        qsort(span, stages, sizeof *span, longest_first);
    qsort(span, rows, sizeof *span, earliest_first);
    if (rows < stages)
        fprintf(out, "    section The %" PRIu32 " longest of %" PRIu32 " stages\n", rows, stages);
    else
        fputs("    section Stages\n", out);
    for (uint32_t k = 0; k < rows; k++) {
        fputs("    ", out);
        write_stage_name(out, input, span[k].stage);
        write_span(out, span[k].on_chain, span[k].start_ns, span[k].end_ns);
    }
    free(span);
    return BR_OK;
}

/* Writes the memory to `out` if it is within the limit. */
static bool hand_on(FILE *memory, char **text, size_t *size, FILE *out)
{
    const bool whole = fclose(memory) == 0 && *size <= TEXT_MOST;
    if (whole)
        fwrite(*text, 1, *size, out);
    free(*text);
    *text = NULL;
    return whole;
}

enum br_status br_emit_mermaid(const struct br_emit_input *input, FILE *out, struct br_diag *diag)
{
    struct br_analysis analysis;
    char *text = NULL;
    size_t size = 0;
    enum br_status status = br_analysis_init(&analysis, input, diag);
    bool done = false;
    if (!status && input->plan->tasks <= ROWS_MOST) {
        FILE *memory = open_memstream(&text, &size);
        if (memory) {
            write_gantt_head(memory, input);
            write_gantt_tasks(memory, input, analysis.on_chain);
            done = hand_on(memory, &text, &size, out);
        } else {
            status = br_fail_memory(diag);
        }
    }
    if (!status && !done) {
        write_gantt_head(out, input);
        status = write_gantt_stages(out, input, analysis.on_chain, diag);
    }
    br_analysis_finish(&analysis);
    return status;
}

static void write_times(FILE *out, int64_t start_ns, int64_t end_ns)
{
    fputs("<br/>", out);
    br_write_about(out, start_ns);
    fputs(" \xe2\x80\x93 ", out);
    br_write_about(out, end_ns);
    fputs(" s\"]\n", out);
}

static void write_flow(FILE *out, const struct br_emit_input *input, const bool *on_chain)
{
    const struct br_dag *dag = input->dag;
    const char *before = "    class s";
    for (uint32_t s = 0; s < dag->stages; s++) {
        const struct stage_span span = span_of(input, on_chain, s);
        fprintf(out, "    s%" PRIu32 "[\"", s);
        write_stage_name(out, input, s);
        write_times(out, span.start_ns, span.end_ns);
    }
    for (uint32_t e = 0; e < dag->edges; e++)
        fprintf(out, "    s%" PRIu32 " %s s%" PRIu32 "\n", dag->edge[e].parent,
                dag->edge[e].type == BR_BARRIER ? "-->" : "-.->", dag->edge[e].child);
    for (uint32_t s = 0; s < dag->stages; s++) {
        if (!span_of(input, on_chain, s).on_chain)
            continue;
        fprintf(out, "%s%" PRIu32, before, s);
        before = ",s";
    }
    if (*before == ',')
        fputs(" chain\n    classDef chain stroke:#d62728,stroke-width:3px\n", out);
}

static enum br_status write_folded_flow(FILE *out, const struct br_emit_input *input,
                                        struct br_diag *diag)
{
    struct br_folded folded;
    enum br_status status = br_folded_init(&folded, input, FOLDED_MOST, diag);
    for (uint32_t b = 0; !status && b < folded.boxes; b++) {
        const struct br_folded_box *box = &folded.box[b];
        if (!box->stages)
            continue;
        fprintf(out, "    s%" PRIu32 "[\"%" PRIu32 " stages, %" PRIu32 " tasks<br/>", b,
                box->stages, box->tasks);
        write_stage_name(out, input, box->example);
        fputs(box->stages > 1 ? ", ..." : "", out);
        write_times(out, box->start_ns, box->end_ns);
    }
    for (uint32_t a = 0; !status && a < folded.boxes; a++)
        for (uint32_t b = a + 1; b < folded.boxes; b++) {
            const uint32_t edges = folded.edges[(size_t)a * folded.boxes + b];
            if (edges)
                fprintf(out, "    s%" PRIu32 " -->|%" PRIu32 "| s%" PRIu32 "\n", a, edges, b);
        }
    br_folded_finish(&folded);
    return status;
}

static void write_flow_head(FILE *out, const struct br_emit_input *input)
{
    fputs("flowchart TB\n    %% ", out);
    mermaid_write_title(out, input);
    putc('\n', out);
}

enum br_status br_emit_mermaid_flowchart(const struct br_emit_input *input, FILE *out,
                                         struct br_diag *diag)
{
    struct br_analysis analysis;
    char *text = NULL;
    size_t size = 0;
    enum br_status status = br_analysis_init(&analysis, input, diag);
    bool done = false;
    if (!status && input->dag->edges <= ARROWS_MOST && input->dag->stages <= ARROWS_MOST) {
        FILE *memory = open_memstream(&text, &size);
        if (memory) {
            write_flow_head(memory, input);
            write_flow(memory, input, analysis.on_chain);
            done = hand_on(memory, &text, &size, out);
        } else {
            status = br_fail_memory(diag);
        }
    }
    if (!status && !done) {
        write_flow_head(out, input);
        status = write_folded_flow(out, input, diag);
    }
    br_analysis_finish(&analysis);
    return status;
}
