#include "parsers/dot/twins.h"

#include <stdio.h>
#include <string.h>

static const char duplicate[] = " - omitted for duplicate)", managed[] = "; omitted for duplicate)";

/* The part of the quoted mention with the node's other name; no length: none. */
struct span {
    size_t from, length;
};

static bool ends_with(const char *text, size_t length, const char *end)
{
    const size_t size = strlen(end);
    return length >= size && memcmp(text + length - size, end, size) == 0;
}

/* "(NAME - omitted for duplicate)" or "(NAME - version managed from 1; omitted for duplicate)". */
static struct span without_reason(const char *id, size_t length)
{
    if (*id != '(' || (!ends_with(id, length, duplicate) && !ends_with(id, length, managed)))
        return (struct span){0, 0};
    const char *end = memmem(id, length, " - ", 3);
    return (struct span){1, end ? (size_t)(end - id) - 1 : 0};
}

/* "NAME (TITLE)", if that graph is read. */
static struct span without_archive(const struct br_dot_several *several, const char *id,
                                   size_t length)
{
    for (uint32_t k = 0; k < several->titles; k++) {
        const size_t title = strlen(several->title[k]);
        if (title && length > title + 3 && id[length - 1] == ')' &&
            memcmp(id + length - 1 - title, several->title[k], title) == 0 &&
            memcmp(id + length - 3 - title, " (", 2) == 0)
            return (struct span){0, length - title - 3};
    }
    return (struct span){0, 0};
}

/* Keeps only the part, with blanks after the quotation mark. */
static void twins_cut(char *text, struct br_dot_mention *mention, struct span span)
{
    char *id = text + (mention->id - text);
    memmove(id + 1, id + 1 + span.from, span.length);
    id[span.length + 1] = '"';
    memset(id + span.length + 2, ' ', mention->length - span.length - 2);
    mention->length = (uint32_t)span.length + 2;
}

void br_dot_twins_unite(struct br_dot_several *several, struct br_dot_twins *twins)
{
    struct br_dot_scan *scan = several->scan;
    *twins = (struct br_dot_twins){
        .jdeps = memmem(several->text, scan->length, "\n    // Path: ", 14) != NULL};
    for (uint32_t m = 0; m < scan->mentions; m++) {
        struct br_dot_mention *mention = &scan->mention[m];
        const size_t length = mention->length < 2 ? 0 : mention->length - (size_t)2;
        if (!mention->after_arrow || !length || *mention->id != '"' ||
            mention->id[length + 1] != '"' || memchr(mention->id + 1, '"', length))
            continue;
        struct span span = without_reason(mention->id + 1, length);
        if (twins->jdeps && !span.length)
            span = without_archive(several, mention->id + 1, length);
        if (!span.length)
            continue;
        if (twins->united++ == 0)
            snprintf(twins->first, sizeof twins->first, "%.*s", (int)length, mention->id + 1);
        twins_cut(several->text, mention, span);
    }
}

bool br_dot_twins_is_elsewhere(const struct br_dot_twins *twins, const char *name)
{
    const size_t length = strlen(name);
    return twins->jdeps && length && name[length - 1] == ')' && strstr(name, " (");
}
