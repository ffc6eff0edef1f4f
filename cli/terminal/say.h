/* Words for people: messages on standard error, and texts and numbers as people read them. */
#ifndef BR_CLI_TERMINAL_SAY_H
#define BR_CLI_TERMINAL_SAY_H

#include <stdint.h>
#include <stdio.h>

#include "base/numbers/decimal.h"
#include "base/text/diag.h"
#include "cli/options/commands.h"

/* Prints one line on standard error, "bigrocks: ...", whatever its texts contain. */
void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints the version, and a command line that repeats this run with all its options spelled out. */
void cli_say_line(const struct cli_command *command, const struct cli_settings *settings,
                  const char *const *argument, uint32_t arguments);
/* Prints the diagnostic as a line on standard error. */
void cli_say_diag(const struct br_diag *diag);
/* "1 task", "12 tasks". */
void cli_print_count(FILE *out, uint64_t count, const char *noun, const char *plural);
/* Prints a text of foreign origin: names, commands, methods of plans, messages of children. It
 * stays within its line and cannot control the terminal (br_text_screen). All such texts for people
 * go through here, through cli_say, or through a diagnostic. */
void cli_print_text(FILE *out, const char *text);

/* Seconds for people: three decimals at most, unless the time is shorter than that shows. */
enum { CLI_SECONDS_TEXT = 40 };
const char *cli_seconds(int64_t ns, char text[CLI_SECONDS_TEXT]);

/* The nearest floating-point number, for output to people. */
double cli_amount(struct br_decimal amount);

#endif
