/* Rows of a workload. A job file is read when the first row names it, so a missing file is reported
 * at that row, and nothing is read twice. */
#include "cluster/workload/read/rows.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/collections/grow.h"
#include "base/numbers/real.h"
#include "base/text/options.h"
#include "base/text/text.h"
#include "parsers/parsers.h"
#include "parsers/text/value.h"
#include "cluster/workload/read/formats.h"
#include "cluster/workload/read/made.h"
#include "cluster/workload/scale.h"

/* More digits would not survive conversion to a real number. */
#define MOST_DIGITS INT64_C(1000000000000000) /* 15 */

const char *const br_row_name[BR_ROW_FIELDS + 1] = {"file",  "entry",    "id",       "arrival",
                                                    "group", "weight",   "deadline", "seed",
                                                    "scale", "parallel", "cpu-only", NULL};

/* How a record is read. */
struct reading {
    enum br_parallel parallel;
    bool cpu_only;
};

/* A file named by rows: a job, or a record of a cluster with many. */
struct br_row_file {
    const char *name; /* as written in the rows */
    double scale;     /* of its durations */
    struct reading reading;
    uint32_t dag; /* of a job; UINT32_MAX: a record */
    struct br_workload *record;
    struct br_index entries; /* the record's jobs by their entry */
    uint32_t *moved;         /* by dag of the record: its number in the workload, or UINT32_MAX */
};

/* A job of a file named by rows. */
struct br_row_dag {
    const char *file, *entry; /* as written in the rows; no entry is "" */
    double scale;
    struct reading reading;
    bool recorded;          /* so others may share the dag, and the job has its entry */
    uint32_t number;        /* of the workload's dag */
    const int64_t *true_ns; /* from the record; NULL: none */
    const char **feature;   /* those values, by feature of the workload */
};

/* The parts of a row that identify its dag. */
struct key {
    const char *file, *entry;
    double scale;
    struct reading reading;
};

static bool same_reading(const struct reading *a, const struct reading *b)
{
    return a->parallel == b->parallel && a->cpu_only == b->cpu_only;
}

static uint64_t rows_hash_key(const struct key *key)
{
    uint64_t scale;
    memcpy(&scale, &key->scale, sizeof scale);
    return br_hash_text(key->file) ^ br_hash_number(br_hash_text(key->entry) + scale);
}

static uint64_t rows_hash_dag(const void *context, uint32_t number)
{
    const struct br_row_dag *dag = &((const struct br_rows *)context)->dag[number];
    return rows_hash_key(&(struct key){dag->file, dag->entry, dag->scale, dag->reading});
}

static bool is_dag(const struct br_row_dag *dag, const struct key *key)
{
    return strcmp(dag->file, key->file) == 0 && strcmp(dag->entry, key->entry) == 0 &&
           dag->scale == key->scale && same_reading(&dag->reading, &key->reading);
}

static bool rows_equal_dag(const void *context, uint32_t number, const void *key)
{
    return is_dag(&((const struct br_rows *)context)->dag[number], key);
}

static uint64_t rows_hash_file(const void *context, uint32_t number)
{
    const struct br_row_file *file = &((const struct br_rows *)context)->file[number];
    return rows_hash_key(&(struct key){file->name, "", file->scale, file->reading});
}

static bool equal_file(const void *context, uint32_t number, const void *key)
{
    const struct br_row_file *file = &((const struct br_rows *)context)->file[number];
    const struct key *wanted = key;
    return strcmp(file->name, wanted->file) == 0 && file->scale == wanted->scale &&
           same_reading(&file->reading, &wanted->reading);
}

static const char *entry_of(const struct br_workload *record, uint32_t job)
{
    const char *entry = record->dag[record->job[job].dag].entry;
    return entry ? entry : record->job[job].id;
}

static uint64_t rows_hash_entry(const void *context, uint32_t number)
{
    return br_hash_text(entry_of(context, number));
}

static bool equal_entry(const void *context, uint32_t number, const void *key)
{
    return strcmp(entry_of(context, number), key) == 0;
}

static const struct br_index_keys dag_keys = {rows_hash_dag, rows_equal_dag};
static const struct br_index_keys file_keys = {rows_hash_file, equal_file};
static const struct br_index_keys entry_keys = {rows_hash_entry, equal_entry};

enum br_status br_rows_begin(struct br_rows *rows, struct br_source *source,
                             const struct br_workload_options *options,
                             struct br_workload *workload, struct br_diag *diag)
{
    *rows = (struct br_rows){.workload = workload, .options = options, .source = source->name};
    rows->last = UINT32_MAX;
    const char *slash = source->owned ? strrchr(source->name, '/') : NULL;
    char *folder = br_arena_text(&rows->arena, slash ? source->name : "");
    if (!folder)
        return br_fail_memory(diag);
    if (slash)
        folder[slash + 1 - source->name] = 0;
    rows->folder = folder;
    return BR_OK;
}

void br_rows_finish(struct br_rows *rows)
{
    for (uint32_t f = 0; f < rows->file_count; f++) {
        br_workload_destroy(rows->file[f].record);
        br_index_finish(&rows->file[f].entries);
        free(rows->file[f].moved);
    }
    free(rows->file);
    free(rows->dag);
    br_index_finish(&rows->files);
    br_index_finish(&rows->dags);
    br_arena_finish(&rows->arena);
    *rows = (struct br_rows){0};
}

/* ---- Job files ---- */

/* After reading another file, the diagnostic refers to this one again. */
static void back(const struct br_rows *rows, struct br_pos pos, struct br_diag *diag)
{
    br_diag_file(diag, rows->source);
    br_value_place(diag, pos);
}

/* The fault is in the job file, whose place stays; the hint names the row. */
static void name_row(const struct br_rows *rows, struct br_pos pos, struct br_diag *diag)
{
    char hint[sizeof diag->hint];
    if (!diag || !diag->file[0] || strcmp(diag->file, rows->source) == 0)
        return;
    snprintf(hint, sizeof hint, "%.140s%snamed by %.80s:%" PRIu32, diag->hint,
             diag->hint[0] ? "; " : "", rows->source, pos.line);
    snprintf(diag->hint, sizeof diag->hint, "%s", hint);
}

static enum br_status rows_read_job(struct br_rows *rows, struct br_row_file *file,
                                    const char *path, struct br_diag *diag)
{
    struct br_input input;
    enum br_status status = br_parse_job(path, &rows->options->job, &input, diag);
    if (status)
        return status;
    struct br_dag *dag = input.dag;
    input.dag = NULL;
    br_input_finish(&input);
    br_dag_scale(dag, file->scale);
    status = br_workload_add_dag(rows->workload, dag, path, NULL, &file->dag, diag);
    if (!status)
        rows->workload->dag[file->dag].scale = file->scale;
    return status;
}

static enum br_status rows_read_record(struct br_rows *rows, struct br_row_file *file,
                                       const char *path, struct br_diag *diag)
{
    struct br_workload_options options = *rows->options;
    options.from = NULL;
    options.parallel = file->reading.parallel;
    options.cpu_only = file->reading.cpu_only;
    enum br_status status = options.table->parse(path, &options, &file->record, diag);
    if (status)
        return status;
    br_workload_scale_durations(file->record, file->scale);
    file->moved = malloc(((size_t)file->record->dags + 1) * sizeof *file->moved);
    if (!file->moved)
        return br_fail_memory(diag);
    for (uint32_t d = 0; d < file->record->dags; d++)
        file->moved[d] = UINT32_MAX;
    for (uint32_t j = 0; j < file->record->jobs; j++) {
        const char *entry = entry_of(file->record, j);
        if (br_index_find(&file->entries, &entry_keys, file->record, entry, br_hash_text(entry)) ==
                UINT32_MAX &&
            !br_index_add(&file->entries, &entry_keys, file->record, j))
            return br_fail_memory(diag);
    }
    return BR_OK;
}

/* Reading a pipe or a device may never end, and the next reading would give other jobs. */
static bool is_regular(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

static enum br_status rows_read_file(struct br_rows *rows, struct br_row_file *file, bool entry,
                                     struct br_pos pos, struct br_diag *diag)
{
    char *path;
    if (asprintf(&path, "%s%s", *file->name == '/' ? "" : rows->folder, file->name) < 0)
        return br_fail_memory(diag);
    enum br_status status;
    const char *form;
    if (strcmp(file->name, "-") == 0) {
        status = br_fail_at(diag, pos, BR_BAD_INPUT, "write ./- for a file of that name",
                            "a job of a workload cannot come from standard input");
    } else if (access(path, R_OK)) {
        status = br_fail_at(diag, pos, BR_BAD_INPUT,
                            "paths of job files begin at the folder of the workload",
                            "the job file '%.300s' cannot be read: %s", path, strerror(errno));
    } else if (!is_regular(path)) {
        status = br_fail_at(diag, pos, BR_BAD_INPUT, "name a file",
                            "the job file '%.300s' is a folder or a device", path);
    } else if ((!entry && br_parse_recognise(path)) ||
               !(form = rows->options->table->recognise(path))) {
        status = rows_read_job(rows, file, path, diag);
    } else if (strcmp(form, "xml") == 0 || strcmp(form, "csv") == 0) {
        status = br_fail_at(diag, pos, BR_BAD_INPUT, "name the job files that it names",
                            "'%.300s' is a workload, not a job", path);
    } else {
        status = rows_read_record(rows, file, path, diag);
    }
    if (status)
        name_row(rows, pos, diag);
    else
        back(rows, pos, diag);
    free(path);
    return status;
}

/* *number: that of the file, which is read now if it has not been. */
static enum br_status find_file(struct br_rows *rows, const struct key *key, struct br_pos pos,
                                uint32_t *number, struct br_diag *diag)
{
    uint64_t hash = rows_hash_key(&(struct key){key->file, "", key->scale, key->reading});
    *number = br_index_find(&rows->files, &file_keys, rows, key, hash);
    if (*number != UINT32_MAX)
        return BR_OK;
    if (!br_grow(&rows->file, rows->file_count, &rows->file_room, sizeof *rows->file))
        return br_fail_memory(diag);
    struct br_row_file *file = &rows->file[rows->file_count];
    *file = (struct br_row_file){.name = br_arena_text(&rows->arena, key->file),
                                 .scale = key->scale,
                                 .reading = key->reading,
                                 .dag = UINT32_MAX};
    if (!file->name)
        return br_fail_memory(diag);
    *number = rows->file_count++;
    enum br_status status = rows_read_file(rows, file, *key->entry != 0, pos, diag);
    if (!status && !br_index_add(&rows->files, &file_keys, rows, *number))
        status = br_fail_memory(diag);
    return status;
}

/* ---- Jobs of files ---- */

/* The record's values for the job, under the workload's numbers of features. */
static enum br_status take_features(struct br_rows *rows, const struct br_workload *record,
                                    const struct br_workload_job *job, struct br_row_dag *row,
                                    struct br_diag *diag)
{
    enum br_status status = BR_OK;
    if (!job->feature)
        return BR_OK;
    row->feature = br_arena_array(&rows->arena, BR_WORKLOAD_FEATURES, sizeof *row->feature);
    if (!row->feature)
        return br_fail_memory(diag);
    for (uint32_t f = 0; f < record->features && !status; f++) {
        uint32_t number = 0;
        status = br_workload_add_feature(rows->workload, record->feature[f], &number, diag);
        if (!status)
            row->feature[number] = job->feature[f];
    }
    return status;
}

/* Takes a job out of a record, with a dag that it may share with others. */
static enum br_status take_entry(struct br_rows *rows, struct br_row_file *file,
                                 struct br_row_dag *row, struct br_diag *diag)
{
    struct br_workload *record = file->record;
    uint32_t j = 0;
    if (*row->entry)
        j = br_index_find(&file->entries, &entry_keys, record, row->entry,
                          br_hash_text(row->entry));
    else if (record->jobs > 1)
        return br_fail(diag, BR_BAD_INPUT, "say which by entry", "'%.200s' holds %" PRIu32 " jobs",
                       file->name, record->jobs);
    if (j == UINT32_MAX)
        return br_fail(diag, BR_BAD_INPUT, "entries are as the file numbers or names its jobs",
                       "'%.200s' has no job '%.80s'", file->name, row->entry);
    uint32_t d = record->job[j].dag;
    row->recorded = true;
    row->true_ns = record->job[j].true_ns;
    enum br_status status = take_features(rows, record, &record->job[j], row, diag);
    if (status)
        return status;
    if (file->moved[d] == UINT32_MAX) {
        struct br_workload_dag *old = &record->dag[d];
        struct br_dag *dag = old->dag;
        old->dag = NULL;
        status =
            br_workload_add_dag(rows->workload, dag, old->path, old->entry, &file->moved[d], diag);
        if (status)
            return status;
        struct br_workload_dag *moved = &rows->workload->dag[file->moved[d]];
        moved->scale = file->scale;
        moved->parallel = old->parallel;
        moved->cpu_only = old->cpu_only;
    }
    row->number = file->moved[d];
    return BR_OK;
}

static enum br_status rows_make_dag(struct br_rows *rows, struct br_row_dag *row,
                                    struct br_diag *diag)
{
    struct br_dag *dag;
    enum br_status status = br_made_job(row->file, row->entry, &dag, diag);
    if (status)
        return status;
    br_dag_scale(dag, row->scale);
    status = br_workload_add_dag(rows->workload, dag, row->file, row->entry, &row->number, diag);
    if (!status)
        rows->workload->dag[row->number].scale = row->scale;
    return status;
}

static enum br_status load_dag(struct br_rows *rows, struct br_row_dag *row, struct br_pos pos,
                               struct br_diag *diag)
{
    uint32_t number;
    if (br_is_made_job(row->file))
        return rows_make_dag(rows, row, diag);
    const struct key key = {row->file, row->entry, row->scale, row->reading};
    enum br_status status = find_file(rows, &key, pos, &number, diag);
    if (status)
        return status;
    struct br_row_file *file = &rows->file[number];
    if (file->record)
        return take_entry(rows, file, row, diag);
    row->number = file->dag;
    if (*row->entry)
        return br_fail(diag, BR_BAD_INPUT, "leave out the entry",
                       "'%.200s' holds one job, and no entry '%.80s'", file->name, row->entry);
    return BR_OK;
}

/* *number: of rows->dag. */
static enum br_status rows_find_dag(struct br_rows *rows, const struct key *key, struct br_pos pos,
                                    uint32_t *number, struct br_diag *diag)
{
    if (rows->last != UINT32_MAX && is_dag(&rows->dag[rows->last], key)) {
        *number = rows->last;
        return BR_OK;
    }
    *number = br_index_find(&rows->dags, &dag_keys, rows, key, rows_hash_key(key));
    if (*number != UINT32_MAX)
        return BR_OK;
    if (!br_grow(&rows->dag, rows->dag_count, &rows->dag_room, sizeof *rows->dag))
        return br_fail_memory(diag);
    struct br_row_dag *row = &rows->dag[rows->dag_count];
    *row = (struct br_row_dag){.file = br_arena_text(&rows->arena, key->file),
                               .entry = br_arena_text(&rows->arena, key->entry),
                               .scale = key->scale,
                               .reading = key->reading};
    if (!row->file || !row->entry)
        return br_fail_memory(diag);
    enum br_status status = load_dag(rows, row, pos, diag);
    if (status)
        return status;
    *number = rows->dag_count++;
    return br_index_add(&rows->dags, &dag_keys, rows, *number) ? BR_OK : br_fail_memory(diag);
}

/* ---- Numbers and names ---- */

enum br_status br_row_number(const char *text, const char *name, const char *owner, double *value,
                             struct br_diag *diag)
{
    struct br_decimal decimal;
    if (br_decimal_parse(text, &decimal))
        return br_fail(diag, BR_BAD_INPUT, "write a plain decimal such as 2.5",
                       "%s '%.80s' of %s is not a number", name, text, owner);
    while (decimal.mantissa >= MOST_DIGITS || decimal.mantissa <= -MOST_DIGITS)
        decimal = (struct br_decimal){decimal.mantissa / 10, decimal.exponent + 1};
    *value = br_real_of(decimal);
    if (!(*value <= BR_ROW_MOST && *value >= 1 / BR_ROW_MOST))
        return br_fail(diag, BR_BAD_INPUT, "write a number such as 1 or 2.5",
                       "%s '%.80s' of %s is not within 1e-9 and 1e9", name, text, owner);
    return BR_OK;
}

static enum br_status read_seed(const char *text, const char *owner, uint64_t *seed,
                                struct br_diag *diag)
{
    const char *p = text;
    uint64_t value = 0;
    bool fits = true;
    for (; *p >= '0' && *p <= '9'; p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        fits = fits && value <= (UINT64_MAX - digit) / 10;
        value = value * 10 + digit;
    }
    if (p == text || *p || !fits)
        return br_fail(diag, BR_BAD_INPUT, "write digits only, such as 17",
                       "seed '%.80s' of %s is not a whole number below 2^64", text, owner);
    *seed = value;
    return BR_OK;
}

/* Times of a workload may not be below 0; the value's reader calls them durations there. */
static enum br_status rows_read_time(const char *text, const char *name, const char *owner,
                                     int64_t *ns, struct br_diag *diag)
{
    if (br_seconds_parse(text, ns) == BR_DECIMAL_OK && *ns < 0)
        return br_fail(diag, BR_BAD_INPUT, "times of a workload begin at 0",
                       "%s '%.80s' of %s is negative", name, text, owner);
    return br_value_seconds(text, name, owner, ns, diag);
}

static enum br_status rows_find_group(struct br_workload *workload, const char *name,
                                      bool new_groups, const char *owner, uint32_t *group,
                                      struct br_diag *diag)
{
    *group = br_workload_find_group(workload, name);
    if (*group != BR_NO_GROUP)
        return BR_OK;
    if (new_groups)
        return br_workload_add_group(workload, name, 1, group, diag);
    struct br_suggestion suggestion = {.word = name};
    char hint[160] = "declare it by <group name=\"...\" weight=\"...\"/> before the jobs";
    for (uint32_t g = 0; g < workload->groups && g < 1000; g++)
        br_suggestion_offer(&suggestion, workload->group[g].name);
    if (suggestion.best)
        snprintf(hint, sizeof hint, "did you mean '%.80s'?", suggestion.best);
    return br_fail(diag, BR_BAD_INPUT, hint, "%s is of an unknown group '%.80s'", owner, name);
}

static const char *given(const char *text)
{
    return text && *text ? text : NULL;
}

static enum br_status check_texts(const char *const field[BR_ROW_FIELDS], const char *owner,
                                  struct br_diag *diag)
{
    static const enum br_row_field texts[] = {BR_ROW_FILE, BR_ROW_ENTRY, BR_ROW_ID, BR_ROW_GROUP};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        if (given(field[texts[k]]) && !br_text_is_lines(field[texts[k]]))
            return br_fail(diag, BR_BAD_INPUT, "leave out control characters",
                           "%s of %s has a character that is no text", br_row_name[texts[k]],
                           owner);
    return BR_OK;
}

static enum br_status read_reading(const char *const field[BR_ROW_FIELDS], const char *owner,
                                   struct reading *reading, struct br_diag *diag)
{
    const char *parallel = given(field[BR_ROW_PARALLEL]), *cpu_only = given(field[BR_ROW_CPU_ONLY]);
    uint32_t k = parallel ? br_named_find(&br_parallels, parallel) : 0;
    if (k == BR_NO_ROW) {
        char known[80];
        br_named_list(&br_parallels, known, sizeof known);
        return br_fail(diag, BR_BAD_INPUT, known, "parallel '%.80s' of %s is unknown", parallel,
                       owner);
    }
    if (parallel)
        reading->parallel = (enum br_parallel)k;
    if (cpu_only && strcmp(cpu_only, "true") != 0 && strcmp(cpu_only, "false") != 0)
        return br_fail(diag, BR_BAD_INPUT, "true or false", "cpu-only '%.80s' of %s is unknown",
                       cpu_only, owner);
    if (cpu_only)
        reading->cpu_only = strcmp(cpu_only, "true") == 0;
    return BR_OK;
}

/* All fields but the dag. */
static enum br_status read_fields(struct br_rows *rows, const char *const field[BR_ROW_FIELDS],
                                  bool new_groups, const char *owner, struct key *key,
                                  struct br_workload_job *job, struct br_diag *diag)
{
    enum br_status status = check_texts(field, owner, diag);
    if (!status && !given(field[BR_ROW_FILE]))
        status = br_fail(diag, BR_BAD_INPUT, "name its job file, or generate:cosmos",
                         "%s has no file", owner);
    if (!status && given(field[BR_ROW_ARRIVAL]))
        status = rows_read_time(field[BR_ROW_ARRIVAL], "arrival", owner, &job->arrival_ns, diag);
    if (!status && given(field[BR_ROW_DEADLINE]))
        status = rows_read_time(field[BR_ROW_DEADLINE], "deadline", owner, &job->deadline_ns, diag);
    if (!status && given(field[BR_ROW_WEIGHT]))
        status = br_row_number(field[BR_ROW_WEIGHT], "weight", owner, &job->weight, diag);
    if (!status && given(field[BR_ROW_SCALE]))
        status = br_row_number(field[BR_ROW_SCALE], "scale", owner, &key->scale, diag);
    if (!status)
        status = read_reading(field, owner, &key->reading, diag);
    if (!status && given(field[BR_ROW_SEED]))
        status = read_seed(field[BR_ROW_SEED], owner, &job->seed, diag);
    if (!status && given(field[BR_ROW_GROUP]))
        status = rows_find_group(rows->workload, field[BR_ROW_GROUP], new_groups, owner,
                                 &job->group, diag);
    return status;
}

enum br_status br_rows_add(struct br_rows *rows, const char *const field[BR_ROW_FIELDS],
                           bool new_groups, struct br_pos pos, struct br_diag *diag)
{
    struct br_workload_job job = br_workload_job_default();
    char number[16], owner[100];
    const char *entry = field[BR_ROW_ENTRY];
    struct key key = {.file = field[BR_ROW_FILE],
                      .entry = entry ? entry : "",
                      .scale = 1,
                      .reading = {rows->options->parallel, rows->options->cpu_only}};
    uint32_t dag = 0;
    job.pos = pos;
    job.seed = (uint64_t)rows->workload->jobs + 1;
    job.id = given(field[BR_ROW_ID]);
    if (!job.id) {
        snprintf(number, sizeof number, "%" PRIu32, rows->workload->jobs + 1);
        job.id = number;
    }
    snprintf(owner, sizeof owner, "job '%.80s'", job.id);
    br_value_place(diag, pos);
    enum br_status status = read_fields(rows, field, new_groups, owner, &key, &job, diag);
    if (status)
        return status;
    status = rows_find_dag(rows, &key, pos, &dag, diag);
    if (status)
        return status;
    rows->last = dag;
    job.dag = rows->dag[dag].number;
    job.true_ns = rows->dag[dag].true_ns;
    job.feature = rows->dag[dag].feature;
    job.entry = rows->dag[dag].recorded && *key.entry ? key.entry : NULL;
    return br_workload_add_job(rows->workload, &job, diag);
}
