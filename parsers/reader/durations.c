#include "parsers/reader/durations.h"

#include <assert.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/text/table.h"
#include "parsers/text/value.h"

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

static bool set_stages(struct br_dag *dag, const char *name, int64_t ns)
{
    const uint32_t stage = br_dag_find_stage(dag, name);
    bool any = stage != UINT32_MAX;
    if (any)
        br_dag_replace_duration(dag, stage, UINT32_MAX, ns);
    if (any || set_task(dag, name, ns))
        return true;
    for (uint32_t s = 0; strpbrk(name, "*?[") && s < dag->stages; s++)
        if (fnmatch(name, dag->stage[s].id, 0) == 0) {
            br_dag_replace_duration(dag, s, UINT32_MAX, ns);
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
