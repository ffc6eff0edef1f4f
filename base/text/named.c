/* Finding rows by their names. The distance behind "did you mean" is the optimal string alignment:
 * Levenshtein's, with a swap of neighbours as one step, since that is the most common typing error.
 */
#include "base/text/named.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_WORD = 63 };

/* ---- Near words ---- */

static uint32_t named_least_of(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

uint32_t br_edit_distance(const char *a, const char *b)
{
    uint32_t n = (uint32_t)strnlen(a, LONGEST_WORD), m = (uint32_t)strnlen(b, LONGEST_WORD);
    uint32_t row[3][LONGEST_WORD + 1]; /* of i - 2, i - 1 and i, in turn */
    for (uint32_t j = 0; j <= m; j++)
        row[0][j] = j;
    for (uint32_t i = 1; i <= n; i++) {
        const uint32_t *before = row[(i + 1) % 3], *above = row[(i + 2) % 3];
        uint32_t *here = row[i % 3];
        here[0] = i;
        for (uint32_t j = 1; j <= m; j++) {
            uint32_t replace = above[j - 1] + (a[i - 1] != b[j - 1]);
            here[j] = named_least_of(replace, named_least_of(above[j], here[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                here[j] = named_least_of(here[j], before[j - 2] + 1);
        }
    }
    return row[n % 3][m];
}

void br_suggestion_offer(struct br_suggestion *suggestion, const char *candidate)
{
    uint32_t distance = br_edit_distance(suggestion->word, candidate);
    size_t length = strlen(suggestion->word);
    /* A third of the word may be wrong, or one letter of a short one; or the word may be
     * unfinished. */
    bool near = distance <= (length < 6 ? 1 + (length > 4) : length / 3);
    bool begun = length >= 2 && strncmp(candidate, suggestion->word, length) == 0;
    if (!near && !begun)
        return;
    if (!suggestion->best || distance < suggestion->distance) {
        suggestion->best = candidate;
        suggestion->distance = distance;
    }
}

/* ---- Rows ---- */

static const struct br_named *named_row(const struct br_names *rows, uint32_t k)
{
    assert(rows->size >= (rows->pointers ? sizeof(void *) : sizeof(struct br_named)));
    const void *row = (const char *)rows->first + (size_t)k * rows->size;
    return rows->pointers ? *(const void *const *)row : row;
}

const struct br_named *br_named_at(const struct br_names *rows, uint32_t k)
{
    const struct br_names *const only[] = {rows, NULL};
    for (const struct br_names *const *table = rows->tables ? rows->tables : only; *table;
         table++) {
        assert(table == only || !(*table)->tables);
        if (k < (*table)->count)
            return named_row(*table, k);
        k -= (*table)->count;
    }
    return NULL;
}

const char *br_named_name(const struct br_names *rows, uint32_t k)
{
    const struct br_named *row = br_named_at(rows, k);
    return row ? row->name : NULL;
}

uint32_t br_named_find_part(const struct br_names *rows, const char *text, size_t length)
{
    const char *name;
    for (uint32_t k = 0; (name = br_named_name(rows, k)); k++)
        if (strncmp(name, text, length) == 0 && strlen(name) == length)
            return k;
    return BR_NO_ROW;
}

uint32_t br_named_find(const struct br_names *rows, const char *name)
{
    return br_named_find_part(rows, name, strlen(name));
}

void br_named_list(const struct br_names *rows, char *text, size_t size)
{
    const char *name;
    size_t used = 0;
    assert(size > sizeof "...");
    *text = '\0';
    for (uint32_t k = 0; (name = br_named_name(rows, k)); k++) {
        bool last = !br_named_name(rows, k + 1);
        if (used + strlen(name) + (last ? 1 : sizeof ", ...") > size) {
            strcpy(text + used, "...");
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%s", name, last ? "" : ", ");
    }
}

const char *br_named_near(const struct br_names *rows, const char *text, size_t length)
{
    char word[LONGEST_WORD + 1];
    struct br_suggestion suggestion = {.word = word};
    const char *name;
    length = strnlen(text, length);
    snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : LONGEST_WORD), text);
    for (uint32_t k = 0; (name = br_named_name(rows, k)); k++)
        br_suggestion_offer(&suggestion, name);
    return suggestion.best;
}

void br_note_unnamed(struct br_diag *diag, const struct br_names *rows, const char *text,
                     size_t length, const char *format, ...)
{
    struct br_diag note = {.hint = "choose one of "};
    char *hint = note.hint;
    const char *near = br_named_near(rows, text, length);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(note.what, sizeof note.what, format, arguments);
    va_end(arguments);
    if (near)
        snprintf(hint, sizeof note.hint, "did you mean '%s'?", near);
    else
        br_named_list(rows, hint + strlen(hint), sizeof note.hint - strlen(hint));
    br_note_fault(diag, BR_USAGE, hint, "%s", note.what);
}
