/* What a command that waits for admission is called, from its words and its environment alone. */
#ifndef BR_CLI_ADMISSION_KEY_H
#define BR_CLI_ADMISSION_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes the key: of rustc under cargo "PACKAGE/CRATE" with what it makes of it, of a script of npm
 * "PACKAGE:SCRIPT", of tsc "tsc PROJECT", of any other the file after -o, or the program's name.
 * The result is the text, or one of the words. */
const char *cli_admit_key(const char *const *argument, uint32_t arguments, char *text, size_t size);

/* Does the command only ask, or only start others that ask for admission themselves? Such a one
 * runs without waiting: what a compiler is, what it would print, a test into /dev/null, a script
 * that starts scripts. */
bool cli_admit_is_probe(const char *const *argument, uint32_t arguments);

#endif
