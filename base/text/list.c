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

bool br_list_read(enum br_list_form form, const char **at, struct br_list_entry *entry)
{
    bool named = list_is_named(form);
    *entry = (struct br_list_entry){*at, strcspn(*at, named ? "=," : ","), NAN, NAN};
    if (named || form == BR_LIST_WORD) {
        *at += entry->length;
        if (form == BR_LIST_WORD || **at != '=')
            return entry->length && (form == BR_LIST_WORD || form == BR_LIST_NAME_MAYBE_NUMBER);
        ++*at;
    }
    bool pair = form == BR_LIST_PAIR || form == BR_LIST_NAME_PAIR;
    if (!entry->length || !br_real_read(at, pair ? ":," : ",", &entry->value))
        return false;
    if (**at != ':')
        return form != BR_LIST_PAIR;
    ++*at;
    return br_real_read(at, ",", &entry->second);
}

bool br_list_next(enum br_list_form form, const char **at, struct br_list_entry *entry)
{
    if (!**at)
        return false;
    bool good = br_list_read(form, at, entry);
    assert(good);
    *at += **at == ',';
    return good;
}

uint32_t br_list_count(const char *list)
{
    uint32_t count = 1;
    for (; *list; list++)
        count += *list == ',';
    return count;
}
