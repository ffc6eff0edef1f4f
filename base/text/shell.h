/* Texts for a shell. Everything that the program writes for shells, and for programs that pass text
 * to shells, is quoted here. */
#ifndef BR_BASE_TEXT_SHELL_H
#define BR_BASE_TEXT_SHELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Takes a piece of text; false stops. */
typedef bool br_shell_put(void *to, const char *text, size_t size);

/* Will every shell take the text as one literal word? */
bool br_shell_is_plain(const char *text, size_t size);
/* The text as one word, in single quotes; by POSIX, nothing inside has a meaning. False if `put`
 * returned false. */
bool br_shell_quote(const char *text, size_t size, br_shell_put *put, void *to);
/* Writes it to a file. */
void br_shell_write(FILE *out, const char *text);

#endif
