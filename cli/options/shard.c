#include "cli/options/shard.h"

#include <stdbool.h>
#include <stdlib.h>

enum br_status cli_shard_read(const char *text, uint32_t *first, uint32_t *step,
                              struct br_diag *diag)
{
    unsigned long part = 1, parts = 1;
    char *end;
    if (text) {
        bool ok = *text >= '0' && *text <= '9';
        part = strtoul(text, &end, 10);
        ok = ok && *end == '/' && end[1] >= '0' && end[1] <= '9';
        if (ok)
            parts = strtoul(end + 1, &end, 10);
        if (!ok || *end || part < 1 || part > parts || parts > 1000000)
            return br_fail(diag, BR_USAGE, "write --shard 1/4 for the first of four, to 4/4",
                           "--shard %.60s is not I/N with I from 1 to N", text);
    }
    *first = (uint32_t)part - 1;
    *step = (uint32_t)parts;
    return BR_OK;
}
