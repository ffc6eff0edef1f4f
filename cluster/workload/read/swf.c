/* The Standard Workload Format [Chapin99]: a line of 18 numbers per job, -1 if one is unknown, and
 * comments after ';', which at the top give the number of processors. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/numbers/wide.h"
#include "parsers/text/lines.h"
#include "parsers/text/value.h"
#include "cluster/workload/read/formats.h"
#include "cluster/workload/read/pieces.h"
#include "cluster/workload/read/record.h"

enum column {
    JOB,
    SUBMIT,
    WAIT,
    RUN,
    PROCESSORS,
    CPU_TIME,
    USED_MEMORY,
    REQUESTED_PROCESSORS,
    REQUESTED_TIME,
    REQUESTED_MEMORY,
    STATUS,
    USER,
    GROUP,
    PROGRAM,
    QUEUE,
    PARTITION,
    PRECEDING,
    THINK_TIME,
    COLUMNS,
};

static const char *const column_name[COLUMNS] = {"the job number",
                                                 "the submit time",
                                                 "the wait time",
                                                 "the run time",
                                                 "the number of processors",
                                                 "the processor time",
                                                 "the used memory",
                                                 "the requested processors",
                                                 "the requested time",
                                                 "the requested memory",
                                                 "the status",
                                                 "the user",
                                                 "the group",
                                                 "the executable",
                                                 "the queue",
                                                 "the partition",
                                                 "the preceding job",
                                                 "the think time"};

/* Values of the column STATUS. The parts of a job that was checkpointed have lines of their own. */
enum { FAILED, COMPLETED, PART, LAST_PART, LAST_PART_FAILED, CANCELLED };

enum { LONGEST_LINE = 1 << 16, LEAST_NUMBERS = 15 };
#define MOST_SECONDS INT64_C(2000000000) /* 63 years */
#define MOST_KIB INT64_C(4000000000)     /* 4 TB, of one processor */

struct swf_job {
    int64_t number, submit_ns, wait_ns, ran_ns, requested_ns;
    int64_t allocated, requested; /* processors */
    int64_t used_nano_kib, requested_nano_kib;
    int64_t status, user, group, queue, preceding;
    struct br_pos pos;
};

struct swf {
    struct br_lines lines;
    struct br_records records;
    const struct br_workload_options *options;
    const char *word[COLUMNS];
    uint32_t processors, nodes; /* of the machine; 0: unknown */
    uint32_t followers;         /* jobs with a preceding job */
    struct br_pieces pieces;
    struct swf_job *first_part; /* of the jobs in parts */
    uint32_t jobs_in_parts, part_room;
    uint32_t joined, joined_parts; /* jobs without a line of their own, and their parts */
    struct br_diag *diag;
};

static bool swf_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool swf_is_number(const char *word, size_t length)
{
    return length > 0 && strspn(word, "0123456789.+-eE") >= length;
}

/* Count of numbers at the start of the line. */
static uint32_t numbers_in_line(const char *p)
{
    for (uint32_t numbers = 0;; numbers++) {
        p += strspn(p, " \t");
        size_t length = strcspn(p, " \t\r\n");
        if (!swf_is_number(p, length))
            return numbers;
        p += length;
    }
}

/* The first line that is no comment decides: it begins with more numbers than any other format's.
 * If there is none among the first bytes, the comments decide. */
bool br_is_swf(const char *text)
{
    bool comments = false;
    const char *p = text;
    if (strncmp(p, "\xef\xbb\xbf", 3) == 0)
        p += 3; /* byte order mark */
    for (;;) {
        p += strspn(p, " \t\r\n");
        if (*p != ';')
            break;
        comments = true;
        p += strcspn(p, "\n");
    }
    uint32_t numbers = numbers_in_line(p);
    return comments ? *p == 0 || numbers > 0 : numbers >= LEAST_NUMBERS;
}

static struct br_pos swf_place(const struct swf *swf, const char *at)
{
    return (struct br_pos){swf->lines.number, (uint32_t)(at - swf->lines.line) + 1};
}

/* ---- The head ---- */

/* The number after "; NAME:", if the line has that form. A log's header is written by hand, so a
 * value that is no number is not a fault. */
static void swf_read_header(struct swf *swf, const char *name, uint32_t *value)
{
    const char *p = swf->lines.line + strspn(swf->lines.line, "; \t");
    size_t length = strlen(name);
    uint64_t number = 0;
    if (strncmp(p, name, length) != 0)
        return;
    p += length + strspn(p + length, " \t");
    if (*p++ != ':')
        return;
    for (p += strspn(p, " \t"); *p >= '0' && *p <= '9' && number <= UINT32_MAX; p++)
        number = number * 10 + (uint64_t)(*p - '0');
    if (number <= UINT32_MAX)
        *value = (uint32_t)number;
}

/* ---- A job ---- */

static enum br_status swf_split(struct swf *swf)
{
    char *p = swf->lines.line;
    uint32_t words = 0;
    for (;; words++) {
        while (swf_is_blank(*p))
            p++;
        if (*p == 0 || words == COLUMNS)
            break;
        swf->word[words] = p;
        while (*p && !swf_is_blank(*p))
            p++;
        if (*p)
            *p++ = 0;
    }
    if (words < COLUMNS)
        return br_fail_at(swf->diag, swf_place(swf, swf->lines.line + swf->lines.length),
                          BR_BAD_INPUT, "a line has 18 numbers, with -1 for what is not known",
                          "the line ends before %s, its number %" PRIu32, column_name[words],
                          words + 1);
    if (*p)
        return br_fail_at(swf->diag, swf_place(swf, p), BR_BAD_INPUT, "a line has 18 numbers",
                          "there is more in the line than 18 numbers");
    return BR_OK;
}

static enum br_status swf_refuse(struct swf *swf, enum column column, const char *hint)
{
    const char *word = swf->word[column];
    return br_fail_at(swf->diag, swf_place(swf, word), BR_BAD_INPUT, hint, "%s is '%.40s'",
                      column_name[column], word);
}

/* A whole number of -1 (unknown) or more. */
static enum br_status swf_read_whole(struct swf *swf, enum column column, int64_t most,
                                     int64_t *value)
{
    const char *p = swf->word[column];
    int64_t number = 0;
    bool known = strcmp(p, "-1") != 0;
    const char *digits = p;
    for (; known && *p >= '0' && *p <= '9' && number <= most; p++)
        number = number * 10 + (*p - '0');
    if (known && (p == digits || (*p && number <= most)))
        return swf_refuse(swf, column,
                          "write a whole number of 0 or more, or -1 if it is not known");
    if (known && number > most)
        return swf_refuse(swf, column, "that is too large");
    *value = known ? number : -1;
    return BR_OK;
}

/* A number, whole or not, in units of 1e-9; -1 if unknown. */
static enum br_status read_real(struct swf *swf, enum column column, int64_t most, int64_t *nano)
{
    const char *word = swf->word[column];
    switch (br_seconds_parse(word, nano)) {
    case BR_DECIMAL_FORM:
        return swf_refuse(swf, column, "write a number, or -1 if it is not known");
    case BR_DECIMAL_RANGE:
        return swf_refuse(swf, column, "that is too large");
    case BR_DECIMAL_OK:
        break;
    }
    if (*nano == -1000000000) {
        *nano = -1;
        return BR_OK;
    }
    if (*nano < 0)
        return swf_refuse(swf, column, "write 0 or more, or -1 if it is not known");
    return *nano / 1000000000 > most ? swf_refuse(swf, column, "that is too large") : BR_OK;
}

/* Columns without use for the workload must still be numbers. */
static enum br_status check_others(struct swf *swf)
{
    static const enum column others[] = {WAIT, CPU_TIME, PROGRAM, PARTITION, THINK_TIME};
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++)
        if (!swf_is_number(swf->word[others[k]], strlen(swf->word[others[k]])))
            return swf_refuse(swf, others[k], "write a number, or -1 if it is not known");
    return BR_OK;
}

/* The parts of a job that was checkpointed have lines of their own. */
static bool is_part(const struct swf_job *job)
{
    return job->status >= PART && job->status <= LAST_PART_FAILED;
}

/* An invalid time there counts as unknown: only values derived from the wait need it. */
static int64_t swf_read_wait(const struct swf *swf)
{
    int64_t ns;
    bool known = br_seconds_parse(swf->word[WAIT], &ns) == BR_DECIMAL_OK && ns >= 0 &&
                 ns / 1000000000 <= MOST_SECONDS;
    return known ? ns : -1;
}

static enum br_status read_columns(struct swf *swf, struct swf_job *job)
{
    const struct {
        enum column column;
        int64_t most, *value;
    } whole[] =
        {
            {JOB, INT64_MAX / 20, &job->number},
            {PROCESSORS, BR_MAX_TASKS, &job->allocated},
            {REQUESTED_PROCESSORS, BR_MAX_TASKS, &job->requested},
            {STATUS, CANCELLED, &job->status},
            {USER, UINT32_MAX, &job->user},
            {GROUP, UINT32_MAX, &job->group},
            {QUEUE, UINT32_MAX, &job->queue},
            {PRECEDING, INT64_MAX / 20, &job->preceding},
        },
      real[] = {
          {SUBMIT, MOST_SECONDS, &job->submit_ns},
          {RUN, MOST_SECONDS, &job->ran_ns},
          {REQUESTED_TIME, MOST_SECONDS, &job->requested_ns},
          {USED_MEMORY, MOST_KIB, &job->used_nano_kib},
          {REQUESTED_MEMORY, MOST_KIB, &job->requested_nano_kib},
      };
    enum br_status status = check_others(swf);
    for (size_t k = 0; k < sizeof whole / sizeof whole[0] && !status; k++)
        status = swf_read_whole(swf, whole[k].column, whole[k].most, whole[k].value);
    for (size_t k = 0; k < sizeof real / sizeof real[0] && !status; k++)
        status = read_real(swf, real[k].column, real[k].most, real[k].value);
    if (!status && job->number < 0)
        status = swf_refuse(swf, JOB, "jobs are numbered from 0 or 1");
    if (!status && job->submit_ns < 0 && !is_part(job))
        status = swf_refuse(swf, SUBMIT, "a job without its submit time cannot be simulated");
    job->wait_ns = status ? -1 : swf_read_wait(swf);
    job->pos = swf_place(swf, swf->word[JOB]);
    return status;
}

/* Does the job belong to the workload? Else counts the reason. */
static bool swf_is_kept(struct swf *swf, const struct swf_job *job)
{
    bool sized = job->ran_ns >= 0 && (job->allocated > 0 || job->requested > 0);
    bool well = job->status == COMPLETED || job->status == -1;
    enum br_left_out why;
    if ((!sized && !well) || (job->status == CANCELLED && job->ran_ns <= 0))
        why = BR_LEFT_NEVER_RAN;
    else if (!sized)
        why = BR_LEFT_UNKNOWN;
    else if (!well && swf->options->completed_only)
        why = BR_LEFT_NOT_COMPLETED;
    else
        return true;
    swf->records.left_out[why]++;
    return false;
}

static void name_group(const struct swf *swf, const struct swf_job *job, char *text, size_t size)
{
    static const char *const word[] = {[BR_GROUP_BY_USER] = "user",
                                       [BR_GROUP_BY_ACCOUNT] = "group",
                                       [BR_GROUP_BY_QUEUE] = "queue"};
    enum br_grouping by = swf->options->group_by;
    int64_t number = by == BR_GROUP_BY_USER      ? job->user
                     : by == BR_GROUP_BY_ACCOUNT ? job->group
                     : by == BR_GROUP_BY_QUEUE   ? job->queue
                                                 : -1;
    text[0] = 0;
    if (number >= 0)
        snprintf(text, size, "%s%" PRId64, word[by], number);
}

static enum br_status swf_add_job(struct swf *swf, const struct swf_job *job)
{
    char id[32], group[32];
    int64_t kib = job->requested_nano_kib > 0 ? job->requested_nano_kib : job->used_nano_kib;
    struct br_record record = {
        .id = id,
        .group = group,
        .submit_ns = job->submit_ns,
        .declared_ns = job->requested_ns > 0 ? job->requested_ns : -1,
        .ran_ns = job->ran_ns,
        .waited_ns = job->wait_ns,
        .processors = (uint32_t)(job->allocated > 0 ? job->allocated : job->requested),
        .pos = job->pos,
    };
    br_uwide bytes = kib > 0 ? (br_uwide)kib * 1024 * record.processors / 1000000000 : 0;
    record.mem_bytes = bytes < INT64_MAX ? (int64_t)bytes : INT64_MAX; /* too large for an amount */
    snprintf(id, sizeof id, "%" PRId64, job->number);
    name_group(swf, job, group, sizeof group);
    if (!group[0])
        record.group = NULL;
    if (job->preceding > 0)
        swf->followers++;
    return br_records_add(&swf->records, &record, swf->diag);
}

static enum br_status swf_add_part(struct swf *swf, const struct swf_job *part)
{
    struct br_pieces_job *job = br_pieces_find(&swf->pieces, part->number);
    if (!job)
        return br_fail_memory(swf->diag);
    if (job->parts == 0) {
        if (!br_grow(&swf->first_part, swf->jobs_in_parts, &swf->part_room,
                     sizeof *swf->first_part))
            return br_fail_memory(swf->diag);
        job->first = swf->jobs_in_parts;
        swf->first_part[swf->jobs_in_parts++] = *part;
    }
    job->last |= part->status != PART;
    job->failed |= part->status == LAST_PART_FAILED;
    br_pieces_add(job, part->submit_ns, part->wait_ns, part->ran_ns,
                  part->allocated > 0 ? part->allocated : part->requested);
    return BR_OK;
}

/* Jobs with lines of parts only run as these did, without a pause. */
static enum br_status join_parts(struct swf *swf)
{
    enum br_status status = BR_OK;
    for (uint32_t k = 0; k < swf->pieces.jobs && !status; k++) {
        const struct br_pieces_job *of = &swf->pieces.job[k];
        if (of->parts == 0)
            continue;
        if (of->whole) {
            swf->records.left_out[BR_LEFT_PIECE] += of->parts;
            continue;
        }
        if (!of->last) {
            swf->records.left_out[BR_LEFT_RUNNING]++;
            continue;
        }
        struct swf_job job = swf->first_part[of->first];
        job.status = of->failed ? FAILED : COMPLETED;
        job.submit_ns = of->submit_ns;
        /* without times, or with too large ones, it is left out as unknown */
        job.ran_ns = job.submit_ns >= 0 && of->timed ? br_pieces_ran_ns(of) : -1;
        if (job.ran_ns > MOST_SECONDS * 1000000000)
            job.ran_ns = -1;
        job.wait_ns = of->end_ns - of->submit_ns - job.ran_ns;
        job.allocated = of->processors;
        if (!swf_is_kept(swf, &job))
            continue;
        swf->joined++;
        swf->joined_parts += of->parts;
        status = swf_add_job(swf, &job);
    }
    return status;
}

static enum br_status swf_read_line(struct swf *swf)
{
    struct swf_job job;
    const char *p = swf->lines.line + strspn(swf->lines.line, " \t");
    if (*p == 0)
        return BR_OK;
    if (*p == ';') {
        swf_read_header(swf, "MaxProcs", &swf->processors);
        swf_read_header(swf, "MaxNodes", &swf->nodes);
        return BR_OK;
    }
    enum br_status status = swf_split(swf);
    if (!status)
        status = read_columns(swf, &job);
    if (status || is_part(&job))
        return status ? status : swf_add_part(swf, &job);
    struct br_pieces_job *of = br_pieces_find(&swf->pieces, job.number);
    if (!of)
        return br_fail_memory(swf->diag);
    of->whole = true;
    return swf_is_kept(swf, &job) ? swf_add_job(swf, &job) : BR_OK;
}

/* ---- The whole ---- */

/* One machine with all processors. Logs do not give the memory. */
static enum br_status swf_add_pool(struct swf *swf, struct br_workload *workload)
{
    const struct br_records *records = &swf->records;
    uint32_t processors = swf->processors ? swf->processors : swf->nodes, cls;
    char amount[BR_DECIMAL_TEXT];
    if (!processors)
        return BR_OK;
    if (processors < records->most_processors)
        processors = records->most_processors;
    struct br_cluster *cluster = workload->cluster = br_cluster_create(NULL);
    enum br_status status = cluster ? BR_OK : br_fail_memory(swf->diag);
    br_value_place(swf->diag, BR_NO_POS);
    if (!status)
        status = br_cluster_add_class(cluster, "pool", 1, &cls, swf->diag);
    snprintf(amount, sizeof amount, "%" PRIu32, processors);
    if (!status)
        status = br_cluster_add_capacity(cluster, cls, "cpu", amount, swf->diag);
    br_uwide mem = (br_uwide)records->most_mem_bytes * processors;
    snprintf(amount, sizeof amount, "%" PRId64,
             mem < BR_RECORD_MOST_MEM ? (int64_t)mem : BR_RECORD_MOST_MEM);
    if (!status && mem > 0)
        status = br_cluster_add_capacity(cluster, cls, "mem", amount, swf->diag);
    return status;
}

static enum br_status swf_add_note(struct swf *swf)
{
    const struct br_records *records = &swf->records;
    uint32_t told = swf->processors ? swf->processors : swf->nodes;
    char more[512] = "";
    size_t used = 0;
    if (swf->joined)
        br_note_part(
            more, sizeof more, &used,
            "jobs put together from parts between checkpoints, since no line has the whole: "
            "%" PRIu32 ", from %" PRIu32 " parts",
            swf->joined, swf->joined_parts);
    if (swf->followers)
        br_note_part(more, sizeof more, &used,
                     "%" PRIu32 " jobs name a preceding job, and arrive when they did all the same",
                     swf->followers);
    if (told && told < records->most_processors)
        br_note_part(more, sizeof more, &used,
                     "the head tells of %" PRIu32 " processors and a job took %" PRIu32
                     ", so the pool has as many",
                     told, records->most_processors);
    if (told && records->most_mem_bytes)
        br_note_part(more, sizeof more, &used,
                     "the pool has the most memory that a job takes a processor, %" PRId64
                     " bytes, for each",
                     records->most_mem_bytes);
    return br_records_note(&swf->records, more, swf->diag);
}

enum br_status br_read_swf(struct br_source *source, const struct br_workload_options *options,
                           struct br_workload *workload, struct br_diag *diag)
{
    struct swf swf = {.lines = br_lines_of(source, LONGEST_LINE), .options = options, .diag = diag};
    br_records_init(&swf.records, workload, options);
    bool more = false;
    enum br_status status = br_lines_next(&swf.lines, &more, diag);
    while (!status && more) {
        status = swf_read_line(&swf);
        if (!status)
            status = br_lines_next(&swf.lines, &more, diag);
    }
    if (!status)
        status = join_parts(&swf);
    if (!status)
        status = swf_add_pool(&swf, workload);
    if (!status)
        status = swf_add_note(&swf);
    br_records_finish(&swf.records);
    br_pieces_finish(&swf.pieces);
    free(swf.first_part);
    br_lines_finish(&swf.lines);
    return status;
}
