/* Parses the overbooked resources. */
#include "runtime/drivers/common/overbook.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/diag.h"

enum br_status br_overbook_read(const char **text, char name[BR_OVERBOOK_NAME], uint32_t *percent,
                                struct br_diag *diag)
{
    size_t length = strcspn(*text, ",");
    snprintf(name, BR_OVERBOOK_NAME, "%.*s", (int)length, *text);
    char *equals = strchr(name, '=');
    char *end = equals;
    unsigned long value =
        equals && isdigit((unsigned char)equals[1]) ? strtoul(equals + 1, &end, 10) : 0;
    if (length >= BR_OVERBOOK_NAME || end == equals || *end || value > UINT32_MAX)
        return br_fail(diag, BR_USAGE, "write --overbook net=150,disk=120",
                       "'%.100s' is no resource with a percentage", name);
    *equals = '\0';
    *percent = (uint32_t)value;
    *text += length + ((*text)[length] == ',');
    return BR_OK;
}
