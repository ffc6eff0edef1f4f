/* Words and their places. */
#include "parsers/text/tokens.h"

#include <string.h>

struct br_tokens br_tokens_of(const char *text)
{
    return (struct br_tokens){text, {1, 1}};
}

static void pass(struct br_tokens *tokens)
{
    tokens->pos.column++;
    if (*tokens->at++ == '\n')
        tokens->pos = (struct br_pos){tokens->pos.line + 1, 1};
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool br_tokens_skip(struct br_tokens *tokens, bool in_line)
{
    while (is_blank(*tokens->at) && !(in_line && *tokens->at == '\n'))
        pass(tokens);
    return *tokens->at && *tokens->at != '\n';
}

bool br_tokens_end_line(struct br_tokens *tokens)
{
    while (*tokens->at && *tokens->at != '\n')
        pass(tokens);
    if (*tokens->at)
        pass(tokens);
    return *tokens->at;
}

bool br_tokens_accept(struct br_tokens *tokens, const char *text)
{
    size_t length = strlen(text);
    if (strncmp(tokens->at, text, length) != 0)
        return false;
    while (length--)
        pass(tokens);
    return true;
}

enum br_status br_tokens_count(struct br_tokens *tokens, bool in_line, const char *what,
                               uint32_t *value, struct br_diag *diag)
{
    if (!br_tokens_skip(tokens, in_line))
        return br_fail_at(diag, tokens->pos, BR_BAD_INPUT, "is the file complete?",
                          "the %s ends before %s", in_line ? "line" : "file", what);
    struct br_pos pos = tokens->pos;
    const char *word = tokens->at;
    uint64_t count = 0;
    bool digits = true;
    for (; *tokens->at && !is_blank(*tokens->at); pass(tokens)) {
        digits &= *tokens->at >= '0' && *tokens->at <= '9';
        if (digits && count <= UINT32_MAX)
            count = count * 10 + (uint64_t)(*tokens->at - '0');
    }
    int length = tokens->at - word > 60 ? 60 : (int)(tokens->at - word);
    if (!digits)
        return br_fail_at(diag, pos, BR_BAD_INPUT, "write digits only",
                          "%s is '%.*s', which is not a whole number of 0 or more", what, length,
                          word);
    if (count > UINT32_MAX)
        return br_fail_at(diag, pos, BR_BAD_INPUT, "write a smaller number",
                          "%s is '%.*s', which is too large", what, length, word);
    *value = (uint32_t)count;
    return BR_OK;
}
