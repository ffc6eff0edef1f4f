/* Workloads as a table with commas: a header of columns in any order, then a line per job. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/options.h"
#include "parsers/text/begin.h"
#include "parsers/text/value.h"
#include "cluster/workload/read/formats.h"
#include "cluster/workload/read/rows.h"
#include "parsers/text/table.h"

enum { GROUP_WEIGHT = BR_ROW_FIELDS }; /* a column beside the fields that both forms have */

struct reader {
    struct br_rows rows;
    struct br_table table;
    struct br_workload *workload;
    struct br_diag *diag;
    uint32_t columns, role[BR_TABLE_COLUMNS]; /* enum br_row_field or GROUP_WEIGHT */
    bool *weighed;                            /* by group: a row has given its weight */
    uint32_t weighed_room;
};

/* ---- The head ---- */

static enum br_status workloads_csv_read_name(struct reader *reader, uint32_t k)
{
    const char *name = br_table_trim(reader->table.field[k]);
    struct br_suggestion suggestion = {.word = name};
    char hint[120] = "columns are file, entry, id, arrival, group, weight, deadline, seed, scale, "
                     "parallel, cpu-only";
    uint32_t role = 0;
    while (role < BR_ROW_FIELDS && strcmp(name, br_row_name[role]) != 0)
        br_suggestion_offer(&suggestion, br_row_name[role++]);
    if (role == BR_ROW_FIELDS && strcmp(name, "group_weight") != 0) {
        br_suggestion_offer(&suggestion, "group_weight");
        if (suggestion.best)
            snprintf(hint, sizeof hint, "did you mean '%s'?", suggestion.best);
        return br_fail_at(reader->diag, br_table_place(&reader->table, reader->table.column[k]),
                          BR_BAD_INPUT, hint, "there is no column '%.80s' in workloads", name);
    }
    for (uint32_t before = 0; before < k; before++)
        if (reader->role[before] == role)
            return br_fail_at(reader->diag, br_table_place(&reader->table, reader->table.column[k]),
                              BR_BAD_INPUT, "leave out one of them",
                              "there are two columns '%.80s'", name);
    reader->role[k] = role;
    return BR_OK;
}

static enum br_status workloads_csv_read_head(struct reader *reader)
{
    bool more;
    enum br_status status = br_table_next(&reader->table, &more);
    if (!status && !more)
        status = br_fail_at(reader->diag, BR_NO_POS, BR_BAD_INPUT,
                            "write file,arrival and a job a line", "the workload has no head");
    reader->columns = reader->table.fields;
    for (uint32_t k = 0; !status && k < reader->columns; k++)
        status = workloads_csv_read_name(reader, k);
    return status;
}

/* A header has the columns file and arrival. */
bool br_is_workload_csv(const char *text)
{
    bool file = false, arrival = false;
    for (const char *p = br_text_begin(text); *p && *p != '\n';) {
        p += strspn(p, " \t\"");
        size_t length = strcspn(p, ", \t\"\r\n");
        file |= length == 4 && strncmp(p, "file", 4) == 0;
        arrival |= length == 7 && strncmp(p, "arrival", 7) == 0;
        p += length;
        p += strspn(p, " \t\"\r");
        if (*p == ',')
            p++;
        else if (*p && *p != '\n')
            return false;
    }
    return file && arrival;
}

/* ---- Jobs ---- */

/* The weight of the job's group: the first row that gives it decides, and others may not differ. */
static enum br_status weigh_group(struct reader *reader, const char *group, const char *text)
{
    double weight;
    uint32_t number;
    if (!*text)
        return BR_OK;
    const char *name = group && *group ? group : "default";
    char owner[100];
    snprintf(owner, sizeof owner, "group '%.80s'", name);
    enum br_status status = br_row_number(text, "group_weight", owner, &weight, reader->diag);
    number = status ? BR_NO_GROUP : br_workload_find_group(reader->workload, name);
    if (!status && number == BR_NO_GROUP)
        status = br_workload_add_group(reader->workload, name, weight, &number, reader->diag);
    if (status)
        return status;
    uint32_t old = reader->weighed_room;
    if (number >= old) {
        uint32_t room = number + number / 2 + 16;
        bool *larger = realloc(reader->weighed, room * sizeof *larger);
        if (!larger)
            return br_fail_memory(reader->diag);
        memset(larger + old, 0, (room - old) * sizeof *larger);
        reader->weighed = larger;
        reader->weighed_room = room;
    }
    if (reader->weighed[number] && reader->workload->group[number].weight != weight)
        return br_fail(reader->diag, BR_BAD_INPUT, "a group has one weight",
                       "the weight of group '%.80s' is not as in the rows before", name);
    reader->weighed[number] = true;
    reader->workload->group[number].weight = weight;
    return BR_OK;
}

static enum br_status workloads_csv_read_job(struct reader *reader)
{
    const char *field[BR_ROW_FIELDS + 1] = {0};
    enum br_status status = BR_OK;
    if (reader->table.fields != reader->columns)
        return br_fail_at(reader->diag, br_table_place(&reader->table, 0), BR_BAD_INPUT,
                          "write as many fields as the head has, empty if nothing is to be said",
                          "the row has %" PRIu32 " fields, and the head %" PRIu32,
                          reader->table.fields, reader->columns);
    for (uint32_t k = 0; k < reader->columns; k++)
        field[reader->role[k]] = reader->table.field[k];
    br_value_place(reader->diag, br_table_place(&reader->table, 1));
    if (field[GROUP_WEIGHT])
        status = weigh_group(reader, field[BR_ROW_GROUP], field[GROUP_WEIGHT]);
    return status ? status
                  : br_rows_add(&reader->rows, field, true, br_table_place(&reader->table, 1),
                                reader->diag);
}

enum br_status br_read_workload_csv(struct br_source *source,
                                    const struct br_workload_options *options,
                                    struct br_workload *workload, struct br_diag *diag)
{
    struct reader reader = {.table = br_table_of(source, diag), .workload = workload, .diag = diag};
    bool more = false;
    enum br_status status = br_rows_begin(&reader.rows, source, options, workload, diag);
    if (!status)
        status = workloads_csv_read_head(&reader);
    if (!status)
        status = br_table_next(&reader.table, &more);
    while (!status && more) {
        status = workloads_csv_read_job(&reader);
        if (!status)
            status = br_table_next(&reader.table, &more);
    }
    br_rows_finish(&reader.rows);
    br_table_finish(&reader.table);
    free(reader.weighed);
    return status;
}
