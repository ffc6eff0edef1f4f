/* Texts for a shell. All that the program writes for shells, and for what hands text to shells, is
 * quoted here. */
#ifndef BR_BASE_TEXT_SHELL_H
#define BR_BASE_TEXT_SHELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Takes a piece of text; false stops. */
typedef bool br_shell_put(void *to, const char *text, size_t size);

/* Is every shell sure to take the text as one word that means itself? */
bool br_shell_is_plain(const char *text, size_t size);
/* The text as one word, in single quotes; as POSIX has them, nothing inside means anything. False
 * where `put` said so. */
bool br_shell_quote(const char *text, size_t size, br_shell_put *put, void *to);
/* The same, to a file. */
void br_shell_write(FILE *out, const char *text);

#endif
