/* Tables of several shards, or of several unfinished runs, put together by the numbers of their
 * rows. Rows are copied byte for byte, so that the merged table of the shards equals that of one
 * run over the whole list. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "cli/batch/batch.h"
#include "cli/inputs/whole.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/say.h"

enum { TABLE_MOST = 1 << 30 };

struct line {
    struct cli_row_key key;
    const char *text;
    size_t size;
    uint32_t table; /* that it is from */
};

struct merge {
    bool times;
    uint32_t tables;
    char **table; /* their texts */
    uint32_t lines, room;
    struct line *line;
};

static enum br_status fail_table(const char *path, const char *hint, const char *what,
                                 struct br_diag *diag)
{
    br_diag_file(diag, path);
    return br_fail(diag, BR_BAD_INPUT, hint, "%s", what);
}

/* Takes the rows of a table; leaves out a torn last line, or a line that is no row, with a note. */
static enum br_status take_table(struct merge *merge, const char *path, struct br_diag *diag)
{
    size_t size = 0;
    char **text = &merge->table[merge->tables];
    bool has_nul; /* no table has a NUL; the rest is not worth reading */
    enum br_status status = cli_whole_read(path, TABLE_MOST, text, &size, &has_nul, diag);
    if (status)
        return status;
    const char *at = *text, *end = at + size;
    const char *head = cli_row_head(false), *head_times = cli_row_head(true);
    bool times = size && strncmp(at, head_times, strlen(head_times)) == 0;
    if (!times && (!size || strncmp(at, head, strlen(head)) != 0))
        return fail_table(path, "give the files that 'bigrocks batch -o FILE' wrote",
                          "this is no table of a batch", diag);
    if (merge->tables == 0)
        merge->times = times;
    else if (merge->times != times)
        return fail_table(path, "run all shards with --times, or all without",
                          "its columns are not those of the table before", diag);
    uint32_t wrong = 0;
    for (at = strchr(at, '\n') + 1; at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        struct line line = {.text = at, .table = merge->tables};
        line.size = (size_t)((stop ? stop + 1 : end) - at);
        if (!stop || !cli_row_read(at, line.size - 1, times, &line.key))
            wrong++;
        else if (br_grow(&merge->line, merge->lines, &merge->room, sizeof line))
            merge->line[merge->lines++] = line;
        else
            return br_fail_memory(diag);
        at += line.size;
    }
    if (wrong)
        cli_say("%s: %" PRIu32 " %s no whole rows and left out", path, wrong,
                wrong == 1 ? "line is" : "lines are");
    merge->tables++;
    br_diag_file(diag, NULL);
    return BR_OK;
}

/* By number; rows of one number best first: by status, then from the table named first, newest
 * first. */
static int batch_merge_compare(const void *a, const void *b)
{
    const struct line *one = a, *two = b;
    if (one->key.number != two->key.number)
        return one->key.number < two->key.number ? -1 : 1;
    if (one->key.status != two->key.status)
        return one->key.status > two->key.status ? -1 : 1;
    if (one->table != two->table)
        return one->table < two->table ? -1 : 1;
    return one->text > two->text ? -1 : one->text < two->text;
}

static enum br_status write_rows(const struct merge *merge, const char *const *file, FILE *out,
                                 struct br_diag *diag)
{
    fputs(cli_row_head(merge->times), out);
    for (uint32_t k = 0; k < merge->lines; k++) {
        const struct line *line = &merge->line[k], *before = k ? line - 1 : NULL;
        if (!before || before->key.number != line->key.number) {
            fwrite(line->text, 1, line->size, out);
        } else if (before->key.file_size != line->key.file_size ||
                   memcmp(before->key.file, line->key.file, line->key.file_size) != 0) {
            br_diag_file(diag, file[line->table]);
            return br_fail(
                diag, BR_BAD_INPUT, "merge tables of one list",
                "row %" PRIu32 " is of %.*s here, but of %.*s in %.200s", line->key.number,
                line->key.file_size < 200 ? (int)line->key.file_size : 200, line->key.file,
                before->key.file_size < 200 ? (int)before->key.file_size : 200, before->key.file,
                file[before->table]);
        }
    }
    return BR_OK;
}

/* The exit status that one run would have given. */
static enum br_status batch_merge_tell_refused(const struct merge *merge, struct br_diag *diag)
{
    for (uint32_t k = 0; k < merge->lines; k++)
        if (merge->line[k].key.status != CLI_ROW_REFUSED)
            return BR_OK;
    return merge->lines ? br_fail(diag, BR_BAD_INPUT, "the rows say why", "all jobs were refused")
                        : BR_OK;
}

/* Missing numbers below the greatest. Beyond it nothing can be known without the list. */
static enum br_status batch_merge_tell_missing(const struct merge *merge, struct br_diag *diag)
{
    uint32_t expected = 1, missing = 0, first = 0;
    for (uint32_t k = 0; k < merge->lines; k++) {
        uint32_t number = merge->line[k].key.number;
        assert(k == 0 || merge->line[k - 1].key.number <= number);
        if (number > expected) {
            first = missing ? first : expected;
            missing += number - expected;
        }
        if (number >= expected)
            expected = number + 1;
    }
    if (!missing)
        return BR_OK;
    return br_fail(diag, BR_NO, "has every shard ended? batch LIST --resume -o FILE plans the rest",
                   "%" PRIu32 " %s missing among the rows, the first is %" PRIu32, missing,
                   missing == 1 ? "number is" : "numbers are", first);
}

enum br_status cli_batch_merge(const struct cli_settings *settings, const char *const *file,
                               uint32_t files, struct br_diag *diag)
{
    struct merge merge = {0};
    struct cli_output output;
    merge.table = calloc(files, sizeof *merge.table);
    enum br_status status = merge.table ? BR_OK : br_fail_memory(diag);
    for (uint32_t k = 0; !status && k < files; k++)
        status = take_table(&merge, file[k], diag);
    if (!status && merge.lines)
        qsort(merge.line, merge.lines, sizeof *merge.line, batch_merge_compare);
    if (!status)
        status = cli_output_open(&output, settings->output.path, diag);
    if (!status) {
        status = write_rows(&merge, file, output.file, diag);
        status = cli_output_close(&output, status, diag);
    }
    if (!status)
        status = batch_merge_tell_missing(&merge, diag);
    if (!status)
        status = batch_merge_tell_refused(&merge, diag);
    for (uint32_t k = 0; merge.table && k < files; k++)
        free(merge.table[k]);
    free(merge.table);
    free(merge.line);
    return status;
}
