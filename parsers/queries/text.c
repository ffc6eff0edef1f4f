/* EXPLAIN as text: one node per line, after "->" if it is below another one, and its properties in
 * the lines that follow. A node is recognised by its figures; the position of its arrow gives its
 * parent. An arrow that fits nowhere is a fault, so that a text that lost its blanks does not
 * become another plan. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "parsers/queries/explain.h"

enum { LABEL_ROOM = 512, NUMBER_ROOM = 40 };

struct reader {
    struct br_explain *explain;
    size_t inner[BR_QUERY_DEPTH]; /* by open node: column of its properties and arrows */
    uint32_t open;
    bool is_fresh; /* nothing has followed the root yet */
    bool is_over;  /* the following lines belong to no node */
    struct br_pos query_pos;
    char subplan[LABEL_ROOM]; /* of the node that follows; "": none */
    size_t subplan_column;
    char *line; /* the current one */
    struct br_pos pos;
};

static enum br_status property(struct reader *reader, const char *name, const char *value)
{
    return br_explain_property(reader->explain, reader->pos, name, value, false);
}

static bool queries_text_begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* ---- The figures of a node ---- */

/* The end of a node's label and start of its figures; NULL if there are none. Names that contain
 * such text are quoted. */
static char *figures_of(char *label)
{
    static const char *const starts[] = {" (cost=", " (actual ", " (never executed)"};
    bool quoted = false;
    for (char *p = label; *p; p++) {
        quoted ^= *p == '"';
        for (size_t s = 0; s < 3 && !quoted; s++)
            if (queries_text_begins(p, starts[s]))
                return p;
    }
    return NULL;
}

/* Takes a number that stands between `before` and `after`. */
static bool queries_text_take(const char **at, const char *before, const char *after,
                              char number[NUMBER_ROOM])
{
    if (!queries_text_begins(*at, before))
        return false;
    const char *from = *at + strlen(before), *to = strstr(from, after);
    if (!to || to - from >= NUMBER_ROOM)
        return false;
    memcpy(number, from, (size_t)(to - from));
    number[to - from] = 0;
    *at = to + strlen(after);
    return true;
}

/* "(cost=0.00..1.50 rows=50 width=4) (actual time=0.010..0.020 rows=50 loops=1)", or parts of it.
 */
static enum br_status read_figures(struct reader *reader, const char *at)
{
    char a[NUMBER_ROOM], b[NUMBER_ROOM], c[NUMBER_ROOM], d[NUMBER_ROOM];
    enum br_status status = BR_OK;
    at += strspn(at, " ");
    const char *begin = at;
    if (queries_text_take(&at, "(cost=", "..", a) && queries_text_take(&at, "", " ", b) &&
        queries_text_take(&at, "rows=", " ", c) && queries_text_take(&at, "width=", ")", d)) {
        status = property(reader, "Startup Cost", a);
        if (!status)
            status = property(reader, "Total Cost", b);
        if (!status)
            status = property(reader, "Plan Rows", c);
        if (!status)
            status = property(reader, "Plan Width", d);
        at += strspn(at, " ");
        begin = at;
    }
    if (!status && queries_text_begins(at, "(never executed)")) {
        at += strlen("(never executed)");
        status = property(reader, "Actual Total Time", "0");
    } else if (!status && queries_text_take(&at, "(actual time=", "..", a) &&
               queries_text_take(&at, "", " ", b) && queries_text_take(&at, "rows=", " ", c) &&
               queries_text_take(&at, "loops=", ")", d)) {
        status = property(reader, "Actual Startup Time", a);
        if (!status)
            status = property(reader, "Actual Total Time", b);
        if (!status)
            status = property(reader, "Actual Loops", d);
    } else if (!status && at == begin && queries_text_take(&at, "(actual rows=", " ", a)) {
        if (!queries_text_take(&at, "loops=", ")", d)) /* by TIMING OFF */
            at = begin;
    }
    at += strspn(at, " \t\r");
    if (!status && *at)
        return br_fail_at(reader->explain->diag, reader->pos, BR_BAD_INPUT,
                          "copy the plan as it was printed, or take FORMAT JSON",
                          "'%.60s' are no figures of a node", at);
    return status;
}

/* ---- The label of a node ---- */

/* Removes the text from the start of the label. */
static bool queries_text_shed(char **label, const char *text)
{
    if (!queries_text_begins(*label, text))
        return false;
    *label += strlen(text);
    return true;
}

static bool queries_text_ends(const char *text, const char *with)
{
    size_t length = strlen(text), end = strlen(with);
    return length >= end && strcmp(text + length - end, with) == 0;
}

/* The type that other forms give for the text of the label, and the strategy if there is one. */
static const char *type_of(const char *label, const char **strategy)
{
    static const struct {
        const char *begin, *type, *strategy;
    } types[] = {
        {"HashAggregate", "Aggregate", "Hashed"},
        {"GroupAggregate", "Aggregate", "Sorted"},
        {"MixedAggregate", "Aggregate", "Mixed"},
        {"HashSetOp", "SetOp", "Hashed"},
        {"SetOp", "SetOp", "Sorted"},
        {"Insert", "ModifyTable", NULL},
        {"Update", "ModifyTable", NULL},
        {"Delete", "ModifyTable", NULL},
        {"Merge on", "ModifyTable", NULL},
        {"Nested Loop", "Nested Loop", NULL},
        {"Index Scan", "Index Scan", NULL},
        {"Index Only Scan", "Index Only Scan", NULL},
        {"Gather Motion", "Gather Motion", NULL},
        {"Redistribute Motion", "Redistribute Motion", NULL},
        {"Broadcast Motion", "Broadcast Motion", NULL},
        {"Explicit Motion", "Explicit Motion", NULL},
    };
    *strategy = NULL;
    if (queries_text_begins(label, "Hash ") && queries_text_ends(label, " Join"))
        return "Hash Join";
    if (queries_text_begins(label, "Merge ") && queries_text_ends(label, " Join"))
        return "Merge Join";
    for (size_t k = 0; k < sizeof types / sizeof types[0]; k++)
        if (queries_text_begins(label, types[k].begin)) {
            *strategy = types[k].strategy;
            return types[k].type;
        }
    return label;
}

/* An SQL name, without its quotes, and the text after it. */
static char *queries_text_take_name(char *text, char **rest)
{
    char *to = text, *from = text;
    if (*text != '"') {
        *rest = text + strcspn(text, " .");
        return text;
    }
    for (from++; *from; from++) {
        if (*from == '"' && *++from != '"')
            break;
        *to++ = *from;
    }
    *rest = from;
    /* The removed bytes leave room for the end, unless the quote never ends. */
    if (to < from)
        *to = 0;
    return text;
}

/* The table, or the CTE, after " on ", without the schema and the alias. */
static enum br_status read_relation(struct reader *reader, const char *type, char *relation)
{
    bool cte = strcmp(type, "CTE Scan") == 0 || strcmp(type, "WorkTable Scan") == 0;
    static const char *const other[] = {"Function Scan",         "Table Function Scan",
                                        "Values Scan",           "Subquery Scan",
                                        "Named Tuplestore Scan", "Bitmap Index Scan"};
    for (size_t k = 0; k < sizeof other / sizeof other[0]; k++)
        if (strcmp(type, other[k]) == 0)
            return BR_OK;
    char *rest, *name = queries_text_take_name(relation, &rest);
    if (*rest == '.')
        name = queries_text_take_name(rest + 1, &rest);
    if (*name != '"' && *rest == ' ')
        *rest = 0;
    return property(reader, cte ? "CTE Name" : "Relation Name", name);
}

/* "Parallel Index Scan Backward using i on t" and the like. */
static enum br_status read_label(struct reader *reader, char *label)
{
    const char *strategy;
    bool parallel = queries_text_shed(&label, "Parallel ");
    bool async = queries_text_shed(&label, "Async ");
    if (!queries_text_shed(&label, "Partial "))
        queries_text_shed(&label, "Finalize ");
    label[strcspn(label, "\t\r")] = 0;
    for (size_t length = strlen(label); length && label[length - 1] == ' ';)
        label[--length] = 0;
    char *relation = strstr(label, " on ");
    if (queries_text_begins(label, "Custom Scan (")) { /* its provider's name follows */
        char *close = strchr(label, ')');
        relation = close ? strstr(close, " on ") : NULL;
        label[strlen("Custom Scan")] = 0;
    } else if (relation && queries_text_begins(label, "Merge on")) {
        relation = label + strlen("Merge");
    }
    const char *whole = type_of(label, &strategy), *motion = strstr(label, " Motion ");
    char number[NUMBER_ROOM]; /* "Gather Motion 3:1": the number of processes whose rows it has */
    const char *at = motion ? motion : "";
    bool senders = queries_text_take(&at, " Motion ", ":", number);
    enum br_status status = BR_OK;
    if (relation) {
        *relation = 0;
        whole = whole == label ? type_of(label, &strategy) : whole;
    }
    if (*label == 0)
        return br_fail_at(reader->explain->diag, reader->pos, BR_BAD_INPUT, NULL,
                          "the node has no name");
    status = property(reader, "Node Type", whole);
    if (!status && strategy)
        status = property(reader, "Strategy", strategy);
    if (!status && parallel)
        status = property(reader, "Parallel Aware", "true");
    if (!status && async)
        status = property(reader, "Async Capable", "true");
    if (!status && senders)
        status = property(reader, "Senders", number);
    if (!status && relation)
        status = read_relation(reader, whole, relation + strlen(" on "));
    return status;
}

/* ---- Lines ---- */

static enum br_status close_nodes(struct reader *reader, uint32_t kept)
{
    enum br_status status = BR_OK;
    assert(kept <= reader->open);
    for (; reader->open > kept && !status; reader->open--)
        status = br_explain_end_node(reader->explain);
    return status;
}

static enum br_status end_query(struct reader *reader)
{
    if (!reader->explain->query)
        return BR_OK;
    enum br_status status = close_nodes(reader, 0);
    if (!status && *reader->subplan)
        status = br_fail_at(reader->explain->diag, reader->pos, BR_BAD_INPUT,
                            "copy all of the plan", "no plan follows on '%.60s'", reader->subplan);
    return status ? status : br_explain_end_query(reader->explain, reader->query_pos);
}

static enum br_status begin_node(struct reader *reader, char *label, char *figures, size_t inner)
{
    enum br_status status = br_explain_begin_node(reader->explain, reader->pos);
    if (status)
        return status;
    assert(reader->open < BR_QUERY_DEPTH);
    reader->inner[reader->open++] = inner;
    if (*reader->subplan) {
        bool sub = queries_text_begins(reader->subplan, "SubPlan");
        status = property(reader, "Parent Relationship", sub ? "SubPlan" : "InitPlan");
        if (!status)
            status = property(reader, "Subplan Name", reader->subplan);
        *reader->subplan = 0;
    }
    if (!status)
        status = read_figures(reader, figures);
    *figures = 0;
    return status ? status : read_label(reader, label);
}

/* "->  Seq Scan on t  (cost=...": `column` is that of the arrow. */
static enum br_status queries_text_read_node(struct reader *reader, char *text, size_t column)
{
    char *label = text + strspn(text, "-> "), *figures = figures_of(label);
    size_t inner = column + (size_t)(label - text) + 2;
    uint32_t open = reader->open;
    while (open && reader->inner[open - 1] > column)
        open--;
    size_t stands = !open              ? 0
                    : *reader->subplan ? reader->subplan_column + 2
                                       : reader->inner[open - 1];
    if (!figures)
        return br_fail_at(reader->explain->diag, reader->pos, BR_BAD_INPUT,
                          "write it by EXPLAIN (ANALYZE)", "the node has neither times nor costs");
    if (!open || stands != column)
        return br_fail_at(reader->explain->diag, reader->pos, BR_BAD_INPUT,
                          "copy the plan with all its blanks, or take FORMAT JSON",
                          "it does not show what this node is below");
    enum br_status status = close_nodes(reader, open);
    return status ? status : begin_node(reader, label, figures, inner);
}

static enum br_status read_root(struct reader *reader, char *label, char *figures, size_t column)
{
    enum br_status status = end_query(reader);
    reader->query_pos = reader->pos;
    reader->is_fresh = true;
    reader->is_over = false;
    if (!status)
        status = br_explain_begin_query(reader->explain);
    return status ? status : begin_node(reader, label, figures, column + 2);
}

/* The amount between two words of a line, given as kB, as a property. */
static enum br_status read_space(struct reader *reader, const char *text, const char *word,
                                 const char *name)
{
    char number[NUMBER_ROOM];
    const char *at = strstr(text, word);
    if (!at || !queries_text_take(&at, word, "kB", number))
        return BR_OK;
    return property(reader, name, number);
}

static enum br_status read_sort(struct reader *reader, const char *text)
{
    bool memory = strstr(text, "  Memory: ");
    enum br_status status =
        read_space(reader, text, memory ? "  Memory: " : "  Disk: ", "Sort Space Used");
    return status ? status : property(reader, "Sort Space Type", memory ? "Memory" : "Disk");
}

/* "Storage: Memory  Maximum Storage: 17kB": for kept rows, since 17 */
static enum br_status read_storage(struct reader *reader, const char *text)
{
    enum br_status status = read_space(reader, text, "  Maximum Storage: ", "Sort Space Used");
    bool memory = queries_text_begins(text, "Storage: Memory");
    return status ? status : property(reader, "Sort Space Type", memory ? "Memory" : "Disk");
}

/* "I/O Timings: shared read=1.5 write=2.0, temp read=1.0", or before 15 without the first word. */
static enum br_status read_waits(struct reader *reader, const char *text)
{
    static const char *const words[] = {"read=", "write="};
    enum br_status status = BR_OK;
    for (size_t k = 0; k < 2; k++)
        for (const char *at = text; (at = strstr(at, words[k])) && !status; at++) {
            char number[NUMBER_ROOM];
            size_t from = strlen(words[k]), length = strspn(at + from, "0123456789.");
            if (!length || length >= sizeof number)
                continue;
            memcpy(number, at + from, length);
            number[length] = 0;
            status = property(reader, "I/O Read Time", number);
        }
    return status;
}

static enum br_status read_property(struct reader *reader, char *text)
{
    if (queries_text_begins(text, "Worker ")) {
        char *colon = strchr(text, ':');
        text = colon ? colon + 1 + strspn(colon + 1, " ") : text;
    }
    if (queries_text_begins(text, "Sort Method: "))
        return read_sort(reader, text);
    if (queries_text_begins(text, "Buckets: ") || queries_text_begins(text, "Batches: ") ||
        queries_text_begins(text, "Hits: "))
        return read_space(reader, text, "Memory Usage: ", "Peak Memory Usage");
    if (queries_text_begins(text, "Storage: ") && strstr(text, "  Maximum Storage: "))
        return read_storage(reader, text);
    if (queries_text_begins(text, "I/O Timings: "))
        return read_waits(reader, text);
    if (queries_text_begins(text, "Workers Planned: "))
        return property(reader, "Workers Planned", text + strlen("Workers Planned: "));
    return property(reader, "", text);
}

/* "Settings: work_mem = '64MB', jit = 'off'" */
static enum br_status queries_text_read_settings(struct reader *reader, char *text)
{
    enum br_status status = BR_OK;
    char *name = text + strlen("Settings: ");
    while (!status && *name) {
        char *equals = strstr(name, " = '"), *value = equals ? equals + 4 : NULL;
        char *end = value ? strchr(value, '\'') : NULL;
        if (!end)
            break;
        *equals = *end = 0;
        status = br_explain_setting(reader->explain, reader->pos, name, value);
        name = end + 1 + strspn(end + 1, ", ");
    }
    return status;
}

/* "Trigger a: time=1.5 calls=2"; "Trigger for constraint c on t: time=..." with the trigger's name
 * after its first word if EXPLAIN is VERBOSE. */
static enum br_status read_trigger(struct reader *reader, char *text)
{
    static const char of[] = "for constraint ", time[] = ": time=";
    char number[NUMBER_ROOM], *name = text + strlen("Trigger "), *constraint = strstr(name, of);
    char *figures = NULL;
    for (char *p = strstr(name, time); p; p = strstr(p + 1, time))
        figures = p;
    const char *at = figures;
    if (!figures || !queries_text_take(&at, time, " ", number)) /* by TIMING OFF */
        return BR_OK;
    *figures = 0;
    if (constraint && constraint < figures)
        name = constraint + strlen(of);
    char *on = strstr(name, " on ");
    if (on)
        *on = 0;
    enum br_status status = br_explain_trigger(reader->explain, reader->pos, "Trigger Name", name);
    return status ? status : br_explain_trigger(reader->explain, reader->pos, "Time", number);
}

/* "Execution Time: 9.100 ms", and its names before 11 and before 9.4; "Serialization: time=1.500 ms
 * output=..." */
static enum br_status queries_text_read_summary(struct reader *reader, const char *text)
{
    static const struct {
        const char *word, *name;
    } words[] = {{"Execution Time: ", "Execution Time"},
                 {"Execution time: ", "Execution Time"},
                 {"Total runtime: ", "Execution Time"},
                 {"Serialization: time=", "Serialization Time"}};
    char number[NUMBER_ROOM];
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (queries_text_take(&text, words[k].word, " ms", number))
            return br_explain_summary(reader->explain, reader->pos, words[k].name, number);
    return BR_OK;
}

/* Servers before 9.0 give InitPlans and SubPlans no numbers. */
static bool names_subplan(const char *text)
{
    return queries_text_begins(text, "CTE ") || queries_text_begins(text, "InitPlan ") ||
           queries_text_begins(text, "SubPlan ") || strcmp(text, "InitPlan") == 0 ||
           strcmp(text, "SubPlan") == 0;
}

/* Sections after a plan, with lines of their own. */
static bool is_behind(const char *text)
{
    static const char *const words[] = {"Planning", "JIT:", "Serialization:", "Execution ",
                                        "Total runtime:"};
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (queries_text_begins(text, words[k]))
            return true;
    return false;
}

/* If a root was copied without the blank before it, all other lines are a column further right. */
static void settle_root(struct reader *reader, const char *text, size_t column)
{
    if (reader->is_fresh && reader->open == 1 && reader->inner[0] == 2 && column == 3 &&
        !is_behind(text))
        reader->inner[0] = 3;
    reader->is_fresh = false;
}

static enum br_status queries_text_read_line(struct reader *reader)
{
    char *text = reader->line + strspn(reader->line, " \t");
    size_t column = (size_t)(text - reader->line), length = strlen(text);
    while (length && strchr(" \t\r", text[length - 1]))
        text[--length] = 0;
    reader->pos.column = (uint32_t)column + 1;
    if (!length)
        return BR_OK;
    settle_root(reader, text, column);
    if (queries_text_begins(text, "->"))
        return queries_text_read_node(reader, text, column);
    bool within = reader->open && column >= reader->inner[0] && !reader->is_over;
    if (!within) {
        char *figures = figures_of(text);
        if (queries_text_begins(text, "Settings: "))
            return queries_text_read_settings(reader, text);
        if (reader->explain->query && queries_text_begins(text, "Trigger ") && !figures)
            return read_trigger(reader, text);
        if (is_behind(text) && !figures) {
            reader->is_over = true;
            return queries_text_read_summary(reader, text);
        }
        return figures ? read_root(reader, text, figures, column) : BR_OK;
    }
    if (names_subplan(text) && length < LABEL_ROOM && !*reader->subplan) {
        memcpy(reader->subplan, text, length + 1);
        reader->subplan_column = column;
        while (reader->open > 1 && reader->inner[reader->open - 1] > column) {
            enum br_status status = close_nodes(reader, reader->open - 1);
            if (status)
                return status;
        }
        return BR_OK;
    }
    return read_property(reader, text);
}

enum br_status br_read_explain_text(struct br_explain *explain, char *text, size_t size)
{
    struct reader reader = {.explain = explain, .line = text};
    enum br_status status = BR_OK;
    for (char *end = text + size; reader.line < end && !status;) {
        char *newline = memchr(reader.line, '\n', (size_t)(end - reader.line));
        if (newline)
            *newline = 0;
        reader.pos.line++;
        status = queries_text_read_line(&reader);
        reader.line = newline ? newline + 1 : end;
    }
    return status ? status : end_query(&reader);
}
