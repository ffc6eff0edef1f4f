/* The table of a batch: rows of CSV as in RFC 4180, with the line ends of Unix, and the file that
 * holds them. During the run the file is a journal: a row is added by one write as soon as its job
 * ends, in any order. Rows are numbered, so they can be sorted at the end; after a crash the file
 * is a good table but for a torn last line. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text/text.h"
#include "cli/batch/batch.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/say.h"
#include "emit/write/write.h"

static const char head[] = "number,file,job,tasks,stages,method,makespan,lower_bound,bound_method,"
                           "gap,placements,status,message\n";
static const char head_times[] = "number,file,job,tasks,stages,method,makespan,lower_bound,"
                                 "bound_method,gap,placements,status,message,seconds\n";
enum { NUMBER = 0, FILE_NAME = 1, STATUS = 11, FIELDS = 13 };

static const char *const status_names[] = {
    [CLI_ROW_INTERRUPTED] = "interrupted",
    [CLI_ROW_REFUSED] = "refused",
    [CLI_ROW_PLANNED] = "planned",
};

const char *cli_row_head(bool times)
{
    return times ? head_times : head;
}

/* ---- One row ---- */

/* The bytes of a text, with "?" for those that would break a line of UTF-8. */
static void print_bytes(FILE *out, const char *text, size_t size)
{
    while (size) {
        size_t good = br_text_utf8_length(text, size);
        for (size_t k = 0; k < good; k++) {
            if (text[k] == '"')
                fputc('"', out);
            fputc((unsigned char)text[k] < 0x20 || text[k] == 0x7f ? '?' : text[k], out);
        }
        if (good < size) {
            fputc('?', out);
            good++;
        }
        text += good;
        size -= good;
    }
}

static void print_field(FILE *out, const char *text)
{
    size_t size = strlen(text);
    bool quoted = text[strcspn(text, ",\"")] || (size && (*text == ' ' || text[size - 1] == ' '));
    if (quoted)
        fputc('"', out);
    print_bytes(out, text, size);
    if (quoted)
        fputc('"', out);
}

/* From the job's name to the placements; empty fields if there is no answer. */
static void batch_rows_print_result(FILE *out, const struct br_dag *dag, const struct br_plan *plan)
{
    if (!dag) {
        fputs(",,,,,,,,,", out);
        return;
    }
    print_field(out, br_dag_name(dag));
    fprintf(out, ",%" PRIu32 ",%" PRIu32 ",", br_dag_task_count(dag), br_dag_stage_count(dag));
    if (!plan) {
        fputs(",,,,,,", out);
        return;
    }
    int64_t makespan = br_plan_makespan_ns(plan), bound = br_plan_lower_bound_ns(plan);
    print_field(out, br_plan_method(plan));
    fputc(',', out);
    br_write_seconds(out, makespan);
    fputc(',', out);
    br_write_seconds(out, bound);
    fputc(',', out);
    print_field(out, br_plan_bound_method(plan));
    fputc(',', out);
    if (bound > 0)
        br_write_ratio(out, makespan - bound, bound);
    else if (makespan == 0)
        fputc('0', out);
    fprintf(out, ",%" PRIu64 ",", plan->placements);
}

char *cli_row_format(const struct cli_row *row, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    if (!out)
        return NULL;
    fprintf(out, "%" PRIu32 ",", row->number);
    print_field(out, row->file);
    fputc(',', out);
    batch_rows_print_result(out, row->dag, row->plan);
    assert(row->status > CLI_ROW_NONE && row->status <= CLI_ROW_PLANNED);
    fprintf(out, "%s,", status_names[row->status]);
    print_field(out, row->message);
    if (row->took_ns >= 0) {
        fputc(',', out);
        br_write_seconds(out, row->took_ns);
    }
    fputc('\n', out);
    bool failed = ferror(out);
    if (fclose(out) || failed) {
        free(text);
        return NULL;
    }
    return text;
}

/* Skips a field and returns its size; NULL if the quotes are wrong. */
static const char *pass_field(const char *at, const char *end, size_t *size)
{
    const char *begin = at;
    if (at < end && *at == '"') {
        for (at++; at < end; at++) {
            if (*at != '"')
                continue;
            if (at + 1 < end && at[1] == '"')
                at++;
            else
                break;
        }
        if (at == end)
            return NULL;
        at++;
        if (at < end && *at != ',')
            return NULL;
    } else {
        while (at < end && *at != ',' && *at != '"')
            at++;
        if (at < end && *at == '"')
            return NULL;
    }
    *size = (size_t)(at - begin);
    return at;
}

static bool batch_rows_read_number(const char *text, size_t size, uint32_t *number)
{
    uint64_t value = 0;
    for (size_t k = 0; k < size && k < 11; k++) {
        if (text[k] < '0' || text[k] > '9')
            return false;
        value = 10 * value + (uint64_t)(text[k] - '0');
    }
    *number = (uint32_t)value;
    return size && *text != '0' && size < 11 && value <= UINT32_MAX;
}

bool cli_row_read(const char *line, size_t size, bool times, struct cli_row_key *key)
{
    const char *at = line, *end = line + size;
    uint32_t fields = FIELDS + times;
    *key = (struct cli_row_key){0};
    if (memchr(line, 0, size))
        return false;
    for (uint32_t field = 0; field < fields; field++) {
        size_t length;
        const char *begin = at;
        at = pass_field(at, end, &length);
        if (!at || (at == end) != (field == fields - 1))
            return false;
        if (field == NUMBER && !batch_rows_read_number(begin, length, &key->number))
            return false;
        if (field == FILE_NAME) {
            key->file = begin;
            key->file_size = length;
        }
        for (uint32_t s = CLI_ROW_INTERRUPTED; field == STATUS && s <= CLI_ROW_PLANNED; s++)
            if (strlen(status_names[s]) == length && !memcmp(status_names[s], begin, length))
                key->status = s;
        at++;
    }
    return key->status != CLI_ROW_NONE;
}

int cli_row_is_of(const struct cli_row_key *key, const char *file)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return -1;
    print_field(out, file);
    bool failed = ferror(out);
    failed = fclose(out) || failed || !text;
    int same = failed ? -1 : size == key->file_size && !memcmp(text, key->file, size);
    free(text);
    return same;
}

/* ---- The journal ---- */

static enum br_status batch_rows_fail_file(const struct cli_rows *rows, const char *what,
                                           struct br_diag *diag)
{
    int error = errno;
    br_diag_file(diag, rows->path);
    return br_fail(diag, BR_SYSTEM, error == ENOSPC ? "make room, then add --resume" : NULL,
                   "%s: %s", what, strerror(error));
}

/* Adds the text as a whole or not at all. */
static enum br_status batch_rows_append(struct cli_rows *rows, const char *text, size_t size,
                                        struct br_diag *diag)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = pwrite(rows->fd, text + done, size - done, (off_t)(rows->end + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            enum br_status status = batch_rows_fail_file(rows, "cannot be written", diag);
            if (ftruncate(rows->fd, (off_t)rows->end) != 0)
                return status; /* a torn line, which the next run drops */
            return status;
        }
        done += (size_t)n;
    }
    rows->end += size;
    return BR_OK;
}

/* Copies a row from the journal. */
static enum br_status batch_rows_copy(const struct cli_rows *rows, uint32_t index, FILE *out,
                                      struct br_diag *diag)
{
    char part[4096];
    const struct cli_row_place *place = &rows->place[index];
    assert(place->status != CLI_ROW_NONE && place->offset + place->size <= rows->end);
    for (size_t done = 0; done < place->size;) {
        size_t want = place->size - done < sizeof part ? place->size - done : sizeof part;
        ssize_t n = pread(rows->fd, part, want, (off_t)(place->offset + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            errno = n ? errno : EIO; /* somebody cut it */
            return batch_rows_fail_file(rows, "cannot be read", diag);
        }
        fwrite(part, 1, (size_t)n, out);
        done += (size_t)n;
    }
    return BR_OK;
}

/* Records a row that begins at `offset`, if it is better than the known one, or as good and newer.
 */
static void batch_rows_note(struct cli_rows *rows, uint32_t number, enum cli_row_status status,
                            uint64_t offset, size_t size)
{
    assert(number - 1 < rows->list->count);
    struct cli_row_place *place = &rows->place[number - 1];
    rows->sorted &= number > rows->last;
    rows->last = number;
    if (status >= place->status)
        *place = (struct cli_row_place){offset, (uint32_t)size, status};
}

static enum br_status batch_rows_take_line(struct cli_rows *rows, const char *line, size_t size,
                                           uint64_t offset, struct br_diag *diag)
{
    struct cli_row_key key;
    if (!cli_row_read(line, size - 1, rows->times, &key) || size > UINT32_MAX) {
        rows->dropped++;
        rows->sorted = false;
        return BR_OK;
    }
    int same = key.number > rows->list->count
                   ? 0
                   : cli_row_is_of(&key, cli_job_list_name(rows->list, key.number - 1));
    if (same < 0)
        return br_fail_memory(diag);
    if (!same) {
        br_diag_file(diag, rows->path);
        return br_fail(
            diag, BR_USAGE, "a list may only grow at its end; else begin anew, without --resume",
            "row %" PRIu32 " is of %.*s, which is not job %" PRIu32 " of the list", key.number,
            key.file_size < 300 ? (int)key.file_size : 300, key.file, key.number);
    }
    batch_rows_note(rows, key.number, key.status, offset, size);
    return BR_OK;
}

/* Reads the rows of an earlier run, and cuts a torn last line off. */
static enum br_status batch_rows_take_up(struct cli_rows *rows, struct br_diag *diag)
{
    const char *first = cli_row_head(rows->times);
    size_t room = 0;
    char *line = NULL;
    ssize_t size;
    enum br_status status = BR_OK;
    int fd = dup(rows->fd);
    FILE *in = fd < 0 ? NULL : fdopen(fd, "r");
    if (!in) {
        if (fd >= 0)
            close(fd);
        return batch_rows_fail_file(rows, "cannot be read", diag);
    }
    errno = 0;
    while (!status && (size = getline(&line, &room, in)) >= 0) {
        bool whole = size > 0 && line[size - 1] == '\n';
        if (rows->end == 0 && strncmp(line, first, (size_t)size) != 0) {
            br_diag_file(diag, rows->path);
            bool other = strcmp(line, cli_row_head(!rows->times)) == 0;
            status = br_fail(diag, BR_USAGE,
                             other ? "give --times again, or leave it out as it was"
                                   : "give another file, or leave --resume out to replace this one",
                             other ? "its columns are others" : "this is no table of a batch");
        } else if (!whole) {
            rows->dropped += rows->end > 0;
            break;
        } else {
            if (rows->end)
                status = batch_rows_take_line(rows, line, (size_t)size, rows->end, diag);
            rows->end += (uint64_t)size;
        }
    }
    if (!status && (ferror(in) || errno == ENOMEM))
        status = batch_rows_fail_file(rows, "cannot be read", diag);
    free(line);
    fclose(in);
    if (!status && ftruncate(rows->fd, (off_t)rows->end) != 0)
        status = batch_rows_fail_file(rows, "cannot be cut", diag);
    for (uint32_t k = 0; !status && k < rows->list->count; k++)
        rows->kept += rows->place[k].status == CLI_ROW_PLANNED;
    return status;
}

static enum br_status open_journal(struct cli_rows *rows, bool resume, struct br_diag *diag)
{
    rows->fd = open(rows->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
    if (rows->fd < 0)
        return batch_rows_fail_file(rows, "cannot be written", diag);
    /* On file systems without locks nothing prevents a second run. */
    if (flock(rows->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        br_diag_file(diag, rows->path);
        return br_fail(diag, BR_USAGE, "give each of them its own file",
                       "another batch is writing this table");
    }
    if (!resume && ftruncate(rows->fd, 0) != 0)
        return batch_rows_fail_file(rows, "cannot be written", diag);
    return resume ? batch_rows_take_up(rows, diag) : BR_OK;
}

enum br_status cli_rows_open(struct cli_rows *rows, const struct cli_settings *settings,
                             const struct cli_job_list *list, uint32_t first, uint32_t step,
                             struct br_diag *diag)
{
    const char *path = settings->output.path, *line = cli_row_head(settings->batch.times);
    struct stat about;
    *rows = (struct cli_rows){.fd = -1,
                              .list = list,
                              .next = first,
                              .step = step,
                              .sorted = true,
                              .times = settings->batch.times};
    rows->place = calloc((size_t)list->count + 1, sizeof *rows->place);
    if (!rows->place)
        return br_fail_memory(diag);
    bool file = path && strcmp(path, "-") != 0 && (stat(path, &about) || S_ISREG(about.st_mode));
    if (settings->batch.resume && !file)
        return br_fail(diag, BR_USAGE, "add the -o FILE that holds the rows so far",
                       "there is nothing to resume from");
    if (file) {
        rows->path = path;
        enum br_status status = open_journal(rows, settings->batch.resume, diag);
        if (!status && rows->end == 0)
            status = batch_rows_append(rows, line, strlen(line), diag);
        rows->taken_up = !status;
        return status;
    }
    enum br_status status = cli_output_open(&rows->in_order, path, diag);
    if (status)
        return status;
    FILE *unnamed = tmpfile();
    rows->fd = unnamed ? fcntl(fileno(unnamed), F_DUPFD_CLOEXEC, 3) : -1;
    if (rows->fd < 0)
        status = batch_rows_fail_file(rows, "cannot make a temporary file", diag);
    if (unnamed)
        fclose(unnamed);
    fputs(line, rows->in_order.file);
    return status;
}

enum cli_row_status cli_rows_status(const struct cli_rows *rows, uint32_t index)
{
    return rows->place[index].status;
}

void cli_rows_forget(struct cli_rows *rows, uint32_t index)
{
    assert(rows->place[index].status != CLI_ROW_PLANNED || rows->kept > 0);
    rows->kept -= rows->place[index].status == CLI_ROW_PLANNED;
    rows->place[index] = (struct cli_row_place){0};
    rows->sorted = false;
}

/* Hands on the rows whose turn has come. */
static enum br_status batch_rows_hand_on(struct cli_rows *rows, bool all, struct br_diag *diag)
{
    FILE *out = rows->in_order.file;
    enum br_status status = BR_OK;
    for (; !status && rows->next < rows->list->count; rows->next += rows->step) {
        bool there = rows->place[rows->next].status != CLI_ROW_NONE;
        if (!there && !all)
            break;
        if (there)
            status = batch_rows_copy(rows, rows->next, out, diag);
    }
    fflush(out);
    return status;
}

enum br_status cli_rows_add(struct cli_rows *rows, const struct cli_row *row, struct br_diag *diag)
{
    size_t size;
    char *text = cli_row_format(row, &size);
    if (!text)
        return br_fail_memory(diag);
    uint64_t offset = rows->end;
    enum br_status status = batch_rows_append(rows, text, size, diag);
    free(text);
    if (status)
        return status;
    batch_rows_note(rows, row->number, row->status, offset, size);
    return rows->in_order.file ? batch_rows_hand_on(rows, false, diag) : BR_OK;
}

/* Replaces the file by one in order. */
static enum br_status batch_rows_sort(struct cli_rows *rows, struct br_diag *diag)
{
    struct cli_output output;
    enum br_status status = cli_output_open(&output, rows->path, diag);
    if (status)
        return status;
    fputs(cli_row_head(rows->times), output.file);
    for (uint32_t k = 0; !status && k < rows->list->count; k++)
        if (rows->place[k].status != CLI_ROW_NONE)
            status = batch_rows_copy(rows, k, output.file, diag);
    return cli_output_close(&output, status, diag);
}

enum br_status cli_rows_close(struct cli_rows *rows, enum br_status status, struct br_diag *diag)
{
    struct br_diag later = {0};
    enum br_status last = BR_OK;
    if (rows->in_order.file) {
        if (rows->fd >= 0)
            last = batch_rows_hand_on(rows, true, &later);
        last = cli_output_close(&rows->in_order, last, &later);
    } else if (rows->taken_up && !rows->sorted) {
        last = batch_rows_sort(rows, &later);
    }
    if (rows->fd >= 0)
        close(rows->fd);
    free(rows->place);
    *rows = (struct cli_rows){.fd = -1};
    if (!status && last)
        *diag = later;
    return status ? status : last;
}
