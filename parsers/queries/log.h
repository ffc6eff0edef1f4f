/* Plans that auto_explain has written into a server's log, or has sent to a client. */
#ifndef BR_PARSERS_QUERIES_LOG_H
#define BR_PARSERS_QUERIES_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text/diag.h"

/* A log, read from its beginning: {.at = text, .line = 1}. */
struct br_log {
    char *at; /* the unread part; ends with a NUL */
    uint32_t line;
};

/* A plan in it, as text of any form. */
struct br_log_plan {
    char *text; /* in the log's memory, ends with a NUL; NULL: there are no more */
    uint32_t line;
    bool is_one_line; /* it stands on that single line, as in jsonlog */
};

/* Is there such a plan in the text? */
bool br_log_is_there(const char *text);
/* Is it the log of a server, by its first messages? A plan may come later. */
bool br_log_is_server(const char *text);
/* Cuts the next plan out of the log, whose text changes there. All calls together take time
 * proportional to the length of the log. BR_BAD_INPUT: this plan is damaged; the next may be valid.
 */
enum br_status br_log_next(struct br_log *log, struct br_log_plan *plan, struct br_diag *diag);

#endif
