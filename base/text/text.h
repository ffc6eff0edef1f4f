/* Permitted characters of texts, so that every output can hold them: UTF-8, no stray control
 * characters. */
#ifndef BR_BASE_TEXT_TEXT_H
#define BR_BASE_TEXT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Length of the longest run of valid UTF-8 without NUL bytes from the start; `size` if all is
 * valid. Surrogates, overlong forms, U+FFFE and U+FFFF are invalid. */
size_t br_text_utf8_length(const char *text, size_t size);
/* Is it valid UTF-8 without control characters? Required of names that a reader makes up itself. */
bool br_text_is_plain(const char *text);
/* As above, but with tabs, line ends and DEL allowed: what XML can hold. Required of ids, commands
 * and passed-through values. */
bool br_text_is_lines(const char *text);

/* Makes the text fit for a line of a terminal, in place: every control character (of ASCII, with
 * tabs and line ends, and U+0080 to U+009F), every mark that changes the direction of the text
 * around it, and every byte of invalid UTF-8 becomes a '?'. So people see the real text, and no
 * name begins a line of its own. */
void br_text_screen(char *text);

#endif
