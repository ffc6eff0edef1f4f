/* The start of a file, by which formats are recognised. */
#ifndef BR_PARSERS_TEXT_BEGIN_H
#define BR_PARSERS_TEXT_BEGIN_H

#include <stddef.h>

/* The text behind a byte order mark and blanks. */
const char *br_text_begin(const char *text);
/* The text after a construct that ends with `end`; NULL if it does not end. */
const char *br_text_past(const char *text, const char *end);
/* Name of the root element of an XML text, without prefix, cut to the room; "" if there is none.
 */
void br_xml_root_name(const char *text, char *name, size_t size);

#endif
