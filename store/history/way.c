#include "store/history/way.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/real.h"

/* Between the parts of a name: no XML and no text that people write has it. */
enum { SEPARATOR = '\x1f' };
/* A file may contain anything, and sums of two must still fit. */
static const int64_t longest_ns = INT64_MAX / 4;

char *br_history_way_name(const char *stage, const char *alternative, const char *cls,
                          struct br_decimal speed)
{
    char text[BR_DECIMAL_TEXT];
    const size_t size =
        strlen(stage) + (alternative ? strlen(alternative) : 0) + strlen(cls) + sizeof text + 4;
    char *name = malloc(size);
    br_decimal_format(speed, text, sizeof text);
    if (name)
        snprintf(name, size, "%s%c%s%c%s%c%s", stage, SEPARATOR, alternative ? alternative : "",
                 SEPARATOR, cls, SEPARATOR, text);
    return name;
}

char *br_history_way_bound(const char *stage, const char *alternative, bool behind)
{
    const size_t size = strlen(stage) + (alternative ? strlen(alternative) : 0) + 3;
    char *name = malloc(size);
    if (name)
        snprintf(name, size, "%s%c%s%c", stage, SEPARATOR, alternative ? alternative : "",
                 behind ? SEPARATOR + 1 : SEPARATOR);
    return name;
}

bool br_history_way_read(const char *name, struct br_history_way *way)
{
    char *part[4];
    *way = (struct br_history_way){.stage = name, .speed = {1, 0}};
    if (!strchr(name, SEPARATOR))
        return true;
    char *text = strdup(name);
    if (!text)
        return false;
    size_t parts = 0;
    char *at = text;
    for (; at && parts < sizeof part / sizeof *part; parts++) {
        part[parts] = at;
        at = strchr(at, SEPARATOR);
        if (at)
            *at++ = '\0';
    }
    struct br_decimal speed;
    if (at || parts < 4 || br_decimal_parse(part[3], &speed) || speed.mantissa <= 0) {
        free(text);
        return true;
    }
    *way = (struct br_history_way){part[0], *part[1] ? part[1] : NULL, part[2], speed, text};
    return true;
}

int64_t br_history_way_normal(struct br_decimal speed, int64_t wall_ns)
{
    if (wall_ns <= 0)
        return 0;
    if (speed.mantissa == 1 && speed.exponent == 0)
        return wall_ns;
    const double ns = (double)wall_ns * br_real_of(speed);
    return ns < (double)longest_ns ? br_real_whole(ns) : longest_ns;
}
