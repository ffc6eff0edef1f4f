#include "cluster/coflow/read/coflow_trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/real.h"
#include "parsers/text/lines.h"

enum { LONGEST_LINE = 1 << 24, WORD = 40 };
#define MOST_MS INT64_C(2000000000000) /* 63 years */

struct reader {
    struct br_lines lines;
    char *at; /* in the line */
    struct br_coflows *trace;
    uint32_t coflows; /* announced in the header */
    struct br_coflow_end *end[2];
    uint32_t room[2];
    struct br_diag *diag;
};

static struct br_pos coflow_trace_place(const struct reader *reader, const char *at)
{
    return (struct br_pos){reader->lines.number, (uint32_t)(at - reader->lines.line) + 1};
}

/* The next word of the line; "" at the end. A word too long for any number ends with dots, so that
 * it is refused. */
static const char *coflow_trace_next_word(struct reader *reader, char word[WORD])
{
    reader->at += strspn(reader->at, " \t");
    const char *from = reader->at;
    size_t length = strcspn(from, " \t");
    size_t shown = length < WORD - 1 ? length : WORD - 1;
    memcpy(word, from, shown);
    word[shown] = 0;
    if (shown < length)
        memcpy(word + WORD - 4, "...", 4);
    reader->at += length;
    return from;
}

/* A whole number at the end of the word, or before `end`; else -1. */
static int64_t coflow_trace_whole(const char *word, char end, int64_t most)
{
    int64_t number = 0;
    const char *p = word;
    for (; *p >= '0' && *p <= '9' && number <= most; p++)
        number = number * 10 + (*p - '0');
    return p > word && number <= most && *p == end ? number : -1;
}

static enum br_status coflow_trace_read_whole(struct reader *reader, const char *what, int64_t most,
                                              int64_t *value)
{
    char word[WORD];
    struct br_pos pos = coflow_trace_place(reader, coflow_trace_next_word(reader, word));
    *value = coflow_trace_whole(word, 0, most);
    if (*value >= 0)
        return BR_OK;
    if (!*word)
        return br_fail_at(reader->diag, pos, BR_BAD_INPUT,
                          "a coflow is a line: ID ARRIVAL_MS M PORT... R PORT:MB...",
                          "the line ends before %s", what);
    if (coflow_trace_whole(word, 0, INT64_MAX / 20) > most)
        return br_fail_at(reader->diag, pos, BR_BAD_INPUT, NULL,
                          "%s is %s; at most %" PRId64 " can be read", what, word, most);
    return br_fail_at(reader->diag, pos, BR_BAD_INPUT,
                      reader->trace ? "write a whole number of 0 or more"
                                    : "a trace begins with its numbers of ports and of coflows, "
                                      "such as 150 526",
                      "%s is '%s'", what, word);
}

static enum br_status read_port(struct reader *reader, const char *word, char end,
                                struct br_pos pos, uint32_t *port)
{
    int64_t number = coflow_trace_whole(word, end, INT64_MAX / 20);
    if (number < 0)
        return br_fail_at(reader->diag, pos, BR_BAD_INPUT,
                          end ? "a reducer is PORT:MB, such as 7:64.0" : "a mapper is a port",
                          "'%s' is no %s", word, end ? "reducer" : "port");
    if (number >= reader->trace->ports)
        return br_fail_at(reader->diag, pos, BR_BAD_INPUT,
                          "ports count from 0; the first line has their number",
                          "port %" PRId64 " is unknown: the trace has %" PRIu32 " ports", number,
                          reader->trace->ports);
    *port = (uint32_t)number;
    return BR_OK;
}

static enum br_status coflow_trace_read_bytes(struct reader *reader, const char *word,
                                              struct br_pos pos, double *bytes)
{
    struct br_decimal value;
    if (*word == '-' && word[1] >= '0' && word[1] <= '9')
        return br_fail_at(reader->diag, pos, BR_BAD_INPUT, "write 0 or more",
                          "a reducer receives %s MB", word);
    if (br_decimal_parse_nearest(word, &value) != BR_DECIMAL_OK || *word == '-')
        return br_fail_at(reader->diag, pos, BR_BAD_INPUT, "a reducer is PORT:MB, such as 7:64.0",
                          "'%s' is no number of MB", word);
    *bytes = br_real_of(value) * BR_COFLOW_MB;
    if (*bytes > BR_COFLOW_BYTES_MOST)
        return br_fail_at(reader->diag, pos, BR_BAD_INPUT, "are these bytes?",
                          "a reducer receives more than a petabyte");
    return BR_OK;
}

/* Makes room for one more end. */
static bool coflow_trace_reserve(struct reader *reader, int side, uint32_t count)
{
    if (count < reader->room[side])
        return true;
    uint32_t room = reader->room[side] ? 2 * reader->room[side] : 256;
    struct br_coflow_end *larger = realloc(reader->end[side], room * sizeof *larger);
    if (!larger)
        return false;
    reader->end[side] = larger;
    reader->room[side] = room;
    return true;
}

/* A number, and then that many mappers (side 0) or reducers (side 1). */
static enum br_status read_ends(struct reader *reader, int side, uint32_t *count)
{
    int64_t ends;
    enum br_status status = coflow_trace_read_whole(
        reader, side ? "the number of reducers" : "the number of mappers", UINT32_MAX, &ends);
    for (*count = 0; !status && *count < ends; ++*count) {
        char word[WORD];
        struct br_pos pos = coflow_trace_place(reader, coflow_trace_next_word(reader, word));
        struct br_coflow_end end = {0};
        if (!*word)
            return br_fail_at(reader->diag, pos, BR_BAD_INPUT, "is the number before them right?",
                              "the line has %" PRIu32 " of %" PRId64 " %s", *count, ends,
                              side ? "reducers" : "mappers");
        status = read_port(reader, word, side ? ':' : 0, pos, &end.port);
        if (!status && side) {
            const char *number = strchr(word, ':') + 1;
            pos.column += (uint32_t)(number - word);
            status = coflow_trace_read_bytes(reader, number, pos, &end.bytes);
        }
        if (!status && !coflow_trace_reserve(reader, side, *count))
            return br_fail_memory(reader->diag);
        if (!status)
            reader->end[side][*count] = end;
    }
    return status;
}

static enum br_status trace_read_coflow(struct reader *reader)
{
    struct br_coflow coflow = {.line = reader->lines.number};
    int64_t id = 0;
    char word[WORD];
    enum br_status status =
        coflow_trace_read_whole(reader, "the coflow's number", INT64_MAX / 20, &id);
    if (!status)
        status = coflow_trace_read_whole(reader, "the arrival", MOST_MS, &coflow.arrival_ms);
    if (!status)
        status = read_ends(reader, 0, &coflow.senders);
    if (!status)
        status = read_ends(reader, 1, &coflow.receivers);
    if (status)
        return status;
    struct br_pos pos = coflow_trace_place(reader, coflow_trace_next_word(reader, word));
    if (*word)
        return br_fail_at(reader->diag, pos, BR_BAD_INPUT,
                          "is the number of mappers or reducers right?",
                          "there is more in the line than the coflow: '%s'", word);
    coflow.id = (uint64_t)id;
    return br_coflows_add(reader->trace, &coflow, reader->end[0], reader->end[1], reader->diag);
}

/* The next line that is not blank; *more is false at the end. */
static enum br_status coflow_trace_next_line(struct reader *reader, bool *more)
{
    enum br_status status;
    do {
        status = br_lines_next(&reader->lines, more, reader->diag);
        reader->at = reader->lines.line;
    } while (!status && *more && reader->lines.line[strspn(reader->lines.line, " \t")] == 0);
    return status;
}

static enum br_status coflow_trace_read_head(struct reader *reader)
{
    bool more;
    int64_t ports = 0, coflows = 0;
    char word[WORD];
    enum br_status status = coflow_trace_next_line(reader, &more);
    if (status)
        return status;
    if (!more)
        return br_fail(reader->diag, BR_BAD_INPUT,
                       "the first line has the number of ports and of coflows",
                       "the trace is empty");
    status = coflow_trace_read_whole(reader, "the number of ports", BR_COFLOW_PORTS_MOST, &ports);
    if (!status)
        status =
            coflow_trace_read_whole(reader, "the number of coflows", BR_COFLOWS_MOST, &coflows);
    if (status)
        return status;
    struct br_pos pos = coflow_trace_place(reader, coflow_trace_next_word(reader, word));
    if (*word)
        return br_fail_at(reader->diag, pos, BR_BAD_INPUT,
                          "the first line has the number of ports and of coflows",
                          "there is more in the line: '%s'", word);
    reader->coflows = (uint32_t)coflows;
    reader->trace = br_coflows_create((uint32_t)ports);
    return reader->trace ? BR_OK : br_fail_memory(reader->diag);
}

static enum br_status coflow_trace_read_all(struct reader *reader)
{
    bool more = true;
    enum br_status status = coflow_trace_read_head(reader);
    while (!status && more) {
        status = coflow_trace_next_line(reader, &more);
        if (status || !more)
            break;
        if (reader->trace->coflows == reader->coflows)
            return br_fail_at(reader->diag, coflow_trace_place(reader, reader->at), BR_BAD_INPUT,
                              "mend the number in the first line",
                              "the first line announces %" PRIu32 " coflows, and there are more",
                              reader->coflows);
        status = trace_read_coflow(reader);
    }
    if (!status && reader->trace->coflows < reader->coflows)
        return br_fail_at(reader->diag, ((struct br_pos){reader->lines.number, 0}), BR_BAD_INPUT,
                          "is the file complete?",
                          "the first line announces %" PRIu32 " coflows, and there are %" PRIu32,
                          reader->coflows, reader->trace->coflows);
    if (!status)
        status = br_coflows_join(reader->trace, reader->diag);
    return status ? status : br_coflows_finish(reader->trace, reader->diag);
}

enum br_status br_parse_coflows(const char *path, struct br_coflows **trace, struct br_diag *diag)
{
    struct br_source source;
    struct reader reader = {.diag = diag};
    *trace = NULL;
    enum br_status status = br_source_open(&source, path, diag);
    if (status)
        return status;
    reader.lines = br_lines_of(&source, LONGEST_LINE);
    status = coflow_trace_read_all(&reader);
    br_lines_finish(&reader.lines);
    br_source_close(&source);
    free(reader.end[0]);
    free(reader.end[1]);
    if (status) {
        br_coflows_destroy(reader.trace);
        return status;
    }
    *trace = reader.trace;
    return BR_OK;
}
