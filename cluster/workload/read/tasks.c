/* Jobs with the durations of their single tasks, and known features: a table with commas, one line
 * per job. The columns are arrival (seconds) and durations (seconds, of tasks between blanks, of
 * consecutive stages between semicolons), and perhaps id, group, weight, deadline, and declared
 * values: seconds (of a task), cpu and mem (demands of a task). Every other column is a feature of
 * that name. The durations are the true ones; a job without the column seconds declares no
 * durations, and nobody learns them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "parsers/text/begin.h"
#include "parsers/text/value.h"
#include "cluster/workload/read/formats.h"
#include "cluster/workload/read/record.h"
#include "cluster/workload/read/rows.h"
#include "parsers/text/table.h"
#include "base/text/text.h"

enum role {
    ARRIVAL,
    DURATIONS,
    ID,
    GROUP,
    WEIGHT,
    DEADLINE,
    SECONDS,
    CPU,
    MEM,
    ROLES, /* features from here on */
};
static const char *const role_name[ROLES] = {"arrival",  "durations", "id",  "group", "weight",
                                             "deadline", "seconds",   "cpu", "mem"};

struct reader {
    struct br_table table;
    struct br_workload *workload;
    struct br_diag *diag;
    uint32_t columns, role[BR_TABLE_COLUMNS];
    struct br_index dags; /* by name, which describes the whole dag */
    int64_t *true_ns;
    uint32_t tasks, task_room;
    uint32_t *stage; /* number of tasks in the row */
    uint32_t stages, stage_room;
    int64_t unknown_ns; /* default of the declared duration */
    uint32_t undeclared;
};

static uint64_t workloads_tasks_hash_dag(const void *context, uint32_t number)
{
    return br_hash_text(((const struct br_workload *)context)->dag[number].dag->name);
}

static bool workloads_tasks_equal_dag(const void *context, uint32_t number, const void *key)
{
    return strcmp(((const struct br_workload *)context)->dag[number].dag->name, key) == 0;
}

static const struct br_index_keys dag_keys = {workloads_tasks_hash_dag, workloads_tasks_equal_dag};

/* ---- The head ---- */

static bool workloads_tasks_has_column(const char *text, const char *name)
{
    size_t wanted = strlen(name);
    for (const char *p = br_text_begin(text); *p && *p != '\n';) {
        p += strspn(p, " \t\"");
        size_t length = strcspn(p, ", \t\"\r\n");
        if (length == wanted && strncmp(p, name, length) == 0)
            return true;
        p += strcspn(p, ",\n");
        p += *p == ',';
    }
    return false;
}

bool br_is_tasks(const char *text)
{
    return workloads_tasks_has_column(text, "arrival") &&
           workloads_tasks_has_column(text, "durations");
}

static enum br_status workloads_tasks_read_name(struct reader *reader, uint32_t k)
{
    const char *name = br_table_trim(reader->table.field[k]);
    struct br_pos pos = br_table_place(&reader->table, reader->table.column[k]);
    uint32_t role = 0, feature;
    while (role < ROLES && strcmp(name, role_name[role]) != 0)
        role++;
    if (role == ROLES) {
        br_value_place(reader->diag, pos);
        if (!*name || !br_text_is_plain(name))
            return br_fail_at(reader->diag, pos, BR_BAD_INPUT, "name the content of the column",
                              "a column has no name");
        enum br_status status =
            br_workload_add_feature(reader->workload, name, &feature, reader->diag);
        if (status)
            return status;
        role += feature;
    }
    for (uint32_t before = 0; before < k; before++)
        if (reader->role[before] == role)
            return br_fail_at(reader->diag, pos, BR_BAD_INPUT, "leave out one of them",
                              "there are two columns '%.80s'", name);
    reader->role[k] = role;
    return BR_OK;
}

static enum br_status workloads_tasks_read_head(struct reader *reader)
{
    bool more, there[ROLES] = {false};
    enum br_status status = br_table_next(&reader->table, &more);
    if (!status && !more)
        status = br_fail_at(reader->diag, BR_NO_POS, BR_BAD_INPUT,
                            "write arrival,durations and a job a line", "the table has no head");
    reader->columns = status ? 0 : reader->table.fields;
    for (uint32_t k = 0; !status && k < reader->columns; k++) {
        status = workloads_tasks_read_name(reader, k);
        if (!status && reader->role[k] < ROLES)
            there[reader->role[k]] = true;
    }
    for (uint32_t r = ARRIVAL; !status && r <= DURATIONS; r++)
        if (!there[r])
            status = br_fail_at(reader->diag, br_table_place(&reader->table, 1), BR_BAD_INPUT,
                                "write arrival,durations and a job a line",
                                "there is no column '%s'", role_name[r]);
    return status;
}

/* ---- Durations ---- */

static enum br_status workloads_add_task(struct reader *reader, const char *word, const char *owner)
{
    if (!br_grow(&reader->true_ns, reader->tasks, &reader->task_room, sizeof *reader->true_ns))
        return br_fail_memory(reader->diag);
    if (reader->tasks == BR_MAX_TASKS)
        return br_fail(reader->diag, BR_BAD_INPUT, NULL, "%s has more than %u tasks", owner,
                       BR_MAX_TASKS);
    reader->stage[reader->stages - 1]++;
    return br_value_seconds(word, "durations", owner, &reader->true_ns[reader->tasks++],
                            reader->diag);
}

static enum br_status workloads_tasks_add_stage(struct reader *reader, char *text,
                                                const char *owner)
{
    if (!br_grow(&reader->stage, reader->stages, &reader->stage_room, sizeof *reader->stage))
        return br_fail_memory(reader->diag);
    reader->stage[reader->stages++] = 0;
    enum br_status status = BR_OK;
    while (!status && text) {
        const char *word = strsep(&text, " \t");
        if (*word)
            status = workloads_add_task(reader, word, owner);
    }
    if (!status && !reader->stage[reader->stages - 1])
        status =
            br_fail(reader->diag, BR_BAD_INPUT, "write 12.5 13 for two tasks, and ; between stages",
                    "%s has a stage without durations", owner);
    return status;
}

static enum br_status workloads_tasks_read_durations(struct reader *reader, char *text,
                                                     const char *owner)
{
    enum br_status status = BR_OK;
    reader->tasks = reader->stages = 0;
    while (!status && text)
        status = workloads_tasks_add_stage(reader, strsep(&text, ";"), owner);
    return status;
}

/* ---- Dags ---- */

/* The declared values of a job. */
struct declared {
    int64_t task_ns;
    char cpu[BR_DECIMAL_TEXT], mem[BR_DECIMAL_TEXT];
};

static enum br_status read_declared(struct reader *reader, char *const field[ROLES],
                                    const char *owner, struct declared *declared)
{
    enum br_status status = BR_OK;
    *declared = (struct declared){reader->unknown_ns, "1", "0"};
    if (field[SECONDS] && *field[SECONDS])
        status =
            br_value_seconds(field[SECONDS], "seconds", owner, &declared->task_ns, reader->diag);
    else
        reader->undeclared++;
    if (!status && field[CPU] && *field[CPU])
        status = br_value_amount(field[CPU], "cpu", owner, declared->cpu, reader->diag);
    if (!status && field[MEM] && *field[MEM])
        status = br_value_amount(field[MEM], "mem", owner, declared->mem, reader->diag);
    return status;
}

/* Describes the dag: "12+3 tasks, 1 cpu, 0 mem, 60 s". The caller's; NULL when memory is out. */
static char *name_dag(const struct reader *reader, const struct declared *declared)
{
    char seconds[BR_SECONDS_TEXT], *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (uint32_t s = 0; s < reader->stages; s++)
        fprintf(out, "%s%" PRIu32, s ? "+" : "", reader->stage[s]);
    br_seconds_format(declared->task_ns, seconds);
    fprintf(out, " tasks, %s cpu, %s mem, %s s", declared->cpu, declared->mem, seconds);
    if (fclose(out)) {
        free(text);
        text = NULL;
    }
    return text;
}

static enum br_status fill_dag(const struct reader *reader, const struct declared *declared,
                               struct br_dag *dag)
{
    enum br_status status = BR_OK;
    for (uint32_t s = 0; s < reader->stages && !status; s++) {
        char id[16];
        snprintf(id, sizeof id, "%" PRIu32, s + 1);
        status = br_dag_add_stage(dag, id, reader->stage[s], declared->task_ns, NULL, reader->diag);
        if (!status && strcmp(declared->cpu, "0") != 0)
            status = br_dag_add_demand(dag, s, "cpu", declared->cpu, reader->diag);
        if (!status && strcmp(declared->mem, "0") != 0)
            status = br_dag_add_demand(dag, s, "mem", declared->mem, reader->diag);
        if (!status && s > 0)
            status = br_dag_add_edge(dag, s - 1, s, BR_BARRIER, reader->diag);
    }
    return status ? status : br_dag_finish(dag, reader->diag);
}

static enum br_status workloads_tasks_find_dag(struct reader *reader,
                                               const struct declared *declared, uint32_t *number)
{
    char *name = name_dag(reader, declared);
    if (!name)
        return br_fail_memory(reader->diag);
    *number = br_index_find(&reader->dags, &dag_keys, reader->workload, name, br_hash_text(name));
    enum br_status status = BR_OK;
    if (*number == UINT32_MAX) {
        struct br_dag *dag = br_dag_create(name);
        status = dag ? fill_dag(reader, declared, dag) : br_fail_memory(reader->diag);
        if (status)
            br_dag_destroy(dag);
        else
            status = br_workload_add_dag(reader->workload, dag, NULL, NULL, number, reader->diag);
        if (!status && !br_index_add(&reader->dags, &dag_keys, reader->workload, *number))
            status = br_fail_memory(reader->diag);
    }
    free(name);
    return status;
}

/* ---- Jobs ---- */

static enum br_status read_plain(struct reader *reader, char *const field[ROLES], const char *owner,
                                 struct br_workload_job *job)
{
    enum br_status status =
        br_value_seconds(field[ARRIVAL], "arrival", owner, &job->arrival_ns, reader->diag);
    if (!status && field[DEADLINE] && *field[DEADLINE])
        status =
            br_value_seconds(field[DEADLINE], "deadline", owner, &job->deadline_ns, reader->diag);
    if (!status && field[WEIGHT] && *field[WEIGHT])
        status = br_row_number(field[WEIGHT], "weight", owner, &job->weight, reader->diag);
    if (!status && field[GROUP] && *field[GROUP]) {
        job->group = br_workload_find_group(reader->workload, field[GROUP]);
        if (job->group == BR_NO_GROUP)
            status =
                br_workload_add_group(reader->workload, field[GROUP], 1, &job->group, reader->diag);
    }
    return status;
}

static enum br_status workloads_tasks_read_job(struct reader *reader)
{
    char *field[ROLES] = {NULL}, number[16], owner[100];
    const char *feature[BR_WORKLOAD_FEATURES] = {NULL};
    struct br_workload_job job = br_workload_job_default();
    struct declared declared;
    job.pos = br_table_place(&reader->table, 1);
    br_value_place(reader->diag, job.pos);
    if (reader->table.fields != reader->columns)
        return br_fail_at(reader->diag, br_table_place(&reader->table, 0), BR_BAD_INPUT,
                          "write as many fields as the head has, empty if nothing is known",
                          "the row has %" PRIu32 " fields, and the head %" PRIu32,
                          reader->table.fields, reader->columns);
    for (uint32_t k = 0; k < reader->columns; k++) {
        char *text = reader->table.field[k];
        if (!br_text_is_lines(text))
            return br_fail(reader->diag, BR_BAD_INPUT, "leave out control characters",
                           "a field has a character that is no text");
        if (reader->role[k] < ROLES)
            field[reader->role[k]] = text;
        else
            feature[reader->role[k] - ROLES] = *text ? text : NULL;
    }
    snprintf(number, sizeof number, "%" PRIu32, reader->workload->jobs + 1);
    job.id = field[ID] && *field[ID] ? field[ID] : number;
    job.seed = (uint64_t)reader->workload->jobs + 1;
    job.feature = feature;
    snprintf(owner, sizeof owner, "job '%.80s'", job.id);
    enum br_status status = read_plain(reader, field, owner, &job);
    if (!status)
        status = workloads_tasks_read_durations(reader, field[DURATIONS], owner);
    if (!status)
        status = read_declared(reader, field, owner, &declared);
    if (!status)
        status = workloads_tasks_find_dag(reader, &declared, &job.dag);
    job.true_ns = reader->true_ns;
    return status ? status : br_workload_add_job(reader->workload, &job, reader->diag);
}

static enum br_status write_note(struct reader *reader)
{
    char text[200], seconds[BR_SECONDS_TEXT];
    if (!reader->undeclared)
        return BR_OK;
    br_seconds_format(reader->unknown_ns, seconds);
    snprintf(text, sizeof text,
             "%" PRIu32 " of %" PRIu32 " jobs declare no time; their tasks count as %s s long",
             reader->undeclared, reader->workload->jobs, seconds);
    reader->workload->note = br_arena_text(&reader->workload->arena, text);
    reader->workload->note_is_of_declared = true;
    return reader->workload->note ? BR_OK : br_fail_memory(reader->diag);
}

enum br_status br_read_tasks(struct br_source *source, const struct br_workload_options *options,
                             struct br_workload *workload, struct br_diag *diag)
{
    int64_t given = options->job.default_duration_ns;
    struct reader reader = {.table = br_table_of(source, diag),
                            .workload = workload,
                            .diag = diag,
                            .unknown_ns = given > 0 ? given : 1000000000};
    bool more = false;
    enum br_status status = workloads_tasks_read_head(&reader);
    if (!status)
        status = br_table_next(&reader.table, &more);
    while (!status && more) {
        status = workloads_tasks_read_job(&reader);
        if (!status)
            status = br_table_next(&reader.table, &more);
    }
    if (!status)
        status = write_note(&reader);
    br_table_finish(&reader.table);
    br_index_finish(&reader.dags);
    free(reader.true_ns);
    free(reader.stage);
    return status;
}
