/* What a command that waits for admission is called, from its words and its environment alone. */
#ifndef BR_CLI_ADMISSION_KEY_H
#define BR_CLI_ADMISSION_KEY_H

#include <stddef.h>
#include <stdint.h>

/* Writes the key: of a compiler or linker the file that it writes, of ar the archive; of rustc
 * under cargo "PACKAGE/CRATE" with what it makes of it; of cargo and npm with the sub-command; of a
 * script of npm's "PACKAGE:SCRIPT", of tsc "tsc PROJECT"; of Go's tools "TOOL PACKAGE"; of any
 * other the file after -o, or the program's name. The result is the text, or one of the words. */
const char *cli_admit_key(const char *const *argument, uint32_t arguments, char *text, size_t size);

#endif
