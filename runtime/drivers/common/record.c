/* The form of records; the journal gives their texts a meaning. */
#include "runtime/drivers/common/record.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/collections/index.h"
#include "base/invariant.h"

static void sum_text(uint64_t seed, const char *text, char sum[BR_RECORD_SUM + 1])
{
    snprintf(sum, BR_RECORD_SUM + 1, "%016" PRIx64, br_hash_number(seed ^ br_hash_text(text)));
}

void br_record_write(char *record, uint32_t size, uint64_t seed, const char *text)
{
    uint32_t room = size - BR_RECORD_SUM - 2, length = (uint32_t)strlen(text);
    char sum[BR_RECORD_SUM + 1], *at = record + BR_RECORD_SUM + 1;
    assert(length <= room);
    memset(at, ' ', room);
    memcpy(at, text, length < room ? length : room);
    at[room] = '\0';
    sum_text(seed, at, sum);
    memcpy(record, sum, BR_RECORD_SUM);
    record[BR_RECORD_SUM] = ' ';
    record[size - 1] = '\n';
    record[size] = '\0';
}

char *br_record_read(char *at, const char *end, uint32_t size, uint64_t seed)
{
    if ((size_t)(end - at) < size || at[size - 1] != '\n' || at[BR_RECORD_SUM] != ' ')
        return NULL;
    char sum[BR_RECORD_SUM + 1], *text = at + BR_RECORD_SUM + 1, *stop = at + size - 1;
    *stop = '\0';
    sum_text(seed, text, sum);
    bool good = strlen(text) == (size_t)(stop - text) && memcmp(at, sum, BR_RECORD_SUM) == 0;
    if (!good) {
        *stop = '\n';
        return NULL;
    }
    while (stop > text && stop[-1] == ' ')
        *--stop = '\0';
    return text;
}
