#include "base/text/list.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/numbers/real.h"

static bool list_is_named(enum br_list_form form)
{
    return form == BR_LIST_NAME_NUMBER || form == BR_LIST_NAME_MAYBE_NUMBER ||
           form == BR_LIST_NAME_PAIR;
}

/* The marks that end an entry. */
static const char *list_marks(enum br_list_form form)
{
    return form == BR_LIST_PAIRS ? ",/" : ",";
}

/* A, A:B, or either. */
static bool list_read_numbers(enum br_list_form form, const char **at, struct br_list_entry *entry)
{
    bool both = form == BR_LIST_PAIR || form == BR_LIST_PAIRS;
    if (!br_real_read(at, both || form == BR_LIST_NAME_PAIR ? ":,/" : ",", &entry->value))
        return false;
    if (**at != ':')
        return !both;
    ++*at;
    return br_real_read(at, list_marks(form), &entry->second);
}

bool br_list_read(enum br_list_form form, const char **at, struct br_list_entry *entry)
{
    bool named = list_is_named(form), word = form == BR_LIST_WORD, good = true;
    size_t whole = strcspn(*at, list_marks(form)), name = named ? strcspn(*at, "=,") : whole;
    *entry = (struct br_list_entry){*at, name, NAN, NAN, false};
    if (!name)
        return false;
    *at += named || word ? name : 0;
    if (named && **at != '=')
        good = form == BR_LIST_NAME_MAYBE_NUMBER;
    else if (!word) {
        *at += named;
        good = list_read_numbers(form, at, entry);
    }
    entry->last = **at != ',';
    return good && *at == entry->name + whole;
}

bool br_list_next(enum br_list_form form, const char **at, struct br_list_entry *entry)
{
    if (!**at)
        return false;
    bool good = br_list_read(form, at, entry);
    assert(good);
    *at += **at != '\0';
    return good;
}

uint32_t br_list_count(const char *list)
{
    uint32_t count = 1;
    for (; *list; list++)
        count += *list == ',';
    return count;
}
