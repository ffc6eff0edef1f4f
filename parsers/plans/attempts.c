/* The trace of a run, as `bigrocks run --trace` writes it: a table with commas, or an object a
 * line. A row is an attempt at a task. Only the task, its start and its end have to be there, so
 * that records of other runs become traces by renaming columns. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "parsers/plans/names.h"
#include "parsers/plans/plans.h"
#include "parsers/text/json.h"
#include "parsers/text/table.h"
#include "parsers/text/value.h"

enum { LINE_MOST = 1 << 20 };

enum column { TASK, START, END, MACHINE, ATTEMPT, OUTCOME, CODE, USER, SYSTEM, PEAK, JOB, COLUMNS };
static const char *const names[COLUMNS] = {"task",    "start",   "end",  "machine",
                                           "attempt", "outcome", "code", "user",
                                           "system",  "peak",    "job"};

struct attempts_reader {
    const struct br_dag *dag;
    struct br_run_attempts *run;
    struct br_diag *diag;
    const char *job; /* of the rows so far; NULL: none has one */
    /* Of the current row: */
    char *field[COLUMNS]; /* NULL: absent; may be changed */
    struct br_pos pos[COLUMNS];
};

/* The text of a column, for messages later at its place. */
static const char *attempts_at(struct attempts_reader *reader, enum column column)
{
    br_value_place(reader->diag, reader->pos[column]);
    return reader->field[column];
}

static enum br_status attempts_seconds(struct attempts_reader *reader, enum column column,
                                       int64_t *ns)
{
    const char *text = attempts_at(reader, column);
    return text && *text ? br_value_seconds(text, names[column], "the attempt", ns, reader->diag)
                         : BR_OK;
}

static enum br_status attempts_code(struct attempts_reader *reader, int64_t *code)
{
    const char *text = attempts_at(reader, CODE);
    uint32_t value = 0;
    const bool negative = text && *text == '-';
    enum br_status status = text && *text ? br_value_count(text + negative, names[CODE],
                                                           "the attempt", &value, reader->diag)
                                          : BR_OK;
    *code = negative ? -(int64_t)value : (int64_t)value;
    return status;
}

/* The trace must be of one job: tasks of others could have the same names. */
static enum br_status attempts_one_job(struct attempts_reader *reader)
{
    const char *job = attempts_at(reader, JOB);
    if (!job)
        return BR_OK;
    if (!reader->job) {
        reader->job = br_arena_text(&reader->run->arena, job);
        return reader->job ? BR_OK : br_fail_memory(reader->diag);
    }
    return strcmp(job, reader->job) == 0
               ? BR_OK
               : br_fail(reader->diag, BR_BAD_INPUT, "keep the rows of the plan's job",
                         "the trace has several jobs: '%.100s' and '%.100s'", reader->job, job);
}

static enum br_status attempts_times(struct attempts_reader *reader, struct br_run_attempt *attempt)
{
    enum br_status status = attempts_seconds(reader, START, &attempt->start_ns);
    if (!status)
        status = attempts_seconds(reader, END, &attempt->end_ns);
    if (!status && attempt->end_ns < attempt->start_ns)
        status = br_fail(reader->diag, BR_BAD_INPUT, "give seconds from the begin of the run",
                         "the attempt ends before it starts");
    if (!status)
        status = attempts_seconds(reader, USER, &attempt->user_ns);
    return status ? status : attempts_seconds(reader, SYSTEM, &attempt->system_ns);
}

static enum br_status attempts_texts(struct attempts_reader *reader, struct br_run_attempt *attempt)
{
    const char *outcome = reader->field[OUTCOME], *machine = reader->field[MACHINE];
    attempt->outcome = br_arena_text(&reader->run->arena, outcome && *outcome ? outcome : "done");
    attempt->machine = machine && *machine ? br_arena_text(&reader->run->arena, machine) : NULL;
    return attempt->outcome && (attempt->machine || !machine || !*machine)
               ? BR_OK
               : br_fail_memory(reader->diag);
}

/* Adds the current row. */
static enum br_status attempts_add(struct attempts_reader *reader)
{
    struct br_run_attempts *run = reader->run;
    struct br_run_attempt attempt = {.number = 1, .user_ns = -1, .system_ns = -1, .peak_bytes = -1};
    const char *text = NULL;
    for (int c = TASK; c <= END; c++)
        if (!reader->field[c])
            return br_fail_at(reader->diag, reader->pos[c], BR_BAD_INPUT,
                              "give what 'bigrocks run --trace FILE' has written",
                              "the row has no '%s'", names[c]);
    attempt.task = br_find_task_named(reader->dag, reader->field[TASK]);
    if (attempt.task == UINT32_MAX)
        return br_fail_at(reader->diag, reader->pos[TASK], BR_BAD_INPUT,
                          "is it a run of another job?", "the plan has no task '%.200s'",
                          reader->field[TASK]);
    enum br_status status = attempts_one_job(reader);
    if (!status)
        status = attempts_times(reader, &attempt);
    if (!status && (text = attempts_at(reader, ATTEMPT)))
        status = br_value_count(text, names[ATTEMPT], "the attempt", &attempt.number, reader->diag);
    if (!status && (text = attempts_at(reader, PEAK)) && *text)
        status = br_value_bytes(text, "the attempt", &attempt.peak_bytes, reader->diag);
    if (!status)
        status = attempts_code(reader, &attempt.code);
    if (!status)
        status = attempts_texts(reader, &attempt);
    if (status)
        return status;
    if (run->attempts == UINT32_MAX - 2 ||
        !br_grow(&run->attempt, run->attempts, &run->room, sizeof *run->attempt))
        return br_fail_memory(reader->diag);
    run->attempt[run->attempts++] = attempt;
    return BR_OK;
}

/* ---- A table ---- */

static enum br_status attempts_read_table(struct attempts_reader *reader, struct br_source *source)
{
    struct br_table table = br_table_of(source, reader->diag);
    uint32_t at[COLUMNS];
    bool more = false;
    enum br_status status = br_table_next(&table, &more);
    for (int c = 0; c < COLUMNS; c++) {
        at[c] = UINT32_MAX;
        for (uint32_t k = 0; !status && more && k < table.fields; k++)
            if (strcmp(br_table_trim(table.field[k]), names[c]) == 0)
                at[c] = k;
        if (!status && at[c] == UINT32_MAX && c <= END)
            status = br_fail_at(reader->diag, br_table_place(&table, 0), BR_BAD_INPUT,
                                "give what 'bigrocks run --trace FILE' has written",
                                "the table has no column '%s'", names[c]);
    }
    while (!status && more) {
        status = br_table_next(&table, &more);
        for (int c = 0; c < COLUMNS; c++) {
            const bool there = !status && more && at[c] < table.fields;
            reader->field[c] = there ? table.field[at[c]] : NULL;
            reader->pos[c] = br_table_place(&table, there ? table.column[at[c]] : 0);
        }
        if (!status && more)
            status = attempts_add(reader);
    }
    br_table_finish(&table);
    return status;
}

/* ---- Objects ---- */

static enum br_status attempts_read_object(struct attempts_reader *reader, struct br_json *json)
{
    struct br_json_field field[COLUMNS];
    struct br_arena texts = {NULL};
    for (int c = 0; c < COLUMNS; c++) {
        field[c] = (struct br_json_field){names[c], false, NULL};
        reader->field[c] = NULL;
    }
    bool good = br_json_fields(json, "an attempt at a task", field, COLUMNS);
    if (good && br_json_peek(json))
        good = br_json_fail(json, json->at, "write an object a line", "more follows in the line");
    for (int c = 0; c < COLUMNS && good; c++) {
        reader->pos[c] = (struct br_pos){json->first_line, 1};
        if (!br_json_go(json, &field[c]))
            continue;
        reader->pos[c] = br_json_pos(json, field[c].at);
        good = br_json_scalar(json, names[c]);
        if (good && !(reader->field[c] = br_arena_text(&texts, json->text)))
            good = br_json_take(json, json->at, br_fail_memory(reader->diag));
    }
    enum br_status status = json->status;
    if (!status)
        status = attempts_add(reader);
    br_arena_finish(&texts);
    return status;
}

static enum br_status attempts_read_objects(struct attempts_reader *reader,
                                            struct br_source *source)
{
    struct br_lines lines = br_lines_of(source, LINE_MOST);
    struct br_json json;
    bool more = true;
    enum br_status status = BR_OK;
    br_json_init(&json, "", 0, reader->diag);
    while (!status && more) {
        status = br_lines_next(&lines, &more, reader->diag);
        if (status || !more || lines.line[strspn(lines.line, " \t")] == '\0')
            continue;
        br_json_restart(&json, lines.line, lines.length, lines.number);
        status = attempts_read_object(reader, &json);
    }
    br_json_finish(&json);
    br_lines_finish(&lines);
    return status;
}

enum br_status br_parse_attempts(const char *path, const struct br_dag *dag,
                                 struct br_run_attempts *run, struct br_diag *diag)
{
    struct br_source source;
    struct attempts_reader reader = {.dag = dag, .run = run, .diag = diag};
    *run = (struct br_run_attempts){0};
    br_value_place(diag, BR_NO_POS);
    enum br_status status = br_source_open(&source, path, diag);
    if (status)
        return status;
    const bool objects = source.buffer[strspn(source.buffer, " \t\r\n")] == '{';
    status =
        objects ? attempts_read_objects(&reader, &source) : attempts_read_table(&reader, &source);
    if (!status && run->attempts == 0)
        status = br_fail_at(diag, BR_NO_POS, BR_BAD_INPUT,
                            "give what 'bigrocks run --trace FILE' has written",
                            "the trace has no attempt at a task");
    br_source_close(&source);
    if (status)
        br_run_attempts_finish(run);
    return status;
}
