#include "parsers/reader/durations.h"

#include <assert.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/text/table.h"
#include "parsers/text/value.h"
#include "planner/model/ranges.h"

enum { NAMED = 60 };

struct by_hand {
    struct br_dag *dag;
    uint32_t rows, idle; /* rows of the table, and those that fit nothing */
    uint32_t idle_line;  /* of the first such row, and its name */
    char idle_name[NAMED + 1];
};

/* "map[3]": the task, if the stage has one of that number. */
static bool set_task(struct br_dag *dag, const char *name, int64_t ns)
{
    const char *open = strrchr(name, '[');
    char *end, *id = open ? strndup(name, (size_t)(open - name)) : NULL;
    unsigned long index = open ? strtoul(open + 1, &end, 10) : 0;
    uint32_t stage = id ? br_dag_find_stage(dag, id) : UINT32_MAX;
    bool found = stage != UINT32_MAX && end > open + 1 && strcmp(end, "]") == 0 &&
                 index < dag->stage[stage].tasks;
    if (found)
        br_dag_replace_duration(dag, stage, (uint32_t)index, ns);
    free(id);
    return found;
}

/* The stage has that number in the job as written; its tasks may be stages of their own. */
static void set_stage(struct br_dag *dag, uint32_t stage, int64_t ns)
{
    const struct br_stage *written = &br_dag_written(dag)->stage[stage];
    const uint32_t end = written->first_task + written->tasks;
    for (uint32_t t = written->first_task; t < end;) {
        const uint32_t piece = br_dag_task_stage(dag, t);
        br_dag_replace_duration(dag, piece, UINT32_MAX, ns);
        t += dag->stage[piece].tasks;
    }
}

/* "map[3]", if the task is a stage of its own. */
static bool set_piece(struct br_dag *dag, const char *name, int64_t ns)
{
    const uint32_t piece = dag->written ? br_dag_find_stage(dag, name) : UINT32_MAX;
    if (piece != UINT32_MAX)
        br_dag_replace_duration(dag, piece, UINT32_MAX, ns);
    return piece != UINT32_MAX;
}

static bool set_stages(struct br_dag *dag, const char *name, int64_t ns)
{
    const struct br_dag *written = br_dag_written(dag);
    const uint32_t stage = br_dag_find_stage(written, name);
    bool any = stage != UINT32_MAX;
    if (any)
        set_stage(dag, stage, ns);
    if (any || set_piece(dag, name, ns) || set_task(dag, name, ns))
        return true;
    for (uint32_t s = 0; strpbrk(name, "*?[") && s < written->stages; s++)
        if (fnmatch(name, written->stage[s].id, 0) == 0) {
            set_stage(dag, s, ns);
            any = true;
        }
    return any;
}

static bool durations_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static enum br_status take_row(struct by_hand *by_hand, struct br_table *table,
                               struct br_diag *diag)
{
    char *name = br_table_trim(table->field[0]);
    char *seconds = table->fields > 1 ? br_table_trim(table->field[1]) : NULL;
    char owner[NAMED + 20];
    int64_t ns;
    if (*name == '#')
        return BR_OK;
    if (table->fields != 2 || !*name)
        return br_fail_at(diag, br_table_place(table, 0), BR_BAD_INPUT,
                          "write a stage or a pattern, a comma, and seconds",
                          "a row of durations has two fields, this one has %" PRIu32,
                          table->fields);
    if (by_hand->rows++ == 0 && durations_is_letter(*seconds))
        return BR_OK; /* the header */
    snprintf(owner, sizeof owner, "'%.*s'", NAMED, name);
    br_value_place(diag, br_table_place(table, table->column[1]));
    enum br_status status = br_value_seconds(seconds, "duration", owner, &ns, diag);
    if (status || set_stages(by_hand->dag, name, ns))
        return status;
    if (by_hand->idle++ == 0) {
        by_hand->idle_line = table->first;
        snprintf(by_hand->idle_name, sizeof by_hand->idle_name, "%s", name);
    }
    return BR_OK;
}

static enum br_status doubt_idle(const struct by_hand *by_hand, const char *path,
                                 struct br_diag *diag)
{
    assert(by_hand->idle > 0 && by_hand->idle <= by_hand->rows);
    if (by_hand->idle == 1)
        return br_dag_add_doubt(by_hand->dag, diag,
                                "no stage fits '%s' in line %" PRIu32 " of %.200s",
                                by_hand->idle_name, by_hand->idle_line, path);
    return br_dag_add_doubt(by_hand->dag, diag,
                            "%" PRIu32
                            " rows of %.200s fit no stage, the first of them '%s' in line "
                            "%" PRIu32,
                            by_hand->idle, path, by_hand->idle_name, by_hand->idle_line);
}

enum br_status br_read_durations(const char *path, bool many, struct br_dag *dag,
                                 struct br_diag *diag)
{
    struct by_hand by_hand = {.dag = dag};
    struct br_source source;
    bool more = true;
    br_value_place(diag, BR_NO_POS);
    enum br_status status = br_source_open(&source, path, diag);
    if (status)
        return status;
    struct br_table table = br_table_of(&source, diag);
    while (!status && !(status = br_table_next(&table, &more)) && more)
        status = take_row(&by_hand, &table, diag);
    if (!status && !by_hand.rows)
        status = br_fail_at(diag, BR_NO_POS, BR_BAD_INPUT,
                            "write rows of a stage or a pattern, a comma, and seconds",
                            "the table of durations is empty");
    br_table_finish(&table);
    br_source_close(&source);
    return status || many || !by_hand.idle ? status : doubt_idle(&by_hand, path, diag);
}
