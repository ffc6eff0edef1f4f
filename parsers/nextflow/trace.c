/* Traces of Nextflow's runs (-with-trace): a table of tasks with tabs between its columns, which
 * the user chooses. A task is a stage. Its duration is the time that its script took, without the
 * waiting in queues. */
#include "parsers/nextflow/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/numbers/wide.h"
#include "parsers/reader/formats.h"
#include "parsers/text/date.h"
#include "parsers/text/lines.h"
#include "parsers/text/value.h"

enum { LINE_MOST = 1 << 20, COLUMN_MOST = 100, ID_MOST = 400 };

/* The columns that count; of two with one meaning the first is preferred. */
enum column {
    TASK_ID,
    NAME,
    PROCESS,
    TAG,
    STATUS,
    SUBMIT,
    START,
    COMPLETE,
    DURATION,
    REALTIME,
    CPUS,
    CPU_SHARE,
    PEAK_RSS,
    RSS,
    MEMORY,
    COLUMNS
};
static const char *const column_name[COLUMNS] = {
    "task_id",  "name",     "process", "tag",  "status",   "submit", "start", "complete",
    "duration", "realtime", "cpus",    "%cpu", "peak_rss", "rss",    "memory"};

struct trace_reader {
    struct br_trace trace;
    const struct br_parse_options *options;
    struct br_diag *diag;
    uint32_t at[COLUMNS]; /* UINT32_MAX: the trace does not have it */
    char *field[COLUMN_MOST];
    uint32_t fields;
    uint32_t failed, cached, untimed;
};

bool br_is_nextflow(const char *text)
{
    char head[2048];
    snprintf(head, sizeof head, "\t%.*s\t", (int)strcspn(text, "\r\n"), text);
    return strstr(head, "\ttask_id\t") &&
           (strstr(head, "\trealtime\t") || strstr(head, "\tduration\t")) &&
           (strstr(head, "\tname\t") || strstr(head, "\tprocess\t"));
}

static void split_line(struct trace_reader *reader, char *line)
{
    reader->fields = 0;
    while (line && reader->fields < COLUMN_MOST) {
        char *tab = strchr(line, '\t');
        if (tab)
            *tab++ = 0;
        reader->field[reader->fields++] = line;
        line = tab;
    }
}

/* What the row has in the column; "" if it says nothing. */
static const char *trace_field(const struct trace_reader *reader, enum column column)
{
    uint32_t at = reader->at[column];
    const char *text = at < reader->fields ? reader->field[at] : "";
    return strcmp(text, "-") == 0 ? "" : text;
}

struct unit {
    const char *name;
    int64_t factor;
};
static const struct unit time_units[] = {{"ms", 1000000},       {"s", 1000000000},
                                         {"m", 60000000000},    {"h", 3600000000000},
                                         {"d", 86400000000000}, {"", 1000000}};
static const struct unit byte_units[] = {{"B", 1},        {"KB", 1 << 10},   {"MB", 1 << 20},
                                         {"GB", 1 << 30}, {"TB", 1LL << 40}, {"PB", 1LL << 50},
                                         {"", 1}};

/* A number of at most 15 digits, as number / *scale; *text is moved past it. */
static bool cut_number(const char **text, int64_t *number, int64_t *scale)
{
    const char *from = *text;
    bool point = false;
    *number = 0;
    *scale = 1;
    for (; (**text >= '0' && **text <= '9') || (**text == '.' && !point); ++*text) {
        if (**text == '.') {
            point = true;
            continue;
        }
        *number = *number * 10 + (**text - '0');
        *scale *= point ? 10 : 1;
        if (*text - from > 14)
            return false;
    }
    return *text > from + point;
}

/* Sums numbers with units, such as "1h 2m 3.5s", each rounded up; a number alone has the unit "".
 * False if the text is something else. */
static bool sum_units(const char *text, const struct unit *units, int64_t *sum)
{
    *sum = 0;
    text += strspn(text, " ");
    bool any = *text;
    while (*text) {
        int64_t number, scale;
        if (!cut_number(&text, &number, &scale))
            return false;
        text += strspn(text, " ");
        size_t letters = strcspn(text, " 0123456789.");
        const struct unit *unit = units;
        while (*unit->name &&
               (strlen(unit->name) != letters || strncmp(text, unit->name, letters) != 0))
            unit++;
        if (strlen(unit->name) != letters || (letters == 0 && *text))
            return false;
        text += letters;
        text += strspn(text, " ");
        br_wide product = ((br_wide)number * unit->factor + scale - 1) / scale + *sum;
        if (product > INT64_MAX / 4)
            return false;
        *sum = (int64_t)product;
    }
    return any;
}

/* A date, or milliseconds since 1970, as nanoseconds; -1: neither. */
static int64_t trace_date(const char *text)
{
    int64_t ns = br_date_parse(text), milliseconds;
    return ns >= 0 || !sum_units(text, time_units, &milliseconds) ? ns : milliseconds;
}

static enum br_status fail_value(const struct trace_reader *reader, enum column column)
{
    return br_fail(
        reader->diag, BR_BAD_INPUT, "write it as Nextflow does, such as '1m 5s' or '3.1 GB'",
        "%s '%.40s' is not understood", column_name[column], trace_field(reader, column));
}

/* A time or a number of bytes; *value stays as it is if the row does not say it. */
static enum br_status read_units(const struct trace_reader *reader, enum column column,
                                 const struct unit *units, int64_t *value)
{
    const char *text = trace_field(reader, column);
    return !*text || sum_units(text, units, value) ? BR_OK : fail_value(reader, column);
}

static enum br_status read_header(struct trace_reader *reader, char *line)
{
    split_line(reader, line);
    for (enum column column = 0; column < COLUMNS; column++) {
        reader->at[column] = UINT32_MAX;
        for (uint32_t f = 0; f < reader->fields; f++)
            if (strcmp(reader->field[f], column_name[column]) == 0)
                reader->at[column] = f;
    }
    if ((reader->at[NAME] == UINT32_MAX && reader->at[PROCESS] == UINT32_MAX) ||
        (reader->at[REALTIME] == UINT32_MAX && reader->at[DURATION] == UINT32_MAX))
        return br_fail(
            reader->diag, BR_BAD_INPUT,
            "write it with the columns task_id, name, status, submit, duration, realtime",
            "the trace has no column 'name' or no column 'realtime'");
    return BR_OK;
}

static enum br_status find_process(struct trace_reader *reader, const char *name, uint32_t *process)
{
    struct br_trace *trace = &reader->trace;
    /* The tasks of a process mostly follow each other. */
    for (uint32_t p = trace->processes; p-- > 0;)
        if (strcmp(trace->process[p], name) == 0) {
            *process = p;
            return BR_OK;
        }
    if (!br_grow(&trace->process, trace->processes, &trace->process_room, sizeof *trace->process))
        return br_fail_memory(reader->diag);
    const char *kept = br_arena_text(&trace->arena, name);
    if (!kept)
        return br_fail_memory(reader->diag);
    *process = trace->processes;
    trace->process[trace->processes++] = kept;
    return BR_OK;
}

/* "PROCESS (TAG)", by its name or by the two columns. */
static enum br_status name_task(struct trace_reader *reader, struct br_trace_task *task,
                                char id[static ID_MOST])
{
    const char *name = trace_field(reader, NAME), *tag = trace_field(reader, TAG);
    char process[ID_MOST];
    if (!*name)
        name = trace_field(reader, PROCESS);
    if (!*name)
        return br_fail(reader->diag, BR_BAD_INPUT, "fill in its name", "the task has no name");
    const char *open = strstr(name, " ("), *end = name + strlen(name);
    if (open && end[-1] == ')' && !*tag) {
        snprintf(id, ID_MOST, "%.*s", (int)(end - open) - 3, open + 2);
        tag = id;
    }
    snprintf(process, sizeof process, "%.*s", (int)(open ? open - name : end - name), name);
    task->tag = br_arena_text(&reader->trace.arena, tag);
    if (!task->tag)
        return br_fail_memory(reader->diag);
    task->numbered = *tag && !tag[strspn(tag, "0123456789")];
    snprintf(id, ID_MOST, *task->tag ? "%.250s (%.140s)" : "%.250s", process, task->tag);
    return find_process(reader, process, &task->process);
}

static enum br_status add_demands(struct trace_reader *reader, uint32_t stage)
{
    char amount[24];
    int64_t cores = 0, share = 0, bytes = 0;
    static const struct unit whole[] = {{"", 1}}, percent[] = {{"%", 1}, {"", 1}};
    enum br_status status = read_units(reader, CPUS, whole, &cores);
    if (!status)
        status = read_units(reader, CPU_SHARE, percent, &share);
    for (enum column column = PEAK_RSS; column <= MEMORY && !status && bytes == 0; column++)
        status = read_units(reader, column, byte_units, &bytes);
    if (status)
        return status;
    /* To the nearest core: a measured 101 % is one. */
    if (cores == 0)
        cores = share / 100 + (share % 100 >= 50);
    snprintf(amount, sizeof amount, "%" PRId64, cores > 0 ? cores : 1);
    status = br_dag_add_demand(reader->trace.dag, stage, "cpu", amount, reader->diag);
    snprintf(amount, sizeof amount, "%" PRId64, bytes);
    return status || bytes == 0
               ? status
               : br_dag_add_demand(reader->trace.dag, stage, "mem", amount, reader->diag);
}

static enum br_status read_times(struct trace_reader *reader, struct br_trace_task *task,
                                 int64_t *ns)
{
    int64_t duration_ns = -1, real_ns = -1;
    enum br_status status = read_units(reader, DURATION, time_units, &duration_ns);
    if (!status)
        status = read_units(reader, REALTIME, time_units, &real_ns);
    if (status)
        return status;
    *ns = real_ns >= 0 ? real_ns : duration_ns;
    reader->untimed += *ns < 0;
    if (*ns < 0)
        *ns = reader->options->default_duration_ns;
    const char *submit = trace_field(reader, SUBMIT), *complete = trace_field(reader, COMPLETE);
    int64_t from_ns = *submit ? trace_date(submit) : -1;
    task->submitted_ns = from_ns >= 0 ? from_ns : trace_date(trace_field(reader, START));
    task->ended_ns = *complete ? trace_date(complete) : -1;
    if (task->ended_ns < 0 && from_ns >= 0 && duration_ns >= 0)
        task->ended_ns = from_ns + duration_ns;
    if (strcmp(trace_field(reader, STATUS), "CACHED") == 0) {
        reader->cached++; /* its times are those of an earlier run */
        task->submitted_ns = task->ended_ns = -1;
    }
    return BR_OK;
}

static enum br_status read_task(struct trace_reader *reader, uint32_t line)
{
    struct br_trace *trace = &reader->trace;
    struct br_trace_task task;
    const char *state = trace_field(reader, STATUS);
    char id[ID_MOST];
    int64_t ns;
    uint32_t stage;
    if (strcmp(state, "FAILED") == 0 || strcmp(state, "ABORTED") == 0) {
        reader->failed++;
        return BR_OK;
    }
    enum br_status status = name_task(reader, &task, id);
    if (!status)
        status = read_times(reader, &task, &ns);
    if (status)
        return status;
    if (br_dag_find_stage(trace->dag, id) != UINT32_MAX) {
        size_t length = strlen(id);
        snprintf(id + length, sizeof id - length, " #%.20s",
                 *trace_field(reader, TASK_ID) ? trace_field(reader, TASK_ID) : "again");
    }
    status = br_dag_add_stage(trace->dag, id, 1, ns, &stage, reader->diag);
    if (status)
        return status;
    br_dag_set_stage_pos(trace->dag, stage, (struct br_pos){line, 1});
    if (!br_grow(&trace->task, trace->tasks, &trace->task_room, sizeof *trace->task))
        return br_fail_memory(reader->diag);
    trace->task[trace->tasks++] = task;
    return add_demands(reader, stage);
}

static enum br_status read_rows(struct trace_reader *reader, struct br_source *source)
{
    struct br_lines lines = br_lines_of(source, LINE_MOST);
    bool more = true;
    enum br_status status = BR_OK;
    while (!status && !(status = br_lines_next(&lines, &more, reader->diag)) && more) {
        br_value_place(reader->diag, (struct br_pos){lines.number, 1});
        if (lines.number == 1) {
            status = read_header(reader, lines.line);
        } else if (lines.line[strspn(lines.line, " \t")]) {
            split_line(reader, lines.line);
            status = read_task(reader, lines.number);
        }
    }
    br_lines_finish(&lines);
    if (!status && reader->trace.tasks == 0)
        status = br_fail_at(reader->diag, BR_NO_POS, BR_BAD_INPUT, "give the trace of another run",
                            reader->failed ? "none of the tasks of the trace has completed"
                                           : "the trace has no tasks");
    return status;
}

/* The time from the first submission to the last end, if the trace has all times. */
static void record_makespan(struct br_trace *trace)
{
    int64_t first = INT64_MAX, last = -1;
    for (uint32_t t = 0; t < trace->tasks; t++) {
        const struct br_trace_task *task = &trace->task[t];
        if (task->submitted_ns < 0 || task->ended_ns < 0)
            return;
        first = task->submitted_ns < first ? task->submitted_ns : first;
        last = task->ended_ns > last ? task->ended_ns : last;
    }
    trace->dag->recorded_ns = last > first ? last - first : 0;
}

static enum br_status add_doubts(struct trace_reader *reader)
{
    struct br_dag *dag = reader->trace.dag;
    enum br_status status = BR_OK;
    if (!reader->options->processes && reader->trace.processes > 1)
        status = br_dag_add_doubt(dag, reader->diag,
                                  "a trace does not say which task waits for which: give the graph "
                                  "that -with-dag writes (.mmd, .dot) by --processes");
    if (!status && reader->failed)
        status = br_dag_add_doubt(dag, reader->diag,
                                  "%" PRIu32 " tasks that failed or were aborted are left out",
                                  reader->failed);
    if (!status && reader->untimed)
        status = br_dag_add_doubt(dag, reader->diag, "%" PRIu32 " tasks have no time in the trace",
                                  reader->untimed);
    return status;
}

enum br_status br_read_nextflow(struct br_source *source, const struct br_parse_options *options,
                                struct br_input *input, struct br_diag *diag)
{
    struct br_diag own = {0};
    struct trace_reader reader = {.options = options, .diag = diag ? diag : &own};
    struct br_processes graph = {0};
    char stem[256];
    input->dag = reader.trace.dag =
        br_dag_create(br_source_stem(source, "workflow", stem, sizeof stem));
    enum br_status status = input->dag ? BR_OK : br_fail_memory(reader.diag);
    if (!status)
        status = br_dag_add_resource(input->dag, "cpu", "cores", reader.diag);
    if (!status)
        status = br_dag_add_resource(input->dag, "mem", "bytes", reader.diag);
    if (!status)
        status = read_rows(&reader, source);
    if (!status)
        record_makespan(&reader.trace);
    if (!status && options->processes) {
        status = br_processes_read(options->processes, &graph, reader.diag);
        if (!status) {
            br_diag_file(reader.diag, source->name);
            br_value_place(reader.diag, BR_NO_POS);
            status = br_trace_link(&reader.trace, &graph, reader.diag);
        }
    }
    if (!status)
        status = add_doubts(&reader);
    br_processes_finish(&graph);
    br_arena_finish(&reader.trace.arena);
    free(reader.trace.process);
    free(reader.trace.task);
    return status;
}
