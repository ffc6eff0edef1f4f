#include "planner/model/alternative_text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/collections/memory.h"

static const char alternative_mark[] = "{alternative", index_mark[] = "{index}";

/* The text that stands for a mark, and where the command goes on; NULL: here is no mark. */
struct found {
    const char *text, *end;
    size_t length;
};

/* What the list "one=1,four=4}" gives to the alternative. False: nothing, or it has no end. */
static bool find_listed(const char *list, const char *id, struct found *found)
{
    const size_t id_length = strlen(id);
    const char *end = strchr(list, '}');
    bool any = false;
    for (const char *entry = list; end && entry <= end;) {
        const size_t length = strcspn(entry, ",}");
        if (!any && length > id_length && memcmp(entry, id, id_length) == 0 &&
            entry[id_length] == '=') {
            found->text = entry + id_length + 1;
            found->length = length - id_length - 1;
            any = true;
        }
        entry += length + 1;
    }
    found->end = end ? end + 1 : NULL;
    return any;
}

static bool find_mark(const char *at, const char *id, const char *index, struct found *found)
{
    const size_t length = sizeof alternative_mark - 1;
    *found = (struct found){NULL, at, 0};
    if (*index && strncmp(at, index_mark, sizeof index_mark - 1) == 0) {
        *found = (struct found){index, at + sizeof index_mark - 1, strlen(index)};
        return true;
    }
    if (!id || strncmp(at, alternative_mark, length) != 0)
        return true;
    if (at[length] == '}')
        *found = (struct found){id, at + length + 1, strlen(id)};
    return at[length] != ':' || find_listed(at + length + 1, id, found);
}

/* Writes the command to `to`, which may be NULL, and gives its length. SIZE_MAX: a list has no text
 * for the alternative. */
static size_t fill(const char *command, const char *id, const char *index, char *to)
{
    size_t used = 0;
    for (const char *at = command; *at;) {
        struct found found;
        if (!find_mark(at, id, index, &found))
            return SIZE_MAX;
        if (!found.text)
            found = (struct found){at, at + 1, 1};
        if (to)
            memcpy(to + used, found.text, found.length);
        used += found.length;
        at = found.end;
    }
    return used;
}

enum br_status br_alternative_text(const char *command, const char *id, uint32_t index, char **made,
                                   struct br_diag *diag)
{
    char number[16] = "";
    if (index != UINT32_MAX)
        snprintf(number, sizeof number, "%" PRIu32, index);
    const size_t length = fill(command, id, number, NULL);
    *made = NULL;
    if (length == SIZE_MAX)
        return br_fail(diag, BR_BAD_INPUT,
                       "name every alternative of the stage, as in {alternative:one=1,four=4}",
                       "its command has no text for the alternative '%.80s'", id);
    *made = br_malloc(length + 1);
    if (!*made)
        return br_fail_memory(diag);
    fill(command, id, number, *made);
    (*made)[length] = '\0';
    return BR_OK;
}
