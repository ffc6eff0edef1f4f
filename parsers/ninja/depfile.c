/* Reads depfiles byte for byte as ninja 1.11 to 1.13 do, even when make differs, because ninja
 * continues from these records. Ninja's rules for a run of n backslashes:
 *
 *   before a blank        n odd: (n - 1) / 2 backslashes and a blank of the name;
 *                         n even: n backslashes, and the name ends
 *   before '#'            n - 1 backslashes and '#'
 *   before ':'            n - 1 backslashes and ':'; if the text, a blank or a line ends behind
 *                         the ':', n backslashes and the ':' that makes the name a target
 *   before a line's end,  n = 1: the name ends, the rule goes on in the next line;
 *   or the text's         n > 1: n backslashes, then as without them
 *   before all else       n backslashes and that byte
 *
 * "$$" is '$'. Blanks, line ends, other controls and characters that mean something to a shell end
 * a name and are passed over. A name that ends with ':' is the last target of its rule, and an
 * unescaped line end ends the rule. */
#include "parsers/ninja/depfile.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/collections/grow.h"

enum { DEPFILE_MOST = 1 << 26 };

enum br_status br_ninja_depfile_text(const char *path, char **text, size_t *size,
                                     struct br_diag *diag)
{
    struct stat state;
    *text = NULL;
    *size = 0;
    FILE *file = fopen(path, "re");
    if (!file && errno == ENOENT)
        return BR_OK;
    if (!file || fstat(fileno(file), &state) || !S_ISREG(state.st_mode) ||
        state.st_size > DEPFILE_MOST) {
        if (file)
            fclose(file);
        return br_fail(diag, BR_BAD_INPUT, NULL, "a depfile cannot be read: %.200s", path);
    }
    *text = malloc((size_t)state.st_size + 1);
    if (*text) {
        *size = fread(*text, 1, (size_t)state.st_size, file);
        (*text)[*size] = '\0';
    }
    bool whole = !ferror(file); /* else names would be missing, and builds stale */
    fclose(file);
    if (!*text)
        return br_fail_memory(diag);
    return whole ? BR_OK : br_fail(diag, BR_SYSTEM, NULL, "a depfile cannot be read: %.200s", path);
}

static uint64_t depfile_hash_name(const void *context, uint32_t number)
{
    return br_hash_text(((const struct br_ninja_depfile *)context)->name[number]);
}

static bool depfile_is_name(const void *context, uint32_t number, const void *key)
{
    return strcmp(((const struct br_ninja_depfile *)context)->name[number], key) == 0;
}

static const struct br_index_keys keys = {depfile_hash_name, depfile_is_name};

struct reader {
    char *at, *end; /* the end is a NUL */
    char *to;       /* position in the name being read: at it, or before it */
    bool line_ended;
};

static bool depfile_is_plain(char c)
{
    unsigned char byte = (unsigned char)c;
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte >= 0x80 ||
           (byte && strchr("+?\"'&,/_:.~()}{%=@[]!-", byte));
}

static void depfile_put(struct reader *reader, const char *bytes, size_t count)
{
    assert(reader->to <= bytes);
    memmove(reader->to, bytes, count);
    reader->to += count;
}

/* A run of backslashes and the character after it; false: the name ends. */
static bool take_backslashes(struct reader *reader)
{
    assert(*reader->at == '\\');
    char *from = reader->at, *behind = from + strspn(from, "\\");
    size_t count = (size_t)(behind - from);
    bool ends_line = behind[0] == '\n' || (behind[0] == '\r' && behind[1] == '\n');
    reader->at = behind + 1;
    if (*behind == ' ' && count % 2) {
        depfile_put(reader, from, count / 2);
        *reader->to++ = ' ';
        return true;
    }
    if (*behind == ' ') {
        depfile_put(reader, from, count);
        return false;
    }
    if (*behind == ':' && strchr(" \t\r\n", behind[1])) { /* finds the NUL as well */
        reader->line_ended = behind[1] == '\n';
        reader->at = behind + 2;
        depfile_put(reader, from, count + 1);
        return false;
    }
    if (*behind == '#' || *behind == ':') {
        char kept = *behind;
        depfile_put(reader, from, count - 1);
        *reader->to++ = kept;
        return true;
    }
    if (*behind && *behind != '\r' && !ends_line) {
        depfile_put(reader, from, count + 1);
        return true;
    }
    if (count > 1) {
        depfile_put(reader, from, count);
        reader->at = behind;
        return true;
    }
    reader->at = behind + (ends_line ? (*behind == '\r' ? 2 : 1) : 0);
    return false;
}

/* Reads up to the end of a name, which may be empty, and skips the terminator; returns its size. */
static size_t depfile_take_name(struct reader *reader)
{
    char *name = reader->to = reader->at;
    reader->line_ended = false;
    for (;;) {
        char *from = reader->at;
        if (*from == '\\') {
            if (!take_backslashes(reader))
                break;
        } else if (from[0] == '$' && from[1] == '$') {
            *reader->to++ = '$';
            reader->at += 2;
        } else if (depfile_is_plain(*from)) {
            while (depfile_is_plain(*reader->at))
                reader->at++;
            depfile_put(reader, from, (size_t)(reader->at - from));
        } else {
            reader->line_ended = *from == '\n';
            reader->at++;
            break;
        }
    }
    assert(reader->to < reader->at);
    return (size_t)(reader->to - name);
}

static bool add_target(struct br_ninja_depfile *depfile, char *name)
{
    if (!br_grow(&depfile->target, depfile->targets, &depfile->target_room,
                 sizeof *depfile->target))
        return false;
    depfile->target[depfile->targets++] = name;
    return true;
}

enum br_status br_ninja_depfile_read(struct br_ninja_depfile *depfile, char *text, size_t size,
                                     struct br_diag *diag)
{
    struct reader reader = {.at = text, .end = text + size};
    bool targets = true, any_target = false, any = false;
    bool closed = false; /* a target of the rule is an input of others */
    depfile->names = depfile->targets = 0;
    br_index_finish(&depfile->by_name);
    while (reader.at < reader.end) {
        char *name = reader.at;
        size_t length = depfile_take_name(&reader);
        bool is_input = !targets;
        if (length && name[length - 1] == ':') {
            length--;
            targets = false;
            any_target = true;
        }
        if (length) {
            /* The byte behind the name has been read: the name's colon, or what ended it. */
            name[length] = '\0';
            bool known = br_index_find(&depfile->by_name, &keys, depfile, name,
                                       br_hash_text(name)) != UINT32_MAX;
            any = true;
            if (!is_input && !add_target(depfile, name))
                return br_fail_memory(diag);
            if (is_input && !known && closed)
                return br_fail(
                    diag, BR_BAD_INPUT, NULL,
                    "a depfile lets '%.200s' depend on other files, though that is an input", name);
            if (is_input && !known) {
                if (!br_grow(&depfile->name, depfile->names, &depfile->room, sizeof *depfile->name))
                    return br_fail_memory(diag);
                depfile->name[depfile->names++] = name;
                if (!br_index_add(&depfile->by_name, &keys, depfile, depfile->names - 1))
                    return br_fail_memory(diag);
            }
            closed |= !is_input && known;
        }
        if (reader.line_ended) {
            targets = true;
            closed = false;
        }
    }
    return any_target || !any ? BR_OK : br_fail(diag, BR_BAD_INPUT, NULL, "a depfile has no ':'");
}

void br_ninja_depfile_finish(struct br_ninja_depfile *depfile)
{
    free(depfile->name);
    free(depfile->target);
    br_index_finish(&depfile->by_name);
    *depfile = (struct br_ninja_depfile){0};
}
