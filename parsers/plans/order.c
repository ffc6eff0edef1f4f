/* Precedence orders: the form "order" of a plan, and lists of tasks from anywhere. Both name tasks
 * of a job that the caller has. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "parsers/plans/names.h"
#include "parsers/plans/plan_forms.h"
#include "parsers/plans/put.h"
#include "parsers/text/lines.h"
#include "parsers/text/value.h"

enum { LINE_MOST = 1 << 20, COLUMNS_MOST = 32 };

enum column { RANK, ID, PRIORITY, START, END, MACHINE, SUBSET, ALTERNATIVE, COLUMNS };
static const char *const column_names[COLUMNS] = {"rank", "id",      "priority", "start",
                                                  "end",  "machine", "subset",   "alternative"};

/* Lines of fields between tabs. */
struct order_reader {
    struct br_lines lines;
    struct br_diag *diag;
    uint32_t at[COLUMNS]; /* the column's place among the fields; UINT32_MAX: there is none */
    uint32_t fields;
    char *field[COLUMNS_MOST];
    const struct br_input *job;
};

bool br_is_plan_order(const char *text)
{
    const size_t line = strcspn(text, "\r\n");
    return strncmp(text, "rank\t", 5) == 0 && memmem(text, line, "\tid", 3) != NULL;
}

static struct br_pos place_of(const struct order_reader *r, enum column column)
{
    const uint32_t at = r->at[column];
    return (struct br_pos){r->lines.number,
                           at < r->fields ? (uint32_t)(r->field[at] - r->lines.line) + 1 : 1};
}

/* The characters that \t, \n, \r, \\ and \u003d stand for, in place. */
static void unescape(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++) {
        static const char mark[] = "tnr\\", meant[] = "\t\n\r\\";
        const char *known = *from == '\\' && from[1] ? strchr(mark, from[1]) : NULL;
        char *end = NULL;
        unsigned long code = 0;
        if (from[0] == '\\' && from[1] == 'u' && strlen(from) >= 6) {
            const char digits[5] = {from[2], from[3], from[4], from[5], '\0'};
            code = strtoul(digits, &end, 16);
            if (end != digits + 4 || code > 0x7f)
                code = 0;
        }
        if (code) {
            *to++ = (char)code;
            from += 5;
        } else if (known) {
            *to++ = meant[known - mark];
            from++;
        } else {
            *to++ = *from;
        }
    }
    *to = '\0';
}

/* Moves to the next line that is not blank, and splits it; *more is false at the end. */
static enum br_status next_line(struct order_reader *r, bool *more)
{
    enum br_status status;
    do
        status = br_lines_next(&r->lines, more, r->diag);
    while (!status && *more && r->lines.line[strspn(r->lines.line, " \t")] == '\0');
    r->fields = 0;
    if (status || !*more)
        return status;
    br_value_place(r->diag, (struct br_pos){r->lines.number, 1});
    for (char *at = r->lines.line; at; r->fields++) {
        if (r->fields == COLUMNS_MOST)
            return br_fail(r->diag, BR_BAD_INPUT, "is this an order of tasks?",
                           "the line has more than %d fields", COLUMNS_MOST);
        char *tab = strchr(at, '\t');
        r->field[r->fields] = at;
        if (tab)
            *tab = '\0';
        at = tab ? tab + 1 : NULL;
    }
    return BR_OK;
}

/* Finds the columns in the line of their names. */
static void take_columns(struct order_reader *r)
{
    for (int c = 0; c < COLUMNS; c++) {
        r->at[c] = UINT32_MAX;
        for (uint32_t k = r->fields; k-- > 0;)
            if (strcmp(r->field[k], column_names[c]) == 0)
                r->at[c] = k;
    }
}

/* Later faults are at the column. */
static void set_place(const struct order_reader *r, enum column column)
{
    br_value_place(r->diag, place_of(r, column));
}

static char *field_of(const struct order_reader *r, enum column column)
{
    return r->at[column] < r->fields ? r->field[r->at[column]] : NULL;
}

/* ---- A plan ---- */

static enum br_status find_named(struct order_reader *r, const struct br_class_names *classes,
                                 struct br_plan_row *row)
{
    char *id = field_of(r, ID), *machine = field_of(r, MACHINE);
    assert(id && machine);
    unescape(id);
    unescape(machine);
    row->task = br_find_task_named(r->job->dag, id);
    set_place(r, ID);
    if (row->task == UINT32_MAX)
        return br_fail(r->diag, BR_BAD_INPUT, "is it the plan of another job?",
                       "the job has no task '%.200s'", id);
    row->machine = br_find_machine_named(classes, machine);
    set_place(r, MACHINE);
    if (row->machine == UINT32_MAX)
        return br_fail(r->diag, BR_BAD_INPUT, "give the cluster for which the plan was made",
                       "the cluster has no machine '%.200s'", machine);
    return BR_OK;
}

static enum br_status read_row(struct order_reader *r, const struct br_class_names *classes,
                               struct br_plan *plan)
{
    struct br_plan_row row = {.subset = field_of(r, SUBSET)};
    uint32_t rank = 0;
    for (int c = 0; c < COLUMNS; c++)
        if (r->at[c] != UINT32_MAX && !field_of(r, (enum column)c))
            return br_fail(r->diag, BR_BAD_INPUT, "give every line all fields, between tabs",
                           "the line ends before the field '%s'", column_names[c]);
    enum br_status status = find_named(r, classes, &row);
    if (status)
        return status;
    set_place(r, RANK);
    status = br_value_count(field_of(r, RANK), "rank", "a task", &rank, r->diag);
    if (!status) {
        set_place(r, START);
        status = br_value_seconds(field_of(r, START), "start", "a task", &row.start_ns, r->diag);
    }
    if (!status) {
        set_place(r, END);
        status = br_value_seconds(field_of(r, END), "end", "a task", &row.end_ns, r->diag);
    }
    row.rank = rank;
    if (!status) {
        char *way = field_of(r, ALTERNATIVE);
        if (way)
            unescape(way);
        set_place(r, way ? ALTERNATIVE : ID);
        status = br_plan_find_alternative(r->job->dag, row.task, way && *way ? way : NULL,
                                          &row.alternative, r->diag);
    }
    if (!status) {
        set_place(r, ID);
        status = br_plan_put(plan, &row, r->diag);
    }
    if (!status && field_of(r, PRIORITY))
        plan->stated->task[row.task].priority = strtod(field_of(r, PRIORITY), NULL);
    if (!status && row.end_ns > plan->makespan_ns)
        plan->makespan_ns = row.end_ns;
    return status;
}

/* The line of names, with all columns that a plan needs. */
static enum br_status read_header(struct order_reader *r)
{
    bool more = false;
    enum br_status status = next_line(r, &more);
    if (status)
        return status;
    take_columns(r);
    for (int c = 0; c < COLUMNS; c++)
        if (r->at[c] == UINT32_MAX && c != PRIORITY && c != SUBSET && c != ALTERNATIVE)
            return br_fail(r->diag, BR_BAD_INPUT,
                           "write the plan again with --format order, or give the list by --order",
                           "the order has no column '%s'", column_names[c]);
    return BR_OK;
}

enum br_status br_read_plan_order(struct br_source *source, const struct br_input *job,
                                  struct br_plan **plan, struct br_diag *diag)
{
    struct order_reader r = {.lines = br_lines_of(source, LINE_MOST), .diag = diag, .job = job};
    struct br_class_names classes = {0};
    bool more = true;
    enum br_status status = read_header(&r);
    *plan = br_plan_empty(job->dag);
    if (!status && (!*plan || !br_class_names_init(&classes, job->cluster)))
        status = br_fail_memory(diag);
    while (!status && more) {
        status = next_line(&r, &more);
        if (!status && more)
            status = read_row(&r, &classes, *plan);
    }
    br_class_names_finish(&classes);
    br_lines_finish(&r.lines);
    if (!status) {
        br_value_place(diag, BR_NO_POS);
        status = br_plan_check_rows(*plan, job->dag, diag);
    }
    if (!status) {
        (*plan)->method = "order";
        (*plan)->bound_method = "";
        br_diag_file(diag, NULL);
        return BR_OK;
    }
    br_plan_destroy(*plan);
    *plan = NULL;
    return status;
}

/* ---- A list ---- */

struct task_list {
    uint32_t *task, count, room;
};

static enum br_status list_add(struct task_list *list, uint32_t task, struct br_diag *diag)
{
    if (!br_grow(&list->task, list->count, &list->room, sizeof *list->task))
        return br_fail_memory(diag);
    list->task[list->count++] = task;
    return BR_OK;
}

/* Adds the task of that name, or all tasks of the stage. */
static enum br_status list_name(struct order_reader *r, struct task_list *list, char *name)
{
    const struct br_dag *dag = r->job->dag;
    const uint32_t task = br_find_task_named(dag, name);
    if (task != UINT32_MAX)
        return list_add(list, task, r->diag);
    const uint32_t s = br_dag_find_stage(dag, name);
    set_place(r, ID);
    if (s == UINT32_MAX)
        return br_fail(r->diag, BR_BAD_INPUT,
                       "write one id of a task, such as map[3], or of a stage a line",
                       "the job has no task '%.200s'", name);
    const struct br_stage *stage = &dag->stage[s];
    enum br_status status = BR_OK;
    for (uint32_t i = 0; i < stage->tasks && !status; i++)
        status = list_add(list, stage->first_task + i, r->diag);
    return status;
}

static enum br_status read_list(struct order_reader *r, struct task_list *list)
{
    bool more = true, first = true, escaped = false;
    enum br_status status = BR_OK;
    memset(r->at, 0xff, sizeof r->at);
    r->at[ID] = 0;
    while (!status && more) {
        status = next_line(r, &more);
        if (status || !more)
            break;
        if (first && r->fields > 1) {
            take_columns(r);
            escaped = true;
            if (r->at[ID] == UINT32_MAX)
                return br_fail(r->diag, BR_BAD_INPUT,
                               "name the column id, or write ids of tasks alone",
                               "the order has several columns and none is 'id'");
        } else if (!field_of(r, ID)) {
            status = br_fail(r->diag, BR_BAD_INPUT, "give every line all fields, between tabs",
                             "the line ends before the field 'id'");
        } else {
            if (escaped)
                unescape(field_of(r, ID));
            status = list_name(r, list, field_of(r, ID));
        }
        first = false;
    }
    return status;
}

enum br_status br_parse_order(const char *path, const struct br_dag *dag, uint32_t **task,
                              uint32_t *count, struct br_diag *diag)
{
    struct br_source source;
    const struct br_input job = {.dag = (struct br_dag *)dag};
    struct task_list list = {0};
    *task = NULL;
    *count = 0;
    enum br_status status = br_source_open(&source, path, diag);
    if (status)
        return status;
    struct order_reader r = {.lines = br_lines_of(&source, LINE_MOST), .diag = diag, .job = &job};
    status = read_list(&r, &list);
    br_lines_finish(&r.lines);
    br_source_close(&source);
    if (status) {
        free(list.task);
        return status;
    }
    br_value_place(diag, BR_NO_POS);
    *task = list.task;
    *count = list.count;
    return BR_OK;
}
