/* Characters that texts may hold, so that every output can hold the texts: UTF-8, no stray control
 * characters. */
#ifndef BR_BASE_TEXT_TEXT_H
#define BR_BASE_TEXT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Length of the longest run of valid UTF-8 without NUL bytes from the start; `size` where all is
 * valid. Surrogates, overlong forms, U+FFFE and U+FFFF are not. */
size_t br_text_utf8_length(const char *text, size_t size);
/* Is it valid UTF-8 without control characters? Names that a reader makes up itself have to be. */
bool br_text_is_plain(const char *text);
/* The same, but tabs, line ends and DEL are fine: what XML can hold. Ids, commands and
 * passed-through values have to be. */
bool br_text_is_lines(const char *text);

/* Makes the text fit for a line of a terminal, in place: every control character (of ASCII, tabs
 * and line ends among them, and U+0080 to U+009F), every mark that turns the direction of what
 * stands around it, and every byte that is not UTF-8 becomes a '?'. What people read is what is
 * there, and no name begins a line of its own. */
void br_text_screen(char *text);

#endif
