/* Slurm's accounting as `sacct --parsable2` prints it: a header with names of columns, in any
 * order, and a line per job. Steps of jobs, which sacct also prints by default, are skipped: the
 * job's own line has all of its time and processors. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text/text.h"
#include "parsers/other.h"
#include "parsers/text/lines.h"
#include "parsers/text/value.h"
#include "cluster/workload/read/formats.h"
#include "cluster/workload/read/record.h"
#include "cluster/workload/read/runs.h"
#include "cluster/workload/read/slurm_value.h"

enum column {
    JOB_ID,
    SUBMIT,
    ELIGIBLE,
    START,
    END,
    ELAPSED,
    ELAPSED_RAW,
    TIME_LIMIT,
    TIME_LIMIT_RAW,
    STATE,
    ALLOC_CPUS,
    N_CPUS,
    REQ_CPUS,
    ALLOC_TRES,
    REQ_TRES,
    REQ_MEM,
    N_NODES,
    ALLOC_NODES,
    USER,
    ACCOUNT,
    PARTITION,
    COLUMNS,
};

static const char *const column_name[COLUMNS] = {
    "JobID",     "Submit",       "Eligible", "Start",      "End",   "Elapsed", "ElapsedRaw",
    "Timelimit", "TimelimitRaw", "State",    "AllocCPUS",  "NCPUS", "ReqCPUS", "AllocTRES",
    "ReqTRES",   "ReqMem",       "NNodes",   "AllocNodes", "User",  "Account", "Partition"};

enum { MOST_FIELDS = 1000, LONGEST_LINE = 1 << 20, NOT_USED = -1 };
static const char usual[] = "such as sacct --parsable2 --allocations --format=" BR_SACCT_USUAL;

struct sacct {
    struct br_lines lines;
    struct br_records records;
    const struct br_workload_options *options;
    char delimiter;
    uint32_t fields;             /* in the header */
    int16_t column[MOST_FIELDS]; /* by field, or NOT_USED */
    bool has[COLUMNS];
    const char *value[COLUMNS]; /* of the current line; NULL if there is no such column */
    struct br_runs runs;
    uint32_t later; /* jobs that were eligible later than submitted */
    struct br_diag *diag;
};

/* ---- The header ---- */

/* The character after the first name; 0 if there is none. */
static char find_delimiter(const char *header)
{
    size_t name = strspn(header, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
    char c = header[name];
    return (char)(name && c && c != '\r' && c != '\n' && c != ' ' && c != '"' ? c : 0);
}

/* A name of the header that stands alone between delimiters or at an end. */
static bool sacct_is_name(const char *text, size_t length, const char *name)
{
    return strlen(name) == length && strncasecmp(text, name, length) == 0;
}

bool br_is_sacct(const char *text)
{
    if (strncmp(text, "\xef\xbb\xbf", 3) == 0)
        text += 3; /* byte order mark */
    const char end[] = {find_delimiter(text), '\r', '\n', 0};
    for (const char *p = text; end[0];) {
        size_t length = strcspn(p, end);
        if (sacct_is_name(p, length, "JobID"))
            return true;
        if (p[length] != end[0])
            return false;
        p += length + 1;
    }
    return false;
}

static struct br_pos sacct_place(const struct sacct *sacct, const char *at)
{
    return (struct br_pos){sacct->lines.number, (uint32_t)(at - sacct->lines.line) + 1};
}

static enum br_status sacct_missing(struct sacct *sacct, const char *columns)
{
    return br_fail_at(sacct->diag, sacct_place(sacct, sacct->lines.line), BR_BAD_INPUT, usual,
                      "the header has no column %s", columns);
}

static enum br_status check_columns(struct sacct *sacct)
{
    static const enum column by[] = {
        [BR_GROUP_BY_ACCOUNT] = ACCOUNT, [BR_GROUP_BY_QUEUE] = PARTITION};
    const bool *has = sacct->has;
    enum br_grouping group_by = sacct->options->group_by;
    if (!has[JOB_ID])
        return sacct_missing(sacct, "JobID");
    if (!has[SUBMIT])
        return sacct_missing(sacct, "Submit");
    if (!has[ELAPSED_RAW] && !has[ELAPSED] && !(has[START] && has[END]))
        return sacct_missing(sacct, "ElapsedRaw, nor Elapsed, nor both Start and End");
    if (!has[ALLOC_CPUS] && !has[N_CPUS] && !has[ALLOC_TRES] && !has[REQ_CPUS] && !has[REQ_TRES])
        return sacct_missing(sacct, "AllocCPUS, NCPUS, AllocTRES, ReqCPUS or ReqTRES");
    if (sacct->options->parallel == BR_PARALLEL_NODES && !has[N_NODES] && !has[ALLOC_NODES] &&
        !has[ALLOC_TRES])
        return sacct_missing(sacct, "NNodes, AllocNodes or AllocTRES");
    if ((group_by == BR_GROUP_BY_ACCOUNT || group_by == BR_GROUP_BY_QUEUE) && !has[by[group_by]])
        return sacct_missing(sacct, column_name[by[group_by]]);
    return BR_OK;
}

static enum br_status sacct_read_header(struct sacct *sacct)
{
    const char *p = sacct->lines.line;
    sacct->delimiter = find_delimiter(p);
    if (!sacct->delimiter)
        return sacct_missing(sacct, "JobID");
    for (const char end[] = {sacct->delimiter, 0};; p++) {
        if (sacct->fields == MOST_FIELDS)
            return br_fail_at(sacct->diag, sacct_place(sacct, p), BR_BAD_INPUT, usual,
                              "the header has more than %d columns", MOST_FIELDS);
        size_t length = strcspn(p, end);
        int16_t column = 0;
        while (column < COLUMNS && !sacct_is_name(p, length, column_name[column]))
            column++;
        bool used = column < COLUMNS && !sacct->has[column]; /* requested twice: the first counts */
        sacct->column[sacct->fields++] = (int16_t)(used ? column : NOT_USED);
        if (used)
            sacct->has[column] = true;
        p += length;
        if (!*p)
            break;
    }
    return check_columns(sacct);
}

/* ---- A job ---- */

static enum br_status sacct_split(struct sacct *sacct)
{
    char *p = sacct->lines.line;
    uint32_t field = 0;
    for (bool more = true; more; field++) {
        char *end = strchr(p, sacct->delimiter);
        if (field < sacct->fields && sacct->column[field] != NOT_USED)
            sacct->value[sacct->column[field]] = p;
        more = end != NULL;
        if (more) {
            *end = 0;
            p = end + 1;
        }
    }
    if (field != sacct->fields)
        return br_fail_at(
            sacct->diag, sacct_place(sacct, sacct->lines.line + sacct->lines.length), BR_BAD_INPUT,
            "if a name holds the delimiter, choose another by sacct --delimiter",
            "the line has %" PRIu32 " fields, and the header %" PRIu32, field, sacct->fields);
    return BR_OK;
}

static enum br_status sacct_refuse(struct sacct *sacct, enum column column, const char *hint)
{
    return br_fail_at(sacct->diag, sacct_place(sacct, sacct->value[column]), BR_BAD_INPUT, hint,
                      "%s is '%.80s'", column_name[column], sacct->value[column]);
}

/* Does the column exist and have a value? */
static bool told(const struct sacct *sacct, enum column column)
{
    static const char *const nothing[] = {"", "Unknown", "None", "INVALID"};
    for (size_t k = 0; k < sizeof nothing / sizeof nothing[0]; k++)
        if (!sacct->value[column] || strcmp(sacct->value[column], nothing[k]) == 0)
            return false;
    return true;
}

static enum br_status sacct_read_count(struct sacct *sacct, enum column column, uint32_t *count)
{
    if (told(sacct, column) && !br_slurm_count(sacct->value[column], count))
        return sacct_refuse(sacct, column, "write a whole number");
    return BR_OK;
}

static enum br_status sacct_read_time(struct sacct *sacct, enum column column, int64_t *seconds)
{
    if (told(sacct, column) && !br_slurm_time(sacct->value[column], seconds))
        return sacct_refuse(sacct, column, "times are such as 2024-03-01T12:00:00");
    return BR_OK;
}

static enum br_status read_duration(struct sacct *sacct, enum column column, int64_t *ns)
{
    if (told(sacct, column) && !br_slurm_duration(sacct->value[column], ns))
        return sacct_refuse(sacct, column, "durations are such as 1-12:30:00");
    return BR_OK;
}

/* A whole number of seconds or minutes. */
static enum br_status read_raw(struct sacct *sacct, enum column column, int64_t unit_s, int64_t *ns)
{
    uint32_t count;
    if (!told(sacct, column))
        return BR_OK;
    if (!br_slurm_count(sacct->value[column], &count) || count > 2000000000 / unit_s)
        return sacct_refuse(sacct, column, "write a whole number");
    *ns = count * unit_s * 1000000000;
    return BR_OK;
}

/* Run time of the job: -1 if unknown. */
static enum br_status read_elapsed(struct sacct *sacct, int64_t *ns)
{
    int64_t start = -1, end = -1;
    *ns = -1;
    enum br_status status = read_raw(sacct, ELAPSED_RAW, 1, ns);
    if (!status && *ns < 0)
        status = read_duration(sacct, ELAPSED, ns);
    if (!status)
        status = sacct_read_time(sacct, START, &start);
    if (!status)
        status = sacct_read_time(sacct, END, &end);
    if (status || *ns >= 0 || start < 0 || end < 0)
        return status;
    if (end < start || end - start > 2000000000)
        return sacct_refuse(sacct, END, "is it before the start?");
    *ns = (end - start) * 1000000000;
    return BR_OK;
}

/* The requested time: -1 if there was no limit. */
static enum br_status sacct_read_limit(struct sacct *sacct, int64_t *ns)
{
    static const char *const none[] = {"UNLIMITED", "Partition_Limit"};
    const enum column column[] = {TIME_LIMIT, TIME_LIMIT_RAW};
    *ns = -1;
    for (int k = 0; k < 2 && *ns < 0; k++) {
        const char *value = sacct->value[column[k]];
        if (value && (strcmp(value, none[0]) == 0 || strcmp(value, none[1]) == 0))
            continue;
        enum br_status status =
            k == 0 ? read_duration(sacct, TIME_LIMIT, ns) : read_raw(sacct, TIME_LIMIT_RAW, 60, ns);
        if (status)
            return status;
    }
    if (*ns == 0)
        *ns = -1;
    return BR_OK;
}

/* The requested memory. Before Slurm 21.08 it is per node ("4Gn") or processor ("2Gc"). */
static enum br_status sacct_read_memory(struct sacct *sacct, struct br_record *record)
{
    const char *rest;
    int64_t times = 1;
    if (record->mem_bytes || !told(sacct, REQ_MEM))
        return BR_OK;
    if (!br_slurm_size(sacct->value[REQ_MEM], &record->mem_bytes, &rest))
        return sacct_refuse(sacct, REQ_MEM, "memory is such as 4000M or 1.5G");
    if (*rest == 'n') {
        if (record->nodes == 0)
            return sacct_refuse(sacct, REQ_MEM, "it is by node: add the column NNodes");
        times = record->nodes;
    } else if (*rest == 'c') {
        times = record->processors;
    }
    if (*rest && ((*rest != 'n' && *rest != 'c') || rest[1]))
        return sacct_refuse(sacct, REQ_MEM, "memory is such as 4000M or 1.5G");
    if (__builtin_mul_overflow(record->mem_bytes, times, &record->mem_bytes))
        return sacct_refuse(sacct, REQ_MEM, "that is too large");
    return BR_OK;
}

/* The job's allocation; if it never had one, its request. */
static enum br_status sacct_read_size(struct sacct *sacct, struct br_record *record)
{
    static const enum column list[] = {ALLOC_TRES, REQ_TRES}, cpus[] = {ALLOC_CPUS, N_CPUS},
                             nodes[] = {N_NODES, ALLOC_NODES};
    enum br_status status = BR_OK;
    for (int k = 0; k < 2 && !status; k++)
        if (record->processors == 0)
            status = sacct_read_count(sacct, cpus[k], &record->processors);
    for (int k = 0; k < 2 && !status; k++)
        if (record->nodes == 0)
            status = sacct_read_count(sacct, nodes[k], &record->nodes);
    for (int k = 0; k < 2 && !status; k++) {
        struct br_slurm_tres tres;
        if (!told(sacct, list[k]))
            continue;
        if (!br_slurm_tres(sacct->value[list[k]], &tres)) {
            status = sacct_refuse(sacct, list[k], "a list is such as cpu=4,mem=8G,node=1");
            break;
        }
        record->processors = record->processors ? record->processors : tres.cpus;
        record->nodes = record->nodes ? record->nodes : tres.nodes;
        record->gpus = record->gpus ? record->gpus : tres.gpus;
        record->mem_bytes = record->mem_bytes ? record->mem_bytes : tres.mem_bytes;
    }
    if (!status && record->processors == 0)
        status = sacct_read_count(sacct, REQ_CPUS, &record->processors);
    if (!status && record->processors > BR_MAX_TASKS)
        return br_fail_at(sacct->diag, record->pos, BR_BAD_INPUT, "is that its number?",
                          "job '%.80s' has %" PRIu32 " processors", record->id, record->processors);
    return status ? status : sacct_read_memory(sacct, record);
}

static bool in_state(const char *state, const char *const *list)
{
    size_t length = strcspn(state, " +"); /* "CANCELLED by 1000" */
    for (; *list; list++)
        if (strlen(*list) == length && strncmp(state, *list, length) == 0)
            return true;
    return false;
}

/* Does the job belong to the workload? Else counts the reason. */
static bool sacct_is_kept(struct sacct *sacct, const struct br_record *record)
{
    static const char *const waiting[] = {"PENDING", "CONFIGURING", NULL},
                             *const running[] = {"RUNNING",   "SUSPENDED", "COMPLETING", "RESIZING",
                                                 "SIGNALING", "STOPPED",   "STAGE_OUT",  NULL},
                             *const resizing[] = {"RESIZING", NULL},
                             *const cancelled[] = {"CANCELLED", NULL},
                             *const completed[] = {"COMPLETED", NULL};
    const char *state = sacct->value[STATE] ? sacct->value[STATE] : "";
    bool well = !*state || in_state(state, completed);
    bool started = !sacct->has[START] || told(sacct, START);
    bool resized =
        in_state(state, resizing) && told(sacct, END); /* it continued in another record */
    enum br_left_out why;
    if (in_state(state, waiting) || !started || (record->ran_ns <= 0 && in_state(state, cancelled)))
        why = BR_LEFT_NEVER_RAN;
    else if ((in_state(state, running) && !resized) || (sacct->has[END] && !told(sacct, END)))
        why = BR_LEFT_RUNNING;
    else if (record->ran_ns < 0 || record->processors == 0)
        why = BR_LEFT_UNKNOWN;
    else if (!well && sacct->options->completed_only)
        why = BR_LEFT_NOT_COMPLETED;
    else
        return true;
    sacct->records.left_out[why]++;
    return false;
}

static enum br_status read_group(struct sacct *sacct, const char **group)
{
    static const enum column by[] = {[BR_GROUP_BY_USER] = USER,
                                     [BR_GROUP_BY_ACCOUNT] = ACCOUNT,
                                     [BR_GROUP_BY_QUEUE] = PARTITION};
    *group = NULL;
    if (sacct->options->group_by == BR_GROUP_BY_NOTHING)
        return BR_OK;
    enum column column = by[sacct->options->group_by];
    if (!sacct->value[column] || !*sacct->value[column])
        return BR_OK;
    *group = sacct->value[column];
    return br_text_is_plain(*group) ? BR_OK : sacct_refuse(sacct, column, "a name is plain text");
}

/* The job arrives when Slurm could have started it: not before it was eligible, which waits for
 * other jobs, holds, limits of arrays, begin times, and the pause after a requeue. */
static enum br_status read_arrival(struct sacct *sacct, struct br_record *record, int64_t start)
{
    int64_t submit = -1, eligible = -1;
    enum br_status status = sacct_read_time(sacct, SUBMIT, &submit);
    if (!status && submit < 0)
        status = sacct_refuse(sacct, SUBMIT, "a job without its submit time cannot be simulated");
    if (!status)
        status = sacct_read_time(sacct, ELIGIBLE, &eligible);
    int64_t arrival = eligible > submit ? eligible : submit;
    if (!status && arrival > INT64_MAX / 1000000000)
        status = sacct_refuse(sacct, eligible > submit ? ELIGIBLE : SUBMIT, "that is too late");
    if (status)
        return status;
    record->submit_ns = arrival * 1000000000;
    record->waited_ns = start >= arrival ? (start - arrival) * 1000000000 : -1;
    return BR_OK;
}

/* Submit times have no zero common to all clusters: the reader shifts them when all are known. */
static enum br_status sacct_read_job(struct sacct *sacct)
{
    struct br_record record = {.id = sacct->value[JOB_ID],
                               .pos = sacct_place(sacct, sacct->value[JOB_ID])};
    int64_t start = -1;
    if (record.id[0] < '0' || record.id[0] > '9' ||
        record.id[strspn(record.id, "0123456789_+[]%,-")])
        return sacct_refuse(sacct, JOB_ID, "ids are such as 12, 12_3 or 12.batch");
    enum br_status status = sacct_read_time(sacct, START, &start);
    if (!status && start > INT64_MAX / 1000000000)
        status = sacct_refuse(sacct, START, "that is too late");
    if (!status)
        status = read_arrival(sacct, &record, start);
    if (!status)
        status = read_elapsed(sacct, &record.ran_ns);
    if (!status)
        status = sacct_read_limit(sacct, &record.declared_ns);
    if (!status)
        status = sacct_read_size(sacct, &record);
    if (!status)
        status = read_group(sacct, &record.group);
    if (status || !sacct_is_kept(sacct, &record))
        return status;
    if (told(sacct, ELIGIBLE) && told(sacct, SUBMIT) &&
        strcmp(sacct->value[ELIGIBLE], sacct->value[SUBMIT]) != 0)
        sacct->later++;
    return br_runs_add(&sacct->runs, &sacct->records, &record, start, sacct->diag);
}

static enum br_status sacct_read_line(struct sacct *sacct)
{
    if (sacct->lines.length == 0)
        return BR_OK;
    if (sacct->fields == 0)
        return sacct_read_header(sacct);
    enum br_status status = sacct_split(sacct);
    if (status || strchr(sacct->value[JOB_ID], '.')) /* a step */
        return status;
    return sacct_read_job(sacct);
}

/* ---- The whole ---- */

static void count_from_first(struct br_workload *workload)
{
    int64_t first = BR_NEVER;
    for (uint32_t j = 0; j < workload->jobs; j++)
        if (first > workload->job[j].arrival_ns)
            first = workload->job[j].arrival_ns;
    for (uint32_t j = 0; j < workload->jobs; j++)
        workload->job[j].arrival_ns -= first;
}

static enum br_status sacct_add_note(struct sacct *sacct)
{
    char more[512] = "";
    size_t used = 0;
    if (sacct->options->group_by == BR_GROUP_BY_USER && !sacct->has[USER])
        br_note_part(more, sizeof more, &used,
                     "there is no column User, so all jobs are of one group");
    if (!sacct->has[ELIGIBLE])
        br_note_part(more, sizeof more, &used,
                     "there is no column Eligible, so jobs that waited for others, a hold, a limit "
                     "of their array or a begin time arrive when they were submitted");
    if (sacct->later)
        br_note_part(more, sizeof more, &used,
                     "jobs that were eligible later than submitted, and arrive then: %" PRIu32,
                     sacct->later);
    if (sacct->runs.further)
        br_note_part(more, sizeof more, &used,
                     "runs behind the first of jobs that were requeued or resized: %" PRIu32,
                     sacct->runs.further);
    return br_records_note(&sacct->records, more, sacct->diag);
}

enum br_status br_read_sacct(struct br_source *source, const struct br_workload_options *options,
                             struct br_workload *workload, struct br_diag *diag)
{
    struct sacct sacct = {
        .lines = br_lines_of(source, LONGEST_LINE), .options = options, .diag = diag};
    br_records_init(&sacct.records, workload, options);
    bool more = false;
    enum br_status status = br_lines_next(&sacct.lines, &more, diag);
    while (!status && more) {
        status = sacct_read_line(&sacct);
        if (!status)
            status = br_lines_next(&sacct.lines, &more, diag);
    }
    if (!status)
        status = sacct_add_note(&sacct);
    count_from_first(workload);
    br_runs_finish(&sacct.runs);
    br_records_finish(&sacct.records);
    br_lines_finish(&sacct.lines);
    return status;
}
