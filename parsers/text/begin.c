#include "parsers/text/begin.h"

#include <stdio.h>
#include <string.h>

const char *br_text_begin(const char *text)
{
    if (strncmp(text, "\xef\xbb\xbf", 3) == 0)
        text += 3; /* byte order mark */
    return text + strspn(text, " \t\r\n\f\v");
}

const char *br_text_past(const char *text, const char *end)
{
    text = strstr(text, end);
    return text ? text + strlen(end) : NULL;
}

/* The first start tag of an XML text, after "<"; NULL if there is none. */
static const char *root_tag(const char *p)
{
    for (p = br_text_begin(p); p && *p == '<'; p = p ? br_text_begin(p) : NULL) {
        if (strncmp(p, "<?", 2) == 0)
            p = br_text_past(p, "?>");
        else if (strncmp(p, "<!--", 4) == 0)
            p = br_text_past(p, "-->");
        else if (strncmp(p, "<!", 2) == 0) { /* a DTD, which its reader refuses */
            const char *subset = strchr(p, '['), *end = strchr(p, '>');
            p = subset && end && subset < end ? br_text_past(p, "]>") : br_text_past(p, ">");
        } else
            return p + 1;
    }
    return NULL;
}

void br_xml_root_name(const char *text, char *name, size_t size)
{
    const char *tag = root_tag(text);
    size_t length = tag ? strcspn(tag, " \t\r\n/>") : 0;
    const char *colon = tag ? memchr(tag, ':', length) : NULL;
    if (colon) {
        length -= (size_t)(colon + 1 - tag);
        tag = colon + 1;
    }
    snprintf(name, size, "%.*s", (int)(length < size ? length : size - 1), tag ? tag : "");
}
