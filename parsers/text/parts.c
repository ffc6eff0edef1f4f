/* Spark rolls a log into a folder "eventlog_v2_APP" of parts "events_N_APP.CODEC", N from 1 on; its
 * history server replaces the first of them by one "....compact" without the jobs that had ended.
 */
#include "parsers/text/parts.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/collections/grow.h"

struct part {
    unsigned long number;
    char *name;
};

struct br_parts {
    DIR *folder;
    struct part *part;
    uint32_t count, room, next;
};

/* The number of "events_N_APP"; 0: it is no part. */
static unsigned long text_parts_number_of(const char *name)
{
    char *end;
    if (strncmp(name, "events_", 7) != 0 || name[7] < '0' || name[7] > '9')
        return 0;
    unsigned long number = strtoul(name + 7, &end, 10);
    return *end == '_' ? number : 0;
}

static int compare_parts(const void *a, const void *b)
{
    const struct part *one = a, *two = b;
    if (one->number != two->number)
        return one->number < two->number ? -1 : 1;
    return strcmp(one->name, two->name);
}

static bool is_compact(const char *name)
{
    size_t size = strlen(name);
    return size > 8 && strcmp(name + size - 8, ".compact") == 0;
}

static enum br_status list(struct br_parts *parts, struct br_diag *diag)
{
    errno = 0;
    for (struct dirent *entry; (entry = readdir(parts->folder)); errno = 0) {
        unsigned long number = text_parts_number_of(entry->d_name);
        if (number == 0)
            continue;
        if (!br_grow(&parts->part, parts->count, &parts->room, sizeof *parts->part))
            return br_fail_memory(diag);
        struct part *part = &parts->part[parts->count];
        *part = (struct part){number, strdup(entry->d_name)};
        if (!part->name)
            return br_fail_memory(diag);
        parts->count++;
    }
    if (errno)
        return br_fail_at(diag, BR_NO_POS, BR_SYSTEM, NULL, "cannot be read: %s", strerror(errno));
    return BR_OK;
}

/* Part N stands N-th. */
static enum br_status text_parts_check(const struct br_parts *parts, struct br_diag *diag)
{
    for (uint32_t k = 0; k < parts->count; k++) {
        const struct part *part = &parts->part[k];
        assert(k == 0 || parts->part[k - 1].number <= part->number);
        if (is_compact(part->name))
            return br_fail_at(
                diag, BR_NO_POS, BR_BAD_INPUT,
                "give the other parts in order: 'ls -v FILES | xargs zstd -dcf | bigrocks ... -'",
                "'%.200s' lacks the jobs that had ended: Spark's history server has compacted it",
                part->name);
        if (part->number > k + 1ul)
            return br_fail_at(diag, BR_NO_POS, BR_BAD_INPUT, "give all parts of a rolled log",
                              "part %u of the log is missing", k + 1);
        if (part->number < k + 1ul)
            return br_fail_at(diag, BR_NO_POS, BR_BAD_INPUT, "keep one of them",
                              "'%.200s' and '%.200s' are both part %lu of the log",
                              parts->part[k - 1].name, part->name, part->number);
    }
    return BR_OK;
}

enum br_status br_parts_open(int folder, struct br_parts **made, struct br_diag *diag)
{
    *made = NULL;
    struct br_parts *parts = calloc(1, sizeof *parts);
    if (!parts || !(parts->folder = fdopendir(folder))) {
        free(parts);
        close(folder);
        return br_fail_memory(diag);
    }
    enum br_status status = list(parts, diag);
    if (parts->count)
        qsort(parts->part, parts->count, sizeof *parts->part, compare_parts);
    if (!status)
        status = text_parts_check(parts, diag);
    if (status || !parts->count) {
        br_parts_destroy(parts);
        return status;
    }
    *made = parts;
    return BR_OK;
}

int br_parts_next(struct br_parts *parts)
{
    errno = 0;
    if (parts->next == parts->count)
        return -1;
    return openat(dirfd(parts->folder), parts->part[parts->next++].name,
                  O_RDONLY | O_CLOEXEC | O_NOCTTY);
}

void br_parts_destroy(struct br_parts *parts)
{
    if (!parts)
        return;
    for (uint32_t k = 0; k < parts->count; k++)
        free(parts->part[k].name);
    free(parts->part);
    closedir(parts->folder);
    free(parts);
}
