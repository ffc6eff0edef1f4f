/* Words of a text with their places, for formats that are little more than numbers. */
#ifndef BR_PARSERS_TEXT_TOKENS_H
#define BR_PARSERS_TEXT_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text/diag.h"

struct br_tokens {
    const char *at; /* in the text, which is borrowed */
    struct br_pos pos;
};

/* From the start of a NUL-terminated text. */
struct br_tokens br_tokens_of(const char *text);
/* Skips blanks; false at the end of the text. With `in_line`, also at the end of the line, which
 * is left to br_tokens_end_line. */
bool br_tokens_skip(struct br_tokens *tokens, bool in_line);
/* Skips the rest of the line and its end; false at the end of the text. */
bool br_tokens_end_line(struct br_tokens *tokens);
/* Does the rest of the line begin with this text? If so, skips it. */
bool br_tokens_accept(struct br_tokens *tokens, const char *text);
/* Reads one whole number of 0 or more; `what` names it in messages. Faults are at the word; if the
 * text (with in_line: the line) ends, the message says so. */
enum br_status br_tokens_count(struct br_tokens *tokens, bool in_line, const char *what,
                               uint32_t *value, struct br_diag *diag);
/* Reads an amount in this way, of up to 18 digits; */
enum br_status br_tokens_amount(struct br_tokens *tokens, bool in_line, const char *what,
                                uint64_t *value, struct br_diag *diag);
/* and for a duration in whole seconds, of up to 292 years. */
enum br_status br_tokens_seconds(struct br_tokens *tokens, bool in_line, const char *what,
                                 int64_t *ns, struct br_diag *diag);

#endif
