/* Splits words without a shell: a job's commands mean the same on every machine, and each task
 * starts one process fewer. */
#include "base/text/command.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/diag.h"
#include "base/collections/grow.h"

static const char blanks[] = " \t\r\n";
static const char index_mark[] = "{index}";

static enum br_status command_fail_open(struct br_diag *diag, char quote)
{
    return br_fail(diag, BR_BAD_INPUT, "close it", "a command ends inside of %c...", quote);
}

/* Reads one word from *at to `to`; *at ends after it. */
static enum br_status read_word(const char **at, char *to, struct br_diag *diag)
{
    const char *p = *at;
    while (*p && !strchr(blanks, *p)) {
        if (*p == '\'') {
            const char *end = strchr(p + 1, '\'');
            if (!end)
                return command_fail_open(diag, '\'');
            memcpy(to, p + 1, (size_t)(end - p - 1));
            to += end - p - 1;
            p = end + 1;
        } else if (*p == '"') {
            for (p++; *p && *p != '"'; p++) {
                if (*p == '\\' && (p[1] == '\\' || p[1] == '"'))
                    p++;
                *to++ = *p;
            }
            if (!*p)
                return command_fail_open(diag, '"');
            p++;
        } else if (strchr("|&;<>()$`*?[", *p)) {
            return br_fail(diag, BR_BAD_INPUT,
                           "quote it, or ask for a shell (attribute shell=\"true\", --shell)",
                           "'%c' in a command means nothing without a shell", *p);
        } else {
            if (*p == '\\' && p[1])
                p++;
            *to++ = *p++;
        }
    }
    *to = '\0';
    *at = p;
    return BR_OK;
}

enum br_status br_command_parse(struct br_arena *arena, const char *text, bool shell,
                                struct br_command *command, struct br_diag *diag)
{
    size_t most = strlen(text) / 2 + 4;
    *command = (struct br_command){0};
    text += strspn(text, blanks);
    if (!*text)
        return BR_OK;
    command->word = br_arena_array(arena, most, sizeof *command->word);
    char *to = br_arena_alloc(arena, strlen(text) + 2);
    if (!command->word || !to)
        return br_fail_memory(diag);
    if (shell) {
        /* A script that begins with - or + would be taken for shell options. */
        sprintf(to, "%s%s", *text == '-' || *text == '+' ? " " : "", text);
        command->word[0] = "/bin/sh";
        command->word[1] = "-c";
        command->word[2] = to;
        command->words = 3;
        return BR_OK;
    }
    while (*text) {
        enum br_status status = read_word(&text, to, diag);
        if (status)
            return status;
        command->word[command->words++] = to;
        assert(command->words < most);
        to += strlen(to) + 1;
        text += strspn(text, blanks);
    }
    if (!*command->word[0])
        return br_fail(diag, BR_BAD_INPUT, NULL, "a command's program is empty");
    return BR_OK;
}

static bool command_add_text(struct br_words *words, uint32_t *used, const char *text, size_t size)
{
    for (size_t k = 0; k < size; k++) {
        if (!br_grow(&words->text, *used, &words->text_room, 1))
            return false;
        words->text[(*used)++] = text[k];
    }
    return true;
}

bool br_command_words(const struct br_command *command, uint32_t index, struct br_words *words)
{
    uint32_t used = 0;
    char number[16];
    int digits = snprintf(number, sizeof number, "%u", index);
    /* All texts first, since they may move while they grow. */
    for (uint32_t w = 0; w < command->words; w++) {
        const char *from = command->word[w], *mark;
        for (; (mark = strstr(from, index_mark)); from = mark + sizeof index_mark - 1)
            if (!command_add_text(words, &used, from, (size_t)(mark - from)) ||
                !command_add_text(words, &used, number, (size_t)digits))
                return false;
        if (!command_add_text(words, &used, from, strlen(from) + 1))
            return false;
    }
    char *at = words->text;
    for (uint32_t w = 0; w <= command->words; w++) {
        if (!br_grow(&words->word, w, &words->room, sizeof *words->word))
            return false;
        words->word[w] = w < command->words ? at : NULL;
        at += w < command->words ? strlen(at) + 1 : 0;
    }
    assert(at == words->text + used);
    return true;
}

void br_words_finish(struct br_words *words)
{
    free(words->word);
    free(words->text);
    *words = (struct br_words){0};
}
