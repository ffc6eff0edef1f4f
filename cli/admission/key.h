/* The name of a command that waits for admission, made from its words and its environment alone. */
#ifndef BR_CLI_ADMISSION_KEY_H
#define BR_CLI_ADMISSION_KEY_H

#include <stddef.h>
#include <stdint.h>

/* Writes the key: for a compiler or linker the file that it writes, for ar the archive; for rustc
 * under cargo "PACKAGE/CRATE" with the kind of output; for cargo and npm the program with the
 * sub-command; for a script of npm "PACKAGE:SCRIPT", for tsc "tsc PROJECT"; for Go's tools "TOOL
 * PACKAGE"; for any other program the file after -o, or its name. The result is the text, or one of
 * the words. */
const char *cli_admit_key(const char *const *argument, uint32_t arguments, char *text, size_t size);

#endif
