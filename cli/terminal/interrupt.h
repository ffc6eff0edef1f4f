/* Signals that end a search but not the program. */
#ifndef BR_CLI_TERMINAL_INTERRUPT_H
#define BR_CLI_TERMINAL_INTERRUPT_H

#include <stdbool.h>

#include "base/process/stop.h"
#include "base/text/diag.h"

/* Ctrl-C and SIGTERM raise the flag instead of ending the program; the second one ends it. */
const struct br_stop *cli_interrupt_catch(void);
/* Raises the flag without an interrupt: nothing is left to search for. */
void cli_interrupt_stop(void);
/* As cli_interrupt_catch, but the second signal raises the flag to 2, and only the third one ends
 * the program. */
const struct br_stop *cli_interrupt_count(void);
/* Ends the program by the signal that has interrupted it, as its caller expects. */
void cli_interrupt_die(void);
/* Ends the program as one whose reader has gone; returns only if its caller has that signal
 * ignored. */
enum br_status cli_die_unread(struct br_diag *diag);
/* From here on these signals end the program again. */
void cli_interrupt_release(void);
bool cli_interrupted(void);
/* Did the terminal send it, which signals its whole foreground group? */
bool cli_interrupted_by_terminal(void);
/* The file to remove if a signal ends the program; NULL: none. Borrowed until the next call. */
void cli_interrupt_remove(const char *path);

#endif
