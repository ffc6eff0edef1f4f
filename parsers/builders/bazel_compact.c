/* Bazel's compact log of executed actions: entries of protocol buffers, each behind its length (all
 * of it compressed by zstd). An entry is an action, or data to which later entries refer by its
 * number: files, folders, and sets of them in sets. The numbers of the fields are those of Bazel's
 * spawn.proto, 7.1 to 8. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "parsers/builders/bazel_forms.h"
#include "parsers/text/protobuf.h"

enum {
    ENTRY_ID = 1,
    INVOCATION,
    FILE_ENTRY,
    FOLDER,
    SYMLINK,
    INPUT_SET,
    SPAWN,
    SYMLINK_ACTION,
    SYMLINK_SET,
    RUNFILES
};

/* Data: files, or a set of other entries. */
struct entry {
    uint32_t id, first, count; /* its items */
    bool is_set;
};

struct use {
    uint32_t stage, entry;
};

struct compact {
    struct bazel *bazel;
    struct br_index index; /* of entries, by id */
    uint32_t entries, entry_room, items, item_room, uses, use_room;
    struct entry *entry;
    uint32_t *item; /* numbers of files, or of entries in a set */
    struct use *use;
    char *path; /* the last one */
    size_t path_room;
    uint32_t number; /* of the message that is being read, from 1 */
};

static uint64_t entry_hash(const void *context, uint32_t number)
{
    return br_hash_number(((const struct compact *)context)->entry[number].id);
}

static bool entry_equal(const void *context, uint32_t number, const void *key)
{
    return ((const struct compact *)context)->entry[number].id == *(const uint32_t *)key;
}

static const struct br_index_keys entry_keys = {entry_hash, entry_equal};

static enum br_status compact_damaged(const struct compact *log)
{
    return br_fail_at(log->bazel->diag, BR_NO_POS, BR_BAD_INPUT,
                      "is the file whole, and did Bazel end well?",
                      "entry %" PRIu32 " of the log is cut short or damaged", log->number);
}

static enum br_status compact_item(struct compact *log, uint32_t item)
{
    if (!br_grow(&log->item, log->items, &log->item_room, sizeof *log->item))
        return br_fail_memory(log->bazel->diag);
    log->item[log->items++] = item;
    return BR_OK;
}

static enum br_status compact_find(const struct compact *log, uint64_t id, uint32_t *entry)
{
    const uint32_t key = (uint32_t)id;
    *entry = id > UINT32_MAX
                 ? UINT32_MAX
                 : br_index_find(&log->index, &entry_keys, log, &key, br_hash_number(key));
    if (*entry != UINT32_MAX)
        return BR_OK;
    return br_fail_at(log->bazel->diag, BR_NO_POS, BR_BAD_INPUT, "is the file whole?",
                      "entry %" PRIu32 " of the log refers to %" PRIu64 ", which is not before it",
                      log->number, id);
}

/* The file of this field's path, below the folder that the last path names, of `folder` bytes. */
static enum br_status compact_path(struct compact *log, const struct br_proto *field, size_t folder,
                                   uint32_t *file)
{
    const size_t size = folder + (folder > 0) + field->size + 1;
    if (!log->path || size > log->path_room) {
        char *larger = realloc(log->path, 2 * size);
        if (!larger)
            return br_fail_memory(log->bazel->diag);
        log->path = larger;
        log->path_room = 2 * size;
    }
    char *at = log->path + folder;
    if (folder > 0)
        *at++ = '/';
    memcpy(at, field->bytes, field->size);
    at[field->size] = 0;
    return bazel_file(log->bazel, log->path, file);
}

/* A file or a symbolic link: its path is field 1. */
static enum br_status compact_file(struct compact *log, struct br_proto message)
{
    enum br_status status = BR_OK;
    uint32_t file;
    while (!status && br_proto_next(&message))
        if (br_proto_is_bytes(&message, 1)) {
            status = compact_path(log, &message, 0, &file);
            if (!status)
                status = compact_item(log, file);
        }
    return !status && message.damaged ? compact_damaged(log) : status;
}

/* A folder and the files in it, which others may read one by one. */
static enum br_status compact_folder(struct compact *log, struct br_proto message)
{
    enum br_status status = BR_OK;
    uint32_t file;
    size_t folder = 0;
    while (!status && br_proto_next(&message)) {
        if (br_proto_is_bytes(&message, 1)) {
            status = compact_path(log, &message, 0, &file);
            folder = message.size;
            if (!status)
                status = compact_item(log, file);
        }
        struct br_proto inside = br_proto_inside(&message);
        while (!status && br_proto_is_bytes(&message, 2) && br_proto_next(&inside))
            if (br_proto_is_bytes(&inside, 1)) {
                status = compact_path(log, &inside, folder, &file);
                if (!status)
                    status = compact_item(log, file);
            }
        message.damaged |= inside.damaged;
    }
    return !status && message.damaged ? compact_damaged(log) : status;
}

/* The entry of that number is in the set; 0 is none. */
static enum br_status set_add(struct compact *log, uint64_t id)
{
    uint32_t entry;
    if (id == 0)
        return BR_OK;
    enum br_status status = compact_find(log, id, &entry);
    return status ? status : compact_item(log, entry);
}

/* Numbers of entries in a field, alone or packed. */
static enum br_status set_add_all(struct compact *log, struct br_proto *field)
{
    uint64_t id;
    enum br_status status = BR_OK;
    if (field->kind == BR_PROTO_NUMBER)
        return set_add(log, field->number);
    struct br_proto packed = br_proto_inside(field);
    while (!status && br_proto_varint(&packed, &id))
        status = set_add(log, id);
    field->damaged |= packed.damaged;
    return status;
}

/* Inputs: fields 1 to 3 are those of Bazel 7.1, 4 are other sets, 5 inputs of all kinds. */
static enum br_status compact_input_set(struct compact *log, struct br_proto message)
{
    enum br_status status = BR_OK;
    while (!status && br_proto_next(&message))
        if (message.field <= 5)
            status = set_add_all(log, &message);
    return !status && message.damaged ? compact_damaged(log) : status;
}

/* Links in a tree of runfiles: field 1 is a path and an entry, 2 other sets. */
static enum br_status compact_symlink_set(struct compact *log, struct br_proto message)
{
    enum br_status status = BR_OK;
    while (!status && br_proto_next(&message)) {
        if (message.field == 2)
            status = set_add_all(log, &message);
        struct br_proto inside = br_proto_inside(&message);
        while (!status && br_proto_is_bytes(&message, 1) && br_proto_next(&inside))
            if (br_proto_is_number(&inside, 2))
                status = set_add(log, inside.number);
        message.damaged |= inside.damaged;
    }
    return !status && message.damaged ? compact_damaged(log) : status;
}

/* A tree of runfiles: fields 2 to 4 are its sets. */
static enum br_status compact_runfiles(struct compact *log, struct br_proto message)
{
    enum br_status status = BR_OK;
    while (!status && br_proto_next(&message))
        if (message.kind == BR_PROTO_NUMBER && message.field >= 2 && message.field <= 4)
            status = set_add(log, message.number);
    return !status && message.damaged ? compact_damaged(log) : status;
}

static enum br_status compact_data(struct compact *log, uint32_t kind, struct br_proto message,
                                   uint64_t id)
{
    static enum br_status (*const readers[])(struct compact *, struct br_proto) = {
        [FILE_ENTRY] = compact_file,
        [FOLDER] = compact_folder,
        [SYMLINK] = compact_file,
        [INPUT_SET] = compact_input_set,
        [SYMLINK_SET] = compact_symlink_set,
        [RUNFILES] = compact_runfiles};
    struct entry entry = {(uint32_t)id, log->items, 0, kind > SYMLINK};
    if (id == 0 || id > UINT32_MAX ||
        br_index_find(&log->index, &entry_keys, log, &entry.id, br_hash_number(entry.id)) !=
            UINT32_MAX)
        return compact_damaged(log);
    enum br_status status = readers[kind](log, message);
    entry.count = log->items - entry.first;
    if (status)
        return status;
    if (!br_grow(&log->entry, log->entries, &log->entry_room, sizeof *log->entry))
        return br_fail_memory(log->bazel->diag);
    log->entry[log->entries] = entry;
    if (!br_index_add(&log->index, &entry_keys, log, log->entries))
        return br_fail_memory(log->bazel->diag);
    log->entries++;
    return BR_OK;
}

/* A length of time in seconds and nanoseconds. */
static enum br_status compact_time(struct compact *log, struct br_proto message, int64_t *ns)
{
    uint64_t seconds = 0, nanos = 0;
    while (br_proto_next(&message)) {
        if (br_proto_is_number(&message, 1))
            seconds = message.number;
        else if (br_proto_is_number(&message, 2))
            nanos = message.number;
    }
    if (message.damaged || seconds > INT32_MAX || nanos > 999999999)
        return compact_damaged(log);
    *ns = (int64_t)(seconds * 1000000000 + nanos);
    return BR_OK;
}

/* Field 1 is the whole time, 8 that of the command alone, 13 the memory that was expected. */
static enum br_status compact_metrics(struct compact *log, struct br_proto message,
                                      struct bazel_action *action)
{
    bool own = false;
    enum br_status status = BR_OK;
    while (!status && br_proto_next(&message)) {
        if (br_proto_is_bytes(&message, 8) || (br_proto_is_bytes(&message, 1) && !own))
            status = compact_time(log, br_proto_inside(&message), &action->ns);
        own |= br_proto_is_bytes(&message, 8);
        if (br_proto_is_number(&message, 13) && message.number > 0 && message.number < INT64_MAX)
            snprintf(action->memory, sizeof action->memory, "%" PRIu64, message.number);
    }
    return !status && message.damaged ? compact_damaged(log) : status;
}

/* An entry, or the path of one that was not made. */
static enum br_status compact_output(struct compact *log, struct br_proto message)
{
    uint32_t entry, file;
    enum br_status status = BR_OK;
    while (!status && br_proto_next(&message)) {
        if (br_proto_is_bytes(&message, 4)) {
            status = compact_path(log, &message, 0, &file);
            if (!status)
                bazel_writes(log->bazel, file);
        } else if (message.kind == BR_PROTO_NUMBER && message.field <= 5) {
            status = compact_find(log, message.number, &entry);
            for (uint32_t k = 0;
                 !status && !log->entry[entry].is_set && k < log->entry[entry].count; k++)
                bazel_writes(log->bazel, log->item[log->entry[entry].first + k]);
        }
    }
    return !status && message.damaged ? compact_damaged(log) : status;
}

static enum br_status compact_inputs(struct compact *log, uint64_t id)
{
    uint32_t entry;
    if (id == 0)
        return BR_OK;
    enum br_status status = compact_find(log, id, &entry);
    if (!status && !br_grow(&log->use, log->uses, &log->use_room, sizeof *log->use))
        status = br_fail_memory(log->bazel->diag);
    if (!status)
        log->use[log->uses++] = (struct use){log->bazel->dag->stages, entry};
    return status;
}

static enum br_status compact_spawn(struct compact *log, struct br_proto message)
{
    struct bazel *bazel = log->bazel;
    struct bazel_action action = {.ns = bazel->options->default_duration_ns};
    struct br_proto again = message;
    uint64_t inputs = 0, code = 0;
    bool hit = false;
    enum br_status status = BR_OK;
    while (!status && br_proto_next(&message)) {
        if (br_proto_is_number(&message, 4))
            inputs = message.number;
        else if (br_proto_is_bytes(&message, 7))
            br_proto_text(&message, action.label, sizeof action.label - 3);
        else if (br_proto_is_bytes(&message, 8))
            br_proto_text(&message, action.mnemonic, sizeof action.mnemonic - 3);
        else if (br_proto_is_number(&message, 9))
            code = message.number;
        else if (br_proto_is_number(&message, 12))
            hit = message.number != 0;
        else if (br_proto_is_bytes(&message, 18))
            status = compact_metrics(log, br_proto_inside(&message), &action);
    }
    if (!status && message.damaged)
        return compact_damaged(log);
    if (code != 0) { /* tried again, or the build has failed */
        bazel->failed++;
        return status;
    }
    while (!status && br_proto_next(&again))
        if (br_proto_is_bytes(&again, 6))
            status = compact_output(log, br_proto_inside(&again));
    if (!status)
        status = compact_inputs(log, inputs);
    bazel->cached += hit;
    return status ? status : bazel_add(bazel, &action);
}

/* Takes no time, so it is no stage: who reads the link waits for whom has written its target. */
static enum br_status compact_symlink_action(struct compact *log, struct br_proto message)
{
    uint32_t file[3] = {BAZEL_NONE, BAZEL_NONE, BAZEL_NONE};
    enum br_status status = BR_OK;
    while (!status && br_proto_next(&message))
        if (br_proto_is_bytes(&message, 1) || br_proto_is_bytes(&message, 2))
            status = compact_path(log, &message, 0, &file[message.field]);
    if (!status && message.damaged)
        return compact_damaged(log);
    if (!status && file[1] != BAZEL_NONE && file[2] != BAZEL_NONE)
        log->bazel->file[file[2]].target = file[1];
    return status;
}

static enum br_status compact_entry(struct compact *log, struct br_proto message)
{
    struct br_proto inside = message;
    uint64_t id = 0;
    uint32_t kind = 0;
    while (br_proto_next(&message)) {
        if (br_proto_is_number(&message, ENTRY_ID))
            id = message.number;
        else if (message.kind == BR_PROTO_BYTES && message.field <= RUNFILES) {
            kind = message.field;
            inside = br_proto_inside(&message);
        }
    }
    if (message.damaged)
        return compact_damaged(log);
    if (kind <= INVOCATION) /* or of a kind that is not known */
        return BR_OK;
    if (kind == SPAWN)
        return compact_spawn(log, inside);
    return kind == SYMLINK_ACTION ? compact_symlink_action(log, inside)
                                  : compact_data(log, kind, inside, id);
}

/* All files of the set, however deep, once for each stage that reads it. The stack holds each entry
 * at most once, since an entry is marked with the stage when it is put there. */
static enum br_status compact_link_set(struct compact *log, const struct use *use, uint32_t *seen,
                                       uint32_t *stack)
{
    uint32_t depth = 0;
    enum br_status status = BR_OK;
    seen[use->entry] = use->stage + 1;
    stack[depth++] = use->entry;
    while (depth > 0 && !status) {
        const struct entry *entry = &log->entry[stack[--depth]];
        for (uint32_t k = entry->first; k < entry->first + entry->count && !status; k++) {
            const uint32_t item = log->item[k];
            if (!entry->is_set)
                status = bazel_wait(log->bazel, use->stage, item);
            else if (seen[item] != use->stage + 1) {
                seen[item] = use->stage + 1;
                stack[depth++] = item;
            }
        }
    }
    return status;
}

static enum br_status compact_link_all(struct compact *log)
{
    uint32_t *seen = calloc((size_t)log->entries + 1, sizeof *seen);
    uint32_t *stack = calloc((size_t)log->entries + 1, sizeof *stack);
    enum br_status status = seen && stack ? BR_OK : br_fail_memory(log->bazel->diag);
    for (uint32_t u = 0; u < log->uses && !status; u++)
        status = compact_link_set(log, &log->use[u], seen, stack);
    free(seen);
    free(stack);
    return status;
}

/* The first entry is of the whole, and begins with the name of the hash function. */
bool bazel_is_compact(const char *text)
{
    struct br_proto file = br_proto_of(text, strlen(text));
    uint64_t length;
    if (!br_proto_varint(&file, &length) || length < 6 || file.end - file.at < 9)
        return false;
    return file.at[0] == (INVOCATION << 3 | BR_PROTO_BYTES) && file.at[1] + 2u <= length &&
           file.at[2] == (1 << 3 | BR_PROTO_BYTES) &&
           (memcmp(file.at + 4, "SHA", 3) == 0 || memcmp(file.at + 4, "BLAKE", 5) == 0);
}

enum br_status bazel_read_compact(struct bazel *bazel, const char *bytes, size_t size)
{
    struct compact log = {.bazel = bazel};
    struct br_proto file = br_proto_of(bytes, size);
    uint64_t length;
    enum br_status status = BR_OK;
    while (!status && br_proto_varint(&file, &length)) {
        log.number++;
        if (length > (size_t)(file.end - file.at)) {
            status = compact_damaged(&log);
            break;
        }
        const struct br_proto message = br_proto_of(file.at, (size_t)length);
        file.at += length;
        status = compact_entry(&log, message);
    }
    if (!status && file.damaged) {
        log.number++;
        status = compact_damaged(&log);
    }
    if (!status)
        status = compact_link_all(&log);
    br_index_finish(&log.index);
    free(log.entry);
    free(log.item);
    free(log.use);
    free(log.path);
    return status;
}
