/* Words and their places. */
#include "parsers/text/tokens.h"

#include <assert.h>
#include <string.h>

#define SECOND INT64_C(1000000000)

struct br_tokens br_tokens_of(const char *text)
{
    return (struct br_tokens){text, {1, 1}};
}

static void tokens_pass(struct br_tokens *tokens)
{
    assert(*tokens->at);
    tokens->pos.column++;
    if (*tokens->at++ == '\n')
        tokens->pos = (struct br_pos){tokens->pos.line + 1, 1};
}

static bool tokens_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool br_tokens_skip(struct br_tokens *tokens, bool in_line)
{
    while (tokens_is_blank(*tokens->at) && !(in_line && *tokens->at == '\n'))
        tokens_pass(tokens);
    return *tokens->at && *tokens->at != '\n';
}

bool br_tokens_end_line(struct br_tokens *tokens)
{
    while (*tokens->at && *tokens->at != '\n')
        tokens_pass(tokens);
    if (*tokens->at)
        tokens_pass(tokens);
    return *tokens->at;
}

bool br_tokens_accept(struct br_tokens *tokens, const char *text)
{
    size_t length = strlen(text);
    if (strncmp(tokens->at, text, length) != 0)
        return false;
    while (length--)
        tokens_pass(tokens);
    return true;
}

/* A whole number up to `most`, which the hint states. */
static enum br_status tokens_read_number(struct br_tokens *tokens, bool in_line, const char *what,
                                         uint64_t most, const char *hint, uint64_t *value,
                                         struct br_diag *diag)
{
    if (!br_tokens_skip(tokens, in_line))
        return br_fail_at(diag, tokens->pos, BR_BAD_INPUT, "is the file complete?",
                          "the %s ends before %s", in_line ? "line" : "file", what);
    struct br_pos pos = tokens->pos;
    const char *word = tokens->at;
    bool digits = true;
    for (*value = 0; *tokens->at && !tokens_is_blank(*tokens->at); tokens_pass(tokens)) {
        digits &= *tokens->at >= '0' && *tokens->at <= '9';
        if (digits && *value <= most)
            *value = *value * 10 + (uint64_t)(*tokens->at - '0');
    }
    int length = tokens->at - word > 60 ? 60 : (int)(tokens->at - word);
    if (!digits)
        return br_fail_at(diag, pos, BR_BAD_INPUT, "write digits only",
                          "%s is '%.*s', which is not a whole number of 0 or more", what, length,
                          word);
    if (*value > most)
        return br_fail_at(diag, pos, BR_BAD_INPUT, hint, "%s is '%.*s', which is too large", what,
                          length, word);
    return BR_OK;
}

enum br_status br_tokens_count(struct br_tokens *tokens, bool in_line, const char *what,
                               uint32_t *value, struct br_diag *diag)
{
    uint64_t count;
    enum br_status status = tokens_read_number(tokens, in_line, what, UINT32_MAX,
                                               "write a number up to 4294967295", &count, diag);
    if (!status)
        *value = (uint32_t)count;
    return status;
}

enum br_status br_tokens_amount(struct br_tokens *tokens, bool in_line, const char *what,
                                uint64_t *value, struct br_diag *diag)
{
    return tokens_read_number(tokens, in_line, what, UINT64_C(999999999999999999),
                              "amounts have up to 18 digits", value, diag);
}

enum br_status br_tokens_seconds(struct br_tokens *tokens, bool in_line, const char *what,
                                 int64_t *ns, struct br_diag *diag)
{
    uint64_t seconds;
    enum br_status status = tokens_read_number(tokens, in_line, what, INT64_MAX / SECOND,
                                               "durations go up to 292 years", &seconds, diag);
    if (!status)
        *ns = (int64_t)seconds * SECOND;
    return status;
}
